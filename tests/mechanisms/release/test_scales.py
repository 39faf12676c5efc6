"""The polynomial by scales: Claim 5.4 of Hardt, Rothblum & Servedio for every k, with constants of ours."""

from fractions import Fraction
from itertools import pairwise
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms import InputError
from dpverify.mechanisms.release import least_dropping_polynomial
from dpverify.mechanisms.release.scales import DropByScales, Scale, dropping_by_scales


@given(st.integers(2, 60), st.integers(1, 59), st.integers(1, 6))
def test_a_scale_is_small_from_its_distance_on_and_never_large(k: int, distance: int, exponent: int) -> None:
    scale = Scale(k, min(distance, k - 1), exponent)
    assert scale(k) == 1
    for j in range(k + 1):
        assert abs(scale(j)) <= (Fraction(1, 2**exponent) if j <= k - scale.distance else 1)


@pytest.mark.parametrize(
    ("k", "distance", "degree"), [(100, 25, 2), (100, 20, 2), (100, 19, 3), (100, 99, 1), (2, 1, 1)]
)
def test_the_degree_of_a_scale_is_a_root_rounded_up(k: int, distance: int, degree: int) -> None:
    assert Scale(k, distance, 1).degree == degree
    assert Scale(k, distance, 3).degree == 3 * degree


def test_a_scale_rises_to_k_beyond_its_distance() -> None:
    values = [Scale(100, 36, 2)(j) for j in range(64, 101)]
    assert all(a <= b for a, b in pairwise(values))


@given(st.integers(1, 80), st.integers(2, 10**9))
def test_it_drops_in_the_degree_that_is_claimed(k: int, n: int) -> None:
    s = dropping_by_scales(k, Fraction(1, n))
    assert s(k) == 1
    assert max(abs(s(j)) for j in range(k)) <= Fraction(1, n)
    assert s.degree**2 <= 144 * k * (n - 1).bit_length()
    assert s.degree >= least_dropping_polynomial(k, Fraction(1, n)).degree


def test_it_is_of_the_degree_that_it_says() -> None:
    """The differences of order degree + 1 vanish, and those of the order of the degree do not."""
    s = dropping_by_scales(20, Fraction(1, 4))
    row = [s(j) for j in range(s.degree + 2)]
    for _ in range(s.degree):
        row = [after - before for before, after in pairwise(row)]
    assert row[0] == row[1] != 0


def test_the_zeros_are_next_below_k() -> None:
    s = dropping_by_scales(30, Fraction(1, 16))
    assert s.zeros == 4
    assert [scale.distance for scale in s.scales] == [4, 8, 16]
    assert [scale.exponent for scale in s.scales] == [14, 4, 4]
    assert [s(j) for j in (26, 27, 28, 29)] == [0] * 4
    assert s(25) != 0


def test_without_scales_the_zeros_grow() -> None:
    """At a distance of D they are C(D − 1, m)."""
    bare = DropByScales(30, 4, ())
    assert [abs(bare(30 - distance)) for distance in range(1, 31)] == [
        comb(distance - 1, 4) for distance in range(1, 31)
    ]


def test_where_the_accuracy_is_fine_it_has_zeros_alone() -> None:
    s = dropping_by_scales(5, Fraction(1, 1000))
    assert s.scales == ()
    assert [s(j) for j in range(8)] == [comb(j, 5) for j in range(8)]


@pytest.mark.parametrize("eps", [1, 2, Fraction(3, 2)])
def test_where_it_is_no_accuracy_it_is_1(eps: Fraction | int) -> None:
    s = dropping_by_scales(7, eps)
    assert s.degree == 0
    assert s(0) == s(7) == 1


def test_it_is_of_a_lower_order_than_14() -> None:
    """From log₂(1/ε) of some hundreds on: (14) has √k·log₂(1/ε)."""
    s = dropping_by_scales(10**4, Fraction(1, 2**1000))
    assert s.degree < 100 * 1000


@pytest.mark.parametrize(("k", "eps", "words"), [(0, 1, "k=0 is not a whole number ≥ 1"), (3, 0, "eps=0")])
def test_bad_input_is_refused(k: int, eps: int, words: str) -> None:
    with pytest.raises(InputError, match=words):
        dropping_by_scales(k, eps)
