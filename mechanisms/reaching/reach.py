"""The reach of code: functions, what they hold and name, and all that can be changed there.

A call can pass something on unseen only by changing what outlives it: a variable around it, a global, a default, an
attribute, an argument, or what hangs on one of these. So all of them are walked through, and each that can be changed
is held as it was. What cannot be changed, and what this library, Python and numpy keep for themselves, is passed by.
"""

from __future__ import annotations

import dis
import functools
import gc
import random
import sys
import warnings
import weakref
from abc import ABCMeta
from array import array
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from dataclasses import fields
from datetime import datetime, time
from decimal import Decimal
from enum import Enum, EnumType
from fractions import Fraction
from importlib import import_module
from io import IOBase, StringIO
from logging import Handler, Logger
from pathlib import PurePath
from struct import Struct
from types import (
    BuiltinFunctionType,
    CellType,
    ClassMethodDescriptorType,
    CodeType,
    EllipsisType,
    FunctionType,
    GeneratorType,
    GenericAlias,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    NoneType,
    NotImplementedType,
    UnionType,
    WrapperDescriptorType,
)
from typing import Any, Final

import numpy as np

from dpverify.mechanisms.functions.fixed_values import is_frozen
from dpverify.mechanisms.functions.lookalikes import slot_names, state
from dpverify.mechanisms.functions.mechanism import MadeOf
from dpverify.mechanisms.functions.trusted import is_trusted, is_trusted_class, is_trusted_function, module_of
from dpverify.mechanisms.functions.watched_rows import WatchedRows
from dpverify.mechanisms.numbers.exact_numbers import Sum, Term
from dpverify.mechanisms.numbers.integers.unknown_numbers import UnknownNumber
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber
from dpverify.mechanisms.reaching.elsewhere import OF_PYTEST, codes_in, leads_elsewhere, names_stored
from dpverify.mechanisms.reaching.handles import is_of_python
from dpverify.mechanisms.reaching.held import (
    Attributes,
    Bytes,
    ClosureCells,
    HeldFunction,
    HeldInstance,
    HeldRandom,
    Holder,
    Items,
    Lock,
    Members,
    Names,
    OfClass,
    OfEnum,
    OfPath,
    Partial,
    Registered,
    SaidInC,
    TypeOfNumbers,
    Unordered,
    WrittenText,
    defaults_by_name,
)
from dpverify.mechanisms.reaching.hooks import hooks_named, hooks_without_a_name
from dpverify.mechanisms.reaching.memories import Memory
from dpverify.mechanisms.reaching.pythons_own import modules_within

_LEAVES: Final = frozenset((NoneType, bool, int, float, complex, str, bytes, range, Fraction, Decimal, CodeType)) | {
    Term,
    Sum,
    WholeNumber,
    UnknownNumber,
    WatchedRows,
    EllipsisType,
    NotImplementedType,
    object,
}
"""Types of what cannot be changed, and leads nowhere."""

_BY_IDENTITY: Final = (None, object.__hash__)

_LOCKS: Final = frozenset({"lock", "RLock"})


