"""What holds of every question."""

from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few
from tests.verifiers.optimal.questions import is_confirmed

from dpverify.mechanisms import bounds, exact, exp, log
from dpverify.verifiers.optimal import best_mechanism

SHARES = st.sampled_from([Fraction(0), Fraction(1, 5), Fraction(1, 2), Fraction(1)])
EPSILONS = st.fractions(0, 3, max_denominator=4)
DELTAS = st.sampled_from([Fraction(0), Fraction(1, 100), Fraction(1, 5)])


@st.composite
def questions(draw: st.DrawFn) -> tuple[list[list[Fraction]], Any]:
    """Success by database and answer, and a relation."""
    databases, answers = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    table = draw(st.lists(st.lists(SHARES, min_size=answers, max_size=answers), min_size=databases, max_size=databases))
    edges = draw(st.sets(st.tuples(st.integers(0, databases - 1), st.integers(0, databases - 1))))
    return table, lambda i: [j for j in range(databases) if j != i and ((i, j) in edges or (j, i) in edges)]


def best(asked: tuple[list[list[Fraction]], Any], epsilon: Any, delta: Any, **given: Any) -> Any:
    table, neighbours = asked
    databases, answers = range(len(table)), range(len(table[0]))
    return best_mechanism(
        databases, neighbours, lambda i, o: table[i][o], epsilon=epsilon, delta=delta, outcomes=answers, **given
    )


@few(15, deep=300)
@given(questions(), EPSILONS, DELTAS)
def test_it_is_private_earns_what_it_says_and_nothing_earns_more(
    asked: Any, epsilon: Fraction, delta: Fraction
) -> None:
    found = best(asked, epsilon, delta)
    assert found.is_exact
    is_confirmed(found, asked[1], asked[0], epsilon, delta)


@few(10, deep=200)
@given(questions(), EPSILONS, DELTAS)
def test_between_the_optima_at_rational_growths_around(asked: Any, epsilon: Fraction, delta: Fraction) -> None:
    optimum = exact(best(asked, epsilon, delta).success)
    low, high = bounds(exp(epsilon), 15)
    below, above = (best(asked, log(growth), delta).success for growth in (max(low, Fraction(1)), high))
    assert below <= optimum <= above
    assert above - below < Fraction(1, 10**6)


@few(10, deep=200)
@given(questions(), st.sampled_from([1, Fraction(3, 2), 2, 5]), st.integers(0, 2), DELTAS)
def test_more_is_allowed_more_succeeds(asked: Any, growth: Fraction, more: int, delta: Fraction) -> None:
    least = best(asked, log(growth), delta).success
    assert least <= best(asked, log(growth + more), delta).success
    assert least <= best(asked, log(growth), min(Fraction(1), delta + Fraction(more, 10))).success


@few(10, deep=200)
@given(questions(), st.data())
def test_another_answer_never_makes_it_worse(asked: Any, data: st.DataObject) -> None:
    table, neighbours = asked
    further = data.draw(st.lists(SHARES, min_size=len(table), max_size=len(table)))
    wider = [[*row, share] for row, share in zip(table, further, strict=True)]
    assert best(asked, log(2), 0).success <= best((wider, neighbours), log(2), 0).success
    twice = [[*row, *row] for row in table]
    assert best(asked, log(2), 0).success == best((twice, neighbours), log(2), 0).success


@few(10, deep=200)
@given(questions(), st.lists(st.integers(0, 5), min_size=4, max_size=4))
def test_a_weighted_optimum_is_at_least_the_worst(asked: Any, weights: list[int]) -> None:
    weighted = best(asked, log(3), "0.01", weights=weights.__getitem__)
    assert weighted.certificate.checks()
    assert weighted.success >= best(asked, log(3), "0.01").success * sum(weights[: len(asked[0])])
    found = {i: sum(p * asked[0][i][o] for o, p in law.probabilities.items()) for i, law in weighted.law.items()}
    assert sum(weights[i] * earned for i, earned in found.items()) == weighted.success


# floats cannot tell these apart, nor add them up: HiGHS's basis is wrong for many, and exact pivots mend it
NEARLY_TIED = st.sampled_from([Fraction(1, 2) + Fraction(k, 10**12) for k in range(3)] + [Fraction(0), Fraction(1)])
FAR_APART = st.sampled_from([Fraction(1), Fraction(1, 10**9), Fraction(10**9)])


@few(7, deep=150)
@given(
    st.lists(st.lists(NEARLY_TIED, min_size=3, max_size=3), min_size=6, max_size=6),
    st.lists(FAR_APART, min_size=6, max_size=6),
    st.sampled_from([log(10**9), log(1 + Fraction(1, 10**9)), log(2), 1]),
    st.sampled_from([Fraction(0), Fraction(1, 10**13), Fraction(1, 3)]),
    st.booleans(),
)
def test_where_floats_are_wrong(
    table: list[list[Fraction]], weights: list[Fraction], epsilon: Any, delta: Fraction, is_weighted: bool
) -> None:
    def ring(i: int) -> list[int]:
        return [(i + 1) % 6, (i - 1) % 6]

    found = best((table, ring), epsilon, delta, weights=weights.__getitem__ if is_weighted else None)
    assert found.is_exact
    assert found.certificate.checks()
    if not is_weighted:
        is_confirmed(found, ring, table, epsilon, delta)
