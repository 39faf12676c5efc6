"""Sequences that are computed, not listed, and may be longer than len() can say."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar, overload

Member = TypeVar("Member")


class LongSequence(Sequence[Member]):
    """A sequence that knows its `size`, whatever it is, and its member at every place."""

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of members, also beyond what len() can say."""

    @abstractmethod
    def at(self, place: int) -> Member:
        """The member at a place from 0 to size − 1."""

    def __len__(self) -> int:
        return self.size

    def __bool__(self) -> bool:
        return self.size > 0

    @overload
    def __getitem__(self, index: int) -> Member: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Member]: ...
    def __getitem__(self, index: int | slice) -> Member | Sequence[Member]:
        if isinstance(index, slice):
            return [self.at(place) for place in range(*index.indices(self.size))]
        place = index + self.size if index < 0 else index
        if not 0 <= place < self.size:
            raise IndexError(index)
        return self.at(place)

    def __iter__(self) -> Iterator[Member]:
        return (self.at(place) for place in range(self.size))


@dataclass(frozen=True)
class Beginning(LongSequence[Member]):
    """The first `kept` members of a sequence that has at least as many."""

    whole: Sequence[Member]
    kept: int

    @property
    def size(self) -> int:
        """The number of members."""
        return self.kept

    def at(self, place: int) -> Member:
        """The member of the whole at that place."""
        return self.whole[place]


def length(outcomes: Sequence[object]) -> int:
    """len(outcomes), also for a range or a `LongSequence` of more than 2^63 members."""
    if type(outcomes) is tuple:  # the most frequent, and the others are asked for by way of their class
        return len(outcomes)
    if isinstance(outcomes, LongSequence):
        return outcomes.size
    if isinstance(outcomes, range):
        return max(0, -((outcomes.start - outcomes.stop) // outcomes.step))
    return len(outcomes)
