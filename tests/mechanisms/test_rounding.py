"""Noise that is rounded to whole numbers, or to a grid: against the masses of the cells, and sums."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import ceil, floor, trunc
from typing import Any

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one
from tests.mechanisms.drawn import assert_drawn_from_the_law

from dpverify.mechanisms import (
    Draw,
    Exact,
    InputError,
    bernoulli,
    clamp,
    discrete_laplace,
    distribution,
    exact,
    exp,
    exponential_noise,
    folded,
    geometric,
    laplace,
    log,
    run,
    symbolic,
    truncated_laplace,
    uniform_noise,
)
from dpverify.mechanisms.drawing import debugging
from dpverify.mechanisms.noise import discrete_uniform, truncated_discrete_laplace
from dpverify.mechanisms.noise.derived import Derived, floored, of_whole
from dpverify.mechanisms.noise.law import NoiseLaw, probability
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.roots.intervals import Intervals, below, half_open, ray
from dpverify.mechanisms.outputs import AtLeast
from dpverify.mechanisms.path_conditions.noise_value import NoiseValue
from dpverify.verifiers import Status, Tuples, check_privacy

QUARTER = 1 / log(4)


def as_float(number: Exact) -> float:
    return float(enclosure(number))


CONTINUOUS: list[NoiseLaw] = [laplace(QUARTER), exponential_noise(2), uniform_noise("-3/2", 2), truncated_laplace(2, 3)]
WHOLE: list[NoiseLaw] = [
    discrete_laplace(QUARTER),
    geometric(2),
    discrete_uniform(-4, 5),
    truncated_discrete_laplace(2, 4),
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("law", CONTINUOUS, ids=str)
@given(
    st.sampled_from([Fraction(1), Fraction(-1), Fraction(3, 2), Fraction(-1, 3)]), st.fractions(0, 1, max_denominator=3)
)
def test_a_number_has_the_mass_of_its_cell(law: NoiseLaw, slope: Fraction, shift: Fraction) -> None:
    rounded = floored(law, exact(slope), exact(shift), law.support)
    assert probability(rounded, rounded.support) == 1
    for k in range(-7, 8):
        ends = sorted(((k - shift) / slope, (k + 1 - shift) / slope))
        mass = probability(law, half_open(exact(ends[0]), exact(ends[1])))
        assert rounded.mass(k, k + 1) == mass == rounded.density.at(exact(k))
        assert (mass > 0) == (probability(rounded, half_open(k, k + 1)) > 0)
        if mass > 0:
            low, high = rounded.support[0]
            assert (low is None or low <= k) and (high is None or k < high)
    assert rounded.mass(None, -3) + rounded.mass(-3, 4) + rounded.mass(4, None) == 1


@pytest.mark.one_in(2)
@pytest.mark.parametrize("law", WHOLE, ids=str)
@given(
    st.sampled_from([Fraction(1, 2), Fraction(-1, 2), Fraction(1, 3), Fraction(-1, 3)]),
    st.fractions(0, 1, max_denominator=4),
    st.sampled_from([(), ((-2, 3),), ((1, None),), ((None, 2),)]),
)
def test_a_number_has_the_mass_of_the_whole_numbers_in_its_cell(
    law: NoiseLaw, slope: Fraction, shift: Fraction, told: Intervals
) -> None:
    known = law.support
    if told:
        known = tuple(interval for interval in told if probability(law, (interval,)) > 0)
        known = tuple((max_of(a, c), min_of(b, d)) for a, b in known for c, d in law.support)
    rounded = floored(law, exact(slope), exact(shift), known)
    of_known = probability(law, known)
    found: dict[int, Exact] = {}
    for n in range(-40, 41):
        (low, high) = known[0]
        if (low is None or n >= low) and (high is None or n < high):
            k = floor(slope * n + shift)
            found[k] = found.get(k, exact(0)) + probability(law, half_open(n, n + 1)) / of_known
    for k in range(-6, 7):
        assert rounded.mass(k, k + 1) == found.get(k, 0) == rounded.density.at(exact(k))
    possible = [k for k in range(-6, 7) if found.get(k, 0) != 0]
    (low, high) = rounded.support[0]
    assert possible == [k for k in range(-6, 7) if (low is None or low <= k) and (high is None or k < high)]


def max_of(a: Any, b: Any) -> Any:
    return b if a is None else a if b is None else max(a, b)


def min_of(a: Any, b: Any) -> Any:
    return b if a is None else a if b is None else min(a, b)


def test_tails_fall_off_as_those_of_the_noise_in_steps_of_the_grid() -> None:
    for law, slope in ((laplace(3), Fraction(-1, 2)), (geometric(3), Fraction(1, 2))):
        rounded = floored(law, exact(slope), exact(0), law.support)
        assert rounded.tail_scale == Fraction(3, 2) == rounded.mirror_image().tail_scale
        k = 9 if slope > 0 else -9
        ratio = rounded.mass(k + 1, k + 2) / rounded.mass(k, k + 1)
        assert ratio == exp(-Fraction(2, 3) * (1 if slope > 0 else -1))


@pytest.mark.parametrize(
    "law",
    [
        floored(laplace(2), exact(Fraction(-3, 2)), exact(Fraction(1, 2)), laplace(2).support),
        floored(laplace(2), exact(2), exact(0), half_open(exact(-1), exact(4))),
        floored(discrete_laplace(2), exact(Fraction(1, 3)), exact(Fraction(1, 2)), ray(-2)),
    ],
    ids=str,
)
@given(level=st.integers(1, 2**40 - 1))
def test_quantiles_of_the_noise_below_give_the_law(law: Derived, level: int) -> None:
    """As levels are uniform, it is enough that as many of them as have the probability give a number or one below."""
    with ctx.workprec(128):
        found = law.quantile(arb(level) / 2**40, 128)
        k = None if found is None else found.ceil().unique_fmpz()
        if k is not None:
            below_k, up_to_k = (enclosure(law.mass(None, int(k) + i)) * 2**40 for i in (0, 1))
            from_other_end = 2**40 - level if law.slope < 0 else level
            assert below_k - 1 < from_other_end < up_to_k + 1


def test_what_is_left_of_no_noise_is_a_number() -> None:
    def mechanism(draw: Draw, database: int) -> Any:
        noise = draw(laplace(1))
        number = NoiseValue(noise.observer, (), exact(Fraction(5, 2)))
        outcomes: tuple[Any, ...] = floor(number), ceil(number), round(number / 2), number // 2
        assert [outcome.shift for outcome in outcomes] == [2, 3, 1, 1]
        return folded(number, 0, 2), noise > 0

    assert set(distribution(mechanism, 0)) == {(Fraction(3, 2), True), (Fraction(3, 2), False)}


# --- In mechanisms.
@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("rounding", "by_hand"),
    [
        (round, lambda x: floor(x + Fraction(1, 2))),
        (floor, floor),
        (ceil, ceil),
        (trunc, trunc),
        (lambda x: x // 2, lambda x: floor(x / 2)),
        (lambda x: x // Fraction(-1, 2), lambda x: floor(-2 * x)),
        (lambda x: -round(-x / 3), lambda x: -floor(-x / 3 + Fraction(1, 2))),
        (lambda x: 10 * round(x, 1), lambda x: floor(10 * x + Fraction(1, 2))),
        (lambda x: round(x, -1) / 10, lambda x: floor(x / 10 + Fraction(1, 2))),
    ],
)
def test_released_rounded_noise(rounding: Callable[[Any], Any], by_hand: Callable[[Fraction], int]) -> None:
    """The cells are found by trying the middles of small ones."""

    law = distribution(lambda draw, database: rounding(database + draw(laplace(QUARTER))), Fraction(1, 3))
    masses: dict[int, Exact] = {}
    step = Fraction(1, 60)
    for i in range(-400, 400):
        k = by_hand(Fraction(1, 3) + (i + Fraction(1, 2)) * step)
        masses[k] = masses.get(k, exact(0)) + probability(
            laplace(QUARTER), half_open(exact(i * step), exact((i + 1) * step))
        )
    for k in sorted(masses)[1:-1][::5]:
        assert law.probability(k) == masses[k]
    assert law.probability(AtLeast(-1000)) > 1 - Fraction(1, 10**9)


def in_many_ways(draw: Draw, database: int) -> Any:
    """Compared before it is rounded, and clamped and compared with other noise after."""
    noisy = database + draw(laplace(QUARTER))
    if noisy < -1:
        return "low"
    rounded = floor(noisy)
    if rounded + draw(discrete_laplace(QUARTER)) >= 2:
        return "high", clamp(rounded, 0, 2)
    return "middle", rounded == 1


def test_rounded_noise_is_compared_and_clamped() -> None:
    cells = {k: as_float(probability(laplace(QUARTER), half_open(exact(k - 1), exact(k)))) for k in range(-1, 14)}
    expected: dict[Any, float] = {"low": as_float(probability(laplace(QUARTER), below(exact(-2))))}
    for k, n in product(cells, range(-14, 15)):
        outcome = ("high", min(max(k, 0), 2)) if k + n >= 2 else ("middle", k == 1)
        expected[outcome] = expected.get(outcome, 0.0) + cells[k] * 0.6 * 0.25 ** abs(n)
    law = distribution(in_many_ways, 1)
    assert law.probabilities.keys() == expected.keys()
    assert all(abs(as_float(law.probability(outcome)) - p) < 1e-6 for outcome, p in expected.items())


def test_the_sampler_draws_from_the_law() -> None:
    assert_drawn_from_the_law(in_many_ways, 1, 1500)


def test_whole_noise_on_a_coarser_grid() -> None:
    def mechanism(draw: Draw, database: int) -> Any:
        return (database - draw(geometric(QUARTER))) // 3

    law = distribution(mechanism, 4)
    pmf = [Fraction(3, 4) * Fraction(1, 4) ** n for n in range(60)]
    for k in range(-5, 3):
        assert abs(as_float(law.probability(k)) - float(sum(p for n, p in enumerate(pmf) if (4 - n) // 3 == k))) < 1e-12
    drawn = [run(mechanism, 4, seed=seed) for seed in range(300)]
    assert abs(drawn.count(1) - 300 * as_float(law.probability(1))) < 40


def test_what_is_on_the_grid_stays_as_it_is() -> None:
    def mechanism(draw: Draw, database: int) -> Any:
        noisy = database + 2 * draw(discrete_laplace(QUARTER))
        return (
            round(noisy) == noisy,
            floor(noisy + Fraction(1, 2)) == noisy,
            ceil(noisy - Fraction(1, 9)) == noisy,
            noisy // 1 > 3,
        )

    for answer in (distribution(mechanism, 1).probabilities, {run(mechanism, 1, seed=2)}):
        assert all(outcome[:3] == (True, True, True) for outcome in answer)


def test_one_rounding_is_one_number() -> None:
    def mechanism(draw: Draw, database: int) -> Any:
        noisy = draw(laplace(1))
        rounded = floor(noisy)
        assert floor(noisy + 2) == rounded + 2
        return floor(noisy - database) - rounded, rounded > 0

    assert set(distribution(mechanism, 3)) == {(-3, True), (-3, False)}
    assert run(mechanism, 3, seed=1)[0] == -3


def rounds_inside(draw: Draw, database: Any) -> Any:
    return -round(database + draw(laplace(QUARTER)))


def outer(draw: Draw, database: Any) -> Any:
    return clamp(draw(rounds_inside, database) - (1 if draw(bernoulli("1/2")) else 0), -2, 0)


def test_a_sub_mechanism_rounds() -> None:
    law = distribution(outer, 1)
    cells = {
        k: probability(laplace(QUARTER), half_open(exact(k - Fraction(3, 2)), exact(k - Fraction(1, 2))))
        for k in (0, 1)
    }
    left = probability(laplace(QUARTER), below(exact(Fraction(-3, 2))))
    assert law.probability(0) == left / 2 + cells[0] / 2 + left / 2
    assert law.probability(-1) == cells[1] / 2 + cells[0] / 2
    drawn = [run(outer, 1, seed=seed) for seed in range(300)]
    assert abs(drawn.count(0) - 300 * as_float(law.probability(0))) < 40


# --- What it is worth.
def rounded_count(draw: Draw, rows: Sequence[int], *, epsilon: Exact) -> Any:
    return round(sum(rows) + draw(laplace(1 / epsilon)))


def count_on_a_grid(draw: Draw, rows: Sequence[int], *, epsilon: Exact) -> Any:
    return (sum(rows) + draw(discrete_laplace(1 / epsilon))) // 3


def count_where_it_is_large(draw: Draw, rows: Sequence[int], *, epsilon: Exact) -> Any:
    noisy = sum(rows) + draw(laplace(1 / epsilon))
    return round(noisy) if noisy > 1 else 0


def mean_plus_rounded_noise(draw: Draw, rows: Sequence[int], *, epsilon: Exact) -> Any:
    """Wrong: the noise is rounded before it is added, so that what is returned tells the mean's fraction."""
    return Fraction(sum(rows), 2) + round(draw(laplace(1 / epsilon)))


