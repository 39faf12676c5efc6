"""How fast noise that comparisons share is eliminated, from the user's function to the verdict, with nothing remembered.

`make bench` prints seconds, pairs a second, and the ratio to the smallest case of the same kind, pair by pair. In the
test suite each case runs once, at a smaller size.
"""

from collections.abc import Callable
from functools import lru_cache
from time import perf_counter
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from dpverify.mechanisms import discrete_laplace, exp, laplace, symbolic
from dpverify.mechanisms.noise import truncated_discrete_laplace
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.path_conditions import noise_tree
from dpverify.mechanisms.selection import choose_by_stability, large_margin_mechanism, noisy_max, svt1
from dpverify.verifiers import ScoreSpace, Status, Verdict, check_privacy, scores_linf
from dpverify.verifiers.catalogue.selection.stability.stability_privacy import whole_threshold
from dpverify.verifiers.problems.neighbours import gaps_linf
from dpverify.verifiers.problems.questions import ScoreGaps


def queries(n: int) -> ScoreSpace:
    return ScoreSpace(range(-1, 2), solutions=n)


def sparse_vector(n: int, noise: Any, epsilon: ExactLike = 1) -> Callable[[], Verdict]:
    return lambda: check_privacy(svt1, queries(n), scores_linf, epsilon=epsilon, parameters={"noise": noise})


def a_dist_for_every_epsilon(largest: int) -> Callable[[], Verdict]:
    """A_dist with its own threshold, which cuts ε > 0 into intervals."""
    scores = ScoreSpace(range(largest + 1), solutions=3)
    return lambda: check_privacy(choose_by_stability, scores, scores_linf, epsilon=symbolic, delta="0.1")


def whole_threshold_for_every_epsilon(largest: int) -> Callable[[], Verdict]:
    scores = ScoreSpace(range(largest + 1), solutions=3)
    given: Any = {"delta": exp(-2 * symbolic), "parameters": {"scale": 2, "threshold": 6}}
    return lambda: check_privacy(whole_threshold, scores, scores_linf, epsilon=symbolic, **given)


def large_margin(largest: int, solutions: int, epsilon: int) -> Callable[[], Verdict]:
    domain = ScoreGaps(largest, solutions=solutions)
    return lambda: check_privacy(large_margin_mechanism, domain, gaps_linf, epsilon=epsilon, delta="0.1", parameters={})


CASES: dict[str, tuple[Callable[[], Verdict], Callable[[], Verdict], float]] = {
    # name: the case, a smaller one for the test suite, and the seconds that it is to take
    "sparse vector, 4 queries, Laplace": (sparse_vector(4, laplace), sparse_vector(2, laplace), 0.2),
    "sparse vector, 6 queries, Laplace": (sparse_vector(6, laplace), sparse_vector(1, laplace), 10),
    "sparse vector, 7 queries, Laplace": (sparse_vector(7, laplace), sparse_vector(1, laplace), 5),
    "sparse vector, 6 queries, discrete": (sparse_vector(6, discrete_laplace), sparse_vector(2, discrete_laplace), 20),
    "A_dist, every ε, 3 scores up to 12": (a_dist_for_every_epsilon(12), a_dist_for_every_epsilon(2), 1),
    "A_dist, every ε, whole threshold": (
        whole_threshold_for_every_epsilon(12),
        whole_threshold_for_every_epsilon(2),
        1,
    ),
    "sparse vector, 4 queries, every ε": (
        sparse_vector(4, discrete_laplace, symbolic),
        sparse_vector(2, discrete_laplace, symbolic),
        0.4,
    ),
    "sparse vector, 7 queries, every ε": (
        sparse_vector(7, discrete_laplace, symbolic),
        sparse_vector(1, discrete_laplace, symbolic),
        20,
    ),
    "large margin, 3 items, gaps up to 82": (large_margin(82, 3, 2), large_margin(2, 3, 24), 15),
}


def forget() -> None:
    """Everything that earlier checks have eliminated."""
    noise_tree._known.clear()


@lru_cache(maxsize=1)
def seconds_a_pair_of_a_small_case() -> float:
    forget()
    start = perf_counter()
    verdict = sparse_vector(3, laplace)()
    return (perf_counter() - start) / verdict.pairs.covered


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", CASES)
def test_verdicts_with_shared_noise(benchmark: BenchmarkFixture, name: str) -> None:
    case, smaller, bar = CASES[name]
    if not benchmark.enabled:
        assert benchmark.pedantic(smaller, rounds=1).status is Status.PROVED  # type: ignore[no-untyped-call]  # it has no types
        return
    small = seconds_a_pair_of_a_small_case()
    forget()
    start = perf_counter()
    verdict = benchmark.pedantic(case, rounds=1)  # type: ignore[no-untyped-call]  # it has no types
    seconds = perf_counter() - start
    assert verdict.status is Status.PROVED
    pairs = verdict.pairs.covered
    benchmark.extra_info |= {"pairs": pairs, "ratio a pair to 3 queries": round(seconds / pairs / small, 3)}
    print(
        f"\n{name}: {pairs:,} pairs in {seconds:.2f} s (bar: {bar} s), {pairs / seconds:,.0f} pairs/s; "
        f"a pair costs {seconds / pairs / small:.2f} of what it does with 3 queries"
    )


def test_noisy_max_with_truncated_noise(benchmark: BenchmarkFixture) -> None:
    """One law over five scores; PSI took 4.8 s for it."""
    law = truncated_discrete_laplace(1, 5)
    start = perf_counter()
    chances = benchmark.pedantic(lambda: noisy_max((0, 1, 3, 1, 2), law), rounds=1)  # type: ignore[no-untyped-call]  # it has no types
    seconds = perf_counter() - start
    assert chances.probability(*range(5)) == 1
    if benchmark.enabled:
        print(f"\nnoisy max over 5 scores: {seconds * 1e3:.1f} ms")
