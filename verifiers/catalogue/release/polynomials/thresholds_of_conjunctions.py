"""All small databases with thresholds of their conjunction counts, and the labels of these."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from math import lcm
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.release.chebyshev import least_count
from dpverify.mechanisms.release.conjunctions import Conjunction
from dpverify.mechanisms.release.multilinear import PolynomialThreshold

ONE_LESS: Final = "⌈tn⌉ − 1 in place of ⌈tn⌉"
Rows: TypeAlias = tuple[int, ...]


def databases(d: int, most: int) -> Iterator[Rows]:
    """All databases of up to so many rows of d attributes, in whatever order."""
    for n in range(1, most + 1):
        yield from combinations_with_replacement(range(1 << d), n)


def labels(rows: Rows, t: Fraction, queries: tuple[int, ...]) -> tuple[int, ...]:
    """f^D_t on the queries."""
    least = least_count(len(rows), t)
    return tuple(int(sum(map(Conjunction(q), rows)) >= least) for q in queries)


def wrong(hypothesis: Callable[[int], int], rows: Rows, t: Fraction, queries: tuple[int, ...]) -> int:
    """The number of queries that a hypothesis labels otherwise than f^D_t."""
    return sum(hypothesis(q) != label for q, label in zip(queries, labels(rows, t, queries), strict=True))


def cube(d: int) -> tuple[int, ...]:
    """All queries."""
    return tuple(range(1 << d))


def fewer(t: Fraction, rows: Rows, less: int) -> Fraction:
    """The share for which ⌈tn⌉ − `less` rows are enough."""
    return max(Fraction(0), t - Fraction(less, len(rows)))


def each_t(rows: Rows, d: int, least: int = 0) -> Iterator[dict[str, Any]]:
    """A database, with all t that differ, or those for which so many rows are asked for."""
    for number in range(least, len(rows) + 1):
        yield {"rows": rows, "t": Fraction(number, len(rows)), "d": d}


def with_thresholds(dimensions: tuple[int, ...], most: int, parameter: str) -> Iterator[dict[str, Any]]:
    """All databases, all t that differ, and all k or r from 1 to d."""
    for d in dimensions:
        for case in (case for rows in databases(d, most) for case in each_t(rows, d)):
            yield from (case | {parameter: k} for k in range(1, d + 1))


def signs_on_the_cube(polynomial: PolynomialThreshold, d: int) -> list[int]:
    """Its label of each q below 2^d, by one sum for each attribute and q, and not for each term and q."""
    scale = lcm(*(c.denominator for _, c in polynomial.terms))
    sums = [0] * (1 << d)
    for monomial, c in polynomial.terms:
        sums[monomial] = c.numerator * (scale // c.denominator)
    for i in range(d):
        bit = 1 << i
        for q in range(1 << d):
            if q & bit:
                sums[q] += sums[q ^ bit]
    return [int(value >= 0) for value in sums]
