"""Databases that differ in few rows and have different best items: what near maximisers cost any private mechanism.

Source: Chaudhuri, Hsu & Song, Theorem 1, whose proof stands in an appendix; the instance is filled in here. Of the
items 1, …, K the first ℓ are near: f(i, D) is the share of rows that are i or 0. The others are far: f(i, D) is the
share of rows that are 0, less 1/n. Replacing a row moves each by at most 1/n. On D_i, of t rows i and n − t rows 0,
item i has f = 1, the other near ones 1 − t/n, and the far ones 1/n less than these.
"""

from math import ceil

from dpverify.mechanisms.numbers.elementary import exp, log
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.numbers.integers.parameters import positive, whole


def printed_gamma_in_rows(near: int, rows: int, alpha: ExactLike) -> Exact:
    """n·γ for γ = min{1/2, ln((ℓ − 1)/2)/(nα)}: 0 for ℓ = 3, and less for ℓ = 2, where no margin is asked for.

    Theorem 1. Raises `InputError` unless ℓ ≥ 2, n ≥ 1 and α > 0.
    """
    half = exact(whole(rows, "rows", 1)) / 2
    return min(half, log(exact(whole(near, "near", 2) - 1) / 2) / positive(alpha, "alpha"))


def printed_largest_delta(near: int, alpha: ExactLike) -> Exact:
    """(1 − e^(−α))/(2(ℓ − 1)), up to which Theorem 1 lets δ be. Raises `InputError` unless ℓ ≥ 2 and α > 0."""
    return (1 - exp(-positive(alpha, "alpha"))) / (2 * (whole(near, "near", 2) - 1))


def rows_moved(near: int, rows: int, alpha: ExactLike) -> int:
    """⌈nγ⌉, the least t for which an item that is t/n worse than the best is no success; 0 where γ < 0.

    Raises `InputError` as `printed_gamma_in_rows` does.
    """
    return max(0, ceil(printed_gamma_in_rows(near, rows, alpha)))


def near_maximisers(near: int, rows: int, moved: int) -> tuple[tuple[int, ...], ...]:
    """D_1, …, D_ℓ: of `moved` rows i and else 0. Raises `InputError` unless 0 ≤ moved ≤ rows."""
    if not 0 <= whole(moved, "moved", 0) <= whole(rows, "rows", 1):
        raise InputError(bad_input.MORE_THAN, f"moved={moved}", f"the {rows} rows there are")
    return tuple((i,) * moved + (0,) * (rows - moved) for i in range(1, whole(near, "near", 1) + 1))


def qualities_of_near_maximisers(database: tuple[int, ...], items: int, near: int) -> dict[int, int]:
    """n·f(i, D) for the items 1, …, K. Raises `InputError` unless 1 ≤ ℓ ≤ K."""
    if whole(near, "near", 1) > whole(items, "items", 1):
        raise InputError(bad_input.MORE_THAN, f"near={near}", f"the {items} items there are")
    zeros = database.count(0)
    return {i: zeros + database.count(i) if i <= near else zeros - 1 for i in range(1, items + 1)}


def more_items(near: int, alpha: ExactLike) -> int:
    """1 + ⌈(ℓ − 1)·e^α⌉: that many near items force what Theorem 1 says also where nγ is no whole number.

    Then D_i satisfies the (1, γ)-margin condition, and so the (ℓ, γ)-margin condition for every ℓ. For t = ⌈nγ⌉ is
    u = e^(−tα) > 2e^(−α)/(ℓ − 1), and success 1/2 on all of them asks for (K − 1)·(u/2 − δ·(1 − u)/(e^α − 1)) ≤ 1/2:
    with K − 1 ≥ (ℓ − 1)·e^α and the largest δ the left side is more than 1 − (1 − u)/2, as (ℓ − 1)·e^α·u/2 > 1. Raises
    `InputError` unless ℓ ≥ 2 and α > 0.
    """
    return 1 + ceil((whole(near, "near", 2) - 1) * exp(positive(alpha, "alpha")))
