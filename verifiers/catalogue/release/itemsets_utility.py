"""Utility of frequent itemsets by the large margin mechanism: Corollary 1 of Chaudhuri, Hsu & Song."""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import Any, TypeAlias

from dpverify.mechanisms import Draw
from dpverify.mechanisms.release import frequent_itemset
from dpverify.mechanisms.release.itemsets import Basket, Itemset, Promise, itemset_counts, promise_of_large_margin
from dpverify.verifiers.catalogue.corners import BETAS, DELTA_CORNERS, DELTAS, EPSILONS, claimed_beta
from dpverify.verifiers.utility.family import Case, Family, at_part, chosen
from dpverify.verifiers.utility.repeated import written_out

# The margin is the best count, as what does not occur has the count 0.
Market: TypeAlias = tuple[tuple[Basket, int], ...]
"""Baskets with how often each occurs, to name hundreds of them in a few words."""


def itemset_of_market(draw: Draw, market: Market, **given: Any) -> Any:
    """`frequent_itemset` of the baskets."""
    return frequent_itemset(draw, written_out(market), **given)


@lru_cache(maxsize=64)
def counts_in(market: Market, r: int) -> Mapping[Itemset, int]:
    """The number of baskets that hold each itemset of r items, once for all outcomes of a case."""
    return itemset_counts(written_out(market), r)


def counts_of(case: Case) -> Mapping[Itemset, int]:
    """Of a case."""
    return counts_in(case.database, case.parameters["r"])


def promise_for(case: Case) -> Promise:
    """The best count that Corollary 1 asks for, and what may be lost, for the itemsets that occur."""
    given = {name: case.parameters[name] for name in ("epsilon", "delta")}
    return promise_of_large_margin(len(counts_of(case)), **given, failure=case.facts["beta"])


def is_frequent(case: Case, itemset: Itemset) -> bool:
    """True where not many more baskets than may be lost hold the most frequent itemset."""
    counts = counts_of(case)
    return bool(max(counts.values()) - counts.get(itemset, 0) <= promise_for(case).error)


def market_case(
    epsilon: Fraction, delta: Fraction, eta: Fraction, others: tuple[int, ...], bigger: bool, more: int
) -> Case:
    """Baskets whose best pair is at exactly the count that is asked for, and others that occur as often as not."""
    given = {"epsilon": epsilon, "delta": delta}
    needed, error = promise_of_large_margin(1 + len(others) + (2 if bigger else 0), **given, failure=eta)
    best = floor(needed) + 1 + more
    second = max(1, best - floor(error) - 1)
    counts = (best, *(min(best, second + place) for place in others))
    pairs: Market = tuple(((0, i + 1), count) for i, count in enumerate(counts))
    market = (((0, 1, 3), 1), ((0, 1), best - 1), *pairs[1:]) if bigger else pairs
    return Case(market, {"r": 2, "items": 4, **given}, {"beta": eta, "at the promise": not more})


corollary_1 = Family(
    itemset_of_market,
    is_frequent,
    claimed_beta,
    at_part("itemset_at_a_quarter_of_epsilon", itemset_of_market, 4),
    lambda case: max(counts_of(case).values()) > promise_for(case).needed,
)(
    "CHS-Cor1.utility.itemsets",
    "Chaudhuri, Hsu & Song, Corollary 1, with the constants of Theorem 3 at ℓ* = L",
    "where the best itemset is in more than (21/α)·ln(3/η) + nT^(L) baskets, LMM gives one in at most "
    "6·ln(2L/η)/α fewer, with probability ≥ 1 − η, for L itemsets that occur",
    strategy=chosen(
        *(market_case, EPSILONS[2:], DELTAS, BETAS),
        lambda st: st.lists(st.sampled_from((0, 0, 1)), max_size=1).map(tuple),
        *(lambda st: st.booleans(), (0, 0, 5)),
    ),
    corners={
        "ε = 1": lambda case: case.parameters["epsilon"] == EPSILONS[2],
        **{name: hit for name, hit in DELTA_CORNERS.items() if name != "the least ε"},
        "one itemset occurs": lambda case: len(counts_in(case.database, 2)) == 1,
        "exactly the promise": lambda case: case.facts["at the promise"],
    },
)
