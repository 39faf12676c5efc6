"""The learner by LMM against LMM on the table, and the shells by their definition."""

from fractions import Fraction
from typing import Any

import pytest
from tests.examples import in_one

from dpverify.mechanisms import InputError, distribution, log, sqrt
from dpverify.mechanisms.learners import learn_by_large_margin
from dpverify.mechanisms.learners.large_margin_learner import (
    deviation_of,
    error_by_exponential,
    error_by_shells,
    shell_size,
    shell_used,
)
from dpverify.mechanisms.sanitizers import points, thresholds
from dpverify.mechanisms.selection import large_margin_mechanism
from dpverify.mechanisms.selection.large_margin import margin_condition, margin_needed

TENTH = Fraction(1, 10)
GIVEN: dict[str, Any] = {"epsilon": 1, "delta": TENTH}


def test_the_learner_is_lmm_on_the_numbers_of_correct_labels() -> None:
    sample = ((0, 1),) * 5 + ((1, 0),) * 6 + ((2, 1),)
    law = distribution(learn_by_large_margin, sample, concepts=thresholds(2), epsilon=30, delta=TENTH)
    # of the thresholds 0 to 4, 1 labels all rows but the last as they are
    table: Any = dict(zip(thresholds(2), (6, 11, 5, 6, 6), strict=True))
    assert law == distribution(large_margin_mechanism, table, epsilon=30, delta=TENTH)
    with pytest.raises(InputError, match="concepts is empty"):
        distribution(learn_by_large_margin, sample, concepts=(), **GIVEN)


def test_shells_grow() -> None:
    """By the definition ℋ(t) ⊆ ℋ(t+1); Section 4.2 prints it the other way round."""
    errors = {Fraction(k, 10): k + 1 for k in range(10)}
    sizes = [shell_size(errors, t, TENTH) for t in range(11)]
    assert sizes == [1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 55]


def test_the_margin_behind_a_shell_is_one_deviation_less_than_printed() -> None:
    """Errors on samples that are off by u at most, and a margin of t·u that is missed outside ℋ(t+1)."""
    u, t = Fraction(1, 100), 3
    true = {"best": Fraction(0), "outside ℋ(t+1)": (t + 1) * u + Fraction(1, 1000)}
    on_sample = {"best": u, "outside ℋ(t+1)": true["outside ℋ(t+1)"] - u}
    assert all(abs(on_sample[h] - true[h]) <= u for h in true)
    assert true["outside ℋ(t+1)"] > (t + 1) * u
    scores = tuple(-error for error in on_sample.values())
    assert not margin_condition(scores, 1, t * u)
    assert margin_condition(scores, 1, (t - 1) * u)


def test_the_shell_that_is_used_by_its_definition() -> None:
    n, u = 10_000, Fraction(1, 50)
    errors = {Fraction(0): 1, Fraction(1, 10): 4, Fraction(1, 5): 1000}
    t = shell_used(errors, rows=n, deviation=u, **GIVEN)

    def is_enough(t: int) -> bool:
        size = shell_size(errors, t + 2, u)
        return size == 1005 or bool(margin_needed(size, epsilon=1, delta=TENTH, failure=TENTH) <= n * t * u)

    assert is_enough(t)
    assert not any(map(is_enough, range(1, t)))
    assert shell_size(errors, t + 2, u) == 1
    assert error_by_shells(errors, rows=n, deviation=u, **GIVEN) == 2 * u + 6 * log(20) / n


def test_shells_do_for_points_what_they_do_not_for_thresholds() -> None:
    """Points with one of mass ½: one hypothesis is near. Thresholds on uniform points: a share of all are."""
    n, bits = 100_000, 64
    size = 2**bits
    u = deviation_of(size, rows=n, failure=TENTH)
    assert u == sqrt(log(20 * size) / (2 * n))
    of_points = {Fraction(0): 1, Fraction(1, 2): size - 1}
    by_shells = error_by_shells(of_points, rows=n, deviation=u, **GIVEN)
    assert by_shells - 2 * u == 6 * log(20) / n
    assert by_shells < error_by_exponential(size, rows=n, deviation=u, **GIVEN)
    of_thresholds = {Fraction(k, 1000): size // 1000 for k in range(1000)}
    every = sum(of_thresholds.values())
    assert error_by_shells(of_thresholds, rows=n, deviation=u, **GIVEN) > error_by_exponential(
        every, rows=n, deviation=u, **GIVEN
    )


def test_a_class_without_shells_is_kept_as_a_whole() -> None:
    errors = {Fraction(0): 3, Fraction(1, 1000): 5}
    assert shell_used(errors, rows=10, deviation=TENTH, **GIVEN) == 1
    assert error_by_shells(errors, rows=10, deviation=TENTH, **GIVEN) == Fraction(1, 5) + 6 * log(160) / 10


def test_the_class_of_points() -> None:
    sample = tuple((x, int(x == 1)) for x in (0, 1, 1, 1, 2, 3))
    law = distribution(learn_by_large_margin, sample, concepts=points(2), **GIVEN)
    assert max(law, key=law.probability) == points(2)[1]


@in_one(
    "function, arguments, words",
    [
        (shell_size, {"errors": {}, "t": 1, "deviation": 1}, "errors is empty"),
        (shell_size, {"errors": {Fraction(0): 1}, "t": -1, "deviation": 1}, "t=-1"),
        (shell_size, {"errors": {Fraction(0): 1}, "t": 1, "deviation": 0}, "deviation=0"),
        (shell_used, {"errors": {}, "rows": 1, "deviation": 1, **GIVEN}, "errors is empty"),
        (shell_used, {"errors": {Fraction(0): 1}, "rows": 0, "deviation": 1, **GIVEN}, "rows=0"),
        (deviation_of, {"hypotheses": 0, "rows": 1, "failure": TENTH}, "hypotheses=0"),
        (deviation_of, {"hypotheses": 1, "rows": 1, "failure": 1}, "failure=1"),
        (error_by_exponential, {"hypotheses": 1, "rows": 1, "deviation": 1, "epsilon": 0, "delta": TENTH}, "epsilon=0"),
    ],
)
def test_bad_input(function: Any, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        function(**arguments)
