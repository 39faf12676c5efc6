"""Code that is looked into: not this library's, nor Python's or that of the few packages which it comes with."""

import sys
import sysconfig
from functools import cache
from os import sep
from typing import Any, Final

_TRUSTED: Final = frozenset({"builtins", "dpverify", "flint", "numpy", "scipy", "hypothesis", "pytest", "_pytest"})

_STANDARD: Final = ("<frozen ", *(sysconfig.get_paths()[name] + sep for name in ("stdlib", "platstdlib")))


OF_MODULE: Final = ".module"
"""The name by which the namespace of a compiled function holds that of its module; no program can have it."""


@cache
def is_trusted(module: str) -> bool:
    """True where nothing that a module holds draws chance, or keeps what a mechanism hands to it, unseen."""
    top = module.partition(".")[0]
    if top in _TRUSTED:
        return True
    return top in sys.stdlib_module_names and _comes_with_python(top)


def is_trusted_function(function: Any) -> bool:
    """True where a function is of a trusted module, and not of one that says so; one in C is."""
    around = getattr(function, "__globals__", None)
    if around is None:
        return True
    around = around.get(OF_MODULE, around)
    name = around.get("__name__")
    return isinstance(name, str) and is_trusted(name) and getattr(sys.modules.get(name), "__dict__", None) is around


def is_in_its_module(value: Any) -> bool:
    """True where a function or a class is what its module holds under its name."""
    result: Any = sys.modules.get(str(getattr(value, "__module__", None)))
    for name in str(getattr(value, "__qualname__", getattr(value, "__name__", ""))).split("."):
        result = getattr(result, name, None)
    return result is value


def module_of(kind: type) -> str:
    """The module of a class; some of those in C say none, and a class may have anything in its place."""
    name: object = kind.__module__
    return name if isinstance(name, str) else "builtins"


def _comes_with_python(name: str) -> bool:
    """True where a module is Python's own: somebody may call a file calendar.py."""
    file = getattr(sys.modules.get(name), "__file__", None)
    return file is None or file.startswith(_STANDARD)
