"""An audit as Markdown: the headline, tables by topic, the witnesses, and what each kind says of all its claims."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from dpverify.reports.kinds import kind_of, kinds
from dpverify.reports.markdown_text import cell, code, fenced, heading, plain, without_links
from dpverify.reports.record import AuditRecord, ClaimResult, NotDecided
from dpverify.reports.summary import groups, headline, refutations, refuted_in_short, refuted_in_words, remarks


def to_markdown(audit: AuditRecord) -> str:
    """The audit as Markdown that reads well as text, too."""
    lines = ["# dpverify audit", "", f"{headline(audit)}.", "", *_meanings(audit), *_refuted(audit)]
    for group in groups(audit):
        lines += [
            f"## {heading(group.name)}",
            "",
            "| claim | verdict | claimed | found | of |",
            "| --- | --- | --- | --- | ---: |",
        ]
        lines += [_row(claim) for claim in group.claims]
        lines += ["", "<details><summary>What each covers, and where it comes from</summary>", ""]
        lines += [f"- {code(claim.id)}: {_prose(claim)}" for claim in group.claims]
        lines += ["", "</details>", ""]
        for claim in group.claims:
            lines += _witness(claim)
    for name, kind in kinds().items():
        lines += kind.appendix([claim for claim in audit.claims if claim.kind == name])
    return "\n".join([*lines, *rows_not_decided(audit.not_decided)])


def _meanings(audit: AuditRecord) -> list[str]:
    """What verdicts of the kinds that occur mean."""
    occurring = {claim.kind for claim in audit.claims}
    return [line for name, kind in kinds().items() if name in occurring for line in (kind.meaning, "")]


def _refuted(audit: AuditRecord) -> list[str]:
    """The refuted claims by what is refuted; nothing where no claim says so."""
    found = refutations(audit.claims)
    if not found:
        return []
    lines = ["## What is refuted", "", f"{refuted_in_short(audit.claims)}.", ""]
    for group in found:
        lines += [f"### {len(group.claims)} {group.name}", "", group.meaning, ""]
        for said, claims in group.alike:
            lines.append(f"- {', '.join(code(claim.id) for claim in claims)}" + (f": {plain(said)}" if said else ""))
        lines.append("")
    return lines


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
    kind, said = kind_of(claim), ", ".join(map(cell, remarks(claim)))
    verdict = f"**{claim.verdict}**" + (f" ({said})" if said else "")
    cells = [code(claim.id), verdict, *map(cell, (kind.claimed(claim), kind.found(claim), kind.extent(claim)))]
    return f"| {' | '.join(cells)} |"


def _prose(claim: ClaimResult) -> str:
    return without_links(cell(" ".join([*kind_of(claim).background(claim), *refuted_in_words(claim)])))


def _witness(claim: ClaimResult) -> list[str]:
    lines = kind_of(claim).witness(claim)
    if not lines:
        return []
    return [
        f"<details><summary>Witness of <code>{_in_html(claim.id)}</code></summary>",
        "",
        *fenced(lines),
        "",
        "</details>",
        "",
    ]


def _in_html(text: str) -> str:
    return escape(text).replace("`", "&#96;")
