"""Discrete Gaussian noise of scale σ: Pr[k] = exp(-k²/(2σ²))/θ on whole k, θ = Σ exp(-k²/(2σ²)).

σ is the scale, and not quite the standard deviation, which is a little less. θ and the tails are sums that are
enclosed, as follows. For a ≥ 1 and k ≥ a it is (k+1)² - k² ≥ 2a + 1, so that each term from a on is at most
q = exp(-(2a+1)/(2σ²)) times the one before it: Σ_{k≥a} exp(-k²/(2σ²)) ≤ exp(-a²/(2σ²))/(1 - q).
It is sampled as by Canonne, Kamath & Steinke, "The discrete Gaussian for differential privacy" (2020), Algorithm 3:
discrete Laplace noise, accepted with the probability that makes it Gaussian.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import floor
from typing import ClassVar, Final

from flint import arb, ctx, fmpq

from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.noise.far_tails import FAR, far_probability
from dpverify.mechanisms.noise.gaussian import of_normal_scale, without_exact_density
from dpverify.mechanisms.noise.law import NoiseLaw, NoiseOfScale, SymmetricNoise
from dpverify.mechanisms.noise.point_mass import PointMass
from dpverify.mechanisms.noise.symmetric_tails import mass_by_tails
from dpverify.mechanisms.numbers.certified import Certified
from dpverify.mechanisms.numbers.elementary import certified, exp, square
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import (
    Exact,
    ExactLike,
    UnknownWhole,
    product,
    rational,
    reciprocal_of_nonzero,
    total,
)
from dpverify.mechanisms.numbers.exact_text import evaluable, notation
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise
from dpverify.mechanisms.numbers.roots.intervals import Endpoint
from dpverify.mechanisms.numbers.roots.whole_forms import is_whole

LARGEST_SCALE: Final = 100_000
"""Of noise that is decided: sums of a dozen times as many terms are computed for it. Any scale is sampled."""

_LISTED: Final = 64
"""The probability of so many whole numbers is written as the sum of theirs; beyond that by tails."""


@dataclass(frozen=True, eq=False)
class UpperSum(Certified):
    """Σ exp(-k²/(2·scale²)) over whole k ≥ first, first ≥ 1; over all whole k for first = 0, which is θ."""

    scale: Exact
    first: int
    most_bits: ClassVar[int] = 4096

    @cached_property
    def name(self) -> str:
        return f"theta({evaluable(self.scale)}, {self.first})"

    @property
    def readable(self) -> str:
        return f"θ({notation(self.scale)}{f', {self.first}' if self.first else ''})"

    def compute(self, bits: int) -> arb:
        """The sum as far as its terms count, and what bounds the others."""
        with ctx.workprec(bits + 32):
            rate = -1 / (2 * enclosure(self.scale, bits + 32) ** 2)
            start = self.first or 1
            result, k = arb(0), start
            # exp(rate·(k+1)²) = exp(rate·k²)·step, step falling by the factor exp(2·rate) from one k to the next
            term, step, falls = (rate * k * k).exp(), (rate * (2 * k + 1)).exp(), (2 * rate).exp()
            least = term * arb(2) ** -(bits + 16)
            while True:
                beyond = term / (1 - step)  # bounds the sum from k on: see above
                if beyond < least or k - start > 64 * LARGEST_SCALE:
                    break
                result += term
                term *= step
                step *= falls
                k += 1
            result += arb(0).union(beyond)
            return result if self.first else 1 + 2 * result


@dataclass(frozen=True)
class DiscreteGaussian(NoiseOfScale, SymmetricNoise):
    """Pr[k] = exp(-k²/(2·scale²))/θ, on the whole numbers."""

    scale: Exact
    made_by: ClassVar[str] = "discrete_gaussian"
    discrete: ClassVar[bool] = True
    is_certified: ClassVar[bool] = True
    is_log_concave: ClassVar[bool] = True

    @cached_property
    def rate(self) -> Exact:
        """1/(2σ²): Pr[k] falls as exp(-rate·k²)."""
        return reciprocal_of_nonzero(product((rational(fmpq(2)), square(self.scale))))

    @property
    def whole_gaussian_scale(self) -> Exact:
        return self.scale

    @property
    def gaussian_rate(self) -> Exact:
        return self.rate

    def sum_from(self, first: int) -> Exact:
        """Σ exp(-k²/(2σ²)) over k ≥ first, first ≥ 1, and over all k for 0."""
        if self.scale > LARGEST_SCALE:
            raise InputError(
                bad_input.BEYOND, f"the scale of {self}", f"{LARGEST_SCALE:,}", "use gaussian, or discrete_laplace"
            )
        return certified(UpperSum(self.scale, first))

    @cached_property
    def _of_all(self) -> Exact:
        return reciprocal_of_nonzero(self.sum_from(0))

    @cached_property
    def _far(self) -> int:
        """Bound from which on an unknown number need not be known."""
        return floor(FAR * self.scale) + 1

    def point(self, k: int) -> Exact:
        """Pr[N = k]."""
        if isinstance(k, UnknownWhole):
            return far_probability(self, abs(k), self._far, is_point=True)
        return product((self._weight(k), self._of_all))

    def _weight(self, k: int) -> Exact:
        return exp(product((rational(fmpq(-k * k)), self.rate)))

    def tail(self, threshold: Endpoint) -> Exact:
        """Pr[N ≥ k], and 1 − Pr[N ≥ 1 − k] for k ≤ 0."""
        assert is_whole(threshold)
        if threshold >= 1:
            if isinstance(threshold, UnknownWhole):
                return far_probability(self, threshold, self._far)
            return product((self.sum_from(threshold), self._of_all))
        return 1 - self.tail(1 - threshold)

    def mass(self, low: Endpoint | None, high: Endpoint | None) -> Exact:
        """Pr[low ≤ N < high]."""
        if is_whole(low) and high == low + 1:
            return self.point(low)
        if isinstance(low, int) and isinstance(high, int) and high - low <= _LISTED:
            return product((total(self._weight(k) for k in range(low, high)), self._of_all))
        return mass_by_tails(self.tail, low, high, mirrored=lambda threshold: 1 - threshold)

    @property
    def density(self) -> Piecewise:
        """Raises `InputError`: it is no polynomial times exponential."""
        raise without_exact_density(self)

    def quantile(self, level: arb, precision: int) -> arb | None:
        """None: what is drawn of it is `drawn`."""
        return None

    def drawn(self, random_bits: Callable[[int], int]) -> int:
        """A draw of it: N discrete Laplace of a whole scale t, kept with probability exp(-(|N| - σ²/t)²/(2σ²)).

        Pr[N = k] falls as exp(-|k|/t), and times that it is exp(-k²/(2σ²)), up to a constant factor.
        """
        t = floor(self.scale) + 1
        centre = product((square(self.scale), rational(fmpq(1, t))))
        while True:
            proposed = _whole(discrete_laplace(t), random_bits)
            distance = abs(proposed) - centre
            if _happens(exp(-product((square(distance), self.rate))), random_bits):
                return proposed

    def __str__(self) -> str:
        return f"discrete Gaussian({self.scale})"


def _happens(chance: Exact, random_bits: Callable[[int], int]) -> bool:
    """True where a uniform number is below `chance`: it is revealed until it is on one side of it for certain."""
    known, bits = random_bits(_AT_ONCE), _AT_ONCE
    while True:
        with ctx.workprec(bits + _AT_ONCE):
            scaled = enclosure(chance, bits + _AT_ONCE) * arb(2) ** bits
            if scaled >= known + 1:
                return True
            if scaled <= known:
                return False
        known, bits = (known << _AT_ONCE) + random_bits(_AT_ONCE), bits + _AT_ONCE


_AT_ONCE: Final = 64


def _whole(law: NoiseLaw, random_bits: Callable[[int], int]) -> int:
    """A draw of discrete noise by its quantile, at a uniform number that is revealed as far as it takes."""
    known, bits = random_bits(_AT_ONCE), _AT_ONCE
    while True:
        precision = bits + _AT_ONCE
        with ctx.workprec(precision):
            level = (arb(known) + arb(0.5, 0.5)) / arb(2) ** bits
            quantile = law.quantile(level, precision)
            result = None if quantile is None else quantile.ceil().unique_fmpz()
        if result is not None:
            return int(result)
        known, bits = (known << _AT_ONCE) + random_bits(_AT_ONCE), bits + _AT_ONCE


def discrete_gaussian(
    sigma: ExactLike | None = None, *, variance: ExactLike | None = None
) -> DiscreteGaussian | PointMass:
    """Discrete Gaussian noise for `draw`, Pr[k] proportional to exp(-k²/(2·sigma²)), or to exp(-k²/(2·variance)).

    For 0 it is a point mass. Raises `InputError` unless one of them is given, is ≥ 0, and depends on no symbolic ε.

    >>> def noisy(draw, rows):
    ...     return sum(rows) + draw(discrete_gaussian(16))
    >>> check_privacy(noisy, Tuples((0, 1), size=1), replace_one, epsilon=1, delta="1/100").status
    <Status.PROVED: 'PROVED'>
    """
    return of_normal_scale("discrete_gaussian", DiscreteGaussian.of, sigma, variance)
