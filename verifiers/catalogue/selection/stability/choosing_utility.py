"""Utility of the choosing mechanism, at the numbers of rows that both versions of the paper ask for."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import ceil, floor
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.selection import Bottom, choosing_mechanism
from dpverify.mechanisms.selection.choosing import rows_needed_extended_abstract, rows_needed_journal
from dpverify.verifiers.catalogue.corners import BETAS, DELTA_CORNERS, DELTAS, EPSILONS, claimed_beta
from dpverify.verifiers.catalogue.families import MILLIONTH, QUARTER
from dpverify.verifiers.utility.family import Case, Family, Times, UtilityClaim, chosen, least_of, weakened

MOST_SOLUTIONS: Final = 300
"""Bad solutions that a fuzzed case has, where the growth would allow more: each takes an exact number."""
ALPHAS: Final = (Fraction(1, 50), QUARTER, Fraction(1))


def is_good(case: Case, chosen: Any) -> bool:
    """True where an α-good solution is chosen; ⊥ is a success where opt < αm, as any solution is α-good there."""
    best, alpha_m = max(case.database), case.parameters["alpha"] * case.parameters["rows"]
    if chosen is Bottom.BOTTOM:
        return bool(best < alpha_m)
    return bool(case.database[chosen] >= best - alpha_m)


def is_of_bounded_growth(case: Case) -> bool:
    """True where m rows can give these qualities: each row is in at most k of them, once."""
    m = case.parameters["rows"]
    return bool(max(case.database) <= m and sum(case.database) <= case.facts["growth"] * m)


Asked: TypeAlias = dict[str, Any]
"""α, ε, δ, β and the growth k, which a number of rows is asked for."""


def at_rows(quality: tuple[int, ...], rows: int, asked: Asked) -> Case:
    """A case; the δ is in the number of rows alone."""
    given = {name: asked[name] for name in ("alpha", "epsilon")}
    return Case(quality, {"rows": rows, **given}, {name: asked[name] for name in ("delta", "beta", "growth")})


def hardest(rows: int, alpha: Fraction, k: int, most: int) -> Iterator[tuple[int, ...]]:
    """Qualities with the least opt ≥ αm, for step 1, and with the most bad solutions just below opt − αm, for step 2.

    Of the bad ones those of quality 1 are the most: at a given distance from the best only their number counts. There
    are as many as k-bounded growth allows on these rows, up to `most`.
    """
    yield (ceil(alpha * rows),)
    for bad in (1, 2, 5):
        best = floor(alpha * rows) + 1 + bad
        if best <= rows:
            yield (best, *(bad,) * min(most, max(0, k * rows - best) // bad))


CORNERS: Final = {
    **DELTA_CORNERS,
    "α = 1": lambda case: case.parameters["alpha"] == 1,
    "one solution": lambda case: len(case.database) == 1,
    "the least opt ≥ αm": lambda case: max(case.database) == ceil(case.parameters["alpha"] * case.parameters["rows"]),
    "no solution of quality 1": lambda case: max(case.database) == 0,
    "all bad ones that the growth allows": lambda case: (
        len(case.database) > 1
        and case.facts["growth"] * case.parameters["rows"] - sum(case.database) < case.database[-1]
    ),
}
_AT: Final[Asked] = {"growth": 1, "alpha": QUARTER, "beta": Fraction(1, 20), "epsilon": Fraction(1), "delta": MILLIONTH}

# `rows` is in the threshold of the choosing mechanism alone
_HALTS_TOO_OFTEN: Final = weakened("choosing_with_twice_the_threshold", choosing_mechanism, rows=Times(2))
choosing = Family(choosing_mechanism, is_good, claimed_beta, _HALTS_TOO_OFTEN, is_of_bounded_growth)


def at_the_rows(claim_id: str, source: str, asked: str, needed: Callable[..., int]) -> UtilityClaim:
    """The claim on hard qualities at exactly the rows that a lemma asks for, and with fewer rows as what is varied."""

    def case(epsilon: Fraction, delta: Fraction, beta: Fraction, alpha: Fraction, k: int, at: int, above: int) -> Case:
        asked = {"growth": k, "alpha": alpha, "beta": beta, "epsilon": epsilon, "delta": delta}
        m = needed(**asked)
        shapes = (*hardest(m, alpha, k, MOST_SOLUTIONS), (min(m, ceil(alpha * m) + above), 0, 1), (0, 0))
        return at_rows(shapes[at % len(shapes)], m, asked)

    return choosing(
        claim_id,
        f"Beimel, Nissim & Stemmer, {source}",
        f"on m ≥ {asked} rows the choosing mechanism gives an α-good solution with probability ≥ 1 − β, ⊥ being one "
        "where opt < αm",
        strategy=chosen(case, EPSILONS, DELTAS, BETAS, ALPHAS, range(1, 4), (0, 1, 2, 3, 3, 3, 4, 5), range(10)),
        corners=CORNERS,
        sharpness=least_of(
            "rows m, α = 1/4, ε = 1, δ = 10⁻⁶, β = 1/20, k = 1",
            needed(**_AT),
            lambda rows: [at_rows(quality, rows, _AT) for quality in hardest(rows, _AT["alpha"], 1, rows)],
        ),
    )


journal = at_the_rows(
    "BNS-J-4.5.utility.choosing", "journal version, Lemma 4.5", "(16/(αε))·ln(16k/(αβεδ))", rows_needed_journal
)
extended_abstract = at_the_rows(
    "BNS-X-Lem4.utility.choosing",
    "extended abstract, Lemma 4",
    "(16/(αε))·max(ε/4 + ln(1/δ), ln(16k/(αβε)))",
    rows_needed_extended_abstract,
)


def partitions(sum_at_most: int, largest: int) -> Iterator[tuple[int, ...]]:
    """All falling tuples of whole numbers from 1 to `largest` with at most this sum, the empty one too."""
    yield ()
    for first in range(1, min(sum_at_most, largest) + 1):
        for rest in partitions(sum_at_most - first, first):
            yield (first, *rest)


journal_on_all = choosing(
    "BNS-J-4.5.utility.choosing-all-qualities",
    "Beimel, Nissim & Stemmer, journal version, Lemma 4.5",
    "the same for all qualities of k-bounded growth, at large ε, where m is at most 10/k",
    # The order of the solutions is all one, and so is the number of those of quality 0, of which none is chosen. By
    # Gale and Ryser k-bounded growth can give all qualities ≤ m with a sum ≤ km.
    tuple(
        at_rows((*quality, 0), m, asked)
        for epsilon, delta, beta, alpha, k in product(
            (Fraction(30), Fraction(200), Fraction(10**4)), DELTAS[1:], BETAS, (QUARTER, *ALPHAS[1:]), (1, 2)
        )
        for asked in [{"growth": k, "alpha": alpha, "beta": beta, "epsilon": epsilon, "delta": delta}]
        for m in [rows_needed_journal(**asked)]
        if k * m <= 10
        for quality in partitions(k * m, m)
    ),
)