class Reach:
    """All that some objects reach: `holders` of it, and what has no content that could be compared."""

    def __init__(self, roots: Iterable[tuple[str, Any]], *, computes_late: bool = False) -> None:
        """`computes_late` says that objects may come to hold computed properties, which nobody is seen to look for."""
        self._computes_late = computes_late
        self.own: list[Holder] = []
        """Things that can be changed, and hang on the objects themselves."""
        self.shared: list[Holder] = []
        """Things that can be changed, and are reached by names in code, and in classes."""
        self.iterators: list[tuple[str, Any]] = []
        """Things that give another value each time that they are asked, and do not show how far they are."""
        self.unknown: list[tuple[str, Any]] = []
        """Things that may change, for all that is known of them, and cannot be compared."""
        self.functions: list[FunctionType] = []
        """Those of one's own among it."""
        self.elsewhere: list[tuple[str, Any]] = []
        """Functions and modules by which anything is reached, where they are held as values."""
        self._seen: dict[int, Any] = {}  # which it keeps, so that no other object takes the place of one
        self._scopes: dict[int, _Scope] = {}
        self._modules: dict[int, tuple[str, ModuleType]] = {}
        self._mentioned: set[str] = set()
        self._classes: dict[type, None] = {}
        self._into = self.own
        self._waiting: deque[tuple[str, Any]] = deque(roots)
        self._walk()
        self._all("what Python calls", hooks_without_a_name() if self.functions else ())
        self._into = self.shared
        while self._waiting or self._classes or self._has_more_names():
            self._walk()
        self._hold_what_others_may_be_given()
        if not self._mentioned.isdisjoint(_FOUND_LATE):
            self.unknown += [("a path", value) for value in self._seen.values() if isinstance(value, PurePath)]

    @property
    def codes(self) -> list[CodeType]:
        """The code of the functions."""
        return [function.__code__ for function in self.functions]

    @property
    def values(self) -> Iterable[Any]:
        """All objects that were come to, but those that lead nowhere."""
        return self._seen.values()

    @property
    def words(self) -> frozenset[str]:
        """The names, and the texts, in the code of the functions."""
        return frozenset(self._mentioned)

    def _walk(self) -> None:
        for kind in tuple(self._classes) if self._into is self.shared else ():
            del self._classes[kind]
            self._look_into(kind)
        while self._waiting:
            name, value = self._waiting.popleft()
            if type(value) not in _LEAVES and id(value) not in self._seen:
                self._seen[id(value)] = value
                if leads_elsewhere(value):
                    self.elsewhere.append((name, value))
                self._visit(name, value)

    def _has_more_names(self) -> bool:
        for scope in tuple(self._scopes.values()):
            self._look_up(scope)
        for name, module in tuple(self._modules.values()):
            self._waiting.extend(
                (within, inner) for within, inner in modules_within(module, self.words) if id(inner) not in self._seen
            )
            self._look_up(self._scope_of(vars(module), module, f"{name}."), self._mentioned)
        return bool(self._waiting)

    def _hold_what_others_may_be_given(self) -> None:
        """Hold the attributes that code of one's own gives to things, on those that are not held otherwise."""
        stored = frozenset().union(*map(names_stored, self.codes)) - {"__class__"}
        if not stored:
            return
        whole = HeldFunction | HeldInstance | OfClass
        held = {id(holder.of) for holder in (*self.own, *self.shared) if isinstance(holder, whole)}
        others = {id(value): value for value in (*self._seen.values(), *self._kept_by_trusted())}
        for value in others.values():
            if id(value) not in held and (isinstance(value, property) or getattr(value, "__dict__", None) is not None):
                self._held(Attributes(getattr(value, "__name__", type(value).__name__), value, stored))

    def _kept_by_trusted(self) -> Iterator[Any]:
        """The objects that trusted modules and classes have under names that code mentions, and what hangs on that."""
        waiting: list[Any] = [value for value in self._seen.values() if isinstance(value, ModuleType | type)]
        seen: set[int] = set()
        while waiting:
            holder = waiting.pop()
            if id(holder) in seen or not isinstance(holder, ModuleType | type):
                continue
            seen.add(id(holder))
            names: Mapping[str, Any] = holder.__members__ if isinstance(holder, EnumType) else vars(holder)
            results = [names[name] for name in self._mentioned.intersection(names)]
            yield from results
            waiting += results

    # --- What an object leads to

    def _visit(self, name: str, value: Any) -> None:
        kind = type(value)
        known = _VISITS.get(kind)
        if known is not None:
            known(self, name, value)
        elif isinstance(value, type):
            self._class(name, value)
        else:
            for base, visit in _VISITS_OF_KINDS:
                if isinstance(value, base):
                    visit(self, name, value)
                    return
            self._object(name, value)

    def _all(self, name: str, values: Iterable[Any]) -> None:
        self._waiting.extend((name, value) for value in values if type(value) not in _LEAVES)

    def _held(self, holder: Holder) -> None:
        self._into.append(holder)

    def _function(self, name: str, function: FunctionType) -> None:
        around, cells = function.__globals__, function.__closure__ or ()
        if is_trusted_function(function):
            if "registry" in function.__dict__ and around is vars(functools):  # what dispatches by type remembers how
                self._mapping(name, function.__dict__["registry"])
            elif cells:
                self._held(ClosureCells(name, function))
                self._contents(function)
            if "__wrapped__" in function.__dict__:
                self._all(name, (function.__dict__["__wrapped__"],))
            return
        self.functions.append(function)
        self._held(HeldFunction(name, function))
        self._contents(function)
        for named in (defaults_by_name(function), function.__kwdefaults__ or {}, function.__dict__):
            self._waiting.extend((f"{function.__name__}.{key}", part) for key, part in named.items())
        names, texts = _said_in(function.__code__)
        self._mentioned |= names | texts
        self._scope_of(around, None, "").wanted |= names
        if "print" in names and type(sys.stdout) is StringIO:
            self._held(WrittenText("what is printed", sys.stdout))
        self._all("what print, warn or a signal leads to", hooks_named(names))
        if not names.isdisjoint(("warn", "warn_explicit")):
            self._all("warnings", (warnings._showwarnmsg_impl,))  # type: ignore[attr-defined]  # CPython's
        for imported in _imported_in(function.__code__):
            module = _loaded(imported)
            if module is not None:
                self._waiting.append((imported, module))

    def _contents(self, function: FunctionType) -> None:
        for variable, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self._cell(variable, cell)

    def _cell(self, name: str, cell: CellType) -> None:
        try:
            self._waiting.append((name, cell.cell_contents))
        except ValueError:  # not assigned yet
            return

    def _method(self, name: str, method: MethodType) -> None:
        self._all(name, (method.__self__, method.__func__))

    def _builtin(self, name: str, function: Any) -> None:
        if not isinstance(function.__self__, ModuleType | type):  # such as kept.append
            self._all(name, (function.__self__,))

    def _tuple(self, name: str, parts: Iterable[Any]) -> None:
        if not _LEAVES.issuperset(map(type, parts)):
            self._all(name, parts)
        if type(parts) not in (tuple, frozenset):
            self._object_beside(name, parts)

    def _list(self, name: str, parts: Any) -> None:
        self._held(Items(name, parts))
        self._tuple(name, tuple(parts))
        if type(parts) is not list:
            self._object_beside(name, parts)

    def _dict(self, name: str, parts: Any) -> None:
        self._held(Members(name, parts))
        self._all(name, dict.keys(parts))
        if isinstance(parts, defaultdict):
            self._all(f"{name}.default_factory", (parts.default_factory,))
        result = dict.items(parts)
        self._waiting.extend((f"{name}[{key!r}]", part) for key, part in result if type(part) not in _LEAVES)
        if type(parts) is not dict:
            self._object_beside(name, parts)

    def _set(self, name: str, parts: Any) -> None:
        self._held(Unordered(name, parts))
        self._tuple(name, tuple(parts))
        if type(parts) is not set:
            self._object_beside(name, parts)

    def _mapping(self, name: str, parts: Mapping[Any, Any]) -> None:
        self._held(Members(name, parts))
        self._all(name, parts.values())
        self._all(name, [inner for inner in gc.get_referents(parts) if isinstance(inner, defaultdict)])

    def _random(self, name: str, value: random.Random) -> None:
        self._held(HeldRandom(name, value))  # whose state is looked at as chance
        self._waiting.extend((f"{name}.{key}", part) for key, part in vars(value).items())
        self._all(type(value).__name__, (type(value),))

    def _array(self, name: str, values: Any) -> None:
        numbers = values.view(np.ndarray)
        if values.dtype.names is not None and values.dtype.hasobject:
            self.unknown.append((name, values))
        elif values.dtype.hasobject:
            self._held(Items(name, numbers.ravel()))
            self._all(name, numbers.ravel().tolist())
        self._held(Bytes(name, values))
        self._all(f"{name}.dtype", (values.dtype,))
        if type(values) is not np.ndarray:
            self._own_state(name, values)  # such as what is masked of it

    def _bytes(self, name: str, values: Any) -> None:
        self._held(Bytes(name, values))

    def _text(self, name: str, value: StringIO) -> None:
        self._held(WrittenText(name, value))

    def _partial(self, name: str, value: functools.partial[Any]) -> None:
        self._held(Partial(name, value))
        self._all(name, (value.func, *value.args, *value.keywords.values(), *vars(value).values()))

    def _made_of(self, name: str, value: MadeOf) -> None:
        self._all(name, value.functions)
        self._object(name, value)

    def _module(self, name: str, module: ModuleType) -> None:
        self._modules[id(module)] = name, module

    def _unknown(self, name: str, value: Any) -> None:
        self.unknown.append((name, value))

    def _reference(self, name: str, value: weakref.ref[Any]) -> None:
        self._all(name, (value(),))

    def _descriptor(self, name: str, value: Any) -> None:
        self._said_in_c(name, value)
        self._held(Attributes(name, value))
        self._all(name, getattr(value, "__dict__", {}).values())

    def _said_in_c(self, name: str, value: Any) -> None:
        """The parts that kinds in C show of themselves, and that can be changed, as by calling `__init__` once more."""
        for kind, names in _SAID_IN_C.items():
            if isinstance(value, kind):
                self._held(SaidInC(name, value, names))
                self._all(name, [part for part in (getattr(value, said, None) for said in names) if part is not None])

    def _dtype(self, name: str, value: Any) -> None:
        if value.names is None and value.metadata is None and value.subdtype is None:
            return
        self._held(TypeOfNumbers(name, value))
        self._all(f"{name}.metadata", (value.metadata or {}).values())
        self._all(name, (value.subdtype or ())[:1])
        self._all(name, [part for field in (value.fields or {}).values() for part in field])

    def _leaf(self, name: str, value: Any) -> None:
        return

    def _referents(self, name: str, value: Any) -> None:
        """All that an object in C holds, and shows by attributes of its own, as a slice does."""
        self._all(name, gc.get_referents(value))
        if isinstance(value, datetime | time):  # of which the collector knows nothing
            self._all(f"{name}.tzinfo", (value.tzinfo,))

    def _group(self, name: str, value: BaseExceptionGroup[Any]) -> None:
        self._object(name, value)
        self._all(name, value.exceptions)

    def _logger(self, name: str, value: Logger) -> None:
        self._held(HeldInstance(name, value))  # and not what it leads to, but for one's own: nobody reads that
        logger: Logger | None = value
        while logger is not None:
            if hasattr(logger, "manager"):
                self._held(Attributes(name, logger.manager))
            for handler in logger.handlers:
                self._all(name, _held_by_handler(handler))
            logger = logger.parent

    def _memory(self, name: str, value: Any) -> None:
        memory = Memory(name, value, self._mentioned)
        self._held(memory)
        self._held(Attributes(name, value))
        self._all(name, vars(value).values())
        if not memory.is_librarys:
            self._all(name, (value.__wrapped__, *memory.results()))

    def _class(self, _: str, kind: type) -> None:
        if not is_trusted_class(kind):
            self._classes[kind] = None
        elif isinstance(kind, ABCMeta):
            self._held(Registered(kind.__name__, kind))

    def _look_into(self, kind: type) -> None:
        self._all(kind.__name__, [base for base in (*kind.__bases__, type(kind)) if base is not type])
        if issubclass(kind, Enum):
            self._all(kind.__name__, [part for part in vars(kind).values() if isinstance(part, FunctionType)])
            self._all(kind.__name__, kind.__members__.values())
            self._held(OfEnum(kind.__name__, kind))
            return
        holder = OfClass(kind.__name__, kind)
        self._held(holder)
        self._waiting.extend((f"{kind.__name__}.{key}", part) for key, part in holder.parts().items())

    def _object_beside(self, name: str, value: Any) -> None:
        """All that an object of a subclass holds besides what those of its base do."""
        if not is_trusted_class(type(value)) or getattr(value, "__dict__", None):
            self._own_state(name, value)

    def _object(self, name: str, value: Any) -> None:
        kind: Any = type(value)
        self._said_in_c(name, value)
        if any(module_of(base) == "_ctypes" for base in kind.__mro__):
            self.unknown.append((name, value))
        elif is_trusted_class(kind):
            self._trusted_object(name, value, kind)
        elif _has_own_state(value):
            self._own_state(name, value)
        else:
            self._foreign(name, value)

    def _own_state(self, name: str, value: Any) -> None:
        kind = type(value)
        self._held(HeldInstance(name, value, computes_late=self._computes_late))
        self._waiting.extend((f"{name}.{key}", part) for key, part in state(value))
        self._waiting.extend((f"{name}.{key}", part) for key, part in getattr(value, "__dict__", {}).items())
        self._all(kind.__name__, (kind,))

    def _trusted_object(self, name: str, value: Any, kind: Any) -> None:
        top = module_of(kind).partition(".")[0]
        if top == "dpverify":
            if is_frozen(kind):
                given = [field.name for field in fields(value) if field.init]
                self._waiting.extend((f"{name}.{key}", getattr(value, key)) for key in given)
        elif isinstance(value, np.void | np.flatiter | np.nditer | np.broadcast):
            self.unknown.append((name, value))  # which shows what an array holds
        elif isinstance(value, np.ufunc) and set("".join(value.types)) <= set("O->"):
            self.unknown.append((name, value))  # made by frompyfunc, of a function that it does not show
        elif top == "numpy" and type(getattr(value, "__dict__", None)) is dict:  # such as a polynomial
            self._own_state(name, value)
        elif kind.__name__ in _LOCKS and top == "_thread":
            self._held(Lock(name, value))
        elif top in sys.stdlib_module_names and top != "typing" and getattr(value, "__dict__", None) is not None:
            self._own_state(name, value)
        elif top in sys.stdlib_module_names:
            if isinstance(value, PurePath):
                self._held(OfPath(name, value))
            elif top != "typing" and slot_names(kind):
                self._held(HeldInstance(name, value))
                self._waiting.extend((f"{name}.{key}", part) for key, part in state(value))
            self._foreign(name, value)

    def _foreign(self, name: str, value: Any) -> None:
        """An object of C: what is compared and hashed in a way of its own is a value; of others nothing is known."""
        kind: Any = type(value)
        if _is_iterator(value):
            self.iterators.append((name, value))
            return
        if is_of_python(kind):
            self._referents(name, value)
        if not hasattr(kind, "__get__") and (kind.__hash__ in _BY_IDENTITY or kind.__eq__ is object.__eq__):
            self.unknown.append((name, value))

    # --- Names

    def _scope_of(self, around: dict[str, Any], module: ModuleType | None, prefix: str) -> _Scope:
        known = self._scopes.get(id(around))
        if known is None:
            known = self._scopes[id(around)] = _Scope(around, module, prefix)
            self.shared.append(known.names)
        return known

    def _look_up(self, scope: _Scope, names: Iterable[str] = ()) -> None:
        for name, value in scope.found(names):
            self._waiting.append((f"{scope.prefix}{name}", value))


