"""Pairs at a distance: group privacy, with and without the databases on the way."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from tests.verifiers.optimal.questions import hits, path

from dpverify.mechanisms import InputError, exact, exp, log
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.verifiers import Status, check_privacy
from dpverify.verifiers.optimal import best_mechanism
from dpverify.verifiers.optimal.question import Success, design_problem
from dpverify.verifiers.problems.questions.question import privacy_guarantee

pytestmark = pytest.mark.usefixtures("decided_here")


def apart(left: int, right: int) -> int:
    return abs(left - right)


def scaled(delta: Fraction, epsilon: ExactLike, steps: int) -> Any:
    """δ·(e^(dε) − 1)/(e^ε − 1), and its limit at ε = 0."""
    return delta * steps if epsilon == 0 else delta * (exp(steps * exact(epsilon)) - 1) / (exp(epsilon) - 1)


@pytest.mark.parametrize("epsilon", [log(2), Fraction(1, 3), 0], ids=str)
@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 50)], ids=str)
def test_a_path_by_distances_is_the_path(epsilon: ExactLike, delta: Fraction) -> None:
    by_neighbours = best_mechanism(range(5), path(5), hits, epsilon=epsilon, delta=delta, outcomes=range(5))
    by_distance = best_mechanism(range(5), None, hits, epsilon=epsilon, delta=delta, outcomes=range(5), distance=apart)
    assert by_distance.success == by_neighbours.success
    assert by_distance.certificate.checks()


def test_pairs_that_others_imply_are_left_out() -> None:
    asked = design_problem(range(6), None, apart, privacy_guarantee(1, 0), Success(hits, range(6)))
    assert sorted(asked.pairs) == sorted((i, j, 1) for i in range(6) for j in range(6) if abs(i - j) == 1)
    longer = design_problem(range(0, 12, 3), None, apart, privacy_guarantee(1, 0), Success(hits, range(6)))
    assert {pair.steps for pair in longer.pairs} == {3}
    assert len(longer.pairs) == 6


@pytest.mark.one_in(4)
@pytest.mark.parametrize("epsilon", [log(2), Fraction(1, 3), 0], ids=str)
@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 50)], ids=str)
@pytest.mark.parametrize("steps", [1, 2, 5])
def test_two_databases_far_apart(epsilon: ExactLike, delta: Fraction, steps: int) -> None:
    best = best_mechanism(
        [0, 1], None, hits, epsilon=epsilon, delta=delta, outcomes=[0, 1], distance=lambda a, b: steps
    )
    growth, more = exp(steps * exact(epsilon)), scaled(delta, epsilon, steps)
    assert exact(best.success) == (growth + more) / (growth + 1)
    assert best.certificate.checks()
    verdict = check_privacy(best.mechanism, [0, 1], lambda i: [1 - i], epsilon=steps * exact(epsilon), delta=more)
    assert verdict.status is Status.PROVED


def test_every_pair_keeps_its_own_claim() -> None:
    places = {"a": 0, "b": 2, "c": 7}
    delta = Fraction(1, 1000)

    def between(left: str, right: str) -> int:
        return abs(places[left] - places[right])

    best = best_mechanism(places, None, hits, epsilon=log(2), delta=delta, outcomes=places, distance=between)
    for left, right in ("ab", "ac", "bc"):
        steps = between(left, right)
        far = check_privacy(
            best.mechanism,
            [left, right],
            lambda at, pair=(left, right): pair,
            epsilon=log(2) * steps,
            delta=scaled(delta, log(2), steps),
        )
        assert far.status is Status.PROVED


def test_databases_at_no_distance_are_one() -> None:
    best = best_mechanism(list("ab"), None, hits, epsilon=3, outcomes=list("ab"), distance=lambda a, b: 0)
    assert best.success == Fraction(1, 2)
    assert best.certificate.checks()


def test_databases_that_are_unrelated_bind_nobody() -> None:
    best = best_mechanism(list("ab"), None, hits, epsilon=0, outcomes=list("ab"), distance=lambda a, b: None)
    assert best.success == 1


@pytest.mark.parametrize(
    ("distance", "why"),
    [
        (lambda a, b: a - b, "is not a whole number ≥ 0 or None"),
        (lambda a, b: 1.0, "is not a whole number ≥ 0 or None"),
        (lambda a, b: 1 + (a < b), r"distance\(0, 1\) is not symmetric"),
        (lambda a, b: a // 0, "ZeroDivisionError"),
        (3, "is not a function"),
    ],
)
def test_what_is_no_distance(distance: Callable[..., Any], why: str) -> None:
    with pytest.raises(InputError, match=why):
        best_mechanism(range(3), None, hits, epsilon=1, outcomes=range(3), distance=distance)
