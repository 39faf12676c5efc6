"""Outcomes that are equal and yet not the same, such as True and 1, or 0.0 and -0.0.

A law holds each outcome once, and equal ones are one. Whoever looks at an outcome can tell True from 1, though: another
mechanism that draws it, or the reader of what `run` returns. Such outcomes are refused, wherever they would be merged.
"""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import chain
from types import NoneType
from typing import Any, Final

from dpverify.mechanisms.numbers.containers import Kind, as_returned
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import Sum, Term
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber
from dpverify.mechanisms.numbers.plain_numbers import Real
from dpverify.mechanisms.numbers.shown import shown

_PLAIN: Final = frozenset({NoneType, bool, int, str, bytes, Fraction, Real, Term, Sum})
"""Types of which two equal values are the same."""

_RATIONAL: Final = frozenset({int, WholeNumber, Fraction})
"""Three types for one thing: a sum of Fractions is 1 or Fraction(1, 1) by chance of how it was added up."""


def refuse_lookalike(first: Any, second: Any, where: str = "") -> None:
    """Raises `InputError`, naming both, where two outcomes that are equal are not the same.

    The same are: equal numbers, texts and truth values of one type, an int and a Fraction too; tuples, frozensets and
    dataclasses that hold the same, in fields with `compare=False` as well; and other objects of one type that hold the
    same and read the same.
    """
    if not same(first, second):
        raise InputError(
            bad_mechanism.LOOKALIKE, f"{shown(second)}{_of_type(second)}{where}", f"{shown(first)}{_of_type(first)}"
        )


def same(first: Any, second: Any) -> bool:
    """True where two outcomes that are equal are the same; see `refuse_lookalike`."""
    if first is second:
        return True
    kind = type(first)
    if kind is not type(second):
        return kind in _RATIONAL and type(second) in _RATIONAL
    if kind in _PLAIN:
        return True
    if kind is tuple:
        return all(map(same, first, second))
    if kind is Kind:  # a metaclass may call two classes equal
        return first.type is second.type and all(map(same, first.details, second.details))
    if kind is frozenset:
        others = {other: other for other in second}
        return all(same(part, others[part]) for part in first)
    if isinstance(first, Enum | type):
        return False
    return _parts_are_the_same(first, second)


def in_one_order(first: Any, second: Any) -> bool:
    """True where the frozensets in two outcomes that are the same are gone through in one order."""
    if isinstance(first, tuple | frozenset):
        return len(first) == len(second) and all(map(_equal_in_one_order, first, second))
    return type(first) in _PLAIN or all(
        in_one_order(mine, other) for (_, mine), (_, other) in zip(state(first), state(second), strict=False)
    )


def _equal_in_one_order(first: Any, second: Any) -> bool:
    return first is second or (bool(first == second) and in_one_order(first, second))


def _parts_are_the_same(first: Any, second: Any) -> bool:
    """Of two objects of one type: what is in them, and, unless that is all there is to see, how they read."""
    mine, others = dict(state(first)), dict(state(second))
    if mine.keys() != others.keys() or not all(_equal_and_same(mine[name], others[name]) for name in mine):
        return False
    if isinstance(first, tuple):
        return len(first) == len(second) and all(map(_equal_and_same, first, second))
    if isinstance(first, dict) and not _equal_and_same(tuple(first.items()), tuple(second.items())):
        return False
    kind: Any = type(first)
    if kind.__repr__ is object.__repr__ or (is_dataclass(first) and mine):
        return True
    return repr(first) == repr(second)


def _equal_and_same(first: Any, second: Any) -> bool:
    return first is second or (bool(first == second) and same(first, second))


def state(value: Any) -> Iterator[tuple[str, Any]]:
    """The attributes of an object, in its fields, its slots and its `__dict__`; what is computed from them left out."""
    kind: Any = type(value)
    for name in dict.fromkeys((*_declared(kind), *getattr(value, "__dict__", ()))):
        if not isinstance(getattr(kind, name, None), cached_property) and hasattr(value, name):
            yield name, getattr(value, name)


@lru_cache(maxsize=256)
def _declared(kind: type) -> tuple[str, ...]:
    """The fields and the slots that a class has from its making on."""
    named = [field.name for field in fields(kind)] if is_dataclass(kind) else []
    return (*named, *slot_names(kind))


@lru_cache(maxsize=256)
def slot_names(kind: type) -> tuple[str, ...]:
    """The names of the slots that objects of a class have."""
    return tuple(chain.from_iterable(map(_slots, kind.__mro__)))


def _slots(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else tuple(slots)
    return tuple(_mangled(name, kind) for name in names if name not in ("__dict__", "__weakref__"))


def _mangled(name: str, kind: type) -> str:
    """The form that Python gives to a private name."""
    private = name.startswith("__") and not name.endswith("__")
    return f"_{kind.__name__.lstrip('_')}{name}" if private else name


def _of_type(value: Any) -> str:
    return f" of type {type(as_returned(value)).__name__}"
