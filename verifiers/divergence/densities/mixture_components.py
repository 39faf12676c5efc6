"""Two distributions side by side where they may overlap: atoms with atoms, densities on one stratum with each other.

On a stratum the coordinates are independent within each way in which an outcome comes about. A coordinate that has one
distribution in all ways of P, and one in all ways of Q, is a factor of its own; of the others there may be one, in
which the ways are added up, or several independent parts of few outcomes together, which become one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, negative, product, total
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise
from dpverify.mechanisms.numbers.roots.periodic_tails import AnyDensity, Tails, folded_together, sum_of_densities
from dpverify.mechanisms.outputs.normal_releases import NormalRelease
from dpverify.mechanisms.outputs.released import (
    AtomRelease,
    NoisyPart,
    Release,
    ReleasedDistribution,
    is_normal,
    probability_of_cells,
)
from dpverify.mechanisms.outputs.released_parts import OneOf, PartRelease, parts_in, with_parts
from dpverify.mechanisms.outputs.released_reals import RealRelease, RealSlot
from dpverify.mechanisms.outputs.templates import frame_in
from dpverify.mechanisms.outputs.tied_reals import TiedReal, TiedReals
from dpverify.verifiers.divergence.densities.cells import common_stretches, mass
from dpverify.verifiers.divergence.densities.errors import Inseparable
from dpverify.verifiers.divergence.densities.finite import FiniteFactor, finite_factor, finite_ways
from dpverify.verifiers.divergence.densities.normal import (
    NormalFactor,
    is_one_distribution,
    moved_to,
    normal_factor,
    release_key,
)
from dpverify.verifiers.divergence.densities.normal_mixtures import MixtureFactor, mixture_factor, plain_factor
from dpverify.verifiers.divergence.densities.tied import TiedFactor
from dpverify.verifiers.divergence.output_tables.numbers_apart import anything
from dpverify.verifiers.problems.preparation.answers import AnyDistribution

_Real: TypeAlias = RealRelease | NormalRelease | Release | AtomRelease | TiedReal | PartRelease | NoisyPart
"""Of discrete noise what is left as it is: that with Gaussian noise, and plain numbers in its place."""

Reals: TypeAlias = tuple[_Real, ...]
"""One for each coordinate of a template's frame, and then one for each of its independent parts."""

_Ways: TypeAlias = Mapping[Reals, Exact]
"""The ways in which outcomes of a template come about, with their weights."""

Key: TypeAlias = Hashable


def atoms_of(law: AnyDistribution) -> Mapping[Hashable, Exact]:
    """The outcomes of positive probability."""
    return law.finite if isinstance(law, ReleasedDistribution) else law.probabilities


def mixture_components_of(law: AnyDistribution) -> Mapping[Hashable, _Ways]:
    """Template → the ways in which its outcomes come about."""
    return law.released if isinstance(law, ReleasedDistribution) else {}  # type: ignore[return-value]  # lumped before


def key_of_distribution(law: AnyDistribution) -> Key:
    """A key that equal distributions have in common; different keys may belong to equal distributions in disguise."""
    atoms = frozenset((outcome, p.serial) for outcome, p in atoms_of(law).items())
    return atoms, frozenset(
        (template, frozenset((tuple(map(_key_of_release, reals)), weight.serial) for reals, weight in ways.items()))
        for template, ways in mixture_components_of(law).items()
    )


def _key_of_release(release: _Real, origin: _Real | None = None) -> Key:
    """Common key of equal releases, when they are moved so that the centre of `origin` comes to lie at 0."""
    if isinstance(release, NormalRelease | Release | AtomRelease):
        return release_key(
            moved_to(release, origin) if isinstance(origin, NormalRelease | Release | AtomRelease) else release
        )
    if isinstance(release, PartRelease):
        return frozenset((outcome, p.serial) for outcome, p in release.probabilities.items())
    if isinstance(release, NoisyPart):
        return key_of_distribution(release.law)
    if isinstance(release, TiedReal):
        return id(release.group), release.place, release.number
    centre = release.centre - origin.centre if isinstance(origin, RealRelease) else release.centre
    return id(release.base), release.slope.serial, centre.serial


