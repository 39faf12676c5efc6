"""Noise laws: Laplace and discrete Laplace, whole or truncated, by their exact tail probabilities; and all there are.

Lap(b) has density exp(-|x|/b)/(2b) (Beimel, Nissim & Stemmer, journal version, Definition 2.22). The discrete Laplace
law, also called two-sided geometric, has Pr[k] = (1-z)/(1+z)·z^|k|, z = exp(-1/b), on the whole numbers. Truncating
conditions a law on [-bound, bound]; that is another law, with other privacy claims.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import ClassVar, Final, TypeAlias

from flint import arb, fmpq

from dpverify.mechanisms.exact.elementary import exp
from dpverify.mechanisms.exact.enclosure import enclosure
from dpverify.mechanisms.exact.errors import InputError
from dpverify.mechanisms.exact.exact_numbers import (
    ONE,
    ZERO,
    Exact,
    ExactLike,
    exact,
    inverse,
    negative,
    product,
    rational,
    reciprocal_of_nonzero,
    total,
)
from dpverify.mechanisms.exact.exponential_polynomials import Piecewise
from dpverify.mechanisms.exact.intervals import EVERYTHING, Endpoint, Intervals, between, intersection
from dpverify.mechanisms.exact.parameters import positive
from dpverify.mechanisms.exact.whole_forms import is_whole
from dpverify.mechanisms.exact.whole_numbers import whole_number
from dpverify.mechanisms.laws.derived_noise import Floored, Mirrored
from dpverify.mechanisms.laws.gumbel_noise import Gumbel
from dpverify.mechanisms.laws.one_sided_noise import Exponential, Geometric
from dpverify.mechanisms.laws.staircase_noise import Staircase
from dpverify.mechanisms.laws.undrawn import Undrawn
from dpverify.mechanisms.laws.uniform_noise import DiscreteUniform, Uniform

_HALF: Final = rational(fmpq(1, 2))


@dataclass(frozen=True)
class Laplace(Undrawn):
    """Lap(scale), on the reals."""

    scale: Exact
    made_by: ClassVar[str] = "laplace"
    discrete: ClassVar[bool] = False
    support: ClassVar[Intervals] = EVERYTHING

    @cached_property
    def rate(self) -> Exact:
        """1/scale."""
        return inverse(self.scale)

    def tail(self, threshold: Endpoint) -> Exact:
        """Pr[N ≥ threshold] = ½·exp(-threshold/scale) for threshold ≥ 0, 1 − ½·exp(threshold/scale) below."""
        number = exact(threshold)
        if number >= 0:
            return _HALF * exp(-number * self.rate)
        return 1 - _HALF * exp(number * self.rate)

    def mass(self, low: Endpoint | None, high: Endpoint | None) -> Exact:
        """Pr[low ≤ N < high]."""
        return _of_interval(self, low, high)

    @cached_property
    def density(self) -> Piecewise:
        """X ↦ the density at x."""
        height = product((_HALF, self.rate))
        return Piecewise(False, (ZERO,), ({(self.rate, 0): height}, {(negative(self.rate), 0): height}))

    def mirrored(self, threshold: Endpoint) -> Endpoint:
        """The t for which Pr[N < threshold] = Pr[N ≥ t]."""
        return -threshold

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


@dataclass(frozen=True)
class DiscreteLaplace(Undrawn):
    """Pr[k] = (1-z)/(1+z)·z^|k| with z = exp(-1/scale), on the whole numbers."""

    scale: Exact
    made_by: ClassVar[str] = "discrete_laplace"
    discrete: ClassVar[bool] = True
    support: ClassVar[Intervals] = EVERYTHING

    @cached_property
    def ratio(self) -> Exact:
        """Z = exp(-1/scale)."""
        return exp(-inverse(self.scale))

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
        return _of_interval(self, low, high)

    @cached_property
    def density(self) -> Piecewise:
        """The whole k ↦ Pr[N = k]."""
        rate, at_0 = reciprocal_of_nonzero(self.scale), self.point(0)
        return Piecewise(True, (0,), ({(rate, 0): at_0}, {(negative(rate), 0): at_0}))

    def mirrored(self, threshold: Endpoint) -> Endpoint:
        """The k for which Pr[N < threshold] = Pr[N ≥ k]."""
        return 1 - threshold

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


@dataclass(frozen=True)
class Truncated(Undrawn):
    """A Laplace law conditioned on [-bound, bound]."""

    law: Laplace | DiscreteLaplace
    bound: Endpoint

    @property
    def made_by(self) -> str:
        """See `Undrawn`."""
        return f"truncated_{self.law.made_by}"

    @property
    def discrete(self) -> bool:
        """Whether the noise takes whole values."""
        return self.law.discrete

    @cached_property
    def support(self) -> Intervals:
        """The values that the noise may take."""
        return between(-self.bound, self.bound + 1 if self.discrete else self.bound)

    @property
    def scale(self) -> Exact:
        """The scale of the law that is truncated."""
        return self.law.scale

    def mass(self, low: Endpoint | None, high: Endpoint | None) -> Exact:
        """Pr[low ≤ N < high]."""
        return probability(self, between(low, high))

    @cached_property
    def density(self) -> Piecewise:
        """X ↦ the density at x, or the probability of the whole number x."""
        kept = probability(self.law, self.support)
        return self.law.density.within(self.support).scaled(reciprocal_of_nonzero(kept))

    def quantile(self, level: arb, precision: int) -> arb | None:
        """As for the law that is truncated, with the level moved into the part that is kept."""
        low = enclosure(probability(self.law, ((None, self.support[0][0]),)), precision)
        kept = enclosure(probability(self.law, self.support), precision)
        return self.law.quantile(low + level * kept, precision)

    def __str__(self) -> str:
        return f"{self.law} truncated to [-{self.bound}, {self.bound}]"


NoiseLaw: TypeAlias = (
    Laplace
    | DiscreteLaplace
    | Truncated
    | Exponential
    | Geometric
    | Uniform
    | DiscreteUniform
    | Gumbel
    | Staircase
    | Mirrored
    | Floored
)
"""Any law of noise: what can be drawn, and what becomes of it when it is mirrored or rounded."""

Noise: TypeAlias = Callable[[Exact], NoiseLaw]
"""Scale → law: `laplace` or `discrete_laplace`."""


def scale_of_tails(law: NoiseLaw) -> Exact | None:
    """The b for which the tails of a law fall off as exp(-|x|/b); None where it has no tails, or others."""
    if isinstance(law, Uniform | DiscreteUniform | Gumbel | Staircase):
        return None
    if isinstance(law, Mirrored | Floored):
        assert isinstance(law.law, NoiseLaw)
        scale = scale_of_tails(law.law)
        return scale if scale is None or isinstance(law, Mirrored) else scale * abs(law.slope)
    return law.scale


def mirror_image(law: NoiseLaw) -> NoiseLaw:
    """The law of −N for whole N ~ law."""
    if isinstance(law, Mirrored):
        assert isinstance(law.law, NoiseLaw)
        return law.law
    if isinstance(law, DiscreteUniform):
        return law.mirrored
    return law if isinstance(law, DiscreteLaplace | Truncated) else Mirrored(law)


@lru_cache(maxsize=1 << 16)
def probability(law: NoiseLaw, values: Intervals) -> Exact:
    """Pr[N ∈ values], exactly."""
    if isinstance(law, Truncated):
        within = probability(law.law, intersection(values, law.support))
        return product((within, reciprocal_of_nonzero(probability(law.law, law.support))))
    return total(law.mass(low, high) for low, high in values)


def _of_interval(law: Laplace | DiscreteLaplace, low: Endpoint | None, high: Endpoint | None) -> Exact:
    if low is None and high is None:
        return ONE
    if low is None:
        assert high is not None
        return law.tail(law.mirrored(high))
    if high is None:
        return law.tail(low)
    if isinstance(law, DiscreteLaplace) and is_whole(low) and high == low + 1:
        return law.point(low)
    if high <= 0:  # both tails on the left: mirror, so that no 1 has to cancel
        return law.tail(law.mirrored(high)) - law.tail(law.mirrored(low))
    return law.tail(low) - law.tail(high)


def laplace(scale: ExactLike) -> Laplace:
    """Lap(scale): continuous noise for `draw`. Raises `InputError` unless scale > 0."""
    return _laplace(positive(scale, "scale"))


def discrete_laplace(scale: ExactLike) -> DiscreteLaplace:
    """Discrete Laplace noise of the given scale for `draw`. Raises `InputError` unless scale > 0."""
    return _discrete_laplace(positive(scale, "scale"))


def truncated_laplace(scale: ExactLike, bound: ExactLike) -> Truncated:
    """Lap(scale) conditioned on [-bound, bound]. Raises `InputError` unless scale > 0 and bound > 0."""
    return Truncated(laplace(scale), positive(bound, "bound"))


ALL_NOISE: Final = Fraction(1)
"""The share of its noise that a mechanism has as it is written."""


def scaled(law: NoiseLaw, share: Fraction) -> NoiseLaw:
    """The law with its scale times `share` > 0, and with the bound that it is truncated at as it is."""
    if isinstance(law, Truncated):
        return replace(law, law=_scaled(law.law, share))
    assert not isinstance(law, Mirrored | Floored), "they are not drawn, but made of what is drawn"
    return _scaled(law, share) if isinstance(law, Laplace | DiscreteLaplace) else law.scaled(share)


def _scaled(law: Laplace | DiscreteLaplace, share: Fraction) -> Laplace | DiscreteLaplace:
    scale = law.scale * share
    return _discrete_laplace(scale) if isinstance(law, DiscreteLaplace) else _laplace(scale)


def truncated_discrete_laplace(scale: ExactLike, bound: int) -> Truncated:
    """Discrete Laplace noise conditioned on {-bound, …, bound}.

    Raises `InputError` unless scale > 0 and bound is a whole number ≥ 0.
    """
    number = whole_number(bound)
    if number is None or number < 0:
        raise InputError(f"bound={bound!r} is not a whole number ≥ 0, which truncated discrete noise needs")
    return Truncated(discrete_laplace(scale), number)


# One law object per scale, so that what it has computed is computed once.
_laplace = lru_cache(maxsize=4096)(Laplace)
_discrete_laplace = lru_cache(maxsize=4096)(DiscreteLaplace)
