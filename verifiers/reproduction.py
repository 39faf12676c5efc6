"""A line of Python that computes a witness anew, for somebody who wants to see it without the checker."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from fractions import Fraction
from types import FunctionType
from typing import Any

from dpverify import mechanisms
from dpverify.mechanisms.exact_numbers import Exact, as_parameter
from dpverify.mechanisms.mechanism import Mechanism, name_of


def reproducing_line(
    mechanism: Mechanism,
    parameters: Mapping[str, Any],
    databases: tuple[Hashable, Hashable],
    event: tuple[Any, ...],
    epsilon: Exact,
    delta: Exact,
) -> str:
    """Prints p, q and whether p > e^ε·q + δ. A mechanism that cannot be imported must be in scope under its name."""
    arguments = "".join(f", {name}={_python(value)}" for name, value in parameters.items())
    left, right = map(_python, databases)
    compute = (
        f"p, q = (distribution({_name(mechanism)}, x{arguments}).probability({', '.join(map(_python, event))}) "
        f"for x in ({left}, {right}))"
    )
    show = f"print(p, q, p > exp({_python(epsilon)})*q + {_python(delta)})"
    return "; ".join([*_imports(mechanism, (*parameters.values(), *databases, *event), compute + show), compute, show])


def _imports(mechanism: Mechanism, values: tuple[Any, ...], text: str) -> list[str]:
    needed = {("dpverify.mechanisms", name) for name in ("distribution", "exp", "log", "sqrt") if f"{name}(" in text}
    if "Fraction(" in text:
        needed.add(("fractions", "Fraction"))
    needed.update(home for value in (mechanism, *values) for home in _homes(value))
    modules = sorted({module for module, _ in needed})
    return [f"from {module} import {', '.join(sorted(n for m, n in needed if m == module))}" for module in modules]


def _homes(value: Any) -> Iterator[tuple[str, str]]:
    """Modules and names that the text of a value needs."""
    if isinstance(value, tuple | list | frozenset | set):
        for part in value:
            yield from _homes(part)
    elif isinstance(value, FunctionType | type):
        if value.__module__ != "__main__" and value.__qualname__.isidentifier():
            yield _home(value.__module__, value.__qualname__)
    elif not isinstance(value, Exact | Fraction) and type(value).__module__ != "builtins":
        yield _home(type(value).__module__, type(value).__qualname__.split(".")[0])


def _home(module: str, name: str) -> tuple[str, str]:
    """Where a name is imported from: the package, for a public name of the mechanisms."""
    public = module.startswith("dpverify.mechanisms") and name in dir(mechanisms)
    return ("dpverify.mechanisms", name) if public else (module, name)


def _name(mechanism: Mechanism) -> str:
    name = name_of(mechanism)
    return name if name.isidentifier() else "mechanism"


def _python(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_python, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, Exact):
        value = as_parameter(value)
    if isinstance(value, Fraction) and value.denominator == 1:
        return str(value.numerator)
    return value.__name__ if isinstance(value, FunctionType | type) else repr(value)
