"""Independent parts of laws: those that are kept apart, and those put in full, before laws are compared.

Parts may stay apart where the outcome says which template it came from: no outcome of the template is another one's,
on any database. Where laws are small, or templates meet, the parts' outcomes are put in their place.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from dpverify.mechanisms.drawing.caching import expanded, outcomes_in
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.lookalikes import refuse_lookalike
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.outputs.released import NoisyPart, Release, ReleasedDistribution
from dpverify.mechanisms.outputs.released_parts import FEW_OUTCOMES, PartRelease, parts_in, with_parts
from dpverify.mechanisms.outputs.released_reals import RealSlot
from dpverify.mechanisms.outputs.templates import Slot, cells_named
from dpverify.verifiers.problems.preparation.answers import AnyDistribution

_FEW_BESIDE_NOISE: Final = 64
"""Outcomes up to which parts are put in full where noise is released as well, of which each has its own cells."""


FEW_IN_ALL: Final = 1 << 17
"""Outcomes of all laws together up to which parts are put in full."""


def has_parts(law: AnyDistribution) -> bool:
    """True where independent parts are kept apart in a law."""
    return isinstance(law, ReleasedDistribution) and law.has_parts


def split_parts(laws: Sequence[AnyDistribution], limits: Limits) -> list[AnyDistribution]:
    """The laws, with independent parts where these are many and tell apart from what they came.

    Raises `Undecided` where parts would have to be put in full, and are too many for that.
    """
    if not any(map(has_parts, laws)):
        return list(laws)
    counts = list(map(_count, laws))
    most = [min(FEW_OUTCOMES, _FEW_BESIDE_NOISE) if _has_noise(law) else FEW_OUTCOMES for law in laws]
    if (
        not any(map(_has_wide_parts, laws))
        and sum(counts) <= FEW_IN_ALL
        and all(count <= few for count, few in zip(counts, most, strict=True))
    ):
        return [expanded(law) for law in laws]
    meeting = _meeting(laws)
    if not meeting:
        return list(laws)
    count = max(counts)
    if count > limits.outcomes:
        raise Undecided(not_known.TOO_MANY_KINDS, count)
    return [expanded(law, meeting) for law in laws]


def _has_wide_parts(law: AnyDistribution) -> bool:
    """True where a part is noise between two ends that are far from each other: as a part it has few cells."""
    parts = law.noisy_parts if isinstance(law, ReleasedDistribution) and law.has_parts else ()
    ways = (way for part in parts for of_template in part.law.released.values() for way in of_template)
    return any(isinstance(release, Release) and release.is_wide for way in ways for release in way)


def _has_noise(law: AnyDistribution) -> bool:
    return isinstance(law, ReleasedDistribution) and law.has_noise


def _count(law: AnyDistribution) -> int:
    return outcomes_in(law) if isinstance(law, ReleasedDistribution) else law.size


def _meeting(laws: Sequence[AnyDistribution]) -> set[Hashable]:
    """The templates with parts of which some outcome may be that of another template, or a plain one."""
    patterns = {
        template: _without_frames(with_parts(template, iter(some))) for template, some in _supports(laws).items()
    }
    plain: set[Hashable] = set()
    for law in laws:
        plain.update(law.finite if isinstance(law, ReleasedDistribution) else law.probabilities)
    results = {t for t in patterns if parts_in(t) and any(may_meet(patterns[t], outcome) for outcome in plain)}
    for left, right in combinations(patterns, 2):
        if may_meet(patterns[left], patterns[right]):
            results |= {template for template in (left, right) if parts_in(template)}
    return results


@dataclass(frozen=True)
class _Real:
    """A real number in a template, whatever the sum of noises that it is.

    A plain number in its place has probability 0, so that the two do not meet.
    """


def _without_frames(pattern: Any) -> Any:
    if isinstance(pattern, RealSlot):
        return _Real()
    return tuple(map(_without_frames, pattern)) if isinstance(pattern, tuple) else pattern


@dataclass(frozen=True)
class _Some:
    """All that an independent part may be, on any database, in its place in a template."""

    outcomes: frozenset[Hashable]
    has_templates: bool
    """True where noise is released in some of them."""


def _supports(laws: Sequence[AnyDistribution]) -> Mapping[Hashable, Sequence[_Some]]:
    """For each template what each of its parts may be. Raises `InputError` for equal ones that are not the same."""
    results: dict[Hashable, tuple[Hashable, list[dict[Hashable, Hashable]]]] = {}
    for law in laws:
        for template, ways in law.released.items() if isinstance(law, ReleasedDistribution) else ():
            known, of_slots = results.setdefault(template, (template, [{} for _ in range(parts_in(template))]))
            refuse_lookalike(known, template, " on one database")
            for releases in ways:
                for outcomes, part in zip(of_slots, _parts(releases), strict=True):
                    for outcome in _outcomes_of(part):
                        refuse_lookalike(outcomes.setdefault(outcome, outcome), outcome, " on one database")
    return {template: [_some(outcomes) for outcomes in some] for template, (_, some) in results.items()}


def _some(outcomes: Iterable[Hashable]) -> _Some:
    result = frozenset(map(_without_frames, outcomes))
    return _Some(result, any(map(_has_slots, result)))


def _has_slots(outcome: object) -> bool:
    if isinstance(outcome, tuple):
        return any(map(_has_slots, outcome))
    return isinstance(outcome, Slot | _Real)


def _parts(releases: Sequence[Any]) -> Iterator[PartRelease | NoisyPart]:
    return (release for release in releases if isinstance(release, PartRelease | NoisyPart))


def _outcomes_of(part: PartRelease | NoisyPart) -> Iterable[Hashable]:
    """The outcomes that a part may have, templates among them."""
    return part.probabilities if isinstance(part, PartRelease) else (*part.law.finite, *part.law.released)


def may_meet(left: Any, right: Any) -> bool:
    """True where two templates, with slots and with `_Some` in place of parts, may have an outcome in common."""
    if isinstance(left, _Some) or isinstance(right, _Some):
        some, other = (left, right) if isinstance(left, _Some) else (right, left)
        if isinstance(other, _Some):
            if not some.has_templates and not other.has_templates:
                return not some.outcomes.isdisjoint(other.outcomes)
            return any(may_meet(one, another) for one in some.outcomes for another in other.outcomes)
        return any(may_meet(outcome, other) for outcome in some.outcomes)
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(may_meet, left, right))
    if isinstance(left, Slot) and isinstance(right, Slot):
        # offsets that differ by a multiple of the greatest common divisor of the units
        step = left.unit / right.unit
        divisor = right.unit / step.denominator
        return ((left.offset - right.offset) / divisor).denominator == 1
    if isinstance(left, Slot) or isinstance(right, Slot):
        slot, other = (left, right) if isinstance(left, Slot) else (right, left)
        return cells_named(slot, other) is not None
    return bool(left == right)
