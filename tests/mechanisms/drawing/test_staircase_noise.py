"""Staircase noise: against sums of its steps, and as the mechanism that Geng & Viswanath prove private."""

from collections.abc import Sequence
from fractions import Fraction
from math import exp as float_exp
from math import floor
from typing import Any

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one
from tests.mechanisms.drawn import assert_drawn_from_the_law

from dpverify.mechanisms import (
    Draw,
    Exact,
    InputError,
    distribution,
    exact,
    exp,
    laplace,
    log,
    run,
    staircase,
    symbolic,
)
from dpverify.mechanisms.drawing import debugging
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.noise.law import probability
from dpverify.mechanisms.noise.staircase import Staircase
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.roots.intervals import below, half_open, ray
from dpverify.mechanisms.selection.noisy_max import noisy_max
from dpverify.verifiers import Status, Tuples, check_privacy


def density(x: float, epsilon: float, width: float, gamma: float) -> float:
    """As it is printed."""
    falls = float_exp(-epsilon)
    height = (1 - falls) / (2 * width * (gamma + falls * (1 - gamma)))
    k = floor(abs(x) / width)
    return height * falls ** (k if abs(x) < (k + gamma) * width else k + 1)


@given(
    st.fractions(-5, 5, max_denominator=3),
    st.fractions(0, 4, max_denominator=3),
    st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1)]),
    st.sampled_from([Fraction(1), Fraction(3, 2)]),
)
def test_a_probability_is_the_sum_of_pieces_of_steps(
    low: Fraction, length: Fraction, gamma: Fraction, width: Fraction
) -> None:
    law = staircase(log(3), width, gamma)
    cell = Fraction(1, 12)  # no step ends within one
    middles = [low // cell * cell + (i + Fraction(1, 2)) * cell for i in range(int(length / cell) + 2)]
    total = 0.0
    for middle in middles:
        start, end = max(low, middle - cell / 2), min(low + length, middle + cell / 2)
        total += float(max(Fraction(0), end - start)) * density(
            float(middle), 1.0986122886681098, float(width), float(gamma)
        )
    assert abs(float(enclosure(probability(law, half_open(exact(low), exact(low + length))))) - total) < 1e-12
    everything = [below(exact(low)), half_open(exact(low), exact(low + length)), ray(exact(low + length))]
    assert sum((probability(law, values) for values in everything), exact(0)) == 1
    assert probability(law, ray(exact(low))) == probability(law, below(exact(-low)))


def test_the_optimal_gamma_is_the_default() -> None:
    law = staircase(2)
    assert isinstance(law, Staircase)
    assert law.gamma == 1 / (1 + exp(1))
    assert staircase(2) == staircase(2, 1, 1 / (1 + exp(1)))


@given(st.integers(1, 2**40 - 1), st.sampled_from([staircase(1, 2), staircase(3), staircase("1/4", 1, "1/3")]))
def test_quantiles_invert_the_law(level: int, law: Staircase) -> None:
    with ctx.workprec(128):
        u = arb(level) / 2**40
        x = law.quantile(u, 128)
        if x is None:
            assert level == 2**39
            return
        low, high = (exact(Fraction(int(e.p), int(e.q))) for e in (x.lower().fmpq(), x.upper().fmpq()))
        assert not enclosure(probability(law, below(low))) > u
        assert not enclosure(probability(law, below(high))) < u


def bins(draw: Draw, rows: Sequence[int], *, epsilon: Exact, sensitivity: Any = 1) -> int:
    noisy = sum(rows) - draw(staircase(epsilon, sensitivity))
    return next((t for t in range(-2, 5) if noisy < t), 5)


def with_the_width_of_one_row(draw: Draw, rows: Sequence[int], *, epsilon: Exact) -> int:
    """Wrong: a row counts up to 3, and the steps are as wide as for 1."""
    return bins(draw, [3 * row for row in rows], epsilon=epsilon)


def test_a_query_is_private_by_its_width_and_no_less() -> None:
    domain = Tuples((0, 1), size=2)
    for epsilon in (exact("1/2"), symbolic):
        assert check_privacy(bins, domain, epsilon=epsilon).status is Status.PROVED
        wrong = check_privacy(with_the_width_of_one_row, domain, epsilon=epsilon, recheck=False)
        assert wrong.status is Status.REFUTED
    given = {"parameters": {"epsilon": exact("1/2")}, "recheck": False}
    assert check_privacy(bins, domain, epsilon="49/100", **given).status is Status.REFUTED  # type: ignore[arg-type]


def test_the_sampler_draws_from_the_law() -> None:
    assert_drawn_from_the_law(bins, (1, 1), 1000, epsilon=1)


def test_a_share_of_the_noise_has_steps_of_that_width() -> None:
    shared = Enumeration(Limits(), share=Fraction(1, 2)).law(bins, ((0, 1),), {"epsilon": exact(1)})
    assert shared == distribution(bins, (0, 1), epsilon=1, sensitivity=Fraction(1, 2))


FLOAT: Any = float("0.5")  # which no source gives as a literal


@in_one(
    "mechanism, message",
    [
        (lambda draw, _: draw(staircase(1)) >= draw(staircase(1)), "compared with other noise, 0 .*numbers alone"),
        (
            lambda draw, _: draw(staircase(1)) >= draw(laplace(1)),
            "staircase noise of ε = 1, Δ = 1, γ = .* was compared",
        ),
        (lambda draw, _: floor(draw(staircase(1))), "was rounded"),
        (lambda draw, _: noisy_max((1, 2), staircase(1)), "asked for its density"),
        (lambda draw, _: staircase(0), "epsilon=0 must be greater than 0"),
        (lambda draw, _: staircase(1, -1), "sensitivity=-1 must be at least 0"),
        (lambda draw, _: staircase(1, 1, 2), "gamma=2 must be between 0 and 1"),
        (lambda draw, _: staircase(FLOAT), r"epsilon=0\.5 is a float"),
    ],
)
def test_what_is_refused(mechanism: Any, message: str) -> None:
    for answer in (distribution, run):
        with debugging(), pytest.raises(InputError, match=message):
            answer(mechanism, 0)
