"""The generic label-private learner of Beimel, Nissim & Stemmer, and its semi-private form with public points."""

from collections.abc import Sequence
from math import ceil
from typing import Any

from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.learners.generic_learner import generic_learner
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive, whole
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.sanitizers.concepts import Example, Hypothesis, one_for_each_labelling, refuse_empty
from dpverify.mechanisms.selection.of_rows import on_some_rows


def label_private_learner(
    draw: object, sample: Sequence[Example], *, concepts: Sequence[Hypothesis], split: int, epsilon: ExactLike
) -> Distribution[Hypothesis]:
    """One concept for each way in which `concepts` label the points of the first `split` rows, chosen by the others.

    Source: Beimel, Nissim & Stemmer, journal version, Figure 13, where `split` is n: see `rows_for_points_alone`. The
    concept that stands for a labelling is the first. Changing a label is ε-private, replacing a row is not. Raises
    `InputError` for an empty sample, no concepts, ε ≤ 0, or a split that is not between 0 and the number of rows.
    """
    refuse_empty(sample)
    if whole(split, "split", 0) > len(sample):
        raise InputError(bad_input.MORE_THAN, f"split={split}", f"the {len(sample)} rows of the sample")
    # 2 to 4
    candidates = one_for_each_labelling(concepts, tuple(x for x, _ in sample[:split]))
    # 5
    return generic_learner(draw, sample[split:], hypotheses=candidates, epsilon=epsilon)


def semi_private_learner(
    draw: Draw,
    sample: Sequence[Example],
    *,
    unlabelled: Sequence[int],
    concepts: Sequence[Hypothesis],
    epsilon: ExactLike,
) -> Any:
    """As `label_private_learner`, with public points in place of the first rows: ε-private for all of the sample.

    Source: Beimel, Nissim & Stemmer, journal version, Section 6.2. Raises `InputError` for an empty sample, no
    concepts, or ε ≤ 0.
    """
    # 2 to 4
    candidates = one_for_each_labelling(concepts, unlabelled)
    # 5
    return draw(on_some_rows, sample, mechanism=generic_learner, hypotheses=candidates, epsilon=epsilon)


@sized(label_private_learner, semi_private_learner, name="unlabelled rows")
def rows_for_points_alone(*, vc: int, alpha: ExactLike, beta: ExactLike) -> int:
    """The least whole n ≥ (32/α)·(VC·ln(64/α) + ln(8/β)): step 2 of Figure 13. Raises `InputError` out of range."""
    a, b = open_unit(alpha, "alpha"), open_unit(beta, "beta")
    return ceil(32 / a * (whole(vc, "vc", 0) * log(64 / a) + log(8 / b)))


@sized(label_private_learner, semi_private_learner)
def rows_for_labels(*, vc: int, alpha: ExactLike, beta: ExactLike, epsilon: ExactLike) -> int:
    """The least whole m ≥ (768/(α²ε))·(VC·ln(64/α) + 2·ln(8/β)): the input of Figure 13.

    Raises `InputError` where a parameter is out of range.
    """
    a, b, eps = open_unit(alpha, "alpha"), open_unit(beta, "beta"), positive(epsilon, "epsilon")
    return ceil(768 / (a**2 * eps) * (whole(vc, "vc", 0) * log(64 / a) + 2 * log(8 / b)))
