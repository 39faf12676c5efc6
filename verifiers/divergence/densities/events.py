"""The witness of a refuted claim on real numbers or parts: boxes with rational ends, inside where p > e^ε·q."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from math import floor
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, exact, negative, ordering, total
from dpverify.mechanisms.numbers.exact_numbers import product as multiplied
from dpverify.mechanisms.outputs.loss_events import LossAbove
from dpverify.mechanisms.outputs.ratio_masses import FEW_FACTORS, Simplified
from dpverify.mechanisms.outputs.released import AtomRelease, Release
from dpverify.mechanisms.outputs.released_parts import with_parts
from dpverify.mechanisms.outputs.released_reals import (
    AnyReal,
    Between,
    Bound,
    LinearForm,
    OpenInterval,
    RealSlot,
    Tie,
    Where,
    is_on,
)
from dpverify.mechanisms.outputs.templates import (
    AnyNumber,
    AtMost,
    Cell,
    all_cells_named,
    filled,
    frame_in,
    outcome_of_cell,
    slots_of,
)
from dpverify.mechanisms.outputs.templates import AtLeast as AtLeast  # noqa: PLC0414  # the face has it from here
from dpverify.verifiers.divergence.densities.boxes import (
    Box,
    Choice,
    choices_of_part,
    named,
    positive_boxes,
    readable_end,
    simpler,
)
from dpverify.verifiers.divergence.densities.comparison import Densities, DensityEvent, OnBox, OnComponent, OnFactor
from dpverify.verifiers.divergence.densities.finite import FiniteFactor
from dpverify.verifiers.divergence.densities.mixture_components import DensityFactor, DistributionPair, MixtureComponent
from dpverify.verifiers.divergence.densities.normal import NormalFactor
from dpverify.verifiers.divergence.densities.normal_mixtures import MixtureFactor
from dpverify.verifiers.divergence.output_tables.numbers_apart import anything

_ROOMS: Final = (3, 64, 1 << 12, 1 << 30)
"""Part of an interval by which its ends may move inwards, to be simple numbers: as much as the claim allows."""

_MOST_BOXES: Final = 64
"""Boxes of one witness; where more are needed the set is described."""

_MOST_CUT: Final = 12
"""Factors of which several choices each are combined to boxes: see `positive_boxes`."""

_FINEST: Final = 64
"""Into how many parts a stretch is cut in search of boxes."""


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


def smallest_violation(
    densities: Densities, pair: DistributionPair, epsilon: Exact, factor: Exact, delta: Exact
) -> Violation:
    """Outcomes of a pair that violates δ at e^ε = factor, as few as it takes, with ends as simple as can be."""
    events = densities.events(pair, factor).all

    def excess(event: DensityEvent | _Box) -> Exact:
        return total((event.p, negative(multiplied((factor, event.q)))))

    positive = [event for event in events if excess(event) > 0]
    positive.sort(key=lambda event: -float(enclosure(excess(event))))
    chosen: list[DensityEvent] = []
    reached: Exact = ZERO
    for event in positive:
        chosen.append(event)
        reached = total((reached, excess(event)))
        if reached > delta:
            break
    # of what the chosen events exceed δ by, each that is put in boxes may lose its share
    spare = total((reached, negative(delta))) / len(chosen)
    for room in (*_ROOMS, None):
        boxes = [
            box._replace(outcome=_off_lines(box.outcome, _template_of(event), densities.tied))
            for event in chosen
            for box in _boxes(event, epsilon, factor, total((excess(event), negative(spare))), room)
        ]
        p, q = (total(masses) for masses in zip(*((box.p, box.q) for box in boxes), strict=True))
        if room is None or ordering(total((p, negative(multiplied((factor, q))))), delta) > 0:
            if room is None and ordering(total((p, negative(multiplied((factor, q))))), delta) <= 0:
                raise Undecided(not_known.EVENT_TOO_LARGE)
            named = _real_alone if densities.has_tails else _as_it_is
            return Violation(tuple(named(box.outcome) for box in boxes), p, q)
    raise AssertionError("the ends themselves violate the claim")


def _boxes(event: DensityEvent, epsilon: Exact, factor: Exact, least: Exact, room: int | None) -> Iterator[_Box]:
    if isinstance(event.where, OnFactor):
        yield from _within(event.where, room)
    elif isinstance(event.where, OnBox):
        yield _Box(_filled(event.where.template, dict(event.where.cells)), event.p, event.q)
    elif isinstance(event.where, OnComponent):
        stratum = event.where.stratum
        found = _boxes_of_product(stratum, factor, least)
        if found is None:
            shape = stratum.named({})
            whole = (AnyReal() for _ in slots_of(shape))  # which reads "any", too
            yield _Box(LossAbove(_filled(filled(shape, whole), {}), epsilon), event.p, event.q)
        else:
            yield from found
    else:
        yield _Box(_filled(event.where, {}), event.p, event.q)


def _within(where: OnFactor, room: int | None) -> Iterator[_Box]:
    """The outcomes in an interval of one coordinate, its ends moved inwards to simple numbers."""
    weights, factors = where.stratum.factors
    part = next(
        part
        for part in factors
        if (isinstance(part, DensityFactor | NormalFactor) and part.coordinate == where.coordinate)
        or (isinstance(part, MixtureFactor) and part.coordinates == (where.coordinate,))
    )
    if isinstance(part, NormalFactor | MixtureFactor):
        yield from _within_normal(where, part, room)
        return
    low, high = (None if end is None else exact(end) for end in (where.low, where.high))
    if room is not None:
        low, high = simpler(low, high, room)
    p, q = (density.cumulative.between(low, high) for density in (part.p, part.q))
    outcome = _filled(where.stratum.named({}), {where.coordinate: (low, high)})
    yield _Box(outcome, multiplied((weights.p, p)), multiplied((weights.q, q)))


_NEAR: Final = 64
_FAR: Final = 4_096
"""Whole numbers that are named one by one lie within so many of a centre of noise, unless they are few."""


def _within_normal(where: OnFactor, part: NormalFactor | MixtureFactor, room: int | None) -> Iterator[_Box]:
    """As `_within`, of a coordinate with Gaussian noise; whole numbers between two ends are named one by one."""
    weights, _ = where.stratum.factors
    named = where.stratum.named({})
    if part.scale is not None:
        low, high = (None if end is None else exact(end) for end in (where.low, where.high))
        interval = (low, high) if room is None else _simpler_by_scale(low, high, part.scale, room)
        p, q = (release.probability(interval) for release in (part.p, part.q))  # type: ignore[arg-type]  # real ones
        outcome = _filled(named, {where.coordinate: interval})
        yield _Box(outcome, multiplied((weights.p, p)), multiplied((weights.q, q)))
        return
    first, beyond = (None if end is None else floor(exact(end)) for end in (where.low, where.high))
    cells = list(_named_alone(part, (first, beyond), _FAR if room is None else _NEAR))
    slots = slots_of(named)
    for cell in cells:
        p, q = (release.probability(cell) for release in (part.p, part.q))  # type: ignore[arg-type]  # whole ones
        of_slots: list[Cell] = [(None, None)] * len(slots)
        of_slots[where.coordinate] = cell
        outcome = _filled(filled(named, map(outcome_of_cell, slots, of_slots)), {})
        yield _Box(outcome, multiplied((weights.p, p)), multiplied((weights.q, q)))


def _named_alone(part: NormalFactor | MixtureFactor, cell: Cell, far: int) -> Iterator[Cell]:
    """The whole numbers of a cell one by one, and a tail of it in which all are released, with no plain ones.

    A tail names released numbers, and plain ones that stand in the place of such are outcomes of their own. Between a
    far plain number and the others, what lies far from the noise is left out, as it hardly counts.
    """
    low, high = cell
    ways = [way for mixture in (part.p, part.q) for way, _ in mixture.ways] if isinstance(part, MixtureFactor) else []
    plain = [way.m for way in ways if isinstance(way, AtomRelease) and way.probability(cell) is ONE]
    if low is None or high is None:
        ends = [end for end in (low, high, *plain, *(m + 1 for m in plain)) if end is not None]
        if low is None:
            yield None, min(ends, default=None)
        if high is None and ends:
            yield max(ends), None
        if not ends:
            return
        low, high = min(ends), max(ends)
    if high - low > 2 * far:
        noisy = [way.centre for way in (*ways, part.p, part.q) if isinstance(way, Release)]
        yield from ((m, m + 1) for m in plain if not min(noisy) - far <= m < max(noisy) + far)
        low, high = max(low, min(noisy) - far), min(high, max(noisy) + far)
    yield from ((m, m + 1) for m in range(low, high))


def _simpler_by_scale(low: Exact | None, high: Exact | None, sigma: Exact, room: int) -> OpenInterval:
    """As `simpler`; the end of a half-line moves by a part of the scale of the noise."""
    if low is not None and high is None:
        return simpler(low, low + sigma, room)[0], None
    if high is not None and low is None:
        return None, simpler(high - sigma, high, room)[1]
    return simpler(low, high, room)


def _filled(template: Any, box: Box) -> Any:
    """The outcomes of a template whose coordinates lie in a box, its parts being anything or as they stand."""
    numbers = (AnyNumber(slot.unit, slot.offset) for slot in slots_of(template))
    in_parts = filled(with_parts(template, anything(template)), numbers)
    frame = frame_in(template)
    if frame is None:
        return in_parts
    if frame.is_plain:
        return _replaced(in_parts, {place: named(*interval) for place, interval in box.items()})
    bounds: list[Bound] = [(frame.rows[i], *map(_end, box[i])) for i in sorted(box)]
    for tie in frame.ties:  # other data have other lines
        on_line, value = _line(tie)
        bounds.append((on_line, value, value))
    shape = _replaced(in_parts, {})
    return Where(shape, tuple(bounds)) if bounds else shape


def _template_of(event: DensityEvent) -> Hashable:
    where = event.where
    if isinstance(where, OnFactor | OnComponent):
        return where.stratum.template
    return where.template if isinstance(where, OnBox) else where


def _off_lines(outcome: Any, template: Hashable, tied: Collection[Hashable]) -> Any:
    """The outcomes of a template, named so that those of others are not among them, which lie on lines within it."""
    frame = frame_in(template)
    if frame is None or isinstance(outcome, LossAbove):
        return outcome
    within = [one for one in tied if one != template and all_cells_named(one, outcome) is not None]
    lines = [
        [form for form in map(_line, other.ties) if not is_on(frame, *form)]
        for other in map(frame_in, within)
        if other is not None
    ]
    apart = tuple(dict.fromkeys(forms[0] for forms in lines if forms))
    if not apart:
        return outcome
    alone = _real_alone(outcome)
    return replace(alone, apart=apart) if isinstance(alone, Where) else Where(alone, (), apart)


def _line(tie: Tie) -> tuple[LinearForm, Fraction | Exact]:
    """The linear form of the released numbers that has one value where a number is decided by others."""
    return tuple((1 if place == tie.place else 0) - c for place, c in enumerate(tie.row)), tie.offset


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
    """The stand-ins for real numbers in an outcome: the ends of whole ones have a step."""
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


def _end(end: Exact | None) -> Any:
    return None if end is None else readable_end(end)


# --- Several numbers at once.


def _boxes_of_product(stratum: MixtureComponent, factor: Exact, least: Exact) -> list[_Box] | None:
    """Boxes in which p − e^ε·q is more than `least` together, cut ever finer; None where so many would be needed.

    None of Gaussian noise as well, where the set lies above a plane, and of mixtures.
    """
    weights, factors = stratum.factors
    cut = [part for part in factors if isinstance(part, FiniteFactor | DensityFactor)]
    if len(cut) < len(factors):
        return None
    whole = _widened(stratum, factor)
    if whole is not None and ordering(total((whole.p, negative(multiplied((factor, whole.q))))), least) > 0:
        return [whole]
    if whole is not None and len(cut) > _MOST_CUT:  # the only box that would be tried is what it was widened from
        return None
    fineness = 1 if any(not isinstance(part, FiniteFactor) for part in cut) else _FINEST  # outcomes are not cut
    while fineness <= _FINEST:
        found = positive_boxes(weights, cut, factor, fineness)
        reached: Exact = ZERO
        boxes = []
        for chosen, p, q in islice(found, _MOST_BOXES):
            boxes.append(_box(stratum, chosen, p, q))
            reached = total((reached, p, negative(multiplied((factor, q)))))
            if reached > least:
                return boxes
        fineness *= 2
    return None


def _box(stratum: MixtureComponent, chosen: Sequence[Choice], p: Exact, q: Exact) -> _Box:
    box = {i: interval for choice in chosen for i, interval in choice.box.items()}
    parts = {i: named for choice in chosen for i, named in choice.parts.items()}
    return _Box(_filled(stratum.named(parts), box), p, q)


def _widened(stratum: MixtureComponent, factor: Exact) -> _Box | None:
    """One box of independent parts: of each what makes the ratio largest, or all, as long as p − e^ε·q grows.

    None where there are real numbers as well.
    """
    weights, factors = stratum.factors
    parts = [part for part in factors if isinstance(part, FiniteFactor)]
    if len(parts) < len(factors):
        return None
    best = [choices_of_part(part)[0] for part in parts]
    wider = [Choice({}, {}, *part.masses) for part in parts]
    if len(parts) > FEW_FACTORS:
        best = _masses_seen_to_be_equal(parts, best)

    # about what each is, as logarithms; exactly, once the box is chosen
    before = _logarithms(weights.p, multiplied((factor, weights.q)))
    now = np.array([_logarithms(choice.p, choice.q) for choice in best])
    wide = np.array([_logarithms(choice.p, choice.q) for choice in wider])
    left = np.ones(len(best), dtype=bool)  # the parts that are not wide yet
    while left.any():
        rest = _all_but_one(before, now)
        masses = np.vstack([rest[0] + now[0], (rest + wide)[left]])
        with np.errstate(all="ignore"):
            first, *others = np.subtract(*np.exp(masses - masses[:, 0].max()).T)
        at = int(np.argmax(others))
        if not others[at] > first:
            break
        i = int(np.flatnonzero(left)[at])
        best[i], now[i], left[i] = wider[i], wide[i], False
    p, q = (
        multiplied((weight, *of_choices))
        for weight, of_choices in zip(
            weights, ([choice.p for choice in best], [choice.q for choice in best]), strict=True
        )
    )
    return _box(stratum, best, p, q)


def _masses_seen_to_be_equal(parts: Sequence[FiniteFactor], best: Sequence[Choice]) -> list[Choice]:
    """The outcomes of largest ratio of each part, with masses in their simple form: of many parts most are the same."""
    seen, results = Simplified(), []
    known: dict[Hashable, tuple[Exact, Exact]] = {}
    for part, choice in zip(parts, best, strict=True):
        key = (part.deciding_values if len(part.parts) == 1 else None) or id(choice)
        if key not in known:
            known[key] = seen(choice.p), seen(choice.q)
        results.append(Choice(choice.box, choice.parts, *known[key]))
    return results


_Logarithms: TypeAlias = npt.NDArray[np.float64]
"""About the logarithms of two masses, or of many pairs of them."""


def _logarithms(p: Exact, q: Exact) -> _Logarithms:
    return np.array([-math.inf if mass is ZERO else float(enclosure(mass).log()) for mass in (p, q)])


def _all_but_one(before: _Logarithms, masses: _Logarithms) -> _Logarithms:
    """For each of some masses the product of all the others, and of what is before."""
    rows = np.concatenate((before[np.newaxis], masses, np.zeros((1, 2))))
    from_left, from_right = np.cumsum(rows, axis=0), np.cumsum(rows[::-1], axis=0)[::-1]
    return np.asarray(from_left[:-2] + from_right[2:])
