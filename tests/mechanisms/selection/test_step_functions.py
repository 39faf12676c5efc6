"""Step functions against their definition, point by point, and on ranges that nobody could list."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import InputError, exponential
from dpverify.mechanisms.counting import step_functions
from dpverify.mechanisms.counting.step_functions import Runs, StepFunction, accumulated, counted_after, union
from dpverify.mechanisms.learners import thresholds_learner
from dpverify.mechanisms.learners.thresholds_learner import threshold_quality
from dpverify.mechanisms.selection.stability import best_and_gap

values = st.lists(st.integers(-3, 3) | st.fractions(-2, 2, max_denominator=3), min_size=1, max_size=20)


@given(values)
def test_values_and_runs(listed: list[Any]) -> None:
    f = StepFunction.of(listed)
    assert [f(x) for x in range(len(listed))] == listed
    assert [value for (low, high), value in f.runs for _ in range(low, high + 1)] == listed
    assert all(a != b for a, b in zip(f.values, f.values[1:], strict=False))


@given(values, st.integers(0, 12), st.integers(-3, 3))
def test_extended(listed: list[Any], more: int, value: int) -> None:
    last = len(listed) - 1 + more
    f = StepFunction.of(listed).extended(last, value)
    assert [f(x) for x in range(last + 1)] == listed + [value] * more
    assert f == StepFunction.of(listed + [value] * more)


@given(values)
def test_the_largest_minimum_over_each_length(listed: list[Any]) -> None:
    found = StepFunction.of(listed).best_minimum_by_length()
    expected = [
        max(min(listed[a : a + 2**j]) for a in range(len(listed) - 2**j + 1)) for j in range(len(listed).bit_length())
    ]
    assert found == expected


@given(values, st.integers(1, 9), st.integers(0, 22))
def test_the_largest_value_of_each_block(listed: list[Any], length: int, offset: int) -> None:
    found = StepFunction.of(listed).block_maxima(length, offset)
    blocks = [listed[start : start + length] for start in range(offset, len(listed), length)]
    assert found == (StepFunction.of([max(block) for block in blocks]) if blocks else None)


@given(values)
def test_the_best_and_its_gap_are_those_of_a_list(listed: list[Any]) -> None:
    assert best_and_gap(StepFunction.of(listed)) == best_and_gap(listed)


@given(values, st.lists(st.tuples(st.integers(0, 19), st.integers(0, 6)), max_size=4))
def test_levels_within_runs(listed: list[Any], pieces: list[tuple[int, int]]) -> None:
    f = StepFunction.of(listed)
    within = union((low, min(low + more, f.last)) for low, more in pieces if low <= f.last)
    found = f.levels(within)
    assert sorted(x for points in found.values() for x in points) == list(within)
    assert all(listed[x] == value for value, points in found.items() for x in points)
    assert f.levels() == f.levels(union([(0, f.last)]))


@given(values)
def test_the_exponential_mechanism_is_that_of_a_list(listed: list[Any]) -> None:
    assert exponential(StepFunction.of(listed), Fraction(1, 2)) == exponential(listed, Fraction(1, 2))


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), max_size=6))
def test_runs_are_sequences(pieces: list[tuple[int, int]]) -> None:
    runs = union((low, low + more) for low, more in pieces)
    listed = sorted({x for low, more in pieces for x in range(low, low + more + 1)})
    assert list(runs) == listed
    assert len(runs) == runs.size == len(listed)
    assert [runs[i] for i in range(len(listed))] == listed
    assert [runs[-1 - i] for i in range(len(listed))] == listed[::-1]
    assert runs[1:5] == listed[1:5]
    with pytest.raises(IndexError):
        runs[len(listed)]


@given(
    st.lists(st.tuples(st.integers(0, 30) | st.sampled_from((2**64 - 1, 2**64)), st.integers(-4, 4)), max_size=12),
    st.integers(-3, 3) | st.just(2**63),
    st.integers(0, 30) | st.just(2**65),
)
def test_counted_in_arrays_as_one_by_one(changes: list[tuple[int, int]], at_zero: int, last: int) -> None:
    found = []
    for few in (0, 10**9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(step_functions, "FEW", few)
            found.append(accumulated(changes, at_zero, last))
    assert found[0] == found[1]
    assert all(type(number) is int for number in (*found[0].starts, *found[0].values))
    for x in {0, last, *(place for place, _ in changes if place <= last)}:
        assert found[0](x) == at_zero + sum(amount for place, amount in changes if place <= x)


@given(
    st.lists(st.tuples(st.one_of(st.integers(0, 5), st.integers(0, 2**64 - 1)), st.integers(-2, 2)), min_size=1),
    st.integers(-3, 3),
)
def test_counted_after_points_as_one_by_one(changes: list[tuple[int, int]], at_zero: int) -> None:
    points, amounts = ([change[place] for change in changes] for place in (0, 1))
    for last in (max(points) + 1, 2**64):
        found = counted_after(points, amounts, at_zero, last)
        assert found == accumulated([(point + 1, amount) for point, amount in changes], at_zero, last)
        assert found is not None
        assert set(map(type, (*found.starts, *found.values))) == {int}


def test_what_is_not_counted_in_arrays() -> None:
    assert counted_after([3], [1], 0, 2**64 + 1) is None
    for amounts in ([2**62, 2**62], [2**70, 0], [-(2**63), 0]):
        assert counted_after([3, 4], amounts, 0, 9) is None
    assert counted_after([3], [1], 2**63, 9) is None
    assert counted_after([3], [1], 2**63 - 2, 9) == accumulated([(4, 1)], 2**63 - 2, 9)


def test_a_long_sample_of_thresholds_is_counted_as_a_short_one(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = tuple((x % 7 * x % 64, x % 3 % 2) for x in range(40))
    short = threshold_quality(sample, 6)
    monkeypatch.setattr(thresholds_learner, "FEW", 39)
    monkeypatch.delattr(thresholds_learner, "accumulated")  # which is not asked
    assert threshold_quality(sample, 6) == short
    assert threshold_quality(list(sample), 6) == short


def test_a_range_of_two_to_the_thousand() -> None:
    last = 2**1000
    f = accumulated([(2**999, 3), (2**999 + 5, -2), (2**999, 1)], 1, last)
    assert f.values == (1, 5, 3)
    assert f(2**999 + 4) == 5
    assert f(last) == 3
    assert f.best_and_gap() == (2**999, 0)
    best = f.best_minimum_by_length()
    assert best[2] == 5
    assert best[3] == 3
    assert best[999] == 3
    assert best[1000] == 1
    blocks = f.block_maxima(2**990)
    assert blocks is not None
    assert blocks.values == (1, 5, 3)
    assert blocks.starts == (0, 512, 513)
    assert blocks.last == 1024
    runs = Runs(((0, last),))
    assert runs.size == last + 1
    assert runs[last] == last


@in_one(
    "made, words",
    [
        (lambda: StepFunction.of([]), "the list of points of a function is empty"),
        (lambda: StepFunction.of_pieces([], 3), "the list of pieces of a function is empty"),
        (lambda: StepFunction.of_pieces([(2, 1)], 3), "must be from 0 to the last point, 3, in rising order"),
        (lambda: StepFunction.of_pieces([(0, 1), (9, 2)], 3), "must be from 0 to the last point, 3, in rising order"),
        (
            lambda: StepFunction.of_pieces([(0, 1), (5, 2), (3, 4)], 9),
            "must be from 0 to the last point, 9, in rising order",
        ),
        (lambda: StepFunction.of([0, True]), "the value True at 1 is not an exact number"),
        (lambda: StepFunction.of([0.5]), r"the value 0\.5 at 0 is not an exact number"),  # type: ignore[list-item]  # bad on purpose
        (lambda: StepFunction.of([1, 2])(2), "x=2"),
        (lambda: StepFunction.of([1, 2])(-1), "x=-1"),
        (lambda: StepFunction.of([1, 2, 3]).extended(1, 0), "last=1 must be at least the end, 2"),
        (lambda: StepFunction.of([1, 2]).block_maxima(0), "length=0"),
        (lambda: accumulated([(-1, 3)], 0, 3), "a change at -1"),
    ],
)
def test_what_is_no_step_function(made: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        made()


def test_a_law_on_a_long_range_is_shown_in_short() -> None:
    law = exponential(StepFunction.of_pieces([(0, 1)], 2**70), 1)
    assert repr(law).endswith(", …})")
    assert bool(Runs(((0, 2**70),)))
    assert not Runs(())
