"""Privacy of the learners of many concepts: Bun, Nissim & Stemmer."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from math import comb
from typing import Any, Final

from dpverify.mechanisms import Distribution, Draw, Exact, exp, symbolic
from dpverify.mechanisms.drawing import in_sorted_order
from dpverify.mechanisms.learners import direct_sum, generic_learner, learn_many, learn_many_points
from dpverify.mechanisms.learners.multi_learners import Row as Labelled
from dpverify.mechanisms.learners.points_learner import learn_points_or_none
from dpverify.mechanisms.numbers.roots import symbolic_delta
from dpverify.mechanisms.sanitizers import Point, points, small_database, stable_histogram, thresholds
from dpverify.mechanisms.sanitizers.concepts import AllZero, numbers_of_correct_labels, one_for_each_labelling
from dpverify.mechanisms.selection import advanced_composition_epsilon, leaky_randomized_response, learn_empirically
from dpverify.mechanisms.selection.stability import choose_by_stability, choose_by_stability_journal
from dpverify.verifiers import Multisets, Tuples
from dpverify.verifiers.catalogue.families import BUNS, BY_DEFAULT, HALF, HUNDREDTH, MILLIONTH, SYMBOLS, TENTH
from dpverify.verifiers.catalogue.finite import CHOSEN, ROW_BY_ROW, SAMPLES_ROWS
from dpverify.verifiers.catalogue.mutants import Times, as_printed, at_times_epsilon, broken, weakened
from dpverify.verifiers.catalogue.refuted import A_DIST_OF_BUNS
from dpverify.verifiers.privacy.family import EveryDatabase, ExactLike, Mechanism, Row, claims, family

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
    part = partial(small_database, universe=(0, 1), concepts=differences, size=1, epsilon=epsilon / 3)
    return tuple(h.j for h in learn_many(draw, rows, k=2, concepts=OF_TWO_POINTS, sanitizer=part, epsilon=epsilon / 3))


def _difference(i: int, j: int) -> Any:
    """The concept f ⊕ g of two thresholds."""

    def differs(x: int) -> int:
        return int((x < i) != (x < j))

    return differs


def points_for_one(draw: Draw, rows: Sequence[Labelled], *, selection: Mechanism, epsilon: Exact, delta: Exact) -> Any:
    """The k-learner of points, k = 1, with (ε/2,δ/2) for its two parts: which point, or None."""
    (h,) = learn_many_points(draw, rows, d=1, k=1, alpha=1, epsilon=epsilon / 2, delta=delta / 2, selection=selection)
    return h.j if isinstance(h, Point) else None if isinstance(h, AllZero) else h


def points_without_a_dist(draw: Draw, rows: Sequence[Labelled], **_: Any) -> Any:
    """Mutant: takes the most frequent labels without the test of A_dist, and points from one row on."""
    return next((x for x, y in sorted(rows) if y), None)


def fitted_to_nine_times_the_rows(draw: Draw, rows: Sequence[Labelled], *, epsilon: Exact) -> Any:
    """The direct sum of two generic learners of thresholds, on a ninth of the rows."""
    return learn_empirically(draw, rows, learner=half_for_each, parameters={"epsilon": epsilon})


two_thresholds = family(
    Row()
    .having(domain=Tuples(rows_on_two_points(2), size=2), epsilon=symbolic)
    .having(all_sizes=EveryDatabase(rows_on_two_points(2))),
    Row("BuNS-3.2.privacy.every-epsilon")
    .says("the direct sum of two learners, each (ε/2)-private, is ε-private, for every ε")
    .having(source=f"{BUNS}, Observation 3.2", mechanism=half_for_each, mutant=at_times_epsilon(4, thresholds_for_two)),
    Row("BuNS-3.7.privacy.every-epsilon", "the generic 2-learner is (ε₁ + 2ε₂)-private, at ε₁ = ε₂ = ε/3, for every ε")
    .having(source=f"{BUNS}, Algorithm 2 and Lemma 3.7", mechanism=generic_for_two)
    .having(mutant=at_times_epsilon(6, generic_for_two)),
)
learners_of_points = family(
    Row("BuNS-3.13.privacy.")
    .says("the learner of points {} rows")
    .having(source=f"{BUNS}, Algorithm 5 and Theorem 3.13", epsilon=4, delta=2 * TENTH, mutant=points_without_a_dist),
    Row("printed", "with A_dist as printed is (2ε,2δ)-private, at ε = 2 and δ = 1/10, on six")
    .having(mechanism=in_sorted_order(points_for_one), domain=Multisets(rows_on_two_points(1), size=6))
    .having(refuted=A_DIST_OF_BUNS, finite_because=ROW_BY_ROW)
    .run_with(selection=choose_by_stability_journal),
    Row("corrected", "with the corrected A_dist is (2ε,2δ)-private, at ε = 2 and δ = 1/10, on five")
    .having(mechanism=points_for_one, domain=Multisets(rows_on_two_points(1), size=5))
    .having(all_sizes=EveryDatabase(rows_on_two_points(1)).for_every(*SYMBOLS))
    .run_with(selection=choose_by_stability),
    Row("default", f"{BY_DEFAULT} is (2ε,2δ)-private, at ε = 2 and δ = 1/10, on five")
    .having(mechanism=learn_many_points, domain=Multisets(rows_on_two_points(1), size=5))
    .having(mutant=as_printed(learn_many_points))
    .having(
        all_sizes=EveryDatabase(rows_on_two_points(1)).for_every(
            2 * symbolic, 2 * symbolic_delta, epsilon=symbolic, delta=symbolic_delta
        )
    )
    .run_with(d=1, k=1, alpha=1, epsilon=2, delta=TENTH),
)

# Theorem 2.24, an empirical learner of two thresholds from one that is run on a ninth of the rows.
_THREE_KINDS: Final = Multisets(((0, 0), (0, 3), (1, 0)), size=9)
_FROM_A_PRIVATE_ONE: Final = "the empirical learner of two thresholds from a private one, on "
_AT_NINE: Final = broken(
    half_for_each, "fitted_to_all_at_nine_times_epsilon", "all rows, with nine times the ε.", epsilon_times=9
)
empirical = family(
    Row("BuNS-2.24.privacy.")
    .having(source="BuNS, Theorem 2.24, formulas as reconstructed", domain=_THREE_KINDS, finite_because=SAMPLES_ROWS)
    .having(mechanism=in_sorted_order(fitted_to_nine_times_the_rows), mutant=_AT_NINE),
    Row("nine-rows", f"{_FROM_A_PRIVATE_ONE}9 rows of which it samples 1, is ε-private at ε = 1")
    .having(epsilon=1)
    .holds_with(
        "15/64",
        "7/32",
        "a row is among a ninth of them with probability 1/9 or so, so that about ε/9 shows, where the secrecy of the "
        "sample gives 6ε/9",
    ),
    Row("eighteen-rows", f"{_FROM_A_PRIVATE_ONE}18 rows of which it samples 2, is ε-private at ε = 1").having(
        domain=Multisets(((0, 0), (1, 3)), size=18), epsilon=1, depth="full"
    ),
    Row("nine-rows-least", "the same on 9 rows, with a learner that is 1-private, is 1/10-private")
    .having(epsilon=TENTH)
    .run_with(epsilon=1),
)

# Where composition counts: of (ε,δ)-private parts, and of many columns. The text of the paper has lost its formulas;
# those of Theorem 2.16, Observation 3.2 and Lemma 3.7 are as reconstructed: k (ε,δ)-private learners are together
# (kε, kδ)-private, and (ε′, kδ + δ′)-private for ε′ = sqrt(2k·ln(1/δ′))·ε + 2kε².


# Observation 3.2 with learners that are (ε,δ)-private: of points, by A_dist.
def points_for_two(draw: Draw, rows: Sequence[Labelled], *, epsilon: Exact, delta: Exact) -> tuple[int | None, ...]:
    """The direct sum of two learners of points, each with (ε/2,δ/2): which points, or None."""

    def learner(draw: Draw, sample: Any) -> Any:
        return learn_points_or_none(draw, sample, d=1, epsilon=epsilon / 2, delta=delta / 2)

    found = direct_sum(draw, rows, k=2, learner=learner)
    return tuple(None if isinstance(h, AllZero) else h.j for h in found)


def seventy_rows(of_0: int, of_1: int, of_0_once: int) -> tuple[Labelled, ...]:
    """So many rows (0, 11), (1, 11) and (0, 01), and as many (0, 00) as make 70."""
    rest = 70 - of_0 - of_1 - of_0_once
    return ((0, 0),) * rest + ((0, 1),) * of_0_once + ((0, 3),) * of_0 + ((1, 3),) * of_1


_ALL_OF_IT: Final = "each of the two learners is (ε,δ)-private, where it has half of both."
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
    .having(source=f"{BUNS}, Observation 3.2, for (ε,δ)-private learners", mechanism=points_for_two, epsilon=1)
    .having(domain=BOTH_COLUMNS, delta=MILLIONTH)
    .having(all_sizes=EveryDatabase(product(range(2), range(4))).for_every(*SYMBOLS))
    .having(mutant=broken(points_for_two, "points_for_two_with_all_of_it", _ALL_OF_IT, epsilon_times=2, delta=Times(2)))
)


# The same, and Lemma 3.7, for many columns, by the advanced composition theorem. Where k columns of labels are the same
# in each of two databases, the k choices of a learner are independent, with one law, given what it has sanitized: any
# order of them is as likely as any other under both databases. So nothing is lost for a comparison of the two laws, as
# in `hardest_composition`, and there are k + 1 outcomes in place of 2^k.
def how_many_choose(
    draw: Draw, rows: Sequence[Labelled], *, k: int, concepts: Sequence[Any], sanitizer: Mechanism, epsilon: Exact
) -> tuple[Any, int]:
    """`learn_many` on rows (x, y) whose label y is that of all k columns: the candidates, and how many take the last.

    For sanitized points that leave two candidates.
    """
    # 1 to 4
    candidates = one_for_each_labelling(concepts, draw(sanitizer, tuple(x for x, _ in rows)))
    first, last = candidates
    # 5; the weights of k choices by the exponential mechanism, up to a factor
    correct = numbers_of_correct_labels(candidates, rows)
    gain = correct[last] - correct[first]
    return candidates, draw(Distribution({i: comb(k, i) * exp(epsilon * (i * gain) / 2) for i in range(k + 1)}))


def as_they_are(draw: Draw, xs: tuple[int, ...]) -> Any:
    """The points of all rows: no sanitizer."""
    return xs


def points_for_many(draw: Draw, rows: Sequence[Labelled], *, k: int, each: Fraction) -> int:
    """The direct sum of k generic learners of two points, for alike columns: how many find the point 1."""
    found: tuple[Any, int] = draw(how_many_choose, rows, k=k, concepts=points(1), sanitizer=as_they_are, epsilon=each)
    return found[1]


def told_by_one_point(draw: Draw, xs: tuple[int, ...], *, epsilon: Exact, delta: Exact) -> tuple[int, ...]:
    """The hardest (ε,δ)-private sanitizer of points 0 and 1: the one point whether some row is 1, as it leaks most.

    A leak is told apart by a point that stands in it twice.
    """
    told = draw(leaky_randomized_response, max(xs), epsilon=epsilon, delta=delta)
    return (told[1],) * 2 if isinstance(told, tuple) else (told,)


def thresholds_for_many(
    draw: Draw, rows: Sequence[Labelled], *, k: int, of_sanitizer: Fraction, leak: Fraction, each: Fraction
) -> tuple[tuple[int, ...], int]:
    """The generic k-learner of thresholds on {0, 1}, for alike columns: what is sanitized, how many choose the last.

    It shows the sanitized points as well, which its hypotheses give away but where all of them are the same.
    """
    sanitized: tuple[int, ...] = draw(told_by_one_point, tuple(x for x, _ in rows), epsilon=of_sanitizer, delta=leak)

    def sanitizer(draw: Draw, xs: tuple[int, ...]) -> tuple[int, ...]:
        return sanitized

    found: tuple[Any, int] = draw(how_many_choose, rows, k=k, concepts=thresholds(1), sanitizer=sanitizer, epsilon=each)
    return sanitized, found[1]


_FOUR_TIMES: Final = weakened(
    "points_for_many_at_four_times_epsilon", points_for_many, "Mutant: four times the ε for each column.", each=Times(4)
)
_TWICE_EACH: Final = "Mutant: twice the ε for the sanitizer, and for each column."
_TWICE: Final = {"of_sanitizer": Times(2), "each": Times(2)}
ONE_ROW: Final = Multisets(((0, 0), (0, 1), (1, 0), (1, 1)), size=1)
"""All that the one row of a database can be: the labels of all columns are the same."""
SOME_OF_ONE_ROW: Final = [((1, 0),), ((0, 1),), ((0, 0),)]


def _columns(k: int, besides: Fraction = Fraction(0)) -> Row:
    """The ε of k mechanisms that are 1/100-private, by the advanced composition theorem, and what is added to it."""
    epsilon = besides + advanced_composition_epsilon(times=k, epsilon=HUNDREDTH, failure=MILLIONTH)
    return Row(str(k), str(k)).having(epsilon=epsilon, parameters={"k": k, "each": HUNDREDTH})


many_columns = family(
    Row("BuNS-3.2.privacy.{}-columns")
    .says(
        "the direct sum of {} generic learners, each 1/100-private, is (ε′, 10⁻⁶)-private, ε′ = sqrt(2k·ln(10⁶))/100 + "
        "2k/10⁴, on rows of which all labels are the same"
    )
    .having(source=f"{BUNS}, Observation 3.2, by the advanced half of Theorem 2.16", mechanism=points_for_many)
    .having(domain=ONE_ROW, delta=MILLIONTH, finite_because=CHOSEN, mutant=_FOUR_TIMES),
    _columns(40),
    _columns(100).having(depth="report"),
)
advanced = family(
    Row("BuNS-3.7.privacy.advanced-{}-columns")
    .says(
        "the generic {}-learner with a sanitizer that tells one point, and is no more than (1/2, 10⁻⁶)-private, is "
        "(1/2 + ε″, 2·10⁻⁶)-private, ε″ = sqrt(2k·ln(10⁶))·ε′ + 2kε′² at ε′ = 1/100, which is less than kε′; on rows "
        "of which all labels are the same"
    )
    .having(source=f"{BUNS}, Algorithm 2 and Lemma 3.7, its second privacy claim", mechanism=thresholds_for_many)
    .having(delta=2 * MILLIONTH, parameters={"of_sanitizer": HALF, "leak": MILLIONTH}, finite_because=CHOSEN)
    .having(mutant=weakened("thresholds_for_many_at_twice_epsilon", thresholds_for_many, _TWICE_EACH, **_TWICE)),
    _columns(40, HALF).having(domain=SOME_OF_ONE_ROW),
    _columns(100, HALF).having(domain=ONE_ROW, depth="report"),
)


# Corollary 3.9: points, sanitized by the stability-based histogram.
def points_by_histogram(draw: Draw, rows: Sequence[Labelled], *, epsilon: Exact, delta: Exact) -> tuple[int, ...]:
    """The generic learner of two of four points: ε/2 for the histogram of Proposition 2.20, ε/4 for each choice."""

    def sanitizer(draw: Draw, xs: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(x for x, _ in stable_histogram(draw, xs, d=2, epsilon=epsilon / 2, delta=delta))

    found = learn_many(draw, rows, k=2, concepts=points(2), sanitizer=sanitizer, epsilon=epsilon / 4)
    return tuple(h.j for h in found)


def points_by_all_that_occur(draw: Draw, rows: Sequence[Labelled], *, epsilon: Exact, delta: Exact) -> tuple[int, ...]:
    """Mutant: the candidates label all points that occur, which are not sanitized."""
    found = learn_many(draw, rows, k=2, concepts=points(2), sanitizer=as_they_are, epsilon=epsilon / 4)
    return tuple(h.j for h in found)


_NEXT_TO_IT: Final = [
    ((0, 0),) * of_0 + ((0, 3),) * other + ((1, 3),) * of_1 + ((2, 0),) * (130 - of_0 - of_1 - other)
    for of_0, of_1 in ((26, 26), (25, 27), (50, 50), (49, 51), (58, 1), (59, 0), (58, 0))
    for other in (0, 1)
]
by_histogram = claims(
    Row("BuNS-3.9.privacy.two-columns")
    .says(
        "the generic learner of two points with the stability-based histogram at (1/2, 10⁻⁶) and choices at 1/4 is (1, "
        "10⁻⁶)-private, on 130 rows next to the histogram's threshold"
    )
    .having(source=f"{BUNS}, Corollary 3.9: Algorithm 2 with the sanitizer of Proposition 2.20", epsilon=1)
    .having(mechanism=points_by_histogram, delta=MILLIONTH, finite_because=CHOSEN, mutant=points_by_all_that_occur)
    .having(domain=_NEXT_TO_IT)
)
