"""Uniform noise on an interval."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from flint import arb

from dpverify.mechanisms.noise.derived import mirrored
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, ExactLike, exact, inverse
from dpverify.mechanisms.numbers.exact_text import at_a_glance
from dpverify.mechanisms.numbers.roots.exponential_polynomials import NOTHING, Piecewise, constant_function
from dpverify.mechanisms.numbers.roots.intervals import Endpoint, Intervals, half_open, intersection


@dataclass(frozen=True)
class Uniform(NoiseLaw):
    """Density 1/(high - low) on low ≤ x < high."""

    low: Exact
    high: Exact
    made_by: ClassVar[str] = "uniform_noise"
    discrete: ClassVar[bool] = False

    @cached_property
    def support(self) -> Intervals:
        """The values that the noise may take."""
        return half_open(self.low, self.high)

    @cached_property
    def _height(self) -> Exact:
        return inverse(self.high - self.low)

    def mass(self, low: Endpoint | None, high: Endpoint | None) -> Exact:
        """Pr[low ≤ N < high]."""
        return interval_length(intersection(self.support, half_open(low, high))) * self._height

    @cached_property
    def density(self) -> Piecewise:
        """x ↦ the density at x."""
        return Piecewise(False, (self.low, self.high), (NOTHING, constant_function(self._height), NOTHING))

    def mirror_image(self) -> NoiseLaw:
        """The law of −N."""
        return mirrored(self)

    def scaled(self, share: Fraction) -> Uniform:
        """The law with its ends times `share` > 0."""
        return Uniform(self.low * share, self.high * share)

    def quantile(self, level: arb, precision: int) -> arb | None:
        """A ball around the x with Pr[N < x] = level."""
        low = enclosure(self.low, precision)
        return low + (enclosure(self.high, precision) - low) * level

    def __str__(self) -> str:
        return f"uniform noise on [{self.low}, {self.high}]"


def interval_length(values: Intervals) -> Exact:
    """The length of an interval, or the number of whole numbers in it; 0 for none."""
    if not values:
        return ZERO
    ((low, high),) = values
    assert low is not None
    assert high is not None
    return exact(high - low)


def uniform_noise(low: ExactLike, high: ExactLike) -> Uniform:
    """Noise for `draw` that is uniform on the interval [low, high]. Raises `InputError` unless low < high.

    >>> def far(draw, n):
    ...     return n + draw(uniform_noise(-2, 2)) >= 2
    >>> distribution(far, 1).probability(True)
    Fraction(1, 4)
    """
    ends = exact(low, "low"), exact(high, "high")
    if not ends[0] < ends[1]:
        texts = at_a_glance(ends[0]), at_a_glance(ends[1])
        raise InputError(bad_input.LOW_HIGH, "uniform noise", f"({texts[0]}, {texts[1]})")
    return Uniform(*ends)
