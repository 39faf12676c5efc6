"""Steps about the large margin mechanism: Chaudhuri, Hsu & Song, Sections 3 and 4. Their α is `epsilon` here.

The proofs are in an appendix that the text does not hold: what each constant of Algorithm 1 and of Theorem 3 is for is
read off it. All is in units of 1/n.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.verifiers.catalogue.refuted import as_expected, degenerate, proof_step
from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, between, whole_from
from dpverify.verifiers.steps.statement import BrokenStep
from dpverify.verifiers.steps.terms import Expression, Relation, exp, log, sqrt

_CHS: Final = "Chaudhuri, Hsu & Song"
_UNIT: Final = between(0, 1)
_HALF: Final = Fraction(1, 2)

# T^(r): three tails of δ/3 together, and t^(r)

_NOISE: Final[dict[str, Range]] = {"epsilon": above_zero(), "delta": _UNIT}

estimate = Step(
    id="CHS-Thm2.step.estimate",
    source=f"{_CHS}, Algorithm 1, the first term of T^(r)",
    statement="Z ~ Lap(3/α) exceeds (3/α)·ln(3/(2δ)) with probability at most δ/3",
    parameters=_NOISE,
    says=lambda epsilon, delta: exp(-epsilon / 3 * (3 / epsilon * log(3 / (2 * delta)))) / 2 <= delta / 3,
    mutants=[
        BrokenStep(
            "ln(4/(3δ))",
            says=lambda epsilon, delta: exp(-epsilon / 3 * (3 / epsilon * log(4 / (3 * delta)))) / 2 <= delta / 3,
        )
    ],
)

threshold = Step(
    id="CHS-Thm2.step.threshold",
    source=f"{_CHS}, Algorithm 1, the second term of T^(r)",
    statement="G ~ Lap(6/α) exceeds (6/α)·ln(3/δ) in size with probability at most δ/3",
    parameters=_NOISE,
    says=lambda epsilon, delta: exp(-epsilon / 6 * (6 / epsilon * log(3 / delta))) <= delta / 3,
    mutants=[
        BrokenStep(
            "ln(2/δ)", says=lambda epsilon, delta: exp(-epsilon / 6 * (6 / epsilon * log(2 / delta))) <= delta / 3
        )
    ],
)

each_test = Step(
    id="CHS-Thm2.step.each-test",
    source=f"{_CHS}, Algorithm 1, the third term of T^(r), with u = r(r + 1)",
    statement="Z_r ~ Lap(12/α) exceeds (12/α)·ln(3u/δ) in size with probability at most δ/(3u)",
    parameters={**_NOISE, "u": whole_from(2)},
    says=lambda epsilon, delta, u: exp(-epsilon / 12 * (12 / epsilon * log(3 * u / delta))) <= delta / (3 * u),
    mutants=[
        BrokenStep(
            "ln(2u/δ)",
            says=lambda epsilon, delta, u: exp(-epsilon / 12 * (12 / epsilon * log(2 * u / delta))) <= delta / (3 * u),
        )
    ],
)

all_tests = Step(
    id="CHS-Thm2.step.all-tests",
    source=f"{_CHS}, Algorithm 1, over all r: by 1/r − 1/(r + 1) = 1/(r(r + 1)) the sum up to r is 1 − 1/(r + 1)",
    statement="the sum of δ/(3r(r + 1)) up to any r, (δ/3)·(1 − 1/(r + 1)), is at most δ/3",
    parameters={"delta": _UNIT, "r": whole_from(1)},
    says=lambda delta, r: delta / 3 * (1 - 1 / (r + 1)) <= delta / 3,
    mutants=[BrokenStep("δ/6", says=lambda delta, r: delta / 3 * (1 - 1 / (r + 1)) <= delta / 6)],
)

each_third = Step(
    id="CHS-Thm2.step.noise-privacy",
    source=f"{_CHS}, Theorem 2: the max, the threshold, and the tests of sensitivity 2; then the choice at α/3",
    statement="1/(3/α) + 1/(6/α)·1 + 2/(12/α) + α/3 ≤ α",
    parameters={"epsilon": above_zero()},
    says=lambda epsilon: 1 / (3 / epsilon) + 1 / (6 / epsilon) + 2 / (12 / epsilon) + epsilon / 3 <= epsilon,
    mutants=[
        BrokenStep(
            "Lap(8/α) for the tests",
            says=lambda epsilon: 1 / (3 / epsilon) + 1 / (6 / epsilon) + 2 / (8 / epsilon) + epsilon / 3 <= epsilon,
        )
    ],
)


def _beyond(epsilon: Expression, delta: Expression, r: Expression, moved: int, unit: int) -> Expression:
    """r·e^(−α/6·(n·t^(r) − moved)): that the choice among r items falls on one that is t^(r) worse, less `moved`."""
    return r * exp(-epsilon / 6 * (unit * (1 + log(3 * r / delta) / epsilon) - moved))


margin = Step(
    id="CHS-Thm2.step.margin",
    source=f"{_CHS}, Algorithm 1, t^(r) = 6·(1 + ln(3r/δ)/α)/n",
    statement="an item that is t^(r) worse than the best is chosen among r with probability at most e^(−α)·δ/3",
    parameters={**_NOISE, "r": whole_from(1)},
    says=lambda epsilon, delta, r: _beyond(epsilon, delta, r, 0, 6) <= exp(-epsilon) * delta / 3,
    mutants=[
        BrokenStep("5", says=lambda epsilon, delta, r: _beyond(epsilon, delta, r, 0, 5) <= exp(-epsilon) * delta / 3)
    ],
)

margin_of_neighbour = Step(
    id="CHS-Thm2.step.margin-of-neighbour",
    source=f"{_CHS}, Algorithm 1, with one entry changed, by which a margin shrinks by 2/n",
    statement="e^(α/3) times the probability that one that is t^(r) − 2/n worse is chosen is at most δ/3",
    parameters={**_NOISE, "r": whole_from(1)},
    says=lambda epsilon, delta, r: exp(epsilon / 3) * _beyond(epsilon, delta, r, 2, 6) <= delta / 3,
    mutants=[
        BrokenStep(
            "5 in place of 6",
            says=lambda epsilon, delta, r: exp(epsilon / 3) * _beyond(epsilon, delta, r, 2, 5) <= delta / 3,
        )
    ],
)

_ORDER: Final = f"{_CHS}, Algorithm 1, step 1: t^(r) = O(1/n + ln(r/δ)/(nα)), and so T^(r)"


def _order(epsilon: Expression, delta: Expression, r: Expression, constant: int) -> Relation:
    return 6 * (1 + log(3 * r / delta) / epsilon) <= constant * (1 + log(r / delta) / epsilon)


order_as_printed = Step(
    id="CHS-Alg1.step.order-printed",
    source=_ORDER,
    statement="n·t^(r) = 6·(1 + ln(3r/δ)/α) ≤ C·(1 + ln(r/δ)/α) for a constant C, here 1,000,000",
    parameters={**_NOISE, "r": whole_from(1)},
    says=lambda epsilon, delta, r: _order(epsilon, delta, r, 10**6),
    tries=[{"epsilon": Fraction(1, 10**7), "delta": 1 - Fraction(1, 10**14), "r": 1}],
    mends="δ ≤ 1/2: CHS-Alg1.step.order",
    **as_expected(
        degenerate(
            "r = 1 and δ near 1, where ln(r/δ) is near 0, and α is near 0. For δ ≤ 1/2 C = 16 is enough "
            "(CHS-Alg1.step.order). There is no boundary in ε: for every one that is as small it fails next to δ = 1."
        )
    ),
)

order = Step(
    id="CHS-Alg1.step.order",
    source=_ORDER,
    statement="6·(1 + ln(3r/δ)/α) ≤ 16·(1 + ln(r/δ)/α), for δ ≤ 1/2",
    parameters={"epsilon": above_zero(), "delta": above_zero(_HALF), "r": whole_from(1)},
    says=lambda epsilon, delta, r: _order(epsilon, delta, r, 16),
    mutants=[BrokenStep("15", says=lambda epsilon, delta, r: _order(epsilon, delta, r, 15))],
)

# Theorem 3

_UTILITY: Final[dict[str, Range]] = {"epsilon": above_zero(), "eta": _UNIT}

twenty_one = Step(
    id="CHS-Thm3.step.twenty-one",
    source=f"{_CHS}, Theorem 3, γ*",
    statement="the three tails (3/α)·ln(3/η), (6/α)·ln(3/η) and (12/α)·ln(3/η) add up to (21/α)·ln(3/η)",
    parameters=_UTILITY,
    says=lambda epsilon, eta: (3 / epsilon + 6 / epsilon + 12 / epsilon) * log(3 / eta) <= 21 / epsilon * log(3 / eta),
    mutants=[
        BrokenStep(
            "20",
            says=lambda epsilon, eta: (
                (3 / epsilon + 6 / epsilon + 12 / epsilon) * log(3 / eta) <= 20 / epsilon * log(3 / eta)
            ),
        )
    ],
)

half_of_eta = Step(
    id="CHS-Thm3.step.noise",
    source=f"{_CHS}, Theorem 3",
    statement="each tail, on its one side, has probability ½·e^(−ln(3/η)) = η/6: together at most η/2",
    parameters={"eta": _UNIT},
    says=lambda eta: 3 * exp(-log(3 / eta)) / 2 <= eta / 2,
    mutants=[BrokenStep("ln(2/η)", says=lambda eta: 3 * exp(-log(2 / eta)) / 2 <= eta / 2)],
)

choice = Step(
    id="CHS-Thm3.step.choice",
    source=f"{_CHS}, Theorem 3, by the exponential mechanism at α/3 on ℓ* items",
    statement="an item that is 6·ln(2ℓ*/η)/α worse is chosen with probability at most ℓ*·e^(−ln(2ℓ*/η)) ≤ η/2",
    parameters={**_UTILITY, "r": whole_from(1)},
    says=lambda epsilon, eta, r: r * exp(-epsilon / 6 * (6 * log(2 * r / eta) / epsilon)) <= eta / 2,
    mutants=[
        BrokenStep(
            "ln(ℓ*/η)", says=lambda epsilon, eta, r: r * exp(-epsilon / 6 * (6 * log(r / eta) / epsilon)) <= eta / 2
        )
    ],
)

# Remark 1 and Corollary 1


def _needed(epsilon: Expression, delta: Expression, r: Expression) -> Expression:
    """α·n·γ* for η = δ, with 2r² for r(r + 1), which is no less, and the same for r = 1."""
    tests = 3 * log(3 / (2 * delta)) + 6 * log(3 / delta) + 12 * log(6 * r**2 / delta)
    return 21 * log(3 / delta) + tests + 6 * epsilon + 6 * log(3 * r / delta)


_REMARK: Final[dict[str, Range]] = {"epsilon": above_zero(1), "delta": above_zero(_HALF), "r": whole_from(1)}

remark_as_printed = Step(
    id="CHS-Rem1.step.constant-printed",
    source=f"{_CHS}, Remark 1, for any α and δ in (0, 1), η = δ",
    statement="γ* ≤ C·ln(ℓ*/δ)/(nα) for a universal constant C, here 1,000,000",
    parameters={**_REMARK, "delta": _UNIT},
    says=lambda epsilon, delta, r: _needed(epsilon, delta, r) <= 10**6 * log(r / delta),
    tries=[{"epsilon": _HALF, "delta": Fraction(999_999, 1_000_000), "r": 1}],
    mends="δ ≤ 1/2, or ln(2ℓ*/δ) in place of ln(ℓ*/δ): CHS-Rem1.step.constant",
    **as_expected(
        degenerate(
            "ℓ* = 1 and δ near 1, where ln(ℓ*/δ) is near 0 and γ* is not, for any α. There is no boundary in ε."
        ),
    ),
)

remark = Step(
    id="CHS-Rem1.step.constant",
    source=f"{_CHS}, Remark 1, and Corollary 1 with ℓ* = L, for δ ≤ 1/2 and α ≤ 1, η = δ",
    statement="γ* ≤ 150·ln(ℓ*/δ)/(nα)",
    parameters=_REMARK,
    says=lambda epsilon, delta, r: _needed(epsilon, delta, r) <= 150 * log(r / delta),
    mutants=[
        BrokenStep("140", says=lambda epsilon, delta, r: _needed(epsilon, delta, r) <= 140 * log(r / delta)),
    ],
)

corollary_1 = Step(
    id="CHS-Cor1.step.error",
    source=f"{_CHS}, Corollary 1, by Theorem 3 with η = δ, for δ ≤ 1/2",
    statement="6·ln(2L/δ)/(nα) ≤ 12·ln(L/δ)/(nα), for δ ≤ 1/2",
    parameters={"delta": above_zero(_HALF), "r": whole_from(1)},
    says=lambda delta, r: 6 * log(2 * r / delta) <= 12 * log(r / delta),
    mutants=[BrokenStep("11", says=lambda delta, r: 6 * log(2 * r / delta) <= 11 * log(r / delta))],
)

# Corollary 2: beyond a shell

_SHELL: Final[dict[str, Range]] = {"t": whole_from(1), "n": whole_from(2), "share": _UNIT}
_SHELL_SOURCE: Final = (
    f"{_CHS}, above Corollary 2, where all empirical errors are within C₀·s of the errors, s = √(d·ln(n/δ₀)/n)"
)

shells_as_printed = Step(
    id="CHS-Cor2.step.shell-printed",
    source=_SHELL_SOURCE,
    statement="beyond H(t + 1) the empirical error is above the least by (t + 1 − 2)·C₀·s, and by γ ≤ "
    "t·C₀·√(d·ln n/n): (t − 1)²·ln(n/δ₀) ≥ t²·ln n",
    parameters=_SHELL,
    says=lambda t, n, share: t**2 * log(n) <= (t - 1) ** 2 * log(n / share),
    tries=[{"t": 2, "n": 1000, "share": Fraction(1, 20)}],
    mends="H(t + 2) in place of H(t + 1), in the choice of t* too: CHS-Cor2.step.shell",
    **as_expected(
        proof_step(
            "Both the best hypothesis and the one beyond the shell may be off by C₀·s, and the shell is wider by C₀·s "
            "alone. With H(t + 2) throughout it holds (CHS-Cor2.step.shell), and Corollary 2 with that; as printed the "
            "corollary is left open. There is no ε in it."
        )
    ),
)

shells = Step(
    id="CHS-Cor2.step.shell",
    source=_SHELL_SOURCE,
    statement="beyond H(t + 2) it is above the least by (t + 2 − 2)·C₀·s, and so by γ: t²·ln(n/δ₀) ≥ t²·ln n",
    parameters=_SHELL,
    says=lambda t, n, share: t**2 * log(n) <= t**2 * log(n / share),
    mutants=[BrokenStep("H(t + 1)", says=lambda t, n, share: t**2 * log(n) <= (t - 1) ** 2 * log(n / share))],
)

shell_margin = Step(
    id="CHS-Cor2.step.margin",
    source=f"{_CHS}, above Corollary 2, by the choice of t*",
    statement="γ = C·x/(αn) is at most t·C₀·√(d·ln n/n), for x = ln(|H(t + 1)|/δ) ≤ t·C₀·α·√(dn·ln n)/C",
    parameters={
        "epsilon": above_zero(),
        "c": above_zero(),
        "c0": above_zero(),
        "t": above_zero(),
        "n": above_zero(),
        "z": above_zero(),
    },
    says=lambda epsilon, c, c0, t, n, z: (
        c * (t * c0 * epsilon * sqrt(n * z) / c) / (epsilon * n) <= t * c0 * sqrt(z / n)
    ),
    mutants=[
        BrokenStep(
            "half of it",
            says=lambda epsilon, c, c0, t, n, z: (
                c * (t * c0 * epsilon * sqrt(n * z) / c) / (epsilon * n) <= t * c0 * sqrt(z / n) / 2
            ),
        )
    ],
)

_T: Final = f"{_CHS}, above Corollary 2, the choice of t*; x = ln|H(t + 1)| + ln(1/δ), c = C₀·α/C"


def _enough(x: Expression, c: Expression, t: Expression, d: Expression, n: Expression) -> Relation:
    return x <= t * c * sqrt(d * n * log(n))


some_shell_as_printed = Step(
    id="CHS-Cor2.step.some-shell-printed",
    source=_T,
    statement="for every n and d some t has x ≤ t·c·√(dn·ln n), of which t* is the smallest: here t = 10⁹·x/c or more",
    parameters={
        "x": above_zero(),
        "c": above_zero(),
        "t": at_least(lambda x, c: 10**9 * x / c),
        "d": whole_from(0),
        "n": whole_from(1),
    },
    says=_enough,
    tries=[{"x": 1, "c": 1, "t": 10**9, "d": 1, "n": 1}],
    mends="n ≥ 2 and d ≥ 1: CHS-Cor2.step.some-shell",
    **as_expected(
        degenerate(
            "n = 1, or a class of VC dimension 0: the right side is 0 for every t, so that no t will do and there is "
            "no t*. It is so for every α, and there is no boundary in ε."
        )
    ),
)

some_shell = Step(
    id="CHS-Cor2.step.some-shell",
    source=_T,
    statement="for n ≥ 2 and d ≥ 1 each t ≥ x/c has x ≤ t·c·√(dn·ln n): as ln|H(t + 1)| ≤ ln|H|, there is a t*",
    parameters={
        "x": above_zero(),
        "c": above_zero(),
        "t": at_least(lambda x, c: x / c),
        "d": whole_from(1),
        "n": whole_from(2),
    },
    says=_enough,
    mutants=[BrokenStep("half of it", says=lambda x, c, t, d, n: x <= t * c * sqrt(d * n * log(n)) / 2)],
)

# Section 4.1

few_itemsets = Step(
    id="CHS-4.1.step.few-itemsets-printed",
    source=f"{_CHS}, Section 4.1: L ≤ n·C(B, r), which is ≪ |I|^r whenever B ≪ |I|; for r = 1",
    statement="n·B ≤ |I|/10 for every n, where B ≤ |I|/1000",
    parameters={"items": whole_from(1), "b": whole_from(1), "n": whole_from(1)},
    given=[lambda items, b: 1000 * b <= items],
    says=lambda items, b, n: n * b <= items / 10,
    tries=[{"items": 1000, "b": 1, "n": 1000}],
    mends="n·(B/|I|)^r ≪ 1: n is in the bound, and is to be small, too",
    **as_expected(
        proof_step(
            "A thousand lists of one item each, of a thousand items. The corollary stands: that L ≪ |I|^r is asked for "
            "where it is compared. There is no ε in it."
        )
    ),
)

exponential_on_itemsets = Step(
    id="CHS-4.1.step.exponential",
    source=f"{_CHS}, Section 4.1, below Corollary 1: the exponential mechanism on |U| ≤ |I|^r itemsets",
    statement="2·(r·ln|I| + ln(1/δ)) ≤ 2·r·ln(|I|/δ), times 1/(nα)",
    parameters={"items": whole_from(1), "r": whole_from(1), "delta": _UNIT},
    says=lambda items, r, delta: 2 * (r * log(items) + log(1 / delta)) <= 2 * r * log(items / delta),
    mutants=[
        BrokenStep("1", says=lambda items, r, delta: 2 * (r * log(items) + log(1 / delta)) <= r * log(items / delta))
    ],
)

# Section 2.2


def _rows(times: int) -> dict[str, Range]:
    rows = Range(0, lambda epsilon, k: times * log(k) / epsilon)
    return {"epsilon": above_zero(), "k": whole_from(2), "n": rows}


example = Step(
    id="CHS-2.2.step.example",
    source=f"{_CHS}, Section 2.2: f(1, D) = 1 and f(i, D) = 0 for the k = K − 1 others, D = (1, …, 1)",
    statement="the exponential mechanism gives 1 with probability e^(nα/2)/(k + e^(nα/2)), which is at most 1/2 for "
    "n ≤ 2·ln(k)/α",
    parameters=_rows(2),
    says=lambda epsilon, k, n: exp(n * epsilon / 2) <= k,
    mutants=[BrokenStep("n ≤ 3·ln(k)/α", parameters=_rows(3))],
)

# (2): the exponential mechanism on hypotheses, f = 1 − the empirical error; γ is how much of it is lost, z = n·γ

_LEARNER: Final = f"{_CHS}, (2)"

loss_of_exponential = Step(
    id="CHS-4.2.step.exponential",
    source=f"{_LEARNER}, by the exponential mechanism",
    statement="of |H| hypotheses one that is (2/(nα))·(ln|H| + ln(2/δ₀)) worse on D is chosen with probability at most "
    "δ₀/2",
    parameters={
        "epsilon": above_zero(),
        "share": _UNIT,
        "r": whole_from(1),
        "z": at_least(lambda epsilon, share, r: 2 / epsilon * log(2 * r / share)),
    },
    says=lambda epsilon, share, r, z: r * exp(-epsilon * z / 2) <= share / 2,
    mutants=[
        BrokenStep(
            "half of it",
            parameters={
                "epsilon": above_zero(),
                "share": _UNIT,
                "r": whole_from(1),
                "z": at_least(lambda epsilon, share, r: 1 / epsilon * log(2 * r / share)),
            },
        )
    ],
)

order_of_exponential = Step(
    id="CHS-4.2.step.order",
    source=_LEARNER,
    statement="2·(ln|H| + ln(2/δ₀)) ≤ 4·(ln|H| + ln(1/δ₀)) for |H| ≥ 2",
    parameters={"share": _UNIT, "r": whole_from(2)},
    says=lambda share, r: 2 * (log(r) + log(2 / share)) <= 4 * (log(r) + log(1 / share)),
    mutants=[BrokenStep("3", says=lambda share, r: 2 * (log(r) + log(2 / share)) <= 3 * (log(r) + log(1 / share)))],
)

uniform_convergence = Step(
    id="CHS-4.2.step.convergence",
    source=f"{_LEARNER}, by uniform convergence but with probability δ₀/2",
    statement="√(d·ln(2n/δ₀)/n) ≤ √2·√(d·ln(n/δ₀)/n) for n ≥ 2, in squares",
    parameters={"share": _UNIT, "n": whole_from(2)},
    says=lambda share, n: log(2 * n / share) <= 2 * log(n / share),
    mutants=[BrokenStep("3/2", says=lambda share, n: log(2 * n / share) <= Fraction(3, 2) * log(n / share))],
)

error_of_exponential = Step(
    id="CHS-4.2.step.error",
    source=_LEARNER,
    statement="where all empirical errors are within s of the errors, and the chosen one is γ above the least or less, "
    "err(h) ≤ err(h*) + 2s + γ: err(h) ≤ (err(h*) + below) + γ + above, below, above ≤ s",
    parameters={
        "best": at_least(0),
        "gamma": at_least(0),
        "s": above_zero(),
        "below": Range(0, lambda s: s),
        "above": Range(0, lambda s: s),
    },
    says=lambda best, gamma, s, below, above: best + below + gamma + above <= best + 2 * s + gamma,
    mutants=[
        BrokenStep("s", says=lambda best, gamma, s, below, above: best + below + gamma + above <= best + s + gamma)
    ],
)
