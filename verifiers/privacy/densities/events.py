"""The witness of a refuted claim on real numbers: boxes with rational ends, inside the set where p > e^ε·q."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, NamedTuple

from dpverify.mechanisms.exact.enclosure import enclosure
from dpverify.mechanisms.exact.exact_numbers import ZERO, Exact, as_parameter, compare, negative, total
from dpverify.mechanisms.exact.exact_numbers import product as multiplied
from dpverify.mechanisms.laws.released import AtLeast, AtMost, frame_in
from dpverify.mechanisms.laws.released_reals import AnyReal, Between, Bound, Interval, RealSlot, Where
from dpverify.verifiers.privacy.densities.boxes import boxes_of_product, simpler
from dpverify.verifiers.privacy.densities.comparison import Densities, Event, OnBox, OnFactor, OnStratum
from dpverify.verifiers.privacy.densities.strata import LawPair, Stratum

_ROOMS: Final = (3, 64, 1 << 12, 1 << 30)
"""By which part of an interval its ends may move inwards, to be simple numbers: as much as the claim allows."""


@dataclass(frozen=True)
class LossAbove:
    """Stands for the outcomes of a shape whose privacy loss between two databases exceeds ε."""

    outcome: Hashable
    epsilon: Exact

    def __str__(self) -> str:
        return f"{self.outcome} of privacy loss above {self.epsilon}"


class Violation(NamedTuple):
    """Outcomes, or what stands for many of them, with the probabilities of all of them together."""

    event: tuple[Any, ...]
    p: Exact
    q: Exact


class _Box(NamedTuple):
    """A box on a stratum, or an outcome: how it reads, and its probabilities."""

    outcome: Any
    p: Exact
    q: Exact


def smallest_violation(densities: Densities, pair: LawPair, epsilon: Exact, factor: Exact, delta: Exact) -> Violation:
    """Outcomes of a pair that violates δ at e^ε = factor, as few as it takes, with ends as simple as can be."""
    events = densities.events(pair, factor).all

    def excess(event: Event | _Box) -> Exact:
        return total((event.p, negative(multiplied((factor, event.q)))))

    positive = [event for event in events if excess(event) > 0]
    positive.sort(key=lambda event: -float(enclosure(excess(event))))
    chosen: list[Event] = []
    reached: Exact = ZERO
    for event in positive:
        chosen.append(event)
        reached = total((reached, excess(event)))
        if reached > delta:
            break
    for room in (*_ROOMS, None):
        boxes = [box for event in chosen for box in _boxes(pair, event, epsilon, factor, delta, room)]
        p, q = (total(masses) for masses in zip(*((box.p, box.q) for box in boxes), strict=True))
        if room is None or compare(total((p, negative(multiplied((factor, q))))), delta) > 0:
            named = _real_alone if densities.has_tails else _as_it_is
            return Violation(tuple(named(box.outcome) for box in boxes), p, q)
    raise AssertionError("the ends themselves violate the claim")


def _boxes(
    pair: LawPair, event: Event, epsilon: Exact, factor: Exact, delta: Exact, room: int | None
) -> Iterator[_Box]:
    if isinstance(event.where, OnFactor):
        yield _within(pair, event.where, room)
    elif isinstance(event.where, OnBox):
        yield _Box(_filled(event.where.template, dict(event.where.cells)), event.p, event.q)
    elif isinstance(event.where, OnStratum):
        stratum = _stratum(pair, event.where.template)
        found = boxes_of_product(*stratum.factors, factor, delta)
        if found is None:
            yield _Box(LossAbove(_filled(stratum.template, {}), epsilon), event.p, event.q)
        else:
            for box in found:
                yield _Box(_filled(stratum.template, dict(box.cells)), box.p, box.q)
    else:
        yield _Box(_filled(event.where, {}), event.p, event.q)


def _stratum(pair: LawPair, template: Hashable) -> Stratum:
    return next(stratum for stratum in pair.strata if stratum.template == template)


def _within(pair: LawPair, where: OnFactor, room: int | None) -> _Box:
    """The outcomes in an interval of one coordinate, its ends moved inwards to simple numbers."""
    stratum = _stratum(pair, where.template)
    weights, factors = stratum.factors
    part = next(part for part in factors if part.coordinate == where.coordinate)
    low, high = where.low, where.high
    if room is not None:
        low, high = simpler(low, high, room)
    p, q = (density.cumulative.between(low, high) for density in (part.p, part.q))
    outcome = _filled(where.template, {where.coordinate: (low, high)})
    return _Box(outcome, multiplied((weights.p, p)), multiplied((weights.q, q)))


def _filled(template: Any, box: Mapping[int, Interval]) -> Any:
    """How the outcomes of a template whose coordinates lie in a box read."""
    frame = frame_in(template)
    if frame is None:
        return template
    if frame.is_plain:
        return _replaced(template, {place: _named(*interval) for place, interval in box.items()})
    bounds: list[Bound] = [(frame.rows[i], *map(_end, box[i])) for i in sorted(box)]
    for tie in frame.ties:  # other data have other lines
        on_line = tuple((1 if place == tie.place else 0) - c for place, c in enumerate(tie.row))
        bounds.append((on_line, tie.offset, tie.offset))
    shape = _replaced(template, {})
    return Where(shape, tuple(bounds)) if bounds else shape


def _as_it_is(outcome: Any) -> Any:
    return outcome


def _real_alone(outcome: Any) -> Any:
    """The same outcomes, named so that released whole numbers are not among them."""
    named = list(_reals_of(outcome))
    if isinstance(outcome, Where) or all(isinstance(number, AnyReal) for number in named):
        return outcome
    bounds: list[Bound] = []
    for place, number in enumerate(named):
        row = tuple(int(i == place) for i in range(len(named)))
        if isinstance(number, Between):
            bounds.append((row, number.low, number.high))
        elif isinstance(number, AtLeast):
            bounds.append((row, number.value, None))
        elif isinstance(number, AtMost):
            bounds.append((row, None, number.value))
    return Where(_with_any(outcome), tuple(bounds))


def _reals_of(outcome: Any) -> Iterator[Between | AtLeast | AtMost | AnyReal]:
    """What stands for real numbers in an outcome: the ends of whole ones have a step."""
    if isinstance(outcome, tuple):
        for part in outcome:
            yield from _reals_of(part)
    elif isinstance(outcome, Between | AnyReal) or (isinstance(outcome, AtLeast | AtMost) and outcome.step is None):
        yield outcome


def _with_any(outcome: Any) -> Any:
    if isinstance(outcome, tuple):
        return tuple(map(_with_any, outcome))
    return AnyReal() if any(True for _ in _reals_of(outcome)) else outcome


def _replaced(template: Any, named: Mapping[int, Any]) -> Any:
    if isinstance(template, RealSlot):
        return named.get(template.place, AnyReal())
    return tuple(_replaced(part, named) for part in template) if isinstance(template, tuple) else template


def _named(low: Exact | None, high: Exact | None) -> Any:
    if low is None and high is None:
        return AnyReal()
    if low is None:
        return AtMost(_readable(high))
    return AtLeast(_readable(low)) if high is None else Between(_readable(low), _readable(high))


def _end(end: Exact | None) -> Any:
    return None if end is None else _readable(end)


def _readable(end: Exact | None) -> Any:
    assert end is not None, "an end that is not infinite"
    value = as_parameter(end)
    return int(value) if isinstance(value, Fraction) and value.denominator == 1 else value
