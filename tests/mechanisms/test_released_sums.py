"""Sums and differences of whole noises that are released: laws by brute force, verdicts, and what is refused."""

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from dpverify.mechanisms import Draw, InputError, discrete_laplace, distribution, exp, geometric, run
from dpverify.mechanisms.drawing import debugging
from dpverify.mechanisms.noise import truncated_discrete_laplace
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.outputs import AtLeast
from dpverify.verifiers import Status, Tuples, check_privacy


def two_truncated(draw: Draw, rows: tuple[int, ...]) -> Any:
    """A sum of which all values can be listed."""
    return sum(rows) + draw(truncated_discrete_laplace(1, 2)) - draw(truncated_discrete_laplace(2, 3))


def test_a_sum_by_brute_force() -> None:
    law = distribution(two_truncated, (1,))
    first, second = (
        {k: (exp(Fraction(-abs(k), scale))) for k in range(-bound, bound + 1)} for scale, bound in ((1, 2), (2, 3))
    )
    whole = sum(first.values()) * sum(second.values())
    for value in range(-5, 8):
        pairs = [p * q for a, p in first.items() for b, q in second.items() if 1 + a - b == value]
        assert law.probability(value) == (sum(pairs) / whole if pairs else 0)


def two_noises(draw: Draw, rows: tuple[int, ...], *, scale: Any = 1) -> Any:
    """A sum with two noises, of which one would be enough."""
    return sum(rows) + draw(discrete_laplace(scale)) + draw(discrete_laplace(scale))


def gap(draw: Draw, scores: tuple[int, ...]) -> Any:
    """Which of two noisy scores is the larger, and by how much."""
    left, right = (score + draw(discrete_laplace(2)) for score in scores)
    return (0, left - right) if left >= right else (1, right - left)


def test_a_sum_adds_up_and_is_private() -> None:
    law = distribution(two_noises, (1, 1))
    series = sum(float(enclosure(law.probability(k))) for k in range(-40, 44))
    assert series == pytest.approx(1)
    assert law.probability(AtLeast(3)) + law.probability(2) + law.probability(AtLeast(3)) == 1
    assert check_privacy(two_noises, Tuples((0, 1), size=2), epsilon=1).status is Status.PROVED
    less = check_privacy(two_noises, Tuples((0, 1), size=2), epsilon="1/2")
    assert less.status is Status.REFUTED
    assert less.witness is not None
    assert less.witness.difference > 0


def test_the_gap_of_two_scores() -> None:
    law = distribution(gap, (1, 0))
    # by the definition: Σ over the noise of the second
    z = exp("-1/2")
    point = [(1 - z) / (1 + z) * z ** abs(k) for k in range(-60, 61)]
    by_hand = sum(float(enclosure(point[60 + k])) * float(enclosure(point[60 + k + 1])) for k in range(-59, 59))
    assert float(enclosure(law.probability((0, 2)))) == pytest.approx(by_hand)
    verdict = check_privacy(
        gap, [(1, 0), (0, 0), (0, 1)], lambda scores: [(0, 0)] if any(scores) else [], epsilon="1/2"
    )
    assert verdict.status is Status.PROVED


def test_runs_follow_the_law() -> None:
    found = Counter(run(two_noises, (1,), seed=seed) for seed in range(500))
    law = distribution(two_noises, (1,))
    for value in range(-1, 4):
        p = float(enclosure(law.probability(value)))
        assert abs(found[value] / 500 - p) < 5 * (p / 500) ** 0.5


def one_of_the_summands(draw: Draw, rows: tuple[int, ...]) -> Any:
    first, second = draw(discrete_laplace(1)), draw(geometric(1))
    return first, first + second


def a_sum_and_a_summand(draw: Draw, rows: tuple[int, ...]) -> Any:
    first, second = draw(discrete_laplace(1)), draw(geometric(1))
    return first + second, first


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        (one_of_the_summands, "beside noise that it was compared with"),
        (a_sum_and_a_summand, "returned one noise twice"),
        (lambda draw, rows: draw(two_noises, rows), "a sub-mechanism returned noise"),
    ],
)
def test_what_has_no_law_by_itself_is_drawn_all_the_same(mechanism: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        distribution(mechanism, (1,))
    with debugging():
        drawn = run(mechanism, (1,), seed=1)
    assert all(type(number) is int for number in (drawn if isinstance(drawn, tuple) else (drawn,)))
