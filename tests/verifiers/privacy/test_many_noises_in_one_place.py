"""Noise of many kinds released in one place, one-sided, bounded, rounded or tied: the worst δ against sums."""

from collections.abc import Callable, Sequence
from itertools import product
from math import exp
from typing import Any

import pytest

from dpverify.mechanisms import Draw, discrete_laplace, geometric, laplace
from dpverify.mechanisms.noise import discrete_uniform
from dpverify.verifiers import Tuples, check_privacy

REACH = 90


def one_sided(scale: float, k: int) -> float:
    return (1 - exp(-1 / scale)) * exp(-k / scale) if k >= 0 else 0.0


def two_sided(scale: float, k: int) -> float:
    z = exp(-1 / scale)
    return (1 - z) / (1 + z) * z ** abs(k)


def below(scale: float, x: float) -> float:
    return exp(x / scale) / 2 if x < 0 else 1 - exp(-x / scale) / 2


def of_two_scales(draw: Draw, rows: Sequence[int]) -> Any:
    return sum(rows) + draw(geometric(1 if rows[0] else 2))


def law_of_two_scales(rows: Sequence[int]) -> dict[Any, float]:
    return {k: one_sided(1 if rows[0] else 2, k - sum(rows)) for k in range(REACH)}


def of_five_kinds(draw: Draw, rows: Sequence[int]) -> Any:
    kinds: list[Callable[[], Any]] = [
        lambda: draw(geometric(2)),
        lambda: -draw(geometric(3)),
        lambda: draw(discrete_uniform(-2, 5)),
        lambda: round(draw(laplace(2))),
        lambda: draw(discrete_laplace(3)) // 2,
    ]
    return kinds[rows[0]]() + rows[1]


def law_of_five_kinds(rows: Sequence[int]) -> dict[Any, float]:
    pmfs: list[Callable[[int], float]] = [
        lambda k: one_sided(2, k),
        lambda k: one_sided(3, -k),
        lambda k: 1 / 8 if -2 <= k <= 5 else 0.0,
        lambda k: below(2, k + 0.5) - below(2, k - 0.5),
        lambda k: two_sided(3, 2 * k) + two_sided(3, 2 * k + 1),
    ]
    return {k: pmfs[rows[0]](k - rows[1]) for k in range(-REACH, REACH)}


def where_it_is_larger(draw: Draw, rows: Sequence[int]) -> Any:
    noisy = rows[0] + draw(geometric(2))
    return noisy if noisy >= rows[1] + draw(geometric(2)) + draw(discrete_uniform(0, 3)) else None


def law_where_it_is_larger(rows: Sequence[int]) -> dict[Any, float]:
    found: dict[Any, float] = {}
    for k, extra in product(range(REACH), range(4)):
        left = k + rows[0] - rows[1] - extra
        found[k + rows[0]] = found.get(k + rows[0], 0.0) + one_sided(2, k) / 4 * max(0.0, 1 - exp(-(left + 1) / 2))
    return {**found, None: 1 - sum(found.values())}


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("mechanism", "law", "rows"),
    [
        (of_two_scales, law_of_two_scales, range(2)),
        (of_five_kinds, law_of_five_kinds, range(5)),
        (where_it_is_larger, law_where_it_is_larger, range(2)),
    ],
)
@pytest.mark.parametrize("epsilon", [0, 1])
def test_the_worst_delta_is_that_of_the_definition(
    mechanism: Any, law: Callable[[Sequence[int]], dict[Any, float]], rows: range, epsilon: int
) -> None:
    laws = {pair: law(pair) for pair in product(rows, repeat=2)}
    needed = max(
        sum(max(0.0, p - exp(epsilon) * laws[b].get(outcome, 0.0)) for outcome, p in laws[a].items())
        for a, b in product(laws, repeat=2)
        if sum(x != y for x, y in zip(a, b, strict=True)) == 1
    )
    verdict = check_privacy(mechanism, Tuples(rows, size=2), epsilon=epsilon, recheck=False)
    assert verdict.delta is not None
    assert abs(float(verdict.delta.lower) - needed) < 1e-9
