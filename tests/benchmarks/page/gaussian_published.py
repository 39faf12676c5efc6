"""Write docs/gaussian-published.md: python -m tests.benchmarks.page.gaussian_published docs.

Each published row is decided in a process of its own, in which nothing is known of the others.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil, log10
from pathlib import Path
from time import process_time
from typing import Final, NamedTuple

import click
from tests.benchmarks.page.performance import seconds
from tests.outside.dipapprox import FAMILIES, Family, Queries
from tests.outside.dipapprox_times import NOT_PRIVATE, PUBLISHED
from tests.outside.test_dipapprox import DELTA, EPSILON, everything, one

from dpverify.mechanisms import decimal, distribution, exact
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.reports.record import Status
from dpverify.reports.writing import write_reports
from dpverify.verifiers import check_privacy

PAGE: Final = "gaussian-published.md"

_LARGEST: Final = 5
"""Queries on all pairs of inputs where their tool gave up; those that it decided are all here."""

HEAD: Final = """# Published rows of Gaussian noise

DiPApprox (bhusalb/approximate-dp on GitHub) decides programs with Gaussian and Laplace noise on given inputs, and publishes seconds for each. This page has each row of its
table with Gaussian or Laplace noise beside what is found here: `python -m tests.benchmarks.page.gaussian_published docs`, which `make performance UPDATE=1` runs, writes it. The programs are
transcribed in `tests/outside/dipapprox.py`, and `tests/outside/test_dip.py` says how they are held to theirs. All is at δ = 1/100 and ε = 1/2, or ε = 8 where that is
said. *Seconds* are of CPU, each row in a process of its own, after the library was loaded; theirs are as published, of
another machine, so that only orders of magnitude are to be compared. `–` is where it gave up after 600. *δ* is the least one at this ε, and *ε* the least one at δ = 0. The
*widest ball* is the largest radius of one around a probability of the row, as it is computed at first; a sign that it does not tell is asked for with more bits.

What was published as private is PROVED, and what was published as not private REFUTED, in each row; the tests hold that.
"""


class Cell(NamedTuple):
    """A published row: a family, of so many queries, on one pair of inputs or on all."""

    folder: str
    size: int
    on_all: bool

    @property
    def family(self) -> Family:
        """The programs that it is one of."""
        return next(family for family in FAMILIES if family.folder == self.folder)

    @property
    def published(self) -> float | None:
        """Seconds; None where it was given up."""
        found = PUBLISHED[self.folder][self.size]
        return found.everything if self.on_all else found.pair

    @property
    def epsilon(self) -> Fraction:
        """That of the claim."""
        return Fraction(8) if self.folder.startswith("new_nonpriv") else EPSILON

    @property
    def inputs(self) -> Sequence[Queries]:
        """Each of which is beside each."""
        if self.on_all:
            return everything(self.size)
        return ((-1, 1, 0), (0, 0, 1)) if (self.folder, self.size) == ("nonpriv_svt_max", 3) else one(self.size)

    @property
    def label(self) -> Status | None:
        """What is published; None where it was given up."""
        if self.published is None:
            return None
        return Status.REFUTED if self.folder in NOT_PRIVATE else Status.PROVED


class Decided(NamedTuple):
    """What is found of a row."""

    cell: Cell
    cpu: float
    status: Status
    delta: str
    epsilon: str
    widest: float


def cells() -> Iterator[Cell]:
    """All that are decided here: what was published, and what was given up of at most so many queries."""
    for folder, sizes in PUBLISHED.items():
        for size in sizes:
            yield Cell(folder, size, on_all=False)
            on_all = Cell(folder, size, on_all=True)
            if on_all.published is not None or size <= _LARGEST:
                yield on_all


def decided(cell: Cell) -> Decided:
    """What is found of a row, and how long that takes here."""
    family, inputs = cell.family, cell.inputs
    start = process_time()
    verdict = check_privacy(
        family.program,
        inputs,
        lambda queries: [other for other in inputs if other != queries],
        epsilon=cell.epsilon,
        delta=DELTA,
        parameters=family.parameters,
        recheck=False,
    )
    cpu = process_time() - start
    assert cell.label in (None, verdict.status), cell
    assert verdict.delta is not None
    laws = [distribution(family.program, queries, epsilon=cell.epsilon, **family.parameters) for queries in inputs]
    widest = max(float(enclosure(p).rad()) for law in laws for p in law.probabilities.values())
    least = "∞" if verdict.epsilon is None else decimal(exact(verdict.epsilon.upper), 6)
    return Decided(cell, cpu, verdict.status, decimal(exact(verdict.delta.upper), 6), least, widest)


def line(found: Decided) -> str:
    """A row of the table."""
    cell, published = found.cell, found.cell.published
    ratio = "" if published is None else f"{published / found.cpu:,.0f} ×"
    ball = "0" if found.widest == 0 else f"10^{ceil(log10(found.widest))}"
    told = [
        cell.folder + (" at ε = 8" if cell.epsilon != EPSILON else ""),
        str(cell.size),
        "all pairs" if cell.on_all else "one pair",
        "–" if published is None else f"{published:,.1f}",
        seconds(found.cpu),
        ratio,
        str(found.status),
        found.delta,
        found.epsilon,
        ball,
    ]
    return f"| {' | '.join(told)} |"


def page(found: Sequence[Decided]) -> str:
    """The page of rows."""
    columns = [
        "program",
        "queries",
        "inputs",
        "published, s",
        "here, s",
        "ratio",
        "verdict",
        "δ",
        "ε at δ = 0",
        "widest ball",
    ]
    rows = "\n".join(map(line, found))
    return f"{HEAD}\n| {' | '.join(columns)} |\n|{' --- |' * len(columns)}\n{rows}\n"


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def main(folder: Path) -> None:
    """Decide all rows anew, and write the page."""
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        found = list(pool.imap(decided, cells(), chunksize=1))
    write_reports({folder / PAGE: page(found)})


if __name__ == "__main__":
    main()
