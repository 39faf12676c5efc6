"""Usefulness of the improper learner of points on its sample, whatever the number of points is."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.learners.improper_points_learner import learn_points_improperly
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.exact_numbers import exact
from dpverify.mechanisms.sanitizers.concepts import correct_labels
from dpverify.verifiers.catalogue.learners.points.improper_points_privacy import CITED
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim


def samples_of_one_point() -> Iterator[Case]:
    """40 examples of two points, of which the one that labels them has one more than α of them, half, or nearly all."""
    for ones in (16, 20, 36):
        sample = ((1, 1),) * ones + ((0, 0),) * (40 - ones)
        yield Case(sample, {"d": 1, "bits": 4, "epsilon": Fraction(11, 10)}, {"alpha": Fraction(3, 8)})


def chance_of_error(case: Case) -> Any:
    """2/(α·2^r) + 2^r·e^(−εαm/4): above αm/2 examples share the target's hash, or one is chosen that much worse."""
    hypotheses, alpha = 1 << case.parameters["bits"], exact(case.facts["alpha"])
    epsilon: Fraction = case.parameters["epsilon"]
    return 2 / (alpha * hypotheses) + hypotheses * exp(-epsilon * alpha * len(case.database) / 4)


def improperly_at_a_quarter_of_epsilon(draw: Draw, sample: Any, *, epsilon: Fraction, **given: Any) -> Any:
    """A quarter of the ε."""
    return learn_points_improperly(draw, sample, epsilon=epsilon / 4, **given)


improper_points = UtilityClaim(
    id="BNS-J-BKN.utility.on-the-sample",
    source=CITED,
    statement="the improper learner of points with 2^r hashes errs on more than α·m of m examples that a point labels "
    "with probability ≤ 2/(α·2^r) + 2^r·e^(−εαm/4); two points, r = 4, α = 3/8, ε = 11/10, m = 40",
    mechanism=learn_points_improperly,
    succeeds=lambda case, h: (
        len(case.database) - correct_labels(h, case.database) <= case.facts["alpha"] * len(case.database)
    ),
    beta=chance_of_error,
    cases=tuple(samples_of_one_point()),
    mutant=improperly_at_a_quarter_of_epsilon,
)