class _Scope:
    """The globals of a module, and which of them code names."""

    def __init__(self, around: dict[str, Any], module: ModuleType | None, prefix: str) -> None:
        self.prefix = prefix
        self.wanted: set[str] = set()
        self._around = around
        self._asked: set[str] = set()
        self._is_trusted = (
            module is not None and is_trusted(module.__name__) and sys.modules.get(module.__name__) is module
        )
        self.names = Names(prefix, around, fills_itself="__getattr__" in around)

    def found(self, names: Iterable[str]) -> Iterator[tuple[str, Any]]:
        """Values of the names that were not asked for before, but those that a trusted module has for itself."""
        new = (self.wanted | set(names)) - self._asked
        self._asked |= new
        self.names.add(new)
        for name in sorted((new & self._around.keys()) - OF_PYTEST):
            value = self._around[name]
            is_data = isinstance(value, list | set | bytearray | MutableMapping) and value is not sys.modules
            is_data = is_data or isinstance(value, ABCMeta)
            if is_data or not self._is_trusted:
                yield name, value


@functools.lru_cache(maxsize=1 << 12)
def _said_in(code: CodeType) -> tuple[frozenset[str], frozenset[str]]:
    """The names and the texts in code, and in the code within it."""
    codes = tuple(codes_in(code))
    texts = (text for each in codes for text in each.co_consts if isinstance(text, str) and text.isidentifier())
    return frozenset(name for each in codes for name in each.co_names), frozenset(texts)


