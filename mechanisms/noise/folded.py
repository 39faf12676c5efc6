"""Continuous noise that was folded into a range: reflected at its ends until it lies inside."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from flint import arb

from dpverify.mechanisms.noise.derived import mirrored
from dpverify.mechanisms.noise.law import NoiseLaw, probability
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.exact_numbers import Exact, inverse, negative, product
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise
from dpverify.mechanisms.numbers.roots.folded_densities import folded_density
from dpverify.mechanisms.numbers.roots.intervals import Endpoint, Intervals, half_open, intersection


@dataclass(frozen=True)
class Folded(NoiseLaw):
    """The law of slope·N + shift, given that N ∈ known, reflected at `low` and `high` until it lies between."""

    law: NoiseLaw
    slope: Exact
    shift: Exact
    known: Intervals
    low: Exact
    high: Exact
    made_by: ClassVar[str] = "folded"
    discrete: ClassVar[bool] = False

    @property
    def support(self) -> Intervals:
        return half_open(self.low, self.high)

    @cached_property
    def density(self) -> Piecewise:
        """x ↦ the density at x."""
        inside = self.law.density
        if self.known != self.law.support:
            inside = inside.within(self.known).scaled(inverse(probability(self.law, self.known)))
        rate = inverse(self.slope)
        moved = inside.composed(rate, negative(product((rate, self.shift)))).scaled(abs(rate))
        return folded_density(moved, self.low, self.high)

    @cached_property
    def _cumulative(self) -> Piecewise:
        return self.density.cumulative

    def mass(self, low: Endpoint | None, high: Endpoint | None) -> Exact:
        """Pr[low ≤ N < high]."""
        ((start, end),) = intersection(self.support, half_open(low, high)) or ((self.low, self.low),)
        return self._cumulative.between(start, end)

    def mirror_image(self) -> NoiseLaw:
        """The law of minus this."""
        return mirrored(self)

    def scaled(self, share: Fraction) -> NoiseLaw:
        """Nothing: it is not drawn, but made of what is drawn."""
        raise AssertionError("it is not drawn, but made of what is drawn")

    def quantile(self, level: arb, precision: int) -> arb | None:
        """A ball around what a quantile of N is folded to: of this law for a uniform level, though it does not rise."""
        at = self.law.quantile(level, precision)
        if at is None:
            return None
        low, width = enclosure(self.low, precision), enclosure(self.high - self.low, precision)
        steps = (enclosure(self.slope, precision) * at + enclosure(self.shift, precision) - low) / width
        count = steps.floor().unique_fmpz()
        if count is None:
            return None
        into = (steps - count) * width
        return low + (into if int(count) % 2 == 0 else width - into)

    def __str__(self) -> str:
        given = "" if self.known == self.law.support else ", given what was known of it,"
        return f"{self.slope}·({self.law}) + {self.shift}{given} folded into [{self.low}, {self.high}]"
