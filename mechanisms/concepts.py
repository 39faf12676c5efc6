"""Concept classes over the points 0, …, 2^d − 1, and labelled samples.

A concept is a hashable predicate; a labelled sample is a tuple of examples (x, y) with y in {0, 1}.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from dpverify.mechanisms.errors import InputError

Example: TypeAlias = tuple[int, int]
Concept: TypeAlias = Callable[[int], int]


@dataclass(frozen=True)
class Point:
    """c_j(x) = 1 exactly for x = j. Beimel, Nissim & Stemmer, journal version, Definition 3.1."""

    j: int

    def __call__(self, x: int) -> int:
        """The label of x."""
        return int(x == self.j)


@dataclass(frozen=True)
class Threshold:
    """c_j(x) = 1 exactly for x < j. Beimel, Nissim & Stemmer, journal version, Section 3.2."""

    j: int

    def __call__(self, x: int) -> int:
        """The label of x."""
        return int(x < self.j)


def points(d: int) -> tuple[Point, ...]:
    """POINT_d = {c_j : 0 ≤ j < 2^d}. Raises `InputError` unless d ≥ 0."""
    return tuple(map(Point, range(1 << _dimension(d))))


def thresholds(d: int) -> tuple[Threshold, ...]:
    """THRESH_d = {c_j : 0 ≤ j ≤ 2^d}, of 2^d + 1 concepts. Raises `InputError` unless d ≥ 0."""
    return tuple(map(Threshold, range((1 << _dimension(d)) + 1)))


def _dimension(d: int) -> int:
    if isinstance(d, bool) or not isinstance(d, int) or d < 0:
        raise InputError(f"d={d!r} is not a whole number ≥ 0")
    return d


def correct_labels(concept: Concept, sample: Iterable[Example]) -> int:
    """How many examples of the sample the concept labels as they are labelled: m·(1 − error_S(concept))."""
    return sum(concept(x) == y for x, y in sample)
