"""The sight of a function, by value: its code, and the content of all that the code reaches.

Two functions with equal keys do the same with what they are given. A function that sees a row has another key on
another database; one that sees what has no content which could be compared is refused, and so is one that looks where
names do not lead: at other frames, or at what is named by a text.

To apply a function and look at what it gives is no rule in the place of these. It has infinitely many values to be
applied to, and may look elsewhere at one of them alone; and what it reads may be another thing when the run is over.
So that only refuses: it finds ways that are not on a list, such as a clock, at the values that are tried.
"""

from __future__ import annotations

import builtins
import dis
import functools
import sys
from abc import ABC, ABCMeta, _get_dump  # type: ignore[attr-defined]  # CPython's
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    CodeType,
    DynamicClassAttribute,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    NoneType,
    SimpleNamespace,
    WrapperDescriptorType,
)
from typing import Any, Final, Generic, NamedTuple, Protocol

import numpy as np

from dpverify.mechanisms.comparing.call import Drawing
from dpverify.mechanisms.functions.fixed_values import Changeable, fixed
from dpverify.mechanisms.functions.outcomes import holds_a_symbol
from dpverify.mechanisms.functions.parts import IndependentPart
from dpverify.mechanisms.functions.post_processing import PostProcessed
from dpverify.mechanisms.functions.trusted import (
    is_trusted,
    is_trusted_class,
    is_trusted_function,
    module_of,
)
from dpverify.mechanisms.numbers.errors import SeesTooMuch, bad_mechanism
from dpverify.mechanisms.path_conditions.expressions import Noisy
from dpverify.mechanisms.reaching.elsewhere import LOOKS_ELSEWHERE, codes_in
from dpverify.mechanisms.reaching.held import (
    Absent,
    Bytes,
    ClosureCells,
    HeldFunction,
    HeldInstance,
    Holder,
    Names,
    OfClass,
    OfEnum,
    Partial,
    defaults_by_name,
)
from dpverify.mechanisms.reaching.identities import ASKS_FOR_IDENTITY, asks_by_identity, identities_asked
from dpverify.mechanisms.reaching.memories import Memory
from dpverify.mechanisms.reaching.outside import named_outside
from dpverify.mechanisms.reaching.pythons_own import named_in_foreign_code, named_of_python
from dpverify.mechanisms.reaching.reach import Reach

