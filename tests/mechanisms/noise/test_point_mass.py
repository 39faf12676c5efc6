"""Noise of scale 0 is a point mass, in `run` and in a check, on given databases and on all: a bug's ε is then infinite."""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few, in_one

from dpverify.mechanisms import (
    Draw,
    InputError,
    clamp,
    discrete_gaussian,
    discrete_laplace,
    distribution,
    exact,
    gaussian,
    laplace,
    run,
    symbolic,
    truncated_laplace,
)
from dpverify.mechanisms.noise.discrete_laplace import truncated_discrete_laplace
from dpverify.mechanisms.noise.exponential import exponential_noise
from dpverify.mechanisms.noise.geometric import geometric
from dpverify.mechanisms.noise.gumbel import gumbel
from dpverify.mechanisms.noise.point_mass import PointMass
from dpverify.mechanisms.noise.staircase import staircase
from dpverify.mechanisms.outputs.folding import folded
from dpverify.reports.record import Status
from dpverify.verifiers import Histograms, Tuples, check_privacy, replace_one

OF_SCALE: Mapping[str, Callable[[Any], Any]] = {
    "laplace": laplace,
    "discrete_laplace": discrete_laplace,
    "gaussian": gaussian,
    "variance": lambda scale: gaussian(variance=scale),
    "discrete_gaussian": discrete_gaussian,
    "exponential_noise": exponential_noise,
    "geometric": geometric,
    "gumbel": gumbel,
    "staircase": lambda scale: staircase(1, scale),
    "truncated_laplace": lambda scale: truncated_laplace(scale, 1),
    "truncated_discrete_laplace": lambda scale: truncated_discrete_laplace(scale, 1),
}


def one(draw: Draw, row: Any) -> Any:
    return row + draw(laplace(0))


USES: list[Callable[[Any, Any], Any]] = [
    lambda draw, n: n + draw(laplace(0)),
    lambda draw, n: draw(laplace(0)) - n,
    lambda draw, n: n * draw(laplace(0)),
    lambda draw, n: (n + draw(laplace(0))) / 2,
    lambda draw, n: (n + draw(laplace(0))) * (1 + draw(discrete_laplace(0))),
    lambda draw, n: (n + draw(laplace(0))) / (7 + draw(discrete_laplace(0))),
    lambda draw, n: abs(n + draw(laplace(0))),
    lambda draw, n: round(n + draw(laplace(0))),
    lambda draw, n: math.floor(Fraction(n, 2) + draw(gaussian(0))),
    lambda draw, n: math.floor(2 * (n + draw(discrete_laplace(0))) / 3),
    lambda draw, n: clamp(n + draw(laplace(0)), 0, 1),
    lambda draw, n: folded(n + draw(laplace(0)), 0, 3),
    lambda draw, n: n + draw(laplace(0)) >= 1,
    lambda draw, n: n + draw(laplace(0)) == 1,
    lambda draw, n: (n + draw(discrete_laplace(0)), n - draw(gaussian(0))),
    lambda draw, n: draw(one, n),
    lambda draw, n: draw.each(one, (n, n + 1)),
    lambda draw, n: [n + draw(laplace(0)), 1 + draw(laplace(0))].index(max(n, 1)),
    lambda draw, n: draw.release(n + draw(laplace(0)), then=lambda x: 2 * x),
]

EXPECTED: list[Callable[[int], Any]] = [
    lambda n: n,
    lambda n: -n,
    lambda n: 0,
    lambda n: Fraction(n, 2),
    lambda n: n,
    lambda n: Fraction(n, 7),
    abs,
    lambda n: n,
    lambda n: n // 2,
    lambda n: 2 * n // 3,
    lambda n: min(max(n, 0), 1),
    lambda n: {-2: 2, -1: 1, 4: 2, 5: 1}.get(n, n),
    lambda n: n >= 1,
    lambda n: n == 1,
    lambda n: (n, n),
    lambda n: n,
    lambda n: (n, n + 1),
    lambda n: 0 if n >= 1 else 1,
    lambda n: 2 * n,
]


@pytest.mark.parametrize("name", OF_SCALE)
def test_scale_0_is_a_point_mass_and_a_negative_one_an_error(name: str) -> None:
    noise = OF_SCALE[name]
    law = noise(0)
    assert isinstance(law, PointMass)
    assert [law.mass(0, 1), law.tail(0), law.point(0)] == [exact(1)] * 3
    assert [law.mass(1, None), law.mass(None, 0), law.tail(exact("1/2")), law.point(1), law.scale] == [exact(0)] * 5
    assert law.scaled(Fraction(1, 2)) is law.mirror_image() is law
    for scale in (-1, "-1/100"):
        with pytest.raises(InputError, match=r"must be at least 0"):
            noise(scale)
    with pytest.raises(InputError, match=r"0\.5 is a float"):
        noise(0.5)
    assert noise(Fraction(1, 10**6)) != law


