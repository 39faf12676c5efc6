"""The table of patterns by which code takes the largest, or the smallest, of several numbers.

| written | which of equals | read as |
| --- | --- | --- |
| `max(noisy)`, `min(names, key=…)`, `max(zip(noisy, names))` | by the rest of pairs, then the first | `.max`, `.min` |
| `sorted(…)[0]`, also with `reverse=True` | the first | `.end` |
| `sorted(…)[-1]` | the last | `.end` |
| a loop that keeps the best so far | the first where it asks `>`, the last where it asks `>=` | `.noted`, `.won` |

Which is the best says all that such code learns: so the run is asked for that alone, and not for each comparison (see
`best_of`). Functions of Python's are known by identity, and keys are called as they are written, in order. In a loop
the comparison leaves the best so far as it was before, and notes the number with what would be kept; behind the loop
the best of all is asked for, and what was noted with it is kept. Nothing else in the loop may read what is kept.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.comparing.call import compared_one_by_one
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber
from dpverify.mechanisms.path_conditions.expressions import Comparator
from dpverify.mechanisms.path_conditions.noise_value import NoiseValue

MAX, MIN, END_OF_SORTED, NOTED, WON, NOISE = ".max", ".min", ".end", ".noted", ".won", ".noise"
ASKED_TYPE: Final = ".type"

# --- Calls


def call_of_largest(node: ast.expr, meanings: Mapping[str, str]) -> tuple[str, ast.Call, Mapping[str, bool]] | None:
    """The guard for a call of the table, the call, and what the guard is told besides; None for another expression."""
    last: bool | None = None
    match node:
        case ast.Subscript(value=ast.Call() as call, slice=end, ctx=ast.Load()) if _is_end(end):
            last = not isinstance(end, ast.Constant)
        case ast.Call():
            call = node
        case _:
            return None
    meaning = meanings.get(call.func.id, "") if isinstance(call.func, ast.Name) else ""
    names = {each.arg: each.value for each in call.keywords}
    if len(call.args) != 1 or isinstance(call.args[0], ast.Starred):
        return None
    if last is None:
        return (f".{meaning}", call, {}) if meaning in ("max", "min") and names.keys() <= {"key"} else None
    reverse = names.get("reverse", ast.Constant(False))
    if meaning != "sorted" or not names.keys() <= {"key", "reverse"} or not isinstance(reverse, ast.Constant):
        return None
    return END_OF_SORTED, call, {"last": last}


def _is_end(end: ast.expr) -> bool:
    match end:
        case ast.Constant(value=0) | ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)):
            return True
    return False


def largest_of(function: Any, items: Any, key: Any = None) -> Any:
    """The result of `max`, of noisy numbers as well."""
    return _best(function, items, key, is_largest=True)


def smallest_of(function: Any, items: Any, key: Any = None) -> Any:
    """The result of `min`, of noisy numbers as well."""
    return _best(function, items, key, is_largest=False)


def end_of_sorted(function: Any, items: Any, key: Any = None, *, reverse: Any = False, last: bool) -> Any:
    """The first item, or the last, of `sorted`, of noisy numbers as well."""
    several = _several(function, items, _SORTED)
    if several is not None:
        keys = several if key is None else [*map(key, several)]
        best = _best_of(keys, is_largest=last is not bool(reverse), last=last)
        if best is not None:
            return several[best]
        items, key = range(len(several)), keys.__getitem__
        return several[function(items, key=key, reverse=reverse)[-1 if last else 0]]
    return function(items, key=key, reverse=reverse)[-1 if last else 0]


def _best(function: Any, items: Any, key: Any, *, is_largest: bool) -> Any:
    several = _several(function, items, _MAX if is_largest else _MIN)
    if several is None:
        return function(items) if key is None else function(items, key=key)
    keys = several if key is None else [*map(key, several)]
    best = _best_of(keys, is_largest=is_largest, last=False)
    if best is not None:
        return several[best]
    return function(several) if key is None else several[function(range(len(several)), key=keys.__getitem__)]


def _several(function: Any, items: Any, own: Any) -> Sequence[Any] | None:
    """The items in order; None where what stands for Python's own function goes through them, as of unknown rows."""
    kind = type(items)
    if kind in (list, tuple):
        return items  # type: ignore[no-any-return]  # its type was asked
    return tuple(items) if kind in _HELD or (kind in _GONE_THROUGH and function is own) else None


