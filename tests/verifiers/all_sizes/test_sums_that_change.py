"""What is said of each row under `sum` changes nothing, for a database of unknown size: it is said who knows how often."""

from __future__ import annotations

import functools
import heapq
import itertools
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.examples import in_one

from dpverify.mechanisms import Draw
from dpverify.reports.record import Status
from dpverify.verifiers import Histograms, check_privacy, replace_one

pytestmark = pytest.mark.usefixtures("decided_here")

KEPT: Any = []
push: Any = heapq.heappush
add_at: Any = np.add.at
WEIGHTS = {0: 1, 1: 2}


def listed(draw: Draw, rows: Any) -> Any:
    kept: Any = []
    sum(1 for r in rows if r == 0 and (kept.append(r) or True))
    return len(kept) > 30


def by_a_bound_method(draw: Draw, rows: Any) -> Any:
    kept: Any = []
    add = kept.append
    sum(1 for r in rows if r == 0 and add(r))
    return len(kept) > 30


def in_a_global(draw: Draw, rows: Any) -> Any:
    KEPT.clear()
    sum(1 for r in rows if r == 0 and push(KEPT, r))
    found = len(KEPT) > 30
    KEPT.clear()
    return found


def tallied(draw: Draw, rows: Any) -> Any:
    tallies = {0: 0, 1: 0}

    def tally(r: int) -> bool:
        tallies[r] += 1
        return True

    sum(1 for r in rows if tally(r))
    return tallies[0] > 30


def capped(draw: Draw, rows: Any) -> Any:
    used: dict[int, int] = {}

    def is_allowed(r: int) -> bool:
        used[r] = used.get(r, 0) + 1
        return used[r] <= 25

    return sum(1 for r in rows if is_allowed(r)) > 40


def counted(draw: Draw, rows: Any) -> Any:
    counter = itertools.count()
    return sum(1 for r in rows if next(counter) < 50) > 49


def taken(draw: Draw, rows: Any) -> Any:
    first = iter(range(40))
    return sum(1 for r in rows if next(first, None) is not None) > 39


def turned_around(draw: Draw, rows: Any) -> Any:
    """Each row is visited an even number of times, which leaves the list as it was."""
    flag: Any = [0, 1]
    sum(1 for r in rows if r == 0 and flag.reverse())
    return flag[0]


def walrus(draw: Draw, rows: Any) -> Any:
    n = 0
    sum(1 for r in rows if (n := n + 1) < 0)
    return n > 61


def last_one(draw: Draw, rows: Any) -> Any:
    """A variable that is bound by the sum, and not before it."""
    sum(1 for r in rows if (last := r) == 5)
    return last


def of_a_function(draw: Draw, rows: Any) -> Any:
    def weight(r: int) -> int:
        weight.calls += 1  # type: ignore[attr-defined]
        return 1

    weight.calls = 0  # type: ignore[attr-defined]
    sum(weight(r) for r in rows)
    return weight.calls > 61  # type: ignore[attr-defined]


def in_an_array(draw: Draw, rows: Any) -> Any:
    tallies = np.zeros(2, dtype=np.int64)
    sum(1 for r in rows if add_at(tallies, r, 1))
    return bool(tallies[0] > 30)


def within_another(draw: Draw, rows: Any) -> Any:
    kept: Any = []
    sum(2 * value for value in (kept.append(r) or 1 for r in rows))
    return len(kept) > 61


@in_one(
    "mechanism, name",
    [
        (listed, "changed kept"),
        (by_a_bound_method, "changed add"),
        (in_a_global, "outside the language: a change of a value that is there before the run"),
        (tallied, "changed tallies"),
        (capped, "changed used"),
        (counted, "reaches counter, a count"),
        (taken, "reaches first, a range_iterator"),
        (turned_around, "changed flag"),
        (walrus, "changed n"),
        (last_one, "changed last"),
        (of_a_function, "outside the language: the attribute .calls"),
        (in_an_array, "outside the language: the method ufunc.at"),
        (within_another, "changed kept"),
    ],
)
def test_what_a_sum_changes_is_undecided_by_name_and_line(mechanism: Callable[..., Any], name: str) -> None:
    verdict = check_privacy(mechanism, Histograms((0, 1)), replace_one, epsilon="0.1")
    assert verdict.status is Status.UNDECIDED
    assert name in verdict.reason and re.search(r"test_sums_that_change.py, line|line \d+ of test_sums", verdict.reason)


GONE_THROUGH: list[Callable[[Any], Any]] = [
    lambda rows: any(r == 0 for r in rows),
    lambda rows: all(r == 0 for r in rows),
    lambda rows: next((r for r in rows if r == 0), None),
    lambda rows: min((r for r in rows), default=0),
    lambda rows: max((r for r in rows), default=0),
    lambda rows: sum(map(WEIGHTS.__getitem__, rows)),
    lambda rows: next(iter(rows), None),
]


@in_one("asked", GONE_THROUGH)
def test_what_else_goes_through_the_rows_is_undecided(asked: Callable[[Any], Any]) -> None:
    verdict = check_privacy(lambda draw, rows: asked(rows), Histograms((0, 1)), replace_one, epsilon="0.1")
    assert verdict.status is Status.UNDECIDED
    assert "gone through row by row" in verdict.reason


@functools.cache
def known_weight(row: int) -> int:
    return row + 1


class Weighing:
    """An object that is not changed."""

    def __init__(self) -> None:
        self.weights = [1, 2]

    def weight(self, row: int) -> int:
        return self.weights[row]


def makes_its_own(row: int) -> int:
    kept: list[int] = []
    kept.append(row)
    return len(kept) + row


HARMLESS: list[Callable[[], Callable[[int], int]]] = [
    lambda: lambda r: WEIGHTS[r],
    lambda: known_weight,
    lambda: Weighing().weight,
    lambda: makes_its_own,
    lambda: functools.partial(lambda by, r: r + by, 1),
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("make", HARMLESS, ids=["dict", "memory", "object", "own list", "partial"])
@pytest.mark.deep
def test_what_changes_nothing_is_summed(make: Callable[[], Callable[[int], int]]) -> None:
    weight = make()

    def always(draw: Draw, rows: Any) -> Any:
        return sum(weight(r) for r in rows) >= 0

    def parity(draw: Draw, rows: Any) -> Any:
        return sum(weight(r) for r in rows) >= 7

    assert check_privacy(always, Histograms((0, 1)), replace_one, epsilon="0.1").status is Status.PROVED
    assert check_privacy(parity, Histograms((0, 1)), replace_one, epsilon="0.1").status is Status.REFUTED
