"""What the law of a sub-mechanism is remembered under: with the memory off, every law is the same."""

import functools
from collections.abc import Callable
from dataclasses import InitVar, dataclass, field
from fractions import Fraction
from typing import Any

import pytest
from tests.examples import in_one

from dpverify.mechanisms import Draw, Limits, MechanismError, bernoulli, distribution
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.functions.fixed_values import Changeable, fixed
from dpverify.mechanisms.language.sets import OrderedFrozenSet


def flip(draw: Draw, coin: Any) -> bool:
    return bool(draw(bernoulli(Fraction(coin.k, 10))))


def with_attribute(k: int) -> tuple[Any, ...]:
    def coin(draw: Draw) -> bool:
        return bool(draw(bernoulli(Fraction(coin.k, 10))))  # type: ignore[attr-defined]  # that is the point

    coin.k = k  # type: ignore[attr-defined]
    return (coin,)


def with_wraps(k: int) -> tuple[Any, ...]:
    def inner(draw: Draw) -> bool:
        return bool(draw(bernoulli(Fraction(k, 10))))

    @functools.wraps(inner)
    def outer(draw: Draw) -> bool:
        return bool(outer.__wrapped__(draw))

    return (outer,)


def with_closure(k: int) -> tuple[Any, ...]:
    return (lambda draw: draw(bernoulli(Fraction(k, 10))),)


def with_default(k: int) -> tuple[Any, ...]:

    return (lambda draw, k=k: bool(draw(bernoulli(Fraction(k, 10)))),)


def with_partial(k: int) -> tuple[Any, ...]:
    return (functools.partial(lambda k, draw: draw(bernoulli(Fraction(k, 10))), k),)


def by_keyword(draw: Draw, *, k: int) -> bool:
    return bool(draw(bernoulli(Fraction(k, 10))))


def with_partial_by_keyword(k: int) -> tuple[Any, ...]:
    return (functools.partial(by_keyword, k=k),)


def with_partial_that_has_it(k: int) -> tuple[Any, ...]:
    coin = functools.partial(flip)
    coin.k = k  # type: ignore[attr-defined]  # that is the point
    return flip, coin


class KeepingPartial(functools.partial[Any]):
    """One that holds more, under a name that is no attribute of its own."""

    held: tuple[Any, ...] = ()

    @property
    def k(self) -> int:
        return int(self.held[0].k)


def with_partial_of_a_subclass(k: int) -> tuple[Any, ...]:
    coin = KeepingPartial(flip)
    coin.held = (Changing(k),)
    return flip, coin


@dataclass(frozen=True)
class Named:
    name: str


class Coin(Named):
    def __init__(self, name: str, k: int) -> None:
        super().__init__(name)
        object.__setattr__(self, "k", k)

    def __call__(self, draw: Draw) -> bool:
        return flip(draw, self)


@dataclass(frozen=True)
class Given:
    name: str
    start: InitVar[int]

    def __post_init__(self, start: int) -> None:
        object.__setattr__(self, "k", start)


@dataclass(frozen=True)
class NotCompared:
    name: str
    k: int = field(compare=False)


@dataclass
class Changing:
    k: int


MAKERS: list[Callable[[int], tuple[Any, ...]]] = [
    with_wraps,
    with_closure,
    with_default,
    with_partial,
    with_partial_by_keyword,
    with_partial_of_a_subclass,
    lambda k: (flip, Coin("c", k)),
    lambda k: (Coin("c", k),),
    lambda k: (flip, Given("c", k)),
    lambda k: (flip, NotCompared("c", k)),
    lambda k: (flip, Changing(k)),
]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("first", [5, 9])
def test_a_law_is_not_taken_for_that_of_another_part(make: Callable[[int], tuple[Any, ...]], first: int) -> None:

    for k in (1, 9):
        law = distribution(lambda draw, database: (draw(*make(first)), draw(*make(database))), k)
        expected = {True: Fraction(k, 10), False: 1 - Fraction(k, 10)}
        for outcome, p in expected.items():
            assert law.probability((True, outcome), (False, outcome)) == p


@pytest.mark.parametrize("make", [with_attribute, with_partial_that_has_it])
def test_an_attribute_of_a_function_is_no_place_to_keep_something(make: Callable[[int], tuple[Any, ...]]) -> None:
    with pytest.raises(MechanismError, match=r"changed an attribute of a (function|partial)"):
        distribution(lambda draw, database: draw(*make(database)), 1)


@pytest.mark.parametrize("make", MAKERS)
def test_one_enumeration_of_two_databases_tells_them_apart(make: Callable[[int], tuple[Any, ...]]) -> None:
    enumeration = Enumeration(Limits())
    for k in (1, 9, 1):
        law = enumeration.law(lambda draw, database: draw(*make(database)), (k,), {})
        assert law.probability(True) == Fraction(k, 10)


@in_one(
    "make",
    [
        with_attribute,
        with_wraps,
        with_closure,
        with_default,
        with_partial,
        with_partial_by_keyword,
        with_partial_that_has_it,
        lambda k: (flip, Given("c", k)),
    ],
)
def test_what_cannot_change_is_remembered(make: Callable[[Any], tuple[Any, ...]]) -> None:
    """Two parts that are made alike share a key; giving up there would cost the recursion three orders of magnitude."""
    assert [fixed(part) for part in make(3)] == [fixed(part) for part in make(3)]
    assert [fixed(part) for part in make(3)] not in ([fixed(part) for part in make(k)] for k in (4, Fraction(3)))


def test_what_may_change_is_not_remembered() -> None:
    for value in (
        Changing(1),
        [1],
        {1: [2]},
        functools.partial(fixed, [1]),
        functools.partial(flip, coin=[1]),
        functools.partial([].append),
        KeepingPartial(flip),
        with_partial_of_a_subclass(1)[1],
    ):
        with pytest.raises(Changeable):
            fixed(value)


@dataclass(frozen=True)
class Points:
    of: frozenset[int]


def test_a_frozenset_that_a_run_has_made_is_a_key_with_its_order() -> None:
    ordered = Points(OrderedFrozenSet((2, 1)))
    assert fixed(ordered) == fixed(Points(OrderedFrozenSet((2, 1))))
    assert fixed(ordered) not in (fixed(Points(OrderedFrozenSet((1, 2)))), fixed(Points(frozenset({1, 2}))))

    def both(draw: Draw, row: int) -> tuple[bool, bool]:
        points = Points(frozenset({row, row + 1}))
        return draw(of_points, points=points), draw(of_points, points=points)

    enumeration = Enumeration(Limits())
    assert len(enumeration.law(both, (1,), {}).probabilities) == 4
    assert len(enumeration.runs_of_parts) == 1


def of_points(draw: Draw, *, points: Points) -> bool:
    return bool(draw(bernoulli(Fraction(len(points.of), 10))))
