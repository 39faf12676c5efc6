"""Exact real numbers: sums of terms c·e^a·∏p^r·∏fᵏ, kept as structure and decided exactly.

Every probability of this library is such a number. With a rational ε it is a quotient of sums of terms c·e^(-rε);
with e^ε rational, of terms c·∏p^r over primes p. Thresholds such as (1/ε)·ln(1/δ) add logarithms.

- A `Term` is a rational coefficient, a `Monomial` e^a·∏p^r (a rational, 0 < r < 1), and whole powers of *factors*;
  a factor is a `Sum`, or an `Atom`: the logarithm of a prime, or a function value that has no closed form here. Beside
  the primes, e^ε is a base for an ε that is a `Symbol`; such a number is a function of ε, and its sign is that for all.
- A `Sum` is two or more terms that differ in monomial or factors. Products of sums are not multiplied out.

Numbers are immutable and shared: the same structure, built twice, is the same object, so that caches can go by
identity. Comparisons are exact (`decision.py`).

The classes and the arithmetic are one file, since the operators of the classes are the arithmetic that makes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from importlib import import_module
from typing import Any, ClassVar, Final, Literal, NoReturn, TypeAlias, cast
from weakref import WeakValueDictionary

from flint import arb, fmpq

from dpverify.mechanisms.numbers import decision, exact_text, monomials, polynomial_form
from dpverify.mechanisms.numbers.atoms import Atom, serials
from dpverify.mechanisms.numbers.cached_results import remembered
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.monomials import Monomial
from dpverify.mechanisms.numbers.plain_numbers import number_in_text, plain_number
from dpverify.mechanisms.numbers.refused_uses import (
    is_asked_for_by_a_mechanism,
    note_text,
    refuse_as_plain_number,
    refuse_float,
    refuse_hash,
)
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.numbers.symbols import Symbol, leading, notes


class Exact:
    """An exact real number: made by `exact`, `exp`, `log`, `sqrt` and arithmetic, compared exactly.

    Raises `InputError` when mixed with a float, `Undecided` where a comparison has no complete test.

    >>> number: Exact = exp(1) / 2
    >>> number > 1
    True
    """

    __slots__ = ("__weakref__", "_hash", "ball", "serial", "symbol", "terms")

    terms: tuple[Term, ...]
    serial: int
    ball: arb | None
    symbol: Symbol | None
    """The symbol that it is a function of; of several, a coordinate if there is one, see `symbols.leading`."""
    _hash: int | None

    def __add__(self, other: object) -> Exact:
        number = as_number(other)
        return NotImplemented if number is None else remembered(_add, self, number)

    __radd__ = __add__

    def __sub__(self, other: object) -> Exact:
        number = as_number(other)
        return NotImplemented if number is None else remembered(_subtract, self, number)

    def __rsub__(self, other: object) -> Exact:
        number = as_number(other)
        return NotImplemented if number is None else remembered(_subtract, number, self)

    def __mul__(self, other: object) -> Exact:
        number = as_number(other)
        return NotImplemented if number is None else remembered(_multiply, self, number)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Exact:
        number = as_number(other)
        return NotImplemented if number is None else remembered(_divide, self, number)

    def __rtruediv__(self, other: object) -> Exact:
        number = as_number(other)
        return NotImplemented if number is None else remembered(_divide, number, self)

    def __pow__(self, exponent: int) -> Exact:
        if isinstance(exponent, UnknownWhole):
            return NotImplemented  # which knows what that is
        if not isinstance(exponent, int):
            raise InputError(
                bad_input.WRONG, f"the exponent {shown(exponent)}", "an integer", "write exp(exponent * log(base))"
            )
        return power(self, exponent)

    def __neg__(self) -> Exact:
        return remembered(_subtract, ZERO, self)

    def __pos__(self) -> Exact:
        return self

    def __abs__(self) -> Exact:
        return negative(self) if decision.sign(self) < 0 else self

    def __eq__(self, other: object) -> bool:
        number = as_number(other)
        return NotImplemented if number is None else ordering(self, number) == 0

    def __lt__(self, other: object) -> bool:
        number = as_number(other)
        return NotImplemented if number is None else ordering(self, number) < 0

    def __le__(self, other: object) -> bool:
        number = as_number(other)
        return NotImplemented if number is None else ordering(self, number) <= 0

    def __gt__(self, other: object) -> bool:
        number = as_number(other)
        return NotImplemented if number is None else ordering(self, number) > 0

    def __ge__(self, other: object) -> bool:
        number = as_number(other)
        return NotImplemented if number is None else ordering(self, number) >= 0

    def __bool__(self) -> bool:
        return decision.sign(self) != 0

    def __hash__(self) -> int:
        if self.symbol is not None and is_asked_for_by_a_mechanism(self):  # most have none
            refuse_hash(self)
        if self._hash is None:
            # A function of the value alone, since equal numbers of whatever form must hash alike.
            value = polynomial_form.rational_value(self)
            if value is not None:
                self._hash = hash(to_fraction(value))
            elif self.symbol is None:
                self._hash = hash(_leading_part(self))
            else:
                # unequal hashes of equal functions cost a cache its hit, and no more
                reduced = polynomial_form.reduced_fraction(self)
                self._hash = hash(self.serial if reduced is None else reduced)
        return self._hash

    def __floor__(self) -> int:
        return whole_part(self)

    def __ceil__(self) -> int:
        return -whole_part(negative(self))

    def exp(self) -> Exact:
        """e^self: what numpy asks for, of each number of an array of objects, as for the next two."""
        return cast("Exact", _elementary().exp(self))

    def log(self) -> Exact:
        """The natural logarithm. Raises `InputError` where the number is not positive."""
        return cast("Exact", _elementary().log(self))

    def sqrt(self) -> Exact:
        """The square root. Raises `InputError` where the number is negative."""
        return cast("Exact", _elementary().sqrt(self))

    def __float__(self) -> NoReturn:
        refuse_float(self)

    def _as_plain_number(self, *_: object) -> NoReturn:
        refuse_as_plain_number(self)

    __int__ = __index__ = __complex__ = __round__ = __trunc__ = _as_plain_number
    __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = __divmod__ = __rdivmod__ = __rpow__ = _as_plain_number

    def __str__(self) -> str:
        if is_asked_for_by_a_mechanism(self):
            note_text(self)
        return exact_text.notation(self)

    def __repr__(self) -> str:
        if is_asked_for_by_a_mechanism(self):
            note_text(self)
        return exact_text.evaluable(self)


class Unknown:
    """A number that depends on coordinates, as `number` says, in another form: see `unknown_numbers.py`."""

    __slots__ = ("number",)

    def __init__(self, number: Exact) -> None:
        self.number: Final = number


class UnknownWhole(Unknown):
    """One that is known to be whole, among the numbers that this library computes with: see `whole_forms.py`."""

    __slots__ = ()


def is_unknown(number: Exact) -> bool:
    """True where a number depends on coordinates."""
    return number.symbol is not None and number.symbol.is_whole


class Term(Exact):
    """coefficient·monomial·∏ factorᵏ; the factors are sorted by serial number, and no k is 0."""

    __slots__ = ("coefficient", "factors", "monomial", "unit")

    def __init__(self, coefficient: fmpq, monomial: Monomial, factors: _Factors, unit: UnitKey) -> None:
        self.coefficient: Final = coefficient
        self.monomial: Final = monomial
        self.factors: Final = factors
        self.unit: Final = unit  # stands for monomial and factors: terms of one unit are collected
        symbol = monomial.symbol
        if factors and (symbol is None or not symbol.is_whole):
            symbol = leading((symbol, *[factor.symbol for factor, _ in factors]))
        self.symbol = symbol
        self.serial = next(serials)
        self.ball = None
        self._hash = None
        self.terms = (self,)

    def __reduce__(self) -> tuple[Any, ...]:
        return _term_again, (int(self.coefficient.p), int(self.coefficient.q), self.monomial, self.factors)

    @property
    def is_rational(self) -> bool:
        """True where the term is a plain rational number by its form."""
        return self.monomial is monomials.UNIT and not self.factors


class Sum(Exact):
    """Two or more terms of pairwise distinct units."""

    __slots__ = ()

    is_atom: ClassVar[Literal[False]] = False

    def __init__(self, terms: tuple[Term, ...]) -> None:
        self.symbol = leading([term.symbol for term in terms])
        self.serial = next(serials)
        self.ball = None
        self._hash = None
        self.terms = terms

    def __reduce__(self) -> tuple[Any, ...]:
        return _sum_again, (self.terms,)


Factor: TypeAlias = Sum | Atom
_Factors: TypeAlias = tuple[tuple[Factor, int], ...]
UnitKey: TypeAlias = tuple[int, tuple[tuple[int, int], ...]]
ExactLike: TypeAlias = int | Fraction | Decimal | str | Exact


def _elementary() -> Any:
    """The functions that compute with numbers, in a module above this."""
    return import_module("dpverify.mechanisms.numbers.elementary")


# The tables of shared structure hold their values weakly: a number lives as long as somebody uses it.
_terms: WeakValueDictionary[tuple[int, int, UnitKey], Term] = WeakValueDictionary()
_sums: WeakValueDictionary[tuple[int, ...], Sum] = WeakValueDictionary()


def _term(coefficient: fmpq, monomial: Monomial, factors: _Factors) -> Term:
    unit = (monomial.serial, tuple([(factor.serial, k) for factor, k in factors]) if factors else ())
    key = (int(coefficient.p), int(coefficient.q), unit)
    term = _terms.get(key)
    if term is None:
        term = _terms[key] = Term(coefficient, monomial, factors, unit)
    return term


# Numbers travel between processes as structure, and become the shared ones where they arrive: serial numbers, by which
# they are sorted, are of one process.


def _term_again(numerator: int, denominator: int, monomial: Monomial, factors: _Factors) -> Term:
    return _term(fmpq(numerator, denominator), monomial, tuple(sorted(factors, key=_serial_of_factor)))


def _sum_again(terms: tuple[Term, ...]) -> Sum:
    return _sum(list(terms))


def _serial_of_factor(factor: tuple[Factor, int]) -> int:
    return factor[0].serial


def rational(value: fmpq) -> Term:
    """The rational number `value`."""
    return _term(value, monomials.UNIT, ())


@lru_cache(maxsize=1 << 16)
def _ratio(numerator: int, denominator: int) -> Term:
    return rational(fmpq(numerator, denominator))


ZERO: Final = rational(fmpq(0))
ONE: Final = rational(fmpq(1))
_ONE: Final = fmpq(1)
_MINUS_ONE: Final = fmpq(-1)


def from_factor(factor: Factor, k: int = 1) -> Exact:
    """The number factor^k, for a factor of a term and a whole k that is not 0."""
    return factor if k == 1 and isinstance(factor, Sum) else _term(_ONE, monomials.UNIT, ((factor, k),))


def from_exponents(power_of_e: fmpq, exponents: Mapping[int, fmpq]) -> Term:
    """e^power_of_e·∏ base^exponent."""
    coefficient, monomial = monomials.of_exponents(power_of_e, exponents)
    return _term(coefficient, monomial, ())


def product(numbers: Iterable[Exact]) -> Exact:
    """The product of `numbers`; a rational times a sum is again a sum, other products of sums stay products."""
    coefficient = _ONE
    monomial = monomials.UNIT
    factors: dict[int, tuple[Factor, int]] = {}
    for number in numbers:
        if isinstance(number, Term):
            coefficient = number.coefficient if coefficient is _ONE else coefficient * number.coefficient
            if monomial is monomials.UNIT:
                monomial = number.monomial
            elif number.monomial is not monomials.UNIT:
                carried, monomial = monomials.monomial_product(monomial, number.monomial)
                coefficient *= carried
            for factor, k in number.factors:
                _multiply_in(factors, factor, k)
        else:
            assert isinstance(number, Sum)
            _multiply_in(factors, number, 1)
    if not coefficient:
        return ZERO
    kept = tuple([factors[serial] for serial in sorted(factors) if factors[serial][1]]) if factors else ()
    if len(kept) == 1 and monomial is monomials.UNIT and kept[0][1] == 1 and isinstance(kept[0][0], Sum):
        return _scaled(coefficient, kept[0][0])
    return _term(coefficient, monomial, kept)


def _multiply_in(factors: dict[int, tuple[Factor, int]], factor: Factor, k: int) -> None:
    present = factors.get(factor.serial)
    factors[factor.serial] = (factor, k if present is None else present[1] + k)


def _scaled(coefficient: fmpq, number: Exact) -> Exact:
    if coefficient == 1:
        return number
    return _sum([_term(coefficient * t.coefficient, t.monomial, t.factors) for t in number.terms])


def _sum(terms: list[Term]) -> Sum:
    terms.sort(key=_by_serial)
    key = tuple(term.serial for term in terms)
    result = _sums.get(key)
    if result is None:
        result = _sums[key] = Sum(tuple(terms))
    return result


def _by_serial(term: Term) -> int:
    return term.serial


def total(numbers: Iterable[Exact]) -> Exact:
    """The sum of `numbers`, like terms collected; 0 for none."""
    collected: dict[UnitKey, tuple[fmpq, Term]] = {}
    for number in numbers:
        for term in number.terms:
            present = collected.get(term.unit)
            value = term.coefficient if present is None else present[0] + term.coefficient
            collected[term.unit] = (value, term)
    return _collected(collected)


def combination(parts: Iterable[tuple[fmpq, Exact]]) -> Exact:
    """The sum of numbers times rational ones, like terms collected."""
    collected: dict[UnitKey, tuple[fmpq, Term]] = {}
    for factor, number in parts:
        for term in number.terms:
            value, present = factor * term.coefficient, collected.get(term.unit)
            collected[term.unit] = (value if present is None else present[0] + value, term)
    return _collected(collected)


def _collected(collected: Mapping[UnitKey, tuple[fmpq, Term]]) -> Exact:
    terms = [
        term if value is term.coefficient or value == term.coefficient else _term(value, term.monomial, term.factors)
        for value, term in collected.values()
        if value
    ]
    if not terms:
        return ZERO
    return terms[0] if len(terms) == 1 else _sum(terms)


def negative(number: Exact) -> Exact:
    """−number."""
    if isinstance(number, Term):
        return _term(-number.coefficient, number.monomial, number.factors)
    return _scaled(_MINUS_ONE, number)


def inverse(number: Exact) -> Term:
    """1/number. Raises `ZeroDivisionError` where it is 0, `Undecided` where that cannot be told."""
    if decision.sign(number) == 0:
        raise ZeroDivisionError(f"{number} is 0")
    return reciprocal_of_nonzero(number)


def reciprocal_of_nonzero(number: Exact) -> Term:
    """1/number for a number that the caller knows not to be 0, such as a sum of positive weights."""
    if isinstance(number, Sum):
        return _term(_ONE, monomials.UNIT, ((number, -1),))
    assert isinstance(number, Term)
    carried, monomial = monomials.monomial_power(number.monomial, -1)
    return _term(carried / number.coefficient, monomial, tuple([(factor, -k) for factor, k in number.factors]))


def power(number: Exact, exponent: int) -> Exact:
    """number^exponent for a whole exponent; 0^0 = 1."""
    if exponent < 0:
        return power(inverse(number), -exponent)
    if exponent == 0:
        return ONE
    if isinstance(number, Sum):
        return number if exponent == 1 else _term(_ONE, monomials.UNIT, ((number, exponent),))
    assert isinstance(number, Term)
    carried, monomial = monomials.monomial_power(number.monomial, exponent)
    coefficient, beside = monomials.rational_power(number.coefficient, exponent)
    if beside is not monomials.UNIT:
        more, monomial = monomials.monomial_product(beside, monomial)
        carried *= more
    factors = tuple([(factor, k * exponent) for factor, k in number.factors])
    return _term(carried * coefficient, monomial, factors)


def _add(left: Exact, right: Exact) -> Exact:
    return total((left, right))


def _subtract(left: Exact, right: Exact) -> Exact:
    return total((left, negative(right)))


def _multiply(left: Exact, right: Exact) -> Exact:
    return product((left, right))


def _divide(left: Exact, right: Exact) -> Exact:
    return product((left, inverse(right)))


def ordering(left: Exact, right: Exact) -> int:
    """-1, 0 or 1 as left is less than, equal to or greater than right. Raises `Undecided`."""
    if left is right:
        return 0
    if right is ZERO:
        return decision.sign(left)
    if left.ball is not None and right.ball is not None:  # else the difference is asked, which is remembered
        if left.ball > right.ball:
            return 1
        if left.ball < right.ball:
            return -1
    return decision.sign(left - right)


def _leading_part(number: Exact) -> int:
    """A whole number that depends on the value alone: ⌊2³²·x⌋, or for large x the k with 2^k ≤ |x| < 2^(k+1)."""
    size = decision.binary_size(number)
    if size > _LARGEST_HASHED + 3:
        return _LARGEST_HASHED
    if size < 64:
        return floor(product((rational(fmpq(1 << 32)), number)))
    magnitude = number if decision.sign(number) > 0 else negative(number)
    k = size + 1
    while ordering(magnitude, rational(fmpq(1 << k))) < 0:
        k -= 1
    return min(k, _LARGEST_HASHED)


_LARGEST_HASHED: Final = 1 << 16
"""The k of larger numbers: 2^k is not written out to find it."""


def whole_part(number: Exact) -> int:
    """The largest whole number ≤ number; of unknown whole numbers a function, see `affine_regions.py`."""
    if number.symbol is not None and number.symbol.is_whole:
        unknown: int = decision.whole_part_of_function(number, number.symbol)  # in the place of an int
        return unknown
    return floor(number)


def floor(number: Exact) -> int:
    """The largest whole number ≤ number: exact also where `number` is whole without looking it."""
    value = decision.near_integer(number)
    while ordering(number, rational(fmpq(value))) < 0:
        value -= 1
    while ordering(number, rational(fmpq(value + 1))) >= 0:
        value += 1
    return value


def exact(value: ExactLike, name: str = "") -> Exact:
    """The exact number that `value` denotes: an int, Fraction, Decimal, decimal string ("0.5", "1e-6", "1/3") or Exact.

    Raises `InputError`, naming the argument `name`, for a float and for anything that is not a finite number.

    >>> exact("0.1") + exact("0.2") == exact("0.3")
    True
    """
    if isinstance(value, Exact):
        return value
    number = as_number(value, name)
    if number is not None:
        return number
    fraction = number_in_text(value, name)
    return _ratio(fraction.numerator, fraction.denominator)


def as_number(value: object, name: str = "") -> Exact | None:
    """`value` as an exact number, None for another type, text too. Raises `InputError` for a float or a bool."""
    kind = type(value)
    if kind is Term or kind is Sum:  # `isinstance` asks of an unknown number what it is, which takes long
        return value  # type: ignore[return-value]  # one of them
    # the most frequent ones here, as the others take long to tell
    if type(value) is int:
        return _ratio(value, 1)
    if type(value) is Fraction:
        return _ratio(value.numerator, value.denominator)
    if value is None:  # as is the end of an interval that goes on for ever
        return None
    if issubclass(kind, Unknown):
        number: Exact = value.number  # type: ignore[attr-defined]  # as it is unknown
        return number if notes.answers is None else as_number(notes.answers.value(number))
    given = plain_number(value, name)
    return None if given is None else _ratio(given.numerator, given.denominator)


def to_fraction(value: fmpq) -> Fraction:
    """A rational of python-flint as a `Fraction`."""
    return Fraction(int(value.p), int(value.q))


def as_parameter(number: Exact) -> Fraction | Exact:
    """The number a mechanism is given: a `Fraction` where `number` is rational by its form, else the number itself."""
    return to_fraction(number.coefficient) if isinstance(number, Term) and number.is_rational else number
