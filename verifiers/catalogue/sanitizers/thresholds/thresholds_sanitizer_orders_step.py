"""From the rows of the journal version's Theorem 4.13 to those of the extended abstract's Theorem 4: a constant.

Lemma 4.12 asks for 8^n·(60c/(αε̂))·n·log(12n/(β̂ε̂δ̂)) rows, n = log* d, c = 78/α at most, with β̂ = β/(3c), δ̂ = δ/(5c)
and the ε̂ of each part. The abstract has √n·ln(1/(αδ)) in the place of the journal's n·√ln(1/(αδ)): that is an order
where n is not far above ln(1/(αδ)), as for d below a tower of twos of that height, and is not beyond it.
Together the steps make the m of the journal at most 60·78·(4/3)·√(8·78)·3·22 < 10,300,000 times that of the abstract.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import Range, above_zero, whole_from
from dpverify.verifiers.steps.statement import BrokenStep
from dpverify.verifiers.steps.terms import Expression, Number, Relation, log, log2, sqrt

_SOURCE: Final = (
    "Beimel, Nissim & Stemmer, extended abstract, Theorem 4, from the journal version's Lemmas 4.8 and 4.12"
)
_HALF: Final = above_zero(Fraction(1, 2))
CALLS: Final = 78
"""⌈77/α⌉ ≤ 78/α."""


def _whole_epsilon(delta: Expression, epsilon: Expression, c: Expression, part: Number) -> Expression:
    """√(8c·ln(5/δ))·ε̂ + 8cε̂² for ε̂ = ε/(part·√(8c·ln(5/δ)))."""
    return epsilon / part + 8 * c * epsilon**2 / (part**2 * 8 * c * log(5 / delta))


of_each_part = Step(
    id="BNS-X-Thm4.step.parts",
    source=_SOURCE,
    statement="parts with ε̂ = 3ε/(4·√(8c·ln(5/δ))) make a whole of √(8c·ln(5/δ))·ε̂ + 8cε̂² ≤ ε, for ε ≤ 1 and δ ≤ 1/2",
    parameters={"epsilon": above_zero(1), "delta": _HALF, "c": whole_from(1)},
    says=lambda epsilon, delta, c: _whole_epsilon(delta, epsilon, c, Fraction(4, 3)) <= epsilon,
    mutants=[
        BrokenStep(
            "all of ε in the first term",
            says=lambda epsilon, delta, c: _whole_epsilon(delta, epsilon, c, 1) <= epsilon,
        )
    ],
)


def _below_the_tower(height: int = 5) -> dict[str, Range]:
    """A = ln(1/α), x = ln(1/δ)."""
    return {
        "a": Range(lambda: log(2)),
        "x": Range(lambda: log(2)),
        "n": Range(0, lambda a, x: height * (a + x)),
    }


roots = Step(
    id="BNS-X-Thm4.step.roots",
    source=_SOURCE,
    statement="n·√ln(5/δ) is at most 3·√n·ln(1/(αδ)), where n = log* d ≤ 5·ln(1/(αδ)) and α, δ ≤ 1/2; squared, over n, "
    "with a = ln(1/α) and x = ln(1/δ)",
    parameters=_below_the_tower(),
    says=lambda a, x, n: n * (log(5) + x) <= 9 * (a + x) ** 2,
    mutants=[BrokenStep("n ≤ 6·ln(1/(αδ))", parameters=_below_the_tower(6))],
)


def _logarithm(alpha: Expression, x: Expression, factor: Number) -> Relation:
    """x is n/(βεδ): its logarithm, and what else is in that of the lemma, c = 78/α; ln(5/δ) ≤ 5/δ ≤ 5·x."""
    others = 12 * 15 * CALLS**2 * Fraction(4, 3) / alpha**2 * sqrt(8 * CALLS / alpha * 5 * x)
    return log2(others * x) <= factor * log(x / alpha)


logarithm = Step(
    id="BNS-X-Thm4.step.logarithm",
    source=_SOURCE,
    statement="log(12n/(β̂ε̂δ̂)) is at most 22·ln(n/(αβεδ)), for α ≤ 1/2 and x = n/(βεδ) ≥ 2",
    parameters={"alpha": _HALF, "y": above_zero(Fraction(1, 2))},
    says=lambda alpha, y: _logarithm(alpha, 1 / y, 22),
    mutants=[BrokenStep("20 in place of 22", says=lambda alpha, y: _logarithm(alpha, 1 / y, 20))],
)
