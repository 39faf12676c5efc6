"""The Chernoff bounds of Section 2.6, on which the proofs rest."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.verifiers.catalogue.refuted import as_expected, degenerate
from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import above_zero, between
from dpverify.verifiers.steps.statement import BrokenStep
from dpverify.verifiers.steps.terms import exp, log

_SOURCE: Final = "Beimel, Nissim & Stemmer, journal version, Section 2.6"

above = Step(
    id="BNS-J-2.6.step.above",
    source=_SOURCE,
    statement="Pr[ΣX > (1 + δ)pn] ≤ e^(−pnδ²/3) for every δ > 0; of one variable, which is 1 with probability p",
    parameters={"p": between(0, 1), "delta": above_zero()},
    given=[lambda p, delta: (1 + delta) * p < 1],
    says=lambda p, delta: p <= exp(-p * delta**2 / 3),
    tries=[{"p": Fraction(1, 100), "delta": 98}],
    mends="δ ≤ 1, as everywhere in the paper",
    **as_expected(
        degenerate("It is stated for every δ > 0, and holds for δ ≤ 1, with which the paper uses it; it has no ε.")
    ),
)

exponent_above = Step(
    id="BNS-J-2.6.step.above-corrected",
    source=_SOURCE,
    statement="the exponent of Chernoff's bound, (1 + δ)·ln(1 + δ) − δ, is at least δ²/3 for δ ≤ 1",
    parameters={"delta": above_zero(1)},
    says=lambda delta: delta**2 / 3 <= (1 + delta) * log(1 + delta) - delta,
    mutants=[
        BrokenStep("δ²/2", says=lambda delta: delta**2 / 2 <= (1 + delta) * log(1 + delta) - delta),
        BrokenStep("δ up to 2", parameters={"delta": above_zero(2)}),
    ],
)

exponent_below = Step(
    id="BNS-J-2.6.step.below",
    source=_SOURCE,
    statement="the exponent of Chernoff's bound from below, (1 − δ)·ln(1 − δ) + δ, is at least δ²/2; x = 1 − δ",
    parameters={"x": between(0, 1)},
    says=lambda x: (1 - x) ** 2 / 2 <= x * log(x) + 1 - x,
    mutants=[
        BrokenStep("0.6·δ²", says=lambda x: Fraction(6, 10) * (1 - x) ** 2 <= x * log(x) + 1 - x),
    ],
)
