"""Steps about the large margin mechanism: Chaudhuri, Hsu & Song, Sections 3 and 4. Their α is `epsilon` here.

The proofs are in an appendix that the text does not hold: what each constant of Algorithm 1 and of Theorem 3 is for is
read off it. All is in units of 1/n.
"""

from fractions import Fraction
from typing import Final

from dpverify.verifiers.catalogue.families import CHS
from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, whole_from
from dpverify.verifiers.steps.rows import BELOW_1, HALF, ProofSteps, broken
from dpverify.verifiers.steps.terms import Expression, Relation, exp, log, parameters, sqrt

epsilon, delta, r, x, c, t, d, n, u, eta, share, c0, z, items, b, k, best, gamma, s, below, above = parameters(
    "epsilon delta r x c t d n u eta share c0 z items b k best gamma s below above"
)
step: Final = ProofSteps(
    "CHS-", f"{CHS}, ", {"epsilon c c0": above_zero(), "delta eta share": BELOW_1, "items r": whole_from(1)}
)
_SHELL: Final = "above Corollary 2, where all empirical errors are within C₀·s of the errors, s = √(d·ln(n/δ₀)/n)"
_CHOICE: Final = "above Corollary 2, the choice of t*; x = ln|H(t + 1)| + ln(1/δ), c = C₀·α/C"


def _beyond(moved: int, unit: int) -> Expression:
    """r·e^(−α/6·(n·t^(r) − moved)): that the choice among r items falls on one that is t^(r) worse, less `moved`."""
    return r * exp(-epsilon / 6 * (unit * (1 + log(3 * r / delta) / epsilon) - moved))


def _order(constant: int = 16) -> Relation:
    return 6 * (1 + log(3 * r / delta) / epsilon) <= constant * (1 + log(r / delta) / epsilon)


def _needed() -> Expression:
    """α·n·γ* for η = δ, with 2r² for r(r + 1), which is no less, and the same for r = 1."""
    tests = 3 * log(3 / (2 * delta)) + 6 * log(3 / delta) + 12 * log(6 * r**2 / delta)
    return 21 * log(3 / delta) + tests + 6 * epsilon + 6 * log(3 * r / delta)


