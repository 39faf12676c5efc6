"""Bounds on binomial probabilities, where there are too many terms to add up."""

from fractions import Fraction
from functools import lru_cache
from typing import Final

from flint import arb, ctx, fmpq

_BITS: Final = 96
_PRECISION: Final = 192
"""The working precision, which has to be beyond the bits that a probability is rounded to."""


@lru_cache(maxsize=1 << 12)
def at_most(size: int, p: Fraction, most: int) -> tuple[Fraction, Fraction]:
    """Bounds on Pr[Bin(size, p) ≤ most], for 0 < p < 1, multiples of 2^−96 and rounded outward.

    It is the regularized incomplete beta function I_{1−p}(size − most, most + 1), of which flint gives an enclosure.
    """
    if most < 0 or most >= size:
        exactly = Fraction(int(most >= 0))
        return exactly, exactly
    with ctx.workprec(_PRECISION):
        q = arb(fmpq(p.denominator - p.numerator, p.denominator))
        ball = q.beta_lower(arb(size - most), arb(most + 1), True) * arb(2) ** _BITS
        low, high = ball.lower().floor().unique_fmpz(), ball.upper().ceil().unique_fmpz()
    one = 1 << _BITS
    if low is None or high is None:
        return Fraction(0), Fraction(1)
    return Fraction(max(0, int(low)), one), Fraction(min(one, int(high)), one)
