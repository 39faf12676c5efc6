"""Privacy of the learner of points, in both versions of Beimel, Nissim & Stemmer."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any, Final

from dpverify.mechanisms import Draw, Exact, symbolic
from dpverify.mechanisms.learners import learn_many_points, learn_points, learn_points_improperly, learn_points_or_none
from dpverify.mechanisms.learners.multi_learners import Row as Labelled
from dpverify.mechanisms.sanitizers.concepts import Example, Point
from dpverify.mechanisms.selection import choose_by_stability, choose_by_stability_extended_abstract
from dpverify.mechanisms.selection.stability import choose_by_stability_journal
from dpverify.verifiers import LabelledSamples, Tuples
from dpverify.verifiers.catalogue.families import BY_DEFAULT, HALF, SYMBOLS, every_sample
from dpverify.verifiers.catalogue.finite import CHOSEN
from dpverify.verifiers.catalogue.mutants import as_printed, at_times_epsilon, without_a_dist
from dpverify.verifiers.catalogue.refuted import A_DIST_OF_BUNS, OF_THE_STATEMENT
from dpverify.verifiers.privacy.family import EveryDatabase, Mechanism, Row, claims, family, rows_of


def one_point_told(*, rows: int, other: int) -> list[tuple[Example, ...]]:
    """Samples of the point 0, with up to four rows of another one: from some number of rows on A_dist tells them."""
    return [((0, 1),) * (rows - few) + ((other, 1),) * few for few in range(5)]


TOLD: Final = 10
"""So many rows that the corrected A_dist begins to tell one point, at ε = 1 and δ = 1/10: its threshold is 5.2."""
TOLD_EXTENDED: Final = 16
"""The same of that of the extended abstract, with 11.2."""
FOUR_POINTS: Final = LabelledSamples(range(4), size=3)
FOUR_POINTS_TOLD: Final = [*Tuples(FOUR_POINTS.universe, size=3), *one_point_told(rows=TOLD, other=1)]
TWO_OF_MANY: Final = LabelledSamples((0, 63), size=3)
TWO_OF_MANY_TOLD: Final = [*Tuples(TWO_OF_MANY.universe, size=3), *one_point_told(rows=TOLD, other=63)]


def index_of_point(
    draw: Draw, sample: Sequence[Example], *, learner: Mechanism, epsilon: Exact, delta: Exact, **given: Any
) -> Any:
    """A learner of points, which point it finds, or None for the all-zero concept."""
    found = draw(learner, sample, epsilon=epsilon, delta=delta, **given)
    return found.j if isinstance(found, Point) else None


_BNS: Final = "Beimel, Nissim & Stemmer, journal version, Section 3.1"
_OF_POINTS: Final = (
    Row()
    .having(mechanism=index_of_point, epsilon=1, delta=Fraction(1, 10))
    .having(mutant=without_a_dist("best point", index_of_point, "index_without_a_dist"))
)
_PRINTED: Final = (
    Row("printed", "the A_dist of the journal version is (ε,1/10)-private")
    .having(refuted=OF_THE_STATEMENT)
    .run_with(selection=choose_by_stability_journal)
)
_CORRECTED: Final = Row("corrected", "the corrected A_dist is (ε,1/10)-private").run_with(selection=choose_by_stability)


def _lemma(d: int) -> Row:
    return (
        Row("BNS-J-3.2.privacy.", f"the learner of POINT_{d} with ")
        .having(source=f"{_BNS}, Lemma 3.2")
        .run_with(learner=learn_points, d=d)
    )


points = family(
    _OF_POINTS,
    Row("-four-points").having(domain=FOUR_POINTS, finite_because=CHOSEN).of(_PRINTED.of(Row("{}").of(_lemma(2)))),
    Row().having(domain=TWO_OF_MANY, finite_because=CHOSEN).of(_PRINTED.of(_lemma(6))),
    Row().having(domain=TWO_OF_MANY_TOLD, all_sizes=every_sample(6).for_every(*SYMBOLS)).of(_CORRECTED.of(_lemma(6))),
    *rows_of(
        Row("BNS-J-3.2.privacy.or-none-", "the learner of POINT_2, or else the all-zero concept, with ")
        .having(source=f"{_BNS}, Remark 3.3")
        .run_with(learner=learn_points_or_none, d=2),
        Row().having(domain=FOUR_POINTS, finite_because=CHOSEN).of(_PRINTED),
        Row().having(domain=FOUR_POINTS_TOLD, all_sizes=every_sample(2).for_every(*SYMBOLS)).of(_CORRECTED),
    ),
)
points_extended = family(
    Row("BNS-X-Lem1.privacy.printed")
    .says("the learner of POINT_{} with the A_dist of the extended abstract is (ε,1/10)-private")
    .having(source="Beimel, Nissim & Stemmer, extended abstract, Section 3.1 and Lemma 1")
    .run_with(learner=learn_points, selection=choose_by_stability_extended_abstract)
    .of(_OF_POINTS),
    Row("", "6")
    .having(
        domain=[*TWO_OF_MANY_TOLD, *one_point_told(rows=TOLD_EXTENDED, other=63)],
        all_sizes=every_sample(6).for_every(*SYMBOLS),
    )
    .run_with(d=6),
    Row("-four-points", "2")
    .having(domain=[*FOUR_POINTS_TOLD, *one_point_told(rows=TOLD_EXTENDED, other=1)])
    .having(all_sizes=every_sample(2).for_every(*SYMBOLS))
    .run_with(d=2)
    .holds_with("5/16", "9/32", "Lap(4/ε) is twice the noise that a gap which moves by 2 needs"),
)
points_by_default = family(
    Row("BNS-J-3.2.privacy.{}default", f"the learner of POINT_2{{}} {BY_DEFAULT} is (ε,1/10)-private")
    .having(domain=FOUR_POINTS_TOLD, epsilon=1, delta=Fraction(1, 10))
    .having(all_sizes=every_sample(2).for_every(*SYMBOLS))
    .run_with(d=2),
    Row().having(source=f"{_BNS}, Lemma 3.2", mechanism=learn_points, mutant=as_printed(learn_points)),
    Row("or-none-", ", or else the all-zero concept,").having(
        source=f"{_BNS}, Remark 3.3", mechanism=learn_points_or_none, mutant=as_printed(learn_points_or_none)
    ),
)


# The improper learner of points, which the papers cite.
CITED: Final = (
    "Beimel, Nissim & Stemmer, journal version, Section 3.1, which cites Beimel, Kasiviswanathan & Nissim, with a "
    "learner of ours"
)
improper_points = claims(
    Row("BNS-J-BKN.privacy.every-epsilon")
    .says("the improper learner of points of [0, 4), hashed to two, is ε-private, for every ε")
    .having(source=CITED, mechanism=learn_points_improperly, domain=LabelledSamples(range(4), size=2))
    .having(epsilon=symbolic, all_sizes=every_sample(2))
    .having(mutant=at_times_epsilon(2, learn_points_improperly, "improperly_at_twice_epsilon"))
    .run_with(d=2, bits=1)
)


# The k-learner of points at d = k = 2, ε = 1 and δ = 10⁻⁶, on databases next to both of its thresholds.
def two_points(draw: Draw, rows: Sequence[Labelled], *, selection: Mechanism, epsilon: Exact, delta: Exact) -> Any:
    """The learner of two of four points, with (ε/2,δ/2) for the histogram and for A_dist: which points, or None."""
    given: dict[str, Any] = {"epsilon": epsilon / 2, "delta": delta / 2, "selection": selection}
    found = learn_many_points(draw, rows, d=2, k=2, alpha=HALF, **given)
    return tuple(h.j if isinstance(h, Point) else None for h in found)


def hundred_rows(with_both: int, with_one: int, of_1: int) -> tuple[Labelled, ...]:
    """So many rows (0, 11) and (0, 01), which the two targets label otherwise, and (1, 10), and the rest (2, 00)."""
    rest = 100 - with_both - with_one - of_1
    return ((0, 1),) * with_one + ((0, 3),) * with_both + ((1, 2),) * of_1 + ((2, 0),) * rest


# The histogram lists a point from 30.0 rows on, and A_dist tells the labels at a gap of 28.2. Point 0 is at both, or
# its labels are nearly tied; point 1 is not there, is one row, or is at the thresholds.
_NEXT_TO_THRESHOLDS: Final = [
    hundred_rows(*of_0, of_1)
    for of_0 in ((28, 0), (29, 0), (30, 0), (28, 1), (29, 1), (28, 2), (20, 20), (21, 19), (22, 18), (19, 21))
    for of_1 in (0, 1, 30, 31)
]
many_points = family(
    Row("BuNS-3.13.privacy.{}-two-points")
    .says(
        "the learner of two of four points with {} is (2ε,2δ)-private, at ε = 1, δ = 10⁻⁶ and α = 1/2, on 100 rows "
        "next to its thresholds or with labels nearly tied"
    )
    .having(source="Bun, Nissim & Stemmer, Algorithm 5 and Theorem 3.13, formulas as reconstructed", epsilon=2)
    .having(mechanism=two_points, domain=_NEXT_TO_THRESHOLDS, delta=Fraction(2, 10**6))
    .having(mutant=without_a_dist("most frequent labels", two_points)),
    Row("printed", "A_dist as printed").having(refuted=A_DIST_OF_BUNS).run_with(selection=choose_by_stability_journal),
    Row("corrected", "the corrected A_dist")
    .having(all_sizes=EveryDatabase(product(range(4), repeat=2)).for_every(*SYMBOLS), all_sizes_depth="report")
    .run_with(selection=choose_by_stability),
)
