"""The form of functions and values: what a claim holds, as a text that is the same wherever it is written.

Of a function that a file of claims defines it is its code, with the values of what it refers to, and the functions
that the file defines in the same way; of another one its name.
"""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import MadeOf
from dpverify.mechanisms.functions.places import code_of
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.verifiers.claims import AnyClaim
from dpverify.verifiers.contract.code_form import form_of_code, free_names, own_names

_DEEPEST: Final = 60
"""Objects within objects that are gone into."""


def digest(text: str) -> str:
    """A short hash of a text: 12 hexadecimal digits, which a person can compare by eye."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


class Forms:
    """The forms of functions and values; `followed` says of which files the code is gone into."""

    def __init__(self, followed: Callable[[str], bool], besides: Collection[CodeType] = ()) -> None:
        """`besides` is code that is gone into wherever it stands, and what that calls is not."""
        self._followed = followed
        self._besides = besides
        self.reached: set[str] = set()
        """Modules that what was written so far refers to, and that are not gone into."""
        self.goes_into_code = False
        """True where code is part of what was written so far."""

    def digest(self, value: Any) -> str:
        """The digest of the form of a value."""
        return digest(self.of(value))

    def of(self, value: Any, within: tuple[int, ...] = ()) -> str:
        """The form of a value: equal for equal ones, in all processes."""
        kind = type(value)
        if kind in _BY_TYPE:  # most are, and rows of databases
            return _BY_TYPE[kind](value)
        if kind is tuple and _BY_TYPE.keys() >= set(map(type, value)):
            return f"tuple({','.join([_BY_TYPE[type(part)](part) for part in value])})"
        if id(value) in within or len(within) > _DEEPEST:
            return f"again:{type(value).__qualname__}"
        within = (*within, id(value))
        plain = _plain(value)
        if plain:
            return plain
        match value:
            case tuple() | list() | set() | frozenset() | Mapping():
                return self._of_container(value, within)
            case ModuleType():
                self._refer(value.__name__)
                return f"module:{value.__name__}"
            case functools.partial():
                return f"partial({self.of((value.func, value.args, value.keywords), within)})"
            case MethodType():
                return f"method({self.of(value.__func__, within)},{self.of(value.__self__, within)})"
            case FunctionType():
                return self._of_function(value, within)
            case type():
                return self._of_class(value, within)
        return self._of_object(value, within)

    def _of_container(self, value: Any, within: tuple[int, ...]) -> str:
        if isinstance(value, Mapping):
            items = (f"{self.of(key, within)}:{self.of(part, within)}" for key, part in value.items())
            return f"map({','.join(sorted(items))})"
        held = list(value)
        each = {id(part): part for part in held}  # of many rows most are one object
        results = {key: self.of(part, within) for key, part in each.items()}
        parts = [results[id(part)] for part in held]
        if isinstance(value, set | frozenset):
            return f"set({','.join(sorted(parts))})"
        name = "" if type(value) in (tuple, list) else self.of(type(value), within)
        return f"{name}{'list' if isinstance(value, list) else 'tuple'}({','.join(parts)})"

    def _of_function(self, function: FunctionType, within: tuple[int, ...]) -> str:
        code = function.__code__
        cells = [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
        if not (self._followed(code.co_filename) or code in self._besides):
            module = module_name_of(function)
            self._refer(module)
            held = [self.of(cell, within) for cell in cells]  # what made it: the same code may hold other numbers
            wrapped = [self.of(function.__wrapped__, within)] if hasattr(function, "__wrapped__") else []
            return f"function:{module}.{code.co_qualname}({','.join([*held, *wrapped])})"
        self.goes_into_code = True
        nodes = nodes_of(code)
        for node in nodes:
            self.reached |= imported_by(node)
        forms = [form_of_code(node, named=False) for node in nodes] or [_of_bytecode(code)]
        names = {name for node in nodes for name in free_names(node)} | set(code.co_names if not nodes else ())
        own = frozenset.intersection(*map(own_names, nodes)) if nodes else frozenset()
        known = dict(zip(code.co_freevars, (function.__closure__ or ()), strict=False))
        parts = []
        for name in sorted(names):
            if name in known:
                if _is_filled(known[name]):
                    parts.append(f"{name}={self.of(known[name].cell_contents, within)}")
            elif name in function.__globals__ and name not in own:
                value = function.__globals__[name]
                parts.append(f"{name}={self.of(value, within)}")
                parts += [f"{name}.{part}={self.of(one, within)}" for part, one in self._of_module(value, name, nodes)]
        given = self.of((function.__defaults__, function.__kwdefaults__), within)
        return f"code({';'.join(forms)};{';'.join(parts)};{given})"

    def _of_module(self, value: Any, name: str, nodes: Iterable[ast.AST]) -> list[tuple[str, Any]]:
        """The objects that code takes by attributes from a module whose code is gone into."""
        if not isinstance(value, ModuleType) or not self._followed(getattr(value, "__file__", None) or ""):
            return []
        taken = {attribute for node in nodes for attribute in attributes_of(node, name)}
        return [(attribute, vars(value)[attribute]) for attribute in sorted(taken) if attribute in vars(value)]

    def _of_class(self, value: type, within: tuple[int, ...]) -> str:
        file, space = _where(value)
        if not self._followed(file):
            self._refer(value.__module__)
            return f"class:{_class_name(value)}"
        self.goes_into_code = True
        node = _class_node(file, value.__qualname__)
        if node is None:
            return f"class:{value.__qualname__}"
        self.reached |= imported_by(node)
        names = [name for name in free_names(node) if name in space]
        parts = [f"{name}={self.of(space[name], within)}" for name in names]
        return f"class:{form_of_code(node)};{';'.join(parts)}"

    def _of_object(self, value: Any, within: tuple[int, ...]) -> str:
        """An object by its class and what it holds; of one that holds nothing that can be seen, how it is written."""
        kind = type(value)
        wrapped = getattr(value, "__wrapped__", None)
        if kind.__module__.partition(".")[0] in sys.stdlib_module_names and not is_dataclass(value):
            said = "" if " at 0x" in repr(value) else repr(value)  # what else it holds is a matter of its version
            return f"object:{_class_name(kind)}({said if wrapped is None else self.of(wrapped, within)})"
        if isinstance(value, MadeOf):
            self._refer(kind.__module__)
        if is_dataclass(value):
            held = {one.name: getattr(value, one.name, None) for one in fields(value)}
        elif callable(getattr(value, "tolist", None)) and type(value).__module__ == "numpy":
            held = {"values": value.tolist()}
        else:
            slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
            held = {name: getattr(value, name) for name in slots if hasattr(value, name)} | state_of(value)
        number = isinstance(value, int | str | bytes | float | complex | Fraction)
        said = _base(value) if number else "" if held or " at 0x" in repr(value) else repr(value)
        return f"object({self.of(type(value), within)},{self.of(held, within)},{said})"

    def _refer(self, module: str) -> None:
        self.reached.add(module)


def _fraction(value: Fraction) -> str:
    return f"Fraction:{value.numerator:x}/{value.denominator:x}"


_BY_TYPE: Final[Mapping[type, Callable[[Any], str]]] = {
    int: "int:{:x}".format,
    Fraction: _fraction,
    **{kind: f"{kind.__name__}:{{!r}}".format for kind in (bool, type(None), str, bytes, complex, float, range)},
}
"""The forms of what holds nothing else, by its exact type: as of `_plain`, in a third of the time."""


def _plain(value: Any) -> str:
    """The form of what holds nothing else; empty for what does, and for numbers and texts of somebody's own sort."""
    if isinstance(value, int | str | bytes | float | complex | Fraction) and not isinstance(value, Enum):
        kind = type(value)
        if kind.__module__ not in ("builtins", "fractions") and not kind.__module__.startswith("dpverify."):
            return ""
    match value:
        case Enum():
            return f"{_class_name(type(value))}.{value.name}"
        case bool() | None | str() | bytes() | complex() | float() | range():
            return f"{type(value).__name__}:{value!r}"
        case int():
            return f"int:{int(value):x}"
        case Fraction():
            return _fraction(value)
        case Exact():
            return f"Exact:{value}"
        case AnyClaim():
            return f"claim:{value.id}"
        case BuiltinFunctionType():
            return f"builtin:{value.__module__}.{value.__qualname__}"
    return ""