def test_equal_uses_have_as_many_expectations() -> None:
    assert len(USES) == len(EXPECTED)


@given(st.sampled_from(range(len(USES))), st.integers(-2, 5))
@few(60)
def test_runs_and_laws_are_those_of_the_number_beside_it(use: int, n: int) -> None:
    mechanism, expected = USES[use], EXPECTED[use](n)
    ran = run(mechanism, n, seed=0)
    assert ran == expected
    assert type(run(USES[0], n)) is int
    assert not isinstance(ran, bool) or isinstance(expected, bool)
    if use < len(USES) - 1:  # of what is post-processed there is no law
        assert distribution(mechanism, n).probabilities == {expected: 1}


def test_a_point_mass_beside_noise_is_a_shift() -> None:
    both = distribution(lambda draw, n: n + draw(laplace(0)) + draw(discrete_laplace(1)), 2)
    alone = distribution(lambda draw, n: n + draw(discrete_laplace(1)), 2)
    assert [both.probability(k) for k in range(-3, 7)] == [alone.probability(k) for k in range(-3, 7)]
    assert run(lambda draw, n: n + draw(laplace(0)) + draw(discrete_laplace(1)), 2, seed=3) == run(
        lambda draw, n: n + draw(discrete_laplace(1)), 2, seed=3
    )


def test_a_point_mass_times_noise_is_a_multiple() -> None:
    for n in (0, 3, -2):
        for both in (
            lambda draw, n: (n + draw(laplace(0))) * (1 + draw(discrete_laplace(1))),
            lambda draw, n: (1 + draw(discrete_laplace(1))) * (n + draw(laplace(0))),
        ):
            law = distribution(both, n)
            alone = distribution(lambda draw, n: n * (1 + draw(discrete_laplace(1))), n)
            assert [law.probability(k) for k in range(-6, 7)] == [alone.probability(k) for k in range(-6, 7)]


def sum_of_column(draw: Draw, rows: Any, *, column: int) -> Any:
    """A bug as in libraries: the sensitivity is computed of the column's place, which is 0 for the first."""
    sensitivity = 3 * column
    return sum(rows) + draw(laplace(sensitivity))


def count_of_column(draw: Draw, rows: Any, *, column: int) -> Any:
    sensitivity = column
    return rows.count(0) + draw(discrete_laplace(sensitivity))


LINE = sum_of_column.__code__.co_firstlineno + 3


@in_one("claimed, delta", [(1, 0), (symbolic, 0), (1, "1/10")])
def test_a_sensitivity_of_0_is_refuted_with_its_line(claimed: Any, delta: Any) -> None:
    domain = Tuples((0, 1), size=2)
    found = check_privacy(sum_of_column, domain, epsilon=claimed, delta=delta, parameters={"column": 0})
    assert found.status is Status.REFUTED
    assert (
        f"laplace noise of scale 0 (tests/mechanisms/noise/test_point_mass.py, line {LINE}): a point mass"
        in found.reason
    )
    assert f"line {LINE}" in repr(found).replace("\n    ", " ")
    assert found.epsilon is None


def test_no_line_is_said_where_there_is_noise() -> None:
    found = check_privacy(sum_of_column, Tuples((0, 1), size=2), epsilon=1, parameters={"column": 1})
    assert found.status is Status.PROVED
    assert "a point mass" not in found.reason


@in_one(
    "mechanism, parameters, status",
    [
        (count_of_column, {"column": 0}, Status.REFUTED),
        (count_of_column, {"column": 1}, Status.PROVED),
        (lambda draw, rows: rows.count(0) + draw(laplace(max(0, rows.count(1) - 2))), {}, Status.REFUTED),
        (lambda draw, rows: draw(laplace(0)), {}, Status.PROVED),
        (lambda draw, rows: rows.count(0) + draw(discrete_laplace(0)) >= 3, {}, Status.REFUTED),
        (lambda draw, rows: rows.count(0) + draw(laplace(0)) + draw(laplace(1)), {}, Status.PROVED),
        (lambda draw, rows: clamp(rows.count(0) + draw(laplace(0)), 0, 3), {}, Status.REFUTED),
    ],
)
def test_all_sizes(mechanism: Any, parameters: Any, status: Status) -> None:
    found = check_privacy(mechanism, Histograms((0, 1)), replace_one, epsilon=1, parameters=parameters)
    assert found.status is status
    if status is Status.REFUTED:
        assert "of scale 0 (tests/mechanisms/noise/test_point_mass.py, line" in found.reason
