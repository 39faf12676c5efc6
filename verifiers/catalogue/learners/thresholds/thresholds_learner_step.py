"""Steps about thresholds: the search of Section 3.2, Theorem 3.18 with LearnThresholds, and Theorem 2 of the abstract.

`y` stands for the N-fold logarithm of T.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.verifiers.catalogue.refuted import proof_step
from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, whole_from
from dpverify.verifiers.steps.rows import BELOW_1, HALF, ProofSteps, broken
from dpverify.verifiers.steps.terms import Relation, log, log2, parameters

n, alpha, beta, epsilon, delta, y, w, J = parameters("n alpha beta epsilon delta y w J")
_RANGES: Final = {"n": whole_from(1), "alpha beta": BELOW_1, "epsilon": above_zero(), "delta": BELOW_1}
_journal: Final = ProofSteps("BNS-J-", "Beimel, Nissim & Stemmer, journal version, ", _RANGES)
_abstract: Final = ProofSteps("BNS-X-", "Beimel, Nissim & Stemmer, extended abstract, ", _RANGES)


def _of_order(constant: int) -> Relation:
    both = 25 * log(4 / (alpha * beta)) + 72 * (log2(12 / (beta * delta)) + w)
    return both <= constant * (log2(1 / (alpha * beta * delta)) + w)


STEPS: Final = [
    _journal("3.5.step.longest-printed", "Section 3.2, computing the interval length").says(
        "for every J from 0 to n = 2^d there is an interval [a, b] of [0, n − 1] with b − a = J, so that Q(J) is a "
        "maximum over some: J ≤ n − 1",
        n - 1 >= J,
        given=[n >= J],
        J=whole_from(0),
        tries=[{"n": 2, "J": 2}],
        mends="J ≤ 2^d − 1, or b − a + 1 = J; and Q(2^d) is the lesser of all zeros and all ones",
        refuted=proof_step(
            "Q(2^d) is a maximum over no interval, and that it is large is what the search rests on. So it is for the "
            "power j = d, here and in the extended abstract. Read as all of X_d the argument stands: "
            "BNS-J-3.5.utility.search."
        ),
    ),
    _journal("3.18.step.e1", "proof of Theorem 3.18, E1").says(
        "(200/α²)·ln(4/(αβ)) is what Theorem 2.14 asks for with VC = 1, α/2 and β/2",
        50 / (alpha / 2) ** 2 * log(1 / (alpha / 2 * (beta / 2))) <= 200 / alpha**2 * log(4 / (alpha * beta)),
        broken(
            "199 in place of 200",
            50 / (alpha / 2) ** 2 * log(1 / (alpha / 2 * (beta / 2))) <= 199 / alpha**2 * log(4 / (alpha * beta)),
        ),
    ),
    _journal("3.18.step.e2", "proof of Theorem 3.18, E2").says(
        "8^N·(72N/(αε))·(log(12N/(βδ)) + y) is what Theorem 3.15 asks for with α/2 and β/2",
        8**n * (36 * n / (alpha / 2 * epsilon)) * (log2(6 * n / (beta / 2 * delta)) + y)
        <= 8**n * (72 * n / (alpha * epsilon)) * (log2(12 * n / (beta * delta)) + y),
        broken(
            "11N in place of 12N",
            8**n * (36 * n / (alpha / 2 * epsilon)) * (log2(6 * n / (beta / 2 * delta)) + y)
            <= 8**n * (72 * n / (alpha * epsilon)) * (log2(11 * n / (beta * delta)) + y),
        ),
        y=Range(0),
    ),
    _journal("3.18.step.order", "proof of Theorem 3.18, the last line").says(
        "(200/α²)·ln(4/(αβ)) and 8^N·(72N/(αε))·(log(12N/(βδ)) + y) are together at most 366 times "
        "8^N·(N/(α·min{α, ε}))·(log(N/(αβδ)) + y), which the second is divided by, and the first by 8/α²; w = log "
        "N + y is at least 1 for N ≤ log*(2^d)",
        _of_order(366),
        broken("360", _of_order(360)),
        w=at_least(1),
    ),
    _abstract("Thm2.step.sixteen-printed", "Theorem 2 by Lemma 3").says(
        "(2/α)^n, n = log*(d), is at most C·16^n for a C that depends on α, β and ε alone, here 1,000,000",
        (2 / alpha) ** n <= 1_000_000 * 16**n,
        alpha=above_zero(HALF),
        n=whole_from(0),
        tries=[{"alpha": Fraction(1, 16), "n": 20}],
        mends="α ≥ 1/8, where 2/α ≤ 16, or an approximation parameter of 1/4 in all calls but the first, as in the "
        "journal version, which has 8^n",
        refuted=proof_step(
            "Rec hands α on to all of its calls, so that Lemma 3 has (2/α)^(log* d): for α < 1/8 no C is enough for "
            "all d. The theorem stands by RecConcave (BNS-J-3.18.step.order)."
        ),
    ),
]
