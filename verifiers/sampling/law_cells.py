"""Cells of a model's law: outcomes merged by the law alone, so that none is rare, each with its exact probability."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import floor, inf, nextafter
from typing import Any, Final

import numpy as np

from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.laws.released import ReleasedDistribution
from dpverify.mechanisms.laws.released_reals import RealSlot
from dpverify.mechanisms.laws.templates import AtMost, Slot
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.errors import InputError
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, exact, total
from dpverify.mechanisms.numbers.shown import cut, shown
from dpverify.verifiers.sampling.outcomes import OutcomeForm, Outcomes, objects, of_form

MOST_CELLS: Final = 32
"""Cells of a law, beside the one of what cannot occur."""

_EXPECTED: Final = 10
"""Draws that a cell is to get on average, at least: others are merged, by the law."""


@dataclass(frozen=True)
class LawCells:
    """Cells in an order: their names, their exact probabilities, and of an array of outcomes how many lie in each.

    The last is of what the model says cannot occur. `ordered` says that the first few together mean something, too.
    """

    names: Sequence[str]
    probabilities: Sequence[Exact]
    counts: Callable[[Outcomes], list[int]]
    ordered: bool


IMPOSSIBLE: Final = "that the model says cannot occur"


def cells_of(law: Distribution[Any], draws: int) -> LawCells:
    """The cells of a law for so many draws. Raises `InputError` where it releases more than one number with noise."""
    if isinstance(law, ReleasedDistribution):
        return _cells_of_numbers(law, draws)
    return _cells_of_outcomes(law.probabilities, draws)


# --- Finitely many outcomes


def _cells_of_outcomes(probabilities: Mapping[Any, Exact], draws: int) -> LawCells:
    ordered = all(isinstance(outcome, int | Fraction) for outcome in probabilities)
    possible = {outcome: p for outcome, p in probabilities.items() if p != 0}
    rising = sorted(possible) if ordered else sorted(possible, key=lambda one: (-_about(possible[one]), repr(one)))
    cells = _merged([((outcome,), possible[outcome]) for outcome in rising], draws)
    place = {outcome: i for i, (outcomes, _) in enumerate(cells) for outcome in outcomes}

    def counts(outcomes: Outcomes) -> list[int]:
        found = [0] * (len(cells) + 1)
        for outcome, times in Counter(objects(outcomes)).items():
            found[place.get(outcome, len(cells))] += times
        return found

    names = [cut(" or ".join(map(shown, outcomes)), _LONGEST) for outcomes, _ in cells]
    return LawCells([*names, IMPOSSIBLE], [*(p for _, p in cells), ZERO], counts, ordered)


_LONGEST: Final = 120


def _merged(
    outcomes: Sequence[tuple[tuple[Hashable, ...], Exact]], draws: int
) -> list[tuple[tuple[Hashable, ...], Exact]]:
    """Neighbours together until each cell is large enough; what is left over goes to the last."""
    least = max(_EXPECTED / draws, 1 / (2 * MOST_CELLS))
    found: list[tuple[tuple[Hashable, ...], Exact]] = []
    open_ones: tuple[Hashable, ...] = ()
    weights: list[Exact] = []
    for names, p in outcomes:
        open_ones, weights = (*open_ones, *names), [*weights, p]
        if sum(map(_about, weights)) >= least:
            found.append((open_ones, total(weights)))
            open_ones, weights = (), []
    if open_ones and found:
        names, p = found.pop()
        open_ones, weights = (*names, *open_ones), [p, *weights]
    return [*found, (open_ones, total(weights))] if open_ones else found


def _about(number: Exact) -> float:
    return float(enclosure(number, 64).mid())


# --- A number with noise


_SHARES: Final = (0.001, 0.005, *(i / 28 for i in range(1, 28)), 0.995, 0.999)


def _cells_of_numbers(law: ReleasedDistribution, draws: int) -> LawCells:
    slots = [slot for slot in law.released if isinstance(slot, Slot | RealSlot)]
    plain = all(isinstance(outcome, int | Fraction) for outcome in law.finite)
    if not plain or len(slots) != 1 or len(law.released) > 1:
        raise InputError(
            "the model releases more than one number with noise: make a claim of each, with outcome= and a model of "
            "that number alone"
        )
    slot = slots[0]
    atoms = {Fraction(outcome): p for outcome, p in law.finite.items() if isinstance(outcome, int | Fraction)}

    @cache
    def up_to(value: float) -> Exact:
        plain = [p for atom, p in atoms.items() if atom <= value]
        return total([law.probability(AtMost(Fraction(value))), *plain])

    edges = sorted({*_quantiles(up_to, slot, draws), *(edge for atom in atoms for edge in _around(atom))})
    below = [ZERO, *map(up_to, edges), exact(1)]
    probabilities = [high - low for low, high in pairwise(below)]
    group = _merged_places([_about(p) if p != 0 else 0.0 for p in probabilities], draws)
    number = 1 + max(group)

    def counts(outcomes: Outcomes) -> list[int]:
        values = _plain_numbers(outcomes)
        usual = values[np.isfinite(values)]
        strange = len(outcomes) - len(usual)
        if isinstance(slot, Slot) and slot.unit == 1 and not slot.offset:
            whole = usual == np.floor(usual)
            strange += int(np.count_nonzero(~whole))
            usual = usual[whole]
        places = np.searchsorted(np.array(edges), usual, side="left")
        found = np.bincount(places, minlength=len(edges) + 1)
        together = [0] * number + [strange]
        for place, times in zip(group, found.tolist(), strict=True):
            together[place] += times  # −1, which is the last, where the law has nothing
        return together

    ends = [-inf, *edges, inf]
    places = [[i for i, one in enumerate(group) if one == cell] for cell in range(number)]
    names = [_between(ends[of[0]], ends[of[-1] + 1], isinstance(slot, Slot)) for of in places]
    sums = [total([probabilities[i] for i in of]) for of in places]
    return LawCells([*names, IMPOSSIBLE], [*sums, ZERO], counts, ordered=True)


def _merged_places(probabilities: Sequence[float], draws: int) -> list[int]:
    """To which cell each interval goes, the rare ones to a neighbour's; −1 where the law has nothing."""
    found: list[int] = []
    weights: list[float] = []
    for p in probabilities:
        rare = bool(weights) and found[-1] >= 0 and min(p, weights[-1]) * draws < _EXPECTED
        if not p:
            found.append(-1)
        elif rare:
            found.append(len(weights) - 1)
            weights[-1] += p
        else:
            found.append(len(weights))
            weights.append(p)
    return found


