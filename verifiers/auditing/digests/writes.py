"""Statements of a file of claims that do more than define, as one that replaces what a library has.

A gate protects against haste: what other files write into a library while they are imported is not looked for.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Collection
from typing import Final

from dpverify.verifiers.auditing.digests.code_form import form_of_code
from dpverify.verifiers.auditing.digests.function_form import digest
from dpverify.verifiers.auditing.digests.names import syntax_tree

_DEFINITIONS: Final = (
    *(ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
    *(ast.Assign, ast.AnnAssign, ast.Pass),
)
_CHANGING: Final = ("setattr", "__setattr__", "delattr", "vars", "globals", "exec", "eval", "patch")
"""Functions that change what they are given, or anything."""


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
