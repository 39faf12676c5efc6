"""Keys for values that cannot change: what a law may be remembered under."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import is_dataclass
from enum import Enum
from fractions import Fraction
from itertools import chain
from operator import is_
from types import CodeType, FunctionType
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

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
        plain = _plain_types(value)
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


def _plain_types(value: tuple[Any, ...]) -> tuple[type, ...]:
    """The types of parts that are all plain; one where all have it, or all parts of all parts: databases are long."""
    kinds = set(map(type, value))
    if kinds <= _PLAIN:
        return tuple(kinds) if len(kinds) == 1 else tuple(map(type, value))
    if kinds == {tuple}:
        parts = set(map(type, chain.from_iterable(value)))
        if len(parts) == 1 and parts <= _PLAIN:
            return tuple, *parts
    return ()


class _Seen(NamedTuple):
    """What a function was seen to see, and its key but for the parts that may change and yet be the same objects."""

    code: CodeType
    parts: tuple[Any, ...]
    key: Hashable
    changeable: tuple[int, ...]


_SEEN: Final[WeakKeyDictionary[FunctionType, _Seen]] = WeakKeyDictionary()
"""Of functions without a closure: a mechanism is drawn from again and again, and most of it stays as it is."""


def _fixed_function(function: FunctionType, within: tuple[FunctionType, ...]) -> Hashable:
    if function in within:
        return function.__code__
    around = (*within, function)
    parts = _parts_of(function)
    if function.__closure__:  # which may hold the function itself, and keep it alive
        cells = _contents(function)
        return function.__code__, id(function.__globals__), tuple(fixed(part, around) for part in (*cells, *parts))
    seen = _SEEN.get(function)
    if not (
        seen is not None
        and seen.code is function.__code__
        and len(seen.parts) == len(parts)
        and all(map(is_, seen.parts, parts))
    ):
        seen = _SEEN[function] = _seen(function, parts)
    return seen.key, tuple(fixed(parts[i], around) for i in seen.changeable)


def _contents(function: FunctionType) -> list[Any]:
    try:
        return [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError:  # not assigned yet
        raise Changeable from None


def _seen(function: FunctionType, parts: tuple[Any, ...]) -> _Seen:
    changeable = tuple(i for i, part in enumerate(parts) if not _stays(part))
    stays = tuple(_CHANGEABLE if i in changeable else fixed(part) for i, part in enumerate(parts))
    return _Seen(function.__code__, parts, (function.__code__, id(function.__globals__), stays), changeable)


def _stays(part: Any) -> bool:
    """Whether the key of a value is the same as long as the value is the same object."""
    kind = type(part)
    return kind in _PLAIN or isinstance(part, Enum | type) or (kind is tuple and bool(not part or _plain_types(part)))


_CHANGEABLE: Final = "looked at anew"


def _parts_of(function: FunctionType) -> tuple[Any, ...]:
    """What a function sees besides its closure, one after another, with how many there are where that may change.

    Of globals the plain values: a mechanism may bind another one between two draws; of annotations that are objects,
    such as list[int], their text.
    """
    seen = function.__globals__
    keywords, attributes, annotations = function.__kwdefaults__ or {}, function.__dict__, function.__annotations__
    kinds = annotations.values()
    return (
        function.__name__,
        function.__qualname__,
        function.__doc__,
        function.__module__,
        function.__defaults__,
        len(keywords),
        *keywords,
        *keywords.values(),
        len(attributes),
        *attributes,
        *attributes.values(),
        *annotations,
        *(kinds if set(map(type, kinds)) <= _TEXT else map(_plain_or_text, kinds)),
        *[
            value if type(value := seen.get(name, _MISSING)) in _PLAIN else _MISSING
            for name in function.__code__.co_names
        ],
    )


_TEXT: Final = frozenset({str})


class _Missing(Enum):
    """In place of a global that is none, or no plain one."""

    MISSING = 0


_MISSING: Final = _Missing.MISSING


def _plain_or_text(kind: Any) -> Any:
    return kind if type(kind) in _PLAIN or isinstance(kind, type) else repr(kind)
