"""Points of regions that are tried on real databases: of sizes that are spread evenly in log, and around numbers.

What is chosen depends on nothing but what is given here, chance on a seed: the same claim is tried on the same
databases everywhere. Floats and chance suggest; they decide nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import count, cycle
from math import isqrt
from typing import Final

from dpverify.mechanisms.numbers.errors import Cut
from dpverify.mechanisms.numbers.positivity.affine_regions import AffineRegion
from dpverify.verifiers.all_sizes.regions.located import At, Coordinates
from dpverify.verifiers.all_sizes.regions.regions import Region

LARGEST_SIZE: Final = 10_000
"""Rows, or what scores sum up to, of the largest databases that are tried without a number in the code that says so."""

_GOLDEN: Final = (5**0.5 - 1) / 2
"""Number whose multiples have fractional parts that fill (0, 1) evenly, however many of them are taken."""


def evenly_in_log(i: int, largest: int = LARGEST_SIZE) -> int:
    """The i-th of numbers from 1 to `largest` that are as many in each decade; the 0-th is `largest`."""
    size: float = largest ** (1 - i * _GOLDEN % 1)
    return round(size)


class Chances:
    """Numbers by chance, each a function of a seed and of how many were taken before."""

    def __init__(self, *seed: object) -> None:
        self._seed = repr(seed).encode("utf-8", "backslashreplace")
        self._taken = count()

    def below(self, end: int) -> int:
        """A whole number from 0 to end − 1."""
        result = blake2b(self._seed + b"%d" % next(self._taken), digest_size=12).digest()
        return int.from_bytes(result, "big") % end


def split(size: int, parts: int, i: int, chances: Chances) -> Coordinates:
    """`size` as a sum of so many whole numbers ≥ 0: by turns one alone, all alike, any, and of all magnitudes."""
    if not parts:
        return ()
    place = (i // 4) % parts
    match i % 4:
        case 0:
            results = [0] * parts
            results[place] = size
        case 1:
            results = [(size + (place + j) % parts) // parts for j in range(parts)]
        case 2:
            ends = sorted(chances.below(size + 1) for _ in range(parts - 1))
            results = [high - low for low, high in zip((0, *ends), (*ends, size), strict=True)]
        case _:
            results = [evenly_in_log(chances.below(1 << 20), 1 + size // parts) - 1 for _ in range(parts)]
            results[place] = size - sum(results) + results[place]
    return tuple(results)


def spread_points(regions: Sequence[Region], chances: Chances, largest: int = LARGEST_SIZE) -> Iterator[At]:
    """Points of the regions, by turns, of sizes evenly in log, without end unless there are no regions."""
    origins = [_repaired(region, (0,) * region.chart.dimension) for region in regions]
    for i in count() if regions else ():
        turn = (i * _stride(len(regions))) % len(regions)
        region, origin = regions[turn], origins[turn]
        point = split(evenly_in_log(i, largest), region.chart.dimension, i, chances)
        if i % 2 and origin is not None:
            point = tuple(a + b for a, b in zip(point, origin, strict=True))
        yield from _within(region, point)


def _stride(number: int) -> int:
    """A number without a common divisor, so that its multiples come to all places: regions side by side are alike."""
    return next(n for n in count(isqrt(number) + 1) if _are_coprime(n, number))


def _are_coprime(a: int, b: int) -> bool:
    while b:
        a, b = b, a % b
    return a == 1


def points_around(
    regions: Sequence[Region], constants: Iterable[int], chances: Chances, largest: int = LARGEST_SIZE
) -> Iterator[At]:
    """Points where a number of a database, their sum, or the difference of two is one of these, or that by ±1."""
    if not regions:
        return
    values = sorted({value + by for value in constants for by in (-1, 0, 1)} - {-1})
    turns = cycle(enumerate(regions))
    for value in values:
        for what in range(regions[0].width + 2):
            i, region = next(turns)
            for chart in (region.left, region.right):
                others = split(evenly_in_log(chances.below(1 << 20), largest), chart.dimension, 3 + i, chances)
                point = _where(chart, what, value, others)
                if point is not None:
                    yield from _within(region, point)
                    break


def _where(chart: AffineRegion, what: int, value: int, others: Coordinates) -> Coordinates | None:
    """A point where the number in place `what`, or beyond these the sum, or a difference, is `value` or −`value`."""
    if what < len(chart.rows):
        result = _with_number(chart, what, value, others)
        return result or _with_number(chart, what, -value, others)
    if what == len(chart.rows):
        up = [i for i in range(chart.dimension) if sum(row[i] for row in chart.rows) == 1]
        rest = value - sum(chart.base)
        if not up or rest < 0:
            return None
        shares = iter(split(rest, len(up), sum(others), Chances(value)))
        return tuple(next(shares) if i in up else 0 for i in range(chart.dimension))
    if len(chart.rows) < 2:
        return None
    one, other = sum(others) % len(chart.rows), (sum(others) + 1) % len(chart.rows)
    at = chart.at(others)[other]
    return _with_number(chart, one, at + value, others) or _with_number(chart, one, at - value, others)


def _with_number(chart: AffineRegion, place: int, value: int, others: Coordinates) -> Coordinates | None:
    """The coordinates with another one in the place of that on which a number depends; None where none gives it."""
    row = chart.rows[place]
    for i, n in enumerate(row):
        if n:
            rest = value - chart.at((*others[:i], 0, *others[i + 1 :]))[place]
            if rest % n == 0 and rest // n >= 0:
                return (*others[:i], rest // n, *others[i + 1 :])
            return None
    return None


def points_at_cuts(cuts: Iterable[tuple[Region, Cut]], chances: Chances) -> Iterator[At]:
    """Points on both sides of cuts and next to them; of cuts that are alike those of the first and the last."""
    ends: dict[object, list[tuple[Region, Cut]]] = {}
    for region, cut in cuts:
        same = ends.setdefault((cut.order, region.chart.rows), [])
        same[1:] = [(region, cut)]
    for i, (region, cut) in enumerate(each for same in ends.values() for each in same):
        dimension = region.chart.dimension
        for others in ((0,) * dimension, split(evenly_in_log(chances.below(1 << 20)), dimension, i, chances)):
            for point in _beside(cut, others):
                yield from _within(region, point)


def _beside(cut: Cut, others: Coordinates) -> Iterator[Coordinates]:
    if cut.j is not None:
        middle, by = others[cut.j] + 1, (-1, 0, 1)
        others = (*others[: cut.j], middle, *others[cut.j + 1 :])
    elif cut.modulus is not None:
        middle, by = others[cut.i] // cut.modulus * cut.modulus, (0, 1, cut.modulus - 1)
    else:
        assert cut.least is not None
        middle, by = cut.least, (-1, 0, 1)
    for d in by:
        yield (*others[: cut.i], middle + d, *others[cut.i + 1 :])


def _within(region: Region, point: Coordinates) -> Iterator[At]:
    result = _repaired(region, point)
    if result is not None:
        yield At(region, result)


_MOST_REPAIRS: Final = 8


def _repaired(region: Region, point: Coordinates) -> Coordinates | None:
    """The point, with coordinates raised, or else lowered, until nothing that is needed is negative; None if not so."""
    if min(point, default=0) < 0:
        return None
    for _ in range(_MOST_REPAIRS):
        lacking = next(
            (
                (row, -value)
                for row, value in zip(region.needed.rows, region.needed.at(point), strict=True)
                if value < 0
            ),
            None,
        )
        if lacking is None:
            return point
        row, lack = lacking
        up = sum(n for n in row if n > 0)
        if up:
            point = tuple(h + -(-lack // up) if n > 0 else h for h, n in zip(point, row, strict=True))
            continue
        down = next((i for i, n in enumerate(row) if n < 0 and point[i] * -n >= lack), None)
        if down is None:
            return None
        point = (*point[:down], point[down] + lack // row[down], *point[down + 1 :])  # rounded down: by enough
    return None
