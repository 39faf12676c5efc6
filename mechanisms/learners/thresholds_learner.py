"""The proper private learners of thresholds of Beimel, Nissim & Stemmer."""

from collections.abc import Sequence
from functools import partial
from math import ceil
from operator import itemgetter
from typing import Any

from dpverify.mechanisms.counting.logarithms import iterated_log, log2, log_star
from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.counting.step_functions import FEW, StepFunction, accumulated, counted_after
from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, as_parameter, exact
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive, whole
from dpverify.mechanisms.recursion.quasi_concave import (
    PRINTED_BASE,
    maximise_quasi_concave,
    maximise_quasi_concave_extended_abstract,
)
from dpverify.mechanisms.sanitizers.concepts import Example, Threshold, checked_sample
from dpverify.mechanisms.sanitizers.long_databases import numbers_of
from dpverify.mechanisms.selection.composition import advanced_composition_epsilon, epsilon_of_each
from dpverify.mechanisms.selection.of_rows import number_of_rows, on_quality
from dpverify.mechanisms.selection.stability import (
    choose_by_stability,
    choose_by_stability_extended_abstract,
    gap_needed,
)


def threshold_quality(sample: Sequence[Example], d: int) -> StepFunction:
    """The number of examples that c_j labels as they are labelled, for j on [0, 2^d]; the breaks are at x_i + 1.

    Raises `InputError`, naming the example, where one is not a pair of a point in [0, 2^d) and a label 0 or 1.
    """
    size = checked_sample(sample, d)
    # c_0 labels everything 0; when j passes x the label of x becomes 1
    if isinstance(sample, tuple | list) and len(sample) > FEW:
        points, labels = (list(map(itemgetter(place), sample)) for place in (0, 1))
        quality = counted_after(points, [2 * y - 1 for y in labels], labels.count(0), size)
        if quality is not None:
            return quality
    numbers = numbers_of(sample)  # samples are long, and of few different examples
    changes = ((x + 1, n if y else -n) for (x, y), n in numbers.items())
    return accumulated(changes, sum(n for (_, y), n in numbers.items() if not y), size)


def learn_thresholds(
    draw: Draw,
    sample: Sequence[Example],
    *,
    d: int,
    alpha: ExactLike,
    epsilon: ExactLike,
    delta: ExactLike,
    depth: int,
    base: int = PRINTED_BASE,
    selection: Mechanism = choose_by_stability,
) -> Any:
    """LearnThresholds: a threshold on [0, 2^d) that labels nearly all examples as they are labelled, or ⊥.

    Source: Beimel, Nissim & Stemmer, journal version, Section 3.4. `depth` is N, which the theorem takes from 1 to log*
    2^d; `base` and `selection` are as for `maximise_quasi_concave`. As printed it is given the (ε,δ) that it claims,
    and runs RecConcave at (ε/3N, δ/3N); the theorem holds with the corrected A_dist, and not with
    `choose_by_stability_journal`. Raises `InputError` for an empty sample, a bad example, or a parameter out of range.
    """
    # 1
    n = whole(depth, "depth", 1)
    a = as_parameter(open_unit(alpha, "alpha") / 2)
    eps, del_ = positive(epsilon, "epsilon") / (3 * n), open_unit(delta, "delta") / (3 * n)
    # 2 and 3
    k = draw(
        on_quality,
        sample,
        quality=partial(threshold_quality, d=d),
        mechanism=maximise_quasi_concave,
        promise=draw(number_of_rows, sample),
        alpha=a,
        epsilon=eps,
        delta=del_,
        depth=n,
        base=base,
        selection=selection,
    )
    # 4
    return Threshold(k) if isinstance(k, int) else k


def learn_thresholds_extended_abstract(
    draw: Draw,
    sample: Sequence[Example],
    *,
    d: int,
    alpha: ExactLike,
    epsilon: ExactLike,
    delta: ExactLike,
    base: int = PRINTED_BASE,
    selection: Mechanism = choose_by_stability_extended_abstract,
    from_the_end_of_a: bool = False,
) -> Any:
    """As `learn_thresholds`, with Rec: a threshold on [0, 2^d), or ⊥.

    Source: Beimel, Nissim & Stemmer, extended abstract, Theorem 2, which omits the details: Rec is run at the (ε,δ)
    with which Lemma 2 gives the one asked for, and at α/2. The other parameters are those of
    `maximise_quasi_concave_extended_abstract`. Raises `InputError` for an empty sample, a bad example, or a parameter
    out of range.
    """
    eps, del_ = parts_of_recursion_by_lemma_2(last=1 << whole(d, "d", 0), epsilon=epsilon, delta=delta)
    k = draw(
        on_quality,
        sample,
        quality=partial(threshold_quality, d=d),
        mechanism=maximise_quasi_concave_extended_abstract,
        promise=draw(number_of_rows, sample),
        alpha=as_parameter(open_unit(alpha, "alpha") / 2),
        epsilon=eps,
        delta=del_,
        base=base,
        selection=selection,
        from_the_end_of_a=from_the_end_of_a,
    )
    return Threshold(k) if isinstance(k, int) else k


