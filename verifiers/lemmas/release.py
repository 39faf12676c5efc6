"""Lemmas about data release by learning thresholds, and the polynomials that it learns."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from dpverify.mechanisms.release.chebyshev import dropping_polynomial, sparse_threshold_polynomial
from dpverify.mechanisms.release.private_release import Synopsis, SynopsisAsPrinted, thresholds_for
from dpverify.reports.record import Status
from dpverify.verifiers.structure.formulas import number, whole_number, within
from dpverify.verifiers.structure.lemma import Goal, Instance, Lemma, Mutant, Values

_HRS: Final = "Hardt, Rothblum & Servedio"


# How many thresholds i/(k + 1), k = ⌈3/α⌉, are within α/7 of a value.


def _near(name: str, largest: str, *, whole: bool) -> Goal:
    """No two thresholds t < t′ are within α/7 of f; a whole k matters where there are such."""
    k = "(to_real k)" if whole else "k"
    return Goal(
        name=name,
        logic="QF_NIRA" if whole else "QF_NRA",
        declare={"a": "Real", "k": "Int" if whole else "Real", "s": "Real", "f": "Real", "t": "Real", "u": "Real"},
        given=(
            f"(and (> a 0.0) (<= a {largest}))",
            f"(and (<= 3.0 (* a {k})) (< (* a {k}) (+ 3.0 a)))",  # k = ⌈3/α⌉
            f"(= (* s (+ {k} 1.0)) 1.0)",
            "(>= (- u t) s)" if not whole else "(and (= t s) (= u (* 2.0 s)))",
        ),
        then="(not (and (< (- f t) (/ a 7.0)) (< (- t f) (/ a 7.0)) (< (- f u) (/ a 7.0)) (< (- u f) (/ a 7.0))))",
    )


def thresholds_near(values: Values) -> tuple[bool, str]:
    """Whether at most one threshold that PrivLearn uses is within α/7 of f."""
    alpha, f = number(values, "a"), number(values, "f")
    k = thresholds_for(alpha)
    near = [i for i in range(1, k + 1) if abs(f - Fraction(i, k + 1)) < alpha / 7]
    shown = " and ".join(f"{i}/{k + 1}" for i in near) or "none"
    return len(near) <= 1, f"α = {alpha}, k = {k}: within α/7 of f = {f} are {shown}"


_ONE_NEAR: Final = Instance(
    goal=_near("near", "(/ 1.0 4.0)", whole=True),
    terms=("a", "f"),
    where=("(< (- f t) (/ a 7.0))", "(< (- t f) (/ a 7.0))", "(= (* 4.0 a) 1.0)"),
)

near_as_printed = Lemma(
    id="HRS-4.9.structure.one-threshold-near-printed",
    source=f"{_HRS}, the proof of Claim 4.9: thresholds are α/3 apart",
    statement="at most one of the thresholds i/(k + 1), k = ⌈3/α⌉, is within α/7 of a value, for every α ≤ 1",
    goals=(_near("near", "1.0", whole=True),),
    example=_ONE_NEAR,
    replay=thresholds_near,
    mutants=(
        Mutant(
            change="α ≤ 2/5",
            instance=Instance(goal=_near("near", "(/ 2.0 5.0)", whole=True), terms=("a", "f")),
            replay=thresholds_near,
        ),
    ),
    expected=Status.REFUTED,
    terms=("a", "f"),
    note="thresholds are 1/(k + 1) < α/3 apart; Claim 4.9 holds all the same with the rule of `aggregation`, by which "
    "two wrong neighbours cost no more than one",
)

near = Lemma(
    id="HRS-4.9.structure.one-threshold-near",
    source=f"{_HRS}, the proof of Claim 4.9",
    statement="at most one of the thresholds i/(k + 1), k = ⌈3/α⌉, is within α/7 of a value, for every α ≤ 1/4",
    goals=(_near("near", "(/ 1.0 4.0)", whole=False),),
    example=_ONE_NEAR,
    replay=thresholds_near,
    mutants=near_as_printed.mutants,
)


# Step 4 of PrivLearn: hypotheses h_1, …, h_k about f ≥ T(i) = i·s, s = 1/(k + 1).


@dataclass(frozen=True)
class Says:
    """A hypothesis about one query."""

    label: int

    def __call__(self, q: object) -> int:
        """The label."""
        return self.label


def consistent(f: Fraction, k: int) -> tuple[Says, ...]:
    """h_1, …, h_k that are right about a query of which a share f of the rows is 1."""
    return tuple(Says(int(f >= Fraction(i, k + 1))) for i in range(1, k + 1))


def _aggregated(name: str, k: int, then: str) -> Goal:
    """The value v of the synopsis of right hypotheses, for one k."""
    steps = "".join(f"(ite (>= f (/ {i}.0 {k + 1}.0)) (/ {i}.0 {k + 1}.0) " for i in range(k, 0, -1))
    return Goal(
        name=name,
        logic="QF_LRA",
        declare={"f": "Real", "v": "Real"},
        given=("(and (<= 0.0 f) (<= f 1.0))", f"(= v {steps}0.0{')' * k})"),
        then=then,
    )


def error_of_synopsis(values: Values) -> tuple[Fraction, str]:
    """The error of the synopsis of four hypotheses that are right."""
    f = number(values, "f")
    found = Synopsis(consistent(f, 4))(None)
    return abs(found - f), f"f = {f} reads {found}, of five steps"


_AGGREGATION: Final[dict[str, str]] = {
    "T": "(Int) Real",
    "h": "(Int) Bool",
    "f": "Real",
    "s": "Real",
    "i": "Int",
    "k": "Int",
    "e": "Int",
}
_STEP_FOUND: Final = (
    "(and (>= k 1) (> s 0.0) (<= 0.0 f) (<= f 1.0) (<= 0 i) (<= i k))",
    "(and (= (T 0) 0.0) (= (T (+ k 1)) 1.0))",
    "(= (T (+ i 1)) (+ (T i) s))",
    "(and (h 0) (not (h (+ k 1))))",
    "(and (h i) (not (h (+ i 1))))",  # the i that step 4 finds
)


def _right_at(i: str, *but_for: str) -> str:
    """h_i is right, where 1 ≤ i ≤ k and i is none of `but_for`."""
    others = " ".join(f"(not (= {i} {e}))" for e in but_for)
    return f"(=> (and (<= 1 {i}) (<= {i} k) {others}) (= (h {i}) (>= f (T {i}))))"


aggregation = Lemma(
    id="HRS-Fig2.structure.aggregation",
    source=f"{_HRS}, Figure 2, step 4, as its proof needs it: h_0 = 1, h_(k+1) = 0, and a step down",
    statement="t_i for an i with h_i(q) = 1 and h_(i+1)(q) = 0 is within 1/(k + 1) < α/3 of f(q) where all hypotheses "
    "are right about q, and within 2/(k + 1) where one whose threshold is that near is wrong, or both next to f(q) "
    "are, for every k",
    goals=(
        Goal(
            name="all-right",
            logic="QF_UFLIRA",
            declare=_AGGREGATION,
            given=(*_STEP_FOUND, _right_at("i"), _right_at("(+ i 1)")),
            then="(and (<= (T i) f) (<= f (+ (T i) s)))",
        ),
        Goal(
            name="one-wrong",
            logic="QF_UFLIRA",
            declare=_AGGREGATION,
            given=(
                *_STEP_FOUND,
                "(and (<= 1 e) (<= e k))",
                within("f", "(T e)", "s"),
                _right_at("i", "e"),
                _right_at("(+ i 1)", "e"),
            ),
            then=within("f", "(T i)", "(* 2.0 s)"),
        ),
        Goal(
            name="two-wrong",
            logic="QF_UFLIRA",
            declare=_AGGREGATION,
            given=(
                *_STEP_FOUND,
                "(and (<= 1 e) (< e k) (<= (T e) f) (<= f (T (+ e 1))) (= (T (+ e 1)) (+ (T e) s)))",
                _right_at("i", "e", "(+ e 1)"),
                _right_at("(+ i 1)", "e", "(+ e 1)"),
            ),
            then=within("f", "(T i)", "(* 2.0 s)"),
        ),
        Goal(
            name="a-step-down",  # with h_0 = 1 and no step down all are 1, and h_(k+1) is not
            logic="QF_UF",
            declare={"here": "Bool", "next": "Bool"},
            given=("here", "(not (and here (not next)))"),
            then="next",
        ),
        Goal(
            name="near-ones-are-next",  # thresholds within α/7 of f, which is less than a step, are those next to f
            logic="QF_NRA",
            declare=dict.fromkeys(("f", "t", "u", "m", "s"), "Real"),
            given=("(and (> m 0.0) (< m s) (>= (- u t) s))", within("f", "t", "m"), within("f", "u", "m")),
            then="(and (<= t f) (<= f u) (< (- u t) (* 2.0 s)))",
        ),
        Goal(
            name="a-seventh",
            logic="QF_NRA",
            declare=dict.fromkeys(("a", "k", "s"), "Real"),
            given=(
                "(and (> a 0.0) (<= a 1.0) (< (* a k) (+ 3.0 a)) (> k 0.0))",
                "(= (* s (+ k 1.0)) 1.0)",
            ),
            then="(< (/ a 7.0) s)",
        ),
        Goal(
            name="apart",
            logic="QF_NRA",
            declare=dict.fromkeys(("a", "k", "s"), "Real"),
            given=("(> a 0.0)", "(<= 3.0 (* a k))", "(> k 0.0)", "(= (* s (+ k 1.0)) 1.0)"),
            then="(< s (/ a 3.0))",
        ),
    ),
    example=Instance(goal=_aggregated("four", 4, "true"), terms=("f",), where=("(> v 0.0)", "(< v f)", "(< f 1.0)")),
    replay=lambda values: (error_of_synopsis(values)[0] <= Fraction(1, 5), error_of_synopsis(values)[1]),
    mutants=(
        Mutant(
            change="within 1/(2(k + 1))",
            instance=Instance(goal=_aggregated("four", 4, "(<= (- f v) (/ 1.0 10.0))"), terms=("f",)),
            replay=lambda values: (error_of_synopsis(values)[0] <= Fraction(1, 10), error_of_synopsis(values)[1]),
        ),
    ),
)


def _step_up(name: str, k: int, then: str) -> Goal:
    """The printed rule's value v for right hypotheses: t_1 where f ≥ t_1, and else t_(k+1) = 1."""
    first = f"(/ 1.0 {k + 1}.0)"
    return Goal(
        name=name,
        logic="QF_LRA",
        declare={"f": "Real", "v": "Real"},
        given=("(and (<= 0.0 f) (<= f 1.0))", f"(= v (ite (>= f {first}) {first} 1.0))"),
        then=then,
    )


