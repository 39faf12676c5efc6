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

from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import Range, at_least, whole_from
from dpverify.verifiers.steps.statement import BrokenStep
from dpverify.verifiers.steps.terms import Expression, Relation, exp, log

_SOURCE: Final = "Beimel, Nissim & Stemmer, extended abstract, Theorem 6, with constants of ours"


def _points(constant: int = 4) -> dict[str, Range]:
    return {"k": whole_from(1), "n": at_least(lambda k: (constant * exp(2) * k) ** 2)}


sets = Step(
    id="BNS-X-Thm6.step.sets",
    source=_SOURCE,
    statement="(n/(4e²k))^(k/2) is at least n^(k/4) for n ≥ (4e²k)²; the logarithms, over k/2",
    parameters=_points(),
    says=lambda k, n: log(n) / 2 <= log(n) - log(4 * exp(2) * k),
    mutants=[BrokenStep("n ≥ (3e²k)²", parameters=_points(3))],
)


def _one_less(t: Expression, share: Fraction) -> Relation:
    return exp((share - 1) * t) <= 1 - exp(-t)


one_less = Step(
    id="BNS-X-Thm6.step.one-less",
    source=_SOURCE,
    statement="|B|^(21/25) ≤ |B| − 1 for |B| ≥ 2e, which is n^(1/4) for the least n; over |B| = e^t",
    parameters={"t": at_least(lambda: log(2) + 1)},
    says=lambda t: _one_less(t, Fraction(21, 25)),
    mutants=[BrokenStep("23/25", says=lambda t: _one_less(t, Fraction(23, 25)))],
)


def _rows(t: Expression, one_in: int) -> Relation:
    return Fraction(8, one_in) * log(1 + exp(-t)) <= (Fraction(21, 100) - Fraction(8, one_in)) * t


rows = Step(
    id="BNS-X-Thm6.step.rows",
    source=_SOURCE,
    statement="with m ≤ k·ln|X|/(40αε) rows εs ≤ 8αεm is at most (21/25)·(k/4)·ln(n) ≤ ln(|B| − 1), |X| = n + 1; over "
    "k, with n = e^t: (8/40)·(t + ln(1 + e^(−t))) ≤ (21/100)·t",
    parameters={"t": at_least(lambda: 2 * (log(4) + 2))},
    says=lambda t: _rows(t, 40),
    mutants=[BrokenStep("38 in place of 40", says=lambda t: _rows(t, 38))],
)

few_rows = Step(
    id="BNS-X-Thm6.step.few-rows",
    source=_SOURCE,
    statement="with 4αm < k, and sets of s ≤ k of the n − k points that are in no other way taken, εs ≤ s is below "
    "(21/25)·(s/4)·ln(n − k)",
    parameters={"k": whole_from(1), "s": at_least(1), "n": at_least(lambda k: (4 * exp(2) * k) ** 2)},
    says=lambda k, s, n: s < Fraction(21, 25) * s / 4 * log(n - k),
    mutants=[
        BrokenStep("half as much", says=lambda k, s, n: s < Fraction(21, 25) * s / 8 * log(n - k)),
    ],
)
