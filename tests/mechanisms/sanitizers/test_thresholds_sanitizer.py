"""SanThresholds: against Figure 11 taken literally, point by point, and on large domains."""

import random
from bisect import bisect_left
from fractions import Fraction
from math import ceil, log2
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few, in_one

from dpverify.mechanisms import Draw, InputError, bounds, discrete_laplace, distribution, exact, exp, log, run, sqrt
from dpverify.mechanisms.counting import StepFunction
from dpverify.mechanisms.counting.logarithms import log_star
from dpverify.mechanisms.recursion import maximise_quasi_concave
from dpverify.mechanisms.sanitizers import sanitize_thresholds
from dpverify.mechanisms.sanitizers.sorted_points import most_within
from dpverify.mechanisms.sanitizers.thresholds_sanitizer import (
    epsilon_of_sanitized_thresholds,
    interval_counts,
    parts_of_sanitized_thresholds,
    rows_for_private_sanitized_thresholds,
    rows_for_sanitized_thresholds,
    threshold_scale_quality,
)
from dpverify.mechanisms.selection import Bottom, choose_by_stability, choose_by_stability_journal, choosing_mechanism
from dpverify.mechanisms.selection.choosing import rows_needed_journal
from dpverify.verifiers.divergence.output_tables.tabulation import same_distribution

GIVEN: dict[str, Any] = {"epsilon": Fraction(2), "delta": Fraction(1, 10)}
databases = st.lists(st.integers(0, 7), min_size=1, max_size=6).map(tuple)


class Figure11:
    """Figure 11, literally: recursive, with Ŝ and calls as global variables, and all intervals of the range."""

    def __init__(self, draw: Draw, s: tuple[int, ...], calls: int, alpha: Fraction, n: int, base: int) -> None:
        self.draw, self.s, self.calls, self.alpha, self.n, self.base = draw, s, calls, alpha, n, base
        self.copies: dict[int, Any] = {}

    def count(self, a: int, b: int) -> int:
        return sum(a <= x <= b for x in self.s)

    def execute(self, k: int, l: int) -> None:  # noqa: E741  # ℓ in the paper
        epsilon, m = GIVEN["epsilon"], len(self.s)
        if self.calls == 0:
            return
        self.calls -= 1
        estimate = self.count(k, l) + self.draw(discrete_laplace(1 / epsilon))
        if estimate < self.alpha * m / 8:
            self.copies[l] = estimate
            return
        a, b = self.interval(k, l)
        self.copies[b] = self.count(a, b) + self.draw(discrete_laplace(1 / epsilon))
        if a > k:
            self.execute(k, a - 1)
        if b < l:
            self.execute(b + 1, l)

    def interval(self, k: int, l: int) -> tuple[int, int]:  # noqa: E741  # ℓ in the paper
        epsilon, delta, m = GIVEN["epsilon"], GIVEN["delta"], len(self.s)
        big_t = 2 ** ceil(log2(l - k + 1))
        powers = range(int(log2(big_t)) + 1)
        big_i = [
            max(self.count(x, y) for x in range(k, l + 1) for y in range(x, min(x + 2**j - 1, l) + 1)) for j in powers
        ]
        q = [min(big_i[j] - self.alpha * m / 32, 3 * self.alpha * m / 32 - (big_i[j - 1] if j else 0)) for j in powers]
        z = self.draw(
            maximise_quasi_concave,
            StepFunction.of(q),
            promise=self.alpha * m / 32,
            alpha=Fraction(1, 4),
            epsilon=epsilon / (3 * self.n),
            delta=delta / (3 * self.n),
            depth=self.n,
            base=self.base,
            selection=choose_by_stability,
        )
        if z is Bottom.BOTTOM:
            return k, l
        if z == 0:
            among = [(x, x) for x in range(k, l + 1)]
        else:
            shift = 2**z
            starts = [*range(k, l + 1, 2 * shift), *range(k + shift, l + 1, 2 * shift)]
            among = [(x, min(x + 2 * shift - 1, l)) for x in starts]
        quality = {interval: self.count(*interval) for interval in among}
        chosen = self.draw(choosing_mechanism, quality, rows=m, alpha=self.alpha / 64, epsilon=epsilon)
        return (k, l) if chosen is Bottom.BOTTOM else chosen


def figure_11(
    draw: Draw, rows: tuple[int, ...], *, d: int, alpha: Fraction, calls: int, depth: int, base: int
) -> tuple[tuple[int, Any], ...]:
    state = Figure11(draw, rows, calls, alpha, depth, base)
    state.execute(0, 2**d - 1)
    return tuple((b, state.copies[b]) for b in sorted(state.copies) if state.copies[b] > 0)


@few(4, deep=120)
@given(databases, st.integers(1, 2), st.sampled_from([Fraction(1), Fraction(1, 3)]), st.sampled_from([2, 32]))
def test_san_thresholds_is_figure_11(rows: tuple[int, ...], calls: int, alpha: Fraction, base: int) -> None:
    given: dict[str, Any] = {"d": 3, "alpha": alpha, "calls": calls, "depth": 2, "base": base}
    ours = distribution(sanitize_thresholds, rows, selection=choose_by_stability, **GIVEN, **given)
    assert same_distribution(ours, distribution(figure_11, rows, **given))


@given(databases, st.integers(0, 4))
def test_the_densest_intervals(rows: tuple[int, ...], scales: int) -> None:
    points = sorted(rows)
    most = [max(sum(x <= y < x + 2**j for y in rows) for x in rows) for j in range(scales + 1)]
    assert most_within(points, scales) == most
    unit = Fraction(len(rows), 5)
    quality = threshold_scale_quality(points, scales, unit)
    assert [quality(j) for j in range(scales + 1)] == [
        min(most[j] - unit, 3 * unit - (most[j - 1] if j else 0)) for j in range(scales + 1)
    ]


