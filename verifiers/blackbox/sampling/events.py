"""Events, chosen on a pilot, so that what is tested afterwards on fresh samples was fixed before.

The cells of a feature are its values where these are few, and else lie between quantiles of the pilot. By the lemma of
Neyman and Pearson the best event holds the cells whose ratio is largest: those are put in one after the other, and the
set is taken that promises most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, nextafter
from typing import Any, Final, TypeAlias

import numpy as np

from dpverify.mechanisms.numbers.shown import cut, shown
from dpverify.verifiers.blackbox.sampling.features import Feature, OwnFeature, features_of, whole_outcomes
from dpverify.verifiers.blackbox.sampling.outcomes import (
    OutcomeForm,
    Outcomes,
    concatenated,
    of_form,
    outcome_form,
    quantiles,
)
from dpverify.verifiers.blackbox.sampling.scores import score_of

_FEW: Final = 256
"""Values of a feature, each of which is a cell; of more, numbers are cut at quantiles, and the rarest are left out."""

_SHARES: Final = (0.0005, 0.001, 0.002, 0.005, *(i / 64 for i in range(1, 64)), 0.995, 0.998, 0.999, 0.9995)


@dataclass(frozen=True)
class Event:
    """Outcomes of which a feature lies in one of some closed intervals, or is one of some values."""

    feature: Feature
    intervals: tuple[tuple[Any, Any], ...] = ()
    values: frozenset[Hashable] = frozenset()
    form: OutcomeForm | None = None
    """The form of the outcomes that the feature is of; None where it is of any, as objects."""

    def count(self, outcomes: Outcomes) -> int:
        """The number of them that are in it."""
        outcomes = of_form(outcomes, self.form)
        if self.feature.of is whole_outcomes and outcomes.dtype.kind == "i":  # the same, without an object of each row
            return sum(int(np.count_nonzero((outcomes == np.array(row)).all(axis=1))) for row in self.values)
        result = self.feature.of(outcomes)
        if self.values:
            times = Counter(result.tolist())
            return sum(times[value] for value in self.values)
        return sum(int(np.count_nonzero((low <= result) & (result <= high))) for low, high in self.intervals)

    def __str__(self) -> str:
        name = self.feature.name
        if self.values:
            several = sorted(map(shown, self.values))
            return cut(f"{name} in {{{', '.join(several)}}}", _LONGEST)
        return cut(" or ".join(_said(name, low, high) for low, high in self.intervals), _LONGEST)


_LONGEST: Final = 300


def _said(name: str, low: Any, high: Any) -> str:
    if low == high:
        return f"{name} = {_number(low)}"
    if low in (-inf, _LOWEST):
        return f"{name} ≤ {_number(high)}"
    if high in (inf, _HIGHEST):
        return f"{name} ≥ {_number(low)}"
    return f"{_number(low)} ≤ {name} ≤ {_number(high)}"


_LOWEST: Final = int(np.iinfo(np.int64).min)
_HIGHEST: Final = int(np.iinfo(np.int64).max)


def _number(value: Any) -> str:
    return repr(value.item() if isinstance(value, np.generic) else value)


@dataclass(frozen=True)
class PromisingEvent:
    """An event, and what the pilot lets hope for of it: a lower bound on ε after so many draws."""

    event: Event
    promise: float


@dataclass(frozen=True)
class EventPlan:
    """Setting in which events are chosen: δ, number of draws that follow, standard errors of a bound, and bits."""

    delta: float
    draws: int
    deviations: float
    low_bits: bool = True


def best_events(
    left: Outcomes, right: Outcomes, plan: EventPlan, own: Mapping[str, OwnFeature]
) -> list[PromisingEvent]:
    """For each feature the event that promises the largest ε of `left` against `right`; none where nothing differs.

    One half of the samples says which outcomes go first, and the other half how far to go: what fits one half by chance
    alone promises nothing in the other.
    """
    both = concatenated([left, right])
    left, right = both[: len(left)], both[len(left) :]
    first, second = (_halves(left, right, i) for i in (0, 1))
    learnt = [score_of(*first)] if both.ndim > 1 else []
    promises = (_best(feature, first, second, plan) for feature in [*features_of(both, own, plan.low_bits), *learnt])
    return [promise for promise in promises if promise is not None]


def _halves(left: Outcomes, right: Outcomes, i: int) -> tuple[Outcomes, Outcomes]:
    return left[i::2], right[i::2]


def _best(
    feature: Feature, first: tuple[Outcomes, Outcomes], second: tuple[Outcomes, Outcomes], plan: EventPlan
) -> PromisingEvent | None:
    learnt, tried = ([feature.of(side) for side in half] for half in (first, second))
    of_objects = any(values.dtype == object for values in (*learnt, *tried))
    cells = _values_seen(*learnt) if of_objects else _cells_of_numbers(*learnt)
    if not cells:
        return None
    counts = _times_seen if of_objects else _counted
    ones, others = (counts(values, cells).astype(np.float64) for values in learnt)
    places = np.arange(len(cells))
    orders = [np.argsort(-(ones + 0.5) / (others + 0.5), kind="stable")]
    orders += [] if of_objects else [places, places[::-1]]
    seen = [counts(values, cells).astype(np.float64) for values in tried]
    promise, order = max(
        (_first_few(order, seen, list(map(len, tried)), plan) for order in orders), key=lambda one: one[0]
    )
    if promise == -inf:
        return None
    result = _event(feature, [cells[i] for i in order], of_objects)
    return PromisingEvent(replace(result, form=outcome_form(first[0])), promise)


def _first_few(
    order: np.ndarray[Any, Any], seen: Sequence[np.ndarray[Any, Any]], of: Sequence[int], plan: EventPlan
) -> tuple[float, np.ndarray[Any, Any]]:
    """The first few cells in an order that promise most, and what they do."""
    ones, others = (np.cumsum(times[order]) for times in seen)
    promises = _promised(ones, others, of[0], of[1], plan)
    best = int(np.argmax(promises))
    return float(promises[best]), order[: best + 1]


_Cell: TypeAlias = tuple[Any, Any]
"""The ends of a closed interval, or a value twice."""


def _values_seen(left: np.ndarray[Any, Any], right: np.ndarray[Any, Any]) -> list[_Cell]:
    times = Counter(left.tolist()) + Counter(right.tolist())
    return [(value, value) for value, _ in times.most_common(_FEW)]


def _times_seen(values: np.ndarray[Any, Any], cells: Sequence[_Cell]) -> np.ndarray[Any, Any]:
    times = Counter(values.tolist())
    return np.array([times[value] for value, _ in cells])


def _cells_of_numbers(left: np.ndarray[Any, Any], right: np.ndarray[Any, Any]) -> list[_Cell]:
    """Of a number that is none there is no cell: an event of those would have to name them."""
    both = np.concatenate([left, right])
    both = both[~np.isnan(both)]
    values = np.unique(both)
    if len(values) <= _FEW:
        return [(value, value) for value in values.tolist()]
    least, most = (-inf, inf) if both.dtype.kind == "f" else (_LOWEST, _HIGHEST)
    highs = quantiles(both, _SHARES)
    often = [value for value in highs if value > least and np.count_nonzero(both == value) * _FEW > len(both)]
    below = [np.nextafter(value, -inf) if both.dtype.kind == "f" else value - 1 for value in often]
    highs = np.unique(np.array([*highs, *below], dtype=both.dtype))  # what comes often is a cell of its own
    highs = highs[highs < most]  # nothing is above that, and no cell begins there
    with np.errstate(over="ignore"):  # the next to the largest float is infinite, and a value like any other
        above = np.nextafter(highs, inf) if both.dtype.kind == "f" else highs + 1
    return list(zip([least, *above.tolist()], [*highs.tolist(), most], strict=True))


def _counted(values: np.ndarray[Any, Any], cells: Sequence[_Cell]) -> np.ndarray[Any, Any]:
    in_order = np.sort(values[~np.isnan(values)])
    lows, highs = (np.array(ends, dtype=in_order.dtype) for ends in zip(*cells, strict=True))
    return np.searchsorted(in_order, highs, "right") - np.searchsorted(in_order, lows, "left")


def _promised(
    ones: np.ndarray[Any, Any], others: np.ndarray[Any, Any], left: int, right: int, plan: EventPlan
) -> np.ndarray[Any, Any]:
    """Lower bounds on ε to hope for: by the errors of the draws that follow, and those of the pilot itself."""
    p, q = (ones + 0.5) / (left + 1), (others + 0.5) / (right + 1)  # so that nothing seen is not taken for 0
    z, n = plan.deviations, plan.draws
    below = p - np.sqrt(p * (1 - p) * (z**2 / n + _PILOT**2 / left)) - plan.delta
    above = q + np.sqrt(q * (1 - q) * (z**2 / n + _PILOT**2 / right)) + z**2 / (2 * n)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below > 0, np.log(np.maximum(below, 1e-300) / above), -inf)


_PILOT: Final = 2.0
"""Standard errors that what the pilot found may be off."""


def _event(feature: Feature, cells: Sequence[_Cell], of_objects: bool) -> Event:
    if of_objects:
        return Event(feature, values=frozenset(low for low, _ in cells))
    merged: list[_Cell] = []
    for low, high in sorted(cells):
        if merged and _follows(merged[-1][1], low):
            merged[-1] = merged[-1][0], high
        else:
            merged.append((low, high))
    return Event(feature, intervals=tuple(merged))


def _follows(high: Any, low: Any) -> bool:
    if isinstance(low, int) and isinstance(high, int):
        return low == high + 1
    return bool(low == nextafter(high, inf))
