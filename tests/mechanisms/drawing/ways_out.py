"""Ways in which a value can leave the code that has it, but by return; and harmless programs that look like them.

Each way is made anew for a test: what is told to, with a value, and what is asked afterwards for a number that says
whether it was told 1. To tell is all that a part does beside returning 0.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import operator
import os
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from dpverify.mechanisms import Draw


class Way(NamedTuple):
    """A way out, and what tells by it, what asks, and what has all forgotten."""

    tell: Callable[[int], object]
    told: Callable[[], int]
    forget: Callable[[], object]


class Box:
    """An object with an attribute."""

    def __init__(self) -> None:
        self.value = 0

    def keep(self, value: int) -> None:
        self.value = value


class Slotted:
    """One with a slot."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0


@dataclass(frozen=True)
class Frozen:
    """One that says that it cannot be changed."""

    value: int = 0


@dataclass(frozen=True)
class Holding:
    """One that holds what can be changed."""

    kept: list[int] = field(default_factory=list)


class ByClass:
    """A class with an attribute of its own."""

    value = 0


class Iterates:
    """An iterator of one's own."""

    def __init__(self) -> None:
        self.given = 0

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        self.given += 1
        return self.given


def appended() -> Way:
    kept: list[int] = []
    return Way(kept.append, lambda: sum(kept), kept.clear)


def bound_append() -> Way:
    kept: list[int] = []
    add = kept.append
    return Way(lambda x: add(x), lambda: sum(kept), kept.clear)  # noqa: PLW0108  # a name for the method is the trap


def variable_around() -> Way:
    value = 0

    def tell(x: int) -> None:
        nonlocal value
        value += x

    def forget() -> None:
        nonlocal value
        value = 0

    return Way(tell, lambda: value, forget)


def set_attribute() -> Way:
    box = Box()
    return Way(lambda x: setattr(box, "value", x), lambda: box.value, lambda: setattr(box, "value", 0))


def new_attribute() -> Way:
    box = Box()
    return Way(
        lambda x: setattr(box, "extra", x) if x else None,
        lambda: getattr(box, "extra", 0),
        lambda: vars(box).pop("extra", 0),
    )


def bound_method() -> Way:
    box = Box()
    return Way(box.keep, lambda: box.value, lambda: box.keep(0))


def slot() -> Way:
    box = Slotted()
    return Way(lambda x: setattr(box, "value", x), lambda: box.value, lambda: setattr(box, "value", 0))


def frozen_by_force() -> Way:
    box = Frozen()
    force = functools.partial(object.__setattr__, box, "value")
    return Way(lambda x: force(x) or box.value, lambda: box.value, lambda: force(0))


def list_in_a_frozen_object() -> Way:
    box = Holding()
    return Way(box.kept.append, lambda: sum(box.kept), box.kept.clear)


def class_attribute() -> Way:
    return Way(lambda x: setattr(ByClass, "value", x), lambda: ByClass.value, lambda: setattr(ByClass, "value", 0))


def function_attribute() -> Way:
    def tell(x: int) -> None:
        tell.value = x  # type: ignore[attr-defined]

    return Way(tell, lambda: getattr(tell, "value", 0), lambda: setattr(tell, "value", 0))


def default_argument() -> Way:
    kept: list[int] = []

    def tell(x: int, kept: list[int] = kept) -> None:
        kept.append(x)

    return Way(tell, lambda: sum(kept), kept.clear)


def keyword_default() -> Way:
    kept: dict[str, int] = {}

    def tell(x: int, *, kept: dict[str, int] = kept) -> None:
        kept["x"] = x

    return Way(tell, lambda: kept.get("x", 0), kept.clear)


def by_partial() -> Way:
    kept: list[int] = []
    return Way(functools.partial(list.append, kept), lambda: sum(kept), kept.clear)


def set_item() -> Way:
    kept = [0]
    return Way(lambda x: operator.setitem(kept, 0, x), lambda: kept[0], lambda: operator.setitem(kept, 0, 0))


def heap() -> Way:
    kept: list[int] = []
    return Way(lambda x: heapq.heappush(kept, x), lambda: sum(kept), kept.clear)


def dict_item() -> Way:
    kept: dict[int, int] = {}
    return Way(lambda x: kept.update({0: x}), lambda: kept.get(0, 0), kept.clear)


def key_of_a_dict() -> Way:
    kept: dict[int, None] = {}
    return Way(kept.setdefault, lambda: int(1 in kept), kept.clear)


def order_of_a_dict() -> Way:
    kept = {0: 0, 1: 1}

    def tell(x: int) -> None:
        kept[x] = kept.pop(x)

    def forget() -> None:
        kept.clear()
        kept.update({0: 0, 1: 1})

    return Way(tell, lambda: tuple(kept)[-1], forget)


def a_set() -> Way:
    kept: set[int] = set()
    return Way(kept.add, lambda: int(1 in kept), kept.clear)


