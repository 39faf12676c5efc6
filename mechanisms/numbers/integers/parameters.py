"""Checks of the parameters that mechanisms share."""

from fractions import Fraction

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, as_parameter, exact
from dpverify.mechanisms.numbers.exact_text import at_a_glance
from dpverify.mechanisms.numbers.integers.sealed import AnyParameter
from dpverify.mechanisms.numbers.integers.unknown_numbers import UnknownNumber
from dpverify.mechanisms.numbers.integers.whole_numbers import WHOLE, whole_number
from dpverify.mechanisms.numbers.shown import shown


def positive(value: ExactLike, name: str) -> Exact:
    """`value` as an exact number. Raises `InputError`, naming it, unless it is greater than 0."""
    number = exact(value, name)
    if not number > 0:
        raise InputError(bad_input.RANGE, f"{name}={at_a_glance(number)}", "greater than 0")
    return number


def whole(value: int, name: str, least: int) -> int:
    """`value`. Raises `InputError`, naming it, unless it is a whole number ≥ `least`."""
    if issubclass(type(value), AnyParameter):
        return value
    if isinstance(value, UnknownNumber) and value.kind is not Fraction and value >= least:
        return value  # a number of rows that is not known
    number = value if type(value) in WHOLE else whole_number(value)
    if number is None or number < least:
        raise InputError(bad_input.NOT_WHOLE, f"{name}={shown(value)}", f" ≥ {least}")
    return number


def share(value: ExactLike, name: str) -> Exact:
    """`value` as an exact number. Raises `InputError`, naming it, unless 0 < value ≤ 1."""
    if issubclass(type(value), AnyParameter):
        return value  # type: ignore[return-value]  # which stands for one
    number = positive(value, name)
    if number > 1:
        raise InputError(bad_input.RANGE, f"{name}={at_a_glance(number)}", "at most 1")
    return number


def open_unit(value: ExactLike, name: str) -> Exact:
    """`value` as an exact number. Raises `InputError`, naming it, unless 0 < value < 1."""
    number = positive(value, name)
    if not number < 1:
        raise InputError(bad_input.RANGE, f"{name}={at_a_glance(number)}", "less than 1")
    return number


def rational_parameter(value: ExactLike, name: str) -> Fraction:
    """`value` as a fraction. Raises `InputError`, naming it, unless it is rational."""
    if issubclass(type(value), AnyParameter):
        return value  # type: ignore[return-value]  # which stands for one
    number = as_parameter(exact(value, name))
    if not isinstance(number, Fraction):
        raise InputError(bad_input.RATIONAL, f"{name}={at_a_glance(number)}")
    return number
