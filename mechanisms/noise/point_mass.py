"""Noise of scale 0, as a computed sensitivity of 0 asks for: 0 with probability 1, and so no noise at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NoReturn, TypeVar

from flint import arb

from dpverify.mechanisms.noise.law import NoiseLaw, SymmetricNoise
from dpverify.mechanisms.numbers.errors import InputError, bad_input, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, ExactLike, exact
from dpverify.mechanisms.numbers.exact_text import at_a_glance
from dpverify.mechanisms.numbers.roots.intervals import Endpoint


@dataclass(frozen=True)
class PointMass(SymmetricNoise):
    """Noise that is 0: what is drawn of it is a noise value without noise in it, which is returned as its number."""

    of: str
    """The function that was asked for it, such as laplace."""
    discrete: ClassVar[bool] = True

    @property
    def made_by(self) -> str:
        return self.of

    @property
    def scale(self) -> Exact:
        """0."""
        return ZERO

    @property
    def density(self) -> NoReturn:
        """Raises `InputError`: nobody is to integrate over it."""
        raise InputError(
            bad_mechanism.NOISE_USE, self, "used as if it had a density, and is 0 with probability 1", "use a scale > 0"
        )

    def tail(self, threshold: Endpoint) -> Exact:
        """Pr[N ≥ threshold]."""
        return ONE if threshold <= 0 else ZERO

    def point(self, k: int) -> Exact:
        """Pr[N = k]."""
        return self.mass(k, k + 1)

    def mass(self, low: Endpoint | None, high: Endpoint | None) -> Exact:
        """Pr[low ≤ N < high]."""
        return ONE if (low is None or low <= 0) and (high is None or high > 0) else ZERO

    def drawn(self, random_bits: Callable[[int], int]) -> int:
        """0, for which no bits are asked."""
        return 0

    def quantile(self, level: arb, precision: int) -> arb:
        """A ball around 0, whatever the level."""
        return arb(0)

    def scaled(self, share: Fraction) -> PointMass:
        """The law itself."""
        return self

    def __str__(self) -> str:
        return f"{self.of} noise of scale 0"


LawOfScale = TypeVar("LawOfScale", bound=NoiseLaw)


def of_scale(
    of: str, law: Callable[[Exact], LawOfScale], value: ExactLike, name: str = "scale"
) -> LawOfScale | PointMass:
    """law(value), or a point mass for 0. Raises `InputError`, naming it, for a value below 0, and for no number."""
    number = exact(value, name)
    if number > 0:
        return law(number)
    if number == 0:
        return PointMass(of)
    raise InputError(bad_input.RANGE, f"{name}={at_a_glance(number)}", "at least 0")
