"""Who was in a study, told from the averages that it published: python docs/examples/membership.py markers.csv.

Of a table of 0s and 1s some rows are the members of a study, which publishes the mean of each column, exactly or with
Laplace noise. Somebody who knows a person's row, and what is usual among other people, scores how far the published
means lean towards it: the tracing attack on one-way marginals. Whoever scores more than all but a share of known
outsiders is accused. A person who is no member is accused with that probability at most; a member of an (ε,δ)-private
study with e^ε times as much and δ. What is printed and drawn is not private: it says who was in the study.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import click
import numpy as np
from columns import COUNT, epsilon_up_to_1000, header, read
from membership_picture import Panel, picture
from numpy.typing import NDArray

from dpverify.mechanisms import Draw, InputError, bounds, discrete_laplace, exact, exp, run
from dpverify.mechanisms.numbers.integers.parameters import open_unit
from dpverify.mechanisms.selection.composition import epsilon_of_each
from dpverify.reports.writing import check_targets, write_reports

Bits = NDArray[np.uint8]
Floats = NDArray[np.float64]

FEWEST_ROWS: Final = 30
MOST_STUDIES: Final = 20
"""So many studies of one size at most are run, of other members each."""


def noisy(draw: Draw, counts: Sequence[int], *, scale: Any) -> tuple[Any, ...]:
    """All counts with discrete Laplace noise of their own."""
    return tuple(count + draw(discrete_laplace(scale)) for count in counts)


def scale_for(columns: int, epsilon: str, delta: str | None) -> int:
    """The whole scale of the noise on each count, when a row is replaced, with which all are (ε,δ)-private together.

    Each count moves by at most 1. By k/ε, or, where δ is given, by Theorem 2.16 of Bun, Nissim & Stemmer if that is
    less.
    """
    least = columns / exact(epsilon)
    if delta is not None:
        least = min(least, 1 / epsilon_of_each(times=columns, epsilon=epsilon, failure=open_unit(delta, "delta")))
    return max(1, math.ceil(least))


@dataclass(frozen=True)
class People:
    """The rows, dealt out at random: a pool of members, people who are no members, and what the attacker knows."""

    pool: Floats
    outsiders: Floats
    known: Floats
    """Outsiders whom the attacker knows as such."""
    usual: Floats
    """The mean of each column among others."""
    spread: float
    """What a known row adds to the score of a stranger on average, as the usual means are of a sample, too."""


def dealt(rows: Bits, source: random.Random) -> People:
    """A third is the pool, a sixth are outsiders, a sixth are known as such, and a third is what is usual."""
    order = rows[source.sample(range(len(rows)), len(rows))].astype(np.float64)
    sixth = len(rows) // 6
    others = order[4 * sixth :]
    usual = others.mean(axis=0)
    spread = float((usual * (1 - usual)).sum()) / max(1, len(others) - 1)
    return People(order[: 2 * sixth], order[2 * sixth : 3 * sixth], order[3 * sixth : 4 * sixth], usual, spread)


@dataclass(frozen=True)
class Traced:
    """Scores of one release, in standard deviations of those of known outsiders; beyond `limit` one is accused."""

    members: Floats
    outsiders: Floats
    limit: float
    error: float
    """How far off the published means are, in the mean."""

    @property
    def accused(self) -> float:
        """The share of the members."""
        return float((self.members > self.limit).mean())

    @property
    def falsely(self) -> float:
        """The share of the outsiders."""
        return float((self.outsiders > self.limit).mean())


def trace(people: People, members: Floats, means: Floats, falsely: Fraction) -> Traced:
    """The attack on published means: Σ (published − usual)·(own − usual) over the columns, for each person."""
    lean = means - people.usual

    def scores(rows: Floats) -> Floats:
        return np.asarray(rows @ lean - people.usual @ lean - people.spread)

    known = np.sort(scores(people.known))
    # a stranger is beyond the r-th smallest of m with probability at most 1 − r/(m + 1), whatever the law of scores is
    rank = math.ceil((1 - falsely) * (len(known) + 1))
    centre, unit = float(known.mean()), float(known.std()) or 1.0
    limit = float((known[rank - 1] - centre) / unit)
    error = float(np.abs(means - members.mean(axis=0)).mean())
    return Traced((scores(members) - centre) / unit, (scores(people.outsiders) - centre) / unit, limit, error)


def published(members: Floats, scale: int | None, seed: int | None) -> Floats:
    """The mean of each column: exact without a scale, or else of counts with noise, cut to [0, 1]."""
    counts = members.sum(axis=0).astype(np.int64)
    if scale is None:
        return np.asarray(counts / len(members))
    found = run(noisy, tuple(counts.tolist()), seed=seed, scale=Fraction(scale))
    return np.clip(np.array(found, dtype=np.float64) / len(members), 0.0, 1.0)


def studies(people: People, size: int, scale: int | None, falsely: Fraction, seed: int | None) -> list[Traced]:
    """As many studies of that size as the pool has members for, up to a few."""
    groups = [people.pool[i : i + size] for i in range(0, len(people.pool) - size + 1, size)][:MOST_STUDIES]
    seeds = [None if seed is None else seed + 1000 * i + size for i in range(len(groups))]
    return [
        trace(people, members, published(members, scale, own), falsely)
        for members, own in zip(groups, seeds, strict=True)
    ]


def sizes_up_to(most: int) -> list[int]:
    """10, 20, 50, 100, … members."""
    steps = (m * 10**power for power in range(1, 7) for m in (1, 2, 5))
    return [size for size in steps if size <= most] or [most]


def table_of(path: Path) -> Bits:
    """The rows of a table of 0s and 1s. Raises `InputError`, naming the line, for anything else."""
    names = header(path)
    if {"0", "1"} & set(names):
        raise InputError(f"{path}, line 1: a column is called 0 or 1: the first line holds names, and no data")
    rows = []
    for where, fields in read(path, *names):
        if not {"0", "1"}.issuperset(fields):
            name, field = next((n, f) for n, f in zip(names, fields, strict=True) if f not in ("0", "1"))
            raise InputError(f"{where}: {name} is {field[:20]!r}, and not 0 or 1")
        rows.append(np.frombuffer("".join(fields).encode(), dtype=np.uint8) - ord("0"))
    if len(rows) < FEWEST_ROWS:
        raise InputError(f"{path} has {len(rows)} rows: at least {FEWEST_ROWS} are needed, to have people to compare")
    return np.array(rows, dtype=np.uint8)


@click.command()
@click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--members", type=COUNT, default=100, show_default=True, help="How many rows are in the study.")
@click.option("--epsilon", default="1", show_default=True, help="Of the private release.")
@click.option("--delta", default="1e-6", show_default=True, help="Of the private release; 0 for pure privacy.")
@click.option("--falsely", default="0.05", show_default=True, help="The share of outsiders that may be accused.")
@click.option("--seed", type=int, help="The same members and the same noise at each run.")
@click.option("--compare", type=click.Path(path_type=Path), help="Draw the scores and the rates into an SVG.")
def main(
    path: Path, members: int, epsilon: str, delta: str, falsely: str, seed: int | None, compare: Path | None
) -> None:
    """Tell from the published means of the table PATH, whose columns hold 0 or 1, who is in the study."""
    try:
        if compare is not None:
            check_targets([compare], read=path)
        eps = epsilon_up_to_1000(epsilon)
        slack = None if exact(delta, "delta") == 0 else delta
        share = bounds(open_unit(falsely, "falsely"))[0]
        if slack is not None:
            open_unit(slack, "delta")
        rows = table_of(path)
        people = dealt(rows, random.Random(seed) if seed is not None else random.SystemRandom())
        if members > len(people.pool):
            raise InputError(f"members={members}: of {len(rows):,} rows a third, {len(people.pool):,}, may be members")
        if share * (len(people.known) + 1) < 1:
            raise InputError(
                f"falsely={falsely}: {len(people.known)} known outsiders, a sixth of the rows, do not tell what is so "
                f"rare: give 1/{len(people.known) + 1} or more, or a longer table"
            )
        scale = scale_for(rows.shape[1], eps, slack)
        names = {"exact means": None, f"means at ε = {epsilon}": scale}
        shown = {name: studies(people, members, noise, share, seed)[0] for name, noise in names.items()}
        rates: dict[str, list[tuple[int, float, float]]] = {name: [] for name in names}
        for size in sizes_up_to(len(people.pool)):
            click.echo(f"studies of {size:,} members …", err=True)
            for name, noise in names.items():
                found = studies(people, size, noise, share, seed)
                accused, error = (sum(values) / len(found) for values in _of_all(found))
                rates[name].append((size, accused, error))
        most = float(min(Fraction(1), bounds(exp(exact(eps)) * share + exact(delta))[1]))
        if compare is not None:
            panels = [Panel(name, one.members, one.outsiders, one.limit) for name, one in shown.items()]
            lines = {name: [(size, accused) for size, accused, _ in found] for name, found in rates.items()}
            title = f"{members} members, {rows.shape[1]} published means: who was in the study?"
            write_reports({compare: picture(title, panels, lines, {"most that ε allows": most})})
    except InputError as error:
        raise click.ClickException(str(error)) from None
    click.echo(words(rows.shape, members, shown, share, most, scale))
    click.echo(table(rates))


def _of_all(found: Sequence[Traced]) -> tuple[list[float], list[float]]:
    return [one.accused for one in found], [one.error for one in found]


def words(
    shape: tuple[int, ...], members: int, shown: dict[str, Traced], falsely: Fraction, most: float, scale: int
) -> str:
    """What leaks, for people."""
    lines = [f"{shape[0]:,} rows, {shape[1]:,} columns; not private: what follows says who was in the study."]
    for name, one in shown.items():
        lines.append(
            f"{name}: {one.accused:.0%} of {members:,} members are accused, and {one.falsely:.1%} of "
            f"{len(one.outsiders):,} outsiders; the means are off by {one.error:.3f}."
        )
    lines.append(
        f"Noise of scale {scale:,} on each count: at most {most:.1%} of members can be accused of a private study by "
        f"anybody who accuses {float(falsely):.0%} of outsiders."
    )
    return "\n".join(lines)


def table(rates: dict[str, list[tuple[int, float, float]]]) -> str:
    """The share of members that is accused, and the error of the means, by the size of the study."""
    head = f"{'members':>8}" + "".join(f"{name:>22}{'error':>8}" for name in rates)
    lines = [head]
    for found in zip(*rates.values(), strict=True):
        lines.append(f"{found[0][0]:8,}" + "".join(f"{accused:22.1%}{error:8.3f}" for _, accused, error in found))
    return "\n".join(lines)


if __name__ == "__main__":
    main()
