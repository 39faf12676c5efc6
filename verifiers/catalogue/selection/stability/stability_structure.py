"""Structure of A_dist and of the choosing mechanism: its gap; bounded growth, and the facts in the proof of privacy."""

from collections import Counter
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.drawing.enumerator import distribution
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.enclosure import decimal
from dpverify.mechanisms.selection.choosing import choosing_mechanism
from dpverify.mechanisms.selection.stability import best_and_gap
from dpverify.verifiers.catalogue.selection.large_margin_structure import SCORES_OF_BOTH, order_instance, scores
from dpverify.verifiers.structure.formulas import number_value, whole_value, within
from dpverify.verifiers.structure.rows import FalseVariant, Goal, PaperLemmas, Values, goal, instance, judged

lemma: Final = PaperLemmas("BNS-J-", "Beimel, Nissim & Stemmer, journal version, ")


# Bounded growth: a row more raises qualities by at most 1, and those of at most k solutions.
def _grown(bound: str) -> Goal:
    return goal("grown", "QF_LRA", "common with_x with_y: Real").given(
        "(and (<= common with_x) (<= with_x (+ common 1.0)))",  # q(D) for the common rows D, and q(D ∪ {x})
        "(and (<= common with_y) (<= with_y (+ common 1.0)))",
        then=within("with_x", "with_y", bound),
    )


def _replaced(bound: str) -> Goal:
    return goal("three-rows", "QF_UFLIA", "row: (Int) Int, y: Int").given(
        *(f"(and (<= 0 (row {i})) (<= (row {i}) 2))" for i in range(3)),
        "(and (<= 0 y) (<= y 2))",
        then=within(
            "(* 2 (+ (ite (= (row 0) 0) 1 0) (ite (= (row 1) 0) 1 0) (ite (= (row 2) 0) 1 0)))",
            "(* 2 (+ (ite (= (row 0) 0) 1 0) (ite (= (row 1) 0) 1 0) (ite (= y 0) 1 0)))",
            bound,
        ),
    )


def count_moves(values: Values) -> tuple[int, str]:
    """The change of the number of rows that are 0 where the last row is replaced by y."""
    rows = [whole_value(values, f"(row {i})") for i in range(3)]
    other = [*rows[:2], whole_value(values, "y")]
    return abs(Counter(rows)[0] - Counter(other)[0]), f"#0 of {rows} and of {other}"


growth_sensitivity = lemma("4.2.structure.sensitivity", "Section 4.1, before Example 4.3").says(
    "a quality of k-bounded growth has sensitivity 1, for every k, when a row is replaced",
    _grown("1.0"),
    FalseVariant("sensitivity 1/2", _replaced("1"), judged(count_moves, lambda moved: 2 * moved <= 1)),
    example=instance(
        _replaced("2"), ("(row 0)", "(row 1)", "(row 2)", "y"), "(= (row 2) 0)", "(not (= y 0))", "(= (row 0) 0)"
    ),
    replay=judged(count_moves, lambda moved: moved <= 1),
)


def _counts_of_points(name: str, then: str) -> Goal:
    return goal(name, "QF_UFLIA", "q q_after: (Int) Int, x a b: Int").given(
        *(f"(= (q_after {s}) (+ (q {s}) (ite (= {s} x) 1 0)))" for s in "ab"), then=then
    )


def points_that_rise(values: Values) -> tuple[int, str]:
    """The number of the points a and b that occur more often once the row x is added to none."""
    a, b, x = (whole_value(values, name) for name in "abx")
    return len({s for s in (a, b) if Counter([x])[s] > 0}), f"a row {x}, and the points {a} and {b}"


growth_of_points = lemma("4.3.structure.points", "Example 4.3").says(
    "the number of rows equal to a, as a quality of a, has 1-bounded growth",
    _counts_of_points("by-one", "(and (<= (q a) (q_after a)) (<= (q_after a) (+ (q a) 1)))"),
    _counts_of_points("one-solution", "(=> (and (> (q_after a) (q a)) (> (q_after b) (q b))) (= a b))"),
    FalseVariant(
        "0-bounded growth",
        _counts_of_points("no-solution", "(= (q_after a) (q a))"),
        judged(points_that_rise, lambda number: number == 0),
    ),
    example=instance(_counts_of_points("one-solution", "true"), ("a", "b", "x"), "(= a x)", "(distinct a b)"),
    replay=judged(points_that_rise, lambda number: number <= 1),
)


