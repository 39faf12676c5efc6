"""Release which shares of a column of numbers lie where, by each of the sanitizers of the papers.

python docs/examples/sanitizing.py parts.csv --by stability --value station --low 0 --high 64

The column is cut into 2^bits cells of a range that is known beforehand. `stability` and `cut-offs` release the cells
that stand out with noise on their counts, `k-points` answers for sets of k cells, and `small-database` picks a few rows
that have about the same share below each threshold; `in-parts` puts such databases together, one for each part of the
rows. `weights` has the share below each threshold by private multiplicative weights.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import accumulate
from math import ceil
from pathlib import Path
from typing import Any

import click
from cells import BITS_OPTION, HIGH_OPTION, LOW_OPTION, PATH_ARGUMENT, SEED_OPTION, Range, asks_for, cells_in
from columns import ALTHOUGH_OPTION, BETA, COUNT, epsilon_up_to_1000, privacy_of, refuse_where_not_shown, too_few

from dpverify.mechanisms import Draw, InputError, exact, log, run, sample_size
from dpverify.mechanisms.sanitizers import (
    cut_off_histogram,
    multiplicative_weights,
    sanitize_in_parts,
    sanitize_k_points,
    share_of,
    small_database,
    stable_histogram,
    thresholds,
)
from dpverify.reports.curves import plot_svg
from dpverify.reports.writing import check_targets, write_reports

SANITIZERS = ("stability", "cut-offs", "k-points", "small-database", "in-parts", "weights")
LISTED = ("small-database", "in-parts")
BY_THRESHOLD = (*LISTED, "weights")
MOST_LISTED, PARTS = 4, 10
"""The most bits where all small databases are listed, and how many parts there are."""


@click.command()
@PATH_ARGUMENT
@click.option("--by", type=click.Choice(SANITIZERS), default="stability", show_default=True, help="The sanitizer.")
@click.option("--value", required=True, help="The column of numbers.")
@LOW_OPTION
@HIGH_OPTION
@BITS_OPTION
@click.option("--epsilon", default="1", show_default=True)
@click.option("--delta", default="1e-6", show_default=True)
@click.option("--alpha", default="0.1", show_default=True, help="The error of the shares that is accepted.")
@click.option("--points", type=COUNT, default=2, show_default=True, help="Of k-points: k.")
@click.option("--size", type=click.IntRange(1, 4), default=4, show_default=True, help="Of a small database: its rows.")
@SEED_OPTION
@ALTHOUGH_OPTION
@click.option("--compare", type=click.Path(path_type=Path), help="An SVG of the data beside it, which is not private.")
def main(
    path: Path,
    by: str,
    value: str,
    low: float,
    high: float,
    bits: int,
    epsilon: str,
    delta: str,
    alpha: str,
    points: int,
    size: int,
    seed: int | None,
    although: bool,
    compare: Path | None,
) -> None:
    """Release the shares of the rows of a CSV file by the cells of the column VALUE, privately."""
    try:
        check_targets([] if compare is None else [compare], read=path)
        epsilon_up_to_1000(epsilon)
        if by in LISTED and bits > MOST_LISTED:
            raise InputError(f"{by} lists all databases of {size} cells: give at most --bits {MOST_LISTED}")
        within = Range(low, high, bits)
        rows = tuple(x for x, _ in cells_in(path, (value,), (), within))
        given: dict[str, Any] = {
            "d": bits,
            "alpha": alpha,
            "epsilon": epsilon,
            "delta": delta,
            "points": points,
            "size": size,
        }
        if by == "in-parts":
            rows = rows[: len(rows) // PARTS * PARTS]
            if not rows:
                raise InputError(f"{path} has fewer than {PARTS} rows, one for each part")
        needed, source = _needed(by, **given)
        promised = "0" if by in BY_THRESHOLD else delta
        private_from = needed if by in ("cut-offs", "k-points") else 0
        refuse_where_not_shown(too_few(len(rows), private_from, source, epsilon, promised), seed, although)
        found = run(_sanitizer(by, rows=len(rows), **given), rows, seed=seed)
        shares = _shares(by, found, len(rows))
        if compare is not None:
            write_reports({compare: _plot(rows, shares, within, value, by)})
    except InputError as error:
        raise click.ClickException(str(error)) from None
    click.echo(privacy_of(len(rows), private_from, source, epsilon, promised, seed))
    click.echo(asks_for(source, needed, len(rows), _promise(by, alpha, size)), err=True)
    if not shares:
        click.echo("No cell stood out.")
    for cell, share in sorted(shares.items()):
        click.echo(
            f"{share:7.2%}  {value} {'below' if by == 'weights' else 'from'} {within.start(cell + (by == 'weights'))}"
        )


def _promise(by: str, alpha: str, size: int) -> str:
    if by in LISTED:
        return f"to be within {alpha} of the nearest database of {size} rows with probability 0.9"
    return f"for errors of at most {alpha} with probability 0.9"


def _sanitizer(by: str, *, rows: int, d: int, alpha: str, epsilon: str, delta: str, points: int, size: int) -> Any:
    if by == "stability":
        return partial(stable_histogram, d=d, epsilon=epsilon, delta=delta)
    if by == "cut-offs":
        return partial(cut_off_histogram, d=d, alpha=alpha, epsilon=epsilon)
    if by == "k-points":
        return partial(sanitize_k_points, k=points, d=d, alpha=alpha, epsilon=epsilon, delta=delta)
    if by == "weights":
        return partial(_below_each_threshold, d=d, alpha=alpha, epsilon=epsilon)
    small = partial(
        small_database, universe=tuple(range(1 << d)), concepts=thresholds(d), size=size, epsilon=exact(epsilon)
    )
    return small if by == "small-database" else partial(sanitize_in_parts, sanitizer=small, size=rows // PARTS)


def _below_each_threshold(draw: Draw, rows: tuple[int, ...], *, d: int, alpha: str, epsilon: str) -> Any:
    """The noisy number of rows up to each cell; an update for each of them, so that none is left without."""
    concepts = thresholds(d)[1:]
    return multiplicative_weights(
        draw, rows, universe=range(1 << d), concepts=concepts, updates=len(concepts), alpha=alpha, epsilon=epsilon
    )


def _needed(by: str, *, d: int, alpha: str, epsilon: str, delta: str, points: int, size: int) -> tuple[int, str]:
    """How many rows a theorem asks for, with the constants of the claims of the catalogue, and which."""
    eps, a, del_ = exact(epsilon), exact(alpha), exact(delta)
    if by == "stability":
        each = 4 / (a * eps) * max(log(2 / del_) + eps / 2, log(4 / (a * BETA)))
        return ceil(max(each, 2 / (a * eps) * log((2 << d) / BETA))), "Proposition 2.20"
    if by == "cut-offs":
        accurate = 8 / (3 * a * eps) * log(16 / (a * BETA))
        # a point of αn/8 + 1 rows is released with less than δ
        private = 8 / a + 16 / (a * eps) * log(1 / del_)
        return ceil(max(accurate, private)), "Proposition 2.20, the other reading, with our constants,"
    if by == "k-points":
        return sample_size(
            sanitize_k_points, k=points, alpha=alpha, beta=BETA, epsilon=epsilon, delta=delta
        ), "Theorem 4.7"
    if by == "weights":
        concepts = 1 << d
        return sample_size(
            multiplicative_weights, concepts=concepts, updates=concepts, alpha=alpha, beta=BETA, epsilon=epsilon
        ), "Theorem 2.19, with our constants,"
    least = ceil(4 / (a * eps) * (size * d * log(2) + log(1 / BETA)))
    return least * (
        sample_size(sanitize_in_parts, "parts", beta=BETA) if by == "in-parts" else 1
    ), "Theorem 2.19" if by != "in-parts" else "Lemma 5.1"


def _shares(by: str, found: Any, size: int) -> dict[int, float]:
    """The released share of each cell that has one, or of all cells up to it."""
    if by == "weights":
        return {cell: float(below) / size for cell, below in enumerate(found)}
    if by in LISTED:
        rows = [x for part in found for x in (part if isinstance(part, tuple) else (part,))]
        return {x: count / len(rows) for x, count in Counter(rows).items()}
    return {x: float(share_of([x], found)) for x, _ in found}


def _plot(rows: tuple[int, ...], shares: dict[int, float], within: Range, value: str, by: str) -> str:
    """Of what lists cells their shares, and of databases the shares below each threshold."""
    counts, cells = Counter(rows), range(within.cells)
    true, released = [counts[x] / len(rows) for x in cells], [shares.get(x, 0.0) for x in cells]
    what = "share of the rows"
    if by in BY_THRESHOLD:
        released = list(accumulate(released)) if by in LISTED else released
        true, what = list(accumulate(true)), "share up to there"
    at = [(x + 0.5) / within.cells for x in cells]
    curves = {"true": list(zip(at, true, strict=True)), "released": list(zip(at, released, strict=True))}
    ticks = [(q, within.start(int(q * within.cells))) for q in (0, 0.25, 0.5, 0.75, 1)]
    return plot_svg(f"{value} by {by}: not private", curves, ticks, value, what)


if __name__ == "__main__":
    main()
