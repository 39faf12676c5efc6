"""Sets on the line as finite unions of half-open intervals [low, high), for the values that a noise may still take.

End points are all int (for discrete noise) or all `Exact`; None stands for −∞ on the left and ∞ on the right.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from dpverify.mechanisms.exact.exact_numbers import Exact

Endpoint: TypeAlias = int | Exact
Interval: TypeAlias = tuple[Endpoint | None, Endpoint | None]
Intervals: TypeAlias = tuple[Interval, ...]
"""Disjoint, not empty, in rising order."""

EVERYTHING: Final[Intervals] = ((None, None),)


def at_least(low: Endpoint) -> Intervals:
    """[low, ∞)."""
    return ((low, None),)


def below(high: Endpoint) -> Intervals:
    """(−∞, high)."""
    return ((None, high),)


def between(low: Endpoint | None, high: Endpoint | None) -> Intervals:
    """[low, high), empty where low ≥ high."""
    return () if low is not None and high is not None and low >= high else ((low, high),)


def other_than(value: int) -> Intervals:
    """The whole numbers except `value`."""
    return ((None, value), (value + 1, None))


def mirrored(values: Intervals) -> Intervals:
    """The whole numbers -x for whole x in `values`."""
    return tuple(
        (None if high is None else 1 - high, None if low is None else 1 - low) for low, high in reversed(values)
    )


def shifted(values: Intervals, by: int) -> Intervals:
    """The numbers x + by for x in `values`."""
    return tuple((None if low is None else low + by, None if high is None else high + by) for low, high in values)


def intersection(left: Intervals, right: Intervals) -> Intervals:
    """The points in both sets."""
    return tuple(piece for a in left for b in right for piece in between(_larger(a[0], b[0]), _smaller(a[1], b[1])))


def _larger(a: Endpoint | None, b: Endpoint | None) -> Endpoint | None:
    if a is None:
        return b
    return a if b is None or a >= b else b


def _smaller(a: Endpoint | None, b: Endpoint | None) -> Endpoint | None:
    if a is None:
        return b
    return a if b is None or a <= b else b
