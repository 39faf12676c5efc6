"""Changes of a claim since its line in a baseline was accepted, and whether that is shown to be stronger."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, NamedTuple, TypeAlias

from dpverify.mechanisms.numbers.shown import cut, one_line
from dpverify.reports.gates.baseline import INFINITE, BaselineLine
from dpverify.reports.record import CALLS, DEPTHS, DescribedPart, QuestionRecord, Status

Effect = Literal["worse", "another", "stronger", "moved"]
"""Effects of a change of a claim: less is known or said; another question is asked; shown to say more; the same."""

Holds = Literal["the same", "all and more", "not shown"]
"""Relation of the databases and pairs of neighbours of a question to those that were accepted."""


class Shown(NamedTuple):
    """The proofs about a claim beyond its two lines, by looking at databases and at files."""

    holds: Callable[[BaselineLine, BaselineLine], Holds]
    is_gone: Callable[[str, str], bool]
    """True where a module does not define a function of this name any more."""


NOTHING_SHOWN: Final = Shown(lambda before, after: "not shown", lambda module, name: False)

_HOLDS: Final = {Status.PROVED: 4, Status.CHECKED: 3, Status.FUZZED: 2, Status.REFUTED: 0}
"""Rank of a verdict by how much of a claim it shows; those that show nothing of it, and VACUOUS, hold 1."""


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


def changes(before: BaselineLine, after: BaselineLine, shown: Shown) -> Iterator[Change]:
    """The differences of a claim from its line in a baseline; what one of the two does not have is not compared."""
    verdict = _of_verdict(before, after)
    improved = verdict is not None and verdict.effect == "stronger"
    if verdict is not None:
        yield verdict
    yield from _of_scope(before, after)
    yield from _of_violation(before, after)
    for what, one, other in (("expected", before.expected, after.expected), *_of_refutation(before, after)):
        if one != other:
            fits = improved and (what != "expected" or other == after.verdict)
            yield Change(what, one, other, "stronger" if fits else "another")
    if before.source != after.source:
        yield Change("source", before.source, after.source, "another")
    if before.kind != after.kind:
        effect: Effect = "moved" if (before.kind, after.kind) in _SPLIT else "another"
        yield Change("kind", before.kind, after.kind, effect)
        yield from _of_depth(before, after)
    elif before.question is not None and after.question is not None:
        yield from _of_questions(before, after, shown)
    if before.file != after.file:
        yield Change("file", before.file, after.file, "moved")


_SPLIT: Final = frozenset([("utility", "calculation")])
"""Kinds of which a part has become another kind: what such a claim asks has another form, and is not compared."""


def _of_depth(before: BaselineLine, after: BaselineLine) -> Iterator[Change]:
    """The change of depth: a later one is worse."""
    if before.question is not None and after.question is not None and before.question.depth != after.question.depth:
        sooner = _rank(after.question.depth) < _rank(before.question.depth)
        yield Change("depth", before.question.depth, after.question.depth, "stronger" if sooner else "worse")


def _of_scope(before: BaselineLine, after: BaselineLine) -> Iterator[Change]:
    """The scope of a verdict: whatever narrows it is worse, and each such thing is a row here.

    A rider is news also where the verdict is another one: what was UNDECIDED is not PROVED of rows in every order.
    """
    if before.rider != after.rider and (after.rider or before.verdict == after.verdict):
        found, found_now = (f"{line.verdict} {line.rider}".rstrip() for line in (before, after))
        yield Change("verdict", found, found_now, "worse" if after.rider else "stronger")
    if before.verdict != after.verdict:
        return
    for what, one, other, words in (("scope", before.all_sizes, after.all_sizes, ("finite", "all sizes")),):
        if one != other:
            yield Change(what, words[one], words[other], "stronger" if other else "worse")


def _of_violation(before: BaselineLine, after: BaselineLine) -> Iterator[Change]:
    """The extent of a violation that was known, at the same claimed ε and δ: known is what was accepted."""
    refuted = before.verdict == after.verdict == Status.REFUTED.value
    old_question, new_question = before.question, after.question
    same = old_question is not None and new_question is not None and old_question.claimed == new_question.claimed
    for name, one, other in _differing(before.violation, after.violation) if refuted and same else ():
        old, new = _number(one), _number(other)
        if old is not None and (other == INFINITE or (new is not None and new > old * _MORE)):
            yield Change(name, one, other, "worse")
        elif new is not None and (one == INFINITE or (old is not None and new < old / _MORE)):
            yield Change(name, one, other, "stronger")


_MORE: Final = 1 + Fraction(1, 10**6)
"""Least difference of two numbers: a result is exact up to some digits."""


def _of_verdict(before: BaselineLine, after: BaselineLine) -> Change | None:
    old, new = before.verdict, after.verdict
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


def _of_questions(line_before: BaselineLine, line_after: BaselineLine, shown: Shown) -> Iterator[Change]:
    before, after = line_before.question, line_after.question
    if before is None or after is None:
        return
    yield from _of_depth(line_before, line_after)
    yield from _of_numbers(before.claimed, after.claimed)
    yield from _of_pairs(line_before, line_after, shown.holds)
    yield from _of_mutants(before, after)
    yield from _of_mechanism(before, after, shown.is_gone)
    for what, one, other in (
        ("wrapper, a digest of its code", before.wrapper, after.wrapper),
        ("what the file of claims does when it is loaded, a digest", before.setup, after.setup),
    ):
        if one != other:
            yield Change(what, one, other, "another")
    for name, one, other in _differing(before.parameters, after.parameters):
        yield Change(f"parameter {name}", one, other, "another")
    for name, one, other in _differing(before.more, after.more):
        yield Change(name, one, other, "another" if one else "stronger")
    yield from _of_further(before.further, after.further, shown.is_gone)


_IsGone: TypeAlias = Callable[[str, str], bool]


def _of_mechanism(before: QuestionRecord, after: QuestionRecord, is_gone: _IsGone) -> Iterator[Change]:
    """The mechanism, which has moved where its file is another one, and the former one does not have it any more."""
    moved = before.mechanism_file != after.mechanism_file
    if before.mechanism != after.mechanism:
        old, new = f"{_module_of(before)}.", f"{_module_of(after)}."
        name = before.mechanism.partition(old)[2]
        same = moved and bool(name) and before.mechanism.replace(old, new) == after.mechanism
        effect: Effect = "moved" if same and is_gone(old.removesuffix("."), name) else "another"
        yield Change("mechanism", before.mechanism, after.mechanism, effect)
    if moved:
        yield Change("file of the mechanism", before.mechanism_file, after.mechanism_file, "moved")


def _module_of(asks: QuestionRecord) -> str:
    """The module of a mechanism of people's own."""
    return asks.mechanism_file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _of_further(before: Mapping[str, str], after: Mapping[str, str], is_gone: _IsGone) -> Iterator[Change]:
    """The other parts of a question: what is said of another file, and is the same, has moved."""
    gone = {(_without_file(name), text): name for name, text in before.items() if name not in after}
    moved = {}
    for name, text in after.items():
        was = gone.pop((_without_file(name), text), None) if name not in before else None
        if was is not None:
            moved[was] = name
            yield Change("told of a file", was, name, "moved")
    for name, one, other in _differing(before, after):
        if name == CALLS:
            yield from _of_calls(one, other, is_gone)
        elif name not in moved and name not in moved.values():
            yield Change(name, one, other, "another")


