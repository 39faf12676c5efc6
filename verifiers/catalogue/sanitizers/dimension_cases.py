"""The VC dimension as a mechanism that draws nothing, and what is shattered but for one labelling, as its mutant."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import combinations
from typing import Any, TypeAlias

from dpverify.mechanisms.sanitizers.dimensions import Behaviours, dichotomies, vc_dimension

Family: TypeAlias = Callable[..., Behaviours]
"""The behaviours of a class on all points of its domain, by its parameters, such as d."""

_remembered = lru_cache(maxsize=256)


@_remembered
def _class(family: Family, size: tuple[int, ...]) -> Behaviours:
    return family(*size)


def vc_found(draw: object, size: tuple[int, ...], *, family: Family) -> int:
    """VC(C) by exhaustive search, of the class of that size."""
    return vc_dimension(_class(family, size)).vc


def vc_with_one_missing(draw: object, size: tuple[int, ...], *, family: Family) -> int:
    """The largest set of points of which the class has all labellings but at most one."""
    return nearly_shattered(_class(family, size))


def nearly_shattered(concepts: Behaviours) -> int:
    """The size of the largest set with at least 2^|B| − 1 dichotomies."""
    found = 0
    while found < len(concepts.points) and any(
        len(dichotomies(concepts, some)) >= (2 << found) - 1 for some in combinations(concepts.points, found + 1)
    ):
        found += 1
    return found


def every_class(size: int, chosen: int) -> Behaviours:
    """Over the points 0, …, size − 1 the class whose behaviours are the bits of `chosen`, of 2^(2^size) − 1."""
    every: tuple[Any, ...] = tuple(range(size))
    return Behaviours(every, tuple(b for b in range(1 << size) if chosen >> b & 1))
