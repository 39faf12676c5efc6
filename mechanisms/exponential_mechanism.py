"""The exponential mechanism of McSherry and Talwar."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

from dpverify.mechanisms.distributions import Distribution
from dpverify.mechanisms.elementary import exp
from dpverify.mechanisms.errors import InputError
from dpverify.mechanisms.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.mechanism import Draw
from dpverify.mechanisms.parameters import positive

Score: TypeAlias = int | Fraction | Exact
"""A quality: an exact number."""

Quality: TypeAlias = Mapping[Any, Score] | Sequence[Score]
"""Solution → quality, or the qualities of the solutions 0, 1, 2, …"""


def exponential(quality: Quality, epsilon: ExactLike, *, sensitivity: ExactLike = 1) -> Distribution[Any]:
    """Each solution h with probability proportional to exp(ε·q(h)/(2·sensitivity)).

    Source: Beimel, Nissim & Stemmer, journal version, Section 2.5.2 and Proposition 2.25 (there with sensitivity 1).
    Raises `InputError` where `quality` is empty, a quality is not an exact number, or a parameter is not positive.
    """
    return proportional_to_exp(quality, positive(epsilon, "epsilon") / (2 * positive(sensitivity, "sensitivity")))


def exponential_mechanism(
    draw: Draw, quality: Quality, *, epsilon: ExactLike, sensitivity: ExactLike = 1
) -> Distribution[Any]:
    """`exponential` as a mechanism of its own, whose database is the quality."""
    return exponential(quality, epsilon, sensitivity=sensitivity)


def proportional_to_exp(quality: Quality, rate: Exact) -> Distribution[Any]:
    """Each solution h with probability proportional to exp(rate·q(h)): the distribution, without a privacy claim."""
    solutions: dict[Score, list[Hashable]] = {}
    for solution, score in solutions_of(quality).items():
        solutions.setdefault(score, []).append(solution)
    for score in solutions:
        exact(score, "a quality")
    best = max(solutions)
    # Only differences of qualities matter; taking them from the best keeps every weight in (0, 1].
    return Distribution.of_blocks((tuple(block), _weight(rate, score - best)) for score, block in solutions.items())


@lru_cache(maxsize=1 << 16)
def _weight(rate: Exact, difference: Score) -> Exact:
    return exp(rate * difference)


def solutions_of(quality: Quality) -> Mapping[Any, Score]:
    """Solution → quality. Raises `InputError` where there is no solution."""
    if not quality:
        raise InputError("quality is empty: give at least one solution to choose from")
    return quality if isinstance(quality, Mapping) else dict(enumerate(quality))
