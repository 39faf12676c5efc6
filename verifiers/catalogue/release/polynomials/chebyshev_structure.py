"""Structure of polynomials for conjunctions: how those of Chebyshev grow, signs of their sums, and those by scales."""

from fractions import Fraction
from typing import Final

from dpverify.mechanisms.release.chebyshev import chebyshev, dropping_polynomial, sparse_threshold_polynomial
from dpverify.verifiers.catalogue.families import QUARTER
from dpverify.verifiers.structure.formulas import number_value, whole_value, within
from dpverify.verifiers.structure.rows import FalseVariant, Goal, PaperLemmas, Values, goal, instance, judged

lemma: Final = PaperLemmas("HRS-", "Hardt, Rothblum & Servedio, ")

# Chebyshev polynomials C_r(x), with w = x² − 1 and U of the second kind: C_(r+1) = x·C_r + w·U_r and
# U_(r+1) = C_r + x·U_r.
_PELL: Final = "x w C U: Real"
_DEFINED: Final = "(= (* x x) (+ w 1.0))"
_PELL_HOLDS: Final = "(= (- (* C C) (* w (* U U))) 1.0)"
_NEXT_C: Final = "(+ (* x C) (* w U))"
_NEXT_U: Final = "(+ C (* x U))"
_GROWING: Final = "m r C U P R: Real"


def _second_degree(name: str, bound: str) -> Goal:
    """s(j) at k = 2, ε = 1/2, where r = 2 and e = 1: C_2(x) = 2x² − 1 at x = 3j/4, by C_2(3/2) = 7/2."""
    return goal(name, "QF_LIRA", "j: Int, y: Real").given(
        "(and (<= 0 j) (<= j 1))",
        "(= y (ite (= j 0) (/ (- 2.0) 7.0) (/ 1.0 28.0)))",
        then=f"(and (<= y {bound}) (<= (- y) {bound}))",
    )


def drop(values: Values) -> tuple[Fraction, str]:
    """|s(j)| at k = 2 and ε = 1/2."""
    j = whole_value(values, "j")
    s = dropping_polynomial(2, Fraction(1, 2))
    assert s(2) == 1
    return abs(s(j)), f"k = 2, ε = 1/2: s({j}) = {s(j)}"


