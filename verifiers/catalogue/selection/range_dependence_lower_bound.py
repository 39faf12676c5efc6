"""Lower bounds to private maximization: what it costs that several items are nearly best, under (α, δ)-privacy.

Source: Chaudhuri, Hsu & Song, Theorem 1, on databases that are filled in: see `near_maximiser_instances`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.selection.large_margin import large_margin_mechanism, margin_condition
from dpverify.mechanisms.selection.near_maximisers import more_items
from dpverify.mechanisms.selection.packing_bound import packing_bound
from dpverify.reports.record import Status
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
from dpverify.verifiers.lower_bounds.claim import LowerBound
from dpverify.verifiers.lower_bounds.instance import HardInstance
from dpverify.verifiers.lower_bounds.statement import Broken, Law, Parameters, a_tenth_less

_CHS: Final = "Chaudhuri, Hsu & Song"


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


def a_row_more(case: Parameters) -> HardInstance:
    """With t + 1 rows moved, where an item that is t rows worse than the best would fail, too."""
    return printed_instance({**case, "moved": case["moved"] + 1})


def half(case: Parameters) -> Fraction:
    """The bound of Theorem 1."""
    return Fraction(1, 2)


def tight(case: Parameters) -> Exact:
    """(1 + (ℓ − 1)·e^(−tα)·δ_t)/(1 + (ℓ − 1)·e^(−tα))."""
    return packing_bound(case["near"], case["moved"], case["epsilon"], case["delta"])


near_best = LowerBound(
    id="CHS-Thm1.lower-bound.printed",
    source=f"{_CHS}, Theorem 1, where ln((ℓ − 1)/2)/α is a whole number and ℓ ≥ 4; databases filled in",
    statement="on one of D_1, …, D_ℓ, which satisfy the (ℓ, γ)-margin condition, an (α,δ)-private mechanism finds an "
    "item within γ of the best with probability less than 1/2; γ = min{1/2, ln((ℓ − 1)/2)/(nα)}, "
    "δ = (1 − e^(−α))/(2(ℓ − 1))",
    cases=_WHOLE,
    instance=printed_instance,
    properties={**PROPERTIES, "t ≤ ln((ℓ − 1)/2)/α": too_far_apart},
    forced=half,
    strict=True,
    mechanisms=MECHANISMS,
    mutants=(
        Broken("a row more is moved", {"instance": a_row_more, "properties": {}}),
        Broken(
            "four times the δ", {"cases": [{**case, "delta": 4 * case["delta"]} for case in _WHOLE], "properties": {}}
        ),
        Broken("the distances are left out", {"instance": lambda case: printed_instance(case).unrelated}),
    ),
)


# At any distance: what is forced, and reached by the best mechanism.


def free_case(near: int, items: int, moved: int, delta: Fraction) -> dict[str, Any]:
    """ℓ, K, t and δ at α = ln 2, of 2t rows."""
    return {"near": near, "items": items, "rows": 2 * moved, "moved": moved, "epsilon": _LN_2, "delta": delta}


def best_by_t(case: Parameters) -> HardInstance:
    """To find the best item: all others are worse by t rows at least."""
    return best_by(case, case["moved"])


_SMALL: Final = Fraction(1, 1000)
_ANY: Final = (
    *(free_case(4, items, 2, _SMALL) for items in (4, 8, 10)),
    *(free_case(near, near, 2, _SMALL) for near in (2, 8, 10)),
    *(free_case(8, 8, 2, delta) for delta in (Fraction(0), Fraction(1, 100), Fraction(1, 10))),
    *(free_case(8, 8, moved, _SMALL) for moved in (1, 4, 8)),
)
"""k grows, then ℓ, then δ, then t."""

at_any_distance = LowerBound(
    id="CHS-Thm1.lower-bound.exact",
    source=f"{_CHS}, Theorem 1, by the packing argument at any t, with its constants; with δ = 0 as for Proposition 1",
    statement="on one of D_1, …, D_ℓ, of t rows each of its own, an (α,δ)-private mechanism finds the best item with "
    "probability (1 + (ℓ − 1)·e^(−tα)·δ_t)/(1 + (ℓ − 1)·e^(−tα)) at most, δ_t = δ·(e^(tα) − 1)/(e^α − 1), for any K",
    cases=_ANY,
    instance=best_by_t,
    properties={"replacing a row moves f(i, ·) by 1/n at most": wrong_lipschitz},
    forced=tight,
    mechanisms=MECHANISMS,
    mutants=(
        Broken("a tenth less is forced", {"forced": a_tenth_less(tight)}),
        Broken("δ is left out", {"forced": lambda case: tight({**case, "delta": 0})}),
        Broken("the distances are left out", {"instance": lambda case: best_by_t(case).unrelated}),
    ),
)


# Where nγ is no whole number.

_NOT_WHOLE: Final = (
    {**printed_case(6, 6, 6, log(Fraction(12, 5))), "delta": 0},
    printed_case(6, 6, 6, log(Fraction(12, 5))),
    printed_case(6, 6, 6, _LN_2),
    printed_case(18, 18, 8, _LN_2),
)
"""nγ ≈ 1.047, 1.322 and 3.087: two rows and four."""

rounded_up = LowerBound(
    id="CHS-Thm1.lower-bound.rounded-up",
    source=f"{_CHS}, Theorem 1, where ln((ℓ − 1)/2)/α is no whole number; databases filled in",
    statement="the same of ⌈nγ⌉ rows: less is no margin of γ",
    cases=_NOT_WHOLE,
    instance=printed_instance,
    properties=PROPERTIES,
    forced=half,
    strict=True,
    mutants=(Broken("the distances are left out", {"instance": lambda case: printed_instance(case).unrelated}),),
    expected=Status.REFUTED,
    refutation=reconstruction(
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


def instance_of_more(case: Parameters) -> HardInstance:
    """More databases, with the γ of ℓ."""
    return best_by(case, gamma_in_rows(of_ell(case)))


def wrong_margin_of_more(case: Parameters) -> str | None:
    """A database that has another item within γ of its best, and so does not satisfy the (1, γ)-margin condition."""
    margin = gamma_in_rows(of_ell(case))
    for rows in databases(case):
        if not margin_condition(quality(case, rows), 1, margin):
            return f"{rows} has more than one item within n·γ = {margin} of the best"
    return None


_MORE: Final = tuple(map(with_more_items, _NOT_WHOLE[1:3]))


def of_large_margin_at_ln_2(case: Parameters) -> Law | None:
    """None at another α, where the laws of so many items take long to be compared."""
    return of_approximate(large_margin_mechanism, case) if case["epsilon"] == _LN_2 else None


with_more = LowerBound(
    id="CHS-Thm1.lower-bound.more-items",
    source=f"{_CHS}, Theorem 1, where ln((ℓ − 1)/2)/α is no whole number, with more items than ℓ; databases filled in",
    statement="the same of ⌈nγ⌉ rows and 1 + ⌈(ℓ − 1)·e^α⌉ items, all of them near: each database satisfies the "
    "(1, γ)-margin condition, and so that for ℓ",
    cases=_MORE,
    instance=instance_of_more,
    properties={
        "replacing a row moves f(i, ·) by 1/n at most": wrong_lipschitz,
        "each D_i satisfies the (1, γ)-margin condition": wrong_margin_of_more,
        "δ ≤ (1 − e^(−α))/(2(ℓ − 1))": lambda case: too_large_delta(of_ell(case)),
    },
    forced=half,
    strict=True,
    mechanisms={**MECHANISMS, "large margin": of_large_margin_at_ln_2},
    mutants=(
        Broken("ℓ items, as before", {"cases": [of_ell(case) for case in _MORE], "properties": {}}),
        Broken("the distances are left out", {"instance": lambda case: instance_of_more(case).unrelated}),
    ),
)

two_or_three = LowerBound(
    id="CHS-Thm1.lower-bound.two-or-three",
    source=f"{_CHS}, Theorem 1, for ℓ > 1, and Condition 1, for γ > 0",
    statement="γ = min{1/2, ln((ℓ − 1)/2)/(nα)} is a margin, γ > 0; ℓ = 2, 3, 4",
    cases=[{"near": near, "rows": 6, "epsilon": _LN_2} for near in (2, 3, 4)],
    properties={"γ > 0": no_margin},
    forced=half,
    expected=Status.REFUTED,
    refutation=degenerate(
        "ℓ = 2 and ℓ = 3, for which γ ≤ 0: no item is better than the best, so that the theorem says nothing there. "
        "From ℓ = 4 on γ > 0. There is no boundary in ε: it is so for every one."
    ),
)