class DensityFactor(NamedTuple):
    """One coordinate, or what the ways differ in: its densities under P and Q, and what tells factors apart."""

    coordinate: int
    p: Piecewise
    q: Piecewise
    key: Key
    tails: Tails | None = None
    """Places where the densities have tails that repeat themselves, the first period of each that stands for all."""

    @property
    def masses(self) -> tuple[Exact, Exact]:
        """Its masses in all, under both distributions."""
        return self.p.mass, self.q.mass

    @property
    def where_both(self) -> Exact:
        """The mass of P where Q has some, too."""
        alone = (stretch for stretch in common_stretches(self.p, self.q) if stretch.p and not stretch.q)
        return total((self.p.mass, *(negative(mass(one.p, one.low, one.high)) for one in alone)))


@dataclass(frozen=True)
class ComponentFactor:
    """One independent part that is a real number on some paths, plain on others: both distributions side by side."""

    part: int
    pair: DistributionPair
    key: Key
    """Equal for factors that compare alike."""

    @property
    def masses(self) -> tuple[Exact, Exact]:
        """Its masses in all, under both distributions."""
        return ONE, ONE

    @property
    def where_both(self) -> Exact:
        """The mass of P where Q has some, too."""
        return total((ONE, negative(self.pair.impossible)))

    @cached_property
    def plain(self) -> Sequence[OutcomeMass]:
        """Its outcomes without real numbers; in what the distributions agree is one of them, which has no outcome."""
        alone = [OutcomeMass(one.named({}), *one.factors[0]) for one in self.pair.strata if not one.factors[1]]
        return (*self.pair.atoms, *alone, OutcomeMass(None, self.pair.common, self.pair.common))

    @cached_property
    def lines(self) -> Sequence[tuple[MixtureComponent, ComponentWeights, DensityFactor]]:
        """The place of the real number in which P and Q differ. Raises `Undecided` for several numbers at once."""
        lines = []
        for stratum in self.pair.strata:
            weights, factors = stratum.factors
            if len(factors) > 1 or stratum.tied or not all(isinstance(factor, DensityFactor) for factor in factors):
                raise Undecided(not_known.SEVERAL_IN_A_PART)
            lines += [(stratum, weights, factor) for factor in factors if isinstance(factor, DensityFactor)]
        return lines


class ComponentWeights(NamedTuple):
    """The weights before the factors under both distributions."""

    p: Exact
    q: Exact

    def least(self, factor: Exact) -> Exact:
        """The number that p/q of the factors has to exceed, for p with its weight to exceed factor·q with its own."""
        return factor if self.p is self.q else product((factor, self.q, 1 / self.p))

    def times(self, p: Exact, q: Exact) -> ComponentWeights:
        """The products with two masses."""
        return ComponentWeights(product((self.p, p)), product((self.q, q)))


