"""The distinct laws of a domain as a table of numbers: every distinct probability once, with a float64 beside it.

The float64 proposes; what it leaves open goes to the exact number.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar, overload

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dpverify.mechanisms.functions.lookalikes import refuse_lookalike
from dpverify.mechanisms.numbers import decision, polynomial_form
from dpverify.mechanisms.numbers.enclosure import WORKING_PRECISION, enclosure, enclosures
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.verifiers.divergence.output_tables.enclosed import undecided_at_most
from dpverify.verifiers.divergence.output_tables.tails import numbers_of_parts, without_parts
from dpverify.verifiers.problems.neighbours.neighbour_codes import Ids
from dpverify.verifiers.problems.preparation.answers import AnyDistribution

Floats: TypeAlias = NDArray[np.float64]

_Row: TypeAlias = tuple[tuple[int, int], ...]
"""A law: the columns of its outcomes in rising order, and the number of the probability of each, which is not 0."""


class Missing(NamedTuple):
    """The masses that a table leaves out of each pair of laws that is compared.

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
        if precision >= (polynomial_form.most_bits(number) or precision + 1):
            raise Undecided(
                not_known.SIGN_UNKNOWN,
                f"a probability that lies in {ball.str(3)} is not known to enough digits, at {precision} bits",
                is_large=True,
            )
        precision *= 2
        ball = enclosure(number, precision)
    return float(ball)


def _is_wide(number: Exact, ball: arb) -> bool:
    """True where no float64 stands for a number, whatever is computed of it."""
    return ball.rel_accuracy_bits() < _ACCURATE_BITS and polynomial_form.is_wide(number)


def is_zero(probability: Exact) -> bool:
    """True where a number is 0, as a function of ε if it holds a symbol."""
    if probability.symbol is not None:  # as a function of ε
        return polynomial_form.is_formally_zero(probability)
    return enclosure(probability).contains(0) and decision.sign(probability) == 0


class DistributionTable:
    """The laws of the databases, equal laws once.

    `outcomes` are the columns; `law_of` gives each database's law by number; `numbers` are the distinct probabilities,
    the first of them 0, and `values` the float64 of each; `rows` are the laws, each as columns with the numbers of
    their probabilities. Laws and numbers come as they occur, database by database, and in one of them column by column.
    """

    def __init__(self, laws: Sequence[AnyDistribution] | TableParts) -> None:
        """The table of some laws, one for each database, or what such a table is made of."""
        table = (
            laws
            if isinstance(laws, TableParts)
            else in_order(laws)
            if isinstance(laws, DistributionArray)
            else _tabulated(laws)
        )
        self.outcomes: Sequence[Any] = table.outcomes
        self.numbers: Sequence[Exact] = table.numbers
        self.law_of: Ids = table.law_of
        self.rows: Sequence[_Row] = table.rows

    @cached_property
    def values(self) -> Floats:
        """The float64 of each of `numbers`; 0 for one that no float64 stands for."""
        balls = enclosures(self.numbers[1:])
        results = [
            0.0 if _is_wide(number, ball) else _rounded(number, ball)
            for number, ball in zip(self.numbers[1:], balls, strict=True)
        ]
        return np.array([0.0, *results])

    @cached_property
    def has_wide(self) -> bool:
        """True where no float64 stands for one of `numbers`."""
        return any(map(_is_wide, self.numbers[1:], enclosures(self.numbers[1:])))

    @cached_property
    def blocks(self) -> list[Ids]:
        """The columns that are parts of one tail, slowest first; none where all tails fall off at one rate."""
        results: dict[Any, list[int]] = {}
        for column, outcome in enumerate(self.outcomes):
            whole = without_parts(outcome)
            if whole is not outcome:
                results.setdefault(whole, []).append(column)
        return [
            np.array(sorted(columns, key=lambda column: numbers_of_parts(self.outcomes[column])))
            for columns in results.values()
        ]

    @cached_property
    def is_trusted(self) -> bool:
        """True where every float64 here keeps its bound: none is so small that it may be subnormal."""
        return bool((self.values[1:] >= SMALLEST_TRUSTED).all())

    @cached_property
    def undecided_at_most(self) -> Fraction:
        """The most that a summand of undecided sign adds: see `enclosed.undecided_at_most`."""
        return undecided_at_most(self.numbers)

    @cached_property
    def everything(self) -> Ids | None:
        """`dense` of all laws; None where that is too large to hold."""
        held = len(self.rows) * len(self.outcomes) <= ENTRIES_AT_ONCE
        return self.dense(np.arange(len(self.rows))) if held else None

    def dense(self, laws: Ids) -> Ids:
        """For each of `laws` and each outcome, the number of its probability: shape (len(laws), len(outcomes))."""
        if isinstance(self.rows, DenseRows):
            return self.rows.numbers[laws]
        entries = self.entries
        lengths = entries.ends[laws] - entries.starts[laws]
        before = np.cumsum(lengths) - lengths
        at = np.arange(lengths.sum()) + np.repeat(entries.starts[laws] - before, lengths)
        table = np.zeros((len(laws), len(self.outcomes)), dtype=np.int64)
        table[np.repeat(np.arange(len(laws)), lengths), entries.columns[at]] = entries.numbers[at]
        return table

    @cached_property
    def entries(self) -> Entries:
        """The rows one after another."""
        if isinstance(self.rows, SparseRows):
            return self.rows.entries
        if isinstance(self.rows, DenseRows):
            return _entries_of(self.rows.numbers)
        lengths = np.array([len(row) for row in self.rows], dtype=np.int64)
        flat = np.array([entry for row in self.rows for entry in row], dtype=np.int64).reshape(-1, 2)
        ends = np.cumsum(lengths)
        columns, numbers = flat.T
        return Entries(columns, numbers, ends - lengths, ends)


