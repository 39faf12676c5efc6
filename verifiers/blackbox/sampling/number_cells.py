"""Cells of the law of a number with noise: between its own quantiles, wherever it lies and however wide it is.

Whole steps are counted exactly: an outcome that is between two of them cannot occur. Real numbers come as floats, so
that the distribution has to be wider than these, and one that comes up again and again is not of a distribution without
such values.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import inf, nextafter
from typing import Any, Final

import numpy as np

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, exact, total
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.outputs.released import ReleasedDistribution
from dpverify.mechanisms.outputs.released_reals import RealSlot
from dpverify.mechanisms.outputs.templates import AtMost, Slot
from dpverify.verifiers.blackbox.sampling.cells import (
    EXPECTED,
    IMPOSSIBLE,
    MOST_CELLS,
    DistributionCells,
    Repeats,
    about,
)
from dpverify.verifiers.blackbox.sampling.lattices import lattice_points
from dpverify.verifiers.blackbox.sampling.outcomes import Outcomes, objects

_SHARES: Final = (0.001, 0.005, *(i / 28 for i in range(1, 28)), 0.995, 0.999)


def cells_of_numbers(law: ReleasedDistribution, draws: int) -> DistributionCells:
    """The cells of the distribution of a number. Raises `InputError` for several, and where floats do not hold it."""
    slots = [slot for slot in law.released if isinstance(slot, Slot | RealSlot)]
    plain = all(isinstance(outcome, int | Fraction) for outcome in law.finite)
    if not plain or len(slots) != 1 or len(law.released) > 1:
        raise InputError(
            bad_input.MODEL,
            "the model releases more than one number with noise",
            "make a claim of each, with outcome= and a model of that number alone",
        )
    atoms = {Fraction(outcome): p for outcome, p in law.finite.items() if isinstance(outcome, int | Fraction)}

    @cache
    def up_to(value: Fraction) -> Exact:
        plain = [p for atom, p in atoms.items() if atom <= value]
        return total([law.probability(AtMost(value)), *plain])

    slot = slots[0]
    if isinstance(slot, Slot):
        return _cells_of_steps(slot, sorted(atoms), up_to, draws)
    return _cells_of_reals(sorted(atoms), up_to, draws)


# --- Whole steps


def _cells_of_steps(
    slot: Slot, atoms: Sequence[Fraction], up_to: Callable[[Fraction], Exact], draws: int
) -> DistributionCells:
    def value(place: int) -> Fraction:
        return slot.offset + slot.unit * place

    def below(atom: Fraction) -> Fraction:
        place = (atom - slot.offset) / slot.unit
        return value(-(-place.numerator // place.denominator) - 1)

    def share_below(place: int) -> float:
        return about(up_to(value(place)))

    places = _quantiles(share_below, _shares(draws), 1, 0.0)
    if len(set(places)) == 1:
        places = [places[0] - 1, *places]  # nearly all is at one step, and what is beside it is not to hide it
    edges = sorted({*map(value, places), *(edge for atom in atoms for edge in (below(atom), atom))})
    group, probabilities = _grouped(edges, up_to, draws)

    def counts(outcomes: Outcomes) -> list[int]:
        values = _plain_numbers(outcomes)
        points, times = lattice_points(values, slot, atoms)
        results = [bisect_left(edges, point) for point in points]
        together = [0] * (max(group) + 2)
        for place, often in zip(results, times, strict=True):
            together[group[place]] += often  # −1, which is the last, where the distribution has nothing
        together[-1] += len(outcomes) - sum(times)
        return together

    ends = [None, *edges, None]
    on_the_way = {
        cell: (ends[group.index(cell)], ends[len(group) - group[::-1].index(cell)]) for cell in range(max(group) + 1)
    }
    names = [_steps(low, high, slot) for low, high in on_the_way.values()]
    return DistributionCells([*names, IMPOSSIBLE], [*probabilities, ZERO], counts, ordered=True)


def _steps(low: Fraction | None, high: Fraction | None, slot: Slot) -> str:
    """The first step above one edge to the last up to another; an edge may lie between two, at a plain outcome."""
    if low is None and high is None:
        return "any step"
    if low is None:
        return f"≤ {high}"
    first = low + slot.unit
    if high is None:
        return f"≥ {first}"
    return str(high) if first >= high else f"{first} to {high}"


# --- Real numbers


def _cells_of_reals(atoms: Sequence[Fraction], up_to: Callable[[Fraction], Exact], draws: int) -> DistributionCells:
    def share_below(order: int) -> float:
        return about(up_to(Fraction(float_at(order))))

    around = [_around(atom) for atom in atoms]
    known = [float_place(end) for pair in around for end in pair]
    orders = _quantiles(share_below, _shares(draws), float_place(1.0), _NEAR, known)
    floats = sorted({*map(float_at, orders), *(end for pair in around for end in pair)})
    edges = [Fraction(edge) for edge in floats]
    group, probabilities = _grouped(edges, up_to, draws)
    _heed_width(floats, around, up_to)

    def counts(outcomes: Outcomes) -> list[int]:
        usual = _finite(outcomes)
        result = np.bincount(np.searchsorted(np.array(floats), usual, side="left"), minlength=len(floats) + 1)
        together = [0] * (max(group) + 2)
        for place, times in zip(group, result.tolist(), strict=True):
            together[place] += times  # −1, which is the last, where the distribution has nothing
        together[-1] += len(outcomes) - len(usual)
        return together

    ends = [-inf, *floats, inf]
    places = [[i for i, one in enumerate(group) if one == cell] for cell in range(max(group) + 1)]
    names = [_interval(ends[of[0]], ends[of[-1] + 1]) for of in places]
    spread = Fraction(float_at(max(orders))) - Fraction(float_at(min(orders)))
    return DistributionCells(
        [*names, IMPOSSIBLE],
        [*probabilities, ZERO],
        counts,
        ordered=True,
        repeats=_repeats_of(around, up_to, float(spread * _SAME)),
    )


def _around(atom: Fraction) -> tuple[float, float]:
    """The ends of a cell that holds a plain outcome alone, or the floats on both sides of it."""
    near = float(atom)
    return nextafter(near, -inf), near if Fraction(near) >= atom else nextafter(near, inf)


def _heed_width(
    edges: Sequence[float], around: Sequence[tuple[float, float]], up_to: Callable[[Fraction], Exact]
) -> None:
    """Raises `InputError` where much of a distribution lies between few floats, to which a library can but round."""
    for low, high in pairwise(edges):
        steps = float_place(high) - float_place(low)
        if steps < _STEPS and (low, high) not in around:
            share = about(up_to(Fraction(high))) - about(up_to(Fraction(low)))
            if share > _MUCH:
                raise InputError(
                    bad_input.MODEL,
                    f"the model has {share:.2g} of its mass from {shown(low)} to {shown(high)}, on {steps} floats",
                    "draw from databases whose answer is nearer to 0, or use a larger scale",
                )


_STEPS: Final = 64
"""Floats that are to lie in a cell: so many more than what is rounded to its ends that this is not seen."""

_MUCH: Final = 1 / 200


def _interval(low: float, high: float) -> str:
    if low == -inf:
        return f"≤ {_shown(high)}"
    return f"> {_shown(low)}" if high == inf else f"in ({_shown(low)}, {_shown(high)}]"


def _shown(value: float) -> str:
    """Few digits where these are all."""
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


def float_place(value: float) -> int:
    """The place of a float among all of them, from 0 at 0: those of neighbours differ by 1."""
    bits = int(np.float64(value).view(np.int64))
    return bits if bits >= 0 else -(bits & _REST)


def float_at(place: int) -> float:
    """The float at a place."""
    size = float(np.int64(abs(place)).view(np.float64))
    return size if place >= 0 else -size


_REST: Final = (1 << 63) - 1


# --- Values that come up again


_SAME: Final = Fraction(1, 1 << 20)
"""Share of the distribution's spread within which numbers are taken for one value, as where floats are short."""

