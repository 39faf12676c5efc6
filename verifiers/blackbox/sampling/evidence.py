"""The evidence on ε of counts of an event on two databases: at one number of draws, and at whatever number one stops.

At a number of draws that was fixed before: P(E) on the left is at least the lower end of an exact interval, and that on
the right at most the upper end of another, but with half the error each. While one looks again and again: the
likelihood of both counts, averaged over probabilities near those of the pilot (beta distributions), over the largest
likelihood that the claim allows for. Under the claim this is 1 on average, wherever one stops, so that it reaches 1/a
with probability at most a (Ville). Both are decided by balls and whole numbers, and floats only propose.
"""

from fractions import Fraction
from math import exp as float_exp
from math import floor
from math import log as float_log
from typing import Final

import msgspec
from flint import arb, ctx, fmpq

from dpverify.mechanisms.numbers.elementary import exp, log
from dpverify.mechanisms.numbers.enclosure import bounds, enclosure
from dpverify.mechanisms.numbers.exact_numbers import Exact, exact
from dpverify.verifiers.utility.binomial_interval import lower_end

_PRECISION: Final = 128


class EventTally(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The number of times that an event was seen in so many draws of the left database, and of the right one."""

    left: int
    right: int
    draws: int


def refutes(tally: EventTally, epsilon: Exact, delta: Exact, error: Fraction) -> bool:
    """True where P(E) ≤ e^ε·P′(E) + δ is refuted, which is done of what is true with probability at most `error`.

    The number of draws has to be fixed before any is seen.
    """
    low, high = _ends(tally, error)
    return bool(exact(low) > exp(epsilon) * high + delta)


def ruled_out(tally: EventTally, delta: Exact, error: Fraction) -> Fraction | None:
    """An ε > 0 such that no smaller one holds at δ, but with probability at most `error`; None for 0.

    It is rounded down to ten-thousandths. The number of draws has to be fixed before any is seen.
    """
    low, high = _ends(tally, error)
    left = exact(low) - delta
    if not left > high or not high:
        return None
    below = bounds(log(left / high))[0]
    return Fraction(floor(below * _STEPS), _STEPS) or None


def _ends(tally: EventTally, error: Fraction) -> tuple[Fraction, Fraction]:
    """P on the left is below the first, or on the right above the second, with at most that probability."""
    low = lower_end(tally.left, tally.draws, error / 2)
    return low, 1 - lower_end(tally.draws - tally.right, tally.draws, error / 2)


class Prior(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The counts that a pilot saw: probabilities near these shares weigh most."""

    left: int
    right: int
    draws: int


def refutes_anywhere(tally: EventTally, prior: Prior, epsilon: Exact, delta: Exact, error: Fraction) -> bool:
    """As `refutes`, also where one looks after whatever number of draws, and stops when one likes."""
    with ctx.workprec(_PRECISION):
        result = _log_evidence(tally, prior, _ball(exp(epsilon)), _ball(delta))
        return result is not None and bool(result > -arb(fmpq(error.numerator, error.denominator)).log())


def ruled_out_anywhere(tally: EventTally, prior: Prior, delta: Exact, error: Fraction) -> Fraction | None:
    """As `ruled_out`, also where one looks after whatever number of draws, and stops when one likes."""
    if not tally.left:
        return None
    low, high = 0, 64 * _STEPS
    if not refutes_anywhere(tally, prior, exact(0), delta, error):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        holds = refutes_anywhere(tally, prior, exact(Fraction(middle, _STEPS)), delta, error)
        low, high = (middle, high) if holds else (low, middle)
    return Fraction(low, _STEPS) or None


_LARGEST_RATIO: Final = 1e100
"""e^ε beyond which nothing is refuted on the way: there are not so many draws."""

_STEPS: Final = 10**4
"""Denominator: an ε that is ruled out is a multiple of one over this, rounded down."""


def _ball(number: Exact) -> arb:
    return enclosure(number, _PRECISION)


def _log_evidence(tally: EventTally, prior: Prior, ratio: arb, delta: arb) -> arb | None:
    """A ball around, or below, the logarithm of the evidence; None where the claim fits what was seen."""
    most = _most_likely(tally, ratio, delta)
    if most is None:
        return None
    averaged = _averaged(tally.left, tally.draws, prior.left, prior.draws)
    return averaged + _averaged(tally.right, tally.draws, prior.right, prior.draws) - most


def _averaged(k: int, n: int, seen: int, of: int) -> arb:
    """The logarithm of the likelihood of k in n, averaged over the beta distribution after a pilot."""
    a, b = seen + 1, of - seen + 1
    return _log_beta(a + k, b + n - k) - _log_beta(a, b)


def _log_beta(a: int, b: int) -> arb:
    return arb(a).lgamma() + arb(b).lgamma() - arb(a + b).lgamma()


def _most_likely(tally: EventTally, ratio: arb, delta: arb) -> arb | None:
    """At least the logarithm of the largest likelihood under p ≤ ratio·q + δ; None where all probabilities are allowed.

    It is concave, and what was seen is not allowed, so that the largest is on the line p = ratio·q + δ, in one
    variable: it is below the tangent to the left of its place, up to a point where it falls.
    """
    k, m, n = tally.left, tally.right, tally.draws
    if not arb(fmpq(k, n)) > ratio * arb(fmpq(m, n)) + delta:
        return None
    end = (1 - delta) / ratio
    e, d = float(ratio.mid()), float(delta.mid())
    if e > _LARGEST_RATIO:
        return None
    place = _place(k, m, n, e, d)
    for wide in (1e-7, 1e-4, 1e-2):
        low, high = arb(place * (1 - wide)), arb(place * (1 + wide))
        if high < end and low > 0 and _slope(tally, ratio, delta, low) > 0 and _slope(tally, ratio, delta, high) < 0:
            return _likelihood(tally, ratio, delta, low) + _slope(tally, ratio, delta, low) * (high - low)
    return _at_an_end(tally, ratio, delta, end)


def _at_an_end(tally: EventTally, ratio: arb, delta: arb, end: arb) -> arb | None:
    """Largest likelihood at an end of the line, where nothing was seen on the right, or everything on the left."""
    k, m, n = tally.left, tally.right, tally.draws
    if not m and delta > 0 and _slope(tally, ratio, delta, arb(0)) <= 0:
        return k * delta.log() + (n - k) * (1 - delta).log()
    if k == n and end < 1 and (m / end if m else arb(0)) - (n - m) / (1 - end) + k * ratio >= 0:
        return (m * end.log() if m else arb(0)) + (n - m) * (1 - end).log()
    return None


def _likelihood(tally: EventTally, ratio: arb, delta: arb, q: arb) -> arb:
    k, m, n = tally.left, tally.right, tally.draws
    p = ratio * q + delta
    parts = ((k, p), (n - k, 1 - p), (m, q), (n - m, 1 - q))
    return sum((times * of.log() for times, of in parts if times), start=arb(0))


def _slope(tally: EventTally, ratio: arb, delta: arb, q: arb) -> arb:
    k, m, n = tally.left, tally.right, tally.draws
    p = ratio * q + delta
    parts = (
        (k, ratio / p if k else arb(0)),
        (-(n - k), ratio / (1 - p)),
        (m, 1 / q if m else arb(0)),
        (-(n - m), 1 / (1 - q)),
    )
    return sum((times * of for times, of in parts if times), start=arb(0))


def _place(k: int, m: int, n: int, ratio: float, delta: float) -> float:
    """About where the slope is 0, by bisection in floats of the logarithm."""
    top = (1 - delta) / ratio
    low, high = float_log(top) - 60, float_log(top)

    def rises(q: float) -> bool:
        p = ratio * q + delta
        falls = (n - k) * ratio / (1 - p) + (n - m) / (1 - q) if p < 1 and q < 1 else float("inf")
        return k * ratio / p + m / q > falls

    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if rises(float_exp(middle)) else (low, middle)
    return float_exp(low)
