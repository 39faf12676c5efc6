"""numpy's generator over `draw`: code that takes an `rng` is decided as it is.

`Rng(draw)` has the methods of numpy.random.Generator whose laws are known exactly, with numpy's signatures and laws.
What numpy fills with floats is filled with noise of `draw`, and arrays of it are arrays of objects: numbers are exact
all through, or refused. Every method that is left out says so; what it refuses is noted, as what `draw` refuses is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from math import prod
from operator import index
from typing import Any, Final, NoReturn, SupportsIndex, TypeAlias

from dpverify.mechanisms.comparing.call import Drawing
from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.discrete_uniform import discrete_uniform
from dpverify.mechanisms.noise.exponential import exponential_noise
from dpverify.mechanisms.noise.gaussian import gaussian
from dpverify.mechanisms.noise.geometric import geometric
from dpverify.mechanisms.noise.gumbel import gumbel
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.uniform import uniform_noise
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.errors import InputError, Undecided, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ExactLike, exact, negative, total
from dpverify.mechanisms.numbers.exact_text import at_a_glance
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.outputs.arrays import listed, loaded_numpy
from dpverify.mechanisms.outputs.distributions import Distribution, uniform
from dpverify.mechanisms.path_conditions.noise_value import NoiseValue

_Size: TypeAlias = SupportsIndex | Sequence[SupportsIndex] | None
"""A size as numpy calls it: None for one number, else the shape of an array."""

LISTED: Final = 4096
"""Whole numbers up to which `Rng.integers` lists them, so that each may be an index."""


def _noted(method: Callable[..., Any]) -> Callable[..., Any]:
    """Has the run refused for what a method of `Rng` refuses, even if the mechanism catches it."""

    @wraps(method)
    def noting(self: Rng, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        except (InputError, Undecided) as error:
            self._take_note(error)
            raise

    return noting


class Rng:
    """Stands for a numpy.random.Generator: each number is drawn by `draw`, from the law that numpy documents.

    Made in a mechanism, of the `draw` that it is given. Raises `InputError` for anything that is no `draw`, and in each
    method for floats, for sizes and numbers out of range, and for methods of numpy's that it does not have.

    >>> def response(draw, rows):
    ...     rng = Rng(draw)
    ...     return rows[0] if rng.random() < Fraction(3, 4) else 1 - rows[0]
    >>> distribution(response, (1,)).probability(1)
    Fraction(3, 4)
    """

    __slots__ = ("_draw",)

    def __init__(self, draw: Draw) -> None:
        if not callable(draw):
            raise InputError(bad_input.ARGUMENT, f"Rng({shown(draw)})", "the `draw` of the mechanism")
        self._draw = draw

    def random(self, size: _Size = None, dtype: object = None, out: object = None) -> Any:
        """Uniform noise on [0, 1): `rng.random() < p` is True with probability p."""
        _refuse_others("rng.random", dtype, out)
        return self._many(size, lambda: self._draw(uniform_noise(0, 1)))

    def uniform(self, low: Any = 0, high: Any = 1, size: _Size = None) -> Any:
        """Uniform noise from low to high."""
        return self._many(size, lambda a, b: self._draw(uniform_noise(a, b)), low, high)

    def laplace(self, loc: Any = 0, scale: Any = 1, size: _Size = None) -> Any:
        """Laplace noise, loc + Lap(scale)."""
        return self._many(size, lambda at, b: self._draw(laplace(b)) + at, loc, scale)

    def normal(self, loc: Any = 0, scale: Any = 1, size: _Size = None) -> Any:
        """Gaussian noise of standard deviation scale, around loc."""
        return self._many(size, lambda at, sigma: self._draw(gaussian(sigma)) + at, loc, scale)

    def standard_normal(self, size: _Size = None, dtype: object = None, out: object = None) -> Any:
        """Gaussian noise of standard deviation 1."""
        _refuse_others("rng.standard_normal", dtype, out)
        return self._many(size, lambda: self._draw(gaussian(1)))

    def exponential(self, scale: Any = 1, size: _Size = None) -> Any:
        """Exponential noise of that scale, on x ≥ 0."""
        return self._many(size, lambda b: self._draw(exponential_noise(b)), scale)

    def gumbel(self, loc: Any = 0, scale: Any = 1, size: _Size = None) -> Any:
        """Gumbel noise of that scale, with its mode at loc."""
        return self._many(size, lambda at, b: self._draw(gumbel(b)) + at, loc, scale)

    def geometric(self, p: Any, size: _Size = None) -> Any:
        """The number of trials up to the first success, of probability 0 < p < 1: discrete noise from 1 on."""
        return self._many(size, lambda success: self._draw(geometric(_scale_of(success))) + 1, p)

    def integers(
        self, low: Any, high: Any = None, size: _Size = None, dtype: object = None, endpoint: bool = False
    ) -> Any:
        """A whole number low, …, high − 1, or 0, …, low − 1 without `high`; with `endpoint` the last one, too.

        Of at most `LISTED` it is a plain int, of more discrete noise, which is compared and never listed.
        """
        if dtype not in (None, int) and getattr(loaded_numpy().dtype(dtype), "kind", "") not in "iu":
            raise InputError(
                bad_input.WRONG, f"rng.integers: dtype={shown(dtype)}", "a type of integers", "write dtype=np.int64"
            )
        low, high = (0, low) if high is None else (low, high)

        def drawn(first: object, last: object) -> Any:
            start, end = _whole(first, "low"), _whole(last, "high") + bool(endpoint)
            if end <= start:
                raise InputError(bad_input.IS_EMPTY, f"rng.integers: the range from low={start} below {end}", "integer")
            if end - start > LISTED:
                return self._draw(discrete_uniform(start, end - 1))
            return self._draw(uniform(range(start, end)))

        return _as_indices(self._many(size, drawn, low, high))

    def choice(
        self, a: Any, size: _Size = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True
    ) -> Any:
        """One of `a`, or of range(a), with probabilities `p`, which are exact and sum to 1; in an array with a `size`.

        With replace=False all are different ones, in random order.
        """
        if axis != 0 or not shuffle:
            raise InputError(bad_input.OPTION, "rng.choice", "another axis than the first, nor shuffle=False")
        members: Sequence[Any] = range(_whole(a, "a")) if not hasattr(a, "__len__") else listed(a, "rng.choice")
        if not members:
            raise InputError(bad_input.IS_EMPTY, "rng.choice: the list of members", "member")
        if replace:
            law = uniform(range(len(members))) if p is None else _chances(listed(p, "rng.choice, p"), len(members))
            places = _as_indices(self._many(size, lambda: self._draw(law)))
        elif p is not None:
            raise InputError(bad_input.OPTION, "rng.choice", "p together with replace=False")
        else:
            shape = _shape(size)
            result = self._different(len(members), 1 if shape is None else prod(shape))
            places = result[0] if shape is None else self._shaped(result, shape)
        if size is None:
            return members[places]
        return places if isinstance(members, range) else self._taken(a, places)

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """`x`, or range(x), as an array in random order; an array of rows by its rows."""
        if axis != 0:
            raise InputError(bad_input.OPTION, "rng.permutation", "another axis than the first")
        values = x if hasattr(x, "__len__") else range(_whole(x, "x"))
        return self._taken(values, self._shaped(self._different(len(values), len(values)), (len(values),)))

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Put `x`, a list or an array, into random order."""
        if axis != 0:
            raise InputError(bad_input.OPTION, "rng.shuffle", "another axis than the first")
        if not hasattr(x, "__setitem__") or not hasattr(x, "__len__"):
            raise InputError(bad_input.WRONG, f"rng.shuffle: {shown(x)}", "a list or an array", "shuffle one of these")
        x[:] = [x[i] for i in self._different(len(x), len(x))]

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)  # numpy, copy and the like ask what an object can do
        error = InputError(_what_there_is(name))
        self._take_note(error)
        raise error

    def __repr__(self) -> str:
        return "Rng(draw)"

    def _take_note(self, error: Exception) -> None:
        if isinstance(self._draw, Drawing):
            self._draw.take_note(error)

    def _different(self, of: int, count: int) -> list[int]:
        """`count` different numbers below `of`, each order of each choice equally likely."""
        if count > of:
            raise InputError(bad_input.MORE_THAN, f"rng.choice: size={count} with replace=False", f"the {of} members")
        left = list(range(of))
        return [left.pop(self._draw(uniform(range(len(left))))) for _ in range(count)]

    def _shaped(self, numbers: list[int], shape: tuple[int, ...]) -> Any:
        """The numbers as an array that can be an index."""
        return loaded_numpy().array(numbers, dtype=loaded_numpy().int64).reshape(shape)

    def _taken(self, values: Any, places: Any) -> Any:
        """The items of `values` at these places, as an array."""
        return _values(values)[places]

    def _many(self, size: _Size, one: Callable[..., Any], *given: Any) -> Any:
        """The numbers that `one` draws for numbers, or for each of arrays that are broadcast, as numpy does it."""
        shape = _shape(size)
        if shape is None and not any(map(_is_many, given)):
            return one(*given)
        numpy = loaded_numpy()
        arrays = [_values(part) if _is_many(part) else part for part in given]
        shapes = [getattr(part, "shape", ()) for part in arrays]
        try:
            together = numpy.broadcast_shapes(*shapes, *(() if shape is None else (shape,)))
        except ValueError as error:
            raise InputError(f"rng: {error}") from None
        if shape not in (None, together):
            raise InputError(
                bad_input.WRONG, f"rng: size={shown(size)}", f"the shape {together} of the arguments", "leave size out"
            )
        spread = [_spread(part, together) for part in arrays]
        result = numpy.empty(together, dtype=object)
        for place in numpy.ndindex(together):
            result[place] = one(*(part[place] for part in spread))
        return result


