"""Meanings of the names of numpy, math, random and secrets in source that is read: exact functions, and draws.

What those modules' generators give is drawn by the `draw` of the mechanism that runs, whether it is asked of the
module, of default_rng() or of a generator that is a parameter. `meaning` gives what stands for a module or a function,
by which object it is; what has no meaning here is outside the language, and a fixed seed is refused.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import lru_cache
from itertools import accumulate, pairwise
from types import ModuleType
from typing import Any, Final, NoReturn

from dpverify.mechanisms.comparing.call import Drawing
from dpverify.mechanisms.language import array_functions
from dpverify.mechanisms.language.array import Array, OutsideNumpy, array, elementwise, of_items, spread
from dpverify.mechanisms.language.generator import Rng
from dpverify.mechanisms.language.real_numbers import OF_FLOATS, Float, real_quotient
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.errors import InputError, bad_input, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import exact
from dpverify.mechanisms.outputs.distributions import Distribution

_DRAW: Final[ContextVar[Callable[[], Any]]] = ContextVar("the draw of the mechanism that runs")


class drawn_by:  # noqa: N801  # it is used as a function, in the place of a context manager that costs more
    """Has what is drawn by the names of numpy and Python drawn by the `draw` that this gives, while it lasts."""

    __slots__ = ("_draw", "_token")

    def __init__(self, draw: Callable[[], Any]) -> None:
        self._draw = draw

    def __enter__(self) -> None:
        self._token = _DRAW.set(self._draw)

    def __exit__(self, *_: object) -> None:
        _DRAW.reset(self._token)


def _refuse_seed(name: str, seed: object) -> None:
    if seed is not None:
        raise InputError(bad_mechanism.FIXED_SEED, name)


class RngOfArrays(Rng):
    """Stands for `Rng`: with a size it gives the language's arrays."""

    __slots__ = ()

    def _shaped(self, numbers: list[int], shape: tuple[int, ...]) -> Any:
        return Array(numbers, "i")

    def _taken(self, values: Any, places: Any) -> Any:
        return array(values)[places]

    def _many(self, size: Any, one: Callable[..., Any], *given: Any) -> Any:
        if size is None:
            return elementwise(one, *given)
        if isinstance(size, Sequence) and len(size) != 1:
            raise OutsideNumpy(f"size={size}, of several dimensions", "draw one array for each row")
        count = size[0] if isinstance(size, Sequence) else size
        items = zip(*(spread(each, count) for each in given), strict=True) if given else [()] * count
        return of_items([one(*item) for item in items], "f")


class Generator(RngOfArrays):
    """Stands for each generator of numpy's: what it gives is drawn by the `draw` that is at work then."""

    __slots__ = ()

    def __init__(self, seed: Any = None) -> None:
        _refuse_seed("numpy.random's generator with a seed", None if isinstance(seed, Generator) else seed)

    @property
    def _draw(self) -> Any:  # type: ignore[override]  # which the other one holds
        draw = _DRAW.get(None)
        if draw is None:
            raise InputError(bad_mechanism.OF_ANOTHER_CALL)
        return draw()

    def _take_note(self, error: Exception) -> None:
        draw = _DRAW.get(None)
        if draw is not None and isinstance(drawing := draw(), Drawing):
            drawing.take_note(error)

    def rand(self, *shape: int) -> Any:
        """Uniform noise on [0, 1)."""
        return self.random(shape or None)

    def randn(self, *shape: int) -> Any:
        """Gaussian noise of standard deviation 1."""
        return self.standard_normal(shape or None)

    def random_sample(self, size: Any = None) -> Any:
        """Uniform noise on [0, 1)."""
        return self.random(size)

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: object = None) -> Any:
        """A whole number low, …, high − 1."""
        return self.integers(low, high, size, dtype)

    def standard_exponential(self, size: Any = None) -> Any:
        """Exponential noise of scale 1."""
        return self.exponential(1, size)

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """The number of successes in n trials of probability p."""
        return self._many(size, lambda trials, success: self._draw(_binomial(trials, success)), n, p)

    def seed(self, seed: Any = None) -> None:
        """Refused, but for the system's own entropy."""
        _refuse_seed("seed(…)", seed)


def _binomial(n: int, p: Any) -> Distribution[int]:
    chance = exact(p, "p")
    if not 0 <= chance <= 1:
        raise InputError(bad_input.RANGE, "rng.binomial: p", "between 0 and 1")
    weights = {k: math.comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(n + 1)}
    return Distribution({k: weight for k, weight in weights.items() if weight != 0})


