"""What laws that are found together cost beside laws that are enumerated, and beside float64 numpy, as ratios."""

from time import process_time
from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from dpverify.mechanisms import Draw, Limits, exact, exponential
from dpverify.mechanisms.selection import Selection
from dpverify.verifiers import Multisets
from dpverify.verifiers.problems.preparation.experiment import prepared_in_full
from dpverify.verifiers.problems.preparation.repetition import never_repeated
from dpverify.verifiers.problems.questions.question import Question
from dpverify.verifiers.verdicts.compared_distributions import Laws
from dpverify.verifiers.verdicts.compared_distributions import tabulated as tabulated_laws

DECLARED = Selection(lambda rows, value: rows.count(value), range(8))


def enumerated(draw: Draw, rows: tuple[int, ...], *, epsilon: Any) -> Any:
    return exponential({value: rows.count(value) for value in range(8)}, epsilon)


def in_float64(databases: list[Any]) -> Any:
    counts = np.array([[rows.count(value) for value in range(8)] for rows in databases], dtype=np.float64)
    weights = np.exp((counts - counts.max(axis=1, keepdims=True)) / 2)
    return weights / weights.sum(axis=1, keepdims=True)


def first_to_0(rows: tuple[int, ...]) -> list[tuple[int, ...]]:
    """One neighbour alone: pairs are not what is measured."""
    return [(0, *rows[1:])]


DOMAINS = {size: Multisets(range(8), size=size) for size in (2, 4, 8)}


def tabulated(mechanism: Any, size: int) -> tuple[float, Laws]:
    """The seconds of a processor that the laws of all databases take, with other orders of rows, and the laws."""
    question = Question(mechanism, DOMAINS[size], first_to_0, None, {"epsilon": exact(1)}, Limits())
    experiment = prepared_in_full(question, never_repeated)
    start = process_time()
    laws = tabulated_laws(experiment)
    return process_time() - start, laws


@pytest.mark.parametrize("size", [4, 8])
def test_the_laws_of_all_databases(benchmark: BenchmarkFixture, size: int) -> None:
    size = size if benchmark.enabled else 2
    declared, laws = benchmark.pedantic(tabulated, args=(DECLARED, size), rounds=1)  # type: ignore[no-untyped-call]  # it has no types
    one_by_one, others = tabulated(enumerated, size)
    assert laws.table.law_of.tolist() == others.table.law_of.tolist()
    databases: list[Any] = list(DOMAINS[size])
    start = process_time()
    floats = in_float64(databases)
    numpy_seconds = process_time() - start
    assert np.allclose(laws.table.values[laws.table.dense(laws.table.law_of)], floats)
    if benchmark.enabled:
        print(
            f"\n{len(databases):,} databases: {declared:.3f} s, {one_by_one / declared:.1f} times as fast as one by one, "
            f"{declared / numpy_seconds:.1f} of float64 numpy"
        )
        benchmark.extra_info |= {"ratio to one by one": round(declared / one_by_one, 3)}
