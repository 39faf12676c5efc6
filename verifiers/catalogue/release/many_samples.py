"""How often queries are met among very many independent samples: binomial probabilities, enclosed and not summed."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import ceil
from typing import Any, Final

from flint import arb, ctx, fmpq

from dpverify.mechanisms import Distribution

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


def from_to(size: int, p: Fraction, least: int, most: int) -> Fraction:
    """A lower bound on Pr[least ≤ Bin(size, p) ≤ most], within 2^−94 of it."""
    return max(Fraction(0), at_most(size, p, most)[0] - at_most(size, p, least - 1)[1])


def whether_between(size: int, p: Fraction, least: int, most: int) -> Distribution[bool]:
    """Whether a binomial number is from `least` to `most`; what rounding leaves open, below 2^−94, counts as not."""
    inside = from_to(size, p, least, most)
    return Distribution({True: inside, False: 1 - inside})


def kinds_of_samples(size: int, shares: Sequence[Fraction], enough: Fraction) -> Distribution[Any]:
    """The number of times two queries are met among `size` samples, of these probabilities; some numbers for all.

    Only where the number of either is 0, or reaches a share `enough` of `size`, it may make a difference: of the
    numbers between such ends one in the middle stands for all, with their probability. None is what rounding leaves
    open, below 2^−90: a mechanism that takes it for a failure fails no less than it does.
    """
    least, p = ceil(enough * size), shares[1]
    ends = {0, 1, size, size + 1, least, size - least + 1}
    cuts = sorted(end for end in ends if 0 <= end <= size + 1)
    law: dict[Any, Fraction] = {}
    for start, end in pairwise(cuts):
        number = (start + end - 1) // 2
        law[size - number, number] = from_to(size, p, start, end - 1)
    law[None] = 1 - sum(law.values(), start=Fraction(0))
    return Distribution(law)


def bulk_of_samples(size: int, shares: Sequence[Fraction], enough: Fraction) -> Distribution[Any]:
    """The numbers to be expected of each query among `size` samples, or None where one is below a share of them.

    Where no number is below `enough` of all it is all the same to PrivLearn how great they are, as long as the learner
    asks only what it has met. None has the sum of the probabilities of all that is else, or rounding leaves open.
    """
    least = ceil(enough * size)
    rest = min(Fraction(1), sum((at_most(size, p, least - 1)[1] for p in shares), start=Fraction(0)))
    return Distribution({tuple(max(1, int(size * p)) for p in shares): 1 - rest, None: rest})
