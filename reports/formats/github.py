"""An audit as GitHub shows it: annotations beside the lines, and the summary of a job, within their size limits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from dpverify.mechanisms.numbers.shown import cut, one_line
from dpverify.reports.audits.summary import claim_described, refuted_in_short, remarks, verdict_in_words
from dpverify.reports.formats.first_screen import first_sentence, one_sentence
from dpverify.reports.gates.gate import Gate, gate_in_lines, place_in_words
from dpverify.reports.kinds import kind_of
from dpverify.reports.markdown_text import code, fenced, plain_text
from dpverify.reports.record import AuditRecord, ClaimResult, Location

_Level = Literal["error", "warning", "notice"]

MOST_ANNOTATIONS: Final = 10
"""Annotations of each level that GitHub shows of a step; it leaves out more without a word."""

_LONGEST_MESSAGE: Final = 4_000
"""Characters: GitHub takes 64 KB."""

MOST_BYTES: Final = 1_000_000
"""Of a summary: GitHub refuses a step's that is larger than 1 MiB, all of it."""


def workflow_commands(audit: AuditRecord, gated: Gate | None = None, uncovered: Sequence[Location] = ()) -> list[str]:
    """Workflow commands that annotate what fails: of the gate, where there is one, and else what is not as expected.

    And each of the functions that are `uncovered`: no claim reaches them, and one should.
    """
    errors = [
        workflow_command("error", row.location, f"{row.id} is not decided", [row.reason]) for row in audit.not_decided
    ]
    warnings: list[str] = []
    if gated is None:
        for claim in audit.claims:
            if claim.surprise:
                level: _Level = "warning" if claim.left_open else "error"
                place = _first_in_project(claim.mechanism_location, claim.location)
                what = workflow_command(level, place, f"{claim.id}: {claim.surprise}", claim_described(claim))
                (warnings if claim.left_open else errors).append(what)
    else:
        for row in gated.failing:
            if row.mark != "NOT DECIDED":
                place = row.place
                lines = [*row.in_lines, *row.witness]
                level = "warning" if row.left_open else "error"
                what = workflow_command(level, place, f"{row.name} is {row.mark.lower()}", lines)
                (warnings if row.left_open else errors).append(what)
    errors += [
        workflow_command("error", place, f"{place.function} has no claim", ["it draws, and no claim reaches it"])
        for place in uncovered
    ]
    notices = [workflow_command("notice", None, "more than the baseline has", ["update it"])] if _asks(gated) else []
    return [*shown_by_github(errors, "error"), *shown_by_github(warnings, "warning"), *notices]


def _asks(gated: Gate | None) -> bool:
    return gated is not None and gated.asks_for_update


def _first_in_project(*places: Location | None) -> Location | None:
    return next((place for place in places if place is not None and place.file), None)


def shown_by_github(commands: Sequence[str], level: _Level) -> list[str]:
    """The commands, or the first of them and one that says how many more there are."""
    if len(commands) <= MOST_ANNOTATIONS:
        return list(commands)
    kept = MOST_ANNOTATIONS - 1
    more = workflow_command(
        level, None, "more", [f"and {len(commands) - kept} more: see the log, or the summary of the job"]
    )
    return [*commands[:kept], more]


def workflow_command(level: _Level, place: Location | None, title: str, lines: Iterable[str], column: int = 0) -> str:
    """A workflow command, escaped as GitHub unescapes it."""
    given = {}
    if place is not None and place.file:
        given = {"file": place.file} | ({"line": str(place.line)} if place.line else {})
        given |= {"col": str(column)} if column else {}
    given["title"] = cut(one_line(title), 250)
    properties = ",".join(f"{name}={_escaped(value, ':,')}" for name, value in given.items())
    return f"::{level} {properties}::{_escaped(cut(chr(10).join(map(one_line, lines)), _LONGEST_MESSAGE))}"


def _escaped(text: str, more: str = "") -> str:
    for character in ("%", "\r", "\n", *more):
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def summary(
    audit: AuditRecord, gated: Gate | None = None, uncovered: Sequence[Location] = (), *, most: int = MOST_BYTES
) -> str:
    """The summary of a job in Markdown, what fails first; what does not fit in so many bytes is left out, and said."""
    lines = ["## dpverify", "", f"**{one_sentence(first_sentence(audit))}.**", ""]
    refuted = refuted_in_short(audit.claims)
    lines += [f"{refuted}.", ""] if refuted else []
    blocks = ["\n".join(lines)]
    if gated is not None:
        blocks.append(f"**{plain_text(gate_in_lines(gated)[-1])}**\n")
        blocks += [_gate_block(gated, i) for i in range(len(gated.rows)) if gated.rows[i].mark != "KNOWN"]
    for row in audit.not_decided:
        blocks.append(f"### ❌ {code(row.id)} not decided\n\n{plain_text(row.reason)}\n")
    for place in uncovered:
        where = f" ({plain_text(place.in_words)})" if place.file else ""
        blocks.append(f"### ❌ NO CLAIM {code(place.function)}{where}\n\nIt draws, and no claim reaches it.\n")
    told = {row.name for row in gated.rows if row.witness or not row.fails} if gated is not None else set()
    blocks += [_claim_block(claim) for claim in audit.claims if claim.surprise and claim.id not in told]
    rows = ["| claim | verdict | claimed | result |\n| --- | --- | --- | --- |", *map(_row, audit.claims)]
    return _within([*blocks, *(rows if audit.claims else [])], most)


def _gate_block(gated: Gate, i: int) -> str:
    row = gated.rows[i]
    mark = "❌" if row.fails else "✅"
    where = f" {plain_text(place_in_words(row))}" if row.place else ""
    said = [f"- {plain_text(text)}" for text in row.in_lines]
    witness = ["", *fenced([one_line(line) for line in row.witness])] if row.witness else []
    return "\n".join([f"### {mark} {row.mark} {code(row.name)}{where}", "", *said, *witness, ""])


def _claim_block(claim: ClaimResult) -> str:
    lines = [one_line(line) for line in claim_described(claim)]
    return "\n".join([f"### ❌ {code(claim.id)}", "", plain_text(claim.surprise), "", *fenced(lines), ""])


def _row(claim: ClaimResult) -> str:
    kind = kind_of(claim)
    said = ", ".join(remarks(claim))
    verdict = plain_text(verdict_in_words(claim)) + (f" ({plain_text(said)})" if said else "")
    return f"| {code(claim.id)} | {verdict} | {plain_text(kind.claimed(claim))} | {plain_text(kind.found(claim))} |"


def _within(blocks: Sequence[str], most: int) -> str:
    """As many of the blocks, from the first, as fit, and how many did not."""
    room, kept = most - 200, 0
    for block in blocks:
        room -= len(block.encode("utf-8", "backslashreplace")) + 1
        if room < 0:
            break
        kept += 1
    left = len(blocks) - kept
    more = [f"\n{left} more parts do not fit in a summary: see the log, or the report.\n"] if left else []
    return "\n".join([*blocks[:kept], *more]) + "\n"
