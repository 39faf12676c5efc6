"""Bounds on learning with private labels, against what is summed over all samples."""

from fractions import Fraction
from typing import Any

import pytest

from dpverify.mechanisms import Draw, distribution
from dpverify.mechanisms.learners.label_private_learner import label_private_learner
from dpverify.mechanisms.numbers.exact_numbers import total
from dpverify.mechanisms.sanitizers.concepts import thresholds
from dpverify.verifiers.catalogue.corners import Subset
from dpverify.verifiers.catalogue.learners.labels.label_private_samples_utility import (
    expected_numbers,
    labels_learnt,
    learnt_of_one_row,
    on,
    rows_apart,
    subsets,
)
from dpverify.verifiers.utility.pac import error, numbers_of_each, sample_of

POPULATION = on(thresholds(1), 1, (Fraction(3, 5), Fraction(2, 5)))[1]
GIVEN: dict[str, Any] = {"concepts": thresholds(1), "epsilon": Fraction(4)}
ALPHA = Fraction(1, 4)


def learnt_of_all(draw: Draw, population: Any, *, split: int, size: int, **given: Any) -> Any:
    """Figure 13 on the examples of both parts, all of them drawn."""
    first = sample_of(population, draw(numbers_of_each(population, split)))
    second = sample_of(population, draw(numbers_of_each(population, size - split)))
    return draw(label_private_learner, first + second, split=split, **given)


@pytest.mark.parametrize(("bound", "split"), [(labels_learnt, 4), (learnt_of_one_row, 1)])
def test_all_samples_fail_at_most_and_the_mutant_at_least_so_often(bound: Any, split: int) -> None:
    given = {**GIVEN, "size": 84, "split": split}
    exactly = distribution(learnt_of_all, POPULATION, **given).probabilities
    fails = total(p for h, p in exactly.items() if error(POPULATION, h) > ALPHA)
    bounded = distribution(bound, POPULATION, alpha=ALPHA, **given).probabilities[False]
    assert fails <= bounded if bound is labels_learnt else bounded <= fails


def test_expected_numbers_add_up_and_likely_ones_are_no_farther_than_is_said() -> None:
    population = on(subsets(3), 5, (Fraction(1, 3), Fraction(1, 6), Fraction(1, 2)))[1]
    assert sum(expected_numbers(population, 1_000)) == 1_000
    assert rows_apart(population, 1_000) > 3 * 66 // 2  # sqrt(1000·ln(6000)/2) = 65.95…
    assert rows_apart(on(thresholds(1), 0, (Fraction(1), Fraction(0)))[1], 1_000) == 0


def test_all_concepts_on_three_points() -> None:
    assert len(set(subsets(3))) == 8
    assert [Subset(frozenset({1}))(x) for x in range(3)] == [0, 1, 0]
