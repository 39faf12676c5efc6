"""Distributions with real numbers in their outcomes, compared at one ε: each pair as a table of finitely many events.

At an ε two densities are told apart by where p > e^ε·q. So every pair has its own events: its atoms, and on each
stratum the intervals, or the set, where that is so. Pairs that differ by a move of both distributions are one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from dpverify.mechanisms.numbers.elementary import exp, log
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, product, total
from dpverify.mechanisms.numbers.roots.exponential_polynomials import NOTHING, Piecewise
from dpverify.mechanisms.numbers.roots.intervals import Endpoint
from dpverify.mechanisms.numbers.roots.periodic_tails import Tails
from dpverify.mechanisms.numbers.simplification import simplified
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.ratio_masses import (
    FEW_FACTORS,
    AlikeParts,
    Ratios,
    convolved_ratios,
    counted_masses_above,
    parts_by_kind,
)
from dpverify.mechanisms.outputs.released_parts import PartRelease, parts_in
from dpverify.mechanisms.outputs.released_reals import OpenInterval
from dpverify.mechanisms.outputs.templates import frame_in, has_tail
from dpverify.verifiers.divergence.densities import normal, normal_mixtures
from dpverify.verifiers.divergence.densities.boxes import AnyFactor, Choice, choices_of_part, positive_boxes
from dpverify.verifiers.divergence.densities.cells import (
    Positive,
    RatioBound,
    larger,
    largest_at_ends,
    largest_density_ratio,
    largest_inside,
    positive_cells,
)
from dpverify.verifiers.divergence.densities.errors import Inseparable
from dpverify.verifiers.divergence.densities.finite import FiniteFactor
from dpverify.verifiers.divergence.densities.losses import Losses, losses_of, masses_above, mixed_losses
from dpverify.verifiers.divergence.densities.losses import LossMass as LossAtom
from dpverify.verifiers.divergence.densities.mixture_components import (
    ComponentFactor,
    ComponentWeights,
    DensityFactor,
    DistributionPair,
    Key,
    MixtureComponent,
    atoms_of,
    differ,
    key_of_distribution,
    mixture_components_of,
    pair_of,
)
from dpverify.verifiers.divergence.densities.normal import NormalFactor
from dpverify.verifiers.divergence.densities.normal_mixtures import MixtureFactor
from dpverify.verifiers.divergence.densities.tied import MassBox as TiedBox
from dpverify.verifiers.divergence.densities.tied import TiedFactor, largest_tied_ratio, positive_tied_boxes
from dpverify.verifiers.divergence.output_tables.distribution_table import (
    DistributionTable,
    Missing,
)
from dpverify.verifiers.divergence.output_tables.numbers_apart import has_number_slots
from dpverify.verifiers.problems.neighbours.neighbour_codes import Ids
from dpverify.verifiers.problems.neighbours.pairs import NeighbouringPairs, Sides
from dpverify.verifiers.problems.preparation.answers import AnyDistribution


@dataclass(frozen=True)
class DensityEvent:
    """A set of outcomes on which p > e^ε·q, with its probabilities under both distributions.

    `where` is the outcome itself, or the stratum with a factor and an interval of it, or the whole set on a stratum.
    """

    where: Hashable | OnFactor | OnComponent
    p: Exact
    q: Exact


@dataclass(frozen=True)
class OnFactor:
    """The outcomes of a stratum for which one coordinate lies in an open interval, a whole one in a half-open one."""

    stratum: MixtureComponent
    coordinate: int
    low: Endpoint | None
    high: Endpoint | None


@dataclass(frozen=True)
class OnComponent:
    """The outcomes of a stratum of which the privacy loss exceeds ε."""

    stratum: MixtureComponent


@dataclass(frozen=True)
class OnBox:
    """The outcomes of a template of which some coordinates lie in intervals."""

    template: Hashable
    cells: tuple[tuple[int, OpenInterval], ...]


class Events(NamedTuple):
    """The events of a pair on which p may exceed e^ε·q, how many gaps are between them, and whether that is all."""

    all: list[DensityEvent]
    gaps: int
    partial: bool


class AtEpsilon(NamedTuple):
    """The pairs at one ε, as distributions on finitely many events: `left` and `right` are the two of each pair."""

    table: DistributionTable
    left: Ids
    right: Ids
    missing: Missing


def _kinds_of_pairs(laws: Sequence[AnyDistribution], left: Ids, right: Ids) -> tuple[Ids, Ids]:
    """The places of the first pair of each kind, and the kind of each pair: those of a kind compare alike.

    Pairs of product distributions are of one kind where the same distributions of parts stand against each other in
    those parts in which they differ; each other pair is a kind.
    """
    parts = _parts_of_each(laws)
    if parts is None or not len(left):
        return np.arange(len(left)), np.arange(len(left))
    p, q = parts[left], parts[right]
    differing = np.sort(np.where(p == q, -1, p * (parts.max() + 1) + q), axis=1)
    _, first, kind = np.unique(differing, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return first[order], np.argsort(order)[kind.reshape(-1)]


def _parts_of_each(laws: Sequence[AnyDistribution]) -> Ids | None:
    """The numbers of the distributions of the parts of each; None where one is no product distribution."""
    numbers: dict[PartRelease, int] = {}
    rows, templates = [], set()
    for law in laws:
        ways = [(template, *way) for template, ways in mixture_components_of(law).items() for way in ways.items()]
        if len(ways) != 1 or atoms_of(law):
            return None
        ((template, reals, weight),) = ways
        templates.add(template)
        own = [part for part in reals if isinstance(part, PartRelease)]
        if weight is not ONE or len(templates) > 1 or len(own) < len(reals):
            return None
        rows.append([numbers.setdefault(part, len(numbers)) for part in own])
    return np.array(rows, dtype=np.int64)


class Densities:
    """The distributions of databases, some with densities or independent parts, and the pairs that are compared.

    `of_pair` gives for each pair of databases the number of its pair of distributions, -1 for equal distributions.
    """

    def __init__(self, laws: Sequence[AnyDistribution], pairs: NeighbouringPairs | Sides) -> None:
        self._laws = laws
        numbers: dict[Key, int] = {}
        firsts: list[AnyDistribution] = []
        law_of = []
        for law in laws:
            number = numbers.setdefault(key_of_distribution(law), len(firsts))
            if number == len(firsts):
                firsts.append(law)
            law_of.append(number)
        self._law_of = law_of
        self._compared: dict[tuple[int, int], DistributionPair] = {}
        """By the numbers of two distributions, the pair of them that is looked at."""
        ids = np.array(law_of, dtype=np.int64)
        left, right = ids[pairs.left], ids[pairs.right]
        different = np.flatnonzero(left != right)
        codes, where = np.unique(left[different] * len(firsts) + right[different], return_inverse=True)
        known: dict[Key, int] = {}
        self.pairs: list[DistributionPair] = []
        class_of = []
        first_of_kind, kind_of = _kinds_of_pairs(firsts, *np.divmod(codes, len(firsts)))
        for code in codes[first_of_kind].tolist():
            i, j = divmod(code, len(firsts))
            pair = pair_of(firsts[i], firsts[j])
            number = known.setdefault(pair.key, len(self.pairs))
            if number == len(self.pairs):
                self.pairs.append(pair)
                self._compared[i, j] = pair
            class_of.append(number)
        self.of_pair: Ids = np.full(len(left), -1, dtype=np.int64)
        self.of_pair[different] = np.array(class_of, dtype=np.int64)[kind_of[where]]
        self.parts: int = max(
            (parts_in(template) for law in firsts for template in mixture_components_of(law)), default=0
        )
        """Number of independent parts that an outcome has at most."""
        self._losses: dict[Key, Losses | None] = {}
        self._ratios_of_parts: dict[Key, Ratios] = {}
        self._tied_boxes: dict[tuple[int, int, int], tuple[TiedFactor, Exact, list[TiedBox]]] = {}
        self._ratios_of_values: dict[frozenset[int], Ratios] = {}
        self._ratios: dict[Key, RatioBound | None] = {}
        self._largest: dict[Key, tuple[Exact, Exact] | None] = {}

    @cached_property
    def has_tails(self) -> bool:
        """True where discrete noise is released, too: then an end may be one of whole numbers, or of real ones."""
        return any(has_tail(outcome) or has_number_slots(outcome) for outcome in self.outcomes)

    @property
    def outcomes(self) -> Iterator[Hashable]:
        """The plain outcomes, and the templates, of all distributions."""
        return (outcome for law in self._laws for outcome in (*atoms_of(law), *mixture_components_of(law)))

    @cached_property
    def tied(self) -> Collection[Hashable]:
        """The templates of which some released numbers decide others: their outcomes lie on lines of other ones."""
        templates = (template for law in self._laws for template in mixture_components_of(law))
        return [template for template in dict.fromkeys(templates) if (f := frame_in(template)) is not None and f.ties]

    def at(self, epsilon: Exact) -> AtEpsilon:
        """The pairs of distributions as tables of events. Raises `Undecided` where an event is not known."""
        factor = exp(epsilon)
        known: dict[tuple[Key, int], Positive] = {}
        found = [self.events(pair, factor, known) for pair in self.pairs]
        laws = [_law([(event.p, event.q)[side] for event in events.all]) for events in found for side in (0, 1)]
        table = DistributionTable(laws)
        gaps = np.array([events.gaps for events in found], dtype=np.int64)
        partial = np.array([events.partial for events in found], dtype=bool)
        return AtEpsilon(table, table.law_of[0::2], table.law_of[1::2], Missing(gaps, partial))

    def events(
        self, pair: DistributionPair, factor: Exact, known: dict[tuple[Key, int], Positive] | None = None
    ) -> Events:
        """The events of a pair on which p may exceed factor·q."""
        atoms = [DensityEvent(atom.outcome, atom.p, atom.q) for atom in pair.atoms if atom.p is not ZERO]
        parts = [Events(atoms, 0, False)]
        parts += [self._on_stratum(stratum, factor, {} if known is None else known) for stratum in pair.strata]
        return Events(
            [event for part in parts for event in part.all],
            sum(part.gaps for part in parts),
            any(part.partial for part in parts),
        )

    def _on_stratum(self, stratum: MixtureComponent, factor: Exact, known: dict[tuple[Key, int], Positive]) -> Events:
        weights, factors = stratum.factors
        if stratum.tied:
            boxes = self._on_tied(stratum, factor)
            return Events(boxes or [], 0, boxes is not None)
        if not factors:
            return Events([DensityEvent(stratum.named({}), *weights)], 0, False)
        least = weights.least(factor)
        (first, *others) = factors
        if not others and isinstance(first, DensityFactor | NormalFactor | MixtureFactor):
            return _on_cells(stratum, first, _positive(first, least, known))
        is_normal = any(isinstance(part, NormalFactor | MixtureFactor) for part in factors)
        if not is_normal and self._is_bounded(weights, factors, factor):
            return Events([], 0, False)
        masses = _normal_masses(factors, least) if is_normal else self._masses_above(factors, least)
        if masses is None:
            return Events(_some_boxes(stratum, factor), 0, True)
        return Events([DensityEvent(OnComponent(stratum), *weights.times(*masses))], 0, False)

    def _masses_above(self, factors: Sequence[AnyFactor], least: Exact) -> tuple[Exact, Exact] | None:
        """The masses under P and Q where the product of all p/q exceeds `least`; None where losses are not linear."""
        parts = [part for part in factors if isinstance(part, FiniteFactor)]
        if len(parts) == len(factors):
            at_once = counted_masses_above(self._alike(parts), least)
            return self._ratios_together(parts).above(least) if at_once is None else at_once
        losses = self._losses_apart(factors)
        return None if losses is None else masses_above(losses, least)

    def _ratios_together(self, parts: Sequence[FiniteFactor]) -> Ratios:
        key = frozenset(Counter(part.key for part in parts).items())
        if key not in self._ratios_of_parts:
            self._ratios_of_parts[key] = convolved_ratios(self._alike(parts))
        return self._ratios_of_parts[key]

    def _alike(self, parts: Sequence[FiniteFactor]) -> list[AlikeParts]:
        """The ratios of parts, those that are alike together."""
        firsts = {part.key: part for part in reversed(parts)}
        times = Counter(part.key for part in parts)
        if len(times) <= FEW_FACTORS:
            return parts_by_kind(AlikeParts(firsts[kind].ratios, count) for kind, count in times.items())
        by_values: dict[Hashable, list[Key]] = {}
        for kind in times:
            by_values.setdefault(firsts[kind].deciding_values or kind, []).append(kind)
        return parts_by_kind(
            (
                AlikeParts(self._of_values(firsts[kinds[0]]), sum(map(times.__getitem__, kinds)))
                for kinds in by_values.values()
            ),
            are_many=True,
        )

    def _of_values(self, part: FiniteFactor) -> Ratios:
        """The ratios of a part: where two values decide on the masses, those of the first part with these values.

        So both directions of a pair whose losses are ±a have one form of δ, and are seen to be equal.
        """
        values = part.deciding_values
        return part.ratios if values is None else self._ratios_of_values.setdefault(values, part.ratios)

    def _is_bounded(self, weights: ComponentWeights, factors: Sequence[AnyFactor], factor: Exact) -> bool:
        """True where p ≤ factor·q everywhere: the largest ratios of independent factors multiply."""
        ratio = self._of_product(weights, factors)
        return ratio is not None and ratio.is_at_most(factor)

    def _losses_apart(self, factors: Sequence[AnyFactor]) -> list[Losses] | None:
        """The losses of factors, those of finite parts together; None where some are not linear in the number."""
        parts = [self._losses_of(part) for part in factors if isinstance(part, DensityFactor | ComponentFactor)]
        finite = [part for part in factors if isinstance(part, FiniteFactor)]
        if finite:
            parts.append(_as_losses(self._ratios_together(finite)))
        losses = [part for part in parts if part is not None]
        return losses if len(losses) == len(parts) else None

    def _on_tied(self, stratum: MixtureComponent, factor: Exact) -> list[DensityEvent] | None:
        """Boxes on a stratum with numbers that are tied to each other, on which p > factor·q; None where it never is.

        They are some of those, and may be none: where p is larger may have been missed.
        """
        ratio = self._of_stratum(stratum)
        if ratio is not None and ratio.is_at_most(factor):
            return None
        weights, factors = stratum.factors
        best = [choices_of_part(part)[0] for part in factors if isinstance(part, FiniteFactor)]
        parts = {i: named for choice in best for i, named in choice.parts.items()}
        reals = [part for part in factors if not isinstance(part, FiniteFactor)]
        for tied in stratum.tied:
            others = [other for other in stratum.tied if other is not tied]
            p, q = product((weights.p, *(c.p for c in best))), product((weights.q, *(c.q for c in best)))
            p = product((p, *(part.masses[0] for part in reals), *(other.p.mass for other in others)))
            q = product((q, *(part.masses[1] for part in reals), *(other.q.mass for other in others)))
            if q is ZERO:
                boxes = [TiedBox(((None, None),) * len(tied.coordinates), tied.p.mass, tied.q.mass)]
            else:
                boxes = self._boxes_of(tied, product((factor, q, 1 / p)))
            if boxes:
                return [
                    DensityEvent(
                        OnBox(stratum.named(parts), tuple(zip(tied.coordinates, box.cells, strict=True))),
                        product((p, box.p)),
                        product((q, box.q)),
                    )
                    for box in boxes
                ]
        return []

    def _boxes_of(self, tied: TiedFactor, factor: Exact) -> list[TiedBox]:
        """Those of one group on which p > factor·q, which is beside many others."""
        key = (id(tied.p), id(tied.q), factor.serial)
        if key not in self._tied_boxes:  # with what it is of, so that the key stays its own
            self._tied_boxes[key] = tied, factor, positive_tied_boxes(tied.p, tied.q, factor)
        return self._tied_boxes[key][2]

    def _losses_of(self, part: DensityFactor | ComponentFactor) -> Losses | None:
        if part.key not in self._losses:
            if isinstance(part, ComponentFactor):
                plain = [(p, q) for _, p, q in part.plain if p is not ZERO]
                lines = [(one.p.scaled(weights.p), one.q.scaled(weights.q)) for _, weights, one in part.lines]
                self._losses[part.key] = mixed_losses(plain, lines)
            else:
                self._losses[part.key] = losses_of(part.p, part.q)
        return self._losses[part.key]

    @cached_property
    def ratio(self) -> RatioBound | None:
        """The least upper bound of p/q over all pairs; None for ∞. Raises `Undecided` where it is not known."""
        best = RatioBound(ONE, ONE)
        lines: list[tuple[ComponentWeights, DensityFactor]] = []
        for pair in self.pairs:  # what is seen at once first, so that few cells have to be looked into
            found = self._seen_at_once(pair, lines)
            if found is None:
                return None
            best = larger(best, found)
        for weights, part in lines:
            scaled = best._replace(above=product((best.above, weights.q)), below=product((best.below, weights.p)))
            inside = largest_inside(part.p, part.q, scaled)
            if inside is not scaled:
                best = larger(best, RatioBound(*_weighted(weights, inside), inside.slack))
        return best

    def _seen_at_once(
        self, pair: DistributionPair, lines: list[tuple[ComponentWeights, DensityFactor]]
    ) -> RatioBound | None:
        """As `ratio_of`, but for what is inside the cells of single coordinates, which are added to `lines`."""
        best = _of_atoms(pair)
        for stratum in pair.strata if best is not None else ():
            weights, factors = stratum.factors
            if len(factors) == 1 and isinstance(factors[0], DensityFactor) and not stratum.tied:
                at_ends = largest_at_ends(factors[0].p, factors[0].q)
                found = None if at_ends is None else RatioBound(*_weighted(weights, at_ends))
                lines.append((weights, factors[0]))
            else:
                found = self._of_stratum(stratum)
            if best is None or found is None:
                return None
            best = larger(best, found)
        return best

    def ratio_of(self, pair: DistributionPair) -> RatioBound | None:
        """The least upper bound of p/q for one pair."""
        best = _of_atoms(pair)
        for stratum in pair.strata:
            found = self._of_stratum(stratum)
            if best is None or found is None:
                return None
            best = larger(best, found)
        return best

    def _of_stratum(self, stratum: MixtureComponent) -> RatioBound | None:
        best = self._of_product(*stratum.factors)
        for tied in stratum.tied:
            key = (id(tied.p), id(tied.q))
            if key not in self._ratios:
                self._ratios[key] = largest_tied_ratio(tied.p, tied.q)
            found = self._ratios[key]
            if best is None or found is None:
                return None
            slack = (1 + best.slack) * (1 + found.slack) - 1
            best = RatioBound(product((best.above, found.above)), product((best.below, found.below)), slack)
        return best

    def _of_product(self, weights: ComponentWeights, factors: Sequence[AnyFactor]) -> RatioBound | None:
        above, below, slack = weights.p, weights.q, Fraction(1)
        for part in factors:
            found = self._largest_of(part, in_short=len(factors) > FEW_FACTORS)
            if found is None:
                return None
            above, below = product((above, found.above)), product((below, found.below))
            slack *= 1 + found.slack
        return RatioBound(above, below, slack - 1)

    def _largest_of(self, part: AnyFactor, *, in_short: bool) -> RatioBound | None:
        if isinstance(part, FiniteFactor):
            largest = self._largest_in_short(part) if in_short else part.largest
            return None if largest is None else RatioBound(*largest)
        if part.key not in self._ratios:
            if isinstance(part, NormalFactor):
                self._ratios[part.key] = normal.largest_normal_ratio(part)
            elif isinstance(part, MixtureFactor):
                self._ratios[part.key] = normal_mixtures.largest_mixture_ratio(part)
            elif isinstance(part, ComponentFactor):
                self._ratios[part.key] = self._of_law(part.pair)
            else:
                self._ratios[part.key] = largest_density_ratio(part.p, part.q)
        return self._ratios[part.key]

    def _largest_in_short(self, part: FiniteFactor) -> tuple[Exact, Exact] | None:
        """The probabilities with the largest ratio, or that and 1 where it is a power of e: of many the product is."""
        if part.key not in self._largest:
            ratio = part.largest_power
            self._largest[part.key] = part.largest if ratio is None else (ratio, ONE)
        return self._largest[part.key]

    def _of_law(self, pair: DistributionPair) -> RatioBound | None:
        """As `ratio_of`, of a part beside others, of which the ratio is 1 where its two distributions agree."""
        found = self.ratio_of(pair)
        return found if found is None or pair.common is ZERO else larger(found, RatioBound(ONE, ONE))

    @property
    def agree(self) -> bool:
        """True where all neighbours have one distribution."""
        return not differ(self.pairs)

    def pair_at(self, left: int, right: int) -> DistributionPair:
        """The pair of distributions of two databases, in their own place."""
        known = self._compared.get((self._law_of[left], self._law_of[right]))
        return pair_of(self._laws[left], self._laws[right]) if known is None else known


def _positive(
    part: DensityFactor | NormalFactor | MixtureFactor, least: Exact, known: dict[tuple[Key, int], Positive]
) -> Positive:
    """The cells on which p > least·q. Raises `Undecided` where they are not known."""
    if isinstance(part, NormalFactor):
        return normal.positive_normal_cells(part, simplified(least))  # so that its logarithm has few terms
    if isinstance(part, MixtureFactor):
        return normal_mixtures.positive_mixture_cells(part, simplified(least))
    key = (part.key, least.serial)
    if key not in known:
        known[key] = positive_cells(part.p, part.q, least)
    return known[key]


def _on_cells(stratum: MixtureComponent, part: DensityFactor | NormalFactor | MixtureFactor, found: Positive) -> Events:
    """The cells one by one, or all as one event where they are of several coordinates, or stand for tails as well."""
    weights, _ = stratum.factors
    (coordinate, *others) = part.coordinates if isinstance(part, MixtureFactor) else (part.coordinate,)
    if not others and not (isinstance(part, DensityFactor) and part.tails and _are_in_tails(found, part.tails)):
        events = [
            DensityEvent(OnFactor(stratum, coordinate, cell.low, cell.high), *weights.times(cell.p, cell.q))
            for cell in found.cells
        ]
        return Events(events, found.gaps, False)
    masses = (total((cell.p, cell.q)[side] for cell in found.cells) for side in (0, 1))
    return Events([DensityEvent(OnComponent(stratum), *weights.times(*masses))], found.gaps, False)


def _are_in_tails(found: Positive, tails: Tails) -> bool:
    """True where some cell reaches beyond what is no tail."""
    return any(
        cell.low is None or cell.high is None or cell.low < tails.low or cell.high > tails.high for cell in found.cells
    )


def _normal_masses(factors: Sequence[AnyFactor], least: Exact) -> tuple[Exact, Exact]:
    """The masses of where several coordinates with Gaussian noise have p > least·q. May raise `Undecided`."""
    if any(isinstance(part, MixtureFactor) for part in factors):
        raise Inseparable(
            not_known.MIXED_KINDS, "a number with Gaussian noise comes about in several ways, beside others that differ"
        )
    parts = [part for part in factors if isinstance(part, NormalFactor)]
    if len(parts) < len(factors):
        raise Undecided(
            not_known.MIXED_KINDS,
            "a number with Gaussian noise is released beside one with other noise, or beside finite parts",
        )
    return normal.normal_masses_above(parts, simplified(least))


def _some_boxes(stratum: MixtureComponent, factor: Exact) -> list[DensityEvent]:
    """Some boxes on which p > factor·q, of coordinates whose losses are not added up; there may be none."""
    weights, factors = stratum.factors
    real = [part for part in factors if isinstance(part, DensityFactor)]
    finite = [part.masses for part in factors if isinstance(part, FiniteFactor)]  # which may be anything
    before = ComponentWeights(
        *(product((weight, *(masses[i] for masses in finite))) for i, weight in enumerate(weights))
    )
    for fineness in (1, 4, 16):
        boxes = positive_boxes(before, real, factor, fineness)
        if boxes:
            return [_on_choices(stratum, *box) for box in boxes[:_MOST_BOXES]]
    return []


def _on_choices(stratum: MixtureComponent, chosen: Sequence[Choice], p: Exact, q: Exact) -> DensityEvent:
    return DensityEvent(OnBox(stratum.named({}), tuple(cell for choice in chosen for cell in choice.box.items())), p, q)


_MOST_BOXES: Final = 256
"""Boxes of a set of which not all is known."""


def _as_losses(ratios: Ratios) -> Losses:
    """Ratios of finite parts as losses, beside those of real numbers."""
    atoms = tuple(LossAtom(log(atom.ratio), atom.p) for atom in ratios.atoms)
    return Losses(atoms, Piecewise(False, (), (NOTHING,)), ratios.infinite, ratios.whole)


def _of_atoms(pair: DistributionPair) -> RatioBound | None:
    best = RatioBound(ZERO, ONE)
    for atom in pair.atoms:
        if atom.p is not ZERO:
            if atom.q is ZERO:
                return None
            best = larger(best, RatioBound(atom.p, atom.q))
    return best


def _weighted(weights: ComponentWeights, ratio: RatioBound) -> tuple[Exact, Exact]:
    return product((weights.p, ratio.above)), product((weights.q, ratio.below))


def _law(masses: Sequence[Exact]) -> Distribution[Any]:
    return Distribution.of_blocks((((i,), mass) for i, mass in enumerate(masses)), total_weight=ONE)
