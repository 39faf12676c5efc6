"""What the claims about rectangles compute, against the learner's own steps."""

from fractions import Fraction
from typing import Any

from dpverify.mechanisms.learners.rectangles_learner import rows_for_private_rectangle, rows_for_rectangle
from dpverify.mechanisms.sanitizers.thresholds_sanitizer import threshold_scale_quality
from dpverify.verifiers.catalogue.learners.thresholds.rectangles_learner_utility import scale_quality_of_all_alike


def test_the_quality_of_points_that_are_alike_is_the_sanitizers() -> None:
    unit = Fraction(7, 3)
    for d, each in ((1, 4), (3, 5)):
        points = [x for x in range(1 << d) for _ in range(each)]
        assert scale_quality_of_all_alike(d, Fraction(each), unit) == threshold_scale_quality(points, d, unit)


def test_more_rows_are_asked_for_than_privacy_needs() -> None:
    given: dict[str, Any] = {"axes": 1, "alpha": Fraction(1, 2), "epsilon": 1, "delta": Fraction(1, 10**6)}
    needed = rows_for_rectangle(d=8, beta=Fraction(1, 4), **given)
    assert 5 * 10**14 < needed < 6 * 10**14
    assert needed > rows_for_private_rectangle(beta=Fraction(1, 4), calls=2464, **given)
