"""Steps of the proofs about RecConcave, Lemma 3.14 to Remark 3.16, and about Rec of the extended abstract.

`log` of the paper is to base 2, as in its ranges [0, log T]; `y` stands for its N-fold logarithm of T.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.verifiers.catalogue.refuted import as_expected, degenerate, proof_step
from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, between, whole_from
from dpverify.verifiers.steps.statement import BrokenStep
from dpverify.verifiers.steps.terms import Expression, exp, log, log2, sqrt

_SOURCE: Final = "Beimel, Nissim & Stemmer, journal version, proof of"
_ABSTRACT: Final = "Beimel, Nissim & Stemmer, extended abstract, Figure 1 and"
_UNIT: Final = between(0, 1)
_HALF: Final = Fraction(1, 2)
_ALPHA: Final = above_zero(_HALF)
_ABOVE_0: Final = Range(0)


def _promise(constant: Fraction | int = 4) -> dict[str, Range]:
    """r ≥ 8^N·(4/(αε))·(log(32/(βδ)) + y), for α ≤ 1/2."""

    def least(
        n: Expression, alpha: Expression, beta: Expression, epsilon: Expression, delta: Expression, y: Expression
    ) -> Expression:
        return 8**n * constant / (alpha * epsilon) * (log2(32 / (beta * delta)) + y)

    common = {
        "n": whole_from(1),
        "alpha": _ALPHA,
        "beta": _UNIT,
        "epsilon": above_zero(),
        "delta": _UNIT,
        "y": _ABOVE_0,
    }
    return {**common, "r": at_least(least)}


base = Step(
    id="BNS-J-3.14.step.base",
    source=f"{_SOURCE} Lemma 3.14, base of the induction",
    statement="the exponential mechanism on [0, T] fails with probability at most (T + 1)·e^(−εαr/2) ≤ β, "
    "for r ≥ (2/(αε))·log(T/β)",
    parameters={"T": whole_from(1), "alpha": _ALPHA, "beta": _UNIT, "epsilon": above_zero(), "r": above_zero()},
    given=[lambda T, alpha, beta, epsilon, r: r >= 2 / (alpha * epsilon) * log2(T / beta)],  # noqa: N803  # the paper's
    says=lambda T, alpha, beta, epsilon, r: (T + 1) * exp(-epsilon * alpha * r / 2) <= beta,  # noqa: N803
    tries=[{"T": 1, "alpha": _HALF, "beta": _HALF, "epsilon": 1, "r": Fraction(33, 8)}],
    mends="r ≥ (2/(αε))·ln((T + 1)/β), which the promise of the lemma is more than",
    **as_expected(
        proof_step("[0, T] has T + 1 solutions; at T = 1 two of them. The promise of the lemma is large enough.")
    ),
)


def _promise_of_base(constant: Fraction | int) -> dict[str, Range]:
    return {
        "T": whole_from(1),
        "alpha": _ALPHA,
        "beta": _UNIT,
        "epsilon": above_zero(),
        "delta": _UNIT,
        "r": at_least(
            lambda T, alpha, beta, epsilon, delta: (  # noqa: N803
                8 * constant / (alpha * epsilon) * (log2(32 / (beta * delta)) + log2(T))
            )
        ),
    }


base_of_the_lemma = Step(
    id="BNS-J-3.14.step.base-corrected",
    source=f"{_SOURCE} Lemma 3.14, base of the induction",
    statement="2T·e^(−εαr/2) ≤ β with the promise of the lemma, N = 1, where T + 1 ≤ 2T",
    parameters=_promise_of_base(4),
    says=lambda T, alpha, beta, epsilon, r: 2 * T * exp(-epsilon * alpha * r / 2) <= beta,  # noqa: N803
    mutants=[BrokenStep("1/8 in place of 4", parameters=_promise_of_base(Fraction(1, 8)))],
)

small_ranges = Step(
    id="BNS-J-3.14.step.base-small-ranges",
    source=f"{_SOURCE} Lemma 3.14, base of the induction",
    statement="33·e^(−εαr/2) ≤ β with the promise of the lemma, for T ≤ 32 and every N",
    parameters=_promise(),
    says=lambda alpha, beta, epsilon, r: 33 * exp(-epsilon * alpha * r / 2) <= beta,
    mutants=[BrokenStep("1/16 in place of 4", parameters=_promise(Fraction(1, 16)))],
)

promise = Step(
    id="BNS-J-3.14.step.promise",
    source=f"{_SOURCE} Lemma 3.14, the promise of the recursive call",
    statement="R = (α/2)·r is what the lemma asks for with N − 1 and α = 1/4",
    parameters=_promise(),
    says=lambda n, alpha, beta, epsilon, delta, y, r: (
        8 ** (n - 1) * 4 / (Fraction(1, 4) * epsilon) * (log2(32 / (beta * delta)) + y) <= alpha / 2 * r
    ),
    mutants=[
        BrokenStep(
            "7^N in place of 8^N",
            parameters={
                **_promise(),
                "r": at_least(
                    lambda n, alpha, beta, epsilon, delta, y: (
                        7**n * 4 / (alpha * epsilon) * (log2(32 / (beta * delta)) + y)
                    )
                ),
            },
        )
    ],
)

quality = Step(
    id="BNS-J-3.14.step.qualities",
    source=f"{_SOURCE} Lemma 3.14, L(S, k) ≥ (1 − 5α/8)·r",
    statement="q(S, k) ≥ (1 − 1/4)·R gives L(S, k) ≥ (1 − 5α/8)·r",
    parameters={"alpha": _ALPHA, "r": above_zero(), "q": at_least(lambda alpha, r: Fraction(3, 4) * (alpha / 2) * r)},
    says=lambda alpha, r, q: (1 - 5 * alpha / 8) * r <= q + (1 - alpha) * r,
    mutants=[BrokenStep("1 − 4α/8", says=lambda alpha, r, q: (1 - alpha / 2) * r <= q + (1 - alpha) * r)],
)

gap = Step(
    id="BNS-J-3.14.step.gap",
    source=f"{_SOURCE} Lemma 3.14, step 9",
    statement="the gap (3α/8)·r is at least (1/ε)·log(1/(βδ)), as A_dist asks for",
    parameters=_promise(),
    says=lambda alpha, beta, epsilon, delta, r: log2(1 / (beta * delta)) / epsilon <= 3 * alpha / 8 * r,
    mutants=[
        BrokenStep(
            "1/20 in place of 4",
            parameters={**_promise(Fraction(1, 20)), "y": Range(0, 1)},
            tries=[
                {
                    "n": 1,
                    "alpha": _HALF,
                    "beta": Fraction(1, 10**9),
                    "epsilon": 1,
                    "delta": Fraction(1, 10**9),
                    "y": 0,
                    "r": 52,
                }
            ],
        )
    ],
)

gap_of_the_abstract = Step(
    id="BNS-J-3.14.step.gap-corrected",
    source=f"{_SOURCE} Lemma 3.14, step 9, with the A_dist of the extended abstract",
    statement="the gap (3α/8)·r is at least (4/ε)·ln(2/(βδ)) + 2, for ε ≤ 1, as a private A_dist asks for",
    parameters={**_promise(), "epsilon": above_zero(1)},
    says=lambda alpha, beta, epsilon, delta, r: 4 / epsilon * log(2 / (beta * delta)) + 2 <= 3 * alpha / 8 * r,
    mutants=[BrokenStep("1/4 in place of 4", parameters={**_promise(Fraction(1, 4)), "epsilon": above_zero(1)})],
)


def _footnote_3(rows: Range) -> dict[str, Range]:
    return {"alpha": _ALPHA, "beta": _UNIT, "epsilon": above_zero(), "r": rows}


step_10 = Step(
    id="BNS-J-3.14.step.footnote-3",
    source=f"{_SOURCE} Lemma 3.14, footnote 3",
    statement="16·e^((ε/2)(1 − α)r)/e^((ε/2)(1 − 5α/8)r) ≤ β for r ≥ (4/(αε))·log(16/β)",
    parameters=_footnote_3(at_least(lambda alpha, beta, epsilon: 4 / (alpha * epsilon) * log2(16 / beta))),
    says=lambda alpha, beta, epsilon, r: (
        16 * exp(epsilon / 2 * (1 - alpha) * r) / exp(epsilon / 2 * (1 - 5 * alpha / 8) * r) <= beta
    ),
    mutants=[
        BrokenStep(
            "the natural logarithm",
            parameters=_footnote_3(at_least(lambda alpha, beta, epsilon: 4 / (alpha * epsilon) * log(16 / beta))),
        )
    ],
)

theorem = Step(
    id="BNS-J-3.15.step.promise",
    source=f"{_SOURCE} Theorem 3.15",
    statement="8^N·(36N/(αε))·(log(6N/(βδ)) + y) is what Lemma 3.14 asks for with ε/(3N), δ/(3N) and β/(2N)",
    parameters={k: v for k, v in _promise().items() if k != "r"},
    says=lambda n, alpha, beta, epsilon, delta, y: (
        8**n * 4 / (alpha * (epsilon / (3 * n))) * (log2(32 / (beta / (2 * n) * (delta / (3 * n)))) + y)
        <= 8**n * 36 * n / (alpha * epsilon) * (log2(6 * n / (beta * delta)) + y)
    ),
    mutants=[
        BrokenStep(
            "24N in place of 36N",
            says=lambda n, alpha, beta, epsilon, delta, y: (
                8**n * 4 / (alpha * (epsilon / (3 * n))) * (log2(32 / (beta / (2 * n) * (delta / (3 * n)))) + y)
                <= 8**n * 24 * n / (alpha * epsilon) * (log2(6 * n / (beta * delta)) + y)
            ),
        )
    ],
)


def _with_ceilings(beta: Expression, delta: Expression, n: Expression, y: Expression) -> tuple[Expression, Expression]:
    return log2(192 * n**2 / (beta * delta)) + y + 2, 3 * (log2(6 * n / (beta * delta)) + y)


ceilings = Step(
    id="BNS-J-3.15.step.footnote-2",
    source=f"{_SOURCE} Theorem 3.15, with footnote 2",
    statement="the same where the N-fold logarithm with roundings upwards is up to 2 more than without, for β ≤ 1/2",
    parameters={"n": whole_from(1), "beta": above_zero(_HALF), "delta": _UNIT, "y": _ABOVE_0},
    says=lambda n, beta, delta, y: _with_ceilings(beta, delta, n, y)[0] <= _with_ceilings(beta, delta, n, y)[1],
    mutants=[BrokenStep("β up to 1", parameters={"n": whole_from(1), "beta": _UNIT, "delta": _UNIT, "y": _ABOVE_0})],
)

remark = Step(
    id="BNS-J-3.16.step.promise",
    source=f"{_SOURCE} Remark 3.16",
    statement="log(6N/(βδ)) + log^(N)(T) ≤ log(12N/(βδ)) for N = log*(T), where log^(N)(T) ≤ 1",
    parameters={"n": whole_from(1), "beta": _UNIT, "delta": _UNIT, "y": Range(0, 1)},
    says=lambda n, beta, delta, y: log2(6 * n / (beta * delta)) + y <= log2(12 * n / (beta * delta)),
    mutants=[
        BrokenStep(
            "11N in place of 12N",
            says=lambda n, beta, delta, y: log2(6 * n / (beta * delta)) + y <= log2(11 * n / (beta * delta)),
        )
    ],
)

rec_composition = Step(
    id="BNS-X-Lem2.step.composition",
    source="Beimel, Nissim & Stemmer, extended abstract, Lemma 2, whose proof is left out",
    statement="advanced composition of 3·log*(T) mechanisms, δ′ = log*(T)·δ, gives the ε′ of the lemma",
    parameters={"n": whole_from(1), "epsilon": above_zero(1), "delta": _UNIT},
    given=[lambda n, delta: n * delta <= 1],
    says=lambda n, epsilon, delta: (
        sqrt(2 * (3 * n) * log(1 / (n * delta))) * epsilon + 2 * (3 * n) * epsilon**2
        <= sqrt(6 * n * log(1 / (n * delta))) * epsilon + 6 * n * epsilon**2
    ),
    mutants=[
        BrokenStep(
            "5·log*(T)·ε²",
            says=lambda n, epsilon, delta: (
                sqrt(2 * (3 * n) * log(1 / (n * delta))) * epsilon + 2 * (3 * n) * epsilon**2
                <= sqrt(6 * n * log(1 / (n * delta))) * epsilon + 5 * n * epsilon**2
            ),
        )
    ],
)


def _promise_of_rec(constant: Fraction | int = 16) -> dict[str, Range]:
    """r ≥ (2/α)^n·(16/(αε))·ln(32/(βδ)), for α ≤ 1/2 and n = log*(T)."""

    def least(n: Expression, alpha: Expression, beta: Expression, epsilon: Expression, delta: Expression) -> Expression:
        return (2 / alpha) ** n * constant / (alpha * epsilon) * log(32 / (beta * delta))

    common = {"n": whole_from(0), "alpha": _ALPHA, "beta": _UNIT, "epsilon": above_zero(), "delta": _UNIT}
    return {**common, "r": at_least(least)}


rec_base = Step(
    id="BNS-X-Lem3.step.base",
    source=f"{_ABSTRACT} Lemma 3, step 1",
    statement="33·e^(−εαr/2) ≤ β for T ≤ 32",
    parameters=_promise_of_rec(),
    says=lambda alpha, beta, epsilon, r: 33 * exp(-epsilon * alpha * r / 2) <= beta,
    mutants=[BrokenStep("1 in place of 16", parameters=_promise_of_rec(1))],
)

no_recursion = Step(
    id="BNS-X-Lem3.step.no-recursion-printed",
    source=f"{_ABSTRACT} Lemma 3, for T = 1",
    statement="on [0, 1], with qualities r and 0, the worse one is chosen with probability 1/(1 + e^(εr/2)) ≤ "
    "2β·log*(T) = 0, for r ≥ (2/α)^0·(16/(αε))·ln(32/(βδ))",
    parameters={"alpha": _ALPHA, "beta": _UNIT, "epsilon": above_zero(), "delta": _UNIT, "r": above_zero()},
    given=[lambda alpha, beta, epsilon, delta, r: 16 / (alpha * epsilon) * log(32 / (beta * delta)) <= r],
    says=lambda beta, epsilon, r: 1 / (1 + exp(epsilon * r / 2)) <= 2 * beta * 0,
    tries=[{"alpha": _HALF, "beta": _HALF, "epsilon": 1, "delta": _HALF, "r": 156}],
    mends="max{1, log*(T)}: T ≥ 2",
    **as_expected(
        degenerate(
            "log*(1) = 0, and there is one execution. So in Lemma 2, and where log*(d) is in the journal version for "
            "d = 1. It fails at every ε, so that no ε is a boundary."
        )
    ),
)

rec_promise = Step(
    id="BNS-X-Lem3.step.promise",
    source=f"{_ABSTRACT} Lemma 3, step 5",
    statement="R = (α/2)·r is what the lemma asks for with log*(T) − 1",
    parameters={**_promise_of_rec(), "n": whole_from(1)},
    says=lambda n, alpha, beta, epsilon, delta, r: (
        (2 / alpha) ** (n - 1) * 16 / (alpha * epsilon) * log(32 / (beta * delta)) <= alpha / 2 * r
    ),
    mutants=[BrokenStep("15 in place of 16", parameters={**_promise_of_rec(15), "n": whole_from(1)})],
)

rec_qualities = Step(
    id="BNS-X-Lem3.step.qualities",
    source=f"{_ABSTRACT} Lemma 3, comment of step 6",
    statement="q(S, k) ≥ (1 − α)·(α/2)·r gives L(S, k) ≥ (1 − α/2 − α²/2)·r",
    parameters={"alpha": _ALPHA, "r": above_zero(), "q": at_least(lambda alpha, r: (1 - alpha) * (alpha / 2) * r)},
    says=lambda alpha, r, q: (1 - alpha / 2 - alpha**2 / 2) * r <= q + (1 - alpha) * r,
    mutants=[BrokenStep("α²/4", says=lambda alpha, r, q: (1 - alpha / 2 - alpha**2 / 4) * r <= q + (1 - alpha) * r)],
)

rec_gap = Step(
    id="BNS-X-Lem3.step.gap",
    source=f"{_ABSTRACT} Lemma 3, step 9",
    statement="the gap, (α/4)·r ≤ (α/2 − α²/2)·r, is at least (4/ε)·ln(2/(βδ)), as Proposition 2 asks for",
    parameters=_promise_of_rec(),
    says=lambda alpha, beta, epsilon, delta, r: 4 / epsilon * log(2 / (beta * delta)) <= alpha / 4 * r,
    mutants=[BrokenStep("2 in place of 16", parameters=_promise_of_rec(2))],
)

rec_choice = Step(
    id="BNS-X-Lem3.step.choice",
    source=f"{_ABSTRACT} Lemma 3, step 11",
    statement="of 32 solutions one that is (α/4)·r ≤ (α/2 − α²/2)·r worse is chosen with probability at most β",
    parameters=_promise_of_rec(),
    says=lambda alpha, beta, epsilon, r: 32 * exp(-epsilon * (alpha / 4) * r / 2) <= beta,
    mutants=[BrokenStep("4 in place of 16", parameters=_promise_of_rec(4))],
)
