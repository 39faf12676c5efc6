"""Objects with a `__call__` of their own as arguments: they stay what they are, and what calls them is guarded."""

from __future__ import annotations

import functools
import itertools
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeVar

import pytest

from dpverify.mechanisms import Limits, bernoulli, distribution, exp, laplace, run, uniform
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.language import guards, tables
from dpverify.mechanisms.language.compiled import compiled, form_of, outside_of
from dpverify.mechanisms.language.reader import read
from dpverify.mechanisms.language.values_from_outside import OutsideLanguage
from dpverify.mechanisms.numbers.errors import MechanismError

FOUND: list[int] = []
T = TypeVar("T")


@dataclass(frozen=True)
class Threshold:
    """A query, which is equal to another one of the same number."""

    number: int

    def __call__(self, value: int) -> bool:
        return value >= self.number

    def shifted(self) -> Threshold:
        return Threshold(self.number + 1)


class Counts:
    """Remembers the noise of each query."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self._noise: dict[Any, Any] = {}

    def __call__(self, query: Threshold, threshold: int) -> bool:
        if query not in self._noise:
            self._noise[query] = self._draw(laplace(1))
        return bool(self._noise[query] >= threshold)


def remembered_by_an_object(draw: Draw, rows: tuple[int, ...]) -> tuple[bool, bool]:
    counts = Counts(draw)
    return counts(Threshold(0), 1), counts(Threshold(0), 2)


def remembered_by_a_cache(draw: Draw, rows: tuple[int, ...]) -> tuple[bool, bool]:
    @functools.cache
    def noise(query: Threshold) -> Any:
        return draw(laplace(1))

    return noise(Threshold(0)) >= 1, noise(Threshold(0)) >= 2


def remembered_by_a_closure(draw: Draw, rows: tuple[int, ...]) -> tuple[bool, bool]:
    known: dict[Any, Any] = {}

    def noise(query: Threshold) -> Any:
        if known.get(query) is None:
            known[query] = draw(laplace(1))
        return known.get(query)

    return noise(Threshold(0)) >= 1, noise(Threshold(0)) >= 2


@pytest.mark.parametrize(
    "mechanism",
    [remembered_by_an_object, remembered_by_a_cache, remembered_by_a_closure],
    ids=lambda each: each.__name__,
)
def test_the_noise_of_an_equal_query_is_drawn_once(mechanism: Callable[..., Any]) -> None:
    """Pr[Lap(1) ≥ t] = e^−t/2 for t ≥ 0: one noise, so that nothing is above 2 and not above 1."""
    law = distribution(mechanism, ())
    one, two = exp(-1) / 2, exp(-2) / 2
    assert dict(law.probabilities) == {(True, True): two, (True, False): one - two, (False, False): 1 - one}
    seen = {run(mechanism, (), seed=seed) for seed in range(40)}
    assert (False, True) not in seen
    assert {(True, False), (False, False)} <= seen


def what_an_argument_is(draw: Draw, rows: tuple[int, ...]) -> tuple[bool, ...]:
    """What a function, a method, and a keyword are told of an object and of its class."""

    def told(value: Any, kind: Any = Threshold) -> tuple[bool, ...]:
        return value == query, isinstance(value, kind), value.number == 3, type(value) is kind, kind is Threshold

    query = Threshold(3)
    kept = [query]
    kept.append(Threshold(4))
    return (
        *told(Threshold(3), Threshold),
        *told(value=query, kind=Threshold),
        kept.index(Threshold(4)) == 1,
        kept.count(query) == 1,
        {query: True}.get(Threshold(3), False),
        max(query, Threshold(1), key=lambda each: each.number) == query,
        functools.reduce(lambda before, each: before, (1, 2), query) == query,
        functools.partial(told, query)()[0],
        query.shifted() == Threshold(4),
    )


def test_an_argument_stays_the_object_that_it_is() -> None:
    law = distribution(what_an_argument_is, ())
    assert dict(law.probabilities) == {(True,) * 17: 1}
    assert run(what_an_argument_is, (), seed=1) == (True,) * 17


class Telling:
    """Code of the program that needs a guard: what calls it past the guards is told by `FOUND`."""

    def __init__(self) -> None:
        self.number = 1

    def __call__(self, *values: Any, **more: Any) -> int:
        found = [FOUND][0]
        found.append(1)
        return 0


def _by_sort(draw: Draw, rows: Any) -> Any:
    values = [2, 1]
    values.sort(key=Telling())
    return tuple(values)


def _by_default(draw: Draw, rows: Any) -> Any:
    return defaultdict(Telling())[1]  # type: ignore[index]


class Made(Generic[T]):
    """A class whose alias is called."""

    def __init__(self, number: T) -> None:
        Telling()(number)


class Timed(Generic[T]):
    """A class that is outside the language."""

    def __init__(self, number: T) -> None:
        self.number = time.time()


MADE, TIMED = Made[int], Timed[int]


class OfTyping:
    """A class whose objects are none of typing's."""

    def __call__(self) -> float:
        return time.time()


OfTyping.__module__ = "typing"
OF_TYPING = OfTyping()


def _by_an_alias(draw: Draw, rows: Any) -> Any:
    MADE(1)
    return 0


def _by_an_alias_of_time(draw: Draw, rows: Any) -> Any:
    TIMED(1)
    return 0


@pytest.mark.parametrize("mechanism", [_by_an_alias_of_time, lambda draw, rows: OF_TYPING()])
def test_the_class_behind_an_alias_is_read(mechanism: Callable[..., Any]) -> None:
    assert read(mechanism).outside


def _by_decorator(draw: Draw, rows: Any) -> Any:
    @Telling()
    def inner() -> int:
        return 1

    return inner


