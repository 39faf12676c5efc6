"""Programs that are decided by steps, by pattern and for any number of rows, as a user would write them.

Each is a row of docs/performance.md, in CPU seconds and beside a loop in plain Python.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import process_time
from typing import Any, Final

from dpverify.mechanisms import Draw, bernoulli, distribution, laplace
from dpverify.mechanisms.path_conditions.noise_tree import forget_eliminated
from dpverify.mechanisms.selection import svt1
from dpverify.verifiers import (
    Multisets,
    Scores,
    ScoreSpace,
    Tuples,
    Verdict,
    check_privacy,
    replace_one,
    scores_linf,
)


def count_of_bits(draw: Draw, rows: Any) -> int:
    """The number of ones, each bit replaced by its opposite with probability 1/4."""
    return sum(row ^ draw(bernoulli("1/4")) for row in rows)


def bits_returned(draw: Draw, rows: Any) -> Any:
    """All bits, each replaced by its opposite with probability 1/4."""
    bits = []
    for row in rows:
        bits.append(draw(bernoulli("3/4" if row else "1/4")))
    return tuple(bits)


def noisy_best(draw: Draw, scores: Any, *, epsilon: Any) -> int:
    """The place of the largest noisy score."""
    noisy = [score + draw(laplace(2 / epsilon)) for score in scores]
    return noisy.index(max(noisy))


def above(draw: Draw, scores: Any, *, epsilon: Any) -> int | None:
    """The place of the first score whose noisy value reaches a noisy threshold."""
    threshold = draw(laplace(2 / epsilon))
    for i, score in enumerate(scores):
        if score + draw(laplace(4 / epsilon)) >= threshold:
            return i
    return None


def _proved(*of: Any, **claim: Any) -> Callable[[], object]:
    def decided() -> Verdict:
        verdict = check_privacy(*of, **claim)
        assert str(verdict.status) == "PROVED", verdict.reason
        return verdict

    return decided


def _one_pair(rows: int) -> Callable[[], object]:
    pair = (0,) * rows, (1, *(0,) * (rows - 1))
    return _proved(count_of_bits, list(pair), lambda one: [each for each in pair if each != one], epsilon=2)


def _three_of_twenty() -> object:
    found = distribution(svt1, tuple(i % 3 - 1 for i in range(20)), epsilon=1, count=3)
    assert found.size > 1_000
    return found


def _sparse(queries: int) -> Callable[[], object]:
    domain = ScoreSpace(range(-1, 2), solutions=queries)
    return _proved(svt1, domain, scores_linf, epsilon=1, parameters={"noise": laplace})


PROGRAMS: Final[Mapping[str, Callable[[], object]]] = {
    "count of 100 random bits, all pairs": _proved(
        count_of_bits, Multisets(range(2), size=100), replace_one, epsilon=2
    ),
    "count of 1,000 random bits, one pair": _one_pair(1_000),
    "10 random bits returned, all pairs": _proved(bits_returned, Tuples(range(2), size=10), replace_one, epsilon=2),
    "12 random bits returned, all pairs": _proved(bits_returned, Tuples(range(2), size=12), replace_one, epsilon=2),
    "noisy max by hand, {0, 1, 2}^5": _proved(noisy_best, ScoreSpace(range(3), solutions=5), scores_linf, epsilon=1),
    "svt1, {−1, 0, 1}^4": _sparse(4),
    "svt1, {−1, 0, 1}^6": _sparse(6),
    "svt1, {−1, 0, 1}^7": _sparse(7),
    "svt1, distribution of 3 answers to 20 queries": _three_of_twenty,
    "noisy max by hand of 4, all scores": _proved(noisy_best, Scores(solutions=4), scores_linf, epsilon=1),
    "above a threshold of 4, all scores": _proved(above, Scores(solutions=4), scores_linf, epsilon=1),
}
"""By name what is decided, with recomputation where a verdict has it."""


def seconds(name: str) -> float:
    """The CPU seconds of a program, whose noise nothing before it has eliminated."""
    forget_eliminated()
    start = process_time()
    PROGRAMS[name]()
    return process_time() - start
