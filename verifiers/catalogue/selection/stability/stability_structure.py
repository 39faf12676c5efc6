"""Structure of A_dist: the gap that its threshold is for."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.mechanisms.selection.stability import best_and_gap
from dpverify.verifiers.catalogue.selection.order_statistics import SCORES_OF_BOTH, order_instance, scores
from dpverify.verifiers.structure.formulas import within
from dpverify.verifiers.structure.lemma import Values
from dpverify.verifiers.structure.rows import FalseVariant, PaperLemmas, goal, instance

lemma: Final = PaperLemmas("BNS-J-", "Beimel, Nissim & Stemmer, journal version, ")


def gap_moves_by_at_most(values: Values, bound: int) -> tuple[bool, str]:
    """True where the gap that A_dist computes moves by at most `bound`."""
    f, g, words = scores(values)
    gaps = [Fraction(str(best_and_gap(quality)[1])) for quality in (f, g)]
    return abs(gaps[0] - gaps[1]) <= bound, f"{words} have gaps {gaps[0]} and {gaps[1]}"


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
        lambda values: gap_moves_by_at_most(values, 1),
    ),
    example=instance(order_instance("true"), SCORES_OF_BOTH, "(= (- (f 0) (f 1)) (+ (- (g 0) (g 1)) 2))"),
    replay=lambda values: gap_moves_by_at_most(values, 2),
    note="what A_dist as printed takes for 1 is 2, when a row is replaced",
)
