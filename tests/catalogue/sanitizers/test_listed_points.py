"""What is claimed of the points that the stability-based histogram lists, against the histogram itself."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from dpverify.mechanisms import distribution, laplace
from dpverify.mechanisms.sanitizers.stable_histogram import stable_histogram
from dpverify.verifiers.catalogue.sanitizers.histograms.stable_histogram_privacy import (
    listed_by_stability,
    on_two_points,
)


def points_of_the_histogram(draw: Any, rows: Sequence[int], **given: Any) -> tuple[int, ...]:
    return tuple(x for x, _ in stable_histogram(draw, rows, d=1, noise=laplace, **given))


@pytest.mark.parametrize("rows", on_two_points(13, (0, 1, 5, 13)))
def test_the_points_are_those_of_the_histogram(rows: tuple[int, ...]) -> None:
    given: dict[str, Any] = {"epsilon": Fraction(1), "delta": Fraction(1, 100)}
    of_histogram = distribution(points_of_the_histogram, rows, **given).probabilities
    listed = distribution(listed_by_stability, rows, **given, points=(0, 1)).probabilities
    assert of_histogram.keys() == listed.keys()
    assert all(bool(of_histogram[points] == p) for points, p in listed.items())
