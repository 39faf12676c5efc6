"""Short functions that ask unknown numbers past their operators: see `traps.py`.

Identity and types by functions that are held, and by names as texts; the methods that stand for operators; attributes
that numbers and tuples have not; errors that are caught in other ways than by `except`; the order of a Counter's keys.
"""

import builtins
import contextlib
import json
import operator
import pickle
import reprlib
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

import numpy as np
from tests.adversary.random_programs.traps import Rows, Trap, h

COUNT = 0
FIRST, SECOND = h(149, 3), h(150, 2)


def line(rows: Rows) -> tuple[Any, Any]:
    """Two numbers that are equal on the first of two databases alone."""
    return rows.count(0) + 0, 11 * rows.count(1) + 116


def told(of_two: Callable[[Any, Any], Any]) -> Trap:
    """A function that says False of two ints that are equal, and should be one, or something else of an unknown one."""
    return Trap(lambda rows: of_two(*line(rows)), FIRST, SECOND)


def known(is_known: Callable[[Any], Any]) -> Trap:
    """A function that is another one where a number is known."""
    return Trap(lambda rows: bool(is_known(rows.count(0))) and operator.eq(*line(rows)), FIRST, SECOND)


# --- Held
TABLE = {"same": lambda a, b: a is b}
KINDS = {"kind": type}


class Holder:
    """Something that holds a function."""


HOLDER: Any = Holder()
HOLDER.same = lambda a, b: a is b


def by_closure() -> Callable[[Any], Any]:
    kind = type
    return lambda n: kind(n) is kind(3)


def by_default(n: Any, *, kind: Any = type) -> Any:
    return kind(n) is int


def by_id() -> Callable[[Any], Any]:
    address = id
    return lambda n: address(n) == address(n)


def by_import(n: Any, m: Any) -> Any:
    from operator import is_  # the trap

    return is_(n, m)


# --- Errors that are caught
class Swallows:
    """Goes on after whatever was raised within it."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> bool:
        return True


def in_with(n: Any) -> Any:
    with Swallows():
        json.dumps(n)
        return True


def in_finally(n: Any) -> Any:
    found = False
    with contextlib.nullcontext():
        try:
            json.dumps(n)
            found = True
        finally:
            return found  # noqa: B012  # the trap


# --- A count in globals
def seen() -> bool:
    globals()["COUNT"] += 1
    return COUNT <= 300**2 // 600


def by_globals(rows: Rows) -> Any:
    globals()["COUNT"] = 0
    found = sum(1 for r in rows if r == 0 and seen()) == rows.count(0)
    globals()["COUNT"] = 0
    return found


HELD_TRAPS: Final[Mapping[str, Mapping[str, Trap]]] = {
    "identity held": {
        "a lambda in a dict": Trap(lambda rows: TABLE["same"](rows.count(0), rows.count(0) + 0), h(256, 2), h(257, 1)),
        "a type in a dict": known(lambda n: KINDS["kind"](n) is int),
        "a type in a closure": known(by_closure()),
        "a type in a default": known(by_default),
        "builtins": known(lambda n: builtins.type(n) is int),
        "getattr of builtins": known(lambda n: getattr(builtins, "ty" + "pe")(n) is int),
    },
    "special methods": {
        "int's equality": Trap(lambda rows: (12_357).__eq__(rows.count(0)) is True, h(12_356, 2), h(12_357, 1)),
        "int.__lt__": Trap(lambda rows: int.__lt__(343, rows.count(0)) is True, h(343, 2), h(344, 1)),
        "methodcaller": Trap(
            lambda rows: operator.methodcaller("__lt__", rows.count(0))(343) is True, h(343, 2), h(344, 1)
        ),
        "object.__hash__": known(lambda n: object.__hash__(n) == object.__hash__(n)),
        "object.__getattribute__": known(lambda n: object.__getattribute__(n, "__class__") is int),
        "Fraction.__eq__": told(lambda n, m: Fraction.__eq__(Fraction(149), n) is True),
    },
    "attributes": {
        "__array__": known(lambda n: not hasattr(n, "__array__")),
        "number": known(lambda n: getattr(n, "number", None) is None),
        "real": known(lambda n: hasattr(n, "real")),
        "of rows": Trap(lambda rows: not hasattr(rows, "occurring") and operator.eq(*line(rows)), FIRST, SECOND),
        "the class of rows": Trap(
            lambda rows: hasattr(rows, "__class_getitem__") and operator.eq(*line(rows)), FIRST, SECOND
        ),
    },
    "types that C and numpy ask for": {
        "json": known(lambda n: json.dumps([n], default=lambda _: 0) == f"[{n}]"),
        "np.isscalar": known(np.isscalar),
        "several classes": Trap(
            lambda rows: isinstance(rows, (list, tuple)) and operator.eq(*line(rows)), FIRST, SECOND
        ),
        "reprlib": known(lambda n: reprlib.repr(n).isdigit()),
        "pickle": known(lambda n: len(pickle.dumps(n)) < 10),
    },
    "errors that are caught": {"with": known(in_with), "finally": known(in_finally)},
    "globals": {"a count": Trap(by_globals, h(150, 2), h(151, 1))},
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
