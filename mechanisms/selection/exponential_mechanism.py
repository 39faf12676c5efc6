"""The exponential mechanism of McSherry and Talwar."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, TypeAlias

from dpverify.mechanisms.exact.elementary import exp
from dpverify.mechanisms.exact.errors import InputError
from dpverify.mechanisms.exact.exact_numbers import ONE, Exact, ExactLike, Term, exact
from dpverify.mechanisms.exact.parameters import positive
from dpverify.mechanisms.exact.whole_forms import refuse_ties_of_unknown
from dpverify.mechanisms.exact.whole_numbers import WHOLE
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.laws.exponentials import Exponentials
from dpverify.mechanisms.laws.mechanism import Draw
from dpverify.mechanisms.selection.step_functions import StepFunction

Score: TypeAlias = int | Fraction | Exact
"""A quality: an exact number."""

Quality: TypeAlias = Mapping[Any, Score] | Sequence[Score] | StepFunction
"""Solution → quality, or the qualities of the solutions 0, 1, 2, …, which may be a `StepFunction`."""


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
    return of_levels(_levels(quality), rate)


def levels_of(quality: Quality) -> Mapping[Any, Sequence[Any]]:
    """Score → the solutions of that quality. Raises `InputError` without solutions, or with an inexact quality."""
    levels = _levels(quality)
    refuse_ties_of_unknown(levels)
    return levels


def _levels(quality: Quality) -> Mapping[Any, Sequence[Any]]:
    """As `levels_of`; but unknown qualities may be the same somewhere, which no weight depends on."""
    if isinstance(quality, StepFunction):
        return quality.levels()
    solutions: dict[Score, list[Hashable]] = {}
    for solution, score in solutions_of(quality).items():
        solutions.setdefault(score, []).append(solution)
    for score in solutions:
        exact(score, "a quality")
    return {score: tuple(block) for score, block in solutions.items()}


def of_levels(levels: Mapping[Any, Sequence[Any]], rate: Exact) -> Distribution[Any]:
    """As `proportional_to_exp`, from the solutions of each quality; it costs what the number of qualities costs."""
    reference = _reference(levels)
    at_share = partial(_at_share, levels, rate)
    # Only differences of qualities matter.
    if isinstance(rate, Term) and rate.is_rational and all(type(score) in WHOLE for score in levels):
        # the most frequent case, and of very many levels: without a detour through the general exp
        steps = [score - reference for score in levels]
        return Exponentials(tuple(levels.values()), steps, rate, at_share=at_share)
    return Distribution.of_blocks(
        ((block, _weight(rate, score - reference)) for score, block in levels.items()), at_share=at_share
    )


def _reference(levels: Mapping[Any, Sequence[Any]]) -> Any:
    """The best quality, from which on every weight is in (0, 1]; the first one where qualities are unknown.

    Which of these is the best is not the same everywhere, and nothing depends on it.
    """
    if any(isinstance(score, Exact) and score.symbol is not None for score in levels):
        return next(iter(levels))
    return max(levels)


def _at_share(levels: Mapping[Any, Sequence[Any]], rate: Exact, share: Fraction) -> Distribution[Any]:
    """The choice at the rate/share; at share 0 uniformly one of the best, which it tends to."""
    return of_levels(levels, rate / share) if share else Distribution.of_blocks([(levels[max(levels)], ONE)])


@lru_cache(maxsize=1 << 16)
def _weight(rate: Exact, difference: Score) -> Exact:
    return exp(rate * difference)


def solutions_of(quality: Quality) -> Mapping[Any, Score]:
    """Solution → quality, one by one. Raises `InputError` where there is no solution."""
    if isinstance(quality, StepFunction):
        return {x: value for (low, high), value in quality.runs for x in range(low, high + 1)}
    if not quality:
        raise InputError("quality is empty: give at least one solution to choose from")
    return quality if isinstance(quality, Mapping) else dict(enumerate(quality))
