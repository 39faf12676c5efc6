"""SanPoints and the sanitizer of sets of k points."""

import random
from collections import Counter
from fractions import Fraction
from math import ceil
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few, in_one

from dpverify.mechanisms import Draw, InputError, discrete_laplace, distribution, exp, log, run, sqrt
from dpverify.mechanisms.sanitizers import sanitize_k_points, sanitize_points, share_of
from dpverify.mechanisms.sanitizers.points_sanitizer import (
    epsilon_of_a_part,
    rows_for_sanitized_k_points,
    rows_for_sanitized_points,
)
from dpverify.mechanisms.selection import Bottom, choosing_mechanism
from dpverify.mechanisms.selection.choosing import rows_needed_journal
from dpverify.verifiers.divergence.output_tables.tabulation import same_distribution

GIVEN: dict[str, Any] = {"epsilon": 1, "delta": Fraction(1, 10)}
databases = st.lists(st.integers(0, 3), min_size=1, max_size=6).map(tuple)
shares = st.sampled_from([Fraction(1), Fraction(2, 3), Fraction(1, 2)])


def figure_9(draw: Draw, rows: tuple[int, ...], *, points: int, alpha: Fraction, part: Fraction) -> Any:
    """Figure 9, literally, with the quality of every point of the domain; noise on counts, and discrete."""
    est: dict[int, Any] = dict.fromkeys(range(points), 0)
    r = set(range(points))
    for _ in range(ceil(2 / alpha)):
        q_r = tuple(rows.count(x) if x in r else 0 for x in range(points))
        b = draw(choosing_mechanism, q_r, rows=len(rows), alpha=alpha / 2, epsilon=part)
        if b is not Bottom.BOTTOM:
            est[b] = rows.count(b) / Fraction(len(rows)) + draw(discrete_laplace(1 / part)) / len(rows)
            r = r - {b}
    return tuple((x, est[x]) for x in range(points) if x not in r)


@few(7, deep=150)
@given(databases, shares, st.sampled_from([Fraction(1), Fraction(5)]))
def test_san_points_is_figure_9(rows: tuple[int, ...], alpha: Fraction, part: Fraction) -> None:
    ours = distribution(sanitize_points, rows, d=2, alpha=alpha, epsilon_of_part=part, **GIVEN)
    assert same_distribution(ours, distribution(figure_9, rows, points=4, alpha=alpha, part=part))


def test_the_law_by_hand() -> None:
    """One row, α = 1, ε̃ = 4: it is chosen where 1 + Lap(1) ≥ 1/4, in one of two attempts."""
    law = distribution(sanitize_points, (3,), d=2, alpha=1, epsilon_of_part=4, **GIVEN)
    assert law.probability(()) == (exp(Fraction(-3, 4)) / 2) ** 2
    z = exp(-4)
    assert law.probability(((3, 2),)) == (1 - exp(Fraction(-3, 2)) / 4) * z * (1 - z) / (1 + z)


def test_the_printed_part_of_epsilon() -> None:
    law = distribution(sanitize_points, (3,), d=2, alpha=1, **GIVEN)
    part = 1 / sqrt(32 * log(50))
    assert epsilon_of_a_part(alpha=1, **GIVEN) == part
    assert law.probability(()) == (exp(-part * Fraction(3, 4) / 4) / 2) ** 2


def test_sets_of_two_points_take_half_of_alpha() -> None:
    rows = (0, 0, 1)
    pairs = distribution(sanitize_k_points, rows, d=2, k=2, alpha=1, **GIVEN)
    assert same_distribution(pairs, distribution(sanitize_points, rows, d=2, alpha=Fraction(1, 2), **GIVEN))


def test_what_estimates_say_of_sets() -> None:
    estimates = ((3, Fraction(1, 4)), (7, Fraction(-1, 8)), (9, Fraction(19, 20)))
    assert share_of([3], estimates) == Fraction(1, 4)
    assert share_of([1, 2], estimates) == 0
    assert share_of([3, 7], estimates) == Fraction(1, 8)
    assert share_of([7], estimates) == 0
    assert share_of([3, 9], estimates) == 1


def test_what_is_frequent_among_two_to_the_64() -> None:
    source = random.Random(1)
    often = [source.getrandbits(64) for _ in range(3)]
    rows = tuple(source.choice([*often, source.getrandbits(64)]) for _ in range(20_000))
    found = run(sanitize_points, rows, seed=1, d=64, alpha=Fraction(1, 5), epsilon=2, delta=Fraction(1, 10**6))
    assert [x for x, _ in found] == sorted(often)
    count = Counter(rows)
    assert all(abs(share - Fraction(count[x], len(rows))) < Fraction(1, 100) for x, share in found)


def test_rows_that_the_theorem_asks_for() -> None:
    given: dict[str, Any] = {"alpha": Fraction(1, 2), "beta": Fraction(1, 10)}
    # at ε = 1 the choices ask for more, and at a large ε the counts: 6·sqrt(8)·ln 80·sqrt(ln 50)/500 = 0.29
    choices = {"alpha": Fraction(1, 4), "beta": Fraction(1, 80), "delta": Fraction(1, 100)}
    part = epsilon_of_a_part(alpha=Fraction(1, 2), **GIVEN)
    assert (
        rows_for_sanitized_points(**given, **GIVEN) == rows_needed_journal(growth=1, epsilon=part, **choices) == 16110
    )
    assert rows_for_sanitized_points(**given, epsilon=10**6, delta=Fraction(1, 10)) == 1
    assert rows_for_sanitized_k_points(k=2, **given, **GIVEN) == rows_for_sanitized_points(
        alpha=Fraction(1, 4), beta=Fraction(1, 10), **GIVEN
    )


@in_one(
    "rows, changed, words",
    [
        ((), {}, "the database is empty"),
        ((1, 4), {}, "row 1: the point 4 is not a whole number from 0 to 3"),
        ((True,), {}, "row 0: the point True"),
        ((0,), {"alpha": 0}, "alpha=0 must be greater than 0"),
        ((0,), {"alpha": 2}, "alpha=2 must be at most 1"),
        ((0,), {"epsilon": 0}, "epsilon=0"),
        ((0,), {"delta": 0}, "delta=0"),
        ((0,), {"delta": 1}, "delta=1"),
        ((0,), {"epsilon_of_part": 0}, "epsilon_of_part=0"),
    ],
)
def test_bad_input(rows: tuple[int, ...], changed: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        distribution(sanitize_points, rows, **{"d": 2, "alpha": 1, **GIVEN, **changed})


def test_no_points_at_a_time() -> None:
    with pytest.raises(InputError, match="k=0 is not a whole number ≥ 1"):
        distribution(sanitize_k_points, (0,), d=2, k=0, alpha=1, **GIVEN)
