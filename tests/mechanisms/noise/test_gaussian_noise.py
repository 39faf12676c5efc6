"""Gaussian noise, continuous and discrete: its numbers against others, how it is sampled, and what it refuses."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise
from math import erfc
from math import exp as float_exp
from random import Random
from statistics import NormalDist
from typing import Any

import pytest
from flint import arb, ctx
from tests.examples import in_one

from dpverify.mechanisms import InputError, MechanismError, discrete_gaussian, exact, gaussian, log, run, sqrt, symbolic
from dpverify.mechanisms.drawing import debugging
from dpverify.mechanisms.noise.discrete_gaussian import LARGEST_SCALE, UpperSum
from dpverify.mechanisms.noise.law import probability
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING, half_open


@pytest.mark.parametrize("scale", ["1/3", 1, "5/2", 40])
def test_discrete_probabilities_are_those_of_the_definition(scale: Any) -> None:
    law, s = discrete_gaussian(scale), float(Fraction(scale))
    theta = sum(float_exp(-(k**2) / (2 * s * s)) for k in range(-700, 701))
    for k in (0, 1, -2, 5):
        assert float(enclosure(law.point(k))) == pytest.approx(float_exp(-(k**2) / (2 * s * s)) / theta, rel=1e-12)
        beyond = sum(float_exp(-(j**2) / (2 * s * s)) for j in range(k, 701)) / theta
        assert float(enclosure(law.tail(k))) == pytest.approx(beyond, rel=1e-11, abs=1e-300)
    assert probability(law, EVERYTHING) == 1
    assert law.tail(3) + law.mass(None, 3) == 1
    assert law.mass(None, -2) == law.tail(3)  # the mirror image
    assert law.mirror_image() == law


@in_one("scale", ["1/3", "5/2", 40])
@in_one("first", [0, 1, 7])
def test_sums_without_end_are_enclosed_the_tighter_the_more_bits(scale: Any, first: int) -> None:
    found = [UpperSum(exact(scale), first).compute(bits) for bits in (64, 128, 512)]
    for less, more in pairwise(found):
        assert less.overlaps(more)
        assert more.rad() < less.rad()
        assert less.rel_accuracy_bits() > 50
    if first == 0:  # θ by Poisson's summation: σ·√(2π)·Σ exp(-2π²σ²k²)
        with ctx.workprec(600):
            s = enclosure(exact(scale), 600)
            terms = (2 * (-2 * (arb.pi() * s * k) ** 2).exp() for k in range(1, 60))
            other = s * (2 * arb.pi()).sqrt() * (1 + sum(terms, arb(0)))
            assert abs(other - found[2]) < arb(10) ** -140


@pytest.mark.parametrize("scale", ["1/3", 1, 40])
def test_continuous_probabilities_are_those_of_the_error_function(scale: Any) -> None:
    law, s = gaussian(scale), float(Fraction(scale))
    for t in ("-3", "-1/2", "0", "1", "50"):
        expected = erfc(float(Fraction(t)) / s / 2**0.5) / 2
        assert float(enclosure(law.tail(exact(t)))) == pytest.approx(expected, rel=1e-11, abs=1e-300)
    assert law.tail(exact(0)) == Fraction(1, 2)
    assert law.tail(exact(2)) + law.tail(exact(-2)) == 1
    assert law.tail(exact(1)) == gaussian(2 * exact(scale)).tail(exact(2))  # in standard deviations they are one


def test_far_out_its_probabilities_keep_their_digits() -> None:
    """Pr[N ≥ 40σ] = 3.7e-350 has no float64; the ball is relative to the number."""
    ball = enclosure(gaussian(1).tail(exact(40)))
    assert ball > 0
    assert ball.rel_accuracy_bits() > 100
    assert discrete_gaussian(1).tail(40) < gaussian(1).tail(exact(39))


@pytest.mark.parametrize("bits", [64, 200])
def test_quantiles_are_the_inverse_of_the_distribution(bits: int) -> None:
    law = gaussian("3/2")
    for level in ("1/100", "1/2", "9/10", "0.999999"):
        with ctx.workprec(bits):
            at = law.quantile(enclosure(exact(level), bits), bits)
            assert at is not None
            below = 1 - (at / (enclosure(law.scale, bits) * arb(2).sqrt())).erfc() / 2
            assert below.overlaps(enclosure(exact(level), bits))
    assert law.quantile(arb(0.5, 0.6), bits) is None


def fits(counts: Counter[Any], chances: dict[Any, float]) -> bool:
    """Whether a chi-squared test at a thousandth does not reject the chances."""
    draws = sum(counts.values())
    statistic = sum((counts[cell] - draws * chance) ** 2 / (draws * chance) for cell, chance in chances.items())
    return bool(arb(statistic / 2).gamma_upper(arb(len(chances) - 1) / 2, regularized=1) > 0.001)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("scale", ["1/2", 1, "7/3", sqrt(log(5))])
def test_draws_of_discrete_noise_have_its_law(scale: Any) -> None:
    law, random = discrete_gaussian(scale), Random(5)
    draws = [law.drawn(random.getrandbits) for _ in range(4_000)]
    most = 3
    while float(enclosure(law.tail(most))) > 0.01:
        most += 1
    chances = {k: float(enclosure(law.point(k))) for k in range(1 - most, most)}
    chances = {k: chance for k, chance in chances.items() if chance > 0.002}
    edge = max(chances)
    chances["out"] = 1 - sum(chances.values())  # type: ignore[index]  # one cell for all others
    counts: Counter[Any] = Counter(k if abs(k) <= edge else "out" for k in draws)
    assert fits(counts, chances)


def test_draws_of_continuous_noise_have_its_law() -> None:
    def noisy(draw: Any, row: int) -> Any:
        return row + draw(gaussian("3/2"))

    draws = [run(noisy, 2, seed=seed) for seed in range(2_000)]
    edges = [NormalDist(2, 1.5).inv_cdf(k / 10) for k in range(1, 10)]
    counts: Counter[Any] = Counter(sum(draw > edge for edge in edges) for draw in draws)
    assert fits(counts, dict.fromkeys(range(10), 0.1))
    assert all(isinstance(draw, float) for draw in draws)


def test_what_is_compared_has_the_probability_of_the_law() -> None:
    def above(draw: Any, row: int) -> bool:
        return bool(row + draw(gaussian(1)) >= draw(discrete_or_not))

    discrete_or_not = gaussian(2)
    found = sum(run(above, 1, seed=seed) for seed in range(2_000)) / 2_000
    assert abs(found - NormalDist().cdf(1 / 5**0.5)) < 0.04


def test_the_sum_is_rounded_and_not_the_noise() -> None:
    """One number, as a float and as a multiple of a grid: the nearest of either, on data that are no float."""

    def noisy(draw: Any, row: Any) -> Any:
        return row + draw(gaussian("1/10"))

    third = Fraction(1, 3)
    for seed in range(20):
        found, on_grid = run(noisy, third, seed=seed), run(noisy, third, seed=seed, grid="1/1000")
        assert abs(Fraction(found) - on_grid) <= Fraction(1, 2000) + Fraction(1, 10**15)
        assert (1000 * on_grid).denominator == 1


def test_a_number_beyond_every_float_is_refused_in_words() -> None:
    def far(draw: Any, row: int) -> Any:
        return draw(gaussian(exact(10) ** 400))

    with pytest.raises(MechanismError, match="far"), debugging():
        run(far, 0, seed=1)
    with pytest.raises(MechanismError, match="beyond every float: give `run` a grid"), debugging():
        run(far, 0, seed=1)
    assert abs(run(far, 0, seed=1, grid=10**398)) < 10**402


def test_discrete_noise_of_any_scale_is_sampled_and_of_a_large_one_not_decided() -> None:
    law = discrete_gaussian(10**30)
    assert abs(law.drawn(Random(1).getrandbits)) > 10**20
    with pytest.raises(InputError, match=f"is beyond {LARGEST_SCALE:,}"):
        law.tail(1)


def test_an_unknown_epsilon_is_refused() -> None:
    for noise in (gaussian, discrete_gaussian):
        with pytest.raises(InputError, match="decided for one ε"):
            noise(1 / symbolic)
    with pytest.raises(InputError, match="give ε a value"):
        gaussian(1).tail(symbolic)


def test_mass_between_two_numbers() -> None:
    law = gaussian(2)
    assert probability(law, half_open(exact(-1), exact(1))) == 1 - 2 * law.tail(exact(1))
    assert discrete_gaussian(2).mass(-1, 2) == discrete_gaussian(2).point(0) + 2 * discrete_gaussian(2).point(1)
