"""Copies of the values that a mechanism names from outside: what can be changed in them belongs to no run.

Unchangeable values stay the same objects, so that `is`, `isinstance` and Enum hold. Whatever could be changed is
copied, and is known by its identity: an operation that would change it is refused where it happens.
"""

from __future__ import annotations

import gc
import operator
import re
import sys
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Container, Hashable, Iterable, Sequence
from copy import copy
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from inspect import Signature
from operator import is_, is_not
from typing import Any, Final, Generic

from dpverify.mechanisms.comparing.call import Drawing
from dpverify.mechanisms.functions.canonical import sorted_by_value
from dpverify.mechanisms.functions.mechanism import MadeOf
from dpverify.mechanisms.functions.watched_rows import WatchedRows
from dpverify.mechanisms.language.library import values_held_by
from dpverify.mechanisms.language.sets import OrderedFrozenSet, OrderedSet
from dpverify.mechanisms.language.tables import entry_of_method
from dpverify.mechanisms.numbers.containers import Kind
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import Exact, Unknown
from dpverify.mechanisms.numbers.integers.sealed import Sealed
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber

SCALAR_TYPES: Final = frozenset(
    {bool, int, float, complex, str, bytes, Fraction, WholeNumber, range, *map(type, (None, ..., NotImplemented))}
)
"""Types whose values hold nothing that can be changed."""

MAPPINGS: Final = (dict, Counter, OrderedDict, defaultdict)
SEQUENCES: Final = (list, deque, bytearray)


MEMORY: Final = type(lru_cache(int))
"""The type of what `functools.cache` makes."""


class OutsideLanguage(BaseException):
    """An operation of a run that the language does not have; no mechanism can catch it."""


class NotCompiled(Exception):
    """A mechanism of which there is no compiled form: the message says why."""


