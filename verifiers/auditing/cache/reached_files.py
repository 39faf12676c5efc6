"""The files of people's own that claims reach: what is loaded, and what that imports, found without importing it.

Such files are those outside the standard library, the installed packages and dpverify. Imports are read from the
syntax, those inside functions too; what else a file names says whether it may look outside of its files.
"""

from __future__ import annotations

import ast
import importlib
import importlib.machinery
import importlib.util
import re
import site
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final

import dpverify
from dpverify.verifiers.processes.versions import PACKAGE, PACKAGES

_PURE: Final = (
    "__future__ abc array bisect cmath collections contextlib copy dataclasses decimal difflib enum fractions "
    "functools graphlib hashlib heapq itertools json keyword math numbers operator re statistics string struct "
    "textwrap types typing unicodedata weakref zlib"
)
PURE: Final = frozenset(_PURE.split())
"""Modules of the standard library that look at nothing but what they are given: others leave a claim without a key."""

_LOADERS: Final = frozenset(("lazy_loader", "apipkg", "cffi"))
"""Packages that load files whose names stand in no import."""

_OUTWARD_NAMES: Final = (
    "open exec eval __import__ __builtins__ __loader__ __spec__ __globals__ __dict__ __subclasses__ __file__ "
    "globals locals vars input breakpoint import_module environ environb getenv argv read_text read_bytes load "
    "fromfile loadtxt genfromtxt memmap urlopen urlretrieve socket subprocess popen system urandom getpid ctypes "
    "perf_counter monotonic now today utcnow random hash"
)
_OUTWARD: Final = frozenset(_OUTWARD_NAMES.split())
_MODULES_WITHIN: Final = frozenset(
    "os sys io posix posixpath ntpath nt genericpath builtins platform site sysconfig locale subprocess shutil "  # noqa: SIM905
    "glob pathlib tempfile socket ctypes inspect importlib pickle threading multiprocessing warnings marshal resource "
    "pwd grp getpass uuid secrets datetime linecache tokenize zipfile fileinput".split()
)
"""Modules that look outside, which other modules hold as an attribute: `dataclasses.sys` is `sys`."""

_READS: Final = "read_"
"""Beginnings of names that read data from files, such as `read_csv`."""


@dataclass(frozen=True)
class ReachedFiles:
    """Files that claims reach, by name of module, names that stand for no file, and what forbids a key."""

    files: Mapping[str, Path] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()
    """Modules that are tried and not there."""
    obstacle: str = ""
    """Reason why the files do not determine what the claims are; empty where they do."""


