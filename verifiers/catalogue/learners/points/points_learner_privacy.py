"""Privacy of the learner of points, in both versions of Beimel, Nissim & Stemmer."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.learners.points_learner import learn_points, learn_points_or_none
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.sanitizers.concepts import Example, Point
from dpverify.mechanisms.selection.stability import (
    choose_by_stability,
    choose_by_stability_extended_abstract,
    choose_by_stability_journal,
)
from dpverify.verifiers.catalogue.families import BY_DEFAULT, every_sample, on_all
from dpverify.verifiers.catalogue.finite import CHOSEN
from dpverify.verifiers.catalogue.refuted import OF_THE_STATEMENT, as_expected
from dpverify.verifiers.catalogue.selection.stability.stability_privacy import as_printed, best_whatever_the_gap
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.profiles.least_share import LeastShare
from dpverify.verifiers.questions.domains import LabelledSamples, Tuples

TENTH: Final = Fraction(1, 10)
_BNS: Final = "Beimel, Nissim & Stemmer, journal version"


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


def index_without_a_dist(
    draw: Draw,
    sample: Sequence[Example],
    *,
    learner: Mechanism,
    selection: Mechanism,
    d: int,
    epsilon: Exact,
    delta: Exact,
) -> Any:
    """Mutant: takes the best point without the test of A_dist."""
    return index_of_point(
        draw, sample, learner=learner, selection=best_whatever_the_gap, d=d, epsilon=epsilon, delta=delta
    )


_SOURCE: Final = "Beimel, Nissim & Stemmer, journal version, Section 3.1"

points = tuple(
    Claim(
        id=f"BNS-J-3.2.privacy.{variant}",
        source=f"{_SOURCE}, {where}",
        statement=f"the learner of POINT_{d}{other} with {what} is (ε,1/10)-private",
        mechanism=index_of_point,
        domain=domain,
        epsilon=1,
        delta=TENTH,
        parameters={"learner": learner, "d": d, "selection": selection},
        **as_expected(refuted),
        **({"finite_because": CHOSEN} if refuted else on_all(every_sample(d))),
        mutant=index_without_a_dist,
    )
    for variant, where, d, other, what, learner, domain, selection, refuted in (
        (
            "printed-four-points",
            "Lemma 3.2",
            2,
            "",
            "the A_dist of the journal version",
            learn_points,
            FOUR_POINTS,
            choose_by_stability_journal,
            OF_THE_STATEMENT,
        ),
        (
            "printed",
            "Lemma 3.2",
            6,
            "",
            "the A_dist of the journal version",
            learn_points,
            TWO_OF_MANY,
            choose_by_stability_journal,
            OF_THE_STATEMENT,
        ),
        (
            "corrected",
            "Lemma 3.2",
            6,
            "",
            "the corrected A_dist",
            learn_points,
            TWO_OF_MANY_TOLD,
            choose_by_stability,
            None,
        ),
        (
            "or-none-printed",
            "Remark 3.3",
            2,
            ", or else the all-zero concept,",
            "the A_dist of the journal version",
            learn_points_or_none,
            FOUR_POINTS,
            choose_by_stability_journal,
            OF_THE_STATEMENT,
        ),
        (
            "or-none-corrected",
            "Remark 3.3",
            2,
            ", or else the all-zero concept,",
            "the corrected A_dist",
            learn_points_or_none,
            FOUR_POINTS_TOLD,
            choose_by_stability,
            None,
        ),
    )
)

_TWICE: Final = LeastShare(
    share="5/16", below="9/32", because="Lap(4/ε) is twice the noise that a gap which moves by 2 needs"
)
points_extended = tuple(
    Claim(
        id=f"BNS-X-Lem1.privacy.{variant}",
        source="Beimel, Nissim & Stemmer, extended abstract, Section 3.1 and Lemma 1",
        statement=f"the learner of POINT_{d} with the A_dist of the extended abstract is (ε,1/10)-private",
        mechanism=index_of_point,
        domain=domain,
        epsilon=1,
        delta=TENTH,
        parameters={"learner": learn_points, "d": d, "selection": choose_by_stability_extended_abstract},
        **on_all(every_sample(d)),
        mutant=index_without_a_dist,
        least=least,
    )
    for variant, d, domain, least in (
        ("printed", 6, [*TWO_OF_MANY_TOLD, *one_point_told(rows=TOLD_EXTENDED, other=63)], None),
        ("printed-four-points", 2, [*FOUR_POINTS_TOLD, *one_point_told(rows=TOLD_EXTENDED, other=1)], _TWICE),
    )
)

points_by_default = tuple(
    Claim(
        id=f"BNS-J-3.2.privacy.{variant}",
        source=f"{_BNS}, Section 3.1, {where}",
        statement=f"the learner of POINT_2{other} {BY_DEFAULT} is (ε,1/10)-private",
        mechanism=learner,
        domain=FOUR_POINTS_TOLD,
        epsilon=1,
        delta=TENTH,
        parameters={"d": 2},
        **on_all(every_sample(2)),
        mutant=as_printed(learner),
    )
    for variant, where, other, learner in (
        ("default", "Lemma 3.2", "", learn_points),
        ("or-none-default", "Remark 3.3", ", or else the all-zero concept,", learn_points_or_none),
    )
)
