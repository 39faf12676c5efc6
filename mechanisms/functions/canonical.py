"""One form for all outcomes that are equal: what a mechanism is handed by `draw`, and whoever calls `run` by that.

A law holds equal outcomes as one, so that nobody may be able to tell them apart; lists and the like it holds as tuples,
see `containers`. `DIFFERENCES` lists by what equal values can be told apart in Python, each with what becomes of it: it
is made one here, refused by `lookalikes` or `outcomes`, or makes two outcomes.
"""

import pickle
from collections.abc import Callable, Hashable, Iterable, Mapping
from copy import copy
from enum import Enum
from fractions import Fraction
from itertools import pairwise
from operator import is_, itemgetter
from types import MappingProxyType, NoneType
from typing import Any, Final

from dpverify.mechanisms.functions.containers import is_for_people
from dpverify.mechanisms.functions.lookalikes import same, state
from dpverify.mechanisms.functions.watched_rows import WatchedRows, in_no_order
from dpverify.mechanisms.numbers.containers import Kind, as_returned
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber
from dpverify.mechanisms.numbers.plain_numbers import Real
from dpverify.mechanisms.numbers.shown import shown


class Handling(Enum):
    """The treatment of a difference between two values that Python calls equal."""

    MADE_ONE = "made one"
    """By `canonical`, or by `run`, which hands on a copy that shares nothing with what the mechanism has."""
    REFUSED = "refused"
    """An error where both are outcomes of one mechanism."""
    TWO_OUTCOMES = "two outcomes"
    """A law tells them apart, so that what differs by it is decided."""


DIFFERENCES: Final[Mapping[str, Handling]] = MappingProxyType(
    {
        "an int, a WholeNumber and a Fraction of one value": Handling.MADE_ONE,
        "a truth value and a number": Handling.REFUSED,
        "a float, a complex or a Decimal and an int": Handling.REFUSED,
        "the sign of zero": Handling.REFUSED,
        "the digits of a Decimal": Handling.REFUSED,
        "NaN, at any depth": Handling.REFUSED,
        "the order in which a set is gone through": Handling.MADE_ONE,
        "the room that a set, a list or a dict has": Handling.MADE_ONE,
        "the order of a dict": Handling.TWO_OUTCOMES,
        "the type of a dict: Counter, OrderedDict, defaultdict": Handling.TWO_OUTCOMES,
        "the type of a named tuple": Handling.TWO_OUTCOMES,
        "a subclass of list or dict of somebody's own": Handling.REFUSED,
        "attributes that are not compared, of a dataclass that cannot be hashed": Handling.TWO_OUTCOMES,
        "the type, where one is a subclass of the other": Handling.REFUSED,
        "attributes that are no fields, or that are not compared": Handling.REFUSED,
        "the order of attributes, and what a cached_property has computed": Handling.MADE_ONE,
        "a member of an Enum and its value": Handling.REFUSED,
        "functions, and other objects that equal themselves alone": Handling.TWO_OUTCOMES,
        "equal values with two hashes": Handling.TWO_OUTCOMES,
        "which object it is, and which of its parts are one object": Handling.MADE_ONE,
    }
)
"""Everything by which two equal values can be told apart, with what becomes of it; each has a test of that name."""


_AS_THEY_ARE: Final = frozenset({NoneType, bool, int, str, bytes, Kind})
_RATIONAL: Final = frozenset({WholeNumber, Fraction, Real})
_CONTAINERS: Final = (tuple, list, frozenset, set, dict)
_BASES: Final = (*_CONTAINERS, int, float, str, bytes)
"""Types of which somebody's own may be subclasses, with attributes beside the value."""


def canonical(value: Any) -> Any:
    """A value in the form that all that equal it have: whole numbers as ints, sets built in one order, at any depth.

    Raises `InputError` for NaN, and for a set whose elements have no order that is the same in every process.
    """
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if kind in _RATIONAL:
        return int(value) if value.denominator == 1 else value
    if kind is tuple:
        if _AS_THEY_ARE.issuperset(map(type, value)):
            return value
        parts = tuple(map(canonical, value))
        return value if all(map(is_, parts, value)) else parts
    return _Forming().form(value) if _is_to_be_formed(value) else value


def handed_on(value: Any) -> Any:
    """The canonical form as a new object, in which equal parts are one: what `run` returns. Raises as `canonical`."""
    return _Forming(anew=True).form(as_returned(value))


def _is_to_be_formed(value: Any) -> bool:
    """False for members of an Enum, classes, and what this library computes with."""
    return not isinstance(value, Enum | type) and is_for_people(type(value))


