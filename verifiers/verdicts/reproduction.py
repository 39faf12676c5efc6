"""A line of Python that computes a witness anew, for somebody who wants to see it without the checker."""

import os
import sys
from collections import defaultdict
from collections.abc import Hashable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import partial
from importlib import import_module
from inspect import unwrap
from math import isfinite
from pathlib import Path
from types import FunctionType
from typing import Any, Final, NamedTuple

from dpverify import mechanisms
from dpverify.mechanisms.drawing.unmodified import Unmodified, as_mechanism
from dpverify.mechanisms.exported import EXPORTING_PACKAGES
from dpverify.mechanisms.functions.mechanism import MadeOf
from dpverify.mechanisms.numbers.containers import DICTS, as_returned
from dpverify.mechanisms.numbers.exact_numbers import Exact, as_parameter
from dpverify.verifiers.problems.questions.question import Question

_SESSION: Final = "__main__"


def reproducing_line(question: Question, databases: tuple[Hashable, Hashable], event: tuple[Any, ...]) -> str | None:
    """Prints p, q and whether p > e^ε·q + δ.

    What was defined in a session must be in scope under its name there. None where the mechanism or a value cannot be
    written down: a lambda, a function inside a function, an object whose `repr` is not Python.
    """
    written, (epsilon, delta) = _Written(), question.claim
    try:
        function = written.python(question.mechanism)
        left, right = map(written.python, databases)
        arguments = "".join(f", {name}={written.python(value)}" for name, value in question.arguments.items())
        outcomes = ", ".join(map(written.python, event))
        show = f"print(p, q, p > exp({written.python(epsilon)})*q + {written.python(delta)})"
        written.python(mechanisms.exp)
        written.python(mechanisms.distribution)
    except _NoName:
        return None
    compute = f"p, q = (distribution({function}, x{arguments}).probability({outcomes}) for x in ({left}, {right}))"
    return "; ".join([*written.imports(), compute, show])


class _NoName(Exception):
    """A value cannot be written down."""


class _Home(NamedTuple):
    """The module that a name is imported from."""

    module: str
    name: str


