"""Lower bounds to the rows of private sanitizers, by packings of databases."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any, Final

from dpverify.mechanisms.drawing.enumerator import distribution
from dpverify.mechanisms.sanitizers.concepts import Concept, Point
from dpverify.mechanisms.sanitizers.packings import (
    moved_from_the_first,
    told_apart,
)
from dpverify.mechanisms.sanitizers.small_databases import small_database
from dpverify.mechanisms.selection.packing_bound import packing_bound, steps_forced
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue.refuted import degenerate
from dpverify.verifiers.catalogue.sanitizers.histograms.estimating import estimating, none_close_to_two, sanitizing
from dpverify.verifiers.lower_bounds.claim import LowerBound
from dpverify.verifiers.lower_bounds.instance import HardInstance
from dpverify.verifiers.lower_bounds.statement import Broken, Law, Parameters, a_tenth_less

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


def packing(case: Parameters, times: int = 3) -> HardInstance:
    """The instance of the proof."""
    return sanitizing(packed(case, times), points(case), case["alpha"])


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
