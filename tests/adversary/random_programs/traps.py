"""Short functions of rows of 0 and 1 that look like one thing on unknown numbers and are another on real ones.

Each stands with two databases that differ in one row, and on which what it returns differs: so none is private for any ε, and none may be PROVED for all sizes. They are sorted by what makes them
so: a quotient that is a float in Python; what passes by a side effect out of a sum; numbers of 64 bits; equality with
numbers of other kinds; the order of rows. Identity is outside the language.
"""

import operator
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import count
from typing import Any, Final, NamedTuple

import numpy as np

Rows = Any


class Trap(NamedTuple):
    """A function of rows, and two databases."""

    of_rows: Callable[[Rows], Any]
    left: Sequence[int]
    right: Sequence[int]


def h(zeros: int, ones: int) -> tuple[int, ...]:
    return (0,) * zeros + (1,) * ones


def one_more(zeros: int, of_rows: Callable[[Rows], Any], ones: int = 2) -> Trap:
    """Between so many zeros, and one more in the place of a one."""
    return Trap(of_rows, h(zeros, ones), h(zeros + 1, ones - 1))


# --- A quotient is a float in Python
def share(rows: Rows) -> Any:
    n = rows.count(0)
    part = n / 100
    return part * 100 == n


def shared_in_place(n: Any) -> Any:
    n /= 100
    return n


def tenth(rows: Rows) -> Any:
    n = rows.count(0)
    return n / 10 + n / 5 == 3 * n / 10


def sums_of_shares(rows: Rows) -> Any:
    n, m = rows.count(0), rows.count(1)
    return (n + m) / 53 * 53 == n + m


# --- A side effect leaves a sum
def listed(rows: Rows) -> Any:
    kept: list[int] = []
    sum(1 for r in rows if r == 0 and (kept.append(r) or True))  # type: ignore[func-returns-value,misc]
    return len(kept) > 30


def tallied(rows: Rows) -> Any:
    found = {0: 0, 1: 0}

    def seen(r: int) -> int:
        found[r] += 1
        return 1

    sum(seen(r) for r in rows)
    return found[0] > 25


def capped_sum(rows: Rows) -> Any:
    """Of the zeros 25 at most, as contributions are bounded."""
    used: dict[int, int] = {}

    def within(r: int) -> bool:
        used[r] = used.get(r, 0) + 1
        return used[r] <= 25

    return sum(1 for r in rows if r == 0 and within(r)) >= rows.count(0)


def numbered(rows: Rows) -> Any:
    numbers = count()
    return sum(1 for r in rows if r == 0 and next(numbers) < 50) == rows.count(0)


def from_a_default(rows: Rows) -> Any:
    def seen(r: int, into: list[int] = []) -> int:  # noqa: B006
        into.append(r)
        return 1

    sum(seen(r) for r in rows if r == 0)
    return len(seen.__defaults__[0]) > 33  # type: ignore[index]


def by_a_bound_method(rows: Rows) -> Any:
    kept: list[int] = []
    add = kept.append
    sum(1 for r in rows if r == 0 and not add(r))
    return len(kept) >= 17


def by_an_attribute(rows: Rows) -> Any:
    def box() -> None: ...

    box.n = 0  # type: ignore[attr-defined]

    def seen(r: int) -> int:
        box.n += 1  # type: ignore[attr-defined]
        return 1

    sum(seen(r) for r in rows if r == 0)
    return box.n >= 21  # type: ignore[attr-defined]


def by_nonlocal(rows: Rows) -> Any:
    total = 0

    def seen(r: int) -> int:
        nonlocal total
        total += 1
        return 1

    sum(seen(r) for r in rows if r == 0)
    return total >= 22


# --- Numbers of 64 bits
def overflowing(rows: Rows) -> Any:
    return bool((np.array([rows.count(0)]) * 2**58 >= 0)[0])


def overflowing_power(rows: Rows) -> Any:
    n = np.array([rows.count(0) + 2**62 - 9])
    return bool((n + n > 0)[0])


def overflowing_scalar(rows: Rows) -> Any:
    with np.errstate(over="ignore"):
        return bool(rows.count(0) * np.int64(2**58) >= 0)


def narrow(rows: Rows) -> Any:
    return int(np.array([rows.count(0)]).astype("int8")[0]) >= 0


# --- Equality with numbers of other kinds
class Own:
    """Equal to 60."""

    def __eq__(self, other: object) -> bool:
        return bool(int(other) == 60)  # type: ignore[call-overload]

    def __hash__(self) -> int:
        return 0


class Sixty(int):
    """An int that is larger than all ints from 60 on, and smaller than all others."""

    def __lt__(self, other: Any) -> bool:
        return other < 60 and type(other) is int

    def __gt__(self, other: Any) -> bool:
        return not self.__lt__(other)


