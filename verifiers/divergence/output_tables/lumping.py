"""Laws with released noise as laws on finitely many cells, without loss for any comparison of them.

Between the centres of all noises every number is an outcome of its own. Beyond them laws fall off geometrically. Where
they do so at one rate, the ratio of two laws is constant on a tail, which may stand as one outcome. Where there are
several, because noise was compared with other noise or has another scale, a tail is several parts (see `tails`).

A count of 0 or 1 plus noise has its centres there. One number more at either end is kept, and from -2 down, and from 3
up, the ratio of the two laws is e and 1/e whatever is released: each tail is one outcome.

>>> from dpverify.mechanisms import discrete_laplace, distribution
>>> zero, one = (distribution(lambda draw, n: n + draw(discrete_laplace(1)), n) for n in (0, 1))
>>> of_zero, of_one = lumped([zero, one], Limits(), beyond=1)
>>> for cell, p in of_zero.probabilities.items():
...     print(cell, "ratio", p / of_one.probability(cell))
≤ -2 ratio e
-1 ratio e
0 ratio e
1 ratio e^(-1)
2 ratio e^(-1)
≥ 3 ratio e^(-1)
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Final

from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.numbers.errors import InputError, LimitMet, Undecided, bad_input, not_known
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, negative, total
from dpverify.mechanisms.numbers.exact_numbers import product as multiplied
from dpverify.mechanisms.numbers.roots.exponential_polynomials import ExpPoly, Piecewise
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.normal_releases import NormalRelease
from dpverify.mechanisms.outputs.released import (
    AnyRelease,
    AtomRelease,
    NoisyPart,
    Release,
    ReleasedDistribution,
    Releases,
    TiedRelease,
    is_normal,
)
from dpverify.mechanisms.outputs.released_parts import FEW_OUTCOMES, OneOf, PartRelease, parts_in
from dpverify.mechanisms.outputs.released_reals import RealRelease
from dpverify.mechanisms.outputs.templates import (
    AtLeast,
    AtMost,
    Cell,
    Slot,
    cells_named,
    filled,
    frame_in,
    outcome_of_cell,
    refuse_lookalikes,
    slots_of,
)
from dpverify.mechanisms.outputs.tied_reals import TiedReal
from dpverify.mechanisms.reasons.reason import or_raise
from dpverify.verifiers.divergence.output_tables.cuts import atoms, plain_part, with_one_kind
from dpverify.verifiers.divergence.output_tables.independent_parts import split_parts
from dpverify.verifiers.divergence.output_tables.noisy_parts import with_parts_on_cells
from dpverify.verifiers.divergence.output_tables.numbers_apart import Cells, Numbers, separated_releases
from dpverify.verifiers.divergence.output_tables.tails import PartOfTail, parts_of_tail
from dpverify.verifiers.problems.preparation.answers import AnyDistribution


def lumped(
    laws: Sequence[AnyDistribution], limits: Limits, beyond: int | None, *, in_stretches: bool = False
) -> list[AnyDistribution]:
    """The laws on finitely many common cells, such that any two have a constant ratio inside every cell.

    Released real numbers are left as they are, in templates without whole ones, and independent parts as `split_parts`
    leaves them. Whole numbers that are independent are parts, too, where their cells together would be many; the cells
    of a part are as few as can be, as all that is written `in_stretches` has them. Tails of
    several rates begin `beyond` numbers behind the last centre, or further out; None, as for a symbolic ε, refuses
    them. Raises `InputError` where an outcome could come from two lattices, `Undecided` as `split_parts` does, and
    `LimitMet` where there would be more outcomes, or more probabilities of a release in a cell, than the limits allow.
    """
    _refuse_lookalikes(laws)
    laws = split_parts(laws, limits)
    if all(law.is_finite for law in laws):
        return laws
    laws = with_one_kind(
        with_parts_on_cells(laws, lambda parts: lumped(parts, limits, None, in_stretches=True), limits)
    )
    releases = _releases(laws)
    for template, slots in releases.items():
        if frame_in(template) is not None and any(is_normal(release) for slot in slots for release in slot):
            raise Undecided(
                not_known.MIXED_KINDS,
                "discrete numbers with Gaussian noise are released beside continuous ones, or compared with them",
            )
    for template, slots in releases.items():
        if any(is_normal(release) for slot in slots for release in slot):
            laws = [_with_plain_ones(law, template) for law in laws]
    plain = {outcome for law in laws for outcome in plain_part(law)}
    cells = {
        template: [
            _cells(slot, found, positions, limits.cells, beyond, in_stretches=in_stretches)
            for slot, (found, positions) in zip(slots_of(template), _per_slot(template, slots, plain), strict=True)
        ]
        for template, slots in releases.items()
    }
    beside_reals = any(frame_in(template) is not None or parts_in(template) for template in cells)
    if beside_reals or any(is_normal(release) for slots in releases.values() for slot in slots for release in slot):
        _refuse_parts_of_tails(cells)
    numbers, laws = _kept_as_parts(laws, cells, limits, is_symbolic=beyond is None)
    in_full = {template: per_slot for template, per_slot in cells.items() if template not in numbers}
    count = sum(map(_count, in_full.values()))
    if count > limits.outcomes:
        raise _too_many("cells", count, "outcomes")
    named = {template: _outcomes(template, per_slot) for template, per_slot in in_full.items()}
    return [_on_cells(law, in_full, named, numbers) for law in laws]


def _refuse_parts_of_tails(cells: Mapping[Hashable, Sequence[Cells]]) -> None:
    """Raises `Undecided` for tails of several rates beside real numbers or parts, where no sign of theirs is settled.

    Parts of a tail stand for it where P − e^ε·Q has one sign on all of them; beside another number ε is another one.
    """
    names = (name for per_slot in cells.values() for of_slot in per_slot for name in of_slot.names)
    if any(isinstance(name, PartOfTail) for name in names):
        raise Undecided(
            not_known.SEVERAL_RATES, "an integer is released beside continuous numbers or independent parts,"
        )


def _refuse_lookalikes(laws: Sequence[AnyDistribution]) -> None:
    """Raises `InputError` where outcomes of two laws are equal and not the same; of finite laws their table does."""
    if all(law.is_finite for law in laws):
        return
    seen: dict[Hashable, Hashable] = {}
    for law in laws:
        refuse_lookalikes((*plain_part(law), *(law.released if isinstance(law, ReleasedDistribution) else ())), seen)


MOST_IN_FULL: Final = 1 << 16
"""Cells of several numbers, times the ways of all laws that lead there, up to which they are put in full."""

_FEW_BESIDE_REALS: Final = 256
"""Cells up to which they are where real numbers are released as well, each with densities of its own."""


def _count(per_slot: Sequence[Cells]) -> int:
    return prod(len(of_slot.names) for of_slot in per_slot)


def _kept_as_parts(
    laws: Sequence[AnyDistribution], cells: Mapping[Hashable, Sequence[Cells]], limits: Limits, *, is_symbolic: bool
) -> tuple[Mapping[Hashable, Numbers], Sequence[AnyDistribution]]:
    """The templates of which the numbers are kept apart, and the laws, with their plain outcomes among the ways."""
    found: dict[Hashable, Numbers] = {}
    for template, per_slot in cells.items():
        if len(per_slot) > 1 and all(of_slot.is_of_one_rate for of_slot in per_slot):
            count = _count(per_slot)
            work = count * sum(
                len(law.released.get(template, ())) for law in laws if isinstance(law, ReleasedDistribution)
            )
            many = _FEW_BESIDE_REALS if frame_in(template) is not None else FEW_OUTCOMES
            if count > MOST_IN_FULL if is_symbolic else count > many or work > MOST_IN_FULL:
                moved = [_with_plain_ones(law, template) for law in laws]
                ways = [
                    w for law in moved if isinstance(law, ReleasedDistribution) and (w := law.released.get(template))
                ]
                if count > limits.outcomes or all(
                    len(separated_releases(way, len(per_slot)).rest) == 1 for way in ways
                ):
                    found[template] = Numbers(
                        template, [of_slot.in_stretches() for of_slot in per_slot if of_slot.in_stretches]
                    )
                    laws = moved
    return found, laws


def _with_plain_ones(law: AnyDistribution, template: Hashable) -> AnyDistribution:
    """The law with its plain outcomes that fit a template among the ways of that."""
    plain = plain_part(law)
    fitting = [outcome for outcome in plain if cells_named(template, outcome) is not None]
    if not fitting:
        return law
    released = dict(law.released) if isinstance(law, ReleasedDistribution) else {}
    ways: dict[Releases, list[Exact]] = {way: [p] for way, p in released.get(template, {}).items()}
    for outcome in fitting:
        ways.setdefault(tuple(atom for atom in atoms(outcome, template) if atom is not None), []).append(plain[outcome])
    released[template] = {way: total(ps) for way, ps in ways.items()}
    return ReleasedDistribution({o: p for o, p in plain.items() if o not in fitting}, released)


def _outcomes(template: Hashable, per_slot: Sequence[Cells]) -> list[Hashable]:
    """The outcome for each choice of a cell a slot, in the order of `itertools.product`."""
    return [filled(template, iter(chosen)) for chosen in product(*(of_slot.names for of_slot in per_slot))]


def _releases(laws: Iterable[AnyDistribution]) -> dict[Hashable, list[set[AnyRelease]]]:
    """For each template, what occurs in each of its slots."""
    found: dict[Hashable, list[set[AnyRelease]]] = {}
    for law in laws:
        for template, components in law.released.items() if isinstance(law, ReleasedDistribution) else ():
            per_slot = found.setdefault(template, [set() for _ in slots_of(template)])
            for releases in components:
                for seen, release in zip(per_slot, releases, strict=False):  # those of real numbers come last
                    assert not isinstance(release, RealRelease | NormalRelease | TiedReal | PartRelease | NoisyPart), (
                        "they come first"
                    )
                    seen.add(release)
    return found


def _per_slot(
    template: Hashable, found: Sequence[set[AnyRelease]], plain: Iterable[Hashable]
) -> Iterator[tuple[set[AnyRelease], list[int]]]:
    """For each slot its releases and the positions that plain outcomes of the same shape occupy in it."""
    named = [list(atoms(outcome, template)) for outcome in plain if cells_named(template, outcome) is not None]
    for i, releases in enumerate(found):
        yield releases, [atom.m for atoms_there in named if (atom := atoms_there[i]) is not None]


def _too_many(what: str, count: int, limit: str) -> LimitMet:
    return LimitMet(not_known.TOO_MANY_CELLS.text(count, what, or_raise(limit)))


_FEW_IN_A_ROW: Final = 256
"""Whole numbers up to which each is an outcome of its own, where numbers are released, or named by itself."""


def _cells(
    slot: Slot,
    releases: set[AnyRelease],
    positions: list[int],
    limit: int,
    beyond: int | None,
    *,
    in_stretches: bool = False,
) -> Cells:
    """One cell a number from the first position to the last and one more at either end, and the tails.

    In stretches, numbers on which all releases fall off alike are one cell, too.
    """
    if any(is_normal(release) for release in releases):
        return _left_as_it_is(slot, releases)
    for release in releases:
        positions += _ends(release)
    low, high = min(positions) - 1, max(positions) + 1  # one more at either end, so that a witness needs no tail
    in_stretches = in_stretches or high - low > _FEW_IN_A_ROW
    if not in_stretches and (high - low) * len(releases) > limit:
        raise _too_many("probabilities of cells", (high - low) * len(releases), "cells")
    if _is_of_one_rate(releases):

        def of_inside(inside: Iterable[Cell]) -> Cells:
            cells = [(None, low), *inside, (high + 1, None)]
            return Cells(
                [_named(slot, cell) for cell in cells],
                lambda release: [release.probability(cell) for cell in cells],
                is_of_one_rate=True,
                in_stretches=as_stretches,
            )

        def as_stretches() -> Cells:
            return of_inside(_stretches(releases, positions, (low, high), limit))

        return as_stretches() if in_stretches else of_inside((m, m + 1) for m in range(low, high + 1))
    if beyond is None:
        raise InputError(
            bad_input.SYMBOLIC,
            "a number is released whose probabilities fall off at several rates, as noise of several scales",
        )
    return _cells_of_several_rates(slot, list(releases), low - beyond, high + beyond, limit)


def _stretches(
    releases: Collection[AnyRelease], positions: Iterable[int], ends: tuple[int, int], limit: int
) -> Iterator[Cell]:
    """The numbers from one end to the other, those between two positions in one cell where all releases fall off alike.

    Raises `LimitMet` where there would be more probabilities of a release in a cell than `limit`.
    """
    low, high = ends
    densities: list[Piecewise] | None = None
    at, count = low, 0
    for end in (*sorted({*positions, high}), high + 1):
        if end - at > 1:
            densities = [release.density for release in releases] if densities is None else densities
            if _have_one_rate(densities, at, end):
                yield at, end
                at = end
                count += 1
        count += max(min(end, high) + 1 - at, 0)
        if count * len(releases) > limit:
            raise _too_many("probabilities of cells", (high - low) * len(releases), "cells")
        yield from ((m, m + 1) for m in range(at, min(end, high) + 1))
        at = end + 1


def _have_one_rate(densities: Iterable[Piecewise], low: int, high: int) -> bool:
    """True where each of some densities is 0 from low to high - 1, or c·e^(rate·m), with one rate for all of them."""
    rates = set()
    for density in densities:
        first, last = (sum(1 for b in density.breaks if b <= m) for m in (low, high - 1))
        if first != last:
            return False
        rates |= {(rate.serial, k) for rate, k in density.pieces[first]}
    return len(rates) <= 1 and all(k == 0 for _, k in rates)


def _named(slot: Slot, cell: Cell) -> Hashable:
    """The text of a cell; a few numbers one by one."""
    low, high = cell
    if low is None or high is None or high - low == 1 or high - low > _FEW_IN_A_ROW:
        return outcome_of_cell(slot, cell)
    if slot.unit.denominator == slot.offset.denominator == 1:  # the same, and quick
        step = slot.unit.numerator
        first = slot.offset.numerator + step * low
        return OneOf(tuple(range(first, first + step * (high - low), step)))
    return OneOf(tuple(slot.value(m) for m in range(low, high)))


def _left_as_it_is(slot: Slot, releases: set[AnyRelease]) -> Cells:
    """The number itself, where it has Gaussian noise: whoever compares two laws knows from where on one is larger.

    A plain number may stand in its place. Raises `Undecided` where it has other noise elsewhere.
    """
    if not all(is_normal(release) or isinstance(release, AtomRelease) for release in releases):
        raise Undecided(
            not_known.MIXED_KINDS,
            "a number is released with Gaussian noise on one database, with other noise on another one",
        )
    return Cells([slot], lambda _: [ONE], is_of_one_rate=False)


def _ends(release: AnyRelease) -> list[int]:
    if isinstance(release, AtomRelease):
        return [release.m]
    if isinstance(release, Release):
        ends = [end for interval in release.values for end in interval if isinstance(end, int)]
        return [release.centre, *(end + release.centre for end in ends)]
    centre = [release.centre] if isinstance(release, TiedRelease) else []
    return [*centre, *(end for end in release.density.breaks if isinstance(end, int))]


def _is_of_one_rate(releases: Iterable[AnyRelease]) -> bool:
    if not all(isinstance(release, Release | AtomRelease) for release in releases):
        return False
    unbounded = [r for r in releases if isinstance(r, Release) and None in (r.values[0][0], r.values[-1][1])]
    scales = [scale for release in unbounded if (scale := release.law.tail_scale) is not None]
    return all(scale == scales[0] for scale in scales)


def _cells_of_several_rates(slot: Slot, releases: Sequence[AnyRelease], low: int, high: int, limit: int) -> Cells:
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

    return Cells(names, probabilities, is_of_one_rate=False)


def _named_parts(tail: Hashable, count: int) -> list[PartOfTail]:
    assert isinstance(tail, AtLeast | AtMost), "a cell without an end is a tail"
    return [PartOfTail(tail, number) for number in range(count)]


def _tail(densities: Sequence[Piecewise], start: int, limit: int, *, mirrored: bool) -> tuple[int, list[list[Exact]]]:
    """The beginning of a tail, from `start` on, and the probabilities of its parts; of −m where mirrored."""
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
    law: AnyDistribution,
    cells: Mapping[Hashable, Sequence[Cells]],
    outcomes: Mapping[Hashable, Sequence[Hashable]],
    numbers: Mapping[Hashable, Numbers],
) -> AnyDistribution:
    parts: dict[Hashable, list[Exact]] = {outcome: [p] for outcome, p in plain_part(law).items()}
    left_as_they_are: dict[Hashable, dict[Releases, list[Exact]]] = {}
    for template, components in law.released.items() if isinstance(law, ReleasedDistribution) else ():
        if template in numbers:
            ways = numbers[template].of(separated_releases(components, len(slots_of(template))))
            left_as_they_are[numbers[template].template] = {way: [weight] for way, weight in ways.items()}
            continue
        count = len(cells[template])
        for releases, weight in components.items():
            pairs = list(zip(releases[:count], cells[template], strict=True))
            of_slot = [per_slot.probabilities(release) for release, per_slot in pairs]  # type: ignore[arg-type]  # whole numbers come first
            kept = tuple(release for release, per_slot in pairs if isinstance(per_slot.names[0], Slot))
            others = (*kept, *releases[count:])
            for outcome, chances in zip(outcomes[template], product(*of_slot), strict=True):
                if all(chance is not ZERO for chance in chances):
                    found = (
                        left_as_they_are.setdefault(outcome, {}).setdefault(others, [])
                        if others
                        else parts.setdefault(outcome, [])
                    )
                    found.append(chances[0] if weight is ONE and len(chances) == 1 else multiplied((weight, *chances)))
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