def _plain_numbers(outcomes: Outcomes) -> np.ndarray[Any, Any]:
    """Those that are numbers. Raises `InputError` where none is: then it is not known what they mean."""
    numbers = of_form(outcomes, OutcomeForm(False, ()))
    if numbers.ndim != 1 or not len(numbers):
        given = shown(objects(outcomes[:1])[0])
        raise InputError(f"the model releases a number, and the sampler gave {given}: say by outcome= what it means")
    return numbers.astype(np.float64)


def _quantiles(up_to: Callable[[float], Exact], slot: Slot | RealSlot, draws: int) -> list[float]:
    """Where the law has these shares below; of whole steps in the middle between two."""
    least = max(_EXPECTED / draws, 0.0)
    low, high = -1.0, 1.0
    while _about(up_to(low)) > _SHARES[0] / 2 and low > -1e15:
        low *= 4
    while _about(up_to(high)) < 1 - _SHARES[0] / 2 and high < 1e15:
        high *= 4
    found = []
    for share in _SHARES:
        if least <= share <= 1 - least:
            found.append(_quantile(up_to, slot, share, low, high))
    return found


def _quantile(up_to: Callable[[float], Exact], slot: Slot | RealSlot, share: float, low: float, high: float) -> float:
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if _about(up_to(middle)) >= share else (middle, high)
    if isinstance(slot, RealSlot):
        return high
    below = floor((Fraction(high) - slot.offset) / slot.unit)
    return float(slot.offset + slot.unit * (below + Fraction(1, 2)))


_STEPS: Final = 24


def _around(atom: Fraction) -> tuple[float, float]:
    """The ends of a cell that holds a plain outcome alone."""
    return nextafter(float(atom), -inf), float(atom)


def _between(low: float, high: float, whole: bool) -> str:
    if whole:
        first, last = (low if low == -inf else floor(low) + 1), (high if high == inf else floor(high))
        return (
            str(first)
            if first == last
            else f"{'≤ ' if first == -inf else f'{first} to '}{last}"
            if last != inf
            else f"≥ {first}"
        )
    if low == -inf:
        return f"≤ {high:.6g}"
    return f"> {low:.6g}" if high == inf else f"in ({low:.6g}, {high:.6g}]"
