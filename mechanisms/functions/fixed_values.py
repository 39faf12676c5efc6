"""Keys for values that cannot change: what a law may be remembered under."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import is_dataclass
from enum import Enum
from fractions import Fraction
from functools import partial
from hashlib import sha256
from itertools import chain, repeat
from operator import is_
from types import CodeType, FunctionType, MappingProxyType
from typing import Any, Final, NamedTuple

from dpverify.mechanisms.functions.lookalikes import state
from dpverify.mechanisms.functions.watched_rows import WatchedRows
from dpverify.mechanisms.numbers.exact_numbers import Sum, Term
from dpverify.mechanisms.numbers.integers.unknown_numbers import UnknownNumber
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber


def is_frozen(kind: Any) -> bool:
    """True where a class is a frozen dataclass."""
    return is_dataclass(kind) and bool(getattr(kind, "__dataclass_params__").frozen)  # noqa: B009  # mypy has no such


class Changeable(Exception):
    """A value that may be another one later, and yet the same object."""


_PLAIN: Final = frozenset({type(None), bool, int, str, bytes, range, WholeNumber, Fraction, Term, Sum})
_EQUAL_IF_ALIKE: Final = _PLAIN - {range}
_NAMED: Final = (Enum, type)


class Met:
    """Values met on the way to a key that == tells apart although it holds the same: functions, and partials.

    Each has a number: the one that it is `known` by, or else the place where it was first met.
    """

    def __init__(self, known: Mapping[int, int] = MappingProxyType({})) -> None:
        self._known = known
        self._found: dict[int, int] = {}

    def number(self, value: Any) -> Hashable:
        """The number of an object, and whether it is a known one."""
        known = self._known.get(id(value))
        return self._found.setdefault(id(value), len(self._found)) if known is None else ("known", known)


def fixed(value: Any, within: tuple[FunctionType, ...] = (), met: Met | None = None) -> Hashable:
    """A key that two values share only if they are alike for good: 1 and True are not, nor (1,) and (True,).

    Functions are alike if their code is, their attributes, and all that they see but objects of their module; frozen
    dataclasses if all is that they hold, in fields or beside them. A dict is what it holds, in its order, at the time,
    and so is a `functools.partial`; a frozenset has the order in which it is gone through. Of what == tells apart by
    identity the key holds which are the same: `met` numbers them. Raises `Changeable` for a value of another type than
    plain ones, tuples, frozensets, dicts, members of an Enum, and frozen dataclasses and partials of them.
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
    if kind is UnknownNumber:
        return kind, value.kind, value.number
    met = met or Met()
    if kind is tuple:
        plain = _plain_types(value)
        return (kind, *plain, value) if plain else (kind, tuple([fixed(part, within, met) for part in value]))
    if kind is dict:
        return kind, fixed(tuple(value), within, met), fixed(tuple(value.values()), within, met)
    if kind is frozenset:  # equal ones may be gone through in another order
        return kind, tuple([fixed(part, within, met) for part in value])
    if kind is FunctionType:
        return _fixed_function(value, within, met)
    if kind is partial:
        held = (value.func, value.args, value.keywords, vars(value))
        return kind, met.number(value), tuple([fixed(part, within, met) for part in held])
    if isinstance(value, _NAMED):
        return kind, value
    if is_frozen(kind):
        number = None if _is_compared_by_fields(kind) else met.number(value)
        return kind, number, tuple([(name, fixed(part, within, met)) for name, part in state(value)])
    raise Changeable


def _is_compared_by_fields(kind: Any) -> bool:
    """True where `dataclass` has written how objects compare."""
    compare = vars(kind).get("__eq__")
    return type(compare) is FunctionType and compare.__code__.co_filename == "<string>"


def key_of_call(
    mechanism: Callable[..., Any],
    args: tuple[Any, ...],
    parameters: Mapping[str, Any],
    known: Mapping[int, int] = MappingProxyType({}),
) -> Hashable | None:
    """A key to remember a law under; None where something about it can change.

    `known` has numbers of objects, by their identity, which other code may compare with those that are given.
    """
    try:
        met = Met(known)
        named = tuple([(name, fixed(parameters[name], (), met)) for name in sorted(parameters)])
        return _whole_key(fixed(mechanism, (), met), tuple([fixed(arg, (), met) for arg in args]), named)
    except (Changeable, RecursionError):  # a dict may hold itself
        return None


