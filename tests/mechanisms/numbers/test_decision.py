"""The decision procedure: complete where it says so, and a reason where it is not."""

from fractions import Fraction

import pytest
from tests.examples import in_one

from dpverify.mechanisms import Exact, Undecided, exact, exp, log, sqrt
from dpverify.mechanisms.numbers.decision import sign
from dpverify.mechanisms.numbers.polynomial_form import is_formally_zero, why_formal_zero_is_incomplete


@in_one(
    "number",
    [
        exp(1) + exp(Fraction(1, 3)) - 4,
        exp(1) * sqrt(2) + sqrt(3) * exp(2) - 1,
        log(2) ** 3 + sqrt(2) * log(2) - 1,  # one logarithm, algebraic coefficients
        sqrt(2) * log(2) + sqrt(3) * log(5) - 1,  # linear in logarithms: Baker
        (log(2) + log(3)) / (1 + exp(0)) - 1,
        log(2) / exp(1) - log(3) / exp(1),  # the power of e divides out
    ],
)
def test_the_complete_classes(number: Exact) -> None:
    assert not is_formally_zero(number)
    assert why_formal_zero_is_incomplete(number) is None


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (log(2) * log(3) - log(5), "Schanuel"),
        (exp(1) - log(2), "Schanuel"),
        (exp(sqrt(2)) - 4, "exp"),
        (log(1 + exp(1)) - 1, "log"),
    ],
)
def test_the_incomplete_ones_say_why(number: Exact, reason: str) -> None:
    assert reason in str(why_formal_zero_is_incomplete(number))


def test_incomplete_numbers_are_decided_all_the_same_unless_they_are_very_near_to_0() -> None:
    assert sign(log(2) * log(3) - Fraction(3, 4)) == 1
    assert sign(exp(sqrt(2)) - exp(sqrt(2) + Fraction(1, 10**1000))) == -1


def test_a_hidden_tie_is_undecided_with_its_reason() -> None:
    # √(7 + 4√3) = 2 + √3: true, but no form here shows it.
    hidden = sqrt(7 + 4 * sqrt(3)) - 2 - sqrt(3)
    with pytest.raises(Undecided, match="no complete zero test is known for sqrt"):
        sign(hidden)


def test_a_difference_that_needs_thousands_of_bits() -> None:
    tiny = Fraction(1, 10**3000)
    assert sign(exp(1 + tiny) - exp(1)) == 1
    assert sign(exp(1) - exp(1 + tiny)) == -1
    assert exact(1) + tiny > 1


@pytest.mark.parametrize(
    "number", [exact(3), exact(Fraction(1, 7)), exp(1) - 2, exp(2) - 2 * exp(1) - Fraction(1, 100)]
)
def test_a_sign_is_minus_one_zero_or_one(number: Exact) -> None:
    assert (sign(number), sign(-number), sign(number - number)) == (1, -1, 0)


@pytest.mark.parametrize("digits", [20, 60, 200, 1000])
def test_near_0_every_precision_gives_the_sign(digits: int) -> None:
    """Beyond the working precision, beyond what is tried before the algebra, and as often as it is asked for."""
    near = exp(1 + Fraction(1, 10**digits)) - exp(1)
    assert [sign(near), sign(-near), sign(near)] == [1, -1, 1]


def test_ties_in_disguise_are_0() -> None:
    over = (1 + exp(1)) * (2 + exp(1))
    for tie in (
        (1 + sqrt(2)) * (1 - sqrt(2)) + 1,  # a polynomial in √2 that is 0 only as (√2)² is 2
        1 / (1 + exp(1)) + 1 / over - (3 + exp(1)) / over,  # terms over one denominator, and over others
        exact(0),
    ):
        assert is_formally_zero(tie)
        assert [sign(tie), sign(tie)] == [0, 0]
    assert not is_formally_zero((1 + sqrt(2)) * (1 - sqrt(2)) + 2)
