"""Sparse vector and noisy max: laws against brute force, closed forms against pseudo-code, and what is refused."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few, in_one

from dpverify.mechanisms import InputError, bounds, discrete_laplace, distribution, laplace, log, run, truncated_laplace
from dpverify.mechanisms.noise import truncated_discrete_laplace
from dpverify.mechanisms.selection import (
    first_below,
    max_of_laplaces,
    max_of_laplaces_drawn,
    noisy_max,
    numerical_svt,
    svt1,
    svt2,
    svt4,
    svt5,
    svt6,
)

EPSILON = 12 * log(2)
"""At this ε every scale b of the variants has z = e^(-1/b) a power of ½: 2/ε gives 2^-6, 4/ε 2^-3, 4/(3ε) 2^-9."""

RANGE = range(-9, 10)


def pmf(power: int) -> dict[int, Fraction]:
    z = Fraction(1, 2**power)
    return {k: (1 - z) / (1 + z) * z ** abs(k) for k in RANGE}


def brute_force(
    queries: Sequence[int], count: int, rho: int, nu: int | None, fresh: bool = False
) -> dict[Any, Fraction]:
    """The law of the answers for discrete noise within RANGE, with z = 2^-rho and 2^-nu; short of 1 by little."""
    of_rho, of_nu = pmf(rho), pmf(nu) if nu else {0: Fraction(1)}
    at_least = {t: sum(p for k, p in of_nu.items() if k >= t) for t in range(-30, 31)}
    found: dict[Any, Fraction] = {}

    def go(answers: tuple[bool, ...], threshold: int, weight: Fraction) -> None:
        if len(answers) == len(queries) or sum(answers) == count:
            found[answers] = found.get(answers, Fraction(0)) + weight
            return
        above = at_least[threshold - queries[len(answers)]]
        if above:
            for t, p in of_rho.items() if fresh else ((threshold, Fraction(1)),):
                go((*answers, True), t, weight * above * p)
                if sum(answers) + 1 == count or len(answers) + 1 == len(queries):
                    found[(*answers, True)] += weight * above * (1 - p)
                    break
        if above < 1:
            go((*answers, False), threshold, weight * (1 - above))

    for t, p in of_rho.items():
        go((), t, p)
    return found


@in_one(
    "mechanism, count, rho, nu, fresh",
    [
        (svt1, 1, 6, 3, False),
        (svt4, 2, 3, 9, False),
        (svt5, 9, 6, None, False),
        (svt6, 9, 6, 6, False),
        (svt2, 1, 6, 3, True),
    ],
)
@in_one("queries", [(0,), (1, -1), (0, 1, -1)])
def test_the_law_is_that_of_brute_force(
    mechanism: Callable[..., Any], count: int, rho: int, nu: int | None, fresh: bool, queries: tuple[int, ...]
) -> None:
    given_count: dict[str, Any] = {} if mechanism in (svt5, svt6) else {"count": count}
    law = distribution(mechanism, queries, epsilon=EPSILON, noise=discrete_laplace, **given_count)
    expected = brute_force(queries, count, rho, nu, fresh)
    assert set(law) == {answers for answers, p in expected.items() if p}
    for answers, p in expected.items():
        lower, upper = bounds(law.probability(answers))
        assert p - Fraction(1, 10**7) < lower
        assert upper < p + Fraction(1, 10**7)


def test_svt2_draws_the_threshold_anew() -> None:
    """After an answer above, with count = 2, the second answer does not depend on the first one's threshold."""
    law = distribution(svt2, (0, 0), epsilon=1, count=2)
    assert law.probability((True, True)) == Fraction(1, 4)
    assert distribution(svt1, (0, 0), epsilon=1, count=2).probability((True, True)) > Fraction(1, 4)


def test_first_below() -> None:
    law = distribution(first_below, (0, 0), epsilon=1)
    assert law.probability(0) == Fraction(1, 2)
    assert law.probability(0, 1, None) == 1
    # both at or above: ∫ f(x)·(Pr[N ≥ x])² dx, by hand for scales 2 and 4 and x on either side of 0:
    # ∫₀^∞ ¼e^(-x/2)·¼e^(-x/2) dx = 1/16, and ∫₀^∞ ¼e^(-x/2)·(1 - ½e^(-x/4))² dx = 1/2 - 1/3 + 1/16
    assert law.probability(None) == Fraction(1, 16) + Fraction(1, 2) - Fraction(1, 3) + Fraction(1, 16)


def test_numerical_sparse_vector_releases_the_query_with_noise_of_its_own() -> None:
    law = distribution(numerical_svt, (3,), epsilon=1, released=discrete_laplace)
    alone = distribution(lambda draw, database: draw(discrete_laplace(3)), 0)
    released = law.probability((3,)) / (1 - law.probability((None,)))
    assert released == alone.probability(0)
    assert run(numerical_svt, (50,), epsilon=1, released=discrete_laplace, seed=1)[0] > 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"epsilon": 0}, "epsilon=0 must be greater than 0"),
        ({"epsilon": 1, "count": 0}, "count=0 is not a whole number ≥ 1"),
        ({"epsilon": 1, "threshold": 0.5}, "threshold=0.5 is a float"),
    ],
)
def test_what_is_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        distribution(svt1, (0,), **parameters)


@few(6, deep=120)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=4))
def test_noisy_max_in_closed_form_is_noisy_max_as_drawn(scores: list[int]) -> None:
    for noise in (laplace, discrete_laplace):
        closed = distribution(max_of_laplaces, tuple(scores), epsilon=1, noise=noise)
        drawn = distribution(max_of_laplaces_drawn, tuple(scores), epsilon=1, noise=noise)
        assert all(closed.probability(h) == drawn.probability(h) for h in range(len(scores)))
        assert closed.probability(*range(len(scores))) == 1


@given(st.lists(st.integers(0, 3), min_size=2, max_size=3))
def test_noisy_max_with_truncated_noise_against_brute_force(scores: list[int]) -> None:
    law = truncated_discrete_laplace(1 / log(2), 2)
    z = Fraction(1, 2)
    weights = {k: z ** abs(k) for k in range(-2, 3)}
    found = [Fraction(0)] * len(scores)
    for noise in product(weights, repeat=len(scores)):
        noisy = [score + n for score, n in zip(scores, noise, strict=True)]
        weight = Fraction(1)
        for n in noise:
            weight *= weights[n] / sum(weights.values())
        found[noisy.index(max(noisy))] += weight
    chances = noisy_max(scores, law)
    assert [chances.probability(h) for h in range(len(scores))] == found


def test_noisy_max_takes_fractional_qualities_with_continuous_noise() -> None:
    law = noisy_max({"a": Fraction(1, 2), "b": 0}, truncated_laplace(1, 5))
    assert law.probability("a") > Fraction(1, 2)
    with pytest.raises(InputError, match="with discrete noise: a score is not a whole number"):
        noisy_max({"a": Fraction(1, 2), "b": 0}, discrete_laplace(1))
    with pytest.raises(InputError, match="quality is empty"):
        noisy_max((), laplace(1))
