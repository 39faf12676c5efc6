"""The numbers of a claim on an interval of ε as polynomials of one kind, with their roots on a line.

The line is that of z = e^(-ε/L) where no powers of ε differ: it falls while ε rises. Elsewhere it is that of t = ε/L,
and polynomials are in t and z.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final, Generic, TypeVar

from flint import fmpq, fmpz_mpoly, fmpz_poly

from dpverify.mechanisms.numbers.decision import LARGEST_PRECISION
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.enclosure import WORKING_PRECISION, enclosure
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.roots.epsilon_polynomials import (
    Coefficients,
    mixed_polynomials,
    mixed_roots_within,
    polynomials_in_z,
    roots_within,
)
from dpverify.mechanisms.numbers.roots.epsilon_symbol import EpsilonSymbol
from dpverify.mechanisms.numbers.roots.mixed_polynomials import sign_at
from dpverify.mechanisms.numbers.roots.mixed_roots import MixedRoot
from dpverify.mechanisms.numbers.roots.real_roots import AnyRoot, RealRoot, coefficients_beyond
from dpverify.verifiers.divergence.every_epsilon.epsilon_sets import (
    EpsilonEnd,
    EpsilonInterval,
    Span,
    end_at,
    end_of,
    end_of_cell,
)

EpsilonFunction = TypeVar("EpsilonFunction")


class Line(ABC, Generic[EpsilonFunction, AnyRoot]):
    """Numbers on an interval of ε as polynomials, but for one positive factor, and what is asked of these."""

    numbers: Sequence[EpsilonFunction]

    def __init__(self, symbol: EpsilonSymbol, fineness: int) -> None:
        self.symbol: Final = symbol
        self.fineness: Final = fineness

    @abstractmethod
    def difference(self, i: int, j: int) -> EpsilonFunction:
        """Number i less number j."""

    @abstractmethod
    def excess(self, summands: Sequence[tuple[int, int]]) -> EpsilonFunction:
        """The sum of some differences, less the last number."""

    @abstractmethod
    def is_zero(self, f: EpsilonFunction) -> bool:
        """True where f is 0 for all ε."""

    @abstractmethod
    def is_never_positive(self, f: EpsilonFunction) -> bool:
        """True where it is seen at once that f > 0 for no ε."""

    @abstractmethod
    def exceeds_nowhere(self, i: int, j: int) -> bool:
        """True where it is seen at once that number i exceeds number j for no ε."""

    @abstractmethod
    def roots(self, f: EpsilonFunction) -> Sequence[AnyRoot]:
        """The roots of f ≠ 0 in the interval, in rising order."""

    @abstractmethod
    def is_positive(self, f: EpsilonFunction, at: fmpq) -> bool:
        """True where f > 0 at a place of the line."""

    @abstractmethod
    def intervals(self, spans: Sequence[Span[AnyRoot]]) -> list[EpsilonInterval]:
        """The ε of some spans, in rising order."""

    @abstractmethod
    def _ends(self, precision: int) -> tuple[fmpq, fmpq | None]:
        """Places inside the line, near its ends; None where the other is not bounded."""

    def where_positive(self, f: EpsilonFunction) -> list[Span[AnyRoot]]:
        """The spans of the line on which f ≠ 0 is positive."""
        ends = [None, *self.roots(f), None]
        return [span for span, at in zip(pairwise(ends), self.between(ends), strict=True) if self.is_positive(f, at)]

    def between(self, ends: Sequence[AnyRoot | None]) -> list[fmpq]:
        """A place between any two successive ends, of which None are those of the line."""
        return [self._one_between(low, high) for low, high in pairwise(ends)]

    def _one_between(self, low: AnyRoot | None, high: AnyRoot | None) -> fmpq:
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


def line_of(symbol: EpsilonSymbol, numbers: Sequence[Coefficients], fineness: int) -> Line[Any, Any]:
    """The numbers as polynomials in z alone where that is possible."""
    result = polynomials_in_z(numbers)
    if result is not None:
        return LineOfZ(symbol, fineness, *result)
    return LineOfT(symbol, fineness, mixed_polynomials(numbers, fineness))


class LineOfZ(Line[fmpz_poly, RealRoot]):
    """Polynomials in z = e^(-ε/fineness), from the largest ε to the least."""

    def __init__(self, symbol: EpsilonSymbol, fineness: int, degree: int, numbers: Sequence[fmpz_poly]) -> None:
        super().__init__(symbol, fineness)
        self._degree = degree
        self.numbers = numbers
        # beyond[i] holds the coefficients by which Descartes' rule goes; they add up as the polynomials do
        self._beyond = [coefficients_beyond(f, degree) for f in numbers]

    def difference(self, i: int, j: int) -> fmpz_poly:
        """As said above."""
        return self.numbers[i] - self.numbers[j]

    def excess(self, summands: Sequence[tuple[int, int]]) -> fmpz_poly:
        """As said above."""
        return sum((self.difference(i, j) for i, j in summands), -self.numbers[-1])

    def is_zero(self, f: fmpz_poly) -> bool:
        """As said above."""
        return f.degree() < 0

    def is_never_positive(self, f: fmpz_poly) -> bool:
        """By Descartes' rule."""
        return max(coefficients_beyond(f, self._degree)) <= 0

    def exceeds_nowhere(self, i: int, j: int) -> bool:
        """By Descartes' rule."""
        return all(map(int.__le__, self._beyond[i], self._beyond[j]))

    def roots(self, f: fmpz_poly) -> Sequence[RealRoot]:
        """As said above."""
        return roots_within(f, self.symbol, self.fineness)

    def is_positive(self, f: fmpz_poly, at: fmpq) -> bool:
        """As said above."""
        return bool(f(at) > 0)

    def intervals(self, spans: Sequence[Span[RealRoot]]) -> list[EpsilonInterval]:
        """As said above."""
        low, high = _ends_of(self.symbol)
        return [
            EpsilonInterval(
                low if last is None else end_at(last, self.fineness),
                high if first is None else end_at(first, self.fineness),
            )
            for first, last in reversed(spans)
        ]

    def _ends(self, precision: int) -> tuple[fmpq, fmpq]:
        low, high = self.symbol.low, self.symbol.high
        above = None if high is None else enclosure(exp(-high / self.fineness), precision).upper().fmpq()
        below = None if low is None else enclosure(exp(-low / self.fineness), precision).lower().fmpq()
        return fmpq(0) if above is None else above, fmpq(1) if below is None else below


