"""Rows as a database holds them, in several orders: plain tuples, for mechanisms that are tried on them."""

from collections.abc import Hashable, Iterator, Sequence
from enum import Enum
from itertools import chain, pairwise, repeat
from typing import Final, TypeAlias

import numpy as np

from dpverify.mechanisms.functions.samples import size_of_sample
from dpverify.verifiers.problems.questions.row_orders import number_of_orders, other_orders

_Rows: TypeAlias = tuple[Hashable, ...]


class Order(Enum):
    """Order in which rows are handed out."""

    AS_THE_UNIVERSE = "in the order of the universe"
    REVERSED = "in the reverse order"
    SHUFFLED = "shuffled"
    INTERLEAVED = "interleaved"


ORDERS: Final = tuple(Order)


def real_rows(universe: Sequence[Hashable], times: Sequence[int], order: Order, seed: int) -> _Rows:
    """Each row of the universe as often as `times` says. Which order SHUFFLED is depends on `seed` and `times`."""
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
        case Order.SHUFFLED:
            places = np.repeat(np.arange(len(universe)), times)
            np.random.Generator(np.random.PCG64([seed, *times])).shuffle(places)
            return tuple(map(universe.__getitem__, places.tolist()))


def orders_of_few(universe: Sequence[Hashable], times: Sequence[int], seed: int) -> Iterator[_Rows]:
    """The orders of a small database: all of them where they are few, else some, shuffled."""
    rows, most = real_rows(universe, times, Order.AS_THE_UNIVERSE, seed), size_of_sample("orders of small databases")
    yield rows
    places = [place for place, often in enumerate(times) for _ in range(often)]
    if number_of_orders(places) <= most:
        yield from other_orders(rows)
        return
    for i in range(1, most):
        yield real_rows(universe, times, Order.SHUFFLED, seed + i)
