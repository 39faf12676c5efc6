"""Monomials e^a·∏b^r: what a term of an exact number has beside its rational coefficient and its factors.

A base b is a prime, or names e^ε for a symbolic ε (`dpverify.mechanisms.numbers.symbols`). The same monomial, built
twice, is the same object.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias
from weakref import WeakValueDictionary

from flint import arb, fmpq

from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.primes import factored
from dpverify.mechanisms.numbers.symbols import Symbol, leading, refuse_to_travel, symbol_of

Radicals: TypeAlias = tuple[tuple[int, fmpq], ...]

_serials: Iterator[int] = itertools.count()


class Monomial:
    """e^power·∏ base^exponent with a rational power and, for every prime, an exponent strictly between 0 and 1.

    Or one so far from there that the whole power is not written out: see `WRITTEN_OUT`.
    """

    __slots__ = ("__weakref__", "ball", "power", "radicals", "serial", "symbol")

    def __init__(self, power: fmpq, radicals: Radicals) -> None:
        self.power: Final = power
        self.radicals: Final = radicals
        self.serial: Final = next(_serials)
        self.ball: arb | None = None
        # bases of symbols sort first
        self.symbol: Final[Symbol | None] = (
            leading(symbol_of(base) for base, _ in radicals) if radicals and radicals[0][0] < 0 else None
        )

    def __reduce__(self) -> tuple[Any, ...]:
        if self.symbol is not None:
            refuse_to_travel(self.symbol.base)
        ratios = [(prime, int(r.p), int(r.q)) for prime, r in self.radicals]
        return _monomial_again, (int(self.power.p), int(self.power.q), ratios)


# Held weakly: a monomial lives as long as some number uses it.
_shared: WeakValueDictionary[tuple[int, int, tuple[tuple[int, int, int], ...]], Monomial] = WeakValueDictionary()


def _monomial(power: fmpq, radicals: Radicals) -> Monomial:
    key = (int(power.p), int(power.q), tuple([(prime, int(r.p), int(r.q)) for prime, r in radicals]))
    monomial = _shared.get(key)
    if monomial is None:
        monomial = _shared[key] = Monomial(power, radicals)
    return monomial


def _monomial_again(numerator: int, denominator: int, radicals: list[tuple[int, int, int]]) -> Monomial:
    return _monomial(fmpq(numerator, denominator), tuple((prime, fmpq(p, q)) for prime, p, q in radicals))


_ZERO: Final = fmpq(0)
_ONE: Final = fmpq(1)
UNIT: Final = _monomial(fmpq(0), ())


WRITTEN_OUT: Final = 1 << 16
"""Binary digits up to which a whole power of a prime is written out: e^(−10¹²·ln 2) has 10¹² of them."""


def of_exponents(power: fmpq, exponents: Mapping[int, fmpq]) -> tuple[fmpq, Monomial]:
    """e^power·∏ base^exponent as a rational number times a monomial: whole powers of primes go out, but huge ones."""
    coefficient = fmpq(1)
    radicals = []
    for prime in sorted(exponents):
        whole = exponents[prime].floor() if prime > 0 else _ZERO
        if abs(int(whole)) * prime.bit_length() > WRITTEN_OUT:
            whole = _ZERO
        if whole != 0:
            coefficient *= fmpq(prime) ** int(whole)
        if exponents[prime] != whole:
            radicals.append((prime, exponents[prime] - whole))
    return coefficient, _monomial(power, tuple(radicals))


_products: Final[dict[tuple[int, int], tuple[Monomial, Monomial, tuple[fmpq, Monomial]]]] = {}
"""Serial numbers → what was multiplied, so that the numbers stay theirs, and the product."""

_MOST: Final = 1 << 15


def monomial_product(left: Monomial, right: Monomial) -> tuple[fmpq, Monomial]:
    """left·right as a rational number times a monomial."""
    if left is UNIT:
        return _ONE, right
    key = (left.serial, right.serial)
    known = _products.get(key)
    if known is None:
        if len(_products) >= _MOST:
            _products.clear()
        known = _products[key] = (left, right, _product(left, right))
    return known[2]


def _product(left: Monomial, right: Monomial) -> tuple[fmpq, Monomial]:
    if not left.radicals and not right.radicals:
        return _ONE, _monomial(left.power + right.power, ())
    exponents = dict(left.radicals)
    for prime, exponent in right.radicals:
        exponents[prime] = exponents.get(prime, fmpq(0)) + exponent
    return of_exponents(left.power + right.power, exponents)


def monomial_power(base: Monomial, exponent: int) -> tuple[fmpq, Monomial]:
    """base^exponent, for any whole exponent, as a rational number times a monomial."""
    return of_exponents(base.power * exponent, {prime: r * exponent for prime, r in base.radicals})


def rational_power(base: fmpq, exponent: int) -> tuple[fmpq, Monomial]:
    """base^exponent, for a rational that is not 0, or 0 and exponent ≥ 0, as a rational number times a monomial.

    Raises `Undecided` where that is too long to be written out, and the base too long to be factored.
    """
    length = max(base.p.bit_length(), base.q.bit_length()) * abs(exponent)
    if length <= WRITTEN_OUT or not base or abs(base) == 1:
        return base**exponent, UNIT
    factors = factored(int(base.p), int(base.q))
    if factors is not None:
        coefficient, monomial = of_exponents(_ZERO, {prime: fmpq(k * exponent) for prime, k in factors})
        return (-coefficient if base < 0 and exponent % 2 else coefficient), monomial
    if length <= _LONGEST:
        return base**exponent, UNIT
    raise Undecided(not_known.NOT_MULTIPLIED_OUT, f"a power has more than {_LONGEST:,} binary digits")


_LONGEST: Final = 1 << 28
"""Binary digits of a number that is written out whatever it is."""
