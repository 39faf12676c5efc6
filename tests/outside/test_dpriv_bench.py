"""The questions of DPrivBench: decided as labelled, and counted on docs/benchmark.md."""

import re
from fractions import Fraction
from itertools import product

import pytest
from docs.pages.benchmark_page import PAGE
from tests.outside.dpriv_bench import FUNCTIONS, QUESTIONS, TRACKS, TWO_COLUMNS, Question

from dpverify.verifiers import Status

NO_ZERO_TEST = {("Laplace, pure DP", 38)}
"""Centres such as exp(-2), of which ratios are exponentials of exponentials."""


def test_there_are_588_questions_about_49_functions() -> None:
    assert [each.id for each in FUNCTIONS] == list(range(1, 50))
    assert len(TRACKS) == 6
    assert len(QUESTIONS) == len({question.id for question in QUESTIONS}) == 588


def test_the_published_sensitivity_is_attained_on_the_values_and_never_exceeded() -> None:
    compared = 0
    for function in FUNCTIONS:
        moves = {
            abs(function.of(left) - function.of(right))
            for left, right in product(product(function.values, repeat=3), repeat=2)
            if sum(a != b for a, b in zip(left, right, strict=True)) == 1
        }
        if all(isinstance(move, (int, Fraction)) for move in moves):
            assert max(moves) == function.sensitivity(3), function.formula
            compared += 1
    assert compared == 44  # of the others the sensitivity is no fraction


@pytest.mark.one_in(28)
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_a_question_is_decided_as_labelled(question: Question) -> None:
    expected = Status.UNDECIDED if (question.track.name, question.function.id) in NO_ZERO_TEST else question.labelled
    assert question.decide().status is expected


@pytest.mark.one_in(16)
@pytest.mark.parametrize("question", TWO_COLUMNS, ids=lambda question: question.id)
def test_three_columns_refute_what_two_may_not(question: Question) -> None:
    assert question.decide().status in (Status.PROVED, Status.REFUTED)
    assert question._replace(track=question.track._replace(columns=3)).decide().status is Status.REFUTED


def test_the_page_counts_all_questions() -> None:
    rows = re.findall(r"^\| .* \| .* \| (\d+) \| (\d+) \| (\d+) \| [\d.]+ \|$", PAGE.read_text(encoding="utf-8"), re.M)
    *tracks, total = [tuple(map(int, row)) for row in rows]
    assert len(tracks) == len(TRACKS)
    assert [sum(track[i] for track in tracks) for i in range(3)] == list(total) == [586, 0, 2]
