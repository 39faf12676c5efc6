"""An audit as text for a terminal: a line a claim, and the witness under each refuted one."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Final, Literal

from dpverify.reports.record import AuditRecord, ClaimResult, NotDecided, Status
from dpverify.reports.summary import background, claimed, expectation, found, growth, headline, surprise, witness_lines

Paint = Callable[[str, Status], str]
"""Colours a text after a verdict; the identity where there is no terminal."""


Detail = Literal["", "scope", "all"]
"""What is said below each claim: nothing, what its verdict covers, or all that is known of it."""

TEXT_WIDTH: Final = 110
"""Characters in a line of prose below a claim."""


def to_table(
    audit: AuditRecord, paint: Paint = lambda text, _: text, *, detail: Detail = "", surprises_only: bool = False
) -> str:
    """The table, with `detail` below each claim, what is not decided below all, and the headline below that."""
    shown = [claim for claim in audit.claims if not surprises_only or not claim.as_expected]
    width = max((len(claim.id) for claim in shown), default=0)
    lines = [line for claim in shown for line in claim_lines(claim, width, paint, detail)]
    lines += [line for row in audit.not_decided for line in row_lines(row, paint)]
    return "\n".join([*lines, *([""] if lines else []), headline(audit)])


def row_lines(row: NotDecided, paint: Paint = lambda text, _: text) -> list[str]:
    """What is not decided in a line, and the reason below it."""
    reason = textwrap.wrap(row.reason, TEXT_WIDTH, break_on_hyphens=False)
    return [f"{paint('NOT DECIDED ', Status.REFUTED)} {row.id}", *(f"    {line}" for line in reason)]


def claim_lines(
    claim: ClaimResult, width: int = 0, paint: Paint = lambda text, _: text, detail: Detail = ""
) -> list[str]:
    """A claim in a line, its id padded to `width`, and below it what is not as expected, and the witness."""
    verdict = paint(f"{claim.verdict!s:<12}", claim.verdict)
    lines = [
        f"{verdict} {claim.id:<{width}}  {claimed(claim):<24} found {found(claim):<24} {claim.pairs:>9,} pairs"
        + ("  (expected)" if expectation(claim) == "expected" else "")
    ]
    prose = background(claim) if detail == "all" else [claim.scope, claim.reason] if detail == "scope" else []
    if not prose and claim.witness is None and (claim.verdict is not Status.PROVED or not claim.distinct_pairs):
        prose = [claim.reason]
    if detail != "all" and claim.grows:
        prose = [*prose, growth(claim)]
    lines += [f"    {line}" for text in prose for line in textwrap.wrap(text, TEXT_WIDTH)]
    if not claim.as_expected:
        lines.append(paint(f"    {surprise(claim)}", Status.REFUTED))
    if claim.witness is not None:
        lines += [f"    {line}" for line in witness_lines(claim.witness)]
    return lines
