"""Steps of the proofs about RecConcave, Lemma 3.14 to Remark 3.16, and about Rec of the extended abstract.

`log` of the paper is to base 2, as in its ranges [0, log T]; `y` stands for its N-fold logarithm of T.
"""

from fractions import Fraction
from typing import Final

from dpverify.verifiers.catalogue.families import BNS, BNS_X
from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, whole_from
from dpverify.verifiers.steps.rows import BELOW_1, HALF, ProofSteps, broken
from dpverify.verifiers.steps.terms import exp, log, log2, parameters, sqrt

beta, delta, n, y, alpha, epsilon, T, r, q = parameters("beta delta n y alpha epsilon T r q")
_ALPHA: Final = above_zero(HALF)
_RANGES: Final = {"T n": whole_from(1), "alpha": _ALPHA, "beta": BELOW_1, "epsilon": above_zero(), "delta": BELOW_1}


def _promise(constant: Fraction | int) -> Range:
    """r ≥ 8^N·(4/(αε))·(log(32/(βδ)) + y), for α ≤ 1/2."""
    return at_least(8**n * constant / (alpha * epsilon) * (log2(32 / (beta * delta)) + y))


def _promise_of_rec(constant: int) -> Range:
    """r ≥ (2/α)^n·(16/(αε))·ln(32/(βδ)), for α ≤ 1/2 and n = log*(T)."""
    return at_least((2 / alpha) ** n * constant / (alpha * epsilon) * log(32 / (beta * delta)))


