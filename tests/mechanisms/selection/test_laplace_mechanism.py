"""The Laplace mechanism on hand-computed cases."""

from fractions import Fraction
from typing import Any

import pytest

from dpverify.mechanisms import InputError, distribution, exp, laplace, log
from dpverify.mechanisms.outputs import AnyReal, AtLeast, AtMost
from dpverify.mechanisms.selection import clamped_laplace_mechanism, discrete_laplace_mechanism, laplace_mechanism


def test_clamped_counts() -> None:

    law = distribution(lambda draw, value: clamped_laplace_mechanism(draw, [value], 0, 2, epsilon=log(2)), 2)
    assert law.probability((2,)) == Fraction(2, 3)
    assert law.probability((1,)) == Fraction(1, 6)
    assert law.probability((0,)) == Fraction(1, 6)


def test_real_values_get_noise_of_their_sensitivity_over_epsilon() -> None:
    def mechanism(draw: Any, value: Fraction) -> Any:
        return laplace_mechanism(draw, [value, 2 * value], epsilon=3, sensitivity=2)

    law = distribution(mechanism, Fraction(1, 2))
    assert law.probability((AtLeast(Fraction(5, 2)), AnyReal())) == exp(-3) / 2
    assert law.probability((AnyReal(), AtMost(0))) == exp(Fraction(-3, 2)) / 2
    assert law.probability((AtLeast(Fraction(5, 2)), AtMost(0))) == exp(Fraction(-9, 2)) / 4


def test_clamped_real_values() -> None:

    law = distribution(lambda draw, value: clamped_laplace_mechanism(draw, [value], 0, 2, epsilon=1, noise=laplace), 2)
    assert law.probability((2,)) == Fraction(1, 2)
    assert law.probability((0,)) == exp(-2) / 2


def test_discrete_values_are_those_of_discrete_noise() -> None:
    def mechanism(draw: Any, value: int) -> Any:
        return discrete_laplace_mechanism(draw, [value], epsilon=log(2))

    assert distribution(mechanism, 5).probability((6,)) == Fraction(1, 6)


@pytest.mark.parametrize("given", [{"epsilon": 0}, {"epsilon": 1, "sensitivity": 0}])
def test_parameters_are_positive(given: Any) -> None:
    with pytest.raises(InputError, match=r"epsilon|sensitivity"):
        distribution(lambda draw, value: laplace_mechanism(draw, [value], **given), 1)