# --- The order of rows
def first_of_four(rows: Rows) -> Any:
    c: Counter[int] = Counter(rows)
    return c.most_common(1)[0][0] if len(rows) == 4 and c[0] == 2 else 0


def largest_by_get(rows: Rows) -> Any:
    c: Counter[int] = Counter(rows)
    return max(c, key=lambda r: c[r]) if len(rows) == 2 and c[0] == 1 else 0


def ordered(rows: Rows) -> Any:
    c: OrderedDict[int, int] = OrderedDict(Counter(rows))
    return next(reversed(c)) if len(rows) == 6 and c.get(0) == 3 else 1


def popped(rows: Rows) -> Any:
    c: Counter[int] = Counter(rows)
    return c.popitem()[0] if len(rows) == 4 and c[0] == 1 else 1


def shown_keys(rows: Rows) -> Any:
    c: Counter[int] = Counter(rows)
    return "".join(map(str, c)) if len(rows) == 2 and c[0] == 1 else "01"


TRAPS: Final[Mapping[str, Mapping[str, Trap]]] = {
    "a quotient": {
        "a share of 100": one_more(6, share),
        "tenths": one_more(4, tenth),
        "a sum of counts over 53": Trap(sums_of_shares, h(106, 0), h(106, 1)),
        "in-place": one_more(6, lambda rows: shared_in_place(rows.count(0)) * 100 == rows.count(0)),
        "a cap by a share": one_more(6, lambda rows: min(rows.count(0) / 100 * 100, 8) == min(rows.count(0), 8)),
        "operator.truediv": one_more(6, lambda rows: operator.truediv(rows.count(0), 100) * 100 == rows.count(0)),
        "in numpy": one_more(6, lambda rows: bool((np.array([rows.count(0)]) / 100 * 100 == rows.count(0))[0])),
    },
    "a side effect": {
        "a list": one_more(30, listed),
        "numbers from a counter": one_more(50, numbered),
        "a default": one_more(33, from_a_default),
        "a bound method": one_more(16, by_a_bound_method),
        "an attribute": one_more(20, by_an_attribute),
        "nonlocal": one_more(21, by_nonlocal),
        "a cap": one_more(25, capped_sum),
    },
    "64 bits": {
        "a product": one_more(31, overflowing),
        "a sum": one_more(8, overflowing_power),
        "a scalar": one_more(31, overflowing_scalar),
        "8 bits": one_more(127, narrow),
    },
    "other numbers": {
        "Decimal": one_more(59, lambda rows: rows.count(0) == Decimal(60)),
        "float": one_more(59, lambda rows: rows.count(0) == 60.0),
        "a class of one's own": one_more(59, lambda rows: rows.count(0) == Own()),
        "an int of one's own": one_more(59, lambda rows: rows.count(0) > Sixty(60)),
        "np.float64": one_more(59, lambda rows: bool(rows.count(0) == np.float64(60))),
    },
    "the order of rows": {
        "most common": Trap(first_of_four, (1, 1, 0, 0), (1, 1, 0, 1)),
        "the largest": Trap(largest_by_get, (1, 0), (0, 0)),
        "an ordered dict": Trap(ordered, (1, 0, 1, 0, 1, 0), (1, 0, 1, 0, 1, 1)),
        "popitem": Trap(popped, (1, 1, 1, 0), (1, 1, 1, 1)),
        "text": Trap(shown_keys, (1, 0), (0, 0)),
    },
}


# --- The order of a Counter's keys
def counted(rows: Rows) -> Counter[int]:
    return Counter(rows)


def digits(rows: Rows) -> Any:
    found = 0
    for row in counted(rows):
        found = found * 10 + row
    return found == 310254


def rank(rows: Rows) -> Any:
    return {row: place for place, row in enumerate(counted(rows))} == {3: 0, 1: 1, 0: 2, 2: 3, 5: 4, 4: 5}


ORDERED = (3, 1, 0, 2, 5, 4)

ORDER_TRAPS: Final[Mapping[str, Callable[[Rows], Any]]] = {
    "a tuple": lambda rows: tuple(counted(rows)) == ORDERED,
    "dict.items": lambda rows: [row for row, _ in dict.items(counted(rows))] == list(ORDERED),
    "unpacked": lambda rows: (*counted(rows),) == ORDERED,
    "elements": lambda rows: tuple(counted(rows).elements()) == ORDERED,
    "plus": lambda rows: tuple(+counted(rows)) == ORDERED,
    "popitem": lambda rows: [(c := counted(rows)) and c.popitem()[0] for _ in range(2)] == [4, 4] and digits(rows),
    "digits": digits,
    "sorted by a key": lambda rows: sorted(counted(rows), key=lambda _: 0) == list(ORDERED),
    "values of another": lambda rows: list(counted(rows).keys() | set()) == sorted(ORDERED) and digits(rows),
}
"""Each is true of the rows 3, 1, 0, 2, 5, 4 in this order, and not if the last one is a 3."""
