"""A polynomial that is 1 at k and at most ε at 0, …, k − 1, whose degree is of the order √(k·log(1/ε)), for every k.

Hardt, Rothblum & Servedio, Claim 5.4, cite this order and print a polynomial of a larger one, (14). This one is ours:
the m = ⌈log₂(1/ε)⌉ points next below k are zeros, and what the zeros grow to further away is held down by factors as in
(14), one for each distance m, 2m, 4m, … from k. For all k and ε that is shown by steps in the catalogue.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, isqrt, prod

from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.numbers.integers.parameters import positive, rational_parameter, whole
from dpverify.mechanisms.release.chebyshev import chebyshev


@dataclass(frozen=True)
class Scale:
    """(C_q(j/(k − D))/C_q(k/(k − D)))^e for a distance D < k, q = ⌈√((k − D)/D)⌉.

    It is 1 at k, at most 1 in size at 0, …, k, and at most 2^(−e) at 0, …, k − D.
    """

    k: int
    distance: int
    exponent: int

    @property
    def degree(self) -> int:
        """q·e."""
        return self._q * self.exponent

    @property
    def _q(self) -> int:
        return isqrt(ceil(Fraction(self.k - self.distance, self.distance)) - 1) + 1

    @cached_property
    def _at_k(self) -> Fraction:
        return chebyshev(self._q, Fraction(self.k, self.k - self.distance))

    def __call__(self, j: int) -> Fraction:
        """Its value at j."""
        return (chebyshev(self._q, Fraction(j, self.k - self.distance)) / self._at_k) ** self.exponent


@dataclass(frozen=True)
class DropByScales:
    """s(j) = ∏ (k − i − j)/(−i) over i = 1, …, `zeros`, times the scales: 1 at k, and 0 at the `zeros` points below."""

    k: int
    zeros: int
    scales: tuple[Scale, ...]

    @property
    def degree(self) -> int:
        """At most 12·√(k·⌈log₂(1/ε)⌉)."""
        return self.zeros + sum(scale.degree for scale in self.scales)

    def __call__(self, j: int) -> Fraction:
        """s(j)."""
        between = prod((Fraction(self.k - i - j, -i) for i in range(1, self.zeros + 1)), start=Fraction(1))
        return between and prod((scale(j) for scale in self.scales), start=between)


def dropping_by_scales(k: int, eps: ExactLike) -> DropByScales:
    """The polynomial s of the module: s(k) = 1, and |s(j)| ≤ ε for whole j from 0 to k − 1.

    With m = ⌈log₂(1/ε)⌉, the exponents are ⌈7m/2⌉ at the distance m, and m at 2m, 4m, … below k; from m = k on there
    are zeros alone, and for ε ≥ 1 it is the constant 1. Raises `InputError` unless k ≥ 1 and ε > 0 is rational.
    """
    share = rational_parameter(positive(eps, "eps"), "eps")
    m = (ceil(1 / share) - 1).bit_length()  # the least m ≥ 0 with 2^m ≥ 1/ε
    zeros = min(m, whole(k, "k", 1))
    distances = [m << i for i in range(k.bit_length()) if 0 < m << i < k]
    return DropByScales(k, zeros, tuple(Scale(k, d, -(-7 * m // 2) if d == m else m) for d in distances))
