"""The table of patterns by which code takes the largest, or the smallest, of several numbers, or some of them.

| written | which of equals | read as |
| --- | --- | --- |
| `max(noisy)`, `min(names, key=…)`, `max(zip(noisy, names))` | by the rest of pairs, then the first | `.max`, `.min` |
| `sorted(…)`, and `[:k]`, `[i]`, `[-k:]` of it | as the sort is stable | `.sorted` |
| `heapq.nlargest(k, …)`, `nsmallest` | the first | `.nlargest`, `.nsmallest` |
| comparisons that choose the best so far | the first where they ask `>`, the last where `>=` | `.noted`, `.won` |

Which are the best, and in which order, says all that such code learns: so the run is asked for that alone, and not for
each comparison (see `best_of`). Functions of Python's are known by identity, and keys are called as they are written,
in order. How comparisons wait that choose the best so far says `best_so_far.py`.
"""

from __future__ import annotations

import ast
import heapq
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import Any, Final

from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber
from dpverify.mechanisms.path_conditions.expressions import Better, Comparator
from dpverify.mechanisms.path_conditions.noise_value import NoiseValue

MAX, MIN, SORTED, NLARGEST, NSMALLEST = ".max", ".min", ".sorted", ".nlargest", ".nsmallest"
NOTED, MOVED, WON, NOISE, ASKED_TYPE = ".noted", ".moved", ".won", ".noise", ".type"

# --- Calls


def call_of_largest(node: ast.Call, meanings: Mapping[str, str]) -> str | None:
    """The guard for a call of the table; None for another one."""
    match node.func:
        case ast.Name(id=name):
            guard = f".{meanings.get(name, '')}"
        case ast.Attribute(value=ast.Name(id=module), attr=name) if meanings.get(module) == heapq.__name__:
            guard = f".{name}"
        case _:
            return None
    few, names = (NLARGEST, NSMALLEST), {each.arg for each in node.keywords}
    if guard not in (MAX, MIN, SORTED, *few) or any(isinstance(each, ast.Starred) for each in node.args):
        return None
    is_called = len(node.args) == 1 + (guard in few) and names <= ({"key", "reverse"} if guard == SORTED else {"key"})
    return guard if is_called else None


def _best(function: Any, items: Any, key: Any = None, *, is_largest: bool) -> Any:
    several = _several(function, items, max if is_largest else min)
    if several is None:
        return function(items) if key is None else function(items, key=key)
    keys = several if key is None else [*map(key, several)]
    best = _best_of(keys, is_largest=is_largest, last=False)
    if best:
        return several[best[0]]
    return function(several) if key is None else several[function(range(len(several)), key=keys.__getitem__)]


def as_sorted(function: Any, items: Any, key: Any = None, *, reverse: Any = False) -> Any:
    """The result of `sorted`, or for noisy numbers what gives those of its items that are asked for."""
    several = _several(function, items, sorted)
    if several is None:
        return function(items, key=key, reverse=reverse)
    return _in_order(several, key, reverse, lambda known, key: function(known, key=key, reverse=reverse))


def _few(function: Any, n: Any, items: Any, key: Any = None, *, reverse: bool) -> Any:
    """The result of `heapq.nlargest`, or `nsmallest`, of noisy numbers as well."""
    several = _several(function, items, function) if type(n) is int and n > 0 else None
    if several is None:
        return function(n, items, key=key)
    return _in_order(several, key, reverse, lambda known, key: function(n, known, key=key))[:n]


def _in_order(items: Sequence[Any], key: Any, reverse: Any, as_written: Callable[[list[Any], Any], Any]) -> Any:
    several = [*items]
    first = several[:1] if key is None else [*map(key, several[:1])]
    if any(type(each[0] if type(each) is tuple and each else each) is NoiseValue for each in first):
        return _InOrder(several, several if key is None else [*first, *map(key, several[1:])], bool(reverse))
    return as_written(several, key and partial(next, chain(first, map(key, several[1:]))))


class _InOrder:
    """The items of `sorted`, of which no more is asked than what is taken of them."""

    def __init__(self, items: list[Any], keys: Sequence[Any], reverse: bool) -> None:
        self._items, self._keys, self._reverse = items, keys, reverse
        self._known: dict[bool, Sequence[int]] = {False: (), True: ()}
        """The places of the first items, and of the last ones, as far as they were asked for."""

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: Any) -> Any:
        n = len(self)
        ranks = range(n)[index]
        if not isinstance(ranks, range):
            return self[ranks : ranks + 1][0]
        front, back = max(ranks, default=-1) + 1, n - min(ranks, default=n)
        last = back < front
        if len(self._known[last]) < min(front, back):
            found = _best_of(self._keys, min(front, back), is_largest=last is not self._reverse, last=last)
            by_key = partial(sorted, range(n), key=self._keys.__getitem__, reverse=self._reverse)
            self._known[last] = found or by_key()[:: -1 if last else 1]
        return [self._items[self._known[last][n - 1 - rank if last else rank]] for rank in ranks]

    def __setitem__(self, index: int, item: Any) -> None:
        places = range(len(self))
        self._items, self._known = self[:], {False: places, True: places[::-1]}
        self._items[index] = item


