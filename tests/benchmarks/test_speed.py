"""How fast the checker is, and what exactness costs beside plain float64 numpy, as ratios within one run.

`make bench` times each pair of functions in turn and prints a table. In the test suite each runs once, and the float64
result has to agree with the exact one.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pytest_benchmark.fixture import BenchmarkFixture

from dpverify.mechanisms import Draw, distribution, exact, exponential
from dpverify.mechanisms.selection import choose_by_stability_journal
from dpverify.verifiers import Multisets, ScoreSpace, check_privacy, replace_one, scores_linf
from dpverify.verifiers.divergence.finite.hockey_stick import HockeyStick
from dpverify.verifiers.divergence.output_tables.distribution_table import DistributionTable
from dpverify.verifiers.problems.neighbours.neighbours import neighbouring_pairs

Floats = NDArray[np.float64]

MULTISETS = Multisets(range(4), size=8)
SCORES = ScoreSpace(range(13), solutions=3)


def most_frequent(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
    return exponential([rows.count(x) for x in range(4)], epsilon)


# The baselines: the same laws by their formulas in float64, and δ over all pairs at once.
def float_exponential() -> Floats:
    counts = np.array([[rows.count(x) for x in range(4)] for rows in MULTISETS], dtype=np.float64)
    weights = np.exp((counts - counts.max(axis=1, keepdims=True)) / 2)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def float_a_dist() -> Floats:
    scores = np.array(list(SCORES), dtype=np.float64)
    best = scores.argmax(axis=1)
    ordered = np.sort(scores, axis=1)
    gap = ordered[:, -1] - ordered[:, -2]
    released = np.where(gap <= np.log(1000), np.exp(gap) / 2000, 1 - 500 * np.exp(-gap))
    laws = np.zeros((len(scores), 4))
    laws[np.arange(len(scores)), best] = released
    laws[:, 3] = 1 - released
    return laws


def float_delta(laws: Floats, left: NDArray[np.int64], right: NDArray[np.int64]) -> float:
    return float(np.maximum(0.0, laws[left] - np.e * laws[right]).sum(axis=1).max())


CASES: dict[str, tuple[Any, Any, Any, Callable[[], Floats], Fraction | int]] = {
    "exponential, Multisets(range(4), size=8)": (most_frequent, MULTISETS, replace_one, float_exponential, 0),
    "A_dist, {0..12}^3": (choose_by_stability_journal, SCORES, scores_linf, float_a_dist, Fraction(1, 1000)),
}


def in_turn(ours: Callable[[], object], baseline: Callable[[], object], rounds: int) -> tuple[float, float]:
    """The median seconds of each, run alternately so that both see the same machine."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for function, seconds in zip((ours, baseline), times, strict=True):
            start = perf_counter()
            function()
            seconds.append(perf_counter() - start)
    return median(times[0]), median(times[1])


def report(
    benchmark: BenchmarkFixture, name: str, ours: Callable[[], Any], baseline: Callable[[], Any], pairs: int
) -> None:
    """Times both and prints a row: microseconds a pair, pairs a second, and the ratio to float64 numpy."""
    # where nothing is timed it has run once already, and what it found was looked at
    benchmark.pedantic(ours if benchmark.enabled else lambda: None, rounds=1)  # type: ignore[no-untyped-call]  # it has no types
    if not benchmark.enabled:
        return
    exact_seconds, float_seconds = in_turn(ours, baseline, rounds=7)
    benchmark.extra_info |= {
        "pairs": pairs,
        "pairs per second": round(pairs / exact_seconds),
        "ratio to float64 numpy": round(exact_seconds / float_seconds, 2),
    }
    print(
        f"\n{name}: {pairs:,} pairs, {exact_seconds * 1e3:.2f} ms exact, {float_seconds * 1e3:.2f} ms float64; "
        f"{pairs / exact_seconds:,.0f} pairs/s; ratio {exact_seconds / float_seconds:.2f}"
    )


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", CASES)
def test_the_whole_check(benchmark: BenchmarkFixture, name: str) -> None:
    """From the user's function to the verdict; the baseline is given the pairs."""
    mechanism, domain, relation, float_laws, delta = CASES[name]
    pairs = neighbouring_pairs(list(domain), domain, relation)

    def ours() -> Any:
        parameters = {"delta": delta} if delta else {}
        return check_privacy(mechanism, domain, relation, epsilon=1, delta=delta, parameters=parameters)

    def baseline() -> float:
        return float_delta(float_laws(), pairs.left, pairs.right)

    verdict = ours()
    assert abs(float(verdict.delta.upper) - baseline()) < 1e-12
    assert verdict.pairs.covered == len(pairs.left)
    report(benchmark, f"whole check: {name}", ours, baseline, len(pairs.left))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", CASES)
def test_the_decision_alone(benchmark: BenchmarkFixture, name: str) -> None:
    """From given laws to all divergences, with equal laws not yet merged into one pair: what a pair costs."""
    mechanism, domain, relation, float_laws, delta = CASES[name]
    databases = list(domain)
    pairs = neighbouring_pairs(databases, domain, relation)
    parameters: dict[str, Any] = {"epsilon": Fraction(1), **({"delta": delta} if delta else {})}
    table = DistributionTable([distribution(mechanism, database, **parameters) for database in databases])
    left, right = table.law_of[pairs.left], table.law_of[pairs.right]
    laws = float_laws()

    def ours() -> Any:
        stick = HockeyStick(table, left, right, exact(1))
        return stick.violating(exact(delta)), stick.worst()

    def baseline() -> float:
        return float_delta(laws, pairs.left, pairs.right)

    (_, undecided), (worst, _) = ours()
    assert not undecided.any()
    assert abs(exact(Fraction(baseline())) - worst) < Fraction(1, 10**12)
    report(benchmark, f"decision alone: {name}", ours, baseline, len(pairs.left))
