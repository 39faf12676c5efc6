"""Noise laws: their tails against sums and integrals, and their quantiles against their tails."""

from collections.abc import Callable
from fractions import Fraction

import pytest
from flint import acb, arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import Exact, InputError, discrete_laplace, exp, laplace, log, staircase, truncated_laplace
from dpverify.mechanisms.noise import truncated_discrete_laplace
from dpverify.mechanisms.noise.law import NoiseLaw, probability
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.exact_numbers import exact, total
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING, Intervals, below, half_open, ray

SCALES = st.fractions(min_value="1/3", max_value=4, max_denominator=3)


def discrete_pmf(z: Fraction, k: int) -> Fraction:
    """The definition, in Fractions, for a rational z."""
    return (1 - z) / (1 + z) * z ** abs(k)


@given(st.integers(-12, 12), st.integers(-12, 12), st.sampled_from([2, 3, 4]))
def test_discrete_probabilities_are_sums_of_the_definition(a: int, b: int, base: int) -> None:
    law = discrete_laplace(1 / log(base))  # z = 1/base
    z = Fraction(1, base)
    low, high = min(a, b), max(a, b) + 1
    assert probability(law, half_open(low, high)) == sum(discrete_pmf(z, k) for k in range(low, high))
    # A tail is what the other side and the part between leave: nothing is truncated.
    left_of_0 = (1 - discrete_pmf(z, 0)) / 2
    inside = sum(discrete_pmf(z, k) for k in range(low)) if low > 0 else -sum(discrete_pmf(z, k) for k in range(low, 0))
    assert probability(law, below(low)) == left_of_0 + inside


@given(SCALES, st.integers(-9, 9))
def test_discrete_law_adds_up_for_every_scale(scale: Fraction, k: int) -> None:
    law = discrete_laplace(scale)
    assert probability(law, ray(k)) + probability(law, below(k)) == 1
    assert probability(law, half_open(k, k + 1)) == probability(law, ray(k)) - probability(law, ray(k + 1))
    assert probability(law, half_open(k, k + 1)) == probability(law, half_open(-k, -k + 1))
    assert probability(law, half_open(k, k + 1)) / probability(law, half_open(0, 1)) == exp(-abs(k) / scale)


@given(SCALES, st.fractions(-5, 5, max_denominator=3), st.fractions(0, 3, max_denominator=3))
def test_continuous_probability_is_the_integral_of_the_density(scale: Fraction, low: Fraction, width: Fraction) -> None:
    computed = enclosure(probability(laplace(scale), half_open(exact(low), exact(low + width))))
    with ctx.workprec(128):
        b = arb(scale.numerator) / scale.denominator

        def mass(start: Fraction, end: Fraction) -> arb:  # where |x| = ±x, so that the density is analytic
            s = 1 if start >= 0 else -1
            low, high = (arb(x.numerator) / x.denominator for x in (start, end))
            return acb.integral(lambda x, _: (-s * x / b).exp() / (2 * b), low, high).real

        high = low + width
        pieces = [(low, high)] if low >= 0 or high <= 0 else [(low, Fraction(0)), (Fraction(0), high)]
        integral = sum((mass(*piece) for piece in pieces), arb(0))
        assert computed.overlaps(integral)
        assert integral.rad() < 1e-25


@given(SCALES, st.fractions(-5, 5, max_denominator=4))
def test_continuous_tails(scale: Fraction, t: Fraction) -> None:
    law = laplace(scale)
    assert probability(law, ray(exact(t))) + probability(law, below(exact(t))) == 1
    assert probability(law, ray(exact(t))) == probability(law, below(exact(-t)))
    assert probability(law, ray(exact(abs(t)))) == exp(-abs(t) / scale) / 2


def test_the_papers_formula_for_a_dist() -> None:
    """Pr[Lap(b/ε) ≥ (b/ε)·ln(1/δ) − g] is ½·δ·e^(εg/b) up to g = (b/ε)·ln(1/δ), and 1 − e^(−εg/b)/(2δ) beyond."""
    epsilon, delta, b = exact("0.3"), Fraction(1, 50), 4
    law = laplace(b / epsilon)
    for g in range(120):
        tail = probability(law, ray(b / epsilon * log(1 / delta) - g))
        if g <= b / epsilon * log(1 / delta):
            assert tail == exp(epsilon * g / b) * delta / 2
        else:
            assert tail == 1 - exp(-epsilon * g / b) / (2 * delta)


