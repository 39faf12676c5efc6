"""Keys of values and calls: two share one only if they are alike for good, and nothing that a run does changes that.

What has no such key is not remembered, such as a list, or a function that was made around one.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import is_dataclass
from enum import Enum
from fractions import Fraction
from functools import partial
from hashlib import sha256
from itertools import chain
from types import CodeType, FunctionType
from typing import Any, Final

from dpverify.mechanisms.functions.lookalikes import state
from dpverify.mechanisms.functions.watched_rows import WatchedRows
from dpverify.mechanisms.numbers.cached_results import identity
from dpverify.mechanisms.numbers.exact_numbers import Sum, Term
from dpverify.mechanisms.numbers.integers.unknown_numbers import UnknownNumber
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber
from dpverify.mechanisms.numbers.symbols import notes


def is_frozen(kind: Any) -> bool:
    """True where a class is a frozen dataclass."""
    return is_dataclass(kind) and bool(getattr(kind, "__dataclass_params__").frozen)  # noqa: B009  # mypy has no such


class Changeable(Exception):
    """A value that may be another one later, and yet the same object."""


class Same:
    """In a key an object that is equal to itself alone; the key keeps it alive."""

    __slots__ = ("of",)

    def __init__(self, of: Any) -> None:
        self.of: Final = of

    def __eq__(self, other: object) -> bool:
        return type(other) is Same and self.of is other.of

    def __hash__(self) -> int:
        return object.__hash__(self.of)


_PLAIN: Final = frozenset({type(None), bool, int, str, bytes, range, WholeNumber, Fraction, Term, Sum})
_EQUAL_IF_ALIKE: Final = _PLAIN - {range}
_NAMED: Final = (Enum, type)
_IS_LONG: Final = 8
_MOST_LONG: Final = 1 << 12
_LONG: Final[dict[int, tuple[Any, ...]]] = {}
"""By the identity of a long tuple of plain parts, which is in it, its key: a database is asked for in every run."""
FROZEN_SETS: Final[set[type]] = {frozenset}
"""The types of sets that nothing changes; `language.sets`, which stands above this module, adds its own."""


def fixed(value: Any, met: dict[int, int] | None = None) -> Hashable:
    """A key that two values share only if they are alike for good: 1 and True are not, nor (1,) and (True,).

    Functions are alike if they have one code and one namespace, and see alike values around them; frozen dataclasses if
    all is that they hold, in fields or beside them. A dict is what it holds, in its order, at the time, and so is a
    `functools.partial`; a frozenset has the order in which it is gone through. Of what == tells apart by identity the
    key holds which are the same: they are numbered in the order in which they are `met`. Raises `Changeable` for a
    value of another type than plain ones, tuples, frozensets, dicts, members of an Enum, and what was named.
    """
    kind = type(value)
    if kind is Fraction:
        return kind, value.numerator, value.denominator  # whose hashes take a tenth of the time
    if kind is range:  # equal ones have one length, and may end elsewhere
        return kind, value.start, value.stop, value.step
    if kind in _PLAIN:
        return kind, value
    if kind is WatchedRows:
        return kind, value.serial
    if kind is UnknownNumber and notes.answers is None:  # else it is what others answer
        return kind, value.kind, value.number
    met = {} if met is None else met
    if kind is tuple:
        return _fixed_tuple(value, met)
    if kind is dict:
        return kind, fixed(tuple(value), met), fixed(tuple(value.values()), met)
    if kind in FROZEN_SETS:  # equal ones may be gone through in another order
        return kind, tuple([fixed(part, met) for part in value])
    if kind is FunctionType:
        return _fixed_function(value, met)
    if kind is partial:
        held = (value.func, value.args, value.keywords, vars(value))
        return kind, met.setdefault(id(value), len(met)), tuple([fixed(part, met) for part in held])
    if isinstance(value, _NAMED):
        return kind, value
    if is_frozen(kind):
        number = None if is_compared_by_fields(kind) else met.setdefault(id(value), len(met))
        return kind, number, tuple([(name, fixed(part, met)) for name, part in state(value)])
    raise Changeable


def _fixed_tuple(value: tuple[Any, ...], met: dict[int, int]) -> Hashable:
    is_long = len(value) >= _IS_LONG
    known = _LONG.get(identity(value)) if is_long else None
    if known is not None:
        return known
    plain = _plain_types(value)
    if not plain:
        return tuple, tuple([fixed(part, met) for part in value])
    key = (tuple, *plain, value)
    if is_long:
        if len(_LONG) >= _MOST_LONG:
            _LONG.clear()
        _LONG[identity(value)] = key
    return key


def _fixed_function(function: FunctionType, met: dict[int, int]) -> Hashable:
    known = met.get(id(function))
    if known is not None:
        return FunctionType, known
    met[id(function)] = number = len(met)
    named = (Same(function.__code__), Same(function.__globals__))
    try:
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError:  # not assigned yet
        raise Changeable from None
    held = (function.__defaults__, function.__kwdefaults__, function.__dict__ or None, *cells)
    return FunctionType, number, named, tuple([fixed(part, met) for part in held])


def is_compared_by_fields(kind: Any) -> bool:
    """True where `dataclass` has written how objects compare."""
    compare = vars(kind).get("__eq__")
    return type(compare) is FunctionType and compare.__code__.co_filename == "<string>"


def key_of_call(mechanism: Callable[..., Any], args: tuple[Any, ...], parameters: Mapping[str, Any]) -> Hashable | None:
    """A key to remember a distribution under; None where something about it can change."""
    try:
        met: dict[int, int] = {}
        named = [(name, fixed(parameters[name], met)) for name in sorted(parameters)]
        return fixed(mechanism, met), tuple([fixed(arg, met) for arg in args]), tuple(named)
    except (Changeable, RecursionError):  # a dict may hold itself
        return None


def _plain_types(value: tuple[Any, ...]) -> tuple[type, ...]:
    """The types of parts that are all plain; one where all have it, or all parts of all parts: databases are long."""
    kinds = set(map(type, value))
    if kinds <= _EQUAL_IF_ALIKE:
        return tuple(kinds) if len(kinds) == 1 else tuple(map(type, value))
    if kinds == {tuple}:
        parts = set(map(type, chain.from_iterable(value)))
        if len(parts) == 1 and parts <= _EQUAL_IF_ALIKE:
            return tuple, *parts
    return ()


# --- Keys in other processes


def name_of_key(key: Hashable) -> bytes:
    """Eight bytes that a key has in every process that runs the same files, to count how many there are in all."""
    return sha256(_text_of_key(key).encode("utf-8", "surrogatepass")).digest()[:8]


def _text_of_key(key: Any) -> str:
    if isinstance(key, tuple):
        return f"({','.join(map(_text_of_key, key))})"
    if isinstance(key, frozenset):
        return f"{{{','.join(sorted(map(_text_of_key, key)))}}}"
    if isinstance(key, Same):
        return _text_of_key(key.of) if isinstance(key.of, CodeType) else str(key.of.get("__name__"))
    if isinstance(key, CodeType):
        return f"{key.co_filename}:{key.co_firstlineno}:{key.co_qualname}:{key.co_code.hex()}"
    return f"{key.__module__}.{key.__qualname__}" if isinstance(key, type) else repr(key)
