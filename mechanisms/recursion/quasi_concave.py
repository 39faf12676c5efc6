"""The recursion for quasi-concave promise problems of Beimel, Nissim & Stemmer, in both printed versions.

A quality is a `StepFunction` on [0, T], so that one call costs what its pieces cost, and the range may be 2^1024 long.
Where the papers leave a case open it is said here, and tested: both calls of A_dist, or the recursive call, may return
⊥, and {B_i} may be empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.counting.step_functions import Run, StepFunction, Value, union
from dpverify.mechanisms.functions.mechanism import Draw, Mechanism, name_of
from dpverify.mechanisms.numbers.errors import InputError
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike
from dpverify.mechanisms.selection.exponential_mechanism import of_levels
from dpverify.mechanisms.selection.stability import Bottom, choose_by_stability, choose_by_stability_extended_abstract
from dpverify.mechanisms.unknowns.parameters import open_unit, positive, rational_parameter, share, whole

PRINTED_BASE: Final = 32
"""The T up to which both versions do not recurse."""

_QUARTER: Final = Fraction(1, 4)


def maximise_quasi_concave(
    draw: Draw,
    quality: StepFunction | Sequence[Value],
    *,
    promise: ExactLike,
    alpha: ExactLike,
    epsilon: ExactLike,
    delta: ExactLike,
    depth: int | None = None,
    base: int = PRINTED_BASE,
    selection: Mechanism = choose_by_stability,
) -> Any:
    """RecConcave: an index j with Q(j) ≥ (1 − α)·promise, where Q is quasi-concave and reaches the promise.

    Source: Beimel, Nissim & Stemmer, journal version, Figure 5. `depth` is N, no bound for None; `base` is the printed
    32, and `selection` the A_dist in use: the corrected one, with which Lemma 3.12 holds, (3Nε,3Nδ)-privacy of the
    whole for N executions, and not the printed `choose_by_stability_journal`, with which it does not. As printed, the
    index may lie in (T, T′], where T′ is the least power of 2 from T on. Returns ⊥ where the recursive call, or both
    calls of A_dist, do. Raises `InputError` unless ε > 0, 0 < δ < 1, 0 < α ≤ 1, depth ≥ 1 and base ≥ 1; the promise and
    α are rational.
    """
    eps, d = positive(epsilon, "epsilon"), open_unit(delta, "delta")
    r, a = rational_parameter(promise, "promise"), rational_parameter(share(alpha, "alpha"), "alpha")
    quality = quality if isinstance(quality, StepFunction) else StepFunction.of(quality)
    big_t = quality.last
    # 1
    n = None if depth is None else whole(depth, "depth", 1)
    if big_t <= whole(base, "base", 1) or n == 1:
        return of_levels(quality.levels(), eps / 2)
    # 2
    t_prime = 1 << (big_t - 1).bit_length()
    big_q = quality.extended(t_prime, min(0, quality(big_t)))
    # 3 and 4
    q = scale_quality(big_q, r, a)
    # 5 and 6
    k = draw(
        maximise_quasi_concave,
        q,
        promise=a / 2 * r,
        alpha=_QUARTER,
        epsilon=eps,
        delta=d,
        depth=None if n is None else n - 1,
        base=base,
        selection=selection,
    )
    if k is Bottom.BOTTOM:
        return Bottom.BOTTOM
    # 7 to 9
    in_a, in_b = _intervals(draw, big_q, 1 << k, eps, d, selection)
    # 10
    points = union(run for run in (in_a, in_b) if run is not None)
    return of_levels(big_q.levels(points), eps / 2) if points.runs else Bottom.BOTTOM


def maximise_quasi_concave_extended_abstract(
    draw: Draw,
    quality: StepFunction | Sequence[Value],
    *,
    promise: ExactLike,
    alpha: ExactLike,
    epsilon: ExactLike,
    delta: ExactLike,
    base: int = PRINTED_BASE,
    selection: Mechanism = choose_by_stability_extended_abstract,
    from_the_end_of_a: bool = False,
) -> Any:
    """Rec: as `maximise_quasi_concave`, with Q = 0 beyond T, α in the recursion too, and a choice among 32 points.

    Source: Beimel, Nissim & Stemmer, extended abstract, Figure 1. With A = [a, b] and B = [c, d], step 10 prints
    H = {a + iK/2} ∪ {b + iK/2}, 0 ≤ i ≤ 15, which leaves B out: `from_the_end_of_a=True` here. The default has c in
    the place of b, which is what its analysis needs. K/2 is rounded down to a whole step of at least 1, and points
    beyond T′ are left out. Returns ⊥, and raises, as `maximise_quasi_concave` does.
    """
    eps, d = positive(epsilon, "epsilon"), open_unit(delta, "delta")
    r, a = rational_parameter(promise, "promise"), rational_parameter(share(alpha, "alpha"), "alpha")
    quality = quality if isinstance(quality, StepFunction) else StepFunction.of(quality)
    big_t = quality.last
    # 1
    if big_t <= whole(base, "base", 1):
        return of_levels(quality.levels(), eps / 2)
    # 2
    t_prime = 1 << (big_t - 1).bit_length()
    big_q = quality.extended(t_prime, 0)
    # 3 to 6
    k = draw(
        maximise_quasi_concave_extended_abstract,
        scale_quality(big_q, r, a),
        promise=a / 2 * r,
        alpha=a,
        epsilon=eps,
        delta=d,
        base=base,
        selection=selection,
        from_the_end_of_a=from_the_end_of_a,
    )
    if not isinstance(k, int):
        return Bottom.BOTTOM
    # 7 to 9
    in_a, in_b = _intervals(draw, big_q, 1 << k, eps, d, selection)
    # 10
    starts = []
    if in_a is not None:
        starts.append(in_a[0])
    if from_the_end_of_a and in_a is not None:
        starts.append(in_a[1])
    if not from_the_end_of_a and in_b is not None:
        starts.append(in_b[0])
    step = max(1, (1 << k) // 2)
    points = {start + i * step for start in starts for i in range(16)}
    candidates = union((x, x) for x in points if x <= t_prime)
    # 11
    return of_levels(big_q.levels(candidates), eps / 2) if candidates.runs else Bottom.BOTTOM


def scale_quality(quality: StepFunction, promise: Fraction, alpha: Fraction) -> StepFunction:
    """Steps 3 and 4 on [0, T′], T′ a power of 2: q(j) = min(L(j) − (1 − α)·r, r − L(j + 1)) for 0 ≤ j ≤ log T′.

    L(j) is the largest minimum over 2^j successive points, and L(log T′ + 1) = min{0, L(log T′)}.
    """
    largest_minimum = quality.best_minimum_by_length()
    scales = quality.last.bit_length()
    big_l: Sequence[Value] = [*largest_minimum[:scales], min(0, largest_minimum[scales - 1])]
    low = (1 - alpha) * promise
    return StepFunction.of([_plain(min(big_l[j] - low, promise - big_l[j + 1])) for j in range(scales)])


def _intervals(
    draw: Draw, quality: StepFunction, size: int, epsilon: Exact, delta: Exact, selection: Mechanism
) -> tuple[Run | None, Run | None]:
    """Steps 7 to 9: A among the intervals of length 8K from 0 on, B among those from 4K on; None for ⊥."""
    length = 8 * size
    found: list[Run | None] = []
    for offset in (0, 4 * size):
        maxima = quality.block_maxima(length, offset)
        block = None if maxima is None else draw(selection, maxima, epsilon=epsilon, delta=delta)
        if isinstance(block, int):
            assert maxima is not None
            if isinstance(block, bool) or not 0 <= block <= maxima.last:
                raise InputError(f"selection={name_of(selection)} chose {block!r} of {maxima.last + 1} intervals")
            low = offset + block * length
            found.append((low, min(low + length - 1, quality.last)))
        else:
            found.append(None)
    return found[0], found[1]


def _plain(value: Value) -> Value:
    """A whole number as int, so that equal qualities have one form."""
    return int(value) if isinstance(value, Fraction) and value.denominator == 1 else value
