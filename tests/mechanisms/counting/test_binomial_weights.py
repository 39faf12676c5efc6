"""Binomial weights against their formula."""

from math import comb

from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms.counting.binomial_weights import binomial_weights

SMALL = st.integers(0, 12)


@given(SMALL, SMALL, SMALL, SMALL)
def test_each_is_as_the_formula_says(trials: int, yes: int, no: int, first: int) -> None:
    found = list(binomial_weights(trials, yes, no, first))
    assert found == [comb(trials, i) * yes**i * no ** (trials - i) for i in range(first, trials + 1)]


def test_all_add_up_to_a_power() -> None:
    assert sum(binomial_weights(300, 7, 4)) == 11**300
    assert list(binomial_weights(3, 2, 0)) == [0, 0, 0, 8]
    assert list(binomial_weights(3, 0, 2)) == [8, 0, 0, 0]
    assert not list(binomial_weights(2, 1, 1, 3))
