"""Steps of proofs about polynomial thresholds: Hardt, Rothblum & Servedio, Section 5."""

from fractions import Fraction
from typing import Final

from dpverify.verifiers.catalogue.families import HRS
from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, between, from_to, whole_from
from dpverify.verifiers.steps.rows import ProofSteps, broken
from dpverify.verifiers.steps.terms import Relation, ceil, exp, log, parameters, sqrt

k, n, j, more, r, epsilon, e, l, x, w, c, leaf, z, f, d, ln, m, i, t = parameters(  # noqa: E741  # as the papers write them
    "k n j more r epsilon e l x w c leaf z f d ln m i t"
)

# j of the n rows satisfy q: any number up to n, a whole one or not
step: Final = ProofSteps(
    "HRS-", f"{HRS}, ", {"k d n": whole_from(1), "j": Range(0, n), "more": at_least(0), "epsilon": between(0, 1)}
)
_ROUNDED: Final = from_to(1, Fraction(11, 5))
"""w = r′/r for a whole r′ from r to r + 1, as Lemma 5.8 asks for a whole one: r = d^(2/3)·(ln n)^(1/3) ≥ 88/100."""
_X: Final = "with x = d^(1/3)·(ln n)^(2/3) and r = d^(2/3)·(ln n)^(1/3), (2d/r)·ln n = 2x and √(r·ln n) = x"
STEPS: Final = [
    step("5.4.step.below-one", "Claim 5.4").says(
        "(j/k)(1 + 1/k) < 1, j(k + 1) < k², for k = j + 1 and more",
        lambda c=2: j * (j + c + more) < (j + 1 + more) ** 2,
        broken("(j/k)(1 + 2/k)", 3),
        j=at_least(0),
    ),
    step("5.4.step.at-least-two", "Claim 5.4, by C_r(1 + x) ≥ 1 + r²x").says(
        "1 + r²/k ≥ 2 for r ≥ √k, and so C_r(1 + 1/k) ≥ 2",
        1 + r**2 / k >= 2,
        broken("r ≥ √k/2", r=at_least(sqrt(k) / 2)),
        r=at_least(sqrt(k)),
    ),
    step("5.4.step.exponent", "(14), with the logarithm to base 2").says(
        "2^(−e) ≤ ε for any e ≥ log₂(1/ε)",
        log(1 / epsilon) <= e * log(2),
        broken("the natural logarithm", e=at_least(log(1 / epsilon))),
        e=at_least(log(1 / epsilon) / log(2)),
    ),
    step("5.4.step.exponent-natural", "(14), with the natural logarithm").says(
        "2^(−⌈ln(1/ε)⌉) ≤ ε",
        log(1 / epsilon) <= ceil(log(1 / epsilon)) * log(2),
        tries=[{"epsilon": Fraction(1, 100)}],
        mends="the logarithm to base 2, which the paper's log may be: HRS-5.4.step.exponent",
        reconstruction="The paper writes log, and ln elsewhere: with base 2 the step holds (HRS-5.4.step.exponent). "
        "Its ε is the accuracy of a polynomial, and no parameter of privacy.",
    ),
    step("5.4.step.near-one-printed", "Claim 5.4 and Corollary 5.5, for any ε > 0").says(
        "an s with s(k) = 1 and |s(j)| ≤ ε < 1 is no constant, so that its degree is 1 or more; that is at most "
        "C·√(k·ln(1/ε)) for a constant C, here 1,000, and every ε < 1",
        1000 * sqrt(k * log(1 / epsilon)) >= 1,
        tries=[{"k": 1, "epsilon": Fraction(9_999_999, 10_000_000)}],
        mends="ε ≤ 1/3, as Lemma 5.3 has it",
        degenerate="ε next to 1, where ln(1/ε) is near 0. Where it is used ε = 1/(3n), and for ε ≤ 1/3 the order is "
        "right (HRS-5.4.utility.degree-order). There is no ε of privacy in it.",
    ),
    step("5.3.step.at-threshold", "Lemma 5.3, with ε = 1/(3n)").says(
        "where j rows satisfy q, A(q) ≥ j − (n − j)/(3n) ≥ j − 1/3",
        lambda c=3: j - (n - j) / (c * n) >= j - Fraction(1, 3),
        broken("ε = 1/(2n)", 2),
    ),
    step("5.3.step.below-threshold", "Lemma 5.3, with ε = 1/(3n)").says(
        "where j rows satisfy q, and ⌈tn⌉ is j + 1 or more, A(q) ≤ j + (n − j)/(3n) ≤ ⌈tn⌉ − 2/3",
        lambda c=Fraction(2, 3): j + (n - j) / (3 * n) <= j + 1 + more - c,
        broken("3/4", Fraction(3, 4)),
    ),
    step(
        "5.3.step.order",
        "Lemma 5.3, by Claim 5.4 with (9/8)·√(k·log₂(1/ε)) "
        "(HRS-5.4.utility.degree-order, k ≤ 64; see HRS-5.3.step.order-of-scales for every k)",
    ).says(
        "(9/8)·√(k·log₂(3n)) ≤ (11/5)·√(k·ln n) for n ≥ 2, in squares and without k; l = ln n",
        lambda c=Fraction(121, 25): Fraction(81, 64) * (log(3) + l) / log(2) <= c * l,
        broken("2·√(k·ln n)", 4),
        l=at_least(Fraction(693, 1000)),
    ),
    step(
        "5.9.step.degree",
        "Lemma 5.9, for n ≥ 2, with the sum of both degrees, which products have, where the paper has the greater; "
        "that a leaf of width r′ has a degree of at most c·√(r′·ln n) is supposed: by Lemma 5.7, with c = 28 for every "
        "width by HRS-5.3.step.order-of-scales",
    ).says(
        f"(2d/r′)·ln n + 1 + c·√(r′·ln n) ≤ (3c/2 + 4)·x for r′ = w·r, divided by x: {_X}; that of a leaf is leaf·x",
        2 / w + 1 / x + leaf <= Fraction(3, 2) * c + 4,
        broken("3c/2 + 3", 2 / w + 1 / x + leaf <= Fraction(3, 2) * c + 3),
        broken("c + 4", 2 / w + 1 / x + leaf <= c + 4),
        x=at_least(Fraction(77, 100)),
        w=_ROUNDED,
        c=above_zero(),
        leaf=Range(0, c * sqrt(w)),
    ),
    step(
        "5.9.step.degree-by-14",
        "Lemma 5.9 with (14) in each leaf, for n ≥ 2: what the printed construction gives for every width",
    ).says(
        "(2d/r′)·ln n + 1 + (√r′ + 1)·(log₂(3n) + 1) ≤ 18·d^(1/3)·(ln n)^(7/6), divided by that product, with "
        "r′ = w·r, r = d^(2/3)·(ln n)^(1/3), z = d^(−1/3) and f = (ln n)^(−1/6)",
        lambda c=18: 2 * f**3 / w + z * f**7 + (sqrt(w) + z * f) * (log(6) * f**6 + 1) / log(2) <= c,
        broken("15", 15),
        z=above_zero(1),
        f=above_zero(Fraction(107, 100)),
        w=_ROUNDED,
    ),
    step("5.9.step.degree-of-one-row", "Lemma 5.9").says(
        f"(2d/r)·ln n + 1 ≤ 1,000,000·√(r·ln n) for every n ≥ 1: {_X}",
        2 * x + 1 <= 10**6 * x,
        x=from_to(0, 1),
        tries=[{"x": 0}],
        mends="n ≥ 2",
        degenerate="n = 1: ln n = 0, r = 0 and x = 0. There is no ε in it.",
    ),
    step("5.9.step.width", "Lemma 5.9, by Lemma 5.8").says(
        "r = d^(2/3)·(ln n)^(1/3) is at most d, as Lemma 5.8 asks: r³ = d²·ln n ≤ d³",
        d**2 * log(n) <= d**3,
        tries=[{"d": 2, "n": 100}],
        mends="n ≤ e^d; for more rows x ≥ d, and a degree of d is enough for any function: HRS-5.9.step.width-beyond",
        proof_step="Beyond n = e^d the bound is more than d, and every function on {0, 1}^d is a polynomial of degree "
        "d (HRS-5.9.step.width-beyond). Nothing private is in it.",
    ),
    step("5.9.step.width-beyond", "Lemma 5.9, where r > d").says(
        "where ln n ≥ d the bound d^(1/3)·(ln n)^(2/3) is at least d: x³ = d·(ln n)² ≥ d³",
        d * ln**2 >= d**3,
        broken("ln n ≥ d/2", ln=at_least(d / 2)),
        ln=at_least(d),
    ),
    step("5.10.step.one-row", "Theorem 5.10(2), for every n").says(
        "C·d^(C·√(k·ln n))·ln(1/γ)/γ·ln(1/β), C = 1,000, is no less than the (d − 1)/(32γ) of BNS-J-2.12.utility."
        "examples-needed, as f^D_t of one row are all conjunctions, VC = d = k; γ = 1/8, β = 1/100; l = ln n",
        log((d - 1) / 32) <= log(1000 * log(8) * log(100)) + 1000 * sqrt(d * l) * log(d),
        l=at_least(0),
        tries=[{"d": 10**9, "l": 0}],
        mends="n ≥ 2: as in HRS-5.3.step.order",
        degenerate="n = 1, where ln n = 0. There is no ε in it; PrivLearn runs it at n′ of hundreds.",
    ),
    step("5.10.step.log-of-beta-any", "Theorems 5.10, 6.2 and 6.4, for every β").says(
        "(4/γ)·log₂(2/β) examples, or 1/γ, are C/γ·ln(1/β), C = 1,000,000; w = ln(1/β)",
        10**6 * w >= 1,
        w=above_zero(),
        tries=[{"w": Fraction(1, 10**7)}],
        mends="β ≤ 1/2, or ln(2/β)",
        degenerate="β next to 1, where no example is asked for. There is no ε in it.",
    ),
]


