"""An audit as text for a terminal: a line a claim, and the witness under each refuted one."""

import textwrap
from collections.abc import Callable
from typing import Final

from dpverify.reports.audits.summary import headline, named_outside, refuted_in_short, refuted_in_words, remarks
from dpverify.reports.kind import Detail
from dpverify.reports.kinds import kind_of, kinds
from dpverify.reports.record import AuditRecord, ClaimResult, NotDecided, Status

Paint = Callable[[str, Status], str]
"""Colours a text after a verdict; the identity where there is no terminal."""

TEXT_WIDTH: Final = 110
"""Characters in a line of prose below a claim."""


def to_table(
    audit: AuditRecord, paint: Paint = lambda text, _: text, *, detail: Detail = "", surprises_only: bool = False
) -> str:
    """The table, with `detail` below each claim, what is not decided below all, and the headline below that."""
    shown = [claim for claim in audit.claims if not surprises_only or not claim.as_expected]
    width = max((len(claim.id) for claim in shown), default=0)
    lines = [line for claim in shown for line in claim_lines(claim, width, paint, detail)]
    return "\n".join([*lines, *last_lines(audit, paint, below_claims=bool(lines))])


def last_lines(audit: AuditRecord, paint: Paint, *, below_claims: bool, columns: int | None = None) -> list[str]:
    """The rows that are not decided, and, apart from what is above it, the headline, and what is refuted."""
    rows = [line for row in audit.not_decided for line in row_lines(row, paint, columns)]
    refuted = refuted_in_short(audit.claims)
    last = [headline(audit), *([refuted] if refuted else []), *_together(audit)]
    return [*rows, *([""] if rows or below_claims else []), *(line for text in last for line in _within(text, columns))]


def _together(audit: AuditRecord) -> list[str]:
    """The sentences on all claims of a kind, in the order of the kinds."""
    return [
        line
        for kind in kinds().values()
        for line in kind.together([claim for claim in audit.claims if kind_of(claim) is kind])
    ]


def row_lines(row: NotDecided, paint: Paint = lambda text, _: text, columns: int | None = None) -> list[str]:
    """Undecided things in a line, and the reason below it."""
    reason = textwrap.wrap(row.reason, _text_width(columns), break_on_hyphens=False)
    return [f"{paint('NOT DECIDED ', Status.REFUTED)} {row.id}", *(f"    {line}" for line in reason)]


def claim_lines(
    claim: ClaimResult,
    width: int = 0,
    paint: Paint = lambda text, _: text,
    detail: Detail = "",
    columns: int | None = None,
) -> list[str]:
    """A claim in a line, its id padded to `width`, and below it what is not as expected, and the witness.

    Where lines have `columns` characters, one that is longer is told in several.
    """
    kind = kind_of(claim)
    said = [remark for remark in remarks(claim) if remark != claim.surprise]  # a surprise is said below
    remarked = f"  ({', '.join(said)})" if said else ""
    result = f"{kind.claimed(claim):<24} found {kind.found(claim):<24} {kind.extent(claim):>15}{remarked}"
    verdict = paint(f"{claim.verdict!s:<12}", claim.verdict)
    if columns is None or 15 + max(width, len(claim.id)) + len(result) <= columns:
        lines = [f"{verdict} {claim.id:<{width}}  {result}"]
    else:
        told = f"{kind.claimed(claim)}, found {kind.found(claim)}, {kind.extent(claim)}{remarked}"
        lines = [f"{verdict} {claim.id}", *(f"    {line}" for line in textwrap.wrap(told, _text_width(columns)))]
    prose = kind.background(claim) if detail == "all" else kind.prose(claim, detail)
    prose = [*prose, *refuted_in_words(claim), *named_outside(claim)]
    lines += [f"    {line}" for text in prose for line in textwrap.wrap(text, _text_width(columns))]
    if claim.surprise:
        lines += [paint(line, Status.REFUTED) for line in _within(f"    {claim.surprise}", columns, "    ")]
    return [*lines, *(part for line in kind.witness(claim) for part in _within(f"    {line}", columns, "        "))]


def _text_width(columns: int | None) -> int:
    """Characters of prose below a claim."""
    return TEXT_WIDTH if columns is None else max(_NARROWEST, min(TEXT_WIDTH, columns - 4))


def _within(line: str, columns: int | None, indent: str = "") -> list[str]:
    """A line in several where it is too long; but not what is to be copied."""
    if columns is None or len(line) <= columns or line.lstrip().startswith("python -c "):
        return [line]
    width = max(_NARROWEST, columns)
    return textwrap.wrap(line, width, subsequent_indent=indent, drop_whitespace=True, break_on_hyphens=False)


_NARROWEST: Final = 20
"""Characters below which no line is broken: what is narrower is no terminal to read on."""
