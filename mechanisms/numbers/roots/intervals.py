"""Sets on the line as finite unions of half-open intervals [low, high), for the values that a noise may still take.

End points are all whole (for discrete noise) or all `Exact`; None stands for −∞ on the left and ∞ on the right.
"""

from typing import Final, TypeAlias

from dpverify.mechanisms.numbers.exact_numbers import Exact, exact
from dpverify.mechanisms.numbers.roots.whole_forms import is_whole

Endpoint: TypeAlias = int | Exact
Interval: TypeAlias = tuple[Endpoint | None, Endpoint | None]
Intervals: TypeAlias = tuple[Interval, ...]
"""Disjoint, not empty, in rising order."""

EVERYTHING: Final[Intervals] = ((None, None),)


def is_everything(values: Intervals) -> bool:
    """True where the values are all numbers; as `values == EVERYTHING`, which asks whether numbers are None."""
    return len(values) == 1 and values[0][0] is None and values[0][1] is None


def ray(low: Endpoint) -> Intervals:
    """[low, ∞)."""
    return ((low, None),)


def below(high: Endpoint) -> Intervals:
    """(−∞, high)."""
    return ((None, high),)


def half_open(low: Endpoint | None, high: Endpoint | None) -> Intervals:
    """[low, high), empty where low ≥ high."""
    return () if low is not None and high is not None and low >= high else ((low, high),)


def other_than(value: int) -> Intervals:
    """The whole numbers except `value`."""
    return ((None, value), (value + 1, None))


def negated(values: Intervals) -> Intervals:
    """The whole numbers -x for whole x in `values`."""
    return tuple(
        (None if high is None else 1 - high, None if low is None else 1 - low) for low, high in reversed(values)
    )


def shifted(values: Intervals, by: int) -> Intervals:
    """The numbers x + by for x in `values`."""
    return tuple((None if low is None else low + by, None if high is None else high + by) for low, high in values)


def multiplied(values: Intervals, factor: Exact) -> Intervals:
    """The numbers factor·x for x in `values`, apart from ends; factor ≠ 0, and ±1 for whole numbers."""
    if factor == 1:
        return values
    if any(is_whole(end) for interval in values for end in interval):
        return negated(values)
    scaled = [tuple(None if end is None else end * factor for end in interval) for interval in values]
    return tuple((low, high) if factor > 0 else (high, low) for low, high in scaled[:: 1 if factor > 0 else -1])


def sums(left: Intervals, right: Intervals) -> Intervals:
    """The numbers x + y for x in `left` and y in `right`, in intervals that may overlap, in no order."""
    return tuple((_added(a[0], b[0], 0), _added(a[1], b[1], -1)) for a in left for b in right)


def _added(a: Endpoint | None, b: Endpoint | None, if_whole: int) -> Endpoint | None:
    if a is None or b is None:
        return None
    return a + b + if_whole if is_whole(a) and is_whole(b) else exact(a) + exact(b)


def intersection(left: Intervals, right: Intervals) -> Intervals:
    """The points in both sets."""
    return tuple(piece for a in left for b in right for piece in half_open(_larger(a[0], b[0]), _smaller(a[1], b[1])))


def _larger(a: Endpoint | None, b: Endpoint | None) -> Endpoint | None:
    if a is None:
        return b
    return a if b is None or a >= b else b


def _smaller(a: Endpoint | None, b: Endpoint | None) -> Endpoint | None:
    if a is None:
        return b
    return a if b is None or a <= b else b
