"""Roots of polynomials in t and e^(-t): against Rolle's theorem, dense evaluation, and roots that are known."""

import sys
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from flint import arb, ctx, fmpq, fmpz_mpoly, fmpz_poly
from hypothesis import assume, example, given
from hypothesis import strategies as st
from tests.examples import few

from dpverify.mechanisms import Undecided, exp, log, sqrt
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, exact, rational
from dpverify.mechanisms.numbers.roots.exponential_roots import sign_changes
from dpverify.mechanisms.numbers.roots.mixed_polynomials import (
    CONTEXT,
    coefficients_beyond,
    function_of,
    mixed_polynomial,
    polynomial_key,
    sign_at,
)
from dpverify.mechanisms.numbers.roots.mixed_roots import (
    MixedRoot,
    _is_algebraic,
    _is_nowhere_zero,
    closed_form,
    mixed_roots,
    roots_in_order,
)

T, Z = CONTEXT.gens()

terms = st.dictionaries(
    st.tuples(st.integers(0, 3), st.integers(0, 4)),
    st.integers(-9, 9).filter(bool) | st.sampled_from([-1000, 10**6]),
    min_size=2,
    max_size=6,
)
polynomials = terms.map(lambda found: mixed_polynomial({(i, j): c for (i, j), c in found.items()}))


def value(f: fmpz_mpoly, t: Fraction) -> arb:
    """F(t) term by term, with more bits than the library begins with."""
    with ctx.workprec(1_000):
        x = arb(fmpq(t.numerator, t.denominator))
        parts = (x ** int(i) * (-int(j) * x).exp() * c for (i, j), c in f.to_dict().items())
        return sum(parts, arb(0))


def near(root: MixedRoot) -> Fraction:
    """The root to sixty digits or so."""
    root = root.anew()
    for _ in range(200):
        root.narrow()
    return Fraction(int(root.low.p), int(root.low.q))


@given(polynomials)
@example(3 * T * Z - 1)
@example(10 * T**2 * Z - T - 1)
def test_the_roots_are_those_that_rolle_finds(f: fmpz_mpoly) -> None:
    assume(all(k == 1 for _, k in f.factor_squarefree()[1]))
    function = {(exact(-int(j)), int(i)): rational(fmpq(c)) for (i, j), c in f.to_dict().items()}
    try:
        expected = sign_changes(function, ZERO, None)
    except Undecided:
        assume(False)
    found = mixed_roots(f)
    assert len(found) == len(expected)
    for root, change in zip(found, expected, strict=True):
        change.narrow(64)
        difference = rational(fmpq(near(root).numerator, near(root).denominator)) - change.low
        assert abs(difference) < exact(Fraction(1, 2**50)) * (ONE + abs(change.low))


in_z = st.lists(st.integers(-6, 6), min_size=2, max_size=7).map(fmpz_poly).filter(lambda f: f.degree() > 0)


def of_z(f: fmpz_poly) -> fmpz_mpoly:
    return mixed_polynomial({(0, j): c for j, c in enumerate(f.coeffs()) if c})


@given(in_z, in_z)
@example(fmpz_poly([0, 1]) * fmpz_poly([-1, 2]), fmpz_poly([-1, 1]) * fmpz_poly([-3, 1]))
@example((10**12 * fmpz_poly([0, 1]) - 5 * 10**11) ** 2 * 2 - 1, fmpz_poly([0, 1]))
def test_the_roots_in_z_alone_are_those_that_balls_enclose(f: fmpz_poly, g: fmpz_poly) -> None:
    """The different real z in (0, 1), as python-flint encloses all complex ones; t falls as they rise."""
    squarefree, _ = divmod(f * g, (f * g).gcd((f * g).derivative()))
    with ctx.workprec(200):
        roots: list[Any] = squarefree.complex_roots()
        balls = [root.real for root, _ in roots if root.imag == 0]
        expected = sorted((-x.log() for x in balls if x > 0 and x < 1), key=float)
    found = mixed_roots(of_z(f * f * g))
    assert len(found) == len(expected)
    assert all(left.high < right.low for left, right in pairwise(found))
    for root, ball in zip(found, expected, strict=True):
        assert abs(float(near(root)) - float(ball)) < 1e-12 * (1 + float(ball))


