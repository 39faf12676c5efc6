"""Discrete Laplace noise, also called two-sided geometric: Pr[k] = (1-z)/(1+z)·z^|k|, z = exp(-1/b), on whole k."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from flint import arb

from dpverify.mechanisms.noise.derived import Derived, truncated
from dpverify.mechanisms.noise.law import NoiseOfScale, SymmetricNoise
from dpverify.mechanisms.noise.point_mass import PointMass, of_scale
from dpverify.mechanisms.noise.symmetric_tails import mass_by_tails
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import (
    Exact,
    ExactLike,
    inverse,
    negative,
    product,
    reciprocal_of_nonzero,
)
from dpverify.mechanisms.numbers.integers.whole_numbers import whole_number
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise
from dpverify.mechanisms.numbers.roots.intervals import Endpoint
from dpverify.mechanisms.numbers.roots.whole_forms import is_whole
from dpverify.mechanisms.numbers.shown import shown


@dataclass(frozen=True)
class DiscreteLaplace(NoiseOfScale, SymmetricNoise):
    """Pr[k] = (1-z)/(1+z)·z^|k| with z = exp(-1/scale), on the whole numbers."""

    made_by: ClassVar[str] = "discrete_laplace"
    discrete: ClassVar[bool] = True
    is_log_concave: ClassVar[bool] = True

    @cached_property
    def ratio(self) -> Exact:
        """z = exp(-1/scale)."""
        return exp(-inverse(self.scale))

    @property
    def tail_scale(self) -> Exact:
        return self.scale

    @cached_property
    def _one_plus_ratio_inverse(self) -> Exact:
        return reciprocal_of_nonzero(1 + self.ratio)

    def point(self, k: int) -> Exact:
        """Pr[N = k]."""
        return product((1 - self.ratio, self.ratio ** abs(k), self._one_plus_ratio_inverse))

    def tail(self, threshold: Endpoint) -> Exact:
        """Pr[N ≥ k] = z^k/(1+z) for k ≥ 1, 1 − z^(1-k)/(1+z) for k ≤ 0."""
        assert is_whole(threshold)
        if threshold >= 1:
            return product((self.ratio**threshold, self._one_plus_ratio_inverse))
        return 1 - product((self.ratio ** (1 - threshold), self._one_plus_ratio_inverse))

    def mass(self, low: Endpoint | None, high: Endpoint | None) -> Exact:
        """Pr[low ≤ N < high]."""
        if low is not None and is_whole(low) and high == low + 1:
            return self.point(low)
        return mass_by_tails(self.tail, low, high, mirrored=lambda threshold: 1 - threshold)

    @cached_property
    def density(self) -> Piecewise:
        """The whole k ↦ Pr[N = k]."""
        rate, at_0 = reciprocal_of_nonzero(self.scale), self.point(0)
        return Piecewise(True, (0,), ({(rate, 0): at_0}, {(negative(rate), 0): at_0}))

    def quantile(self, level: arb, precision: int) -> arb | None:
        """A ball around the real x whose ceiling is the smallest k with Pr[N ≤ k] ≥ level, or None as for Laplace."""
        scale = enclosure(self.scale, precision)
        one_plus_ratio = 1 + enclosure(self.ratio, precision)
        if level > 0 and level * one_plus_ratio <= 1:
            return scale * (level * one_plus_ratio).log()
        if level * one_plus_ratio >= 1 and level < 1:
            return -scale * ((1 - level) * one_plus_ratio).log() - 1
        return None

    def __str__(self) -> str:
        return f"discrete Lap({self.scale})"


def discrete_laplace(scale: ExactLike) -> DiscreteLaplace | PointMass:
    """Discrete Laplace noise of that scale for `draw`; for scale 0 a point mass. Raises `InputError` for scale < 0.

    >>> def noisy(draw, rows):
    ...     return sum(rows) + draw(discrete_laplace(2))
    >>> distribution(noisy, (0, 1)).probability(1)
    (1 + -1*exp(Fraction(-1, 2)))*(1 + exp(Fraction(-1, 2)))**(-1)
    """
    return of_scale("discrete_laplace", DiscreteLaplace.of, scale)


def truncated_discrete_laplace(scale: ExactLike, bound: int) -> Derived | PointMass:
    """Discrete Laplace noise conditioned on {-bound, …, bound}.

    As `discrete_laplace` for scale 0. Raises `InputError` unless bound is a whole number ≥ 0.
    """
    number = whole_number(bound)
    if number is None or number < 0:
        raise InputError(bad_input.NOT_WHOLE, f"bound={shown(bound)}", " ≥ 0")
    law = discrete_laplace(scale)
    return law if isinstance(law, PointMass) else truncated(law, number)
