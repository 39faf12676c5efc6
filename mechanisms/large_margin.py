"""The large margin mechanism: a maximiser whose error depends on the number of near maximisers, not of all items."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpverify.mechanisms.distributions import Distribution
from dpverify.mechanisms.elementary import log
from dpverify.mechanisms.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.exponential_mechanism import Quality, exponential, solutions_of
from dpverify.mechanisms.mechanism import Draw
from dpverify.mechanisms.noise import Noise, laplace
from dpverify.mechanisms.parameters import open_unit, positive


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
    draw: Draw,
    quality: Quality,
    *,
    epsilon: ExactLike,
    delta: ExactLike,
    slack: ExactLike = 1,
    noise: Noise = laplace,
) -> Distribution[Any]:
    """LMM(α, δ, D) with α = `epsilon`, for the qualities q(i) = n·f(i, D) of sensitivity 1.

    Source: Chaudhuri, Hsu & Song, Algorithm 1, whose Theorem 2 claims (α,δ)-privacy. Ties among the items are broken by
    their order. `slack` multiplies every T^(r), printed at 1. With `noise=discrete_laplace` it is not the printed one.
    Raises `InputError` unless α > 0, 0 < δ < 1 and slack > 0.
    """
    alpha, d = positive(epsilon, "epsilon"), open_unit(delta, "delta")
    score_of = solutions_of(quality)
    items = sorted(score_of, key=score_of.__getitem__, reverse=True)  # stable: ties stay in order
    gaps = tuple(score_of[items[0]] - score_of[item] for item in items[1:])
    kept = draw(items_to_keep, gaps, epsilon=alpha, delta=d, slack=exact(slack, "slack"), noise=noise)
    return exponential({item: score_of[item] for item in items[:kept]}, alpha / 3)


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
    alpha, d, factor = positive(epsilon, "epsilon"), open_unit(delta, "delta"), positive(slack, "slack")
    z = draw(noise(3 / alpha))
    g = draw(noise(6 / alpha))
    kept = 1
    while kept <= len(gaps):
        z_kept = draw(noise(12 / alpha))
        if gaps[kept - 1] + z > z_kept + g + factor * printed_test(kept, alpha, d):
            break
        kept += 1
    return kept


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