def error_as_printed(values: Values) -> tuple[bool, str]:
    """Whether step 4 as printed is within α = 1/10 of f, for thirty hypotheses that are right."""
    f = number(values, "f")
    found = SynopsisAsPrinted(consistent(f, 30))(None)
    return abs(found - f) <= Fraction(1, 10), f"f = {f} reads {found}"


aggregation_as_printed = Lemma(
    id="HRS-Fig2.structure.aggregation-printed",
    source=f"{_HRS}, Figure 2, step 4: the smallest i with h_i(q) = 1 and h_(i−1)(q) = 0, h_0 = 0, h_(k+1) = 1",
    statement="at α = 1/10, k = 30, t_i for that i is within α of f(q) where all hypotheses are right about q",
    goals=(_step_up("error", 30, within("f", "v", "(/ 1.0 10.0)")),),
    example=Instance(goal=_step_up("error", 30, "true"), terms=("f",), where=("(= (* 10.0 f) 1.0)",)),
    replay=error_as_printed,
    mutants=(
        Mutant(
            change="for shares up to 1/2",
            instance=Instance(
                goal=_step_up("error", 30, f"(=> (<= f (/ 1.0 2.0)) {within('f', 'v', '(/ 1.0 10.0)')})"), terms=("f",)
            ),
            replay=error_as_printed,
        ),
    ),
    expected=Status.REFUTED,
    scope="α = 1/10: one refutation is enough",
    terms=("f",),
    note="it looks for a step up, and 1{f(q) ≥ t_i} steps down as i grows; `aggregation` is what the proof needs",
)


