"""A step of DP-SGD with gradients of several dimensions: an upper bound, by which rows were sampled of the others."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp as float_exp
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dpverify.mechanisms import bernoulli, gaussian
from dpverify.reports.record import Status
from dpverify.verifiers import add_or_remove_one, check_privacy, replace_one

Floats = NDArray[np.float64]

GRADIENTS = ((1, 0), (0, 1), (-1, 1))
RATE = Fraction(1, 5)


def step(draw: Any, rows: Any, *, sigma: Any = 1, rate: Any = RATE) -> Any:
    kept = [row for row in rows if draw(bernoulli(rate))]
    return tuple(sum(row[i] for row in kept) + draw(gaussian(sigma)) for i in (0, 1))


SETS = [rows for n in (0, 1, 2) for rows in product(GRADIENTS, repeat=n)]

GRID = np.arange(-8, 8, 1 / 16)


def law(rows: Any, sigma: float = 1.0, rate: float = 0.2) -> Floats:
    found = np.zeros((len(GRID), len(GRID)))
    for kept in product((0, 1), repeat=len(rows)):
        weight = float(np.prod([rate if keep else 1 - rate for keep in kept]))
        centre = [sum(row[i] for row, keep in zip(rows, kept, strict=True) if keep) for i in (0, 1)]
        found += weight * np.outer(*(np.exp(-((GRID - c) ** 2) / (2 * sigma**2)) for c in centre))
    return found / 256 / (2 * np.pi * sigma**2)


def excess(left: Any, right: Any, epsilon: float) -> float:
    return float(np.maximum(law(left) - float_exp(epsilon) * law(right), 0).sum())


def one_more(rows: Any) -> list[Any]:
    return [(*rows[:i], *rows[i + 1 :]) for i in range(len(rows))]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("epsilon", [Fraction(1, 4), 1])
def test_adding_a_row_needs_what_it_needs_alone(epsilon: Any) -> None:
    """The largest is that of the longest gradient on no other rows; others only hide it."""
    verdict = check_privacy(step, SETS, add_or_remove_one, epsilon=epsilon, delta=1)
    assert verdict.status is Status.PROVED
    assert verdict.basis.is_upper_bound and "upper bound" in verdict.scope
    assert verdict.delta is not None
    pairs = [pair for rows in SETS for less in one_more(rows) for pair in ((rows, less), (less, rows))]
    needed = max(excess(left, right, float(epsilon)) for left, right in pairs)
    assert needed * 0.998 <= float(verdict.delta.upper)
    alone = max(excess(((-1, 1),), (), float(epsilon)), excess((), ((-1, 1),), float(epsilon)))
    assert float(verdict.delta.upper) == pytest.approx(alone, rel=2e-3)


def test_replacing_a_row_is_bounded() -> None:
    domain = [rows for rows in SETS if len(rows) == 2]
    verdict = check_privacy(step, domain, replace_one, epsilon="1/2", delta=1)
    assert verdict.status is Status.PROVED and verdict.delta is not None
    pairs = [(a, b) for a in domain for b in domain if sum(x != y for x, y in zip(a, b, strict=True)) == 1]
    needed = max(excess(left, right, 0.5) for left, right in pairs)
    assert needed * 0.998 <= float(verdict.delta.upper) < 1


def test_what_is_below_the_bound_is_undecided_and_not_refuted() -> None:
    verdict = check_privacy(step, SETS, add_or_remove_one, epsilon="1/4", delta="1/1000")
    assert verdict.status is Status.UNDECIDED
    assert "several ways" in verdict.reason


def test_what_tells_the_data_is_not_proved() -> None:
    """The sample is of other rows on one database: no line has as much of both."""

    def by_the_data(draw: Any, rows: Any) -> Any:
        return step(draw, rows, rate=Fraction(1, 5) if (1, 0) in rows else Fraction(1, 3))

    verdict = check_privacy(by_the_data, SETS, add_or_remove_one, epsilon="1/4", delta="1/2")
    assert verdict.status is Status.UNDECIDED
