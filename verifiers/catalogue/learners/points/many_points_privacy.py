"""Privacy of the k-learner of points at d = k = 2, ε = 1 and δ = 10⁻⁶, on databases next to both of its thresholds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.learners.multi_learners import Row, learn_many_points
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.sanitizers.concepts import Point
from dpverify.mechanisms.selection.stability import choose_by_stability, choose_by_stability_journal
from dpverify.verifiers.catalogue.families import on_all
from dpverify.verifiers.catalogue.refuted import A_DIST_OF_BUNS, as_expected
from dpverify.verifiers.catalogue.selection.stability.stability_privacy import best_whatever_the_gap
from dpverify.verifiers.composites.domains import EveryDatabase
from dpverify.verifiers.privacy.claim import Claim

HALF: Final = Fraction(1, 2)


def two_points(draw: Draw, rows: Sequence[Row], *, selection: Mechanism, epsilon: Exact, delta: Exact) -> Any:
    """The learner of two of four points, with (ε/2,δ/2) for the histogram and for A_dist: which points, or None."""
    given: dict[str, Any] = {"epsilon": epsilon / 2, "delta": delta / 2, "selection": selection}
    found = learn_many_points(draw, rows, d=2, k=2, alpha=HALF, **given)
    return tuple(h.j if isinstance(h, Point) else None for h in found)


def two_points_without_a_dist(
    draw: Draw, rows: Sequence[Row], *, selection: Mechanism, epsilon: Exact, delta: Exact
) -> Any:
    """Mutant: takes the most frequent labels without the test of A_dist."""
    return two_points(draw, rows, selection=best_whatever_the_gap, epsilon=epsilon, delta=delta)


def hundred_rows(with_both: int, with_one: int, of_1: int) -> tuple[Row, ...]:
    """So many rows (0, 11) and (0, 01), which the two targets label otherwise, and (1, 10), and the rest (2, 00)."""
    rest = 100 - with_both - with_one - of_1
    return ((0, 1),) * with_one + ((0, 3),) * with_both + ((1, 2),) * of_1 + ((2, 0),) * rest


def next_to_thresholds() -> Iterator[tuple[Row, ...]]:
    """The histogram lists a point from 30.0 rows on, and A_dist tells the labels at a gap of 28.2.

    Point 0 is at both, or its labels are nearly tied; point 1 is not there, is one row, or is at the thresholds.
    """
    for (both, one), of_1 in product(
        ((28, 0), (29, 0), (30, 0), (28, 1), (29, 1), (28, 2), (20, 20), (21, 19), (22, 18), (19, 21)), (0, 1, 30, 31)
    ):
        yield hundred_rows(both, one, of_1)


points = tuple(
    Claim(
        id=f"BuNS-3.13.privacy.{variant}-two-points",
        source="Bun, Nissim & Stemmer, Algorithm 5 and Theorem 3.13, formulas as reconstructed",
        statement=f"the learner of two of four points with {what} is (2ε,2δ)-private, at ε = 1, δ = 10⁻⁶ and α = 1/2, "
        "on 100 rows next to its thresholds or with labels nearly tied",
        mechanism=two_points,
        domain=list(next_to_thresholds()),
        epsilon=2,
        delta=Fraction(2, 10**6),
        parameters={"selection": selection},
        **as_expected(refuted),
        **({} if refuted else on_all(EveryDatabase(product(range(4), repeat=2)), "report")),
        mutant=two_points_without_a_dist,
    )
    for variant, what, selection, refuted in (
        ("printed", "A_dist as printed", choose_by_stability_journal, A_DIST_OF_BUNS),
        ("corrected", "the corrected A_dist", choose_by_stability, None),
    )
)
