"""Lemmas about sanitizers: the quality that SanThresholds hands to the recursion, labels, and packings."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Final

from dpverify.mechanisms.sanitizers.concepts import Point, Threshold
from dpverify.mechanisms.sanitizers.label_sanitizer import labelled_concept
from dpverify.mechanisms.sanitizers.thresholds_sanitizer import most_within, scale_quality
from dpverify.verifiers.lemmas.recursion import is_quasi_concave
from dpverify.verifiers.structure.formulas import maximum, minimum, number, shown, whole_number, within
from dpverify.verifiers.structure.lemma import Goal, Instance, Lemma, Mutant, Values

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"


# I(S, j), the most points in an interval of length 2^j of the range, and Q of step 6 of SanThresholds.

_ON: Final = tuple(f"(on {x})" for x in range(4))
"""How many rows are at each of the points of [0, 3]."""

_I: Final = (
    "0",
    maximum(*_ON),
    maximum(*(f"(+ {_ON[i]} {_ON[i + 1]})" for i in range(3))),
    f"(+ {' '.join(_ON)})",
)
"""I(−1), …, I(2)."""

_Q: Final = tuple(minimum(f"(- {_I[j + 1]} 2)", f"(- 6 {_I[j]})") for j in range(3))
"""Q on the scales 0, 1, 2, with αm/32 = 2."""


def _scales(then: str) -> Goal:
    return Goal(
        name="four-points",
        logic="QF_UFLIA",
        declare={"on": "(Int) Int"},
        given=tuple(f"(and (<= 0 {count}) (<= {count} 4))" for count in _ON),
        then=then,
    )


def scales(values: Values) -> tuple[list[Fraction], str]:
    """Q on the scales of the implementation, with αm/32 = 2."""
    points = [x for x in range(4) for _ in range(whole_number(values, f"(on {x})"))]
    quality = scale_quality(points, 2, Fraction(2))
    found = [Fraction(quality(j)) for j in range(3)]
    return found, f"the points {points} have I = {shown(most_within(points, 2))} and Q = {shown(found)}"


def q_is_quasi_concave(values: Values) -> tuple[bool, str]:
    """Whether Q is quasi-concave."""
    found, words = scales(values)
    return is_quasi_concave(found), words


def q_is_concave(values: Values) -> tuple[bool, str]:
    """Whether Q is concave."""
    found, words = scales(values)
    return 2 * found[1] >= found[0] + found[2], words


sanitizer_quality = Lemma(
    id="BNS-J-4.9.structure.scales",
    source=f"{_BNS}, Claim 4.9",
    statement="Q(S, ·) of step 6 of SanThresholds is quasi-concave, on every database and range",
    goals=(
        Goal(
            name="longer-intervals",  # one of length w ≤ U/2 inside [0, U) lies inside one of length 2w there
            logic="QF_LIA",
            declare=dict.fromkeys(("a", "w", "U", "b"), "Int"),
            given=(
                "(and (>= w 1) (>= U (* 2 w)) (>= a 0) (<= (+ a w) U))",
                "(= b (ite (<= (+ a (* 2 w)) U) a (- U (* 2 w))))",
            ),
            then="(and (>= b 0) (<= (+ b (* 2 w)) U) (<= b a) (<= (+ a w) (+ b (* 2 w))))",
        ),
        Goal(
            name="first-scale",  # I(−1) = 0, and each I(j) counts rows
            logic="QF_LIA",
            declare={"I": "Int", "before": "Int"},
            given=("(and (= before 0) (>= I 0))",),
            then="(<= before I)",
        ),
        Goal(
            name="one-scale",  # I(j) is reached by an interval, which one of twice the length contains
            logic="QF_UFLIA",
            declare={"reached_by_w": "(Int) Bool", "reached_by_2w": "(Int) Bool", "I": "Int", "I2": "Int"},
            given=("(reached_by_w I)", "(=> (reached_by_w I) (reached_by_2w I))", "(=> (reached_by_2w I) (>= I2 I))"),
            then="(>= I2 I)",
        ),
        Goal(
            name="all-scales-step",
            logic="QF_UFLIA",
            declare={"I": "(Int) Int", "j": "Int", "k": "Int"},
            given=("(<= (I j) (I k))", "(<= (I k) (I (+ k 1)))"),
            then="(<= (I j) (I (+ k 1)))",
        ),
        Goal(
            name="more-points-base",
            logic="QF_LIA",
            declare={"inner": "Int", "outer": "Int"},
            given=("(and (= inner 0) (= outer 0))",),
            then="(<= inner outer)",
        ),
        Goal(
            name="more-points-step",  # and holds as many rows: by induction over the rows
            logic="QF_LIA",
            declare=dict.fromkeys(("inner", "outer", "a", "c", "b", "d", "x"), "Int"),
            given=("(<= inner outer)", "(and (<= b a) (<= c d))"),  # [a, c) inside [b, d)
            then="(<= (+ inner (ite (and (<= a x) (< x c)) 1 0)) (+ outer (ite (and (<= b x) (< x d)) 1 0)))",
        ),
        Goal(
            name="between-two",
            logic="QF_UFLIRA",
            declare={"I": "(Int) Real", "unit": "Real", "i": "Int", "l": "Int", "j": "Int"},
            given=(
                "(and (<= i l) (<= l j))",
                "(<= (I i) (I l))",  # I does not fall
                "(<= (I (- l 1)) (I (- j 1)))",
            ),
            then="(>= {} {})".format(
                minimum("(- (I l) unit)", "(- (* 3.0 unit) (I (- l 1)))"),
                minimum(*(term for x in "ij" for term in (f"(- (I {x}) unit)", f"(- (* 3.0 unit) (I (- {x} 1)))"))),
            ),
        ),
    ),
    example=Instance(goal=_scales("true"), terms=_ON, where=(f"(> {_Q[1]} {_Q[0]})", f"(> {_Q[1]} {_Q[2]})")),
    replay=q_is_quasi_concave,
    mutants=(
        Mutant(
            change="Q is concave",
            instance=Instance(goal=_scales(f"(>= (* 2 {_Q[1]}) (+ {_Q[0]} {_Q[2]}))"), terms=_ON),
            replay=q_is_concave,
        ),
    ),
)


# C^label: c^label(x∘σ) = σ ⊕ c(x).


def _labelled(then: str, *given: str) -> Goal:
    return Goal(
        name="threshold",
        logic="QF_LIA",
        declare={"x": "Int", "j": "Int", "sigma": "Bool"},
        given=("(and (<= 0 x) (<= x 3) (<= 0 j) (<= j 4))", *given),
        then=then,
    )


_LABEL: Final = "(xor sigma (< x j))"


def label_is(values: Values, *, flipped: bool) -> tuple[bool, str]:
    """Whether c^label(x∘σ) = c(x), or c(x) ⊕ σ where that is said, for the threshold c_j."""
    x, j, sigma = whole_number(values, "x"), whole_number(values, "j"), int(bool(values["sigma"]))
    concept = Threshold(j)
    found = labelled_concept(concept)((x, sigma))
    return found == concept(x) ^ (
        sigma if flipped else 0
    ), f"c_{j}: c({x}) = {concept(x)}, c^label({x}∘{sigma}) = {found}"


vc = Lemma(
    id="BNS-J-5.2.structure.vc",
    source=f"{_BNS}, Claim 5.2: VC(C) ≤ VC(C^label) ≤ 2·VC(C)",
    statement="C^label shatters a set exactly where its points x are distinct and C shatters them: VC(C^label) = "
    "VC(C), for every class C",
    goals=(
        Goal(
            name="distinct",  # x∘0 and x∘1 never have the same label
            logic="QF_UF",
            declare={"c": "Bool"},
            then="(not (= (xor false c) (xor true c)))",
        ),
        Goal(
            name="up",  # a concept with c(x) = b(x) labels x∘σ with σ ⊕ b(x): every labelling of x∘σ comes from one b
            logic="QF_UF",
            declare={"c": "Bool", "b": "Bool", "sigma": "Bool"},
            given=("(= c (xor b sigma))",),
            then="(= (xor sigma c) b)",
        ),
        Goal(
            name="down",  # a concept with c^label(x∘σ) = σ ⊕ b(x) has c(x) = b(x)
            logic="QF_UF",
            declare={"c": "Bool", "b": "Bool", "sigma": "Bool"},
            given=("(= (xor sigma c) (xor sigma b))",),
            then="(= c b)",
        ),
        Goal(
            name="as-printed",  # and so both printed bounds
            logic="QF_LIA",
            declare={"vc": "Int", "vc_label": "Int"},
            given=("(and (>= vc 0) (= vc vc_label))",),
            then="(and (<= vc vc_label) (<= vc_label (* 2 vc)))",
        ),
    ),
    example=Instance(goal=_labelled("true"), terms=("x", "j", "sigma"), where=("sigma", "(< x j)")),
    replay=lambda values: label_is(values, flipped=True),
    mutants=(
        Mutant(
            change="c^label(x∘σ) = c(x)",
            instance=Instance(goal=_labelled(f"(= {_LABEL} (< x j))"), terms=("x", "j", "sigma")),
            replay=lambda values: label_is(values, flipped=False),
        ),
    ),
    note="the factor 2 of the claim is not needed: a shattered set has no two points x∘0 and x∘1. That a set is "
    "shattered where each labelling comes from a concept is the definition, and joins the goals",
)


# Databases S_i of (1 − 3α)m entries x₁ and 3αm entries x_i, and what is α-close to them.


def _close(name: str, entries: str, *given: str) -> Goal:
    """One answer q on Ŝ within α of those on S_i and S_j, of which x_i satisfies the query and x_j does not."""
    return Goal(
        name=name,
        logic="QF_LRA",
        declare=dict.fromkeys(("a", "common", "on_i", "on_j", "q"), "Real"),
        given=(
            "(> a 0.0)",
            "(and (= on_i (+ common " + entries + ")) (= on_j common))",
            within("on_i", "q", "a"),
            within("on_j", "q", "a"),
            *given,
        ),
        then="false",
    )


def both_close(values: Values, entries: int) -> tuple[bool, str]:
    """Whether no database is α-close to both S_2 and S_3, of `entries`·α·m entries x_2 or x_3 and otherwise x_1.

    Answers are shares of rows that a point function is 1 on; α = a and the answer q on Ŝ are those of the model.
    """
    alpha, q = number(values, "a"), number(values, "q")
    m = lcm(alpha.denominator, q.denominator)
    moved = int(entries * alpha * m)

    def share(rows: Sequence[int]) -> Fraction:
        return Fraction(sum(map(Point(2), rows)), len(rows))

    s_2, s_3 = ([1] * (m - moved) + [x] * moved for x in (2, 3))
    between = [2] * int(q * m) + [1] * (m - int(q * m))
    close = all(abs(share(between) - share(rows)) <= alpha for rows in (s_2, s_3))
    return (
        not close,
        f"α = {alpha}, m = {m}: the share of x_2 is {share(s_2)} and {share(s_3)}, and {share(between)} on Ŝ",
    )


_SHARES: Final = ("(= common 0.0)", "(and (<= 0.0 q) (<= q 1.0) (<= a (/ 1.0 4.0)))")

packing = Lemma(
    id="BNS-J-4.15.structure.disjoint",
    source=f"{_BNS}, the proof of Lemma 4.15",
    statement="no database is α-close to both S_i and S_j, which differ in 3αm entries that a query tells apart",
    goals=(_close("disjoint", "(* 3.0 a)"),),
    example=Instance(
        goal=Goal(
            name="one",
            logic="QF_LRA",
            declare=dict.fromkeys(("a", "q"), "Real"),
            given=("(and (> a 0.0) (<= a (/ 1.0 4.0)))", within("(* 3.0 a)", "q", "a")),
            then="true",
        ),
        terms=("a", "q"),
        where=("(not (= q (* 3.0 a)))", "(<= q 1.0)"),
    ),
    replay=lambda values: both_close(values, 3),
    mutants=(
        Mutant(
            change="2αm entries",
            instance=Instance(goal=_close("two", "(* 2.0 a)", *_SHARES), terms=("a", "q")),
            replay=lambda values: both_close(values, 2),
        ),
    ),
)


# Sets of k points: I, A and B, by the sizes of the parts of their Venn diagram.

_PARTS: Final = tuple(f"n{i}{j}{k}" for i in "01" for j in "01" for k in "01" if (i, j, k) != ("0", "0", "0"))
"""n_ijk: how many points lie in I, A and B (1), or not (0)."""


def _size(*, of: str) -> str:
    """The size of the intersection of the sets named 0, 1, 2 (I, A, B)."""
    return f"(+ 0 {' '.join(part for part in _PARTS if all(part[1 + int(s)] == '1' for s in of))})"


def _packed(name: str, common: str, *where: str) -> Goal:
    return Goal(
        name=name,
        logic="QF_LIA",
        declare=dict.fromkeys((*_PARTS, "k"), "Int"),
        given=(
            *(f"(>= {part} 0)" for part in _PARTS),
            "(>= k 1)",
            *(f"(= {_size(of=s)} k)" for s in "012"),
            f"(and (>= (* 5 {_size(of='01')}) (* 4 k)) (>= (* 5 {_size(of='02')}) (* 4 k)))",  # I is good for both
            f"(<= {common})",
            *where,
        ),
        then="false",
    )


def good_for_both(values: Values, limit: Fraction) -> tuple[bool, str]:
    """Whether I is not good for both A and B, which have at most `limit`·k points in common."""
    sizes = {part: whole_number(values, part) for part in _PARTS}
    sets: list[set[tuple[str, int]]] = [
        {(part, i) for part, size in sizes.items() if part[1 + s] == "1" for i in range(size)} for s in range(3)
    ]
    chosen, a1, a2 = sets
    k = len(chosen)
    good = [Fraction(len(chosen & a), k) >= Fraction(4, 5) for a in (a1, a2)]
    packed = len(a1) == len(a2) == k and len(a1 & a2) <= limit * k
    return not (
        packed and all(good)
    ), f"k = {k}, |A_1 ∩ A_2| = {len(a1 & a2)}, |I ∩ A_1| = {len(chosen & a1)}, |I ∩ A_2| = {len(chosen & a2)}"


def _error(name: str, share: str) -> Goal:
    """err(h_I, c_A) on D_A, which puts 5α/k on each point of A, for |I ∩ A| = n of k and |I| = k."""
    return Goal(
        name=name,
        logic="QF_LRA",
        declare={"n": "Real", "k": "Real"},
        given=("(and (> k 0.0) (<= 0.0 n) (<= n k))", "(<= (* 5.0 (- k n)) k)"),  # (5α/k)·(k − n) ≤ α
        then=f"(>= n (* {share} k))",
    )


k_points = Lemma(
    id="BNS-J-5.7.structure.disjoint",
    source=f"{_BNS}, the proof of Lemma 5.7",
    statement="no hypothesis of k points is α-good for both c_A and c_B, where A and B of k points each share at most "
    "k/2, for every k",
    goals=(
        _error("error", "(/ 4.0 5.0)"),
        _packed("disjoint", f"(* 2 {_size(of='12')}) k"),
    ),
    example=Instance(
        goal=Goal(
            name="one-good",
            logic="QF_LIA",
            declare=dict.fromkeys((*_PARTS, "k"), "Int"),
            given=(
                *(f"(>= {part} 0)" for part in _PARTS),
                *(f"(= {_size(of=s)} k)" for s in "012"),
                f"(>= (* 5 {_size(of='01')}) (* 4 k))",
                f"(<= (* 2 {_size(of='12')}) k)",
            ),
            then="true",
        ),
        terms=(*_PARTS, "k"),
        where=("(= k 10)", f"(>= {_size(of='12')} 3)", f"(< {_size(of='01')} k)"),
    ),
    replay=lambda values: good_for_both(values, Fraction(1, 2)),
    mutants=(
        Mutant(
            change="A and B share at most 3k/5",
            instance=Instance(goal=_packed("three-fifths", f"(* 5 {_size(of='12')}) (* 3 k)"), terms=(*_PARTS, "k")),
            replay=lambda values: good_for_both(values, Fraction(3, 5)),
        ),
    ),
)

LEMMAS: Final = (sanitizer_quality, vc, packing, k_points)
