"""The step by which Theorem 2.5, advanced composition, is restated."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import above_zero
from dpverify.verifiers.steps.statement import BrokenStep
from dpverify.verifiers.steps.terms import exp

_SOURCE: Final = "Beimel, Nissim & Stemmer, journal version, Theorem 2.5, after Dwork, Rothblum & Vadhan"

restated = Step(
    id="BNS-J-2.5.step.restated",
    source=_SOURCE,
    statement="kε·(e^ε − 1) ≤ 2kε² for ε ≤ 1; divided by kε",
    parameters={"epsilon": above_zero(1)},
    says=lambda epsilon: exp(epsilon) - 1 <= 2 * epsilon,
    mutants=[BrokenStep("3kε²/2", says=lambda epsilon: exp(epsilon) - 1 <= Fraction(3, 2) * epsilon)],
)
