"""Ways in which a value can leave the code that has it, but by return; and harmless programs that look like them.

Each way is made anew for a test: what is told to, with a value, and what is asked afterwards for a number that says
whether it was told 1. To tell is all that a part does beside returning 0.
"""

import functools
import heapq
from collections.abc import Callable
from dataclasses import dataclass
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


def appended() -> Way:
    kept: list[int] = []
    return Way(kept.append, lambda: sum(kept), kept.clear)


def bound_method() -> Way:
    box = Box()
    return Way(box.keep, lambda: box.value, lambda: box.keep(0))


def in_place() -> Way:
    kept = np.zeros(2, dtype=np.int64)

    def tell(x: int) -> None:
        np.add(kept, x, out=kept)

    return Way(tell, lambda: int(kept[0]), lambda: kept.fill(0))


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


WAYS: list[Callable[[], Way]] = [appended, bound_method, in_place, memory_that_is_asked, memory_of_a_list]
"""One of each kind: code that names them is outside, by entries of which `language/attacks.py` has each, or is stopped."""

STOPPED = (bound_method, memory_of_a_list)
"""Those that lie inside the language, and that a run is stopped on."""


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