def _of_calls(before: str, after: str, is_gone: _IsGone) -> Iterator[Change]:
    """Functions of the library that stand in another module: which are called, the digests of what calls them say."""
    old, new = set(before.split(", ")), set(after.split(", "))
    for one in sorted(old - new):
        module, _, name = one.partition(":")
        for other in sorted(new - old):
            if other.partition(":")[2] == name:
                yield Change(CALLS, one, other, "moved" if is_gone(module, name) else "another")


def _without_file(name: str) -> str:
    """A name of what is told of a file, whatever file that is."""
    return _OF_A_FILE.sub(r"\1 …: ", name)


_OF_A_FILE: Final = re.compile(r"^(unreached|outside|exact) in [^:]*: ")


def _rank(depth: str) -> int:
    return DEPTHS.index(depth) if depth in DEPTHS else len(DEPTHS)


def _of_numbers(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Change]:
    """Direction in which a claimed or tested quantity is stronger, less or more, where that is plain."""
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


def _of_pairs(
    line_before: BaselineLine, line_after: BaselineLine, holds: Callable[[BaselineLine, BaselineLine], Holds]
) -> Iterator[Change]:
    """Domain and relation, by their databases and pairs: stronger where all that were accepted are there still."""
    before, after = line_before.question, line_after.question
    if before is None or after is None:
        return
    relation, relation_now = before.neighbour_relation, after.neighbour_relation
    if (before.domain, relation) == (after.domain, relation_now):
        return
    held = holds(line_before, line_after)
    if held == "the same":
        return
    effect: Effect = "stronger" if held == "all and more" else "another"
    if before.domain != after.domain:
        one, other = in_prose(before.domain, line_before.databases), in_prose(after.domain, line_after.databases)
        yield Change(DOMAIN, one, other, effect)
    pairs, pairs_now = line_before.pairs, line_after.pairs
    if relation != relation_now:
        yield Change("neighbours", in_prose(relation, pairs), in_prose(relation_now, pairs_now), effect)
    elif pairs != pairs_now:
        yield Change("pairs", f"{pairs:,}", f"{pairs_now:,}", effect)


DOMAIN: Final = "domain"
"""Name of a change of the databases."""


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


def in_prose(part: DescribedPart | None, count: int = 0) -> str:
    """A domain, a relation or a mutant in words, with how many there are of what it holds, and its digest."""
    if part is None:
        return ""
    held = [*([f"{count:,}"] if count else []), *([part.digest] if part.digest else [])]
    return f"{part.text} ({', '.join(held)})" if held else part.text


def is_renamed(before: BaselineLine, after: BaselineLine, shown: Shown) -> bool:
    """True where two lines say the same, but for their ids and for where things are written."""
    if before.question is None or before.surprise or before.surprise != after.surprise:
        return False
    return all(change.effect == "moved" for change in changes(before, after, shown))