class LineOfT(Line[fmpz_mpoly, MixedRoot]):
    """Polynomials in t = ε/fineness and e^(-t)."""

    def __init__(self, symbol: EpsilonSymbol, fineness: int, numbers: Sequence[fmpz_mpoly]) -> None:
        super().__init__(symbol, fineness)
        self.numbers = numbers

    def difference(self, i: int, j: int) -> fmpz_mpoly:
        """As said above."""
        return self.numbers[i] - self.numbers[j]

    def excess(self, summands: Sequence[tuple[int, int]]) -> fmpz_mpoly:
        """As said above."""
        return sum((self.difference(i, j) for i, j in summands), -self.numbers[-1])

    def is_zero(self, f: fmpz_mpoly) -> bool:
        """As said above."""
        return f.is_zero()

    def is_never_positive(self, f: fmpz_mpoly) -> bool:
        """By the signs of its coefficients."""
        return all(c < 0 for c in f.coeffs())

    def exceeds_nowhere(self, i: int, j: int) -> bool:
        """By the signs of the coefficients of the difference."""
        return self.is_never_positive(self.numbers[i] - self.numbers[j])

    def roots(self, f: fmpz_mpoly) -> Sequence[MixedRoot]:
        """As said above."""
        return mixed_roots_within(f, self.symbol, self.fineness)

    def is_positive(self, f: fmpz_mpoly, at: fmpq) -> bool:
        """As said above."""
        return sign_at(f, at) > 0

    def intervals(self, spans: Sequence[Span[MixedRoot]]) -> list[EpsilonInterval]:
        """As said above."""
        low, high = _ends_of(self.symbol)
        return [
            EpsilonInterval(
                low if first is None else end_of(first, self.fineness),
                high if last is None else end_of(last, self.fineness),
            )
            for first, last in spans
        ]

    def _ends(self, precision: int) -> tuple[fmpq, fmpq | None]:
        low, high = self.symbol.low, self.symbol.high
        above = fmpq(0) if low is None else self._around(low, precision)[1]
        return above, None if high is None else self._around(high, precision)[0]

    def _around(self, end: Exact, precision: int) -> tuple[fmpq, fmpq]:
        ball = enclosure(end / self.fineness, precision)
        return ball.lower().fmpq(), ball.upper().fmpq()


def _ends_of(symbol: EpsilonSymbol) -> tuple[EpsilonEnd, EpsilonEnd | None]:
    return end_of_cell(symbol.low), None if symbol.high is None else end_of_cell(symbol.high)
