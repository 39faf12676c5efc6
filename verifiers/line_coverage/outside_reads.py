"""Reads of a mechanism's code besides its rows and parameters: what a module holds, which may be otherwise elsewhere.

It is code inside the language, which reads no files, clocks or environment. A list that a module holds, or a constant
that code branches on, is one thing where a claim is decided, and may be another one in production.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator, Mapping
from types import CodeType, ModuleType, SimpleNamespace
from typing import Any, Final, NamedTuple

from dpverify.verifiers.line_coverage.sources import SourceFile


class Read(NamedTuple):
    """A line that reads what no database holds, and what that is."""

    file: str
    line: int
    what: str


_HELD: Final = "which a module holds and anybody may change"
_DEBUG: Final = "which python -O turns off"
_MUTABLE: Final = (list, dict, set, bytearray, SimpleNamespace)
_HARMLESS_SWITCHES: Final = frozenset(("TYPE_CHECKING", "NotImplemented", "Ellipsis"))


def outside_reads(source: SourceFile, code: CodeType, around: Mapping[str, Any]) -> list[Read]:
    """The reads of a function that look outside, line by line; `around` are its globals."""
    node = source.node_of(code)
    if node is None:
        return []
    result = _Reading(code, around)
    result.look(node)
    return [Read(source.file, line, what) for line, what in dict.fromkeys(result.seen)]


def may_read(code: CodeType, around: Mapping[str, Any]) -> bool:
    """True where a function names anything that may be such a read: of most the text need not be read."""
    for name in code.co_names:
        value = around.get(name, _NOTHING)
        if isinstance(value, ModuleType):
            values = [vars(value).get(each, _NOTHING) for each in code.co_names]
            if any(map(_is_suspect, values)):
                return True
        elif _is_suspect(value):
            return True
    return any(isinstance(constant, CodeType) and may_read(constant, around) for constant in code.co_consts)


def _is_suspect(value: Any) -> bool:
    """True where a global is what is looked for, or a constant that code may branch on."""
    if value is _NOTHING or isinstance(value, ModuleType):
        return False
    return bool(_of_object(value)) or not callable(value)


_NOTHING: Final = object()
"""A value that is not known."""


class _Reading:
    def __init__(self, code: CodeType, around: Mapping[str, Any]) -> None:
        self._around = around
        self._local = set(code.co_varnames) | set(code.co_cellvars) | set(code.co_freevars)
        self._imported: dict[str, Any] = {}
        self.seen: list[tuple[int, str]] = []

    def look(self, node: ast.AST) -> None:
        """Look at a node, and at what it holds."""
        if isinstance(node, ast.Import | ast.ImportFrom):
            self._imported.update(_imported(node))
        for condition in _conditions(node):
            self._switches(condition)
        if isinstance(node, ast.Name | ast.Attribute) and (value := self._value(node)) is not _NOTHING:
            if isinstance(node.ctx, ast.Load):
                self._named(node, value)
            return
        for child in ast.iter_child_nodes(node):
            self.look(child)

    def _note(self, node: Any, what: str) -> None:
        self.seen.append((node.lineno, what))

    def _value(self, node: ast.AST) -> Any:
        """The value that a name stands for, or an attribute of a module; `_NOTHING` where that is not known."""
        if isinstance(node, ast.Name):
            if node.id in self._imported:
                return self._imported[node.id]
            if node.id in self._local:
                return _NOTHING
            return self._around.get(node.id, getattr(builtins, node.id, _NOTHING))
        if isinstance(node, ast.Attribute):
            held = self._value(node.value)
            if isinstance(held, ModuleType):
                return vars(held).get(node.attr, _NOTHING)
        return _NOTHING

    def _named(self, node: ast.Name | ast.Attribute, value: Any) -> None:
        """Note what a name, or an attribute of a module, stands for where that is a look outside."""
        what = self._what(node, value)
        if what:
            self._note(node, f"{ast.unparse(node)}, {what}")

    def _what(self, node: ast.Name | ast.Attribute, value: Any) -> str:
        if isinstance(node, ast.Name) and node.id == "__debug__":
            return _DEBUG
        return _of_object(value)

    def _switches(self, test: ast.expr) -> None:
        """Note constants of a module that code branches on, with nothing of its rows."""
        if isinstance(test, ast.BoolOp):
            for part in test.values:
                self._switches(part)
        elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            self._switches(test.operand)
        elif (names := self._constants(test)) and all(name not in _HARMLESS_SWITCHES for name in names):
            self._note(test, f"{names[0]}, a constant that it branches on")

    def _constants(self, test: ast.expr) -> list[str]:
        """The constants of modules that a condition is made of alone; none where there is anything else in it."""
        if isinstance(test, ast.Compare):
            parts = [self._constants(part) for part in (test.left, *test.comparators)]
            written = [isinstance(part, ast.Constant) for part in (test.left, *test.comparators)]
            known = all(bool(names) or is_written for names, is_written in zip(parts, written, strict=True))
            return [name for names in parts for name in names] if known else []
        if isinstance(test, ast.Name | ast.Attribute):
            value = self._value(test)
            is_plain = value is not _NOTHING and not callable(value) and not isinstance(value, ModuleType)
            return (
                [ast.unparse(test)] if is_plain and not self._what(test, value) and not self._is_builtin(test) else []
            )
        return []

    def _is_builtin(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id not in self._around and node.id not in self._imported


def _conditions(node: ast.AST) -> list[ast.expr]:
    """The conditions that a node branches on."""
    if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
        return [node.test]
    if isinstance(node, ast.comprehension):
        return node.ifs
    return [node.subject] if isinstance(node, ast.Match) else []


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Any]]:
    """The objects that an import within a function brings, by its names there, as far as it is loaded."""
    for alias in node.names:
        if isinstance(node, ast.Import):
            name = alias.name if alias.asname else alias.name.partition(".")[0]
            if name in sys.modules:
                yield alias.asname or name, sys.modules[name]
        elif node.module in sys.modules:
            yield alias.asname or alias.name, getattr(sys.modules[node.module], alias.name, _NOTHING)


def _of_object(value: Any) -> str:
    """A name for an object that anybody may change; empty for another one."""
    is_array = type(value).__module__ == "numpy" and type(value).__name__ == "ndarray"
    return _HELD if isinstance(value, _MUTABLE) or is_array else ""
