"""Comparisons that tie noises in a circle: what they leave, where that is known, against sums over all noises."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dpverify.mechanisms import (
    InputError,
    bounds,
    discrete_gaussian,
    discrete_laplace,
    distribution,
    gaussian,
    laplace,
    log,
)
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.exact_numbers import ONE, exact, negative
from dpverify.mechanisms.numbers.roots.intervals import Intervals
from dpverify.mechanisms.path_conditions.implied_conditions import Form, can_be, contradict
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable
from dpverify.mechanisms.path_conditions.shared_noise import joint_probability

RADIUS = 14
"""Noise with z = 1/4 lies further out with probability below 4^-14."""

AXIS = np.arange(-RADIUS, RADIUS + 1)
WEIGHTS = 0.6 * 0.25 ** np.abs(AXIS)
GRIDS = np.meshgrid(AXIS, AXIS, AXIS, indexing="ij")
WEIGHT: NDArray[np.float64] = np.einsum("i,j,k->ijk", WEIGHTS, WEIGHTS, WEIGHTS)

PAIRS = list(combinations(range(3), 2))


@st.composite
def circles(draw: st.DrawFn) -> dict[Form, Intervals]:
    """Each two of three noises compared: their difference is at least, or below, a number, or between two."""
    noises = [NoiseVariable(discrete_laplace(1 / log(4)), i + 1) for i in range(3)]
    facts: dict[Form, Intervals] = {}
    for i, j in PAIRS:
        low, width = draw(st.integers(-3, 3)), draw(st.integers(1, 2))
        facts[(noises[i], ONE), (noises[j], negative(ONE))] = draw(
            st.sampled_from([((low, None),), ((None, low),), ((low, low + width),)])
        )
    return facts


def brute_force(facts: dict[Form, Intervals]) -> float:
    holds = np.ones(WEIGHT.shape, dtype=bool)
    for (i, j), ((low, high),) in zip(PAIRS, facts.values(), strict=True):
        difference = GRIDS[i] - GRIDS[j]
        least, most = float(-100 if low is None else low), float(100 if high is None else high)
        holds &= (difference >= least) & (difference < most)
    return float(WEIGHT[holds].sum())


@given(circles())
def test_what_is_known_of_a_circle_is_so(facts: dict[Form, Intervals]) -> None:
    expected = brute_force(facts)
    assert not contradict(facts) or expected == 0
    assert can_be(facts) in (None, expected > 0)
    lower, upper = bounds(joint_probability(facts))
    assert abs(float(lower + upper) / 2 - expected) < 1e-7


@pytest.mark.parametrize("least", [0, 1])
def test_continuous_noises_that_would_have_to_be_equal_or_more_than_that(least: int) -> None:
    """a ≥ b ≥ c ≥ a + least has no room, though no two of the three comparisons exclude each other."""
    a, b, c = (NoiseVariable(laplace(1), i + 1) for i in range(3))
    minus = negative(ONE)
    facts: dict[Form, Intervals] = {
        ((a, ONE), (b, minus)): ((exact(0), None),),
        ((b, ONE), (c, minus)): ((exact(0), None),),
        ((a, ONE), (c, minus)): ((None, exact(-least)),),
    }
    assert joint_probability(facts) == 0


@pytest.mark.one_in(2)
@pytest.mark.parametrize("noise", [laplace, gaussian, discrete_laplace, discrete_gaussian])
def test_several_queries_between_two_noisy_ends(noise: Any) -> None:
    """The law adds up to 1, and what Monte Carlo of the sampler's law gives is near: numbers from a fixed seed."""

    def between(draw: Any, queries: tuple[int, ...]) -> tuple[bool, ...]:
        low, high = draw(noise(2)), 1 + draw(noise(2))
        found = []
        for query in queries:
            noisy = query + draw(noise(3))
            found.append(bool(noisy >= low) and bool(noisy < high))
        return tuple(found)

    law = distribution(between, (0, 2, 1)).probabilities
    with ctx.workprec(128):
        total = sum(map(enclosure, law.values()), arb(0))
        assert total.contains(1)
        assert total.rad() < 1e-20
    low, high, *queries = _samples(noise, (2, 2, 3, 3, 3))
    for outcome, probability in law.items():
        holds = np.ones(len(low), dtype=bool)
        for query, noisy, inside in zip((0, 2, 1), queries, outcome, strict=True):
            holds &= ((query + noisy >= low) & (query + noisy < 1 + high)) == inside
        assert abs(float(enclosure(probability)) - holds.mean()) < 0.005  # 4 standard deviations at 160,000 draws


def _samples(noise: Any, scales: tuple[int, ...]) -> list[NDArray[np.float64]]:
    """Draws of each noise, by numpy, independently of this library."""
    random = np.random.default_rng(20)
    found = []
    for scale in scales:
        if noise is laplace:
            found.append(random.laplace(scale=scale, size=160_000))
        elif noise is gaussian:
            found.append(random.normal(scale=scale, size=160_000))
        else:
            power = 1 if noise is discrete_laplace else 2
            axis = np.arange(-200, 201)
            weights = np.exp(-(np.abs(axis) / scale) if power == 1 else -(axis**2) / (2 * scale**2))
            found.append(random.choice(axis, size=160_000, p=weights / weights.sum()))
    return found


def test_a_circle_through_a_multiple_is_refused_by_name() -> None:
    def multiple(draw: Any, _: Any) -> Any:
        a, b, c = (draw(laplace(1)) for _ in range(3))
        return a >= 2 * b, b >= c, c >= a

    with pytest.raises(InputError, match="in a circle"):
        distribution(multiple, ())


def test_the_limit_of_splits_is_said_where_it_is_met(monkeypatch: pytest.MonkeyPatch) -> None:
    def between(draw: Any, count: int) -> Any:
        low, high = draw(laplace("7/5")), draw(laplace("7/5"))
        queries = [draw(laplace(i + 1)) for i in range(count)]
        return all(query >= low and query < high for query in queries)

    monkeypatch.setattr("dpverify.mechanisms.path_conditions.cycles._MOST_SPLITS", 1)
    with pytest.raises(InputError, match=r"3 ~ Lap\(1\)\), which takes more than 1 cases"):
        distribution(between, 3)
