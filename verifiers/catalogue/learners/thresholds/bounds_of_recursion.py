"""RecConcave and Rec on a quality that is known within bounds alone: an upper bound on each probability.

A random sample of hundreds of thousands of rows has a quality that is all but certain to lie within a narrow envelope,
and so many samples are judged at once: each step of the algorithm is bounded on the whole envelope. The bounds are on
the law of `maximise_quasi_concave` and `maximise_quasi_concave_extended_abstract`; tests hold them against it.
They are balls, computed outwards: no float.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import Final, Literal, TypeAlias

from flint import arb, ctx, fmpq

from dpverify.mechanisms import Exact, distribution, exact
from dpverify.mechanisms.counting.step_functions import Run, Runs, StepFunction, Value, union
from dpverify.mechanisms.functions import Mechanism
from dpverify.mechanisms.numbers.enclosure import WORKING_PRECISION, enclosure
from dpverify.mechanisms.numbers.exact_numbers import ZERO, ExactLike
from dpverify.mechanisms.recursion.quasi_concave import PRINTED_BASE
from dpverify.verifiers.catalogue.families import QUARTER

_ONE: Final = arb(1)
_OF_ONE: Final = 16
"""Number of points of an interval that Rec chooses among, which may lie beyond its end."""
Among: TypeAlias = Literal["A and B", "A", "32 points of A", "32 points of A and B"]
"""Step 10 of RecConcave, the same without B, that of Rec as printed, and with B where its analysis needs it."""


@dataclass(frozen=True)
class Envelope:
    """The qualities Q with low(x) ≤ Q(x) ≤ high(x) on [0, last], which change at `starts` alone."""

    low: StepFunction
    high: StepFunction
    starts: tuple[int, ...]

    @property
    def last(self) -> int:
        """The end of the range."""
        return self.low.last

    @classmethod
    def of_pieces(cls, pieces: Iterable[tuple[int, Value, Value]], last: int) -> Envelope:
        """From (start, low, high) by rising start, the first at 0."""
        listed = tuple(pieces)
        low = StepFunction.of_pieces(((start, value) for start, value, _ in listed), last)
        high = StepFunction.of_pieces(((start, value) for start, _, value in listed), last)
        return cls(low, high, tuple(start for start, _, _ in listed))

    def extended(self, last: int, *, by_0: bool) -> Envelope:
        """Step 2: min{0, Q(T)} beyond the end, as in RecConcave, or 0, as in Rec."""
        if last == self.last:
            return self
        low, high = (q.extended(last, 0 if by_0 else min(0, q(q.last))) for q in (self.low, self.high))
        return Envelope(low, high, (*self.starts, self.last + 1))

    def scales(self, promise: Fraction, alpha: Fraction) -> Envelope:
        """Steps 3 and 4: q, which rises with L(j) and falls with L(j + 1)."""
        low, high = (self._largest_minima(q) for q in (self.low, self.high))
        bottom = (1 - alpha) * promise
        return Envelope.of_pieces(
            (
                (j, min(low[j] - bottom, promise - high[j + 1]), min(high[j] - bottom, promise - low[j + 1]))
                for j in range(len(low) - 1)
            ),
            len(low) - 2,
        )

    @staticmethod
    def _largest_minima(quality: StepFunction) -> Sequence[Value]:
        minima = quality.best_minimum_by_length()[: quality.last.bit_length()]
        return [*minima, min(0, minima[-1])]

    def pieces(self, within: Runs) -> Iterator[tuple[Run, Value, Value]]:
        """The runs of `within` on which each quality of the envelope is constant, with the bounds on it."""
        for first, last in within.runs:
            i = bisect_right(self.starts, first) - 1
            while i < len(self.starts) and self.starts[i] <= last:
                end = self.starts[i + 1] - 1 if i + 1 < len(self.starts) else self.last
                run = (max(first, self.starts[i]), min(last, end))
                yield run, self.low(run[0]), self.high(run[0])
                i += 1


@dataclass(frozen=True)
class Untold:
    """Some interval that adds at most so many candidates, of a quality that is at most that."""

    at_most: Value
    points: int


_Interval: TypeAlias = Run | Untold | None
"""Value that A_dist returns; None for ⊥."""


@dataclass(frozen=True)
class Bounds:
    """Bounds on a law: the probability of each run of outcomes, of ⊥, and of what is not told apart, is at most that.

    Whatever an outcome's probability is, it is at most the sum of what is listed of it and `untold`.
    """

    runs: tuple[tuple[Run, arb], ...]
    bottom: arb
    untold: arb

    def at_most(self, event: Callable[[int], bool], *, with_bottom: bool) -> Fraction:
        """A bound on Pr[event], an event that is constant on each run; ⊥ is in it or not."""
        with ctx.workprec(WORKING_PRECISION):
            total = self.untold + (self.bottom if with_bottom else 0)
            for (first, _), p in self.runs:
                if event(first):
                    total += p
            above: fmpq = _at_most_1(total).upper().fmpq()
        return Fraction(int(above.p), int(above.q))


@dataclass(frozen=True)
class Recursion:
    """RecConcave, or Rec of the extended abstract where its candidates are 32 points, at these parameters.

    `candidates` are what the last choice is among, for a variant that is weaker.
    """

    epsilon: ExactLike
    delta: ExactLike
    selection: Mechanism
    candidates: Among = "A and B"
    base: int = PRINTED_BASE

    def within(self, envelope: Envelope, promise: Fraction, alpha: Fraction, depth: int | None = None) -> Bounds:
        """Bounds on its law on every quality of the envelope."""
        if envelope.last <= self.base or depth == 1:
            with ctx.workprec(WORKING_PRECISION):
                return self.exponential(envelope, Runs(((0, envelope.last),)))
        is_rec = self.candidates.startswith("32")
        longer = envelope.extended(1 << (envelope.last - 1).bit_length(), by_0=is_rec)
        scales, less = longer.scales(promise, alpha), depth and depth - 1
        scale = self.within(scales, alpha / 2 * promise, alpha if is_rec else QUARTER, less)
        with ctx.workprec(WORKING_PRECISION):
            return self.of_scales(longer, scale)

    def exponential(self, envelope: Envelope, within: Runs) -> Bounds:
        """The exponential mechanism: a run is likeliest where it is at its best, and all others at their worst."""
        pieces = list(envelope.pieces(within))
        top = max(high for _, _, high in pieces)
        rate = enclosure(exact(self.epsilon)) / 2
        sizes = [last - first + 1 for (first, last), _, _ in pieces]
        least = [(rate * _ball(low - top)).exp() * n for (_, low, _), n in zip(pieces, sizes, strict=True)]
        most = [(rate * _ball(high - top)).exp() * n for (_, _, high), n in zip(pieces, sizes, strict=True)]
        chances = (own / (own + others) for own, others in zip(most, _sums_but_own(least), strict=True))
        return Bounds(tuple((run, p) for (run, _, _), p in zip(pieces, chances, strict=True)), arb(0), arb(0))

    def of_scales(self, envelope: Envelope, scale: Bounds) -> Bounds:
        """Steps 7 to 10, over the scales."""
        balls: dict[Run, arb] = {}
        bottom, untold = scale.bottom, scale.untold
        for (first, last), of_run in scale.runs:
            for k in range(first, last + 1):
                for a, p_a in self.block(envelope, 8 << k, 0):
                    for b, p_b in self.block(envelope, 8 << k, 4 << k):
                        chosen = self.among(envelope, a, b, 1 << k)
                        weight = of_run / (last - first + 1) * p_a * p_b
                        bottom, untold = bottom + weight * chosen.bottom, untold + weight * chosen.untold
                        for run, p in chosen.runs:
                            balls[run] = balls.get(run, arb(0)) + weight * p
        return Bounds(tuple(balls.items()), bottom, untold)

    def among(self, envelope: Envelope, a: _Interval, b: _Interval, size: int) -> Bounds:
        """Step 10, with A and B as they were chosen.

        More candidates make each other one less likely: those of an interval that is not told are all that is not.
        """
        told_a, told_b = (None if isinstance(each, Untold) else each for each in (a, b))
        points = _candidates(self.candidates, told_a, told_b, size, envelope.last)
        others = [each for each in ((a,) if self.candidates.endswith("A") else (a, b)) if isinstance(each, Untold)]
        if not points.runs:
            return Bounds((), arb(not others), arb(bool(others)))
        bounds = self.exponential(envelope, points)
        if not others:
            return bounds
        at_most, at_least = max(each.at_most for each in others), max(low for _, low, _ in envelope.pieces(points))
        number = sum(each.points for each in others)
        odds = (enclosure(exact(self.epsilon)) / 2 * _ball(at_most - at_least)).exp() * number
        return Bounds(bounds.runs, bounds.bottom, odds / (1 + odds))

    def block(self, envelope: Envelope, length: int, offset: int) -> list[tuple[_Interval, arb]]:
        """A_dist on the intervals of this length: what it may return, with bounds.

        It releases the best interval, or ⊥; which is the best is told where all others are worse on the whole envelope.
        """
        maxima = [q.block_maxima(length, offset) for q in (envelope.low, envelope.high)]
        if maxima[0] is None or maxima[1] is None:
            return [(None, _ONE)]
        low, high = maxima[0], maxima[1]
        if low.last == 0:
            return [(_interval(0, length, offset, envelope.last), _ONE)]
        blocks = list(_blocks(low, high))
        sure = max(low.values)
        rivals = [block for block in blocks if block[2] >= sure]
        if len(rivals) == 1 and rivals[0][0][0] == rivals[0][0][1]:
            run, worst, best = rivals[0]
            others = [block for block in blocks if block[0] != run]
            released = self._released(best - max(at_least for _, at_least, _ in others))
            kept = 1 - self._released(worst - max(at_most for _, _, at_most in others))
            return [(_interval(run[0], length, offset, envelope.last), released), (None, kept)]
        # The best value is that of a run on which the quality is constant. Where the run is in two intervals the gap is
        # 0; else it is at most the largest that this may be, less the least that the second best may be.
        inside = [
            at_most
            for (first, last), _, at_most in envelope.pieces(Runs(((offset, envelope.last),)))
            if at_most >= sure and (first - offset) // length == (last - offset) // length
        ]
        second = sorted(value for (first, last), value, _ in blocks for _ in range(min(2, last - first + 1)))[-2]
        untold = Untold(max(high.values), max(length, _OF_ONE))
        return [(None, _ONE), (untold, self._released(max([second, *inside]) - second))]

    def _released(self, gap: Value) -> arb:
        """The probability that a best solution with this gap is released."""
        return enclosure(_release(self.selection, exact(self.epsilon), exact(self.delta), gap))


def _blocks(low: StepFunction, high: StepFunction) -> Iterator[tuple[Run, Value, Value]]:
    """The runs of intervals whose best values have the same bounds, with these."""
    starts = sorted({*low.starts, *high.starts})
    for start, end in zip(starts, (*starts[1:], low.last + 1), strict=True):
        yield (start, end - 1), low(start), high(start)


@lru_cache(maxsize=4096)
def _release(selection: Mechanism, epsilon: Exact, delta: Exact, gap: Value) -> Exact:
    law = distribution(selection, (gap, 0), epsilon=epsilon, delta=delta)
    return law.probabilities.get(0, ZERO)


def _candidates(which: Among, a: Run | None, b: Run | None, size: int, last: int) -> Runs:
    """The candidates of the last choice."""
    if which in ("A and B", "A"):
        return union(run for run in (a, b if which == "A and B" else None) if run is not None)
    second = (a[1] if a else None) if which == "32 points of A" else (b[0] if b else None)
    starts = [start for start in (a[0] if a else None, second) if start is not None]
    points = {start + i * max(1, size // 2) for start in starts for i in range(_OF_ONE)}
    return union((x, x) for x in points if x <= last)


def _interval(i: int, length: int, offset: int, last: int) -> Run:
    low = offset + i * length
    return low, min(low + length - 1, last)


def _sums_but_own(terms: Sequence[arb]) -> list[arb]:
    """For each the sum of all others, without a difference, which would not be sharp."""
    before, after = ([arb(0), *accumulate(listed[:-1])] for listed in (terms, terms[::-1]))
    return [a + b for a, b in zip(before, after[::-1], strict=True)]


def _ball(value: Value) -> arb:
    return arb(value) if isinstance(value, int) else arb(fmpq(value.numerator, value.denominator))


def _at_most_1(ball: arb) -> arb:
    return ball if ball < 1 else _ONE
