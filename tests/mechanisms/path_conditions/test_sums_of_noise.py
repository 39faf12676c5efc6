"""Comparisons of sums of noises with numbers and with each other, against sums over all that the noises may be.

The density of a sum has powers of its variable, so that what is left of several, once they are summed up themselves,
is a convolution of functions that have powers on both sides.
"""

from collections.abc import Sequence
from functools import reduce
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.examples import few

from dpverify.mechanisms import Draw, Exact, bounds, discrete_laplace, distribution, exact, laplace, log
from dpverify.mechanisms.numbers.exact_numbers import ONE, negative
from dpverify.mechanisms.numbers.roots.intervals import Intervals
from dpverify.mechanisms.path_conditions.implied_conditions import Form
from dpverify.mechanisms.path_conditions.noise_tree import forget_eliminated
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable
from dpverify.mechanisms.path_conditions.shared_noise import joint_probability

RADIUS = 30
"""Of noise with z ≤ 1/4, 4^-30 lies further out."""

Floats: TypeAlias = NDArray[np.float64]


def weights(base: int) -> Floats:
    """Pr[N = k] for |k| ≤ RADIUS, where z = 1/base."""
    z = 1 / base
    found: Floats = (1 - z) / (1 + z) * z ** np.abs(np.arange(-RADIUS, RADIUS + 1.0))
    return found


def added(laws: Sequence[Floats]) -> Floats:
    """The law of a sum; the middle of each array is 0."""
    return reduce(np.convolve, laws)


def where(law: Floats, at_least: int) -> Floats:
    """The law on the numbers from `at_least` up."""
    numbers = np.arange(len(law)) - len(law) // 2
    return np.where(numbers >= at_least, law, 0.0)


Sum: TypeAlias = tuple[list[int], int]
"""The bases of its noises, and the number that it is compared with."""


def compared(draw: Draw, sums: Sequence[Sum], least: int) -> Any:
    """Whether each sum is at least its number, and whether all of them together are at least `least`."""
    noisy = [sum(draw(discrete_laplace(1 / log(base))) for base in bases) for bases, _ in sums]
    answers = tuple(bool(found >= number) for found, (_, number) in zip(noisy, sums, strict=True))
    return answers, bool(sum(noisy) >= least)


def brute_force(sums: Sequence[Sum], least: int) -> dict[Any, float]:
    found: dict[Any, float] = {}
    for code in range(2 ** len(sums)):
        answers = tuple(bool(code >> i & 1) for i in range(len(sums)))
        parts = []
        for above, (bases, number) in zip(answers, sums, strict=True):
            law = added([weights(base) for base in bases])
            parts.append(where(law, number) if above else law - where(law, number))
        together = added(parts)
        found[answers, True] = float(where(together, least).sum())
        found[answers, False] = float((together - where(together, least)).sum())
    return found


SUM = st.tuples(st.lists(st.sampled_from([4, 4, 9]), min_size=1, max_size=2), st.integers(-2, 2))


def check(sums: Sequence[Sum], least: int) -> None:
    law = distribution(compared, sums, least=least)
    for outcome, expected in brute_force(sums, least).items():
        lower, upper = bounds(law.probability(outcome))
        assert abs(float(lower + upper) / 2 - expected) < 1e-9


def test_three_sums_of_two_noises() -> None:
    check([([4, 4], 0), ([4, 4], 1), ([4, 9], -1)], 4)


@few(8)
@given(st.lists(SUM, min_size=2, max_size=2), st.integers(-3, 4))
def test_sums_of_noises_with_numbers_and_with_each_other(sums: list[Sum], least: int) -> None:
    check(sums, least)


@pytest.mark.parametrize("several", [False, True])
def test_what_is_asked_often_has_the_answers_of_what_is_asked_once(several: bool) -> None:
    """Many thresholds of one sum of continuous noises have one function for all of them."""
    x, y, z = (NoiseVariable(laplace(scale), i + 1) for i, scale in enumerate((1, 2, 1)))
    known: dict[Form, Intervals] = {((x, ONE), (z, ONE)): ((exact(0), None),)}

    def asked(threshold: int) -> Exact:
        low = exact(threshold)
        values: Intervals = ((None, low - 3), (low, low + 1)) if several else ((low, None),)
        return joint_probability({((x, ONE), (y, negative(ONE))): values, **known})

    forget_eliminated()
    often = [asked(threshold) for threshold in range(-8, 9)]
    for threshold, found in zip(range(-8, 9), often, strict=True):
        forget_eliminated()
        assert asked(threshold) == found
