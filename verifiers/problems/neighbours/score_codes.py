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

from collections.abc import Hashable, Sequence
from typing import Final

import numpy as np

from dpverify.verifiers.problems.neighbours.neighbour_codes import Ids, Neighbours, Positions, sorted_out

_MARGIN: Final = 2
"""Distance beyond the smallest and the largest score that a vector may move."""

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

    def find(self, codes: Ids) -> Ids | Positions:
        """The positions in the domain of the vectors with these numbers; `count` for those that do not."""
        if self._table is not None:
            return self._table[codes]
        at = np.minimum(np.searchsorted(self._rising, codes), self.count - 1)
        return np.where(self._rising[at] == codes, self._order[at], self.count)


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
