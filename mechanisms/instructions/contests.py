"""Several noisy numbers of which code keeps the largest alone: one path for each that may be it, not for each order.

    best = max(noisy)     max(names, key=lambda name: noisy[name])     sorted(noisy)[-1]

What such a call gives depends on which number is the largest, and on nothing else that its comparisons answer. So a run
chooses the largest among those that were compared so far: is the best so far the largest of all? If so all further ones
are smaller, and if not the next one is better than all before it. Of k numbers these are k paths, whose regions are
exactly those where each number is the largest; the mechanism is run in each, and what it does later is its own affair.

In a path where the second of three is the largest, the third may be larger than the first, or not: the code, which has
seen the second to be better, could not tell. The numbers have noises of their own, so that each comparison is asked.
Which calls and loops are such is told by their instructions: see `contest_calls` and `contest_loops`. Whatever else is
met, such as a number without noise, has the mechanism run as it is written.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from types import FrameType
from typing import Any, Final, NamedTuple, NoReturn, Protocol

from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber
from dpverify.mechanisms.path_conditions.expressions import Comparator
from dpverify.mechanisms.path_conditions.noise_value import NoiseValue
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable

NEGATED: Final[dict[Comparator, Comparator]] = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
FLIPPED: Final[dict[Comparator, Comparator]] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


PLAIN: Final = frozenset({NoiseValue, int, bool, str, bytes, float, Fraction, Exact, WholeNumber, type(None)})


def has_no_code(item: object) -> bool:
    """True for a thing without code of its own that is no container, and for a tuple of such."""
    return type(item) in PLAIN or (type(item) is tuple and all(type(part) in PLAIN for part in item))


class NoContest(BaseException):
    """Ends a run that is not to count: what it has chosen cannot be, or what it took for a contest is none.

    It is no `Exception`, so that a mechanism's own handlers let it pass.
    """


class Choosing(Protocol):
    """The interface that a contest needs of the run that it is part of."""

    def is_best(self, challenger: NoiseValue) -> bool:
        """True on the path where the best so far is the best of all, and not the next one."""

    def learn_best(self, lead: Lead) -> None:
        """Learn which of several numbers is the best; at once, or before more is asked of them."""

    def lose(self) -> NoReturn:
        """Have the mechanism run as it is written. Raises `NoContest`."""


class ContestComparison(NamedTuple):
    """left `relation` right."""

    left: object
    right: object
    relation: Comparator


class Lead(NamedTuple):
    """Several numbers, and the place of the best of them."""

    numbers: Sequence[NoiseValue]
    best: int
    relations: Sequence[Comparator]
    """Those in which one number stands to another before it where it is better, of the best and each other one."""
    answers: Callable[[], Iterator[tuple[NoiseValue, Comparator, bool]]]
    """Makes the comparisons with the best, and their answers: whether a value stands in a relation to 0."""


class Contest(ABC):
    """The numbers that were compared so far, and which of them is the best of all, if that is chosen."""

    def __init__(self, run: Choosing, frame: FrameType, count: int | None) -> None:
        self._run = run
        self.frame = frame
        """The frame in which it takes place, which it keeps, as it goes by its identity."""
        self._count = count
        """The number of numbers; None where that is not known."""
        self._numbers: list[NoiseValue] = []
        self._noises: set[frozenset[NoiseVariable]] = set()
        self._best = 0
        self._is_chosen = False

    @abstractmethod
    def answer(self, compared: ContestComparison) -> bool:
        """The answer to a comparison of the contest. Raises `NoContest`."""

    @property
    def is_open(self) -> bool:
        """True where there may be numbers that were not compared yet."""
        return self._count is None or len(self._numbers) < self._count

    def _add(self, number: object) -> NoiseValue:
        """A number that was not compared before: each has noises of its own, so that no comparison is left out."""
        if type(number) is not NoiseValue:
            self._run.lose()
        noises = frozenset(variable for variable, _ in number.parts)
        if noises in self._noises:
            self._run.lose()
        self._noises.add(noises)
        self._numbers.append(number)
        return number

    @abstractmethod
    def _better(self, later: int, earlier: int) -> Comparator:
        """The relation in which one of the numbers stands to one before it where it is better."""

    def _challenge(self) -> bool:
        """True where the last number is better than all before it, on this path."""
        last = len(self._numbers) - 1
        if not self._is_chosen:
            self._is_chosen = self._run.is_best(self._numbers[last])
            self._best = self._best if self._is_chosen else last
        if not self.is_open:
            self.close()
        return self._best == last

    def close(self) -> None:
        """Take the best so far for the best of all, where none is chosen."""
        self._is_chosen = True
        places = range(len(self._numbers))
        relations = [self._better(max(i, self._best), min(i, self._best)) for i in places if i != self._best]
        self._run.learn_best(Lead(self._numbers, self._best, relations, self._answers))

    def _answers(self) -> Iterator[tuple[NoiseValue, Comparator, bool]]:
        best = self._numbers[self._best]
        for place, number in enumerate(self._numbers):
            if place < self._best:
                yield self._difference(best, number), self._better(self._best, place), True
            elif place > self._best:
                yield self._difference(number, best), self._better(place, self._best), False

    def _difference(self, left: NoiseValue, right: NoiseValue) -> NoiseValue:
        value = left - right
        if type(value) is not NoiseValue or not value.parts:
            self._run.lose()
        return value


class OneByOne(Contest):
    """Each number is compared with the best so far, and takes its place where it is better."""

    def __init__(
        self,
        run: Choosing,
        frame: FrameType,
        asks: Asks,
        count: int | None,
        *,
        besides: Sequence[Any] | None = None,
        loop: ContestLoop | None = None,
    ) -> None:
        super().__init__(run, frame, count)
        self._asks = asks
        self._besides = besides
        """The things by which it is decided which of two equal numbers is better; None where the first of them is."""
        self._loop = loop
        """The loop in which it takes place; None for a call."""

    @property
    def is_over(self) -> bool:
        """True where it took place in a loop that has ended."""
        return self._loop is not None and self.frame.f_lasti not in self._loop.region

    @property
    def ends_by_itself(self) -> bool:
        """True for a loop, whose numbers are not counted before."""
        return self._loop is not None

    def answer(self, compared: ContestComparison) -> bool:
        """See `Contest`."""
        asks = self._asks
        kept = () if self._loop is None else self._loop.kept
        if not all(map(has_no_code, map(self.frame.f_locals.get, kept))):
            self._run.lose()
        if compared.relation == "==" and self._besides is not None:
            return False  # as one is better: who is better of equals is said by `_better`
        new, best = (compared.right, compared.left) if asks.best_first else (compared.left, compared.right)
        if compared.relation != asks.relation:
            self._run.lose()
        if not self._numbers:
            self._add(best)
        elif best is not self._numbers[self._best]:
            self._run.lose()
        self._add(new)
        return self._challenge() is asks.is_taken

    def _better(self, later: int, earlier: int) -> Comparator:
        better = self._asks.better
        if self._besides is None:
            return better
        try:
            left, right = self._besides[later], self._besides[earlier]
            wins_where_equal = left > right if better == ">" else left < right
        except TypeError:
            self._run.lose()
        return NEGATED[FLIPPED[better]] if wins_where_equal else better


class ContestLoop(NamedTuple):
    """A loop in which a contest takes place."""

    region: range
    """The offsets of its instructions."""
    kept: tuple[str, ...]
    """The variables that are assigned, and assigned from: nothing is told when what they hold is let go of."""


class Asks(NamedTuple):
    """The comparison of each number with the best so far."""

    relation: Comparator
    """As it is written."""
    best_first: bool = False
    """True where the best so far is on the left."""
    is_taken: bool = True
    """True where the new number takes its place if the comparison holds."""

    @property
    def better(self) -> Comparator:
        """The relation in which a number that takes the place stands to the best so far."""
        relation = FLIPPED[self.relation] if self.best_first else self.relation
        return relation if self.is_taken else NEGATED[relation]


class Sorted(Contest):
    """All numbers are sorted by `<`, and one at an end is kept: the others are as if in the order in which they came.

    The last of equals is the largest, as they stay in order, and the first is the smallest.
    """

    def __init__(self, run: Choosing, frame: FrameType, count: int, *, largest: bool) -> None:
        super().__init__(run, frame, count)
        self._is_of_largest = largest
        self._places: dict[int, int] = {}
        """Identity of a number → its place among them."""

    def answer(self, compared: ContestComparison) -> bool:
        """See `Contest`."""
        if compared.relation != "<":
            self._run.lose()
        for number in (compared.right, compared.left):
            if id(number) not in self._places:
                if not self.is_open:
                    self._run.lose()
                self._places[id(number)] = len(self._numbers)
                self._add(number)
                if len(self._numbers) > 1:
                    self._challenge()
        left, right = (self._rank(self._places[id(number)]) for number in (compared.left, compared.right))
        return left < right if self._is_of_largest else left > right

    def _rank(self, place: int) -> tuple[bool, int]:
        return self._is_chosen and place == self._best, place

    def _better(self, later: int, earlier: int) -> Comparator:
        return ">=" if self._is_of_largest else "<"


class _Probe:
    """A thing of a known rank, which notes that it is compared."""

    def __init__(self, rank: tuple[bool, int], noted: dict[_Probe, None]) -> None:
        self._rank = rank
        self._noted = noted

    def __lt__(self, other: _Probe) -> bool:
        self._noted.update({other: None, self: None})
        return self._rank < other._rank


_MOST_SORTED: Final = 64


@lru_cache(maxsize=_MOST_SORTED)
def come_in_order(count: int, *, largest: bool) -> bool:
    """True where sorting compares so many things first in their order, whichever of them is the best."""
    for best in range(count if count <= _MOST_SORTED else 0):
        noted: dict[_Probe, None] = {}
        places = range(count) if largest else range(0, -count, -1)
        probes = [_Probe(((i == best) is largest, place), noted) for i, place in enumerate(places)]
        sorted(probes)
        if list(noted) != probes:
            return False
    return count <= _MOST_SORTED
