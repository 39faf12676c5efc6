"""Lower bounds to private maximization: what it costs that several items are nearly best, under (α, δ)-privacy.

Source: Chaudhuri, Hsu & Song, Theorem 1, on databases that are filled in: see `near_maximiser_instances`.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms import Exact, log
from dpverify.mechanisms.selection import large_margin_mechanism
from dpverify.mechanisms.selection.large_margin import margin_condition
from dpverify.mechanisms.selection.near_maximisers import more_items
from dpverify.mechanisms.selection.packing_bound import packing_bound
from dpverify.verifiers.catalogue.refuted import degenerate, reconstruction
from dpverify.verifiers.catalogue.selection.near_maximiser_instances import (
    MECHANISMS,
    PROPERTIES,
    best_by,
    databases,
    gamma_in_rows,
    no_margin,
    of_approximate,
    printed_case,
    printed_instance,
    quality,
    too_far_apart,
    too_large_delta,
    wrong_lipschitz,
)
from dpverify.verifiers.claims import Broken
from dpverify.verifiers.lower_bounds.family import BoundFamily, a_tenth_too_little, without_distances
from dpverify.verifiers.lower_bounds.statement import Parameters

_CHS: Final = "Chaudhuri, Hsu & Song, Theorem 1"

# As printed, where nγ = ln((ℓ − 1)/2)/α is a whole number.

_LN_2: Final = log(2)
_WHOLE: Final = (
    printed_case(4, 4, 6, log(Fraction(3, 2))),
    *(printed_case(5, items, 6, _LN_2) for items in (5, 8, 12)),
    printed_case(5, 8, 202, _LN_2),
    printed_case(6, 6, 6, log(Fraction(5, 2))),
    printed_case(9, 9, 6, _LN_2),
)
"""nγ = 1, and 2 for ℓ = 9; of 202 rows the choosing mechanism is private. With more items the large margin
mechanism's laws take long to be compared: docs/range-lower-bound.md has them."""


def tight(case: Parameters) -> Exact:
    """(1 + (ℓ − 1)·e^(−tα)·δ_t)/(1 + (ℓ − 1)·e^(−tα))."""
    return packing_bound(case["near"], case["moved"], case["epsilon"], case["delta"])


half = BoundFamily(lambda case: Fraction(1, 2), printed_instance, PROPERTIES, strict=True)
near_best = replace(half, properties={**PROPERTIES, "t ≤ ln((ℓ − 1)/2)/α": too_far_apart}, mechanisms=MECHANISMS)(
    "CHS-Thm1.lower-bound.printed",
    f"{_CHS}, where ln((ℓ − 1)/2)/α is a whole number and ℓ ≥ 4; databases filled in",
    "on one of D_1, …, D_ℓ, which satisfy the (ℓ, γ)-margin condition, an (α,δ)-private mechanism finds an "
    "item within γ of the best with probability less than 1/2; γ = min{1/2, ln((ℓ − 1)/2)/(nα)}, "
    "δ = (1 − e^(−α))/(2(ℓ − 1))",
    _WHOLE,
    Broken(
        "a row more is moved",  # where an item that is t rows worse than the best would fail, too
        {"instance": lambda case: printed_instance({**case, "moved": case["moved"] + 1}), "properties": {}},
    ),
    Broken("four times the δ", {"cases": [{**case, "delta": 4 * case["delta"]} for case in _WHOLE], "properties": {}}),
    without_distances,
)


# At any distance: what is forced, and reached by the best mechanism.


def free_case(near: int, items: int, moved: int, delta: Fraction = Fraction(1, 1000)) -> dict[str, Any]:
    """ℓ, K, t and δ at α = ln 2, of 2t rows."""
    return {"near": near, "items": items, "rows": 2 * moved, "moved": moved, "epsilon": _LN_2, "delta": delta}


at_any_distance = BoundFamily(
    tight,
    lambda case: best_by(case, case["moved"]),  # all items but the best are worse by t rows at least
    {"replacing a row moves f(i, ·) by 1/n at most": wrong_lipschitz},
    MECHANISMS,
)(
    "CHS-Thm1.lower-bound.exact",
    f"{_CHS}, by the packing argument at any t, with its constants; with δ = 0 as for Proposition 1",
    "on one of D_1, …, D_ℓ, of t rows each of its own, an (α,δ)-private mechanism finds the best item with "
    "probability (1 + (ℓ − 1)·e^(−tα)·δ_t)/(1 + (ℓ − 1)·e^(−tα)) at most, δ_t = δ·(e^(tα) − 1)/(e^α − 1), for any K",
    # k grows, then ℓ, then δ, then t
    (
        *(free_case(4, items, 2) for items in (4, 8, 10)),
        *(free_case(near, near, 2) for near in (2, 8, 10)),
        *(free_case(8, 8, 2, delta) for delta in (Fraction(0), Fraction(1, 100), Fraction(1, 10))),
        *(free_case(8, 8, moved) for moved in (1, 4, 8)),
    ),
    a_tenth_too_little,
    Broken("δ is left out", {"forced": lambda case: tight({**case, "delta": 0})}),
    without_distances,
)


