"""Low-degree polynomials that fall off below k, and the thresholds of conjunction counts on sparse queries as signs.

Source: Hardt, Rothblum & Servedio, Section 5.1.1. Rows and queries are as in `conjunctions`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, isqrt
from typing import Protocol

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.numbers.integers.parameters import positive, rational_parameter, whole
from dpverify.mechanisms.release.conjunctions import submasks_of
from dpverify.mechanisms.release.multilinear import PolynomialThreshold
from dpverify.mechanisms.sanitizers.concepts import checked_points


def chebyshev(r: int, x: Fraction) -> Fraction:
    """C_r(x), the Chebyshev polynomial of the first kind: C_0 = 1, C_1 = x, C_{r+1} = 2x·C_r − C_{r−1}."""
    before, value = x, Fraction(1)  # C_{−1} = C_1
    for _ in range(whole(r, "r", 0)):
        before, value = value, 2 * x * value - before
    return value


class Dropping(Protocol):
    """A polynomial in one number that is 1 at k, and small at 0, …, k − 1."""

    @property
    def k(self) -> int:
        """The point where it is 1."""

    @property
    def degree(self) -> int:
        """At least its degree."""

    def __call__(self, j: int, /) -> Fraction:
        """Its value at a whole number."""


@dataclass(frozen=True)
class DroppingPolynomial:
    """s(j) = (C_r((j/k)(1 + 1/k)) / C_r(1 + 1/k))^e with r = ⌈√k⌉: 1 at k, and at most 2^(−e) in size at 0, …, k − 1.

    Source: Hardt, Rothblum & Servedio, (14), whose exponent is ⌈log(1/ε)⌉. The proof has C_r(1 + 1/k) ≥ 2, so that the
    logarithm is to base 2.
    """

    k: int
    exponent: int

    @property
    def degree(self) -> int:
        """⌈√k⌉·⌈log₂(1/ε)⌉, the degree that the proof of Claim 5.4 gives; the claim itself is by another polynomial."""
        return self._r * self.exponent

    @property
    def _r(self) -> int:
        return isqrt(self.k - 1) + 1

    @cached_property
    def _at_k(self) -> Fraction:
        return chebyshev(self._r, 1 + Fraction(1, self.k))

    def __call__(self, j: Fraction | int) -> Fraction:
        """s(j)."""
        scaled = Fraction(j) / self.k * (1 + Fraction(1, self.k))
        return (chebyshev(self._r, scaled) / self._at_k) ** self.exponent


def dropping_polynomial(k: int, eps: ExactLike) -> DroppingPolynomial:
    """The polynomial s of Claim 5.4: s(k) = 1, and |s(j)| ≤ ε for whole j from 0 to k − 1.

    For ε ≥ 1 it is the constant 1: there the printed exponent is 0, and from ε = 2 on negative, so that (14) is no
    polynomial. Raises `InputError` unless k ≥ 1 and ε > 0 is rational.
    """
    share = rational_parameter(positive(eps, "eps"), "eps")
    # the least e ≥ 0 with 2^e ≥ 1/ε
    return DroppingPolynomial(whole(k, "k", 1), (ceil(1 / share) - 1).bit_length())


def conjunction_terms(lacking: int, k: int, s: Dropping) -> tuple[tuple[int, Fraction], ...]:
    """The terms of A_u(q) = s(k − Σ_{i: u_i=0} q_i), multilinear, for a row that lacks the attributes `lacking`.

    Source: Corollary 5.5. The coefficient of a monomial of j of these attributes is the j-th difference at 0 of
    i ↦ s(k − i), as the number of attributes in common with q that are chosen j at a time is a binomial.
    """
    differences = [s(k - i) for i in range(lacking.bit_count() + 1)]
    for j in range(1, len(differences)):
        for i in range(len(differences) - 1, j - 1, -1):
            differences[i] -= differences[i - 1]
    return tuple((monomial, differences[monomial.bit_count()]) for monomial in submasks_of(lacking, s.degree))


def sparse_threshold_polynomial(rows: Sequence[int], *, t: ExactLike, d: int, k: int) -> PolynomialThreshold:
    """A polynomial whose sign on B_k is f^D_t, of degree ⌈√k⌉·⌈log₂(3n)⌉ or less: `threshold_polynomial` with (14).

    Source: Hardt, Rothblum & Servedio, Lemma 5.3. No degree is above the width of the rows. Raises `InputError` as
    `threshold_polynomial` does, and unless k ≥ 1.
    """
    checked_points(rows, d)
    return threshold_polynomial(rows, dropping_polynomial(k, Fraction(1, 3 * len(rows))), t=t, d=d)


def threshold_polynomial(rows: Sequence[int], s: Dropping, *, t: ExactLike, d: int) -> PolynomialThreshold:
    """A(q) − (⌈tn⌉ − 1/2) with A = Σ_u A_u: on B_k, the queries of at most k attributes, its sign is f^D_t.

    Source: Hardt, Rothblum & Servedio, Lemma 5.3. For that |s(j)| ≤ 1/(3n) at j = 0, …, k − 1, with the k of s. Its
    degree is at most that of s, and at most the width of the rows. Raises `InputError` without rows, where one is not
    from 0 to 2^d − 1, and unless 0 ≤ t ≤ 1 is rational.
    """
    full = checked_points(rows, d) - 1
    least = least_count(len(rows), t)
    in_rows = (
        (monomial, times * c)
        for u, times in sorted(Counter(rows).items())
        for monomial, c in conjunction_terms(full & ~u, s.k, s)
    )
    return PolynomialThreshold.of([*in_rows, (0, Fraction(1, 2) - least)])


def least_count(n: int, t: ExactLike) -> int:
    """⌈tn⌉: f^D_t(q) = 1 where so many of n rows have P(q, u) = 1. Raises `InputError` unless 0 ≤ t ≤ 1 is rational."""
    share = rational_parameter(t, "t")
    if not 0 <= share <= 1:
        raise InputError(bad_input.RANGE, f"t={share}", "between 0 and 1")
    return ceil(share * n)
