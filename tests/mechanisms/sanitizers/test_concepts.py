"""The concept classes, as they are defined."""

from typing import Any

import pytest
from tests.examples import in_one

from dpverify.mechanisms import InputError
from dpverify.mechanisms.sanitizers import Point, Threshold, points, thresholds
from dpverify.mechanisms.sanitizers.concepts import checked_sample


def test_concept_classes() -> None:
    assert len(points(3)) == 8
    assert len(thresholds(3)) == 9
    assert points(0) == (Point(0),)
    assert [Point(1)(x) for x in range(3)] == [0, 1, 0]
    assert [Threshold(1)(x) for x in range(3)] == [1, 0, 0]
    with pytest.raises(InputError, match="d=-1"):
        points(-1)


PLAIN = ((0, 1), (3, 0), (2, 1))


@in_one(
    "example, words",
    [
        ((1, 2), "row 3, with the label 2, is not labelled 0 or 1"),
        ((1, -1), "row 3, with the label -1, is not labelled 0 or 1"),
        ((1, True), "row 3, with the label True, is not labelled 0 or 1"),
        ((4, 1), "row 3: the point 4"),
        ((-1, 1), "row 3: the point -1"),
        ((True, 1), "row 3: the point True"),
        ((1, 1, 1), r"row 3, \(1, 1, 1\)"),
        ([1, 1], r"row 3, \[1, 1\]"),
    ],
)
def test_what_is_no_example_is_named(example: Any, words: str) -> None:
    assert checked_sample(PLAIN, 2) == checked_sample(list(PLAIN), 2) == 4
    for sample in ((*PLAIN, example), [*PLAIN, example]):
        with pytest.raises(InputError, match=words):
            checked_sample(sample, 2)
