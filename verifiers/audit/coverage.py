"""Which public functions of a package draw, and of which of them no claim speaks."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from dpverify.mechanisms.exact.errors import InputError
from dpverify.mechanisms.exact.shown import shown
from dpverify.reports.record import Location
from dpverify.verifiers.audit.claim_files import importing, load_file, modules_near
from dpverify.verifiers.claims import AnyClaim
from dpverify.verifiers.locations import inner_function, location_of, project_of


@dataclass(frozen=True)
class Coverage:
    """The public functions of a package that draw: of how many a claim speaks, and where the others are."""

    package: str
    drawing: int
    without: tuple[Location, ...]

    @property
    def in_lines(self) -> list[str]:
        """The functions without a claim, one on a line, and how many have one."""
        where = [
            f"NO CLAIM     {place.function}" + (f"  ({place.in_words})" if place.file else "") for place in self.without
        ]
        count = f"{self.drawing - len(self.without)} of {self.drawing}"
        return [*where, f"coverage of {self.package}: {count} public functions that draw have a claim"]


def refuse_no_package(package: str) -> None:
    """Raises `InputError` where there is no such package, before it is imported."""
    if package.endswith(".py"):
        if not Path(package).is_file():
            raise InputError(f"{package} is not a file")
        return
    with importing(package):
        try:
            found = importlib.util.find_spec(package)
        except ModuleNotFoundError:
            found = None
    if found is None:
        advice = modules_near(package) or ": give what `import` takes, or FILE.py"
        raise InputError(f"there is no package {shown(package)} to cover{advice}")


def coverage(package: str, claims: Iterable[AnyClaim]) -> Coverage:
    """What claims speak of in a package, module or file; functions in the parameters of a claim count as well.

    A function draws if its first parameter, in a class its second, is called `draw` or is annotated by `Draw`. Private
    ones, and those of private modules, are left out. Raises `InputError` where a module cannot be imported.
    """
    spoken_of = {_key(function) for claim in claims for function in _functions(claim)}
    found: dict[tuple[str, str], Location] = {}
    for module in _modules(package):
        for function in _public(module):
            inner = inner_function(function)
            code = getattr(inner, "__code__", None)
            place = location_of(function, None if code is None else project_of(code.co_filename))
            if place is not None:
                found[_key(function)] = place
    without = [place for key, place in found.items() if key not in spoken_of]
    return Coverage(package, len(found), tuple(sorted(without, key=lambda place: (place.file, place.line, place.name))))


def _functions(claim: AnyClaim) -> Iterator[Callable[..., Any]]:
    yield from claim.about
    parameters = getattr(claim, "parameters", None)
    for value in parameters.values() if isinstance(parameters, Mapping) else ():
        if callable(value):
            yield value


def _key(function: Any) -> tuple[str, str]:
    """The file or module, and the name: of an object that is called, of its class's `__call__`."""
    inner = inner_function(function)
    if not inspect.isroutine(inner) and not inspect.isclass(inner):
        inner = type(inner).__call__
    inner = getattr(inner, "__func__", inner)
    code = getattr(inner, "__code__", None)
    where = str(getattr(inner, "__module__", "")) if code is None else code.co_filename
    return where, str(getattr(inner, "__qualname__", ""))


def _modules(package: str) -> Iterator[ModuleType]:
    """A package's modules, the private ones left out."""
    if package.endswith(".py"):
        yield load_file(Path(package))
        return
    with importing(package):
        root = importlib.import_module(package)
    yield root
    for found in pkgutil.walk_packages(getattr(root, "__path__", ()), f"{package}.", onerror=lambda _: None):
        if not any(part.startswith("_") for part in found.name.split(".")):
            with importing(found.name):
                yield importlib.import_module(found.name)


def _public(module: ModuleType) -> Iterator[Callable[..., Any]]:
    """The functions, and methods of classes, that a module defines under public names and that draw."""
    for name, value in list(vars(module).items()):
        if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(value):
            for method, function in list(vars(value).items()):
                is_public = not method.startswith("_") or method == "__call__"
                if is_public and inspect.isfunction(function) and _draws(function, 1):
                    yield function
        elif inspect.isfunction(inner_function(value)) and _draws(inner_function(value), 0):
            yield value


def _draws(function: Callable[..., Any], position: int) -> bool:
    code = function.__code__
    if code.co_argcount <= position:
        return False
    name = code.co_varnames[position]
    annotation = getattr(function, "__annotations__", {}).get(name)
    written = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    return name == "draw" or written.rpartition(".")[2] == "Draw"
