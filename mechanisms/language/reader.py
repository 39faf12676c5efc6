"""The reader: from a mechanism to all the functions and classes that it leads to, and to what is outside the language.

It begins at the mechanism and follows values, not names: what a name is bound to is looked up where it means something
(closure, module, builtins), and read in turn, each function and class once. Nothing is run.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import types
from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING
from enum import Enum, EnumMeta
from functools import partial
from types import CodeType, FunctionType
from typing import Any, Final

from dpverify.mechanisms.functions.hidden_chance import is_of_chance
from dpverify.mechanisms.language import library, numpy_names, tables
from dpverify.mechanisms.language.function_reader import FunctionReader, Refusal
from dpverify.mechanisms.language.readings import OutsidePlace, ReadFunction, Reading
from dpverify.mechanisms.language.source import NoSource, tree_of


def read(
    mechanism: Callable[..., Any],
    parameters: Mapping[str, Any] = types.MappingProxyType({}),
    values: Iterable[Any] = (),
) -> Reading:
    """All that a mechanism with these parameters leads to, and what of it is outside the language.

    `values` are others that it will be given, such as some rows of the domain, whose classes are read.
    """
    reader = _Reader()
    for value in (mechanism, *parameters.values(), *values):
        reader.begin(value)
    return reader.reading(mechanism)


class _Reader:
    def __init__(self) -> None:
        self.outside: set[OutsidePlace] = set()
        self.functions: dict[int, ReadFunction] = {}
        self.classes: set[type] = set()
        self.attributes: dict[type, set[str]] = {}
        """By class that was read: the names that it defines, or gives to its objects."""
        self.unsure: list[tuple[str, type | None, OutsidePlace]] = []
        """Attributes, with the class where it is known, to be looked up when all classes are read."""
        self.known: dict[int, tuple[Any, Refusal | None]] = {}
        """By identity each value, which so lives on, and what was said of it."""
        self.queue: list[FunctionType] = []
        self.asked: set[str] = set()
        """Names of attributes that some function asks for."""
        self.waiting: dict[str, list[FunctionType]] = {}
        """Methods by name, which are read if somebody asks for them."""
        self.methods: dict[int, tuple[type, str]] = {}
        """The class and the name of each function that is a method."""

    def begin(self, value: Any) -> None:
        """Read a value, and all that it leads to."""
        refusal = self.refusal(value)
        if refusal is not None:
            self.outside.add(_outside(value, None, *refusal))
        self._empty_queue()

    def reading(self, mechanism: Callable[..., Any]) -> Reading:
        """The functions and classes that were read, and the places outside."""
        every_name = tables.ANY_TYPE.union(*self.attributes.values()) - _OF_ERRORS
        missing = {
            (name, place)
            for name, kind, place in self.unsure
            if name not in (every_name if kind is None else self._attributes_of(kind))
        }
        functions: dict[CodeType, ReadFunction] = {}
        for each in self.functions.values():
            functions.setdefault(each.function.__code__, each)
        every, outside = (*self.functions.values(),), sorted(self.outside | {place for _, place in missing})
        chance = tuple(value for value, _ in self.known.values() if is_of_chance(value))
        return Reading(mechanism, functions, frozenset(self.classes), (*outside,), every, chance, (*missing,))

    def _attributes_of(self, kind: type) -> set[str]:
        return set().union(*(self.attributes.get(base, tables.METHODS.get(base, ())) for base in kind.__mro__))

    # --- values
    def refusal(self, value: Any) -> Refusal | None:
        """The reason why a value is outside; None where it is inside, and what it leads to is read."""
        known = self.known.get(id(value))
        if known is None:
            self.known[id(value)] = value, None  # for what leads to itself
            self.known[id(value)] = known = value, self._refusal(value)
        return known[1]

    def _refusal(self, value: Any) -> Refusal | None:
        kind = type(value)
        entry = tables.entry_of(value)
        if entry is not None and (entry.changes is not None or value in tables.CALLED_BY_NAME):
            return f"{value.__qualname__} as a value", "call it where it is named"
        if kind in tables.SCALARS or entry is not None or numpy_names.is_in_language(value):
            return None
        held = self._all(library.values_held_by(value)) if kind in _HOLDING else None  # which may draw
        package = library.compiled_package(value) or library.compiled_package(kind)
        if package and not isinstance(value, types.ModuleType):
            instead = "give Python's own, as by tolist()" if hasattr(value, "tolist") else ""
            return f"{package}.{getattr(value, '__name__', kind.__name__)}", instead
        if kind in tables.CONTAINERS:
            return self._all([*value, *value.values()] if isinstance(value, Mapping) else value)
        if kind in (functools.partial, types.MethodType):
            return held
        if issubclass(kind, FunctionType | type):  # an object may say that it is of another class
            return self._named(value)
        if kind is functools._lru_cache_wrapper:
            return None if library.is_primitive(value) else self.refusal(value.__wrapped__)
        if kind in _BUILTIN:
            return self._builtin(value)
        if library.is_of_types(kind):
            return self._all((getattr(value, "__origin__", None), *getattr(value, "__args__", ())))
        if isinstance(value, types.ModuleType):
            return f"the module {value.__name__} as a value", "name what is meant in it"
        if library.is_of_kernel(kind):
            return self._all(each for each in library.values_held_by(value) if type(each).__module__ != "weakref")
        if isinstance(value, Enum):
            return self.refusal(kind)
        items = [*value] if isinstance(value, tuple) else []
        refusal = self._all([*items, *library.values_held_by(value)])
        return self._named(kind, value) or refusal

    def _all(self, values: Iterable[Any]) -> Refusal | None:
        found = [self.refusal(each) for each in values]
        return next((each for each in found if each is not None), None)

    def _named(self, named: Any, value: Any = None) -> Refusal | None:
        """The reason why a function, a class or its objects are outside; it is read where it has a source."""
        module, name = library.module_and_name(named)
        if value is None and library.is_primitive(named):
            return self._all(library.values_held_by(named)) if isinstance(named, FunctionType) else None
        if value is None and library.is_kernel(module):
            return f"{name} of dpverify's own code", ""
        if library.is_standard_module(module):
            whole = name if module == "builtins" else f"{module}.{name}"
            if isinstance(named, type):
                whole = f"a value of the class {whole}" if value is not None else f"the class {whole}"
            return whole, tables.INSTEAD.get(whole, "") or tables.INSTEAD.get(name, "")
        if isinstance(named, type):
            return self.refusal(named) if value is not None else self._class(named)
        self.queue.append(named)
        return None

    def _builtin(self, value: Any) -> Refusal | None:
        owner = getattr(value, "__self__", None)
        if isinstance(owner, types.ModuleType):
            package = library.compiled_package(owner) or owner.__name__
            is_inbuilt = getattr(builtins, value.__name__, None) is value
            name = value.__name__ if is_inbuilt else f"{package}.{value.__qualname__}"
            return name, tables.INSTEAD.get(name, "")
        entry = tables.entry_of_method(value)
        if entry is None:
            return f"the method {value.__qualname__}", ""
        if entry.changes is not None:
            return f"the method {value.__qualname__} as a value", "call it where it is named"
        return None if owner is None or isinstance(owner, type) else self.refusal(owner)

    # --- classes
    def _class(self, cls: type) -> Refusal | None:
        if type(cls) not in tables.METACLASSES:
            return f"{cls.__qualname__} with its metaclass", "write a plain class, a dataclass, a NamedTuple or an Enum"
        is_enum = isinstance(cls, EnumMeta)
        for base in cls.__bases__:
            if base not in tables.BASES and not (is_enum and base in tables.ENUM_BASES):
                refusal = self.refusal(base)
                is_meant = issubclass(base, Exception) or inspect.isabstract(base)
                if refusal is None and not is_meant and (tables.entry_of(base) or library.is_of_kernel(base)):
                    refusal = f"the class {base.__qualname__}", "hold such a value in a field"
                if refusal is not None:
                    return f"{cls.__qualname__}, which derives from {refusal[0]}", refusal[1]
        parameters = getattr(cls, "__dataclass_params__", None)
        if parameters is not None and parameters.unsafe_hash and not parameters.frozen:
            return f"{cls.__qualname__}, which has a hash and can be changed", "write frozen=True"
        members = {name: value for name, value in vars(cls).items() if not isinstance(value, _FIELDS)}
        refusals = [self._member(cls, name, value) for name, value in members.items()]
        refusals.append(self._all(defaults_of(cls)))
        self.attributes[cls] = {
            *vars(cls),
            *getattr(cls, "__annotations__", ()),
            *(("name", "value") if is_enum else ()),
        }
        self.classes.add(cls)
        return next((each for each in refusals if each is not None), None)

    def _member(self, cls: type, name: str, value: Any) -> Refusal | None:
        functions = library.member_functions(value)
        if functions:
            of_kernel = [vars(base).get(name) for base in cls.__mro__ if library.is_of_kernel(base)]
            own = [each for each in functions if not library.is_generated(each, cls) and each not in of_kernel]
            if own and tables.is_special(name) and name not in tables.SPECIAL_METHODS:
                return f"{cls.__qualname__}, which defines {name}", "write a plain method"
            self.methods |= {id(each): (cls, name) for each in own}
            is_read = not any(library.is_standard_module(library.module_and_name(each)[0]) for each in own)
            is_of_users = not any(library.is_of_kernel(base) for base in cls.__mro__)
            if is_read and is_of_users and not name.startswith("_"):
                self.waiting.setdefault(name, []).extend(own)
                return None
            return self._all(own)
        if name in tables.CLASS_FACTS or (isinstance(cls, EnumMeta) and name.startswith("_") and name.endswith("_")):
            return None
        return self.refusal(value)

    def _method(self, cls: type, name: str, method: ReadFunction) -> None:
        """Check what a method does to its first parameter."""
        tree, outside = method.tree, partial(_outside, method.function)
        given = [*_stores_on_first(tree)]
        self.attributes[cls].update(each.attr for each in given)
        if isinstance(vars(cls)[name], classmethod):
            for each in given:
                self.outside.add(outside(each, "a change of a class", "return the value"))
        if name in tables.CALLED_BY_C:
            for node in ast.walk(tree):
                if _may_change(node, method.names):
                    construct = f"a change, or a call, in {name}, which Python calls by itself"
                    self.outside.add(outside(node, construct, "only read, compute and return in it"))

    # --- functions
    def _empty_queue(self) -> None:
        while self.queue or self.waiting.keys() & self.asked:
            while self.queue:
                self._function(self.queue.pop())
            for name in self.waiting.keys() & self.asked:
                for function in self.waiting.pop(name):
                    refusal = self.refusal(function)
                    if refusal is not None:
                        self.outside.add(_outside(function, None, *refusal))

    def _function(self, function: FunctionType) -> None:
        outside = partial(_outside, function)
        try:
            tree = tree_of(function)
            reading = FunctionReader(tree, outside, self)
        except NoSource as error:
            self.outside.add(outside(None, str(error), error.instead))
            return
        except RecursionError:
            self.outside.add(outside(None, "an expression that is too deep to be read", "write it in steps"))
            return
        refusal = self._all([*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()])
        if refusal is not None:
            self.outside.add(outside(tree, f"{refusal[0]} as a default", refusal[1]))
        names = library.names_of(function, reading.names.free())
        reading.names.outside = names
        self.functions[id(function)] = ReadFunction(function, tree, names)
        if id(function) in self.methods:
            self._method(*self.methods[id(function)], self.functions[id(function)])
        reading.read()


_DESCRIPTORS: Final = (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType)
_HOLDING: Final = (functools.partial, types.MethodType, types.BuiltinFunctionType, types.GeneratorType)
_BUILTIN: Final = (types.BuiltinFunctionType, types.MethodWrapperType, *_DESCRIPTORS)
_FIELDS: Final = (types.MemberDescriptorType, types.GetSetDescriptorType, type(namedtuple("_", "x").x))  # type: ignore[attr-defined]


_OF_ERRORS: Final = frozenset(vars(BaseException))
"""Names that every error has: the text of one that Python raises may hold an address."""


def defaults_of(cls: type) -> Iterable[Any]:
    """The defaults of the fields of a dataclass or a NamedTuple, and the functions that make them."""
    given = getattr(cls, "__dataclass_fields__", {}).values()
    values = [value for each in given for value in (each.default, each.default_factory)]
    return [value for value in (*values, *getattr(cls, "_field_defaults", {}).values()) if value is not MISSING]


def _may_change(node: ast.AST, names: Mapping[str, Any]) -> bool:
    """True of a node that may change something, in code that runs as Python calls it: also of a call of users' code."""
    match node:
        case ast.Attribute(attr=name) | ast.Call(func=ast.Attribute(attr=name)):
            is_call = isinstance(node, ast.Call)
            return name in tables.CHANGING or (is_call and name not in tables.ANY_TYPE) or _is_stored(node)
        case ast.Call(func=ast.Name(id=name)):
            entry = tables.entry_of(names.get(name))
            return entry is None or entry.changes is not None
        case _:
            return isinstance(node, ast.Nonlocal | ast.Call) or _is_stored(node)


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load)


def _outside(value: Any, node: ast.AST | None, construct: str, instead: str) -> OutsidePlace:
    """A place in a function or class, or the whole of it."""
    code, name = getattr(value, "__code__", None), getattr(value, "__qualname__", type(value).__qualname__)
    file, first = (code.co_filename, code.co_firstlineno) if isinstance(code, CodeType) else ("", 1)
    line, column = getattr(node, "lineno", first), getattr(node, "col_offset", 0) + 1
    return OutsidePlace(file, line, column, construct, instead, name)


def _stores_on_first(tree: ast.FunctionDef | ast.Lambda) -> Iterable[ast.Attribute]:
    """The places where a method gives an attribute to its first parameter."""
    first = [each.arg for each in (*tree.args.posonlyargs, *tree.args.args)][:1]
    return (
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and _is_stored(node)
        and isinstance(node.value, ast.Name)
        and [node.value.id] == first
    )
