"""Learn several concepts at once from a CSV file, one for each column of labels, by the k-learners of the papers.

python docs/examples/many.py parts.csv --by points --value station --label cracked --label bent --low 0 --high 64

`points` finds for each label the cell in which it is 1; `direct-sum` runs a learner of thresholds for each label, with
its share of the privacy; `generic` shares one sanitized sample of points; `sample` learns all labels' thresholds from a
ninth of the rows, drawn at random. `parities` learns which bits each label is the sum of: there the values are bits.
"""

from __future__ import annotations

from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

import click
from cells import BITS_OPTION, PATH_ARGUMENT, SEED_OPTION, Range, asks_for, cells_in, label_in
from columns import BETA, epsilon_up_to_1000, privacy_of, read

from dpverify.mechanisms import InputError, exact, log, run, sample_size
from dpverify.mechanisms.learners import (
    Parity,
    direct_sum,
    generic_learner,
    learn_many,
    learn_many_points,
    learn_parities,
)
from dpverify.mechanisms.sanitizers import Point, Threshold, small_database, thresholds
from dpverify.mechanisms.selection import learn_empirically

LEARNERS = ("points", "direct-sum", "generic", "sample", "parities")
SMALL, MOST_SANITIZED, MORE = 3, 4, 10
"""Rows of the sanitized sample of `generic`, and the bits it is run at; rows of a subsample beyond the bits."""


@click.command()
@PATH_ARGUMENT
@click.option("--by", type=click.Choice(LEARNERS), default="points", show_default=True, help="The learner.")
@click.option("--value", "values", required=True, multiple=True, help="The column of numbers; of bits for parities.")
@click.option(
    "--label", "labels", required=True, multiple=True, help="A column of labels, 0 or 1; give it several times."
)
@click.option(
    "--low", type=float, default=0.0, show_default=True, help="The lower end of the range, not from the data."
)
@click.option("--high", type=float, default=64.0, show_default=True, help="Its upper end.")
@BITS_OPTION
@click.option("--epsilon", default="1", show_default=True)
@click.option("--delta", default="1e-6", show_default=True, help="Of points and parities.")
@click.option("--alpha", default="0.1", show_default=True, help="The share of wrong labels that is accepted.")
@SEED_OPTION
def main(
    path: Path,
    by: str,
    values: tuple[str, ...],
    labels: tuple[str, ...],
    low: float,
    high: float,
    bits: int,
    epsilon: str,
    delta: str,
    alpha: str,
    seed: int | None,
) -> None:
    """Learn what makes each of the columns LABEL of a CSV file 1, privately."""
    try:
        epsilon_up_to_1000(epsilon)
        if len(values) > 1 and by != "parities":
            raise InputError(f"{by} learns from one column: give --value once")
        if by == "generic" and bits > MOST_SANITIZED:
            raise InputError(f"generic lists all databases of {SMALL} cells: give at most --bits {MOST_SANITIZED}")
        within, k = Range(low, high, bits), len(labels)
        rows = _bits(path, values, labels) if by == "parities" else cells_in(path, values, labels, within)
        sample = tuple((x, sum(y << j for j, y in enumerate(given))) for x, given in rows)
        d = len(values) if by == "parities" else bits
        learner = _learner(by, d=d, k=k, alpha=alpha, epsilon=epsilon, delta=delta)
        needed, source = _needed(by, d=d, k=k, alpha=alpha, epsilon=epsilon, delta=delta)
        found = run(learner, sample, seed=seed)
    except InputError as error:
        raise click.ClickException(str(error)) from None
    click.echo(privacy_of(len(sample), 0, "", epsilon, delta if by in ("points", "parities") else "0", seed))
    click.echo(asks_for(source, needed, len(sample), "to be right with probability 0.9"), err=True)
    if not isinstance(found, tuple):
        click.echo("No concepts stood out (⊥).")
        return
    for j, (label, concept) in enumerate(zip(labels, found, strict=True)):
        wrong = sum(concept(x) != y >> j & 1 for x, y in sample)
        told = f" (not private: right on {1 - wrong / len(sample):.1%} of the rows)" if seed is not None else ""
        click.echo(f"{label} is 1 {_in_words(concept, values, within)}{told}")


def _bits(path: Path, values: tuple[str, ...], labels: tuple[str, ...]) -> list[tuple[int, tuple[int, ...]]]:
    rows = []
    for where, fields in read(path, *values, *labels):
        given = [label_in(where, name, text) for name, text in zip((*values, *labels), fields, strict=True)]
        rows.append((sum(bit << i for i, bit in enumerate(given[: len(values)])), tuple(given[len(values) :])))
    if not rows:
        raise InputError(f"{path}: there are no rows below the header")
    return rows


def _learner(by: str, *, d: int, k: int, alpha: str, epsilon: str, delta: str) -> Any:
    if by == "points":  # each of its two parts at half of (ε,δ)
        half: dict[str, Any] = {"epsilon": exact(epsilon) / 2, "delta": exact(delta) / 2}
        return partial(learn_many_points, d=d, k=k, alpha=alpha, **half)
    if by == "parities":
        return partial(learn_parities, d=d, k=k, size=d + MORE, epsilon=epsilon, delta=delta)
    concepts = thresholds(d)
    if by == "direct-sum":
        each = partial(generic_learner, hypotheses=concepts, epsilon=exact(epsilon) / k)
        return partial(direct_sum, k=k, learner=each)
    if by == "sample":
        each = partial(generic_learner, hypotheses=concepts, epsilon=exact(epsilon) / k)
        return partial(learn_empirically, learner=partial(direct_sum, k=k, learner=each))
    part = exact(epsilon) / (k + 1)
    between = tuple(partial(_lies_between, a, b) for a in range(1 << d) for b in range(a + 1, (1 << d) + 1))
    small = partial(small_database, universe=tuple(range(1 << d)), concepts=between, size=SMALL, epsilon=part)
    return partial(learn_many, k=k, concepts=concepts, sanitizer=small, epsilon=part)


def _lies_between(a: int, b: int, x: int) -> int:
    """The labels that the thresholds a and b differ in."""
    return int(a <= x < b)


def _needed(by: str, *, d: int, k: int, alpha: str, epsilon: str, delta: str) -> tuple[int, str]:
    if by == "points":  # each part at half of (ε,δ)
        least = 64 / (exact(alpha) * exact(epsilon)) * log(8 / (exact(alpha) * BETA * exact(delta)))
        return ceil(least), "Theorem 3.13, with a constant of ours,"
    if by == "parities":
        return (d + MORE) * sample_size(
            learn_parities, "subsamples", beta=BETA, epsilon=epsilon, delta=delta
        ), "Theorem 3.12"
    parts = k + 1 if by == "generic" else k
    concepts = (1 << d) + 1
    least = 2 * parts / (exact(epsilon) * exact(alpha)) * log(concepts * k / BETA)
    return ceil(least) * (9 if by == "sample" else 1), "Proposition 2.25, of the rows given and not of others,"


def _in_words(found: Any, values: tuple[str, ...], within: Range) -> str:
    if isinstance(found, Point):
        return f"where {values[0]} is from {within.start(found.j)} up to {within.start(found.j + 1)}"
    if isinstance(found, Threshold):
        return f"where {values[0]} is below {within.start(found.j)}"
    if isinstance(found, Parity):
        return "where an odd number of " + ", ".join(v for i, v in enumerate(values) if found.y >> i & 1) + " is 1"
    return "nowhere that stood out"


if __name__ == "__main__":
    main()
