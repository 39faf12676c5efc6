"""Steps of the proof of the reduction: Hardt, Rothblum & Servedio, Sections 1, 3.3 and 4. Logarithms are natural."""

from fractions import Fraction
from typing import Final

from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, from_to, whole_from
from dpverify.verifiers.steps.rows import BELOW_1, HALF, ProofSteps, broken
from dpverify.verifiers.steps.terms import Expression, Relation, ceil, exp, log, parameters

q, alpha, b, k, beta, ln, gamma, epsilon, n, away, noise, m, i, f, y = parameters(
    "q alpha b k beta ln gamma epsilon n away noise m i f y"
)
_HRS: Final = "Hardt, Rothblum & Servedio, "
_TO_1: Final = above_zero(1)
_M: Final = at_least(Fraction(179, 100))
"""ln = ln(1/β′) = ln(6k/β) ≥ ln 6, and m = b_base·ln: of a share of γ/10 that is answered the mean of |B_i| is 10m."""
_Y: Final = at_least(Fraction(2079, 1000))
"""y = ln(b/(αβγ)) ≥ ln 8 for α, β, γ ≤ 1/2: with k ≤ 4/α, ln(1/β′) = ln(6k/β) ≤ ln(24/(αβ)) ≤ ln 12 + y."""
step: Final = ProofSteps(
    "HRS-",
    _HRS,
    {"q": whole_from(2), "alpha": _TO_1, "beta": BELOW_1, "epsilon": above_zero(), "gamma": _TO_1, "b": whole_from(1)},
)
_k: Final = ProofSteps("HRS-", _HRS, {"b k": whole_from(1), "beta": BELOW_1, "gamma": _TO_1})


def _iter(gamma: Expression | int, times: int = 100) -> Expression:
    """(7): b_iter = 100·b_base·ln(1/β′)/γ, β′ = β/6k."""
    return times * b * log(6 * k / beta) / gamma


def _everything(noise: Expression) -> Relation:
    each = beta / (6 * k)
    return 2 * k * each**12 + k * each**4 + b * (beta / (10 * b)) ** 10 + noise <= beta


