"""The proper private learner of points of Beimel, Nissim & Stemmer, and its variant that may answer "none"."""

from collections.abc import Sequence
from functools import partial
from math import ceil
from typing import Any

from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.counting.step_functions import StepFunction, accumulated
from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive
from dpverify.mechanisms.outputs.distributions import uniform
from dpverify.mechanisms.sanitizers.concepts import AllZero, Example, Point, checked_sample, refuse_empty
from dpverify.mechanisms.sanitizers.long_databases import numbers_of
from dpverify.mechanisms.selection.of_rows import select_by_quality
from dpverify.mechanisms.selection.stability import choose_by_stability, gap_needed


def point_quality(sample: Sequence[Example], d: int) -> StepFunction:
    """The times that (x, 1) occurs, for x on [0, 2^d).

    Raises `InputError` for an empty sample, and, naming the row, for a bad one.
    """
    refuse_empty(sample)
    size = checked_sample(sample, d)
    numbers = numbers_of(sample).items()  # samples are long, and of few different examples
    changes = (change for (x, y), n in numbers if y for change in ((x, n), (x + 1, -n)))
    return accumulated(changes, 0, size - 1)


def learn_points(
    draw: Draw,
    sample: Sequence[Example],
    *,
    d: int,
    epsilon: ExactLike,
    delta: ExactLike,
    selection: Mechanism = choose_by_stability,
) -> Any:
    """A `Point` of [0, 2^d) that labels nearly all examples as they are labelled, where there is one.

    Source: Beimel, Nissim & Stemmer, journal version, Section 3.1. `selection` is the A_dist in use: the corrected one,
    with which this is (ε,δ)-private as Lemma 3.2 claims, and not the printed `choose_by_stability_journal`, with which
    it is not. Raises `InputError` for an empty sample, a bad example, or a parameter out of range.
    """
    found = draw(learn_points_or_none, sample, d=d, epsilon=epsilon, delta=delta, selection=selection)
    # 4
    return Point(draw(uniform(range(1 << d)))) if isinstance(found, AllZero) else found


def learn_points_or_none(
    draw: Draw,
    sample: Sequence[Example],
    *,
    d: int,
    epsilon: ExactLike,
    delta: ExactLike,
    selection: Mechanism = choose_by_stability,
) -> Any:
    """Steps 1 to 3 of `learn_points`, with the all-zero concept in place of a random one: Remark 3.3."""
    eps, del_ = positive(epsilon, "epsilon"), open_unit(delta, "delta")
    # 1 and 2
    j = draw(
        select_by_quality, sample, quality=partial(point_quality, d=d), selection=selection, epsilon=eps, delta=del_
    )
    # 3
    return Point(j) if isinstance(j, int) else AllZero()


@sized(learn_points, learn_points_or_none)
def rows_for_points(
    *,
    alpha: ExactLike,
    beta: ExactLike,
    epsilon: ExactLike,
    delta: ExactLike,
    selection: Mechanism = choose_by_stability,
) -> int:
    """The least whole m ≥ (8/(αε))·ln(4/(βδ)) and ≥ (8/α)·ln(2/β), as the proof of Lemma 3.2 uses it.

    The proof makes αm/2 the gap that A_dist needs but for β/2. The printed one needs less than that; for another
    `selection` m is at least (2/α)·`gap_needed`, which is more for large ε alone. Raises `InputError` where a parameter
    is out of range.
    """
    a, b = open_unit(alpha, "alpha"), open_unit(beta, "beta")
    eps, d = positive(epsilon, "epsilon"), open_unit(delta, "delta")
    of_gap = 2 / a * gap_needed(beta=b / 2, epsilon=eps, delta=d, selection=selection)
    return max(ceil(8 / (a * eps) * log(4 / (b * d))), ceil(8 / a * log(2 / b)), ceil(of_gap))
