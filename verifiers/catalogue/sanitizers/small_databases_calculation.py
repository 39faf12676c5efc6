"""Small databases in the place of long ones, and of estimates: Theorems 2.19 and 2.21, and Remark 2.18.

That of Theorem 2.19 is chosen by the exponential mechanism of Blum, Ligett & Roth, so that it answers all queries.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any, Final

from dpverify.mechanisms import Exact
from dpverify.mechanisms.sanitizers import proper_databases
from dpverify.mechanisms.sanitizers.concepts import Concept, thresholds
from dpverify.mechanisms.sanitizers.two_parts import Subset, left_concepts
from dpverify.verifiers.calculations.family import Broken, Calculation, Sharpness, divided
from dpverify.verifiers.catalogue.families import BNS
from dpverify.verifiers.catalogue.sanitizers import small_databases_utility as small
from dpverify.verifiers.catalogue.sanitizers.histograms.many_rows import BETA


def chance_of_no_close_one(rows: tuple[int, ...], **given: Any) -> Exact:
    """The probability that the small database is not α-close, summed over all of them."""
    return small.small_database_is_close(None, rows, **given).probabilities[False]


@dataclass(frozen=True)
class SmallDatabases:
    """A class on so many points, and the size of a small database: some is α/2-close to each database, α = 1/4."""

    concepts: tuple[Concept, ...]
    points: int
    size: int

    @property
    def rows(self) -> int:
        """(4/(αε))·ln(N/β) at ε = 1, for the N multisets of `size` of the points: all of α/2 is left to be lost."""
        return small.rows_for_small_database(self.points, self.size, alpha=small.ALPHA, beta=BETA, epsilon=Fraction(1))

    def case(self, shares: tuple[int, ...], m: int) -> dict[str, Any]:
        """m rows with these shares, at ε = 1."""
        given = {"concepts": self.concepts, "universe": tuple(range(self.points)), "size": self.size}
        return {"rows": small.expanded(shares, m), **given, "alpha": small.ALPHA, "epsilon": Fraction(1)}


def intervals(points: int) -> tuple[Concept, ...]:
    """All intervals of so many points but the empty one: VC = 2."""
    return tuple(Subset(frozenset(range(a, b))) for a in range(points) for b in range(a + 1, points + 1))


_THRESHOLDS: Final = SmallDatabases(thresholds(3), points=8, size=4)


def _blr(name: str, of: SmallDatabases, words: str, times: int) -> Calculation:
    k = of.points
    shapes = ((1, *(0,) * (k - 1)), (1,) * k, ((2, 1) * k)[:k])
    return Calculation(
        id=f"BNS-J-2.19.utility.{name}",
        source=f"{BNS}, Theorem 2.19, whose Γ is open: at Γ = 1 it asks for more rows than here",
        statement=f"for {words}, a small database of n = {of.size} rows is (1/4)-close with probability ≥ 19/20 where "
        "m ≥ (4/(αε))·ln(N/β), ε = 1, for the N multisets of n points",
        computed=chance_of_no_close_one,
        at_most=BETA,
        cases=tuple(of.case(shares, of.rows) for shares in shapes),
        mutants=[divided("epsilon", times, chance_of_no_close_one)],
        sharpness=Sharpness(
            ours=True,
            what=f"rows, {words}, α = 1/4, β = 1/20, ε = 1",
            paper=of.rows,
            family=lambda m: (of.case(shapes[-1], m),),
        ),
    )


blr_thresholds = _blr("thresholds", _THRESHOLDS, "thresholds on 8 points, VC = 1", 2)
blr_intervals = _blr("intervals", SmallDatabases(intervals(5), points=5, size=8), "intervals on 5 points, VC = 2", 3)
blr_subsets = _blr("subsets", SmallDatabases(left_concepts(4), points=4, size=8), "all subsets of 4 points, VC = 4", 3)


# Remark 2.18: from improper to proper.
_POINTS: Final = range(3)
_CONCEPTS: Final = thresholds(2)[1:3]
"""The thresholds on three points that are not constant."""


def distance_of_nearest(estimates: tuple[Fraction, ...], true: tuple[Fraction, ...], size: int) -> Fraction:
    """The distance of the shares of the nearest database from the true ones."""
    made = proper_databases.shares_of(
        _CONCEPTS, proper_databases.nearest_database(estimates, universe=_POINTS, concepts=_CONCEPTS, size=size)
    )
    return proper_databases.distance_of_estimates(made, true)


def all_estimates(factor: int = 2) -> Iterator[dict[str, Any]]:
    """All databases S of 4 rows, and all estimates in eighths."""
    size = 4
    databases = {proper_databases.shares_of(_CONCEPTS, rows) for rows in combinations_with_replacement(_POINTS, size)}
    for estimates in product([Fraction(i, 8) for i in range(9)], repeat=2):
        for true in sorted(databases):
            alpha = proper_databases.distance_of_estimates(true, estimates)
            yield {"estimates": estimates, "true": true, "size": size, "alpha": alpha, "factor": factor}


proper = Calculation(
    id="BNS-J-2.18.utility.proper",
    source=f"{BNS}, Remark 2.18",
    statement="where estimates are α-close to S, a database of |S| rows that is nearest to them is 2α-close to S; "
    "thresholds on three points, all S of 4 rows, all estimates in eighths",
    computed=distance_of_nearest,
    at_most=lambda factor, alpha: factor * alpha,
    cases=tuple(all_estimates()),
    mutants=[
        Broken(
            "a database of half as many rows as S has",
            {"computed": lambda estimates, true, size: distance_of_nearest(estimates, true, size // 2)},
        )
    ],
    sharpness=Sharpness(what="multiple of α", paper=2, family=all_estimates, least=0),
)


# Theorem 2.21: a database of fixed size.
def distance_of_rounded(rows: tuple[int, ...], size: int) -> Fraction:
    """The distance of the shares of subsets of four points in the rounded database from those in S.

    The subset of the points with the larger share there is furthest off.
    """
    made = proper_databases.rounded_database(rows, size)
    more = (Fraction(made.count(x), len(made)) - Fraction(rows.count(x), len(rows)) for x in range(4))
    return sum((share for share in more if share > 0), Fraction(0))


def of_size(size: int) -> Iterator[dict[str, Any]]:
    """All databases of up to 3 rows on four points."""
    for m in range(1, 4):
        for rows in combinations_with_replacement(range(4), m):
            yield {"rows": rows, "size": size}


_SIZE: Final = proper_databases.size_of_fixed_database(vc=4, alpha=Fraction(1, 8))
fixed_size = Calculation(
    id="BNS-J-2.21.utility.fixed-size",
    source=f"{BNS}, Theorem 2.21, an order, with the constant 50 of Theorem 2.14, from which it follows",
    statement="for all subsets of four points, VC = 4, and each database S some Ŝ of n > (50·VC/α²)·ln(1/α) rows is "
    "α-close to it; all S of up to 3 rows, α = 1/8",
    computed=distance_of_rounded,
    at_most=Fraction(1, 8),
    cases=tuple(of_size(_SIZE)),
    mutants=[Broken("a database of two rows", {"computed": lambda rows: distance_of_rounded(rows, 2)})],
    sharpness=Sharpness(what="rows of Ŝ, all subsets of four points, α = 1/8", paper=_SIZE, family=of_size),
)
