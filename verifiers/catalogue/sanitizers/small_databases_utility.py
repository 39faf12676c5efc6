"""Utility of private multiplicative weights, and of two small databases, the sanitizer of Section 4.4."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, comb
from typing import Any, Final, cast

from dpverify.mechanisms import Distribution, Draw, log
from dpverify.mechanisms.numbers.exact_numbers import ZERO, total
from dpverify.mechanisms.sanitizers import multiplicative_weights, points, sanitize_two_parts, small_database
from dpverify.mechanisms.sanitizers.concepts import Concept
from dpverify.mechanisms.sanitizers.multiplicative_weights import rows_for_weights
from dpverify.mechanisms.sanitizers.proper_databases import distance_of_estimates, shares_of
from dpverify.verifiers.catalogue.corners import whether
from dpverify.verifiers.catalogue.sanitizers.histograms.many_rows import BETA
from dpverify.verifiers.utility.family import Case, Mechanism, Times, least_of, weakened
from dpverify.verifiers.utility.repeated import written_out

ALPHA: Final = Fraction(1, 4)


def expanded(shares: tuple[int, ...], m: int) -> tuple[int, ...]:
    """m rows, of which the points have these shares, rounded."""
    ends = [round(Fraction(m * sum(shares[:i]), sum(shares))) for i in range(len(shares) + 1)]
    return written_out((x, ends[x + 1] - ends[x]) for x in range(len(shares)))


def rows_for_small_database(points: int, size: int, *, alpha: Fraction, beta: Fraction, epsilon: Fraction) -> int:
    """(4/(αε))·ln(N/β), for the N multisets of so many of the points: the sanitizer of Blum, Ligett & Roth."""
    return ceil(4 / (alpha * epsilon) * log(comb(size + points - 1, size) / beta))


def small_database_is_close(
    draw: object, rows: tuple[int, ...], *, concepts: Sequence[Concept], alpha: Fraction, **given: Any
) -> Distribution[bool]:
    """The law of whether the small database is α-close, summed over all of them."""
    law, true = small_database(draw, rows, concepts=concepts, **given).probabilities, shares_of(concepts, rows)
    of: dict[bool, list[Any]] = {True: [ZERO], False: [ZERO]}
    for made, p in law.items():
        of[distance_of_estimates(shares_of(concepts, made), true) <= alpha].append(p)
    return Distribution({close: total(chances) for close, chances in of.items()})


# Section 4.4: two small databases for C_L ∪ C_R.
def two_parts_are_close(
    draw: Draw, rows: tuple[int, ...], *, alpha: Fraction, sanitizer: Mechanism = sanitize_two_parts, **given: Any
) -> bool:
    """True where both small databases are α-close for their classes: of each only that is drawn."""

    def closeness(part: Mechanism, rows: tuple[int, ...], *, mechanism: Mechanism, **named: Any) -> bool:
        assert mechanism is small_database
        return bool(draw(part, rows, mechanism=small_database_is_close, alpha=alpha, **named))

    return all(sanitizer(cast("Draw", closeness), rows, **given))


_LEFT: Final = 3
_SIZES: Final = (8, 6)


def rows_for_two_parts() -> int:
    """(8/(αε))·ln(2N/β) at ε = 1, where N is the larger number of small databases: each part has ε/2 and β/2."""
    kinds = zip((_LEFT + 1, 8 - _LEFT + 1), _SIZES, strict=True)
    each = {"alpha": ALPHA, "beta": BETA / 2, "epsilon": Fraction(1, 2)}
    return max(rows_for_small_database(points, size, **each) for points, size in kinds)


def of_two_parts(shares: tuple[int, ...], m: int) -> Case:
    """m rows with these shares, at ε = 1."""
    given = {"d": 3, "left": _LEFT, "sizes": _SIZES, "alpha": ALPHA, "epsilon": Fraction(1)}
    return Case(expanded(shares, m), given, {"beta": BETA})


two_parts = whether(two_parts_are_close, "two_parts_at_a_third", 3)(
    "BNS-J-4.16.utility.two-parts",
    "Beimel, Nissim & Stemmer, journal version, Section 4.4, after Theorem 4.16",
    "for all subsets of 3 points, and 5 points beside them, two small databases at ε/2 each answer all of "
    "C_L ∪ C_R within α = 1/4 with probability ≥ 19/20 where m ≥ (8/(αε))·ln(2N/β), ε = 1, N small databases",
    tuple(
        of_two_parts(shares, rows_for_two_parts())
        for shares in ((1,) * 8, (1, 1, 1, 0, 0, 0, 0, 3), (5, 2, 0, 3, 1, 1, 3, 1), (0, 0, 0, 1, 1, 1, 1, 0))
    ),
    sharpness=least_of(
        "rows, 3 and 5 points, α = 1/4, β = 1/20, ε = 1",
        rows_for_two_parts(),
        lambda m: (of_two_parts((5, 2, 0, 3, 1, 1, 3, 1), m),),
        ours=True,
    ),
)

# Private multiplicative weights: all answers within α·m, exactly, at the rows that noise asks for.
_SOURCE: Final = (
    "Hardt & Rothblum (2010), cited for Theorem 2.19 of Bun, Nissim & Stemmer, whose formula is lost: constants of ours"
)


def answers_are_close(
    draw: Draw, rows: Sequence[int], *, concepts: Sequence[Concept], alpha: Fraction, **given: Any
) -> bool:
    """True where all answers are within α·m."""
    answers = multiplicative_weights(draw, rows, concepts=concepts, alpha=alpha, **given)
    off = alpha * len(rows)
    return all(abs(sum(map(c, rows)) - answer) <= off for c, answer in zip(concepts, answers, strict=True))


def _case(shares: tuple[int, ...], m: int, **more: Any) -> Case:
    """m rows with these shares of the points, at ε = 1; as many updates as there are concepts, a point each."""
    d = len(shares).bit_length() - 1
    given = {"universe": tuple(range(1 << d)), "concepts": points(d), "updates": 1 << d}
    return Case(expanded(shares, m), {**given, "alpha": ALPHA, "epsilon": Fraction(1), **more}, {"beta": BETA})


def _rows(points_there: int) -> int:
    return rows_for_weights(concepts=points_there, updates=points_there, alpha=ALPHA, beta=BETA, epsilon=1)


_ONE_POINT: Final = (1, 0, 0, 0)
_ALL: Final = "all answers of private multiplicative weights are within α·m with probability ≥ 1 − β"
weights = whether(answers_are_close, "close_at_a_tenth", 10)
rows = weights(
    "BuNS-2.19.utility.rows",
    _SOURCE,
    f"for m ≥ (48/(αε₀))·ln((k + 2c)/β) rows {_ALL}: the k points of a universe, an update for each, α = 1/4, "
    "β = 1/20, ε = 1",
    tuple(_case(shares, _rows(len(shares))) for shares in ((1, 0), (3, 1), _ONE_POINT)),
    sharp_in="BuNS-2.19.utility.fewer-rows",
)
fewer_rows = weights(
    "BuNS-2.19.utility.fewer-rows",
    _SOURCE,
    f"for 909 rows on one of four points {_ALL}, α = 1/4, β = 1/20, ε = 1: a fifth of what the noise of all steps "
    "together asks for",
    (_case(_ONE_POINT, 909),),
)
# which learns next to nothing
learning = replace(weights, mutant=weakened("at_the_least_rate", answers_are_close, rate=Times(Fraction(1, 1000))))(
    "BuNS-2.19.utility.each-concept-twice",
    _SOURCE,
    "where the law learns at the rate 9/10, two updates are enough for 120 rows on the first of four points "
    "and eight answers, each concept twice: all within α·m with probability ≥ 1 − β, α = 1/4, β = 1/20, ε = 1",
    (_case(_ONE_POINT, 120, concepts=points(2) * 2, updates=2, rate=Fraction(9, 10)),),
)
