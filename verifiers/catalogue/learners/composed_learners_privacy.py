"""Privacy of learners of many concepts where composition counts: of (ε,δ)-private parts, and of many columns.

The text of the paper has lost its formulas; those of Theorem 2.16, Observation 3.2 and Lemma 3.7 are as reconstructed:
k (ε,δ)-private learners are together (kε, kδ)-private, and (ε′, kδ + δ′)-private for ε′ = sqrt(2k·ln(1/δ′))·ε + 2kε².
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any, Final

from dpverify.mechanisms import Draw, Exact
from dpverify.mechanisms.learners import direct_sum, learn_many, learn_points_or_none
from dpverify.mechanisms.learners.multi_learners import Row as Labelled
from dpverify.mechanisms.sanitizers import points, stable_histogram, thresholds
from dpverify.mechanisms.sanitizers.concepts import AllZero
from dpverify.mechanisms.selection import advanced_composition_epsilon, leaky_randomized_response
from dpverify.verifiers import Multisets
from dpverify.verifiers.catalogue.finite import CHOSEN
from dpverify.verifiers.catalogue.learners.alike_columns import how_many_choose
from dpverify.verifiers.composites import EveryDatabase
from dpverify.verifiers.privacy.family import Row, claims, family

MILLIONTH: Final = Fraction(1, 10**6)
HUNDREDTH: Final = Fraction(1, 100)
_BUNS: Final = "Bun, Nissim & Stemmer"

# Observation 3.2 with learners that are (ε,δ)-private: of points, by A_dist.


def points_for_two(draw: Draw, rows: Sequence[Labelled], *, epsilon: Exact, delta: Exact) -> Any:
    """The direct sum of two learners of points, each with (ε/2,δ/2): which points, or None."""

    def learner(draw: Draw, sample: Any) -> Any:
        return learn_points_or_none(draw, sample, d=1, epsilon=epsilon / 2, delta=delta / 2)

    found = direct_sum(draw, rows, k=2, learner=learner)
    return tuple(None if isinstance(h, AllZero) else h.j for h in found)


def points_for_two_with_all_of_it(draw: Draw, rows: Sequence[Labelled], *, epsilon: Exact, delta: Exact) -> Any:
    """Mutant: each of the two learners is (ε,δ)-private, where it has half of both."""
    return points_for_two(draw, rows, epsilon=2 * epsilon, delta=2 * delta)


def seventy_rows(of_0: int, of_1: int, of_0_once: int) -> tuple[Labelled, ...]:
    """So many rows (0, 11), (1, 11) and (0, 01), and as many (0, 00) as make 70."""
    rest = 70 - of_0 - of_1 - of_0_once
    return ((0, 0),) * rest + ((0, 1),) * of_0_once + ((0, 3),) * of_0 + ((1, 3),) * of_1


BOTH_COLUMNS: Final = [
    # the thresholds of both columns are at a gap of 4·ln(10⁶) + 2 = 57.3
    *(seventy_rows(of_0, of_1, once) for of_0 in range(54, 61) for of_1 in (0, 1) for once in (0, 1)),
    # where the best point of both columns becomes another one
    *(seventy_rows(of_0, of_1, 0) for of_0, of_1 in ((1, 3), (2, 2), (3, 1), (1, 2), (2, 1))),
]

direct_sum_of_points = claims(
    Row("BuNS-3.2.privacy.approximate")
    .says(
        "the direct sum of two learners of points, each (1/2, 1/2·10⁻⁶)-private by the corrected A_dist, is (1, "
        "10⁻⁶)-private, on 70 rows next to its threshold, and where the best point changes"
    )
    .having(source=f"{_BUNS}, Observation 3.2, for (ε,δ)-private learners", mechanism=points_for_two)
    .having(domain=BOTH_COLUMNS, epsilon=1, delta=MILLIONTH, all_sizes=EveryDatabase(product(range(2), range(4))))
    .having(mutant=points_for_two_with_all_of_it)
)


# The same, and Lemma 3.7, for many columns, by the advanced composition theorem.


def as_they_are(draw: Draw, xs: tuple[int, ...]) -> Any:
    """The points of all rows: no sanitizer."""
    return xs


def points_for_many(draw: Draw, rows: Sequence[Labelled], *, k: int, each: Fraction) -> int:
    """The direct sum of k generic learners of two points, for alike columns: how many find the point 1."""
    found: tuple[Any, int] = draw(how_many_choose, rows, k=k, concepts=points(1), sanitizer=as_they_are, epsilon=each)
    return found[1]


def points_for_many_at_four_times_epsilon(draw: Draw, rows: Sequence[Labelled], *, k: int, each: Fraction) -> int:
    """Mutant: four times the ε for each column."""
    return points_for_many(draw, rows, k=k, each=4 * each)


def told_by_one_point(draw: Draw, xs: tuple[int, ...], *, epsilon: Exact, delta: Exact) -> Any:
    """The hardest (ε,δ)-private sanitizer of points 0 and 1: the one point whether some row is 1, as it leaks most.

    A leak is told apart by a point that stands in it twice.
    """
    told = draw(leaky_randomized_response, max(xs), epsilon=epsilon, delta=delta)
    return (told[1],) * 2 if isinstance(told, tuple) else (told,)


def thresholds_for_many(
    draw: Draw, rows: Sequence[Labelled], *, k: int, of_sanitizer: Fraction, leak: Fraction, each: Fraction
) -> Any:
    """The generic k-learner of thresholds on {0, 1}, for alike columns: what is sanitized, how many choose the last.

    It shows the sanitized points as well, which its hypotheses give away but where all of them are the same.
    """
    sanitized: tuple[int, ...] = draw(told_by_one_point, tuple(x for x, _ in rows), epsilon=of_sanitizer, delta=leak)

    def sanitizer(draw: Draw, xs: tuple[int, ...]) -> Any:
        return sanitized

    found: tuple[Any, int] = draw(how_many_choose, rows, k=k, concepts=thresholds(1), sanitizer=sanitizer, epsilon=each)
    return sanitized, found[1]


def thresholds_for_many_at_twice_epsilon(
    draw: Draw, rows: Sequence[Labelled], *, k: int, of_sanitizer: Fraction, leak: Fraction, each: Fraction
) -> Any:
    """Mutant: twice the ε for the sanitizer, and for each column."""
    return thresholds_for_many(draw, rows, k=k, of_sanitizer=2 * of_sanitizer, leak=leak, each=2 * each)


ONE_ROW: Final = Multisets(((0, 0), (0, 1), (1, 0), (1, 1)), size=1)
"""All that the one row of a database can be: the labels of all columns are the same."""

SOME_OF_ONE_ROW: Final = [((1, 0),), ((0, 1),), ((0, 0),)]


def _of_columns(k: int) -> dict[str, Any]:
    return {"k": k, "each": HUNDREDTH}


def _advanced(k: int) -> Exact:
    """The ε of k mechanisms that are 1/100-private, by the advanced composition theorem."""
    return advanced_composition_epsilon(times=k, epsilon=HUNDREDTH, failure=MILLIONTH)


many_columns = family(
    Row("BuNS-3.2.privacy.{}-columns")
    .says(
        "the direct sum of {} generic learners, each 1/100-private, is (ε′, 10⁻⁶)-private, ε′ = sqrt(2k·ln(10⁶))/100 + "
        "2k/10⁴, on rows of which all labels are the same"
    )
    .having(source=f"{_BUNS}, Observation 3.2, by the advanced half of Theorem 2.16", mechanism=points_for_many)
    .having(domain=ONE_ROW, delta=MILLIONTH, finite_because=CHOSEN, mutant=points_for_many_at_four_times_epsilon),
    Row("40", "40").having(epsilon=_advanced(40), parameters=_of_columns(40)),
    Row("100", "100").having(epsilon=_advanced(100), parameters=_of_columns(100), depth="report"),
)
_SANITIZED: Final = {"of_sanitizer": Fraction(1, 2), "leak": MILLIONTH}
advanced = family(
    Row("BuNS-3.7.privacy.advanced-{}-columns")
    .says(
        "the generic {}-learner with a sanitizer that tells one point, and is no more than (1/2, 10⁻⁶)-private, is "
        "(1/2 + ε″, 2·10⁻⁶)-private, ε″ = sqrt(2k·ln(10⁶))·ε′ + 2kε′² at ε′ = 1/100, which is less than kε′; on rows of "
        "which all labels are the same"
    )
    .having(source=f"{_BUNS}, Algorithm 2 and Lemma 3.7, its second privacy claim", mechanism=thresholds_for_many)
    .having(delta=2 * MILLIONTH, parameters=_SANITIZED, finite_because=CHOSEN)
    .having(mutant=thresholds_for_many_at_twice_epsilon),
    Row("40", "40").having(domain=SOME_OF_ONE_ROW, epsilon=Fraction(1, 2) + _advanced(40), parameters=_of_columns(40)),
    Row("100", "100").having(
        domain=ONE_ROW, epsilon=Fraction(1, 2) + _advanced(100), parameters=_of_columns(100), depth="report"
    ),
)

# Corollary 3.9: points, sanitized by the stability-based histogram.


def points_by_histogram(draw: Draw, rows: Sequence[Labelled], *, epsilon: Exact, delta: Exact) -> Any:
    """The generic learner of two of four points: ε/2 for the histogram of Proposition 2.20, ε/4 for each choice."""

    def sanitizer(draw: Draw, xs: tuple[int, ...]) -> Any:
        return tuple(x for x, _ in stable_histogram(draw, xs, d=2, epsilon=epsilon / 2, delta=delta))

    found = learn_many(draw, rows, k=2, concepts=points(2), sanitizer=sanitizer, epsilon=epsilon / 4)
    return tuple(h.j for h in found)


def points_by_all_that_occur(draw: Draw, rows: Sequence[Labelled], *, epsilon: Exact, delta: Exact) -> Any:
    """Mutant: the candidates label all points that occur, which are not sanitized."""
    found = learn_many(draw, rows, k=2, concepts=points(2), sanitizer=as_they_are, epsilon=epsilon / 4)
    return tuple(h.j for h in found)


def on_three_points(of_0: int, of_1: int, other: int) -> tuple[Labelled, ...]:
    """130 rows: so many (0, 00), (1, 11) and (0, 11), and the rest (2, 00)."""
    rest = 130 - of_0 - of_1 - other
    return ((0, 0),) * of_0 + ((0, 3),) * other + ((1, 3),) * of_1 + ((2, 0),) * rest


_NEXT_TO_IT: Final = ((26, 26), (25, 27), (50, 50), (49, 51), (58, 1), (59, 0), (58, 0))
by_histogram = claims(
    Row("BuNS-3.9.privacy.two-columns")
    .says(
        "the generic learner of two points with the stability-based histogram at (1/2, 10⁻⁶) and choices at 1/4 is (1, "
        "10⁻⁶)-private, on 130 rows next to the histogram's threshold"
    )
    .having(source=f"{_BUNS}, Corollary 3.9: Algorithm 2 with the sanitizer of Proposition 2.20")
    .having(mechanism=points_by_histogram)
    .having(domain=[on_three_points(*of, other) for of in _NEXT_TO_IT for other in (0, 1)], epsilon=1, delta=MILLIONTH)
    .having(finite_because=CHOSEN, mutant=points_by_all_that_occur)
)
