"""Utility of small databases, and of a sanitizer on parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil, comb
from typing import TYPE_CHECKING, Any, Final

from dpverify.mechanisms.exact.elementary import log
from dpverify.mechanisms.exact.exact_numbers import ExactLike, exact, total
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.laws.mechanism import Draw
from dpverify.mechanisms.sanitizers.small_databases import (
    parts_needed,
    sanitize_in_parts,
    size_for_closeness,
    small_database,
)
from dpverify.verifiers.catalogue.sanitizers.many_rows import BETA, BETAS, ENDS, EPSILONS, Counts, rows_of
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import Sharpness, UtilityClaim

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"

# Theorem 2.19: small databases.


def small_database_is_close(
    draw: Draw, counts: Counts, *, alpha: Fraction, epsilon: ExactLike, size: int
) -> Distribution[bool]:
    """Whether the share of point 0 in the small database is within α of that in the rows."""
    rows = rows_of(counts)
    law = small_database(
        draw, rows, universe=(0, 1), concepts=(lambda x: int(x == 0),), size=size, epsilon=epsilon
    ).probabilities
    share = Fraction(rows.count(0), len(rows))
    close = [p for made, p in law.items() if abs(Fraction(made.count(0), size) - share) <= alpha]
    off = [p for made, p in law.items() if abs(Fraction(made.count(0), size) - share) > alpha]
    return Distribution({True: total(close), False: total(off)})


def small_database_at_a_hundredth(draw: Draw, counts: Counts, *, epsilon: ExactLike, **given: Any) -> Any:
    """A hundredth of the ε: there are n + 1 small databases on two points, far fewer than |X|^n."""
    return small_database_is_close(draw, counts, epsilon=exact(epsilon) / 100, **given)


def rows_of_small_database(alpha: Fraction, beta: Fraction, epsilon: Fraction, size: int) -> int:
    """(4/(αε))·(n·ln|X| + ln(1/β)), where the exponential mechanism is within α/2 of the best of |X|^n, |X| = 2."""
    return ceil(4 / exact(alpha * epsilon) * (size * log(2) + log(1 / exact(beta))))


def small_database_case(alpha: Fraction, beta: Fraction, epsilon: Fraction, part: Fraction, more: int) -> Case:
    """A part of the rows is 0; n rows are enough to be within α/2, by Theorem 2.14."""
    size = size_for_closeness(vc=1, alpha=alpha / 2, beta=Fraction(99, 100))
    m = rows_of_small_database(alpha, beta, epsilon, size) + more
    counts = ((0, int(part * m)), (1, m - int(part * m)))
    given = {"alpha": alpha, "epsilon": epsilon, "size": size}
    return Case(tuple(pair for pair in counts if pair[1]), given, {"beta": beta, "more": more})


def small_databases() -> SearchStrategy[Case]:
    """At the bound, with points at the edges."""
    from hypothesis import strategies as st

    return st.builds(
        small_database_case,
        st.sampled_from((Fraction(9, 10), Fraction(99, 100))),
        st.sampled_from(BETAS),
        st.sampled_from(EPSILONS),
        st.sampled_from((Fraction(0), Fraction(1, 2), Fraction(91, 100), Fraction(1))),
        st.sampled_from((0, 0, 1)),
    )


def smaller_databases(m: int) -> Iterator[Case]:
    """All rows on one point."""
    size = size_for_closeness(vc=1, alpha=Fraction(9, 20), beta=Fraction(99, 100))
    yield Case(((0, m),), {"alpha": Fraction(9, 10), "epsilon": Fraction(1), "size": size}, {"beta": BETA})


_BLR_SIZE: Final = size_for_closeness(vc=1, alpha=Fraction(9, 20), beta=Fraction(99, 100))

blr = UtilityClaim(
    id="BNS-J-2.19.utility.close",
    source=f"{_BNS}, Theorem 2.19, whose Γ is open; VC = 1, |X| = 2, with the n of Theorem 2.14 at α/2",
    statement="the small database is α-close with probability ≥ 1 − β where m ≥ (4/(αε))·(n·ln|X| + ln(1/β))",
    mechanism=small_database_is_close,
    succeeds=lambda case, close: close,
    beta=lambda case: case.facts["beta"],
    strategy=small_databases,
    corners={
        **ENDS,
        "rows at the bound": lambda case: case.facts["more"] == 0,
        "all rows on one point": lambda case: len(case.database) == 1,
    },
    mutant=small_database_at_a_hundredth,
    sharpness=Sharpness(
        ours=True,
        what="rows, |X| = 2, α = 9/10, β = 1/20, ε = 1",
        paper=rows_of_small_database(Fraction(9, 10), BETA, Fraction(1), _BLR_SIZE),
        family=smaller_databases,
    ),
)


# Lemma 5.1: a sanitizer on parts.


@lru_cache(maxsize=64)  # a mechanism that draws from it is run again for each of its outcomes
def binomial(trials: int, chance: Fraction) -> Distribution[int]:
    """How many of so many independent trials succeed."""
    if chance == 1:
        return Distribution({trials: Fraction(1)})
    return Distribution({n: comb(trials, n) * chance**n * (1 - chance) ** (trials - n) for n in range(trials + 1)})


def share_lost(draw: Draw, parts: int, *, alpha: Fraction, chance: Fraction) -> Fraction:
    """How far the union of sanitized parts is from a database of which all rows are 1.

    A part fails with the chance that is given, and then has no 1; else it is 2α off. They fail independently, and which
    ones do is all one, so that only their number is drawn.
    """
    failing, good = draw(binomial(parts, chance)), 2 * alpha

    def sanitizer(draw: object, part: Sequence[Fraction]) -> tuple[int, ...]:
        zeros = int(part[0] * good.denominator)
        return (0,) * zeros + (1,) * (good.denominator - zeros)

    off = (Fraction(1),) * failing + (good,) * (parts - failing)
    released = draw(sanitize_in_parts, off, sanitizer=sanitizer, size=1)
    return 1 - Fraction(sum(released), len(released))


def share_lost_by_worse_parts(draw: Draw, parts: int, *, alpha: Fraction, chance: Fraction) -> Fraction:
    """Parts that fail twice as often as those of a (2α, (3/2)β)-sanitizer may."""
    return share_lost(draw, parts, alpha=alpha, chance=min(2 * chance, Fraction(1)))


PART_BETAS: Final = (Fraction(1, 5), Fraction(1, 4), Fraction(2, 5), Fraction(1, 2), Fraction(99, 100))
PART_ALPHAS: Final = (Fraction(1, 20), Fraction(1, 8), Fraction(1, 2))


def of_parts(q: int, alpha: Fraction, beta: Fraction) -> Case:
    """Q parts, each of which fails with probability (3/2)·β, or always where that is more than 1."""
    chance = min(Fraction(3, 2) * beta, Fraction(1))
    return Case(q, {"alpha": alpha, "chance": chance}, {"beta": beta, "more": q - parts_needed(beta=beta)})


def numbers_of_parts() -> SearchStrategy[Case]:
    """As many parts as the lemma asks for, or a few more."""
    from hypothesis import strategies as st

    return st.builds(
        lambda alpha, beta, more: of_parts(parts_needed(beta=beta) + more, alpha, beta),
        st.sampled_from(PART_ALPHAS),
        st.sampled_from(PART_BETAS),
        st.sampled_from((0, 0, 1, 2, 5)),
    )


def varied_parts(q: int) -> Iterator[Case]:
    """Q parts at α = 1/20 and β = 1/10."""
    yield of_parts(q, Fraction(1, 20), Fraction(1, 10))


in_parts = UtilityClaim(
    id="BNS-J-5.1.utility.parts",
    source=f"{_BNS}, Lemma 5.1, given the (2α, (3/2)β)-sanitizer that its proof takes from Theorem 2.21",
    statement="where each part fails with probability (3/2)β, independently, is then wholly wrong, and is else 2α off "
    "the same way, the union of q ≥ (18/β)·ln(1/β) parts is (2α + 2β)-close with probability ≥ 1 − β",
    mechanism=share_lost,
    succeeds=lambda case, off: bool(off <= 2 * case.parameters["alpha"] + 2 * case.facts["beta"]),
    beta=lambda case: case.facts["beta"],
    strategy=numbers_of_parts,
    corners={
        "the least β": lambda case: case.facts["beta"] == PART_BETAS[0],
        "β near 1": lambda case: case.facts["beta"] == PART_BETAS[-1],
        "the least α": lambda case: case.parameters["alpha"] == PART_ALPHAS[0],
        "2α = 1": lambda case: case.parameters["alpha"] == PART_ALPHAS[-1],
        "exactly q": lambda case: case.facts["more"] == 0,
        "more than q": lambda case: case.facts["more"] > 0,
    },
    mutant=share_lost_by_worse_parts,
    sharpness=Sharpness(
        what="parts q, α = 1/20, β = 1/5", paper=parts_needed(beta=Fraction(1, 5)), family=varied_parts
    ),
)
