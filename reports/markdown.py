"""An audit as Markdown: the headline, a table, and the witnesses."""

from __future__ import annotations

from dpverify.reports.record import AuditRecord, ClaimResult, WitnessRecord
from dpverify.reports.summary import background, claimed, expectation, found, groups, headline, witness_lines


def to_markdown(audit: AuditRecord) -> str:
    """The audit as Markdown that reads well as text, too."""
    lines = ["# dpverify audit", "", f"{headline(audit)}.", ""]
    for group in groups(audit):
        lines += [
            f"## {group.name}",
            "",
            "| claim | verdict | claimed | found | pairs |",
            "| --- | --- | --- | --- | ---: |",
        ]
        lines += [_row(claim) for claim in group.claims]
        lines += ["", "<details><summary>What each covers, and where it comes from</summary>", ""]
        lines += [f"- `{claim.id}`: {cell(' '.join(background(claim)))}" for claim in group.claims]
        lines += ["", "</details>", ""]
        for claim in group.claims:
            if claim.witness is not None:
                lines += _witness(claim, claim.witness)
    return "\n".join(lines)


def _row(claim: ClaimResult) -> str:
    remark = expectation(claim)
    verdict = f"**{claim.verdict}**" + (f" ({cell(remark)})" if remark else "")
    return f"| `{claim.id}` | {verdict} | {cell(claimed(claim))} | {cell(found(claim))} | {claim.pairs:,} |"


def _witness(claim: ClaimResult, witness: WitnessRecord) -> list[str]:
    return [
        f"<details><summary>Witness of <code>{claim.id}</code></summary>",
        "",
        "```",
        *witness_lines(witness),
        "```",
        "",
        "</details>",
        "",
    ]


def cell(text: str) -> str:
    """The text for a cell of a Markdown table."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
