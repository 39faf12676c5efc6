"""Bounds on how often LearnThresholds fails on a sample, against its exact law on that sample."""

from fractions import Fraction
from typing import Any

import pytest

from dpverify.mechanisms import distribution
from dpverify.mechanisms.learners.thresholds_learner import learn_thresholds
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact
from dpverify.mechanisms.sanitizers.concepts import Threshold, correct_labels
from dpverify.mechanisms.selection.stability import choose_by_stability
from dpverify.verifiers.catalogue.learners.thresholds.thresholds_learner_calculation import (
    Sample,
    learnt_within,
    rows_of,
    samples_of,
)
from dpverify.verifiers.utility.repeated import written_out

GIVEN: dict[str, Any] = {"d": 6, "alpha": Fraction(1, 2), "epsilon": Fraction(6), "delta": Fraction(1, 100), "depth": 2}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("sample", [*samples_of(42, 32)], ids=["across", "one label", "one row", "nearer"])
def test_the_chance_of_failure_is_within_its_bounds(sample: Sample) -> None:
    rows = tuple(written_out(sample))
    law = distribution(learn_thresholds, rows, **GIVEN, selection=choose_by_stability).probabilities
    fails: Exact = ZERO
    for found, p in law.items():
        right = correct_labels(found, rows) if isinstance(found, Threshold) else 0
        if len(rows) - right > Fraction(1, 4) * rows_of(sample):
            fails = fails + p
    low, high = learnt_within(sample, **GIVEN)
    assert low <= fails <= high
    assert high > 0
    assert low < 1


def test_without_b_it_fails_across_the_end_of_an_interval_and_with_b_it_does_not() -> None:
    across = next(samples_of(536_399, 32))
    asked = {**GIVEN, "epsilon": Fraction(1), "delta": Fraction(1, 10**6)}
    assert learnt_within(across, **asked)[1] < Fraction(1, 10**6)
    assert learnt_within(across, candidates="A", **asked)[0] > Fraction(9, 10)
