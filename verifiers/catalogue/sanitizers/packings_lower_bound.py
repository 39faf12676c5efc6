"""Lower bounds to the rows of private sanitizers, by packings of databases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import combinations
from math import ceil
from typing import Any, Final

from dpverify.mechanisms.exact.elementary import exp, log
from dpverify.mechanisms.exact.exact_numbers import Exact, exact
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.laws.enumerator import distribution
from dpverify.mechanisms.sanitizers.concepts import Concept, Point
from dpverify.mechanisms.sanitizers.packings import (
    Estimate,
    estimates,
    is_close,
    moved_from_the_first,
    shared_estimate,
    shares,
    told_apart,
)
from dpverify.mechanisms.sanitizers.point_sets import concentrated, greedy_family, point_sets, too_near
from dpverify.mechanisms.sanitizers.small_databases import small_database
from dpverify.mechanisms.selection.packing_bound import packing_bound, replaced_at_random, steps_forced
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue.refuted import degenerate, of_the_statement, proof_step
from dpverify.verifiers.lower_bounds.claim import Broken, Law, LowerBound, Parameters, a_tenth_less
from dpverify.verifiers.lower_bounds.instance import HardInstance, rows_replaced

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"


# Lemma 4.15: S_i of (1 − 3α)m entries x_1 and 3αm entries x_i.


def points(case: Parameters) -> tuple[Concept, ...]:
    """The class of points on K points, whose effective size is K."""
    return tuple(map(Point, range(case["points"])))


def moved(case: Parameters, times: int = 3) -> int:
    """3αm, a whole number in every case."""
    return int(times * case["alpha"] * case["m"])


def packed(case: Parameters, times: int = 3) -> tuple[tuple[int, ...], ...]:
    """The databases S_i."""
    chosen = told_apart(range(case["points"]), points(case))
    return moved_from_the_first(chosen, rows=case["m"], moved=moved(case, times))


def sanitizing(databases: Sequence[tuple[int, ...]], concepts: Sequence[Concept], alpha: Fraction) -> HardInstance:
    """To answer with an estimate that is α-close to the database: any at all, by a sanitizer proper or improper."""
    truth = {rows: shares(rows, concepts) for rows in databases}
    return HardInstance(
        databases=databases,
        outcomes=estimates(tuple(truth.values()), alpha),
        succeeds=lambda rows, estimate: is_close(estimate, truth[rows], alpha),
    )


def packing(case: Parameters, times: int = 3) -> HardInstance:
    """The instance of the proof."""
    return sanitizing(packed(case, times), points(case), case["alpha"])


def none_close_to_two(databases: Sequence[tuple[int, ...]], concepts: Sequence[Concept], alpha: Fraction) -> str | None:
    """Whether the sets of estimates that are α-close to a database are disjoint."""
    pair = shared_estimate([shares(rows, concepts) for rows in databases], alpha)
    return (
        None if pair is None else f"one estimate is {alpha}-close to both {databases[pair[0]]} and {databases[pair[1]]}"
    )


def law_of_small_databases(case: Parameters, size: int = 2) -> Law:
    """The sanitizer of Blum, Ligett & Roth, and what its database answers to each concept."""
    concepts = points(case)
    return estimating(
        partial(
            distribution,
            small_database,
            universe=tuple(range(case["points"])),
            concepts=concepts,
            size=size,
            epsilon=case["epsilon"],
        ),
        concepts,
    )


def estimating(sanitizer: Callable[[Any], Distribution[Any]], concepts: Sequence[Concept]) -> Law:
    """The estimates that follow from a sanitized database: its shares of the concepts."""

    def law(rows: Any) -> Distribution[Estimate]:
        chances: dict[Estimate, Any] = {}
        for sanitized, probability in sanitizer(rows).probabilities.items():
            estimate = shares(sanitized, concepts)
            chances[estimate] = chances.get(estimate, 0) + probability
        return Distribution(chances)

    return law


def forced_by_packing(case: Parameters) -> Any:
    """(X_C − 1)·e^(−3εαm)·s ≤ 1 − s."""
    return packing_bound(case["points"], moved(case), case["epsilon"])


def rows_forced(case: Parameters) -> int:
    """The least m with which 3αm steps let a success of 1 − β pass."""
    alpha: Fraction = case["alpha"]
    return ceil(steps_forced(case["points"], beta=case["beta"], epsilon=case["epsilon"]) / (3 * alpha))


packed_databases = LowerBound(
    id="BNS-J-4.15.lower-bound.packing",
    source=f"{_BNS}, Lemma 4.15 and its proof",
    statement="on databases S_i that differ in 3αm entries an ε-private sanitizer, proper or improper, is α-close with "
    "probability 1/(1 + (X_C − 1)·e^(−3εαm)) at most; so m ≥ ln((X_C − 1)(1 − β)/β)/(3εα)",
    cases=[
        {"points": k, "m": m, "alpha": Fraction(1, 6), "epsilon": Fraction(1, 2), "beta": Fraction(1, 10)}
        for k, m in ((2, 6), (4, 6), (8, 6), (8, 12), (8, 18))
    ],
    instance=packing,
    properties={
        "no estimate is close to two of the databases": lambda case: none_close_to_two(
            packed(case), points(case), case["alpha"]
        ),
    },
    forced=forced_by_packing,
    mechanisms={"small database": law_of_small_databases},
    least=rows_forced,
    mutants=(
        Broken("a tenth less is forced", {"forced": a_tenth_less(forced_by_packing)}),
        Broken("2αm entries are moved", {"instance": partial(packing, times=2), "properties": {}}),
        Broken(
            "estimates are 2α-close",
            {"instance": lambda case: sanitizing(packed(case), points(case), 2 * case["alpha"])},
        ),
        Broken("the distances are left out", {"instance": lambda case: packing(case).unrelated}),
    ),
)


everything_is_close = LowerBound(
    id="BNS-J-4.15.lower-bound.letter",
    source=f"{_BNS}, Lemma 4.15",
    statement="every (α, β, ε, m)-sanitizer has m = Ω((log X_C + log(1/β))/(εα)), whatever α is",
    cases=[{"points": 4, "m": 1, "alpha": Fraction(1, 2), "epsilon": 0, "beta": Fraction(1, 10)}],
    instance=lambda case: sanitizing([(x,) for x in range(case["points"])], points(case), case["alpha"]),
    forced=lambda case: 1 - case["beta"],
    strict=True,
    expected=Status.REFUTED,
    refutation=degenerate(
        "The estimate 1/2 of every concept is 1/2-close to every database, with ε = 0 and one row; the proof moves 3αm "
        "of m entries, which takes α ≤ 1/3. It fails at α = 1/2, at every ε, so that no ε is a boundary."
    ),
)


# Theorem 2.20: sets of m of 2m points, for the class of all their subsets, of VC dimension 2m.


@dataclass(frozen=True)
class Subset:
    """c(x) = 1 exactly for x in the subset."""

    members: frozenset[int]

    def __call__(self, x: int) -> int:
        """The label of x."""
        return int(x in self.members)


def all_subsets(vc: int) -> tuple[Concept, ...]:
    """All concepts on VC points."""
    return tuple(Subset(frozenset(s)) for size in range(vc + 1) for s in combinations(range(vc), size))


def halves(case: Parameters) -> tuple[tuple[int, ...], ...]:
    """The databases of m distinct points, for m = VC/2."""
    return tuple(combinations(range(2 * case["m"]), case["m"]))


def half_of_the_points(case: Parameters) -> HardInstance:
    """To be α-close for all subsets; the order of rows does not matter."""
    return replace(
        sanitizing(halves(case), all_subsets(2 * case["m"]), case["alpha"]),
        distance=rows_replaced,
    )


def sanitizing_halves(case: Parameters) -> Law:
    """The sanitizer of Blum, Ligett & Roth, with as many rows as there are."""
    concepts = all_subsets(2 * case["m"])
    return estimating(
        partial(
            distribution,
            small_database,
            universe=tuple(range(2 * case["m"])),
            concepts=concepts,
            size=case["m"],
            epsilon=case["epsilon"],
        ),
        concepts,
    )


def none_close_to_two_halves(case: Parameters) -> str | None:
    """Whether the sets of estimates that are α-close are disjoint: two sets of points differ by 1/m of the rows."""
    return none_close_to_two(halves(case), all_subsets(2 * case["m"]), case["alpha"])


def alpha_excluded(case: Parameters) -> str | None:
    """Whether α < 1/(4 + 16ε), so that Theorem 2.20 says that there is no sanitizer."""
    least = 1 / (4 + 16 * exact(case["epsilon"]))
    if case["alpha"] < least:
        return None
    return f"Theorem 2.20 gives α ≥ {least}, which is no contradiction to α = {case['alpha']}"


def forced_on_halves(case: Parameters) -> Exact:
    """e^ε/((1 + e^ε)(1 − α))."""
    return replaced_at_random(case["m"], case["epsilon"], case["alpha"])


_LN_2: Final = log(2)

blum_printed = LowerBound(
    id="BNS-J-2.20.lower-bound.printed",
    source=f"{_BNS}, Theorem 2.20, after Blum et al.",
    statement="for m ≤ VC(C)/2, any β bounded away from 1 and ε ≤ 1, no (α, β, ε, m)-sanitizer has α < 1/(4 + 16ε)",
    cases=[{"m": 1, "alpha": Fraction(1, 21), "epsilon": 1, "beta": Fraction(1, 2)}],
    instance=half_of_the_points,
    properties={"α is excluded": alpha_excluded},
    forced=lambda case: 1 - case["beta"],
    strict=True,
    mechanisms={"small database": sanitizing_halves},
    expected=Status.REFUTED,
    refutation=of_the_statement(
        "The class of all subsets of 2 points has VC = 2, and one row is told truly with probability e^ε/(1 + e^ε), "
        "which is α-close for every α. To be as rare as 1/(1 + e^ε) a failure needs no more, and β may be 1/2. What is "
        "forced depends on β (BNS-J-2.20.lower-bound.corrected), or on a large VC, for which nobody asks."
    ),
)

blum_corrected = LowerBound(
    id="BNS-J-2.20.lower-bound.corrected",
    source=f"{_BNS}, Theorem 2.20, with β",
    statement="for the class of all subsets of 2m points no ε-private sanitizer is α-close with a probability above "
    "e^ε/((1 + e^ε)(1 − α)): α ≥ (1/(1 + e^ε) − β)/(1 − β), which is above 1/(4 + 16ε) for ε ≤ 1 and β ≤ 1/5",
    cases=[
        {"m": 1, "alpha": Fraction(1, 21), "epsilon": 1},
        {"m": 1, "alpha": Fraction(1, 1000), "epsilon": 1},
        {"m": 2, "alpha": Fraction(1, 21), "epsilon": 1},
        {"m": 3, "alpha": Fraction(1, 16), "epsilon": _LN_2},
    ],
    instance=half_of_the_points,
    properties={
        "α is excluded": alpha_excluded,
        "no estimate is close to two of the databases": none_close_to_two_halves,
        "it implies 1/(4 + 16ε) for β ≤ 1/5": lambda case: (
            None
            if (1 / (1 + exp(case["epsilon"])) - Fraction(1, 5)) / Fraction(4, 5)
            >= 1 / (4 + 16 * exact(case["epsilon"]))
            else "it does not"
        ),
    },
    forced=forced_on_halves,
    mechanisms={"small database": sanitizing_halves},
    mutants=(
        Broken("a tenth less is forced", {"forced": a_tenth_less(forced_on_halves)}),
        Broken("α = 1/10 at ε = 1", {"cases": ({"m": 1, "alpha": Fraction(1, 10), "epsilon": 1},)}),
        Broken("the distances are left out", {"instance": lambda case: half_of_the_points(case).unrelated}),
    ),
)

immediate = LowerBound(
    id="BNS-J-4.16.lower-bound.immediate",
    source=f"{_BNS}, Theorem 4.16, its proof",
    statement="that an (1/8, 1/8, 1/2, m)-sanitizer has m = Ω(VC(C)) is immediate from Theorem 2.20",
    cases=[{"alpha": Fraction(1, 8), "beta": Fraction(1, 8), "epsilon": Fraction(1, 2)}],
    properties={"Theorem 2.20 excludes the α": alpha_excluded},
    forced=lambda case: 1 - case["beta"],
    expected=Status.REFUTED,
    refutation=proof_step(
        "With ε = 1/2 Theorem 2.20 gives α ≥ 1/12, and the α of the theorem is 1/8: it takes ε < 1/4. On the class "
        "of all subsets the statement stands, by BNS-J-4.16.lower-bound.corrected."
    ),
)

general = LowerBound(
    id="BNS-J-4.16.lower-bound.corrected",
    source=f"{_BNS}, Theorem 4.16, by BNS-J-2.20.lower-bound.corrected",
    statement="a 1/2-private sanitizer on m ≤ VC/2 rows is 1/8-close with a probability below 7/8, for the class of "
    "all subsets of VC points: the (1/8, 1/8, 1/2, m)-sanitizer has m > VC/2",
    cases=[{"m": m, "alpha": Fraction(1, 8), "beta": Fraction(1, 8), "epsilon": Fraction(1, 2)} for m in (1, 2)],
    instance=half_of_the_points,
    properties={
        "less than 1 − β is forced": lambda case: (
            None if forced_on_halves(case) < 1 - case["beta"] else f"only {forced_on_halves(case)} is forced"
        ),
        "no estimate is close to two of the databases": none_close_to_two_halves,
    },
    forced=forced_on_halves,
    mechanisms={"small database": sanitizing_halves},
    mutants=(
        Broken("two tenths less are forced", {"forced": a_tenth_less(a_tenth_less(forced_on_halves))}),
        Broken(
            "ε = 2",
            {"cases": ({"m": 1, "alpha": Fraction(1, 8), "beta": Fraction(1, 8), "epsilon": 2},)},
        ),
    ),
)


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
