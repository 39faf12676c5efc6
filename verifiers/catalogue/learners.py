"""Beimel, Nissim & Stemmer: the learners of points, thresholds by search, and rectangles; the label-private ones."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any, Final, Literal

from dpverify.mechanisms.exact.elementary import log
from dpverify.mechanisms.exact.exact_numbers import Exact
from dpverify.mechanisms.exact.symbolic_epsilon import symbolic
from dpverify.mechanisms.laws.mechanism import Draw, Mechanism
from dpverify.mechanisms.learners.label_private_learner import label_private_learner, semi_private_learner
from dpverify.mechanisms.learners.points_learner import learn_points, learn_points_or_none
from dpverify.mechanisms.learners.rectangles_learner import Rectangle, Vector, learn_rectangle
from dpverify.mechanisms.learners.threshold_search import learn_thresholds_by_search
from dpverify.mechanisms.sanitizers.concepts import Example, Point, Threshold, thresholds
from dpverify.mechanisms.selection.stability import a_dist, a_dist_extended_abstract, a_dist_journal
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue.bns_j import best_whatever_the_gap
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.privacy.domains import LabelledSamples, Tuples
from dpverify.verifiers.privacy.neighbours import change_one_label, replace_one

TENTH: Final = Fraction(1, 10)
FOUR_POINTS: Final = LabelledSamples(range(4), size=3)
TWO_OF_MANY: Final = LabelledSamples((0, 63), size=3)


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

points_extended = tuple(
    Claim(
        id=f"BNS-X-Lem1.privacy.{variant}",
        source="Beimel, Nissim & Stemmer, extended abstract, Section 3.1 and Lemma 1",
        statement=f"the learner of POINT_{d} with the A_dist of the extended abstract is (ε,1/10)-private",
        mechanism=index_of_point,
        domain=domain,
        epsilon=1,
        delta=TENTH,
        parameters={"learner": learn_points, "d": d, "selection": a_dist_extended_abstract},
        mutant=index_without_a_dist,
    )
    for variant, d, domain in (("printed", 6, TWO_OF_MANY), ("printed-four-points", 2, FOUR_POINTS))
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

# Section 6.2. The unlabelled points are public, and all of the sample is private.


def semi_private_index(
    draw: Draw, sample: Sequence[Example], *, unlabelled: Sequence[int], concepts: Sequence[Threshold], epsilon: Any
) -> Any:
    """The generic semi-private learner, which threshold it chooses."""
    return draw(semi_private_learner, sample, unlabelled=unlabelled, concepts=concepts, epsilon=epsilon).j


def semi_private_index_without_half(
    draw: Draw, sample: Sequence[Example], *, unlabelled: Sequence[int], concepts: Sequence[Threshold], epsilon: Any
) -> Any:
    """Mutant: exp(ε·q) in place of exp(ε·q/2)."""
    return semi_private_index(draw, sample, unlabelled=unlabelled, concepts=concepts, epsilon=2 * epsilon)


semi_private = Claim(
    id="BNS-J-6.2.privacy.semi-private-every-epsilon",
    source="Beimel, Nissim & Stemmer, journal version, Section 6.2",
    statement="the generic semi-private learner of THRESH_2, with two public points, is ε-private for every ε",
    mechanism=semi_private_index,
    domain=Tuples(_EXAMPLES, size=3),
    epsilon=symbolic,
    parameters={"concepts": thresholds(2), "unlabelled": (0, 2)},
    mutant=semi_private_index_without_half,
)

# Section 3.2. How ε and δ are divided among the parts is not printed.


def index_by_search(draw: Draw, sample: Sequence[Example], *, epsilon: Any, delta: Any, **given: Any) -> Any:
    """The learner of thresholds by noisy binary search, which threshold it chooses."""
    return draw(learn_thresholds_by_search, sample, epsilon=epsilon, delta=delta, **given).j


def index_by_search_at_twelve_times_epsilon(
    draw: Draw, sample: Sequence[Example], *, epsilon: Any, delta: Any, **given: Any
) -> Any:
    """Mutant: twelve times the ε."""
    return index_by_search(draw, sample, epsilon=12 * epsilon, delta=delta, **given)


by_search = tuple(
    Claim(
        id=f"BNS-J-3.5.privacy.{variant}",
        source="Beimel, Nissim & Stemmer, journal version, Section 3.2 and Remark 3.5",
        statement=f"THRESH_3 by a noisy binary search over {what}, with the corrected A_dist, is (ε,1/100)-private",
        mechanism=index_by_search,
        domain=LabelledSamples(range(8), size=2),
        epsilon=4,
        delta=Fraction(1, 100),
        parameters={"d": 3, "alpha": Fraction(1, 2), "powers": powers, "selection": a_dist},
        mutant=index_by_search_at_twelve_times_epsilon,
    )
    for variant, what, powers in (("lengths", "all lengths", False), ("powers", "powers of 2", True))
)

# Theorem 3.22. Its constants are not printed either.


def ends_of_rectangle(
    draw: Draw, sample: Sequence[tuple[Vector, int]], *, epsilon: Any, delta: Any, **given: Any
) -> Any:
    """The learner of rectangles, the corners of the one that it finds, or None for the concept that is 0."""
    found = learn_rectangle(draw, sample, epsilon=epsilon, delta=delta, **given)
    return (found.lows, found.highs) if isinstance(found, Rectangle) else None


def bounding_box(draw: Draw, sample: Sequence[tuple[Vector, int]], **_: Any) -> Any:
    """Mutant: the smallest rectangle around the positive examples."""
    positives = [x for x, y in sample if y]
    if not positives:
        return None
    return (tuple(map(min, zip(*positives, strict=True))), tuple(map(max, zip(*positives, strict=True))))


def _rectangles(variant: str, axes: str, n: int, depth: Literal["quick", "full"]) -> Claim:
    examples = tuple((x, y) for x in product((0, 1), repeat=n) for y in (0, 1))
    return Claim(
        id=f"BNS-J-3.22.privacy.{variant}",
        source="Beimel, Nissim & Stemmer, journal version, Section 3.5 and Theorem 3.22",
        statement=f"the learner of rectangles with {axes} of two points is (2,1/10)-private, with one call for "
        "an axis, on two rows, far fewer than Lemma 4.8 asks for",
        mechanism=ends_of_rectangle,
        domain=Tuples(examples, size=2),
        epsilon=2,
        delta=TENTH,
        parameters={"d": 1, "alpha": Fraction(1, 2), "calls": 1},
        mutant=bounding_box,
        depth=depth,
    )


rectangles = (_rectangles("one-axis", "one axis", 1, "quick"), _rectangles("two-axes", "two axes", 2, "full"))
