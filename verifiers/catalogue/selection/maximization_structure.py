"""Structure of private maximization: an item that is good without a look at the data."""

from __future__ import annotations

from typing import Final

from dpverify.mechanisms.selection.packing_bound import largest_somewhere
from dpverify.verifiers.structure.formulas import number_value
from dpverify.verifiers.structure.lemma import Goal, Values
from dpverify.verifiers.structure.rows import FalseVariant, PaperLemmas, goal, instance

lemma: Final = PaperLemmas("CHS-", "")

_TERMS: Final = ("top_i", "top_j", "at_i", "at_j")


def _goal(name: str, change: str, *further: str, then: str = "(<= (- at_j at_i) 1.0)") -> Goal:
    """Item i has the largest quality of all, top_i, on some database; on another one the two have at_i and at_j."""
    return goal(name, "QF_LRA", dict.fromkeys(_TERMS, "Real")).given(
        "(<= top_j top_i)",
        "(<= at_j top_j)",
        f"(and (<= at_i top_i) (<= (- top_i at_i) {change}))",
        *further,
        then=then,
    )


def within_one(values: Values) -> tuple[bool, str]:
    """True where the item that is largest somewhere is at most 1 below the other, on the second of two databases."""
    top_i, top_j, at_i, at_j = (number_value(values, name) for name in _TERMS)
    quality = {"i": (top_i, at_i), "j": (top_j, at_j)}
    chosen = largest_somewhere(quality)
    below = max(at_i, at_j) - quality[chosen][1]
    return (
        below <= 1,
        f"item {chosen} is {below} below the best, of i with {top_i} and {at_i}, j with {top_j} and {at_j}",
    )


constant = lemma("Prop1.structure.constant", "by hand, of Chaudhuri, Hsu & Song, Proposition 1").says(
    "the item whose quality is largest on some database is within 1 of the best on every one, if its quality "
    "on two databases of n rows differs by 1 at most, as it does for Lipschitz constant 1/n",
    _goal("constant", "1.0"),
    FalseVariant("a Lipschitz constant of 2/n", _goal("two", "2.0")),
    example=instance(_goal("example", "1.0", then="true"), _TERMS, "(> at_j at_i)"),
    replay=within_one,
)
