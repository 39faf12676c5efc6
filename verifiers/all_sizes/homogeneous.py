"""Functions of real numbers y ≥ 0 that are sums of c·∏ y_i^k·e^(-r·y): the laws of noise, at ε = 1, on a cone.

A law whose noise has scales proportional to 1/ε depends on ε and scores by their products alone, so that it is such a
function of ε·s, on each of finitely many cones of score vectors. See Theorem 5 of docs/theorems.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product as tuples
from math import comb
from typing import TypeAlias

from flint import fmpq

from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, exact, negative, product, total
from dpverify.mechanisms.orthants.orthant_polynomials import (
    OF_EPSILON,
    Decay,
    E,
    Polynomial,
    PolynomialTerm,
    collected_polynomial,
    quotient,
    terms_of,
)
from dpverify.mechanisms.signs.epsilon_symbol import EpsilonSymbol

_Powers: TypeAlias = tuple[int, ...]
Rates: TypeAlias = tuple[Fraction, ...]


@dataclass(frozen=True, eq=False)
class RealSum:
    """Σ c·∏ y_i^(k_i)·e^(-Σ r_i·y_i), of `dimension` numbers y ≥ 0; no c is 0."""

    dimension: int
    terms: Mapping[tuple[_Powers, Rates], Exact]

    def plus(self, other: RealSum) -> RealSum:
        """The sum of both."""
        return _added(self.dimension, (*self.terms.items(), *other.terms.items()))

    def times(self, number: Exact) -> RealSum:
        """The product with a number."""
        return _added(self.dimension, ((key, product((number, c))) for key, c in self.terms.items()))

    @cached_property
    def derivatives(self) -> tuple[RealSum, ...]:
        """By each y."""
        return tuple(self._derivative(i) for i in range(self.dimension))

    def _derivative(self, i: int) -> RealSum:
        parts: list[tuple[tuple[_Powers, Rates], Exact]] = []
        for (powers, rates), c in self.terms.items():
            if powers[i]:
                fewer = (*powers[:i], powers[i] - 1, *powers[i + 1 :])
                parts.append(((fewer, rates), product((exact(powers[i]), c))))
            parts.append(((powers, rates), product((exact(-rates[i]), c))))
        return _added(self.dimension, parts)

    def along(self, images: Sequence[Sequence[int]], dimension: int) -> RealSum:
        """With Σ images[i][j]·z_j in the place of y_i, whole numbers ≥ 0: a function of `dimension` numbers z."""
        parts: list[tuple[tuple[_Powers, Rates], Exact]] = []
        for (powers, rates), c in self.terms.items():
            rate = tuple(
                sum((r * row[j] for r, row in zip(rates, images, strict=True)), Fraction(0)) for j in range(dimension)
            )
            for power, weight in _multiplied_out(powers, images, dimension):
                parts.append(((power, rate), product((exact(weight), c))))
        return _added(dimension, parts)

    def is_same(self, other: RealSum) -> bool:
        """True where both are one function."""
        return not self.plus(other.times(negative(ONE))).terms

    @property
    def polynomial(self) -> Polynomial:
        """Up to what is positive, as what bounds on orthants are known of."""
        return collected_polynomial(
            PolynomialTerm(
                {i: k for i, k in enumerate(powers) if k},
                [(Decay(i, E), fmpq(rate.numerator, rate.denominator)) for i, rate in enumerate(rates) if rate],
                c,
            )
            for (powers, rates), c in self.terms.items()
        )


def _added(dimension: int, parts: Iterable[tuple[tuple[_Powers, Rates], Exact]]) -> RealSum:
    sums: dict[tuple[_Powers, Rates], list[Exact]] = {}
    for key, c in parts:
        sums.setdefault(key, []).append(c)
    results = {key: total(c) for key, c in sums.items()}
    return RealSum(dimension, {key: c for key, c in results.items() if decision.sign(c)})


def _multiplied_out(powers: _Powers, images: Sequence[Sequence[int]], dimension: int) -> Iterator[tuple[_Powers, int]]:
    """The terms of ∏ (Σ images[i][j]·z_j)^(k_i)."""
    numbers: dict[_Powers, int] = {(0,) * dimension: 1}
    for k, row in zip(powers, images, strict=True):
        for _ in range(k):
            more: dict[_Powers, int] = {}
            for power, weight in numbers.items():
                for j, n in enumerate(row):
                    if n:
                        greater = (*power[:j], power[j] + 1, *power[j + 1 :])
                        more[greater] = more.get(greater, 0) + weight * n
            numbers = more
    yield from numbers.items()


def homogeneous(number: Exact, dimension: int, epsilon: EpsilonSymbol) -> RealSum | None:
    """F, where a function of ε and of whole h ≥ 0 is F(ε·(h_1 + 1), …, ε·(h_d + 1)); None where it is not seen to be.

    That is so of another symbol than this ε, too. Raises `Undecided` where the number is not understood.
    """
    parts = quotient(number)
    if parts.denominator:
        return None
    terms, base = terms_of(parts.numerator)
    if base not in (None, epsilon.base):
        return None
    sums: dict[tuple[_Powers, Rates, Fraction, int], list[Exact]] = {}
    for powers, decays, coefficient in terms:
        if min(powers.values(), default=0) < 0:
            return None
        rates = [Fraction(0)] * dimension
        constant = Fraction(0)
        for decay, exponent in decays:
            rate = Fraction(int(exponent.p), int(exponent.q))
            if decay.place == OF_EPSILON:
                constant += rate
            elif decay.factor < 0:  # e^ε
                rates[decay.place] += rate
            else:
                return None
        # h = y - 1
        rest = constant - sum(rates, Fraction(0))
        given = [powers.get(i, 0) for i in range(dimension)]
        for shifted in tuples(*(range(k + 1) for k in given)):
            weight = 1
            for k, j in zip(given, shifted, strict=True):
                weight *= comb(k, j) * (-1) ** (k - j)
            key = (shifted, tuple(rates), rest, powers.get(OF_EPSILON, 0))
            sums.setdefault(key, []).append(product((exact(weight), coefficient)))
    kept = {key: c for key, result in sums.items() if decision.sign(c := total(result))}
    if any(rest or of_epsilon != sum(powers) for powers, _, rest, of_epsilon in kept):
        return None
    return RealSum(dimension, {(powers, rates): c for (powers, rates, _, _), c in kept.items()})
