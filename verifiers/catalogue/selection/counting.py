"""Counting databases: what a selection mechanism sees when the qualities are frequencies of values."""

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.selection.exponential_mechanism import exponential


def frequencies(rows: Sequence[int], values: int) -> dict[int, int]:
    """The number of times each of the values 0, …, values − 1 occurs."""
    return {value: rows.count(value) for value in range(values)}


def move_one_row(counts: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The counts of values after one row is replaced by another."""
    for i, j in permutations(range(len(counts)), 2):
        if counts[i]:
            yield tuple(count + (k == j) - (k == i) for k, count in enumerate(counts))


def counts_from(rows: Sequence[int], items: int) -> dict[int, int]:
    """n·f(i, D) = |{j : D_j ≥ i}| for the items 1, …, K: example (1) of Chaudhuri, Hsu & Song, Section 2.2."""
    return {i: sum(x >= i for x in rows) for i in range(1, items + 1)}


def most_frequent(
    draw: Draw, rows: Sequence[int], *, selection: Mechanism, values: int, epsilon: ExactLike, delta: ExactLike
) -> Any:
    """The value that occurs most often, chosen by `selection`."""
    return selection(draw, frequencies(rows, values), epsilon=epsilon, delta=delta)


def most_frequent_exponential(draw: Draw, rows: Sequence[int], *, values: int, epsilon: ExactLike) -> Distribution[int]:
    """The value that occurs most often, by the exponential mechanism."""
    return exponential(frequencies(rows, values), epsilon)
