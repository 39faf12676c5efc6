"""A symbolic ε: signs for all ε, against values at many of them."""

from fractions import Fraction
from itertools import pairwise
from math import floor
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from tests.examples import few, in_one

from dpverify.mechanisms import Draw, InputError, bernoulli, bounds, distribution, exact, exp, log, run, sqrt, symbolic
from dpverify.mechanisms.drawing import debugging
from dpverify.mechanisms.numbers.decision import sign
from dpverify.mechanisms.numbers.errors import Undecided
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, total
from dpverify.mechanisms.numbers.roots.epsilon_polynomials import mixed_roots_within
from dpverify.mechanisms.numbers.roots.epsilon_symbol import DependsOnEpsilon, EpsilonSymbol
from dpverify.mechanisms.numbers.roots.mixed_polynomials import CONTEXT, mixed_polynomial
from dpverify.mechanisms.numbers.roots.mixed_roots import closed_form, mixed_roots
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import (
    epsilon_lies_in,
    number_of,
    simplest_between,
    simplest_epsilon,
    symbol_in,
)
from dpverify.mechanisms.outputs.substitution import DistributionSubstitution

_, Z = CONTEXT.gens()

AT = [exact(Fraction(n, 7)) for n in (1, 2, 5, 7, 11, 16, 30)]


def at(number: Exact, epsilon: Exact) -> Exact:
    """The value of a function of ε."""
    symbol = number.symbol
    value: Exact = number if symbol is None else DistributionSubstitution(symbol, epsilon)(number)
    return value


def polynomial(coefficients: list[int], epsilon: Exact) -> Exact:
    """Σ c·e^(-jε/2)."""
    return total(c * exp(-epsilon * j / 2) for j, c in enumerate(coefficients))


@given(
    st.lists(st.integers(-4, 4), min_size=1, max_size=6),
    st.integers(0, 3),
    st.sampled_from([2 - exp(-3 * symbolic), exp(-symbolic) - 1, exp(-symbolic) - 3]),
    st.sampled_from([0, 1, exp(-symbolic) / (3 - exp(-symbolic))]),
)
@example([1], 0, exp(-symbolic) - 3, 1)
@example([2], 0, exp(-symbolic) - 1, 1)
def test_a_sign_holds_at_every_epsilon(coefficients: list[int], factor: int, below: Exact, beside: Exact) -> None:
    number = polynomial(coefficients, symbolic) * (1 + exp(-symbolic)) ** factor / below + beside
    try:
        found = sign(number)
    except DependsOnEpsilon as dependence:
        ends = dependence.at
        assert ends
        assert all(sign(at(number, end)) == 0 for end in ends)
        assert list(ends) == sorted(ends)
        parts = [simplest_between(low, high) for low, high in zip([ZERO, *ends], [*ends, None], strict=True)]
        assert all(sign(at(number, part)) != 0 for part in parts)
    except Undecided as error:
        assert "changes at an ε without a closed form" in str(error)
    except InputError as error:
        assert "it changes, which is not decided for a symbolic ε" in str(error)
    else:
        assert {sign(at(number, epsilon)) for epsilon in AT} == {found}


@in_one("powers", [(1, 0), (2, 0), (3, 0), (4, 0), (0, 2), (1, 1), (2, 1), (1, 2), (2, 2), (3, 2)])
def test_a_denominator_has_the_sign_of_its_powers(powers: tuple[int, int]) -> None:
    """Both factors are negative for every ε: even powers of them are positive, alone and beside each other."""
    below: Exact = exact(1)
    for factor, k in zip((exp(-symbolic) - 1, exp(-2 * symbolic) - 3), powers, strict=True):
        below = below * factor**k
    number = 1 / below + exp(-3 * symbolic) / below
    expected = (-1) ** sum(powers)
    assert sign(number) == expected
    assert sign(-number) == -expected
    assert {sign(at(number, epsilon)) for epsilon in AT} == {expected}


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=5), st.fractions(0, 2), st.fractions(Fraction(1, 9), 2))
def test_a_sign_on_an_interval_is_that_at_all_its_points(c: list[int], low: Fraction, width: Fraction) -> None:
    symbol = EpsilonSymbol(exact(low), exact(low + width))
    inside = [exact(low + width * Fraction(k, 8)) for k in range(1, 8)]
    try:
        found = sign(polynomial(c, number_of(symbol)))
    except DependsOnEpsilon as dependence:
        assert all(epsilon_lies_in(symbol, end) for end in dependence.at)
        assert all(polynomial(c, end) == 0 for end in dependence.at)
    except (InputError, Undecided):
        assume(False)
    else:
        assert {sign(polynomial(c, epsilon)) for epsilon in inside} == {found}