@functools.lru_cache(maxsize=1 << 12)
def _imported_in(code: CodeType) -> tuple[str, ...]:
    """The modules that code, and the code within it, imports, and what it takes from them, which may be modules too."""
    results: list[str] = []
    for each in codes_in(code):
        module = ""
        for step in dis.get_instructions(each):
            if step.opname == "IMPORT_NAME":
                module = step.argval
                results.append(module)
            elif step.opname == "IMPORT_FROM":
                results.append(f"{module}.{step.argval}")
    return tuple(dict.fromkeys(results))


def _loaded(name: str) -> ModuleType | None:
    """The module of that name, loaded where it is a trusted one, as the code would do; None where there is none."""
    module = sys.modules.get(name)
    within = sys.modules.get(name.rpartition(".")[0])
    if module is not None or not is_trusted(name) or hasattr(within, name.rpartition(".")[2]):
        return module
    try:
        return import_module(name)
    except Exception:  # it is no module, or one that does not load here
        return None


_FOUND_LATE: Final = {name for name in slot_names(PurePath) if name.startswith("_")} - {"_drv", "_root"}
"""The slots in which a path keeps what it was asked for: nobody may see whether it was."""

_SAID_IN_C: Final[Mapping[Any, tuple[str, ...]]] = {
    property: ("fget", "fset", "fdel", "__doc__"),
    staticmethod: ("__func__", "__doc__"),
    classmethod: ("__func__", "__doc__"),
    functools.cached_property: ("func", "attrname", "__doc__"),
    super: ("__self__", "__thisclass__", "__self_class__"),
    type(functools.cmp_to_key(lambda one, other: 0)): ("obj",),
    Struct: ("format",),
}
"""The attributes of kinds in C that are not of their `__dict__`, and can be changed."""


