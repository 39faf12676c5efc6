"""Counts of rows in each of many databases, as columns.

Only rows of which equal ones are alike are counted so: what equals what is then the same in one database and in many.
And only such that no code of somebody's compares them, which would be called with rows that another database has.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from itertools import chain
from types import FunctionType, NoneType
from typing import Any, Final, NamedTuple

import numpy as np

from dpverify.mechanisms.functions.fixed_values import fixed
from dpverify.mechanisms.numbers.exact_numbers import Sum, Term
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber
from dpverify.verifiers.problems.neighbours.neighbour_codes import Ids

_MOST_DISTINCT: Final = 1 << 12
"""Distinct rows: of more of them nothing is won."""


class _Coded(NamedTuple):
    """The rows of all databases one after another, each by its place among the distinct ones."""

    codes: Ids
    distinct: Sequence[Hashable]


def row_counts(databases: Sequence[Hashable]) -> tuple[Sequence[Hashable], Ids] | None:
    """The distinct rows, and how often each occurs in each database, a line for each row.

    None where the databases are no tuples of rows that can be counted together.
    """
    if set(map(type, databases)) != {tuple}:
        return None
    rows: Any = databases
    coded = _coded(list(chain.from_iterable(rows)))
    if coded is None:
        return None
    width = len(coded.distinct)
    line = np.repeat(np.arange(len(rows)) * width, [*map(len, rows)])
    times = np.bincount(line + coded.codes, minlength=len(rows) * width).reshape(len(rows), width)
    return coded.distinct, np.ascontiguousarray(times.T, dtype=np.int64)


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