class Copies:
    """The values from outside of one check or run, each copied once.

    `function` compiles a function, `instead` names what stands in the place of some objects, by their identities,
    `classes` are those that were read, and `is_plain` is true of another class whose methods run as they are written.
    """

    def __init__(
        self,
        function: Callable[[Any], Any],
        instead: dict[int, Any],
        classes: Container[type],
        is_plain: Callable[[type], bool],
    ) -> None:
        self._function, self._is_plain = function, is_plain
        self.classes = classes
        self.instead = instead
        self._known: dict[int, tuple[Any, Any]] = {}
        self.made: frozenset[type] = frozenset()
        """Classes whose objects are created, or called, by code of the program that has another form."""
        self.originals: dict[int, tuple[Any, Any]] = {}
        """By the identities of copies the user's own, each with its copy."""
        self.outside: dict[int, Any] = {}
        """By their identities what belongs to no run: copies, and what classes hold."""
        self.changeable: list[Any] = []
        """Data among it: a container is not from outside where there is none."""
        self._records: dict[type, bool] = {}
        self._pairs: tuple[int, list[tuple[Any, Any]]] | None = None
        """Values that can be changed, each with its copy, and how many belonged to no run when these were found."""
        self.frozen: dict[int, Any] = {}
        """Likewise objects of frozen classes, which keep what a `cached_property` has computed."""

    def value(self, value: Any) -> Any:
        """A value as a run is given it. Raises `NotCompiled` for one that cannot be copied."""
        kind = type(value)
        if self._is_single(kind):
            return value
        if issubclass(kind, WatchedRows):
            rows = object.__getattribute__(value, "_rows")
            object.__setattr__(value, "_rows", self.value(rows))
            return value
        key = id(value)
        if key in self.instead:
            return self.instead[key]
        known = self._known.get(key)
        if known is not None and known[0] is value:
            return known[1]
        try:
            copy = self._copied(value, kind)
        except TypeError as error:  # an object that only its own type can make
            raise NotCompiled(f"a {kind.__name__} from outside: {error}") from None
        if copy is not value:
            self.know(value, copy)
        return copy

    def _refuse_unread(self, kind: type) -> None:
        """Raise `NotCompiled` for a class of rows that was not read, and whose methods would have another form."""
        if not (kind in self.classes or is_of_library(kind) or self._is_plain(kind)):
            raise NotCompiled(f"the methods of {kind.__qualname__}, to which rows lead and the mechanism does not")

    @property
    def count(self) -> int:
        """The number of values that are kept, with their copies."""
        return len(self._known) + len(self.frozen)

    def begin(self) -> None:
        """Forget all copies. Classes of containers belong to no run, so that nobody asks them for a method."""
        for each in (self._known, self.originals, self.outside, self.frozen, self.changeable):
            each.clear()
        self._pairs = None
        self.outside.update({id(kind): kind for kind in (*MAPPINGS, *SEQUENCES, set, OrderedSet)})

    def is_of_program(self, kind: type) -> bool:
        """True for a class that is neither Python's nor this library's, or that was read."""
        return kind in self.classes or not is_of_library(kind)

    def know(self, value: Any, copy: Any) -> None:
        """Keep what stands for a value, before what that leads to is copied."""
        self._pairs = None
        self._known[id(value)] = value, copy
        self._known.setdefault(id(copy), (copy, copy))
        self.originals.setdefault(id(copy), (value, copy))

    def drawn(self, value: Any) -> Any:
        """The value that a run is given by `draw`: its own values, with ordered sets, and copies for the user's own."""
        kind = type(value)
        if kind in SCALAR_TYPES:
            return value
        if kind in (frozenset, OrderedFrozenSet):
            return self._set(value, frozenset)
        refuse_identity(value)
        if kind is tuple and not SCALAR_TYPES.issuperset(map(type, value)):
            return _tuple_of(map(self.drawn, value), value)
        known = self._known.get(id(value))
        return value if known is None else known[1]

    def original(self, value: Any) -> Any:
        """A value of a run with the user's own in the place of copies, and with plain sets."""
        kind = type(value)
        if kind in SCALAR_TYPES:
            return value
        known = self.originals.get(id(value))
        if known is not None:
            return known[0]
        if kind in (OrderedSet, OrderedFrozenSet):
            return (set if kind is OrderedSet else frozenset)(map(self.original, value))
        if issubclass(kind, tuple):
            return _tuple_of(map(self.original, value), value)
        if kind is list:
            return [self.original(part) for part in value]
        if kind in MAPPINGS:
            made = copy(value)
            made.clear()
            made.update({self.original(key): self.original(part) for key, part in value.items()})
            return made
        is_object = is_frozen_class(kind) and self.is_of_program(kind)
        return self._object_with(value, kind, self.original) if is_object else value

    def holds(self) -> bool:
        """True where everything that was copied has the content that it had."""
        return all(self._is_alike(original, copy) for original, copy in self._changeable())

    def refuse_changes(self) -> None:
        """Raise `OutsideLanguage` where a run has changed a value from outside, whichever guard it passed."""
        pairs = self._changeable()
        if pairs and sum(len(contents(copy)) for _, copy in pairs) <= _COMPARED and not self.holds():
            raise OutsideLanguage(bad_mechanism.CHANGES.text("a value from outside", "change a copy of it"))

    def _changeable(self) -> Iterable[tuple[Any, Any]]:
        if self._pairs is None or self._pairs[0] != len(self.outside):  # asked for each outcome
            known = self._known.values()
            found = [pair for pair in known if id(pair[1]) in self.outside and pair[0] is not pair[1]]
            self._pairs = len(self.outside), found
        return self._pairs[1]

    def _is_alike(self, original: Any, copy: Any) -> bool:
        if isinstance(original, set | frozenset):
            return len(original) == len(copy) and set(map(id, map(self._found, original))) == set(map(id, copy))
        before, after = contents(original), contents(copy)
        return len(before) == len(after) and all(self._found(a) is b for a, b in zip(before, after, strict=True))

    def _found(self, value: Any) -> Any:
        known = self._known.get(id(value))
        return self.instead.get(id(value), value) if known is None or known[0] is not value else known[1]

    def _put(self, original: Any, made: Any) -> Any:
        self.know(original, made)
        self._note(made)
        return made

    def _note(self, value: Any) -> None:
        self.outside[id(value)] = value
        self.changeable.append(value)

    def _copied(self, value: Any, kind: type) -> Any:  # noqa: PLR0912  # a kind in each
        if issubclass(kind, tuple):
            return _tuple_of(self._values(value), value)
        if kind is types.FunctionType or kind is MEMORY or issubclass(kind, types.ModuleType):
            return self._function(value)
        if kind is partial:
            held = values_held_by(value)
            if any((each if isinstance(each, type) else type(each)) in self.made for each in held):
                raise NotCompiled("a partial from outside of a class, or of an object, with code of its own")
            made = partial(self.value(value.func), *map(self.value, value.args))
            made.keywords.update({name: self.value(part) for name, part in value.keywords.items()})
            return made
        if kind is types.MethodType:
            return types.MethodType(self.value(value.__func__), self.value(value.__self__))
        if kind is types.BuiltinFunctionType:
            owner = value.__self__
            if owner is None or isinstance(owner, types.ModuleType | type) or self.value(owner) is owner:
                return value
            raise NotCompiled(f"the method {value.__name__} of a {type(owner).__name__} from outside, taken as a value")
        if issubclass(kind, type) or _is_number_of_numpy(kind):
            return value
        if kind in (set, frozenset):
            return self._set(value, kind)
        if kind in MAPPINGS or kind in SEQUENCES or issubclass(kind, list | dict):
            return self._container(value, kind)
        if kind is types.MappingProxyType:
            return types.MappingProxyType(self._container(dict(value), dict))
        if kind is Kind:  # in the place of what is made of an outcome that a distribution holds
            self._refuse_unread(value.type)
            return value
        if self.is_of_program(kind) or issubclass(kind, MadeOf) or kind is types.SimpleNamespace:
            return self._object(value, kind)
        if kind in UNCHANGEABLE | _OF_TYPES or kind.__module__.startswith(("dpverify.", "typing", "flint")):
            return value
        if isinstance(value, types.MethodDescriptorType | types.WrapperDescriptorType):
            entry = entry_of_method(value)
            if entry is not None and entry.changes is None:
                return value
        raise NotCompiled(f"a {kind.__name__} from outside, which a run might change")

    def _values(self, values: Sequence[Any]) -> Sequence[Any]:
        """The items of a sequence as a run is given them."""
        is_plain = type(values) in (tuple, list) and self._are_fixed(values, _DEPTH)
        return values if is_plain else [*map(self.value, values)]

    def _are_fixed(self, values: Sequence[Any], depth: int) -> bool:
        """True of values that a run is given as they are, and of tuples and records that hold nothing else.

        There may be a million rows: so each type is asked once.
        """
        kinds = _types_of(values)
        records = [kind for kind in kinds if not self._is_single(kind)]
        if not depth or not all(map(self._is_record, records)):
            return not records
        alike = {kind: [each for each in values if type(each) is kind] for kind in records if len(kinds) > 1}
        columns = (column for kind in records for column in _columns(alike.get(kind, values), kind))
        return all(self._are_fixed(column, depth - 1) for column in columns)

    def _is_single(self, kind: type) -> bool:
        """True of types whose values are given as they are. Raises `NotCompiled` for one that was not read."""
        if kind in SCALAR_TYPES:
            return True
        if not issubclass(kind, Enum | Exact | Sealed | Unknown):
            return kind in UNCHANGEABLE
        self._refuse_unread(kind)
        return True

    def _is_record(self, kind: type) -> bool:
        """True of `tuple`, and of classes whose objects hold what the collector is told, and cannot be changed."""
        if kind not in self._records:
            bases = [base for base in kind.__mro__ if base not in _WITHOUT_CONTENT]
            members = [member for base in bases for member in vars(base).values()]
            is_other = any(map(is_of_library, bases)) or any(isinstance(each, cached_property) for each in members)
            if is_frozen_class(kind) and not is_other:
                self._refuse_unread(kind)
            self._records[kind] = (issubclass(kind, tuple) or is_frozen_class(kind)) and not is_other
        return self._records[kind]

    def _set(self, value: Any, kind: type) -> Any:
        parts = [*map(self.value, value)]
        if len(parts) > 1:
            try:
                parts = sorted_by_value(parts, "a set from outside")
            except InputError as error:
                raise NotCompiled(str(error)) from None
        if kind is frozenset:
            return OrderedFrozenSet(parts)
        return self._put(value, OrderedSet(parts))

    def _container(self, value: Any, kind: type) -> Any:
        new: Any = kind.__new__
        copy = self._put(value, deque(maxlen=value.maxlen) if kind is deque else new(kind))
        if kind is defaultdict and value.default_factory is not None:
            copy.default_factory = self._refused_default
        if issubclass(kind, dict):
            store = OrderedDict.__setitem__ if issubclass(kind, OrderedDict) else dict.__setitem__
            for key in value:
                store(copy, self.value(key), self.value(dict.__getitem__(value, key)))
        else:
            copy += self._values(value)
        self._fill(value, copy)
        return copy

    def _refused_default(self) -> Any:
        raise OutsideLanguage(bad_mechanism.CHANGES.text("a defaultdict from outside", "ask it by get(key, 0)"))

    def _object(self, value: Any, kind: type) -> Any:
        self._refuse_unread(kind)
        if not kind.__flags__ & _HEAP_TYPE and kind is not types.SimpleNamespace:
            raise NotCompiled(f"a {kind.__name__} from outside")
        if not is_frozen_class(kind):
            if isinstance(value, int | float | str | bytes | frozenset) and not vars(value):
                return value
            copy = self._put(value, (types.SimpleNamespace if kind is types.SimpleNamespace else object).__new__(kind))
            self._fill(value, copy)
            return copy
        made = self._object_with(value, kind, self.value)
        if not self._is_record(kind):
            self.frozen[id(made)] = made
        return made

    def _object_with(self, value: Any, kind: type, made: Callable[[Any], Any]) -> Any:
        """An object with other values in it; itself where they are the same."""
        before = attributes(value)
        after = [(name, made(part)) for name, part in before]
        if all(new is old for (_, new), (_, old) in zip(after, before, strict=True)):
            return value
        result = tuple.__new__(kind, value) if issubclass(kind, tuple) else object.__new__(kind)
        for name, part in after:
            object.__setattr__(result, name, part)
        return result

    def _fill(self, value: Any, copy: Any) -> None:
        for name, part in attributes(value):
            object.__setattr__(copy, name, self.value(part))
        if hasattr(copy, "__dict__"):
            self.outside[id(vars(copy))] = vars(copy)

    def keep(self, value: Any) -> None:
        """Note what is not copied as belonging to no run: what a class holds, and what a `functools.cache` keeps."""
        kind = type(value)
        if kind in SCALAR_TYPES or id(value) in self.outside or isinstance(value, _NO_DATA):
            return
        if isinstance(value, Enum):
            for part in vars(value).values():
                self.keep(part)
        elif hasattr(kind, "__next__") or kind is defaultdict:
            raise NotCompiled(f"a {kind.__name__} that outlives a run")
        elif isinstance(value, tuple) or is_frozen_class(kind):
            for part in contents(value):
                self.keep(part)
        elif kind in MAPPINGS or kind in SEQUENCES or isinstance(value, list | dict | set) or self.is_of_program(kind):
            self._note(value)
            for part in contents(value):
                self.keep(part)


