"""The page of proofs line by line, docs/proof-lines.md.

`python -m tests.catalogue.pages.proofs.lines_table` writes it, at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

from tests.catalogue.pages.numbered_items import TITLES
from tests.catalogue.pages.proofs.lines import Kind, Line, papers

from dpverify.reports.markdown_text import cell, code

PAGE: Final = Path(__file__).parents[4] / "docs" / "proof-lines.md"

_TEXT: Final = """\
# Proofs, line by line

What became of each constant, quantifier and set in the proofs of the papers, and in what their texts argue with
numbers: *step*, a claim decides it, and [steps of proofs](proof-steps.md) says how it came out; *right*, it was read,
and why it is right is said in a clause; *misprint*, it has to read otherwise, by [the list of misprints](misprints.md),
where its place is; *lost*, the text does not have it. Figures and definitions stand where they are used. Of the paper by
Bun, Nissim & Stemmer words alone are left: what is right there is so as far as the text shows.

{counts}

{papers}
`python -m tests.catalogue.pages.proofs.lines_table` writes this page.
"""


def page() -> str:
    """The page, as Markdown."""
    every = papers()
    ordered = [paper for paper in TITLES if paper in every]
    return _TEXT.format(
        counts=counts({paper: every[paper] for paper in ordered}),
        papers="\n".join(f"## {TITLES[paper]}\n\n{table(every[paper])}\n" for paper in ordered),
    )


def counts(every: dict[str, Sequence[Line]]) -> str:
    """How many lines of each kind there are, a paper a line."""
    lines = ["| paper | items | lines | steps | right | misprints | lost |", "| --- |" + " --- |" * 6]
    for paper, several in every.items():
        of = Counter(line.kind for line in several)
        numbers = [len({line.item for line in several}), of.total(), *(of[kind] for kind in Kind)]
        lines.append(f"| {TITLES[paper]} | {' | '.join(map(str, numbers))} |")
    return "\n".join(lines)


def table(several: Sequence[Line]) -> str:
    """The lines of a paper; an item is named on its first line."""
    rows = ["| item | line | what became of it | claims, or why |", "| --- | --- | --- | --- |"]
    for item, its in groupby(several, key=lambda line: line.item):
        names = [item]
        for one in its:
            note = ", ".join(map(code, one.ids)) or cell(one.note)
            rows.append(f"| {names.pop() if names else ''} | {cell(one.subject)} | {one.kind} | {note} |")
    return "\n".join(rows)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
