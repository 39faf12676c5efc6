"""Lower bounds to the rows of private sanitizers, by sets of half of the points: Theorems 2.20 and 4.16.

On the class of Section 4.4 Theorem 4.16 is the best there is: all subsets of n points, and points beside them. Its VC
dimension is n and its effective size is 2^d. What is forced by one of them is forced of the class as a whole, so that m
is at least half of what both add up to.
"""

from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from itertools import combinations
from typing import Any, Final

from dpverify.mechanisms import Draw, Exact, distribution, exact, exp, log
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.sanitizers.concepts import Concept
from dpverify.mechanisms.sanitizers.packings import EstimatedShares, moved_from_the_first, shares, told_apart
from dpverify.mechanisms.sanitizers.two_parts import Subset, left_concepts, right_concepts, sanitize_two_parts
from dpverify.mechanisms.selection.packing_bound import packing_bound, replaced_at_random
from dpverify.verifiers.catalogue.families import BNS
from dpverify.verifiers.catalogue.sanitizers.estimating import DISJOINT, Estimation, forces_less, moved, rows_forced
from dpverify.verifiers.lower_bounds.family import (
    BoundFamily,
    a_tenth_too_little,
    on_cases,
    two_tenths_too_little,
    without_distances,
)
from dpverify.verifiers.lower_bounds.instance import rows_replaced
from dpverify.verifiers.lower_bounds.statement import Broken, Law, Parameters

_LN_2: Final = log(2)


# Theorem 2.20: sets of m of 2m points, for the class of all their subsets, of VC dimension 2m.
def all_subsets(case: Parameters) -> tuple[Concept, ...]:
    """All concepts on 2m points."""
    vc = 2 * case["m"]
    return tuple(Subset(frozenset(s)) for size in range(vc + 1) for s in combinations(range(vc), size))


halves = Estimation(lambda case: tuple(combinations(range(2 * case["m"]), case["m"])), all_subsets, rows_replaced)


def alpha_excluded(case: Parameters) -> str | None:
    """None where α < 1/(4 + 16ε), so that Theorem 2.20 excludes a sanitizer; otherwise the least α by it."""
    least = 1 / (4 + 16 * exact(case["epsilon"]))
    if case["alpha"] < least:
        return None
    return f"Theorem 2.20 gives α ≥ {least}, which is no contradiction to α = {case['alpha']}"


def forced_on_halves(case: Parameters) -> Exact:
    """e^ε/((1 + e^ε)(1 − α))."""
    return replaced_at_random(case["m"], case["epsilon"], case["alpha"])


def implies_the_bound(case: Parameters) -> str | None:
    """None where (1/(1 + e^ε) − β)/(1 − β) ≥ 1/(4 + 16ε) for β ≤ 1/5; otherwise words that say so."""
    least = (1 / (1 + exp(case["epsilon"])) - Fraction(1, 5)) / Fraction(4, 5)
    return None if least >= 1 / (4 + 16 * exact(case["epsilon"])) else "it does not"


def of_half(m: int, alpha: Fraction, epsilon: ExactLike, **beta: Fraction) -> dict[str, Any]:
    """m rows of 2m points."""
    return {"m": m, "alpha": alpha, "epsilon": epsilon, **beta}


