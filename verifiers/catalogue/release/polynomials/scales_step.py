"""Steps of a proof of Claim 5.4 of Hardt, Rothblum & Servedio for every k: the polynomial by scales.

It is the paper's claim, whose proof is cited there; the polynomial and its constants are ours. m = ⌈log₂(1/ε)⌉ < k
are its zeros below k; at the distances 2^i·m, i = 0, 1, …, below k are its scales, with the exponents ⌈7m/2⌉ for i = 0
and m for the others. Where m ≥ k it has k zeros alone, and k ≤ √(km). How large its factors are is
HRS-5.4.structure.scales, and that these are all is by induction over them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.verifiers.steps.ranges import above_zero, at_least
from dpverify.verifiers.steps.rows import ProofSteps, broken
from dpverify.verifiers.steps.terms import Relation, exp, log, parameters, sqrt

m, i, r, x, l, t = parameters("m i r x l t")  # noqa: E741

_claim: Final = ProofSteps("HRS-", "by hand, for Claim 5.4 of Hardt, Rothblum & Servedio, by the polynomial by scales")
_lemmas: Final = ProofSteps(
    "HRS-", "by hand, for Lemmas 5.3 and 5.7 of Hardt, Rothblum & Servedio, by the polynomial by scales"
)


def _held_down(first: Fraction) -> Relation:
    zeros = m * (1 + (i + 1) * log(2))
    return zeros - (first * m + i * m) * log(2) <= -m * log(2)


def _degree(constant: int) -> Relation:
    return 1 + 4 * (r + 1) + Fraction(5, 2) * r + 2 * log(r) / log(2) <= constant * r


STEPS: Final = [
    _claim("5.4.step.factorial", ": the zeros").says(
        "m! ≥ (m/e)^m, from m to m + 1 as (1 + 1/m)^m ≤ e, so that the zeros are (D − 1)^m/m! ≤ (e(D − 1)/m)^m or less "
        "at a distance of D: m·ln(1 + 1/m) ≤ 1, with x = 1/m",
        log(1 + x) <= x,
        broken("9/10", log(1 + x) <= Fraction(9, 10) * x),
        x=above_zero(1),
    ),
    _claim("5.4.step.scales", ": all of it").says(
        "where 2^i·m ≤ D − 1 < 2^(i+1)·m, (e·2^(i+1))^m of the zeros and 2^(−7m/2 − im) of the scales 0 to i are "
        "2^(−m) ≤ ε or less; in logarithms",
        _held_down(Fraction(7, 2)),
        broken("3m in place of 7m/2", _held_down(Fraction(3))),
        m=at_least(1),
        i=at_least(0),
    ),
    _claim("5.4.step.sum-of-scales", ": its degree").says(
        "2^(−1/2) + 2^(−2/2) + … + 2^(−l/2) = (1 − 2^(−l/2))/(√2 − 1) ≤ 5/2",
        1 - exp(-l * log(2) / 2) <= Fraction(5, 2) * (sqrt(2) - 1),
        broken("12/5", 1 - exp(-l * log(2) / 2) <= Fraction(12, 5) * (sqrt(2) - 1)),
        l=at_least(0),
    ),
    _claim("5.4.step.degree-of-scales", ": its degree, divided by m").says(
        "m zeros, ⌈7m/2⌉ ≤ 4m times q ≤ √(k/m) + 1, and m times √(k/(2^i·m)) + 1 for each i ≥ 1 with 2^i·m < k, of "
        "which there are less than log₂(k/m), are 12·√(km) or less; r = √(k/m)",
        _degree(12),
        broken("11", _degree(11)),
        r=at_least(1),
    ),
    _claim("5.4.step.order-of-scales", ": its order").says(
        "12·√(k·⌈log₂(1/ε)⌉) ≤ 17·√(k·log₂(1/ε)) for ε ≤ 1/2, in squares and without k; t = log₂(1/ε)",
        144 * (t + 1) <= 289 * t,
        broken("16", 144 * (t + 1) <= 256 * t),
        t=at_least(1),
    ),
    _lemmas("5.3.step.order-of-scales").says(
        "with ε = 1/(3n) that is 28·√(k·ln n) or less for n ≥ 2 and every k, as Lemma 5.3 says, and of every width, as "
        "Lemma 5.7 says: ⌈log₂(3n)⌉ ≤ log₂(6n); in squares and without k; l = ln n",
        144 * (log(6) + l) / log(2) <= 784 * l,
        broken("27", 144 * (log(6) + l) / log(2) <= 729 * l),
        l=at_least(Fraction(693, 1000)),
    ),
]
