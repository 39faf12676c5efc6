"""Densities for all ε at once: the least upper bound of p/q as a function of ε, against e^(claimed ε).

At δ = 0 the claim holds at an ε exactly where that bound is at most e^ε′ for the claimed ε′. Where a question has not
one answer on the whole interval, the interval is cut, and the cuts are decided as numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, negative, product, total
from dpverify.mechanisms.numbers.roots.epsilon_symbol import DependsOnEpsilon, EpsilonSymbol
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import number_of
from dpverify.mechanisms.outputs.substitution import DistributionSubstitution
from dpverify.verifiers.divergence.densities.comparison import Densities
from dpverify.verifiers.divergence.every_epsilon.epsilon_sets import EpsilonInterval, at_point, end_of_cell
from dpverify.verifiers.problems.preparation.answers import AnyDistribution

_MOST_CUTS: Final = 64
"""Number of cuts of intervals before it is taken to have no end."""


@dataclass(frozen=True)
class OnInterval:
    """The ε of an interval at which a claim fails, and whether some pair meets it with equality on a part of it."""

    fails_at: tuple[EpsilonInterval, ...]
    tight: bool


def pure_on_interval(
    symbol: EpsilonSymbol,
    laws: Sequence[AnyDistribution],
    epsilon: Exact,
    densities_of: Callable[[Sequence[AnyDistribution]], Densities],
) -> OnInterval:
    """The ε of the interval of a symbol at which the claim of `epsilon`, which may hold the symbol, and δ = 0 fails.

    Raises `InputError` where a sign is not known for all ε of an interval, `Undecided` as `Densities.ratio` does.
    """
    fails: list[EpsilonInterval] = []
    tight = False
    waiting: list[EpsilonSymbol | Exact] = [symbol]
    cuts = 0
    while waiting:
        cell = waiting.pop()
        put = DistributionSubstitution(symbol, cell if isinstance(cell, Exact) else number_of(cell))
        try:
            excess = _excess(densities_of([put(law) for law in laws]), put(epsilon))
        except DependsOnEpsilon as dependence:
            if dependence.symbol is not cell:
                raise
            cuts += len(dependence.at)
            if cuts > _MOST_CUTS:
                raise InputError(bad_input.SYMBOLIC, f"{dependence}; there are more than {_MOST_CUTS} such ε") from None
            waiting += dependence.at
            waiting += [EpsilonSymbol(low, high) for low, high in pairwise([cell.low, *dependence.at, cell.high])]
            continue
        if excess > 0:
            fails.append(_everywhere(cell))
        tight = tight or (excess == 0 and isinstance(cell, EpsilonSymbol))
    return OnInterval(tuple(sorted(fails, key=_Place)), tight)


def _excess(densities: Densities, epsilon: Exact) -> int:
    """The sign of sup p/q − e^ε."""
    ratio = densities.ratio
    if ratio is None:
        return 1
    if ratio.slack:
        raise InputError(bad_input.SYMBOLIC, "the largest ratio of two densities has no closed form")
    return decision.sign(total((ratio.above, negative(product((exp(epsilon), ratio.below))))))


def _everywhere(cell: EpsilonSymbol | Exact) -> EpsilonInterval:
    if isinstance(cell, Exact):
        return at_point(cell)
    return EpsilonInterval(end_of_cell(cell.low), None if cell.high is None else end_of_cell(cell.high))


class _Place:
    """Key of the beginning of an interval; a single ε comes before the interval that it begins."""

    __slots__ = ("interval",)

    def __init__(self, interval: EpsilonInterval) -> None:
        self.interval = interval

    def __lt__(self, other: _Place) -> bool:
        mine, others = self.interval.low.exact, other.interval.low.exact
        assert mine is not None and others is not None, "cells end at numbers"
        return mine < others or (mine == others and self.interval.closed > other.interval.closed)