_METHODS: Final = tuple(name for name in vars(Rng) if not name.startswith("_"))
for _name in _METHODS:
    setattr(Rng, _name, _noted(getattr(Rng, _name)))


def _what_there_is(name: str) -> str:
    advice = "write one of these, rng.choice with p, or draw(Distribution(…))"
    return bad_input.NONE_OF.text(f"rng.{name}", ", ".join(_METHODS), instead=advice)


def _refuse_others(name: str, dtype: object, out: object) -> None:
    if out is not None or (dtype is not None and loaded_numpy().dtype(dtype).name != "float64"):
        raise InputError(bad_input.OPTION, name, "out, nor dtype but float64")


def _is_many(given: Any) -> bool:
    return hasattr(given, "__len__") and not isinstance(given, str)


def _values(given: Any) -> Any:
    """An array of what is given, in which no number has become a float."""
    numpy = loaded_numpy()
    if isinstance(given, list | tuple) and not all(isinstance(each, int | str) for each in given):
        values = numpy.empty(len(given), dtype=object)
        for i, each in enumerate(given):
            values[i] = each
        return values
    return numpy.asarray(given)


def _spread(given: Any, shape: tuple[int, ...]) -> Any:
    """An array of that shape, of plain objects."""
    numpy = loaded_numpy()
    if not isinstance(given, numpy.ndarray):
        filled = numpy.empty(shape, dtype=object)
        filled[...] = given
        return filled
    return numpy.broadcast_to(given.astype(object), shape)


