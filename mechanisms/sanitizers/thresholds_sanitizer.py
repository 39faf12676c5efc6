"""SanThresholds: the sanitizer of Beimel, Nissim & Stemmer for thresholds, which releases a distribution function."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import ceil
from operator import itemgetter
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.counting.logarithms import log2, log_star
from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.counting.step_functions import Run, StepFunction
from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.law import Noise
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive, rational_parameter, share, whole
from dpverify.mechanisms.recursion.quasi_concave import PRINTED_BASE, maximise_quasi_concave
from dpverify.mechanisms.sanitizers.concepts import checked_points
from dpverify.mechanisms.sanitizers.long_databases import remembered_of_tuple
from dpverify.mechanisms.sanitizers.sorted_points import counts_side_by_side, most_within
from dpverify.mechanisms.selection.choosing import rows_needed_journal
from dpverify.mechanisms.selection.composition import advanced_composition_epsilon, epsilon_of_each
from dpverify.mechanisms.selection.of_rows import noisy_number, number_of_rows, on_quality, select_by_growth
from dpverify.mechanisms.selection.stability import choose_by_stability, gap_needed

Sanitized: TypeAlias = tuple[tuple[int, Any], ...]
"""Ŝ: (point, how many copies of it, which is at least 1) by rising point."""

_ACCURACY: Final = Fraction(1, 4)
"""The accuracy at which RecConcave is executed in step 8."""


def sanitize_thresholds(
    draw: Draw,
    rows: Sequence[int],
    *,
    d: int,
    alpha: ExactLike,
    epsilon: ExactLike,
    delta: ExactLike,
    calls: int | None = None,
    depth: int | None = None,
    base: int = PRINTED_BASE,
    selection: Mechanism = choose_by_stability,
    noise: Noise = laplace,
    released: Noise = discrete_laplace,
) -> Sanitized:
    """SanThresholds: a database whose shares of rows below j are near those of `rows`, for all j on [0, 2^d].

    Source: Beimel, Nissim & Stemmer, journal version, Figure 11. As there, ε and δ are those of each of its parts: see
    `epsilon_of_sanitized_thresholds` for all of it. `calls` is the number of recursive calls that are permitted, the
    printed 77/α for None; `depth` is N, the printed log* d for None; `base` and `selection` are as for
    `maximise_quasi_concave`, so that A_dist runs beyond `base` scales alone, and is the corrected one and not the
    printed `choose_by_stability_journal`. `noise` is that of the choosing mechanism; `released` is that of the counts,
    which is continuous, `laplace`, in the paper; a negative number of copies is none. Where step 8, 9 or 10 ends in ⊥,
    which the paper leaves open, the whole range is taken for [a, b]. Raises `InputError` without rows, for a row that
    is no point of [0, 2^d), and unless ε > 0, 0 < δ < 1 and 0 < α ≤ 1 is rational.
    """
    m, a = draw(number_of_rows, rows), rational_parameter(share(alpha, "alpha"), "alpha")
    eps, del_ = positive(epsilon, "epsilon"), open_unit(delta, "delta")
    left = ceil(77 / a) if calls is None else whole(calls, "calls", 1)
    n = log_star(d) if depth is None else whole(depth, "depth", 1)
    copies: dict[int, Any] = {}
    waiting = [(0, (1 << whole(d, "d", 0)) - 1)]

    def noisy_count(first: int, last: int) -> Any:
        number = partial(rows_between, d=d, within=(first, last))
        return draw(noisy_number, rows, number=number, noise=released(1 / eps))

    # 1
    while waiting and left:
        left -= 1
        first, last = waiting.pop()
        # 2 and 3
        count = noisy_count(first, last)
        if count < a * m / 8:
            copies[last] = count
            continue
        # 4 to 10
        low, high = draw(
            dense_interval,
            rows,
            within=(first, last),
            alpha=a,
            epsilon=eps,
            epsilon_of_recursion=eps / (3 * n),
            delta_of_recursion=del_ / (3 * n),
            depth=n,
            base=base,
            selection=selection,
            noise=noise,
        )
        # 11
        copies[high] = noisy_count(low, high)
        # 12 and 13; what waits is taken from the end
        if high < last:
            waiting.append((high + 1, last))
        if low > first:
            waiting.append((first, low - 1))
    return tuple((x, count) for x, count in sorted(copies.items(), key=itemgetter(0)) if count > 0)


def dense_interval(
    draw: Draw,
    points: Sequence[int],
    *,
    within: Run,
    rows: int | None = None,
    alpha: Fraction,
    epsilon: Exact,
    epsilon_of_recursion: Exact,
    delta_of_recursion: Exact,
    depth: int,
    base: int,
    selection: Mechanism,
    noise: Noise,
) -> Run:
    """Steps 4 to 10: an interval [a, b] of the range with not too few and, but for b, not too many of the `rows` rows.

    `points` are all rows for `rows` None, of which those in the range count, and else at least these.
    """
    m = draw(number_of_rows, points) if rows is None else rows
    # 4 to 8
    z = draw(
        on_quality,
        points,
        quality=partial(scale_quality_within, within=within, alpha=alpha, size=rows),
        mechanism=maximise_quasi_concave,
        promise=alpha * m / 32,
        alpha=_ACCURACY,
        epsilon=epsilon_of_recursion,
        delta=delta_of_recursion,
        depth=depth,
        base=base,
        selection=selection,
    )
    if not isinstance(z, int):
        return within
    # 9 and 10
    chosen = draw(
        select_by_growth,
        points,
        quality=partial(counts_within, within=within, z=z),
        alpha=alpha / 64,
        epsilon=epsilon,
        size=rows,
        noise=noise,
    )
    return chosen if isinstance(chosen, tuple) else within


def rows_between(rows: Sequence[int], *, d: int, within: Run) -> int:
    """The number of rows in a range. Raises `InputError` without rows, and for one that is no point of [0, 2^d)."""
    checked_points(rows, d)
    return len(_points_within(rows, *within))


def scale_quality_within(rows: Sequence[int], *, within: Run, alpha: Fraction, size: int | None = None) -> StepFunction:
    """`threshold_scale_quality` of the rows in a range; `size` is how many rows there are, where these are not all."""
    first, last = within
    unit = Fraction(alpha) * (len(rows) if size is None else size) / 32
    return threshold_scale_quality(_points_within(rows, first, last), (last - first).bit_length(), unit)


def counts_within(rows: Sequence[int], *, within: Run, z: int) -> dict[Run, int]:
    """`interval_counts` of the rows in a range."""
    return interval_counts(_points_within(rows, *within), within, z)


def threshold_scale_quality(points: Sequence[int], scales: int, unit: Fraction) -> StepFunction:
    """Steps 5 and 6 for 0 ≤ j ≤ scales = log T, from the points in rising order, with `unit` = αm/32.

    Q(j) = min(I(j) − αm/32, 3αm/32 − I(j − 1)).
    """
    most = [0, *most_within(points, scales)]  # I of step 5
    p, q = unit.numerator, unit.denominator
    values = {pair: Fraction(min(q * pair[1] - p, 3 * p - q * pair[0]), q) for pair in dict.fromkeys(pairwise(most))}
    return StepFunction.of([values[pair] for pair in pairwise(most)])


def interval_counts(points: Sequence[int], within: Run, z: int) -> dict[Run, int]:
    """The solutions of steps 9 and 10 with their qualities: how many points lie in each interval that has any.

    For z = 0 single points, else the A_i and B_i of length 2·2^z, which both begin 2^z apart. One of them is listed
    where all are empty.
    """
    first, last = within
    length = 2 << z if z else 1
    counts = counts_side_by_side(points, first, length, and_between=z > 0) or {0: 0}
    return {(first + start, min(first + start + length - 1, last)): count for start, count in counts.items()}


@sized(sanitize_thresholds, name="epsilon")
def epsilon_of_sanitized_thresholds(*, calls: int, epsilon: ExactLike, delta: ExactLike) -> Exact:
    """ε̃ = sqrt(8c·ln(1/(cδ)))·ε + 8cε² of the whole, c = `calls`, where ε and δ are those of its parts: Lemma 4.8.

    The whole is (ε̃, 5cδ)-private. Raises `InputError` unless c ≥ 1, ε > 0 and 0 < cδ < 1.
    """
    c = whole(calls, "calls", 1)
    return advanced_composition_epsilon(times=4 * c, epsilon=epsilon, failure=c * open_unit(delta, "delta"))


@sized(sanitize_thresholds, name="part")
def parts_of_sanitized_thresholds(*, calls: int, epsilon: ExactLike, delta: ExactLike) -> tuple[Exact, Exact]:
    """The (ε,δ) of the parts with which the whole is (ε,δ)-private by Lemma 4.8, c = `calls`.

    Raises `InputError` where a parameter is out of range.
    """
    c, whole_delta = whole(calls, "calls", 1), open_unit(delta, "delta")
    return epsilon_of_each(times=4 * c, epsilon=epsilon, failure=whole_delta / 5), whole_delta / (5 * c)


@sized(sanitize_thresholds, name="rows for privacy")
def rows_for_private_sanitized_thresholds(
    *, alpha: ExactLike, beta: ExactLike, epsilon: ExactLike, delta: ExactLike
) -> int:
    """The least whole m ≥ (1024/(αε))·ln(2048/(αβεδ)), where ε and δ are those of the parts: Lemma 4.8.

    With fewer rows nothing is promised. Raises `InputError` where a parameter is out of range.
    """
    return rows_needed_journal(growth=2, alpha=share(alpha, "alpha") / 64, beta=beta, epsilon=epsilon, delta=delta)


@sized(sanitize_thresholds)
def rows_for_sanitized_thresholds(
    *,
    d: int,
    alpha: ExactLike,
    beta: ExactLike,
    epsilon: ExactLike,
    delta: ExactLike,
    calls: int | None = None,
    selection: Mechanism = choose_by_stability,
) -> int:
    """The least whole m by Lemmas 4.8 and 4.12: Ŝ is α-close but with probability at most 3cβ, c = `calls`.

    m ≥ (1024/(αε))·ln(2048/(αβεδ)) and m ≥ 8^(log* d)·(60c/(αε))·log* d·log(12·log* d/(βεδ)), log to base 2; ε and δ
    are those of the parts, and c is ⌈77/α⌉ for None. αm/32 is the promise of RecConcave, and its A_dist may need more
    for large ε, as in `rows_for_promise`. Raises `InputError` where a parameter is out of range, and for
    c < 77/α, of which nothing is claimed.
    """
    a, b = open_unit(alpha, "alpha"), open_unit(beta, "beta")
    eps, del_ = positive(epsilon, "epsilon"), open_unit(delta, "delta")
    c = ceil(77 / a) if calls is None else whole(calls, "calls", 1)
    if c < 77 / a:
        raise InputError(
            bad_input.RANGE, f"calls={c}", f"at least 77/α = {77 / a}, below which Lemma 4.12 claims nothing"
        )
    n = log_star(d)
    private = rows_for_private_sanitized_thresholds(alpha=a, beta=b, epsilon=eps, delta=del_)
    accurate = exact(8) ** n * (60 * c / (a * eps)) * n * log2(12 * n / (b * eps * del_))
    if n == 1:  # runs no A_dist
        return max(private, ceil(accurate))
    gap = gap_needed(beta=b / (2 * n), epsilon=eps / (3 * n), delta=del_ / (3 * n), selection=selection)
    of_gap = 32 / a * exact(8) ** (n - 1) / (3 * _ACCURACY) * gap
    return max(private, ceil(accurate), ceil(of_gap))


@remembered_of_tuple
def _in_order(rows: Sequence[int]) -> Sequence[int]:
    return tuple(sorted(rows))


@remembered_of_tuple
def _points_within(rows: Sequence[int], first: int, last: int) -> Sequence[int]:
    """The rows in a range, in rising order."""
    points = _in_order(rows)
    return points[bisect_left(points, first) : bisect_right(points, last)]
