"""Functions of a package that draw, however they come by their chance, and the claims that reach them.

Both are found by following names from a function to what it calls, without running anything: what is called by a name
that is only made up while it runs is not seen.
"""

import ast
import functools
import importlib
import importlib.util
import inspect
import pkgutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import shown
from dpverify.reports.record import Location
from dpverify.verifiers.auditing.claim_files import importing, load_file, modules_near
from dpverify.verifiers.auditing.digests.calls import CallGraph, calls_in, draws
from dpverify.verifiers.auditing.digests.library import runs
from dpverify.verifiers.claims import AnyClaim
from dpverify.verifiers.line_coverage.sources import source_at
from dpverify.verifiers.locations import below_imports, inner_function, location_of, project_of
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.readable import advice_in_brackets
from dpverify.verifiers.utility.case import Case


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
    defaults: tuple[Location, ...] = ()
    """Public functions that take `draw`, and that no claim runs with their defaults."""
    exact: tuple[Location, ...] = ()
    """Public functions that take the database first, do not draw, and do not say why."""

    @property
    def without(self) -> tuple[Location, ...]:
        """Those that no claim reaches."""
        return tuple(one.place for one in self.functions if not one.claims)

    def in_lines(self, *, quiet: bool = False) -> list[str]:
        """The functions, one on a line, those without a claim first and `quiet` alone, and how many have one."""
        lines = [f"NO CLAIM     {place.function}{_where(place)}" for place in self.without]
        lines += [f"NO DEFAULTS  {one.function}{_where(one)}  no claim runs its defaults" for one in self.defaults]
        lines += [f"NO DRAW      {one.function}{_where(one)}  {_EXCUSE}" for one in self.exact if not quiet]
        for one in self.functions if not quiet else ():
            if one.claims:
                named = ", ".join(one.claims[:_MOST_NAMED])
                more = f" and {len(one.claims) - _MOST_NAMED} more" if len(one.claims) > _MOST_NAMED else ""
                lines.append(f"COVERED      {one.place.function}{_where(one.place)}  by {named}{more}")
        count = f"{len(self.functions) - len(self.without)} of {len(self.functions)}"
        return [*lines, f"coverage of {self.package}: {count} functions that draw are reached by a claim"]


_MOST_NAMED: Final = 4
_EXCUSE: Final = "returns data without draw: make it private, or write `# dp: exact, because …` at its def"


def _where(place: Location) -> str:
    return f"  ({place.in_words})" if place.file else ""


def refuse_no_package(package: str) -> None:
    """Raises `InputError` where there is no such package, before it is imported."""
    if package.endswith(".py"):
        if not Path(package).is_file():
            raise InputError(bad_input.NO_NAME, f"the file {package}", "", "a path from the folder that you are in")
        return
    with importing(package):
        try:
            result = importlib.util.find_spec(package)
        except ModuleNotFoundError:
            result = None
    if result is None:
        advice = advice_in_brackets(modules_near(package))
        raise InputError(bad_input.NO_NAME, f"the package {shown(package)}", advice, "what `import` takes, or FILE.py")


