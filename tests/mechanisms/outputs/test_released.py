"""Released noise: infinitely many outcomes in closed form, against sums of the definition."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms import Draw, InputError, bernoulli, discrete_laplace, distribution, log
from dpverify.mechanisms.noise import truncated_discrete_laplace
from dpverify.mechanisms.outputs import AtLeast, AtMost
from dpverify.mechanisms.outputs.released import Lattice, ReleasedDistribution
from dpverify.mechanisms.outputs.templates import Slot, clamp_cells
from dpverify.mechanisms.selection import discrete_laplace_mechanism

UNIT = 1 / log(2)


def pmf(k: int) -> Fraction:
    return Fraction(1, 3) * Fraction(1, 2) ** abs(k)


def tail(k: int) -> Fraction:
    return sum((pmf(i) for i in range(k, 1)), Fraction(0)) + Fraction(1, 3) if k <= 0 else pmf(k) * 2


def test_a_noisy_count() -> None:

    law = distribution(lambda draw, database: database + draw(discrete_laplace(UNIT)), 5)
    assert isinstance(law, ReleasedDistribution)
    for k in range(-5, 15):
        assert law.probability(k) == pmf(k - 5)
        assert law.probability(AtLeast(k)) == tail(k - 5)
        assert law.probability(AtMost(k)) == 1 - tail(k - 4)
    assert law.probability(Fraction(1, 2)) == 0
    assert law.probability("five") == 0
    assert law.probability(3, 4) == pmf(2) + pmf(1)


def test_a_tail_is_named_in_the_steps_of_its_slot() -> None:
    """A tail without steps holds all numbers beyond; with others than the slot has, or from elsewhere, it is none."""

    law = distribution(lambda draw, database: (draw(discrete_laplace(UNIT)) + database) / 2, 1)
    for m in range(-3, 4):
        here, between = Fraction(m, 2), Fraction(2 * m + 1, 4)
        for beyond, mass, mass_of_next in ((AtLeast, tail(m - 1), tail(m)), (AtMost, 1 - tail(m), 1 - tail(m))):
            assert law.probability(beyond(here)) == law.probability(beyond(here, Fraction(1, 2))) == mass
            assert law.probability(beyond(between)) == mass_of_next
            assert law.probability(beyond(here, 1)) == law.probability(beyond(between, Fraction(1, 2))) == 0


def test_release_after_a_comparison() -> None:
    """A stability-based histogram's cell: what is at most the cut-off is released as 0."""

    def mechanism(draw: Draw, database: int) -> Any:
        noisy = database + draw(discrete_laplace(UNIT))
        return 0 if noisy <= 2 else noisy

    law = distribution(mechanism, 1)
    assert law.probability(0) == 1 - tail(2)
    assert law.probability(1) == 0
    assert law.probability(3) == pmf(2)
    assert law.probability(0, AtLeast(3)) == 1


@given(st.integers(-3, 3), st.sampled_from([Fraction(1, 2), Fraction(-1, 3), Fraction(2), Fraction(-1)]))
def test_scaled_and_negated_noise(value: int, factor: Fraction) -> None:
    def mechanism(draw: Draw, database: int) -> Any:
        noisy = draw(discrete_laplace(UNIT)) - database
        return "low" if noisy < -2 else factor * noisy

    law = distribution(mechanism, value)
    assert law.probability("low") == 1 - tail(value - 2)
    for k in range(-2, 6):
        assert law.probability(factor * k) == pmf(k + value)


def test_vectors_mixtures_and_sub_mechanisms() -> None:
    def pair(draw: Draw, database: tuple[int, int]) -> Any:
        return discrete_laplace_mechanism(draw, database, epsilon=log(2))

    def mixture(draw: Draw, database: tuple[int, int]) -> Any:
        return draw(pair, database) if draw(bernoulli("0.25")) else ("none", 0)

    def shifted(draw: Draw, database: tuple[int, int]) -> Any:
        first, second = draw(pair, database)
        return first + 1, second >= 0

    law = distribution(pair, (0, 3))
    assert law.probability((1, 5)) == pmf(1) * pmf(2)
    assert law.probability((AtMost(0), AtLeast(4))) == (1 - tail(1)) * tail(1)
    assert law.probability((1, 5, 0)) == 0
    mixed = distribution(mixture, (0, 3))
    assert mixed.probability((1, 5)) == pmf(1) * pmf(2) / 4
    assert mixed.probability(("none", 0)) == Fraction(3, 4)
    assert distribution(shifted, (0, 3)).probability((2, True)) == pmf(1) * tail(-3)


def test_truncated_noise_released() -> None:

    law = distribution(lambda draw, database: database + draw(truncated_discrete_laplace(UNIT, 1)), 4)
    assert [law.probability(k) for k in range(2, 7)] == [0, Fraction(1, 4), Fraction(1, 2), Fraction(1, 4), 0]
    assert law.probability(AtLeast(6)) == 0


@given(
    st.fractions(-2, 2, max_denominator=4),
    st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(3, 2)]),
    st.integers(-4, 0),
    st.integers(0, 4),
)
def test_clamp_cells_cover_the_line_with_the_right_values(
    offset: Fraction, unit: Fraction, low: int, high: int
) -> None:
    slot = Slot(offset % unit, unit)
    cells = clamp_cells(slot, low, high)
    assert [cells[0][0][0], cells[-1][0][1]] == [None, None]
    assert all(left[0][1] == right[0][0] for left, right in pairwise(cells))
    for m in range(-30, 30):
        expected = min(max(slot.value(m), low), high)
        containing = [v for (a, b), v in cells if (a is None or a <= m) and (b is None or m < b)]
        assert containing == [expected]


def test_a_lattice_knows_its_noise() -> None:
    assert Lattice(Slot(Fraction(0), Fraction(1)), 3, True).noise_in((5, 7)) == ((-3, -1),)
    assert Lattice(Slot(Fraction(0), Fraction(1)), 3, False).noise_in((5, None)) == ((2, None),)


def test_infinite_laws_say_so() -> None:

    law = distribution(lambda draw, database: database + draw(discrete_laplace(1)), 0)
    with pytest.raises(InputError, match="infinitely many outcomes"):
        _ = law.probabilities
    with pytest.raises(InputError, match="infinitely many outcomes"):
        list(law)
    with pytest.raises(InputError, match="infinitely many outcomes are not compared as a whole"):
        _ = law == law
