"""Beimel, Nissim & Stemmer: the learner of points, and the variant that has an all-zero concept to answer with."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.concepts import Example, Point
from dpverify.mechanisms.exact_numbers import Exact
from dpverify.mechanisms.exponential_mechanism import Quality
from dpverify.mechanisms.mechanism import Draw, Mechanism
from dpverify.mechanisms.points_learner import learn_points, learn_points_or_none
from dpverify.mechanisms.stability import a_dist, a_dist_journal, best_and_gap
from dpverify.reports.record import Status
from dpverify.verifiers.claims import Claim
from dpverify.verifiers.domains import LabelledSamples

TENTH: Final = Fraction(1, 10)
FOUR_POINTS: Final = LabelledSamples(range(4), size=3)
TWO_OF_MANY: Final = LabelledSamples((0, 63), size=3)


def best_point(draw: Draw, quality: Quality, *, epsilon: Exact, delta: Exact) -> Any:
    """The best point, whatever its gap."""
    return best_and_gap(quality)[0]


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
    return index_of_point(draw, sample, learner=learner, selection=best_point, d=d, epsilon=epsilon, delta=delta)


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
        expected=expected,
        mutant=index_without_a_dist,
    )
    for variant, where, d, other, what, learner, domain, selection, expected in (
        (
            "printed-four-points",
            "Lemma 3.2",
            2,
            "",
            "the A_dist of the journal version",
            learn_points,
            FOUR_POINTS,
            a_dist_journal,
            Status.REFUTED,
        ),
        (
            "printed",
            "Lemma 3.2",
            6,
            "",
            "the A_dist of the journal version",
            learn_points,
            TWO_OF_MANY,
            a_dist_journal,
            Status.REFUTED,
        ),
        (
            "corrected",
            "Lemma 3.2",
            6,
            "",
            "the corrected A_dist",
            learn_points,
            TWO_OF_MANY,
            a_dist,
            Status.PROVED,
        ),
        (
            "or-none-printed",
            "Remark 3.3",
            2,
            ", or else the all-zero concept,",
            "the A_dist of the journal version",
            learn_points_or_none,
            FOUR_POINTS,
            a_dist_journal,
            Status.REFUTED,
        ),
        (
            "or-none-corrected",
            "Remark 3.3",
            2,
            ", or else the all-zero concept,",
            "the corrected A_dist",
            learn_points_or_none,
            FOUR_POINTS,
            a_dist,
            Status.PROVED,
        ),
    )
)
