"""Private multiplicative weights: its updates, its parts, and what it asks for."""

from fractions import Fraction
from math import log
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import InputError, discrete_laplace, distribution, exp, run, sample_size
from dpverify.mechanisms.outputs import AtLeast
from dpverify.mechanisms.sanitizers import Point, multiplicative_weights, points, thresholds
from dpverify.mechanisms.sanitizers.multiplicative_weights import first_far_off, reweighted, share_of_weight

FOUR: Final[dict[str, Any]] = {
    "universe": range(4),
    "concepts": thresholds(2),
    "alpha": Fraction(1, 4),
    "updates": 2,
    "epsilon": 1,
}


@given(st.lists(st.integers(1, 9), min_size=4, max_size=4), st.lists(st.integers(0, 9), min_size=4, max_size=4))
def test_an_update_gains_what_it_is_said_to(weights: list[int], counts: list[int]) -> None:
    # p, the law of the counts; q, that of the weights; the concept is {0, 1}; r = 1 where the weights fall
    if not sum(counts):
        return
    concept, rate = thresholds(2)[2], Fraction(1, 8)
    before = {x: Fraction(w) for x, w in enumerate(weights)}
    p = {x: Fraction(n, sum(counts)) for x, n in enumerate(counts)}
    true, estimate = share_of_weight(concept, before), sum(p[x] for x in (0, 1))
    after = reweighted(before, concept, too_small=true < estimate, rate=rate)

    def divergence(of: dict[int, Fraction]) -> float:
        return sum(float(p[x]) * log(p[x] / (of[x] / sum(of.values()))) for x in p if p[x])

    gained = divergence(before) - divergence(dict(after))
    assert gained >= float(rate * abs(true - estimate) - rate**2) - 1e-12


def test_the_first_far_off_by_hand() -> None:
    # one concept, of which 3 rows are none and 2 are said to be: far off where ν − ρ ≥ 1, of scales 4 and 2
    law = distribution(
        first_far_off,
        (0, 1, 2),
        universe=range(3),
        concepts=(Point(3),),
        estimates=(Fraction(2),),
        threshold=3,
        epsilon=1,
    )
    # Pr[ν − ρ ≥ t] = (a²e^(−t/a) − b²e^(−t/b))/(2(a² − b²)), a = 4, b = 2
    assert law.probability(0) == (16 * exp(Fraction(-1, 4)) - 4 * exp(Fraction(-1, 2))) / 24
    assert law.probability(1) == 1 - law.probability(0)


def test_answers_come_in_the_order_of_the_concepts() -> None:
    answers = run(multiplicative_weights, (0,) * 900 + (3,) * 100, **{**FOUR, "epsilon": 1000, "updates": 5}, seed=1)
    assert [round(float(x)) for x in answers] == pytest.approx([0, 900, 900, 900, 1000], abs=250)


def test_the_law_answers_where_no_update_is_left() -> None:
    law = distribution(multiplicative_weights, (0, 0, 0), **{**FOUR, "concepts": points(1) * 2, "updates": 1})
    # three rows, none of the four answers far off: 3/4 of the uniform law each; far off one after another, no two
    assert 0 < law.probability((Fraction(3, 4),) * 4) < 1
    assert law.probability((AtLeast(3), AtLeast(3), Fraction(3, 4), Fraction(3, 4))) == 0


def test_discrete_noise_keeps_to_whole_numbers() -> None:
    given = {**FOUR, "updates": 4, "epsilon": 40, "noise": discrete_laplace}
    answers = run(multiplicative_weights, (0,) * 40, **given, seed=2)
    assert all(Fraction(x).denominator in (1, 2, 4) or 0 <= Fraction(x) <= 40 for x in answers)


@in_one(
    "rows, given, message",
    [
        ((), {}, "the database is empty"),
        ((7,), {}, "row 0, 7, is not in the universe"),
        ((0,), {"updates": 0}, "updates=0 is not a whole number ≥ 1"),
        ((0,), {"concepts": ()}, "concepts is empty"),
        ((0,), {"epsilon": 0}, "epsilon=0"),
        ((0,), {"delta": 2}, "failure=2"),
        ((0,), {"rate": 1}, "rate=1 must be less than 1"),
        ((0,), {"alpha": 2}, "alpha=2 must be at most 1"),
    ],
)
def test_bad_input(rows: tuple[int, ...], given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        distribution(multiplicative_weights, rows, **{**FOUR, **given})


def test_what_it_asks_for() -> None:
    # 36·ln(4)·16 = 798.5…; 48·4·ln((5 + 2·2)/(1/20))/(1/2) = 1994.05…
    assert sample_size(multiplicative_weights, "updates", points=4, alpha="1/4") == 799
    given = {"concepts": 5, "updates": 2, "alpha": "1/4", "beta": "1/20", "epsilon": 1}
    assert sample_size(multiplicative_weights, **given) == 1995
    # with δ, many updates are cheaper than ε/c each
    each = sample_size(multiplicative_weights, "epsilon of an update", updates=400, epsilon=1, delta="1/1000")
    assert Fraction(1, 400) < each < Fraction(1, 50)
