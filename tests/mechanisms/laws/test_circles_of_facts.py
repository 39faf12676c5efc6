"""Comparisons that tie noises in a circle: what they leave, where that is known, against sums over all noises."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dpverify.mechanisms import InputError, bounds, discrete_laplace, laplace, log
from dpverify.mechanisms.exact.exact_numbers import ONE, exact, negative
from dpverify.mechanisms.exact.intervals import Intervals
from dpverify.mechanisms.laws.implied_facts import Form, can_be, contradict
from dpverify.mechanisms.laws.noise_value import NoiseVariable
from dpverify.mechanisms.laws.shared_noise import joint_probability

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
        holds &= (difference >= (-100 if low is None else low)) & (difference < (100 if high is None else high))
    return float(WEIGHT[holds].sum())


@given(circles())
def test_what_is_known_of_a_circle_is_so(facts: dict[Form, Intervals]) -> None:
    expected = brute_force(facts)
    assert not contradict(facts) or expected == 0
    assert can_be(facts) in (None, expected > 0)
    try:
        lower, upper = bounds(joint_probability(facts))
    except InputError as refused:
        assert "in a circle" in str(refused)
        assert expected > 0  # differences alone tell whether anything is left
    else:
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
