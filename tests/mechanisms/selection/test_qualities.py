"""Qualities that score all solutions at once, as they run on one database."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import pytest
from tests.examples import in_one

from dpverify.mechanisms import InputError, distribution, run
from dpverify.mechanisms.counting import all_at_once, largest, of_counts, smallest
from dpverify.mechanisms.counting.qualities import Counts
from dpverify.mechanisms.selection import Selection
from dpverify.verifiers.divergence.output_tables.counted_rows import row_counts


def scored(quality: Callable[[Any], Any], rows: tuple[Any, ...]) -> Any:
    """The score of a solution that does not matter."""
    return of_counts(lambda counts, _: quality(counts))(rows, None)


def test_counts_are_not_gone_through() -> None:
    for looks in (list, lambda counts: 1 in counts):
        with pytest.raises(TypeError):
            scored(looks, (1, 1, 2))


def test_rows_are_counted_by_what_equals_them() -> None:
    rows: tuple[Any, ...] = ("a", (1, 2), True, "a", None)
    times = {row: of_counts(votes)(rows, row) for row in ("a", (1, 2), 1, None, "b")}
    assert times == {"a": 2, (1, 2): 1, 1: 1, None: 1, "b": 0}
    assert of_counts(votes)(rows, 1.0) == 1


@dataclass(frozen=True, eq=False)
class ByIdentity:
    """Two of them are alike, and not equal."""

    name: str


ROW_OF_ITS_OWN: Final = type("Row", (), {"__eq__": lambda *_: True, "__hash__": lambda _: 1})


@in_one(
    "databases",
    [
        [(1, 2), (True, 2)],
        [(1, 2), (1.0, 2)],
        [(1, 2), (Fraction(1), 2)],
        [((1, 2),), ((True, 2),)],
        [(1.5,), (2,)],
        [(ROW_OF_ITS_OWN(),), (ROW_OF_ITS_OWN(),)],
        [(ByIdentity("a"),), (ByIdentity("a"),)],
        [[1, 2], (1, 2)],
        ["ab", "b"],
        [frozenset({1})],
        [{1: 3}, {1: 2}],  # which `Counter` takes for how often
    ],
)
def test_rows_that_are_equal_and_not_alike_are_not_counted_together(databases: Any) -> None:
    assert row_counts(databases) is None


@in_one(
    "databases",
    [
        [(1, 2, 2), (), (5,)],
        [(), ()],
        [("a", "b"), ("b", "b")],
        [((0, "a"), (1, "b")), ((1, "b"),)],
        [(None, True), (False, True, True)],
        [(2**70, -(2**70)), (2**70,)],
        [(0, 10**6), (10**6,)],
        [tuple(range(300)), tuple(range(0, 300, 7))] * 600,
    ],
)
def test_rows_of_many_databases_are_counted(databases: Any) -> None:
    counts = row_counts(databases)
    assert counts is not None
    distinct, times = counts
    assert set(distinct) >= {row for database in databases for row in database}
    for row, of_row in zip(distinct, times, strict=True):
        assert of_row.tolist() == [database.count(row) for database in databases]


def votes(counts: Counts, x: int) -> Any:
    return counts[x]


def test_a_selection_by_counts_is_one_by_rows() -> None:
    rows = (2, 0, 2, 1)
    of_rows = Selection(lambda rows, x: rows.count(x), range(3))
    for declared in (
        Selection(of_counts(votes), range(3)),
        Selection(all_at_once(lambda rows: [rows.count(x) for x in range(3)]), range(3)),
    ):
        mine, other = distribution(declared, rows, epsilon=1), distribution(of_rows, rows, epsilon=1)
        assert mine == other
        drawn = [run(declared, rows, seed=seed, epsilon=1) for seed in range(20)]
        assert drawn == [run(of_rows, rows, seed=seed, epsilon=1) for seed in range(20)]


def test_what_scores_a_database_is_asked_once() -> None:
    asked: list[Any] = []

    def scores(rows: tuple[int, ...]) -> list[int]:
        asked.append(rows)
        return [rows.count(x) for x in range(3)]

    declared = Selection(all_at_once(scores), range(3))
    assert declared.scores((1, 1, 2)) == (0, 2, 1)
    assert asked == [(1, 1, 2)]


@pytest.mark.parametrize(
    ("scores", "told"),
    [([1, 2], "2 scores do not fit 3 candidates"), (None, "in place of a list"), ("abc", "in place of a list")],
)
def test_scores_that_are_not_one_for_each_solution_are_refused(scores: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        distribution(Selection(all_at_once(lambda _: scores), range(3)), (1, 2), epsilon=1)


@pytest.mark.parametrize("make", [of_counts, all_at_once])
def test_what_is_no_function_is_refused(make: Callable[[Any], Any]) -> None:
    for given in (3, of_counts(votes), None):
        with pytest.raises(InputError, match="give a function"):
            make(given)


def test_none_is_chosen_from_none() -> None:
    for choose in (smallest, largest):
        with pytest.raises(InputError, match="the list of counts is empty"):
            choose()
    assert scored(lambda counts: (smallest(counts[1], counts[2], 3), largest(counts[1], counts.size)), (1, 1, 2)) == (
        1,
        3,
    )
