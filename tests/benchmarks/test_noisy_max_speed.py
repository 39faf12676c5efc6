"""How noisy max scales with the items: a sample draws a noise for each, where its law sums over all of them."""

from time import perf_counter
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from dpverify.mechanisms import discrete_laplace, laplace, run
from dpverify.mechanisms.selection import max_of_laplaces, max_of_laplaces_drawn


def seconds(mechanism: Any, items: int, noise: Any) -> float:
    scores = tuple(x * 37 % items for x in range(items))
    start = perf_counter()
    run(mechanism, scores, seed=1, epsilon=1, noise=noise)
    return perf_counter() - start


@pytest.mark.parametrize("noise", [laplace, discrete_laplace])
@pytest.mark.parametrize("items", [30, 300, 3000])
def test_a_sample(benchmark: BenchmarkFixture, items: int, noise: Any) -> None:
    if not benchmark.enabled:
        items = 10
    benchmark.pedantic(seconds, args=(max_of_laplaces, items, noise), rounds=1)  # type: ignore[no-untyped-call]  # it has no types
    if benchmark.enabled:
        own, drawn = seconds(max_of_laplaces, items, noise), seconds(max_of_laplaces_drawn, items, noise)
        few = seconds(max_of_laplaces, 30, noise) / 30
        print(
            f"\n{items:,} items: {own:.3f} s, {own / drawn:.2f} of the pseudo-code; an item {own / items / few:.2f} of 30"
        )
        benchmark.extra_info |= {"ratio to the pseudo-code": round(own / drawn, 2)}
