"""Gumbel noise: argmax, rankings and margins against the exponential mechanism, the logistic law, and quadrature."""

from collections.abc import Sequence
from fractions import Fraction
from math import floor
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
    Limits,
    clamp,
    distribution,
    exact,
    exp,
    exponential,
    gumbel,
    laplace,
    run,
    symbolic,
)
from dpverify.mechanisms.drawing import debugging
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.noise.law import probability
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING, below, ray
from dpverify.mechanisms.selection import max_of_laplaces_drawn, noisy_max
from dpverify.verifiers import ScoreSpace, Status, check_privacy, scores_linf

SCORES = st.lists(st.integers(-3, 3), min_size=1, max_size=4)


def by_index(draw: Draw, scores: Sequence[Any], *, epsilon: Any = 1) -> int:
    noisy = [score + draw(gumbel(2 / exact(epsilon))) for score in scores]
    return noisy.index(max(noisy))


def ranking(draw: Draw, scores: Sequence[Any], *, epsilon: Any = 1) -> tuple[int, ...]:
    noisy = [draw(gumbel(2 / exact(epsilon))) + score for score in scores]
    return tuple(sorted(range(len(noisy)), key=lambda i: noisy[i], reverse=True))


def peeling(draw: Draw, scores: Sequence[Any], *, epsilon: Any = 1) -> tuple[int, ...]:
    left, found = dict(enumerate(scores)), []
    while left:
        best = draw(exponential(left, epsilon))
        found.append(best)
        del left[best]
    return tuple(found)


@few(7, deep=150)
@given(SCORES, st.fractions("1/3", 3, max_denominator=3))
def test_the_argmax_is_the_exponential_mechanism(scores: list[int], epsilon: Fraction) -> None:
    law = exponential(tuple(scores), epsilon)
    assert distribution(by_index, tuple(scores), epsilon=epsilon) == law
    drawn = distribution(max_of_laplaces_drawn, tuple(scores), epsilon=epsilon, noise=gumbel)
    assert drawn == law


@pytest.mark.parametrize("scores", [(0, 2, 1), (1, 1, 3, 0)])
def test_the_ranking_is_the_exponential_mechanism_peeled(scores: tuple[int, ...]) -> None:
    assert distribution(ranking, scores) == distribution(peeling, scores)


@given(st.fractions(-2, 2, max_denominator=3), st.sampled_from([1, -1, 2, Fraction(-1, 2)]))
def test_a_margin_has_the_logistic_law(threshold: Fraction, factor: Any) -> None:
    def mechanism(draw: Draw, database: int) -> Any:
        left, right = draw(gumbel(3)), draw(gumbel(3))
        return factor * (left - right) >= threshold

    assert distribution(mechanism, 0).probability(True) == 1 / (1 + exp(threshold / abs(factor) / 3))


def test_scales_that_factors_make_equal() -> None:
    def mechanism(draw: Draw, database: int) -> Any:
        return 2 * draw(gumbel(1)) + 1 >= draw(gumbel(2))

    assert distribution(mechanism, 0).probability(True) == 1 / (1 + exp(-Fraction(1, 2)))


def margins(draw: Draw, ends: tuple[Any, Any, Any]) -> Any:
    a, b, c = ends
    first, second, third = draw(gumbel(2)), draw(gumbel(2)), draw(gumbel(2))
    return first - second >= a and first - second < b and third < first - c


@few(10)
@given(*[st.fractions(-2, 2, max_denominator=2)] * 3)
def test_several_margins(a: Fraction, b: Fraction, c: Fraction) -> None:
    """Pr[G - G′ ∈ [a, b), G - G″ > c] by integrating over G, whose density is exp(-x/2 - e^(-x/2))/2."""
    low, high = min(a, b), max(a, b)

    def below(x: acb) -> acb:
        return (-(-x / 2).exp()).exp()

    def at(t: Fraction) -> arb:
        return arb(t.numerator) / t.denominator

    with ctx.workprec(80):
        integral = acb.integral(
            lambda x, _: below(x) * (-x / 2).exp() / 2 * (below(x - at(low)) - below(x - at(high))) * below(x - at(c)),
            arb(-20),
            arb(150),
        ).real
        computed = enclosure(distribution(margins, (low, high, c)).probability(True))
        assert abs(computed - integral) < 1e-15


def test_answers_that_follow_are_not_asked() -> None:
    def mechanism(draw: Draw, database: int) -> Any:
        a, b, c = (draw(gumbel(1)) for _ in range(3))
        return (a > b and b > c and a < c, a - b > 1 and a - b > 0, a - b > 1 and not a > b)

    assert set(distribution(mechanism, 0)) == {(False, False, False), (False, True, False)}


