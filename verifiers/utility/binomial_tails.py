"""The probability of so many successes or more: enclosed by a ball, or decided against a bound exactly.

P(X ≥ k) is the probability of k times 1 + r₁ + r₁r₂ + …, where the ratios of neighbours r₁ > r₂ > … fall. The first
factor is a ball. The second is summed in floats, each of whose operations is off by half a unit in the last place at
most, so that what it may be off by is known, and what is left out is below a geometric series.
"""

from fractions import Fraction
from itertools import islice
from math import ceil, sqrt
from typing import Final

import numpy as np
from flint import arb, ctx, fmpq

from dpverify.mechanisms.counting.binomial_weights import binomial_weights

_PRECISION: Final = 128
_UNIT: Final = 2.0**-53
_OPERATIONS: Final = 8
"""Roundings for each ratio, with room: of its two numbers, their quotient, the odds, two products, the sum."""


def series(successes: int, trials: int, p: float) -> tuple[float, float]:
    """P(X ≥ k)/P(X = k) for k successes above the mean, and by how much of itself that may be off at most.

    `p` may be off by a few units in the last place, and be rounded to 1. Infinite, where the mean is not below k.
    """
    k, n, odds = successes, trials, p / (1 - p) if p < 1 else float("inf")
    if n > _LARGEST or not (n - k) * odds < k + 1:
        return float("inf"), float("inf")
    spread = sqrt(n * p * (1 - p)) + 1
    number = min(n - k, ceil(min(9 * spread, 50 * spread**2 / max(k - n * p, 1.0))) + 60)
    if not number:
        return 1.0, _OPERATIONS * _UNIT
    steps = np.arange(number, dtype=np.float64)
    terms = np.cumprod((n - k - steps) / (k + 1 + steps) * odds)
    result = 1.0 + float(terms.sum())
    following = (n - k - number) / (k + 1 + number) * odds
    left_out = float(terms[-1]) * following / (1 - following) * 1.001
    return result, left_out / result + _OPERATIONS * (number + 8) * _UNIT * 1.01


_LARGEST: Final = 1 << 50
"""Trials up to which floats hold each whole number."""


def log_probability(successes: int, trials: int, p: arb) -> arb:
    """The logarithm of the probability of exactly so many successes, for 0 < p < 1."""
    k, n = successes, trials
    ways = arb(n + 1).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma()
    return ways + k * p.log() + (n - k) * (1 - p).log()


def upper_tail(successes: int, trials: int, p: Fraction) -> arb:
    """A ball that holds the probability of so many successes or more, for 0 < p < 1."""
    if successes <= 0:
        return arb(1)
    if successes > trials:
        return arb(0)
    if successes <= trials * p:
        return 1 - upper_tail(trials - successes + 1, trials, 1 - p)
    with ctx.workprec(_PRECISION):
        exactly = arb(fmpq(p.numerator, p.denominator))
        several, off = series(successes, trials, float(p))
        if off < _USABLE:
            return log_probability(successes, trials, exactly).exp() * arb(several, several * off)
        return exactly.beta_lower(successes, trials - successes + 1, regularized=True)


_USABLE: Final = 1e-6


def is_at_most(bound: Fraction, successes: int, trials: int, p: Fraction) -> bool:
    """True where so many successes or more have at most that probability, decided: ties are counted out."""
    if not 0 < p < 1:
        return bound >= (successes <= 0 if p <= 0 else successes <= trials)
    with ctx.workprec(_PRECISION):
        limit = arb(fmpq(bound.numerator, bound.denominator))
        for near in (upper_tail, _more_precisely):
            result = near(successes, trials, p)
            if result < limit or result > limit:
                return bool(result < limit)
    yes, parts = p.numerator, p.denominator
    ways = sum(islice(binomial_weights(trials, yes, parts - yes, successes), trials + 1 - successes))
    return bool(ways * bound.denominator <= bound.numerator * parts**trials)


def _more_precisely(successes: int, trials: int, p: Fraction) -> arb:
    if not 0 < successes <= trials:
        return upper_tail(successes, trials, p)
    return arb(fmpq(p.numerator, p.denominator)).beta_lower(successes, trials - successes + 1, regularized=True)
