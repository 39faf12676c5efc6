"""The interval of Clopper and Pearson for a probability of which trials are seen, exactly."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import islice
from typing import Final

from flint import arb, fmpq

from dpverify.mechanisms.exact.binomial_weights import binomial_weights
from dpverify.mechanisms.exact.errors import InputError
from dpverify.mechanisms.exact.exact_numbers import ExactLike, exact
from dpverify.mechanisms.exact.parameters import open_unit, rational, whole

_PARTS: Final = 1 << 20
"""The ends are multiples of one over this, rounded outwards."""


def clopper_pearson(
    successes: int, trials: int, confidence: ExactLike = Fraction(99, 100)
) -> tuple[Fraction, Fraction]:
    """Bounds low ≤ p ≤ high that hold with at least this confidence, whatever p is, after so many successes.

    With p = low there are as many successes or more with probability at most (1 − confidence)/2, and with p = high as
    few or fewer; both are decided exactly. Raises `InputError` unless 0 ≤ successes ≤ trials, trials ≥ 1 and
    0 < confidence < 1.
    """
    n = whole(trials, "trials", 1)
    if not 0 <= whole(successes, "successes", 0) <= n:
        raise InputError(f"successes={successes} are more than trials={n}")
    tail = rational((1 - exact(open_unit(confidence, "confidence"))) / 2, "confidence")
    low = _first(lambda i: not _at_most(tail, successes, n, n, i)) - 1 if successes else 0
    high = _first(lambda i: _at_most(tail, 0, successes, n, i)) if successes < n else _PARTS
    return Fraction(low, _PARTS), Fraction(high, _PARTS)


def _at_most(tail: Fraction, first: int, last: int, n: int, part: int) -> bool:
    """Whether there are from `first` to `last` successes with at most that probability, at p = part/_PARTS.

    `first` is 0, or `last` is n: enclosed as an incomplete beta function, and counted out where that does not tell.
    """
    yes, no = part, _PARTS - part
    if not no:
        return last < n
    bound, p = arb(fmpq(tail.numerator, tail.denominator)), arb(fmpq(no if not first else yes, _PARTS))
    near = p.beta_lower(*((first, n - first + 1) if first else (n - last, last + 1)), regularized=True)
    if near < bound or near > bound:
        return bool(near < bound)
    ways = sum(islice(binomial_weights(n, yes, no, first), last + 1 - first))
    return bool(ways * tail.denominator <= tail.numerator * _PARTS**n)


def _first(holds: Callable[[int], bool]) -> int:
    """The least part from which on it holds, by bisection: it does at the end, and not at 0."""
    low, high = 1, _PARTS
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
