"""A function of numpy and floats, unmodified, as a mechanism: its source is read over the real numbers.

`as_mechanism(function)` takes `draw` and a database first, as each mechanism does. The function itself needs no `draw`:
what it draws by the names of numpy and Python is drawn by it. Its first parameter that is no generator is given the
database; each generator is given one that draws.
"""

import ast
import inspect
from collections.abc import Callable
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import MadeOf
from dpverify.mechanisms.language.exact_reading import exact_defaults
from dpverify.mechanisms.language.generator import Rng
from dpverify.mechanisms.language.numpy_names import Generator, Random, meaning
from dpverify.mechanisms.language.source import NoSource, tree_of
from dpverify.mechanisms.numbers.errors import InputError, bad_input, bad_mechanism
from dpverify.mechanisms.patterns.last_draws import Tree

_GENERATORS: Final = ("rng", "prng", "generator", "random_generator", "random_state", "np_random", "rand")
"""Names of parameters that are given a generator."""

_OF_GENERATORS: Final = frozenset(
    {"laplace", "normal", "standard_normal", "gumbel", "geometric", "exponential", "integers", "permutation", "rand"}
    | {"random_sample", "randint", "default_rng", "gauss", "expovariate", "normalvariate"}
)
"""Methods that are asked of generators alone."""

_BY_PLACE: Final = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class Unmodified(MadeOf):
    """A mechanism made of a function that needs no `draw`: see `mechanism_of`."""

    def __init__(self, function: FunctionType) -> None:
        self._function = function
        self._rng = Rng
        """The generator of numpy's arrays; in a compiled form that of those that stand for them."""
        parameters = [*_signature(function).parameters.values()]
        tree = _tree(function)
        self.takes_draw = bool(parameters) and _is_draw(parameters[0], tree)
        given = parameters[self.takes_draw :]
        kinds = [(one.name, _generator(one, tree)) for one in given]
        self.generators = tuple((name, kind) for name, kind in kinds if kind)
        data = [one for one, (_, kind) in zip(given, kinds, strict=True) if not kind]
        if not data or data[0].kind not in _BY_PLACE:
            raise InputError(bad_input.WRONG, function.__qualname__, "a function of data", "let it take data")
        self._data = data[0].name
        self._by_place = tuple(one.name for one in given if one.kind in _BY_PLACE)

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """See `MadeOf`."""
        return (self._function,)

    @property
    def __signature__(self) -> inspect.Signature:
        return _signature_of(self, self._function.__defaults__)

    def _signature(self) -> inspect.Signature:
        known = _signature(self._function).parameters
        no_data = {self._data, *(name for name, _ in self.generators)}
        first = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in ("draw", self._data)]
        others = [
            one.replace(kind=one.KEYWORD_ONLY) if one.kind in _BY_PLACE else one
            for one in [*known.values()][self.takes_draw :]
            if one.name not in no_data and one.kind is not one.VAR_POSITIONAL
        ]
        return inspect.Signature([*first, *others])

    def __call__(self, draw: Any, rows: Any, /, **parameters: Any) -> Any:
        """See `Mechanism`."""
        numpys: Any = self._rng
        stand_ins = {name: Random() if kind == "random" else numpys(draw) for name, kind in self.generators}
        given = {**stand_ins, self._data: rows, **parameters}
        first = [draw] if self.takes_draw else []
        for name in self._by_place:
            if name not in given:
                break
            first.append(given.pop(name))
        return self._function(*first, **given)


@lru_cache(maxsize=256)
def _signature_of(mechanism: Unmodified, defaults: tuple[Any, ...] | None) -> inspect.Signature:
    return mechanism._signature()


@lru_cache(maxsize=256)
def _unmodified(function: FunctionType, code: CodeType) -> Unmodified:
    return Unmodified(function)


def mechanism_of(function: Callable[..., Any]) -> Unmodified:
    """The mechanism that an unmodified function is, read over the real numbers.

    Raises `InputError` where its source is not found, and where it takes no data.
    """
    if not isinstance(function, FunctionType):
        raise InputError(bad_input.WRONG, f"mechanism_of({type(function).__name__})", "a function", "give one")
    return _unmodified(function, function.__code__)