def other_containers() -> Way:
    held: tuple[Any, ...] = (deque[int](), defaultdict(int), Counter[int](), OrderedDict[int, int](), bytearray(1))
    queue, by_default, counts, ordered, octets = held

    def tell(x: int) -> None:
        queue.append(x)
        by_default[0] += x
        counts[x] += 1
        ordered[0] = x
        octets[0] = x

    def forget() -> None:
        for one in held[:-1]:
            one.clear()
        octets[0] = 0

    return Way(tell, lambda: min(sum(queue), by_default[0], counts[1], ordered.get(0, 0), octets[0]), forget)


def deep_within() -> Way:
    kept = {"a": (1, [{"b": [0]}])}
    inner: Any = kept["a"][1]
    return Way(
        lambda x: operator.setitem(kept["a"][1][0]["b"], 0, x),
        lambda: int(inner[0]["b"][0]),
        lambda: operator.setitem(inner[0]["b"], 0, 0),
    )


def in_place() -> Way:
    kept = np.zeros(2, dtype=np.int64)

    def tell(x: int) -> None:
        np.add(kept, x, out=kept)

    return Way(tell, lambda: int(kept[0]), lambda: kept.fill(0))


def view_of_an_array() -> Way:
    kept = np.zeros(2, dtype=np.int64)
    view = kept[1:]
    return Way(lambda x: view.__setitem__(0, x), lambda: int(kept[1]), lambda: kept.fill(0))


def view_of_bytes() -> Way:
    kept = bytearray(1)
    view = memoryview(kept)
    return Way(lambda x: view.__setitem__(0, x), lambda: kept[0], lambda: view.__setitem__(0, 0))


def environment() -> Way:
    return Way(
        lambda x: os.environ.update(DPVERIFY_TEST=str(x)),
        lambda: int(os.environ.get("DPVERIFY_TEST", "0")),
        lambda: os.environ.pop("DPVERIFY_TEST", None),
    )


def code_of_a_function() -> Way:
    def answer() -> int:
        return 0

    nothing, one = answer.__code__, (lambda: 1).__code__.replace(co_freevars=())

    def tell(x: int) -> None:
        answer.__code__ = one if x else nothing

    return Way(tell, answer, lambda: tell(0))


def dict_with_an_attribute() -> Way:
    class Own(dict[int, int]):
        value = 0

    kept = Own()
    return Way(lambda x: setattr(kept, "value", x), lambda: kept.value, lambda: vars(kept).clear())


def array_of_objects() -> Way:
    kept = np.array([[0], [1]], dtype=object)
    return Way(lambda x: kept.__setitem__((0, 0), x), lambda: int(kept[0, 0]), lambda: kept.__setitem__((0, 0), 0))


def own_iterator() -> Way:
    numbers = Iterates()

    def tell(x: int) -> None:
        if x:
            next(numbers)

    return Way(tell, lambda: numbers.given, lambda: setattr(numbers, "given", 0))


def namespace() -> Way:
    kept = SimpleNamespace(value=0)
    return Way(lambda x: setattr(kept, "value", x), lambda: kept.value, lambda: setattr(kept, "value", 0))


def memory_that_is_asked() -> Way:
    @functools.cache
    def known(x: int) -> int:
        return x

    def tell(x: int) -> None:
        if x:
            known(x)

    return Way(tell, lambda: known.cache_info().currsize, known.cache_clear)


def memory_of_a_list() -> Way:
    @functools.cache
    def kept() -> list[int]:
        return []

    return Way(lambda x: kept().append(x), lambda: sum(kept()), lambda: kept().clear())


def memory_with_a_bound() -> Way:
    """Whether what it gives is the same object as before tells whether it was forgotten."""

    @functools.lru_cache(maxsize=1)
    def text(x: int) -> tuple[int, ...]:
        return tuple(range(x, x + 3))

    first = [text(7)]

    def forget() -> None:
        first[0] = text(7)

    return Way(lambda x: x and text(8), lambda: int(text(7) is not first[0]), forget)


def memory_of_what_changes() -> Way:
    """What it remembers tells what was in a list when it was first asked."""
    now = [0]

    @functools.cache
    def first() -> int:
        return now[0]

    def tell(x: int) -> None:
        now[0] = x
        first()
        now[0] = 0

    return Way(tell, first, first.cache_clear)


KEPT: list[int] = []
TALLIES: dict[str, int] = {}
TOTAL = 0


def global_list() -> Way:
    return Way(KEPT.append, lambda: sum(KEPT), KEPT.clear)


def global_dict() -> Way:
    return Way(lambda x: TALLIES.update(x=x), lambda: TALLIES.get("x", 0), TALLIES.clear)


def global_name() -> Way:
    def tell(x: int) -> None:
        global TOTAL  # noqa: PLW0603  # the trap
        TOTAL = x

    return Way(tell, lambda: TOTAL, lambda: tell(0))


def called_from_a_global(x: int) -> None:
    KEPT.append(x)


def through_another_function() -> Way:
    return Way(called_from_a_global, lambda: sum(KEPT), KEPT.clear)


def attribute_of_pythons_module() -> Way:
    def tell(x: int) -> None:
        itertools.kept = x  # type: ignore[attr-defined]

    return Way(tell, lambda: getattr(itertools, "kept", 0), lambda: vars(itertools).pop("kept", 0))


