"""Steps about a sample of the rows: Bun, Nissim & Stemmer, Lemma 2.25 and Theorem 2.24."""

from __future__ import annotations

from typing import Final

from dpverify.verifiers.steps.ranges import above_zero
from dpverify.verifiers.steps.rows import ProofSteps, broken
from dpverify.verifiers.steps.terms import Relation, exp, parameters

(epsilon,) = parameters("epsilon")

step: Final = ProofSteps(
    "BuNS-", "Bun, Nissim & Stemmer, Theorem 2.24, by Lemma 2.25 as it was filled in: the text has lost its formulas"
)


def _no_more(times: int) -> Relation:
    """4·e^(6ε/times)/times ≤ 1; then 6ε/times ≤ ε, too."""
    return 4 * exp(6 * epsilon / times) / times <= 1


STEPS: Final = [
    step("2.24.step.nine").says(
        "m of n = 9m rows: (6m/n)·ε ≤ ε, and 4·e^(6εm/n)·(m/n)·δ ≤ δ for ε ≤ 1; here the second, over δ",
        _no_more(9),
        broken("8m", _no_more(8)),
        epsilon=above_zero(1),
    ),
]
