"""Structure of the polynomial by scales: how large its factors are, for every k, m, D and exponent."""

from __future__ import annotations

from typing import Final

from dpverify.mechanisms.release.chebyshev import chebyshev
from dpverify.verifiers.structure.formulas import number_value
from dpverify.verifiers.structure.lemma import Goal, Values
from dpverify.verifiers.structure.rows import FalseVariant, PaperLemmas, goal, instance

lemma: Final = PaperLemmas("HRS-", "")

_BOTH: Final = dict.fromkeys(("x", "y", "C", "D", "U", "V"), "Real")
"""C_r(x), C_r(y) and those of the second kind, U_r(x) and U_r(y)."""

_ORDERED: Final = "(and (<= 0.0 C) (<= C D) (<= 0.0 U) (<= U V))"
_POINTS: Final = "(and (<= 1.0 x) (<= x y))"


def _of_second_degree(given: str) -> Goal:
    """C_2(x) = 2x² − 1 is no more than C_2(y)."""
    return goal("degree-2", "QF_NRA", "x y: Real").given(
        given, then="(<= (- (* 2.0 (* x x)) 1.0) (- (* 2.0 (* y y)) 1.0))"
    )


def grows(values: Values) -> tuple[bool, str]:
    """True where C_2 is no more at x than at y, and what it is there."""
    x, y = number_value(values, "x"), number_value(values, "y")
    first, second = chebyshev(2, x), chebyshev(2, y)
    return first <= second, f"C_2({x}) = {first}, C_2({y}) = {second}"


factors = lemma(
    "5.4.structure.scales", "by hand, for Claim 5.4 of Hardt, Rothblum & Servedio: the factors of `dropping_by_scales`"
).says(
    "(C_q(j/(k − D))/C_q(k/(k − D)))^e is at most 1 in size at j = 0, …, k, and 2^(−e) at j ≤ k − D, for "
    "q² ≥ (k − D)/D, and ∏ (l − (k − j))/l over l = 1, …, m is (D − 1)^m/m! at most in size at k − j = D > m",
    goal("growing-base", "QF_LRA", _BOTH).given(
        _POINTS, "(and (= C 1.0) (= D 1.0) (= U 0.0) (= V 0.0))", then=_ORDERED
    ),
    goal("products", "QF_NRA", "a b c d: Real").given(  # of what is ordered, and ≥ 0
        "(and (<= 0.0 a) (<= a b) (<= 0.0 c) (<= c d))", then="(and (<= 0.0 (* a c)) (<= (* a c) (* b d)))"
    ),
    goal("squares", "QF_NRA", "x y w v: Real").given(  # w = x² − 1 and v = y² − 1
        _POINTS, "(= (* x x) (+ w 1.0))", "(= (* y y) (+ v 1.0))", then="(and (<= 0.0 w) (<= w v))"
    ),
    # C_(r+1) = x·C + w·U and U_(r+1) = C + x·U, with what `products` says of the products
    goal("growing-step", "QF_LRA", _BOTH | dict.fromkeys(("xC", "yD", "wU", "vV", "xU", "yV"), "Real")).given(
        _ORDERED,
        "(and (<= 0.0 xC) (<= xC yD) (<= 0.0 wU) (<= wU vV) (<= 0.0 xU) (<= xU yV))",
        then="(and (<= 0.0 (+ xC wU)) (<= (+ xC wU) (+ yD vV)) (<= 0.0 (+ C xU)) (<= (+ C xU) (+ D yV)))",
    ),
    goal("inside", "QF_NRA", "j e x: Real").given(  # j/(k − D), e = k − D
        "(and (<= 0.0 j) (<= j e) (< 0.0 e) (= (* x e) j))", then="(and (<= 0.0 x) (<= x 1.0))"
    ),
    goal("beyond", "QF_NRA", "j k e x y: Real").given(  # k − D ≤ j ≤ k
        "(and (<= e j) (<= j k) (< 0.0 e) (= (* x e) j) (= (* y e) k))", then=_POINTS
    ),
    goal("at-least-2", "QF_NRA", "q d e t: Real").given(  # 1 + q²·D/(k − D), which C_q(k/(k − D)) is at least
        "(and (< 0.0 d) (< 0.0 e) (= (* t e) d))", "(>= (* (* q q) d) e)", then="(>= (+ 1.0 (* (* q q) t)) 2.0)"
    ),
    # |c| ≤ b: the power of c/b is no larger for one factor more; y = c/b
    goal("no-larger", "QF_NRA", "p h c b y: Real").given(
        "(and (<= p h) (<= (- p) h))",
        "(and (<= c b) (<= (- c) b) (>= b 2.0) (= (* y b) c))",
        then="(and (<= (* p y) h) (<= (- (* p y)) h))",
    ),
    goal("half", "QF_NRA", "p h c b y: Real").given(  # |c| ≤ 1: it is half as large
        "(and (<= p h) (<= (- p) h))",
        "(and (<= c 1.0) (<= (- c) 1.0) (>= b 2.0) (= (* y b) c))",
        then="(and (<= (* p y) (/ h 2.0)) (<= (- (* p y)) (/ h 2.0)))",
    ),
    goal("zeros", "QF_LRA", "D l m: Real").given(  # each factor of the numerator; then `products`
        "(and (<= 1.0 l) (<= l m) (< m D))", then="(and (<= 0.0 (- D l)) (<= (- D l) (- D 1.0)))"
    ),
    FalseVariant("for all −1 ≤ x ≤ y", _of_second_degree("(and (<= (- 1.0) x) (<= x y))")),
    example=instance(_of_second_degree(_POINTS), ("x", "y"), "(< x y)"),
    replay=grows,
    note="that |C_q| ≤ 1 on [−1, 1] and C_q(1 + μ) ≥ 1 + q²μ is HRS-5.4.structure.chebyshev; what is left of the claim "
    "are the steps HRS-5.4.step.factorial, .scales, .sum-of-scales and .degree-of-scales",
)
