"""The hockey-stick divergence δ(P‖Q) = Σ max(0, P(o) − e^ε·Q(o)) of many pairs at once, decided exactly.

A mechanism is (ε,δ)-private exactly where δ(P‖Q) ≤ δ for the distributions P and Q of every ordered pair of neighbours:
the outcomes with a positive summand are the event that violates most. What floats and what exact numbers decide is said
in `excesses.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from dpverify.mechanisms.numbers.errors import Undecided
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, exact, negative, ordering, product, total
from dpverify.verifiers.divergence.finite.excesses import Excesses
from dpverify.verifiers.divergence.finite.ratios import exceeds, order
from dpverify.verifiers.divergence.output_tables.distribution_table import (
    UNIT_ROUNDOFF,
    DistributionTable,
    Floats,
    Missing,
    rounded,
)
from dpverify.verifiers.divergence.output_tables.parts import pairs_in_parts
from dpverify.verifiers.problems.neighbours.neighbour_codes import Ids, Mask

_NEAR: Final = (
    "two densities cross where no closed form is known, and their divergence is too near to δ to tell them apart"
)

_PARTIAL: Final = (
    "several released numbers are tied to each other, or have densities that are sums of exponentials as comparisons "
    "make them, and one density exceeds the other's multiple somewhere; so far the mass of all of that is not known, "
    "but of some boxes"
)


class Summand(NamedTuple):
    """One outcome of a pair of distributions, by column, with the numbers of its two probabilities."""

    column: int
    p: int
    q: int


class HockeyStick:
    """The divergences of the pairs (left[i], right[i]) of distributions of a table at one ε ≥ 0.

    `positive[i]` says whether δ(P‖Q) > 0 for certain, `open[i]` whether the sign of some summand is undecided; `doubts`
    are the reasons. `missing` is what the table leaves out of each pair. `excesses` are those of the table at ε, where
    other pairs have asked for some already.
    """

    def __init__(
        self,
        table: DistributionTable,
        left: Ids,
        right: Ids,
        epsilon: Exact,
        missing: Missing | None = None,
        excesses: Excesses | None = None,
    ) -> None:
        self._table = table
        self._left = left
        self._right = right
        self._excesses = excesses or Excesses(table, epsilon, len(left) * len(table.outcomes))
        self._factor = self._excesses.factor
        self._error = self._excesses.error
        self._sums_of: dict[tuple[tuple[int, int], ...], Exact] = {}
        self.doubts: list[str] = self._excesses.doubts
        self.sums: Floats
        self.open: Mask
        self.sums, self.open = self._excesses.of(left, right)
        self.positive: Mask = self.sums > 0
        self.most_gaps = 0 if missing is None else int(missing.gaps.max(initial=0))
        """The most summands of one pair that are left out as too small."""
        self.is_partial = missing is not None and bool(missing.partial.any())
        """True where divergences are lower bounds for some pairs."""
        self.is_worst_in_doubt = False
        """True where what `worst` found may be exceeded, by a divergence that nobody can tell from it."""
        self._gaps = np.zeros(len(left), dtype=np.int64) if missing is None else missing.gaps
        self._partial: Mask = np.zeros(len(left), dtype=bool) if missing is None else missing.partial
        if missing is not None:
            self.open |= (missing.gaps > 0) | missing.partial
            if self.is_partial:
                self.doubts.append(_PARTIAL)

    def summands(self, i: int) -> list[Summand]:
        """The positive summands of pair i."""
        p_of: dict[int, int] = dict(self._table.rows[self._left[i]])
        q_of: dict[int, int] = dict(self._table.rows[self._right[i]])
        results = (Summand(column, p, q_of.get(column, 0)) for column, p in p_of.items())
        return [summand for summand in results if summand.q == 0 or self._excesses.sign(summand.p, summand.q) == 1]

    def probabilities(self, i: int) -> tuple[dict[int, Exact], dict[int, Exact]]:
        """Column → probability > 0 under either distribution of pair i."""
        p, q = (
            {column: self._table.numbers[number] for column, number in self._table.rows[law]}
            for law in (self._left[i], self._right[i])
        )
        return p, q

    def excess(self, p: int, q: int) -> Exact:
        """p − e^ε·q, for two numbers of the table."""
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
        return total((self.divergence(i), product((exact(left_out), exact(self._table.undecided_at_most)))))

    def _kinds(self, chosen: Ids) -> tuple[list[int], Ids]:
        """Of chosen pairs one of each kind, and of which kind each is: those of a kind have the same numbers p and q.

        So they have the same divergence, in whatever order the outcomes come.
        """
        kinds: dict[bytes, int] = {}
        examples: list[int] = []
        kind_of = np.zeros(len(chosen), dtype=np.int64)
        for part in pairs_in_parts(self._table, self._left[chosen], self._right[chosen]) if len(chosen) > 1 else ():
            p, q = part.numbers()
            codes = np.where(p != 0, p * len(self._table.numbers) + q, -1)
            codes.sort(axis=1)
            lines, first, where = np.unique(codes, axis=0, return_index=True, return_inverse=True)
            numbers = [kinds.setdefault(line.tobytes(), len(kinds)) for line in lines]
            for number, at in zip(numbers, first.tolist(), strict=True):
                if number == len(examples):
                    examples.append(int(chosen[part.of.start + at]))
            kind_of[part.of] = np.array(numbers, dtype=np.int64)[where]
        return examples or chosen.tolist(), kind_of

    def worst(self, least: float = 0.0) -> tuple[Exact, Mask]:
        """The largest divergence, and pairs that have it: all pairs, and 0, where none is positive.

        Of the forms in which pairs have it, it is in that of the first pair.

        Where none is as large as `least`, as far as floats tell, it need not be the largest.
        """
        largest_sum = max(least, float(self.sums.max(initial=0.0)))
        candidates = np.flatnonzero(self.positive & (self.sums >= largest_sum - 2 * self._error))
        examples, kind_of = self._kinds(candidates)
        divergences = [self.divergence(i) for i in examples]
        largest: Exact = ZERO
        distinct = {divergence.serial: divergence for divergence in divergences}
        for divergence in distinct.values():
            if exceeds(divergence, largest):
                largest = divergence
        if largest is ZERO:
            return ZERO, ~self.positive
        ways = {serial: order(largest, divergence) for serial, divergence in distinct.items()}
        as_large = {serial for serial, way in ways.items() if way != 1}
        self.is_worst_in_doubt = None in ways.values()
        attained = np.zeros(len(self.positive), dtype=bool)
        attained[candidates] = np.array([divergence.serial in as_large for divergence in divergences])[kind_of]
        return self.divergence(int(np.flatnonzero(attained)[0])), attained

    def violating(self, delta: Exact) -> tuple[Mask, Mask]:
        """Pairs that have a divergence above δ, and those of which that is undecided."""
        if delta is ZERO:
            return self.positive, self.open & ~self.positive
        bound = rounded(delta)
        over = self.sums - self._error > bound * (1 + 4 * UNIT_ROUNDOFF)
        near = np.flatnonzero(~over & ~(self.sums + self._error < bound * (1 - 4 * UNIT_ROUNDOFF)))
        undecided = np.zeros(len(over), dtype=bool)
        examples, kind_of = self._kinds(near)
        for kind, i in enumerate(examples):
            of_kind = near[kind_of == kind]
            try:
                over[of_kind] = ordering(self.divergence(i), delta) > 0
                for j in of_kind[self.open[of_kind]].tolist() if not over[i] else ():
                    undecided[j] = ordering(self._at_most(j), delta) > 0
                    if undecided[j] and not self.doubts:
                        self.doubts.append(_NEAR)
            except Undecided as doubt:
                self.doubts.append(str(doubt))
                undecided[of_kind] = True
        return over, undecided | (self._partial & ~over)

    def settles(self, blocks: Sequence[Ids]) -> bool:
        """True if p − e^ε·q has one sign on all parts of each tail, for every pair: then they may stand for the tail.

        Raises `Undecided` where a sign is.
        """
        for part in pairs_in_parts(self._table, self._left, self._right) if blocks else ():
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
        number = self._excesses.sign(p, q)
        if number is None:
            raise Undecided(self.doubts[-1])
        return number
