"""Guards of a compiled mechanism, where an operation may change what the run did not create, or tell an address."""

from __future__ import annotations

import bisect
import builtins
import dataclasses
import functools
import heapq
import itertools
import operator
from abc import ABCMeta
from collections import defaultdict
from collections.abc import Callable, Container, Mapping
from enum import Enum, EnumMeta
from fractions import Fraction
from functools import cached_property, partial
from string import Formatter
from types import BuiltinFunctionType, FunctionType, MappingProxyType, MethodType, ModuleType, SimpleNamespace
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.comparing.call import Drawing
from dpverify.mechanisms.functions.trusted import OF_MODULE
from dpverify.mechanisms.language import transforms
from dpverify.mechanisms.language.library import is_kernel, is_of_types
from dpverify.mechanisms.language.real_numbers import Float
from dpverify.mechanisms.language.sets import OrderedFrozenSet, OrderedItems, OrderedKeys, OrderedSet
from dpverify.mechanisms.language.stand_ins import Memory
from dpverify.mechanisms.language.tables import CHANGING
from dpverify.mechanisms.language.values_from_outside import (
    MAPPINGS,
    SCALAR_TYPES,
    SEQUENCES,
    UNCHANGEABLE,
    Copies,
    OutsideLanguage,
    is_frozen_class,
    is_of_library,
)
from dpverify.mechanisms.numbers.errors import InputError, Undecided, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import Exact, Unknown
from dpverify.mechanisms.numbers.integers.sealed import Sealed
from dpverify.mechanisms.numbers.plain_numbers import Real
from dpverify.mechanisms.numbers.symbols import notes
from dpverify.mechanisms.patterns.largest import GUARDS
from dpverify.mechanisms.patterns.last_draws import CALLED

_CHANGE_FIRST: Final = (
    *(heapq.heappush, heapq.heappop, heapq.heapify, heapq.heapreplace, heapq.heappushpop),
    *(bisect.insort, bisect.insort_left, operator.setitem, operator.delitem),
    *(getattr(operator, name) for name in vars(operator) if name.startswith("i") and f"__{name}__" in vars(operator)),
)
"""Functions that change their first argument."""

_ODD: Final = frozenset({type, EnumMeta, ABCMeta, type(OrderedSet)})


