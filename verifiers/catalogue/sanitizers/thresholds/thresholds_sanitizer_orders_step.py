"""From the rows of the journal version's Theorem 4.13 to those of the extended abstract's Theorem 4: a constant.

Lemma 4.12 asks for 8^n·(60c/(αε̂))·n·log(12n/(β̂ε̂δ̂)) rows, n = log* d, c = 78/α at most, with β̂ = β/(3c), δ̂ = δ/(5c)
and the ε̂ of each part. The abstract has √n·ln(1/(αδ)) in the place of the journal's n·√ln(1/(αδ)): that is an order
where n is not far above ln(1/(αδ)), as for d below a tower of twos of that height, and is not beyond it.
Together the steps make the m of the journal at most 60·78·(4/3)·√(8·78)·3·22 < 10,300,000 times that of the abstract.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.verifiers.steps.ranges import Range, above_zero, whole_from
from dpverify.verifiers.steps.rows import HALF, ProofSteps, broken
from dpverify.verifiers.steps.terms import Expression, Number, Relation, log, log2, parameters, sqrt

delta, epsilon, c, alpha, a, x, n, y = parameters("delta epsilon c alpha a x n y")
CALLS: Final = 78
"""⌈77/α⌉ ≤ 78/α."""

step: Final = ProofSteps(
    "BNS-X-", "Beimel, Nissim & Stemmer, extended abstract, Theorem 4, from the journal version's Lemmas 4.8 and 4.12"
)


def _whole_epsilon(part: Number) -> Expression:
    """√(8c·ln(5/δ))·ε̂ + 8cε̂² for ε̂ = ε/(part·√(8c·ln(5/δ)))."""
    return epsilon / part + 8 * c * epsilon**2 / (part**2 * 8 * c * log(5 / delta))


def _logarithm(x: Expression, factor: Number) -> Relation:
    """x is n/(βεδ): its logarithm, and what else is in that of the lemma, c = 78/α; ln(5/δ) ≤ 5/δ ≤ 5·x."""
    others = 12 * 15 * CALLS**2 * Fraction(4, 3) / alpha**2 * sqrt(8 * CALLS / alpha * 5 * x)
    return log2(others * x) <= factor * log(x / alpha)


STEPS: Final = [
    step("Thm4.step.parts").says(
        "parts with ε̂ = 3ε/(4·√(8c·ln(5/δ))) make a whole of √(8c·ln(5/δ))·ε̂ + 8cε̂² ≤ ε, for ε ≤ 1 and δ ≤ 1/2",
        _whole_epsilon(Fraction(4, 3)) <= epsilon,
        broken("all of ε in the first term", _whole_epsilon(1) <= epsilon),
        epsilon=above_zero(1),
        delta=above_zero(HALF),
        c=whole_from(1),
    ),
    step("Thm4.step.roots").says(
        "n·√ln(5/δ) is at most 3·√n·ln(1/(αδ)), where n = log* d ≤ 5·ln(1/(αδ)) and α, δ ≤ 1/2; squared, over n, with "
        "a = ln(1/α) and x = ln(1/δ)",
        n * (log(5) + x) <= 9 * (a + x) ** 2,
        broken("n ≤ 6·ln(1/(αδ))", n=Range(0, 6 * (a + x))),
        a=Range(log(2)),
        x=Range(log(2)),
        n=Range(0, 5 * (a + x)),
    ),
    step("Thm4.step.logarithm").says(
        "log(12n/(β̂ε̂δ̂)) is at most 22·ln(n/(αβεδ)), for α ≤ 1/2 and x = n/(βεδ) ≥ 2",
        _logarithm(1 / y, 22),
        broken("20 in place of 22", _logarithm(1 / y, 20)),
        alpha=above_zero(HALF),
        y=above_zero(HALF),
    ),
]
