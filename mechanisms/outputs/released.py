"""Noise that a mechanism releases: infinitely many outcomes, held in closed form.

An outcome with released noise is a *template*, a nested tuple with a `Slot` where each noise stands. A noisy number is
offset + unit·m for whole m; offset and unit belong to the template, the law of m to the release. (Real numbers are in
`released_reals`.)
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor
from typing import Any, ClassVar, Final, NoReturn, TypeAlias

from dpverify.mechanisms.functions.containers import as_held
from dpverify.mechanisms.functions.lookalikes import same
from dpverify.mechanisms.noise.law import NoiseLaw, probability
from dpverify.mechanisms.numbers.errors import InputError, bad_input, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, as_parameter, exact, negative, product, total
from dpverify.mechanisms.numbers.roots.exponential_polynomials import NOTHING, Piecewise, constant_function
from dpverify.mechanisms.numbers.roots.intervals import Intervals, half_open, intersection, negated, shifted
from dpverify.mechanisms.numbers.roots.whole_forms import rounded_whole
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.loss_events import LossAbove
from dpverify.mechanisms.outputs.normal_releases import NormalRelease
from dpverify.mechanisms.outputs.ratio_masses import FEW_FACTORS, Simplified
from dpverify.mechanisms.outputs.released_parts import OneOf, PartCell, PartRelease, parts_in
from dpverify.mechanisms.outputs.released_reals import RealRelease
from dpverify.mechanisms.outputs.templates import (
    Cell,
    Slot,
    SomeCells,
    all_cells_named,
    cells_named,
    frame_in,
    names_several,
)
from dpverify.mechanisms.outputs.tied_reals import TiedReal, TiedReals
from dpverify.mechanisms.path_conditions.noise_tree import NoiseTree

WIDE: Final = 32
"""Steps between two ends from where on they are far from each other: noise there is no number of its own each."""


@dataclass(frozen=True)
class Release:
    """One released noise: m = N + centre, where N ~ law and the run has shown that N ∈ values."""

    law: NoiseLaw
    centre: int
    values: Intervals

    def probability(self, cell: Cell) -> Exact:
        """Pr[N ∈ values and m ∈ cell]."""
        return probability(self.law, intersection(self.values, shifted(half_open(*cell), -self.centre)))

    @cached_property
    def density(self) -> Piecewise:
        """The whole m ↦ Pr[N ∈ values and m = N + centre]."""
        return self.law.density.within(self.values).composed(ONE, -self.centre)

    @property
    def ends(self) -> tuple[int, int] | None:
        """The m that it has lie from one to before the other; None where there are no ends."""
        low, high = self.values[0][0], self.values[-1][1]
        return (low + self.centre, high + self.centre) if isinstance(low, int) and isinstance(high, int) else None

    @property
    def is_wide(self) -> bool:
        """True for noise between two ends that are far from each other."""
        return self.ends is not None and self.ends[1] - self.ends[0] > WIDE


class _ByDensity:
    """A released number whose density is computed as a whole."""

    density: Any
    """A Piecewise, of a field or of a property."""

    @cached_property
    def _cumulative(self) -> Piecewise:
        density: Piecewise = self.density
        return density.cumulative

    def probability(self, cell: Cell) -> Exact:
        """Pr[m ∈ cell and what is known]."""
        return self._cumulative.between(*cell)


@dataclass(frozen=True)
class TiedRelease(_ByDensity):
    """One released noise N that was compared with other noise: m = ±N + centre, N the root of what is known.

    The probabilities are those of N and of all that the run has shown of the others.
    """

    tree: NoiseTree
    centre: int
    negated: bool

    @cached_property
    def density(self) -> Piecewise:
        """The whole m ↦ the probability of m and of what is known."""
        slope = negative(ONE) if self.negated else ONE
        return self.tree.density.composed(slope, self.centre if self.negated else -self.centre)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TiedRelease | DensityRelease):
            return NotImplemented
        if isinstance(other, TiedRelease) and self.tree is other.tree:
            return (self.centre, self.negated) == (other.centre, other.negated)
        return _are_one_function(self.density, other.density)

    def __hash__(self) -> int:
        return hash(self.density.breaks)

    def __reduce__(self) -> tuple[Any, ...]:
        return DensityRelease, (self.density,)  # trees are known by numbers of one process


@dataclass(frozen=True)
class DensityRelease(_ByDensity):
    """A released number of which the density is all that is known: a sum of noises, or one from another process."""

    density: Piecewise

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TiedRelease | DensityRelease):
            return NotImplemented
        return _are_one_function(self.density, other.density)

    def __hash__(self) -> int:
        return hash(self.density.breaks)


def _are_one_function(left: Piecewise, right: Piecewise) -> bool:
    return left.breaks == right.breaks and left.pieces == right.pieces


@dataclass(frozen=True)
class AtomRelease:
    """A plain number where a released one stands on other paths: m for certain."""

    m: int

    def probability(self, cell: Cell) -> Exact:
        """Pr[m ∈ cell]: 1 or 0."""
        low, high = cell
        return ONE if (low is None or low <= self.m) and (high is None or self.m < high) else ZERO

    @cached_property
    def density(self) -> Piecewise:
        """The whole k ↦ 1 where k = m."""
        return Piecewise(True, (self.m, self.m + 1), (NOTHING, constant_function(ONE), NOTHING))


AnyRelease: TypeAlias = Release | TiedRelease | DensityRelease | AtomRelease


class NoisyPart:
    """The law of one independent part that is more than one template with noise, as max(0, n + noise) is. Immutable."""

    __slots__ = ("_hash", "law")

    def __init__(self, law: ReleasedDistribution) -> None:
        self.law = law
        self._hash = hash((frozenset(law.finite), frozenset(law.released)))

    def probability(self, cell: PartCell) -> Exact:
        """Pr[the part is in the cell]."""
        if not isinstance(cell, OneOf):
            return ONE
        numbers = tuple(outcome for outcome in cell.outcomes if type(outcome) in {int, Fraction})
        if len(numbers) <= 1:
            return self.law.probability(*cell.outcomes)
        return self.law.probability(OneOf(numbers), *(o for o in cell.outcomes if type(o) not in {int, Fraction}))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NoisyPart):
            return NotImplemented
        if self is other:
            return True
        mine, theirs = self.law, other.law
        if mine.released != theirs.released or PartRelease(mine.finite) != PartRelease(theirs.finite):
            return False
        first = {template: template for template in mine.released}
        return all(same(first[template], template) for template in theirs.released)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return NoisyPart, (self.law,)

    def __repr__(self) -> str:
        return f"NoisyPart({self.law!r})"


Releases: TypeAlias = tuple[AnyRelease | RealRelease | NormalRelease | TiedReal | PartRelease | NoisyPart, ...]
"""One for each slot of a template, in order of occurrence, then one for each coordinate of its real numbers, and then
one for each independent part."""


@dataclass(frozen=True)
class Lattice:
    """A noise value as offset + unit·(±N + centre): where it lies, and how it depends on its noise."""

    slot: Slot
    centre: int
    negated: bool

    def release(self, law: NoiseLaw, known: Intervals) -> Release:
        """The release of it, knowing that N ∈ known."""
        law = law.mirror_image() if self.negated else law
        return Release(law, self.centre, negated(known) if self.negated else known)

    def tied_release(self, tree: NoiseTree) -> TiedRelease:
        """The release of it, where it is the root of what is known of tied noises."""
        return TiedRelease(tree, self.centre, self.negated)

    def release_of_density(self, density: Piecewise) -> DensityRelease:
        """The release of it, where N is a sum of noises with this density."""
        slope = negative(ONE) if self.negated else ONE
        return DensityRelease(density.composed(slope, self.centre if self.negated else -self.centre))

    def noise_in(self, cell: Cell) -> Intervals:
        """The N for which m ∈ cell."""
        inside = shifted(half_open(*cell), -self.centre)
        return negated(inside) if self.negated else inside


def lattice_of(law: NoiseLaw, coefficient: Exact, shift: Exact, purpose: str) -> Lattice:
    """coefficient·N + shift as a `Lattice`, for discrete noise N. Raises `InputError` where a number is irrational."""
    assert law.discrete, "continuous noise does not lie on a lattice"
    c, s = as_parameter(coefficient), as_parameter(shift)
    if isinstance(c, Fraction):
        unit = abs(c)
        offset: Fraction | Exact
        if isinstance(s, Fraction):
            centre, offset = divmod(s, unit)
        else:
            centre = rounded_whole(floor(shift / unit))
            offset = as_parameter(shift - exact(centre) * unit)
        if isinstance(offset, Fraction):
            return Lattice(Slot(offset, unit), centre, c < 0)
    raise InputError(bad_input.RATIONAL, f"{purpose}, {coefficient}·noise + {shift},")


class ReleasedDistribution(Distribution[Any]):
    """The law of outcomes some of which contain released noise: plain outcomes, and templates."""

    is_finite: ClassVar[bool] = False

    def __init__(self, finite: Mapping[Hashable, Exact], released: Mapping[Hashable, Mapping[Releases, Exact]]) -> None:
        self._blocks = tuple(((outcome,), p) for outcome, p in finite.items())
        self.finite = finite
        self.released = released

    @property
    def probabilities(self) -> NoReturn:
        """Raises `InputError`: there is no end of them, or so many that they are kept as independent parts."""
        raise self._too_many()

    @cached_property
    def size(self) -> int:
        """The number of plain outcomes, and of the ways in which those with released noise come about."""
        return len(self.finite) + sum(map(len, self.released.values()))

    def __iter__(self) -> NoReturn:
        raise self._too_many()

    def _too_many(self) -> InputError:
        if self.has_noise:
            return InputError(
                bad_mechanism.NOT_LISTED,
                "infinitely many outcomes",
                "AtLeast(k) or AtMost(k) in place of a released number for a whole tail",
            )
        return InputError(
            bad_mechanism.NOT_LISTED,
            "too many outcomes of independent parts to list",
            "Anything() or OneOf((…)) in place of a part for several of its outcomes",
        )

    @cached_property
    def has_noise(self) -> bool:
        """True where there is released noise in its outcomes, and not independent parts alone."""
        return any(
            not isinstance(release, PartRelease)
            for ways in self.released.values()
            for releases in ways
            for release in releases
        )

    @property
    def noisy_parts(self) -> Sequence[NoisyPart]:
        """The independent parts with noise that are laws of their own, in all ways in which outcomes come about."""
        ways = (way for of_template in self.released.values() for way in of_template)
        return [release for way in ways for release in way if isinstance(release, NoisyPart)]

    @cached_property
    def parts(self) -> Sequence[PartRelease]:
        """The independent parts in its outcomes, in all ways in which these come about."""
        found = (release for ways in self.released.values() for releases in ways for release in releases)
        return [release for release in found if isinstance(release, PartRelease)]

    @cached_property
    def has_parts(self) -> bool:
        """True where there are independent parts in its outcomes."""
        return any(map(parts_in, self.released))

    @cached_property
    def leaves(self) -> Sequence[tuple[Any, Exact]]:
        """The plain outcomes, and the `Component`s of the templates, with their probabilities."""
        components = [
            (Component(template, releases), weight)
            for template, parts in self.released.items()
            for releases, weight in parts.items()
        ]
        return (*self.finite.items(), *components)

    @cached_property
    def has_reals(self) -> bool:
        """True where there are real numbers in its outcomes."""
        return any(frame_in(template) is not None for template in self.released)

    @property
    def structure(self) -> Hashable:
        return self.leaves

    def probability(self, *outcomes: Any) -> Exact:
        """The probability that one of `outcomes` occurs; they must not overlap."""
        return total(self._probability(outcome) for outcome in dict.fromkeys(map(as_held, outcomes)))

    def _probability(self, outcome: Hashable) -> Exact:
        if isinstance(outcome, LossAbove):
            raise InputError(
                bad_mechanism.NOT_LISTED,
                "one output distribution does not say where the privacy loss between two databases exceeds a number",
                "an event that can be listed",
            )
        if names_several(outcome):
            found = [p for plain, p in self.finite.items() if cells_named(plain, outcome) is not None]
        else:
            found = [self.finite.get(outcome, ZERO)]
        for template, components in self.released.items():
            cells = all_cells_named(template, outcome)
            if cells is not None:
                found += [probability_of_cells(releases, weight, cells) for releases, weight in components.items()]
        return total(found)

    def __eq__(self, other: object) -> bool:
        raise InputError(
            bad_mechanism.NOT_LISTED,
            "distributions with infinitely many outcomes are not compared as a whole",
            "the same outcome of both",
        )

    __hash__ = None

    def __repr__(self) -> str:
        return f"ReleasedDistribution({dict(self.finite)!r}, {dict(self.released)!r})"


@dataclass(frozen=True)
class Component:
    """One way in which an outcome with released noise comes about."""

    template: Hashable
    releases: Releases


def probability_of_cells(releases: Releases, weight: Exact, cells: Sequence[Any]) -> Exact:
    """weight·∏ Pr[each release lies in its cell]; a real one has an interval for a cell, a part some outcomes."""
    parts = [weight]
    groups: dict[int, tuple[TiedReals, list[Any]]] = {}  # two groups of one law are two groups
    for release, cell in zip(releases, cells, strict=True):
        if isinstance(release, TiedReal):
            groups.setdefault(release.number, (release.group, []))[1].append(cell)  # in the order of their places
        elif isinstance(cell, SomeCells):
            parts.append(total(map(release.probability, cell.cells)))  # type: ignore[arg-type]  # of a whole number
        else:
            parts.append(release.probability(cell))
    if len(parts) > FEW_FACTORS:
        parts = list(map(Simplified(), (part for part in parts if part is not ONE)))
    return product((*parts, *(group.probability(of_group) for group, of_group in groups.values())))


def is_normal(release: object) -> bool:
    """True where a release is Gaussian noise, whole or real."""
    return isinstance(release, NormalRelease) or (isinstance(release, Release) and release.law.is_certified)
