"""The form in which a law holds lists, dicts, named tuples and dataclasses: see `numbers.containers`."""

from collections import defaultdict
from collections.abc import Callable, Hashable
from dataclasses import fields, is_dataclass
from functools import lru_cache, partial
from operator import is_
from types import BuiltinFunctionType, FunctionType
from typing import Any, Final, NoReturn

from dpverify.mechanisms.functions.lookalikes import state
from dpverify.mechanisms.numbers.containers import DICTS, Held, Kind
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.packages import TOPICS

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
            bad_mechanism.RETURNED,
            f"a {type(outcome).__name__} that holds itself, or that is nested too deeply",
            "a tuple",
        ) from None


def _held(value: Any) -> Any:
    kind: Any = type(value)
    way = _way(kind)
    return value if way is None else way(value)


@lru_cache(maxsize=1 << 10)
def _way(kind: Any) -> Callable[[Any], Any] | None:
    """The way in which values of a type are brought into the form; None for those that hold no container."""
    if kind is tuple:
        return _held_tuple
    if kind is list:
        return lambda value: (_LIST, *map(_held, value))
    if issubclass(kind, dict):
        return _held_dict
    if issubclass(kind, list):
        return partial(_refuse, instead="list(…) of it")
    if issubclass(kind, Held):
        return lambda value: (Kind(kind, value.details), *map(_held, value.items()))
    if is_dataclass(kind):
        of_its_own = _held_object if _is_its_attributes(kind) else partial(_refuse, instead=_DATACLASS)
        return of_its_own if is_for_people(kind) else None
    if issubclass(kind, tuple) and kind.__iter__ is not tuple.__iter__ and is_for_people(kind):
        return partial(_refuse, instead="tuple(…) of it")
    if hasattr(kind, "as_plain"):  # an ordered set of the language
        return lambda value: kind.as_plain(map(_held, value))
    return _held_named if issubclass(kind, tuple) and hasattr(kind, "_fields") else None


def is_for_people(kind: Any) -> bool:
    """False for the types that this library computes with: noise, numbers, places in laws."""
    package, _, rest = str(kind.__module__).partition("dpverify.mechanisms.")
    return bool(package) or not rest or rest.partition(".")[0] in TOPICS


def _is_ours(kind: type) -> bool:
    """True for a class of this library: no noise is in such outcomes, of which papers' algorithms have many."""
    return kind.__module__.startswith("dpverify.")


def _is_its_attributes(kind: Any) -> bool:
    """False for a class that extends one in C, such as str, whose objects hold more than their attributes."""
    return not any(isinstance(vars(base).get("__new__"), BuiltinFunctionType) for base in kind.__mro__[:-1])


def _held_tuple(value: Any) -> Any:
    if not any(map(_way, map(type, value))):
        return value
    parts = tuple(map(_held, value))
    return value if all(map(is_, parts, value)) else parts


def _held_named(value: Any) -> Any:
    parts = tuple(map(_held, value))
    if _is_ours(type(value)) and all(map(is_, parts, value)):
        return value
    if getattr(value, "__dict__", None):
        _refuse(value, "a dict of its items")
    return (Kind(type(value)), *parts)


def _held_dict(value: Any) -> Any:
    kind = type(value)
    factory = value.default_factory if isinstance(value, defaultdict) else None
    if kind not in DICTS or not isinstance(factory, type | None) or getattr(value, "__dict__", None):
        _refuse(value, "dict(…) of it")
    details = (factory,) if kind is defaultdict else ()
    return (Kind(kind, details), *((key, _held(part)) for key, part in value.items()))


def _held_object(value: Any) -> Any:
    """A dataclass by all its attributes, those that are not compared too; itself where it is hashed in its own way."""
    attributes = dict(state(value))
    parts = {name: _held(part) for name, part in attributes.items()}
    kind: Any = type(value)
    if _is_hashed_in_its_own_way(kind) and all(parts[name] is attributes[name] for name in parts):
        return value
    names = [field.name for field in fields(value) if field.name in parts]
    names += sorted(parts.keys() - names)
    return (Kind(kind, tuple(names)), *(parts[name] for name in names))


@lru_cache(maxsize=1 << 10)
def _is_hashed_in_its_own_way(kind: Any) -> bool:
    """True for a class whose objects can be hashed, unless it is a frozen dataclass that is equal by all its fields.

    Of such a one nothing is lost by its fields, which may be noise.
    """
    if not issubclass(kind, Hashable) or _is_ours(kind):
        return issubclass(kind, Hashable)
    made = [vars(kind).get(name) for name in ("__eq__", "__hash__")]
    is_generated = all(isinstance(one, FunctionType) and one.__code__.co_filename == "<string>" for one in made)
    return not is_generated or not all(field.compare and field.hash is not False for field in fields(kind))


def _refuse(value: Any, instead: str) -> NoReturn:
    what = f"a {type(value).__name__}, which may hold more than its items"
    raise InputError(bad_mechanism.RETURNED, what, f"{instead}, or a tuple")


_DATACLASS: Final = "a dataclass that extends none of Python's types"
