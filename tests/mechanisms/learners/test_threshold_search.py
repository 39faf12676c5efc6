"""Thresholds by noisy binary search, rectangles, and the semi-private learner."""

import random
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import InputError, distribution, exact, laplace, run
from dpverify.mechanisms.learners import (
    Rectangle,
    label_private_learner,
    learn_rectangle,
    learn_thresholds_by_search,
    semi_private_learner,
)
from dpverify.mechanisms.learners.rectangles_learner import cut_axis, rows_for_private_rectangle
from dpverify.mechanisms.learners.threshold_search import (
    blocks_of_both,
    comparisons,
    most_of_both,
    noisy_binary_search,
    rows_for_search,
)
from dpverify.mechanisms.sanitizers import Threshold, thresholds
from dpverify.mechanisms.sanitizers.concepts import AllZero, correct_labels
from dpverify.mechanisms.sanitizers.thresholds_sanitizer import (
    parts_of_sanitized_thresholds,
    rows_for_private_sanitized_thresholds,
)
from dpverify.mechanisms.selection import choose_by_stability

points = st.lists(st.integers(0, 7), max_size=5).map(sorted)


@given(points, points, st.integers(0, 7))
def test_the_best_interval_of_a_length(zeros: list[int], ones: list[int], length: int) -> None:
    best = max(min(sum(a <= x <= a + length for x in points) for points in (zeros, ones)) for a in range(8 - length))
    assert most_of_both(zeros, ones, length) == best


@given(points, points, st.integers(1, 9), st.integers(0, 9))
def test_blocks(zeros: list[int], ones: list[int], length: int, offset: int) -> None:
    found = blocks_of_both(zeros, ones, length, offset, 8)
    starts = range(offset, 8, length)
    assert (found is None) == (not starts)
    if found is not None:
        assert [found(i) for i in range(len(starts))] == [
            min(sum(a <= x < a + length for x in points) for points in (zeros, ones)) for a in starts
        ]


@in_one("last", range(9))
def test_a_binary_search_with_little_noise_finds_where_the_threshold_is_reached(last: int) -> None:
    def search(draw: Any, rises_at: int) -> int:
        noise = laplace(comparisons(last) / exact(1000))
        return noisy_binary_search(lambda j: 10 * (j >= rises_at) + draw(noise), last, exact(5))

    for rises_at in range(last + 1):
        assert distribution(search, rises_at).probability(rises_at) > Fraction(999, 1000)
    assert comparisons(last) >= len(bin(last)) - 3


@pytest.mark.parametrize("powers", [True, False])
def test_a_threshold_among_two_to_the_64(powers: bool) -> None:
    source = random.Random(1)
    sample = tuple((x, int(x < 2**63)) for x in (source.getrandbits(64) for _ in range(2_000)))
    given: dict[str, Any] = {
        "alpha": Fraction(1, 10),
        "epsilon": 20,
        "delta": Fraction(1, 10**6),
        "selection": choose_by_stability,
    }
    found = run(learn_thresholds_by_search, sample, seed=1, d=64, powers=powers, **given)
    assert correct_labels(found, sample) > 1_800


def test_one_comparison_more_for_twice_the_domain_or_for_twice_its_dimension() -> None:
    given: dict[str, Any] = {"alpha": "0.1", "beta": "0.1", "epsilon": 1}
    # 16·65/0.1·ln 650 = 67,360.6…, and 16·7/0.1·ln 70 = 4,758.3…
    assert rows_for_search(d=64, powers=False, **given) == 67361
    assert rows_for_search(d=64, powers=True, **given) == 4759


def test_labels_that_are_all_alike_need_no_good_interval() -> None:
    given: dict[str, Any] = {"d": 3, "alpha": Fraction(1, 2), "epsilon": 40, "delta": Fraction(1, 10), "powers": True}
    law = distribution(learn_thresholds_by_search, ((1, 1), (2, 1)), selection=choose_by_stability, **given)
    assert law.probability(*map(Threshold, range(3, 9))) > Fraction(9, 10)