_journal: Final = ProofSteps("BNS-J-", f"{BNS}, proof of ", {**_RANGES, "y": Range(0), "r": _promise(4)})
_abstract: Final = ProofSteps("BNS-X-", f"{BNS_X}, ", {**_RANGES, "r": _promise_of_rec(16)})
_SMALL: Final = Fraction(1, 10**9)
_with_ceilings: Final = (log2(192 * n**2 / (beta * delta)) + y + 2, 3 * (log2(6 * n / (beta * delta)) + y))
STEPS: Final = [
    _journal("3.14.step.base", "Lemma 3.14, base of the induction").says(
        "the exponential mechanism on [0, T] fails with probability at most (T + 1)·e^(−εαr/2) ≤ β, for "
        "r ≥ (2/(αε))·log(T/β)",
        (T + 1) * exp(-epsilon * alpha * r / 2) <= beta,
        given=[r >= 2 / (alpha * epsilon) * log2(T / beta)],
        r=above_zero(),
        tries=[{"T": 1, "alpha": HALF, "beta": HALF, "epsilon": 1, "r": Fraction(33, 8)}],
        mends="r ≥ (2/(αε))·ln((T + 1)/β), which the promise of the lemma is more than",
        proof_step="[0, T] has T + 1 solutions; at T = 1 two of them. The promise of the lemma is large enough.",
    ),
    _journal("3.14.step.base-corrected", "Lemma 3.14, base of the induction").says(
        "2T·e^(−εαr/2) ≤ β with the promise of the lemma, N = 1, where T + 1 ≤ 2T",
        2 * T * exp(-epsilon * alpha * r / 2) <= beta,
        broken("1/8 in place of 4", r=at_least(1 / (alpha * epsilon) * (log2(32 / (beta * delta)) + log2(T)))),
        r=at_least(8 * 4 / (alpha * epsilon) * (log2(32 / (beta * delta)) + log2(T))),
    ),
    _journal("3.14.step.base-small-ranges", "Lemma 3.14, base of the induction").says(
        "33·e^(−εαr/2) ≤ β with the promise of the lemma, for T ≤ 32 and every N",
        33 * exp(-epsilon * alpha * r / 2) <= beta,
        broken("1/16 in place of 4", r=_promise(Fraction(1, 16))),
    ),
    _journal("3.14.step.promise", "Lemma 3.14, the promise of the recursive call").says(
        "R = (α/2)·r is what the lemma asks for with N − 1 and α = 1/4",
        8 ** (n - 1) * 4 / (Fraction(1, 4) * epsilon) * (log2(32 / (beta * delta)) + y) <= alpha / 2 * r,
        broken("7^N in place of 8^N", r=at_least(7**n * 4 / (alpha * epsilon) * (log2(32 / (beta * delta)) + y))),
    ),
    _journal("3.14.step.qualities", "Lemma 3.14, L(S, k) ≥ (1 − 5α/8)·r").says(
        "q(S, k) ≥ (1 − 1/4)·R gives L(S, k) ≥ (1 − 5α/8)·r",
        (1 - 5 * alpha / 8) * r <= q + (1 - alpha) * r,
        broken("1 − 4α/8", (1 - alpha / 2) * r <= q + (1 - alpha) * r),
        r=above_zero(),
        q=at_least(Fraction(3, 4) * (alpha / 2) * r),
    ),
    _journal("3.14.step.gap", "Lemma 3.14, step 9").says(
        "the gap (3α/8)·r is at least (1/ε)·log(1/(βδ)), as A_dist asks for",
        log2(1 / (beta * delta)) / epsilon <= 3 * alpha / 8 * r,
        broken(
            "1/20 in place of 4",
            tries=[{"n": 1, "alpha": HALF, "beta": _SMALL, "epsilon": 1, "delta": _SMALL, "y": 0, "r": 52}],
            y=Range(0, 1),
            r=_promise(Fraction(1, 20)),
        ),
    ),
    _journal("3.14.step.gap-corrected", "Lemma 3.14, step 9, with the A_dist of the extended abstract").says(
        "the gap (3α/8)·r is at least (4/ε)·ln(2/(βδ)) + 2, for ε ≤ 1, as a private A_dist asks for",
        4 / epsilon * log(2 / (beta * delta)) + 2 <= 3 * alpha / 8 * r,
        broken("1/4 in place of 4", r=_promise(Fraction(1, 4))),
        epsilon=above_zero(1),
    ),
    _journal("3.14.step.footnote-3", "Lemma 3.14, footnote 3").says(
        "16·e^((ε/2)(1 − α)r)/e^((ε/2)(1 − 5α/8)r) ≤ β for r ≥ (4/(αε))·log(16/β)",
        16 * exp(epsilon / 2 * (1 - alpha) * r) / exp(epsilon / 2 * (1 - 5 * alpha / 8) * r) <= beta,
        broken("the natural logarithm", r=at_least(4 / (alpha * epsilon) * log(16 / beta))),
        r=at_least(4 / (alpha * epsilon) * log2(16 / beta)),
    ),
    _journal("3.15.step.promise", "Theorem 3.15").says(
        "8^N·(36N/(αε))·(log(6N/(βδ)) + y) is what Lemma 3.14 asks for with ε/(3N), δ/(3N) and β/(2N)",
        lambda c=36: (
            8**n * 4 / (alpha * (epsilon / (3 * n))) * (log2(32 / (beta / (2 * n) * (delta / (3 * n)))) + y)
            <= 8**n * c * n / (alpha * epsilon) * (log2(6 * n / (beta * delta)) + y)
        ),
        broken("24N in place of 36N", 24),
    ),
    _journal("3.15.step.footnote-2", "Theorem 3.15, with footnote 2").says(
        "the same where the N-fold logarithm with roundings upwards is up to 2 more than without, for β ≤ 1/2",
        _with_ceilings[0] <= _with_ceilings[1],
        broken("β up to 1", beta=BELOW_1),
        beta=above_zero(HALF),
    ),
    _journal("3.16.step.promise", "Remark 3.16").says(
        "log(6N/(βδ)) + log^(N)(T) ≤ log(12N/(βδ)) for N = log*(T), where log^(N)(T) ≤ 1",
        lambda c=12: log2(6 * n / (beta * delta)) + y <= log2(c * n / (beta * delta)),
        broken("11N in place of 12N", 11),
        y=Range(0, 1),
    ),
    _abstract("Lem2.step.composition", "Lemma 2, whose proof is left out").says(
        "advanced composition of 3·log*(T) mechanisms, δ′ = log*(T)·δ, gives the ε′ of the lemma",
        lambda c=6: (
            sqrt(2 * (3 * n) * log(1 / (n * delta))) * epsilon + 2 * (3 * n) * epsilon**2
            <= sqrt(6 * n * log(1 / (n * delta))) * epsilon + c * n * epsilon**2
        ),
        broken("5·log*(T)·ε²", 5),
        given=[n * delta <= 1],
        epsilon=above_zero(1),
    ),
    _abstract("Lem3.step.base", "Figure 1 and Lemma 3, step 1").says(
        "33·e^(−εαr/2) ≤ β for T ≤ 32",
        33 * exp(-epsilon * alpha * r / 2) <= beta,
        broken("1 in place of 16", r=_promise_of_rec(1)),
        n=whole_from(0),
    ),
    _abstract("Lem3.step.no-recursion-printed", "Figure 1 and Lemma 3, for T = 1").says(
        "on [0, 1], with qualities r and 0, the worse one is chosen with probability "
        "1/(1 + e^(εr/2)) ≤ 2β·log*(T) = 0, for r ≥ (2/α)^0·(16/(αε))·ln(32/(βδ))",
        1 / (1 + exp(epsilon * r / 2)) <= 2 * beta * 0,
        given=[16 / (alpha * epsilon) * log(32 / (beta * delta)) <= r],
        r=above_zero(),
        tries=[{"alpha": HALF, "beta": HALF, "epsilon": 1, "delta": HALF, "r": 156}],
        mends="max{1, log*(T)}: T ≥ 2",
        degenerate="log*(1) = 0, and there is one execution. So in Lemma 2, and where log*(d) is in the journal "
        "version for d = 1. It fails at every ε, so that no ε is a boundary.",
    ),
    _abstract("Lem3.step.promise", "Figure 1 and Lemma 3, step 5").says(
        "R = (α/2)·r is what the lemma asks for with log*(T) − 1",
        (2 / alpha) ** (n - 1) * 16 / (alpha * epsilon) * log(32 / (beta * delta)) <= alpha / 2 * r,
        broken("15 in place of 16", r=_promise_of_rec(15)),
    ),
    _abstract("Lem3.step.qualities", "Figure 1 and Lemma 3, comment of step 6").says(
        "q(S, k) ≥ (1 − α)·(α/2)·r gives L(S, k) ≥ (1 − α/2 − α²/2)·r",
        lambda c=2: (1 - alpha / 2 - alpha**2 / c) * r <= q + (1 - alpha) * r,
        broken("α²/4", 4),
        r=above_zero(),
        q=at_least((1 - alpha) * (alpha / 2) * r),
    ),
    _abstract("Lem3.step.gap", "Figure 1 and Lemma 3, step 9").says(
        "the gap, (α/4)·r ≤ (α/2 − α²/2)·r, is at least (4/ε)·ln(2/(βδ)), as Proposition 2 asks for",
        4 / epsilon * log(2 / (beta * delta)) <= alpha / 4 * r,
        broken("2 in place of 16", r=_promise_of_rec(2)),
        n=whole_from(0),
    ),
    _abstract("Lem3.step.choice", "Figure 1 and Lemma 3, step 11").says(
        "of 32 solutions one that is (α/4)·r ≤ (α/2 − α²/2)·r worse is chosen with probability at most β",
        32 * exp(-epsilon * (alpha / 4) * r / 2) <= beta,
        broken("4 in place of 16", r=_promise_of_rec(4)),
        n=whole_from(0),
    ),
]
