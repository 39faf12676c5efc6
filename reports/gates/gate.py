"""A gate: which claims of an audit ask another question than was accepted, or are answered worse, or are gone.

What is compared is the line that a baseline keeps of each claim. A change passes that is shown to be stronger, and one
of code that keeps the verdict; whatever else changed, and what is new, waits for somebody who reads its line.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from dpverify.mechanisms.numbers.shown import one_line
from dpverify.reports.gates.baseline import BaselineLine, baseline_line
from dpverify.reports.gates.changes import DOMAIN, NOTHING_SHOWN, Change, Shown, changes, is_renamed
from dpverify.reports.gates.comparison import Audit, record_of_claim
from dpverify.reports.kinds import kind_of
from dpverify.reports.numbers import counted
from dpverify.reports.record import DEPTHS, AuditRecord, ClaimResult, Location, Status

Mark = Literal["WORSE", "CHANGED", "GONE", "NEW", "NOT DECIDED", "STRONGER", "RENAMED", "KNOWN"]

FAILING: Final[Collection[Mark]] = ("WORSE", "CHANGED", "GONE", "NEW", "NOT DECIDED")
"""Changes that a gate does not let through."""

_ACCEPTED: Final[Sequence[Mark]] = ("WORSE", "CHANGED", "GONE", "NEW")
"""Changes that a new baseline can accept: not a claim that is not decided."""

_ORDER: Final[Sequence[Mark]] = ("WORSE", "GONE", "CHANGED", "NOT DECIDED", "NEW", "STRONGER", "RENAMED", "KNOWN")


@dataclass(frozen=True)
class GatedClaim:
    """The answer of a gate on a claim."""

    mark: Mark
    name: str
    changes: Sequence[Change] = ()
    said: Sequence[str] = ()
    """Further remarks, in sentences."""
    witness: Sequence[str] = ()
    claim_at: Location | None = None
    mechanism_at: Location | None = None
    left_open: bool = False
    """True where it is no worse than a verdict that leaves the claim open."""
    kind: str = ""
    """Of the claim."""

    @property
    def fails(self) -> bool:
        """True where the gate does not let it through."""
        return self.mark in FAILING

    @property
    def in_lines(self) -> list[str]:
        """The lines on it, and what changed."""
        return [*self.said, *(change.in_words for change in self.changes)]

    @property
    def place(self) -> Location | None:
        """The place to see: the claim where it asks another question, and else the mechanism, if it has a file."""
        asks = self.mark in ("CHANGED", "NEW", "GONE", "RENAMED") or any(
            change.what != "verdict" for change in self.changes
        )
        order = (self.claim_at, self.mechanism_at) if asks else (self.mechanism_at, self.claim_at)
        known = [place for place in order if place is not None]
        return next((place for place in known if place.file), next(iter(known), None))


@dataclass(frozen=True)
class Gate:
    """The changes from a baseline to an audit, worst first, and the number of claims that are the same."""

    rows: Sequence[GatedClaim] = ()
    same: int = 0
    left_out: Sequence[str] = ()
    """Ids of the baseline that nobody asked for."""
    before: Mapping[str, BaselineLine] = field(default_factory=dict, compare=False, repr=False)
    """The lines of the baseline, by the ids of their claims."""

    @property
    def failing(self) -> list[GatedClaim]:
        """The claims that it does not let through."""
        return [row for row in self.rows if row.fails]

    @property
    def asks_for_update(self) -> bool:
        """True where it passes, and the baseline says less, or other names, than is known now."""
        return not self.failing and bool(self.marked("STRONGER", "RENAMED"))

    def marked(self, *marks: Mark) -> list[GatedClaim]:
        """The rows with these marks."""
        return [row for row in self.rows if row.mark in marks]

    @property
    def of_claims(self) -> dict[str, GatedClaim]:
        """The rows by the ids of their claims."""
        return {row.name: row for row in self.rows}


@dataclass(frozen=True)
class AuditRequest:
    """The request that an audit was made for, as far as its record does not say so."""

    left_out: Collection[str] = ()
    """Ids of claims that are claims still, and that nobody asked for."""
    later: Mapping[str, tuple[str, Location | None]] = field(default_factory=dict)
    """Ids of claims that were meant and are left to a later depth: that, and where they are written."""
    unread: Collection[str] = ()
    """Files that could not be read."""
    folder: str = ""
    """Folder of the baseline, below the root of the project, which places are relative to."""


ALL: Final = AuditRequest()


class Answered(NamedTuple):
    """The answer of an audit on a claim: as a line, and its record, if that has the form of this version."""

    line: BaselineLine
    result: ClaimResult | None


def answers(record: AuditRecord, files: Mapping[str, str] | None = None) -> dict[str, Answered]:
    """The answers of an audit on its claims, by their ids; `files` are those of claims as seen from the baseline."""
    known = files or {}
    return {claim.id: Answered(baseline_line(claim, known.get(claim.id)), claim) for claim in record.claims}


def gate(
    before: Mapping[str, BaselineLine],
    after: Mapping[str, Answered],
    not_decided: Mapping[str, str],
    asked: AuditRequest = ALL,
    shown: Shown = NOTHING_SHOWN,
) -> Gate:
    """The changes from the lines of a baseline to an audit; `not_decided` are ids with the reasons."""
    present = {*after, *not_decided, *asked.later, *asked.left_out}
    missing = {name: line for name, line in before.items() if name not in present}
    gated_claims: dict[str, GatedClaim] = {}
    same = 0
    for name, claim in after.items():
        row = compared(before[name], claim, shown) if name in before else _appeared(claim, missing, shown)
        if row is None:
            same += 1
        else:
            gated_claims[name] = row
            missing.pop(row.changes[0].before if row.mark == "RENAMED" and row.changes else "", None)
    renamed = {
        row.changes[0].before for row in gated_claims.values() if row.mark == "RENAMED" and row.changes[0].what == "id"
    }
    left_out = []
    for name, line in before.items():
        if name not in after and name not in renamed:
            absent = _absent(line, not_decided.get(name), asked)
            if absent is None:
                left_out.append(name)
            else:
                gated_claims[name] = absent
    rows = sorted(gated_claims.values(), key=lambda row: _ORDER.index(row.mark))
    return Gate(tuple(rows), same, tuple(left_out), before)


def compared(before: BaselineLine, claim: Answered, shown: Shown = NOTHING_SHOWN) -> GatedClaim | None:
    """The answer on a claim that the baseline has; None where that is the same, and nobody has to know of it."""
    after, result = claim
    results = list(changes(before, after, shown))
    refuted = after.verdict == Status.REFUTED.value
    said = []
    surprised = bool(after.surprise) and after.surprise != before.surprise
    if surprised:
        was = "which it was" if not before.surprise else f"and known as: {before.surprise}"
        said.append(f"not as expected, {was}: {after.surprise}")
    elif after.surprise:
        said.append(f"not as expected, and known: {after.surprise}")
    failing = [change for change in results if change.fails]
    mark: Mark
    if surprised or any(change.effect == "worse" for change in failing):
        mark = "WORSE"
    elif failing:
        mark = "CHANGED"
    elif any(change.effect == "stronger" for change in results):
        mark = "STRONGER"
    elif results:
        mark = "RENAMED"
    elif refuted or after.surprise:
        mark = "KNOWN"
    else:
        return None
    if refuted:
        new = before.verdict != Status.REFUTED.value
        said.append("refuted and new" if new else "refuted before" if mark in FAILING else _KNOWN_VIOLATION)
    if mark == "CHANGED":
        said.append("another question than was accepted, and not shown to be stronger")
    if mark == "CHANGED":
        said += [_to_claim_both(change) for change in failing if change.what == DOMAIN]
    only_open = result is not None and result.left_open and all(change.what == "verdict" for change in failing)
    return _row(mark, claim, failing or results, said, left_open=only_open, witness=mark in ("WORSE", "CHANGED"))


def _to_claim_both(domain: Change) -> str:
    """Advice on a domain that does not hold the one that was accepted."""
    sizes = sorted({int(size) for text in (domain.before, domain.after) for size in _SIZE.findall(text)})
    both = f", such as one with sizes={tuple(sizes)}" if len(sizes) > 1 else ""
    return (
        "not all databases and pairs that were accepted are there: to claim both, keep this claim as it was and add "
        f"one with the new domain, or take a domain that holds the old one{both}"
    )


_SIZE: Final = re.compile(r"\bsize=(\d+)\)")


def _row(
    mark: Mark, claim: Answered, found: Sequence[Change], said: Sequence[str], *, left_open: bool, witness: bool
) -> GatedClaim:
    line, result = claim
    if result is None:
        return GatedClaim(mark, line.id, found, said, kind=line.kind)
    shown = kind_of(result).witness(result) if witness else []
    return GatedClaim(
        mark, line.id, found, said, shown, result.location, result.mechanism_location, left_open, line.kind
    )


def _appeared(claim: Answered, missing: Mapping[str, BaselineLine], shown: Shown) -> GatedClaim:
    """The answer on a claim that the baseline has not: it was called otherwise, or nobody has read its question."""
    after = claim.line
    was = next((line for line in missing.values() if is_renamed(line, after, shown)), None)
    if was is not None:
        renamed = Change("id", was.id, after.id, "moved")
        return _row("RENAMED", claim, [renamed], [], left_open=False, witness=False)
    said = [f"not in the baseline: {after.verdict}, and nobody has accepted its question"]
    said += [f"not as expected: {after.surprise}"] if after.surprise else []
    said += ["refuted and new"] if after.verdict == Status.REFUTED.value else []
    return _row("NEW", claim, [], said, left_open=False, witness=bool(after.surprise))


def _absent(line: BaselineLine, undecided: str | None, asked: AuditRequest) -> GatedClaim | None:
    """The answer on a claim of the baseline that the audit has not decided; None where nobody asked for it."""
    file = posixpath.normpath(posixpath.join(asked.folder, line.file))
    at = Location(file, 0, "", line.id) if line.file else None
    if undecided is not None or line.file in asked.unread:
        why = "its file cannot be read" if undecided is None else one_line(undecided)
        change = Change("verdict", line.verdict, "not decided", "worse")
        return GatedClaim("NOT DECIDED", line.id, [change], [why], (), at, None, kind=line.kind)
    was = "full" if line.question is None else line.question.depth
    if line.id in asked.later:
        now, place = asked.later[line.id]
        if DEPTHS.index(now) <= DEPTHS.index(was):
            return None
        said = [f"it is no longer decided at depth {was}: to accept that, add --depth {now} to --update-baseline"]
        return GatedClaim("WORSE", line.id, [Change("depth", was, now, "worse")], said, (), place, None, kind=line.kind)
    if line.id in asked.left_out:
        return None
    return GatedClaim(
        "GONE", line.id, [], [f"it was {line.verdict}, and is no claim any more"], (), at, None, kind=line.kind
    )


def answers_of_any(audit: Audit) -> dict[str, Answered]:
    """The answers of an audit of any version on its claims, as far as it says so."""
    return {name: Answered(_line_of_any(claim), record_of_claim(claim)) for name, claim in audit.claims.items()}


def _line_of_any(claim: Mapping[str, Any]) -> BaselineLine:
    result = record_of_claim(claim)
    if result is not None:
        return baseline_line(result)
    verdict = str(claim.get("verdict"))
    return BaselineLine(
        id=str(claim["id"]),
        kind=str(claim.get("kind", "privacy")),
        verdict=verdict,
        expected=str(claim.get("expected") or verdict),
        source=str(claim.get("source", "")),
    )


def gate_in_lines(found: Gate, update: str = "", *, judged: bool = True, told: Collection[str] = ()) -> list[str]:
    """The lines of a gate, and the summary, with whether it passes; `update` says how what it asks for is accepted.

    The witnesses of those that are `told` are left out: they stand above.
    """
    lines = [line for row in found.rows for line in gate_row_lines(row, witness=row.name not in told)]
    counts = [f"{len(found.marked(mark))} {words}" for mark, words in _IN_WORDS if found.marked(mark)]
    known = found.marked("KNOWN")
    violations = sum(_KNOWN_VIOLATION in row.said for row in known)
    counts += [f"{found.same} unchanged", *([counted(violations, _KNOWN_VIOLATION)] if violations else [])]
    counts += [f"{len(known) - violations} known"] if len(known) > violations else []
    left_out = f"; {len(found.left_out)} of the baseline not asked for" if found.left_out else ""
    verdict = "" if not judged else " failed" if found.failing else " passed"
    lines += [f"Gate{verdict}: {', '.join(counts)}{left_out}"]
    return [*lines, *([update] if update and judged and (found.asks_for_update or found.marked(*_ACCEPTED)) else [])]


_IN_WORDS: Final[Sequence[tuple[Mark, str]]] = (
    ("WORSE", "worse"),
    ("GONE", "gone"),
    ("CHANGED", "changed"),
    ("NOT DECIDED", "not decided"),
    ("NEW", "new"),
    ("STRONGER", "stronger"),
    ("RENAMED", "renamed"),
)

_KNOWN_VIOLATION: Final = "known violation"


def gate_row_lines(row: GatedClaim, *, witness: bool = True) -> list[str]:
    """The lines on a claim, with its place, what changed, and, if it is asked for, its witness."""
    first = f"{row.mark:<12} {one_line(row.name)}" + (f"  {one_line(place_in_words(row))}" if row.place else "")
    if row.mark == "KNOWN":  # there may be many, and nobody has to do anything
        return [f"{first}  {one_line('; '.join(row.said))}"]
    return [
        first,
        *(f"    {one_line(text)}" for text in row.in_lines),
        *(f"        {one_line(line)}" for line in (row.witness if witness else ())),
    ]


def place_in_words(row: GatedClaim) -> str:
    """File and line, and the function where that says more; empty where neither is known."""
    place = row.place
    if place is None:
        return ""
    return f"({place.in_words}{f' {place.name}' if place is row.mechanism_at and place.file else ''})"


def gate_headline(found: Gate) -> str:
    """The answer of a gate, in a line."""
    return gate_in_lines(found)[-1]
