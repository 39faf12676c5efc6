"""Packings, against brute force."""

from fractions import Fraction
from itertools import chain, combinations, product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few, in_one

from dpverify.mechanisms import InputError, exact, exp, log
from dpverify.mechanisms.sanitizers.concepts import Point, Threshold
from dpverify.mechanisms.sanitizers.packings import (
    close_to_all,
    estimates,
    is_close,
    moved_from_the_first,
    shared_estimate,
    shares,
    told_apart,
)
from dpverify.mechanisms.sanitizers.point_sets import (
    concentrated,
    greedy_family,
    point_sets,
    removed,
    removed_as_printed,
    removed_at_most,
    too_near,
)
from dpverify.mechanisms.selection.packing_bound import (
    binomial_above,
    largest_somewhere,
    packing_bound,
    replaced_at_random,
    steps_forced,
)

TWELFTHS = st.integers(0, 12).map(lambda n: Fraction(n, 12))


@given(st.lists(st.tuples(TWELFTHS, TWELFTHS), min_size=1, max_size=5, unique=True), st.integers(0, 8))
@few(30, deep=600)
def test_estimates_are_as_good_as_any(truths: list[tuple[Fraction, Fraction]], twelfths: int) -> None:
    """Of all estimates on a grid on which one of each largest set lies, none is close to more than one of these."""
    alpha = Fraction(twelfths, 24)
    found = [{t for t in truths if is_close(estimate, t, alpha)} for estimate in estimates(truths, alpha)]
    on_one_axis = [
        {frozenset(t for t in truths if is_close((Fraction(n, 24),), (t[axis],), alpha)) for n in range(25)}
        for axis in (0, 1)
    ]
    for near, also_near in product(*on_one_axis):
        assert any(near & also_near <= other for other in found)
    assert (shared_estimate(truths, alpha) is None) == all(len(near) == 1 for near in found)


def test_an_estimate_close_to_all_is_so() -> None:
    truths = [(Fraction(0), Fraction(1)), (Fraction(1, 2), Fraction(1))]
    assert close_to_all(truths, Fraction(1, 4)) == (Fraction(1, 4), Fraction(1))
    assert close_to_all(truths, Fraction(1, 5)) is None


@pytest.mark.parametrize("concepts", [[Point(1)], [Point(0), Point(2)], [Threshold(2)], [Threshold(1), Point(3)], []])
def test_the_effective_size_is_that_of_the_largest_set(concepts: list[Point | Threshold]) -> None:
    def apart(points: tuple[int, ...]) -> bool:
        return all(any(c(x) != c(y) for c in concepts) for x, y in combinations(points, 2))

    subsets = chain.from_iterable(combinations(range(4), size) for size in range(1, 5))
    assert len(told_apart(range(4), concepts)) == max(len(points) for points in subsets if apart(points))
    assert apart(told_apart(range(4), concepts))


def test_databases_of_the_proof() -> None:
    assert moved_from_the_first((5, 6), rows=3, moved=2) == ((5, 5, 5), (5, 6, 6))
    assert shares((5, 6, 6), [Point(5), Point(6)]) == (Fraction(1, 3), Fraction(2, 3))
    assert concentrated((1, 3), rows=5, moved=4) == (0, 1, 1, 3, 3)
    for moved in (3, 6):
        with pytest.raises(InputError, match="of 5 rows do not fit 2 points, evenly"):
            concentrated((1, 3), rows=5, moved=moved)
    with pytest.raises(InputError, match="moved=4 must be between 0 and the 3 rows"):
        moved_from_the_first((5, 6), rows=3, moved=4)


