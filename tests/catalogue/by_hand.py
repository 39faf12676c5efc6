"""Bounds by Fractions alone: what a refutation is computed anew with. Nothing of dpverify is imported here.

e^x is bounded from both sides by its series; e^(r·ln 2) = 2^r exactly.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import ceil, factorial, floor, prod
from typing import Any, TypeAlias

Bounds: TypeAlias = tuple[Fraction, Fraction]
NONE, ONE, THREE, TENTH, MILLIONTH = Fraction(0), Fraction(1), Fraction(3), Fraction(1, 10), Fraction(1, 10**6)
E_LOW, E_HIGH = Fraction("2.718281828"), Fraction("2.718281829")
LN_2_LOW, LN_2_HIGH = Fraction("0.6931"), Fraction("0.6932")
Epsilon: TypeAlias = Fraction | str
"""A number, or "ln 2"."""


@dataclass(frozen=True)
class Refutation:
    """Pr[the mechanism gives an outcome on a database], around it, against `times`·ε and δ as they are claimed."""

    probability: Callable[[Any, Any], Bounds]
    epsilon: Epsilon = ONE
    delta: Fraction = NONE
    times: int = 1

    def stands(self, left: Any, right: Any, event: tuple[Any, ...]) -> bool:
        """Whether the lower bound of p exceeds the upper bound of e^(times·ε)·q + δ."""
        p = sum(self.probability(left, outcome)[0] for outcome in event)
        q = sum(self.probability(right, outcome)[1] for outcome in event)
        return p > exp_epsilon(self.epsilon, self.times)[1] * q + self.delta


@cache
def e_to(x: Fraction) -> Bounds:
    """Rationals around e^x: the series up to a term, and the geometric bound on the rest; of x > 40, (e^(x/2))²."""
    if x < 0:
        low, high = e_to(-x)
        return 1 / high, 1 / low
    if x > 40:
        low, high = short(e_to(x / 2))
        return low**2, high**2
    terms = 40 + 4 * int(x)
    # Horner's rule on whole numbers, brought into lowest terms once
    top, bottom = 1, 1
    for i in range(terms - 1, 0, -1):
        bottom *= i * x.denominator
        top = bottom + x.numerator * top
    partial, term = Fraction(top, bottom), x**terms / factorial(terms)
    return partial, partial + term / (1 - x / (terms + 1))


def exp_epsilon(epsilon: Epsilon, power: Fraction | int) -> Bounds:
    """Around e^(power·ε)."""
    if isinstance(epsilon, str):
        assert Fraction(power).denominator == 1
        return Fraction(2) ** int(power), Fraction(2) ** int(power)
    return e_to(epsilon * power)


def root(x: Fraction, n: int) -> Bounds:
    """Around the n-th root of x."""
    scale = 10**30
    target = x * Fraction(scale) ** n
    low, high = 0, scale * max(1, int(x) + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if Fraction(middle) ** n <= target else (low, middle)
    return Fraction(low, scale), Fraction(high, scale)


def power(base: Fraction, exponent: Fraction) -> Bounds:
    """Around base^exponent for base > 1 and 0 ≤ exponent: p-th powers of bounds on the q-th root."""
    low, high = root(base**exponent.numerator, exponent.denominator)
    return low, high


def logarithm(x: Fraction) -> Bounds:
    """Around ln x, x ≥ 1."""
    low, high = Fraction(0), x
    while high - low > MILLIONTH**3:
        middle = Fraction(round((low + high) / 2 * 10**24), 10**24)
        low, high = (middle, high) if e_to(middle)[1] <= x else (low, middle)
    return low, high


def outward(bounds: Bounds, digits: int) -> Bounds:
    """The same with so many digits behind the point, rounded away from what lies between."""
    scale = 10**digits
    return Fraction(floor(bounds[0] * scale), scale), Fraction(ceil(bounds[1] * scale), scale)


def short(bounds: Bounds) -> Bounds:
    """Bounds ≥ 0 with few digits, outside of these."""
    return Fraction(int(bounds[0] * 10**30), 10**30), Fraction(int(bounds[1] * 10**30) + 1, 10**30)


def times(*factors: Bounds) -> Bounds:
    """The product of numbers that are not negative."""
    return prod((low for low, _ in factors), start=ONE), prod((high for _, high in factors), start=ONE)


def decay(rate: Bounds, x: Fraction) -> Bounds:
    """Around e^(−rate·x), x ≥ 0."""
    return outward((e_to(-rate[1] * x)[0], e_to(-rate[0] * x)[1]), 60)


def best_and_gap(scores: tuple[int, ...]) -> tuple[int, int]:
    best = scores.index(max(scores))
    return best, max(scores) - max(score for i, score in enumerate(scores) if i != best)


def laplace_tail(delta: Fraction, epsilon: Epsilon, gap: int) -> Bounds:
    """Pr[gap + Lap(1/ε) ≥ (1/ε)·ln(1/δ)]: ½·δ·e^(ε·gap) while that is at most ½, else 1 − e^(−ε·gap)/(2δ)."""
    low, high = exp_epsilon(epsilon, gap)
    if high * delta <= 1:
        return low * delta / 2, high * delta / 2
    assert low * delta > 1
    return 1 - 1 / (2 * delta * low), 1 - 1 / (2 * delta * high)


def geometric_tail(z: Bounds, k: int) -> Bounds:
    """Pr[N ≥ k] = z^k/(1 + z) for k ≥ 1, 1 − z^(1−k)/(1 + z) for k ≤ 0."""
    low, high = z
    if k >= 1:
        return low**k / (1 + high), high**k / (1 + low)
    return 1 - high ** (1 - k) / (1 + low), 1 - low ** (1 - k) / (1 + high)
