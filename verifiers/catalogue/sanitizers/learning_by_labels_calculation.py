"""Learning from a sanitizer, as one PAC claim: Theorem 5.5 with its numbers of rows, and BuNS Theorem 2.23.

The theorems speak of every sanitizer, and so do the claims: what is bounded is how often the learner fails with any
that is as accurate as it is said to be, over the sample and the coins, as `any_sanitizer` tells.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import Any, Final, TypeAlias

from dpverify.mechanisms import exact, log
from dpverify.mechanisms.sanitizers import Point, Threshold, points, thresholds
from dpverify.mechanisms.sanitizers.label_sanitizer import rows_of_a_block
from dpverify.verifiers.calculations.family import Broken, Calculation, Sharpness
from dpverify.verifiers.catalogue.corners import JUST
from dpverify.verifiers.catalogue.families import HALF, HUNDREDTH, MILLIONTH, QUARTER, TENTH, TWENTIETH
from dpverify.verifiers.catalogue.sanitizers.any_sanitizer import (
    Parts,
    Released,
    Size,
    failure_at_least,
    failure_at_most,
    lost_at_least,
    no_more_wrong,
)
from dpverify.verifiers.catalogue.sanitizers.small_databases_utility import rows_for_small_database
from dpverify.verifiers.catalogue.sanitizers.thresholds.thresholds_sanitizer_utility import rows_of_buns
from dpverify.verifiers.utility.pac import Population, error, labelled

Class: TypeAlias = Callable[[int], Sequence[Callable[[int], int]]]
"""The class on 2^d points."""


def failing(bound: Callable[..., Fraction], times: int = 1) -> Callable[..., Fraction]:
    """A bound on how often the error is above 15α + 12β, with a sanitizer accurate to so many times the α and β.

    Made to release databases of one size an (α,β)-accurate one is (2α,2β)-accurate, as in the proof of Lemma 5.4.
    """

    def of_case(population: Population, family: Class, d: int, size: Size, alpha: Fraction, beta: Fraction) -> Fraction:
        return bound(population, family(d), size, Released(2 * times * alpha, 2 * times * beta), 15 * alpha + 12 * beta)

    return of_case


failure_with_any_sanitizer: Final = failing(failure_at_most)
WORSE: Final = Broken("a sanitizer with eight times the α and β", {"computed": failing(failure_at_least, 8)})


def size_for(*, rows: int, alpha: Fraction, beta: Fraction, epsilon: Fraction) -> Size:
    """The sizes that Algorithm B takes with a sanitizer of so many rows: ⌈6/α²⌉ blocks."""
    block = rows_of_a_block(rows=rows, alpha=alpha, beta=beta, epsilon=epsilon)
    return Size(rows, block // rows, ceil(6 / alpha**2), epsilon)


def rows_for_thresholds(universe: int, *, alpha: Fraction, **given: Fraction) -> int:
    """The rows of the sanitizer of Blum, Ligett & Roth, for thresholds: for the databases of 1/(2α) rows."""
    return rows_for_small_database(universe, ceil(1 / (2 * alpha)), alpha=alpha, **given)


def alike(d: int, target: Callable[[int], int]) -> Population:
    """All points alike."""
    return labelled([(x, Fraction(1, 1 << d)) for x in range(1 << d)], target)


def one_against(target: Callable[[int], int], share: Fraction, others: int) -> Population:
    """So much of the mass on the point 0, and the rest on so many others alike."""
    return labelled([(0, share), *((x, (1 - share) / others) for x in range(1, others + 1))], target)


def populations(just_more: Fraction) -> Iterator[tuple[Class, int, Population]]:
    """Classes, d, and populations: the concept that is 0 is just bad on the first and the last; and one label alone."""
    yield thresholds, 1, one_against(Threshold(1), just_more, 1)
    yield thresholds, 3, alike(3, Threshold(4))
    yield thresholds, 6, alike(6, Threshold(21))
    yield thresholds, 3, alike(3, Threshold(8))
    yield points, 3, one_against(Point(0), just_more, 7)


Asked = dict[str, Fraction]
Given = dict[str, Any]


def _given(population: Population, family: Class, d: int, size: Size, **numbers: Fraction) -> Given:
    return {"population": population, "family": family, "d": d, "size": size, "examples": size.examples, **numbers}


CASES: Final = tuple(
    _given(population, family, d, size, alpha=alpha, beta=beta)
    for alpha, beta in ((HUNDREDTH, HUNDREDTH), (Fraction(1, 64), Fraction(1, 200)))
    for asked in [Asked(alpha=alpha, beta=beta, epsilon=Fraction(1, 8))]
    for family, d, population in populations(15 * alpha + 12 * beta + JUST)
    for size in [size_for(rows=rows_for_thresholds(1 << d, **asked), **asked)]
)
"""At ε = 1/8, the most that the theorem admits."""
pac = Calculation(
    id="BNS-J-5.5.utility.pac",
    source="Beimel, Nissim & Stemmer, journal version, Theorem 5.5 with the numbers of Lemma 5.4, where each label "
    "weighs m̂: any sanitizer, with the m of the one of Blum, Ligett & Roth",
    statement="with any (α, β, ε, m)-sanitizer for C Learn with Algorithm B on ⌈6/α²⌉·m·⌈(18/β)·ln(2/(αβ))·(1 + "
    "1/(mε))⌉ examples has an error of at most 15α + 12β with probability ≥ 1 − 10β over the sample and the coins, "
    "which is bounded; thresholds and points on up to 64 points, α = β = 1/100 and α = 1/64, β = 1/200, ε = 1/8: "
    f"{CASES[0]['examples']:,} examples of two points",
    computed=failure_with_any_sanitizer,
    at_most=lambda beta: 10 * beta,
    cases=CASES,
    mutants=[WORSE],
    sharpness=Sharpness(
        what="blocks of examples, thresholds on two points, α = β = 1/100, ε = 1/8",
        paper=CASES[0]["size"].blocks,
        family=lambda blocks: [{**CASES[0], "size": replace(CASES[0]["size"], blocks=blocks)}],
        whatever_epsilon=True,
    ),
)


# BuNS, Theorem 2.23: an (α,β)-accurate learner of an approximate sanitizer.
PARTS: Final = 27
"""15α + 12β for a sanitizer with a 27th of the α, and no more for its β."""
of_buns = Calculation(
    id="BuNS-2.23.utility.pac",
    source="Bun, Nissim & Stemmer, Theorem 2.23, which cites Beimel, Nissim & Stemmer, and whose formulas our text "
    "has lost: by their Theorem 5.5, with constants of ours",
    statement="with any sanitizer for C that is (α/27, min(α/27, β/10))-accurate on n rows there is a proper learner "
    "for C that is (α,β)-PAC on ⌈6·27²/α²⌉ blocks of n·⌈(18/β′)·ln(2/(α′β′))·(1 + 4/(nε))⌉ examples: a bound on its "
    "failure, over the sample and the coins; thresholds and points on up to 64 points, α = 1/4, β = 1/20, ε = 1, and α "
    "= 1/10, β = 1/4, ε = 1/2, with the n of BuNS-2.21.utility.sanitizer",
    computed=failure_with_any_sanitizer,
    at_most=lambda fails: fails,
    # at ε/4 for the sanitizer and for the numbers of rows, with which the learner is (ε, 2e^(ε/4)·δ)-private
    cases=tuple(
        _given(population, family, d, size, alpha=part["alpha"], beta=part["beta"], fails=beta)
        for alpha, beta, epsilon in ((QUARTER, TWENTIETH, Fraction(1)), (TENTH, QUARTER, HALF))
        for part in [Asked(alpha=alpha / PARTS, beta=min(alpha / PARTS, beta / 10), epsilon=epsilon / 4)]
        for family, d, population in populations(alpha + JUST)
        for rows in [ceil(rows_of_buns(max(2, d), **part, delta=MILLIONTH))]
        for size in [size_for(rows=rows, **part)]
    ),
    mutants=[WORSE],
)


# Extended abstract, Theorem 5: learning from parts of a sample that are sanitized each.
def failure_from_parts(
    population: Population, d: int, parts: int, rows_of_part: int, alpha: Fraction, beta: Fraction
) -> Fraction:
    """A bound on how often the error is above 3α + 2β."""
    of_all = (Parts(parts, parts, parts * rows_of_part, Fraction(0)),)
    wrong = [error(population, concept) for concept in thresholds(d)]
    failing = (
        no_more_wrong(of_all, (share,), rows_of_part, Released(alpha, beta))
        for share in wrong
        if share > 3 * alpha + 2 * beta
    )
    return min(Fraction(1), sum(failing, Fraction(0)))


def failure_with_more_lost(
    population: Population, d: int, parts: int, rows_of_part: int, alpha: Fraction, beta: Fraction
) -> Fraction:
    """With a sanitizer that loses parts five times as often: at least so often, where only the target is good."""
    good = [concept for concept in thresholds(d) if error(population, concept) <= 3 * alpha + 2 * beta]
    share = error(population, Threshold(0))
    return lost_at_least(parts, rows_of_part, share=share, fails=5 * beta) if len(good) == 1 else Fraction(0)


def enough_parts(alpha: Fraction, beta: Fraction) -> int:
    """q ≥ 3·((1 − α)/α)²·ln(1/β)/β, by Chernoff's bound: derived here."""
    return ceil(3 * ((1 - alpha) / alpha) ** 2 / beta * log(1 / exact(beta)))


