"""Privacy of the learners with private labels, and with private rows and public points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.learners.label_private_learner import label_private_learner, semi_private_learner
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.sanitizers.concepts import Example, Threshold, thresholds
from dpverify.mechanisms.signs.symbolic_epsilon import symbolic
from dpverify.verifiers.catalogue.families import on_all
from dpverify.verifiers.catalogue.finite import ROW_BY_ROW
from dpverify.verifiers.catalogue.refuted import as_expected, variant
from dpverify.verifiers.composites.domains import EveryDatabase
from dpverify.verifiers.pairs.neighbours import change_one_label, replace_one
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.questions.domains import Tuples

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
        **as_expected(refuted),
        **({"finite_because": ROW_BY_ROW} if refuted else on_all(EveryDatabase(_EXAMPLES))),
        mutant=label_private_index_without_half,
    )
    for variant, when, neighbours, epsilon, refuted in (
        ("labels", "when one label changes", change_one_label, 1, None),
        ("labels-ln2", "when one label changes", change_one_label, log(2), None),
        ("labels-every-epsilon", "when one label changes, for every ε", change_one_label, symbolic, None),
        (
            "rows",
            "when a row is replaced, which it does not claim",
            replace_one,
            1,
            variant("The theorem claims privacy of labels alone."),
        ),
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
    **on_all(EveryDatabase(_EXAMPLES)),
    mutant=semi_private_index_without_half,
)
