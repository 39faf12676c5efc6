"""Privacy of the generic private learner of Kasiviswanathan et al."""

from __future__ import annotations

from typing import Final

from dpverify.mechanisms import log, symbolic
from dpverify.mechanisms.learners import generic_learner
from dpverify.mechanisms.sanitizers import points, thresholds
from dpverify.verifiers import Histograms, LabelledSamples, change_one_label, replace_one
from dpverify.verifiers.catalogue.mutants import without_half
from dpverify.verifiers.privacy.family import Row, family, rows_of

_OF_POINTS: Final = Row("point{}", "POINT_2{} is ε-private").run_with(hypotheses=points(2))
_OF_THRESHOLDS: Final = Row("thresh{}", "THRESH_2{} is ε-private").run_with(hypotheses=thresholds(2))
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
    *rows_of(_OF_POINTS, *_RELATIONS),
    *rows_of(_OF_THRESHOLDS, *_RELATIONS),
    Row("thresh-every-epsilon", "THRESH_2 is ε-private, for every ε")
    .having(domain=LabelledSamples(range(4), size=3), epsilon=symbolic)
    .run_with(hypotheses=thresholds(2)),
)
