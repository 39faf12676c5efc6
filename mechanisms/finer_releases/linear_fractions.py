"""Quotients of sums of noises: where such a number is compared with another one, two sums are compared with 0."""

from collections.abc import Callable

from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, inverse
from dpverify.mechanisms.path_conditions.expressions import Linear, Node, Plain

Fraction = tuple[Linear, Linear]
"""A sum of noises, and what it is divided by."""

_ONE = Linear((), ONE)


def linear_fraction(node: Node) -> Fraction | None:
    """The expression as one sum of noises over another; None where it is none."""
    if isinstance(node, Plain):
        return Linear((), node.number), _ONE
    if isinstance(node, Linear):
        return node, _ONE
    operands = [linear_fraction(operand) for operand in node.operands]
    if any(operand is None for operand in operands):
        return None
    results = [operand for operand in operands if operand is not None]
    return _COMBINED[node.operator](*results) if node.operator in _COMBINED else None


def _quotient(above: Fraction, below: Fraction) -> Fraction | None:
    if not below[1].parts:  # (a / b) / (c / number)
        if not above[1].parts:
            return _scaled(above[0], below[1].shift * inverse(above[1].shift)), below[0]
        if not below[0].parts and below[0].shift != 0:
            return _scaled(above[0], below[1].shift * inverse(below[0].shift)), above[1]
    return None


def _product(left: Fraction, right: Fraction) -> Fraction | None:
    for one, other in ((left, right), (right, left)):
        if not one[0].parts and not one[1].parts:
            return _scaled(other[0], one[0].shift * inverse(one[1].shift)), other[1]
    return None


def _sum(left: Fraction, right: Fraction) -> Fraction | None:
    if left[1] == right[1]:
        return _plus(left[0], right[0]), left[1]
    for one, other in ((left, right), (right, left)):
        if not one[0].parts and not one[1].parts:  # a number beside a / b
            return _plus(other[0], _scaled(other[1], one[0].shift * inverse(one[1].shift))), other[1]
    return None


def _difference(left: Fraction, right: Fraction) -> Fraction | None:
    return _sum(left, _negative(right))


def _negative(number: Fraction) -> Fraction:
    return _scaled(number[0], ZERO - ONE), number[1]


_COMBINED: dict[str, Callable[..., Fraction | None]] = {
    "/": _quotient,
    "*": _product,
    "+": _sum,
    "-": _difference,
    "negative": _negative,
}


def _scaled(linear: Linear, factor: Exact) -> Linear:
    if factor == 0:
        return Linear((), ZERO)
    return Linear(tuple((variable, factor * c) for variable, c in linear.parts), factor * linear.shift)


def _plus(left: Linear, right: Linear) -> Linear:
    result = dict(left.parts)
    for variable, c in right.parts:
        result[variable] = result.get(variable, ZERO) + c
    return Linear(tuple((variable, c) for variable, c in result.items() if c != 0), left.shift + right.shift)