def _types_of(values: Sequence[Any]) -> set[type]:
    """The types of values; to count one takes less than a set of many."""
    types = [*map(type, values)]
    return {types[0]} if types and types.count(types[0]) == len(types) else set(types)


def _columns(values: Sequence[Any], kind: type) -> list[list[Any]]:
    """All that tuples, or objects of a class, hold, by place, as Python's collector says; one list where that differs.

    An object refers to its class as well, once: a list with a class says that one is held.
    """
    held, first = gc.get_referents(*values), gc.get_referents(values[0])
    if len(held) != len(first) * len(values):
        return [held]
    columns = [held[place :: len(first)] for place in range(len(first))]
    if kind is not tuple:
        del columns[[each is kind for each in first].index(True)]
    for column in columns:
        if type(column[0]) is dict and kind.__dictoffset__ and all(map(is_, column, map(vars, values))):
            column[:] = gc.get_referents(*column)  # each object has a dict for its attributes
    return columns


def _tuple_of(parts: Iterable[Any], like: Any) -> Any:
    """A tuple of these parts; the one that is like it where it has the same."""
    if parts is like:
        return like
    made: Any = tuple.__new__(type(like), parts)
    return made if any(map(is_not, made, like)) else like


def may_hold_a_set(value: Any) -> bool:
    """False for what holds no set, at any depth; Python tracks every set, and what holds one."""
    kind = type(value)
    if kind is WatchedRows:
        return may_hold_a_set(object.__getattribute__(value, "_rows"))
    # of unknown rows nothing may be asked, as isinstance does
    if not gc.is_tracked(value) or kind in SCALAR_TYPES or (is_of_library(kind) and kind.__module__ != "builtins"):
        return False
    if type(value) is not tuple or may_hold_a_set(value[0]):
        return True
    kinds = set(map(type, filter(gc.is_tracked, value)))
    return not kinds <= SCALAR_TYPES and (kinds != {tuple} or any(map(may_hold_a_set, filter(gc.is_tracked, value))))


