"""Utility of the sanitizers for points and sets of k points, at α and β that one would use: Theorems 4.6 and 4.7.

As many rows as are asked for there make too many paths. Points with equally many rows are alike, and rows come in equal
blocks, so that each part, which sees rows times its ε and no more, is run on the blocks with as many times its ε.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from math import ceil, floor
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.sanitizers.points_sanitizer import epsilon_of_a_part, rows_for_sanitized_points
from dpverify.mechanisms.selection.choosing import choosing_mechanism
from dpverify.verifiers.catalogue.sanitizers.histograms.many_rows import is_off
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim
from dpverify.verifiers.utility.statement import Sharpness

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"

Blocks: TypeAlias = tuple[int, ...]
"""How many blocks of rows each point has that has any."""


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


def at_half_epsilon(draw: Draw, counts: Blocks, *, epsilon: Fraction, **given: Any) -> bool:
    """Half the ε̃ of each part."""
    return san_points_is_close(draw, counts, epsilon=epsilon / 2, **given)


def at_a_quarter_of_epsilon(draw: Draw, counts: Blocks, *, epsilon: Fraction, **given: Any) -> bool:
    """A quarter of the ε̃ of each part."""
    return san_points_is_close(draw, counts, epsilon=epsilon / 4, **given)


def at_a_three_hundredth_of_epsilon(draw: Draw, counts: Blocks, *, epsilon: Fraction, **given: Any) -> bool:
    """A three hundredth of the ε̃ of each part."""
    return san_points_is_close(draw, counts, epsilon=epsilon / 300, **given)


ALPHA: Final = Fraction(1, 4)
BETA: Final = Fraction(1, 20)
DELTA: Final = Fraction(1, 10**6)


def part_of(k: int) -> Fraction:
    """ε̃ at α/k for the whole at (1, 10⁻⁶), rounded down to millionths: with less it is as private."""
    return Fraction(floor(10**6 * epsilon_of_a_part(alpha=ALPHA / k, epsilon=1, delta=DELTA)), 10**6)


def rows_as_printed(k: int) -> int:
    """The m of the proof of Theorem 4.6, at α/k."""
    return rows_for_sanitized_points(alpha=ALPHA / k, beta=BETA, epsilon=1, delta=DELTA)


def fewer_rows(k: int) -> int:
    """(2/(αε̃))·ln(4/(αβ)), at α/k: less than any database may need, as points that occur once are drawn for, too."""
    return ceil(2 / (ALPHA / k * part_of(k)) * log(4 * k / (ALPHA * BETA)))


_SHAPES: Final = {
    1: ((64,), (33, 31), (17, 17, 17, 13), (17, 16, 16, 15), (17, *(6,) * 7, 5)),
    2: ((64,), (33, 31)),
}
_MORE_SHAPES: Final = {1: (), 2: ((9, *(2,) * 27, 1), (9, 9, 9, 9, 9, 9, 9, 1), (17, 16, 16, 15))}
"""64 blocks for each k: points just above αm/k, at it, and many that are chosen in vain."""


def of_blocks(counts: Blocks, k: int, m: int) -> Case:
    """At least m rows, in 64 equal blocks."""
    block = Fraction(-(-m // sum(counts)))
    return Case(counts, {"block": block, "alpha": ALPHA, "epsilon": part_of(k), "k": k}, {"beta": BETA})


def databases(shapes: Iterable[Blocks], k: int, m: int) -> tuple[Case, ...]:
    """So many rows in each shape."""
    return tuple(of_blocks(counts, k, m) for counts in shapes)


def in_two_halves(k: int) -> Callable[[int], Iterator[Case]]:
    """So many rows, nearly half on each of two points."""

    def family(m: int) -> Iterator[Case]:
        yield of_blocks(_SHAPES[k][1], k, m)

    return family


def _at_ordinary_alpha(row: str, k: int, statement: str) -> tuple[UtilityClaim, UtilityClaim]:
    shared: dict[str, Any] = {
        "mechanism": san_points_is_close,
        "succeeds": lambda case, close: close,
        "beta": lambda case: case.facts["beta"],
    }
    printed = UtilityClaim(
        id=f"{row}.utility.ordinary",
        sharp_in=f"{row}.utility.fewer-rows",
        source=f"{_BNS}, {statement.partition(':')[0]}, α = 1/4, β = 1/20, ε = 1, δ = 10⁻⁶",
        statement=f"{statement.partition(': ')[2]} with probability ≥ 1 − β at the m of the proof",
        cases=databases(_SHAPES[k], k, rows_as_printed(k)),
        mutant=at_a_three_hundredth_of_epsilon,
        sharpness=None
        if k > 1
        else Sharpness(
            what="rows, two points, α = 1/4, β = 1/20, ε = 1, δ = 10⁻⁶",
            paper=rows_as_printed(k),
            family=in_two_halves(k),
        ),
        depth="report" if k > 1 else "quick",
        **shared,
    )
    ours = UtilityClaim(
        id=f"{row}.utility.fewer-rows",
        source=f"{_BNS}, {statement.partition(':')[0]}, fewer rows; α = 1/4, β = 1/20, ε = 1, δ = 10⁻⁶",
        statement=f"{statement.partition(': ')[2]} with probability ≥ 1 − β already at m = (2k/(αε̃))·ln(4k/(αβ)) on "
        f"{len(_MORE_SHAPES[k]) + len(_SHAPES[k])} databases of 64 equal blocks on up to {9 if k == 1 else 29} points",
        cases=databases((*_MORE_SHAPES[k], *_SHAPES[k]), k, fewer_rows(k)),
        mutant=at_half_epsilon,
        depth="report" if k > 1 else "quick",
        **shared,
    )
    return printed, ours


of_points = _at_ordinary_alpha("BNS-J-4.6", 1, "Theorem 4.6: every estimate of SanPoints is within α, k = 1,")
of_two_points = _at_ordinary_alpha(
    "BNS-J-4.7", 2, "Theorem 4.7: every estimate of SanPoints at α/k, k = 2, is within α/k, so that e(I) is within α,"
)
of_two_points_quickly = UtilityClaim(
    id="BNS-J-4.7.utility.fewer-rows-few-points",
    source=f"{_BNS}, Theorem 4.7, an m of ours; α = 1/4, β = 1/20, ε = 1, δ = 10⁻⁶",
    statement=of_two_points[1].statement.partition(" on ")[0] + " on 64 equal blocks on one and on two points",
    mechanism=san_points_is_close,
    succeeds=lambda case, close: close,
    beta=lambda case: case.facts["beta"],
    cases=databases(_SHAPES[2], 2, fewer_rows(2)),
    mutant=at_a_quarter_of_epsilon,
)