_OF_THE_PROCESS: Final = frozenset(
    {
        *("getsignal", "getitimer", "flags", "get_traps", "getcontext", "__warningregistry__"),
        *("copy_context", "get_cache_token", "get_overloads", "getweakrefcount", "getweakrefs"),
        *("time_ns", "perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "process_time", "process_time_ns"),
    }
)
"""Names by which code reads what a run may leave changed: what was rounded in any Decimal, or how long it took."""

_RESULT: Final = "what its result shows"

_DRAWN: Final = (Noisy, PostProcessed, IndependentPart, Drawing)


_NAMED_KINDS: Final = (BuiltinFunctionType, FunctionType, ModuleType, type)


class Seen(NamedTuple):
    """A function's name, and what it sees: by the name under which it is seen, a key of what stands there."""

    function: str
    contents: tuple[tuple[str, Hashable], ...]


def seen_by_value(function: Callable[..., Any], tried_on: Sequence[Any] = ()) -> Seen:
    """All that a function sees, as it is now. Raises `SeesTooMuch`, naming it, for what cannot be compared by value.

    `tried_on` are values that it is applied to: what it gives is part of the key, so that what none of the rules here
    knows of shows where it depends on the run before. On which values it shows is not known: that proves nothing.
    """
    name = getattr(function, "__name__", type(function).__name__)
    reach = Reach(((name, function),))
    for seen, value in (*reach.iterators, *reach.unknown):
        raise _refused(name, seen, value, "whose content cannot be compared")
    for word, _, line in identities_asked(reach.functions, reach.values):
        where = "" if line is None else f" (line {line})"
        raise SeesTooMuch(bad_mechanism.SEES, name, f"names `{word}`{where}, which {ASKS_FOR_IDENTITY}")
    for code in reach.codes:
        for word in _looks_elsewhere(code):
            raise SeesTooMuch(bad_mechanism.SEES, name, f"names {word}, by which code reaches what it does not name")
    _refuse_what_others_keep(name, reach)
    holders = (*reach.own, *reach.shared)
    places: dict[int, int] = {}
    for holder in holders:
        places.setdefault(id(holder.of), len(places))
    contents = [("", _Keys(name, "", places).key(function))]
    for holder in holders:
        if isinstance(holder, Memory):
            raise _refused(name, holder.name, holder.of, "a memory, which passes on what it was asked")
        for part, value in _parts_of(holder):
            contents.append((part, _Keys(name, part, places).key(value)))
    for part, content in contents:
        if holds_a_symbol(content):
            raise SeesTooMuch(bad_mechanism.SEES, name, f"sees {part or 'a number'}, which differs between databases")
    contents.append(("", _shared_variables(holders)))
    if tried_on:
        contents.append((_RESULT, tuple(_given(function, value) for value in tried_on)))
    return Seen(name, tuple(contents))


def _given(function: Callable[..., Any], value: Any) -> Hashable:
    """The result of a function for a value, as far as that can be compared; or the kind of what it raises."""
    try:
        return _shown_in(function(value))
    except Exception as error:  # a function of the user's may raise anything
        return type(error).__name__


def _shown_in(result: Any) -> Hashable:
    kind = type(result)
    if kind in (list, tuple):
        return kind.__name__, tuple(map(_shown_in, result))
    if kind is np.ndarray and not result.dtype.hasobject:
        return kind.__name__, result.dtype.str, result.shape, result.tobytes()
    return kind.__name__, repr(result) if kind in _SHOWN_BY_TEXT or isinstance(result, np.generic) else ""


_SHOWN_BY_TEXT: Final = frozenset(
    {int, bool, float, complex, str, bytes, Fraction, Decimal, NoneType, datetime, date, time, timedelta}
)


def _refuse_what_others_keep(name: str, reach: Reach) -> None:
    """Raises `SeesTooMuch` where code names what reads outside, or what modules keep that are not looked into."""
    for named in named_outside(reach.functions, reach.values, reach.words):
        raise SeesTooMuch(bad_mechanism.SEES, name, f"names {named}, by which it may read what a mechanism has written")
    for named in named_of_python(reach.values, reach.words):
        raise SeesTooMuch(bad_mechanism.SEES, name, f"names {named}, of a module that stores things for everybody")
    for named in named_in_foreign_code(reach.values):
        raise SeesTooMuch(bad_mechanism.SEES, name, f"names {named}, which is code that cannot be looked into")


def _parts_of(holder: Holder) -> Iterator[tuple[str, Any]]:
    """The parts of a holder, by name."""
    held: Any = holder.of
    if isinstance(holder, HeldFunction):
        yield f"{held.__name__}{_CODE}", held.__code__
        for name in ("__qualname__", "__doc__", "__module__", "__annotations__"):
            yield f"{held.__name__}.{name}", _content_of(getattr(held, name))
        yield f"{held.__name__}.__builtins__", None if held.__builtins__ is vars(builtins) else held.__builtins__
        for variable, cell in zip(held.__code__.co_freevars, held.__closure__ or (), strict=True):
            yield variable, _content(cell)
        named = {**defaults_by_name(held), **(held.__kwdefaults__ or {})}
        yield from ((f"{held.__name__}.{key}", value) for key, value in named.items())
        yield from ((f"{held.__name__}.{key}", value) for key, value in held.__dict__.items())
    elif isinstance(holder, Partial):
        yield f"{holder.name}.func", held.func
        yield from ((f"argument {i} of {holder.name}", value) for i, value in enumerate(held.args, 1))
        yield from ((f"{key}= of {holder.name}", value) for key, value in held.keywords.items())
        yield from ((f"{holder.name}.{key}", value) for key, value in vars(held).items())
    elif isinstance(holder, HeldInstance):
        yield holder.name, tuple(holder.by_name())
        yield from ((f"{holder.name}.{key}", value) for key, value in holder.by_name().items())
    elif isinstance(holder, Names):
        yield from sorted(holder.by_name().items())
    elif isinstance(holder, OfClass):
        parts = holder.parts().items()
        yield holder.name, (type(held), *held.__bases__)
        if isinstance(holder, OfEnum):
            yield holder.name, tuple(held.__members__)
            parts = {key: part for key, part in parts if not isinstance(part, held | DynamicClassAttribute)}.items()
        yield from ((f"{holder.name}.{key}", value) for key, value in parts if key not in _OF_EVERY_CLASS)
        for name in ("__doc__", "__annotations__"):
            yield f"{holder.name}.{name}", _content_of(vars(held).get(name))
    elif not (isinstance(holder, Bytes) and type(held) is np.ndarray and held.dtype.hasobject):  # only where they are
        for value in holder.held:
            yield holder.name, value


def _shared_variables(holders: Iterable[Holder]) -> Hashable:
    """Functions grouped by the variables around them that they share: what one binds again another one sees."""
    numbers: dict[int, int] = {}
    functions = [holder.of for holder in holders if isinstance(holder, HeldFunction | ClosureCells)]
    return tuple(
        tuple(numbers.setdefault(id(cell), len(numbers)) for cell in function.__closure__ or ())
        for function in functions
    )


_OF_EVERY_CLASS: Final = frozenset({"__module__", "__qualname__", "__firstlineno__", "__static_attributes__"})


def _content_of(noted: Any) -> Any:
    """All that Python notes of a function or a class; annotations as their texts, which are seldom more."""
    return tuple((name, repr(kind)) for name, kind in noted.items()) if isinstance(noted, dict) else noted


@functools.lru_cache(maxsize=1 << 10)
def _looks_elsewhere(code: CodeType) -> tuple[str, ...]:
    """The names in code by which it reaches what no name of its own leads to."""
    results = []
    for within in codes_in(code):
        results += sorted((LOOKS_ELSEWHERE | _OF_THE_PROCESS).intersection(within.co_names))
        imported = (each.argval for each in dis.get_instructions(within) if each.opname == "IMPORT_NAME")
        results += [module for module in imported if not is_trusted(module)]
    return tuple(results)


_ALL_IN_SIGHT: Final = frozenset({object, list, dict, set, bytearray, SimpleNamespace, Generic, Protocol, ABC})
"""Classes of which all that their objects hold is held by a `Reach`."""


def _is_in_sight(value: Any) -> bool:
    """True where all that an object holds is in its attributes, or it is a list, a dict or a set, and no more."""
    kind = type(value)
    if kind in (list, dict, set, bytearray, functools.partial, np.ndarray):
        return True
    return not issubclass(kind, list | dict | set | bytearray) and all(
        base in _ALL_IN_SIGHT or not is_trusted_class(base) for base in kind.__mro__
    )


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return Absent


class _Keys:
    """Makes keys of what a function sees under a name; `places` are the objects that are held beside it, by number."""

    def __init__(self, function: str, seen: str, places: dict[int, int]) -> None:
        self._function = function
        self._seen = seen
        self._places = places

    def key(self, value: Any) -> Hashable:  # noqa: PLR0912  # a case a kind
        """The common key of two values that cannot be told apart. Raises `SeesTooMuch` where that is not known."""
        kind = type(value)
        if kind in _NAMED_KINDS and LOOKS_ELSEWHERE.intersection((value.__name__, getattr(value, "__module__", ""))):
            raise _refused(self._function, self._seen, value, f"{value.__name__}, which reaches what no name leads to")
        if isinstance(value, _DRAWN):
            raise _refused(self._function, self._seen, value, "which is not known yet: hand it to draw.release")
        if asks_by_identity(value):
            raise _refused(self._function, self._seen, value, f"{value.__name__}, which {ASKS_FOR_IDENTITY}")
        if kind in (float, complex):
            if value != value:  # noqa: PLR0124  # nan
                raise _refused(self._function, self._seen, value, "not equal to itself, so that == asks for identity")
            return kind.__name__, repr(value)
        if kind is CodeType:
            return _key_of_code(value)
        if kind is FunctionType:
            return self._function_key(value)
        if kind is BuiltinFunctionType:
            return self._builtin_key(value)
        if isinstance(value, type):
            return self._class_key(value)
        if kind is ModuleType:
            return "module", value.__name__
        if kind is MethodType:
            return "method", self.key(value.__self__), self.key(value.__func__)
        if kind in (property, staticmethod, classmethod, functools.cached_property):
            inner = ("fget", "fset", "fdel", "__func__", "func", "__doc__")
            own = getattr(value, "__dict__", {}).items() if kind in (staticmethod, classmethod) else ()
            besides = tuple((part, self.key(held)) for part, held in own if part not in _COPIED)
            return kind.__name__, tuple(self.key(getattr(value, part, None)) for part in inner), besides
        if isinstance(value, np.ufunc):
            return self._ufunc_key(value)
        if kind in (tuple, frozenset):
            return kind.__name__, tuple(map(self.key, value))  # of a frozenset in the order in which it is gone through
        if kind is np.ndarray:
            return self._array_key(value)
        if id(value) in self._places and _is_in_sight(value):
            return "held", self.key(kind), self._places[id(value)]
        try:
            return fixed(value)
        except (Changeable, RecursionError):
            pass
        if kind in _OF_C or _is_of_its_module(value):
            return "of C", kind.__qualname__, value.__name__
        raise _refused(self._function, self._seen, value, "whose content cannot be compared")

    def _class_key(self, kind: type) -> Hashable:
        """A class by its name; one that is none of a trusted module by what is held of it as well."""
        place = self._places.get(id(kind))
        if place is None and not is_trusted_class(kind):
            raise _refused(self._function, self._seen, kind, "whose content cannot be compared")
        if place is not None and isinstance(kind, ABCMeta) and _get_dump(kind)[0]:
            raise _refused(self._function, self._seen, kind, "with which others are registered")
        return "class", module_of(kind), kind.__qualname__, kind.__name__, place

    def _ufunc_key(self, ufunc: Any) -> Hashable:
        """A function of numpy's by its name, under which numpy has it; one of somebody's own is not looked into."""
        name = ufunc.__name__
        if getattr(np, name, None) is not ufunc:
            raise _refused(self._function, self._seen, ufunc, "of one's own")
        return "ufunc", name

    def _array_key(self, array: np.ndarray[Any, Any]) -> Hashable:
        """The place and layout of an array in memory; the numbers of one that is held are compared beside it."""
        if array.dtype.metadata is not None or array.dtype.names is not None:
            raise _refused(self._function, self._seen, array, "whose type holds more than numbers")
        base: Any = array.base
        within: Hashable = None
        if base is not None:
            if type(base) is not np.ndarray or base.dtype.hasobject:
                raise _refused(self._function, self._seen, array, "which shows a part of something else")
            within = base.tobytes(), array.ctypes.data - base.ctypes.data, self._array_key(base)
        return (
            "array",
            array.dtype.str,
            array.shape,
            array.strides,
            str(array.flags),
            within,
            self._places.get(id(array)),
        )

    def _function_key(self, function: FunctionType) -> Hashable:
        if is_trusted_function(function):
            named = (function.__code__, function.__defaults__, function.__kwdefaults__, function.__name__)
            own = () if _is_of_its_module(function) else tuple(map(self.key, (*named, *function.__dict__.values())))
            return "function", function.__module__, function.__qualname__, self._places.get(id(function)), own
        return "function", _key_of_code(function.__code__), self._places.get(id(function))

    def _builtin_key(self, function: Any) -> Hashable:
        bound = function.__self__
        if isinstance(bound, ModuleType | type):
            return "builtin", bound.__name__, function.__name__
        return "builtin", self.key(bound), function.__name__


_COPIED: Final = frozenset(functools.WRAPPER_ASSIGNMENTS) | {"__wrapped__"}
"""Attributes that a static method has from the function in it."""

_OF_C: Final = (WrapperDescriptorType, MethodDescriptorType, ClassMethodDescriptorType)


def _is_of_its_module(value: Any) -> bool:
    """True where it is what a trusted module holds under its name, such as a function of numpy."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", getattr(value, "__name__", None))
    if not isinstance(module, str) or not isinstance(name, str) or not is_trusted(module):
        return False
    return getattr(sys.modules.get(module), name, None) is value


def _key_of_code(code: CodeType) -> Hashable:
    """The key that equal code has in common in every process that runs the same files."""
    constants = tuple(
        _key_of_code(part) if isinstance(part, CodeType) else _key_of_constant(part) for part in code.co_consts
    )
    return (
        *(code.co_name, code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars),
        *(code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags),
        code.co_exceptiontable if hasattr(code, "co_exceptiontable") else b"",
    )


def _key_of_constant(constant: Any) -> Hashable:
    kind = type(constant)
    if kind in (tuple, frozenset):
        parts = map(_key_of_constant, constant)
        return kind.__name__, tuple(parts)  # of a frozenset in the order in which it is gone through
    if kind in (float, complex):
        return kind.__name__, repr(constant)
    return kind.__name__, None if constant is Ellipsis else constant


def _refused(function: str, seen: str, value: Any, why: str) -> SeesTooMuch:
    what = f"{seen}, " if seen and seen != function else ""
    return SeesTooMuch(bad_mechanism.SEES, function, f"sees {what}a {type(value).__name__}, {why}")


def difference_of(one: Seen, other: Seen) -> str:
    """The difference in what two functions of one name see that are not alike, for people."""
    mine, theirs = _by_name(one), _by_name(other)
    names = {name for name in {**mine, **theirs} if name and mine.get(name) != theirs.get(name)}
    names = names - {_RESULT} or names
    if f"{one.function}{_CODE}" in names:
        return f"{one.function} is another function on other databases"
    seen = sorted({_BOUND if name == one.function else name.removesuffix(_CODE) for name in names}) or [_BOUND]
    return f"{one.function} sees {', '.join(seen)}"


_BOUND: Final = "the object that it is bound to"
_CODE: Final = ".__code__"


def _by_name(seen: Seen) -> dict[str, list[Hashable]]:
    results: dict[str, list[Hashable]] = {}
    for name, key in seen.contents:
        results.setdefault(name, []).append(key)
    return results
