"""Structure of private maximization: order statistics and margins of scores, and an item that needs no look at data."""

from fractions import Fraction
from typing import Final

from dpverify.mechanisms.selection.large_margin import margin_condition
from dpverify.mechanisms.selection.packing_bound import largest_somewhere
from dpverify.mechanisms.selection.stability import best_and_gap
from dpverify.verifiers.structure.formulas import in_brackets, number_value, within
from dpverify.verifiers.structure.rows import FalseVariant, Goal, PaperLemmas, Values, goal, instance, judged

lemma: Final = PaperLemmas("CHS-", "Chaudhuri, Hsu & Song, ")

# Order statistics of scores f on D and g on a neighbour D′, which differ by at most 1 in each item.
SCORES_OF_BOTH: Final = tuple(f"({name} {i})" for name in "fg" for i in range(3))
_NEAR_SCORES: Final = (
    *(within(f"(f {i})", f"(g {i})", "1") for i in range(3)),
    *(f"(and (<= 0 {term}) (<= {term} 9))" for term in SCORES_OF_BOTH),
)
_SORTED: Final = (
    # both in falling order: without loss for f, and a case among others for g
    *(f"(>= ({name} {i}) ({name} {i + 1}))" for name in "fg" for i in range(2)),
)


def scores(values: Values) -> tuple[list[Fraction], list[Fraction], str]:
    """The scores of three items on both databases."""
    f, g = ([number_value(values, f"({name} {i})") for i in range(3)] for name in "fg")
    return f, g, f"scores {in_brackets(f)} and {in_brackets(g)}"


def order_instance(then: str) -> Goal:
    """Both scores in falling order imply `then`."""
    return goal("three-items", "QF_UFLIA", "f g: (Int) Int").given(*_NEAR_SCORES, *_SORTED, then=then)


def second_best_moves(values: Values) -> tuple[Fraction, str]:
    """The change of the second best score, the best less the gap."""
    f, g, words = scores(values)
    second = []
    for quality in (f, g):
        _, gap = best_and_gap(quality)
        assert gap is not None
        second.append(max(quality) - Fraction(str(gap)))
    return abs(second[0] - second[1]), f"{words} have second best {second[0]} and {second[1]}"


_COUNTING: Final = "reach_f reach_g: Int, f g x: Real"
order_statistics = lemma("Alg1.structure.order-statistics", "Section 3, and Algorithm 1").says(
    "the ℓ-th largest of K scores of sensitivity 1 has sensitivity 1, for all ℓ ≤ K",
    # as many items reach x − 1 on D′ as reach x on D: by induction over the items
    goal("reaching-base", "QF_LIRA", _COUNTING).given("(and (= reach_f 0) (= reach_g 0))", then="(<= reach_f reach_g)"),
    goal("reaching-step", "QF_LIRA", _COUNTING).given(
        "(<= reach_f reach_g)",
        within("f", "g", "1.0"),
        then="(<= (+ reach_f (ite (>= f x) 1 0)) (+ reach_g (ite (>= g (- x 1.0)) 1 0)))",
    ),
    # what reaches y lies above any w < y: by induction over the items
    goal("above-base", "QF_LIRA", "reach above: Int").given("(and (= reach 0) (= above 0))", then="(<= reach above)"),
    goal("above-step", "QF_LIRA", "reach above: Int, g y w: Real").given(
        "(<= reach above)", "(< w y)", then="(<= (+ reach (ite (>= g y) 1 0)) (+ above (ite (> g w) 1 0)))"
    ),
    # v is the ℓ-th largest where ℓ items reach v, and fewer lie above it
    goal("ranked", "QF_UFLIRA", "reach_f reach_g above_g: (Real) Int, l: Int, v w: Real").given(
        "(>= (reach_f v) l)",
        "(< (above_g w) l)",
        "(<= (reach_f v) (reach_g (- v 1.0)))",  # by the induction
        "(=> (< w (- v 1.0)) (<= (reach_g (- v 1.0)) (above_g w)))",  # by `above`
        then="(>= w (- v 1.0))",  # and v ≥ w − 1 with f and g exchanged
    ),
    FalseVariant("sensitivity 0", order_instance("(= (f 1) (g 1))"), judged(second_best_moves, lambda m: m <= 0)),
    example=instance(
        order_instance(within("(f 1)", "(g 1)", "1")), SCORES_OF_BOTH, "(= (f 1) (+ (g 1) 1))", "(> (f 0) (f 1))"
    ),
    replay=judged(second_best_moves, lambda moved: moved <= 1),
)