@dataclass(frozen=True)
class MixtureComponent:
    """A template that both distributions have, with the ways of each."""

    template: Hashable
    left: _Ways
    right: _Ways
    within: Sequence[Sequence[Hashable]] | None = None
    """Outcomes of each independent part here, where the template has other strata, with other outcomes; else None."""

    @cached_property
    def key(self) -> Key:
        """Equal for components on which P and Q compare alike: moving both along a coordinate changes nothing."""
        if not self.parts or any(map(self._is_tied, range(len(next(iter(self.left)))))):
            return self._moved_key
        try:
            weights, factors = self.factors
        except Undecided:
            return self._moved_key
        return weights.p.serial, weights.q.serial, frozenset(Counter(factor.key for factor in factors).items())

    @property
    def _moved_key(self) -> Key:
        origins = next(iter(self.left))
        return tuple(
            frozenset((tuple(map(_key_of_release, reals, origins)), weight.serial) for reals, weight in ways.items())
            for ways in (self.left, self.right)
        )

    def named(self, parts: Mapping[int, Hashable]) -> Hashable:
        """The outcomes whose parts, by their numbers, read so: real numbers are left as slots."""
        every: Iterable[Hashable] = anything(self.template) if self.within is None else map(_read, self.within)
        return with_parts(self.template, (parts.get(i, some) for i, some in enumerate(every)))  # type: ignore[no-any-return]

    @property
    def is_plain(self) -> bool:
        """True where the coordinates of its real numbers are these numbers themselves."""
        frame = frame_in(self.template)
        return frame is None or frame.is_plain

    @cached_property
    def parts(self) -> int:
        """The number of independent parts."""
        return parts_in(self.template)

    @cached_property
    def factors(
        self,
    ) -> tuple[
        ComponentWeights, tuple[DensityFactor | FiniteFactor | NormalFactor | MixtureFactor | ComponentFactor, ...]
    ]:
        """The weights, and the factors in which P and Q differ. Raises `Undecided` where some do not separate."""
        count = len(next(iter(self.left)))
        first_part = count - self.parts
        free = [c for c in range(count) if not self._is_tied(c)]
        apart = [c for c in free if _is_one(self.left, c) and _is_one(self.right, c)]
        together = [c for c in free if c not in apart]
        results: list[DensityFactor | FiniteFactor | NormalFactor | MixtureFactor | ComponentFactor] = []
        weights = [total(ways.values()) for ways in (self.left, self.right)]
        if together:
            weights = [ONE, ONE]
            if any(
                isinstance(reals[c], NoisyPart) for ways in (self.left, self.right) for reals in ways for c in together
            ):
                raise Undecided(not_known.PART_IN_SEVERAL_WAYS)
            if together[0] < first_part:
                results.append(self._real_ways(together))
            else:
                results.append(finite_ways(self.left, self.right, together, first_part))
        for c in apart:
            left, right = (next(iter(ways))[c] for ways in (self.left, self.right))
            if isinstance(left, PartRelease) and isinstance(right, PartRelease):
                if left != right:
                    laws = left.probabilities, right.probabilities
                    results.append(finite_factor((c - first_part,), *laws, are_laws=True))
                continue
            if c >= first_part:
                if left != right:
                    results.append(component_factor(c - first_part, left, right))
                continue
            factor = _of_one_number(c, left, right)
            if isinstance(factor, Exact):
                weights = [product((weight, factor)) for weight in weights]
            else:
                results.append(factor)
        return ComponentWeights(*weights), tuple(results)

    def _is_tied(self, coordinate: int) -> bool:
        return any(isinstance(reals[coordinate], TiedReal) for ways in (self.left, self.right) for reals in ways)

    @cached_property
    def tied(self) -> tuple[TiedFactor, ...]:
        """The factors of several coordinates each. Raises `Undecided` where these differ under P and Q."""
        if not any(map(self._is_tied, range(len(next(iter(self.left)))))):
            return ()
        if len(self.left) > 1 or len(self.right) > 1:
            raise Inseparable(not_known.TIED, ", in several ways")
        p, q = (_groups(next(iter(ways))) for ways in (self.left, self.right))
        if p.keys() != q.keys():
            raise Undecided(not_known.TIED, " on one database, and otherwise on another one")
        return tuple(
            TiedFactor(coordinates, p[coordinates], q[coordinates])
            for coordinates in p
            if p[coordinates] != q[coordinates]
        )

    def _real_ways(self, together: Sequence[int]) -> DensityFactor | MixtureFactor:
        """The only coordinate that the ways differ in. Raises `Undecided` where there are more."""
        if any(is_normal(reals[c]) for ways in (self.left, self.right) for reals in ways for c in together):
            left, right = (
                [([reals[c] for c in together], weight) for reals, weight in ways.items()]
                for ways in (self.left, self.right)
            )
            result = mixture_factor(together, left, right, ("ways", tuple(together), self._moved_key))
            if result is not None:
                return result
        if len(together) > 1:
            raise Inseparable(not_known.NOT_APART, len(together))
        (c,) = together
        p, q = (_mixture(ways, c) for ways in (self.left, self.right))
        folded = folded_together(p, q)
        return DensityFactor(c, folded.p, folded.q, ("ways", c, self._moved_key), folded.tails)


def _of_one_number(coordinate: int, left: _Real, right: _Real) -> DensityFactor | NormalFactor | MixtureFactor | Exact:
    """The factor of one number, or the mass of it where its two distributions are one."""
    if isinstance(left, AtomRelease) or isinstance(right, AtomRelease):
        return ONE if left == right else plain_factor(coordinate, left, right)
    if is_normal(left) or is_normal(right):
        part = normal_factor(coordinate, left, right)
        return part.masses[0] if is_one_distribution(part) else part
    left, right = _real(left), _real(right)
    if left == right:
        return left.base.mass
    shift = right.centre - left.centre
    key = (id(left.base), left.slope.serial, id(right.base), right.slope.serial, shift.serial)
    folded = folded_together(left.density, right.density)
    return DensityFactor(coordinate, folded.p, folded.q, key, folded.tails)


