"""Structure of points, thresholds and labelled concepts: which sets they shatter, on domains of every size."""

from typing import Final

from dpverify.mechanisms.sanitizers.concepts import Point, Threshold
from dpverify.mechanisms.sanitizers.dimensions import behaviours, is_shattered
from dpverify.mechanisms.sanitizers.label_sanitizer import labelled_concept
from dpverify.verifiers.structure.formulas import whole_value
from dpverify.verifiers.structure.rows import FalseVariant, Goal, PaperLemmas, Values, goal, instance

lemma: Final = PaperLemmas("BNS-J-", "Beimel, Nissim & Stemmer, journal version, ")


# The points 0, …, n − 1: x and y lie there, and so does the index j of a concept.
def _first_point(least: int, most: int | None = None) -> Goal:
    """Some concept c_j labels the first point 0: as c_0 labels it 1, {0} is shattered."""
    return goal("one", "LIA", "n: Int").given(
        f"(>= n {least})",
        *(() if most is None else (f"(<= n {most})",)),
        then="(exists ((j Int)) (and (<= 0 j) (< j n) (not (= 0 j))))",
    )


def first_point_is_shattered(values: Values) -> tuple[bool, str]:
    """True where the point functions on n points shatter {0}."""
    n = whole_value(values, "n")
    found = is_shattered(behaviours(map(Point, range(n)), range(n)), (0,))
    return found, f"n = {n}: {{0}} is {'' if found else 'not '}shattered"


def _both_labels(name: str, of_x: str, of_y: str, *where: str) -> Goal:
    """No concept c_j labels x and y so, for points x < y."""
    return goal(name, "QF_LIA", "n x y j: Int").given(
        "(and (<= 0 x) (< x y) (< y n))", *where, then=f"(not (and {of_x} {of_y}))"
    )


def pair_is_not_shattered(values: Values, concept: type[Point | Threshold], end: int) -> tuple[bool, str]:
    """True where the class, of the indices below n + `end`, does not shatter {x, y}; and how c_j labels them."""
    n, x, y, j = (whole_value(values, name) for name in ("n", "x", "y", "j"))
    shattered = is_shattered(behaviours(map(concept, range(n + end)), range(n)), (x, y))
    c = concept(j)
    return not shattered, f"n = {n}: c_{j} labels {x} and {y} as {c(x)} and {c(y)}"


def labels_differ_from(values: Values, concept: type[Point | Threshold], labels: tuple[int, int]) -> tuple[bool, str]:
    """True where c_j labels x and y otherwise than so."""
    x, y, j = (whole_value(values, name) for name in ("x", "y", "j"))
    c = concept(j)
    return (c(x), c(y)) != labels, f"c_{j} labels {x} and {y} as {c(x)} and {c(y)}"


