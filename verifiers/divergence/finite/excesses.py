"""The excess max(0, p − e^ε·q) of pairs of numbers of a distribution table: decided once for each two that occur.

Float64 goes first, within bounds that are proven here. Write u = 2^-53, and let p~, q~ and E~ be within 3u, relatively,
of p, q and E = e^ε. Then fl(E~·q~) is within 8u of E·q, and the computed difference within 16u·(p~ + fl(E~·q~)) of
p − E·q: further from 0 its sign is certain, and elsewhere the exact numbers are asked, once for each two of them. For a
positive excess E·q < p, so that it is computed within 33u·p; and since the p of one distribution sum to 1, the sum over
k outcomes within (k + 40)·u. It is relied on only where it is further than that from what it is compared with.
"""

from math import inf, isfinite
from typing import Final

import numpy as np
from flint import ctx
from numpy.typing import NDArray

from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.enclosure import WORKING_PRECISION, enclosure
from dpverify.mechanisms.numbers.errors import Undecided
from dpverify.mechanisms.numbers.exact_numbers import Exact, negative, product, total
from dpverify.verifiers.divergence.finite.ratios import LargestRatio
from dpverify.verifiers.divergence.output_tables.distribution_table import (
    SMALLEST_TRUSTED,
    UNIT_ROUNDOFF,
    DistributionTable,
    Floats,
    rounded,
)
from dpverify.verifiers.divergence.output_tables.parts import Part, pairs_in_parts
from dpverify.verifiers.problems.neighbours.neighbour_codes import Ids, Mask, distinct

_Codes = NDArray[np.int32]

MOST_NUMBERS: Final = 3_000
"""Numbers of a distribution table up to which there is a table of all pairs of them, of 72 MB."""

_SMALL: Final = 1 << 12
"""Pairs of numbers of which a table is made for however few pairs of distributions."""

_ENTRIES: Final = 1 << 17
"""Pairs of distributions times outcomes that are looked up together: more would not stay near the processor."""

_TRUSTED_DIFFERENCE: Final = 16 * UNIT_ROUNDOFF

_TINY: Final = np.finfo(np.float64).tiny


