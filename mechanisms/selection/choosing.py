"""The choosing mechanism: an approximate maximiser of a quality of bounded growth, whatever the number of solutions."""

from collections.abc import Callable
from fractions import Fraction
from math import ceil
from typing import Any, Final

from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.law import Noise
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive, share, whole
from dpverify.mechanisms.selection.exponential_mechanism import Quality, levels_of, of_levels
from dpverify.mechanisms.selection.stability import Bottom


def choosing_mechanism(
    draw: Draw, quality: Quality, *, rows: int, alpha: ExactLike, epsilon: ExactLike, noise: Noise = laplace
) -> Any:
    """A solution of quality at least opt − α·rows, or ⊥; for a quality that a row raises by 1 in few solutions.

    Source: Beimel, Nissim & Stemmer, journal version, Figure 8; extended abstract, Section 4.1. `rows` is the size m of
    the database that `quality` belongs to. Where no solution has quality ≥ 1, step 2 has nothing to choose from, which
    the papers leave open: ⊥ is returned. With `noise=discrete_laplace` it is not the printed one. Raises `InputError`
    unless rows ≥ 1, ε > 0 and 0 < α ≤ 1.
    """
    m, a, eps = whole(rows, "rows", 1), share(alpha, "alpha"), positive(epsilon, "epsilon")
    levels = levels_of(quality)
    # 1
    best = max(levels) + draw(noise(4 / eps))
    if best < a * m / 2:
        return Bottom.BOTTOM
    # 2, the exponential mechanism at ε/2
    good = {score: solutions for score, solutions in levels.items() if score >= 1}
    return of_levels(good, eps / 4) if good else Bottom.BOTTOM


def choosing_with_enough_rows(
    draw: Draw,
    quality: Quality,
    *,
    rows: int,
    growth: int,
    alpha: ExactLike,
    epsilon: ExactLike,
    delta: ExactLike,
    needed: Callable[..., int] | None = None,
    noise: Noise = laplace,
) -> Any:
    """The choosing mechanism where the rows are `needed` ones or more, and else ⊥, whatever the quality.

    `needed` is a bound as `rows_needed`, which stands for None: with that it is (ε,δ)-private for every ε and δ, every
    number of rows and of solutions, by Theorem 13 of docs/theorems.md. Source: ours, for Beimel, Nissim & Stemmer,
    journal version, Lemma 4.4, which has it for `rows_needed_journal`. Raises `InputError` as `choosing_mechanism` and
    the bound do.
    """
    bound = rows_needed if needed is None else needed
    if whole(rows, "rows", 1) < bound(growth=growth, alpha=alpha, epsilon=epsilon, delta=delta):
        return Bottom.BOTTOM
    return choosing_mechanism(draw, quality, rows=rows, alpha=alpha, epsilon=epsilon, noise=noise)


@sized(choosing_mechanism, name="rows for privacy")
def rows_needed(*, growth: int, alpha: ExactLike, epsilon: ExactLike, delta: ExactLike) -> int:
    """The smallest m with m ≥ (8/(αε))·(ε/4 + ln(k/(2δ))), at least 1: enough for privacy, at every ε.

    Source: Theorem 13 of docs/theorems.md; for one solution that a row raises, k = 1, no fewer do, from m ≥ 2/α on.
    Raises `InputError` where a parameter is out of range.
    """
    k, a, _, eps, d = _checked(growth, alpha, _HALF, epsilon, delta)
    return max(1, ceil(8 / (a * eps) * (eps / 4 + log(k / (2 * d)))))


_HALF: Final = Fraction(1, 2)


@sized(choosing_mechanism)
def rows_needed_journal(*, growth: int, alpha: ExactLike, beta: ExactLike, epsilon: ExactLike, delta: ExactLike) -> int:
    """The smallest m with m ≥ (16/(αε))·ln(16k/(αβεδ)), at least 1: Lemmas 4.4 and 4.5 of the journal version.

    Raises `InputError` where a parameter is out of range.
    """
    k, a, b, eps, d = _checked(growth, alpha, beta, epsilon, delta)
    return max(1, ceil(16 / (a * eps) * log(16 * k / (a * b * eps * d))))


@sized(choosing_mechanism, name="rows of the extended abstract")
def rows_needed_extended_abstract(
    *, growth: int, alpha: ExactLike, beta: ExactLike, epsilon: ExactLike, delta: ExactLike
) -> int:
    """The smallest m with m ≥ (16/(αε))·max(ε/4 + ln(1/δ), ln(16k/(αβε))), at least 1: the extended abstract's Lemma 4.

    Raises `InputError` where a parameter is out of range.
    """
    k, a, b, eps, d = _checked(growth, alpha, beta, epsilon, delta)
    return max(1, ceil(16 / (a * eps) * max(eps / 4 + log(1 / d), log(16 * k / (a * b * eps)))))


def _checked(
    growth: int, alpha: ExactLike, beta: ExactLike, epsilon: ExactLike, delta: ExactLike
) -> tuple[Exact, Exact, Exact, Exact, Exact]:
    return (
        exact(whole(growth, "growth", 1)),
        share(alpha, "alpha"),
        open_unit(beta, "beta"),
        positive(epsilon, "epsilon"),
        open_unit(delta, "delta"),
    )
