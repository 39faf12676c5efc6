"""The databases of Theorem 1 of Chaudhuri, Hsu & Song: hard instances, what its proof needs of them, and mechanisms.

The proof stands in an appendix that is not part of the text; the databases are filled in, and are those of
`mechanisms.selection.near_maximisers`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, Final, TypeAlias

from dpverify.mechanisms import Distribution, Exact, distribution, exact, log
from dpverify.mechanisms.functions import Mechanism
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.selection import (
    choose_by_stability,
    choosing_mechanism,
    exponential_mechanism,
    large_margin_mechanism,
    max_of_laplaces,
    near_maximisers,
    qualities_of_near_maximisers,
)
from dpverify.mechanisms.selection.choosing import rows_needed_journal
from dpverify.mechanisms.selection.large_margin import margin_condition
from dpverify.mechanisms.selection.near_maximisers import printed_gamma_in_rows, printed_largest_delta, rows_moved
from dpverify.verifiers.lower_bounds.instance import HardInstance
from dpverify.verifiers.lower_bounds.statement import Law, Parameters

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


def quality(case: Parameters, database: Rows) -> dict[int, int]:
    """n·f(·, D)."""
    return qualities_of_near_maximisers(database, case["items"], case["near"])


def gamma_in_rows(case: Parameters) -> Exact:
    """n·γ, as printed."""
    return printed_gamma_in_rows(case["near"], case["rows"], case["epsilon"])


def best_by(case: Parameters, margin: ExactLike) -> HardInstance:
    """To find an item that is worse than the best by less than the margin, in rows, on any of D_1, …, D_ℓ."""
    good = {rows: successes(quality(case, rows), exact(margin)) for rows in databases(case)}
    return HardInstance(
        databases=databases(case),
        outcomes=range(1, case["near"] + 1),
        succeeds=lambda rows, item: item in good[rows],
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
    margin = gamma_in_rows(case)
    for rows in databases(case):
        if not margin_condition(quality(case, rows), case["near"], margin):
            return f"{rows} has more than {case['near']} items within n·γ = {margin} of the best"
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
    "replacing a row moves f(i, ·) by 1/n at most": wrong_lipschitz,
    "γ > 0": no_margin,
    "each D_i satisfies the (ℓ, γ)-margin condition": wrong_margin,
    "on D_i item i alone is within γ of the best": wrong_successes,
    "δ ≤ (1 − e^(−α))/(2(ℓ − 1))": too_large_delta,
}


# The mechanisms.


def law_of(mechanism: Mechanism, case: Parameters, **given: Any) -> Law:
    """The item that a mechanism returns, at α and what is given besides."""

    def law(rows: Any) -> Distribution[Any]:
        scores: Any = quality(case, rows)  # a mapping, as the mechanisms take it
        return distribution(mechanism, scores, epsilon=case["epsilon"], **given)

    return law


def of_approximate(mechanism: Mechanism, case: Parameters) -> Law | None:
    """Of a mechanism that needs δ > 0, and None where it is 0."""
    return law_of(mechanism, case, delta=case["delta"]) if case["delta"] > 0 else None


def of_choosing(case: Parameters) -> Law | None:
    """The choosing mechanism, where the rows are as many as its privacy asks for: a row 0 raises all K items."""
    if not case["delta"] > 0:
        return None
    needed = rows_needed_journal(
        growth=case["items"], alpha=1, beta=Fraction(1, 2), epsilon=case["epsilon"], delta=case["delta"]
    )
    return law_of(choosing_mechanism, case, rows=case["rows"], alpha=1) if case["rows"] >= needed else None


MECHANISMS: Final[Mapping[str, Callable[[Parameters], Law | None]]] = {
    "exponential": partial(law_of, exponential_mechanism),
    "max of Laplaces": partial(law_of, max_of_laplaces),
    "A_dist": partial(of_approximate, choose_by_stability),
    "choosing": of_choosing,
    "large margin": partial(of_approximate, large_margin_mechanism),
}
