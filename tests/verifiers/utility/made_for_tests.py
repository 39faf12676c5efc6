"""What several tests of utility share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from dpverify.mechanisms import Distribution, Draw, InputError, sqrt
from dpverify.reports.kinds.utility import UtilityResult
from dpverify.reports.record import SCHEMA_VERSION, AuditRecord
from dpverify.verifiers import Case, UtilityClaim

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@cache
def uniform(size: int) -> Distribution[int]:
    """Made once: on each of its paths a mechanism asks for it again."""
    return Distribution(dict.fromkeys(range(size), 1))


def one_of(draw: Draw, size: int) -> Any:
    return draw(uniform(size))


def the_first(draw: Draw, size: int) -> int:
    """Always."""
    return 0


def sizes(high: int = 100) -> Callable[[], SearchStrategy[Case]]:
    def strategy() -> SearchStrategy[Case]:
        from hypothesis import strategies as st

        return st.builds(Case, st.integers(2, high))

    return strategy


ENUMERATED = UtilityClaim(
    id="Test-1.utility.first",
    source="by hand",
    statement="the first is drawn with probability at most 1/n",
    mechanism=one_of,
    succeeds=lambda case, drawn: drawn != 0,
    beta=lambda case: Fraction(1, case.database),
    mutant=the_first,
    cases=tuple(Case(size) for size in range(2, 20)),
)


SMALL = {"two rows": lambda case: case.database == 2}


FUZZED = replace(ENUMERATED, cases=None, strategy=sizes(), corners=SMALL, floor=15)


def too_little(case: Case) -> Fraction:
    """1/n as long as n < 17, and then less than that."""
    return Fraction(1, case.database if case.database < 17 else case.database + 1)


# √(7 + 4√3) = 2 + √3, which no form here shows.
def hidden(case: Case) -> Any:
    """1/n, but where n = 3 as a number that no complete test compares with it."""
    third = (sqrt(7 + 4 * sqrt(3)) - 2 - sqrt(3)) + Fraction(1, 3)
    return third if case.database == 3 else Fraction(1, case.database)


def refuses_three(draw: Draw, size: int) -> Any:
    if size >= 3:
        raise InputError("three is refused")
    return one_of(draw, size)


def boundary(at: int) -> tuple[UtilityClaim, Callable[[int], Iterator[Case]]]:
    """One of n rows is the first with probability at most 1/at: so from n = at on."""
    return replace(ENUMERATED, beta=lambda case: Fraction(1, at)), lambda size: iter((Case(size), Case(size + 1)))


def audit_of(*found: UtilityResult) -> AuditRecord:
    return AuditRecord(SCHEMA_VERSION, "0", list(found), [])


def always(draw: Draw, database: Any, *, epsilon: Fraction) -> int:
    """0."""
    return 0
