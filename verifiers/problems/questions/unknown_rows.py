"""A multiset of unknown size: how often each row of a universe occurs in it is an unknown whole number.

It answers what depends on these numbers alone: `rows.count(x)`, `x in rows`, and, while a mechanism runs on one, `len`,
`Counter` and `sum(… for row in rows if …)`, which take each row of the universe and count it as often as it is there.
What has to go through the rows one by one is refused, and so is a sum of what is not the same each time a row occurs.
"""

from __future__ import annotations

import builtins
import sys
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from types import FrameType, GeneratorType
from typing import Any, Final, NoReturn, TypeAlias

from dpverify.mechanisms.finer_releases.seen_by_value import Reached, reached_by_generator
from dpverify.mechanisms.functions.outcomes import holds_a_symbol
from dpverify.mechanisms.functions.places import place_during, place_in_brackets, place_now
from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.errors import InputError, Undecided, not_known
from dpverify.mechanisms.numbers.integers.sealed import Sealed
from dpverify.mechanisms.numbers.integers.unknown_numbers import UnknownNumber, is_asked_from_within
from dpverify.mechanisms.numbers.shown import is_showing
from dpverify.mechanisms.numbers.symbols import notes
from dpverify.verifiers.problems.questions.unknown_counters import NUMBERS, key_order, orders_noted, shown_in_any_order

MaybeUnknown: TypeAlias = int | UnknownNumber
"""Number of times that a row occurs."""


class UnknownRows(Sealed):
    """A database of which is known how often each row of a universe occurs, as whole numbers that may be unknown."""

    __slots__ = ("_times",)

    def __init__(self, universe: Sequence[Hashable], times: Sequence[MaybeUnknown]) -> None:
        self._times: Final[Mapping[Hashable, MaybeUnknown]] = dict(zip(universe, times, strict=True))

    def count(self, row: Hashable) -> MaybeUnknown:
        """The number of times that the row occurs."""
        if holds_a_symbol(row):  # which row that is, is not known: another one on each database
            refuse("asked how often a number occurs that depends on them")
        return self._times.get(row, 0)

    def __contains__(self, row: Hashable) -> bool:
        return self.count(row) > 0

    def __bool__(self) -> bool:
        return bool(size_of(self) > 0)

    def __iter__(self) -> RowsTwice:
        return RowsTwice(self)

    def occurring(self) -> Iterator[tuple[Hashable, MaybeUnknown]]:
        """Each row of the universe, with how often it occurs."""
        return iter(self._times.items())

    def _refuse(self, *_: object) -> NoReturn:
        refuse("asked for by its place, its order or its text")

    __len__ = __getitem__ = __reversed__ = __hash__ = __add__ = __radd__ = __mul__ = __rmul__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = index = _refuse

    def __getattribute__(self, name: str) -> Any:
        if name in _OF_ROWS or str(sys._getframe(1).f_globals.get("__name__")).startswith("dpverify."):
            return object.__getattribute__(self, "occurring" if name == "items" else name)  # as of a Counter
        if hasattr((), name) or hasattr(UnknownRows, name):
            refuse(f"asked for `.{name}`")
        raise AttributeError(f"'tuple' object has no attribute '{name}'")

    @property  # type: ignore[misc]  # isinstance asks it of whatever is none of a class, as these are no tuple
    def __class__(self) -> type:
        if not is_asked_from_within():
            refuse("asked for its type")
        return UnknownRows

    def __repr__(self) -> str:
        if not is_showing() and not is_asked_from_within():  # a debugger can show it, but the run is not accepted
            note("turned into text")
        return "unknown rows"


_OF_ROWS: Final = frozenset(("count", "index", "__class__", "__iter__", "__contains__", "__len__", "__getitem__"))


Sequence.register(UnknownRows)  # so that patterns of `match` ask for a length, as of a tuple


def refuse(how: str) -> NoReturn:
    """Raises `Undecided`: a database of unknown size cannot answer. A mechanism that catches it is not accepted."""
    raise note(how)


def note(how: str) -> Undecided:
    """The error for a question that a database of unknown size cannot answer: the run is not to be accepted."""
    error = Undecided(f"{reasons.ROW_BY_ROW.text(use=how)}{_line(sys._getframe(1))}")
    notes.refused = notes.refused or error
    return error


def _line(frame: FrameType | None) -> str:
    """The line of the mechanism that asks."""
    while frame is not None and str(frame.f_globals.get("__name__")).startswith(_CHECKER):
        frame = frame.f_back
    return place_in_brackets(place_during(frame, None, _CHECKER))


_CHECKER: Final = "dpverify.verifiers."


