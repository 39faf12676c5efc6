"""Utility of data release by learning thresholds: small databases that exist, and the accuracy of PrivLearn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import floor
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.laws.distributions import uniform
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.exact_numbers import ZERO, ExactLike, exact
from dpverify.mechanisms.release.private_release import SynopsisAsPrinted, release_by_learning, release_sizes
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue.refuted import degenerate, of_the_statement
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim
from dpverify.verifiers.utility.statement import Sharpness

HALF: Final = Fraction(1, 2)
_HRS: Final = "Hardt, Rothblum & Servedio"

# Lemma 4.2: a small database.


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


def nearest_small_database(draw: object, classes: tuple[int, ...], *, most: int) -> Any:
    """The least greatest distance of any small database, or None where it may have no rows."""
    own = shares_of(classes)
    most = min(most, sum(classes))  # of as many rows as there are the database itself is one
    return min(
        (
            max(abs(a - b) for a, b in zip(own, shares, strict=True))
            for shares in shares_of_small_ones(len(classes), most)
        ),
        default=None,
    )


def nearest_of_one_row(draw: object, classes: tuple[int, ...], *, most: int) -> Any:
    """Of one row alone."""
    return nearest_small_database(draw, classes, most=min(1, most))


def rows_printed(queries: int, alpha: Fraction) -> int:
    """⌊10·ln|Q|/α²⌋."""
    return floor(10 * log(queries) / exact(alpha) ** 2) if queries > 1 else 0


def tables(queries: int) -> Iterator[Case]:
    """All databases of some numbers of rows, at α from 1/2 to 1: of more rows than are admitted where α is large."""
    for alpha, n in ((HALF, 2), (HALF, 3), (Fraction(1), 7), (Fraction(1), 8), (Fraction(9, 10), 9)):
        for classes in all_classes(1 << queries, n):
            yield Case(classes, {"most": rows_printed(queries, alpha)}, {"alpha": alpha})


def tables_of_seven(most: int) -> Iterator[Case]:
    """All databases of seven rows and two queries, for α = 1/4."""
    for classes in all_classes(4, 7):
        yield Case(classes, {"most": most}, {"alpha": Fraction(1, 4)})


_SMALL: Final[dict[str, Any]] = {
    "mechanism": nearest_small_database,
    "succeeds": lambda case, distance: distance is not None and distance < case.facts["alpha"],
    "beta": lambda case: ZERO,
}

small_database_exists = UtilityClaim(
    id="HRS-4.2.utility.small-database",
    source=f"{_HRS}, Lemma 4.2, for |Q| ≥ 2 and α ≤ 1",
    statement="a database of at most 10·ln|Q|/α² rows has all shares within less than α; |Q| = 2, all D of n "
    "rows, (α, n) = (1/2, 2), (1/2, 3), (1, 7), (1, 8) and (9/10, 9)",
    cases=tuple(tables(2)),
    mutant=nearest_of_one_row,
    sharpness=Sharpness(
        what="rows |D′| for all D of 7 rows, |Q| = 2, α = 1/4",
        paper=rows_printed(2, Fraction(1, 4)),
        family=tables_of_seven,
    ),
    **_SMALL,
)


def rounded_small_database(draw: object, classes: tuple[int, ...], *, most: int) -> Any:
    """The greatest distance of a database of so many rows, each kind rounded to its share, up where most is missing."""
    n = sum(classes)
    down = [count * most // n for count in classes]
    by_rest = sorted(range(len(classes)), key=lambda c: (-(classes[c] * most % n), c))
    for c in by_rest[: most - sum(down)]:
        down[c] += 1
    return max(abs(a - b) for a, b in zip(shares_of(classes), shares_of(tuple(down)), strict=True))


def rounded_to_one_row(draw: object, classes: tuple[int, ...], *, most: int) -> Any:
    """To one row."""
    return rounded_small_database(draw, classes, most=1)


def long_tables() -> Iterator[Case]:
    """Databases of 10,007 rows, more than are admitted, with the shares that those of three or five rows have."""
    for queries, parts, alpha in ((2, 5, Fraction(1, 4)), (2, 5, Fraction(1, 10)), (3, 3, Fraction(1, 10))):
        for classes in all_classes(1 << queries, parts):
            many = [count * (10_007 // parts) for count in classes]
            many[-1] += 10_007 - sum(many)
            yield Case(tuple(many), {"most": rows_printed(queries, alpha)}, {"alpha": alpha})


small_database_by_rounding = UtilityClaim(
    id="HRS-4.2.utility.small-database-by-rounding",
    source=f"{_HRS}, Lemma 4.2, for |Q| = 2 and 3, by rounding",
    statement="the same at (|Q|, α) = (2, 1/4), (2, 1/10) and (3, 1/10), of databases of 10,007 rows, more than are "
    "admitted, in parts of a fifth or a third",
    cases=tuple(long_tables()),
    **{**_SMALL, "mechanism": rounded_small_database},
    mutant=rounded_to_one_row,
)

no_small_database = UtilityClaim(
    id="HRS-4.2.utility.small-database-of-one-query",
    source=f"{_HRS}, Lemma 4.2",
    statement="the same for |Q| = 1, where 10·ln|Q|/α² = 0 rows are admitted",
    cases=tuple(tables(1)),
    examples=(Case((1, 0), {"most": 0}, {"alpha": Fraction(1)}),),
    mutant=nearest_of_one_row,
    expected=Status.REFUTED,
    refutation=degenerate("|Q| = 1, for which no row is admitted. There is no ε in it."),
    **_SMALL,
)


# Lemma 4.5: PrivLearn.


@dataclass(frozen=True)
class Always:
    """A hypothesis that is right: it says for the one query what the examples say."""

    label: int

    def __call__(self, q: object) -> int:
        """The label."""
        return self.label


def perfect_learner(draw: object, examples: Any, ask: object, /, **given: Any) -> Always:
    """The hypothesis that is learnt of one query, from a label of it."""
    return Always(examples[0][1])


def released_share(
    draw: Draw,
    count: int,
    *,
    rows: int,
    bound: int,
    alpha: Fraction,
    beta: Fraction,
    epsilon: ExactLike,
    **given: Any,
) -> Any:
    """PrivLearn's answer to one query, on a database of so many rows of which `count` satisfy it.

    All b_iter samples are that query, and have one noise and one answer: one of them stands for all.
    """
    synopsis = draw(
        release_by_learning,
        (1,) * count + (0,) * (rows - count),
        queries=uniform([0]),
        predicate=same_row,
        learner=perfect_learner,
        alpha=alpha,
        beta=beta,
        gamma=HALF,
        epsilon=epsilon,
        samples=1,
        bound=bound,
        **given,
    )
    return synopsis(0)


def same_row(q: object, row: int) -> int:
    """P(q, row): the row itself."""
    return row


def released_share_as_printed(draw: Draw, count: int, **given: Any) -> Any:
    """With step 4 of Figure 2 to the letter."""
    return released_share(draw, count, synopsis=SynopsisAsPrinted, **given)


def constant_release(draw: Draw, count: int, **given: Any) -> Fraction:
    """One half, whatever the rows."""
    return HALF


@lru_cache(maxsize=64)
def sizes_for(alpha: Fraction, beta: Fraction, epsilon: Fraction) -> tuple[int, int]:
    """b_total and the rows that (7) and (8) ask for, of one query, γ = 1/2, and a learner from one example."""
    sizes = release_sizes(
        queries=1, examples=lambda n, gamma, beta: 1, alpha=alpha, beta=beta, gamma=HALF, epsilon=epsilon
    )
    return sizes.bound, sizes.rows


def releases() -> Iterator[Case]:
    """All counts, at ε so large that the rows asked for are few."""
    for alpha, beta, scale in product((Fraction(1, 4), Fraction(2, 5)), (Fraction(1, 20), Fraction(99, 100)), (2, 7)):
        epsilon = Fraction(sizes_for(alpha, beta, Fraction(1))[1], scale)
        bound, rows = sizes_for(alpha, beta, epsilon)
        for count in range(rows + 1):
            yield Case(
                count,
                {"rows": rows, "bound": bound, "alpha": alpha, "beta": beta, "epsilon": epsilon},
            )


_RELEASE: Final[dict[str, Any]] = {
    "succeeds": lambda case, share: (
        abs(share - Fraction(case.database, case.parameters["rows"])) <= case.parameters["alpha"]
    ),
    "beta": lambda case: case.parameters["beta"],
    "cases": tuple(releases()),
}

accuracy_as_printed = UtilityClaim(
    id="HRS-4.5.utility.release-as-printed",
    source=f"{_HRS}, Lemma 4.5, with step 4 of Figure 2 to the letter",
    statement="on the rows of (8) PrivLearn with a perfect learner gives a share within α but with "
    "probability β; |Q| = 1",
    mechanism=released_share_as_printed,
    mutant=constant_release,
    expected=Status.REFUTED,
    refutation=of_the_statement(
        "|Q| = 1 and a large ε keep the rows few. Step 4 is wrong for every ε, also where all hypotheses are right "
        "(HRS-Fig2.structure.aggregation-printed); what it means holds."
    ),
    examples=_RELEASE["cases"][:1],
    **_RELEASE,
)

accuracy = UtilityClaim(
    id="HRS-4.5.utility.release",
    sharp_in="HRS-4.5.utility.eight-queries-fewer-rows",
    source=f"{_HRS}, Lemma 4.5, with what step 4 of Figure 2 means",
    statement="the same with t_i for the step down from h_i to h_(i+1); |Q| = 1, all databases of the rows of (8) "
    "where ε is so large that these are 2 or 7",
    mechanism=released_share,
    mutant=released_share_as_printed,
    **_RELEASE,
)
