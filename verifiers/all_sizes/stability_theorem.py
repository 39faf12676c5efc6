"""A_dist on all score vectors, by Theorem 3 of docs/theorems.md: three solutions stand for every number of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias, TypeVar

from dpverify.mechanisms.numbers.errors import InputError, Undecided
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.positivity.affine_regions import AffineRegion
from dpverify.verifiers.all_sizes.decision import Found, ViolatingPoint, decided_on_regions
from dpverify.verifiers.all_sizes.regions.distributions import DistributionsOnRegions
from dpverify.verifiers.all_sizes.regions.domains import Scores
from dpverify.verifiers.all_sizes.regions.question import AllScores, OfScores, Pair
from dpverify.verifiers.all_sizes.regions.regions import Region, region

_Entry = TypeVar("_Entry")


def holds(question: OfScores) -> bool:
    """True where the claim holds on neighbours of all gaps. Raises `Undecided` as `decided_on_regions` does."""
    return not isinstance(_result(question), ViolatingPoint)


def supremum(_: OfScores) -> Exact | None:
    """Not known: neighbours are compared at the claimed δ."""
    return None


def suspects(question: OfScores) -> Iterator[Pair]:
    """The neighbours that violate the claim."""
    result = _result(question)
    if isinstance(result, ViolatingPoint):
        yield question.scores.pair(result.left, result.right)


def _result(question: OfScores) -> Found:
    laws = DistributionsOnRegions(question.question, Scores(solutions=3))
    try:
        return decided_on_regions(representatives(question.scores), laws, question.claim)
    except InputError as refusal:  # as of polynomials in e^ε of very many terms
        raise Undecided(str(refusal)) from None


def representatives(scores: AllScores) -> Iterator[Region]:
    """Neighbours of all (gap, gap′, same best), in one order of the two: all laws of neighbours are among theirs."""
    solutions = max(scores.solutions, 3) if scores.every else scores.solutions
    for right in _SAME_BEST[: scores.spread]:
        yield _region((0, 0, 0), right, _BEST_RISES, solutions)
    for left, right in _ANOTHER_BEST_BY_ONE if scores.one_moves else _ANOTHER_BEST:
        yield _region(left, right, _ALONE, solutions)


_BEST_RISES: Final = ((1,), (0,), (0,))
"""The first of three scores is h more than otherwise."""

_SAME_BEST: Final = ((1, 0, 0), (1, -1, -1))
"""Step that makes the gap h of (h, 0, 0) one of h + 1 or h + 2."""

_ALONE: Final[tuple[tuple[int, ...], ...]] = ((), (), ())

_Three: TypeAlias = tuple[int, int, int]

# Gaps g and g′ of neighbours with another best have a sum of at most 2, or 1 where one score moves by 1; both are 0
# only where a third solution is among the best, which comes last here.
_ANOTHER_BEST: Final[Sequence[tuple[_Three, _Three]]] = (
    ((0, 0, 0), (0, 1, 0)),
    ((1, 0, 0), (0, 1, 0)),
    ((0, 0, 0), (-1, 1, -1)),
    ((0, 0, -1), (-1, 0, 0)),
)
_ANOTHER_BEST_BY_ONE: Final[Sequence[tuple[_Three, _Three]]] = (((0, 0, -1), (0, 1, -1)), ((0, 1, 1), (1, 1, 1)))


def _region(left: _Three, right: _Three, rows: Sequence[tuple[int, ...]], solutions: int) -> Region:
    """The region of vectors of so many solutions: those of three without the third, or with it over and over.

    They are neighbours in any case.
    """
    moving = _of(rows, solutions)
    return region(AffineRegion(_of(left, solutions), moving), AffineRegion(_of(right, solutions), moving))


def _of(three: Sequence[_Entry], solutions: int) -> tuple[_Entry, ...]:
    return tuple(three[min(place, 2)] for place in range(solutions))