class Excesses:
    """The excesses of pairs of numbers of `table` at one ε ≥ 0; `entries` is about how many are asked for.

    `doubts` are the reasons why signs are undecided, and `error` bounds that of a sum of excesses of one pair of
    distributions. With `seeks_ratio` the largest ratio of the numbers that occur is found, too.
    """

    def __init__(self, table: DistributionTable, epsilon: Exact, entries: int, *, seeks_ratio: bool = False) -> None:
        self.table = table
        self.factor = exp(epsilon)
        self._factor_ball = enclosure(self.factor)
        self._factor_value = rounded(self.factor)
        # Where e^ε exceeds every float64 no sum is relied on, nor where it makes much of what a subnormal q is off by.
        relied_on = (
            not table.has_wide
            and isfinite(self._factor_value)
            and (table.is_trusted or self._factor_value * SMALLEST_TRUSTED <= 1)
        )
        self.error = (len(table.outcomes) + 40) * UNIT_ROUNDOFF if relied_on else inf
        self.doubts: list[str] = []
        self.signs: dict[tuple[int, int], int | None] = {}
        """Of p − e^ε·q by the numbers p and q, where it was asked; None where it is undecided."""
        self.undecided: dict[tuple[int, int], str] = {}
        """The reason why, for those."""
        count = len(table.numbers)
        self._of_codes: Floats | None = None
        """By p·count + q; not a number where the exact ones have yet to be asked."""
        if count <= MOST_NUMBERS and count * count <= max(_SMALL, entries):
            self._of_codes = self._proposed()
            self._occurs: Mask = np.zeros(count * count, dtype=bool)
            self._open: Mask = np.zeros(count * count, dtype=bool)
        self._ratio = LargestRatio(table) if seeks_ratio else None

    def of(self, left: Ids, right: Ids) -> tuple[Floats, Mask]:
        """The sum of the excesses of each pair, and whether the sign of one is undecided: that one counts as 0.

        A sum is positive where an excess is, however small.
        """
        sums: Floats = np.zeros(len(left))
        is_open: Mask = np.zeros(len(left), dtype=bool)
        if self._of_codes is not None and self.table.everything is not None:
            self._look_up_all(self._of_codes, self.table.everything, left, right, sums, is_open)
            return sums, is_open
        for part in pairs_in_parts(self.table, left, right):
            if self._of_codes is not None:
                of_part = sums[part.of], is_open[part.of]
                self._look_up_all(self._of_codes, part.laws, part.left, part.right, *of_part)
            else:
                self._compute(part, sums, is_open)
                if self._ratio is not None:
                    self._ratio.add_part(part)
        return sums, is_open

    def largest_ratio(self) -> LargestRatio:
        """The largest p/q of an outcome of the pairs that were asked for."""
        assert self._ratio is not None, "it was to be sought"
        if self._of_codes is not None:
            self._ratio.add_numbers(np.flatnonzero(self._occurs))
        return self._ratio

    def _proposed(self) -> Floats:
        """The excess of each two numbers as far as floats tell its sign."""
        values = self.table.values
        count = len(values)
        floats: Floats = np.empty((count, count))
        is_small = (values < SMALLEST_TRUSTED) & (np.arange(count) > 0)
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = values * self._factor_value
            step = max(1, _ENTRIES // count)
            for start in range(0, count, step):
                p = values[start : start + step, None]
                doubt = (p + scaled) * _TRUSTED_DIFFERENCE
                difference = p - scaled
                ask = (np.abs(difference) <= doubt) & (doubt > 0) | is_small | is_small[start : start + step, None]
                if not isfinite(self._factor_value):
                    ask[:] = True
                floats[start : start + step] = np.where(ask, np.nan, np.maximum(difference, 0.0))
        floats[0] = 0.0
        np.fill_diagonal(floats, 0.0)  # p − e^ε·p is not positive, as ε ≥ 0
        return floats.ravel()

    def _look_up_all(self, of_codes: Floats, laws: Ids, left: Ids, right: Ids, sums: Floats, is_open: Mask) -> None:
        """The sums over pairs of lines of `laws`, into `sums` and `is_open`."""
        q = laws.astype(np.int32)
        p: _Codes = q * np.int32(len(self.table.numbers))
        size = max(1, _ENTRIES // max(1, laws.shape[1]))
        for start in range(0, len(left), size):
            of = slice(start, start + size)
            codes = np.take(p, left[of], axis=0)
            codes += np.take(q, right[of], axis=0)
            excesses = np.take(of_codes, codes)
            result = np.einsum("ij->i", excesses)
            if np.isnan(result).any():
                self._ask(of_codes, distinct(codes[np.isnan(excesses)]))
                result = np.einsum("ij->i", np.take(of_codes, codes))
            sums[of] = result
            if self._open.any():
                is_open[of] = np.take(self._open, codes).any(axis=1)
            self._occurs[codes.ravel()] = True

    def _ask(self, of_codes: Floats, codes: _Codes) -> None:
        """Decide the excesses of these pairs of numbers by exact ones."""
        values = self.table.values
        for code in codes.tolist():
            p, q = divmod(code, len(values))
            sign = self.sign(p, q)
            with np.errstate(over="ignore", invalid="ignore"):
                difference = values[p] - self._factor_value * values[q]
            # A positive difference that underflows or is too near to 0 for a float64 still has to count as positive.
            of_codes[code] = np.fmax(difference, _TINY) if sign == 1 else 0.0
            self._open[code] = sign is None

    def _compute(self, part: Part, sums: Floats, is_open: Mask) -> None:
        """As `_look_up_all`, for one part, by floats."""
        p, scaled = part.values()
        with np.errstate(over="ignore", invalid="ignore"):
            scaled *= self._factor_value
            doubt = p + scaled
            doubt *= _TRUSTED_DIFFERENCE
            difference = p
            difference -= scaled
            ask = (np.abs(difference) <= doubt) & (doubt > 0)
        if not (self.table.is_trusted and isfinite(self._factor_value)):
            ask = part.numbers()[0] != 0
            difference[~ask] = 0.0
        np.maximum(difference, 0.0, out=difference)
        if ask.any():
            p_numbers, q_numbers = (numbers[ask] for numbers in part.numbers())
            count = len(self.table.numbers)
            codes, where = np.unique(p_numbers * count + q_numbers, return_inverse=True)
            signs = [self.sign(*divmod(code, count)) for code in codes.tolist()]
            positive = np.array([sign == 1 for sign in signs])[where]
            difference[ask] = np.where(positive, np.fmax(difference[ask], _TINY), 0.0)
            of_part = np.zeros(ask.shape, dtype=bool)
            of_part[ask] = np.array([sign is None for sign in signs])[where]
            is_open[part.of] = of_part.any(axis=1)
        sums[part.of] = difference.sum(axis=1)

    def sign(self, p: int, q: int) -> int | None:
        """The sign of p − e^ε·q, None where it is undecided.

        Raises `Undecided` where it is, and the number may be larger than `undecided_at_most`.
        """
        if p == q:
            return 0  # or -1: not positive, as ε ≥ 0
        if (p, q) not in self.signs:
            try:
                self.signs[p, q] = self._decided(self.table.numbers[p], self.table.numbers[q])
            except Undecided as doubt:
                if doubt.is_large:
                    raise
                self.learn(p, q, None, str(doubt))
        return self.signs[p, q]

    def learn(self, p: int, q: int, sign: int | None, doubt: str) -> None:
        """Take the sign of p − e^ε·q from whoever has decided it, or why it is undecided."""
        if (p, q) not in self.signs:
            self.signs[p, q] = sign
            if sign is None:
                self.undecided[p, q] = doubt
                self.doubts.append(doubt)

    def _decided(self, p: Exact, q: Exact) -> int:
        with ctx.workprec(WORKING_PRECISION):
            ball = enclosure(p) - self._factor_ball * enclosure(q)
        if ball > 0 or ball < 0:
            return 1 if ball > 0 else -1
        return decision.sign(total((p, negative(product((self.factor, q))))))
