"""Which functions of a package draw, however they come by their chance, and which claims reach them.

Both are found by following names from a function to what it calls, without running anything: what is called by a name
that is only made up while it runs is not seen.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

from dpverify.mechanisms.numbers.errors import InputError
from dpverify.mechanisms.numbers.shown import shown
from dpverify.reports.record import Location
from dpverify.verifiers.auditing.claim_files import importing, load_file, modules_near
from dpverify.verifiers.claims import AnyClaim
from dpverify.verifiers.contract.calls import CallGraph, draws
from dpverify.verifiers.contract.function_form import functions_in
from dpverify.verifiers.locations import inner_function, location_of, project_of


@dataclass(frozen=True)
class ReachedFunction:
    """A function that draws, and the ids of the claims that reach it."""

    place: Location
    claims: tuple[str, ...]


@dataclass(frozen=True)
class Coverage:
    """The functions of a package that draw, by file and line, each with the claims that reach it."""

    package: str
    functions: tuple[ReachedFunction, ...]

    @property
    def without(self) -> tuple[Location, ...]:
        """Those that no claim reaches."""
        return tuple(one.place for one in self.functions if not one.claims)

    def in_lines(self, *, quiet: bool = False) -> list[str]:
        """The functions, one on a line, those without a claim first and `quiet` alone, and how many have one."""
        lines = [f"NO CLAIM     {place.function}{_where(place)}" for place in self.without]
        for one in self.functions if not quiet else ():
            if one.claims:
                named = ", ".join(one.claims[:_MOST_NAMED])
                more = f" and {len(one.claims) - _MOST_NAMED} more" if len(one.claims) > _MOST_NAMED else ""
                lines.append(f"COVERED      {one.place.function}{_where(one.place)}  by {named}{more}")
        count = f"{len(self.functions) - len(self.without)} of {len(self.functions)}"
        return [*lines, f"coverage of {self.package}: {count} functions that draw are reached by a claim"]


_MOST_NAMED: Final = 4


def _where(place: Location) -> str:
    return f"  ({place.in_words})" if place.file else ""


def refuse_no_package(package: str) -> None:
    """Raises `InputError` where there is no such package, before it is imported."""
    if package.endswith(".py"):
        if not Path(package).is_file():
            raise InputError(f"{package} is not a file")
        return
    with importing(package):
        try:
            result = importlib.util.find_spec(package)
        except ModuleNotFoundError:
            result = None
    if result is None:
        advice = modules_near(package) or ": give what `import` takes, or FILE.py"
        raise InputError(f"there is no package {shown(package)} to cover{advice}")


def coverage(package: str, claims: Iterable[AnyClaim]) -> Coverage:
    """Which functions of a package, module or file draw, private ones included, and which claims reach each.

    A function draws if it has a parameter called `draw`, or one like `rng`, or annotated as such; if it asks a source
    of chance, or a method of one for a number; or if it calls one of the package that draws. Raises `InputError` where
    a module cannot be imported, and where no function draws: nothing would be covered by anything.
    """
    functions = [function for module in _modules(package) for function in _functions_of(module)]
    within = {inspect.unwrap(function).__code__.co_filename for function in functions}
    graph = CallGraph(within)
    drawing = _drawing(functions, graph)
    if not drawing:
        raise InputError(
            f"no function of {package} draws, so that there is nothing to cover: name the package that holds the "
            "mechanisms, such as `--coverage mylib`"
        )
    reached_by: dict[CodeType, list[str]] = {}
    for claim in claims:
        for code in graph.reached(_begins(claim)):
            reached_by.setdefault(code, []).append(claim.id)
    results = []
    for function in drawing:
        code = inspect.unwrap(function).__code__
        place = location_of(function, project_of(code.co_filename))
        if place is not None:
            results.append(ReachedFunction(place, tuple(sorted(set(reached_by.get(code, ()))))))
    return Coverage(package, tuple(sorted(results, key=lambda one: (one.place.file, one.place.line, one.place.name))))


def _begins(claim: AnyClaim) -> Iterator[Any]:
    """The functions that a claim runs as what it speaks of: its mechanism, and functions in its parameters."""
    yield from claim.about
    parameters = getattr(claim, "parameters", None)
    yield from functions_in(parameters if isinstance(parameters, Mapping) else {})


# --- What draws


def _drawing(functions: Collection[FunctionType], graph: CallGraph) -> list[FunctionType]:
    """The functions that draw themselves, and those that call one that does."""
    codes = {inspect.unwrap(function).__code__: function for function in functions}
    drawing = {code for code, function in codes.items() if draws(function)}
    while True:
        more = {
            code
            for code, function in codes.items()
            if code not in drawing and any(called in drawing for called in graph.called(function))
        }
        if not more:
            return [function for code, function in codes.items() if code in drawing]
        drawing |= more


# --- What there is


def _modules(package: str) -> Iterator[ModuleType]:
    """A package's modules, the private ones included; what runs as a program is left alone."""
    if package.endswith(".py"):
        yield load_file(Path(package))
        return
    with importing(package):
        root = importlib.import_module(package)
    yield root
    for result in pkgutil.walk_packages(getattr(root, "__path__", ()), f"{package}.", onerror=lambda _: None):
        if result.name.rpartition(".")[2] != "__main__":
            with importing(result.name):
                yield importlib.import_module(result.name)


def _functions_of(module: ModuleType) -> Iterator[FunctionType]:
    """The functions, and methods of classes, that a module defines."""
    for value in list(vars(module).values()):
        if getattr(value, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(value):
            for one in list(vars(value).values()):
                method = getattr(one, "__func__", getattr(one, "fget", one))
                if isinstance(method, FunctionType):
                    yield method
        else:
            inner = inner_function(value)
            if isinstance(inner, FunctionType):
                yield inner
