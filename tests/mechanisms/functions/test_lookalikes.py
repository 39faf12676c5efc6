"""Outcomes that are equal and not the same: refused within a law, across databases, and in sub-mechanisms."""

from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, IntEnum
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import Draw, InputError, MechanismError, bernoulli, distribution, exact, laplace
from dpverify.mechanisms.functions.lookalikes import same
from dpverify.verifiers import check_privacy


class Colour(Enum):
    RED = 1


class Level(IntEnum):
    ONE = 1


class Grade(Enum):
    """Members that are equal where their first letters are."""

    GOOD = "g"
    GREAT = "gr"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Grade) and self.value[0] == other.value[0]

    def __hash__(self) -> int:
        return hash(self.value[0])


class Kind(type):
    """Classes that are equal whatever is in them."""

    def __eq__(cls, other: object) -> bool:
        return isinstance(other, Kind)

    def __hash__(cls) -> int:
        return 0


class Left(metaclass=Kind):
    pass


class Right(metaclass=Kind):
    pass


class Pair(NamedTuple):
    a: Any
    b: Any


@dataclass(frozen=True)
class Noted:
    a: Any
    note: Any = field(compare=False, default=None)


@dataclass(frozen=True, repr=False)
class Unseen:
    a: Any


class Slotted:
    __slots__ = ("__hidden", "a")

    def __init__(self, a: Any, hidden: Any = 0) -> None:
        self.a = a
        self.__hidden = hidden

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Slotted) and self.a == other.a

    def __hash__(self) -> int:
        return hash(self.a)


class AlwaysEqual:
    def __init__(self, a: Any) -> None:
        self.a = a

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AlwaysEqual)

    def __hash__(self) -> int:
        return 0


class Computed:
    """Its repr says all that it holds; `double` is computed from that."""

    def __init__(self, a: int) -> None:
        self.a = a

    @cached_property
    def double(self) -> int:
        return 2 * self.a

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Computed) and self.a == other.a

    def __hash__(self) -> int:
        return hash(self.a)

    def __repr__(self) -> str:
        return f"Computed({self.a})"


class Marked(int):
    """A whole number that carries something."""

    mark: str


def marked(mark: str) -> Marked:
    number = Marked(1)
    number.mark = mark
    return number


def computed() -> Computed:
    value = Computed(1)
    assert value.double == 2
    return value


DIFFERENT: list[tuple[Any, Any]] = [
    (True, 1),
    (False, 0.0),
    (0, False),
    (1.0, 1),
    (1.0, Fraction(1)),
    (0.0, -0.0),
    (Decimal("1.0"), Decimal("1.00")),
    (Decimal(1), 1),
    (np.int64(1), 1),
    (exact(1), 1),
    (Level.ONE, 1),
    (Grade.GOOD, Grade.GREAT),
    (Left, Right),
    ((1, (True,)), (1, (1,))),
    (frozenset({(1,)}), frozenset({(True,)})),
    (Pair(True, 2), Pair(1, 2)),
    (Noted(1, "a"), Noted(1, "b")),
    (Noted(1), Noted(True)),
    (Unseen(1), Unseen(1.0)),
    (Slotted(1, 0), Slotted(1, 1)),
    (Slotted(1), Slotted(True)),
    (AlwaysEqual(1), AlwaysEqual(2)),
    (marked("a"), marked("b")),
    (marked("a"), 1),
]

ALIKE: list[tuple[Any, Any]] = [
    (1, Fraction(1)),
    ((1, Fraction(1, 2)), (Fraction(1), Fraction(1, 2))),
    ("a" + "b", "".join(["a", "b"])),
    (Colour.RED, Colour(1)),
    (float("1.5"), 1.5),
    (Decimal("1.0"), Decimal("1.0")),
    (Pair(1, 2), Pair(Fraction(1), 2)),
    (Noted(1, "a"), Noted(Fraction(1), "a")),
    (Slotted(1, 1), Slotted(1, 1)),
    (AlwaysEqual(1), AlwaysEqual(1)),
    (frozenset({1, (2,)}), frozenset({(2,), Fraction(1)})),
    (Computed(1), computed()),
    (exact("0.5"), exact(Fraction(1, 2))),
    (None, None),
]


