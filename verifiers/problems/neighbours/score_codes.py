"""The neighbours of many score vectors at once, where domain and relation are both of dpverify.

A vector is a number with a digit for each score, with a margin around it: a step is a number that is added, and a table
says where the sum stands in the domain. Scores of 0 and 1 with a margin of 2 below and above have six digits, -2, …, 3:
(1, 0) has the digits 3 and 2, each so far from -2, and is 3·6 + 2 = 20.

>>> domain = [(0, 0), (0, 1), (1, 0), (1, 1)]
>>> vectors = Vectors(domain, solutions=2, least=0, largest=1)
>>> vectors.strides.tolist(), vectors.codes.tolist()
([6, 1], [14, 15, 20, 21])

One more for the second score is 1 more. From (1, 0) that leads to (1, 1), the last of the domain, whose places begin at
0; and from (0, 1) out of it, to (0, 2), of which 4 tells, the number of vectors.

>>> vectors.find(vectors.codes + 1).tolist()
[1, 4, 3, 4]
"""

from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations
from typing import Final

import numpy as np

from dpverify.verifiers.problems.neighbours.neighbour_codes import Ids, Neighbours, Positions, sorted_out

_MARGIN: Final = 2
"""Distance beyond the smallest and the largest score that a vector may move, until its best score is 0 again."""

_LARGEST_CODE: Final = 1 << 62

_LARGEST_TABLE: Final = 10_000_000
"""Numbers, margins included, up to which a table says where the vector of each stands in the domain."""

_VECTORS_AT_ONCE: Final = 1 << 16


class Vectors:
    """Vectors of whole scores from `least` to `largest` as numbers, and where each stands in the domain."""

    def __init__(self, databases: Sequence[Hashable], solutions: int, least: int, largest: int) -> None:
        self._width, self._lowest = _width(least, largest), least - _MARGIN
        self.strides: Ids = np.array([self._width ** (solutions - 1 - i) for i in range(solutions)], dtype=np.int64)
        self.count, self.solutions = len(databases), solutions
        self.codes: Ids = np.empty(self.count, dtype=np.int64)
        for start in range(0, self.count, _VECTORS_AT_ONCE):
            scores = np.array(databases[start : start + _VECTORS_AT_ONCE], dtype=np.int64)
            self.codes[start : start + len(scores)] = (scores - self._lowest) @ self.strides
        self._table: Positions | None = None
        if self._width**solutions <= _LARGEST_TABLE:
            self._table = np.full(self._width**solutions, self.count, dtype=np.int32)
            self._table[self.codes] = np.arange(self.count, dtype=np.int32)
        else:
            self._order = np.argsort(self.codes)
            self._rising = self.codes[self._order]

    @staticmethod
    def fit(solutions: int, least: int, largest: int) -> bool:
        """True where their numbers are of 64 bits."""
        return solutions < 64 and _width(least, largest) ** solutions < _LARGEST_CODE

    def scores(self, positions: Ids) -> Ids:
        """The scores of the vectors at some positions, a line for each."""
        return self.codes[positions][:, None] // self.strides % self._width + self._lowest

    def find(self, codes: Ids) -> Ids | Positions:
        """The positions in the domain of the vectors with these numbers; `count` for those that do not."""
        if self._table is not None:
            return self._table[codes]
        at = np.minimum(np.searchsorted(self._rising, codes), self.count - 1)
        return np.where(self._rising[at] == codes, self._order[at], self.count)

    def found(self, left: Ids, codes: Ids) -> Neighbours:
        """The vectors with these numbers, a line for each of `left`; equal ones once, and not the vector itself."""
        codes.sort(axis=1)
        again = codes == self.codes[left][:, None]
        again[:, 1:] |= np.diff(codes, axis=1) == 0
        found = self.find(codes)
        outside = int(((found == self.count) & ~again).sum())
        return sorted_out(np.where(again, self.count, found), self.count, outside)


def _width(least: int, largest: int) -> int:
    return largest - least + 1 + 2 * _MARGIN


class ScoresMoved:
    """The score vectors that are some steps away, all of them different ones and none of them 0."""

    def __init__(self, vectors: Vectors, steps: Sequence[Sequence[int]]) -> None:
        self._vectors = vectors
        self._steps: Ids = np.array(steps, dtype=np.int64) @ vectors.strides
        self.most = len(steps)

    def __call__(self, left: Ids) -> Neighbours:
        """As of `AtOnce`."""
        result = self._vectors.find(self._vectors.codes[left][:, None] + self._steps)
        return sorted_out(result, self._vectors.count, int((result == self._vectors.count).sum()))


class GapsMoved:
    """As `ScoresMoved`, with the best score brought back to 0; no step moves a score by more than 1."""

    def __init__(self, vectors: Vectors, steps: Sequence[Sequence[int]]) -> None:
        self._vectors = vectors
        self._steps: Ids = np.array(steps, dtype=np.int64) @ vectors.strides
        bits = 1 << np.arange(vectors.solutions)
        self._raised, self._kept = ((np.array(steps) == step) @ bits for step in (1, 0))
        self._bits: Ids = bits
        self.most = 2 * len(steps)

    def __call__(self, left: Ids) -> Neighbours:
        """As of `AtOnce`."""
        scores = self._vectors.scores(left)
        best, second = (((scores == score) @ self._bits)[:, None] for score in (0, -1))
        is_1 = (best & self._raised) != 0
        is_0 = (best & self._kept | second & self._raised) != 0
        largest = np.where(is_1, 1, np.where(is_0, 0, -1))
        codes = self._vectors.codes[left][:, None] + self._steps - largest * self._vectors.strides.sum()
        return self._vectors.found(left, codes)


class ScoresGrown:
    """Neighbours of vectors by `bounded_growth`: one row less, as far as the rows of the others allow, and one more."""

    def __init__(self, vectors: Vectors, rows: int, growth: int) -> None:
        self._vectors, self._rows, self._growth = vectors, rows, growth
        self._raises: Ids = np.array(list(raises(vectors.solutions, growth)), dtype=np.int64)
        self._steps: Ids = self._raises @ vectors.strides
        self.most = 2 * len(self._raises) ** 2

    def __call__(self, left: Ids) -> Neighbours:
        """As of `AtOnce`."""
        scores = self._vectors.scores(left)
        fewer = scores[:, None, :] - self._raises
        others = self._rows - 1
        is_possible = (
            (fewer >= 0).all(axis=2) & (fewer <= others).all(axis=2) & (fewer.sum(axis=2) <= self._growth * others)
        )
        own = self._vectors.codes[left][:, None, None]
        codes = np.where(is_possible[:, :, None], own - self._steps[:, None] + self._steps, own)
        return self._vectors.found(left, codes.reshape(len(left), -1))


def raises(solutions: int, growth: int) -> Iterator[tuple[int, ...]]:
    """The scores that one row may raise: every vector of 0s and at most `growth` 1s."""
    for count in range(min(growth, solutions) + 1):
        for raised in combinations(range(solutions), count):
            places = set(raised)
            yield tuple(int(place in places) for place in range(solutions))
