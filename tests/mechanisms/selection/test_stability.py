"""A_dist, as pseudo-code says, on hand-computed cases."""

from fractions import Fraction
from math import ceil
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import InputError, discrete_laplace, distribution, exact, exp, log
from dpverify.mechanisms.selection import (
    Bottom,
    choose_by_stability,
    choose_by_stability_discrete,
    choose_by_stability_extended_abstract,
    choose_by_stability_journal,
)
from dpverify.mechanisms.selection.stability import best_and_gap, gap_needed, smallest_with_tail

ALL = [
    *(choose_by_stability, choose_by_stability_discrete, choose_by_stability_journal),
    choose_by_stability_extended_abstract,
]


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=6))
def test_best_and_gap(scores: list[int]) -> None:
    best, gap = best_and_gap(scores)
    assert best == scores.index(max(scores))
    ordered = sorted(scores, reverse=True)
    assert gap == (ordered[0] - ordered[1] if len(ordered) > 1 else None)


def test_ties_go_to_the_first() -> None:
    assert best_and_gap({"b": 2, "a": 2, "c": 1}) == ("b", 0)


@pytest.mark.parametrize("mechanism", ALL)
def test_an_only_solution_is_released(mechanism: Any) -> None:
    assert distribution(mechanism, (3,), epsilon=1, delta="0.1").probability(0) == 1


def test_the_printed_journal_version() -> None:
    for gap in range(8):
        law = distribution(choose_by_stability_journal, (0, gap), epsilon=2, delta="0.1")
        # gap + Lap(1/2) ≥ ½·ln 10, which lies between 1 and 2
        expected = exp(2 * gap) / 20 if gap <= 1 else 1 - 5 * exp(-2 * gap)
        assert law.probability(1 if gap else 0) == expected
        assert law.probability(Bottom.BOTTOM) == 1 - expected


def test_the_printed_journal_version_with_other_noise() -> None:
    law = distribution(
        choose_by_stability_journal, (0, 1), epsilon=log(2), delta=Fraction(1, 8), noise=discrete_laplace
    )
    assert law.probability(1) == Fraction(1, 6)  # Pr[N ≥ 3 − 1] with z = ½: the threshold ties with 3 exactly


def test_the_printed_extended_abstract_version() -> None:
    law = distribution(choose_by_stability_extended_abstract, (3, 3), epsilon=4, delta="0.1")
    assert set(law) == {Bottom.BOTTOM_1, Bottom.BOTTOM_2}
    assert law.probability(Bottom.BOTTOM_2) == exp(-2) / 20
    law = distribution(choose_by_stability_extended_abstract, (1, 3), epsilon=4, delta="0.1")
    assert law.probability(1) == Fraction(1, 20)
    law = distribution(choose_by_stability_extended_abstract, (0, 9), epsilon=4, delta="0.1")
    assert law.probability(1) == 1 - exp(-7) * 5


def test_the_corrected_version_meets_delta_where_the_best_may_change() -> None:
    for epsilon in (Fraction(1, 3), 1, log(2), 7):
        assert distribution(choose_by_stability, (0, 2), epsilon=epsilon, delta="0.01").probability(1) == Fraction(
            1, 100
        )


@given(st.sampled_from([2, 3, 5]), st.integers(2, 200))
def test_the_discrete_threshold_is_the_smallest(base: int, inverse: int) -> None:
    z, delta = Fraction(1, base), Fraction(1, inverse)
    k = smallest_with_tail(discrete_laplace(1 / log(base)), delta)

    def tail(k: int) -> Fraction:
        return z**k / (1 + z) if k else 1 - z / (1 + z)

    assert tail(k) <= delta
    assert k == 0 or tail(k - 1) > delta


@in_one("mechanism", ALL)
@in_one(
    "epsilon, delta, message",
    [
        (0, "0.1", "epsilon=0 must be greater than 0"),
        (1, 0, "delta=0 must be greater"),
        (1, 1, "delta=1 must be less"),
        (-1, "0.1", "epsilon=-1"),
    ],
)
def test_bad_parameters(mechanism: Any, epsilon: Any, delta: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        distribution(mechanism, (1, 2), epsilon=epsilon, delta=delta)


@pytest.mark.parametrize("mechanism", ALL)
def test_no_solution(mechanism: Any) -> None:
    with pytest.raises(InputError, match="quality is empty"):
        distribution(mechanism, (), epsilon=1, delta="0.1")


def test_bottom_reads_as_it_is_written() -> None:
    assert str(Bottom.BOTTOM_1) == "⊥₁"
    assert repr(Bottom.BOTTOM_1) == "Bottom.BOTTOM_1"


@pytest.mark.parametrize(
    "selection", [choose_by_stability, choose_by_stability_journal, choose_by_stability_extended_abstract]
)
@given(st.sampled_from([1, 5, 200]), st.sampled_from(["1e-6", "0.1", "0.4", "0.99"]), st.sampled_from(["1e-6", "0.3"]))
def test_the_gap_that_is_needed_is_enough(selection: Any, epsilon: int, beta: str, delta: str) -> None:
    asked: dict[str, Any] = {"epsilon": epsilon, "delta": delta}
    needed = gap_needed(beta=beta, selection=selection, **asked)
    gap = max(1, ceil(needed))
    law = distribution(selection, (0, gap), **asked)
    assert 1 - law.probability(1) <= exact(beta)


def test_a_gap_that_is_smaller_by_one_is_not_enough() -> None:
    for selection in (choose_by_stability, choose_by_stability_extended_abstract):
        needed = gap_needed(beta="0.1", epsilon=1, delta="1e-6", selection=selection)
        law = distribution(selection, (0, ceil(needed) - 1), epsilon=1, delta="1e-6")
        assert 1 - law.probability(1) > exact("0.1")


def test_the_gap_of_another_selection_is_not_known() -> None:
    with pytest.raises(InputError, match="choose_by_stability_extended_abstract"):
        gap_needed(beta="0.1", epsilon=1, delta="0.1", selection=choose_by_stability_discrete)
