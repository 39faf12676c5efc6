"""An array of one dimension of exact numbers and noise, which stands for numpy's in source that is read.

It has numpy's types by four letters: b (truth values), i (ints), f (numbers: exact ones and noise), O (texts and other
objects). What is computed is what numpy documents, of real numbers in the place of floats. A slice shares its items
with the array that it is of, as numpy's does. The functions of numpy on arrays are in `array_functions`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, Final, NoReturn

from dpverify.mechanisms.language.real_numbers import Float, real, real_power, real_quotient
from dpverify.mechanisms.numbers.containers import Held
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import Exact, Unknown
from dpverify.mechanisms.numbers.plain_numbers import is_asked_by_library
from dpverify.mechanisms.numbers.shown import in_words
from dpverify.mechanisms.path_conditions.expressions import Noisy

_NUMBERS: Final = (int, Fraction, float, Exact, Unknown, Noisy)


class OutsideNumpy(InputError):
    """A use of numpy that is outside the language: the message says which."""

    def __init__(self, what: str, instead: str = "write a loop over a list, or keep it out of the mechanism") -> None:
        super().__init__(bad_mechanism.OUTSIDE_OF_NUMPY, what, instead)


class Array(Held):
    """Items in a store that other arrays may share, at the places that are given, and their type."""

    __slots__ = ("_places", "_store", "kind")

    __array_ufunc__: Final = None
    """Noise and numpy leave what is computed with an array to the array."""
    __hash__ = None  # type: ignore[assignment]  # as numpy's
    ndim: Final = 1

    def __init__(self, store: Any, kind: str, places: range | None = None) -> None:
        self._store, self.kind = store, kind
        self._places = range(len(store)) if places is None else places

    @property
    def values(self) -> list[Any]:
        """The items, in order."""
        start, end, step = self._places.start, self._places.stop, self._places.step
        found: list[Any] = self._store[start : None if end < 0 else end : step] if self._places else []
        return found

    # --- As an outcome

    @property
    def details(self) -> tuple[Any, ...]:
        """See `Held`."""
        return (self.kind,)

    def items(self) -> Sequence[Any]:
        """See `Held`."""
        return self.values

    @classmethod
    def made_of(cls, details: tuple[Any, ...], items: list[Any]) -> Array:
        """See `Held`."""
        return Array(items, details[0])

    # --- As a sequence

    @property
    def size(self) -> int:
        """The number of items."""
        return len(self._places)

    @property
    def shape(self) -> tuple[int]:
        """The number of items in a tuple."""
        return (len(self._places),)

    @property
    def dtype(self) -> Any:
        """The type of the items, as Python has it."""
        return {"b": bool, "i": int, "f": Float}.get(self.kind, object)

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def __contains__(self, value: object) -> bool:
        return any(item == value for item in self.values)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return Array(self._store, self.kind, self._places[key])
        chosen = self._chosen(key)
        return Array([self._store[i] for i in chosen], self.kind) if isinstance(chosen, list) else self._store[chosen]

    def __setitem__(self, key: Any, value: Any) -> None:
        chosen = self._places[key] if isinstance(key, slice) else self._chosen(key)
        if not isinstance(chosen, range | list):
            self._store[chosen] = as_kind(value, self.kind)
            return
        for place, one in zip(chosen, spread(value, len(chosen)), strict=True):
            self._store[place] = as_kind(one, self.kind)

    def _chosen(self, key: Any) -> Any:
        """The place of one item, or the list of those of several."""
        if isinstance(key, tuple) and len(key) == 1:
            key = key[0]
        if not isinstance(key, Array | list):
            if isinstance(key, bool) or key is None or isinstance(key, tuple) or key is ...:
                raise OutsideNumpy("an array with an index that is no number, slice or array")
            return self._places[key]
        keys = array(key)
        if keys.kind == "b":
            if len(keys) != len(self):
                raise IndexError("boolean index did not match indexed array along axis 0")
            return [place for place, is_in in zip(self._places, keys.values, strict=True) if is_in]
        if keys.kind != "i" and keys.size:
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
        return [self._places[i] for i in keys.values]

    # --- Arithmetic

    def _each(self, operation: Callable[[Any, Any], Any], other: Any, *, swapped: bool = False) -> Any:
        if not isinstance(other, (Array, list, tuple, str, *_NUMBERS)):
            return NotImplemented
        result = elementwise((lambda x, y: operation(y, x)) if swapped else operation, self, other)
        if result.kind == "i" and self.kind == "b" == array_kind(spread(other, len(self))):
            return result.astype(bool)  # as numpy adds and multiplies truth values
        return result

    def _in_place(self, operation: Callable[[Any, Any], Any], other: Any) -> Array:
        result = elementwise(operation, self, other)
        if _ORDER.index(result.kind) > _ORDER.index(self.kind):
            raise OutsideNumpy(f"an array of {self.dtype.__name__}s changed in place to {result.dtype.__name__}s")
        self[:] = result
        return self

    def __neg__(self) -> Array:
        return self.mapped(operator.neg)

    def __pos__(self) -> Array:
        return self.copy()

    def __abs__(self) -> Array:
        return self.mapped(abs)

    def __invert__(self) -> Array:
        return self.mapped(operator.not_ if self.kind == "b" else operator.invert)

    def mapped(self, function: Callable[[Any], Any]) -> Array:
        """A new array of function(item) for each item."""
        return of_items([function(item) for item in self.values], self.kind)

    def __bool__(self) -> bool:
        if len(self) != 1:
            raise ValueError("The truth value of an array with more than one element is ambiguous")
        return bool(self.values[0])

    def __float__(self) -> NoReturn:
        raise OutsideNumpy("float(array)", "write float(array[0])")

    def __repr__(self) -> str:
        if not is_asked_by_library():
            raise OutsideNumpy("the text of an array", "return the array")
        return f"array([{', '.join(map(in_words, self.values))}])"

    # --- Methods that are no functions of numpy

    def tolist(self) -> list[Any]:
        """The items as a list."""
        return self.values

    def copy(self) -> Array:
        """A new array of the same items."""
        return Array(self.values, self.kind)

    __copy__ = copy

    def astype(self, dtype: Any) -> Array:
        """The items as a type: ints are cut off towards 0."""
        return array(self, dtype)

    def item(self, place: int = 0) -> Any:
        """One item."""
        return self.values[place]

    def fill(self, value: Any) -> None:
        """Put a value in each place."""
        self[:] = value

    def flatten(self) -> Array:
        """The array itself, as a new one; as `ravel`."""
        return self.copy()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise OutsideNumpy(f"numpy.ndarray.{name}")


def _operators() -> None:
    """Gives arrays their operators, each with its swapped form and the one in place."""
    numeric = {name: getattr(operator, name) for name in ("add", "sub", "mul", "floordiv", "mod", "and_", "or_", "xor")}
    for name, operation in {**numeric, "truediv": _divided, "pow": _powered}.items():
        short = name.strip("_")
        setattr(Array, f"__{short}__", lambda self, other, of=operation: self._each(of, other))
        setattr(Array, f"__r{short}__", lambda self, other, of=operation: self._each(of, other, swapped=True))
        setattr(Array, f"__i{short}__", lambda self, other, of=operation: self._in_place(of, other))
    for operation in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
        setattr(Array, f"__{operation.__name__}__", lambda self, other, of=operation: self._each(of, other))


def _divided(above: Any, below: Any) -> Any:
    if not isinstance(below, Noisy) and below == 0:
        raise OutsideNumpy("a division by 0, which numpy makes infinite", "compare it with 0 first")
    return real_quotient(above, below)


def _powered(base: Any, exponent: Any) -> Any:
    if isinstance(base, int) and isinstance(exponent, int) and exponent < 0:
        raise ValueError("Integers to negative integer powers are not allowed.")
    return real_power(base, exponent)


# --- Making


_ORDER: Final = "bifO"
"""Types from the narrowest to the widest one."""


def array_kind(values: Iterable[Any]) -> str:
    """The narrowest type that holds all values; that of none is f, as numpy has it."""
    found = "b"
    empty = True
    for value in values:
        empty = False
        if isinstance(value, bool):
            kind = "b"
        elif isinstance(value, int):
            kind = "i"
        else:
            kind = "f" if isinstance(value, _NUMBERS) else "O"
        found = max(found, kind, key=_ORDER.index)
    return "f" if empty else found


def kind_named(dtype: Any) -> str:
    """The type that an argument dtype= names. Raises `OutsideNumpy` for others than these four."""
    for kind, names in _DTYPES.items():
        if dtype in names or getattr(dtype, "__name__", None) in names:
            return kind
    raise OutsideNumpy(f"dtype={getattr(dtype, '__name__', dtype)}", "write float, int or bool")


_DTYPES: Final = {
    "f": ("f", Float, "Float", "float", "float64", "float32", "double", "f8", "f4"),
    "i": ("i", int, "int", "int64", "int32", "int_", "intp", "i8", "i4", "uint64", "uint32", "uint8"),
    "b": ("b", bool, "bool", "bool_"),
    "O": ("O", object, "object", "O", "str"),
}


def as_kind(value: Any, kind: str) -> Any:
    """A value as an array of that type holds it: a number of f is exact, one of i is cut off towards 0."""
    if kind == "f":
        return value if isinstance(value, Noisy | Unknown) else real(_number(value))
    if kind == "i":
        return value if isinstance(value, int) and not isinstance(value, bool) else math.trunc(_number(value))
    return bool(value) if kind == "b" else value


def _number(value: Any) -> Any:
    if not isinstance(value, _NUMBERS):
        raise OutsideNumpy(f"an array of numbers with a {type(value).__name__} in it", "give numbers")
    return value


def of_items(values: list[Any], at_least: str = "b") -> Array:
    """A new array, of the narrowest type for these items."""
    kind = array_kind(values) if values else at_least
    return Array([as_kind(value, kind) for value in values] if kind in "if" else values, kind)


def array(given: Any, dtype: Any = None, *, copy: bool = True, ndmin: int = 0) -> Array:
    """np.array(given) for a sequence, an array or an iterable that numpy takes."""
    if isinstance(given, Array) and dtype is None:
        return given.copy() if copy else given
    if not isinstance(given, Array | list | tuple | range):
        raise OutsideNumpy(f"an array of a {type(given).__name__}", "give a list or a tuple")
    values = list(given)
    if any(isinstance(value, Array | list | tuple) for value in values):
        raise OutsideNumpy("an array of several dimensions", "use one array for each column, or a list of arrays")
    if dtype is None:
        if any(isinstance(value, str) for value in values) and any(isinstance(value, _NUMBERS) for value in values):
            raise OutsideNumpy("an array of texts and numbers", "use one array for each")
        return of_items(values)
    kind = kind_named(dtype)
    return Array([as_kind(value, kind) for value in values], kind)


def asarray(given: Any, dtype: Any = None) -> Array:
    """np.asarray(given): an array of that type is given back as it is."""
    if isinstance(given, Array) and (dtype is None or kind_named(dtype) == given.kind):
        return given
    return array(given, dtype)


def is_many(given: Any) -> bool:
    """True for an array or a sequence, False for one number."""
    return isinstance(given, Array | list | tuple | range)


def spread(given: Any, count: int) -> list[Any]:
    """As many items as that: those of an array of this length, or one number over and over."""
    values = array(given).values if is_many(given) else [given]
    if len(values) == 1:
        return values * count
    if len(values) != count:
        raise ValueError(f"operands could not be broadcast together with shapes ({count},) ({len(values)},)")
    return values


def elementwise(operation: Callable[..., Any], *given: Any) -> Any:
    """operation(…) of numbers, or an array of it for each of the items, where one at least is an array."""
    lengths = {len(one) for one in given if is_many(one)}
    if not lengths:
        return operation(*given)
    count = max(lengths - {1}, default=1) if 0 not in lengths else 0
    return of_items([operation(*items) for items in zip(*(spread(one, count) for one in given), strict=True)], "f")


_operators()
