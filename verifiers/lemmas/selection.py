"""Lemmas about order statistics, gaps and margins, and about qualities of bounded growth."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Final

from dpverify.mechanisms.exact.elementary import log
from dpverify.mechanisms.exact.enclosure import decimal
from dpverify.mechanisms.laws.enumerator import distribution
from dpverify.mechanisms.sanitizers.thresholds_sanitizer import interval_counts
from dpverify.mechanisms.selection.choosing import choosing_mechanism
from dpverify.mechanisms.selection.large_margin import margin_condition
from dpverify.mechanisms.selection.stability import best_and_gap
from dpverify.verifiers.structure.formulas import number, shown, whole_number, within
from dpverify.verifiers.structure.lemma import Goal, Instance, Lemma, Mutant, Values

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"
_CHS: Final = "Chaudhuri, Hsu & Song"


# Order statistics of scores f on D and g on a neighbour D′, which differ by at most 1 in each item.

_FG: Final = tuple(f"({name} {i})" for name in "fg" for i in range(3))
_SCORES: Final = (
    *(within(f"(f {i})", f"(g {i})", "1") for i in range(3)),
    *(f"(and (<= 0 {term}) (<= {term} 9))" for term in _FG),
)
_SORTED: Final = (
    # both in falling order: without loss for f, and a case among others for g
    *(f"(>= ({name} {i}) ({name} {i + 1}))" for name in "fg" for i in range(2)),
)


def scores(values: Values) -> tuple[list[Fraction], list[Fraction], str]:
    """The scores of three items on both databases."""
    f, g = ([number(values, f"({name} {i})") for i in range(3)] for name in "fg")
    return f, g, f"scores {shown(f)} and {shown(g)}"


def second_best_moves_by_at_most(values: Values, bound: Fraction) -> tuple[bool, str]:
    """Whether the second best score, the best less the gap, moves by at most `bound`."""
    f, g, words = scores(values)
    second = []
    for quality in (f, g):
        _, gap = best_and_gap(quality)
        assert gap is not None
        second.append(max(quality) - Fraction(str(gap)))
    return abs(second[0] - second[1]) <= bound, f"{words} have second best {second[0]} and {second[1]}"


def _order_instance(then: str) -> Goal:
    return Goal(
        name="three-items",
        logic="QF_UFLIA",
        declare={"f": "(Int) Int", "g": "(Int) Int"},
        given=(*_SCORES, *_SORTED),
        then=then,
    )


_COUNTING: Final = {"reach_f": "Int", "reach_g": "Int", "f": "Real", "g": "Real", "x": "Real"}

order_statistics = Lemma(
    id="CHS-Alg1.structure.order-statistics",
    source=f"{_CHS}, Section 3, and Algorithm 1",
    statement="the ℓ-th largest of K scores of sensitivity 1 has sensitivity 1, for all ℓ ≤ K",
    goals=(
        # as many items reach x − 1 on D′ as reach x on D: by induction over the items
        Goal(
            name="reaching-base",
            logic="QF_LIRA",
            declare=_COUNTING,
            given=("(and (= reach_f 0) (= reach_g 0))",),
            then="(<= reach_f reach_g)",
        ),
        Goal(
            name="reaching-step",
            logic="QF_LIRA",
            declare=_COUNTING,
            given=("(<= reach_f reach_g)", within("f", "g", "1.0")),
            then="(<= (+ reach_f (ite (>= f x) 1 0)) (+ reach_g (ite (>= g (- x 1.0)) 1 0)))",
        ),
        # what reaches y lies above any w < y: by induction over the items
        Goal(
            name="above-base",
            logic="QF_LIRA",
            declare={"reach": "Int", "above": "Int"},
            given=("(and (= reach 0) (= above 0))",),
            then="(<= reach above)",
        ),
        Goal(
            name="above-step",
            logic="QF_LIRA",
            declare={"reach": "Int", "above": "Int", "g": "Real", "y": "Real", "w": "Real"},
            given=("(<= reach above)", "(< w y)"),
            then="(<= (+ reach (ite (>= g y) 1 0)) (+ above (ite (> g w) 1 0)))",
        ),
        # v is the ℓ-th largest where ℓ items reach v, and fewer lie above it
        Goal(
            name="ranked",
            logic="QF_UFLIRA",
            declare={"reach_f": "(Real) Int", "reach_g": "(Real) Int", "above_g": "(Real) Int"}
            | {"l": "Int", "v": "Real", "w": "Real"},
            given=(
                "(>= (reach_f v) l)",
                "(< (above_g w) l)",
                "(<= (reach_f v) (reach_g (- v 1.0)))",  # by the induction
                "(=> (< w (- v 1.0)) (<= (reach_g (- v 1.0)) (above_g w)))",  # by `above`
            ),
            then="(>= w (- v 1.0))",  # and v ≥ w − 1 with f and g exchanged
        ),
    ),
    example=Instance(
        goal=_order_instance(within("(f 1)", "(g 1)", "1")),
        terms=_FG,
        where=("(= (f 1) (+ (g 1) 1))", "(> (f 0) (f 1))"),
    ),
    replay=lambda values: second_best_moves_by_at_most(values, Fraction(1)),
    mutants=(
        Mutant(
            change="sensitivity 0",
            instance=Instance(goal=_order_instance("(= (f 1) (g 1))"), terms=_FG),
            replay=lambda values: second_best_moves_by_at_most(values, Fraction(0)),
        ),
    ),
)


def gap_moves_by_at_most(values: Values, bound: int) -> tuple[bool, str]:
    """Whether the gap that A_dist computes moves by at most `bound`."""
    f, g, words = scores(values)
    gaps = [Fraction(str(best_and_gap(quality)[1])) for quality in (f, g)]
    return abs(gaps[0] - gaps[1]) <= bound, f"{words} have gaps {gaps[0]} and {gaps[1]}"


gap = Lemma(
    id="BNS-J-2.26.structure.gap",
    source=f"{_BNS}, Section 2.5.3 and Proposition 2.26; as printed the noise is that of sensitivity 1",
    statement="the gap between the best and the second best of scores of sensitivity 1 has sensitivity 2",
    goals=(
        Goal(
            name="gap",
            logic="QF_LRA",
            declare=dict.fromkeys(("best_f", "best_g", "second_f", "second_g"), "Real"),
            given=(within("best_f", "best_g", "1.0"), within("second_f", "second_g", "1.0")),  # order statistics
            then=within("(- best_f second_f)", "(- best_g second_g)", "2.0"),
        ),
    ),
    example=Instance(goal=_order_instance("true"), terms=_FG, where=("(= (- (f 0) (f 1)) (+ (- (g 0) (g 1)) 2))",)),
    replay=lambda values: gap_moves_by_at_most(values, 2),
    mutants=(
        Mutant(
            change="sensitivity 1",
            instance=Instance(goal=_order_instance(within("(- (f 0) (f 1))", "(- (g 0) (g 1))", "1")), terms=_FG),
            replay=lambda values: gap_moves_by_at_most(values, 1),
        ),
    ),
    note="what A_dist as printed takes for 1 is 2, when a row is replaced",
)


def margin_survives(values: Values, loss: int) -> tuple[bool, str]:
    """Whether the (1, γ)-margin condition of D gives the (1, γ − loss)-condition of D′, in units of the scores."""
    f, g, words = scores(values)
    margin = number(values, "c")
    holds = not margin_condition(f, 1, margin) or margin_condition(g, 1, margin - loss)
    return holds, f"{words}, γ = {margin}"


def _margin_instance(loss: int) -> Goal:
    return Goal(
        name="three-items",
        logic="QF_UFLIA",
        declare={"f": "(Int) Int", "g": "(Int) Int", "c": "Int"},
        given=(*_SCORES, *_SORTED, "(and (<= 2 c) (> (- (f 0) (f 1)) c))"),
        then=f"(> (- (g 0) (g 1)) (- c {loss}))",
    )


margin = Lemma(
    id="CHS-Thm2.structure.margin",
    source=f"{_CHS}, Condition 1, as the proof of Theorem 2 needs it",
    statement="if D satisfies the (ℓ, γ)-margin condition, a neighbour satisfies the (ℓ, γ − 2/n)-condition",
    goals=(
        Goal(
            name="margin",
            logic="QF_LRA",
            declare=dict.fromkeys(("best_f", "best_g", "next_f", "next_g", "c"), "Real"),
            given=(
                within("best_f", "best_g", "1.0"),  # order statistics, in units of 1/n
                within("next_f", "next_g", "1.0"),
                "(< next_f (- best_f c))",
            ),
            then="(< next_g (- best_g (- c 2.0)))",
        ),
    ),
    example=Instance(goal=_margin_instance(2), terms=(*_FG, "c"), where=("(= (- (g 0) (g 1)) (- c 1))", "(> c 2)")),
    replay=lambda values: margin_survives(values, 2),
    mutants=(
        Mutant(
            change="γ − 1/n",
            instance=Instance(goal=_margin_instance(1), terms=(*_FG, "c")),
            replay=lambda values: margin_survives(values, 1),
        ),
    ),
)


# Bounded growth: a row more raises qualities by at most 1, and those of at most k solutions.


def _grown(bound: str) -> Goal:
    return Goal(
        name="grown",
        logic="QF_LRA",
        declare={"common": "Real", "with_x": "Real", "with_y": "Real"},
        given=(
            "(and (<= common with_x) (<= with_x (+ common 1.0)))",  # q(D) for the common rows D, and q(D ∪ {x})
            "(and (<= common with_y) (<= with_y (+ common 1.0)))",
        ),
        then=within("with_x", "with_y", bound),
    )


def _replaced(bound: str) -> Goal:
    return Goal(
        name="three-rows",
        logic="QF_UFLIA",
        declare={"row": "(Int) Int", "y": "Int"},
        given=(*(f"(and (<= 0 (row {i})) (<= (row {i}) 2))" for i in range(3)), "(and (<= 0 y) (<= y 2))"),
        then=within(
            "(* 2 (+ (ite (= (row 0) 0) 1 0) (ite (= (row 1) 0) 1 0) (ite (= (row 2) 0) 1 0)))",
            "(* 2 (+ (ite (= (row 0) 0) 1 0) (ite (= (row 1) 0) 1 0) (ite (= y 0) 1 0)))",
            bound,
        ),
    )


_ROWS: Final = ("(row 0)", "(row 1)", "(row 2)", "y")


def count_moves(values: Values) -> tuple[int, str]:
    """By how much the number of rows that are 0 moves where the last row is replaced by y."""
    rows = [whole_number(values, f"(row {i})") for i in range(3)]
    other = [*rows[:2], whole_number(values, "y")]
    return abs(Counter(rows)[0] - Counter(other)[0]), f"#0 of {rows} and of {other}"


growth_sensitivity = Lemma(
    id="BNS-J-4.2.structure.sensitivity",
    source=f"{_BNS}, Section 4.1, before Example 4.3",
    statement="a quality of k-bounded growth has sensitivity 1, for every k, when a row is replaced",
    goals=(_grown("1.0"),),
    example=Instance(goal=_replaced("2"), terms=_ROWS, where=("(= (row 2) 0)", "(not (= y 0))", "(= (row 0) 0)")),
    replay=lambda values: (count_moves(values)[0] <= 1, count_moves(values)[1]),
    mutants=(
        Mutant(
            change="sensitivity 1/2",
            instance=Instance(goal=_replaced("1"), terms=_ROWS),
            replay=lambda values: (2 * count_moves(values)[0] <= 1, count_moves(values)[1]),
        ),
    ),
)


def _counts_of_points(name: str, then: str) -> Goal:
    return Goal(
        name=name,
        logic="QF_UFLIA",
        declare={"q": "(Int) Int", "q_after": "(Int) Int", "x": "Int", "a": "Int", "b": "Int"},
        given=tuple(f"(= (q_after {s}) (+ (q {s}) (ite (= {s} x) 1 0)))" for s in "ab"),
        then=then,
    )


def points_that_rise(values: Values) -> tuple[int, str]:
    """How many of the points a and b occur more often once the row x is added to none."""
    a, b, x = (whole_number(values, name) for name in "abx")
    return len({s for s in (a, b) if Counter([x])[s] > 0}), f"a row {x}, and the points {a} and {b}"


growth_of_points = Lemma(
    id="BNS-J-4.3.structure.points",
    source=f"{_BNS}, Example 4.3",
    statement="the number of rows equal to a, as a quality of a, has 1-bounded growth",
    goals=(
        _counts_of_points("by-one", "(and (<= (q a) (q_after a)) (<= (q_after a) (+ (q a) 1)))"),
        _counts_of_points("one-solution", "(=> (and (> (q_after a) (q a)) (> (q_after b) (q b))) (= a b))"),
    ),
    example=Instance(
        goal=_counts_of_points("one-solution", "true"), terms=("a", "b", "x"), where=("(= a x)", "(distinct a b)")
    ),
    replay=lambda values: (points_that_rise(values)[0] <= 1, points_that_rise(values)[1]),
    mutants=(
        Mutant(
            change="0-bounded growth",
            instance=Instance(goal=_counts_of_points("no-solution", "(= (q_after a) (q a))"), terms=("a", "b", "x")),
            replay=lambda values: (points_that_rise(values)[0] == 0, points_that_rise(values)[1]),
        ),
    ),
)


def _holding(intervals: int) -> Goal:
    """That so many intervals of {A_i} ∪ {B_i}, each two of them distinct, do not all hold one point."""
    names = range(intervals)
    return Goal(
        name=f"{intervals}-intervals",
        logic="QF_LIA",
        declare={"n": "Int", "x": "Int", **{f"s{i}": "Int" for i in names}, **{f"in_a{i}": "Bool" for i in names}},
        given=(
            "(and (>= n 2) (>= x 0))",
            *(f"(and (>= s{i} 0) (<= s{i} x) (<= x (+ s{i} n (- 1))))" for i in names),
            # distinct intervals of one partition start at least a length apart
            *(
                f"(=> (= in_a{i} in_a{j}) (or (>= s{i} (+ s{j} n)) (>= s{j} (+ s{i} n))))"
                for i in names
                for j in names
                if i < j
            ),
        ),
        then="false",
    )


_HELD: Final = Goal(
    name="one-of-each",  # [s0, s0 + 7] is one of {A_i} and [s1, s1 + 7] one of {B_i}, for K = 1
    logic="QF_LIA",
    declare=dict.fromkeys(("x", "s0", "s1", "i", "j"), "Int"),
    given=(
        "(and (>= i 0) (>= j 0) (= s0 (* 8 i)) (= s1 (+ (* 8 j) 4)))",
        "(and (<= s0 x) (<= x (+ s0 7)) (<= s1 x) (<= x (+ s1 7)) (<= x 63))",
    ),
    then="false",
)


def intervals_that_hold(values: Values) -> tuple[int, str]:
    """How many intervals of length 8 of the implementation hold the point x of [0, 63]."""
    x = whole_number(values, "x")
    held = interval_counts([x], (0, 63), 2)
    return len(held), f"{x} lies in {' and in '.join(f'[{a}, {b}]' for a, b in sorted(held))}"


growth_of_intervals = Lemma(
    id="BNS-J-4.8.structure.intervals",
    source=f"{_BNS}, the proof of Lemma 4.8, and Figures 5 and 11",
    statement="the number of rows in I, as a quality of I in {A_i} ∪ {B_i}, has 2-bounded growth, for any length of "
    "the intervals",
    goals=(
        Goal(
            name="apart",  # the intervals of a partition start at o + n·i: distinct ones a length apart
            logic="QF_NIA",
            declare=dict.fromkeys(("o", "n", "i", "j"), "Int"),
            given=("(and (>= n 1) (> i j))",),
            then="(>= (+ o (* n i)) (+ o (* n j) n))",
        ),
        Goal(
            name="growth",  # a row x more adds 1 where I holds x, and 0 elsewhere; no row gives 0
            logic="QF_LIA",
            declare={"count": "Int", "holds": "Bool"},
            given=("(>= count 0)",),
            then="(and (<= count (+ count (ite holds 1 0))) (<= (+ count (ite holds 1 0)) (+ count 1)))",
        ),
        _holding(3),
    ),
    example=Instance(goal=_HELD, terms=("x",), where=("(> s0 s1)",)),
    replay=lambda values: (intervals_that_hold(values)[0] <= 2, intervals_that_hold(values)[1]),
    mutants=(
        Mutant(
            change="1-bounded growth",
            instance=Instance(goal=_HELD, terms=("x",)),
            replay=lambda values: (intervals_that_hold(values)[0] <= 1, intervals_that_hold(values)[1]),
        ),
    ),
)


# The proof of Lemma 4.4, with u = e^(ε/4) and X = Σ u^q(S, h) over the h with q(S, h) ≥ 1.

_EXPONENTS: Final = Goal(
    name="exponent",  # m ≥ (16/(αε))·(ε/4 + ln(k/δ)) makes (ε/4)·(αm/4) at least ε/4 + ln(k/δ)
    logic="QF_LRA",
    declare={"alpha_epsilon_m": "Real", "epsilon": "Real", "ln_k_delta": "Real"},
    given=("(>= alpha_epsilon_m (* 16.0 (+ (/ epsilon 4.0) ln_k_delta)))",),
    then="(>= (/ alpha_epsilon_m 16.0) (+ (/ epsilon 4.0) ln_k_delta))",
)


_EXPONENTS_2: Final = Goal(
    name="exponent-of-fact-3",  # m ≥ (16/(αε))·ln(4k/ε) makes (ε/4)·(αm/4) at least ln(4k/ε)
    logic="QF_LRA",
    declare={"alpha_epsilon_m": "Real", "ln_4k_epsilon": "Real"},
    given=("(>= alpha_epsilon_m (* 16.0 ln_4k_epsilon))",),
    then="(>= (/ alpha_epsilon_m 16.0) ln_4k_epsilon)",
)

_ONE_TERM: Final = Goal(
    name="largest-term",  # X is at least its term of f̂, u^q(S, f̂) = exp((ε/4)·q(S, f̂)), as all terms are ≥ 0
    logic="QF_LRA",
    declare=dict.fromkeys(("X", "others", "term", "least"), "Real"),
    given=("(and (= X (+ term others)) (>= others 0.0) (>= term least))",),
    then="(>= X least)",
)

_NEW: Final = Goal(
    name="new-solutions",  # f in G(S′) and not in G(S): the row that is new raises it, to 1; so at most k are new
    logic="QF_LIA",
    declare=dict.fromkeys(("on_common", "on_s", "on_s_after"), "Int"),
    given=(
        "(and (>= on_common 0) (<= on_common on_s) (<= on_common on_s_after) (<= on_s_after (+ on_common 1)))",
        "(and (< on_s 1) (>= on_s_after 1))",
    ),
    then="(and (= on_s_after 1) (> on_s_after on_common))",
)

_POSITIVE: Final = "(and (> u 1.0) (> X 0.0) (>= k 1.0) (> d 0.0))"

_FACT_1: Final = Goal(
    name="fact-1",
    logic="QF_NRA",
    declare=dict.fromkeys(("u", "X", "p", "k", "d"), "Real"),
    given=(
        _POSITIVE,
        "(= (* p X) u)",  # q(S, f) = 1, so that f is chosen with probability u/X
        "(>= (* X d) (* k u))",  # X ≥ exp((ε/4)·(αm/4)) ≥ u·k/δ, by the exponents
    ),
    then="(<= (* p k) d)",
)

_FACT_3: Final = (
    Goal(
        name="fact-3-enough",  # X·(u − 1) ≥ k, as X ≥ 4k/ε and u ≥ 1 + ε/4
        logic="QF_NRA",
        declare=dict.fromkeys(("u", "X", "k", "e"), "Real"),
        given=("(and (> e 0.0) (>= k 1.0))", "(>= (* X e) (* 4.0 k))", "(>= u (+ 1.0 (/ e 4.0)))", "(> X 0.0)"),
        then="(>= (* X (- u 1.0)) k)",
    ),
    Goal(
        name="fact-3-both-base",
        logic="QF_NRA",
        declare=dict.fromkeys(("u", "both", "sum"), "Real"),
        given=("(and (= both 0.0) (= sum 0.0))",),
        then="(<= both (* u sum))",
    ),
    Goal(
        name="fact-3-both-step",  # over the h in G(S), of which those in G(S′) count: u^q(S′, h) ≤ u·u^q(S, h)
        logic="QF_NRA",
        declare=dict.fromkeys(("u", "both", "sum", "term", "term_after"), "Real") | {"in_both": "Bool"},
        given=("(> u 1.0)", "(>= term 0.0)", "(<= term_after (* u term))", "(<= both (* u sum))"),
        then="(<= (+ both (ite in_both term_after 0.0)) (* u (+ sum term)))",
    ),
    Goal(
        name="fact-3-new-step",  # over the solutions that are new: each has the term u^1
        logic="QF_NRA",
        declare=dict.fromkeys(("u", "new", "count"), "Real"),
        given=("(and (> u 1.0) (>= count 0.0))", "(<= new (* count u))"),
        then="(<= (+ new u) (* (+ count 1.0) u))",
    ),
    Goal(
        name="fact-3",
        logic="QF_NRA",
        declare=dict.fromkeys(("u", "X", "k", "new", "both"), "Real"),
        given=(
            "(and (> u 1.0) (> X 0.0) (>= k 1.0))",
            "(<= new (* k u))",  # at most k solutions are new in S′, with quality 1
            "(<= both (* u X))",
            "(>= (* X (- u 1.0)) k)",
        ),
        then="(<= (+ new both) (* u (* u X)))",
    ),
)

_FACT_2: Final = (
    Goal(
        name="fact-2-numerator",  # Pr[A(S) ≠ ⊥]·u^q(S, f) ≤ u²·Pr[A(S′) ≠ ⊥]·u^q(S′, f)
        logic="QF_NRA",
        declare=dict.fromkeys(("u", "n", "n_after", "w", "w_after"), "Real"),
        given=(
            "(and (> u 1.0) (>= n 0.0) (>= n_after 0.0) (>= w 0.0) (>= w_after 0.0))",
            "(<= n (* u n_after))",
            "(<= w (* u w_after))",
        ),
        then="(<= (* n w) (* (* u n_after) (* u w_after)))",
    ),
    Goal(
        name="fact-2",  # with Fact 3, X′ ≤ u²·X: the probabilities are a/X and b/X′
        logic="QF_NRA",
        declare=dict.fromkeys(("u", "v", "a", "b", "X", "X_after"), "Real"),
        given=(
            "(and (> u 1.0) (= v (* u u)) (>= a 0.0) (>= b 0.0) (> X 0.0) (> X_after 0.0))",
            "(<= a (* v b))",
            "(<= X_after (* v X))",
        ),
        then="(<= (* a X_after) (* (* v b) (* v X)))",
    ),
)


def _few_rows(name: str, zeros: int, then: str) -> Goal:
    """`zeros` rows 0 and one row 1, at u = 2 and k = 1."""
    return Goal(
        name=name,
        logic="QF_LRA",
        declare=dict.fromkeys(("zeros", "p", "d"), "Real"),
        given=(f"(= zeros {zeros}.0)", "(and (> d 0.0) (< d 1.0))", f"(= (* p {2**zeros + 2}.0) 2.0)"),
        then=then,
    )


def a_new_solution(values: Values) -> tuple[bool, str]:
    """Whether a solution that S′ does not have is chosen on S with probability at most δ, for k = 1 and ε = 4·ln 2.

    S has rows 0 and one row 1, S′ one row 0 more in place of that; at α = 1/4 the test is passed at least half of the
    time, as the best quality is above αm/2.
    """
    zeros, delta = whole_number(values, "zeros"), number(values, "d")
    law = distribution(
        choosing_mechanism,
        (zeros, 1),
        rows=zeros + 1,
        alpha=Fraction(1, 4),
        epsilon=4 * log(2),  # qualities of 0 and 1
    )
    chosen = law.probability(1)
    words = f"{zeros} rows 0 and a row 1, which is chosen with probability {decimal(chosen)}, δ = {delta}"
    return bool(chosen <= delta), words


choosing = Lemma(
    id="BNS-J-4.4.structure.facts",
    source=f"{_BNS}, Facts 1 to 3 in the proof of Lemma 4.4",
    statement="where some solution has quality ≥ αm/4 (Case b), Facts 1, 2 and 3 hold, for every k, ε and δ, once "
    "m ≥ (16/(αε))·max{ε/4 + ln(k/δ), ln(4k/ε)}",
    goals=(_EXPONENTS, _EXPONENTS_2, _ONE_TERM, _NEW, _FACT_1, *_FACT_2, *_FACT_3),
    note="taken as given: exp rises, e^x ≥ 1 + x, and Pr[A(S) ≠ ⊥] ≤ e^(ε/4)·Pr[A(S′) ≠ ⊥], the Laplace mechanism",
    example=Instance(goal=_few_rows("many-zeros", 96, "true"), terms=("zeros", "d"), where=("(= (* d 32.0) 1.0)",)),
    replay=a_new_solution,
    mutants=(
        Mutant(
            change="Fact 1 without a bound on m",
            instance=Instance(goal=_few_rows("two-zeros", 2, "(<= p (* 2.0 d))"), terms=("zeros", "d")),
            replay=a_new_solution,
        ),
    ),
)

LEMMAS: Final = (
    order_statistics,
    gap,
    margin,
    growth_sensitivity,
    growth_of_points,
    growth_of_intervals,
    choosing,
)
