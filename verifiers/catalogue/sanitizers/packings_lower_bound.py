"""Lower bounds to the rows of private sanitizers, by packings of databases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any, Final

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
from dpverify.mechanisms.sanitizers.small_databases import small_database
from dpverify.mechanisms.selection.packing_bound import packing_bound, steps_forced
from dpverify.verifiers.lower_bounds.claim import Broken, Law, LowerBound, Parameters, a_tenth_less
from dpverify.verifiers.lower_bounds.instance import HardInstance

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
        Broken("the distances are left out", {"instance": lambda case: packing(case).unrelated}),
    ),
)