def test_quantiles_invert_the_law() -> None:
    with ctx.workprec(128):
        for level in (arb(1) / 1000, arb(1) / 3, arb(999) / 1000):
            x = gumbel(3).quantile(level, 128)
            assert x is not None
            assert (-(-x / 3).exp()).exp().overlaps(level)
        assert gumbel(3).quantile(arb(0), 128) is None


def test_that_it_is_any_number_is_certain_and_more_is_not_known() -> None:
    assert probability(gumbel(3), EVERYTHING) == 1
    for values in (ray(exact(0)), below(exact(0))):
        with pytest.raises(InputError, match="compared with a number"):
            probability(gumbel(3), values)


def test_the_sampler_draws_from_the_law() -> None:
    assert_drawn_from_the_law(ranking, (1, 0, 2), 1000)


def test_a_share_of_the_noise_is_noise_of_that_scale() -> None:
    shared = Enumeration(Limits(), share=Fraction(1, 2)).law(by_index, ((0, 2, 1),), {})
    assert shared == exponential((0, 2, 1), 2)


# --- What it is worth.
def by_half_the_noise(draw: Draw, scores: Sequence[int], *, epsilon: Exact) -> int:
    """Wrong: as if the scores moved in one direction alone."""
    return by_index(draw, scores, epsilon=2 * epsilon)


def with_its_margin(draw: Draw, scores: Sequence[int], *, epsilon: Exact) -> Any:
    """The best, and whether it is so by far: a gap comes for free."""
    noisy = [score + draw(gumbel(2 / epsilon)) for score in scores]
    best, second, *_ = sorted(range(len(noisy)), key=lambda i: noisy[i], reverse=True)
    return best, noisy[best] - noisy[second] > 2


def with_the_ranking(draw: Draw, scores: Sequence[int], *, epsilon: Exact) -> Any:
    """Wrong: the whole ranking, with noise that pays for the best alone."""
    return ranking(draw, scores, epsilon=epsilon)


def test_the_argmax_is_private_and_what_tells_more_is_not() -> None:
    domain = ScoreSpace(range(3), solutions=3)
    assert check_privacy(by_index, domain, scores_linf, epsilon=1).status is Status.PROVED
    small = ScoreSpace(range(2), solutions=3)
    assert (
        check_privacy(by_index, small, scores_linf, epsilon=symbolic, parameters={"epsilon": symbolic}).status
        is Status.PROVED
    )
    assert check_privacy(with_its_margin, domain, scores_linf, epsilon=1, recheck=False).status is Status.PROVED
    for wrong in (by_half_the_noise, with_the_ranking):
        verdict = check_privacy(wrong, domain, scores_linf, epsilon=1, recheck=False)
        assert verdict.status is Status.REFUTED, wrong
        assert verdict.witness is not None


# --- What is refused.
@in_one(
    "mechanism, message",
    [
        (lambda draw, _: draw(gumbel(1)) >= 0, "Gumbel noises of one scale have exact probabilities"),
        (lambda draw, _: abs(draw(gumbel(1))) > draw(gumbel(1)), "compared with a number"),
        (lambda draw, _: max(draw(gumbel(1)), 0), "compared with a number"),
        (lambda draw, _: draw(gumbel(1)) >= draw(gumbel(2)), "with Gumbel noise of another scale, or added to it, 0 "),
        (lambda draw, _: draw(gumbel(1)) + draw(gumbel(1)) > 0, "or added to it"),
        (lambda draw, _: 2 * draw(gumbel(1)) >= draw(gumbel(1)), "of another scale"),
        (lambda draw, _: draw(gumbel(1)) >= draw(laplace(1)), "compared with noise of another kind"),
        (lambda draw, _: draw(gumbel(1)) - draw(gumbel(1)) > draw(gumbel(1)), "a sum of more than two noises"),
        (lambda draw, _: floor(draw(gumbel(1))), "was rounded"),
        (lambda draw, _: draw(gumbel(1)), "Gumbel noises of one scale have exact probabilities"),
        (lambda draw, _: draw(gumbel(1)) - draw(laplace(1)), "Gumbel noises of one scale have exact probabilities"),
        (lambda draw, _: clamp(draw(gumbel(1)), 0, 1), "compared with a number"),
        (lambda draw, _: noisy_max((1, 2), gumbel(1)), "Gumbel noises of one scale have exact probabilities"),
    ],
)
def test_what_is_refused(mechanism: Any, message: str) -> None:
    for answer in (distribution, run):
        with debugging(), pytest.raises(InputError, match=message):
            answer(mechanism, 0)


@pytest.mark.parametrize("scale", [-1, 0.5])
def test_bad_scales(scale: Any) -> None:
    with pytest.raises(InputError, match="scale="):
        gumbel(scale)


def test_equal_scales_give_one_law() -> None:
    assert gumbel("0.5") is gumbel(Fraction(1, 2))
