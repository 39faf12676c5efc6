"""Weights of each number of successes, as whole numbers: each from the one before, as they have many digits."""

from collections.abc import Iterator
from math import comb


def binomial_weights(trials: int, yes: int, no: int, first: int = 0) -> Iterator[int]:
    """C(trials, i)·yes^i·no^(trials − i) for i = first, …, trials: what `yes` of yes + `no` chances give so often.

    None is given for a `first` beyond `trials`; `yes` and `no` are ≥ 0.
    """
    if not no:  # by which each would be divided
        yield from (yes**trials if i == trials else 0 for i in range(first, trials + 1))
        return
    weight = comb(trials, first) * yes**first * no ** max(0, trials - first)
    for i in range(first, trials + 1):
        yield weight
        weight = weight * ((trials - i) * yes) // ((i + 1) * no)
