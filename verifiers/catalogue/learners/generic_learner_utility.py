"""Utility of the generic learner of Kasiviswanathan et al."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any, Final

from dpverify.mechanisms import exp
from dpverify.mechanisms.learners import generic_learner
from dpverify.mechanisms.sanitizers import points, thresholds
from dpverify.mechanisms.sanitizers.concepts import correct_labels
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.family import Family, Times, weakened

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"


def all_small_samples() -> Iterator[Case]:
    """All samples of up to 4 examples, consistent or not, of points and thresholds with d = 1, and of 2 with d = 2."""
    for d, most in ((1, 4), (2, 2)):
        for hypotheses in (points(d), thresholds(d), points(d)[:1]):
            for m in range(1, most + 1):
                for sample in combinations_with_replacement([(x, y) for x in range(1 << d) for y in (0, 1)], m):
                    for epsilon in (Fraction(1, 100), Fraction(3), Fraction(200)):
                        for wrong in (1, m):
                            given = {"hypotheses": hypotheses, "epsilon": epsilon}
                            # errors are multiples of 1/m: more than wrong − 1 is the least that Δ can mean
                            yield Case(sample, given, {"wrong": wrong})


def is_best_but_for(case: Case, hypothesis: Any) -> bool:
    """True where it labels fewer than `wrong` examples less than the best correctly."""
    best = max(correct_labels(h, case.database) for h in case.parameters["hypotheses"])
    return bool(best - correct_labels(hypothesis, case.database) < case.facts["wrong"])


generic = Family(
    generic_learner,
    is_best_but_for,
    lambda case: len(case.parameters["hypotheses"]) * exp(-case.parameters["epsilon"] * case.facts["wrong"] / 2),
    weakened("generic_at_half_epsilon", generic_learner, epsilon=Times(Fraction(1, 2))),
)(
    "BNS-J-KLNRS.utility.empirical",
    f"{_BNS}, Section 2.5.2",
    "the generic learner's hypothesis has error ≥ the least + Δ with probability at most |H|·e^(−εΔm/2), "
    "on all samples with d = 1, m ≤ 4 and d = 2, m ≤ 2, of points and thresholds, at three ε",
    tuple(all_small_samples()),
)