def reached_from(modules: Mapping[str, ModuleType]) -> ReachedFiles:
    """The files that the modules of people's own among these reach, themselves included."""
    importlib.invalidate_caches()
    reach = _Reach()
    for name, module in list(modules.items()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and is_own(file):
            package = getattr(module, "__package__", None) or ""
            if not (name in _MAIN and is_a_command(file)):
                reach.add(name, Path(file), package)
    return reach.found()


_MAIN: Final = ("__main__", "__mp_main__")
"""Name of the script that was started."""


@cache
def is_own(file: str) -> bool:
    """True where a file is people's own: outside the standard library, the installed packages and dpverify."""
    if is_of_dpverify(file):
        return False
    path, resolved = Path(file), _resolved(file)
    return not any(place.is_relative_to(folder) for place in (path, resolved) for folder in installed_folders())


@cache
def is_of_dpverify(file: str) -> bool:
    """True where a file is one of dpverify."""
    resolved = _resolved(file)
    return any(resolved.is_relative_to(folder) for folder in _dpverify())


@cache
def _resolved(file: str) -> Path:
    try:
        return Path(file).resolve()
    except (OSError, RuntimeError, ValueError):  # a loop of links, or no name of a file
        return Path(file)


@cache
def _dpverify() -> tuple[Path, ...]:
    return (_resolved(str(dpverify.__file__)), *(PACKAGE / name for name in PACKAGES))


@cache
def installed_folders() -> tuple[Path, ...]:
    """The folders of the standard library and of packages, also by other names of these folders."""
    folders = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders += [*site.getsitepackages(), site.getusersitepackages()]
    return tuple(place for folder in folders for place in (Path(folder), Path(folder).resolve()))


def is_a_command(file: str) -> bool:
    """True where it is the script of an installed command, such as `dpverify`, which does nothing but call it."""
    return Path(file).parent.resolve() in (Path(sysconfig.get_path("scripts")).resolve(), Path(sys.prefix) / "bin")


_NO_PYTHON: Final = b"\0"


class _Reach:
    """The closure, while it is found: up to the first obstacle."""

    def __init__(self) -> None:
        self._files: dict[str, Path] = {}
        self._absent: set[str] = set()
        self._obstacles: list[str] = []

    def found(self) -> ReachedFiles:
        return ReachedFiles(self._files, frozenset(self._absent), self._obstacles[0] if self._obstacles else "")

    def add(self, name: str, file: Path, package: str) -> None:
        """A file of people's own, and what it imports."""
        if name in self._files or self._obstacles:
            return
        self._files[name] = file
        try:
            tree = ast.parse(file.read_bytes() if file.suffix == ".py" else _NO_PYTHON)
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            self._obstacles.append(f"{file} cannot be read as Python")
            return
        for what in _outward(tree):
            self._obstacles.append(f"{file} names {what}")
        for wanted in _imports(tree, package):
            self._import(wanted, file)

    def _import(self, wanted: _Wanted, importing: Path) -> None:
        if not wanted.name:
            self._obstacles.append(f"{importing} imports from beyond its package")
            return
        spec = self._module(wanted.name)
        if spec is None:
            if wanted.guarded:
                self._absent.add(wanted.name)
            else:
                self._obstacles.append(f"{importing} imports {wanted.name}, which is not found")
            return
        for name in wanted.members:  # which of them are modules and which are not, the finders say
            if spec.submodule_search_locations is not None and self._is_open(spec):
                names = _submodules(spec) if name == "*" else [name]
                for each in names:
                    self._module(f"{wanted.name}.{each}")

    def _module(self, name: str) -> importlib.machinery.ModuleSpec | None:
        """Value of a name, with what stands above it; all files of people's own among these are added."""
        top, *parts = name.split(".")
        spec = _top_level(top)
        if not self._passed(top, spec):
            return spec
        path = top
        for part in parts:
            if spec is None or spec.submodule_search_locations is None:
                return None
            path = f"{path}.{part}"
            spec = importlib.machinery.PathFinder.find_spec(path, list(spec.submodule_search_locations))
            if not self._passed(path, spec):
                return spec
        return spec

    def _passed(self, name: str, spec: importlib.machinery.ModuleSpec | None) -> bool:
        """True where what lies below is to be looked at; a file of people's own is added."""
        if spec is None:
            return True
        if not self._is_open(spec):
            top = name.partition(".")[0]
            if top in _LOADERS or (top in sys.stdlib_module_names and top not in PURE):
                self._obstacles.append(f"the module {top} is imported")
            return False
        if spec.has_location and spec.origin is not None:
            self.add(name, Path(spec.origin), spec.parent or "")
        return True

    @staticmethod
    def _is_open(spec: importlib.machinery.ModuleSpec) -> bool:
        """True where it is people's own, or a folder without a file, in which such files may lie."""
        if spec.has_location and spec.origin is not None:
            return is_own(spec.origin)
        return spec.origin is None and spec.submodule_search_locations is not None and spec.name != "dpverify"


def _top_level(name: str) -> importlib.machinery.ModuleSpec | None:
    try:
        return importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return importlib.machinery.PathFinder.find_spec(name)


def _submodules(spec: importlib.machinery.ModuleSpec) -> list[str]:
    """The modules of a package, any of which `from … import *` may load, by `__all__`."""
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    entries = [entry for folder in folders if folder.is_dir() for entry in folder.iterdir()]
    return sorted({entry.name.partition(".")[0] for entry in entries} - {"__init__", "__pycache__", ""})


@dataclass(frozen=True)
class _Wanted:
    """An import: of a module, or of members of one; whether the file goes on where it is not there."""

    name: str
    members: tuple[str, ...]
    guarded: bool


def _imports(tree: ast.AST, package: str, guarded: bool = False) -> Iterator[_Wanted]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield _Wanted(alias.name, (), guarded)
        elif isinstance(node, ast.ImportFrom):
            members = tuple(alias.name for alias in node.names)
            yield _Wanted(_absolute(node, package), members, guarded)
        yield from _imports(node, package, guarded or _guards(node))


def _guards(node: ast.AST) -> bool:
    """True where the file goes on where an import in it fails, or does not run it at all."""
    if isinstance(node, ast.If):
        return any(isinstance(name, ast.Name) and name.id == "TYPE_CHECKING" for name in ast.walk(node.test))
    return isinstance(node, ast.Try | ast.TryStar)


def _absolute(node: ast.ImportFrom, package: str) -> str:
    """The full name of the module that is imported from; empty where there is none."""
    if not node.level:
        return node.module or ""
    above = package.split(".") if package else []
    if node.level > len(above):
        return ""
    return ".".join([*above[: len(above) - node.level + 1], *([node.module] if node.module else [])])


def _outward(tree: ast.AST) -> Iterator[str]:
    """The names in a file that may look outside of it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            name = node.id
        elif isinstance(node, ast.Attribute):
            name = node.attr
        elif isinstance(node, ast.alias):
            name = node.name.rpartition(".")[2]
        else:
            continue
        if name in _OUTWARD or name.startswith(_READS):
            yield name
        if not isinstance(node, ast.Name) and _leads_out(name):
            yield name
    yield from _by_text(tree)


def _by_text(tree: ast.AST) -> Iterator[str]:
    """All that a file says as text, or in a pattern, by which attributes are looked up."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            if name in _LOOK_UP and not any(isinstance(each, ast.Constant) for each in node.args[_LOOK_UP[name] :]):
                yield f"{name} of a name that is computed"
        elif isinstance(node, ast.MatchClass):
            yield from (name for name in node.kwd_attrs if _leads_out(name))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            is_path = all(map(str.isidentifier, node.value.split(".")))
            yield from (
                word for word in _WORD.findall(node.value) if _leads_out(word) and (is_path or "{" in node.value)
            )


_LOOK_UP: Final = {"getattr": 1, "attrgetter": 0, "methodcaller": 0}
"""Functions that look attributes up, and which of their arguments is the name."""

_WORD: Final = re.compile(r"\w+")


def _leads_out(name: str) -> bool:
    return name.lstrip("_") in _MODULES_WITHIN
