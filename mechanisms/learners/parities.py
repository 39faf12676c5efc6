"""Parities over GF(2): the k-learner of Bun, Nissim & Stemmer, on bit-packed rows, and the parity nearest to a concept.

A vector of {0, 1}^d is a whole number below 2^d; a row is (x, labels), and bit j of `labels` its label for concept j.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Any, TypeAlias

from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive, whole
from dpverify.mechanisms.numbers.integers.whole_numbers import WHOLE
from dpverify.mechanisms.sanitizers.concepts import refuse_empty
from dpverify.mechanisms.selection.of_rows import select_by_quality
from dpverify.mechanisms.selection.stability import choose_by_stability, gap_needed

_Row: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Parity:
    """c_y(x) = ⟨x, y⟩ mod 2. Bun, Nissim & Stemmer, Section 2."""

    y: int

    def __call__(self, x: int) -> int:
        """The label of x."""
        return (self.y & x).bit_count() % 2


def parities(d: int) -> tuple[Parity, ...]:
    """PARITY_d = {c_y : y ∈ {0, 1}^d}. Bun, Nissim & Stemmer, Section 2. Raises `InputError` unless d ≥ 0."""
    return tuple(map(Parity, range(1 << whole(d, "d", 0))))


def learn_parities(
    draw: Draw,
    rows: Sequence[_Row],
    *,
    d: int,
    k: int,
    size: int,
    epsilon: ExactLike,
    delta: ExactLike,
    selection: Mechanism = choose_by_stability,
) -> Any:
    """The vector of k parities that most of the subsamples of `size` rows determine, or ⊥.

    Source: Bun, Nissim & Stemmer, Algorithm 4 and Theorem 3.12. `size` is s = d + O(1), and rows beyond a multiple of
    it are left out. `selection` is the A_dist in use: the corrected one, with which this is (ε,δ)-private, and not the
    printed one of their Algorithm 3 (`choose_by_stability_journal`), with which it is not. Where a subsample leaves a
    parity open, the one with zeros there is taken; where labels contradict each other, the subsample gives ⊥. Raises
    `InputError` for an empty sample, a bad row, fewer than `size` rows, or a parameter out of range.
    """
    # 1 to 3
    chosen = draw(
        select_by_quality,
        rows,
        quality=partial(subsamples_with_vector, d=d, k=k, size=size),
        selection=selection,
        epsilon=positive(epsilon, "epsilon"),
        delta=open_unit(delta, "delta"),
    )
    return tuple(map(Parity, chosen)) if isinstance(chosen, tuple) else chosen


def subsamples_with_vector(rows: Sequence[_Row], *, d: int, k: int, size: int) -> dict[tuple[int, ...], int]:
    """Vector of k parities → how many subsamples of `size` rows determine it; of those that none does, two for all.

    Raises `InputError` for an empty sample, a bad row, or fewer than `size` rows.
    """
    _check(rows, whole(d, "d", 1), whole(k, "k", 1))
    s = whole(size, "size", 1)
    if len(rows) < s:
        raise InputError(bad_input.NOT_ONE_EACH, f"{len(rows)} rows", f"one subsample of {s}")
    determined = [solution(rows[i : i + s], d, k) for i in range(0, len(rows) - s + 1, s)]
    count = Counter(vector for vector in determined if vector is not None)
    unseen = ((0,) * k, (*(0,) * (k - 1), 1))
    return {vector: count[vector] for vector in sorted({*count, *unseen})}


def solution(rows: Sequence[_Row], d: int, k: int) -> tuple[int, ...] | None:
    """The y_j with ⟨x, y_j⟩ = label j for all rows, j < k, with zeros where they are free; None where there are none.

    Gaussian elimination over GF(2) with all k right sides at once.
    """
    labels = (1 << k) - 1
    by_pivot: dict[int, int] = {}  # the leading bit of x → x and its labels in one number
    for x, y in rows:
        row = x << k | y
        while row > labels:
            pivot = row.bit_length()
            if pivot not in by_pivot:
                by_pivot[pivot] = row
                break
            row ^= by_pivot[pivot]
        else:
            if row:
                return None  # 0 = 1
    # back substitution, from the smallest pivot: what stands below a pivot is known, or free and 0
    bits = [0] * d  # bit j of bits[i] is bit i of y_j
    for pivot in sorted(by_pivot):
        row = by_pivot[pivot]
        value, rest = row & labels, row >> k
        top = pivot - k - 1
        rest ^= 1 << top
        while rest:
            low = rest & -rest
            value ^= bits[low.bit_length() - 1]
            rest ^= low
        bits[top] = value
    return tuple(sum((bits[i] >> j & 1) << i for i in range(d)) for j in range(k))


def nearest_parity(hypothesis: Callable[[int], int], d: int) -> Parity:
    """The first parity that agrees with a hypothesis on the most points of {0, 1}^d, by the Walsh–Hadamard transform.

    Source: Bun, Nissim & Stemmer, Lemma 5.3. It takes d·2^d steps.
    """
    agreement = walsh_hadamard([1 - 2 * hypothesis(x) for x in range(1 << whole(d, "d", 0))])
    return Parity(agreement.index(max(agreement)))


def walsh_hadamard(values: Sequence[int]) -> list[int]:
    """Σ_x values[x]·(−1)^⟨x, y⟩ for each y, for 2^d values; in d·2^d steps."""
    sums = list(values)
    step = 1
    while step < len(sums):
        for start in range(0, len(sums), 2 * step):
            for i in range(start, start + step):
                sums[i], sums[i + step] = sums[i] + sums[i + step], sums[i] - sums[i + step]
        step *= 2
    return sums


@sized(learn_parities, name="subsamples")
def subsamples_for_parities(
    *, beta: ExactLike, epsilon: ExactLike, delta: ExactLike, selection: Mechanism = choose_by_stability
) -> int:
    """The least whole t ≥ 1 with t/3 ≥ `gap_needed` at β/2: subsamples, of which two in three give the parities.

    The gap is (2/ε)·ln(1/(2βδ)) + 2, and (1/ε)·ln(2/(βδ)) for the printed `selection=choose_by_stability_journal`; the
    paper states the order of t alone. Raises `InputError` where a parameter is out of range.
    """
    gap = gap_needed(beta=open_unit(beta, "beta") / 2, epsilon=epsilon, delta=delta, selection=selection)
    return max(1, ceil(3 * gap))


def _check(rows: Sequence[_Row], d: int, k: int) -> None:
    refuse_empty(rows)
    for i, row in enumerate(rows):
        if not isinstance(row, tuple) or len(row) != 2 or not all(type(part) in WHOLE for part in row):
            raise InputError(bad_input.ROW, i, repr(row), "a pair of integers", "(x, labels)")
        x, y = row
        if not 0 <= x < 1 << d:
            raise InputError(bad_input.ROW, i, f"with x={x}", f"of {d} bits", f"x of {d} bits")
        if not 0 <= y < 1 << k:
            raise InputError(bad_input.ROW, i, f"with labels={y}", f"of {k} bits", f"labels of {k} bits")
