"""Code that is looked into: not this library's, nor Python's or that of the few packages which it comes with."""

from __future__ import annotations

import sys
import sysconfig
from functools import cache
from os import sep
from typing import Any, Final

_TRUSTED: Final = frozenset({"builtins", "dpverify", "flint", "numpy", "scipy", "hypothesis", "pytest", "_pytest"})

_STANDARD: Final = ("<frozen ", *(sysconfig.get_paths()[name] + sep for name in ("stdlib", "platstdlib")))


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
    name = around.get("__name__")
    return isinstance(name, str) and is_trusted(name) and getattr(sys.modules.get(name), "__dict__", None) is around


def is_trusted_class(kind: type) -> bool:
    """True where a class is of a trusted module: one that can be changed has to be there under its name.

    Anybody may say of a class that it is of such a module, and some of those say it that make classes, such as
    `abc.ABCMeta` and `types.new_class`.
    """
    return is_trusted(module_of(kind)) and (not _can_be_changed(kind) or is_in_its_module(kind))


def is_in_its_module(value: Any) -> bool:
    """True where a function or a class is what its module holds under its name."""
    result: Any = sys.modules.get(str(getattr(value, "__module__", None)))
    for name in str(getattr(value, "__qualname__", getattr(value, "__name__", ""))).split("."):
        result = getattr(result, name, None)
    return result is value


def _can_be_changed(kind: type) -> bool:
    """True where it is a class that is made while Python runs, and to which attributes may be given."""
    return bool(kind.__flags__ & _MADE_BY_CODE) and not kind.__flags__ & _FINISHED


_MADE_BY_CODE: Final = 1 << 9
"""A flag of classes that are no static ones of C."""

_FINISHED: Final = 1 << 8
"""A flag of classes that no attribute can be given to."""


def module_of(kind: type) -> str:
    """The module of a class; some of those in C say none, and a class may have anything in its place."""
    name: object = kind.__module__
    return name if isinstance(name, str) else "builtins"


def _comes_with_python(name: str) -> bool:
    """True where a module is Python's own: somebody may call a file calendar.py."""
    file = getattr(sys.modules.get(name), "__file__", None)
    return file is None or file.startswith(_STANDARD)
