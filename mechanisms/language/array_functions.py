"""numpy's functions on arrays of one dimension, each of real numbers and noise, as numpy documents it.

`NUMPY_FUNCTIONS` has them by their names, `ARRAY_METHODS` those that an array has as methods, too. What is compared
with noise is compared by Python's own max, min and sorted, whose contests the output distribution is known of.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce, wraps
from itertools import accumulate, pairwise
from operator import add, mul
from typing import Any, Final

from dpverify.mechanisms.language import real_numbers
from dpverify.mechanisms.language.array import (
    Array,
    OutsideNumpy,
    array,
    array_kind,
    as_kind,
    asarray,
    elementwise,
    is_many,
    of_items,
)
from dpverify.mechanisms.language.real_numbers import Float, real, real_quotient
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.path_conditions.expressions import Noisy
from dpverify.mechanisms.path_conditions.noise_value import clamp
from dpverify.mechanisms.patterns.largest import as_sorted, largest_of, smallest_of

# --- Making


def zeros(shape: Any, dtype: Any = Float) -> Array:
    """np.zeros."""
    return full(shape, 0, dtype)


def ones(shape: Any, dtype: Any = Float) -> Array:
    """np.ones."""
    return full(shape, 1, dtype)


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Array:
    """np.full."""
    if isinstance(shape, tuple) and len(shape) != 1:
        raise OutsideNumpy("an array of several dimensions", "use one array for each column, or a list of arrays")
    count = shape[0] if isinstance(shape, tuple) else shape
    return array([fill_value] * count, array_kind([fill_value]) if dtype is None else dtype)


def like(value: int) -> Callable[..., Array]:
    """np.zeros_like and np.ones_like."""

    def made(a: Any, dtype: Any = None) -> Array:
        return full(len(a), value, array(a).kind if dtype is None else dtype)

    return made


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Array:
    """np.arange."""
    first, last = (0, start) if stop is None else (start, stop)
    count = max(0, math.ceil(real_quotient(last - first, step)))
    return array([first + i * step for i in range(count)], array_kind((first, last, step)) if dtype is None else dtype)


def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True) -> Array:
    """np.linspace."""
    parts = max(1, num - 1 if endpoint else num)
    return array([start + real_quotient((stop - start) * i, parts) for i in range(num)], Float)


def concatenate(arrays: Sequence[Any], axis: int | None = 0) -> Array:
    """np.concatenate."""
    return of_items([item for one in arrays for item in array(one)])


def append(arr: Any, values: Any, axis: int | None = None) -> Array:
    """np.append."""
    return concatenate([arr, values if is_many(values) else [values]])


# --- To one number


def _of_all(function: Callable[[list[Any]], Any]) -> Callable[..., Any]:
    """A function of a list of items as one of what numpy takes for an array, along its only axis."""

    @wraps(function)
    def of(a: Any, axis: int | None = None, **options: Any) -> Any:
        if axis not in (None, 0, -1):
            raise ValueError(f"axis {axis} is out of bounds for array of dimension 1")
        return function(array(a, options.pop("dtype", None)).values, **options)

    return of


def _sum(values: list[Any]) -> Any:
    if len(values) == 1:
        return as_kind(values[0], "i" if array_kind(values) in "bi" else "f")
    return reduce(add, values) if values else real(0)


def _mean(values: list[Any]) -> Any:
    if not values:
        raise OutsideNumpy("the mean of an empty array, which is no number", "ask for its size first")
    return real_quotient(_sum(values), len(values))


def _variance(values: list[Any], ddof: int = 0) -> Any:
    mean = _mean(values)
    return real_quotient(_sum([(value - mean) * (value - mean) for value in values]), len(values) - ddof)


def _deviation(values: list[Any], ddof: int = 0) -> Any:
    return real_numbers.sqrt(_variance(values, ddof))


def _argmax(values: list[Any]) -> int:
    return int(largest_of(max, range(len(values)), values.__getitem__))


def _argmin(values: list[Any]) -> int:
    return int(smallest_of(min, range(len(values)), values.__getitem__))


def norm(x: Any, ord: Any = None) -> Any:
    """np.linalg.norm."""
    values = [abs(value) for value in array(x)]
    if ord in (None, 2):
        return real_numbers.sqrt(_sum([value * value for value in values]))
    if ord == 1:
        return real(_sum(values))
    raise OutsideNumpy(f"np.linalg.norm with ord={ord}", "write ord=1 or ord=2, or np.max(np.abs(x))")


def dot(a: Any, b: Any) -> Any:
    """np.dot."""
    return _sum([x * y for x, y in zip(array(a), array(b), strict=True)])


# --- To another array


def _each(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of numbers as one of arrays, too."""

    @wraps(function)
    def of(*given: Any) -> Any:
        return elementwise(function, *given)

    return of


