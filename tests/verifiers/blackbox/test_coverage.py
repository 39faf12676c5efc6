"""A lower bound at confidence c exceeds the exact ε in no more than 1 − c of the runs, by a binomial test.

That test errs once in 10⁴ times. The mechanisms are those of the catalogue that can be enumerated, claimed rightly or
wrongly, and some that meet their ε with equality; of those with ε = ∞ no bound is wrong, so that they are left out.
"""

from collections.abc import Iterable
from fractions import Fraction as F

import pytest
from docs.pages.sampled.coverage import Enumerated, is_above, mechanisms, with_equality

from dpverify.verifiers.utility.binomial_tails import is_at_most

CONFIDENCE = F(3, 4)


def too_many(wrong: int, runs: int, confidence: F = CONFIDENCE) -> bool:
    """Whether so many, or more, come up once in 10⁴ times at most where each does with probability 1 − c."""
    return wrong > 0 and is_at_most(F(1, 10**4), wrong, runs, 1 - confidence)


def wrong_of(every: Iterable[Enumerated], runs: int, draws: int, part: F | None = None) -> tuple[int, int]:
    """How many runs were wrong, of all; of a claim of a part of the exact ε where that is given, which stops early."""
    found = [
        is_above(one, CONFIDENCE, draws, seed, F(1000) if part is None else one.exact * part)
        for one in every
        for seed in range(runs)
    ]
    return sum(found), len(found)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("delta", [F(0), F(1, 20)])
def test_lower_bounds_are_right_as_often_as_they_say(delta: F) -> None:
    wrong, runs = wrong_of(mechanisms(45, delta), runs=4, draws=400)
    assert runs >= 8
    assert not too_many(wrong, runs)


@pytest.mark.parametrize("part", [None, F(1), F(1, 2)])
def test_lower_bounds_of_what_is_met_with_equality_are_too_wherever_one_stops(part: F | None) -> None:
    wrong, runs = wrong_of(with_equality(), runs=8, draws=300, part=part)
    assert runs == 40 and not too_many(wrong, runs)


@pytest.mark.deep
@pytest.mark.parametrize("delta", [F(0), F(1, 20)])
@pytest.mark.parametrize("part", [None, F(1), F(1, 2)])
def test_lower_bounds_of_the_whole_catalogue_are_right_as_often_as_they_say(delta: F, part: F | None) -> None:
    """Without a claim, at the exact ε, and at half of it, where most runs stop as soon as it is refuted."""
    wrong, runs = wrong_of(mechanisms(1, delta), runs=5, draws=5_000, part=part)
    assert runs >= 500
    assert not too_many(wrong, runs)


@pytest.mark.deep
@pytest.mark.parametrize("part", [None, F(1), F(1, 2)])
def test_many_lower_bounds_of_what_is_met_with_equality(part: F | None) -> None:
    for one in with_equality():
        wrong, runs = wrong_of([one], runs=400, draws=2_000, part=part)
        assert not too_many(wrong, runs), one.id


def test_the_test_of_bounds_can_fail() -> None:
    assert too_many(90, 200)
    assert not too_many(50, 200)
