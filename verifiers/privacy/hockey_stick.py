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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Final, NamedTuple

import numpy as np
from flint import ctx
from numpy.typing import NDArray

from dpverify.mechanisms.exact import decision
from dpverify.mechanisms.exact.elementary import exp
from dpverify.mechanisms.exact.enclosure import WORKING_PRECISION, enclosure
from dpverify.mechanisms.exact.errors import Undecided
from dpverify.mechanisms.exact.exact_numbers import ONE, ZERO, Exact, compare, exact, negative, product, total
from dpverify.verifiers.privacy import law_table
from dpverify.verifiers.privacy.enclosed import UNDECIDED_AT_MOST
from dpverify.verifiers.privacy.law_table import UNIT_ROUNDOFF, Floats, Ids, LawTable, Missing, rounded

Mask = NDArray[np.bool_]

_NEAR: Final = (
    "two densities cross where no closed form is known, and their divergence is too near to δ to tell them apart"
)

_PARTIAL: Final = (
    "several released numbers are tied to each other, or have densities that are sums of exponentials as comparisons "
    "make them, and one density exceeds the other's multiple somewhere; so far the mass of all of that is not known, "
    "but of some boxes"
)

_TRUSTED_DIFFERENCE: Final = 16 * UNIT_ROUNDOFF


class Summand(NamedTuple):
    """One outcome of a pair of laws, by column, with the numbers of its two probabilities."""

    column: int
    p: int
    q: int


class HockeyStick:
    """The divergences of the pairs (left[i], right[i]) of laws of a table at one ε ≥ 0.

    `positive[i]` says whether δ(P‖Q) > 0 for certain, `open[i]` whether the sign of some summand is undecided; `doubts`
    are the reasons. `missing` is what the table leaves out of each pair.
    """

    def __init__(self, table: LawTable, left: Ids, right: Ids, epsilon: Exact, missing: Missing | None = None) -> None:
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
        for part in parts_of(table, left, right):
            self._scan(part)
        self.most_gaps = 0 if missing is None else int(missing.gaps.max(initial=0))
        """The most summands of one pair that are left out as too small."""
        self.is_partial = missing is not None and bool(missing.partial.any())
        """Whether divergences are lower bounds for some pairs."""
        self._gaps = np.zeros(len(left), dtype=np.int64) if missing is None else missing.gaps
        self._partial: Mask = np.zeros(len(left), dtype=bool) if missing is None else missing.partial
        if missing is not None:
            self.open |= (missing.gaps > 0) | missing.partial
            if self.is_partial:
                self.doubts.append(_PARTIAL)

    def _scan(self, part: _Part) -> None:
        p, scaled = part.values()
        with np.errstate(over="ignore", invalid="ignore"):
            scaled *= self._factor_value
            doubt = p + scaled
            doubt *= _TRUSTED_DIFFERENCE
            difference = p
            difference -= scaled
            ask = (np.abs(difference) <= doubt) & (doubt > 0)
        if not (self._table.is_trusted and isfinite(self._factor_value)):
            ask = part.numbers()[0] != 0
            difference[~ask] = 0.0
        np.maximum(difference, 0.0, out=difference)
        if ask.any():
            self._ask(part, ask, difference)
        self.sums[part.of] = difference.sum(axis=1)
        self.positive[part.of] = self.sums[part.of] > 0

    def _ask(self, part: _Part, ask: Mask, difference: Floats) -> None:
        """Decide the entries `ask` by exact numbers, and leave in `difference` those that are positive."""
        p, q = (numbers[ask] for numbers in part.numbers())
        codes, where = np.unique(p * len(self._table.values) + q, return_inverse=True)
        signs = [self._sign(*divmod(int(code), len(self._table.values))) for code in codes]
        positive = np.array([sign == 1 for sign in signs])[where]
        # A positive difference that underflows or is too near to 0 for a float64 still has to count as positive.
        difference[ask] = np.where(positive, np.fmax(difference[ask], np.finfo(np.float64).tiny), 0.0)
        open_ = np.zeros(ask.shape, dtype=bool)
        open_[ask] = np.array([sign is None for sign in signs])[where]
        self.open[part.of] = open_.any(axis=1)

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

    def probabilities(self, i: int) -> tuple[dict[int, Exact], dict[int, Exact]]:
        """Column → probability > 0 under either law of pair i."""
        p, q = (
            {column: self._table.numbers[number] for column, number in self._table.rows[law]}
            for law in (self._left[i], self._right[i])
        )
        return p, q

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

    def _at_most(self, i: int) -> Exact:
        """No less than δ(P‖Q) of pair i, if that is not partial: with what was left out, or has no known sign."""
        left_out = int(self._gaps[i]) + len(self._table.outcomes)
        return total((self.divergence(i), product((exact(left_out), exact(UNDECIDED_AT_MOST)))))

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
                undecided[i] = self.open[i] and not over[i] and compare(self._at_most(int(i)), delta) > 0
                if undecided[i] and not self.doubts:
                    self.doubts.append(_NEAR)
            except Undecided as doubt:
                self.doubts.append(str(doubt))
                undecided[i] = True
        return over, undecided | (self._partial & ~over)

    def settles(self, blocks: Sequence[Ids]) -> bool:
        """Whether p − e^ε·q has one sign on all parts of each tail, for every pair: then they may stand for the tail.

        Raises `Undecided` where a sign is.
        """
        for part in parts_of(self._table, self._left, self._right) if blocks else ():
            p, q = part.numbers()
            for block in blocks:
                codes = p[:, block] * len(self._table.numbers) + q[:, block]
                distinct, where = np.unique(codes, return_inverse=True)
                signs = np.array([self._true_sign(*divmod(int(code), len(self._table.numbers))) for code in distinct])
                of_parts = signs[where].reshape(codes.shape)
                if ((of_parts > 0).any(axis=1) & (of_parts < 0).any(axis=1)).any():
                    return False
        return True

    def _true_sign(self, p: int, q: int) -> int:
        if p == q:
            return -1 if p and self._factor is not ONE else 0
        found = self._sign(p, q)
        if found is None:
            raise Undecided(self.doubts[-1])
        return found


