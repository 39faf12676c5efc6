"""The pairs of different distributions of neighbours, each once: block by block, so that they need not all be held."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from dpverify.verifiers.problems.neighbours import pairs as in_blocks
from dpverify.verifiers.problems.neighbours.neighbour_codes import Ids, Mask, Positions, distinct
from dpverify.verifiers.problems.neighbours.pairs import NeighbouringPairs, Sides
from dpverify.verifiers.processes.stopwatch import tell_stage

_HELD_AT_MOST: Final = 1 << 22
"""Pairs of distributions that are held, with 8 bytes for each; of no more it is marked which occur."""


class PairBlock(NamedTuple):
    """Some pairs of distributions: what each is known by, rising, and its two distributions."""

    names: Ids
    left: Ids
    right: Ids


class Compared:
    """The pairs of different distributions among those of neighbours, each once, by the left one, then the right one.

    `law_of` gives each database's law, of which there are `laws`.
    """

    def __init__(self, law_of: Ids, laws: int, pairs: NeighbouringPairs) -> None:
        self._law_of, self._laws, self._pairs = law_of, laws, pairs
        self._held: Ids | None = None
        self._count: int | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Compared, (self._law_of, self._laws, self._pairs)

    def blocks(self) -> Iterator[PairBlock]:
        """All of them, in blocks. Those that are not held are made anew each time."""
        held: list[Ids] | None = []
        count = 0
        for codes in self._codes() if self._held is None else _cut(self._held):
            yield PairBlock(codes, *np.divmod(codes, self._laws))
            count += len(codes)
            held = None if held is None or count > _HELD_AT_MOST else [*held, codes]
        self._count = count
        if held is not None and self._held is None:
            self._held = np.concatenate([np.zeros(0, dtype=np.int64), *held])

    @property
    def at_most(self) -> int:
        """Their number, or more: it costs nothing to know."""
        return min(self._pairs.count, self._laws**2) if self._count is None else self._count

    @property
    def count(self) -> int:
        """Their number."""
        if self._count is None:
            for _ in self.blocks():
                pass
        assert self._count is not None, "all blocks are counted"
        return self._count

    @count.setter
    def count(self, count: int) -> None:
        """Whoever has seen all of them in parts may say how many they are."""
        self._count = count

    @property
    def pairs_of_databases(self) -> int:
        """The number of pairs of neighbours that have them, those of one distribution counted in."""
        return self._pairs.count

    @property
    def left(self) -> Ids:
        """The left distribution of each, all at once."""
        return self._all() // self._laws

    @property
    def right(self) -> Ids:
        """The right distribution of each, all at once."""
        return self._all() % self._laws

    def _all(self) -> Ids:
        if self._held is None:
            results = [block.names for block in self.blocks()]
            return np.concatenate([np.zeros(0, dtype=np.int64), *results]) if self._held is None else self._held
        return self._held

    def first(self, names: Ids) -> tuple[int, int]:
        """The pair of databases that comes first in the domain among those with one of these pairs of distributions.

        `names` are in rising order. A pair comes where its later database comes, then where its earlier one does.
        """
        is_asked: Mask = np.zeros(self._laws, dtype=bool)
        for laws in np.divmod(names[names < self._laws**2], self._laws):
            is_asked[laws] = True
        for block in self._pairs.blocks(np.flatnonzero(is_asked[self._law_of])):
            later, earlier = self._pairs.of(block)
            is_later = earlier < later
            later, earlier = later[is_later], earlier[is_later].astype(np.int64)
            forth, back = (_among(names, self._named(*side)) for side in ((later, earlier), (earlier, later)))
            result = np.flatnonzero(forth | back)
            if len(result):
                at = result[0]
                sides = int(later[at]), int(earlier[at])
                return sides[::-1] if back[at] else sides
        raise LookupError("no pair of databases has these output distributions")

    # --- In parts

    def parts(self, most: int) -> list[range]:
        """All databases, in the order of their distributions, in stretches of about so many pairs at most."""
        ends = np.cumsum(self._pairs.counts(self._order))
        parts: list[range] = []
        while not parts or parts[-1].stop < len(ends):
            start = parts[-1].stop if parts else 0
            before = int(ends[start - 1]) if start else 0
            stop = int(np.searchsorted(ends, before + most, side="right"))
            parts.append(range(start, max(start + 1, stop)))
        return parts

    def blocks_of(self, part: range) -> Iterator[PairBlock]:
        """Those of a stretch with all neighbours of its databases, in blocks."""
        order = self._order[part.start : part.stop]
        first, last = (int(self._law_of[order[at]]) for at in (0, -1))
        turns = ((block, self._pairs.of(block)) for block in self._pairs.blocks(order))
        is_marked = (last - first + 1) * self._laws <= _HELD_AT_MOST
        for codes in self._marked(turns, first, last) if is_marked else self._sorted(turns):
            yield PairBlock(codes, *np.divmod(codes, self._laws))

    def laws_of(self, name: int) -> tuple[Ids, Ids]:
        """The two distributions of one pair of distributions."""
        left, right = divmod(name, self._laws)
        return np.array([left]), np.array([right])

    def pairs_in(self, part: range) -> int:
        """The number of pairs of databases that a stretch has."""
        return int(self._pairs.counts(self._order[part.start : part.stop]).sum())

    def laws_split_by(self, part: range) -> Ids:
        """The distributions, two at most, that databases of a stretch have and others before or behind it, too."""
        laws = self._law_of[self._order[max(0, part.start - 1) : part.stop + 1]]
        inner = slice(int(part.start > 0), int(part.start > 0) + len(part))
        outer = np.concatenate([laws[: inner.start], laws[inner.stop :]])
        return np.intersect1d(laws[inner], outer)

    @cached_property
    def _order(self) -> Ids:
        return np.argsort(self._law_of, kind="stable")

    def _named(self, left: Ids | Positions, right: Ids | Positions) -> Ids:
        """The ids of the pairs of distributions of some pairs of databases."""
        named: Ids = self._law_of[left] * self._laws + self._law_of[right]
        return named

    def _codes(self) -> Iterator[Ids]:
        """Their ids, in rising order and in blocks."""
        if self._laws**2 <= _HELD_AT_MOST:
            return self._marked(self._in_turn(), 0, self._laws - 1)
        return self._sorted(self._in_turn(self._order))

    def _in_turn(self, order: Ids | None = None) -> Iterator[tuple[Ids, Sides]]:
        """Blocks of left databases with their pairs; whoever waits sees how many there were."""
        done, began = 0, time.monotonic()
        for block in self._pairs.blocks(order):
            sides = self._pairs.of(block)
            yield block, sides
            done += len(sides.left)
            tell_stage(done, self._pairs.count, began)

    def _marked(self, turns: Iterable[tuple[Ids, Sides]], first: int, last: int) -> Iterator[Ids]:
        """Of databases with these distributions and those between."""
        occurs: Mask = np.zeros((last - first + 1) * self._laws, dtype=bool)
        for _, sides in turns:
            occurs[self._named(*sides) - first * self._laws] = True
        occurs[first :: self._laws + 1] = False  # one distribution on either side
        return _cut(np.flatnonzero(occurs) + first * self._laws)

    def _sorted(self, turns: Iterable[tuple[Ids, Sides]]) -> Iterator[Ids]:
        """Of databases in the order of their distributions, so that what was once put out does not come again."""
        pending: Ids = np.zeros(0, dtype=np.int64)
        for block, sides in turns:
            left, right = (self._law_of[side] for side in sides)
            different = left != right
            named = left[different] * self._laws + right[different]
            pending = distinct(np.concatenate([pending, named]))
            # more pairs whose left distribution is the last one may come
            end = int(np.searchsorted(pending, self._law_of[block[-1]] * self._laws))
            if end:
                yield pending[:end]
                pending = pending[end:]
        yield pending


def _cut(names: Ids) -> Iterator[Ids]:
    return (names[start : start + in_blocks.AT_ONCE] for start in range(0, len(names), in_blocks.AT_ONCE))


def _among(names: Ids, asked: Ids) -> Mask:
    """Mask of those that are among some in rising order, of which there is one at least."""
    mask: Mask = names[np.minimum(np.searchsorted(names, asked), len(names) - 1)] == asked
    return mask


@dataclass(frozen=True)
class ComparedAtEpsilon:
    """The pairs of distributions with densities at one ε; `of_pair` is which each pair of databases has, or -1."""

    left: Ids
    right: Ids
    of_pair: Ids
    pairs: NeighbouringPairs

    @property
    def count(self) -> int:
        """Their number."""
        return len(self.left)

    @property
    def at_most(self) -> int:
        """As of `Compared`."""
        return self.count

    def blocks(self) -> Iterator[PairBlock]:
        """All of them, in one block."""
        yield PairBlock(np.arange(self.count), self.left, self.right)

    def first(self, names: Ids) -> tuple[int, int]:
        """As of `Compared`."""
        flagged = np.flatnonzero((self.of_pair >= 0) & _among(names, self.of_pair))
        left, right = self.pairs.left[flagged], self.pairs.right[flagged]
        at = np.lexsort((left, np.minimum(left, right), np.maximum(left, right)))[0]
        return int(left[at]), int(right[at])


AnyCompared: TypeAlias = Compared | ComparedAtEpsilon
