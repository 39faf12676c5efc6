"""Utility of the sanitizers for points and sets of k points: Theorems 4.6 and 4.7.

SanPoints itself runs with discrete noise on the counts, on the few rows that it asks for at large α and ε. At α and β
that one would use as many rows as are asked for make too many paths. There points with equally many rows are alike, and
rows come in equal blocks, so that each part, which sees rows times its ε and no more, is run on the blocks with as many
times its ε.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import ceil, floor
from typing import Any, Final, TypeAlias

from dpverify.mechanisms import Draw, discrete_laplace, laplace, log
from dpverify.mechanisms.sanitizers import sanitize_points
from dpverify.mechanisms.sanitizers.points_sanitizer import epsilon_of_a_part, rows_for_sanitized_points
from dpverify.mechanisms.selection import choosing_mechanism
from dpverify.verifiers.catalogue.corners import claimed_beta, whether
from dpverify.verifiers.catalogue.families import BNS
from dpverify.verifiers.catalogue.sanitizers.histograms.many_rows import (
    BETA,
    BETAS,
    DELTAS,
    ENDS,
    EPSILONS,
    Counts,
    is_off,
    rows_of,
)
from dpverify.verifiers.utility.family import Case, Family, UtilityClaim, chosen, least_of


# Theorem 4.6: SanPoints.
def events_of_points(
    draw: Draw, counts: Counts, *, sanitizer: Any = sanitize_points, **given: Any
) -> tuple[bool, bool]:
    """Two bools: SanPoints avoids E1, an estimate off by more than α, and E2, a missed point of a share above α.

    It fails where one of them happens: to be estimated by 0 is E2.
    """
    rows = rows_of(counts)
    m, a, share = len(rows), Fraction(given["alpha"]), dict(counts)
    estimates = dict(sanitizer(draw, rows, **given))
    missed = any(count > a * m for x, count in counts if x not in estimates)
    return not any(is_off(estimates[x] - Fraction(share[x], m), a) for x in estimates), not missed


def a_point_dropped(draw: Draw, counts: Counts, **given: Any) -> tuple[bool, bool]:
    """The point of the most rows is dropped from the estimates."""
    most = max(counts, key=lambda pair: pair[1])[0]

    def without_it(draw: Draw, rows: Sequence[int], **given: Any) -> Any:
        return tuple(pair for pair in sanitize_points(draw, rows, **given) if pair[0] != most)

    return events_of_points(draw, counts, sanitizer=without_it, **given)


def at_a_hundredth_of_epsilon(draw: Draw, counts: Counts, **given: Any) -> tuple[bool, bool]:
    """The noise of the estimates is a hundred times as wide: at half the ε̃ the claim still holds."""
    widened = partial(sanitize_points, released=lambda scale: discrete_laplace(100 * scale))
    return events_of_points(draw, counts, sanitizer=widened, **given)


def shapes_of(m: int, alpha: Fraction, shape: str) -> Counts:
    """A database of m rows: all on one point, halves at the edges, just more than αm on one point, or spread."""
    above = min(m, int(alpha * m) + 1)
    counts = {
        "one point": {0: m},
        "halves at the edges": {0: m // 2, 3: m - m // 2},
        "just above α": {3: above, 1: m - above},
        "at α": {2: above - 1, 3: m - above + 1},
        "spread": {0: m // 3, 1: m // 3, 3: m - 2 * (m // 3)},
    }[shape]
    return tuple((x, count) for x, count in sorted(counts.items()) if count)


_SHAPES: Final = ("one point", "halves at the edges", "just above α", "at α", "spread")


def rows_case(alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction, more: int, shape: str) -> Case:
    """A database of as many rows as the theorem asks for, or some more."""
    m = rows_for_sanitized_points(alpha=alpha, beta=beta, epsilon=epsilon, delta=delta) + more
    given = {"d": 2, "alpha": alpha, "epsilon": epsilon, "delta": delta}
    return Case(shapes_of(m, alpha, shape), given, {"beta": beta, "shape": shape, "more": more})


_RUN: Final[dict[str, Any]] = {
    "strategy": chosen(*(rows_case, (Fraction(2, 3), Fraction(9, 10)), BETAS, EPSILONS, DELTAS, (0, 0, 1), _SHAPES)),
    "corners": {
        **ENDS,
        "rows at the bound": lambda case: case.facts["more"] == 0,
        "all rows on one point": lambda case: len(case.database) == 1,
        "points at the edges": lambda case: case.facts["shape"] == "halves at the edges",
        "just above α": lambda case: case.facts["shape"] == "just above α",
        "one row": lambda case: sum(count for _, count in case.database) == 1,
    },
    "sharp_in": "BNS-J-4.6.utility.fewer-rows",
}
_PROOF: Final = f"{BNS}, Theorem 4.6 and its proof; Figure 9, with discrete noise on the counts"
_AT: Final[dict[str, Any]] = {"alpha": Fraction(9, 10), "epsilon": Fraction(1), "delta": Fraction(1, 10)}
of_half_beta = Family(events_of_points, lambda case, ok: ok[1], lambda case: case.facts["beta"] / 2, a_point_dropped)
estimates_of_points = replace(of_half_beta, succeeds=lambda case, fine: all(fine), beta=claimed_beta)(
    "BNS-J-4.6.utility.estimates",
    _PROOF,
    "every estimate of SanPoints is within α with probability ≥ 1 − β at the m of the proof",
    sharpness=least_of(
        "rows, α = 9/10, β = 1/20, ε = 1, δ = 1/10",
        rows_for_sanitized_points(**_AT, beta=BETA),
        lambda m: [
            Case(shapes_of(m, _AT["alpha"], shape), {"d": 2, **_AT}, {"beta": BETA})
            for shape in ("one point", "just above α")
        ],
    ),
    **_RUN,
)
points_found_well = replace(of_half_beta, succeeds=lambda case, fine: fine[0], mutant=at_a_hundredth_of_epsilon)(
    "BNS-J-4.6.utility.e1",
    _PROOF,
    "an estimate of a point that SanPoints chooses is off by more than α with probability ≤ β/2",
    **_RUN,
)
points_missed = of_half_beta(
    "BNS-J-4.6.utility.e2", _PROOF, "SanPoints misses a point of a share above α with probability ≤ β/2", **_RUN
)

# The same on blocks, and Theorem 4.7.
Blocks: TypeAlias = tuple[int, ...]
"""The numbers of blocks of rows of the points that have any."""


def count_of_chosen(draw: Draw, left: Blocks, **given: Any) -> int:
    """Step 2(a): how many blocks the point has that is chosen, and 0 for ⊥; points with as many are alike."""
    b = draw(choosing_mechanism, dict(enumerate(left)), **given)
    return left[b] if isinstance(b, int) else 0


def estimates_are_close(
    draw: Draw, left: Blocks, *, iterations: int, rows: int, block: Fraction, alpha: Fraction, epsilon: Fraction
) -> bool:
    """True where neither E1 nor E2 happens in so many iterations of step 2 of SanPoints, where `left` is q_R, falling.

    `rows` and `left` count blocks of `block` rows; ε is that of a part.
    """
    if not iterations:
        return left[0] <= alpha * rows
    eps = block * epsilon
    # (a)
    count = draw(count_of_chosen, left, rows=rows, alpha=alpha / 2, epsilon=eps)
    # (b)
    if count:
        if is_off(draw(laplace(1 / eps)), alpha * rows):
            return False
        at = left.index(count)
        left = (*left[:at], *left[at + 1 :], 0)
    given = {"rows": rows, "block": block, "alpha": alpha, "epsilon": epsilon}
    return bool(draw(estimates_are_close, left, iterations=iterations - 1, **given))


def san_points_is_close(
    draw: Draw, counts: Blocks, *, block: Fraction, alpha: Fraction, epsilon: Fraction, k: int = 1
) -> bool:
    """True where all estimates of SanPoints at α/k are within α/k, so that those of sets of k points are within α."""
    each = alpha / k
    given = {"rows": sum(counts), "block": block, "alpha": each, "epsilon": epsilon}
    return bool(draw(estimates_are_close, tuple(sorted(counts, reverse=True)), iterations=ceil(2 / each), **given))


ALPHA: Final = Fraction(1, 4)
DELTA: Final = Fraction(1, 10**6)


def part_of(k: int) -> Fraction:
    """ε̃ at α/k for the whole at (1, 10⁻⁶), rounded down to millionths: with less it is as private."""
    return Fraction(floor(10**6 * epsilon_of_a_part(alpha=ALPHA / k, epsilon=1, delta=DELTA)), 10**6)


def printed_rows(k: int) -> int:
    """The m of the proof of Theorem 4.6, at α/k."""
    return rows_for_sanitized_points(alpha=ALPHA / k, beta=BETA, epsilon=1, delta=DELTA)


def fewer_rows(k: int) -> int:
    """(2/(αε̃))·ln(4/(αβ)), at α/k: less than any database may need, as points that occur once are drawn for, too."""
    return ceil(2 / (ALPHA / k * part_of(k)) * log(4 * k / (ALPHA * BETA)))


_OF_BLOCKS: Final = {1: ((64,), (33, 31), (17, 17, 17, 13), (17, 16, 16, 15), (17, *(6,) * 7, 5)), 2: ((64,), (33, 31))}
_MORE_BLOCKS: Final = {1: (), 2: ((9, *(2,) * 27, 1), (9, 9, 9, 9, 9, 9, 9, 1), (17, 16, 16, 15))}
"""64 blocks for each k: points just above αm/k, at it, and many that are chosen in vain."""


def databases(shapes: Iterable[Blocks], k: int, m: int) -> tuple[Case, ...]:
    """At least m rows, in 64 equal blocks, in each shape."""
    given = {"alpha": ALPHA, "epsilon": part_of(k), "k": k}
    return tuple(Case(counts, {"block": Fraction(-(-m // sum(counts))), **given}, {"beta": BETA}) for counts in shapes)


_ORDINARY: Final = "α = 1/4, β = 1/20, ε = 1, δ = 10⁻⁶"


def _at_ordinary_alpha(row: str, k: int, theorem: str, statement: str) -> tuple[UtilityClaim, UtilityClaim]:
    printed = whether(san_points_is_close, "at_a_three_hundredth_of_epsilon", 300)(
        f"{row}.utility.ordinary",
        f"{BNS}, {theorem}, {_ORDINARY}",
        f"{statement} with probability ≥ 1 − β at the m of the proof",
        databases(_OF_BLOCKS[k], k, printed_rows(k)),
        sharpness=None
        if k > 1
        else least_of(f"rows, two points, {_ORDINARY}", printed_rows(k), lambda m: databases(_OF_BLOCKS[k][1:2], k, m)),
        sharp_in=f"{row}.utility.fewer-rows",
        depth="report" if k > 1 else "quick",
    )
    ours = whether(san_points_is_close, "at_half_epsilon", 2)(
        f"{row}.utility.fewer-rows",
        f"{BNS}, {theorem}, fewer rows; {_ORDINARY}",
        f"{statement} with probability ≥ 1 − β already at m = (2k/(αε̃))·ln(4k/(αβ)) on "
        f"{len(_MORE_BLOCKS[k]) + len(_OF_BLOCKS[k])} databases of 64 equal blocks on up to "
        f"{9 if k == 1 else 29} points",
        databases((*_MORE_BLOCKS[k], *_OF_BLOCKS[k]), k, fewer_rows(k)),
        depth="report" if k > 1 else "quick",
    )
    return printed, ours


of_points = _at_ordinary_alpha("BNS-J-4.6", 1, "Theorem 4.6", "every estimate of SanPoints is within α, k = 1,")
of_two_points = _at_ordinary_alpha(
    "BNS-J-4.7", 2, "Theorem 4.7", "every estimate of SanPoints at α/k, k = 2, is within α/k, so that e(I) is within α,"
)
of_two_points_quickly = whether(san_points_is_close, "at_a_quarter_of_epsilon", 4)(
    "BNS-J-4.7.utility.fewer-rows-few-points",
    f"{BNS}, Theorem 4.7, an m of ours; {_ORDINARY}",
    of_two_points[1].statement.partition(" on ")[0] + " on 64 equal blocks on one and on two points",
    databases(_OF_BLOCKS[2], 2, fewer_rows(2)),
)
