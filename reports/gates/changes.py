"""Changes of a claim since its line in a baseline was accepted, and whether that is shown to be stronger."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, TypeAlias

import msgspec

from dpverify.mechanisms.numbers.shown import cut, one_line
from dpverify.reports.gates.baseline import BaselineLine
from dpverify.reports.record import DEPTHS, QuestionRecord, Status, Told

Effect = Literal["worse", "another", "stronger", "moved"]
"""What a change makes of a claim: less is known or said; another question is asked; shown to say more; the same."""

Contains: TypeAlias = Callable[[QuestionRecord, QuestionRecord], bool]
"""True where the pairs of neighbours of the second question are shown to hold all of the first's."""

_HOLDS: Final = {Status.PROVED: 3, Status.FUZZED: 2, Status.REFUTED: 0}
"""How much a verdict holds of a claim; those that leave it open, and VACUOUS, hold 1."""


@dataclass(frozen=True)
class Change:
    """A part of what is said of a claim, before and after."""

    what: str
    before: str
    after: str
    effect: Effect

    @property
    def in_words(self) -> str:
        """On one line."""
        return f"{self.what}: {_shown(self.before, self.after)} → {_shown(self.after, self.before)}"

    @property
    def fails(self) -> bool:
        """True where a gate does not let it through."""
        return self.effect in ("worse", "another")


_LONGEST: Final = 160
"""Characters of a text that is shown in full."""


def _shown(text: str, other: str) -> str:
    """A text from a little before it differs from the other, where it is long."""
    text, other = one_line(text), one_line(other)
    if len(text) <= _LONGEST:
        return text or "nothing"
    same = next((i for i, (one, two) in enumerate(zip(text, other, strict=False)) if one != two), 0)
    begin = max(0, same - 30)
    return ("…" if begin else "") + cut(text[begin:], _LONGEST)


def changes(before: BaselineLine, after: BaselineLine, contains: Contains) -> Iterator[Change]:
    """The differences of a claim from its line in a baseline; what one of the two does not have is not compared."""
    verdict = _of_verdict(before, after)
    improved = verdict is not None and verdict.effect == "stronger"
    if verdict is not None:
        yield verdict
    if before.found == after.found and before.all_sizes != after.all_sizes:
        words = {True: "all sizes", False: "finite"}
        effect: Effect = "stronger" if after.all_sizes else "worse"
        yield Change("scope", words[before.all_sizes], words[after.all_sizes], effect)
    if before.rider != after.rider and (after.rider or before.found == after.found):
        one, other = (f"{line.found} {line.rider}".rstrip() for line in (before, after))
        yield Change("verdict", one, other, "worse" if after.rider else "stronger")
    for what, one, other in (("expected", before.expected, after.expected), *_of_refutation(before, after)):
        if one != other:
            fits = improved and (what != "expected" or other == after.found)
            yield Change(what, one, other, "stronger" if fits else "another")
    for what, one, other in (("kind", before.kind, after.kind), ("source", before.source, after.source)):
        if one != other:
            yield Change(what, one, other, "another")
    if before.asks is not None and after.asks is not None:
        counts = (before.databases, before.pairs), (after.databases, after.pairs)
        yield from _of_questions(before.asks, after.asks, counts, contains)
    if before.file != after.file:
        yield Change("file", before.file, after.file, "moved")


def _of_verdict(before: BaselineLine, after: BaselineLine) -> Change | None:
    old, new = before.found, after.found
    if old == new:
        return None
    worse = _holds(new) < _holds(old) or (_is_open(new) and not (_is_open(old) and new != Status.VACUOUS.value))
    return Change("verdict", old, new, "worse" if worse else "stronger")


def _holds(verdict: str) -> int:
    return _HOLDS.get(Status(verdict), 1) if verdict in Status.__members__ else 1


def _is_open(verdict: str) -> bool:
    """True where a verdict says neither that a claim holds nor that it does not; what was refuted could hide so."""
    return _holds(verdict) == 1


def _of_refutation(before: BaselineLine, after: BaselineLine) -> list[tuple[str, str, str]]:
    return [("refuted is", before.refutation, after.refutation)]


_Counts: TypeAlias = tuple[tuple[int, int], tuple[int, int]]


