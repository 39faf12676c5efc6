"""The page from papers to code and claims, docs/papers.md: each numbered item, and what became of it.

`python -m tests.catalogue.pages.items_table` writes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.catalogue.pages.coverage_rows import Row
from tests.catalogue.pages.coverage_statements import SECTIONS
from tests.catalogue.pages.coverage_table import FROM_BEST, claims_by_row, row_of
from tests.catalogue.pages.numbered_items import NEEDS_NONE, TITLES, WITHOUT, Item, items

from dpverify.verifiers.catalogue import catalogue
from dpverify.verifiers.claims import AnyClaim

PAGE: Final = Path(__file__).parents[3] / "docs" / "papers.md"

_TEXT: Final = """\
# From papers to code and claims

Each numbered item of the five papers: the functions that run it, and its claims, or why there are none. The other way
round, `dpverify explain ID` says of a claim from which item it is, and [what is covered](coverage.md) how far.

{count}

{sections}
`python -m tests.catalogue.pages.items_table` writes this page.
"""


def rows() -> Mapping[str, Row]:
    """Id → its row."""
    return {name: row for section in SECTIONS.values() for row in section for name in row.ids}


def claims_of(item: Item, claims: Sequence[AnyClaim], by_row: Mapping[tuple[str, ...], Sequence[AnyClaim]]) -> Claims:
    """The claims that bear an item's own id, and where none does, those of its row."""
    own = [claim for claim in claims if row_of(claim.id) in item.ids]
    row = row_for(item)
    return own or (list(by_row[row.ids]) if row is not None else [])


Claims = list[AnyClaim]


def row_for(item: Item) -> Row | None:
    """The row of an item; None where it has none."""
    known = rows()
    return next((known[name] for name in item.ids if name in known), None)


def reason(item: Item) -> str:
    """Why nothing is claimed of an item; empty where it is to have claims."""
    return WITHOUT.get(str(item), NEEDS_NONE if item.kind == "Definition" else "")


def page(claims: Sequence[AnyClaim]) -> str:
    """The page, as Markdown."""
    by_row = claims_by_row(claims)
    lines: dict[str, list[str]] = {paper: [] for paper in TITLES}
    counted: Counter[str] = Counter()
    for item in items():
        own = claims_of(item, claims, by_row)
        row = row_for(item)
        functions = ", ".join(f"`{name.rpartition(':')[2]}`" for name in row.runs) if row is not None else ""
        lines[item.paper].append(f"| {item.kind} {item.number} | {functions} | {_said(item, own, row)} |")
        counted["with claims" if own else "without"] += 1
    count = f"{counted.total()} items: {counted['with claims']} with claims, {counted['without']} of which nothing is claimed."
    sections = "\n".join(
        "\n".join((f"## {TITLES[paper]}", "", "| item | functions | claims |", "| --- | --- | --- |", *found, ""))
        for paper, found in lines.items()
    )
    return _TEXT.format(count=count, sections=sections)


def _said(item: Item, claims: Sequence[AnyClaim], row: Row | None) -> str:
    if not claims:
        missing = next(iter(row.without.values()), "") if row is not None else ""
        return f"none: {reason(item) or missing}"
    statuses = Counter(claim.verdict_expected for claim in claims)
    said = ", ".join(f"{statuses[status]} {status}" for status in FROM_BEST if statuses[status])
    patterns = " ".join(f"'{name}.*'" for name in sorted({row_of(claim.id) for claim in claims}))
    return f"{said}: `dpverify list {patterns}`"


if __name__ == "__main__":
    PAGE.write_text(page(catalogue()), encoding="utf-8")
