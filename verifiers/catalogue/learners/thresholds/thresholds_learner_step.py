"""Steps of the proof of Theorem 3.18, about LearnThresholds, and of Theorem 2 of the extended abstract.

`y` stands for the N-fold logarithm of T.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.verifiers.catalogue.refuted import as_expected, proof_step
from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, between, whole_from
from dpverify.verifiers.steps.statement import BrokenStep
from dpverify.verifiers.steps.terms import Expression, Relation, log, log2

_SOURCE: Final = "Beimel, Nissim & Stemmer, journal version, proof of Theorem 3.18"
_ABSTRACT: Final = "Beimel, Nissim & Stemmer, extended abstract, Theorem 2 by Lemma 3"
_UNIT: Final = between(0, 1)
_HALF: Final = Fraction(1, 2)

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


def _of_order(constant: int, alpha: Expression, beta: Expression, delta: Expression, w: Expression) -> Relation:
    both = 25 * log(4 / (alpha * beta)) + 72 * (log2(12 / (beta * delta)) + w)
    return both <= constant * (log2(1 / (alpha * beta * delta)) + w)


order = Step(
    id="BNS-J-3.18.step.order",
    source=f"{_SOURCE}, the last line",
    statement="(200/α²)·ln(4/(αβ)) and 8^N·(72N/(αε))·(log(12N/(βδ)) + y) are together at most 366 times "
    "8^N·(N/(α·min{α, ε}))·(log(N/(αβδ)) + y), which the second is divided by, and the first by 8/α²; w = log N + y is "
    "at least 1 for N ≤ log*(2^d)",
    parameters={"alpha": _UNIT, "beta": _UNIT, "delta": _UNIT, "w": at_least(1)},
    says=lambda alpha, beta, delta, w: _of_order(366, alpha, beta, delta, w),
    mutants=[BrokenStep("360", says=lambda alpha, beta, delta, w: _of_order(360, alpha, beta, delta, w))],
)

sixteen_as_printed = Step(
    id="BNS-X-Thm2.step.sixteen-printed",
    source=_ABSTRACT,
    statement="(2/α)^n, n = log*(d), is at most C·16^n for a C that depends on α, β and ε alone, here 1,000,000",
    parameters={"alpha": above_zero(_HALF), "n": whole_from(0)},
    says=lambda alpha, n: (2 / alpha) ** n <= 1_000_000 * 16**n,
    tries=[{"alpha": Fraction(1, 16), "n": 20}],
    mends="α ≥ 1/8, where 2/α ≤ 16, or an approximation parameter of 1/4 in all calls but the first, as in "
    "the journal version, which has 8^n",
    **as_expected(
        proof_step(
            "Rec hands α on to all of its calls, so that Lemma 3 has (2/α)^(log* d): for α < 1/8 no C is enough for "
            "all d. The theorem stands by RecConcave (BNS-J-3.18.step.order)."
        )
    ),
)