@given(in_z)
def test_no_root_in_z_without_changes_of_sign(f: fmpz_poly) -> None:
    """By Descartes' rule, of the coefficients of (1 + x)^n·f(1/(1 + x)): at x = 1 that is 2^n·f(1/2)."""
    key, degree = polynomial_key(of_z(f)), f.degree() + 3
    beyond = coefficients_beyond(key, degree)
    assert len(beyond) == degree + 1
    assert fmpq(sum(beyond), 2**degree) == f(fmpq(1, 2))
    if _is_nowhere_zero(key):
        assert mixed_roots(of_z(f) * (Z - 2)) == []


POINTS = [
    *(Fraction(2) ** k for k in (-80, -20)),
    *(Fraction(k, 7) for k in range(1, 60)),
    *map(Fraction, (20, 99, 2**20)),
]


@few(10, deep=200)
@given(polynomials, polynomials)
def test_signs_change_at_the_roots_and_nowhere_else(f: fmpz_mpoly, g: fmpz_mpoly) -> None:
    """At points near and far; those of f²·g, where roots of f alone are touches."""
    assume(all(k == 1 for _, k in g.factor_squarefree()[1]))
    of_g = set(mixed_roots(g))
    roots = mixed_roots(f * f * g)
    assert set(roots) == set(mixed_roots(f)) | of_g
    places = [near(root) for root in roots if root in of_g]
    signs = {t: value(g, t) for t in POINTS}
    known = [(t, ball > 0) for t, ball in signs.items() if not ball.contains(0)]
    for (t, before), (u, after) in pairwise(known):
        assert (before != after) == sum(t < place < u for place in places) % 2


@given(polynomials, st.fractions(Fraction(1, 50), 50))
def test_the_sign_at_a_rational_number(f: fmpz_mpoly, t: Fraction) -> None:
    exactly = value(f, t)
    found = sign_at(f, fmpq(t.numerator, t.denominator))
    assert found == (0 if exactly.contains(0) else 1 if exactly > 0 else -1)
    assert sign_at(f * (t.denominator * T - t.numerator), fmpq(t.numerator, t.denominator)) == 0


@pytest.mark.parametrize("size", [1, 10**3, 10**40, 2**300])
def test_roots_near_zero_and_far_out(size: int) -> None:
    assert [closed_form(root) for root in mixed_roots((T - size) * (size * T - 1))] == sorted(
        {exact(size), exact(Fraction(1, size))}
    )
    assert [closed_form(root) for root in mixed_roots((size + 1) * Z - size)] == [log(Fraction(size + 1, size))]
    assert [closed_form(root) for root in mixed_roots((size + 1) * Z - 1)] == [log(size + 1)]
    # t·e^(-t) = 1/(4·size): once near 1/(4·size), once near its logarithm
    small, large = mixed_roots(4 * size * T * Z - 1)
    assert Fraction(1, 4 * size) <= near(small) < Fraction(2, 4 * size)
    assert near(large) > 1
    assert [sign_at(4 * size * T * Z - 1, t) for t in (small.low, small.high, large.low, large.high)] == [-1, 1, 1, -1]


def test_powers_that_win_for_a_while() -> None:
    """t^20·e^(-t) is 10^10 at 3.8… and at 58.2…, and small at 1 as it is far out."""
    low, high = mixed_roots(T**20 * Z - 10**10)
    assert 3 < near(low) < 4
    assert 58 < near(high) < 59
    assert sign_at(T**20 * Z - 10**10, fmpq(20)) == 1


@pytest.mark.parametrize("tiny", [10**6, 10**30, 10**90])
def test_roots_that_nearly_meet_and_nearly_are(tiny: int) -> None:
    """(t + z − 3/2)² is c at two ε, or nearly 0 at one."""
    square = (2 * T + 2 * Z - 3) ** 2
    (middle,) = mixed_roots(square)
    low, high = mixed_roots(square * tiny - 2)
    assert near(low) < near(middle) < near(high)
    assert near(high) - near(low) < Fraction(20, tiny) ** Fraction(1, 2)
    assert mixed_roots(square * tiny + 2) == []


def test_orders_of_vanishing_at_zero() -> None:
    """1 − t + t²/2 − t³/6 − e^(-t) is −t⁴/24 + …, and e^(-t) less one more term is positive."""
    f = 6 - 6 * T + 3 * T**2 - T**3 - 6 * Z
    assert mixed_roots(f) == []
    assert sign_at(f, fmpq(1, 10**30)) == -1
    (root,) = mixed_roots(24 * f + T**4 * 5)  # of which the t⁴ is negative still: -6/24·24 + 5
    assert sign_at(24 * f + T**4 * 5, root.low) == -1
    assert mixed_roots((1 - Z) ** 7 * T**3) == []


