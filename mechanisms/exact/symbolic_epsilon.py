"""A symbolic ε: numbers that are functions of it, their sign for all ε of an interval.

The sign of such a number is that of a polynomial in z = e^(-ε/L), between 0 and 1, or in ε. Where it is not the same
for all ε of the interval, the question has different answers: `DependsOnEpsilon` names the ε at which they change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import floor
from typing import Any, Final, TypeAlias

from flint import fmpq, fmpz, fmpz_poly

from dpverify.mechanisms.exact import decision, polynomial_form
from dpverify.mechanisms.exact.atoms import atom
from dpverify.mechanisms.exact.elementary import exp, log, sqrt
from dpverify.mechanisms.exact.enclosure import bounds
from dpverify.mechanisms.exact.errors import DependsOnEpsilon, InputError
from dpverify.mechanisms.exact.exact_numbers import (
    ONE,
    ZERO,
    Exact,
    Factor,
    Term,
    compare,
    exact,
    from_exponents,
    from_factor,
    negative,
    power,
    product,
    rational,
    total,
)
from dpverify.mechanisms.exact.real_roots import RealRoot, coefficients_beyond, real_roots, sign_changes
from dpverify.mechanisms.exact.symbols import PUBLIC, Symbol

Powers: TypeAlias = Mapping[tuple[int, int], Exact]
"""(i, j) → the coefficient ≠ 0 of ε^i·e^(jε/L), a number without ε."""


def number_of(symbol: Symbol) -> Exact:
    """The symbol as a number."""
    return from_factor(atom("log", symbol.base))


symbolic: Final = number_of(Symbol())
"""ε itself, for any ε > 0: `check_privacy(…, epsilon=symbolic)` decides for all ε at once."""
assert symbolic.symbol is not None and symbolic.symbol.base == PUBLIC, "it is the first symbol that is made"


@decision.decides_for_all_epsilon
def sign(number: Exact, symbol: Symbol) -> int:
    """The sign that `number` has for every ε of the symbol's interval.

    Raises `DependsOnEpsilon` where it has different ones, and `InputError` where that is not understood.
    """
    try:
        if isinstance(number, Term):
            return _sign_of_term(number)
        form = polynomial_form.polynomials([number])
        above = _sign_of_polynomial(powers_of(form, form.numerators[0], symbol), form, symbol)
        return above and above * sign_of_denominator(form, symbol)
    except (DependsOnEpsilon, InputError) as error:
        symbol.take_note(error)
        raise


def sign_of_denominator(form: polynomial_form.Polynomials, symbol: Symbol) -> int:
    """The sign of the common denominator, -1 or 1. Raises as `sign` does."""
    found = 1
    for factor, k in form.denominator:
        found *= _sign_of_polynomial(powers_of(form, factor, symbol), form, symbol) ** abs(k)
    return found


def _sign_of_term(term: Term) -> int:
    found = 1 if term.coefficient > 0 else -1 if term.coefficient < 0 else 0
    for factor, k in term.factors:
        found *= _sign_of_factor(factor) ** abs(k)
    return found


def _sign_of_factor(factor: Factor) -> int:
    if not factor.is_atom or factor.symbol is None:
        return decision.sign(from_factor(factor))
    if isinstance(factor.argument, int):
        return 1  # ε itself
    return decision.sign(factor.argument - ONE) if factor.function == "log" else 1  # a square root is not 0, nor is exp


def powers_of(form: polynomial_form.Polynomials, reduced: polynomial_form.Reduced, symbol: Symbol) -> Powers:
    """A polynomial in the generators of a form as one in ε and e^(ε/L). Raises `InputError` where it is none."""
    named = [*(base for base, _ in form.roots), *(a.argument for a in form.atoms if isinstance(a.argument, int))]
    if any(base < 0 and base != symbol.base for base in named):
        raise InputError("two symbolic ε in one number: hand a mechanism what depends on ε as a parameter")
    opaque = next((a for a in form.atoms if a.symbol is not None and not isinstance(a.argument, int)), None)
    if opaque is not None:
        raise InputError(
            f"{from_factor(opaque)} is compared for a symbolic ε: so far such a number may hold whole powers of ε, and "
            "e^(c·ε) for rational c"
        )
    found: dict[tuple[int, int], list[Exact]] = {}
    for exponents, coefficient in reduced.items():
        epsilons = growth = 0
        parts: list[Exact] = [rational(coefficient)]
        bases: dict[int, fmpq] = {}
        for (base, n), e in zip(form.roots, exponents[1:], strict=False):
            if base == symbol.base:
                growth = e
            elif e:
                bases[base] = fmpq(e, n)
        parts.append(from_exponents(fmpq(exponents[0], form.grain), bases))
        for a, e in zip(form.atoms, exponents[1 + len(form.roots) :], strict=True):
            if isinstance(a.argument, int) and a.argument == symbol.base:
                epsilons = e
            elif e:
                parts.append(power(from_factor(a), e))
        found.setdefault((epsilons, growth), []).append(product(parts))
    sums = ((key, total(parts)) for key, parts in found.items())
    return {key: coefficient for key, coefficient in sums if coefficient is not ZERO}


def _sign_of_polynomial(powers: Powers, form: polynomial_form.Polynomials, symbol: Symbol) -> int:
    signs = {key: decision.sign(coefficient) for key, coefficient in powers.items()}
    signs = {key: found for key, found in signs.items() if found}
    if len(set(signs.values())) <= 1:
        return next(iter(signs.values()), 0)
    changes = _changes(powers, signs, form.fineness(symbol.base), symbol)
    if changes:
        raise DependsOnEpsilon(
            "the answer is not the same for all ε: it changes at ε = " + ", ".join(map(str, changes)),
            tuple(changes),
            symbol,
        )
    at = sample(symbol)
    return decision.sign(
        total(product((c, power(at, i), exp(at * j / form.fineness(symbol.base)))) for (i, j), c in powers.items())
    )


def _changes(powers: Powers, signs: Mapping[tuple[int, int], int], fineness: int, symbol: Symbol) -> list[Exact]:
    """The ε of the symbol's interval, in rising order, at which the polynomial is 0. Raises where they have no form."""
    if len({i for i, _ in signs}) == 1:
        by_growth = {j: powers[i, j] for i, j in signs}
        if len(by_growth) == 2:
            (low, d), (high, c) = sorted(by_growth.items())
            return _within(symbol, log(-d / c) * fineness / (high - low))
        coefficients = {j: as_rational(c) for j, c in by_growth.items()}
        rationals = {j: c for j, c in coefficients.items() if c is not None}
        if len(rationals) == len(coefficients):
            roots = roots_within(polynomial_in_z(rationals), symbol, fineness)
            closed = [epsilon_of(root, fineness) for root in reversed(roots)]
            found = [root for root in closed if root is not None]
            if len(found) == len(closed):
                return found
    elif len({j for _, j in signs}) == 1 and len(signs) == 2:
        (low, d), (high, c) = sorted((i, powers[i, j]) for i, j in signs)
        if high - low <= 2:
            ratio = -d / c
            return _within(symbol, ratio if high - low == 1 else sqrt(ratio))
    raise InputError(
        f"the sign of {_shown(powers, fineness)} is not known to be the same for all ε, nor where it changes: so far "
        "it may change where ε has a closed form"
    )


