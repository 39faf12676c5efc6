"""The numbers of a claim on an interval of ε as polynomials in t = ε/L and z = e^(-t), with their roots t.

Where no powers of ε differ they are polynomials in z alone: then Descartes' rule tells at once of many that they have
no root.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from flint import fmpq, fmpz_mpoly

from dpverify.mechanisms.numbers.decision import LARGEST_PRECISION
from dpverify.mechanisms.numbers.enclosure import WORKING_PRECISION, enclosure
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.roots.epsilon_polynomials import Coefficients, mixed_polynomials, mixed_roots_within
from dpverify.mechanisms.numbers.roots.epsilon_symbol import EpsilonSymbol
from dpverify.mechanisms.numbers.roots.mixed_polynomials import coefficients_beyond, polynomial_key, sign_at
from dpverify.mechanisms.numbers.roots.mixed_roots import LARGEST_DEGREE_IN_Z, MixedRoot
from dpverify.verifiers.divergence.every_epsilon.epsilon_sets import EpsilonInterval, Span, end_of, end_of_cell


class LineOfEpsilon:
    """Numbers on an interval of ε as polynomials, but for one positive factor, and what is asked of these."""

    def __init__(self, symbol: EpsilonSymbol, fineness: int, numbers: Sequence[Coefficients]) -> None:
        self._symbol: Final = symbol
        self._fineness: Final = fineness
        self.numbers: Final = mixed_polynomials(numbers, fineness)
        powers, degree = (max(int(f.degrees()[k]) for f in self.numbers) for k in (0, 1))
        self._is_in_z: Final = powers <= 0 and degree <= LARGEST_DEGREE_IN_Z
        self._degree: Final = max(degree, 0)
        # beyond[i] holds the coefficients by which Descartes' rule goes; they add up as the polynomials do
        self._beyond: Final = list(map(self._coefficients_beyond, self.numbers)) if self._is_in_z else []

    def _coefficients_beyond(self, f: fmpz_mpoly) -> list[int]:
        return coefficients_beyond(polynomial_key(f), self._degree)

    def difference(self, i: int, j: int) -> fmpz_mpoly:
        """Number i less number j."""
        return self.numbers[i] - self.numbers[j]

    def excess(self, summands: Sequence[tuple[int, int]]) -> fmpz_mpoly:
        """The sum of some differences, less the last number."""
        return sum((self.difference(i, j) for i, j in summands), -self.numbers[-1])

    def is_never_positive(self, f: fmpz_mpoly) -> bool:
        """True where it is seen at once that f > 0 for no ε: by Descartes' rule, or the signs of its coefficients."""
        coefficients = self._coefficients_beyond(f) if self._is_in_z else f.coeffs()
        return all(c <= 0 for c in coefficients)

    def exceeds_nowhere(self, i: int, j: int) -> bool:
        """True where it is seen at once that number i exceeds number j for no ε."""
        if self._is_in_z:
            return all(map(int.__le__, self._beyond[i], self._beyond[j]))
        return self.is_never_positive(self.difference(i, j))

    def roots(self, f: fmpz_mpoly) -> Sequence[MixedRoot]:
        """The roots of f ≠ 0 in the interval, in rising order."""
        return mixed_roots_within(f, self._symbol, self._fineness)

    def intervals(self, spans: Sequence[Span]) -> list[EpsilonInterval]:
        """The ε of some spans, in rising order."""
        low, high = self._symbol.low, self._symbol.high
        return [
            EpsilonInterval(
                end_of_cell(low) if first is None else end_of(first, self._fineness),
                end_of(last, self._fineness) if last is not None else None if high is None else end_of_cell(high),
            )
            for first, last in spans
        ]

    def where_positive(self, f: fmpz_mpoly) -> list[Span]:
        """The spans of the line on which f ≠ 0 is positive."""
        ends = [None, *self.roots(f), None]
        return [span for span, at in zip(pairwise(ends), self.between(ends), strict=True) if sign_at(f, at) > 0]

    def between(self, ends: Sequence[MixedRoot | None]) -> list[fmpq]:
        """A place between any two successive ends, of which None are those of the line."""
        return [self._one_between(low, high) for low, high in pairwise(ends)]

    def _one_between(self, low: MixedRoot | None, high: MixedRoot | None) -> fmpq:
        if low is not None and high is not None:  # which may take many steps to be told apart
            while not low.high < high.low:
                low.narrow()
                high.narrow()
            return (low.high + high.low) / 2
        precision = WORKING_PRECISION
        while True:
            first, last = self._ends(precision)
            left = first if low is None else low.high
            right = last if high is None else high.low
            if right is None:
                return left + 1
            if left < right:
                return (left + right) / 2
            precision = min(2 * precision, LARGEST_PRECISION)  # a root near 0 is narrowed many times
            for root in (low, high):
                if root is not None:
                    root.narrow()

    def _ends(self, precision: int) -> tuple[fmpq, fmpq | None]:
        """Places inside the line, near its ends; None where the other is not bounded."""
        low, high = self._symbol.low, self._symbol.high
        above = fmpq(0) if low is None else self._around(low, precision)[1]
        return above, None if high is None else self._around(high, precision)[0]

    def _around(self, end: Exact, precision: int) -> tuple[fmpq, fmpq]:
        ball = enclosure(end / self._fineness, precision)
        return ball.lower().fmpq(), ball.upper().fmpq()
