"""Names that modules, functions and classes of this library had before: what was written with them stays valid.

A gate keeps digests of code in which such names stand. It writes the first name that a thing had, so that a digest
changes with the code alone. Code that imports a module by a former name gets the module.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

FORMER_MODULES: Final[Mapping[str, str]] = {}
"""Former name → name of modules and packages below `dpverify`, which those of packages within it begin with."""

_PAIRS: Final = """
"""

FORMER_NAMES: Final[Mapping[str, str]] = {
    former: now for former, _, now in (pair.partition(" ") for pair in " ".join(_PAIRS.split()).split("; ") if pair)
}
"""Former name → name of functions and classes."""


def first_name(name: str) -> str:
    """The first name of a function or class, by its name now, which may go on with a dot."""
    head, dot, rest = name.partition(".")
    return f"{_FIRST_NAMES.get(head, head)}{dot}{rest}"


def first_module(name: str) -> str:
    """The first name of a module of this library, by its name now; of others the name."""
    return _moved(name, _FIRST_MODULES)


def module_now(name: str) -> str:
    """The name of a module of this library now, by that or a former name; of others the name."""
    return _moved(name, FORMER_MODULES)


def _moved(name: str, moves: Mapping[str, str]) -> str:
    package, _, inner = name.partition(".")
    if package != "dpverify":
        return name
    parts = inner.split(".")
    for count in range(len(parts), 0, -1):
        target = moves.get(".".join(parts[:count]))
        if target is not None:
            return ".".join((package, target, *parts[count:]))
    return name


_FIRST_NAMES: Final = {now: former for former, now in FORMER_NAMES.items()}
_FIRST_MODULES: Final = {now: former for former, now in FORMER_MODULES.items()}


class FormerNames:
    """Finder of modules by their former names: it gives the module itself, which is loaded once."""

    def find_spec(self, fullname: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The specification of a module that has another name now; None for all others."""
        return None if module_now(fullname) == fullname else ModuleSpec(fullname, self)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module of the name now, whose own specification is kept in `spec`, as Python puts this one there."""
        module = import_module(module_now(spec.name))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is executed: the module was, and has its own specification again."""
        if module.__spec__ is not None:
            module.__spec__ = module.__spec__.loader_state


sys.meta_path.insert(0, FormerNames())
