"""Solving where e^ε is transcendental: polynomials in E = e^ε with whole coefficients.

Nothing in the field Q(e^ε) is 0 but what is 0 as a quotient of polynomials. Rows are multiplied through until they are
polynomials; a polynomial is 0 only if its coefficients are, and else enough digits of e^ε tell its sign.

Systems over Z[E] are solved over the rationals: at E = 2^M every number is whole, and for an M larger than the length
of any coefficient of a determinant (by the product of the rows' sums), its binary digits are the coefficients.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm

from flint import arb, ctx, fmpq, fmpz, fmpz_poly

from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.exact_numbers import Exact, as_parameter, exact, power, product, rational, total
from dpverify.mechanisms.numbers.polynomial_form import logarithmic_form
from dpverify.verifiers.optimal.elimination import Factors
from dpverify.verifiers.optimal.program import Coefficient, Program, RightSide
from dpverify.verifiers.optimal.rings import (
    Element,
    Integers,
    Ring,
    RingNumber,
    System,
    WholeProgram,
    WholeRow,
    growth_of,
)


class PolynomialRing(Ring):
    """For a transcendental e^ε."""

    zero, one = fmpz_poly([]), fmpz_poly([1])

    def __init__(self, growth: Exact) -> None:
        self._growth = growth

    def sign(self, element: fmpz_poly) -> int:
        coefficients = element.coeffs()
        if not coefficients:
            return 0
        if all(c >= 0 for c in coefficients):
            return 1
        if all(c <= 0 for c in coefficients):
            return -1
        precision = 128
        while True:
            ball = self._value(coefficients, precision)
            if ball > 0:
                return 1
            if ball < 0:
                return -1
            precision *= 2  # which ends: e^ε is transcendental, so the number is not 0

    def _value(self, coefficients: Sequence[fmpz], precision: int) -> arb:
        growth = enclosure(self._growth, precision)
        with ctx.workprec(precision):
            ball = arb(0)
            for c in reversed(coefficients):
                ball = ball * growth + arb(c)
            return ball

    def norm(self, elements: Iterable[fmpz_poly]) -> int:
        return sum(map(_norm, elements))

    def system(self, rows: Sequence[Mapping[int, Element]], norm: int) -> System:
        most = fmpz(max(1, norm))
        for row in rows:
            most *= max(1, sum(map(_norm, row.values())))
        bits = most.bit_length() + 2
        at = fmpz(1) << bits
        factors = Factors([{j: fmpq(value(at)) for j, value in row.items()} for row in rows])
        return _PolynomialSystem(self, factors, factors.determinant, bits)

    def quotient(self, above: fmpz_poly, below: fmpz_poly) -> RingNumber:
        common = above.gcd(below)
        above, below = above // common, below // common
        if below.degree() == 0 and above.degree() <= 0:
            return Fraction(int(above[0]), int(below[0]))
        return exact(self.number(above)) / exact(self.number(below))

    def without_common_factor(self, elements: Sequence[fmpz_poly]) -> list[fmpz_poly]:
        common = fmpz_poly([])
        for element in elements:
            common = common.gcd(element)
        if not common:
            return list(elements)
        if self.sign(common) < 0:
            common = -common
        return [element // common for element in elements]

    def whole(self, value: Fraction) -> fmpz_poly:
        return fmpz_poly([int(value)])

    def number(self, element: fmpz_poly) -> RingNumber:
        terms = [product((rational(fmpq(c)), power(self._growth, i))) for i, c in enumerate(element.coeffs()) if c]
        return as_parameter(total(terms))

    def program(self, given: Program) -> WholeProgram:
        rows = []
        for row in given.rows:
            entries, right, scale = _polynomials(row.entries, row.right)
            rows.append(WholeRow(entries, right, row.is_equality, scale))
        objective, _, scale = _polynomials(given.objective, ())
        numbers = [*objective.values(), *(n for row in rows for n in (*row.entries.values(), row.right))]
        return WholeProgram(given.columns, rows, objective, scale, self.norm(numbers))


def _polynomials(
    entries: Mapping[int, Coefficient], right: RightSide
) -> tuple[dict[int, fmpz_poly], fmpz_poly, Fraction]:
    scale = lcm(*(c.denominator for c, _ in entries.values()), *(c.denominator for c in right))
    whole = {j: _monomial(int(c * scale), d) for j, (c, d) in entries.items() if c}
    return whole, fmpz_poly([int(c * scale) for c in right]), Fraction(scale)


@lru_cache(maxsize=4096)
def _monomial(c: int, d: int) -> fmpz_poly:
    return fmpz_poly([0] * d + [c])


def _norm(element: fmpz_poly) -> int:
    return int(sum((abs(c) for c in element.coeffs()), start=fmpz(0)))


@dataclass(frozen=True)
class _PolynomialSystem(System):
    """By Cramer's rule a solution is one determinant over another: both are polynomials, read off at 2^bits."""

    ring: PolynomialRing
    factors: Factors
    determinant: fmpq
    bits: int

    def solved(self, right: Mapping[int, fmpz_poly]) -> tuple[list[fmpz_poly], fmpz_poly]:
        return self._read(self.factors.solved(self._at(right)))

    def solved_transposed(self, cost: Mapping[int, fmpz_poly]) -> tuple[list[fmpz_poly], fmpz_poly]:
        return self._read(self.factors.solved_transposed(self._at(cost)))

    def _at(self, right: Mapping[int, fmpz_poly]) -> dict[int, fmpq]:
        at = fmpz(1) << self.bits
        return {i: fmpq(value(at)) for i, value in right.items()}

    def _read(self, values: Sequence[fmpq]) -> tuple[list[fmpz_poly], fmpz_poly]:
        above = [self._digits(value * self.determinant) for value in values]
        below = self._digits(self.determinant)
        return ([-one for one in above], -below) if self.ring.sign(below) < 0 else (above, below)

    def _digits(self, value: fmpq) -> fmpz_poly:
        """The polynomial with this value at 2^bits, whose coefficients are smaller than half of that."""
        assert value.q == 1, "by Cramer's rule it is a determinant, of whole numbers"
        left, result, half, mask = int(value.p), [], 1 << (self.bits - 1), (1 << self.bits) - 1
        while left:
            digit = left & mask
            if digit >= half:
                digit -= 1 << self.bits
            result.append(digit)
            left = (left - digit) >> self.bits
        return fmpz_poly(result)


def is_transcendental(epsilon: Exact) -> bool:
    """True where e^ε is certain to be: ε = a + Σ r·ln p with rational r and a ≠ 0 (Lindemann)."""
    form = logarithmic_form(epsilon)
    return form is not None and bool(form[0])


def ring_for(epsilon: Exact) -> Ring | None:
    """The ring in which a program can be solved; None where e^ε is neither rational nor known to be transcendental."""
    growth = growth_of(epsilon)
    if isinstance(growth, Fraction):
        return Integers(growth)
    return PolynomialRing(growth) if is_transcendental(epsilon) else None