def _base(value: Any) -> str:
    """A number or a text of somebody's own sort, as that which it is made of has it."""
    base: Any = next(kind for kind in type(value).__mro__ if kind.__module__ in ("builtins", "fractions"))
    return f"{base.__name__}:{base.__repr__(value)}"


def state_of(value: Any) -> dict[str, Any]:
    """All that an object holds but for what it has computed once and kept."""
    kept = {name for kind in type(value).__mro__ for name, one in vars(kind).items() if _is_kept(one)}
    return {name: part for name, part in getattr(value, "__dict__", {}).items() if name not in kept}


def _where(kind: type) -> tuple[str, Mapping[str, Any]]:
    """The file that defines a class, and what its names stand for there: by its methods, or else by its module."""
    for method in vars(kind).values():
        code = getattr(method, "__code__", None)
        if isinstance(method, FunctionType) and code is not None and not code.co_filename.startswith("<"):
            return code.co_filename, method.__globals__
    module = sys.modules.get(kind.__module__)
    return getattr(module, "__file__", None) or "", {} if module is None else vars(module)


def _is_kept(attribute: object) -> bool:
    return isinstance(attribute, functools.cached_property)


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018  # which raises where nothing is in it
    except ValueError:
        return False
    return True


def _class_name(value: type) -> str:
    """A class by its module, but for dpverify's own: in which of its rooms that stands is no part of a question."""
    module = "dpverify" if value.__module__.startswith("dpverify.") else value.__module__
    return f"{module}.{value.__qualname__}"


