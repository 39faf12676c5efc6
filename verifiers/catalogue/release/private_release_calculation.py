"""Small databases in which all shares are near: Lemma 4.2 of Hardt, Rothblum & Servedio."""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache, partial
from itertools import combinations_with_replacement
from math import floor
from typing import Any, Final

from dpverify.mechanisms import exact, log
from dpverify.verifiers.calculations.family import Broken, Calculation, Sharpness, changed
from dpverify.verifiers.catalogue.families import HALF, HRS, QUARTER, TENTH
from dpverify.verifiers.claims import proved_unless


@lru_cache(maxsize=1 << 14)
def shares_of(classes: tuple[int, ...]) -> tuple[Fraction, ...]:
    """f(q) for each query q, for classes[c] rows that satisfy the queries in the bits of c."""
    queries = (len(classes) - 1).bit_length()
    n = sum(classes)
    return tuple(Fraction(sum(count for c, count in enumerate(classes) if c >> q & 1), n) for q in range(queries))


def all_classes(kinds: int, n: int) -> Iterator[tuple[int, ...]]:
    """All ways in which n rows can be of so many kinds."""
    for rows in combinations_with_replacement(range(kinds), n):
        yield tuple(rows.count(c) for c in range(kinds))


@lru_cache(maxsize=64)
def shares_of_small_ones(kinds: int, most: int) -> tuple[tuple[Fraction, ...], ...]:
    """The shares that databases of at most so many rows can have, and at least one."""
    return tuple({shares_of(classes) for n in range(1, most + 1) for classes in all_classes(kinds, n)})


def distances(classes: tuple[int, ...], most: int) -> Iterator[Fraction]:
    """The greatest distance of each database of at most so many rows, by the shares that they can have."""
    own = shares_of(classes)
    most = min(most, sum(classes))  # of as many rows as there are the database itself is one
    for shares in shares_of_small_ones(len(classes), most):
        yield max(abs(a - b) for a, b in zip(own, shares, strict=True))


def number_within(classes: tuple[int, ...], most: int, alpha: Fraction) -> int:
    """The number of shares, of databases of at most so many rows, that are all within less than α."""
    return sum(distance < alpha for distance in distances(classes, most))


def rows_printed(queries: int, alpha: Fraction) -> int:
    """⌊10·ln|Q|/α²⌋."""
    return floor(10 * log(queries) / exact(alpha) ** 2) if queries > 1 else 0


def tables(queries: int) -> Iterator[dict[str, Any]]:
    """All databases of some numbers of rows, at α from 1/2 to 1: of more rows than are admitted where α is large."""
    for alpha, n in ((HALF, 2), (HALF, 3), (Fraction(1), 7), (Fraction(1), 8), (Fraction(9, 10), 9)):
        for classes in all_classes(1 << queries, n):
            yield {"classes": classes, "most": rows_printed(queries, alpha), "alpha": alpha}


_OF_ONE_ROW: Final = [
    Broken("databases of one row alone", {"computed": changed(number_within, "most", lambda most: min(1, most))})
]
small_database_exists = Calculation(
    id="HRS-4.2.utility.small-database",
    source=f"{HRS}, Lemma 4.2, for |Q| ≥ 2 and α ≤ 1",
    statement="a database of at most 10·ln|Q|/α² rows has all shares within less than α; |Q| = 2, all D of n "
    "rows, (α, n) = (1/2, 2), (1/2, 3), (1, 7), (1, 8) and (9/10, 9)",
    cases=tuple(tables(2)),
    computed=number_within,
    at_least=1,
    mutants=_OF_ONE_ROW,
    sharpness=Sharpness(
        what="rows |D′| for all D of 7 rows, |Q| = 2, α = 1/4",
        paper=rows_printed(2, QUARTER),
        family=lambda most: ({"classes": c, "most": most, "alpha": QUARTER} for c in all_classes(4, 7)),
    ),
)


def queries_off(classes: tuple[int, ...], most: int, alpha: Fraction, rows: int = 0) -> int:
    """The number of queries whose shares are α or more off in a database of so many rows, or of `rows`.

    Each kind is rounded to its share, up where most is missing.
    """
    n, most = sum(classes), rows or most
    down = [count * most // n for count in classes]
    by_rest = sorted(range(len(classes)), key=lambda c: (-(classes[c] * most % n), c))
    for c in by_rest[: most - sum(down)]:
        down[c] += 1
    return sum(abs(a - b) >= alpha for a, b in zip(shares_of(classes), shares_of(tuple(down)), strict=True))


def near_classes(parts: tuple[int, ...], rows: int) -> tuple[int, ...]:
    """So many rows, with about the shares of these parts: what is left over is of the last kind."""
    *first, _ = (count * (rows // sum(parts)) for count in parts)
    return (*first, rows - sum(first))


small_database_by_rounding = Calculation(
    id="HRS-4.2.utility.small-database-by-rounding",
    source=f"{HRS}, Lemma 4.2, for |Q| = 2 and 3, by rounding",
    statement="the same at (|Q|, α) = (2, 1/4), (2, 1/10) and (3, 1/10), of databases of 10,007 rows, more than are "
    "admitted, in parts of a fifth or a third",
    cases=tuple(
        {"classes": near_classes(parts, 10_007), "most": rows_printed(queries, alpha), "alpha": alpha}
        for queries, n, alpha in ((2, 5, QUARTER), (2, 5, TENTH), (3, 3, TENTH))
        for parts in all_classes(1 << queries, n)
    ),
    computed=queries_off,
    equals=0,
    mutants=[Broken("a database of one row", {"computed": partial(queries_off, rows=1)})],
)
no_small_database = Calculation(
    id="HRS-4.2.utility.small-database-of-one-query",
    source=f"{HRS}, Lemma 4.2",
    statement="the same for |Q| = 1, where 10·ln|Q|/α² = 0 rows are admitted",
    cases=({"classes": (1, 0), "most": 0, "alpha": Fraction(1)}, *tables(1)),
    computed=number_within,
    at_least=1,
    mutants=_OF_ONE_ROW,
    **proved_unless(degenerate="|Q| = 1, for which no row is admitted. There is no ε in it."),
)
