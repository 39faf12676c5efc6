"""The form in which a law holds lists, dicts and dataclasses that cannot be hashed: see `numbers.containers`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import fields, is_dataclass
from operator import is_
from types import NoneType
from typing import Any, Final

from dpverify.mechanisms.functions.lookalikes import state
from dpverify.mechanisms.numbers.containers import DICTS, Kind
from dpverify.mechanisms.numbers.errors import InputError

_WITHOUT: Final = frozenset({NoneType, bool, int, str, bytes, Kind})
"""Types of what holds no container: most of what is returned."""

_LIST: Final = Kind(list)


def as_held(outcome: Any) -> Any:
    """An outcome as a law holds it: itself where it has no list, dict or dataclass that cannot be hashed.

    Raises `InputError` for what holds itself, and for a subclass of list or dict of which it is not known what it holds
    beside its items.
    """
    try:
        return _held(outcome)
    except RecursionError:
        raise InputError(
            f"returned a {type(outcome).__name__} that holds itself, or that is nested too deeply: return a tuple of "
            "what is in it"
        ) from None


def _held(value: Any) -> Any:
    kind: Any = type(value)
    if kind in _WITHOUT:
        return value
    if kind is tuple:
        if _WITHOUT.issuperset(map(type, value)):
            return value
        parts = tuple(map(_held, value))
        return value if all(map(is_, parts, value)) else parts
    if kind is list:
        return (_LIST, *map(_held, value))
    if isinstance(value, dict):
        factory = value.default_factory if isinstance(value, defaultdict) else None
        if kind not in DICTS or not isinstance(factory, type | None) or getattr(value, "__dict__", None):
            raise _unknown(value, "dict(…) of it")
        details = (factory,) if kind is defaultdict else ()
        return (Kind(kind, details), *((key, _held(part)) for key, part in value.items()))
    if isinstance(value, list):
        raise _unknown(value, "list(…) of it")
    if is_dataclass(kind):
        return _held_object(value)
    if hasattr(kind, "_fields") and isinstance(value, tuple) and kind.__slots__ == ():
        parts = tuple(map(_held, value))
        return value if all(map(is_, parts, value)) else (Kind(kind), *parts)
    return value


def _held_object(value: Any) -> Any:
    """A dataclass by all its attributes, those that are not compared too; itself where it can be hashed."""
    attributes = dict(state(value))
    parts = {name: _held(part) for name, part in attributes.items()}
    if issubclass(type(value), Hashable) and all(parts[name] is attributes[name] for name in parts):
        return value
    names = [field.name for field in fields(value) if field.name in parts]
    names += sorted(parts.keys() - names)
    return (Kind(type(value), tuple(names)), *(parts[name] for name in names))


def _unknown(value: Any, instead: str) -> InputError:
    return InputError(
        f"returned a {type(value).__name__}, which may hold more than its items: return {instead}, or a tuple"
    )
