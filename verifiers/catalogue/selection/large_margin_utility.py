"""Utility of the large margin mechanism: Theorem 3, and the step of its proof that the margin is for."""

from dataclasses import replace
from fractions import Fraction
from math import ceil, floor
from typing import Any, Final

from dpverify.mechanisms.selection import items_to_keep, large_margin_mechanism
from dpverify.mechanisms.selection.large_margin import error_allowed, margin_condition, margin_needed
from dpverify.verifiers.catalogue.corners import BETAS, DELTA_CORNERS, DELTAS, EPSILONS, claimed_beta
from dpverify.verifiers.catalogue.families import CHS
from dpverify.verifiers.utility.family import Case, Family, at_part, chosen, least_of, weakened


def margin_of(case: Case) -> Any:
    """n·γ* of a case."""
    return margin_needed(case.facts["kept"], **case.parameters, failure=case.facts["beta"])


def loses_little(case: Case, item: int) -> bool:
    """True where an item is worse than the best by at most what Theorem 3 allows, or a case says in its place."""
    given = {"epsilon": case.parameters["epsilon"], "failure": case.facts["beta"]}
    allowed = case.facts.get("loss", error_allowed(case.facts["kept"], **given))
    return bool(max(case.database) - case.database[item] <= allowed)


_AT_HALF: Final = at_part("large_margin_at_half_epsilon", large_margin_mechanism, 2)
of_theorem_3 = Family(
    large_margin_mechanism,
    loses_little,
    claimed_beta,
    _AT_HALF,
    lambda case: margin_condition(case.database, case.facts["kept"], margin_of(case)),
)


def near_the_best(kept: int, tied: int, others: int, more: int, given: dict[str, Fraction], eta: Fraction) -> Case:
    """ℓ* items near the best, some tied and the rest just worse than allowed, others at the margin or `more` beyond."""
    bad = floor(error_allowed(kept, epsilon=given["epsilon"], failure=eta)) + 1
    far = floor(margin_needed(kept, **given, failure=eta)) + 1 + more
    scores = (*(0,) * (1 + tied), *(-bad,) * (kept - 1 - tied), *(-max(bad, far),) * others)
    return Case(scores, given, {"beta": eta, "kept": kept})


def tied_case(epsilon: Fraction, delta: Fraction, eta: Fraction, near: int, others: int, tied: int, more: int) -> Case:
    """One of ℓ* = 1 + `near`, with up to so many tied."""
    case = near_the_best(1 + near, min(tied, near), others, more, {"epsilon": epsilon, "delta": delta}, eta)
    return replace(case, facts={**case.facts, "at the margin": others > 0 and not more})


CORNERS: Final = {
    **DELTA_CORNERS,
    "ℓ* = 1": lambda case: case.facts["kept"] == 1,
    "exactly the margin": lambda case: case.facts["at the margin"],
}
_AT: Final = {"epsilon": Fraction(1), "delta": Fraction(1, 10)}
theorem_3 = of_theorem_3(
    "CHS-Thm3.utility.large-margin",
    f"{CHS}, Theorem 3",
    "under the (ℓ*, γ*)-margin condition, nγ* = (21/α)·ln(3/η) + nT^(ℓ*), LMM loses at most 6·ln(2ℓ*/η)/α "
    "with probability ≥ 1 − η",
    strategy=chosen(tied_case, EPSILONS, DELTAS, BETAS, range(5), range(3), range(3), (0, 0, 7)),
    corners={
        **CORNERS,
        "one item": lambda case: len(case.database) == 1,
        "ℓ* = K": lambda case: case.facts["kept"] == len(case.database) > 1,
        "ties for the best": lambda case: case.database.count(0) > 1,
    },
    sharpness=least_of(
        "loss, 8 items, ℓ* = 8, α = 1, δ = 1/10, η = 1/20",
        ceil(error_allowed(8, epsilon=1, failure=Fraction(1, 20))),
        lambda loss: [Case((0, *(-loss - 1,) * 7), _AT, {"beta": Fraction(1, 20), "kept": 8, "loss": loss})],
        least=0,
    ),
)
of_three_and_four = of_theorem_3(
    "CHS-Thm3.utility.three-and-four-items",
    f"{CHS}, Theorem 3, at ε = 1/2 and 1, δ = 10⁻⁶, η = 1/20 and 1/4",
    "under the (ℓ*, γ*)-margin condition, of three and four items, LMM loses at most 6·ln(2ℓ*/η)/α with "
    "probability ≥ 1 − η",
    tuple(
        near_the_best(kept, tied, items - kept, 0, {"epsilon": epsilon, "delta": Fraction(1, 10**6)}, eta)
        for epsilon in (Fraction(1, 2), Fraction(1))
        for eta in (Fraction(1, 20), Fraction(1, 4))
        for items, kept, tied in ((3, 1, 0), (3, 2, 0), (3, 3, 0), (3, 3, 1), (4, 2, 0), (4, 3, 1), (4, 4, 0))
    ),
)

