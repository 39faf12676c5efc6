"""Steps of proofs about polynomial thresholds: Hardt, Rothblum & Servedio, Section 5."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.verifiers.catalogue.refuted import as_expected, degenerate, proof_step, reconstruction
from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, between, from_to, whole_from
from dpverify.verifiers.steps.statement import BrokenStep
from dpverify.verifiers.steps.terms import Expression, ceil, log, sqrt

_HRS: Final = "Hardt, Rothblum & Servedio"
_N: Final[dict[str, Range]] = {"n": whole_from(1), "j": Range(0, lambda n: n)}
"""The rows, and how many of them satisfy q; any number up to n, a whole one or not."""


def _root(k: Expression) -> Expression:
    """√k."""
    return sqrt(k)


below_one = Step(
    id="HRS-5.4.step.below-one",
    source=f"{_HRS}, Claim 5.4",
    statement="(j/k)(1 + 1/k) < 1, j(k + 1) < k², for k = j + 1 and more",
    parameters={"j": at_least(0), "more": at_least(0)},
    says=lambda j, more: j * (j + 2 + more) < (j + 1 + more) ** 2,
    mutants=[BrokenStep("(j/k)(1 + 2/k)", says=lambda j, more: j * (j + 3 + more) < (j + 1 + more) ** 2)],
)

at_least_two = Step(
    id="HRS-5.4.step.at-least-two",
    source=f"{_HRS}, Claim 5.4, by C_r(1 + x) ≥ 1 + r²x",
    statement="1 + r²/k ≥ 2 for r ≥ √k, and so C_r(1 + 1/k) ≥ 2",
    parameters={"k": whole_from(1), "r": at_least(_root)},
    says=lambda k, r: 1 + r**2 / k >= 2,
    mutants=[BrokenStep("r ≥ √k/2", parameters={"k": whole_from(1), "r": at_least(lambda k: sqrt(k) / 2)})],
)

exponent = Step(
    id="HRS-5.4.step.exponent",
    source=f"{_HRS}, (14), with the logarithm to base 2",
    statement="2^(−e) ≤ ε for any e ≥ log₂(1/ε)",
    parameters={"epsilon": between(0, 1), "e": at_least(lambda epsilon: log(1 / epsilon) / log(2))},
    says=lambda epsilon, e: log(1 / epsilon) <= e * log(2),
    mutants=[
        BrokenStep(
            "the natural logarithm",
            parameters={"epsilon": between(0, 1), "e": at_least(lambda epsilon: log(1 / epsilon))},
        )
    ],
)

exponent_natural = Step(
    id="HRS-5.4.step.exponent-natural",
    source=f"{_HRS}, (14), with the natural logarithm",
    statement="2^(−⌈ln(1/ε)⌉) ≤ ε",
    parameters={"epsilon": between(0, 1)},
    says=lambda epsilon: log(1 / epsilon) <= ceil(log(1 / epsilon)) * log(2),
    tries=[{"epsilon": Fraction(1, 100)}],
    mends="the logarithm to base 2, which the paper's log may be: HRS-5.4.step.exponent",
    **as_expected(
        reconstruction(
            "The paper writes log, and ln elsewhere: with base 2 the step holds (HRS-5.4.step.exponent). Its ε is the "
            "accuracy of a polynomial, and no parameter of privacy."
        )
    ),
)

exponent_near_one = Step(
    id="HRS-5.4.step.near-one-printed",
    source=f"{_HRS}, Claim 5.4 and Corollary 5.5, for any ε > 0",
    statement="an s with s(k) = 1 and |s(j)| ≤ ε < 1 is no constant, so that its degree is 1 or more; that is at most "
    "C·√(k·ln(1/ε)) for a constant C, here 1,000, and every ε < 1",
    parameters={"k": whole_from(1), "epsilon": between(0, 1)},
    says=lambda k, epsilon: 1000 * sqrt(k * log(1 / epsilon)) >= 1,
    tries=[{"k": 1, "epsilon": Fraction(9_999_999, 10_000_000)}],
    mends="ε ≤ 1/3, as Lemma 5.3 has it",
    **as_expected(
        degenerate(
            "ε next to 1, where ln(1/ε) is near 0. Where it is used ε = 1/(3n), and for ε ≤ 1/3 the order is right "
            "(HRS-5.4.utility.degree-order). There is no ε of privacy in it."
        )
    ),
)

at_threshold = Step(
    id="HRS-5.3.step.at-threshold",
    source=f"{_HRS}, Lemma 5.3, with ε = 1/(3n)",
    statement="where j rows satisfy q, A(q) ≥ j − (n − j)/(3n) ≥ j − 1/3",
    parameters=_N,
    says=lambda n, j: j - (n - j) / (3 * n) >= j - Fraction(1, 3),
    mutants=[BrokenStep("ε = 1/(2n)", says=lambda n, j: j - (n - j) / (2 * n) >= j - Fraction(1, 3))],
)

below_threshold = Step(
    id="HRS-5.3.step.below-threshold",
    source=f"{_HRS}, Lemma 5.3, with ε = 1/(3n)",
    statement="where j rows satisfy q, and ⌈tn⌉ is j + 1 or more, A(q) ≤ j + (n − j)/(3n) ≤ ⌈tn⌉ − 2/3",
    parameters={**_N, "more": at_least(0)},
    says=lambda n, j, more: j + (n - j) / (3 * n) <= j + 1 + more - Fraction(2, 3),
    mutants=[BrokenStep("3/4", says=lambda n, j, more: j + (n - j) / (3 * n) <= j + 1 + more - Fraction(3, 4))],
)

_X: Final = "with x = d^(1/3)·(ln n)^(2/3) and r = d^(2/3)·(ln n)^(1/3), (2d/r)·ln n = 2x and √(r·ln n) = x"

order_of_n = Step(
    id="HRS-5.3.step.order",
    source=f"{_HRS}, Lemma 5.3, by Claim 5.4 with (9/8)·√(k·log₂(1/ε)) (HRS-5.4.utility.degree-order, k ≤ 64; see "
    "HRS-5.3.step.order-of-scales for every k)",
    statement="(9/8)·√(k·log₂(3n)) ≤ (11/5)·√(k·ln n) for n ≥ 2, in squares and without k; l = ln n",
    parameters={"l": at_least(Fraction(693, 1000))},
    says=lambda l: Fraction(81, 64) * (log(3) + l) / log(2) <= Fraction(121, 25) * l,  # noqa: E741
    mutants=[
        BrokenStep("2·√(k·ln n)", says=lambda l: Fraction(81, 64) * (log(3) + l) / log(2) <= 4 * l),  # noqa: E741
    ],
)

_ROUNDED: Final[Range] = from_to(1, Fraction(11, 5))
"""w = r′/r for a whole r′ from r to r + 1, as Lemma 5.8 asks for a whole one: r = d^(2/3)·(ln n)^(1/3) ≥ 88/100."""

degrees = Step(
    id="HRS-5.9.step.degree",
    source=f"{_HRS}, Lemma 5.9, for n ≥ 2, with the sum of both degrees, which products have, where the paper has the "
    "greater; that a leaf of width r′ has a degree of at most c·√(r′·ln n) is supposed: by Lemma 5.7, with c = 28 for "
    "every width by HRS-5.3.step.order-of-scales",
    statement=f"(2d/r′)·ln n + 1 + c·√(r′·ln n) ≤ (3c/2 + 4)·x for r′ = w·r, divided by x: {_X}; that of a leaf is "
    "leaf·x",
    parameters={
        "x": at_least(Fraction(77, 100)),
        "w": _ROUNDED,
        "c": above_zero(),
        "leaf": Range(0, lambda w, c: c * sqrt(w)),
    },
    says=lambda x, w, c, leaf: 2 / w + 1 / x + leaf <= Fraction(3, 2) * c + 4,
    mutants=[
        BrokenStep("3c/2 + 3", says=lambda x, w, c, leaf: 2 / w + 1 / x + leaf <= Fraction(3, 2) * c + 3),
        BrokenStep("c + 4", says=lambda x, w, c, leaf: 2 / w + 1 / x + leaf <= c + 4),
    ],
)

degrees_by_14 = Step(
    id="HRS-5.9.step.degree-by-14",
    source=f"{_HRS}, Lemma 5.9 with (14) in each leaf, for n ≥ 2: what the printed construction gives for every width",
    statement="(2d/r′)·ln n + 1 + (√r′ + 1)·(log₂(3n) + 1) ≤ 18·d^(1/3)·(ln n)^(7/6), divided by that product, with "
    "r′ = w·r, r = d^(2/3)·(ln n)^(1/3), z = d^(−1/3) and f = (ln n)^(−1/6)",
    parameters={"z": above_zero(1), "f": above_zero(Fraction(107, 100)), "w": _ROUNDED},
    says=lambda z, f, w: 2 * f**3 / w + z * f**7 + (sqrt(w) + z * f) * (log(6) * f**6 + 1) / log(2) <= 18,
    mutants=[
        BrokenStep(
            "15",
            says=lambda z, f, w: 2 * f**3 / w + z * f**7 + (sqrt(w) + z * f) * (log(6) * f**6 + 1) / log(2) <= 15,
        )
    ],
)

degrees_of_one_row = Step(
    id="HRS-5.9.step.degree-of-one-row",
    source=f"{_HRS}, Lemma 5.9",
    statement=f"(2d/r)·ln n + 1 ≤ 1,000,000·√(r·ln n) for every n ≥ 1: {_X}",
    parameters={"x": from_to(0, 1)},
    says=lambda x: 2 * x + 1 <= 10**6 * x,
    tries=[{"x": 0}],
    mends="n ≥ 2",
    **as_expected(degenerate("n = 1: ln n = 0, r = 0 and x = 0. There is no ε in it.")),
)

width_in_range = Step(
    id="HRS-5.9.step.width",
    source=f"{_HRS}, Lemma 5.9, by Lemma 5.8",
    statement="r = d^(2/3)·(ln n)^(1/3) is at most d, as Lemma 5.8 asks: r³ = d²·ln n ≤ d³",
    parameters={"d": whole_from(1), "n": whole_from(1)},
    says=lambda d, n: d**2 * log(n) <= d**3,
    tries=[{"d": 2, "n": 100}],
    mends="n ≤ e^d; for more rows x ≥ d, and a degree of d is enough for any function: HRS-5.9.step.width-beyond",
    **as_expected(
        proof_step(
            "Beyond n = e^d the bound is more than d, and every function on {0, 1}^d is a polynomial of degree d "
            "(HRS-5.9.step.width-beyond). Nothing private is in it."
        )
    ),
)

width_beyond = Step(
    id="HRS-5.9.step.width-beyond",
    source=f"{_HRS}, Lemma 5.9, where r > d",
    statement="where ln n ≥ d the bound d^(1/3)·(ln n)^(2/3) is at least d: x³ = d·(ln n)² ≥ d³",
    parameters={"d": whole_from(1), "ln": at_least(lambda d: d)},
    says=lambda d, ln: d * ln**2 >= d**3,
    mutants=[
        BrokenStep("ln n ≥ d/2", parameters={"d": whole_from(1), "ln": at_least(lambda d: d / 2)}),
    ],
)
