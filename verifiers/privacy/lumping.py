"""Laws with released noise as laws on finitely many cells, without loss for any comparison of them.

Between the centres of all noises every number is an outcome of its own. Beyond them laws fall off geometrically. Where
they do so at one rate, the ratio of two laws is constant on a tail, which may stand as one outcome. Where there are
several, because noise was compared with other noise or has another scale, a tail is several parts (see `tails`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod

from dpverify.mechanisms.exact.errors import InputError, LimitMet, Undecided
from dpverify.mechanisms.exact.exact_numbers import ONE, ZERO, Exact, negative, total
from dpverify.mechanisms.exact.exact_numbers import product as multiplied
from dpverify.mechanisms.exact.exponential_polynomials import ExpPoly, Piecewise
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.laws.limits import Limits, raise_limit
from dpverify.mechanisms.laws.normal_releases import NormalRelease
from dpverify.mechanisms.laws.released import AnyRelease, Release, ReleasedDistribution, Releases, TiedRelease
from dpverify.mechanisms.laws.released_parts import PartRelease
from dpverify.mechanisms.laws.released_reals import RealRelease
from dpverify.mechanisms.laws.templates import (
    AtLeast,
    AtMost,
    Cell,
    Slot,
    cells_named,
    filled,
    frame_in,
    outcome_of_cell,
    slots_of,
)
from dpverify.mechanisms.laws.tied_reals import TiedReal
from dpverify.verifiers.privacy.apart import kept_apart, may_meet
from dpverify.verifiers.privacy.densities.normal import is_normal
from dpverify.verifiers.privacy.repetition import Law
from dpverify.verifiers.privacy.tails import PartOfTail, parts_of_tail


@dataclass(frozen=True)
class _Cells:
    """What a released number is told apart by: how it reads in an outcome, and the probabilities of a release."""

    names: Sequence[Hashable]
    probabilities: Callable[[AnyRelease], Sequence[Exact]]


def lumped(laws: Sequence[Law], limits: Limits, beyond: int | None) -> list[Law]:
    """The laws on finitely many common cells, such that any two have a constant ratio inside every cell.

    Released real numbers are left as they are, in templates without whole ones, and independent parts as `kept_apart`
    leaves them. Tails of several rates begin `beyond` numbers behind the last centre, or further out; None refuses
    them. Raises `InputError` where an outcome could come from two templates, `Undecided` as `kept_apart` does, and
    `LimitMet` where there would be more outcomes, or more probabilities of a release in a cell, than the limits allow.
    """
    laws = kept_apart(laws, limits)
    if all(law.is_finite for law in laws):
        return laws
    releases = _releases(laws)
    _refuse_overlap(releases)
    for template, slots in releases.items():
        if frame_in(template) is not None and any(is_normal(release) for slot in slots for release in slot):
            raise Undecided("whole and real numbers are released together, a whole one with Gaussian noise")
    plain = {outcome for law in laws for outcome in _plain_part(law)}
    cells = {
        template: [
            _cells(slot, found, positions, limits.cells, beyond)
            for slot, (found, positions) in zip(slots_of(template), _per_slot(template, slots, plain), strict=True)
        ]
        for template, slots in releases.items()
    }
    count = sum(prod(len(of_slot.names) for of_slot in per_slot) for per_slot in cells.values())
    if count > limits.outcomes:
        raise _too_many("cells", count, "outcomes")
    named = {template: _outcomes(template, per_slot) for template, per_slot in cells.items()}
    return [_on_cells(law, cells, named) for law in laws]


def _outcomes(template: Hashable, per_slot: Sequence[_Cells]) -> list[Hashable]:
    """The outcome for each choice of a cell a slot, in the order of `itertools.product`."""
    return [filled(template, iter(chosen)) for chosen in product(*(of_slot.names for of_slot in per_slot))]


def _plain_part(law: Law) -> Mapping[Hashable, Exact]:
    return law.finite if isinstance(law, ReleasedDistribution) else law.probabilities


def _releases(laws: Iterable[Law]) -> dict[Hashable, list[set[AnyRelease]]]:
    """For each template, what occurs in each of its slots."""
    found: dict[Hashable, list[set[AnyRelease]]] = {}
    for law in laws:
        for template, components in law.released.items() if isinstance(law, ReleasedDistribution) else ():
            per_slot = found.setdefault(template, [set() for _ in slots_of(template)])
            for releases in components:
                for seen, release in zip(per_slot, releases, strict=False):  # those of real numbers come last
                    assert not isinstance(release, RealRelease | NormalRelease | TiedReal | PartRelease), "come last"
                    seen.add(release)
    return found


def _per_slot(
    template: Hashable, found: Sequence[set[AnyRelease]], plain: Iterable[Hashable]
) -> Iterator[tuple[set[AnyRelease], list[int]]]:
    """For each slot its releases and the positions that plain outcomes of the same shape occupy in it."""
    named = [cells for cells in (cells_named(template, outcome) for outcome in plain) if cells is not None]
    for i, releases in enumerate(found):
        yield releases, [m for cells in named for m in cells[i] if m is not None]


def _too_many(what: str, count: int, limit: str) -> LimitMet:
    return LimitMet(
        f"the released noise makes {count:,} {what} to compare: release fewer noisy numbers at once, with scales whose "
        f"ratios are further apart, use a smaller domain, or {raise_limit(limit)}"
    )


def _cells(slot: Slot, releases: set[AnyRelease], positions: list[int], limit: int, beyond: int | None) -> _Cells:
    """One cell a number from the first position to the last and one more at either end, and the tails."""
    if any(is_normal(release) for release in releases):
        return _left_as_it_is(slot, releases, positions)
    for release in releases:
        positions += _ends(release)
    low, high = min(positions) - 1, max(positions) + 1  # one more at either end, so that a witness needs no tail
    if (high - low) * len(releases) > limit:
        raise _too_many("probabilities of cells", (high - low) * len(releases), "cells")
    if _is_of_one_rate(releases):
        cells: list[Cell] = [(None, low), *((m, m + 1) for m in range(low, high + 1)), (high + 1, None)]
        return _Cells(
            [outcome_of_cell(slot, cell) for cell in cells],
            lambda release: [release.probability(cell) for cell in cells],
        )
    if beyond is None:
        raise InputError(
            "a number is released whose probabilities fall off at several rates, as noise that was compared with other "
            "noise makes it do, or noise of several scales: for a symbolic ε clamp it, and it is a plain number"
        )
    return _cells_of_several_rates(slot, list(releases), low - beyond, high + beyond, limit)


def _left_as_it_is(slot: Slot, releases: set[AnyRelease], positions: list[int]) -> _Cells:
    """The number itself, where it has Gaussian noise: whoever compares two laws knows from where on one is larger.

    Raises `InputError` where it may be a plain outcome as well, and `Undecided` where it has other noise elsewhere.
    """
    if positions:
        raise _may_come_from_two()
    if not all(map(is_normal, releases)):
        raise Undecided("a number is released with Gaussian noise on one database, with other noise on another one")
    return _Cells([slot], lambda _: [ONE])


def _ends(release: AnyRelease) -> list[int]:
    if isinstance(release, Release):
        ends = [end for interval in release.values for end in interval if isinstance(end, int)]
        return [release.centre, *(end + release.centre for end in ends)]
    centre = [release.centre] if isinstance(release, TiedRelease) else []
    return [*centre, *(end for end in release.density.breaks if isinstance(end, int))]


def _is_of_one_rate(releases: Iterable[AnyRelease]) -> bool:
    if not all(isinstance(release, Release) for release in releases):
        return False
    unbounded = [r for r in releases if isinstance(r, Release) and None in (r.values[0][0], r.values[-1][1])]
    scales = [scale for release in unbounded if (scale := release.law.tail_scale) is not None]
    return all(scale == scales[0] for scale in scales)


def _cells_of_several_rates(slot: Slot, releases: Sequence[AnyRelease], low: int, high: int, limit: int) -> _Cells:
    densities = [release.density for release in releases]
    if (high - low) * len(releases) > limit:
        raise _too_many("probabilities of cells", (high - low) * len(releases), "cells")
    high, above = _tail(densities, high + 1, limit, mirrored=False)
    low, below = _tail(densities, 1 - low, limit, mirrored=True)
    inside: list[Cell] = [(m, m + 1) for m in range(1 - low, high)]
    tails = (outcome_of_cell(slot, (None, 1 - low)), outcome_of_cell(slot, (high, None)))
    names = [
        *_named_parts(tails[0], len(below[0])),
        *(outcome_of_cell(slot, cell) for cell in inside),
        *_named_parts(tails[1], len(above[0])),
    ]

    def probabilities(release: AnyRelease) -> Sequence[Exact]:
        at = releases.index(release)
        return [*below[at], *map(release.probability, inside), *above[at]]

    return _Cells(names, probabilities)


def _named_parts(tail: Hashable, count: int) -> list[PartOfTail]:
    assert isinstance(tail, AtLeast | AtMost), "a cell without an end is a tail"
    return [PartOfTail(tail, number) for number in range(count)]


def _tail(densities: Sequence[Piecewise], start: int, limit: int, *, mirrored: bool) -> tuple[int, list[list[Exact]]]:
    """Where a tail begins, from `start` on, and the probabilities of its parts; of −m where mirrored."""
    functions: list[ExpPoly] = [
        density.composed(negative(ONE), 0).pieces[-1] if mirrored else density.pieces[-1] for density in densities
    ]
    first, step = start, 1
    while True:
        found = parts_of_tail(functions, start)
        if found is not None:
            return start, found
        start += step
        step *= 2
        if (start - first) * len(densities) > limit:
            raise _too_many("probabilities of cells", (start - first) * len(densities), "cells")


def _on_cells(
    law: Law, cells: Mapping[Hashable, Sequence[_Cells]], outcomes: Mapping[Hashable, Sequence[Hashable]]
) -> Law:
    parts: dict[Hashable, list[Exact]] = {outcome: [p] for outcome, p in _plain_part(law).items()}
    left_as_they_are: dict[Hashable, dict[Releases, list[Exact]]] = {}
    for template, components in law.released.items() if isinstance(law, ReleasedDistribution) else ():
        count = len(cells[template])
        for releases, weight in components.items():
            of_slot = [
                per_slot.probabilities(release)  # type: ignore[arg-type]  # whole numbers come first
                for release, per_slot in zip(releases[:count], cells[template], strict=True)
            ]
            kept = tuple(release for release in releases[:count] if is_normal(release))
            others = (*kept, *releases[count:])
            for outcome, chances in zip(outcomes[template], product(*of_slot), strict=True):
                if all(chance is not ZERO for chance in chances):
                    found = (
                        left_as_they_are.setdefault(outcome, {}).setdefault(others, [])
                        if others
                        else parts.setdefault(outcome, [])
                    )
                    found.append(multiplied((weight, *chances)))
    finite = {outcome: total(ps) for outcome, ps in parts.items()}
    if not left_as_they_are:
        return Distribution.of_blocks((((outcome,), p) for outcome, p in finite.items()), total_weight=ONE)
    return ReleasedDistribution(
        finite,
        {
            template: {others: total(ps) for others, ps in components.items()}
            for template, components in left_as_they_are.items()
        },
    )


def _refuse_overlap(templates: Iterable[Hashable]) -> None:
    for left, right in combinations(templates, 2):
        if may_meet(left, right):
            raise _may_come_from_two()


def _may_come_from_two() -> InputError:
    return InputError(
        "a released number could come from two kinds of outcome, such as `n + noise` and `n/2 + noise`, or "
        "noise and a constant, as of max(0, n + noise): tell them apart, for example by returning "
        '("mean", noisy), or write clamp(n + noise, low, high), which gives a plain number'
    )
