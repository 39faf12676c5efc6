"""Structure of the partitions of Section 3.2: of intervals of length 2J, and of those that are shifted by J."""

from __future__ import annotations

from typing import Final

from dpverify.verifiers.catalogue.refuted import proof_step
from dpverify.verifiers.structure.formulas import whole_value
from dpverify.verifiers.structure.lemma import Goal, Values
from dpverify.verifiers.structure.rows import FalseVariant, PaperLemmas, goal, instance

lemma: Final = PaperLemmas("BNS-J-", "Beimel, Nissim & Stemmer, journal version, ")
lemma1: Final = PaperLemmas("BNS-X-", "Beimel, Nissim & Stemmer, extended abstract, ")

_SECTION: Final = "Section 3.2, how an interval of length J is to be chosen"
_TERMS: Final = ("J", "P", "p", "q")


def _covered(name: str, more: int, *, length_of_b: str = "(* 2 J)", most: int | None = None) -> Goal:
    """[p, q], of J + `more` points, lies in the interval of {A_i} that holds p, from P on, or in one from P + J on."""
    of_points = f"(= (+ (- q p) 1) (+ J {more}))"
    return (  # of J points from P + J on, those that follow each other to P + 2J end there, where one of {A_i} does
        goal(name, "QF_LIA", dict.fromkeys(_TERMS, "Int")).given(
            f"(and (>= J 1) (>= P 0) (<= P p) (<= p (+ P (* 2 J) (- 1))) {of_points})",
            *(() if most is None else (f"(and (<= J {most}) (= P 0))",)),
            then=f"(or (<= q (+ P (* 2 J) (- 1))) (and (<= (+ P J) p) (<= q (+ P J {length_of_b} (- 1)))))",
        )
    )


def _lies_in_a_block(values: Values, *, of_b: int) -> tuple[bool, str]:
    size, start, p, q = (whole_value(values, name) for name in _TERMS)
    low, high = p - start, q - start
    in_a = low // (2 * size) == high // (2 * size)
    length = of_b * size
    in_b = low >= size and (low - size) // length == (high - size) // length
    return in_a or in_b, f"J = {size}: [{low}, {high}] of {high - low + 1} points"


def in_long_blocks(values: Values) -> tuple[bool, str]:
    """True where [p, q] lies in a block of 2J points, from 0 on or from J on."""
    return _lies_in_a_block(values, of_b=2)


def in_short_blocks(values: Values) -> tuple[bool, str]:
    """True where [p, q] lies in a block of 2J points from 0 on, or in one of J points from J on."""
    return _lies_in_a_block(values, of_b=1)


covering = lemma("3.5.structure.covering", _SECTION).says(
    "[a, b] with b − a ≤ J lies inside one of the intervals {A_i} or {B_i} of 2J points, of which {B_i} "
    "begin at J; J ≥ 1",
    _covered("J-points", 0),
    _covered("one-more", 1),
    FalseVariant("b − a = J + 1", _covered("two-more", 2)),
    example=instance(_covered("some", 1, most=9), _TERMS, "(> J 1)", "(> q (* 2 J))"),
    replay=in_long_blocks,
    note="J + 1 points fit, as b − a = J asks, and J + 2 need not",
)

covering_as_printed = lemma1("Rem1.structure.covering-printed", _SECTION).says(
    "an interval of J points lies inside one of the intervals {A_i} of 2J points, or {B_i} of J points that begin at J",
    _covered("J-points", 0, length_of_b="J"),
    FalseVariant("J + 1 points", _covered("one-more", 1, length_of_b="J")),
    example=instance(_covered("some", 0, length_of_b="J", most=9), _TERMS, "(> J 1)", "(<= q (+ P J))"),
    replay=in_short_blocks,
    terms=_TERMS,
    refuted=proof_step(
        "{B_i} have to be of length 2J, as the journal version has them (BNS-J-3.5.structure.covering): of length J "
        "each lies in one of {A_i}, and what lies across an end of these is in none."
    ),
)