def margin_survives(values: Values, loss: int) -> tuple[bool, str]:
    """True where the (1, γ)-margin condition of D gives the (1, γ − loss)-condition of D′, in units of the scores."""
    f, g, words = scores(values)
    margin = number_value(values, "c")
    holds = not margin_condition(f, 1, margin) or margin_condition(g, 1, margin - loss)
    return holds, f"{words}, γ = {margin}"


def _margin_instance(loss: int) -> Goal:
    return goal("three-items", "QF_UFLIA", "f g: (Int) Int, c: Int").given(
        *_NEAR_SCORES, *_SORTED, "(and (<= 2 c) (> (- (f 0) (f 1)) c))", then=f"(> (- (g 0) (g 1)) (- c {loss}))"
    )


margin = lemma("Thm2.structure.margin", "Condition 1, as the proof of Theorem 2 needs it").says(
    "if D satisfies the (ℓ, γ)-margin condition, a neighbour satisfies the (ℓ, γ − 2/n)-condition",
    goal("margin", "QF_LRA", "best_f best_g next_f next_g c: Real").given(
        within("best_f", "best_g", "1.0"),  # order statistics, in units of 1/n
        within("next_f", "next_g", "1.0"),
        "(< next_f (- best_f c))",
        then="(< next_g (- best_g (- c 2.0)))",
    ),
    FalseVariant("γ − 1/n", _margin_instance(1), lambda values: margin_survives(values, 1)),
    example=instance(_margin_instance(2), (*SCORES_OF_BOTH, "c"), "(= (- (g 0) (g 1)) (- c 1))", "(> c 2)"),
    replay=lambda values: margin_survives(values, 2),
)


# Proposition 1: an item that is good without a look at the data.
_TERMS: Final = ("top_i", "top_j", "at_i", "at_j")


def _goal(name: str, change: str, *more: str, then: str = "(<= (- at_j at_i) 1.0)") -> Goal:
    """Item i has the largest quality of all, top_i, on some database; on another one the two have at_i and at_j."""
    return goal(name, "QF_LRA", f"{' '.join(_TERMS)}: Real").given(
        "(<= top_j top_i)", "(<= at_j top_j)", f"(and (<= at_i top_i) (<= (- top_i at_i) {change}))", *more, then=then
    )


def within_one(values: Values) -> tuple[bool, str]:
    """True where the item that is largest somewhere is at most 1 below the other, on the second of two databases."""
    top_i, top_j, at_i, at_j = (number_value(values, name) for name in _TERMS)
    quality = {"i": (top_i, at_i), "j": (top_j, at_j)}
    chosen = largest_somewhere(quality)
    below = max(at_i, at_j) - quality[chosen][1]
    words = f"item {chosen} is {below} below the best, of i with {top_i} and {at_i}, j with {top_j} and {at_j}"
    return below <= 1, words


constant = PaperLemmas("CHS-", "")("Prop1.structure.constant", "by hand, of Chaudhuri, Hsu & Song, Proposition 1").says(
    "the item whose quality is largest on some database is within 1 of the best on every one, if its quality on two "
    "databases of n rows differs by 1 at most, as it does for Lipschitz constant 1/n",
    _goal("constant", "1.0"),
    FalseVariant("a Lipschitz constant of 2/n", _goal("two", "2.0")),
    example=instance(_goal("example", "1.0", then="true"), _TERMS, "(> at_j at_i)"),
    replay=within_one,
)
