"""Orders of Theorems 1.2, 1.4 to 1.6, 5.1 and 6.3 of Hardt, Rothblum & Servedio, from what their proofs put together.

The theorems say "immediately", and state orders. Here each order is an inequality in symbols with a constant of ours:
that of the exponent of d, of the logarithms that Õ hides or that stand beside it, and of the powers of 1/α. Throughout
n′ = 4411·ln|Q|/α² rows are those of (6), rounded up, as ln|Q|/α² ≥ 1; γ′ = γ/k ≥ αγ/4 and β′ = β/(6k) ≥ αβ/24, as
k ≤ 3/α + 1; and u = ln(1/α), v = ln(1/γ), w = ln(1/β), for α, β, γ ≤ 1/2. What a learner asks for, b(n′, γ′, β′), is
taken as it is stated.
"""

from fractions import Fraction
from typing import Final

from dpverify.verifiers.steps.ranges import above_zero, at_least, whole_from
from dpverify.verifiers.steps.rows import HALF, ProofSteps, broken
from dpverify.verifiers.steps.terms import Expression, Relation, exp, log, parameters, sqrt

alpha, k, d, y, e, u, v, w, p, g, more, z, h, gamma, a = parameters("alpha k d y e u v w p g more z h gamma a")
_LN_2: Final = Fraction(693, 1000)
"""Less than ln 2, and so than u, v and w."""
step: Final = ProofSteps(
    "HRS-",
    "Hardt, Rothblum & Servedio, ",
    {
        "k d": at_least(1),
        "y more z e": at_least(0),
        "p": at_least(1),
        "alpha": above_zero(HALF),
        "g": at_least(4),
        "u v w": at_least(_LN_2),
    },
)


def _rows(ln_queries: Expression) -> Expression:
    """3n′."""
    return 3 * 4411 * ln_queries / alpha**2


_in_the_exponent: Final = log(d) * sqrt(k * (log(k * log(d)) + y))
"""ln d·√(k·ln(k·ln d/α)), y = ln(1/α)."""


def _log_of_examples(constant: int = 34) -> Relation:
    logarithms = log((log(52) + u + v) / log(2)) + log((log(48) + u + w) / log(2))
    return e + log(32) + 2 * u + 2 * v + w + logarithms <= constant * (1 + e) * u * v * w


