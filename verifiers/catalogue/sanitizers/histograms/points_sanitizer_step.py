"""Steps of the proof about SanPoints, Theorem 4.6."""

from __future__ import annotations

from typing import Final

from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, between
from dpverify.verifiers.steps.statement import BrokenStep
from dpverify.verifiers.steps.terms import Expression, exp, log, sqrt

_SOURCE: Final = "Beimel, Nissim & Stemmer, journal version, proof of Theorem 4.6"
_UNIT: Final = between(0, 1)


def _small(alpha: Expression, epsilon: Expression, delta: Expression, constant: int = 32) -> Expression:
    """ε̃ of Figure 9."""
    return epsilon / sqrt(constant / alpha * log(5 / delta))


def _rows(constant: int = 6) -> dict[str, Range]:
    return {
        "alpha": _UNIT,
        "beta": _UNIT,
        "epsilon": above_zero(),
        "delta": _UNIT,
        "m": at_least(
            lambda alpha, beta, epsilon, delta: (
                constant / (alpha * sqrt(alpha) * epsilon) * log(4 / (alpha * beta)) * sqrt(log(5 / delta))
            )
        ),
    }


event_1 = Step(
    id="BNS-J-4.6.step.e1",
    source=f"{_SOURCE}, E1",
    statement="(2/α)·e^(−ε̃αm) ≤ β/2 for m ≥ (6/(α^1.5·ε))·ln(4/(αβ))·sqrt(ln(5/δ))",
    parameters=_rows(),
    says=lambda alpha, beta, epsilon, delta, m: 2 / alpha * exp(-_small(alpha, epsilon, delta) * alpha * m) <= beta / 2,
    mutants=[BrokenStep("5 in place of 6", parameters=_rows(5))],
)

composition = Step(
    id="BNS-J-4.6.step.composition",
    source=f"{_SOURCE}, privacy",
    statement="4/α mechanisms with ε̃, δ′ = δ/5, compose to ε by Theorem 2.5, for ε ≤ 1, as that asks for",
    parameters={"alpha": _UNIT, "epsilon": above_zero(1), "delta": _UNIT},
    says=lambda alpha, epsilon, delta: (
        sqrt(2 * (4 / alpha) * log(5 / delta)) * _small(alpha, epsilon, delta)
        + 2 * (4 / alpha) * _small(alpha, epsilon, delta) ** 2
        <= epsilon
    ),
    mutants=[
        BrokenStep(
            "8 in place of 32",
            says=lambda alpha, epsilon, delta: (
                sqrt(2 * (4 / alpha) * log(5 / delta)) * _small(alpha, epsilon, delta, 8)
                + 2 * (4 / alpha) * _small(alpha, epsilon, delta, 8) ** 2
                <= epsilon
            ),
        )
    ],
)

deltas = Step(
    id="BNS-J-4.6.step.deltas",
    source=f"{_SOURCE}, privacy",
    statement="4/α times δ̃ = αδ/5, and δ′ = δ/5, are δ",
    parameters={"alpha": _UNIT, "delta": _UNIT},
    says=lambda alpha, delta: 4 / alpha * (alpha * delta / 5) + delta / 5 <= delta,
    mutants=[BrokenStep("δ̃ = αδ/4", says=lambda alpha, delta: 4 / alpha * (alpha * delta / 4) + delta / 5 <= delta)],
)

union = Step(
    id="BNS-J-4.6.step.e2",
    source=f"{_SOURCE}, E2",
    statement="2/α choices, each wrong with probability αβ/4, are all right but with probability β/2",
    parameters={"alpha": _UNIT, "beta": _UNIT},
    says=lambda alpha, beta: 2 / alpha * (alpha * beta / 4) <= beta / 2,
    mutants=[BrokenStep("αβ/3", says=lambda alpha, beta: 2 / alpha * (alpha * beta / 3) <= beta / 2)],
)