_enough: Final = x <= t * c * sqrt(d * n * log(n))
STEPS: Final = [
    # T^(r): three tails of δ/3 together, and t^(r)
    step("Thm2.step.estimate", "Algorithm 1, the first term of T^(r)").says(
        "Z ~ Lap(3/α) exceeds (3/α)·ln(3/(2δ)) with probability at most δ/3",
        exp(-epsilon / 3 * (3 / epsilon * log(3 / (2 * delta)))) / 2 <= delta / 3,
        broken("ln(4/(3δ))", exp(-epsilon / 3 * (3 / epsilon * log(4 / (3 * delta)))) / 2 <= delta / 3),
    ),
    step("Thm2.step.threshold", "Algorithm 1, the second term of T^(r)").says(
        "G ~ Lap(6/α) exceeds (6/α)·ln(3/δ) in size with probability at most δ/3",
        lambda c=3: exp(-epsilon / 6 * (6 / epsilon * log(c / delta))) <= delta / 3,
        broken("ln(2/δ)", 2),
    ),
    step("Thm2.step.each-test", "Algorithm 1, the third term of T^(r), with u = r(r + 1)").says(
        "Z_r ~ Lap(12/α) exceeds (12/α)·ln(3u/δ) in size with probability at most δ/(3u)",
        lambda c=3: exp(-epsilon / 12 * (12 / epsilon * log(c * u / delta))) <= delta / (3 * u),
        broken("ln(2u/δ)", 2),
        u=whole_from(2),
    ),
    step(
        "Thm2.step.all-tests",
        "Algorithm 1, over all r: by 1/r − 1/(r + 1) = 1/(r(r + 1)) the sum up to r is 1 − 1/(r + 1)",
    ).says(
        "the sum of δ/(3r(r + 1)) up to any r, (δ/3)·(1 − 1/(r + 1)), is at most δ/3",
        lambda c=3: delta / 3 * (1 - 1 / (r + 1)) <= delta / c,
        broken("δ/6", 6),
    ),
    step(
        "Thm2.step.noise-privacy",
        "Theorem 2: the max, the threshold, and the tests of sensitivity 2; then the choice at α/3",
    ).says(
        "1/(3/α) + 1/(6/α)·1 + 2/(12/α) + α/3 ≤ α",
        lambda c=12: 1 / (3 / epsilon) + 1 / (6 / epsilon) + 2 / (c / epsilon) + epsilon / 3 <= epsilon,
        broken("Lap(8/α) for the tests", 8),
    ),
    step("Thm2.step.margin", "Algorithm 1, t^(r) = 6·(1 + ln(3r/δ)/α)/n").says(
        "an item that is t^(r) worse than the best is chosen among r with probability at most e^(−α)·δ/3",
        lambda c=6: _beyond(0, c) <= exp(-epsilon) * delta / 3,
        broken("5", 5),
    ),
    step("Thm2.step.margin-of-neighbour", "Algorithm 1, with one entry changed, by which a margin shrinks by 2/n").says(
        "e^(α/3) times the probability that one that is t^(r) − 2/n worse is chosen is at most δ/3",
        lambda c=6: exp(epsilon / 3) * _beyond(2, c) <= delta / 3,
        broken("5 in place of 6", 5),
    ),
    step("Alg1.step.order-printed", "Algorithm 1, step 1: t^(r) = O(1/n + ln(r/δ)/(nα)), and so T^(r)").says(
        "n·t^(r) = 6·(1 + ln(3r/δ)/α) ≤ C·(1 + ln(r/δ)/α) for a constant C, here 1,000,000",
        _order(10**6),
        tries=[{"epsilon": Fraction(1, 10**7), "delta": 1 - Fraction(1, 10**14), "r": 1}],
        mends="δ ≤ 1/2: CHS-Alg1.step.order",
        degenerate="r = 1 and δ near 1, where ln(r/δ) is near 0, and α is near 0. For δ ≤ 1/2 C = 16 is enough "
        "(CHS-Alg1.step.order). There is no boundary in ε: for every one that is as small it fails next to δ = 1.",
    ),
    step("Alg1.step.order", "Algorithm 1, step 1: t^(r) = O(1/n + ln(r/δ)/(nα)), and so T^(r)").says(
        "6·(1 + ln(3r/δ)/α) ≤ 16·(1 + ln(r/δ)/α), for δ ≤ 1/2", _order, broken("15", 15), delta=above_zero(HALF)
    ),
    # Theorem 3
    step("Thm3.step.twenty-one", "Theorem 3, γ*").says(
        "the three tails (3/α)·ln(3/η), (6/α)·ln(3/η) and (12/α)·ln(3/η) add up to (21/α)·ln(3/η)",
        lambda c=21: (3 / epsilon + 6 / epsilon + 12 / epsilon) * log(3 / eta) <= c / epsilon * log(3 / eta),
        broken("20", 20),
    ),
    step("Thm3.step.noise", "Theorem 3").says(
        "each tail, on its one side, has probability ½·e^(−ln(3/η)) = η/6: together at most η/2",
        lambda c=3: 3 * exp(-log(c / eta)) / 2 <= eta / 2,
        broken("ln(2/η)", 2),
    ),
    step("Thm3.step.choice", "Theorem 3, by the exponential mechanism at α/3 on ℓ* items").says(
        "an item that is 6·ln(2ℓ*/η)/α worse is chosen with probability at most ℓ*·e^(−ln(2ℓ*/η)) ≤ η/2",
        r * exp(-epsilon / 6 * (6 * log(2 * r / eta) / epsilon)) <= eta / 2,
        broken("ln(ℓ*/η)", r * exp(-epsilon / 6 * (6 * log(r / eta) / epsilon)) <= eta / 2),
    ),
    # Remark 1 and Corollary 1
    step("Rem1.step.constant-printed", "Remark 1, for any α and δ in (0, 1), η = δ").says(
        "γ* ≤ C·ln(ℓ*/δ)/(nα) for a universal constant C, here 1,000,000",
        _needed() <= 10**6 * log(r / delta),
        epsilon=above_zero(1),
        tries=[{"epsilon": HALF, "delta": Fraction(999_999, 1_000_000), "r": 1}],
        mends="δ ≤ 1/2, or ln(2ℓ*/δ) in place of ln(ℓ*/δ): CHS-Rem1.step.constant",
        degenerate="ℓ* = 1 and δ near 1, where ln(ℓ*/δ) is near 0 and γ* is not, for any α. There is no boundary in ε.",
    ),
    step("Rem1.step.constant", "Remark 1, and Corollary 1 with ℓ* = L, for δ ≤ 1/2 and α ≤ 1, η = δ").says(
        "γ* ≤ 150·ln(ℓ*/δ)/(nα)",
        lambda c=150: _needed() <= c * log(r / delta),
        broken("140", 140),
        epsilon=above_zero(1),
        delta=above_zero(HALF),
    ),
    step("Cor1.step.error", "Corollary 1, by Theorem 3 with η = δ, for δ ≤ 1/2").says(
        "6·ln(2L/δ)/(nα) ≤ 12·ln(L/δ)/(nα), for δ ≤ 1/2",
        lambda c=12: 6 * log(2 * r / delta) <= c * log(r / delta),
        broken("11", 11),
        delta=above_zero(HALF),
    ),
    step("Cor1.step.error-near-one", "Corollary 1, by Theorem 3 with η = δ").says(
        "the same for every δ with a constant C, here 1,000,000",
        6 * log(2 * r / delta) <= 10**6 * log(r / delta),
        tries=[{"r": 1, "delta": 1 - Fraction(1, 10**7)}],
        mends="δ ≤ 1/2, or log(2L/δ)",
        degenerate="L = 1 and δ next to 1, where log(L/δ) is next to 0. There is no boundary in ε.",
    ),
    # Corollary 2: beyond a shell
    step("Cor2.step.shell-printed", _SHELL).says(
        "beyond H(t + 1) the empirical error is above the least by (t + 1 − 2)·C₀·s, and by γ ≤ t·C₀·√(d·ln n/n): "
        "(t − 1)²·ln(n/δ₀) ≥ t²·ln n",
        t**2 * log(n) <= (t - 1) ** 2 * log(n / share),
        t=whole_from(1),
        n=whole_from(2),
        share=BELOW_1,
        tries=[{"t": 2, "n": 1000, "share": Fraction(1, 20)}],
        mends="H(t + 2) in place of H(t + 1), in the choice of t* too: CHS-Cor2.step.shell",
        proof_step="Both the best hypothesis and the one beyond the shell may be off by C₀·s, and the shell is wider "
        "by C₀·s alone. With H(t + 2) throughout it holds (CHS-Cor2.step.shell), and Corollary 2 with that; as printed "
        "the corollary is left open. There is no ε in it.",
    ),
    step("Cor2.step.shell", _SHELL).says(
        "beyond H(t + 2) it is above the least by (t + 2 − 2)·C₀·s, and so by γ: t²·ln(n/δ₀) ≥ t²·ln n",
        t**2 * log(n) <= t**2 * log(n / share),
        broken("H(t + 1)", t**2 * log(n) <= (t - 1) ** 2 * log(n / share)),
        t=whole_from(1),
        n=whole_from(2),
        share=BELOW_1,
    ),
    step("Cor2.step.margin", "above Corollary 2, by the choice of t*").says(
        "γ = C·x/(αn) is at most t·C₀·√(d·ln n/n), for x = ln(|H(t + 1)|/δ) ≤ t·C₀·α·√(dn·ln n)/C",
        c * (t * c0 * epsilon * sqrt(n * z) / c) / (epsilon * n) <= t * c0 * sqrt(z / n),
        broken("half of it", c * (t * c0 * epsilon * sqrt(n * z) / c) / (epsilon * n) <= t * c0 * sqrt(z / n) / 2),
        t=above_zero(),
        n=above_zero(),
        z=above_zero(),
    ),
    step("Cor2.step.some-shell-printed", _CHOICE).says(
        "for every n and d some t has x ≤ t·c·√(dn·ln n), of which t* is the smallest: here t = 10⁹·x/c or more",
        _enough,
        x=above_zero(),
        c=above_zero(),
        t=at_least(10**9 * x / c),
        d=whole_from(0),
        n=whole_from(1),
        tries=[{"x": 1, "c": 1, "t": 10**9, "d": 1, "n": 1}],
        mends="n ≥ 2 and d ≥ 1: CHS-Cor2.step.some-shell",
        degenerate="n = 1, or a class of VC dimension 0: the right side is 0 for every t, so that no t will do and "
        "there is no t*. It is so for every α, and there is no boundary in ε.",
    ),
    step("Cor2.step.some-shell", _CHOICE).says(
        "for n ≥ 2 and d ≥ 1 each t ≥ x/c has x ≤ t·c·√(dn·ln n): as ln|H(t + 1)| ≤ ln|H|, there is a t*",
        _enough,
        broken("half of it", x <= t * c * sqrt(d * n * log(n)) / 2),
        x=above_zero(),
        c=above_zero(),
        t=at_least(x / c),
        d=whole_from(1),
        n=whole_from(2),
    ),
    # Section 4.1
    step(
        "4.1.step.few-itemsets-printed", "Section 4.1: L ≤ n·C(B, r), which is ≪ |I|^r whenever B ≪ |I|; for r = 1"
    ).says(
        "n·B ≤ |I|/10 for every n, where B ≤ |I|/1000",
        n * b <= items / 10,
        given=[1000 * b <= items],
        b=whole_from(1),
        n=whole_from(1),
        tries=[{"items": 1000, "b": 1, "n": 1000}],
        mends="n·(B/|I|)^r ≪ 1: n is in the bound, and is to be small, too",
        proof_step="A thousand lists of one item each, of a thousand items. The corollary stands: that L ≪ |I|^r is "
        "asked for where it is compared. There is no ε in it.",
    ),
    step(
        "4.1.step.exponential", "Section 4.1, below Corollary 1: the exponential mechanism on |U| ≤ |I|^r itemsets"
    ).says(
        "2·(r·ln|I| + ln(1/δ)) ≤ 2·r·ln(|I|/δ), times 1/(nα)",
        2 * (r * log(items) + log(1 / delta)) <= 2 * r * log(items / delta),
        broken("1", 2 * (r * log(items) + log(1 / delta)) <= r * log(items / delta)),
        items=whole_from(1),
        r=whole_from(1),
        delta=BELOW_1,
    ),
    # Section 2.2
    step("2.2.step.example", "Section 2.2: f(1, D) = 1 and f(i, D) = 0 for the k = K − 1 others, D = (1, …, 1)").says(
        "the exponential mechanism gives 1 with probability e^(nα/2)/(k + e^(nα/2)), which is at most 1/2 for "
        "n ≤ 2·ln(k)/α",
        exp(n * epsilon / 2) <= k,
        broken("n ≤ 3·ln(k)/α", n=Range(0, 3 * log(k) / epsilon)),
        k=whole_from(2),
        n=Range(0, 2 * log(k) / epsilon),
    ),
    # (2): the exponential mechanism on hypotheses, f = 1 − the empirical error; γ is how much of it is lost, z = n·γ
    step("4.2.step.exponential", "(2), by the exponential mechanism").says(
        "of |H| hypotheses one that is (2/(nα))·(ln|H| + ln(2/δ₀)) worse on D is chosen with probability at most δ₀/2",
        r * exp(-epsilon * z / 2) <= share / 2,
        broken("half of it", z=at_least(1 / epsilon * log(2 * r / share))),
        z=at_least(2 / epsilon * log(2 * r / share)),
    ),
    step("4.2.step.order", "(2)").says(
        "2·(ln|H| + ln(2/δ₀)) ≤ 4·(ln|H| + ln(1/δ₀)) for |H| ≥ 2",
        lambda c=4: 2 * (log(r) + log(2 / share)) <= c * (log(r) + log(1 / share)),
        broken("3", 3),
        r=whole_from(2),
    ),
    step("4.2.step.convergence", "(2), by uniform convergence but with probability δ₀/2").says(
        "√(d·ln(2n/δ₀)/n) ≤ √2·√(d·ln(n/δ₀)/n) for n ≥ 2, in squares",
        lambda c=2: log(2 * n / share) <= c * log(n / share),
        broken("3/2", Fraction(3, 2)),
        n=whole_from(2),
    ),
    step("4.2.step.error", "(2)").says(
        "where all empirical errors are within s of the errors, and the chosen one is γ above the least or less, "
        "err(h) ≤ err(h*) + 2s + γ: err(h) ≤ (err(h*) + below) + γ + above, below, above ≤ s",
        best + below + gamma + above <= best + 2 * s + gamma,
        broken("s", best + below + gamma + above <= best + s + gamma),
        best=at_least(0),
        gamma=at_least(0),
        s=above_zero(),
        below=Range(0, s),
        above=Range(0, s),
    ),
]
