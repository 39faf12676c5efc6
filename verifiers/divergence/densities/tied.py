"""Released numbers that one noise ties to each other: the largest p/q, and boxes on which p > e^ε·q.

Let w_i = z_i + b_i be the numbers as bounds of the hub, and m the least of them: the density is ∏ f_i(w_i)·H(m), with
the hub's mass H below m. If w_i is the least, the others may be whatever lies above it, so that the largest ratio is
that over i and m of p/q of H(m)·f_i(m), times the largest p/q of each f_j(w) for w ≥ m: one number is left.

Needed by the claim LSL-Alg3.privacy.claimed-twice.
"""

from collections.abc import Iterator, Sequence
from functools import cmp_to_key
from itertools import pairwise, product
from typing import Final, NamedTuple

from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, exact, negative, ordering
from dpverify.mechanisms.numbers.exact_numbers import product as multiplied
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise
from dpverify.mechanisms.outputs.released_reals import OpenInterval
from dpverify.mechanisms.outputs.tied_reals import StarLeaf, TiedReals
from dpverify.verifiers.divergence.densities.cells import RatioBound, common_stretches, larger, largest_density_ratio

_MOST_BOXES: Final = 4_096
_FURTHEST: Final = 8
"""Number of times that the outermost ends are moved out, to twice their distance, in search of a box."""


class TiedFactor(NamedTuple):
    """Coordinates that are tied to each other, under both distributions."""

    coordinates: tuple[int, ...]
    p: TiedReals
    q: TiedReals


def largest_tied_ratio(p: TiedReals, q: TiedReals) -> RatioBound | None:
    """The least upper bound of p/q; None for ∞. Raises `Undecided` where the shape is another one than above."""
    if not all(_alike(mine, theirs) for mine, theirs in zip(p.arms, q.arms, strict=True)):
        raise Undecided(not_known.TIED, ", as they bound one noise from both sides, or otherwise on other data")
    hubs = p.hub.cumulative, q.hub.cumulative
    arms = [(_at_bound(mine), _at_bound(theirs)) for mine, theirs in zip(p.arms, q.arms, strict=True)]
    best: RatioBound | None = None
    for i in range(len(arms)):
        above, below = hubs[0].times(arms[i][0]), hubs[1].times(arms[i][1])
        constants: list[RatioBound] = []
        for j, (mine, theirs) in enumerate(arms):
            if j != i:
                way = _direction(mine, theirs)
                if way < 0:
                    above, below = above.times(mine), below.times(theirs)
                elif way > 0:
                    constants.append(_last_ratio(mine, theirs))
        result = largest_density_ratio(above, below)
        if result is None:
            return None
        whole = RatioBound(
            multiplied((result.above, *(constant.above for constant in constants))),
            multiplied((result.below, *(constant.below for constant in constants))),
            result.slack,
        )
        best = whole if best is None else larger(best, whole)
    return best


def _alike(mine: StarLeaf, theirs: StarLeaf) -> bool:
    return mine.is_above_hub and theirs.is_above_hub and mine.bound == theirs.bound


def _at_bound(arm: StarLeaf) -> Piecewise:
    """The density of w = z + bound."""
    return arm.density.composed(ONE, negative(arm.bound))


def _direction(p: Piecewise, q: Piecewise) -> int:
    """1 where p/q never falls, -1 where it never rises, 0 where it is constant. Raises `Undecided` elsewhere."""
    ways = set()
    for stretch in common_stretches(p, q):
        if not stretch.is_exponential:
            raise Undecided(not_known.TIED, ", and one of them to others besides")
        ((rate, _),), ((other, _),) = stretch.p, stretch.q
        ways.add(decision.sign(rate - other))
    ways -= {0}
    if len(ways) > 1:
        raise Undecided(not_known.TIED, ", with scales that depend on the data")
    return next(iter(ways), 0)


def _last_ratio(p: Piecewise, q: Piecewise) -> RatioBound:
    """p/q far out to the right, where it is constant."""
    (above,), (below,) = p.pieces[-1].values(), q.pieces[-1].values()
    return RatioBound(above, below)


class MassBox(NamedTuple):
    """A cell for each coordinate, and the masses of both distributions there."""

    cells: tuple[OpenInterval, ...]
    p: Exact
    q: Exact


def positive_tied_boxes(p: TiedReals, q: TiedReals, factor: Exact) -> list[MassBox]:
    """Boxes on which p > factor·q, by their masses: between breaks, or further out where none of these is one."""
    grids = [_breaks(mine, theirs, p.hub, q.hub) for mine, theirs in zip(p.arms, q.arms, strict=True)]
    for _ in range(_FURTHEST):
        mass_boxes = [box for box in _boxes(p, q, grids) if ordering(box.p, multiplied((factor, box.q))) > 0]
        if mass_boxes:
            return mass_boxes
        grids = [_wider(grid) for grid in grids]
    return []


def _boxes(p: TiedReals, q: TiedReals, grids: Sequence[Sequence[Exact]]) -> Iterator[MassBox]:
    cells = [list(pairwise([None, *grid, None])) for grid in grids]
    count = 1
    for of_coordinate in cells:
        count *= len(of_coordinate)
    if count > _MOST_BOXES:
        cells = [[(None, grid[0]), (grid[0], grid[-1]), (grid[-1], None)] for grid in grids]
    return map(MassBox, product(*cells), p.probabilities(cells), q.probabilities(cells))


def _breaks(mine: StarLeaf, theirs: StarLeaf, *hubs: Piecewise) -> list[Exact]:
    results = [exact(b) for density in (mine.density, theirs.density) for b in density.breaks]
    results += [exact(b) - mine.bound for hub in hubs for b in hub.breaks]
    ordered = sorted(results, key=cmp_to_key(ordering))
    return [b for i, b in enumerate(ordered) if i == 0 or b != ordered[i - 1]]


def _wider(grid: Sequence[Exact]) -> list[Exact]:
    """The outermost ends further out."""
    width = grid[-1] - grid[0] + 1
    return [grid[0] - width, *grid[1:-1], grid[-1] + width] if len(grid) > 1 else [grid[0] - width, grid[0] + width]
