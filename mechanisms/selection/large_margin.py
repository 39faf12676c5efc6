"""The large margin mechanism: a maximiser whose error depends on the number of near maximisers, not of all items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.law import Noise
from dpverify.mechanisms.numbers.elementary import exp, log
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.long_sequences import Beginning, length
from dpverify.mechanisms.selection.exponential_mechanism import Quality, levels_of, of_levels, solutions_of

ONE_BY_ONE: Final = 64
"""Up to how many items of equal quality have their noise drawn one by one; of more, only noise that matters is."""

MOST_ONE_BY_ONE: Final = 100_000
"""Up to how many items there may be where all noise is drawn, as it is of any other noise than Laplace noise."""


def printed_margin(r: int, alpha: Exact, delta: Exact) -> Exact:
    """n·t^(r) = 6·(1 + ln(3r/δ)/α)."""
    return 6 * (1 + log(3 * r / delta) / alpha)


def printed_test(r: int, alpha: Exact, delta: Exact) -> Exact:
    """n·T^(r) = (3/α)·ln(3/(2δ)) + (6/α)·ln(3/δ) + (12/α)·ln(3r(r+1)/δ) + n·t^(r)."""
    return (
        3 / alpha * log(3 / (2 * delta))
        + 6 / alpha * log(3 / delta)
        + 12 / alpha * log(3 * r * (r + 1) / delta)
        + printed_margin(r, alpha, delta)
    )


def large_margin_mechanism(
    draw: Draw, quality: Quality, *, epsilon: ExactLike, delta: ExactLike, slack: ExactLike = 1, noise: Noise = laplace
) -> Distribution[Any]:
    """LMM(α, δ, D) with α = `epsilon`, for the qualities q(i) = n·f(i, D) of sensitivity 1.

    Source: Chaudhuri, Hsu & Song, Algorithm 1, whose Theorem 2 claims (α,δ)-privacy. Ties among the items are broken by
    their order. `slack` multiplies every T^(r), printed at 1. With `noise=discrete_laplace` it is not the printed one.
    Raises `InputError` unless α > 0, 0 < δ < 1 and slack > 0.
    """
    return large_margin_of_levels(
        draw, levels_of(quality), epsilon=epsilon, delta=delta, slack=exact(slack, "slack"), noise=noise
    )


def large_margin_of_levels(
    draw: Draw,
    levels: Mapping[Any, Sequence[Any]],
    *,
    epsilon: ExactLike,
    delta: ExactLike,
    slack: ExactLike = 1,
    noise: Noise = laplace,
    one_by_one: int = ONE_BY_ONE,
) -> Distribution[Any]:
    """`large_margin_mechanism` from the items of each quality, for more items than can be listed.

    It costs what the number of qualities costs. Raises `InputError` as that does, and without levels.
    """
    alpha = positive(epsilon, "epsilon")
    kept = items_to_keep_of_levels(
        draw, levels, epsilon=alpha, delta=delta, slack=slack, noise=noise, one_by_one=one_by_one
    )
    return of_levels(best_of_levels(levels, kept), alpha / 6)


def items_to_keep_of_levels(
    draw: Draw,
    levels: Mapping[Any, Sequence[Any]],
    *,
    epsilon: ExactLike,
    delta: ExactLike,
    slack: ExactLike = 1,
    noise: Noise = laplace,
    one_by_one: int = ONE_BY_ONE,
) -> int:
    """`items_to_keep`, from the items of each quality. Raises `InputError` without levels."""
    if not levels or not all(map(length, levels.values())):
        raise InputError(bad_input.IS_EMPTY, "levels, or one of them,", "item for each utility")
    if noise is not laplace and sum(map(length, levels.values())) > MOST_ONE_BY_ONE:
        raise InputError(
            bad_input.BEYOND,
            "the number of items",
            f"{MOST_ONE_BY_ONE:,}, with noise that is not laplace",
            "use laplace",
        )
    best, *worse = sorted(levels, reverse=True)
    runs = ((0, length(levels[best]) - 1), *((best - score, length(levels[score])) for score in worse))
    given = {"slack": exact(slack, "slack"), "noise": noise, "one_by_one": one_by_one}
    return int(draw(_items_to_keep, runs, epsilon=epsilon, delta=delta, **given))


def best_of_levels(levels: Mapping[Any, Sequence[Any]], kept: int) -> dict[Any, Sequence[Any]]:
    """𝒰_ℓ: the best `kept` items by their quality; of equal ones those that come first."""
    found: dict[Any, Sequence[Any]] = {}
    for score in sorted(levels, reverse=True):
        if kept <= 0:
            break
        block = levels[score]
        found[score] = block if length(block) <= kept else Beginning(block, kept)
        kept -= length(block)
    return found


def items_to_keep(
    draw: Draw,
    gaps: Sequence[Fraction | int],
    *,
    epsilon: ExactLike,
    delta: ExactLike,
    slack: ExactLike = 1,
    noise: Noise = laplace,
) -> int:
    """ℓ of Algorithm 1, steps 2 to 12: the first ℓ for which the (ℓ+1)-st item seems to be far below the best, or K.

    gaps[r − 1] is how much worse the (r+1)-st best item is than the best. Step 7 has m = best + Z on its left side, of
    which only the gap matters.
    """
    runs = tuple((gap, 1) for gap in gaps)
    return _items_to_keep(draw, runs, epsilon=epsilon, delta=delta, slack=slack, noise=noise, one_by_one=ONE_BY_ONE)


def _items_to_keep(
    draw: Draw,
    runs: Sequence[tuple[Any, int]],
    *,
    epsilon: ExactLike,
    delta: ExactLike,
    slack: ExactLike,
    noise: Noise,
    one_by_one: int,
) -> int:
    """`items_to_keep`, of gaps that each stand for as many items as said."""
    alpha, d, factor = positive(epsilon, "epsilon"), open_unit(delta, "delta"), positive(slack, "slack")
    z = draw(noise(3 / alpha))
    g = draw(noise(6 / alpha))
    kept = 1
    for gap, items in runs:
        end = kept + items
        while kept < end:
            stretch = min(end, 2 * kept)  # T^(r) changes little on it
            test = factor * printed_test(kept, alpha, d)
            bar = _bar(gap + z - g, test, stretch - kept, 12 / alpha, one_by_one)
            if bar is None or noise is not laplace:
                z_kept = draw(noise(12 / alpha))
                if gap + z > z_kept + g + test:
                    return kept
                kept += 1
                continue
            # only where −Z_ℓ exceeds the bar, by what is again exponential, the test can pass
            kept = first_rare_event(draw, kept, stretch, bar.rarity)
            if kept < stretch:
                beyond = draw(laplace(12 / alpha))
                if beyond < 0:
                    beyond = -beyond
                if gap + z + bar.height + beyond > g + factor * printed_test(kept, alpha, d):
                    return kept
                kept += 1
    return kept


class _Bar(NamedTuple):
    """A height that Laplace noise exceeds with probability 1 − e^(−1/rarity)."""

    height: Exact
    rarity: int


def _bar(left: Any, test: Exact, items: int, scale: Exact, one_by_one: int) -> _Bar | None:
    """The highest of some bars with left + bar ≤ test; None where there is none, or items are few enough to go through.

    As T^(r) rises with r, no Z_r below the bar lets the test of step 7 pass on the stretch of `items` that begins here.
    """
    if items <= one_by_one:
        return None
    rarity = 4 * items
    while rarity >= 2:
        height = -scale * log(2 * (1 - exp(Fraction(-1, rarity))))
        if left + height <= test:
            return _Bar(height, rarity)
        rarity //= 4
    return None


def first_rare_event(draw: Draw, low: int, high: int, rarity: int) -> int:
    """The first of low, …, high − 1 at which an event of probability 1 − e^(−1/rarity) happens; `high` for none.

    It takes as many draws as the numbers have binary digits: none of n happens with probability e^(−n/rarity).
    """
    none = exp(Fraction(low - high, rarity))
    if draw(Distribution({True: none, False: 1 - none})):
        return high
    while high - low > 1:
        middle = (low + high) // 2
        not_before = exp(Fraction(low - middle, rarity))
        none = exp(Fraction(low - high, rarity))
        if draw(Distribution({True: 1 - not_before, False: not_before - none})):
            high = middle
        else:
            low = middle
    return low


def margin_condition(quality: Quality, kept: int, margin: ExactLike) -> bool:
    """The (ℓ, γ)-margin condition in units of q: the item after the best ℓ is worse than the best by more than γ.

    Source: Chaudhuri, Hsu & Song, Condition 1, where γ is n times smaller; with ℓ = K it always holds.
    """
    scores = sorted(solutions_of(quality).values(), reverse=True)
    return kept >= len(scores) or exact(scores[0]) - scores[kept] > exact(margin, "margin")


def margin_needed(kept: int, *, epsilon: ExactLike, delta: ExactLike, failure: ExactLike) -> Exact:
    """n·γ* = (21/α)·ln(3/η) + n·T^(ℓ): the margin from which Theorem 3 speaks, for ℓ = `kept` and η = `failure`."""
    alpha, d, eta = positive(epsilon, "epsilon"), open_unit(delta, "delta"), open_unit(failure, "failure")
    return 21 / alpha * log(3 / eta) + printed_test(kept, alpha, d)


def error_allowed(kept: int, *, epsilon: ExactLike, failure: ExactLike) -> Exact:
    """6·ln(2ℓ/η)/α: how much worse than the best, in units of q, the item may be with probability 1 − η (Theorem 3)."""
    return 6 * log(2 * kept / open_unit(failure, "failure")) / positive(epsilon, "epsilon")
