"""The largest ratio p/q of the probabilities of one outcome, over many pairs of distributions: e^ε for the exact ε."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf

import numpy as np

from dpverify.mechanisms.numbers import polynomial_form
from dpverify.mechanisms.numbers.enclosure import bounds
from dpverify.mechanisms.numbers.errors import Undecided
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, ordering, product
from dpverify.mechanisms.numbers.simplification import simplified
from dpverify.verifiers.divergence.output_tables.distribution_table import UNIT_ROUNDOFF, DistributionTable, Floats
from dpverify.verifiers.divergence.output_tables.parts import Part, pairs_in_parts
from dpverify.verifiers.problems.neighbours.neighbour_codes import Ids, Mask, distinct


def order(left: Exact, right: Exact) -> int | None:
    """1, 0 or -1, as the first number is larger, equal or smaller; None where nobody knows, to many digits.

    Of numbers that are known between two others alone, and overlap, the one with the larger upper end counts as the
    larger one: what is said of it, that it lies between its ends, then holds of the larger one, too. Raises `Undecided`
    where others may differ by more than `undecided_at_most`.
    """
    try:
        return ordering(left, right)
    except Undecided as doubt:
        if not doubt.is_large:
            return None
        if not polynomial_form.is_wide(left) and not polynomial_form.is_wide(right):
            raise
        ends = [bounds(simplified(number))[1] for number in (left, right)]
        return 1 if ends[0] > ends[1] else -1


def exceeds(left: Exact, right: Exact) -> bool:
    """True where one number is larger; of two that agree to many digits either may stand for both."""
    return order(left, right) == 1


class LargestRatio:
    """The largest ratio among those of numbers of a table that are shown to it, one block after the other."""

    def __init__(self, table: DistributionTable) -> None:
        self._table = table
        self._best: tuple[Exact, Exact] = (ONE, ONE)
        self.code: int | None = None
        """p·count + q, for the numbers of that ratio in the table; None for 1."""
        self._doubted: set[int] = set()
        """Codes of numbers whose ratio was not told from the best one."""
        self._largest = 1.0
        self._is_infinite = False

    @property
    def codes(self) -> list[int]:
        """`code`, and those of ratios that may be larger, or may not: what others find of these is found of all."""
        return sorted(self._doubted if self.code is None else {self.code, *self._doubted})

    @property
    def slack(self) -> Fraction:
        """The part of itself by which the ratio may be exceeded, by some that nobody can tell from it; 0 for none."""
        number = Fraction(0)
        for code in self._doubted:
            above, below = self._at(code)
            if code != self.code and order(*self._crosswise(above, below)) is None:
                least, _ = bounds(product((self._best[0], below)))
                number = max(number, self._table.undecided_at_most / least)
        return number

    @property
    def found(self) -> tuple[Exact, Exact] | None:
        """Numbers p and q with the largest p/q, which is 1 at least; None where some q is 0 and p is not."""
        return None if self._is_infinite else self._best

    def add_part(self, part: Part, blocks: Sequence[Ids] = ()) -> None:
        """The numbers of each outcome of some pairs of distributions.

        Of the parts of tails in `blocks` those alone count whose ratio is that at the first number, or its limit.
        """
        p, q = part.values()
        possible = p != 0 if self._table.is_trusted else part.numbers()[0] != 0
        for block in blocks:
            possible[:, block] &= _first_and_last(*(numbers[:, block] != 0 for numbers in part.numbers()))
        impossible = q == 0 if self._table.is_trusted else part.numbers()[1] == 0
        self._is_infinite = self._is_infinite or bool((possible & impossible).any())
        candidates = self._candidates(p, q, possible)
        if candidates is not None and candidates.any():
            p_numbers, q_numbers = part.numbers()
            count = len(self._table.numbers)
            self._compare(distinct(p_numbers[candidates] * count + q_numbers[candidates]))

    def add_numbers(self, codes: Ids) -> None:
        """The numbers p and q of each p·count + q, for `count` numbers in the table."""
        if len(codes) == 0:
            return
        p, q = np.divmod(codes, len(self._table.numbers))
        possible = p != 0
        self._is_infinite = self._is_infinite or bool((possible & (q == 0)).any())
        candidates = self._candidates(self._table.values[p], self._table.values[q], possible)
        if candidates is not None:
            self._compare(codes[candidates])

    def _candidates(self, p: Floats, q: Floats, possible: Mask) -> Mask | None:
        """The pairs where the largest ratio may be; None where it is infinite."""
        if self._is_infinite:
            return None
        # A computed ratio of trusted numbers is within 8u of the true one; where some are not trusted, all are asked.
        if self._table.is_trusted:
            ratios = np.divide(p, q, out=np.zeros_like(p), where=possible)
        else:
            ratios = np.where(possible, inf, 0)
        self._largest = max(self._largest, float(ratios.max(initial=0.0)))
        return np.asarray(ratios >= self._largest * (1 - 32 * UNIT_ROUNDOFF))

    def _compare(self, codes: Ids) -> None:
        for code in codes.tolist():
            ratio = self._at(code)
            way = order(*self._crosswise(*ratio))
            if way is None:
                self._doubted.add(code)
                if self.code is not None:
                    self._doubted.add(self.code)
            if way == 1:
                self._best, self.code = ratio, code
            elif way != -1 and self.code is not None and code < self.code:
                self._best, self.code = ratio, code  # of equal ratios the first, whatever came before

    def _at(self, code: int) -> tuple[Exact, Exact]:
        """The numbers p and q of p·count + q."""
        p, q = divmod(code, len(self._table.numbers))
        return self._table.numbers[p], self._table.numbers[q]

    def _crosswise(self, above: Exact, below: Exact) -> tuple[Exact, Exact]:
        """Two numbers that compare as above/below and the best ratio do."""
        return product((above, self._best[1])), product((self._best[0], below))


def largest_ratios(table: DistributionTable, left: Ids, right: Ids) -> Floats:
    """The largest ratio p/q of each pair of distributions, as far as floats tell; ∞ where some q is 0 and p is not."""
    floats: list[Floats] = [np.zeros(0)]
    for part in pairs_in_parts(table, left, right):
        p, q = part.values()
        with np.errstate(divide="ignore", over="ignore"):
            floats.append(np.divide(p, q, out=np.zeros_like(p), where=p > 0).max(axis=1, initial=0.0))
    return np.concatenate(floats)


def _first_and_last(p_is_positive: Mask, q_is_positive: Mask) -> Mask:
    """For each pair the last part, and the first that is possible: the slowest term that P or Q has."""
    chosen = np.zeros(p_is_positive.shape, dtype=bool)
    chosen[np.arange(len(chosen)), np.argmax(p_is_positive | q_is_positive, axis=1)] = True
    chosen[:, -1] = True
    return chosen
