"""How what is decided of Gaussian noise scales: each goal is a ratio to a smaller case of the same run.

Deep runs hold the ratios.
"""

import multiprocessing
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time

import pytest
from docs.pages.performance.gaussian_published import PAGE, Cell, cells, decided, page
from tests.outside.dipapprox import first_above
from tests.outside.dipapprox_times import PUBLISHED
from tests.outside.test_dipapprox import DELTA, EPSILON, everything

from dpverify.mechanisms import discrete_gaussian, gaussian
from dpverify.verifiers import check_privacy

DOCS = Path(__file__).parents[3] / "docs"


def published(folder: str, size: int, *, on_all: bool) -> None:
    decided(Cell(folder, size, on_all))


def whole_above(size: int) -> None:
    """The sparse vector with whole noise, on all pairs."""
    inputs = everything(size)
    given = {"of_threshold": discrete_gaussian, "of_queries": discrete_gaussian}
    check_privacy(
        first_above,
        inputs,
        lambda one: [other for other in inputs if other != one],
        epsilon=EPSILON,
        delta=DELTA,
        parameters=given,
        recheck=False,
    )


def counts(pairs: int) -> None:
    """A noisy count, on a chain of so many pairs, each in both directions."""

    size = pairs // 2
    check_privacy(
        lambda draw, rows, *, sigma: rows + draw(gaussian(sigma)),
        range(size + 1),
        lambda n: [m for m in (n - 1, n + 1) if 0 <= m <= size],
        epsilon=1,
        delta=DELTA,
        parameters={"sigma": 2},
        recheck=False,
    )


CASES: dict[str, tuple[Callable[[], None], Callable[[], None], float]] = {
    # name: the case, a smaller one, and how many times as long as that it may take
    "sparse vector, 5 queries, all pairs": (
        partial(published, "svt_max", 5, on_all=True),
        partial(published, "svt_max", 2, on_all=True),
        40,
    ),
    "sparse vector, 25 queries": (
        partial(published, "svt_max", 25, on_all=False),
        partial(published, "svt_max", 5, on_all=False),
        25,
    ),
    "noisy max, 4 queries, all pairs": (
        partial(published, "noisy_max", 4, on_all=True),
        partial(published, "noisy_max", 3, on_all=True),
        12,
    ),
    "between two noisy ends, twice": (
        partial(published, "mrange", 2, on_all=True),
        partial(published, "mrange", 1, on_all=True),
        12,
    ),
    "whole sparse vector, 5 queries, all pairs": (partial(whole_above, 5), partial(whole_above, 2), 60),
    "a count, 1,000 pairs": (partial(counts, 1_000), partial(counts, 100), 15),
}
"""An input twice as long takes a few times as long; 1,024 pairs are 64 times as many as 16."""


def cold(work: Callable[[], None]) -> float:
    """The seconds of CPU of a case, in a process in which nothing is known."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(timed, (work,))


def timed(work: Callable[[], None]) -> float:
    start = process_time()
    work()
    return process_time() - start


@pytest.mark.deep
@pytest.mark.parametrize("name", CASES)
def test_a_case_takes_a_few_times_as_long_as_a_smaller_one(name: str) -> None:
    case, smaller, most = CASES[name]
    assert cold(case) < most * cold(smaller)


def test_a_published_row_is_a_line_of_the_page() -> None:
    few = [cell for cell in cells() if cell.folder == "noisy_max" and cell.size == 2]
    lines = page([decided(cell) for cell in few]).splitlines()
    assert [line.split(" | ")[2] for line in lines if line.startswith("| noisy_max")] == ["one pair", "all pairs"]
    assert all("| PROVED |" in line for line in lines if line.startswith("| noisy_max"))


def test_the_committed_page_has_all_rows() -> None:
    """Its figures are of the machine that wrote it; each label is that of the table, and each row faster."""
    lines = [line.strip("| ").split(" | ") for line in (DOCS / PAGE).read_text(encoding="utf-8").splitlines()]
    rows = [line for line in lines if line[0].split(" ")[0] in PUBLISHED]
    assert [(row[0].split(" ")[0], int(row[1]), row[2] == "all pairs") for row in rows] == [*cells()], (
        "make performance UPDATE=1"
    )
    for row, cell in zip(rows, cells(), strict=True):
        assert cell.label in (None, row[6])
        assert cell.published is None or float(row[4].replace(",", "")) < cell.published
