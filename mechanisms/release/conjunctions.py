"""Monotone conjunctions of d attributes: the queries, the cells of marginals among them, and how many rows meet each.

A row u and a query q are whole numbers below 2^d; bit i of a row is its attribute i, and a query asks for the
attributes of its bits. Source: Hardt, Rothblum & Servedio, Section 2.1 and Section 5.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.integers.parameters import whole
from dpverify.mechanisms.sanitizers.concepts import checked_points

MOST_BITS: Final = 26
"""Up to so many attributes the counts of all 2^d conjunctions are kept, in half a gigabyte."""


@dataclass(frozen=True)
class Conjunction:
    """P(q, u) = 1 − ∨_{i: u_i=0} q_i, as a predicate of the row u: 1 where u has all attributes of q."""

    q: int

    def __call__(self, u: int) -> int:
        """1 where the row u has them all, and 0 elsewhere."""
        return int(self.q & ~u == 0)


def width(u: int, d: int) -> int:
    """The number of the d attributes that the row u lacks. Hardt, Rothblum & Servedio, Definition 5.6."""
    return d - u.bit_count()


def queries_of_weight(d: int, k: int) -> tuple[int, ...]:
    """The C(d, k) conjunctions of exactly k of d attributes, in increasing order. None for k > d.

    Raises `InputError` unless d ≥ 0 and k ≥ 0.
    """
    bits = [1 << i for i in range(whole(d, "d", 0))]
    return tuple(sorted(map(sum, combinations(bits, whole(k, "k", 0)))))


def sparse_queries(d: int, k: int) -> tuple[int, ...]:
    """B_k: the conjunctions of at most k of d attributes, lighter ones first.

    Source: Hardt, Rothblum & Servedio, Section 5.1.1. Raises `InputError` unless d ≥ 0 and k ≥ 0.
    """
    return tuple(q for weight in range(min(whole(k, "k", 0), d) + 1) for q in queries_of_weight(d, weight))


def literals(u: int, d: int) -> int:
    """The row of 2d attributes that has i where u has attribute i, and d + i where u lacks it.

    With it a conjunction of attributes and negated attributes is a monotone one. Raises `InputError` unless
    0 ≤ u < 2^d.
    """
    if not 0 <= u < 1 << whole(d, "d", 0):
        raise InputError(bad_input.RANGE, f"u={u}", f"from 0 to {(1 << d) - 1}")
    return u | (~u & (1 << d) - 1) << d


def marginal_cells(d: int, k: int) -> tuple[int, ...]:
    """The 2^k·C(d, k) cells of the k-way marginals of d attributes, as conjunctions of `literals`, in increasing order.

    Each names k attributes, and whether a row has each of them. Raises `InputError` unless d ≥ 0 and k ≥ 0.
    """
    return tuple(
        sorted(q & ~absent | (q & absent) << d for q in queries_of_weight(d, k) for absent in submasks_of(q, k))
    )


def submasks_of(q: int, most: int) -> tuple[int, ...]:
    """The subsets of the bits of q that have at most `most` bits, smaller subsets first."""
    bits = [1 << i for i in range(q.bit_length()) if q >> i & 1]
    return tuple(sum(chosen) for size in range(min(most, len(bits)) + 1) for chosen in combinations(bits, size))


def conjunction_counts(rows: Sequence[int], d: int) -> Sequence[int]:
    """c[q] = |D|·f^D(q) for all q below 2^d: how many rows have all attributes of q.

    By the superset-sum transform: one step a row and d·2^(d−1) additions, exact, as no count exceeds the number of
    rows. The sequence is read-only; `numpy.asarray` of it copies nothing. Raises `InputError` without rows, where one
    is not from 0 to 2^d − 1, and where d exceeds `MOST_BITS`.
    """
    import numpy as np

    if whole(d, "d", 0) > MOST_BITS:
        raise InputError(
            bad_input.BEYOND, f"d={d}", f"{MOST_BITS}, as all 2^d conjunctions are counted", "choose a smaller one"
        )
    checked_points(rows, d)
    counts = np.bincount(np.asarray(rows, dtype=np.int64), minlength=1 << d).astype(np.int64, copy=False)
    for i in range(d):
        # c[q] += c[q ∪ {i}] for all q without i
        halves = counts.reshape(-1, 2, 1 << i)
        halves[:, 0] += halves[:, 1]
    counts.setflags(write=False)
    return counts.data


def cell_counts(rows: Sequence[int], cells: Sequence[int], d: int) -> tuple[int, ...]:
    """The number of rows of d attributes in each cell, a conjunction of `literals`.

    By inclusion and exclusion: of the rows with the attributes that a cell asks for, those that have none of the
    attributes that it excludes. Raises `InputError` as `conjunction_counts` does.
    """
    counts = conjunction_counts(rows, d)
    return tuple(
        sum((-1) ** some.bit_count() * counts[has | some] for some in submasks_of(lacks, d))
        for has, lacks in ((cell & (1 << d) - 1, cell >> d) for cell in cells)
    )
