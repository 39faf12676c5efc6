"""How itemset mining scales: with the baskets, against the number of them, and not with the universe.

`make bench` prints the curve as ratios within one run. In the test suite each case runs once, on few baskets.
"""

import random
import tracemalloc
from time import perf_counter
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from dpverify.mechanisms import run
from dpverify.mechanisms.release import frequent_itemset

# not enabled, all of them are one case
ROWS = (10_000, *(pytest.param(count, marks=pytest.mark.deep) for count in (30_000, 100_000)))


def sample(count: int) -> tuple[tuple[int, ...], ...]:
    """Baskets of six of ten thousand items; one in ten holds three of its own choice beside."""
    source = random.Random(1)
    return tuple(
        tuple({*(source.randrange(10_000) for _ in range(6)), *((1, 2, 3) if i % 10 == 0 else ())})
        for i in range(count)
    )


def found(baskets: tuple[tuple[int, ...], ...], r: int, items: int) -> Any:
    return run(frequent_itemset, baskets, seed=1, r=r, items=items, epsilon=2, delta="1e-6")


def seconds(baskets: tuple[tuple[int, ...], ...], r: int, items: int) -> float:
    start = perf_counter()
    found(baskets, r, items)
    return perf_counter() - start


@pytest.mark.parametrize("count", ROWS)
@pytest.mark.parametrize("r", [2, 3])
def test_the_baskets(benchmark: BenchmarkFixture, count: int, r: int) -> None:
    baskets = sample(count if benchmark.enabled else 2_000)
    itemset = benchmark.pedantic(found, args=(baskets, r, 10_000), rounds=1)  # type: ignore[no-untyped-call]  # it has no types
    assert set(itemset) <= {1, 2, 3}
    if not benchmark.enabled:
        return
    own, base = seconds(baskets, r, 10_000), seconds(baskets[:10_000], r, 10_000)
    ratio = round(own / count / (base / 10_000), 2)
    tracemalloc.start()
    found(baskets, r, 10_000)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    print(
        f"\nsets of {r}, {count:,} baskets: {own:.2f} s, {peak:.0f} MiB; a basket costs {ratio} of what it does of 10,000"
    )
    benchmark.extra_info |= {"ratio a basket to 10,000": ratio, "MiB": round(peak)}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("power", [4, pytest.param(8, marks=pytest.mark.deep), 64])
def test_the_universe(benchmark: BenchmarkFixture, power: int) -> None:
    baskets = sample(30_000 if benchmark.enabled else 4_000)
    itemset = benchmark.pedantic(found, args=(baskets, 3, 10**power), rounds=1)  # type: ignore[no-untyped-call]  # it has no types
    assert itemset == (1, 2, 3)
    if benchmark.enabled:
        ratio = round(seconds(baskets, 3, 10**power) / seconds(baskets, 3, 10_000), 2)
        print(f"\n10^{power} items: {ratio} of the time of 10^4")
        benchmark.extra_info |= {"ratio to 10^4 items": ratio}
