"""Learn a concept from labelled rows of a CSV file, by each of the private learners of the papers.

python docs/examples/learning.py parts.csv --by points --value station --label cracked --low 0 --high 64

A column of numbers is cut into 2^bits cells of a range that is known beforehand. Learnt is a cell in which the label is
1 (`points`, `points-or-none`; one or few, `points-improperly`), a threshold below which it is 1 (all others), or a
rectangle of several columns (`rectangle`). `label-private` keeps the labels alone secret, and `semi-private` takes the
cells for public points.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

import click
from cells import BITS_OPTION, HIGH_OPTION, LOW_OPTION, PATH_ARGUMENT, SEED_OPTION, Range, asks_for, cells_in
from columns import ALTHOUGH_OPTION, BETA, epsilon_up_to_1000, privacy_of, refuse_where_not_shown, too_few

from dpverify.mechanisms import InputError, exact, log, run, sample_size
from dpverify.mechanisms.learners import (
    HashedPoint,
    Rectangle,
    generic_learner,
    label_private_learner,
    learn_by_large_margin,
    learn_points,
    learn_points_improperly,
    learn_points_or_none,
    learn_rectangle,
    learn_thresholds_by_search,
    learn_thresholds_extended_abstract,
    semi_private_learner,
)
from dpverify.mechanisms.sanitizers import Point, Threshold, learn_by_labels, small_database, thresholds
from dpverify.reports.curves import plot_svg
from dpverify.reports.writing import check_targets, write_reports

LEARNERS = (
    "points",
    "points-or-none",
    "points-improperly",
    "thresholds-by-rec",
    "search",
    "search-powers",
    "generic",
    "large-margin",
    "rectangle",
    "label-private",
    "semi-private",
    "sanitized",
)
WITHOUT_DELTA = ("points-improperly", "generic", "label-private", "semi-private", "sanitized")
CALLS, BLOCK, SMALL, MOST_SANITIZED = 8, 1000, 3, 4
"""Of SanThresholds for a rectangle; rows of a block of Algorithm B, its small databases, and the bits it is run at."""

PRINTS_NONE = "the paper states an order of rows alone"


@click.command()
@PATH_ARGUMENT
@click.option("--by", type=click.Choice(LEARNERS), default="points", show_default=True, help="The learner.")
@click.option("--value", "values", required=True, multiple=True, help="The column of numbers; several for a rectangle.")
@click.option("--label", required=True, help="The column of labels, 0 or 1.")
@click.option("--above", is_flag=True, help="Of a threshold: the label is 1 from it on.")
@LOW_OPTION
@HIGH_OPTION
@BITS_OPTION
@click.option("--epsilon", default="1", show_default=True)
@click.option("--delta", default="1e-6", show_default=True)
@click.option("--alpha", default="0.1", show_default=True, help="The share of wrong labels that is accepted.")
@SEED_OPTION
@ALTHOUGH_OPTION
@click.option("--compare", type=click.Path(path_type=Path), help="An SVG of the data beside it, which is not private.")
def main(
    path: Path,
    by: str,
    values: tuple[str, ...],
    label: str,
    above: bool,
    low: float,
    high: float,
    bits: int,
    epsilon: str,
    delta: str,
    alpha: str,
    seed: int | None,
    although: bool,
    compare: Path | None,
) -> None:
    """Learn what makes the column LABEL of a CSV file 1, privately."""
    try:
        check_targets([] if compare is None else [compare], read=path)
        epsilon_up_to_1000(epsilon)
        if len(values) > 1 and by != "rectangle":
            raise InputError(f"{by} learns from one column: give --value once")
        if by == "sanitized" and bits > MOST_SANITIZED:
            raise InputError(f"sanitized lists all databases of {SMALL} cells: give at most --bits {MOST_SANITIZED}")
        within = Range(low, high, bits)
        sample = tuple((x, y ^ above) for x, (y,) in cells_in(path, values, (label,), within))
        if by == "rectangle":
            sample = tuple((x if isinstance(x, tuple) else (x,), y) for x, y in sample)
        given: dict[str, Any] = {"d": bits, "alpha": alpha, "epsilon": epsilon, "delta": delta}
        needed, source = _needed(by, len(values), **given)
        private_from = needed if by == "rectangle" and needed else 0  # the others are private for any number of rows
        refuse_where_not_shown(too_few(len(sample), private_from, source, epsilon, delta), seed, although)
        found = run(_learner(by, sample, **given), sample, seed=seed)
        if compare is not None:
            write_reports({compare: _plot(sample, found, within, values[0], label)})
    except InputError as error:
        raise click.ClickException(str(error)) from None
    told = privacy_of(len(sample), private_from, source, epsilon, "0" if by in WITHOUT_DELTA else delta, seed)
    click.echo(told.replace("one of them is replaced", "a label changes") if by == "label-private" else told)
    what = "to be private" if by == "rectangle" else f"to be wrong on at most {alpha} with probability 0.9"
    click.echo(f"{source}: {PRINTS_NONE}." if needed is None else asks_for(source, needed, len(sample), what), err=True)
    click.echo(f"{label} is {int(not above)} {_in_words(found, values, within)}")
    if seed is not None and callable(found):
        wrong = sum(count for (x, y), count in Counter(sample).items() if found(x) != y)
        click.echo(f"(not private: it labels {1 - wrong / len(sample):.1%} of the rows as given)")


def _learner(by: str, sample: tuple[Any, ...], *, d: int, alpha: str, epsilon: str, delta: str) -> Any:
    private: dict[str, Any] = {"epsilon": epsilon, "delta": delta}
    if by in ("points", "points-or-none"):
        return partial(learn_points if by == "points" else learn_points_or_none, d=d, **private)
    if by == "points-improperly":
        bits = sample_size(learn_points_improperly, "bits", alpha=alpha, beta=BETA)
        return partial(learn_points_improperly, d=d, bits=bits, epsilon=epsilon)
    if by == "thresholds-by-rec":
        return partial(learn_thresholds_extended_abstract, d=d, alpha=alpha, **private)
    if by.startswith("search"):
        return partial(learn_thresholds_by_search, d=d, alpha=alpha, powers=by == "search-powers", **private)
    if by == "rectangle":
        return partial(learn_rectangle, d=d, alpha=alpha, calls=CALLS, **private)
    concepts = thresholds(d)
    if by == "generic":
        return partial(generic_learner, hypotheses=concepts, epsilon=epsilon)
    if by == "large-margin":
        return partial(learn_by_large_margin, concepts=concepts, **private)
    if by == "semi-private":
        return partial(semi_private_learner, unlabelled=tuple(range(1 << d)), concepts=concepts, epsilon=epsilon)
    if by == "label-private":
        split = min(
            sample_size(label_private_learner, "unlabelled rows", vc=1, alpha=alpha, beta=BETA), len(sample) // 2
        )
        return partial(label_private_learner, concepts=concepts, split=split, epsilon=epsilon)
    # B is 6ε-private with its parts at ε
    part = exact(epsilon) / 6
    small = partial(small_database, universe=tuple(range(1 << d)), concepts=concepts, size=SMALL, epsilon=part)
    return partial(learn_by_labels, concepts=concepts, sanitizer=small, block=BLOCK, epsilon=part, filler=0)


def _needed(by: str, axes: int, *, d: int, alpha: str, epsilon: str, delta: str) -> tuple[int | None, str]:
    """How many rows a theorem asks for, None where it says an order, and which."""
    accuracy = {"alpha": alpha, "beta": BETA, "epsilon": epsilon}
    if by in ("points", "points-or-none"):
        return sample_size(learn_points, **accuracy, delta=delta), "Lemma 3.2"
    if by == "points-improperly":
        return sample_size(learn_points_improperly, **accuracy), "The improper learner of points"
    if by.startswith("search"):
        return sample_size(
            learn_thresholds_by_search, d=d, powers=by == "search-powers", **accuracy
        ), "The search of Section 3.2"
    if by == "rectangle":
        return sample_size(
            learn_rectangle, "rows for privacy", axes=axes, calls=CALLS, delta=delta, **accuracy
        ), "Lemma 4.8"
    if by == "label-private":
        return sample_size(label_private_learner, vc=1, **accuracy), "Theorem 6.2"
    if by == "sanitized":
        return sample_size(learn_by_labels, rows=BLOCK, alpha=alpha, beta=BETA, epsilon=exact(epsilon) / 6), "Lemma 5.4"
    if by in ("generic", "semi-private"):
        least = 2 / (exact(epsilon) * exact(alpha)) * log(((1 << d) + 1) / BETA)
        return ceil(least), "Proposition 2.25, of the rows given and not of others,"
    return None, "Theorem 2 of the extended abstract" if by == "thresholds-by-rec" else "Corollary 2"


def _in_words(found: Any, values: tuple[str, ...], within: Range) -> str:
    if isinstance(found, Point):
        return f"where {values[0]} is from {within.start(found.j)} up to {within.start(found.j + 1)}"
    if isinstance(found, Threshold):
        return f"where {values[0]} is below {within.start(found.j)}"
    if isinstance(found, Rectangle):
        sides = zip(values, found.lows, found.highs, strict=True)
        return "where " + " and ".join(
            f"{v} is from {within.start(a)} up to {within.start(b + 1)}" for v, a, b in sides
        )
    if isinstance(found, HashedPoint):
        cells = [f"from {within.start(x)} up to {within.start(x + 1)}" for x in range(within.cells) if found(x)]
        return f"where {values[0]} is {' or '.join(cells)}" if cells else "nowhere"
    return "nowhere that stood out"


def _plot(sample: tuple[Any, ...], found: Any, within: Range, value: str, label: str) -> str:
    """The share of labels that are 1 in each cell of the first column, and what was learnt of it."""
    ones, rows = Counter[int](), Counter[int]()
    for x, y in sample:
        cell = x[0] if isinstance(x, tuple) else x
        rows[cell] += 1
        ones[cell] += y
    cells = range(within.cells)
    at = [(cell + 0.5) / within.cells for cell in cells]
    curves = {"share labelled 1": [(at[c], ones[c] / rows[c]) for c in cells if rows[c]]}
    if isinstance(found, Rectangle):
        curves["learnt"] = [(at[c], float(found.lows[0] <= c <= found.highs[0])) for c in cells]
    elif callable(found):
        curves["learnt"] = [(at[c], float(found(c))) for c in cells]
    ticks = [(q, within.start(int(q * within.cells))) for q in (0, 0.25, 0.5, 0.75, 1)]
    return plot_svg(f"{label} by {value}: not private", curves, ticks, value, "share")


if __name__ == "__main__":
    main()
