"""A number in the place of a symbolic ε: the value of numbers that are functions of it."""

from __future__ import annotations

from typing import Final

from flint import fmpq

from dpverify.mechanisms.exact.elementary import exp, log, sqrt
from dpverify.mechanisms.exact.exact_numbers import (
    Exact,
    Factor,
    Term,
    from_exponents,
    from_factor,
    power,
    product,
    rational,
    total,
)
from dpverify.mechanisms.exact.symbols import Symbol


class NumberSubstitution:
    """Puts `number` in a symbol's place in numbers."""

    def __init__(self, symbol: Symbol, number: Exact) -> None:
        self.symbol: Final = symbol
        self.number: Final = number
        self._known: dict[int, tuple[Exact, Exact]] = {}  # keeping the argument keeps its serial number its own

    def __call__(self, value: Exact) -> Exact:
        """`value` with the number in the symbol's place."""
        return value if value.symbol is None else self._of(value)

    def _of(self, number: Exact) -> Exact:
        known = self._known.get(number.serial)
        if known is None:
            known = self._known[number.serial] = (number, total(map(self._of_term, number.terms)))
        return known[1]

    def _of_term(self, term: Term) -> Exact:
        bases = dict(term.monomial.radicals)
        growth = bases.pop(self.symbol.base, fmpq(0))
        return product(
            (
                rational(term.coefficient),
                from_exponents(term.monomial.power, bases),
                exp(product((rational(growth), self.number))),
                *(power(self._of_factor(factor), k) for factor, k in term.factors),
            )
        )

    def _of_factor(self, factor: Factor) -> Exact:
        if not factor.is_atom:
            return self._of(from_factor(factor))
        if isinstance(factor.argument, int):
            return self.number if factor.argument == self.symbol.base else from_factor(factor)
        return _FUNCTIONS[factor.function](self._of(factor.argument))


_FUNCTIONS: Final = {"exp": exp, "log": log, "sqrt": sqrt}