class Guards:
    """The guards of one compiled form.

    `members` are, by class and name, what classes of the program define, with what is compiled in the place of it;
    `makers`, by class, what creates an object of it by code of the program.
    """

    def __init__(self, copies: Copies, member: Callable[[type, str], Any], maker: Callable[[type], Any]) -> None:
        self._copies, self._outside = copies, copies.outside
        self._member, self._maker = member, maker
        self._members: dict[tuple[type, str], Callable[[Any], Any] | None] = {}
        self._holders: set[type] = set()
        self.of_rows: frozenset[str] = frozenset()
        """Names of attributes that objects in rows alone may have."""
        self.asked: frozenset[str] = frozenset()
        """Names of attributes that may have another form."""
        self._of_fields: set[type] = set()
        """Classes of the program that define none of them, so that what their objects have is as it is."""
        self._of_outside: dict[int, dict[str, Any]] = {}
        self._callers: dict[type, Any] = {}
        self._given: dict[int, tuple[Any, Any]] = {}

    @property
    def names(self) -> Mapping[str, Any]:
        """The guards by the names that transforms put in, and the builtins that are others in a compiled form."""
        return {
            transforms.OWN: self.own,
            transforms.HOLDER: self.holder,
            transforms.METHOD: self.method,
            CALLED: self.given,
            transforms.TEXT_OF: text_value,
            transforms.FORMATTING: _formatting,
            transforms.MODULO: _modulo,
            transforms.SET: OrderedSet,
            transforms.KEYS: partial(_view, "keys", OrderedKeys),
            transforms.ITEMS: partial(_view, "items", OrderedItems),
            transforms.STR: StandsForStr,
            transforms.TYPE_OF: _type_of,
            transforms.ID: id,
            transforms.TYPE: type,
            transforms.KEPT_OUTSIDE: self._outside,
            transforms.CHANGEABLE: self._copies.changeable,
            transforms.DATA_TYPES: frozenset((*MAPPINGS, *SEQUENCES, set, OrderedSet)),
            transforms.SCALAR: SCALAR_TYPES,
            transforms.TEXTS: (str, bytes),
            transforms.FIXED: self._is_fixed,
            transforms.PLAIN_SET: set,
            transforms.GETATTR: self._attribute,
            transforms.SIGNALS: (InputError, Undecided),
            transforms.SPEC: _spec,
            transforms.RIGHT: _modulo_right,
            transforms.FIELDS: self._of_fields,
            transforms.REFUSED: _Refused,
            **GUARDS,
        }

    @property
    def instead(self) -> dict[int, Any]:
        """Stand-ins for functions and classes that a program names, by their identities."""
        replaced: tuple[tuple[Any, Any], ...] = (
            *((each, self._owning(each)) for each in _CHANGE_FIRST),
            *((each, _of_text(each)) for each in (repr, ascii, format)),
            *((set, OrderedSet), (frozenset, OrderedFrozenSet), (str, StandsForStr), (isinstance, _is_of)),
            *((dataclasses.replace, self._replaced), (operator.mod, _modulo), (functools.update_wrapper, _wrapper)),
            (functools.wraps, lambda of: partial(_wrapper, wrapped=of)),
        )
        return {id(each): other for each, other in replaced}

    # --- What is changed

    def own(self, value: Any) -> Any:
        """A value that the run may change. Raises `OutsideLanguage` for another one."""
        if id(value) in self._outside or type(value) in _ODD:
            raise _changes(value)
        return value

    def holder(self, value: Any) -> Any:
        """An object on which an attribute may be stored. Raises `OutsideLanguage` for another one."""
        if self._is_fixed(value):
            if id(value) in self._outside:
                raise _changes(value)
            raise OutsideLanguage(bad_mechanism.CHANGES.text(f"an attribute of {_described(value)}", _CLASS))
        return value

    def _is_fixed(self, value: Any) -> bool:
        kind = type(value)
        if kind not in self._holders:
            is_of_program = self._copies.is_of_program(kind) or kind is SimpleNamespace
            is_inherited = is_frozen_class(kind) and "__dataclass_params__" not in vars(kind)
            is_kept = issubclass(kind, type | ModuleType | FunctionType | partial | Enum | tuple)  # no run has a copy
            if not is_of_program or is_inherited or is_kept:
                return True
            self._holders.add(kind)
        return id(value) in self._outside

    def _owning(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def owning(first: Any, *rest: Any, **more: Any) -> Any:
            return function(self.own(first), *rest, **{name: self.given(value) for name, value in more.items()})

        return owning

    def _attribute(self, value: Any, name: str, *default: Any) -> Any:
        return default[0] if default and not hasattr(value, name) else self.method(value, name)

    def _replaced(self, value: Any, /, **changes: Any) -> Any:
        make = self._maker(type(value))
        if make is type(value):
            return dataclasses.replace(value, **changes)
        names = [field.name for field in dataclasses.fields(value) if field.init]
        return make(**{name: changes[name] if name in changes else getattr(value, name) for name in names} | changes)

    # --- What is called

    def method(self, value: Any, name: str) -> Any:
        """The attribute `value.name`, in its compiled form where a class of the program defines it."""
        key = type(value), name
        found = self._members.get(key)
        if found is not None:
            return found(value)
        if issubclass(type(value), type):
            raw, _ = self._first(value.__mro__, name)
            if raw is not None and not isinstance(raw, property):
                return raw.__get__(None, value) if isinstance(raw, classmethod | staticmethod) else raw
        elif type(value) is super:
            owner, order = _of_super(value)
            raw, _ = self._first(order, name)
            if isinstance(raw, classmethod | staticmethod):
                return raw.__get__(None, owner if isinstance(owner, type) else type(owner))
            if raw is not None:
                return _bound(raw, name)(owner)
        elif key not in self._members:
            self._members[key] = self._looked_up(*key)
            self._note_fields(type(value))
            return self.method(value, name)
        kind = value if issubclass(type(value), type) else type(value)
        says_itself = is_of_library(kind) and hasattr(kind, "__getattr__")  # which attributes it has
        if name in self.of_rows and not (says_itself or self._copies.is_of_program(kind)):
            raise _no_text(f"the attribute .{name} of {_described(value)}")
        return getattr(self.own(value) if name in CHANGING else value, name)

    def _looked_up(self, kind: type, name: str) -> Callable[[Any], Any] | None:
        """The function from an object of a class to this attribute; None where it depends on the object."""
        raw, is_field = self._first(kind.__mro__, name)
        if raw is not None and not is_field:
            return self._storing(raw, name)
        return operator.attrgetter(name) if self._copies.is_of_program(kind) and name not in CHANGING else None

    def _note_fields(self, kind: type) -> None:
        fields = getattr(kind, "__dataclass_fields__", ())
        asked = [name for name in self.asked if name not in fields and not name.startswith("__")]
        read = [base for base in kind.__mro__ if base in self._copies.classes]  # what others define is as it is
        if self._copies.is_of_program(kind) and not any(name in vars(base) for base in read for name in asked):
            self._of_fields.add(kind)

    def _first(self, order: tuple[type, ...], name: str) -> tuple[Any, bool]:
        for cls in order:
            if name in vars(cls):
                return self._member(cls, name), name in getattr(order[0], "__dataclass_fields__", ())
        return None, False

    def _storing(self, raw: Any, name: str) -> Callable[[Any], Any]:
        if not isinstance(raw, cached_property):
            return _bound(raw, name)

        def stored(value: Any) -> Any:
            is_outside = id(value) in self._outside or id(value) in self._copies.frozen
            known = self._of_outside.setdefault(id(value), {}) if is_outside else vars(value)
            if name not in known:
                known[name] = raw.func(value)
                if is_outside:
                    self._copies.keep(known[name])
            return known[name]

        return stored

    def called(self, function: Any) -> Any:
        """The function that is called, compiled where it is a class, or an object, that code of the program makes."""
        kind = type(function)
        if kind in _PLAIN_FUNCTIONS:
            return function
        if issubclass(kind, type):
            return self._maker(function)
        if is_of_types(kind) and hasattr(function, "__origin__"):
            return self.called(function.__origin__)
        if kind not in self._callers:
            self._callers[kind], _ = self._first(kind.__mro__, "__call__")
        raw = self._callers[kind]
        return function if raw is None else raw.__get__(function)

    def given(self, function: Any) -> Any:
        """The function that is called, as `called`; where it calls what it is given, and has no guards, that as well.

        Any other argument stays the object that it is: its identity, its type and `==` are content.
        """
        known = self._given.get(id(function))
        if known is not None and known[0] is function:
            return known[1]
        if type(function) is FunctionType and OF_MODULE in function.__globals__:
            return function  # it is compiled, and guards what it calls itself
        if type(function) is Drawing and function.call.handed is not None:
            return function  # which is called by the mechanism itself, so that what is returned at once is known
        made = self.called(function)
        places = _called_by(made)
        found = self._calling(made, places) if places else made
        if _is_lasting(function):
            self._given[id(function)] = function, found
        return found

    def _calling(self, made: Any, places: _Places) -> Any:
        # what this library is given of its own stays, as it knows it by its identity
        is_own = id(made) not in _CALLED_BY
        given = self.called if is_own else self.given

        def calling(*args: Any, **kwargs: Any) -> Any:
            if kwargs or (places is not _KEY and not SCALAR_TYPES.issuperset(map(type, args))):
                # such as draw(noisy_max, …)
                hands_on = is_own and places is not _ALL and bool(args) and bool(_called_by(args[0]))
                args, kwargs = _with(given, _ALL if hands_on else places, args, kwargs)
            return made(*args, **kwargs)

        return calling

    def handed(
        self, source: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        """The arguments of `draw`: the source compiled, and what this library's own source calls of its arguments."""
        if type(source) not in _PLAIN_FUNCTIONS and not callable(source):  # most often a distribution
            return source, args, kwargs
        return self.called(source), *(_with(self.called, _ALL, args, kwargs) if _called_by(source) else (args, kwargs))


def _is_lasting(function: Any) -> bool:
    """True of what no run makes anew at each call, such as a class, or a function of a module."""
    kind = type(function)
    if kind is FunctionType:
        return function.__globals__.get(function.__name__) is function
    return issubclass(kind, type) or (kind is BuiltinFunctionType and type(function.__self__) is ModuleType)


def _with(
    given: Callable[[Any], Any], where: _Places, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    each = tuple(given(value) if n in where else value for n, value in enumerate(args))
    return each, {name: given(value) if name in where else value for name, value in kwargs.items()}


class _Refused:
    """In the place of a value that a loop may not change: any use is refused by the guard, where it happens."""

    __slots__ = ("_raise",)

    def __init__(self, guard: Callable[[Any], Any], value: Any) -> None:
        object.__setattr__(self, "_raise", partial(guard, value))

    def _used(self, *_: Any) -> Any:
        object.__getattribute__(self, "_raise")()
        raise AssertionError("the guard refuses it")

    __getattribute__ = __setattr__ = __delattr__ = __getitem__ = __setitem__ = __delitem__ = _used


class _Everywhere:
    def __contains__(self, place: object) -> bool:
        return True


_Places: TypeAlias = Container[int | str]
_ALL: Final = _Everywhere()
_FIRST: Final[_Places] = (0,)
_KEY: Final[_Places] = ("key",)
_CALLED_BY: Final[Mapping[int, tuple[Any, _Places]]] = {
    id(each): (each, places)
    for functions, places in (
        ((map, filter, iter, functools.partial, functools.reduce, functools.cmp_to_key, defaultdict), _FIRST),
        ((itertools.starmap, itertools.takewhile, itertools.dropwhile, itertools.filterfalse), _FIRST),
        ((functools.cache, functools.lru_cache), (0, "user_function")),
        ((itertools.groupby, itertools.accumulate), (1, "key", "func")),
        ((sorted, min, max, heapq.merge, bisect.bisect_left, bisect.bisect_right), _KEY),
        ((heapq.nlargest, heapq.nsmallest), (2, "key")),
        ((dataclasses.asdict, dataclasses.astuple), ("dict_factory", "tuple_factory")),
    )
    for each in functions
}
"""By the identities of functions and classes of Python's library that call what they are given: where."""


def _called_by(function: Any) -> _Places:
    """The places of the arguments that a function calls, where it has no guards of its own."""
    kind = type(function)
    known = _CALLED_BY.get(id(function))
    if not callable(function):
        return ()
    if known is not None:
        return known[1]
    if kind is BuiltinFunctionType:
        return _KEY if function.__name__ == "sort" else ()
    if kind is MethodType:
        places = _OF_DRAW.get(function.__name__, _ALL)
        function, kind = function.__func__, type(function.__func__)
    else:
        places = _ALL if kind is FunctionType or issubclass(kind, type) else _FIRST
    if kind is FunctionType:
        is_compiled = OF_MODULE in function.__globals__
        return () if is_compiled or not _is_unread(function.__globals__.get("__name__")) else places
    return places if _is_unread((function if issubclass(kind, type) else kind).__module__) else ()


_OF_DRAW: Final[Mapping[str, _Places]] = {"each": _FIRST, "until": (0, 1), "release": (1, "then")}
"""By method of `draw` the places of what it calls: all else is for a sub-mechanism, which has guards of its own."""


@functools.cache
def _is_unread(module: object) -> bool:
    """True of a module of this library that is not read, and calls what it is given as it is."""
    is_own = isinstance(module, str) and module.startswith(("dpverify.mechanisms.language.", "flint"))
    return not is_own and (is_kernel(module) or str(module).startswith("dpverify.verifiers."))


_PLAIN_FUNCTIONS: Final = frozenset({FunctionType, MethodType, BuiltinFunctionType, partial})


def _bound(raw: Any, name: str) -> Callable[[Any], Any]:
    """The function from an object to its attribute, of what its class has in its compiled form."""
    if isinstance(raw, property):
        assert raw.fget is not None, "it was read"
        return raw.fget
    if isinstance(raw, classmethod | staticmethod):
        return lambda value: raw.__get__(value, type(value))
    if isinstance(raw, FunctionType | Memory):
        return partial(MethodType, raw)
    return lambda value: vars(value).get(name, raw) if hasattr(value, "__dict__") else raw


def _of_super(value: Any) -> tuple[Any, tuple[type, ...]]:
    """The object that `super` speaks of, and the classes that it looks into."""
    order = value.__self_class__.__mro__
    return value.__self__, order[order.index(value.__thisclass__) + 1 :]


def _changes(value: Any) -> OutsideLanguage:
    if issubclass(type(value), type):
        return OutsideLanguage(bad_mechanism.CHANGES.text(f"{_described(value)}, or asked it for a method", _CLASS))
    return OutsideLanguage(bad_mechanism.CHANGES.text(f"{_described(value)} from outside", _COPY))


_CLASS: Final = "write value.method(…), and keep what changes in a local variable"
_COPY: Final = "make it in the mechanism, or change a copy of it, such as list(x)"


def _described(value: Any) -> str:
    return f"the class {value.__qualname__}" if issubclass(type(value), type) else f"a {type(value).__qualname__}"


def _view(name: str, kind: Callable[[Any], Any], value: Any) -> Any:
    return partial(kind, value) if issubclass(type(value), dict | MappingProxyType) else getattr(value, name)


def _wrapper(function: Any, wrapped: Any, *names: Any, **more: Any) -> Any:
    """A copy of a function with the name of the one that it wraps: the function itself may be there before the run."""
    made = FunctionType(function.__code__, function.__globals__, None, function.__defaults__, function.__closure__)
    made.__kwdefaults__ = function.__kwdefaults__
    return functools.update_wrapper(made, wrapped, *names, **more)


# --- Types


def known_type_of(value: Any) -> type:
    """`type(value)`, which no class can refuse. Raises `InputError` of what stands for what is not known."""
    kind = type(value)
    is_symbolic = issubclass(kind, Exact) and value.symbol is not None
    if is_symbolic or issubclass(kind, Unknown | Sealed) or kind.__module__.startswith(_OF_NOISE):
        error = InputError(bad_mechanism.KIND_ASKED, "type(…)")
        notes.refused = notes.refused or error
        raise error
    return kind


def _type_of(value: Any) -> type:
    """`type(value)` of the program: of a number that source has as a float that of floats."""
    kind = known_type_of(value)
    if issubclass(kind, Exact):
        raise InputError(bad_mechanism.OF_A_FLOAT, "type(…)")
    return _STANDS_FOR_TYPE.get(kind, kind)


def _is_of(value: Any, kinds: Any) -> bool:
    """`isinstance(value, kinds)`, which of numbers is asked as `type` is."""
    if type(value) not in SCALAR_TYPES and any(issubclass(each, kinds) for each in _NUMBERS):
        known_type_of(value)
    return isinstance(value, kinds) and (type(value) is not Real or isinstance(0.0, kinds))


_NUMBERS: Final = (int, float, Fraction, Exact)
_OF_NOISE: Final = "dpverify.mechanisms.path_conditions.noise"


# --- Texts


def text_value(value: Any) -> Any:
    """A value of which the text is the same in each run. Raises `OutsideLanguage` for another one."""
    if type(value) not in SCALAR_TYPES and not _has_text(value):
        raise _no_text(_described(value))
    return value


def _of_text(function: Callable[..., str]) -> Callable[..., str]:
    return lambda value, *spec: function(text_value(value), *map(_spec, spec))


class _TypeOfTexts(type):
    """The type of what stands for `str` as a value."""

    def __call__(cls, value: Any = "", *more: Any) -> str:
        return str(text_value(value), *more)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, str)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, str)

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is str

    def __hash__(cls) -> int:
        return hash(str)

    def __getattr__(cls, name: str) -> Any:
        return getattr(str, name)


class StandsForStr(metaclass=_TypeOfTexts):
    """Stands for `str` as a value: the text of what has one that is the same in each run."""


StandsForStr.__name__ = StandsForStr.__qualname__ = "str"
_STANDS_FOR_TYPE: Final[Mapping[type, type]] = {str: StandsForStr, Real: Float}


def _has_text(value: Any) -> bool:
    kind = type(value)  # an unknown number is asked for nothing else
    if kind in (tuple, list):
        return SCALAR_TYPES.issuperset(map(type, value)) or all(map(_has_text, value))
    if kind is dict:
        return all(map(_has_text, (*value, *value.values())))
    if issubclass(kind, Enum):
        own = (vars(base).get(name) for base in kind.__mro__ if not is_of_library(base) for name in TEXT_METHODS)
        return all(each is None or each.__module__ == "enum" for each in own)
    is_known = kind in SCALAR_TYPES or kind in UNCHANGEABLE
    return is_known or issubclass(kind, Fraction | Exact) or kind.__module__.startswith(_WITH_TEXTS)


TEXT_METHODS: Final = ("__str__", "__repr__", "__format__")

_WITH_TEXTS: Final = tuple(
    f"dpverify.mechanisms.{each}"
    for each in ("numbers", "path_conditions", "noise", "functions.parts", "functions.post_processing")
)
"""Modules of this library whose values say themselves what their texts are."""


def _formatting(value: Any) -> Any:
    if not issubclass(type(value), str):
        return value.format

    def formatting(*args: Any, **kwargs: Any) -> Any:
        for _, _, spec, _ in Formatter().parse(value):  # the reader takes no field that asks for an attribute
            _spec(spec)
        return value.format(*map(text_value, args), **{name: text_value(each) for name, each in kwargs.items()})

    return formatting


def _spec(spec: Any) -> Any:
    if isinstance(spec, str) and spec.endswith(("n", "}")):
        raise _no_text("a number by the locale, or by a format that is computed")
    return spec


def _no_text(what: str) -> OutsideLanguage:
    return OutsideLanguage(bad_mechanism.TEXT_WITH_ADDRESS.text(what))


def _modulo(left: Any, right: Any) -> Any:
    return left % _modulo_right(left, right)


def _modulo_right(left: Any, right: Any) -> Any:
    if issubclass(type(left), str | bytes):
        text_value(list(right.values()) if issubclass(type(right), dict) else right)
    return right


def builtins_with(names: Mapping[str, Any], instead: Mapping[int, Any], value: Callable[[Any], Any]) -> dict[str, Any]:
    """The builtins of compiled functions: guards by their names, and in the place of some functions others."""

    def imported(*args: Any, **kwargs: Any) -> Any:
        return value(__import__(*args, **kwargs))

    own = {name: instead.get(id(each), each) for name, each in vars(builtins).items() if each is not str}
    return {**own, **names, "str": str, "__import__": imported}
