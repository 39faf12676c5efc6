"""The sanitizer for points of Bun, Nissim & Stemmer: noisy counts of the points that occur often enough."""

from collections.abc import Sequence
from typing import Any

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.noise.law import Noise
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive, share
from dpverify.mechanisms.sanitizers.concepts import checked_points
from dpverify.mechanisms.sanitizers.long_databases import numbers_of
from dpverify.mechanisms.sanitizers.points_sanitizer import Estimates


def stable_histogram(
    draw: Draw, rows: Sequence[int], *, d: int, epsilon: ExactLike, delta: ExactLike, noise: Noise = discrete_laplace
) -> Estimates:
    """The estimates of how often each point occurs, as a share of the rows; 0 for points that do not stand out.

    Source: Bun, Nissim & Stemmer, Algorithm 1 and Proposition 2.20, read as the stability-based histogram: where
    q(x) > 0, a = q(x) + Lap(2/(εn)) is released if a > 2·ln(2/δ)/(εn) + 1/n. The noise is drawn on counts, with
    scale 2/ε, and is discrete unless told otherwise; `noise=laplace` is the printed one. Raises `InputError` without
    rows, for a row that is no point of [0, 2^d), and unless ε > 0 and 0 < δ < 1.
    """
    eps, del_ = positive(epsilon, "epsilon"), open_unit(delta, "delta")
    return _above(draw, rows, d, eps, exact(0), 2 / eps * log(2 / del_) + 1, noise)


def cut_off_histogram(
    draw: Draw, rows: Sequence[int], *, d: int, alpha: ExactLike, epsilon: ExactLike, noise: Noise = discrete_laplace
) -> Estimates:
    """As `stable_histogram`, with cut-offs in α: where q(x) > α/8, a is released if a > α/4.

    Source: the other reading of Algorithm 1. How private it is rests on the number of rows. Raises `InputError` without
    rows, for a row that is no point, and unless 0 < α ≤ 1 and ε > 0.
    """
    a, m = share(alpha, "alpha"), len(rows)
    return _above(draw, rows, d, positive(epsilon, "epsilon"), a * m / 8, a * m / 4, noise)


def _above(
    draw: Draw, rows: Sequence[int], d: int, epsilon: Exact, least: Exact, threshold: Exact, noise: Noise
) -> Estimates:
    """The noisy counts of the points that occur more than `least` times, where they exceed the threshold."""
    checked_points(rows, d)
    counts = numbers_of(rows)
    often = {count for count in set(counts.values()) if count > least}
    law = noise(2 / epsilon)
    found: list[tuple[int, Any]] = []
    for x, count in sorted(counts.items()):
        if count in often:
            noisy = count + draw(law)
            if noisy > threshold:
                found.append((x, noisy / len(rows)))
    return tuple(found)
