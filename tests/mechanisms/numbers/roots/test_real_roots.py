"""Real roots between 0 and 1, against floating-point enclosures of all complex roots."""

from itertools import pairwise
from typing import Any

from flint import ctx, fmpq, fmpz_poly
from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms.numbers.roots.real_roots import (
    _roots_of_irreducible,
    coefficient_sign_changes,
    coefficients_beyond,
    real_roots,
    roots_in_order,
)

small = st.lists(st.integers(-6, 6), min_size=2, max_size=7).map(fmpz_poly).filter(lambda f: f.degree() > 0)


def roots_by_balls(f: fmpz_poly) -> list[float]:
    """The different real roots in (0, 1) as python-flint encloses them."""
    squarefree, _ = divmod(f, f.gcd(f.derivative()))
    with ctx.workprec(200):
        roots: list[Any] = squarefree.complex_roots()
        found = [root.real for root, _ in roots if root.imag == 0]
        return sorted(float(x) for x in found if x > 0 and x < 1)


@given(small, small)
def test_the_roots_are_those_that_balls_enclose(f: fmpz_poly, g: fmpz_poly) -> None:
    found = real_roots(f * f * g)
    expected = roots_by_balls(f * g)
    assert len(found) == len(expected)
    for root, near in zip(found, expected, strict=True):
        for _ in range(60):
            root.narrow()
        assert abs(float(root.low) - near) < 1e-12
    assert all(left.high < right.low for left, right in pairwise(found))


@given(small, small)
def test_a_root_of_two_polynomials_is_one_root(f: fmpz_poly, g: fmpz_poly) -> None:
    common = set(real_roots(f))
    for root in common:
        root.narrow()
    _roots_of_irreducible.cache_clear()
    assert common <= set(real_roots(f * g))
    assert {root.anew() for root in common} == common
    both = real_roots(f) + real_roots(f * g)
    assert len(roots_in_order(both)) == len(real_roots(f * g))


def test_roots_of_degree_one_and_at_the_ends() -> None:
    z = fmpz_poly([0, 1])
    (half,) = real_roots(z * (2 * z - 1) * (z - 1) * (z - 3))
    assert (half.low, half.high) == (fmpq(1, 2), fmpq(1, 2))
    half.narrow()
    assert half.low == fmpq(1, 2)
    assert real_roots(fmpz_poly([5])) == []


def test_roots_that_lie_close_together() -> None:
    z = fmpz_poly([0, 1])
    close = (10**12 * z - 5 * 10**11) ** 2 * 2 - fmpz_poly([1])  # two roots 1.4e-12 apart
    low, high = real_roots(close)
    assert low.high < high.low
    assert high.low - low.high < fmpq(1, 10**11)


@given(small)
def test_a_polynomial_without_sign_changes_has_no_root(f: fmpz_poly) -> None:
    coefficients = coefficients_beyond(f, f.degree() + 3)
    assert len(coefficients) == f.degree() + 4
    at_one_half = sum(coefficients)  # x = 1, z = 1/2
    assert fmpq(at_one_half, 2 ** (f.degree() + 3)) == f(fmpq(1, 2))
    assert len(real_roots(f)) <= coefficient_sign_changes(coefficients)