def grid_that_depends_on_the_rows(draw: Draw, rows: Sequence[int], *, epsilon: Exact) -> Any:
    """Wrong: the grid that the noisy count is rounded to."""
    return clamp((1 + rows[0]) * floor((sum(rows) + draw(laplace(1 / epsilon))) / (1 + rows[0])), -9, 9)


@pytest.mark.parametrize(
    ("mechanism", "is_private"),
    [
        (rounded_count, True),
        (count_on_a_grid, True),
        (count_where_it_is_large, True),
        (mean_plus_rounded_noise, False),
        (grid_that_depends_on_the_rows, False),
    ],
)
def test_what_is_rounded_is_as_private_as_the_noise(mechanism: Any, is_private: bool) -> None:
    domain = Tuples((0, 1), size=2)
    for epsilon in (exact("1/3"), symbolic):
        verdict = check_privacy(mechanism, domain, epsilon=epsilon, recheck=False)
        assert verdict.status is (Status.PROVED if is_private else Status.REFUTED), verdict.reason
    if is_private:
        given = {"parameters": {"epsilon": exact("1/3")}, "recheck": False}
        assert check_privacy(mechanism, domain, epsilon="1/4", **given).status is Status.REFUTED  # type: ignore[arg-type]


# --- What is refused.
def used_again(draw: Draw, database: int) -> Any:
    noisy = draw(laplace(1))
    return floor(noisy), noisy > 1


