"""Reads of a mechanism's code besides its rows and parameters, as far as its text tells.

The environment, files, the clock, other modules and what runs the process are one thing where a claim is decided, and
another one in production; so may be a list that a module holds, or a constant that code branches on. Names are looked
up in the globals of functions that were called, and nowhere else: what is behind `getattr`, in libraries or in what a
mechanism is given is not seen.
"""

from __future__ import annotations

import ast
import builtins
import dis
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from io import IOBase
from pathlib import PurePath
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import Any, Final, NamedTuple

from dpverify.verifiers.line_coverage.sources import SourceFile


class Read(NamedTuple):
    """A line that reads what no database holds, and what that is."""

    file: str
    line: int
    what: str


_ENVIRONMENT: Final = "the environment"
_FILES: Final = "files"
_CLOCK: Final = "the clock"
_PROCESS: Final = "the process that runs"
_HELD: Final = "which a module holds and anybody may change"

_OF_OS: Final = {
    **dict.fromkeys(("environ", "environb", "getenv", "getenvb"), _ENVIRONMENT),
    **dict.fromkeys(("times", "stat", "lstat", "listdir", "scandir", "walk", "open", "access", "getcwd"), _FILES),
}
_OF_OS_HARMLESS: Final = frozenset(
    ("sep", "altsep", "linesep", "extsep", "pathsep", "fspath", "fsencode", "fsdecode", "PathLike", "name")
)
_OF_PATH: Final = frozenset(
    (
        "exists",
        "lexists",
        "isfile",
        "isdir",
        "islink",
        "ismount",
        "getsize",
        "getmtime",
        "getatime",
        "getctime",
        "samefile",
        "realpath",
        "abspath",
        "expanduser",
        "expandvars",
    )
)
_OF_SYS: Final = frozenset(
    (
        "modules",
        "argv",
        "orig_argv",
        "path",
        "flags",
        "stdin",
        "stdout",
        "stderr",
        "gettrace",
        "getprofile",
        "_getframe",
        "_current_frames",
        "executable",
        "monitoring",
        "meta_path",
        "path_hooks",
        "warnoptions",
        "ps1",
    )
)
_MODULES: Final = {
    "time": _CLOCK,
    "pathlib": "",
    "io": _FILES,
    "glob": _FILES,
    "shutil": _FILES,
    "tempfile": _FILES,
    "fileinput": _FILES,
    "sqlite3": _FILES,
    **dict.fromkeys(("socket", "urllib", "http", "ftplib", "smtplib", "ssl", "requests"), "the network"),
    **dict.fromkeys(("subprocess", "multiprocessing", "ctypes", "platform", "signal", "resource"), _PROCESS),
    **dict.fromkeys(("inspect", "gc", "importlib", "traceback", "threading", "getpass", "pwd", "locale"), _PROCESS),
}
"""Modules whose functions read what no database holds."""

_BUILTINS: Final = {
    "open": _FILES,
    "input": _FILES,
    "__import__": "other modules",
    "eval": "code that is not seen",
    "exec": "code that is not seen",
    "globals": "other modules",
    "__debug__": "which python -O turns off",
}
_OF_A_PATH: Final = frozenset(
    ("exists", "is_file", "is_dir", "is_symlink", "read_text", "read_bytes", "iterdir", "rglob", "lstat", "stat")
)
"""Methods that read files, of whatever they are."""

