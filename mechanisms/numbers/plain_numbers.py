"""Numbers as users write them, as fractions: ints, Fractions, decimals and text; floats are refused.

A float is not the number that one means: 0.1 is not 1/10. Where source is read, its literals are `Real` numbers.
"""

import re
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from numbers import Integral
from typing import Any, Final

from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.errors import InputError, bad_input, bad_mechanism
from dpverify.mechanisms.numbers.shown import cut, shown

LARGEST_EXPONENT: Final = 100_000
"""Of 10, in a decimal string: a number with more digits than that is a slip, and would take all memory."""


def plain_number(value: object, name: str = "") -> int | Fraction | None:
    """The number that an int, another whole number or a Fraction is, None for any other type, text too.

    Raises `InputError`, naming the argument `name`, for a float or a bool.
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, bool):
        raise InputError(reasons.TRUTH_VALUE.text(value=_named(value, name), number=int(value)))
    if isinstance(value, int) or isinstance(value, Integral):  # noqa: SIM101  # the first is fast, the second is not
        return int(value)
    if isinstance(value, float):
        raise InputError(reasons.FLOAT_USED.text(value=_named(value, name), number=_in_place_of(float(value))))
    return None


class NotKnownYet:
    """A number that depends on noise, of which functions are known once it is drawn.

    What it gives is up to noise, which lies above this package: each method is defined there.
    """

    __slots__ = ()

    def sqrt(self) -> Any:
        """Its square root."""
        raise NotImplementedError

    def exp(self) -> Any:
        """The number e to this power."""
        raise NotImplementedError

    def log(self) -> Any:
        """Its natural logarithm."""
        raise NotImplementedError


def number_in_text(value: object, name: str = "") -> Fraction:
    """The number that a Decimal or a text such as "0.5", "1e-6" or "1/3" denotes.

    Raises `InputError`, naming the argument `name`, for anything that is not a finite number.
    """
    if not isinstance(value, str | Decimal):
        what_follows = getattr(type(value), "what_follows", None)
        if isinstance(what_follows, str):  # of noise
            raise InputError(bad_mechanism.RELEASED_ALREADY, _named(value, name), "draw with known numbers")
        raise InputError(bad_input.EXACT, _named(value, name))
    try:
        return _fraction_of(value)
    except InputError:
        raise
    except (ValueError, OverflowError, ZeroDivisionError):
        hint = 'write, for example, "0.1" or "1e-6"'
        if isinstance(value, str) and "(" in value:
            hint = f"write {cut(value.strip())} without quotes, with exp, log or sqrt of dpverify.mechanisms"
        if isinstance(value, str) and value.strip() == "symbolic":
            hint = "write symbolic without quotes, which dpverify.mechanisms has"
        raise InputError(reasons.TEXT_IS_NO_NUMBER.text(value=_named(value, name), number=hint)) from None


def _fraction_of(value: str | Decimal) -> Fraction:
    _, _, exponent = str(value).lower().partition("e")
    if exponent and abs(int(exponent)) > LARGEST_EXPONENT:
        raise InputError(
            bad_input.BEYOND, f"the exponent of {cut(str(value))}", f"{LARGEST_EXPONENT:,}", "use exp and log"
        )
    return Fraction(value)


def _named(value: object, name: str) -> str:
    return f"{name}={shown(value)}" if name else shown(value)


def refuse_written_float(value: object, name: str) -> None:
    """Raises `InputError` for a float that somebody wrote as an argument, and says what to write instead."""
    if isinstance(value, float):
        number = _in_place_of(float(value))
        raise InputError(reasons.FLOAT_ARGUMENT.text(value=_named(value, name), number=number))


def _in_place_of(value: float) -> str:
    """The text or the fraction to write in place of a float: the float itself decides nothing."""
    if not isfinite(value):
        return 'a number such as "0.1"'
    if value.is_integer() and abs(value) < _READABLE:
        return str(int(value))
    text = _EXPONENT.sub(r"e\1\2", repr(value)).replace("e+", "e")
    simple = Fraction(text) if len(text) <= 10 else Fraction(value).limit_denominator(1000)
    fraction = f"Fraction({simple.numerator}, {simple.denominator})"
    if len(text) <= 10:
        is_short = max(abs(simple.numerator), simple.denominator) <= _READABLE
        return f'"{text}" or {fraction}' if is_short else f'"{text}"'
    if float(simple) == value:
        return fraction
    return 'it as text, such as "0.1", as a Fraction, or with exp, log and sqrt of dpverify.mechanisms'


_READABLE: Final = 1_000_000
"""Numbers that are longer are written with an exponent."""

_EXPONENT: Final = re.compile(r"e([+-])0*(\d)")


# --- The number that a float stands for


class Real(Fraction):
    """The rational number that a float stands for in source that was read: 0.5 is one half, and 1 / 3 a third.

    What is computed from it is one, too. It is formatted as the float nearest to it. Its text without a format is
    that of the fraction for this library alone. Beside a float it is a float. Raises `InputError` for such a text
    elsewhere, and for `is_integer`.
    """

    __slots__ = ()

    def __round__(self, digits: int | None = None) -> Any:
        result = Fraction.__round__(self, digits)
        return result if digits is None else Real(result)

    def __reduce__(self) -> tuple[Any, ...]:
        return Real, (self.numerator, self.denominator)

    def __format__(self, form: str) -> str:
        return format(float(self), form) if form else self._text("a text without a format")

    def __str__(self) -> str:
        return self._text("a text without a format")

    def __repr__(self) -> str:
        return self._text("a text without a format")

    def is_integer(self) -> bool:
        """Refused, as is `as_integer_ratio`: a float tells by them how it is rounded."""
        raise InputError(bad_mechanism.OF_A_FLOAT, "is_integer")

    def as_integer_ratio(self) -> tuple[int, int]:
        """See `is_integer`."""
        raise InputError(bad_mechanism.OF_A_FLOAT, "as_integer_ratio")

    def _text(self, what: str) -> str:
        if not is_asked_by_library():
            raise InputError(bad_mechanism.OF_A_FLOAT, what)
        return str(Fraction(self.numerator, self.denominator))


def is_asked_by_library() -> bool:
    """True where the method that asks a method that asks this is called by this library, for a message or a page."""
    asking = str(sys._getframe(3).f_globals.get("__name__"))
    return asking.startswith("dpverify.") and asking != "dpverify.mechanisms.language.guards"


_RATIONAL: Final = frozenset({int, Fraction})


def _operation(name: str) -> Callable[..., Any]:
    """An operation of fractions whose rational result is a `Real` again; beside a float it is that of floats."""
    of_fractions: Callable[..., Any] = getattr(Fraction, name)
    of_floats: Callable[..., Any] = getattr(float, name)

    def computed(self: Real, *others: Any) -> Any:
        if others and isinstance(others[0], float):
            return of_floats(float(self), *others)
        result = of_fractions(self, *others)
        return Real(result) if type(result) in _RATIONAL else result

    return computed


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod"):
    setattr(Real, f"__{_name}__", _operation(f"__{_name}__"))
    setattr(Real, f"__r{_name}__", _operation(f"__r{_name}__"))
for _name in ("neg", "pos", "abs", "pow", "eq", "lt", "le", "gt", "ge"):
    setattr(Real, f"__{_name}__", _operation(f"__{_name}__"))
