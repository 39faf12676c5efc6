"""What counts say of ε: against sums over all that could have been counted, and against likelihoods on a grid."""

from fractions import Fraction as F
from math import comb, exp, inf, log

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few, in_one

from dpverify.mechanisms import Exact, exact
from dpverify.mechanisms import log as exact_log
from dpverify.verifiers.blackbox.sampling import evidence
from dpverify.verifiers.blackbox.sampling.evidence import (
    EventTally,
    Prior,
    refutes,
    refutes_anywhere,
    ruled_out,
    ruled_out_anywhere,
)
from dpverify.verifiers.blackbox.sampling.power import POWER, fewest, least_refuted_epsilon, smallest_shift

ZERO = exact(0)
LN2 = exact_log(2)


def chance(k: int, n: int, p: F) -> F:
    return comb(n, k) * p**k * (1 - p) ** (n - k)


@pytest.mark.parametrize("p", [F(1, 10), F(3, 10), F(1, 2), F(7, 10)])
def test_either_end_is_wrong_with_half_of_the_error_and_both_with_all_of_it(p: F) -> None:
    """Summed over all counts: a one-sided end where a two-sided one belongs is wrong about twice as often."""
    n, error = 60, F(1, 5)
    ends = {k: evidence._ends(EventTally(k, k, n), error) for k in range(n + 1)}
    below = sum(chance(k, n, p) for k, (low, _) in ends.items() if low > p)
    above = sum(chance(k, n, p) for k, (_, high) in ends.items() if high < p)
    assert below <= error / 2 and above <= error / 2
    assert below + above > error / 3  # and not for want of trying


def test_what_is_true_is_refuted_no_more_often_than_is_allowed() -> None:
    """P = ½, P′ = ¼, ε = ln 2, which is met with equality: all 41² counts, exactly."""
    n, error = 40, F(1, 4)
    bad = {(k, m): refutes(EventTally(k, m, n), LN2, ZERO, error) for k in range(n + 1) for m in range(n + 1)}
    size = sum(chance(k, n, F(1, 2)) * chance(m, n, F(1, 4)) for (k, m), it in bad.items() if it)
    assert 0 < size <= error
    for (k, m), it in bad.items():  # more on the left, or fewer on the right, never speak for the claim
        assert not it or k == n or bad[k + 1, m]
        assert not it or m == 0 or bad[k, m - 1]


@in_one("p, q, delta", [(F(1, 2), F(1, 4), F(0)), (F(3, 5), F(1, 4), F(1, 10)), (F(1, 5), F(0), F(1, 5))])
@in_one("prior", [Prior(0, 0, 0), Prior(7, 1, 10)])
def test_under_the_claim_the_evidence_is_1_on_average_at_most(p: F, q: F, delta: F, prior: Prior) -> None:
    """For ε = ln 2, over all counts of few draws: so that by Markov it rarely is large, and by Ville at no time."""
    for n in (1, 2, 5, 12):
        mean = 0.0
        for k in range(n + 1):
            for m in range(n + 1):
                found = evidence._log_evidence(EventTally(k, m, n), prior, arb(2), arb(float(delta)))
                mean += float(chance(k, n, p) * chance(m, n, q)) * (0 if found is None else exp(float(found.mid())))
        assert mean <= 1 + 1e-9


@given(
    st.integers(1, 300),
    st.integers(0, 300),
    st.integers(0, 300),
    st.sampled_from([0.0, 0.1, 1.0, 3.0]),
    st.sampled_from([0.0, 0.001, 0.2]),
)
@few(30, deep=600)
def test_nothing_that_is_allowed_is_more_likely_than_the_bound(
    n: int, k: int, m: int, epsilon: float, delta: float
) -> None:
    k, m = min(k, n), min(m, n)
    with ctx.workprec(256):
        most = evidence._most_likely(EventTally(k, m, n), arb(epsilon).exp(), arb(delta))
    if most is None:
        return
    grid = np.concatenate([[0.0], np.logspace(-9, 0, 400)])
    p, q = np.meshgrid(grid, grid)
    allowed = p <= np.exp(epsilon) * q + delta
    with np.errstate(divide="ignore", invalid="ignore"):
        likely = sum(np.where(t > 0, t * np.log(x), 0.0) for t, x in ((k, p), (n - k, 1 - p), (m, q), (n - m, 1 - q)))
    best = float(np.nanmax(np.where(allowed, likely, -inf)))
    assert best <= float(most.upper()) + 1e-9
    if m > 0 and k < n:  # the largest is inside, and near it the bound leaves no room
        place = evidence._place(k, m, n, exp(epsilon), delta)
        with ctx.workprec(256):
            for i in range(-8, 9):
                near = arb(place) * (1 + arb(i) / 10**8)
                likely_there = evidence._likelihood(EventTally(k, m, n), arb(epsilon).exp(), arb(delta), near)
                assert not likely_there > most
            assert likely_there > most - arb(1e-6)  # and it is no idle one