def component_factor(part: int, left: _Real, right: _Real) -> ComponentFactor:
    """The factor of one part that has real numbers under one distribution at least."""
    pair = pair_of(*(one.law if isinstance(one, NoisyPart) else _as_distribution(one) for one in (left, right)))
    return ComponentFactor(part, pair, ("law", pair.key, pair.common.serial))


def _as_distribution(release: _Real) -> AnyDistribution:
    assert isinstance(release, PartRelease), "a part is a law, with noise or without"
    return ReleasedDistribution(release.probabilities, {})


def _groups(reals: Reals) -> dict[tuple[int, ...], TiedReals]:
    """The coordinates of each group of tied numbers."""
    places: dict[int, list[int]] = {}
    groups: dict[int, TiedReals] = {}
    for i, release in enumerate(reals):
        if isinstance(release, TiedReal):
            places.setdefault(release.number, []).append(i)
            groups[release.number] = release.group
    return {tuple(result): groups[key] for key, result in places.items()}


def _real(release: _Real) -> RealRelease:
    assert isinstance(release, RealRelease), "tied ones are looked at together, and parts apart"
    return release


def _read(outcomes: Sequence[Hashable]) -> Hashable:
    return outcomes[0] if len(outcomes) == 1 else OneOf(tuple(outcomes))


def _is_one(ways: _Ways, coordinate: int) -> bool:
    first, *others = ways
    return all(other[coordinate] == first[coordinate] for other in others)


def _mixture(ways: _Ways, coordinate: int) -> AnyDensity:
    """Σ weight·density over the ways, of a coordinate beside others that have one distribution each."""
    return sum_of_densities(_real(reals[coordinate]).density.scaled(weight) for reals, weight in ways.items())


class OutcomeMass(NamedTuple):
    """An outcome, or all outcomes of a template, with its probabilities under both distributions."""

    outcome: Hashable
    p: Exact
    q: Exact


@dataclass(frozen=True)
class DistributionPair:
    """Two distributions, as the atoms in which they differ, and the strata that both have."""

    atoms: tuple[OutcomeMass, ...]
    strata: tuple[MixtureComponent, ...]
    common: Exact
    """The probability, under either distribution, of what is left out, since both distributions agree there."""

    @property
    def impossible(self) -> Exact:
        """The probability under P of the outcomes that Q never has."""
        parts = [atom.p for atom in self.atoms if atom.q is ZERO]
        for stratum in self.strata:
            weights, factors = stratum.factors
            parts.append(product((weights.p, *(part.masses[0] for part in factors))))
            parts.append(negative(product((weights.p, *(part.where_both for part in factors)))))
        return total(parts)

    @cached_property
    def key(self) -> Key:
        """Equal for pairs that compare alike."""
        atoms = tuple(sorted((atom.p.serial, atom.q.serial) for atom in self.atoms))
        return atoms, frozenset(Counter(stratum.key for stratum in self.strata).items())


def pair_of(left: AnyDistribution, right: AnyDistribution) -> DistributionPair:
    """Two distributions side by side. Raises `Undecided` where one template has two frames, which are not compared."""
    p_atoms, q_atoms = atoms_of(left), atoms_of(right)
    atoms = [OutcomeMass(outcome, p, q_atoms.get(outcome, ZERO)) for outcome, p in p_atoms.items()]
    atoms += [OutcomeMass(outcome, ZERO, q) for outcome, q in q_atoms.items() if outcome not in p_atoms]
    p_strata, q_strata = mixture_components_of(left), mixture_components_of(right)
    _refuse_two_frames({*p_strata, *q_strata})
    strata = []
    common = [atom.p for atom in atoms if atom.p is atom.q]
    for template, ways in p_strata.items():
        if template not in q_strata:
            atoms.append(OutcomeMass(template, _mass(ways), ZERO))
        elif ways == q_strata[template]:
            common.append(_mass(ways))
        else:
            for stratum in _told_apart(template, ways, q_strata[template]):
                if stratum.left and stratum.right:
                    strata.append(stratum)
                else:
                    atoms.append(OutcomeMass(stratum.named({}), _mass(stratum.left), _mass(stratum.right)))
    atoms += [
        OutcomeMass(template, ZERO, _mass(ways)) for template, ways in q_strata.items() if template not in p_strata
    ]
    return DistributionPair(tuple(atom for atom in atoms if atom.p is not atom.q), tuple(strata), total(common))


