"""The power of a number of draws: the smallest violation that would have been refuted with a stated probability.

With probability 9/10 at least both counts are as far apart as their quantiles are, and what is refuted of these is
refuted of counts that are further apart.
"""

from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import Final

from dpverify.mechanisms.numbers.elementary import exp, log
from dpverify.mechanisms.numbers.enclosure import bounds
from dpverify.mechanisms.numbers.exact_numbers import Exact, exact
from dpverify.verifiers.blackbox.sampling.evidence import EventTally, refutes
from dpverify.verifiers.utility.binomial_interval import lower_end
from dpverify.verifiers.utility.binomial_tails import is_at_most

POWER: Final = Fraction(9, 10)
"""Probability with which the smallest violation would have been refuted."""

_STEP: Final = Fraction(1, 1000)
"""The smallest violation is rounded up to a multiple of this."""


def least_refuted_epsilon(
    draws: int, epsilon: Exact, delta: Exact, share: Fraction, error: Fraction
) -> Fraction | None:
    """The least ε′, rounded up to thousandths, that is refuted of an event with the probability `share` on the right.

    On the left it has e^ε′·share + δ. None where even an event that is certain there would not be.
    """
    most = bounds(log((1 - delta) / share))[0] if share + bounds(delta)[1] < 1 else Fraction(0)
    low, high = int(bounds(epsilon)[0] / _STEP), int(most / _STEP)
    if high <= low or not _seen(draws, epsilon, delta, share, high * _STEP, error):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        seen = _seen(draws, epsilon, delta, share, middle * _STEP, error)
        low, high = (low, middle) if seen else (middle, high)
    return high * _STEP


def _seen(draws: int, epsilon: Exact, delta: Exact, share: Fraction, violation: Fraction, error: Fraction) -> bool:
    p = min(bounds(exp(exact(violation)) * share + delta)[0], Fraction(1))
    half = (1 - POWER) / 2
    left = fewest(draws, p, half)
    right = draws - fewest(draws, 1 - share, half)
    return refutes(EventTally(left, right, draws), epsilon, delta, error)


@lru_cache(maxsize=1024)
def fewest(draws: int, p: Fraction, chance: Fraction) -> int:
    """The largest number that so many draws fall short of with at most that chance, for an event of probability p."""
    if p >= 1:
        return draws
    if p <= 0:
        return 0
    low, high = 0, draws + 1
    while high - low > 1:
        middle = (low + high) // 2
        # fewer than `middle` successes: draws − middle + 1 failures or more
        low, high = (middle, high) if is_at_most(chance, draws - middle + 1, draws, 1 - p) else (low, middle)
    return low


def smallest_shift(draws: int, error: Fraction, p: Fraction = Fraction(1, 2)) -> Fraction | None:
    """The least d, rounded up to millionths, by which an event of probability p is more probable where that is refuted.

    None where not even one that is certain, or of probability nearly 1, would be.
    """
    low, high = 0, floor((1 - p) * _PARTS)
    if not high or not _shift_seen(draws, p, Fraction(high, _PARTS), error):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _shift_seen(draws, p, Fraction(middle, _PARTS), error) else (middle, high)
    return Fraction(high, _PARTS)


_PARTS: Final = 10**6


def _shift_seen(draws: int, p: Fraction, shift: Fraction, error: Fraction) -> bool:
    result = fewest(draws, p + shift, 1 - POWER)
    return lower_end(result, draws, error) > p