growth = lemma("5.4.structure.chebyshev", "Claim 5.4 and (14), with log to base 2").says(
    "s(k) = 1 and |s(j)| ≤ 2^(−e) for 0 ≤ j < k, where s = (C_r((j/k)(1 + 1/k))/C_r(1 + 1/k))^e and r ≥ √k, for every "
    "k, r and e",
    goal("pell-base", "QF_NRA", _PELL).given("(and (= C 1.0) (= U 0.0))", _DEFINED, then=_PELL_HOLDS),
    goal("pell-identity", "QF_NRA", _PELL).given(  # C_(r+1)² − w·U_(r+1)² = (x² − w)·(C_r² − w·U_r²)
        then=f"(= (- (* {_NEXT_C} {_NEXT_C}) (* w (* {_NEXT_U} {_NEXT_U}))) "
        "(* (- (* x x) w) (- (* C C) (* w (* U U)))))"
    ),
    # y = C_r² − w·U_r²
    goal("pell-step", "QF_NRA", f"{_PELL}, y after: Real").given(
        _DEFINED, "(= y 1.0)", "(= after (* (- (* x x) w) y))", then="(= after 1.0)"
    ),
    # C_(r+1) = 2x·C_r − C_(r−1), which defines C
    goal("recurrence", "QF_NRA", f"{_PELL}, D V: Real").given(
        _DEFINED, f"(= D {_NEXT_C})", f"(= V {_NEXT_U})", then="(= (+ (* x D) (* w V)) (- (* 2.0 (* x D)) C))"
    ),
    goal("at-most-1", "QF_NRA", _PELL).given(  # on [−1, 1]
        _DEFINED, _PELL_HOLDS, "(and (<= (- 1.0) x) (<= x 1.0))", then="(and (<= C 1.0) (<= (- 1.0) C))"
    ),
    goal("growth-base", "QF_NRA", _GROWING).given(  # C_r(1 + μ) ≥ 1 + r²μ and U_r ≥ r, at r = 0
        "(and (= C 1.0) (= U 0.0) (= r 0.0) (>= m 0.0))", then="(and (>= C (+ 1.0 (* r (* r m)))) (>= U r))"
    ),
    # of the two inequalities with what they are multiplied by, both ≥ 0
    goal("growth-products", "QF_NRA", "a b c: Real").given("(and (>= a b) (>= c 0.0))", then="(>= (* a c) (* b c))"),
    # P = C·μ and R = U·(2μ + μ²), for which the goal before gives lower bounds
    goal("growth-step", "QF_NRA", _GROWING).given(
        "(and (>= m 0.0) (>= r 0.0))",
        "(and (>= C (+ 1.0 (* r (* r m)))) (>= U r))",
        "(>= P (* (+ 1.0 (* r (* r m))) m))",
        "(>= R (* r (+ (* 2.0 m) (* m m))))",
        then="(and (>= (+ C P R) (+ 1.0 (* (+ r 1.0) (* (+ r 1.0) m)))) (>= (+ C U) (+ r 1.0)))",
    ),
    goal("growth-of-u", "QF_NRA", "U m x r: Real").given(  # U_(r+1) = C + x·U is at least C + U
        "(and (>= U r) (>= r 0.0) (>= m 0.0) (= x (+ 1.0 m)))", then="(>= (* x U) U)"
    ),
    goal("growth-of-w", "QF_NRA", "x w m: Real").given(_DEFINED, "(= x (+ 1.0 m))", then="(= w (+ (* 2.0 m) (* m m)))"),
    goal("at-k-step", "QF_NRA", "b y p: Real").given(  # s(k): each factor is C_r(1 + 1/k) over itself
        "(and (>= b 2.0) (= (* y b) b) (= p 1.0))", then="(= (* p y) 1.0)"
    ),
    goal("at-least-2", "QF_NRA", "k m r: Real").given(  # at μ = 1/k, where r² ≥ k
        "(and (>= k 1.0) (= (* k m) 1.0) (>= (* r r) k) (>= m 0.0))", then="(>= (+ 1.0 (* (* r r) m)) 2.0)"
    ),
    goal("inside", "QF_NRA", "k m x j: Real").given(  # (j/k)(1 + 1/k) ≤ 1 for j ≤ k − 1, with x = j/k
        "(and (>= k 1.0) (= (* k m) 1.0) (> m 0.0) (<= 0.0 j) (<= j (- k 1.0)) (= x (* j m)))",
        then="(and (<= 0.0 (* x (+ 1.0 m))) (<= (* x (+ 1.0 m)) 1.0))",
    ),
    # |p| ≤ h, |c| ≤ 1 and b ≥ 2 give |p·c/b| ≤ h/2; y = c/b
    goal("power-step", "QF_NRA", "p h c b y: Real").given(
        "(and (<= p h) (<= (- p) h))",
        "(and (<= c 1.0) (<= (- 1.0) c) (>= b 2.0) (= (* y b) c))",
        then="(and (<= (* p y) (/ h 2.0)) (<= (- (* p y)) (/ h 2.0)))",
    ),
    FalseVariant("|s(j)| ≤ ε/2", _second_degree("k-2", "(/ 1.0 4.0)"), judged(drop, lambda size: size <= QUARTER)),
    example=instance(_second_degree("k-2", "(/ 1.0 2.0)"), ("j",), "(not (= y 0.0))"),
    replay=judged(drop, lambda size: size <= Fraction(1, 2)),
    note="a proof of what the paper takes from the literature, by C² − (x² − 1)·U² = 1; the suite computes s exactly "
    "for k up to 400 besides",
)


# Lemma 5.3: A(q) = Σ A_u(q), where A_u is 1 for the J rows that meet q, and within 1/(3n) of 0 for the others.
def _two_rows(then: str) -> Goal:
    """Row 11, and one that lacks a of the attributes of q = 11; k = 2, where s(k − a) is 1, (1/28)³ or (−2/7)³."""
    return goal("two-rows", "QF_LIRA", "a: Int, A: Real").given(
        "(and (<= 0 a) (<= a 2))",
        "(= A (+ 1.0 (ite (= a 0) 1.0 (ite (= a 1) (/ 1.0 21952.0) (/ (- 8.0) 343.0)))))",
        then=then,
    )


