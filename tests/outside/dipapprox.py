"""Programs of DiPApprox (github bhusalb/approximate-dp) as mechanisms: the algorithms and scales of all 184 of theirs.

Its `gauss(a, m)` is Gaussian noise of scale 1/a around m, and `lap(a, m)` Laplace noise of that scale. Each asks its
queries one after another; what it gives out is a list of zeros and ones, or a number, as there.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms import Draw, gaussian, laplace

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


def noisy_extreme(draw: Draw, queries: Queries, *, epsilon: Any, least: bool = False, noise: Noise = gaussian) -> int:
    """Which query is the largest, or the least, with noise on each; the last of those compared as equal."""
    best, place = queries[0] + draw(noise(2 / epsilon)), 0
    for i, query in enumerate(queries[1:], start=1):
        noisy = query + draw(noise(2 / epsilon))
        if not (best < noisy if least else best > noisy):
            best, place = noisy, i
    return place


def in_range(draw: Draw, queries: Queries, *, epsilon: Any, noise: Noise = gaussian) -> tuple[int, ...]:
    """How often the first query, asked anew each time, is found between two noisy ends, until it is not."""
    high, low = 1 + draw(noise(4 / epsilon)), draw(noise(4 / epsilon))
    found = [0] * len(queries)
    for i in range(len(queries)):
        noisy = queries[0] + draw(noise(2 / epsilon))  # of the first query each time, as theirs does
        if not (noisy > low and noisy < high):
            break
        found[i] = 1
    return tuple(found)


def between_extremes(draw: Draw, queries: Queries, *, epsilon: Any, noise: Noise = gaussian) -> tuple[int, ...]:
    """Whether a query lies between the noisy extremes of the first two: the third, or if it is below, the fourth."""
    first = most = least = queries[0] + draw(noise(2 / epsilon))
    second = queries[1] + draw(noise(2 / epsilon))
    if second > first:
        most = second
    else:
        least = second
    found = [0] * (len(queries) - 2)
    for i, query in enumerate(queries[2:]):
        noisy = query + draw(noise(2 / epsilon))
        if noisy > least:
            found[i] = int(noisy < most)
            break
    return tuple(found)


def leaky(draw: Draw, queries: Queries, *, epsilon: Any) -> tuple[int, ...]:
    """Which query is the first below a noisy threshold, and of that whether it is at least 0, by the same noise."""
    threshold = draw(laplace(2 / epsilon))
    for i, query in enumerate(queries):
        noisy = query + draw(laplace(2 / epsilon))
        if noisy < threshold:
            return tuple(int(i == j and noisy >= 0) for j in range(len(queries)))
    return (0,) * len(queries)


def all_above(draw: Draw, queries: Queries, *, epsilon: Any) -> tuple[int, ...]:
    """Which queries are above one noisy threshold, however many."""
    threshold = draw(laplace(2 / epsilon))
    return tuple(int(query + draw(laplace(2 / epsilon)) > threshold) for query in queries)


def sparse(draw: Draw, queries: Queries, *, epsilon: Any) -> tuple[int, ...]:
    """Which queries are above a threshold that is drawn anew for each, until two are."""
    found = [0] * len(queries)
    for i, query in enumerate(queries):
        if sum(found) < 2:
            found[i] = int(query + draw(laplace(4 / epsilon)) > draw(laplace(2 / epsilon)))
    return tuple(found)


def signs_of_most(draw: Draw, queries: Queries, *, epsilon: Any, ends: Sequence[int] = (-1, 0)) -> int:
    """Between which of some ends the largest of three noisy queries is, counted up to 1.

    Where the first one is larger than the second, and not than the third, the second is taken, as theirs does.
    """
    first, second, third = (query + draw(laplace(2 / epsilon)) for query in queries)
    best = (first if first > third else second) if first > second else second if second > third else third
    return next((i + 1 - len(ends) for i, end in enumerate(ends) if best < end), 1)


@dataclass(frozen=True)
class Family:
    """Programs of one folder, which differ in how many queries there are, as one mechanism."""

    folder: str
    sizes: Sequence[int]
    program: Callable[..., Any]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    file: str = "example_{}.dip"
    width: int | None = None
    """How many queries the programs have, where their names do not say it."""


_LAPLACE: Final = {"of_threshold": laplace, "of_queries": laplace}
_NO_NOISY_THRESHOLD: Final = {"of_threshold": None, "by": (2, 2)}
_NO_NOISY_QUERIES: Final = {"of_queries": None, "by": (1, 4)}
_BELOW: Final = {"below": True}
_OF_LAPLACE: Final = {"noise": laplace}

FAMILIES: Final = (
    Family("svt", range(1, 26), first_above, _BELOW),
    Family("svt_max", range(1, 26), first_above),
    Family("svt_laplace", range(1, 12), first_above, _LAPLACE | _BELOW),
    Family("svt_laplace_max", range(1, 13), first_above, _LAPLACE),
    Family("svt_mix1", range(1, 20), first_above, {"of_threshold": laplace} | _BELOW),
    Family("svt_mix1_max", range(1, 19), first_above, {"of_threshold": laplace}),
    Family("svt_mix2", range(1, 12), first_above, {"of_queries": laplace} | _BELOW),
    Family("svt_mix2_max", range(1, 12), first_above, {"of_queries": laplace}),
    Family("new_nonpriv_svt", range(1, 7), first_above, _NO_NOISY_THRESHOLD | _BELOW),
    Family("new_nonpriv_svt_max", range(2, 7), first_above, _NO_NOISY_THRESHOLD),
    Family("nonpriv_svt", range(3, 7), first_above, _NO_NOISY_QUERIES | _BELOW),
    Family("nonpriv_svt_max", range(3, 7), first_above, _NO_NOISY_QUERIES),
    Family("noisy_max", range(2, 6), noisy_extreme),
    Family("noisy_min", range(2, 6), noisy_extreme, {"least": True}),
    Family("noisy_max_laplace", range(2, 6), noisy_extreme, _OF_LAPLACE),
    Family("noisy_min_laplace", range(2, 6), noisy_extreme, {"least": True} | _OF_LAPLACE),
    Family("kminmax", range(3, 5), between_extremes),
    Family("kminmax_laplace", range(3, 5), between_extremes, _OF_LAPLACE),
    Family("mrange", range(1, 4), in_range, file="mrange_{}.dip"),
    Family("mrange_laplace", range(1, 4), in_range, _OF_LAPLACE, file="mrange_{}.dip"),
    Family("dipc", [3], leaky, file="svt_{}.dip", width=5),
    Family("dipc", [4], first_above, _LAPLACE | {"by": (4, Fraction("1.33333333333334"))}, file="svt_{}.dip", width=2),
    Family("dipc", [5], first_above, _LAPLACE | {"of_queries": None}, file="svt_{}.dip", width=2),
    Family("dipc", [6], all_above, file="svt_{}.dip", width=3),
    Family("dipc", [3], sparse, file="sparse.dip"),
    Family("dipc", [3], signs_of_most, file="nmax{}.dip"),
    Family("dipc", [3], signs_of_most, {"ends": (0,)}, file="new_nmax{}.dip"),
)
"""All of their programs."""
