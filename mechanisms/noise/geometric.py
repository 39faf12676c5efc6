"""One-sided geometric noise, on the whole numbers from 0 on: Pr[k] = (1-z)·z^k with z = exp(-1/b).

A number that is returned with it is never below the true one, which no ε allows, as of exponential noise.
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
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, ExactLike, inverse, negative, product
from dpverify.mechanisms.numbers.roots.exponential_polynomials import NOTHING, Piecewise
from dpverify.mechanisms.numbers.roots.intervals import Endpoint, Intervals, ray
from dpverify.mechanisms.numbers.roots.whole_forms import is_whole


@dataclass(frozen=True)
class Geometric(NoiseOfScale):
    """Pr[k] = (1-z)·z^k with z = exp(-1/scale), on the whole numbers k ≥ 0."""

    made_by: ClassVar[str] = "geometric"
    discrete: ClassVar[bool] = True
    support: ClassVar[Intervals] = ray(0)

    @cached_property
    def ratio(self) -> Exact:
        """z = exp(-1/scale)."""
        return exp(-inverse(self.scale))

    def tail(self, threshold: Endpoint) -> Exact:
        """Pr[N ≥ k] = z^k for k ≥ 0, else 1."""
        assert is_whole(threshold)
        return self.ratio**threshold if threshold > 0 else ONE

    def mass(self, low: Endpoint | None, high: Endpoint | None) -> Exact:
        """Pr[low ≤ N < high]."""
        if is_whole(low) and low >= 0 and high == low + 1:
            return product((self._of_zero, self.tail(low)))
        from_low = ONE if low is None else self.tail(low)
        return from_low if high is None else from_low - self.tail(high)

    @cached_property
    def _of_zero(self) -> Exact:
        return 1 - self.ratio

    @cached_property
    def density(self) -> Piecewise:
        """The whole k ↦ Pr[N = k]."""
        return Piecewise(True, (0,), (NOTHING, {(negative(inverse(self.scale)), 0): self._of_zero}))

    @property
    def tail_scale(self) -> Exact:
        return self.scale

    def mirror_image(self) -> NoiseLaw:
        """The law of −N."""
        return mirrored(self)

    def quantile(self, level: arb, precision: int) -> arb | None:
        """A ball around the real x whose ceiling is the smallest k with Pr[N ≤ k] ≥ level, or None as above."""
        return -enclosure(self.scale, precision) * (-level).log1p() - 1 if level < 1 else None

    def __str__(self) -> str:
        return f"geometric noise of scale {self.scale}"


def geometric(scale: ExactLike) -> Geometric | PointMass:
    """One-sided geometric noise for `draw`: Pr[k] ∝ exp(-k/scale) on the whole numbers k ≥ 0.

    The two-sided law, which is called geometric as well, is `discrete_laplace`. Raises `InputError` for scale < 0;
    0 gives a point mass.

    >>> def at_least(draw, rows):
    ...     return sum(rows) + draw(geometric("1/2"))
    >>> check_privacy(at_least, Tuples((0, 1), size=1), replace_one, epsilon=1).witness.event
    (0,)
    """
    return of_scale("geometric", Geometric.of, scale)
