"""Steps of the proofs of Section 5.1: Lemma 5.1, Lemma 5.4 with Algorithm B, and Theorem 5.10's number of rows.

⌈x⌉ is bounded by x + 1; M stands for the M of Lemma 5.4.
"""

from fractions import Fraction
from typing import Final

from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, whole_from
from dpverify.verifiers.steps.rows import BELOW_1, ProofSteps, broken
from dpverify.verifiers.steps.terms import exp, log, parameters

epsilon, h, alpha, beta, x, q, m, M, s, v, gamma, t, constant, k, d = parameters(
    "epsilon h alpha beta x q m M s v gamma t constant k d"
)
_FIFTIETH: Final = Fraction(1, 50)
step: Final = ProofSteps(
    "BNS-J-",
    "Beimel, Nissim & Stemmer, journal version, proof of ",
    {"alpha beta": BELOW_1, "epsilon": above_zero(), "v": whole_from(1)},
)
_rounded: Final = exp(-epsilon * (h + 1)) / 2 + exp(-epsilon * h) / 2
"""Pr[|⌊Lap(1/ε)⌋| > M/2] for M = 2h + 1: ⌊x⌋ ≥ h + 1 or ⌊x⌋ ≤ −h − 1."""
_closeness: Final = (4 * alpha + 4 * beta) * (1 + 2 * x) + 2 * x <= 4 * alpha + 4 * beta + 4 * x
"""x is M/t."""


def _dimension(factor: int) -> Range:
    return at_least(factor * epsilon / (constant * alpha**2) * log(50 / alpha))


