"""Noisy max of many items: a sample draws the noises, by the law that is in closed form."""

from collections import Counter
from itertools import product
from typing import Any

import pytest

from dpverify.mechanisms import InputError, decimal, discrete_laplace, distribution, gumbel, laplace, run
from dpverify.mechanisms.drawing import debugging
from dpverify.mechanisms.noise import truncated_discrete_laplace
from dpverify.mechanisms.outputs.noisiest import Noisiest
from dpverify.mechanisms.selection import max_of_laplaces, max_of_laplaces_drawn, noisy_max


@pytest.mark.parametrize("noise", [laplace, discrete_laplace])
def test_what_a_sample_runs_has_the_law_that_is_enumerated(noise: Any) -> None:
    """Exactly, on all qualities of three solutions: the closed form, what is drawn, inlined and nested."""
    for scores in product(range(3), repeat=3):
        closed = distribution(max_of_laplaces, scores, epsilon=1, noise=noise)
        chosen = noisy_max(scores, noise(2))
        assert chosen.drawn is not None
        drawn = distribution(lambda draw, _, of=chosen.drawn: of(draw), 0)
        nested = distribution(lambda draw, quality: draw(max_of_laplaces, quality, epsilon=1, noise=noise), scores)
        assert drawn == closed == nested == distribution(max_of_laplaces_drawn, scores, epsilon=1, noise=noise)


def test_a_run_is_that_of_what_is_drawn() -> None:
    scores = (3, 1, 3, 0)
    for seed in range(50):
        inlined = run(max_of_laplaces_drawn, scores, seed=seed, epsilon=1)
        assert run(max_of_laplaces, scores, seed=seed, epsilon=1) == inlined
        assert run(lambda draw, q: draw(max_of_laplaces, q, epsilon=1), scores, seed=seed) == inlined


@pytest.mark.deep
def test_samples_are_as_frequent_as_the_law_has_it() -> None:
    law = distribution(max_of_laplaces, (2, 1, 0), epsilon=1)
    seen = Counter(run(max_of_laplaces, (2, 1, 0), seed=seed, epsilon=1) for seed in range(3000))
    for item in range(3):
        assert abs(seen[item] / 3000 - float(decimal(law.probability(item), 9))) < 0.04  # four standard deviations


@pytest.mark.parametrize("items", [3, 300])
def test_a_sample_computes_no_chance(items: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any) -> Any:
        raise AssertionError("chances were asked for")

    monkeypatch.setattr(Noisiest, "choice", never)
    assert run(max_of_laplaces, tuple(range(items)), seed=1, epsilon=20) > items - 10


def test_bad_qualities_are_refused_before_anything_is_drawn() -> None:
    for noise, scores, words in [
        (discrete_laplace, ("1/2", 0), "with discrete noise: a score is not a whole number"),
        (lambda scale: truncated_discrete_laplace(scale, 3), (), "quality is empty"),
        (gumbel, (1, 2), "asked for its density"),
    ]:
        for way in (run, distribution):
            with debugging(), pytest.raises(InputError, match=words):
                way(max_of_laplaces, scores, epsilon=1, noise=noise)
