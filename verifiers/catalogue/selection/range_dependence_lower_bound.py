"""Lower bounds to private maximization: what it costs that several items are nearly best, under (α, δ)-privacy.

Source: Chaudhuri, Hsu & Song, Theorem 1. The proof stands in an appendix that is not part of the text; the databases
are filled in, and are those of `mechanisms.selection.near_maximisers`.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, Final, TypeAlias

from dpverify.mechanisms import Exact, distribution, exact, log
from dpverify.mechanisms.functions import Mechanism
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.selection import choose_by_stability, near_maximisers, qualities_of_near_maximisers
from dpverify.mechanisms.selection.choosing import choosing_mechanism, rows_needed_journal
from dpverify.mechanisms.selection.exponential_mechanism import exponential_mechanism
from dpverify.mechanisms.selection.large_margin import large_margin_mechanism, margin_condition
from dpverify.mechanisms.selection.near_maximisers import (
    more_items,
    printed_gamma_in_rows,
    printed_largest_delta,
    rows_moved,
)
from dpverify.mechanisms.selection.noisy_max import max_of_laplaces
from dpverify.mechanisms.selection.packing_bound import packing_bound
from dpverify.verifiers.catalogue.families import HALF
from dpverify.verifiers.lower_bounds.family import BoundFamily, HardInstance, a_tenth_too_little, without_distances
from dpverify.verifiers.lower_bounds.statement import Broken, Law, Parameters

_CHS: Final = "Chaudhuri, Hsu & Song, Theorem 1"
_LN_2: Final = log(2)
_LIPSCHITZ: Final = "replacing a row moves f(i, ·) by 1/n at most"
Rows: TypeAlias = tuple[int, ...]


def printed_case(near: int, items: int, rows: int, alpha: Exact, times: int = 1) -> dict[str, Any]:
    """ℓ, K, n, t = ⌈nγ⌉, α, and `times` the largest δ of Theorem 1."""
    return {
        "near": near,
        "items": items,
        "rows": rows,
        "moved": rows_moved(near, rows, alpha),
        "epsilon": alpha,
        "delta": times * printed_largest_delta(near, alpha),
    }


def databases(case: Parameters) -> tuple[Rows, ...]:
    """D_1, …, D_ℓ."""
    return near_maximisers(case["near"], case["rows"], case["moved"])


def quality(case: Parameters, database: Rows) -> Any:
    """n·f(·, D): a mapping from items, as the mechanisms take it."""
    return qualities_of_near_maximisers(database, case["items"], case["near"])


def gamma_in_rows(case: Parameters) -> Exact:
    """n·γ, as printed."""
    return printed_gamma_in_rows(case["near"], case["rows"], case["epsilon"])


def best_by(case: Parameters, margin: ExactLike) -> HardInstance:
    """To find an item that is worse than the best by less than the margin, in rows, on any of D_1, …, D_ℓ."""
    good = {rows: successes(quality(case, rows), exact(margin)) for rows in databases(case)}
    return HardInstance(
        databases=list(good), outcomes=range(1, case["near"] + 1), succeeds=lambda rows, item: item in good[rows]
    )


def successes(of: Mapping[int, int], margin: Exact) -> frozenset[int]:
    """The items i with f(i, D) > f^(1)(D) − γ, in units of n·f."""
    best = max(of.values())
    near = {value for value in set(of.values()) if value > best - margin}
    return frozenset(item for item, value in of.items() if value in near)


def printed_instance(case: Parameters) -> HardInstance:
    """With the γ that is printed."""
    return best_by(case, gamma_in_rows(case))


# What the proof needs.
def wrong_lipschitz(case: Parameters) -> str | None:
    """A row of a D_i that moves n·f by more than 1 when it is replaced."""
    for rows in databases(case):
        before = quality(case, rows)
        for place in (0, len(rows) - 1):  # a row i and a row 0, which are all alike
            for value in range(case["items"] + 1):
                after = quality(case, (*rows[:place], value, *rows[place + 1 :]))
                item = max(before, key=lambda i: abs(before[i] - after[i]))
                if abs(before[item] - after[item]) > 1:
                    return f"item {item} moves from {before[item]} to {after[item]} where row {place} becomes {value}"
    return None


def wrong_margin(case: Parameters) -> str | None:
    """A D_i that does not satisfy the (ℓ, γ)-margin condition."""
    return none_beside(case, case["near"], f"{case['near']} items", gamma_in_rows(case))


def none_beside(case: Parameters, near: int, in_words: str, margin: Exact) -> str | None:
    """A D_i that has more items within the margin of its best than so many; None where there is none."""
    for rows in databases(case):
        if not margin_condition(quality(case, rows), near, margin):
            return f"{rows} has more than {in_words} within n·γ = {margin} of the best"
    return None


def wrong_successes(case: Parameters) -> str | None:
    """A D_i on which another item than i is a success."""
    for i, rows in enumerate(databases(case), 1):
        good = successes(quality(case, rows), gamma_in_rows(case))
        if good != {i}:
            return f"on D_{i} the successes are {sorted(good)}"
    return None


def too_far_apart(case: Parameters) -> str | None:
    """The number of rows t, if it is more than ln((ℓ − 1)/2)/α; otherwise None."""
    allowed = log(Fraction(case["near"] - 1, 2)) / case["epsilon"]
    return None if case["moved"] <= allowed else f"{case['moved']} rows are moved, and at most {allowed} may be"


def too_large_delta(case: Parameters) -> str | None:
    """δ, if it is more than (1 − e^(−α))/(2(ℓ − 1)); otherwise None."""
    allowed = printed_largest_delta(case["near"], case["epsilon"])
    return None if case["delta"] <= allowed else f"δ = {case['delta']} > {allowed}"


def no_margin(case: Parameters) -> str | None:
    """None where γ > 0, as Condition 1 asks for; otherwise n·γ."""
    margin = gamma_in_rows(case)
    return None if margin > 0 else f"n·γ = {margin}"


PROPERTIES: Final[Mapping[str, Callable[[Parameters], str | None]]] = {
    _LIPSCHITZ: wrong_lipschitz,
    "γ > 0": no_margin,
    "each D_i satisfies the (ℓ, γ)-margin condition": wrong_margin,
    "on D_i item i alone is within γ of the best": wrong_successes,
    "δ ≤ (1 − e^(−α))/(2(ℓ − 1))": too_large_delta,
}


# The mechanisms.
def law_of(mechanism: Mechanism, case: Parameters, **given: Any) -> Law:
    """The item that a mechanism returns, at α and what is given besides."""
    return lambda rows: distribution(mechanism, quality(case, rows), epsilon=case["epsilon"], **given)


def of_approximate(mechanism: Mechanism, case: Parameters) -> Law | None:
    """Of a mechanism that needs δ > 0, and None where it is 0."""
    return law_of(mechanism, case, delta=case["delta"]) if case["delta"] > 0 else None


def of_choosing(case: Parameters) -> Law | None:
    """The choosing mechanism, where the rows are as many as its privacy asks for: a row 0 raises all K items."""
    if not case["delta"] > 0:
        return None
    needed = rows_needed_journal(growth=case["items"], alpha=1, beta=HALF, epsilon=case["epsilon"], delta=case["delta"])
    return law_of(choosing_mechanism, case, rows=case["rows"], alpha=1) if case["rows"] >= needed else None


MECHANISMS: Final[Mapping[str, Callable[[Parameters], Law | None]]] = {
    "exponential": partial(law_of, exponential_mechanism),
    "max of Laplaces": partial(law_of, max_of_laplaces),
    "A_dist": partial(of_approximate, choose_by_stability),
    "choosing": of_choosing,
    "large margin": partial(of_approximate, large_margin_mechanism),
}


# As printed, where nγ = ln((ℓ − 1)/2)/α is a whole number.
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


half = BoundFamily(lambda case: HALF, printed_instance, PROPERTIES, strict=True)
near_best = replace(half, properties={**PROPERTIES, "t ≤ ln((ℓ − 1)/2)/α": too_far_apart}, mechanisms=MECHANISMS)(
    "CHS-Thm1.lower-bound.printed",
    f"{_CHS}, where ln((ℓ − 1)/2)/α is a whole number and ℓ ≥ 4; databases filled in",
    "on one of D_1, …, D_ℓ, which satisfy the (ℓ, γ)-margin condition, an (α,δ)-private mechanism finds an item within "
    "γ of the best with probability less than 1/2; γ = min{1/2, ln((ℓ − 1)/2)/(nα)}, δ = (1 − e^(−α))/(2(ℓ − 1))",
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
    {_LIPSCHITZ: wrong_lipschitz},
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
    reconstruction="The proof stands in an appendix that is not part of the text. Databases D_1, …, D_ℓ that differ in "
    "⌈nγ⌉ rows are too far apart: e^(⌈nγ⌉α) may be nearly e^α times (ℓ − 1)/2. With 1 + ⌈(ℓ − 1)·e^α⌉ of them, whose "
    "margins are larger than γ, the theorem stands (CHS-Thm1.lower-bound.more-items).",
)


def with_more_items(case: Parameters) -> dict[str, Any]:
    """k = 1 + ⌈(ℓ − 1)·e^α⌉ items, all of them near; γ and δ as of ℓ."""
    items = more_items(case["near"], case["epsilon"])
    return {**case, "of": case["near"], "near": items, "items": items}


def of_ell(case: Parameters) -> dict[str, Any]:
    """The case with the ℓ of the theorem."""
    return {**case, "near": case["of"]}


_MORE: Final = tuple(map(with_more_items, _NOT_WHOLE[1:3]))
with_more = replace(
    half,
    instance=lambda case: best_by(case, gamma_in_rows(of_ell(case))),  # more databases, with the γ of ℓ
    properties={
        _LIPSCHITZ: wrong_lipschitz,
        "each D_i satisfies the (1, γ)-margin condition": lambda case: none_beside(
            case, 1, "one item", gamma_in_rows(of_ell(case))
        ),
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
two_or_three = BoundFamily(lambda case: HALF, properties={"γ > 0": no_margin})(
    "CHS-Thm1.lower-bound.two-or-three",
    f"{_CHS}, for ℓ > 1, and Condition 1, for γ > 0",
    "γ = min{1/2, ln((ℓ − 1)/2)/(nα)} is a margin, γ > 0; ℓ = 2, 3, 4",
    [{"near": near, "rows": 6, "epsilon": _LN_2} for near in (2, 3, 4)],
    degenerate="ℓ = 2 and ℓ = 3, for which γ ≤ 0: no item is better than the best, so that the theorem says nothing "
    "there. From ℓ = 4 on γ > 0. There is no boundary in ε: it is so for every one.",
)
