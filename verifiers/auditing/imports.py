"""The modules that files of people's own import, where these files alone say what their modules hold.

They do where they import one another, dpverify, modules of Python that compute, and of others such as numpy names that
have a meaning in the language; and use builtin functions that are in it. Another module may hold what it has read from
a file, a variable of the environment or a clock.
"""

import ast
import builtins
import sys
from collections.abc import Collection, Iterator
from importlib.util import resolve_name
from types import ModuleType
from typing import Any, Final

from dpverify.mechanisms.language.numpy_names import meanings
from dpverify.mechanisms.language.tables import entry_of
from dpverify.verifiers.auditing.cache.private_files import NoKey
from dpverify.verifiers.auditing.digests.names import named_value, syntax_tree

_COMPUTING: Final = (
    *("__future__", "abc", "bisect", "collections", "collections.abc", "copy", "dataclasses", "enum", "fractions"),
    *("functools", "heapq", "itertools", "math", "numbers", "numpy.typing", "operator", "statistics", "string"),
    "typing",
)
"""Modules that hold functions of their arguments, and types."""

_BUILTIN: Final = (property, staticmethod, classmethod, NotImplemented)
"""Of builtins, those that are no functions of content, and that read nothing."""


def modules_imported(files: Collection[str]) -> dict[str, list[str]]:
    """By name the modules that files import, other than dpverify's, each with the folders in which it is looked for.

    Raises `NoKey` where a file does not say what its module holds.
    """
    own = [module for module in list(sys.modules.values()) if getattr(module, "__file__", None) in files]
    computing = {*_COMPUTING, *(module.__name__ for module in own)}
    found: dict[str, list[str]] = {}
    for name in (name for module in own for name in _imported(module, computing)):
        parts = name.split(".")
        for i in range(0 if parts[0] == "dpverify" else len(parts)):
            package = sys.modules.get(".".join(parts[:i]))
            found[".".join(parts[: i + 1])] = list(sys.path if package is None else package.__path__)
    return found


def _imported(module: ModuleType, computing: Collection[str]) -> Iterator[str]:
    """The modules that a module imports. Raises `NoKey` where it names what may be another thing each time."""
    tree, around = syntax_tree(str(module.__file__)), vars(module)

    def computes(name: str) -> bool:
        return name in computing or name.partition(".")[0] == "dpverify"

    def check(name: str, value: Any, is_known: bool) -> None:
        if not (is_known or id(value) in meanings() or entry_of(value) is not None):
            raise NoKey(f"{name}, which {module.__name__} names, may be another thing each time")

    check("its text", tree, tree is not None)
    for node in ast.walk(tree or ast.Module([], [])):
        names: list[str] = []
        match node:
            case ast.Import():
                names = [alias.name for alias in node.names]
            case ast.ImportFrom():
                name = resolve_name("." * node.level + (node.module or ""), str(module.__package__ or ""))
                names = [name, *(each for alias in node.names if (each := f"{name}.{alias.name}") in sys.modules)]
                for alias in node.names:
                    check(alias.name, getattr(sys.modules.get(name), alias.name, None), computes(name))
            case ast.Attribute() if isinstance(owner := named_value(node.value, around), ModuleType):
                check(node.attr, named_value(node, around), computes(owner.__name__))
            case ast.Name(id=name) if name not in around and hasattr(builtins, name):
                value = getattr(builtins, name)
                is_error = isinstance(value, type) and issubclass(value, BaseException)
                check(name, value, is_error or value in _BUILTIN)
        for name in names:
            check(name, sys.modules.get(name), name in sys.modules and computes(name))
        yield from names