def function_of_generator(generator: GeneratorType[Any, Any, Any]) -> FunctionType | None:
    """The function whose call a generator is; None where it cannot be found."""
    for part in gc.get_referents(generator):
        if isinstance(part, FunctionType) and part.__code__ is generator.gi_code:
            return part
    return None


def _has_own_state(value: Any) -> bool:
    return hasattr(value, "__dict__") or any("__slots__" in vars(base) for base in type(value).__mro__)


def _held_by_handler(handler: Handler) -> list[Any]:
    """The places in which a handler keeps what is logged; a file of one of Python's handlers is passed by."""
    if not is_trusted_class(type(handler)):
        return [handler]
    if module_of(type(handler)).partition(".")[0] not in sys.stdlib_module_names:  # such as pytest's
        return []
    return [part for part in vars(handler).values() if isinstance(part, StringIO) or not isinstance(part, IOBase)]


def _is_iterator(value: Any) -> bool:
    return hasattr(type(value), "__next__")


_VISITS: Final[Mapping[type, Callable[[Reach, str, Any], None]]] = {
    FunctionType: Reach._function,
    MethodType: Reach._method,
    BuiltinFunctionType: Reach._builtin,
    MethodWrapperType: Reach._builtin,
    tuple: Reach._tuple,
    frozenset: Reach._tuple,
    list: Reach._list,
    dict: Reach._dict,
    set: Reach._set,
    ModuleType: Reach._module,
    MappingProxyType: Reach._mapping,
    property: Reach._descriptor,
    staticmethod: Reach._descriptor,
    classmethod: Reach._descriptor,
    functools.cached_property: Reach._descriptor,
    functools._lru_cache_wrapper: Reach._memory,
    **dict.fromkeys((WrapperDescriptorType, MethodDescriptorType, ClassMethodDescriptorType), Reach._leaf),
    **dict.fromkeys((GetSetDescriptorType, MemberDescriptorType, UnionType), Reach._leaf),
    GenericAlias: Reach._referents,
}
"""Visits of objects of exactly these types."""

_VISITS_OF_KINDS: Final[tuple[tuple[Any, Callable[[Reach, str, Any], None]], ...]] = (
    (MadeOf, Reach._made_of),
    (functools.partial, Reach._partial),
    (tuple | frozenset, Reach._tuple),
    (list | deque, Reach._list),
    (dict, Reach._dict),
    (set, Reach._set),
    (np.ndarray, Reach._array),
    (np.dtype, Reach._dtype),
    (bytearray | array | memoryview, Reach._bytes),
    (weakref.ref, Reach._reference),
    (random.Random, Reach._random),
    (Logger, Reach._logger),
    (StringIO, Reach._text),
    (BaseExceptionGroup, Reach._group),
    (IOBase, Reach._unknown),
)
"""And with those of types that are made of these."""