_MAX: Final = max
_MIN: Final = min
_SORTED: Final = sorted
_HELD: Final = frozenset({range, str, dict, type({}.items()), type({}.keys()), type({}.values())})
_GONE_THROUGH: Final = frozenset({enumerate, zip, map, filter, type(_ for _ in range(0))})


def _best_of(keys: Sequence[Any], *, is_largest: bool, last: bool) -> int | None:
    """The place of the best of noisy numbers, or of tuples that begin with one; None for others."""
    first = type(keys[0]) if len(keys) > 1 else None
    if first is NoiseValue and all(type(key) is NoiseValue for key in keys):
        return place_of_best(keys, _BETTER[is_largest, last])
    is_pairs = first is tuple and all(type(key) is tuple and [*map(type, key)].count(NoiseValue) == 1 for key in keys)
    if not is_pairs or not all(type(key[0]) is NoiseValue and PLAIN.issuperset(map(type, key)) for key in keys):
        return None
    rest = [key[1:] for key in keys]

    def better(later: int, earlier: int) -> Comparator:
        left, right = (rest[later], rest[earlier]) if is_largest else (rest[earlier], rest[later])
        return _BETTER[is_largest, last if left == right else left > right]

    try:
        better_or_not = [better(j, i) for j in range(len(rest)) for i in range(j)]
    except TypeError:
        return None
    return place_of_best([key[0] for key in keys], better) if better_or_not else None


PLAIN: Final = frozenset({NoiseValue, int, bool, str, bytes, float, Fraction, Exact, WholeNumber, type(None)})
"""Types without code of the program's."""

_BETTER: Final[Mapping[Any, Comparator]] = {
    (True, False): ">",
    (True, True): ">=",
    (False, False): "<",
    (False, True): "<=",
}
"""The relation in which a later number stands to an earlier one where it is the best, by whether it is if equal."""


def place_of_best(numbers: Sequence[Any], better: Callable[[int, int], Comparator] | Comparator) -> int:
    """The place of the best of several numbers: see `Observer`; `better` may be the relation of any two."""
    if not isinstance(better, str):
        return _asked(numbers, better)
    places = {id(number): place for place, number in enumerate(numbers)}  # of one that is there twice the last is kept
    if better in (">", "<"):
        places = {id(number): place for place, number in reversed([*enumerate(numbers)])}
    apart = sorted(places.values())
    return apart[_asked([numbers[place] for place in apart], lambda later, earlier: better)]


def _asked(numbers: Sequence[Any], better: Callable[[int, int], Comparator]) -> int:
    if len(numbers) > 1 and all(type(number) is NoiseValue for number in numbers):
        return int(numbers[0].observer.best_of(numbers, better))
    return compared_one_by_one(numbers, better)


# --- Loops


def noted(known: Any, number: Any, best: Any, values: tuple[Any, ...]) -> Any:
    """Notes of a loop that keeps the best so far, with a further number and what would be kept of it.

    None where the best so far has no noise, of which the comparison is made as it is written.
    """
    if known is None:
        known = [(best, ())] if type(best) is NoiseValue else None
    if known is not None:
        known.append((number, values))
    return known


def won(known: Sequence[tuple[Any, tuple[Any, ...]]], relation: Comparator) -> tuple[Any, ...]:
    """The values that are kept of the best number in a loop; () where that is what was kept before."""
    return known[place_of_best([number for number, _ in known], relation)][1]


GUARDS: Final = {
    MAX: largest_of,
    MIN: smallest_of,
    END_OF_SORTED: end_of_sorted,
    NOTED: noted,
    WON: won,
    NOISE: NoiseValue,
}
"""The functions and types that the names stand for which are put into trees."""