_OF_A_DATE: Final = frozenset(("now", "today", "utcnow"))
_MUTABLE: Final = (list, dict, set, bytearray, SimpleNamespace)
_NAMED: Final = _OF_A_PATH | _OF_A_DATE | _BUILTINS.keys()
_SETS_GLOBALS: Final = frozenset((dis.opmap["STORE_GLOBAL"], dis.opmap["DELETE_GLOBAL"]))
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
    if not _NAMED.isdisjoint(code.co_names) or not _SETS_GLOBALS.isdisjoint(code.co_code[::2]):
        return True
    for name in code.co_names:
        value = around.get(name, _NOTHING)
        if isinstance(value, ModuleType):
            values = [vars(value).get(each, _NOTHING) for each in code.co_names]
            if _of_whole_module(value.__name__) or any(map(_is_suspect, values)):
                return True
        elif _is_suspect(value) or _of_whole_module(name):  # which is imported within it
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
        elif isinstance(node, ast.Global):
            self._note(node, f"{', '.join(node.names)}, which it sets for the calls to come")
        elif isinstance(node, ast.Call):
            self._call(node)
        for condition in _conditions(node):
            self._switches(condition)
        if isinstance(node, ast.Name | ast.Attribute) and (value := self._value(node)) is not _NOTHING:
            if isinstance(node.ctx, ast.Load):
                self._named(node, value)
            return
        for child in ast.iter_child_nodes(node):
            self.look(child)

    def _call(self, node: ast.Call) -> None:
        """Note methods that read, by their names: of a path, and of a class of dates."""
        if not isinstance(node.func, ast.Attribute):
            return
        held = self._value(node.func.value)
        if node.func.attr in _OF_A_PATH and (held is _NOTHING or isinstance(held, PurePath | type)):
            self._note(node, f".{node.func.attr}, {_FILES}")
        if node.func.attr in _OF_A_DATE and isinstance(held, type) and held.__module__ == "datetime":
            self._note(node, f"{ast.unparse(node.func)}, {_CLOCK}")

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
        if isinstance(node, ast.Attribute) and isinstance(held := self._value(node.value), ModuleType):
            return _of_module(held.__name__, node.attr, value)
        if isinstance(value, ModuleType):
            return _of_whole_module(value.__name__)
        if isinstance(node, ast.Name) and node.id in _BUILTINS and value is getattr(builtins, node.id, _NOTHING):
            return _BUILTINS[node.id]
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


def _of_module(module: str, name: str, value: Any) -> str:
    """A name for an attribute of a module where it is a look outside; empty for another one."""
    if module == "os":
        return "" if name in _OF_OS_HARMLESS or isinstance(value, ModuleType) else _OF_OS.get(name, _PROCESS)
    if module in ("posixpath", "ntpath"):
        return _FILES if name in _OF_PATH else ""
    if module == "sys":
        return _PROCESS if name in _OF_SYS else ""
    top = module.partition(".")[0]
    if top in _MODULES:
        return _MODULES[top]
    return _of_object(value)


def _of_whole_module(module: str) -> str:
    """A name for a module that is named without an attribute: as an argument, or for `getattr`."""
    top = module.partition(".")[0]
    return _PROCESS if top in ("os", "sys") else _MODULES.get(top, "")


def _of_object(value: Any) -> str:
    """A name for an object where it is a look outside, whatever it is called; empty for another one."""
    for name in ("environ", "environb"):
        if value is getattr(os, name, _NOTHING):
            return _ENVIRONMENT
    if isinstance(value, _MUTABLE):
        return _HELD
    if isinstance(value, IOBase):
        return _FILES
    if isinstance(value, ContextVar) or type(value).__module__ == "_thread":
        return _PROCESS
    if type(value).__module__ == "numpy" and type(value).__name__ == "ndarray":
        return _HELD
    return _of_function(value) if isinstance(value, FunctionType | BuiltinFunctionType) else ""


def _of_function(function: Callable[..., Any]) -> str:
    """A name for the read of a function that was imported by its name."""
    module = function.__module__ or ""
    name = function.__name__
    if module in ("os", "posix", "nt"):
        return "" if name in _OF_OS_HARMLESS else _OF_OS.get(name, _PROCESS)
    if module in ("posixpath", "ntpath", "genericpath"):
        return _FILES if name in _OF_PATH else ""
    if module == "sys":
        return _PROCESS if name in _OF_SYS else ""
    return "" if module in ("builtins", "_io") else _MODULES.get(module.partition(".")[0], "")
