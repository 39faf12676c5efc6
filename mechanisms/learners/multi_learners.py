"""Learners of k concepts at once, of Bun, Nissim & Stemmer: the direct sum, the generic one, and the one for points.

A row is (x, labels), where bit j of `labels` is its label for concept j.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.functions.thin import thin
from dpverify.mechanisms.learners.generic_learner import generic_learner
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive, rational_parameter, share, whole
from dpverify.mechanisms.sanitizers.concepts import (
    AllZero,
    Hypothesis,
    Point,
    one_for_each_labelling,
    refuse_empty,
    refuse_no_concepts,
)
from dpverify.mechanisms.sanitizers.points_sanitizer import Estimates
from dpverify.mechanisms.sanitizers.stable_histogram import stable_histogram
from dpverify.mechanisms.selection.of_rows import select_by_quality
from dpverify.mechanisms.selection.stability import choose_by_stability

Row = tuple[int, int]


def column(rows: Sequence[Row], j: int) -> tuple[Row, ...]:
    """The examples with their label for concept j alone."""
    return tuple((x, labels >> j & 1) for x, labels in rows)


def direct_sum(draw: Draw, rows: Sequence[Row], *, k: int, learner: Mechanism) -> tuple[Any, ...]:
    """The hypotheses that a learner of one concept gives for each of k columns: as private as k runs of it together.

    Source: Bun, Nissim & Stemmer, Observation 3.2. Raises `InputError` for an empty sample, labels beyond k bits, or
    k < 1.
    """
    return tuple(draw(on_column, rows, j=j, k=k, mechanism=learner) for j in range(whole(k, "k", 1)))


@thin
def on_column(draw: Draw, rows: Sequence[Row], *, j: int, k: int, mechanism: Mechanism, **parameters: Any) -> Any:
    """The outcome of a mechanism on the examples with their label for concept j of k; it has the other parameters.

    Raises `InputError` for an empty sample, or labels beyond k bits.
    """
    _check_labels(rows, k)
    return draw(mechanism, column(rows, j), **parameters)


@thin
def on_points(draw: Draw, rows: Sequence[Row], *, k: int, mechanism: Mechanism, **parameters: Any) -> Any:
    """The outcome of a mechanism on the points of the rows, without labels; the rest is as for `on_column`."""
    _check_labels(rows, k)
    return draw(mechanism, tuple(x for x, _ in rows), **parameters)


def learn_many(
    draw: Draw, rows: Sequence[Row], *, k: int, concepts: Sequence[Hypothesis], sanitizer: Mechanism, epsilon: ExactLike
) -> tuple[Hypothesis, ...]:
    """The generic k-learner: for each column a concept, among one for each way to label the sanitized points.

    Source: Bun, Nissim & Stemmer, Algorithm 2 and Lemma 3.7. `sanitizer` gives a tuple of points for the points of the
    rows, and is one for {f ⊕ g : f, g in C}; `epsilon` is the ε′ of each of k choices by the exponential mechanism.
    Raises `InputError` for an empty sample, labels beyond k bits, no concepts, or a parameter out of range.
    """
    whole(k, "k", 1)
    refuse_no_concepts(concepts)
    # 1 to 4
    candidates = one_for_each_labelling(concepts, draw(on_points, rows, k=k, mechanism=sanitizer))
    # 5
    of_column: dict[str, Any] = {"mechanism": generic_learner, "hypotheses": candidates, "epsilon": epsilon}
    return tuple(draw(on_column, rows, j=j, k=k, **of_column) for j in range(k))


def learn_many_points(
    draw: Draw,
    rows: Sequence[Row],
    *,
    d: int,
    k: int,
    alpha: ExactLike,
    epsilon: ExactLike,
    delta: ExactLike,
    sanitizer: Mechanism = stable_histogram,
    selection: Mechanism = choose_by_stability,
) -> tuple[Point | AllZero, ...]:
    """The k-learner of points: a `Point` of [0, 2^d), or the concept that is 0, for each column.

    Source: Bun, Nissim & Stemmer, Algorithm 5 and Theorem 3.13, where a point is heavy from an estimate of α/2 on. Both
    parts are run at (ε,δ), so that it is said to be (2ε,2δ)-private: it is with the corrected A_dist, and not with the
    printed one (`selection=choose_by_stability_journal`). Where A_dist gives ⊥, all concepts are 0. Raises `InputError`
    for an empty sample, a bad row, or a parameter out of range.
    """
    whole(k, "k", 1)
    half = rational_parameter(share(alpha, "alpha"), "alpha") / 2
    given: dict[str, Any] = {"epsilon": positive(epsilon, "epsilon"), "delta": open_unit(delta, "delta")}
    # 1 and 2
    heavy = heavy_points(draw(on_points, rows, k=k, mechanism=sanitizer, d=d, **given), half)
    # 3 and 4
    quality = partial(rows_with_vectors, heavy=heavy, k=k)
    chosen = draw(select_by_quality, rows, quality=quality, selection=selection, **given)
    vectors = chosen if isinstance(chosen, tuple) else (0,) * len(heavy)
    # 5 and 6
    labelled = tuple(zip(heavy, vectors, strict=True))
    return tuple(next((Point(x) for x, v in labelled if v >> j & 1), AllZero()) for j in range(k))


def heavy_points(estimates: Estimates, least: Fraction) -> tuple[int, ...]:
    """The points with an estimate of at least `least`, in rising order."""
    return tuple(x for x, estimate in estimates if estimate >= least)


def rows_with_vectors(rows: Sequence[Row], *, heavy: Sequence[int], k: int) -> dict[tuple[int, ...], int]:
    """The two best choices of a vector of labels for each heavy point → the least number of rows (x, its vector).

    Raises `InputError` for an empty sample, or labels beyond k bits.
    """
    _check_labels(rows, k)
    best, best_score, second, second_score = _two_best(rows, heavy)
    return {best: best_score} if second is None else {best: best_score, second: second_score}


def _two_best(rows: Sequence[Row], heavy: Sequence[int]) -> tuple[tuple[int, ...], int, tuple[int, ...] | None, int]:
    """The best choice of a vector of labels for each heavy point, the next best, and the qualities of both.

    The quality of a choice is the least number of rows (x, its vector) over the heavy points x: the next best differs
    in one point, where it has the next best vector. There is no other choice where no point is heavy.
    """
    count = Counter(rows)
    top = [_two_most_frequent(count, x) for x in heavy]
    best = tuple(first for (first, _), _ in top)
    scores = [number for (_, number), _ in top]
    if not heavy:
        return best, len(rows), None, 0
    changes = [(min([number, *scores[:i], *scores[i + 1 :]]), i, vector) for i, (_, (vector, number)) in enumerate(top)]
    score, i, vector = max(changes, key=lambda change: change[0])
    return best, min(scores), (*best[:i], vector, *best[i + 1 :]), score


def _two_most_frequent(count: Counter[Row], x: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """The two most frequent vectors of labels of x, with how often they occur; ties, and absent ones, from 0 on."""
    seen = {labels: number for (point, labels), number in count.items() if point == x}
    candidates = sorted({*seen, 0, 1}, key=lambda labels: (-seen.get(labels, 0), labels))
    first, second = candidates[:2]
    return (first, seen.get(first, 0)), (second, seen.get(second, 0))


def _check_labels(rows: Sequence[Row], k: int) -> None:
    refuse_empty(rows)
    for i, row in enumerate(rows):
        if not isinstance(row, tuple) or len(row) != 2 or type(row[1]) is not int or not 0 <= row[1] < 1 << k:
            raise InputError(bad_input.ROW, i, repr(row), f"a point with labels of {k} bits", "(x, labels)")