largest_of: Final = partial(_best, is_largest=True)
"""The result of `max`, of noisy numbers as well."""

smallest_of: Final = partial(_best, is_largest=False)
"""The result of `min`, of noisy numbers as well."""


def _several(function: Any, items: Any, own: Any) -> Sequence[Any] | None:
    """The items in order; None where what stands for Python's own function goes through them, as of unknown rows."""
    kind = type(items)
    if kind in (list, tuple):
        return items  # type: ignore[no-any-return]  # its type was asked
    return tuple(items) if kind in _HELD or (kind in _GONE_THROUGH and function is own) else None


_HELD: Final = frozenset({range, str, dict, type({}.items()), type({}.keys()), type({}.values())})
_GONE_THROUGH: Final = frozenset({enumerate, zip, map, filter, type(_ for _ in range(0))})


def _best_of(keys: Sequence[Any], count: int = 1, *, is_largest: bool, last: bool) -> Sequence[int]:
    """The places of the best of noisy numbers, or of tuples that begin with one; () where they are to be compared."""
    first = type(keys[0]) if len(keys) > 1 else None
    if first is NoiseValue and all(type(key) is NoiseValue for key in keys):
        return _places_of_best(keys, _BETTER[is_largest, last], count)
    is_pairs = first is tuple and all(type(key) is tuple and [*map(type, key)].count(NoiseValue) == 1 for key in keys)
    if not is_pairs or not all(type(key[0]) is NoiseValue and PLAIN.issuperset(map(type, key)) for key in keys):
        return ()
    rest = [key[1:] for key in keys]

    def better(later: int, earlier: int) -> Comparator:
        left, right = (rest[later], rest[earlier]) if is_largest else (rest[earlier], rest[later])
        return _BETTER[is_largest, last if left == right else left > right]

    try:
        for j in range(len(rest)):
            _ = [better(j, i) for i in range(j)]
    except TypeError:
        return ()
    return _asked([key[0] for key in keys], better, count)


PLAIN: Final = frozenset({NoiseValue, int, bool, str, bytes, Fraction, Exact, WholeNumber, type(None)})
"""Types without code of the program's, of which any two equal ones are as good."""

_BETTER: Final[Mapping[Any, Comparator]] = {
    (True, False): ">",
    (True, True): ">=",
    (False, False): "<",
    (False, True): "<=",
}
"""The relation in which a later number stands to an earlier one where it is the best, by whether it is if equal."""


def _places_of_best(numbers: Sequence[Any], better: Comparator, count: int = 1) -> Sequence[int]:
    """See `Observer`, for numbers that may be there twice."""
    places = {id(number): place for place, number in enumerate(numbers)}  # of one that is there twice the last is kept
    if better in (">", "<"):
        places = {id(number): place for place, number in reversed([*enumerate(numbers)])}
    apart = sorted(places.values())
    if len(apart) < len(numbers) and count > 1:
        return ()
    return [apart[i] for i in _asked([numbers[place] for place in apart], lambda later, earlier: better, count)]


def _asked(numbers: Sequence[Any], better: Better, count: int = 1) -> Sequence[int]:
    if len(numbers) > 1 and all(type(number) is NoiseValue for number in numbers):
        found: Sequence[int] = numbers[0].observer.best_of(numbers, better, count)
        return found
    return ()


# --- Choices


def noted(known: Any, number: Any, best: Any, values: tuple[Any, ...]) -> Any:
    """Notes of comparisons that choose what variables are, with a further number and what they would be for it.

    None where one of the first two has no noise: that comparison is made as it is written.
    """
    if not known:
        known = [(best, ())] if type(best) is NoiseValue is type(number) else None
    if known is not None:
        known.append((number, values))
    return known


def moved(known: list[Any], number: Any, numbers: Any = None, first: Any = None, place: int = 0) -> bool:
    """True where the best so far is to be known before a further comparison, as of a list that holds others now."""
    is_list = type(numbers) is list
    if type(number) is not NoiseValue or not (is_list or numbers is None):
        return True
    return is_list and any(numbers[values[place] if values else first] is not one for one, values in known)


def won(known: list[tuple[Any, tuple[Any, ...]]], relation: Comparator) -> Any:
    """The values of variables for the best number; () where these are as they were. What was noted is done with."""
    numbers, values = zip(*known, strict=True)
    known.clear()
    places = range(len(numbers))[:: 1 if relation in (">", "<") else -1]
    best = partial(max if relation in (">", ">=") else min, places, key=numbers.__getitem__)
    return values[(_places_of_best(numbers, relation) or [best()])[0]]


GUARDS: Final = {
    MAX: largest_of,
    MIN: smallest_of,
    SORTED: as_sorted,
    NLARGEST: partial(_few, reverse=True),
    NSMALLEST: partial(_few, reverse=False),
    NOTED: noted,
    MOVED: moved,
    WON: won,
    NOISE: NoiseValue,
}
"""The functions and types that the names stand for which are put into trees."""
