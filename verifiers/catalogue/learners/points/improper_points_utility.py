"""Usefulness of the improper learner of points on its sample, whatever the number of points is."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from dpverify.mechanisms import exact, exp
from dpverify.mechanisms.learners import learn_points_improperly
from dpverify.mechanisms.sanitizers.concepts import correct_labels
from dpverify.verifiers.catalogue.learners.points.improper_points_privacy import CITED
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.family import Family, Times, weakened


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


improper_points = Family(
    learn_points_improperly,
    lambda case, h: len(case.database) - correct_labels(h, case.database) <= case.facts["alpha"] * len(case.database),
    chance_of_error,
    weakened("improperly_at_a_quarter_of_epsilon", learn_points_improperly, epsilon=Times(Fraction(1, 4))),
)(
    "BNS-J-BKN.utility.on-the-sample",
    CITED,
    "the improper learner of points with 2^r hashes errs on more than α·m of m examples that a point labels "
    "with probability ≤ 2/(α·2^r) + 2^r·e^(−εαm/4); two points, r = 4, α = 3/8, ε = 11/10, m = 40",
    tuple(samples_of_one_point()),
)
