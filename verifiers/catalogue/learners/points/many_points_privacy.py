"""Privacy of the k-learner of points at d = k = 2, ε = 1 and δ = 10⁻⁶, on databases next to both of its thresholds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from dpverify.mechanisms import Draw, Exact
from dpverify.mechanisms.functions import Mechanism
from dpverify.mechanisms.learners import learn_many_points
from dpverify.mechanisms.learners.multi_learners import Row as Labelled
from dpverify.mechanisms.sanitizers import Point
from dpverify.mechanisms.selection import choose_by_stability, choose_by_stability_journal
from dpverify.verifiers.all_sizes.compositions import EveryDatabase
from dpverify.verifiers.catalogue.families import HALF
from dpverify.verifiers.catalogue.mutants import without_a_dist
from dpverify.verifiers.catalogue.refuted import A_DIST_OF_BUNS
from dpverify.verifiers.privacy.family import Row, family


def two_points(draw: Draw, rows: Sequence[Labelled], *, selection: Mechanism, epsilon: Exact, delta: Exact) -> Any:
    """The learner of two of four points, with (ε/2,δ/2) for the histogram and for A_dist: which points, or None."""
    given: dict[str, Any] = {"epsilon": epsilon / 2, "delta": delta / 2, "selection": selection}
    found = learn_many_points(draw, rows, d=2, k=2, alpha=HALF, **given)
    return tuple(h.j if isinstance(h, Point) else None for h in found)


def hundred_rows(with_both: int, with_one: int, of_1: int) -> tuple[Labelled, ...]:
    """So many rows (0, 11) and (0, 01), which the two targets label otherwise, and (1, 10), and the rest (2, 00)."""
    rest = 100 - with_both - with_one - of_1
    return ((0, 1),) * with_one + ((0, 3),) * with_both + ((1, 2),) * of_1 + ((2, 0),) * rest


def next_to_thresholds() -> Iterator[tuple[Labelled, ...]]:
    """The histogram lists a point from 30.0 rows on, and A_dist tells the labels at a gap of 28.2.

    Point 0 is at both, or its labels are nearly tied; point 1 is not there, is one row, or is at the thresholds.
    """
    for (both, one), of_1 in product(
        ((28, 0), (29, 0), (30, 0), (28, 1), (29, 1), (28, 2), (20, 20), (21, 19), (22, 18), (19, 21)), (0, 1, 30, 31)
    ):
        yield hundred_rows(both, one, of_1)


points = family(
    Row("BuNS-3.13.privacy.{}-two-points")
    .says(
        "the learner of two of four points with {} is (2ε,2δ)-private, at ε = 1, δ = 10⁻⁶ and α = 1/2, on 100 rows "
        "next to its thresholds or with labels nearly tied"
    )
    .having(source="Bun, Nissim & Stemmer, Algorithm 5 and Theorem 3.13, formulas as reconstructed", epsilon=2)
    .having(mechanism=two_points, domain=list(next_to_thresholds()), delta=Fraction(2, 10**6))
    .having(mutant=without_a_dist("most frequent labels", two_points)),
    Row("printed", "A_dist as printed").having(refuted=A_DIST_OF_BUNS).run_with(selection=choose_by_stability_journal),
    Row("corrected", "the corrected A_dist")
    .having(all_sizes=EveryDatabase(product(range(4), repeat=2)), all_sizes_depth="report")
    .run_with(selection=choose_by_stability),
)
