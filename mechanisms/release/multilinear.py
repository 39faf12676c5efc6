"""Polynomials in bits, and the concepts that are their signs.

A monomial is the set of its variables, as a whole number: bit i stands for the variable q_i. On {0, 1}^d every
polynomial is equal to a multilinear one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

from dpverify.mechanisms.release.conjunctions import submasks_of


@dataclass(frozen=True)
class PolynomialThreshold:
    """sign(A(q)), 1 where A(q) ≥ 0 and 0 elsewhere, for A = Σ c·∏_{i in S} q_i over the terms (S, c).

    Source: Hardt, Rothblum & Servedio, Definition 5.2. The terms are sorted by S, each S at most once, and no c is 0:
    see `of`. Whole and rational numbers alone decide a label.
    """

    terms: tuple[tuple[int, Fraction], ...]

    @classmethod
    def of(cls, terms: Iterable[tuple[int, Fraction | int]]) -> PolynomialThreshold:
        """The sign of the sum of these terms, in which a monomial may occur more than once."""
        coefficient: dict[int, Fraction] = {}
        for monomial, c in terms:
            coefficient[monomial] = coefficient.get(monomial, Fraction(0)) + c
        return cls(tuple(sorted((monomial, c) for monomial, c in coefficient.items() if c)))

    @property
    def degree(self) -> int:
        """The degree of A; 0 where A is constant."""
        return max((monomial.bit_count() for monomial, _ in self.terms), default=0)

    def value(self, q: int) -> Fraction:
        """A(q)."""
        return Fraction(self._scaled_value(q), self._denominator)

    def __call__(self, q: int) -> int:
        """The label of q."""
        return int(self._scaled_value(q) >= 0)

    @cached_property
    def _denominator(self) -> int:
        return lcm(*(c.denominator for _, c in self.terms))

    @cached_property
    def _whole(self) -> Mapping[int, int]:
        """The coefficients times their common denominator, which changes no sign."""
        scale = self._denominator
        return {monomial: c.numerator * (scale // c.denominator) for monomial, c in self.terms}

    def _scaled_value(self, q: int) -> int:
        known = self._whole
        if 1 << q.bit_count() < len(known):  # a query of few bits meets few monomials
            return sum(known.get(monomial, 0) for monomial in submasks_of(q, q.bit_count()))
        return sum(c for monomial, c in known.items() if not monomial & ~q)