def _within(symbol: Symbol, value: Exact) -> list[Exact]:
    return [value] if contains(symbol, value) else []


def _shown(powers: Powers, fineness: int) -> str:
    """A polynomial in ε and e^(ε/fineness) for people."""
    epsilon = number_of(Symbol())
    growth = {key: product((power(epsilon, key[0]), exp(epsilon * key[1] / fineness))) for key in powers}
    return str(total(product((c, growth[key])) for key, c in powers.items()))


def as_rational(number: Exact) -> fmpq | None:
    """The rational number that `number` is by its form, None for another."""
    return number.coefficient if isinstance(number, Term) and number.is_rational else None


def polynomial_in_z(coefficients: Mapping[int, fmpq]) -> fmpz_poly:
    """Σ c·z^(-j) with j → c, times a positive number and the power of z that make it a polynomial in whole numbers."""
    return _polynomials([coefficients])[1][0]


def polynomials_in_z(
    form: polynomial_form.Polynomials, symbol: Symbol, sign_of_denominator: int
) -> tuple[int, list[fmpz_poly]]:
    """The numbers of a form as polynomials in z = e^(-ε/fineness), but for one positive factor, and the largest degree.

    Raises `InputError` where a number is not a quotient of polynomials in z with rational coefficients.
    """
    place = 1 + next((i for i, (base, _) in enumerate(form.roots) if base == symbol.base), -1)
    coefficients: list[dict[int, fmpq]] = []
    for numerator in form.numerators:
        found: dict[int, fmpq] = {}
        for exponents, coefficient in numerator.items():
            growth = exponents[place] if place else 0
            if any(e for i, e in enumerate(exponents) if i != place or not place):
                _refuse_coefficients(form, exponents, symbol)
            found[growth] = coefficient * sign_of_denominator
        coefficients.append(found)
    return _polynomials(coefficients)


def _refuse_coefficients(form: polynomial_form.Polynomials, exponents: tuple[int, ...], symbol: Symbol) -> None:
    powers = powers_of(form, {exponents: fmpq(1)}, symbol)
    ((i, _), coefficient) = next(iter(powers.items()))
    if i:
        raise InputError(
            "a probability or the claim holds powers of ε itself, as continuous noise that is compared with other "
            "noise makes it do: for a symbolic ε use discrete noise"
        )
    raise InputError(
        f"a probability or the claim holds the number {coefficient}, which is not rational: for a symbolic ε give "
        "rational numbers, and powers of e as exp of symbolic"
    )


