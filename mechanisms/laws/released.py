"""Noise that a mechanism releases: infinitely many outcomes, held in closed form.

An outcome with released noise is a *template*, a nested tuple with a `Slot` where each noise stands. A noisy number is
offset + unit·m for whole m; offset and unit belong to the template, the law of m to the release. (Real numbers are in
`released_reals`.)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from numbers import Complex, Integral
from typing import Any, ClassVar, NoReturn, TypeAlias

from dpverify.mechanisms.exact.errors import InputError
from dpverify.mechanisms.exact.exact_numbers import ONE, ZERO, Exact, as_parameter, exact, negative, product, total
from dpverify.mechanisms.exact.exponential_polynomials import Piecewise
from dpverify.mechanisms.exact.intervals import Intervals, between, intersection, mirrored, shifted
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.laws.noise import NoiseLaw, mirror_image, probability
from dpverify.mechanisms.laws.noise_tree import NoiseTree, density_of
from dpverify.mechanisms.laws.noise_value import Number
from dpverify.mechanisms.laws.ratio_events import RatioAbove, probability_above
from dpverify.mechanisms.laws.released_parts import PartRelease, PartSlot, part_cells_named, parts_in
from dpverify.mechanisms.laws.released_reals import (
    AnyReal,
    Between,
    Bound,
    Frame,
    RealRelease,
    RealSlot,
    Where,
    box_of,
    real_slots,
)
from dpverify.mechanisms.laws.tied_reals import TiedReal, TiedReals

Cell: TypeAlias = tuple[int | None, int | None]
"""The whole m with low ≤ m < high; None is an infinite end."""


@dataclass(frozen=True)
class Slot:
    """The numbers offset + unit·m, m whole, with 0 ≤ offset < unit."""

    offset: Fraction
    unit: Fraction

    def value(self, m: int) -> Number:
        """Offset + unit·m, an int where it is whole."""
        value = self.offset + self.unit * m
        return int(value) if value.denominator == 1 else value

    def position(self, value: object) -> Fraction | None:
        """The m with offset + unit·m = value, whole or not; None where `value` is no rational number."""
        number = _as_fraction(value)
        return None if number is None else (number - self.offset) / self.unit


def _as_fraction(value: object) -> Fraction | None:
    """The rational number that a plain outcome equals, if any, whatever its type: equal outcomes are one outcome."""
    if isinstance(value, int | Fraction):
        return Fraction(value)
    if isinstance(value, Exact):
        rational = as_parameter(value)
        return rational if isinstance(rational, Fraction) else None
    if isinstance(value, Decimal):
        return Fraction(value)
    if isinstance(value, Integral):
        return Fraction(int(value))
    if isinstance(value, Complex):  # any other number, a float among them
        raise InputError(f"the outcome {value!r} stands beside released numbers: write it as an int or a Fraction")
    return None


@dataclass(frozen=True)
class AtLeast:
    """Stands in an outcome for every released number ≥ value; with a step, for those whole steps above it."""

    value: Number | Exact
    step: Number | None = None

    def __str__(self) -> str:
        return f"≥ {self.value}" + _in_steps(self.step)


@dataclass(frozen=True)
class AtMost:
    """Stands in an outcome for every released number ≤ value; with a step, for those whole steps below it."""

    value: Number | Exact
    step: Number | None = None

    def __str__(self) -> str:
        return f"≤ {self.value}" + _in_steps(self.step)


def _in_steps(step: Number | None) -> str:
    return "" if step in (None, 1) else f" in steps of {step}"


@dataclass(frozen=True)
class Release:
    """One released noise: m = N + centre, where N ~ law and the run has shown that N ∈ values."""

    law: NoiseLaw
    centre: int
    values: Intervals

    def probability(self, cell: Cell) -> Exact:
        """Pr[N ∈ values and m ∈ cell]."""
        return probability(self.law, intersection(self.values, shifted(between(*cell), -self.centre)))

    @cached_property
    def density(self) -> Piecewise:
        """The whole m ↦ Pr[N ∈ values and m = N + centre]."""
        return density_of(self.law).within(self.values).composed(ONE, -self.centre)


@dataclass(frozen=True)
class TiedRelease:
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

    @cached_property
    def _cumulative(self) -> Piecewise:
        return self.density.cumulative

    def probability(self, cell: Cell) -> Exact:
        """Pr[m ∈ cell and what is known]."""
        return self._cumulative.between(*cell)

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
class DensityRelease:
    """A released number of which the density is all that is known: a sum of noises, or one from another process."""

    density: Piecewise

    @cached_property
    def _cumulative(self) -> Piecewise:
        return self.density.cumulative

    def probability(self, cell: Cell) -> Exact:
        """Pr[m ∈ cell and what is known]."""
        return self._cumulative.between(*cell)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TiedRelease | DensityRelease):
            return NotImplemented
        return _are_one_function(self.density, other.density)

    def __hash__(self) -> int:
        return hash(self.density.breaks)


def _are_one_function(left: Piecewise, right: Piecewise) -> bool:
    return left.breaks == right.breaks and left.pieces == right.pieces


AnyRelease: TypeAlias = Release | TiedRelease | DensityRelease

Releases: TypeAlias = tuple[AnyRelease | RealRelease | TiedReal | PartRelease, ...]
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
        law = mirror_image(law) if self.negated else law
        return Release(law, self.centre, mirrored(known) if self.negated else known)

    def tied_release(self, tree: NoiseTree) -> TiedRelease:
        """The release of it, where it is the root of what is known of tied noises."""
        return TiedRelease(tree, self.centre, self.negated)

    def release_of_density(self, density: Piecewise) -> DensityRelease:
        """The release of it, where N is a sum of noises with this density."""
        slope = negative(ONE) if self.negated else ONE
        return DensityRelease(density.composed(slope, self.centre if self.negated else -self.centre))

    def noise_in(self, cell: Cell) -> Intervals:
        """The N for which m ∈ cell."""
        inside = shifted(between(*cell), -self.centre)
        return mirrored(inside) if self.negated else inside


def lattice_of(law: NoiseLaw, coefficient: Exact, shift: Exact, purpose: str) -> Lattice:
    """coefficient·N + shift as a `Lattice`, for discrete noise N. Raises `InputError` where a number is irrational."""
    assert law.discrete, "continuous noise does not lie on a lattice"
    c, s = as_parameter(coefficient), as_parameter(shift)
    if not isinstance(c, Fraction) or not isinstance(s, Fraction):
        raise InputError(f"{purpose} is {coefficient}·noise + {shift}, which has no rational values")
    unit = abs(c)
    centre, offset = divmod(s, unit)
    return Lattice(Slot(offset, unit), int(centre), c < 0)


def clamp_cells(slot: Slot, low: Number, high: Number) -> list[tuple[Cell, Number]]:
    """The cells of m that clamping to [low, high] tells apart, each with the number that it gives."""
    above_low = (low - slot.offset) // slot.unit + 1  # the first m whose number exceeds low
    from_high = max(above_low, -((slot.offset - high) // slot.unit))  # the first m whose number is at least high
    inside = [((m, m + 1), slot.value(m)) for m in range(above_low, from_high)]
    return [((None, above_low), low), *inside, ((from_high, None), high)]


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
                "infinitely many outcomes: ask for probability(outcome), with AtLeast(k) or AtMost(k) in place of a "
                "released number for a whole tail"
            )
        return InputError(
            "too many outcomes of independent parts to list: ask for probability(outcome), with Anything() or "
            "OneOf((…)) in place of a part for several of its outcomes"
        )

    @cached_property
    def has_noise(self) -> bool:
        """Whether there is released noise in its outcomes, and not independent parts alone."""
        return any(
            not isinstance(release, PartRelease)
            for ways in self.released.values()
            for releases in ways
            for release in releases
        )

    @cached_property
    def parts(self) -> Sequence[PartRelease]:
        """The independent parts in its outcomes, in all ways in which these come about."""
        found = (release for ways in self.released.values() for releases in ways for release in releases)
        return [release for release in found if isinstance(release, PartRelease)]

    @property
    def has_parts(self) -> bool:
        """Whether there are independent parts in its outcomes."""
        return bool(self.parts)

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
        """Whether there are real numbers in its outcomes."""
        return any(frame_in(template) is not None for template in self.released)

    @property
    def structure(self) -> Hashable:
        """See `Distribution.structure`."""
        return self.leaves

    def probability(self, *outcomes: Any) -> Exact:
        """The probability that one of `outcomes` occurs; they must not overlap."""
        return total(self._probability(outcome) for outcome in dict.fromkeys(outcomes))

    def _probability(self, outcome: Hashable) -> Exact:
        if isinstance(outcome, RatioAbove):
            return self._probability_above(outcome)
        found = [self.finite.get(outcome, ZERO)]
        for template, components in self.released.items():
            cells = _all_cells_named(template, outcome)
            if cells is not None:
                found += [probability_of_cells(releases, weight, cells) for releases, weight in components.items()]
        return total(found)

    def _probability_above(self, event: RatioAbove) -> Exact:
        found = []
        for template, components in self.released.items():
            cells = _all_cells_named(template, event.outcome)
            for releases, weight in components.items():
                if cells is None:
                    break
                first = len(releases) - parts_in(template)
                parts = [release for release in releases[first:] if isinstance(release, PartRelease)]
                in_parts = probability_above(event, parts, cells[first:])
                found.append(product((in_parts, probability_of_cells(releases[:first], weight, cells[:first]))))
        return total(found)

    def __eq__(self, other: object) -> bool:
        raise InputError("laws with infinitely many outcomes are not compared as a whole: compare probabilities")

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
        else:
            parts.append(release.probability(cell))
    return product((*parts, *(group.probability(of_group) for group, of_group in groups.values())))


def frame_in(template: Hashable) -> Frame | None:
    """The frame of the real numbers of a template; None where there are none."""
    slot = next(real_slots(template), None)
    return None if slot is None else slot.frame


def _all_cells_named(template: Hashable, outcome: Any) -> tuple[Any, ...] | None:
    """A cell for each slot of whole numbers and an interval for each coordinate of real ones; None for no fit."""
    shape, bounds = (outcome.outcome, outcome.bounds) if isinstance(outcome, Where) else (outcome, ())
    cells = cells_named(template, shape)
    if cells is None:
        return None
    parts = part_cells_named(template, shape)
    frame = frame_in(template)
    if frame is None:
        return (*cells, *parts)
    box = box_of(frame, [*bounds, *_bounds_in(template, shape)])
    return None if box is None else (*cells, *box, *parts)


def _bounds_in(template: Hashable, outcome: Any) -> Iterator[Bound]:
    """What an outcome that fits the template says of its real numbers."""
    if isinstance(template, tuple):
        for inner, given in zip(template, outcome, strict=True):
            yield from _bounds_in(inner, given)
    elif isinstance(template, RealSlot) and not isinstance(outcome, AnyReal):
        size = len(template.frame.rows) + len(template.frame.ties)
        row = tuple(1 if i == template.place else 0 for i in range(size))
        if isinstance(outcome, Between):
            yield row, outcome.low, outcome.high
        elif isinstance(outcome, AtLeast):
            yield row, outcome.value, None
        else:
            yield row, None, outcome.value


def has_tail(outcome: object) -> bool:
    """Whether an outcome stands for a whole tail of outcomes."""
    return any(map(has_tail, outcome)) if isinstance(outcome, tuple) else isinstance(outcome, AtLeast | AtMost)


def slots_of(template: Hashable) -> tuple[Slot, ...]:
    """The slots of a template in order of occurrence."""
    if isinstance(template, Slot):
        return (template,)
    if isinstance(template, tuple):
        return tuple(slot for part in template for slot in slots_of(part))
    return ()


def filled(template: Hashable, contents: Iterator[Any]) -> Any:
    """The template with its slots replaced by `contents`, in order."""
    if isinstance(template, Slot):
        return next(contents)
    if isinstance(template, tuple):
        return tuple(filled(part, contents) for part in template)
    return template


def cells_named(template: Hashable, outcome: Any) -> tuple[Cell, ...] | None:
    """For each slot of whole numbers the cell that `outcome` names there; None where it does not fit the template."""
    if isinstance(template, Slot):
        cell = _cell_named(template, outcome)
        return None if cell is None else (cell,)
    if isinstance(template, PartSlot):  # any outcome fits
        return ()
    if isinstance(template, RealSlot):  # a single number has probability 0
        return () if isinstance(outcome, Between | AnyReal) or _is_end(outcome) else None
    if isinstance(template, tuple):
        if not isinstance(outcome, tuple) or len(outcome) != len(template):
            return None
        cells: list[Cell] = []
        for inner, given in zip(template, outcome, strict=True):
            part = cells_named(inner, given)
            if part is None:
                return None
            cells += part
        return tuple(cells)
    return () if template == outcome else None


def _is_end(outcome: object) -> bool:
    """Whether an outcome stands for all numbers on one side of another one, real ones among them."""
    return isinstance(outcome, AtLeast | AtMost) and outcome.step is None


def _cell_named(slot: Slot, outcome: object) -> Cell | None:
    if isinstance(outcome, AtLeast | AtMost):
        end: Fraction | Exact | None = slot.position(outcome.value)
        if end is None:  # an irrational one
            end = (exact(outcome.value) - slot.offset) / slot.unit
        if outcome.step is not None and (outcome.step != slot.unit or end != floor(end)):
            return None
        return (ceil(end), None) if isinstance(outcome, AtLeast) else (None, floor(end) + 1)
    m = slot.position(outcome)
    return None if m is None or m.denominator != 1 else (int(m), int(m) + 1)


def outcome_of_cell(slot: Slot, cell: Cell) -> Hashable:
    """How a cell of one number, or with one infinite end, reads in an outcome; the reverse of `cells_named`."""
    low, high = cell
    step = slot.value(1) - slot.value(0)
    if low is None:
        assert high is not None, "a cell has an end"
        return AtMost(slot.value(high - 1), step)
    return AtLeast(slot.value(low), step) if high is None else slot.value(low)
