"""Independent parts that are noise on some paths and plain on others, such as cut counts, on finitely many cells.

What a part is on every database, and in every way, is put on common cells, as whole laws are; one real number is left
as it is, and compared in its place. A part of which the tails fall off at several rates has no cells that are events:
it is put in full, and so is one with several real numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.drawing.caching import some_in_full
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.numbers.errors import InputError, Undecided, bad_input, not_known
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, total
from dpverify.mechanisms.outputs.released import NoisyPart, ReleasedDistribution, Releases
from dpverify.mechanisms.outputs.released_parts import Anything, PartRelease, parts_in
from dpverify.mechanisms.outputs.released_reals import RealRelease
from dpverify.verifiers.divergence.output_tables.independent_parts import has_parts
from dpverify.verifiers.problems.preparation.answers import AnyDistribution


def with_parts_on_cells(
    laws: Sequence[AnyDistribution],
    lumped: Callable[[Sequence[AnyDistribution]], Sequence[AnyDistribution]],
    limits: Limits,
) -> list[AnyDistribution]:
    """The laws with each noisy part on the cells on which `lumped` puts all that stand in its place.

    Raises `Undecided` where parts would have to be put in full, and are too many for that.
    """
    if not any(map(has_parts, laws)):
        return list(laws)
    made: _Made = {}
    in_full: dict[Hashable, set[int]] = {}
    known: dict[tuple[int, ...], Mapping[int, PartRelease | NoisyPart]] = {}  # the same in many places, most often
    for template, places in _places(laws).items():
        of_template = made[template] = []
        for place, parts in enumerate(places):
            of_template.append({})
            if any(isinstance(part, NoisyPart) for part in parts):
                key = tuple(map(id, parts))
                try:
                    if key not in known:
                        known[key] = _on_cells(parts, lumped)
                    of_template[place] = known[key]
                except InputError:  # tails of several rates
                    in_full.setdefault(template, set()).add(place)
    if in_full:
        laws = [_replaced(law, made) for law in laws]
        count = max(_count(law, in_full) for law in laws)
        if count > limits.outcomes:
            raise Undecided(not_known.TOO_MANY_PART_WAYS, count)
        return [some_in_full(law, in_full) for law in laws]
    return [_replaced(law, made) for law in laws]


def _count(law: AnyDistribution, in_full: Mapping[Hashable, Container[int]]) -> int:
    """Number of ways in which the outcomes of a law come about when some parts of some templates are put in full."""
    if not isinstance(law, ReleasedDistribution):
        return 0
    return sum(
        prod(
            part.law.size if isinstance(part, NoisyPart) else len(part.probabilities)
            for i, part in enumerate(releases[len(releases) - parts_in(template) :])
            if i in places and isinstance(part, NoisyPart | PartRelease)
        )
        for template, places in in_full.items()
        for releases in law.released.get(template, ())
    )


def _places(laws: Sequence[AnyDistribution]) -> dict[Hashable, list[list[PartRelease | NoisyPart]]]:
    """For each template with parts what occurs in the place of each, in order of occurrence."""
    results: dict[Hashable, list[dict[int, PartRelease | NoisyPart]]] = {}
    for law in laws:
        for template, ways in law.released.items() if isinstance(law, ReleasedDistribution) else ():
            count = parts_in(template)
            places = results.setdefault(template, [{} for _ in range(count)])
            for releases in ways:
                for place, part in zip(places, releases[len(releases) - count :], strict=True):
                    assert isinstance(part, PartRelease | NoisyPart), "parts come last"
                    place.setdefault(id(part), part)
    return {template: [list(place.values()) for place in places] for template, places in results.items()}


def _on_cells(
    parts: Sequence[PartRelease | NoisyPart], lumped: Callable[[Sequence[AnyDistribution]], Sequence[AnyDistribution]]
) -> dict[int, PartRelease | NoisyPart]:
    """By their identities, the parts on common cells. Raises `InputError` where there are none."""
    if _are_one(parts):  # whatever it is, it tells nothing of the database
        return dict.fromkeys(map(id, parts), _UNTOLD)
    result = lumped(
        [part.law if isinstance(part, NoisyPart) else ReleasedDistribution(part.probabilities, {}) for part in parts]
    )
    if not all(map(_has_one_number_at_most, result)):
        raise InputError(bad_input.OPTION, "an independent part", "several continuous numbers, beside other parts")
    return {id(part): _as_part(law) for part, law in zip(parts, result, strict=True)}


def _are_one(parts: Sequence[PartRelease | NoisyPart]) -> bool:
    """True where parts are known to have one law."""
    try:
        return all(part == parts[0] for part in parts)
    except Undecided:
        return False


_UNTOLD: Final = PartRelease({Anything(): ONE})
"""A part that has one law wherever it occurs."""


def _as_part(law: AnyDistribution) -> PartRelease | NoisyPart:
    return NoisyPart(law) if isinstance(law, ReleasedDistribution) else PartRelease(law.probabilities)


def _has_one_number_at_most(law: AnyDistribution) -> bool:
    """True where each template of a law without whole numbers has one real number, tied to no other one."""
    return not isinstance(law, ReleasedDistribution) or all(
        len(releases) == 1 and isinstance(releases[0], RealRelease)
        for ways in law.released.values()
        for releases in ways
    )


_Made: TypeAlias = dict[Hashable, list[Mapping[int, PartRelease | NoisyPart]]]
"""For each template, and each place in it, what parts become, by their identities; those that stay are not there."""


def _replaced(law: AnyDistribution, made: _Made) -> AnyDistribution:
    if not isinstance(law, ReleasedDistribution):
        return law
    released: dict[Hashable, dict[Releases, list[Exact]]] = {}
    for template, ways in law.released.items():
        of_template = released.setdefault(template, {})
        for releases, weight in ways.items():
            of_template.setdefault(tuple(_parts(releases, made[template])), []).append(weight)
    return ReleasedDistribution(
        law.finite, {template: {way: total(ps) for way, ps in ways.items()} for template, ways in released.items()}
    )


def _parts(releases: Releases, made: Sequence[Mapping[int, PartRelease | NoisyPart]]) -> Iterator[Any]:
    first = len(releases) - len(made)
    yield from releases[:first]
    for of_place, part in zip(made, releases[first:], strict=True):
        yield of_place.get(id(part), part)
