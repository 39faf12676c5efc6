"""Utility of small databases: Theorem 2.19, and the sanitizer of Section 4.4, which makes two of them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, comb
from typing import Any, Final, cast

from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.exact_numbers import ZERO, ExactLike, exact, total
from dpverify.mechanisms.sanitizers.concepts import Concept
from dpverify.mechanisms.sanitizers.small_databases import small_database
from dpverify.mechanisms.sanitizers.two_parts import sanitize_two_parts
from dpverify.verifiers.catalogue.sanitizers.histograms.many_rows import BETA
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim
from dpverify.verifiers.utility.repeated import written_out
from dpverify.verifiers.utility.statement import Sharpness

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"


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


ALPHA: Final = Fraction(1, 4)


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
