"""Structure of PrivLearn: the thresholds that are near a value, and what it makes of its hypotheses."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from dpverify.mechanisms.release.private_release import Synopsis, SynopsisAsPrinted, thresholds_for
from dpverify.verifiers.structure.formulas import number_value, within
from dpverify.verifiers.structure.rows import FalseVariant, Goal, PaperLemmas, Values, goal, instance, judged

lemma: Final = PaperLemmas("HRS-", "Hardt, Rothblum & Servedio, ")


# How many thresholds i/(k + 1), k = ⌈3/α⌉, are within α/7 of a value.
def _near(name: str, largest: str, *, whole: bool) -> Goal:
    """No two thresholds t < t′ are within α/7 of f; a whole k matters where there are such."""
    k = "(to_real k)" if whole else "k"
    return goal(
        name,
        "QF_NIRA" if whole else "QF_NRA",
        {"a": "Real", "k": "Int" if whole else "Real", "s": "Real", "f": "Real", "t": "Real", "u": "Real"},
    ).given(
        f"(and (> a 0.0) (<= a {largest}))",
        f"(and (<= 3.0 (* a {k})) (< (* a {k}) (+ 3.0 a)))",  # k = ⌈3/α⌉
        f"(= (* s (+ {k} 1.0)) 1.0)",
        "(>= (- u t) s)" if not whole else "(and (= t s) (= u (* 2.0 s)))",
        then="(not (and (< (- f t) (/ a 7.0)) (< (- t f) (/ a 7.0)) (< (- f u) (/ a 7.0)) (< (- u f) (/ a 7.0))))",
    )


def thresholds_near(values: Values) -> tuple[bool, str]:
    """True where at most one threshold that PrivLearn uses is within α/7 of f."""
    alpha, f = number_value(values, "a"), number_value(values, "f")
    k = thresholds_for(alpha)
    near = [i for i in range(1, k + 1) if abs(f - Fraction(i, k + 1)) < alpha / 7]
    shown = " and ".join(f"{i}/{k + 1}" for i in near) or "none"
    return len(near) <= 1, f"α = {alpha}, k = {k}: within α/7 of f = {f} are {shown}"


_ONE_NEAR: Final = instance(
    _near("near", "(/ 1.0 4.0)", whole=True),
    ("a", "f"),
    "(< (- f t) (/ a 7.0))",
    "(< (- t f) (/ a 7.0))",
    "(= (* 4.0 a) 1.0)",
)
_TWO_FIFTHS: Final = FalseVariant("α ≤ 2/5", _near("near", "(/ 2.0 5.0)", whole=True))
as_printed = lemma("4.9.structure.one-threshold-near-printed", "the proof of Claim 4.9: thresholds are α/3 apart").says(
    "at most one of the thresholds i/(k + 1), k = ⌈3/α⌉, is within α/7 of a value, for every α ≤ 1",
    _near("near", "1.0", whole=True),
    _TWO_FIFTHS,
    example=_ONE_NEAR,
    replay=thresholds_near,
    terms=("a", "f"),
    note="thresholds are 1/(k + 1) < α/3 apart; Claim 4.9 holds all the same with the rule of `aggregation`, by which "
    "two wrong neighbours cost no more than one",
    proof_step="The claim holds all the same, by the rule of `aggregation`.",
)
near = lemma("4.9.structure.one-threshold-near", "the proof of Claim 4.9").says(
    "at most one of the thresholds i/(k + 1), k = ⌈3/α⌉, is within α/7 of a value, for every α ≤ 1/4",
    _near("near", "(/ 1.0 4.0)", whole=False),
    _TWO_FIFTHS,
    example=_ONE_NEAR,
    replay=thresholds_near,
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
    return goal(name, "QF_LRA", "f v: Real").given(
        "(and (<= 0.0 f) (<= f 1.0))", f"(= v {steps}0.0{')' * k})", then=then
    )


def error_of_synopsis(values: Values) -> tuple[Fraction, str]:
    """The error of the synopsis of four hypotheses that are right."""
    f = number_value(values, "f")
    found = Synopsis(consistent(f, 4))(None)
    return abs(found - f), f"f = {f} reads {found}, of five steps"


_AGGREGATION: Final = "T: (Int) Real, h: (Int) Bool, f s: Real, i k e: Int"
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


aggregation = lemma(
    "Fig2.structure.aggregation", "Figure 2, step 4, as its proof needs it: h_0 = 1, h_(k+1) = 0, and a step down"
).says(
    "t_i for an i with h_i(q) = 1 and h_(i+1)(q) = 0 is within 1/(k + 1) < α/3 of f(q) where all hypotheses are right "
    "about q, and within 2/(k + 1) where one whose threshold is that near is wrong, or both next to f(q) are, for "
    "every k",
    goal("all-right", "QF_UFLIRA", _AGGREGATION).given(
        *_STEP_FOUND, _right_at("i"), _right_at("(+ i 1)"), then="(and (<= (T i) f) (<= f (+ (T i) s)))"
    ),
    goal("one-wrong", "QF_UFLIRA", _AGGREGATION).given(
        *_STEP_FOUND,
        "(and (<= 1 e) (<= e k))",
        within("f", "(T e)", "s"),
        _right_at("i", "e"),
        _right_at("(+ i 1)", "e"),
        then=within("f", "(T i)", "(* 2.0 s)"),
    ),
    goal("two-wrong", "QF_UFLIRA", _AGGREGATION).given(
        *_STEP_FOUND,
        "(and (<= 1 e) (< e k) (<= (T e) f) (<= f (T (+ e 1))) (= (T (+ e 1)) (+ (T e) s)))",
        _right_at("i", "e", "(+ e 1)"),
        _right_at("(+ i 1)", "e", "(+ e 1)"),
        then=within("f", "(T i)", "(* 2.0 s)"),
    ),
    # with h_0 = 1 and no step down all are 1, and h_(k+1) is not
    goal("a-step-down", "QF_UF", "here next: Bool").given("here", "(not (and here (not next)))", then="next"),
    # thresholds within α/7 of f, which is less than a step, are those next to f
    goal("near-ones-are-next", "QF_NRA", "f t u m s: Real").given(
        "(and (> m 0.0) (< m s) (>= (- u t) s))",
        within("f", "t", "m"),
        within("f", "u", "m"),
        then="(and (<= t f) (<= f u) (< (- u t) (* 2.0 s)))",
    ),
    goal("a-seventh", "QF_NRA", "a k s: Real").given(
        "(and (> a 0.0) (<= a 1.0) (< (* a k) (+ 3.0 a)) (> k 0.0))", "(= (* s (+ k 1.0)) 1.0)", then="(< (/ a 7.0) s)"
    ),
    goal("apart", "QF_NRA", "a k s: Real").given(
        "(> a 0.0)", "(<= 3.0 (* a k))", "(> k 0.0)", "(= (* s (+ k 1.0)) 1.0)", then="(< s (/ a 3.0))"
    ),
    FalseVariant(
        "within 1/(2(k + 1))",
        _aggregated("four", 4, "(<= (- f v) (/ 1.0 10.0))"),
        judged(error_of_synopsis, lambda error: error <= Fraction(1, 10)),
    ),
    example=instance(_aggregated("four", 4, "true"), ("f",), "(> v 0.0)", "(< v f)", "(< f 1.0)"),
    replay=judged(error_of_synopsis, lambda error: error <= Fraction(1, 5)),
)


def _step_up(name: str, k: int, then: str) -> Goal:
    """The printed rule's value v for right hypotheses: t_1 where f ≥ t_1, and else t_(k+1) = 1."""
    first = f"(/ 1.0 {k + 1}.0)"
    return goal(name, "QF_LRA", "f v: Real").given(
        "(and (<= 0.0 f) (<= f 1.0))", f"(= v (ite (>= f {first}) {first} 1.0))", then=then
    )


