"""The moves of a relation, as data: from them follow pairs, codes, orbits and charts of all sizes.

A relation whose moves are known says them by `@has_moves(…)`; of one that is a function and no more, each database is
asked for its neighbours.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, product
from typing import Any, Final, TypeAlias, TypeVar

NeighbourRelation: TypeAlias = Callable[..., Iterable[Hashable]]

ScoreVector: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Replaces:
    """One row becomes another one of the universe; of rows (x, y) one with the same x, where `keeps_point`."""

    keeps_point: bool = False


@dataclass(frozen=True)
class AddsOrRemoves:
    """One row comes, or goes."""


@dataclass(frozen=True)
class Shifts:
    """Scores move by one of some steps; then all by the same number, so that the best is 0, where `best_is_0`."""

    steps: Callable[[int], Iterator[ScoreVector]]
    """Number of scores → the steps, in rising order: none is 0, and with each there are its negative and its orders."""
    count: Callable[[int], int]
    """Number of scores → how many steps there are."""
    one_moves: bool | None = None
    """True where one score moves by 1, or each by at most 1: of these theorems speak. None for other steps."""
    best_is_0: bool = False


@dataclass(frozen=True)
class Grows:
    """One row is replaced of which each raises as many scores by 1 as the domain says, at most."""


Moves: TypeAlias = Replaces | AddsOrRemoves | Shifts | Grows

_Function = TypeVar("_Function", bound=Callable[..., Any])

_MOVES: Final[dict[NeighbourRelation, Moves]] = {}


def has_moves(moves: Moves) -> Callable[[_Function], _Function]:
    """Says of a relation that its neighbours are those by these moves."""

    def told(relation: _Function) -> _Function:
        _MOVES[relation] = moves
        return relation

    return told


def moves_of(relation: NeighbourRelation) -> Moves | None:
    """The moves of a relation; None where they are not known."""
    try:
        return _MOVES.get(relation)
    except TypeError:  # an object that cannot be hashed
        return None


def steps_of_all(solutions: int) -> Iterator[ScoreVector]:
    """Each score by at most 1, and not all by 0."""
    return (step for step in product((-1, 0, 1), repeat=solutions) if any(step))


def steps_of_one(solutions: int) -> Iterator[ScoreVector]:
    """One score by 1."""
    down = ((place, -1) for place in range(solutions))
    up = ((place, 1) for place in reversed(range(solutions)))
    for moved, step in chain(down, up):
        yield tuple(step if place == moved else 0 for place in range(solutions))


def half_of_steps(steps: Iterable[ScoreVector]) -> Iterator[ScoreVector]:
    """Of steps that come with their negatives one of each two: a pair is decided in both directions."""
    return (step for step in steps if step > (0,) * len(step))
