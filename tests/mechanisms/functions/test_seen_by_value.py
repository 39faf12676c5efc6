"""What a function sees is compared by value: two that give something else have other keys, or are refused.

Each way makes a function that tells a number which it was made with, by something that is alike otherwise.
"""

import enum
import functools
import operator
import types
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import pytest
from tests.examples import in_one

from dpverify.mechanisms.counting.step_functions import Runs
from dpverify.mechanisms.finer_releases.seen_by_value import Reached, difference_of, seen_by_value
from dpverify.mechanisms.functions.fixed_values import fixed
from dpverify.mechanisms.numbers.errors import InputError, SeesTooMuch

Told = Callable[[Any], Any]


def by_the_end_of_a_range(row: int) -> Told:
    numbers = range(0, 3 + row, 2)
    return lambda _: numbers.stop


def by_the_order_of_a_frozenset(row: int) -> Told:
    numbers = frozenset([0, 8] if row else [8, 0])
    return lambda _: tuple(numbers)


def by_a_variable_that_functions_share(row: int) -> Told:
    def made() -> tuple[Callable[[], None], Callable[[], int]]:
        count = 0

        def more() -> None:
            nonlocal count
            count += 1

        return more, lambda: count

    (more, first), (_, second) = made(), made()
    tell = first if row else second

    def counted(_: Any) -> int:
        more()
        return tell()

    return counted


WAYS = [by_the_end_of_a_range, by_the_order_of_a_frozenset, by_a_variable_that_functions_share]


def key_of(function: Told) -> Hashable:
    """What a function sees, or that it is refused."""
    try:
        return seen_by_value(function)
    except SeesTooMuch:
        return None


@in_one("way", WAYS)
def test_functions_that_tell_another_row_are_told_apart(way: Callable[[int], Told]) -> None:
    assert way(0)(1) != way(1)(1), "else it is no way to tell"
    keys = key_of(way(0)), key_of(way(1))
    assert keys == (None, None) or keys[0] != keys[1]


def with_an_array(_: int) -> Told:
    shares = np.array([1, 2, 3, 4]).reshape(2, 2)
    return lambda number: np.sum(shares * number)


class Colour(enum.Enum):
    """One that a module has."""

    RED = 1
    GREEN = 2

    def shown(self) -> str:
        return self.name


def with_an_enum(_: int) -> Told:
    return lambda number: Colour.RED if number > 0 else Colour.GREEN.shown()


def with_a_set(_: int) -> Told:
    few = frozenset([8, 0])
    return lambda number: number if round(number) in few else 0


@pytest.mark.parametrize("way", [with_an_array, with_an_enum, with_a_set])
def test_functions_that_see_the_same_have_one_key(way: Callable[[int], Told]) -> None:
    assert key_of(way(0)) == key_of(way(1)) is not None


def test_ranges_that_are_equal_and_end_elsewhere_have_two_keys() -> None:
    assert range(0, 3, 2) == range(0, 4, 2)
    assert fixed(range(0, 3, 2)) != fixed(range(0, 4, 2))
    assert fixed((range(0, 3, 2),)) != fixed((range(0, 4, 2),))
    assert fixed((range(0, 3, 2),)) == fixed((range(0, 3, 2),))


# --- What is said of two functions that are not alike
class Adding:
    """Something that is called, and holds a number."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __call__(self, numbers: Any) -> Any:
        return numbers[0] + self.number


def with_a_constant(row: int) -> Any:
    def changed(_: Any) -> int:
        return 7

    constants = (row if constant == 7 else constant for constant in changed.__code__.co_consts)
    changed.__code__ = changed.__code__.replace(co_consts=tuple(constants))
    return changed


DIFFERENCES: dict[str, Any] = {
    "partial sees argument 1 of partial": lambda row: functools.partial(operator.mul, row),
    "partial sees key= of partial": lambda row: functools.partial(max, key=[None, abs][row]),
    "Adding sees the object that it is bound to": Adding,
    "append sees the object that it is bound to": lambda row: [row].append,
    "get sees the object that it is bound to": lambda row: {row: 1}.get,
    "index sees the object that it is bound to": lambda row: (row,).index,
    "<lambda> sees the object that it is bound to": lambda row: types.MethodType(lambda row, _: row, row),
    "<lambda> sees <lambda>.first": lambda row: lambda _, first={row: 1}: first,
    "<lambda> sees <lambda>.rows": lambda row: lambda _, *, rows={row}: rows,
    "<lambda> sees row": lambda row: lambda _: row,
    "<lambda> is another function on other databases": lambda row: [lambda _: 0, lambda _: 1][row],
    "changed is another function on other databases": with_a_constant,
}


@pytest.mark.parametrize("said", DIFFERENCES)
def test_what_two_functions_see_that_is_not_the_same_is_said(said: str) -> None:
    made = DIFFERENCES[said]
    assert seen_by_value(made(0)) == seen_by_value(made(0))
    assert difference_of(seen_by_value(made(0)), seen_by_value(made(1))) == said


def test_defaults_without_an_argument_are_seen() -> None:
    def first(_: Any) -> Any:
        return 0

    def seen(row: int) -> Any:
        first.__defaults__ = (row, 1)
        return seen_by_value(first)

    assert seen(0) != seen(1)


def test_an_abstract_sequence_is_what_its_attributes_are() -> None:
    """Classes of collections.abc hold nothing themselves."""
    runs = Runs(((0, 3),))

    looked = Reached(lambda draw: runs, (), {})
    looked.refuse_changes()
    object.__setattr__(runs, "runs", ((0, 4),))
    with pytest.raises(InputError, match="changed"):
        looked.refuse_changes()
