"""PrivLearn: its synopses, its law on tiny tables, its printed numbers, and what fails as printed."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil
from math import log as ln
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import Distribution, Draw, InputError, distribution, exp, run, uniform
from dpverify.mechanisms.drawing import debugging
from dpverify.mechanisms.release import ThresholdOracle, release_by_learning, release_sizes, threshold_answers
from dpverify.mechanisms.release.private_release import (
    Constant,
    FewestErrors,
    Synopsis,
    SynopsisAsPrinted,
    rows_of_the_small_database,
    thresholds_for,
)
from dpverify.mechanisms.release.threshold_oracle import epsilon_of_a_query
from dpverify.mechanisms.selection import Bottom

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Labels:
    of: tuple[int, ...]

    def __call__(self, q: int) -> int:
        return self.of[q]


def is_0(row: int) -> int:
    return int(row == 0)


EVERY_LABELLING = FewestErrors(tuple(map(Labels, product((0, 1), repeat=2))))
GIVEN: dict[str, Any] = {
    "queries": uniform((0, 1)),
    "predicate": lambda q, row: int(row <= q),
    "learner": EVERY_LABELLING,
    "alpha": 1,
    "beta": HALF,
    "gamma": HALF,
    "epsilon": 1,
    "samples": 1,
}


def perfect(f: Fraction, k: int) -> tuple[Labels, ...]:
    """h_1, …, h_k without an error, about a single query."""
    return tuple(Labels((int(f >= Fraction(i, k + 1)),)) for i in range(1, k + 1))


@given(st.fractions(0, 1, max_denominator=60), st.integers(1, 40))
def test_a_synopsis_of_perfect_hypotheses_is_the_threshold_below(f: Fraction, k: int) -> None:
    assert Synopsis(perfect(f, k))(0) == min(Fraction(int(f * (k + 1)), k + 1), Fraction(k, k + 1))


@given(st.fractions(0, 1, max_denominator=60), st.integers(3, 30), st.data())
def test_one_wrong_hypothesis_next_to_the_share_costs_one_step(f: Fraction, k: int, data: st.DataObject) -> None:
    near = [i for i in range(1, k + 1) if abs(f - Fraction(i, k + 1)) < Fraction(1, k + 1)]
    wrong = data.draw(st.sampled_from(near)) if near else 0
    labels = [h.of[0] ^ (i == wrong) for i, h in enumerate(perfect(f, k), 1)]
    assert abs(Synopsis(tuple(Labels((label,)) for label in labels))(0) - f) <= Fraction(2, k + 1)


def test_step_4_as_printed_is_wrong_even_with_perfect_hypotheses() -> None:
    """f = 1 reads 1/(k + 1), and f = 0 reads 1."""
    assert SynopsisAsPrinted(perfect(Fraction(1), 30))(0) == Fraction(1, 31)
    assert SynopsisAsPrinted(perfect(Fraction(0), 30))(0) == 1


def test_figure_1_has_no_answers_left_where_theorem_4_10_needs_them() -> None:
    """b_total = 2·b_iter calls are spent after two thresholds; Lemma 4.1 counts predicates."""
    asked: dict[str, Any] = {
        "queries": ((is_0, "1/4"), (is_0, "1/2"), (is_0, "3/4")),
        "alpha": Fraction(1, 7),
        "epsilon": 10**6,
    }
    printed = distribution(threshold_answers, (0, 0, 0, 0), bound=2, **asked)
    assert {answers[2] for answers in printed} == {Bottom.BOTTOM}
    assert run(threshold_answers, (0, 0, 0, 0), seed=1, bound=2, distinct=True, **asked) == (1, 1, 1)


def test_distinct_predicates_beyond_the_bound_have_no_answer_and_known_ones_have() -> None:
    def asks(draw: Draw, rows: Sequence[int]) -> Any:
        oracle = ThresholdOracle(draw, rows, alpha=Fraction(1, 100), bound=1, epsilon=10**6, distinct=True)
        first = oracle(is_0, HALF)
        return first, oracle.has_ended, oracle(abs, HALF), oracle(is_0, Fraction(1, 4))

    assert run(asks, (0, 0, 0, 1), seed=1) == (1, True, Bottom.BOTTOM, 1)


def test_two_thresholds_can_be_within_a_seventh_of_alpha() -> None:
    """Claim 4.9 rests on thresholds α/3 apart; 1/(k + 1) is less, and at α = 2/5 even less than 2α/7."""
    alpha = Fraction(2, 5)
    k = thresholds_for(alpha)
    assert k == 8
    between = Fraction(9, 2) / (k + 1)
    near = [i for i in range(1, k + 1) if abs(between - Fraction(i, k + 1)) < alpha / 7]
    assert near == [4, 5]


@given(st.fractions(Fraction(1, 100), 1, max_denominator=1000))
def test_from_which_alpha_on_one_threshold_is_near(alpha: Fraction) -> None:
    apart = Fraction(1, thresholds_for(alpha) + 1)
    assert apart < alpha / 3
    if alpha <= Fraction(1, 4):
        assert apart >= 2 * alpha / 7


def test_the_law_of_one_sample_by_hand() -> None:
    """Rows (0, 0): the share of q = 0 and q = 1 is 1, the count 2, the noise Lap(2·3·1) on counts.

    The oracle's margin is 2/21 of 2 rows, and the answer 1 from 2·(t + 2/21) on: with x = 2 + noise for the sampled
    query, x ≥ 2·(3/4 + 2/21) gives the label 1 three times. Of the labellings with fewest errors the first is taken,
    which gives 0 to the other query.
    """
    law = distribution(release_by_learning, (0, 0), **GIVEN)
    always = Synopsis((Labels((1, 0)),) * 3)
    noise_at_least = 1 - exp(-(2 - 2 * (Fraction(3, 4) + Fraction(2, 21))) / 6) / 2  # Pr[Lap(6) ≥ −(2 − …)]
    assert law.probability(always) == noise_at_least / 2  # q = 0 was sampled
    near_the_middle = law.probability(Constant(HALF))
    low, high = 2 * (HALF - Fraction(2, 21)) - 2, 2 * (HALF + Fraction(2, 21)) - 2  # both below 0
    assert near_the_middle == exp(Fraction(high, 6)) / 2 - exp(Fraction(low, 6)) / 2


def test_evaluation_queries_are_weighted_and_counted() -> None:
    told: list[Any] = []

    def asks(draw: Draw, examples: Any, ask: Any, /, **given: Any) -> Labels:
        told.append((ask(0), ask(1), ask(0), given["t"], given["gamma"], given["n"]))
        return Labels((0, 0))

    given_here = GIVEN | {"learner": asks, "epsilon": 10**6, "queries": Distribution({0: 1, 1: 3}), "samples": 2}
    found = run(release_by_learning, (0, 1, 1, 1, 1, 1, 1, 1), seed=1, **given_here, bound=5)
    ((zero, one, again, t, gamma, n),) = told
    assert found == Constant(HALF)  # two samples and three evaluations were all: none at t = 1/2 has an answer
    assert zero == again == (Fraction(1, 4), 0)
    assert one == (Fraction(3, 4), 1)
    assert t == Fraction(1, 4)
    assert gamma == Fraction(1, 6)
    assert n == rows_of_the_small_database(2, 1)


def test_without_evaluation_access_nothing_is_told_to_a_learner_that_asks() -> None:
    told: list[Any] = []

    def asks(draw: Draw, examples: Any, ask: Any, /, **given: Any) -> Labels:
        told.append(ask(0))
        return Labels((0, 0))

    run(release_by_learning, (0, 0), seed=1, **GIVEN | {"learner": asks, "epsilon": 10**6, "evaluation": False})
    assert told == [(0, Bottom.BOTTOM)] * 3


def test_the_answers_of_a_large_table_are_near_the_truth() -> None:
    """A query for each share from 0 to 1 in steps of 1/40, the class of their thresholds, and ε large enough."""
    rows = tuple(range(40)) * 50
    up_to = FewestErrors(tuple(Labels(tuple(int(q >= first) for q in range(41))) for first in range(42)))
    asked = GIVEN | {"queries": uniform(range(41)), "predicate": below, "learner": up_to, "evaluation": False}
    found = run(release_by_learning, rows, seed=1, **asked | {"alpha": "1/4", "samples": 300, "epsilon": 20})
    assert max(abs(found(q) - Fraction(q, 40)) for q in range(41)) <= Fraction(1, 4)


def below(q: int, row: int) -> int:
    return int(row < q)


def test_the_printed_numbers() -> None:
    sizes = release_sizes(
        queries=560, examples=lambda n, gamma, beta: ceil(n * gamma), alpha="1/10", beta="1/20", gamma="1/10", epsilon=1
    )
    assert sizes.thresholds == 30
    assert sizes.small_database == ceil(441_000 * ln(560))
    assert sizes.examples == ceil(sizes.small_database / 300)
    assert sizes.samples == ceil(1000 * sizes.examples * ln(3600))
    assert sizes.bound == 60 * sizes.samples
    assert sizes.rows == ceil(2100 * sizes.bound * ln(200 * sizes.bound))


def test_a_small_database_for_one_query_has_a_row() -> None:
    """10·ln|Q|/α² is 0 for |Q| = 1 (Lemma 4.2): no database of no rows answers like D."""
    assert rows_of_the_small_database(1, 1) == 1


def test_noise_by_the_composition_theorem_is_used_where_it_is_less() -> None:
    assert epsilon_of_a_query(4, epsilon=1, delta="1e-6") == Fraction(1, 4)
    assert epsilon_of_a_query(1000, epsilon=1, delta="1e-6") > Fraction(4, 1000)


@in_one(
    "rows, changed, words",
    [
        ((), {}, "the database is empty"),
        ((0,), {"alpha": 0}, "alpha=0"),
        ((0,), {"alpha": 2}, "alpha=2"),
        ((0,), {"beta": 1}, "beta=1"),
        ((0,), {"gamma": 0}, "gamma=0"),
        ((0,), {"samples": 0}, "samples=0"),
        ((0,), {"bound": 0}, "bound=0"),
        ((0,), {"epsilon": 0}, "epsilon=0"),
        ((0,), {"delta": 1}, "1"),
    ],
)
def test_bad_input(rows: Any, changed: dict[str, Any], words: str) -> None:
    with debugging(), pytest.raises(InputError, match=words):
        run(release_by_learning, rows, seed=1, **GIVEN | changed)


def test_no_concepts() -> None:
    with pytest.raises(InputError, match="concepts is empty"):
        FewestErrors(())