# Where nγ is no whole number.

_NOT_WHOLE: Final = (
    {**printed_case(6, 6, 6, log(Fraction(12, 5))), "delta": 0},
    printed_case(6, 6, 6, log(Fraction(12, 5))),
    printed_case(6, 6, 6, _LN_2),
    printed_case(18, 18, 8, _LN_2),
)
"""nγ ≈ 1.047, 1.322 and 3.087: two rows and four."""

rounded_up = half(
    "CHS-Thm1.lower-bound.rounded-up",
    f"{_CHS}, where ln((ℓ − 1)/2)/α is no whole number; databases filled in",
    "the same of ⌈nγ⌉ rows: less is no margin of γ",
    _NOT_WHOLE,
    without_distances,
    refuted=reconstruction(
        "The proof stands in an appendix that is not part of the text. Databases D_1, …, D_ℓ that differ in ⌈nγ⌉ rows "
        "are too far apart: e^(⌈nγ⌉α) may be nearly e^α times (ℓ − 1)/2. With 1 + ⌈(ℓ − 1)·e^α⌉ of them, whose margins "
        "are larger than γ, the theorem stands (CHS-Thm1.lower-bound.more-items)."
    ),
)


def with_more_items(case: Parameters) -> dict[str, Any]:
    """k = 1 + ⌈(ℓ − 1)·e^α⌉ items, all of them near; γ and δ as of ℓ."""
    items = more_items(case["near"], case["epsilon"])
    return {**case, "of": case["near"], "near": items, "items": items}


def of_ell(case: Parameters) -> dict[str, Any]:
    """The case with the ℓ of the theorem."""
    return {**case, "near": case["of"]}


def wrong_margin_of_more(case: Parameters) -> str | None:
    """A database that has another item within γ of its best, and so does not satisfy the (1, γ)-margin condition."""
    margin = gamma_in_rows(of_ell(case))
    for rows in databases(case):
        if not margin_condition(quality(case, rows), 1, margin):
            return f"{rows} has more than one item within n·γ = {margin} of the best"
    return None


_MORE: Final = tuple(map(with_more_items, _NOT_WHOLE[1:3]))

with_more = replace(
    half,
    instance=lambda case: best_by(case, gamma_in_rows(of_ell(case))),  # more databases, with the γ of ℓ
    properties={
        "replacing a row moves f(i, ·) by 1/n at most": wrong_lipschitz,
        "each D_i satisfies the (1, γ)-margin condition": wrong_margin_of_more,
        "δ ≤ (1 − e^(−α))/(2(ℓ − 1))": lambda case: too_large_delta(of_ell(case)),
    },
    mechanisms={
        **MECHANISMS,
        # at another α the laws of so many items take long to be compared
        "large margin": lambda case: of_approximate(large_margin_mechanism, case) if case["epsilon"] == _LN_2 else None,
    },
)(
    "CHS-Thm1.lower-bound.more-items",
    f"{_CHS}, where ln((ℓ − 1)/2)/α is no whole number, with more items than ℓ; databases filled in",
    "the same of ⌈nγ⌉ rows and 1 + ⌈(ℓ − 1)·e^α⌉ items, all of them near: each database satisfies the "
    "(1, γ)-margin condition, and so that for ℓ",
    _MORE,
    Broken("ℓ items, as before", {"cases": [of_ell(case) for case in _MORE], "properties": {}}),
    without_distances,
)

two_or_three = BoundFamily(lambda case: Fraction(1, 2), properties={"γ > 0": no_margin})(
    "CHS-Thm1.lower-bound.two-or-three",
    f"{_CHS}, for ℓ > 1, and Condition 1, for γ > 0",
    "γ = min{1/2, ln((ℓ − 1)/2)/(nα)} is a margin, γ > 0; ℓ = 2, 3, 4",
    [{"near": near, "rows": 6, "epsilon": _LN_2} for near in (2, 3, 4)],
    refuted=degenerate(
        "ℓ = 2 and ℓ = 3, for which γ ≤ 0: no item is better than the best, so that the theorem says nothing there. "
        "From ℓ = 4 on γ > 0. There is no boundary in ε: it is so for every one."
    ),
)
