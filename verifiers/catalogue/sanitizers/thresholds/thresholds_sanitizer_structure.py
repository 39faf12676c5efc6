"""Structure of SanThresholds: the quality that it hands to the recursion, and the growth of its intervals."""

from fractions import Fraction
from itertools import combinations
from typing import Final

from dpverify.mechanisms.sanitizers.sorted_points import most_within
from dpverify.mechanisms.sanitizers.thresholds_sanitizer import interval_counts, threshold_scale_quality
from dpverify.verifiers.catalogue.recursion.quasi_concave_structure import is_quasi_concave
from dpverify.verifiers.structure.formulas import greatest, in_brackets, minimum, whole_value
from dpverify.verifiers.structure.rows import FalseVariant, Goal, PaperLemmas, Values, goal, instance, judged

lemma: Final = PaperLemmas("BNS-J-", "Beimel, Nissim & Stemmer, journal version, ")

# I(S, j), the most points in an interval of length 2^j of the range, and Q of step 6 of SanThresholds.
_ON: Final = tuple(f"(on {x})" for x in range(4))
"""The numbers of rows at the points of [0, 3]."""
_I: Final = ("0", greatest(*_ON), greatest(*(f"(+ {_ON[i]} {_ON[i + 1]})" for i in range(3))), f"(+ {' '.join(_ON)})")
"""I(−1), …, I(2)."""
_Q: Final = tuple(minimum(f"(- {_I[j + 1]} 2)", f"(- 6 {_I[j]})") for j in range(3))
"""Q on the scales 0, 1, 2, with αm/32 = 2."""


def _scales(then: str) -> Goal:
    return goal("four-points", "QF_UFLIA", "on: (Int) Int").given(
        *(f"(and (<= 0 {count}) (<= {count} 4))" for count in _ON), then=then
    )


def scales(values: Values) -> tuple[list[Fraction], str]:
    """Q on the scales of the implementation, with αm/32 = 2."""
    points = [x for x in range(4) for _ in range(whole_value(values, f"(on {x})"))]
    quality = threshold_scale_quality(points, 2, Fraction(2))
    found = [Fraction(quality(j)) for j in range(3)]
    return found, f"the points {points} have I = {in_brackets(most_within(points, 2))} and Q = {in_brackets(found)}"


sanitizer_quality = lemma("4.9.structure.scales", "Claim 4.9").says(
    "Q(S, ·) of step 6 of SanThresholds is quasi-concave, on every database and range",
    # one of length w ≤ U/2 inside [0, U) lies inside one of length 2w there
    goal("longer-intervals", "QF_LIA", "a w U b: Int").given(
        "(and (>= w 1) (>= U (* 2 w)) (>= a 0) (<= (+ a w) U))",
        "(= b (ite (<= (+ a (* 2 w)) U) a (- U (* 2 w))))",
        then="(and (>= b 0) (<= (+ b (* 2 w)) U) (<= b a) (<= (+ a w) (+ b (* 2 w))))",
    ),
    # I(−1) = 0, and each I(j) counts rows
    goal("first-scale", "QF_LIA", "I before: Int").given("(and (= before 0) (>= I 0))", then="(<= before I)"),
    # I(j) is reached by an interval, which one of twice the length contains
    goal("one-scale", "QF_UFLIA", "reached_by_w reached_by_2w: (Int) Bool, I I2: Int").given(
        "(reached_by_w I)",
        "(=> (reached_by_w I) (reached_by_2w I))",
        "(=> (reached_by_2w I) (>= I2 I))",
        then="(>= I2 I)",
    ),
    goal("all-scales-step", "QF_UFLIA", "I: (Int) Int, j k: Int").given(
        "(<= (I j) (I k))", "(<= (I k) (I (+ k 1)))", then="(<= (I j) (I (+ k 1)))"
    ),
    goal("more-points-base", "QF_LIA", "inner outer: Int").given(
        "(and (= inner 0) (= outer 0))", then="(<= inner outer)"
    ),
    # and holds as many rows: by induction over the rows, [a, c) inside [b, d)
    goal("more-points-step", "QF_LIA", "inner outer a c b d x: Int").given(
        "(<= inner outer)",
        "(and (<= b a) (<= c d))",
        then="(<= (+ inner (ite (and (<= a x) (< x c)) 1 0)) (+ outer (ite (and (<= b x) (< x d)) 1 0)))",
    ),
    goal("between-two", "QF_UFLIRA", "I: (Int) Real, unit: Real, i l j: Int").given(
        "(and (<= i l) (<= l j))",
        "(<= (I i) (I l))",  # I does not fall
        "(<= (I (- l 1)) (I (- j 1)))",
        then="(>= {} {})".format(
            minimum("(- (I l) unit)", "(- (* 3.0 unit) (I (- l 1)))"),
            minimum(*(term for x in "ij" for term in (f"(- (I {x}) unit)", f"(- (* 3.0 unit) (I (- {x} 1)))"))),
        ),
    ),
    FalseVariant(
        "Q is concave",
        _scales(f"(>= (* 2 {_Q[1]}) (+ {_Q[0]} {_Q[2]}))"),
        judged(scales, lambda q: 2 * q[1] >= q[0] + q[2]),
    ),
    example=instance(_scales("true"), _ON, f"(> {_Q[1]} {_Q[0]})", f"(> {_Q[1]} {_Q[2]})"),
    replay=judged(scales, is_quasi_concave),
)


