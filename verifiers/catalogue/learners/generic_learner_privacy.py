"""Privacy of learners that choose a concept: that of Kasiviswanathan et al., and by the large margin mechanism."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms import Draw, Exact, log, symbolic
from dpverify.mechanisms.drawing import in_sorted_order
from dpverify.mechanisms.learners import generic_learner, learn_by_large_margin
from dpverify.mechanisms.sanitizers.concepts import Example, correct_labels, points, thresholds
from dpverify.verifiers import Histograms, LabelledSamples, change_one_label, replace_one
from dpverify.verifiers.catalogue.families import SYMBOLS, every_sample
from dpverify.verifiers.catalogue.finite import ROW_BY_ROW
from dpverify.verifiers.catalogue.mutants import without_half
from dpverify.verifiers.catalogue.selection.large_margin_privacy import of_the_tests
from dpverify.verifiers.privacy.family import Row, family, rows_of

_RELATIONS: Final = (
    Row().having(epsilon=1),
    Row("-ln2").having(epsilon=log(2)),
    Row("-label", ", where one label changes,").having(neighbours=change_one_label, epsilon=1),
)
generic_learners = family(
    Row("BNS-J-KLNRS.privacy.", "the generic private learner of ")
    .having(source="Beimel, Nissim & Stemmer, journal version, Section 2.5.2, after Kasiviswanathan et al.")
    .having(mechanism=generic_learner, domain=LabelledSamples(range(4), size=4), neighbours=replace_one)
    .having(all_sizes=Histograms(tuple((x, y) for x in range(4) for y in (0, 1))))
    .having(mutant=without_half(generic_learner)),
    *rows_of(Row("point{}", "POINT_2{} is ε-private").run_with(hypotheses=points(2)), *_RELATIONS),
    *rows_of(Row("thresh{}", "THRESH_2{} is ε-private").run_with(hypotheses=thresholds(2)), *_RELATIONS),
    Row("thresh-every-epsilon", "THRESH_2 is ε-private, for every ε")
    .having(domain=LabelledSamples(range(4), size=3), epsilon=symbolic)
    .run_with(hypotheses=thresholds(2)),
)


# Section 4.2 of Chaudhuri, Hsu & Song: by the large margin mechanism.
def best_labels(draw: Draw, sample: Sequence[Example], *, concepts: Sequence[Any], epsilon: Exact, **_: Any) -> Any:
    """Mutant: the concept with the most correct labels, without noise."""
    return max(concepts, key=lambda concept: correct_labels(concept, sample))


# At ε = 1 the printed T^(1), 104, is far beyond twelve rows; a ninth of it is 11.5.
_A_NINTH: Final = of_the_tests("1/9", "1/10")
learner = family(
    Row("CHS-4.2.privacy.")
    .having(source="Chaudhuri, Hsu & Song, Section 4.2", mechanism=learn_by_large_margin, delta=Fraction(1, 10))
    .having(domain=LabelledSamples((0, 1), size=12), mutant=best_labels)
    .run_with(concepts=thresholds(1)),
    *rows_of(
        Row("printed", "the learner of thresholds on two points by LMM is (α,δ)-private on twelve examples").having(
            all_sizes=every_sample(1).for_every(*SYMBOLS)
        ),
        Row().having(epsilon=1, least=_A_NINTH),
        Row("-30").having(epsilon=30),
    ),
    Row("ninth-of-the-slack", "the same at ε = 1 with a ninth of the printed T^(r)")
    .having(mechanism=in_sorted_order(learn_by_large_margin), epsilon=1, finite_because=ROW_BY_ROW, least=_A_NINTH)
    .run_with(slack=Fraction(1, 9)),
)
