"""How the sanitizers scale: one release against the number of rows, and against the domain.

`make bench` prints both curves as ratios within one run. In the test suite each case runs once, on few rows.
"""

import random
from collections.abc import Callable
from fractions import Fraction
from time import perf_counter
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from dpverify.mechanisms import run
from dpverify.mechanisms.sanitizers import sanitize_points, sanitize_thresholds, stable_histogram

DOMAINS = (8, 16, 64, 256, 1024)
ROWS = (100, 1_000, 10_000, 100_000, 1_000_000)


def rows_of(count: int, bits: int) -> tuple[int, ...]:
    """Rows around the middle of [0, 2^bits)."""
    source = random.Random(1)
    return tuple((source.getrandbits(bits) + source.getrandbits(bits)) // 2 for _ in range(count))


def points(rows: tuple[int, ...], bits: int) -> Any:
    """SanPoints at α = 1/10: 20 choices."""
    return run(sanitize_points, rows, seed=1, d=bits, alpha=Fraction(1, 10), epsilon=1, delta=Fraction(1, 10**6))


def thresholds(rows: tuple[int, ...], bits: int) -> Any:
    """SanThresholds at α = 1/2 with at most 40 calls."""
    given: dict[str, Any] = {"alpha": Fraction(1, 2), "epsilon": 1, "delta": Fraction(1, 10**8), "calls": 40}
    return run(sanitize_thresholds, rows, seed=1, d=bits, depth=1, **given)


def histogram(rows: tuple[int, ...], bits: int) -> Any:
    """The histogram by stability: on long domains every row is a point of its own, with a noise of its own."""
    return run(stable_histogram, rows, seed=1, d=bits, epsilon=1, delta=Fraction(1, 10**6))


SANITIZERS = (points, thresholds, histogram)


def seconds(sanitizer: Callable[..., Any], count: int, bits: int) -> float:
    rows = rows_of(count, bits)
    start = perf_counter()
    sanitizer(rows, bits)
    return perf_counter() - start


@pytest.mark.parametrize("sanitizer", SANITIZERS)
@pytest.mark.parametrize("bits", DOMAINS)
def test_the_domain(benchmark: BenchmarkFixture, sanitizer: Callable[..., Any], bits: int) -> None:
    count = 100_000 if benchmark.enabled else 50
    rows = rows_of(count, bits)
    found = benchmark.pedantic(sanitizer, args=(rows, bits), rounds=1)  # type: ignore[no-untyped-call]  # it has no types
    assert all(0 <= x < 1 << bits for x, _ in found)
    if benchmark.enabled:
        own, shorter = seconds(sanitizer, count, bits), seconds(sanitizer, count, 16)
        print(f"\n{sanitizer.__name__}, {count:,} rows, 2^{bits}: {own:.2f} s, {own / shorter:.2f} of 2^16")
        benchmark.extra_info |= {"ratio to 2^16": round(own / shorter, 2)}


@pytest.mark.parametrize("sanitizer", SANITIZERS)
@pytest.mark.parametrize("count", ROWS)
def test_the_rows(benchmark: BenchmarkFixture, sanitizer: Callable[..., Any], count: int) -> None:
    if not benchmark.enabled:
        count = 20
    rows = rows_of(count, 64)
    found = benchmark.pedantic(sanitizer, args=(rows, 64), rounds=1)  # type: ignore[no-untyped-call]  # it has no types
    assert len(found) <= count
    if benchmark.enabled:
        own, base = seconds(sanitizer, count, 64) / count, seconds(sanitizer, 10_000, 64) / 10_000
        print(
            f"\n{sanitizer.__name__}, {count:,} rows, 2^64: {own * count:.2f} s; a row costs {own / base:.2f} of 10,000"
        )
        benchmark.extra_info |= {"ratio a row to 10,000": round(own / base, 2)}
