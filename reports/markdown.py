"""An audit as Markdown: the headline, a table, and the witnesses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Final

from dpverify.reports.record import AuditRecord, ClaimResult, NotDecided, WitnessRecord
from dpverify.reports.summary import background, claimed, expectation, found, groups, headline, witness_lines


def to_markdown(audit: AuditRecord) -> str:
    """The audit as Markdown that reads well as text, too."""
    lines = ["# dpverify audit", "", f"{headline(audit)}.", ""]
    for group in groups(audit):
        lines += [
            f"## {heading(group.name)}",
            "",
            "| claim | verdict | claimed | found | pairs |",
            "| --- | --- | --- | --- | ---: |",
        ]
        lines += [_row(claim) for claim in group.claims]
        lines += ["", "<details><summary>What each covers, and where it comes from</summary>", ""]
        lines += [f"- {code(claim.id)}: {cell(' '.join(background(claim)))}" for claim in group.claims]
        lines += ["", "</details>", ""]
        for claim in group.claims:
            if claim.witness is not None:
                lines += _witness(claim, claim.witness)
    return "\n".join([*lines, *rows_not_decided(audit.not_decided)])


def rows_not_decided(rows: Sequence[NotDecided]) -> list[str]:
    """The part of a page that says what is not decided; nothing where all is."""
    if not rows:
        return []
    return [
        "## Not decided",
        "",
        "This report is partial: what follows was asked for, and is neither as expected nor a surprise.",
        "",
        "| claim | reason |",
        "| --- | --- |",
        *(f"| {code(row.id)} | {plain(row.reason)} |" for row in rows),
        "",
    ]


def _row(claim: ClaimResult) -> str:
    remark = expectation(claim)
    verdict = f"**{claim.verdict}**" + (f" ({cell(remark)})" if remark else "")
    return f"| {code(claim.id)} | {verdict} | {cell(claimed(claim))} | {cell(found(claim))} | {claim.pairs:,} |"


def _witness(claim: ClaimResult, witness: WitnessRecord) -> list[str]:
    return [
        f"<details><summary>Witness of <code>{_in_html(claim.id)}</code></summary>",
        "",
        *fenced(witness_lines(witness)),
        "",
        "</details>",
        "",
    ]


def _in_html(text: str) -> str:
    return escape(text).replace("`", "&#96;")


def fenced(lines: Sequence[str]) -> list[str]:
    """The lines as a block of code, in a fence longer than any run of backticks in them."""
    fence = "`" * max(3, 1 + _longest_run("\n".join(lines)))
    return [fence, *lines, fence]


def code(text: str) -> str:
    """The text as code in a cell or a line: it means nothing else there, whatever it holds."""
    plain = " ".join(text.split()).replace("|", "\\|")
    if "`" not in plain:
        return f"`{plain}`"
    ticks = "`" * (1 + _longest_run(plain))
    return f"{ticks} {plain} {ticks}"


def cell(text: str) -> str:
    """The text for a cell of a Markdown table."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def plain(text: str) -> str:
    """Other people's text as nothing but text: no HTML, no emphasis, code, link, image or cell."""
    return re.sub(r"([\\`*_\[\]~|])", r"\\\1", escape(" ".join(text.split()), quote=False))


def heading(name: str) -> str:
    """A name for a heading: as it is, unless that would be read as markup."""
    return plain(name) if _MARKED.search(name) else name


_MARKED: Final = re.compile(r"[<>&`*\[\]~|\\]|^_|_$")
"""What would be read as markup in a heading; an underscore within a name is none."""


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
