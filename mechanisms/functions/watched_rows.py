"""Rows that note what a mechanism asks of them: counts, their number and membership, or something else.

They are no tuple: code in C reads a tuple, and what is derived from one, without asking. Whatever is asked of them but
how often a row occurs, how many there are, and whether one is there, reads their order; `sorted_by_value` does not, nor
does a loop whose rounds may come in any order: see `program_states`.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import count
from typing import Any, Final, NoReturn

from dpverify.mechanisms.functions.outcomes import is_plain
from dpverify.mechanisms.numbers.errors import Interruption
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber


class OrderRead(Interruption):
    """Ends a run that reads the order of its rows."""


class WatchedRows(Sequence[Any]):
    """Rows of which counts, their number and membership can be asked; what reads their order is ended, and noted."""

    __slots__ = ("_noted", "_rows", "serial")

    def __init__(self, rows: tuple[Hashable, ...]) -> None:
        self._rows = rows
        self._noted: list[OrderRead] = []
        self.serial: Final = next(_SERIALS)
        """Its number among all, by which a law on it may be remembered."""

    def count(self, value: Any) -> int:
        """The number of rows that equal a value, which Python alone compares with them."""
        return self._rows.count(value) if _is_compared_by_python(value) else self._read()

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, value: Any) -> bool:
        return value in self._rows if _is_compared_by_python(value) else self._read()

    def _read(self) -> NoReturn:
        self._noted.append(OrderRead())
        raise self._noted[-1]

    def _refused(self, *_: Any, **__: Any) -> NoReturn:
        self._read()

    def __getitem__(self, index: Any) -> NoReturn:
        self._read()

    def __iter__(self) -> Iterator[Any]:
        self._read()

    def __getattr__(self, name: str) -> NoReturn:
        self._read()

    @property  # type: ignore[misc]  # which isinstance answers as of a tuple
    def __class__(self) -> Any:
        return tuple

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refused
    __hash__ = __repr__ = __str__ = __format__ = __reduce_ex__ = __copy__ = __deepcopy__ = _refused
    __add__ = __radd__ = __mul__ = __rmul__ = __reversed__ = __bytes__ = __dir__ = __sizeof__ = _refused
    index = _refused


def in_no_order(rows: WatchedRows) -> tuple[Any, ...]:
    """The rows, for a function that gives the same in every order of them, and calls no code of somebody's with them.

    Where Python does not compare them alone, the run is ended as by any other use.
    """
    known: tuple[Any, ...] = object.__getattribute__(rows, "_rows")
    return known if all(map(_is_compared_by_python, known)) else rows._read()


def forget_notes(values: Iterable[Any]) -> None:
    """Forget what was noted of watched rows among some values, for a run that begins again in another way."""
    for value in values:
        if type(value) is WatchedRows:
            object.__getattribute__(value, "_noted").clear()


def order_was_read(rows: WatchedRows) -> bool:
    """True where something was asked of watched rows that may depend on their order."""
    return bool(object.__getattribute__(rows, "_noted"))


def _is_compared_by_python(value: Any) -> bool:
    """True where no code of somebody's is called when a value is compared with rows, and could note which these are."""
    return is_plain(value) or type(value) in (float, WholeNumber)


_SERIALS: Final = count()
