"""Counts of sequences by how often each symbol stands in them."""

from math import factorial

from flint import fmpq, fmpq_poly


def sequences_within(length: int, symbols: int, low: int, high: int) -> int:
    """The number of sequences of so many symbols in which each of them stands from `low` to `high` times.

    It is length! times the coefficient of z^length of (Σ z^k/k!)^symbols, k from low to high.
    """
    one = fmpq_poly([fmpq(int(low <= k <= high), factorial(k)) for k in range(length + 1)])
    return int((fmpq(factorial(length)) * one.pow_trunc(symbols, length + 1)[length]).p)
