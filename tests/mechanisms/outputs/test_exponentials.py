"""Weights e^(rate·step) that are computed for a sample, against the same weights as numbers."""

import pickle
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms import Distribution, Draw, exact, exponential, run
from dpverify.mechanisms.numbers.exact_numbers import from_exponents, rational, total
from dpverify.mechanisms.outputs.exponentials import Exponentials

RATES = st.fractions(Fraction(1, 50), 3, max_denominator=50).map(lambda rate: fmpq(rate.numerator, rate.denominator))
COUNTS = st.one_of(st.integers(1, 3), st.integers(1, 2**70))
STEPS = st.one_of(st.integers(-5, 0), st.integers(-2000, 0), st.just(-(10**6)))
GROUPS = st.lists(st.tuples(COUNTS, STEPS), min_size=1, max_size=8)


def groups_of(counts: Sequence[int]) -> tuple[range, ...]:
    """Long ranges that share no number."""
    return tuple(range(i << 80, (i << 80) + count) for i, count in enumerate(counts))


def both(groups: list[tuple[int, int]], rate: fmpq) -> tuple[Distribution[int], Distribution[int]]:
    """The distribution, and the same one with its weights as numbers."""
    best = max(step for _, step in groups)
    steps = [step - best for _, step in groups]
    outcomes = groups_of([count for count, _ in groups])
    weights = [from_exponents(rate * step, {}) for step in steps]
    return Exponentials(outcomes, steps, rational(rate)), Distribution.of_blocks(zip(outcomes, weights, strict=True))


@given(GROUPS, RATES)
def test_the_blocks_are_the_same(groups: list[tuple[int, int]], rate: fmpq) -> None:
    found, expected = both(groups, rate)
    assert found.blocks == expected.blocks
    assert found.total_weight is expected.total_weight
    assert found.groups == expected.groups == len(groups)
    assert pickle.loads(pickle.dumps(found)).blocks == expected.blocks
    assert [found.group(i) for i in range(len(groups))] == [outcomes for outcomes, _ in expected.blocks]


@given(GROUPS, RATES, st.sampled_from((64, 128)))
def test_the_bounds_contain_the_cumulative_probabilities(groups: list[tuple[int, int]], rate: fmpq, bits: int) -> None:
    found, expected = both(groups, rate)
    low, high = found.cumulative_bounds(bits)
    weights = [weight * len_of(outcomes) for outcomes, weight in expected.blocks]
    whole = expected.total_weight
    for i in range(len(weights)):
        scaled = total(weights[: i + 1]) * 2**bits
        assert low[i] * whole <= scaled <= high[i] * whole
        assert high[i] - low[i] <= 2
    assert low[-1] == high[-1] == 2**bits


def len_of(outcomes: Sequence[Any]) -> int:
    assert isinstance(outcomes, range)
    return outcomes.stop - outcomes.start


def drawn(draw: Draw, rows: tuple[int, ...], *, law: Distribution[int]) -> tuple[int, ...]:
    return tuple(draw(law) for _ in range(5))


@given(GROUPS, RATES, st.integers(0, 9))
def test_a_seed_draws_the_same(groups: list[tuple[int, int]], rate: fmpq, seed: int) -> None:
    """What lies between two bounds is revealed further, here as there."""
    found, expected = (run(drawn, (), seed=seed, law=law) for law in both(groups, rate))
    assert found == expected


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=6), RATES)
def test_the_exponential_mechanism_is_made_of_its_formula(scores: list[int], rate: fmpq) -> None:
    epsilon = Fraction(int(rate.p), int(rate.q))
    law = exponential(scores, epsilon)
    weights = [(exact(epsilon) * score / 2).exp() for score in scores]
    assert all(law.probability(i) * total(weights) == weight for i, weight in enumerate(weights))


def test_of_many_qualities_numbers_are_made_where_they_are_asked_for() -> None:
    scores = range(-1500, 0)
    law = exponential(scores, 1)
    assert isinstance(law, Exponentials)
    weights = [(exact(score) / 2).exp() for score in scores]
    assert law.total_weight * weights[-1] == total(weights)
    assert law.probability(1490) == law.probability(1499) * exact(Fraction(-9, 2)).exp()
