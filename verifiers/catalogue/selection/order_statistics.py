"""Instances of lemmas about order statistics: the scores of three items on two neighbours."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.verifiers.structure.formulas import in_brackets, number_value, within
from dpverify.verifiers.structure.lemma import Goal, Values

# Order statistics of scores f on D and g on a neighbour D′, which differ by at most 1 in each item.

SCORES_OF_BOTH: Final = tuple(f"({name} {i})" for name in "fg" for i in range(3))
NEAR_SCORES: Final = (
    *(within(f"(f {i})", f"(g {i})", "1") for i in range(3)),
    *(f"(and (<= 0 {term}) (<= {term} 9))" for term in SCORES_OF_BOTH),
)
SORTED: Final = (
    # both in falling order: without loss for f, and a case among others for g
    *(f"(>= ({name} {i}) ({name} {i + 1}))" for name in "fg" for i in range(2)),
)


def scores(values: Values) -> tuple[list[Fraction], list[Fraction], str]:
    """The scores of three items on both databases."""
    f, g = ([number_value(values, f"({name} {i})") for i in range(3)] for name in "fg")
    return f, g, f"scores {in_brackets(f)} and {in_brackets(g)}"


def order_instance(then: str) -> Goal:
    """Both scores in falling order imply `then`."""
    return Goal(
        name="three-items",
        logic="QF_UFLIA",
        declare={"f": "(Int) Int", "g": "(Int) Int"},
        given=(*NEAR_SCORES, *SORTED),
        then=then,
    )
