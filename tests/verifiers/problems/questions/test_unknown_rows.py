"""Databases of unknown size answer as known ones do, or refuse."""

import builtins
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from tests.examples import in_one

from dpverify.mechanisms import Undecided, exact, laplace
from dpverify.mechanisms.counting import largest, of_counts, smallest
from dpverify.mechanisms.numbers.errors import Cut
from dpverify.mechanisms.numbers.integers.unknown_numbers import of_kind
from dpverify.mechanisms.numbers.positivity.affine_regions import coordinate
from dpverify.mechanisms.numbers.roots.substitution import PointSubstitution
from dpverify.mechanisms.numbers.symbols import notes
from dpverify.mechanisms.selection import Selection
from dpverify.reports.record import Status
from dpverify.verifiers import Histograms, Multisets, add_or_remove_one, check_privacy
from dpverify.verifiers.problems.questions.unknown_rows import UnknownRows, counted_rows

pytestmark = pytest.mark.usefixtures("decided_here")

_UNIVERSE = (1, 2, 5)
_ROWS = UnknownRows(_UNIVERSE, [of_kind(coordinate(i), int) for i in range(3)])


def _weights(row: int) -> int:
    return 3 * row


_QUESTIONS: list[Callable[[Any], Any]] = [
    lambda rows: rows.count(2),
    lambda rows: rows.count(7),
    lambda rows: len(rows) + 0,
    lambda rows: sum(1 for row in rows if row > 1),
    lambda rows: sum(row > 1 for row in rows),
    lambda rows: sum(rows) + 0,
    lambda rows: sum((_weights(row) for row in rows), 10),
    lambda rows: sum(row * other for row in rows for other in (1, 2) if row != other),
    lambda rows: sum(2 * value for value in (row + 1 for row in rows if row < 5)),
    lambda rows: sum(Fraction(row, 2) for row in rows),
    lambda rows: len(rows) - 2 * rows.count(1),
]


@in_one("question", _QUESTIONS)
def test_what_depends_on_how_often_rows_occur_is_answered(question: Callable[[Any], Any]) -> None:
    with counted_rows():
        answer = exact(question(_ROWS))
    for point in product(range(4), repeat=3):
        known = [row for row, times in zip(_UNIVERSE, point, strict=True) for _ in range(times)]
        assert PointSubstitution(dict(enumerate(point)))(answer) == question(known)


def test_counters_hold_what_occurs() -> None:
    with counted_rows():
        with pytest.raises(Cut):
            Counter(_ROWS)
        counts = Counter(UnknownRows("ab", [of_kind(coordinate(0) + 1, int), 0]))
    assert dict(counts) == {"a": coordinate(0) + 1}
    notes.refused = None


def test_a_row_is_in_it_where_it_occurs() -> None:
    rows = UnknownRows("ab", [of_kind(coordinate(0) + 1, int), 0])
    assert "a" in rows and "b" not in rows and "c" not in rows
    with counted_rows():
        assert rows


_REFUSED: list[Callable[[Any], Any]] = [
    lambda rows: rows[0],
    lambda rows: [row for row in rows],  # noqa: C416  # as people write
    sorted,
    max,
    set,
    hash,
    lambda rows: rows + (1,),  # noqa: RUF005  # as people write
    lambda rows: rows == (1,),
    lambda rows: range(len(rows)) and list(reversed(rows)),
    lambda rows: len([row for row in rows if row > 1]),
    lambda rows: sum([1 for row in rows if row > 1]),
    lambda rows: sum(map(_weights, rows)),
    lambda rows: any(row > 1 for row in rows),
    lambda rows: rows.index(1),
    lambda rows: rows.count(rows.count(1)),
    lambda rows: (0, rows.count(1)) in rows,
]


@in_one("question", _REFUSED)
def test_what_goes_through_the_rows_is_refused_and_noted(question: Callable[[Any], Any]) -> None:
    notes.refused = None
    with counted_rows(), pytest.raises((Undecided, TypeError, ValueError)):
        question(_ROWS)
    assert notes.refused is not None, "a mechanism that catches the error is not accepted"
    notes.refused = None


def test_len_sum_and_counter_are_what_they_were_afterwards() -> None:
    before = builtins.len, builtins.sum, Counter.update
    with pytest.raises(ZeroDivisionError), counted_rows():
        assert len("abc") == 3
        assert sum([1, 2], 3) == 6
        assert sum((x for x in (1, 2)), start=1) == 4
        assert Counter("aab") == Counter(a=2, b=1)
        _ = 1 / 0
    assert before == (builtins.len, builtins.sum, Counter.update)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("quality", "status"),
    [
        (lambda counts, x: smallest(counts[x], 2), Status.PROVED),
        (lambda counts, x: largest(*(counts[(x + i) % 2] for i in (0, 1)), 1) - counts[x], Status.PROVED),
        (lambda counts, x: abs(counts.size - 2 * counts[x]) + (counts[x] > 1), Status.PROVED),
        (lambda counts, x: 3 * (counts[x] >= 2), Status.REFUTED),
    ],
)
def test_a_quality_of_counts_is_decided_for_every_size(quality: Callable[[Any, Any], Any], status: Status) -> None:
    mechanism = Selection(of_counts(quality), range(2))
    for domain in (Histograms(range(2)), Multisets(range(2), sizes=range(4))):
        assert check_privacy(mechanism, domain, add_or_remove_one, epsilon=1).status is status


def _of_both(draw: Any, rows: Any, *, epsilon: Any) -> Any:
    return rows.count(0) * rows.count(1) + draw(laplace(1 / epsilon))


def _of_many(draw: Any, rows: Any, *, epsilon: Any) -> Any:
    return sum(rows) + draw(laplace(2 / epsilon)) if len(rows) > 9 else None


def test_a_claim_that_cuts_regions_on_and_on_is_refuted_on_few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpverify.verifiers.all_sizes.decision.MANY_CASES", 10)
    verdict = check_privacy(_of_both, Histograms(range(3)), epsilon=1)
    assert verdict.status is Status.REFUTED
    assert verdict.witness is not None
    assert (verdict.witness.left, verdict.witness.right) == ((0, 0, 0), (0, 0, 1))


def test_of_too_many_regions_it_is_said_what_has_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpverify.verifiers.all_sizes.decision.MOST_CASES", 20)
    reason = check_privacy(_of_many, Histograms(range(3)), epsilon=1).reason
    assert "claim it on fewer kinds of rows, or on Multisets(range(0, 3), sizes=range(…)) [" in reason