def cases_of_theorem_5() -> Iterator[Given]:
    """The parts of BNS-X-Thm5.utility.bad-parts, of the rows of Blum, Ligett & Roth; two populations."""
    alpha = beta = Fraction(1, 20)
    parts = enough_parts(alpha, beta)
    bad = 3 * alpha + 2 * beta + JUST
    for d, population in ((1, labelled([(0, bad), (1, 1 - bad)], Threshold(1))), (3, alike(3, Threshold(4)))):
        rows = rows_for_thresholds(1 << (d + 1), alpha=alpha, beta=beta, epsilon=Fraction(1, 8))
        sizes = {"d": d, "parts": parts, "rows_of_part": rows, "examples": parts * rows}
        yield {"population": population, **sizes, "alpha": alpha, "beta": beta}


OF_THEOREM_5: Final = tuple(cases_of_theorem_5())
from_parts = Calculation(
    id="BNS-X-Thm5.utility.pac",
    sharp_in="BNS-X-Thm5.utility.bad-parts",
    source="Beimel, Nissim & Stemmer, extended abstract, Theorem 5; with constants of ours",
    statement="with any (α, β, ε, m)-sanitizer for C^label there is a proper learner for C, which sanitizes q parts "
    "of m examples, with an error of at most 3α + 2β with probability ≥ 1 − 2β over the sample and the coins, which "
    "is bounded: q = 3·((1 − α)/α)²·ln(1/β)/β; thresholds on two and eight points, α = β = 1/20, "
    f"{OF_THEOREM_5[0]['examples']:,} examples of two points",
    computed=failure_from_parts,
    at_most=lambda beta: 2 * beta,
    cases=OF_THEOREM_5,
    mutants=[Broken("a sanitizer that loses parts five times as often", {"computed": failure_with_more_lost})],
)
