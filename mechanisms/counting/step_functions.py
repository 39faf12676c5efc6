"""Functions on 0, …, last that are constant between breaks: qualities on ranges too long to list.

Everything here costs what the number of pieces costs, whatever the range; the numbers of the range are Python's whole
numbers. On short ranges the same code is the definition, point by point.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Final, TypeAlias

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.outputs.long_sequences import LongSequence

Value: TypeAlias = int | Fraction
Run: TypeAlias = tuple[int, int]
"""The whole numbers from the first to the second, both among them."""

FEW: Final = 1000
"""Up to how many changes arrays are not worth their making."""


@dataclass(frozen=True, slots=True)  # there is one for each quality, which may be a million
class Runs(LongSequence[int]):
    """Whole numbers in disjoint runs, in rising order; a sequence that costs what its runs cost."""

    runs: tuple[Run, ...]

    @property
    def size(self) -> int:
        """Their number, also beyond what len() can say."""
        if len(self.runs) == 1:  # the most frequent
            ((low, high),) = self.runs
            return high - low + 1
        return sum(high - low + 1 for low, high in self.runs)

    def at(self, place: int) -> int:
        """The number at a place from 0 to size − 1."""
        ends = list(accumulate(high - low + 1 for low, high in self.runs))
        i = bisect_right(ends, place)
        return self.runs[i][1] - (ends[i] - 1 - place)

    def __iter__(self) -> Iterator[int]:
        return (x for low, high in self.runs for x in range(low, high + 1))


def union(runs: Iterable[Run]) -> Runs:
    """The numbers in any of the runs."""
    merged: list[Run] = []
    for low, high in sorted(runs):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return Runs(tuple(merged))


@dataclass(frozen=True)
class StepFunction:
    """values[i] on starts[i] ≤ x < starts[i + 1], and up to `last`; the starts rise strictly from 0."""

    starts: tuple[int, ...]
    values: tuple[Value, ...]
    last: int

    @classmethod
    def of(cls, values: Sequence[Value]) -> StepFunction:
        """The function with these values at 0, 1, …. Raises `InputError` where there is none."""
        if not values:
            raise InputError(bad_input.IS_EMPTY, "the list of points of a function", "value")
        return cls.of_pieces(enumerate(values), len(values) - 1)

    @classmethod
    def of_pieces(cls, pieces: Iterable[tuple[int, Value]], last: int) -> StepFunction:
        """The function from (start, value) by rising start, the first at 0; equal neighbours are joined.

        Raises `InputError` for pieces that do not start at 0, do not rise, or lie beyond `last`, and for a value that
        is a float or a truth value.
        """
        starts: list[int] = []
        values: list[Value] = []
        before = -1
        for start, value in pieces:
            if start <= before or start > last or (before < 0 and start):
                raise InputError(
                    bad_input.RANGE,
                    f"the start {start} of a piece",
                    f"from 0 to the last point, {last}, in rising order",
                )
            if type(value) is not int and isinstance(value, float | bool):
                raise InputError(bad_input.EXACT, f"the value {value!r} at {start}")
            before = start
            if not values or value != values[-1]:
                starts.append(start)
                values.append(value)
        if not values:
            raise InputError(bad_input.IS_EMPTY, "the list of pieces of a function", "piece")
        return cls(tuple(starts), tuple(values), last)

    def __call__(self, x: int) -> Value:
        """The value at x. Raises `InputError` unless 0 ≤ x ≤ last."""
        if not 0 <= x <= self.last:
            raise InputError(bad_input.RANGE, f"x={x}", f"from 0 to {self.last}")
        return self.values[bisect_right(self.starts, x) - 1]

    @property
    def runs(self) -> Iterator[tuple[Run, Value]]:
        """The longest runs of one value, in rising order."""
        ends = (*self.starts[1:], self.last + 1)
        return (((low, end - 1), value) for low, end, value in zip(self.starts, ends, self.values, strict=True))

    def extended(self, last: int, value: Value) -> StepFunction:
        """The same, with `value` beyond its end up to `last`. Raises `InputError` where that lies before the end."""
        if last == self.last:
            return self
        if last < self.last:
            raise InputError(bad_input.RANGE, f"last={last}", f"at least the end, {self.last}")
        return StepFunction.of_pieces([*zip(self.starts, self.values, strict=True), (self.last + 1, value)], last)

    def levels(self, within: Runs | None = None) -> Mapping[Value, Runs]:
        """Value → the points at which it is taken, among those of `within`, the values in order of occurrence."""
        first: dict[Value, Run] = {}
        others: dict[Value, list[Run]] = {}  # of the few values that are taken again: each list would cost as much
        for run, value in self.runs if within is None else self._restricted(within):
            if first.setdefault(value, run) is not run:
                others.setdefault(value, []).append(run)
        return {value: Runs((run, *others.get(value, ()))) for value, run in first.items()}

    def _restricted(self, within: Runs) -> Iterator[tuple[Run, Value]]:
        for low, high in within.runs:
            i, end = bisect_right(self.starts, low) - 1, bisect_right(self.starts, high)
            begin = low
            for after, value in zip(self.starts[i + 1 : end], self.values[i:end], strict=False):
                yield (begin, after - 1), value
                begin = after
            if begin <= min(high, self.last):
                yield (begin, min(high, self.last)), self.values[end - 1]

    def best_and_gap(self) -> tuple[int, Value | None]:
        """The first point of largest value, and how much larger that is than at any other; None for an only point."""
        best = max(self.values)
        at = self.values.index(best)
        if self.last == 0:
            return 0, None
        is_long = (self.starts[at + 1] if at + 1 < len(self.starts) else self.last + 1) > self.starts[at] + 1
        others = (*self.values[:at], *self.values[at + 1 :])
        return self.starts[at], best - (best if is_long else max(others))

    def best_minimum_by_length(self) -> list[Value]:
        """For 0 ≤ j ≤ log₂(last + 1): the largest minimum over 2^j successive points; it does not rise with j.

        One pass: a stack gives every piece the longest run of points whose values are at least its own.
        """
        best: dict[int, Value] = {}

        def note(length: int, value: Value) -> None:
            j = length.bit_length() - 1
            if j not in best or value > best[j]:
                best[j] = value

        waiting: list[tuple[int, Value]] = []  # (where the run begins, value), values rising
        for start, value in zip(self.starts, self.values, strict=True):
            begin = start
            while waiting and waiting[-1][1] >= value:
                begin, higher = waiting.pop()
                note(start - begin, higher)
            waiting.append((begin, value))
        for begin, value in waiting:
            note(self.last + 1 - begin, value)
        top = (self.last + 1).bit_length() - 1
        values: list[Value] = []
        for j in range(top, -1, -1):
            own = best.get(j)
            longer = values[-1:]
            values.append(max([*longer, *([] if own is None else [own])]))
        return values[::-1]

    def block_maxima(self, length: int, offset: int = 0) -> StepFunction | None:
        """Block i ↦ the largest value on offset + i·length ≤ x < offset + (i + 1)·length; the last may be shorter.

        None where the offset lies beyond the end, so that there is no block. Raises `InputError` unless length ≥ 1.
        """
        if length < 1:
            raise InputError(bad_input.NOT_WHOLE, f"length={length}", " ≥ 1")
        if offset > self.last:
            return None
        pieces: list[tuple[int, Value]] = []
        end = offset  # of the block that was come to last
        for (low, high), value in self.runs:
            if high < end:
                if pieces and value > pieces[-1][1]:
                    pieces[-1] = (pieces[-1][0], value)
                continue
            first, final = (max(low, offset) - offset) // length, (high - offset) // length
            end = offset + (final + 1) * length
            if pieces and pieces[-1][0] == first:
                pieces[-1] = (first, max(value, pieces[-1][1]))
            else:
                pieces.append((first, value))
            # the blocks that the run covers wholly, and the one in which it ends and others may go on
            if final > first + 1:
                pieces.append((first + 1, value))
            if final > first:
                pieces.append((final, value))
        return StepFunction.of_pieces(pieces, (self.last - offset) // length)


def accumulated(changes: Iterable[tuple[int, int]], at_zero: int, last: int) -> StepFunction:
    """at_zero plus the sum of the changes (place, amount) at places ≤ x, for 0 ≤ x ≤ last; places may repeat.

    Changes at places beyond `last` change nothing. Raises `InputError` for a place below 0.
    """
    by_place = {0: at_zero}
    for place, amount in changes:
        by_place[place] = by_place.get(place, 0) + amount
    if min(by_place) < 0:
        raise InputError(bad_input.RANGE, f"a change at {min(by_place)}", "at a place ≥ 0")
    places, sums = _in_order(by_place)
    inside = bisect_right(places, last)
    return StepFunction.of_pieces(zip(places[:inside], sums[:inside], strict=True), last)


def counted_after(points: Sequence[int], amounts: Sequence[int], at_zero: int, last: int) -> StepFunction | None:
    """As `accumulated`, of the changes (point + 1, amount), at least one, in arrays; None where they do not fit.

    Points are from 0 to last − 1.
    """
    if last > 1 << 64 or sum(map(abs, amounts)) + abs(at_zero) >= 1 << 63:
        return None
    import numpy as np

    keys = np.fromiter(points, np.uint64, len(points))
    order = np.argsort(keys)
    keys = keys[order]
    sums = at_zero + np.fromiter(amounts, np.int64, len(points))[order].cumsum()
    is_last = np.append(keys[1:] != keys[:-1], True)  # of equal points
    keys, sums = keys[is_last], sums[is_last]
    is_step = np.append(sums[:1] != at_zero, sums[1:] != sums[:-1])
    starts = [0, *(point + 1 for point in keys[is_step].tolist())]
    return StepFunction(tuple(starts), (at_zero, *sums[is_step].tolist()), last)


def _in_order(amounts: Mapping[int, int]) -> tuple[list[int], list[int]]:
    """The places, which are at least 0, in rising order, and the sums of the amounts up to each.

    Many are sorted and summed in arrays, where they fit: it is the same.
    """
    if len(amounts) <= FEW or max(amounts) >= 1 << 64 or sum(map(abs, amounts.values())) >= 1 << 63:
        places = sorted(amounts)
        return places, list(accumulate(map(amounts.__getitem__, places)))
    import numpy as np

    keys = np.fromiter(amounts, np.uint64, len(amounts))
    order = np.argsort(keys)
    return keys[order].tolist(), np.fromiter(amounts.values(), np.int64, len(amounts))[order].cumsum().tolist()
