"""Points in intervals: counted by searches in arrays as one by one, and as whoever counts them all."""

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, combinations_with_replacement
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms import Draw, distribution, exact, laplace, run
from dpverify.mechanisms.sanitizers import sanitize_thresholds, sorted_points
from dpverify.mechanisms.sanitizers.sorted_points import counts_side_by_side, most_within
from dpverify.mechanisms.sanitizers.thresholds_sanitizer import dense_interval
from dpverify.mechanisms.selection import choose_by_stability

POINTS = st.one_of(
    st.lists(st.integers(0, 40), min_size=1, max_size=30),
    st.lists(st.integers(2**64 - 60, 2**64 + 3), min_size=1, max_size=12),
    st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=12),
    st.lists(st.integers(2**70, 2**70 + 2**63), min_size=1, max_size=12),
    st.lists(st.integers(0, 2**80), min_size=1, max_size=6),
).map(lambda points: tuple(sorted(points)))


def in_one(points: Sequence[int], length: int) -> int:
    return max(sum(last - length < x <= last for x in points) for last in points)


@given(POINTS, st.booleans())
def test_the_most_in_an_interval_of_each_length(points: tuple[int, ...], by_arrays: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_points, "_FEW", 0 if by_arrays else 10**9)
        scales = (points[-1] - points[0]).bit_length() + 1
        assert most_within(points, scales) == [in_one(points, 1 << j) for j in range(scales + 1)]


@given(POINTS, st.integers(0, 66), st.integers(0, 3), st.booleans())
def test_counts_are_the_same_in_arrays_and_one_by_one(
    points: tuple[int, ...], scale: int, before: int, and_between: bool
) -> None:
    """In the same order, too, so that what is drawn by a seed stays."""
    first, length = max(0, points[0] - before), 1 << scale
    found = []
    for few in (0, 10**9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sorted_points, "_FEW", few)
            found.append(
                list(counts_side_by_side(points, first, length, and_between=and_between and scale > 0).items())
            )
    assert found[0] == found[1]
    assert all(count == sum(first + start <= x < first + start + length for x in points) for start, count in found[0])


def test_many_points_are_counted_in_arrays() -> None:
    source = random.Random(1)
    points = tuple(sorted(source.getrandbits(12) for _ in range(1500)))
    ends = [i + 1 for i, x in enumerate(points) if i + 1 == len(points) or points[i + 1] != x]
    for j, most in enumerate(most_within(points, 12)):
        assert most == sorted_points._most_one_by_one(points, ends, 1 << j, 0)
    assert list(accumulate(counts_side_by_side(points, 0, 64, and_between=False).values()))[-1] == 1500


def intervals(draw: Draw, rows: tuple[int, ...]) -> Any:
    """The interval of one call."""
    given: dict[str, Any] = {
        "alpha": Fraction(1, 2),
        "epsilon": exact(4),
        "depth": 1,
        "base": 2,
        "selection": choose_by_stability,
    }
    parts: dict[str, Any] = {"epsilon_of_recursion": exact(2), "delta_of_recursion": exact("1/10"), "noise": laplace}
    return dense_interval(draw, rows, within=(0, 7), rows=len(rows), **given, **parts)


def test_the_law_of_a_call_is_the_same() -> None:
    """Exactly, on all databases of three points of eight."""
    for rows in combinations_with_replacement(range(0, 8, 2), 3):
        laws = []
        for few in (0, 10**9):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(sorted_points, "_FEW", few)
                laws.append(distribution(intervals, rows))
        assert laws[0] == laws[1]
        assert len(laws[0]) > 1


def test_what_is_sanitized_by_a_seed_is_the_same() -> None:
    source = random.Random(2)
    rows = tuple(int(source.lognormvariate(8, 1)) % 2**16 for _ in range(1200))
    found = []
    for few in (0, 10**9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sorted_points, "_FEW", few)
            found.append(
                [
                    run(sanitize_thresholds, rows, seed=seed, d=16, alpha="1/2", epsilon=10, delta="1e-3", calls=8)
                    for seed in range(4)
                ]
            )
    assert found[0] == found[1]
    assert len(found[0][0]) > 2
