"""One pair of neighbours for all those that a symmetry makes of each other, on the domains and relations known here.

Of a mechanism that is symmetric by construction (`mechanisms/drawing/symmetric.py`) pairs (D, D′) and (gD, gD′) have
one divergence: docs/theorems.md. So one pair of each orbit is made, directly: a database with falling counts or scores,
and of its neighbours one for each way to move what is not tied. All relations here are symmetric, so that the orbits of
the ordered pairs from such databases are those of all ordered pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import combinations_with_replacement, groupby, islice, product
from math import factorial, prod
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dpverify.mechanisms.drawing.symmetric import Relabellings, ScoreSymmetry, Symmetry
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.reasons.reason import or_raise
from dpverify.verifiers.problems.questions.domains import Domain, LabelledSamples, Multisets, Tuples
from dpverify.verifiers.problems.questions.moves import (
    AddsOrRemoves,
    Moves,
    NeighbourRelation,
    Replaces,
    ScoreVector,
    Shifts,
    moves_of,
)
from dpverify.verifiers.problems.questions.row_orders import DatabaseRow
from dpverify.verifiers.problems.questions.score_domains import ScoreSpace

_Vectors: TypeAlias = NDArray[np.int64]


class Orbits(NamedTuple):
    """One ordered pair of neighbours for each orbit, and what all of them are."""

    pairs: Sequence[tuple[Hashable, Hashable]]
    covered: int
    """Ordered pairs of neighbours in the domain."""
    outside: int
    """Neighbours outside of the domain."""
    databases: int
    """Databases of the domain."""


_Order: TypeAlias = Callable[[Any], Any]
"""Key by which databases are sorted where they are to come as in the domain."""


def orbits_of(
    symmetry: Symmetry, domain: Domain, relation: NeighbourRelation, most: int
) -> tuple[Orbits, _Order] | None:
    """The orbits of the pairs of a domain, and how its databases are ordered; None where they are not known.

    They are known of domains that the symmetry maps into themselves, or that are part of such a one, and of relations
    that it leaves as they are. Raises `InputError` for more than `most` databases that are not made of each other.
    """
    moves = moves_of(relation)
    if type(symmetry) is Relabellings:
        if type(domain) not in (Tuples, Multisets, LabelledSamples):
            return None
        assert isinstance(domain, Tuples | Multisets)
        is_known = moves == Replaces() or (moves == AddsOrRemoves() and isinstance(domain, Multisets))
        if not is_known or not set(symmetry.universe).issuperset(domain.universe):
            return None
        rank = {row: place for place, row in enumerate(domain.universe)}
        return _of_rows(domain, moves, most), lambda rows: (len(rows), tuple(rank[row] for row in rows))
    if type(symmetry) is not ScoreSymmetry:  # a symmetry of somebody's own may be none
        return None
    if isinstance(moves, Shifts) and not moves.best_is_0 and type(domain) is ScoreSpace and _are_small(domain.scores):
        return _of_scores(symmetry, domain, moves, most), lambda s: (max(s), sum(s), s)
    return None


def _are_small(scores: Sequence[int]) -> bool:
    """True where scores, and those beside them, fit where vectors are compared many at once."""
    return scores[0] > -_LARGEST and scores[-1] < _LARGEST and scores[-1] - scores[0] < _WIDE - 2


def _few(vectors: Iterator[ScoreVector], most: int) -> list[ScoreVector]:
    score_vectors = list(islice(vectors, most + 1))
    if len(score_vectors) > most:
        raise InputError(
            bad_input.TOO_MANY,
            "domain",
            f"{most:,} databases that are not made of each other",
            f", or {or_raise('databases')}",
        )
    return score_vectors


def _orders_of(vector: Sequence[int]) -> int:
    """The number of distinct orders that the numbers of a falling vector have."""
    return factorial(len(vector)) // prod(factorial(sum(1 for _ in block)) for _, block in groupby(vector))


# Rows: vectors of counts


def _of_rows(domain: Tuples | Multisets, moves: Moves | None, most: int) -> Orbits:
    ordered = isinstance(domain, Tuples)
    universe, sizes = domain.universe, set(domain.sizes)
    pairs: list[tuple[Hashable, Hashable]] = []
    covered = outside = databases = 0
    partitions = (counts for n in domain.sizes for counts in _partitions(n, len(universe), n))
    for counts in _few(partitions, most):
        n = sum(counts)
        rows = tuple(row for row, count in zip(universe, counts, strict=True) for _ in range(count))
        alike = _orders_of(counts) * (factorial(n) // prod(map(factorial, counts)) if ordered else 1)
        databases += alike
        for removed, added, ways in _ways(counts, moves):
            if n - (removed is not None) + (added is not None) not in sizes:
                outside += alike * ways
                continue
            covered += alike * ways * (counts[removed] if ordered and removed is not None else 1)
            left = None if removed is None else universe[removed]
            pairs.append((rows, _moved(domain, rows, left, () if added is None else (universe[added],))))
    return Orbits(pairs, covered, outside, databases)


def _partitions(n: int, parts: int, largest: int) -> Iterator[ScoreVector]:
    """The falling vectors of `parts` counts ≤ `largest` with the sum n."""
    if parts == 0:
        if n == 0:
            yield ()
        return
    for first in range(min(n, largest), -1, -1):
        if first * parts < n:
            return
        for rest in _partitions(n - first, parts - 1, first):
            yield (first, *rest)


def _ways(counts: ScoreVector, moves: Moves | None) -> Iterator[tuple[int | None, int | None, int]]:
    """One move for each orbit of them: the place of a row less, that of a row more, and how many are alike."""
    blocks: list[range] = []
    for _, block in groupby(range(len(counts)), key=counts.__getitem__):
        places = list(block)
        blocks.append(range(places[0], places[-1] + 1))
    filled = [block for block in blocks if counts[block[0]]]
    if isinstance(moves, Replaces):
        for less, more in product(filled, blocks):
            ways = len(less) * (len(more) - (less == more))
            if ways:
                yield less[-1], more[0], ways
    else:
        yield from ((less[-1], None, len(less)) for less in filled)
        yield from ((None, more[0], len(more)) for more in blocks)


def _moved(
    domain: Tuples | Multisets, rows: tuple[DatabaseRow, ...], less: DatabaseRow | None, more: tuple[DatabaseRow, ...]
) -> Hashable:
    """A database with a row replaced, taken out or put in."""
    at = len(rows) if less is None else rows.index(less)
    return domain.canonical((*rows[:at], *more, *rows[at + 1 :]))


# Vectors of scores, many at once


_LARGEST: Final = 1 << 60

_AT_ONCE: Final = 1 << 20
"""Numbers of neighbours that are held in memory at once."""


def _of_scores(symmetry: ScoreSymmetry, domain: ScoreSpace, moves: Shifts, most: int) -> Orbits:
    vectors = _few(_score_vectors(symmetry, domain), most)
    weights = np.array([_orders_of(vector) if symmetry.permuted else 1 for vector in vectors], dtype=object)
    steps = np.array(list(moves.steps(domain.solutions)), dtype=np.int64)
    lowest = domain.scores[0]
    width = 1 + domain.scores[-1] - lowest
    results: dict[Hashable, tuple[ScoreVector, ScoreVector]] = {}
    covered = outside = 0
    size = max(1, _AT_ONCE // steps.size)
    for start in range(0, len(vectors), size):
        block = np.array(vectors[start : start + size], dtype=np.int64)
        of = np.repeat(np.arange(len(block)), len(steps))
        others = (block[:, None, :] + steps[None, :, :]).reshape(-1, domain.solutions)
        inside = np.isin(others, domain.scores).all(axis=1)
        alike = weights[start : start + size]
        covered += int((alike * np.bincount(of[inside], minlength=len(block))).sum())
        outside += int((alike * np.bincount(of[~inside], minlength=len(block))).sum())
        of, others = of[inside], others[inside]
        for key, i in _first_of_each(symmetry, block[of] - lowest, others - lowest, width):
            results.setdefault(key, (vectors[start + int(of[i])], tuple(others[i].tolist())))
    return Orbits(list(results.values()), covered, outside, int(weights.sum()))


def _score_vectors(symmetry: ScoreSymmetry, domain: ScoreSpace) -> Iterator[ScoreVector]:
    """The falling vectors of a domain; all of them where they are not permuted."""
    if not symmetry.permuted:
        yield from domain
    else:
        yield from combinations_with_replacement(domain.scores[::-1], domain.solutions)


def _first_of_each(
    symmetry: ScoreSymmetry, left: _Vectors, right: _Vectors, width: int
) -> Iterator[tuple[Hashable, int]]:
    """The keys of the orbits of pairs of vectors with scores from 0 to width − 1, and of each the first pair.

    Such an orbit is a multiset of pairs of scores if candidates are permuted; and each of the two vectors is what it is
    up to a shift if scores are shifted, as outcomes stay what they are.
    """
    if symmetry.shifted:
        left, right = (side - side.min(axis=1, keepdims=True) for side in (left, right))
    columns = left * width + right
    if symmetry.permuted:
        columns.sort(axis=1)
    if width ** (2 * columns.shape[1]) < _WIDE**2:  # as one number, which is sorted in a tenth of the time
        codes, first = np.unique(columns @ (width**2) ** np.arange(columns.shape[1]), return_index=True)
        return zip(codes.tolist(), first.tolist(), strict=True)
    rows, first = np.unique(columns, axis=0, return_index=True)
    return ((row.tobytes(), int(i)) for row, i in zip(rows, first, strict=True))


_WIDE: Final = 1 << 31
"""More than a score may be, counted from the lowest one, for a pair of them to be one number."""
