"""An audit as Markdown: one sentence, what is not as expected, tables by topic, and what kinds say of all claims."""

from collections.abc import Sequence
from html import escape
from typing import Final, NamedTuple

from dpverify.reports.audits.summary import (
    Group,
    groups,
    left_to_depth_full,
    named_outside,
    refutations,
    refuted_in_short,
    refuted_in_words,
    remarks,
)
from dpverify.reports.formats.contents import LEGEND, as_expected, surprises
from dpverify.reports.formats.first_screen import first_sentence, one_sentence, strength
from dpverify.reports.gates.gate import Gate
from dpverify.reports.gates.gate_page import GatePage, gate_page
from dpverify.reports.kind import Table
from dpverify.reports.kinds import kind_of, kinds
from dpverify.reports.markdown_text import cell, code, fenced, heading, plain_text, rows_of_table, without_links
from dpverify.reports.numbers import counted
from dpverify.reports.record import AuditRecord, ClaimResult, Location, NotDecided, Status, storable, storable_audit

LIMIT: Final = 100_000
"""Bytes that a page has at most: what shows one, as a summary of a job does, shows no more, or nobody reads it."""


class _Extent(NamedTuple):
    """The amount that is said: each field may be left out, where the page would be too long."""

    backgrounds: bool = True
    """Coverage and source of each claim; else of surprises alone."""
    appendices: bool = True
    """Statements of kinds about all their claims."""
    witnesses: bool = True
    """The witnesses of what is refuted and known, in full; else in a line."""
    rows: bool = True
    """A row of each claim; else of what is refuted, open, loose or a surprise, and of groups how many are left out."""
    known: bool = True
    """Known refutations, each with its counterexample and its row."""


_EXTENTS: Final = (
    _Extent(),
    _Extent(backgrounds=False),
    _Extent(backgrounds=False, appendices=False),
    _Extent(backgrounds=False, appendices=False, witnesses=False),
    _Extent(backgrounds=False, appendices=False, witnesses=False, rows=False),
    _Extent(backgrounds=False, appendices=False, witnesses=False, rows=False, known=False),
)
"""From all to least."""

_SHORTENED: Final = (
    "This page is kept short: what it leaves out of each claim is in the HTML page and in the JSON form."
)