@in_one("left, right", DIFFERENT)
def test_what_is_equal_and_not_the_same(left: Any, right: Any) -> None:
    assert left == right
    assert same(left, right) is False
    assert same(right, left) is False


@in_one("left, right", ALIKE)
def test_what_is_the_same(left: Any, right: Any) -> None:
    assert left == right
    assert same(left, right)
    assert same(right, left)


PARTS = st.sampled_from([0, False, 0.0, -0.0, Fraction(0), Decimal(0), 1, True, Fraction(1), "1"])
VALUES = st.recursive(PARTS, lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=2), max_leaves=4)


def plainly(value: Any) -> Any:
    """A value that only the same one equals: types beside values, and int and Fraction as one."""
    if isinstance(value, tuple | frozenset):
        return type(value), type(value)(map(plainly, value))
    kind = Fraction if type(value) in (int, Fraction) else type(value)
    return kind, repr(Fraction(value)) if kind is Fraction else repr(value)


@given(VALUES, VALUES)
def test_same_is_equality_of_values_with_their_types(left: Any, right: Any) -> None:
    if left == right:
        assert same(left, right) == (plainly(left) == plainly(right))


def a_coin(draw: Draw, pair: tuple[Any, Any]) -> Any:
    return pair[int(draw(bernoulli("0.5")))]


@in_one("left, right", DIFFERENT)
def test_lookalikes_are_refused_wherever_they_meet(left: Any, right: Any) -> None:
    has_own = isinstance(
        left, Grade | Slotted | AlwaysEqual | Marked
    )  # a `__hash__` or `__eq__` that calls what it may not
    told = "to which rows lead" if has_own else "which are equal and not the same, and so one outcome"
    for mechanism in (a_coin, lambda draw, pair: str(draw(a_coin, pair))):
        with pytest.raises(MechanismError, match=told):
            distribution(mechanism, (left, right))
    outcomes = {"one": left, "other": right}
    with pytest.raises(InputError, match="which are equal and not the same, and so one outcome"):
        check_privacy(
            lambda draw, database: outcomes[database],
            list(outcomes),
            lambda _: list(outcomes),
            epsilon=0,
            recheck=False,
        )


def test_lookalikes_of_a_returned_distribution_are_refused() -> None:

    with pytest.raises(MechanismError, match="returned 1 of type int, and True of type bool before"):
        distribution(lambda draw, database: bernoulli("0.5") if draw(bernoulli("0.5")) else 1, 0)


def test_an_order_of_the_rows_that_shows_in_a_type_alone_is_found() -> None:
    from dpverify.verifiers import Multisets

    def in_order(draw: Draw, rows: tuple[int, ...]) -> Any:
        return True if rows[0] <= rows[-1] else 1

    with pytest.raises(InputError, match="returned 1 of type int on one database, and True of type bool"):
        check_privacy(in_order, Multisets((0, 1), size=2), epsilon=1, recheck=False)


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_law_of_noise_is_no_outcome(wrapped: bool) -> None:

    with pytest.raises(MechanismError, match=r"\), a noise and no number"):
        distribution(lambda draw, database: ("sum", laplace(1)) if wrapped else laplace(1), 0)


class Box:
    """Equal to itself alone, and what it holds may change."""

    def __init__(self, value: Any) -> None:
        self.value = value


def test_an_object_that_may_change_unseen_is_no_outcome() -> None:
    box = Box(None)

    def fills(draw: Draw, rows: Any) -> Any:
        box.value = rows
        return (box, draw(bernoulli("0.5")))

    with pytest.raises(MechanismError, match="equals itself alone and holds what may change"):
        distribution(fills, (1,))
    sentinel = object()
    assert distribution(lambda draw, rows: (sentinel, Box, a_coin, Colour.RED), 0).size == 1
