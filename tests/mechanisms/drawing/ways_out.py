"""Ways in which a value can leave the code that has it, but by return; and harmless programs that look like them.

Each way is made anew for a test: what is told to, with a value, and what is asked afterwards for a number that says
whether it was told 1. To tell is all that a part does beside returning 0.
"""

import functools
import heapq
import os
from collections.abc import Callable, Iterator
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


def bound_method() -> Way:
    box = Box()
    return Way(box.keep, lambda: box.value, lambda: box.keep(0))


def frozen_by_force() -> Way:
    box = Frozen()
    force = functools.partial(object.__setattr__, box, "value")
    return Way(lambda x: force(x) or box.value, lambda: box.value, lambda: force(0))


def function_attribute() -> Way:
    def tell(x: int) -> None:
        tell.value = x  # type: ignore[attr-defined]

    return Way(tell, lambda: getattr(tell, "value", 0), lambda: setattr(tell, "value", 0))


def keyword_default() -> Way:
    kept: dict[str, int] = {}

    def tell(x: int, *, kept: dict[str, int] = kept) -> None:
        kept["x"] = x

    return Way(tell, lambda: kept.get("x", 0), kept.clear)


def dict_item() -> Way:
    kept: dict[int, int] = {}
    return Way(lambda x: kept.update({0: x}), lambda: kept.get(0, 0), kept.clear)


def in_place() -> Way:
    kept = np.zeros(2, dtype=np.int64)

    def tell(x: int) -> None:
        np.add(kept, x, out=kept)

    return Way(tell, lambda: int(kept[0]), lambda: kept.fill(0))


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
TOTAL = 0


def global_name() -> Way:
    def tell(x: int) -> None:
        global TOTAL  # noqa: PLW0603  # the trap
        TOTAL = x

    return Way(tell, lambda: TOTAL, lambda: tell(0))


def called_from_a_global(x: int) -> None:
    KEPT.append(x)


def through_another_function() -> Way:
    return Way(called_from_a_global, lambda: sum(KEPT), KEPT.clear)


WAYS: list[Callable[[], Way]] = [
    *(appended, variable_around, set_attribute, bound_method, frozen_by_force, function_attribute),
    *(keyword_default, dict_item, in_place, view_of_bytes, environment, own_iterator, namespace),
    *(memory_that_is_asked, memory_of_a_list, memory_with_a_bound, memory_of_what_changes, global_name),
    through_another_function,
]


# --- What has no content that could be compared


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
    *(constant_around, list_around, lookup, numpy_table, frozen_config, object_that_is_not_changed, of_a_partial),
    *(of_a_memory, of_a_recursion, makes_and_changes_its_own, changes_and_puts_back, sorts_what_is_sorted),
    *(named_tuple, within_itself),
]


def name_of(make: Callable[[], object]) -> str:
    """The name of a case in a test."""
    return getattr(make, "__name__", str(make))


Drawn = Callable[[Draw, int], Any]
