"""Loops whose states recur are solved exactly, and what has no end is UNDECIDED, with the line and the states."""

import re
import time
from fractions import Fraction
from typing import Any

import pytest

from dpverify.mechanisms import Draw, Limits, bernoulli, distribution, exp
from dpverify.verifiers import Multisets, Status, Tuples, check_privacy

HALF = bernoulli("1/2")


def walk(draw: Draw, n: int, p: Any) -> bool:
    at = n // 2
    while 0 < at < n:
        at += 1 if draw(bernoulli(p)) else -1
    return at == 0


@pytest.mark.parametrize(("n", "up"), [(300, Fraction(1, 3)), (100, 1 / (1 + exp(Fraction(-1, 2))))])
def test_states_that_recur_are_solved_exactly(n: int, up: Any) -> None:
    odds = ((1 - up) / up) ** (n // 2)  # the gambler's ruin
    assert distribution(walk, n, p=up).probability(True) == odds / (1 + odds)


def stuck(draw: Draw, rows: Any) -> int:
    at = 0
    while at < 3:
        at = (at + draw(HALF)) % 3
    return at


def counter(draw: Draw, rows: Any) -> int:
    n = 0
    while draw(HALF):
        n += 1
    return n


def recursive(draw: Draw, rows: Any) -> Any:
    return draw(HALF) or recursive(draw, rows)


def recursive_without_draws(draw: Draw, rows: Any) -> Any:
    return recursive_without_draws(draw, rows)


def two_counters(draw: Draw, rows: Any) -> bool:
    n = m = 0
    while draw(HALF):
        if draw(HALF):
            n += 1
        else:
            m += 1
    return n > m


def endless(draw: Draw, rows: Any) -> None:
    while True:
        pass


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("mechanism", "said"),
    [
        (stuck, r"does not end with probability 1, .* of 3 states that recur"),
        (counter, r"; \d+ states were found, and few of its states merge"),
        (recursive, "calls itself again and again"),
        (recursive_without_draws, "calls itself again and again"),
        (two_counters, r"it has come to [\d,]+ states"),
        (endless, "may not end: if it ends"),
    ],
)
def test_what_has_no_end_is_undecided(mechanism: Any, said: str) -> None:
    limits = Limits(seconds=1 if mechanism in (two_counters, endless) else 60)
    verdict = check_privacy(mechanism, Tuples((0, 1), size=1), epsilon=1, limits=limits)
    assert verdict.status is Status.UNDECIDED
    for each in (said, r"test_ends\.py, line \d+"):
        assert re.search(each, verdict.reason), verdict.reason


def test_time_that_is_up_where_rows_are_watched_is_spent_once() -> None:
    before = time.process_time()
    assert (
        check_privacy(endless, Multisets((0, 1), size=2), epsilon=1, limits=Limits(seconds=1)).status
        is Status.UNDECIDED
    )
    assert time.process_time() - before < 1.8