@pytest.mark.deep
def test_a_rectangle_with_hardly_any_noise() -> None:
    source = random.Random(1)
    inside = Rectangle((2**61, 2**62), (2**63, 3 * 2**62))
    rows = [(source.getrandbits(64), source.getrandbits(64)) for _ in range(1_000)]
    sample = tuple((x, inside(x)) for x in rows)
    given: dict[str, Any] = {"d": 64, "alpha": Fraction(1, 2), "calls": 2_000, "depth": 1, "delta": Fraction(1, 10**6)}
    found = run(learn_rectangle, sample, seed=1, epsilon=10**8, **given)
    assert isinstance(found, Rectangle)
    assert sum(found(x) != y for x, y in sample) < 250


def test_a_heavy_negative_point_next_to_few_positive_ones_is_left_out() -> None:
    sample = (((99,), 1),) * 80 + (((100,), 0),) * 1_920
    given: dict[str, Any] = {"d": 8, "alpha": Fraction(1, 4), "calls": 60, "delta": Fraction(1, 10**6)}
    found = run(learn_rectangle, sample, seed=1, epsilon=10**5, **given)
    assert sum(found(x) != y for x, y in sample) <= 500


def test_rows_for_a_private_rectangle() -> None:
    given: dict[str, Any] = {"beta": "0.5", "calls": 1}
    eps, delta = parts_of_sanitized_thresholds(calls=1, epsilon=1, delta="0.05")
    assert rows_for_private_rectangle(axes=1, alpha="0.5", epsilon=2, delta="0.05", **given) == (
        rows_for_private_sanitized_thresholds(alpha=Fraction(1, 32), beta="0.5", epsilon=eps, delta=delta)
    )


def test_no_positive_example_gives_the_concept_that_is_0() -> None:
    sample = (((0, 1), 0),) * 50
    given: dict[str, Any] = {"d": 1, "alpha": Fraction(1, 2), "calls": 1, "delta": Fraction(1, 10)}
    assert run(learn_rectangle, sample, seed=1, epsilon=1000, **given) == AllZero()


def test_an_axis_is_cut_where_enough_has_come_together() -> None:
    copies = ((1, 3), (4, 1), (6, 4), (7, 2))
    assert list(cut_axis(copies, 7, Fraction(3, 10))) == [(0, 0), (1, 1), (2, 5), (6, 6), (7, 7)]
    assert list(cut_axis(((1, 1), (2, 1), (5, 1), (7, 1)), 7, Fraction(1, 2))) == [(0, 2), (3, 7)]
    assert list(cut_axis((), 7, Fraction(3, 10))) == [(0, 7)]


@in_one(
    "sample, words",
    [
        ((), "the sample is empty"),
        (((0, 1),), "write"),
        ((((0,), 1), ((0, 1), 1)), "has 2 coordinates, is not like row 0, which has 1"),
        ((((0,), 2),), "row 0, with the label 2, is not labelled 0 or 1"),
        ((((0, 2), 1),), "row 0, coordinate 1: the point 2"),
        ((((), 1),), "has 0 coordinates"),
    ],
)
def test_samples_of_rectangles_that_are_refused(sample: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        distribution(learn_rectangle, sample, d=1, alpha=Fraction(1, 2), epsilon=1, delta=Fraction(1, 10), calls=1)


def test_public_points_in_place_of_the_first_rows() -> None:
    rows = ((0, 1), (2, 0), (1, 1))
    concepts = thresholds(2)
    semi = distribution(semi_private_learner, rows[1:], unlabelled=(0,), concepts=concepts, epsilon=1)
    assert semi == distribution(label_private_learner, rows, concepts=concepts, split=1, epsilon=1)
    with pytest.raises(InputError, match="empty"):
        distribution(semi_private_learner, (), unlabelled=(0,), concepts=concepts, epsilon=1)
