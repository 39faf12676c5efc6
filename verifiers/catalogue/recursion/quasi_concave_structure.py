"""Structure of the recursion for quasi-concave promise problems: its qualities, and its partitions."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Final

from dpverify.mechanisms.counting.step_functions import StepFunction
from dpverify.mechanisms.recursion.quasi_concave import scale_quality
from dpverify.verifiers.structure.formulas import greatest, in_brackets, minimum, number_value, whole_value, within
from dpverify.verifiers.structure.rows import FalseVariant, Goal, PaperLemmas, Values, goal, instance, judged

lemma: Final = PaperLemmas("BNS-J-", "Beimel, Nissim & Stemmer, journal version, ")


def is_quasi_concave(values: Sequence[Fraction | int]) -> bool:
    """True where no value lies below both one before it and one after it."""
    return all(values[between] >= min(values[i], values[j]) for i, between, j in combinations(range(len(values)), 3))


# L(S, j), the largest minimum over 2^j successive points.
_QS: Final = tuple(f"(Q {i})" for i in range(4))
_L_OF_FOUR: Final = (greatest(*_QS), greatest(*(minimum(*_QS[i : i + 2]) for i in range(3))), minimum(*_QS))
"""L(0), L(1) and L(2) on [0, 3]."""


def largest_minima(values: Values) -> tuple[list[Fraction | int], str]:
    """L(0), L(1), L(2) of the implementation, for Q on four points."""
    quality = [number_value(values, term) for term in _QS]
    found = list(StepFunction.of(quality).best_minimum_by_length())
    return found, f"Q = {in_brackets(quality)} has L = {in_brackets(found)}"


_FOUR_POINTS: Final = goal("four-points", "QF_UFLIA", "Q: (Int) Int").given(
    *(f"(and (<= 0 {term}) (<= {term} 9))" for term in _QS),
    then="(and true (> {} {}) (> {} {}))".format(*_L_OF_FOUR[:2], *_L_OF_FOUR[1:]),
)
l_does_not_rise = lemma("3.13.structure.largest-minimum", "Figure 5, step 3, and the proof of Claim 3.13").says(
    "L(S, j), the largest minimum of Q over 2^j successive points, does not rise with j, for every Q and T",
    # an interval of length 2w with Q ≥ x has a first half, of length w
    goal("half-of-an-interval", "QF_UFLIRA", "Q: (Int) Real, x: Real, T a w i: Int").given(
        "(and (>= w 1) (<= 0 a) (<= (+ a (* 2 w) (- 1)) T))",
        "(=> (and (<= a i) (<= i (+ a (* 2 w) (- 1)))) (>= (Q i) x))",
        "(and (<= a i) (<= i (+ a w (- 1))))",
        then="(and (>= (Q i) x) (<= 0 a) (<= (+ a w (- 1)) T))",
    ),
    # L(j + 1) is the minimum of some interval; one of half the length has no smaller one
    goal("one-scale", "QF_UFLRA", "one_of_length_w one_of_length_2w: (Real) Bool, L L2: Real").given(
        "(one_of_length_2w L2)",
        "(=> (one_of_length_2w L2) (one_of_length_w L2))",  # the goal before, at x = L(j + 1)
        "(=> (one_of_length_w L2) (>= L L2))",  # L(j) is the largest x that an interval reaches
        then="(>= L L2)",
    ),
    goal("all-scales-base", "QF_UFLIRA", "L: (Int) Real, j: Int").given(then="(>= (L j) (L j))"),
    # L(log T′ + 1) = min{0, L(log T′)}
    goal("last-scale", "QF_LRA", "L last: Real").given("(= last (ite (<= 0.0 L) 0.0 L))", then="(<= last L)"),
    goal("all-scales-step", "QF_UFLIRA", "L: (Int) Real, j k: Int").given(
        "(>= (L j) (L k))", "(>= (L k) (L (+ k 1)))", then="(>= (L j) (L (+ k 1)))"
    ),
    FalseVariant(
        "L falls strictly", _FOUR_POINTS, judged(largest_minima, lambda found: all(a > b for a, b in pairwise(found)))
    ),
    example=instance(_FOUR_POINTS, _QS, "(> (Q 1) (Q 2))", "(> (Q 3) (Q 2))", "(> (Q 2) 0)"),
    replay=judged(largest_minima, lambda found: all(a >= b for a, b in pairwise(found))),
)


# q(S, j) = min(L(S, j) − (1 − α)·r, r − L(S, j + 1)), on [0, 4].
_FIVE: Final = tuple(f"(Q {i})" for i in range(5))
_LARGEST_MINIMA: Final = [greatest(*(minimum(*_FIVE[i : i + w]) for i in range(6 - w))) for w in (1, 2, 4)]
_L_OF_FIVE: Final = (*_LARGEST_MINIMA, minimum("0", _LARGEST_MINIMA[-1]))
_Q_OF_FIVE: Final = tuple(minimum(f"(- {_L_OF_FIVE[j]} 2)", f"(- 4 {_L_OF_FIVE[j + 1]})") for j in range(3))
"""q on the scales 0, 1, 2 of [0, 4], for r = 4 and α = 1/2."""
_ON_FIVE_POINTS: Final = goal("five-points", "QF_UFLIA", "Q: (Int) Int").given(
    *(f"(and (<= 0 {term}) (<= {term} 9))" for term in _FIVE),
    then=f"(>= (* 2 {_Q_OF_FIVE[1]}) (+ {_Q_OF_FIVE[0]} {_Q_OF_FIVE[2]}))",
)


def scales(values: Values) -> tuple[list[Fraction | int], str]:
    """q on the scales 0, 1 and 2 of the implementation."""
    quality = [number_value(values, term) for term in _FIVE]
    of_scale = scale_quality(StepFunction.of(quality), Fraction(4), Fraction(1, 2))
    found = [of_scale(j) for j in range(3)]
    return found, f"Q = {in_brackets(quality)}, r = 4, α = 1/2 have q = {in_brackets(found)}"


q_quasi_concave = lemma("3.13.structure.recursion-quality", "Claim 3.13").says(
    "q(S, ·) of step 4 of RecConcave is quasi-concave, for every Q, quasi-concave or not, every T, r and α",
    goal("between-two", "QF_UFLIRA", "L: (Int) Real, low r: Real, i l j: Int").given(
        "(and (<= i l) (<= l j))",
        "(>= (L l) (L j))",  # L does not rise, at l ≤ j
        "(>= (L (+ i 1)) (L (+ l 1)))",  # and at i + 1 ≤ l + 1
        then="(>= {} {})".format(
            minimum("(- (L l) low)", "(- r (L (+ l 1)))"),
            minimum("(- (L i) low)", "(- r (L (+ i 1)))", "(- (L j) low)", "(- r (L (+ j 1)))"),
        ),
    ),
    FalseVariant("q is concave", _ON_FIVE_POINTS, judged(scales, lambda q: 2 * q[1] >= q[0] + q[2])),
    example=instance(
        _ON_FIVE_POINTS,
        _FIVE,
        f"(> {_Q_OF_FIVE[1]} {_Q_OF_FIVE[0]})",
        f"(> {_Q_OF_FIVE[1]} {_Q_OF_FIVE[2]})",
        "(< (Q 1) (Q 0))",
        "(< (Q 1) (Q 2))",
    ),
    replay=judged(scales, is_quasi_concave),
)


# Maxima and minima of qualities of sensitivity 1, on two databases S and S′.
_BEST: Final = f"(* 2 {greatest(*(f'(v {i})' for i in range(3)))})"
_TWO_DATABASES: Final = goal("three-points", "QF_UFLIA", "f g: (Int) Int").given(
    *(within(f"(f {i})", f"(g {i})", "1") for i in range(3)),
    *(f"(and (<= 0 ({name} {i})) (<= ({name} {i}) 9))" for name in "fg" for i in range(3)),
    then=within(_BEST.replace("v", "f"), _BEST.replace("v", "g"), "1"),
)
_TERMS_OF_TWO: Final = tuple(f"({name} {i})" for name in "fg" for i in range(3))


def best_of_a_block(values: Values) -> tuple[Fraction, str]:
    """The difference of u(S, I), the best of the interval I = [0, 2], between S and S′."""
    on_s, on_t = ([number_value(values, f"({name} {i})") for i in range(3)] for name in "fg")
    moved = Fraction(0)
    for qualities in ((on_s, on_t), ([-x for x in on_s], [-x for x in on_t])):
        maxima = [StepFunction.of(quality).block_maxima(3) for quality in qualities]
        u, v = (Fraction(found(0)) for found in maxima if found is not None)
        moved = max(moved, abs(u - v))
    return moved, f"Q(S) = {in_brackets(on_s)} and Q(S′) = {in_brackets(on_t)} have best values {moved} apart"


def _extremum(name: str, better: str) -> Goal:
    return goal(name, "QF_UFLIRA", "f g: (Int) Real, i j: Int").given(
        f"({better} (f i) (f j))",  # i is a best index on S, compared with j
        f"({better} (g j) (g i))",  # and j one on S′
        within("(f i)", "(g i)", "1.0"),
        within("(f j)", "(g j)", "1.0"),
        then=within("(f i)", "(g j)", "1.0"),
    )


extrema = lemma("3.11.structure.maximum-and-minimum", "Observation 3.11").says(
    "the maximum, and the minimum, of functions of sensitivity 1 have sensitivity 1, for any number of them",
    _extremum("maximum", ">="),
    _extremum("minimum", "<="),
    FalseVariant("sensitivity 1/2", _TWO_DATABASES, judged(best_of_a_block, lambda moved: moved <= Fraction(1, 2))),
    example=instance(_TWO_DATABASES, _TERMS_OF_TWO, "(= (f 0) (+ (g 0) 1))", "(> (f 0) (f 1))", "(< (g 0) (g 1))"),
    replay=judged(best_of_a_block, lambda moved: moved <= 1),
)


# The partitions {A_i} and {B_i}: intervals of length 8K, from 0 on and from 4K on.
def _covered(name: str, length: str) -> Goal:
    """[p, q], of at most so many points, in a trimmed range [0, T]; the interval of {A_i} that holds p starts at P."""
    in_a = "(<= q (ite (<= (+ P (* 8 K) (- 1)) T) (+ P (* 8 K) (- 1)) T))"
    in_b = "(<= q (ite (<= (+ P (* 12 K) (- 1)) T) (+ P (* 12 K) (- 1)) T))"
    # or the interval of {B_i} that starts at P + 4K; there is one before, where P ≥ 8K, but that ends earlier
    return goal(name, "QF_LIA", "K P p q T: Int").given(
        "(and (>= K 1) (>= P 0) (<= P p) (<= p (+ P (* 8 K) (- 1))))",
        f"(and (<= p q) (<= q T) (<= (+ (- q p) 1) {length}))",
        then=f"(or {in_a} (and (<= (+ P (* 4 K)) T) (<= (+ P (* 4 K)) p) {in_b}))",
    )


def inside_one_interval(values: Values) -> tuple[bool, str]:
    """True where [p, q] lies in a block of the partitions of [0, T] that the implementation makes."""
    size, p, q, last = (whole_value(values, name) for name in ("K", "p", "q", "T"))
    held = []
    for offset in (0, 4 * size):
        blocks = StepFunction.of([int(p <= x <= q) for x in range(last + 1)]).block_maxima(8 * size, offset)
        met = [] if blocks is None else [i for i in range(blocks.last + 1) if blocks(i)]
        held.append(len(met) == 1 and p >= offset)
    return any(held), f"K = {size}, [{p}, {q}] in [0, {last}]"


covering = lemma("3.14.structure.covering", "the proof of Lemma 3.14, with K = 2^k").says(
    "an interval of at most 4K − 1 points of [0, T] lies inside one interval of {A_i} or {B_i}, which are 8K long, and "
    "trimmed at T",
    _covered("covered", "(- (* 4 K) 1)"),
    _covered("two-more", "(+ (* 4 K) 1)"),
    FalseVariant("4K + 2 points", _covered("three-more", "(+ (* 4 K) 2)")),
    example=instance(
        _covered("covered", "(- (* 4 K) 1)"),
        ("K", "p", "q", "T"),
        "(> K 1)",
        "(> p (* 8 K))",
        "(> q (+ P (* 8 K)))",
        "(= T (+ q 1))",
    ),
    replay=inside_one_interval,
    note="4K + 1 points fit too, and 4K + 2 need not",
)


def _good_share(share: str) -> Goal:
    return goal("share", "QF_LIA", "K good in_a in_b both: Int").given(
        "(and (>= K 1) (<= 0 both) (<= both in_a) (<= both in_b))",
        "(and (<= in_a (* 8 K)) (<= in_b (* 8 K)))",
        "(and (>= good K) (<= good in_a))",  # an interval G of length K inside A
        then=f"(>= (* {share} good) (- (+ in_a in_b) both))",
    )


def good_points(values: Values) -> tuple[Fraction, str]:
    """The share of good points among those of A and B, at these sizes."""
    good, in_a, in_b, both = (whole_value(values, name) for name in ("good", "in_a", "in_b", "both"))
    a, b = set(range(in_a)), set(range(in_a - both, in_a - both + in_b))
    share = Fraction(good, len(a | b))
    return share, f"{good} of {len(a | b)} points of A ∪ B"


def _inside_p(side: str) -> Goal:
    """The goal: where G reaches beyond P, the K points from p on towards it are as good, and lie in P and in [0, T]."""
    end, x_from_p = ("(+ g K (- 1))", "(and (<= p x) (<= x (+ p K (- 1))))")
    beyond, between = f"(> {end} (+ p (* 2 K) (- 1)))", f"(and (<= p x) (<= x {end}))"
    in_p = "(and (<= x (+ p (* 2 K) (- 1))) (<= x T))"
    if side == "left":
        end, x_from_p = "g", "(and (<= (- p K (- 1)) x) (<= x p))"
        beyond, between = "(< g (- p (* 2 K) (- 1)))", "(and (<= g x) (<= x p))"
        in_p = "(and (>= x (- p (* 2 K) (- 1))) (>= x 0))"
    return goal(f"good-points-{side}", "QF_UFLIRA", "Q: (Int) Real, p g K x T: Int, r low: Real").given(
        "(and (>= K 1) (<= low r) (>= (Q p) r) (<= 0 p) (<= p T) (<= 0 g) (<= (+ g K (- 1)) T))",
        f"(and {beyond} (>= (Q {end}) low) {x_from_p})",
        f"(=> {between} (>= (Q x) {minimum('(Q p)', f'(Q {end})')}))",  # quasi-concavity
        then=f"(and (>= (Q x) low) {in_p})",
    )


def _far(side: str) -> Goal:
    """A point beyond i is no better than i, as Q(i) ≤ c < r ≤ Q(p)."""
    order = "(and (<= p i) (<= i l))" if side == "right" else "(and (<= l i) (<= i p))"
    return goal(f"far-points-{side}", "QF_UFLIRA", "Q: (Int) Real, p i l: Int, r c: Real").given(
        order,
        f"(>= (Q i) {minimum('(Q p)', '(Q l)')})",  # quasi-concavity
        "(and (>= (Q p) r) (<= (Q i) c) (< c r))",
        then="(<= (Q l) c)",
    )


sixteenth = lemma("3.14.structure.sixteenth", "the proof of Lemma 3.14").says(
    "points beyond P are no better than its ends, P contains K good points, and so at least 1/16 of the points of A ∪ "
    "B are good, where A contains P",
    _good_share("16"),
    # G is K points from g on with Q ≥ low, and Q(p) ≥ r ≥ low: P = [p − 2K + 1, p + 2K − 1] has such, too
    *map(_inside_p, ("right", "left")),
    *map(_far, ("right", "left")),
    FalseVariant("a share of 1/15", _good_share("15"), judged(good_points, lambda share: share >= Fraction(1, 15))),
    example=instance(_good_share("16"), ("good", "in_a", "in_b", "both"), "(> K 1)", "(> both 0)", "(> in_b both)"),
    replay=judged(good_points, lambda share: share >= Fraction(1, 16)),
)