_far: Final = (beta / (10 * b)) ** 10
"""The probability that |N_q| ≥ α/21 of one Lap(b/(εn)), on n = 210·b·ln(10b/β)/(εα) rows: e^(−10·ln(10b/β))."""
_total: Final = 200 * b * log(18 / (alpha * beta)) / gamma
"""(7) for the least that k can be, 3/α: b_total = 2·b_iter."""
STEPS: Final = [
    # Section 4.1
    step(
        "4.2.step.union", "Lemma 4.2, by the subsampling of Blum, Ligett & Roth: Hoeffding's bound and a union bound"
    ).says(
        "2|Q|·e^(−2α²m) < 1 for m = ⌊10·ln|Q|/α²⌋ rows, α ≤ 1 and |Q| ≥ 2",
        lambda c=10: 2 * q * exp(-2 * alpha**2 * (c * log(q) / alpha**2 - 1)) < 1,
        broken("1 in place of 10", 1),
    ),
    step("4.3.step.small-database", "Lemma 4.3, by Lemma 4.2 with α/3").says(
        "10·ln|Q|/(α/3)² ≤ 90·α⁻²·ln|Q|",
        lambda c=90: 10 * log(q) / (alpha / 3) ** 2 <= c / alpha**2 * log(q),
        broken("89", 89),
    ),
    step("4.3.step.noise", "Lemma 4.3, Γ").says(
        "all b variables Lap(b/(εn)) are below α/3 in size but with probability b·e^(−αεn/3b) ≤ β, for "
        "n ≥ 30b·ln(b/β)/(εα)",
        b * exp(-alpha / 3 * epsilon * n / b) <= beta,
        broken("2 in place of 30", n=at_least(2 * b * log(b / beta) / (epsilon * alpha))),
        n=at_least(30 * b * log(b / beta) / (epsilon * alpha)),
    ),
    # Section 4.2, (6) to (8)
    step("Fig2.step.small-database", "(6), by Lemma 4.3 with α/7").says(
        "90·(α/7)⁻²·ln|Q| ≤ 4410·ln|Q|/α²",
        lambda c=4410: 90 / (alpha / 7) ** 2 * log(q) <= c * log(q) / alpha**2,
        broken("4409", 4409),
    ),
    _k("4.4.step.queries", "Lemma 4.4").says(
        "b_base ≤ b_iter, so that in k iterations at most 2k·b_iter queries are made, γ ≤ 1",
        b <= _iter(gamma),
        broken("1/2 in place of 100", b <= _iter(gamma) / 200),
    ),
    step("4.5.step.rows", "(8) and (10), by Lemma 4.3 with α/7 and β/3").says(
        "30b·ln(3b/β)/(εα/7) ≤ 210b·ln(10b/β)/(εα)",
        lambda c=10: (
            30 * b * log(3 * b / beta) / (epsilon * alpha / 7) <= 210 * b * log(c * b / beta) / (epsilon * alpha)
        ),
        broken("ln(2b/β)", 2),
    ),
    # The three cases of Lemma 4.5
    _k("4.5.step.first-case", "Lemma 4.5, the first case, where 1 − γ/10 of G is rejected, by Chernoff's bound").says(
        "more than 5μ of μ = γ/10·b_iter are answered with probability at most e^(−μ(5·ln 5 − 4)) ≤ β",
        exp(-_iter(10) * (5 * log(5) - 4)) <= beta,
        broken("1/10 in place of 100", exp(-_iter(10) / 1000 * (5 * log(5) - 4)) <= beta),
    ),
    step("4.5.step.first-case-printed", "Lemma 4.5, the first case, of the mass that is α-close to t").says(
        "a query that is α-close to t is rejected: |f(q) − t| ≤ α and |N| < α/21 give |f(q) − t| + |N| < 2α/21",
        away + noise < 2 * alpha / 21,
        given=[away <= alpha, noise < alpha / 21],
        away=at_least(0),
        noise=at_least(0),
        tries=[{"alpha": Fraction(1, 4), "away": Fraction(1, 8), "noise": 0}],
        mends="α/21-close in place of α-close, and the cases by the share Z_i that is answered",
        proof_step="The run does not end early there, and need not. By the share Z_i that is answered the cases are as "
        "they should be: HRS-4.5.step.first-case. There is no ε in it.",
    ),
    _k("4.5.step.third-case", "Lemma 4.5, the third case, where a share of γ is answered, by Chernoff's bound").says(
        "less than μ/2 of μ = γ·b_iter are answered with probability at most e^(−μ/8) ≤ β/6k",
        exp(-_iter(1) / 8) <= beta / (6 * k),
        broken("7", exp(-_iter(1, 7) / 8) <= beta / (6 * k)),
    ),
    step("4.6.step.enough", "Claim 4.6, where a share of γ/10 is answered, by Chernoff's bound").says(
        "less than b = b_base of μ = γ/10·b_iter = 10b·ln(6k/β) are answered with probability at most "
        "e^(−(μ − b)²/2μ) ≤ β/3k",
        lambda c=10: ln - log(2) <= b * (c * ln - 1) ** 2 / (2 * c * ln),
        broken("20 in place of 100", 2),
        ln=_M,
    ),
    _k("4.6.step.union-printed", "Claim 4.6").says(
        "k failures of probability β/k are together of probability β/3",
        k * (beta / k) <= beta / 3,
        tries=[{"k": 12, "beta": Fraction(1, 4)}],
        mends="β/3k for each of the k, which (7) gives: HRS-4.6.step.enough",
        proof_step="It is β/3k for each, by HRS-4.6.step.enough. There is no ε in it.",
    ),
    step("4.7.step.below", "Lemma 4.7, where a share of γ/10 is answered, by Chernoff's bound").says(
        "a number of mean μ = γ/10·b_iter = 10m is below μ/3 with probability at most e^(−2μ/9) ≤ e^(−m)/2, "
        "m = b_base·ln(6k/β)",
        lambda c=Fraction(20, 9): exp(-c * m) <= exp(-m) / 2,
        broken("50 in place of 100", Fraction(10, 9)),
        m=_M,
    ),
    step("4.7.step.above", "Lemma 4.7, where a share of γ/10 is answered, by Chernoff's bound").says(
        "it is above 3μ with probability at most e^(−μ(3·ln 3 − 2)) ≤ e^(−m)/2",
        exp(-10 * m * (3 * log(3) - 2)) <= exp(-m) / 2,
        broken("10 in place of 100", exp(-m * (3 * log(3) - 2)) <= exp(-m) / 2),
        m=_M,
    ),
    _k("4.8.step.union", "(13), by Lemmas 4.7 and 4.8").says(
        "k·(β/6k + β/6k) ≤ β/3", lambda c=6: k * (beta / (c * k) + beta / (6 * k)) <= beta / 3, broken("β/5k", 5)
    ),
    step("4.5.step.union-printed", "Lemma 4.5: the third case, and what is assumed after it").says(
        "that the run ends early, of probability β, and the three events, each of β/3, are together of β",
        beta + 3 * (beta / 3) <= beta,
        tries=[{"beta": Fraction(1, 4)}],
        mends="a probability of k·(β/6k)^12 for the third case, which (7) gives: HRS-4.5.step.union",
        proof_step="(7) gives much less for the third case: HRS-4.5.step.union. There is no ε in it.",
    ),
    _k("4.5.step.union", "Lemma 4.5, by (7), (8) and (13)").says(
        "2k·(β/6k)¹² for the first and the third case, k·(β/6k)⁴ for Claim 4.6, b_total·(β/(10·b_total))¹⁰ for Γ and "
        "β/3 for (13) are together at most β",
        _everything(beta / 3),
        broken("β for (13)", _everything(beta)),
    ),
    # Claim 4.9
    step("4.9.step.spacing-printed", "Claim 4.9").says(
        "any two thresholds differ by at least α/3: 1/(k + 1) ≥ α/3, k = ⌈3/α⌉",
        alpha / 3 <= 1 / (ceil(3 / alpha) + 1),
        tries=[{"alpha": Fraction(1, 4)}],
        mends="α/(3 + 2α), which is more than 2α/7 for α < 1/4",
        proof_step="They differ by at least α/(3 + 2α) (HRS-4.9.step.spacing). For α ≤ 1/4 at most one is within α/7 "
        "of a value (HRS-4.9.structure.one-threshold-near), which is what the claim needs. There is no ε in it.",
    ),
    step("4.9.step.spacing", "Claim 4.9").says(
        "1/(k + 1) ≥ α/(3 + 2α) for any k ≤ 3/α + 1, times (k + 1)(3 + 2α)",
        alpha * (k + 1) <= 3 + 2 * alpha,
        broken("α/(3 + α)", alpha * (k + 1) <= 3 + alpha),
        k=Range(0, 3 / alpha + 1),
    ),
    # What the noise of queries that were not asked does: Q_i is a set of all of Q, and Γ is of what the oracle draws
    _k(
        "4.9.step.noise-of-all-printed",
        "Claim 4.9, for every q of Q, by property (2) of Lemma 4.3, on the rows of (8) and no more",
    ).says(
        "of all q of Q, independent ones, some N_q is α/21 or more in size with probability at most β/3: "
        "1 − (1 − p)^|Q| ≥ 1 − e^(−p·|Q|), p = (β/10b)^10, b = b_total",
        1 - exp(-q * _far) <= beta / 3,
        q=whole_from(1),
        b=whole_from(1),
        beta=BELOW_1,
        tries=[{"q": 10**70, "b": 10**5, "beta": Fraction(1, 4)}],
        mends="γ/2k in place of γ/k, and a share of γ/2 for what is not asked: HRS-4.9.step.noise-of-all",
        proof_step="Γ is of the b_total variables that the oracle draws, and the rows of (8) are for these. Of 10^70 "
        "queries nearly surely some that nobody asks has more noise, and is in no Q_i where its share is. They have "
        "little of G: with γ/2k in place of γ/k the lemma holds in this respect (HRS-4.9.step.noise-of-all). There is "
        "no ε in it.",
    ),
    step(
        "4.9.step.noise-of-all",
        "Claim 4.9 and the end of Lemma 4.5, by Markov's bound: a share (β/10b)^10 of G is expected there",
    ).says(
        "queries with |N_q| ≥ α/21 have γ/2 or more of G with probability at most (2/γ)·(β/10b)^10 ≤ β/6, for "
        "b_total ≥ 1/γ",
        2 / gamma * _far <= beta / 6,
        broken("(β/10b) in place of its tenth power", 2 / gamma * (beta / (10 * b)) <= beta / 6),
        gamma=_TO_1,
        beta=BELOW_1,
        b=at_least(1 / gamma),
    ),
    step("4.9.step.error", "Claim 4.9").says(
        "the error of one wrong hypothesis, 2/(k + 1), is at most 2α/3 for k ≥ 3/α, times 3(k + 1)/2",
        alpha * (k + 1) >= 3,
        broken("α/2", alpha * (k + 1) >= 4),
        k=at_least(3 / alpha),
    ),
    # Section 3.3, the overview, with other constants than Section 4; noise in units of α
    step("3.3.step.agrees", "Section 3.3, divided by α").says(
        "where |N| ≤ α/40 an answer that is not ⊥ has |f(q) − t| ≥ α/20 − |N| > α/100",
        lambda c=Fraction(1, 100): Fraction(1, 20) - noise > c,
        broken("> α/30", Fraction(1, 30)),
        noise=from_to(0, Fraction(1, 40)),
    ),
    step(
        "3.3.step.no-step-up",
        "Section 3.3: the smallest i with h_i(q) = 0 and h_(i+1)(q) = 1, of hypotheses that are right",
    ).says(
        "f(q) ≤ t_i gives f(q) < t_(i+1): there is no such i, and nothing to take the smallest of; in units of "
        "1/(k + 1)",
        f < i + 1,
        broken("t_(i−1) in place of t_(i+1)", f < i - 1),
        i=whole_from(1),
        f=Range(0, i),
    ),
    step("3.3.step.low-margin", "Section 3.3, divided by α").says(
        "where |N| ≤ α/40 the answer ⊥ has |f(q) − t| < α/20 + |N| < α/7",
        lambda c=Fraction(1, 7): Fraction(1, 20) + noise < c,
        broken("< α/14", Fraction(1, 14)),
        noise=from_to(0, Fraction(1, 40)),
    ),
    # The rows of Theorems 3.9, 4.10 and 1.1 beside (8)
    step("3.9.step.rows", "Theorem 3.9, (3), by (8) divided by b·ln(1/β′)/(εα²γ)").says(
        "C = 1,100,000 is enough for (3), α, β, γ ≤ 1/2: with y = ln(b/(αβγ)), "
        "b_total = 2k·b_iter ≤ (800/αγ)·b·ln(1/β′), 210·800·(ln 8000 + y + ln(ln 12 + y)) ≤ C·y",
        lambda c=1_100_000: 168_000 * (log(8000) + y + log(log(12) + y)) <= c * y,
        broken("C = 900,000", 900_000),
        y=_Y,
    ),
    step("4.10.step.rows", "Theorem 4.10, by (8) divided by b·ln(1/β′)/(εαγ)").says(
        "C = 250,000 is enough, α, β, γ ≤ 1/2: with y = ln(b/(αβγ)), b_total = 2·b_iter = (200/γ)·b·ln(1/β′), "
        "210·200·(ln 1000 + y + ln(ln 12 + y)) ≤ C·y",
        lambda c=250_000: 42_000 * (log(1000) + y + log(log(12) + y)) <= c * y,
        broken("C = 200,000", 200_000),
        y=_Y,
    ),
    step(
        "3.9.step.rows-any", "Theorem 3.9, (3), as for HRS-3.9.step.rows; for α > 1/2 the constant 1/2 is within α"
    ).says(
        "C = 2,700,000 is enough for (3), α ≤ 1/2 and any β and γ: y = ln(b/(αβγ)) ≥ ln 2",
        lambda c=2_700_000: 168_000 * (log(8000) + y + log(log(12) + y)) <= c * y,
        broken("C = 1,100,000", 1_100_000),
        y=at_least(Fraction(693, 1000)),
    ),
    step("1.1.step.rows-printed", "Theorem 1.1, beside Theorem 4.10").says(
        "with C = 10⁷ the rows of Theorem 1.1, C·b·ln(1/β)/(εαγ), are as many as (8) asks for",
        210 * _total * log(10 * _total / beta) / alpha <= 10**7 * b * log(1 / beta) / (alpha * gamma),
        alpha=above_zero(HALF),
        beta=above_zero(HALF),
        gamma=above_zero(HALF),
        tries=[{"alpha": Fraction(1, 100), "beta": HALF, "gamma": Fraction(1, 100), "b": 10**6}],
        mends="the factor ln(b/(αγβ)), and ln(1/β′) in place of ln(1/β), as in Theorem 4.10",
        reconstruction="Theorem 1.1 is a simplified form of Theorem 4.10 (HRS-4.10.step.rows), and leaves out a factor "
        "that grows with b. What the paper proves is Theorem 4.10.",
    ),
    step("1.1.step.samples-printed", "Theorem 1.1, the number of samples, beside (7) with k ≥ 3/α").says(
        "the b_iter = 100·b·ln(1/β′)/γ samples of (7), β′ = β/6k ≤ αβ/18, are C·b·ln(1/β)/γ or fewer for a constant C, "
        "here 10,000; over b/γ, y = ln(1/α)",
        100 * (log(18 / beta) + y) <= 10_000 * log(1 / beta),
        beta=above_zero(HALF),
        y=at_least(Fraction(693, 1000)),
        tries=[{"beta": HALF, "y": 100}],
        mends="ln(1/β′) in place of ln(1/β), as (7) has it",
        proof_step="Theorem 1.1 says that an algorithm exists, and the one that the paper has takes the samples of "
        "(7): more, by a factor that grows with ln(1/α), here at α = e^(−100). There is no ε in it.",
    ),
]