def compared_for_equality_again(draw: Draw, database: int) -> Any:
    noisy = draw(laplace(1))
    return floor(noisy) == noisy


def rounded_twice(draw: Draw, database: int) -> Any:
    noisy = draw(laplace(1))
    return floor(noisy) - round(noisy)


def returned_beside(draw: Draw, database: int) -> Any:
    noisy = draw(discrete_laplace(1))
    return noisy // 2, noisy


def clamped_beside(draw: Draw, database: int) -> Any:
    noisy = draw(discrete_laplace(1))
    return noisy // 2, clamp(noisy, 0, 1)


def tied(draw: Draw, database: int) -> Any:
    noisy = draw(laplace(1))
    return noisy > draw(laplace(1)), floor(noisy)


def of_a_sum(draw: Draw, database: int) -> Any:
    return floor(draw(laplace(1)) + draw(laplace(1)))


def with_halves(draw: Draw, database: int) -> Any:
    return round(draw(discrete_laplace(1)) / 2)


def on_an_uneven_grid(draw: Draw, database: int) -> Any:
    return floor(Fraction(2, 3) * draw(discrete_laplace(1)))


def to_text(draw: Draw, database: int) -> Any:
    return round(draw(laplace(1)), "two")  # type: ignore[call-overload]  # bad on purpose


