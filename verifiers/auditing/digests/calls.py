"""References of functions, as far as names say, and those that draw, however they come by their chance.

Nothing is run: what is called by a name that is only made up while it runs is not seen.
"""

from __future__ import annotations

import ast
import functools
import inspect
import random
from collections.abc import Callable, Collection, Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import MadeOf
from dpverify.mechanisms.language.library import is_full
from dpverify.verifiers.auditing.digests.names import all_names, imported_within, named_value, tree_or_none
from dpverify.verifiers.locations import inner_function, project_of

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


def draws(function: Callable[..., Any]) -> bool:
    """True where a function takes a source of chance, asks one, or asks one of its parameters for a number."""
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
    if isinstance(value, random.Random) or _is_of_numpy(value):
        return True
    owner = getattr(value, "__self__", None)  # of a method that was given a name
    module = getattr(value, "__module__", None)
    return isinstance(owner, random.Random) or _is_of_numpy(owner) or (callable(value) and module in _SOURCES)


def _is_of_numpy(value: Any) -> bool:
    """True of numpy's generators, which is not loaded for that."""
    return type(value).__module__.startswith("numpy.random")


def _values(function: Any) -> Iterator[Any]:
    """Values of the names of a function: globals, what encloses it, and attributes of modules among them."""
    space = _around(function)
    names = set(all_names(function.__code__))
    for name in (names & space.keys()) | (space.keys() - function.__globals__.keys()):
        yield space[name]
        yield from _of_module(space[name], names)


def _of_module(value: Any, names: Collection[str], deepest: int = 3) -> Iterator[Any]:
    if isinstance(value, ModuleType) and deepest:
        for name in names:
            if name in vars(value):
                result = vars(value)[name]
                yield result
                yield from _of_module(result, names, deepest - 1)


def _methods_asked(function: Any, parameters: Collection[str]) -> set[str]:
    """The methods that a function calls of its parameters."""
    tree = tree_or_none(function)
    return {
        call.func.attr
        for call in (ast.walk(tree) if tree is not None else ())
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id in parameters
    }


class CallGraph:
    """Calls of functions, as far as names say; they are followed through files of claims and the package's."""

    def __init__(self, within: Collection[str] = ()) -> None:
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

    def reached(self, begins: Iterable[Any]) -> dict[CodeType, FunctionType]:
        """All functions that are reached from some, by their code."""
        waiting = [function for begin in begins for function in _plain(begin)]
        found: dict[CodeType, FunctionType] = {}
        while waiting:
            function = waiting.pop()
            code = function.__code__
            if code in found:
                continue
            found[code] = function
            if code.co_filename in self._within or not _is_installed(code.co_filename):
                waiting += [self._functions[called] for called in self.called(function) if called not in found]
        return found

    def _referred(self, function: FunctionType) -> Iterator[CodeType]:
        names = set(all_names(function.__code__))
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


def calls_in(function: FunctionType) -> Iterator[tuple[ast.Call, Any]]:
    """The calls that a function makes, each with what it calls, where that is named."""
    tree = tree_or_none(function)
    around = _around(function)
    for call in ast.walk(tree) if tree is not None else ():
        if isinstance(call, ast.Call):
            called = named_value(call.func, around)
            if called is not None:
                yield call, called


def _around(function: FunctionType) -> dict[str, Any]:
    """The values of the names of a function: globals, what encloses it, and what is imported within."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
    tree = tree_or_none(function)
    imported = {} if tree is None else imported_within(tree, function.__globals__)
    return {**function.__globals__, **{name: cell.cell_contents for name, cell in cells if is_full(cell)}, **imported}