# Chebyshev polynomials C_r(x), with w = x² − 1 and U of the second kind: C_(r+1) = x·C_r + w·U_r and
# U_(r+1) = C_r + x·U_r.

_PELL: Final = dict.fromkeys(("x", "w", "C", "U"), "Real")
_DEFINED: Final = "(= (* x x) (+ w 1.0))"
_PELL_HOLDS: Final = "(= (- (* C C) (* w (* U U))) 1.0)"
_NEXT_C: Final = "(+ (* x C) (* w U))"
_NEXT_U: Final = "(+ C (* x U))"
_GROWING: Final = dict.fromkeys(("m", "r", "C", "U", "P", "R"), "Real")


def _second_degree(name: str, bound: str) -> Goal:
    """s(j) at k = 2, ε = 1/2, where r = 2 and e = 1: C_2(x) = 2x² − 1 at x = 3j/4, by C_2(3/2) = 7/2."""
    return Goal(
        name=name,
        logic="QF_LIRA",
        declare={"j": "Int", "y": "Real"},
        given=("(and (<= 0 j) (<= j 1))", "(= y (ite (= j 0) (/ (- 2.0) 7.0) (/ 1.0 28.0)))"),
        then=f"(and (<= y {bound}) (<= (- y) {bound}))",
    )


