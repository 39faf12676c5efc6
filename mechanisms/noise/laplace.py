"""Laplace noise: Lap(b) has density exp(-|x|/b)/(2b) (Beimel, Nissim & Stemmer, journal version, Definition 2.22)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final

from flint import arb, fmpq

from dpverify.mechanisms.noise.derived import Derived, truncated
from dpverify.mechanisms.noise.law import NoiseOfScale, SymmetricNoise
from dpverify.mechanisms.noise.point_mass import PointMass, of_scale
from dpverify.mechanisms.noise.symmetric_tails import mass_by_tails
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.exact_numbers import (
    ZERO,
    Exact,
    ExactLike,
    exact,
    inverse,
    negative,
    product,
    rational,
)
from dpverify.mechanisms.numbers.integers.parameters import positive
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise
from dpverify.mechanisms.numbers.roots.intervals import Endpoint

_HALF: Final = rational(fmpq(1, 2))


@dataclass(frozen=True)
class Laplace(NoiseOfScale, SymmetricNoise):
    """Lap(scale), on the reals."""

    made_by: ClassVar[str] = "laplace"
    discrete: ClassVar[bool] = False

    @cached_property
    def rate(self) -> Exact:
        """1/scale."""
        return inverse(self.scale)

    @property
    def tail_scale(self) -> Exact:
        return self.scale

    def tail(self, threshold: Endpoint) -> Exact:
        """Pr[N ≥ threshold] = ½·exp(-threshold/scale) for threshold ≥ 0, 1 − ½·exp(threshold/scale) below."""
        number = exact(threshold)
        if number >= 0:
            return _HALF * exp(-number * self.rate)
        return 1 - _HALF * exp(number * self.rate)

    def mass(self, low: Endpoint | None, high: Endpoint | None) -> Exact:
        """Pr[low ≤ N < high]."""
        return mass_by_tails(self.tail, low, high, mirrored=lambda threshold: -threshold)

    @cached_property
    def density(self) -> Piecewise:
        """x ↦ the density at x."""
        height = product((_HALF, self.rate))
        return Piecewise(False, (ZERO,), ({(self.rate, 0): height}, {(negative(self.rate), 0): height}))

    def quantile(self, level: arb, precision: int) -> arb | None:
        """A ball around the x with Pr[N < x] = level; None where the ball `level` is too wide to tell the branch."""
        scale = enclosure(self.scale, precision)
        if level > 0 and level <= 0.5:
            return scale * (2 * level).log()
        if level >= 0.5 and level < 1:
            return -scale * (2 * (1 - level)).log()
        return None

    def __str__(self) -> str:
        return f"Lap({self.scale})"


def laplace(scale: ExactLike) -> Laplace | PointMass:
    """Lap(scale): continuous noise for `draw`; for scale 0 a point mass at 0. Raises `InputError` for scale < 0.

    >>> def noisy(draw, rows):
    ...     return sum(rows) + draw(laplace(2))
    >>> check_privacy(noisy, Tuples((0, 1), size=1), replace_one, epsilon=1).epsilon
    <0.5 = 1/2>
    """
    return of_scale("laplace", Laplace.of, scale)


def truncated_laplace(scale: ExactLike, bound: ExactLike) -> Derived | PointMass:
    """Lap(scale) conditioned on [-bound, bound]; as `laplace` for scale 0. Raises `InputError` unless bound > 0.

    >>> def far(draw, n):
    ...     return n + draw(truncated_laplace(1, 2)) >= 2
    >>> distribution(far, 1).probability(True)
    (1 + -1*exp(-2))**(-1)*(Fraction(1, 2)*exp(-1) + Fraction(-1, 2)*exp(-2))
    """
    end, law = positive(bound, "bound"), laplace(scale)
    return law if isinstance(law, PointMass) else truncated(law, end)
