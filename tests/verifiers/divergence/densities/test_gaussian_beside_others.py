"""Whole Gaussian noise of several scales, against sums in floats; and what is not decided beside other noise."""

from fractions import Fraction
from math import exp as float_exp
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dpverify.mechanisms import discrete_gaussian, gaussian, laplace, sqrt
from dpverify.reports.record import Status
from dpverify.verifiers import Tuples, check_privacy, replace_one

Floats = NDArray[np.float64]

ONE = Tuples((0, 1), size=1)
WHOLE = np.arange(-60, 61).astype(float)
STEP = 1 / 64
GRID = np.arange(-30, 31, STEP)


def delta_of(mechanism: Any, epsilon: Any, domain: Any = ONE, **parameters: Any) -> float:
    verdict = check_privacy(mechanism, domain, replace_one, epsilon=epsilon, delta=1, parameters=parameters)
    assert verdict.status is Status.PROVED
    assert verdict.delta is not None
    return float(verdict.delta.lower)


def gauss(places: Floats, centre: float, sigma: float) -> Floats:
    masses = np.exp(-((places - centre) ** 2) / (2 * sigma**2))
    return np.asarray(masses / np.exp(-(places**2) / (2 * sigma**2)).sum())


def double(places: Floats, centre: float, scale: float) -> Floats:
    masses = np.exp(-np.abs(places - centre) / scale)
    return np.asarray(masses / np.exp(-np.abs(places) / scale).sum())


def excess(p: Floats, q: Floats, epsilon: float) -> float:
    return float(np.maximum(p - float_exp(epsilon) * q, 0).sum())


def of_either(laws: list[Floats], epsilon: float) -> float:
    left, right = laws
    return max(excess(left, right, epsilon), excess(right, left, epsilon))


def together(*laws: Floats) -> Floats:
    found = laws[0]
    for law in laws[1:]:
        found = np.multiply.outer(found, law).ravel()
    return found


EPSILONS = [0, Fraction(1, 4), 1]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("variances", [(4, 9), (Fraction(1, 2), 2), (Fraction(7, 3), 5), (3, 3)])
@pytest.mark.parametrize("moves", [(1, 1), (2, -1)])
def test_whole_noise_of_several_scales_as_in_a_census(epsilon: Any, variances: Any, moves: Any) -> None:
    """Counts of a household, a block and a county, each with noise of a variance of its own."""

    def levels(draw: Any, rows: Any) -> Any:
        (row,) = rows
        return tuple(by * row + draw(discrete_gaussian(variance=v)) for by, v in zip(moves, variances, strict=True))

    laws = [
        together(*(gauss(WHOLE, by * row, float(v) ** 0.5) for by, v in zip(moves, variances, strict=True)))
        for row in (0, 1)
    ]
    expected = of_either(laws, float(epsilon))
    assert delta_of(levels, epsilon) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_three_levels_and_the_claim_decides_to_the_last_digit() -> None:
    def levels(draw: Any, rows: Any) -> Any:
        return tuple(sum(rows) + draw(discrete_gaussian(variance=v)) for v in (2, 3, 6))

    found = check_privacy(levels, ONE, replace_one, epsilon="1/2", delta=1).delta
    assert found is not None
    laws = [together(*(gauss(WHOLE[30:-30], row, v**0.5) for v in (2, 3, 6))) for row in (0, 1)]
    assert float(found.lower) == pytest.approx(of_either(laws, 0.5), rel=1e-9)
    above, below = found.upper + Fraction(1, 10**18), found.lower - Fraction(1, 10**18)
    assert check_privacy(levels, ONE, replace_one, epsilon="1/2", delta=above).status is Status.PROVED
    refuted = check_privacy(levels, ONE, replace_one, epsilon="1/2", delta=below)
    assert refuted.status is Status.REFUTED and refuted.witness is not None
    assert list(map(str, refuted.witness.event)) == ["(any, any, any) of privacy loss above 1/2"]


def test_variances_without_a_simple_ratio_are_undecided_and_say_so() -> None:
    def levels(draw: Any, rows: Any) -> Any:
        return tuple(sum(rows) + draw(discrete_gaussian(variance=v)) for v in (1, sqrt(2)))

    verdict = check_privacy(levels, ONE, replace_one, epsilon=1, delta="1/2")
    assert verdict.status is Status.UNDECIDED
    assert "several numbers with Gaussian noise" in verdict.reason


def test_gaussian_noise_beside_other_noise_is_undecided_and_says_why() -> None:
    def both(draw: Any, rows: Any) -> Any:
        return sum(rows) + draw(gaussian(2)), sum(rows) + draw(laplace(2))

    verdict = check_privacy(both, ONE, replace_one, epsilon=1, delta="1/2")
    assert verdict.status is Status.UNDECIDED
    assert "use one kind of noise" in verdict.reason
