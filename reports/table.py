"""An audit as text for a terminal: a line a claim, and the witness under each refuted one."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Final

from dpverify.reports.record import AuditRecord, ClaimResult, Status
from dpverify.reports.summary import claimed, found, headline, surprise, witness_lines

Paint = Callable[[str, Status], str]
"""Colours a text after a verdict; the identity where there is no terminal."""


TEXT_WIDTH: Final = 110
"""Characters in a line of prose below a claim."""


def to_table(audit: AuditRecord, paint: Paint = lambda text, _: text, *, with_scope: bool = False) -> str:
    """The table, with the scope of each verdict where asked for, and the headline below it."""
    width = max((len(claim.id) for claim in audit.claims), default=0)
    lines = [line for claim in audit.claims for line in claim_lines(claim, width, paint, with_scope=with_scope)]
    return "\n".join([*lines, "", headline(audit)])


def claim_lines(
    claim: ClaimResult, width: int = 0, paint: Paint = lambda text, _: text, *, with_scope: bool = False
) -> list[str]:
    """A claim in a line, its id padded to `width`, and below it what is not as expected, and the witness."""
    verdict = paint(f"{claim.verdict!s:<12}", claim.verdict)
    lines = [
        f"{verdict} {claim.id:<{width}}  {claimed(claim):<24} found {found(claim):<24} {claim.pairs:>9,} pairs".rstrip()
    ]
    if with_scope:
        lines += [f"    {line}" for text in (claim.scope, claim.reason) for line in textwrap.wrap(text, TEXT_WIDTH)]
    if not claim.as_expected:
        lines.append(paint(f"    {surprise(claim)}", Status.REFUTED))
    if claim.verdict is not Status.PROVED and claim.witness is None and not with_scope:
        lines.append(f"    {claim.reason}")
    if claim.witness is not None:
        lines += [f"    {line}" for line in witness_lines(claim.witness, claim.epsilon, claim.delta)]
    return lines
