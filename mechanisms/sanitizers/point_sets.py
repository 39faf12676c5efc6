"""Sets of k points, of which no two share many: the packing of k-POINT_d.

Source: Beimel, Nissim & Stemmer, journal version, Section 5.2 and the proof of Lemma 5.7.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TypeAlias

from dpverify.mechanisms.numbers.errors import InputError, bad_input

Points: TypeAlias = tuple[int, ...]
"""A set of points, in rising order."""


@dataclass(frozen=True)
class PointSet:
    """c_A(x) = 1 exactly for x in A. Section 5.2."""

    points: Points

    def __call__(self, x: int) -> int:
        """The label of x."""
        return int(x in self.points)


def point_sets(d: int, k: int) -> tuple[PointSet, ...]:
    """k-POINT_d: all c_A for A of k of the 2^d points."""
    return tuple(map(PointSet, combinations(range(1 << d), k)))


def removed_as_printed(chosen: Points, other: Points) -> bool:
    """True where the greedy choice removes I when it has chosen A, as printed: |A ∩ I| ≤ k/2."""
    return 2 * len({*chosen} & {*other}) <= len(chosen)


def removed(chosen: Points, other: Points) -> bool:
    """True if the greedy choice removes I when it has chosen A, as it must: |A ∩ I| > k/2. A itself is removed, too."""
    return not removed_as_printed(chosen, other)


def greedy_family(
    d: int, k: int, *, removes: Callable[[Points, Points], bool] = removed, most: int = 1 << 16
) -> tuple[Points, ...]:
    """B̂: sets of k points other than 0, chosen in lexicographic order, each of which removes others from the choice.

    Source: the proof of Lemma 5.7. It stops after `most` steps: as printed it has no end, since a set that was chosen
    stays to be chosen. Raises `InputError` unless 1 ≤ k < 2^d.
    """
    if not 1 <= k < 1 << d:
        raise InputError(bad_input.MORE_THAN, f"k={k}", f"the {(1 << d) - 1} points other than 0")
    left = list(combinations(range(1, 1 << d), k))
    family: list[Points] = []
    while left and len(family) < most:
        chosen = left[0]
        family.append(chosen)
        left = [other for other in left if not removes(chosen, other)]
    return tuple(family)


def too_near(family: Iterable[Points]) -> tuple[Points, Points] | None:
    """The first two sets of a family that share more than k/2 points; None where there are none."""
    return next(((a, b) for a, b in combinations(family, 2) if removed(a, b)), None)


def removed_at_most(d: int, k: int) -> int:
    """The number of sets that share more than k/2 points with one: Σ_{j > k/2} C(k, j)·C(2^d − 1 − k, k − j)."""
    points = (1 << d) - 1
    return sum(comb(k, j) * comb(points - k, k - j) for j in range(k // 2 + 1, k + 1))


def concentrated(points: Points, *, rows: int, moved: int) -> Points:
    """`rows` − `moved` entries 0, and `moved` entries spread evenly over the points, as D_A has them with 5αm moved.

    Raises `InputError` unless the number of points divides `moved`, and 0 ≤ moved ≤ rows.
    """
    each, left = divmod(moved, len(points))
    if left or not 0 <= moved <= rows:
        raise InputError(bad_input.NOT_ONE_EACH, f"moved={moved} of {rows} rows", f"{len(points)} points, evenly")
    return (0,) * (rows - moved) + tuple(x for x in points for _ in range(each))
