"""Utility of the sanitizer for thresholds as a whole: Theorem 4.13.

A database is given by how many rows each point of [0, 2^d) has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import ceil, floor
from typing import Any, Final

from dpverify.mechanisms.counting.logarithms import log_star
from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.exact_numbers import exact
from dpverify.mechanisms.sanitizers.thresholds_sanitizer import (
    dense_interval,
    parts_of_sanitized_thresholds,
    rows_for_sanitized_thresholds,
)
from dpverify.mechanisms.selection.stability import choose_by_stability
from dpverify.verifiers.catalogue.least_sizes import at_the_least
from dpverify.verifiers.catalogue.sanitizers.histograms.many_rows import is_off
from dpverify.verifiers.catalogue.sanitizers.thresholds.thresholds_sanitizer_executions_calculation import (
    Inside,
    points_of,
)
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim
from dpverify.verifiers.utility.statement import Sharpness

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"

# Theorem 4.13: the whole, for an (ε, δ) that is divided among its parts.


def goes_well(
    draw: Draw,
    inside: Inside,
    *,
    rows: int,
    block: Fraction,
    alpha: Fraction,
    calls: int,
    epsilon: Fraction,
    delta: Fraction,
    depth: int,
) -> bool:
    """True where B1 and E2 happen in a call on this range and in all that follow from it.

    By Lemma 4.12 Ŝ is then α-close, where there are not more points than calls. Rows come in blocks of `block` equal
    ones: `rows` and `inside` count blocks, and each part, which sees rows times its ε and no more, is run on them at
    `block`·ε. What a range leads to depends on its numbers of rows alone, so that it is found once.
    """
    eps = block * epsilon
    count, within_b1 = sum(inside), alpha * rows / (16 * calls)
    # 2 and 3
    noise = draw(laplace(1 / exact(eps)))
    if is_off(noise, within_b1):
        return False
    if count + noise < alpha * rows / 8:
        return 2 * (count - inside[-1]) <= alpha * rows
    # 4 to 10
    a, b = draw(
        dense_interval,
        points_of(inside),
        within=(0, len(inside) - 1),
        rows=rows,
        alpha=alpha,
        epsilon=exact(eps),
        epsilon_of_recursion=exact(eps) / (3 * depth),
        delta_of_recursion=exact(delta) / (3 * depth),
        depth=depth,
        base=32,
        selection=choose_by_stability,
        noise=laplace,
    )
    if 2 * sum(inside[a:b]) > alpha * rows:
        return False
    # 11
    if is_off(draw(laplace(1 / exact(eps))), within_b1):
        return False
    # 12 and 13
    given = {"rows": rows, "block": block, "alpha": alpha, "calls": calls, "epsilon": epsilon, "delta": delta}
    return all(draw(goes_well, rest, **given, depth=depth) for rest in (inside[:a], inside[b + 1 :]) if rest)


def is_close(draw: Draw, counts: Inside, *, epsilon: Fraction, **given: Any) -> bool:
    """True where SanThresholds goes well on blocks of rows, `counts` of each point."""
    depth = log_star(len(counts).bit_length() - 1)
    return bool(draw(goes_well, counts, rows=sum(counts), epsilon=epsilon, depth=depth, **given))


def is_close_at_half_epsilon(draw: Draw, counts: Inside, *, epsilon: Fraction, **given: Any) -> bool:
    """Half the ε of each part."""
    return is_close(draw, counts, epsilon=epsilon / 2, **given)


def is_close_at_a_ten_thousandth(draw: Draw, counts: Inside, *, epsilon: Fraction, **given: Any) -> bool:
    """A ten thousandth of the ε of each part."""
    return is_close(draw, counts, epsilon=epsilon / 10_000, **given)


ALPHA: Final = Fraction(1, 4)
BETA: Final = Fraction(1, 20)
CALLS: Final = 308
"""77/α."""
DELTA: Final = Fraction(1, 10**6)
_OF_PARTS: Final = parts_of_sanitized_thresholds(calls=CALLS, epsilon=1, delta=DELTA)
EPSILON_OF_PARTS: Final = Fraction(floor(_OF_PARTS[0] * 10**6), 10**6)
"""The ε of each part with which the whole is (1, 10⁻⁶)-private by Lemma 4.8, rounded down."""
DELTA_OF_PARTS: Final = DELTA / (5 * CALLS)


def rows_as_printed(d: int) -> int:
    """The m of Lemmas 4.8 and 4.12, which Theorem 4.13 follows from, for the parts and a 3c-th of β."""
    given: dict[str, Any] = {"epsilon": EPSILON_OF_PARTS, "delta": DELTA_OF_PARTS}
    return rows_for_sanitized_thresholds(d=d, alpha=ALPHA, beta=BETA / (3 * CALLS), calls=CALLS, **given)


def rows_of_b1(d: int) -> int:
    """(16c/(αε))·ln(2/β), of which the proof of Claim 4.10 makes use, for the parts and a 3c-th of β."""
    return ceil(16 * CALLS / (ALPHA * EPSILON_OF_PARTS) * log(2 * 3 * CALLS / BETA))


_UP_TO_8_POINTS: Final = ((64, *(0,) * 7), (32, 0, 0, 0, 0, 0, 0, 32), (16,) * 4, (32, 0, 0, 16, 0, 8, 0, 8), (8,) * 8)
_OF_16_POINTS: Final = ((4,) * 16, (32, *(0,) * 14, 32), (1, 2, 3, 4, 5, 6, 7, 8, 1, 1, 1, 20, 1, 1, 1, 2))
"""64 blocks, spread, heaped, and halves at the edges."""


def databases(shapes: Iterable[Inside], rows: Callable[[int], int]) -> tuple[Case, ...]:
    """So many rows of each shape; they depend on d."""
    return tuple(of_blocks(counts, rows(len(counts).bit_length() - 1)) for counts in shapes)


def of_blocks(counts: Inside, m: int) -> Case:
    """At least m rows, in as many equal blocks as the counts add up to."""
    block = Fraction(-(-m // sum(counts)))
    given = {"alpha": ALPHA, "calls": CALLS, "epsilon": EPSILON_OF_PARTS, "delta": DELTA_OF_PARTS}
    return Case(counts, {"block": block, **given}, {"beta": BETA})


def _of_theorem(**given: Any) -> UtilityClaim:
    return UtilityClaim(
        mechanism=is_close,
        succeeds=lambda case, close: close,
        beta=lambda case: case.facts["beta"],
        **given,
    )


_THEOREM: Final = (
    "SanThresholds with parts for which it is (1, 10⁻⁶)-private is (1/4)-close with probability ≥ 19/20, where "
)

whole_as_printed = _of_theorem(
    id="BNS-J-4.13.utility.printed",
    sharp_in="BNS-J-4.13.utility.printed-at-the-least",
    source=f"{_BNS}, Theorem 4.13, by Lemmas 4.8 and 4.12, c = 77/α, four and eight points, in shapes of equal blocks",
    statement=f"{_THEOREM}m is that of Lemmas 4.8 and 4.12",
    cases=databases(_UP_TO_8_POINTS, rows_as_printed),
    mutant=is_close_at_a_ten_thousandth,
    sharpness=Sharpness(
        what="rows, 4 points, α = 1/4, β = 1/20, ε = 1, δ = 10⁻⁶",
        paper=rows_as_printed(2),
        family=lambda m: (of_blocks((16,) * 4, m),),
    ),
)

_BY_B1: Final = f"{_THEOREM}m ≥ (16c/(αε̂))·ln(6c/β), ε̂ the ε of its parts"

whole_by_b1 = _of_theorem(
    id="BNS-J-4.13.utility.rows",
    source=f"{_BNS}, Theorem 4.13, an order; the m is that of event B1; four and eight points, in equal blocks",
    statement=_BY_B1,
    cases=databases(_UP_TO_8_POINTS, rows_of_b1),
    mutant=is_close_at_half_epsilon,
)
whole_of_sixteen_points = _of_theorem(
    id="BNS-J-4.13.utility.rows-sixteen-points",
    source=f"{_BNS}, Theorem 4.13, an order; the m is that of event B1; sixteen points, in shapes of equal blocks",
    statement=_BY_B1,
    cases=databases(_OF_16_POINTS, rows_of_b1),
    mutant=is_close_at_half_epsilon,
    depth="report",
)

whole_as_printed_at_the_least = at_the_least(whole_as_printed, 20_604_353)
