"""The probability of facts about continuous noise, in a tree, as a ball: integrated cell by cell by Taylor models.

The line is cut into cells at all numbers where a density, or what hangs from a noise, changes its form, and as finely
as the noises vary; the density of each noise on a cell is a polynomial with an error (`taylor_models.py`). A noise Y
that hangs from X by Y − X ≥ t is looked at on the cells moved by t, where its own density times what hangs from it is
integrated: Pr[Y ≥ x + t and all that] is then a model on the cell of x. So depth costs no more than length.

Where a noise is further out than some L, of which the probability τ is next to nothing, its density counts as 0. What
hangs from a noise is a probability given its value, and so lies in [0, 1]: hence each integral is at most τ too small.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cmp_to_key
from itertools import pairwise
from math import log, sqrt
from typing import TYPE_CHECKING, Final, NamedTuple

from flint import arb, ctx

from dpverify.mechanisms.exact.enclosure import enclosure
from dpverify.mechanisms.exact.errors import InputError
from dpverify.mechanisms.exact.exact_numbers import ZERO, Exact, compare, exact, negative, total
from dpverify.mechanisms.exact.exponential_polynomials import Piecewise
from dpverify.mechanisms.exact.intervals import EVERYTHING, Intervals
from dpverify.mechanisms.exact.taylor_models import (
    TaylorModel,
    added,
    constant,
    exponential,
    integral,
    integral_up_to,
    power_of_affine,
    product,
    scaled,
    within,
)
from dpverify.mechanisms.laws.noise_tree import shared_noise

if TYPE_CHECKING:
    from dpverify.mechanisms.laws.certified_trees import Node, Noises

_GUARD: Final = 40
"""Bits of the arithmetic beyond those that are asked for."""

_MOST_CELLS: Final = 4_000

_ANYTHING: Final = arb(0.5, 0.5)
"""What holds every probability: for numbers that the precision does not tell apart."""


class _TooNear(Exception):
    """Balls at this precision do not tell the order of two numbers."""


class _Cell(NamedTuple):
    """The numbers between low and high: middle + radius·u for u from start to end."""

    low: arb
    high: arb
    middle: arb
    radius: arb
    start: arb
    end: arb


def mass_of_reals(root: Node, bits: int) -> arb:
    """A ball around the probability of the facts of a tree of continuous noise."""
    accuracy = bits * 3 // 4
    with ctx.workprec(accuracy + _GUARD):
        try:
            return _Integration(root, accuracy).mass()
        except _TooNear:
            return _ANYTHING


class _Integration:
    """The integrals over one tree, to about so many bits."""

    def __init__(self, root: Node, accuracy: int) -> None:
        self._root = root
        self._accuracy = accuracy
        self._order = 12 + accuracy * 2 // 5
        self._precision = accuracy + _GUARD
        self._densities: dict[str, _Density] = {}
        self._known: dict[tuple[str, int, bool], list[TaylorModel]] = {}
        self._shifts: dict[tuple[str, int], tuple[Node, Exact]] = {}
        self._collect(root, ZERO)
        self._cells = self._cut()

    def mass(self) -> arb:
        """The probability of all facts."""
        density = self._density(self._root)
        found = arb(0)
        for cell, model in zip(self._cells, self._models(self._root, ZERO), strict=True):
            if model is not None:
                found += integral(model, cell.start, cell.end) * cell.radius
        return found + arb(0).union(density.beyond)

    def _density(self, node: Node) -> _Density:
        found = self._densities.get(node.noises.name)
        if found is None:
            found = self._densities[node.noises.name] = _density_of(node.noises, self._accuracy)
        return found

    def _collect(self, node: Node, shift: Exact) -> None:
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
        first, last = min(low for low, _, _ in ranges) - 1e-3, max(high for _, high, _ in ranges) + 1e-3
        ends = [arb(first)]
        for kink in _sorted(kinks):
            ball = enclosure(kink, self._precision)
            if ball > first and ball < last:
                ends.append(ball)
            elif not (ball < first or ball > last):
                raise _TooNear
        ends.append(arb(last))
        points = [ends[0]]
        for low, high in pairwise(ends):
            points += _between(float(low), float(high), ranges)
            points.append(high)
            if len(points) > _MOST_CELLS:
                raise InputError(
                    f"Gaussian noise is compared with other noise in a way that takes more than {_MOST_CELLS:,} cells "
                    "to integrate: their scales, or the thresholds, are too far apart"
                )
        return [_cell(low, high) for low, high in pairwise(points)]

    def _models(self, node: Node, shift: Exact) -> list[TaylorModel | None]:
        """On each cell the density of a noise at x + shift times the probability of what hangs from it there."""
        density = self._density(node)
        moved = enclosure(shift, self._precision)
        found: list[TaylorModel | None] = []
        for cell in self._cells:
            middle = cell.middle + moved
            # the cells are cut where the density, and whether a value is possible, change
            is_far = cell.low + moved > density.reach or cell.high + moved < -density.reach
            counts = not is_far and (node.values == EVERYTHING or _is_in(middle, node.values, self._precision))
            found.append(density.on(middle, cell.radius, self._order) if counts else None)
        for branch in node.branches:
            (child,) = branch.children
            parts: list[list[TaylorModel]] = []
            for low, high in branch.values:
                if high is not None:
                    parts.append(self._integrals(child, total((shift, exact(high))), upwards=False))
                    if low is not None:
                        below = self._integrals(child, total((shift, exact(low))), upwards=False)
                        parts.append([scaled(model, arb(-1)) for model in below])
                elif low is not None:
                    parts.append(self._integrals(child, total((shift, exact(low))), upwards=True))
            for i, model in enumerate(found):
                if model is not None:
                    found[i] = product(model, added([part[i] for part in parts]), self._order)
        return found

    def _integrals(self, node: Node, shift: Exact, *, upwards: bool) -> list[TaylorModel]:
        """X ↦ the integral of `_models` over all that is below x, or above it; the same for what is alike."""
        key = (node.name, shift.serial, upwards)
        if key not in self._known:
            self._known[key] = self._integrated(node, shift, upwards=upwards)
        return self._known[key]

    def _integrated(self, node: Node, shift: Exact, *, upwards: bool) -> list[TaylorModel]:
        models = self._models(node, shift)
        beyond = self._density(node).beyond
        running = arb(0)
        found: list[TaylorModel] = []
        order = self._cells[::-1] if upwards else self._cells
        for cell, model in zip(order, reversed(models) if upwards else models, strict=True):
            if model is None:
                found.append(within(constant(running), beyond))
                continue
            primitive = integral_up_to(model, cell.end if upwards else cell.start, self._order)
            moved = scaled(primitive, -cell.radius if upwards else cell.radius)
            found.append(within(added([moved, constant(running)]), beyond))
            running += integral(model, cell.start, cell.end) * cell.radius
        return found[::-1] if upwards else found


def _sorted(kinks: Sequence[Exact]) -> list[Exact]:
    """The numbers in rising order, each once."""
    found: list[Exact] = []
    for kink in sorted(kinks, key=cmp_to_key(compare)):
        if not found or compare(found[-1], kink) != 0:
            found.append(kink)
    return found


def _between(low: float, high: float, ranges: Sequence[tuple[float, float, float]]) -> list[arb]:
    """Numbers between two, as near to each other as the noises ask for that count there."""
    found: list[arb] = []
    at = low
    while len(found) <= _MOST_CELLS:
        rates = sum(1 / width**2 for start, end, width in ranges if start <= at <= end)
        step = 1 / sqrt(rates) if rates else high - at
        # no cell goes on to where another noise begins to count, of which it may be too long
        starts = [start - at for start, _, _ in ranges if at < start < high]
        step = max(min([step, *starts]), _SHORTEST)
        if not at + (1 if starts else 1.25) * step < high:
            break
        at += step
        found.append(arb(at))
    return found


_SHORTEST: Final = 1e-9


def _cell(low: arb, high: arb) -> _Cell:
    if not low < high:
        raise _TooNear
    middle = arb(((low + high) / 2).mid())
    radius = arb(max((high - middle).abs_upper(), (middle - low).abs_upper()))
    start, end = (low - middle) / radius, (high - middle) / radius
    return _Cell(low, high, middle, radius, start, end)


def _is_in(middle: arb, values: Intervals, precision: int) -> bool:
    """Whether a number that is no end of an interval lies in one of them."""
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
    raise _TooNear


class _Density(NamedTuple):
    """The density of a noise: where it changes its form, how far out it counts, and its models."""

    kinks: Sequence[Exact]
    reach: float
    beyond: arb
    """A bound of the probability of being further out."""
    width: float
    """On what length it varies."""
    on: Callable[[arb, arb, int], TaylorModel]
    """The model on middle + radius·u, of so high an order."""


def _density_of(noises: Noises, accuracy: int) -> _Density:
    if not noises.others:
        assert noises.sigma is not None, "there is some noise"
        return _normal(noises.sigma, accuracy)
    if noises.sigma is None:
        return _piecewise(noises, accuracy)
    return _mixed(noises, accuracy)


def _normal(sigma: Exact, accuracy: int) -> _Density:
    """That of Gaussian noise: on a cell, exp(-(m + r·u)²/(2σ²)) is exp(-m²/(2σ²) - (m·r/σ²)·u - (r²/(2σ²))·u²)."""
    scale = enclosure(sigma, accuracy + _GUARD)
    reach = float(scale) * sqrt(2 * log(2) * (accuracy + 8))
    height = 1 / (scale * (2 * arb.pi()).sqrt())

    def on(middle: arb, radius: arb, order: int) -> TaylorModel:
        m, r = middle / scale, radius / scale
        return exponential(height * (-m * m / 2).exp(), -m * r, -r * r / 2, order)

    beyond = (arb(reach) / (scale * arb(2).sqrt())).erfc()
    return _Density((), reach, beyond.abs_upper(), float(scale), on)


def _piecewise(noises: Noises, accuracy: int) -> _Density:
    """That of noise whose density is polynomials times exponentials."""
    precision = accuracy + _GUARD
    density = _exact_density(noises)
    reach, beyond, width = _reach(density, accuracy)
    breaks = [enclosure(exact(kink), precision) for kink in density.breaks]

    def on(middle: arb, radius: arb, order: int) -> TaylorModel:
        piece = density.pieces[_place(middle, breaks)]
        terms = []
        for (rate, k), c in piece.items():
            slope = enclosure(rate, precision)
            model = exponential(enclosure(c, precision) * (slope * middle).exp(), slope * radius, arb(0), order)
            terms.append(product(model, power_of_affine(middle, radius, k, order), order) if k else model)
        return added(terms) if terms else constant(arb(0))

    return _Density([exact(kink) for kink in density.breaks], reach, beyond, width, on)


def _mixed(noises: Noises, accuracy: int) -> _Density:
    """That of Gaussian noise plus noise whose density is exponentials c·e^(λx) on pieces [a, b).

    ∫_a^b c·e^(λx)·φ((y − x)/σ)/σ dx = c·e^(λy + λ²σ²/2)·(Φ((b − y − λσ²)/σ) − Φ((a − y − λσ²)/σ)), by completing the
    square; and as a function of y each Φ is an integral of a density that is modelled as above.
    """
    assert noises.sigma is not None
    precision = accuracy + _GUARD
    exactly = _exact_density(noises)
    if any(k for piece in exactly.pieces for _, k in piece):
        raise InputError(
            "Gaussian noise was added to several noises of other kinds of one scale, and compared with other noise: so "
            "far one of another kind is added to it"
        )
    sigma = enclosure(noises.sigma, precision)
    normal = _normal(noises.sigma, accuracy)
    reach, beyond, width = _reach(exactly, accuracy)
    breaks = [None, *(enclosure(exact(kink), precision) for kink in exactly.breaks), None]

    def on(middle: arb, radius: arb, order: int) -> TaylorModel:
        terms = []
        for low, high, piece in zip(breaks, breaks[1:], exactly.pieces, strict=False):
            for (rate, _), c in piece.items():
                slope = enclosure(rate, precision)
                moved = slope * sigma * sigma
                height = enclosure(c, precision) * (slope * middle + slope * moved / 2).exp()
                factor = exponential(height, slope * radius, arb(0), order)
                parts = []
                if high is not None:
                    parts.append(_distribution(high - moved - middle, radius, sigma, normal, order))
                else:
                    parts.append(constant(arb(1)))
                if low is not None:
                    below = _distribution(low - moved - middle, radius, sigma, normal, order)
                    parts.append(scaled(below, arb(-1)))
                if high is None and low is not None:  # 1 - Φ as one number, which is small where it is
                    parts = [_distribution(middle - low + moved, radius, sigma, normal, order, rising=True)]
                terms.append(product(factor, added(parts), order))
        return added(terms)

    return _Density((), reach + normal.reach, beyond + normal.beyond, min(width, normal.width), on)


def _distribution(
    at: arb, radius: arb, sigma: arb, normal: _Density, order: int, *, rising: bool = False
) -> TaylorModel:
    """U ↦ Φ((at − radius·u)/σ), or where it rises Φ((at + radius·u)/σ)."""
    value = (-at / (sigma * arb(2).sqrt())).erfc() / 2
    step = radius if rising else -radius
    slope = integral_up_to(normal.on(at, step, order), arb(0), order)
    return added([constant(value), scaled(slope, step)])


def _exact_density(noises: Noises) -> Piecewise:
    if any(law.is_certified for law, _ in noises.others):
        raise InputError("noise without a density in closed form was added to other noise, and compared with noise")
    return shared_noise(noises.others, EVERYTHING, ()).density


def _reach_of(density: Piecewise, accuracy: int) -> tuple[float, arb]:
    precision = accuracy + _GUARD
    cumulative, reach = density.cumulative, 1.0
    while True:
        end = exact(int(reach)) if reach >= 1 else exact(1)
        beyond = enclosure(total((cumulative.between(None, negative(end)),)), precision)
        beyond += enclosure(total((density.mass, negative(cumulative.at(end)))), precision)
        if abs(beyond) < arb(2) ** -(accuracy + 8):
            return reach, beyond.abs_upper()
        if reach > 2**60:
            raise InputError("noise whose tails fall off too slowly was compared with Gaussian noise")
        reach *= 1.5


def _reach(density: Piecewise, accuracy: int) -> tuple[float, arb, float]:
    """How far out a density counts, what lies beyond, and on what length it varies."""
    reach, beyond = _reach_of(density, accuracy)
    rates = [abs(float(enclosure(rate))) for piece in density.pieces for rate, _ in piece]
    width = 2 / max(rates) if any(rates) else 2 * reach
    return float(int(reach)), beyond, width


def _place(middle: arb, breaks: Sequence[arb]) -> int:
    for i, end in enumerate(breaks):
        if middle < end:
            return i
        if not middle > end:
            raise _TooNear
    return len(breaks)
