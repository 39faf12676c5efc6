"""Released whole numbers that are independent of each other, kept apart as independent parts are.

That they are independent is read off the law itself: given the template, the ways in which it comes about are a product
of ways of one number and of ways of all the others, with probabilities that multiply, exactly. Nothing is concluded
from what a program does. Each number then is a finite part, of which the outcomes are cells.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from dpverify.mechanisms.numbers.errors import Undecided
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, negative, product, total
from dpverify.mechanisms.numbers.simplification import simplified
from dpverify.mechanisms.outputs.released import AnyRelease, Releases
from dpverify.mechanisms.outputs.released_parts import Anything, PartRelease, PartSlot
from dpverify.mechanisms.outputs.templates import AnyNumber, Slot
from dpverify.verifiers.divergence.output_tables.distribution_table import is_zero

_Ways: TypeAlias = Mapping[Releases, Exact]
"""The ways in which the outcomes of a template come about, with their weights."""

_Mixture: TypeAlias = Mapping[AnyRelease, Exact]
"""One number in ways that all others know nothing of, each with its weight; they add up to anything."""


@dataclass(frozen=True)
class NumberSlot(PartSlot):
    """The place in a template of a released whole number that is kept apart."""

    slot: Slot


def with_number_slots(template: Any) -> Any:
    """The template with its slots of whole numbers as those of parts."""
    if isinstance(template, Slot):
        return NumberSlot(template)
    return tuple(map(with_number_slots, template)) if isinstance(template, tuple) else template


def has_number_slots(template: Any) -> bool:
    """True where whole numbers are kept apart in a template."""
    if isinstance(template, tuple):
        return any(map(has_number_slots, template))
    return isinstance(template, NumberSlot)


def anything(template: Any) -> Iterator[Anything | AnyNumber]:
    """For each slot of a part what stands for all that it may be."""
    if isinstance(template, NumberSlot):
        yield AnyNumber(template.slot.unit, template.slot.offset)
    elif isinstance(template, PartSlot):
        yield Anything()
    elif isinstance(template, tuple):
        for part in template:
            yield from anything(part)


class Separated(NamedTuple):
    """The ways of a template, with those numbers taken out of them that are independent of all the others."""

    mixtures: Sequence[_Mixture | None]
    """For each whole number what it is; None for one that the ways differ in."""
    rest: _Ways
    """The releases that are left, in order."""


def separated_releases(ways: _Ways, count: int) -> Separated:
    """The ways with each of the first `count` releases apart that is independent of the others, by exact arithmetic."""
    mixtures: list[_Mixture | None] = []
    left = 0  # how many of the numbers stay among the ways
    for _ in range(count):
        found = _taken_out(ways, left)
        if found is None:
            mixtures.append(None)
            left += 1
        else:
            mixture, ways = found
            mixtures.append(mixture)
    return Separated(mixtures, ways)


def _taken_out(ways: _Ways, at: int) -> tuple[_Mixture, _Ways] | None:
    """The mixture at one place, and the ways without it, where the weights are products of one of each; else None."""
    groups: dict[Any, dict[Releases, Exact]] = {}
    for releases, weight in ways.items():
        groups.setdefault(releases[at], {})[(*releases[:at], *releases[at + 1 :])] = weight
    first, *others = groups.values()
    if any(other.keys() != first.keys() for other in others):
        return None
    anchor = next(iter(first))
    for other in others:
        for rest, weight in first.items():
            if rest is not anchor and not _are_equal(
                product((weight, other[anchor])), product((other[rest], first[anchor]))
            ):
                return None
    return {
        release: ONE if group is first else simplified(group[anchor] / first[anchor])
        for release, group in groups.items()
    }, first


def _are_equal(left: Exact, right: Exact) -> bool:
    if left.serial == right.serial:
        return True
    try:
        return is_zero(total((left, negative(right))))
    except Undecided:  # not known to be
        return False


class Numbers:
    """The whole numbers of one template as parts, by the cells of each slot: what is alike is made once."""

    def __init__(self, template: Hashable, cells: Sequence[Cells]) -> None:
        self.template: Hashable = with_number_slots(template)
        self._cells = cells
        self._order = list(_kinds(template))
        self._made: dict[Hashable, tuple[PartRelease, Exact]] = {}

    def of(self, found: Separated) -> dict[Releases, Exact]:
        """The ways on the template with parts."""
        apart = [None if mixture is None else self._part(i, mixture) for i, mixture in enumerate(found.mixtures)]
        mass = product((ONE, *(made[1] for made in apart if made is not None)))
        left = [i for i, made in enumerate(apart) if made is None]
        parts = self._order.count(False)
        sums: dict[Releases, list[Exact]] = {}
        for releases, weight in found.rest.items():
            whole = {i: self._part(i, {release: ONE}) for i, release in zip(left, releases, strict=False)}  # type: ignore[dict-item]  # whole numbers come first
            others = releases[len(left) : len(releases) - parts]
            of_parts = iter(releases[len(releases) - parts :])
            numbers = iter(whole[i] if made is None else made for i, made in enumerate(apart))
            together = tuple(next(numbers)[0] if is_number else next(of_parts) for is_number in self._order)
            masses = (made[1] for made in whole.values())
            sums.setdefault((*others, *together), []).append(product((weight, mass, *masses)))
        return {releases: total(weights) for releases, weights in sums.items()}

    def _part(self, number: int, mixture: _Mixture) -> tuple[PartRelease, Exact]:
        """The law of a number, as one of its cells, and the weight that all of it has."""
        key = number, frozenset((release, weight.serial) for release, weight in mixture.items())
        if key not in self._made:
            self._made[key] = self._new_part(self._cells[number], mixture)
        return self._made[key]

    @staticmethod
    def _new_part(cells: Cells, mixture: _Mixture) -> tuple[PartRelease, Exact]:
        laws = [(weight, cells.probabilities(release)) for release, weight in mixture.items()]
        found = {}
        for name, *chances in zip(cells.names, *(law for _, law in laws), strict=True):
            chance = total(product((weight, p)) for (weight, _), p in zip(laws, chances, strict=True) if p is not ZERO)
            if chance is not ZERO and not is_zero(chance):
                found[name] = chance
        mass = total(product((weight, release.probability((None, None)))) for release, weight in mixture.items())
        if _are_equal(mass, ONE):
            return PartRelease(found), ONE
        return PartRelease({name: simplified(chance / mass) for name, chance in found.items()}), mass


@dataclass(frozen=True)
class Cells:
    """Key that tells a released number apart: its text in an outcome, and the probabilities of a release."""

    names: Sequence[Hashable]
    probabilities: Callable[[AnyRelease], Sequence[Exact]]
    is_of_one_rate: bool
    """True where the ratio of two laws is one number on every cell; else tails are parts, which are no events."""
    in_stretches: Callable[[], Cells] | None = None
    """The same in as few cells as can be, where the ratio is one number on every cell."""


def _kinds(template: Any) -> Iterator[bool]:
    """For each slot of a whole number, or of a part, in order of occurrence, whether it is a number's."""
    if isinstance(template, Slot | PartSlot):
        yield isinstance(template, Slot)
    elif isinstance(template, tuple):
        for part in template:
            yield from _kinds(part)
