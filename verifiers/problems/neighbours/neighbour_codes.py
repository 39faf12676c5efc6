"""The neighbours of many databases at once, where domain and relation are both of dpverify: arrays, and no sets.

A database is its position in the domain. Tuples are numbers whose digits are the rows. Multisets come in lexicographic
order: a position is a sum of binomials, of which a replaced row changes a stretch. Vectors of scores are in
`score_codes.py`. What the relations mean is said in `neighbours.py`, whose generators yield the same databases.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import accumulate
from math import comb
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Whole = TypeVar("Whole", bound=np.integer[Any])

Ids: TypeAlias = NDArray[np.int64]
Positions: TypeAlias = NDArray[np.int32]
"""Of databases, of which there are at most 10^9."""

Mask: TypeAlias = NDArray[np.bool_]


class Neighbours(NamedTuple):
    """The number of neighbours in the domain that each of some databases has; these, by database and then rising.

    `outside` counts the others, those of each database once.
    """

    counts: Ids
    right: Positions
    outside: int


class AtOnce(Protocol):
    """The neighbours of the databases at some positions."""

    most: int
    """The numbers that are held for one database, at most."""

    def __call__(self, left: Ids) -> Neighbours:
        """The neighbours of the databases at `left`, of which there is at least one."""


def consecutive_numbers(starts: Ids, lengths: Ids) -> Ids:
    """The numbers from each start on, as many as its length says, one stretch after the other."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))


def distinct(numbers: NDArray[Whole]) -> NDArray[Whole]:
    """Numbers in rising order, equal ones once.

    `np.unique` sorts too, but puts them into a table of hashes before, and loads numpy's masked arrays.
    """
    if (numbers[1:] > numbers[:-1]).all():
        return numbers
    rising = np.sort(numbers)
    is_first = np.ones(len(rising), dtype=bool)
    np.not_equal(rising[1:], rising[:-1], out=is_first[1:])
    return rising[is_first]


def sorted_out(found: Ids | Positions, beyond: int, outside: int) -> Neighbours:
    """Neighbours from a line for each database, where `beyond` stands for none."""
    lines: Positions = found.astype(np.int32)
    lines.sort(axis=1)
    inside = lines < beyond
    return Neighbours(inside.sum(axis=1), lines[inside], outside)


class Targets(NamedTuple):
    """Rows that may stand in the place of a row, each by its place in the universe: every other one, or those listed.

    The lists are of one length: -1 is no row.
    """

    width: int
    listed: Ids | None = None

    def of(self, rows: Ids) -> Ids:
        """Those of each row, along a further axis."""
        if self.listed is not None:
            return self.listed[rows]
        others = np.arange(self.width)
        return others + (others >= rows[..., None])


def listed_targets(of_rows: Sequence[Sequence[int]]) -> Targets:
    """Those that are listed for each row of the universe."""
    width = max(map(len, of_rows))
    table = np.full((len(of_rows), width), -1, dtype=np.int64)
    for line, targets in zip(table, of_rows, strict=True):
        line[: len(targets)] = targets
    return Targets(width, table)


class _OfOneSize(Protocol):
    """The databases of one size, by their places among these: what one change makes of them, a line for each; -1: none.

    A change that gives the same database as another one is left out.
    """

    size: int
    held: int
    """The numbers that are held for one database, but for targets."""

    def replaced(self, places: Ids, targets: Targets) -> Ids:
        """One row is another one."""

    def added(self, places: Ids) -> Ids:
        """One row more: by their places among the databases of that size."""

    def removed(self, places: Ids) -> Ids:
        """One row less."""

    @property
    def ways_to_add(self) -> int:
        """The number of different databases that have one row more than a given one."""


