"""Structure for the learner of thresholds: its quality, and the partitions of Section 3.2 that its search makes."""

from itertools import combinations
from typing import Final

from dpverify.mechanisms.learners.thresholds_learner import threshold_quality
from dpverify.verifiers.catalogue.recursion.quasi_concave_structure import is_quasi_concave
from dpverify.verifiers.structure.formulas import all_of, in_brackets, indicator, minimum, whole_value
from dpverify.verifiers.structure.rows import FalseVariant, Goal, PaperLemmas, Values, goal, instance

lemma: Final = PaperLemmas("BNS-J-", "Beimel, Nissim & Stemmer, journal version, ")
abstract: Final = PaperLemmas("BNS-X-", "Beimel, Nissim & Stemmer, extended abstract, ")

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


quasi_concave = lemma("3.8.structure.thresholds", "Example 3.8, and 3.9 for samples that no threshold labels").says(
    "the number of examples that c_j labels rightly is quasi-concave in j, on every sample that some threshold labels, "
    "of any size",
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


# The partitions of Section 3.2: intervals of length 2J, and those that are shifted by J.
_SECTION: Final = "Section 3.2, how an interval of length J is to be chosen"
_TERMS: Final = ("J", "P", "p", "q")


def _covered(name: str, more: int, *, length_of_b: str = "(* 2 J)", most: int | None = None) -> Goal:
    """[p, q], of J + `more` points, lies in the interval of {A_i} that holds p, from P on, or in one from P + J on."""
    of_points = f"(= (+ (- q p) 1) (+ J {more}))"
    # of J points from P + J on, those that follow each other to P + 2J end there, where one of {A_i} does
    return goal(name, "QF_LIA", "J P p q: Int").given(
        f"(and (>= J 1) (>= P 0) (<= P p) (<= p (+ P (* 2 J) (- 1))) {of_points})",
        *(() if most is None else (f"(and (<= J {most}) (= P 0))",)),
        then=f"(or (<= q (+ P (* 2 J) (- 1))) (and (<= (+ P J) p) (<= q (+ P J {length_of_b} (- 1)))))",
    )


def in_blocks(values: Values, of_b: int) -> tuple[bool, str]:
    """True where [p, q] lies in a block of 2J points from 0 on, or in one of `of_b`·J points from J on."""
    size, start, p, q = (whole_value(values, name) for name in _TERMS)
    low, high = p - start, q - start
    in_a = low // (2 * size) == high // (2 * size)
    length = of_b * size
    in_b = low >= size and (low - size) // length == (high - size) // length
    return in_a or in_b, f"J = {size}: [{low}, {high}] of {high - low + 1} points"


covering = lemma("3.5.structure.covering", _SECTION).says(
    "[a, b] with b − a ≤ J lies inside one of the intervals {A_i} or {B_i} of 2J points, of which {B_i} begin at J; "
    "J ≥ 1",
    _covered("J-points", 0),
    _covered("one-more", 1),
    FalseVariant("b − a = J + 1", _covered("two-more", 2)),
    example=instance(_covered("some", 1, most=9), _TERMS, "(> J 1)", "(> q (* 2 J))"),
    replay=lambda values: in_blocks(values, 2),
    note="J + 1 points fit, as b − a = J asks, and J + 2 need not",
)
covering_as_printed = abstract("Rem1.structure.covering-printed", _SECTION).says(
    "an interval of J points lies inside one of the intervals {A_i} of 2J points, or {B_i} of J points that begin at J",
    _covered("J-points", 0, length_of_b="J"),
    FalseVariant("J + 1 points", _covered("one-more", 1, length_of_b="J")),
    example=instance(_covered("some", 0, length_of_b="J", most=9), _TERMS, "(> J 1)", "(<= q (+ P J))"),
    replay=lambda values: in_blocks(values, 1),
    terms=_TERMS,
    proof_step="{B_i} have to be of length 2J, as the journal version has them (BNS-J-3.5.structure.covering): of "
    "length J each lies in one of {A_i}, and what lies across an end of these is in none.",
)