def to_markdown(audit: AuditRecord, gated: Gate | None = None, uncovered: Sequence[Location] = ()) -> str:
    """The audit as Markdown that reads well as text, too: of at most `LIMIT` bytes, for which a long one says less.

    Below its first sentence stand what a gate says, and the functions that are `uncovered`.
    """
    audit = storable_audit(audit)
    first = [*([] if gated is None else _gate(gate_page(gated))), *_uncovered(uncovered)]
    for extent in _EXTENTS:
        page = _page(audit, extent, first)
        if len(page.encode()) <= LIMIT:
            return page
    lines, room = page.splitlines(), LIMIT - 200
    while len("\n".join(lines).encode()) > room:
        lines = lines[: len(lines) * 9 // 10]
    fences = sum(line.startswith("```") for line in lines)
    return "\n".join(
        [*lines, *(["```"] if fences % 2 else []), "", "… and more: see the HTML page or the JSON form.", ""]
    )


def _gate(page: GatePage) -> list[str]:
    """The changes that a gate names, those that it does not let through first."""
    lines = [f"**{'✅' if page.passes else '❌'} {plain_text(page.headline)}**", ""]
    for row in (*page.failing, *page.others):
        where = f" {plain_text(row.place)}" if row.place else ""
        lines += [f"- {'❌' if row.fails else '✅'} {row.mark} {code(row.name)}{where}"]
        lines += [f"  - {plain_text(text)}" for text in row.lines]
    return [*lines, ""] if page.failing or page.others else lines


def _uncovered(places: Sequence[Location]) -> list[str]:
    results = [f"- ❌ NO CLAIM {code(place.function)} {plain_text(place.in_words)}" for place in map(storable, places)]
    return [*results, ""] if results else []


def _page(audit: AuditRecord, extent: _Extent, first: Sequence[str]) -> str:
    shortened = [] if extent == _EXTENTS[0] else [_SHORTENED, ""]
    lines = [*_title(audit), *first, *shortened]
    lines += rows_not_decided(audit.not_decided) if shortened else []
    failed = surprises(audit)
    lines += _group(Group("Not as expected", failed), extent) if failed else []
    lines += [*(_refuted(audit) if extent.known else []), *_left_to_depth_full(audit)]
    for group in groups(audit):
        expected = as_expected(group)
        lines += _group(Group(group.name, expected), extent) if expected else []
    for name, kind in kinds().items() if extent.appendices else ():
        if of_kind := [claim for claim in audit.claims if claim.kind == name]:
            lines += [line for one in kind.tables(of_kind) for line in table_of_kind(one)] + kind.appendix(of_kind)
    lines += [] if shortened else rows_not_decided(audit.not_decided)
    return "\n".join([*lines, f"Legend: {LEGEND}", ""])


def table_of_kind(one: Table) -> list[str]:
    """The lines of a table of all claims of a kind."""
    rows = ([code(name), *map(cell, cells)] for name, *cells in one.rows)
    return [f"## {one.title}", "", one.says, "", *rows_of_table(one.columns, rows)]


def _title(audit: AuditRecord) -> list[str]:
    """The title, the sentence on all claims, what qualifies it, and where the report comes from."""
    came = audit.provenance
    title = "dpverify audit" if came is None else heading(came.title)
    lines = [f"# {title}", "", f"**{one_sentence(first_sentence(audit))}.**", ""]
    more = strength(audit)
    lines += [f"{one_sentence(more)}.", ""] if more else []
    if came is not None:
        lines += [f"dpverify {' · '.join([audit.dpverify, *came.in_words])}: {code(came.command)}", ""]
    return lines


def _group(group: Group, extent: _Extent) -> list[str]:
    """The claims of a group, those that are told of one by one, and how many are not."""
    told = [claim for claim in group.claims if extent.rows or _is_told(claim, extent)]
    left = len(group.claims) - len(told)
    if not told:
        return [f"{heading(group.name)}: {counted(left, 'claim')} as expected.", ""]
    lines = [f"## {heading(group.name)}", "", *([f"{counted(left, 'claim')} as expected, and:", ""] if left else [])]
    lines += ["| claim | verdict | claimed | result | domain |", "| --- | --- | --- | --- | ---: |"]
    lines += [*map(_row, told), ""]
    with_more = [claim for claim in told if extent.backgrounds or not claim.as_expected]
    if with_more:
        lines += ["<details><summary>What each covers, and where it comes from</summary>", ""]
        lines += [f"- {code(claim.id)}: {_prose(claim)}" for claim in with_more]
        lines += ["", "</details>", ""]
    in_a_line = []
    for claim in told:
        if extent.witnesses or not claim.as_expected:
            lines += _witness(claim)
        elif kind_of(claim).witness(claim):
            in_a_line.append(f"- {code(claim.id)}: {code(_in_a_line(claim))}")
    return [*lines, *(["Counterexamples:", "", *in_a_line, ""] if in_a_line else [])]


def _is_told(claim: ClaimResult, extent: _Extent) -> bool:
    """True where a claim has a row where not all have: what is not held, loose, a surprise or from a journal."""
    of_note = claim.verdict is not Status.PROVED or bool(claim.loose) or claim.origin == "journal"
    return not claim.as_expected or (extent.known and of_note)


_LONGEST_LINE: Final = 100
"""Characters of a witness in a line."""


def _in_a_line(claim: ClaimResult) -> str:
    """The beginning of a witness."""
    text = "; ".join(" ".join(line.split()) for line in kind_of(claim).witness(claim)[:3])
    return text if len(text) <= _LONGEST_LINE else text[: _LONGEST_LINE - 1] + "…"


def _refuted(audit: AuditRecord) -> list[str]:
    """The refuted claims by what is refuted; nothing where no claim says so."""
    result = refutations(audit.claims)
    if not result:
        return []
    lines = ["## What is refuted", "", f"{refuted_in_short(audit.claims)}.", ""]
    for group in result:
        lines += [f"### {len(group.claims)} {group.name}", "", group.meaning, ""]
        for said, claims in group.alike:
            lines.append(
                f"- {', '.join(code(claim.id) for claim in claims)}" + (f": {plain_text(said)}" if said else "")
            )
        lines.append("")
    return lines


def _left_to_depth_full(audit: AuditRecord) -> list[str]:
    """The claims of which this audit does not decide all that they say; nothing where there are none."""
    left = left_to_depth_full(audit)
    if not left:
        return []
    return [
        "## Of all sizes at depth full",
        "",
        f"{counted(len(left), 'claim')} of all sizes, decided here on the databases of a domain that ends. The proof "
        "for all sizes takes longer: `dpverify audit --depth full` decides it, or `dpverify explain` of one of them.",
        "",
        f"{', '.join(code(claim.id) for claim in left)}.",
        "",
    ]


def rows_not_decided(rows: Sequence[NotDecided]) -> list[str]:
    """The part of a page that says what is not decided; nothing where all is."""
    if not rows:
        return []
    return [
        "## Not decided",
        "",
        "This report is partial: what follows was asked for, and has no verdict.",
        "",
        *rows_of_table(("claim", "reason"), ((code(row.id), plain_text(row.reason)) for row in rows)),
    ]


def _row(claim: ClaimResult) -> str:
    kind, said = kind_of(claim), ", ".join(map(cell, remarks(claim)))
    verdict = f"**{claim.verdict}**" + (f" ({said})" if said else "")
    cells = [code(claim.id), verdict, *map(cell, (kind.claimed(claim), kind.found(claim), kind.extent(claim)))]
    return f"| {' | '.join(cells)} |"


def _prose(claim: ClaimResult) -> str:
    said = [*kind_of(claim).background(claim), *refuted_in_words(claim), *named_outside(claim)]
    return without_links(cell(" ".join(said)))


def _witness(claim: ClaimResult) -> list[str]:
    lines = kind_of(claim).witness(claim)
    if not lines:
        return []
    return [
        f"<details><summary>{_witness_name(claim)} of <code>{_in_html(claim.id)}</code></summary>",
        "",
        *fenced(lines),
        "",
        "</details>",
        "",
    ]


def _witness_name(claim: ClaimResult) -> str:
    return "Counterexample" if claim.verdict is Status.REFUTED else "Witness"


def _in_html(text: str) -> str:
    return escape(text).replace("`", "&#96;")