def module_name_of(function: Any) -> str:
    """The module that a function says it is of, if its file is called so, and else what its file is called."""
    code = code_of(function)
    said = str(getattr(function, "__module__", "") or "")
    if code is None:
        return said
    path = Path(code.co_filename).with_suffix("")
    parts = path.parts[:-1] if path.name == "__init__" else path.parts
    named = tuple(said.split("."))
    return said if parts[-len(named) :] == named else path.name


def _of_bytecode(code: CodeType) -> str:
    """A text of a function without a source; it differs between versions of Python."""
    constants = [_of_bytecode(part) if isinstance(part, CodeType) else repr(part) for part in code.co_consts]
    return f"bytecode:{code.co_code.hex()};{code.co_names};{constants}"


def syntax_tree(file: str) -> ast.Module | None:
    """The syntax of a file as it is now; None where there is none, or none that can be read."""
    linecache.checkcache(file)
    lines = linecache.getlines(file)  # the same list, as long as the file is the same
    known = _TREES.get(file)
    if known is None or known[0] is not lines:
        _TREES[file] = known = (lines, _parsed(lines))
    return known[1]


_TREES: Final[dict[str, tuple[list[str], ast.Module | None]]] = {}
"""The syntax of files, with the lines that it is of."""


def _parsed(lines: list[str]) -> ast.Module | None:
    try:
        return ast.parse("".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def nodes_of(code: CodeType) -> list[ast.AST]:
    """The nodes of a function: of those without a name all that begin in its line; none where nobody can tell."""
    tree = syntax_tree(code.co_filename)
    return [] if tree is None else _functions_in(tree).get((code.co_firstlineno, code.co_name), [])


@functools.lru_cache(maxsize=256)
def _functions_in(tree: ast.Module) -> Mapping[tuple[int, str], list[ast.AST]]:
    functions: dict[tuple[int, str], list[ast.AST]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            functions.setdefault((first, node.name), []).append(node)
        elif isinstance(node, ast.Lambda):
            functions.setdefault((node.lineno, "<lambda>"), []).append(node)
    return functions


def _class_node(file: str, name: str) -> ast.ClassDef | None:
    tree = syntax_tree(file)
    return next(
        (
            node
            for node in (ast.walk(tree) if tree is not None else ())
            if isinstance(node, ast.ClassDef) and node.name == name.rpartition(".")[2]
        ),
        None,
    )


UNKNOWN: Final = "?"
"""A module whose name is made up while code runs."""

_IMPORTING: Final = frozenset(("import_module", "__import__", "exec", "eval", "modules"))


@functools.cache
def imported_by(node: ast.AST) -> frozenset[str]:
    """The modules that code imports while it runs."""
    texts: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Import):
            texts |= {alias.name for alias in part.names}
        elif isinstance(part, ast.ImportFrom):
            texts.add(part.module or UNKNOWN)
        elif (isinstance(part, ast.Name) and part.id in _IMPORTING) or (
            isinstance(part, ast.Attribute) and part.attr in _IMPORTING
        ):
            texts.add(UNKNOWN)
    return frozenset(texts)


def attributes_of(node: ast.AST, name: str) -> set[str]:
    """The attributes that code takes of a name."""
    return {
        part.attr
        for part in ast.walk(node)
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == name
    }


def functions_in(value: Any, deepest: int = 4) -> Iterator[Callable[..., Any]]:
    """The functions that a value is, or holds."""
    if inspect.isroutine(value) or inspect.isclass(value):
        yield value
    elif isinstance(value, functools.partial):
        yield from functions_in((value.func, *value.args, *value.keywords.values()), deepest - 1)
    elif isinstance(value, Mapping) and deepest:
        yield from functions_in(tuple(value.values()), deepest - 1)
    elif isinstance(value, Iterable) and isinstance(value, tuple | list) and deepest:
        for part in value:
            yield from functions_in(part, deepest - 1)