def _whole_key(function: Hashable, args: Hashable, parameters: Hashable) -> Hashable:
    return function, args, parameters


class CallKeys:
    """Keys of calls, as `key_of_call` gives them, of one claim: most draw from one function, with the same parameters.

    What was found unchangeable is kept, and compared by identity from then on. A function is looked at whenever it is
    drawn from: it may be changed, and changed back, between two draws.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], _KnownCall] = {}

    def key(
        self,
        mechanism: Callable[..., Any],
        args: tuple[Any, ...],
        parameters: Mapping[str, Any],
        known: Mapping[int, int],
    ) -> Hashable | None:
        """See `key_of_call`."""
        place = (id(mechanism), *parameters, *map(id, parameters.values()))
        call = self._known.get(place)
        if call is None or call.numbers is not known or not call.holds():
            call = self._looked_at(place, mechanism, parameters, known)
        plain = None if call is None else _plain_key(args)
        if call is None or plain is None:
            return key_of_call(mechanism, args, parameters, known)
        return _whole_key(call.function, plain, call.parameters)

    def _looked_at(
        self, place: tuple[Any, ...], mechanism: Any, parameters: Mapping[str, Any], known: Mapping[int, int]
    ) -> _KnownCall | None:
        """All that can be known of a call; None where something about it can change unseen."""
        if type(mechanism) is not FunctionType or mechanism.__closure__ or not all(map(_stays, parameters.values())):
            return None
        key = key_of_call(mechanism, (), parameters, known)
        seen = _SEEN.get(id(mechanism.__code__))
        if not isinstance(key, tuple) or seen is None or seen.changeable or not seen.own:
            return None
        _make_room(self._known)
        is_named = _is_named(mechanism)
        values = tuple(parameters.values())
        call = self._known[place] = _KnownCall(mechanism, seen, known, values, key[0], key[2], is_named=is_named)
        return call


class _KnownCall(NamedTuple):
    """A function and parameters, which it keeps, with their part of a key."""

    mechanism: Any
    seen: _Seen
    numbers: Mapping[int, int]
    values: tuple[Any, ...]
    function: Hashable
    parameters: Hashable
    is_named: bool

    def holds(self) -> bool:
        """True where the function sees what it saw."""
        return _sees(self.mechanism, self.seen) and self.is_named == _is_named(self.mechanism)


def _is_named(function: FunctionType) -> bool:
    """True where it is what its module has under its name."""
    return function.__globals__.get(function.__name__) is function


def _plain_key(args: tuple[Any, ...]) -> Hashable | None:
    """The key of arguments that are plain, or tuples of such; None for others."""
    if all(type(arg) is tuple and (not arg or _plain_types(arg)) for arg in args):
        return tuple([fixed(arg) for arg in args])
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


class _Seen(NamedTuple):
    """All that a function was seen to see besides its closure, and the key of all of it that stays as it is."""

    code: CodeType
    place: int
    """The identity of its globals."""
    own: tuple[Any, ...]
    """The objects that it holds itself; nothing where that has to be looked at again."""
    plain: tuple[str, ...]
    """The names in its code that are globals with plain values, which `values` are."""
    values: tuple[Any, ...]
    others: tuple[str, ...]
    """The names in its code that were other globals."""
    absent: tuple[str, ...]
    """The names in its code that were no globals: attributes, most of them."""
    key: Hashable
    changeable: tuple[Any, ...]
    """The content that may change while it stays the same object."""


_MOST: Final = 1 << 10

_SEEN: Final[dict[int, _Seen]] = {}
"""By the identity of a code, which is kept with it: a mechanism is drawn from again and again, and stays as it is.

