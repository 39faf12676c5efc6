"""Utility of the large margin mechanism: Theorem 3, the step of its proof that the margin is for, and Corollary 1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from dpverify.mechanisms.exact.exact_numbers import ExactLike, exact
from dpverify.mechanisms.laws.mechanism import Draw
from dpverify.mechanisms.release.itemsets import (
    Basket,
    Itemset,
    Promise,
    frequent_itemset,
    itemset_counts,
    promise_of_large_margin,
)
from dpverify.mechanisms.selection.large_margin import (
    error_allowed,
    items_to_keep,
    large_margin_mechanism,
    margin_condition,
    margin_needed,
)
from dpverify.verifiers.utility.checker import Case, Sharpness, UtilityClaim
from dpverify.verifiers.utility.repeated import written_out
from dpverify.verifiers.utility_claims.building_blocks import BETAS, DELTA_CORNERS, DELTAS, EPSILONS

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_CHS: Final = "Chaudhuri, Hsu & Song"


def large_margin_at_half_epsilon(draw: Draw, quality: tuple[Any, ...], *, epsilon: ExactLike, delta: ExactLike) -> Any:
    """LMM for half the α."""
    return large_margin_mechanism(draw, quality, epsilon=exact(epsilon) / 2, delta=delta)


def keeping_with_twice_the_test(draw: Draw, gaps: tuple[int, ...], *, epsilon: ExactLike, delta: ExactLike) -> int:
    """ℓ with 2·T^(ℓ) in place of T^(ℓ)."""
    return items_to_keep(draw, gaps, epsilon=epsilon, delta=delta, slack=2)


def margin_of(case: Case) -> Any:
    """n·γ* of a case."""
    return margin_needed(
        case.facts["kept"],
        epsilon=case.parameters["epsilon"],
        delta=case.parameters["delta"],
        failure=case.facts["beta"],
    )


def loss_of(case: Case) -> Any:
    """What Theorem 3 allows to be lost."""
    return error_allowed(case.facts["kept"], epsilon=case.parameters["epsilon"], failure=case.facts["beta"])


def lost(case: Case, item: int) -> int:
    """How much worse than the best an item is."""
    return int(max(case.database) - case.database[item])


def theorem_3_cases() -> SearchStrategy[Case]:
    """ℓ* items near the best, most of them just worse than allowed, and others at exactly the margin or beyond."""
    from hypothesis import strategies as st

    def case(epsilon: Fraction, delta: Fraction, eta: Fraction, near: int, others: int, tied: int, more: int) -> Case:
        kept = 1 + near
        given = {"epsilon": epsilon, "delta": delta}
        bad = floor(error_allowed(kept, epsilon=epsilon, failure=eta)) + 1
        far = floor(margin_needed(kept, **given, failure=eta)) + 1 + more
        scores = (0, *(0,) * min(tied, near), *(-bad,) * (near - min(tied, near)), *(-max(bad, far),) * others)
        return Case(scores, given, {"beta": eta, "kept": kept, "at the margin": others > 0 and not more})

    return st.builds(
        case,
        st.sampled_from(EPSILONS),
        st.sampled_from(DELTAS),
        st.sampled_from(BETAS),
        st.integers(0, 4),
        st.integers(0, 2),
        st.integers(0, 2),
        st.sampled_from((0, 0, 7)),
    )


CORNERS: Final = {
    **DELTA_CORNERS,
    "ℓ* = 1": lambda case: case.facts["kept"] == 1,
    "exactly the margin": lambda case: case.facts["at the margin"],
}


def near_maximisers(loss: int) -> Iterator[Case]:
    """Eight items, one of them best and all others worse than the best by more than may be lost; ℓ* = K."""
    yield Case(
        (0, *(-loss - 1,) * 7),
        {"epsilon": Fraction(1), "delta": Fraction(1, 10)},
        {"beta": Fraction(1, 20), "kept": 8, "loss": loss},
    )


theorem_3 = UtilityClaim(
    id="CHS-Thm3.utility.large-margin",
    source=f"{_CHS}, Theorem 3",
    statement="under the (ℓ*, γ*)-margin condition, nγ* = (21/α)·ln(3/η) + nT^(ℓ*), LMM loses at most 6·ln(2ℓ*/η)/α "
    "with probability ≥ 1 − η",
    mechanism=large_margin_mechanism,
    succeeds=lambda case, item: lost(case, item) <= case.facts.get("loss", loss_of(case)),
    beta=lambda case: case.facts["beta"],
    holds_for=lambda case: margin_condition(case.database, case.facts["kept"], margin_of(case)),
    strategy=theorem_3_cases,
    corners={
        **CORNERS,
        "one item": lambda case: len(case.database) == 1,
        "ℓ* = K": lambda case: case.facts["kept"] == len(case.database) > 1,
        "ties for the best": lambda case: case.database.count(0) > 1,
    },
    mutant=large_margin_at_half_epsilon,
    sharpness=Sharpness(
        what="loss, 8 items, ℓ* = 8, α = 1, δ = 1/10, η = 1/20",
        paper=ceil(error_allowed(8, epsilon=1, failure=Fraction(1, 20))),
        family=near_maximisers,
        least=0,
    ),
)


def gaps_at_the_margin() -> SearchStrategy[Case]:
    """Gaps of the items after the best, ℓ* − 1 of them small, the next exactly at the margin, and more."""
    from hypothesis import strategies as st

    def case(epsilon: Fraction, delta: Fraction, eta: Fraction, near: tuple[int, ...], after: int, more: int) -> Case:
        kept = 1 + len(near)
        given = {"epsilon": epsilon, "delta": delta}
        far = floor(margin_needed(kept, **given, failure=eta)) + 1 + more
        gaps = (*sorted(min(gap, far) for gap in near), *(far,) * (1 + after))
        return Case(gaps, given, {"beta": eta, "kept": kept, "at the margin": not more})

    return st.builds(
        case,
        st.sampled_from(EPSILONS),
        st.sampled_from(DELTAS),
        st.sampled_from(BETAS),
        st.lists(st.sampled_from((0, 1, 40)), max_size=2).map(tuple),
        st.integers(0, 1),
        st.sampled_from((0, 0, 7)),
    )


def one_gap(gap: int) -> Iterator[Case]:
    """Two items with this gap, and ℓ* = 1."""
    yield Case((gap,), {"epsilon": Fraction(1), "delta": Fraction(1, 10)}, {"beta": Fraction(1, 20), "kept": 1})


keeping = UtilityClaim(
    id="CHS-Thm3.utility.items-kept",
    source=f"{_CHS}, Theorem 3: the event of its proof that the margin is for, with half of η",
    statement="under the same condition LMM keeps at most ℓ* items with probability ≥ 1 − η/2",
    mechanism=items_to_keep,
    succeeds=lambda case, kept: kept <= case.facts["kept"],
    beta=lambda case: case.facts["beta"] / 2,
    holds_for=lambda case: case.database[case.facts["kept"] - 1] > margin_of(case),
    strategy=gaps_at_the_margin,
    corners=CORNERS,
    mutant=keeping_with_twice_the_test,
    sharpness=Sharpness(
        what="margin nγ, ℓ* = 1, α = 1, δ = 1/10, η = 1/20",
        paper=floor(margin_needed(1, epsilon=1, delta=Fraction(1, 10), failure=Fraction(1, 20))) + 1,
        family=one_gap,
        least=0,
    ),
)


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
    """How many baskets hold each itemset of r items, once for all outcomes of a case."""
    return itemset_counts(baskets_of(market), r)


def promise_for(case: Case) -> Promise:
    """The best count that Corollary 1 asks for, and what may be lost, for the itemsets that occur."""
    given = case.parameters
    occurring = len(counts_in(case.database, given["r"]))
    return promise_of_large_margin(
        occurring, epsilon=given["epsilon"], delta=given["delta"], failure=case.facts["beta"]
    )


def baskets_lost(case: Case, itemset: Itemset) -> int:
    """How many more baskets hold the most frequent itemset."""
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

CLAIMS: Final = (theorem_3, keeping, corollary_1)
