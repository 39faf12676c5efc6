"""The large margin mechanism: its law against quadrature and by hand, its constants, and Theorem 3."""

from fractions import Fraction
from functools import lru_cache, partial
from itertools import product
from typing import Any

import numpy as np
import pytest

from dpverify.mechanisms import Exact, InputError, bounds, discrete_laplace, distribution, exact, exp, laplace, log, run
from dpverify.mechanisms.selection import items_to_keep, large_margin_mechanism
from dpverify.mechanisms.selection.large_margin import (
    error_allowed,
    margin_condition,
    margin_needed,
    printed_margin,
    printed_test,
)
from dpverify.verifiers.problems.questions import ScoreGaps

TENTH = Fraction(1, 10)


def as_float(number: Exact) -> float:
    lower, upper = bounds(number)
    return float(lower + upper) / 2


def test_the_printed_constants() -> None:
    one, delta = exact(1), exact(TENTH)
    assert printed_margin(1, one, delta) == 6 + 6 * log(30)
    assert printed_test(1, one, delta) == 3 * log(15) + 6 * log(30) + 12 * log(60) + printed_margin(1, one, delta)
    assert printed_test(2, exact(2), delta) == (
        Fraction(3, 2) * log(15) + 3 * log(30) + 6 * log(180) + 6 * (1 + log(60) / 2)
    )


def by_quadrature(gaps: tuple[int, ...], alpha: int, delta: float, slack: float) -> list[float]:
    """Pr[ℓ = 1], Pr[ℓ = 2], …: given S = Z − G the tests are independent; the density of S in closed form, by Simpson."""
    a, b, c = 3 / alpha, 6 / alpha, 12 / alpha
    s = np.linspace(-400 / alpha, 400 / alpha, 40_001)  # holds 0, where the density has its kink
    density = (a * np.exp(-np.abs(s) / a) - b * np.exp(-np.abs(s) / b)) / (2 * (a * a - b * b))
    weights = np.ones_like(s)
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    weights *= (s[1] - s[0]) / 3
    left = density * weights
    found = []
    for r, gap in enumerate(gaps, start=1):
        test = (3 * np.log(3 / (2 * delta)) + 6 * np.log(3 / delta) + 12 * np.log(3 * r * (r + 1) / delta)) / alpha
        test += 6 * (1 + np.log(3 * r / delta) / alpha)
        u = gap + s - slack * test
        stops = np.where(u < 0, np.exp(np.minimum(u, 0) / c) / 2, 1 - np.exp(-np.maximum(u, 0) / c) / 2)
        found.append(float((left * stops).sum()))
        left = left * (1 - stops)
    return [*found, float(left.sum())]


@pytest.mark.parametrize("gaps", [(0,), (60,), (0, 0), (20, 60), (70, 75), (60, 80, 90)])
@pytest.mark.parametrize(("alpha", "slack"), [(1, 1), (2, Fraction(1, 2))])
def test_the_number_of_items_against_quadrature(gaps: tuple[int, ...], alpha: int, slack: Fraction) -> None:
    law = distribution(items_to_keep, gaps, epsilon=alpha, delta=TENTH, slack=slack)
    expected = by_quadrature(gaps, alpha, 0.1, float(slack))
    for kept, p in enumerate(expected, start=1):
        assert as_float(law.probability(kept)) == pytest.approx(p, abs=1e-6)
    assert law.probability(*range(1, len(gaps) + 2)) == 1


def test_what_is_kept_goes_to_the_exponential_mechanism() -> None:
    scores = {"a": -3, "b": 0, "c": -60}
    law = distribution(large_margin_mechanism, tuple(scores.values()), epsilon=1, delta=TENTH)
    kept = distribution(items_to_keep, (3, 60), epsilon=1, delta=TENTH)
    b, a, c = exact(1), exp(Fraction(-3, 6)), exp(Fraction(-60, 6))
    expected = kept.probability(1) + kept.probability(2) * b / (a + b) + kept.probability(3) * b / (a + b + c)
    assert law.probability(1) == expected


def test_ties_stay_in_order() -> None:
    law = distribution(large_margin_mechanism, (0, 0, -500), epsilon=1, delta=TENTH)
    assert law.probability(0) > law.probability(1)


def test_with_discrete_noise_and_in_the_sampler() -> None:
    for noise in (laplace, discrete_laplace):
        law = distribution(large_margin_mechanism, (0, -70), epsilon=1, delta=TENTH, noise=noise)
        assert law.probability(0, 1) == 1
        drawn = [run(large_margin_mechanism, (0, -12), seed=s, epsilon=1, delta=TENTH, noise=noise) for s in range(400)]
        expected = as_float(distribution(large_margin_mechanism, (0, -12), epsilon=1, delta=TENTH).probability(0))
        assert abs(drawn.count(0) / 400 - expected) < 0.1


@pytest.mark.deep
def test_theorem_3_on_every_gap_between_two_items() -> None:
    """Under the (ℓ*, γ*)-margin condition the item is at most 6·ln(2ℓ*/η)/α worse than the best, but for η."""
    met = set()
    law_of = lru_cache(partial(distribution, large_margin_mechanism, epsilon=2, delta=TENTH))
    for scores, eta, kept in product(ScoreGaps(130, solutions=2), (Fraction(1, 2), TENTH), (1, 2)):
        if not margin_condition(scores, kept, margin_needed(kept, epsilon=2, delta=TENTH, failure=eta)):
            continue
        allowed = error_allowed(kept, epsilon=2, failure=eta)
        law = law_of(scores)
        failing = [item for item in law if max(scores) - scores[item] > allowed]
        assert law.probability(*failing) <= eta
        met.add((kept, bool(failing)))
    assert met == {(1, True), (2, True), (2, False)}


def test_the_margin_condition() -> None:
    assert margin_condition((0, -5, -9), 1, 4)
    assert not margin_condition((0, -5, -9), 1, 5)
    assert margin_condition((0, -5, -9), 2, Fraction(17, 2))
    assert margin_condition((0, 0, 0), 3, 10**6)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"epsilon": 0}, "epsilon=0 must be greater than 0"),
        ({"delta": 1}, "delta=1 must be less than 1"),
        ({"slack": 0}, "slack=0 must be greater than 0"),
    ],
)
def test_what_is_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        distribution(large_margin_mechanism, (0, -1), **{"epsilon": 1, "delta": TENTH, **parameters})
