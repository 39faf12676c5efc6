"""Qualities of counts that try to see what they are given: run by pattern they get what each database gives them.

Either the laws by pattern are those of each database, or they are found one by one.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from enum import Enum, IntEnum, StrEnum
from fractions import Fraction
from typing import Any, Final

import pytest
from tests.verifiers.divergence.output_tables.test_by_pattern import _of_few_databases, assert_as_single_runs, found

from dpverify.mechanisms.counting import of_counts
from dpverify.mechanisms.counting.qualities import Counts
from dpverify.mechanisms.selection import Selection
from dpverify.verifiers import Multisets, Tuples
from dpverify.verifiers.divergence.output_tables.counted_rows import is_compared_plainly

pytestmark = pytest.mark.usefixtures("nothing_is_watched", _of_few_databases.__name__)


def are_by_pattern(quality: Callable[[Counts, Any], Any], domain: Any, solutions: Any) -> bool:
    """Whether no database is scored by itself; the laws by pattern are those of each."""
    mechanism, databases = Selection(of_counts(quality), solutions), list(domain)
    result = found(mechanism, domain)
    if result is not None:
        assert_as_single_runs(result.laws, mechanism, databases)
    return result is not None


class Spy:
    """A row that remembers whether it was compared with one that is there."""

    def __init__(self, row: Hashable) -> None:
        self.row = row
        self.was_there = False

    def __hash__(self) -> int:
        return hash(self.row)

    def __eq__(self, other: object) -> bool:
        self.was_there = True
        return self.row == other


def seen_by_a_spy(counts: Counts, x: int) -> Any:
    spy = Spy(x)
    return counts[spy] * 0 + 5 * spy.was_there


def seen_by_a_spy_within(counts: Counts, x: Any) -> Any:
    spy = Spy(x[0])
    return counts[(spy,)] * 0 + 5 * spy.was_there


class Modulo:
    """Equals several rows, of which a dict finds the first one that it holds."""

    def __init__(self, row: int) -> None:
        self.row = row

    def __hash__(self) -> int:
        return self.row

    def __eq__(self, other: object) -> bool:
        return isinstance(other, int) and other % (2**61 - 1) == self.row


@dataclass(frozen=True)
class Told:
    """A row that tells with which others it is compared."""

    name: int

    def __eq__(self, other: object) -> bool:
        TOLD.append(other)
        return isinstance(other, Told) and self.name == other.name

    def __hash__(self) -> int:
        return 1


TOLD: Final[list[Any]] = []
ROWS: Final = (Told(1), Told(2))


def told(counts: Counts, x: Told) -> Any:
    TOLD.clear()
    return counts[x] + 3 * len(TOLD)


@pytest.mark.parametrize(
    ("quality", "domain", "solutions"),
    [
        (seen_by_a_spy, Multisets(range(3), size=3), range(3)),
        (seen_by_a_spy_within, Multisets([(0,), (1,)], size=3), [(0,), (1,)]),
        (lambda counts, x: counts[Modulo(1)] * (x == 1) * 3 + counts[x], Tuples([1, 2**61], size=2), (1, 2**61)),
        (told, Multisets(ROWS, size=2), ROWS),
    ],
)
def test_what_a_row_sees_when_it_is_compared_is_that_of_its_database(
    quality: Callable[[Counts, Any], Any], domain: Any, solutions: Any
) -> None:
    assert not are_by_pattern(quality, domain, solutions)


class Colour(Enum):
    """Members that are compared by what they are."""

    RED = 1
    BLUE = 2


class Number(IntEnum):
    """Members that are numbers."""

    ONE = 1
    TWO = 2


class Text(StrEnum):
    """Members that are texts."""

    A = "a"
    B = "b"


class Odd(Enum):
    """Members that compare in their own way."""

    A = 1
    B = 2

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return 1


@dataclass(frozen=True)
class Patient:
    """A row as many are."""

    age: int
    name: str


@pytest.mark.parametrize(
    "rows",
    [
        (0, 1),
        ("a", "b"),
        ((0, "a"), (1, "b")),
        (Patient(1, "a"), Patient(2, "b")),
        tuple(Colour),
        tuple(Number),
        tuple(Text),
        (None, Fraction(1, 2)),
    ],
)
def test_rows_of_many_kinds_are_counted_of_many_databases(rows: tuple[Any, ...]) -> None:
    names = range(len(rows))
    assert are_by_pattern(lambda counts, x: counts[rows[x]], Multisets(rows, size=3), names)


@pytest.mark.parametrize("row", [1, True, 1.0, Fraction(1), 1 + 0j, Number.ONE])
def test_a_row_is_found_by_what_equals_it(row: Any) -> None:
    assert are_by_pattern(lambda counts, x: counts[row] * x + counts[x], Multisets(range(3), size=3), range(3))


@pytest.mark.parametrize("value", [Spy(1), (1, Spy(1)), Odd.A, ROWS[0], Patient(1, Spy("a")), object()])  # type: ignore[arg-type]  # where a text belongs
def test_what_code_of_its_own_compares_is_not_compared_plainly(value: Any) -> None:
    assert not is_compared_plainly(value)
