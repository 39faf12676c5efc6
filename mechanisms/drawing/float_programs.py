"""A program of floats as Python runs it: the user's own functions, of which only what draws is another one.

It is run beside the exact program, to measure what rounding adds: see `rounding`.
"""

from collections.abc import Callable
from copy import copy
from fractions import Fraction
from functools import partial
from types import CellType, FunctionType, ModuleType
from typing import Any

from dpverify.mechanisms.functions.mechanism import MadeOf
from dpverify.mechanisms.language.compiled_code import names_in_code
from dpverify.mechanisms.language.exact_reading import nearest_float
from dpverify.mechanisms.language.generator import Rng
from dpverify.mechanisms.language.library import member_functions
from dpverify.mechanisms.language.numpy_names import Generator, Random, random_modules, stand_ins
from dpverify.mechanisms.language.readings import Reading
from dpverify.mechanisms.language.stand_ins import Module
from dpverify.mechanisms.language.values_from_outside import MEMORY
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber
from dpverify.mechanisms.outputs.arrays import loaded_numpy


class FloatProgram:
    """The functions of a mechanism that was read, with what they draw by. Raises `TypeError` where a class draws."""

    def __init__(self, reading: Reading) -> None:
        self._functions = reading.functions
        pairs = [(Rng, _OfFloats), *stand_ins(random_modules(_FloatGenerator, _FloatRandom))]
        self._made: dict[int, tuple[Any, Any]] = {id(theirs): (theirs, ours) for theirs, ours in pairs}
        self._namespaces: dict[int, dict[str, Any]] = {}
        self._mechanism = self._value(reading.mechanism)
        self._generators = getattr(reading.mechanism, "generators", ())
        for cls in reading.classes:
            for function in (each for member in vars(cls).values() for each in member_functions(member)):
                read = self._functions.get(function.__code__)
                if read is not None and any(self._value(value) is not value for value in read.names.values()):
                    raise TypeError(f"a method of {cls.__qualname__} calls functions, which may draw")

    def __call__(self, draw: Any, database: Any, **parameters: Any) -> Any:
        """The outcome of a run with this `draw`."""
        given = {name: _FloatRandom() if kind == "random" else _OfFloats(draw) for name, kind in self._generators}
        given |= {name: with_floats(value) for name, value in parameters.items()}
        return self._mechanism(draw, with_floats(database), **given)

    def _value(self, value: Any) -> Any:
        """The value that stands for one that the program names."""
        known = self._made.get(id(value))
        if known is not None:
            return known[1]
        if type(value) is FunctionType and value.__code__ in self._functions:
            return self._function(value)
        made = value
        if type(value) is MEMORY:
            made = self._value(value.__wrapped__)
        elif isinstance(value, ModuleType):
            made = Module(value, self._value, lambda *_: None)
        elif isinstance(value, MadeOf):
            made = copy(value)
            for name, part in vars(value).items():
                object.__setattr__(made, name, self._value(part))
        elif type(value) is partial:
            made = partial(self._value(value.func), *value.args, **value.keywords)
        elif type(value) in (tuple, list):
            made = type(value)(map(self._value, value))
        elif callable(value) and str(getattr(value, "__module__", "")).startswith("dpverify."):
            made = _of_library(value)
        self._made[id(value)] = value, made
        return made

    def _function(self, function: FunctionType) -> FunctionType:
        code, names = function.__code__, function.__globals__
        namespace = self._namespaces.setdefault(id(names), dict(names))
        cells = tuple(CellType() for _ in code.co_freevars)
        made = FunctionType(code, namespace, function.__name__, function.__defaults__, cells)
        made.__kwdefaults__ = function.__kwdefaults__
        self._made[id(function)] = function, made  # before what it names, which may be itself
        for name in names_in_code(code):
            if name in names:
                namespace[name] = self._value(names[name])
        for own, cell in zip(cells, function.__closure__ or (), strict=True):
            own.cell_contents = self._value(cell.cell_contents)
        return made


def with_floats(value: Any) -> Any:
    """A value with floats in the place of fractions and other exact numbers, as Python's own code is given it."""
    if isinstance(value, Exact):
        return nearest_float(value)
    if isinstance(value, Fraction | WholeNumber):
        return int(value) if value.denominator == 1 else float(value)
    if type(value) in (tuple, list, frozenset):
        return type(value)(map(with_floats, value))
    return {key: with_floats(part) for key, part in value.items()} if type(value) is dict else value


def _exactly(value: Any) -> Any:
    """A value with the fractions that its floats are, as laws and functions of this library are given it."""
    if isinstance(value, float):
        return Fraction(float(value))
    if type(value) in (tuple, list):
        return type(value)(map(_exactly, value))
    if type(value) is dict:
        return {_exactly(key): _exactly(part) for key, part in value.items()}
    return _exactly(value.tolist()) if hasattr(value, "tolist") else value


def _of_library(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of this library, which takes and gives exact numbers, for a program of floats."""
    return lambda *args, **kwargs: with_floats(function(*_exactly(args), **_exactly(kwargs)))


class _OfFloats(Rng):
    """A generator that is given floats, and gives them in numpy's own arrays."""

    __slots__ = ()

    def _shaped(self, numbers: list[int], shape: tuple[int, ...]) -> Any:
        return Rng._shaped(self, numbers, shape)

    def _taken(self, values: Any, places: Any) -> Any:
        return loaded_numpy().asarray(values)[places]

    def _many(self, size: Any, one: Callable[..., Any], *given: Any) -> Any:
        found = Rng._many(self, size, one, *map(_exactly, given))
        return loaded_numpy().array(found.tolist()) if hasattr(found, "tolist") else found

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None, *_: Any) -> Any:
        """See `Rng`; chances that sum up to 1 but for rounding do so exactly."""
        chances = None if p is None else [each / sum(_exactly(p)) for each in _exactly(p)]
        places = Rng.choice(self, len(a) if hasattr(a, "__len__") else a, size, replace, chances)
        return places if not hasattr(a, "__len__") else a[places] if size is None else self._taken(a, places)


class _FloatGenerator(_OfFloats, Generator):
    __slots__ = ()


class _FloatRandom(Random):
    __slots__ = ()

    def __init__(self, seed: Any = None) -> None:
        Random.__init__(self, seed)
        self._rng = _FloatGenerator()
