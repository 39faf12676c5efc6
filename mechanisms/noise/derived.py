"""Noise that is made of other noise: mirrored, given that it lies in an interval, or rounded down to a whole number.

Truncating conditions a law on [-bound, bound]: that is another law, with other privacy claims.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor

from flint import arb

from dpverify.mechanisms.noise.law import NoiseLaw, ShiftFamily, probability
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.exact_numbers import (
    ONE,
    ZERO,
    Exact,
    as_parameter,
    exact,
    inverse,
    negative,
    product,
    reciprocal_of_nonzero,
)
from dpverify.mechanisms.numbers.roots.exponential_polynomials import ExpPoly, Piecewise, composed
from dpverify.mechanisms.numbers.roots.intervals import (
    EVERYTHING,
    Endpoint,
    Intervals,
    half_open,
    intersection,
    multiplied,
)
from dpverify.mechanisms.numbers.roots.whole_forms import rounded_whole

_MIRRORED = negative(ONE)


@dataclass(frozen=True)
class Derived(NoiseLaw):
    """The law of slope·N + shift, or of its whole part, given that N ∈ known, which is one interval.

    What is not rounded down has slope ±1 and shift 0. For whole N that is rounded the slope is 1/m or -1/m, m whole:
    its density would else change its form from number to number.
    """

    law: NoiseLaw
    slope: Exact
    shift: Exact
    known: Intervals
    is_floored: bool

    @property
    def discrete(self) -> bool:
        """True where the noise takes whole values."""
        return self.is_floored or self.law.discrete

    @property
    def is_certified(self) -> bool:  # type: ignore[override]  # as of N
        return self.law.is_certified

    @property
    def shift_family(self) -> ShiftFamily | None:
        """See `NoiseLaw`: of rounded Gaussian noise, as moved noise has a monotone p/q, and so have whole parts."""
        if isinstance(self.law, Derived) and self.slope == -1 and not self.is_floored and not self._is_known:
            return self.law._family_mirrored
        if self._is_known or not self.is_floored:
            return None
        steps = self._steps
        if self.law.normal_scale is not None:
            return ShiftFamily("rounded", abs(self.slope) * self.law.normal_scale, self.shift)
        if self.law.whole_gaussian_scale is None or steps is None:
            return None
        kind = "rounded whole", self.law, steps
        return ShiftFamily(
            kind, self.law.whole_gaussian_scale / steps, exact(Fraction(floor(self.shift * steps), steps))
        )

    @property
    def _family_mirrored(self) -> ShiftFamily | None:
        """Law of −⌊N + s⌋, which is ⌊−N − s⌋ + 1 for real N but for an event of probability 0."""
        family = self.shift_family
        if family is None:
            return None
        last = 1 if self._steps is None else exact(Fraction(self._steps - 1, self._steps))  # ⌈y⌉ of a multiple y of 1/m
        return family._replace(shift=last - family.shift)

    @property
    def _steps(self) -> int | None:
        """The m of which whole N is divided by; None for real N."""
        if not self.law.discrete:
            return None
        steps = as_parameter(inverse(abs(self.slope)))
        assert isinstance(steps, Fraction)
        assert steps.denominator == 1, "the slope is 1/m or -1/m"
        return steps.numerator

    @property
    def made_by(self) -> str:
        """See `Undrawn`: of this what is truncated alone is drawn."""
        return f"truncated_{self.law.made_by}"

    @property
    def tail_scale(self) -> Exact | None:
        scale = self.law.tail_scale
        return None if scale is None else scale * abs(self.slope)

    @property
    def _is_known(self) -> bool:
        """True where something is known of N that it would not be without."""
        return self.known != self.law.support

    @cached_property
    def _of_known(self) -> Exact:
        return reciprocal_of_nonzero(probability(self.law, self.known)) if self._is_known else ONE

    @cached_property
    def support(self) -> Intervals:
        """The values that the noise may take."""
        if not self.is_floored:
            return self._mirrored(self.known)
        ((low, high),) = self._mirrored(self.known)
        if high is None:
            below = None
        else:
            last = exact(high - 1 if isinstance(high, int) else high) * abs(self.slope) + self.shift
            below = floor(last) + 1 if isinstance(high, int) else ceil(last)
        return half_open(None if low is None else floor(low * abs(self.slope) + self.shift), below)

    def _mirrored(self, values: Intervals) -> Intervals:
        """The values of N as those of −N, where the slope is negative."""
        return values if self.slope > 0 else multiplied(values, _MIRRORED)

    def mass(self, low: Endpoint | None, high: Endpoint | None) -> Exact:
        """Pr[low ≤ what is made of N < high]."""
        return self.probability(half_open(low, high))

    def probability(self, values: Intervals) -> Exact:
        """Pr[what is made of N ∈ values]."""
        firsts = tuple(piece for low, high in values for piece in half_open(self._first(low), self._first(high)))
        return product((probability(self.law, intersection(self._mirrored(firsts), self.known)), self._of_known))

    def _first(self, end: Endpoint | None) -> Endpoint | None:
        """The least ±N of which its value is ≥ end."""
        if end is None or not self.is_floored:
            return end
        first = (end - self.shift) / abs(self.slope)
        return rounded_whole(ceil(first)) if self.law.discrete else first

    @cached_property
    def density(self) -> Piecewise:
        """x ↦ the density at x, or the probability of the whole number x."""
        inside = self.law.density
        if self._is_known:
            inside = inside.within(self.known).scaled(self._of_known)
        turned = inside if self.slope > 0 else inside.composed(_MIRRORED, 0)
        if not self.is_floored:
            return turned
        below = turned.cumulative
        up_to = self._below_whole(below) if self.law.discrete else self._below_real(below)
        return up_to.composed(ONE, 1).plus(up_to.scaled(_MIRRORED))

    def _below_real(self, below: Piecewise) -> Piecewise:
        """The whole k ↦ Pr[slope·N + shift < k], from the distribution function of N, which is real."""
        rate = inverse(abs(self.slope))
        moved = below.composed(rate, -self.shift * rate)
        return of_whole([ceil(end) for end in moved.breaks], moved.pieces)

    def _below_whole(self, below: Piecewise) -> Piecewise:
        """The whole k ↦ Pr[slope·N + shift < k] = Pr[N < ⌈m·(k − shift)⌉], likewise, for whole N."""
        steps = self._steps
        assert steps is not None
        moved = floor(self.shift * steps)
        pieces = [composed(piece, exact(steps), exact(-moved)) for piece in below.pieces]
        return of_whole([rounded_whole(ceil((exact(end) + moved) / steps)) for end in below.breaks], pieces)

    def mirror_image(self) -> NoiseLaw:
        """The law of minus this: of −N that of N, and of N in an interval around 0 itself, where N is symmetric."""
        if self.is_floored:
            return mirrored(self)
        if self.slope < 0 and not self._is_known:
            return self.law
        is_symmetric = self.law.mirror_image() == self.law and multiplied(self.known, _MIRRORED) == self.known
        return self if is_symmetric else mirrored(self)

    def scaled(self, share: Fraction) -> Derived:
        """The law of N with its scale times `share` > 0, in the interval as it is: what is drawn is truncated alone."""
        assert not self.is_floored and self.slope > 0, "they are not drawn, but made of what is drawn"
        return replace(self, law=self.law.scaled(share))

    def refuse_use(self, what: str) -> None:
        """As of N."""
        self.law.refuse_use(what)

    def quantile(self, level: arb, precision: int) -> arb | None:
        """As for N, with the level moved into the part that is known; what is mirrored is found from the other end."""
        if not self.is_floored and self.slope < 0:
            level = 1 - level
        if self._is_known:
            first = self.known[0][0]
            low = arb(0) if first is None else enclosure(self.law.mass(None, first), precision)
            level = low + level / enclosure(self._of_known, precision)
        at = self.law.quantile(level, precision)
        if at is None:
            return None
        return self._of_quantile(at, precision)

    def _of_quantile(self, at: arb, precision: int) -> arb | None:
        """The value made of a quantile of N."""
        if not self.is_floored:
            if self.slope > 0:
                return at
            return -at - 1 if self.discrete else -at  # the floor of x is the ceiling of x - 1, but for whole x
        if not self.law.discrete:
            return enclosure(self.slope, precision) * at + enclosure(self.shift, precision) - 1
        whole = at.ceil().unique_fmpz()
        return None if whole is None else arb(floor(self.slope * int(whole) + self.shift))

    def __str__(self) -> str:
        if self.is_floored:
            given = "" if self.known in (EVERYTHING, self.law.support) else ", given what was known of it"
            return f"⌊{self.slope}·({self.law}) + {self.shift}⌋{given}"
        turned = str(self.law) if self.slope > 0 else f"mirrored {self.law}"
        if not self._is_known:
            return turned
        ((low, high),) = self.known
        return f"{turned} truncated to [{low}, {high - 1 if isinstance(high, int) else high}]"


def mirrored(law: NoiseLaw) -> Derived:
    """The law of −N, for an N whose law is not symmetric; what is released with a negative factor has it."""
    return Derived(law, _MIRRORED, ZERO, law.support, False)


def truncated(law: NoiseLaw, bound: Endpoint) -> Derived:
    """The law of N given that it lies in [-bound, bound]."""
    return Derived(law, ONE, ZERO, half_open(-bound, bound + 1 if law.discrete else bound), False)


def floored(law: NoiseLaw, slope: Exact, shift: Exact, known: Intervals) -> Derived:
    """The law of ⌊slope·N + shift⌋, given that N ∈ known, which is one interval."""
    return Derived(law, slope, shift, known, True)


def of_whole(breaks: Sequence[int], pieces: Sequence[ExpPoly]) -> Piecewise:
    """The function of a whole variable with these pieces, of which those are left out that hold no whole number."""
    kept = [i for i, end in enumerate(breaks) if i + 1 == len(breaks) or breaks[i + 1] != end]
    return Piecewise(True, tuple(breaks[i] for i in kept), (pieces[0], *(pieces[i + 1] for i in kept)))
