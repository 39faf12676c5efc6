"""Composition and subsampling: laws by hand, the optimum against an independent accountant, and the printed bounds."""

import warnings
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from dpverify.mechanisms import Draw, InputError, bernoulli, bounds, distribution, exp, log, run, sqrt
from dpverify.mechanisms.selection import (
    composition,
    hardest_composition,
    leaky_randomized_response,
    learn_empirically,
    on_a_sample,
)
from dpverify.mechanisms.selection.composition import advanced_composition_epsilon, epsilon_of_each
from dpverify.mechanisms.selection.subsampling import delta_of_sample, epsilon_of_sample
from dpverify.verifiers import Status, check_privacy, privacy_profile
from dpverify.verifiers.catalogue.selection.composition_privacy import other_bit
from dpverify.verifiers.verdicts import PrivacyProfile

pytestmark = pytest.mark.usefixtures("decided_here")

TENTH = Fraction(1, 10)


def profile_of(**parameters: Any) -> PrivacyProfile:
    return privacy_profile(hardest_composition, (0, 1), other_bit, parameters=parameters)


def test_the_dominating_pair_meets_its_claim_with_equality() -> None:
    for epsilon, delta in ((1, TENTH), (log(2), Fraction(0)), (0, TENTH)):
        given = {"epsilon": epsilon, "delta": delta}
        profile = privacy_profile(leaky_randomized_response, (0, 1), other_bit, parameters=given)
        assert profile.delta(epsilon) == delta
        assert profile.epsilon(delta) == epsilon


def test_the_lumped_composition_is_the_composition_of_the_pair() -> None:
    """Three uses drawn one after another, against the lumped law, at every ε at once."""
    given = {"epsilon": log(3), "delta": TENTH}
    parts = ((leaky_randomized_response, given),) * 3
    whole = privacy_profile(composition, (0, 1), other_bit, parameters={"parts": parts})
    lumped = profile_of(times=3, **given)
    assert [(a.least, a.p, a.q) for a in whole.pieces] == [(b.least, b.p, b.q) for b in lumped.pieces]


def test_the_optimum_by_the_formula_of_kairouz_oh_and_viswanath() -> None:
    """δ(ε′) = 1 − (1−δ)^k·(1 − Σ C(k,i)·max(0, e^(iε) − e^(ε′+(k−i)ε))/(1+e^ε)^k), at e^ε = 2."""
    k, delta = 5, TENTH
    profile = profile_of(times=k, epsilon=log(2), delta=delta)
    binomial = [1, 5, 10, 10, 5, 1]
    for factor in (1, Fraction(3, 2), 3, 8, 40):
        pure = (
            sum(
                (binomial[i] * max(Fraction(0), 2**i - factor * Fraction(2) ** (k - i)) for i in range(k + 1)),
                Fraction(0),
            )
            / 3**k
        )
        assert profile.delta(log(factor)) == 1 - (1 - delta) ** k * (1 - pure)


INDEPENDENT = {
    (10, "0.5", "0.001"): (0.5245791835067208, 0.47722106598176994, 0.33833170368954524, 0.15397343033158614),
    (3, "1", "0"): (0.5932523629788191, 0.5283059855142115, 0.3378347121470412, 0.24697696447409279),
    (20, "0.1", "0.0001"): (0.09261627881758669, 0.04017723648105332, 0.004390004759166403, 0.001998101139516655),
}
"""(times, ε, δ) of an accountant, dp-accounting 0.6.0, → its δ at ε = 0.25, 0.5, 1 and 2: to load it takes a second."""


@pytest.mark.parametrize(("times", "epsilon", "delta"), INDEPENDENT)
def test_the_profile_agrees_with_an_independent_accountant(times: int, epsilon: str, delta: str) -> None:
    """dp-accounting rounds privacy losses up to a grid: its δ is at least ours, and near it."""
    ours = profile_of(times=times, epsilon=epsilon, delta=delta)
    for at, found in zip(("0.25", "0.5", "1", "2"), INDEPENDENT[times, epsilon, delta], strict=True):
        lower, upper = bounds(ours.delta(at))
        assert float(lower) - 1e-9 <= found <= float(upper) + 3e-3


