"""The choosing mechanism: its law by hand, the printed bounds, and what is refused."""

from fractions import Fraction
from typing import Any

import pytest

from dpverify.mechanisms import InputError, discrete_laplace, distribution, exp, log
from dpverify.mechanisms.selection import Bottom, choosing_mechanism
from dpverify.mechanisms.selection.choosing import rows_needed_extended_abstract, rows_needed_journal


def test_the_law_by_hand() -> None:
    law = distribution(choosing_mechanism, (0, 2, 1), rows=8, alpha=1, epsilon=4)
    reached = exp(-2) / 2  # Pr[2 + Lap(1) ≥ 4]
    assert law.probability(Bottom.BOTTOM) == 1 - reached
    assert law.probability(1) == reached * exp(2) / (exp(2) + exp(1))
    assert law.probability(2) == reached * exp(1) / (exp(2) + exp(1))
    assert law.probability(0) == 0


def test_with_nothing_of_quality_1_there_is_nothing_to_choose() -> None:
    assert distribution(choosing_mechanism, (0, 0), rows=1, alpha=1, epsilon=1).probability(Bottom.BOTTOM) == 1


def test_discrete_noise() -> None:
    law = distribution(choosing_mechanism, (1,), rows=2, alpha=1, epsilon=4 * log(2), noise=discrete_laplace)
    assert law.probability(0) == Fraction(2, 3)  # Pr[N ≥ 0] at z = 1/2


def test_the_printed_bounds() -> None:
    given: dict[str, Any] = {"growth": 1, "alpha": 1, "beta": "0.5", "epsilon": 1, "delta": "0.1"}
    assert rows_needed_journal(**given) == 93  # 16·ln 320 = 92.29…
    assert rows_needed_extended_abstract(**given) == 56  # 16·ln 32 = 55.45… > 16·(1/4 + ln 10)
    assert rows_needed_extended_abstract(**{**given, "delta": "0.001"}) == 115  # 16·(1/4 + ln 1000) = 114.5…
    assert rows_needed_journal(**{**given, "epsilon": 10**6}) == 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rows": 0}, "rows=0 is not a whole number ≥ 1"),
        ({"alpha": 0}, "alpha=0 must be greater than 0"),
        ({"alpha": 2}, "alpha=2 must be at most 1"),
        ({"epsilon": 0}, "epsilon=0 must be greater than 0"),
    ],
)
def test_what_is_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        distribution(choosing_mechanism, (1, 0), **{"rows": 1, "alpha": 1, "epsilon": 1, **parameters})


def test_bounds_refuse_a_growth_of_0() -> None:
    with pytest.raises(InputError, match="growth=0 is not a whole number ≥ 1"):
        rows_needed_journal(growth=0, alpha=1, beta="0.5", epsilon=1, delta="0.1")
