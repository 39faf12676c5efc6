"""Released whole numbers of which some paths return a plain number in their place: of max(0, n + noise) the cut.

Outcomes of two templates may be the same: (0, 3) of `(0, slot)` and of `(slot, slot)`. Such templates are made one, the
*pattern*, in which a plain number is a release as well: an atom, which is that number for certain. So an outcome comes
from one template, in several ways, and its probabilities are added up.
"""

from __future__ import annotations

import dis
from collections.abc import Hashable, Iterator, Mapping, Sequence
from types import CodeType
from typing import Any

from dpverify.mechanisms.functions.lookalikes import refuse_lookalike
from dpverify.mechanisms.functions.mechanism import Mechanism, name_of
from dpverify.mechanisms.functions.places import code_of, file_of
from dpverify.mechanisms.functions.post_processing import OR_RELEASE
from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.errors import InputError
from dpverify.mechanisms.numbers.exact_numbers import Exact, total
from dpverify.mechanisms.outputs.released import AtomRelease, ReleasedDistribution, Releases
from dpverify.mechanisms.outputs.templates import Slot, slots_of
from dpverify.verifiers.divergence.output_tables.independent_parts import may_meet
from dpverify.verifiers.problems.preparation.answers import AnyDistribution


def with_one_kind(laws: Sequence[AnyDistribution]) -> list[AnyDistribution]:
    """The laws, templates that may have an outcome in common being one: plain outcomes are left as they are.

    Raises `InputError` where two released numbers may be the same on two lattices, as n + noise and n + 2·noise, and
    where a plain number equals a released one and is not the same, as True and 1.
    """
    templates = {t: None for law in laws if isinstance(law, ReleasedDistribution) for t in law.released}
    patterns = _patterns(templates)
    if all(template == pattern for template, pattern in patterns.items()):
        return list(laws)
    return [_on_patterns(law, patterns) if isinstance(law, ReleasedDistribution) else law for law in laws]


def _patterns(templates: Mapping[Hashable, None]) -> dict[Hashable, Hashable]:
    """For each template the pattern that it is part of."""
    groups: list[tuple[Hashable, list[Hashable]]] = []
    for template in templates:
        pattern: Hashable = template
        members = [template]
        while (met := next((group for group in groups if may_meet(group[0], pattern)), None)) is not None:
            groups.remove(met)
            pattern, members = _joined(met[0], pattern), [*met[1], *members]
        groups.append((pattern, members))
    return {template: pattern for pattern, members in groups for template in members}


def _joined(left: Any, right: Any) -> Any:
    """The pattern of two that may have an outcome in common: a slot wherever one of them has it."""
    if isinstance(left, tuple) and isinstance(right, tuple):
        return tuple(map(_joined, left, right))
    if isinstance(left, Slot) and isinstance(right, Slot):
        if left != right:
            raise TwoKinds(left, right)
        return left
    if isinstance(left, Slot) or isinstance(right, Slot):
        slot, number = (left, right) if isinstance(left, Slot) else (right, left)
        place(slot, number)
        return slot
    refuse_lookalike(left, right)
    return left


def place(slot: Slot, number: Hashable) -> int:
    """The number of a slot that equals a plain one. Raises `InputError` where it is equal to that and not the same."""
    m = slot.position(number)
    assert m is not None and m.denominator == 1, "it is one of them"
    refuse_lookalike(slot.value(int(m)), number)
    return int(m)


def atoms(template: Any, pattern: Any) -> Iterator[AtomRelease | None]:
    """For each slot of a pattern the plain number that stands there in a template, or an outcome; None for a slot."""
    if isinstance(pattern, Slot):
        yield None if isinstance(template, Slot) else AtomRelease(place(pattern, template))
    elif isinstance(pattern, tuple):
        for inner, of_pattern in zip(template, pattern, strict=True):
            yield from atoms(inner, of_pattern)


def _on_patterns(law: ReleasedDistribution, patterns: Mapping[Hashable, Hashable]) -> AnyDistribution:
    results: dict[Hashable, dict[Releases, list[Exact]]] = {}
    for template, ways in law.released.items():
        pattern = patterns[template]
        given, count = list(atoms(template, pattern)), len(slots_of(template))
        for releases, weight in ways.items():
            whole = iter(releases[:count])
            placed: Releases = tuple(next(whole) if atom is None else atom for atom in given)
            results.setdefault(pattern, {}).setdefault((*placed, *releases[count:]), []).append(weight)
    return ReleasedDistribution(
        law.finite, {pattern: {way: total(ps) for way, ps in ways.items()} for pattern, ways in results.items()}
    )


def plain_part(law: AnyDistribution) -> Mapping[Hashable, Exact]:
    """The plain outcomes of a law."""
    return law.finite if isinstance(law, ReleasedDistribution) else law.probabilities


class TwoKinds(InputError):
    """Two released numbers, or an outcome with one, of two lattices that have numbers in common."""

    def __init__(self, left: Slot, right: Slot) -> None:
        kinds = " and ".join(sorted(f"{', '.join(str(slot.value(m)) for m in range(3))} …" for slot in (left, right)))
        super().__init__(reasons.TWO_KINDS_OF_OUTCOME.text(kinds=kinds, or_release=OR_RELEASE))


def with_returns(mechanism: Mechanism, error: InputError) -> InputError:
    """An error about what a mechanism returns, with the lines where it does."""
    where = where_it_returns(mechanism)
    return InputError(f"{name_of(mechanism)}: {error}{where}") if where else error


def where_it_returns(mechanism: Mechanism) -> str:
    """The file and the lines where a mechanism returns, in brackets after a blank; empty where they are not known."""
    code, file = code_of(mechanism), file_of(mechanism)
    if code is None or file is None:
        return ""
    lines = sorted({line for line, name in _lines(code) if name.startswith("RETURN")} - {code.co_firstlineno})
    where = lines or [code.co_firstlineno]
    return f" ({file}, line{'s' if len(where) > 1 else ''} {', '.join(map(str, where))})"


def _lines(code: CodeType) -> Iterator[tuple[int, str]]:
    """The line and the name of each instruction."""
    line = code.co_firstlineno
    starts = {offset: number for offset, number in dis.findlinestarts(code) if number is not None}
    for instruction in dis.get_instructions(code):
        line = starts.get(instruction.offset, line)
        yield line, instruction.opname
