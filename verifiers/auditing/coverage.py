"""Which functions of a package draw, however they come by their chance, and which claims reach them.

Both are found by following names from a function to what it calls, without running anything: what is called by a name
that is only made up while it runs is not seen.
"""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import inspect
import pkgutil
import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from dpverify.mechanisms.functions.mechanism import MadeOf
from dpverify.mechanisms.numbers.errors import InputError
from dpverify.mechanisms.numbers.shown import shown
from dpverify.reports.record import Location
from dpverify.verifiers.auditing.claim_files import importing, load_file, modules_near
from dpverify.verifiers.claims import AnyClaim
from dpverify.verifiers.contract.function_form import functions_in, nodes_of
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
    graph = _Graph(within)
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

_OF_CHANCE: Final = frozenset(("draw", "rng", "prng", "random_state", "generator", "random_generator", "rand"))
_TYPES_OF_CHANCE: Final = frozenset(
    ("Draw", "Generator", "RandomState", "Random", "SystemRandom", "Rng", "BitGenerator")
)
_METHODS: Final = (
    "random randint randrange integers laplace normal standard_normal gauss uniform geometric exponential gumbel "
    "binomial poisson choice choices shuffle permutation sample getrandbits token_bytes randbelow urandom default_rng "
    "logistic multinomial expovariate betavariate standard_exponential"
)
_ASKED: Final = frozenset(_METHODS.split())
_SOURCES: Final = ("random", "secrets", "numpy.random", "uuid")
"""Modules that are chance."""


def _drawing(functions: Collection[FunctionType], graph: _Graph) -> list[FunctionType]:
    """The functions that draw themselves, and those that call one that does."""
    codes = {inspect.unwrap(function).__code__: function for function in functions}
    drawing = {code for code, function in codes.items() if _draws(function)}
    while True:
        more = {
            code
            for code, function in codes.items()
            if code not in drawing and any(called in drawing for called in graph.called(function))
        }
        if not more:
            return [function for code, function in codes.items() if code in drawing]
        drawing |= more


def _draws(function: Callable[..., Any]) -> bool:
    inner: Any = inspect.unwrap(function)
    code = inner.__code__
    taken = code.co_argcount + code.co_kwonlyargcount
    annotations = getattr(inner, "__annotations__", {})
    for name in code.co_varnames[:taken]:
        written = annotations.get(name)
        said = written if isinstance(written, str) else getattr(written, "__name__", "")
        if name in _OF_CHANCE or said.rpartition(".")[2].split(" ")[0] in _TYPES_OF_CHANCE:
            return True
    if any(_is_chance(value) for value in _values(inner)):
        return True
    return bool(_methods_asked(inner, set(code.co_varnames[:taken])) & _ASKED)


def _is_chance(value: Any) -> bool:
    if isinstance(value, ModuleType):
        return value.__name__ in _SOURCES
    if isinstance(value, random.Random | np.random.Generator | np.random.RandomState):
        return True
    owner = getattr(value, "__self__", None)  # of a method that was given a name
    module = getattr(value, "__module__", None)
    return isinstance(owner, random.Random | np.random.RandomState) or (callable(value) and module in _SOURCES)


def _values(function: Any) -> Iterator[Any]:
    """What the names of a function stand for: globals, what encloses it, and attributes of modules among them."""
    names = set(_names(function.__code__))
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
    space = {**function.__globals__, **{name: cell.cell_contents for name, cell in cells if _filled(cell)}}
    for name in names & space.keys():
        yield space[name]
        yield from _of_module(space[name], names)


def _filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018  # which raises where nothing is in it
    except ValueError:
        return False
    return True


def _of_module(value: Any, names: Collection[str], deepest: int = 3) -> Iterator[Any]:
    if isinstance(value, ModuleType) and deepest:
        for name in names:
            if name in vars(value):
                result = vars(value)[name]
                yield result
                yield from _of_module(result, names, deepest - 1)


def _names(code: CodeType) -> Iterator[str]:
    """The names that code refers to, in functions within it, too."""
    yield from code.co_names
    yield from code.co_freevars
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _names(part)


def _methods_asked(function: Any, parameters: Collection[str]) -> set[str]:
    """The methods that a function calls of its parameters."""
    return {
        call.func.attr
        for node in nodes_of(function.__code__)
        for call in ast.walk(node)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id in parameters
    }


# --- What is reached


class _Graph:
    """Which functions call which, as far as names say; calls are followed through files of claims and the package's."""

    def __init__(self, within: Collection[str]) -> None:
        self._within = within
        self._called: dict[CodeType, frozenset[CodeType]] = {}
        self._functions: dict[CodeType, FunctionType] = {}

    def called(self, function: Any) -> frozenset[CodeType]:
        """The codes of the functions that a function refers to."""
        inner = inspect.unwrap(function)
        code = inner.__code__
        self._functions.setdefault(code, inner)
        if code not in self._called:
            self._called[code] = frozenset(self._referred(inner))
        return self._called[code]

    def reached(self, begins: Iterable[Any]) -> set[CodeType]:
        """The codes of all functions that are reached from some."""
        waiting = [function for begin in begins for function in _plain(begin)]
        codes: set[CodeType] = set()
        while waiting:
            function = waiting.pop()
            code = function.__code__
            if code in codes:
                continue
            codes.add(code)
            if code.co_filename in self._within or not _is_installed(code.co_filename):
                waiting += [self._functions[called] for called in self.called(function) if called not in codes]
        return codes

    def _referred(self, function: FunctionType) -> Iterator[CodeType]:
        names = set(_names(function.__code__))
        for value in [*_values(function), *_own_class(function)]:
            for one in _plain(value, names):
                self._functions.setdefault(one.__code__, one)
                yield one.__code__


def _is_installed(file: str) -> bool:
    return "site-packages" in file or "dist-packages" in file or project_of(file) == project_of(__file__)


def _own_class(function: FunctionType) -> list[type]:
    """The class that a method is of, whose other methods it may call."""
    name, _, _ = function.__qualname__.rpartition(".")
    result: Any = function.__globals__.get(name)
    return [result] if inspect.isclass(result) else []


def _plain(value: Any, names: Collection[str] = ()) -> Iterator[FunctionType]:
    """The functions that a value is or is made of.

    Of a class and its objects these are the methods of the names, and those that Python itself calls, as `__call__`.
    """
    if isinstance(value, functools.partial):
        for part in (value.func, *value.args, *value.keywords.values()):
            yield from _plain(part)
        return
    if isinstance(value, MadeOf):
        for part in value.functions:
            yield from _plain(part)
        return
    inner = getattr(inner_function(value), "__func__", inner_function(value))
    if isinstance(inner, FunctionType):
        yield inner
        if isinstance(value, FunctionType) and value is not inner:
            yield value
    elif inspect.ismodule(value) or value is None:
        return
    else:
        kind = value if inspect.isclass(value) else type(value)
        if kind.__module__ == "builtins":
            return
        for owner in kind.__mro__:
            for name, one in list(vars(owner).items()):
                method = getattr(one, "__func__", getattr(one, "fget", one))
                known = name in names or (name.startswith("__") and name.endswith("__"))
                if known and isinstance(method, FunctionType):
                    yield method


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
