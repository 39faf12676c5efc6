"""Whole numbers as mechanisms are given them: ints of which a quotient is exact.

In Python 2 / 1 is the float 2.0, and a float is not the number that one means. What a mechanism is given as a
parameter is a `WholeNumber`, so that `2 / eps` is a Fraction, whatever the parameter is called.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import wraps
from numbers import Integral
from typing import Any, Final


def _kept(operation: Callable[..., Any]) -> Any:
    """An operation of ints whose result, where it is an int, is a `WholeNumber` again."""

    @wraps(operation)
    def keeping(*operands: Any) -> Any:
        result = operation(*operands)
        return WholeNumber(result) if type(result) is int else result

    return keeping


class WholeNumber(int):
    """An int in all but two things: its quotients, and powers with a negative exponent, are Fractions and not floats.

    What is computed from it and whole numbers is one, too: with eps=1, 1 / (2 * eps) is Fraction(1, 2). It equals the
    plain int, hashes and reads as it does, and stands for it in `range`, as an index and as an outcome.
    """

    __slots__ = ()

    def __truediv__(self, other: object) -> Any:
        if isinstance(other, int) or isinstance(other, Integral):  # noqa: SIM101  # the second, of numpy's, is slow
            return Fraction(self, int(other))
        return int.__truediv__(self, other)  # type: ignore[operator]  # which returns NotImplemented for it

    def __rtruediv__(self, other: object) -> Any:
        return Fraction(other, self) if isinstance(other, int) else int.__rtruediv__(self, other)  # type: ignore[operator]  # which says so

    def __pow__(self, exponent: Any, modulus: Any = None) -> Any:
        if modulus is None and isinstance(exponent, int) and exponent < 0:
            return Fraction(self) ** int(exponent)
        return _power(self, exponent, modulus)

    def __rpow__(self, base: Any, modulus: Any = None) -> Any:
        if modulus is None and isinstance(base, int) and self < 0:
            return Fraction(base) ** int(self)
        return _power_of(self, base, modulus)

    __add__ = __radd__ = _kept(int.__add__)
    __mul__ = __rmul__ = _kept(int.__mul__)
    __sub__, __rsub__ = _kept(int.__sub__), _kept(int.__rsub__)
    __floordiv__, __rfloordiv__ = _kept(int.__floordiv__), _kept(int.__rfloordiv__)
    __mod__, __rmod__ = _kept(int.__mod__), _kept(int.__rmod__)
    __lshift__, __rlshift__ = _kept(int.__lshift__), _kept(int.__rlshift__)
    __rshift__, __rrshift__ = _kept(int.__rshift__), _kept(int.__rrshift__)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    __neg__, __pos__, __abs__ = _kept(int.__neg__), _kept(int.__pos__), _kept(int.__abs__)
    __round__, __floor__, __ceil__ = _kept(int.__round__), _kept(int.__floor__), _kept(int.__ceil__)


WHOLE: Final = frozenset({int, WholeNumber})
"""The types of whole numbers; bool is none."""

_power = _kept(int.__pow__)
_power_of = _kept(int.__rpow__)


def whole_number(value: object) -> int | None:
    """The int that a whole number is, also one of numpy's; None for anything else, a bool too."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        return None
    return int(value)


def as_given(value: Any) -> Any:
    """A parameter as a mechanism is given it: an int as a `WholeNumber`, anything else, a bool too, as it is."""
    return WholeNumber(value) if type(value) is int else value


def plain(value: Any) -> Any:
    """A value as it is shown: a `WholeNumber` as the int that it equals, anything else as it is."""
    return int(value) if type(value) is WholeNumber else value
