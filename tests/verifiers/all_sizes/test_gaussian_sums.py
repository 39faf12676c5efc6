"""Gaussian noise on sums and scores of every size: neighbours shift it by known numbers, which is all that counts."""

from __future__ import annotations

from math import erfc, exp
from typing import Any

import pytest

from dpverify.mechanisms import MechanismError, clamp, discrete_gaussian, gaussian
from dpverify.reports.record import Status
from dpverify.verifiers import Histograms, Scores, add_or_remove_one, check_privacy, replace_one, scores_linf

pytestmark = pytest.mark.usefixtures("decided_here")


def score(draw: Any, scores: Any, *, noise: Any, times: int = 1) -> Any:
    return times * scores[0] + draw(noise(2))


def all_scores(draw: Any, scores: Any, *, noise: Any) -> Any:
    return tuple(one + draw(noise(2)) for one in scores)


def histogram(draw: Any, rows: Any, *, noise: Any) -> Any:
    return tuple(rows.count(value) + draw(noise(2)) for value in range(2))


def analytic(epsilon: float, apart: float) -> float:
    return below(apart / 2 - epsilon / apart) - exp(epsilon) * below(-apart / 2 - epsilon / apart)


def below(x: float) -> float:
    return erfc(-x / 2**0.5) / 2


@pytest.mark.parametrize("noise", [gaussian, discrete_gaussian])
@pytest.mark.parametrize(("times", "apart"), [(1, 0.5), (2, 1.0)])
def test_a_noisy_score_of_any_size(noise: Any, times: int, apart: float) -> None:
    domain, given = Scores(solutions=1), {"noise": noise, "times": times}
    delta = analytic(1, apart)
    for factor, status in ((1.2, Status.PROVED), (0.8, Status.REFUTED)):
        claimed = f"{factor * delta:.9f}"
        verdict = check_privacy(
            score, domain, scores_linf, epsilon=1, delta=claimed, parameters=given, recheck=factor > 1
        )
        assert verdict.status is status


@pytest.mark.parametrize("noise", [gaussian, discrete_gaussian])
def test_several_numbers_by_their_distance(noise: Any) -> None:
    delta = analytic(1, 2**0.5 / 2)
    for factor, status in ((1.2, Status.PROVED), (0.8, Status.REFUTED)):
        claimed = f"{factor * delta:.9f}"
        for mechanism, domain, neighbours in (
            (all_scores, Scores(solutions=2), scores_linf),
            (histogram, Histograms(range(2)), replace_one),
        ):
            verdict = check_privacy(
                mechanism, domain, neighbours, epsilon=1, delta=claimed, parameters={"noise": noise}, recheck=False
            )
            assert verdict.status is status


def test_adding_a_row_is_less_than_replacing_one() -> None:
    delta = f"{1.01 * analytic(1, 1 / 2):.9f}"
    given: dict[str, Any] = {"epsilon": 1, "delta": delta, "parameters": {"noise": gaussian}}
    assert check_privacy(histogram, Histograms(range(2)), add_or_remove_one, **given).status is Status.PROVED
    assert check_privacy(histogram, Histograms(range(2)), replace_one, **given).status is Status.REFUTED


def test_without_delta_it_says_what_to_claim() -> None:
    for noise in (gaussian, discrete_gaussian):
        verdict = check_privacy(score, Scores(solutions=1), scores_linf, epsilon=1, parameters={"noise": noise})
        assert verdict.status is Status.UNDECIDED
        assert "claim a δ > 0" in verdict.reason


def test_where_the_law_depends_on_unknown_scores_it_is_refused() -> None:
    def cut_off(draw: Any, scores: Any) -> Any:
        return clamp(scores[0] + draw(gaussian(2)), 0, 5)

    def largest(draw: Any, scores: Any) -> Any:
        noisy = [one + draw(gaussian(2)) for one in scores]
        return noisy.index(max(noisy))

    for mechanism in (cut_off, largest):
        with pytest.raises(MechanismError, match=r"on given databases.* give ε a value, or use laplace"):
            check_privacy(mechanism, Scores(solutions=2), scores_linf, epsilon=1, delta="1/10")
