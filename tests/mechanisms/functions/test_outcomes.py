"""Which outcomes are seen at a glance to be ones that a law can hold."""

from collections import namedtuple
from enum import IntEnum
from fractions import Fraction
from typing import Any

import pytest
from tests.examples import in_one

from dpverify.mechanisms import InputError, laplace, symbolic
from dpverify.mechanisms.functions.outcomes import is_plain, refuse_outcome


class Number(int):
    """A whole number that may hold more."""


class Member(IntEnum):
    ONE = 1


Pair = namedtuple("Pair", "left right")  # without types, as somebody may write it

PLAIN: list[Any] = [None, True, 1, "a", b"a", Fraction(1, 2), (), (1, "a"), ((1, ()), (None, ((True,),)))]
OTHERS: list[Any] = [1.0, Number(1), Member.ONE, Pair(1, 2), frozenset({1}), laplace(1), symbolic, [1], int]
REFUSED: list[Any] = [[1], {}, laplace(1), (1, [1]), ((), {}), (1, (laplace(1), 2)), float("nan")]


@in_one("outcome", PLAIN)
def test_plain_ones_are_never_refused(outcome: Any) -> None:
    assert is_plain(outcome)
    assert is_plain((1, (outcome,)))
    assert hash(outcome) == hash(outcome)
    assert outcome == outcome  # which is what is promised


@in_one("outcome", OTHERS)
def test_others_are_looked_at_wherever_they_are(outcome: Any) -> None:
    assert not is_plain(outcome)
    assert not is_plain((1, outcome))
    assert not is_plain((((1, 2), (3, outcome)),))


@in_one("outcome", REFUSED)
def test_what_no_law_can_hold_is_refused_among_plain_ones(outcome: Any) -> None:
    with pytest.raises(InputError):
        refuse_outcome(outcome)
