"""Orders of Theorems 1.2, 1.4 to 1.6, 5.1 and 6.3 of Hardt, Rothblum & Servedio, from what their proofs put together.

The theorems say "immediately", and state orders. Here each order is an inequality in symbols with a constant of ours:
that of the exponent of d, of the logarithms that Õ hides or that stand beside it, and of the powers of 1/α. Throughout
n′ = 4411·ln|Q|/α² rows are those of (6), rounded up, as ln|Q|/α² ≥ 1; γ′ = γ/k ≥ αγ/4 and β′ = β/(6k) ≥ αβ/24, as
k ≤ 3/α + 1; and u = ln(1/α), v = ln(1/γ), w = ln(1/β), for α, β, γ ≤ 1/2. What a learner asks for, b(n′, γ′, β′), is
taken as it is stated.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.verifiers.catalogue.refuted import as_expected, degenerate
from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, whole_from
from dpverify.verifiers.steps.statement import BrokenStep
from dpverify.verifiers.steps.terms import Expression, Relation, exp, log, sqrt

_HRS: Final = "Hardt, Rothblum & Servedio"
_HALF: Final = Fraction(1, 2)
_LN_2: Final = Fraction(693, 1000)
"""Less than ln 2, and so than u, v and w."""

_LOGARITHMS: Final[dict[str, Range]] = {"u": at_least(_LN_2), "v": at_least(_LN_2), "w": at_least(_LN_2)}

# The exponents of d


def _rows(ln_queries: Expression, alpha: Expression) -> Expression:
    """3n′."""
    return 3 * 4411 * ln_queries / alpha**2


def _sparse(k: Expression, d: Expression, alpha: Expression, constant: int) -> Relation:
    return log(_rows(2 * k * log(d), alpha)) <= constant * log(k * log(d) / alpha)


queries = Step(
    id="HRS-1.2.step.queries",
    source=f"{_HRS}, Theorems 1.2 and 5.1(2)",
    statement="the (d + 1)^k conjunctions of at most k attributes, or fewer, are d^(2k) or fewer, as are monomials of "
    "degree k: d + 1 ≤ d²",
    parameters={"d": whole_from(2)},
    says=lambda d: d + 1 <= d**2,
    mutants=[BrokenStep("d^(3k/2)", says=lambda d: d + 1 <= d ** Fraction(3, 2))],
)

exponent_of_k = Step(
    id="HRS-1.2.step.exponent",
    source=f"{_HRS}, Theorems 1.2 and 5.1(2), by Theorem 5.10(2) and (6)",
    statement="√(k·ln(3n′)), |Q| ≤ d^(2k), is of the order of √(k·log(k·log d/α)): ln(3n′) ≤ 14·ln(k·ln d/α), d ≥ 4",
    parameters={"k": at_least(1), "d": at_least(4), "alpha": above_zero(_HALF)},
    says=lambda k, d, alpha: _sparse(k, d, alpha, 14),
    mutants=[BrokenStep("10 in place of 14", says=lambda k, d, alpha: _sparse(k, d, alpha, 10))],
)


def _all(d: Expression, alpha: Expression, constant: int) -> Relation:
    return log(_rows(d * log(2), alpha)) <= constant * log(d / alpha)


exponent_of_all = Step(
    id="HRS-1.4.step.exponent",
    source=f"{_HRS}, Theorems 1.4 and 5.1(1), by Theorem 5.10(1) and (6)",
    statement="(ln(3n′))^(2/3), |Q| = 2^d, is of the order of log^(2/3)(d/α): ln(3n′) ≤ 16·ln(d/α)",
    parameters={"d": at_least(1), "alpha": above_zero(_HALF)},
    says=lambda d, alpha: _all(d, alpha, 16),
    mutants=[BrokenStep("15 in place of 16", says=lambda d, alpha: _all(d, alpha, 15))],
)

# The powers of 1/α: Theorem 4.10 divides by α, and Theorem 5.10 at γ′ does again; the theorems have it once

_K_AND_D: Final[dict[str, Range]] = {"k": whole_from(1), "d": whole_from(4)}


def _in_the_exponent(k: Expression, d: Expression, y: Expression) -> Expression:
    """ln d·√(k·ln(k·ln d/α)), y = ln(1/α)."""
    return log(d) * sqrt(k * (log(k * log(d)) + y))


power_of_alpha_of_k = Step(
    id="HRS-1.2.step.power-of-alpha-any",
    source=f"{_HRS}, Theorems 1.2 and 5.1(2), by Theorems 4.10 and 5.10(2)",
    statement="1/(εα²γ²), from 1/(εαγ) and Õ(1/γ′), γ′ = Θ(αγ), is d^(C·√(k·log(k·log d/α)))/(εαγ²) or less for a "
    "constant C, here 1,000, and every α: y = ln(1/α) ≤ C·ln d·√(k·ln(k·ln d/α))",
    parameters={**_K_AND_D, "y": at_least(_LN_2)},
    says=lambda k, d, y: y <= 1000 * _in_the_exponent(k, d, y),
    tries=[{"k": 1, "d": 4, "y": 10**8}],
    mends="α ≥ d^(−k·ln d), or 1/α² in place of 1/α; for α ≤ e^(−k) the Laplace mechanism has rows enough",
    **as_expected(
        degenerate(
            "α = e^(−10⁸), at k = 1 and d = 4. Down to α = d^(−k·ln d) it holds with C = 1 "
            "(HRS-1.2.step.power-of-alpha), and from α = e^(−k) down the theorem holds without it, by noise for each "
            "conjunction (HRS-1.2.step.noise-for-each). There is no ε in it."
        )
    ),
)

_WITHIN: Final[dict[str, Range]] = {"y": at_least(0), "more": at_least(0), "z": at_least(0)}

power_of_alpha_absorbed = Step(
    id="HRS-1.2.step.power-of-alpha",
    source=f"{_HRS}, Theorems 1.2 and 5.1(2), by Theorems 4.10 and 5.10(2)",
    statement="1/α ≤ d^√(k·log(k·log d/α)) for α ≥ d^(−k·ln d), so that 1/α² is d^√(…)/α or less: in squares, "
    "y² ≤ k·(ln d)²·(z + y) where k·(ln d)² = y + more and z = ln(k·ln d)",
    parameters=_WITHIN,
    says=lambda y, more, z: y**2 <= (y + more) * (z + y),
    mutants=[BrokenStep("α ≥ d^(−2k·ln d)", says=lambda y, more, z: y**2 <= (y + more) / 2 * (z + y))],
)

noise_for_each_of_k = Step(
    id="HRS-1.2.step.noise-for-each",
    source=f"{_HRS}, Theorem 1.2, by the Laplace mechanism on each of N ≤ d^(2k) conjunctions: n ≥ N·ln(N/β)/(εα)",
    statement="N·ln N ≤ d^(3·√(k·log(k·log d/α))) for α ≤ e^(−k), d ≥ 4: with h = k·ln d, 2h + ln(2h) ≤ 3h, as that "
    "root is at least k",
    parameters={"h": at_least(Fraction(1386, 1000))},
    says=lambda h: 2 * h + log(2 * h) <= 3 * h,
    mutants=[BrokenStep("5/2 in place of 3", says=lambda h: 2 * h + log(2 * h) <= Fraction(5, 2) * h)],
)

power_of_alpha_of_all = Step(
    id="HRS-1.4.step.power-of-alpha-any",
    source=f"{_HRS}, Theorems 1.4 and 5.1(1), by Theorems 4.10 and 5.10(1)",
    statement="the same for all conjunctions, with C = 1,000, y ≤ C·ln d·d^(1/3)·ln^(2/3)(d/α), in cubes",
    parameters={"d": whole_from(2), "y": at_least(_LN_2)},
    says=lambda d, y: y**3 <= 10**9 * log(d) ** 3 * d * (log(d) + y) ** 2,
    tries=[{"d": 2, "y": 10**10}],
    mends="α ≥ d^(−d·(ln d)²), or 1/α² in place of 1/α; for α ≤ e^(−d) the Laplace mechanism has rows enough",
    **as_expected(
        degenerate(
            "α = e^(−10¹⁰), at d = 2. Down to α = d^(−d·(ln d)²) it holds with C = 1 (HRS-1.4.step.power-of-alpha), "
            "and from α = e^(−d) down the theorem holds without it (HRS-1.4.step.noise-for-each). There is no ε in it."
        )
    ),
)

power_of_alpha_of_all_absorbed = Step(
    id="HRS-1.4.step.power-of-alpha",
    source=f"{_HRS}, Theorems 1.4 and 5.1(1), by Theorems 4.10 and 5.10(1)",
    statement="1/α ≤ d^(d^(1/3)·log^(2/3)(d/α)) for α ≥ d^(−d·(ln d)²): in cubes, y³ ≤ d·(ln d)³·(z + y)² where "
    "d·(ln d)³ = y + more and z = ln d",
    parameters=_WITHIN,
    says=lambda y, more, z: y**3 <= (y + more) * (z + y) ** 2,
    mutants=[BrokenStep("α ≥ d^(−2d·(ln d)²)", says=lambda y, more, z: y**3 <= (y + more) / 2 * (z + y) ** 2)],
)

noise_for_each = Step(
    id="HRS-1.4.step.noise-for-each",
    source=f"{_HRS}, Theorem 1.4, by the Laplace mechanism on each of N = 2^d conjunctions: n ≥ N·ln(N/β)/(εα)",
    statement="N·ln N ≤ d^(2·d^(1/3)·log^(2/3)(d/α)) for α ≤ e^(−d): d·ln 2 + ln(d·ln 2) ≤ 2·d·ln d, as that product "
    "is at least d",
    parameters={"d": at_least(2)},
    says=lambda d: d * log(2) + log(d * log(2)) <= 2 * d * log(d),
    mutants=[BrokenStep("1 in place of 2", says=lambda d: d * log(2) + log(d * log(2)) <= d * log(d))],
)

# The logarithms, with b = 8·D/γ′·log₂(13/γ′)·log₂(2/β′) for D monomials: no less than `examples_for_polynomials`

log_of_beta = Step(
    id="HRS-1.2.step.log-of-beta",
    source=f"{_HRS}, Theorems 1.2, 1.4, 1.6 and 5.1, by (5)",
    statement="ln(1/β′) ≤ ln(24/(αβ)) ≤ 10·ln(1/α)·ln(1/β): the third power of log(1/β) is two of these and ln b",
    parameters={"u": _LOGARITHMS["u"], "w": _LOGARITHMS["w"]},
    says=lambda u, w: log(24) + u + w <= 10 * u * w,
    mutants=[BrokenStep("9", says=lambda u, w: log(24) + u + w <= 9 * u * w)],
)

log_of_any_beta = Step(
    id="HRS-1.2.step.log-of-beta-any",
    source=f"{_HRS}, Theorems 1.2, 1.4, 1.6, 5.1 and 6.3, by (6), for every β",
    statement="ln(1/β′) ≤ C·ln(1/α)·ln(1/β) for a constant C, here 1,000,000, and every β; ln(1/β′) ≥ ln(18/(αβ))",
    parameters={"u": _LOGARITHMS["u"], "w": above_zero()},
    says=lambda u, w: log(18) + u + w <= 10**6 * u * w,
    tries=[{"u": 1, "w": Fraction(1, 10**7)}],
    mends="β ≤ 1/2, or ln(2/β): HRS-1.2.step.log-of-beta",
    **as_expected(
        degenerate(
            "β = e^(−10⁻⁷), next to 1: the order of the theorems is 0 there, and the samples of (7) are not. For β ≤ "
            "1/2 C = 10 is enough (HRS-1.2.step.log-of-beta). There is no ε in it."
        )
    ),
)

log_of_gamma = Step(
    id="HRS-1.2.step.log-of-gamma",
    source=f"{_HRS}, Theorems 1.2, 1.4 and 5.1, by Theorem 5.10",
    statement="log₂(13/γ′) ≤ log₂(52/(αγ)) ≤ 17·ln(1/α)·ln(1/γ), which Õ hides",
    parameters={"u": _LOGARITHMS["u"], "v": _LOGARITHMS["v"]},
    says=lambda u, v: log(52) + u + v <= 17 * log(2) * u * v,
    mutants=[BrokenStep("16", says=lambda u, v: log(52) + u + v <= 16 * log(2) * u * v)],
)


def _log_of_examples(e: Expression, u: Expression, v: Expression, w: Expression, constant: int) -> Relation:
    logarithms = log((log(52) + u + v) / log(2)) + log((log(48) + u + w) / log(2))
    return e + log(32) + 2 * u + 2 * v + w + logarithms <= constant * (1 + e) * u * v * w


log_of_examples = Step(
    id="HRS-1.2.step.log-of-examples",
    source=f"{_HRS}, Theorems 1.2, 1.4 and 5.1, by Theorems 4.10 and 5.10",
    statement="ln(b/(αβγ)) ≤ 34·(1 + e)·ln(1/α)·ln(1/β)·ln(1/γ), e = ln D",
    parameters={"e": at_least(0), **_LOGARITHMS},
    says=lambda e, u, v, w: _log_of_examples(e, u, v, w, 34),
    mutants=[BrokenStep("33", says=lambda e, u, v, w: _log_of_examples(e, u, v, w, 33))],
)

log_of_power = Step(
    id="HRS-1.2.step.log-of-power",
    source=f"{_HRS}, Theorems 1.2, 1.4, 1.6, 5.1 and 6.3",
    statement="1 + e ≤ D, e = ln D: the logarithm of d^O(…) is another d^O(…)",
    parameters={"e": at_least(0)},
    says=lambda e: 1 + e <= exp(e),
    mutants=[BrokenStep("1 + 2e", says=lambda e: 1 + 2 * e <= exp(e))],
)

# Section 6, with b = (d·n′/γ′)^p·ln(1/β′) and b = D·ln(1/β′), and Theorem 3.9; g = d/(αγ)

_G: Final[dict[str, Range]] = {"g": at_least(4)}

base_of_parities = Step(
    id="HRS-1.5.step.base",
    source=f"{_HRS}, Theorems 1.5, 1.6, 6.1 and 6.3, by (6)",
    statement="d·n′/γ′ ≤ 4·4411·ln 2·d²/(α³γ), |Q| = 2^d, is at most 3,200·(d/(αγ))³",
    parameters={"d": at_least(1), "alpha": above_zero(_HALF), "gamma": above_zero(_HALF)},
    says=lambda d, alpha, gamma: 4 * 4411 * log(2) * d**2 / (alpha**3 * gamma) <= 3200 * (d / (alpha * gamma)) ** 3,
    mutants=[
        BrokenStep(
            "3,000",
            says=lambda d, alpha, gamma: (
                4 * 4411 * log(2) * d**2 / (alpha**3 * gamma) <= 3000 * (d / (alpha * gamma)) ** 3
            ),
        )
    ],
)


def _log_of_parities(p: Expression, g: Expression, w: Expression, constant: int) -> Relation:
    return p * (log(3200) + 3 * log(g)) + log(10 * log(g) * w) + log(g) + w <= constant * p * g * w


log_of_parities = Step(
    id="HRS-1.5.step.log-of-examples",
    source=f"{_HRS}, Theorems 1.5 and 6.1, by Theorems 3.9 and 6.2",
    statement="with b = (3,200·g³)^p·ln(1/β′), g = d/(αγ), ln(b/(αβγ)) ≤ 6·p·g·ln(1/β): n is polynomial in d, 1/α, 1/γ "
    "and ln(1/β), as ln(1/α) + ln(1/γ) ≤ ln g",
    parameters={"p": at_least(1), **_G, "w": _LOGARITHMS["w"]},
    says=lambda p, g, w: _log_of_parities(p, g, w, 6),
    mutants=[BrokenStep("5", says=lambda p, g, w: _log_of_parities(p, g, w, 5))],
)

exponent_of_circuits = Step(
    id="HRS-1.6.step.exponent",
    source=f"{_HRS}, Theorems 1.6 and 6.3, by Theorem 6.4 and (6)",
    statement="log^ℓ(n′·d/γ′) is of the order of log^ℓ(d/(αγ)): ln(3,200·g³) ≤ 9·ln g, g = d/(αγ), for a constant ℓ",
    parameters=_G,
    says=lambda g: log(3200) + 3 * log(g) <= 9 * log(g),
    mutants=[BrokenStep("8", says=lambda g: log(3200) + 3 * log(g) <= 8 * log(g))],
)


def _log_of_circuits(e: Expression, u: Expression, v: Expression, w: Expression, constant: int) -> Relation:
    return e + log(log(24) + u + w) + u + v + w <= constant * (1 + e) * u * v * w


log_of_circuits = Step(
    id="HRS-6.3.step.log-of-examples",
    source=f"{_HRS}, Theorems 1.6 and 6.3, by Theorems 3.9 and 6.4; (3) has the 1/(εα²γ) of the theorems",
    statement="with b = D·ln(1/β′), ln(b/(αβγ)) ≤ 11·(1 + e)·ln(1/α)·ln(1/β)·ln(1/γ), e = ln D",
    parameters={"e": at_least(0), **_LOGARITHMS},
    says=lambda e, u, v, w: _log_of_circuits(e, u, v, w, 11),
    mutants=[BrokenStep("10", says=lambda e, u, v, w: _log_of_circuits(e, u, v, w, 10))],
)

smooth_circuits = Step(
    id="HRS-6.4.step.smooth",
    source=f"{_HRS}, Theorem 6.4, by Theorem 9 of Jackson, Klivans & Servedio for C-smooth distributions, C = 2/γ",
    statement="ln(C·nd/γ) ≤ 3·ln(nd/γ) for C = 2/γ and nd ≥ 2, so that C goes into the O of the exponent; a = ln(nd) "
    "and v = ln(1/γ)",
    parameters={"a": at_least(_LN_2), "v": at_least(0)},
    says=lambda a, v: log(2) + a + 2 * v <= 3 * (a + v),
    mutants=[BrokenStep("3/2", says=lambda a, v: log(2) + a + 2 * v <= Fraction(3, 2) * (a + v))],
)