_LARGEST_DEGREE: Final = 4_000


def _polynomials(all_coefficients: Sequence[Mapping[int, fmpq]]) -> tuple[int, list[fmpz_poly]]:
    exponents = [j for coefficients in all_coefficients for j in coefficients]
    top, bottom = max(exponents, default=0), min(exponents, default=0)
    if top - bottom > _LARGEST_DEGREE:
        raise InputError(
            f"for a symbolic ε the probabilities are polynomials of degree {top - bottom:,}: use scales and scores "
            "with smaller common denominators"
        )
    scale = fmpz(1)
    for coefficients in all_coefficients:
        for c in coefficients.values():
            scale = scale.lcm(c.q)
    made = []
    for coefficients in all_coefficients:
        dense = [fmpz(0)] * (top - bottom + 1)
        for j, c in coefficients.items():
            dense[top - j] = (c * scale).p
        made.append(fmpz_poly(dense))
    return top - bottom, made


def roots_within(polynomial: fmpz_poly, symbol: Symbol, fineness: int) -> list[RealRoot]:
    """The roots z = e^(-ε/fineness), in rising order, for ε in the symbol's interval."""
    if not sign_changes(coefficients_beyond(polynomial, polynomial.degree())):
        return []
    return [root for root in real_roots(polynomial) if _is_within(root, symbol, fineness)]


def _is_within(root: RealRoot, symbol: Symbol, fineness: int) -> bool:
    above = symbol.high is None or compare_root(root, exp(-symbol.high / fineness)) > 0
    return above and (symbol.low is None or compare_root(root, exp(-symbol.low / fineness)) < 0)


def compare_root(root: RealRoot, number: Exact) -> int:
    """-1, 0 or 1 as the root is less than, equal to or greater than a number without ε."""
    if root.low != root.high and _value(root.polynomial, number) == 0:
        # it is a root of the polynomial: this one, if it lies in its interval, as no other does
        return 0 if rational(root.low) < number < rational(root.high) else (-1 if number >= rational(root.high) else 1)
    while True:
        low, high = compare(rational(root.low), number), compare(rational(root.high), number)
        if low >= 0 and high >= 0:
            return int(low > 0 or high > 0)
        if low <= 0 and high <= 0:
            return -1
        root.narrow()


def _value(polynomial: fmpz_poly, x: Exact) -> Exact:
    coefficients = enumerate(polynomial.coeffs())
    return total(product((rational(fmpq(c)), power(x, k))) for k, c in coefficients if c != 0)


def epsilon_of(root: RealRoot, fineness: int) -> Exact | None:
    """-fineness·ln z as a number in closed form, where z^k is rational; None elsewhere."""
    coefficients = root.polynomial.coeffs()
    if any(c != 0 for c in coefficients[1:-1]):
        return None
    z_to_the_degree = rational(fmpq(-coefficients[0], coefficients[-1]))
    return negative(log(z_to_the_degree)) * fineness / root.polynomial.degree()


def contains(symbol: Symbol, value: Exact) -> bool:
    """Whether a number without ε lies in the symbol's interval."""
    return value > (ZERO if symbol.low is None else symbol.low) and (symbol.high is None or value < symbol.high)


def sample(symbol: Symbol) -> Exact:
    """A rational number in the symbol's interval: the one of smallest denominator, and of those the smallest."""
    return simplest_between(ZERO if symbol.low is None else symbol.low, symbol.high)


def simplest_between(low: Exact, high: Exact | None) -> Exact:
    """The rational number of smallest denominator, and of those the smallest, strictly between 0 ≤ low and high.

    Of irrational ends rationals near them take the place.
    """
    if high is None:
        return exact(floor(low) + 1)
    digits = 20
    while True:
        (_, left), (right, _) = bounds(low, digits), bounds(high, digits)
        if left < right:
            return exact(_simplest(left, right))
        digits *= 2


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """The simplest fraction in the open interval, by the continued fraction that its ends share."""
    quotients: list[int] = []
    left: Fraction = low
    right: Fraction | None = high
    while right is not None and not floor(left) + 1 < right:
        whole = floor(left)
        quotients.append(whole)
        left, right = 1 / (right - whole), None if left == whole else 1 / (left - whole)
    found = Fraction(floor(left) + 1)
    for quotient in reversed(quotients):
        found = quotient + 1 / found
    return found


def symbol_in(value: Any) -> Symbol | None:
    """The symbol that a number depends on, or one in a tuple, list or dict; None where there is none."""
    if isinstance(value, Exact):
        return value.symbol
    parts = value.values() if type(value) is dict else value if type(value) in (tuple, list) else ()
    return next((symbol for symbol in map(symbol_in, parts) if symbol is not None), None)
