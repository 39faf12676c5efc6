"""Independent parts of finite outcomes in a law: each kept as a law of its own, so that twenty bits are twenty laws.

An outcome with such parts is a template with a `PartSlot` where each stands, as one with released noise has `Slot`s.
Given the template and the way in which it came about, the parts are independent: probabilities multiply. Where the
product of their supports is small, a law can be *expanded* into its plain outcomes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product as combinations
from math import prod
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.functions.containers import as_held
from dpverify.mechanisms.functions.lookalikes import refuse_lookalike, same
from dpverify.mechanisms.numbers.containers import as_returned
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, total
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.path_conditions.expressions import PlainNumber

FEW_OUTCOMES: Final = 4096
"""Outcomes up to which independent parts are expanded into plain ones."""


@dataclass(frozen=True)
class PartSlot:
    """The place of an independent part in a template."""

    def __repr__(self) -> str:
        return "<part>"


PART_SLOT: Final = PartSlot()


@dataclass(frozen=True)
class Anything:
    """Stands in an outcome for all that an independent part may be."""

    def __str__(self) -> str:
        return "any"


@dataclass(frozen=True)
class OneOf:
    """Stands in an outcome for several outcomes of an independent part."""

    outcomes: tuple[Any, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.outcomes, tuple) or not self.outcomes:
            raise InputError(
                bad_input.WRONG, f"OneOf({shown(self.outcomes)})", "a tuple of outcomes that is not empty", "add one"
            )
        object.__setattr__(self, "outcomes", tuple(map(as_held, self.outcomes)))
        ranges = [one for one in self.outcomes if isinstance(one, FromTo)]
        if any(one is not other and one.meets(other) for one in ranges for other in self.outcomes):
            raise InputError(
                bad_input.TWICE, shown(self), "an outcome", "give each once, and not within a FromTo again"
            )

    def __str__(self) -> str:
        return f"one of {', '.join(str(as_returned(one)) for one in self.outcomes)}"


@dataclass(frozen=True)
class FromTo:
    """Stands in an outcome for all numbers from low to high in steps: released ones, and plain ones in their place.

    >>> def noisy(draw, n):
    ...     return n + draw(discrete_laplace(1))
    >>> decimal(distribution(noisy, 1).probability(FromTo(0, 2)))
    '0.802123960397'
    """

    low: PlainNumber
    high: PlainNumber
    step: PlainNumber = 1

    def __post_init__(self) -> None:
        if self.step <= 0 or self.high < self.low:
            raise InputError(bad_input.LOW_HIGH, "FromTo", shown(self))

    def holds(self, outcome: object) -> bool:
        """True where a plain outcome is one of the numbers."""
        if isinstance(outcome, bool) or not isinstance(outcome, int | Fraction) or not self.low <= outcome <= self.high:
            return False
        return (Fraction(outcome - self.low) / self.step).denominator == 1

    def meets(self, other: object) -> bool:
        """True where a plain outcome is one of the numbers, or one of those of another range is between the ends."""
        if not isinstance(other, FromTo):
            return self.holds(other)
        if self.step == other.step and (Fraction(other.low - self.low) / self.step).denominator > 1:
            return False
        return other.low <= self.high and self.low <= other.high

    def __str__(self) -> str:
        return f"{self.low} to {self.high}" + ("" if self.step == 1 else f" in steps of {self.step}")


def outcomes_named(outcome: Hashable) -> tuple[Hashable, ...]:
    """The outcomes of a part that an outcome of it stands for."""
    return outcome.outcomes if isinstance(outcome, OneOf) else (outcome,)


PartCell: TypeAlias = OneOf | tuple[None, None]
"""Some outcomes of a part, or all of them."""

EVERY_OUTCOME: Final = (None, None)


class PartRelease:
    """The law of one independent part: outcome → probability > 0. Immutable.

    Equal ones give the same outcomes the same probabilities; 1 and True are not the same outcome.
    """

    __slots__ = ("_hash", "probabilities")

    def __init__(self, probabilities: Mapping[Hashable, Exact]) -> None:
        self.probabilities = probabilities
        self._hash = hash(frozenset(probabilities))

    def probability(self, cell: PartCell) -> Exact:
        """Pr[the part is in the cell]."""
        if not isinstance(cell, OneOf):
            return ONE
        outcomes = dict.fromkeys(cell.outcomes)
        ranges = [outcome for outcome in outcomes if isinstance(outcome, FromTo)]
        listed = (p for o, p in self.probabilities.items() if any(one.holds(o) for one in ranges)) if ranges else ()
        return total((*(self.probabilities.get(outcome, ZERO) for outcome in outcomes), *listed))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PartRelease):
            return NotImplemented
        if self is other:
            return True
        mine, theirs = self.probabilities, other.probabilities
        if mine.keys() != theirs.keys() or any(mine[outcome] != theirs[outcome] for outcome in mine):
            return False
        first = {outcome: outcome for outcome in mine}
        return all(same(first[outcome], outcome) for outcome in theirs)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return PartRelease, (dict(self.probabilities),)

    def __repr__(self) -> str:
        return f"PartRelease({dict(self.probabilities)!r})"


def parts_in(template: Hashable) -> int:
    """The number of slots of independent parts that a template has."""
    if isinstance(template, PartSlot):
        return 1
    return sum(map(parts_in, template)) if isinstance(template, tuple) else 0


def part_cell_named(outcome: object) -> PartCell:
    """The cell of a part that an outcome in its place names."""
    if isinstance(outcome, Anything):
        return EVERY_OUTCOME
    return outcome if isinstance(outcome, OneOf) else OneOf((outcome,))


def part_cells_named(template: Hashable, outcome: Any) -> Iterator[PartCell]:
    """For each slot of a part the cell that an outcome of this shape names there."""
    if isinstance(template, PartSlot):
        yield part_cell_named(outcome)
    elif isinstance(template, tuple):
        for inner, given in zip(template, outcome, strict=True):
            yield from part_cells_named(inner, given)


def with_parts(template: Any, contents: Iterator[Any]) -> Any:
    """The template with its slots of parts replaced by `contents`, in order."""
    if isinstance(template, PartSlot):
        return next(contents)
    if isinstance(template, tuple):
        return tuple(with_parts(part, contents) for part in template)
    return template


def count_of(parts: Sequence[PartRelease]) -> int:
    """The number of outcomes that the parts have together."""
    return prod(len(part.probabilities) for part in parts)


def combined(parts: Sequence[PartRelease]) -> Iterator[tuple[tuple[Hashable, ...], tuple[Exact, ...]]]:
    """The outcomes of the parts together, with the probability of each."""
    for chosen in combinations(*(part.probabilities.items() for part in parts)):
        yield tuple(outcome for outcome, _ in chosen), tuple(p for _, p in chosen)


class Merging:
    """Probabilities of outcomes that are added up; those that are equal and not the same are refused."""

    def __init__(self) -> None:
        self._found: dict[Hashable, tuple[Hashable, list[Exact]]] = {}

    def add(self, outcome: Hashable, probability: Exact) -> None:
        """Add a way in which an outcome comes about. Raises `InputError` for a lookalike of one before."""
        known, ways = self._found.setdefault(outcome, (outcome, []))
        if known is not outcome:
            refuse_lookalike(known, outcome)
        ways.append(probability)

    @property
    def probabilities(self) -> dict[Hashable, Exact]:
        """Outcome → the sum."""
        return {outcome: ways[0] if len(ways) == 1 else total(ways) for outcome, (_, ways) in self._found.items()}