class RowsTwice:
    """Goes through the universe, each row twice, and says which was last; only for one who counts how often it occurs.

    Twice, since what is said of a row is to be the same each time it occurs: not a draw, and nothing that counts. What
    is said may change nothing either, each time by itself: it is said as often as rows occur, which is not known.
    """

    def __init__(self, rows: UnknownRows) -> None:
        self._items = ((row, times, again) for row, times in rows.occurring() for again in (False, True))
        self._watch: Reached | None = None
        self.row: Hashable = None
        self.times: MaybeUnknown = 0
        self.is_again = False

    def __iter__(self) -> RowsTwice:
        return self

    def counts(self, watch: Reached) -> None:
        """Let somebody go through them who counts how often each occurs, and changes nothing of what is watched."""
        self._watch = watch

    def __next__(self) -> Hashable:
        if self._watch is None:
            refuse("gone through row by row")
        with _noted():
            self._watch.refuse_changes()
        self.row, self.times, self.is_again = next(self._items)
        return self.row


def size_of(rows: UnknownRows) -> Any:
    """The number of rows."""
    return _plain_sum(times for _, times in rows.occurring())


_plain_sum: Final = builtins.sum
_plain_len: Final = builtins.len
_plain_update: Final = Counter.update


def _sum(values: Any, /, start: Any = 0) -> Any:
    """`sum`, of what is said of each row as often as it occurs."""
    if isinstance(values, UnknownRows):
        values = iter(values)
    shown = shown_in_any_order(values)
    if shown is not None and NUMBERS.issuperset((*map(type, shown), type(start))):
        values = shown
    rows = _goes_through(values)
    if rows is None:
        return _plain_sum(values, start)
    rows.counts(_watched(values))
    first: list[tuple[Hashable, MaybeUnknown, Any]] = []
    again: list[tuple[Hashable, MaybeUnknown, Any]] = []
    for value in values:
        (again if rows.is_again else first).append((rows.row, rows.times, value))
    if len(first) != len(again) or not all(map(_is_said_again, first, again)):
        refuse("summed by what is not the same each time a row occurs, such as a draw")
    result = start
    for _, times, value in first:
        if not NUMBERS.issuperset((type(value), type(start))):
            refuse("summed by what is no int, Fraction or exact number, of which the order or rounding may matter")
        result = result + times * (int(value) if isinstance(value, bool) else value)
    return result


def _is_said_again(first: tuple[Hashable, object, Any], again: tuple[Hashable, object, Any]) -> bool:
    (row, _, value), (same_row, _, other) = first, again
    if row is not same_row:
        return False
    return value is other or (
        type(value) is type(other) and isinstance(value, int | float | Fraction | Decimal) and bool(value == other)
    )


def _goes_through(values: Any) -> RowsTwice | None:
    """The one who goes through the rows for a generator `… for row in rows …`; None for other values."""
    while isinstance(values, GeneratorType) and values.gi_frame is not None:
        values = values.gi_frame.f_locals.get(".0")  # the iterator that a generator expression was given
    return values if isinstance(values, RowsTwice) else None


def _watched(values: Any) -> Reached:
    """All that the code reaches that says something of each row."""
    with _noted():
        return Reached(len, (), {}) if isinstance(values, RowsTwice) else reached_by_generator(values)


@contextmanager
def _noted() -> Iterator[None]:
    """Makes a refusal within it UNDECIDED, also where a mechanism catches it."""
    try:
        yield
    except InputError as error:
        undecided = Undecided(
            not_known.NOT_FOR_ANY_SIZE,
            f"a sum over a database of unknown size {error}{place_in_brackets(place_now(sys._getframe(1)))}",
            "write sum(… for row in rows if …)",
        )
        notes.refused = notes.refused or undecided
        raise undecided from None


def _len(values: Any, /) -> Any:
    return size_of(values) if isinstance(values, UnknownRows) else _plain_len(values)


def _update(self: Counter[Any], iterable: Any = None, /, **counts: Any) -> None:
    if isinstance(iterable, UnknownRows):
        results = [(row, times) for row, times in iterable.occurring() if times > 0]
        for row, times in results:
            self[row] = self.get(row, 0) + times
        key_order.fills(self, [row for row, _ in results])
        iterable = None
    _plain_update(self, iterable, **counts)


@contextmanager
def counted_rows() -> Iterator[None]:
    """While it lasts, `len`, `sum` and `Counter` know databases of unknown size."""
    builtins.len, builtins.sum = _len, _sum
    Counter.update = _update  # type: ignore[method-assign]
    try:
        with orders_noted():
            yield
    finally:
        builtins.len, builtins.sum = _plain_len, _plain_sum
        Counter.update = _plain_update  # type: ignore[method-assign]
