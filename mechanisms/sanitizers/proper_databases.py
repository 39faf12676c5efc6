"""Databases that stand for estimates, or for longer databases: what makes a sanitizer proper, and its output short.

Source: Beimel, Nissim & Stemmer, journal version, Remark 2.18 and Theorem 2.21. Both are post-processing.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import ceil
from typing import TypeVar

from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.numbers.integers.parameters import open_unit, whole
from dpverify.mechanisms.sanitizers.concepts import refuse_no_concepts

_Row = TypeVar("_Row", bound=Hashable)


def shares_of(concepts: Sequence[Callable[[_Row], int]], rows: Sequence[_Row]) -> tuple[Fraction, ...]:
    """Q_c of each concept: the share of the rows that satisfy it. Raises `InputError` without rows or concepts."""
    refuse_no_concepts(concepts)
    if not rows:
        raise InputError(bad_input.IS_EMPTY, "the database", "row")
    return tuple(Fraction(sum(map(c, rows)), len(rows)) for c in concepts)


def distance_of_estimates(one: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    """The least α with which two estimates of the same concepts are α-close."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def nearest_database(
    estimates: Sequence[Fraction], *, universe: Sequence[_Row], concepts: Sequence[Callable[[_Row], int]], size: int
) -> tuple[_Row, ...]:
    """The first database of `size` rows of the universe whose shares of the concepts are nearest to the estimates.

    Remark 2.18: where the estimates are α-close to a database of that many rows, this one is 2α-close to it. It lists
    all databases. Raises `InputError` unless there is one estimate for each concept, and size ≥ 1.
    """
    refuse_no_concepts(concepts)
    if len(estimates) != len(concepts):
        raise InputError(bad_input.NOT_ONE_EACH, f"{len(estimates)} estimates", f"{len(concepts)} concepts")
    return min(
        combinations_with_replacement(universe, whole(size, "size", 1)),
        key=lambda rows: distance_of_estimates(shares_of(concepts, rows), estimates),
    )


def rounded_database(rows: Sequence[int], size: int) -> tuple[int, ...]:
    """A database of `size` rows in which each point has nearly its share: by the largest remainders.

    Theorem 2.21 says that some database is near, whatever the number of the rows. Raises `InputError` without rows, and
    unless size ≥ 1.
    """
    if not rows:
        raise InputError(bad_input.IS_EMPTY, "the database", "row")
    n = whole(size, "size", 1)
    counts = Counter(rows)
    points = sorted(counts)
    exact = {x: Fraction(n * counts[x], len(rows)) for x in points}
    copies = {x: int(share) for x, share in exact.items()}
    by_remainder = sorted(points, key=lambda x: copies[x] - exact[x])
    for x in by_remainder[: n - sum(copies.values())]:
        copies[x] += 1
    return tuple(x for x in points for _ in range(copies[x]))


@sized(nearest_database, rounded_database, name="size")
def size_of_fixed_database(*, vc: int, alpha: ExactLike) -> int:
    """The least whole n > (50·VC/α²)·ln(1/α), for which Theorem 2.14 makes a database exist: Theorem 2.21.

    That is where its probability is positive, which it is for any β < 1. Raises `InputError` where a parameter is out
    of range.
    """
    a = open_unit(alpha, "alpha")
    bound = 50 * whole(vc, "vc", 1) / a**2 * log(1 / a)
    least = ceil(bound)
    return least + 1 if least == bound else least
