"""The place of a point of a region after cuts: the region without a cut that holds it, and its coordinates there.

A region that is cut is decided on its parts, whose coordinates are others. Who asks for the law at a point of it goes
down the cuts, as the decision did.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from dpverify.mechanisms.numbers.errors import Cut
from dpverify.mechanisms.numbers.positivity.affine_regions import AffineRegion
from dpverify.verifiers.all_sizes.regions.regions import Region

Coordinates: TypeAlias = tuple[int, ...]
"""Whole numbers ≥ 0."""


class At(NamedTuple):
    """A region and a point of it: two neighbours."""

    region: Region
    point: Coordinates

    @property
    def sides(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The whole numbers of both neighbours."""
        return self.region.left.at(self.point), self.region.right.at(self.point)


@dataclass(frozen=True)
class DecidedRegions:
    """The regions that a decision began with, and the cuts that it made."""

    starts: list[Region] = field(default_factory=list)
    cuts: dict[Region, Cut] = field(default_factory=dict)
    _sides: dict[Region, tuple[AffineRegion, ...]] = field(default_factory=dict)

    def leaf(self, at: At) -> At:
        """The point on the part that was not cut any more."""
        while at.region in self.cuts:
            at = self._below(at, self.cuts[at.region])
        return at

    def _below(self, at: At, cut: Cut) -> At:
        region = at.region
        if region not in self._sides:
            self._sides[region] = tuple(region.chart.sides(cut))
        side, point = side_of(cut, at.point)
        chart = self._sides[region][side]
        columns = tuple(zip(*chart.rows, strict=True))
        order = sorted(
            range(len(columns)), key=columns.__getitem__, reverse=True
        )  # as `AffineRegion.in_order` has them
        return At(Region(chart.in_order(), region.width), tuple([point[i] for i in order]))


def side_of(cut: Cut, point: Coordinates) -> tuple[int, Coordinates]:
    """Side of a cut, of `AffineRegion.sides`, that a point is on, and its coordinates there."""
    i, h = cut.i, point[cut.i]
    if cut.j is not None:
        j, other = cut.j, point[cut.j]
        if h >= other:
            return 0, _with(point, i, h - other)
        return 1, _with(point, j, other - h - 1)
    if cut.modulus is not None:
        return h % cut.modulus, _with(point, i, h // cut.modulus)
    assert cut.least is not None
    if h < cut.least:
        return h, (*point[:i], *point[i + 1 :])
    return cut.least, _with(point, i, h - cut.least)


def _with(point: Coordinates, place: int, value: int) -> Coordinates:
    return (*point[:place], value, *point[place + 1 :])


def coordinates(chart: AffineRegion, numbers: Sequence[int]) -> Coordinates | None:
    """Coordinates of a chart for these whole numbers; None where it has none. Its columns are linearly independent."""
    rows = [[*row, number - base] for row, number, base in zip(chart.rows, numbers, chart.base, strict=True)]
    for i in range(chart.dimension):
        pivot = next((row for row in rows[i:] if row[i]), None)
        assert pivot is not None, f"the columns of {chart} are dependent"
        rows.remove(pivot)
        rows.insert(i, pivot)
        rows = [
            row if row is pivot else [pivot[i] * a - row[i] * b for a, b in zip(row, pivot, strict=True)]
            for row in rows
        ]
    if any(row[-1] for row in rows[chart.dimension :]):
        return None
    results = [divmod(row[-1], row[i]) for i, row in enumerate(rows[: chart.dimension])]
    if any(rest or whole < 0 for whole, rest in results):
        return None
    return tuple([whole for whole, _ in results])