# The proof of Lemma 4.4, with u = e^(ε/4) and X = Σ u^q(S, h) over the h with q(S, h) ≥ 1.
def _few_rows(name: str, zeros: int, then: str) -> Goal:
    """`zeros` rows 0 and one row 1, at u = 2 and k = 1."""
    return goal(name, "QF_LRA", "zeros p d: Real").given(
        f"(= zeros {zeros}.0)", "(and (> d 0.0) (< d 1.0))", f"(= (* p {2**zeros + 2}.0) 2.0)", then=then
    )


def a_new_solution(values: Values) -> tuple[bool, str]:
    """True where a solution that S′ does not have is chosen on S with probability at most δ, for k = 1 and ε = 4·ln 2.

    S has rows 0 and one row 1, S′ one row 0 more in place of that; at α = 1/4 the test is passed at least half of the
    time, as the best quality is above αm/2.
    """
    zeros, delta = whole_value(values, "zeros"), number_value(values, "d")
    given: dict[str, Any] = {"rows": zeros + 1, "alpha": Fraction(1, 4), "epsilon": 4 * log(2)}
    chosen = distribution(choosing_mechanism, (zeros, 1), **given).probability(1)  # of qualities of 0 and 1
    words = f"{zeros} rows 0 and a row 1, which is chosen with probability {decimal(chosen)}, δ = {delta}"
    return bool(chosen <= delta), words


choosing = lemma("4.4.structure.facts", "Facts 1 to 3 in the proof of Lemma 4.4").says(
    "where some solution has quality ≥ αm/4 (Case b), Facts 1, 2 and 3 hold, for every k, ε and δ, once "
    "m ≥ (16/(αε))·max{ε/4 + ln(k/δ), ln(4k/ε)}",
    # m ≥ (16/(αε))·(ε/4 + ln(k/δ)) makes (ε/4)·(αm/4) at least ε/4 + ln(k/δ)
    goal("exponent", "QF_LRA", "alpha_epsilon_m epsilon ln_k_delta: Real").given(
        "(>= alpha_epsilon_m (* 16.0 (+ (/ epsilon 4.0) ln_k_delta)))",
        then="(>= (/ alpha_epsilon_m 16.0) (+ (/ epsilon 4.0) ln_k_delta))",
    ),
    # m ≥ (16/(αε))·ln(4k/ε) makes (ε/4)·(αm/4) at least ln(4k/ε)
    goal("exponent-of-fact-3", "QF_LRA", "alpha_epsilon_m ln_4k_epsilon: Real").given(
        "(>= alpha_epsilon_m (* 16.0 ln_4k_epsilon))", then="(>= (/ alpha_epsilon_m 16.0) ln_4k_epsilon)"
    ),
    # X is at least its term of f̂, u^q(S, f̂) = exp((ε/4)·q(S, f̂)), as all terms are ≥ 0
    goal("largest-term", "QF_LRA", "X others term least: Real").given(
        "(and (= X (+ term others)) (>= others 0.0) (>= term least))", then="(>= X least)"
    ),
    # f in G(S′) and not in G(S): the row that is new raises it, to 1; so at most k are new
    goal("new-solutions", "QF_LIA", "on_common on_s on_s_after: Int").given(
        "(and (>= on_common 0) (<= on_common on_s) (<= on_common on_s_after) (<= on_s_after (+ on_common 1)))",
        "(and (< on_s 1) (>= on_s_after 1))",
        then="(and (= on_s_after 1) (> on_s_after on_common))",
    ),
    goal("fact-1", "QF_NRA", "u X p k d: Real").given(
        "(and (> u 1.0) (> X 0.0) (>= k 1.0) (> d 0.0))",
        "(= (* p X) u)",  # q(S, f) = 1, so that f is chosen with probability u/X
        "(>= (* X d) (* k u))",  # X ≥ exp((ε/4)·(αm/4)) ≥ u·k/δ, by the exponents
        then="(<= (* p k) d)",
    ),
    # Pr[A(S) ≠ ⊥]·u^q(S, f) ≤ u²·Pr[A(S′) ≠ ⊥]·u^q(S′, f)
    goal("fact-2-numerator", "QF_NRA", "u n n_after w w_after: Real").given(
        "(and (> u 1.0) (>= n 0.0) (>= n_after 0.0) (>= w 0.0) (>= w_after 0.0))",
        "(<= n (* u n_after))",
        "(<= w (* u w_after))",
        then="(<= (* n w) (* (* u n_after) (* u w_after)))",
    ),
    # with Fact 3, X′ ≤ u²·X: the probabilities are a/X and b/X′
    goal("fact-2", "QF_NRA", "u v a b X X_after: Real").given(
        "(and (> u 1.0) (= v (* u u)) (>= a 0.0) (>= b 0.0) (> X 0.0) (> X_after 0.0))",
        "(<= a (* v b))",
        "(<= X_after (* v X))",
        then="(<= (* a X_after) (* (* v b) (* v X)))",
    ),
    goal("fact-3-enough", "QF_NRA", "u X k e: Real").given(  # X·(u − 1) ≥ k, as X ≥ 4k/ε and u ≥ 1 + ε/4
        "(and (> e 0.0) (>= k 1.0))",
        "(>= (* X e) (* 4.0 k))",
        "(>= u (+ 1.0 (/ e 4.0)))",
        "(> X 0.0)",
        then="(>= (* X (- u 1.0)) k)",
    ),
    goal("fact-3-both-base", "QF_NRA", "u both sum: Real").given(
        "(and (= both 0.0) (= sum 0.0))", then="(<= both (* u sum))"
    ),
    # over the h in G(S), of which those in G(S′) count: u^q(S′, h) ≤ u·u^q(S, h)
    goal("fact-3-both-step", "QF_NRA", "u both sum term term_after: Real, in_both: Bool").given(
        "(> u 1.0)",
        "(>= term 0.0)",
        "(<= term_after (* u term))",
        "(<= both (* u sum))",
        then="(<= (+ both (ite in_both term_after 0.0)) (* u (+ sum term)))",
    ),
    # over the solutions that are new: each has the term u^1
    goal("fact-3-new-step", "QF_NRA", "u new count: Real").given(
        "(and (> u 1.0) (>= count 0.0))", "(<= new (* count u))", then="(<= (+ new u) (* (+ count 1.0) u))"
    ),
    goal("fact-3", "QF_NRA", "u X k new both: Real").given(
        "(and (> u 1.0) (> X 0.0) (>= k 1.0))",
        "(<= new (* k u))",  # at most k solutions are new in S′, with quality 1
        "(<= both (* u X))",
        "(>= (* X (- u 1.0)) k)",
        then="(<= (+ new both) (* u (* u X)))",
    ),
    FalseVariant("Fact 1 without a bound on m", _few_rows("two-zeros", 2, "(<= p (* 2.0 d))")),
    example=instance(_few_rows("many-zeros", 96, "true"), ("zeros", "d"), "(= (* d 32.0) 1.0)"),
    replay=a_new_solution,
    note="taken as given: exp rises, e^x ≥ 1 + x, and Pr[A(S) ≠ ⊥] ≤ e^(ε/4)·Pr[A(S′) ≠ ⊥], the Laplace mechanism",
)