@in_one(
    "mechanism, message",
    [
        (of_a_sum, "what is rounded involves 2 noises at once"),
        (with_halves, r"halfway between two numbers.*math\.floor\(noise \+ Fraction\(1, 2\)\)"),
        (on_an_uneven_grid, "was rounded, whose probabilities have no one formula"),
        (lambda draw, database: draw(laplace(1)) // 0, "noise was divided by 0: 0 "),
        (to_text, "rounded to 'two' digits"),
    ],
)
def test_what_is_refused(mechanism: Any, message: str) -> None:
    for answer in (distribution, run):
        with debugging(), pytest.raises(InputError, match=message):
            answer(mechanism, 0)


@in_one("mechanism", [used_again, compared_for_equality_again, rounded_twice, returned_beside, clamped_beside])
def test_what_is_used_after_it_was_rounded_has_no_law_and_is_drawn(mechanism: Any) -> None:
    with debugging(), pytest.raises(InputError, match=r"noise 1 ~ .* was used after it was rounded or folded"):
        distribution(mechanism, 0)
    drawn = run(mechanism, 0, seed=4)
    if mechanism in {used_again, returned_beside}:
        whole, rest = drawn
        assert rest == (whole >= 1) if mechanism is used_again else rest // 2 == whole


def test_what_is_rounded_after_it_was_compared_with_other_noise_has_no_law_and_is_drawn() -> None:
    with pytest.raises(InputError, match="was rounded after it was compared with other noise: do so first") as error:
        distribution(tied, 0)
    assert "draw.release(noise, then=function)" in str(error.value)
    with debugging():
        run(tied, 0, seed=1)


def test_noise_of_several_intervals_is_rounded_first() -> None:
    def mechanism(draw: Draw, database: int) -> Any:
        noisy = draw(discrete_laplace(1))
        return noisy != 3 and noisy // 2

    with pytest.raises(InputError, match="after comparisons which leave it several intervals"):
        distribution(mechanism, 0)


def test_descriptions() -> None:
    law = floored(laplace(1), exact(1), exact(0), laplace(1).support)
    assert str(law) == "⌊1·(Lap(1)) + 0⌋"
    assert str(floored(laplace(1), exact(1), exact(0), ray(exact(0)))).endswith(", given what was known of it")


def test_pieces_that_hold_no_whole_number_are_left_out() -> None:
    pieces = [{(exact(0), 0): exact(k)} for k in range(1, 5)]
    function = of_whole([2, 3, 3], pieces)
    assert function.breaks == (2, 3)
    assert function.pieces == (pieces[0], pieces[1], pieces[3])
