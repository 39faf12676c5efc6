"""What is said where the time is up, or paths are too many: how the mechanism comes to have fewer of them."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from dpverify.mechanisms import Draw, Limits, MechanismError, distribution, laplace
from dpverify.verifiers import check_privacy
from dpverify.verifiers.processes.stopwatch import _too_long


def said_after(comparisons: int) -> str:
    """What is said of a mechanism that is interrupted after some comparisons."""

    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        noises = [draw(laplace(1)) for _ in range(comparisons)]
        sum(noise > 0 for noise in noises)
        raise ValueError(_too_long(mechanism, rows, 1, None, sys._getframe()))

    with pytest.raises(MechanismError) as refused:
        distribution(mechanism, (0,))
    return str(refused.value)


def test_the_time_limit_names_then_and_each_where_noise_was_compared() -> None:
    said = said_after(3)
    assert "many paths (3 choices on this one)" in said
    assert "draw.each(mechanism, items)" in said
    assert "then=function" in said
    assert "may not end" in said_after(0)
    assert "then=" not in said_after(0)


def test_no_probability_is_said_where_only_bounds_of_it_are_known() -> None:
    def sort(draw: Draw, rows: tuple[int, ...]) -> Any:
        return tuple(sorted(row + draw(laplace(1)) for row in rows))

    pair = [(0,) * 5, (1,) * 5]
    verdict = check_privacy(sort, pair, lambda rows: [pair[rows == pair[0]]], epsilon=1, limits=Limits(paths=100))
    said = " ".join(str(verdict).split())
    assert "so far 100 paths to 100 outcomes were covered" in said
