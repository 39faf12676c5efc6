"""Frequent itemset mining: the itemset that most baskets hold, chosen privately among more than can be listed.

A basket is a tuple or a frozenset of items, which are whole numbers; an itemset is a rising tuple of r of them. The
itemsets that are in no basket are one level of quality 0, which is counted and never listed. Replacing a basket changes
the count of each itemset by at most 1, however long the basket is.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from math import comb
from typing import Any, Final, NamedTuple, TypeAlias

from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.functions.canonical import sorted_by_value
from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.law import Noise
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive, whole
from dpverify.mechanisms.numbers.integers.whole_numbers import WHOLE
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.long_sequences import LongSequence, length
from dpverify.mechanisms.selection.exponential_mechanism import of_levels
from dpverify.mechanisms.selection.large_margin import (
    best_of_levels,
    error_allowed,
    items_to_keep_of_levels,
    large_margin_of_levels,
    margin_needed,
)
from dpverify.mechanisms.selection.noisy_max import noisy_max
from dpverify.mechanisms.selection.stability import Bottom

Basket: TypeAlias = Collection[int]
Itemset: TypeAlias = tuple[int, ...]
Levels: TypeAlias = Mapping[int, Sequence[Any]]
"""Count → what so many baskets hold, by falling count."""

LONGEST_LISTED: Final = 1_000
"""Itemsets up to which the max of Laplaces has a closed form that can be evaluated."""


def itemset_counts(baskets: Iterable[Basket], r: int, *, longest: int | None = None) -> Counter[Itemset]:
    """The number of baskets that hold each itemset of r items, for those that occur.

    An item counts once in a basket. Of a basket of more than `longest` items the first in rising order count: a length
    is data, so that to refuse it would tell something. Raises `InputError` unless r ≥ 1, and `longest` ≥ 1 or None.
    """
    whole(r, "r", 1)
    most = None if longest is None else whole(longest, "longest", 1)
    return Counter(chain.from_iterable(combinations(sorted(set(basket))[:most], r) for basket in baskets))


def itemset_levels(baskets: Sequence[Basket], *, r: int, items: int, longest: int | None = None) -> Levels:
    """Count → the itemsets of r of the items 0, …, items − 1 that so many baskets hold, in lexicographic order.

    Of those in no basket none is listed. Raises `InputError` as `itemset_counts` does, and for a basket, by its row,
    with something else than these items, and where there are fewer items than r.
    """
    universe = whole(items, "items", 1)
    if whole(r, "r", 1) > universe:
        raise InputError(bad_input.MORE_THAN, f"r={r}", f"the items there are, {universe}")
    in_order = sorted_by_value(baskets, "a database")  # so that the order of the rows is not read
    wrong = _first_without(baskets, in_order, lambda basket: isinstance(basket, tuple | frozenset))
    if wrong is not None:
        raise InputError(bad_input.WRONG, f"row {wrong}", "a basket", "write a tuple or a frozenset of items")
    wrong = _first_without(
        baskets, in_order, lambda basket: all(type(item) in WHOLE and 0 <= item < universe for item in basket)
    )
    if wrong is not None:
        raise InputError(bad_input.NOT_WHOLE, f"row {wrong}: an item", f" from 0 to {universe - 1}")
    counts = itemset_counts(in_order, r, longest=longest)
    occurring = sorted(counts)
    levels: dict[int, Any] = {count: [] for count in sorted(set(counts.values()), reverse=True)}
    for itemset in occurring:
        levels[counts[itemset]].append(itemset)
    others = OtherItemsets(universe, r, tuple(occurring))
    return {**{count: tuple(block) for count, block in levels.items()}, **({0: others} if others else {})}


@dataclass(frozen=True)
class OtherItemsets(LongSequence[Itemset]):
    """The itemsets of r of the items 0, …, items − 1 but for some, in lexicographic order; none is listed.

    `left_out` are itemsets in lexicographic order, each once.
    """

    items: int
    r: int
    left_out: tuple[Itemset, ...]

    @cached_property
    def size(self) -> int:
        """The number of them."""
        return comb(self.items, self.r) - len(self.left_out)

    @cached_property
    def _ranks(self) -> list[int]:
        return [rank(itemset, self.items) for itemset in self.left_out]

    def at(self, place: int) -> Itemset:
        """The itemset at that place."""
        ranks = self._ranks
        # before ranks[i] there are ranks[i] − i of those that are not left out
        before = bisect_right(range(len(ranks)), place, key=lambda i: ranks[i] - i)
        return itemset_of_rank(place + before, self.r, self.items)


def rank(itemset: Itemset, items: int) -> int:
    """The place of an itemset among all of its size, in lexicographic order."""
    r = len(itemset)
    # counted from the end: of the items from the last one down, C(m, k) itemsets of k begin after the m-th
    return comb(items, r) - 1 - sum(comb(items - 1 - item, r - i) for i, item in enumerate(itemset))


def itemset_of_rank(place: int, r: int, items: int) -> Itemset:
    """The reverse of `rank`. Raises `InputError` unless 0 ≤ place < C(items, r)."""
    if not 0 <= place < comb(items, r):
        raise InputError(bad_input.RANGE, f"place={place}", f"one of {comb(items, r)} itemsets")
    left = comb(items, r) - 1 - place
    found = []
    for k in range(r, 0, -1):
        m = _largest_with(k, left, items)
        found.append(items - 1 - m)
        left -= comb(m, k)
    return tuple(found)


def _largest_with(k: int, at_most: int, below: int) -> int:
    """The largest m < `below` with C(m, k) ≤ `at_most`: by halving, as bisect takes no ranges beyond 2^63."""
    low, high = 0, below  # C(0, k) is 0 or 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if comb(middle, k) <= at_most else (low, middle)
    return low


def frequent_itemset(
    draw: Draw,
    baskets: Sequence[Basket],
    *,
    r: int,
    items: int,
    epsilon: ExactLike,
    delta: ExactLike,
    longest: int | None = None,
    **given: Any,
) -> Distribution[Itemset]:
    """LMM on all itemsets of r of the items 0, …, items − 1, by the number of baskets that hold them.

    Source: Chaudhuri, Hsu & Song, Section 4.1. Ties are broken in lexicographic order. `given` are `slack` and `noise`
    of `large_margin_mechanism`. Raises `InputError` as `itemset_levels` does, and unless ε > 0, 0 < δ < 1 and
    slack > 0.
    """
    levels = itemset_levels(baskets, r=r, items=items, longest=longest)
    return large_margin_of_levels(draw, levels, epsilon=epsilon, delta=delta, **given)


def frequent_itemset_by_exponential(
    draw: object, baskets: Sequence[Basket], *, r: int, items: int, epsilon: ExactLike, longest: int | None = None
) -> Distribution[Itemset]:
    """The exponential mechanism on the same itemsets: I_EM of Section 4.1. Raises `InputError` likewise."""
    return of_levels(itemset_levels(baskets, r=r, items=items, longest=longest), positive(epsilon, "epsilon") / 2)


def frequent_itemset_by_laplaces(
    draw: object,
    baskets: Sequence[Basket],
    *,
    r: int,
    items: int,
    epsilon: ExactLike,
    longest: int | None = None,
    noise: Noise = laplace,
) -> Distribution[Itemset]:
    """The max of Laplaces on the same itemsets, at the scale 2/ε, in closed form.

    Raises `InputError` as `itemset_levels` does, unless ε > 0, and for more itemsets than `LONGEST_LISTED`.
    """
    levels = itemset_levels(baskets, r=r, items=items, longest=longest)
    if sum(map(length, levels.values())) > LONGEST_LISTED:
        raise InputError(
            bad_input.BEYOND,
            f"items={items}",
            f"{LONGEST_LISTED:,} itemsets, as each has noise of its own",
            "use fewer",
        )
    quality = {itemset: count for count, block in levels.items() for itemset in block}
    return noisy_max(
        {itemset: quality[itemset] for itemset in sorted(quality)}, noise(2 / positive(epsilon, "epsilon"))
    )


def frequent_itemset_that_occurs(
    draw: Draw,
    baskets: Sequence[Basket],
    *,
    r: int,
    epsilon: ExactLike,
    delta: ExactLike,
    longest: int | None = None,
    **given: Any,
) -> Distribution[Itemset | Bottom]:
    """LMM without a universe: on the itemsets that occur, and ⊥ of quality 0 that stands for all others.

    Source: Chaudhuri, Hsu & Song, Section 4.1, as one may read "our algorithm does not need to know I". It is not
    private, on however many baskets: where no count is large, an itemset of one basket is returned, see the catalogue.
    Raises `InputError` as `frequent_itemset` does.
    """
    levels = {**_occurring(baskets, r, longest), 0: (Bottom.BOTTOM,)}
    return large_margin_of_levels(draw, levels, epsilon=epsilon, delta=delta, **given)


def frequent_itemset_or_none(
    draw: Draw,
    baskets: Sequence[Basket],
    *,
    r: int,
    epsilon: ExactLike,
    delta: ExactLike,
    longest: int | None = None,
    **given: Any,
) -> Any:
    """LMM without a universe, and ⊥ unless what is kept ends before the itemsets that do not occur.

    Source: ours, for Chaudhuri, Hsu & Song, Section 4.1. It keeps itemsets of few baskets back, but is not private
    either: how many itemsets occur is not, and a long basket moves the ⊥ of the loop by many ℓ, see the catalogue. What
    Theorem 2 covers is `frequent_itemset` with so large a universe that all conceivable items are in it, at no cost.
    Raises `InputError` as `frequent_itemset` does.
    """
    alpha = positive(epsilon, "epsilon")
    occurring = _occurring(baskets, r, longest)
    levels = {**occurring, 0: (Bottom.BOTTOM,)}
    kept = items_to_keep_of_levels(draw, levels, epsilon=alpha, delta=delta, **given)
    if kept > sum(map(len, occurring.values())):
        return Bottom.BOTTOM
    return of_levels(best_of_levels(levels, kept), alpha / 6)


class Promise(NamedTuple):
    """A promise that holds but with probability η: of a best count above `needed`, a loss of at most `error`."""

    needed: Exact
    error: Exact


@sized(frequent_itemset, name="promise")
def promise_of_large_margin(occurring: int, *, epsilon: ExactLike, delta: ExactLike, failure: ExactLike) -> Promise:
    """Corollary 1 with its constants, in baskets: the best count that LMM asks for, and the count that may be lost.

    Theorem 3 at ℓ* = L = `occurring`, the number of itemsets that occur: as the (L+1)-st count is 0, the margin is the
    best count. n·f_max > (21/α)·ln(3/η) + n·T^(L), and 6·ln(2L/η)/α is lost, but with probability η = `failure`.
    Source: Chaudhuri, Hsu & Song, Theorem 3 and Corollary 1, which has η = δ. Raises `InputError` out of range.
    """
    kept = whole(occurring, "occurring", 1)
    return Promise(
        margin_needed(kept, epsilon=epsilon, delta=delta, failure=failure),
        error_allowed(kept, epsilon=epsilon, failure=failure),
    )


@sized(frequent_itemset_by_exponential, name="promise")
def promise_of_exponential(universe: int, *, epsilon: ExactLike, failure: ExactLike) -> Promise:
    """The same of the exponential mechanism: no count is needed, and (2/α)·ln(|U|/η) is lost. Raises likewise."""
    loss = log(whole(universe, "universe", 1) / open_unit(failure, "failure"))
    return Promise(exact(0), 2 / positive(epsilon, "epsilon") * loss)


def _occurring(baskets: Sequence[Basket], r: int, longest: int | None) -> Levels:
    """The levels of the itemsets that occur."""
    in_order = sorted_by_value(baskets, "a database")
    wrong = _first_without(baskets, in_order, _is_basket)
    if wrong is not None:  # before the largest item is taken for a universe, which no error may name
        raise InputError(bad_input.WRONG, f"row {wrong}", "a basket", "write a tuple of integers from 0 on")
    highest = max((item for basket in in_order for item in basket), default=0)
    levels = itemset_levels(in_order, r=r, items=max(r, highest + 1), longest=longest)
    return {count: block for count, block in levels.items() if count}


def _first_without(
    baskets: Sequence[Basket], in_order: Iterable[Basket], is_right: Callable[[Any], bool]
) -> int | None:
    """The first row that is wrong, or None: whether one is, is asked of the rows in order, so that no order is read."""
    if all(map(is_right, in_order)):
        return None
    return next(row for row, basket in enumerate(baskets) if not is_right(basket))


def _is_basket(row: object) -> bool:
    return isinstance(row, Iterable) and all(type(item) is int and item >= 0 for item in row)
