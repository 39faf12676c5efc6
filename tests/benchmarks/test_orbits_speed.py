"""What one pair of each orbit costs: beside every pair of the same mechanism, and beside float64 numpy on every pair.

`make bench` prints both as ratios of processor time within one run. In the test suite each case runs once, on a smaller
domain, and all three have to agree.
"""

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from pytest_benchmark.fixture import BenchmarkFixture

from dpverify.mechanisms import Draw, exponential, symmetric
from dpverify.mechanisms.drawing import permutations, relabellings, shifts
from dpverify.mechanisms.selection import exponential_mechanism
from dpverify.verifiers import Multisets, ScoreSpace, Verdict, check_privacy, replace_one, scores_linf
from dpverify.verifiers.problems.neighbours.neighbours import neighbouring_pairs

VALUES = range(8)


def most_frequent(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    return exponential({x: rows.count(x) for x in VALUES}, epsilon)


class Case(NamedTuple):
    """A mechanism, its symmetric form, and a domain, in the suite and in the benchmark."""

    mechanism: Any
    wrapped: Any
    relation: Any
    small: Any
    large: Any
    scores: Callable[[Any], Sequence[int]]
    """What the exponential mechanism chooses by, on a database."""


CASES = {
    "rows": Case(
        most_frequent,
        symmetric(most_frequent, under=relabellings(VALUES)),
        replace_one,
        Multisets(VALUES, size=3),
        Multisets(VALUES, size=8),
        lambda rows: [rows.count(x) for x in VALUES],
    ),
    "scores": Case(
        exponential_mechanism,
        symmetric(exponential_mechanism, under=permutations | shifts),
        scores_linf,
        ScoreSpace(range(5), solutions=3),
        ScoreSpace(range(13), solutions=4),
        lambda scores: scores,
    ),
}


def float_delta(domain: Any, scores: Callable[[Any], Sequence[int]], pairs: Any) -> float:
    """δ over all pairs in float64, which are given."""
    qualities: NDArray[np.float64] = np.array([scores(database) for database in domain], dtype=np.float64)
    weights = np.exp((qualities - qualities.max(axis=1, keepdims=True)) / 2)
    laws = weights / weights.sum(axis=1, keepdims=True)
    return float(np.maximum(0.0, laws[pairs.left] - np.exp(0.5) * laws[pairs.right]).sum(axis=1).max())


def processor_time() -> float:
    """The seconds that this process and those that it has forked have taken."""
    return sum(os.times()[:4])


def in_turn(functions: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    """The mean processor seconds of each, run alternately so that all see the same machine."""
    seconds = [0.0 for _ in functions]
    for _ in range(rounds):
        for i, function in enumerate(functions):
            start = processor_time()
            function()
            seconds[i] += processor_time() - start
    return [each / rounds for each in seconds]


@pytest.mark.parametrize("name", CASES)
def test_one_pair_of_each_orbit(benchmark: BenchmarkFixture, name: str) -> None:
    case = CASES[name]
    domain = case.large if benchmark.enabled else case.small
    pairs = neighbouring_pairs(list(domain), domain, case.relation)

    def check(mechanism: Any, *, recheck: bool) -> Verdict:
        given = {"epsilon": 1}
        return check_privacy(mechanism, domain, case.relation, epsilon="1/2", parameters=given, recheck=recheck)

    def by_floats() -> float:
        return float_delta(domain, case.scores, pairs)

    found, every = (check(mechanism, recheck=False) for mechanism in (case.wrapped, case.mechanism))
    assert found.delta is not None and every.delta is not None
    assert found.delta.exact == every.delta.exact
    assert abs(float(found.delta.upper) - by_floats()) < 1e-12
    assert found.pairs.covered == every.pairs.covered == len(pairs.left)
    benchmark.pedantic(lambda: check(case.wrapped, recheck=True) if benchmark.enabled else None, rounds=1)  # type: ignore[no-untyped-call]  # it has no types
    if not benchmark.enabled:
        return
    decided, repeated, floats = in_turn(
        [lambda: check(case.wrapped, recheck=False), lambda: check(case.wrapped, recheck=True), by_floats], rounds=20
    )
    (full,) = in_turn([lambda: check(case.mechanism, recheck=False)], rounds=1)
    benchmark.extra_info |= {
        "ratio to float64 numpy": round(decided / floats, 2),
        "with laws repeated": round(repeated / floats, 2),
        "ratio to every pair": round(decided / full, 4),
    }
    print(
        f"\n{name}: {len(pairs.left):,} pairs, {decided * 1e3:.1f} ms by orbits, {full * 1e3:.0f} ms every pair "
        f"({full / decided:.0f} times as long), {floats * 1e3:.1f} ms float64; ratio {decided / floats:.2f}, with laws "
        f"repeated {repeated / floats:.2f}"
    )
