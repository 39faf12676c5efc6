"""PAC learning exactly: the probability over the sample and the coins, for a population of finitely many examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import factorial, prod
from typing import Any, TypeAlias

from dpverify.mechanisms.distributions import Distribution
from dpverify.mechanisms.mechanism import Draw, Mechanism
from dpverify.mechanisms.parameters import whole

Population: TypeAlias = tuple[tuple[Any, Fraction], ...]
"""Examples with their probabilities, which add up to 1."""


def labelled(points: Sequence[tuple[int, Fraction]], target: Callable[[int], int]) -> Population:
    """The population of examples (x, target(x)), for points with their probabilities."""
    return tuple(((x, target(x)), share) for x, share in points)


def independent(population: Population, size: int) -> Distribution[tuple[Any, ...]]:
    """The law of `size` examples drawn independently, as a sorted tuple: for learners to which their order is all one.

    It has C(size + k − 1, k − 1) outcomes for k examples of positive probability. Raises `InputError` unless size ≥ 1.
    """
    examples = sorted((example, share) for example, share in population if share)
    return Distribution(
        {
            tuple(example for (example, _), n in zip(examples, counts, strict=True) for _ in range(n)): Fraction(
                factorial(size), prod(map(factorial, counts))
            )
            * prod((share**n for (_, share), n in zip(examples, counts, strict=True)), start=Fraction(1))
            for counts in _counts(len(examples), whole(size, "size", 1))
        }
    )


def learnt(
    draw: Draw, population: Population, *, size: int, learner: Mechanism, given: dict[str, Any] | None = None
) -> Any:
    """What `learner` makes of an independent sample: its law is that over the sample and the coins."""
    return draw(learner, draw(independent(population, size)), **(given or {}))


def error(population: Population, hypothesis: Callable[[Any], int]) -> Fraction:
    """error_D(h): the probability of the examples (x, y) with h(x) ≠ y."""
    return sum((share for (x, y), share in population if hypothesis(x) != y), start=Fraction(0))


def _counts(kinds: int, size: int) -> Iterator[tuple[int, ...]]:
    """All ways to draw `size` examples of so many kinds."""
    if kinds == 1:
        yield (size,)
        return
    for first in range(size, -1, -1):
        for rest in _counts(kinds - 1, size - first):
            yield (first, *rest)
