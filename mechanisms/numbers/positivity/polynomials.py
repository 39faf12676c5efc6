"""Numbers with coordinates as quotients of polynomials in h, ε and decays: e^(-h/n), p^(-h/n), e^(-ε·h/n), e^(-ε/n).

A coordinate h is any whole number ≥ 0, so that a decay is in (0, 1], and 1 at h = 0; for a symbolic ε > 0 that of ε
itself is in (0, 1). Each number is read once: sums that are factors are multiplied out, and coefficients are exact
numbers without coordinates and ε, written as sums of monomials as far as that goes, so that one that is 0 is 0 in its
form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import comb, gcd, lcm
from typing import Final, NamedTuple, TypeAlias

from flint import fmpq

from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.atoms import atom
from dpverify.mechanisms.numbers.cached_results import by_identity
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import (
    ONE,
    ZERO,
    Exact,
    Factor,
    Sum,
    Term,
    from_exponents,
    from_factor,
    negative,
    product,
    rational,
    total,
)
from dpverify.mechanisms.numbers.monomials import Monomial
from dpverify.mechanisms.numbers.symbols import PairSymbol, WholeSymbol, symbol_of


class Decay(NamedTuple):
    """e^(-x·ln factor) of a coordinate x, or of 1 for the place `OF_EPSILON`; `E` is e, another base a prime or e^ε."""

    place: int
    factor: int


E: Final = 0
"""The factor e."""

OF_EPSILON: Final = -1
"""In the place of a coordinate: what is a function of ε alone."""

TermExponents: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""Powers of the lengths, and exponents of the decays, in units of 1/n."""


Decaying: TypeAlias = Mapping[tuple[int, ...], Exact]
"""Exponents of decays → coefficient: a polynomial in decays alone."""


