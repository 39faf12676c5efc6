"""Small databases that answer all queries: Theorem 2.19, by the exponential mechanism of Blum, Ligett & Roth."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, comb
from typing import Any, Final

from dpverify.mechanisms import Exact, log
from dpverify.mechanisms.sanitizers import thresholds
from dpverify.mechanisms.sanitizers.concepts import Concept
from dpverify.mechanisms.sanitizers.two_parts import Subset, left_concepts
from dpverify.verifiers.calculations.claim import Calculation, divided
from dpverify.verifiers.catalogue.sanitizers.histograms.many_rows import BETA
from dpverify.verifiers.catalogue.sanitizers.small_databases_utility import ALPHA, expanded, small_database_is_close
from dpverify.verifiers.utility.statement import Sharpness

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"


def chance_of_no_close_one(rows: tuple[int, ...], **given: Any) -> Exact:
    """The probability that the small database is not α-close, summed over all of them."""
    return small_database_is_close(None, rows, **given).probabilities[False]


@dataclass(frozen=True)
class SmallDatabases:
    """A class on so many points, and the size of a small database: some is α/2-close to each database, α = 1/4."""

    concepts: tuple[Concept, ...]
    points: int
    size: int

    def rows(self, beta: Fraction = BETA) -> int:
        """(4/(αε))·ln(N/β) at ε = 1, for the N multisets of `size` of the points: all of α/2 is left to be lost."""
        number = comb(self.size + self.points - 1, self.size)
        return ceil(4 / ALPHA * log(number / beta))

    def case(self, shares: tuple[int, ...], m: int) -> dict[str, Any]:
        """m rows with these shares, at ε = 1."""
        given = {"concepts": self.concepts, "universe": tuple(range(self.points)), "size": self.size}
        return {"rows": expanded(shares, m), **given, "alpha": ALPHA, "epsilon": Fraction(1)}


def intervals(points: int) -> tuple[Concept, ...]:
    """All intervals of so many points but the empty one: VC = 2."""
    return tuple(Subset(frozenset(range(a, b))) for a in range(points) for b in range(a + 1, points + 1))


_THRESHOLDS: Final = SmallDatabases(thresholds(3), points=8, size=4)
_INTERVALS: Final = SmallDatabases(intervals(5), points=5, size=8)
_SUBSETS: Final = SmallDatabases(left_concepts(4), points=4, size=8)


def _blr(name: str, of: SmallDatabases, words: str, times: int) -> Calculation:
    k = of.points
    shapes = ((1, *(0,) * (k - 1)), (1,) * k, ((2, 1) * k)[:k])
    return Calculation(
        id=f"BNS-J-2.19.utility.{name}",
        source=f"{_BNS}, Theorem 2.19, whose Γ is open: at Γ = 1 it asks for more rows than here",
        statement=f"for {words}, a small database of n = {of.size} rows is (1/4)-close with probability ≥ 19/20 where "
        "m ≥ (4/(αε))·ln(N/β), ε = 1, for the N multisets of n points",
        computed=chance_of_no_close_one,
        at_most=BETA,
        cases=tuple(of.case(shares, of.rows()) for shares in shapes),
        mutants=[divided("epsilon", times, chance_of_no_close_one)],
        sharpness=Sharpness(
            ours=True,
            what=f"rows, {words}, α = 1/4, β = 1/20, ε = 1",
            paper=of.rows(),
            family=lambda m: (of.case(shapes[-1], m),),
        ),
    )


blr_thresholds = _blr("thresholds", _THRESHOLDS, "thresholds on 8 points, VC = 1", 2)
blr_intervals = _blr("intervals", _INTERVALS, "intervals on 5 points, VC = 2", 3)
blr_subsets = _blr("subsets", _SUBSETS, "all subsets of 4 points, VC = 4", 3)
