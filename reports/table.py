"""An audit as text for a terminal: a line a claim, and the witness under each refuted one."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Final

from dpverify.reports.kind import Detail
from dpverify.reports.kinds import kind_of
from dpverify.reports.record import AuditRecord, ClaimResult, NotDecided, Status
from dpverify.reports.summary import headline, refuted_in_short, refuted_in_words, remarks

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


def last_lines(audit: AuditRecord, paint: Paint, *, below_claims: bool) -> list[str]:
    """What is not decided, and, apart from what is above it, the headline, and what is refuted."""
    rows = [line for row in audit.not_decided for line in row_lines(row, paint)]
    refuted = refuted_in_short(audit.claims)
    return [*rows, *([""] if rows or below_claims else []), headline(audit), *([refuted] if refuted else [])]


def row_lines(row: NotDecided, paint: Paint = lambda text, _: text) -> list[str]:
    """What is not decided in a line, and the reason below it."""
    reason = textwrap.wrap(row.reason, TEXT_WIDTH, break_on_hyphens=False)
    return [f"{paint('NOT DECIDED ', Status.REFUTED)} {row.id}", *(f"    {line}" for line in reason)]


def claim_lines(
    claim: ClaimResult, width: int = 0, paint: Paint = lambda text, _: text, detail: Detail = ""
) -> list[str]:
    """A claim in a line, its id padded to `width`, and below it what is not as expected, and the witness."""
    kind = kind_of(claim)
    said = [remark for remark in remarks(claim) if remark != claim.surprise]  # a surprise is said below
    lines = [
        f"{paint(f'{claim.verdict!s:<12}', claim.verdict)} {claim.id:<{width}}  {kind.claimed(claim):<24} "
        f"found {kind.found(claim):<24} {kind.extent(claim):>15}" + (f"  ({', '.join(said)})" if said else "")
    ]
    prose = kind.background(claim) if detail == "all" else kind.prose(claim, detail)
    prose = [*prose, *refuted_in_words(claim)]
    lines += [f"    {line}" for text in prose for line in textwrap.wrap(text, TEXT_WIDTH)]
    if claim.surprise:
        lines.append(paint(f"    {claim.surprise}", Status.REFUTED))
    return [*lines, *(f"    {line}" for line in kind.witness(claim))]
