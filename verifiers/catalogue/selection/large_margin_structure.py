"""Structure of the large margin mechanism: order statistics and margins of scores."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.mechanisms.selection.large_margin import margin_condition
from dpverify.mechanisms.selection.stability import best_and_gap
from dpverify.verifiers.catalogue.selection.order_statistics import (
    NEAR_SCORES,
    SCORES_OF_BOTH,
    SORTED,
    order_instance,
    scores,
)
from dpverify.verifiers.structure.formulas import number_value, within
from dpverify.verifiers.structure.lemma import Goal, Values
from dpverify.verifiers.structure.rows import FalseVariant, PaperLemmas, goal, instance

lemma: Final = PaperLemmas("CHS-", "Chaudhuri, Hsu & Song, ")


def second_best_moves_by_at_most(values: Values, bound: Fraction) -> tuple[bool, str]:
    """True where the second best score, the best less the gap, moves by at most `bound`."""
    f, g, words = scores(values)
    second = []
    for quality in (f, g):
        _, gap = best_and_gap(quality)
        assert gap is not None
        second.append(max(quality) - Fraction(str(gap)))
    return abs(second[0] - second[1]) <= bound, f"{words} have second best {second[0]} and {second[1]}"


_COUNTING: Final = {"reach_f": "Int", "reach_g": "Int", "f": "Real", "g": "Real", "x": "Real"}

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
    FalseVariant(
        "sensitivity 0",
        order_instance("(= (f 1) (g 1))"),
        lambda values: second_best_moves_by_at_most(values, Fraction(0)),
    ),
    example=instance(
        order_instance(within("(f 1)", "(g 1)", "1")), SCORES_OF_BOTH, "(= (f 1) (+ (g 1) 1))", "(> (f 0) (f 1))"
    ),
    replay=lambda values: second_best_moves_by_at_most(values, Fraction(1)),
)


def margin_survives(values: Values, loss: int) -> tuple[bool, str]:
    """True where the (1, γ)-margin condition of D gives the (1, γ − loss)-condition of D′, in units of the scores."""
    f, g, words = scores(values)
    margin = number_value(values, "c")
    holds = not margin_condition(f, 1, margin) or margin_condition(g, 1, margin - loss)
    return holds, f"{words}, γ = {margin}"


def _margin_instance(loss: int) -> Goal:
    return goal("three-items", "QF_UFLIA", "f g: (Int) Int, c: Int").given(
        *NEAR_SCORES, *SORTED, "(and (<= 2 c) (> (- (f 0) (f 1)) c))", then=f"(> (- (g 0) (g 1)) (- c {loss}))"
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
