"""Steps about samples: the Chernoff bounds of Section 2.6, on which the proofs rest, and a sample of the rows."""

from fractions import Fraction
from typing import Final

from dpverify.verifiers.steps.ranges import above_zero, between
from dpverify.verifiers.steps.rows import ProofSteps, broken
from dpverify.verifiers.steps.terms import exp, log, parameters

p, delta, x, epsilon = parameters("p delta x epsilon")
step: Final = ProofSteps("BNS-J-", "Beimel, Nissim & Stemmer, journal version, Section 2.6")
STEPS: Final = [
    step("2.6.step.above").says(
        "Pr[ΣX > (1 + δ)pn] ≤ e^(−pnδ²/3) for every δ > 0; of one variable, which is 1 with probability p",
        p <= exp(-p * delta**2 / 3),
        given=[(1 + delta) * p < 1],
        p=between(0, 1),
        delta=above_zero(),
        tries=[{"p": Fraction(1, 100), "delta": 98}],
        mends="δ ≤ 1, as everywhere in the paper",
        degenerate="It is stated for every δ > 0, and holds for δ ≤ 1, with which the paper uses it; it has no ε.",
    ),
    step("2.6.step.above-corrected").says(
        "the exponent of Chernoff's bound, (1 + δ)·ln(1 + δ) − δ, is at least δ²/3 for δ ≤ 1",
        delta**2 / 3 <= (1 + delta) * log(1 + delta) - delta,
        broken("δ²/2", delta**2 / 2 <= (1 + delta) * log(1 + delta) - delta),
        broken("δ up to 2", delta=above_zero(2)),
        delta=above_zero(1),
    ),
    step("2.6.step.below").says(
        "the exponent of Chernoff's bound from below, (1 − δ)·ln(1 − δ) + δ, is at least δ²/2; x = 1 − δ",
        (1 - x) ** 2 / 2 <= x * log(x) + 1 - x,
        broken("0.6·δ²", Fraction(6, 10) * (1 - x) ** 2 <= x * log(x) + 1 - x),
        x=between(0, 1),
    ),
]


# Bun, Nissim & Stemmer, Lemma 2.25 and Theorem 2.24: a sample of the rows.
of_a_sample: Final = ProofSteps(
    "BuNS-", "Bun, Nissim & Stemmer, Theorem 2.24, by Lemma 2.25 as it was filled in: the text has lost its formulas"
)
SAMPLED: Final = [
    of_a_sample("2.24.step.nine").says(
        "m of n = 9m rows: (6m/n)·ε ≤ ε, and 4·e^(6εm/n)·(m/n)·δ ≤ δ for ε ≤ 1; here the second, over δ",
        lambda c=9: 4 * exp(6 * epsilon / c) / c <= 1,
        broken("8m", 8),
        epsilon=above_zero(1),
    )
]
