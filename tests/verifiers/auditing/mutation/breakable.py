"""Mechanisms whose mutants are of every sort, and claims of them. Their own mutants are made in tests alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from typing import Any, Final

import numpy as np

from dpverify.mechanisms import Draw, Limits, bernoulli, discrete_laplace
from dpverify.verifiers import Claim, Status, Tuples

Rows = Sequence[int]
BIT: Final = Tuples((0, 1), size=1)
HALF: Final = Fraction(1, 2)


def noisy_sum(draw: Draw, rows: Rows, *, epsilon: Fraction) -> Any:
    return sum(rows) + draw(discrete_laplace(1 / epsilon))


def quiet(draw: Draw, rows: Rows) -> Any:
    return sum(rows) + draw(discrete_laplace(2))


sharp = Claim(id="sharp", mechanism=noisy_sum, domain=BIT, epsilon=1)
weak = Claim(id="weak", mechanism=quiet, domain=BIT, epsilon=1, stronger=[(BIT, HALF)])
known = Claim(id="known", mechanism=quiet, domain=BIT, epsilon=Fraction(1, 3), expected=Status.REFUTED)
overrated = Claim(id="overrated", mechanism=quiet, domain=BIT, epsilon=Fraction(1, 3))
too_strong = Claim(id="too-strong", mechanism=quiet, domain=BIT, epsilon=1, stronger=[(BIT, Fraction(1, 3))])


def constant(draw: Draw, rows: Rows) -> Any:
    return draw(bernoulli(HALF)) > 0


never = Claim(id="never", mechanism=constant, domain=BIT, epsilon=1, neighbours_agree=True)


def counting(draw: Draw, rows: Rows) -> Any:
    """Of its loop a mutant does not end, and another one makes more paths than there may be."""
    left = 3
    while left > 0:
        left -= 1
    return sum(draw(bernoulli(HALF)) for _ in range(3))


endless = Claim(id="endless", mechanism=counting, domain=BIT, epsilon=1, limits=Limits(paths=8), neighbours_agree=True)


def of_numpy(rows: Rows, *, epsilon: Fraction) -> Any:
    return sum(rows) + np.random.default_rng().laplace(scale=1 / epsilon)  # type: ignore[call-overload]  # of an exact number


of_numpy_is_private = Claim(id="of-numpy", mechanism=of_numpy, domain=BIT, epsilon=1)


# What is remembered before a mutant is made: it must not be what the mutant is taken for.


@lru_cache
def remembered_scale(x: int) -> int:
    return x + 1


@cache
def remembered_also(x: int) -> int:
    return x + 1


class Table:
    @cached_property
    def scale(self) -> int:
        return 1 + 1


TABLE: Final = Table()
REMEMBERED: Final = (remembered_scale(1), remembered_also(1), TABLE.scale)


def by_what_is_remembered(draw: Draw, rows: Rows) -> Any:
    return sum(rows) + draw(discrete_laplace(min(remembered_scale(1), remembered_also(1), TABLE.scale)))


remembering = Claim(id="remembering", mechanism=by_what_is_remembered, domain=BIT, epsilon=HALF)


# Functions within functions, methods, and what is drawn from.


def shifted(by: int) -> Callable[[Draw, Rows], Any]:
    def inner(draw: Draw, rows: Rows) -> Any:
        return sum(rows) + by + draw(discrete_laplace(2))

    return inner


class Noisy:
    def __init__(self, scale: int) -> None:
        self.scale = scale

    def __call__(self, draw: Draw, rows: Rows) -> Any:
        return draw(self.part, rows)

    def part(self, give: Draw, rows: Rows) -> Any:
        noisy: Callable[[int], Any] = lambda row: row + give(discrete_laplace(self.scale))  # noqa: E731  # lambdas are mutated, too
        return noisy(sum(rows))


def by_a_part(draw: Draw, rows: Rows, *, epsilon: Fraction) -> Any:
    return draw(noisy_sum, rows, epsilon=epsilon / 2)


closure = Claim(id="closure", mechanism=shifted(5), domain=BIT, epsilon=HALF)
method = Claim(id="method", mechanism=Noisy(2), domain=BIT, epsilon=HALF)
composed = Claim(id="composed", mechanism=by_a_part, domain=BIT, epsilon=1, parameters={"epsilon": 2})