@sized(learn_thresholds_extended_abstract, name="epsilon")
def epsilon_of_recursion_by_lemma_2(*, last: int, epsilon: ExactLike, delta: ExactLike) -> Exact:
    """sqrt(6L·ln(1/(Lδ)))·ε + 6Lε² with L = log* T, T = `last`, of Rec run at (ε,δ): the extended abstract's Lemma 2.

    With it Rec is said to be (that, 4Lδ)-private. Raises `InputError` unless ε > 0 and 0 < Lδ < 1.
    """
    stars = log_star(whole(last, "last", 1))
    failure = open_unit(stars * open_unit(delta, "delta"), "log* T·delta")
    return advanced_composition_epsilon(times=3 * stars, epsilon=epsilon, failure=failure)


@sized(learn_thresholds_extended_abstract, name="part")
def parts_of_recursion_by_lemma_2(*, last: int, epsilon: ExactLike, delta: ExactLike) -> tuple[Exact, Exact]:
    """The (ε,δ) with which Rec, T = `last`, is (ε,δ)-private by Lemma 2. Raises `InputError` out of range."""
    stars, d = log_star(whole(last, "last", 1)), open_unit(delta, "delta")
    return epsilon_of_each(times=3 * stars, epsilon=epsilon, failure=d / 4), d / (4 * stars)


@sized(learn_thresholds, name="promise")
def rows_for_promise(
    *,
    last: int,
    depth: int,
    alpha: ExactLike,
    beta: ExactLike,
    epsilon: ExactLike,
    delta: ExactLike,
    selection: Mechanism = choose_by_stability,
) -> int:
    """The least whole r ≥ 8^N·(36N/(αε))·(log(6N/(βδ)) + log log … log T, N times): Theorem 3.15(2).

    For RecConcave as a whole at (ε,δ), failing with probability at most β; log is to base 2, as in the steps of the
    algorithm. The proof of Lemma 3.14 makes 3αr/8 the gap of A_dist, with the α and the r of each execution, of which
    3αr/8^(N−1) is the least. Where that is less than the `gap_needed` of the A_dist in use, which it is for large ε and
    not for the printed one, r is raised to it. Raises `InputError` where a parameter is out of range.
    """
    n = whole(depth, "depth", 1)
    a, b = open_unit(alpha, "alpha"), open_unit(beta, "beta")
    eps, d = positive(epsilon, "epsilon"), open_unit(delta, "delta")
    r = exact(8) ** n * (36 * n / (a * eps)) * (log2(6 * n / (b * d)) + iterated_log(whole(last, "last", 1), n))
    if n == 1:  # runs no A_dist
        return ceil(r)
    gap = gap_needed(beta=b / (2 * n), epsilon=eps / (3 * n), delta=d / (3 * n), selection=selection)
    return max(ceil(r), ceil(exact(8) ** (n - 1) / (3 * a) * gap))


@sized(learn_thresholds)
def rows_for_thresholds(
    *,
    d: int,
    depth: int,
    alpha: ExactLike,
    beta: ExactLike,
    epsilon: ExactLike,
    delta: ExactLike,
    selection: Mechanism = choose_by_stability,
) -> int:
    """The least whole m for LearnThresholds by the proof of Theorem 3.18: both of its events, with T = 2^d.

    m ≥ (200/α²)·ln(4/(αβ)) and m ≥ 8^N·(72N/(αε))·(log(12N/(βδ)) + log log … log T, N times), log to base 2, and what
    `rows_for_promise` says of the A_dist in use. Raises `InputError` where a parameter is out of range.
    """
    a, b = open_unit(alpha, "alpha"), open_unit(beta, "beta")
    last = 1 << whole(d, "d", 0)
    return max(
        rows_to_generalise(alpha=a, beta=b),
        rows_for_promise(
            last=last, depth=depth, alpha=a / 2, beta=b / 2, epsilon=epsilon, delta=delta, selection=selection
        ),
    )


def rows_to_generalise(*, alpha: ExactLike, beta: ExactLike) -> int:
    """The least whole m ≥ (200/α²)·ln(4/(αβ)): Theorem 2.14 for VC = 1, at α/2 and β/2. Raises out of range."""
    a, b = open_unit(alpha, "alpha"), open_unit(beta, "beta")
    return ceil(200 / a**2 * log(4 / (a * b)))
