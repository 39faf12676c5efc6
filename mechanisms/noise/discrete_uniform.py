"""Uniform noise on a range of whole numbers, which is compared and never listed.

It is what samplers of finite precision invert, such as GeoSample (Balcer & Vadhan, "Differential privacy on finite
computers"), which compares one whole number of many bits with cumulative counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from flint import arb, fmpq

from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.noise.uniform import interval_length
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, product, rational
from dpverify.mechanisms.numbers.integers.whole_numbers import whole_number
from dpverify.mechanisms.numbers.roots.exponential_polynomials import NOTHING, Piecewise, constant_function
from dpverify.mechanisms.numbers.roots.intervals import Endpoint, Intervals, half_open, intersection
from dpverify.mechanisms.numbers.shown import shown


@dataclass(frozen=True)
class DiscreteUniform(NoiseLaw):
    """Each of the whole numbers low, …, high with the same probability."""

    low: int
    high: int
    made_by: ClassVar[str] = "discrete_uniform"
    discrete: ClassVar[bool] = True

    @cached_property
    def support(self) -> Intervals:
        """The values that the noise may take."""
        return half_open(self.low, self.high + 1)

    @cached_property
    def _of_each(self) -> Exact:
        return rational(fmpq(1, self.high - self.low + 1))

    def mass(self, low: Endpoint | None, high: Endpoint | None) -> Exact:
        """Pr[low ≤ N < high]."""
        return product((interval_length(intersection(self.support, half_open(low, high))), self._of_each))

    @cached_property
    def density(self) -> Piecewise:
        """The whole k ↦ Pr[N = k]."""
        return Piecewise(True, (self.low, self.high + 1), (NOTHING, constant_function(self._of_each), NOTHING))

    def mirror_image(self) -> DiscreteUniform:
        """The law of −N."""
        return DiscreteUniform(-self.high, -self.low)

    def scaled(self, share: Fraction) -> DiscreteUniform:
        """The law with its ends times `share` > 0, rounded towards 0."""
        return DiscreteUniform(int(self.low * share), int(self.high * share))

    def quantile(self, level: arb, precision: int) -> arb | None:
        """A ball around the real x whose ceiling is the smallest k with Pr[N ≤ k] ≥ level."""
        return (self.high - self.low + 1) * level + (self.low - 1)

    def __str__(self) -> str:
        return f"uniform noise on {{{self.low}, …, {self.high}}}"


def discrete_uniform(low: int, high: int) -> DiscreteUniform:
    """Noise for `draw` that is each of the whole numbers low, …, high with the same probability.

    It is compared, clamped and released as other noise is, and its numbers are never listed: `uniform(range(…))` makes
    a path for each. Raises `InputError` unless low and high are whole numbers, and low ≤ high.
    """
    ends = []
    for name, end in (("low", low), ("high", high)):
        number = whole_number(end)
        if number is None:
            raise InputError(bad_input.NOT_WHOLE, f"{name}={shown(end)}", "")
        ends.append(number)
    if low > high:
        raise InputError(bad_input.LOW_HIGH, "discrete uniform noise", f"[{low}, {high}]")
    return DiscreteUniform(*ends)
