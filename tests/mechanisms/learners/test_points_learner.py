"""The learner of points."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import InputError, distribution, run
from dpverify.mechanisms.learners import learn_points, learn_points_or_none
from dpverify.mechanisms.learners.points_learner import point_quality, rows_for_points
from dpverify.mechanisms.sanitizers import Point
from dpverify.mechanisms.sanitizers.concepts import AllZero
from dpverify.mechanisms.selection import choose_by_stability, choose_by_stability_journal

GIVEN: dict[str, Any] = {"epsilon": Fraction(3, 2), "delta": Fraction(1, 10)}
samples = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 1)), min_size=1, max_size=8).map(tuple)


@given(samples)
def test_the_quality_counts_points_with_label_1(sample: Any) -> None:
    quality = point_quality(sample, 3)
    assert [quality(x) for x in range(8)] == [sum(example == (x, 1) for example in sample) for x in range(8)]


@given(samples, st.sampled_from([choose_by_stability_journal, choose_by_stability]))
def test_the_learners_are_a_dist_with_an_answer_for_bottom(sample: Any, selection: Any) -> None:
    counts = tuple(sum(example == (x, 1) for example in sample) for x in range(8))
    chosen = distribution(selection, counts, **GIVEN)
    released = {x: chosen.probability(x) for x in range(8)}
    bottom = 1 - chosen.probability(*range(8))
    proper = distribution(learn_points, sample, d=3, selection=selection, **GIVEN)
    or_none = distribution(learn_points_or_none, sample, d=3, selection=selection, **GIVEN)
    assert all(proper.probability(Point(x)) == released[x] + bottom / 8 for x in range(8))
    assert all(or_none.probability(Point(x)) == released[x] for x in range(8))
    assert or_none.probability(AllZero()) == bottom
    assert AllZero()(3) == 0


def test_one_point_has_no_second_and_is_always_found() -> None:
    assert distribution(learn_points, ((0, 0),), d=0, **GIVEN).probability(Point(0)) == 1


def test_a_point_among_two_to_the_64() -> None:
    sample = tuple((2**63 + 7, 1) for _ in range(60)) + tuple((i, 0) for i in range(1000))
    assert run(learn_points, sample, seed=1, d=64, epsilon=1, delta=Fraction(1, 10**6)) == Point(2**63 + 7)
    few = run(learn_points, sample[-5:], seed=1, d=64, epsilon=1, delta=Fraction(1, 10**6))
    assert isinstance(few, Point)
    assert few.j > 1000


@in_one("learner", [learn_points, learn_points_or_none])
@in_one(
    "sample, words",
    [
        ((), "empty"),
        (((8, 1),), "row 0: the point 8"),
        (((1, 1), (1, 3)), "row 1, with the label 3, is not labelled 0 or 1"),
        ((1,), "not an example"),
    ],
)
def test_samples_that_are_refused(learner: Any, sample: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        distribution(learner, sample, d=3, **GIVEN)


def test_rows_that_the_lemma_asks_for() -> None:
    given: dict[str, Any] = {"alpha": Fraction(1, 10), "beta": Fraction(1, 10), "delta": Fraction(1, 10**6)}
    # 80·ln(4·10^7) = 1400.3; and for a large ε 80·ln 20 = 239.7
    assert rows_for_points(epsilon=1, **given) == 1401
    assert rows_for_points(epsilon=1000, **given) == 240
    # 8·((1/10)·ln(10^6/1.98) + 2) = 26.5: here the corrected A_dist needs more than the lemma asks for
    few: dict[str, Any] = {**given, "alpha": Fraction(1, 4), "beta": Fraction(99, 100), "epsilon": 20}
    assert rows_for_points(selection=choose_by_stability_journal, **few) == 25
    assert rows_for_points(**few) == 27
    with pytest.raises(InputError, match="alpha=1"):
        rows_for_points(epsilon=1, **{**given, "alpha": 1})
