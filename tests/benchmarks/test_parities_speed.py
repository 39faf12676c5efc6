"""How the learner of parities scales: 64 parities on 256 bits, against the number of rows.

`make bench` prints the curve as ratios within one run. In the test suite each case runs once, on few rows.
"""

import random
from fractions import Fraction
from time import perf_counter
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from dpverify.mechanisms import run
from dpverify.mechanisms.learners import Parity, learn_parities
from dpverify.mechanisms.selection import Bottom, choose_by_stability

BITS, LABELS = 256, 64
ROWS = (20_000, 40_000, 100_000, 200_000)


def sample(count: int) -> tuple[tuple[Parity, ...], tuple[tuple[int, int], ...]]:
    """The parities, and rows that they label."""
    source = random.Random(1)
    parities = tuple(Parity(source.getrandbits(BITS)) for _ in range(LABELS))
    points = [source.getrandbits(BITS) for _ in range(count)]
    return parities, tuple((x, sum(parity(x) << j for j, parity in enumerate(parities))) for x in points)


def learnt(rows: tuple[tuple[int, int], ...]) -> Any:
    asked: dict[str, Any] = {"d": BITS, "k": LABELS, "size": BITS + 10, "epsilon": 1, "delta": Fraction(1, 10**6)}
    return run(learn_parities, rows, seed=1, selection=choose_by_stability, **asked)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("count", ROWS)
def test_the_rows(benchmark: BenchmarkFixture, count: int) -> None:
    parities, rows = sample(count if benchmark.enabled else 10 * (BITS + 10))
    found = benchmark.pedantic(learnt, args=(rows,), rounds=1)  # type: ignore[no-untyped-call]  # it has no types
    if not benchmark.enabled:  # ten subsamples do not stand out
        assert found is Bottom.BOTTOM
        return
    assert found == parities
    start = perf_counter()
    learnt(rows)
    own = perf_counter() - start
    start = perf_counter()
    learnt(rows[:20_000])
    base = perf_counter() - start
    print(f"\n{count:,} rows: {own:.2f} s; a row costs {own / count / (base / 20_000):.2f} of what it does with 20,000")
    benchmark.extra_info |= {"ratio a row to 20,000": round(own / count / (base / 20_000), 2)}