# Claim 5.4 for every k: the polynomial by scales. It is the paper's claim, whose proof is cited there; the polynomial
# and its constants are ours. m = ⌈log₂(1/ε)⌉ < k are its zeros below k; at the distances 2^i·m, i = 0, 1, …, below k
# are its scales, with the exponents ⌈7m/2⌉ for i = 0 and m for the others. Where m ≥ k it has k zeros alone, and k ≤
# √(km). How large its factors are is HRS-5.4.structure.scales, and that these are all is by induction over them.
_claim: Final = ProofSteps("HRS-", "by hand, for Claim 5.4 of Hardt, Rothblum & Servedio, by the polynomial by scales")
_lemmas: Final = ProofSteps("HRS-", f"by hand, for Lemmas 5.3 and 5.7 of {HRS}, by the polynomial by scales")


def _held_down(first: Fraction) -> Relation:
    zeros = m * (1 + (i + 1) * log(2))
    return zeros - (first * m + i * m) * log(2) <= -m * log(2)


BY_SCALES: Final = [
    _claim("5.4.step.factorial", ": the zeros").says(
        "m! ≥ (m/e)^m, from m to m + 1 as (1 + 1/m)^m ≤ e, so that the zeros are (D − 1)^m/m! ≤ (e(D − 1)/m)^m or less "
        "at a distance of D: m·ln(1 + 1/m) ≤ 1, with x = 1/m",
        log(1 + x) <= x,
        broken("9/10", log(1 + x) <= Fraction(9, 10) * x),
        x=above_zero(1),
    ),
    _claim("5.4.step.scales", ": all of it").says(
        "where 2^i·m ≤ D − 1 < 2^(i+1)·m, (e·2^(i+1))^m of the zeros and 2^(−7m/2 − im) of the scales 0 to i are "
        "2^(−m) ≤ ε or less; in logarithms",
        _held_down(Fraction(7, 2)),
        broken("3m in place of 7m/2", _held_down(Fraction(3))),
        m=at_least(1),
        i=at_least(0),
    ),
    _claim("5.4.step.sum-of-scales", ": its degree").says(
        "2^(−1/2) + 2^(−2/2) + … + 2^(−l/2) = (1 − 2^(−l/2))/(√2 − 1) ≤ 5/2",
        lambda c=Fraction(5, 2): 1 - exp(-l * log(2) / 2) <= c * (sqrt(2) - 1),
        broken("12/5", Fraction(12, 5)),
        l=at_least(0),
    ),
    _claim("5.4.step.degree-of-scales", ": its degree, divided by m").says(
        "m zeros, ⌈7m/2⌉ ≤ 4m times q ≤ √(k/m) + 1, and m times √(k/(2^i·m)) + 1 for each i ≥ 1 with 2^i·m < k, of "
        "which there are less than log₂(k/m), are 12·√(km) or less; r = √(k/m)",
        lambda c=12: 1 + 4 * (r + 1) + Fraction(5, 2) * r + 2 * log(r) / log(2) <= c * r,
        broken("11", 11),
        r=at_least(1),
    ),
    _claim("5.4.step.order-of-scales", ": its order").says(
        "12·√(k·⌈log₂(1/ε)⌉) ≤ 17·√(k·log₂(1/ε)) for ε ≤ 1/2, in squares and without k; t = log₂(1/ε)",
        144 * (t + 1) <= 289 * t,
        broken("16", 144 * (t + 1) <= 256 * t),
        t=at_least(1),
    ),
    _lemmas("5.3.step.order-of-scales").says(
        "with ε = 1/(3n) that is 28·√(k·ln n) or less for n ≥ 2 and every k, as Lemma 5.3 says, and of every width, as "
        "Lemma 5.7 says: ⌈log₂(3n)⌉ ≤ log₂(6n); in squares and without k; l = ln n",
        lambda c=784: 144 * (log(6) + l) / log(2) <= c * l,
        broken("27", 729),
        l=at_least(Fraction(693, 1000)),
    ),
]
