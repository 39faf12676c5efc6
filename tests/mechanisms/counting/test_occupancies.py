"""Counts of sequences against all of them, one by one."""

from collections import Counter
from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few

from dpverify.mechanisms.counting.occupancies import sequences_within


@few(40)
@given(st.integers(0, 6), st.integers(1, 3), st.integers(0, 3), st.integers(0, 6))
def test_each_symbol_stands_as_often_as_asked(length: int, symbols: int, low: int, high: int) -> None:
    counts = (Counter(each) for each in product(range(symbols), repeat=length))
    found = sum(all(low <= count[symbol] <= high for symbol in range(symbols)) for count in counts)
    assert sequences_within(length, symbols, low, high) == found