def _told_apart(template: Hashable, left: _Ways, right: _Ways) -> Iterator[MixtureComponent]:
    """The ways of both distributions, those with independent parts together of which some outcomes may be the same.

    What the parts may be in one stratum, part by part, is not all that they may be in another one.
    """
    if not parts_in(template) or len(left) == len(right) == 1:
        yield MixtureComponent(template, left, right)
        return
    results: list[_Together] = []
    for side, ways in enumerate((left, right)):
        for way, weight in ways.items():
            outcomes = [dict.fromkeys(_outcomes_of(part)) for part in way if isinstance(part, PartRelease | NoisyPart)]
            new = _Together(outcomes, ({}, {}))
            new.ways[side][way] = weight
            while met := next((other for other in results if other.may_meet(new)), None):
                results.remove(met)
                new = met.joined(new)
            results.append(new)
    for group in results:
        yield MixtureComponent(
            template, *group.ways, None if len(results) == 1 else [tuple(part) for part in group.outcomes]
        )


def _outcomes_of(part: PartRelease | NoisyPart) -> Iterable[Hashable]:
    return part.probabilities if isinstance(part, PartRelease) else (*part.law.finite, *part.law.released)


class _Together(NamedTuple):
    """Ways of both distributions, and what each part may be in some of them, in order of occurrence."""

    outcomes: Sequence[Mapping[Hashable, None]]
    ways: tuple[dict[Reals, Exact], dict[Reals, Exact]]

    def may_meet(self, other: _Together) -> bool:
        return all(
            not mine.keys().isdisjoint(theirs) for mine, theirs in zip(self.outcomes, other.outcomes, strict=True)
        )

    def joined(self, other: _Together) -> _Together:
        outcomes = [{**mine, **theirs} for mine, theirs in zip(self.outcomes, other.outcomes, strict=True)]
        return _Together(outcomes, (self.ways[0] | other.ways[0], self.ways[1] | other.ways[1]))


def _mass(ways: _Ways) -> Exact:
    return total(probability_of_cells(reals, weight, [(None, None)] * len(reals)) for reals, weight in ways.items())


def _refuse_two_frames(templates: set[Hashable]) -> None:
    seen: dict[Hashable, Hashable] = {}
    for template in templates:
        frame = frame_in(template)
        if frame is not None and seen.setdefault(_without_rows(template), template) != template:
            raise Inseparable(not_known.OTHER_SUMS)


def _without_rows(template: Any) -> Hashable:
    """A template with what decides on which stratum its outcomes lie, and nothing more."""
    if isinstance(template, RealSlot):
        return (RealSlot, template.place, template.frame.ties)
    return tuple(map(_without_rows, template)) if isinstance(template, tuple) else template


def differ(pairs: Sequence[DistributionPair]) -> bool:
    """True where the two distributions of some pair are different: not where they are one distribution in two forms."""
    return not all(_is_one_distribution(pair) for pair in pairs)


def _is_one_distribution(pair: DistributionPair) -> bool:
    try:
        if any(atom.p != atom.q for atom in pair.atoms):
            return False
        for stratum in pair.strata:
            weights, factors = stratum.factors
            if weights.p != weights.q or stratum.tied or any(not _is_one_density(factor) for factor in factors):
                return False
    except Undecided:  # not known to be one
        return False
    return True


def _is_one_density(factor: DensityFactor | FiniteFactor | NormalFactor | MixtureFactor | ComponentFactor) -> bool:
    if isinstance(factor, NormalFactor):
        return is_one_distribution(factor)
    if isinstance(factor, MixtureFactor):
        return factor.is_one_distribution
    if isinstance(factor, ComponentFactor):
        return _is_one_distribution(factor.pair)
    if isinstance(factor, FiniteFactor):
        return all(atom.p == atom.q for atom in factor.atoms)
    difference = factor.p.plus(factor.q.scaled(-ONE))
    return all(c == 0 for piece in difference.pieces for c in piece.values())
