"""Lower bounds to the rows of private sanitizers, by packings of databases: for any class, and for sets of k points."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import floor
from typing import Final

from dpverify.mechanisms import Exact, exact, log
from dpverify.mechanisms.sanitizers.concepts import Concept, Point
from dpverify.mechanisms.sanitizers.packings import moved_from_the_first, told_apart
from dpverify.mechanisms.sanitizers.point_sets import concentrated, greedy_family, point_sets, too_near
from dpverify.mechanisms.selection.packing_bound import packing_bound
from dpverify.verifiers.catalogue.families import BNS, HALF, QUARTER, TENTH
from dpverify.verifiers.catalogue.sanitizers.estimating import DISJOINT, Estimation, moved, rows_forced
from dpverify.verifiers.lower_bounds.claim import LowerBound
from dpverify.verifiers.lower_bounds.family import BoundFamily, Broken, a_tenth_too_little, on_cases, without_distances
from dpverify.verifiers.lower_bounds.instance import rows_replaced
from dpverify.verifiers.lower_bounds.statement import Parameters

_LN_2: Final = log(2)


# Lemma 4.15: S_i of (1 − 3α)m entries x_1 and 3αm entries x_i.
def points(case: Parameters) -> tuple[Concept, ...]:
    """The class of points on K points, whose effective size is K."""
    return tuple(map(Point, range(case["points"])))


def packed(case: Parameters, times: int = 3) -> tuple[tuple[int, ...], ...]:
    """The databases S_i."""
    chosen = told_apart(range(case["points"]), points(case))
    return moved_from_the_first(chosen, rows=case["m"], moved=moved(case, times))


packing = Estimation(packed, points)
packed_databases = BoundFamily(
    lambda case: packing_bound(case["points"], moved(case), case["epsilon"]),  # (X_C − 1)·e^(−3εαm)·s ≤ 1 − s
    packing,
    {DISJOINT: packing.close_to_two},
    {"small database": lambda case: packing.by_small_database(case, case["points"], 2)},
    least=lambda case: rows_forced(case, case["points"]),
)(
    "BNS-J-4.15.lower-bound.packing",
    f"{BNS}, Lemma 4.15 and its proof",
    "on databases S_i that differ in 3αm entries an ε-private sanitizer, proper or improper, is α-close with "
    "probability 1/(1 + (X_C − 1)·e^(−3εαm)) at most; so m ≥ ln((X_C − 1)(1 − β)/β)/(3εα)",
    [
        {"points": k, "m": m, "alpha": Fraction(1, 6), "epsilon": HALF, "beta": TENTH}
        for k, m in ((2, 6), (4, 6), (8, 6), (8, 12), (8, 18))
    ],
    a_tenth_too_little,
    Broken("2αm entries are moved", {"instance": Estimation(partial(packed, times=2), points), "properties": {}}),
    Broken("estimates are 2α-close", {"instance": partial(packing, times=2)}),
    without_distances,
)
one_row: Final = BoundFamily(
    lambda case: 1 - case["beta"], Estimation(lambda case: [(x,) for x in range(case["points"])], points), strict=True
)
_EVERY: Final = "every (α, β, ε, m)-sanitizer has m = Ω((log X_C + log(1/β))/(εα)), whatever"


def _at_the_end(end: str, says: str, at: tuple[int, Fraction, int, Fraction], why: str) -> LowerBound:
    """Lemma 4.15 on one row, which it says is too few for α and β of k points."""
    case = dict(zip(("points", "m", "alpha", "epsilon", "beta"), (at[0], 1, *at[1:]), strict=True))
    return one_row(f"BNS-J-4.15.lower-bound.{end}", f"{BNS}, Lemma 4.15", f"{_EVERY} {says}", [case], degenerate=why)


AT_THE_ENDS: Final = [
    _at_the_end(
        "letter",
        "α is",
        (4, HALF, 0, TENTH),
        "The estimate 1/2 of every concept is 1/2-close to every database, with ε = 0 and one row; the proof "
        "moves 3αm of m entries, which takes α ≤ 1/3. It fails at α = 1/2, at every ε, so that no ε is a boundary.",
    ),
    _at_the_end(
        "finer-than-a-row",
        "α is, below 1/m too; two points, ε = 2, one row",
        (2, Fraction(1, 10**9), 2, QUARTER),
        "The proof moves 3αm entries, as if that were a whole number above 0. For α < 1/m only the database itself is "
        "close, and the row is told truly with probability e²/(1 + e²) = 0.88. There is no boundary in ε alone: it is "
        "where e^ε reaches (X_C − 1)(1 − β)/β, here 3, and below it no m < 1/α is enough.",
    ),
    _at_the_end(
        "one-point",
        "X_C is, X_C = 1 too",
        (1, QUARTER, 0, TENTH),
        "All databases of one row are the same, and log(1/β) is left, so that no ε is a boundary.",
    ),
    _at_the_end(
        "half",
        "β is, β = 1/2 too",
        (2, QUARTER, 0, HALF),
        "A coin tells which of two points the row is with probability 1/2, so that no ε is a boundary.",
    ),
]


# Theorems 5.9 and 5.10: sets of k points, of which no two share more than k/2; the order of rows does not matter.
def k_points(moved: Callable[[Parameters], int]) -> Estimation:
    """S_A: entries 0, and so many spread over A, for each A of the family of the proof of Lemma 5.7."""
    return Estimation(
        lambda case: [concentrated(a, rows=case["m"], moved=moved(case)) for a in greedy_family(case["d"], case["k"])],
        lambda case: point_sets(case["d"], case["k"]),
        rows_replaced,
    )


def shares_too_many(case: Parameters) -> str | None:
    """Two sets of the family that share more than k/2 points; None where no two do."""
    pair = too_near(greedy_family(case["d"], case["k"]))
    return None if pair is None else f"{pair[0]} and {pair[1]}"


NOT_TOO_NEAR: Final = {"no two sets share more than k/2 points": shares_too_many}


def forced_where(moved: Callable[[Parameters], int]) -> Callable[[Parameters], Exact]:
    """1/(1 + (|B| − 1)·e^(−εs)) for s entries that differ."""
    return lambda case: packing_bound(len(greedy_family(case["d"], case["k"])), moved(case), case["epsilon"])


five_alpha = partial(moved, times=5)
spread = k_points(five_alpha)
_SINGLE: Final = {"d": 3, "k": 1, "m": 4, "alpha": TENTH, "epsilon": _LN_2}
direct = BoundFamily(
    forced_where(five_alpha),
    spread,
    {**NOT_TOO_NEAR, DISJOINT: spread.close_to_two},
    # with as many rows as there are: for more points than one it has too many to list
    {"small database": lambda it: spread.by_small_database(it, 1 << it["d"], it["m"]) if it["k"] == 1 else None},
)(
    "BNS-J-5.9.lower-bound.direct",
    f"{BNS}, Theorems 5.9 and 5.10, by a packing of databases and not by way of learners",
    "for α ≤ 1/5 no ε-private sanitizer for k-POINT_d is α-close with a probability above "
    "1/(1 + (|B| − 1)·e^(−5εαm)), for a family B of sets that share k/2 points at most: m = Ω(kd/(εα)), which Theorem "
    "5.9 states without the α, and Theorem 5.10 for labelled points",
    [{**_SINGLE, "k": 2}, {**_SINGLE, "k": 2, "epsilon": 2 * _LN_2}, {**_SINGLE, "k": 3, "m": 6}, _SINGLE],
    lambda family: on_cases("a tenth less is forced, of single points", _SINGLE, **a_tenth_too_little(family).fields),
    without_distances,
)


# Theorem 6 of the extended abstract, which has the α: no more entries are moved than keep the databases apart.
def least_moved(case: Parameters) -> int:
    """The least multiple of k above 4αm: two sets share k/2 points at most, so that shares are more than 2α apart."""
    k, m, alpha = case["k"], case["m"], case["alpha"]
    return int(k * (floor(4 * alpha * m / k) + 1))


ONE_IN: Final = 40
"""The divisor of k·ln|X|/(αε): with fewer rows there is no sanitizer (the steps BNS-X-Thm6.step)."""


def excluded(case: Parameters) -> Exact:
    """k·ln|X|/(40αε) rows, up to which the theorem says that there is no sanitizer."""
    rows: Exact = case["k"] * case["d"] * _LN_2 / (ONE_IN * case["alpha"] * exact(case["epsilon"]))
    return rows


barely_apart = k_points(least_moved)
forced_barely_apart = forced_where(least_moved)
_OF_POINTS: Final = {**_SINGLE, "epsilon": Fraction(1, 8)}
theorem_6 = BoundFamily(
    forced_barely_apart,
    barely_apart,
    {
        "there are as few rows as the theorem excludes": lambda case: (
            None if case["m"] <= excluded(case) else f"{case['m']} rows are more than {excluded(case)}"
        ),
        **NOT_TOO_NEAR,
        DISJOINT: barely_apart.close_to_two,
        "1/2 is not reached": lambda case: (
            None if forced_barely_apart(case) < HALF else f"a success of {forced_barely_apart(case)} is allowed"
        ),
    },
    least=lambda case: floor(excluded(case)) + 1,
)(
    "BNS-X-Thm6.lower-bound.rows",
    "Beimel, Nissim & Stemmer, extended abstract, Theorem 6, an order, by the class k-POINT_d and the packing of the "
    "journal version's Lemma 5.7",
    "there is a class, k-POINT_d, for which every sanitizer that is α-close with probability ≥ 1/2 has more "
    f"than VC·ln|X|/({ONE_IN}·αε) rows, for α ≤ 1/8 and ε ≤ 1: with so many it is α-close with probability "
    "1/(1 + (|B| − 1)·e^(−εs)) at most, s the least multiple of k above 4αm; on eight points, and for all k and d with "
    "2^d − 1 ≥ (4e²k)² by BNS-X-Thm6.step; the constant is ours",
    [
        _OF_POINTS,
        {**_OF_POINTS, "k": 3, "m": 8, "alpha": Fraction(1, 8)},
        {**_OF_POINTS, "k": 3, "alpha": Fraction(1, 100), "epsilon": Fraction(1, 4)},
    ],
    a_tenth_too_little,
    Broken("half as many entries are moved", {"instance": k_points(lambda it: least_moved(it) // 2), "properties": {}}),
    on_cases("α = 1/6, with as many rows", {**_OF_POINTS, "alpha": Fraction(1, 6)}),
    without_distances,
)
