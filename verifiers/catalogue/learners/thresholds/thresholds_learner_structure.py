"""Structure of the learner of thresholds: the quality that it hands to the recursion."""

from __future__ import annotations

from itertools import combinations
from typing import Final

from dpverify.mechanisms.learners.thresholds_learner import threshold_quality
from dpverify.verifiers.catalogue.recursion.quasi_concave_structure import is_quasi_concave
from dpverify.verifiers.structure.formulas import all_of, in_brackets, indicator, minimum, whole_value
from dpverify.verifiers.structure.lemma import Goal, Values
from dpverify.verifiers.structure.rows import FalseVariant, PaperLemmas, goal, instance

lemma: Final = PaperLemmas("BNS-J-", "Beimel, Nissim & Stemmer, journal version, ")

# The quality of thresholds c_j, c_j(x) = 1 for x < j: how many examples c_j labels as they are labelled.

_X: Final = tuple(f"(x {i})" for i in range(3))
_Y: Final = tuple(f"(y {i})" for i in range(3))


def correct(j: str) -> str:
    """The number of three examples that c_j labels as they are labelled."""
    return f"(+ {' '.join(indicator(f'(= (< {x} {j}) (= {y} 1))') for x, y in zip(_X, _Y, strict=True))})"


def _three_examples(*, consistent: bool) -> Goal:
    return goal("three-examples", "QF_UFLIA", "x y: (Int) Int, t: Int").given(
        *(f"(and (<= 0 {x}) (<= {x} 3) (<= 0 {y}) (<= {y} 1))" for x, y in zip(_X, _Y, strict=True)),
        "(and (<= 0 t) (<= t 4))",
        *(f"(= (= {y} 1) (< {x} t))" for x, y in zip(_X, _Y, strict=True) if consistent),
        then=all_of(
            f"(>= {correct(str(between))} {minimum(correct(str(i)), correct(str(j)))})"
            for i, between, j in combinations(range(5), 3)
        ),
    )


def threshold_quality_is_quasi_concave(values: Values) -> tuple[bool, str]:
    """True where the quality of thresholds is quasi-concave on the sample."""
    sample = [(whole_value(values, x), whole_value(values, y)) for x, y in zip(_X, _Y, strict=True)]
    quality = threshold_quality(sample, 2)
    found = [quality(j) for j in range(5)]
    return is_quasi_concave(found), f"the sample {sample} has Q = {in_brackets(found)}"


def _towards(name: str, order: str, then: str) -> tuple[Goal, Goal]:
    declare = {"before": "(Int) Int", "x": "Int", "y": "Bool", "j": "Int", "k": "Int", "t": "Int"}
    label_right = {j: indicator(f"(= (< x {j}) y)") for j in "jk"}
    return (
        goal(f"{name}-base", "QF_UFLIA", declare).given(
            "(and (= (before j) 0) (= (before k) 0))", order, then=f"({then} (before j) (before k))"
        ),
        goal(f"{name}-step", "QF_UFLIA", declare).given(  # one example (x, y) more, labelled by c_t
            order,
            f"({then} (before j) (before k))",
            "(= y (< x t))",
            then=f"({then} (+ (before j) {label_right['j']}) (+ (before k) {label_right['k']}))",
        ),
    )


thresholds_quasi_concave = lemma(
    "3.8.structure.thresholds", "Example 3.8, and 3.9 for samples that no threshold labels"
).says(
    "the number of examples that c_j labels rightly is quasi-concave in j, on every sample that some "
    "threshold labels, of any size",
    *_towards("up-to-the-target", "(and (<= j k) (<= k t))", "<="),
    *_towards("beyond-the-target", "(and (<= t j) (<= j k))", ">="),
    goal("between-two", "QF_UFLIA", "Q: (Int) Int, t i l j: Int").given(
        "(and (<= i l) (<= l j))",
        "(=> (<= l t) (<= (Q i) (Q l)))",
        "(=> (<= t l) (>= (Q l) (Q j)))",
        then=f"(>= (Q l) {minimum('(Q i)', '(Q j)')})",
    ),
    FalseVariant("the sample need not be consistent (3.9)", _three_examples(consistent=False)),
    example=instance(
        _three_examples(consistent=True),
        (*_X, *_Y),
        "(distinct (x 0) (x 1) (x 2))",
        "(= (y 0) 1)",
        "(= (y 1) 0)",
        "(< (x 2) (x 0))",
    ),
    replay=threshold_quality_is_quasi_concave,
)
