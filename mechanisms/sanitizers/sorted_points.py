"""Counts of many points in intervals: for each length the most, and for intervals side by side each.

Few points are counted one by one, as they are in every law that is enumerated; many, and those that fit into 64 bits,
by searches in arrays. Both count the same.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from dpverify.mechanisms.sanitizers.long_databases import remembered_of_tuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Offsets: TypeAlias = NDArray[np.uint64]

_FEW: Final = 1000
"""Up to how many points arrays are not worth their making."""

_STRIDE: Final = 64
"""Number of points of which one is the end of an interval that is looked at first."""

_BITS: Final = 64


def most_within(points: Sequence[int], scales: int) -> list[int]:
    """I(j), how many of the points, in rising order, lie in one interval of length 2^j at most, for 0 ≤ j ≤ scales."""
    most_in_one = _most_in_one(points)
    most = {0: most_in_one(1, 0)}
    most[scales] = most_in_one(1 << scales, most[0])
    unknown = [(0, scales)]
    while unknown:
        low, high = unknown.pop()
        if most[low] == most[high]:  # I does not fall, so that it is the same between them
            most |= dict.fromkeys(range(low, high), most[low])
        elif high - low > 1:
            middle = (low + high) // 2
            most[middle] = most_in_one(1 << middle, most[low])
            unknown += [(low, middle), (middle, high)]
    return [most[j] for j in range(scales + 1)]


def counts_side_by_side(points: Sequence[int], first: int, length: int, *, and_between: bool) -> dict[int, int]:
    """The number of points in each interval that has any, by its start less `first`, in the order of the points.

    The intervals have this length and lie side by side from `first` on, which is no larger than any point; with
    `and_between` also those that begin in the middle of these, where the length is even.
    """
    offsets = _offsets(points, first) if length < 1 << (_BITS - 1) else None
    if offsets is not None:
        return _counts_by_search(offsets, length, and_between)

    def starts(x: int) -> Iterator[int]:
        yield (x - first) // length * length
        if and_between and x - first >= length // 2:
            yield (x - first - length // 2) // length * length + length // 2

    return dict(Counter(start for x in points for start in starts(x)))


def _most_in_one(points: Sequence[int]) -> Callable[[int, int], int]:
    """Of a length, and a number that is known to be reached: how many of the points lie in one such interval."""
    offsets = _offsets(points, points[0]) if points else None
    if offsets is not None:
        return partial(_most_by_search, offsets)
    ends = list(accumulate(Counter(points).values()))  # behind the last copy of each point
    return partial(_most_one_by_one, points, ends)


def _most_one_by_one(points: Sequence[int], ends: Sequence[int], length: int, at_least: int) -> int:
    most = at_least
    for end in ends:
        last = points[end - 1]
        # whether the most + 1 points that end with this one are near enough
        if most < end and last - points[end - 1 - most] < length:
            most = end - bisect_right(points, last - length)
    return most


def _most_by_search(offsets: Offsets, length: int, at_least: int) -> int:
    """Few intervals hold more points than the best of some, and one subtraction for each tells which."""
    import numpy as np

    size = len(offsets)
    if length > int(offsets[-1]):
        return size
    most = max(at_least, _most_up_to(offsets, np.arange(0, size, _STRIDE), length))
    # whether the most + 1 points that end with this one are near enough
    better = np.flatnonzero(offsets[most:] - offsets[: size - most] < np.uint64(length)) + most
    return max(most, _most_up_to(offsets, better, length)) if len(better) else most


def _most_up_to(offsets: Offsets, ends: NDArray[np.intp], length: int) -> int:
    """The number of points that lie at most in one of the intervals of this length that end with one of these."""
    import numpy as np

    last = offsets[ends]
    before = np.searchsorted(offsets, last - np.minimum(last, np.uint64(length)), side="right")
    before[last < np.uint64(length)] = 0
    return int((ends + 1 - before).max())


def _counts_by_search(offsets: Offsets, length: int, and_between: bool) -> dict[int, int]:
    import numpy as np

    size, half = np.uint64(length), np.uint64(length // 2)
    found = [_first_and_count(offsets // size * size, 0)]
    if and_between:
        begin = int(np.searchsorted(offsets, half))
        found.append(_first_and_count((offsets[begin:] - half) // size * size + half, begin))
    # by the first point of each; of two with the same one that which begins side by side comes first
    in_order = sorted(
        (int(where), kind, start, count)
        for kind, (starts, places, counts) in enumerate(found)
        for start, where, count in zip(starts.tolist(), places.tolist(), counts.tolist(), strict=True)
    )
    return {start: count for _, _, start, count in in_order}


def _first_and_count(starts: Offsets, begin: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    import numpy as np

    values, places, counts = np.unique(starts, return_index=True, return_counts=True)
    return values, places + begin, counts


def _offsets(points: Sequence[int], first: int) -> Offsets | None:
    """The distances of the points from `first`, where there are many, and that fits; None elsewhere."""
    if len(points) <= _FEW or points[-1] - first >= 1 << _BITS:
        return None
    import numpy as np

    if points[-1] < 1 << _BITS:
        return _array(points) - np.uint64(first)
    return np.array([x - first for x in points], dtype=np.uint64)


@remembered_of_tuple
def _array(points: Sequence[int]) -> Offsets:
    import numpy as np

    return np.array(points, dtype=np.uint64)
