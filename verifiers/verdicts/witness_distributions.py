"""The distributions of the two databases of a witness, as far as a picture needs them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import ceil
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.numbers.enclosure import decimal, decimal_of_fraction, enclosure
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, negative, total
from dpverify.mechanisms.numbers.shown import cut
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.released import ReleasedDistribution
from dpverify.mechanisms.outputs.released_parts import FromTo, PartSlot
from dpverify.mechanisms.outputs.released_reals import Between, RealSlot
from dpverify.mechanisms.outputs.templates import AtLeast, AtMost, Slot, cells_named
from dpverify.reports.privacy_record import Share, WitnessDistributions
from dpverify.verifiers.readable import readable

MOST_OUTCOMES: Final = 4_096
"""Of a distribution that is looked through."""

MOST_WAYS: Final = 64
"""Outcomes in which those with a released number come about: each stretch is summed over all of them."""

SHOWN: Final = 8
"""Outcomes that are drawn, the event aside."""

STRETCHES: Final = 32
"""Of a line, about."""

_DIGITS: Final = 6

_LONGEST: Final = 60
"""Characters of an outcome."""

_FAR: Final = 40
"""Number of times that a width is doubled in search of the ends of a line."""

_HALVINGS: Final = 3
"""Number of times that the last doubling is halved."""

_REST: Final = 0.01
"""Share of what lies on a line that may lie beyond each end of what is drawn."""

_Law: TypeAlias = Distribution[Any]


def drawn_distributions(left: _Law, right: _Law, event: Sequence[Any]) -> WitnessDistributions | None:
    """Both distributions for a picture; None where there are too many outcomes, or several numbers in one.

    Finite distributions are given outcome by outcome: the event, and what is likeliest beside it. Where a noisy number
    is released, it is the line on which the event lies.
    """
    try:
        if left.is_finite and right.is_finite:
            return _outcomes(left, right, event)
        if max(left.size, right.size) > MOST_WAYS:
            return None
        line = _line(left, right, event)
        return None if line is None else _stretches(left, right, line, event)
    except Exception:  # outcomes are objects of the user's, and a picture is no reason to be without a witness
        return None


def _outcomes(left: _Law, right: _Law, event: Sequence[Any]) -> WitnessDistributions | None:
    if max(left.size, right.size) > MOST_OUTCOMES:
        return None
    p, q = left.probabilities, right.probabilities
    every = list(dict.fromkeys([*p, *q]))
    chance = {one: max(float(enclosure(law[one])) for law in (p, q) if one in law) for one in every}
    hit = set(event)
    likeliest = sorted((one for one in every if one not in hit), key=lambda one: -chance[one])
    kept = {*list(event)[:SHOWN], *likeliest[:SHOWN]}
    shares = [
        Share(
            cut(readable(one), _LONGEST),
            decimal(p.get(one, ZERO), _DIGITS),
            decimal(q.get(one, ZERO), _DIGITS),
            one in hit,
        )
        for one in every
        if one in kept
    ]
    return WitnessDistributions(shares, [], "", len(every) - len(shares))


@dataclass(frozen=True)
class _Line:
    """The place in an outcome of the one number that is noise: the outcome with another one there."""

    outcome: Any
    path: tuple[int, ...]
    unit: Fraction | None
    """Distance between the numbers; None of real ones."""
    start: Fraction
    """One of the numbers, or an end of the event."""

    def with_(self, number: Any) -> Any:
        """The outcome with that in the place of the number."""
        return _with(self.outcome, self.path, number)


def _with(outcome: Any, path: tuple[int, ...], number: Any) -> Any:
    if not path:
        return number
    first, *rest = path
    return tuple(_with(part, tuple(rest), number) if i == first else part for i, part in enumerate(outcome))


def _slots(template: Hashable, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Hashable]]:
    """The places of a template where something is released."""
    if isinstance(template, tuple):
        for i, part in enumerate(template):
            yield from _slots(part, (*path, i))
    elif isinstance(template, Slot | RealSlot | PartSlot):
        yield path, template


def _line(left: _Law, right: _Law, event: Sequence[Any]) -> _Line | None:
    """The line on which the event lies; None where there are several numbers in its outcomes, or none."""
    templates = [one for law in (left, right) if isinstance(law, ReleasedDistribution) for one in law.released]
    for template in templates:
        slots = list(_slots(template))
        if len(slots) != 1 or cells_named(template, event[0]) is None:
            continue
        path, slot = slots[0]
        at = event[0]
        for i in path:
            at = at[i]
        start = _start(at)
        if start is None:
            continue
        if isinstance(slot, Slot):
            place = slot.position(start)
            return (
                None
                if place is None
                else _Line(event[0], path, Fraction(slot.unit), Fraction(slot.value(round(place))))
            )
        if isinstance(slot, RealSlot):
            return _Line(event[0], path, None, start)
    return None


_Below: TypeAlias = Callable[[Fraction], Exact]


def _stretches(left: _Law, right: _Law, line: _Line, event: Sequence[Any]) -> WitnessDistributions | None:
    # up to the stretch's last number: whole ones are cut between two of them
    cuts = line.start if line.unit is None else line.start - line.unit / 2
    p, q = (_below(law, line) for law in (left, right))
    width = line.unit or Fraction(1, 16)
    low, high = (_end(p, q, cuts, width, way) for way in (-1, 1))
    if low is None or high is None:
        return None
    step = (high - low) / STRETCHES
    if line.unit is not None:
        step = line.unit * max(1, ceil(step / line.unit))
    first, last = int((low - cuts) // step), -int((cuts - high) // step)
    ends = [cuts + i * step for i in range(first, last + 1)]
    shares = []
    for begin, end in pairwise(ends):
        left_mass, right_mass = (decimal(total((below(end), negative(below(begin)))), _DIGITS) for below in (p, q))
        shares.append(Share("", left_mass, right_mass, any(_holds(one, line, begin, end) for one in event)))
    decimals = [decimal_of_fraction(end, _DIGITS) for end in ends]
    return WitnessDistributions(shares, decimals, readable(line.with_(_X)), 0)


class _Unknown:
    """Stands for a number in words."""

    def __repr__(self) -> str:
        return "x"


_X: Final = _Unknown()


def _below(law: _Law, line: _Line) -> _Below:
    """The probability that the number is at most that."""
    return cache(lambda number: law.probability(line.with_(AtMost(number))))


def _end(p: _Below, q: _Below, start: Fraction, width: Fraction, way: int) -> Fraction | None:
    """The place, to that side, beyond which little of either distribution is left; None where that is nowhere near."""
    far = width * (1 << _FAR)

    def left(number: Fraction, below: _Below) -> float:
        ends = (below(start - far), below(number)) if way < 0 else (below(number), below(start + far))
        return float(enclosure(total((ends[1], negative(ends[0])))))

    whole = [float(enclosure(total((below(start + far), negative(below(start - far)))))) for below in (p, q)]

    def is_beyond(number: Fraction) -> bool:
        return all(left(number, below) <= _REST * share for below, share in zip((p, q), whole, strict=True))

    widths = [width * (1 << i) for i in range(_FAR)]
    result = next((i for i, far_from in enumerate(widths) if is_beyond(start + way * far_from)), None)
    if result is None:
        return None
    near, beyond = (widths[result - 1] if result else Fraction(0)), widths[result]
    for _ in range(_HALVINGS):
        middle = (near + beyond) / 2
        near, beyond = (near, middle) if is_beyond(start + way * middle) else (middle, beyond)
    return start + way * beyond


def _holds(outcome: Any, line: _Line, begin: Fraction, end: Fraction) -> bool:
    """True where most of a stretch is in an outcome of the event."""
    at = outcome
    for i in line.path:
        if not isinstance(at, tuple) or i >= len(at):
            return False
        at = at[i]
    if outcome != line.with_(at):
        return False
    middle = (begin + end) / 2
    match at:
        case AtLeast():
            return _about(at.value) <= middle
        case AtMost():
            return _about(at.value) >= middle
        case Between() | FromTo():
            return _about(at.low) <= middle <= _about(at.high)
    return isinstance(at, int | Fraction) and begin <= at <= end


def _start(at: object) -> Fraction | None:
    """A number at which what stands for some in an outcome ends; None where it has no end."""
    bound = at.value if isinstance(at, AtLeast | AtMost) else at.low if isinstance(at, Between | FromTo) else at
    return _about(bound) if isinstance(bound, int | Fraction | Exact) else None


def _about(number: Any) -> Fraction:
    return Fraction(decimal(number)) if isinstance(number, Exact) else Fraction(number)
