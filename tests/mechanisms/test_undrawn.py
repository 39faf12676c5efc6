"""A law has no truth value: a mechanism that forgets to draw would take one branch each time, and be PROVED."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from tests.examples import in_one

from dpverify import mechanisms
from dpverify.mechanisms import (
    Distribution,
    Draw,
    InputError,
    bernoulli,
    discrete_laplace,
    distribution,
    exponential,
    exponential_noise,
    geometric,
    gumbel,
    laplace,
    noise,
    run,
    staircase,
    truncated_laplace,
    uniform,
    uniform_noise,
)
from dpverify.mechanisms.drawing import debugging
from dpverify.mechanisms.noise import discrete_uniform, truncated_discrete_laplace
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.noise.undrawn import Undrawn
from dpverify.mechanisms.selection import noisy_max
from dpverify.verifiers import Tuples, check_privacy

LAWS: dict[str, Any] = {
    "bernoulli": bernoulli("0.5"),
    "Distribution": uniform(range(3)),
    "laplace": laplace(1),
    "discrete_laplace": discrete_laplace(1),
    "truncated_laplace": truncated_laplace(1, 2),
    "truncated_discrete_laplace": truncated_discrete_laplace(1, 2),
    "exponential_noise": exponential_noise(1),
    "geometric": geometric(1),
    "uniform_noise": uniform_noise(0, 1),
    "discrete_uniform": discrete_uniform(0, 3),
    "gumbel": gumbel(1),
    "staircase": staircase(1),
}


def forgets_to_draw(draw: Draw, rows: Sequence[int]) -> Any:
    if bernoulli("0.5"):
        return 0
    return rows[0]


@in_one("name", LAWS)
def test_a_law_is_neither_true_nor_false(name: str) -> None:
    assert name in (*dir(mechanisms), *dir(noise))
    for ask in (bool, lambda law: not law, lambda law: law and 1, lambda law: 1 if law else 0, lambda law: any([law])):
        with pytest.raises(InputError, match=rf"before something is drawn from it: write draw\({name}\(…\)\)"):
            ask(LAWS[name])


@in_one("name", LAWS)
def test_a_law_equals_no_outcome(name: str) -> None:
    """Compared with one it was false each time, so that one branch was taken on all databases, and PROVED."""
    law = LAWS[name]
    for ask in (
        lambda: law == 1,
        lambda: law != 1,
        lambda: Fraction(1) == law,
        lambda: law in (0, 1),
        lambda: law == "a",
    ):
        with pytest.raises(InputError, match=rf"before something is drawn from it: write draw\({name}\(…\)\)"):
            ask()
    assert law == law and law != LAWS["gumbel" if name != "gumbel" else "laplace"]
    assert law is not None and law not in (None,)


def test_laws_of_equal_numbers_are_equal() -> None:
    assert laplace(1) == laplace(1) != laplace(2)
    assert hash(laplace(1)) == hash(laplace(1))
    assert laplace(1) != discrete_laplace(1)
    assert bernoulli("0.5") == Distribution({0: 1, 1: 1})


def test_every_law_is_undrawn() -> None:
    """One that is added is to be derived from it, too."""
    assert issubclass(NoiseLaw, Undrawn)
    for law in (
        distribution(lambda draw, x: draw(discrete_laplace(1)) + x, 0),
        distribution(lambda draw, x: draw(laplace(1)) + x, 0),
        exponential({0: 1, 1: 2}, 1),
        noisy_max({0: 1, 1: 2}, laplace(1)),
        geometric(1).mirror_image(),
        Distribution({"a": 1}),
    ):
        with pytest.raises(InputError, match="neither true nor false"):
            bool(law)


def test_a_mechanism_that_forgets_to_draw_is_refused_with_its_line() -> None:
    """It was PROVED at ε = 0: one branch was taken on all databases."""
    line = forgets_to_draw.__code__.co_firstlineno + 1
    said = rf"write draw\(bernoulli\(…\)\) in place of bernoulli\(…\) .*\(.*test_undrawn\.py, line {line}\)"
    with pytest.raises(InputError, match=rf"forgets_to_draw on \(0,\): .*{said}"):
        check_privacy(forgets_to_draw, Tuples((0, 1), size=1), epsilon=1)
    with debugging(), pytest.raises(InputError, match=r"write draw\(bernoulli\(…\)\)"):
        run(forgets_to_draw, (1,))


def test_what_is_drawn_is_true_or_false() -> None:
    law = distribution(lambda draw, x: 1 if draw(bernoulli(Fraction(1, 3))) else x, 0)
    assert law.probability(1) == Fraction(1, 3)
