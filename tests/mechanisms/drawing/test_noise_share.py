"""Laws with a share of the noise: as of the mechanism written with that much noise, and else as it was."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms import Distribution, Draw, bernoulli, clamp, discrete_laplace, exponential, laplace, uniform
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.noise import truncated_discrete_laplace
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.selection import max_of_laplaces
from dpverify.mechanisms.selection.noisy_max import max_of_laplaces_drawn
from dpverify.mechanisms.selection.stability import smallest_with_tail
from dpverify.verifiers.divergence.output_tables.tabulation import same_distribution

SHARES = st.sampled_from([Fraction(n, d) for n in (1, 2, 3) for d in (1, 2, 4, 5)])


def law(mechanism: Any, share: Any = 1, inlined: bool = False, **given: Any) -> Distribution[Any]:
    """The law on the database (2, 1)."""
    enumeration = Enumeration(Limits(), lambda _: inlined, share=Fraction(share))
    return enumeration.law(mechanism, ((2, 1),), given)


def released(draw: Draw, rows: Any, scale: Any) -> Any:
    return rows[0] + draw(discrete_laplace(scale))


def compared(draw: Draw, rows: Any, scale: Any) -> Any:
    return rows[0] + draw(laplace(scale)) > rows[1] + draw(laplace(2 * scale))


def truncated(draw: Draw, rows: Any, scale: Any) -> Any:
    return clamp(rows[0] + draw(truncated_discrete_laplace(scale, 4)), 0, 3)


def chosen(draw: Draw, rows: Any, scale: Any) -> Any:
    return draw(exponential({"a": rows[0], "b": rows[1], "c": 1}, epsilon=1 / Fraction(scale)))


def returned(draw: Draw, rows: Any, scale: Any) -> Any:
    return exponential((0, *rows), epsilon=1 / Fraction(scale))


def largest(draw: Draw, rows: Any, scale: Any) -> Any:
    return max_of_laplaces(draw, rows, epsilon=1 / Fraction(scale))


def largest_of_whole_numbers(draw: Draw, rows: Any, scale: Any) -> Any:
    return draw(max_of_laplaces(draw, rows, epsilon=1 / Fraction(scale), noise=discrete_laplace))


MECHANISMS = [released, compared, truncated, chosen, returned, largest, largest_of_whole_numbers]


def within_another(draw: Draw, rows: Any, part: Callable[..., Any], scale: Any) -> Any:
    return draw(part, rows, scale=scale)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: mechanism.__name__)
@given(share=SHARES)
def test_a_share_of_the_noise_is_noise_of_that_scale(mechanism: Any, share: Fraction) -> None:
    by_hand = law(mechanism, scale=2 * share)
    assert same_distribution(law(mechanism, share, scale=2), by_hand)
    for inlined in (False, True):
        assert same_distribution(law(within_another, share, inlined, part=mechanism, scale=2), by_hand)


def test_without_noise_nothing_is_left_to_chance_but_ties() -> None:
    assert law(released, 0, scale=2).probabilities == {2: 1}
    assert law(compared, 0, scale=2).probabilities == {True: 1}
    assert law(truncated, 0, scale=2).probabilities == {2: 1}
    assert law(chosen, 0, scale=2).probabilities == {"a": 1}
    assert law(returned, 0, scale=2).probabilities == {1: 1}
    tied = {"x": 3, "y": 5, "z": 5}
    half = Fraction(1, 2)
    assert law(lambda draw, _: exponential(tied, epsilon=1), 0).probabilities == {"y": half, "z": half}
    # of equal ones discrete noise takes the first, and continuous noise any with the same probability
    assert law(lambda draw, _: max_of_laplaces(draw, tied, epsilon=1), 0).probabilities == {"y": half, "z": half}
    for noisy_max in (max_of_laplaces, max_of_laplaces_drawn):
        first = law(lambda draw, _, f=noisy_max: draw(f, tied, epsilon=1, noise=discrete_laplace), 0)
        assert first.probabilities == {"y": 1}


@cache
def kept_in_a_cache() -> NoiseLaw:
    return laplace(3)


MADE_ONCE = laplace(3)


@pytest.mark.parametrize("noise", [kept_in_a_cache, lambda: MADE_ONCE], ids=["cache", "module"])
def test_noise_that_was_made_earlier_is_scaled_too(noise: Callable[[], NoiseLaw]) -> None:

    kept_in_a_cache()
    third = law(lambda draw, rows: bool(draw(noise()) < rows[0]), Fraction(1, 3)).probabilities
    assert third == law(lambda draw, rows: bool(draw(laplace(1)) < rows[0])).probabilities


def test_a_threshold_that_is_computed_from_the_noise_stays_as_it_is() -> None:
    """Or less noise would be made up for by a lower threshold."""

    def above(draw: Draw, rows: Any) -> bool:
        noise = discrete_laplace(4)
        return bool(rows[0] + draw(noise) >= smallest_with_tail(noise, Fraction(1, 10)))

    threshold = smallest_with_tail(discrete_laplace(4), Fraction(1, 10))
    by_hand = law(lambda draw, rows: bool(rows[0] + draw(discrete_laplace(1)) >= threshold))
    assert law(above, Fraction(1, 4)) == by_hand
    assert smallest_with_tail(discrete_laplace(1), Fraction(1, 10)) < threshold


def without_a_scale(draw: Draw, rows: Any) -> Any:
    return draw(bernoulli(Fraction(1, 3))), draw(uniform(rows)), draw(Distribution({1: 1, 2: 3}))


@pytest.mark.parametrize("share", [0, Fraction(1, 2), 2])
def test_it_is_known_whether_there_was_noise_of_a_scale(share: Any) -> None:
    cases: list[tuple[Any, dict[str, Any], bool]] = [(without_a_scale, {}, False)]
    cases += [(mechanism, {"scale": 2}, True) for mechanism in MECHANISMS]
    for mechanism, parameters, has_it in cases:
        enumeration = Enumeration(Limits(), share=Fraction(share))
        found = enumeration.law(mechanism, ((2, 1),), parameters)
        assert enumeration.has_scaled is has_it
        assert has_it or found == law(mechanism)
