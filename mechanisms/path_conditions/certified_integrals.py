"""The probability of facts about continuous noise, in a tree, as a ball: integrated cell by cell by Taylor models.

The line is cut into cells at all numbers where a density, or what hangs from a noise, changes its form, and as finely
as the noises vary; the density of each noise on a cell is a polynomial with an error (`taylor_models.py`). A noise Y
that hangs from X by Y − X ≥ t is looked at on the cells moved by t, where its own density times what hangs from it is
integrated: Pr[Y ≥ x + t and all that] is then a model on the cell of x. So depth costs no more than length.

Where a noise is further out than some L, of which the probability τ is next to nothing, its density counts as 0. What
hangs from a noise is a probability given its value, and so lies in [0, 1]: hence each integral is at most τ too small.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cmp_to_key
from itertools import pairwise
from math import sqrt
from typing import Final, NamedTuple

from flint import arb, ctx

from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, exact, negative, ordering, total
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING, Intervals
from dpverify.mechanisms.numbers.roots.taylor_models import (
    TaylorModel,
    constant_model,
    integral,
    integral_up_to,
    product_of_models,
    scaled_model,
    sum_of_models,
    widened_model,
)
from dpverify.mechanisms.path_conditions.certified_densities import GUARD_BITS, Density, TooNear, density_model
from dpverify.mechanisms.path_conditions.certified_nodes import CertifiedNode

_MOST_CELLS: Final = 4_000

_ANYTHING: Final = arb(0.5, 0.5)
"""A ball that holds every probability: for numbers that the precision does not tell apart."""


class _Cell(NamedTuple):
    """The numbers between low and high: middle + radius·u for u from start to end."""

    low: arb
    high: arb
    middle: arb
    radius: arb
    start: arb
    end: arb


def mass_of_reals(root: CertifiedNode, bits: int) -> arb:
    """A ball around the probability of the facts of a tree of continuous noise."""
    accuracy = bits * 3 // 4
    with ctx.workprec(accuracy + GUARD_BITS):
        try:
            return _Integration(root, accuracy).mass()
        except TooNear:
            return _ANYTHING


class _Integration:
    """The integrals over one tree, to about so many bits."""

    def __init__(self, root: CertifiedNode, accuracy: int) -> None:
        self._root = root
        self._accuracy = accuracy
        self._order = 12 + accuracy * 2 // 5
        self._precision = accuracy + GUARD_BITS
        self._densities: dict[str, Density] = {}
        self._known: dict[tuple[str, int, bool], list[TaylorModel]] = {}
        self._shifts: dict[tuple[str, int], tuple[CertifiedNode, Exact]] = {}
        self._collect(root, ZERO)
        self._cells = self._cut()

    def mass(self) -> arb:
        """The probability of all facts."""
        density = self._density(self._root)
        ball = arb(0)
        for cell, model in zip(self._cells, self._models(self._root, ZERO), strict=True):
            if model is not None:
                ball += integral(model, cell.start, cell.end) * cell.radius
        return ball + arb(0).union(density.beyond)

    def _density(self, node: CertifiedNode) -> Density:
        density = self._densities.get(node.noises.name)
        if density is None:
            density = self._densities[node.noises.name] = density_model(node.noises, self._accuracy)
        return density

    def _collect(self, node: CertifiedNode, shift: Exact) -> None:
        """The noises with the shifts at which they are looked at."""
        if (node.name, shift.serial) in self._shifts:
            return  # as all queries of one kind against one threshold are
        self._shifts[node.name, shift.serial] = node, shift
        for branch in node.branches:
            (child,) = branch.children
            for interval in branch.values:
                for end in interval:
                    if end is not None:
                        self._collect(child, total((shift, exact(end))))

    def _cut(self) -> list[_Cell]:
        """The cells, from the lowest number that counts for some noise to the highest one."""
        kinks: list[Exact] = []
        ranges: list[tuple[float, float, float]] = []
        for node, shift in self._shifts.values():
            density = self._density(node)
            known = [exact(end) for interval in node.values for end in interval if end is not None]
            kinks += [total((kink, negative(shift))) for kink in (*density.kinks, *known)]
            at = float(enclosure(shift, self._precision))
            ranges.append((-density.reach - at, density.reach - at, density.width))
        first, last = min(low for low, _, _ in ranges), max(high for _, high, _ in ranges)
        # floats only place the ends of cells, which are balls from here on; the margin is far more than their rounding
        margin = 1e-3 + 2.0**-40 * max(abs(first), abs(last))
        first, last = first - margin, last + margin
        ends = [arb(first)]
        for kink in _sorted(kinks):
            ball = enclosure(kink, self._precision)
            if ball > first and ball < last:
                ends.append(ball)
            elif not (ball < first or ball > last):
                raise TooNear
        ends.append(arb(last))
        points = [ends[0]]
        for low, high in pairwise(ends):
            points += _between(float(low), float(high), ranges)
            points.append(high)
            if len(points) > _MOST_CELLS:
                raise InputError(
                    bad_mechanism.NOT_INTEGRATED,
                    f"Gaussian noise is compared with noise of another scale, over more than {_MOST_CELLS:,} cells",
                )
        return [_cell(low, high) for low, high in pairwise(points)]

    def _models(self, node: CertifiedNode, shift: Exact) -> list[TaylorModel | None]:
        """On each cell the density of a noise at x + shift times the probability of what hangs from it there."""
        density = self._density(node)
        moved = enclosure(shift, self._precision)
        taylor_models: list[TaylorModel | None] = []
        for cell in self._cells:
            middle = cell.middle + moved
            # the cells are cut where the density, and whether a value is possible, change
            is_far = cell.low + moved > density.reach or cell.high + moved < -density.reach
            counts = not is_far and (node.values == EVERYTHING or _is_in(middle, node.values, self._precision))
            taylor_models.append(density.on(middle, cell.radius, self._order) if counts else None)
        for branch in node.branches:
            (child,) = branch.children
            parts: list[list[TaylorModel]] = []
            for low, high in branch.values:
                if high is not None:
                    parts.append(self._integrals(child, total((shift, exact(high))), upwards=False))
                    if low is not None:
                        below = self._integrals(child, total((shift, exact(low))), upwards=False)
                        parts.append([scaled_model(model, arb(-1)) for model in below])
                elif low is not None:
                    parts.append(self._integrals(child, total((shift, exact(low))), upwards=True))
            for i, model in enumerate(taylor_models):
                if model is not None:
                    taylor_models[i] = product_of_models(model, sum_of_models([part[i] for part in parts]), self._order)
        return taylor_models

    def _integrals(self, node: CertifiedNode, shift: Exact, *, upwards: bool) -> list[TaylorModel]:
        """x ↦ the integral of `_models` over all that is below x, or above it; the same for what is alike."""
        key = (node.name, shift.serial, upwards)
        if key not in self._known:
            self._known[key] = self._integrated(node, shift, upwards=upwards)
        return self._known[key]

    def _integrated(self, node: CertifiedNode, shift: Exact, *, upwards: bool) -> list[TaylorModel]:
        models = self._models(node, shift)
        beyond = self._density(node).beyond
        running = arb(0)
        taylor_models: list[TaylorModel] = []
        order = self._cells[::-1] if upwards else self._cells
        for cell, model in zip(order, reversed(models) if upwards else models, strict=True):
            if model is None:
                taylor_models.append(widened_model(constant_model(running), beyond))
                continue
            primitive = integral_up_to(model, cell.end if upwards else cell.start, self._order)
            moved = scaled_model(primitive, -cell.radius if upwards else cell.radius)
            taylor_models.append(widened_model(sum_of_models([moved, constant_model(running)]), beyond))
            running += integral(model, cell.start, cell.end) * cell.radius
        return taylor_models[::-1] if upwards else taylor_models


def _sorted(kinks: Sequence[Exact]) -> list[Exact]:
    """The numbers in rising order, each once."""
    numbers: list[Exact] = []
    for kink in sorted(kinks, key=cmp_to_key(ordering)):
        if not numbers or ordering(numbers[-1], kink) != 0:
            numbers.append(kink)
    return numbers


def _between(low: float, high: float, ranges: Sequence[tuple[float, float, float]]) -> list[arb]:
    """Numbers between two, as near to each other as the noises ask for that count there."""
    balls: list[arb] = []
    at = low
    while len(balls) <= _MOST_CELLS:
        rates = sum(1 / width**2 for start, end, width in ranges if start <= at <= end)
        step = 1 / sqrt(rates) if rates else high - at
        # no cell goes on to where another noise begins to count, of which it may be too long
        starts = [start - at for start, _, _ in ranges if at < start < high]
        step = max(min([step, *starts]), _SHORTEST)
        if not at + (1 if starts else 1.25) * step < high:
            break
        at += step
        balls.append(arb(at))
    return balls


_SHORTEST: Final = 1e-9


def _cell(low: arb, high: arb) -> _Cell:
    if not low < high:
        raise TooNear
    middle = arb(((low + high) / 2).mid())
    radius = arb(max((high - middle).abs_upper(), (middle - low).abs_upper()))
    start, end = (low - middle) / radius, (high - middle) / radius
    return _Cell(low, high, middle, radius, start, end)


def _is_in(middle: arb, values: Intervals, precision: int) -> bool:
    """True where a number that is no end of an interval lies in one of them."""
    for low, high in values:
        above = low is None or _is_above(middle, exact(low), precision)
        if above and (high is None or not _is_above(middle, exact(high), precision)):
            return True
    return False


def _is_above(middle: arb, end: Exact, precision: int) -> bool:
    ball = enclosure(end, precision)
    if middle > ball:
        return True
    if middle < ball:
        return False
    raise TooNear
