"""Loops whose rounds may come in any order: that they commute, and the weights of states behind many rounds.

Two rounds commute at a state if each order of them leads to the same distribution over states. Where all do, at all
states that are reached in any order, an exchange of two neighbouring items changes nothing, and such exchanges lead
from each order to each other one. What leaves the loop is left as it is by later rounds, and sees no item that is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any, TypeAlias

from dpverify.mechanisms.numbers.exact_numbers import Exact, product, total
from dpverify.mechanisms.numbers.polynomial_form import is_formally_zero
from dpverify.mechanisms.program_states.weights import CERTAIN, Edges, StateWeights

ItemCounts: TypeAlias = tuple[tuple[int, int], ...]
"""The items of a loop by their numbers, with how often each one is there."""


class Rounds:
    """The rounds of one loop, from states at its head, by their places."""

    def __init__(self, leads_to: Callable[[int, int], Edges], chance: Callable[[int], Exact]) -> None:
        """`leads_to` says of a state at the head and an item what the round leads to, `chance` what a number is."""
        self._leads_to, self._chance = leads_to, chance
        self._edges: dict[tuple[int, int], Edges] = {}
        self.at_head: set[int] = set()
        """The places of states at the head; others have left the loop."""
        self.chances: set[int] = {CERTAIN}
        self._commuting: dict[tuple[int, tuple[int, ...]], int] = {}
        """By the state before the loop and the items how many rounds of them commute."""
        self._way: tuple[Any, list[tuple[tuple[int, ...], dict[int, Any]]]] = (None, [])
        """The way to the weights that were asked for last, and what it is of."""

    def edges(self, place: int, item: int) -> Edges:
        """The edges of the round with an item from a state at the head."""
        known = self._edges.get((place, item))
        if known is None:
            known = self._edges[place, item] = self._leads_to(place, item)
            self.chances.update(chance for _, chance in known)
        return known

    def commute(self, start: int, counts: ItemCounts, most: int) -> bool:
        """True where any two of so many rounds commute; False also where more than `most` would have to be run."""
        items, size = tuple([item for item, _ in counts]), sum(count for _, count in counts)
        if self._commuting.get((start, items), -1) >= size:
            return True
        self.at_head.add(start)
        level, known = [start], {start}
        for left in range(size, 0, -1):
            after = {to: None for place in level for item in items for to, _ in self.edges(place, item)}
            if len(self._edges) > most:
                return False
            if left > 1:
                pairs = combinations(items, 2)
                if not all(self._is_one(place, one, other) for one, other in pairs for place in level):
                    return False
            level = [to for to in after if to in self.at_head and to not in known]
            known.update(level)
        self._commuting[start, items] = size
        return True

    def _is_one(self, place: int, one: int, other: int) -> bool:
        """True where two rounds lead to one distribution in both orders."""
        left, right = self._after_both(place, one, other), self._after_both(place, other, one)
        return left.keys() == right.keys() and all(
            p is right[to] or is_formally_zero(p - right[to]) for to, p in left.items()
        )

    def _after_both(self, place: int, one: int, other: int) -> dict[int, Exact]:
        found: dict[int, list[Exact]] = {}
        for middle, first in self.edges(place, one):
            for to, second in self.edges(middle, other) if middle in self.at_head else ((middle, CERTAIN),):
                found.setdefault(to, []).append(product((self._chance(first), self._chance(second))))
        return {to: total(parts) for to, parts in found.items()}

    def after(self, weights: StateWeights, start: int, counts: ItemCounts) -> dict[int, Any]:
        """The states behind all rounds, with their weights over as high a power as there are rounds.

        On the way are numbers of rounds halfway between least and most, item by item: so the ways to counts that are
        close to each other have much in common, which is found once where they are asked for one after another.
        """
        items, of_each = [item for item, _ in counts], [count for _, count in counts]
        what = weights, start, tuple(items), sum(of_each)
        before = self._way[1] if self._way[0] == what else []
        way, common = list[tuple[tuple[int, ...], dict[int, Any]]](), True
        taken, found = [0] * len(items), {start: weights.one**0}
        for step in _ways(of_each):
            common = common and len(before) > len(way) and before[len(way)][0] == step
            if common:
                found = before[len(way)][1]
            else:
                for item, so_far, now in zip(items, taken, step, strict=True):
                    shares: dict[int, list[tuple[int, Any]]] = {}
                    for _ in range(now - so_far):
                        found = self._round(weights, found, item, shares)
            taken = list(step)
            way.append((step, found))
        self._way = what, way
        return found

    def _round(
        self, weights: StateWeights, before: dict[int, Any], item: int, shares: dict[int, list[tuple[int, Any]]]
    ) -> dict[int, Any]:
        found: dict[int, Any] = {}
        for place, weight in before.items():
            of_place = shares.get(place)
            if of_place is None:
                edges = self._edges[place, item] if place in self.at_head else ((place, CERTAIN),)
                of_place = shares[place] = [(to, weights.whole[chance]) for to, chance in edges]
            for to, share in of_place:
                known = found.get(to)
                found[to] = weight * share if known is None else known + weight * share
        return found


def _ways(counts: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Rising counts up to these, which come of halving what each may be where the sum is known."""
    least, left = [0] * len(counts), sum(counts)
    for i, count in enumerate(counts):
        low, high = (left if i == len(counts) - 1 else 0), left
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if count <= middle else (middle + 1, high)
            if i == len(counts) - 2:
                least[-1] = left - high
            least[i] = max(least[i], low)
            yield tuple(least)
        least[i], left = low, left - low
        yield tuple(least)
