"""One-sided exponential noise, on x ≥ 0: scale b has density exp(-x/b)/b.

Report noisy max with it is permute-and-flip (Ding, Kifer, Saghaian, Steinke, Wang, Xiao & Zhang, 2021). A number that
is returned with it is never below the true one, which no ε allows: an outcome may be possible for one neighbour alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from flint import arb

from dpverify.mechanisms.noise.derived import mirrored
from dpverify.mechanisms.noise.law import NoiseLaw, NoiseOfScale
from dpverify.mechanisms.noise.point_mass import PointMass, of_scale
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, ExactLike, exact, inverse, negative
from dpverify.mechanisms.numbers.roots.exponential_polynomials import NOTHING, Piecewise
from dpverify.mechanisms.numbers.roots.intervals import Endpoint, Intervals, ray


@dataclass(frozen=True)
class Exponential(NoiseOfScale):
    """Density exp(-x/scale)/scale on x ≥ 0."""

    made_by: ClassVar[str] = "exponential_noise"
    discrete: ClassVar[bool] = False
    support: ClassVar[Intervals] = ray(ZERO)

    @cached_property
    def rate(self) -> Exact:
        """1/scale."""
        return inverse(self.scale)

    def tail(self, threshold: Endpoint) -> Exact:
        """Pr[N ≥ threshold] = exp(-threshold/scale) for threshold ≥ 0, else 1."""
        number = exact(threshold)
        return exp(-number * self.rate) if number > 0 else ONE

    def mass(self, low: Endpoint | None, high: Endpoint | None) -> Exact:
        """Pr[low ≤ N < high]."""
        from_low = ONE if low is None else self.tail(low)
        return from_low if high is None else from_low - self.tail(high)

    @cached_property
    def density(self) -> Piecewise:
        """x ↦ the density at x."""
        return Piecewise(False, (ZERO,), (NOTHING, {(negative(self.rate), 0): self.rate}))

    @property
    def tail_scale(self) -> Exact:
        return self.scale

    def mirror_image(self) -> NoiseLaw:
        """The law of −N."""
        return mirrored(self)

    def quantile(self, level: arb, precision: int) -> arb | None:
        """A ball around the x with Pr[N < x] = level; None where the ball `level` reaches 1."""
        return -enclosure(self.scale, precision) * (-level).log1p() if level < 1 else None

    def __str__(self) -> str:
        return f"exponential noise of scale {self.scale}"


def exponential_noise(scale: ExactLike) -> Exponential | PointMass:
    """One-sided exponential noise for `draw`, with density exp(-x/scale)/scale on x ≥ 0.

    The exponential mechanism is another thing, `exponential`. Raises `InputError` for scale < 0;
    0 gives a point mass.

    >>> def far(draw, n):
    ...     return n + draw(exponential_noise(2)) >= 2
    >>> distribution(far, 1).probability(True)
    exp(Fraction(-1, 2))
    """
    return of_scale("exponential_noise", Exponential.of, scale)
