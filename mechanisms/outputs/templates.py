"""Templates of outcomes: slots for whole numbers and for real ones, and what outcomes and events name there.

A released whole number is offset + unit·m; a cell is a range of m, an interval one of real numbers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from numbers import Complex, Integral
from types import NoneType
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.functions.lookalikes import refuse_lookalike, same
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, as_parameter, exact
from dpverify.mechanisms.numbers.integers.unknown_outcomes import UnknownOutcome
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.outputs.released_parts import FromTo, OneOf, PartSlot, part_cells_named
from dpverify.mechanisms.outputs.released_reals import (
    AnyReal,
    Between,
    Bound,
    Frame,
    RealSlot,
    Where,
    box_of,
    is_on,
    real_slots,
)
from dpverify.mechanisms.path_conditions.expressions import PlainNumber

Cell: TypeAlias = tuple[int | None, int | None]
"""The whole m with low ≤ m < high; None is an infinite end."""


@dataclass(frozen=True)
class Slot:
    """The numbers offset + unit·m, m whole, with 0 ≤ offset < unit."""

    offset: Fraction
    unit: Fraction

    def __hash__(self) -> int:
        return hash((self.offset.numerator, self.offset.denominator, self.unit.numerator, self.unit.denominator))

    def __repr__(self) -> str:
        return "<noise>"

    def value(self, m: int) -> PlainNumber:
        """Offset + unit·m, an int where it is whole."""
        if self.unit.denominator == self.offset.denominator == 1:  # the same, and quick
            return self.offset.numerator + self.unit.numerator * m
        value = self.offset + self.unit * m
        return int(value) if value.denominator == 1 else value

    def position(self, value: object) -> Fraction | None:
        """The m with offset + unit·m = value, whole or not; None where `value` is no rational number."""
        if type(value) is int and self.unit == self.offset.denominator == 1:  # the same, and quick
            return Fraction(value - self.offset.numerator)
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
        raise InputError(bad_input.EXACT, f"the outcome {shown(value)}, which stands beside released numbers,")
    return None


@dataclass(frozen=True)
class AtLeast:
    """Stands in an outcome for every released number ≥ value; with a step, for those whole steps above it.

    >>> def noisy(draw, n):
    ...     return n + draw(discrete_laplace(1))
    >>> distribution(noisy, 1).probability(AtLeast(2))
    exp(-1)*(1 + exp(-1))**(-1)
    """

    value: PlainNumber | Exact
    step: PlainNumber | None = None

    def __str__(self) -> str:
        return f"≥ {self.value}" + _in_steps(self.step)


@dataclass(frozen=True)
class AtMost:
    """Stands in an outcome for every released number ≤ value; with a step, for those whole steps below it."""

    value: PlainNumber | Exact
    step: PlainNumber | None = None

    def __str__(self) -> str:
        return f"≤ {self.value}" + _in_steps(self.step)


@dataclass(frozen=True)
class AnyNumber:
    """Stands in an outcome for every number offset + step·m, m whole: a released one, or a plain one in its place."""

    step: PlainNumber = 1
    offset: PlainNumber = 0

    def __post_init__(self) -> None:
        if self.step <= 0:
            raise InputError(bad_input.RANGE, f"AnyNumber(step={self.step})", "of a step > 0")

    def holds_all_of(self, slot: Slot) -> bool:
        """True if each number of a slot is one of them, or none. Raises `InputError` where some are, and some not."""
        if (slot.unit / self.step).denominator == 1:
            return self.holds(slot.offset)
        raise InputError(
            bad_input.WRONG,
            f"the step {self.step} of {shown(self)}",
            f"{slot.unit}, the step of the numbers that are released here",
            "give that step",
        )

    def holds(self, number: object) -> bool:
        """True where a plain number is one of them."""
        value = None if isinstance(number, bool) else _as_fraction(number)
        return value is not None and ((value - self.offset) / Fraction(self.step)).denominator == 1

    def __str__(self) -> str:
        return "any"


@dataclass(frozen=True)
class SomeCells:
    """Several disjoint cells of one slot."""

    cells: tuple[Cell, ...]


def _in_steps(step: PlainNumber | None) -> str:
    return "" if step in (None, 1) else f" in steps of {step}"


def refuse_lookalike_of(known: Hashable, template: Hashable, where: str = "") -> None:
    """Raises `InputError` where two templates, or plain outcomes, that are equal are not the same, as 1 and True."""
    if not _alike(known, template):
        refuse_lookalike(_in_words(known), _in_words(template), where)


def refuse_lookalikes(outcomes: Iterable[Hashable], seen: dict[Hashable, Hashable]) -> None:
    """Raises `InputError` where an outcome of a law equals one `seen` and is not the same; adds all to `seen`."""
    for outcome in outcomes:
        refuse_lookalike_of(seen.setdefault(outcome, outcome), outcome, " on one database")


class _Noise:
    """The text of a slot in a message."""

    def __repr__(self) -> str:
        return "noise"


_NOISE: Final = _Noise()


def _in_words(template: Any) -> Any:
    if isinstance(template, Slot | RealSlot | PartSlot):
        return _NOISE
    return tuple(map(_in_words, template)) if type(template) is tuple else template


def _alike(known: Any, template: Any) -> bool:
    """True where two that are equal are the same; slots are, and what is plain if it is of one type."""
    if known is template:
        return True
    kind = type(known)
    if kind is not type(template):
        return False
    if kind is tuple:
        return all(map(_alike, known, template))
    return kind in _SAME_IF_EQUAL or same(known, template)


_SAME_IF_EQUAL: Final = frozenset({Slot, RealSlot, PartSlot, UnknownOutcome, NoneType, bool, int, str, bytes, Fraction})


def clamp_cells(slot: Slot, low: PlainNumber, high: PlainNumber) -> list[tuple[Cell, PlainNumber]]:
    """The cells of m that clamping to [low, high] tells apart, each with the number that it gives."""
    above_low = (low - slot.offset) // slot.unit + 1  # the first m whose number exceeds low
    from_high = max(above_low, -((slot.offset - high) // slot.unit))  # the first m whose number is at least high
    inside = [((m, m + 1), slot.value(m)) for m in range(above_low, from_high)]
    return [((None, above_low), low), *inside, ((from_high, None), high)]


def frame_in(template: Hashable) -> Frame | None:
    """The frame of the real numbers of a template; None where there are none."""
    slot = next(real_slots(template), None)
    return None if slot is None else slot.frame


def all_cells_named(template: Hashable, outcome: Any) -> tuple[Any, ...] | None:
    """A cell for each slot of whole numbers and an interval for each coordinate of real ones; None for no fit."""
    shape, bounds = (outcome.outcome, outcome.bounds) if isinstance(outcome, Where) else (outcome, ())
    cells = cells_named(template, shape)
    if cells is None:
        return None
    parts = part_cells_named(template, shape)
    frame = frame_in(template)
    if frame is None:
        return (*cells, *parts)
    if isinstance(outcome, Where) and any(is_on(frame, *form) for form in outcome.apart):
        return None
    box = box_of(frame, [*bounds, *_bounds_in(template, shape)])
    return None if box is None else (*cells, *box, *parts)


def _bounds_in(template: Hashable, outcome: Any) -> Iterator[Bound]:
    """The bounds that an outcome which fits the template sets for its real numbers."""
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
    """True where an outcome stands for a whole tail of outcomes."""
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


def cells_named(template: Hashable, outcome: Any) -> tuple[Cell | SomeCells, ...] | None:
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
        cells: list[Cell | SomeCells] = []
        for inner, given in zip(template, outcome, strict=True):
            part = cells_named(inner, given)
            if part is None:
                return None
            cells += part
        return tuple(cells)
    return () if _is_named(template, outcome) else None


def _is_named(plain: Hashable, outcome: object) -> bool:
    """True where an outcome says of a place where something plain stands that it is this."""
    if isinstance(outcome, AnyNumber):
        return outcome.holds(plain)
    if isinstance(outcome, OneOf):
        return any(_is_named(plain, one) for one in outcome.outcomes)
    if isinstance(outcome, FromTo):
        return outcome.holds(plain)
    return plain == outcome


def names_several(outcome: object) -> bool:
    """True where there is something in an outcome that may stand for several plain ones."""
    if isinstance(outcome, tuple):
        return any(map(names_several, outcome))
    return isinstance(outcome, AnyNumber | OneOf | FromTo)


def _is_end(outcome: object) -> bool:
    """True where an outcome stands for all numbers on one side of another one, real ones among them."""
    return isinstance(outcome, AtLeast | AtMost) and outcome.step is None


def _cell_named(slot: Slot, outcome: object) -> Cell | SomeCells | None:
    if isinstance(outcome, AnyNumber):
        return (None, None) if outcome.holds_all_of(slot) else None
    if isinstance(outcome, OneOf):
        run = _run_of(slot, outcome.outcomes)
        if run is not None:
            return SomeCells((run,))
        return SomeCells(_joined(cell for one in outcome.outcomes if (cell := _cell_of_one(slot, one)) is not None))
    return _cell_of_one(slot, outcome)


def _run_of(slot: Slot, outcomes: tuple[Hashable, ...]) -> Cell | None:
    """The cell of whole numbers that follow on each other in a slot: seen at once, of however many."""
    first = outcomes[0]
    if type(first) is not int or slot.unit.denominator != 1:
        return None
    step, m = int(slot.unit), slot.position(first)
    if m is None or m.denominator != 1 or set(map(type, outcomes)) != {int}:
        return None
    follow = outcomes == tuple(range(first, first + step * len(outcomes), step))
    return (int(m), int(m) + len(outcomes)) if follow else None


def _joined(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """Disjoint cells, each that begins where the one before ends as one with it."""
    found: list[Cell] = []
    for low, high in cells:
        goes_on = found and low is not None and found[-1][1] == low
        found.append((found.pop()[0] if goes_on else low, high))
    return tuple(found)


def _cell_of_one(slot: Slot, outcome: object) -> Cell | None:
    if isinstance(outcome, AtLeast | AtMost):
        end: Fraction | Exact | None = slot.position(outcome.value)
        if end is None:  # an irrational one
            end = (exact(outcome.value) - slot.offset) / slot.unit
        if outcome.step is not None and (outcome.step != slot.unit or end != floor(end)):
            return None
        return (ceil(end), None) if isinstance(outcome, AtLeast) else (None, floor(end) + 1)
    if isinstance(outcome, FromTo):
        first, last = slot.position(outcome.low), slot.position(outcome.high)
        assert first is not None and last is not None, "they are numbers"
        alike = outcome.step == slot.unit and first.denominator == last.denominator == 1
        return (int(first), int(last) + 1) if alike else None
    m = slot.position(outcome)
    return None if m is None or m.denominator != 1 else (int(m), int(m) + 1)


def outcome_of_cell(slot: Slot, cell: Cell) -> Hashable:
    """The text of a cell in an outcome; the reverse of `cells_named`."""
    low, high = cell
    step = slot.value(1) - slot.value(0)
    if low is None and high is None:
        return AnyNumber(slot.unit, slot.offset)
    if low is None:
        assert high is not None
        return AtMost(slot.value(high - 1), step)
    if high is None:
        return AtLeast(slot.value(low), step)
    return slot.value(low) if high - low == 1 else FromTo(slot.value(low), slot.value(high - 1), step)
