"""Released sums that share Gaussian noise, against Δᵀ·Σ⁻¹·Δ in floats."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import erfc, exp, sqrt
from random import Random
from typing import Any

import numpy as np
import pytest

from dpverify.mechanisms import bounds, distribution, gaussian
from dpverify.mechanisms import sqrt as exact_sqrt
from dpverify.mechanisms.outputs import AnyReal, Where
from dpverify.reports.record import Status
from dpverify.verifiers import check_privacy

BESIDE = Fraction(1, 10**9)


def below(x: float) -> float:
    return erfc(-x / sqrt(2)) / 2


def analytic(apart: float, epsilon: float) -> float:
    """Balle & Wang (2018), of one number."""
    return below(apart / 2 - epsilon / apart) - exp(epsilon) * below(-apart / 2 - epsilon / apart)


def least_delta(matrix: Sequence[Sequence[Any]], scales: Sequence[Any], moves: Sequence[Any], epsilon: float) -> float:
    """Of moves·x + matrix·noises: 1 where the moves do not lie in what the noises span."""
    spread = np.array(matrix, dtype=float) * np.array([float(scale) for scale in scales])
    covariance, moved = spread @ spread.T, np.array(moves, dtype=float)
    weights = np.linalg.lstsq(covariance, moved, rcond=1e-10)[0]
    if np.linalg.norm(covariance @ weights - moved) > 1e-8:
        return 1.0
    squared = float(moved @ weights)
    return analytic(sqrt(squared), epsilon) if squared > 1e-12 else 0.0


def released(matrix: Sequence[Sequence[Any]], scales: Sequence[Any], moves: Sequence[Any]) -> Callable[[Any, int], Any]:
    def mechanism(draw: Any, x: int) -> Any:
        noises = [draw(gaussian(scale)) for scale in scales]
        return tuple(
            move * x + sum((c * noise for c, noise in zip(row, noises, strict=True)), start=0)
            for move, row in zip(moves, matrix, strict=True)
        )

    return mechanism


def agree(matrix: Sequence[Sequence[Any]], scales: Sequence[Any], moves: Sequence[Any], epsilon: Fraction) -> None:
    least = Fraction(least_delta(matrix, scales, moves, float(epsilon)))
    for delta, status in ((least + BESIDE, Status.PROVED), (least - BESIDE, Status.REFUTED)):
        if 0 <= delta <= 1:
            mechanism = released(matrix, scales, moves)
            verdict = check_privacy(mechanism, [0, 1], lambda x: [1 - x], epsilon=epsilon, delta=delta)
            assert verdict.status is status, (matrix, scales, moves, epsilon, least, verdict)


HALF = Fraction(1, 2)
NAMED: dict[str, tuple[list[list[Any]], list[Any], list[int]]] = {
    "a noise in between": ([[1, 1, 0], [0, 1, 1]], [1, 1, 1], [1, 1]),
    "more noises than numbers": ([[1, 2, -1, 1]], [1, 2, HALF, 1], [1]),
    "three in a row": ([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]], [1, 2, 1, HALF], [1, 0, 1]),
    "two groups": ([[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 2, 1]], [1, 1, 2, 1], [1, 0, 0, 1]),
    "one moves against the other": ([[1, 1, 0], [0, 1, 1]], [1, 1, 1], [1, -1]),
    "a number twice": ([[1, 1, 0], [0, 1, 1], [1, 2, 1]], [1, 1, 1], [1, 1, 2]),
    "a number that the others decide": ([[1, 1, 0], [0, 1, 1], [1, 2, 1]], [1, 1, 1], [1, 1, 1]),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("epsilon", [Fraction(1, 4), Fraction(1)])
def test_the_distance_is_that_of_the_covariance(name: str, epsilon: Fraction) -> None:
    agree(*NAMED[name], epsilon)


def test_random_sums() -> None:
    random = Random(39)
    for _ in range(12):
        count, size = random.randint(1, 4), random.randint(1, 3)
        matrix = [[random.choice([0, 0, 1, -1, 2, HALF]) for _ in range(count)] for _ in range(size)]
        scales = [Fraction(random.randint(1, 6), 2) for _ in range(count)]
        agree(matrix, scales, [random.choice([0, 1, -1, 2]) for _ in range(size)], Fraction(random.randint(1, 8), 4))


def smoothed(draw: Any, rows: tuple[int, int], *, sigma: Any) -> Any:
    """A tree of two rows and their sum, and what fits its three noisy nodes best."""
    left, right, both = (
        rows[0] + draw(gaussian(sigma)),
        rows[1] + draw(gaussian(sigma)),
        sum(rows) + draw(gaussian(sigma)),
    )
    return (2 * left - right + both) / 3, (2 * right - left + both) / 3


def test_a_tree_that_is_smoothed_needs_what_its_nodes_need() -> None:
    """What fits best keeps all that the nodes tell: a row moves them by √2."""
    least = Fraction(analytic(sqrt(2) / 2, 1))
    rows = [(0, 0), (0, 1), (1, 0)]
    for delta, status in ((least + BESIDE, Status.PROVED), (least - BESIDE, Status.REFUTED)):
        verdict = check_privacy(
            smoothed,
            rows,
            lambda x: [y for y in rows if y != x and (0, 0) in (x, y)],
            epsilon=1,
            delta=delta,
            parameters={"sigma": 2},
        )
        assert verdict.status is status


def test_scales_may_be_roots() -> None:
    matrix, moves = [[1, 1, 0], [0, 1, 1]], [1, 1]
    least = Fraction(least_delta(matrix, [sqrt(2), sqrt(3), 1], moves, 1))
    mechanism = released(matrix, [exact_sqrt(2), exact_sqrt(3), 1], moves)
    for delta, status in ((least + BESIDE, Status.PROVED), (least - BESIDE, Status.REFUTED)):
        assert check_privacy(mechanism, [0, 1], lambda x: [1 - x], epsilon=1, delta=delta).status is status


def test_an_event_is_about_one_of_the_independent_numbers() -> None:
    """Of A + B and B + C these are the difference, A − C, and the mean, whose variance is 3/2."""
    law = distribution(released([[1, 1, 0], [0, 1, 1]], [1, 1, 1], [0, 0]), 0)
    shape = (AnyReal(), AnyReal())
    found = law.probability(Where(shape, (((HALF, HALF), None, 1), ((1, -1), 1, None))))
    low, high = bounds(found)
    assert abs(float(low + high) / 2 - below(1 / sqrt(1.5)) * below(-1 / sqrt(2))) < 1e-12


def test_what_is_compared_is_left_to_the_noises_themselves() -> None:
    def compared(draw: Any, x: int) -> Any:
        a, b, c = (draw(gaussian(1)) for _ in range(3))
        return (x + a + b, x + b + c) if b > 0 else None

    verdict = check_privacy(compared, [0, 1], lambda x: [1 - x], epsilon=1, delta=Fraction(1, 100))
    assert verdict.status is Status.UNDECIDED
