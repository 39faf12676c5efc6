"""Programs whose outcome changed from run to run, or with the hash seed, before a guard of the compiled form held them.

Each says how it ends: outside (it has no compiled form), refused (when it runs), or one (the same outcome always). Run as
a program, this prints how each ended, and what it gave in two runs.
"""

# mypy: ignore-errors

# as they should not be written

from __future__ import annotations

import builtins
import collections
import functools
import json
import operator
import sys
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType

ATTACKS = {}
STORE = []
NUMBERS = [1]
WORDS = ("a", "b", "c", "d", "e", "f")
D = dict.fromkeys(WORDS)


def ends(how, rows=(1, 2)):
    def put(mechanism):
        ATTACKS[mechanism.__name__] = mechanism, how, rows
        return mechanism

    return put


def kept(values):
    values.append(1)
    return len(values)


class Box:
    def __init__(self, x=0):
        self.x = x

    def up(self):
        self.x += 1
        return self.x

    def text(self):
        return super().__repr__()


# --- texts that hold an address
LISTED = [str, repr, operator.mod]
PARTIAL = functools.partial(str)


@ends("refused")
def by_an_error_of_python(draw, rows):
    try:
        return [1].index(Box())
    except ValueError as error:
        return error.args[0]


class Holding:
    text = str


# --- orders of hashing
PROXY = MappingProxyType(D)


class OfSet(Enum):
    A = frozenset(WORDS)


@dataclass
class OfFactory:
    words: set = field(default_factory=lambda: set(WORDS))


@ends("one")
def set_imported(draw, rows):
    from builtins import set as made

    return "".join(made(WORDS))


@dataclass(unsafe_hash=True)
class Loose:
    name: str


@ends("outside")
def key_that_changes(draw, rows):
    found = 0
    for i in range(64):
        key = Loose(f"a{i}")
        table = {key: 1}
        key.name = "b"
        found += key in table
    return found


# --- what passes from run to run
@dataclass
class Shared:
    items: list = field(default_factory=lambda: STORE)


def _doubled(values):
    values *= 2
    return len(values)


def _noted(of):
    of.keywords["n"] = of.keywords.get("n", 0) + 1
    return of.keywords["n"]


HELD = functools.partial(Box, 1)


class Called:
    def __init__(self):
        self.n = 0

    def __call__(self, x):
        self.n += 1
        return self.n


CALLED = Called()
CALLING = functools.partial(CALLED, 1)


class Creating:
    def __init__(self, x=0):
        self.n = kept(STORE)


CLASSES = {"x": Creating}
PAIR = [Creating, [1]]


def helper(x):
    return x


def other(x):
    return x


@ends("one")
def by_the_name_of_a_function(draw, rows):
    name = helper.__name__
    functools.update_wrapper(helper, other)
    return name


class Adding:
    def __init__(self):
        self.held = [1]

    def __neg__(self):
        return self.held


ADDING = Adding()


@ends("refused")
def by_an_operator(draw, rows):
    values = -ADDING
    return kept(values)


class Matched:
    @property
    def total(self):
        return kept(STORE)


@ends("outside")
def by_a_pattern(draw, rows):
    match Matched():
        case Matched(total=n):
            return n


class Missing(Enum):
    A = 1

    @classmethod
    def _missing_(cls, value):
        return cls.A if kept(STORE) % 2 else None


@functools.lru_cache(maxsize=2)
def _boxed(x):
    return Box(x)


@ends("refused")
def by_identity_of_what_is_cached(draw, rows):
    one, _, again = _boxed(1), _boxed(2), _boxed(1)
    is_same = one == again
    _boxed(3)
    _boxed(1)
    return is_same


@functools.cache
def _closure():
    n = 0

    def up():
        nonlocal n
        n += 1
        return n

    return up


@functools.cache
def _method():
    return Box().up


# --- what rows hold
@dataclass(frozen=True)
class Row:
    a: int = 1

    def stored(self):
        return kept(STORE)

    def words(self):
        return "".join({"a", "b", "c", "d"})


@ends("refused", (1, (bytearray(b"x"),)))
def by_bytes_in_a_row(draw, rows):
    rows[1][0].append(1)
    return len(rows[1][0])


@ends("refused", collections.OrderedDict(a=1, b=2))
def by_moving_a_row(draw, rows):
    rows.move_to_end("a")
    return next(iter(rows))


# --- programs of one expression: how they end, and on which rows
OF_ONE_EXPRESSION = {
    "by_operator_mod": ("refused", lambda draw, rows: operator.mod("%s", Box())),
    "by_super": ("outside", lambda draw, rows: Box().text()),
    "by_a_listed_operator": ("refused", lambda draw, rows: LISTED[2]("%s", Box())),
    "by_a_partial": ("refused", lambda draw, rows: PARTIAL(Box())),
    "by_builtins": ("refused", lambda draw, rows: builtins.str(Box())),
    "by_the_locale": ("refused", lambda draw, rows: f"{1000:n}"),
    "keys_of_the_class": ("outside", lambda draw, rows: tuple(dict.keys(D) & dict.keys(D))),
    "keys_of_a_proxy": ("one", lambda draw, rows: tuple(PROXY.keys() | {"z"})),
    "keys_by_getattr": ("outside", lambda draw, rows: tuple(getattr(D, "keys")() & {*WORDS})),  # noqa: B009
    "set_of_an_enum": ("outside", lambda draw, rows: "".join(OfSet.A.value)),
    "set_of_a_factory": ("one", lambda draw, rows: "".join(OfFactory().words)),
    "by_a_factory": ("refused", lambda draw, rows: kept(Shared().items)),
    "by_a_product_in_place": ("refused", lambda draw, rows: _doubled(NUMBERS)),
    "by_keywords_of_a_partial": ("outside", lambda draw, rows: _noted(HELD)),
    "by_a_mapped_object": ("refused", lambda draw, rows: next(map(CALLED, [1]))),
    "by_a_partial_of_an_object": ("outside", lambda draw, rows: CALLING()),
    "by_an_unpacked_class": ("refused", lambda draw, rows: next(map(*PAIR)).n),
    "by_a_missing_member": ("outside", lambda draw, rows: Missing("z").value),
    "by_a_cached_closure": ("refused", lambda draw, rows: _closure()()),
    "by_the_method_of_a_row": ("refused", lambda draw, rows: rows[0].up(), (Box(),)),
    "by_the_order_of_a_row": ("refused", lambda draw, rows: rows[0].words(), (Row(),)),
    "by_a_function_in_a_row": ("refused", lambda draw, rows: rows[0](), (lambda: kept(STORE),)),
    "by_the_order_of_rows": ("one", lambda draw, rows: "".join(rows), frozenset(WORDS)),
}
for name, (how, mechanism, *rows) in OF_ONE_EXPRESSION.items():
    ATTACKS[name] = mechanism, how, *(rows or [(1, 2)])


def _ended(mechanism, rows):
    from dpverify.mechanisms.language.compiled import form_of
    from dpverify.mechanisms.language.values_from_outside import OutsideLanguage
    from dpverify.mechanisms.numbers.errors import InputError

    form = form_of(mechanism, {})
    if form is None:
        return "outside", None
    try:
        (database,), _ = form.arguments((rows,), {})
        return "one", form.users(form.mechanism(None, database))
    except (OutsideLanguage, InputError):
        return "refused", None


if __name__ == "__main__":
    runs = {name: [_ended(mechanism, rows) for _ in (1, 2)] for name, (mechanism, _, rows) in ATTACKS.items()}
    json.dump(runs, sys.stdout)
