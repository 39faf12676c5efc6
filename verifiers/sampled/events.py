"""Events, chosen on a pilot, so that what is tested afterwards on fresh samples was fixed before.

The cells of a feature are its values where these are few, and else lie between quantiles of the pilot. By the lemma of
Neyman and Pearson the best event holds the cells whose ratio is largest: those are put in one after the other, and the
set is taken that promises most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Final

import numpy as np

from dpverify.mechanisms.exact.shown import cut, shown
from dpverify.verifiers.sampled.features import Feature, Own, features_of
from dpverify.verifiers.sampled.outcomes import Outcomes, joined

_FEW: Final = 256
"""Values of a feature, each of which is a cell; of more, numbers are cut at quantiles, and the rarest are left out."""

_SHARES: Final = (0.0005, 0.001, 0.002, 0.005, *(i / 64 for i in range(1, 64)), 0.995, 0.998, 0.999, 0.9995)


@dataclass(frozen=True)
class Event:
    """Outcomes of which a feature lies in one of some closed intervals, or is one of some values."""

    feature: Feature
    intervals: tuple[tuple[Any, Any], ...] = ()
    values: frozenset[Hashable] = frozenset()

    def count(self, outcomes: Outcomes) -> int:
        """How many of them are in it."""
        found = self.feature.of(outcomes)
        if self.values:
            times = Counter(found.tolist())
            return sum(times[value] for value in self.values)
        return sum(int(np.count_nonzero((low <= found) & (found <= high))) for low, high in self.intervals)

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
class Promise:
    """An event, and what the pilot lets hope for of it: a lower bound on ε after so many draws."""

    event: Event
    promise: float


@dataclass(frozen=True)
class Plan:
    """What events are chosen for: δ, how many draws follow, how many standard errors a bound is to be off, and bits."""

    delta: float
    draws: int
    deviations: float
    low_bits: bool = True


def best_events(left: Outcomes, right: Outcomes, plan: Plan, own: Mapping[str, Own]) -> list[Promise]:
    """For each feature the event that promises the largest ε of `left` against `right`; none where nothing differs."""
    both = joined([left, right])
    found = []
    for feature in features_of(both, own, plan.low_bits):
        values = feature.of(both)
        split = values[: len(left)], values[len(left) :]
        best = _best(feature, *split, plan)
        if best is not None:
            found.append(best)
    return found


def _best(feature: Feature, left: np.ndarray[Any, Any], right: np.ndarray[Any, Any], plan: Plan) -> Promise | None:
    cells = list(_cells_of_objects(left, right) if left.dtype == object else _cells_of_numbers(left, right))
    ones = np.array([cell.left for cell in cells], dtype=np.float64)
    others = np.array([cell.right for cell in cells], dtype=np.float64)
    if not cells:
        return None
    places = np.arange(len(cells))
    of = len(left), len(right)
    by_ratio = _best_first(np.argsort(-(ones + 0.5) / (others + 0.5), kind="stable"), ones, others, of, plan)
    if left.dtype == object:
        promise, order = by_ratio
    else:
        plain = max(
            (_best_first(order, ones, others, of, plan) for order in (places, places[::-1])), key=lambda one: one[0]
        )
        promise, order = by_ratio if by_ratio[0] > _BETTER * plain[0] + _MARGIN else plain
    if promise == -inf:
        return None
    return Promise(_event(feature, [cells[i] for i in order], left.dtype == object), promise)


_BETTER: Final = 1.1
_MARGIN: Final = 0.05
"""By how much cells from here and there have to promise more than a threshold: they fit the pilot's chance, too."""


def _best_first(
    order: np.ndarray[Any, Any],
    ones: np.ndarray[Any, Any],
    others: np.ndarray[Any, Any],
    of: tuple[int, int],
    plan: Plan,
) -> tuple[float, np.ndarray[Any, Any]]:
    """The first few cells in an order that promise most, and what they do."""
    promises = _promised(np.cumsum(ones[order]), np.cumsum(others[order]), *of, plan)
    best = int(np.argmax(promises))
    return float(promises[best]), order[: best + 1]


@dataclass(frozen=True)
class _Cell:
    """A value, or an interval, and how often it was seen on either side."""

    low: Any
    high: Any
    left: int
    right: int


def _cells_of_objects(left: np.ndarray[Any, Any], right: np.ndarray[Any, Any]) -> Iterator[_Cell]:
    ones, others = Counter(left.tolist()), Counter(right.tolist())
    for value, _ in (ones + others).most_common(_FEW):
        yield _Cell(value, value, ones[value], others[value])


def _cells_of_numbers(left: np.ndarray[Any, Any], right: np.ndarray[Any, Any]) -> Iterator[_Cell]:
    """Of a number that is none there is no cell: an event of those would have to name them."""
    both = np.concatenate([left, right])
    both = both[~np.isnan(both)]
    values = np.unique(both)
    if len(values) <= _FEW:
        lows = highs = values
    else:
        highs = np.unique(np.quantile(both, _SHARES, method="inverted_cdf"))
        least, most = (-inf, inf) if both.dtype.kind == "f" else (_LOWEST, _HIGHEST)
        above = np.nextafter(highs, inf) if both.dtype.kind == "f" else highs + 1
        lows, highs = np.concatenate([[least], above]), np.concatenate([highs, [most]])
    for low, high, one, other in zip(
        lows, highs, _counted(left, lows, highs), _counted(right, lows, highs), strict=True
    ):
        yield _Cell(low, high, int(one), int(other))


def _counted(
    values: np.ndarray[Any, Any], lows: np.ndarray[Any, Any], highs: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    sorted_values = np.sort(values[~np.isnan(values)])
    return np.searchsorted(sorted_values, highs, "right") - np.searchsorted(sorted_values, lows, "left")


def _promised(
    ones: np.ndarray[Any, Any], others: np.ndarray[Any, Any], left: int, right: int, plan: Plan
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
        return Event(feature, values=frozenset(cell.low for cell in cells))
    merged: list[tuple[Any, Any]] = []
    for low, high in sorted((_plain(cell.low), _plain(cell.high)) for cell in cells):
        if merged and _follows(merged[-1][1], low):
            merged[-1] = merged[-1][0], high
        else:
            merged.append((low, high))
    return Event(feature, intervals=tuple(merged))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _follows(high: Any, low: Any) -> bool:
    return (
        bool(low == high + 1)
        if isinstance(low, int) and isinstance(high, int)
        else bool(low == np.nextafter(high, inf))
    )