_MOST_VALUES: Final = 64


def _repeats_of(around: Sequence[tuple[float, float]], up_to: Callable[[Fraction], Exact], width: float) -> Repeats:
    def of(outcomes: Outcomes) -> list[float]:
        values, times = np.unique(_finite(outcomes), return_counts=True)
        for low, high in around:
            times[(values >= low) & (values <= high)] = 0
        often = [i for i in np.argsort(-times, kind="stable")[:_MOST_VALUES].tolist() if times[i] > 1]
        return [float(value) for value in values[often]]

    def near(values: Sequence[float]) -> tuple[Exact, Callable[[Outcomes], int]]:
        merged: list[tuple[float, float]] = []
        for low, high in sorted((one - _half(one), one + _half(one)) for one in values):
            merged[-1:] = (
                [(merged[-1][0], max(high, merged[-1][1]))]
                if merged and low <= merged[-1][1]
                else [*merged[-1:], (low, high)]
            )
        p = total([up_to(Fraction(high)) - up_to(Fraction(low)) for low, high in merged])

        def count(outcomes: Outcomes) -> int:
            usual = _finite(outcomes)
            return sum(int(np.count_nonzero((usual > low) & (usual <= high))) for low, high in merged)

        return p, count

    def _half(value: float) -> float:
        return max(width, 8 * float(np.spacing(abs(value))))

    return Repeats(of, near)


