"""Whether a mechanism reads the order of its rows: by its code, by what it is, and by which multisets that is tried."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from dpverify.mechanisms.counting.qualities import AllAtOnce, OfCounts
from dpverify.mechanisms.drawing.sorted_rows import InSortedOrder
from dpverify.mechanisms.drawing.symmetric import Relabellings, Symmetric
from dpverify.mechanisms.finer_releases.before_post_processing import BeforePostProcessing
from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.instructions.rows_counted import asks_for_counts_alone
from dpverify.mechanisms.selection.by_quality import Selection


def puts_in_order(mechanism: Mechanism) -> bool:
    """True where a mechanism puts its rows in one order itself, whatever it does with them then."""
    made = _inner(mechanism)
    return type(made) is InSortedOrder or (type(made) is Symmetric and type(made.under) is Relabellings)


def is_of_counts(mechanism: Mechanism) -> bool:
    """True where the code of a mechanism, or of its quality, asks its rows for counts, length and membership alone."""
    made = _inner(mechanism)
    if type(made) is Selection:
        quality = made.quality
        of_database = quality.of_database if type(quality) is AllAtOnce else quality
        return type(quality) is OfCounts or asks_for_counts_alone(of_database, 0)
    return asks_for_counts_alone(made, 1)


def _inner(mechanism: Any) -> Any:
    """A mechanism without what is put around it that hands it the rows as they are."""
    while True:
        if type(mechanism) is BeforePostProcessing:
            mechanism = mechanism.mechanism
        elif type(mechanism) is partial and not mechanism.args:
            mechanism = mechanism.func
        else:
            return mechanism


def spread(positions: Sequence[int], count: int) -> list[int]:
    """Some of the positions, spread out over all of them, the last one among them."""
    step = max(1, -(-len(positions) // count))
    return list(positions[::-step])


FEW_WATCHED: Final = 8
"""Multisets of which it is looked at first whether their order is read: most code reads that of all, or of none."""
