"""Write docs/performance.md and its plots: python -m tests.benchmarks.page.performance docs.

What is measured, and how, is in measures.py: a case that is added there has a row here.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from math import isnan
from pathlib import Path

import click
import numpy as np
from tests.benchmarks.page.large import Large, shared
from tests.benchmarks.page.measures import (
    BesidePeer,
    Cores,
    Figures,
    Imported,
    Long,
    Memory,
    Price,
    Queries,
    figures,
)

from dpverify.reports.curves import bars_svg
from dpverify.reports.writing import write_reports

RATIOS = "performance-1.svg"
PAIRS = "performance-2.svg"

HEAD = """# Performance

What a certified verdict costs, beside the same work in floating point, and beside what other tools published. `make
performance UPDATE=1` measures all of it anew and writes this page; `make performance` fails where a row has become
slower than `performance-ratios.json` says; `make bench` prints more, and compares sizes. Seconds are of CPU unless they
say otherwise, and differ from machine to machine and with what else it does: look at ratios, each of which is of two
things that were measured in turn in one run.
"""

COSTS = """## What exactness costs

A whole check, from the user's function to the verdict: the laws of all databases, once, all pairs of neighbours, the
worst δ, the exact ε and a witness. Numpy makes the same laws by their formula in float64, and the largest δ over the
same pairs: it is given the pairs, and the counts or scores as an array, and certifies nothing.
"""

MEMORIES = """## Memory

At the peak of a whole check, beyond the loaded library, in a process of its own.
"""

LONGS = """## Samples of long inputs

One outcome, on rows that all but surely differ. The last column compares what a row costs with the fewest rows of the
same mechanism: 1 is linear.
"""

CORES = """## Cores

Claims of the catalogue, decided by so many workers at a time; seconds by the clock.
"""

SHARES = """## Cores for one claim

