"""Privacy of the learner of points, in both versions of Beimel, Nissim & Stemmer."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms import Draw, Exact
from dpverify.mechanisms.functions import Mechanism
from dpverify.mechanisms.learners import learn_points, learn_points_or_none
from dpverify.mechanisms.sanitizers import Point
from dpverify.mechanisms.sanitizers.concepts import Example
from dpverify.mechanisms.selection import (
    choose_by_stability,
    choose_by_stability_extended_abstract,
    choose_by_stability_journal,
)
from dpverify.verifiers import LabelledSamples, Tuples
from dpverify.verifiers.catalogue.families import BY_DEFAULT, every_sample
from dpverify.verifiers.catalogue.finite import CHOSEN
from dpverify.verifiers.catalogue.mutants import as_printed, without_a_dist
from dpverify.verifiers.catalogue.refuted import OF_THE_STATEMENT
from dpverify.verifiers.privacy.family import Row, family, rows_of


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
    draw: Draw,
    sample: Sequence[Example],
    *,
    learner: Mechanism,
    selection: Mechanism,
    d: int,
    epsilon: Exact,
    delta: Exact,
) -> Any:
    """A learner of points, which point it finds, or None for the all-zero concept."""
    found = draw(learner, sample, selection=selection, d=d, epsilon=epsilon, delta=delta)
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
    *rows_of(
        _PRINTED.of(Row("{}").of(_lemma(2))), Row("-four-points").having(domain=FOUR_POINTS, finite_because=CHOSEN)
    ),
    Row().having(domain=TWO_OF_MANY, finite_because=CHOSEN).of(_PRINTED.of(_lemma(6))),
    Row().having(domain=TWO_OF_MANY_TOLD, all_sizes=every_sample(6)).of(_CORRECTED.of(_lemma(6))),
    *rows_of(
        Row("BNS-J-3.2.privacy.or-none-", "the learner of POINT_2, or else the all-zero concept, with ")
        .having(source=f"{_BNS}, Remark 3.3")
        .run_with(learner=learn_points_or_none, d=2),
        Row().having(domain=FOUR_POINTS, finite_because=CHOSEN).of(_PRINTED),
        Row().having(domain=FOUR_POINTS_TOLD, all_sizes=every_sample(2)).of(_CORRECTED),
    ),
)
points_extended = family(
    Row("BNS-X-Lem1.privacy.printed")
    .says("the learner of POINT_{} with the A_dist of the extended abstract is (ε,1/10)-private")
    .having(source="Beimel, Nissim & Stemmer, extended abstract, Section 3.1 and Lemma 1")
    .run_with(learner=learn_points, selection=choose_by_stability_extended_abstract)
    .of(_OF_POINTS),
    Row("", "6")
    .having(domain=[*TWO_OF_MANY_TOLD, *one_point_told(rows=TOLD_EXTENDED, other=63)], all_sizes=every_sample(6))
    .run_with(d=6),
    Row("-four-points", "2")
    .having(domain=[*FOUR_POINTS_TOLD, *one_point_told(rows=TOLD_EXTENDED, other=1)], all_sizes=every_sample(2))
    .run_with(d=2)
    .holds_with("5/16", "9/32", "Lap(4/ε) is twice the noise that a gap which moves by 2 needs"),
)
points_by_default = family(
    Row("BNS-J-3.2.privacy.{}default", f"the learner of POINT_2{{}} {BY_DEFAULT} is (ε,1/10)-private")
    .having(domain=FOUR_POINTS_TOLD, epsilon=1, delta=Fraction(1, 10), all_sizes=every_sample(2))
    .run_with(d=2),
    Row().having(source=f"{_BNS}, Lemma 3.2", mechanism=learn_points, mutant=as_printed(learn_points)),
    Row("or-none-", ", or else the all-zero concept,").having(
        source=f"{_BNS}, Remark 3.3", mechanism=learn_points_or_none, mutant=as_printed(learn_points_or_none)
    ),
)
