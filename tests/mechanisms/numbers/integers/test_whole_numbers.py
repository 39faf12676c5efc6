"""Whole numbers as mechanisms are given them: ints in all but their quotients."""

import json
import math
import operator
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import exp, log
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber, as_given, plain

SMALL = st.integers(-20, 20)
BINARY: list[Callable[[Any, Any], Any]] = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.floordiv,
    operator.mod,
    divmod,
]
SHIFTS = [operator.lshift, operator.rshift]
UNARY: list[Callable[[Any], Any]] = [operator.neg, operator.pos, abs, round, math.floor, math.ceil]


def kinds(value: Any) -> set[type]:
    return set(map(type, value)) if isinstance(value, tuple) else {type(value)}


@given(a=SMALL, b=SMALL)
def test_what_is_computed_is_what_ints_give_and_stays_a_whole_number(a: int, b: int) -> None:
    for binary in BINARY if b else BINARY[:3]:
        for left, right in ((WholeNumber(a), b), (a, WholeNumber(b)), (WholeNumber(a), WholeNumber(b))):
            found = binary(left, right)
            assert found == binary(a, b)
            assert kinds(found) == {WholeNumber}
    for unary in UNARY:
        assert unary(WholeNumber(a)) == unary(a)
        assert type(unary(WholeNumber(a))) is WholeNumber
    for shift in SHIFTS:
        assert shift(WholeNumber(a), abs(b)) == shift(a, abs(b)) == shift(a, WholeNumber(abs(b)))
        assert type(shift(a, WholeNumber(abs(b)))) is type(shift(WholeNumber(a), abs(b))) is WholeNumber


@given(a=SMALL, b=SMALL.filter(bool))
def test_a_quotient_is_a_fraction(a: int, b: int) -> None:
    for quotient in (WholeNumber(a) / b, a / WholeNumber(b), WholeNumber(a) / WholeNumber(b)):
        assert quotient == Fraction(a, b)
        assert type(quotient) is Fraction


@given(a=SMALL.filter(bool), b=st.integers(-5, 5))
def test_a_power_is_a_whole_number_or_a_fraction(a: int, b: int) -> None:
    for power in (WholeNumber(a) ** b, a ** WholeNumber(b), WholeNumber(a) ** WholeNumber(b)):
        assert power == Fraction(a) ** b
        assert type(power) is (WholeNumber if b >= 0 else Fraction)
    if b >= 0:
        assert pow(WholeNumber(a), b, 7) == pow(a, b, 7)


def test_exact_numbers_and_floats_are_met_as_by_ints() -> None:
    three = WholeNumber(3)
    assert 1 / exp(1) * three == three / exp(1) == 3 / exp(1)
    assert log(2) / three == log(2) / 3
    assert three / Fraction(1, 2) == 6
    assert type(three / 2.0) is type(2.0 / three) is float
    with pytest.raises(ZeroDivisionError):
        operator.truediv(three, 0)
    with pytest.raises(TypeError):
        operator.truediv(three, "1")
    with pytest.raises(TypeError):
        operator.truediv([1], three)


USES: list[Callable[[int], Any]] = [
    repr,
    str,
    "{:03d}".format,
    hash,
    lambda n: list(range(n)),
    lambda n: "abcdef"[n],
    lambda n: [0] * n,
    lambda n: {3: "found"}[n],
    lambda n: json.dumps([n, {"n": n}]),
    lambda n: isinstance(n, int),
    lambda n: np.array([n]).dtype,
    lambda n: np.zeros(n).tolist(),
    lambda n: n.bit_length(),
    lambda n: math.comb(7, n),
]


@in_one("use", USES)
def test_it_stands_for_the_plain_int(use: Callable[[int], Any]) -> None:
    assert use(WholeNumber(3)) == use(3)
    assert type(use(WholeNumber(3))) is type(use(3))


def test_it_travels() -> None:
    arrived = pickle.loads(pickle.dumps(WholeNumber(3)))
    assert arrived == 3
    assert type(arrived) is WholeNumber


def test_ints_alone_are_given_so_and_shown_plainly() -> None:
    assert type(as_given(3)) is WholeNumber
    for value in (True, "3", 3.0, Fraction(3), (3,), None):
        assert as_given(value) is value
        assert plain(value) is value
    assert type(plain(WholeNumber(3))) is int
