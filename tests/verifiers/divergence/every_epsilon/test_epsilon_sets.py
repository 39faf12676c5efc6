"""Sets of ε, and of t, against the points that are in them."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few

from dpverify.mechanisms import InputError, exact, symbolic
from dpverify.mechanisms.numbers.roots.mixed_polynomials import CONTEXT
from dpverify.mechanisms.numbers.roots.mixed_roots import mixed_roots
from dpverify.verifiers.divergence.every_epsilon.epsilon_sets import (
    EpsilonEnd,
    EpsilonInterval,
    Span,
    union_of_intervals,
    union_of_spans,
)

TENTHS = [mixed_roots(10 * CONTEXT.gens()[0] - k)[0] for k in range(1, 10)]
"""The roots k/10 of 10·t − k."""


@st.composite
def spans(draw: st.DrawFn) -> tuple[int, int]:
    """Between k/10 and j/10, where 0 and 10 are the ends of all."""
    low = draw(st.integers(0, 9))
    return low, draw(st.integers(low + 1, 10))


def span(low: int, high: int) -> Span:
    return None if low == 0 else TENTHS[low - 1], None if high == 10 else TENTHS[high - 1]


@given(st.lists(spans(), min_size=1, max_size=4))
def test_spans_are_united_and_their_ends_left_out(chosen: list[tuple[int, int]]) -> None:
    found = union_of_spans(span(*ends) for ends in chosen)
    indices = [
        (0 if low is None else TENTHS.index(low) + 1, 10 if high is None else TENTHS.index(high) + 1)
        for low, high in found
    ]
    for twentieth in range(1, 20):  # the roots themselves, and what lies between them
        t = Fraction(twentieth, 2)
        assert any(a < t < b for a, b in indices) == any(a < t < b for a, b in chosen)
    assert all(high <= low for (_, high), (low, _) in pairwise(indices))


@st.composite
def rising(draw: st.DrawFn) -> list[EpsilonInterval]:
    """Intervals that do not overlap, in rising order; some touch, some are single points."""
    ends = draw(st.lists(st.integers(0, 2), min_size=1, max_size=6))
    found: list[EpsilonInterval] = []
    at = 1
    for step in ends:
        low, high = at, at + step
        closed = (True, True) if step == 0 else draw(st.tuples(st.booleans(), st.booleans()))
        if found and found[-1].high == EpsilonEnd(exact(low)) and found[-1].closed[1]:
            closed = (False, closed[1]) if step else closed
        if not (found and step == 0 and found[-1].high == EpsilonEnd(exact(low)) and found[-1].closed[1]):
            found.append(EpsilonInterval(EpsilonEnd(exact(low)), EpsilonEnd(exact(high)), closed))
        at = high + draw(st.integers(0, 1))
    if draw(st.booleans()):
        found.append(EpsilonInterval(EpsilonEnd(exact(at + 1)), None))
    return found


def is_in(halves: int, interval: EpsilonInterval) -> bool:
    low, high = (None if end is None else Fraction(str(end.exact)) for end in (interval.low, interval.high))
    x = Fraction(halves, 2)
    assert low is not None
    above = low < x or (x == low and interval.closed[0])
    return above and (high is None or x < high or (x == high and interval.closed[1]))


@few(6, deep=120)
@given(rising())
def test_intervals_that_touch_are_joined(intervals: list[EpsilonInterval]) -> None:
    found = union_of_intervals(intervals)
    for halves in range(1, 40):
        truth = any(is_in(halves, interval) for interval in intervals)
        assert any(Fraction(halves, 2) in interval for interval in found) == truth
        assert any(is_in(halves, interval) for interval in found) == truth
    for before, after in pairwise(found):  # none could be joined further
        assert before.high != after.low or not (before.closed[1] or after.closed[0])
    for interval in found:
        sample = interval.sample()
        assert sample is not None
        assert sample in interval
        with pytest.raises(InputError, match="epsilon=ε is not a number: give ε a value"):
            assert symbolic in interval
