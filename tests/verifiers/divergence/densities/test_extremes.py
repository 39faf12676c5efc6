"""Released real numbers at the ends: noise that no float measures, ε beyond a million, whole numbers beside real ones."""

from fractions import Fraction
from math import expm1, log1p
from typing import Any

import pytest

from dpverify.mechanisms import Draw, bernoulli, discrete_laplace, distribution, exp, laplace, sqrt, truncated_laplace
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.outputs import AtLeast, AtMost
from dpverify.verifiers import Status, Verdict, check_privacy, privacy_profile


def decided(mechanism: Any, epsilon: Any, delta: Any, **parameters: Any) -> Verdict:
    """The verdict on the databases 0 and 1, neighbours of each other."""
    return check_privacy(
        mechanism,
        [0, 1],
        lambda database: [1 - database],
        epsilon=epsilon,
        delta=delta,
        parameters=parameters,
        recheck=False,
    )


def two_scales(draw: Draw, database: int, *, unit: Fraction) -> Any:
    """Noise of one of two scales, which the outcome does not tell."""
    noise = draw(laplace(unit)) if draw(bernoulli("1/2")) else draw(laplace(3 * unit))
    return database * unit + noise


@pytest.mark.parametrize("digits", [30, 320, 331, 400])
def test_the_unit_of_the_data_does_not_matter(digits: int) -> None:
    # a crossing without closed form: what lies around it has mass where the density is 10^400
    delta = Fraction(1_745, 10_000)
    plain = decided(two_scales, "1/4", delta, unit=Fraction(1))
    tiny = decided(two_scales, "1/4", delta, unit=Fraction(1, 10**digits))
    assert plain.status is tiny.status is Status.REFUTED
    assert plain.delta is not None
    assert tiny.delta is not None
    assert tiny.delta.upper - tiny.delta.lower < Fraction(1, 10**15)
    assert plain.delta.lower <= tiny.delta.upper
    assert tiny.delta.lower <= plain.delta.upper


def test_a_witness_of_immense_exponents_can_be_read() -> None:
    witness = decided(noisy, 1, "1/10", scale=Fraction(1, 10**400)).witness
    assert witness is not None
    assert "e^" in str(exp(-(10**400)) + exp(2))
    assert "Pr[event | left]  = 1/2" in str(witness)


def noisy(draw: Draw, database: int, *, scale: Fraction) -> Any:
    """The database with Laplace noise."""
    return database + draw(laplace(scale))


def test_the_least_epsilon_may_be_ten_million() -> None:
    profile = privacy_profile(noisy, [0, 1], lambda d: [1 - d], parameters={"scale": Fraction(1, 10**7)}, recheck=False)
    found = profile.epsilon("1/2")  # 1 - e^((ε - 10^7)/2) = 1/2
    assert found is not None
    assert float(enclosure(found)) == pytest.approx(10**7 + 2 * log1p(-0.5), abs=1e-6)


def cut_off(draw: Draw, database: int) -> Any:
    """A coin that decides whether the database is returned as it is, or with noise that has an end."""
    if draw(bernoulli("1/4")):
        return database
    return (database + draw(truncated_laplace(1, 5)), database + draw(truncated_laplace(1, 5)))


def test_there_is_no_epsilon_for_less_than_what_one_law_alone_has() -> None:
    profile = privacy_profile(cut_off, [0, 1], lambda d: [1 - d], recheck=False)
    beyond = expm1(1) / (2 * expm1(5))
    alone = 1 / 4 + 3 / 4 * (1 - (1 - beyond) ** 2)
    assert profile.epsilon(Fraction(alone - 1e-6)) is None
    found = profile.epsilon(Fraction(alone + 1e-6))
    assert found is not None
    assert 1 < float(enclosure(found)) < 2.1


def whole_or_real(draw: Draw, database: int) -> Any:
    """Whole numbers and real ones in one place."""
    if draw(bernoulli("1/3")):
        return database + draw(discrete_laplace(3))
    return database + draw(laplace(2))


@pytest.mark.parametrize("delta", ["1/100", "2/100", "1/10"])
def test_a_witness_tells_whole_numbers_from_real_ones(delta: str) -> None:
    verdict = decided(whole_or_real, "1/5", delta)
    assert verdict.status is Status.REFUTED
    witness = verdict.witness
    assert witness is not None
    assert witness.difference > witness.delta
    p, q = (distribution(whole_or_real, side).probability(*witness.event) for side in (witness.left, witness.right))
    assert (p, q) == (witness.p, witness.q)


def whole(draw: Draw, database: int) -> Any:
    """The database with discrete Laplace noise."""
    return database + draw(discrete_laplace(2))


def test_ends_between_whole_numbers_are_those_of_whole_numbers() -> None:
    law = distribution(whole, 0)
    for end in (Fraction(3, 2), sqrt(2), sqrt(2) + Fraction(1, 4)):
        assert law.probability(AtLeast(end)) == law.probability(AtLeast(2))
        assert law.probability(AtMost(end)) == law.probability(AtMost(1))
        assert law.probability(AtLeast(end), AtMost(end)) == 1


def noisy_maximum(draw: Draw, database: int) -> Any:
    """The larger of two noisy numbers: the densities cross where no closed form is known."""
    first, second = database + draw(laplace(2)), draw(laplace(3))
    return first if first >= second else second


def test_claims_next_to_an_enclosed_delta_are_decided() -> None:
    epsilon, near = "1/10", Fraction(1, 10**18)
    found = decided(noisy_maximum, epsilon, 0).delta
    assert found is not None
    assert found.exact is None
    assert decided(noisy_maximum, epsilon, found.upper + near).status is Status.PROVED
    assert decided(noisy_maximum, epsilon, found.lower - near).status is Status.REFUTED


@pytest.mark.one_in(2)
@pytest.mark.parametrize("delta", ["1/1000", "1/100"])
def test_the_least_epsilon_is_one_that_is_proved(delta: str) -> None:
    profile = privacy_profile(noisy_maximum, [0, 1], lambda d: [1 - d], recheck=False)
    least = profile.epsilon(delta)
    assert least is not None
    assert decided(noisy_maximum, least, delta).status is Status.PROVED
    assert decided(noisy_maximum, least - Fraction(1, 10**15), delta).status is Status.REFUTED