def error_as_printed(values: Values) -> tuple[bool, str]:
    """True where step 4 as printed is within α = 1/10 of f, for thirty hypotheses that are right."""
    f = number_value(values, "f")
    found = SynopsisAsPrinted(consistent(f, 30))(None)
    return abs(found - f) <= Fraction(1, 10), f"f = {f} reads {found}"


aggregation_as_printed = lemma(
    "Fig2.structure.aggregation-printed",
    "Figure 2, step 4: the smallest i with h_i(q) = 1 and h_(i−1)(q) = 0, h_0 = 0, h_(k+1) = 1",
).says(
    "at α = 1/10, k = 30, t_i for that i is within α of f(q) where all hypotheses are right about q",
    _step_up("error", 30, within("f", "v", "(/ 1.0 10.0)")),
    FalseVariant(
        "for shares up to 1/2", _step_up("error", 30, f"(=> (<= f (/ 1.0 2.0)) {within('f', 'v', '(/ 1.0 10.0)')})")
    ),
    example=instance(_step_up("error", 30, "true"), ("f",), "(= (* 10.0 f) 1.0)"),
    replay=error_as_printed,
    terms=("f",),
    scope="α = 1/10: one refutation is enough",
    note="it looks for a step up, and 1{f(q) ≥ t_i} steps down as i grows; `aggregation` is what the proof needs",
    of_the_statement="To the letter it looks for a step up; what it means holds.",
)