Of each code what was seen last. Of functions with a closure, which are made anew, what cannot keep one alive.
"""

_KEYS: Final[dict[Hashable, Hashable]] = {}
"""One short key for each long one: a long one would be hashed whenever a law is looked up."""


class _Short:
    """A key that is equal to itself alone; `of` is what it stands for: a code, its module, and all of it that stays."""

    __slots__ = ("of",)

    def __init__(self, code: CodeType, module: object, stays: Hashable) -> None:
        self.of: Final = (code, module, stays)


def _fixed_function(function: FunctionType, within: tuple[FunctionType, ...], met: Met) -> Hashable:
    number = met.number(function), _is_named(function)
    if function in within:
        return number, function.__code__
    around = (*within, function)
    cells = _contents(function)
    seen = _SEEN.get(id(function.__code__))
    if seen is None or not _sees(function, seen):
        seen = _seen(function)
        if not (cells and seen.changeable):
            _make_room(_SEEN)
            _SEEN[id(function.__code__)] = seen
    return seen.key, number, tuple([fixed(part, around, met) for part in (*seen.changeable, *cells)])


def _contents(function: FunctionType) -> list[Any]:
    try:
        return [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError:  # not assigned yet
        raise Changeable from None


def _sees(function: FunctionType, seen: _Seen) -> bool:
    """True where a function sees what was seen: the same objects, and no global that has become plain."""
    own, around = _own(function), function.__globals__
    return (
        seen.code is function.__code__
        and seen.place == id(around)
        and len(seen.own) == len(own)
        and all(map(is_, seen.own, own))
        and all(map(is_, seen.values, map(around.get, seen.plain, repeat(_Missing))))
        and around.keys().isdisjoint(seen.absent)
        and _PLAIN.isdisjoint(map(type, map(around.get, seen.others, repeat(_Missing))))
    )


def _seen(function: FunctionType) -> _Seen:
    """All that a function sees. Of globals the plain values: a mechanism may bind another one between two draws."""
    code, around, own = function.__code__, function.__globals__, _own(function)
    named = {name: value for name in code.co_names if type(value := around.get(name, _Missing)) in _PLAIN}
    kinds = function.__annotations__.values()
    texts = () if set(map(type, kinds)) <= _TEXT else tuple(map(_plain_or_text, kinds))
    parts = (*own[: len(own) - len(texts)], *texts)
    stays = tuple([fixed(part) if _stays(part) else _Missing for part in parts])
    values = tuple([fixed(named[name]) if name in named else _Missing for name in code.co_names])
    stays = (*stays, orders_in(code))
    _make_room(_KEYS)
    return _Seen(
        code,
        id(around),
        () if texts else own,
        tuple(named),
        tuple(named.values()),
        tuple([name for name in code.co_names if name not in named and name in around]),
        tuple([name for name in code.co_names if name not in around]),
        _KEYS.setdefault((code, id(around), stays, values), _Short(code, around.get("__name__"), (stays, values))),
        tuple([part for part in parts if not _stays(part)]),
    )


def orders_in(code: CodeType) -> tuple[Any, ...]:
    """The frozensets in code, and in the code within it, in the order in which they are gone through."""
    results: list[Any] = []
    for constant in code.co_consts:
        if type(constant) is frozenset:
            results.append(tuple([(type(part), repr(part)) for part in constant]))
        elif isinstance(constant, CodeType):
            results += orders_in(constant)
    return tuple(results)


def _make_room(table: dict[Any, Any]) -> None:
    if len(table) >= _MOST:
        table.clear()


def _stays(part: Any) -> bool:
    """True where the key of a value is the same as long as the value is the same object."""
    kind = type(part)
    return kind in _PLAIN or isinstance(part, _NAMED) or (kind is tuple and bool(not part or _plain_types(part)))


class _Missing:
    """In place of what is looked at anew, and of a global that is none, or no plain one."""


def _own(function: FunctionType) -> tuple[Any, ...]:
    """All that a function holds besides its code and closure, one after another; the annotations last.

    With how many there are where that may change.
    """
    keywords, attributes, annotations = function.__kwdefaults__ or {}, function.__dict__, function.__annotations__
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
        *annotations.values(),
    )


_TEXT: Final = frozenset({str})


def _plain_or_text(kind: Any) -> Any:
    """An annotation that is an object, such as list[int], as its text."""
    return kind if type(kind) in _PLAIN or isinstance(kind, type) else repr(kind)


# --- Keys in other processes


def name_of_key(key: Hashable) -> bytes:
    """Eight bytes that a key has in every process that runs the same files, to count how many there are in all."""
    return sha256(_text_of_key(key).encode("utf-8", "surrogatepass")).digest()[:8]


def _text_of_key(key: Any) -> str:
    if isinstance(key, tuple):
        return f"({','.join(map(_text_of_key, key))})"
    if isinstance(key, frozenset):
        return f"{{{','.join(sorted(map(_text_of_key, key)))}}}"
    if isinstance(key, _Short):
        return _text_of_key(key.of)
    if isinstance(key, CodeType):
        return f"{key.co_filename}:{key.co_firstlineno}:{key.co_qualname}:{key.co_code.hex()}"
    return f"{key.__module__}.{key.__qualname__}" if isinstance(key, type) else repr(key)
