"""What is compared is what `run` returns: every way to tell two equal outcomes apart, and what becomes of each."""

import pickle
import subprocess
import sys
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import Distribution, InputError, bernoulli, distribution, exponential, laplace, run
from dpverify.mechanisms.functions.canonical import DIFFERENCES, Handling, canonical, handed_on, sorted_by_value
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber
from dpverify.verifiers import Status, Tuples, check_privacy, replace_one

ONE_BIT = Tuples((0, 1), size=1)


@dataclass(frozen=True)
class Box:
    held: Any

    @cached_property
    def twice(self) -> Any:
        return (self.held, self.held)


@dataclass(frozen=True)
class Beside:
    held: Any
    more: Any = field(compare=False)


@dataclass
class Open:
    held: Any
    more: Any = field(compare=False)


class Items(list[Any]):
    pass


class Pair(NamedTuple):
    left: Any
    right: Any


class Other(NamedTuple):
    left: Any
    right: Any


class Text(str):
    __slots__ = ()


class Tagged(tuple[Any, ...]):
    pass


class Plain:
    def __init__(self, **held: Any) -> None:
        self.__dict__.update(held)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plain) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(frozenset(self.__dict__))

    def __repr__(self) -> str:
        return "Plain"


class Salted:
    """Equal to all of its class, with a hash of its own."""

    def __init__(self, salt: int) -> None:
        self.salt = salt

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Salted)

    def __hash__(self) -> int:
        return self.salt


class Kept(dict[Any, Any]):
    def __hash__(self) -> int:  # type: ignore[override]  # as outcomes need one
        return hash(frozenset(self))

    __repr__ = object.__repr__


class Number(IntEnum):
    ONE = 1


def _looked_at(box: Box) -> Box:
    _ = box.twice
    return box


def _with_attribute(value: Any) -> Any:
    value.beside = 1
    return value


def _emptied(items: dict[str, int], **left: int) -> dict[str, int]:
    items.clear()
    items.update(left)
    return items


def _roomy(*elements: Any) -> frozenset[Any]:
    large = set(range(1000)) | set(elements)
    for i in range(1000):
        if i not in elements:
            large.discard(i)
    return frozenset(large)


CONSTANT = (1000, "a text that is not interned", b"bytes")
NAN = float("nan")


def _equal_to_constant() -> Any:
    return int("1000"), "".join(["a text ", "that is not interned"]), bytes(bytearray(b"bytes"))


def _shared() -> Any:
    part = (int("1000"), "x y")
    return part, part


def _apart() -> Any:
    return (int("1000"), "x y"), (int("1000"), "".join(["x", " y"]))


Two = tuple[Callable[[], Any], Callable[[], Any]]

FLOATS = tuple(map(float, ("1", "0", "-0")))  # which no source gives as a literal
COMPLEX = complex(0, -0.0), complex(0, 0.0)


