"""Uniform noise: against counting, volumes, and laws that are listed."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import exp as float_exp
from typing import Any

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one
from tests.mechanisms.drawn import assert_drawn_from_the_law

from dpverify.mechanisms import (
    Distribution,
    Draw,
    InputError,
    bernoulli,
    clamp,
    discrete_laplace,
    distribution,
    exact,
    exp,
    laplace,
    log,
    symbolic,
    uniform,
    uniform_noise,
)
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.noise import discrete_uniform
from dpverify.mechanisms.noise.law import probability
from dpverify.mechanisms.numbers.roots.intervals import half_open
from dpverify.mechanisms.outputs import AtLeast, AtMost
from dpverify.verifiers import Status, Tuples, check_privacy

UNIT = 1 / log(4)


@given(st.integers(-6, 3), st.integers(0, 6), st.integers(-9, 9), st.integers(0, 9))
def test_discrete_probabilities_count_whole_numbers(low: int, width: int, start: int, length: int) -> None:
    law = discrete_uniform(low, low + width)
    inside = sum(1 for k in range(low, low + width + 1) if start <= k < start + length)
    assert probability(law, half_open(start, start + length)) == Fraction(inside, width + 1)
    assert probability(law.mirror_image(), half_open(1 - start - length, 1 - start)) == Fraction(inside, width + 1)


@given(st.fractions(-3, 3, max_denominator=3), st.fractions(-3, 3, max_denominator=3))
def test_continuous_probabilities_are_lengths(a: Fraction, b: Fraction) -> None:
    low, high = min(a, b), max(a, b)
    law = uniform_noise(-1, "3/2")
    inside = max(Fraction(0), min(high, Fraction(3, 2)) - max(low, Fraction(-1)))
    assert probability(law, half_open(exact(low), exact(high))) == inside / Fraction(5, 2)


@given(st.integers(1, 2**40 - 1))
def test_quantiles_invert_the_laws(level: int) -> None:
    with ctx.workprec(128):
        u = arb(level) / 2**40
        x = uniform_noise(-1, 3).quantile(u, 128)
        assert x is not None
        assert ((x + 1) / 4).overlaps(u)
        x = discrete_uniform(-2, 4).quantile(u, 128)
        assert x is not None
        assert int(x.ceil().unique_fmpz()) == -(-7 * level // 2**40) - 3  # type: ignore[arg-type]  # its stubs are behind


# --- Several noises.
def dice(draw: Draw, target: int) -> Any:
    return draw(discrete_uniform(1, 6)) + draw(discrete_uniform(1, 6)) - draw(discrete_uniform(1, 6)) >= target


@given(st.integers(-6, 12))
def test_discrete_noises_are_counted(target: int) -> None:
    rolls = list(product(range(1, 7), repeat=3))
    above = sum(1 for a, b, c in rolls if a + b - c >= target)
    assert distribution(dice, target).probability(True) == Fraction(above, len(rolls))


@given(st.integers(-3, 3))
def test_noise_that_is_compared_and_clamped(target: int) -> None:
    def mechanism(draw: Draw, database: int) -> Any:
        noise = draw(discrete_uniform(0, 3))
        return (
            noise - draw(discrete_uniform(-1, 2)) > database,
            noise == draw(discrete_uniform(0, 5)),
            clamp(noise, 1, 9),
        )

    law = distribution(mechanism, target)
    cases = list(product(range(4), range(-1, 3), range(6)))
    outcomes = [(a - b > target, a == c, max(a, 1)) for a, b, c in cases]
    assert law.probabilities.keys() == set(outcomes)
    assert all(law.probability(o) == Fraction(outcomes.count(o), len(cases)) for o in set(outcomes))


def test_a_sum_of_three_is_that_of_irwin_and_hall() -> None:
    def mechanism(draw: Draw, threshold: Any) -> Any:
        return sum(draw(uniform_noise(0, 1)) for _ in range(3)) < threshold

    for t in (Fraction(1, 2), Fraction(3, 2), Fraction(5, 2)):
        cubes = [(-1) ** k * c * max(t - k, Fraction(0)) ** 3 for k, c in ((0, 1), (1, 3), (2, 3), (3, 1))]
        assert distribution(mechanism, t).probability(True) == sum(cubes) / 6


def test_uniform_noise_against_a_noisy_threshold() -> None:
    """Pr[U ≥ L] for U uniform on [0, 2] and L ~ Lap(1): the mean of 1 − e^-u/2."""

    def mechanism(draw: Draw, database: int) -> Any:
        return draw(uniform_noise(0, 2)) >= draw(laplace(1))

    assert distribution(mechanism, 0).probability(True) == 1 - (1 - exp(-2)) / 4


@given(st.integers(-3, 5))
def test_discrete_noise_of_two_kinds(gap: int) -> None:
    def noisy(draw: Draw, database: int) -> Any:
        return database + draw(discrete_laplace(UNIT)) >= draw(discrete_uniform(0, 4))

    def listed(draw: Draw, database: int) -> Any:
        return database + draw(discrete_laplace(UNIT)) >= draw(uniform(range(5)))

    assert distribution(noisy, gap) == distribution(listed, gap)


def geo_sample(draw: Draw, database: int, *, noise: Any) -> int:
    """A number by inversion of one whole number of 17 bits, in the manner of GeoSample."""
    u = draw(noise)
    for distance in range(1, 9):
        if u <= 2**17 - 2 ** (17 - distance):
            return min(database + distance, 4)
    return database


def test_a_long_range_is_compared_without_being_listed() -> None:
    law = distribution(geo_sample, 2, noise=discrete_uniform(1, 2**17), limits=Limits(paths=9))
    assert law.probability(3) == Fraction(1, 2)
    assert law.probability(4) == Fraction(1, 2) - Fraction(1, 2**8)
    assert distribution(geo_sample, 2, noise=discrete_uniform(1, 2**17)) == law


def released(draw: Draw, rows: Sequence[int]) -> Any:
    return sum(rows) - draw(discrete_uniform(0, 9))


def test_released_uniform_noise() -> None:
    law = distribution(released, (1, 1))
    assert [law.probability(k) for k in (3, 2, 0, -7, -8)] == [0, Fraction(1, 10), Fraction(1, 10), Fraction(1, 10), 0]
    assert law.probability(AtMost(-6)) == Fraction(1, 5)
    assert law.probability(AtLeast(1)) == Fraction(1, 5)


def released_real(draw: Draw, rows: Sequence[int]) -> Any:
    return sum(rows) - draw(uniform_noise(0, 10))


def released_or_clamped(draw: Draw, rows: Sequence[int]) -> Any:
    """Noise of two kinds in one place: only one of them has tails."""
    noise = discrete_uniform(-2, 2) if draw(bernoulli("1/2")) else discrete_laplace(1)
    return sum(rows) + draw(noise)


def test_uniform_noise_is_private_by_its_delta_alone() -> None:
    domain = Tuples((0, 1), size=2)
    for epsilon in (exact(0), exact(5), symbolic):
        for mechanism in (released, released_real)[: 1 if epsilon is symbolic else 2]:  # so far with δ = 0 alone
            verdict = check_privacy(mechanism, domain, epsilon=epsilon, delta="1/10", recheck=False)
            assert verdict.status is Status.PROVED
            verdict = check_privacy(mechanism, domain, epsilon=epsilon, delta="99/1000", recheck=False)
            assert verdict.status is Status.REFUTED


def test_noise_with_and_without_tails_in_one_place() -> None:
    def pmf(k: int) -> float:
        z = float_exp(-1)
        return (0.2 if abs(k) <= 2 else 0.0) / 2 + (1 - z) / (1 + z) * z ** abs(k) / 2

    needed = sum(max(0.0, pmf(k) - float_exp(1) * pmf(k - 1)) for k in range(-40, 40))
    verdict = check_privacy(released_or_clamped, Tuples((0, 1), size=2), epsilon=1, recheck=False)
    assert verdict.delta is not None
    assert abs(float(verdict.delta.lower) - needed) < 1e-9


# --- Chance, shares, and what is refused.
def compared(draw: Draw, rows: Any, low: Any = -2, high: Any = 4) -> Any:
    noisy = [row + draw(uniform_noise(low, high)) for row in rows]
    return max(range(len(noisy)), key=lambda i: noisy[i]), clamp(draw(discrete_uniform(low, high)), -1, 1)


def test_the_sampler_draws_from_the_law() -> None:
    assert_drawn_from_the_law(compared, (1, 2), 1500)


def test_a_share_of_the_noise_has_a_share_of_its_range() -> None:
    def with_share(share: Fraction) -> Distribution[Any]:
        return Enumeration(Limits(), share=share).law(compared, ((1, 2),), {})

    assert with_share(Fraction(1, 2)) == distribution(compared, (1, 2), low=-1, high=2)
    assert dict(with_share(Fraction(0)).probabilities) == {(1, 0): 1}
    assert discrete_uniform(-3, 5).scaled(Fraction(1, 2)) == discrete_uniform(-1, 2)


@in_one(
    "make, message",
    [
        (lambda: uniform_noise(1, 1), r"uniform noise has an empty range \(1, 1\)"),
        (lambda: uniform_noise(2, 1), r"uniform noise has an empty range \(2, 1\)"),
        (lambda: uniform_noise(0, 0.5), r"high=0\.5 is a float"),  # type: ignore[arg-type]  # bad on purpose
        (lambda: discrete_uniform(2, 1), r"discrete uniform noise has an empty range \[2, 1\]"),
        (lambda: discrete_uniform(0, Fraction(1, 2)), "high=.* is not a whole number"),  # type: ignore[arg-type]
        (lambda: discrete_uniform(False, 1), "low=False is not a whole number"),
    ],
)
def test_bad_input(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_one_number_is_no_noise() -> None:
    law = distribution(lambda draw, _: draw(discrete_uniform(3, 3)) == 3, 0)
    assert dict(law.probabilities) == {True: 1}
