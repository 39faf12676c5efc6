"""Iterated logarithms, against towers of twos and the definition."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms.counting.logarithms import iterated_log, log2, log_star
from dpverify.mechanisms.numbers.exact_numbers import exact

TOWERS = [1, 2, 4, 16, 65536]
"""2 to the power of the one before."""


@pytest.mark.parametrize("height", range(len(TOWERS)))
def test_a_logarithm_takes_a_storey_off_a_tower(height: int) -> None:
    for times in range(height + 3):
        assert iterated_log(TOWERS[height], times) == (TOWERS[height - times] if times <= height else 0)
    assert log_star(TOWERS[height]) == max(1, height)
    assert log_star(TOWERS[height] + 1) == height + 1


@given(st.integers(1, 100), st.integers(0, 5))
def test_the_next_iterated_logarithm_is_that_of_the_last(x: int, times: int) -> None:
    value, following = iterated_log(x, times), iterated_log(x, times + 1)
    assert following == (log2(value) if value > 1 else 0)
    assert iterated_log(x, 0) == exact(x)