def is_of_library(kind: Any) -> bool:
    """True for classes of Python and of this library, whose objects are not copied."""
    return str(kind.__module__).partition(".")[0] in _LIBRARIES


def _is_number_of_numpy(kind: type) -> bool:
    """True for numpy's scalars, such as rows of an array; where nothing has imported numpy, nothing is one."""
    numpy: Any = sys.modules.get("numpy")
    return numpy is not None and kind.__module__ == "numpy" and issubclass(kind, numpy.number | numpy.bool_)


def is_frozen_class(kind: type) -> bool:
    """True for a frozen dataclass."""
    parameters = getattr(kind, "__dataclass_params__", None)
    return parameters is not None and bool(parameters.frozen)


def attributes(value: Any) -> list[tuple[str, Any]]:
    """Name and value of the attributes that an object itself has."""
    slots = [name for kind in type(value).__mro__ for name in _slots(kind) if hasattr(value, name)]
    return [*getattr(value, "__dict__", {}).items(), *((name, getattr(value, name)) for name in slots)]


def _slots(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    return () if is_of_library(kind) else (slots,) if isinstance(slots, str) else tuple(slots)


def contents(value: Any) -> list[Any]:
    """All values that an object holds itself, in order."""
    held = [part for _, part in attributes(value)]
    if isinstance(value, dict):
        return [*value.keys(), *value.values(), *held]
    return [*value, *held] if isinstance(value, list | tuple | set | frozenset | deque | bytearray) else held


def refuse_identity(value: Any) -> None:
    """Raise `OutsideLanguage` for an object of which `==` tells the identity: runs may share it, or not."""
    kind = type(value)
    if kind in SCALAR_TYPES:
        return
    if kind in (tuple, list, set, frozenset, OrderedSet, OrderedFrozenSet, dict):
        for part in (*value, *value.values()) if kind is dict else value:
            refuse_identity(part)
    elif is_frozen_class(kind) or issubclass(kind, tuple):
        for part in contents(value):
            refuse_identity(part)
    elif kind in (partial, types.MethodType) or (
        kind is types.FunctionType and (value.__closure__ or value.__defaults__)
    ):
        raise OutsideLanguage(bad_mechanism.CHANGES.text(f"perhaps what a {kind.__name__} holds", "return a value"))
    elif kind is object or (
        not is_of_library(kind) and getattr(kind, "__eq__", None) is object.__eq__ and not issubclass(kind, type | Enum)
    ):
        raise OutsideLanguage(bad_mechanism.TEXT_WITH_ADDRESS.text(f"the identity of a {kind.__qualname__}"))


def exact_key(value: Any) -> Hashable:
    """A key that is equal for values that are the same, and not for 1 and True; None for a value that has none.

    Raises `OutsideLanguage` for one that may hold `draw`: Python would keep what is drawn with it.
    """
    kind = type(value)
    if kind is tuple:
        parts = tuple(map(exact_key, value))
        if None not in parts:
            return kind, parts
    is_closed = kind is tuple and any(isinstance(each, types.FunctionType) and each.__closure__ for each in value)
    if is_closed or kind in (Drawing, partial, types.MethodType):
        raise OutsideLanguage(bad_mechanism.CHANGES.text("what functools.cache keeps, by draw", "give it numbers"))
    if kind is float:
        return kind, value.hex()
    if kind in SCALAR_TYPES or isinstance(value, Enum | types.FunctionType | type):
        return kind, value
    if isinstance(value, Exact) and value.symbol is None:  # of unknown numbers what is asked has to be asked again
        return kind, value.serial
    for part in contents(value) if kind in (list, dict) or not is_of_library(kind) else ():
        exact_key(part)
    return None


_COMPARED: Final = 256
"""The most items in values from outside that are compared after each run; more are where the next check begins."""

_WITHOUT_CONTENT: Final = frozenset({object, tuple, Generic})
"""Bases whose objects hold nothing that Python's collector is not told of."""

_DEPTH: Final = 3
"""Levels of tuples and records that are looked into at once."""

_HEAP_TYPE: Final = 1 << 9
"""The flag of classes that Python code has made, or that might be so."""

UNCHANGEABLE: Final = frozenset(
    {Decimal, date, datetime, time, timedelta, timezone, slice, re.Pattern, operator.itemgetter, operator.attrgetter}
    | {types.GenericAlias, types.UnionType}
)
"""Further types of Python whose values cannot be changed, and have a text of their content."""

_NO_DATA: Final = (type, types.FunctionType, types.ModuleType)
_OF_TYPES: Final = frozenset({object, types.ClassMethodDescriptorType, Signature, type(Callable[[], int])})

_LIBRARIES: Final = frozenset({*sys.stdlib_module_names, "dpverify", "flint"} - {"__main__"})
"""Packages whose objects are handed on as they are, where they cannot be changed."""
