"""Noise that is reflected into a range: against the loop that does it, summed over what the noise may be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import floor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import (
    Draw,
    Exact,
    InputError,
    Undecided,
    discrete_laplace,
    distribution,
    exact,
    folded,
    geometric,
    laplace,
    log,
    run,
    symbolic,
)
from dpverify.mechanisms.drawing import debugging
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.noise import discrete_uniform, truncated_discrete_laplace
from dpverify.mechanisms.noise.law import NoiseLaw, probability
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.verifiers import Status, Tuples, check_privacy

QUARTER = 1 / log(4)


def by_a_loop(value: Fraction, low: Any, high: Any) -> Fraction:
    while value < low or value > high:
        value = 2 * low - value if value < low else 2 * high - value
    return value


@given(st.fractions(-30, 30, max_denominator=4), st.fractions(-3, 3, max_denominator=3), st.fractions("1/4", 4))
def test_a_number_is_folded_as_the_loop_does(value: Fraction, low: Fraction, width: Fraction) -> None:
    found = folded(value, low, low + width)
    assert found == by_a_loop(value, low, low + width)
    assert isinstance(found, int) == (Fraction(found).denominator == 1)


LAWS: list[NoiseLaw] = [
    discrete_laplace(QUARTER),
    geometric(QUARTER),
    discrete_uniform(-5, 9),
    truncated_discrete_laplace(QUARTER, 7),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("factor", [Fraction(1), Fraction(-1), Fraction(2, 3)])
@pytest.mark.parametrize("ends", [(0, 3), (-2, -1), (Fraction(1, 2), Fraction(5, 2)), (0, Fraction(1, 3))])
def test_folded_noise(law: NoiseLaw, factor: Fraction, ends: tuple[Any, Any]) -> None:
    def mechanism(draw: Draw, database: int) -> Any:
        return folded(database + factor * draw(law), *ends)

    found: dict[Fraction, float] = {}
    for n in range(-24, 25):
        number = by_a_loop(2 + factor * n, *ends)
        found[number] = found.get(number, 0.0) + float(enclosure(probability(law, ((n, n + 1),))))
    law_of_folded = distribution(mechanism, 2)
    assert law_of_folded.probabilities.keys() == {number for number, p in found.items() if p}
    assert all(abs(float(enclosure(law_of_folded.probability(number))) - p) < 1e-9 for number, p in found.items())


def after_a_comparison(draw: Draw, database: int) -> Any:
    noisy = database + draw(discrete_laplace(QUARTER))
    if noisy > 4 or noisy == 0:
        return "out"
    return folded(noisy, 0, 2)


def test_noise_is_folded_given_what_is_known_of_it() -> None:
    found: dict[Any, float] = {}
    for n in range(-30, 31):
        noisy = 1 + n
        outcome = "out" if noisy > 4 or noisy == 0 else by_a_loop(Fraction(noisy), 0, 2)
        found[outcome] = found.get(outcome, 0.0) + 0.6 * 0.25 ** abs(n)
    law = distribution(after_a_comparison, 1)
    assert law.probabilities.keys() == found.keys()
    assert all(abs(float(enclosure(law.probability(outcome))) - p) < 1e-9 for outcome, p in found.items())


def test_the_sampler_draws_from_the_law() -> None:
    law = distribution(after_a_comparison, 1)
    runs = 600
    drawn = [run(after_a_comparison, 1, seed=seed) for seed in range(runs)]
    for outcome in law:
        p = float(enclosure(law.probability(outcome)))
        assert abs(drawn.count(outcome) - runs * p) <= 5 * (runs * p * (1 - p)) ** 0.5 + 1


def rounded_and_folded(draw: Draw, rows: Sequence[int], *, epsilon: Exact) -> Any:
    return folded(round(sum(rows) + draw(laplace(1 / epsilon))), 0, len(rows))


def folded_count(draw: Draw, rows: Sequence[int], *, epsilon: Exact) -> Any:
    return folded(sum(rows) + draw(discrete_laplace(1 / epsilon)), 0, len(rows))


def folded_where_the_rows_say(draw: Draw, rows: Sequence[int], *, epsilon: Exact) -> Any:
    """Wrong: the range is that of the rows."""
    return folded(sum(rows) + draw(discrete_laplace(1 / epsilon)), 0, 1 + sum(rows))


@pytest.mark.deep
def test_folding_is_post_processing() -> None:
    domain, small = Tuples((0, 1), size=3), Tuples((0, 1), size=2)
    for epsilon, rows in ((exact("1/3"), domain), (symbolic, small)):
        for mechanism in (folded_count, rounded_and_folded):
            assert check_privacy(mechanism, rows, epsilon=epsilon).status is Status.PROVED
        wrong = check_privacy(folded_where_the_rows_say, rows, epsilon=epsilon, recheck=False)
        assert wrong.status is Status.REFUTED
    given: Any = {"parameters": {"epsilon": exact("1/3")}, "recheck": False}
    assert check_privacy(folded_count, domain, epsilon="3/10", **given).status is Status.PROVED
    assert check_privacy(folded_count, domain, epsilon="1/5", **given).status is Status.REFUTED


# --- The loop itself, and what is refused.


def loops(draw: Draw, database: int) -> Any:
    noisy = database + draw(discrete_laplace(1))
    while noisy < 0 or noisy > 3:
        noisy = -noisy if noisy < 0 else 6 - noisy
    return noisy


def flips(draw: Draw, database: int) -> Any:
    heads = 0
    while draw(discrete_laplace(1)) > 0:
        heads += 1
    return min(heads, 1)


def test_the_limit_of_a_loop_names_folding() -> None:
    with pytest.raises(
        Undecided, match=r"1,000 choices on one path .* is folded\(noise, low, high\), in one step\. If so"
    ):
        distribution(loops, 1)
    with pytest.raises(Undecided, match=r"does it end\? Rounds that are drawn anew .* in one step\. If so"):
        distribution(flips, 1)
    assert 0 <= run(loops, 1, seed=3) <= 3


def test_a_long_range_is_told_before_it_is_explored() -> None:
    with pytest.raises(Undecided, match="leaves 2,000 numbers to explore: fold into a smaller range"):
        distribution(lambda draw, _: folded(draw(discrete_laplace(1)), 0, 1000), 0, limits=Limits(paths=1999))


def with_noise(use: Callable[[Any], Any], law: NoiseLaw = LAWS[0]) -> Callable[[Draw, int], Any]:
    return lambda draw, _: use(draw(law))


def tied(draw: Draw, database: int) -> Any:
    noisy = draw(discrete_laplace(1))
    return noisy > draw(discrete_laplace(1)), folded(noisy, 0, 1)


@in_one(
    "mechanism, message",
    [
        (with_noise(lambda noise: folded(noise, 0, 2), laplace(1)), r"Lap\(1\), continuous noise, was folded"),
        (with_noise(lambda noise: (folded(noise, 0, 2), noise > 1)), "used after it was rounded or folded"),
        (with_noise(lambda noise: (folded(noise, 0, 2), folded(noise, 0, 2))), "used after it was rounded or folded"),
        (with_noise(lambda noise: (folded(noise, 0, 2), floor(noise / 2))), "used after it was rounded or folded"),
        (with_noise(lambda noise: (floor(noise / 2), folded(noise, 0, 2))), "used after it was rounded or folded"),
        (with_noise(lambda noise: folded(noise, 2, 2)), r"fold into \[2, 2\], which has no inside"),
        (with_noise(lambda noise: folded(noise, 0, 0.5)), r"ends at 0\.5"),  # type: ignore[arg-type]  # bad on purpose
        (with_noise(lambda noise: folded(log(2) * noise, 0, 1)), "has no rational values"),
        (tied, "folded after it was compared with other noise"),
    ],
)
def test_what_is_refused(mechanism: Any, message: str) -> None:
    for answer in (distribution, run):
        with debugging(), pytest.raises(InputError, match=message):
            answer(mechanism, 0)
