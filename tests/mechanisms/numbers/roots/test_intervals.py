"""Sets of intervals against the numbers that are in them."""

from fractions import Fraction
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from dpverify.mechanisms import bounds, exact
from dpverify.mechanisms.numbers.roots.intervals import (
    Intervals,
    below,
    half_open,
    intersection,
    multiplied,
    negated,
    other_than,
    ray,
    shifted,
    sums,
)

NEAR = range(-12, 13)
FAR = range(-40, 41)


@st.composite
def sets(draw: st.DrawFn) -> Intervals:
    """Whole numbers: up to three intervals with room between them, the outer ones open-ended or not."""
    ends: list[int | None] = [*sorted(draw(st.sets(st.integers(-6, 6), min_size=1, max_size=6)))]
    if len(ends) % 2 or draw(st.booleans()):
        ends.insert(0, None)
    if len(ends) % 2:
        ends.append(None)
    return tuple(zip(ends[::2], ends[1::2], strict=True))


def members(values: Intervals, among: range = NEAR) -> set[int]:
    return {x for x in among if any((low is None or low <= x) and (high is None or x < high) for low, high in values)}


def is_in_order(values: Intervals) -> bool:
    """Disjoint, not empty, and rising."""
    return all(low is None or high is None or low < high for low, high in values) and all(
        high is not None and low is not None and high <= low for (_, high), (low, _) in pairwise(values)
    )


@given(sets(), sets(), st.integers(-5, 5))
@example(((0, None),), ((None, 0),), 1)
def test_sets_of_whole_numbers(left: Intervals, right: Intervals, by: int) -> None:
    assert members(negated(left)) == {-x for x in members(left)}
    assert members(shifted(left, by)) == {x + by for x in members(left, FAR)} & set(NEAR)
    assert members(intersection(left, right)) == members(left) & members(right)
    assert members(sums(left, right)) == {x + y for x in members(left, FAR) for y in members(right, FAR)} & set(NEAR)
    assert all(map(is_in_order, (negated(left), shifted(left, by), intersection(left, right))))
    for factor in (1, -1):
        assert members(multiplied(left, exact(factor))) == {factor * x for x in members(left)}


@given(st.integers(-5, 5), st.integers(-5, 5))
def test_the_sets_that_comparisons_make(low: int, high: int) -> None:
    assert members(ray(low)) == {x for x in NEAR if x >= low}
    assert members(below(high)) == {x for x in NEAR if x < high}
    assert members(half_open(low, high)) == {x for x in NEAR if low <= x < high}
    assert members(other_than(low)) == set(NEAR) - {low}
    assert all(map(is_in_order, (ray(low), below(high), half_open(low, high), other_than(low))))


def halves(values: Intervals) -> Intervals:
    return tuple((None if a is None else exact(a) / 2, None if b is None else exact(b) / 2) for a, b in values)


def is_inside(x: Fraction, values: Intervals) -> bool:
    """Whether x is in an interval, and no end of it."""
    ends = [tuple(None if end is None else bounds(exact(end))[0] for end in interval) for interval in values]
    return any((low is None or low < x) and (high is None or x < high) for low, high in ends)


QUARTERS = [Fraction(x, 4) for x in range(-16, 17)]


@given(sets(), sets(), st.sampled_from([1, -1, 2, Fraction(-1, 2)]), st.sampled_from(QUARTERS))
def test_sets_of_real_numbers(left: Intervals, right: Intervals, factor: Fraction, x: Fraction) -> None:
    a, b = halves(left), halves(right)
    assert is_inside(factor * x, multiplied(a, exact(factor))) == is_inside(x, a)
    assert is_inside(x, intersection(a, b)) == (is_inside(x, a) and is_inside(x, b))
    # an open set of ends that are halves holds y and x - y for some y, and then for one that is a quarter
    nearby = [Fraction(y, 8) for y in range(-64, 65)]
    assert is_inside(x, sums(a, b)) == any(is_inside(y, a) and is_inside(x - y, b) for y in nearby)
