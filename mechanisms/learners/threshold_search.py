"""The learner of thresholds by noisy binary search that motivates RecConcave: a baseline, with its dependence on d."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any

from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.counting.step_functions import Run, StepFunction
from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.learners.thresholds_learner import threshold_quality
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.law import Noise
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive, whole
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.sanitizers.concepts import Example, Threshold, checked_sample
from dpverify.mechanisms.sanitizers.long_databases import remembered_of_tuple
from dpverify.mechanisms.selection.exponential_mechanism import exponential
from dpverify.mechanisms.selection.of_rows import noisy_number, number_of_rows, select_by_quality, to_return
from dpverify.mechanisms.selection.stability import choose_by_stability


def learn_thresholds_by_search(
    draw: Draw,
    sample: Sequence[Example],
    *,
    d: int,
    alpha: ExactLike,
    epsilon: ExactLike,
    delta: ExactLike,
    powers: bool,
    selection: Mechanism = choose_by_stability,
    noise: Noise = laplace,
) -> Any:
    """A threshold on [0, 2^d) that labels nearly all examples as they are labelled: the two attempts of Section 3.2.

    Source: Beimel, Nissim & Stemmer, journal version, Section 3.2 and Remark 3.5. The search is over the lengths J from
    0 to 2^d, or, with `powers`, over J = 2^j for 0 ≤ j ≤ d. The paper states neither how the privacy is divided nor a
    bound: here the search, the A_dist on each of the two partitions, and the choice among hypotheses have ε/4 each, and
    each A_dist, which is the corrected one and not the printed `choose_by_stability_journal`, δ/2. An interval [a, b]
    with b − a = J has J + 1 points, so that the partitions are into 2(J + 1) points; where no A_dist finds one, 0 and
    2^d are chosen from. Raises `InputError` for an empty sample, a bad example, or a parameter out of range.
    """
    size = 1 << whole(d, "d", 0)
    a, eps, del_ = open_unit(alpha, "alpha"), positive(epsilon, "epsilon") / 4, open_unit(delta, "delta") / 2

    def length_at(j: int) -> int:
        return 1 << j if powers else j

    # the least j with Q(J) "big enough": Q ≥ αm/4, and Q ≤ 3αm/4 before it, as long as no noise exceeds αm/4
    last = d if powers else size
    law = noise(comparisons(last) / eps)

    def noisy_quality(j: int) -> Any:
        return draw(noisy_number, sample, number=partial(most_of_both_labels, d=d, length=length_at(j)), noise=law)

    j = noisy_binary_search(noisy_quality, last, a * draw(number_of_rows, sample) / 2)
    length = length_at(j)
    # the partitions {A_i} and {B_i}, of which one holds the interval of that length
    chosen: list[Run] = []
    for offset in (0, length + 1):
        block = None
        if offset < size:
            blocks = partial(blocks_of_both_labels, d=d, length=2 * (length + 1), offset=offset)
            block = draw(select_by_quality, sample, quality=blocks, selection=selection, epsilon=eps, delta=del_)
        if isinstance(block, int):
            low = offset + block * 2 * (length + 1)
            chosen.append((low, min(low + 2 * length + 1, size - 1)))
    # the five hypotheses at the ends of the four equal parts of each
    hypotheses = sorted({low + i * (high + 1 - low) // 4 for low, high in chosen for i in range(5)}) or [0, size]
    return to_return(draw, one_of_thresholds, sample, d=d, thresholds=tuple(hypotheses), epsilon=eps)


def one_of_thresholds(
    draw: Draw, sample: Sequence[Example], *, d: int, thresholds: Sequence[int], epsilon: ExactLike
) -> Distribution[Threshold]:
    """One of some thresholds, by the exponential mechanism and how many examples it labels as they are labelled."""
    correct = threshold_quality(sample, d)
    return exponential({Threshold(j): correct(j) for j in thresholds}, epsilon)


def noisy_binary_search(noisy_quality: Callable[[int], Any], last: int, threshold: Exact) -> int:
    """A j on [0, last] where a quality that does not fall reaches the threshold, or nearly so; `last` if none does.

    Each comparison sees a quality with noise: with that of scale k/ε for a quality of sensitivity 1, where k are
    `comparisons`, which bound their number, all of them are ε-private.
    """
    low, high = -1, last
    while high - low > 1:
        middle = (low + high) // 2
        if noisy_quality(middle) >= threshold:
            high = middle
        else:
            low = middle
    return high


def comparisons(last: int) -> int:
    """The most comparisons that a binary search on [0, last] needs, at least 1: ⌈log₂(last + 1)⌉."""
    return max(1, last.bit_length())


@remembered_of_tuple
def _points_by_label(sample: Sequence[Example], d: int) -> tuple[Sequence[int], Sequence[int]]:
    """The points of label 0 and of label 1, in rising order. Raises `InputError` for a bad example."""
    checked_sample(sample, d)
    zeros, ones = (sorted(x for x, y in sample if y == label) for label in (0, 1))
    return zeros, ones


def most_of_both_labels(sample: Sequence[Example], *, d: int, length: int) -> int:
    """Q(J) of a sample: see `most_of_both`. Raises `InputError` for a bad example."""
    return most_of_both(*_points_by_label(sample, d), length)


def blocks_of_both_labels(sample: Sequence[Example], *, d: int, length: int, offset: int) -> StepFunction:
    """The same of blocks: see `blocks_of_both`; there is one. Raises `InputError` for a bad example."""
    blocks = blocks_of_both(*_points_by_label(sample, d), length, offset, 1 << d)
    assert blocks is not None, "there is a block"
    return blocks


def most_of_both(zeros: Sequence[int], ones: Sequence[int], length: int) -> int:
    """Q(J): the largest min(zeros, ones) in an interval [a, a + J], from the points of each label in rising order.

    The interval may reach beyond the ends of the domain, where nothing is counted.
    """

    def both(start: int) -> int:
        end = start + length
        return min(
            bisect_right(zeros, end) - bisect_left(zeros, start), bisect_right(ones, end) - bisect_left(ones, start)
        )

    return max((both(start) for start in (*zeros, *ones)), default=0)


def blocks_of_both(
    zeros: Sequence[int], ones: Sequence[int], length: int, offset: int, size: int
) -> StepFunction | None:
    """Block i ↦ min(zeros, ones) on offset + i·length ≤ x < offset + (i + 1)·length; None where there is no block."""
    if offset >= size:
        return None
    of_zeros, of_ones = (Counter((x - offset) // length for x in points if x >= offset) for points in (zeros, ones))
    last = (size - 1 - offset) // length
    pieces: dict[int, int] = {0: 0}
    for block in of_zeros.keys() & of_ones.keys():
        pieces[block] = min(of_zeros[block], of_ones[block])
        if block < last and block + 1 not in pieces:
            pieces[block + 1] = 0
    return StepFunction.of_pieces(sorted(pieces.items()), last)


@sized(learn_thresholds_by_search)
def rows_for_search(*, d: int, alpha: ExactLike, beta: ExactLike, epsilon: ExactLike, powers: bool) -> int:
    """The least whole m with which the search stays within αm/4 of Q with probability 1 − β: it grows with d, or log d.

    k comparisons with noise Lap(4k/ε): m ≥ (16k/(αε))·ln(k/β). For the search of `learn_thresholds_by_search` alone,
    derived here. Raises `InputError` where a parameter is out of range.
    """
    a, b, eps = open_unit(alpha, "alpha"), open_unit(beta, "beta"), positive(epsilon, "epsilon")
    k = comparisons(whole(d, "d", 0) if powers else 1 << whole(d, "d", 0))
    return ceil(Fraction(16 * k) / (a * eps) * log(k / b))
