"""ε without a closed form: compared, narrowed, and put into functions."""

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms import Exact, InputError, exact, exp, log, sqrt, symbolic
from dpverify.mechanisms.numbers.decision import sign
from dpverify.mechanisms.numbers.roots.epsilon_root import EpsilonRoot, end_of, inflated
from dpverify.mechanisms.numbers.roots.epsilon_symbol import DependsOnEpsilon, EpsilonSymbol
from dpverify.mechanisms.numbers.roots.mixed_polynomials import CONTEXT
from dpverify.mechanisms.numbers.roots.mixed_roots import _roots_of, mixed_roots
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import number_of, simplest_epsilon
from dpverify.mechanisms.outputs.substitution import DistributionSubstitution

T, Z = CONTEXT.gens()
HUMP = 5 * T * Z - 1
"""0 at ε = 0.25917…, 2.54264… for ε = t."""


def ends_of(number: Exact) -> tuple[EpsilonRoot, ...]:
    """The ε at which the sign of a function changes, none in closed form."""
    with pytest.raises(DependsOnEpsilon) as caught:
        sign(number)
    ends = [end for end in caught.value.at if isinstance(end, EpsilonRoot)]
    assert len(ends) == len(caught.value.at)
    return tuple(ends)


def test_one_root_of_several_polynomials_is_one_end() -> None:
    small, large = (EpsilonRoot(root, 1) for root in mixed_roots(HUMP))
    for fineness in (2, 3, 6):
        again = [EpsilonRoot(root, fineness) for root in mixed_roots(inflated(HUMP, fineness))]
        assert [small == again[0], large == again[1], small == again[1]] == [True, True, False]
        assert hash(small) == hash(again[0]) != hash(again[1])
        assert (
            small < again[1] and again[0] < large and not small < again[0] and small <= again[0] and large >= again[1]
        )
    halves, thirds = (EpsilonRoot(mixed_roots(inflated(HUMP, fineness))[0], fineness) for fineness in (2, 3))
    assert halves == thirds
    _roots_of.cache_clear()
    assert halves == thirds == small == EpsilonRoot(mixed_roots(HUMP)[0], 1)
    assert small == EpsilonRoot(mixed_roots(HUMP * (T - Z))[0], 1) != EpsilonRoot(mixed_roots(T - Z)[0], 1)


def test_ends_are_compared_with_numbers_from_both_sides() -> None:
    (root, _) = ends_of(symbolic * exp(-symbolic) - Fraction(1, 5))
    numbers = [exact(0), log(2) / 3, Fraction(1, 4), sqrt(2), exact("0.25917110181907"), exact("0.25917110181908")]
    below = [number < root for number in numbers]
    assert below == [root > number for number in numbers] == [True, True, True, False, True, False]
    assert [number >= root for number in numbers] == [root <= number for number in numbers] == [not b for b in below]
    assert not any(number == root for number in numbers)
    low, high = root.bounds(30)
    assert low < root < high
    assert high - low < Fraction(1, 10**28)
    assert str(root) == "0.259171101819"


small_numbers = st.integers(-4, 4).filter(bool)


thirds = st.sampled_from([Fraction(1, 3), Fraction(1, 2), Fraction(1)])


@given(small_numbers, small_numbers, st.integers(1, 3), st.integers(0, 3), thirds, thirds)
def test_the_sign_at_a_root_is_that_around_it(
    a: int, b: int, i: int, j: int, rate: Fraction, of_hump: Fraction
) -> None:
    """Of random functions, and of multiples of what is 0 there."""
    hump = 5 * symbolic * exp(-symbolic * of_hump) - 1
    roots = ends_of(hump)
    function = a + b * symbolic**i * exp(-symbolic * rate * j)
    for root in roots:
        at = DistributionSubstitution(symbolic.symbol, number_of(EpsilonSymbol(value=root)))  # type: ignore[arg-type]  # ε has a symbol
        low, high = (DistributionSubstitution(symbolic.symbol, exact(end)) for end in root.bounds(12))  # type: ignore[arg-type]  # ε has a symbol
        assert sign(at(function)) == sign(low(function)) == sign(high(function))
        assert sign(at(function * hump)) == 0 == sign(at(hump))
        assert sign(at(function - hump * 7)) == sign(at(function))
        assert at(function + hump) == at(function)


def test_a_symbol_between_roots() -> None:
    hump = 5 * symbolic * exp(-symbolic) - 1
    low, high = ends_of(hump)
    cells = [
        EpsilonSymbol(None, low),
        EpsilonSymbol(low, high),
        EpsilonSymbol(high, None),
        EpsilonSymbol(exact(Fraction(1, 4)), low),
        EpsilonSymbol(high, exact(3)),
    ]
    for cell, expected in zip(cells, [-1, 1, -1, -1, -1], strict=True):
        put = DistributionSubstitution(symbolic.symbol, number_of(cell))  # type: ignore[arg-type]  # ε has a symbol
        assert sign(put(hump)) == expected
        assert sign(DistributionSubstitution(symbolic.symbol, simplest_epsilon(cell))(hump)) == expected  # type: ignore[arg-type]  # ε has a symbol
    inside = number_of(cells[1])
    with pytest.raises(DependsOnEpsilon) as caught:
        assert exp(-inside) > Fraction(1, 2)
    assert caught.value.at == (log(2),)
    assert exp(-inside) < Fraction(4, 5)  # from 0.22314… on
    assert exp(-inside * 2) < 1 - inside**2 / 100


def test_what_is_refused_at_a_root() -> None:
    (root, _) = ends_of(5 * symbolic * exp(-symbolic) - 1)
    point = number_of(EpsilonSymbol(value=root))
    assert point > 0
    assert log(1 + point) > 0
    with pytest.raises(InputError, match=r"ln 2.* is not known at ε = 0\.259171101819"):
        sign(point - log(2))


def test_ends_in_closed_form_are_numbers() -> None:
    f = (T**2 - 3) * (3 * Z - 2) * (2 * T - 5) * HUMP
    ends = [end_of(root, 2) for root in mixed_roots(f)]
    assert sum(isinstance(end, Exact) for end in ends) == 3
    assert {2 * sqrt(3), 2 * log(Fraction(3, 2)), exact(5)} <= {end for end in ends if isinstance(end, Exact)}
    assert all(left < right for left, right in combinations(ends, 2))
