"""Databases given by how often each point occurs.

Those with nearly all rows on one point are the hardest: what is then seen of another point, few rows or one have put
there.
"""

from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.verifiers.utility.repeated import written_out

Counts: TypeAlias = tuple[int, ...]
"""The numbers of rows of the points 0, 1, …."""
BETA: Final = Fraction(9, 10)


def on_counts(draw: Draw, counts: Counts, *, sanitizer: Mechanism, **given: Any) -> Any:
    """A sanitizer on the database in which each point occurs as often as the counts say."""
    return sanitizer(draw, rows_of(counts), **given)


def every_point_that_occurs(draw: Draw, counts: Counts, **_: Any) -> Any:
    """Mutant: lists all points that occur."""
    return tuple(x for x, count in enumerate(counts) if count)


@lru_cache(maxsize=4)  # one tuple for all runs on a database, of which what is found is remembered
def rows_of(counts: Counts) -> tuple[int, ...]:
    """The rows, in order."""
    return written_out(enumerate(counts))


def nearly_all_on_one_point(rows: int, others: tuple[int, ...]) -> list[Counts]:
    """The databases in which up to as many rows as `others` says are on points 1, 2, …, and the rest on point 0."""
    found: list[Counts] = [()]
    for most in others:
        found = [(*counts, count) for counts in found for count in range(most + 1)]
    return [(rows - sum(counts), *counts) for counts in found]
