"""Utility of databases in the place of estimates and of longer databases: Remark 2.18 and Theorem 2.21."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any, Final

from dpverify.mechanisms.sanitizers import thresholds
from dpverify.mechanisms.sanitizers.proper_databases import (
    distance_of_estimates,
    nearest_database,
    rounded_database,
    shares_of,
    size_of_fixed_database,
)
from dpverify.mechanisms.sanitizers.two_parts import left_concepts
from dpverify.verifiers.calculations.claim import Broken, Calculation
from dpverify.verifiers.utility.statement import Sharpness

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"

# Remark 2.18: from improper to proper.

_POINTS: Final = range(3)
_CONCEPTS: Final = thresholds(2)[1:3]
"""The thresholds on three points that are not constant."""


def distance_of_nearest(estimates: tuple[Fraction, ...], true: tuple[Fraction, ...], size: int) -> Fraction:
    """How far the shares of the nearest database are from the true ones."""
    made = shares_of(_CONCEPTS, nearest_database(estimates, universe=_POINTS, concepts=_CONCEPTS, size=size))
    return distance_of_estimates(made, true)


def all_estimates(factor: int = 2) -> Iterator[dict[str, Any]]:
    """All databases S of 4 rows, and all estimates in eighths."""
    size = 4
    databases = {shares_of(_CONCEPTS, rows) for rows in combinations_with_replacement(_POINTS, size)}
    for estimates in product([Fraction(i, 8) for i in range(9)], repeat=2):
        for true in sorted(databases):
            alpha = distance_of_estimates(true, estimates)
            yield {"estimates": estimates, "true": true, "size": size, "alpha": alpha, "factor": factor}


proper = Calculation(
    id="BNS-J-2.18.utility.proper",
    source=f"{_BNS}, Remark 2.18",
    statement="where estimates are α-close to S, a database of |S| rows that is nearest to them is 2α-close to S; "
    "thresholds on three points, all S of 4 rows, all estimates in eighths",
    computed=distance_of_nearest,
    at_most=lambda factor, alpha: factor * alpha,
    cases=tuple(all_estimates()),
    mutants=[
        Broken(
            "a database of half as many rows as S has",
            {"computed": lambda estimates, true, size: distance_of_nearest(estimates, true, size // 2)},
        )
    ],
    sharpness=Sharpness(what="multiple of α", paper=2, family=all_estimates, least=0),
)


# Theorem 2.21: a database of fixed size.

_FOUR: Final = left_concepts(4)
"""All subsets of four points: VC = 4."""


def share_of_each(rows: tuple[int, ...]) -> tuple[Fraction, ...]:
    """The share of each of the four points."""
    return tuple(Fraction(rows.count(x), len(rows)) for x in range(4))


def distance_of_subsets(one: tuple[Fraction, ...], other: tuple[Fraction, ...]) -> Fraction:
    """The distance that the shares of a subset of the points can be apart."""
    apart = [a - b for a, b in zip(one, other, strict=True)]
    return max(abs(sum((apart[x] for x in range(4) if c(x)), Fraction(0))) for c in _FOUR)


def distance_of_rounded(rows: tuple[int, ...], size: int) -> Fraction:
    """How far the shares of subsets in the rounded database are from those in S."""
    return distance_of_subsets(share_of_each(rounded_database(rows, size)), share_of_each(rows))


def of_size(size: int) -> Iterator[dict[str, Any]]:
    """All databases of up to 3 rows on four points."""
    for m in range(1, 4):
        for rows in combinations_with_replacement(range(4), m):
            yield {"rows": rows, "size": size}


_SIZE: Final = size_of_fixed_database(vc=4, alpha=Fraction(1, 8))

fixed_size = Calculation(
    id="BNS-J-2.21.utility.fixed-size",
    source=f"{_BNS}, Theorem 2.21, an order, with the constant 50 of Theorem 2.14, from which it follows",
    statement="for all subsets of four points, VC = 4, and each database S some Ŝ of n > (50·VC/α²)·ln(1/α) rows is "
    "α-close to it; all S of up to 3 rows, α = 1/8",
    computed=distance_of_rounded,
    at_most=Fraction(1, 8),
    cases=tuple(of_size(_SIZE)),
    mutants=[Broken("a database of two rows", {"computed": lambda rows: distance_of_rounded(rows, 2)})],
    sharpness=Sharpness(what="rows of Ŝ, all subsets of four points, α = 1/8", paper=_SIZE, family=of_size),
)
