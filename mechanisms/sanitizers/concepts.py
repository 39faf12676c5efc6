"""Concept classes over the points 0, …, 2^d − 1, and labelled samples.

A concept is a hashable predicate; a labelled sample is a tuple of examples (x, y) with y in {0, 1}.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any, TypeAlias, TypeVar

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.integers.whole_numbers import WHOLE
from dpverify.mechanisms.sanitizers.long_databases import remembered_of_tuple

Example: TypeAlias = tuple[int, int]
Sample: TypeAlias = Iterable[Example] | Mapping[Example, int]
"""Examples one by one, or each with how often it occurs."""
Concept: TypeAlias = Callable[[int], int]
Hypothesis = TypeVar("Hypothesis", bound=Callable[..., int])


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


@dataclass(frozen=True)
class AllZero:
    """The concept that labels everything 0. Beimel, Nissim & Stemmer, journal version, Remark 3.3."""

    def __call__(self, x: int) -> int:
        """The label of x, 0."""
        return 0


def points(d: int) -> tuple[Point, ...]:
    """POINT_d = {c_j : 0 ≤ j < 2^d}. Raises `InputError` unless d ≥ 0."""
    return tuple(map(Point, range(1 << _dimension(d))))


def thresholds(d: int) -> tuple[Threshold, ...]:
    """THRESH_d = {c_j : 0 ≤ j ≤ 2^d}, of 2^d + 1 concepts. Raises `InputError` unless d ≥ 0."""
    return tuple(map(Threshold, range((1 << _dimension(d)) + 1)))


def _dimension(d: int) -> int:
    if isinstance(d, bool) or not isinstance(d, int) or d < 0:
        raise InputError(bad_input.NOT_WHOLE, f"d={d!r}", " ≥ 0")
    return d


def checked_sample(sample: Sequence[Example], d: int) -> int:
    """2^d, the number of points. Raises `InputError`, naming the row, where an example is not (point, label)."""
    size = 1 << _dimension(d)
    if _are_plain_examples(sample, size):
        return size
    for i, example in enumerate(sample):
        if not isinstance(example, tuple) or len(example) != 2:
            raise InputError(bad_input.ROW, i, repr(example), "an example", "(point, label)")
        x, y = example
        _check_point(f"row {i}", x, size)
        if isinstance(y, bool) or y not in (0, 1):
            raise InputError(bad_input.ROW, i, f"with the label {y!r}", "labelled 0 or 1", "0 or 1")
    return size


def checked_points(rows: Sequence[int], d: int, name: str = "row") -> int:
    """2^d, the number of points. Raises `InputError` without rows, and, naming it, where a row is no such point."""
    size = 1 << _dimension(d)
    if not rows:
        raise InputError(bad_input.IS_EMPTY, "the database", "row")
    if _are_plain_points(rows, size):
        return size
    for i, x in enumerate(rows):
        _check_point(f"{name} {i}", x, size)
    return size


@remembered_of_tuple
def _are_plain_points(rows: Sequence[object], size: int) -> bool:
    """True where all are numbers in [0, size): without a step of Python for each row, as databases are long."""
    return isinstance(rows, tuple | list) and set(map(type, rows)) <= WHOLE and min(rows) >= 0 and max(rows) < size


@remembered_of_tuple
def _are_plain_examples(sample: Sequence[object], size: int) -> bool:
    """True where all are pairs of a number in [0, size) and 0 or 1, in the same way."""
    if not isinstance(sample, tuple | list):
        return False
    examples: Sequence[Any] = sample
    if set(map(type, examples)) != {tuple} or set(map(len, examples)) != {2}:
        return False
    return (
        set(map(type, chain.from_iterable(examples))) <= WHOLE
        and set(map(itemgetter(1), examples)) <= {0, 1}
        and min(map(itemgetter(0), examples)) >= 0
        and max(map(itemgetter(0), examples)) < size
    )


def _check_point(place: str, x: object, size: int) -> None:
    if isinstance(x, bool) or not isinstance(x, int) or not 0 <= x < size:
        raise InputError(bad_input.NOT_WHOLE, f"{place}: the point {x!r}", f" from 0 to {size - 1}")


def refuse_empty(sample: Sequence[object]) -> None:
    """Raises `InputError` where there is no example."""
    if not sample:
        raise InputError(bad_input.IS_EMPTY, "the sample", "labelled example")


def refuse_no_concepts(concepts: Sequence[object]) -> None:
    """Raises `InputError` where there is no concept."""
    if not concepts:
        raise InputError(bad_input.IS_EMPTY, "concepts", "concept")


def one_for_each_labelling(concepts: Iterable[Hypothesis], points: Iterable[int]) -> tuple[Hypothesis, ...]:
    """The first concept for each way in which the concepts label the points, in order of occurrence."""
    distinct = sorted(set(points))
    first_with: dict[tuple[int, ...], Hypothesis] = {}
    for concept in concepts:
        first_with.setdefault(tuple(concept(x) for x in distinct), concept)
    return tuple(first_with.values())


def numbers_of_correct_labels(concepts: Iterable[Hypothesis], sample: Sample) -> dict[Hypothesis, int]:
    """Concept → how many examples of the sample it labels as they are labelled; points and concepts are hashable."""
    counts = occurrences(sample)
    return {concept: sum(times for (x, y), times in counts if concept(x) == y) for concept in concepts}


def occurrences(sample: Sample) -> Sequence[tuple[Example, int]]:
    """Each example with how often it occurs, so that a concept is asked of it only once.

    A sample may be given as that: as a `Counter`, or whatever else has items (example, times).
    """
    multiset = sample if hasattr(sample, "items") else Counter(map(tuple, sample))  # no step of Python for each
    return tuple(multiset.items())


def correct_labels(concept: Concept, sample: Iterable[Example]) -> int:
    """The number of examples of the sample that the concept labels as they are labelled: m·(1 − error_S(concept))."""
    return sum(concept(x) == y for x, y in sample)