_21ST: Final = Fraction(1, 21)
_EXCLUDED: Final = {"α is excluded": alpha_excluded}
_DISJOINT: Final = {DISJOINT: halves.close_to_two}
_BY_BLR: Final = {"small database": lambda case: halves.by_small_database(case, 2 * case["m"], case["m"])}
_ONE_ROW: Final = {"m": 1, "alpha": _21ST, "beta": Fraction(1, 2), "epsilon": 1}
_BLUM: Final = f"{BNS}, Theorem 2.20, after Blum et al."
by_beta = BoundFamily(lambda case: 1 - case["beta"], halves, {**_EXCLUDED, **_DISJOINT}, _BY_BLR, strict=True)
by_replacing = BoundFamily(forced_on_halves, halves, {}, _BY_BLR)
blum_printed = replace(by_beta, properties=_EXCLUDED)(
    "BNS-J-2.20.lower-bound.printed",
    _BLUM,
    "for m ≤ VC(C)/2, any β bounded away from 1 and ε ≤ 1, no (α, β, ε, m)-sanitizer has α < 1/(4 + 16ε)",
    [_ONE_ROW],
    degenerate="The class of all subsets of 2 points has VC = 2, and one row is told truly with probability e^ε/(1 + "
    "e^ε), 0.73 here, which is α-close for every α; so it is for β > 1/(1 + e^ε), at every ε, and no ε is a boundary. "
    "With four points or six the same β stands (BNS-J-2.20.lower-bound.more-points); for two of them β is to be "
    "smaller (BNS-J-2.20.lower-bound.corrected).",
)
blum_of_more_points = by_beta(
    "BNS-J-2.20.lower-bound.more-points",
    f"{_BLUM}, for VC = 4 and 6",
    "for all subsets of 2m points, m = 2 and 3, and β = 1/2, no (α, β, ε, m)-sanitizer has α < 1/(4 + 16ε)",
    [of_half(m, _21ST, epsilon, beta=Fraction(1, 2)) for m in (2, 3) for epsilon in (1, _LN_2)],
    on_cases("one row of two points", _ONE_ROW),
    without_distances,
)
blum_of_large_beta = by_beta(
    "BNS-J-2.20.lower-bound.large-beta",
    f"{_BLUM}, for VC = 4 and a β that is nearer to 1",
    "for all subsets of four points, two rows and β = 9/10, no (α, β, ε, m)-sanitizer has α < 1/(4 + 16ε)",
    [of_half(2, a, epsilon, beta=Fraction(9, 10)) for a, epsilon in ((Fraction(1, 5), Fraction(1, 100)), (_21ST, 1))],
    degenerate="One of the ten multisets of two of four points, drawn without a look at the data, is the right one "
    "with probability 1/10 = 1 − β, and no ε is a boundary: a β below 1 is not enough. With β = 1/2 it stands "
    "(BNS-J-2.20.lower-bound.more-points), with β ≤ 1/5 for every m (BNS-J-2.20.lower-bound.corrected).",
)
blum_corrected = replace(
    by_replacing, properties={**_EXCLUDED, **_DISJOINT, "it implies 1/(4 + 16ε) for β ≤ 1/5": implies_the_bound}
)(
    "BNS-J-2.20.lower-bound.corrected",
    f"{BNS}, Theorem 2.20, with β",
    "for the class of all subsets of 2m points no ε-private sanitizer is α-close with a probability above "
    "e^ε/((1 + e^ε)(1 − α)): α ≥ (1/(1 + e^ε) − β)/(1 − β), which is above 1/(4 + 16ε) for ε ≤ 1 and β ≤ 1/5",
    [of_half(1, _21ST, 1), of_half(1, Fraction(1, 1000), 1), of_half(2, _21ST, 1), of_half(3, Fraction(1, 16), _LN_2)],
    a_tenth_too_little,
    on_cases("α = 1/10 at ε = 1", of_half(1, Fraction(1, 10), 1)),
    without_distances,
)

# Theorem 4.16.
_SANITIZER: Final[dict[str, Any]] = {"alpha": Fraction(1, 8), "beta": Fraction(1, 8), "epsilon": Fraction(1, 2)}
_LESS: Final = "less than 1 − β is forced"
immediate = BoundFamily(lambda case: 1 - case["beta"], properties={"Theorem 2.20 excludes the α": alpha_excluded})(
    "BNS-J-4.16.lower-bound.immediate",
    f"{BNS}, Theorem 4.16, its proof",
    "that an (1/8, 1/8, 1/2, m)-sanitizer has m = Ω(VC(C)) is immediate from Theorem 2.20",
    [_SANITIZER],
    proof_step="With ε = 1/2 Theorem 2.20 gives α ≥ 1/12, and the α of the theorem is 1/8: it takes ε < 1/4. On the "
    "class of all subsets the statement stands, by BNS-J-4.16.lower-bound.corrected.",
)
general = replace(by_replacing, properties={_LESS: forces_less(forced_on_halves), **_DISJOINT})(
    "BNS-J-4.16.lower-bound.corrected",
    f"{BNS}, Theorem 4.16, by BNS-J-2.20.lower-bound.corrected",
    "a 1/2-private sanitizer on m ≤ VC/2 rows is 1/8-close with a probability below 7/8, for the class of "
    "all subsets of VC points: the (1/8, 1/8, 1/2, m)-sanitizer has m > VC/2",
    [{"m": m, **_SANITIZER} for m in (1, 2)],
    two_tenths_too_little,
    on_cases("ε = 2", {"m": 1, **_SANITIZER, "epsilon": 2}),
)