@pytest.mark.parametrize(
    ("f", "closed"),
    [
        (2 * T - 3, exact(Fraction(3, 2))),
        (T**2 - 3, sqrt(3)),
        (T**2 - T - 1, (1 + sqrt(5)) / 2),
        (T**5 - 2, exp(log(2) / 5)),
        (3 * Z**2 - 2, log(Fraction(3, 2)) / 2),
    ],
)
def test_closed_forms_are_compared_with_numbers(f: fmpz_mpoly, closed: Exact) -> None:
    (root,) = mixed_roots(f)
    assert closed_form(root) == closed
    assert root.compared_to(closed) == 0
    assert root.anew().compared_to(closed + Fraction(1, 10**50)) == -1
    assert root.anew().compared_to(closed - Fraction(1, 10**50)) == 1
    assert root.anew().compared_to(log(2) * log(3) * 100) == -1


def test_a_root_without_a_closed_form() -> None:
    small, large = mixed_roots(3 * T * Z - 1)
    assert closed_form(small) is closed_form(large) is None
    assert [small.compared_to(number) for number in (exact(Fraction(619, 1000)), log(2), sqrt(2), exp(1))] == [
        1,
        -1,
        -1,
        -1,
    ]
    assert large.compared_to(log(4)) == 1
    quadratic = mixed_roots(T**2 - 3 * T + 1)
    assert [closed_form(root) for root in quadratic] == [(3 - sqrt(5)) / 2, (3 + sqrt(5)) / 2]
    assert small == small.anew() and small != large and hash(small) == hash(small.anew())


@pytest.mark.parametrize("number", [log(2) + 1, log(2) * log(3), log(1 + exp(-1))])
def test_numbers_of_which_no_power_is_known_to_be_algebraic(number: Exact) -> None:
    """They are compared by digits; of equality Schanuel's conjecture would speak."""
    (root,) = mixed_roots(T + Z - 3)
    assert root.compared_to(number) == 1


LARGE = 10**12


def test_polynomials_that_are_too_large_to_be_factored() -> None:
    (root,) = mixed_roots(mixed_polynomial({(1, LARGE): 3, (0, 2 * LARGE): 5, (0, 0): -1}))
    function = function_of(root.key)
    for _ in range(30):
        root.narrow()
    assert function.sign_at(root.low) != function.sign_at(root.high)
    assert abs(value(5 * Z**2 - 1, near(root) * LARGE)) * LARGE < 3  # 3·t is as small as that
    (smaller,) = mixed_roots(mixed_polynomial({(1, LARGE): 3, (0, 2 * LARGE): 5, (0, 0): -2}))
    assert roots_in_order([root, smaller]) == [smaller, root]
    (closed,) = mixed_roots(mixed_polynomial({(0, LARGE): 2, (0, 0): -1}))
    assert closed_form(closed) == log(2) / LARGE


def test_algebraic_roots_of_polynomials_that_are_too_large_to_be_factored() -> None:
    """At which balls alone would never see a sign."""
    f = 5000 * T * Z**700 - 1
    algebraic = (T - 1) * (2 * T - 1) ** 2 * (256 * T - 1) * (T**2 - 2) * T**3 * Z
    roots = mixed_roots(algebraic * f)
    assert [closed_form(root) for root in roots if closed_form(root)] == [Fraction(1, 256), Fraction(1, 2), 1, sqrt(2)]
    assert [near(root) for root in roots if closed_form(root) is None] == [near(root) for root in mixed_roots(f)]
    assert len(roots) == 6


def test_a_touch_that_only_factors_would_show_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    f = 5000 * T * Z**700 - 1
    monkeypatch.setattr(sys.modules[mixed_roots.__module__], "LARGEST_PRECISION_WITHOUT_ZERO_TEST", 500)
    with pytest.raises(Undecided, match="500 bits"):
        mixed_roots(f**2)
    (first, _), (again, _) = mixed_roots(f * (Z + 1)), mixed_roots(f * (Z + 2))
    with pytest.raises(Undecided, match="500 bits"):
        roots_in_order([first, again])


def test_numbers_that_are_algebraic_by_their_form() -> None:
    algebraic = [exact("2/3"), sqrt(2), sqrt(1 + sqrt(2)), 1 / sqrt(3 + sqrt(5)), 1 / (1 + sqrt(3))]
    others = [log(2), sqrt(log(2)), exp(1), sqrt(2) * exp(1), exp(sqrt(2)), 1 / (1 + log(3)), sqrt(2) + log(2)]
    assert [_is_algebraic(number) for number in algebraic + others] == [True] * 5 + [False] * 7