def as_mechanism(given: Any) -> Any:
    """The mechanism that is given, or that an unmodified function is: one that draws, and takes no `draw`."""
    if type(given) is not FunctionType or given.__code__.co_varnames[:1] == ("draw",):
        return given
    return _as_mechanism(given, given.__code__)


@lru_cache(maxsize=1024)
def _as_mechanism(function: FunctionType, code: CodeType) -> Any:
    first = code.co_varnames[: code.co_argcount][:1]
    draws = bool(first) and _draws(function, set())
    named = {*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount], *_names_in(code)}
    if not draws and (not first or named.isdisjoint({*_GENERATORS, *_OF_GENERATORS})):
        return function
    try:
        made = mechanism_of(function)
    except InputError:
        return function
    return made if not made.takes_draw and (draws or made.generators) else function


def _draws(function: FunctionType, seen: set[CodeType]) -> bool:
    """True where a function, or one that it names, draws by the names of numpy or Python."""
    code = function.__code__
    if code in seen or function.__module__.startswith("dpverify."):
        return False
    seen.add(code)
    names = _names_in(code)
    return any(_is_drawing(function.__globals__[name], names, seen) for name in names & function.__globals__.keys())


def _is_drawing(value: Any, names: set[str], seen: set[CodeType]) -> bool:
    if isinstance(value, ModuleType):
        return value.__name__ in ("random", "secrets", "numpy.random") or (value.__name__, "random") in (
            ("numpy", name) for name in names
        )
    if isinstance(value, FunctionType):
        return _draws(value, seen)
    stand_in = meaning(value)
    return stand_in is Generator or isinstance(getattr(stand_in, "__self__", None), Generator | Random)


def _names_in(code: CodeType) -> set[str]:
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    return {*code.co_names, *(name for each in inner for name in _names_in(each))}


def _signature(function: FunctionType) -> inspect.Signature:
    """The signature of a function, with the defaults exact that its source gives as literals."""
    found = inspect.signature(function)
    by_place, by_name = exact_defaults(_tree(function), function.__defaults__, function.__kwdefaults__)
    names = [name for name, one in found.parameters.items() if one.kind in _BY_PLACE]
    exact = {**dict(zip(names[len(names) - len(by_place or ()) :], by_place or (), strict=True)), **(by_name or {})}
    return found.replace(
        parameters=[one.replace(default=exact.get(name, one.default)) for name, one in found.parameters.items()]
    )


# --- Which parameters are what


def _is_draw(parameter: inspect.Parameter, tree: Tree) -> bool:
    """True where a first parameter is `draw`: by its name, its annotation, or since it is called."""
    called = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    is_called = any(isinstance(function, ast.Name) and function.id == parameter.name for function in called)
    return parameter.name == "draw" or _annotation(parameter) == "Draw" or is_called


def _generator(parameter: inspect.Parameter, tree: Tree) -> str:
    """The module whose generator a parameter is given; empty for any other parameter."""
    annotated = _annotation(parameter)
    asked = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == parameter.name
    }
    if annotated in ("Random", "SystemRandom") or asked & {"gauss", "expovariate", "normalvariate"}:
        return "random"
    named = annotated in ("Generator", "RandomState") or parameter.name in _GENERATORS
    return "numpy" if named or asked & _OF_GENERATORS else ""


def _annotation(parameter: inspect.Parameter) -> str:
    """The last name of an annotation, such as Generator of `np.random.Generator | None`."""
    found = parameter.annotation
    text = found if isinstance(found, str) else getattr(found, "__name__", "")
    return text.partition("|")[0].strip().rpartition(".")[2]


def _tree(function: FunctionType) -> Tree:
    try:
        return tree_of(function)
    except NoSource as error:
        raise InputError(bad_mechanism.OUTSIDE_OF_NUMPY, f"{function.__qualname__}: {error}", error.instead) from None
