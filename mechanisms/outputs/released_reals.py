"""Continuous noise that a mechanism releases: real numbers in outcomes, their densities, and the events about them.

A law whose outcomes hold real numbers is a mixture, template by template, of atoms and densities. The released numbers
Y of a template are affine in the noises, and so lie in an affine space, the *stratum*: some of them are free, the
others are affine in these. In the *frame* of the template, coordinates Z that are linear in the free ones, the noises
stand as far apart as they can: of Y = (N₁, N₁ + N₂) the frame is (y₁, y₂ - y₁), as N₁ and N₂ are independent. A number
beside released numbers is another template; it has probability 0 under any density, so that the two never meet.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

from dpverify.mechanisms.functions.containers import as_held
from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.containers import Kind
from dpverify.mechanisms.numbers.errors import InputError, bad_input, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import (
    ONE,
    ZERO,
    Exact,
    ExactLike,
    as_parameter,
    exact,
    inverse,
    negative,
    product,
    reciprocal_of_nonzero,
    total,
)
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise
from dpverify.mechanisms.numbers.roots.periodic_tails import AnyDensity, PeriodicTails
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable

OpenInterval: TypeAlias = tuple[Exact | None, Exact | None]
"""The real x with low < x < high; None is an infinite end."""

LinearForm: TypeAlias = tuple[Fraction | Exact, ...]
"""The coefficients of a linear form of all released real numbers of a template."""


@dataclass(frozen=True)
class Tie:
    """A released number that others decide: Σ coefficient·number + offset."""

    place: int
    row: LinearForm
    offset: Fraction | Exact


@dataclass(frozen=True)
class Frame:
    """The places of the released numbers y of a template: the coordinates z = row·y, and the numbers they decide."""

    rows: tuple[LinearForm, ...]
    ties: tuple[Tie, ...] = ()

    def __hash__(self) -> int:
        return self._hash  # every slot of a template holds it

    @cached_property
    def _hash(self) -> int:
        return hash((self.rows, self.ties))

    def __reduce__(self) -> tuple[Any, ...]:
        return the_frame, (self.rows, self.ties)  # one object for equal ones, which are compared often

    @cached_property
    def is_plain(self) -> bool:
        """True where the coordinates are the released numbers themselves, one by one."""
        return not self.ties and all(
            c == (1 if i == j else 0) for i, row in enumerate(self.rows) for j, c in enumerate(row)
        )


@lru_cache(maxsize=256)
def plain_frame(size: int) -> Frame:
    """The frame of so many released numbers that have noises of their own."""
    return the_frame(tuple(tuple(Fraction(int(i == j)) for j in range(size)) for i in range(size)), ())


@lru_cache(maxsize=256)
def the_frame(rows: tuple[LinearForm, ...], ties: tuple[Tie, ...]) -> Frame:
    """The only frame with these rows and ties."""
    return Frame(rows, ties)


@dataclass(frozen=True)
class RealSlot:
    """The place in a template of the released real number of this index, counted from 0."""

    frame: Frame
    place: int

    def __repr__(self) -> str:
        return "<noise>"


@dataclass(frozen=True, eq=False)
class RealRelease:
    """One coordinate of what is released: z = slope·x + centre, where x has the density `base`.

    The mass of `base` is the probability of all that the run has shown of the noises in it.
    """

    base: AnyDensity
    slope: Exact
    centre: Exact

    @cached_property
    def density(self) -> AnyDensity:
        """z ↦ its density."""
        if self.slope is ONE and self.centre is ZERO:
            return self.base
        factor = reciprocal_of_nonzero(self.slope)
        moved = self.base.composed(factor, negative(product((factor, self.centre))))
        return moved if factor is ONE else moved.scaled(abs(factor))

    @cached_property
    def _masses(self) -> Piecewise | PeriodicTails:
        return self.density.cumulative if isinstance(self.density, Piecewise) else self.density

    def probability(self, cell: OpenInterval) -> Exact:
        """Pr[z ∈ cell and what is known]."""
        if cell == (None, None):
            return self.base.mass
        return self._masses.between(*cell)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RealRelease):
            return NotImplemented
        if self.base is other.base and self.slope is other.slope and self.centre is other.centre:
            return True
        mine, theirs = self.density, other.density
        if isinstance(mine, PeriodicTails) or isinstance(theirs, PeriodicTails):
            return isinstance(mine, PeriodicTails) and isinstance(theirs, PeriodicTails) and mine.is_alike(theirs)
        return mine.breaks == theirs.breaks and mine.pieces == theirs.pieces

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # where it breaks first: a function of the density, and cheap where it is rational
        breaks = self.base.breaks
        if not breaks:
            return 0
        first = exact(breaks[0] if self.slope > 0 else breaks[-1])
        return hash((len(breaks), as_parameter(self.slope * first + self.centre)))

    def __reduce__(self) -> tuple[Any, ...]:
        return RealRelease, (self.density, ONE, ZERO)  # what it came from is known in one process


def frame_of(rows: Sequence[Mapping[NoiseVariable, Exact]], shifts: Sequence[Exact]) -> tuple[Frame, list[Coordinate]]:
    """The frame of released numbers Σ coefficient·noise + shift, and what each coordinate is of the noises.

    It is the reduced row echelon form over the noises, in their order in `rows`, each coordinate being scaled so that
    its first coefficient on a released number is 1.
    """
    size = len(rows)
    if len({noise for row in rows for noise in row}) == sum(map(len, rows)):  # none of them shares noise
        frame = plain_frame(size)
        return frame, [_coordinate(of_y, row, shift) for of_y, row, shift in zip(frame.rows, rows, shifts, strict=True)]
    reduced: list[tuple[NoiseVariable, dict[NoiseVariable, Exact], list[Exact]]] = []  # leading noise, row, combination
    ties: list[tuple[int, list[Exact]]] = []
    for place, row in enumerate(rows):
        rest = dict(row)
        of_numbers: list[Exact] = [ONE if i == place else ZERO for i in range(size)]
        for lead, known, combination in reduced:
            factor = rest.get(lead, ZERO)
            if factor is not ZERO:
                rest = without_multiple(rest, known, factor)
                of_numbers = [a - factor * b for a, b in zip(of_numbers, combination, strict=True)]
        if not rest:  # number - Σ … is constant
            ties.append((place, [ZERO if i == place else -c for i, c in enumerate(of_numbers)]))
            continue
        lead = min(rest, key=lambda noise: noise.number)
        over = inverse(rest[lead])
        rest = {noise: over * c for noise, c in rest.items()}
        of_numbers = [over * c for c in of_numbers]
        for i, (other, known, combination) in enumerate(reduced):
            factor = known.get(lead, ZERO)
            if factor is not ZERO:
                left = [a - factor * b for a, b in zip(combination, of_numbers, strict=True)]
                reduced[i] = (other, without_multiple(known, rest, factor), left)
        reduced.append((lead, rest, of_numbers))
    coordinates = []
    for _, known, combination in reduced:
        scale = next(c for c in combination if c != 0)
        of_y = tuple(as_parameter(c / scale) for c in combination)
        centre = total(product((c, shift)) for c, shift in zip(combination, shifts, strict=True)) / scale
        coordinates.append(Coordinate(of_y, known, inverse(scale), centre))
    coordinates.sort(key=lambda coordinate: next(i for i, c in enumerate(coordinate.row) if c != 0))
    tied = tuple(
        Tie(
            place,
            tuple(map(as_parameter, row)),
            as_parameter(shifts[place] - total(c * shift for c, shift in zip(row, shifts, strict=True))),
        )
        for place, row in ties
    )
    return the_frame(tuple(coordinate.row for coordinate in coordinates), tied), coordinates


@dataclass(frozen=True)
class Coordinate:
    """row·y = slope·Σ coefficient·noise + centre, for the released numbers y; the first coefficient of a noise is 1."""

    row: LinearForm
    noises: Mapping[NoiseVariable, Exact]
    slope: Exact
    centre: Exact


def _coordinate(of_y: LinearForm, noises: Mapping[NoiseVariable, Exact], shift: Exact) -> Coordinate:
    """A released number as a coordinate of its own."""
    first = noises[min(noises, key=lambda noise: noise.number)]
    if first is ONE:
        return Coordinate(of_y, noises, ONE, shift)
    return Coordinate(of_y, {noise: c / first for noise, c in noises.items()}, first, shift)


def without_multiple(
    row: Mapping[NoiseVariable, Exact], other: Mapping[NoiseVariable, Exact], factor: Exact
) -> dict[NoiseVariable, Exact]:
    """The coefficients of a sum of noises without `factor` times another one."""
    result = dict(row)
    for noise, c in other.items():
        result[noise] = result.get(noise, ZERO) - factor * c
    return {noise: c for noise, c in result.items() if c != 0}


# --- Events about released real numbers.

Bound: TypeAlias = tuple[tuple[ExactLike, ...], ExactLike | None, ExactLike | None]
"""A linear form of the released numbers, and between which numbers it lies; equal ones are its value."""


@dataclass(frozen=True)
class Between:
    """Stands in an outcome for every released real number strictly between two numbers."""

    low: ExactLike
    high: ExactLike

    def __post_init__(self) -> None:
        if exact(self.low) >= exact(self.high):
            raise InputError(bad_input.LOW_HIGH, "Between", f"({self.low}, {self.high})")

    def __str__(self) -> str:
        return f"in ({self.low}, {self.high})"


@dataclass(frozen=True)
class AnyReal:
    """Stands in an outcome for every released real number."""

    def __str__(self) -> str:
        return "any"


@dataclass(frozen=True)
class Where:
    """Stands for the outcomes of a shape whose released real numbers y have Σ coefficient·y between two numbers.

    `outcome` holds `AnyReal()` where they stand; `bounds` are (coefficients, low, high), None for an infinite end, and
    `apart` are (coefficients, value) of forms that do not have that value: noise that is released twice lies on a line.
    """

    outcome: Hashable
    bounds: tuple[Bound, ...]
    apart: tuple[tuple[tuple[ExactLike, ...], ExactLike], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "outcome", as_held(self.outcome))

    def __str__(self) -> str:
        said = [_said(*bound) for bound in self.bounds]
        said += [f"{_said(row, None, None)} ≠ {value}" for row, value in self.apart]
        return f"{outcome_in_words(self.outcome)} where {' and '.join(said)}"

    def __repr__(self) -> str:
        apart = f", apart={self.apart!r}" if self.apart else ""
        return f"Where(outcome={self.outcome!r}, bounds={self.bounds!r}{apart})"


def outcome_in_words(outcome: object) -> str:
    """An outcome with what stands in it for many numbers, for people."""
    if isinstance(outcome, tuple):
        is_list = outcome[:1] == (Kind(list),)
        inner = ", ".join(map(outcome_in_words, outcome[1:] if is_list else outcome))
        return f"[{inner}]" if is_list else f"({inner}{',' if len(outcome) == 1 else ''})"
    return str(outcome) if isinstance(outcome, AnyReal | Between) else repr(outcome)


def _said(row: Sequence[ExactLike], low: ExactLike | None, high: ExactLike | None) -> str:
    terms: list[str] = []
    for i, c in enumerate(map(exact, row), 1):
        if c != 0:
            sign = ("- " if terms else "-") if c < 0 else "+ " if terms else ""
            terms.append(f"{sign}{'' if abs(c) == 1 else f'{abs(c)}·'}y{i}")
    form = " ".join(terms)
    if low is not None and low == high:
        return f"{form} = {low}"
    return f"{'' if low is None else f'{low} < '}{form}{'' if high is None else f' < {high}'}"


def box_of(frame: Frame, bounds: Sequence[Bound]) -> tuple[OpenInterval, ...] | None:
    """For each coordinate of a frame the interval that the bounds leave it; None where they leave nothing.

    Raises `InputError` for a bound that is not about one coordinate.
    """
    box: list[OpenInterval] = [(None, None)] * len(frame.rows)
    for row, low, high in bounds:
        left, shift = _without_ties(frame, row)
        if not any(c != 0 for c in left):  # the ties alone decide
            if (low is not None and shift < exact(low)) or (high is not None and shift > exact(high)):
                return None
            continue
        result = _on_coordinate(frame, left)
        if result is None and low is not None and low == high:  # a form of continuous noises
            return None
        if result is None:
            raise InputError(
                bad_mechanism.PROBABILITY_UNKNOWN,
                _said(row, low, high),
                ", ".join(_said(known, None, None) for known in frame.rows),
            )
        i, slope = result
        ends = [None if end is None else (exact(end) - shift) / slope for end in (low, high)]
        if slope < 0:
            ends.reverse()
        box[i] = _met(box[i], (ends[0], ends[1]))
        if is_empty(box[i]):
            return None
    return tuple(box)


def is_on(frame: Frame, row: Sequence[ExactLike], value: ExactLike) -> bool:
    """True where a linear form of the released numbers has the value wherever they may lie."""
    left, shift = _without_ties(frame, row)
    return not any(c != 0 for c in left) and shift == exact(value)


def _without_ties(frame: Frame, row: Sequence[ExactLike]) -> tuple[list[Exact], Exact]:
    """A linear form of the released numbers as one of the free ones, and what is to be added to it."""
    left = list(map(exact, row))
    shift: Exact = ZERO
    for tie in frame.ties:
        factor = left[tie.place]
        left[tie.place] = ZERO
        left = [a + factor * b for a, b in zip(left, tie.row, strict=True)]
        shift = shift + factor * tie.offset
    return left, shift


def _on_coordinate(frame: Frame, row: Sequence[Exact]) -> tuple[int, Exact] | None:
    """(i, c) where row·y = c·z for coordinate i."""
    for i, known in enumerate(frame.rows):
        at = next(k for k, c in enumerate(known) if c != 0)
        factor = row[at] / known[at]
        if factor != 0 and all(a == factor * b for a, b in zip(row, known, strict=True)):
            return i, factor
    return None


def _met(left: OpenInterval, right: OpenInterval) -> OpenInterval:
    low = right[0] if left[0] is None or (right[0] is not None and right[0] > left[0]) else left[0]
    high = right[1] if left[1] is None or (right[1] is not None and right[1] < left[1]) else left[1]
    return low, high


def is_empty(interval: OpenInterval) -> bool:
    """True where no number lies in it."""
    low, high = interval
    return low is not None and high is not None and decision.sign(high - low) <= 0


def ties_are_known(template: Hashable) -> bool:
    """True if released numbers that share noise have a ratio and a distance without symbols: without ε and scores."""
    ties = (tie for slot in real_slots(template) for tie in slot.frame.ties)
    return all(
        not isinstance(number, Exact) or number.symbol is None for tie in ties for number in (*tie.row, tie.offset)
    )


def real_slots(template: Hashable) -> Iterator[RealSlot]:
    """The slots of released real numbers in a template, in order of occurrence."""
    if isinstance(template, RealSlot):
        yield template
    elif isinstance(template, tuple):
        for part in template:
            yield from real_slots(part)
