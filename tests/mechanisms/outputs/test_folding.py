"""Noise that is reflected into a range: against the loop that does it, summed over what the noise may be."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import floor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one
from tests.mechanisms.drawn import assert_drawn_from_the_law

from dpverify.mechanisms import (
    Draw,
    Exact,
    InputError,
    Undecided,
    discrete_laplace,
    distribution,
    exact,
    exp,
    folded,
    gaussian,
    geometric,
    laplace,
    log,
    run,
    staircase,
    symbolic,
)
from dpverify.mechanisms.drawing import debugging
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.noise import discrete_uniform, truncated_discrete_laplace
from dpverify.mechanisms.noise.law import NoiseLaw, probability
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.outputs import Between
from dpverify.verifiers import Status, Tuples, check_privacy

QUARTER = 1 / log(4)


def by_a_loop(value: Fraction, low: Any, high: Any) -> Fraction:
    while value < low or value > high:
        value = 2 * low - value if value < low else 2 * high - value
    return value


@given(st.fractions(-30, 30, max_denominator=4), st.fractions(-3, 3, max_denominator=3), st.fractions("1/4", 4))
def test_a_number_is_folded_as_the_loop_does(value: Fraction, low: Fraction, width: Fraction) -> None:
    found = folded(value, low, low + width)
    assert isinstance(found, int | Fraction)
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

    found: dict[Fraction, float] = {}
    for n in range(-24, 25):
        number = by_a_loop(2 + factor * n, *ends)
        found[number] = found.get(number, 0.0) + float(enclosure(probability(law, ((n, n + 1),))))
    law_of_folded = distribution(lambda draw, database: folded(database + factor * draw(law), *ends), 2)
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
    assert_drawn_from_the_law(after_a_comparison, 1, 600)


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


# --- Continuous noise, against the probabilities of its images.
def below(x: float) -> float:
    """Pr[Lap(1) < x]."""
    return math.exp(x) / 2 if x < 0 else 1 - math.exp(-x) / 2


def in_cell(low: float, high: float, start: float, end: float, centre: float) -> float:
    """The probability that centre + Lap(1), folded into [start, end], lies between `low` and `high`, image by image."""
    period = 2 * (end - start)
    images = [(low + j * period, high + j * period) for j in range(-25, 26)]
    images += [(2 * start - b, 2 * start - a) for a, b in images]
    return sum(below(b - centre) - below(a - centre) for a, b in images)


def noisy_in_range(draw: Draw, rows: Sequence[int], *, start: Any, end: Any, factor: Any = 1) -> Any:
    return folded(rows[0] + factor * draw(laplace(1)), start, end)


@pytest.mark.parametrize(("start", "end"), [(Fraction(0), Fraction(1)), (Fraction(-1, 2), Fraction(5, 3))])
def test_folded_laplace_noise_needs_what_its_images_need(start: Fraction, end: Fraction) -> None:
    given: Any = {"parameters": {"start": start, "end": end}, "recheck": False}
    verdict = check_privacy(noisy_in_range, Tuples((0, 1), size=1), epsilon="1/4", delta=0, **given)
    cells = 120
    ends = [float(start + (end - start) * Fraction(i, cells)) for i in range(cells + 1)]
    laws = [[in_cell(*cell, float(start), float(end), centre) for cell in pairwise(ends)] for centre in (0.0, 1.0)]
    for law in laws:
        assert abs(sum(law) - 1) < 1e-12
    ordered = [tuple(laws), tuple(laws[::-1])]
    ratio = max(p / q for law, other in ordered for p, q in zip(law, other, strict=True))
    assert verdict.epsilon is not None
    assert verdict.delta is not None
    assert -1e-9 < float(verdict.epsilon.upper) - math.log(ratio) < 0.01  # a cell has less than its end
    excess = max(
        sum(max(0.0, p - math.exp(0.25) * q) for p, q in zip(law, other, strict=True)) for law, other in ordered
    )
    assert abs(float(verdict.delta.upper) - excess) < 1e-4
    exact_law = distribution(noisy_in_range, (1,), start=start, end=end, factor=-1)
    cell = Between(start + (end - start) * Fraction(1, 3), start + (end - start) * Fraction(5, 6))
    found = float(enclosure(exact_law.probability(cell)))
    assert abs(found - sum(laws[1][cells // 3 : cells * 5 // 6])) < 1e-12


def in_a_range_of_the_data(draw: Draw, rows: Sequence[int]) -> Any:
    """Wrong: the range is that of the rows."""
    return folded(rows[0] + draw(laplace(1)), 0, 1 + rows[0])


def with_half_the_noise(draw: Draw, rows: Sequence[int]) -> Any:
    """Wrong: the noise is for half the sensitivity."""
    return folded(rows[0] + draw(laplace("1/2")), 0, 8)


def given_what_is_known(draw: Draw, rows: Sequence[int]) -> Any:
    noisy = rows[0] + draw(laplace(1))
    return "out" if noisy > Fraction(7, 4) else folded(noisy, 0, 1)


def test_folded_laplace_noise_is_private_for_its_scale_alone() -> None:
    domain = Tuples((0, 1), size=1)
    for mechanism in (in_a_range_of_the_data, with_half_the_noise):
        assert check_privacy(mechanism, domain, epsilon=1, delta="1/100").status is Status.REFUTED
    verdict = check_privacy(given_what_is_known, domain, epsilon=1, delta=0)
    assert verdict.status is Status.PROVED
    law = distribution(given_what_is_known, (0,))
    assert law.probability("out") == exp("-7/4") / 2
    into = float(enclosure(law.probability(Between(0, Fraction(1, 2)))))
    tail = math.exp(-0.75) * (math.exp(0.25) - 1)  # from 3/2 to 7/4
    once = 1 - math.exp(-0.5)  # of either side, and of all images below, 2 apart
    images = (2 * once + (math.exp(-1.5) - math.exp(-2.5)) + (tail * math.exp(-1))) / 2
    rest = sum(math.exp(-1.5 - 2 * j) * (1 - math.exp(-1)) for j in range(1, 30)) / 2
    assert abs(into - images - rest) < 1e-12


def test_a_folded_draw_is_in_the_range_and_follows_the_law() -> None:
    drawn = [run(given_what_is_known, (0,), seed=seed) for seed in range(200)]
    law = distribution(given_what_is_known, (0,))
    for cell, of_cell in (
        ("out", [x for x in drawn if x == "out"]),
        (Between(0, Fraction(1, 2)), [x for x in drawn if x != "out" and 0 <= x <= 0.5]),
        (Between(Fraction(1, 2), 1), [x for x in drawn if x != "out" and 0.5 < x <= 1]),
    ):
        p = float(enclosure(law.probability(cell)))
        assert abs(len(of_cell) - 200 * p) <= 5 * (200 * p * (1 - p)) ** 0.5 + 1


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
    with pytest.raises(Undecided, match="may not end: it asks about one noise again and again"):
        distribution(loops, 1)
    with pytest.raises(Undecided, match=r"a number of rounds as draw\(geometric"):
        distribution(flips, 1)
    assert 0 <= run(loops, 1, seed=3) <= 3


def test_a_long_range_is_told_before_it_is_explored() -> None:
    with pytest.raises(Undecided, match=r"\[0, 1000\], which leaves 2,000 numbers to explore"):
        distribution(lambda draw, _: folded(draw(discrete_laplace(1)), 0, 1000), 0, limits=Limits(paths=1999))


def with_noise(use: Callable[[Any], Any], law: NoiseLaw = LAWS[0]) -> Callable[[Draw, int], Any]:
    return lambda draw, _: use(draw(law))


def tied(draw: Draw, database: int) -> Any:
    noisy = draw(discrete_laplace(1))
    return noisy > draw(discrete_laplace(1)), folded(noisy, 0, 1)


FLOAT: Any = float("0.5")  # which no source gives as a literal


@in_one(
    "mechanism, message",
    [
        (
            with_noise(lambda noise: folded(noise, 0, 2), gaussian(1)),
            r"was reflected \(fold\), and its density is not exact",
        ),
        (
            with_noise(lambda noise: folded(noise, 0, 2), staircase(1)),
            "folded, where its density has infinitely many steps",
        ),
        (with_noise(lambda noise: (folded(noise, 0, 2), noise), laplace(1)), "used after it was rounded or folded"),
        (with_noise(lambda noise: (folded(noise, 0, 2), noise > 1)), "used after it was rounded or folded"),
        (with_noise(lambda noise: (folded(noise, 0, 2), folded(noise, 0, 2))), "used after it was rounded or folded"),
        (with_noise(lambda noise: (folded(noise, 0, 2), floor(noise / 2))), "used after it was rounded or folded"),
        (with_noise(lambda noise: (floor(noise / 2), folded(noise, 0, 2))), "used after it was rounded or folded"),
        (with_noise(lambda noise: folded(noise, 2, 2)), r"fold has an empty range \[2, 2\]"),
        (with_noise(lambda noise: folded(noise, 0, FLOAT)), r"a range up to 0\.5, which is not a rational number"),
        (with_noise(lambda noise: folded(log(2) * noise, 0, 1)), r"what is folded, ln 2·noise \+ 0, is not rational"),
        (tied, "was reflected after it was compared with other noise"),
    ],
)
def test_what_is_refused(mechanism: Any, message: str) -> None:
    for answer in (distribution, run):
        with debugging(), pytest.raises(InputError, match=message):
            answer(mechanism, 0)