class _Written:
    """Values as Python, and the imports that their texts need."""

    def __init__(self) -> None:
        self._homes: set[_Home] = set()
        self._texts: dict[int, tuple[Any, str]] = {}
        """By their identity numbers, functions and classes, which it keeps, with their texts: most occur many times."""

    def imports(self) -> list[str]:
        """The import statements, after what makes the modules importable in the folder of this process."""
        modules = sorted({home.module for home in self._homes} - {_SESSION})
        folders = sorted({folder for folder in map(_folder_to_add, modules) if folder is not None})
        statements = ["import sys", *(f"sys.path.insert(0, {folder!r})" for folder in folders)] if folders else []
        for module in modules:
            names = sorted(home.name for home in self._homes if home.module == module)
            statements.append(f"from {module} import {', '.join(names)}")
        return statements

    def python(self, value: Any) -> str:
        """`value` as an expression. Raises `_NoName` where there is none that gives it back."""
        if isinstance(value, Exact):
            value = as_parameter(value)
        if isinstance(value, Exact) and id(value) not in self._texts:
            scope = {"Fraction": Fraction, "exp": mechanisms.exp, "log": mechanisms.log, "sqrt": mechanisms.sqrt}
            self._texts[id(value)] = value, self._evaluated(repr(value), value, scope)
        if isinstance(value, Exact):
            return self._texts[id(value)][1]
        if type(value) in (type(None), bool, int, str, bytes) or (type(value) is float and isfinite(value)):
            return repr(value)
        if isinstance(value, Fraction):
            number, of = value.numerator, value.denominator
            return str(number) if of == 1 else self._call(Fraction, number, of)
        value = as_returned(value)
        if type(value) in (tuple, list, set, frozenset, dict):
            return self._collection(value)
        if type(value) in DICTS:
            factory = (value.default_factory,) if isinstance(value, defaultdict) else ()
            return self._call(type(value), *factory, dict(value))
        if isinstance(value, Enum):
            return f"{self._named(type(value))}.{value.name}"
        if isinstance(value, partial):
            named = [f"{name}={self.python(argument)}" for name, argument in value.keywords.items()]
            return f"{self._named(partial)}({', '.join([*map(self.python, (value.func, *value.args)), *named])})"
        if isinstance(value, Unmodified) and as_mechanism(value.functions[0]) is value:
            return self._named(value.functions[0])
        if isinstance(value, FunctionType | type):
            return self._named(value)
        return self._object(value)

    def _collection(self, value: Any) -> str:
        if isinstance(value, dict):
            return f"{{{', '.join(f'{self.python(key)}: {self.python(inner)}' for key, inner in value.items())}}}"
        if set(map(type, value)) == {int} and isinstance(value, tuple | list):  # the same, and quick
            return repr(value)
        inner = ", ".join(map(self.python, value))
        if isinstance(value, tuple):
            return f"({inner}{',' if len(value) == 1 else ''})"
        if isinstance(value, list):
            return f"[{inner}]"
        within = f"{{{inner}}}" if value else ""
        return f"frozenset({within})" if isinstance(value, frozenset) else within or "set()"

    def _call(self, function: Any, *arguments: Any) -> str:
        return f"{self._named(function)}({', '.join(map(self.python, arguments))})"

    def _named(self, value: Any) -> str:
        """A function or class by the name under which it can be imported."""
        if id(value) in self._texts:
            return self._texts[id(value)][1]
        module, name = value.__module__, value.__qualname__
        result: Any = sys.modules.get(module)
        for part in name.split("."):
            result = getattr(result, part, None)
        if result is not value:
            raise _NoName
        self._homes.add(_public(_Home(module, name.partition(".")[0])))
        self._texts[id(value)] = value, str(name)
        return str(name)

    def _object(self, value: Any) -> str:
        """An object by the name that it has in the module of its class, or of what it is made of, or by its `repr`."""
        kind = type(value)
        module = sys.modules.get(kind.__module__)
        for home in (kind.__module__, *([_module_within(value)] if isinstance(value, MadeOf) else [])):
            for name, result in vars(sys.modules[home]).items() if home in sys.modules else ():
                if result is value:
                    self._homes.add(_public(_Home(home, name)))
                    return name
        if is_dataclass(value) and (kind.__module__.startswith("dpverify.mechanisms.") or kind.__hash__ is None):
            named = ((field, getattr(value, field.name)) for field in fields(value))
            given = (f"{field.name}={self.python(part)}" for field, part in named if part != () or field.default != ())
            return f"{self._named(kind)}({', '.join(given)})"
        try:
            text = repr(value)
        except Exception:
            raise _NoName from None
        return self._evaluated(text, value, {} if module is None else vars(module))

    def _evaluated(self, text: str, value: Any, scope: Mapping[str, Any]) -> str:
        """`text`, with the names in it imported from where `scope` has them, if it gives `value`."""
        try:
            code = compile(text, "<witness>", "eval")
            equal = bool(eval(code, dict(scope)) == value)
        except Exception:
            raise _NoName from None
        if not equal:
            raise _NoName
        for name in code.co_names:
            if isinstance(scope.get(name), FunctionType | type):
                self._named(scope[name])
        return text


def _module_within(mechanism: MadeOf) -> str:
    """The module of the function by whose name a mechanism goes: who makes it there gives it a name there."""
    return str(getattr(unwrap(mechanism.functions[0]), "__module__", ""))


def _public(home: _Home) -> _Home:
    """The package that exports a name of the mechanisms, if one does: it is the same there."""
    for package in (
        ("dpverify.mechanisms", *EXPORTING_PACKAGES) if home.module.startswith("dpverify.mechanisms.") else ()
    ):
        exporting = import_module(package)
        if home.name in exporting.__all__ and getattr(exporting, home.name) is _at(home):
            return _Home(package, home.name)
    return home


def _at(home: _Home) -> Any:
    return getattr(sys.modules[home.module], home.name, None)


def _folder_to_add(module: str) -> str | None:
    """The folder that must be on the path for `module` to be found, None where it is there anyway."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None or module.partition(".")[0] == "dpverify":
        return None
    path = Path(file).resolve()
    levels = module.count(".") + (path.stem == "__init__")
    root = path.parents[levels]
    installed = any(root.is_relative_to(Path(prefix).resolve()) for prefix in (sys.prefix, sys.base_prefix))
    return None if installed or root == Path.cwd().resolve() else os.path.relpath(root)