SAID: dict[str, list[Two]] = {
    "an int, a WholeNumber and a Fraction of one value": [
        (lambda: 1, lambda: Fraction(1)),
        (lambda: (1, 2), lambda: (WholeNumber(1), Fraction(2))),
        (lambda: Box(3), lambda: Box(Fraction(3))),
    ],
    "a truth value and a number": [(lambda: True, lambda: 1), (lambda: (0,), lambda: (False,))],
    "a float, a complex or a Decimal and an int": [
        (lambda: FLOATS[0], lambda: 1),
        (lambda: (1 + 0j,), lambda: (1,)),
        (lambda: Decimal(1), lambda: 1),
    ],
    "the sign of zero": [(lambda: FLOATS[1], lambda: FLOATS[2]), (lambda: Box(COMPLEX[0]), lambda: Box(COMPLEX[1]))],
    "the digits of a Decimal": [(lambda: Decimal("1.0"), lambda: Decimal("1.00"))],
    "NaN, at any depth": [
        (lambda: NAN, lambda: NAN),
        (lambda: (NAN,), lambda: (float("nan"),)),
        (lambda: Box(NAN), lambda: Box(NAN)),
        (lambda: frozenset([Decimal("NaN")]), frozenset),
    ],
    "the order in which a set is gone through": [
        (lambda: frozenset([0, 8]), lambda: frozenset([8, 0])),
        (lambda: (1, (frozenset([0, 8]),)), lambda: (1, (frozenset([8, 0]),))),
        (lambda: Box(frozenset([0, 8])), lambda: Box(frozenset([8, 0]))),
        (lambda: Pair(0, frozenset([0, 8])), lambda: Pair(0, frozenset([8, 0]))),
        (lambda: Tagged([frozenset([0, 8])]), lambda: Tagged([frozenset([8, 0])])),
        (lambda: frozenset([frozenset([0, 8]), 1]), lambda: frozenset([1, frozenset([8, 0])])),
        (lambda: Plain(a=frozenset([0, 8])), lambda: Plain(a=frozenset([8, 0]))),
        (lambda: Distribution({frozenset([0, 8]): 1, "x": 1}), lambda: Distribution({frozenset([8, 0]): 1, "x": 1})),
    ],
    "the room that a set, a list or a dict has": [
        (lambda: frozenset([1, 2]), lambda: _roomy(1, 2)),
        (lambda: [1, 2, 3], lambda: [i for i in range(100) if 1 <= i <= 3]),
        (lambda: {"a": 1}, lambda: _emptied({str(i): i for i in range(100)}, a=1)),
    ],
    "the order of a dict": [
        (lambda: {"a": 1, "b": 2}, lambda: {"b": 2, "a": 1}),
        (lambda: [Counter(a=1, b=2)], lambda: [Counter(b=2, a=1)]),
    ],
    "the type of a dict: Counter, OrderedDict, defaultdict": [
        (lambda: {"a": 1}, lambda: Counter(a=1)),
        (lambda: ({"a": 1},), lambda: (OrderedDict(a=1),)),
        (dict, lambda: defaultdict(int)),
        (lambda: defaultdict(list), lambda: defaultdict(int)),
    ],
    "a subclass of list or dict of somebody's own": [
        (lambda: Kept(a=1, b=2), lambda: Kept(a=1, b=2)),
        (lambda: [1], lambda: Items([1])),
        (lambda: defaultdict(lambda: 0), lambda: defaultdict(lambda: 0)),
        (lambda: {"a": 1}, lambda: _with_attribute(Counter(a=1))),
    ],
    "attributes that are not compared, of a dataclass that cannot be hashed": [
        (lambda: Open(1, 2), lambda: Open(1, 3)),
        (lambda: Beside([1], 2), lambda: Beside([1], 3)),
        (lambda: Open(1, 2), lambda: _with_attribute(Open(1, 2))),
    ],
    "the type, where one is a subclass of the other": [(lambda: "a", lambda: Text("a"))],
    "the type of a named tuple": [(lambda: (1, 2), lambda: Pair(1, 2)), (lambda: Pair(1, 2), lambda: Other(1, 2))],
    "attributes that are no fields, or that are not compared": [(lambda: Beside(1, 2), lambda: Beside(1, 3))],
    "the order of attributes, and what a cached_property has computed": [
        (lambda: Plain(a=1, b=2), lambda: Plain(b=2, a=1)),
        (lambda: Box(1), lambda: _looked_at(Box(1))),
        (lambda: [Box([1])], lambda: [_looked_at(Box([1]))]),
    ],
    "a member of an Enum and its value": [(lambda: Number.ONE, lambda: 1)],
    "functions, and other objects that equal themselves alone": [(lambda: len, lambda: max)],
    "equal values with two hashes": [(lambda: Salted(1), lambda: Salted(2))],
    "which object it is, and which of its parts are one object": [
        (lambda: CONSTANT, _equal_to_constant),
        (_shared, _apart),
        (lambda: [[1]] * 2, lambda: [[1], [1]]),
        (lambda: {"a": Open(CONSTANT, CONSTANT)}, lambda: {"a": Open(_equal_to_constant(), CONSTANT)}),
        (lambda: Decimal("1.5"), lambda: Decimal("3") / 2),
    ],
}


def test_every_difference_has_a_case() -> None:
    assert SAID.keys() == DIFFERENCES.keys()


def seen(value: Any) -> Any:
    """All that can be seen of a value, with what is one object in it."""
    met: dict[int, int] = {}

    def of(part: Any) -> Any:
        number = met.setdefault(id(part), len(met))
        inner = list(map(of, part.items() if isinstance(part, dict) else part)) if _is_container(part) else repr(part)
        held = [(name, of(one)) for name, one in getattr(part, "__dict__", {}).items()]
        return (
            type(part).__qualname__,
            number,
            inner,
            held,
            sys.getsizeof(part),
            part is CONSTANT or part in CONSTANT[:0],
        )

    return of(value)


def _is_container(part: Any) -> bool:
    return isinstance(part, tuple | frozenset | set | list | dict)


@in_one("name, left, right", [(name, *pair) for name, pairs in SAID.items() for pair in pairs])
def test_what_equal_outcomes_differ_by(name: str, left: Callable[[], Any], right: Callable[[], Any]) -> None:
    def mechanism(draw: Any, rows: Any) -> Any:
        return left() if rows[0] else right()

    match DIFFERENCES[name]:
        case Handling.REFUSED:
            with pytest.raises(InputError):
                check_privacy(mechanism, ONE_BIT, replace_one, epsilon=0, recheck=False)
        case Handling.TWO_OUTCOMES:
            assert check_privacy(mechanism, ONE_BIT, replace_one, epsilon=0, recheck=False).status is Status.REFUTED
        case Handling.MADE_ONE:
            assert check_privacy(mechanism, ONE_BIT, replace_one, epsilon=0, recheck=False).status in (
                Status.PROVED,
                Status.CHECKED,
            )
            outcomes = [run(mechanism, (bit,), seed=1) for bit in (0, 1)]
            assert seen(outcomes[0]) == seen(outcomes[1])
            assert pickle.dumps(outcomes[0]) == pickle.dumps(outcomes[1])


