"""Arithmetic of real numbers in the place of floats: `/`, `**`, `float` and math's functions."""

import math
import statistics
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.numbers import elementary
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import Exact, as_parameter
from dpverify.mechanisms.numbers.plain_numbers import NotKnownYet, Real


def real(number: Any) -> Any:
    """The number as a float stands for it: a `Real` where it is an int or a fraction, and itself elsewhere."""
    if isinstance(number, int | Fraction):
        return number if type(number) is Real else Real(number.numerator, number.denominator)
    if isinstance(number, Exact):
        rational = as_parameter(number)
        return Real(rational) if isinstance(rational, Fraction) else number
    return number


def real_quotient(above: Any, below: Any) -> Any:
    """above / below, which is exact where both are ints or fractions; of a Fraction it is a Fraction, as in Python."""
    # by type: of what is not known a class may not be asked
    are_ints = issubclass(type(above), int) and issubclass(type(below), int)
    return Real(int(above), int(below)) if are_ints else above / below


def real_power(base: Any, exponent: Any) -> Any:
    """base ** exponent: exact for numbers, also with a negative exponent or one that is not whole."""
    if not isinstance(exponent, int | Fraction | Exact) or not isinstance(base, int | Fraction | Exact):
        return base**exponent
    if isinstance(exponent, int | Fraction) and exponent.denominator == 1:
        whole = exponent.numerator
        if isinstance(base, int) and whole >= 0:
            return base**whole if isinstance(exponent, int) else Real(base**whole)
        return real(base) ** whole
    if isinstance(exponent, Fraction) and exponent.denominator == 2:
        return real(elementary.sqrt(base) ** exponent.numerator)
    return real(elementary.exp(exponent * elementary.log(base)))


def exp(x: Any) -> Any:
    """e^x, for math.exp."""
    return real(elementary.exp(_number(x)))


def sqrt(x: Any) -> Any:
    """The square root, for math.sqrt."""
    return real(elementary.sqrt(_number(x)))


def log(x: Any, base: Any = None) -> Any:
    """The logarithm to a base, or the natural one, for math.log."""
    natural = elementary.log(_number(x))
    return real(natural if base is None else natural / elementary.log(_number(base)))


def _number(x: Any) -> Any:
    return int(x) if isinstance(x, bool) else x


class _TypeOfFloats(type):
    """The type of what stands for `float`: float(x) is x, and to ask whether an exact number is a float is refused."""

    def __call__(cls, x: Any = 0) -> Any:
        if isinstance(x, str):
            return Real(x.strip()) if math.isfinite(float(x)) else float(x)
        if isinstance(x, float | NotKnownYet):
            return x
        return real(x) if isinstance(x, int | Fraction | Exact) else float(x)

    def __instancecheck__(cls, x: object) -> bool:
        if isinstance(x, Real | Exact | NotKnownYet):
            raise InputError(bad_mechanism.OF_A_FLOAT, "isinstance(…, float)")
        return isinstance(x, float)


class Float(metaclass=_TypeOfFloats):
    """Stands for `float` in source that is read."""


Float.__name__ = Float.__qualname__ = "float"


def _statistic(function: Callable[..., Any]) -> Callable[..., Any]:
    """A statistic of numbers, as a real number where Python's own rounds that of ints."""

    def exactly(data: Any, *args: Any, **kwargs: Any) -> Any:
        given = [Fraction(x) if isinstance(x, int) else x for x in data]
        result = function(given, *args, **kwargs)
        return list(map(real, result)) if isinstance(result, list) else real(result)

    return exactly


OF_FLOATS: Final[Mapping[Any, Any]] = {
    float: Float,
    math.exp: exp,
    math.log: log,
    math.sqrt: sqrt,
    math.log2: lambda x: log(x, 2),
    math.log10: lambda x: log(x, 10),
    math.pow: lambda base, exponent: real(real_power(base, exponent)),
    math.expm1: lambda x: exp(x) - 1,
    math.log1p: lambda x: log(1 + x),
    math.fabs: lambda x: real(abs(x)),
    math.fsum: lambda numbers: real(sum(numbers)),
    **{each: _statistic(each) for each in (statistics.mean, statistics.median, statistics.quantiles)},
    **{each: _statistic(each) for each in (statistics.pvariance, statistics.variance)},
}
"""Functions of floats, each with the exact one that stands for it."""