def _of_questions(
    before: QuestionRecord, after: QuestionRecord, counts: _Counts, contains: Contains
) -> Iterator[Change]:
    if before.depth != after.depth:
        sooner = _rank(after.depth) < _rank(before.depth)
        yield Change("depth", before.depth, after.depth, "stronger" if sooner else "worse")
    yield from _of_numbers(before.claimed, after.claimed)
    yield from _of_pairs(before, after, counts, contains)
    yield from _of_mutants(before, after)
    for what, one, other in (
        ("mechanism", before.mechanism, after.mechanism),
        ("file of the mechanism", before.mechanism_file, after.mechanism_file),
        ("wrapper, a digest of its code", before.wrapper, after.wrapper),
        ("what the file of claims does when it is loaded, a digest", before.setup, after.setup),
    ):
        if one != other:
            yield Change(what, one, other, "another")
    for name, one, other in _differing(before.parameters, after.parameters):
        yield Change(f"parameter {name}", one, other, "another")
    for name, one, other in _differing(before.more, after.more):
        yield Change(name, one, other, "another" if one else "stronger")
    for name, one, other in _differing(before.further, after.further):
        yield Change(name, one, other, "another")


def _rank(depth: str) -> int:
    return DEPTHS.index(depth) if depth in DEPTHS else len(DEPTHS)


def _of_numbers(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Change]:
    """What is claimed, and how much of it was put to the test: less or more is stronger, where that is plain."""
    for name, one, other in _differing(before, after):
        low, high = _number(other), _number(one)
        effect: Effect = "another"
        if name in _LESS_IS_STRONGER | _MORE_IS_STRONGER and low is not None and high is not None:
            effect = "stronger" if (low < high) == (name in _LESS_IS_STRONGER) else "worse"
        yield Change(f"claimed {_LETTERS.get(name, name)}", one, other, effect)


_LETTERS: Final = {"epsilon": "ε", "delta": "δ"}
_LESS_IS_STRONGER: Final = frozenset(("epsilon", "delta", "smallest violation seen"))
_MORE_IS_STRONGER: Final = frozenset(("confidence", "draws"))


def _number(text: str) -> Fraction | None:
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None


def _of_pairs(before: QuestionRecord, after: QuestionRecord, counts: _Counts, contains: Contains) -> Iterator[Change]:
    """Domain and relation, which are stronger where all neighbours of before are neighbours still."""
    same = (before.domain, before.relation) == (after.domain, after.relation)
    if same:
        return
    effect: Effect = "stronger" if contains(before, after) else "another"
    (databases, pairs), (databases_now, pairs_now) = counts
    if before.domain != after.domain:
        yield Change("domain", in_prose(before.domain, databases), in_prose(after.domain, databases_now), effect)
    if before.relation != after.relation:
        yield Change("neighbours", in_prose(before.relation, pairs), in_prose(after.relation, pairs_now), effect)
    elif pairs != pairs_now:
        yield Change("pairs", f"{pairs:,}", f"{pairs_now:,}", effect)


def _of_mutants(before: QuestionRecord, after: QuestionRecord) -> Iterator[Change]:
    """Mutants, which are known by their code: a further one makes the check stronger."""
    old, new = ({one.digest for one in asked.mutants} for asked in (before, after))
    if old != new:
        one, other = (", ".join(in_prose(each) for each in asked.mutants) or "none" for asked in (before, after))
        yield Change("mutant", one, other, "stronger" if old < new else "another")


def _differing(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    for name in dict.fromkeys((*before, *after)):
        one, other = before.get(name, ""), after.get(name, "")
        if one != other:
            yield name, one, other


def in_prose(part: Told | None, count: int = 0) -> str:
    """A domain, a relation or a mutant in words, with how many there are of what it holds, and its digest."""
    if part is None:
        return ""
    held = [*([f"{count:,}"] if count else []), *([part.digest] if part.digest else [])]
    return f"{part.text} ({', '.join(held)})" if held else part.text


def is_renamed(before: BaselineLine, after: BaselineLine) -> bool:
    """True where two lines say the same, but for their ids and files."""
    bare = msgspec.structs.replace(before, id=after.id, file=after.file)
    return bare == after and before.asks is not None and not before.surprise
