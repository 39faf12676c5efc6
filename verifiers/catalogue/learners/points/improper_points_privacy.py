"""Privacy of the improper learner of points, which the papers cite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.learners.improper_points_learner import learn_points_improperly
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.sanitizers.concepts import Example
from dpverify.mechanisms.signs.symbolic_epsilon import symbolic
from dpverify.verifiers.catalogue.families import every_sample, on_all
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.questions.domains import LabelledSamples

CITED: Final = (
    "Beimel, Nissim & Stemmer, journal version, Section 3.1, which cites Beimel, Kasiviswanathan & Nissim, with a "
    "learner of ours"
)


def improperly_at_twice_epsilon(draw: Draw, sample: Sequence[Example], *, epsilon: Exact, **given: Any) -> Any:
    """Mutant: twice the ε."""
    return learn_points_improperly(draw, sample, epsilon=2 * epsilon, **given)


improper_points = Claim(
    id="BNS-J-BKN.privacy.every-epsilon",
    source=CITED,
    statement="the improper learner of points of [0, 4), hashed to two, is ε-private, for every ε",
    mechanism=learn_points_improperly,
    domain=LabelledSamples(range(4), size=2),
    epsilon=symbolic,
    parameters={"d": 2, "bits": 1},
    **on_all(every_sample(2)),
    mutant=improperly_at_twice_epsilon,
)
