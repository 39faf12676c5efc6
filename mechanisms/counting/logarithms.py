"""Logarithms to base 2, once and iterated, which the bounds of the papers count in."""

from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, exact


def log2(x: Exact) -> Exact:
    """log₂ x, for x > 0."""
    return log(x) / log(2)


def log_star(x: int) -> int:
    """Number of times log₂ is taken of x until it is at most 1; 1 for x ≤ 1, where the papers would divide by 0."""
    times, power = 1, 2
    while power < x:
        times, power = times + 1, 2**power
    return times


def iterated_log(x: int, times: int) -> Exact:
    """log₂ … log₂ x, `times` times, and 0 from where that is not positive."""
    value = exact(x)
    for _ in range(times):
        if value <= 1:
            return ZERO
        value = log2(value)
    return value
