"""Functions of a symbolic ε as polynomials in ε and e^(ε/L), in z = e^(-ε/L), and in t = ε/L and z; their roots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from flint import fmpq, fmpz, fmpz_mpoly, fmpz_poly

from dpverify.mechanisms.numbers import polynomial_form
from dpverify.mechanisms.numbers.atoms import Atom
from dpverify.mechanisms.numbers.elementary import exp, log
from dpverify.mechanisms.numbers.errors import InputError, bad_input, not_known
from dpverify.mechanisms.numbers.exact_numbers import (
    ZERO,
    Exact,
    Term,
    from_exponents,
    from_factor,
    negative,
    ordering,
    power,
    product,
    rational,
    total,
)
from dpverify.mechanisms.numbers.roots.epsilon_symbol import EpsilonSymbol
from dpverify.mechanisms.numbers.roots.mixed_polynomials import mixed_polynomial
from dpverify.mechanisms.numbers.roots.mixed_roots import MixedRoot, mixed_roots
from dpverify.mechanisms.numbers.roots.real_roots import (
    RealRoot,
    coefficient_sign_changes,
    coefficients_beyond,
    real_roots,
)

Powers: TypeAlias = Mapping[tuple[int, int], Exact]
"""(i, j) → the coefficient ≠ 0 of ε^i·e^(jε/L), a number without ε."""


Coefficients: TypeAlias = Mapping[tuple[int, int], fmpq]
"""(i, j) → the rational coefficient ≠ 0 of ε^i·e^(jε/L)."""


def powers_of(form: polynomial_form.Polynomials, reduced: polynomial_form.Reduced, symbol: EpsilonSymbol) -> Powers:
    """A polynomial in the generators of a form as one in ε and e^(ε/L). Raises `InputError` where it is none."""
    named = [*(base for base, _ in form.roots), *(a.argument for a in form.atoms if isinstance(a.argument, int))]
    if any(base < 0 and base != symbol.base for base in named):
        raise InputError(not_known.TWO_EPSILONS)
    opaque = next((a for a in form.atoms if a.symbol is not None and not isinstance(a.argument, int)), None)
    if opaque is not None:
        raise InputError(
            bad_input.SYMBOLIC,
            f"{from_factor(opaque)} is compared, which holds more than powers of ε, and e^(c·ε) for rational c",
        )
    results: dict[tuple[int, int], list[Exact]] = {}
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
            if _is_epsilon(a, symbol):
                epsilons = e
            elif e:
                parts.append(power(from_factor(a), e))
        results.setdefault((epsilons, growth), []).append(product(parts))
    sums = ((key, total(parts)) for key, parts in results.items())
    return {key: coefficient for key, coefficient in sums if coefficient is not ZERO}


def as_rationals(powers: Powers) -> Coefficients | None:
    """Rational coefficients of a polynomial; None where some are not."""
    return {key: c.coefficient for key, c in powers.items() if isinstance(c, Term)} if _are_rational(powers) else None


def _are_rational(powers: Powers) -> bool:
    return all(isinstance(c, Term) and c.is_rational for c in powers.values())


def in_epsilon(form: polynomial_form.Polynomials, symbol: EpsilonSymbol) -> list[Coefficients]:
    """The numerators of a form as polynomials in ε and e^(ε/L). Raises `InputError` for irrational coefficients."""
    place = 1 + next((i for i, (base, _) in enumerate(form.roots) if base == symbol.base), -1)
    first = 1 + len(form.roots)
    of_epsilon = next((first + i for i, a in enumerate(form.atoms) if _is_epsilon(a, symbol)), 0)
    others = [i for i in range(first + len(form.atoms)) if not i or i not in (place, of_epsilon)]
    coefficients: list[Coefficients] = []
    for numerator in form.numerators:
        for exponents in numerator:
            if any(exponents[i] for i in others):
                _refuse_coefficients(form, exponents, symbol)
        coefficients.append(
            {
                (exponents[of_epsilon] if of_epsilon else 0, exponents[place] if place else 0): c
                for exponents, c in numerator.items()
            }
        )
    return coefficients


def _is_epsilon(atom: Atom, symbol: EpsilonSymbol) -> bool:
    return isinstance(atom.argument, int) and atom.argument == symbol.base


def _refuse_coefficients(form: polynomial_form.Polynomials, exponents: tuple[int, ...], symbol: EpsilonSymbol) -> None:
    powers = powers_of(form, {exponents: fmpq(1)}, symbol)
    (coefficient,) = powers.values()
    raise InputError(
        bad_input.SYMBOLIC, f"a probability or the claim holds the number {coefficient}, which is not rational"
    )


def polynomials_in_z(numbers: Sequence[Coefficients]) -> tuple[int, list[fmpz_poly]] | None:
    """Functions of ε as polynomials in z = e^(-ε/L), but for one positive factor, and the largest degree.

    None where they hold different powers of ε, or their degrees are too large.
    """
    (powers, degree), exponents = _exponents(numbers)
    if powers or degree > _LARGEST_DEGREE:
        return None
    scale = _denominator(numbers)
    made = []
    for moved, coefficients in zip(exponents, numbers, strict=True):
        dense = [fmpz(0)] * (degree + 1)
        for (_, j), c in zip(moved, coefficients.values(), strict=True):
            dense[j] = (c * scale).p
        made.append(fmpz_poly(dense))
    return degree, made


def mixed_polynomials(numbers: Sequence[Coefficients], fineness: int) -> list[fmpz_mpoly]:
    """Functions of ε as polynomials in t = ε/fineness and z = e^(-t), but for one positive factor."""
    _, exponents = _exponents(numbers)
    scale = _denominator(numbers)
    return [
        mixed_polynomial(
            {(i, j): (c * scale).p * fineness**i for (i, j), c in zip(moved, coefficients.values(), strict=True)}
        )
        for moved, coefficients in zip(exponents, numbers, strict=True)
    ]


def never_changes(number: Coefficients) -> bool:
    """True where a function without different powers of ε is seen at once to have no root."""
    result = polynomials_in_z([number])
    return result is not None and not coefficient_sign_changes(coefficients_beyond(result[1][0], result[0]))


_LARGEST_DEGREE: Final = 4_000


def _denominator(numbers: Sequence[Coefficients]) -> fmpz:
    scale = fmpz(1)
    for coefficients in numbers:
        for c in coefficients.values():
            scale = scale.lcm(c.q)
    return scale


def _exponents(numbers: Sequence[Coefficients]) -> tuple[tuple[int, int], list[list[tuple[int, int]]]]:
    """The exponents of ε and of z that are left when common powers are divided out, and the largest of each."""
    keys = [key for coefficients in numbers for key in coefficients]
    lowest, highest = min((i for i, _ in keys), default=0), max((j for _, j in keys), default=0)
    moved = [[(i - lowest, highest - j) for i, j in coefficients] for coefficients in numbers]
    both = [key for of_one in moved for key in of_one]
    return (max((i for i, _ in both), default=0), max((j for _, j in both), default=0)), moved


def mixed_roots_within(f: fmpz_mpoly, symbol: EpsilonSymbol, fineness: int) -> list[MixedRoot]:
    """The roots t = ε/fineness of f ≠ 0, in rising order, for ε in the symbol's interval."""
    result = mixed_roots(f)
    return [
        root
        for root in result
        if (symbol.low is None or root.compared_to(symbol.low / fineness) > 0)
        and (symbol.high is None or root.compared_to(symbol.high / fineness) < 0)
    ]