class Entries(NamedTuple):
    """The rows of a table one after another: columns and numbers, and where each row begins and ends."""

    columns: Ids
    numbers: Ids
    starts: Ids
    ends: Ids


def _tabulated(laws: Sequence[AnyDistribution]) -> TableParts:
    if isinstance(laws, SharedDistributions):
        table = _tabulated(laws.shared)
        return table._replace(law_of=table.law_of[laws.places])
    columns: dict[Hashable, int] = {}
    outcomes: list[Any] = []
    number_of: dict[int, int] = {ZERO.serial: 0}
    numbers: list[Exact] = [ZERO]
    known: dict[_Row, int] = {}
    law_of = []
    for law in laws:
        results = []
        for outcome, probability in law.probabilities.items():
            column = columns.setdefault(outcome, len(columns))
            if column == len(outcomes):
                outcomes.append(outcome)
            elif outcomes[column] is not outcome:
                refuse_lookalike(outcomes[column], outcome, " on one database")
            results.append((column, probability.serial, probability))
        results.sort()  # by the columns, no two of which are one
        entries = []
        for column, serial, probability in results:
            number = number_of.get(serial)
            if number is None and is_zero(probability):
                number = number_of[serial] = 0  # 0 in disguise
            if number is None:
                number = number_of[serial] = len(numbers)
                numbers.append(probability)
            if number:
                entries.append((column, number))
        law_of.append(known.setdefault(tuple(entries), len(known)))
    return TableParts(outcomes, numbers, np.array(law_of, dtype=np.int64), list(known))


# --- Laws that are found together


_Item = TypeVar("_Item")


class MadeItems(Sequence[_Item]):
    """Items that are made when they are asked for."""

    @overload
    def __getitem__(self, index: int) -> _Item: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[_Item]: ...
    def __getitem__(self, index: int | slice) -> _Item | Sequence[_Item]:
        return self._several(index) if isinstance(index, slice) else self._one(index)

    @abstractmethod
    def _one(self, index: int) -> _Item:
        """The item at a place."""

    def _several(self, index: slice) -> Sequence[_Item]:
        return [self._one(i) for i in range(*index.indices(len(self)))]


def _entries_of(numbers: Ids) -> Entries:
    """Entries that are not 0 in an array of numbers, laws × columns."""
    laws, columns = np.nonzero(numbers)
    lengths = np.bincount(laws, minlength=len(numbers)).astype(np.int64)
    ends = np.cumsum(lengths)
    return Entries(columns, numbers[laws, columns], ends - lengths, ends)


