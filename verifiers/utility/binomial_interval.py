"""The interval of Clopper and Pearson for a probability of which trials are seen, exactly."""

from fractions import Fraction
from math import exp, floor, lgamma, log, log1p, sqrt
from statistics import NormalDist
from typing import Final

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ExactLike, exact
from dpverify.mechanisms.numbers.integers.parameters import open_unit, rational_parameter, whole
from dpverify.verifiers.utility.binomial_tails import is_at_most, series

_PARTS: Final = 1 << 40
"""The ends are multiples of one over this, rounded outwards."""


def clopper_pearson(
    successes: int, trials: int, confidence: ExactLike = Fraction(99, 100)
) -> tuple[Fraction, Fraction]:
    """Bounds low ≤ p ≤ high that hold with at least this confidence, whatever p is, after so many successes.

    With p = low there are as many successes or more with probability at most (1 − confidence)/2, and with p = high as
    few or fewer; both are decided exactly, and floats only propose where. Raises `InputError` unless
    0 ≤ successes ≤ trials, trials ≥ 1 and 0 < confidence < 1.
    """
    n = whole(trials, "trials", 1)
    if not 0 <= whole(successes, "successes", 0) <= n:
        raise InputError(bad_input.MORE_THAN, f"successes={successes}", f"trials={n}")
    tail = rational_parameter((1 - exact(open_unit(confidence, "confidence"))) / 2, "confidence")
    return lower_end(successes, n, tail), 1 - lower_end(n - successes, n, tail)


def lower_end(successes: int, trials: int, tail: Fraction) -> Fraction:
    """The largest multiple of 2⁻⁴⁰ at which so many successes or more are as improbable as `tail`, 0 < tail < 1.

    Whatever p is, it is above p with at most that probability.
    """
    if not successes:
        return Fraction(0)
    low, high = _around(floor(_proposed(successes, trials, float(tail)) * _PARTS), successes, trials, tail)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_at_most(tail, successes, trials, Fraction(middle, _PARTS)) else (low, middle)
    return Fraction(low, _PARTS)


def _around(near: int, successes: int, trials: int, tail: Fraction) -> tuple[int, int]:
    """Two multiples, one where the tail is small enough and a larger one where it is not, by ever longer steps."""

    def small(part: int) -> bool:
        return is_at_most(tail, successes, trials, Fraction(part, _PARTS))

    at, step = min(max(near, 0), _PARTS), 1
    if small(at):
        while at + step < _PARTS and small(at + step):
            at, step = at + step, 8 * step
        return at, min(at + step, _PARTS)
    while at > step and not small(at - step):
        at, step = at - step, 8 * step
    return max(at - step, 0), at


def _proposed(k: int, n: int, tail: float) -> float:
    """About where the tail is met, by the steps of Newton from Wilson's bound, on logarithms."""
    z = -NormalDist().inv_cdf(max(tail, 1e-300))
    middle, spread = (k + z * z / 2) / (n + z * z), z / (n + z * z) * sqrt(k * (n - k) / n + z * z / 4)
    p = max(middle - spread, tail ** (1 / k) * k / n / 4, 1e-300) if z > 0 else min(middle - spread, k / (n + 1))
    ways, aim = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1), log(max(tail, 1e-300))
    for _ in range(30):
        several, _ = series(k, n, p)
        if several == float("inf"):
            return p
        off = ways + k * log(p) + (n - k) * log1p(-p) + log(several) - aim
        step = off * several / k  # of the logarithm of p
        p = min(p * exp(-max(min(step, 2.0), -2.0)), (k + 0.999) / (n + 1))
        if abs(step) < 1e-9:
            break
    return p
