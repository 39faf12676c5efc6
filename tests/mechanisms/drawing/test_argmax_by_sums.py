"""The index of the largest noisy score by sums over a grid, in floats, which share nothing with the library.

Pr[i] = Σ_y f_i(y)·∏ F_j(y): a score is at y, and no other one above, nor an earlier one at y.
"""

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr

from dpverify.mechanisms import (
    Draw,
    decimal,
    discrete_gaussian,
    discrete_laplace,
    distribution,
    exponential_noise,
    gaussian,
    geometric,
    gumbel,
    laplace,
)

Floats = NDArray[np.float64]


class Score(NamedTuple):
    """A score with its noise: `times` of a noise of a scale, which others may share."""

    score: Fraction
    times: int
    scale: Fraction
    shared: int


CONTINUOUS: Final[dict[Callable[..., Any], Callable[[Floats], Floats]]] = {
    laplace: lambda x: np.where(x < 0, np.exp(np.minimum(x, 0)) / 2, 1 - np.exp(-np.maximum(x, 0)) / 2),
    exponential_noise: lambda x: 1 - np.exp(-np.maximum(x, 0)),
    gumbel: lambda x: np.exp(-np.exp(np.minimum(-x, 300))),
    gaussian: ndtr,
}
"""Their distribution functions at scale 1."""

DISCRETE: Final[dict[Callable[..., Any], Callable[[Floats], Floats]]] = {
    discrete_laplace: lambda x: np.exp(-abs(x)),
    geometric: lambda x: np.where(x >= 0, np.exp(-np.maximum(x, 0)), 0),
    discrete_gaussian: lambda x: np.exp(-x * x / 2),
}
"""Their weights at scale 1."""

_STEPS: Final = 30_000


def _probabilities(noise: Any, scores: list[Score]) -> list[float]:
    """Of scores with one noise the largest alone can win, the first of equals."""
    best = [max((s for s in scores if s.shared == one), key=lambda s: s.score) for one in {s.shared for s in scores}]
    best.sort(key=scores.index)
    if noise in DISCRETE:
        y = np.arange(-400.0, 401.0)
        weights = [DISCRETE[noise]((y - float(s.score)) / s.times / float(s.scale)) for s in best]
        weights = [np.where((y - float(s.score)) % s.times == 0, w, 0) for s, w in zip(best, weights, strict=True)]
        masses = [w / w.sum() for w in weights]
        upto = [np.cumsum(m) for m in masses]
        below = [u - m for u, m in zip(upto, masses, strict=True)]
    else:
        ends = np.linspace(-40, 60, _STEPS + 1)
        sums = [_below(CONTINUOUS[noise], ends, s) for s in best]
        masses = [np.diff(u) for u in sums]
        upto = below = [(u[1:] + u[:-1]) / 2 for u in sums]
    found = [0.0] * len(scores)
    for i, score in enumerate(best):
        others = [below[j] if j < i else upto[j] for j in range(len(best)) if j != i]
        found[scores.index(score)] = float(np.sum(masses[i] * np.prod(others, axis=0)))
    return found


def _below(cumulative: Callable[[Floats], Floats], y: Floats, score: Score) -> Floats:
    z = (y - float(score.score)) / score.times / float(score.scale)
    return cumulative(z) if score.times > 0 else 1 - cumulative(z)


def _largest(draw: Draw, scores: tuple[Score, ...], *, noise: Any) -> int:
    drawn: dict[int, Any] = {}
    for one in scores:
        if one.shared not in drawn:
            drawn[one.shared] = draw(noise(one.scale))
    noisy = [one.score + one.times * drawn[one.shared] for one in scores]
    return noisy.index(max(noisy))


def _each_its_own(draw: Draw, scores: tuple[Score, ...], *, noise: Any) -> int:
    return max(range(len(scores)), key=lambda i: scores[i].score + scores[i].times * draw(noise(scores[i].scale)))


def _scores(chances: random.Random, noise: Any) -> list[Score]:
    """Ties, offsets, and at times one noise of two scores, unequal scales, or noise that is subtracted or doubled."""
    whole = noise in DISCRETE
    scale = Fraction(chances.randint(1, 3), chances.randint(1, 2))
    form = chances.choice(("plain", "plain", "shared", "scales", "times"))
    times = chances.choice((-1, 2)) if form == "times" and noise in (laplace, gaussian) else 1
    return [
        Score(
            Fraction(chances.randint(0, 2), 1 if whole else chances.randint(1, 2)),
            times,
            scale * 2 if form == "scales" and i == 1 else scale,
            0 if form == "shared" and i == 1 else i,
        )
        for i in range(chances.randint(2, 3))
    ]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("noise", [*CONTINUOUS, *DISCRETE], ids=lambda noise: noise.__name__)
def test_the_law_is_that_of_sums_over_a_grid(noise: Any) -> None:
    chances = random.Random(f"argmax by sums {noise.__name__}")
    compared = 0
    for _ in range(3):
        scores = _scores(chances, noise)
        is_shared = len({one.shared for one in scores}) < len(scores)
        for mechanism in (_largest,) if is_shared else (_largest, _each_its_own):
            law = distribution(mechanism, tuple(scores), noise=noise)
            found = [float(decimal(law.probability(i), 12)) for i in range(len(scores))]
            assert found == pytest.approx(_probabilities(noise, scores), abs=1e-5), (mechanism.__name__, scores)
            compared += 1
    assert compared >= 3