class DenseRows(MadeItems[_Row]):
    """Rows as one array of numbers, laws × columns."""

    def __init__(self, numbers: Ids) -> None:
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def _several(self, index: slice) -> Sequence[_Row]:
        return DenseRows(self.numbers[index])

    def _one(self, index: int) -> _Row:
        return tuple((column, number) for column, number in enumerate(self.numbers[index].tolist()) if number)


class SparseRows(MadeItems[_Row]):
    """Rows as their entries, one row after another."""

    def __init__(self, entries: Entries) -> None:
        self.entries = entries

    def __len__(self) -> int:
        return len(self.entries.starts)

    def _one(self, index: int) -> _Row:
        of = slice(self.entries.starts[index], self.entries.ends[index])
        return tuple(zip(self.entries.columns[of].tolist(), self.entries.numbers[of].tolist(), strict=True))


class TableParts(NamedTuple):
    """The parts of a `DistributionTable`."""

    outcomes: Sequence[Any]
    numbers: Sequence[Exact]
    law_of: Ids
    rows: Sequence[_Row]


class DistributionArray(MadeItems[AnyDistribution]):
    """Laws on common outcomes, by rows of places in `numbers`: of which all are > 0, and each is there once."""

    def __init__(self, outcomes: Sequence[Hashable], numbers: Sequence[Exact], places: Ids) -> None:
        self.outcomes = outcomes
        self.numbers = numbers
        self.places = places

    def __len__(self) -> int:
        return len(self.places)

    def _one(self, index: int) -> AnyDistribution:
        results = (self.numbers[place] for place in self.places[index].tolist())
        return Distribution.of_probabilities(dict(zip(self.outcomes, results, strict=True)))


class SharedDistributions(MadeItems[AnyDistribution]):
    """Laws of which many are one: the first database with each has it before those with the next one."""

    def __init__(self, shared: Sequence[AnyDistribution], places: Ids) -> None:
        self.shared = shared
        self.places = places
        """The place of each database's law among these."""

    def __len__(self) -> int:
        return len(self.places)

    def _one(self, index: int) -> AnyDistribution:
        return self.shared[int(self.places[index])]


def in_order(laws: DistributionArray) -> TableParts:
    """Equal laws once, and laws and numbers as they occur: see `DistributionTable`."""
    first, number_of = _by_occurrence(laws.places.ravel(), len(laws.numbers))
    numbers = [ZERO, *(laws.numbers[place] for place in laws.places.ravel()[first].tolist())]
    codes = codes_of(laws.places, len(laws.numbers))
    distinct, kind = np.unique(codes, return_inverse=True)
    first, law_of_kind = _by_occurrence(kind, len(distinct))
    return TableParts(laws.outcomes, numbers, law_of_kind[kind], DenseRows(number_of[laws.places[first]] + 1))


def _by_occurrence(values: Ids, count: int) -> tuple[Ids, Ids]:
    """The first place of each of the values 0 to count − 1 that occur, in this order, and the rank of each in it."""
    first = np.full(count, len(values), dtype=np.int64)
    first[values[::-1]] = np.arange(len(values) - 1, -1, -1)  # of several the last one stays
    order = np.argsort(first, kind="stable")
    rank = np.empty(count, dtype=np.int64)
    rank[order] = np.arange(count)
    return first[order][: int((first < len(values)).sum())], rank


_LARGEST_CODE: Final = 2**62
_LARGEST_BASE: Final = 2**31


def codes_of(rows: Ids, base: int) -> Ids:
    """A whole number for each row of numbers from 0 to base − 1, the same for equal rows alone."""
    if base > _LARGEST_BASE:
        values, ranks = np.unique(rows, return_inverse=True)
        rows, base = ranks.reshape(rows.shape), len(values)
    codes, distinct = rows[:, 0], base
    for column in rows.T[1:]:
        if distinct * base > _LARGEST_CODE:
            result, codes = np.unique(codes, return_inverse=True)
            distinct = len(result)
        codes, distinct = codes * base + column, distinct * base
    return codes
