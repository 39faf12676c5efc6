"""How the recursion scales: one draw of RecConcave against the number of breakpoints, and against the range.

`make bench` prints both curves as ratios within one run. In the test suite each case runs once, on few rows.
"""

from fractions import Fraction
from time import perf_counter

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from dpverify.mechanisms import run
from dpverify.mechanisms.counting import StepFunction
from dpverify.mechanisms.learners.thresholds_learner import threshold_quality
from dpverify.mechanisms.recursion import maximise_quasi_concave

RANGES = (8, 16, 64, 256, 1024)
ROWS = (100, 1_000, 10_000, 100_000, 1_000_000)
BAR = 2.0
"""Seconds for one draw on 2^1024 with 10^5 breakpoints."""


def quality_of(rows: int, bits: int) -> StepFunction:
    """The quality of a sample that the threshold 2^bits/3 fits, its points spread over [0, 2^bits)."""
    size, step = 1 << bits, 0x9E3779B97F4A7C15F39CC0605CEDC835 | 1
    return threshold_quality([(x, int(3 * x < size)) for x in (i * step % size for i in range(rows))], bits)


def one_draw(quality: StepFunction, rows: int) -> object:
    return run(
        maximise_quasi_concave,
        quality,
        seed=1,
        promise=rows,
        alpha=Fraction(1, 20),
        epsilon=Fraction(1, 3),
        delta=Fraction(1, 10**6),
        depth=3,
    )


def seconds(rows: int, bits: int) -> tuple[float, float]:
    """Of making the quality, and of one draw."""
    start = perf_counter()
    quality = quality_of(rows, bits)
    made = perf_counter()
    found = one_draw(quality, rows)
    if rows >= 10_000:  # fewer do not meet the promise that the theorem asks for, and may end in ⊥
        assert isinstance(found, int)
        assert quality(found) >= 0.95 * rows
    return made - start, perf_counter() - made


@pytest.mark.parametrize("bits", RANGES)
def test_the_range(benchmark: BenchmarkFixture, bits: int) -> None:
    rows = 100_000 if benchmark.enabled else 50
    quality = quality_of(rows, bits)
    found = benchmark.pedantic(one_draw, args=(quality, rows), rounds=1)  # type: ignore[no-untyped-call]  # it has no types
    assert found is not None
    if benchmark.enabled:
        _, draw = seconds(rows, bits)
        shorter = quality_of(rows, 16)
        start = perf_counter()
        one_draw(shorter, rows)
        of_shorter = (perf_counter() - start) / len(shorter.starts)
        ratio = draw / len(quality.starts) / of_shorter
        print(
            f"\nrange 2^{bits}: {len(quality.starts):,} pieces, one draw {draw:.3f} s; a piece costs {ratio:.2f} of what "
            "it does on 2^16"
        )
        benchmark.extra_info |= {"pieces": len(quality.starts), "ratio a piece to 2^16": round(ratio, 2)}
        if bits == RANGES[-1]:
            print(f"(bar: {BAR} s)")


@pytest.mark.parametrize("rows", ROWS)
def test_the_rows(benchmark: BenchmarkFixture, rows: int) -> None:
    if not benchmark.enabled:
        rows = 20
    quality = quality_of(rows, 64)
    benchmark.pedantic(one_draw, args=(quality, rows), rounds=1)  # type: ignore[no-untyped-call]  # it has no types
    if benchmark.enabled:
        make, draw = seconds(rows, 64)
        base = sum(seconds(1_000, 64)) / 1_000
        print(
            f"\n{rows:,} rows: quality {make:.3f} s, one draw {draw:.3f} s; a row costs "
            f"{(make + draw) / rows / base:.2f} of what it does with 1,000"
        )
        benchmark.extra_info |= {"ratio a row to 1,000": round((make + draw) / rows / base, 2)}
