"""Formulas of SMT-LIB 2 that several lemmas write, and values of a model as Python's numbers."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from dpverify.verifiers.structure.lemma import Values


def minimum(*terms: str) -> str:
    """The least of the terms."""
    first, *rest = terms
    return first if not rest else f"(let ((m {minimum(*rest)})) (ite (<= {first} m) {first} m))"


def greatest(*terms: str) -> str:
    """The greatest of the terms."""
    first, *rest = terms
    return first if not rest else f"(let ((m {greatest(*rest)})) (ite (>= {first} m) {first} m))"


def all_of(formulas: Iterable[str]) -> str:
    """The conjunction."""
    return f"(and true {' '.join(formulas)})"


def within(x: str, y: str, distance: str) -> str:
    """|x − y| ≤ distance."""
    return f"(and (<= (- {x} {y}) {distance}) (<= (- {y} {x}) {distance}))"


def indicator(formula: str) -> str:
    """1 where the formula holds, and 0 elsewhere, as a whole number."""
    return f"(ite {formula} 1 0)"


def number_value(values: Values, term: str) -> Fraction:
    """The value of a term that is a number."""
    return Fraction(values[term])


def whole_value(values: Values, term: str) -> int:
    """The value of a term that is a whole number."""
    return int(number_value(values, term))


def in_brackets(numbers: Sequence[Fraction | int]) -> str:
    """Numbers in brackets."""
    return "[" + ", ".join(map(str, numbers)) + "]"
