"""What no value says, the order of a frozenset and which objects are one: never part of a law that is remembered."""

from __future__ import annotations

import operator
import pickle
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import partial
from types import CodeType
from typing import Any

import numpy as np
import pytest

from dpverify.mechanisms import Draw, MechanismError, Undecided, bernoulli, distribution, laplace, run
from dpverify.mechanisms.functions.fixed_values import fixed
from dpverify.mechanisms.reaching.identities import identities_asked
from dpverify.mechanisms.reaching.reach import Reach
from dpverify.verifiers import Status, Tuples, check_privacy, replace_one

FAR: int = 1234
"""A row among so many that the recheck, which is a sample, seldom meets it."""


def by_one(rows: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [(x,) for x in (rows[0] - 1, rows[0] + 1) if 0 <= x < 3000]


# --- The order of a frozenset


def collides(far: bool) -> frozenset[int]:
    """Both fall on one place of the table, and are gone through as they were put there."""
    return frozenset([8, 0] if far else [0, 8])


def first(_: Draw, values: frozenset[int]) -> int:
    return next(iter(values))


def order(draw: Draw, rows: tuple[int, ...]) -> Any:
    return draw(first, collides(rows[0] == FAR))


def order_apart(draw: Draw, rows: tuple[int, ...]) -> Any:
    return draw.each(first, [collides(rows[0] == FAR)])


def order_within(draw: Draw, rows: tuple[int, ...]) -> Any:
    return draw(first_of_the_first, (collides(rows[0] == FAR),))


def first_of_the_first(_: Draw, values: tuple[frozenset[int]]) -> int:
    return next(iter(values[0]))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("mechanism", [order, order_apart, order_within])
def test_the_order_of_a_frozenset_is_part_of_the_key(mechanism: Callable[..., Any]) -> None:
    assert run(mechanism, (FAR - 1,), seed=1) != run(mechanism, (FAR,), seed=1)
    assert check_privacy(mechanism, Tuples(range(3000), size=1), by_one, epsilon=1).status is Status.REFUTED
    assert fixed(collides(far=True)) != fixed(collides(far=False)) == fixed(frozenset([0, 8]))


def test_outcomes_of_a_part_that_are_gone_through_in_two_orders_are_handed_on_in_one() -> None:
    def either(draw: Draw) -> frozenset[int]:
        return collides(far=bool(draw(bernoulli(Fraction(1, 2)))))

    assert distribution(lambda draw, _: either(draw), ()).probabilities.keys() == {frozenset([0, 8])}
    assert distribution(lambda draw, _: next(iter(draw(either))), ()).probabilities.keys() == {0}
    assert {run(lambda draw, _: next(iter(draw(either))), (), seed) for seed in range(9)} == {0}


def test_what_is_released_in_another_order_is_another_constant() -> None:
    def released(draw: Draw, rows: tuple[int, ...]) -> Any:
        pair = draw(laplace(1)), collides(far=bool(rows[0]))
        return draw.release(pair, then=lambda given: next(iter(given[1])))

    assert check_privacy(released, Tuples((0, 1), size=1), replace_one, epsilon=1).status is Status.UNDECIDED


# --- Identity in parts


@dataclass(frozen=True, eq=False)
class Bare:
    x: int = 1


@dataclass(frozen=True)
class Compared:
    x: int = 1


class Colour(Enum):
    RED = 1


def function() -> Callable[[int], int]:
    return lambda x: x


KEPT = function()

MADE: tuple[Callable[[], Any], ...] = (function, lambda: partial(abs), Bare)


def are_equal(_: Draw, one: Any, other: Any) -> bool:
    return bool(one == other)


def is_kept(_: Draw, one: Any) -> bool:
    return bool(one == KEPT)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("make", MADE, ids=["function", "partial", "bare"])
def test_what_equals_itself_alone_is_one_in_the_key_where_it_is_one(make: Callable[[], Hashable]) -> None:
    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        one = make()
        return draw(are_equal, one, one if rows[0] == FAR else make())

    assert check_privacy(mechanism, Tuples(range(3000), size=1), by_one, epsilon=1).status is Status.REFUTED


def test_what_a_part_may_compare_with_what_it_sees_is_known_in_the_key() -> None:
    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        return draw(is_kept, KEPT if rows[0] == FAR else function())

    assert check_privacy(mechanism, Tuples(range(3000), size=1), by_one, epsilon=1).status is Status.REFUTED


def are_one(_: Draw, one: Any, other: Any) -> bool:
    return one is other


def have_one_id(_: Draw, one: Any, other: Any) -> bool:
    return id(one) == id(other)


def are_one_by_operator(_: Draw, one: Any, other: Any) -> bool:
    return operator.is_(one, other)


def are_one_in_a_pickle(_: Draw, one: Any, other: Any) -> int:
    return len(pickle.dumps((one, other)))


@pytest.mark.parametrize("part", [are_one, have_one_id, are_one_by_operator, are_one_in_a_pickle])
def test_a_part_that_asks_for_identity_is_undecided_with_its_line(part: Callable[..., Any]) -> None:
    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        third = Fraction(1, 3)
        return draw(part, third, third if rows[0] == FAR else Fraction(1, 3))

    verdict = check_privacy(mechanism, Tuples(range(3000), size=1), by_one, epsilon=1)
    assert verdict.status is Status.UNDECIDED
    assert "two things are one object" in " ".join(str(verdict).split())
    with pytest.raises(Undecided, match=r"test_identities.py, line \d"):
        distribution(mechanism, (FAR,))


def test_two_draws_of_one_outcome_are_not_asked_whether_they_are_one() -> None:
    def twice(draw: Draw, _: object) -> bool:
        return draw(lambda _: Fraction(1, 3)) is draw(lambda _: Fraction(1, 3))

    with pytest.raises(Undecided, match="one object"):
        distribution(twice, ())


# --- What is one object wherever it is met

THE_SAME = object()


def asks_harmlessly(x: Any, other: Any = None) -> Any:
    if x is None or None is other or x is not True or x is Ellipsis:
        return type(x) is int or type(x) is type(other) or x.__class__ is other.__class__
    return x is Colour.RED or x is int or x is THE_SAME or x == np.asarray(other)


def of_a_class(x: Any, cls: type = int) -> bool:
    return type(x) is cls


def words_of(*functions: Any) -> set[str]:
    reach = Reach((f.__name__, f) for f in functions)
    return {word for word, _, _ in identities_asked(reach.functions, reach.values)}


def test_what_is_one_object_wherever_it_is_met_may_be_asked_for() -> None:
    assert words_of(asks_harmlessly, of_a_class, lambda: Compared(2) == Compared(2), lambda: Bare(3)) == set()


PAIR = (1, 2)


@pytest.mark.parametrize(
    ("asks", "word"),
    [
        (lambda x: x is PAIR, "is"),
        (lambda x: x is nowhere, "is"),  # type: ignore[name-defined]  # noqa: F821  # that is the point
        (lambda x: PAIR is not x, "is"),
        (lambda x: [y for y in x if y is x[0]], "is"),
        (lambda x: sorted(x, key=id), "id"),
        (lambda x: list(map(operator.is_not, x, x)), "is_not"),
        (lambda x: object.__eq__(x, 1), "__eq__"),
        (lambda x: getattr(operator, "is_")(x, x), "is_"),  # noqa: B009
        (lambda x: eval("x is x"), "eval"),
        (partial(operator.is_, 1), "is_"),
    ],
)
def test_what_asks_for_identity_is_found(asks: Any, word: str) -> None:
    reach = Reach([("asks", asks)])
    found = list(identities_asked(reach.functions, reach.values))
    assert word in {each.word for each in found}
    assert all(isinstance(each.code, CodeType) for each in found)


# --- Identity in what is applied to a release

VALUES: dict[str, Callable[[], Any]] = {
    "tuple": lambda: tuple(range(3)),
    "int": lambda: int("12345"),
    "text": lambda: " ".join(["a", "b"]),
    "Fraction": lambda: Fraction(1, 3),
    "nan": lambda: float("nan"),
    "bare": Bare,
    "compared": lambda: Compared(int("12345")),
    "function": function,
    "partial": lambda: partial(abs),
    "frozenset": lambda: frozenset([int("12345")]),
}

ASKS: dict[str, Callable[[Any, Any], Callable[[Any], Any]]] = {
    "is": lambda a, b: lambda _: a is b,
    "id": lambda a, b: lambda _: id(a) == id(b),
    "==": lambda a, b: lambda _: a == b,
    "in": lambda a, b: lambda _: a in [b],
    "list": lambda a, b: lambda _: [b] == [a],
    "operator": lambda a, b: lambda _: operator.is_(a, b),
    "map": lambda a, b: lambda _: tuple(map(operator.is_, [a], [b])),
    "pickle": lambda a, b: lambda _: len(pickle.dumps((a, b))),
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("make", VALUES.values(), ids=VALUES.keys())
@pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS.keys())
def test_what_is_applied_and_tells_two_databases_apart_is_never_proved(
    make: Callable[[], Any], ask: Callable[..., Any]
) -> None:
    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        one = make()
        other = one if rows[0] else make()
        return draw.release(draw(laplace(1)), then=ask(one, other))

    def shown(row: int) -> Any:
        try:
            return run(mechanism, (row,), seed=1)
        except MechanismError:  # a function of its own has no pickle
            return None

    verdict = check_privacy(mechanism, Tuples((0, 1), size=1), replace_one, epsilon=1)
    assert verdict.status is Status.UNDECIDED or shown(0) == shown(1)


def test_what_is_applied_may_compare_by_value() -> None:
    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        third = Fraction(1, 3)
        other = third if rows[0] else Fraction(1, 3)
        return draw.release(draw(laplace(1)), then=lambda noisy: noisy if third == other and noisy is not None else 0)

    assert check_privacy(mechanism, Tuples((0, 1), size=1), replace_one, epsilon=1).status is Status.PROVED
