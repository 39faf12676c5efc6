"""Utility of the sanitizer for thresholds as a whole: Theorem 4.13, and where an order of the rows is stated alone.

An order alone state Theorem 4 of the extended abstract, and Proposition 2.21 of Bun, Nissim & Stemmer, who cite another
sanitizer. That one exists is shown by SanThresholds, with constants of ours. A database is given by how many rows each
point of [0, 2^d) has.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor
from typing import Any, Final

from dpverify.mechanisms import Draw, Exact, exact, laplace, log, sqrt
from dpverify.mechanisms.counting.logarithms import log_star
from dpverify.mechanisms.sanitizers.thresholds_sanitizer import (
    dense_interval,
    parts_of_sanitized_thresholds,
    rows_for_sanitized_thresholds,
)
from dpverify.mechanisms.selection import choose_by_stability
from dpverify.verifiers.catalogue.corners import at_the_least, whether
from dpverify.verifiers.catalogue.sanitizers.histograms.many_rows import is_off
from dpverify.verifiers.catalogue.sanitizers.thresholds.thresholds_sanitizer_executions_calculation import (
    Inside,
    points_of,
)
from dpverify.verifiers.utility.family import Case, least_of

_BNS: Final = "Beimel, Nissim & Stemmer, journal version, Theorem 4.13"


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
    sizes = {"rows": rows, "alpha": alpha, "depth": depth}
    recursion = {"epsilon_of_recursion": exact(eps) / (3 * depth), "delta_of_recursion": exact(delta) / (3 * depth)}
    given = {"within": (0, len(inside) - 1), "epsilon": exact(eps), "base": 32, **sizes, **recursion}
    a, b = draw(dense_interval, points_of(inside), **given, selection=choose_by_stability, noise=laplace)
    if 2 * sum(inside[a:b]) > alpha * rows:
        return False
    # 11
    if is_off(draw(laplace(1 / exact(eps))), within_b1):
        return False
    # 12 and 13
    given = {**sizes, "block": block, "calls": calls, "epsilon": epsilon, "delta": delta}
    return all(draw(goes_well, rest, **given) for rest in (inside[:a], inside[b + 1 :]) if rest)


def is_close(draw: Draw, counts: Inside, *, epsilon: Fraction, **given: Any) -> bool:
    """True where SanThresholds goes well on blocks of rows, `counts` of each point."""
    depth = log_star(len(counts).bit_length() - 1)
    return bool(draw(goes_well, counts, rows=sum(counts), epsilon=epsilon, depth=depth, **given))


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


def d_of(counts: Inside) -> int:
    """2^d points."""
    return len(counts).bit_length() - 1


def databases(shapes: Iterable[Inside], rows: Callable[[int], int]) -> tuple[Case, ...]:
    """So many rows of each shape; they depend on d."""
    return tuple(of_blocks(counts, rows(d_of(counts))) for counts in shapes)


def of_blocks(counts: Inside, m: int) -> Case:
    """At least m rows, in as many equal blocks as the counts add up to."""
    block = Fraction(-(-m // sum(counts)))
    given = {"alpha": ALPHA, "calls": CALLS, "epsilon": EPSILON_OF_PARTS, "delta": DELTA_OF_PARTS}
    return Case(counts, {"block": block, **given}, {"beta": BETA})


by_half = whether(is_close, "is_close_at_half_epsilon", 2)
_THEOREM: Final = (
    "SanThresholds with parts for which it is (1, 10⁻⁶)-private is (1/4)-close with probability ≥ 19/20, where "
)
whole_as_printed = whether(is_close, "is_close_at_a_ten_thousandth", 10_000)(
    "BNS-J-4.13.utility.printed",
    f"{_BNS}, by Lemmas 4.8 and 4.12, c = 77/α, four and eight points, in shapes of equal blocks",
    f"{_THEOREM}m is that of Lemmas 4.8 and 4.12",
    databases(_UP_TO_8_POINTS, rows_as_printed),
    sharpness=least_of(
        "rows, 4 points, α = 1/4, β = 1/20, ε = 1, δ = 10⁻⁶", rows_as_printed(2), lambda m: (of_blocks((16,) * 4, m),)
    ),
    sharp_in="BNS-J-4.13.utility.printed-at-the-least",
)
_BY_B1: Final = f"{_THEOREM}m ≥ (16c/(αε̂))·ln(6c/β), ε̂ the ε of its parts"
whole_by_b1 = by_half(
    "BNS-J-4.13.utility.rows",
    f"{_BNS}, an order; the m is that of event B1; four and eight points, in equal blocks",
    _BY_B1,
    databases(_UP_TO_8_POINTS, rows_of_b1),
)
whole_of_sixteen_points = by_half(
    "BNS-J-4.13.utility.rows-sixteen-points",
    f"{_BNS}, an order; the m is that of event B1; sixteen points, in shapes of equal blocks",
    _BY_B1,
    databases(_OF_16_POINTS, rows_of_b1),
    depth="report",
)
whole_as_printed_at_the_least = replace(
    at_the_least(whole_as_printed, 20_604_353),
    statement="as BNS-J-4.13.utility.printed, on 20,604,353 rows, the least on which event B1 of the proof of Claim "
    "4.10 has probability β or less; rows that are enough to be close are fewer, and how many is not said",
)

# An order of the rows.
Asked = dict[str, Fraction]
"""α, β, and the ε and δ of the whole."""
_ORDINARY: Final[Asked] = {"alpha": ALPHA, "beta": BETA, "epsilon": Fraction(1), "delta": DELTA}
_OF_THE_ABSTRACT: Final = 1200
_OF_BUNS: Final = 5000


def rows_of_the_abstract(d: int, *, alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction) -> Exact:
    """8^(log* d)·√(log* d)/(α^2.5·ε)·ln(1/(αδ))·ln(log* d/(αβεδ))."""
    n = log_star(d)
    of_logarithms = log(1 / (alpha * delta)) * log(n / (alpha * beta * epsilon * delta))
    return exact(8) ** n * sqrt(n) * sqrt(1 / alpha) / (alpha**2 * epsilon) * of_logarithms


def rows_of_buns(d: int, *, alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction) -> Exact:
    """5000·2^(log* d)/(α^2.5·ε)·ln(1/(αβεδ))^1.5."""
    of_all = log(1 / (alpha * beta * epsilon * delta))
    return _OF_BUNS * exact(2) ** log_star(d) * sqrt(1 / alpha) / (alpha**2 * epsilon) * of_all * sqrt(of_all)


def with_rows(counts: Inside, rows: int, asked: Asked) -> Case:
    """At least so many rows, in as many equal blocks as the counts add up to, with parts for the ε and δ asked for."""
    calls = ceil(77 / asked["alpha"])
    part, part_delta = parts_of_sanitized_thresholds(calls=calls, epsilon=asked["epsilon"], delta=asked["delta"])
    given = {"block": Fraction(-(-rows // sum(counts))), "alpha": asked["alpha"], "calls": calls}
    of_parts = {"epsilon": Fraction(floor(part * 10**6), 10**6), "delta": Fraction(floor(part_delta * 10**15), 10**15)}
    facts = {"beta": asked["beta"], "of the whole": (asked["epsilon"], asked["delta"])}
    return Case(counts, {**given, **of_parts}, facts)


_SHAPES: Final = ((16,) * 4, (32, 0, 0, 16, 0, 8, 0, 8), (8,) * 8)
_HARDEST: Final = {**_ORDINARY, "delta": Fraction(1, 100)}
"""Of the parameters tried those at which the order is nearest to what is needed."""
_OTHERS: Final = (
    _HARDEST,
    {**_ORDINARY, "alpha": Fraction(1, 10), "epsilon": Fraction(1, 2)},
    {**_ORDINARY, "beta": Fraction(1, 4), "delta": Fraction(1, 100)},
)
theorem_4 = by_half(
    "BNS-X-Thm4.utility.sanitizer",
    "Beimel, Nissim & Stemmer, extended abstract, Theorem 4, an order; by the journal version's SanThresholds",
    "there is a proper sanitizer for INTERVAL_d, (1/4)-close or (1/10)-close with probability ≥ 1 − β, with "
    f"{_OF_THE_ABSTRACT}·8^(log* d)·√(log* d)/(α^2.5·ε)·ln(1/(αδ))·ln(log* d/(αβεδ)) rows: SanThresholds, with parts "
    "for which it is (ε,δ)-private by Lemma 4.8; d = 2 and 3, in shapes of equal blocks, β = 1/20 and 1/4, ε = 1 and "
    "1/2, δ = 10⁻⁶ and 1/100; the constant is ours",
    tuple(
        with_rows(counts, ceil(_OF_THE_ABSTRACT * rows_of_the_abstract(d_of(counts), **asked)), asked)
        for asked in (_ORDINARY, *_OTHERS)
        for counts in (_SHAPES if asked is _ORDINARY else _SHAPES[:1])
    ),
    sharpness=least_of(
        "rows, 4 points, α = 1/4, β = 1/20, ε = 1, δ = 1/100",
        ceil(_OF_THE_ABSTRACT * rows_of_the_abstract(2, **_HARDEST)),
        lambda m: (with_rows(_SHAPES[0], m, _HARDEST),),
        ours=True,
    ),
)
of_buns = by_half(
    "BuNS-2.21.utility.sanitizer",
    "Bun, Nissim & Stemmer, Proposition 2.21, which cites a sanitizer with 2^(O(log* d)) rows and whose formula "
    "our text has lost; by the SanThresholds of Beimel, Nissim & Stemmer",
    "there is a sanitizer for thresholds on 2^d points, α-close with probability ≥ 1 − β, with "
    f"{_OF_BUNS}·2^(log* d)/(α^2.5·ε)·ln(1/(αβεδ))^1.5 rows: SanThresholds, with parts for which it is (ε,δ)-private "
    "by Lemma 4.8; d = 2, 3 and 4, in shapes of equal blocks, α = 1/4, β = 1/20, ε = 1, δ = 10⁻⁶; the rows are ours, "
    "and for every d 8 is to be in the place of 2",
    tuple(
        with_rows(counts, ceil(rows_of_buns(d_of(counts), **_ORDINARY)), _ORDINARY)
        for counts in (*_SHAPES, (32, *(0,) * 14, 32))
    ),
    sharpness=least_of(
        "rows, 4 points, α = 1/4, β = 1/20, ε = 1, δ = 10⁻⁶",
        ceil(rows_of_buns(2, **_ORDINARY)),
        lambda m: (with_rows(_SHAPES[0], m, _ORDINARY),),
        ours=True,
    ),
)
