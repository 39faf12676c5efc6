"""The class of Section 4.4 on which Theorem 4.16 is the best there is: all subsets of n points, and points beside them.

Its VC dimension is n and its effective size is 2^d. What is forced by one of them is forced of the class as a whole, so
that m is at least half of what both add up to.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from itertools import combinations
from math import ceil
from typing import Final

from dpverify.mechanisms.drawing.enumerator import distribution
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact
from dpverify.mechanisms.sanitizers.concepts import Concept
from dpverify.mechanisms.sanitizers.packings import EstimatedShares, moved_from_the_first, shares, told_apart
from dpverify.mechanisms.sanitizers.two_parts import left_concepts, right_concepts, sanitize_two_parts
from dpverify.mechanisms.selection.packing_bound import packing_bound, replaced_at_random, steps_forced
from dpverify.verifiers.catalogue.sanitizers.histograms.estimating import none_close_to_two, sanitizing
from dpverify.verifiers.lower_bounds.claim import LowerBound
from dpverify.verifiers.lower_bounds.instance import HardInstance, rows_replaced
from dpverify.verifiers.lower_bounds.statement import Broken, Law, Parameters, a_tenth_less

_SECTION: Final = "Beimel, Nissim & Stemmer, journal version, Section 4.4, after Theorem 4.16"
_SANITIZER: Final = {"alpha": Fraction(1, 8), "beta": Fraction(1, 8), "epsilon": Fraction(1, 2)}


def both_kinds(case: Parameters) -> tuple[Concept, ...]:
    """C_L ∪ C_R."""
    return (*left_concepts(case["left"]), *right_concepts(case["d"], case["left"]))


def two_small_databases(case: Parameters) -> Law:
    """The sanitizer of the section: databases of two rows and of one, at ε/2 each, and what they answer."""
    of_left = cache(partial(shares, concepts=left_concepts(case["left"])))
    of_right = cache(partial(shares, concepts=right_concepts(case["d"], case["left"])))

    def law(rows: tuple[int, ...]) -> Distribution[EstimatedShares]:
        given = {name: case[name] for name in ("d", "left", "epsilon")}
        chances: dict[EstimatedShares, Exact] = {}
        for (left, right), chance in distribution(
            sanitize_two_parts, rows, sizes=(2, 1), **given
        ).probabilities.items():
            estimate = of_left(left) + of_right(right)
            chances[estimate] = chances.get(estimate, ZERO) + chance
        return Distribution(chances)

    return law


def size_is_all_points(case: Parameters) -> str | None:
    """Whether X_C = 2^d: all points are told apart."""
    size = len(told_apart(range(1 << case["d"]), both_kinds(case)))
    return None if size == 1 << case["d"] else f"X_C is {size}"


# VC(C) = n: databases of half of the left points.


def left_halves(case: Parameters) -> tuple[tuple[int, ...], ...]:
    """The databases of m = n/2 distinct points of the left ones."""
    return tuple(combinations(range(case["left"]), case["left"] // 2))


def half_of_the_left(case: Parameters) -> HardInstance:
    """To be α-close for all of C; the order of rows does not matter."""
    return replace(sanitizing(left_halves(case), both_kinds(case), case["alpha"]), distance=rows_replaced)


def forced_on_the_left(case: Parameters) -> Exact:
    """e^ε/((1 + e^ε)(1 − α))."""
    return replaced_at_random(case["left"] // 2, case["epsilon"], case["alpha"])


by_dimension = LowerBound(
    id="BNS-J-4.16.lower-bound.two-kinds-dimension",
    source=_SECTION,
    statement="a (1/8, 1/8, 1/2, m)-sanitizer for C_L ∪ C_R has m > n/2, where C_L shatters n points: on m = n/2 "
    "rows it is 1/8-close with a probability of at most e^ε/((1 + e^ε)·7/8), which is below 7/8",
    cases=[{**_SANITIZER, "left": left, "d": left + 1} for left in (2, 4)],
    instance=half_of_the_left,
    properties={
        "less than 1 − β is forced": lambda case: (
            None if forced_on_the_left(case) < 1 - case["beta"] else f"only {forced_on_the_left(case)} is forced"
        ),
        "no estimate is close to two of the databases": lambda case: none_close_to_two(
            left_halves(case), both_kinds(case), case["alpha"]
        ),
    },
    forced=forced_on_the_left,
    mechanisms={"two small databases": two_small_databases},
    mutants=(
        Broken("two tenths less are forced", {"forced": a_tenth_less(a_tenth_less(forced_on_the_left))}),
        Broken("the distances are left out", {"instance": lambda case: half_of_the_left(case).unrelated}),
    ),
)

# X_C = 2^d: databases of which 3αm rows are moved from one point to another, left or right.


def moved(case: Parameters) -> int:
    """3αm, a whole number in every case."""
    return int(3 * case["alpha"] * case["m"])


def packed(case: Parameters) -> tuple[tuple[int, ...], ...]:
    """The databases S_i of Lemma 4.15."""
    return moved_from_the_first(range(1 << case["d"]), rows=case["m"], moved=moved(case))


def packing(case: Parameters, times: int = 1) -> HardInstance:
    """To be α-close, or `times` as far off, for all of C."""
    return sanitizing(packed(case), both_kinds(case), times * case["alpha"])


def forced_by_size(case: Parameters) -> Exact:
    """(2^d − 1)·e^(−3εαm)·s ≤ 1 − s."""
    return packing_bound(1 << case["d"], moved(case), case["epsilon"])


def rows_forced(case: Parameters) -> int:
    """The least m with which 3αm steps let a success of 1 − β pass."""
    alpha: Fraction = case["alpha"]
    return ceil(steps_forced(1 << case["d"], beta=case["beta"], epsilon=case["epsilon"]) / (3 * alpha))


by_effective_size = LowerBound(
    id="BNS-J-4.16.lower-bound.two-kinds-effective-size",
    source=f"{_SECTION}, by Lemma 4.15",
    statement="a (1/8, 1/8, 1/2, m)-sanitizer for C_L ∪ C_R over [0, 2^d) has m ≥ (16/3)·ln(7·(2^d − 1)), whatever n "
    "is: on databases that differ in 3m/8 rows it is 1/8-close with probability 1/(1 + (2^d − 1)·e^(−3m/16)) at most",
    cases=[
        {**_SANITIZER, "left": left, "d": d, "m": m} for left, d, m in ((1, 2, 8), (1, 3, 8), (2, 3, 8), (2, 3, 16))
    ],
    instance=packing,
    properties={
        "the effective size is 2^d": size_is_all_points,
        "no estimate is close to two of the databases": lambda case: none_close_to_two(
            packed(case), both_kinds(case), case["alpha"]
        ),
    },
    forced=forced_by_size,
    mechanisms={"two small databases": two_small_databases},
    least=rows_forced,
    mutants=(
        Broken("a tenth less is forced", {"forced": a_tenth_less(forced_by_size)}),
        Broken("estimates are 2α-close", {"instance": partial(packing, times=2)}),
        Broken("the distances are left out", {"instance": lambda case: packing(case).unrelated}),
    ),
)
