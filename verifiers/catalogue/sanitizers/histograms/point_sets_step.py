"""From the packing of k-POINT_d to the rows of Theorem 6 of the extended abstract, with a constant of ours.

By the proof of the journal version's Lemma 5.7 there are |B| ≥ (n/(4e²k))^(k/2) sets of k of n = 2^d − 1 points that
share k/2 of them at most. Databases that put s > 4αm entries on a set are more than 2α apart, so that a sanitizer which
is α-close with probability ≥ 1/2 has e^(εs) ≥ |B| − 1. Where 4αm ≥ k a multiple s ≤ 8αm of k will do, and α ≤ 1/8 makes
s ≤ m; where 4αm < k as many points as s, with an entry each, make a set, the others of which have none: then e^ε is to
be more than it is.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.verifiers.steps.ranges import at_least, whole_from
from dpverify.verifiers.steps.rows import ProofSteps, broken
from dpverify.verifiers.steps.terms import Relation, exp, log, parameters

t, k, n, s = parameters("t k n s")

step: Final = ProofSteps(
    "BNS-X-",
    "Beimel, Nissim & Stemmer, extended abstract, Theorem 6, with constants of ours",
    {"k": whole_from(1), "s": at_least(1), "n": at_least((4 * exp(2) * k) ** 2)},
)


def _one_less(share: Fraction) -> Relation:
    return exp((share - 1) * t) <= 1 - exp(-t)


def _rows(one_in: int) -> Relation:
    return Fraction(8, one_in) * log(1 + exp(-t)) <= (Fraction(21, 100) - Fraction(8, one_in)) * t


STEPS: Final = [
    step("Thm6.step.sets").says(
        "(n/(4e²k))^(k/2) is at least n^(k/4) for n ≥ (4e²k)²; the logarithms, over k/2",
        log(n) / 2 <= log(n) - log(4 * exp(2) * k),
        broken("n ≥ (3e²k)²", n=at_least((3 * exp(2) * k) ** 2)),
    ),
    step("Thm6.step.one-less").says(
        "|B|^(21/25) ≤ |B| − 1 for |B| ≥ 2e, which is n^(1/4) for the least n; over |B| = e^t",
        _one_less(Fraction(21, 25)),
        broken("23/25", _one_less(Fraction(23, 25))),
        t=at_least(log(2) + 1),
    ),
    step("Thm6.step.rows").says(
        "with m ≤ k·ln|X|/(40αε) rows εs ≤ 8αεm is at most (21/25)·(k/4)·ln(n) ≤ ln(|B| − 1), |X| = n + 1; over k, "
        "with n = e^t: (8/40)·(t + ln(1 + e^(−t))) ≤ (21/100)·t",
        _rows(40),
        broken("38 in place of 40", _rows(38)),
        t=at_least(2 * (log(4) + 2)),
    ),
    step("Thm6.step.few-rows").says(
        "with 4αm < k, and sets of s ≤ k of the n − k points that are in no other way taken, εs ≤ s is below "
        "(21/25)·(s/4)·ln(n − k)",
        s < Fraction(21, 25) * s / 4 * log(n - k),
        broken("half as much", s < Fraction(21, 25) * s / 8 * log(n - k)),
    ),
]
