"""Mechanisms whose laws look harmless where all unknown numbers are small, or where outcomes happen to coincide."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from os import urandom
from typing import Any

import pytest
from tests.verifiers.all_sizes.regions.laws_on import laws_on

from dpverify.mechanisms import InputError, bernoulli, discrete_laplace, laplace, log, uniform
from dpverify.verifiers import (
    Histograms,
    Multisets,
    Scores,
    ScoreSpace,
    Status,
    check_privacy,
    replace_one,
    scores_linf,
)
from dpverify.verifiers.problems.neighbours import bounded_growth
from dpverify.verifiers.problems.questions import BoundedGrowth, OrMore

HALF, TENTH = Fraction(1, 2), Fraction(1, 10)


def sharper_with_rows(draw: Any, rows: Any, *, noise: Any) -> Any:
    """Broken: neighbours have one number of rows, and so one law of noise, but it gets narrower with it."""
    return sum(row > 0 for row in rows) + draw(noise(Fraction(1) / len(rows)))


@pytest.mark.parametrize(("noise", "delta"), [(laplace, HALF), (discrete_laplace, Fraction(56, 100))])
def test_noise_that_depends_on_an_unknown_number_is_not_one_pair_moved(noise: Any, delta: Fraction) -> None:
    verdicts = [
        check_privacy(
            sharper_with_rows, domain, replace_one, epsilon=1, delta=delta, parameters={"noise": noise}, recheck=False
        )
        for domain in (Multisets(range(2), sizes=range(1, 5)), Histograms(range(2), sizes=OrMore(1)))
    ]
    assert verdicts[0].status is Status.REFUTED
    assert verdicts[1].status is not Status.PROVED


def or_some_number(draw: Any, scores: Any) -> Any:
    """Broken: a number without noise is hidden by plain outcomes where the score is near 0, and nowhere else."""
    found = draw(uniform((-1, 0, 1, None)))
    return scores[0] + draw(discrete_laplace(TENTH)) if found is None else found


def in_either_place(draw: Any, scores: Any) -> Any:
    """Broken alike: two kinds of outcome, each with a noisy number, meet at small scores."""
    pair = (draw(uniform((-1, 0, 1))), scores[0] + draw(discrete_laplace(TENTH)))
    return pair if draw(bernoulli(HALF)) else pair[::-1]


def test_outcomes_that_meet_released_noise_are_not_one_pair_moved() -> None:
    finite = check_privacy(
        or_some_number, ScoreSpace(range(-5, 6), solutions=1), scores_linf, epsilon=1, delta=TENTH, recheck=False
    )
    assert finite.status is Status.REFUTED
    for mechanism in (or_some_number, in_either_place):
        verdict = check_privacy(mechanism, Scores(solutions=1), scores_linf, epsilon=1, delta=TENTH)
        assert verdict.status is Status.UNDECIDED and "that an outcome without it may equal" in verdict.reason


def in_two_ways(draw: Any, scores: Any) -> Any:
    """At ε = 2 it is private: 0 is as probable with noise."""
    if scores[0] < 0 and draw(bernoulli(Fraction(1, 100))):
        return 0
    return scores[0] + draw(discrete_laplace(1))


def test_what_is_no_violation_of_two_databases_is_not_reported_as_one() -> None:
    near = check_privacy(in_two_ways, ScoreSpace(range(-3, 4), solutions=1), scores_linf, epsilon=2, recheck=False)
    assert near.status is Status.PROVED
    verdict = check_privacy(in_two_ways, Scores(solutions=1), scores_linf, epsilon=2)
    assert verdict.status is Status.PROVED, verdict.reason


def tagged(draw: Any, scores: Any, *, rows: Any) -> Any:
    """Broken alike, where the number of rows is not 1; returned as it is it would be refused."""
    bit = draw(bernoulli(TENTH if scores[0] > 0 else 1 - TENTH))
    return scores[0] + draw(laplace(10)) + (rows if bit else 1) * 0, (rows if bit else 1) + draw(laplace(TENTH))


def test_two_centres_that_move_apart_are_not_one_pair_moved() -> None:
    domain = BoundedGrowth(rows=OrMore(1), solutions=1, growth=1)
    verdict = check_privacy(tagged, domain, bounded_growth, epsilon=1, delta=TENTH)
    assert verdict.status is not Status.PROVED


def ranks(draw: Any, rows: Any) -> Any:
    """Broken: 1 + 2 + … + n for n rows; at n = 0 and n = 1 that is n."""
    rank = itertools.count(1)
    return sum(next(rank) for row in rows if row == 3) + draw(discrete_laplace(1))


def doubled(draw: Any, rows: Any) -> Any:
    """Broken alike: 2^n − 1."""
    state = [0]

    def weight() -> int:
        state[0] += 1
        return 1 << (state[0] - 1)

    return sum(weight() for row in rows if row == 3) + draw(discrete_laplace(1))


def distinct(draw: Any, rows: Any) -> Any:
    seen: set[int] = set()

    def is_new(row: int) -> bool:
        before = len(seen)
        seen.add(row)
        return len(seen) > before

    return sum(1 for row in rows if is_new(row)) + draw(discrete_laplace(1))


def randomized_count(draw: Any, rows: Any) -> Any:
    return sum(draw(bernoulli(HALF)) for row in rows if row == 3) >= 1


def noisy_rows(draw: Any, rows: Any) -> Any:
    return sum(draw(laplace(1)) for row in rows if row == 3) >= 1


@pytest.mark.parametrize("mechanism", [ranks, doubled, distinct, randomized_count, noisy_rows])
def test_a_sum_of_what_is_not_the_same_for_each_occurrence_of_a_row_is_refused(mechanism: Callable[..., Any]) -> None:
    verdict = check_privacy(mechanism, Histograms(range(4)), epsilon=1)
    assert verdict.status is Status.UNDECIDED
    if mechanism in (ranks, doubled, distinct):
        assert re.search(
            r"((changed|reaches) (rank|state|seen)\b|row by row).* \(.*test_wrong_proofs.py, line \d+\)", verdict.reason
        )
    else:
        assert "not the same each time a row occurs" in verdict.reason


def test_a_universe_of_more_rows_than_the_sample_has() -> None:
    verdict = check_privacy(
        lambda draw, rows: rows.count(0) + draw(discrete_laplace(1)), Histograms(range(9)), epsilon=1
    )
    assert verdict.status is Status.PROVED, verdict.reason


def test_an_irrational_comparison_of_scores_is_given_up_at_once() -> None:
    verdict = check_privacy(lambda draw, s: log(2) * s[0] >= s[1], Scores(solutions=2), scores_linf, epsilon=1)
    assert verdict.status is Status.UNDECIDED and "irrational" in verdict.reason


def by_first_row(draw: Any, rows: Any) -> Any:
    """Counters hold rows in the order in which they come."""
    first = next(iter(Counter(rows)), 0)
    return draw(bernoulli(HALF + Fraction(first, 10)))


def test_a_mechanism_that_depends_on_the_order_of_the_rows_is_not_proved() -> None:
    verdict = check_privacy(by_first_row, Histograms(range(3)), epsilon=1)
    assert verdict.status is Status.UNDECIDED
    assert "the outcome differs where the Counter is gone through" in verdict.reason


def by_chance_where_scores_are_known(draw: Any, scores: Any) -> Any:
    """Broken: it draws by itself where whole numbers are tried, and does otherwise there."""
    return type(scores[0]) is int and urandom(1)[0] < 256


def test_chance_from_elsewhere_is_told_of_and_not_what_it_did() -> None:
    domain = Scores(solutions=1)
    laws = laws_on(domain, by_chance_where_scores_are_known, {})  # `check_privacy` refuses `type`
    for region in domain.regions(scores_linf):
        with pytest.raises(InputError, match=r"chance c(ame|omes) from .*urandom"):
            laws.distribution(region.left)
