"""Gaussian noise on sums and scores of every size: neighbours shift it by known numbers, which is all that counts."""

from fractions import Fraction
from math import erfc, exp, floor
from typing import Any

import pytest

from dpverify.mechanisms import bounds, clamp, discrete_gaussian, gaussian, sqrt
from dpverify.mechanisms.numbers.polynomial_form import has_balls_of_unknown
from dpverify.mechanisms.numbers.positivity.affine_regions import coordinate
from dpverify.mechanisms.numbers.roots.substitution import PointSubstitution
from dpverify.mechanisms.numbers.roots.whole_forms import rounded_whole
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


@pytest.mark.one_in(2)
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


@pytest.mark.one_in(2)
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
        assert "claim δ > 0" in verdict.reason


def whole_masses() -> dict[int, float]:
    weights = {k: exp(-(k**2) / 2) for k in range(-60, 61)}
    return {k: weight / sum(weights.values()) for k, weight in weights.items()}


def at_least_three(draw: Any, rows: Any, *, noise: Any) -> Any:
    return rows.count(0) + draw(noise(1)) >= 3


def is_three(draw: Any, rows: Any, *, noise: Any) -> Any:
    return rows.count(0) + draw(noise(1)) == 3


def clamped(draw: Any, rows: Any, *, noise: Any) -> Any:
    return clamp(rows.count(0) + draw(noise(1)), 0, 5)


def event_masses(mechanism: Any, count: int, noise: Any) -> list[float]:
    """The probabilities of the outcomes of one of them, for a number of rows."""
    if noise is gaussian:
        return [below(3 - count), below(count - 3)]
    whole = {k + count: p for k, p in whole_masses().items()}
    if mechanism is at_least_three:
        return [sum(p for k, p in whole.items() if k < 3), sum(p for k, p in whole.items() if k >= 3)]
    if mechanism is is_three:
        return [whole.get(3, 0), 1 - whole.get(3, 0)]
    cut = [min(max(k, 0), 5) for k in whole]
    return [sum(p for k, p in zip(cut, whole.values(), strict=True) if k == at) for at in range(6)]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("mechanism", "noise"),
    [
        (at_least_three, discrete_gaussian),
        (at_least_three, gaussian),
        (is_three, discrete_gaussian),
        (clamped, discrete_gaussian),
    ],
)
def test_a_count_of_any_size_is_compared_with_a_number(mechanism: Any, noise: Any) -> None:
    """Beyond 21 scales the tails are next to nothing, and before that each count is looked at."""
    laws = [event_masses(mechanism, count, noise) for count in range(30)]
    pairs = [(i, j) for i in range(30) for j in range(30) if abs(i - j) == 1]
    least = max(sum(max(0, p - exp(1) * q) for p, q in zip(laws[i], laws[j], strict=True)) for i, j in pairs)
    for beside, status in ((1e-9, Status.PROVED), (-1e-9, Status.REFUTED)):
        verdict = check_privacy(
            mechanism,
            Histograms(range(1)),
            add_or_remove_one,
            epsilon=1,
            delta=f"{least + beside:.12f}",
            parameters={"noise": noise},
            recheck=False,
        )
        assert verdict.status is status


@pytest.mark.parametrize("noise", [gaussian, discrete_gaussian])
def test_without_delta_a_count_violates_it_somewhere(noise: Any) -> None:
    """Far out no sign is known, and nearer by the ratio of the tails exceeds e."""
    verdict = check_privacy(
        at_least_three, Histograms(range(1)), add_or_remove_one, epsilon=1, delta=0, parameters={"noise": noise}
    )
    assert verdict.status is Status.REFUTED


def test_what_may_be_unknown_in_a_probability_is_found() -> None:
    """A weight at an unknown place is no number that all pairs share."""
    far = discrete_gaussian(1).mass(rounded_whole(floor(coordinate(0) + 40)), None)
    near = discrete_gaussian(1).mass(40, None)
    assert far.symbol is None
    assert has_balls_of_unknown(far)
    assert has_balls_of_unknown(sqrt(1 + far))
    assert not has_balls_of_unknown(near)
    assert bounds(far)[1] < Fraction(1, 10**90)
    assert PointSubstitution({0: 0})(sqrt(1 + far)) == sqrt(1 + near)


def test_where_the_law_depends_on_unknown_scores_the_noises_are_decided() -> None:
    """Both scores move by 1: two numbers of scale 2 at a distance of √2 need δ = 0.0396 at ε = 1."""

    def largest(draw: Any, scores: Any) -> Any:
        noisy = [one + draw(gaussian(2)) for one in scores]
        return noisy.index(max(noisy))

    verdict = check_privacy(largest, Scores(solutions=2), scores_linf, epsilon=1, delta="1/25")
    assert verdict.status is Status.PROVED and verdict.basis.before_post_processing
    verdict = check_privacy(largest, Scores(solutions=2), scores_linf, epsilon=1, delta="1/26")
    assert verdict.status is Status.UNDECIDED and "before post-processing more is needed" in verdict.reason