def _sign(x: Any) -> Any:
    return as_kind((x > 0) - (x < 0), array_kind([x]))


def _round(x: Any, decimals: int = 0) -> Any:
    if isinstance(x, int):
        return round(x, decimals)
    return real(round(x, decimals)) if decimals or not isinstance(x, Noisy) else round(x)


def clip(a: Any, a_min: Any = None, a_max: Any = None, **ends: Any) -> Any:
    """np.clip, of which one end may be None."""
    if not ends.keys() <= {"min", "max"}:
        raise OutsideNumpy("np.clip with out or where")
    low, high = ends.get("min", a_min), ends.get("max", a_max)

    def clipped(x: Any, least: Any, most: Any) -> Any:
        if least is None or most is None or isinstance(x, Exact):
            x = x if least is None or x >= least else least
            return x if most is None or x <= most else most
        return clamp(x, least, most) if least <= most else most

    kind = max((array_kind([each]) for each in (low, high) if each is not None and not is_many(each)), default="b")
    found = elementwise(clipped, array(a) if is_many(a) else a, low, high)
    return found.astype("f") if isinstance(found, Array) and kind == "f" else found


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """np.where, of one argument a tuple of the places."""
    if x is None:
        return (flatnonzero(condition),)
    return _chosen(elementwise(lambda is_so, first, second: first if is_so else second, condition, x, y), x, y)


def _chosen(found: Any, *among: Any) -> Any:
    """A result that is chosen among others, as the type that holds all of them."""
    kind = array_kind([each for one in among for each in (one if is_many(one) else [one])])
    return found.astype(kind) if isinstance(found, Array) and kind in "if" else found


def flatnonzero(a: Any) -> Array:
    """np.flatnonzero."""
    return Array([place for place, value in enumerate(array(a)) if value != 0], "i")


def sort(a: Any, axis: int = -1) -> Array:
    """np.sort."""
    given = array(a)
    return Array(as_sorted(sorted, given.values), given.kind)


def argsort(a: Any, axis: int = -1) -> Array:
    """np.argsort: equal items stay in their order."""
    values = array(a).values
    return Array(as_sorted(sorted, range(len(values)), values.__getitem__), "i")


def cumsum(a: Any, axis: int | None = None) -> Array:
    """np.cumsum."""
    given = array(a)
    return of_items(list(accumulate(given.astype(int) if given.kind == "b" else given)))


def diff(a: Any) -> Array:
    """np.diff."""
    given = array(a)
    result: Array = given[1:] - given[:-1]
    return result


def bincount(x: Any, minlength: int = 0) -> Array:
    """np.bincount."""
    given = array(x)
    if given.size and given.kind not in "bi":
        raise TypeError("Cannot cast array data to dtype('int64') according to the rule 'safe'")
    if any(value < 0 for value in given):
        raise ValueError("'list' argument must have no negative elements")
    counts = [0] * max(minlength, max(given.values, default=-1) + 1)
    for value in given:
        counts[value] += 1
    return Array(counts, "i")


