"""One-sided noise: exponential and geometric, against sums, quadrature, and permute-and-flip."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise, permutations, product
from typing import Any

import pytest
from flint import acb, arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few, in_one
from tests.mechanisms.drawn import assert_drawn_from_the_law

from dpverify.mechanisms import (
    Draw,
    Exact,
    InputError,
    clamp,
    discrete_laplace,
    distribution,
    exact,
    exp,
    exponential_noise,
    geometric,
    laplace,
    log,
    symbolic,
)
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.noise.law import probability
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.roots.intervals import below, half_open, ray
from dpverify.mechanisms.outputs import AtLeast, AtMost
from dpverify.mechanisms.selection import max_of_laplaces, max_of_laplaces_drawn
from dpverify.verifiers import ScoreSpace, Status, Tuples, check_privacy, scores_linf

UNIT = 1 / log(4)
"""The scale at which geometric noise has z = 1/4, and exponential noise the tail 4^-x."""

REACH = 10


def geometric_pmf(k: int) -> Fraction:
    return Fraction(3, 4) * Fraction(1, 4) ** k if k >= 0 else Fraction(0)


def laplace_pmf(k: int) -> Fraction:
    return Fraction(3, 5) * Fraction(1, 4) ** abs(k)


# --- One noise.
@given(st.integers(-5, 5), st.integers(-5, 5))
def test_geometric_probabilities_are_sums_of_the_definition(a: int, b: int) -> None:
    low, high = min(a, b), max(a, b) + 1
    for law, pmf in ((geometric(UNIT), geometric_pmf), (geometric(UNIT).mirror_image(), lambda k: geometric_pmf(-k))):
        inside = probability(law, half_open(low, high))
        assert inside == sum(map(pmf, range(low, high)))
        assert probability(law, below(low)) + inside + probability(law, ray(high)) == 1
        assert probability(law, below(20)) == sum(map(pmf, range(-20, 20))) + probability(law, below(-20))


@given(st.fractions(-2, 5, max_denominator=3), st.fractions(0, 3, max_denominator=3))
def test_exponential_probability_is_the_integral_of_the_density(low: Fraction, width: Fraction) -> None:
    computed = enclosure(probability(exponential_noise(Fraction(3, 2)), half_open(exact(low), exact(low + width))))
    start, end = max(low, Fraction(0)), max(low + width, Fraction(0))
    with ctx.workprec(128):
        first, last = (arb(x.numerator) / x.denominator for x in (start, end))
        integral = acb.integral(lambda x, _: (-x * 2 / 3).exp() * 2 / 3, first, last).real
        assert computed.overlaps(integral)
        assert integral.rad() < 1e-25


@given(st.integers(1, 2**40 - 1))
def test_quantiles_invert_the_laws(level: int) -> None:
    with ctx.workprec(128):
        u = arb(level) / 2**40
        x = exponential_noise(2).quantile(u, 128)
        assert x is not None
        assert (1 - (-x / 2).exp()).overlaps(u)
        for law in (geometric(UNIT), geometric(UNIT).mirror_image()):
            x = law.quantile(u, 128)
            k = None if x is None else x.ceil().unique_fmpz()
            if k is not None:
                at = enclosure(probability(law, below(int(k) + 1)))
                assert at >= u or at.overlaps(u)
                assert enclosure(probability(law, below(int(k)))) < u


def released(draw: Draw, rows: Sequence[int]) -> Any:
    return sum(rows) + draw(geometric(UNIT))


def test_released_geometric_noise() -> None:
    law = distribution(released, (2, 3))
    for k in range(12):
        assert law.probability(k) == geometric_pmf(k - 5)
    assert law.probability(AtLeast(8)) == Fraction(1, 64)
    assert law.probability(AtMost(4)) == 0


@given(st.integers(-3, 3), st.sampled_from([Fraction(1, 2), Fraction(-1, 3), Fraction(2), Fraction(-1)]))
def test_released_geometric_noise_times_a_factor(value: int, factor: Fraction) -> None:
    def mechanism(draw: Draw, database: int) -> Any:
        noisy = draw(geometric(UNIT)) - database
        return "low" if noisy < -2 else factor * noisy

    law = distribution(mechanism, value)
    assert law.probability("low") == sum(map(geometric_pmf, range(value - 2)))
    for k in range(-2, 6):
        assert law.probability(factor * k) == geometric_pmf(k + value)


def test_noise_that_a_sub_mechanism_returns_mirrored_stays_mirrored() -> None:
    def below_it(draw: Draw, database: int) -> Any:
        return database - draw(geometric(UNIT))

    law = distribution(lambda draw, database: clamp(draw(below_it, database) + draw(below_it, 0) * 0, 0, 9), 2)
    assert {k: law.probability(k) for k in law} == {0: Fraction(1, 16), 1: Fraction(3, 16), 2: Fraction(3, 4)}


# --- Several noises.
def ranking(draw: Draw, scores: Sequence[int], noise: Any = geometric, scale: Any = UNIT) -> tuple[int, ...]:
    noisy = [score + draw(noise(scale)) for score in scores]
    return tuple(sorted(range(len(noisy)), key=lambda i: noisy[i]))


def gap(draw: Draw, scores: Sequence[int]) -> Any:
    """Whether one of two is above the other by something, and above a threshold."""
    left, right = (score + draw(geometric(UNIT)) for score in scores)
    return (left >= right + 1, right - left > 2, left > 2)


def against_laplace(draw: Draw, scores: Sequence[int]) -> Any:
    threshold = scores[0] + draw(discrete_laplace(UNIT))
    return tuple(score - draw(geometric(UNIT)) >= threshold for score in scores[1:])


def brute_force(decide: Callable[[Sequence[int]], Any], pmfs: Sequence[Callable[[int], Fraction]]) -> dict[Any, float]:
    found: dict[Any, float] = {}
    for noise in product(range(-REACH, REACH + 1), repeat=len(pmfs)):
        weight = 1.0
        for pmf, k in zip(pmfs, noise, strict=True):
            weight *= float(pmf(k))
        if weight:
            outcome = decide(noise)
            found[outcome] = found.get(outcome, 0.0) + weight
    return found


@pytest.mark.parametrize(
    ("mechanism", "scores", "pmfs", "decide"),
    [
        (ranking, (0, 2, 1), [geometric_pmf] * 3, lambda n: tuple(sorted(range(3), key=lambda i: (0, 2, 1)[i] + n[i]))),
        (gap, (1, 0), [geometric_pmf] * 2, lambda n: (1 + n[0] >= n[1] + 1, n[1] - 1 - n[0] > 2, 1 + n[0] > 2)),
        (
            against_laplace,
            (1, 2, 0),
            [laplace_pmf, geometric_pmf, geometric_pmf],
            lambda n: tuple(s - k >= 1 + n[0] for s, k in zip((2, 0), n[1:], strict=True)),
        ),
    ],
)
def test_geometric_noises_compared(
    mechanism: Any, scores: Sequence[int], pmfs: Sequence[Any], decide: Callable[[Any], Any]
) -> None:
    law = distribution(mechanism, scores)
    sums = brute_force(decide, pmfs)
    assert law.probabilities.keys() == sums.keys()
    assert all(abs(float(enclosure(law.probability(outcome))) - p) < 1e-5 for outcome, p in sums.items())


def permute_and_flip(scores: Sequence[int], epsilon: Fraction) -> dict[int, Exact]:
    """By the definition: in a random order each is taken with probability e^(ε/2·(q − q*)), until one is."""
    best = max(scores)
    found = dict.fromkeys(range(len(scores)), exact(0))
    orders = list(permutations(range(len(scores))))
    for order in orders:
        left = exact(Fraction(1, len(orders)))
        for i in order:
            taken = exp(epsilon / 2 * (scores[i] - best))
            found[i] += left * taken
            left = left * (1 - taken)
    return found


@pytest.mark.parametrize("scores", [(0, 1), (3, 0, 1), (2, 2, 0, 5)])
def test_noisy_max_with_exponential_noise_is_permute_and_flip(scores: tuple[int, ...]) -> None:
    expected = permute_and_flip(scores, Fraction(1, 3))
    for mechanism in (max_of_laplaces, max_of_laplaces_drawn):
        law = distribution(mechanism, scores, epsilon=Fraction(1, 3), noise=exponential_noise)
        assert all(law.probability(i) == p for i, p in expected.items())


@few(10)
@given(st.fractions(-2, 2, max_denominator=2), st.fractions(-2, 2, max_denominator=2))
def test_exponential_noise_against_a_noisy_threshold(a: Fraction, b: Fraction) -> None:
    """Pr[E ≥ L + a and 2·E′ < L + b], integrated over L."""

    def mechanism(draw: Draw, database: int) -> Any:
        threshold = draw(laplace(1))
        return draw(exponential_noise(2)) >= threshold + a and 2 * draw(exponential_noise(1)) < threshold + b

    with ctx.workprec(100):
        cuts = sorted({Fraction(-60), -a, -b, Fraction(0), Fraction(60)})
        integral = arb(0)
        for low, high in pairwise(cuts):
            first, last = (arb(t.numerator) / t.denominator for t in (low, high))
            side, on = 1 if low >= 0 else -1, [(low + high) / 2 + t > 0 for t in (a, b)]

            def piece(x: acb, _: bool, on: list[bool] = on, side: int = side) -> acb:  # analytic between the cuts
                shifted = [x + acb(arb(t.numerator) / t.denominator) for t in (a, b)]
                above = (-shifted[0] / 2).exp() if on[0] else acb(1)
                under = 1 - (-shifted[1] / 2).exp() if on[1] else acb(0)
                return (-side * x).exp() / 2 * above * under

            integral += acb.integral(piece, first, last).real
        computed = enclosure(distribution(mechanism, 0).probability(True))
        assert abs(computed - integral) < 1e-20


def test_several_facts_about_one_sum_of_exponential_noise() -> None:
    """E + E′ is above two others: they count as one noise, of which the law of its two parts is Gamma."""

    def mechanism(draw: Draw, database: int) -> Any:
        together = draw(exponential_noise(1)) + draw(exponential_noise(1))
        return together < draw(exponential_noise(1)) and together < draw(exponential_noise(1))

    # ∫ x·e^-x·e^-2x dx
    assert distribution(mechanism, 0).probability(True) == Fraction(1, 9)


# --- Chance, shares, and what is refused.
def compared(draw: Draw, rows: Any, scale: Any = 2) -> Any:
    noisy = [row + draw(exponential_noise(scale)) for row in rows]
    return max(range(len(noisy)), key=lambda i: noisy[i]), clamp(rows[0] - draw(geometric(scale)), -2, 2)


def test_the_sampler_draws_from_the_law() -> None:
    assert_drawn_from_the_law(compared, (1, 2), 1500)


def test_a_share_of_the_noise_is_noise_of_that_scale() -> None:
    shared = Enumeration(Limits(), share=Fraction(1, 2)).law(compared, ((1, 2),), {"scale": 2})
    assert shared == distribution(compared, (1, 2), scale=1)
    without = Enumeration(Limits(), share=Fraction(0)).law(compared, ((1, 2),), {"scale": 2})
    assert dict(without.probabilities) == {(1, 1): 1}


def noisy_max(draw: Draw, scores: Sequence[int], *, epsilon: Exact) -> Any:
    return max_of_laplaces_drawn(draw, scores, epsilon=epsilon, noise=exponential_noise)


def noisy_max_that_tells_more(draw: Draw, scores: Sequence[int], *, epsilon: Exact) -> Any:
    """Wrong: whether the best noisy score is above 1 is released with it."""
    noisy = [score + draw(exponential_noise(2 / epsilon)) for score in scores]
    best = max(range(len(noisy)), key=lambda i: noisy[i])
    return best, noisy[best] < 1


def noisy_max_with_its_value(draw: Draw, scores: Sequence[int], *, epsilon: Exact) -> Any:
    """Wrong: with geometric noise the best noisy score itself is released."""
    noisy = [score + draw(geometric(2 / epsilon)) for score in scores]
    best = max(range(len(noisy)), key=lambda i: noisy[i])
    return best, noisy[best]


def test_noisy_max_with_exponential_noise_is_private_and_what_tells_more_is_not() -> None:
    domain = ScoreSpace(range(3), solutions=2)
    verdict = check_privacy(noisy_max, domain, scores_linf, epsilon=1)
    assert verdict.status is Status.PROVED
    for wrong in (noisy_max_that_tells_more, noisy_max_with_its_value):
        verdict = check_privacy(wrong, domain, scores_linf, epsilon=1, recheck=False)
        assert verdict.status is Status.REFUTED
        assert verdict.epsilon is None  # no ε would do
        assert verdict.witness is not None


def released_at(draw: Draw, rows: Sequence[int], *, epsilon: Exact) -> Any:
    return sum(rows) - draw(geometric(1 / epsilon))


def above(draw: Draw, rows: Sequence[int], *, epsilon: Exact) -> Any:
    return sum(rows) + draw(exponential_noise(1 / epsilon)) > 2


@pytest.mark.parametrize("mechanism", [released_at, above])
def test_one_sided_noise_is_private_for_no_epsilon(mechanism: Any) -> None:
    domain = Tuples((0, 1), size=3)
    for epsilon in (exact(100), symbolic):
        verdict = check_privacy(mechanism, domain, epsilon=epsilon, recheck=False)
        assert verdict.status is Status.REFUTED
        assert verdict.witness is not None


@in_one("noise", [exponential_noise, geometric])
@in_one("scale, message", [(-1, "scale=-1 must be at least 0"), (0.5, "0.5 is a float"), ("one", "scale='one'")])
def test_bad_scales(noise: Any, scale: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        noise(scale)


def test_released_exponential_noise() -> None:
    """As a real number: with the number that it is added to as its least value, or its greatest."""

    def added(draw: Draw, rows: Sequence[int], *, epsilon: Exact = UNIT) -> Any:
        return sum(rows) + draw(exponential_noise(1 / epsilon))

    def subtracted(draw: Draw, rows: Sequence[int], *, epsilon: Exact = UNIT) -> Any:
        return sum(rows) - draw(exponential_noise(1 / epsilon))

    law = distribution(added, (1, 2), epsilon=log(4))
    assert [law.probability(AtLeast(k)) for k in (2, 3, 4)] == [1, 1, Fraction(1, 4)]
    law = distribution(subtracted, (1, 2), epsilon=log(4))
    assert [law.probability(AtMost(k)) for k in (2, 3, 4)] == [Fraction(1, 4), 1, 1]
    for mechanism in (added, subtracted):
        at = partial(mechanism, epsilon=log(4))
        verdict = check_privacy(at, Tuples((0, 1), size=2), epsilon=log(4), recheck=False)
        assert verdict.status is Status.REFUTED
        assert verdict.delta is not None
        assert verdict.delta.exact == Fraction(3, 4)  # what lies below the neighbour's least value


def test_equal_scales_give_one_law() -> None:
    assert exponential_noise("0.5") is exponential_noise(Fraction(1, 2))
    assert geometric(2).support == ((0, None),)
    assert "exponential noise of scale 2" in str(exponential_noise(2))
    assert str(geometric(2).mirror_image()) == "mirrored geometric noise of scale 2"
