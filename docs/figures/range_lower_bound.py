"""Write docs/range-lower-bound.md and its plots: python docs/figures/range_lower_bound.py docs.

How often any private mechanism finds the best item on the databases of Theorem 1 of Chaudhuri, Hsu & Song, beside what
five mechanisms achieve there: as the number K of items grows, as the number ℓ of near ones does, and as they differ in
more rows. All numbers are computed exactly, and rounded to be shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from dpverify.mechanisms import Exact, decimal, distribution, exact, log, sample_size
from dpverify.mechanisms.selection import (
    choose_by_stability,
    choosing_mechanism,
    exponential_mechanism,
    large_margin_mechanism,
    max_of_laplaces,
    near_maximisers,
    qualities_of_near_maximisers,
)
from dpverify.mechanisms.selection.packing_bound import packing_bound
from dpverify.reports.curves import curves_svg
from dpverify.reports.writing import write_reports
from dpverify.verifiers.optimal import best_mechanism

EPSILON: Final = log(2)
DELTA: Final = Fraction(1, 1000)

MECHANISMS: Final[tuple[tuple[str, Callable[..., Any], bool], ...]] = (
    ("exponential", exponential_mechanism, False),
    ("max of Laplaces", max_of_laplaces, False),
    ("A_dist", choose_by_stability, True),
    ("choosing", choosing_mechanism, False),
    ("large margin", large_margin_mechanism, True),
)
"""Name, mechanism, and whether it is given δ."""

NAMES: Final = ("optimal", "forced", *(name for name, _, _ in MECHANISMS))


class Point(NamedTuple):
    """K items, ℓ of them near, and t rows that differ; and the worst success: best, forced, and of each mechanism."""

    items: int
    near: int
    moved: int
    success: tuple[Exact, ...]


class Plot(NamedTuple):
    """One of the numbers grows: its name, what is said of the others, and the points."""

    grows: str
    title: str
    points: tuple[tuple[int, int, int], ...]


PLOTS: Final = (
    Plot("K", "ℓ = 4 near items, t = 2", tuple((items, 4, 2) for items in (4, 8, 16, 32))),
    Plot("ℓ", "all items near, K = ℓ, t = 2", tuple((near, near, 2) for near in (2, 4, 8, 16))),
    Plot("t", "K = ℓ = 8", tuple((8, 8, moved) for moved in (1, 2, 4, 8))),
)


def point(items: int, near: int, moved: int) -> Point:
    """The numbers at ε = ln 2 and δ = 1/1000, of as many rows as the choosing mechanism needs to be private.

    Of the number of rows nothing else depends. On all of the databases the success is the same: the near items differ
    by their names alone, and the best ties with none.
    """
    needed = sample_size(choosing_mechanism, growth=items, alpha=1, beta=Fraction(1, 2), epsilon=EPSILON, delta=DELTA)
    rows = max(2 * moved, needed)
    databases = near_maximisers(near, rows, moved)
    best = best_mechanism(
        databases,
        None,
        lambda database, item: item == database[0],
        epsilon=EPSILON,
        delta=DELTA,
        outcomes=range(1, near + 1),
        distance=lambda left, right: 0 if left == right else moved,
    )
    first = tuple(qualities_of_near_maximisers(databases[0], items, near).values())
    achieved = []
    for _, mechanism, takes_delta in MECHANISMS:
        given: dict[str, Any] = {"epsilon": EPSILON, **({"delta": DELTA} if takes_delta else {})}
        if mechanism is choosing_mechanism:
            given |= {"rows": rows, "alpha": 1}
        achieved.append(distribution(mechanism, first, **given).probability(0))
    forced = packing_bound(near, moved, EPSILON, DELTA)
    return Point(items, near, moved, (exact(best.success), forced, *achieved))


def page(tables: Sequence[Sequence[Point]]) -> str:
    """The page, in Markdown."""
    lines = [
        "# What near maximisers cost any private mechanism",
        "",
        "Theorem 1 of Chaudhuri, Hsu & Song says that the more items are nearly best, the less often any",
        "(α,δ)-private mechanism finds a best one. Its databases, filled in: D_i, for i = 1, …, ℓ, has t rows i and",
        "else rows 0, which count for all items. On it item i is best, ℓ − 1 near items are worse by t rows, and",
        "K − ℓ far ones by t + 1. The numbers are the exact probabilities that the best item is found, on the worst of",
        "the D_i, at α = ln 2 and δ = 1/1000. *Optimal* is the best mechanism there is on these databases, found by",
        "linear programming with a proof; *forced* is what the packing argument allows,",
        "(1 + (ℓ − 1)·e^(−tα)·δ_t)/(1 + (ℓ − 1)·e^(−tα)) with δ_t = δ·(e^(tα) − 1)/(e^α − 1). They are equal.",
        "`make figures` writes this page.",
        "",
    ]
    for plot, points in zip(PLOTS, tables, strict=True):
        lines += [
            f"## As {plot.grows} grows: {plot.title}",
            "",
            "| K | ℓ | t | " + " | ".join(NAMES) + " |",
            "| ---: | ---: | ---: |" + " ---: |" * len(NAMES),
        ]
        for at in points:
            cells = " | ".join(decimal(success, 4) for success in at.success)
            lines.append(f"| {at.items} | {at.near} | {at.moved} | {cells} |")
        lines += ["", f"![{plot.title}]({plot_name(plot)})", ""]
    lines += [
        "Of the number K of all items the optimum does not depend; the exponential mechanism, the maximum of Laplaces",
        "and the choosing mechanism do, and so does the large margin mechanism, which sees no margin of two rows. Of ℓ",
        "they depend, too, as the optimum does. A_dist depends on neither: it finds an item that is so little better",
        "with a probability near δ. A best mechanism returns i with probability p on D_i and q on each other D_j,",
        "p = e^(tα)·q + δ_t; of the exponential mechanism p = e^(tα/2)·q where all items are near.",
        "",
        "## What the theorem says, and with which constants",
        "",
        "As printed, the success is less than 1/2 for γ = min{1/2, ln((ℓ − 1)/2)/(nα)} and",
        "δ ≤ (1 − e^(−α))/(2(ℓ − 1)). Where nγ is a whole number, the databases above with t = nγ force it",
        "(`CHS-Thm1.lower-bound.printed`), and the optimum is 1/3 + (2/3)·δ_t < 5/12 at α = ln 2. Where it is not, t",
        "has to be ⌈nγ⌉, and 1/2 is not forced by ℓ databases: for e^α = 12/5 and ℓ = 6, t = 2, the optimum is",
        "4051/6456 ≈ 0.627 (`CHS-Thm1.lower-bound.rounded-up`). With 1 + ⌈(ℓ − 1)·e^α⌉ items it is",
        "(`CHS-Thm1.lower-bound.more-items`); but then each database satisfies the margin condition with one item, so",
        "that the number of near maximisers is not what forces it. For ℓ = 2 and 3 γ is not positive.",
        "",
        "[The four mechanisms where one item is far ahead](range-dependence.md) do better.",
    ]
    return "\n".join([*lines, ""])


def plot_name(plot: Plot) -> str:
    """The file of a plot."""
    return f"range-lower-bound-{1 + PLOTS.index(plot)}.svg"


def plotted(plot: Plot, points: Sequence[Point]) -> str:
    """One plot, as SVG."""
    grown = [at.items if plot.grows == "K" else at.near if plot.grows == "ℓ" else at.moved for at in points]
    curves = {name: [float(decimal(at.success[i], 6)) for at in points] for i, name in enumerate(NAMES)}
    return curves_svg(f"{plot.title}, α = ln 2, δ = 1/1000", grown, curves, plot.grows, "Pr[the best item]")


def files() -> dict[str, str]:
    """The page and its plots by file name."""
    tables = [[point(*parameters) for parameters in plot.points] for plot in PLOTS]
    plots = {plot_name(plot): plotted(plot, points) for plot, points in zip(PLOTS, tables, strict=True)}
    return {"range-lower-bound.md": page(tables), **plots}


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(folder: Path) -> None:
    """Write the page and its plots to FOLDER."""
    write_reports({folder / name: text for name, text in files().items()})


if __name__ == "__main__":
    main()
