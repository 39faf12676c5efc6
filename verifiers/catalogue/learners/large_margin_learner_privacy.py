"""Privacy of learning by the large margin mechanism: Section 4.2 of Chaudhuri, Hsu & Song."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.drawing.sorted_rows import in_sorted_order
from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.learners.large_margin_learner import learn_by_large_margin
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.sanitizers.concepts import Example, correct_labels, thresholds
from dpverify.verifiers.catalogue.families import every_sample, on_all
from dpverify.verifiers.catalogue.finite import ROW_BY_ROW
from dpverify.verifiers.catalogue.selection.large_margin_privacy import of_the_tests
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.questions.domains import LabelledSamples

TENTH: Final = Fraction(1, 10)

SAMPLES: Final = LabelledSamples((0, 1), size=12)
AT: Final = (("", 1), ("-30", 30))


def best_labels(draw: Draw, sample: Sequence[Example], *, concepts: Sequence[Any], epsilon: Exact, **_: Any) -> Any:
    """Mutant: the concept with the most correct labels, without noise."""
    return max(concepts, key=lambda concept: correct_labels(concept, sample))


# At ε = 1 the printed T^(1), 104, is far beyond twelve rows; a ninth of it is 11.5.
_A_NINTH: Final = of_the_tests("1/9", "1/10")

learner = tuple(
    Claim(
        id=f"CHS-4.2.privacy.printed{suffix}",
        source="Chaudhuri, Hsu & Song, Section 4.2",
        statement="the learner of thresholds on two points by LMM is (α,δ)-private on twelve examples",
        mechanism=learn_by_large_margin,
        domain=SAMPLES,
        epsilon=epsilon,
        delta=TENTH,
        parameters={"concepts": thresholds(1)},
        **on_all(every_sample(1)),
        mutant=best_labels,
        least=_A_NINTH if epsilon == 1 else None,
    )
    for suffix, epsilon in AT
)
least = Claim(
    id="CHS-4.2.privacy.ninth-of-the-slack",
    source="Chaudhuri, Hsu & Song, Section 4.2",
    statement="the same at ε = 1 with a ninth of the printed T^(r)",
    mechanism=in_sorted_order(learn_by_large_margin),
    domain=SAMPLES,
    epsilon=1,
    delta=TENTH,
    parameters={"concepts": thresholds(1), "slack": Fraction(1, 9)},
    finite_because=ROW_BY_ROW,
    mutant=best_labels,
    least=_A_NINTH,
)
