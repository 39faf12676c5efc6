"""Whether a mechanism reads the order of its rows: by its code, by what it is, and by rows that note what they are asked.

Rows that are watched are no tuple: code in C reads a tuple, and what is derived from one, without asking. They answer
how often a row occurs, how many there are, and whether one is there; whatever else is asked of them reads the order.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from typing import Any, Final, NoReturn

from dpverify.mechanisms.counting.qualities import AllAtOnce, OfCounts
from dpverify.mechanisms.drawing.sorted_rows import InSortedOrder
from dpverify.mechanisms.drawing.symmetric import Relabellings, Symmetric
from dpverify.mechanisms.finer_releases.before_post_processing import BeforePostProcessing
from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.instructions.rows_counted import asks_for_counts_alone
from dpverify.mechanisms.numbers.errors import Interruption
from dpverify.mechanisms.selection.by_quality import Selection
from dpverify.verifiers.tables.counted_rows import is_compared_plainly


class OrderRead(Interruption):
    """Ends a run that reads the order of its rows."""


class WatchedRows(Sequence[Any]):
    """Rows of which counts, their number and membership can be asked; what reads their order is ended, and noted."""

    __slots__ = ("_noted", "_rows")

    def __init__(self, rows: tuple[Hashable, ...]) -> None:
        self._rows = rows
        self._noted: list[str] = []

    def count(self, value: Any) -> int:
        """The number of rows that equal a value, which Python alone compares with them."""
        return self._rows.count(value) if is_compared_plainly(value) else self._read("count")

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, value: Any) -> bool:
        return value in self._rows if is_compared_plainly(value) else self._read("in")

    def _read(self, how: str) -> NoReturn:
        self._noted.append(how)
        raise OrderRead

    def _refused(self, *_: Any, **__: Any) -> NoReturn:
        self._read("another use")

    def __getitem__(self, index: Any) -> NoReturn:
        self._read("an index")

    def __iter__(self) -> Iterator[Any]:
        self._read("iteration")

    def __getattr__(self, name: str) -> NoReturn:
        self._read(name)

    @property
    def __class__(self) -> Any:  # type: ignore[override]  # which isinstance answers as of a tuple
        return tuple

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refused
    __hash__ = __repr__ = __str__ = __format__ = __reduce_ex__ = __copy__ = __deepcopy__ = _refused  # type: ignore[assignment]
    __add__ = __radd__ = __mul__ = __rmul__ = __reversed__ = __bytes__ = __dir__ = __sizeof__ = _refused
    index = _refused


def order_was_read(rows: WatchedRows) -> bool:
    """True where something was asked of watched rows that may depend on their order."""
    return bool(object.__getattribute__(rows, "_noted"))


def puts_in_order(mechanism: Mechanism) -> bool:
    """True where a mechanism puts its rows in one order itself, whatever it does with them then."""
    made = _inner(mechanism)
    return type(made) is InSortedOrder or (type(made) is Symmetric and type(made.under) is Relabellings)


def is_of_counts(mechanism: Mechanism) -> bool:
    """True where the code of a mechanism, or of its quality, asks its rows for counts, length and membership alone."""
    made = _inner(mechanism)
    if type(made) is Selection:
        quality = made.quality
        of_database = quality.of_database if type(quality) is AllAtOnce else quality
        return type(quality) is OfCounts or asks_for_counts_alone(of_database, 0)
    return asks_for_counts_alone(made, 1)


def _inner(mechanism: Any) -> Any:
    """A mechanism without what is put around it that hands it the rows as they are."""
    while True:
        if type(mechanism) is BeforePostProcessing:
            mechanism = mechanism.mechanism
        elif type(mechanism) is partial and not mechanism.args:
            mechanism = mechanism.func
        else:
            return mechanism


def spread(positions: Sequence[int], count: int) -> list[int]:
    """Some of the positions, spread out over all of them, the last one among them."""
    step = max(1, -(-len(positions) // count))
    return list(positions[::-step])


FEW_WATCHED: Final = 8
"""Multisets of which it is looked at first whether their order is read: most code reads that of all, or of none."""
