"""Distributions: exact normalisation, blocks, and bad weights."""

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import Distribution, InputError, bernoulli, exp, exponential, log, uniform
from dpverify.mechanisms.numbers.exact_numbers import total


@given(st.dictionaries(st.integers(0, 9), st.fractions(min_value=0, max_value=5, max_denominator=7), min_size=1))
def test_weights_are_normalised_exactly(weights: dict[int, Fraction]) -> None:
    if not any(weights.values()):
        with pytest.raises(InputError, match="sum to 0"):
            Distribution(weights)
        return
    law = Distribution(weights)
    whole = sum(weights.values())
    assert {outcome: law.probability(outcome) for outcome in weights} == {o: w / whole for o, w in weights.items()}
    assert set(law) == {outcome for outcome, weight in weights.items() if weight}
    assert total(law.probabilities.values()) == 1


def test_probability_of_several_outcomes_counts_each_once() -> None:
    law = Distribution({"a": 1, "b": 2, "c": 3})
    assert law.probability("a", "c", "a") == Fraction(2, 3)
    assert law.probability() == 0
    assert law.probability("absent") == 0


@given(st.lists(st.integers(0, 4), min_size=1, max_size=6))
def test_exponential_weights(scores: list[int]) -> None:
    """Against the definition, at e^ε = 4, where it is rational: Pr[h] ∝ exp(ε·q/2) = 2^q."""
    law = exponential(scores, log(4))
    whole = sum(Fraction(2) ** score for score in scores)
    for h, score in enumerate(scores):
        assert law.probability(h) == Fraction(2) ** score / whole


def test_exponential_with_sensitivity_and_fractional_qualities() -> None:
    law = exponential({"x": Fraction(1, 2), "y": 0, "z": log(3)}, 2, sensitivity=3)
    assert law.probability("x") / law.probability("y") == exp(Fraction(1, 6))
    assert law.probability("z") / law.probability("y") == exp(log(3) / 3)


def test_equal_qualities_share_one_weight_and_only_differences_matter() -> None:
    law = exponential([5] * 1000 + [7], 1)
    assert len(law.blocks) == 2
    assert len(law) == 1001
    assert exponential([0, 1], 1) == exponential([10**30, 10**30 + 1], 1)


def test_a_long_range_costs_nothing() -> None:
    law = uniform(range(2**64))
    assert law.total_weight == 2**64
    assert len(law.blocks) == 1


@in_one(
    "make, message",
    [
        (lambda: Distribution({}), "no outcomes"),
        (lambda: Distribution({"a": 0}), "sum to 0"),
        (lambda: Distribution({"a": -1, "b": 2}), "the weight -1 of 'a' must be at least 0"),
        (lambda: Distribution({"a": 0.5}), r"the weight of 'a'=0\.5 is a float"),  # type: ignore[dict-item]  # bad on purpose
        (lambda: Distribution({"a": exp(1) - 3}), r"the weight -3 \+ e of 'a' must be at least 0"),
        (lambda: Distribution([("a", 1)]), "mapping outcome → weight"),  # type: ignore[arg-type]  # bad on purpose
        (lambda: uniform([]), "at least one"),
        (lambda: uniform([1, 1]), "uniform: the list of outcomes holds an outcome twice"),
        (lambda: bernoulli("1.5"), "probability=3/2 must be between 0 and 1"),
        (lambda: exponential({}, 1), "quality is empty"),
        (lambda: exponential({"a": 1}, 0), "epsilon=0 must be greater than 0"),
        (lambda: exponential({"a": 1}, -1), "epsilon=-1 must be greater than 0"),
        (lambda: exponential({"a": 1}, 1, sensitivity=0), "sensitivity=0"),
        (lambda: exponential({"a": 0.5}, 1), "a quality=0.5 is a float"),  # type: ignore[dict-item]  # bad on purpose
        (lambda: exponential({"a": "much"}, 1), "a quality='much'"),  # type: ignore[dict-item]  # bad on purpose
    ],
)
def test_bad_input(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_bernoulli() -> None:
    assert bernoulli("0.25").probability(True) == Fraction(1, 4)
    assert set(bernoulli(1)) == {True}


def test_equality_is_by_value() -> None:
    assert Distribution({"a": 1, "b": 1}) == Distribution({"b": 2, "a": exp(0) * 2})
    assert Distribution({"a": 1, "b": 2}) != Distribution({"a": 2, "b": 1})
    assert Distribution({"a": 1}) != Distribution({"b": 1})


@given(st.lists(st.integers(1, 50), min_size=1, max_size=8))
def test_cumulative_bounds_contain_the_cumulative_probabilities(weights: list[int]) -> None:
    law = Distribution(dict(enumerate(weights)))
    low, high = law.cumulative_bounds(64)
    running = 0
    for i, weight in enumerate(weights):
        running += weight
        scaled = Fraction(running, sum(weights)) * 2**64
        assert low[i] <= scaled <= high[i]
        assert high[i] - low[i] <= 2
    assert low[-1] == high[-1] == 2**64
