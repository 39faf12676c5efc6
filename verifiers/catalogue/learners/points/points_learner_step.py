"""Steps of the proof of Lemma 3.2, about the learner of points."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.verifiers.catalogue.refuted import as_expected, degenerate
from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, between
from dpverify.verifiers.steps.statement import BrokenStep
from dpverify.verifiers.steps.terms import Expression, Relation, exp, log

_SOURCE: Final = "Beimel, Nissim & Stemmer, journal version, proof of Lemma 3.2"
_UNIT: Final = between(0, 1)
_HALF: Final = Fraction(1, 2)


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


def _of_order(constant: int, alpha: Expression, beta: Expression, epsilon: Expression, delta: Expression) -> Relation:
    """The rows for A_dist and those for the sample, together, are of the order of the lemma with this constant."""
    rows = 8 / (alpha * epsilon) * log(4 / (beta * delta)) + 8 / alpha * log(2 / beta)
    return rows <= constant / (alpha * epsilon) * log(1 / (beta * delta))


order = Step(
    id="BNS-J-3.2.step.order",
    source=f"{_SOURCE}, the number of rows",
    statement="(8/(αε))·ln(4/(βδ)) and (8/α)·ln(2/β) are together (24/(αε))·ln(1/(βδ)) at most, for ε ≤ 1 and "
    "β, δ ≤ 1/2",
    parameters={"alpha": _UNIT, "beta": above_zero(_HALF), "epsilon": above_zero(1), "delta": above_zero(_HALF)},
    says=lambda alpha, beta, epsilon, delta: _of_order(24, alpha, beta, epsilon, delta),
    mutants=[BrokenStep("23", says=lambda alpha, beta, epsilon, delta: _of_order(23, alpha, beta, epsilon, delta))],
)

order_for_any_epsilon = Step(
    id="BNS-J-3.2.step.order-any-epsilon",
    source=f"{_SOURCE}, the number of rows",
    statement="the same for every ε > 0 with a universal constant, here 1,000,000",
    parameters={"alpha": _UNIT, "beta": above_zero(_HALF), "epsilon": above_zero(), "delta": above_zero(_HALF)},
    says=lambda alpha, beta, epsilon, delta: _of_order(1_000_000, alpha, beta, epsilon, delta),
    tries=[{"alpha": _HALF, "beta": _HALF, "epsilon": 10**8, "delta": _HALF}],
    mends="ε ≤ 1, or (1/α)·ln(1/β) besides",
    **as_expected(
        degenerate(
            "(8/α)·ln(2/β) examples are for the sample, and no ε is in them; there is no boundary in ε of its own, but "
            "one that grows with the constant."
        )
    ),
)
