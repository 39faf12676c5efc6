"""Utility of frequent itemsets by the large margin mechanism: Corollary 1 of Chaudhuri, Hsu & Song."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.release.itemsets import (
    Basket,
    Itemset,
    Promise,
    frequent_itemset,
    itemset_counts,
    promise_of_large_margin,
)
from dpverify.verifiers.catalogue.corners import BETAS, DELTA_CORNERS, DELTAS, EPSILONS
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim
from dpverify.verifiers.utility.repeated import written_out

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_CHS: Final = "Chaudhuri, Hsu & Song"

# Corollary 1: the margin is the best count, as what does not occur has the count 0.


Market: TypeAlias = tuple[tuple[Basket, int], ...]
"""Baskets with how often each occurs, to name hundreds of them in a few words."""


def baskets_of(market: Market) -> tuple[Basket, ...]:
    """The baskets one by one."""
    return written_out(market)


def itemset_of_market(draw: Draw, market: Market, **given: Any) -> Any:
    """`frequent_itemset` of the baskets."""
    return frequent_itemset(draw, baskets_of(market), **given)


def itemset_at_a_quarter_of_epsilon(draw: Draw, market: Market, *, epsilon: Fraction, **given: Any) -> Any:
    """A quarter of the α."""
    return itemset_of_market(draw, market, epsilon=epsilon / 4, **given)


@lru_cache(maxsize=64)
def counts_in(market: Market, r: int) -> Mapping[Itemset, int]:
    """The number of baskets that hold each itemset of r items, once for all outcomes of a case."""
    return itemset_counts(baskets_of(market), r)


def promise_for(case: Case) -> Promise:
    """The best count that Corollary 1 asks for, and what may be lost, for the itemsets that occur."""
    given = case.parameters
    occurring = len(counts_in(case.database, given["r"]))
    return promise_of_large_margin(
        occurring, epsilon=given["epsilon"], delta=given["delta"], failure=case.facts["beta"]
    )


def baskets_lost(case: Case, itemset: Itemset) -> int:
    """The number of baskets more that hold the most frequent itemset."""
    counts = counts_in(case.database, case.parameters["r"])
    return max(counts.values()) - counts.get(itemset, 0)


def markets() -> SearchStrategy[Case]:
    """Baskets whose best pair is at exactly the count that is asked for, and others that occur as often as not."""
    from hypothesis import strategies as st

    def case(
        epsilon: Fraction, delta: Fraction, eta: Fraction, others: tuple[int, ...], bigger: bool, more: int
    ) -> Case:
        occurring = 1 + len(others) + (2 if bigger else 0)
        given = {"epsilon": epsilon, "delta": delta}
        needed, error = promise_of_large_margin(occurring, **given, failure=eta)
        best = floor(needed) + 1 + more
        second = max(1, best - floor(error) - 1)
        counts = (best, *(min(best, second + place) for place in others))
        pairs: Market = tuple(((0, i + 1), count) for i, count in enumerate(counts))
        return Case(
            (((0, 1, 3), 1), ((0, 1), best - 1), *pairs[1:]) if bigger else pairs,
            {"r": 2, "items": 4, **given},
            {"beta": eta, "at the promise": not more},
        )

    return st.builds(
        case,
        st.sampled_from(EPSILONS[2:]),
        st.sampled_from(DELTAS),
        st.sampled_from(BETAS),
        st.lists(st.sampled_from((0, 0, 1)), max_size=1).map(tuple),
        st.booleans(),
        st.sampled_from((0, 0, 5)),
    )


corollary_1 = UtilityClaim(
    id="CHS-Cor1.utility.itemsets",
    source=f"{_CHS}, Corollary 1, with the constants of Theorem 3 at ℓ* = L",
    statement="where the best itemset is in more than (21/α)·ln(3/η) + nT^(L) baskets, LMM gives one in at most "
    "6·ln(2L/η)/α fewer, with probability ≥ 1 − η, for L itemsets that occur",
    mechanism=itemset_of_market,
    succeeds=lambda case, itemset: baskets_lost(case, itemset) <= promise_for(case).error,
    beta=lambda case: case.facts["beta"],
    holds_for=lambda case: max(counts_in(case.database, case.parameters["r"]).values()) > promise_for(case).needed,
    strategy=markets,
    corners={
        "ε = 1": lambda case: case.parameters["epsilon"] == EPSILONS[2],
        **{name: hit for name, hit in DELTA_CORNERS.items() if name != "the least ε"},
        "one itemset occurs": lambda case: len(counts_in(case.database, 2)) == 1,
        "exactly the promise": lambda case: case.facts["at the promise"],
    },
    mutant=itemset_at_a_quarter_of_epsilon,
)
