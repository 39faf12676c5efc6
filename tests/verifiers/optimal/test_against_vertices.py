"""Best mechanisms of tiny questions against all vertices of their programs."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few
from tests.verifiers.optimal.questions import best_vertex, clique, is_confirmed, path

from dpverify.mechanisms import log
from dpverify.verifiers.optimal import best_mechanism

GROWTHS = st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(2), Fraction(7)])
SHARES = st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1)])
DELTAS = st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(2, 3)])


@few(12, deep=250)
@given(st.lists(st.lists(SHARES, min_size=2, max_size=2), min_size=2, max_size=2), GROWTHS, DELTAS)
def test_two_databases_and_two_answers(table: list[list[Fraction]], growth: Fraction, delta: Fraction) -> None:
    best = best_mechanism(
        range(2), clique(2), lambda i, o: table[i][o], epsilon=log(growth), delta=delta, outcomes=range(2)
    )
    assert best.success == best_vertex(table, [(0, 1), (1, 0)], growth, delta)
    is_confirmed(best, clique(2), table, log(growth), delta)


@few(4)
@given(st.lists(st.lists(SHARES, min_size=2, max_size=2), min_size=3, max_size=3), GROWTHS)
def test_three_databases_in_a_row(table: list[list[Fraction]], growth: Fraction) -> None:
    best = best_mechanism(range(3), path(3), lambda i, o: table[i][o], epsilon=log(growth), outcomes=range(2))
    assert best.success == best_vertex(table, [(0, 1), (1, 0), (1, 2), (2, 1)], growth, Fraction(0))
    is_confirmed(best, path(3), table, log(growth), 0)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("growth", [Fraction(2), Fraction(7, 5)], ids=str)
def test_two_databases_and_three_answers(growth: Fraction) -> None:
    table = [[Fraction(1), Fraction(2, 3), Fraction(0)], [Fraction(1, 4), Fraction(2, 3), Fraction(1)]]
    best = best_mechanism(range(2), clique(2), lambda i, o: table[i][o], epsilon=log(growth), outcomes=range(3))
    assert best.success == best_vertex(table, [(0, 1), (1, 0)], growth, Fraction(0))
    is_confirmed(best, clique(2), table, log(growth), 0)


@pytest.mark.deep
def test_two_databases_and_three_answers_with_a_delta() -> None:
    table = [[Fraction(1), Fraction(2, 3), Fraction(0)], [Fraction(1, 4), Fraction(1, 3), Fraction(1)]]
    best = best_mechanism(range(2), clique(2), lambda i, o: table[i][o], epsilon=log(2), delta="0.1", outcomes=range(3))
    assert best.success == best_vertex(table, [(0, 1), (1, 0)], Fraction(2), Fraction(1, 10))
