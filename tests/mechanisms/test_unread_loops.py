"""Loops without end that are no rounds: the noise that they draw is named, and is the right one."""

from fractions import Fraction
from typing import Any

import pytest

from dpverify.mechanisms import Draw, Undecided, bernoulli, distribution, exp, geometric, log
from dpverify.mechanisms.drawing.unread_loops import reason_of_loop


def coins(draw: Draw, rows: Any) -> Any:
    n = 0
    while draw(bernoulli("0.5")):
        n += 1
    return n


def from_three(draw: Draw, rows: Any) -> Any:
    n = 3
    while not draw(bernoulli(Fraction(1, 4))):
        n += 1
    return n


def by_exp(draw: Draw, rows: Any) -> Any:
    n = 0
    while draw(bernoulli(exp(-2))):
        n += 1
    return n


def falling(draw: Draw, rows: Any) -> Any:
    k = 1
    while draw(bernoulli(Fraction(1, 2 * k))):
        k += 1
    return k + rows[0]


def accepted(draw: Draw, rows: Any) -> Any:
    while True:
        if draw(bernoulli("0.5")):
            return rows


@pytest.mark.parametrize(
    ("function", "instead", "again", "start"),
    [
        (coins, "n = draw(geometric(-1 / log('0.5')))", Fraction(1, 2), 0),
        (from_three, "n = 3 + draw(geometric(-1 / log(1 - (Fraction(1, 4)))))", Fraction(3, 4), 3),
        (by_exp, "n = draw(geometric(Fraction(1, 2)))", exp(-2), 0),
    ],
)
def test_a_loop_that_counts_coins_names_the_noise_that_it_draws(
    function: Any, instead: str, again: Any, start: int
) -> None:
    line = function.__code__.co_firstlineno + 2
    with pytest.raises(Undecided) as error:
        distribution(function, (0,))
    said = str(error.value)
    assert f"the loop in line {line} counts draws of" in said
    assert f"write `{instead}`, which has the same output distribution" in said
    assert "a higher limit does not help [loop-counts-coins]; so far " in said
    known = {"geometric": geometric, "log": log, "Fraction": Fraction}

    def mechanism(draw: Draw, rows: Any) -> Any:
        names = {**known, "draw": draw}
        exec(instead, names)
        n = names["n"]
        return next((k for k in range(start, start + 4) if n == k), "more")

    by_noise = distribution(mechanism, (0,)).probabilities
    for k in range(4):  # k rounds that go on, and one that does not
        assert by_noise[start + k] == again**k * (1 - again)


def test_another_loop_without_end_says_what_rounds_pass_on() -> None:
    with pytest.raises(Undecided) as error:
        distribution(falling, (0,))
    said = str(error.value)
    assert "may go on without end, and a round of it uses k of the round before: draw from a noise" in said
    assert "raised" not in said


def test_nothing_is_said_of_rounds_that_are_read_or_of_no_loop() -> None:
    assert distribution(accepted, (0,)).probabilities == {(0,): 1}
    assert reason_of_loop(accepted) is None
    assert reason_of_loop(len) is None