class _Tuples:
    """Tuples of `size` rows: their places are numbers to the base of the universe."""

    def __init__(self, universe: int, size: int) -> None:
        self._universe, self.size = universe, size
        self._weights: Ids = np.array([universe ** (size - 1 - i) for i in range(size)], dtype=np.int64)
        self.held = size + 1
        self.ways_to_add = size * (universe - 1) + universe

    def _rows(self, places: Ids) -> Ids:
        return places[:, None] // self._weights % self._universe

    def replaced(self, places: Ids, targets: Targets) -> Ids:
        rows = self._rows(places)
        others = targets.of(rows)
        change = (others - rows[:, :, None]) * self._weights[:, None]
        result = places[:, None, None] + change
        return np.where(others < 0, -1, result).reshape(len(places), self.size * targets.width)

    def added(self, places: Ids) -> Ids:
        """Every row before one that is another one, and behind the last."""
        rows = np.column_stack([self._rows(places), np.full(len(places), -1)])[:, :, None]
        behind = np.append(self._weights * self._universe, 1)[:, None]
        row = np.arange(self._universe)
        place = places[:, None, None]
        result = (place // behind * self._universe + row) * behind + place % behind
        return np.where(row == rows, -1, result).reshape(len(places), (self.size + 1) * self._universe)

    def removed(self, places: Ids) -> Ids:
        """The first of equal rows in succession."""
        rows = self._rows(places)
        result = places[:, None] // (self._weights * self._universe) * self._weights + places[:, None] % self._weights
        again = np.zeros(rows.shape, dtype=bool)
        again[:, 1:] = np.diff(rows, axis=1) == 0
        return np.where(again, -1, result)


class _Multisets:
    """Multisets of `size` rows in lexicographic order.

    With r rows beyond the x-th of the universe, so many multisets come first that agree before it and have more of it:
    those of r − 1 rows, or fewer, of the u − x − 1 rows beyond. A place is their sum over x. Where a row is replaced by
    a later one, r rises by one at each x from the one to before the other.
    """

    def __init__(self, universe: int, size: int, earlier: Ids) -> None:
        self._universe, self.size = universe, size
        self._earlier = earlier
        self._rows = _multisets(universe, size)
        self.held = size + 4 * universe
        self.ways_to_add = universe

    def _changes(self, places: Ids) -> tuple[Ids, Ids, Ids]:
        """Of each row how often it is there, and what a place gains by it as a new row, and by its removal."""
        rows = self._rows[places] + np.arange(len(places))[:, None] * self._universe
        counts = np.bincount(rows.ravel(), minlength=len(places) * self._universe).reshape(-1, self._universe)
        beyond = self.size - np.cumsum(counts, axis=1)[:, :-1]
        x = np.arange(self._universe - 1)
        now = self._earlier[x, beyond]
        gained: list[Ids] = [np.zeros(counts.shape, dtype=np.int64) for _ in range(2)]
        for gain, step in zip(gained, (1, -1), strict=True):
            then = self._earlier[x, np.clip(beyond + step, 0, self._earlier.shape[1] - 1)]
            np.cumsum(then - now, axis=1, out=gain[:, 1:])
        return counts, gained[0], gained[1]

    def _present(self, places: Ids, counts: Ids) -> tuple[Ids, Mask]:
        """The rows of each database, and which of these are to be looked at, so that equal ones are looked at once."""
        if self._universe < self.size:
            return np.broadcast_to(np.arange(self._universe), counts.shape), counts > 0
        rows = self._rows[places].astype(np.int64)
        first = np.ones(rows.shape, dtype=bool)
        first[:, 1:] = np.diff(rows, axis=1) != 0
        return rows, first

    def replaced(self, places: Ids, targets: Targets) -> Ids:
        counts, added, removed = self._changes(places)
        rows, is_asked = self._present(places, counts)
        line = np.arange(len(places))[:, None]
        left_out, put_out = added[line, rows][:, :, None], removed[line, rows][:, :, None]
        if targets.listed is None:  # every row of the universe, which need not be gathered
            others = np.arange(self._universe)
            put_in, taken_in = added[:, None, :], removed[:, None, :]
            is_asked = is_asked[:, :, None] & (others != rows[:, :, None])
        else:
            others = targets.of(rows)
            put_in, taken_in = added[line[:, :, None], others], removed[line[:, :, None], others]
            is_asked = is_asked[:, :, None] & (others >= 0)
        result = np.where(others > rows[:, :, None], put_in - left_out, put_out - taken_in)
        result += places[:, None, None]
        return np.where(is_asked, result, -1).reshape(len(places), -1)

    def added(self, places: Ids) -> Ids:
        return places[:, None] + self._changes(places)[1]

    def removed(self, places: Ids) -> Ids:
        counts, _, removed = self._changes(places)
        return np.where(counts > 0, places[:, None] + removed, -1)


def _multisets(universe: int, size: int) -> NDArray[np.unsignedinteger[Any]]:
    """All multisets of rows 0, …, universe − 1 in lexicographic order, a line for each."""
    small = np.min_scalar_type(universe - 1)
    array = np.zeros((1, size), dtype=small)
    for place in range(size):
        least = array[:, place - 1].astype(np.int64) if place else np.zeros(1, dtype=np.int64)
        lengths = universe - least
        array = np.repeat(array, lengths, axis=0)
        array[:, place] = consecutive_numbers(least, lengths)
    return array


def _earlier(universe: int, size: int) -> Ids:
    """For x = 0, …, universe − 2 and r = 0, …, size: how many multisets of at most r − 1 rows there are beyond x."""
    table = np.zeros((universe - 1, size + 1), dtype=np.int64)
    for r in range(1, size + 1):  # of no row one; of r rows, those with the last one of the universe, and those without
        table[::-1, r] = 1 + np.cumsum(table[::-1, r - 1])
    return table


class Layout(NamedTuple):
    """The databases of a domain of rows by size: where each size begins, and where the domain ends."""

    parts: Sequence[_OfOneSize]
    first: Sequence[int]
    beyond: int


class _BySize(ABC):
    """Neighbours in a domain whose databases come by rising size."""

    def __init__(self, layout: Layout) -> None:
        self._parts, first, self._beyond = layout
        self._first = np.array(first, dtype=np.int64)
        self._start_of = {part.size: start for part, start in zip(self._parts, first, strict=True)}
        self.most = 1

    @abstractmethod
    def _of_size(self, part: _OfOneSize, places: Ids) -> Neighbours:
        """The neighbours of the databases at some places among those of one size."""

    def _at(self, places: Ids, size: int) -> Ids:
        """Places among the databases of a size, as positions in the domain; behind its end where there is none."""
        return np.where(places < 0, self._beyond, places + self._start_of[size])

    def __call__(self, left: Ids) -> Neighbours:
        """As of `AtOnce`."""
        sizes = np.searchsorted(self._first, left, side="right") - 1
        present = distinct(sizes)
        if len(present) == 1:
            return self._of_size(self._parts[present[0]], left - self._first[present[0]])
        chosen = [np.flatnonzero(sizes == size) for size in present]
        results = [
            self._of_size(self._parts[size], left[of] - self._first[size])
            for size, of in zip(present, chosen, strict=True)
        ]
        counts = np.zeros(len(left), dtype=np.int64)
        for of, each in zip(chosen, results, strict=True):
            counts[of] = each.counts
        right = np.empty(int(counts.sum()), dtype=np.int32)
        starts = np.cumsum(counts) - counts
        for of, each in zip(chosen, results, strict=True):
            right[consecutive_numbers(starts[of], each.counts)] = each.right
        return Neighbours(counts, right, sum(each.outside for each in results))


class RowsReplaced(_BySize):
    """One row is another one of its targets."""

    def __init__(self, layout: Layout, targets: Targets) -> None:
        super().__init__(layout)
        self._targets = targets
        self.most = max(part.held + part.size * targets.width for part in layout.parts)

    def _of_size(self, part: _OfOneSize, places: Ids) -> Neighbours:
        return sorted_out(self._at(part.replaced(places, self._targets), part.size), self._beyond, 0)


class RowsAddedOrRemoved(_BySize):
    """One row more, or one row less."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self.most = max(part.held + part.ways_to_add + part.size for part in layout.parts)

    def _of_size(self, part: _OfOneSize, places: Ids) -> Neighbours:
        result, outside = [np.empty((len(places), 0), dtype=np.int64)], 0
        if part.size + 1 in self._start_of:
            result.append(self._at(part.added(places), part.size + 1))
        else:
            outside += len(places) * part.ways_to_add
        removed = part.removed(places)
        if part.size - 1 in self._start_of:
            result.append(self._at(removed, part.size - 1))
        else:
            outside += int((removed >= 0).sum())
        return sorted_out(np.concatenate(result, axis=1), self._beyond, outside)


def tuples_by_size(universe: int, sizes: Sequence[int]) -> Layout:
    """All tuples of rows, by rising size."""
    *first, beyond = accumulate((universe**n for n in sizes), initial=0)
    return Layout([_Tuples(universe, n) for n in sizes], first, beyond)


def multisets_by_size(universe: int, sizes: Sequence[int]) -> Layout:
    """All multisets of rows, by rising size."""
    *first, beyond = accumulate((comb(universe + n - 1, n) for n in sizes), initial=0)
    earlier = _earlier(universe, max(sizes))
    return Layout([_Multisets(universe, n, earlier) for n in sizes], first, beyond)
