"""Closed intervals with certified ends, −∞ and ∞ among them: what an expression's values lie in on a box.

An end that is infinite is never attained, so that 0·∞ is 0. What is not defined on all of an interval has the whole
line: nothing is certified of it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, NamedTuple

from flint import arb, fmpq

_ZERO: Final = arb(0)
_INFINITY: Final = arb("inf")


class BallInterval(NamedTuple):
    """All numbers between two ends, which are exact balls or infinite."""

    low: arb
    high: arb

    @property
    def is_finite(self) -> bool:
        """True where neither end is infinite."""
        return bool(self.low.is_finite() and self.high.is_finite())

    def __add__(self, other: BallInterval) -> BallInterval:  # type: ignore[override]  # no tuples are joined
        return hull_of_balls(self.low + other.low, self.high + other.high)

    def __mul__(self, other: BallInterval) -> BallInterval:  # type: ignore[override]
        if self.low >= 0 and other.low >= 0:
            return hull_of_balls(_times(self.low, other.low), _times(self.high, other.high))
        ends = [_times(x, y) for x in self for y in other]
        lows, highs = [x.lower() for x in ends], [x.upper() for x in ends]
        return hull_of_balls(min(lows), max(highs))

    def exp(self) -> BallInterval:
        """e to each of them."""
        hull = hull_of_balls(self.low.exp(), self.high.exp())
        return BallInterval(hull.low if hull.low > 0 else _ZERO, hull.high)

    def log(self) -> BallInterval:
        """Their logarithms; the whole line where one is not positive."""
        if not self.low > 0:
            return LINE
        return hull_of_balls(self.low.log(), self.high.log())

    def ceil(self) -> BallInterval:
        """The next whole numbers."""
        return hull_of_balls(self.low.ceil(), self.high.ceil())

    def max(self, other: BallInterval) -> BallInterval:
        """The greater of each two."""
        return BallInterval(max(self.low, other.low), max(self.high, other.high))

    def power(self, exponent: Fraction) -> BallInterval:
        """Their powers; the whole line where one is not defined."""
        if exponent == 1:
            return self
        if exponent.denominator == 1 and exponent > 0:
            return self._whole_power(exponent.numerator)
        if not (self.low > 0 if exponent < 0 else self.low >= 0):
            return LINE
        low, high = (_root_power(x, exponent) for x in self)
        return hull_of_balls(low, high) if exponent > 0 else hull_of_balls(high, low)

    def _whole_power(self, exponent: int) -> BallInterval:
        low, high = self.low**exponent, self.high**exponent
        if exponent % 2 or self.low >= 0:
            return hull_of_balls(low, high)
        if self.high <= 0:
            return hull_of_balls(high, low)
        return BallInterval(_ZERO, max(low.upper(), high.upper()) if self.is_finite else _INFINITY)


LINE: Final = BallInterval(-_INFINITY, _INFINITY)


def hull_of_balls(low: arb, high: arb) -> BallInterval:
    """The interval between two ends that are known up to balls."""
    low, high = low.lower(), high.upper()
    return BallInterval(-_INFINITY if low.is_nan() else low, _INFINITY if high.is_nan() else high)


def rational_interval(low: Fraction | None, high: Fraction | None) -> BallInterval:
    """The interval between two rational ends, of which None is infinite."""
    return BallInterval(
        -_INFINITY if low is None else ball(low).lower(), _INFINITY if high is None else ball(high).upper()
    )


def ball(number: Fraction) -> arb:
    """A rational number as a ball."""
    return arb(fmpq(number.numerator, number.denominator))


def _times(x: arb, y: arb) -> arb:
    return _ZERO if x == 0 or y == 0 else x * y


def _root_power(x: arb, exponent: Fraction) -> arb:
    if x == 0:
        return _ZERO
    if not x.is_finite():
        return _INFINITY if exponent > 0 else _ZERO
    return x ** ball(exponent)