_TERMS: Final = ("n", "x", "y", "j")
_SMALL: Final = ("(and (<= 0 j) (<= j n) (<= n 4))",)
points_as_printed = lemma(
    "3.1.structure.vc-as-printed", "after Definition 3.1; Bun, Nissim & Stemmer, Section 2.2, for any X"
).says(
    "the point functions on n ≥ 1 points shatter a point",
    _first_point(1),
    FalseVariant("on a single point", _first_point(1, 1)),
    example=instance(_first_point(1, 4), ("n",), "(> n 1)"),
    replay=first_point_is_shattered,
    terms=("n",),
    degenerate="A single point: its only concept labels it 1. There is no ε in it.",
)
points = lemma("3.1.structure.vc", "after Definition 3.1, for at least two points").says(
    "VC = 1 for the point functions on n ≥ 2 points, for every n: {0} is shattered, and no concept is 1 on two points",
    _first_point(2),
    _both_labels("two", "(= x j)", "(= y j)"),
    FalseVariant(
        "no concept labels two points 0 and 1",
        _both_labels("other", "(not (= x j))", "(= y j)", *_SMALL, "(< j n)"),
        lambda values: labels_differ_from(values, Point, (0, 1)),
        terms=("x", "y", "j"),
    ),
    example=instance(_both_labels("some", "true", "true", *_SMALL, "(< j n)"), _TERMS, "(= j x)"),
    replay=lambda values: pair_is_not_shattered(values, Point, 0),
)
thresholds = lemma("3.4.structure.vc", "after Definition 3.4").says(
    "VC(THRESH) = 1 on n ≥ 1 points, for every n: {0} is shattered by c_0 and c_1, and no concept labels x < y as 0 "
    "and 1",
    goal("one", "QF_LIA", "n: Int").given(
        "(>= n 1)",
        then="(and (<= 0 0) (<= 0 n) (not (< 0 0)) (<= 0 1) (<= 1 n) (< 0 1))",  # c_0(0) = 0 and c_1(0) = 1
    ),
    _both_labels("two", "(not (< x j))", "(< y j)"),
    FalseVariant(
        "no concept labels x < y as 1 and 0",
        _both_labels("other", "(< x j)", "(not (< y j))", *_SMALL),
        lambda values: labels_differ_from(values, Threshold, (1, 0)),
        terms=("x", "y", "j"),
    ),
    example=instance(_both_labels("some", "true", "true", *_SMALL), _TERMS, "(= j y)"),
    replay=lambda values: pair_is_not_shattered(values, Threshold, 1),
)


# C^label: c^label(x∘σ) = σ ⊕ c(x).
def _labelled(then: str, *given: str) -> Goal:
    return goal("threshold", "QF_LIA", "x j: Int, sigma: Bool").given(
        "(and (<= 0 x) (<= x 3) (<= 0 j) (<= j 4))", *given, then=then
    )


_LABEL: Final = "(xor sigma (< x j))"


def label_is(values: Values, *, flipped: bool) -> tuple[bool, str]:
    """True where c^label(x∘σ) = c(x), or c(x) ⊕ σ where that is said, for the threshold c_j."""
    x, j, sigma = whole_value(values, "x"), whole_value(values, "j"), int(bool(values["sigma"]))
    label, found = Threshold(j)(x), labelled_concept(Threshold(j))((x, sigma))
    words = f"c_{j}: c({x}) = {label}, c^label({x}∘{sigma}) = {found}"
    return found == label ^ (sigma if flipped else 0), words


labelled = lemma("5.2.structure.vc", "Claim 5.2: VC(C) ≤ VC(C^label) ≤ 2·VC(C)").says(
    "C^label shatters a set exactly where its points x are distinct and C shatters them: VC(C^label) = VC(C), for "
    "every class C",
    # x∘0 and x∘1 never have the same label
    goal("distinct", "QF_UF", "c: Bool").given(then="(not (= (xor false c) (xor true c)))"),
    # a concept with c(x) = b(x) labels x∘σ with σ ⊕ b(x): every labelling of x∘σ comes from one b
    goal("up", "QF_UF", "c b sigma: Bool").given("(= c (xor b sigma))", then="(= (xor sigma c) b)"),
    # a concept with c^label(x∘σ) = σ ⊕ b(x) has c(x) = b(x)
    goal("down", "QF_UF", "c b sigma: Bool").given("(= (xor sigma c) (xor sigma b))", then="(= c b)"),
    goal("as-printed", "QF_LIA", "vc vc_label: Int").given(  # and so both printed bounds
        "(and (>= vc 0) (= vc vc_label))", then="(and (<= vc vc_label) (<= vc_label (* 2 vc)))"
    ),
    FalseVariant("c^label(x∘σ) = c(x)", _labelled(f"(= {_LABEL} (< x j))"), lambda v: label_is(v, flipped=False)),
    example=instance(_labelled("true"), ("x", "j", "sigma"), "sigma", "(< x j)"),
    replay=lambda values: label_is(values, flipped=True),
    note="the factor 2 of the claim is not needed: a shattered set has no two points x∘0 and x∘1. That a set is "
    "shattered where each labelling comes from a concept is the definition, and joins the goals",
)