# The number K of items: Theorem 3 and Remark 1 have ℓ* in its place.
_REMARK: Final = f"{CHS}, Theorem 3 and Remark 1, at ε = 1, δ = 1/10, η = 1/4"
number_of_items = of_theorem_3(
    "CHS-Rem1.utility.number-of-items",
    f"{_REMARK}; with ℓ* = K the margin condition always holds",
    "of K = 5 and 12 items, of which all but ℓ* are at exactly the margin, LMM loses at most "
    "6·ln(2ℓ*/η)/α with probability ≥ 1 − η",
    tuple(
        near_the_best(kept, 0, others, 0, _AT, Fraction(1, 4))
        for kept, others in ((1, 4), (1, 11), (2, 3), (2, 10), (5, 0), (12, 0))
    ),
)
NO_MARGIN: Final = Case((0, -13, -13, -13, -13), _AT, {"beta": Fraction(1, 4), "kept": 1})
"""All of five items but the best are just worse than the 12.5 that may be lost, and ℓ* = 1."""
no_margin = Family(large_margin_mechanism, loses_little, claimed_beta, _AT_HALF)(
    "CHS-Rem1.utility.without-a-margin",
    _REMARK,
    "the same for ℓ* = 1 where there is no margin",
    (NO_MARGIN,),
    examples=(NO_MARGIN,),
    variant="Without a margin LMM depends on K: of five items, all of them near the best, a bad one is chosen with "
    "probability 0.31.",
)


def at_margin(epsilon: Fraction, delta: Fraction, eta: Fraction, near: tuple[int, ...], after: int, more: int) -> Case:
    """Gaps of the items after the best, ℓ* − 1 of them small, the next exactly at the margin, and more."""
    kept, given = 1 + len(near), {"epsilon": epsilon, "delta": delta}
    far = floor(margin_needed(kept, **given, failure=eta)) + 1 + more
    gaps = (*sorted(min(gap, far) for gap in near), *(far,) * (1 + after))
    return Case(gaps, given, {"beta": eta, "kept": kept, "at the margin": not more})


keeping = Family(
    items_to_keep,
    lambda case, kept: kept <= case.facts["kept"],
    lambda case: case.facts["beta"] / 2,
    weakened("keeping_with_twice_the_test", items_to_keep, slack=2),
    lambda case: case.database[case.facts["kept"] - 1] > margin_of(case),
)(
    "CHS-Thm3.utility.items-kept",
    f"{CHS}, Theorem 3: the event of its proof that the margin is for, with half of η",
    "under the same condition LMM keeps at most ℓ* items with probability ≥ 1 − η/2",
    strategy=chosen(
        *(at_margin, EPSILONS, DELTAS, BETAS),
        lambda st: st.lists(st.sampled_from((0, 1, 40)), max_size=2).map(tuple),
        *(range(2), (0, 0, 7)),
    ),
    corners=CORNERS,
    sharpness=least_of(
        "margin nγ, ℓ* = 1, α = 1, δ = 1/10, η = 1/20",
        floor(margin_needed(1, **_AT, failure=Fraction(1, 20))) + 1,
        lambda gap: [Case((gap,), _AT, {"beta": Fraction(1, 20), "kept": 1})],
        least=0,
    ),
)