@given(st.integers(0, 6), st.integers(-8, 8), st.integers(-8, 8))
def test_truncated_discrete_noise_is_conditioned(bound: int, a: int, b: int) -> None:
    law = truncated_discrete_laplace(1 / log(3), bound)
    z = Fraction(1, 3)
    kept = {k: discrete_pmf(z, k) for k in range(-bound, bound + 1)}
    low, high = min(a, b), max(a, b)
    expected = sum((p for k, p in kept.items() if low <= k < high), Fraction(0)) / sum(kept.values())
    assert probability(law, half_open(low, high)) == expected


def test_truncated_continuous_noise_is_conditioned() -> None:
    law, whole = truncated_laplace(2, 3), laplace(2)
    inside = probability(whole, half_open(exact(-3), exact(3)))
    assert probability(law, ray(exact(1))) == probability(whole, half_open(exact(1), exact(3))) / inside
    assert probability(law, ray(exact(4))) == 0
    assert probability(law, half_open(exact(-3), exact(3))) == 1


@pytest.mark.parametrize("values", [EVERYTHING, ((None, -2), (1, 4), (6, None)), ((0, 1),), ()])
def test_unions_of_intervals(values: Intervals) -> None:
    law = discrete_laplace(2)
    assert probability(law, values) == total(probability(law, (piece,)) for piece in values)


@pytest.mark.parametrize(
    "law",
    [
        laplace(2),
        laplace(Fraction(1, 3)),
        discrete_laplace(2),
        discrete_laplace(1 / log(2)),
        truncated_laplace(2, 3),
        truncated_discrete_laplace(3, 4),
    ],
    ids=str,
)
@given(level=st.integers(1, 2**40 - 1))
def test_quantiles_invert_the_law(law: NoiseLaw, level: int) -> None:
    with ctx.workprec(128):
        u = arb(level) / 2**40
        x = law.quantile(u, 128)
        if x is None:  # the ball around a level of ½ does not tell on which side of 0 the quantile lies
            assert level == 2**39
            return
        if law.discrete:
            k = int(x.ceil().unique_fmpz())  # type: ignore[arg-type]  # its stubs are behind
            assert enclosure(probability(law, below(k))) < u
            assert enclosure(probability(law, below(k + 1))) >= u or enclosure(probability(law, below(k + 1))).overlaps(
                u
            )
        else:
            low, high = (exact(Fraction(int(e.p), int(e.q))) for e in (x.lower().fmpq(), x.upper().fmpq()))
            assert not enclosure(probability(law, below(low))) > u
            assert not enclosure(probability(law, below(high))) < u


@pytest.mark.parametrize("law", [laplace(2), discrete_laplace(2), staircase(2)], ids=str)
def test_levels_at_which_noise_without_ends_has_no_quantile(law: NoiseLaw) -> None:
    with ctx.workprec(64):
        for level in (arb(0), arb(1)):
            assert law.quantile(level, 64) is None


@in_one(
    "make, message",
    [
        (lambda: laplace("-1/2"), "scale=-1/2 must be at least 0"),
        (lambda: discrete_laplace(-1), "scale=-1 must be at least 0"),
        (lambda: laplace(0.5), r"scale=0\.5 is a float"),  # type: ignore[arg-type]  # bad on purpose
        (lambda: truncated_laplace(1, 0), "bound=0"),
        (lambda: truncated_discrete_laplace(1, Fraction(1, 2)), "bound="),  # type: ignore[arg-type]  # bad on purpose
        (lambda: truncated_discrete_laplace(1, -1), "bound=-1"),
    ],
)
def test_bad_input(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_equal_scales_give_one_law() -> None:
    assert laplace("0.5") is laplace(Fraction(1, 2))
    assert isinstance(laplace(log(4) / log(2)).scale, Exact)
    assert laplace(log(4) / log(2)) == laplace(2)
