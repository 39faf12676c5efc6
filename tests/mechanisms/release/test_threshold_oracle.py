"""The threshold oracle: its law by hand, its memory, and its end."""

from fractions import Fraction
from typing import Any

import pytest

from dpverify.mechanisms import Draw, InputError, distribution, exp, run
from dpverify.mechanisms.release import ThresholdOracle, threshold_answers
from dpverify.mechanisms.selection import Bottom

HALF = Fraction(1, 2)
GIVEN: dict[str, Any] = {"alpha": Fraction(3, 8), "epsilon": 1}


def is_1(row: int) -> int:
    return int(row == 1)


def is_2(row: int) -> int:
    return int(row == 2)


def test_one_query_by_hand() -> None:
    """Two of four rows, noise Lap(1) on the count: 0 up to 1, 1 from 3 on, as 2α/3 is a quarter."""
    law = distribution(threshold_answers, (1, 1, 0, 0), queries=((is_1, HALF),), bound=1, **GIVEN)
    assert law.probability((0,)) == law.probability((1,)) == exp(-1) / 2
    assert law.probability((Bottom.BOTTOM,)) == 1 - exp(-1)


def test_noise_is_reused_for_a_predicate_and_drawn_anew_for_another() -> None:
    twice = distribution(threshold_answers, (1, 1, 2, 2), queries=((is_1, HALF),) * 2, bound=2, **GIVEN)
    assert set(twice.probabilities) == {(0, 0), (1, 1), (Bottom.BOTTOM, Bottom.BOTTOM)}
    both = distribution(threshold_answers, (1, 1, 2, 2), queries=((is_1, HALF), (is_2, HALF)), bound=2, **GIVEN)
    assert both.probability((0, 1)) == (exp(-HALF) / 2) ** 2  # Lap(2) for two queries


def test_after_the_last_query_there_is_no_answer() -> None:
    def asks(draw: Draw, rows: tuple[int, ...]) -> Any:
        oracle = ThresholdOracle(draw, rows, bound=1, alpha=Fraction(1, 100), epsilon=10**6)
        first = oracle(is_1, HALF)
        return first, oracle.has_ended, oracle(is_1, Fraction(1, 10))

    assert run(asks, (1, 1, 1, 0), seed=1) == (1, True, Bottom.BOTTOM)


@pytest.mark.parametrize(
    ("rows", "changed", "words"),
    [
        ((), {}, "the database is empty"),
        ((1,), {"alpha": 0}, "alpha=0"),
        ((1,), {"bound": 0}, "bound=0"),
        ((1,), {"epsilon": 0}, "epsilon=0"),
        ((1,), {"queries": ((is_1, 0.5),)}, "threshold=0.5"),
    ],
)
def test_bad_input(rows: Any, changed: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        distribution(threshold_answers, rows, **{"queries": ((is_1, HALF),), "bound": 1, **GIVEN, **changed})
