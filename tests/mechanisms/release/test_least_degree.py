"""Claim 5.4 of Hardt, Rothblum & Servedio as it is claimed: the least degree of a polynomial that drops below k."""

from fractions import Fraction
from itertools import combinations, pairwise
from math import ceil, comb, log2, prod, sqrt

import pytest

from dpverify.mechanisms import InputError
from dpverify.mechanisms.release import dropping_polynomial, least_degree, least_dropping_polynomial
from dpverify.mechanisms.release.least_degree import least_drop


def forced_by(nodes: tuple[int, ...], k: int) -> Fraction:
    """1/Σ |l_i(k)|, which is the least error on these nodes alone of a degree of one less than there are."""
    at_k = (prod((Fraction(k - b, a - b) for b in nodes if b != a), start=Fraction(1)) for a in nodes)
    return 1 / sum(map(abs, at_k), start=Fraction(0))


def least_error(k: int, degree: int) -> Fraction:
    """By all sets of nodes: the hardest of them."""
    return max(forced_by(nodes, k) for nodes in combinations(range(k), degree + 1))


@pytest.mark.parametrize("k", [*range(1, 9), *(pytest.param(k, marks=pytest.mark.deep) for k in range(9, 14))])
def test_the_error_is_that_of_the_hardest_nodes(k: int) -> None:
    for degree in range(k):
        s = least_drop(k, degree)
        assert s.degree == degree
        assert s.error == least_error(k, degree) == forced_by(s.nodes, k)


@pytest.mark.parametrize("k", [1, 2, 7, 30])
def test_the_ends_are_known(k: int) -> None:
    """A constant is 1; of degree k − 1 all k values are ± the same, as Σ C(k, j) = 2^k − 1 over j < k; of k it is 0."""
    assert least_drop(k, 0).error == 1
    assert least_drop(k, k - 1).error == Fraction(1, 2**k - 1)
    assert least_drop(k, k).error == least_drop(k, k + 5).error == 0
    assert [least_drop(k, k)(j) for j in range(k + 3)] == [comb(j, k) for j in range(k + 3)]


def test_the_polynomial_is_1_at_k_and_alternates_below() -> None:
    s = least_drop(40, 11)
    assert s(40) == 1
    assert [Fraction(value, s.scale) for value in s.values] == [s(j) for j in range(41)]
    at_nodes = [s(j) for j in s.nodes]
    assert all(abs(value) == s.error for value in at_nodes)
    assert all(a == -b for a, b in pairwise(at_nodes))
    assert max(abs(s(j)) for j in range(40)) == s.error


def test_it_is_a_polynomial_beyond_k_too() -> None:
    """Its differences of order 6 vanish, from −3 to 20: rows can lack more than k attributes."""
    row = [least_drop(9, 5)(j) for j in range(-3, 21)]
    for _ in range(6):
        row = [after - before for before, after in pairwise(row)]
    assert len(row) == 18
    assert not any(row)


def test_the_weights_are_those_of_every_polynomial_of_the_degree() -> None:
    s = least_drop(12, 4)
    for power in range(5):
        assert sum(w * x**power for w, x in zip(s.weights, s.nodes, strict=True)) == sum(s.weights) * 12**power
    assert Fraction(abs(sum(s.weights)), sum(map(abs, s.weights))) == s.error
    assert sum(w * x**5 for w, x in zip(s.weights, s.nodes, strict=True)) != sum(s.weights) * 12**5


def test_any_first_nodes_lead_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that floating point proposes decide nothing, but which of several sets of nodes it is."""
    found = [least_drop(20, degree).error for degree in range(20)]
    monkeypatch.setattr(least_degree, "_first_nodes", lambda k, degree: tuple(range(degree + 1)))
    assert [least_drop(20, degree).error for degree in range(20)] == found


def test_a_linear_program_finds_no_less() -> None:
    """In floating point, in the basis of Chebyshev polynomials over their values at k."""
    import numpy as np
    from scipy.optimize import linprog

    k, degree = 24, 9
    x = 2 * np.arange(k + 1) / (k - 1) - 1
    basis = np.polynomial.chebyshev.chebvander(x, degree)
    basis /= basis[-1]
    bound = -np.ones((k, 1))
    found = linprog(
        np.append(np.zeros(degree + 1), 1),
        A_ub=np.vstack([np.hstack([basis[:-1], bound]), np.hstack([-basis[:-1], bound])]),
        b_ub=np.zeros(2 * k),
        A_eq=[np.append(basis[-1], 0)],
        b_eq=[1],
        bounds=[(None, None)] * (degree + 1) + [(0, None)],
    )
    assert found.fun == pytest.approx(float(least_drop(k, degree).error), rel=1e-6)


@pytest.mark.parametrize(
    ("n", "degrees"), [(10, [6, 8, 12, 16]), (100, [8, 11, 16, 23]), (10**4, [8, 15, 22, 32]), (10**6, [8, 16, 27, 39])]
)
def test_the_least_degrees_for_many_rows(n: int, degrees: list[int]) -> None:
    assert [least_dropping_polynomial(k, Fraction(1, 3 * n)).degree for k in (8, 16, 32, 64)] == degrees


def test_it_is_never_more_than_that_of_14_or_k() -> None:
    for k in (1, 2, 5, 9, 16, 30):
        for eps in (Fraction(1), Fraction(1, 2), Fraction(1, 3), Fraction(1, 100), Fraction(1, 10**9)):
            least = least_dropping_polynomial(k, eps)
            assert least.error <= eps
            assert least.degree <= min(k, dropping_polynomial(k, eps).degree)
            assert least.degree == 0 or least_drop(k, least.degree - 1).error > eps


def test_a_root_rounded_up_is_not_enough() -> None:
    """√(k·log₂(3n)) is 22.8 at k = 35 and n = 10⁴, and the degree is 24; 9/8 of that is 25.6."""
    root = sqrt(35 * log2(3 * 10**4))
    assert least_dropping_polynomial(35, Fraction(1, 3 * 10**4)).degree == 24 > ceil(root)
    assert 9 / 8 * root > 24


def test_just_below_a_third_two_of_two_are_needed() -> None:
    """There 9/8 of √(2·log₂ 3) is 2.003."""
    assert least_dropping_polynomial(2, Fraction(1, 3)).degree == 1
    assert least_dropping_polynomial(2, Fraction(333, 1000)).degree == 2


@pytest.mark.parametrize(
    ("k", "degree", "words"), [(0, 0, "k=0 is not a whole number ≥ 1"), (3, -1, "degree=-1 is not a whole number ≥ 0")]
)
def test_a_bad_degree_is_refused(k: int, degree: int, words: str) -> None:
    with pytest.raises(InputError, match=words):
        least_drop(k, degree)


def test_a_bad_accuracy_is_refused() -> None:
    with pytest.raises(InputError, match="eps=0"):
        least_dropping_polynomial(3, 0)