# A_dist: the gap that its threshold is for.
def gap_moves(values: Values) -> tuple[Fraction, str]:
    """The change of the gap that A_dist computes."""
    f, g, words = scores(values)
    gaps = [Fraction(str(best_and_gap(quality)[1])) for quality in (f, g)]
    return abs(gaps[0] - gaps[1]), f"{words} have gaps {gaps[0]} and {gaps[1]}"


gap = lemma(
    "2.26.structure.gap", "Section 2.5.3 and Proposition 2.26; as printed the noise is that of sensitivity 1"
).says(
    "the gap between the best and the second best of scores of sensitivity 1 has sensitivity 2",
    # order statistics
    goal("gap", "QF_LRA", "best_f best_g second_f second_g: Real").given(
        within("best_f", "best_g", "1.0"),
        within("second_f", "second_g", "1.0"),
        then=within("(- best_f second_f)", "(- best_g second_g)", "2.0"),
    ),
    FalseVariant(
        "sensitivity 1",
        order_instance(within("(- (f 0) (f 1))", "(- (g 0) (g 1))", "1")),
        judged(gap_moves, lambda moved: moved <= 1),
    ),
    example=instance(order_instance("true"), SCORES_OF_BOTH, "(= (- (f 0) (f 1)) (+ (- (g 0) (g 1)) 2))"),
    replay=judged(gap_moves, lambda moved: moved <= 2),
    note="what A_dist as printed takes for 1 is 2, when a row is replaced",
)
