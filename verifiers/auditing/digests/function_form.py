"""The form of functions and values: what a claim holds, as a text that is the same wherever it is written.

Of a function of people's own it is its code, in which names are replaced by what they stand for: values, and functions
in the same way, in whatever file; of a function of a library it is its public name.
"""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import inspect
import linecache
import os
import sys
import sysconfig
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
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
from dpverify.mechanisms.renames import first_module, first_name
from dpverify.verifiers.auditing.digests.code_form import NamedValue, NamedValues, form_of_code, form_of_constant
from dpverify.verifiers.claims import AnyClaim
from dpverify.verifiers.locations import is_in_catalogue, project_of

_DEEPEST: Final = 60
"""Objects within objects that are gone into."""


def digest(text: str) -> str:
    """A short hash of a text: 12 hexadecimal digits, which a person can compare by eye."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


class Forms:
    """The forms of functions and values; `followed` says of which files the code is gone into."""

    def __init__(
        self,
        followed: Callable[[str], bool],
        besides: Collection[CodeType] = (),
        named: Collection[CodeType | None] = (),
    ) -> None:
        """`besides` is code that is gone into wherever it stands, and `named` such that is told by its name."""
        self._followed = followed
        self._besides = besides
        self._named = named
        self._known: dict[int, tuple[Any, str]] = {}
        self._outermost = _DEEPEST
        self.reached: set[str] = set()
        """Modules that what was written so far refers to, and that are not gone into."""
        self.named: set[str] = set()
        """The functions of people's own that are told by name, as MODULE:FUNCTION."""
        self.goes_into_code = False
        """True where code is part of what was written so far."""

    def digest(self, value: Any) -> str:
        """The digest of the form of a value."""
        return digest(self.of(value))

    def of_code(self, node: ast.AST, around: Mapping[str, Any]) -> str:
        """The form of code that runs where names stand for these values."""
        return form_of_code(node, values=self._values(around, ()))

    def of(self, value: Any, within: tuple[int, ...] = ()) -> str:
        """The form of a value: equal for equal ones, in all processes."""
        kind = type(value)
        if kind in _BY_TYPE:  # most are, and rows of databases
            return _BY_TYPE[kind](value)
        if kind is tuple and _BY_TYPE.keys() >= set(map(type, value)):
            return f"tuple({','.join([_BY_TYPE[type(part)](part) for part in value])})"
        if id(value) in within or len(within) > _DEEPEST:
            place = within.index(id(value)) if id(value) in within else 0
            self._outermost = min(self._outermost, place)
            return f"again:{type(value).__qualname__}"
        within = (*within, id(value))
        plain = _plain(value)
        if plain:
            return plain
        match value:
            case tuple() | list() | set() | frozenset() | Mapping():
                return self._of_container(value, within)
            case ModuleType():
                if not self._followed(getattr(value, "__file__", None) or ""):
                    self._refer(value.__name__)
                return f"module:{first_module(value.__name__)}"
            case functools.partial():
                return f"partial({self.of((value.func, value.args, value.keywords), within)})"
            case MethodType():
                return f"method({self.of(value.__func__, within)},{self.of(value.__self__, within)})"
            case FunctionType() | type():
                return self._once(value, within)
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

    def _once(self, value: Any, within: tuple[int, ...]) -> str:
        """The form of a function or a class, which is found once unless it refers to what is around it."""
        known = self._known.get(id(value))
        if known is not None:
            return known[1]
        before, self._outermost = self._outermost, _DEEPEST
        form = self._of_class(value, within) if isinstance(value, type) else self._of_function(value, within)
        if self._outermost >= len(within) - 1:
            self._known[id(value)] = value, form  # with the value, so that no other one gets its number
        self._outermost = min(before, self._outermost)
        return form

    def _of_function(self, function: FunctionType, within: tuple[int, ...]) -> str:
        code = function.__code__
        cells = [cell.cell_contents for cell in function.__closure__ or () if is_filled(cell)]
        followed = (self._followed(code.co_filename) and code not in self._named) or code in self._besides
        if not followed:
            self._refer(module_name_of(function))
            name = f"mechanism:{code.co_qualname}" if code in self._named else f"function:{public_name(function)}"
            if code not in self._named and is_of_people(code.co_filename):
                self.named.add(f"{module_name_of(function)}:{code.co_qualname}")
            held = [self.of(cell, within) for cell in cells]  # what made it: the same code may hold other numbers
            wrapped = [self.of(function.__wrapped__, within)] if hasattr(function, "__wrapped__") else []
            return f"{name}({','.join([*held, *wrapped])})"
        self.goes_into_code = True
        nodes = nodes_of(code)
        for node in nodes:
            self.reached |= imported_by(node)
        cells_by_name = zip(code.co_freevars, function.__closure__ or (), strict=False)
        around = {
            **function.__globals__,
            **{name: cell.cell_contents for name, cell in cells_by_name if is_filled(cell)},
            **{name: value for node in nodes for name, value in imported_within(node, function.__globals__).items()},
        }
        values = self._values(around, within)
        forms = [form_of_code(node, named=False, values=values) for node in nodes]
        if not nodes:
            held = [f"{name}={self.of(around[name], within)}" for name in sorted(set(_all_names(code)) & around.keys())]
            forms = [_of_bytecode(code), *held]
        given = self.of((function.__defaults__, function.__kwdefaults__), within)
        return f"code({';'.join(forms)};{given})"

    def _values(self, around: Mapping[str, Any], within: tuple[int, ...]) -> NamedValues:
        """The values of names among the globals of code, with attributes that are taken of modules and classes."""

        def value_of(names: Sequence[str]) -> NamedValue | None:
            if names[0] not in around:
                return None
            value, used = around[names[0]], 1
            while used < len(names):
                if isinstance(value, ModuleType) and not self._followed(getattr(value, "__file__", None) or ""):
                    self._refer(value.__name__)
                part = attribute_of(value, names[used])
                if part is _NOTHING:
                    break
                value, used = part, used + 1
            form = self.of(value, within)
            is_constant = _is_constant(value)
            return NamedValue(form if is_constant or len(form) < _SHORT else digest(form), used, value, is_constant)

        return value_of

    def _of_class(self, value: type, within: tuple[int, ...]) -> str:
        file, space = _where(value)
        if not self._followed(file):
            self._refer(value.__module__)
            return f"class:{public_name(value)}"
        self.goes_into_code = True
        node = _class_node(file, value.__qualname__)
        if node is None:
            return f"class:{value.__qualname__}"
        self.reached |= imported_by(node)
        held = {name: part for name, part in vars(value).items() if name[:2] != "__" and _is_data(part)}
        return f"class:{form_of_code(node, values=self._values(space, within))};{self.of(held, within)}"

    def _of_object(self, value: Any, within: tuple[int, ...]) -> str:
        """An object by its class and what it holds; of one that holds nothing that can be seen, how it is written."""
        kind = type(value)
        wrapped = getattr(value, "__wrapped__", None)
        if kind.__module__.partition(".")[0] in sys.stdlib_module_names and not is_dataclass(value):
            said = "" if " at 0x" in repr(value) else repr(value)  # what else it holds is a matter of its version
            return f"object:{public_name(kind)}({said if wrapped is None else self.of(wrapped, within)})"
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


