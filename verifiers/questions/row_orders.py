"""The orders that the rows of a multiset may come in: how many there are, and which, by which of its rows are equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import lru_cache
from math import factorial
from operator import is_, itemgetter
from typing import Any, Final, TypeAlias

DatabaseRow: TypeAlias = Hashable


def number_of_orders(database: Sequence[DatabaseRow]) -> int:
    """The number of distinct orders that the rows of a database have."""
    orders = factorial(len(database))
    for count in Counter(database).values():
        orders //= factorial(count)
    return orders


def other_orders(database: tuple[DatabaseRow, ...]) -> Iterator[tuple[DatabaseRow, ...]]:
    """The other orders of a database's rows, each once."""
    place: dict[DatabaseRow, int] = {}
    places = tuple([place.setdefault(row, len(place)) for row in database])
    rows = tuple(place)
    if len(places) <= _SHORT and number_of_orders(places) <= _FEW:
        yield from [order(rows) for order in _few_orders(places)]
    else:
        yield from (tuple([rows[i] for i in order]) for order in _orders(places))


_SHORT: Final = 16
_FEW: Final = 1 << 7
"""Rows, and orders, of which databases are met again and again whose rows are equal in the same places."""


@lru_cache(maxsize=1 << 8)
def _few_orders(places: tuple[int, ...]) -> Sequence[Callable[[tuple[DatabaseRow, ...]], tuple[DatabaseRow, ...]]]:
    """The other orders of such rows, each by what makes it from the distinct rows; a single row has none."""
    return [itemgetter(*order) for order in _orders(places)]


def _orders(places: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    return (order for order in _all_orders(places) if order != places)


def _all_orders(places: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Each once, by rising places: the next one has the last rise in it exchanged, and all behind it turned round."""
    order = sorted(places)
    while True:
        yield tuple(order)
        rise = next((i for i in reversed(range(len(order) - 1)) if order[i] < order[i + 1]), None)
        if rise is None:
            return
        larger = next(i for i in reversed(range(len(order))) if order[i] > order[rise])
        order[rise], order[larger] = order[larger], order[rise]
        order[rise + 1 :] = reversed(order[rise + 1 :])


def with_fewest_orders(databases: Sequence[Hashable], budget: int) -> list[int]:
    """The positions of the multisets with the fewest orders of rows, as long as their other orders are in the budget.

    Equal rows stand side by side in them, and are one object: others may be left out.
    """
    alike: dict[tuple[bool, ...], list[int]] = {}
    for i, rows in enumerate(databases):
        if isinstance(rows, tuple):
            alike.setdefault((True, *map(is_, rows, rows[1:])) if rows else (), []).append(i)
    by_orders: dict[int, list[int]] = {}
    for positions in alike.values():
        example: Any = databases[positions[0]]
        by_orders.setdefault(number_of_orders(example), []).extend(positions)
    chosen: list[int] = []
    for orders, positions in sorted(by_orders.items()):
        within = len(positions) if orders == 1 else budget // (orders - 1)
        chosen += sorted(positions)[:within]
        if within < len(positions):
            break
        budget -= (orders - 1) * len(positions)
    return chosen
