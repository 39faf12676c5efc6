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
from dpverify.mechanisms.functions.thin import thin
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive, rational_parameter, share, whole
from dpverify.mechanisms.numbers.integers.sealed import Sealed
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.selection.exponential_mechanism import of_levels
from dpverify.mechanisms.selection.of_rows import to_return
from dpverify.mechanisms.selection.stability import Bottom, choose_by_stability, choose_by_stability_extended_abstract

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
    r, a = _promised(promise), rational_parameter(share(alpha, "alpha"), "alpha")
    big_t = draw(last_point, quality)
    # 1
    n = None if depth is None else whole(depth, "depth", 1)
    if big_t <= whole(base, "base", 1) or n == 1:
        return to_return(draw, one_of_points, quality, epsilon=eps)
    # 2 to 6
    k = draw(
        on_scales,
        quality,
        zero=False,
        scaled_at=(r, a),
        mechanism=maximise_quasi_concave,
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
    chosen: dict[str, Any] = {"selection": selection, "epsilon": eps, "delta": d}
    in_a, in_b = _intervals(draw, quality, 1 << k, zero=False, **chosen)
    # 10
    found = [run for run in (in_a, in_b) if run is not None]
    if not found:
        return Bottom.BOTTOM
    return to_return(draw, one_of_points, quality, epsilon=eps, zero=False, points=tuple(found))


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
    r, a = _promised(promise), rational_parameter(share(alpha, "alpha"), "alpha")
    big_t = draw(last_point, quality)
    # 1
    if big_t <= whole(base, "base", 1):
        return to_return(draw, one_of_points, quality, epsilon=eps)
    # 2 to 6
    k = draw(
        on_scales,
        quality,
        zero=True,
        scaled_at=(r, a),
        mechanism=maximise_quasi_concave_extended_abstract,
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
    chosen: dict[str, Any] = {"selection": selection, "epsilon": eps, "delta": d}
    in_a, in_b = _intervals(draw, quality, 1 << k, zero=True, **chosen)
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
    candidates = tuple([(x, x) for x in points if x <= power_of_2_from(big_t)])
    # 11
    if not candidates:
        return Bottom.BOTTOM
    return to_return(draw, one_of_points, quality, epsilon=eps, zero=True, points=candidates)


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
    draw: Draw, quality: StepFunction | Sequence[Value], size: int, *, zero: bool, **given: Any
) -> tuple[Run | None, Run | None]:
    """Steps 7 to 9: A among the intervals of length 8K from 0 on, B among those from 4K on; None for ⊥."""
    length = 8 * size
    last = draw(last_point, quality, extended=True)
    found: list[Run | None] = []
    for offset in (0, 4 * size):
        run = None
        if offset <= last:
            block = draw(one_of_blocks, quality, zero=zero, length=length, offset=offset, **given)
            if not (block is Bottom.BOTTOM or block is Bottom.BOTTOM_1 or block is Bottom.BOTTOM_2):
                low = offset + block * length
                run = low, min(low + length - 1, last)
        found.append(run)
    return found[0], found[1]


@thin
def one_of_blocks(
    draw: Draw,
    quality: StepFunction | Sequence[Value],
    *,
    zero: bool,
    length: int,
    offset: int,
    selection: Mechanism,
    **given: Exact,
) -> Any:
    """The choice of `selection` among blocks, by the largest value in each, or ⊥. Raises `InputError` for another."""
    maxima = largest_in_blocks(quality, zero=zero, length=length, offset=offset)
    block = draw(selection, maxima, **given)
    if type(block) is not Bottom and (type(block) is not int or not 0 <= block <= maxima.last):
        raise InputError(
            bad_input.GAVE,
            f"selection={name_of(selection)}",
            repr(block),
            f"none of the {maxima.last + 1} intervals",
            "return one",
        )
    return block


def power_of_2_from(last: int) -> int:
    """T′, the least power of 2 from T = `last` ≥ 1 on."""
    return 1 << (last - 1).bit_length()


def as_steps(quality: StepFunction | Sequence[Value]) -> StepFunction:
    """A quality as a step function on [0, T]."""
    return quality if isinstance(quality, StepFunction) else StepFunction.of(quality)


def extended_to_power(quality: StepFunction | Sequence[Value], *, zero: bool) -> StepFunction:
    """Step 2: the quality on [0, T′]. Beyond T it is 0, or, unless `zero`, min{0, Q(T)}."""
    steps = as_steps(quality)
    return steps.extended(power_of_2_from(steps.last), 0 if zero else min(0, steps(steps.last)))


@thin
def last_point(draw: Draw, quality: StepFunction | Sequence[Value], *, extended: bool = False) -> int:
    """T, the last point of a quality, or T′ of the extended one: neighbours have the same points."""
    last = as_steps(quality).last
    return power_of_2_from(last) if extended else last


@thin
def on_scales(
    draw: Draw,
    quality: StepFunction | Sequence[Value],
    *,
    zero: bool,
    scaled_at: tuple[ExactLike, Fraction],
    mechanism: Mechanism,
    **parameters: Any,
) -> Any:
    """The outcome of a mechanism on the quality of scales, for (promise, α) = `scaled_at`; it has the other parameters.

    Steps 2 to 6: see `extended_to_power` and `scale_quality`. Raises `InputError` for a promise that is not rational.
    """
    promise, alpha = rational_parameter(scaled_at[0], "promise"), scaled_at[1]
    return draw(mechanism, scale_quality(extended_to_power(quality, zero=zero), promise, alpha), **parameters)


def largest_in_blocks(quality: StepFunction | Sequence[Value], *, zero: bool, length: int, offset: int) -> StepFunction:
    """Block i ↦ the largest value on offset + i·length ≤ x < offset + (i + 1)·length of [0, T′], where there is one."""
    blocks = extended_to_power(quality, zero=zero).block_maxima(length, offset)
    assert blocks is not None, "there is a block"
    return blocks


def one_of_points(
    draw: Draw,
    quality: StepFunction | Sequence[Value],
    *,
    epsilon: Exact,
    zero: bool = True,
    points: Sequence[Run] | None = None,
) -> Distribution[int]:
    """One of some points of [0, T′] by the exponential mechanism, or of all of [0, T] for None."""
    if points is None:
        return of_levels(as_steps(quality).levels(), epsilon / 2)
    return of_levels(extended_to_power(quality, zero=zero).levels(union(points)), epsilon / 2)


def _promised(promise: ExactLike) -> Any:
    """A promise. Raises `InputError` for one that is not rational; of one that is not known, where it is used."""
    return promise if issubclass(type(promise), Sealed) else rational_parameter(promise, "promise")


def _plain(value: Value) -> Value:
    """A whole number as int, so that equal qualities have one form."""
    return int(value) if isinstance(value, Fraction) and value.denominator == 1 else value
