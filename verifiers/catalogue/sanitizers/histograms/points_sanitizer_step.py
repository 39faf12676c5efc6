"""Steps of the proof about SanPoints, Theorem 4.6."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, between
from dpverify.verifiers.steps.statement import BrokenStep
from dpverify.verifiers.steps.terms import Expression, Relation, exp, log, sqrt

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


def _composed(more: int, alpha: Expression, epsilon: Expression, delta: Expression) -> Relation:
    """√(2k·ln(5/δ))·ε̃ + 2kε̃² ≤ ε for k = 4/α + `more` mechanisms; divided by ε."""
    k_alpha = 4 + more * alpha
    return sqrt(k_alpha / 16) + epsilon * k_alpha / (16 * log(5 / delta)) <= 1


rounded_up = Step(
    id="BNS-J-4.6.step.rounded-up",
    source=f"{_SOURCE}, privacy",
    statement="with 2/α rounded up there are at most 4/α + 2 mechanisms, and they compose to ε by Theorem 2.5, too, "
    "for ε ≤ 1: √(2k·ln(5/δ))·ε̃ + 2kε̃² ≤ ε, divided by ε",
    parameters={"alpha": _UNIT, "epsilon": above_zero(1), "delta": _UNIT},
    says=lambda alpha, epsilon, delta: _composed(2, alpha, epsilon, delta),
    mutants=[BrokenStep("5 more", says=lambda alpha, epsilon, delta: _composed(5, alpha, epsilon, delta))],
)


def _logarithm(constant: int, a: Expression, b: Expression, x: Expression) -> Relation:
    return log(640 * sqrt(32)) + 7 * a / 2 + b + x + log(log(5) + x) / 2 <= constant * (a + b + x)


logarithm = Step(
    id="BNS-J-4.6.step.logarithm",
    source=f"{_SOURCE}, the number of rows, which is left as an order",
    statement="of the rows that Lemmas 4.4 and 4.5 ask for with α/2, αβ/4, ε̃ and δ̃ the logarithm, "
    "ln(640·√((32/α)·ln(5/δ))/(α³βεδ)), is at most 6·ln(1/(αβεδ)), where α, βε and δ are 1/2 at most; a = ln(1/α), "
    "b = ln(1/(βε)), x = ln(1/δ)",
    parameters=dict.fromkeys(("a", "b", "x"), at_least(Fraction(69, 100))),
    says=lambda a, b, x: _logarithm(6, a, b, x),
    mutants=[BrokenStep("5", says=lambda a, b, x: _logarithm(5, a, b, x))],
)