@pytest.mark.deep
@pytest.mark.parametrize(("times", "epsilon", "delta"), INDEPENDENT)
def test_the_accountant_says_so(times: int, epsilon: str, delta: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from dp_accounting.pld import common, privacy_loss_distribution
    given = common.DifferentialPrivacyParameters(float(epsilon), float(delta))
    single = privacy_loss_distribution.from_privacy_parameters(given, value_discretization_interval=1e-4)
    theirs = single.self_compose(times)
    found = [theirs.get_delta_for_epsilon(at) for at in (0.25, 0.5, 1.0, 2.0)]
    assert found == pytest.approx(INDEPENDENT[times, epsilon, delta], abs=1e-12)


GRID = list(
    product((1, 2, 3, 10, 40), (TENTH, Fraction(1, 2), Fraction(1), Fraction(2)), (Fraction(0), Fraction(1, 1000)))
)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("times", "epsilon", "delta"), GRID)
def test_the_printed_theorems_over_a_grid(times: int, epsilon: Fraction, delta: Fraction) -> None:
    """Basic composition is met with equality at δ = 0; the advanced bound holds for ε above 1 as well.

    There 2kε² ≥ kε, so that it follows from the basic one: the condition ε ≤ 1 of Theorem 2.5 is not needed.
    """
    profile = profile_of(times=times, epsilon=epsilon, delta=delta)
    assert profile.delta(times * epsilon) <= times * delta
    if delta == 0:
        assert profile.epsilon() == times * epsilon
    for failure in (Fraction(1, 10**6), TENTH):
        claimed = advanced_composition_epsilon(times=times, epsilon=epsilon, failure=failure)
        assert profile.delta(claimed) <= times * delta + failure


def test_the_advanced_bound_is_what_is_printed() -> None:
    assert advanced_composition_epsilon(times=8, epsilon=TENTH, failure=exp(-1)) == Fraction(4, 10) + Fraction(16, 100)
    assert advanced_composition_epsilon(times=2, epsilon=1, failure=TENTH) == sqrt(4 * log(10)) + 4


def test_the_epsilon_of_each_part_is_that_with_which_they_add_up() -> None:
    failure = exp(Fraction(-3, 2))
    assert advanced_composition_epsilon(times=3, epsilon=Fraction(1, 6), failure=failure) == Fraction(2, 3)
    assert epsilon_of_each(times=3, epsilon=Fraction(2, 3), failure=failure) == Fraction(1, 6)


def test_a_sample_has_every_row_with_the_same_chance() -> None:
    def first(draw: Draw, rows: tuple[str, ...]) -> str:
        return rows[0]

    law = distribution(on_a_sample, ("a", "b", "c", "a"), size=3, mechanism=first)
    assert law.probability("a") == Fraction(1, 2)
    assert law.probability("b") == Fraction(1, 4)
    assert run(on_a_sample, ("a",), size=2, mechanism=first, seed=1) == "a"


def test_subsampling_randomized_response_by_hand() -> None:
    """On one of n rows δ(ε) is that of the mixture: e^ε̃ = 1 + (e^ε − 1)/n against all other rows equal to the other bit."""

    databases = [(0, 0, 0, 0), (1, 0, 0, 0)]
    profile = privacy_profile(
        on_a_sample,
        databases,
        lambda rows: [other for other in databases if other != rows],
        parameters={"size": 1, "mechanism": lambda draw, rows: bool(draw(bernoulli(Fraction(3, 4))) == rows[0])},
    )
    assert profile.epsilon() == log(Fraction(3, 2))  # (3/4·1/4 + 1/4·3/4)/(1/4) against p = 1/4


def test_an_empirical_learner_samples_a_ninth() -> None:
    law = distribution(learn_empirically, (*(0,) * 9, *(1,) * 9), learner=distinct_values)
    assert law.probability((0, 1)) == Fraction(1, 2)
    assert len(run(learn_empirically, tuple(range(26)), learner=distinct_values, seed=1)) <= 2


def distinct_values(draw: Draw, rows: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(set(rows)))


def test_the_bounds_on_samples() -> None:
    assert epsilon_of_sample(size=2, rows=12, epsilon=1) == 1
    assert delta_of_sample(size=2, rows=12, epsilon=1, delta=TENTH) == exp(1) * Fraction(4, 60)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: distribution(hardest_composition, 0, times=0, epsilon=1, delta=0),
            "times=0 is not a whole number ≥ 1",
        ),
        (lambda: advanced_composition_epsilon(times=1, epsilon=1, failure=0), "failure=0 must be greater than 0"),
        (lambda: distribution(on_a_sample, (1,), size=0, mechanism=len), "times=0 is not a whole number"),
        (
            lambda: distribution(learn_empirically, (1,) * 8, learner=len),
            "must be at least 9, as a ninth of the rows is sampled",
        ),
    ],
)
def test_what_is_refused(call: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_more_uses_than_claimed_are_refuted() -> None:
    given = {"times": 4, "epsilon": Fraction(1), "delta": Fraction(0)}
    assert check_privacy(hardest_composition, (0, 1), other_bit, epsilon=3, parameters=given).status is Status.REFUTED
