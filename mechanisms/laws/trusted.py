"""Whose code is looked into: not this library's, nor Python's or that of the few packages which it comes with."""

from __future__ import annotations

import sys
import sysconfig
from functools import cache
from os import sep
from typing import Any, Final

_TRUSTED: Final = frozenset({"builtins", "dpverify", "flint", "numpy", "scipy", "hypothesis", "pytest", "_pytest"})

_STANDARD: Final = ("<frozen ", *(sysconfig.get_paths()[name] + sep for name in ("stdlib", "platstdlib")))


_OF_C: Final = {"__name__": "builtins"}


@cache
def is_trusted(module: str) -> bool:
    """Whether nothing that a module holds draws chance, or keeps what a mechanism hands to it, unseen."""
    top = module.partition(".")[0]
    if top in _TRUSTED:
        return True
    return top in sys.stdlib_module_names and _comes_with_python(top)


def is_trusted_function(function: Any) -> bool:
    """Whether a function is of a trusted module; one in C is."""
    name = getattr(function, "__globals__", _OF_C).get("__name__")
    return isinstance(name, str) and is_trusted(name)


def module_of(kind: type) -> str:
    """The module of a class; some of those in C say none, and a class may have anything in its place."""
    name: object = kind.__module__
    return name if isinstance(name, str) else "builtins"


def _comes_with_python(name: str) -> bool:
    """Whether a module is Python's own: somebody may call a file calendar.py."""
    file = getattr(sys.modules.get(name), "__file__", None)
    return file is None or file.startswith(_STANDARD)
