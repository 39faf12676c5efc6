"""Utility of small databases: Theorem 2.19, and the sanitizer of Section 4.4, which makes two of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, comb
from typing import Any, Final, cast

from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.exact_numbers import ZERO, ExactLike, exact, total
from dpverify.mechanisms.sanitizers.concepts import Concept, thresholds
from dpverify.mechanisms.sanitizers.small_databases import small_database
from dpverify.mechanisms.sanitizers.two_parts import Subset, left_concepts, sanitize_two_parts
from dpverify.verifiers.catalogue.sanitizers.histograms.many_rows import BETA
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim
from dpverify.verifiers.utility.repeated import written_out
from dpverify.verifiers.utility.statement import Sharpness

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"

# Theorem 2.19: small databases.


def expanded(shares: tuple[int, ...], m: int) -> tuple[int, ...]:
    """m rows, of which the points have these shares, rounded."""
    ends = [round(Fraction(m * sum(shares[:i]), sum(shares))) for i in range(len(shares) + 1)]
    return written_out((x, ends[x + 1] - ends[x]) for x in range(len(shares)))


def shares_of(concepts: Sequence[Concept], rows: Sequence[int]) -> tuple[Fraction, ...]:
    """The share of each concept in the rows."""
    return tuple(Fraction(sum(map(c, rows)), len(rows)) for c in concepts)


def small_database_is_close(
    draw: object, rows: tuple[int, ...], *, concepts: Sequence[Concept], alpha: Fraction, **given: Any
) -> Distribution[bool]:
    """The law of whether the small database is α-close, summed over all of them."""
    law, true = small_database(draw, rows, concepts=concepts, **given).probabilities, shares_of(concepts, rows)
    of: dict[bool, list[Any]] = {True: [ZERO], False: [ZERO]}
    for made, p in law.items():
        of[all(abs(a - b) <= alpha for a, b in zip(shares_of(concepts, made), true, strict=True))].append(p)
    return Distribution({close: total(chances) for close, chances in of.items()})


def small_database_at_half(draw: object, rows: tuple[int, ...], *, epsilon: ExactLike, **given: Any) -> Any:
    """Half the ε."""
    return small_database_is_close(draw, rows, epsilon=exact(epsilon) / 2, **given)


def small_database_at_a_third(draw: object, rows: tuple[int, ...], *, epsilon: ExactLike, **given: Any) -> Any:
    """A third of the ε."""
    return small_database_is_close(draw, rows, epsilon=exact(epsilon) / 3, **given)


ALPHA: Final = Fraction(1, 4)


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

    def case(self, shares: tuple[int, ...], m: int) -> Case:
        """m rows with these shares, at ε = 1."""
        given = {"concepts": self.concepts, "universe": tuple(range(self.points)), "size": self.size}
        return Case(expanded(shares, m), {**given, "alpha": ALPHA, "epsilon": Fraction(1)}, {"beta": BETA})


def intervals(points: int) -> tuple[Concept, ...]:
    """All intervals of so many points but the empty one: VC = 2."""
    return tuple(Subset(frozenset(range(a, b))) for a in range(points) for b in range(a + 1, points + 1))


_THRESHOLDS: Final = SmallDatabases(thresholds(3), points=8, size=4)
_INTERVALS: Final = SmallDatabases(intervals(5), points=5, size=8)
_SUBSETS: Final = SmallDatabases(left_concepts(4), points=4, size=8)


def _blr(name: str, of: SmallDatabases, words: str, mutant: Mechanism) -> UtilityClaim:
    k = of.points
    shapes = ((1, *(0,) * (k - 1)), (1,) * k, ((2, 1) * k)[:k])
    return UtilityClaim(
        id=f"BNS-J-2.19.utility.{name}",
        source=f"{_BNS}, Theorem 2.19, whose Γ is open: at Γ = 1 it asks for more rows than here",
        statement=f"for {words}, a small database of n = {of.size} rows is (1/4)-close with probability ≥ 19/20 where "
        "m ≥ (4/(αε))·ln(N/β), ε = 1, for the N multisets of n points",
        mechanism=small_database_is_close,
        succeeds=lambda case, close: close,
        beta=lambda case: case.facts["beta"],
        cases=tuple(of.case(shares, of.rows()) for shares in shapes),
        mutant=mutant,
        sharpness=Sharpness(
            ours=True,
            what=f"rows, {words}, α = 1/4, β = 1/20, ε = 1",
            paper=of.rows(),
            family=lambda m: (of.case(shapes[-1], m),),
        ),
    )


blr_thresholds = _blr("thresholds", _THRESHOLDS, "thresholds on 8 points, VC = 1", small_database_at_half)
blr_intervals = _blr("intervals", _INTERVALS, "intervals on 5 points, VC = 2", small_database_at_a_third)
blr_subsets = _blr("subsets", _SUBSETS, "all subsets of 4 points, VC = 4", small_database_at_a_third)


# Section 4.4: two small databases for C_L ∪ C_R.


def two_parts_are_close(
    draw: Draw, rows: tuple[int, ...], *, alpha: Fraction, sanitizer: Mechanism = sanitize_two_parts, **given: Any
) -> bool:
    """True where both small databases are α-close for their classes: of each only that is drawn."""

    def closeness(part: Mechanism, rows: tuple[int, ...], *, mechanism: Mechanism, **named: Any) -> bool:
        assert mechanism is small_database
        return bool(draw(part, rows, mechanism=small_database_is_close, alpha=alpha, **named))

    return all(sanitizer(cast("Draw", closeness), rows, **given))


def two_parts_at_a_third(draw: Draw, rows: tuple[int, ...], *, epsilon: ExactLike, **given: Any) -> bool:
    """A third of the ε."""
    return two_parts_are_close(draw, rows, epsilon=exact(epsilon) / 3, **given)


_LEFT: Final = 3
_SIZES: Final = (8, 6)


def rows_for_two_parts() -> int:
    """(8/(αε))·ln(2N/β) at ε = 1, where N is the larger number of small databases: each part has ε/2 and β/2."""
    kinds = (_LEFT + 1, 8 - _LEFT + 1)
    number = max(comb(size + k - 1, size) for size, k in zip(_SIZES, kinds, strict=True))
    return ceil(8 / ALPHA * log(2 * number / BETA))


def of_two_parts(shares: tuple[int, ...], m: int) -> Case:
    """m rows with these shares, at ε = 1."""
    given = {"d": 3, "left": _LEFT, "sizes": _SIZES, "alpha": ALPHA, "epsilon": Fraction(1)}
    return Case(expanded(shares, m), given, {"beta": BETA})


two_parts = UtilityClaim(
    id="BNS-J-4.16.utility.two-parts",
    source=f"{_BNS}, Section 4.4, after Theorem 4.16",
    statement="for all subsets of 3 points, and 5 points beside them, two small databases at ε/2 each answer all of "
    "C_L ∪ C_R within α = 1/4 with probability ≥ 19/20 where m ≥ (8/(αε))·ln(2N/β), ε = 1, N small databases",
    mechanism=two_parts_are_close,
    succeeds=lambda case, close: close,
    beta=lambda case: case.facts["beta"],
    cases=tuple(
        of_two_parts(shares, rows_for_two_parts())
        for shares in ((1,) * 8, (1, 1, 1, 0, 0, 0, 0, 3), (5, 2, 0, 3, 1, 1, 3, 1), (0, 0, 0, 1, 1, 1, 1, 0))
    ),
    mutant=two_parts_at_a_third,
    sharpness=Sharpness(
        ours=True,
        what="rows, 3 and 5 points, α = 1/4, β = 1/20, ε = 1",
        paper=rows_for_two_parts(),
        family=lambda m: (of_two_parts((5, 2, 0, 3, 1, 1, 3, 1), m),),
    ),
)
