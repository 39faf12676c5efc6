"""A sum of independent discrete noises, some of them Gaussian, as one noise that is released: distributed noise.

Each summand is symmetric and log-concave, Pr[k]² ≥ Pr[k − 1]·Pr[k + 1], and so is the sum (Hoggar, "Chromatic
polynomials and logarithmic concavity", 1974). So Pr[S = m − a]/Pr[S = m − b] rises with m for a > b, and where one law
exceeds another one, which is moved, is a half-line.

Needed by docs/gaussian.md: the noise that two servers add.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from flint import arb

from dpverify.mechanisms.noise.gaussian import without_exact_density
from dpverify.mechanisms.noise.law import NoiseLaw, ShiftFamily, SymmetricNoise
from dpverify.mechanisms.noise.symmetric_tails import mass_by_tails
from dpverify.mechanisms.numbers.elementary import certified, sqrt, square
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, total
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise
from dpverify.mechanisms.numbers.roots.intervals import Endpoint, Interval
from dpverify.mechanisms.numbers.roots.whole_forms import is_whole
from dpverify.mechanisms.path_conditions.certified_nodes import CertifiedNode, Noises
from dpverify.mechanisms.path_conditions.certified_trees import TiedNoise, probability_of_multiples


@dataclass(frozen=True)
class AddedNoise(SymmetricNoise):
    """The law of N₁ + N₂ + … of two or more discrete noises that are symmetric and log-concave."""

    parts: tuple[NoiseLaw, ...]
    made_by: ClassVar[str] = "sum"
    discrete: ClassVar[bool] = True
    is_certified: ClassVar[bool] = True

    @property
    def tail_scale(self) -> Exact | None:
        """See `NoiseLaw`: that of the summand whose tails are the longest, as Gaussian ones fall off faster."""
        return max((scale for part in self.parts if (scale := part.tail_scale) is not None), default=None)

    @property
    def shift_family(self) -> ShiftFamily:
        """See `NoiseLaw`; the standard deviation is about that of the summands."""
        variances = (
            square(part.whole_gaussian_scale or ZERO) + 2 * square(part.tail_scale or ZERO) for part in self.parts
        )
        return ShiftFamily(self.parts, sqrt(total(variances)), ZERO)

    def mass(self, low: Endpoint | None, high: Endpoint | None) -> Exact:
        """Pr[low ≤ S < high]."""
        if low is not None and high is not None and is_whole(low) and high == low + 1:
            return certified(self._tied((abs(low), abs(low) + 1)))
        return mass_by_tails(self._tail, low, high, mirrored=lambda threshold: 1 - threshold)

    def _tail(self, threshold: Endpoint) -> Exact:
        assert is_whole(threshold)
        return probability_of_multiples([(part, 1) for part in self.parts], threshold)

    def _tied(self, values: Interval) -> TiedNoise:
        return TiedNoise(
            CertifiedNode(Noises(None, tuple((part, ONE) for part in self.parts)), (values,), ()), discrete=True
        )

    @property
    def density(self) -> Piecewise:
        """Raises `InputError`: it is no polynomial times exponential."""
        raise without_exact_density(self)

    def scaled(self, share: Fraction) -> AddedNoise:
        """The law with the scales of all summands times `share` > 0."""
        return AddedNoise(tuple(part.scaled(share) for part in self.parts))

    def quantile(self, level: arb, precision: int) -> arb | None:
        """None: it is not drawn, but its summands are."""
        return None

    def __str__(self) -> str:
        return " + ".join(map(str, self.parts))


@lru_cache(maxsize=4096)
def added_noise(laws: Sequence[NoiseLaw]) -> AddedNoise | None:
    """The law of a sum of discrete noises, given as a tuple; None where it is not known to be log-concave."""
    if not all(law.discrete and law.is_log_concave for law in laws):
        return None
    return AddedNoise(tuple(sorted(laws, key=str)))