def drop(values: Values) -> tuple[Fraction, str]:
    """|s(j)| at k = 2 and ε = 1/2."""
    j = whole_number(values, "j")
    s = dropping_polynomial(2, Fraction(1, 2))
    assert s(2) == 1
    return abs(s(j)), f"k = 2, ε = 1/2: s({j}) = {s(j)}"


chebyshev = Lemma(
    id="HRS-5.4.structure.chebyshev",
    source=f"{_HRS}, Claim 5.4 and (14), with log to base 2",
    statement="s(k) = 1 and |s(j)| ≤ 2^(−e) for 0 ≤ j < k, where s = (C_r((j/k)(1 + 1/k))/C_r(1 + 1/k))^e and r ≥ √k, "
    "for every k, r and e",
    goals=(
        Goal(
            name="pell-base",
            logic="QF_NRA",
            declare=_PELL,
            given=("(and (= C 1.0) (= U 0.0))", _DEFINED),
            then=_PELL_HOLDS,
        ),
        Goal(
            name="pell-identity",  # C_(r+1)² − w·U_(r+1)² = (x² − w)·(C_r² − w·U_r²)
            logic="QF_NRA",
            declare=_PELL,
            then=f"(= (- (* {_NEXT_C} {_NEXT_C}) (* w (* {_NEXT_U} {_NEXT_U}))) "
            "(* (- (* x x) w) (- (* C C) (* w (* U U)))))",
        ),
        Goal(
            name="pell-step",
            logic="QF_NRA",
            declare=_PELL | {"y": "Real", "after": "Real"},
            given=(_DEFINED, "(= y 1.0)", "(= after (* (- (* x x) w) y))"),  # y = C_r² − w·U_r²
            then="(= after 1.0)",
        ),
        Goal(
            name="recurrence",  # C_(r+1) = 2x·C_r − C_(r−1), which defines C
            logic="QF_NRA",
            declare=_PELL | {"D": "Real", "V": "Real"},
            given=(_DEFINED, "(= D (+ (* x C) (* w U)))", "(= V (+ C (* x U)))"),
            then="(= (+ (* x D) (* w V)) (- (* 2.0 (* x D)) C))",
        ),
        Goal(
            name="at-most-1",  # on [−1, 1]
            logic="QF_NRA",
            declare=_PELL,
            given=(_DEFINED, _PELL_HOLDS, "(and (<= (- 1.0) x) (<= x 1.0))"),
            then="(and (<= C 1.0) (<= (- 1.0) C))",
        ),
        Goal(
            name="growth-base",  # C_r(1 + μ) ≥ 1 + r²μ and U_r ≥ r, at r = 0
            logic="QF_NRA",
            declare=_GROWING,
            given=("(and (= C 1.0) (= U 0.0) (= r 0.0) (>= m 0.0))",),
            then="(and (>= C (+ 1.0 (* r (* r m)))) (>= U r))",
        ),
        Goal(
            name="growth-products",  # of the two inequalities with what they are multiplied by, both ≥ 0
            logic="QF_NRA",
            declare=dict.fromkeys(("a", "b", "c"), "Real"),
            given=("(and (>= a b) (>= c 0.0))",),
            then="(>= (* a c) (* b c))",
        ),
        Goal(
            name="growth-step",  # P = C·μ and R = U·(2μ + μ²), for which the goal before gives lower bounds
            logic="QF_NRA",
            declare=_GROWING,
            given=(
                "(and (>= m 0.0) (>= r 0.0))",
                "(and (>= C (+ 1.0 (* r (* r m)))) (>= U r))",
                "(>= P (* (+ 1.0 (* r (* r m))) m))",
                "(>= R (* r (+ (* 2.0 m) (* m m))))",
            ),
            then="(and (>= (+ C P R) (+ 1.0 (* (+ r 1.0) (* (+ r 1.0) m)))) (>= (+ C U) (+ r 1.0)))",
        ),
        Goal(
            name="growth-of-u",  # U_(r+1) = C + x·U is at least C + U
            logic="QF_NRA",
            declare=dict.fromkeys(("U", "m", "x", "r"), "Real"),
            given=("(and (>= U r) (>= r 0.0) (>= m 0.0) (= x (+ 1.0 m)))",),
            then="(>= (* x U) U)",
        ),
        Goal(
            name="growth-of-w",
            logic="QF_NRA",
            declare=dict.fromkeys(("x", "w", "m"), "Real"),
            given=(_DEFINED, "(= x (+ 1.0 m))"),
            then="(= w (+ (* 2.0 m) (* m m)))",
        ),
        Goal(
            name="at-k-step",  # s(k): each factor is C_r(1 + 1/k) over itself
            logic="QF_NRA",
            declare=dict.fromkeys(("b", "y", "p"), "Real"),
            given=("(and (>= b 2.0) (= (* y b) b) (= p 1.0))",),
            then="(= (* p y) 1.0)",
        ),
        Goal(
            name="at-least-2",  # at μ = 1/k, where r² ≥ k
            logic="QF_NRA",
            declare=dict.fromkeys(("k", "m", "r"), "Real"),
            given=("(and (>= k 1.0) (= (* k m) 1.0) (>= (* r r) k) (>= m 0.0))",),
            then="(>= (+ 1.0 (* (* r r) m)) 2.0)",
        ),
        Goal(
            name="inside",  # (j/k)(1 + 1/k) ≤ 1 for j ≤ k − 1, with x = j/k
            logic="QF_NRA",
            declare=dict.fromkeys(("k", "m", "x", "j"), "Real"),
            given=("(and (>= k 1.0) (= (* k m) 1.0) (> m 0.0) (<= 0.0 j) (<= j (- k 1.0)) (= x (* j m)))",),
            then="(and (<= 0.0 (* x (+ 1.0 m))) (<= (* x (+ 1.0 m)) 1.0))",
        ),
        Goal(
            name="power-step",  # |p| ≤ h, |c| ≤ 1 and b ≥ 2 give |p·c/b| ≤ h/2; y = c/b
            logic="QF_NRA",
            declare=dict.fromkeys(("p", "h", "c", "b", "y"), "Real"),
            given=(
                "(and (<= p h) (<= (- p) h))",
                "(and (<= c 1.0) (<= (- 1.0) c) (>= b 2.0) (= (* y b) c))",
            ),
            then="(and (<= (* p y) (/ h 2.0)) (<= (- (* p y)) (/ h 2.0)))",
        ),
    ),
    example=Instance(goal=_second_degree("k-2", "(/ 1.0 2.0)"), terms=("j",), where=("(not (= y 0.0))",)),
    replay=lambda values: (drop(values)[0] <= Fraction(1, 2), drop(values)[1]),
    mutants=(
        Mutant(
            change="|s(j)| ≤ ε/2",
            instance=Instance(goal=_second_degree("k-2", "(/ 1.0 4.0)"), terms=("j",)),
            replay=lambda values: (drop(values)[0] <= Fraction(1, 4), drop(values)[1]),
        ),
    ),
    note="a proof of what the paper takes from the literature, by C² − (x² − 1)·U² = 1; the suite computes s exactly "
    "for k up to 400 besides",
)


