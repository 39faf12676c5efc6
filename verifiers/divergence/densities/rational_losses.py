"""Losses of Laplace noise of one scale, and the like: their distributions but for a constant are rational.

The loss l of such a number has atoms and a density which, times e^(-l/2), are rational numbers and polynomials with
rational coefficients on rational intervals, up to one factor. That stays so when independent losses are added: as
e^(-l/2) is a product, the tilted distributions convolve as they are. In the basis (l - b)₊^k a convolution is a product
of two sums of terms, so that twenty numbers cost what two do elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from math import comb
from typing import Final, NamedTuple, TypeAlias

from flint import fmpq, fmpq_poly

from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.exact_numbers import (
    ONE,
    Exact,
    as_parameter,
    negative,
    ordering,
    power,
    product,
    rational,
    total,
)
from dpverify.mechanisms.numbers.simplification import simplified
from dpverify.mechanisms.outputs.ratio_masses import infinite_together

_Powers: TypeAlias = Mapping[tuple[Fraction, int], Fraction]
"""(b, k) → the coefficient of (l − b)^k for l ≥ b, and 0 below."""

_HALF: Final = Fraction(1, 2)


class Masses(NamedTuple):
    """The masses that two distributions give to one event."""

    p: Exact
    q: Exact


@dataclass(frozen=True)
class RationalLosses:
    """The losses under P, whose masses and density are constant·e^(l/2) times those given here."""

    constant: Exact
    atoms: Mapping[Fraction, Fraction]
    density: _Powers
    infinite: Exact
    whole: Exact

    def above(self, least: Exact) -> Masses:
        """The masses under P and Q of the losses above `least`."""
        atoms = {loss: mass for loss, mass in self.atoms.items() if ordering(_exact(loss), least) > 0}
        stretches = list(_stretches(self.density))
        p, q = (
            product((self.constant, total((*_of_atoms(atoms, rate), *_of_stretches(stretches, rate, least)))))
            for rate in (_HALF, -_HALF)
        )
        return Masses(total((self.infinite, p)), q)


def _of_atoms(atoms: Mapping[Fraction, Fraction], rate: Fraction) -> Iterator[Exact]:
    return (product((_exact(mass), exp(rate * loss))) for loss, mass in atoms.items())


class _Stretch(NamedTuple):
    """A polynomial between two breaks."""

    low: Fraction
    high: Fraction
    polynomial: fmpq_poly


def _stretches(density: _Powers) -> Iterator[_Stretch]:
    """The density between its breaks; beyond the last one it is 0."""
    breaks = sorted({b for b, _ in density})
    so_far = fmpq_poly([])
    for low, high in pairwise(breaks):
        for (b, k), c in density.items():
            if b == low:
                so_far += _rational(c) * fmpq_poly([-_rational(b), 1]) ** k
        yield _Stretch(low, high, so_far)


def _of_stretches(stretches: Sequence[_Stretch], rate: Fraction, least: Exact) -> Iterator[Exact]:
    """The integrals of polynomial·e^(rate·l) over what lies above `least`."""
    for low, high, polynomial in stretches:
        if ordering(_exact(high), least) > 0:
            primitive = _primitive(polynomial, rate)
            yield product((rational(primitive(_rational(high))), exp(rate * high)))
            if ordering(_exact(low), least) >= 0:
                yield product((rational(-primitive(_rational(low))), exp(rate * low)))
            else:
                at = total(product((rational(c), power(least, k))) for k, c in enumerate(primitive.coeffs()))
                yield negative(product((at, exp(product((_exact(rate), least))))))


def _primitive(polynomial: fmpq_poly, rate: Fraction) -> fmpq_poly:
    """P with (P·e^(rate·l))′ = polynomial·e^(rate·l)."""
    primitive, slope, over = fmpq_poly([]), polynomial, 1 / _rational(rate)
    sign = over
    while slope:
        primitive += sign * slope
        slope, sign = slope.derivative(), -sign * over
    return primitive


def convolved_losses(parts: Sequence[RationalLosses]) -> RationalLosses:
    """The losses of independent numbers together."""
    return reduce(_convolved, parts)


def _convolved(left: RationalLosses, right: RationalLosses) -> RationalLosses:
    atoms: dict[Fraction, Fraction] = {}
    for a, p in left.atoms.items():
        for b, q in right.atoms.items():
            atoms[a + b] = atoms.get(a + b, Fraction(0)) + p * q
    density: dict[tuple[Fraction, int], Fraction] = {}

    def add(key: tuple[Fraction, int], value: Fraction) -> None:
        density[key] = density.get(key, Fraction(0)) + value

    for one, other in ((left, right), (right, left)):
        for a, p in one.atoms.items():
            for (b, k), c in other.density.items():
                add((a + b, k), p * c)
    for (a, j), c in left.density.items():
        for (b, k), d in right.density.items():  # (l - a)₊^j ∗ (l - b)₊^k by Euler's integral
            add((a + b, j + k + 1), c * d / ((j + k + 1) * comb(j + k, j)))
    return RationalLosses(
        product((left.constant, right.constant)),
        atoms,
        {key: c for key, c in density.items() if c},
        *infinite_together(left, right),
    )


class DensityPiece(NamedTuple):
    """The density Σ coefficient·l^k·e^(l/2) between two losses."""

    low: Exact | None
    high: Exact | None
    coefficients: Mapping[int, Exact]


def rational_losses(
    atoms: Sequence[tuple[Exact, Exact]], pieces: Sequence[DensityPiece], infinite: Exact, whole: Exact
) -> RationalLosses | None:
    """The losses with these atoms (loss, mass) and pieces; None where they are not rational but for a constant."""
    tilted = [(loss, simplified(product((mass, exp(loss / -2))))) for loss, mass in atoms]
    numbers = [*(mass for _, mass in tilted), *(c for piece in pieces for c in piece.coefficients.values())]
    constant = numbers[0] if numbers else ONE
    results: dict[Fraction, Fraction] = {}
    for loss, mass in tilted:
        at, share = rational_of_form(loss), rational_of_form(simplified(mass / constant))
        if at is None or share is None:
            return None
        results[at] = results.get(at, Fraction(0)) + share
    density: dict[tuple[Fraction, int], Fraction] = {}
    for piece in pieces:
        low, high = (None if end is None else rational_of_form(end) for end in piece[:2])
        shares = {k: rational_of_form(simplified(c / constant)) for k, c in piece.coefficients.items()}
        if low is None or high is None or None in shares.values():
            return None
        for end, sign in ((low, 1), (high, -1)):
            for k, share in shares.items():
                assert share is not None, "looked at above"
                for j in range(k + 1):  # l^k = Σ binomial·b^(k - j)·(l - b)^j
                    key = (end, j)
                    density[key] = density.get(key, Fraction(0)) + sign * share * comb(k, j) * end ** (k - j)
    return RationalLosses(constant, results, {key: c for key, c in density.items() if c}, infinite, whole)


def rational_of_form(number: Exact) -> Fraction | None:
    """The rational number that it is by its form, None for another."""
    value = as_parameter(number)
    return value if isinstance(value, Fraction) else None


def _exact(value: Fraction) -> Exact:
    return rational(_rational(value))


def _rational(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)
