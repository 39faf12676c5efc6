"""How fast released real numbers are decided, as ratios to the same mechanism with discrete noise in the same run.

`make bench` prints seconds, pairs, the bar, and the ratio. In the test suite each case runs once, at a smaller size.
"""

from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from dpverify.mechanisms import Draw, discrete_laplace, laplace
from dpverify.mechanisms.path_conditions.noise_tree import forget_eliminated
from dpverify.verifiers import Status, Verdict, check_privacy


def count(draw: Draw, rows: int, *, noise: Any) -> Any:
    return rows + draw(noise(1))


def histogram(draw: Draw, counts: tuple[int, ...], *, noise: Any) -> Any:
    return tuple(count + draw(noise(2)) for count in counts)


def largest_value(draw: Draw, scores: tuple[int, ...], *, noise: Any) -> Any:
    noisy = [score + draw(noise(2)) for score in scores]
    best = 0
    for i in range(1, len(noisy)):
        if noisy[i] > noisy[best]:
            best = i
    return noisy[best]


def first_above(draw: Draw, scores: tuple[int, ...], *, noise: Any) -> Any:
    threshold = 1 + draw(noise(2))
    for i, score in enumerate(scores):
        noisy = score + draw(noise(2))
        if noisy >= threshold:
            return i, noisy
    return None


def of_counts(largest: int) -> tuple[Any, Any]:
    return range(largest + 1), lambda n: [n + 1]


def of_one_pair(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[Any, Any]:
    return (left, right), lambda scores: [right if scores == left else left]


class Case(NamedTuple):
    """A mechanism on domain and neighbours, on smaller ones for the test suite, δ, the verdict and a bar in seconds."""

    mechanism: Callable[..., Any]
    full: tuple[Any, Any]
    small: tuple[Any, Any]
    epsilon: str
    delta: str
    status: Status
    bar: float
    has_discrete_twin: bool = True


R, P = Status.REFUTED, Status.PROVED
CASES = {
    "a count, 1,000 pairs": Case(count, of_counts(500), of_counts(20), "1", "0", P, 0.1),
    "a histogram of 3 cells at δ > 0": Case(
        histogram, of_one_pair((0,) * 3, (1,) * 3), of_one_pair((0,) * 2, (1,) * 2), "1/2", "0.2", P, 1
    ),
    "a histogram of 20 cells, all of which change": Case(
        histogram, of_one_pair((0,) * 20, (1,) * 20), of_one_pair((0,) * 3, (1,) * 3), "9", "0.2", P, 5, False
    ),
    "the value of noisy max over 5 scores": Case(
        largest_value, of_one_pair((1,) * 5, (0,) * 5), of_one_pair((1,) * 2, (0,) * 2), "1/2", "0", R, 1
    ),
    "the first value above a threshold, 10 queries": Case(
        first_above, of_one_pair((1,) * 10, (0,) * 10), of_one_pair((1,) * 2, (0,) * 2), "1/2", "0", R, 5, False
    ),
}


def decided(case: Case, at: tuple[Any, Any], noise: Any) -> Verdict:
    domain, neighbours = at
    return check_privacy(
        case.mechanism,
        domain,
        neighbours,
        epsilon=case.epsilon,
        delta=case.delta,
        parameters={"noise": noise},
        recheck=False,
    )


@pytest.mark.parametrize("name", CASES)
def test_verdicts_on_real_numbers(benchmark: BenchmarkFixture, name: str) -> None:
    case = CASES[name]
    at = case.full if benchmark.enabled else case.small
    verdict = benchmark.pedantic(partial(decided, case, at, laplace), setup=forget_eliminated, rounds=1)  # type: ignore[no-untyped-call]  # it has no types
    assert verdict.status is case.status
    if not benchmark.enabled:
        return
    assert benchmark.stats is not None
    seconds = benchmark.stats.stats.min
    said = "no discrete twin at this size"
    if case.has_discrete_twin:
        forget_eliminated()
        start = perf_counter()
        decided(case, at, discrete_laplace)
        said = f"{seconds / (perf_counter() - start):.2f} × discrete noise"
    print(f"\n{name}: {seconds:.2f} s for {verdict.pairs.covered:,} pairs (bar {case.bar} s), {said}")
