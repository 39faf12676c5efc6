"""How fast databases of every size are decided, as ratios to a finite domain of the same mechanism in the same run.

`make bench` prints seconds, what was proved, the bar, and the ratio to a finite domain that has some of its pairs.
"""

from collections.abc import Callable
from fractions import Fraction
from time import perf_counter
from typing import Any, NamedTuple

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from dpverify.mechanisms import exponential, symbolic
from dpverify.mechanisms.path_conditions.noise_tree import forget_eliminated
from dpverify.mechanisms.selection import (
    choose_by_stability,
    choosing_mechanism,
    exponential_mechanism,
    large_margin_mechanism,
    max_of_laplaces_drawn,
    svt1,
)
from dpverify.verifiers import (
    Histograms,
    Multisets,
    Scores,
    ScoreSpace,
    Status,
    check_privacy,
    replace_one,
    scores_linf,
)
from dpverify.verifiers.problems.neighbours import bounded_growth as by_growth
from dpverify.verifiers.problems.neighbours import gaps_linf as by_gaps
from dpverify.verifiers.problems.questions import BoundedGrowth, OrMore, ScoreGaps

TENTH = Fraction(1, 10)


def most_common(draw: Any, rows: Any, *, epsilon: Any) -> Any:
    return draw(exponential({x: rows.count(x) for x in range(3)}, epsilon))


# Theorems settle the functions of the library at once; what calls them is decided by regions.
def best_if_stable(draw: Any, scores: Any, *, epsilon: Any, delta: Any) -> Any:
    return choose_by_stability(draw, scores, epsilon=epsilon, delta=delta)


def chosen(draw: Any, scores: Any, *, epsilon: Any) -> Any:
    return exponential_mechanism(draw, scores, epsilon=epsilon)


def noisy_best(draw: Any, scores: Any, *, epsilon: Any) -> Any:
    return max_of_laplaces_drawn(draw, scores, epsilon=epsilon)


class Case(NamedTuple):
    """A mechanism, its domain without end and a finite one, the relation, ε, δ, further parameters, a bar in seconds."""

    mechanism: Callable[..., Any]
    endless: Any
    finite: Any
    neighbours: Any
    epsilon: Any
    delta: Any
    parameters: dict[str, Any]
    bar: float
    in_suite: bool = False


CASES = {
    "A_dist, two scores": Case(
        best_if_stable, Scores(solutions=2), ScoreSpace(range(9), solutions=2), scores_linf, 1, TENTH, {}, 2, True
    ),
    "A_dist, by its theorem": Case(
        choose_by_stability,
        Scores(solutions=OrMore(3)),
        ScoreSpace(range(9), solutions=3),
        scores_linf,
        1,
        TENTH,
        {},
        2,
        True,
    ),
    "A_dist, three scores": Case(
        best_if_stable, Scores(solutions=3), ScoreSpace(range(9), solutions=3), scores_linf, 1, TENTH, {}, 10
    ),
    "exponential, three scores": Case(
        chosen, Scores(solutions=3), ScoreSpace(range(9), solutions=3), scores_linf, 1, 0, {}, 5
    ),
    "noisy max, three scores": Case(
        noisy_best, Scores(solutions=3), ScoreSpace(range(6), solutions=3), scores_linf, 1, 0, {}, 20
    ),
    "sparse vector, two queries": Case(
        svt1, Scores(solutions=2), ScoreSpace(range(-3, 4), solutions=2), scores_linf, 1, 0, {"count": 1}, 1
    ),
    "sparse vector, three queries": Case(
        svt1, Scores(solutions=3), ScoreSpace(range(-2, 3), solutions=3), scores_linf, 1, 0, {"count": 1}, 30
    ),
    "choosing, fifteen rows or more": Case(
        choosing_mechanism,
        BoundedGrowth(rows=OrMore(15), solutions=2, growth=1),
        BoundedGrowth(rows=15, solutions=2, growth=1),
        by_growth,
        1,
        TENTH,
        {"alpha": Fraction(1)},
        20,
    ),
    "large margin, two items": Case(
        large_margin_mechanism, ScoreGaps(solutions=2), ScoreGaps(60, solutions=2), by_gaps, 3, TENTH, {}, 5
    ),
    "most common, every size, every ε": Case(
        most_common, Histograms(range(3)), Multisets(range(3), sizes=range(1, 5)), replace_one, symbolic, 0, {}, 2, True
    ),
}


@pytest.mark.one_in(10)
@pytest.mark.parametrize("name", CASES)
@pytest.mark.deep
def test_verdicts_on_all_sizes(benchmark: BenchmarkFixture, name: str) -> None:
    case = CASES[name]
    if not benchmark.enabled and not case.in_suite:
        pytest.skip("decided by the tests of all sizes; timed by make bench")

    def decided(domain: Any, **further: Any) -> Any:
        given = {"epsilon": case.epsilon, "delta": case.delta, "parameters": {**case.parameters, **further}}
        return check_privacy(case.mechanism, domain, case.neighbours, **given, recheck=False)

    verdict = benchmark.pedantic(decided, args=(case.endless,), setup=forget_eliminated, rounds=1)  # type: ignore[no-untyped-call]  # it has no types
    assert verdict.status is Status.PROVED
    assert verdict.basis.for_all_sizes
    if not benchmark.enabled:
        return
    assert benchmark.stats is not None
    seconds = benchmark.stats.stats.min
    forget_eliminated()
    start = perf_counter()
    finite = decided(case.finite, **({"rows": 15} if "rows" in str(case.endless) else {}))
    ratio = seconds / (perf_counter() - start)
    said = verdict.reason.rpartition(": ")[2]
    print(
        f"\n{name}: {seconds:.2f} s (bar {case.bar} s), {said}; {ratio:.1f} × {finite.pairs.covered:,} pairs one by one"
    )