@dataclass(frozen=True, eq=False)
class Polynomial:
    """Σ coefficient·∏ length^power·∏ decay^(exponent/n) with powers and exponents ≥ 0, times what is positive."""

    lengths: tuple[int, ...]
    """Places of the coordinates, and `OF_EPSILON`, of which powers occur."""
    decays: tuple[Decay, ...]
    grains: Mapping[int, int]
    """Factor → the n of its decays."""
    coefficients: Mapping[TermExponents, Exact]
    epsilon: int | None
    """The base of the symbolic ε that occurs."""

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The places of the coordinates that occur, in rising order."""
        result = {*self.lengths, *(decay.place for decay in self.decays)} - {OF_EPSILON}
        return tuple(sorted(result))

    @cached_property
    def signs(self) -> Mapping[TermExponents, int]:
        """The signs of the coefficients, none of which is 0."""
        return {key: decision.sign(c) for key, c in self.coefficients.items()}

    @cached_property
    def by_powers(self) -> Mapping[tuple[int, ...], Decaying]:
        """Powers of the lengths → what they are multiplied by."""
        results: dict[tuple[int, ...], dict[tuple[int, ...], Exact]] = {}
        for (powers, exponents), c in self.coefficients.items():
            results.setdefault(powers, {})[exponents] = c
        return results

    @cached_property
    def vanishing(self) -> tuple[int, ...]:
        """The decays, by their number, for which the polynomial is 0 where they are 1, whatever the rest is."""
        return tuple(j for j in range(len(self.decays)) if self._vanishes(j))

    def _vanishes(self, j: int) -> bool:
        sums: dict[TermExponents, list[Exact]] = {}
        for (powers, exponents), c in self.coefficients.items():
            sums.setdefault((powers, _with(exponents, j, 0)), []).append(c)
        if min(map(len, sums.values()), default=1) == 1:
            return False
        return not any(_is_not_zero(total(result)) for result in sums.values())

    def divided(self, j: int) -> Polynomial | None:
        """The quotient by 1 - decay^m, for a decay where that is 1 and so is 0; None where it has too many terms."""
        step = gcd(*(key[1][j] for key in self.coefficients))
        lines: dict[TermExponents, dict[int, Exact]] = {}
        for (powers, exponents), c in self.coefficients.items():
            lines.setdefault((powers, _with(exponents, j, 0)), {})[exponents[j]] = c
        if sum((max(line) - min(line)) // step for line in lines.values()) > MOST_TERMS:
            return None
        parts: dict[TermExponents, Exact] = {}
        for (powers, exponents), line in lines.items():
            running: Exact = ZERO
            for e in range(min(line), max(line), step):
                running = total((running, line[e])) if e in line else running
                if running is not ZERO:
                    parts[powers, _with(exponents, j, e)] = running
        kept = {key: c for key, c in parts.items() if _is_not_zero(c)}
        return Polynomial(self.lengths, self.decays, self.grains, kept, self.epsilon)

    def negative(self) -> Polynomial:
        """The polynomial times -1."""
        parts = {key: negative(c) for key, c in self.coefficients.items()}
        return Polynomial(self.lengths, self.decays, self.grains, parts, self.epsilon)

    def at(self, place: int, value: int) -> Polynomial:
        """With a whole number ≥ 0 in the place of a coordinate."""
        return self._mapped({place: ((), value)})

    def shifted(self, place: int, by: int) -> Polynomial:
        """With h + by in the place of a coordinate h."""
        return self._mapped({place: ((place,), by)})

    def combined(self, smaller: int, greater: int, by: int) -> Polynomial:
        """With h_greater + h_smaller + by in the place of h_greater."""
        return self._mapped({greater: ((greater, smaller), by)})

    def _mapped(self, images: Mapping[int, tuple[tuple[int, ...], int]]) -> Polynomial:
        collected = _Collected(self.grains, self.epsilon)
        for (powers, exponents), c in self.coefficients.items():
            decays: dict[Decay, int] = {}
            factors: list[Exact] = []
            for decay, e in zip(self.decays, exponents, strict=True):
                if not e:
                    continue
                to, by = images.get(decay.place, ((decay.place,), 0))
                for place in to:
                    image = Decay(place, decay.factor)
                    decays[image] = decays.get(image, 0) + e
                if by and decay.factor == self.epsilon:
                    image = Decay(OF_EPSILON, decay.factor)
                    decays[image] = decays.get(image, 0) + e * by
                elif by:
                    factors.append(_decay(decay.factor, fmpq(e * by, self.grains[decay.factor])))
            scaled = times(c, product(factors)) if factors else c
            sums = [(images.get(place, ((place,), 0)), k) for place, k in zip(self.lengths, powers, strict=True) if k]
            for lengths, weight in _multiplied_out(sums):
                collected.add(lengths, decays, times(scaled, rational(fmpq(weight))) if weight != 1 else scaled)
        return collected.polynomial()

    def value(self) -> Exact:
        """The number that a polynomial without coordinates is, times what is positive: a function of ε."""
        assert not self.places, "it has a value where no coordinate is left"
        parts = []
        for (powers, exponents), c in self.coefficients.items():
            factors: list[Exact] = [c]
            for k in powers:
                assert self.epsilon is not None
                factors.append(from_factor(atom("log", self.epsilon), k) if k else ONE)
            for decay, e in zip(self.decays, exponents, strict=True):
                factors.append(from_exponents(fmpq(0), {decay.factor: fmpq(-e, self.grains[decay.factor])}))
            parts.append(product(factors))
        return total(parts)


def _decay(factor: int, exponent: fmpq) -> Term:
    return from_exponents(-exponent, {}) if factor == E else from_exponents(fmpq(0), {factor: -exponent})


def _multiplied_out(sums: Iterable[tuple[tuple[tuple[int, ...], int], int]]) -> Iterator[tuple[dict[int, int], int]]:
    """The terms of ∏ (Σ places + by)^k: powers of lengths, and a whole number."""
    results: list[tuple[dict[int, int], int]] = [({}, 1)]
    for (places, by), k in sums:
        results = [
            ({**powers, **{p: powers.get(p, 0) + n for p, n in more.items()}}, weight * binomial)
            for powers, weight in results
            for more, binomial in _power_of_sum(places, by, k)
        ]
    yield from results


@lru_cache(maxsize=4096)
def _power_of_sum(places: tuple[int, ...], by: int, k: int) -> tuple[tuple[dict[int, int], int], ...]:
    if not places:
        return (({}, by**k),) if by or not k else ()
    first, rest = places[0], places[1:]
    return tuple(
        ({**({first: i} if i else {}), **powers}, comb(k, i) * weight)
        for i in range(k + 1)
        for powers, weight in _power_of_sum(rest, by, k - i)
    )


class _Collected:
    """Terms, like ones of which are added up."""

    def __init__(self, grains: Mapping[int, int], epsilon: int | None) -> None:
        self._grains, self._epsilon = grains, epsilon
        self._parts: dict[tuple[frozenset[tuple[int, int]], frozenset[tuple[Decay, int]]], list[Exact]] = {}

    def add(self, lengths: Mapping[int, int], decays: Mapping[Decay, int], coefficient: Exact) -> None:
        key = (frozenset(lengths.items()), frozenset(item for item in decays.items() if item[1]))
        self._parts.setdefault(key, []).append(coefficient)

    def polynomial(self) -> Polynomial:
        sums = [(dict(key[0]), dict(key[1]), _total(result)) for key, result in self._parts.items()]
        kept = [(lengths, decays, c) for lengths, decays, c in sums if c is not ZERO and _is_not_zero(c)]
        lengths = tuple(sorted({place for powers, _, _ in kept for place in powers}))
        decays = tuple(sorted({decay for _, exponents, _ in kept for decay in exponents}))
        # decays are divided out, which are positive, and so is ε; a coordinate may be 0
        least = [min(exponents.get(decay, 0) for _, exponents, _ in kept) for decay in decays]
        least_powers = [
            min(powers.get(place, 0) for powers, _, _ in kept) if place == OF_EPSILON else 0 for place in lengths
        ]
        if any(powers.get(place, 0) < 0 for powers, _, _ in kept for place in lengths if place != OF_EPSILON):
            raise Undecided(not_known.ANSWER_CHANGES, "a number is divided by an unknown score that may be 0")
        rows = {
            (
                tuple([powers.get(place, 0) - low for place, low in zip(lengths, least_powers, strict=True)]),
                tuple([exponents.get(decay, 0) - low for decay, low in zip(decays, least, strict=True)]),
            ): c
            for powers, exponents, c in kept
        }
        used = [i for i in range(len(decays)) if any(key[1][i] for key in rows)]
        if len(used) < len(decays):
            rows = {(key[0], tuple([key[1][i] for i in used])): c for key, c in rows.items()}
            decays = tuple(decays[i] for i in used)
        return Polynomial(lengths, decays, self._grains, rows, self._epsilon)


def _with(exponents: tuple[int, ...], j: int, e: int) -> tuple[int, ...]:
    return (*exponents[:j], e, *exponents[j + 1 :])


def _total(parts: list[Exact]) -> Exact:
    return parts[0] if len(parts) == 1 else total(parts)


def _is_not_zero(coefficient: Exact) -> bool:
    return decision.sign(coefficient) != 0


def times(left: Exact, right: Exact) -> Exact:
    """The product, multiplied out as far as the terms of the two go."""
    if right is ONE:
        return left
    if left is ONE:
        return right
    if isinstance(left, Term) and isinstance(right, Term):
        return product((left, right))
    if len(left.terms) * len(right.terms) > MOST_TERMS:
        raise Undecided(
            not_known.NOT_MULTIPLIED_OUT, f"a product of {len(left.terms):,} and {len(right.terms):,} terms"
        )
    return total([product((s, t)) for s in left.terms for t in right.terms])


MOST_TERMS: Final = 20_000
"""Of a product of two sums."""


class Quotient(NamedTuple):
    """A number as a numerator that is multiplied out, and what it is divided by: numerators of sums."""

    numerator: Exact
    denominator: Counter[int]
    """Serial number of a sum → its multiplicity."""
    sums: Mapping[int, Sum]
    """Serial number → the sum."""


@by_identity
def quotient(number: Exact) -> Quotient:
    """The number as a quotient. Raises `Undecided` where it is too large."""
    parts = [_quotient_of_term(term) for term in number.terms]
    if len(parts) == 1:
        return parts[0]
    common: Counter[int] = Counter()
    sums: dict[int, Sum] = {}
    over_each: dict[frozenset[tuple[int, int]], list[Exact]] = {}
    for part in parts:
        common |= part.denominator
        sums.update(part.sums)
        over_each.setdefault(frozenset(part.denominator.items()), []).append(part.numerator)
    # terms over one denominator are added first: what theirs lacks is multiplied in once, and not for each
    summands = [
        times(_total(result), _expanded(common - Counter(dict(below)), sums)) for below, result in over_each.items()
    ]
    return Quotient(_total(summands), common, sums)


def _quotient_of_term(term: Term) -> Quotient:
    if not any(isinstance(factor, Sum) and factor.symbol is not None for factor, _ in term.factors):
        return Quotient(term, Counter(), {})
    own: list[Exact] = [rational(term.coefficient), _of_exponents(term.monomial)]
    above: Counter[int] = Counter()
    below: Counter[int] = Counter()
    sums: dict[int, Sum] = {}
    for factor, k in term.factors:
        if not isinstance(factor, Sum) or factor.symbol is None:
            own.append(from_factor(factor, k))
            continue
        inner = quotient(factor)
        sums.update(inner.sums)
        sums[factor.serial] = factor
        one, other = (above, below) if k > 0 else (below, above)
        one[factor.serial] += abs(k)
        for serial, multiplicity in inner.denominator.items():
            other[serial] += abs(k) * multiplicity
    return Quotient(times(_expanded(above - below, sums), product(own)), below - above, sums)


@lru_cache(maxsize=1 << 15)
def _of_exponents(monomial: Monomial) -> Term:
    return from_exponents(monomial.power, dict(monomial.radicals))


def _expanded(factors: Mapping[int, int], sums: Mapping[int, Sum]) -> Exact:
    number: Exact = ONE
    for serial, k in factors.items():
        numerator = quotient(sums[serial]).numerator
        for _ in range(k):
            number = times(number, numerator)
    return number


@by_identity
def polynomial(numerator: Exact) -> Polynomial:
    """The polynomial, up to what is positive, that a number is which is multiplied out: see `quotient`."""
    terms, epsilon = terms_of(numerator)
    return collected_polynomial(terms, epsilon)


class PolynomialTerm(NamedTuple):
    """coefficient·∏ length^power·∏ decay^exponent."""

    powers: Mapping[int, int]
    decays: Sequence[tuple[Decay, fmpq]]
    coefficient: Exact


def terms_of(numerator: Exact) -> tuple[list[PolynomialTerm], int | None]:
    """The terms of a number that is multiplied out, of which like ones are not added, and the base of its ε.

    Raises `Undecided` where it has two symbolic ε.
    """
    epsilons: set[int] = set()
    results = []
    for term in numerator.terms:
        monomial = _of_monomial(term.monomial)
        powers, constants, epsilon = _of_factors(term)
        epsilons.update(decay.factor for decay, _ in monomial.decays if decay.factor < 0)
        if OF_EPSILON in powers:
            assert epsilon is not None
            epsilons.add(epsilon)
        coefficient = product((rational(term.coefficient), monomial.constant, *constants))
        results.append(PolynomialTerm(powers, monomial.decays, coefficient))
    if len(epsilons) > 1:
        raise Undecided(not_known.TWO_EPSILONS)
    return results, next(iter(epsilons), None)


def collected_polynomial(terms: Iterable[PolynomialTerm], epsilon: int | None = None) -> Polynomial:
    """The polynomial, up to what is positive, of terms of which like ones are added up; `epsilon` is the base of ε."""
    terms = list(terms)
    grains: dict[int, int] = {}
    for term in terms:
        for decay, exponent in term.decays:
            grains[decay.factor] = lcm(grains.get(decay.factor, 1), int(exponent.q))
    sums = _Collected(grains, epsilon)
    for term in terms:
        decays = {decay: int(exponent * grains[decay.factor]) for decay, exponent in term.decays}
        sums.add(term.powers, decays, term.coefficient)
    return sums.polynomial()


class _Monomial(NamedTuple):
    constant: Term
    decays: tuple[tuple[Decay, fmpq], ...]


@lru_cache(maxsize=1 << 15)
def _of_monomial(monomial: Monomial) -> _Monomial:
    decays = []
    constants = {}
    for base, exponent in monomial.radicals:
        symbol = symbol_of(base)
        if symbol is None:
            constants[base] = exponent
        elif isinstance(symbol, WholeSymbol):
            decays.append((Decay(symbol.place, E), -exponent))
        elif isinstance(symbol, PairSymbol):
            decays.append((Decay(symbol.whole.place, symbol.factor), -exponent))
        else:
            decays.append((Decay(OF_EPSILON, base), -exponent))
    return _Monomial(from_exponents(monomial.power, constants), tuple(decays))


def _of_factors(term: Term) -> tuple[dict[int, int], list[Exact], int | None]:
    """Powers of lengths, the other factors, and the base of ε, if there is one."""
    powers: dict[int, int] = {}
    constants: list[Exact] = []
    epsilon = None
    for factor, k in term.factors:
        if factor.symbol is None:
            constants.append(from_factor(factor, k))
            continue
        place, base = _length(factor)
        powers[place] = k
        epsilon = base or epsilon
    return powers, constants, epsilon


def _length(factor: Factor) -> tuple[int, int | None]:
    if factor.is_atom and factor.function == "log" and isinstance(factor.argument, int):
        symbol = symbol_of(factor.argument)
        if isinstance(symbol, WholeSymbol):
            return symbol.place, None
        if symbol is not None and not symbol.is_whole:
            return OF_EPSILON, factor.argument
    raise Undecided(not_known.ANSWER_CHANGES, f"{from_factor(factor)} stands in a number of unknown scores")
