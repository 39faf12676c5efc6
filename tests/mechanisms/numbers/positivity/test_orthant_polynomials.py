"""Numbers read as polynomials in coordinates and decays: against their values at points."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import Exact, Undecided, exact, exp, log, symbolic
from dpverify.mechanisms.numbers.decision import sign
from dpverify.mechanisms.numbers.exact_numbers import reciprocal_of_nonzero, total
from dpverify.mechanisms.numbers.positivity import polynomials as orthant_polynomials
from dpverify.mechanisms.numbers.positivity.affine_regions import coordinate
from dpverify.mechanisms.numbers.positivity.bounds import (
    FINENESS,
    bounded_above,
    is_nowhere_positive,
)
from dpverify.mechanisms.numbers.positivity.constants import violates
from dpverify.mechanisms.numbers.positivity.points import candidates
from dpverify.mechanisms.numbers.positivity.polynomials import E, Polynomial, polynomial, quotient
from dpverify.mechanisms.numbers.positivity.rays import RayStretch, signs_along
from dpverify.mechanisms.numbers.roots.substitution import NumberSubstitution, PointSubstitution

H, K = coordinate(0), coordinate(1)
U, V, P = exp(-H / 2), exp(-K / 3), exp(-log(2) * H / 2)
EPSILON = symbolic


def read(number: Exact) -> Polynomial:
    return polynomial(quotient(number).numerator)


def at(number: Exact, *point: int) -> Exact:
    return PointSubstitution(dict(enumerate(point)))(number)


def value(f: Polynomial, point: Mapping[int, int]) -> Exact:
    for place in f.places:
        f = f.at(place, point[place])
    return f.value()


NUMBERS = [
    3 * U * V - 2 * U**2 + H * U - H * K**2 * V,
    (1 + U * V) * (U - V) * (H + 2) - (H + K) ** 2 * U,
    U / (1 + V) - V / (1 + U) + H / (1 + U),
    (1 / (1 + V) + U) / (1 + 1 / (1 + U)) - U,
    exp(H / 2) - exp(K / 3 - H),
    log(2) * H * exp(-log(2) * H) - exp(-log(2) * (H + K) / 2) * K,
    U / (1 - exp(Fraction(-1, 4))) - (H - K) / log(3),
    ((1 + U) ** 3 * (1 + V)) / (1 + U * V) ** 2 - 7,
]

POINTS = [(0, 0), (1, 0), (0, 2), (3, 1), (5, 7), (20, 3)]


@in_one("number", NUMBERS)
def test_a_polynomial_has_the_signs_of_the_number(number: Exact) -> None:
    f = read(number)
    for h, k in POINTS:
        assert sign(value(f, {0: h, 1: k})) == sign(at(number, h, k))


@in_one("number", NUMBERS)
def test_a_polynomial_is_a_fixed_multiple_of_the_numerator(number: Exact) -> None:
    """Of products of decays, and of nothing else."""
    parts = quotient(number)
    denominator = total([exact(1)])
    for serial, k in parts.denominator.items():
        denominator = denominator * quotient(parts.sums[serial]).numerator ** k
    for h, k in POINTS:
        assert at(number * denominator - parts.numerator, h, k) == 0


@in_one("number", NUMBERS)
def test_substitutions_in_a_polynomial_are_those_in_the_number(number: Exact) -> None:
    f = read(number)
    for h, k in POINTS:
        assert sign(value(f.shifted(0, 3), {0: h, 1: k})) == sign(at(number, h + 3, k))
        assert sign(value(f.combined(0, 1, 1), {0: h, 1: k})) == sign(at(number, h, h + k + 1))
        assert sign(value(f.combined(1, 0, 0), {0: h, 1: k})) == sign(at(number, h + k, k))
        assert sign(value(f.at(0, h), {1: k})) == sign(at(number, h, k))


def test_like_terms_are_added_and_what_cancels_is_gone() -> None:
    f = read((1 + U) * (1 - U) - 1 + U * U + V * U * 0)
    assert f.coefficients == {}
    assert read((1 + U) ** 2 - 1 - 2 * U - exp(-H)).coefficients == {}
    assert {str(c) for c in read(2 * U + exp(Fraction(1, 2)) * U - U**3).coefficients.values()} == {"2 + e^(1/2)", "-1"}


def test_common_decays_are_divided_out_and_coordinates_are_not() -> None:
    f = read(U**3 * V - U**4 * V * H)
    assert {key[1] for key in f.coefficients} == {(0,), (3,)}, "in sixths, as V is e^(-K/3)"
    assert len(f.lengths) == 1
    assert set(read(H * U - H).lengths) == {0}


def test_functions_of_epsilon() -> None:
    number = EPSILON * H * exp(-EPSILON * H / 2) - exp(-EPSILON) * (1 + 1 / EPSILON)
    f = read(number)
    symbol = EPSILON.symbol
    assert symbol is not None
    for epsilon in (Fraction(1, 3), 2):
        for h in (0, 1, 5):
            there = NumberSubstitution(symbol, exact(epsilon))
            assert sign(there(value(f, {0: h}))) == sign(at(there(number), h))
            assert sign(there(value(f.shifted(0, 2), {0: h}))) == sign(at(there(number), h + 2))
            assert sign(at(there(number), h)) == sign(there(at(number, h)))


def test_what_violates_without_coordinates() -> None:
    nothing, negative = read(U - U), read(EPSILON * U - U * EPSILON - 1)
    assert violates(nothing, strictly=True) == (True, None)
    assert violates(nothing, strictly=False) == (False, None)
    assert violates(negative, strictly=True) == (False, None)
    assert violates(read(exact(1)), strictly=False) == (True, None)
    assert violates(read(exp(-EPSILON) - 1), strictly=True) == (False, None)


def test_what_is_no_polynomial_is_refused() -> None:
    with pytest.raises(Undecided, match="unknown scores"):
        read(exp(-(H**2)))
    with pytest.raises(Undecided, match="may be 0"):
        read(U - reciprocal_of_nonzero(H))


@pytest.mark.parametrize("number", [1 - U, (1 - U) * (V - 2), (U**5 - U**2) * (1 + H), (1 - U * V) * (1 - U**3)])
def test_division_by_what_vanishes_at_0(number: Exact) -> None:
    f = read(number)
    (j, *_) = f.vanishing
    assert f.decays[j].place == 0
    g = f.divided(j)
    assert g is not None
    for h, k in POINTS:
        if h:
            assert sign(value(g, {0: h, 1: k})) == sign(at(number, h, k))


def test_a_quotient_by_what_vanishes_has_the_partial_sums_for_coefficients() -> None:
    f = read((1 - U) * (1 + 2 * U + 3 * U**2))
    g = f.divided(0)
    assert g is not None
    assert {exponents: str(c) for (_, exponents), c in g.coefficients.items()} == {(0,): "1", (1,): "2", (2,): "3"}


@pytest.mark.parametrize("number", [K**2 + H - 7, (K + 3 * H) ** 3 - K * H**2])
def test_values_of_polynomials_in_coordinates_alone(number: Exact) -> None:
    f = read(number)
    for h, k in POINTS:
        assert value(f, {0: h, 1: k}) == at(number, h, k)
        assert value(f.shifted(1, 2), {0: h, 1: k}) == at(number, h, k + 2)
        assert value(f.combined(0, 1, 1), {0: h, 1: k}) == at(number, h, h + k + 1)


def test_what_does_not_vanish_is_not_said_to() -> None:
    assert read(H * (1 - U) + U - 2 * U**2).vanishing == ()
    assert read(1 - 2 * U).vanishing == ()
    assert read(H * (1 - U) + U).vanishing == ()
    assert read(H - H * U + V - U * V).vanishing != ()


@in_one("p", FINENESS)
@in_one(
    "number",
    [
        H * U - 3,
        2 - H * U,
        H**2 * U**2 - H * U - V * K + K**2 * V**3,
        H * (U**2 - U),
        H * (U - U**2 * V) - 3,
        H * P**2 * U - P,
        H * P**2 - P,
    ],
)
@in_one("informed", [False, True])
def test_bounds_are_above_and_equal_at_0(number: Exact, p: int, informed: bool) -> None:
    f = read(number)
    above = bounded_above(f, {powers: sign_of_coefficient(f, powers, informed) for powers in f.by_powers}, p)
    assert above is not None
    assert above.lengths == ()
    for h, k in POINTS:
        assert value_in_decays(above, h, k) >= value_in_decays(f, h, k)
    assert value_in_decays(above, 0, 0) == value_in_decays(f, 0, 0)


def test_what_grows_without_a_decay_has_no_bound() -> None:
    f = read(H * U**2 + K - 5)
    assert bounded_above(f, dict.fromkeys(f.by_powers, 0), 1) is None
    f = read(H**2 * U - 5)
    assert bounded_above(f, dict.fromkeys(f.by_powers, 0), 1) is None
    assert bounded_above(f, dict.fromkeys(f.by_powers, 0), 2) is not None


def sign_of_coefficient(f: Polynomial, powers: tuple[int, ...], informed: bool) -> int:
    """The sign of what a product of powers is multiplied by, where it is shown; or only that of a single term."""
    part = Polynomial((), f.decays, f.grains, {((), e): c for e, c in f.by_powers[powers].items()}, None)
    if not informed and len(part.coefficients) > 1:
        return 0
    return -1 if is_nowhere_positive(part) else 1 if is_nowhere_positive(part.negative()) else 0


def value_in_decays(f: Polynomial, h: int, k: int) -> Exact:
    """The value with exactly its own decays: `at` divides common ones out."""
    point = {0: h, 1: k}
    parts = []
    for (powers, exponents), c in f.coefficients.items():
        part = c
        for place, power in zip(f.lengths, powers, strict=True):
            part = part * point[place] ** power
        for decay, e in zip(f.decays, exponents, strict=True):
            rate = exact(Fraction(e * point[decay.place], f.grains[decay.factor]))
            part = part * exp(-rate if decay.factor == E else -rate * log(decay.factor))
        parts.append(part)
    return total(parts)


def test_stretches_of_one_sign() -> None:
    assert signs_along(read((H - 3) * U)) == [RayStretch(0, -1), RayStretch(3, 0), RayStretch(4, 1)]
    assert signs_along(read((H - 3) * (H - 5) * U - 0)) == [
        RayStretch(0, 1),
        RayStretch(3, 0),
        RayStretch(4, -1),
        RayStretch(5, 0),
        RayStretch(6, 1),
    ]
    assert signs_along(read((3 - H) ** 2 * U**7)) == [RayStretch(0, 1), RayStretch(3, 0), RayStretch(4, 1)]
    assert signs_along(read(1 - U)) == [RayStretch(0, 0), RayStretch(1, 1)]
    assert signs_along(read(H**2 * U)) == [RayStretch(0, 0), RayStretch(1, 1)]


@given(st.lists(st.integers(0, 200), min_size=1, max_size=4), st.integers(1, 30))
def test_all_roots_are_found(roots: list[int], n: int) -> None:
    """∏ (e^(-h/n) − e^(-root/n)) changes its sign at the roots, and is 0 there; beside another root it is one stretch."""
    number = exact(1)
    for root in roots:
        number = number * (exp(-H / n) - exp(Fraction(-root, n)))
    found = signs_along(read(number))
    assert {stretch.start for stretch in found if stretch.sign == 0} == {
        root for root in roots if root - 1 not in roots
    }
    assert found[-1].sign == (-1) ** len(roots)
    for stretch in found:
        assert sign(at(number, stretch.start)) == stretch.sign


@given(
    st.lists(
        st.tuples(st.integers(-5, 5), st.integers(0, 3), st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=5
    )
)
def test_stretches_against_values(parts: list[tuple[int, int, int, int]]) -> None:
    number = total(c * exp(-H * e / 3) * exp(-log(2) * H * d / 2) * (H**k if k else 1) for c, k, e, d in parts)
    f = read(number)
    if not f.places:
        return
    found = signs_along(f)
    expected = [sign(at(number, h)) for h in range(40)]
    seen = [max((s for s in found if s.start <= h), key=lambda s: s.start).sign for h in range(40)]
    assert seen == expected
    assert all(a.sign != b.sign for a, b in pairwise(found))


def test_what_is_negative_everywhere_for_it_is_so_beside_what_may_be_0() -> None:
    """By ε·(…) alone: ε is not 0, and h may be."""
    assert is_nowhere_positive(read(-H - EPSILON * (1 - U**2 / 2)), strictly=True)
    assert not is_nowhere_positive(read(-H - EPSILON * (1 - U**2)), strictly=True)
    for strictly in (False, True):  # one part alone is negative, and the other one neither that nor positive
        assert not is_nowhere_positive(read(H * (4 * U - 1) - 1), strictly=strictly)


def test_quotients_of_too_many_terms_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    f = read(1 - U**40)
    assert f.divided(0) is not None
    monkeypatch.setattr(orthant_polynomials, "MOST_TERMS", 0)
    assert f.divided(0) is None


def test_terms_of_a_quotient_are_counted_from_the_least_power(monkeypatch: pytest.MonkeyPatch) -> None:
    """(1 - u) + h·u^40·(1 - u) is 1 + h·u^40 times that: two terms, however large their powers are."""
    f = read((1 - U) * (1 + H * U**40))
    monkeypatch.setattr(orthant_polynomials, "MOST_TERMS", 2)
    g = f.divided(0)
    assert g is not None and len(g.coefficients) == 2


def test_points_are_left_out_where_the_polynomial_is_negative() -> None:
    for thoroughly in (False, True):
        assert list(candidates(read(exp(-H) - Fraction(1, 10)), thoroughly=thoroughly)) == [{0: 0}, {0: 1}, {0: 2}]
        assert list(candidates(read(U - Fraction(1, 10)), thoroughly=thoroughly))[-1] == {0: 4}
        assert list(candidates(read(P - Fraction(1, 5)), thoroughly=thoroughly))[-1] == {0: 4}
