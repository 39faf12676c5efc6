"""The sanitizer of Beimel, Nissim & Stemmer for subsets of some points, and single points: a small database for each.

The class is C_L ∪ C_R over [0, 2^d): C_L shatters the `left` first points and is 0 elsewhere, C_R are the points
beyond. Its VC dimension is `left`, if left < d, and its effective size is 2^d, and so many rows are needed: their lower
bound cannot be better in these two.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.functions.thin import thin
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.numbers.integers.parameters import positive, whole
from dpverify.mechanisms.sanitizers.concepts import Point, checked_points
from dpverify.mechanisms.sanitizers.small_databases import small_database

TwoDatabases: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""Ŝ_L, by which C_L is answered, and Ŝ_R, by which C_R is."""


@dataclass(frozen=True)
class Subset:
    """c(x) = 1 exactly for x in some points."""

    points: frozenset[int]

    def __call__(self, x: int) -> int:
        """The label of x."""
        return int(x in self.points)


def left_concepts(left: int) -> tuple[Subset, ...]:
    """C_L: all 2^left subsets of the first points. Raises `InputError` unless left ≥ 1."""
    n = whole(left, "left", 1)
    return tuple(Subset(frozenset(chosen)) for size in range(n + 1) for chosen in combinations(range(n), size))


def right_concepts(d: int, left: int) -> tuple[Point, ...]:
    """C_R: the points from `left` on. Raises `InputError` unless 1 ≤ left < 2^d."""
    _check(d, left)
    return tuple(map(Point, range(left, 1 << d)))


def sanitize_two_parts(
    draw: Draw, rows: Sequence[int], *, d: int, left: int, sizes: tuple[int, int], epsilon: ExactLike
) -> TwoDatabases:
    """Small databases of so many rows, of which the first answers the subsets of the left points, the second the rest.

    Source: Beimel, Nissim & Stemmer, journal version, Section 4.4, after Theorem 4.16, with the generic construction of
    Blum, Ligett & Roth at ε/2 for each. A part does not tell the points apart that none of its concepts does: they
    stand as one, the first of them. Improper: neither database answers all. ε-private. Raises `InputError` without
    rows, for a row that is no point, and unless 1 ≤ left < 2^d, sizes ≥ 1 and ε > 0.
    """
    _check(d, left)
    half = positive(epsilon, "epsilon") / 2
    of_left = draw(
        on_left_points,
        rows,
        d=d,
        left=left,
        mechanism=small_database,
        universe=tuple(range(left + 1)),
        concepts=left_concepts(left),
        size=sizes[0],
        epsilon=half,
    )
    of_right = draw(
        on_right_points,
        rows,
        d=d,
        left=left,
        mechanism=small_database,
        universe=(0, *range(left, 1 << d)),
        concepts=right_concepts(d, left),
        size=sizes[1],
        epsilon=half,
    )
    return of_left, of_right


@thin
def on_left_points(
    draw: Draw, rows: Sequence[int], *, d: int, left: int, mechanism: Mechanism, **parameters: Any
) -> Any:
    """The outcome of a mechanism on the rows with all points from `left` on as one; it has the other parameters.

    Raises `InputError` without rows, and for a row that is no point of [0, 2^d).
    """
    checked_points(rows, d)
    return draw(mechanism, tuple(min(x, left) for x in rows), **parameters)


@thin
def on_right_points(
    draw: Draw, rows: Sequence[int], *, d: int, left: int, mechanism: Mechanism, **parameters: Any
) -> Any:
    """The outcome of a mechanism on the rows with all points before `left` as 0; else as on the left ones."""
    checked_points(rows, d)
    return draw(mechanism, tuple(x if x >= left else 0 for x in rows), **parameters)


def answer(concept: Callable[[int], int], databases: TwoDatabases, *, left: int) -> tuple[int, int]:
    """The number of rows that satisfy a concept of either part, and of all: those of the left or the right database."""
    rows = databases[0] if any(concept(x) for x in range(left)) else databases[1]
    return sum(map(concept, rows)), len(rows)


def _check(d: int, left: int) -> None:
    if whole(left, "left", 1) >= 1 << whole(d, "d", 1):
        raise InputError(bad_input.RANGE, f"left={left}", f"less than {1 << d}, so that a point is on the right")