def test_what_run_returns_is_no_object_of_the_mechanism() -> None:
    outcome = run(lambda draw, rows: CONSTANT, ())
    assert outcome == CONSTANT and outcome is not CONSTANT
    assert all(part is not constant for part, constant in zip(outcome, CONSTANT, strict=True))


@pytest.mark.parametrize(
    "way",
    [
        lambda draw, rows, value: draw(lambda draw: value),
        lambda draw, rows, value: draw(Distribution({value: 1})),
        lambda draw, rows, value: draw(lambda draw: Distribution({value: 1})),
        lambda draw, rows, value: draw(exponential({value: 0}, 1)),
        lambda draw, rows, value: draw.until(lambda draw: value, lambda outcome: True),
        lambda draw, rows, value: draw(lambda draw: draw(lambda draw: value)),
        lambda draw, rows, value: draw(lambda draw: (value, draw(laplace(1))))[0],
    ],
    ids=[
        "sub-mechanism",
        "distribution",
        "sub-mechanism with a law",
        "exponential",
        "until",
        "two deep",
        "beside noise",
    ],
)
def test_a_drawn_set_is_gone_through_in_one_order(way: Any) -> None:
    def first_of_it(draw: Any, rows: Any) -> Any:
        value = frozenset([0, 8]) if rows[0] else frozenset([8, 0])
        return tuple(way(draw, rows, value))

    assert check_privacy(first_of_it, ONE_BIT, replace_one, epsilon=0, recheck=False).status is Status.PROVED
    assert run(first_of_it, (0,)) == run(first_of_it, (1,)) == tuple(frozenset([0, 8]))


def test_paths_that_meet_in_one_outcome_hand_on_one_form() -> None:
    def either(draw: Any, rows: Any) -> Any:
        heads = draw(bernoulli("1/2"))
        return (Fraction(1), frozenset([8, 0])) if heads and rows[0] else (1, frozenset([0, 8]))

    def looks(draw: Any, rows: Any) -> Any:
        number, elements = draw(either, rows)
        return type(number).__name__, tuple(elements)

    assert check_privacy(looks, ONE_BIT, replace_one, epsilon=0, recheck=False).status is Status.PROVED
    assert {run(looks, (bit,), seed) for bit in (0, 1) for seed in range(20)} == {("int", (0, 8))}


def test_what_is_applied_to_released_noise_is_handed_on_in_one_form() -> None:
    def released(draw: Any, rows: Any) -> Any:
        return draw.release(draw(laplace(1)), then=lambda number: {"b": {8, 0}, "a": [number > 0, Fraction(2)]})

    outcome = run(released, (0,), seed=1)
    assert list(outcome) == ["b", "a"] and list(outcome["b"]) == [0, 8]
    assert [type(part) for part in outcome["a"]] == [bool, int]


def test_a_set_that_has_no_order_is_refused() -> None:

    with pytest.raises(InputError, match="is put in order, and has no fixed place in an order"):
        distribution(lambda draw, rows: frozenset([object, print, len]), (0,))


def test_the_order_in_which_a_set_is_built_is_that_of_every_process() -> None:
    line = (
        "from dpverify.mechanisms.functions.canonical import sorted_by_value as s; from fractions import Fraction as F; "
        "print(s({'b', 'a', ('x', None), ('x', 'y'), 2, F(1, 2), True, None, b'z', frozenset(['q', 'p', 'r'])}, 'it'))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", line.replace("frozenset(['q', 'p', 'r'])", "frozenset(['q'])")],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1


PARTS = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 20) | st.text("ab", max_size=2) | st.fractions(0, 2, max_denominator=3),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3) | inner.map(Box),
    max_leaves=8,
)


@given(PARTS)
def test_a_canonical_form_equals_its_value_and_is_its_own(value: Any) -> None:
    form = canonical(value)
    assert form == value == handed_on(value)
    assert repr(canonical(form)) == repr(form) == repr(handed_on(value))
    assert hash(form) == hash(value)


@given(st.lists(PARTS, max_size=6), st.randoms())
def test_values_in_order_have_one_order(values: list[Any], random: Any) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)
    assert list(map(repr, map(canonical, sorted_by_value(values, "it")))) == list(
        map(repr, map(canonical, sorted_by_value(shuffled, "it")))
    )


class Blank:
    def __repr__(self) -> str:
        return "Blank"


def test_values_that_read_alike_and_are_not_have_no_order() -> None:
    one = Blank()
    assert Counter(sorted_by_value([one, 1, one], "it")) == Counter([1, one, one])
    with pytest.raises(InputError, match="is put in order, and has no fixed place in an order"):
        sorted_by_value([Blank(), Blank()], "it")


def test_dicts_keep_their_order() -> None:
    assert list(handed_on(OrderedDict(b=1, a=2))) == ["b", "a"]
    assert list(handed_on(Counter("bba"))) == ["b", "a"]
