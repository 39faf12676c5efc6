"""The orders that the rows of a multiset may come in: how many there are, and which, by which of its rows are equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise
from math import factorial
from random import Random
from typing import Final, NamedTuple, TypeAlias

from dpverify.mechanisms.functions.samples import size_of_sample

DatabaseRow: TypeAlias = Hashable

SHUFFLED: Final = "rows of a multiset, shuffled once"
"""The seed of the shuffle, beside which of the rows are equal."""


class OrdersRun(NamedTuple):
    """The orders of rows that were run beside the sorted one, and what a verdict says of it."""

    in_words: str = ""
    is_of_sorted_rows: bool = False
    """True where a mechanism that depends on the order in another way than was tried would not have been seen."""

    def read_at(self, place: str) -> OrdersRun:
        """The same, with the place at which code reads the order of its rows; without, where that is empty."""
        return self._replace(in_words=f"{self.in_words}; the order is read at {place}") if place else self


NO_ORDERS: Final = OrdersRun()
"""The rows of a database have no other order, or the claim is not of multisets."""

NOT_ASKED_FOR: Final = OrdersRun("the rows asked for counts, their number and membership alone, so that no order shows")
TAKEN_ONE_BY_ONE: Final = OrdersRun(
    "the rows taken one by one by steps that commute, or asked for counts, their number and membership, so that no "
    "order shows"
)
SORTED_BY_IT: Final = OrdersRun("the rows put in order by the mechanism itself")
EVERY_ORDER: Final = OrdersRun("every order of the rows run")
SOME_ORDERS: Final = OrdersRun(
    "for rows in sorted order: of each multiset whose order is read, the reverse, each swap of two adjacent rows and "
    "one shuffle were run, and not every order",
    is_of_sorted_rows=True,
)


def number_of_orders(database: Sequence[DatabaseRow]) -> int:
    """The number of distinct orders that the rows of a database have."""
    orders = factorial(len(database))
    for count in Counter(database).values():
        orders //= factorial(count)
    return orders


def other_orders(database: tuple[DatabaseRow, ...]) -> Iterator[tuple[DatabaseRow, ...]]:
    """The other orders of a database's rows, each once."""
    places, rows = _places(database)
    yield from (tuple([rows[i] for i in order]) for order in _all_orders(places) if order != places)


def some_orders(database: tuple[DatabaseRow, ...]) -> Iterator[tuple[DatabaseRow, ...]]:
    """The reverse of a database's rows, each swap of two adjacent ones, and a shuffle: each other order once."""
    places, rows = _places(database)
    tried = [places[::-1]]
    for i, (left, right) in enumerate(pairwise(places)):
        if left != right:
            tried.append((*places[:i], right, left, *places[i + 2 :]))
    chance = Random(f"{SHUFFLED}: {places}")
    tried += (tuple(chance.sample(places, len(places))) for _ in range(size_of_sample("shuffles of rows")))
    yield from (tuple([rows[i] for i in order]) for order in dict.fromkeys(tried) if order != places)


def _places(database: tuple[DatabaseRow, ...]) -> tuple[tuple[int, ...], tuple[DatabaseRow, ...]]:
    """The distinct row that stands at each place, and these rows."""
    place: dict[DatabaseRow, int] = {}
    return tuple([place.setdefault(row, len(place)) for row in database]), tuple(place)


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
