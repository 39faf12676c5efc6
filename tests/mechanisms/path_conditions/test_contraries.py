"""A fact about one sum of noises, and its contrary, add up to 1 by their form: no ball could tell that."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dpverify.mechanisms import (
    bounds,
    discrete_gaussian,
    discrete_laplace,
    distribution,
    exponential_noise,
    gaussian,
    geometric,
    laplace,
)
from dpverify.reports.record import Status
from dpverify.verifiers import ScoreSpace, check_privacy, privacy_profile, scores_linf

SUMS: dict[str, Callable[[Any], Any]] = {
    "whole": lambda draw: draw(discrete_gaussian(2)) - draw(discrete_gaussian(3)),
    "alike": lambda draw: draw(discrete_gaussian(2)) + draw(discrete_gaussian(2)),
    "whole beside Laplace": lambda draw: draw(discrete_gaussian(1)) + draw(discrete_laplace(1)),
    "skewed and whole": lambda draw: draw(discrete_gaussian(1)) + draw(geometric(2)),
    "skewed the other way": lambda draw: draw(discrete_gaussian(1)) - draw(geometric(2)),
    "real": lambda draw: draw(gaussian(1)) + draw(laplace(2)),
    "three": lambda draw: draw(gaussian(1)) + draw(laplace(2)) - draw(laplace(1)),
    "skewed and real": lambda draw: draw(gaussian(1)) - draw(exponential_noise(1)),
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("end", [-2, 0, 1])
def test_contraries_add_up_to_one(name: str, end: int) -> None:
    for told in (lambda s: s >= end, lambda s: s > end, lambda s: end - 1 < s and s < end + 2):
        law = distribution(lambda draw, _, told=told: bool(told(SUMS[name](draw))), 0).probabilities
        assert len(law) == 2
        assert sum(law.values()) == 1


def whole_masses(sigma: float) -> NDArray[np.float64]:
    k = np.arange(-60, 61)
    weights = np.exp(-(k**2) / (2 * sigma**2))
    return np.asarray(weights / weights.sum())


def probability(name: str, end: int) -> float:
    """Pr[sum ≥ end] by sums or a quadrature."""
    if name in ("whole", "alike"):
        masses = np.convolve(whole_masses(2), whole_masses(3 if name == "whole" else 2))
        return float(masses[np.arange(-120, 121) >= end].sum())
    grid = np.linspace(-60, 60, 240_001)
    far = np.abs(grid - end)
    rest = (
        np.exp(-far / 2) / 2 if name == "real" else np.exp(-far)
    )  # of Laplace noise of scale 2, and of exponential noise
    other = np.where(grid < end, rest if name == "real" else 0, 1 - rest)
    return float((np.exp(-(grid**2) / 2) * other).sum() * (grid[1] - grid[0]) / np.sqrt(2 * np.pi))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ["whole", "alike", "real", "skewed and real"])
@pytest.mark.parametrize("end", [-3, 0, 2])
def test_the_probability_is_that_of_a_quadrature(name: str, end: int) -> None:
    law = distribution(lambda draw, _: bool(SUMS[name](draw) >= end), 0).probabilities
    low, high = bounds(law[True])
    assert abs(float(low + high) / 2 - probability(name, end)) < 1e-7


def test_a_real_sum_of_symmetric_noises_is_as_often_on_either_side() -> None:
    for name in ("real", "three"):
        assert distribution(lambda draw, _, name=name: bool(SUMS[name](draw) > 0), 0).probabilities[True] == Fraction(
            1, 2
        )


def above(draw: Any, scores: Any) -> Any:
    """The sparse vector."""
    threshold = draw(discrete_gaussian(2))
    for i, score in enumerate(scores):
        if score + draw(discrete_gaussian(1)) >= threshold:
            return i
    return None


def largest(draw: Any, scores: Any) -> Any:
    noisy = [score + draw(discrete_gaussian(2)) for score in scores]
    return noisy.index(max(noisy))


@pytest.mark.parametrize(("mechanism", "queries"), [(above, 1), (above, 2), (largest, 2)])
def test_profiles_of_whole_noise(mechanism: Any, queries: int) -> None:
    """What all laws have to be to 1 together is found, and the ε at δ = 0 is that of the ratios of their numbers."""
    domain = ScoreSpace(range(2), solutions=queries)
    profile = privacy_profile(mechanism, domain, scores_linf, recheck=False)
    found = profile.epsilon(0)
    assert found is not None
    least = bounds(found)[1]
    for beside, status in ((Fraction(1, 10**9), Status.PROVED), (-Fraction(1, 10**9), Status.REFUTED)):
        verdict = check_privacy(mechanism, domain, scores_linf, epsilon=least + beside, delta=0, recheck=False)
        assert verdict.status is status
