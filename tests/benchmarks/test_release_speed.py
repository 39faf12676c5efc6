"""What the release of all 3-way marginals of 16 attributes costs, against the number of rows.

`make bench` prints seconds, the cost of a row as a ratio within one run, and the memory at the peak. In the test suite
each case runs once, on few rows.
"""

import random
from functools import partial
from time import perf_counter
from tracemalloc import get_traced_memory, start, stop
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from dpverify.mechanisms import run, uniform
from dpverify.mechanisms.release import (
    Conjunction,
    conjunction_counts,
    learn_polynomial_threshold,
    literals,
    marginal_cells,
    release_by_learning,
)

BITS = 16
CELLS = marginal_cells(BITS, 3)


def table(count: int) -> tuple[int, ...]:
    """Rows of literals, whose attributes are rarer and rarer."""
    source = random.Random(1)
    return tuple(
        literals(sum(1 << i for i in range(BITS) if source.random() < 1 / (1 + i)), BITS) for _ in range(count)
    )


def released(rows: tuple[int, ...], samples: int = 400) -> Any:
    return run(
        release_by_learning,
        rows,
        seed=1,
        queries=uniform(CELLS),
        predicate=lambda cell, row: Conjunction(cell)(row),
        learner=partial(learn_polynomial_threshold, d=2 * BITS, k=3, degree=2),
        alpha="1/10",
        beta="1/10",
        gamma="1/10",
        epsilon=1,
        samples=samples,
        bound=samples,
        evaluation=False,
    )


def seconds(rows: tuple[int, ...]) -> float:
    begin = perf_counter()
    released(rows)
    return perf_counter() - begin


@pytest.mark.parametrize(
    "count", [10_000, *(pytest.param(count, marks=pytest.mark.deep) for count in (100_000, 400_000))]
)
def test_the_rows(benchmark: BenchmarkFixture, count: int) -> None:
    rows = table(count if benchmark.enabled else 200)
    synopsis = benchmark.pedantic(released, args=(rows, 400 if benchmark.enabled else 20), rounds=1)  # type: ignore[no-untyped-call]  # it has no types
    assert all(0 <= synopsis(cell) < 1 for cell in CELLS[:20])
    if not benchmark.enabled:
        return
    own, base = seconds(rows), seconds(rows[:10_000])
    start()
    released(rows)
    _, peak = get_traced_memory()
    stop()
    print(f"\n{count:,} rows: {own:.2f} s, {own / base:.2f} times 10,000 rows; {peak / 2**20:.0f} MiB beside the rows")
    benchmark.extra_info |= {"ratio to 10,000": round(own / base, 2), "MiB": round(peak / 2**20)}


def test_all_conjunctions(benchmark: BenchmarkFixture) -> None:
    """The counts of all 2^16 conjunctions at once."""
    rows = tuple(row & (1 << BITS) - 1 for row in table(100_000 if benchmark.enabled else 200))
    counts = benchmark(conjunction_counts, rows, BITS)
    assert counts[0] == len(rows)
