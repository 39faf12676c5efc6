"""Gaussian noise of scale σ: density exp(-x²/(2σ²))/(σ·√(2π)); σ or its square is any exact number > 0.

Its probabilities are no exact numbers of closed form, but atoms of which balls are known (`elementary.normal_tail`):
½·erfc(t/(σ√2)). Those of one noise against thresholds are one atom each; what several noises give together is in
`outputs/certified_trees.py`. A linear combination of independent Gaussian noises is one Gaussian noise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final

from flint import arb

from dpverify.mechanisms.noise.far_tails import FAR, far_probability
from dpverify.mechanisms.noise.law import NoiseLaw, NoiseOfScale, SymmetricNoise
from dpverify.mechanisms.noise.point_mass import LawOfScale, PointMass, of_scale
from dpverify.mechanisms.noise.symmetric_tails import mass_by_tails
from dpverify.mechanisms.numbers.elementary import normal_tail, sqrt
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.errors import InputError, bad_input, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact, inverse, is_unknown
from dpverify.mechanisms.numbers.exact_text import at_a_glance
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise
from dpverify.mechanisms.numbers.roots.intervals import Endpoint


@dataclass(frozen=True)
class Gaussian(NoiseOfScale, SymmetricNoise):
    """Density exp(-x²/(2·scale²))/(scale·√(2π)), on the reals."""

    made_by: ClassVar[str] = "gaussian"
    discrete: ClassVar[bool] = False
    is_certified: ClassVar[bool] = True

    @property
    def normal_scale(self) -> Exact:
        return self.scale

    def tail(self, threshold: Endpoint) -> Exact:
        """Pr[N ≥ threshold]."""
        place = exact(threshold) * inverse(self.scale)
        if not is_unknown(place):
            return normal_tail(place)
        return 1 - self.tail(-threshold) if place < 0 else far_probability(_STANDARD, place, exact(FAR))

    def mass(self, low: Endpoint | None, high: Endpoint | None) -> Exact:
        """Pr[low ≤ N < high]."""
        return mass_by_tails(self.tail, low, high, mirrored=lambda threshold: -threshold)

    @property
    def density(self) -> Piecewise:
        """Raises `InputError`: it is no polynomial times exponential."""
        raise without_exact_density(self)

    def quantile(self, level: arb, precision: int) -> arb | None:
        """A ball around the x with Pr[N < x] = level; None where the ball `level` is too wide to tell it."""
        if level > 0 and level <= 0.5:
            result = -(2 * level).erfcinv()
        elif level >= 0.5 and level < 1:
            result = (2 * (1 - level)).erfcinv()
        else:
            return None
        return enclosure(self.scale, precision) * arb(2).sqrt() * result if result.is_finite() else None

    def __str__(self) -> str:
        return f"Gaussian({self.scale})"


def gaussian(sigma: ExactLike | None = None, *, variance: ExactLike | None = None) -> Gaussian | PointMass:
    """Gaussian noise for `draw`, of standard deviation `sigma`, or of a `variance`; both are any exact number.

    For 0 it is a point mass. Raises `InputError` unless one of them is given, is ≥ 0, and depends on no symbolic ε.

    >>> def noisy(draw, rows):
    ...     return sum(rows) + draw(gaussian(4))
    >>> check_privacy(noisy, Tuples((0, 1), size=1), replace_one, epsilon=1, delta="1/10").status
    <Status.PROVED: 'PROVED'>
    """
    return of_normal_scale("gaussian", Gaussian.of, sigma, variance)


def of_normal_scale(
    of: str, law: Callable[[Exact], LawOfScale], sigma: ExactLike | None, variance: ExactLike | None
) -> LawOfScale | PointMass:
    """law(σ) of the σ that one of the two says, or a point mass for 0. Raises `InputError` unless one is given, ≥ 0."""

    def at(given: Exact) -> LawOfScale:
        if given.symbol is not None:
            raise InputError(bad_mechanism.GAUSSIAN_SYMBOLIC, f"has the scale {at_a_glance(given)} in {of}")
        return law(given if variance is None else sqrt(given))

    if sigma is not None and variance is None:
        return of_scale(of, at, sigma, "sigma")
    if variance is not None and sigma is None:
        return of_scale(of, at, variance, "variance")
    raise InputError(bad_input.EXCLUDE, f"sigma, the standard deviation of {of},", "variance")


def without_exact_density(law: NoiseLaw) -> InputError:
    """The error for asking what is known of noise with a density in closed form alone."""
    return InputError(
        bad_mechanism.NOISE_USE,
        law,
        "used where its density would have to be a polynomial times an exponential",
        "compare it with numbers and other noise, or return it by itself",
    )


_STANDARD: Final = Gaussian.of(exact(1))