def roots_within(polynomial: fmpz_poly, symbol: EpsilonSymbol, fineness: int) -> list[RealRoot]:
    """The roots z = e^(-ε/fineness), in rising order, for ε in the symbol's interval."""
    if not coefficient_sign_changes(coefficients_beyond(polynomial, polynomial.degree())):
        return []
    return [root for root in real_roots(polynomial) if _is_within(root, symbol, fineness)]


def _is_within(root: RealRoot, symbol: EpsilonSymbol, fineness: int) -> bool:
    low, high = symbol.low, symbol.high
    above = high is None or compare_root(root, exp(-high / fineness)) > 0
    return above and (low is None or compare_root(root, exp(-low / fineness)) < 0)


def compare_root(root: RealRoot, number: Exact) -> int:
    """-1, 0 or 1 as the root is less than, equal to or greater than a number without ε."""
    if root.low != root.high and _value(root.polynomial, number) == 0:
        # it is a root of the polynomial: this one, if it lies in its interval, as no other does
        return 0 if rational(root.low) < number < rational(root.high) else (-1 if number >= rational(root.high) else 1)
    while True:
        low, high = ordering(rational(root.low), number), ordering(rational(root.high), number)
        if low >= 0 and high >= 0:
            return int(low > 0 or high > 0)
        if low <= 0 and high <= 0:
            return -1
        root.narrow()


def _value(polynomial: fmpz_poly, x: Exact) -> Exact:
    coefficients = enumerate(polynomial.coeffs())
    return total(product((rational(fmpq(c)), power(x, k))) for k, c in coefficients if c != 0)


def epsilon_of_root(root: RealRoot, fineness: int) -> Exact | None:
    """-fineness·ln z as a number in closed form, where z^k is rational; None elsewhere."""
    coefficients = root.polynomial.coeffs()
    if any(c != 0 for c in coefficients[1:-1]):
        return None
    z_to_the_degree = rational(fmpq(-coefficients[0], coefficients[-1]))
    return negative(log(z_to_the_degree)) * fineness / root.polynomial.degree()