def coverage(package: str, claims: Iterable[AnyClaim]) -> Coverage:
    """Functions of a package, module or file that draw, private ones included, and the claims that reach each.

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
            bad_input.NEEDS,
            "--coverage",
            f"a function that draws, and {package} has none",
            "name the package of the mechanisms, as in `--coverage mylib`",
        )
    reached_by: dict[CodeType, list[str]] = {}
    with_defaults: set[CodeType] = set()
    for claim in claims:
        reached = graph.reached(runs(claim))
        for code in reached:
            reached_by.setdefault(code, []).append(claim.id)
        with_defaults |= set(_run_with_defaults(claim, reached.values()))
    results = []
    for function in drawing:
        code = inspect.unwrap(function).__code__
        place = location_of(function, project_of(code.co_filename))
        if place is not None:
            results.append(ReachedFunction(place, tuple(sorted(set(reached_by.get(code, ()))))))
    public = [function for function in functions if _is_public(function)]
    bare = [one for one in public if _defaults(one) and one.__code__ not in with_defaults and _takes_draw(one)]
    databases = {names[1] for names in map(_parameters, drawing) if names[:1] == ["draw"] and len(names) > 1}
    held = [one for one in public if one not in drawing and set(_parameters(one)[:1]) & databases]
    return Coverage(
        package,
        tuple(sorted(results, key=lambda one: (one.place.file, one.place.line, one.place.name))),
        _places(bare),
        _places(function for function in held if not _says_why(function)),
    )


def _places(functions: Iterable[FunctionType]) -> tuple[Location, ...]:
    found = (location_of(function, project_of(function.__code__.co_filename)) for function in functions)
    return tuple(sorted((one for one in found if one is not None), key=lambda one: (one.file, one.line)))


# --- Public functions


def _is_public(function: FunctionType) -> bool:
    """True of a function of a module that does not begin with an underscore, nor any part of the module's name."""
    parts = [*function.__module__.split("."), *function.__qualname__.split(".")]
    alone = "." not in function.__qualname__
    return alone and not any(part.startswith("_") and part != "__init__" for part in parts)


def _parameters(function: FunctionType) -> list[str]:
    code = inspect.unwrap(function).__code__
    return list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


def _takes_draw(function: FunctionType) -> bool:
    return "draw" in _parameters(function)


def _defaults(function: FunctionType) -> dict[str, Any]:
    """The parameters of a function that have a default, with that."""
    positional = _parameters(function)[: function.__code__.co_argcount]
    given = function.__defaults__ or ()
    by_place = zip(positional[len(positional) - len(given) :], given, strict=True)
    return {**dict(by_place), **(function.__kwdefaults__ or {})}


def _run_with_defaults(claim: AnyClaim, reached: Collection[FunctionType]) -> Iterator[CodeType]:
    """The code of functions that a claim runs with their defaults: its mechanism, and what is called so."""
    given = _given(claim)
    for function in claim.about:
        inner, names = function, dict(given)
        while isinstance(inner, functools.partial):
            names |= inner.keywords
            inner = inner.func
        inner = inner_function(inner)
        if isinstance(inner, FunctionType):
            known = _defaults(inner)
            if all(known[name] == value for name, value in names.items() if name in known):
                yield inner.__code__
    for function in reached:
        for call, called in calls_in(function):
            inner = inner_function(called)
            if isinstance(inner, FunctionType) and _leaves_defaults(call, inner):
                yield inner.__code__


def _given(claim: AnyClaim) -> Mapping[str, Any]:
    """The arguments of a claim's mechanism."""
    if isinstance(claim, Claim):
        return claim.question.arguments
    cases = getattr(claim, "cases", None)
    parameters = getattr(claim, "parameters", None)
    each = [one.parameters for one in cases if isinstance(one, Case)] if isinstance(cases, list | tuple) else []
    return {name: value for held in (parameters, *each) if isinstance(held, Mapping) for name, value in held.items()}


def _leaves_defaults(call: ast.Call, function: FunctionType) -> bool:
    """True where a call gives no argument that has a default."""
    known = _defaults(function)
    by_place = _parameters(function)[: len(call.args)]
    named = [keyword.arg for keyword in call.keywords]
    starred = None in named or any(isinstance(argument, ast.Starred) for argument in call.args)
    return not starred and not known.keys() & {*by_place, *named}


def _says_why(function: FunctionType) -> bool:
    """True where a comment says why a function may return data without drawing."""
    code = function.__code__
    source = source_at(code.co_filename, below_imports(code.co_filename, function.__module__))
    last = max(line or 0 for _, _, line in code.co_lines())
    said = [] if source is None else [one for one in source.accepted if one.what == "exact"]
    return any(code.co_firstlineno <= one.last and one.first <= last for one in said)


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