# The class of Section 4.4.
def both_kinds(case: Parameters) -> tuple[Concept, ...]:
    """C_L ∪ C_R."""
    return (*left_concepts(case["left"]), *right_concepts(case["d"], case["left"]))


def two_small_databases(case: Parameters) -> Law:
    """The sanitizer of the section: databases of two rows and of one, at ε/2 each, and what they answer."""
    of_left = cache(partial(shares, concepts=left_concepts(case["left"])))
    of_right = cache(partial(shares, concepts=right_concepts(case["d"], case["left"])))
    given = {name: case[name] for name in ("d", "left", "epsilon")}

    def estimate(draw: Draw, rows: tuple[int, ...]) -> EstimatedShares:
        left, right = draw(sanitize_two_parts, rows, sizes=(2, 1), **given)
        return of_left(left) + of_right(right)

    return partial(distribution, estimate)


def size_is_all_points(case: Parameters) -> str | None:
    """None where X_C = 2^d, as concepts tell all points apart; otherwise X_C."""
    size = len(told_apart(range(1 << case["d"]), both_kinds(case)))
    return None if size == 1 << case["d"] else f"X_C is {size}"


# VC(C) = n: databases of m = n/2 distinct points of the left ones.
def forced_on_the_left(case: Parameters) -> Exact:
    """e^ε/((1 + e^ε)(1 − α))."""
    return forced_on_halves({**case, "m": case["left"] // 2})


_SECTION: Final = f"{BNS}, Section 4.4, after Theorem 4.16"
_BY_TWO: Final = {"two small databases": two_small_databases}
half_of_the_left = Estimation(
    lambda case: tuple(combinations(range(case["left"]), case["left"] // 2)), both_kinds, rows_replaced
)
by_dimension = BoundFamily(
    forced_on_the_left,
    half_of_the_left,
    {_LESS: forces_less(forced_on_the_left), DISJOINT: half_of_the_left.close_to_two},
    _BY_TWO,
)(
    "BNS-J-4.16.lower-bound.two-kinds-dimension",
    _SECTION,
    "a (1/8, 1/8, 1/2, m)-sanitizer for C_L ∪ C_R has m > n/2, where C_L shatters n points: on m = n/2 "
    "rows it is 1/8-close with a probability of at most e^ε/((1 + e^ε)·7/8), which is below 7/8",
    [{**_SANITIZER, "left": left, "d": left + 1} for left in (2, 4)],
    two_tenths_too_little,
    without_distances,
)

# X_C = 2^d: the databases S_i of Lemma 4.15, of which 3αm rows are moved from one point to another, left or right.
moved_rows = Estimation(lambda it: moved_from_the_first(range(1 << it["d"]), rows=it["m"], moved=moved(it)), both_kinds)
by_effective_size = BoundFamily(
    lambda case: packing_bound(1 << case["d"], moved(case), case["epsilon"]),  # (2^d − 1)·e^(−3εαm)·s ≤ 1 − s
    moved_rows,
    {"the effective size is 2^d": size_is_all_points, DISJOINT: moved_rows.close_to_two},
    _BY_TWO,
    least=lambda case: rows_forced(case, 1 << case["d"]),
)(
    "BNS-J-4.16.lower-bound.two-kinds-effective-size",
    f"{_SECTION}, by Lemma 4.15",
    "a (1/8, 1/8, 1/2, m)-sanitizer for C_L ∪ C_R over [0, 2^d) has m ≥ (16/3)·ln(7·(2^d − 1)), whatever n "
    "is: on databases that differ in 3m/8 rows it is 1/8-close with probability 1/(1 + (2^d − 1)·e^(−3m/16)) at most",
    [{**_SANITIZER, "left": left, "d": d, "m": m} for left, d, m in ((1, 2, 8), (1, 3, 8), (2, 3, 8), (2, 3, 16))],
    a_tenth_too_little,
    Broken("estimates are 2α-close", {"instance": partial(moved_rows, times=2)}),
    without_distances,
)