@pytest.mark.parametrize(
    "mechanism",
    [
        lambda draw, rows: tuple(map(Telling(), (1,))),
        lambda draw, rows: max((1, 2), key=Telling()),
        _by_sort,
        lambda draw, rows: tuple(functools.partial(map, Telling())((1,))),
        _by_default,
        lambda draw, rows: defaultdict[int, int](Telling())[1],
        _by_an_alias,
        lambda draw, rows: len(tuple(map(Made[int], (1,)))),
        lambda draw, rows: draw(Telling(), rows),
        _by_decorator,
    ],
    ids=lambda each: each.__name__,
)
def test_what_calls_an_object_calls_its_compiled_form(mechanism: Callable[..., Any]) -> None:
    FOUND.clear()
    assert form_of(mechanism, {}) is not None
    with pytest.raises(MechanismError, match="OutsideLanguage"):
        run(mechanism, (), seed=1)
    assert FOUND == []


def _calls(function: Any, *args: Any, **kwargs: Any) -> bool:
    """True where a function calls one of the arguments that are `spy`."""
    called: list[int] = []

    def spy(*values: Any, **more: Any) -> int:
        called.append(1)
        return 1

    def given(value: Any) -> Any:
        return spy if value == "spy" else value

    try:
        made = function(*map(given, args), **{name: given(value) for name, value in kwargs.items()})
        if isinstance(made, defaultdict):
            made["missing"]
        elif hasattr(type(made), "__next__"):
            tuple(itertools.islice(made, 4))
        elif callable(made) and made is not spy and not isinstance(made, type):
            made(1, 2)
    except Exception:
        return bool(called)
    return bool(called)


def test_whatever_of_pythons_library_calls_an_argument_is_known() -> None:
    """Each function of the tables is tried: no one calls what it is given at a place that the guards do not know."""
    values = (2, 1, 3)
    tried: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        (("spy",), {}),
        (("spy", values), {}),
        (("spy", [(1, 2)]), {}),
        (("spy", 1), {}),
        ((values, "spy"), {}),
        (([1, 2], 1, "spy"), {}),
        ((2, values, "spy"), {}),
        *(((values,), {name: "spy"}) for name in ("key", "func", "default")),
        *((([1, 2], 1), {name: "spy"}) for name in ("key",)),
    ]
    found = set()
    for function, _ in tables.FUNCTIONS.values():
        for args, kwargs in tried:
            places = {n for n, value in enumerate(args) if value == "spy"} | {*kwargs}
            if _calls(function, *args, **kwargs):
                known = guards._CALLED_BY.get(id(function))
                changes = function.__name__.startswith("insort")  # which has a guard of its own, with its keywords
                assert known is not None or changes, (function, args, kwargs)
                assert known is None or all(place in known[1] for place in places), (function, args, kwargs)
                found.add(function)
    assert {map, filter, functools.reduce, functools.partial, sorted, max, defaultdict} <= found


def test_a_draw_hands_a_parameter_on_as_it_is() -> None:
    def asked(draw: Draw, rows: Any, /, *, query: Threshold) -> Any:
        return query == Threshold(3), draw(bernoulli(Fraction(1, 2)))

    def mechanism(draw: Draw, rows: Any) -> Any:
        return draw(asked, rows, query=Threshold(3))

    assert dict(distribution(mechanism, ()).probabilities) == {(True, 0): Fraction(1, 2), (True, 1): Fraction(1, 2)}


def test_a_partial_of_a_dict_is_compiled() -> None:
    mechanism = functools.partial(lambda draw, rows, *, table: draw(table[rows]), table={(): bernoulli(Fraction(1, 2))})
    assert form_of(mechanism, {}) is not None
    assert outside_of(mechanism) == ()


class Tally:
    def __init__(self) -> None:
        self.counts = [0, 0]

    def add(self, x: int) -> None:
        self.counts[x] += 1


def returned_at_once(draw: Any, rows: Any) -> Any:
    tally = Tally()
    for x in rows:
        tally.add(x)
    tally.add(draw(uniform(range(2))))
    return draw(uniform(range(1 + tally.counts[1])))


def test_one_run_is_made_for_what_is_returned_at_once_in_a_program_with_classes() -> None:
    enumeration = Enumeration(Limits())
    law = enumeration.law(returned_at_once, ((0, 1, 1),), {})
    assert law.probabilities == {**dict.fromkeys(range(3), Fraction(7, 24)), 3: Fraction(1, 8)}
    assert enumeration.runs == 2  # and not seven


KEPT = [0, 0]


def count_into(counts: Any, rows: Any) -> Any:
    for x in rows:
        counts[x] += 1
    return tuple(counts)


def test_a_loop_changes_what_the_run_created_and_nothing_from_outside() -> None:
    own = compiled(lambda draw, rows: count_into([0, 0], rows))
    assert own(None, (0, 1, 1)) == (1, 2)
    outside = compiled(lambda draw, rows: count_into(KEPT, rows))
    assert outside(None, ()) == (0, 0)
    with pytest.raises(OutsideLanguage, match="a list from outside"):
        outside(None, (0, 1))
    assert KEPT == [0, 0]


@dataclass(frozen=True)
class Visit:
    kind: int
    held: Any = 0


def kinds_and_held(draw: Any, rows: Any) -> Any:
    for row in rows:
        held = row.held
        if row.kind:
            held.append(row.kind)
    return len(rows)


def test_rows_of_a_frozen_class_are_looked_into_each() -> None:
    plain, holding = Visit(0), Visit(1, [1])
    assert run(kinds_and_held, (plain, plain)) == 2
    with pytest.raises(MechanismError):
        run(kinds_and_held, (plain, plain, holding))
    assert holding.held == [1]
