"""Laws with released noise as laws on finitely many cells, without loss for any comparison of them.

Beyond the centres of all noises every law falls off geometrically, at one rate. The ratio of two laws is constant
there, and a whole tail may stand as one outcome. Between the centres every number is an outcome of its own.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, product
from math import prod
from typing import TypeAlias

from dpverify.mechanisms.distributions import Distribution
from dpverify.mechanisms.errors import InputError
from dpverify.mechanisms.exact_numbers import ONE, ZERO, Exact, total
from dpverify.mechanisms.exact_numbers import product as multiplied
from dpverify.mechanisms.limits import raise_limit
from dpverify.mechanisms.released import (
    Cell,
    LatticeDistribution,
    Release,
    Slot,
    cells_named,
    filled,
    outcome_of_cell,
    slots_of,
)
from dpverify.verifiers.tabulation import Law

_Cells: TypeAlias = Mapping[Hashable, Sequence[Sequence[Cell]]]
"""For each template the cells of each of its slots."""


def lumped(laws: Sequence[Law], limit: int) -> list[Law]:
    """The laws on finitely many common cells, such that any two have a constant ratio inside every cell.

    Raises `InputError` where one slot is released with noise of different scales, where an outcome could come from two
    templates, or where there would be more than `limit` cells.
    """
    if all(law.is_finite for law in laws):
        return list(laws)
    releases = _releases(laws)
    _refuse_overlap(releases)
    plain = {outcome for law in laws for outcome in _plain_part(law)}
    cells = {
        template: [_cells(found, positions, limit) for found, positions in _per_slot(template, slots, plain)]
        for template, slots in releases.items()
    }
    count = sum(prod(map(len, per_slot)) for per_slot in cells.values())
    if count > limit:
        raise _too_many_cells(count)
    named = {template: _outcomes(template, per_slot) for template, per_slot in cells.items()}
    return [_on_cells(law, cells, named) for law in laws]


def _outcomes(template: Hashable, per_slot: Sequence[Sequence[Cell]]) -> list[Hashable]:
    """The outcome for each choice of a cell a slot, in the order of `itertools.product`."""
    slots = zip(slots_of(template), per_slot, strict=True)
    names = [list(map(partial(outcome_of_cell, slot), cells)) for slot, cells in slots]
    return [filled(template, iter(chosen)) for chosen in product(*names)]


def _plain_part(law: Law) -> Mapping[Hashable, Exact]:
    return law.finite if isinstance(law, LatticeDistribution) else law.probabilities


def _releases(laws: Iterable[Law]) -> dict[Hashable, list[set[Release]]]:
    """For each template, what occurs in each of its slots."""
    found: dict[Hashable, list[set[Release]]] = {}
    for law in laws:
        for template, components in law.released.items() if isinstance(law, LatticeDistribution) else ():
            per_slot = found.setdefault(template, [set() for _ in slots_of(template)])
            for releases in components:
                for seen, release in zip(per_slot, releases, strict=True):
                    seen.add(release)
    return found


def _per_slot(
    template: Hashable, found: Sequence[set[Release]], plain: Iterable[Hashable]
) -> Iterator[tuple[set[Release], list[int]]]:
    """For each slot its releases and the positions that plain outcomes of the same shape occupy in it."""
    named = [cells for cells in (cells_named(template, outcome) for outcome in plain) if cells is not None]
    for i, releases in enumerate(found):
        yield releases, [m for cells in named for m in cells[i] if m is not None]


def _too_many_cells(count: int) -> InputError:
    return InputError(
        f"the released noise makes {count:,} cells to compare: release fewer noisy numbers at once, use a smaller "
        f"domain, or {raise_limit('outcomes')}"
    )


def _cells(releases: set[Release], positions: list[int], limit: int) -> list[Cell]:
    unbounded = [release for release in releases if None in (release.values[0][0], release.values[-1][1])]
    scales = [release.law.scale for release in unbounded]
    if any(scale != scales[0] for scale in scales):
        raise InputError(
            f"noise is released at different scales ({', '.join(sorted(map(str, set(scales))))}), so that the ratio of "
            "two laws varies without end; so far one scale for a released number is supported"
        )
    for release in releases:
        ends = [end for interval in release.values for end in interval if isinstance(end, int)]
        positions += [release.centre, *(end + release.centre for end in ends)]
    low, high = min(positions) - 1, max(positions) + 1  # one more at either end, so that a witness needs no tail
    if high - low > limit:
        raise _too_many_cells(high - low)
    return [(None, low), *((m, m + 1) for m in range(low, high + 1)), (high + 1, None)]


def _on_cells(law: Law, cells: _Cells, outcomes: Mapping[Hashable, Sequence[Hashable]]) -> Law:
    parts: dict[Hashable, list[Exact]] = {outcome: [p] for outcome, p in _plain_part(law).items()}
    for template, components in law.released.items() if isinstance(law, LatticeDistribution) else ():
        for releases, weight in components.items():
            of_slot = [
                list(map(release.probability, per_slot))
                for release, per_slot in zip(releases, cells[template], strict=True)
            ]
            for outcome, chances in zip(outcomes[template], product(*of_slot), strict=True):
                if all(chance is not ZERO for chance in chances):
                    parts.setdefault(outcome, []).append(multiplied((weight, *chances)))
    return Distribution.of_blocks((((outcome,), total(ps)) for outcome, ps in parts.items()), total_weight=ONE)


def _refuse_overlap(templates: Iterable[Hashable]) -> None:
    for left, right in combinations(templates, 2):
        if _may_meet(left, right):
            raise InputError(
                "a released number could come from two kinds of outcome, such as `n + noise` and `n/2 + noise`: tell "
                'them apart, for example by returning ("mean", noisy)'
            )


def _may_meet(left: Hashable, right: Hashable) -> bool:
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(_may_meet, left, right))
    if isinstance(left, Slot) and isinstance(right, Slot):
        # offsets that differ by a multiple of the greatest common divisor of the units
        step = left.unit / right.unit
        divisor = right.unit / step.denominator
        return ((left.offset - right.offset) / divisor).denominator == 1
    if isinstance(left, Slot) or isinstance(right, Slot):
        slot, other = (left, right) if isinstance(left, Slot) else (right, left)
        return cells_named(slot, other) is not None
    return left == right
