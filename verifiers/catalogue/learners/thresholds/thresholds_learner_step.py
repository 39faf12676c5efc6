"""Steps of the proof of Theorem 3.18, about LearnThresholds. `y` stands for the N-fold logarithm of T."""

from __future__ import annotations

from typing import Final

from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import Range, above_zero, between, whole_from
from dpverify.verifiers.steps.statement import BrokenStep
from dpverify.verifiers.steps.terms import log, log2

_SOURCE: Final = "Beimel, Nissim & Stemmer, journal version, proof of Theorem 3.18"
_UNIT: Final = between(0, 1)

sample = Step(
    id="BNS-J-3.18.step.e1",
    source=f"{_SOURCE}, E1",
    statement="(200/α²)·ln(4/(αβ)) is what Theorem 2.14 asks for with VC = 1, α/2 and β/2",
    parameters={"alpha": _UNIT, "beta": _UNIT},
    says=lambda alpha, beta: (
        50 / (alpha / 2) ** 2 * log(1 / (alpha / 2 * (beta / 2))) <= 200 / alpha**2 * log(4 / (alpha * beta))
    ),
    mutants=[
        BrokenStep(
            "199 in place of 200",
            says=lambda alpha, beta: (
                50 / (alpha / 2) ** 2 * log(1 / (alpha / 2 * (beta / 2))) <= 199 / alpha**2 * log(4 / (alpha * beta))
            ),
        )
    ],
)

promise = Step(
    id="BNS-J-3.18.step.e2",
    source=f"{_SOURCE}, E2",
    statement="8^N·(72N/(αε))·(log(12N/(βδ)) + y) is what Theorem 3.15 asks for with α/2 and β/2",
    parameters={
        "n": whole_from(1),
        "alpha": _UNIT,
        "beta": _UNIT,
        "epsilon": above_zero(),
        "delta": _UNIT,
        "y": Range(0),
    },
    says=lambda n, alpha, beta, epsilon, delta, y: (
        8**n * (36 * n / (alpha / 2 * epsilon)) * (log2(6 * n / (beta / 2 * delta)) + y)
        <= 8**n * (72 * n / (alpha * epsilon)) * (log2(12 * n / (beta * delta)) + y)
    ),
    mutants=[
        BrokenStep(
            "11N in place of 12N",
            says=lambda n, alpha, beta, epsilon, delta, y: (
                8**n * (36 * n / (alpha / 2 * epsilon)) * (log2(6 * n / (beta / 2 * delta)) + y)
                <= 8**n * (72 * n / (alpha * epsilon)) * (log2(11 * n / (beta * delta)) + y)
            ),
        )
    ],
)