def value_of_two_rows(values: Values) -> tuple[Fraction, str]:
    """A(11) of the implementation, at t = 1/2 for two rows, where ⌈tn⌉ = 1."""
    rows = (3, (3, 1, 0)[whole_value(values, "a")])
    found = sparse_threshold_polynomial(rows, t=Fraction(1, 2), d=2, k=2).value(3) + Fraction(1, 2)
    return found, f"rows 11 and {rows[1]:02b}: A(11) = {found}"


sign_representation = lemma("5.3.structure.sign", "Corollary 5.5 and the proof of Lemma 5.3").says(
    "A(q) − (⌈tn⌉ − 1/2) has the sign of f_t at every q of at most k attributes, for every n, t and k",
    goal("sum-base", "QF_LRA", "A J err: Real").given(
        "(and (= A 0.0) (= J 0.0) (= err 0.0))", then=within("A", "J", "err")
    ),
    # one row u more, which meets q or not
    goal("sum-step", "QF_LRA", "A J err Au eps: Real, meets: Bool").given(
        "(>= eps 0.0)",
        within("A", "J", "err"),
        f"(ite meets (= Au 1.0) {within('Au', '0.0', 'eps')})",
        then=within("(+ A Au)", "(+ J (ite meets 1.0 0.0))", "(+ err eps)"),
    ),
    goal("errors-together", "QF_NRA", "n eps: Real").given(  # of n rows, 1/(3n) each
        "(and (>= n 1.0) (= (* 3.0 (* n eps)) 1.0))", then="(= (* n eps) (/ 1.0 3.0))"
    ),
    # f_t(q) = 1 where J/n ≥ t, that is J ≥ ⌈tn⌉ = c
    goal("threshold", "QF_LIRA", "J c: Int, tn: Real").given(
        "(and (>= (to_real c) tn) (< (- (to_real c) 1.0) tn))", then="(= (>= (to_real J) tn) (>= J c))"
    ),
    goal("sign", "QF_LIRA", "A: Real, J c: Int").given(
        within("A", "(to_real J)", "(/ 1.0 3.0)"), then="(= (>= (- A (- (to_real c) (/ 1.0 2.0))) 0.0) (>= J c))"
    ),
    FalseVariant("the sign of A(q) − ⌈tn⌉", _two_rows("(>= A 1.0)"), judged(value_of_two_rows, lambda a: a >= 1)),
    example=instance(_two_rows("true"), ("a",), "(= a 1)"),
    replay=judged(value_of_two_rows, lambda value: value >= Fraction(1, 2)),
)


# The polynomial by scales: how large its factors are, for every k, m, D and exponent.
_BOTH: Final = "x y C D U V: Real"
"""C_r(x), C_r(y) and those of the second kind, U_r(x) and U_r(y)."""
_RISING: Final = "(and (<= 0.0 C) (<= C D) (<= 0.0 U) (<= U V))"
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


factors = PaperLemmas("HRS-", "")(
    "5.4.structure.scales", "by hand, for Claim 5.4 of Hardt, Rothblum & Servedio: the factors of `dropping_by_scales`"
).says(
    "(C_q(j/(k − D))/C_q(k/(k − D)))^e is at most 1 in size at j = 0, …, k, and 2^(−e) at j ≤ k − D, for "
    "q² ≥ (k − D)/D, and ∏ (l − (k − j))/l over l = 1, …, m is (D − 1)^m/m! at most in size at k − j = D > m",
    goal("growing-base", "QF_LRA", _BOTH).given(_POINTS, "(and (= C 1.0) (= D 1.0) (= U 0.0) (= V 0.0))", then=_RISING),
    goal("products", "QF_NRA", "a b c d: Real").given(  # of what is ordered, and ≥ 0
        "(and (<= 0.0 a) (<= a b) (<= 0.0 c) (<= c d))", then="(and (<= 0.0 (* a c)) (<= (* a c) (* b d)))"
    ),
    goal("squares", "QF_NRA", "x y w v: Real").given(  # w = x² − 1 and v = y² − 1
        _POINTS, "(= (* x x) (+ w 1.0))", "(= (* y y) (+ v 1.0))", then="(and (<= 0.0 w) (<= w v))"
    ),
    # C_(r+1) = x·C + w·U and U_(r+1) = C + x·U, with what `products` says of the products
    goal("growing-step", "QF_LRA", f"{_BOTH}, xC yD wU vV xU yV: Real").given(
        _RISING,
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
