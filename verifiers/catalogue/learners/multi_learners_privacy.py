"""Privacy of the learners of many concepts: Bun, Nissim & Stemmer."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any, Final

from dpverify.mechanisms.drawing.sorted_rows import in_sorted_order
from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.learners.generic_learner import generic_learner
from dpverify.mechanisms.learners.multi_learners import Row, direct_sum, learn_many, learn_many_points
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike
from dpverify.mechanisms.sanitizers.concepts import AllZero, Point, thresholds
from dpverify.mechanisms.sanitizers.small_databases import small_database
from dpverify.mechanisms.selection.stability import choose_by_stability, choose_by_stability_journal
from dpverify.mechanisms.selection.subsampling import learn_empirically
from dpverify.mechanisms.signs.symbolic_epsilon import symbolic
from dpverify.verifiers.catalogue.families import BY_DEFAULT, on_all
from dpverify.verifiers.catalogue.finite import ROW_BY_ROW, SAMPLES_ROWS
from dpverify.verifiers.catalogue.refuted import A_DIST_OF_BUNS, as_expected
from dpverify.verifiers.catalogue.selection.stability.stability_privacy import as_printed
from dpverify.verifiers.composites.domains import EveryDatabase
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.profiles.least_share import LeastShare
from dpverify.verifiers.questions.domains import Multisets, Tuples

TENTH: Final = Fraction(1, 10)
_BUNS: Final = "Bun, Nissim & Stemmer"

OF_TWO_POINTS: Final = thresholds(1)


def rows_of(k: int) -> tuple[Row, ...]:
    """The rows on two points with k labels."""
    return tuple(product((0, 1), range(1 << k)))


def thresholds_for_two(draw: Draw, rows: Sequence[Row], *, epsilon: ExactLike) -> Any:
    """The direct sum of two generic learners of thresholds on two points, which thresholds."""
    learner = partial(generic_learner, hypotheses=OF_TWO_POINTS, epsilon=epsilon)
    return tuple(h.j for h in direct_sum(draw, rows, k=2, learner=learner))


def thresholds_for_two_at_four_times_epsilon(draw: Draw, rows: Sequence[Row], *, epsilon: Exact) -> Any:
    """Mutant: four times the ε."""
    return thresholds_for_two(draw, rows, epsilon=4 * epsilon)


def half_for_each(draw: Draw, rows: Sequence[Row], *, epsilon: Exact) -> Any:
    """The direct sum, with ε/2 for each of the two learners."""
    return thresholds_for_two(draw, rows, epsilon=epsilon / 2)


def generic_for_two(draw: Draw, rows: Sequence[Row], *, epsilon: Exact) -> Any:
    """The generic learner of two thresholds on two points, each of three parts with ε/3: which thresholds."""
    differences = tuple(_difference(f.j, g.j) for f in OF_TWO_POINTS for g in OF_TWO_POINTS)

    sanitizer = partial(small_database, universe=(0, 1), concepts=differences, size=1, epsilon=epsilon / 3)
    return tuple(
        h.j for h in learn_many(draw, rows, k=2, concepts=OF_TWO_POINTS, sanitizer=sanitizer, epsilon=epsilon / 3)
    )


def generic_for_two_at_six_times_epsilon(draw: Draw, rows: Sequence[Row], *, epsilon: Exact) -> Any:
    """Mutant: six times the ε."""
    return generic_for_two(draw, rows, epsilon=6 * epsilon)


def _difference(i: int, j: int) -> Any:
    """The concept f ⊕ g of two thresholds."""

    def differs(x: int) -> int:
        return int((x < i) != (x < j))

    return differs


def points_for_one(draw: Draw, rows: Sequence[Row], *, selection: Mechanism, epsilon: Exact, delta: Exact) -> Any:
    """The k-learner of points, k = 1, with (ε/2,δ/2) for its two parts: which point, or None."""
    (h,) = learn_many_points(draw, rows, d=1, k=1, alpha=1, epsilon=epsilon / 2, delta=delta / 2, selection=selection)
    return h.j if isinstance(h, Point) else None if isinstance(h, AllZero) else h


def points_without_a_dist(
    draw: Draw, rows: Sequence[Row], *, selection: Mechanism, epsilon: Exact, delta: Exact
) -> Any:
    """Mutant: takes the most frequent labels without the test of A_dist, and points from one row on."""
    return next((x for x, y in sorted(rows) if y), None)


direct_sums = Claim(
    id="BuNS-3.2.privacy.every-epsilon",
    source="Bun, Nissim & Stemmer, Observation 3.2",
    statement="the direct sum of two learners, each (ε/2)-private, is ε-private, for every ε",
    mechanism=half_for_each,
    domain=Tuples(rows_of(2), size=2),
    epsilon=symbolic,
    **on_all(EveryDatabase(rows_of(2))),
    mutant=thresholds_for_two_at_four_times_epsilon,
)
generic_learners = Claim(
    id="BuNS-3.7.privacy.every-epsilon",
    source="Bun, Nissim & Stemmer, Algorithm 2 and Lemma 3.7",
    statement="the generic 2-learner is (ε₁ + 2ε₂)-private, at ε₁ = ε₂ = ε/3, for every ε",
    mechanism=generic_for_two,
    domain=Tuples(rows_of(2), size=2),
    epsilon=symbolic,
    **on_all(EveryDatabase(rows_of(2))),
    mutant=generic_for_two_at_six_times_epsilon,
)
points = tuple(
    Claim(
        id=f"BuNS-3.13.privacy.{variant}",
        source="Bun, Nissim & Stemmer, Algorithm 5 and Theorem 3.13",
        statement=f"the learner of points with {what} is (2ε,2δ)-private, at ε = 2 and δ = 1/10, on {in_words} rows",
        mechanism=in_sorted_order(points_for_one) if refuted else points_for_one,
        domain=Multisets(rows_of(1), size=size),
        epsilon=4,
        delta=2 * TENTH,
        parameters={"selection": selection},
        **as_expected(refuted),
        **({"finite_because": ROW_BY_ROW} if refuted else on_all(EveryDatabase(rows_of(1)))),
        mutant=points_without_a_dist,
    )
    for variant, what, selection, refuted, size, in_words in (
        ("printed", "A_dist as printed", choose_by_stability_journal, A_DIST_OF_BUNS, 6, "six"),
        ("corrected", "the corrected A_dist", choose_by_stability, None, 5, "five"),
    )
)


# Theorem 2.24, an empirical learner of two thresholds from one that is run on a ninth of the rows.


def fitted_to_nine_times_the_rows(draw: Draw, rows: Sequence[Row], *, epsilon: Exact) -> Any:
    """The direct sum of two generic learners of thresholds, on a ninth of the rows."""
    return learn_empirically(draw, rows, learner=half_for_each, parameters={"epsilon": epsilon})


def fitted_to_all_at_nine_times_epsilon(draw: Draw, rows: Sequence[Row], *, epsilon: Exact) -> Any:
    """Mutant: all rows, with nine times the ε."""
    return half_for_each(draw, rows, epsilon=9 * epsilon)


_SECRECY: Final = LeastShare(
    share="15/64",
    below="7/32",
    because="a row is among a ninth of them with probability 1/9 or so, so that about ε/9 shows, where the secrecy of "
    "the sample gives 6ε/9",
)
empirical = tuple(
    Claim(
        id=f"BuNS-2.24.privacy.{name}",
        source="BuNS, Theorem 2.24, formulas as reconstructed",
        statement=f"the empirical learner of two thresholds from a private one, on {rows} rows of which it samples "
        f"{rows // 9}, is ε-private at ε = 1",
        mechanism=in_sorted_order(fitted_to_nine_times_the_rows),
        domain=Multisets(kinds, size=rows),
        epsilon=1,
        finite_because=SAMPLES_ROWS,
        mutant=fitted_to_all_at_nine_times_epsilon,
        least=_SECRECY if rows == 9 else None,
        depth="full" if rows > 9 else "quick",
    )
    for name, rows, kinds in (("nine-rows", 9, ((0, 0), (0, 3), (1, 0))), ("eighteen-rows", 18, ((0, 0), (1, 3))))
)

empirical_least = Claim(
    id="BuNS-2.24.privacy.nine-rows-least",
    source="BuNS, Theorem 2.24, formulas as reconstructed",
    statement="the same on 9 rows, with a learner that is 1-private, is 1/10-private",
    mechanism=in_sorted_order(fitted_to_nine_times_the_rows),
    domain=Multisets(((0, 0), (0, 3), (1, 0)), size=9),
    epsilon=TENTH,
    parameters={"epsilon": 1},
    finite_because=SAMPLES_ROWS,
    mutant=fitted_to_all_at_nine_times_epsilon,
)

many_points_by_default = Claim(
    id="BuNS-3.13.privacy.default",
    source=f"{_BUNS}, Algorithm 5 and Theorem 3.13",
    statement=f"the learner of points {BY_DEFAULT} is (2ε,2δ)-private, at ε = 2 and δ = 1/10, on five rows",
    mechanism=learn_many_points,
    domain=Multisets(rows_of(1), size=5),
    epsilon=4,
    delta=2 * TENTH,
    parameters={"d": 1, "k": 1, "alpha": 1, "epsilon": 2, "delta": TENTH},
    **on_all(EveryDatabase(rows_of(1))),
    mutant=as_printed(learn_many_points),
)
