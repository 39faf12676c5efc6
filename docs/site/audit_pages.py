"""The committed audit as pages of the site, one a paper: the file is long, as it is for where one page shows all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
AUDIT = ROOT / "reports" / "results" / "audit.md"
SUFFIX = ".markdown"
"""Of the pages, which are nobody's to read but Sphinx's."""

_ROW = r"[A-Z]\w*(?:-[A-Z](?=-))?-[\w.]+"
"""A row of the catalogue, such as BNS-J-2.26."""
_BEGINNING = re.compile(rf"^(?=## {_ROW}$|{_ROW}: \d+ claims? as expected\.$)", flags=re.MULTILINE)
_PAPER = re.compile(r"(?:## )?([A-Z]\w*(?:-[A-Z](?=-))?)-")


def divided(text: str) -> tuple[str, dict[str, str]]:
    """The beginning of an audit as Markdown, which is of all papers, and what it has of each, by its short name."""
    first, *parts = _BEGINNING.split(text)
    papers: dict[str, str] = {}
    for part in parts:
        found = _PAPER.match(part)
        assert found is not None, "a part begins with a row"
        papers[found[1]] = papers.get(found[1], "") + part
    return first, papers


def pages() -> dict[str, str]:
    """The text of each page, by its name."""
    _, papers = divided(AUDIT.read_text("utf-8"))
    return {
        name: f"---\norphan: true\n---\n\n# The committed audit: {name}\n\n{text.rstrip()}\n"
        for name, text in papers.items()
    }


def write(folder: Path) -> None:
    """Write the pages, and nothing where they are already as they are to be."""
    folder.mkdir(exist_ok=True)
    for name, text in pages().items():
        path = folder / f"{name}{SUFFIX}"
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, encoding="utf-8")


def in_parts(app: object, name: str, source: list[str]) -> None:
    """Put links to its parts in the place of these, where Sphinx reads the audit."""
    if name == "reports/results/audit":
        first, papers = divided(source[0])
        source[0] = f"{first}## By paper\n\n{_links(list(papers))}\n"


def _links(papers: Sequence[str]) -> str:
    return "\n".join(f"- [{paper}](/docs/site/audit/{paper}{SUFFIX})" for paper in papers)
