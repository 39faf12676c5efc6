"""Counts of rows in each of many databases, as columns: what a quality by `of_counts` is given of all of them.

Only rows of which equal ones are alike are counted so: what equals what is then the same in one database and in many.
And only such that no code of somebody's compares them, which would be called with rows that another database has.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from itertools import chain
from types import FunctionType, NoneType
from typing import Any, Final, NamedTuple

import numpy as np

from dpverify.mechanisms.counting.tallies import Bounded, NotCounted, Rows
from dpverify.mechanisms.functions.fixed_values import fixed
from dpverify.mechanisms.numbers.exact_numbers import Sum, Term
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber
from dpverify.verifiers.problems.neighbours.neighbour_codes import Ids

_ENTRIES_AT_ONCE: Final = 1 << 18
"""Databases times distinct rows that are counted together: more would not stay near the processor."""

_MOST_DISTINCT: Final = 1 << 12
"""Distinct rows: of more of them nothing is won."""


class _Coded(NamedTuple):
    """The rows of all databases one after another, each by its place among the distinct ones."""

    codes: Ids
    distinct: Sequence[Hashable]


class RowsOfMany(Rows):
    """The rows of some databases: how often each of the distinct ones occurs in each."""

    are_many = True

    def __init__(self, distinct: Sequence[Hashable], times: Ids) -> None:
        """`times` has a line for each database, with a column for each of the distinct rows."""
        self.distinct = distinct
        self._place: Mapping[Hashable, int] = {row: place for place, row in enumerate(distinct)}
        self.columns: Ids = np.ascontiguousarray(times.T, dtype=np.int64)
        """The number of times that each of the distinct rows occurs, in each database."""
        self._sizes: Ids = times.sum(axis=1, dtype=np.int64)
        self._most = int(self._sizes.max(initial=0))

    @property
    def databases(self) -> int:
        """The number of databases."""
        return len(self._sizes)

    def count(self, row: Hashable) -> Bounded:
        """See `Rows`. Raises `NotCounted` for one that code of somebody's compares with those that are there."""
        if not is_compared_plainly(row):
            raise NotCounted
        place = self._place.get(row)
        return Bounded(np.zeros_like(self._sizes) if place is None else self.columns[place], self._most)

    def size(self) -> Bounded:
        return Bounded(self._sizes, self._most)


def row_counts(databases: Sequence[Hashable]) -> Iterator[RowsOfMany] | None:
    """Their rows, in blocks of databases; None where these are no tuples of rows that can be counted together."""
    if set(map(type, databases)) != {tuple}:
        return None
    rows: Any = databases
    coded = _coded(list(chain.from_iterable(rows)))
    return None if coded is None else _blocks(coded, np.array(list(map(len, rows)), dtype=np.int64))


def _blocks(coded: _Coded, sizes: Ids) -> Iterator[RowsOfMany]:
    width = len(coded.distinct)
    ends = np.cumsum(sizes)
    step = max(1, _ENTRIES_AT_ONCE // max(1, width))
    for start in range(0, len(sizes), step):
        of = slice(start, start + step)
        begin, end = ends[start] - sizes[start], ends[of][-1]
        line = np.repeat(np.arange(len(sizes[of])) * width, sizes[of])
        times = np.bincount(line + coded.codes[begin:end], minlength=len(sizes[of]) * width)
        yield RowsOfMany(coded.distinct, times.reshape(len(sizes[of]), width))


def _coded(rows: Sequence[Any]) -> _Coded | None:
    """The places of rows; None where some are equal and not alike, or not known to be, or where they are too many."""
    if set(map(type, rows)) == {int}:  # the most frequent case
        result = _coded_numbers(rows)
        if result is not None:
            return result
    by_identity = {id(row): row for row in rows}
    by_value: dict[Hashable, int] = {}
    places: dict[Hashable, int] = {}
    place_of: dict[int, int] = {}
    try:
        for identity, row in by_identity.items():
            if not is_compared_plainly(row):
                return None
            alike = fixed(row)
            place = places.get(alike)
            if place != by_value.get(row) or len(places) > _MOST_DISTINCT:
                return None  # equal and not alike, or the other way round
            if place is None:
                place = places[alike] = by_value[row] = len(places)
            place_of[identity] = place
    except Exception:  # `Changeable`; or from a row of somebody's own, which whoever runs the mechanism will tell
        return None
    return _Coded(np.array([place_of[identity] for identity in map(id, rows)], dtype=np.int64), list(by_value))


def _coded_numbers(rows: Sequence[int]) -> _Coded | None:
    try:
        numbers = np.array(rows, dtype=np.int64)
    except OverflowError:
        return None
    low, high = int(numbers.min()), int(numbers.max())
    if high - low >= _MOST_DISTINCT:
        return None
    return _Coded(numbers - low, range(low, high + 1))


_PLAIN: Final = frozenset(
    {NoneType, bool, int, str, bytes, float, complex, range, Fraction, Decimal, WholeNumber, Term, Sum}
) | frozenset(np.sctypeDict.values())


def is_compared_plainly(value: Any) -> bool:
    """True where a value is hashed, and compared with others, by Python, numpy and this library alone."""
    kind: Any = type(value)
    if kind in _PLAIN:
        return True
    if kind in (tuple, frozenset):
        return all(map(is_compared_plainly, value))
    if isinstance(value, Enum):
        return kind.__eq__ in _OF_MEMBERS and kind.__hash__ in _OF_MEMBERS
    if is_dataclass(value):
        ways = (kind.__eq__, kind.__hash__)
        return all(map(_is_generated, ways)) and all(is_compared_plainly(getattr(value, f.name)) for f in fields(value))
    return False


_OF_MEMBERS: Final = frozenset(
    way
    for kind in (object, int, str)
    for way in (kind.__eq__, kind.__hash__)  # those of IntEnum and StrEnum
) | {Enum.__hash__}


def _is_generated(way: object) -> bool:
    """True where a dataclass compares or hashes as it does by itself."""
    return way in _OF_MEMBERS or (isinstance(way, FunctionType) and way.__code__.co_filename == "<string>")
