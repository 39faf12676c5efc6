"""Privacy of the generic private learner of Kasiviswanathan et al."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.learners.generic_learner import AnyConcept, generic_learner
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.sanitizers.concepts import Example, points, thresholds
from dpverify.verifiers.catalogue.families import at_every_epsilon, on_all
from dpverify.verifiers.charts.domains import Histograms
from dpverify.verifiers.pairs.neighbours import change_one_label, replace_one
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.questions.domains import LabelledSamples

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"


def generic_learner_without_half(
    draw: Draw, sample: Sequence[Example], *, hypotheses: Sequence[AnyConcept], epsilon: Fraction | Exact
) -> Distribution[AnyConcept]:
    """Mutant: exp(ε·q) in place of exp(ε·q/2)."""
    return generic_learner(draw, sample, hypotheses=hypotheses, epsilon=2 * epsilon)


_LEARNER: Final = "Beimel, Nissim & Stemmer, journal version, Section 2.5.2, after Kasiviswanathan et al."

ALL_SAMPLES: Final = Histograms(tuple((x, y) for x in range(4) for y in (0, 1)))

generic_learners = tuple(
    Claim(
        id=f"BNS-J-KLNRS.privacy.{name}",
        source=_LEARNER,
        statement=f"the generic private learner of {long_name} is ε-private",
        mechanism=generic_learner,
        domain=LabelledSamples(range(4), size=4),
        neighbours=neighbours,
        epsilon=epsilon,
        parameters={"hypotheses": hypotheses},
        **on_all(ALL_SAMPLES),
        mutant=generic_learner_without_half,
    )
    for name, long_name, hypotheses, neighbours, epsilon in (
        ("point", "POINT_2", points(2), replace_one, 1),
        ("point-ln2", "POINT_2", points(2), replace_one, log(2)),
        ("point-label", "POINT_2, where one label changes,", points(2), change_one_label, 1),
        ("thresh", "THRESH_2", thresholds(2), replace_one, 1),
        ("thresh-ln2", "THRESH_2", thresholds(2), replace_one, log(2)),
        ("thresh-label", "THRESH_2, where one label changes,", thresholds(2), change_one_label, 1),
    )
)

generic_at_every_epsilon = at_every_epsilon(
    "BNS-J-KLNRS",
    variant="thresh-",
    source=f"{_BNS}, Section 2.5.2, after Kasiviswanathan et al.",
    statement="the generic private learner of THRESH_2 is ε-private, for every ε",
    mechanism=generic_learner,
    domain=LabelledSamples(range(4), size=3),
    parameters={"hypotheses": thresholds(2)},
    **on_all(ALL_SAMPLES),
    mutant=generic_learner_without_half,
)
