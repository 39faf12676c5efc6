"""The number that an expression of noises is, once they are drawn: exactly, or as a ball that shrinks.

Expressions of whole noise alone are computed exactly. Others are balls, around the noises as far as they are revealed;
where a ball leaves open what is asked, more is revealed.

Needed by `run`: docs/writing-mechanisms.md.
"""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import floor
from operator import add, mul, neg, sub
from typing import Any, Final, TypeVar

from flint import arb, ctx

from dpverify.mechanisms.comparing.revealed import GUARD, UniformNumber
from dpverify.mechanisms.numbers import elementary
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.errors import InputError, Undecided, bad_mechanism, not_known
from dpverify.mechanisms.numbers.exact_numbers import (
    Exact,
    as_parameter,
    exact,
    inverse,
    power,
    product,
    total,
)
from dpverify.mechanisms.path_conditions.expressions import Applied, Linear, Node, Plain
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable

_Noise = Callable[[NoiseVariable], int | UniformNumber]
"""A noise: a whole number, or the uniform number whose quantile it is."""

_MOST_BITS: Final = 1 << 15
"""Bits of a noise from which on what is asked is taken to lie on the edge between two answers."""

_Found = TypeVar("_Found")


def exact_value(node: Node, noise: Callable[[NoiseVariable], int]) -> Exact:
    """The number itself, of an expression of whole noise. Raises `ZeroDivisionError` and `InputError` as numbers do."""
    if isinstance(node, Plain):
        return node.number
    if isinstance(node, Linear):
        return total((node.shift, *(product((c, exact(noise(variable)))) for variable, c in node.parts)))
    return _exactly(node, [exact_value(operand, noise) for operand in node.operands])


_PLAINLY: Final[Mapping[str, Callable[..., Any]]] = {"+": add, "-": sub, "*": mul, "negative": neg, "abs": abs}
"""Operators that exact numbers and balls have by themselves."""


def _exactly(node: Applied, operands: list[Exact]) -> Exact:  # a case an operator
    first = operands[0]
    match node.operator:
        case "+" | "-" | "*" | "negative" | "abs" as plain:
            return exact(_PLAINLY[plain](*operands))
        case "/":
            if operands[1] == 0:
                raise ZeroDivisionError("division by zero")
            return first * inverse(operands[1])
        case "**":
            return _power(first, operands[1])
        case "floor":
            return exact(floor(first))
        case "round":
            return exact(_rounded(first, int(_rational(operands[1]) or 0)))
        case "sqrt":
            return elementary.sqrt(first)
        case "exp":
            return elementary.exp(first)
        case "log":
            return elementary.log(first)


def _rational(number: Exact) -> Fraction | None:
    result = as_parameter(number)
    return result if isinstance(result, Fraction) else None


def _power(base: Exact, exponent: Exact) -> Exact:
    whole = _rational(exponent)
    if whole is not None and whole.denominator == 1:
        if whole < 0 and base == 0:
            raise ZeroDivisionError("0 to a negative power")
        return power(base, int(whole))
    return elementary.exp(exponent * elementary.log(base))


def _rounded(number: Exact, digits: int) -> Fraction:
    """As Python rounds a Fraction: halves to the even side."""
    rational = _rational(number)
    if rational is not None:
        return Fraction(round(rational, digits))
    grid = Fraction(10) ** digits
    return floor(number * grid + Fraction(1, 2)) / grid


class _Open(Exception):
    """A ball is too large for an operator."""


def revealed(
    node: Node, variables: Iterable[NoiseVariable], noise: _Noise, told: Callable[[arb], _Found | None]
) -> _Found:
    """The value of `told` on a ball around the number, of noise that is revealed as far as that takes.

    Raises `ValueError` and `ZeroDivisionError` as numbers do, and `Undecided` where no ball is small enough.
    """
    known = [noise(variable) for variable in variables]
    uniform = [number for number in known if isinstance(number, UniformNumber)]
    while True:
        precision = GUARD + max(number.bits for number in uniform)
        with ctx.workprec(precision):
            try:
                result = told(_ball(node, noise, precision))
            except _Open:
                result = None
        if result is not None:
            return result
        if precision > _MOST_BITS:
            raise Undecided(
                not_known.SIGN_UNKNOWN, "what was computed from noise is too near the edge between two answers"
            )
        for number in uniform:
            number.reveal()


def _ball(node: Node, noise: _Noise, precision: int) -> arb:
    if isinstance(node, Plain):
        return enclosure(node.number, precision)
    if isinstance(node, Linear):
        ball = enclosure(node.shift, precision)
        for variable, coefficient in node.parts:
            drawn = noise(variable)
            value = arb(drawn) if isinstance(drawn, int) else variable.law.quantile(drawn.ball(), precision)
            if value is None:
                raise _Open
            ball += enclosure(coefficient, precision) * value
        return ball
    return _applied(node, [_ball(operand, noise, precision) for operand in node.operands])


def _applied(node: Applied, operands: list[arb]) -> arb:  # a case an operator
    first = operands[0]
    match node.operator:
        case "+" | "-" | "*" | "negative" | "abs" as plain:
            return arb(_PLAINLY[plain](*operands))
        case "/":
            if operands[1].contains(0):
                raise _Open
            return first / operands[1]
        case "**":
            return _power_of_balls(node, first, operands[1])
        case "floor":
            return arb(_whole(first))
        case "round":
            return _nearest(first, operands[1])
        case "sqrt":
            return _within_domain(first, first < 0, first >= 0).sqrt()
        case "exp":
            return first.exp()
        case "log":
            return _within_domain(first, first <= 0, first > 0).log()


def _within_domain(ball: arb, is_outside: bool, is_inside: bool) -> arb:
    if is_outside:
        raise ValueError("math domain error")
    if not is_inside:
        raise _Open
    return ball


def _power_of_balls(node: Applied, base: arb, exponent: arb) -> arb:
    given = node.operands[1]
    if isinstance(given, Plain):
        whole = _rational(given.number)
        if whole is not None and whole.denominator == 1:
            if whole < 0 and base.contains(0):
                raise _Open
            return base ** int(whole)
    return (exponent * _within_domain(base, base <= 0, base > 0).log()).exp()


def _whole(ball: arb) -> int:
    whole = ball.floor().unique_fmpz()
    if whole is None:
        raise _Open
    return int(whole)


def _nearest(ball: arb, digits: arb) -> arb:
    places = digits.unique_fmpz()
    if places is None:
        raise InputError(bad_mechanism.ROUNDED_DIGITS, "of unknown number")
    grid = arb(10) ** int(places)
    return arb(_whole(ball * grid + arb(0.5))) / grid
