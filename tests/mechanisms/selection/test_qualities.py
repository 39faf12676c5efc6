"""Qualities that score all solutions at once, as they run on one database."""

import copy
import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from operator import add, eq, floordiv, ge, gt, le, lt, mod, mul, ne, sub
from typing import Any, Final

import numpy as np
import pytest
from tests.examples import in_one

from dpverify.mechanisms import InputError, distribution, run
from dpverify.mechanisms.counting import all_at_once, largest, of_counts, smallest
from dpverify.mechanisms.counting.qualities import OfCounts
from dpverify.mechanisms.counting.tallies import Counts
from dpverify.mechanisms.selection import Selection
from dpverify.verifiers.divergence.output_tables.counted_rows import row_counts

ROWS: Final = (0, 1, 2, 3)


def scored(quality: Callable[[Any], Any], rows: tuple[Any, ...]) -> Any:
    """The score of a solution that does not matter."""
    return of_counts(lambda counts, _: quality(counts))(rows, None)


Formula = tuple[Any, ...]
"""An operation with its operands, or ("row", x), ("size",) or ("number", n)."""

BINARY: Final = (add, sub, mul, floordiv, mod, lt, le, gt, ge, eq, ne, smallest, largest)


def formula(chosen: random.Random, depth: int) -> Formula:
    """One by chance."""
    if depth == 0 or chosen.random() < 0.1:
        return chosen.choice(
            [
                ("row", chosen.choice(ROWS)),
                ("row", 7),
                ("size",),
                ("number", chosen.choice((-2, -1, 0, 1, 3, True, 10**6))),
            ]
        )
    if chosen.random() < 0.2:
        return chosen.choice((abs, lambda value: -value, lambda value: value**3)), formula(chosen, depth - 1)
    return chosen.choice(BINARY), formula(chosen, depth - 1), formula(chosen, depth - 1)


def of_tallies(of: Formula, counts: Counts) -> Any:
    """What a quality makes of it."""
    what, *operands = of
    if what == "row":
        return counts[operands[0]]
    if what == "size":
        return counts.size
    if what == "number":
        return operands[0]
    return what(*(of_tallies(operand, counts) for operand in operands))


def of_ints(of: Formula, rows: tuple[int, ...]) -> int:
    """The same in Python's own numbers."""
    what, *operands = of
    if what == "row":
        return rows.count(operands[0])
    if what == "size":
        return len(rows)
    if what == "number":
        return int(operands[0])
    values = [of_ints(operand, rows) for operand in operands]
    if what in (smallest, largest):
        what = min if what is smallest else max
    return int(what(*values))


def databases_by(chosen: random.Random) -> list[tuple[int, ...]]:
    return [tuple(chosen.choices(ROWS, k=chosen.randrange(6))) for _ in range(20)]


def quality_of(of: Formula) -> OfCounts:
    return OfCounts(lambda counts, _: of_tallies(of, counts))


def test_formulas_of_counts_are_those_of_numbers() -> None:
    """The oracle is Python's arithmetic."""
    chosen = random.Random(5)
    for _ in range(600):
        of, databases = formula(chosen, 3), databases_by(chosen)
        for rows in databases:
            try:
                expected = of_ints(of, rows)
            except ZeroDivisionError:
                with pytest.raises(ZeroDivisionError):
                    quality_of(of)(rows, None)
            else:
                assert quality_of(of)(rows, None) == expected


@in_one(
    "looks",
    [
        lambda count: 1 if count else 0,
        lambda count: 1 if count > 3 else 0,
        lambda count: min(count, 3),
        lambda count: 0 < count < 3,
        lambda count: count in (1, 2),
        lambda count: len(range(count)),
        lambda count: [5, 6, 7][count],
        int,
        float,
        round,
        copy.copy,
        np.asarray,
        lambda count: count / 2,
        lambda count: 2 / count,
        lambda count: divmod(count, 2),
        lambda count: count * 0.5,
        lambda count: count + Fraction(1, 2),
        lambda count: count == "many",
        lambda count: np.array([1, 2]) * count,
        lambda count: count**-1,
    ],
)
def test_a_count_that_is_looked_at_is_refused(looks: Callable[[Any], Any]) -> None:
    with pytest.raises(InputError, match="count"):
        scored(lambda counts: looks(counts[1]), (1, 1, 2))


@pytest.mark.parametrize(
    "divides", [lambda n: n / 2, lambda n: 2 / n, lambda n: divmod(n, 2), lambda n: divmod(2, n), lambda n: 2**n]
)
def test_what_is_no_whole_number_says_how_to_have_one(divides: Callable[[Any], Any]) -> None:
    with pytest.raises(InputError, match=r"by `//` and `%`.*common denominator"):
        scored(lambda counts: divides(counts[1]), (1, 1, 2))


@pytest.mark.parametrize("looks", [hash, list, len, lambda count: {count: 1}, iter])
def test_a_count_is_no_key_and_no_list(looks: Callable[[Any], Any]) -> None:
    with pytest.raises((TypeError, InputError)):
        scored(lambda counts: looks(counts[1]), (1, 1, 2))


def test_counts_are_not_gone_through() -> None:
    for looks in (list, lambda counts: 1 in counts):
        with pytest.raises(TypeError):
            scored(looks, (1, 1, 2))


def test_a_count_reads_the_same_whatever_it_is() -> None:
    texts = [scored(lambda counts: len(repr(counts[1]) + str(counts[1]) + f"{counts[1]}"), rows) for rows in ((), (1,))]
    assert texts[0] == texts[1]


def test_a_count_that_is_kept_for_another_call_is_refused() -> None:
    kept: list[Any] = []

    def first_one(counts: Counts, _: object) -> Any:
        kept.append(counts[1])
        return kept[0]

    quality = of_counts(first_one)
    assert quality((1, 1), None) == 2
    with pytest.raises(InputError, match="calls, and belongs to one call of a utility function"):
        quality((1,), None)
    with pytest.raises(InputError, match="calls, and belongs to one call of a utility function"):
        of_counts(lambda counts, _: kept[0] + counts[1])((1,), None)


def test_one_database_has_numbers_of_any_size() -> None:
    assert scored(lambda counts: (counts[1] * 2**80) ** 2, (1,)) == 2**160


@pytest.mark.parametrize("caught", [2**60, 2**59, 2**40])
def test_what_is_too_large_for_many_is_told_although_it_is_caught(caught: int) -> None:
    """Bounds are those of all databases: 2 rows times 2^59 may be 2^60, and 2^60 + 1 is refused."""

    def quality(counts: Counts, _: object) -> Any:
        try:
            return counts[1] * caught + 1
        except Exception:  # as a careless quality does
            return 0

    databases: list[tuple[Any, ...]] = [(1, 1), (2,)]
    expected = [quality_of * caught + 1 for quality_of in (2, 0)]
    assert [of_counts(quality)(rows, None) for rows in databases] == expected


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


def test_numbers_of_numpy_are_whole_numbers_too() -> None:
    assert scored(lambda counts: np.int64(3) * counts[1] + np.uint8(3), (1, 1)) == 9
    with pytest.raises(InputError, match="computed with whole numbers alone, by `//` and `%`"):
        scored(lambda counts: type("Weight", (int,), {})(2) * counts[1], (1, 1))
    with pytest.raises(InputError, match="whole numbers alone"):
        scored(lambda counts: np.float64(2) * counts[1], (1, 1))


def test_none_is_chosen_from_none() -> None:
    for choose in (smallest, largest):
        with pytest.raises(InputError, match="the list of counts is empty"):
            choose()
