"""A lower bound at confidence c exceeds the exact ε in no more than 1 − c of the runs, by a binomial test.

That test errs once in 10⁴ times. The mechanisms are those of the catalogue that can be enumerated.
"""

from __future__ import annotations

from fractions import Fraction as F

import pytest
from tests.benchmarks.sampled_coverage import is_above, mechanisms

from dpverify.verifiers.utility.binomial_tails import is_at_most

CONFIDENCE = F(3, 4)


def too_many(wrong: int, runs: int) -> bool:
    """Whether so many, or more, come up once in 10⁴ times at most where each does with probability 1 − c."""
    return wrong > 0 and is_at_most(F(1, 10**4), wrong, runs, 1 - CONFIDENCE)


def wrong_of(step: int, runs: int, draws: int) -> tuple[int, int]:
    found = [is_above(one, CONFIDENCE, draws, seed) for one in mechanisms(step) for seed in range(runs)]
    return sum(found), len(found)


def test_lower_bounds_are_right_as_often_as_they_say() -> None:
    wrong, runs = wrong_of(step=30, runs=8, draws=500)
    assert runs >= 24
    assert not too_many(wrong, runs)


@pytest.mark.deep
def test_lower_bounds_of_the_whole_catalogue_are_right_as_often_as_they_say() -> None:
    wrong, runs = wrong_of(step=1, runs=10, draws=5_000)
    assert runs >= 500
    assert not too_many(wrong, runs)


def test_the_test_of_bounds_can_fail() -> None:
    assert too_many(90, 200)
    assert not too_many(50, 200)