@in_one("d, k", [(2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (3, 4), (3, 7)])
def test_the_greedy_family_is_a_packing_that_nothing_can_be_added_to(d: int, k: int) -> None:
    family = greedy_family(d, k)
    everything = list(combinations(range(1, 1 << d), k))
    assert too_near(family) is None
    assert all(any(removed(a, other) for a in family) for other in everything)
    for a in family:
        assert sum(removed(a, other) for other in everything) == removed_at_most(d, k)
    assert len(family) * removed_at_most(d, k) >= comb((1 << d) - 1, k)
    # (2^d − 1)/(4e²k) to the power k/2, squared, with 7 for e²
    assert len(family) ** 2 >= Fraction((1 << d) - 1, 28 * k) ** k


def test_the_greedy_choice_as_printed_has_no_end_and_keeps_what_is_too_near() -> None:
    """By hand: after {1, 2, 3} it removes what shares at most one point with it, and {1, 2, 3} itself stays."""
    family = greedy_family(3, 3, removes=removed_as_printed, most=50)
    assert family == ((1, 2, 3),) * 50
    assert too_near(family) == ((1, 2, 3), (1, 2, 3))


def test_no_family_of_more_points_than_there_are() -> None:
    with pytest.raises(InputError, match="k=4 is more than the 3 points other than 0"):
        greedy_family(2, 4)
    assert [c.points for c in point_sets(1, 1)] == [(0,), (1,)]


@in_one("databases", [1, 2, 5])
@in_one("steps", [0, 1, 3])
@in_one("delta", [0, Fraction(1, 100), Fraction(1, 2)])
def test_the_packing_bound_solves_its_inequality(databases: int, steps: int, delta: Fraction) -> None:
    """e^ε = 2: 1 − s ≥ (K − 1)·2^(−d)·(s − δ·(2^d − 1)), with equality unless s = 1."""
    s = packing_bound(databases, steps, log(2), delta)
    right = (databases - 1) * Fraction(1, 2**steps) * (s - delta * (2**steps - 1))
    assert 1 - s == right or (s == 1 and right <= 0)


@in_one("databases", [2, 3, 10, 1000])
@in_one("beta", [Fraction(1, 100), Fraction(1, 3), Fraction(2, 3)])
def test_steps_forced_are_the_least(databases: int, beta: Fraction) -> None:
    steps = steps_forced(databases, beta=beta, epsilon=Fraction(1, 2))
    assert packing_bound(databases, steps, Fraction(1, 2)) >= 1 - beta
    assert steps == 0 or packing_bound(databases, steps - 1, Fraction(1, 2)) < 1 - beta


def test_numbers_by_hand() -> None:
    assert steps_forced(1, beta=Fraction(1, 2), epsilon=1) == 0
    assert binomial_above(3, Fraction(1, 3), 1) == Fraction(7, 27)
    assert binomial_above(3, Fraction(1, 3), -1) == 1
    assert binomial_above(3, Fraction(1, 3), 3) == 0
    assert replaced_at_random(1, log(2), Fraction(1, 10)) == Fraction(20, 27)
    assert replaced_at_random(4, 5, Fraction(1, 2)) == 1
    assert packing_bound(3, 2, 0, Fraction(1, 10)) == Fraction(7, 15)
    assert packing_bound(5, 2, Fraction(1, 2)) == 1 / (1 + 4 * exp(exact(-1)))
    with pytest.raises(InputError, match="delta must be at least 0"):
        packing_bound(3, 2, 0, -1)


@given(st.lists(st.lists(st.integers(-4, 4), min_size=3, max_size=3), min_size=1, max_size=4))
@few(30, deep=600)
def test_an_item_that_is_largest_somewhere_is_near_the_best_everywhere(steps: list[list[int]]) -> None:
    """Qualities within 1 of each other on all databases, whatever their size: f is (1/n)-Lipschitz on n rows."""
    quality = {i: [Fraction(item[0]) + Fraction(s, 8) + Fraction(1, 2) for s in item] for i, item in enumerate(steps)}
    chosen = largest_somewhere(quality)
    for database in range(3):
        best = max(values[database] for values in quality.values())
        assert best - quality[chosen][database] <= 1
