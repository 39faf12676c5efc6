"""The class of every law of noise: all that comparisons, releases, samplers and shares of noise ask of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Final, NamedTuple, Self, TypeAlias

from flint import arb

from dpverify.mechanisms.noise.undrawn import Undrawn
from dpverify.mechanisms.numbers.exact_numbers import Exact, total
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING, Endpoint, Intervals
from dpverify.mechanisms.numbers.roots.periodic_tails import PeriodicTails

ALL_NOISE: Final = Fraction(1)
"""The share of its noise that a mechanism has as it is written."""


class ShiftFamily(NamedTuple):
    """Laws of one noise that is moved by a shift, and then perhaps rounded."""

    kind: Hashable
    """Equal for laws of one family."""
    scale: Exact
    """About how wide they spread."""
    shift: Exact


@lru_cache
def _numbers_of(kind: type[NoiseLaw]) -> Callable[[object], tuple[Any, ...]]:
    names = [field.name for field in fields(kind) if field.compare]  # type: ignore[arg-type]  # a dataclass
    return lambda law: tuple([getattr(law, name) for name in names])


class NoiseLaw(Undrawn, ABC):
    """The law of a noise N: a frozen dataclass of exact numbers.

    An abstract class and no protocol, since `draw` tells by it a law of noise from everything else that may be drawn.
    """

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        cls.__eq__ = NoiseLaw.__eq__  # type: ignore[method-assign]  # which `dataclass` leaves as it is

    def __eq__(self, other: object) -> bool:
        if type(other) is type(self):
            numbers = _numbers_of(type(self))
            return bool(numbers(self) == numbers(other))
        self.refuse_what_is_no_law(other)
        return NotImplemented

    def __hash__(self) -> int:  # each dataclass has its own
        return hash(_numbers_of(type(self))(self))

    is_compared_with_few: ClassVar[bool] = False
    """True where `refuse_comparison` has anything to refuse: it is asked of every comparison."""

    is_certified: ClassVar[bool] = False
    """True where its probabilities are known by balls, and not in closed form: it has no `density` of exact numbers."""

    is_log_concave: ClassVar[bool] = False
    """True where it is symmetric, whole, and Pr[k]² ≥ Pr[k − 1]·Pr[k + 1] for all k."""

    @property
    @abstractmethod
    def discrete(self) -> bool:
        """True where the noise takes whole values."""

    @property
    def support(self) -> Intervals:
        """The values that the noise may take."""
        return EVERYTHING

    @property
    def tail_scale(self) -> Exact | None:
        """The b for which the tails fall off as exp(-|x|/b); None where there are no tails, or others."""
        return None

    @property
    def exponential_scale(self) -> Exact | None:
        """The b for which e^(-N/b) is exponential noise of scale 1, of noise of which differences alone are decided."""
        return None

    @property
    def normal_scale(self) -> Exact | None:
        """The σ for which it is normally distributed around 0, as sums of such noises are; None for other noise."""
        return None

    @property
    def whole_gaussian_scale(self) -> Exact | None:
        """The σ of discrete Gaussian noise; None for other noise."""
        return None

    @property
    def gaussian_rate(self) -> Exact | None:
        """The r for which Pr[k] falls off as exp(-r·k²) on whole k; None for other noise."""
        return None

    @property
    def shift_family(self) -> ShiftFamily | None:
        """The laws that it belongs to, where p/q of any two of them, moved as well, rises or falls; None elsewhere."""
        return None

    @property
    @abstractmethod
    def density(self) -> Piecewise:
        """x ↦ the density at x, or the probability of the whole number x."""

    @property
    def periodic_density(self) -> PeriodicTails | None:
        """x ↦ the density at x, of continuous noise whose tails repeat themselves; None for other noise."""
        return None

    @abstractmethod
    def mass(self, low: Endpoint | None, high: Endpoint | None) -> Exact:
        """Pr[low ≤ N < high]; None is no end."""

    @abstractmethod
    def quantile(self, level: arb, precision: int) -> arb | None:
        """A ball around the x with Pr[N < x] = level; for whole N around one whose ceiling is the smallest such k.

        None where the ball `level` is too wide to tell the branch.
        """

    def drawn(self, random_bits: Callable[[int], int]) -> int | None:  # most noises are quantiles
        """A draw of discrete noise, for which so many random bits are asked; None where `quantile` gives it."""
        return None

    @abstractmethod
    def mirror_image(self) -> NoiseLaw:
        """The law of −N."""

    @abstractmethod
    def scaled(self, share: Fraction) -> NoiseLaw:
        """The law with its scale times `share` > 0: that much of the noise."""

    def probability(self, values: Intervals) -> Exact:
        """Pr[N ∈ values]; see `probability`, which remembers it."""
        return total(self.mass(low, high) for low, high in values)

    def with_numbers(self, put: Callable[[Any], Any]) -> NoiseLaw:
        """The law with put(number) in the place of each number, as of a symbolic ε."""
        numbers = {field.name: put(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]  # a dataclass
        return replace(self, **numbers)  # type: ignore[type-var]  # each law is a dataclass

    def refuse_comparison(  # most noises refuse none
        self, parts: Sequence[tuple[Exact, NoiseLaw]], described: Callable[[], str]
    ) -> None:
        """Raises `InputError` where Σ coefficient·noise, of which this is one, has no law that is decided."""

    def refuse_use(self, what: str) -> None:  # most noises refuse none
        """Raises `InputError` where the noise cannot be returned or rounded: `what` says which of these it was."""


class SymmetricNoise(NoiseLaw):
    """The law of a noise N that −N has, too."""

    def mirror_image(self) -> Self:
        """The law itself."""
        return self


@dataclass(frozen=True)
class NoiseOfScale(NoiseLaw):
    """The law of a noise that its scale decides: one object for each, so that what it has computed is computed once."""

    scale: Exact

    @classmethod
    @lru_cache(maxsize=1 << 15)
    def of(cls, scale: Exact) -> Self:
        """The law of this scale > 0."""
        return cls(scale)

    def scaled(self, share: Fraction) -> Self:
        """The law with its scale times `share` > 0."""
        return self.of(self.scale * share)

    def with_numbers(self, put: Callable[[Any], Any]) -> Self:
        """See `NoiseLaw`."""
        return self.of(put(self.scale))


Noise: TypeAlias = Callable[[Exact], NoiseLaw]
"""Scale → law: `laplace` or `discrete_laplace`."""


@lru_cache(maxsize=1 << 16)
def probability(law: NoiseLaw, values: Intervals) -> Exact:
    """Pr[N ∈ values], exactly; remembered, as a mechanism asks the same on every database."""
    return law.probability(values)