def test_a_range_without_rows() -> None:
    assert most_within([], 2) == [0, 0, 0]
    assert interval_counts([], (4, 9), 1) == {(4, 7): 0}
    assert interval_counts([], (4, 4), 0) == {(4, 4): 0}


def test_intervals_are_trimmed_at_the_end_of_the_range() -> None:
    assert interval_counts([3, 8, 9], (3, 9), 1) == {(3, 6): 1, (7, 9): 2, (5, 8): 1, (9, 9): 1}
    # 2^z beyond the range: A₁ is all of it, and there is no B
    assert interval_counts([3, 8, 9], (3, 9), 5) == {(3, 9): 3}


def test_the_whole_range_stands_in_for_bottom() -> None:
    """Where RecConcave always ends in ⊥, all rows are counted at the last point, but for what is not positive."""

    def never(draw: Draw, quality: Any, *, epsilon: Any, delta: Any) -> Any:
        return Bottom.BOTTOM

    law = distribution(sanitize_thresholds, (0, 1), d=3, alpha=1, calls=4, depth=2, base=2, selection=never, **GIVEN)
    z = exp(-2)
    assert law.probability(((7, 2),)) == (1 - z**2 / (1 + z)) * (1 - z) / (1 + z)


def test_the_iterated_logarithm() -> None:
    assert [log_star(d) for d in (0, 1, 2, 3, 4, 5, 16, 17, 65536, 65537)] == [1, 1, 1, 2, 2, 3, 3, 4, 4, 5]


def test_epsilon_of_the_whole_and_of_its_parts() -> None:
    delta = Fraction(1, 200)
    assert epsilon_of_sanitized_thresholds(calls=2, epsilon=3, delta=delta) == sqrt(16 * log(100)) * 3 + 144
    eps, part = parts_of_sanitized_thresholds(calls=7, epsilon=2, delta=delta)
    assert part == delta / 35
    low, high = bounds(epsilon_of_sanitized_thresholds(calls=7, epsilon=eps, delta=part))
    assert abs(low - 2) < Fraction(1, 10**15)
    assert abs(high - 2) < Fraction(1, 10**15)
    with pytest.raises(InputError, match="must be less than 1"):
        epsilon_of_sanitized_thresholds(calls=200, epsilon=1, delta=delta)


def test_rows_that_the_lemmas_ask_for() -> None:
    given: dict[str, Any] = {"alpha": Fraction(1, 2), "beta": Fraction(1, 10), "epsilon": 1, "delta": Fraction(1, 10)}
    # log* 2 = 1, c = 154: 8·60·154·2·log₂(12·100) = 147,840·10.228818…
    assert rows_for_sanitized_thresholds(d=2, **given) == 1_512_229
    assert rows_for_sanitized_thresholds(d=2, calls=308, **given) == ceil(
        exact(2 * 8 * 60 * 154 * 2) * log(1200) / log(2)
    )
    private = rows_needed_journal(growth=2, alpha=Fraction(1, 128), beta="0.1", epsilon=1, delta="0.1")
    assert rows_for_private_sanitized_thresholds(**given) == private
    # αm/32 is the promise of RecConcave, and the corrected A_dist has a threshold above 2 for every ε
    large: dict[str, Any] = {"d": 64, "alpha": Fraction(1, 2), "beta": Fraction(1, 10), "epsilon": 10**9}
    large["delta"] = Fraction(1, 10**6)
    assert rows_for_sanitized_thresholds(selection=choose_by_stability_journal, **large) == 1
    assert rows_for_sanitized_thresholds(**large) == 87_382
    with pytest.raises(InputError, match=r"77/α = 154, below which Lemma 4\.12 claims nothing"):
        rows_for_sanitized_thresholds(d=2, calls=153, **given)


def test_a_distribution_function_of_two_to_the_64_points() -> None:
    source = random.Random(1)
    rows = tuple(sorted(int(source.gauss(0.5, 0.1) * 2**64) % 2**64 for _ in range(10_000)))
    found = run(
        sanitize_thresholds,
        rows,
        seed=1,
        d=64,
        alpha=Fraction(1, 2),
        epsilon=1,
        delta=Fraction(1, 10**8),
        calls=40,
        depth=1,
    )
    total = sum(copies for _, copies in found)
    below = 0
    for x, copies in found:
        assert abs(Fraction(bisect_left(rows, x), len(rows)) - Fraction(below, total)) < Fraction(1, 4)
        below += copies
    assert len(found) > 5


@in_one(
    "rows, changed, words",
    [
        ((), {}, "the database is empty"),
        ((0, 8), {}, "row 1: the point 8 is not a whole number from 0 to 7"),
        ((0,), {"alpha": 0}, "alpha=0"),
        ((0,), {"alpha": sqrt(2) / 2}, "is not rational"),
        ((0,), {"epsilon": 0}, "epsilon=0"),
        ((0,), {"delta": 0}, "delta=0"),
        ((0,), {"calls": 0}, "calls=0"),
        ((0,), {"depth": 0}, "depth=0"),
        ((0,), {"base": 0}, "base=0"),
    ],
)
def test_bad_input(rows: tuple[int, ...], changed: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        distribution(sanitize_thresholds, rows, **{"d": 3, "alpha": 1, "calls": 1, **GIVEN, **changed})
