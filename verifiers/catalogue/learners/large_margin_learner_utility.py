"""Utility of learning by the large margin mechanism: the shells of Chaudhuri, Hsu & Song, Corollary 2."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms import Draw
from dpverify.mechanisms.learners import learn_by_large_margin
from dpverify.mechanisms.learners.large_margin_learner import deviation_of, error_by_shells
from dpverify.mechanisms.sanitizers import Threshold, thresholds
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.family import Family
from dpverify.verifiers.utility.pac import Population, error, learnt

HALF: Final = Fraction(1, 2)
_CHS: Final = "Chaudhuri, Hsu & Song"


def learnt_by_large_margin(draw: Draw, population: Population, *, size: int, **given: Any) -> Any:
    """The concept that LMM chooses of the concepts on `size` independent examples."""
    return learnt(draw, population, size=size, learner=learn_by_large_margin, given=given)


def worst_by_large_margin(draw: Draw, population: Population, *, concepts: Sequence[Threshold], **given: Any) -> Any:
    """The threshold on the other side of what LMM chooses: j + 2 around the end in place of j."""
    found = draw(learnt_by_large_margin, population, concepts=concepts, **given)
    return concepts[(found.j + 2) % len(concepts)]


def errors_of(population: Population, concepts: Sequence[Threshold]) -> dict[Fraction, int]:
    """err(h) → how many concepts have it."""
    return dict(Counter(error(population, h) for h in concepts))


def is_within_shells(case: Case, hypothesis: Any) -> bool:
    """True where its error is at most the least one and what Corollary 2 admits."""
    given, rows = case.parameters, case.parameters["size"]
    errors = errors_of(case.database, given["concepts"])
    u = deviation_of(len(given["concepts"]), rows=rows, failure=case.facts["failure"])
    more = error_by_shells(errors, rows=rows, deviation=u, epsilon=given["epsilon"], delta=given["delta"])
    return bool(error(case.database, hypothesis) <= min(errors) + more)


def with_shells() -> Iterator[Case]:
    """Thresholds on four points, of which two have mass, with and without wrong labels."""
    for labels, share in (((1, 0), Fraction(9, 10)), ((0, 1), Fraction(9, 10)), ((0, 0), HALF)):
        population = (((0, labels[0]), share), ((3, labels[1]), 1 - share))
        for epsilon, failure in ((Fraction(1), Fraction(1, 10)), (Fraction(20), Fraction(4, 5))):
            given = {"concepts": thresholds(2), "size": 60, "epsilon": epsilon, "delta": Fraction(1, 10)}
            yield Case(population, given, {"failure": failure})


shells = Family(
    learnt_by_large_margin,
    is_within_shells,
    lambda case: case.facts["failure"] + case.parameters["delta"],
    worst_by_large_margin,
)(
    "CHS-Cor2.utility.shells",
    f"{_CHS}, Corollary 2, with the constants of Theorem 3, Hoeffding's u, and ℋ(t* + 2) in place of ℋ(t* + 1)",
    "LMM on n(1 − êrr) chooses an h with err(h) ≤ min err + 2u + 6·ln(2|ℋ(t* + 2)|/δ)/(αn) with probability "
    "≥ 1 − δ₀ − δ over the sample and the coins; thresholds on four points, n = 60, δ = 1/10, (α, δ₀) = (1, 1/10) and "
    "(20, 4/5), two kinds of examples, consistent with a threshold, or with none, or of one label",
    tuple(with_shells()),
    weak_because="2u, for what the sample errs by, is most of the bound, and LMM chooses among two hypotheses or so: "
    "as it is it fails with 0.002 of what is allowed, and with eight times its noise with 0.92",
)