def _holding(intervals: int) -> Goal:
    """The goal that so many intervals of {A_i} ∪ {B_i}, each two of them distinct, do not all hold one point."""
    ids = range(intervals)
    return goal(
        f"{intervals}-intervals",
        "QF_LIA",
        {"n": "Int", "x": "Int", **{f"s{i}": "Int" for i in ids}, **{f"in_a{i}": "Bool" for i in ids}},
    ).given(
        "(and (>= n 2) (>= x 0))",
        *(f"(and (>= s{i} 0) (<= s{i} x) (<= x (+ s{i} n (- 1))))" for i in ids),
        # distinct intervals of one partition start at least a length apart
        *(f"(=> (= in_a{i} in_a{j}) (or (>= s{i} (+ s{j} n)) (>= s{j} (+ s{i} n))))" for i, j in combinations(ids, 2)),
        then="false",
    )


# [s0, s0 + 7] is one of {A_i} and [s1, s1 + 7] one of {B_i}, for K = 1
_HELD: Final = goal("one-of-each", "QF_LIA", "x s0 s1 i j: Int").given(
    "(and (>= i 0) (>= j 0) (= s0 (* 8 i)) (= s1 (+ (* 8 j) 4)))",
    "(and (<= s0 x) (<= x (+ s0 7)) (<= s1 x) (<= x (+ s1 7)) (<= x 63))",
    then="false",
)


def intervals_that_hold(values: Values) -> tuple[int, str]:
    """The number of intervals of length 8 of the implementation that hold the point x of [0, 63]."""
    x = whole_value(values, "x")
    held = interval_counts([x], (0, 63), 2)
    return len(held), f"{x} lies in {' and in '.join(f'[{a}, {b}]' for a, b in sorted(held))}"


growth_of_intervals = lemma("4.8.structure.intervals", "the proof of Lemma 4.8, and Figures 5 and 11").says(
    "the number of rows in I, as a quality of I in {A_i} ∪ {B_i}, has 2-bounded growth, for any length of the "
    "intervals",
    # the intervals of a partition start at o + n·i: distinct ones a length apart
    goal("apart", "QF_NIA", "o n i j: Int").given("(and (>= n 1) (> i j))", then="(>= (+ o (* n i)) (+ o (* n j) n))"),
    # a row x more adds 1 where I holds x, and 0 elsewhere; no row gives 0
    goal("growth", "QF_LIA", "count: Int, holds: Bool").given(
        "(>= count 0)", then="(and (<= count (+ count (ite holds 1 0))) (<= (+ count (ite holds 1 0)) (+ count 1)))"
    ),
    _holding(3),
    FalseVariant("1-bounded growth", _HELD, judged(intervals_that_hold, lambda number: number <= 1)),
    example=instance(_HELD, ("x",), "(> s0 s1)"),
    replay=judged(intervals_that_hold, lambda number: number <= 2),
)