class _Forming:
    """The making of one canonical form; `anew`, of equal parts there is one, and none is the mechanism's own."""

    def __init__(self, *, anew: bool = False) -> None:
        self._anew = anew
        self._made: dict[Hashable, Any] = {}

    def form(self, value: Any) -> Any:
        """The canonical form of a value."""
        if type(value) in _RATIONAL:
            value = canonical(value)
        kind: Any = type(value)
        if kind is Real:
            return value
        if kind in _ANEW:
            return self._once((kind, value), lambda: _ANEW[kind](value)) if self._anew else value
        if not _is_to_be_formed(value):
            return value
        if kind is tuple:
            parts = tuple(map(self.form, value))
            return self._once((kind, *map(id, parts)), lambda: parts)
        if kind in (list, dict, set):
            return self._filled(kind, value)
        if kind is frozenset:
            elements = self._in_order(value)
            return self._once((kind, *map(id, elements)), lambda: frozenset(elements))
        return self._formed_object(value, kind)

    def _once(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The one object with these contents; parts that it keeps alive have the identities of the key."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def _in_order(self, elements: Any) -> list[Any]:
        """The canonical elements of a set, in the order in which it is built."""
        formed = list(map(self.form, elements))
        return formed if len(formed) < 2 else sorted_by_value(formed, "a set")

    def _filled(self, kind: Any, value: Any) -> Any:
        """A new list, set or dict, also of a subclass."""
        new = kind() if kind in (list, dict, set) else copy(value)
        new.clear()
        if isinstance(value, dict):
            for key, one in value.items():
                new[self.form(key)] = self.form(one)
        elif isinstance(value, set):
            new.update(self._in_order(value))
        else:
            new.extend(map(self.form, value))
        return new

    def _formed_object(self, value: Any, kind: Any) -> Any:
        """An object of a class of somebody's, or of Python's: what it holds is formed, its attributes in one order."""
        base = next((base for base in _BASES if isinstance(value, base)), object)
        if base not in _CONTAINERS:
            _refuse_nan(value)
        attributes = dict(state(value))
        if base is object and not attributes:
            return self._copied(value, kind) if self._anew else value
        own = vars(value) if hasattr(value, "__dict__") else {}
        try:
            new = self._without_attributes(value, kind, base)
            for name in (*(n for n in attributes if n not in own), *sorted(n for n in attributes if n in own)):
                object.__setattr__(new, name, self.form(attributes[name]))
        except (TypeError, AttributeError):  # it is not made of these alone
            if any(isinstance(part, set | frozenset) and len(part) > 1 for part in attributes.values()):
                raise InputError(
                    bad_mechanism.RETURNED, f"{shown(value)}, which holds a set whose order shows", "a tuple"
                ) from None
            return value
        return new

    def _without_attributes(self, value: Any, kind: Any, base: Any) -> Any:
        if base in (list, dict, set):
            return self._filled(kind, value)
        if base is frozenset:
            return frozenset.__new__(kind, self._in_order(value))
        if base is tuple:
            return tuple.__new__(kind, map(self.form, value))
        return object.__new__(kind) if base is object else base.__new__(kind, value)

    def _copied(self, value: Any, kind: Any) -> Any:
        """A new object of one of Python's types in C, or of a package's, such as a date or a Decimal."""
        if kind.__flags__ & _IS_OF_PYTHON_CODE or callable(value):
            return value
        try:
            return self._once((kind, repr(value)), lambda: pickle.loads(pickle.dumps(value)))
        except Exception:  # what cannot be pickled is itself alone
            return value


_IS_OF_PYTHON_CODE: Final = 1 << 9
"""Py_TPFLAGS_HEAPTYPE."""


def _refuse_nan(value: Any) -> None:
    try:
        is_itself = bool(value == value)  # noqa: PLR0124  # a NaN is what does not equal itself
    except Exception:  # an array, or an __eq__ of somebody's own: no number
        return
    if not is_itself:
        raise InputError(bad_mechanism.RETURNED, f"{shown(value)}, which does not equal itself", "None or a string")


_ANEW: Final[Mapping[type, Callable[[Any], Any]]] = {
    NoneType: lambda value: value,
    bool: lambda value: value,
    int: lambda value: value ^ 0,
    str: lambda value: f"{value} "[:-1],
    bytes: lambda value: bytes(bytearray(value)),
    Fraction: lambda value: Fraction(value.numerator, value.denominator),
}
"""Types of values that equal values of the same type in all that can be seen; and a new object of each."""


# --- The order in which a set is built


def sorted_by_value(values: Iterable[Any], what: str) -> list[Any]:
    """Values in an order that is the same in every process, and for all that equal them.

    By type, and then by value: numbers by their value, texts, and tuples, sets and dataclasses by what they hold.
    Rows that are watched are not seen to be read in their order: they come out alike for each. Raises `InputError` for
    what has no place in such an order, saying that it stands in `what`.
    """
    if type(values) is WatchedRows:
        values = in_no_order(values)
    placed = sorted(((_place(value, what), value) for value in values), key=itemgetter(0))
    for (left_place, left), (place, value) in pairwise(placed):
        if left_place == place and not (bool(left == value) and same(left, value)):
            raise _without_a_place(value, what)
    return [value for _, value in placed]


def _place(value: Any, what: str) -> tuple[Any, ...]:
    """The place of a value among others. Raises `InputError` for one of none."""
    kind: Any = type(value)
    if kind in (int, Fraction, WholeNumber):
        return "number", value, kind.__name__
    if kind in (NoneType, bool, str, bytes):
        return kind.__name__, value is not None and value
    if kind is float and value == value:  # noqa: PLR0124  # but for a NaN
        return "float", value, repr(value)
    if isinstance(value, Enum):
        return kind.__module__, kind.__qualname__, value.name
    if isinstance(value, Exact):
        return "number that is exact", str(value)
    if kind is type:
        return kind.__name__, value.__module__, value.__qualname__
    if callable(value) or kind is float:
        raise _without_a_place(value, what)
    parts = [_place(part, what) for part in value] if isinstance(value, tuple | frozenset) else []
    held = sorted(state(value))
    if not held and not isinstance(value, tuple | frozenset):
        if kind.__repr__ is object.__repr__:
            raise _without_a_place(value, what)
        return kind.__module__, kind.__qualname__, repr(value)
    places = tuple(sorted(parts) if isinstance(value, frozenset) else parts)
    return kind.__module__, kind.__qualname__, places, tuple([(name, _place(part, what)) for name, part in held])


def _without_a_place(value: Any, what: str) -> InputError:
    return InputError(bad_mechanism.NO_ORDER, shown(value), what)
