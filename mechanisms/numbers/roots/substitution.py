"""Numbers in the place of a symbolic ε, or of coordinates: the value of numbers that are functions of them."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Final

from flint import fmpq

from dpverify.mechanisms.numbers.certified import Certified
from dpverify.mechanisms.numbers.elementary import exp, log, logarithm_of_base, normal_tail, sqrt
from dpverify.mechanisms.numbers.exact_numbers import (
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
from dpverify.mechanisms.numbers.monomials import Monomial
from dpverify.mechanisms.numbers.polynomial_form import has_balls_of_unknown
from dpverify.mechanisms.numbers.symbols import PairSymbol, Symbol, WholeSymbol, symbol_of


class Substitution(ABC):
    """Puts numbers in the place of symbols in numbers."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Exact, Exact]] = {}  # keeping the argument keeps its serial number its own

    def __call__(self, value: Exact) -> Exact:
        """`value` with the numbers in the symbols' place."""
        return value if value.symbol is None else self._of(value)

    @abstractmethod
    def of_monomial(self, monomial: Monomial) -> Exact:
        """The number that a monomial becomes."""

    @abstractmethod
    def of_logarithm(self, base: int) -> Exact | None:
        """The number that the logarithm of a base becomes; None where it stays."""

    def _of(self, number: Exact) -> Exact:
        known = self._known.get(number.serial)
        if known is None:
            known = self._known[number.serial] = (number, total(map(self._of_term, number.terms)))
        return known[1]

    def _of_term(self, term: Term) -> Exact:
        factors = (power(self._of_factor(factor), k) for factor, k in term.factors)
        return product((rational(term.coefficient), self.of_monomial(term.monomial), *factors))

    def _of_factor(self, factor: Factor) -> Exact:
        if not factor.is_atom:
            return self._of(from_factor(factor))
        if isinstance(factor.argument, int):
            number = self.of_logarithm(factor.argument)
            return from_factor(factor) if number is None else number
        if isinstance(factor.argument, Certified):
            made: Exact | None = factor.argument.with_numbers(self)
            return from_factor(factor) if made is None else made
        assert isinstance(factor.argument, Exact)
        return _FUNCTIONS[factor.function](self._of(factor.argument))


class NumberSubstitution(Substitution):
    """Puts `number` in a symbol's place in numbers."""

    def __init__(self, symbol: Symbol, number: Exact) -> None:
        super().__init__()
        self.symbol: Final = symbol
        self.number: Final = number

    def of_monomial(self, monomial: Monomial) -> Exact:
        """With the number for the symbol."""
        bases = dict(monomial.radicals)
        growth: list[Exact] = [rational(bases.pop(self.symbol.base, fmpq(0)))]
        for base in [base for base in bases if base < 0]:
            symbol = symbol_of(base)
            if isinstance(symbol, PairSymbol) and symbol.factor == self.symbol.base:
                growth.append(product((rational(bases.pop(base)), logarithm_of_base(symbol.whole.base))))
        return product((from_exponents(monomial.power, bases), exp(product((total(growth), self.number)))))

    def of_logarithm(self, base: int) -> Exact | None:
        """The number, for the symbol's base."""
        return self.number if base == self.symbol.base else None


class PointSubstitution(Substitution):
    """Puts whole numbers in the place of coordinates, by their places; coordinates of other places stay."""

    def __init__(self, point: Mapping[int, int]) -> None:
        super().__init__()
        self.point: Final = dict(point)

    def __call__(self, value: Exact) -> Exact:
        """See `Substitution`; coordinates may be in what is known by balls, too."""
        return self._of(value) if has_balls_of_unknown(value) else super().__call__(value)

    def of_monomial(self, monomial: Monomial) -> Exact:
        """With the point's whole numbers: e^h, p^h and e^(ε·h) become powers."""
        exponent = monomial.power
        bases: dict[int, fmpq] = {}
        for base, r in monomial.radicals:
            symbol = symbol_of(base)
            whole = symbol.whole if isinstance(symbol, PairSymbol) else symbol
            value = self.point.get(whole.place) if isinstance(whole, WholeSymbol) else None
            if value is None:
                bases[base] = bases.get(base, fmpq(0)) + r
            elif isinstance(symbol, PairSymbol):
                bases[symbol.factor] = bases.get(symbol.factor, fmpq(0)) + r * value
            else:
                exponent += r * value
        return from_exponents(exponent, bases)

    def of_logarithm(self, base: int) -> Exact | None:
        """The whole number, for a coordinate's base."""
        symbol = symbol_of(base)
        value = self.point.get(symbol.place) if isinstance(symbol, WholeSymbol) else None
        return None if value is None else rational(fmpq(value))


_FUNCTIONS: Final = {"exp": exp, "log": log, "sqrt": sqrt, "normal_tail": normal_tail}
