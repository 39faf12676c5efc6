"""Quotients of quotients of sums, against an algebra of their own: quotients of polynomials with rational coefficients.

e is transcendental, so that two quotients of polynomials in z = e^(-1) are equal exactly where they are the same; and so
are those in e^(-ε) for a symbolic ε. With z = √2, which is a root of z² − 2, they are numbers a + b·√2.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import zip_longest
from typing import NamedTuple

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.examples import few

from dpverify.mechanisms import Exact, bounds, exact, exp, log, sqrt
from dpverify.mechanisms.numbers.exact_numbers import as_parameter, total
from dpverify.mechanisms.numbers.polynomial_form import is_formally_zero, rational_value, reduced_fraction
from dpverify.mechanisms.numbers.simplification import simplified

Poly = tuple[Fraction, ...]
"""By rising degree; the last coefficient is not 0."""


def trimmed(coefficients: list[Fraction]) -> Poly:
    while coefficients and coefficients[-1] == 0:
        coefficients.pop()
    return tuple(coefficients)


def plus(p: Poly, q: Poly) -> Poly:
    return trimmed([a + b for a, b in zip_longest(p, q, fillvalue=Fraction(0))])


def times(p: Poly, q: Poly) -> Poly:
    found = [Fraction(0)] * max(0, len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            found[i + j] += a * b
    return trimmed(found)


class Quotient(NamedTuple):
    """above/below, in no lowest terms."""

    above: Poly
    below: Poly

    def plus(self, other: Quotient) -> Quotient:
        above = plus(times(self.above, other.below), times(other.above, self.below))
        return Quotient(above, times(self.below, other.below))

    def times(self, other: Quotient) -> Quotient:
        return Quotient(times(self.above, other.above), times(self.below, other.below))

    def inverse(self) -> Quotient:
        return Quotient(self.below, self.above)

    def is_the_same(self, other: Quotient) -> bool:
        return times(self.above, other.below) == times(other.above, self.below)


class Both(NamedTuple):
    """One expression in two algebras."""

    number: Exact
    quotient: Quotient


@st.composite
def expressions(draw: st.DrawFn, z: Exact, depth: int) -> Both:
    """Sums, products and quotients of such, with small polynomials in z at the leaves."""
    operation = draw(st.sampled_from("+*//")) if depth else ""
    if not operation:
        p = trimmed([Fraction(c) for c in draw(st.lists(st.integers(-2, 2), min_size=1, max_size=3))])
        return Both(total(exact(c) * z**k for k, c in enumerate(p)), Quotient(p, (Fraction(1),)))
    a, b = draw(expressions(z, depth - 1)), draw(expressions(z, depth - 1))
    if operation == "+":
        return Both(a.number + b.number, a.quotient.plus(b.quotient))
    if operation == "*" or not b.quotient.above:
        return Both(a.number * b.number, a.quotient.times(b.quotient))
    return Both(a.number / b.number, a.quotient.times(b.quotient.inverse()))


E_INVERSE = exp(-1)
WITH_E = expressions(E_INVERSE, 3)


def value(quotient: Quotient, z: Decimal) -> Decimal:
    above, below = (
        sum((Decimal(c.numerator) / c.denominator * z**k for k, c in enumerate(p)), Decimal(0)) for p in quotient
    )
    return above / below


@few(6, deep=120)
@given(WITH_E, WITH_E, st.integers(1, 3))
def test_quotients_of_quotients_tie_where_they_are_the_same(a: Both, b: Both, power: int) -> None:
    assert (a.number == b.number) == a.quotient.is_the_same(b.quotient)
    assert is_formally_zero(a.number) == (not a.quotient.above)
    other = b.number + E_INVERSE**power
    if other != 0:
        again = (a.number * b.number + a.number * E_INVERSE**power) / other
        assert is_formally_zero(again - a.number)
        assert again == a.number
        assert again + E_INVERSE**power / 10**9 != a.number


@few(6, deep=120)
@given(WITH_E, WITH_E)
def test_their_order_is_that_of_their_decimals(a: Both, b: Both) -> None:
    assume(not a.quotient.is_the_same(b.quotient))
    with localcontext() as context:
        context.prec = 60
        z = Decimal(-1).exp()
        assert (a.number < b.number) == (value(a.quotient, z) < value(b.quotient, z))


@given(WITH_E)
def test_powers_of_e_of_them(a: Both) -> None:
    """Which have a closed form for some of them alone."""
    with localcontext() as context:
        context.prec = 60
        expected = value(a.quotient, Decimal(-1).exp())
        assume(abs(expected) < 100)
        lower, upper = (Decimal(end.numerator) / end.denominator for end in bounds(exp(a.number)))
        assert lower * (1 - Decimal("1e-30")) <= expected.exp() <= upper * (1 + Decimal("1e-30"))


@given(WITH_E)
def test_which_of_them_are_rational(a: Both) -> None:
    above, below = a.quotient
    ratio = Fraction(0) if not above else above[-1] / below[-1]
    is_rational = above == trimmed([ratio * c for c in below])
    found = rational_value(a.number)
    assert (found is not None) == is_rational
    assert not is_rational or (a.number == ratio and as_parameter(a.number) == ratio)


@few(6, deep=120)
@given(WITH_E)
def test_simplified_they_are_the_same_numbers(a: Both) -> None:
    assert is_formally_zero(simplified(a.number) - a.number)
    assert simplified(a.number) == a.number


@given(expressions(sqrt(2), 2), expressions(sqrt(2), 2))
def test_quotients_with_a_root(a: Both, b: Both) -> None:
    """√2 is no variable of its own: even powers of it are rational."""

    def parts(p: Poly) -> tuple[Fraction, Fraction]:
        even = sum((c * 2 ** (k // 2) for k, c in enumerate(p) if k % 2 == 0), Fraction(0))
        return even, sum((c * 2 ** (k // 2) for k, c in enumerate(p) if k % 2), Fraction(0))

    assume(any(parts(a.quotient.below)) and any(parts(b.quotient.below)))
    crossed = plus(
        times(a.quotient.above, b.quotient.below), trimmed([-c for c in times(b.quotient.above, a.quotient.below)])
    )
    assert (a.number == b.number) == (not any(parts(crossed)))


LN2 = log(2)


@given(expressions(LN2, 2), expressions(LN2, 2))
def test_quotients_with_a_logarithm(a: Both, b: Both) -> None:
    """ln 2 is transcendental, too."""
    assert (a.number == b.number) == a.quotient.is_the_same(b.quotient)
    assert simplified(a.number) == a.number


@few(6, deep=120)
@given(WITH_E, WITH_E)
def test_the_key_of_a_quotient_is_that_of_equal_ones_alone(a: Both, b: Both) -> None:
    same = a.quotient.is_the_same(b.quotient)
    assert (reduced_fraction(a.number) == reduced_fraction(b.number)) == same
    if b.quotient.above:
        assert reduced_fraction(a.number * b.number / b.number) == reduced_fraction(a.number)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_negative_powers_of_quotients(k: int) -> None:
    z = E_INVERSE
    inner = (1 + z) / (1 - z)
    outer = inner + 1 / (2 + inner)
    by_hand = ((1 + z) * (3 - z) + (1 - z) ** 2) / ((1 - z) * (3 - z))
    assert outer ** (-k) == by_hand ** (-k) == 1 / by_hand**k
    assert is_formally_zero(outer ** (-k) * by_hand**k - 1)
