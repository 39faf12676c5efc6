"""Programs of DiPApprox (github bhusalb/approximate-dp) that draw Gaussian noise, as mechanisms: the algorithms and scales of theirs.

Its `gauss(a, m)` is Gaussian noise of scale 1/a around m, and `lap(a, m)` Laplace noise of that scale. Each asks its
queries one after another; what it gives out is a list of zeros and ones, or a number, as there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dpverify.mechanisms import Draw, gaussian

Queries = tuple[int, ...]
Noise = Callable[[Any], Any]


def first_above(
    draw: Draw,
    queries: Queries,
    *,
    epsilon: Any,
    of_threshold: Noise | None = gaussian,
    of_queries: Noise | None = gaussian,
    below: bool = False,
    by: tuple[int, int] = (2, 4),
) -> tuple[int, ...]:
    """Which query is the first above a threshold (or below it), with noise on both, or on one of them."""
    threshold = 0 if of_threshold is None else draw(of_threshold(by[0] / epsilon))
    for i, query in enumerate(queries):
        noisy = query if of_queries is None else query + draw(of_queries(by[1] / epsilon))
        if noisy < threshold if below else noisy > threshold:
            return tuple(int(i == j) for j in range(len(queries)))
    return (0,) * len(queries)


def noisy_extreme(draw: Draw, queries: Queries, *, epsilon: Any, least: bool = False) -> int:
    """Which query is the largest, or the least, with noise on each; the last of those compared as equal."""
    best, place = queries[0] + draw(gaussian(2 / epsilon)), 0
    for i, query in enumerate(queries[1:], start=1):
        noisy = query + draw(gaussian(2 / epsilon))
        if not (best < noisy if least else best > noisy):
            best, place = noisy, i
    return place


def in_range(draw: Draw, queries: Queries, *, epsilon: Any) -> tuple[int, ...]:
    """How often the first query, asked anew each time, is found between two noisy ends, until it is not."""
    high, low = 1 + draw(gaussian(4 / epsilon)), draw(gaussian(4 / epsilon))
    found = [0] * len(queries)
    for i in range(len(queries)):
        noisy = queries[0] + draw(gaussian(2 / epsilon))  # of the first query each time, as theirs does
        if not (noisy > low and noisy < high):
            break
        found[i] = 1
    return tuple(found)


def between_extremes(draw: Draw, queries: Queries, *, epsilon: Any) -> tuple[int, ...]:
    """Whether a query lies between the noisy extremes of the first two: the third, or if it is below, the fourth."""
    first = most = least = queries[0] + draw(gaussian(2 / epsilon))
    second = queries[1] + draw(gaussian(2 / epsilon))
    if second > first:
        most = second
    else:
        least = second
    found = [0] * (len(queries) - 2)
    for i, query in enumerate(queries[2:]):
        noisy = query + draw(gaussian(2 / epsilon))
        if noisy > least:
            found[i] = int(noisy < most)
            break
    return tuple(found)
