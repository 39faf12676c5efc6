"""The generic private learner of Kasiviswanathan, Lee, Nissim, Raskhodnikova and Smith."""

from collections.abc import Sequence
from typing import TypeVar

from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.sanitizers.concepts import Concept, Example, numbers_of_correct_labels
from dpverify.mechanisms.selection.exponential_mechanism import exponential

AnyConcept = TypeVar("AnyConcept", bound=Concept)


def generic_learner(
    draw: object, sample: Sequence[Example], *, hypotheses: Sequence[AnyConcept], epsilon: ExactLike
) -> Distribution[AnyConcept]:
    """A hypothesis h by the exponential mechanism with quality |{i : h(x_i) = y_i}|.

    A proper learner where `hypotheses` is the concept class. Source: Beimel, Nissim & Stemmer, journal version,
    Section 2.5.2. Raises `InputError` where `hypotheses` is empty or ε ≤ 0.
    """
    return exponential(numbers_of_correct_labels(hypotheses, sample), epsilon)
