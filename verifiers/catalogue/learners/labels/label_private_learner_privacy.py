"""Privacy of the learners with private labels, and with private rows and public points."""

from collections.abc import Sequence
from typing import Any, Final

from dpverify.mechanisms import Draw, log, symbolic
from dpverify.mechanisms.learners import label_private_learner, semi_private_learner
from dpverify.mechanisms.sanitizers.concepts import Example, thresholds
from dpverify.verifiers import Tuples, change_one_label, replace_one
from dpverify.verifiers.catalogue.families import BNS
from dpverify.verifiers.catalogue.finite import ROW_BY_ROW
from dpverify.verifiers.catalogue.mutants import without_half
from dpverify.verifiers.privacy.family import EveryDatabase, Row, claims, rows_of


def label_private_index(draw: Draw, sample: Sequence[Example], *, epsilon: Any, **given: Any) -> Any:
    """The generic label-private learner, which threshold it chooses."""
    return draw(label_private_learner, sample, epsilon=epsilon, **given).j


def semi_private_index(draw: Draw, sample: Sequence[Example], *, epsilon: Any, **given: Any) -> Any:
    """The generic semi-private learner, which threshold it chooses."""
    return draw(semi_private_learner, sample, epsilon=epsilon, **given).j


_EXAMPLES: Final = tuple((x, y) for x in range(3) for y in (0, 1))

# Section 6.1. The points are public: changing one of them is another relation, under which the learner is not private.
_LABELS: Final = (
    Row("BNS-J-6.2.privacy.")
    .says("the generic label-private learner of THRESH_2, with one row for its points, is ε-private ")
    .having(source=f"{BNS}, Figure 13 and Theorem 6.2", mechanism=label_private_index)
    .having(domain=Tuples(_EXAMPLES, size=3), mutant=without_half(label_private_index))
    .run_with(concepts=thresholds(2), split=1)
)
_ANY_SAMPLE: Final = EveryDatabase(_EXAMPLES).for_every(symbolic)
label_private = claims(
    *rows_of(
        Row("labels", "when one label changes").having(neighbours=change_one_label, all_sizes=_ANY_SAMPLE).of(_LABELS),
        Row().having(epsilon=1),
        Row("-ln2").having(epsilon=log(2)),
        Row("-every-epsilon", ", for every ε").having(epsilon=symbolic),
    ),
    Row("rows", "when a row is replaced, which it does not claim")
    .having(neighbours=replace_one, epsilon=1, finite_because=ROW_BY_ROW)
    .having(variant="The theorem claims privacy of labels alone.")
    .of(_LABELS),
)

# Section 6.2. The unlabelled points are public, and all of the sample is private.
semi_private = claims(
    Row("BNS-J-6.2.privacy.semi-private-every-epsilon")
    .says("the generic semi-private learner of THRESH_2, with two public points, is ε-private for every ε")
    .having(source=f"{BNS}, Section 6.2", mechanism=semi_private_index, domain=Tuples(_EXAMPLES, size=3))
    .having(epsilon=symbolic, all_sizes=_ANY_SAMPLE, mutant=without_half(semi_private_index))
    .run_with(concepts=thresholds(2), unlabelled=(0, 2))
)