STEPS: Final = [
    step("5.1.step.chernoff", "Lemma 5.1").says(
        "of q databases, each bad with probability 3β/2, more than 2βq are bad with probability at most "
        "e^(−(3βq/2)·(1/3)²/3) ≤ β, for q ≥ (18/β)·ln(1/β)",
        exp(-(3 * beta / 2 * q) * Fraction(1, 3) ** 2 / 3) <= beta,
        broken("17 in place of 18", q=at_least(17 / beta * log(1 / beta))),
        q=at_least(18 / beta * log(1 / beta)),
    ),
    step("5.1.step.closeness", "Lemma 5.1").says(
        "(1 − 2β)·2α + 2β ≤ 2α + 2β",
        (1 - 2 * beta) * 2 * alpha + 2 * beta <= 2 * alpha + 2 * beta,
        broken("2α + β", (1 - 2 * beta) * 2 * alpha + 2 * beta <= 2 * alpha + beta),
    ),
    step("5.4.step.m", "Lemma 5.4, the use of Lemma 5.1 with 2β").says(
        "(18/β)·ln(2/(αβ))·(1 + 1/(mε)) is at least (18/(2β))·ln(1/(2β))",
        lambda c=18: (
            18 / (2 * beta) * log(1 / (2 * beta)) <= c / beta * log(2 / (alpha * beta)) * (1 + 1 / (m * epsilon))
        ),
        broken(
            "8 in place of 18",
            8,
            tries=[{"alpha": Fraction(999, 1000), "beta": Fraction(1, 10**9), "epsilon": 1000, "m": 1000}],
        ),
        m=whole_from(1),
    ),
    step("5.4.step.laplace", "Lemma 5.4").says(
        "Pr[|Lap(1/ε)| > M/2] ≤ β/2 for M ≥ (2/ε)·ln(2/β)",
        exp(-epsilon * M / 2) <= beta / 2,
        broken("1/ε", M=at_least(1 / epsilon * log(2 / beta))),
        M=at_least(2 / epsilon * log(2 / beta)),
    ),
    step("5.4.step.laplace-rounded", "Lemma 5.4, with the rounding of step 2").says(
        "Pr[|⌊Lap(1/ε)⌋| > M/2] ≤ β/2 for M = 2h + 1 ≥ (2/ε)·ln(2/β)",
        _rounded <= beta / 2,
        given=[2 * h + 1 >= 2 / epsilon * log(2 / beta)],
        h=whole_from(1),
        tries=[{"beta": Fraction(1, 4), "epsilon": 1, "h": 2}],
        mends="M ≥ (2/ε)·ln(2/β) + 1, which the M of the lemma is more than",
        proof_step="The tail is that of a real Laplace variable; rounded downwards it is heavier below. The M of the "
        "lemma is 9 times as large and more.",
    ),
    step("5.4.step.laplace-corrected", "Lemma 5.4, with the rounding of step 2").says(
        "e^(−ε(M − 1)/2) ≥ Pr[|⌊Lap(1/ε)⌋| > M/2] is at most β/2 for M ≥ (2/ε)·ln(2/β) + 1",
        exp(-epsilon * (M - 1) / 2) <= beta / 2,
        broken("without + 1", M=at_least(2 / epsilon * log(2 / beta))),
        M=at_least(2 / epsilon * log(2 / beta) + 1),
    ),
    step("5.4.step.laplace-rows", "Lemma 5.4").says(
        "m·(18/β)·ln(2/(αβ))·(1 + 1/(mε)) is at least (2/ε)·ln(2/β) + 1",
        lambda c=18: 2 / epsilon * log(2 / beta) + 1 <= c / beta * log(2 / (alpha * beta)) * (m + 1 / epsilon),
        broken("1 in place of 18", 1),
        m=whole_from(1),
    ),
    step("5.4.step.closeness", "Lemma 5.4").says(
        "(4α + 4β)·(t + 2M)/t + 2M/t ≤ (4α + 4β) + 4M/t; x = M/t",
        _closeness,
        x=above_zero(1),
        tries=[{"alpha": Fraction(1, 4), "beta": Fraction(1, 4), "x": Fraction(1, 96)}],
        mends="4α + 4β ≤ 1, beyond which every database is (5α + 4β)-close to every other",
        degenerate="Where 4α + 4β > 1 the statement says nothing, and the step fails; no ε is in it.",
    ),
    step("5.4.step.closeness-corrected", "Lemma 5.4").says(
        "the same where s = 4α + 4β ≤ 1",
        s * (1 + 2 * x) + 2 * x <= s + 4 * x,
        broken("4α + 4β ≤ 2", s=above_zero(2)),
        s=above_zero(1),
        x=above_zero(1),
    ),
    step("5.4.step.rounding", "Lemma 5.4").says(
        "6M/t ≤ α for t ≥ (6/α²)·M; x = M/t",
        6 * x <= alpha,
        broken("7M/t ≤ α", 7 * x <= alpha),
        x=Range(0, alpha**2 / 6),
    ),
    step("5.4.step.t-above", "Lemma 5.4, the bound to t").says(
        "⌈6/α²⌉·⌈x⌉ ≤ (7/α²)·(x + 1) is at most (150/18)·x/α², for x = (18/β)·ln(2/(αβ))·(1 + 1/(mε)) ≥ 18·ln 2",
        lambda c=Fraction(150, 18): 7 / alpha**2 * (x + 1) <= c * x / alpha**2,
        broken("130 in place of 150", Fraction(130, 18)),
        x=Range(18 * log(2)),
    ),
    step("5.4.step.t-below", "Lemma 5.4, the bound to t").says(
        "t ≥ (6/α²)·m·(18/β)·ln(2/(αβ)) is at least (100m/α²)·ln(1/(αβ)); both divided by m/α²",
        lambda c=6: 100 * log(1 / (alpha * beta)) <= c * (18 / beta * log(2 / (alpha * beta))),
        broken("5 in place of 6", 5, tries=[{"alpha": Fraction(1, 10**9), "beta": Fraction(999, 1000)}]),
    ),
    step("5.10.step.t", "Theorem 5.10").says(
        "m·100·50³·ln(50²) ≥ 50·50³·VC·ln(50²) for m ≥ VC/2",
        lambda c=100: 50 * 50**3 * v * log(50**2) <= m * (c * 50**3 * log(50**2)),
        broken("99 in place of 100", 99),
        m=at_least(v / 2),
    ),
    step("5.10.step.parts", "Theorem 5.10, by Lemma 5.1").says(
        "q ≥ 100·50³·ln(50²) parts are (18/β)·ln(1/β) or more at β = 1/50, as Lemma 5.1 asks for",
        18 * 50 * log(50) <= q,
        broken("q ≥ 100·ln(50²)", q=at_least(100 * log(50**2))),
        q=at_least(100 * 50**3 * log(50**2)),
    ),
    step("5.10.step.sanitizer", "Theorem 5.10, by Lemma 5.1").says(
        "(2α + 2β, β) is (2/25, 1/50) for α, β ≤ 1/50; here the first",
        lambda c=Fraction(2, 25): 2 * alpha + 2 * beta <= c,
        broken("3/50", Fraction(3, 50)),
        alpha=above_zero(_FIFTIETH),
        beta=above_zero(_FIFTIETH),
    ),
    step("5.10.step.learner", "Theorem 5.10, by Lemma 5.3 with γ = 1/50").says(
        "2·(2/25) + γ ≤ 9/50 < 1/5, as Lemma 5.7 asks for, γ ≤ 1/50; here the first",
        2 * Fraction(2, 25) + gamma <= Fraction(9, 50),
        broken("γ ≤ 1/49", gamma=above_zero(Fraction(1, 49))),
        gamma=above_zero(_FIFTIETH),
    ),
    step("5.10.step.sample", "Theorem 5.10, by Lemma 5.3 with γ = β = 1/50").says(
        "t ≥ 50·50³·VC·ln(50²) is (50·VC/γ²)·ln(1/(γβ)) or more: 50 times as much",
        50 * 50**2 * v * log(50**2) <= t,
        broken("50 in place of 50³", t=at_least(50 * 50 * v * log(50**2))),
        t=at_least(50 * 50**3 * v * log(50**2)),
    ),
    step("5.10.step.second-learner", "Theorem 5.10, by Lemma 5.3 with γ = α").says(
        "2α + α ≤ 3/50 for α ≤ 1/50, below the 1/5 of Lemma 5.7",
        2 * alpha + alpha <= Fraction(3, 50),
        broken("α ≤ 1/49", alpha=above_zero(Fraction(1, 49))),
        alpha=above_zero(_FIFTIETH),
    ),
    step("5.10.step.d0", "Theorem 5.10").says(
        "λkd/ε ≥ (50k/α²)·ln(50/α) for d ≥ d₀ = (50ε/(λα²))·ln(50/α): what Lemma 5.3 asks for with γ = α and β = 1/50",
        50 * k / alpha**2 * log(50 / alpha) <= constant * k * d / epsilon,
        broken("49 in place of 50", d=_dimension(49)),
        k=whole_from(1),
        alpha=above_zero(_FIFTIETH),
        epsilon=above_zero(Fraction(1, 8)),
        constant=above_zero(),
        d=_dimension(50),
    ),
    step("5.5.step.vc", "Theorem 5.5").says(
        "α ≤ 1/8 is below the 1/(4 + 16ε) of Theorem 2.20 for ε ≤ 1/8, so that m ≥ VC/2, if that holds",
        alpha < 1 / (4 + 16 * epsilon),
        broken("ε ≤ 1/2, as in Theorem 4.16", epsilon=above_zero(Fraction(1, 2))),
        alpha=above_zero(Fraction(1, 8)),
        epsilon=above_zero(Fraction(1, 8)),
    ),
    step("5.5.step.t", "Theorem 5.5").says(
        "(100m/α²)·ln(1/(αβ)) is at least (50·VC/α²)·ln(1/(αβ)) for m ≥ VC/2",
        lambda c=100: 50 * v / alpha**2 * log(1 / (alpha * beta)) <= c * m / alpha**2 * log(1 / (alpha * beta)),
        broken("99 in place of 100", 99),
        m=at_least(v / 2),
    ),
    step("5.5.step.accuracy", "Theorem 5.5").says(
        "2·(5α + 4β) + γ of Lemma 5.3, for γ ≤ 5α + 4β, is at most 15α + 12β",
        lambda c=15: 2 * (5 * alpha + 4 * beta) + gamma <= c * alpha + 12 * beta,
        broken("14α + 12β", 14),
        gamma=Range(0, 5 * alpha + 4 * beta),
    ),
]
