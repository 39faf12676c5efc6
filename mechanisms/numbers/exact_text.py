"""Exact numbers as text: for people (1/2·e^(-3)·2^(1/2)), and as Python that gives the number again."""

from __future__ import annotations

from string import ascii_lowercase
from typing import TYPE_CHECKING, Final

from flint import fmpq

from dpverify.mechanisms.numbers.certified import Certified
from dpverify.mechanisms.numbers.shown import LONGEST, cut
from dpverify.mechanisms.numbers.symbols import OF_DELTA, PairSymbol, SymbolOfTheorems, WholeSymbol, symbol_of

if TYPE_CHECKING:
    from dpverify.mechanisms.numbers.atoms import FactorForm, NumberForm, TermForm


def notation(number: NumberForm) -> str:
    """`number` in mathematical notation."""
    terms = sorted(number.terms, key=_reading_order)
    text = " + ".join(_readable_term(term) for term in terms)
    return text.replace("+ -", "- ")


def readable_within(number: NumberForm, most: int) -> str | None:
    """`number` in mathematical notation; None where that takes more than so many characters.

    Of a very long one the text is not made: each of its terms but one takes 3 characters and more, as in " + 1".
    """
    if _more_terms_than((most + 2) // 3, number):
        return None
    text = notation(number)
    return text if len(text) <= most else None


def _more_terms_than(most: int, number: NumberForm) -> bool:
    """True where the text of `number` has more terms than that, those within brackets among them."""
    waiting, result = [number], 0
    while waiting and result <= most:
        terms = waiting.pop().terms
        result += len(terms)
        waiting += [factor for term in terms for factor, _ in term.factors if not factor.is_atom]
    return result > most


def at_a_glance(number: NumberForm, most: int = LONGEST) -> str:
    """`number` in mathematical notation, for a message: what goes beyond so many characters is left out."""
    return cut(notation(number), most)


def evaluable(number: NumberForm) -> str:
    """`number` as a Python expression in Fraction, exp, log and sqrt."""
    return " + ".join(_evaluable_term(term) for term in sorted(number.terms, key=_reading_order))


def _reading_order(term: TermForm) -> tuple[int, fmpq, str]:
    # Rational first, then by falling power of e; the text settles the rest, so that the order never depends on
    # which number was made first.
    power = term.monomial.power
    return (0 if term.is_rational else 1, -power, _evaluable_term(term))


def _readable_term(term: TermForm) -> str:
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


def _readable_exponentials(term: TermForm) -> list[str]:
    power = term.monomial.power
    parts = [] if power == 0 else ["e" if power == 1 else f"e^{_exponent(power)}"]
    return parts + [
        f"{base}^{_exponent(r)}" if base > 0 else _power_of(_name(base), r) for base, r in term.monomial.radicals
    ]


def _power_of(name: str, factor: fmpq) -> str:
    return f"e^{name}" if factor == 1 else f"e^(-{name})" if factor == -1 else f"e^({factor}·{name})"


def _name(base: int, epsilon: str = "ε", times: str = "·", logarithm: str = "ln {}") -> str:
    """Name of the logarithm of a base: ε, δ, or a, b, c, … for the unknown whole numbers of these places."""
    symbol = symbol_of(base)
    if symbol is None:
        return logarithm.format(base)
    if isinstance(symbol, PairSymbol):
        return times.join(_name(part, epsilon, times, logarithm) for part in (symbol.factor, symbol.whole.base))
    if isinstance(symbol, WholeSymbol):
        return _LETTERS[symbol.place] if symbol.place < len(_LETTERS) else f"h{symbol.place}"
    if isinstance(symbol, SymbolOfTheorems):
        for_people, in_code = ("δ", "symbolic_delta") if base == OF_DELTA else ("N", "symbolic_depth")
        return for_people if epsilon == "ε" else in_code
    return epsilon


_LETTERS: Final = ascii_lowercase


def _exponent(value: fmpq) -> str:
    return str(value) if value >= 0 and value.q == 1 else f"({value})"


def _readable_factor(factor: FactorForm) -> str:
    if not factor.is_atom:
        return f"({notation(factor)})"
    if isinstance(factor.argument, int):
        return _name(factor.argument)
    if isinstance(factor.argument, Certified):
        return factor.argument.readable
    name = "ln" if factor.function == "log" else factor.function
    return f"{name}({notation(factor.argument)})"


def _evaluable_term(term: TermForm) -> str:
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


def _evaluable_factor(factor: FactorForm) -> str:
    if not factor.is_atom:
        return f"({evaluable(factor)})"
    if isinstance(factor.argument, int):
        return _evaluable_logarithm(factor.argument)
    if isinstance(factor.argument, Certified):
        return factor.argument.name
    return f"{factor.function}({evaluable(factor.argument)})"


def _evaluable_logarithm(base: int) -> str:
    return _name(base, "symbolic", "*", "log({})")


def _evaluable_rational(value: fmpq) -> str:
    return str(value) if value.q == 1 else f"Fraction({value.p}, {value.q})"
