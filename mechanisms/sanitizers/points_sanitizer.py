"""The sanitizers of Beimel, Nissim & Stemmer for points, and for sets of k points."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import partial
from math import ceil
from operator import itemgetter
from typing import Any, TypeAlias

from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.law import Noise
from dpverify.mechanisms.numbers.elementary import log, sqrt
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive, share, whole
from dpverify.mechanisms.sanitizers.concepts import checked_points
from dpverify.mechanisms.sanitizers.long_databases import numbers_of
from dpverify.mechanisms.selection.choosing import rows_needed_journal
from dpverify.mechanisms.selection.of_rows import noisy_number, number_of_rows, select_by_growth
from dpverify.mechanisms.selection.stability import Bottom

Estimates: TypeAlias = tuple[tuple[int, Any], ...]
"""Est: (point, its share of the rows) by rising point, and 0 for all points that are not listed."""


def sanitize_points(
    draw: Draw,
    rows: Sequence[int],
    *,
    d: int,
    alpha: ExactLike,
    epsilon: ExactLike,
    delta: ExactLike,
    epsilon_of_part: ExactLike | None = None,
    noise: Noise = laplace,
    released: Noise = discrete_laplace,
) -> Estimates:
    """SanPoints: the `Estimates` of how often each point of [0, 2^d) occurs among the rows, as a share of them.

    Source: Beimel, Nissim & Stemmer, journal version, Figure 9. `epsilon_of_part` is the ε̃ of each of its parts, the
    printed one for None; δ enters by that alone. 2/α is rounded up. An estimate may lie outside [0, 1]. `noise` is that
    of the choosing mechanism; `released` is that of the counts, which is continuous, `laplace`, in the paper. Raises
    `InputError` without rows, for a row that is no point, and unless 0 < α ≤ 1, ε > 0 and 0 < δ < 1.
    """
    m, a = draw(number_of_rows, rows), share(alpha, "alpha")
    printed = epsilon_of_a_part(alpha=alpha, epsilon=epsilon, delta=delta)
    eps = printed if epsilon_of_part is None else positive(epsilon_of_part, "epsilon_of_part")
    # 1
    found: dict[int, Any] = {}
    # 2
    for _ in range(ceil(2 / a)):
        # (a); quality is q_R, which is 0 outside R
        quality = partial(counts_but_for, d=d, without=tuple(found))
        b = draw(select_by_growth, rows, quality=quality, alpha=a / 2, epsilon=eps, noise=noise)
        # (b)
        if b is not Bottom.BOTTOM:
            count = draw(noisy_number, rows, number=partial(rows_at, d=d, point=b), noise=released(1 / eps))
            found[b] = count / m
    # 3
    return tuple(sorted(found.items(), key=itemgetter(0)))


def counts_but_for(rows: Sequence[int], *, d: int, without: tuple[int, ...]) -> dict[int, int]:
    """The number of rows at each point that occurs, and 0 at those that are left out.

    Raises `InputError` without rows, and for a row that is no point of [0, 2^d).
    """
    checked_points(rows, d)
    return {**numbers_of(rows), **dict.fromkeys(without, 0)}


def rows_at(rows: Sequence[int], *, d: int, point: int) -> int:
    """The number of rows that are a point. Raises `InputError` likewise."""
    checked_points(rows, d)
    return numbers_of(rows)[point]


def sanitize_k_points(draw: Draw, rows: Sequence[int], *, k: int, alpha: ExactLike, **given: Any) -> Estimates:
    """The sanitizer for the sets of k points: SanPoints at α/k, whose `Estimates` are to be asked by `share_of`.

    Source: Beimel, Nissim & Stemmer, journal version, Figure 10. Parameters, and errors, are those of
    `sanitize_points`, and `InputError` unless k ≥ 1.
    """
    return sanitize_points(draw, rows, alpha=share(alpha, "alpha") / whole(k, "k", 1), **given)


def share_of(points: Iterable[int], estimates: Estimates) -> Fraction:
    """e(I): the estimated share of the rows that are one of the points, between 0 and 1 (Figure 10, step 2)."""
    asked = set(points)
    total = sum((Fraction(share) for x, share in estimates if x in asked), Fraction(0))
    return min(Fraction(1), max(Fraction(0), total))


@sized(sanitize_points, name="epsilon of a part")
def epsilon_of_a_part(*, alpha: ExactLike, epsilon: ExactLike, delta: ExactLike) -> Exact:
    """ε̃ = ε/sqrt((32/α)·ln(5/δ)): step 2(a) of Figure 9. Raises `InputError` where a parameter is out of range."""
    return positive(epsilon, "epsilon") / sqrt(32 / share(alpha, "alpha") * log(5 / open_unit(delta, "delta")))


@sized(sanitize_points)
def rows_for_sanitized_points(*, alpha: ExactLike, beta: ExactLike, epsilon: ExactLike, delta: ExactLike) -> int:
    """The least whole m for SanPoints by the proof of Theorem 4.6.

    What the choosing mechanism asks for at α/2, αβ/4, ε̃ and αδ/5, and m ≥ (6/(α^1.5·ε))·ln(4/(αβ))·sqrt(ln(5/δ)).
    Raises `InputError` where a parameter is out of range.
    """
    a, b, d = open_unit(alpha, "alpha"), open_unit(beta, "beta"), open_unit(delta, "delta")
    of_a_part = epsilon_of_a_part(alpha=a, epsilon=epsilon, delta=d)
    choose = rows_needed_journal(growth=1, alpha=a / 2, beta=a * b / 4, epsilon=of_a_part, delta=a * d / 5)
    count = 6 / (a * sqrt(a) * positive(epsilon, "epsilon")) * log(4 / (a * b)) * sqrt(log(5 / d))
    return max(choose, ceil(count))


@sized(sanitize_k_points)
def rows_for_sanitized_k_points(
    *, k: int, alpha: ExactLike, beta: ExactLike, epsilon: ExactLike, delta: ExactLike
) -> int:
    """The least whole m for sets of k points: that of SanPoints at α/k. Raises `InputError` out of range."""
    a = open_unit(alpha, "alpha") / whole(k, "k", 1)
    return rows_for_sanitized_points(alpha=a, beta=beta, epsilon=epsilon, delta=delta)
