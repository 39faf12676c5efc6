"""Noise laws that are made of others: the laws of noise that is mirrored, or rounded down to a whole number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import ClassVar, Protocol

from flint import arb

from dpverify.mechanisms.exact.enclosure import enclosure
from dpverify.mechanisms.exact.exact_numbers import (
    ONE,
    Exact,
    as_parameter,
    exact,
    inverse,
    negative,
    product,
    reciprocal_of_nonzero,
    total,
)
from dpverify.mechanisms.exact.exponential_polynomials import ExpPoly, Piecewise, composed
from dpverify.mechanisms.exact.intervals import EVERYTHING, Endpoint, Intervals, between, intersection, multiplied
from dpverify.mechanisms.laws.undrawn import Undrawn


class Law(Protocol):
    """What is asked of the law of a noise N that others are made of."""

    @property
    def discrete(self) -> bool:
        """Whether the noise takes whole values."""

    @property
    def support(self) -> Intervals:
        """The values that the noise may take."""

    @property
    def density(self) -> Piecewise:
        """X ↦ the density at x, or the probability of the whole number x."""

    def mass(self, low: Endpoint | None, high: Endpoint | None) -> Exact:
        """Pr[low ≤ N < high]."""

    def quantile(self, level: arb, precision: int) -> arb | None:
        """A ball around the x with Pr[N < x] = level; for whole N around one whose ceiling is the quantile.

        None where the ball `level` is too wide.
        """


@dataclass(frozen=True)
class Mirrored(Undrawn):
    """The law of −N, for an N whose law is not symmetric; what is released with a negative factor has it."""

    law: Law

    @property
    def discrete(self) -> bool:
        """Whether the noise takes whole values."""
        return self.law.discrete

    @cached_property
    def support(self) -> Intervals:
        """The values that the noise may take."""
        return multiplied(self.law.support, negative(ONE))

    def mass(self, low: Endpoint | None, high: Endpoint | None) -> Exact:
        """Pr[low ≤ −N < high]."""
        return total(self.law.mass(*interval) for interval in multiplied(between(low, high), negative(ONE)))

    @cached_property
    def density(self) -> Piecewise:
        """X ↦ the density at x, or the probability of the whole number x."""
        return self.law.density.composed(negative(ONE), 0)

    def quantile(self, level: arb, precision: int) -> arb | None:
        """As for the law that is mirrored, from the other end."""
        found = self.law.quantile(1 - level, precision)
        if found is None or not self.discrete:
            return None if found is None else -found
        return -found - 1  # the floor of x is the ceiling of x - 1, but for whole x

    def __str__(self) -> str:
        return f"mirrored {self.law}"


@dataclass(frozen=True)
class Floored(Undrawn):
    """The law of ⌊slope·N + shift⌋, given that N ∈ known, which is one interval.

    For whole N the slope is 1/m or -1/m, m whole: its density would else change its form from number to number.
    """

    law: Law
    slope: Exact
    shift: Exact
    known: Intervals
    discrete: ClassVar[bool] = True

    @cached_property
    def _of_known(self) -> Exact:
        return reciprocal_of_nonzero(total(self.law.mass(*interval) for interval in self.known))

    @cached_property
    def support(self) -> Intervals:
        """The values that the noise may take."""
        ((low, high),) = self._mirrored(self.known)
        if high is None:
            below = None
        else:
            last = exact(high - 1 if isinstance(high, int) else high) * abs(self.slope) + self.shift
            below = floor(last) + 1 if isinstance(high, int) else ceil(last)
        return between(None if low is None else floor(low * abs(self.slope) + self.shift), below)

    def _mirrored(self, values: Intervals) -> Intervals:
        """The values of N as those of −N, where the slope is negative."""
        return values if self.slope > 0 else multiplied(values, negative(ONE))

    def mass(self, low: Endpoint | None, high: Endpoint | None) -> Exact:
        """Pr[low ≤ ⌊slope·N + shift⌋ < high]."""
        inside = intersection(self._mirrored(between(self._first(low), self._first(high))), self.known)
        return product((total(self.law.mass(*interval) for interval in inside), self._of_known))

    def _first(self, end: Endpoint | None) -> Endpoint | None:
        """From which ±N on ⌊slope·N + shift⌋ ≥ end."""
        if end is None:
            return None
        first = (end - self.shift) / abs(self.slope)
        return ceil(first) if self.law.discrete else first

    @cached_property
    def density(self) -> Piecewise:
        """The whole k ↦ Pr[⌊slope·N + shift⌋ = k]."""
        given = self.law.density.within(self.known).scaled(self._of_known)
        below = (given if self.slope > 0 else given.composed(negative(ONE), 0)).cumulative
        up_to = self._below_whole(below) if self.law.discrete else self._below_real(below)
        return up_to.composed(ONE, 1).plus(up_to.scaled(negative(ONE)))

    def _below_real(self, below: Piecewise) -> Piecewise:
        """The whole k ↦ Pr[slope·N + shift < k], from the distribution function of N, which is real."""
        rate = inverse(abs(self.slope))
        moved = below.composed(rate, -self.shift * rate)
        return of_whole([ceil(end) for end in moved.breaks], moved.pieces)

    def _below_whole(self, below: Piecewise) -> Piecewise:
        """The whole k ↦ Pr[slope·N + shift < k] = Pr[N < ⌈m·(k − shift)⌉], likewise, for whole N."""
        steps = as_parameter(inverse(abs(self.slope)))
        assert isinstance(steps, Fraction)
        assert steps.denominator == 1, "the slope is 1/m or -1/m"
        moved = floor(self.shift * steps)
        pieces = [composed(piece, exact(steps), exact(-moved)) for piece in below.pieces]
        return of_whole([ceil((exact(end) + moved) / steps) for end in below.breaks], pieces)

    def quantile(self, level: arb, precision: int) -> arb | None:
        """As for the law below it, with the level moved into the part that is known."""
        low = enclosure(self.law.mass(None, self.known[0][0]), precision) if self.known[0][0] is not None else arb(0)
        found = self.law.quantile(low + level / enclosure(self._of_known, precision), precision)
        if found is None:
            return None
        if not self.law.discrete:
            return enclosure(self.slope, precision) * found + enclosure(self.shift, precision) - 1
        whole = found.ceil().unique_fmpz()
        return None if whole is None else arb(floor(self.slope * int(whole) + self.shift))

    def __str__(self) -> str:
        given = "" if self.known in (EVERYTHING, self.law.support) else ", given what was known of it"
        return f"⌊{self.slope}·({self.law}) + {self.shift}⌋{given}"


def of_whole(breaks: Sequence[int], pieces: Sequence[ExpPoly]) -> Piecewise:
    """The function of a whole variable with these pieces, of which those are left out that hold no whole number."""
    kept = [i for i, end in enumerate(breaks) if i + 1 == len(breaks) or breaks[i + 1] != end]
    return Piecewise(True, tuple(breaks[i] for i in kept), (pieces[0], *(pieces[i + 1] for i in kept)))