_BY_TYPE: Final[Mapping[type, Callable[[Any], str]]] = {
    int: "int:{:x}".format,
    Fraction: form_of_constant,
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
            return f"{public_name(type(value))}.{value.name}"
        case bool() | None | str() | bytes() | complex() | float() | range():
            return f"{type(value).__name__}:{value!r}"
        case int():
            return f"int:{int(value):x}"
        case Fraction():
            return form_of_constant(value)
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


def is_filled(cell: Any) -> bool:
    """True of a cell of a closure that holds something."""
    try:
        cell.cell_contents  # noqa: B018  # which raises where nothing is in it
    except ValueError:
        return False
    return True


def public_name(value: Any) -> str:
    """The name of a function or a class by which a question knows it.

    It is the package with what it is called there: in which of its files that stands is no part of a question. Of the
    standard library it is the module.
    """
    module = value.__module__ if isinstance(value, type) else module_name_of(value)
    code = getattr(value, "__code__", None)
    name = code.co_qualname if isinstance(code, CodeType) else str(getattr(value, "__qualname__", ""))
    package = module.partition(".")[0]
    if package == "dpverify":
        name = first_name(name)
    return f"{module if package in sys.stdlib_module_names else package}.{name}"


_STANDARD: Final = tuple(os.path.realpath(sysconfig.get_path(name)) + os.sep for name in ("stdlib", "platstdlib"))
_INSTALLED: Final = tuple(f"{os.sep}{folder}{os.sep}" for folder in ("site-packages", "dist-packages"))


@functools.cache
def is_of_people(file: str) -> bool:
    """True where a file is none of dpverify, the standard library or an installed package."""
    if not file or file.startswith("<") or (project_of(file) == project_of(__file__) and not is_in_catalogue(file)):
        return False
    return not file.startswith(_STANDARD) and not any(folder in file for folder in _INSTALLED)


def attribute_of(value: Any, name: str) -> Any:
    """The attribute of a module, a class or an object, if it is seen without running anything."""
    if isinstance(value, ModuleType):
        own = is_of_people(getattr(value, "__file__", None) or "")
        return vars(value).get(name, _NOTHING) if own else getattr(value, name, _NOTHING)  # others may load when asked
    if isinstance(value, type):
        if issubclass(value, Enum):
            return value.__members__.get(name, _NOTHING)
        held = next((vars(kind)[name] for kind in value.__mro__ if name in vars(kind)), _NOTHING)
        held = held.__func__ if isinstance(held, staticmethod) else held
        return held if isinstance(held, FunctionType | type) or _is_data(held) else _NOTHING
    held = vars(value).get(name, _NOTHING) if hasattr(value, "__dict__") and not callable(value) else _NOTHING
    return held if name not in dir(type(value)) else _NOTHING


_NOTHING: Final = object()
"""A value that is not known."""


def named_value(node: ast.AST, around: Mapping[str, Any]) -> Any:
    """The value of a name, or of an attribute of one; None where it is not seen without running anything."""
    if isinstance(node, ast.Name):
        return around.get(node.id)
    if not isinstance(node, ast.Attribute):
        return None
    held = attribute_of(named_value(node.value, around), node.attr)
    return None if held is _NOTHING else held


_SHORT: Final = 80
"""Characters of forms that stand in others as they are: of longer ones there is a digest."""


def _is_data(value: Any) -> bool:
    """True of what a class holds that is neither code nor does anything when it is looked up."""
    return isinstance(value, _DATA) and not isinstance(value, Enum)


_DATA: Final = (int, float, complex, str, bytes, Fraction, Exact, tuple, list, set, frozenset, dict, type(None))


def _is_constant(value: Any) -> bool:
    """True of numbers, texts, and tuples of such: not of those of somebody's own sort."""
    if type(value) is tuple:
        return all(map(_is_constant, value))
    return value is None or type(value) in (bool, int, float, complex, str, bytes, Fraction)


def imported_within(node: ast.AST, around: Mapping[str, Any]) -> dict[str, Any]:
    """The objects that imports within a function bring, by its names there: of people's own modules and dpverify's.

    These are loaded for that, as they are when the function runs: what is loaded already must not make a difference.
    """
    results: dict[str, Any] = {}
    for part in ast.walk(node):
        if isinstance(part, ast.Import):
            for alias in part.names:
                name = alias.name if alias.asname else alias.name.partition(".")[0]
                _loaded(alias.name)
                results[alias.asname or name] = _loaded(name)
        elif isinstance(part, ast.ImportFrom):
            name = _absolute("." * part.level + (part.module or ""), str(around.get("__package__") or ""))
            module = _loaded(name)
            for alias in part.names if module is not None else ():
                results[alias.asname or alias.name] = getattr(module, alias.name, _loaded(f"{name}.{alias.name}"))
    return {name: value for name, value in results.items() if value is not None}


def _loaded(name: str) -> ModuleType | None:
    """A module of people's own or of dpverify; None for another one, and where there is none."""
    try:
        spec = importlib.util.find_spec(name)
        file = "" if spec is None else spec.origin or ""
        is_read = is_of_people(file) or name.partition(".")[0] == "dpverify"
        return importlib.import_module(name) if spec is not None and is_read else None
    except Exception:  # a module of people's own may raise whatever it likes when it is loaded
        return None


def _absolute(name: str, package: str) -> str:
    try:
        return importlib.util.resolve_name(name, package)
    except ImportError:
        return ""


def _all_names(code: CodeType) -> Iterator[str]:
    yield from (*code.co_names, *code.co_freevars)
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _all_names(part)


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
