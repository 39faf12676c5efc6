"""Lower bounds to the rows of private sanitizers for sets of k points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import floor
from typing import Final

from dpverify.mechanisms.drawing.enumerator import distribution
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.exact_numbers import Exact, exact
from dpverify.mechanisms.sanitizers.point_sets import concentrated, greedy_family, point_sets, too_near
from dpverify.mechanisms.sanitizers.small_databases import small_database
from dpverify.mechanisms.selection.packing_bound import packing_bound
from dpverify.verifiers.catalogue.sanitizers.histograms.estimating import estimating, none_close_to_two, sanitizing
from dpverify.verifiers.lower_bounds.claim import LowerBound
from dpverify.verifiers.lower_bounds.instance import HardInstance, rows_replaced
from dpverify.verifiers.lower_bounds.statement import Broken, Law, Parameters, a_tenth_less

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"
_BNS_X: Final = "Beimel, Nissim & Stemmer, extended abstract"
_LN_2: Final = log(2)


# Theorems 5.9 and 5.10: sets of k points, of which no two share more than k/2.


def spread(case: Parameters) -> tuple[tuple[int, ...], ...]:
    """S_A: (1 − 5α)m entries 0 and 5αm spread over A, for each A of the family of the proof of Lemma 5.7."""
    some = int(5 * case["alpha"] * case["m"])
    return tuple(concentrated(a, rows=case["m"], moved=some) for a in greedy_family(case["d"], case["k"]))


def k_points(case: Parameters) -> HardInstance:
    """To be α-close for all sets of k points; the order of rows does not matter."""
    return replace(sanitizing(spread(case), point_sets(case["d"], case["k"]), case["alpha"]), distance=rows_replaced)


def forced_on_k_points(case: Parameters) -> Exact:
    """5αm entries differ, for |B| databases."""
    return packing_bound(len(spread(case)), int(5 * case["alpha"] * case["m"]), case["epsilon"])


def shares_too_many(case: Parameters) -> str | None:
    """Whether two sets of the family share more than k/2 points."""
    pair = too_near(greedy_family(case["d"], case["k"]))
    return None if pair is None else f"{pair[0]} and {pair[1]}"


def sanitizing_k_points(case: Parameters) -> Law | None:
    """The sanitizer of Blum, Ligett & Roth with as many rows as there are; left out where it has too many to list."""
    if case["k"] > 1:
        return None
    concepts = point_sets(case["d"], case["k"])
    return estimating(
        partial(
            distribution,
            small_database,
            universe=tuple(range(1 << case["d"])),
            concepts=concepts,
            size=case["m"],
            epsilon=case["epsilon"],
        ),
        concepts,
    )


direct = LowerBound(
    id="BNS-J-5.9.lower-bound.direct",
    source=f"{_BNS}, Theorems 5.9 and 5.10, by a packing of databases and not by way of learners",
    statement="for α ≤ 1/5 no ε-private sanitizer for k-POINT_d is α-close with a probability above "
    "1/(1 + (|B| − 1)·e^(−5εαm)), for a family B of sets that share k/2 points at most: m = Ω(kd/(εα)), which Theorem "
    "5.9 states without the α, and Theorem 5.10 for labelled points",
    cases=[
        {"d": 3, "k": 2, "m": 4, "alpha": Fraction(1, 10), "epsilon": _LN_2},
        {"d": 3, "k": 2, "m": 4, "alpha": Fraction(1, 10), "epsilon": 2 * _LN_2},
        {"d": 3, "k": 3, "m": 6, "alpha": Fraction(1, 10), "epsilon": _LN_2},
        {"d": 3, "k": 1, "m": 4, "alpha": Fraction(1, 10), "epsilon": _LN_2},
    ],
    instance=k_points,
    properties={
        "no two sets share more than k/2 points": shares_too_many,
        "no estimate is close to two of the databases": lambda case: none_close_to_two(
            spread(case), point_sets(case["d"], case["k"]), case["alpha"]
        ),
    },
    forced=forced_on_k_points,
    mechanisms={"small database": sanitizing_k_points},
    mutants=(
        Broken(
            "a tenth less is forced, of single points",
            {
                "forced": a_tenth_less(forced_on_k_points),
                "cases": ({"d": 3, "k": 1, "m": 4, "alpha": Fraction(1, 10), "epsilon": _LN_2},),
            },
        ),
        Broken("the distances are left out", {"instance": lambda case: k_points(case).unrelated}),
    ),
)


# Theorem 6 of the extended abstract, which has the α: no more entries are moved than keep the databases apart.


def least_moved(case: Parameters) -> int:
    """The least multiple of k above 4αm: two sets share k/2 points at most, so that shares are more than 2α apart."""
    k: int = case["k"]
    m: int = case["m"]
    alpha: Fraction = case["alpha"]
    return k * (floor(4 * alpha * m / k) + 1)


def barely_apart(case: Parameters, moved: Callable[[Parameters], int] = least_moved) -> tuple[tuple[int, ...], ...]:
    """Entries 0, and as many as that spread over A, for each A of the family."""
    return tuple(concentrated(a, rows=case["m"], moved=moved(case)) for a in greedy_family(case["d"], case["k"]))


def k_points_barely_apart(case: Parameters, moved: Callable[[Parameters], int] = least_moved) -> HardInstance:
    """To be α-close for all sets of k points; the order of rows does not matter."""
    of = sanitizing(barely_apart(case, moved), point_sets(case["d"], case["k"]), case["alpha"])
    return replace(of, distance=rows_replaced)


def forced_barely_apart(case: Parameters) -> Exact:
    """1/(1 + (|B| − 1)·e^(−εs)) for s entries that differ."""
    return packing_bound(len(barely_apart(case)), least_moved(case), case["epsilon"])


ONE_IN: Final = 40
"""Of what is k·ln|X|/(αε) so many rows: with fewer there is no sanitizer (the steps BNS-X-Thm6.step)."""


def more_rows_than_excluded(case: Parameters) -> str | None:
    """Whether there are more than k·ln|X|/(40αε) rows, so that the theorem says nothing."""
    excluded = case["k"] * case["d"] * _LN_2 / (ONE_IN * case["alpha"] * exact(case["epsilon"]))
    return None if case["m"] <= excluded else f"{case['m']} rows are more than {excluded}"


def allows_one_half(case: Parameters) -> str | None:
    """Whether a success of 1/2 is forced away."""
    return (
        None if forced_barely_apart(case) < Fraction(1, 2) else f"a success of {forced_barely_apart(case)} is allowed"
    )


_TENTH: Final = Fraction(1, 10)
_OF_POINTS: Final = {"d": 3, "k": 1, "m": 4, "alpha": _TENTH, "epsilon": Fraction(1, 8)}

theorem_6 = LowerBound(
    id="BNS-X-Thm6.lower-bound.rows",
    source=f"{_BNS_X}, Theorem 6, an order, by the class k-POINT_d and the packing of the journal version's Lemma 5.7",
    statement="there is a class, k-POINT_d, for which every sanitizer that is α-close with probability ≥ 1/2 has more "
    f"than VC·ln|X|/({ONE_IN}·αε) rows, for α ≤ 1/8 and ε ≤ 1: with so many it is α-close with probability "
    "1/(1 + (|B| − 1)·e^(−εs)) at most, s the least multiple of k above 4αm; on eight points, and for all k and d with "
    "2^d − 1 ≥ (4e²k)² by BNS-X-Thm6.step; the constant is ours",
    cases=[
        _OF_POINTS,
        {**_OF_POINTS, "k": 3, "m": 8, "alpha": Fraction(1, 8)},
        {**_OF_POINTS, "k": 3, "alpha": Fraction(1, 100), "epsilon": Fraction(1, 4)},
    ],
    instance=k_points_barely_apart,
    properties={
        "there are as few rows as the theorem excludes": more_rows_than_excluded,
        "no two sets share more than k/2 points": shares_too_many,
        "no estimate is close to two of the databases": lambda case: none_close_to_two(
            barely_apart(case), point_sets(case["d"], case["k"]), case["alpha"]
        ),
        "1/2 is not reached": allows_one_half,
    },
    forced=forced_barely_apart,
    least=lambda case: floor(case["k"] * case["d"] * _LN_2 / (ONE_IN * case["alpha"] * exact(case["epsilon"]))) + 1,
    mutants=(
        Broken("a tenth less is forced", {"forced": a_tenth_less(forced_barely_apart)}),
        Broken(
            "half as many entries are moved",
            {"instance": partial(k_points_barely_apart, moved=lambda case: least_moved(case) // 2), "properties": {}},
        ),
        Broken("α = 1/6, with as many rows", {"cases": ({**_OF_POINTS, "alpha": Fraction(1, 6)},)}),
        Broken("the distances are left out", {"instance": lambda case: k_points_barely_apart(case).unrelated}),
    ),
)
