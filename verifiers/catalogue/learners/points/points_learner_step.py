"""Steps of the proof of Lemma 3.2, about the learner of points."""

from __future__ import annotations

from typing import Final

from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, between
from dpverify.verifiers.steps.statement import BrokenStep
from dpverify.verifiers.steps.terms import exp, log

_SOURCE: Final = "Beimel, Nissim & Stemmer, journal version, proof of Lemma 3.2"
_UNIT: Final = between(0, 1)


def _for_a_dist(constant: int = 8) -> dict[str, Range]:
    return {
        "alpha": _UNIT,
        "beta": _UNIT,
        "epsilon": above_zero(),
        "delta": _UNIT,
        "m": at_least(lambda alpha, beta, epsilon, delta: constant / (alpha * epsilon) * log(4 / (beta * delta))),
    }


gap = Step(
    id="BNS-J-3.2.step.gap",
    source=_SOURCE,
    statement="a gap of αm/2 is at least (1/ε)·ln(2/(βδ)), as A_dist asks for with β/2, for m ≥ (8/(αε))·ln(4/(βδ))",
    parameters=_for_a_dist(),
    says=lambda alpha, beta, epsilon, delta, m: log(1 / (beta / 2 * delta)) / epsilon <= alpha * m / 2,
    mutants=[BrokenStep("1 in place of 8", parameters=_for_a_dist(1))],
)

gap_corrected = Step(
    id="BNS-J-3.2.step.gap-corrected",
    source=f"{_SOURCE}, with the A_dist of the extended abstract",
    statement="a gap of αm/2 is at least (4/ε)·ln(4/(βδ)), as Proposition 2 asks for with β/2",
    parameters=_for_a_dist(),
    says=lambda alpha, beta, epsilon, delta, m: 4 / epsilon * log(2 / (beta / 2 * delta)) <= alpha * m / 2,
    mutants=[BrokenStep("7 in place of 8", parameters=_for_a_dist(7))],
)


def _for_the_sample(constant: int = 8) -> dict[str, Range]:
    return {"alpha": _UNIT, "beta": _UNIT, "m": at_least(lambda alpha, beta: constant / alpha * log(2 / beta))}


sample = Step(
    id="BNS-J-3.2.step.sample",
    source=_SOURCE,
    statement="e^(−αm/8) ≤ β/2 for m ≥ (8/α)·ln(2/β)",
    parameters=_for_the_sample(),
    says=lambda alpha, beta, m: exp(-alpha * m / 8) <= beta / 2,
    mutants=[BrokenStep("7 in place of 8", parameters=_for_the_sample(7))],
)

both = Step(
    id="BNS-J-3.2.step.both",
    source=_SOURCE,
    statement="(1 − e^(−αm/8))·(1 − β/2) ≥ 1 − β where e^(−αm/8) ≤ β/2",
    parameters={"beta": _UNIT, "p": Range(0, lambda beta: beta / 2)},
    says=lambda beta, p: 1 - beta <= (1 - p) * (1 - beta / 2),
    mutants=[BrokenStep("1 − 3β/4", says=lambda beta, p: 1 - 3 * beta / 4 <= (1 - p) * (1 - beta / 2))],
)
