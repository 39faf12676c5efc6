"""Functions of a symbolic ε as polynomials in ε and e^(ε/L), and in t = ε/L and z = e^(-ε/L); their roots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from flint import fmpq, fmpz, fmpz_mpoly

from dpverify.mechanisms.numbers import polynomial_form
from dpverify.mechanisms.numbers.atoms import Atom
from dpverify.mechanisms.numbers.errors import InputError, bad_input, not_known
from dpverify.mechanisms.numbers.exact_numbers import (
    ZERO,
    Exact,
    Term,
    from_exponents,
    from_factor,
    power,
    product,
    rational,
    total,
)
from dpverify.mechanisms.numbers.roots.epsilon_symbol import EpsilonSymbol
from dpverify.mechanisms.numbers.roots.mixed_polynomials import mixed_polynomial
from dpverify.mechanisms.numbers.roots.mixed_roots import MixedRoot, mixed_roots

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


def mixed_polynomials(numbers: Sequence[Coefficients], fineness: int) -> list[fmpz_mpoly]:
    """Functions of ε as polynomials in t = ε/fineness and z = e^(-t), but for one positive factor."""
    exponents = _exponents(numbers)
    scale = _denominator(numbers)
    return [
        mixed_polynomial(
            {(i, j): (c * scale).p * fineness**i for (i, j), c in zip(moved, coefficients.values(), strict=True)}
        )
        for moved, coefficients in zip(exponents, numbers, strict=True)
    ]


def _denominator(numbers: Sequence[Coefficients]) -> fmpz:
    scale = fmpz(1)
    for coefficients in numbers:
        for c in coefficients.values():
            scale = scale.lcm(c.q)
    return scale


def _exponents(numbers: Sequence[Coefficients]) -> list[list[tuple[int, int]]]:
    """The exponents of ε and of z that are left when common powers are divided out."""
    keys = [key for coefficients in numbers for key in coefficients]
    lowest, highest = min((i for i, _ in keys), default=0), max((j for _, j in keys), default=0)
    return [[(i - lowest, highest - j) for i, j in coefficients] for coefficients in numbers]


def mixed_roots_within(f: fmpz_mpoly, symbol: EpsilonSymbol, fineness: int) -> list[MixedRoot]:
    """The roots t = ε/fineness of f ≠ 0, in rising order, for ε in the symbol's interval."""
    result = mixed_roots(f)
    return [
        root
        for root in result
        if (symbol.low is None or root.compared_to(symbol.low / fineness) > 0)
        and (symbol.high is None or root.compared_to(symbol.high / fineness) < 0)
    ]