def _exceeds(left: Exact, right: Exact) -> bool:
    try:
        return compare(left, right) > 0
    except Undecided:  # they agree to thousands of digits: either may stand for both
        return False


def largest_ratio(table: LawTable, left: Ids, right: Ids, blocks: Sequence[Ids] = ()) -> tuple[Exact, Exact] | None:
    """Probabilities p, q of one outcome with the largest p/q over all pairs; None where some q is 0 and p is not.

    Of the parts of tails in `blocks` those alone count whose ratio is that at the first number, or its limit.
    """
    best: tuple[Exact, Exact] = (ONE, ONE)
    largest = 1.0
    for part in parts_of(table, left, right):
        p, q = part.values()
        possible = p != 0 if table.is_trusted else part.numbers()[0] != 0
        for block in blocks:
            possible[:, block] &= _first_and_last(*(numbers[:, block] != 0 for numbers in part.numbers()))
        impossible = q == 0 if table.is_trusted else part.numbers()[1] == 0
        if (possible & impossible).any():
            return None
        # A computed ratio of trusted numbers is within 8u of the true one; where some are not trusted, all are asked.
        ratios = (
            np.divide(p, q, out=np.zeros_like(p), where=possible) if table.is_trusted else np.where(possible, inf, 0)
        )
        largest = max(largest, float(ratios.max(initial=0.0)))
        candidates = ratios >= largest * (1 - 32 * UNIT_ROUNDOFF)
        p_numbers, q_numbers = part.numbers()
        for code in np.unique(p_numbers[candidates] * len(table.values) + q_numbers[candidates]):
            above, below = (table.numbers[number] for number in divmod(int(code), len(table.values)))
            if _exceeds(product((above, best[1])), product((best[0], below))):
                best = (above, below)
    return best


def largest_ratios(table: LawTable, left: Ids, right: Ids) -> Floats:
    """The largest ratio p/q of each pair of laws, as far as floats tell; ∞ where some q is 0 and p is not."""
    found: list[Floats] = [np.zeros(0)]
    for part in parts_of(table, left, right):
        p, q = part.values()
        with np.errstate(divide="ignore", over="ignore"):
            found.append(np.divide(p, q, out=np.zeros_like(p), where=p > 0).max(axis=1, initial=0.0))
    return np.concatenate(found)


def _first_and_last(p_is_positive: Mask, q_is_positive: Mask) -> Mask:
    """For each pair the last part, and the first that is possible: the slowest term that one of the two laws has."""
    chosen = np.zeros(p_is_positive.shape, dtype=bool)
    chosen[np.arange(len(chosen)), np.argmax(p_is_positive | q_is_positive, axis=1)] = True
    chosen[:, -1] = True
    return chosen


@dataclass(frozen=True)
class _Part:
    """Some of the pairs: which, the numbers of the probabilities of some laws, and the rows of each pair in them."""

    table: LawTable
    of: slice
    laws: Ids
    left: Ids
    right: Ids

    def numbers(self) -> tuple[Ids, Ids]:
        """The numbers of p and of q, pairs × outcomes."""
        return self.laws[self.left], self.laws[self.right]

    def values(self) -> tuple[Floats, Floats]:
        """P and q in float64, pairs × outcomes, to be overwritten at will."""
        values = self.table.values[self.laws]
        return values[self.left], values[self.right]


def parts_of(table: LawTable, left: Ids, right: Ids) -> Iterator[_Part]:
    """The pairs in parts that fit in memory."""
    size = max(1, law_table.ENTRIES_AT_ONCE // max(1, len(table.outcomes)))
    for start in range(0, len(left), size):
        of = slice(start, min(start + size, len(left)))
        if table.everything is not None:
            yield _Part(table, of, table.everything, left[of], right[of])
        else:
            laws, rows = np.unique(np.concatenate([left[of], right[of]]), return_inverse=True)
            count = of.stop - of.start
            yield _Part(table, of, table.dense(laws), rows[:count], rows[count:])
