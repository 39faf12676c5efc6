"""Ordered pairs of neighbours: few are held, and of many each block is made anew when it is asked for."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from dpverify.verifiers.problems.neighbours.neighbour_codes import (
    AtOnce,
    Ids,
    Neighbours,
    Positions,
    consecutive_numbers,
    distinct,
)
from dpverify.verifiers.processes.workplace import HERE, Workplace

_HELD_AT_MOST: Final = 1 << 24
"""Pairs whose right database is held, with 4 bytes for each."""

AT_ONCE: Final = 1 << 16
"""Pairs that are looked at together: more would not stay near the processor."""


COUNTED_AT_ONCE: Final = 1 << 26
"""Numbers that are held, one block after another, while the pairs of one part of a domain are counted: a second."""


class TooManyPairs(Exception):
    """There are more pairs than were to be counted."""


class Sides(NamedTuple):
    """The positions of the left and the right database of some pairs."""

    left: Ids
    right: Positions | Ids


class NeighbouringPairs:
    """Ordered pairs of positions in a domain, by the left one and then by the right one, each in both directions.

    `count` is how many they are, and `outside` counts the neighbours that were skipped.
    """

    def __init__(self, starts: Ids, right: Positions | None, at_once: AtOnce | None, outside: int) -> None:
        """`starts` says which pair is the first of each database, and after the last one how many there are."""
        self._starts = starts
        self._right = right
        self._at_once = at_once
        self.outside = outside
        self.count = int(starts[-1])

    @classmethod
    def listed(cls, codes: Ids, databases: int, outside: int = 0) -> NeighbouringPairs:
        """Pairs left·databases + right that are listed, in any order, some perhaps twice."""
        codes = distinct(codes)
        starts = np.searchsorted(codes, np.arange(databases + 1) * databases)
        return cls(starts, (codes % databases).astype(np.int32), None, outside)

    @classmethod
    def made(cls, at_once: AtOnce, databases: int, most: int, where: Workplace = HERE) -> NeighbouringPairs:
        """The pairs of so many databases of a domain. Raises `TooManyPairs` for more than `most`."""
        counts: list[Ids] = [np.zeros(0, dtype=np.int64)]
        held: list[Positions] = []
        total = outside = done = 0
        for result in _in_turn(at_once, range(databases)):
            counts.append(result.counts)
            outside += result.outside
            total += len(result.right)
            done += len(result.counts)
            if total > most:
                raise TooManyPairs
            if total > _HELD_AT_MOST:
                break
            held.append(result.right)
        size = max(1, COUNTED_AT_ONCE // at_once.most)
        parts = [range(start, min(start + size, databases)) for start in range(done, databases, size)]
        for content in where.done(_Counting(at_once), parts):
            of_part: Ids = np.frombuffer(zlib.decompress(content), dtype=np.int64)
            counts.append(of_part[1:])
            outside += int(of_part[0])
            total += int(of_part[1:].sum())
            if total > most:
                raise TooManyPairs
        starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.concatenate(counts))])
        is_held = total <= _HELD_AT_MOST
        right = np.concatenate([np.zeros(0, dtype=np.int32), *held]) if is_held else None
        return cls(starts, right, None if is_held else at_once, outside)

    @property
    def databases(self) -> int:
        """The number of databases."""
        return len(self._starts) - 1

    def counts(self, left: Ids) -> Ids:
        """The number of pairs that each of these databases is the left one of."""
        return self._starts[left + 1] - self._starts[left]

    def of(self, left: Ids) -> Sides:
        """The pairs whose left database is one of these, in their order."""
        starts = self._starts[left]
        counts = self.counts(left)
        return Sides(np.repeat(left, counts), self._right_of(left, starts, counts))

    def _right_of(self, left: Ids, starts: Ids, counts: Ids) -> Positions:
        if self._right is not None:
            return self._right[consecutive_numbers(starts, counts)]
        assert self._at_once is not None, "what is not held is made"
        return self._at_once(left).right if len(left) else left.astype(np.int32)

    def blocks(self, order: Ids | None = None) -> Iterator[Ids]:
        """The databases, in their own order or another one, in blocks that have few pairs enough to look at together.

        A block has one database at least.
        """
        order = np.arange(self.databases) if order is None else order
        counts = self.counts(order)
        costs = counts if self._at_once is None else np.full(len(order), self._at_once.most)
        ends = np.cumsum(costs)
        start = 0
        while start < len(order):
            before = ends[start - 1] if start else 0
            end = max(start + 1, int(np.searchsorted(ends, before + AT_ONCE, side="right")))
            yield order[start:end]
            start = end

    @property
    def left(self) -> Ids:
        """The left database of every pair."""
        return np.repeat(np.arange(self.databases), np.diff(self._starts))

    @property
    def right(self) -> Ids:
        """The right database of every pair."""
        return np.concatenate([np.zeros(0, dtype=np.int64), *(self.of(left).right for left in self.blocks())])

    def at(self, places: Sequence[int]) -> list[tuple[int, int]]:
        """The databases of the pairs at these places."""
        wanted = np.array(places, dtype=np.int64)
        left = np.searchsorted(self._starts, wanted, side="right") - 1
        distinct_left, which = np.unique(left, return_inverse=True)
        counts = self.counts(distinct_left)
        here = (np.cumsum(counts) - counts)[which] + wanted - self._starts[left]
        return list(zip(left.tolist(), self.of(distinct_left).right[here].tolist(), strict=True))

    def place(self, left: int, right: int) -> int:
        """Key of the pair of two databases."""
        return int(self._starts[left] + np.searchsorted(self.of(np.array([left])).right, right))


def _in_turn(at_once: AtOnce, databases: range) -> Iterator[Neighbours]:
    """The neighbours of these databases, a block of them after another."""
    size = max(1, AT_ONCE // at_once.most)
    for start in range(databases.start, databases.stop, size):
        yield at_once(np.arange(start, min(databases.stop, start + size)))


class _Counting:
    """Counts neighbours: those outside the domain of a part of it, and then those inside of each database."""

    def __init__(self, at_once: AtOnce) -> None:
        self._at_once = at_once

    def prepare(self) -> None:
        """Nothing is to be made."""

    def done(self, part: range) -> bytes:
        """See `Work`."""
        results = [(results.counts, results.outside) for results in _in_turn(self._at_once, part)]
        outside = np.array([sum(outside for _, outside in results)], dtype=np.int64)
        return zlib.compress(np.concatenate([outside, *(counts for counts, _ in results)]).tobytes(), 1)
