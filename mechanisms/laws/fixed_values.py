"""Keys for values that cannot change: what a law may be remembered under."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import is_dataclass
from enum import Enum
from fractions import Fraction
from itertools import chain
from types import FunctionType
from typing import Any, Final

from dpverify.mechanisms.exact.exact_numbers import Sum, Term
from dpverify.mechanisms.laws.lookalikes import state


class Changeable(Exception):
    """A value that may be another one later, and yet the same object."""


_PLAIN: Final = frozenset({type(None), bool, int, str, bytes, range, Fraction, Term, Sum})


def fixed(value: Any, within: tuple[FunctionType, ...] = ()) -> Hashable:
    """A key that two values share only if they are alike for good: 1 and True are not, nor (1,) and (True,).

    Functions are alike if their code is, their attributes, and all that they see but objects of their module; frozen
    dataclasses if all is that they hold, in fields or beside them. A dict is what it holds, in its order, at the time.
    Raises `Changeable` for a value of another type than plain ones, tuples, frozensets, dicts, members of an Enum and
    frozen dataclasses of them.
    """
    kind = type(value)
    if kind in _PLAIN or isinstance(value, Enum | type):
        return kind, value
    if kind is tuple:
        plain = _one_plain_type(value)
        return (kind, *plain, value) if plain else (kind, tuple(fixed(part, within) for part in value))
    if kind is dict:
        return kind, fixed(tuple(value), within), fixed(tuple(value.values()), within)
    if kind is frozenset:
        return kind, frozenset(fixed(part, within) for part in value)
    if kind is FunctionType:
        return _fixed_function(value, within)
    if is_dataclass(value) and kind.__dataclass_params__.frozen:
        return kind, tuple((name, fixed(part, within)) for name, part in state(value))
    raise Changeable


def _one_plain_type(value: tuple[Any, ...]) -> tuple[type, ...]:
    """The type of all parts, where that is a plain one, or that of all parts of all parts: databases are long."""
    kinds = set(map(type, value))
    if len(kinds) == 1 and kinds <= _PLAIN:
        return tuple(kinds)
    if kinds == {tuple}:
        parts = set(map(type, chain.from_iterable(value)))
        if len(parts) == 1 and parts <= _PLAIN:
            return tuple, *parts
    return ()


def _fixed_function(function: FunctionType, within: tuple[FunctionType, ...]) -> Hashable:
    if function in within:
        return function.__code__
    around = (*within, function)
    try:
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError:  # not assigned yet
        raise Changeable from None
    named = (function.__name__, function.__qualname__, function.__doc__, function.__module__)
    of_itself = (*named, *sorted(function.__dict__.items()), *_annotations(function), *_plain_globals(function))
    seen = (*cells, function.__defaults__, *(function.__kwdefaults__ or {}).items(), *of_itself)
    return function.__code__, id(function.__globals__), tuple(fixed(value, around) for value in seen)


def _annotations(function: FunctionType) -> tuple[tuple[str, Any], ...]:
    """A function's annotations; those that are objects, such as list[int], by their text."""
    return tuple((name, _plain_or_text(kind)) for name, kind in function.__annotations__.items())


def _plain_or_text(kind: Any) -> Any:
    return kind if type(kind) in _PLAIN or isinstance(kind, type) else repr(kind)


def _plain_globals(function: FunctionType) -> list[tuple[str, Any]]:
    """The plain values of globals that the code names: a mechanism may bind another one between two draws."""
    seen = function.__globals__
    return [
        (name, seen[name]) for name in function.__code__.co_names if type(seen.get(name)) in _PLAIN and name in seen
    ]