class Random:
    """Stands for each generator of Python's module random, and for that of secrets."""

    __slots__ = ("_rng",)

    def __init__(self, seed: Any = None) -> None:
        _refuse_seed("random.Random(…)", seed)
        self._rng = Generator()

    def seed(self, seed: Any = None) -> None:
        """Refused, but for the system's own entropy."""
        _refuse_seed("random.seed(…)", seed)

    def random(self) -> Any:
        """Uniform noise on [0, 1)."""
        return self._rng.random()

    def uniform(self, a: Any, b: Any) -> Any:
        """Uniform noise from a to b."""
        return self._rng.uniform(a, b)

    def gauss(self, mu: Any = 0, sigma: Any = 1) -> Any:
        """Gaussian noise of standard deviation sigma, around mu."""
        return self._rng.normal(mu, sigma)

    normalvariate = gauss

    def expovariate(self, lambd: Any = 1) -> Any:
        """Exponential noise of scale 1/lambd."""
        return self._rng.exponential(real_quotient(1, lambd))

    def randint(self, a: Any, b: Any) -> Any:
        """A whole number a, …, b."""
        return self._rng.integers(a, b, endpoint=True)

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> Any:
        """A member of the range."""
        first, last = (0, start) if stop is None else (start, stop)
        return first + step * self._rng.integers(len(range(first, last, step)))

    randbelow = randrange

    def getrandbits(self, k: int) -> Any:
        """A whole number of k bits."""
        return self._rng.integers(1 << k)

    randbits = getrandbits

    def choice(self, seq: Sequence[Any]) -> Any:
        """A member."""
        return seq[self._rng.integers(len(seq))]

    def choices(self, population: Sequence[Any], weights: Any = None, *, cum_weights: Any = None, k: int = 1) -> Any:
        """A list of k members, each drawn anew, with these weights."""
        if cum_weights is not None:
            weights = [last - first for first, last in pairwise([0, *cum_weights])]
        weights = [1] * len(population) if weights is None else list(weights)
        chances = [real_quotient(weight, list(accumulate(weights))[-1]) for weight in weights]
        return [population[self._rng.choice(len(chances), p=chances)] for _ in range(k)]

    def sample(self, population: Sequence[Any], k: int) -> Any:
        """A list of k different members, in random order."""
        return [population[i] for i in self._rng.choice(len(population), size=k, replace=False)]

    def shuffle(self, x: Any) -> None:
        """Put a list into random order."""
        self._rng.shuffle(x)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        raise OutsideNumpy(f"random.{name}", "draw by random, uniform, gauss, randint, choice, choices or sample")


class Namespace:
    """Stands for a module: its members, and an error for any other one."""

    def __init__(self, name: str, members: Mapping[str, Any]) -> None:
        self._name, self.members = name, dict(members)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self.members[name]
        except KeyError:
            raise OutsideNumpy(f"{self._name}.{name}") from None


def _bits(seed: Any = None) -> None:
    """Stands for numpy.random.PCG64 and the like."""
    _refuse_seed("numpy.random's generator with a seed", seed)


def _public(kind: type) -> list[str]:
    return [name for name in dir(kind) if not name.startswith("_")]


def _methods(generator: Any) -> dict[str, Any]:
    """The methods by name; those that a module does not have stand for nothing in it."""
    return {name: getattr(generator, name) for name in _public(type(generator))}


def random_modules(numpys: type, pythons: type) -> Mapping[str, Namespace]:
    """The modules that draw, by name, of which each generator is one of these types."""
    generators = dict.fromkeys(("default_rng", "RandomState", "Generator"), numpys)
    bits = dict.fromkeys(("PCG64", "MT19937", "Philox", "SFC64", "SeedSequence"), _bits)
    members, systems = _methods(pythons()), {"SystemRandom": pythons}
    return {
        "numpy.random": Namespace("numpy.random", {**_methods(numpys()), **generators, **bits}),
        "random": Namespace("random", {**members, "Random": pythons, **systems}),
        "secrets": Namespace("secrets", {**members, **systems}),
    }


_RANDOM: Final = random_modules(Generator, Random)

_LINALG: Final = Namespace("numpy.linalg", {"norm": array_functions.norm})

_MODULES: Final[Mapping[str, Namespace]] = {
    "numpy": Namespace(
        "numpy",
        {
            **array_functions.NUMPY_FUNCTIONS,
            "random": _RANDOM["numpy.random"],
            "linalg": _LINALG,
            "ndarray": Array,
            "e": exp(1),
            **dict.fromkeys(("float64", "float32", "double", "floating"), Float),
            **dict.fromkeys(("int64", "int32", "int_", "intp", "integer"), int),
            "bool_": bool,
        },
    ),
    "numpy.random": _RANDOM["numpy.random"],
    "numpy.linalg": _LINALG,
    "math": Namespace(
        "math",
        {
            **{name: OF_FLOATS.get(value, value) for name, value in vars(math).items() if not name.startswith("_")},
            "e": exp(1),
        },
    ),
    **_RANDOM,
}


def meanings() -> Mapping[int, tuple[Any, Any]]:
    """Identity of each module, function and class that has a meaning and is loaded → it, and what stands for it."""
    return _meanings(frozenset(_MODULES.keys() & sys.modules.keys()))


@lru_cache
def _meanings(loaded: frozenset[str]) -> Mapping[int, tuple[Any, Any]]:
    known = {name: _MODULES[name] for name in loaded}
    return {id(theirs): (theirs, ours) for theirs, ours in [*OF_FLOATS.items(), (Rng, RngOfArrays), *stand_ins(known)]}


def stand_ins(modules: Mapping[str, Namespace]) -> Iterator[tuple[Any, Any]]:
    """Each of these modules that is loaded, and each of its members that has one, with what stands for it."""
    for name, ours in sorted(modules.items()):
        theirs = sys.modules.get(name)
        if theirs is not None:
            yield theirs, ours
            known = vars(theirs)
            members = ((known[each], value) for each, value in ours.members.items() if each in known)
            yield from (pair for pair in members if pair[0] is not pair[1])


def meaning(value: Any) -> Any:
    """The object that stands for a module or function of numpy, math, random or secrets, or for `float`, by identity.

    Any other value is itself.
    """
    return meanings().get(id(value), (value, value))[1]


def is_in_language(value: object) -> bool:
    """True of a function or class of these modules that has a meaning, and of modules that stand for a generator."""
    is_known = not isinstance(value, ModuleType) or value.__name__ in ("numpy.random", "random", "secrets")
    return is_known and id(value) in meanings()


ATTRIBUTES: Final = frozenset(name for kind in (Array, Generator, Random) for name in _public(kind))
"""Methods and attributes of the types that stand for arrays and generators."""
