"""Beimel, Nissim & Stemmer: the learner of points, and the generic label-private learner."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.concepts import Example, Point, Threshold, thresholds
from dpverify.mechanisms.elementary import log
from dpverify.mechanisms.exact_numbers import Exact
from dpverify.mechanisms.exponential_mechanism import Quality
from dpverify.mechanisms.label_private_learner import label_private_learner
from dpverify.mechanisms.mechanism import Draw, Mechanism
from dpverify.mechanisms.points_learner import learn_points, learn_points_or_none
from dpverify.mechanisms.stability import a_dist, a_dist_journal, best_and_gap
from dpverify.mechanisms.symbolic_epsilon import symbolic
from dpverify.reports.record import Status
from dpverify.verifiers.claims import Claim
from dpverify.verifiers.domains import LabelledSamples, Tuples
from dpverify.verifiers.neighbours import change_one_label, replace_one

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


# Section 6.1. The points are public: changing one of them is another relation, under which the learner is not private.


def label_private_index(
    draw: Draw, sample: Sequence[Example], *, concepts: Sequence[Threshold], split: int, epsilon: Any
) -> Any:
    """The generic label-private learner, which threshold it chooses."""
    return draw(label_private_learner, sample, concepts=concepts, split=split, epsilon=epsilon).j


def label_private_index_without_half(
    draw: Draw, sample: Sequence[Example], *, concepts: Sequence[Threshold], split: int, epsilon: Any
) -> Any:
    """Mutant: exp(ε·q) in place of exp(ε·q/2)."""
    return label_private_index(draw, sample, concepts=concepts, split=split, epsilon=2 * epsilon)


_EXAMPLES: Final = tuple((x, y) for x in range(3) for y in (0, 1))

label_private = tuple(
    Claim(
        id=f"BNS-J-6.2.privacy.{variant}",
        source="Beimel, Nissim & Stemmer, journal version, Figure 13 and Theorem 6.2",
        statement=f"the generic label-private learner of THRESH_2, with one row for its points, is ε-private {when}",
        mechanism=label_private_index,
        domain=Tuples(_EXAMPLES, size=3),
        neighbours=neighbours,
        epsilon=epsilon,
        parameters={"concepts": thresholds(2), "split": 1},
        expected=expected,
        mutant=label_private_index_without_half,
    )
    for variant, when, neighbours, epsilon, expected in (
        ("labels", "when one label changes", change_one_label, 1, Status.PROVED),
        ("labels-ln2", "when one label changes", change_one_label, log(2), Status.PROVED),
        ("labels-every-epsilon", "when one label changes, for every ε", change_one_label, symbolic, Status.PROVED),
        ("rows", "when a row is replaced, which it does not claim", replace_one, 1, Status.REFUTED),
    )
)
