"""Released numbers whose probabilities fall off at several rates, against sums over a long stretch of numbers."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import exp as float_exp
from math import log
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few, in_one

from dpverify import verifiers
from dpverify.mechanisms import (
    Distribution,
    Draw,
    InputError,
    Undecided,
    bounds,
    discrete_gaussian,
    discrete_laplace,
    distribution,
    exact,
    exp,
    gaussian,
    run,
    symbolic,
)
from dpverify.mechanisms.noise import truncated_discrete_laplace
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, total
from dpverify.mechanisms.numbers.roots.exponential_polynomials import ExpPoly
from dpverify.mechanisms.outputs import AtLeast, AtMost
from dpverify.mechanisms.selection import svt3
from dpverify.verifiers import ScoreSpace, Status, Tuples, privacy_profile, scores_linf
from dpverify.verifiers.divergence.finite.scanning import is_settled
from dpverify.verifiers.divergence.output_tables.distribution_table import DistributionTable
from dpverify.verifiers.divergence.output_tables.tails import PartOfTail, parts_of_tail
from dpverify.verifiers.problems.neighbours.compared import Compared
from dpverify.verifiers.problems.neighbours.pairs import NeighbouringPairs

# What is computed a second time has tests of its own, in test_repetition.py.
check_privacy = partial(verifiers.check_privacy, recheck=False)

BIT = Tuples((0, 1), size=1)
FAR = 120
"""What is farther out has less than e^-40, with noise of scale 3 as with any other here."""


def laplace_at(k: int, scale: float) -> float:
    z = float_exp(-1 / scale)
    return float((1 - z) / (1 + z) * z ** abs(k))


def laplace_from(k: int, scale: float) -> float:
    z = float_exp(-1 / scale)
    return float(z**k / (1 + z) if k >= 1 else 1 - z ** (1 - k) / (1 + z))


def approximately(number: Exact) -> float:
    return float(bounds(number)[0])


Table = dict[Any, float]


def divergence(p: Table, q: Table, epsilon: float) -> float:
    return sum(max(0.0, chance - float_exp(epsilon) * q.get(outcome, 0.0)) for outcome, chance in p.items())


def worst(laws: list[Table], epsilon: float) -> float:
    return max(divergence(laws[i], laws[1 - i], epsilon) for i in (0, 1))


# A number that is released where it exceeds another noise.
def lead(draw: Draw, rows: Any, *, scale: Fraction, other: Fraction, gap: int) -> Any:
    """The noisy bit where it leads by a noisy gap."""
    noisy = gap * rows[0] + draw(discrete_laplace(scale))
    if noisy >= draw(discrete_laplace(other)) + 1:
        return ("lead", noisy)
    return None


def lead_by_sums(rows: tuple[int], scale: Fraction, other: Fraction, gap: int) -> Table:
    law: Table = {
        ("lead", m): laplace_at(m - gap * rows[0], float(scale)) * (1 - laplace_from(m, float(other)))
        for m in range(-FAR, FAR)
    }
    return {**law, None: 1 - sum(law.values())}


scales = st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(2)])


@few(6, deep=200)
@given(scales, scales, st.integers(-2, 2).filter(bool), st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1)]))
def test_a_number_that_leads_another_noise(scale: Fraction, other: Fraction, gap: int, epsilon: Fraction) -> None:
    given: dict[str, Any] = {"scale": scale, "other": other, "gap": gap}
    by_sums = [lead_by_sums((bit,), **given) for bit in (0, 1)]
    law = distribution(lead, (1,), **given)
    for m in (-5, -1, 0, 3, 8):
        assert abs(approximately(law.probability(("lead", m))) - by_sums[1]["lead", m]) < 1e-12
    tail = sum(p for outcome, p in by_sums[1].items() if outcome is not None and outcome[1] >= 2)
    assert abs(approximately(law.probability(("lead", AtLeast(2)))) - tail) < 1e-12
    assert law.probability(("lead", AtLeast(2)), ("lead", AtMost(1)), None) == 1
    verdict = check_privacy(lead, BIT, epsilon=epsilon, parameters=given)
    assert verdict.delta is not None
    assert abs(float(verdict.delta.upper) - worst(by_sums, float(epsilon))) < 1e-10
    # |gap|/scale at most, and no less: m to the far left, or to the far right
    assert verdict.epsilon is not None
    assert verdict.epsilon.exact is not None
    near = [(a["lead", m], b["lead", m]) for a, b in (by_sums, reversed(by_sums)) for m in range(-20, 20)]
    assert float(verdict.epsilon.upper) >= max(log(p / q) for p, q in near if q > 0) - 1e-9
    assert (verdict.status is Status.REFUTED) == (verdict.epsilon.exact > exact(epsilon))
    if verdict.witness is not None:
        assert verdict.witness.p > exp(exact(epsilon)) * verdict.witness.q


# Noise of several scales in one place.
def scale_of_the_row(draw: Draw, rows: Any, *, scales: tuple[Fraction, Fraction]) -> Any:
    return draw(discrete_laplace(scales[rows[0]]))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("epsilon", [0, Fraction(1, 4), 1, 3])
@pytest.mark.parametrize(
    "scales", [(Fraction(1), Fraction(2)), (Fraction(3, 2), Fraction(1, 2)), (Fraction(3), Fraction(2))]
)
def test_a_scale_that_depends_on_the_data(scales: tuple[Fraction, Fraction], epsilon: Any) -> None:
    by_sums = [{m: laplace_at(m, float(scale)) for m in range(-FAR, FAR)} for scale in scales]
    verdict = check_privacy(scale_of_the_row, BIT, epsilon=epsilon, parameters={"scales": scales})
    assert verdict.status is Status.REFUTED
    assert verdict.epsilon is None  # the slower tail wins without bound
    assert verdict.delta is not None
    assert abs(float(verdict.delta.upper) - worst(by_sums, float(epsilon))) < 1e-10
    enough = verdict.delta.exact
    assert enough is not None
    just = check_privacy(scale_of_the_row, BIT, epsilon=epsilon, delta=enough, parameters={"scales": scales})
    assert just.status is Status.PROVED
    less = enough * Fraction(99, 100)
    below = check_privacy(scale_of_the_row, BIT, epsilon=epsilon, delta=less, parameters={"scales": scales})
    assert below.status is Status.REFUTED
    assert below.witness is not None
    assert below.witness.difference > less


def test_two_released_numbers_of_several_scales() -> None:
    def two(draw: Draw, rows: Any) -> Any:
        first = draw(discrete_laplace(1 + rows[0]))
        return (first, rows[0] + draw(discrete_laplace(Fraction(3, 2))))

    by_sums = [
        {(a, b): laplace_at(a, 1 + bit) * laplace_at(b - bit, 1.5) for a in range(-60, 61) for b in range(-60, 61)}
        for bit in (0, 1)
    ]
    for epsilon in (0, Fraction(1, 2), 2):
        verdict = check_privacy(two, BIT, epsilon=epsilon)
        assert verdict.delta is not None
        assert abs(float(verdict.delta.upper) - worst(by_sums, float(epsilon))) < 1e-10
    assert verdict.epsilon is None


# The parts of a tail.
coefficients = st.lists(st.integers(0, 5), min_size=1, max_size=4)


def in_floats(function: ExpPoly) -> Callable[[int], float]:
    terms = [(approximately(c), power, approximately(rate)) for (rate, power), c in function.items()]
    return lambda x: sum(c * x**power * float_exp(rate * x) for c, power, rate in terms)


@given(st.lists(coefficients, min_size=1, max_size=3), st.integers(0, 6))
def test_parts_add_up_to_the_tail(functions: list[list[int]], start: int) -> None:
    terms = [(exact(-1), 0), (exact(-1), 2), (exact(Fraction(-3, 2)), 1), (exact(Fraction(-1, 2)), 0)]
    polynomials: list[ExpPoly] = [
        {term: exact(c) for term, c in zip(terms, function, strict=False) if c} for function in functions
    ]
    polynomials = [function for function in polynomials if function]
    if not polynomials:
        return
    found = parts_of_tail(polynomials, start + 2)
    assert found is not None  # no coefficient is negative, nor is one made so by moving x
    for function, parts in zip(polynomials, found, strict=True):
        by_sums = sum(map(in_floats(function), range(start + 2, start + 122)))
        assert abs(approximately(total(parts)) - by_sums) < 1e-9
        assert all(part >= 0 for part in parts)


def test_a_tail_that_begins_too_early() -> None:
    falling: ExpPoly = {(exact(-1), 0): ONE, (exact(-2), 0): exact(-100)}  # negative up to x = 4
    assert parts_of_tail([falling], 2) is None
    assert parts_of_tail([falling], 5) is not None


def parts(first: int, middle: int, last: int) -> Distribution[Any]:
    """A law on the three parts of one tail, and on what is no tail."""
    tail = AtLeast(9)
    weights = {PartOfTail(tail, i): weight for i, weight in enumerate((first, middle, last))}
    return Distribution({**weights, "near": 16 - first - middle - last})


@in_one(
    "left, right, settled",
    [
        # one sign everywhere at ε = 64, and 4 as the largest ratio in the middle, where no number may have it
        ((1, 4, 1), (1, 1, 1), False),
        ((4, 2, 1), (1, 1, 1), True),
        ((1, 2, 4), (1, 1, 1), True),
        # beyond every bound in the middle
        ((1, 1, 1), (1, 0, 1), False),
        # what is no tail has the largest ratio, or the first part of a tail that the law does not have
        ((1, 2, 1), (4, 8, 3), True),
        ((0, 4, 1), (0, 1, 1), True),
    ],
)
def test_the_largest_ratio_of_a_tail_is_settled_at_its_ends(
    left: tuple[int, int, int], right: tuple[int, int, int], settled: bool
) -> None:
    table = DistributionTable([parts(*left), parts(*right)])
    neighbours = NeighbouringPairs.listed(np.array([1, 2]), 2)  # 0 before 1, and 1 before 0
    assert is_settled(table, Compared(table.law_of, len(table.rows), neighbours), exact(64)) is settled


def of_three_scales(draw: Draw, rows: Any, *, weights: tuple[tuple[int, ...], ...]) -> Any:
    """Noise of a scale that is drawn, with weights that depend on the row."""
    return draw(discrete_laplace(draw(Distribution(dict(zip((3, 2, 1), weights[rows[0]], strict=True))))))


@pytest.mark.parametrize("weights", [((1, 100, 1), (1, 1, 100)), ((2, 60, 9), (2, 3, 200)), ((3, 8, 1), (3, 1, 9))])
def test_the_exact_epsilon_of_a_mixture_is_attained_at_a_number(weights: tuple[tuple[int, ...], ...]) -> None:
    """Its ratio is largest somewhere out in the tail, neither where the tail begins nor in its limit."""

    def chance(row: int, m: int) -> float:
        of_row = weights[row]
        return sum(w * laplace_at(m, scale) for w, scale in zip(of_row, (3, 2, 1), strict=True)) / sum(of_row)

    pairs = [(chance(a, m), chance(b, m)) for a, b in ((0, 1), (1, 0)) for m in range(300)]
    truth = max(log(p / q) for p, q in pairs)
    verdict = check_privacy(of_three_scales, BIT, epsilon=10, parameters={"weights": weights})
    assert verdict.status is Status.PROVED
    assert verdict.epsilon is not None
    assert abs(float(verdict.epsilon.upper) - truth) < 1e-9
    assert abs(float(verdict.epsilon.lower) - truth) < 1e-9


# Algorithm 3 of Lyu, Su & Li.
def svt3_by_sums(queries: tuple[int, ...], epsilon: float) -> Table:
    law: Table = {}
    for i in range(len(queries)):
        chance = 0.0  # that the noise of the threshold is v at most, and that the queries before are below it
        for v in range(-80, 81):
            part = laplace_at(v, 2 / epsilon)
            for query in queries[:i]:
                part *= 1 - laplace_from(v - query, 2 / epsilon)
            chance += part
            law[(None,) * i + (v,)] = chance * laplace_at(v - queries[i], 2 / epsilon)
    law[(None,) * len(queries)] = 1 - sum(law.values())
    return law


@pytest.mark.deep
def test_algorithm_3_gets_worse_by_half_epsilon_with_every_query() -> None:
    for n in (1, 2):
        verdict = check_privacy(
            svt3, ScoreSpace(range(-1, 2), solutions=n), scores_linf, epsilon=2, parameters={"noise": discrete_laplace}
        )
        assert verdict.epsilon is not None
        assert verdict.epsilon.exact == n
    queries = ((-1, -1, 0), (0, 0, -1))
    laws = [svt3_by_sums(each, 2) for each in queries]
    pair = [list(queries)]
    for epsilon in (0, Fraction(1, 2), 1, 2):
        verdict = check_privacy(
            svt3,
            pair[0],
            lambda each: [other for other in queries if other != each],
            epsilon=epsilon,
            parameters={"noise": discrete_laplace, "epsilon": 2},
        )
        assert verdict.delta is not None
        assert abs(float(verdict.delta.upper) - worst(laws, float(epsilon))) < 1e-9


# What has no law, and is drawn by the sampler.


def test_what_is_not_decided_on_such_tails() -> None:
    given: dict[str, Any] = {"scale": Fraction(1), "other": Fraction(2), "gap": 1}
    with pytest.raises(Undecided, match="several rates"):
        privacy_profile(lead, BIT, parameters=given)
    with pytest.raises(InputError, match="not clamped, which is not decided for a symbolic ε"):
        check_privacy(lead, BIT, epsilon=symbolic, parameters={**given, "scale": 1 / symbolic, "other": 2 / symbolic})


def test_truncated_noise_that_was_compared() -> None:
    def cut(draw: Draw, rows: Any) -> Any:
        noisy = rows[0] + draw(truncated_discrete_laplace(2, 3))
        return ("above", noisy) if noisy >= draw(discrete_laplace(1)) else ("below",)

    law = distribution(cut, (1,))
    assert law.probability(("above", AtLeast(5))) == 0
    assert law.probability(("above", AtLeast(-2)), ("below",)) == 1
    verdict = check_privacy(cut, BIT, epsilon=1)
    assert verdict.epsilon is None
    assert verdict.status is Status.REFUTED


# What a review found.
def a_dropped_fact_unties(draw: Draw, rows: Any) -> Any:
    """Here x ≥ y is implied by x ≥ 5 and y ≤ 2; without it y, z and w are not tied to x, and their circle is their own."""
    x, y, z, w = (draw(discrete_laplace(1)) for _ in range(4))
    if not (x >= 5 and y <= 2 and x >= y):
        return None
    if not y >= z + 6 * rows[0]:
        return None
    if not z >= w:
        return None
    return (x, bool(y >= w + 1))


def test_facts_that_turn_out_not_to_be_tied_keep_their_probability() -> None:
    """Three noises in a row, y ≥ z ≥ w and y ≥ w + 1, are a circle, and are refused or right; never forgotten."""
    try:
        law = distribution(a_dropped_fact_unties, (0,))
    except InputError as error:
        assert "circle" in str(error)
        return
    assert law.probability((AtLeast(-99), True), (AtLeast(-99), False), None) == 1


def half_a_circle(draw: Draw, rows: Any) -> Any:
    x, y, z = (draw(discrete_laplace(1)) for _ in range(3))
    if not (x >= 5 and y <= 2 and x >= y):
        return None
    if not y >= z + rows[0]:
        return None
    return ("x", x)


def test_facts_beside_the_tree_of_what_is_released() -> None:
    law = distribution(half_a_circle, (1,))
    by_sums = sum(
        laplace_at(x, 1) * laplace_at(y, 1) * (1 - laplace_from(y, 1)) for x in range(5, 80) for y in range(-80, 3)
    )
    assert abs(approximately(law.probability(("x", AtLeast(5)))) - by_sums) < 1e-12
    assert law.probability(("x", AtLeast(-9)), None) == 1


def test_a_circle_in_what_is_tied_is_refused() -> None:
    def mechanism(draw: Draw, rows: Any) -> Any:
        x, y, z, w = (draw(discrete_laplace(1)) for _ in range(4))
        if not (x >= 5 and y <= 2 and x >= y):
            return None
        if not (x >= z and z >= w):
            return None
        return (x, bool(x >= w + 5))

    with pytest.raises(InputError, match="circle"):
        distribution(mechanism, (0,))


def test_tails_of_several_numbers_that_exceed_each_other_by_turns() -> None:
    def cross(draw: Draw, rows: Any) -> Any:
        return (draw(discrete_laplace(1 + rows[0])), draw(discrete_laplace(2 - rows[0])))

    verdict = check_privacy(cross, BIT, epsilon=1)
    assert verdict.status is Status.UNDECIDED
    assert "several released numbers" in verdict.reason


def test_equality_that_cannot_be_ties_nothing() -> None:
    def both(draw: Draw, rows: Any) -> Any:
        x, y = draw(discrete_laplace(1)), draw(discrete_laplace(1))
        return (x, y, x == y + Fraction(1, 2))

    assert distribution(both, (0,)).probability((AtLeast(0), AtLeast(0), False), (AtMost(-1), AtLeast(0), False)) < 1
    assert run(both, (0,), seed=1)[2] is False


def test_a_tail_of_several_rates_beside_a_real_number_is_undecided() -> None:
    """Its parts stand for it at one ε alone: δ came out as 0.25123, and is 0.24993, by a sum over the whole numbers."""

    def beside_gaussian_noise(draw: Draw, rows: tuple[int, ...]) -> Any:
        whole = rows[0] + draw(discrete_laplace(1 if rows[0] else Fraction(3, 2)))
        return max(0, rows[0] + draw(gaussian(1))), min(1, whole)

    def beside_whole_gaussian_noise(draw: Draw, rows: tuple[int, ...]) -> Any:
        return draw(discrete_gaussian(1)) - rows[0], rows[0] + draw(discrete_laplace(1 + rows[0]))

    for mechanism in (beside_gaussian_noise, beside_whole_gaussian_noise):
        for delta in ("0.24", "0.2505"):
            verdict = check_privacy(mechanism, Tuples((0, 1), size=1), epsilon=1, delta=delta)
            assert verdict.status is Status.UNDECIDED and "several rates" in verdict.reason, verdict