@given(
    st.sets(st.integers(1, 19), min_size=1, max_size=4),
    st.sampled_from([1, 2, 3]),
    st.fractions(0, 3, max_denominator=4),
    st.one_of(st.none(), st.fractions(Fraction(1, 4), 3, max_denominator=4)),
)
def test_the_roots_within_an_interval(
    twentieths: set[int], fineness: int, low: Fraction, width: Fraction | None
) -> None:
    """Of z = k/20, which is e^(-ε/fineness) at ε = fineness·ln(20/k)."""
    f = CONTEXT.from_dict({(0, 0): 1})
    for k in twentieths:
        f *= 20 * Z - k
    symbol = EpsilonSymbol(exact(low) if low else None, None if width is None else exact(low + width))
    inside = [
        k
        for k in sorted(twentieths)
        if low < fineness * log(Fraction(20, k)) and (width is None or fineness * log(Fraction(20, k)) < low + width)
    ]
    found = mixed_roots_within(f, symbol, fineness)
    assert list(map(closed_form, found)) == [log(Fraction(20, k)) for k in reversed(inside)]


SMALL = st.lists(st.integers(-6, 6), min_size=2, max_size=6).filter(lambda f: any(f[1:]))


@given(
    SMALL, st.one_of(st.integers(0, 16).map(lambda k: exact(Fraction(k, 16))), st.sampled_from([sqrt(2) / 2, log(2)]))
)
@example([-1, 2], log(2))
@example([-1, 0, 2], log(2) / 2)
@example([-1, 0, 8], exact(1))
def test_roots_are_compared_with_numbers(f: list[int], number: Exact) -> None:
    """Also with those that they are; by digits, of which so small polynomials need few."""
    for root in mixed_roots(mixed_polynomial({(0, j): c for j, c in enumerate(f) if c})):
        found = root.anew().compared_to(number)
        for _ in range(60):
            root.narrow()
        difference = float(root.low) - float(sum(bounds(number))) / 2
        assert found == (0 if abs(difference) < 1e-9 else 1 if difference > 0 else -1)


mixed = st.dictionaries(
    st.tuples(st.integers(-2, 2), st.integers(-2, 2)), st.integers(-5, 5).filter(bool), min_size=2, max_size=4
)


@few(15, deep=300)
@given(
    mixed,
    st.sampled_from([1, 1 + symbolic, exp(-symbolic) - 2 - 1 / symbolic]),
    st.fractions(0, 2),
    st.fractions(Fraction(1, 9), 9),
)
def test_a_sign_with_powers_of_epsilon_holds_between_its_ends(
    terms: dict[tuple[int, int], int], below: Any, low: Fraction, width: Fraction
) -> None:
    """On all of ε > 0, and on an interval."""
    number = total(c * symbolic**i * exp(symbolic * j / 3) for (i, j), c in terms.items()) / below
    assert isinstance(symbolic.symbol, EpsilonSymbol)
    for symbol in (symbolic.symbol, EpsilonSymbol(exact(low), exact(low + width))):
        try:
            found = {sign(DistributionSubstitution(symbolic.symbol, number_of(symbol))(number))}
            ends: tuple[Exact, ...] = ()
        except DependsOnEpsilon as dependence:
            found, ends = {-1, 0, 1}, dependence.at
            assert all(epsilon_lies_in(symbol, end) for end in ends)
            assert all(left < right for left, right in pairwise(ends))
        except Undecided as error:
            assert "changes at an ε without a closed form" in str(error)
            continue
        first: Exact = ZERO if symbol.low is None else symbol.low
        around = [simplest_between(a, b) for a, b in pairwise([first, *ends, symbol.high]) if a is not None]
        inside = [epsilon for epsilon in AT if epsilon_lies_in(symbol, epsilon)]
        signs = {
            epsilon: sign(at(number, epsilon)) for epsilon in [*around, *inside] if below == 1 or at(below, epsilon)
        }
        assert set(signs.values()) <= found
        for epsilon in inside:
            beside = around[sum(end < epsilon for end in ends)]
            assert epsilon in ends or signs[epsilon] == signs[beside]


@in_one(
    "number, ends",
    [
        (log(10) / symbolic - 3, (log(10) / 3,)),
        (4 / symbolic * log(20) + 2 - 8, (2 * log(20) / 3,)),
        (3 * exp(-symbolic) - 1, (log(3),)),
        (6 * exp(-2 * symbolic) - 5 * exp(-symbolic) + 1, (log(2), log(3))),
        (1 - symbolic, (exact(1),)),
        (symbolic**2 - 3, (sqrt(3),)),
        (exp(-symbolic) - exp(-3), (exact(3),)),
        ((2 * exp(-symbolic) - 1) ** 2, (log(2),)),  # it touches 0
    ],
)
def test_where_a_sign_changes(number: Exact, ends: tuple[Exact, ...]) -> None:
    with pytest.raises(DependsOnEpsilon) as caught:
        sign(number)
    assert caught.value.at == ends


@pytest.mark.parametrize(
    "number",
    [
        log(1 - exp(-symbolic) / 2),  # below 0: the argument is below 1
        -2 * log(1 + exp(-symbolic)),
        3 / log(2 - exp(-symbolic)) ** 3,
        sqrt(1 - exp(-symbolic) / 2) * log(3),
        -exp(exp(-symbolic) - 2) / symbolic,
    ],
)
def test_signs_of_functions_that_have_no_closed_form(number: Exact) -> None:
    assert {sign(at(number, epsilon)) for epsilon in AT} == {sign(number)}


