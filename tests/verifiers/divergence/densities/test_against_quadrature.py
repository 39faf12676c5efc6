"""Released real numbers against quadrature: densities written by hand, integrated in floats on a fine grid."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dpverify.mechanisms import Draw, laplace
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.verifiers import Status, check_privacy

Floats = NDArray[np.float64]
Density = Callable[[Floats], Floats]

GRID = np.linspace(-40.0, 40.0, 40_001)
STEP = GRID[1] - GRID[0]


def lap(scale: float) -> Density:
    return lambda x: np.exp(-np.abs(x) / scale) / (2 * scale)


def below(scale: float) -> Density:
    """The distribution function of Lap(scale)."""
    return lambda x: np.where(x < 0, np.exp(np.minimum(x, 0) / scale) / 2, 1 - np.exp(-np.maximum(x, 0) / scale) / 2)


def convolved(p: Floats, q: Floats) -> Floats:
    """Σⱼ p[i − j]·q[j], as many in the middle as p has: as scipy.signal has it, which takes a second to be imported."""
    length = len(p) + len(q) - 1
    size = 1 << length.bit_length()
    sums = np.fft.irfft(np.fft.rfft(p, size) * np.fft.rfft(q, size), size)[:length]
    return sums[(length - len(p)) // 2 :][: len(p)]


def divergence(p: Sequence[Floats], q: Sequence[Floats], epsilon: float) -> float:
    """Σ over templates ∫ max(0, p - e^ε·q)."""
    factor = np.exp(epsilon)
    return float(sum(np.maximum(0, a - factor * b).sum() * STEP for a, b in zip(p, q, strict=True)))


def either_way(p: Sequence[Floats], q: Sequence[Floats], epsilon: float) -> float:
    """The larger of both divergences: pairs are looked at in either order."""
    return max(divergence(p, q, epsilon), divergence(q, p, epsilon))


def found(mechanism: Any, left: Any, right: Any, epsilon: str, **parameters: Any) -> float:
    verdict = check_privacy(
        mechanism,
        [left, right],
        lambda database: [right] if database == left else [],
        epsilon=epsilon,
        delta="0.0000001",
        parameters=parameters,
        recheck=False,
    )
    assert verdict.status in (Status.PROVED, Status.REFUTED)
    assert verdict.delta is not None
    if verdict.witness is not None:
        assert verdict.witness.difference > verdict.witness.delta
    return float(verdict.delta.lower)


def shifted(draw: Draw, value: int, *, scales: Sequence[int]) -> Any:
    """A number with as many noises as there are scales."""
    noisy: Any = value
    for scale in scales:
        noisy = noisy + draw(laplace(scale))
    return noisy


@given(
    st.sampled_from(["0", "0.2", "0.7"]),
    st.integers(1, 3),
    st.lists(st.sampled_from([1, 2, 3]), min_size=1, max_size=2),
)
def test_sums_of_noise(epsilon: str, gap: int, scales: list[int]) -> None:
    density = lap(scales[0])(GRID)
    for scale in scales[1:]:
        density = convolved(density, lap(scale)(GRID)) * STEP
    moved = np.interp(GRID - gap, GRID, density)
    exactly = found(shifted, 0, gap, epsilon, scales=scales)
    assert exactly == pytest.approx(either_way([density], [moved], float(epsilon)), abs=2e-3)


def largest(draw: Draw, scores: tuple[int, ...], *, scale: int) -> Any:
    """The place of the largest noisy score, and that score."""
    noisy = [score + draw(laplace(scale)) for score in scores]
    best = 0
    for i in range(1, len(noisy)):
        if noisy[i] > noisy[best]:
            best = i
    return best, noisy[best]


def _largest(scores: tuple[int, ...], scale: int) -> list[Floats]:
    return [
        lap(scale)(GRID - own)
        * np.prod([below(scale)(GRID - other) for j, other in enumerate(scores) if j != i], axis=0)
        for i, own in enumerate(scores)
    ]


@given(
    st.sampled_from(["0", "0.2", "0.6"]),
    st.tuples(st.integers(0, 2), st.integers(0, 2)),
    st.tuples(st.integers(0, 2), st.integers(0, 2)),
    st.sampled_from([1, 2]),
)
def test_the_largest_score_with_its_value(epsilon: str, p: tuple[int, int], q: tuple[int, int], scale: int) -> None:
    if p == q:
        return
    exactly = found(largest, p, q, epsilon, scale=scale)
    by_hand = either_way(_largest(p, scale), _largest(q, scale), float(epsilon))
    assert exactly == pytest.approx(by_hand, abs=1e-3)


def first_above(draw: Draw, scores: tuple[int, ...], *, threshold_scale: int, scale: int) -> Any:
    """The first noisy score above a noisy threshold, with that score."""
    threshold = 1 + draw(laplace(threshold_scale))
    for i, score in enumerate(scores):
        noisy = score + draw(laplace(scale))
        if noisy >= threshold:
            return i, noisy
    return None


def _first_above(scores: tuple[int, ...], threshold_scale: int, scale: int) -> tuple[list[Floats], float]:
    of_threshold = lap(threshold_scale)(GRID - 1)
    densities = []
    for i, own in enumerate(scores):
        before = np.prod([below(scale)(GRID - other) for other in scores[:i]], axis=0) if i else 1.0
        densities.append(lap(scale)(GRID - own) * np.cumsum(of_threshold * before) * STEP)
    none = float((of_threshold * np.prod([below(scale)(GRID - score) for score in scores], axis=0)).sum() * STEP)
    return densities, none


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("threshold_scale", "scale"), [(2, 2), (1, 2), (2, 1)])
@pytest.mark.parametrize(("p", "q"), [((0, 1), (1, 0)), ((0, 0), (1, 1)), ((2, 0), (1, 1))])
@pytest.mark.parametrize("epsilon", ["0", "0.4"])
def test_the_first_score_above_a_threshold_with_its_value(
    threshold_scale: int, scale: int, p: tuple[int, int], q: tuple[int, int], epsilon: str
) -> None:
    exactly = found(first_above, p, q, epsilon, threshold_scale=threshold_scale, scale=scale)
    (left, none_left), (right, none_right) = (_first_above(scores, threshold_scale, scale) for scores in (p, q))
    by_hand = either_way([*left, _mass(none_left)], [*right, _mass(none_right)], float(epsilon))
    assert exactly == pytest.approx(by_hand, abs=2e-3)


def _mass(probability: float) -> Floats:
    return np.array([probability / STEP])


def gap_to_the_next(draw: Draw, scores: tuple[int, ...], *, scale: int) -> Any:
    """Which noisy score is the largest, and by how much."""
    noisy = [score + draw(laplace(scale)) for score in scores]
    best = 0 if noisy[0] >= noisy[1] else 1
    next_best = 1 - best
    for i in range(2, len(noisy)):
        if noisy[i] > noisy[best]:
            best, next_best = i, best
        elif noisy[i] > noisy[next_best]:
            next_best = i
    return best, noisy[best] - noisy[next_best]


def _gaps(scores: tuple[int, ...], scale: int) -> list[Floats]:
    """By the definition: the largest exceeds the second by g where it is g above the largest of the others."""
    found = []
    for i, own in enumerate(scores):
        others = [score for j, score in enumerate(scores) if j != i]
        top = np.prod([below(scale)(GRID - other) for other in others], axis=0)
        of_top = np.gradient(top, STEP)
        # Pr[own - top = g] = ∫ f_own(t + g)·f_top(t) dt
        density = convolved(lap(scale)(GRID - own), of_top[::-1]) * STEP
        found.append(np.where(GRID >= 0, density, 0.0))
    return found


def test_the_gap_of_noisy_max() -> None:
    exactly = found(gap_to_the_next, (0, 1, 1), (1, 0, 1), "0.3", scale=2)
    by_hand = either_way(_gaps((0, 1, 1), 2), _gaps((1, 0, 1), 2), 0.3)
    assert exactly == pytest.approx(by_hand, abs=2e-3)


def histogram(draw: Draw, counts: tuple[int, ...], *, scale: int) -> Any:
    """Counts with noise of their own."""
    return tuple(count + draw(laplace(scale)) for count in counts)


@given(st.lists(st.sampled_from([0, 1, 2, -1]), min_size=2, max_size=3), st.sampled_from(["0", "0.5", "1.1"]))
def test_independent_numbers_by_their_losses(gaps: list[int], epsilon: str) -> None:
    scale = 2
    if not any(gaps):
        return
    exactly = found(histogram, (0,) * len(gaps), tuple(gaps), epsilon, scale=scale)
    # the loss of one number lies on a grid of losses; those of all add up
    width = 1e-3
    reach = round(max(map(abs, gaps)) * len(gaps) / scale / width) + 2
    of_loss = np.zeros(2 * reach + 1)
    of_loss[reach] = 1.0
    for gap in gaps:
        losses = (np.abs(GRID - gap) - np.abs(GRID)) / scale
        masses = lap(scale)(GRID) * STEP
        one = np.zeros_like(of_loss)
        np.add.at(one, np.round(losses / width).astype(int) + reach, masses)
        of_loss = convolved(of_loss, one)
    at = (np.arange(len(of_loss)) - reach) * width
    by_hand = float((np.maximum(0, 1 - np.exp(float(epsilon) - at)) * of_loss).sum())
    assert exactly == pytest.approx(by_hand, abs=2e-3)


def test_the_closed_form_of_one_laplace_number() -> None:
    for epsilon in ("0", "1/3", "1", "5/4"):
        verdict = check_privacy(
            shifted, [0, 1], epsilon=epsilon, parameters={"scales": (1,)}, neighbours=lambda v: [1 - v], recheck=False
        )
        assert verdict.delta is not None
        by_hand = max(0.0, 1 - float(np.exp((float(eval(epsilon)) - 1) / 2)))
        assert verdict.delta.exact is not None
        assert float(enclosure(verdict.delta.exact)) == pytest.approx(by_hand, abs=1e-12)
