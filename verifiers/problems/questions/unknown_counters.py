"""A Counter of unknown rows: its keys come in the order in which rows first occur, and that may be any.

Most of what is done with a Counter does not ask for it: to look a row up, to sum, count or sort. Whoever goes through
one asks for it, by a loop or in whatever other way: that is noted, and the law is found in every order.
"""

import builtins
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.functions.post_processing import STAND_INS
from dpverify.mechanisms.numbers.exact_numbers import Sum, Term
from dpverify.mechanisms.numbers.integers.unknown_numbers import UnknownNumber
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber

NUMBERS: Final = frozenset((int, bool, WholeNumber, Fraction, Term, Sum, UnknownNumber))
"""Exact types of which a sum is the same in every order, and n of them are n times one."""


class _KeyOrder:
    """Counters that hold unknown rows, with these rows, and whether somebody has asked for the order of them."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Forget all."""
        self.counters: dict[int, Any] = {}
        self.rows: dict[Hashable, None] = {}
        self.is_asked = False

    def fills(self, counter: Any, rows: Iterable[Hashable]) -> None:
        """Note that a Counter was filled with rows of unknown order."""
        self.counters[id(counter)] = counter
        self.rows.update(dict.fromkeys(rows))

    def is_of(self, counter: Any) -> bool:
        """True where a Counter, or what shows one, holds more than one row of unknown order."""
        return id(counter) in self.counters and dict.__len__(counter) > 1

    def ask(self, counter: Any) -> None:
        """Note that somebody goes through a Counter."""
        if self.is_of(counter):
            self.is_asked = True


key_order: Final = _KeyOrder()
"""State of the run at hand, of which there is one."""

_PLAIN: Final = {name: getattr(builtins, name) for name in ("sum", "sorted", "max", "min")}


class _Shown:
    """The keys, values or items of a Counter of unknown rows: to go through them asks for their order."""

    __slots__ = ("counter", "shown")

    def __init__(self, counter: Any, shown: Any) -> None:
        self.counter = counter
        self.shown = shown

    def __iter__(self) -> Iterator[Any]:
        key_order.ask(self.counter)
        yield from self.shown

    def __reversed__(self) -> Iterator[Any]:
        key_order.ask(self.counter)
        yield from reversed(self.shown)

    def __len__(self) -> int:
        return len(self.shown)

    def __contains__(self, value: object) -> bool:
        return value in self.shown

    def __getattr__(self, name: str) -> Any:
        key_order.ask(self.counter)
        return getattr(self.shown, name)

    __hash__ = None  # type: ignore[assignment]


def _operator(name: str) -> Any:
    def method(self: _Shown, other: Any) -> Any:
        key_order.ask(self.counter)
        return getattr(self.shown, name)(other.shown if isinstance(other, _Shown) else other)

    return method


for _name in ("eq", "ne", "lt", "le", "gt", "ge", "and", "or", "sub", "xor", "rand", "ror", "rsub", "rxor"):
    setattr(_Shown, f"__{_name}__", _operator(f"__{_name}__"))


def shown_in_any_order(values: Any) -> Any:
    """Content of a Counter of unknown rows, for one who does not depend on the order of it; None for other values."""
    if isinstance(values, _Shown):
        return values.shown
    return dict.keys(values) if isinstance(values, Counter) and key_order.is_of(values) else None


def _by(name: str) -> Any:
    plain = _PLAIN[name]

    def found(*args: Any, **kwargs: Any) -> Any:
        shown = shown_in_any_order(args[0]) if len(args) == 1 and not kwargs.keys() - {"reverse", "default"} else None
        if shown is not None and _is_in_one_order(tuple(shown)):
            return plain(tuple(shown), **kwargs)
        return plain(*args, **kwargs)

    found.__name__ = name
    STAND_INS[found] = plain
    return found


def _is_in_one_order(values: tuple[Any, ...]) -> bool:
    """True where comparisons put values in one order, but for equal ones that cannot be told apart."""
    kinds = {type(value) for value in values}
    if kinds <= {int, UnknownNumber} or kinds in ({str}, {bytes}):  # sets cannot be hashed
        return True
    return (
        kinds == {tuple} and all(map(_is_in_one_order, zip(*values, strict=False))) and len(set(map(len, values))) == 1
    )


def _iter(self: Any) -> Iterator[Any]:
    key_order.ask(self)
    return dict.__iter__(self)


def _reversed(self: Any) -> Iterator[Any]:
    key_order.ask(self)
    return dict.__reversed__(self)


def _keys(self: Any) -> Any:
    return _Shown(self, dict.keys(self)) if key_order.is_of(self) else dict.keys(self)


def _values(self: Any) -> Any:
    return _Shown(self, dict.values(self)) if key_order.is_of(self) else dict.values(self)


def _items(self: Any) -> Any:
    return _Shown(self, dict.items(self)) if key_order.is_of(self) else dict.items(self)


def _popitem(self: Any) -> Any:
    key_order.ask(self)
    return dict.popitem(self)


_METHODS: Final = {
    "__iter__": _iter,
    "__reversed__": _reversed,
    "keys": _keys,
    "values": _values,
    "items": _items,
    "popitem": _popitem,
}


@contextmanager
def orders_noted() -> Iterator[None]:
    """While it lasts, who goes through a Counter of unknown rows is noted; sorted, max and min are not."""
    for name, method in _METHODS.items():
        setattr(Counter, name, method)
    for name in ("sorted", "max", "min"):
        setattr(builtins, name, _by(name))
    try:
        yield
    finally:
        for name in _METHODS:
            delattr(Counter, name)
        for name in ("sorted", "max", "min"):
            setattr(builtins, name, _PLAIN[name])
