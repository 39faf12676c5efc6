"""Steps of the proof of the reduction: Hardt, Rothblum & Servedio, Sections 1, 3.3 and 4. Logarithms are natural."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.verifiers.catalogue.refuted import as_expected, proof_step, reconstruction
from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, between, from_to, whole_from
from dpverify.verifiers.steps.statement import BrokenStep
from dpverify.verifiers.steps.terms import Expression, Relation, ceil, exp, log

_HRS: Final = "Hardt, Rothblum & Servedio"
_UNIT: Final = between(0, 1)
_UP_TO_1: Final = above_zero(1)
_HALF: Final = Fraction(1, 2)

# Section 4.1


def _small(q: Expression, alpha: Expression, times: int) -> Relation:
    return 2 * q * exp(-2 * alpha**2 * (times * log(q) / alpha**2 - 1)) < 1


small_database = Step(
    id="HRS-4.2.step.union",
    source=f"{_HRS}, Lemma 4.2, by the subsampling of Blum, Ligett & Roth: Hoeffding's bound and a union bound",
    statement="2|Q|·e^(−2α²m) < 1 for m = ⌊10·ln|Q|/α²⌋ rows, α ≤ 1 and |Q| ≥ 2",
    parameters={"q": whole_from(2), "alpha": _UP_TO_1},
    says=lambda q, alpha: _small(q, alpha, 10),
    mutants=[BrokenStep("1 in place of 10", says=lambda q, alpha: _small(q, alpha, 1))],
)

small_database_of_a_third = Step(
    id="HRS-4.3.step.small-database",
    source=f"{_HRS}, Lemma 4.3, by Lemma 4.2 with α/3",
    statement="10·ln|Q|/(α/3)² ≤ 90·α⁻²·ln|Q|",
    parameters={"q": whole_from(2), "alpha": _UP_TO_1},
    says=lambda q, alpha: 10 * log(q) / (alpha / 3) ** 2 <= 90 / alpha**2 * log(q),
    mutants=[BrokenStep("89", says=lambda q, alpha: 10 * log(q) / (alpha / 3) ** 2 <= 89 / alpha**2 * log(q))],
)


def _rows_for_agreement(times: int) -> dict[str, Range]:
    def least(alpha: Expression, beta: Expression, epsilon: Expression, b: Expression) -> Expression:
        return times * b * log(b / beta) / (epsilon * alpha)

    return {"alpha": _UP_TO_1, "beta": _UNIT, "epsilon": above_zero(), "b": whole_from(1), "n": at_least(least)}


noise = Step(
    id="HRS-4.3.step.noise",
    source=f"{_HRS}, Lemma 4.3, Γ",
    statement="all b variables Lap(b/(εn)) are below α/3 in size but with probability b·e^(−αεn/3b) ≤ β, for "
    "n ≥ 30b·ln(b/β)/(εα)",
    parameters=_rows_for_agreement(30),
    says=lambda alpha, beta, epsilon, b, n: b * exp(-alpha / 3 * epsilon * n / b) <= beta,
    mutants=[BrokenStep("2 in place of 30", parameters=_rows_for_agreement(2))],
)

# Section 4.2, (6) to (8)

parameter_n = Step(
    id="HRS-Fig2.step.small-database",
    source=f"{_HRS}, (6), by Lemma 4.3 with α/7",
    statement="90·(α/7)⁻²·ln|Q| ≤ 4410·ln|Q|/α²",
    parameters={"q": whole_from(2), "alpha": _UP_TO_1},
    says=lambda q, alpha: 90 / (alpha / 7) ** 2 * log(q) <= 4410 * log(q) / alpha**2,
    mutants=[BrokenStep("4409", says=lambda q, alpha: 90 / (alpha / 7) ** 2 * log(q) <= 4409 * log(q) / alpha**2)],
)


def _iter(b: Expression, k: Expression, beta: Expression, gamma: Expression | int, times: int = 100) -> Expression:
    """(7): b_iter = 100·b_base·ln(1/β′)/γ, β′ = β/6k."""
    return times * b * log(6 * k / beta) / gamma


_SETTING: Final[dict[str, Range]] = {"b": whole_from(1), "k": whole_from(1), "beta": _UNIT}

questions = Step(
    id="HRS-4.4.step.queries",
    source=f"{_HRS}, Lemma 4.4",
    statement="b_base ≤ b_iter, so that in k iterations at most 2k·b_iter queries are made, γ ≤ 1",
    parameters={**_SETTING, "gamma": _UP_TO_1},
    says=lambda b, k, beta, gamma: b <= _iter(b, k, beta, gamma),
    mutants=[BrokenStep("1/2 in place of 100", says=lambda b, k, beta, gamma: b <= _iter(b, k, beta, gamma) / 200)],
)

rows = Step(
    id="HRS-4.5.step.rows",
    source=f"{_HRS}, (8) and (10), by Lemma 4.3 with α/7 and β/3",
    statement="30b·ln(3b/β)/(εα/7) ≤ 210b·ln(10b/β)/(εα)",
    parameters={"alpha": _UP_TO_1, "beta": _UNIT, "epsilon": above_zero(), "b": whole_from(1)},
    says=lambda alpha, beta, epsilon, b: (
        30 * b * log(3 * b / beta) / (epsilon * alpha / 7) <= 210 * b * log(10 * b / beta) / (epsilon * alpha)
    ),
    mutants=[
        BrokenStep(
            "ln(2b/β)",
            says=lambda alpha, beta, epsilon, b: (
                30 * b * log(3 * b / beta) / (epsilon * alpha / 7) <= 210 * b * log(2 * b / beta) / (epsilon * alpha)
            ),
        )
    ],
)

# The three cases of Lemma 4.5

first_case = Step(
    id="HRS-4.5.step.first-case",
    source=f"{_HRS}, Lemma 4.5, the first case, where 1 − γ/10 of G is rejected, by Chernoff's bound",
    statement="more than 5μ of μ = γ/10·b_iter are answered with probability at most e^(−μ(5·ln 5 − 4)) ≤ β",
    parameters=_SETTING,
    says=lambda b, k, beta: exp(-_iter(b, k, beta, 10) * (5 * log(5) - 4)) <= beta,
    mutants=[
        BrokenStep(
            "1/10 in place of 100",
            says=lambda b, k, beta: exp(-_iter(b, k, beta, 10) / 1000 * (5 * log(5) - 4)) <= beta,
        )
    ],
)

_NEAR: Final[dict[str, Range]] = {
    "alpha": _UP_TO_1,
    "away": at_least(0),
    "noise": at_least(0),
}

first_case_as_printed = Step(
    id="HRS-4.5.step.first-case-printed",
    source=f"{_HRS}, Lemma 4.5, the first case, of the mass that is α-close to t",
    statement="a query that is α-close to t is rejected: |f(q) − t| ≤ α and |N| < α/21 give |f(q) − t| + |N| < 2α/21",
    parameters=_NEAR,
    given=[lambda alpha, away: away <= alpha, lambda alpha, noise: noise < alpha / 21],
    says=lambda alpha, away, noise: away + noise < 2 * alpha / 21,
    tries=[{"alpha": Fraction(1, 4), "away": Fraction(1, 8), "noise": 0}],
    mends="α/21-close in place of α-close, and the cases by the share Z_i that is answered",
    **as_expected(
        proof_step(
            "The run does not end early there, and need not. By the share Z_i that is answered the cases are as they "
            "should be: HRS-4.5.step.first-case. There is no ε in it."
        )
    ),
)

third_case = Step(
    id="HRS-4.5.step.third-case",
    source=f"{_HRS}, Lemma 4.5, the third case, where a share of γ is answered, by Chernoff's bound",
    statement="less than μ/2 of μ = γ·b_iter are answered with probability at most e^(−μ/8) ≤ β/6k",
    parameters=_SETTING,
    says=lambda b, k, beta: exp(-_iter(b, k, beta, 1) / 8) <= beta / (6 * k),
    mutants=[BrokenStep("7", says=lambda b, k, beta: exp(-_iter(b, k, beta, 1, 7) / 8) <= beta / (6 * k))],
)


_LN: Final[dict[str, Range]] = {"b": whole_from(1), "ln": at_least(Fraction(179, 100))}
"""b_base, and ln(1/β′) = ln(6k/β) ≥ ln 6; of a share of γ/10 that is answered the mean of |B_i| is 10·b·ln(1/β′)."""


def _few(b: Expression, ln: Expression, times: int) -> Relation:
    return ln - log(2) <= b * (times * ln - 1) ** 2 / (2 * times * ln)


enough = Step(
    id="HRS-4.6.step.enough",
    source=f"{_HRS}, Claim 4.6, where a share of γ/10 is answered, by Chernoff's bound",
    statement="less than b = b_base of μ = γ/10·b_iter = 10b·ln(6k/β) are answered with probability at most "
    "e^(−(μ − b)²/2μ) ≤ β/3k",
    parameters=_LN,
    says=lambda b, ln: _few(b, ln, 10),
    mutants=[BrokenStep("20 in place of 100", says=lambda b, ln: _few(b, ln, 2))],
)

union_as_printed = Step(
    id="HRS-4.6.step.union-printed",
    source=f"{_HRS}, Claim 4.6",
    statement="k failures of probability β/k are together of probability β/3",
    parameters={"k": whole_from(1), "beta": _UNIT},
    says=lambda k, beta: k * (beta / k) <= beta / 3,
    mends="β/3k for each of the k, which (7) gives: HRS-4.6.step.enough",
    tries=[{"k": 12, "beta": Fraction(1, 4)}],
    **as_expected(proof_step("It is β/3k for each, by HRS-4.6.step.enough. There is no ε in it.")),
)


_M: Final[dict[str, Range]] = {"m": at_least(Fraction(179, 100))}
"""b_base·ln(6k/β) ≥ ln 6: of a share of γ/10 that is answered the mean of |B_i| is 10m, and e^(−m) ≤ β/6k."""

below_a_third = Step(
    id="HRS-4.7.step.below",
    source=f"{_HRS}, Lemma 4.7, where a share of γ/10 is answered, by Chernoff's bound",
    statement="a number of mean μ = γ/10·b_iter = 10m is below μ/3 with probability at most e^(−2μ/9) ≤ e^(−m)/2, "
    "m = b_base·ln(6k/β)",
    parameters=_M,
    says=lambda m: exp(-Fraction(20, 9) * m) <= exp(-m) / 2,
    mutants=[BrokenStep("50 in place of 100", says=lambda m: exp(-Fraction(10, 9) * m) <= exp(-m) / 2)],
)

above_three_times = Step(
    id="HRS-4.7.step.above",
    source=f"{_HRS}, Lemma 4.7, where a share of γ/10 is answered, by Chernoff's bound",
    statement="it is above 3μ with probability at most e^(−μ(3·ln 3 − 2)) ≤ e^(−m)/2",
    parameters=_M,
    says=lambda m: exp(-10 * m * (3 * log(3) - 2)) <= exp(-m) / 2,
    mutants=[BrokenStep("10 in place of 100", says=lambda m: exp(-m * (3 * log(3) - 2)) <= exp(-m) / 2)],
)

thirteen = Step(
    id="HRS-4.8.step.union",
    source=f"{_HRS}, (13), by Lemmas 4.7 and 4.8",
    statement="k·(β/6k + β/6k) ≤ β/3",
    parameters={"k": whole_from(1), "beta": _UNIT},
    says=lambda k, beta: k * (beta / (6 * k) + beta / (6 * k)) <= beta / 3,
    mutants=[BrokenStep("β/5k", says=lambda k, beta: k * (beta / (5 * k) + beta / (6 * k)) <= beta / 3)],
)

all_failures_as_printed = Step(
    id="HRS-4.5.step.union-printed",
    source=f"{_HRS}, Lemma 4.5: the third case, and what is assumed after it",
    statement="that the run ends early, of probability β, and the three events, each of β/3, are together of β",
    parameters={"beta": _UNIT},
    says=lambda beta: beta + 3 * (beta / 3) <= beta,
    tries=[{"beta": Fraction(1, 4)}],
    mends="a probability of k·(β/6k)^12 for the third case, which (7) gives: HRS-4.5.step.union",
    **as_expected(
        proof_step("(7) gives much less for the third case: HRS-4.5.step.union. There is no ε in it."),
    ),
)


def _everything(b: Expression, k: Expression, beta: Expression, noise: Expression) -> Relation:
    each = beta / (6 * k)
    return 2 * k * each**12 + k * each**4 + b * (beta / (10 * b)) ** 10 + noise <= beta


all_failures = Step(
    id="HRS-4.5.step.union",
    source=f"{_HRS}, Lemma 4.5, by (7), (8) and (13)",
    statement="2k·(β/6k)¹² for the first and the third case, k·(β/6k)⁴ for Claim 4.6, b_total·(β/(10·b_total))¹⁰ for Γ "
    "and β/3 for (13) are together at most β",
    parameters=_SETTING,
    says=lambda b, k, beta: _everything(b, k, beta, beta / 3),
    mutants=[BrokenStep("β for (13)", says=lambda b, k, beta: _everything(b, k, beta, beta))],
)

# Claim 4.9

spacing_as_printed = Step(
    id="HRS-4.9.step.spacing-printed",
    source=f"{_HRS}, Claim 4.9",
    statement="any two thresholds differ by at least α/3: 1/(k + 1) ≥ α/3, k = ⌈3/α⌉",
    parameters={"alpha": _UP_TO_1},
    says=lambda alpha: alpha / 3 <= 1 / (ceil(3 / alpha) + 1),
    tries=[{"alpha": Fraction(1, 4)}],
    mends="α/(3 + 2α), which is more than 2α/7 for α < 1/4",
    **as_expected(
        proof_step(
            "They differ by at least α/(3 + 2α) (HRS-4.9.step.spacing). For α ≤ 1/4 at most one is within α/7 of a "
            "value (HRS-4.9.structure.one-threshold-near), which is what the claim needs. There is no ε in it."
        )
    ),
)

spacing = Step(
    id="HRS-4.9.step.spacing",
    source=f"{_HRS}, Claim 4.9",
    statement="1/(k + 1) ≥ α/(3 + 2α) for any k ≤ 3/α + 1, times (k + 1)(3 + 2α)",
    parameters={"alpha": _UP_TO_1, "k": Range(0, lambda alpha: 3 / alpha + 1)},
    says=lambda alpha, k: alpha * (k + 1) <= 3 + 2 * alpha,
    mutants=[BrokenStep("α/(3 + α)", says=lambda alpha, k: alpha * (k + 1) <= 3 + alpha)],
)

# What the noise of queries that were not asked does: Q_i is a set of all of Q, and Γ is of what the oracle draws


def _far(b: Expression, beta: Expression) -> Expression:
    """The probability that |N_q| ≥ α/21 of one Lap(b/(εn)), on n = 210·b·ln(10b/β)/(εα) rows: e^(−10·ln(10b/β))."""
    return (beta / (10 * b)) ** 10


noise_of_all_as_printed = Step(
    id="HRS-4.9.step.noise-of-all-printed",
    source=f"{_HRS}, Claim 4.9, for every q of Q, by property (2) of Lemma 4.3, on the rows of (8) and no more",
    statement="of all q of Q, independent ones, some N_q is α/21 or more in size with probability at most β/3: "
    "1 − (1 − p)^|Q| ≥ 1 − e^(−p·|Q|), p = (β/10b)^10, b = b_total",
    parameters={"q": whole_from(1), "b": whole_from(1), "beta": _UNIT},
    says=lambda q, b, beta: 1 - exp(-q * _far(b, beta)) <= beta / 3,
    tries=[{"q": 10**70, "b": 10**5, "beta": Fraction(1, 4)}],
    mends="γ/2k in place of γ/k, and a share of γ/2 for what is not asked: HRS-4.9.step.noise-of-all",
    **as_expected(
        proof_step(
            "Γ is of the b_total variables that the oracle draws, and the rows of (8) are for these. Of 10^70 queries "
            "nearly surely some that nobody asks has more noise, and is in no Q_i where its share is. They have little "
            "of G: with γ/2k in place of γ/k the lemma holds in this respect (HRS-4.9.step.noise-of-all). There is no "
            "ε in it."
        )
    ),
)

noise_of_all = Step(
    id="HRS-4.9.step.noise-of-all",
    source=f"{_HRS}, Claim 4.9 and the end of Lemma 4.5, by Markov's bound: a share (β/10b)^10 of G is expected there",
    statement="queries with |N_q| ≥ α/21 have γ/2 or more of G with probability at most (2/γ)·(β/10b)^10 ≤ β/6, for "
    "b_total ≥ 1/γ",
    parameters={"gamma": _UP_TO_1, "beta": _UNIT, "b": at_least(lambda gamma: 1 / gamma)},
    says=lambda gamma, beta, b: 2 / gamma * _far(b, beta) <= beta / 6,
    mutants=[
        BrokenStep(
            "(β/10b) in place of its tenth power", says=lambda gamma, beta, b: 2 / gamma * (beta / (10 * b)) <= beta / 6
        )
    ],
)

error = Step(
    id="HRS-4.9.step.error",
    source=f"{_HRS}, Claim 4.9",
    statement="the error of one wrong hypothesis, 2/(k + 1), is at most 2α/3 for k ≥ 3/α, times 3(k + 1)/2",
    parameters={"alpha": _UP_TO_1, "k": at_least(lambda alpha: 3 / alpha)},
    says=lambda alpha, k: alpha * (k + 1) >= 3,
    mutants=[BrokenStep("α/2", says=lambda alpha, k: alpha * (k + 1) >= 4)],
)

# Section 3.3, the overview, with other constants than Section 4; noise in units of α

overview_agrees = Step(
    id="HRS-3.3.step.agrees",
    source=f"{_HRS}, Section 3.3, divided by α",
    statement="where |N| ≤ α/40 an answer that is not ⊥ has |f(q) − t| ≥ α/20 − |N| > α/100",
    parameters={"noise": from_to(0, Fraction(1, 40))},
    says=lambda noise: Fraction(1, 20) - noise > Fraction(1, 100),
    mutants=[BrokenStep("> α/30", says=lambda noise: Fraction(1, 20) - noise > Fraction(1, 30))],
)

no_step_up = Step(
    id="HRS-3.3.step.no-step-up",
    source=f"{_HRS}, Section 3.3: the smallest i with h_i(q) = 0 and h_(i+1)(q) = 1, of hypotheses that are right",
    statement="f(q) ≤ t_i gives f(q) < t_(i+1): there is no such i, and nothing to take the smallest of; in units of "
    "1/(k + 1)",
    parameters={"i": whole_from(1), "f": Range(0, lambda i: i)},
    says=lambda i, f: f < i + 1,
    mutants=[BrokenStep("t_(i−1) in place of t_(i+1)", says=lambda i, f: f < i - 1)],
)

overview_low_margin = Step(
    id="HRS-3.3.step.low-margin",
    source=f"{_HRS}, Section 3.3, divided by α",
    statement="where |N| ≤ α/40 the answer ⊥ has |f(q) − t| < α/20 + |N| < α/7",
    parameters={"noise": from_to(0, Fraction(1, 40))},
    says=lambda noise: Fraction(1, 20) + noise < Fraction(1, 7),
    mutants=[BrokenStep("< α/14", says=lambda noise: Fraction(1, 20) + noise < Fraction(1, 14))],
)

# The rows of Theorems 3.9, 4.10 and 1.1 beside (8)

_Y: Final[dict[str, Range]] = {"y": at_least(Fraction(2079, 1000))}
"""y = ln(b/(αβγ)) ≥ ln 8 for α, β, γ ≤ 1/2: with k ≤ 4/α, ln(1/β′) = ln(6k/β) ≤ ln(24/(αβ)) ≤ ln 12 + y."""

rows_of_3_9 = Step(
    id="HRS-3.9.step.rows",
    source=f"{_HRS}, Theorem 3.9, (3), by (8) divided by b·ln(1/β′)/(εα²γ)",
    statement="C = 1,100,000 is enough for (3), α, β, γ ≤ 1/2: with y = ln(b/(αβγ)), b_total = 2k·b_iter ≤ "
    "(800/αγ)·b·ln(1/β′), 210·800·(ln 8000 + y + ln(ln 12 + y)) ≤ C·y",
    parameters=_Y,
    says=lambda y: 168_000 * (log(8000) + y + log(log(12) + y)) <= 1_100_000 * y,
    mutants=[
        BrokenStep("C = 900,000", says=lambda y: 168_000 * (log(8000) + y + log(log(12) + y)) <= 900_000 * y),
    ],
)

rows_of_4_10 = Step(
    id="HRS-4.10.step.rows",
    source=f"{_HRS}, Theorem 4.10, by (8) divided by b·ln(1/β′)/(εαγ)",
    statement="C = 250,000 is enough, α, β, γ ≤ 1/2: with y = ln(b/(αβγ)), b_total = 2·b_iter = (200/γ)·b·ln(1/β′), "
    "210·200·(ln 1000 + y + ln(ln 12 + y)) ≤ C·y",
    parameters=_Y,
    says=lambda y: 42_000 * (log(1000) + y + log(log(12) + y)) <= 250_000 * y,
    mutants=[BrokenStep("C = 200,000", says=lambda y: 42_000 * (log(1000) + y + log(log(12) + y)) <= 200_000 * y)],
)

rows_of_3_9_any = Step(
    id="HRS-3.9.step.rows-any",
    source=f"{_HRS}, Theorem 3.9, (3), as for HRS-3.9.step.rows; for α > 1/2 the constant 1/2 is within α",
    statement="C = 2,700,000 is enough for (3), α ≤ 1/2 and any β and γ: y = ln(b/(αβγ)) ≥ ln 2",
    parameters={"y": at_least(Fraction(693, 1000))},
    says=lambda y: 168_000 * (log(8000) + y + log(log(12) + y)) <= 2_700_000 * y,
    mutants=[
        BrokenStep("C = 1,100,000", says=lambda y: 168_000 * (log(8000) + y + log(log(12) + y)) <= 1_100_000 * y),
    ],
)

_ALL: Final[dict[str, Range]] = {
    "alpha": above_zero(_HALF),
    "beta": above_zero(_HALF),
    "gamma": above_zero(_HALF),
    "b": whole_from(1),
}


def _total(alpha: Expression, beta: Expression, gamma: Expression, b: Expression) -> Expression:
    """(7) for the least that k can be, 3/α: b_total = 2·b_iter."""
    return 200 * b * log(18 / (alpha * beta)) / gamma


rows_of_1_1 = Step(
    id="HRS-1.1.step.rows-printed",
    source=f"{_HRS}, Theorem 1.1, beside Theorem 4.10",
    statement="with C = 10⁷ the rows of Theorem 1.1, C·b·ln(1/β)/(εαγ), are as many as (8) asks for",
    parameters=_ALL,
    says=lambda alpha, beta, gamma, b: (
        210 * _total(alpha, beta, gamma, b) * log(10 * _total(alpha, beta, gamma, b) / beta) / alpha
        <= 10**7 * b * log(1 / beta) / (alpha * gamma)
    ),
    tries=[
        {
            "alpha": Fraction(1, 100),
            "beta": _HALF,
            "gamma": Fraction(1, 100),
            "b": 10**6,
        }
    ],
    mends="the factor ln(b/(αγβ)), and ln(1/β′) in place of ln(1/β), as in Theorem 4.10",
    **as_expected(
        reconstruction(
            "Theorem 1.1 is a simplified form of Theorem 4.10 (HRS-4.10.step.rows), and leaves out a factor that grows "
            "with b. What the paper proves is Theorem 4.10."
        )
    ),
)

samples_of_1_1 = Step(
    id="HRS-1.1.step.samples-printed",
    source=f"{_HRS}, Theorem 1.1, the number of samples, beside (7) with k ≥ 3/α",
    statement="the b_iter = 100·b·ln(1/β′)/γ samples of (7), β′ = β/6k ≤ αβ/18, are C·b·ln(1/β)/γ or fewer for a "
    "constant C, here 10,000; over b/γ, y = ln(1/α)",
    parameters={"beta": above_zero(_HALF), "y": at_least(Fraction(693, 1000))},
    says=lambda beta, y: 100 * (log(18 / beta) + y) <= 10_000 * log(1 / beta),
    tries=[{"beta": _HALF, "y": 100}],
    mends="ln(1/β′) in place of ln(1/β), as (7) has it",
    **as_expected(
        proof_step(
            "Theorem 1.1 says that an algorithm exists, and the one that the paper has takes the samples of (7): more, "
            "by a factor that grows with ln(1/α), here at α = e^(−100). There is no ε in it."
        )
    ),
)
