"""Write docs/range-dependence.md and its plots: python docs/figures/range_dependence.py docs.

Four ways to choose a best item, side by side as the number of items grows: the example of Chaudhuri, Hsu & Song.
f(i, D) is the share of rows that are at least i. D = (1, …, 1) has one best item, far ahead of all others, and
D = (2, …, 2) has two. The numbers are exact probabilities that a best item is returned (Section 2.2, example (1)).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from dpverify.mechanisms import Exact, decimal, distribution
from dpverify.mechanisms.selection import (
    choose_by_stability,
    exponential_mechanism,
    large_margin_mechanism,
    max_of_laplaces,
)
from dpverify.reports.curves import curves_svg
from dpverify.reports.writing import write_reports

ITEMS: Final = (2, 4, 8, 16)
ROWS: Final = (20, 500)
PLOTTED: Final = ROWS[0]
DELTA: Final = Fraction(1, 10**6)

FOUR: Final[tuple[tuple[str, Callable[..., Any], bool], ...]] = (
    ("exponential", exponential_mechanism, False),
    ("max of Laplaces", max_of_laplaces, False),
    ("A_dist", choose_by_stability, True),
    ("large margin", large_margin_mechanism, True),
)
"""Name, mechanism, and whether it is given δ."""


class Row(NamedTuple):
    """Pr[a best item] of each of the four, for `rows` rows that all equal `value`, and `items` items."""

    value: int
    rows: int
    items: int
    chances: tuple[Exact, ...]


def chances_of_a_best_item(value: int, rows: int, items: int) -> Row:
    """The row of the table at ε = 1 and δ = 10⁻⁶."""
    scores = tuple(rows if i < value else 0 for i in range(items))
    given: list[dict[str, Any]] = [
        {"epsilon": Fraction(1), **({"delta": DELTA} if takes_delta else {})} for _, _, takes_delta in FOUR
    ]
    laws = (distribution(mechanism, scores, **g) for (_, mechanism, _), g in zip(FOUR, given, strict=True))
    return Row(value, rows, items, tuple(law.probability(*range(value)) for law in laws))


def table() -> list[Row]:
    """All rows: both examples, both numbers of rows, all numbers of items."""
    return [chances_of_a_best_item(value, rows, items) for value in (1, 2) for rows in ROWS for items in ITEMS]


def page(rows: Sequence[Row]) -> str:
    """The page with the table, in Markdown."""
    lines = [
        "# Four ways to choose a best item",
        "",
        "The example of Chaudhuri, Hsu & Song, Section 2.2: n rows that all equal 1, so that item 1 is better than",
        "all others by n, or all equal 2, so that two items are. The numbers are the exact probabilities that a best",
        "item is *missed*, at ε = 1 and δ = 10⁻⁶, with A_dist at its corrected constants. `make figures` writes this",
        "page.",
        "",
        "| rows equal | n | items | " + " | ".join(name for name, _, _ in FOUR) + " |",
        "| ---: | ---: | ---: |" + " ---: |" * len(FOUR),
    ]
    for row in rows:
        cells = " | ".join(decimal(1 - chance, 4) for chance in row.chances)
        lines.append(f"| {row.value} | {row.rows} | {row.items} | {cells} |")
    lines += [
        "",
        "At n = 20 the large margin mechanism sees no margin, and falls back on the exponential mechanism at a third",
        "of ε: it depends more on the number of items than what it is to improve on. At n = 500 it sees the margin",
        "with probability above 0.99; the exponential mechanism still misses less, with about (items − 1)·e^(−n/2).",
        "A_dist does not depend on the number of items, and fails as soon as two are best.",
        "",
        "[What near maximisers cost any private mechanism](range-lower-bound.md) has the best one beside them.",
        "",
    ]
    lines += [f"![{PLOTTED} rows, all equal {value}]({_plot_name(value)})" for value in (1, 2)]
    return "\n".join([*lines, ""])


def plot(rows: Sequence[Row], value: int) -> str:
    """The plot of one example with PLOTTED rows, as SVG."""
    chosen = [row for row in rows if (row.value, row.rows) == (value, PLOTTED)]
    curves = {name: [float(decimal(row.chances[i], 6)) for row in chosen] for i, (name, _, _) in enumerate(FOUR)}
    title = f"n = {PLOTTED}, all rows equal {value}, ε = 1, δ = 10⁻⁶"
    return curves_svg(title, [row.items for row in chosen], curves, "items", "Pr[a best item]")


def _plot_name(value: int) -> str:
    return f"range-dependence-{value}.svg"


def files() -> dict[str, str]:
    """The page and its plots by file name."""
    rows = table()
    plots = {_plot_name(value): plot(rows, value) for value in (1, 2)}
    return {"range-dependence.md": page(rows), **plots}


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(folder: Path) -> None:
    """Write the page and its plots to FOLDER."""
    write_reports({folder / name: text for name, text in files().items()})


if __name__ == "__main__":
    main()
