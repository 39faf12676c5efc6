"""How fast words are traced: ten users and 10^5 columns by numpy, against a plain loop over fewer columns.

`make bench` prints the time a column as a ratio within one run. In the test suite each code is run once, on few columns.
"""

from collections.abc import Callable
from fractions import Fraction
from math import sqrt
from time import perf_counter
from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from dpverify.mechanisms.learners import PIRATE_STRATEGIES, BonehShaw, Tardos

USERS, FEW, MANY = 10, 2_000, 100_000


def by_tardos(columns: int) -> tuple[int, ...]:
    """A code, the word of all but the last, and who is accused of it."""
    source = np.random.default_rng(1)
    code = Tardos(USERS, 1, columns=columns)
    biases, matrix = code.codebook(source)
    return code.accused(biases, matrix, PIRATE_STRATEGIES["majority"](matrix[:-1], source))


def by_boneh_shaw(columns: int) -> tuple[int, ...]:
    source = np.random.default_rng(1)
    code = BonehShaw(USERS, columns // (USERS + 1), Fraction(1, 10), ends=True)
    types, matrix = code.codebook(source)
    return code.accused(code.weights(types, PIRATE_STRATEGIES["majority"](matrix[:-1], source)))


def plain_tardos(columns: int) -> tuple[int, ...]:
    """The same codebook, and majority and scores by a loop."""
    source = np.random.default_rng(1)
    code = Tardos(USERS, 1, columns=columns)
    biases, matrix = (found.tolist() for found in code.codebook(source))
    scores = [0.0] * USERS
    for j in range(columns):
        column = [matrix[i][j] for i in range(USERS)]
        if 2 * sum(column[:-1]) >= USERS - 1:
            p = biases[j]
            for i in range(USERS):
                scores[i] += sqrt((1 - p) / p) if column[i] else -sqrt(p / (1 - p))
    return tuple(i + 1 for i, score in enumerate(scores) if score > code.limit)


def plain_boneh_shaw(columns: int) -> tuple[int, ...]:
    source = np.random.default_rng(1)
    code = BonehShaw(USERS, columns // (USERS + 1), Fraction(1, 10), ends=True)
    types, matrix = (found.tolist() for found in code.codebook(source))
    weights = dict.fromkeys(code.types, 0)
    for j, kind in enumerate(types):
        weights[kind] += 2 * sum(matrix[i][j] for i in range(USERS - 1)) >= USERS - 1
    return code.accused(weights)


def seconds(function: Callable[[int], Any], columns: int) -> float:
    start = perf_counter()
    function(columns)
    return perf_counter() - start


@pytest.mark.parametrize(("fast", "plain"), [(by_tardos, plain_tardos), (by_boneh_shaw, plain_boneh_shaw)])
def test_tracing(
    benchmark: BenchmarkFixture, fast: Callable[[int], tuple[int, ...]], plain: Callable[[int], tuple[int, ...]]
) -> None:
    assert fast(FEW) == plain(FEW)
    columns = MANY if benchmark.enabled else FEW
    benchmark.pedantic(fast, args=(columns,), rounds=1)  # type: ignore[no-untyped-call]  # it has no types
    if not benchmark.enabled:
        return
    own, base = seconds(fast, MANY), seconds(plain, FEW)
    ratio = round((base / FEW) / (own / MANY), 1)
    print(f"\n{fast.__name__}, {USERS} users, {MANY:,} columns: {own:.2f} s; a plain loop takes {ratio} times as long")
    benchmark.extra_info |= {"a plain loop, times as long": ratio}
