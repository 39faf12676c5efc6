"""RecConcave and Rec: against their figures written down point by point, in the cases that the papers leave open, and
on ranges that nobody could list."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil, log2
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few, in_one

from dpverify.mechanisms import Distribution, Draw, InputError, bounds, distribution, exp, log, run
from dpverify.mechanisms.counting.logarithms import iterated_log
from dpverify.mechanisms.counting.step_functions import StepFunction
from dpverify.mechanisms.learners import learn_thresholds, learn_thresholds_extended_abstract
from dpverify.mechanisms.learners.thresholds_learner import (
    epsilon_of_recursion_by_lemma_2,
    parts_of_recursion_by_lemma_2,
    rows_for_promise,
    rows_for_thresholds,
    threshold_quality,
)
from dpverify.mechanisms.recursion import maximise_quasi_concave, maximise_quasi_concave_extended_abstract
from dpverify.mechanisms.recursion.quasi_concave import scale_quality
from dpverify.mechanisms.sanitizers import Threshold
from dpverify.mechanisms.selection import (
    Bottom,
    choose_by_stability,
    choose_by_stability_extended_abstract,
    choose_by_stability_journal,
)

GIVEN: dict[str, Any] = {"epsilon": Fraction(2), "delta": Fraction(1, 5)}


def exponential_choice(scores: dict[int, Any], epsilon: Fraction) -> Distribution[int]:
    return Distribution({x: exp(epsilon * score / 2) for x, score in scores.items()})


def largest_minima(listed: Sequence[Any]) -> list[Any]:
    """L(j) for 0 ≤ j ≤ log T′ + 1, with T′ + 1 values given."""
    scales = round(log2(len(listed) - 1))
    found = [max(min(listed[a : a + 2**j]) for a in range(len(listed) - 2**j + 1)) for j in range(scales + 1)]
    return [*found, min(0, found[-1])]


def figure_5(
    draw: Draw,
    listed: tuple[Any, ...],
    *,
    r: Any,
    alpha: Fraction,
    epsilon: Fraction,
    delta: Fraction,
    n: int,
    base: int,
    selection: Any,
) -> Any:
    """Figure 5 of the journal version, literally."""
    t = len(listed) - 1
    if t <= base or n == 1:
        return exponential_choice(dict(enumerate(listed)), epsilon)
    t_prime = 2 ** ceil(log2(t))
    q_of = (*listed, *[min(0, listed[t])] * (t_prime - t))
    big_l = largest_minima(q_of)
    q = tuple(min(big_l[j] - (1 - alpha) * r, r - big_l[j + 1]) for j in range(len(big_l) - 1))
    k = draw(
        figure_5,
        q,
        r=alpha / 2 * r,
        alpha=Fraction(1, 4),
        epsilon=epsilon,
        delta=delta,
        n=n - 1,
        base=base,
        selection=selection,
    )
    if k is Bottom.BOTTOM:
        return k
    length = 8 * 2**k
    chosen: set[int] = set()
    for offset in (0, length // 2):
        blocks = [range(a, min(a + length, t_prime + 1)) for a in range(offset, t_prime + 1, length)]
        if blocks:
            u = [max(q_of[x] for x in block) for block in blocks]
            got = draw(selection, u, epsilon=epsilon, delta=delta)
            if isinstance(got, int):
                chosen.update(blocks[got])
    return exponential_choice({x: q_of[x] for x in sorted(chosen)}, epsilon) if chosen else Bottom.BOTTOM


@few(10, deep=250)
@given(
    st.lists(st.integers(0, 6), min_size=4, max_size=18),
    st.integers(1, 6),
    st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(1, 5)]),
    st.sampled_from([2, 3]),
    st.sampled_from([2, 5]),
    st.sampled_from([choose_by_stability_journal, choose_by_stability, choose_by_stability_extended_abstract]),
)
def test_rec_concave_is_figure_5(
    listed: list[int], promise: int, alpha: Fraction, depth: int, base: int, selection: Any
) -> None:
    ours = distribution(
        maximise_quasi_concave,
        StepFunction.of(listed),
        promise=promise,
        alpha=alpha,
        depth=depth,
        base=base,
        selection=selection,
        **GIVEN,
    )
    theirs = distribution(
        figure_5, tuple(listed), r=promise, alpha=alpha, n=depth, base=base, selection=selection, **GIVEN
    )
    assert ours == theirs


def figure_1(
    draw: Draw,
    listed: tuple[Any, ...],
    *,
    r: Fraction,
    alpha: Fraction,
    epsilon: Fraction,
    delta: Fraction,
    base: int,
    selection: Any,
    printed: bool,
) -> Any:
    """Figure 1 of the extended abstract, literally; `printed` takes b, and not c, in step 10."""
    t = len(listed) - 1
    if t <= base:
        return exponential_choice(dict(enumerate(listed)), epsilon)
    t_prime = 2 ** ceil(log2(t))
    q_of = (*listed, *[0] * (t_prime - t))
    big_l = largest_minima(q_of)
    q = tuple(min(big_l[j] - (1 - alpha) * r, r - big_l[j + 1]) for j in range(len(big_l) - 1))
    given = {"epsilon": epsilon, "delta": delta, "selection": selection, "base": base, "printed": printed}
    k = draw(figure_1, q, r=alpha / 2 * r, alpha=alpha, **given)
    if isinstance(k, Bottom):
        return Bottom.BOTTOM
    length = 8 * 2**k
    found: list[range | None] = []
    for offset in (0, length // 2):
        blocks = [range(a, min(a + length, t_prime + 1)) for a in range(offset, t_prime + 1, length)]
        got = (
            draw(selection, [max(q_of[x] for x in b) for b in blocks], epsilon=epsilon, delta=delta) if blocks else None
        )
        found.append(blocks[got] if isinstance(got, int) else None)
    in_a, in_b = found
    starts = [] if in_a is None else [in_a[0], in_a[-1]] if printed else [in_a[0]]
    if not printed and in_b is not None:
        starts.append(in_b[0])
    step = max(1, 2**k // 2)
    h = sorted({start + i * step for start in starts for i in range(16)} & set(range(t_prime + 1)))
    return exponential_choice({x: q_of[x] for x in h}, epsilon) if h else Bottom.BOTTOM


@few(10, deep=250)
@given(
    st.lists(st.integers(0, 6), min_size=4, max_size=18),
    st.integers(1, 6),
    st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(1, 5)]),
    st.sampled_from([2, 5]),
    st.sampled_from([choose_by_stability_journal, choose_by_stability, choose_by_stability_extended_abstract]),
    st.booleans(),
)
def test_rec_is_figure_1(
    listed: list[int], promise: int, alpha: Fraction, base: int, selection: Any, printed: bool
) -> None:
    same: dict[str, Any] = {"alpha": alpha, "base": base, "selection": selection, **GIVEN}
    ours = distribution(
        maximise_quasi_concave_extended_abstract,
        StepFunction.of(listed),
        promise=promise,
        from_the_end_of_a=printed,
        **same,
    )
    assert ours == distribution(figure_1, tuple(listed), r=promise, printed=printed, **same)


@given(st.lists(st.integers(-3, 6), min_size=2, max_size=17), st.integers(1, 6), st.fractions(Fraction(1, 9), 1))
def test_the_quality_of_scales(listed: list[int], promise: int, alpha: Fraction) -> None:
    t_prime = 1 << (len(listed) - 2).bit_length() if len(listed) > 2 else 1
    padded = listed + [0] * (t_prime + 1 - len(listed))
    big_l = largest_minima(padded)
    found = scale_quality(StepFunction.of(padded), Fraction(promise), alpha)
    assert [found(j) for j in range(found.last + 1)] == [
        min(before - (1 - alpha) * promise, promise - after) for before, after in pairwise(big_l)
    ]


def test_the_number_of_scales_is_that_of_the_paper() -> None:
    for t in (2, 4, 8, 64):
        assert scale_quality(StepFunction.of([1] * (t + 1)), Fraction(1), Fraction(1, 2)).last == log2(t)


def never(draw: Draw, quality: Any, *, epsilon: Any, delta: Any) -> Any:
    """A selection that always answers ⊥."""
    return Bottom.BOTTOM


@pytest.mark.parametrize("mechanism", [maximise_quasi_concave, maximise_quasi_concave_extended_abstract])
def test_bottom_where_both_selections_give_none(mechanism: Any) -> None:
    quality = StepFunction.of([0, 1, 2, 3, 2, 1, 0, 0, 0])
    law = distribution(mechanism, quality, promise=3, alpha=Fraction(1, 2), base=3, selection=never, **GIVEN)
    assert law.probability(Bottom.BOTTOM) == 1
    deep = StepFunction.of([min(x, 40 - x) for x in range(41)])
    law = distribution(mechanism, deep, promise=20, alpha=Fraction(1, 2), base=2, selection=never, **GIVEN)
    assert law.probability(Bottom.BOTTOM) == 1


@in_one("block", [99, -1, True])
@in_one("mechanism", [maximise_quasi_concave, maximise_quasi_concave_extended_abstract])
def test_a_selection_that_chooses_no_interval(mechanism: Any, block: Any) -> None:
    def selection(draw: Draw, quality: Any, *, epsilon: Any, delta: Any) -> Any:
        return block

    with pytest.raises(InputError, match="which is none of the 1 intervals"):
        distribution(mechanism, (0, 1, 2, 1, 0), promise=2, alpha=Fraction(1, 2), base=2, selection=selection, **GIVEN)


@few(10, deep=200)
@given(
    st.lists(st.integers(-4, 4) | st.fractions(-2, 2, max_denominator=3), min_size=4, max_size=12),
    st.sampled_from([0, -2, Fraction(7, 3), 10]),
    st.sampled_from([None, 2]),
)
def test_negative_and_fractional_qualities_and_promises(listed: list[Any], promise: Any, depth: int | None) -> None:
    """Without a bound on the depth it goes on until the range is at most the base."""
    given: dict[str, Any] = {"alpha": Fraction(1, 3), "base": 2, "selection": choose_by_stability, **GIVEN}
    ours = distribution(maximise_quasi_concave, tuple(listed), promise=promise, depth=depth, **given)
    theirs = distribution(figure_5, tuple(listed), r=promise, n=99 if depth is None else depth, **given)
    assert ours == theirs


def test_no_b_intervals() -> None:
    """Where 4K > T′ there is no B, and A = [0, T′] is the only interval, whose gap is infinite."""
    quality = StepFunction.of([1, 1, 1, 1, 1])
    law = distribution(
        maximise_quasi_concave, quality, promise=1, alpha=Fraction(1, 2), base=2, selection=choose_by_stability, **GIVEN
    )
    assert law.probability(Bottom.BOTTOM) == 0
    assert law.probability(*range(5)) == 1


def test_an_index_beyond_the_range_as_printed() -> None:
    law = distribution(
        maximise_quasi_concave,
        StepFunction.of([0, 0, 0, 1, 0]).extended(5, 0),
        promise=1,
        alpha=Fraction(1),
        base=2,
        **GIVEN,
    )
    assert law.probability(6, 7, 8) > 0


@pytest.mark.parametrize("from_the_end_of_a", [True, False])
def test_rec_chooses_among_the_points_of_its_step_10(from_the_end_of_a: bool) -> None:
    """One peak, at 50 of [0, 64]: K = 1 nearly always, A = [48, 55], B = [44, 51]."""
    peak = StepFunction.of([100 if x == 50 else 0 for x in range(65)])
    law = distribution(
        maximise_quasi_concave_extended_abstract,
        peak,
        promise=100,
        alpha=Fraction(1, 2),
        from_the_end_of_a=from_the_end_of_a,
        base=32,
        **GIVEN,
    )
    likely = {x for x, p in law.probabilities.items() if p > Fraction(1, 10**20)}
    assert likely == {50} if from_the_end_of_a else 50 in likely


def test_rec_as_printed_misses_what_b_alone_holds() -> None:
    """Peaks of one height in two A intervals, both in one B: A gives ⊥, and H has no point of B but in the correction."""
    twin = StepFunction.of([100 if x in (47, 48) else 0 for x in range(65)])
    given: dict[str, Any] = {
        "promise": 100,
        "alpha": Fraction(1, 2),
        "epsilon": Fraction(2),
        "delta": Fraction(1, 10**6),
    }
    printed = distribution(maximise_quasi_concave_extended_abstract, twin, from_the_end_of_a=True, **given)
    corrected = distribution(maximise_quasi_concave_extended_abstract, twin, **given)
    assert printed.probability(47, 48) < Fraction(1, 1000)
    assert corrected.probability(47, 48) > Fraction(99, 100)


def test_rec_concave_on_a_range_of_two_to_the_1024() -> None:
    rows = [(x * 7919 * 2**1000 + 1) % 2**1024 for x in range(2000)]
    at = 2**1023 + 12345
    quality = threshold_quality(tuple((x, int(x < at)) for x in rows), 1024)
    assert max(quality.values) == 2000
    found = run(
        maximise_quasi_concave,
        quality,
        seed=3,
        promise=2000,
        alpha=Fraction(1, 10),
        epsilon=1,
        delta=Fraction(1, 10**6),
        depth=3,
    )
    assert isinstance(found, int)
    assert quality(found) >= 1800


@in_one(
    "given, words",
    [
        ({"alpha": 0}, "alpha=0"),
        ({"alpha": 2}, "alpha=2"),
        ({"depth": 0}, "depth=0"),
        ({"base": 0}, "base=0"),
        ({"delta": 0}, "delta=0"),
        ({"epsilon": -1}, "epsilon=-1"),
        ({"promise": exp(1)}, "promise=e"),
    ],
)
def test_bad_input(given: dict[str, Any], words: str) -> None:
    quality = StepFunction.of([0, 1, 2, 1, 0])
    for mechanism in (
        (maximise_quasi_concave, maximise_quasi_concave_extended_abstract)
        if "depth" not in given
        else (maximise_quasi_concave,)
    ):  # Rec has no bound on its depth
        with pytest.raises(InputError, match=words):
            distribution(mechanism, quality, **{"promise": 2, "alpha": Fraction(1, 2), **GIVEN, **given})


# LearnThresholds.
examples = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 1)), min_size=1, max_size=6)


@given(examples)
def test_the_quality_of_thresholds(sample: list[tuple[int, int]]) -> None:
    quality = threshold_quality(sample, 3)
    assert [quality(j) for j in range(9)] == [sum(int(x < j) == y for x, y in sample) for j in range(9)]


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        ((), "empty"),
        (((1, 0), (9, 1)), "row 1: the point 9"),
        (((1, 2),), "row 0, with the label 2, is not labelled 0 or 1"),
        ((3,), "row 0, 3, is not an example"),
        (((1, True),), "the label True"),
    ],
)
def test_samples_that_are_refused(sample: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        distribution(learn_thresholds, sample, d=3, alpha=Fraction(1, 2), depth=2, **GIVEN)


def test_learn_thresholds_is_rec_concave_at_its_share_of_the_budget() -> None:
    sample = ((1, 1), (2, 1), (5, 0))
    learned = distribution(learn_thresholds, sample, d=3, alpha=Fraction(1, 2), depth=2, base=3, **GIVEN)
    chosen = distribution(
        maximise_quasi_concave,
        threshold_quality(sample, 3),
        promise=3,
        alpha=Fraction(1, 4),
        depth=2,
        base=3,
        epsilon=GIVEN["epsilon"] / 6,
        delta=GIVEN["delta"] / 6,
    )
    by_index = {getattr(h, "j", h): p for h, p in learned.probabilities.items()}
    assert by_index == dict(chosen.probabilities)


def test_a_threshold_in_a_large_sample() -> None:
    sample = tuple((x, int(x < 2**63)) for x in ((i * 0x9E3779B97F4A7C15) % 2**64 for i in range(3000)))
    learned = run(
        learn_thresholds, sample, seed=5, d=64, alpha=Fraction(1, 10), epsilon=6, delta=Fraction(1, 10**5), depth=2
    )
    assert sum(learned(x) == y for x, y in sample) >= 2850


def test_rows_that_the_theorems_ask_for() -> None:
    assert [iterated_log(2**64, n) for n in (1, 2)] == [64, 6]
    assert iterated_log(2**64, 3) == log(6) / log(2)
    assert iterated_log(2, 5) == 0
    asked: dict[str, Any] = {"alpha": "0.1", "beta": "0.1", "epsilon": 1, "delta": "1e-6"}
    assert rows_for_promise(last=1000, depth=1, **asked) == 103117
    assert rows_for_promise(last=1000, depth=2, **asked) == 1389563
    assert rows_for_thresholds(d=100, depth=2, **asked) == 3177891
    # for a large ε the corrected A_dist, by its threshold, needs (64/(3α))·2 at N = 3, and the printed one does not
    large: dict[str, Any] = {"last": 1 << 20, "depth": 3, "alpha": Fraction(1, 2), "epsilon": 10**6}
    large |= {"beta": Fraction(3, 4), "delta": Fraction(1, 10**6)}
    assert rows_for_promise(selection=choose_by_stability_journal, **large) == 3
    assert rows_for_promise(**large) == 86
    with pytest.raises(InputError, match="last=0"):
        rows_for_promise(last=0, depth=1, **asked)
    given: dict[str, Any] = {
        "alpha": Fraction(1, 10),
        "beta": Fraction(1, 10),
        "epsilon": 1,
        "delta": Fraction(1, 10**6),
    }
    # 8·(36·1/(1/10))·(log2(6·10^7) + 10), by hand: log2(6e7) = 25.84
    assert rows_for_promise(last=1024, depth=1, **given) == ceil(8 * 360 * (log2(6e7) + 10))
    assert rows_for_thresholds(d=64, depth=2, **given) == ceil(64 * 72 * 2 * 10 * (log2(24e7) + 6))
    with pytest.raises(InputError, match="beta=1"):
        rows_for_promise(last=1024, depth=1, **{**given, "beta": 1})


def test_thresholds_by_rec_run_rec_as_lemma_2_asks() -> None:
    sample = ((2, 1), (5, 0), (5, 0))
    asked: dict[str, Any] = {"epsilon": 3, "delta": Fraction(1, 10)}
    eps, delta = parts_of_recursion_by_lemma_2(last=8, **asked)
    low, high = bounds(epsilon_of_recursion_by_lemma_2(last=8, epsilon=eps, delta=delta))
    assert max(abs(low - 3), abs(high - 3)) < Fraction(1, 10**15)
    assert delta == Fraction(1, 10) / 12  # log* 8 = 3
    ours = distribution(learn_thresholds_extended_abstract, sample, d=3, alpha=Fraction(1, 2), base=3, **asked)
    quality = threshold_quality(sample, 3)
    law = distribution(
        maximise_quasi_concave_extended_abstract,
        quality,
        promise=3,
        alpha=Fraction(1, 4),
        base=3,
        epsilon=eps,
        delta=delta,
    )
    assert all(ours.probability(Threshold(j)) == law.probability(j) for j in range(9))
    assert ours.probability(Bottom.BOTTOM) == law.probability(Bottom.BOTTOM)
    with pytest.raises(InputError, match="must be less than 1"):
        epsilon_of_recursion_by_lemma_2(last=64, epsilon=1, delta=Fraction(1, 4))
