"""The distinct laws of a domain as a table of numbers: every distinct probability once, with a float64 beside it.

The float64 proposes; what it leaves open goes to the exact number.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dpverify.mechanisms.exact import decision, polynomial_form
from dpverify.mechanisms.exact.enclosure import WORKING_PRECISION, enclosure, enclosures
from dpverify.mechanisms.exact.exact_numbers import ZERO, Exact
from dpverify.mechanisms.laws.lookalikes import refuse_lookalike
from dpverify.verifiers.privacy.repetition import Law
from dpverify.verifiers.privacy.tails import numbers_of_parts, without_parts

Ids: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]


class Missing(NamedTuple):
    """What a table leaves out of each pair of laws that is compared.

    `gaps` are how many outcomes, each too small for `enclosed` to see; `partial` says whether there are others.
    """

    gaps: Ids
    partial: NDArray[np.bool_]


UNIT_ROUNDOFF: Final = 2.0**-53

RELATIVE_ERROR: Final = 3 * UNIT_ROUNDOFF
"""Of every float64 here: less than 2 units from float(ball), which rounds twice, and 1 from the ball's radius."""

SMALLEST_TRUSTED: Final = 2.0**-900
"""A smaller float64 may be subnormal, with a large relative error: the exact number is asked in its place."""

ENTRIES_AT_ONCE: Final = 1 << 20
"""Laws, or pairs of laws, times outcomes that are held in memory at once."""

_ACCURATE_BITS: Final = 60


def rounded(number: Exact) -> float:
    """A float64 within RELATIVE_ERROR of a positive number, if it is at least SMALLEST_TRUSTED."""
    return _rounded(number, enclosure(number))


def _rounded(number: Exact, ball: arb) -> float:
    precision = WORKING_PRECISION
    while ball.rel_accuracy_bits() < _ACCURATE_BITS:
        precision *= 2
        ball = enclosure(number, precision)
    return float(ball)


def is_zero(probability: Exact) -> bool:
    """Whether a number is 0, as a function of ε if it holds a symbol."""
    if probability.symbol is not None:  # as a function of ε
        return polynomial_form.is_formally_zero(probability)
    return enclosure(probability).contains(0) and decision.sign(probability) == 0


class LawTable:
    """The laws of the databases, equal laws once.

    `outcomes` are the columns; `law_of` gives each database's law by number; `numbers` are the distinct probabilities,
    the first of them 0, and `values` the float64 of each.
    """

    def __init__(self, laws: Sequence[Law]) -> None:
        columns: dict[Hashable, int] = {}
        self.outcomes: list[Any] = []
        number_of: dict[int, int] = {ZERO.serial: 0}
        self.numbers: list[Exact] = [ZERO]
        known: dict[tuple[tuple[int, int], ...], int] = {}
        law_of = []
        for law in laws:
            entries = []
            for outcome, probability in law.probabilities.items():
                column = columns.setdefault(outcome, len(columns))
                if column == len(self.outcomes):
                    self.outcomes.append(outcome)
                elif self.outcomes[column] is not outcome:
                    refuse_lookalike(self.outcomes[column], outcome, " on one database")
                number = number_of.get(probability.serial)
                if number is None and is_zero(probability):
                    number = number_of[probability.serial] = 0  # 0 in disguise
                if number is None:
                    number = number_of[probability.serial] = len(self.numbers)
                    self.numbers.append(probability)
                if number == 0:
                    continue
                entries.append((column, number))
            entries.sort()
            law_of.append(known.setdefault(tuple(entries), len(known)))
        self.law_of: Ids = np.array(law_of, dtype=np.int64)
        self.rows: list[tuple[tuple[int, int], ...]] = list(known)

    @cached_property
    def values(self) -> Floats:
        """The float64 of each of `numbers`."""
        balls = enclosures(self.numbers[1:])
        return np.array([0.0, *map(_rounded, self.numbers[1:], balls)])

    @cached_property
    def blocks(self) -> list[Ids]:
        """The columns that are parts of one tail, slowest first; none where all tails fall off at one rate."""
        found: dict[Any, list[int]] = {}
        for column, outcome in enumerate(self.outcomes):
            whole = without_parts(outcome)
            if whole is not outcome:
                found.setdefault(whole, []).append(column)
        return [
            np.array(sorted(columns, key=lambda column: numbers_of_parts(self.outcomes[column])))
            for columns in found.values()
        ]

    @cached_property
    def is_trusted(self) -> bool:
        """Whether every float64 here keeps its bound: none is so small that it may be subnormal."""
        return bool((self.values[1:] >= SMALLEST_TRUSTED).all())

    @cached_property
    def everything(self) -> Ids | None:
        """`dense` of all laws; None where that is too large to hold."""
        held = len(self.rows) * len(self.outcomes) <= ENTRIES_AT_ONCE
        return self.dense(np.arange(len(self.rows))) if held else None

    def dense(self, laws: Ids) -> Ids:
        """For each of `laws` and each outcome, the number of its probability: shape (len(laws), len(outcomes))."""
        table = np.zeros((len(laws), len(self.outcomes)), dtype=np.int64)
        for i, law in enumerate(laws):
            for column, number in self.rows[law]:
                table[i, column] = number
        return table
