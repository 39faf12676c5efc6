"""The private learner of rectangles of Beimel, Nissim & Stemmer: sanitize each axis, then look for the ends on it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from math import ceil
from typing import Any, TypeAlias

from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.counting.step_functions import Run
from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.functions.thin import thin
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.law import Noise
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive, rational_parameter, whole
from dpverify.mechanisms.numbers.integers.sealed import Sealed
from dpverify.mechanisms.path_conditions.noise_value import clamp
from dpverify.mechanisms.sanitizers.concepts import AllZero, checked_points, refuse_empty
from dpverify.mechanisms.sanitizers.long_databases import remembered_of_tuple
from dpverify.mechanisms.sanitizers.thresholds_sanitizer import (
    Sanitized,
    parts_of_sanitized_thresholds,
    rows_for_private_sanitized_thresholds,
    rows_for_sanitized_thresholds,
    sanitize_thresholds,
)
from dpverify.mechanisms.selection.of_rows import noisy_number, number_of_rows

Vector: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Rectangle:
    """c(x) = 1 exactly where lows[i] ≤ x[i] ≤ highs[i] for all i.

    Beimel, Nissim & Stemmer, journal version, Definition 3.20.
    """

    lows: Vector
    highs: Vector

    def __call__(self, x: Vector) -> int:
        """The label of x."""
        return int(all(low <= at <= high for low, at, high in zip(self.lows, x, self.highs, strict=True)))


def rectangles(n: int, d: int) -> Iterator[Rectangle]:
    """RECTANGLE^n_d: one for each pair of corners in [0, 2^d)^n, those with a low above its high too, which are empty.

    Beimel, Nissim & Stemmer, journal version, Definition 3.20. Raises `InputError` unless n ≥ 0 and d ≥ 0.
    """
    axis = range(1 << whole(d, "d", 0))
    for ends in product(product(axis, repeat=2), repeat=whole(n, "n", 0)):
        yield Rectangle(tuple(low for low, _ in ends), tuple(high for _, high in ends))


def learn_rectangle(
    draw: Draw,
    sample: Sequence[tuple[Vector, int]],
    *,
    d: int,
    alpha: ExactLike,
    epsilon: ExactLike,
    delta: ExactLike,
    calls: int,
    noise: Noise = laplace,
    **sanitizer: Any,
) -> Rectangle | AllZero:
    """A rectangle of [0, 2^d)^n that labels nearly all examples as they are labelled, or the concept that is 0.

    Source: Beimel, Nissim & Stemmer, journal version, Section 3.5, after Kearns; it leaves constants open, which are
    chosen here. On each of the n axes SanThresholds runs with α/(16n) and `calls` calls; all of them are together
    (ε/2, δ)-private by Theorem 2.5, as Lemma 4.8 has it for those of one axis. Its database cuts the axis into
    intervals that end where a share of α/(16n) has come together, with a point that has as much on its own for an
    interval; the counts of the positive examples in them have noise Lap(4n/ε). The ends on an axis are those of the
    first and the last interval whose count reaches αm/(4n·the number of intervals); where there is none, the concept is
    0. (ε,δ)-private by composition for as many rows as `rows_for_private_rectangle` says, while ε is not so large that
    Lemma 4.8 fails itself. `sanitizer` are further parameters of `sanitize_thresholds`.
    Raises `InputError` for an empty sample, a bad example, or a parameter out of range.
    """
    n, m = draw(number_of_axes, sample, d=d), draw(number_of_rows, sample)
    a = rational_parameter(open_unit(alpha, "alpha"), "alpha")
    eps = positive(epsilon, "epsilon")
    part, part_delta = parts_on_axis(n, calls, epsilon, delta)
    ends: list[Run] = []
    for axis in range(n):
        found = draw(
            on_axis,
            sample,
            axis=axis,
            mechanism=sanitize_thresholds,
            d=d,
            alpha=accuracy_on_axis(a, n),
            epsilon=part,
            delta=part_delta,
            calls=calls,
            noise=noise,
            **sanitizer,
        )
        copies = tuple((x, number_of_copies(number, m)) for x, number in found)
        intervals = list(cut_axis(copies, (1 << d) - 1, accuracy_on_axis(a, n)))
        scale = 4 * n / eps

        def noisy_positives(run: Run, axis: int = axis, scale: Exact = scale) -> Any:
            number = partial(positives_within, axis=axis, within=run)
            return draw(noisy_number, sample, number=number, noise=noise(scale))

        found_ends = ends_of_intervals(intervals, noisy_positives, a * m / (4 * n))
        if found_ends is None:
            return AllZero()
        ends.append(found_ends)
    return Rectangle(tuple(low for low, _ in ends), tuple(high for _, high in ends))


def ends_on_axis(
    draw: Draw,
    copies: Sanitized,
    positives: Sequence[int],
    *,
    last: int,
    rows: int,
    alpha: Fraction,
    axes: int,
    epsilon: ExactLike,
    noise: Noise = laplace,
) -> Run | None:
    """The ends on an axis [0, last]: of the first and the last interval with significantly many of the positives.

    `copies` are what the axis was sanitized to, and `positives` the coordinates of the positive examples in rising
    order, of so many `rows`; ε is that of the whole learner. None where no interval has αm/(4n·the number of intervals)
    of them.
    """
    scale = 4 * axes / positive(epsilon, "epsilon")

    def noisy_positives(run: Run) -> Any:
        low, high = run
        return bisect_left(positives, high + 1) - bisect_left(positives, low) + draw(noise(scale))

    intervals = list(cut_axis(copies, last, accuracy_on_axis(alpha, axes)))
    return ends_of_intervals(intervals, noisy_positives, alpha * rows / (4 * axes))


def ends_of_intervals(intervals: Sequence[Run], noisy_positives: Callable[[Run], Any], needed: Any) -> Run | None:
    """The ends of the first and the last interval with a share of the positives that are needed; None for none."""
    threshold = needed / len(intervals)
    significant = [run for run in intervals if noisy_positives(run) >= threshold]
    return (significant[0][0], significant[-1][1]) if significant else None


def number_of_axes(draw: object, sample: Sequence[tuple[Vector, int]], *, d: int) -> int:
    """The number of axes, the same of all samples of vectors of one length.

    Raises `InputError` without examples, and, naming the row, where one is not (vector, label) with points of [0, 2^d).
    """
    return _dimensions(sample, d)


@thin
def on_axis(
    draw: Draw, sample: Sequence[tuple[Vector, int]], *, axis: int, mechanism: Mechanism, **parameters: Any
) -> Any:
    """The outcome of a mechanism on the coordinates of the examples on an axis; it has the other parameters."""
    return draw(mechanism, _column(sample, axis), **parameters)


@remembered_of_tuple
def _column(sample: Sequence[tuple[Vector, int]], axis: int) -> tuple[int, ...]:
    return tuple(x[axis] for x, _ in sample)


def positives_within(sample: Sequence[tuple[Vector, int]], *, axis: int, within: Run) -> int:
    """The number of positive examples in a range of an axis."""
    low, high = within
    positives = _positives(sample, axis)
    return bisect_left(positives, high + 1) - bisect_left(positives, low)


@remembered_of_tuple
def _positives(sample: Sequence[tuple[Vector, int]], axis: int) -> Sequence[int]:
    """The coordinates of the positive examples on an axis, in rising order."""
    return sorted(x[axis] for x, y in sample if y)


def number_of_copies(number: Any, most: Any) -> Any:
    """A released number of copies as a number from 0 to `most`; one of which nothing is known as it is."""
    return number if issubclass(type(number), Sealed) else clamp(number, 0, most)


def cut_axis(copies: Sanitized, last: int, least: Fraction) -> Iterator[Run]:
    """[0, last] in at most 2/`least` + 1 intervals, which end where a share `least` of the copies has come together.

    A point with such a share of its own is an interval, so that none but these have much more.
    """
    enough = least * sum(number for _, number in copies)
    start, gathered = 0, 0
    for x, number in copies:
        gathered += number
        if gathered < enough:
            continue
        if number >= enough and start < x:
            yield start, x - 1
            start = x
        yield start, x
        start, gathered = x + 1, 0
    if start <= last:
        yield start, last


@sized(learn_rectangle, name="rows for privacy")
def rows_for_private_rectangle(
    *, axes: int, alpha: ExactLike, beta: ExactLike, epsilon: ExactLike, delta: ExactLike, calls: int
) -> int:
    """The least whole m for which Lemma 4.8 says that `learn_rectangle` is (ε,δ)-private, on so many axes.

    Raises `InputError` where a parameter is out of range.
    """
    n = whole(axes, "axes", 1)
    a = accuracy_on_axis(rational_parameter(open_unit(alpha, "alpha"), "alpha"), n)
    part, part_delta = parts_on_axis(n, calls, epsilon, delta)
    return rows_for_private_sanitized_thresholds(alpha=a, beta=beta, epsilon=part, delta=part_delta)


@sized(learn_rectangle)
def rows_for_rectangle(
    *, axes: int, d: int, alpha: ExactLike, beta: ExactLike, epsilon: ExactLike, delta: ExactLike
) -> int:
    """The least whole m for which Lemmas 4.8 and 4.12 say that each axis is sanitized as `learn_rectangle` needs it.

    It is private then, and fails to sanitize some axis with probability at most β/2; Theorem 3.22 states the order
    alone. The calls are the 77/α of the sanitizer, at its α. Raises `InputError` where a parameter is out of range.
    """
    n = whole(axes, "axes", 1)
    a = accuracy_on_axis(rational_parameter(open_unit(alpha, "alpha"), "alpha"), n)
    calls = ceil(77 / a)
    part, part_delta = parts_on_axis(n, calls, epsilon, delta)
    each = open_unit(beta, "beta") / (6 * n * calls)
    return rows_for_sanitized_thresholds(d=d, alpha=a, beta=each, epsilon=part, delta=part_delta)


def parts_on_axis(axes: int, calls: int, epsilon: ExactLike, delta: ExactLike) -> tuple[Exact, Exact]:
    """The (ε,δ) of the parts of SanThresholds: all calls on n axes are together (ε/2,δ)-private, as those of one are.

    Raises `InputError` where a parameter is out of range.
    """
    return parts_of_sanitized_thresholds(calls=calls * axes, epsilon=positive(epsilon, "epsilon") / 2, delta=delta)


def accuracy_on_axis(alpha: Fraction, axes: int) -> Fraction:
    """α/(16n), with which each axis is sanitized."""
    return alpha / (16 * axes)


@remembered_of_tuple
def _dimensions(sample: Sequence[tuple[Vector, int]], d: int) -> int:
    """The number of axes. Raises `InputError`, naming the row, where an example is not (vector, label)."""
    refuse_empty(sample)
    for i, example in enumerate(sample):
        if not isinstance(example, tuple) or len(example) != 2 or not isinstance(example[0], tuple):
            raise InputError(bad_input.ROW, i, repr(example), "an example", "((x1, x2, …), label)")
        x, y = example
        if not x or len(x) != len(sample[0][0]):
            raise InputError(
                bad_input.ROW,
                i,
                f"{x!r}, which has {len(x)} coordinates",
                f"like row 0, which has {len(sample[0][0])}",
                "points of one dimension",
            )
        if type(y) is not int or y not in (0, 1):
            raise InputError(bad_input.ROW, i, f"with the label {y!r}", "labelled 0 or 1", "0 or 1")
        checked_points(x, d, f"row {i}, coordinate")
    return len(sample[0][0])
