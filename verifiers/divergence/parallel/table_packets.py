"""A table of distributions on its way to those who compare pairs of them: its numbers, and no outcomes.

So nothing of a user's own travels. The float64 of each number travels too, since it is the same everywhere.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.verifiers.divergence.output_tables.distribution_table import (
    DenseRows,
    DistributionTable,
    Entries,
    Floats,
    SparseRows,
    TableParts,
)
from dpverify.verifiers.divergence.parallel.distribution_packets import DoesNotTravel, with_inner_numbers
from dpverify.verifiers.problems.neighbours.neighbour_codes import Ids


class TablePacket(NamedTuple):
    """The parts of a table."""

    sent: Sequence[Any]
    """The numbers of the table, with all that they are made of, in the order in which they were made."""
    places: Ids
    """Place of each number of the table among these."""
    outcomes: int
    law_of: Ids
    rows: NDArray[np.int32] | tuple[NDArray[np.int32], NDArray[np.int32], Ids]
    """Distributions × columns, or the columns and numbers of all rows and how many each has."""
    values: Floats


def packed_table(table: DistributionTable) -> TablePacket:
    """The table, ready to be pickled. Raises `DoesNotTravel` where a number is a function of ε."""
    if any(number.symbol is not None for number in table.numbers):
        raise DoesNotTravel("a function of ε")
    sent = with_inner_numbers(table.numbers)
    place = {number.serial: i for i, number in enumerate(sent)}
    rows: Any
    if isinstance(table.rows, DenseRows):
        rows = table.rows.numbers.astype(np.int32)
    else:
        entries = table.entries
        rows = entries.columns.astype(np.int32), entries.numbers.astype(np.int32), entries.ends - entries.starts
    places = np.array([place[number.serial] for number in table.numbers], dtype=np.int64)
    return TablePacket(sent, places, len(table.outcomes), table.law_of, rows, table.values)


def unpacked_table(packet: TablePacket) -> DistributionTable:
    """The table that was packed, of the numbers of this process; its outcomes are the numbers of its columns."""
    numbers: list[Exact] = [packet.sent[place] for place in packet.places.tolist()]
    rows: DenseRows | SparseRows
    if isinstance(packet.rows, tuple):
        columns, of_entries, lengths = packet.rows
        ends = np.cumsum(lengths)
        rows = SparseRows(Entries(columns.astype(np.int64), of_entries.astype(np.int64), ends - lengths, ends))
    else:
        rows = DenseRows(packet.rows.astype(np.int64))
    table = DistributionTable(TableParts(range(packet.outcomes), numbers, packet.law_of, rows))
    table.values = packet.values
    return table
