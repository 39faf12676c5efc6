"""The sanitizer of two parts, and databases in the place of estimates and of longer databases."""

from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms import InputError, distribution, log
from dpverify.mechanisms.sanitizers import sanitize_two_parts, small_database
from dpverify.mechanisms.sanitizers.concepts import Concept
from dpverify.mechanisms.sanitizers.dimensions import behaviours, vc_dimension
from dpverify.mechanisms.sanitizers.proper_databases import (
    distance_of_estimates,
    nearest_database,
    rounded_database,
    shares_of,
    size_of_fixed_database,
)
from dpverify.mechanisms.sanitizers.two_parts import answer, left_concepts, right_concepts

GIVEN: dict[str, Any] = {"d": 2, "left": 2, "sizes": (2, 1), "epsilon": 2 * log(2)}
rows_of_four_points = st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple)


@given(rows_of_four_points)
def test_the_parts_are_small_databases_of_their_classes(rows: tuple[int, ...]) -> None:
    law = distribution(sanitize_two_parts, rows, **GIVEN).probabilities
    left = small_database(
        None, tuple(min(x, 2) for x in rows), universe=(0, 1, 2), concepts=left_concepts(2), size=2, epsilon=log(2)
    ).probabilities
    for made, chance in left.items():
        assert sum(p for (of_left, _), p in law.items() if of_left == made) == chance


def test_the_class_has_the_dimension_of_its_left_part_and_tells_all_points_apart() -> None:
    concepts: tuple[Concept, ...] = (*left_concepts(3), *right_concepts(3, 3))
    assert vc_dimension(behaviours(concepts, range(8))).vc == 3
    labels = {tuple(c(x) for c in concepts) for x in range(8)}
    assert len(labels) == 8


@given(rows_of_four_points)
def test_points_that_no_concept_tells_apart_are_as_one(rows: tuple[int, ...]) -> None:
    for concept in left_concepts(2):
        assert sum(map(concept, rows)) == sum(concept(min(x, 2)) for x in rows)
    for point in right_concepts(2, 2):
        assert sum(map(point, rows)) == sum(point(x if x >= 2 else 0) for x in rows)


def test_queries_are_answered_by_the_part_they_are_of() -> None:
    databases = ((0, 2), (0, 3, 3))
    assert answer(left_concepts(2)[1], databases, left=2) == (1, 2)
    assert answer(right_concepts(2, 2)[1], databases, left=2) == (2, 3)


@pytest.mark.parametrize("left", [0, 4, True])
def test_there_are_points_on_both_sides(left: int) -> None:
    with pytest.raises(InputError, match="left"):
        distribution(sanitize_two_parts, (0,), **{**GIVEN, "left": left})


# Remark 2.18 and Theorem 2.21.
@given(st.lists(st.fractions(0, 1, max_denominator=6), min_size=3, max_size=3).map(tuple), st.integers(1, 3))
def test_no_database_is_nearer_than_the_nearest(estimates: tuple[Fraction, ...], size: int) -> None:
    concepts = left_concepts(2)[1:]
    made = nearest_database(estimates, universe=range(3), concepts=concepts, size=size)
    least = distance_of_estimates(shares_of(concepts, made), estimates)
    for rows in combinations_with_replacement(range(3), size):
        assert distance_of_estimates(shares_of(concepts, rows), estimates) >= least


@given(rows_of_four_points, st.integers(1, 9))
def test_each_point_has_its_share_rounded_up_or_down(rows: tuple[int, ...], size: int) -> None:
    made = rounded_database(rows, size)
    assert len(made) == size
    for x in range(4):
        assert abs(made.count(x) - Fraction(size * rows.count(x), len(rows))) < 1


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="estimates"):
        nearest_database((Fraction(1),), universe=(0, 1), concepts=left_concepts(1), size=1)
    with pytest.raises(InputError, match="empty"):
        rounded_database((), 1)
    assert size_of_fixed_database(vc=1, alpha=Fraction(1, 2)) == 139
