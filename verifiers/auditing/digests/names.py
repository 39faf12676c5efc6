"""Names in code: what they stand for without running anything, whose files they come from, and their public form."""

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
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from fractions import Fraction
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

from dpverify.mechanisms.functions.places import code_of
from dpverify.mechanisms.language.library import is_generated
from dpverify.mechanisms.language.source import NoSource, tree_of
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.patterns.last_draws import Tree
from dpverify.verifiers.locations import is_in_catalogue, project_of


def public_name(value: Any) -> str:
    """The name of a function or a class by which a question knows it.

    It is the package with what it is called there: in which of its files that stands is no part of a question. Of the
    standard library it is the module.
    """
    module = value.__module__ if isinstance(value, type) else module_name_of(value)
    code = getattr(value, "__code__", None)
    name = code.co_qualname if isinstance(code, CodeType) else str(getattr(value, "__qualname__", ""))
    package = module.partition(".")[0]
    return f"{module if package in sys.stdlib_module_names else package}.{name}"


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
        return vars(value).get(name, UNSEEN) if own else getattr(value, name, UNSEEN)  # others may load when asked
    if isinstance(value, type):
        if issubclass(value, Enum):
            return value.__members__.get(name, UNSEEN)
        held = next((vars(kind)[name] for kind in value.__mro__ if name in vars(kind)), UNSEEN)
        held = held.__func__ if isinstance(held, staticmethod) else held
        return held if isinstance(held, FunctionType | type) or _is_data(held) else UNSEEN
    held = vars(value).get(name, UNSEEN) if hasattr(value, "__dict__") and not callable(value) else UNSEEN
    return held if name not in dir(type(value)) else UNSEEN


UNSEEN: Final = object()
"""A value that is not known."""


def named_value(node: ast.AST, around: Mapping[str, Any]) -> Any:
    """The value of a name, or of an attribute of one; None where it is not seen without running anything."""
    if isinstance(node, ast.Name):
        return around.get(node.id)
    if not isinstance(node, ast.Attribute):
        return None
    held = attribute_of(named_value(node.value, around), node.attr)
    return None if held is UNSEEN else held


def _is_data(value: Any) -> bool:
    """True of what a class holds that is neither code nor does anything when it is looked up."""
    return isinstance(value, _DATA) and not isinstance(value, Enum)


_DATA: Final = (int, float, complex, str, bytes, Fraction, Exact, tuple, list, set, frozenset, dict, type(None))


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


def where_defined(kind: type) -> str:
    """The file that defines a class: by its methods, or else by its module; empty where there is none."""
    for method in list(vars(kind).values()):
        if isinstance(method, FunctionType) and not is_generated(method, kind):
            return method.__code__.co_filename
    module = sys.modules.get(kind.__module__)
    return getattr(module, "__file__", None) or ""


def tree_or_none(function: FunctionType) -> Tree | None:
    """The tree of a function that is what runs; None where there is none."""
    try:
        return tree_of(function)
    except (NoSource, RecursionError):
        return None


def all_names(code: CodeType) -> Iterator[str]:
    """The names that code refers to, in functions within it, too."""
    yield from (*code.co_names, *code.co_freevars)
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from all_names(part)
