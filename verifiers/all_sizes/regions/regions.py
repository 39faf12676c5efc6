"""Regions of neighbours: two databases as charts in the same unknown whole numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dpverify.mechanisms.numbers.errors import Cut
from dpverify.mechanisms.numbers.positivity.affine_regions import AffineRegion


@dataclass(frozen=True)
class Region:
    """Neighbours D and D′ of `width` whole numbers each, and further numbers, all of which are to be at least 0.

    The rows of the chart are those of D, of D′, and of what is needed; a point at which something needed is negative
    stands for no neighbours.
    """

    chart: AffineRegion
    width: int

    @property
    def left(self) -> AffineRegion:
        """D."""
        return self.chart.part(0, self.width)

    @property
    def right(self) -> AffineRegion:
        """D′."""
        return self.chart.part(self.width, 2 * self.width)

    @property
    def needed(self) -> AffineRegion:
        """Numbers that must not be negative."""
        return self.chart.part(2 * self.width, len(self.chart.rows))

    def sides(self, cut: Cut) -> Iterator[Region]:
        """The regions of the parts that a cut leaves."""
        return (Region(side.in_order(), self.width) for side in self.chart.sides(cut))


def region(left: AffineRegion, right: AffineRegion, *needed: tuple[int, tuple[int, ...]]) -> Region:
    """The region of two charts in the same coordinates; what is needed is a constant and coefficients of each."""
    chart = AffineRegion(
        (*left.base, *right.base, *(constant for constant, _ in needed)),
        (*left.rows, *right.rows, *(row for _, row in needed)),
    )
    return Region(chart.in_order(), len(left.rows))
