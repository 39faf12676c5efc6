"""Released numbers that are normally distributed, given that they lie in known intervals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from dpverify.mechanisms.noise.gaussian import gaussian
from dpverify.mechanisms.noise.law import probability
from dpverify.mechanisms.numbers.exact_numbers import Exact, negative, total
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING, Endpoint, Intervals, half_open, intersection

_Cell: TypeAlias = tuple[Exact | None, Exact | None]


@dataclass(frozen=True)
class NormalRelease:
    """One released number z ~ N(centre, sigma²), where the run has shown that z ∈ values."""

    sigma: Exact
    centre: Exact
    values: Intervals = EVERYTHING

    @cached_property
    def mass(self) -> Exact:
        """Pr[z ∈ values]."""
        return self.probability((None, None))

    def probability(self, cell: _Cell) -> Exact:
        """Pr[z ∈ values and z ∈ cell]."""
        return probability(gaussian(self.sigma), self._of_noise(intersection(self.values, half_open(*cell))))

    def moved(self, by: Exact) -> NormalRelease:
        """The release of z + by."""
        values = tuple((_plus(low, by), _plus(high, by)) for low, high in self.values)
        return NormalRelease(self.sigma, total((self.centre, by)), values)

    def _of_noise(self, values: Intervals) -> Intervals:
        by = negative(self.centre)
        return tuple((_plus(low, by), _plus(high, by)) for low, high in values)


def _plus(end: Endpoint | None, by: Exact) -> Exact | None:
    return None if end is None else by + end
