"""Qualities that score all solutions at once: of counts of rows, or of a database.

A `Selection` takes them in the place of a function of a database and one solution. What scores is what runs.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.functions.mechanism import MadeOf
from dpverify.mechanisms.numbers.errors import InputError, bad_input, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.integers.sealed import Sealed
from dpverify.mechanisms.numbers.shown import shown

Score: TypeAlias = int | Fraction | Exact
"""Score of a solution."""


class ScoresAll(MadeOf):
    """Scores of all solutions of a database at once."""

    @abstractmethod
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The value that it gives by itself: it is a function, as other qualities are."""

    @abstractmethod
    def scores(self, database: Any, solutions: Sequence[Any]) -> tuple[Score, ...]:
        """The score of each solution, in order."""


class Counts:
    """Counts of the rows of a database: all of it that is given to a quality of which `of_counts` makes one."""

    __slots__ = ("_database", "_times")
    __iter__: Final = None
    __contains__: Final = None
    __reduce_ex__: Final = None  # type: ignore[assignment]  # a copy would show the rows in their order

    def __init__(self, database: Any) -> None:
        self._database = database
        self._times: Counter[Any] | None = None

    def __getitem__(self, row: Hashable) -> int:
        """The number of times that the row occurs."""
        if isinstance(self._database, Sealed):  # rows of which no more is known
            number: int = self._database.count(row)  # type: ignore[attr-defined]  # of rows
            return number
        if self._times is None:
            self._times = Counter(self._database)
        return self._times[row]

    @property
    def size(self) -> int:
        """The number of rows that the database has."""
        return len(self._database)


@dataclass(frozen=True)
class OfCounts(ScoresAll):
    """See `of_counts`."""

    quality: Callable[[Counts, Any], Score]

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        return (self.quality,)

    def __call__(self, database: Any, solution: Any) -> Any:
        """The score of one solution."""
        return self.quality(Counts(database), solution)

    def scores(self, database: Any, solutions: Sequence[Any]) -> tuple[Score, ...]:
        counts = Counts(database)
        return tuple([self.quality(counts, solution) for solution in solutions])


def of_counts(quality: Callable[[Counts, Any], Score]) -> OfCounts:
    """The quality function of databases that computes quality(counts, solution) from how often rows occur.

    counts[row] is how often the row is there, and counts.size how many rows there are. Raises `InputError` where
    `quality` is no function.
    """
    _refuse_others(quality, "of_counts", "quality(counts, solution)")
    return OfCounts(quality)


def smallest(*counts: Any) -> Any:
    """The smallest of some counts and whole numbers; of none raises `InputError`."""
    return min(_some(counts))


def largest(*counts: Any) -> Any:
    """The largest of some counts and whole numbers; of none raises `InputError`."""
    return max(_some(counts))


def _some(counts: tuple[Any, ...]) -> tuple[Any, ...]:
    if not counts:
        raise InputError(bad_input.IS_EMPTY, "the list of counts", "count")
    return counts


@dataclass(frozen=True)
class AllAtOnce(ScoresAll):
    """See `all_at_once`."""

    of_database: Callable[[Any], Sequence[Score]]

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        return (self.of_database,)

    def __call__(self, database: Any) -> tuple[Score, ...]:
        """The scores of the solutions."""
        scores = self.of_database(database)
        if isinstance(scores, str | bytes) or not isinstance(scores, Sequence):
            raise InputError(
                bad_mechanism.RETURNED, f"{shown(scores)} in place of a list of scores", "one score for each candidate"
            )
        return tuple(scores)

    def scores(self, database: Any, solutions: Sequence[Any]) -> tuple[Score, ...]:
        """See `ScoresAll`. Raises `InputError` where there are more or fewer."""
        scores = self(database)
        if len(scores) != len(solutions):
            raise InputError(bad_input.NOT_ONE_EACH, f"{len(scores):,} scores", f"{len(solutions):,} candidates")
        return scores


def all_at_once(scores: Callable[[Any], Sequence[Score]]) -> AllAtOnce:
    """The quality by which scores(database) are the scores of all solutions, in the order of the solutions.

    Raises `InputError` where it is no function.
    """
    _refuse_others(scores, "all_at_once", "scores(database)")
    return AllAtOnce(scores)


def _refuse_others(function: object, name: str, what: str) -> None:
    if not callable(function) or isinstance(function, ScoresAll):
        raise InputError(bad_input.ARGUMENT, f"{name}({shown(function)})", f"a function, {what}")
