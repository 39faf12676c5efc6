"""Densities with tails that repeat themselves: after each period they are what they were, times one factor below 1.

Staircase noise falls so, step after step, and discrete noise of geometric tails plus noise that is bounded. Where
two such densities have one period and one factor, their ratio beyond both middles is periodic: what tells the two laws
apart of a number there is its place within the period. So with all periods of a tail put on the first one, the two are
ordinary functions with finitely many pieces, and nothing of their comparison is lost.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, reduce
from math import ceil
from typing import Final, NamedTuple, TypeAlias

from dpverify.mechanisms.numbers.errors import InputError, Undecided, bad_input, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, exact, power, product, reciprocal_of_nonzero
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise
from dpverify.mechanisms.numbers.roots.intervals import Endpoint, Intervals

MOST_PERIODS: Final = 1 << 12
"""Periods that are written out one by one."""


@dataclass(frozen=True, eq=False)
class PeriodicTails:
    """A density f with f(x + period) = fall·f(x) for x ≥ high, and f(x − period) = fall·f(x) for x < low.

    `near` is f on [low − period, high + period), and 0 elsewhere. low ≤ high, period > 0, 0 < fall < 1.
    """

    near: Piecewise
    low: Exact
    high: Exact
    period: Exact
    fall: Exact

    @property
    def breaks(self) -> tuple[Endpoint, ...]:
        """Those of `near`."""
        return self.near.breaks

    @property
    def mass(self) -> Exact:
        """Its integral over everything."""
        return self.folded.mass

    @cached_property
    def folded(self) -> Piecewise:
        """With all periods of each tail on the first one."""
        whole = reciprocal_of_nonzero(ONE - self.fall)
        tails = self.near.within(((self.low - self.period, self.low), (self.high, self.high + self.period)))
        middle = (self.near.within(((self.low, self.high),)),) if self.low < self.high else ()
        return reduce(Piecewise.plus, middle, tails.scaled(whole))

    def around(self, low: Exact, high: Exact) -> PeriodicTails:
        """The same function with a middle from `low` to `high`, which reach as far as its own or beyond.

        Raises `InputError` where there are too many periods between.
        """
        to_left, to_right = (
            max(0, ceil(by / self.period)) for by in (product((exact(-1), low - self.low)), high - self.high)
        )
        if to_left + to_right == 0:
            return self
        if to_left + to_right > MOST_PERIODS:
            raise InputError(
                bad_input.BEYOND,
                "the distance of two noises whose tails repeat",
                f"{MOST_PERIODS:,} periods",
                "use laplace",
            )
        parts = [self.near]
        left = self.near.within(((self.low - self.period, self.low),))
        right = self.near.within(((self.high, self.high + self.period),))
        for tail, count, way in ((left, to_left, 1), (right, to_right, -1)):
            for j in range(1, count + 1):
                moved = tail.composed(ONE, product((exact(way * j), self.period)))
                parts.append(moved.scaled(power(self.fall, j)))
        near = reduce(Piecewise.plus, parts).within(((low - self.period, high + self.period),))
        return PeriodicTails(near, low, high, self.period, self.fall)

    def between(self, low: Endpoint | None, high: Endpoint | None) -> Exact:
        """The mass of an interval, where None is the end of the line."""
        kept = self.within(((low, high),))
        return kept.mass

    def within(self, values: Intervals) -> PeriodicTails | Piecewise:
        """The function on `values`, and 0 elsewhere; of values between two numbers an ordinary function."""
        ends = [exact(end) for interval in values for end in interval if end is not None]
        wide = self.around(min([self.low, *ends]), max([self.high, *ends]))
        near = wide.near.within(values)
        if any(end is None for interval in values for end in interval):
            return PeriodicTails(near, wide.low, wide.high, wide.period, wide.fall)
        return near

    def composed(self, slope: Exact, shift: Endpoint) -> PeriodicTails:
        """y ↦ function(slope·y + shift)."""
        ends = [(end - exact(shift)) / slope for end in (self.low, self.high)]
        if slope < 0:
            ends.reverse()
        period = self.period if slope is ONE else self.period / abs(slope)
        return PeriodicTails(self.near.composed(slope, shift), ends[0], ends[1], period, self.fall)

    def scaled(self, factor: Exact) -> PeriodicTails:
        """factor·function."""
        return PeriodicTails(self.near.scaled(factor), self.low, self.high, self.period, self.fall)

    def plus(self, other: PeriodicTails) -> PeriodicTails:
        """The sum of two functions. Raises `Undecided` where period or factor are not the same."""
        _refuse_unlike(self, other)
        low, high = min(self.low, other.low), max(self.high, other.high)
        near = self.around(low, high).near.plus(other.around(low, high).near)
        return PeriodicTails(near, low, high, self.period, self.fall)

    def is_alike(self, other: PeriodicTails) -> bool:
        """True where both are the same function in the same form."""
        numbers = ((self.low, other.low), (self.high, other.high), (self.period, other.period), (self.fall, other.fall))
        return (
            self.near.breaks == other.near.breaks
            and self.near.pieces == other.near.pieces
            and all(mine == theirs for mine, theirs in numbers)
        )


def is_bounded(density: Piecewise) -> bool:
    """True where a density is 0 outside of an interval."""
    return bool(density.breaks) and not density.pieces[0] and not density.pieces[-1]


AnyDensity: TypeAlias = Piecewise | PeriodicTails
"""The density of a released real number."""


class Tails(NamedTuple):
    """The places of two functions, with all periods of their tails on the first ones, and by how much a period falls.

    The first periods are the ones beside the middle, from `low` to `high`.
    """

    low: Exact
    high: Exact
    period: Exact
    fall: Exact


class FoldedPair(NamedTuple):
    """Two densities as functions of finitely many pieces, which compare as they do."""

    p: Piecewise
    q: Piecewise
    tails: Tails | None
    """None where they were such functions before."""


def folded_together(p: AnyDensity, q: AnyDensity) -> FoldedPair:
    """Two densities, the tails of both put on the same first periods. Raises `Undecided` where these are unlike."""
    if isinstance(p, Piecewise) and isinstance(q, Piecewise):
        return FoldedPair(p, q, None)
    left, right = _with_tails_of(p, q), _with_tails_of(q, p)
    _refuse_unlike(left, right)
    low, high = min(left.low, right.low), max(left.high, right.high)
    return FoldedPair(
        left.around(low, high).folded, right.around(low, high).folded, Tails(low, high, left.period, left.fall)
    )


def sum_of_densities(densities: Iterable[AnyDensity]) -> AnyDensity:
    """The sum. Raises `Undecided` where some have tails that are unlike."""
    parts = list(densities)
    first = next((part for part in parts if isinstance(part, PeriodicTails)), None)
    if first is None:
        return reduce(Piecewise.plus, (part for part in parts if isinstance(part, Piecewise)))
    return reduce(PeriodicTails.plus, (_with_tails_of(part, first) for part in parts))


def _with_tails_of(density: AnyDensity, other: AnyDensity) -> PeriodicTails:
    """A density as one with tails, which are 0 where it is bounded."""
    if isinstance(density, PeriodicTails):
        return density
    assert isinstance(other, PeriodicTails), "one of the two has tails"
    if not is_bounded(density):
        raise Undecided(bad_mechanism.UNLIKE_TAILS)
    low, high = (exact(end) for end in (density.breaks[0], density.breaks[-1]))
    return PeriodicTails(density, low, high, other.period, other.fall)


def _refuse_unlike(left: PeriodicTails, right: PeriodicTails) -> None:
    if left.period != right.period or left.fall != right.fall:
        raise Undecided(bad_mechanism.UNLIKE_TAILS)