# Lemma 5.3: A(q) = Σ A_u(q), where A_u is 1 for the J rows that meet q, and within 1/(3n) of 0 for the others.


def _two_rows(then: str) -> Goal:
    """Row 11, and one that lacks a of the attributes of q = 11; k = 2, where s(k − a) is 1, (1/28)³ or (−2/7)³."""
    return Goal(
        name="two-rows",
        logic="QF_LIRA",
        declare={"a": "Int", "A": "Real"},
        given=(
            "(and (<= 0 a) (<= a 2))",
            "(= A (+ 1.0 (ite (= a 0) 1.0 (ite (= a 1) (/ 1.0 21952.0) (/ (- 8.0) 343.0)))))",
        ),
        then=then,
    )


def value_of_two_rows(values: Values) -> tuple[Fraction, str]:
    """A(11) of the implementation, at t = 1/2 for two rows, where ⌈tn⌉ = 1."""
    rows = (3, (3, 1, 0)[whole_number(values, "a")])
    found = sparse_threshold_polynomial(rows, t=Fraction(1, 2), d=2, k=2).value(3) + Fraction(1, 2)
    return found, f"rows 11 and {rows[1]:02b}: A(11) = {found}"


sign_representation = Lemma(
    id="HRS-5.3.structure.sign",
    source=f"{_HRS}, Corollary 5.5 and the proof of Lemma 5.3",
    statement="A(q) − (⌈tn⌉ − 1/2) has the sign of f_t at every q of at most k attributes, for every n, t and k",
    goals=(
        Goal(
            name="sum-base",
            logic="QF_LRA",
            declare=dict.fromkeys(("A", "J", "err"), "Real"),
            given=("(and (= A 0.0) (= J 0.0) (= err 0.0))",),
            then=within("A", "J", "err"),
        ),
        Goal(
            name="sum-step",  # one row u more, which meets q or not
            logic="QF_LRA",
            declare=dict.fromkeys(("A", "J", "err", "Au", "eps"), "Real") | {"meets": "Bool"},
            given=(
                "(>= eps 0.0)",
                within("A", "J", "err"),
                f"(ite meets (= Au 1.0) {within('Au', '0.0', 'eps')})",
            ),
            then=within("(+ A Au)", "(+ J (ite meets 1.0 0.0))", "(+ err eps)"),
        ),
        Goal(
            name="errors-together",  # of n rows, 1/(3n) each
            logic="QF_NRA",
            declare=dict.fromkeys(("n", "eps"), "Real"),
            given=("(and (>= n 1.0) (= (* 3.0 (* n eps)) 1.0))",),
            then="(= (* n eps) (/ 1.0 3.0))",
        ),
        Goal(
            name="threshold",  # f_t(q) = 1 where J/n ≥ t, that is J ≥ ⌈tn⌉ = c
            logic="QF_LIRA",
            declare={"J": "Int", "c": "Int", "tn": "Real"},
            given=("(and (>= (to_real c) tn) (< (- (to_real c) 1.0) tn))",),
            then="(= (>= (to_real J) tn) (>= J c))",
        ),
        Goal(
            name="sign",
            logic="QF_LIRA",
            declare={"A": "Real", "J": "Int", "c": "Int"},
            given=(within("A", "(to_real J)", "(/ 1.0 3.0)"),),
            then="(= (>= (- A (- (to_real c) (/ 1.0 2.0))) 0.0) (>= J c))",
        ),
    ),
    example=Instance(goal=_two_rows("true"), terms=("a",), where=("(= a 1)",)),
    replay=lambda values: (value_of_two_rows(values)[0] >= Fraction(1, 2), value_of_two_rows(values)[1]),
    mutants=(
        Mutant(
            change="the sign of A(q) − ⌈tn⌉",
            instance=Instance(goal=_two_rows("(>= A 1.0)"), terms=("a",)),
            replay=lambda values: (value_of_two_rows(values)[0] >= 1, value_of_two_rows(values)[1]),
        ),
    ),
)

LEMMAS: Final = (
    near_as_printed,
    near,
    aggregation_as_printed,
    aggregation,
    chebyshev,
    sign_representation,
)