def test_signs_of_products_and_of_powers_of_epsilon() -> None:
    assert symbolic > 0
    assert 1 / symbolic > 0
    assert -(symbolic**2) * exp(symbolic) < 0
    assert symbolic + exp(-symbolic) > 0
    assert (1 - exp(-symbolic)) / symbolic > 0
    assert exp(-symbolic) < 1
    assert (exp(-symbolic) - 1) ** 3 < 0
    assert log(exp(2 * symbolic)) == 2 * symbolic
    assert sqrt(exp(symbolic)) == exp(symbolic / 2)


def test_equal_functions_are_equal_and_hash_alike() -> None:
    left = (1 - exp(-2 * symbolic)) / (1 - exp(-symbolic))
    right = 1 + exp(-symbolic)
    assert left == right
    assert hash(left) == hash(right)
    assert hash((symbolic * 3 + log(2)) / symbolic) == hash(3 + log(2) / symbolic)
    assert hash((symbolic + 1) / (symbolic + 1)) == hash(1)
    assert len({exp(-symbolic), exp(-symbolic / 2), 1 - exp(-symbolic), exact(1)}) == 4


def test_text_for_people_and_for_python() -> None:
    number = 2 * exp(-symbolic / 3) / (1 + exp(-symbolic)) + log(3) / symbolic
    assert str(number) == "2·e^(-1/3·ε)/(1 + e^(-ε)) + ln 3/ε"
    scope = {"symbolic": symbolic, "exp": exp, "log": log, "Fraction": Fraction}
    assert eval(repr(number), scope) == number
    assert str(exp(symbolic)) == "e^ε"


@in_one(
    "question, words",
    [
        (lambda: floor(log(10) / symbolic), "infinitely many steps"),
        (lambda: bounds(symbolic), "no value"),
        (lambda: bounds(exp(symbolic)), "no value"),
        (lambda: exp(symbolic) - exp(number_of(EpsilonSymbol())) > 0, "two symbolic"),
        (lambda: symbolic + number_of(EpsilonSymbol()) > 0, "two symbolic"),
        (lambda: exp(symbolic) - log(2) * symbolic > 0, "it changes, which is not decided for a symbolic ε"),
        (lambda: exp(symbolic**2) - symbolic > 0, "rational c, which is not decided for a symbolic ε"),
        (lambda: run(lambda draw, rows: draw(bernoulli(exp(-symbolic))), (0,)), "no value"),
    ],
)
def test_what_has_no_answer_is_refused(question: Any, words: str) -> None:
    with debugging(), pytest.raises(InputError, match=words):
        question()


def test_a_law_of_a_symbolic_epsilon() -> None:
    def coin(draw: Draw, rows: Any, *, epsilon: Exact) -> Any:
        return draw(bernoulli(exp(-epsilon))) if epsilon > 0 else None

    law = distribution(coin, (0,), epsilon=symbolic)
    assert law.probability(True) == exp(-symbolic)
    assert at(law.probability(False), exact(2)) == 1 - exp(-2)
    with pytest.raises(DependsOnEpsilon, match="ε = ln 2"):
        distribution(lambda draw, rows, *, epsilon: exp(-epsilon) > Fraction(1, 2), (0,), epsilon=symbolic)


def test_a_question_without_an_answer_leaves_a_trace() -> None:
    symbol = EpsilonSymbol()
    with pytest.raises(DependsOnEpsilon) as caught:
        assert number_of(symbol) > 1
    assert symbol.refused is caught.value


def test_symbols_are_found_and_replaced_wherever_they_are() -> None:
    value = {"a": (1, [2 * symbolic]), "b": "text"}
    symbol = symbol_in(value)
    assert symbol is symbolic.symbol
    assert symbol is not None
    assert symbol_in({"a": (1, 2)}) is None
    assert DistributionSubstitution(symbol, exact(3))(value) == {"a": (1, [exact(6)]), "b": "text"}
    number = log(1 + symbolic) + sqrt(2 + symbolic) * exp(symbolic**2)
    assert at(number, exact(1)) == log(2) + sqrt(3) * exp(1)


@given(st.fractions(0, 3), st.fractions(Fraction(1, 200), 2))
def test_the_simplest_number_of_an_interval(low: Fraction, width: Fraction) -> None:
    found = simplest_between(exact(low), exact(low + width))
    denominator = next(n for n in range(1, 500) if floor(low * n) + 1 < (low + width) * n)
    assert found == Fraction(floor(low * denominator) + 1, denominator)


def test_samples_of_intervals() -> None:
    assert simplest_epsilon(EpsilonSymbol()) == 1
    assert simplest_epsilon(EpsilonSymbol(log(2), log(3))) == 1
    assert simplest_epsilon(EpsilonSymbol(exact(5))) == 6
    assert simplest_epsilon(EpsilonSymbol(log(2), log(2) + Fraction(1, 100))) == Fraction(7, 10)
