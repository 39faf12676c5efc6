"""Pairs of laws side by side, in parts that fit in memory."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpverify.verifiers.divergence.output_tables import distribution_table as law_table
from dpverify.verifiers.divergence.output_tables.distribution_table import DistributionTable, Floats
from dpverify.verifiers.problems.neighbours.neighbour_codes import Ids


@dataclass(frozen=True)
class Part:
    """Some of the pairs: which, the numbers of the probabilities of some laws, and the rows of each pair in them."""

    table: DistributionTable
    of: slice
    laws: Ids
    left: Ids
    right: Ids

    def numbers(self) -> tuple[Ids, Ids]:
        """The numbers of p and of q, pairs × outcomes."""
        return self.laws[self.left], self.laws[self.right]

    def values(self) -> tuple[Floats, Floats]:
        """p and q in float64, pairs × outcomes, to be overwritten at will."""
        values = self.table.values[self.laws]
        return values[self.left], values[self.right]


def pairs_in_parts(table: DistributionTable, left: Ids, right: Ids) -> Iterator[Part]:
    """The pairs in parts that fit in memory."""
    size = max(1, law_table.ENTRIES_AT_ONCE // max(1, len(table.outcomes)))
    for start in range(0, len(left), size):
        of = slice(start, min(start + size, len(left)))
        if table.everything is not None:
            yield Part(table, of, table.everything, left[of], right[of])
        else:
            laws, rows = np.unique(np.concatenate([left[of], right[of]]), return_inverse=True)
            count = of.stop - of.start
            yield Part(table, of, table.dense(laws), rows[:count], rows[count:])
