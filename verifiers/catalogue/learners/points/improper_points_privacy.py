"""Privacy of the improper learner of points, which the papers cite."""

from __future__ import annotations

from typing import Final

from dpverify.mechanisms import symbolic
from dpverify.mechanisms.learners import learn_points_improperly
from dpverify.verifiers import LabelledSamples
from dpverify.verifiers.catalogue.families import every_sample
from dpverify.verifiers.catalogue.mutants import at_times_epsilon
from dpverify.verifiers.privacy.family import Row, claims

CITED: Final = (
    "Beimel, Nissim & Stemmer, journal version, Section 3.1, which cites Beimel, Kasiviswanathan & Nissim, with a "
    "learner of ours"
)

improper_points = claims(
    Row("BNS-J-BKN.privacy.every-epsilon")
    .says("the improper learner of points of [0, 4), hashed to two, is ε-private, for every ε")
    .having(source=CITED, mechanism=learn_points_improperly, domain=LabelledSamples(range(4), size=2))
    .having(epsilon=symbolic, all_sizes=every_sample(2))
    .having(mutant=at_times_epsilon(2, learn_points_improperly, "improperly_at_twice_epsilon"))
    .run_with(d=2, bits=1)
)
