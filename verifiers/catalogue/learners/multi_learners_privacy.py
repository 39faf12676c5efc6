"""Privacy of the learners of many concepts: Bun, Nissim & Stemmer."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any, Final

from dpverify.mechanisms import Draw, Exact, symbolic
from dpverify.mechanisms.drawing import in_sorted_order
from dpverify.mechanisms.functions import Mechanism
from dpverify.mechanisms.learners import direct_sum, generic_learner, learn_many, learn_many_points
from dpverify.mechanisms.learners.multi_learners import Row as Labelled
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.sanitizers import Point, small_database, thresholds
from dpverify.mechanisms.sanitizers.concepts import AllZero
from dpverify.mechanisms.selection import choose_by_stability, choose_by_stability_journal, learn_empirically
from dpverify.verifiers import Multisets, Tuples
from dpverify.verifiers.catalogue.families import BY_DEFAULT
from dpverify.verifiers.catalogue.finite import ROW_BY_ROW, SAMPLES_ROWS
from dpverify.verifiers.catalogue.mutants import as_printed, at_times_epsilon, broken
from dpverify.verifiers.catalogue.refuted import A_DIST_OF_BUNS
from dpverify.verifiers.composites import EveryDatabase
from dpverify.verifiers.privacy.family import Row, family
from dpverify.verifiers.profiles import LeastShare

TENTH: Final = Fraction(1, 10)

OF_TWO_POINTS: Final = thresholds(1)


def rows_on_two_points(k: int) -> tuple[Labelled, ...]:
    """The rows on two points with k labels."""
    return tuple(product((0, 1), range(1 << k)))


def thresholds_for_two(draw: Draw, rows: Sequence[Labelled], *, epsilon: ExactLike) -> Any:
    """The direct sum of two generic learners of thresholds on two points, which thresholds."""
    learner = partial(generic_learner, hypotheses=OF_TWO_POINTS, epsilon=epsilon)
    return tuple(h.j for h in direct_sum(draw, rows, k=2, learner=learner))


def half_for_each(draw: Draw, rows: Sequence[Labelled], *, epsilon: Exact) -> Any:
    """The direct sum, with ε/2 for each of the two learners."""
    return thresholds_for_two(draw, rows, epsilon=epsilon / 2)


def generic_for_two(draw: Draw, rows: Sequence[Labelled], *, epsilon: Exact) -> Any:
    """The generic learner of two thresholds on two points, each of three parts with ε/3: which thresholds."""
    differences = tuple(_difference(f.j, g.j) for f in OF_TWO_POINTS for g in OF_TWO_POINTS)

    sanitizer = partial(small_database, universe=(0, 1), concepts=differences, size=1, epsilon=epsilon / 3)
    return tuple(
        h.j for h in learn_many(draw, rows, k=2, concepts=OF_TWO_POINTS, sanitizer=sanitizer, epsilon=epsilon / 3)
    )


def _difference(i: int, j: int) -> Any:
    """The concept f ⊕ g of two thresholds."""

    def differs(x: int) -> int:
        return int((x < i) != (x < j))

    return differs


def points_for_one(draw: Draw, rows: Sequence[Labelled], *, selection: Mechanism, epsilon: Exact, delta: Exact) -> Any:
    """The k-learner of points, k = 1, with (ε/2,δ/2) for its two parts: which point, or None."""
    (h,) = learn_many_points(draw, rows, d=1, k=1, alpha=1, epsilon=epsilon / 2, delta=delta / 2, selection=selection)
    return h.j if isinstance(h, Point) else None if isinstance(h, AllZero) else h


def points_without_a_dist(
    draw: Draw, rows: Sequence[Labelled], *, selection: Mechanism, epsilon: Exact, delta: Exact
) -> Any:
    """Mutant: takes the most frequent labels without the test of A_dist, and points from one row on."""
    return next((x for x, y in sorted(rows) if y), None)


def fitted_to_nine_times_the_rows(draw: Draw, rows: Sequence[Labelled], *, epsilon: Exact) -> Any:
    """The direct sum of two generic learners of thresholds, on a ninth of the rows."""
    return learn_empirically(draw, rows, learner=half_for_each, parameters={"epsilon": epsilon})


_BUNS: Final = "Bun, Nissim & Stemmer"

two_thresholds = family(
    Row()
    .having(domain=Tuples(rows_on_two_points(2), size=2), epsilon=symbolic)
    .having(all_sizes=EveryDatabase(rows_on_two_points(2))),
    Row("BuNS-3.2.privacy.every-epsilon")
    .says("the direct sum of two learners, each (ε/2)-private, is ε-private, for every ε")
    .having(source=f"{_BUNS}, Observation 3.2", mechanism=half_for_each)
    .having(mutant=at_times_epsilon(4, thresholds_for_two)),
    Row("BuNS-3.7.privacy.every-epsilon")
    .says("the generic 2-learner is (ε₁ + 2ε₂)-private, at ε₁ = ε₂ = ε/3, for every ε")
    .having(source=f"{_BUNS}, Algorithm 2 and Lemma 3.7", mechanism=generic_for_two)
    .having(mutant=at_times_epsilon(6, generic_for_two)),
)
points = family(
    Row("BuNS-3.13.privacy.")
    .says("the learner of points {} rows")
    .having(source=f"{_BUNS}, Algorithm 5 and Theorem 3.13", epsilon=4, delta=2 * TENTH, mutant=points_without_a_dist),
    Row("printed", "with A_dist as printed is (2ε,2δ)-private, at ε = 2 and δ = 1/10, on six")
    .having(mechanism=in_sorted_order(points_for_one), domain=Multisets(rows_on_two_points(1), size=6))
    .having(refuted=A_DIST_OF_BUNS, finite_because=ROW_BY_ROW)
    .run_with(selection=choose_by_stability_journal),
    Row("corrected", "with the corrected A_dist is (2ε,2δ)-private, at ε = 2 and δ = 1/10, on five")
    .having(mechanism=points_for_one, domain=Multisets(rows_on_two_points(1), size=5))
    .having(all_sizes=EveryDatabase(rows_on_two_points(1)))
    .run_with(selection=choose_by_stability),
    Row("default", f"{BY_DEFAULT} is (2ε,2δ)-private, at ε = 2 and δ = 1/10, on five")
    .having(mechanism=learn_many_points, domain=Multisets(rows_on_two_points(1), size=5))
    .having(all_sizes=EveryDatabase(rows_on_two_points(1)), mutant=as_printed(learn_many_points))
    .run_with(d=1, k=1, alpha=1, epsilon=2, delta=TENTH),
)

# Theorem 2.24, an empirical learner of two thresholds from one that is run on a ninth of the rows.

_SECRECY: Final = LeastShare(
    share="15/64",
    below="7/32",
    because="a row is among a ninth of them with probability 1/9 or so, so that about ε/9 shows, where the secrecy of "
    "the sample gives 6ε/9",
)
_THREE_KINDS: Final = Multisets(((0, 0), (0, 3), (1, 0)), size=9)
_FROM_A_PRIVATE_ONE: Final = "the empirical learner of two thresholds from a private one, on "

empirical = family(
    Row("BuNS-2.24.privacy.")
    .having(source="BuNS, Theorem 2.24, formulas as reconstructed")
    .having(mechanism=in_sorted_order(fitted_to_nine_times_the_rows), domain=_THREE_KINDS, finite_because=SAMPLES_ROWS)
    .having(
        mutant=broken(
            half_for_each, "fitted_to_all_at_nine_times_epsilon", "all rows, with nine times the ε.", epsilon_times=9
        )
    ),
    Row("nine-rows", f"{_FROM_A_PRIVATE_ONE}9 rows of which it samples 1, is ε-private at ε = 1").having(
        epsilon=1, least=_SECRECY
    ),
    Row("eighteen-rows", f"{_FROM_A_PRIVATE_ONE}18 rows of which it samples 2, is ε-private at ε = 1").having(
        domain=Multisets(((0, 0), (1, 3)), size=18), epsilon=1, depth="full"
    ),
    Row("nine-rows-least", "the same on 9 rows, with a learner that is 1-private, is 1/10-private")
    .having(epsilon=TENTH)
    .run_with(epsilon=1),
)