def test_looking_again_and_again_refutes_what_is_true_rarely_and_intervals_would_do_so_often() -> None:
    """ε = ln 2 with equality, 40 looks: evidence may, an interval for a fixed number of draws may not, be asked often."""
    rng, runs, error = np.random.default_rng(7), 100, F(1, 5)
    wrong_anywhere = wrong_each_time = 0
    for _ in range(runs):
        left = np.cumsum(rng.binomial(25, 0.5, size=40))
        right = np.cumsum(rng.binomial(25, 0.25, size=40))
        tallies = [EventTally(int(k), int(m), 25 * (i + 1)) for i, (k, m) in enumerate(zip(left, right, strict=True))]
        prior = Prior(int(rng.binomial(50, 0.5)), int(rng.binomial(50, 0.25)), 50)
        wrong_anywhere += any(refutes_anywhere(tally, prior, LN2, ZERO, error) for tally in tallies)
        wrong_each_time += any(ruled_out_one_sided(tally) for tally in tallies)
    assert wrong_anywhere <= runs * error
    assert wrong_each_time > 1.5 * runs * error


def ruled_out_one_sided(tally: EventTally) -> bool:
    """The mistake: a normal test of level 1/5, at each look."""
    p, q = tally.left / tally.draws, tally.right / tally.draws
    spread = ((p * (1 - p) + 4 * q * (1 - q)) / tally.draws) ** 0.5
    return bool(p - 2 * q > 0.84 * spread)


@given(st.integers(1, 400), st.integers(0, 400), st.integers(0, 400), st.sampled_from([F(0), F(1, 50)]))
@few(20, deep=400)
def test_what_is_ruled_out_is_the_largest_that_is_refuted(n: int, k: int, m: int, delta: F) -> None:
    tally, prior, error = EventTally(min(k, n), min(m, n), n), Prior(3, 1, 10), F(1, 100)

    def anywhere(epsilon: Exact) -> bool:
        return refutes_anywhere(tally, prior, epsilon, exact(delta), error)

    for found, refuted in (
        (ruled_out(tally, exact(delta), error), lambda epsilon: refutes(tally, epsilon, exact(delta), error)),
        (ruled_out_anywhere(tally, prior, exact(delta), error), anywhere),
    ):
        if found is None:
            assert not refuted(exact(F(2, 10**4)))
        else:
            assert found > 0 and refuted(exact(found * F(999, 1000)))
            assert not refuted(exact(found + F(1, 10**3)))


def test_the_smallest_violation_is_refuted_with_the_power_that_is_said_and_fewer_draws_see_less() -> None:
    draws, error, share = 3_000, F(1, 1000), F(1, 20)
    found = least_refuted_epsilon(draws, exact(F(1, 10)), ZERO, share, error)
    assert found is not None
    rng = np.random.default_rng(3)
    seen = 0
    for _ in range(300):
        tally = EventTally(
            int(rng.binomial(draws, float(share) * exp(found))), int(rng.binomial(draws, float(share))), draws
        )
        seen += refutes(tally, exact(F(1, 10)), ZERO, error)
    assert seen >= 300 * POWER
    less = least_refuted_epsilon(draws // 2, exact(F(1, 10)), ZERO, share, error)
    assert less is not None and less > found
    assert least_refuted_epsilon(5, exact(F(1, 10)), ZERO, share, error) is None
    assert smallest_shift(5, F(1, 1000)) is None
    wide, narrow = smallest_shift(1_000, F(1, 1000)), smallest_shift(100_000, F(1, 1000))
    assert wide is not None and narrow is not None and narrow < wide / 9


def test_an_epsilon_beyond_all_floats_is_refuted_by_nothing_that_was_counted() -> None:
    assert not refutes_anywhere(EventTally(90, 0, 100), Prior(9, 0, 10), exact(1000), ZERO, F(1, 10))
    assert not refutes(EventTally(90, 0, 100), exact(1000), ZERO, F(1, 10))
    assert refutes_anywhere(
        EventTally(100, 0, 100), Prior(10, 0, 10), exact(1), ZERO, F(1, 100)
    )  # each time on the left


@pytest.mark.parametrize(("n", "p"), [(10, F(1, 3)), (50, F(1, 20)), (30, F(9, 10))])
def test_fewest_is_a_quantile(n: int, p: F) -> None:
    k = fewest(n, p, F(1, 20))
    short = sum(chance(i, n, p) for i in range(k))
    assert short <= F(1, 20) < short + chance(k, n, p)


def test_a_violation_of_twice_the_claim_is_refuted_by_few_times_the_draws_that_are_the_least_possible() -> None:
    """About (7/ε)² draws at the least, of an event of probability about ½."""
    epsilon = 0.1
    n = 5 * round((7 / epsilon) ** 2)
    tally = EventTally(round(n * 0.4 * exp(2 * epsilon)), round(n * 0.4), n)
    assert refutes(tally, exact(F(1, 10)), ZERO, F(1, 1000))
    assert log(tally.left / tally.right) > epsilon
