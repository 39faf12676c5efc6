"""Utility of the large margin mechanism: Theorem 3, and the step of its proof that the margin is for."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any, Final

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.numbers.exact_numbers import ExactLike, exact
from dpverify.mechanisms.selection.large_margin import (
    error_allowed,
    items_to_keep,
    large_margin_mechanism,
    margin_condition,
    margin_needed,
)
from dpverify.verifiers.catalogue.corners import BETAS, DELTA_CORNERS, DELTAS, EPSILONS
from dpverify.verifiers.catalogue.refuted import as_expected, variant
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim
from dpverify.verifiers.utility.statement import Sharpness

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
    """The loss that Theorem 3 allows."""
    return error_allowed(case.facts["kept"], epsilon=case.parameters["epsilon"], failure=case.facts["beta"])


def lost(case: Case, item: int) -> int:
    """The difference from the best count to that of an item."""
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


def three_and_four_items() -> Iterator[Case]:
    """ℓ* of three and four items near the best, just worse than allowed or tied, and others at exactly the margin."""
    for epsilon in (Fraction(1, 2), Fraction(1)):
        for eta in (Fraction(1, 20), Fraction(1, 4)):
            given = {"epsilon": epsilon, "delta": Fraction(1, 10**6)}
            for items, kept, tied in ((3, 1, 0), (3, 2, 0), (3, 3, 0), (3, 3, 1), (4, 2, 0), (4, 3, 1), (4, 4, 0)):
                bad = floor(error_allowed(kept, epsilon=epsilon, failure=eta)) + 1
                far = floor(margin_needed(kept, **given, failure=eta)) + 1
                scores = (*(0,) * (1 + tied), *(-bad,) * (kept - 1 - tied), *(-far,) * (items - kept))
                yield Case(scores, given, {"beta": eta, "kept": kept})


of_three_and_four = UtilityClaim(
    id="CHS-Thm3.utility.three-and-four-items",
    source=f"{_CHS}, Theorem 3, at ε = 1/2 and 1, δ = 10⁻⁶, η = 1/20 and 1/4",
    statement="under the (ℓ*, γ*)-margin condition, of three and four items, LMM loses at most 6·ln(2ℓ*/η)/α with "
    "probability ≥ 1 − η",
    mechanism=large_margin_mechanism,
    succeeds=lambda case, item: lost(case, item) <= loss_of(case),
    beta=lambda case: case.facts["beta"],
    holds_for=lambda case: margin_condition(case.database, case.facts["kept"], margin_of(case)),
    cases=tuple(three_and_four_items()),
    mutant=large_margin_at_half_epsilon,
)


# The number K of items: Theorem 3 and Remark 1 have ℓ* in its place.


def of_many_items() -> Iterator[Case]:
    """One or two near the best, just worse than allowed, and the others at exactly the margin; or all K near it."""
    eta, given = Fraction(1, 4), {"epsilon": Fraction(1), "delta": Fraction(1, 10)}
    for kept, others in ((1, 4), (1, 11), (2, 3), (2, 10), (5, 0), (12, 0)):
        bad = floor(error_allowed(kept, epsilon=1, failure=eta)) + 1
        far = floor(margin_needed(kept, **given, failure=eta)) + 1
        yield Case((0, *(-bad,) * (kept - 1), *(-far,) * others), given, {"beta": eta, "kept": kept})


NO_MARGIN: Final = Case(
    (0, -13, -13, -13, -13), {"epsilon": Fraction(1), "delta": Fraction(1, 10)}, {"beta": Fraction(1, 4), "kept": 1}
)
"""All of five items but the best are just worse than the 12.5 that may be lost, and ℓ* = 1."""

_REMARK: Final = f"{_CHS}, Theorem 3 and Remark 1, at ε = 1, δ = 1/10, η = 1/4"
number_of_items = UtilityClaim(
    id="CHS-Rem1.utility.number-of-items",
    source=f"{_REMARK}; with ℓ* = K the margin condition always holds",
    statement="of K = 5 and 12 items, of which all but ℓ* are at exactly the margin, LMM loses at most "
    "6·ln(2ℓ*/η)/α with probability ≥ 1 − η",
    mechanism=large_margin_mechanism,
    succeeds=lambda case, item: lost(case, item) <= loss_of(case),
    beta=lambda case: case.facts["beta"],
    holds_for=lambda case: margin_condition(case.database, case.facts["kept"], margin_of(case)),
    cases=tuple(of_many_items()),
    mutant=large_margin_at_half_epsilon,
)
no_margin = UtilityClaim(
    id="CHS-Rem1.utility.without-a-margin",
    source=_REMARK,
    statement="the same for ℓ* = 1 where there is no margin",
    mechanism=large_margin_mechanism,
    succeeds=lambda case, item: lost(case, item) <= loss_of(case),
    beta=lambda case: case.facts["beta"],
    cases=(NO_MARGIN,),
    examples=(NO_MARGIN,),
    mutant=large_margin_at_half_epsilon,
    **as_expected(
        variant(
            "Without a margin LMM depends on K: of five items, all of them near the best, a bad one is chosen with "
            "probability 0.31."
        )
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
