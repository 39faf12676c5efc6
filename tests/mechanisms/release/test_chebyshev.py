"""Claim 5.4 to Lemma 5.3 of Hardt, Rothblum & Servedio: the dropping polynomial, and signs of polynomials on B_k."""

from fractions import Fraction
from itertools import combinations_with_replacement
from math import cos, isqrt, pi

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import InputError
from dpverify.mechanisms.release import Conjunction, dropping_polynomial, sparse_threshold_polynomial
from dpverify.mechanisms.release.chebyshev import DroppingPolynomial, chebyshev, conjunction_terms
from dpverify.mechanisms.release.conjunctions import sparse_queries
from dpverify.mechanisms.release.multilinear import PolynomialThreshold

HALF = Fraction(1, 2)


def test_the_first_chebyshev_polynomials() -> None:
    x = Fraction(3, 7)
    assert [chebyshev(r, x) for r in range(5)] == [1, x, 2 * x**2 - 1, 4 * x**3 - 3 * x, 8 * x**4 - 8 * x**2 + 1]
    assert float(chebyshev(9, Fraction(1, 2))) == pytest.approx(cos(9 * pi / 3))


def test_the_steps_of_the_claim_hold_for_every_k() -> None:
    """C_r(1 + 1/k) ≥ 2, with equality at k = 1 alone; and 1 − 1/k² is where the argument of C_r gets to below k."""
    at_k = {k: chebyshev(isqrt(k - 1) + 1, 1 + Fraction(1, k)) for k in range(1, 401)}
    assert at_k[1] == 2
    assert all(value > 2 for k, value in at_k.items() if k > 1)
    assert all(Fraction(k - 1, k) * (1 + Fraction(1, k)) == 1 - Fraction(1, k * k) for k in at_k)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("eps", [Fraction(1, 3), Fraction(1, 4), Fraction(1, 1000), Fraction(99, 100)])
def test_the_dropping_polynomial_drops(eps: Fraction) -> None:
    for k in [*range(1, 41), 99, 100, 101, 225, 400]:
        s = dropping_polynomial(k, eps)
        assert s(k) == 1
        assert all(abs(s(j)) <= eps for j in range(k))


@in_one(
    "eps, exponent",
    [(Fraction(1, 2), 1), (Fraction(1, 4), 2), (Fraction(1, 3), 2), (Fraction(1, 5), 3), (Fraction(3, 4), 1), (1, 0)],
)
def test_the_logarithm_is_to_base_2_and_rounded_up(eps: Fraction | int, exponent: int) -> None:
    s = dropping_polynomial(10, eps)
    assert s.exponent == exponent
    assert s.degree == 4 * exponent


def test_for_large_eps_the_printed_exponent_gives_no_polynomial() -> None:
    """At ε = 2 it is −1: 1/s has a root of C_r(·) as a pole, as at k = 1, j = 0. The constant 1 does there."""
    assert chebyshev(1, Fraction(0)) == 0
    assert dropping_polynomial(1, 2).degree == 0


def test_a_natural_logarithm_would_not_do() -> None:
    """ln 6 < 2 < log₂ 6: with an exponent of 2 in place of 3, s is above 1/6 somewhere below k."""
    k = 36
    assert dropping_polynomial(k, Fraction(1, 6)).exponent == 3
    assert max(abs(DroppingPolynomial(k, 2)(j)) for j in range(k)) > Fraction(1, 6)


@given(st.integers(1, 5), st.integers(1, 5), st.sampled_from([HALF, Fraction(1, 6)]), st.data())
def test_the_terms_of_a_row_are_its_polynomial(d: int, k: int, eps: Fraction, data: st.DataObject) -> None:
    """Corollary 5.5: A_u is s(k − …) everywhere, is 1 where P(q, u) is, and at most ε in size elsewhere on B_k."""
    u = data.draw(st.integers(0, (1 << d) - 1))
    s = dropping_polynomial(k, eps)
    lacking = (1 << d) - 1 & ~u
    a_u = PolynomialThreshold.of(conjunction_terms(lacking, k, s))
    assert all(a_u.value(q) == s(k - (q & lacking).bit_count()) for q in range(1 << d))
    assert a_u.degree <= min(s.degree, lacking.bit_count())
    for q in sparse_queries(d, k):
        assert a_u.value(q) == 1 if Conjunction(q)(u) else abs(a_u.value(q)) <= eps


@pytest.mark.parametrize(("d", "n"), [(1, 1), (1, 3), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2)])
def test_the_sign_is_the_threshold_on_all_small_databases(d: int, n: int) -> None:
    """Lemma 5.3, for every threshold, also 0, and every k."""
    for rows in combinations_with_replacement(range(1 << d), n):
        shares = [Fraction(sum(map(Conjunction(q), rows)), n) for q in range(1 << d)]
        for k in range(1, d + 1):
            for t in {Fraction(i, 2 * n) for i in range(2 * n + 1)}:
                found = sparse_threshold_polynomial(rows, t=t, d=d, k=k)
                for q in sparse_queries(d, k):
                    assert found(q) == int(shares[q] >= t)
                    # by at least 1/6, as the proof says
                    assert abs(found.value(q)) >= Fraction(1, 6)


def test_the_polynomial_is_for_sparse_queries_only() -> None:
    """For k = 1 and ε = 1/3, s(j) = j², which is 1 again at j = −1, for a query of two attributes that the row lacks."""
    rows = (0b000,)
    found = sparse_threshold_polynomial(rows, t=1, d=3, k=1)
    assert [found(q) for q in sparse_queries(3, 1)] == [1, 0, 0, 0]
    assert found(0b011) == 1


def test_one_row_has_no_polynomial_of_degree_0() -> None:
    """Lemma 5.3 states the degree O(sqrt(k·log n)), which is 0 at n = 1; but f^D_1 = 1 − q_0 for D = (0)."""
    found = sparse_threshold_polynomial((0,), t=1, d=1, k=1)
    assert [found(0), found(1)] == [1, 0]
    assert found.degree == 1


@pytest.mark.deep
def test_the_degree_of_many_attributes() -> None:
    """5·⌈log₂ 6⌉ = 15 of 16 attributes: the monomial of all is not needed, as its difference is 0."""
    s = dropping_polynomial(25, Fraction(1, 6))
    assert s.degree == 15
    differences = dict(conjunction_terms((1 << 16) - 1, 25, DroppingPolynomial(25, 4)))
    assert differences[(1 << 16) - 1] != 0  # of degree 20
    assert all(monomial.bit_count() <= 15 for monomial, _ in conjunction_terms((1 << 16) - 1, 25, s))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"rows": ()}, "the database is empty"),
        ({"rows": (4,)}, "row 0: the point 4"),
        ({"t": Fraction(3, 2)}, "t=3/2 must be between 0 and 1"),
        ({"t": -1}, "t=-1 must be between 0 and 1"),
        ({"k": 0}, "k=0 is not a whole number ≥ 1"),
    ],
)
def test_bad_input_is_refused(changed: dict[str, object], words: str) -> None:
    given_: dict[str, object] = {"rows": (0,), "t": 1, "d": 2, "k": 1} | changed
    with pytest.raises(InputError, match=words):
        sparse_threshold_polynomial(**given_)  # type: ignore[arg-type]  # bad input is the point


def test_a_bad_eps_is_refused() -> None:
    with pytest.raises(InputError, match="eps=0"):
        dropping_polynomial(3, 0)
