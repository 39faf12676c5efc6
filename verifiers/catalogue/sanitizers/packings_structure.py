"""Structure of packings: databases so far apart that no sanitized one is good for two of them."""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Final

from dpverify.mechanisms.sanitizers.concepts import Point
from dpverify.verifiers.structure.formulas import number_value, whole_value, within
from dpverify.verifiers.structure.rows import FalseVariant, Goal, PaperLemmas, Values, goal, instance

lemma: Final = PaperLemmas("BNS-J-", "Beimel, Nissim & Stemmer, journal version, ")


# Databases S_i of (1 − 3α)m entries x₁ and 3αm entries x_i, and what is α-close to them.
def _close(name: str, entries: str, *given: str) -> Goal:
    """One answer q on Ŝ within α of those on S_i and S_j, of which x_i satisfies the query and x_j does not."""
    return goal(name, "QF_LRA", "a common on_i on_j q: Real").given(
        "(> a 0.0)",
        "(and (= on_i (+ common " + entries + ")) (= on_j common))",
        within("on_i", "q", "a"),
        within("on_j", "q", "a"),
        *given,
        then="false",
    )


def both_close(values: Values, entries: int) -> tuple[bool, str]:
    """True where no database is α-close to both S_2 and S_3, of `entries`·α·m entries x_2 or x_3 and otherwise x_1.

    Answers are shares of rows that a point function is 1 on; α = a and the answer q on Ŝ are those of the model.
    """
    alpha, q = number_value(values, "a"), number_value(values, "q")
    m = lcm(alpha.denominator, q.denominator)
    moved = int(entries * alpha * m)

    def share(rows: Sequence[int]) -> Fraction:
        return Fraction(sum(map(Point(2), rows)), len(rows))

    s_2, s_3 = ([1] * (m - moved) + [x] * moved for x in (2, 3))
    between = [2] * int(q * m) + [1] * (m - int(q * m))
    close = all(abs(share(between) - share(rows)) <= alpha for rows in (s_2, s_3))
    words = f"α = {alpha}, m = {m}: the share of x_2 is {share(s_2)} and {share(s_3)}, and {share(between)} on Ŝ"
    return not close, words


_SHARES: Final = ("(= common 0.0)", "(and (<= 0.0 q) (<= q 1.0) (<= a (/ 1.0 4.0)))")
packing = lemma("4.15.structure.disjoint", "the proof of Lemma 4.15").says(
    "no database is α-close to both S_i and S_j, which differ in 3αm entries that a query tells apart",
    _close("disjoint", "(* 3.0 a)"),
    FalseVariant("2αm entries", _close("two", "(* 2.0 a)", *_SHARES), lambda values: both_close(values, 2)),
    example=instance(
        goal("one", "QF_LRA", "a q: Real").given(
            "(and (> a 0.0) (<= a (/ 1.0 4.0)))", within("(* 3.0 a)", "q", "a"), then="true"
        ),
        ("a", "q"),
        "(not (= q (* 3.0 a)))",
        "(<= q 1.0)",
    ),
    replay=lambda values: both_close(values, 3),
)


# Sets of k points: I, A and B, by the sizes of the parts of their Venn diagram.
_PARTS: Final = tuple(f"n{i}{j}{k}" for i in "01" for j in "01" for k in "01" if (i, j, k) != ("0", "0", "0"))
"""n_ijk: how many points lie in I, A and B (1), or not (0)."""


def _size(*, of: str) -> str:
    """The size of the intersection of the sets named 0, 1, 2 (I, A, B)."""
    return f"(+ 0 {' '.join(part for part in _PARTS if all(part[1 + int(s)] == '1' for s in of))})"


def _packed(name: str, common: str, *where: str) -> Goal:
    return goal(name, "QF_LIA", dict.fromkeys((*_PARTS, "k"), "Int")).given(
        *(f"(>= {part} 0)" for part in _PARTS),
        "(>= k 1)",
        *(f"(= {_size(of=s)} k)" for s in "012"),
        f"(and (>= (* 5 {_size(of='01')}) (* 4 k)) (>= (* 5 {_size(of='02')}) (* 4 k)))",  # I is good for both
        f"(<= {common})",
        *where,
        then="false",
    )


def good_for_both(values: Values, limit: Fraction) -> tuple[bool, str]:
    """True where I is not good for both A and B, which have at most `limit`·k points in common."""
    sizes = {part: whole_value(values, part) for part in _PARTS}
    sets: list[set[tuple[str, int]]] = [
        {(part, i) for part, size in sizes.items() if part[1 + s] == "1" for i in range(size)} for s in range(3)
    ]
    chosen, a1, a2 = sets
    k = len(chosen)
    good = [Fraction(len(chosen & a), k) >= Fraction(4, 5) for a in (a1, a2)]
    packed = len(a1) == len(a2) == k and len(a1 & a2) <= limit * k
    words = f"k = {k}, |A_1 ∩ A_2| = {len(a1 & a2)}, |I ∩ A_1| = {len(chosen & a1)}, |I ∩ A_2| = {len(chosen & a2)}"
    return not (packed and all(good)), words


def _error(name: str, share: str) -> Goal:
    """err(h_I, c_A) on D_A, which puts 5α/k on each point of A, for |I ∩ A| = n of k and |I| = k."""
    # (5α/k)·(k − n) ≤ α
    return goal(name, "QF_LRA", "n k: Real").given(
        "(and (> k 0.0) (<= 0.0 n) (<= n k))", "(<= (* 5.0 (- k n)) k)", then=f"(>= n (* {share} k))"
    )


k_points = lemma("5.7.structure.disjoint", "the proof of Lemma 5.7").says(
    "no hypothesis of k points is α-good for both c_A and c_B, where A and B of k points each share at most k/2, for "
    "every k",
    _error("error", "(/ 4.0 5.0)"),
    _packed("disjoint", f"(* 2 {_size(of='12')}) k"),
    FalseVariant(
        "A and B share at most 3k/5",
        _packed("three-fifths", f"(* 5 {_size(of='12')}) (* 3 k)"),
        lambda values: good_for_both(values, Fraction(3, 5)),
    ),
    example=instance(
        goal("one-good", "QF_LIA", dict.fromkeys((*_PARTS, "k"), "Int")).given(
            *(f"(>= {part} 0)" for part in _PARTS),
            *(f"(= {_size(of=s)} k)" for s in "012"),
            f"(>= (* 5 {_size(of='01')}) (* 4 k))",
            f"(<= (* 2 {_size(of='12')}) k)",
            then="true",
        ),
        (*_PARTS, "k"),
        "(= k 10)",
        f"(>= {_size(of='12')} 3)",
        f"(< {_size(of='01')} k)",
    ),
    replay=lambda values: good_for_both(values, Fraction(1, 2)),
)
