"""Rows as a database holds them, in several orders: plain tuples, for mechanisms that are tried on them."""

from collections.abc import Hashable, Sequence
from enum import Enum
from itertools import chain, pairwise, repeat
from typing import Final, TypeAlias

_Rows: TypeAlias = tuple[Hashable, ...]


class Order(Enum):
    """Order in which rows are handed out."""

    AS_THE_UNIVERSE = "in the order of the universe"
    REVERSED = "in the reverse order"
    INTERLEAVED = "interleaved"


ORDERS: Final = tuple(Order)


def real_rows(universe: Sequence[Hashable], times: Sequence[int], order: Order) -> _Rows:
    """Each row of the universe as often as `times` says."""
    match order:
        case Order.AS_THE_UNIVERSE:
            return tuple(chain.from_iterable(map(repeat, universe, times)))
        case Order.REVERSED:
            return tuple(chain.from_iterable(map(repeat, universe[::-1], times[::-1])))
        case Order.INTERLEAVED:
            ends = sorted({0, *times})
            layers = (
                tuple([row for row, often in zip(universe, times, strict=True) if often > start]) * (end - start)
                for start, end in pairwise(ends)
            )
            return tuple(chain.from_iterable(layers))
