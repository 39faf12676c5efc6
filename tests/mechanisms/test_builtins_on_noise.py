"""What Python's own functions make of noise: max, min, sorted, index and abs, which ask by comparisons."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from tests.mechanisms.drawn import assert_drawn_from_the_law

from dpverify.mechanisms import (
    Draw,
    InputError,
    clamp,
    discrete_laplace,
    distribution,
    exact,
    exp,
    laplace,
    log,
    run,
    uniform_noise,
)
from dpverify.mechanisms.drawing import debugging
from dpverify.mechanisms.noise.law import Noise
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.outputs import AtLeast

UNIT = 1 / log(2)


def pmf(k: int) -> Fraction:
    return Fraction(1, 3) * Fraction(1, 2) ** abs(k)


def by_index(draw: Draw, scores: Sequence[int], noise: Noise) -> int:
    noisy = [score + draw(noise(exact(2))) for score in scores]
    return noisy.index(max(noisy))


def largest_that_is_clamped(draw: Draw, database: int) -> Any:
    """A clamped end is a number, which is likely."""
    noisy = max(database + draw(laplace(1)), 0)
    return noisy == 0, noisy != 0, noisy in (0, 1)


def test_the_end_that_noise_is_moved_to_is_a_number() -> None:
    law = distribution(largest_that_is_clamped, -1)
    assert law.probability((False, True, False)) == exp(-1) / 2
    assert law.probability((True, False, True)) == 1 - exp(-1) / 2


def test_continuous_noise_equals_itself_and_nothing_else() -> None:
    def mechanism(draw: Draw, database: int) -> Any:
        noise, other = draw(laplace(1)), draw(uniform_noise(0, 1))
        above = noise > other
        whole = draw(discrete_laplace(1))
        assert bool(noise == noise + 0) and bool(2 * noise == noise + noise)
        assert noise + 1 != noise
        return above, noise == other, noise != 3, [noise, other].index(other), noise + whole == whole, noise == "a"

    with pytest.raises(InputError, match="'a', which is not a number"):
        distribution(mechanism, 0)

    def with_numbers(draw: Draw, database: int) -> Any:
        noise, other = draw(laplace(1)), draw(uniform_noise(0, 1))
        whole = draw(discrete_laplace(1))
        return noise > other, noise == other, noise != 3, noise + whole == whole, noise + 1 == noise, 2 * noise == noise

    law = distribution(with_numbers, 0)
    assert law.probabilities.keys() == {(above, False, True, False, False, False) for above in (True, False)}
    assert run(with_numbers, 0, seed=1)[1:] == (False, True, False, False, False)


def test_equality_is_refused_where_other_uses_are() -> None:
    kept: list[Any] = []

    def inner(draw: Draw, database: int) -> bool:
        kept.append(draw(laplace(1)))
        return True

    def outer(draw: Draw, database: int) -> Any:
        kept.clear()
        return draw(inner, database) and kept[0] == 0

    with pytest.raises(InputError, match="of one mechanism was used in another one"):
        distribution(outer, 0)
    with debugging(), pytest.raises(InputError, match="of one mechanism was used in another one"):
        run(outer, 0)


def equal_pairs(a: Any, b: Any, c: Any) -> Any:
    return bool(a == c), bool(b == c), bool(a == b)


def how_often_the_largest(a: Any, b: Any, c: Any) -> Any:
    return [a, b, c].count(max(a, b, c)), [a, b, c].index(min(a, b, c))


@pytest.mark.parametrize("asked", [equal_pairs, how_often_the_largest])
def test_whole_noises_that_differ_in_a_circle(asked: Any) -> None:

    axis = range(-12, 13)
    sums: dict[Any, float] = {}
    for a, b, c in product(axis, repeat=3):
        outcome = asked(a, b + 1, c + 2)
        sums[outcome] = sums.get(outcome, 0.0) + float(pmf(a)) * float(pmf(b)) * float(pmf(c))
    law = distribution(lambda draw, database: asked(*(i + draw(discrete_laplace(UNIT)) for i in range(3))), 0)
    assert law.probabilities.keys() == sums.keys()
    assert all(abs(float(enclosure(law.probability(outcome))) - p) < 1e-3 for outcome, p in sums.items())


def test_the_median_of_three() -> None:
    def mechanism(draw: Draw, database: int) -> Any:
        return sorted(draw(laplace(1)) for _ in range(3))[1] >= 1

    p = exp(-1) / 2
    assert distribution(mechanism, 0).probability(True) == 3 * p**2 * (1 - p) + p**3


def test_the_absolute_value_of_noise() -> None:
    def compared(draw: Draw, database: int) -> Any:
        return abs(database + draw(laplace(1))) >= 2

    assert distribution(compared, 1).probability(True) == (exp(-1) + exp(-3)) / 2

    law = distribution(lambda draw, database: abs(database + draw(discrete_laplace(UNIT))), 2)
    assert law.probability(0) == pmf(-2)
    assert law.probability(-1) == 0
    for k in range(1, 9):
        assert law.probability(k) == pmf(k - 2) + pmf(-k - 2)

    real = distribution(lambda draw, database: abs(database + draw(laplace(1))), 1)
    assert real.probability(AtLeast(2)) == (exp(-1) + exp(-3)) / 2
    assert real.probability(AtLeast(0)) == 1

    def clamped(draw: Draw, database: int) -> Any:
        return clamp(abs(database + draw(discrete_laplace(UNIT))), 1, 3)

    assert distribution(clamped, 2).probability(2) == law.probability(2)


def test_the_sampler_answers_as_the_law_says() -> None:
    assert_drawn_from_the_law(by_index, (0, 2, 1), 600, noise=laplace)
