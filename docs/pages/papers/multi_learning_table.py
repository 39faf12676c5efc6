"""The tables of Section 1.3 of Bun, Nissim & Stemmer as data, and their page, docs/multi-learning.md.

Each cell is the order of how many examples a private learner of k concepts takes, with the statement of the paper that
gives it, and with what is claimed of that in the catalogue, or that it is cited.
`python -m docs.pages.papers.multi_learning_table` writes the page, at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dpverify.reports.markdown_text import cell, code

PAGE: Final = Path(__file__).parents[3] / "docs" / "multi-learning.md"


@dataclass(frozen=True)
class Bound:
    """A cell: an order, for whom, by which statement, and the claims on it, or why there is none."""

    concepts: str
    learners: str
    order: str
    by: str
    ids: tuple[str, ...] = ()
    cited: str = ""


ALL_OF_THEM: Final = "all learners"

PURE_UPPER: Final[Sequence[Bound]] = (
    Bound(
        "points",
        "improper",
        "k",
        "Corollary 3.3",
        ("BuNS-3.2.utility.direct-sum", "BNS-J-BKN.privacy.every-epsilon", "BNS-J-BKN.utility.on-the-sample"),
        "that of one point, an improper learner, is cited, and one of ours stands for it",
    ),
    Bound(
        "points, thresholds",
        "proper, agnostic",
        "k + log|X|",
        "Lemma 3.7, VC = 1",
        ("BuNS-3.7.utility.agnostic", "BuNS-3.7.privacy.every-epsilon"),
        "with a pure sanitizer of log|X|, which is cited",
    ),
    Bound(
        "parities, uniform examples",
        "proper, agnostic",
        "k·log|X|",
        "Example 3.5",
        ("BuNS-3.4.utility.agnostic", "BuNS-3.2.privacy.every-epsilon"),
    ),
    Bound(
        "any class C",
        "proper, agnostic",
        "k·log|C|",
        "Corollary 3.4",
        ("BuNS-3.4.utility.agnostic", "BuNS-3.4.utility.agnostic-more"),
    ),
    Bound(
        "any class C",
        "proper, agnostic",
        "VC(C)·(k + log|X|)",
        "Theorem 3.1, Lemma 3.6",
        ("BuNS-3.7.utility.agnostic", "BNS-J-2.19.utility.thresholds"),
    ),
)

PURE_LOWER: Final[Sequence[Bound]] = (
    Bound("any class of two concepts", "PAC, improper", "k", "Theorem 5.1", ("BuNS-5.1.lower-bound.packing",)),
    Bound("the same, with the accuracy", "PAC, improper", "k/α", "Remark 5.2", ("BuNS-5.2.lower-bound.packing",)),
    Bound(
        "points",
        "PAC, proper",
        "k + log|X|",
        "Theorem 5.1, and of one point",
        ("BuNS-5.1.lower-bound.packing", "BNS-J-5.7.lower-bound.packing"),
    ),
    Bound(
        "thresholds",
        "PAC, improper",
        "k + log|X|",
        "Theorem 5.1, and of one threshold",
        ("BuNS-5.1.lower-bound.packing",),
        "that of one threshold is cited",
    ),
    Bound(
        "parities, uniform examples",
        "PAC, improper",
        "k·log|X|",
        "Theorem 5.4",
        ("BuNS-5.4.lower-bound.packing", "BuNS-5.3.utility.rounding"),
    ),
)

APPROXIMATE_UPPER: Final[Sequence[Bound]] = (
    Bound(
        "points",
        "PAC, proper",
        "1",
        "Theorem 3.13",
        ("BuNS-3.13.utility.any-columns", "BuNS-3.13.privacy.corrected", "BuNS-3.13.privacy.printed"),
    ),
    Bound(
        "points",
        "proper, agnostic",
        "√k",
        "Corollary 3.9",
        ("BuNS-3.9.utility.agnostic", "BuNS-3.9.privacy.two-columns", "BuNS-2.20.privacy.stability"),
    ),
    Bound(
        "thresholds",
        "proper, agnostic",
        "√k + 2^(log*|X|)",
        "Corollary 3.10",
        ("BuNS-3.10.utility.agnostic", "BuNS-2.21.utility.sanitizer"),
        "the sanitizer of that order is cited; here SanThresholds stands for it, with 8 in place of 2 for every d",
    ),
    Bound(
        "parities, uniform examples",
        "PAC, proper",
        "log|X|",
        "Theorem 3.12",
        ("BuNS-3.12.utility.any-columns", "BuNS-3.12.privacy.corrected", "BuNS-3.12.privacy.printed"),
    ),
    Bound(
        "parities, uniform examples",
        "proper, agnostic",
        "√k·log|X|",
        "Corollary 3.4",
        ("BuNS-3.2.privacy.40-columns",),
        "its utility is claimed of ε/k for each learner alone",
    ),
    Bound(
        "any class C",
        "proper, agnostic",
        "√k·log|C|",
        "Corollary 3.4",
        ("BuNS-3.2.privacy.100-columns", "BuNS-3.4.utility.agnostic"),
    ),
    Bound(
        "any class C",
        "proper, agnostic",
        "√k·VC(C) + √(log|X|)·log|C|",
        "Lemma 3.6, Theorem 3.1",
        ("BuNS-3.7.privacy.advanced-40-columns", "BuNS-3.7.utility.agnostic-twenty-columns"),
        "the sanitizer by private multiplicative weights (Theorem 2.19, `BuNS-2.19.privacy.every-epsilon`) is not put in",
    ),
)

APPROXIMATE_LOWER: Final[Sequence[Bound]] = (
    Bound(
        "thresholds",
        "PAC, improper",
        "k^(1/3)",
        "Corollary 4.6",
        ("BuNS-4.6.utility.rows", "BuNS-4.3.utility.accurate-is-traced", "BuNS-4.3.utility.private-is-not-traced"),
    ),
    Bound(
        "any class of two concepts",
        "agnostic, improper",
        "√k",
        "Corollary 4.10",
        ("BuNS-4.10.utility.rows", "BuNS-4.9.utility.soundness-of-one-bias"),
    ),
    Bound(
        "parities, uniform examples",
        "agnostic, improper",
        "√k",
        "Proposition 4.11",
        ("BuNS-4.11.structure.parities",),
    ),
    Bound("any class C", ALL_OF_THEM, "VC(C)", "without privacy", (), "cited (Section 2.2)"),
    Bound("thresholds", "PAC, proper", "log*|X|", "Section 2.5", (), "cited"),
)

TABLES: Final = {
    "Pure privacy, enough": PURE_UPPER,
    "Pure privacy, needed": PURE_LOWER,
    "Approximate privacy, enough": APPROXIMATE_UPPER,
    "Approximate privacy, needed": APPROXIMATE_LOWER,
}

_TEXT: Final = """\
# How many examples k concepts take

