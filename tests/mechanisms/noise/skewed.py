"""Skewed noise: the one file that a new noise takes, beside a line in `mechanisms/noise/__init__.pyi`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from flint import arb

from dpverify.mechanisms.noise.derived import mirrored
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, ExactLike, exact, inverse, negative
from dpverify.mechanisms.numbers.integers.parameters import positive
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise
from dpverify.mechanisms.numbers.roots.intervals import Endpoint


@dataclass(frozen=True)
class Skewed(NoiseLaw):
    """Density 2/(3b)·exp(-x/b) on x ≥ 0, and 2/(3b)·exp(2x/b) below: two thirds of it are above 0."""

    scale: Exact
    discrete: ClassVar[bool] = False

    def mass(self, low: Endpoint | None, high: Endpoint | None) -> Exact:
        return self._below(high) - self._below(low, at_no_end=0)

    def _below(self, end: Endpoint | None, at_no_end: int = 1) -> Exact:
        if end is None:
            return exact(at_no_end)
        x = exact(end) / self.scale
        return exp(2 * x) / 3 if x < 0 else 1 - 2 * exp(-x) / 3

    @cached_property
    def density(self) -> Piecewise:
        rate = inverse(self.scale)
        height = 2 * rate / 3
        return Piecewise(False, (ZERO,), ({(2 * rate, 0): height}, {(negative(rate), 0): height}))

    def mirror_image(self) -> NoiseLaw:
        return mirrored(self)

    def scaled(self, share: Fraction) -> Skewed:
        return Skewed(self.scale * share)

    def quantile(self, level: arb, precision: int) -> arb | None:
        scale = enclosure(self.scale, precision)
        if level > 0 and 3 * level <= 1:
            return scale * (3 * level).log() / 2
        return -scale * (3 * (1 - level) / 2).log() if 3 * level >= 1 and level < 1 else None


def skewed(scale: ExactLike) -> Skewed:
    """Skewed noise for `draw`. Raises `InputError` unless scale > 0."""
    return Skewed(positive(scale, "scale"))
