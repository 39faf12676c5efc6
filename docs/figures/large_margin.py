"""Write docs/large-margin.md: python docs/figures/large_margin.py docs.

Corollaries 1 and 2 of Chaudhuri, Hsu & Song with explicit constants, beside the exponential mechanism's bounds, against
the size of the universe. All numbers are computed exactly, and rounded to be shown.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import click

from dpverify.mechanisms import decimal, exact, sample_size
from dpverify.mechanisms.learners import learn_by_large_margin
from dpverify.mechanisms.release import frequent_itemset, frequent_itemset_by_exponential
from dpverify.reports.writing import write_reports

EPSILON, DELTA = 1, Fraction(1, 10**6)
ROWS, FAILURE = 100_000, Fraction(1, 10)
OCCURRING = (1, 10**3, 10**6, 10**7)
ITEMS = ("10^2", "10^4", "10^8", "2^64", "10^64")
CLASSES = (8, 32, 64, 256)


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(folder: Path) -> None:
    """Write the page to FOLDER."""
    write_reports({folder / "large-margin.md": page()})


def page() -> str:
    """The page, in Markdown."""
    return "\n".join([*itemsets(), "", *learning(), ""])


def itemsets() -> list[str]:
    """Corollary 1: the count that LMM asks for and what both may lose."""
    given: dict[str, Any] = {"epsilon": EPSILON, "failure": DELTA}
    lines = [
        "# What the large margin mechanism promises, against the universe",
        "",
        "## Itemsets (Corollary 1), at ε = 1, δ = η = 10⁻⁶",
        "",
        "With the constants of Theorem 3: LMM needs a best count by the number L of itemsets that occur, whatever",
        "the universe; the exponential mechanism needs none, and loses more as the universe grows.",
        "",
        "| itemsets that occur, L | best count needed by LMM | baskets that LMM may lose |",
        "| --- | --- | --- |",
    ]
    for occurring in OCCURRING:
        promise = sample_size(frequent_itemset, "promise", occurring=occurring, delta=DELTA, **given)
        lines.append(f"| {occurring:,} | {shown(promise.needed)} | {shown(promise.error)} |")
    lines += ["", "| items | baskets that the exponential mechanism may lose, r = 2 | r = 3 |", "| --- | --- | --- |"]
    for items in ITEMS:
        base, power = map(int, items.split("^"))
        lost = [
            sample_size(frequent_itemset_by_exponential, "promise", universe=comb(base**power, r), **given).error
            for r in (2, 3)
        ]
        lines.append(f"| {items.replace('^', '<sup>')}</sup> | {shown(lost[0])} | {shown(lost[1])} |")
    return lines


def learning() -> list[str]:
    """Corollary 2: the error that both allow, for two classes of very different shells."""
    lines = [
        "## Learning (Corollary 2 and its (2)), at n = 10⁵, ε = 1, δ = 10⁻⁶, δ₀ = 1/10",
        "",
        "How much worse than the best a hypothesis may be. Points: one has half of the mass, and all others are about",
        "equally bad. Thresholds, on uniform points: their errors, here in steps of 1/1000, are spread evenly.",
        "",
        "| hypotheses | exponential mechanism | LMM, points | LMM, thresholds |",
        "| --- | --- | --- | --- |",
    ]
    for bits in CLASSES:
        size = 1 << bits
        u = sample_size(learn_by_large_margin, "deviation", hypotheses=size, rows=ROWS, failure=FAILURE)
        given: dict[str, Any] = {"rows": ROWS, "deviation": u, "epsilon": EPSILON, "delta": DELTA}
        points = {Fraction(0): 1, Fraction(1, 2): size - 1}
        # the errors of thresholds in steps of a thousandth
        thresholds = {Fraction(i, 1000): max(1, size // 1000) for i in range(1000)}
        found = [
            sample_size(learn_by_large_margin, "error by exponential", hypotheses=size, **given),
            sample_size(learn_by_large_margin, "error by shells", errors=points, **given),
            sample_size(learn_by_large_margin, "error by shells", errors=thresholds, **given),
        ]
        lines.append(f"| 2<sup>{bits}</sup> | " + " | ".join(decimal(error, 4) for error in found) + " |")
    return lines


def shown(number: Any) -> str:
    """A number of baskets, to the nearest."""
    return f"{round(Fraction(decimal(exact(number), 12))):,}"


if __name__ == "__main__":
    main()