*Generated by `python -m docs.pages.papers.multi_learning_table`.*

The tables of Section 1.3 of Bun, Nissim & Stemmer: orders of the number of examples from which a private learner learns
k concepts at once, up to constants, logarithms, and what depends on α, β, ε and δ. The text that the project has lost
the tables, and all formulas: each cell is put together again from the statement of Sections 3 to 5 that it rests on.

Beside each cell stand the claims on it. They are of small classes and of numbers, with constants that are ours where the
paper has an order alone, and where a privacy claim is refuted as printed the corrected one stands beside it: a cell with
claims is not a cell that is proved. *Cited* is what the paper takes from others.

{tables}
`python -m docs.pages.papers.multi_learning_table` writes this page.
"""


def page() -> str:
    """The page, as Markdown."""
    return _TEXT.format(tables="\n".join(f"## {name}\n\n{table(cells)}\n" for name, cells in TABLES.items()))


def table(cells: Sequence[Bound]) -> str:
    """The cells, a line each."""
    lines = ["| concepts | learners | examples | by | claims |", "| --- | --- | --- | --- | --- |"]
    return "\n".join([*lines, *map(line, cells)])


def line(bound: Bound) -> str:
    """A cell."""
    claims = ", ".join(map(code, bound.ids))
    said = "; ".join(part for part in (claims, cell(bound.cited)) if part)
    return f"| {cell(bound.concepts)} | {bound.learners} | {cell(bound.order)} | {bound.by} | {said} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
