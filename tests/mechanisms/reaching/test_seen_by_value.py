"""What a function sees is compared by value: two that give something else have other keys, or are refused.

Each way makes a function that tells a number which it was made with, by something that is alike otherwise.
"""

from __future__ import annotations

import abc
import dataclasses
import enum
import functools
import inspect as looks
import operator
import types
from collections.abc import Callable, Hashable
from operator import attrgetter as getter
from sys import _getframe as this_frame
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from tests.examples import in_one

from dpverify.mechanisms.functions.fixed_values import fixed
from dpverify.mechanisms.numbers.errors import SeesTooMuch
from dpverify.mechanisms.reaching.seen_by_value import difference_of, seen_by_value

Told = Callable[[Any], Any]

of_a_frame = getter("f_back.f_code")
named_otherwise = getattr


def by_a_class_of_new_class(row: int) -> Told:
    """Such a class says that it is of the module `types`."""
    kind: Any = types.new_class("Kind", (), {}, lambda names: names.update(row=row))
    return lambda _: kind.row


def by_a_class_of_a_metaclass(row: int) -> Told:
    kind: Any = abc.ABCMeta("Kind", (), {"row": row})  # which is of the module `abc`
    return lambda _: kind.row


def by_a_dataclass_that_is_made(row: int) -> Told:
    kind = dataclasses.make_dataclass("Kind", [("row", int, dataclasses.field(default=row))])
    return lambda _: kind().row


def by_a_class_that_says_another_module(row: int) -> Told:
    class Kind:
        __module__ = "math"
        told = row

    return lambda _: Kind.told


def by_an_object_of_such_a_class(row: int) -> Told:
    class Kind:
        __module__ = "math"

    made: Any = Kind()
    made.row = row
    return lambda _: made.row


def by_globals_that_say_another_module(row: int) -> Told:
    return FunctionType((lambda _: told).__code__, {"__name__": "math", "told": row})  # type: ignore[name-defined]  # noqa: F821


def by_a_class_of_two_that_are_alike(row: int) -> Told:
    def made() -> type:
        class Kind:
            pass

        return Kind

    kinds = (made(), made())
    one = kinds[row]()
    return lambda _: isinstance(one, kinds[0])


def by_what_is_registered(row: int) -> Told:
    class Kind(abc.ABC):  # noqa: B024
        pass

    for kind in (int,) * row:
        Kind.register(kind)
    return lambda _: isinstance(1, Kind)


def by_an_enum(row: int) -> Told:
    make: Any = enum.Enum
    kind = make("kind", {"A": 1, "B": 1} if row else {"A": 1})
    return lambda _: hasattr(kind, "B")


def by_the_end_of_a_range(row: int) -> Told:
    numbers = range(0, 3 + row, 2)
    return lambda _: numbers.stop


def by_a_range_in_a_tuple(row: int) -> Told:
    numbers = (range(0, 3 + row, 2),)
    return lambda _: numbers[0].stop


def by_the_order_of_a_frozenset(row: int) -> Told:
    numbers = frozenset([0, 8] if row else [8, 0])
    return lambda _: tuple(numbers)


def by_how_an_array_lies(row: int) -> Told:
    zeros = np.zeros((2, 2), order="F" if row else "C")
    return lambda _: zeros.strides


def by_what_an_array_is_a_part_of(row: int) -> Told:
    first = np.array([0, row])[:1]
    return lambda _: None if first.base is None else int(first.base[1])


def by_whether_an_array_can_be_written_to(row: int) -> Told:
    zeros = np.zeros(1)
    zeros.flags.writeable = bool(row)
    return lambda _: zeros.flags.writeable


def by_a_note_on_a_type_of_numbers(row: int) -> Told:
    zeros = np.zeros(1, dtype=np.dtype("i8", metadata={"row": row}))
    return lambda _: zeros.dtype.metadata["row"]  # type: ignore[index]


def by_a_ufunc_of_ones_own(row: int) -> Told:
    told = np.frompyfunc(lambda _: row, 1, 1)
    return lambda _: told(0)


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


def by_an_attribute_of_a_static_method(row: int) -> Told:
    method: Any = staticmethod(by_a_class_of_new_class)
    method.row = row
    return lambda _: method.row


def by_an_annotation(row: int) -> Told:
    class Shown(int):
        def __repr__(self) -> str:
            return "1"

    def told(_: Any) -> int:
        return int(told.__annotations__["_"])

    told.__annotations__["_"] = Shown(row)
    return told


def by_the_line_of_code(row: int) -> Told:
    def told(_: Any) -> int:
        return told.__code__.co_firstlineno

    told.__code__ = told.__code__.replace(co_firstlineno=1 + row)
    return told


WAYS = [
    *(by_a_class_of_new_class, by_a_class_of_a_metaclass, by_a_dataclass_that_is_made),
    *(by_a_class_that_says_another_module, by_an_object_of_such_a_class, by_globals_that_say_another_module),
    *(by_a_class_of_two_that_are_alike, by_what_is_registered, by_an_enum, by_the_end_of_a_range),
    *(by_a_range_in_a_tuple, by_the_order_of_a_frozenset, by_how_an_array_lies, by_what_an_array_is_a_part_of),
    *(by_whether_an_array_can_be_written_to, by_a_note_on_a_type_of_numbers, by_a_ufunc_of_ones_own),
    *(by_a_variable_that_functions_share, by_an_attribute_of_a_static_method, by_an_annotation, by_the_line_of_code),
]


def key_of(function: Told) -> Hashable:
    """What a function sees, or that it is refused."""
    try:
        return seen_by_value(function)
    except SeesTooMuch:
        return None


@pytest.mark.parametrize(
    "function",
    [
        lambda _: of_a_frame(this_frame()),
        lambda _: named_otherwise(1, "real"),
        lambda _: looks.currentframe(),
    ],
)
def test_what_looks_elsewhere_is_refused_under_any_name(function: Told) -> None:
    with pytest.raises(SeesTooMuch):
        seen_by_value(function)


@in_one("way", WAYS)
def test_functions_that_tell_another_row_are_told_apart(way: Callable[[int], Told]) -> None:
    assert way(0)(1) != way(1)(1), "else it is no way to tell"
    keys = key_of(way(0)), key_of(way(1))
    assert keys == (None, None) or keys[0] != keys[1]


def with_a_class(_: int) -> Told:
    class Kind:
        share = 2

        def shared(self, number: Any) -> Any:
            return number / self.share

    return Kind().shared


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


@pytest.mark.parametrize("way", [with_a_class, with_an_array, with_an_enum, with_a_set])
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
    "Adding sees Adding.number": Adding,
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
