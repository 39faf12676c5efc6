"""Release all k-way marginals of a table of 0s and 1s, by learning them from a few hundred of their cells.

python docs/examples/marginals.py survey.csv --csv marginals.csv

A cell names k attributes and whether a row has each of them. PrivLearn asks a private oracle about --samples of them,
learns for each of ⌈3/α⌉ thresholds which cells have a larger share of the rows, and answers for all cells from that. It
is private for any number of rows, as `dpverify explain HRS-4.10.privacy.every-epsilon` judges it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from math import comb
from pathlib import Path
from typing import Any, Final

import click
from columns import BETA, COUNT, epsilon_up_to_1000, header, privacy_of, read

from dpverify.mechanisms import Draw, InputError, discrete_laplace, exact, run, sample_size, uniform
from dpverify.mechanisms.numbers.integers.parameters import open_unit
from dpverify.mechanisms.release import (
    cell_counts,
    learn_polynomial_threshold,
    literals,
    marginal_cells,
    release_by_learning,
    release_sizes,
)
from dpverify.reports.curves import plot_svg
from dpverify.reports.writing import check_targets, write_reports

MOST_COLUMNS: Final = 24
MOST_THRESHOLDS: Final = 1_000
MOST_CELLS: Final = 200_000
QUANTILES: Final = (0.5, 0.9, 0.95, 1.0)

GAMMA: Final = Fraction(1, 10)
"""The share of cells that may be far off."""


def meets(cell: int, row: int) -> int:
    """Whether a row of literals is in the cell."""
    return int(cell & row == cell)  # asked millions of times: to make a `Conjunction` of the cell takes longer


def noisy(draw: Draw, counts: Sequence[int], *, moved: int, epsilon: Any) -> tuple[Any, ...]:
    """All counts with Laplace noise of their own, where one row moves the counts by `moved` in all."""
    return tuple(count + draw(discrete_laplace(moved / epsilon)) for count in counts)


@click.command()
@click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--ways", type=COUNT, default=3, show_default=True, help="How many attributes a marginal has.")
@click.option("--epsilon", default="0.1", show_default=True)
@click.option("--delta", help="Takes the noise of (epsilon, delta)-privacy where that is less.")
@click.option("--alpha", default="0.1", show_default=True, help="The error of the shares that is accepted.")
@click.option("--samples", type=COUNT, default=400, show_default=True, help="How many cells the oracle is asked about.")
@click.option("--degree", type=COUNT, default=1, show_default=True, help="Of the polynomials that are learnt.")
@click.option("--seed", type=int, help="For tests: the answer is repeatable, and not private.")
@click.option("--csv", "target", type=click.Path(path_type=Path), help="A CSV file of the released marginals.")
@click.option(
    "--compare",
    type=click.Path(path_type=Path),
    help="Print the errors beside those of Laplace noise on every cell, and draw them into an SVG: not private.",
)
def main(
    path: Path,
    ways: int,
    epsilon: str,
    delta: str | None,
    alpha: str,
    samples: int,
    degree: int,
    seed: int | None,
    target: Path | None,
    compare: Path | None,
) -> None:
    """Release all marginals of the table PATH, whose columns hold 0 or 1, privately."""
    try:
        if target is None and compare is None:
            raise InputError("nothing to write: give --csv FILE for the release, or --compare FILE")
        check_targets([file for file in (target, compare) if file is not None], read=path)
        eps = exact(epsilon_up_to_1000(epsilon), "epsilon")
        names = header(path)
        d = len(names)
        if {"0", "1"} & set(names):
            raise InputError(f"{path}, line 1: a column is called 0 or 1: the first line holds names, and no data")
        if sample_size(release_by_learning, "thresholds", alpha=alpha) > MOST_THRESHOLDS:
            raise InputError(f"alpha={alpha} takes more than {MOST_THRESHOLDS} thresholds: allow a larger error")
        if not ways <= d <= MOST_COLUMNS:
            raise InputError(f"{path} has {d} columns: {ways}-way marginals take from {ways} to {MOST_COLUMNS}")
        number = comb(d, ways) << ways
        if number > MOST_CELLS:
            raise InputError(f"{number:,} cells are more than {MOST_CELLS:,}: take fewer --ways")
        cells = marginal_cells(d, ways)
        rows = tuple(_row(where, fields, names) for where, fields in read(path, *names))
        if not rows:
            raise InputError(f"{path}: the database is empty, as there are no rows below the header")
        learner = partial(learn_polynomial_threshold, d=2 * d, k=ways, degree=min(degree, ways))
        synopsis = run(
            release_by_learning,
            tuple(literals(row, d) for row in rows),
            seed=seed,
            queries=uniform(cells),
            predicate=meets,
            learner=learner,
            alpha=alpha,
            beta=BETA,
            gamma=GAMMA,
            epsilon=eps,
            delta=None if delta is None else open_unit(delta, "delta"),
            samples=samples,
            bound=samples,  # without evaluation access no other cell is asked about
            evaluation=False,
        )
        sizes = release_sizes(
            queries=len(cells),
            examples=lambda n, gamma, beta: sample_size(
                learn_polynomial_threshold, "examples", n=n, gamma=gamma, beta=beta, d=2 * d, k=ways
            ),
            alpha=alpha,
            beta=BETA,
            gamma=GAMMA,
            epsilon=eps,
            evaluation=False,
        )
        released = [float(synopsis(cell)) for cell in cells]
        written = {} if target is None else {target: _csv(names, cells, released)}
        if compare is not None:
            errors = _errors(rows, cells, d, released, eps, ways, seed)
            written[compare] = _plot(errors, f"{ways}-way marginals at ε = {epsilon}: errors, not private")
        write_reports(written)
    except InputError as error:
        raise click.ClickException(str(error)) from None
    click.echo(privacy_of(len(rows), 0, "", epsilon, delta or "0", seed))
    click.echo(
        f"{len(cells):,} cells from answers about {samples:,}. For an error of at most {alpha} on 9 of 10 cells, with "
        f"probability 0.9, Theorem 4.10 takes {float(sizes.samples):.1e} samples of cells and {float(sizes.rows):.1e} "
        "rows: this run has no such promise.",
        err=True,
    )
    if compare is not None:
        click.echo(f"(not private: the errors beside the true shares)\n{_table(errors)}")


def _row(where: str, fields: Sequence[str], names: Sequence[str]) -> int:
    for name, field in zip(names, fields, strict=True):
        if field not in ("0", "1"):
            raise InputError(f"{where}: {name} is {field[:20]!r}, and not 0 or 1")
    return sum(1 << i for i, field in enumerate(fields) if field == "1")


def _csv(names: Sequence[str], cells: Sequence[int], released: Sequence[float]) -> str:
    """A line for each cell: a 1 or 0 for the attributes that it names, nothing for the others, and the share."""
    d = len(names)
    lines = [",".join([*map(_quoted, names), "share"])]
    for cell, share in zip(cells, released, strict=True):
        fields = ["1" if cell >> i & 1 else "0" if cell >> (d + i) & 1 else "" for i in range(d)]
        lines.append(",".join([*fields, f"{share:.4f}"]))
    return "\n".join([*lines, ""])


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if any(mark in name for mark in ',"\n\r') else name


def _errors(
    rows: Sequence[int],
    cells: Sequence[int],
    d: int,
    released: Sequence[float],
    epsilon: Any,
    ways: int,
    seed: int | None,
) -> dict[str, list[float]]:
    """The errors of the shares, in rising order: of PrivLearn, and of two ways to add noise to every cell."""
    counts, m = cell_counts(rows, cells, d), len(rows)
    answers = {
        "PrivLearn": released,
        # as if one row could move every cell, and, less crudely, two cells of each marginal
        "Laplace, each cell": _with_noise(counts, len(cells), epsilon, m, seed),
        "Laplace, each marginal": _with_noise(counts, 2 * (len(cells) >> ways), epsilon, m, seed),
    }
    return {
        name: sorted(abs(share - count / m) for share, count in zip(shares, counts, strict=True))
        for name, shares in answers.items()
    }


def _with_noise(counts: Sequence[int], moved: int, epsilon: Any, m: int, seed: int | None) -> list[float]:
    found = run(noisy, tuple(counts), seed=seed, moved=moved, epsilon=epsilon)
    return [min(1.0, max(0.0, count / m)) for count in found]


def _table(errors: dict[str, list[float]]) -> str:
    """The quantiles of the errors of each."""
    head = "".join(f"{name:>10}" for name in ("median", "90 %", "95 %", "worst"))
    lines = [f"{'error of a share':24}{head}"]
    for name, sizes in errors.items():
        at = [sizes[min(len(sizes) - 1, int(quantile * len(sizes)))] for quantile in QUANTILES]
        lines.append(f"{name:24}" + "".join(f"{error:10.3f}" for error in at))
    return "\n".join(lines)


def _plot(errors: dict[str, list[float]], title: str) -> str:
    """The errors by quantile."""
    curves = {
        name: [(i / 100, sizes[min(len(sizes) - 1, i * len(sizes) // 100)]) for i in range(101)]
        for name, sizes in errors.items()
    }
    ticks = [(i / 4, f"{25 * i} %") for i in range(5)]
    return plot_svg(title, curves, ticks, "share of cells", "error of at most")


if __name__ == "__main__":
    main()
