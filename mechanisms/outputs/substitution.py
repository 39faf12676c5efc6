"""A number in the place of a symbolic ε, or whole ones in those of unknown scores: in laws, and wherever they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, UnknownWhole, total
from dpverify.mechanisms.numbers.integers.unknown_outcomes import has_unknown, outcome_at
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise, collected_terms
from dpverify.mechanisms.numbers.roots.periodic_tails import AnyDensity, PeriodicTails
from dpverify.mechanisms.numbers.roots.substitution import NumberSubstitution, PointSubstitution
from dpverify.mechanisms.numbers.roots.whole_forms import whole_of
from dpverify.mechanisms.numbers.symbols import Symbol
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.normal_releases import NormalRelease
from dpverify.mechanisms.outputs.released import (
    AnyRelease,
    AtomRelease,
    DensityRelease,
    NoisyPart,
    Release,
    ReleasedDistribution,
    Releases,
    TiedRelease,
)
from dpverify.mechanisms.outputs.released_parts import PartRelease
from dpverify.mechanisms.outputs.released_reals import RealRelease
from dpverify.mechanisms.outputs.tied_reals import TiedReal


class DistributionSubstitution:
    """Puts `number` in a symbol's place: in numbers, laws, and in tuples, lists and dicts of them."""

    def __init__(self, symbol: Symbol, number: Exact) -> None:
        self._in_numbers: Callable[[Exact], Exact] = NumberSubstitution(symbol, number)
        self._densities: dict[Piecewise, Piecewise] = {}
        self._tails: dict[PeriodicTails, PeriodicTails] = {}

    @classmethod
    def at_point(cls, point: Sequence[int]) -> DistributionSubstitution:
        """Puts the whole numbers of a point in the places of coordinates."""
        made = cls.__new__(cls)
        made._in_numbers = PointSubstitution(dict(enumerate(point)))
        made._densities = {}
        made._tails = {}
        return made

    def __call__(self, value: Any) -> Any:
        """`value` with the number in the symbol's place."""
        if isinstance(value, UnknownWhole):
            return whole_of(self._in_numbers(value.number))
        if isinstance(value, Exact):
            return self._in_numbers(value)
        if isinstance(value, Distribution):
            return self._of_law(value)
        if isinstance(value, NoiseLaw):
            return self._of_noise(value)
        if type(value) in (tuple, list):
            return type(value)(map(self, value))
        if type(value) is dict:
            return {key: self(part) for key, part in value.items()}
        return value

    def _of_law(self, law: Distribution[Any]) -> Distribution[Any]:
        if isinstance(law, ReleasedDistribution):
            return self._of_released(law)
        if any(has_unknown(outcome) for outcomes, _ in law.blocks for outcome in outcomes[:1]):
            return Distribution.of_probabilities(self._outcomes(law.probabilities))
        blocks = ((outcomes, self(weight)) for outcomes, weight in law.blocks)
        return Distribution.of_blocks(blocks, total_weight=self(law.total_weight))

    def _of_released(self, law: ReleasedDistribution) -> ReleasedDistribution:
        released: dict[Any, list[tuple[Releases, Exact]]] = {}
        for template, components in law.released.items():
            released.setdefault(self._outcome(template), []).extend(components.items())
        return ReleasedDistribution(
            self._outcomes(law.finite), {template: self._released(parts) for template, parts in released.items()}
        )

    def _outcome(self, outcome: Any) -> Any:
        return outcome_at(outcome, self._in_numbers)

    def _outcomes(self, probabilities: Mapping[Any, Exact]) -> Mapping[Any, Exact]:
        results: dict[Any, list[Exact]] = {}
        for outcome, probability in probabilities.items():  # two of them may become one
            results.setdefault(self._outcome(outcome), []).append(self(probability))
        return {outcome: total(parts) for outcome, parts in results.items()}

    def _released(self, components: Iterable[tuple[Releases, Exact]]) -> Mapping[Releases, Exact]:
        results: dict[Releases, list[Exact]] = {}
        for releases, probability in components:  # two of them may become one
            results.setdefault(tuple(map(self._of_release, releases)), []).append(self(probability))
        return {releases: total(parts) for releases, parts in results.items()}

    def _of_release(
        self, release: AnyRelease | RealRelease | NormalRelease | TiedReal | PartRelease | NoisyPart
    ) -> AnyRelease | RealRelease | NormalRelease | PartRelease | NoisyPart:
        if isinstance(release, PartRelease):
            return PartRelease(self(dict(release.probabilities)))
        if isinstance(release, NoisyPart):
            return NoisyPart(self._of_released(release.law))
        if isinstance(release, TiedReal):
            raise InputError(bad_input.SYMBOLIC, "several continuous numbers that are tied to each other are released")
        if isinstance(release, DensityRelease):
            return DensityRelease(self._of_density(release.density))
        if isinstance(release, NormalRelease):
            return NormalRelease(self(release.sigma), self(release.centre), self(release.values))
        if isinstance(release, RealRelease):
            return RealRelease(self._of_real_density(release.base), self(release.slope), self(release.centre))
        if isinstance(release, TiedRelease):
            raise InputError(
                bad_input.SYMBOLIC, "noise that was compared with other noise is released, and not clamped"
            )
        if isinstance(release, AtomRelease):
            return release
        return Release(self._of_noise(release.law), self(release.centre), self(release.values))

    def _of_noise(self, law: NoiseLaw) -> NoiseLaw:
        return law.with_numbers(self)

    def _of_real_density(self, density: AnyDensity) -> AnyDensity:
        if isinstance(density, Piecewise):
            return self._of_density(density)
        known = self._tails.get(density)
        if known is None:
            ends = self(density.low), self(density.high)
            known = PeriodicTails(self._of_density(density.near), *ends, self(density.period), self(density.fall))
            self._tails[density] = known
        return known

    def _of_density(self, density: Piecewise) -> Piecewise:
        known = self._densities.get(density)
        if known is None:
            pieces = tuple(
                collected_terms(((self(rate), k), self(c)) for (rate, k), c in piece.items())
                for piece in density.pieces
            )
            known = Piecewise(density.discrete, tuple(map(self, density.breaks)), pieces)
            self._densities[density] = known
        return known
