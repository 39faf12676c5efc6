"""Writes into other modules while claims are loaded: by the file of claims, and by what it imports.

What a module holds may be replaced by whoever is loaded with it, so that the name of a library's function says no more
which function that is. Read is the text: what runs when a file is loaded, with the functions that it calls then.
"""

from __future__ import annotations

import ast
import functools
import importlib.util
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final

from dpverify.reports.record import WRITTEN_BY
from dpverify.verifiers.auditing.digests.calls import CallGraph
from dpverify.verifiers.auditing.digests.code_form import form_of_code
from dpverify.verifiers.auditing.digests.function_form import Forms, digest
from dpverify.verifiers.auditing.digests.names import is_of_people, named_value, syntax_tree, tree_or_none
from dpverify.verifiers.locations import below_imports

_DEFINITIONS: Final = (
    *(ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
    *(ast.Assign, ast.AnnAssign, ast.Pass),
)
_CHANGING: Final = ("setattr", "__setattr__", "delattr", "vars", "globals", "exec", "eval", "patch")
"""Functions that change what they are given, or anything."""

_SETTING: Final = ("setattr", "__setattr__", "delattr", "setitem", "delitem", "update", "reload")
"""Functions that change what they are given first, or are a method of."""

_IN_PLACE: Final = ("append", "clear", "extend", "insert", "pop", "remove", "setdefault")
"""Methods that change a list or dict, which are a write where a module holds it: another package may stand first in
`sys.path` than the one that a gate is to hold."""


def setup_of(place: str) -> str:
    """A digest of the statements of a file of claims that do more than define: one may replace what a library has."""
    tree = syntax_tree(place) if place else None
    return "" if tree is None else _setup_in(tree)


@functools.lru_cache(maxsize=64)
def _setup_in(tree: ast.Module) -> str:
    others = [node for node in tree.body if not _only_defines(node)]
    imported = _imported_names(tree)
    changing = [node for node in ast.walk(tree) if _changes(node, imported)]
    return digest(";".join(map(form_of_code, [*others, *changing]))) if others or changing else ""


def _only_defines(node: ast.stmt) -> bool:
    return isinstance(node, _DEFINITIONS) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _imported_names(tree: ast.AST) -> set[str]:
    """The names that imports bind anywhere in a file, and those that stand for a part of such."""
    return {
        alias.asname or alias.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }


def _changes(node: ast.AST, imported: Collection[str]) -> bool:
    """True if code changes what was imported, at once or when it is called: an attribute, an item, or by a function."""
    if isinstance(node, ast.Call):
        return _name_of_call(node) in _CHANGING
    return any(_is_of(target, imported) for target in _targets(node))


def _targets(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            return targets
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            return [target]
    return []


def _is_of(target: ast.AST, imported: Collection[str]) -> bool:
    if isinstance(target, ast.Tuple | ast.List | ast.Starred):
        return any(_is_of(part, imported) for part in ast.iter_child_nodes(target))
    inner = _root(target)
    return inner is not target and (not isinstance(inner, ast.Name) or inner.id in imported)


def _root(node: ast.AST) -> ast.AST:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node


def _name_of_call(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


# --- Other files


def written_by_others(place: str, is_followed: Callable[[str], bool]) -> dict[str, str]:
    """The writes into other modules of what a file of claims imports, and of its conftest files, by file.

    Each with what is written, and a digest of all that it comes from.
    """
    forms = Forms(is_followed)
    results = {}
    for module in _loaded_with(place):
        file = str(module.__file__)
        nodes = _writes(module)
        if nodes:
            form = ";".join(forms.of_code(node, vars(module)) for node in nodes)
            results[f"{WRITTEN_BY}{below_imports(file, module.__name__)}"] = f"{_in_words(nodes)} {digest(form)}"
    trees = [tree for file in _conftests(place) if (tree := syntax_tree(file)) is not None]
    written = {tree: [node for node in _at_once(tree, "pytest_") if _is_write(node, tree)] for tree in trees}
    nodes = [node for tree in trees for node in written[tree]]
    if nodes:  # they are loaded in pytest alone: whoever decides looks at their texts
        form = ";".join(form_of_code(node) for tree in trees if written[tree] for node in tree.body)
        results[f"{WRITTEN_BY}conftest.py"] = f"{_in_words(nodes)} {digest(form)}"
    return results


def _in_words(nodes: Collection[ast.AST]) -> str:
    """The targets of writes, as far as code says them by name."""
    targets: list[ast.AST] = [target for node in nodes for target in _targets(node)] or list(nodes)
    return ", ".join(sorted({ast.unparse(target) for target in targets}))


def _loaded_with(place: str) -> list[ModuleType]:
    """The modules of people's own that a file imports, and those that these import."""
    tree = syntax_tree(place)
    waiting = [] if tree is None else list(_imported_modules(tree, ""))
    found: dict[str, ModuleType] = {}
    while waiting:
        module = waiting.pop()
        file = getattr(module, "__file__", None) or ""
        if file in found or not is_of_people(file):
            continue
        found[file] = module
        tree = syntax_tree(file)
        waiting += [] if tree is None else _imported_modules(tree, str(getattr(module, "__package__", None) or ""))
    return [found[file] for file in sorted(found)]


def _imported_modules(tree: ast.AST, package: str) -> Iterator[ModuleType]:
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = _absolute("." * node.level + (node.module or ""), package)
            names = [f"{base}.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            for i in range(1, len(parts) + 1):
                module = sys.modules.get(".".join(parts[:i]))
                if isinstance(module, ModuleType):
                    yield module


def _absolute(name: str, package: str) -> str:
    try:
        return importlib.util.resolve_name(name, package)
    except ImportError:
        return name.lstrip(".")


def _conftests(place: str) -> list[str]:
    """The conftest files that pytest may load before a file of claims: wherever a repository begins."""
    files = [folder / "conftest.py" for folder in Path(place).parents]
    return [str(file) for file in files if file.is_file()]


def _writes(module: ModuleType) -> list[ast.AST]:
    """The nodes that a module runs when it is loaded and that write into another one, or call what does."""
    tree = syntax_tree(str(module.__file__))
    if tree is None:
        return []
    return [node for node in _at_once(tree) if _is_write(node, tree) or _calls_a_write(node, vars(module))]


def _at_once(node: ast.AST, besides: str = "\n") -> Iterator[ast.AST]:
    """The nodes that run when a file is loaded: not those within functions, unless their names begin so."""
    for child in ast.iter_child_nodes(node):
        named = getattr(child, "name", "")
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or named.startswith(besides):
            yield child
            yield from _at_once(child, besides)


@functools.lru_cache(maxsize=1 << 8)
def _foreign_names(tree: ast.AST) -> frozenset[str]:
    """The names of a file that stand for what was imported, or for a part of it, and of what Python itself has."""
    names = {*_imported_names(tree), "__builtins__"}
    for node in ast.walk(tree):  # in the order of the text, as names are given
        given = node.value if isinstance(node, ast.Assign) else node.iter if isinstance(node, ast.For) else None
        targets = _targets(node) if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.For) else []
        parts = given.elts if isinstance(given, ast.Tuple | ast.List) else [given]
        if any(isinstance(inner := _root(part), ast.Name) and inner.id in names for part in parts if part is not None):
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return frozenset(names)


def _is_write(node: ast.AST, tree: ast.AST) -> bool:
    """True where a node changes an attribute or an item of what was imported."""
    foreign = _foreign_names(tree)
    if isinstance(node, ast.Call):
        name = _name_of_call(node)
        if name == "patch" or (name == "object" and _name_of_root(node.func) == "patch"):
            return True
        owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        if name in _IN_PLACE:
            return any(isinstance(one, ast.Attribute | ast.Subscript) and _mentions(one, foreign) for one in owner)
        return name in _SETTING and any(_mentions(part, foreign) for part in [*node.args[:1], *owner])
    return any(_is_foreign(target, foreign) for target in _targets(node))


def _is_foreign(target: ast.AST, foreign: Collection[str]) -> bool:
    if isinstance(target, ast.Tuple | ast.List | ast.Starred):
        return any(_is_foreign(part, foreign) for part in ast.iter_child_nodes(target))
    return isinstance(target, ast.Attribute | ast.Subscript) and _mentions(_root(target), foreign)


def _mentions(node: ast.AST, names: Collection[str]) -> bool:
    return any(isinstance(part, ast.Name) and part.id in names for part in ast.walk(node))


def _name_of_root(node: ast.AST) -> str:
    inner = _root(node)
    return inner.id if isinstance(inner, ast.Name) else ""


def _calls_a_write(node: ast.AST, around: Mapping[str, Any]) -> bool:
    """True where a call hands a module on, or calls a function of people's own that writes into another one."""
    if not isinstance(node, ast.Call):
        return False
    if any(isinstance(named_value(argument, around), ModuleType) for argument in node.args):
        return True
    called = named_value(node.func, around)
    if not isinstance(called, FunctionType):
        return False
    for each in CallGraph().reached([called]).values():
        file, tree = each.__code__.co_filename, tree_or_none(each)
        of_file = syntax_tree(file) if tree is not None and is_of_people(file) else None
        if tree is not None and of_file is not None and any(_is_write(part, of_file) for part in ast.walk(tree)):
            return True
    return False