STEPS: Final = [
    # The exponents of d
    step("1.2.step.queries", "Theorems 1.2 and 5.1(2)").says(
        "the (d + 1)^k conjunctions of at most k attributes, or fewer, are d^(2k) or fewer, as are monomials of degree "
        "k: d + 1 ≤ d²",
        d + 1 <= d**2,
        broken("d^(3k/2)", d + 1 <= d ** Fraction(3, 2)),
        d=whole_from(2),
    ),
    step("1.2.step.exponent", "Theorems 1.2 and 5.1(2), by Theorem 5.10(2) and (6)").says(
        "√(k·ln(3n′)), |Q| ≤ d^(2k), is of the order of √(k·log(k·log d/α)): ln(3n′) ≤ 14·ln(k·ln d/α), d ≥ 4",
        lambda c=14: log(_rows(2 * k * log(d))) <= c * log(k * log(d) / alpha),
        broken("10 in place of 14", 10),
        d=at_least(4),
    ),
    step("1.4.step.exponent", "Theorems 1.4 and 5.1(1), by Theorem 5.10(1) and (6)").says(
        "(ln(3n′))^(2/3), |Q| = 2^d, is of the order of log^(2/3)(d/α): ln(3n′) ≤ 16·ln(d/α)",
        lambda c=16: log(_rows(d * log(2))) <= c * log(d / alpha),
        broken("15 in place of 16", 15),
    ),
    # The powers of 1/α: Theorem 4.10 divides by α, and Theorem 5.10 at γ′ does again; the theorems have it once
    step("1.2.step.power-of-alpha-any", "Theorems 1.2 and 5.1(2), by Theorems 4.10 and 5.10(2)").says(
        "1/(εα²γ²), from 1/(εαγ) and Õ(1/γ′), γ′ = Θ(αγ), is d^(C·√(k·log(k·log d/α)))/(εαγ²) or less for a constant "
        "C, here 1,000, and every α: y = ln(1/α) ≤ C·ln d·√(k·ln(k·ln d/α))",
        y <= 1000 * _in_the_exponent,
        k=whole_from(1),
        d=whole_from(4),
        y=at_least(_LN_2),
        tries=[{"k": 1, "d": 4, "y": 10**8}],
        mends="α ≥ d^(−k·ln d), or 1/α² in place of 1/α; for α ≤ e^(−k) the Laplace mechanism has rows enough",
        degenerate="α = e^(−10⁸), at k = 1 and d = 4. Down to α = d^(−k·ln d) it holds with C = 1 "
        "(HRS-1.2.step.power-of-alpha), and from α = e^(−k) down the theorem holds without it, by noise for each "
        "conjunction (HRS-1.2.step.noise-for-each). There is no ε in it.",
    ),
    step("1.2.step.power-of-alpha", "Theorems 1.2 and 5.1(2), by Theorems 4.10 and 5.10(2)").says(
        "1/α ≤ d^√(k·log(k·log d/α)) for α ≥ d^(−k·ln d), so that 1/α² is d^√(…)/α or less: in squares, "
        "y² ≤ k·(ln d)²·(z + y) where k·(ln d)² = y + more and z = ln(k·ln d)",
        y**2 <= (y + more) * (z + y),
        broken("α ≥ d^(−2k·ln d)", y**2 <= (y + more) / 2 * (z + y)),
    ),
    step(
        "1.2.step.noise-for-each",
        "Theorem 1.2, by the Laplace mechanism on each of N ≤ d^(2k) conjunctions: n ≥ N·ln(N/β)/(εα)",
    ).says(
        "N·ln N ≤ d^(3·√(k·log(k·log d/α))) for α ≤ e^(−k), d ≥ 4: with h = k·ln d, 2h + ln(2h) ≤ 3h, as that root is "
        "at least k",
        lambda c=3: 2 * h + log(2 * h) <= c * h,
        broken("5/2 in place of 3", Fraction(5, 2)),
        h=at_least(Fraction(1386, 1000)),
    ),
    step("1.4.step.power-of-alpha-any", "Theorems 1.4 and 5.1(1), by Theorems 4.10 and 5.10(1)").says(
        "the same for all conjunctions, with C = 1,000, y ≤ C·ln d·d^(1/3)·ln^(2/3)(d/α), in cubes",
        y**3 <= 10**9 * log(d) ** 3 * d * (log(d) + y) ** 2,
        d=whole_from(2),
        y=at_least(_LN_2),
        tries=[{"d": 2, "y": 10**10}],
        mends="α ≥ d^(−d·(ln d)²), or 1/α² in place of 1/α; for α ≤ e^(−d) the Laplace mechanism has rows enough",
        degenerate="α = e^(−10¹⁰), at d = 2. Down to α = d^(−d·(ln d)²) it holds with C = 1 "
        "(HRS-1.4.step.power-of-alpha), and from α = e^(−d) down the theorem holds without it "
        "(HRS-1.4.step.noise-for-each). There is no ε in it.",
    ),
    step("1.4.step.power-of-alpha", "Theorems 1.4 and 5.1(1), by Theorems 4.10 and 5.10(1)").says(
        "1/α ≤ d^(d^(1/3)·log^(2/3)(d/α)) for α ≥ d^(−d·(ln d)²): in cubes, y³ ≤ d·(ln d)³·(z + y)² where "
        "d·(ln d)³ = y + more and z = ln d",
        y**3 <= (y + more) * (z + y) ** 2,
        broken("α ≥ d^(−2d·(ln d)²)", y**3 <= (y + more) / 2 * (z + y) ** 2),
    ),
    step(
        "1.4.step.noise-for-each",
        "Theorem 1.4, by the Laplace mechanism on each of N = 2^d conjunctions: n ≥ N·ln(N/β)/(εα)",
    ).says(
        "N·ln N ≤ d^(2·d^(1/3)·log^(2/3)(d/α)) for α ≤ e^(−d): d·ln 2 + ln(d·ln 2) ≤ 2·d·ln d, as that product is at "
        "least d",
        d * log(2) + log(d * log(2)) <= 2 * d * log(d),
        broken("1 in place of 2", d * log(2) + log(d * log(2)) <= d * log(d)),
        d=at_least(2),
    ),
    # The logarithms, with b = 8·D/γ′·log₂(13/γ′)·log₂(2/β′) for D monomials: no less than `examples_for_polynomials`
    step("1.2.step.log-of-beta", "Theorems 1.2, 1.4, 1.6 and 5.1, by (5)").says(
        "ln(1/β′) ≤ ln(24/(αβ)) ≤ 10·ln(1/α)·ln(1/β): the third power of log(1/β) is two of these and ln b",
        log(24) + u + w <= 10 * u * w,
        broken("9", log(24) + u + w <= 9 * u * w),
    ),
    step("1.2.step.log-of-beta-any", "Theorems 1.2, 1.4, 1.6, 5.1 and 6.3, by (6), for every β").says(
        "ln(1/β′) ≤ C·ln(1/α)·ln(1/β) for a constant C, here 1,000,000, and every β; ln(1/β′) ≥ ln(18/(αβ))",
        log(18) + u + w <= 10**6 * u * w,
        w=above_zero(),
        tries=[{"u": 1, "w": Fraction(1, 10**7)}],
        mends="β ≤ 1/2, or ln(2/β): HRS-1.2.step.log-of-beta",
        degenerate="β = e^(−10⁻⁷), next to 1: the order of the theorems is 0 there, and the samples of (7) are not. "
        "For β ≤ 1/2 C = 10 is enough (HRS-1.2.step.log-of-beta). There is no ε in it.",
    ),
    step("1.2.step.log-of-gamma", "Theorems 1.2, 1.4 and 5.1, by Theorem 5.10").says(
        "log₂(13/γ′) ≤ log₂(52/(αγ)) ≤ 17·ln(1/α)·ln(1/γ), which Õ hides",
        lambda c=17: log(52) + u + v <= c * log(2) * u * v,
        broken("16", 16),
    ),
    step("1.2.step.log-of-examples", "Theorems 1.2, 1.4 and 5.1, by Theorems 4.10 and 5.10").says(
        "ln(b/(αβγ)) ≤ 34·(1 + e)·ln(1/α)·ln(1/β)·ln(1/γ), e = ln D", _log_of_examples, broken("33", 33)
    ),
    step("1.2.step.log-of-power", "Theorems 1.2, 1.4, 1.6, 5.1 and 6.3").says(
        "1 + e ≤ D, e = ln D: the logarithm of d^O(…) is another d^O(…)",
        1 + e <= exp(e),
        broken("1 + 2e", 1 + 2 * e <= exp(e)),
    ),
    # Section 6, with b = (d·n′/γ′)^p·ln(1/β′) and b = D·ln(1/β′), and Theorem 3.9; g = d/(αγ)
    step("1.5.step.base", "Theorems 1.5, 1.6, 6.1 and 6.3, by (6)").says(
        "d·n′/γ′ ≤ 4·4411·ln 2·d²/(α³γ), |Q| = 2^d, is at most 3,200·(d/(αγ))³",
        lambda c=3200: 4 * 4411 * log(2) * d**2 / (alpha**3 * gamma) <= c * (d / (alpha * gamma)) ** 3,
        broken("3,000", 3000),
        gamma=above_zero(HALF),
    ),
    step("1.5.step.log-of-examples", "Theorems 1.5 and 6.1, by Theorems 3.9 and 6.2").says(
        "with b = (3,200·g³)^p·ln(1/β′), g = d/(αγ), ln(b/(αβγ)) ≤ 6·p·g·ln(1/β): n is polynomial in d, 1/α, 1/γ and "
        "ln(1/β), as ln(1/α) + ln(1/γ) ≤ ln g",
        lambda c=6: p * (log(3200) + 3 * log(g)) + log(10 * log(g) * w) + log(g) + w <= c * p * g * w,
        broken("5", 5),
    ),
    step("1.6.step.exponent", "Theorems 1.6 and 6.3, by Theorem 6.4 and (6)").says(
        "log^ℓ(n′·d/γ′) is of the order of log^ℓ(d/(αγ)): ln(3,200·g³) ≤ 9·ln g, g = d/(αγ), for a constant ℓ",
        lambda c=9: log(3200) + 3 * log(g) <= c * log(g),
        broken("8", 8),
    ),
    step(
        "6.3.step.log-of-examples",
        "Theorems 1.6 and 6.3, by Theorems 3.9 and 6.4; (3) has the 1/(εα²γ) of the theorems",
    ).says(
        "with b = D·ln(1/β′), ln(b/(αβγ)) ≤ 11·(1 + e)·ln(1/α)·ln(1/β)·ln(1/γ), e = ln D",
        lambda c=11: e + log(log(24) + u + w) + u + v + w <= c * (1 + e) * u * v * w,
        broken("10", 10),
    ),
    step(
        "6.4.step.smooth",
        "Theorem 6.4, by Theorem 9 of Jackson, Klivans & Servedio for C-smooth distributions, C = 2/γ",
    ).says(
        "ln(C·nd/γ) ≤ 3·ln(nd/γ) for C = 2/γ and nd ≥ 2, so that C goes into the O of the exponent; a = ln(nd) and "
        "v = ln(1/γ)",
        lambda c=3: log(2) + a + 2 * v <= c * (a + v),
        broken("3/2", Fraction(3, 2)),
        a=at_least(_LN_2),
        v=at_least(0),
    ),
]
