"""The concept classes, as they are defined."""

from __future__ import annotations

import pytest

from dpverify.mechanisms import (
    InputError,
    Point,
    Threshold,
    points,
    thresholds,
)


def test_concept_classes() -> None:
    assert len(points(3)) == 8
    assert len(thresholds(3)) == 9
    assert points(0) == (Point(0),)
    assert [Point(1)(x) for x in range(3)] == [0, 1, 0]
    assert [Threshold(1)(x) for x in range(3)] == [1, 0, 0]
    with pytest.raises(InputError, match="d=-1"):
        points(-1)
