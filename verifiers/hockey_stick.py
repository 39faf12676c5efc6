"""The hockey-stick divergence δ(P‖Q) = Σ max(0, P(o) − e^ε·Q(o)) of many pairs of laws at once, decided exactly.

A mechanism is (ε,δ)-private exactly where δ(P‖Q) ≤ δ for the laws P and Q of every ordered pair of neighbours: the
outcomes with a positive summand are the event that violates most.

Float64 goes first, within bounds that are proven here. Write u = 2^-53, and let p~, q~ and E~ be within 3u, relatively,
of p, q and E = e^ε. Then fl(E~·q~) is within 8u of E·q, and the computed difference within 16u·(p~ + fl(E~·q~)) of
p − E·q: further from 0 its sign is certain, and elsewhere the exact numbers are asked, once for each two of them. For a
positive summand E·q < p, so that it is computed within 33u·p; and since the p of one law sum to 1, the sum over k
outcomes within (k + 40)·u. It is relied on only where it is further than that from what it is compared with.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, isfinite
from typing import Final, NamedTuple

import numpy as np
from flint import ctx
from numpy.typing import NDArray

from dpverify.mechanisms import decision
from dpverify.mechanisms.elementary import exp
from dpverify.mechanisms.enclosure import WORKING_PRECISION, enclosure
from dpverify.mechanisms.errors import Undecided
from dpverify.mechanisms.exact_numbers import ONE, ZERO, Exact, compare, negative, product, total
from dpverify.verifiers.law_table import SMALLEST_TRUSTED, UNIT_ROUNDOFF, Floats, Ids, LawTable, rounded

Mask = NDArray[np.bool_]

_ENTRIES_AT_ONCE: Final = 1 << 20
"""Pairs times outcomes held in memory at once."""

_TRUSTED_DIFFERENCE: Final = 16 * UNIT_ROUNDOFF


class Summand(NamedTuple):
    """One outcome of a pair of laws, by column, with the numbers of its two probabilities."""

    column: int
    p: int
    q: int


class HockeyStick:
    """The divergences of the pairs (left[i], right[i]) of laws of a table at one ε ≥ 0.

    `positive[i]` says whether δ(P‖Q) > 0 for certain, `open[i]` whether the sign of some summand is undecided; `doubts`
    are the reasons.
    """

    def __init__(self, table: LawTable, left: Ids, right: Ids, epsilon: Exact) -> None:
        self._table = table
        self._left = left
        self._right = right
        self._factor = exp(epsilon)
        self._factor_ball = enclosure(self._factor)
        self._signs: dict[tuple[int, int], int | None] = {}
        self._sums_of: dict[tuple[tuple[int, int], ...], Exact] = {}
        self.doubts: list[str] = []
        self.sums: Floats = np.zeros(len(left))
        self.positive: Mask = np.zeros(len(left), dtype=bool)
        self.open: Mask = np.zeros(len(left), dtype=bool)
        self._factor_value = rounded(self._factor)
        # Where e^ε exceeds every float64 no sum is relied on.
        self._error = (len(table.outcomes) + 40) * UNIT_ROUNDOFF if isfinite(self._factor_value) else inf
        for part, p, q in chunks(table, left, right):
            self._scan(part, p, q)

    def _scan(self, part: slice, p: Ids, q: Ids) -> None:
        values = self._table.values
        p_value, q_value = values[p], values[q]
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = np.where(q == 0, 0.0, self._factor_value * q_value)
            difference = p_value - scaled
            margin = _TRUSTED_DIFFERENCE * (p_value + scaled)
            certain = np.abs(difference) > margin
        untrusted = (p_value < SMALLEST_TRUSTED) | ((q_value < SMALLEST_TRUSTED) & (q != 0)) | ~np.isfinite(scaled)
        ask = (p != 0) & (~certain | untrusted)
        positive = (p != 0) & (difference > 0)
        if ask.any():
            codes, where = np.unique(p[ask] * len(values) + q[ask], return_inverse=True)
            signs = [self._sign(*divmod(int(code), len(values))) for code in codes]
            positive[ask] = np.array([sign == 1 for sign in signs])[where]
            doubtful = np.zeros(p.shape, dtype=bool)
            doubtful[ask] = np.array([sign is None for sign in signs])[where]
            self.open[part] = doubtful.any(axis=1)
        self.positive[part] = positive.any(axis=1)
        if isfinite(self._error):
            self.sums[part] = np.where(positive, difference, 0.0).sum(axis=1)

    def _sign(self, p: int, q: int) -> int | None:
        """The sign of p − e^ε·q, None where it is undecided."""
        if p == q:
            return 0  # or -1: not positive, as ε ≥ 0
        if (p, q) not in self._signs:
            self._signs[p, q] = self._decided(self._table.numbers[p], self._table.numbers[q])
        return self._signs[p, q]

    def _decided(self, p: Exact, q: Exact) -> int | None:
        with ctx.workprec(WORKING_PRECISION):
            ball = enclosure(p) - self._factor_ball * enclosure(q)
        if ball > 0 or ball < 0:
            return 1 if ball > 0 else -1
        try:
            return decision.sign(total((p, negative(product((self._factor, q))))))
        except Undecided as doubt:
            self.doubts.append(str(doubt))
            return None

    def summands(self, i: int) -> list[Summand]:
        """The positive summands of pair i."""
        p_of = dict(self._table.rows[self._left[i]])
        q_of = dict(self._table.rows[self._right[i]])
        found = (Summand(column, p, q_of.get(column, 0)) for column, p in p_of.items())
        return [summand for summand in found if summand.q == 0 or self._sign(summand.p, summand.q) == 1]

    def excess(self, p: int, q: int) -> Exact:
        """P − e^ε·q, for two numbers of the table."""
        return total((self._table.numbers[p], negative(product((self._factor, self._table.numbers[q])))))

    def divergence(self, i: int) -> Exact:
        """δ(P‖Q) of pair i, but for summands whose sign is undecided."""
        key = tuple(sorted((p, q) for _, p, q in self.summands(i)))
        if key not in self._sums_of:
            numbers = self._table.numbers
            p_total = total(numbers[p] for p, _ in key)
            q_total = total(numbers[q] for _, q in key)
            self._sums_of[key] = total((p_total, negative(product((self._factor, q_total)))))
        return self._sums_of[key]

    def worst(self) -> tuple[Exact, Mask]:
        """The largest divergence, and pairs that have it: all pairs, and 0, where none is positive."""
        candidates = np.flatnonzero(self.positive & (self.sums >= self.sums.max(initial=0.0) - 2 * self._error))
        divergences = {int(i): self.divergence(int(i)) for i in candidates}
        largest: Exact = ZERO
        distinct = {divergence.serial: divergence for divergence in divergences.values()}
        for divergence in distinct.values():
            if _exceeds(divergence, largest):
                largest = divergence
        if largest is ZERO:
            return ZERO, ~self.positive
        as_large = {serial for serial, divergence in distinct.items() if not _exceeds(largest, divergence)}
        attained = np.zeros(len(self.positive), dtype=bool)
        attained[[i for i, divergence in divergences.items() if divergence.serial in as_large]] = True
        return largest, attained

    def violating(self, delta: Exact) -> tuple[Mask, Mask]:
        """Which pairs have a divergence above δ, and of which that is undecided."""
        if delta is ZERO:
            return self.positive, self.open & ~self.positive
        bound = rounded(delta)
        over = self.sums - self._error > bound * (1 + 4 * UNIT_ROUNDOFF)
        near = ~over & ~(self.sums + self._error < bound * (1 - 4 * UNIT_ROUNDOFF))
        undecided = np.zeros(len(over), dtype=bool)
        for i in np.flatnonzero(near):
            try:
                over[i] = compare(self.divergence(int(i)), delta) > 0
                undecided[i] = self.open[i] and not over[i]
            except Undecided as doubt:
                self.doubts.append(str(doubt))
                undecided[i] = True
        return over, undecided


def _exceeds(left: Exact, right: Exact) -> bool:
    try:
        return compare(left, right) > 0
    except Undecided:  # they agree to thousands of digits: either may stand for both
        return False


def largest_ratio(table: LawTable, left: Ids, right: Ids) -> tuple[Exact, Exact] | None:
    """Probabilities p, q of one outcome with the largest p/q over all pairs; None where some q is 0 and p is not."""
    best: tuple[Exact, Exact] = (ONE, ONE)
    ratio = 1.0
    for _, p, q in chunks(table, left, right):
        if ((p != 0) & (q == 0)).any():
            return None
        p_value, q_value = table.values[p], table.values[q]
        untrusted = (p != 0) & ((p_value < SMALLEST_TRUSTED) | (q_value < SMALLEST_TRUSTED))
        ratios = np.divide(p_value, q_value, out=np.zeros_like(p_value), where=(p != 0) & ~untrusted)
        # A computed ratio is within 8u of the true one.
        ratio = max(ratio, float(ratios.max(initial=0.0)))
        ask = (ratios >= ratio * (1 - 32 * UNIT_ROUNDOFF)) | untrusted
        for code in np.unique(p[ask] * len(table.values) + q[ask]):
            above, below = (table.numbers[number] for number in divmod(int(code), len(table.values)))
            if _exceeds(product((above, best[1])), product((best[0], below))):
                best = (above, below)
    return best


def chunks(table: LawTable, left: Ids, right: Ids) -> Iterator[tuple[slice, Ids, Ids]]:
    """The pairs in parts that fit in memory: which part, and the numbers of p and q, pairs × outcomes."""
    size = max(1, _ENTRIES_AT_ONCE // max(1, len(table.outcomes)))
    everything = table.dense(np.arange(len(table.rows))) if len(table.rows) <= size else None
    for start in range(0, len(left), size):
        part = slice(start, min(start + size, len(left)))
        if everything is not None:
            yield part, everything[left[part]], everything[right[part]]
        else:
            laws, where = np.unique(np.concatenate([left[part], right[part]]), return_inverse=True)
            table_part = table.dense(laws)
            yield part, table_part[where[: part.stop - part.start]], table_part[where[part.stop - part.start :]]