def histogram(a: Any, bins: Any = 10, range: Any = None) -> tuple[Array, Array]:
    """np.histogram: the counts, and the ends of the bins, of which the last one is closed."""
    values = array(a).values
    if is_many(bins):
        edges = array(bins)
    else:
        low, high = range if range is not None else (min(values), max(values)) if values else (0, 1)
        if low == high:
            low, high = low - Fraction(1, 2), high + Fraction(1, 2)
        edges = linspace(low, high, bins + 1)
    ends = edges.values
    counts = [0] * (len(ends) - 1)
    for value in values:
        for place, (low, high) in enumerate(pairwise(ends)):
            if low <= value and (value < high or (place == len(counts) - 1 and value == high)):
                counts[place] += 1
                break
    return Array(counts, "i"), edges


def unique(ar: Any, return_counts: bool = False) -> Any:
    """np.unique: the different items in order, with `return_counts` how often each is there."""
    given = array(ar)
    found: list[Any] = []
    counts: list[int] = []
    for value in sorted(given.values):
        if found and found[-1] == value:
            counts[-1] += 1
        else:
            found.append(value)
            counts.append(1)
    items = Array(found, given.kind)
    return (items, Array(counts, "i")) if return_counts else items


def isin(element: Any, test_elements: Any) -> Any:
    """np.isin."""
    among = list(test_elements)
    return elementwise(lambda value: value in among, element)


def _is_so(value: Any) -> Any:
    return value != 0


_REDUCED: Final[dict[str, Callable[..., Any]]] = {
    "sum": _of_all(_sum),
    "prod": _of_all(lambda values: reduce(mul, values) if values else real(1)),
    "mean": _of_all(_mean),
    "var": _of_all(_variance),
    "std": _of_all(_deviation),
    "max": _of_all(lambda values: largest_of(max, values)),
    "min": _of_all(lambda values: smallest_of(min, values)),
    "argmax": _of_all(_argmax),
    "argmin": _of_all(_argmin),
    "any": _of_all(lambda values: any(map(_is_so, values))),
    "all": _of_all(lambda values: all(map(_is_so, values))),
}

ARRAY_METHODS: Final[dict[str, Callable[..., Any]]] = {
    **_REDUCED,
    "clip": clip,
    "round": _each(_round),
    "cumsum": cumsum,
    "argsort": argsort,
    "dot": dot,
}

NUMPY_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **ARRAY_METHODS,
    **{function.__name__: function for function in (
        array, asarray, zeros, ones, full, arange, linspace, concatenate, append, where, flatnonzero, sort, diff,
        bincount, histogram, unique, isin,
    )},
    "amax": _REDUCED["max"],
    "amin": _REDUCED["min"],
    "zeros_like": like(0),
    "ones_like": like(1),
    "count_nonzero": _of_all(lambda values: len([*filter(_is_so, values)])),
    "around": _each(_round),
    "abs": _each(abs),
    "absolute": _each(abs),
    "sign": _each(_sign),
    "exp": _each(real_numbers.exp),
    "log": _each(real_numbers.log),
    "log2": _each(lambda x: real_numbers.log(x, 2)),
    "sqrt": _each(real_numbers.sqrt),
    "square": _each(lambda x: x * x),
    "power": _each(real_numbers.real_power),
    "floor": _each(lambda x: real(math.floor(x))),
    "ceil": _each(lambda x: real(math.ceil(x))),
    "rint": _each(_round),
    "trunc": _each(lambda x: real(math.trunc(x))),
    "maximum": lambda a, b: _chosen(elementwise(lambda x, y: x if x >= y else y, a, b), a, b),
    "minimum": lambda a, b: _chosen(elementwise(lambda x, y: x if x <= y else y, a, b), a, b),
    "add": _each(lambda x, y: x + y),
    "subtract": _each(lambda x, y: x - y),
    "multiply": _each(lambda x, y: x * y),
    "divide": _each(real_quotient),
    "logical_and": _each(lambda x, y: bool(x != 0 and y != 0)),
    "logical_or": _each(lambda x, y: bool(x != 0 or y != 0)),
    "logical_not": _each(lambda x: bool(x == 0)),
}  # fmt: skip


for _name, _function in ARRAY_METHODS.items():
    setattr(Array, _name, _function)
Array.sort = lambda self, axis=-1: self.__setitem__(slice(None), sort(self))  # type: ignore[attr-defined]
