"""Laws of noise with Fractions, by their tails: this file imports nothing of dpverify.

ε stands for ln b, b a Fraction: noise of scale s falls by b^(-1/s), and a probability is a product of powers of b. Where
such a power is irrational a program is none for this oracle: `Irrational`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any, Final, NamedTuple

Number = int | Fraction


class Irrational(Exception):
    """A power of b is no Fraction."""


class NotHere(Exception):
    """A use of noise whose probability is not found here."""


def power(base: Fraction, exponent: Number) -> Fraction:
    """base^exponent, for whole exponents, and for halves where the root is rational. Raises `Irrational` else."""
    exponent = Fraction(exponent)
    if exponent.denominator == 2:
        roots = isqrt(base.numerator), isqrt(base.denominator)
        if roots[0] ** 2 == base.numerator and roots[1] ** 2 == base.denominator:
            return Fraction(*roots) ** exponent.numerator
    if exponent.denominator != 1:
        raise Irrational(f"{base}^{exponent}")
    return base**exponent.numerator


class Finite(NamedTuple):
    """Outcomes with probabilities that add up to 1."""

    outcomes: tuple[tuple[Any, Fraction], ...]


def normalised(weights: Mapping[Any, Number]) -> Finite:
    """A law from weights."""
    whole = sum(weights.values())
    return Finite(tuple((outcome, Fraction(weight) / whole) for outcome, weight in weights.items() if weight))


class PathCondition(NamedTuple):
    """Values of a noise that are left: from `low` on and below `high`."""

    low: Fraction | None = None
    high: Fraction | None = None


ZERO: Final = Fraction(0)


@dataclass(frozen=True)
class Noise:
    """A law on numbers, by Pr[N ≥ t]; discrete ones are whole."""

    kind: str
    scale: Fraction
    base: Fraction
    ends: tuple[Fraction | None, Fraction | None] = (None, None)
    discrete: bool = False

    @property
    def everything(self) -> PathCondition:
        """All its values."""
        low, high = self.ends
        return PathCondition(low, high + 1 if self.discrete and high is not None else high)

    def of_rest(self, rest: int, period: int) -> Fraction:
        """The probability that a discrete N leaves a rest modulo a period."""
        low, high = self.ends
        if low is not None and high is not None:
            first, last = int(low), int(high)
            return sum((self.tail(k) - self.tail(k + 1) for k in range(first, last + 1) if k % period == rest), ZERO)
        z = power(self.base, -1 / self.scale)
        if low is not None:
            return (1 - z) * z**rest / (1 - z**period)
        return (1 - z) / (1 + z) * (z**rest + z ** (period - rest)) / (1 - z**period)

    def tail(self, t: Number) -> Fraction:
        """Pr[N ≥ t]; of a discrete law t is whole."""
        low, high = self.ends
        if low is not None and t <= low:
            return Fraction(1)
        if high is not None and (t > high if self.discrete else t >= high):
            return Fraction(0)
        return self._inside(Fraction(t))

    def _inside(self, t: Fraction) -> Fraction:
        raise NotImplementedError


class TwoSided(Noise):
    """Laplace noise, discrete or not, truncated where it has ends."""

    def _inside(self, t: Fraction) -> Fraction:
        low, high = self.ends
        if low is None or high is None:
            return self._whole(t)
        beyond = self._whole(high + 1 if self.discrete else high)
        return (self._whole(t) - beyond) / (self._whole(low) - beyond)

    def _whole(self, t: Fraction) -> Fraction:
        if self.discrete:
            z = power(self.base, -1 / self.scale)
            return z**t.numerator / (1 + z) if t >= 1 else 1 - z ** (1 - t.numerator) / (1 + z)
        half = power(self.base, -abs(t) / self.scale) / 2
        return half if t >= 0 else 1 - half


class OneSided(Noise):
    """Exponential or geometric noise, from 0 on."""

    def _inside(self, t: Fraction) -> Fraction:
        return power(self.base, -t / self.scale)


class Even(Noise):
    """Uniform noise, on an interval or on whole numbers."""

    def _inside(self, t: Fraction) -> Fraction:
        low, high = self.ends
        assert low is not None and high is not None
        return Fraction(high - t + self.discrete, high - low + self.discrete)


class Steps(Noise):
    """Staircase noise of width 1 and γ = ½, whose density falls by b from one step to the next."""

    def _inside(self, t: Fraction) -> Fraction:
        if t < 0:
            return 1 - self._inside(-t)
        z, half = 1 / self.base, Fraction(1, 2)
        height = (1 - z) / (2 * (half + z * half))
        k = t.numerator // t.denominator
        into = t - k
        before = height * (min(into, half) + z * max(into - half, Fraction(0)))
        return z**k * (half - before)


class Clock(Noise):
    """Gumbel noise: whose s + N is the largest is decided as by exponential clocks of the rates b^(s/scale)."""
