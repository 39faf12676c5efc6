"""The interval of Clopper and Pearson, by its definition and against numbers that are known."""

from fractions import Fraction as F
from math import comb

import pytest
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few

from dpverify.mechanisms import InputError
from dpverify.verifiers.utility import clopper_pearson
from dpverify.verifiers.utility.binomial_tails import is_at_most, upper_tail


def test_the_interval_is_that_of_clopper_and_pearson() -> None:
    """1 − (1 − p)^n for no success, and published values (10 of 100 at 95 %: 0.0490 to 0.1762)."""
    low, high = clopper_pearson(10, 100, F(95, 100))
    assert (round(float(low), 4), round(float(high), 4)) == (0.0490, 0.1762)
    assert clopper_pearson(0, 10, F(9, 10))[0] == 0
    assert abs((1 - clopper_pearson(0, 10, F(9, 10))[1]) ** 10 - F(1, 20)) < F(1, 10**4)
    assert clopper_pearson(10, 10, F(9, 10))[1] == 1
    assert clopper_pearson(3, 10) == tuple(1 - end for end in reversed(clopper_pearson(7, 10)))
    with pytest.raises(InputError, match="successes=11"):
        clopper_pearson(11, 10)
    with pytest.raises(InputError, match="confidence"):
        clopper_pearson(1, 10, 1)


def test_ends_that_are_met_exactly() -> None:
    """p^n = 1/4 at a multiple of the parts, and 1 − (1 − p)² = 7/16 at 1/4: there an enclosure does not tell."""
    assert clopper_pearson(1, 1, F(1, 2)) == (F(1, 4), F(1))
    assert clopper_pearson(0, 1, F(1, 2)) == (F(0), F(3, 4))
    assert clopper_pearson(2, 2, F(1, 2)) == (F(1, 2), F(1))
    assert clopper_pearson(1, 2, F(1, 8)) == (F(1, 4), F(3, 4))
    assert clopper_pearson(1, 2, F(1, 8) + F(2, 10**20)) == (F(1, 4) - F(1, 1 << 40), F(3, 4) + F(1, 1 << 40))


def test_ends_within_a_part_of_0_and_1() -> None:
    """One trial shows p ≥ 2⁻⁴² or p ≤ 1 − 2⁻⁴² at this confidence: no other multiple of the parts is as safe as 0 or 1."""
    sure = 1 - F(2, 1 << 42)
    assert clopper_pearson(1, 1, sure) == clopper_pearson(0, 1, sure) == (F(0), F(1))


def tail(trials: int, numbers: range, p: F) -> F:
    return sum((comb(trials, i) * p**i * (1 - p) ** (trials - i) for i in numbers), start=F(0))


@given(st.integers(1, 25), st.integers(0, 25), st.sampled_from([F(1, 2), F(9, 10), F(999, 1000)]))
@few(10, deep=200)
def test_its_ends_have_the_tails_that_they_should_have_and_next_to_them_nobody_would(n: int, k: int, sure: F) -> None:
    k, each, part = min(k, n), (1 - sure) / 2, F(1, 1 << 40)
    low, high = clopper_pearson(k, n, sure)
    assert 0 <= low < high <= 1
    if k:
        assert tail(n, range(k, n + 1), low) <= each < tail(n, range(k, n + 1), low + part)
    if k < n:
        assert tail(n, range(k + 1), high) <= each < tail(n, range(k + 1), high - part)


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("k", "n"), [(1, 60_000), (20_000, 60_000), (59_990, 60_000), (100_000, 10**7), (5_000_000, 10**7), (300, 10**6)]
)
@pytest.mark.parametrize("sure", [F(1, 10), F(9999, 10_000), 1 - F(1, 10**12)])
def test_of_many_trials_the_ends_are_those_of_an_incomplete_beta_function(k: int, n: int, sure: F) -> None:
    """By the ball arithmetic of Flint, which shares nothing with the series."""
    low, high = clopper_pearson(k, n, sure)
    part, each = F(1, 1 << 40), (1 - sure) / 2
    assert beta_tail(k, n, low) <= each < beta_tail(k, n, low + part)
    assert beta_tail(n - k, n, 1 - high) <= each < beta_tail(n - k, n, 1 - high + part)


def beta_tail(k: int, n: int, p: F) -> F:
    with ctx.workprec(256):
        exactly = arb(fmpq(p.numerator, p.denominator)).beta_lower(k, n - k + 1, regularized=True)
    assert exactly.rel_accuracy_bits() > 60
    middle = exactly.mid().fmpq()
    return F(int(middle.p), int(middle.q))


@given(st.integers(1, 400), st.integers(0, 400), st.integers(1, 999))
@few(20, deep=400)
def test_the_tail_lies_in_its_ball(n: int, k: int, thousandths: int) -> None:
    k, p = min(k, n), F(thousandths, 1000)
    exactly = tail(n, range(k, n + 1), p)
    ball = upper_tail(k, n, p)
    assert ball.contains(arb(fmpq(exactly.numerator, exactly.denominator)))
    assert ball.rel_accuracy_bits() > 30
    assert is_at_most(exactly, k, n, p)
    assert not is_at_most(exactly * (1 - F(1, 10**60)), k, n, p)


@pytest.mark.parametrize("far", [60, 400, 2_000])
def test_probabilities_that_floats_round_to_0_or_1(far: int) -> None:
    """Of n trials all succeed with probability 1 − n·2^−far about, or one with n·2^−far."""
    tiny, n = F(1, 2**far), 2_000
    assert is_at_most(F(1, 10**9), 1, n, tiny) and not is_at_most(F(1, 2 ** (far + 9)), 1, n, tiny)
    assert not is_at_most(1 - F(1, 10**3), n, n, 1 - tiny)
    assert is_at_most(F(1, 10**9), n, n, tiny)
