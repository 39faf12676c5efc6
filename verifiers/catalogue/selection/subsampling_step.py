"""Steps about a sample of the rows: Bun, Nissim & Stemmer, Lemma 2.25 and Theorem 2.24."""

from __future__ import annotations

from typing import Final

from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import above_zero
from dpverify.verifiers.steps.statement import BrokenStep
from dpverify.verifiers.steps.terms import Expression, Relation, exp

_SOURCE: Final = (
    "Bun, Nissim & Stemmer, Theorem 2.24, by Lemma 2.25 as it was filled in: the text has lost its formulas"
)


def _no_more(epsilon: Expression, times: int) -> Relation:
    """4·e^(6ε/times)/times ≤ 1; then 6ε/times ≤ ε, too."""
    return 4 * exp(6 * epsilon / times) / times <= 1


nine_times_the_rows = Step(
    id="BuNS-2.24.step.nine",
    source=_SOURCE,
    statement="m of n = 9m rows: (6m/n)·ε ≤ ε, and 4·e^(6εm/n)·(m/n)·δ ≤ δ for ε ≤ 1; here the second, over δ",
    parameters={"epsilon": above_zero(1)},
    says=lambda epsilon: _no_more(epsilon, 9),
    mutants=[BrokenStep("8m", says=lambda epsilon: _no_more(epsilon, 8))],
)
