"""Steps of the proofs of Section 5.1: Lemma 5.1, Lemma 5.4 with Algorithm B, and Theorem 5.10's number of rows.

⌈x⌉ is bounded by x + 1; M stands for the M of Lemma 5.4.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.verifiers.catalogue.refuted import as_expected, degenerate, proof_step
from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, between, whole_from
from dpverify.verifiers.steps.statement import BrokenStep
from dpverify.verifiers.steps.terms import Expression, Relation, exp, log

_SOURCE: Final = "Beimel, Nissim & Stemmer, journal version, proof of"
_UNIT: Final = between(0, 1)


def _parts(constant: int = 18) -> dict[str, Range]:
    return {"beta": _UNIT, "q": at_least(lambda beta: constant / beta * log(1 / beta))}


chernoff = Step(
    id="BNS-J-5.1.step.chernoff",
    source=f"{_SOURCE} Lemma 5.1",
    statement="of q databases, each bad with probability 3β/2, more than 2βq are bad with probability at most "
    "e^(−(3βq/2)·(1/3)²/3) ≤ β, for q ≥ (18/β)·ln(1/β)",
    parameters=_parts(),
    says=lambda beta, q: exp(-(3 * beta / 2 * q) * Fraction(1, 3) ** 2 / 3) <= beta,
    mutants=[BrokenStep("17 in place of 18", parameters=_parts(17))],
)

closeness_of_parts = Step(
    id="BNS-J-5.1.step.closeness",
    source=f"{_SOURCE} Lemma 5.1",
    statement="(1 − 2β)·2α + 2β ≤ 2α + 2β",
    parameters={"alpha": _UNIT, "beta": _UNIT},
    says=lambda alpha, beta: (1 - 2 * beta) * 2 * alpha + 2 * beta <= 2 * alpha + 2 * beta,
    mutants=[BrokenStep("2α + β", says=lambda alpha, beta: (1 - 2 * beta) * 2 * alpha + 2 * beta <= 2 * alpha + beta)],
)

parts_of_m = Step(
    id="BNS-J-5.4.step.m",
    source=f"{_SOURCE} Lemma 5.4, the use of Lemma 5.1 with 2β",
    statement="(18/β)·ln(2/(αβ))·(1 + 1/(mε)) is at least (18/(2β))·ln(1/(2β))",
    parameters={"alpha": _UNIT, "beta": _UNIT, "epsilon": above_zero(), "m": whole_from(1)},
    says=lambda alpha, beta, epsilon, m: (
        18 / (2 * beta) * log(1 / (2 * beta)) <= 18 / beta * log(2 / (alpha * beta)) * (1 + 1 / (m * epsilon))
    ),
    mutants=[
        BrokenStep(
            "8 in place of 18",
            says=lambda alpha, beta, epsilon, m: (
                18 / (2 * beta) * log(1 / (2 * beta)) <= 8 / beta * log(2 / (alpha * beta)) * (1 + 1 / (m * epsilon))
            ),
            tries=[{"alpha": Fraction(999, 1000), "beta": Fraction(1, 10**9), "epsilon": 1000, "m": 1000}],
        )
    ],
)


def _noise(constant: int = 2) -> dict[str, Range]:
    return {
        "beta": _UNIT,
        "epsilon": above_zero(),
        "M": at_least(lambda beta, epsilon: constant / epsilon * log(2 / beta)),
    }


laplace = Step(
    id="BNS-J-5.4.step.laplace",
    source=f"{_SOURCE} Lemma 5.4",
    statement="Pr[|Lap(1/ε)| > M/2] ≤ β/2 for M ≥ (2/ε)·ln(2/β)",
    parameters=_noise(),
    says=lambda beta, epsilon, M: exp(-epsilon * M / 2) <= beta / 2,  # noqa: N803  # the paper's
    mutants=[BrokenStep("1/ε", parameters=_noise(1))],
)


def _rounded(epsilon: Expression, h: Expression) -> Expression:
    """Pr[|⌊Lap(1/ε)⌋| > M/2] for M = 2h + 1: ⌊x⌋ ≥ h + 1 or ⌊x⌋ ≤ −h − 1."""
    return exp(-epsilon * (h + 1)) / 2 + exp(-epsilon * h) / 2


laplace_rounded = Step(
    id="BNS-J-5.4.step.laplace-rounded",
    source=f"{_SOURCE} Lemma 5.4, with the rounding of step 2",
    statement="Pr[|⌊Lap(1/ε)⌋| > M/2] ≤ β/2 for M = 2h + 1 ≥ (2/ε)·ln(2/β)",
    parameters={"beta": _UNIT, "epsilon": above_zero(), "h": whole_from(1)},
    given=[lambda beta, epsilon, h: 2 * h + 1 >= 2 / epsilon * log(2 / beta)],
    says=lambda beta, epsilon, h: _rounded(epsilon, h) <= beta / 2,
    tries=[{"beta": Fraction(1, 4), "epsilon": 1, "h": 2}],
    mends="M ≥ (2/ε)·ln(2/β) + 1, which the M of the lemma is more than",
    **as_expected(
        proof_step(
            "The tail is that of a real Laplace variable; rounded downwards it is heavier below. The M of the lemma is "
            "9 times as large and more."
        )
    ),
)

laplace_corrected = Step(
    id="BNS-J-5.4.step.laplace-corrected",
    source=f"{_SOURCE} Lemma 5.4, with the rounding of step 2",
    statement="e^(−ε(M − 1)/2) ≥ Pr[|⌊Lap(1/ε)⌋| > M/2] is at most β/2 for M ≥ (2/ε)·ln(2/β) + 1",
    parameters={
        "beta": _UNIT,
        "epsilon": above_zero(),
        "M": at_least(lambda beta, epsilon: 2 / epsilon * log(2 / beta) + 1),
    },
    says=lambda beta, epsilon, M: exp(-epsilon * (M - 1) / 2) <= beta / 2,  # noqa: N803
    mutants=[BrokenStep("without + 1", parameters=_noise())],
)

m_is_enough = Step(
    id="BNS-J-5.4.step.laplace-rows",
    source=f"{_SOURCE} Lemma 5.4",
    statement="m·(18/β)·ln(2/(αβ))·(1 + 1/(mε)) is at least (2/ε)·ln(2/β) + 1",
    parameters={"alpha": _UNIT, "beta": _UNIT, "epsilon": above_zero(), "m": whole_from(1)},
    says=lambda alpha, beta, epsilon, m: (
        2 / epsilon * log(2 / beta) + 1 <= 18 / beta * log(2 / (alpha * beta)) * (m + 1 / epsilon)
    ),
    mutants=[
        BrokenStep(
            "1 in place of 18",
            says=lambda alpha, beta, epsilon, m: (
                2 / epsilon * log(2 / beta) + 1 <= 1 / beta * log(2 / (alpha * beta)) * (m + 1 / epsilon)
            ),
        )
    ],
)


def _closeness(alpha: Expression, beta: Expression, x: Expression) -> Relation:
    """x is M/t."""
    return (4 * alpha + 4 * beta) * (1 + 2 * x) + 2 * x <= 4 * alpha + 4 * beta + 4 * x


closeness = Step(
    id="BNS-J-5.4.step.closeness",
    source=f"{_SOURCE} Lemma 5.4",
    statement="(4α + 4β)·(t + 2M)/t + 2M/t ≤ (4α + 4β) + 4M/t; x = M/t",
    parameters={"alpha": _UNIT, "beta": _UNIT, "x": above_zero(1)},
    says=_closeness,
    tries=[{"alpha": Fraction(1, 4), "beta": Fraction(1, 4), "x": Fraction(1, 96)}],
    mends="4α + 4β ≤ 1, beyond which every database is (5α + 4β)-close to every other",
    **as_expected(degenerate("Where 4α + 4β > 1 the statement says nothing, and the step fails; no ε is in it.")),
)

closeness_corrected = Step(
    id="BNS-J-5.4.step.closeness-corrected",
    source=f"{_SOURCE} Lemma 5.4",
    statement="the same where s = 4α + 4β ≤ 1",
    parameters={"s": above_zero(1), "x": above_zero(1)},
    says=lambda s, x: s * (1 + 2 * x) + 2 * x <= s + 4 * x,
    mutants=[BrokenStep("4α + 4β ≤ 2", parameters={"s": above_zero(2), "x": above_zero(1)})],
)

rounding = Step(
    id="BNS-J-5.4.step.rounding",
    source=f"{_SOURCE} Lemma 5.4",
    statement="6M/t ≤ α for t ≥ (6/α²)·M; x = M/t",
    parameters={"alpha": _UNIT, "x": Range(0, lambda alpha: alpha**2 / 6)},
    says=lambda alpha, x: 6 * x <= alpha,
    mutants=[BrokenStep("7M/t ≤ α", says=lambda alpha, x: 7 * x <= alpha)],
)


rows_above = Step(
    id="BNS-J-5.4.step.t-above",
    source=f"{_SOURCE} Lemma 5.4, the bound to t",
    statement="⌈6/α²⌉·⌈x⌉ ≤ (7/α²)·(x + 1) is at most (150/18)·x/α², for x = (18/β)·ln(2/(αβ))·(1 + 1/(mε)) ≥ 18·ln 2",
    parameters={"alpha": _UNIT, "x": Range(lambda: 18 * log(2))},
    says=lambda alpha, x: 7 / alpha**2 * (x + 1) <= Fraction(150, 18) * x / alpha**2,
    mutants=[
        BrokenStep(
            "130 in place of 150",
            says=lambda alpha, x: 7 / alpha**2 * (x + 1) <= Fraction(130, 18) * x / alpha**2,
        )
    ],
)

rows_below = Step(
    id="BNS-J-5.4.step.t-below",
    source=f"{_SOURCE} Lemma 5.4, the bound to t",
    statement="t ≥ (6/α²)·m·(18/β)·ln(2/(αβ)) is at least (100m/α²)·ln(1/(αβ)); both divided by m/α²",
    parameters={"alpha": _UNIT, "beta": _UNIT},
    says=lambda alpha, beta: 100 * log(1 / (alpha * beta)) <= 6 * (18 / beta * log(2 / (alpha * beta))),
    mutants=[
        BrokenStep(
            "5 in place of 6",
            says=lambda alpha, beta: 100 * log(1 / (alpha * beta)) <= 5 * (18 / beta * log(2 / (alpha * beta))),
            tries=[{"alpha": Fraction(1, 10**9), "beta": Fraction(999, 1000)}],
        )
    ],
)

rows_of_5_10 = Step(
    id="BNS-J-5.10.step.t",
    source=f"{_SOURCE} Theorem 5.10",
    statement="m·100·50³·ln(50²) ≥ 50·50³·VC·ln(50²) for m ≥ VC/2",
    parameters={"v": whole_from(1), "m": at_least(lambda v: v / 2)},
    says=lambda v, m: 50 * 50**3 * v * log(50**2) <= m * (100 * 50**3 * log(50**2)),
    mutants=[
        BrokenStep("99 in place of 100", says=lambda v, m: 50 * 50**3 * v * log(50**2) <= m * (99 * 50**3 * log(50**2)))
    ],
)

_FIFTIETH: Final = Fraction(1, 50)

parts_of_5_10 = Step(
    id="BNS-J-5.10.step.parts",
    source=f"{_SOURCE} Theorem 5.10, by Lemma 5.1",
    statement="q ≥ 100·50³·ln(50²) parts are (18/β)·ln(1/β) or more at β = 1/50, as Lemma 5.1 asks for",
    parameters={"q": at_least(lambda: 100 * 50**3 * log(50**2))},
    says=lambda q: 18 * 50 * log(50) <= q,
    mutants=[BrokenStep("q ≥ 100·ln(50²)", parameters={"q": at_least(lambda: 100 * log(50**2))})],
)

sanitizer_of_5_10 = Step(
    id="BNS-J-5.10.step.sanitizer",
    source=f"{_SOURCE} Theorem 5.10, by Lemma 5.1",
    statement="(2α + 2β, β) is (2/25, 1/50) for α, β ≤ 1/50; here the first",
    parameters={"alpha": above_zero(_FIFTIETH), "beta": above_zero(_FIFTIETH)},
    says=lambda alpha, beta: 2 * alpha + 2 * beta <= Fraction(2, 25),
    mutants=[BrokenStep("3/50", says=lambda alpha, beta: 2 * alpha + 2 * beta <= Fraction(3, 50))],
)

learner_of_5_10 = Step(
    id="BNS-J-5.10.step.learner",
    source=f"{_SOURCE} Theorem 5.10, by Lemma 5.3 with γ = 1/50",
    statement="2·(2/25) + γ ≤ 9/50 < 1/5, as Lemma 5.7 asks for, γ ≤ 1/50; here the first",
    parameters={"gamma": above_zero(_FIFTIETH)},
    says=lambda gamma: 2 * Fraction(2, 25) + gamma <= Fraction(9, 50),
    mutants=[BrokenStep("γ ≤ 1/49", parameters={"gamma": above_zero(Fraction(1, 49))})],
)

_VC: Final = whole_from(1)

sample_of_5_10 = Step(
    id="BNS-J-5.10.step.sample",
    source=f"{_SOURCE} Theorem 5.10, by Lemma 5.3 with γ = β = 1/50",
    statement="t ≥ 50·50³·VC·ln(50²) is (50·VC/γ²)·ln(1/(γβ)) or more: 50 times as much",
    parameters={"v": _VC, "t": at_least(lambda v: 50 * 50**3 * v * log(50**2))},
    says=lambda v, t: 50 * 50**2 * v * log(50**2) <= t,
    mutants=[
        BrokenStep("50 in place of 50³", parameters={"v": _VC, "t": at_least(lambda v: 50 * 50 * v * log(50**2))})
    ],
)

second_learner_of_5_10 = Step(
    id="BNS-J-5.10.step.second-learner",
    source=f"{_SOURCE} Theorem 5.10, by Lemma 5.3 with γ = α",
    statement="2α + α ≤ 3/50 for α ≤ 1/50, below the 1/5 of Lemma 5.7",
    parameters={"alpha": above_zero(_FIFTIETH)},
    says=lambda alpha: 2 * alpha + alpha <= Fraction(3, 50),
    mutants=[BrokenStep("α ≤ 1/49", parameters={"alpha": above_zero(Fraction(1, 49))})],
)

_ROWS_OF_D: Final[dict[str, Range]] = {
    "k": whole_from(1),
    "alpha": above_zero(_FIFTIETH),
    "epsilon": above_zero(Fraction(1, 8)),
    "constant": above_zero(),
}


def _dimension(factor: int) -> Range:
    return at_least(lambda alpha, epsilon, constant: factor * epsilon / (constant * alpha**2) * log(50 / alpha))


dimension_of_5_10 = Step(
    id="BNS-J-5.10.step.d0",
    source=f"{_SOURCE} Theorem 5.10",
    statement="λkd/ε ≥ (50k/α²)·ln(50/α) for d ≥ d₀ = (50ε/(λα²))·ln(50/α): what Lemma 5.3 asks for with γ = α and "
    "β = 1/50",
    parameters={**_ROWS_OF_D, "d": _dimension(50)},
    says=lambda k, alpha, epsilon, constant, d: 50 * k / alpha**2 * log(50 / alpha) <= constant * k * d / epsilon,
    mutants=[BrokenStep("49 in place of 50", parameters={**_ROWS_OF_D, "d": _dimension(49)})],
)

vc_dimension = Step(
    id="BNS-J-5.5.step.vc",
    source=f"{_SOURCE} Theorem 5.5",
    statement="α ≤ 1/8 is below the 1/(4 + 16ε) of Theorem 2.20 for ε ≤ 1/8, so that m ≥ VC/2, if that holds",
    parameters={"alpha": above_zero(Fraction(1, 8)), "epsilon": above_zero(Fraction(1, 8))},
    says=lambda alpha, epsilon: alpha < 1 / (4 + 16 * epsilon),
    mutants=[
        BrokenStep(
            "ε ≤ 1/2, as in Theorem 4.16",
            parameters={"alpha": above_zero(Fraction(1, 8)), "epsilon": above_zero(Fraction(1, 2))},
        )
    ],
)

rows_of_5_5 = Step(
    id="BNS-J-5.5.step.t",
    source=f"{_SOURCE} Theorem 5.5",
    statement="(100m/α²)·ln(1/(αβ)) is at least (50·VC/α²)·ln(1/(αβ)) for m ≥ VC/2",
    parameters={"alpha": _UNIT, "beta": _UNIT, "v": whole_from(1), "m": at_least(lambda v: v / 2)},
    says=lambda alpha, beta, v, m: (
        50 * v / alpha**2 * log(1 / (alpha * beta)) <= 100 * m / alpha**2 * log(1 / (alpha * beta))
    ),
    mutants=[
        BrokenStep(
            "99 in place of 100",
            says=lambda alpha, beta, v, m: (
                50 * v / alpha**2 * log(1 / (alpha * beta)) <= 99 * m / alpha**2 * log(1 / (alpha * beta))
            ),
        )
    ],
)

accuracy_of_5_5 = Step(
    id="BNS-J-5.5.step.accuracy",
    source=f"{_SOURCE} Theorem 5.5",
    statement="2·(5α + 4β) + γ of Lemma 5.3, for γ ≤ 5α + 4β, is at most 15α + 12β",
    parameters={"alpha": _UNIT, "beta": _UNIT, "gamma": Range(0, lambda alpha, beta: 5 * alpha + 4 * beta)},
    says=lambda alpha, beta, gamma: 2 * (5 * alpha + 4 * beta) + gamma <= 15 * alpha + 12 * beta,
    mutants=[
        BrokenStep(
            "14α + 12β", says=lambda alpha, beta, gamma: 2 * (5 * alpha + 4 * beta) + gamma <= 14 * alpha + 12 * beta
        )
    ],
)
