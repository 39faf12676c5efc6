"""Polynomials in which no coordinate is left: numbers, or functions of a symbolic ε, whose sign is asked for all ε."""

from collections.abc import Sequence
from typing import Final

from flint import fmpq

from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, rational
from dpverify.mechanisms.numbers.positivity.bounds import is_nowhere_positive
from dpverify.mechanisms.numbers.positivity.polynomials import Polynomial
from dpverify.mechanisms.numbers.roots.epsilon_symbol import EpsilonSymbol
from dpverify.mechanisms.numbers.roots.exponential_polynomials import ExpPoly, collected_terms
from dpverify.mechanisms.numbers.roots.exponential_roots import SignStretch, sign_stretches
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import simplest_between
from dpverify.mechanisms.numbers.symbols import symbol_of

_BITS: Final = 64
"""Precision of the ε at which a sign changes, where it has no closed form."""


def sign_of_constant(f: Polynomial) -> int:
    """The sign of a polynomial without coordinates, for every ε. Raises as `decision.sign` does where it has none."""
    if f.epsilon is None or not f.coefficients:
        return decision.sign(f.value())
    for way in set(f.signs.values()):
        if is_nowhere_positive(f if way < 0 else f.negative(), strictly=True):
            return way
    signs = {stretch.sign for stretch in _stretches(f)}
    return signs.pop() if len(signs) == 1 else decision.sign(f.value())


def violates(f: Polynomial, *, strictly: bool) -> tuple[bool, Exact | None]:
    """True where a polynomial without coordinates is > 0, strictly ≥ 0, for some ε, and for a function of it such an ε.

    Raises `Undecided` where that is not decided.
    """
    if f.epsilon is None or not f.coefficients:
        return decision.sign(f.value()) >= (0 if strictly else 1), None
    if is_nowhere_positive(f, strictly=strictly):
        return False, None
    for stretch in _stretches(f):
        if stretch.sign > 0:
            return True, simplest_between(ZERO if stretch.low is None else stretch.low, stretch.high)
    return False, None


def _stretches(f: Polynomial) -> list[SignStretch]:
    """Stretches where it is positive or negative. Raises `Undecided` where it may be 0 without a change of sign."""
    assert f.epsilon is not None
    symbol = symbol_of(f.epsilon)
    assert isinstance(symbol, EpsilonSymbol)
    low = ZERO if symbol.low is None else symbol.low
    return list(sign_stretches(_function_of_epsilon(f), low, symbol.high, _BITS))


def _function_of_epsilon(f: Polynomial) -> ExpPoly:
    return collected_terms(((_rate(f, exponents), sum(powers)), c) for (powers, exponents), c in f.coefficients.items())


def _rate(f: Polynomial, exponents: Sequence[int]) -> Exact:
    parts = (fmpq(-e, f.grains[decay.factor]) for decay, e in zip(f.decays, exponents, strict=True))
    return rational(sum(parts, fmpq(0)))