The exponential mechanism on score vectors, whose laws, pairs and comparisons are shared out. What is of CPU in the
process that asks no further core makes shorter: with enough of them the check is as many times as fast at most as the
last column says, which is alone/asking. By the clock it is so only where nobody else uses the machine. The scheduler of
the cluster is in the process that asks. [Large audits](large-audits.md#what-it-takes) has other domains.
"""

IMPORTS = """## Import

A new interpreter that runs one statement, less what one takes that does nothing.
"""

EXACT_TOOLS = """## Beside exact tools

Sparse vector with Laplace noise (threshold noise 2/ε, query noise 4/ε, stopped at the first answer), decided on all
neighbours among {−1, 0, 1}^N. DiPC (Barthe, Chadha, Jagannath, Sistla & Viswanathan 2020) and DiPApprox (2025, at
ε = ½) are published seconds, on other machines: factors, and not ratios within one run.
"""

PEERS_TEXT = """## Beside testers

The mechanisms of DP-Sniper (Bichsel, Steffen, Bogunovic & Vechev 2021) at the published ε on the published neighbours.
Their seconds are of 128 cores, for a lower bound on ε by samples; these are of one core, for a verdict and the exact ε
on these neighbours, which may be less than that on all databases.
"""


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown: the first column is text, the others are numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def seconds(value: float) -> str:
    """To two significant digits."""
    return f"{value:.2g}" if value < 10 else f"{value:,.0f}"


def times(value: float) -> str:
    """A ratio, to two significant digits."""
    return f"{seconds(value)} ×"


def of_prices(prices: Sequence[Price]) -> str:
    """Pairs, seconds, pairs a second and the ratio."""
    rows = [
        (
            p.name,
            f"{p.pairs:,}",
            seconds(p.seconds),
            f"{p.pairs / p.seconds:,.0f}",
            seconds(p.float_seconds),
            times(p.ratio),
        )
        for p in prices
    ]
    return table(("mechanism, domain", "pairs", "seconds", "pairs/s", "float64 numpy", "ratio"), rows)


def of_memories(memories: Sequence[Memory]) -> str:
    """MiB, and bytes a pair."""
    rows = [(m.name, f"{m.pairs:,}", f"{m.bytes / 2**20:,.0f}", f"{m.bytes / m.pairs:,.0f}") for m in memories]
    return table(("mechanism, domain", "pairs", "MiB", "bytes a pair"), rows)


def of_longs(longs: Sequence[Long]) -> str:
    """Seconds, and what a row costs beside the first case of the same name."""
    first = {one.name: one for one in reversed(longs)}
    rows = [
        (
            one.name,
            f"{one.rows:,}",
            seconds(one.seconds),
            times(one.seconds / one.rows / (first[one.name].seconds / first[one.name].rows)),
        )
        for one in longs
    ]
    return table(("mechanism", "rows", "seconds", "a row"), rows)


def of_cores(cores: Sequence[Cores]) -> str:
    """Seconds by the clock, and how many times as fast as one worker."""
    rows = [
        (f"{c.jobs}", f"{c.claims}", seconds(c.seconds), seconds(c.cpu), times(cores[0].seconds / c.seconds))
        for c in cores
    ]
    return table(("workers", "claims", "seconds", "of CPU", "as fast as one"), rows)


def of_shared(rows: Sequence[Large]) -> str:
    """Seconds by the clock and of CPU, memory, and how many times as fast as alone it can become."""
    return table(
        ("processes", "pairs", "by the clock", "of CPU, asking", "of CPU, helping", "MiB, asking", "at most as fast"),
        [
            (
                one.workers,
                f"{one.pairs:,}",
                seconds(one.seconds),
                seconds(one.here),
                "–" if isnan(one.helpers) else seconds(one.helpers),
                f"{one.memory / 2**20:,.0f}",
                times(rows[0].here / one.here),
            )
            for one in rows
        ],
    )


def of_imports(imports: Sequence[Imported]) -> str:
    """Seconds, and the ratio to the first."""
    rows = [(f"`{one.statement}`", seconds(one.seconds), times(one.seconds / imports[0].seconds)) for one in imports]
    return table(("statement", "seconds", f"beside `{imports[0].statement}`"), rows)


def of_exact_tools(rows: Sequence[Queries]) -> str:
    """Published seconds, ours, and the factors."""
    return table(
        ("queries", "pairs", "DiPC, s", "DiPApprox, s", "here, s", "DiPC / here", "DiPApprox / here"),
        [
            (
                f"{q.queries}",
                f"{q.pairs:,}",
                f"{q.dipc:g}",
                f"{q.dip_approx:g}",
                seconds(q.seconds),
                times(q.dipc / q.seconds),
                times(q.dip_approx / q.seconds),
            )
            for q in rows
        ],
    )


def of_peers(rows: Sequence[BesidePeer]) -> str:
    """Published seconds, and what is found here."""
    return table(
        ("mechanism", "StatDP, s", "DP-Sniper, s", "here, s", "verdict", "exact ε", "DP-Sniper / here"),
        [
            (
                one.name,
                "–" if one.peer.stat_dp is None else f"{one.peer.stat_dp:g}",
                f"{one.peer.dp_sniper:g}",
                seconds(one.seconds),
                one.verdict,
                one.epsilon,
                times(one.peer.dp_sniper / one.seconds),
            )
            for one in rows
        ],
    )


def page(found: Figures, shares: Sequence[Large]) -> str:
    """The page, in Markdown."""
    machine = (
        f"Measured with Python {platform.python_version()} and numpy {np.__version__} on {os.cpu_count()} cores "
        f"({platform.machine()})."
    )
    parts = [
        HEAD + "\n" + machine + "\n",
        COSTS,
        of_prices(found.prices),
        f"![seconds of a certified check for one of float64 numpy]({RATIOS})\n![pairs a second]({PAIRS})\n",
        MEMORIES,
        of_memories(found.memories),
        LONGS,
        of_longs(found.longs),
        CORES,
        of_cores(found.cores),
        SHARES,
        of_shared(shares),
        IMPORTS,
        of_imports(found.imports),
        EXACT_TOOLS,
        of_exact_tools(found.exact_tools),
        PEERS_TEXT,
        of_peers(found.peers),
    ]
    return "\n".join(parts)


def files(found: Figures, shares: Sequence[Large]) -> dict[str, str]:
    """The page and its plots by file name."""
    return {
        "performance.md": page(found, shares),
        RATIOS: bars_svg(
            "A certified check, in seconds of float64 numpy", {p.name: p.ratio for p in found.prices}, times
        ),
        PAIRS: bars_svg(
            "Pairs a second, certified", {p.name: p.pairs / p.seconds for p in found.prices}, lambda x: f"{x:,.0f}"
        ),
    }


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--jobs", default=os.cpu_count() or 1, show_default=True, help="The most workers that are tried.")
def main(folder: Path, jobs: int) -> None:
    """Measure all, and write the page and its plots to FOLDER."""
    found = figures(jobs, lambda text: click.echo(text, err=True))
    click.echo("one claim on several cores", err=True)
    write_reports({folder / name: text for name, text in files(found, shared(jobs)).items()})


if __name__ == "__main__":
    main()
