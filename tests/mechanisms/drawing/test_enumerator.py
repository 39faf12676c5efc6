"""The enumerator: exact laws against brute force."""

import gc
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any
from weakref import ref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms import (
    Distribution,
    Draw,
    InputError,
    bernoulli,
    distribution,
    exp,
    exponential,
    laplace,
    uniform,
)
from dpverify.mechanisms.drawing.runs import MechanismRun
from dpverify.mechanisms.numbers.exact_numbers import Exact, total


@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=3).filter(any), min_size=1, max_size=3))
def test_draws_multiply_and_outcomes_merge(tables: list[list[int]]) -> None:
    def mechanism(draw: Draw, database: tuple[()]) -> int:
        return sum(int(draw(Distribution(dict(enumerate(table))))) for table in tables)

    expected: Counter[int] = Counter()
    for picks in product(*(range(len(table)) for table in tables)):
        weight = Fraction(1)
        for table, pick in zip(tables, picks, strict=True):
            weight *= Fraction(table[pick], sum(table))
        expected[sum(picks)] += weight  # type: ignore[assignment]  # Counter is typed for whole counts
    law = distribution(mechanism, ())
    assert {o: law.probability(o) for o in expected} == expected
    assert total(law.probabilities.values()) == 1


def test_draws_may_depend_on_draws() -> None:
    def mechanism(draw: Draw, database: int) -> int:
        steps = 0
        while steps < 4 and draw(bernoulli(Fraction(1, steps + 2))):
            steps += 1
        return steps

    assert distribution(mechanism, 0).probabilities == {
        0: Fraction(1, 2),
        1: Fraction(1, 3),
        2: Fraction(1, 8),
        3: Fraction(1, 30),
        4: Fraction(1, 120),
    }


def test_a_returned_distribution_is_drawn_from() -> None:
    def returns(draw: Draw, database: int) -> Distribution[int]:
        coin = draw(bernoulli("0.25"))
        return uniform(range(2, 4)) if coin else exponential([0, 1, 1], 1)

    assert distribution(returns, 0) == distribution(lambda draw, database: draw(returns(draw, database)), 0)


def test_exact_parameters_are_fractions_where_they_are_rational() -> None:
    def mechanism(draw: Draw, database: int, *, epsilon: Fraction, delta: Exact, other: int) -> tuple[str, bool, str]:
        return type(epsilon).__name__, isinstance(delta, Exact), type(other).__name__

    law = distribution(mechanism, 0, epsilon=2, delta=exp(-3), other=1)
    assert set(law) == {("Fraction", True, "WholeNumber")}
    with pytest.raises(InputError, match=r"epsilon=0\.1 is a float"):
        distribution(mechanism, 0, epsilon=0.1, delta=0, other=1)


@pytest.mark.parametrize("outcome", [1, frozenset({1}), (1, frozenset({1}))])
def test_a_run_that_is_over_is_gone(outcome: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """There are millions of them: none waits for the garbage collector."""
    runs = []
    begin = MechanismRun.__init__

    def noted(run: MechanismRun, *args: Any) -> None:
        begin(run, *args)
        runs.append(ref(run))

    monkeypatch.setattr(MechanismRun, "__init__", noted)

    def mechanism(draw: Draw, database: tuple[()]) -> Any:
        noise = draw(laplace(1))
        return (outcome, noise) if noise > 0 else outcome

    gc.disable()
    try:
        distribution(mechanism, ())
        assert [run() for run in runs] == [None, None]
    finally:
        gc.enable()