# --- What both need


def _shares(draws: int) -> list[float]:
    least = EXPECTED / draws
    return [share for share in _SHARES if least <= share <= 1 - least]


_NEAR: Final = 1 / 8
"""Part of a share, or of what is above it, by which a quantile of real numbers may be off: it is a place to cut."""


def _quantiles(
    share_below: Callable[[int], float], shares: Sequence[float], first: int, near: float, known: Sequence[int] = ()
) -> list[int]:
    """For each share, rising, the first place that it is reached at, or one with nearly that share."""
    points = [(place, share_below(place)) for place in sorted(set(known))]

    def look(place: int) -> float:
        quantiles = share_below(place)
        insort(points, (place, quantiles))
        return quantiles

    low, high = -first, first
    while look(low) > shares[0] / 2:
        low = low * 2 if first == 1 else _further(low)
    while look(high) < 1 - shares[0] / 2:
        high = high * 2 if first == 1 else _further(high)
    return [_quantile(points, look, share, near * min(share, 1 - share)) for share in shares]


def _further(place: int) -> int:
    """Distance of a float four times as large, or of the largest."""
    return float_place(max(min(4 * float_at(place), _LARGEST), -_LARGEST))


_LARGEST: Final = float(np.finfo(np.float64).max)


def _quantile(points: Sequence[tuple[int, float]], look: Callable[[int], float], share: float, near: float) -> int:
    while True:
        i = next(i for i, (_, result) in enumerate(points) if result >= share)
        (low, _), (high, result) = points[i - 1], points[i]
        if high - low <= 1 or result - share <= near:
            return high
        look((low + high) // 2)


def _grouped(
    edges: Sequence[Fraction], up_to: Callable[[Fraction], Exact], draws: int
) -> tuple[list[int], list[Exact]]:
    """The cell of each interval, the rare ones in a neighbour's, and the probability of each cell."""
    below = [ZERO, *map(up_to, edges), exact(1)]
    probabilities = [high - low for low, high in pairwise(below)]
    sizes = [max(about(p), _LEAST) if p != 0 else 0.0 for p in probabilities]
    least = EXPECTED / draws
    group = _merged_places(sizes, least, False)
    while max(group) >= MOST_CELLS:
        least *= 2
        group = _merged_places(sizes, least, True)
    sums = [
        total([p for p, cell in zip(probabilities, group, strict=True) if cell == i]) for i in range(max(group) + 1)
    ]
    return group, sums


_LEAST: Final = 1e-300


def _merged_places(sizes: Sequence[float], least: float, across: bool) -> list[int]:
    """The cell of each interval, rare ones in one; `across`, any in a rare one. −1 where no probability is."""
    numbers: list[int] = []
    weights: list[float] = []
    for p in sizes:
        rare = bool(weights) and (across or (numbers[-1] >= 0 and p < least)) and weights[-1] < least
        if not p:
            numbers.append(-1)
        elif rare:
            numbers.append(len(weights) - 1)
            weights[-1] += p
        else:
            numbers.append(len(weights))
            weights.append(p)
    return numbers


def _plain_numbers(outcomes: Outcomes) -> np.ndarray[Any, Any]:
    """Those that are numbers, as they are. Raises `InputError` where none is: then it is not known what they mean."""
    if outcomes.dtype != object and outcomes.ndim == 1:
        return outcomes
    results = [each for each in objects(outcomes) if isinstance(each, int | float | Fraction | Decimal)]
    if not results:
        given = shown(objects(outcomes[:1])[0])
        raise InputError(bad_input.MODEL, f"the model releases a number, and the sampler gave {given}", "give outcome=")
    numbers = np.empty(len(results), dtype=object)
    numbers[:] = results
    return numbers


def _finite(outcomes: Outcomes) -> np.ndarray[Any, Any]:
    """Numbers as floats, without those that are infinite or none."""
    numbers = _plain_numbers(outcomes)
    if numbers.dtype == object:
        numbers = np.array([float(each) if abs(each) <= _LARGEST else inf for each in numbers.tolist()])
    floats = numbers.astype(np.float64)
    array: np.ndarray[Any, Any] = floats[np.isfinite(floats)]
    return array