def _shape(size: _Size) -> tuple[int, ...] | None:
    if size is None:
        return None
    return tuple(_whole(n, "size") for n in size) if isinstance(size, Sequence) else (_whole(size, "size"),)


def _whole(value: Any, name: str) -> int:
    if isinstance(value, NoiseValue):
        return index(value)  # which refuses it
    try:
        if isinstance(value, bool):
            raise TypeError
        return int(index(value))
    except TypeError:
        raise InputError(bad_input.NOT_WHOLE, f"rng: {name}={shown(value)}", "") from None


def _as_indices(found: Any) -> Any:
    """An array of plain whole numbers as what can be an index; anything else as it is."""
    numpy = loaded_numpy()
    if isinstance(found, numpy.ndarray) and all(type(each) is int for each in found.flat):
        return found.astype(numpy.int64)
    return found


def _scale_of(success: ExactLike) -> Any:
    """The b for which e^(−1/b) = 1 − p."""
    p = exact(success, "p")
    if not 0 < p < 1:
        raise InputError(bad_input.RANGE, f"rng.geometric: p={at_a_glance(p)}", "between 0 and 1")
    return exact(1) / negative(log(1 - p))


def _chances(p: Sequence[Any], count: int) -> Distribution[int]:
    if len(p) != count:
        raise InputError(bad_input.NOT_ONE_EACH, f"rng.choice: {len(p)} probabilities", f"{count} members")
    chances = [exact(each, "p") for each in p]
    if (together := total(chances)) != 1:
        raise InputError(bad_input.WRONG, f"rng.choice: the sum {at_a_glance(together)} of p", "1", "divide by the sum")
    return Distribution(dict(enumerate(chances)))
