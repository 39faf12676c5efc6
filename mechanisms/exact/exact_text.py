"""Exact numbers as text: for people (1/2·e^(-3)·2^(1/2)), and as Python that gives the number again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flint import fmpq

from dpverify.mechanisms.exact.shown import LONGEST, cut

if TYPE_CHECKING:
    from dpverify.mechanisms.exact.atoms import Atom
    from dpverify.mechanisms.exact.exact_numbers import Exact, Sum, Term


def readable(number: Exact) -> str:
    """`number` in mathematical notation."""
    terms = sorted(number.terms, key=_reading_order)
    text = " + ".join(_readable_term(term) for term in terms)
    return text.replace("+ -", "- ")


def readable_within(number: Exact, most: int) -> str | None:
    """`number` in mathematical notation; None where that takes more than so many characters.

    Of a very long one the text is not made: each of its terms but one takes 3 characters and more, as in " + 1".
    """
    if _more_terms_than((most + 2) // 3, number):
        return None
    text = readable(number)
    return text if len(text) <= most else None


def _more_terms_than(most: int, number: Exact) -> bool:
    """Whether the text of `number` has more terms than that, those within brackets among them."""
    waiting, found = [number], 0
    while waiting and found <= most:
        terms = waiting.pop().terms
        found += len(terms)
        waiting += [factor for term in terms for factor, _ in term.factors if not factor.is_atom]
    return found > most


def at_a_glance(number: Exact, most: int = LONGEST) -> str:
    """`number` in mathematical notation, for a message: what goes beyond so many characters is left out."""
    return cut(readable(number), most)


def evaluable(number: Exact) -> str:
    """`number` as a Python expression in Fraction, exp, log and sqrt."""
    return " + ".join(_evaluable_term(term) for term in sorted(number.terms, key=_reading_order))


def _reading_order(term: Term) -> tuple[int, fmpq, str]:
    # Rational first, then by falling power of e; the text settles the rest, so that the order never depends on
    # which number was made first.
    power = term.monomial.power
    return (0 if term.is_rational else 1, -power, _evaluable_term(term))


def _readable_term(term: Term) -> str:
    above = _readable_exponentials(term)
    below: list[str] = []
    for factor, k in term.factors:
        text = _readable_factor(factor)
        (above if k > 0 else below).append(text if abs(k) == 1 else f"{text}^{abs(k)}")
    above.sort()
    below.sort()
    if term.coefficient == -1 and above:
        head = "-" + "·".join(above)
    elif term.coefficient == 1 and above:
        head = "·".join(above)
    else:
        head = "·".join([str(term.coefficient), *above])
    if not below:
        return head
    return f"{head}/{below[0]}" if len(below) == 1 else f"{head}/({'·'.join(below)})"


def _readable_exponentials(term: Term) -> list[str]:
    power = term.monomial.power
    parts = [] if power == 0 else ["e" if power == 1 else f"e^{_exponent(power)}"]
    return parts + [
        f"{base}^{_exponent(r)}" if base > 0 else _power_of_epsilon(r) for base, r in term.monomial.radicals
    ]


def _power_of_epsilon(factor: fmpq) -> str:
    return "e^ε" if factor == 1 else "e^(-ε)" if factor == -1 else f"e^({factor}·ε)"


def _exponent(value: fmpq) -> str:
    return str(value) if value >= 0 and value.q == 1 else f"({value})"


def _readable_factor(factor: Sum | Atom) -> str:
    if not factor.is_atom:
        return f"({readable(factor)})"
    if isinstance(factor.argument, int):
        return f"ln {factor.argument}" if factor.argument > 0 else "ε"
    name = "ln" if factor.function == "log" else factor.function
    return f"{name}({readable(factor.argument)})"


def _evaluable_term(term: Term) -> str:
    power = term.monomial.power
    parts = [] if power == 0 else [f"exp({_evaluable_rational(power)})"]
    parts += [f"exp({_evaluable_rational(r)}*{_evaluable_logarithm(base)})" for base, r in term.monomial.radicals]
    factors = []
    for factor, k in term.factors:
        text = _evaluable_factor(factor)
        factors.append(text if k == 1 else f"{text}**{k}" if k > 0 else f"{text}**({k})")
    parts += sorted(factors)
    if term.coefficient != 1 or not parts:
        parts.insert(0, _evaluable_rational(term.coefficient))
    return "*".join(parts)


def _evaluable_factor(factor: Sum | Atom) -> str:
    if not factor.is_atom:
        return f"({evaluable(factor)})"
    if isinstance(factor.argument, int):
        return _evaluable_logarithm(factor.argument)
    return f"{factor.function}({evaluable(factor.argument)})"


def _evaluable_logarithm(base: int) -> str:
    return f"log({base})" if base > 0 else "symbolic"


def _evaluable_rational(value: fmpq) -> str:
    return str(value) if value.q == 1 else f"Fraction({value.p}, {value.q})"
