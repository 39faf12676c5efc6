"""Calibration: the boundary on a grid, with both of its verdicts."""

from fractions import Fraction
from typing import Any

import pytest

from dpverify.mechanisms import Draw, InputError, bernoulli, discrete_laplace, laplace, sqrt
from dpverify.mechanisms.selection import choosing_mechanism
from dpverify.verifiers import ScoreSpace, Status, Tuples, calibrate, scores_linf
from dpverify.verifiers.catalogue.selection.stability.stability_privacy import a_dist_with
from dpverify.verifiers.problems.neighbours import bounded_growth
from dpverify.verifiers.problems.questions import BoundedGrowth

pytestmark = pytest.mark.usefixtures("decided_here")


def noisy_sum(draw: Draw, rows: tuple[int, ...], *, scale: Fraction) -> Any:
    return sum(rows) + draw(discrete_laplace(scale))


BITS = Tuples((0, 1), size=2)
QUARTERS = [Fraction(k, 4) for k in range(1, 13)]


def test_the_smallest_scale_of_a_noisy_sum() -> None:
    found = calibrate(noisy_sum, BITS, parameter="scale", grid=QUARTERS, epsilon=1)
    assert (found.below, found.smallest) == (Fraction(3, 4), 1)
    assert found.proved.status is Status.PROVED
    assert found.refuted is not None
    assert found.refuted.status is Status.REFUTED
    assert found.refuted.witness is not None
    assert found.decided <= 5


def test_the_corrected_constants_of_a_dist() -> None:
    """The threshold's shift at ε = 3, δ = 10⁻⁶: 2 is the smallest in steps of 1/4, as the catalogue says."""
    found = calibrate(
        a_dist_with,
        ScoreSpace(range(13), solutions=2),
        scores_linf,
        parameter="shift",
        grid=QUARTERS,
        epsilon=3,
        delta="1e-6",
        parameters={"scale": 2},
        recheck=False,
    )
    assert (found.below, found.smallest) == (Fraction(7, 4), 2)


def test_a_domain_that_depends_on_the_value() -> None:
    found = calibrate(
        choosing_mechanism,
        lambda rows: BoundedGrowth(rows=rows, solutions=2, growth=1),
        bounded_growth,
        parameter="rows",
        grid=range(1, 40),
        epsilon=1,
        delta="0.1",
        parameters={"alpha": 1},
        recheck=False,
    )
    assert (found.below, found.smallest) == (14, 15)


def test_a_grid_that_starts_high_enough() -> None:
    found = calibrate(noisy_sum, BITS, parameter="scale", grid=[2, 3], epsilon=1)
    assert (found.smallest, found.below, found.refuted) == (2, None, None)


def quotient(draw: Draw, rows: tuple[int, ...], *, scale: Fraction) -> Any:
    return (sum(rows) + draw(laplace(scale))) / (len(rows) + draw(laplace(scale)))


def test_what_fails_before_post_processing_does_not_keep_the_claim() -> None:
    found = calibrate(quotient, BITS, parameter="scale", grid=QUARTERS, epsilon=1)
    assert (found.below, found.smallest) == (Fraction(3, 4), 1)
    assert found.refuted is not None
    assert (found.refuted.status.name, found.refuted.reason.partition(",")[0]) in (
        ("UNDECIDED", "before post-processing it needs ε = 4/3"),
        ("REFUTED", "a pair of neighbours needs more at this ε"),
    )
    with pytest.raises(InputError, match="does not keep the claim: before post-processing it needs ε = 2"):
        calibrate(to_the_largest, BITS, parameter="scale", grid=[Fraction(1, 2), 1], epsilon=1)


def to_the_largest(draw: Draw, rows: tuple[int, ...], *, scale: Fraction) -> Any:
    noisy = [row + draw(laplace(scale)) for row in (rows[0], 1 - rows[0])]
    return draw.release(noisy, then=max)


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match=r"grid=\[\] is empty"):
        calibrate(noisy_sum, BITS, parameter="scale", grid=[], epsilon=1)
    with pytest.raises(InputError, match="scale=1/4, the last value of the grid, does not keep the claim"):
        calibrate(noisy_sum, BITS, parameter="scale", grid=QUARTERS[:1], epsilon=1)

    def hidden(draw: Draw, database: int, *, scale: int) -> Any:
        return bernoulli((sqrt(7 + 4 * sqrt(3)) if database else 2 + sqrt(3)) / 8)

    with pytest.raises(InputError, match=r"or claim a slightly larger ε \[sign-unknown\]"):
        calibrate(hidden, [0, 1], lambda x: [1 - x], parameter="scale", grid=[1], epsilon=0)