WAYS: list[Callable[[], Way]] = [
    appended,
    bound_append,
    variable_around,
    set_attribute,
    new_attribute,
    bound_method,
    slot,
    frozen_by_force,
    list_in_a_frozen_object,
    class_attribute,
    function_attribute,
    default_argument,
    keyword_default,
    by_partial,
    set_item,
    heap,
    dict_item,
    key_of_a_dict,
    order_of_a_dict,
    a_set,
    other_containers,
    deep_within,
    in_place,
    view_of_an_array,
    view_of_bytes,
    environment,
    code_of_a_function,
    dict_with_an_attribute,
    array_of_objects,
    own_iterator,
    namespace,
    memory_that_is_asked,
    memory_of_a_list,
    memory_with_a_bound,
    memory_of_what_changes,
    global_list,
    global_dict,
    global_name,
    through_another_function,
    attribute_of_pythons_module,
]


# --- What has no content that could be compared


def counting() -> Any:
    numbers = itertools.count()
    return lambda x: next(numbers) if x else 0


def taking() -> Any:
    numbers = iter(range(9))
    return lambda x: next(numbers) if x else 0


def yielding() -> Any:
    def gives() -> Iterator[int]:
        yield from range(9)

    numbers = gives()
    return lambda x: next(numbers) if x else 0


def in_a_context() -> Any:
    kept: ContextVar[int] = ContextVar("kept", default=0)
    return kept.set


INCOMPARABLE: list[Callable[[], Any]] = [counting, taking, yielding, in_a_context]


# --- Harmless


TABLE = {0: 3, 1: 7}
WEIGHTS = [1, 2]
ARRAY = np.array([2, 5])


@dataclass(frozen=True)
class Config:
    """What a mechanism is set to."""

    low: int = 1
    tenths: tuple[int, int] = (3, 7)

    @functools.cached_property
    def both(self) -> tuple[int, int]:
        return self.tenths[0], self.tenths[1]

    def chance(self, bit: int) -> int:
        return self.both[bit]


class Settings:
    """One that could be changed, and is not."""

    def __init__(self) -> None:
        self.tenths = [3, 7]

    def chance(self, bit: int) -> int:
        return self.tenths[bit]


@functools.cache
def power(base: int, exponent: int) -> int:
    return 1 if exponent == 0 else base * power(base, exponent - 1)


def countdown(n: int) -> int:
    return 0 if n <= 0 else 1 + countdown(n - 1)


def constant_around() -> Any:
    tenths = (3, 7)
    return lambda bit: tenths[bit]


def list_around() -> Any:
    tenths = [3, 7]
    return lambda bit: tenths[bit]


def lookup() -> Any:
    return lambda bit: TABLE[bit]


def numpy_table() -> Any:
    return lambda bit: int(ARRAY[bit]) + WEIGHTS[bit]


def frozen_config() -> Any:
    return Config().chance


def object_that_is_not_changed() -> Any:
    return Settings().chance


def of_a_partial() -> Any:
    return functools.partial(lambda tenths, bit: tenths[bit], [3, 7])


def of_a_memory() -> Any:
    return lambda bit: power(2, 1 + bit)


def of_a_recursion() -> Any:
    return lambda bit: countdown(3 + 4 * bit)


def makes_and_changes_its_own() -> Any:
    def chance(bit: int) -> int:
        kept: list[int] = []
        tallies: dict[int, int] = {}
        box, numbers = Box(), iter((3, 7))
        for tenths in numbers:
            kept.append(tenths)
            tallies[tenths] = tallies.get(tenths, 0) + 1
            box.value = tenths
        heapq.heapify(kept)
        return kept[bit]

    return chance


def changes_and_puts_back() -> Any:
    kept = [3, 7]

    def chance(bit: int) -> int:
        kept.append(kept[bit])
        return kept.pop()

    return chance


def sorts_what_is_sorted() -> Any:
    kept = [3, 7]

    def chance(bit: int) -> int:
        kept.sort()
        return kept[bit]

    return chance


def named_tuple() -> Any:
    class Pair(NamedTuple):
        a: int
        b: int

    pair = Pair(3, 7)
    return lambda bit: (pair.a, pair.b)[bit]


def within_itself() -> Any:
    kept: dict[Any, Any] = {0: 3, 1: 7}
    kept["self"] = kept
    return lambda bit: kept["self"][bit]


HARMLESS: list[Callable[[], Callable[[int], int]]] = [
    constant_around,
    list_around,
    lookup,
    numpy_table,
    frozen_config,
    object_that_is_not_changed,
    of_a_partial,
    of_a_memory,
    of_a_recursion,
    makes_and_changes_its_own,
    changes_and_puts_back,
    sorts_what_is_sorted,
    named_tuple,
    within_itself,
]


def name_of(make: Callable[[], object]) -> str:
    """The name of a case in a test."""
    return getattr(make, "__name__", str(make))


Drawn = Callable[[Draw, int], Any]
