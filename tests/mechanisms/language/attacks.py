"""Programs that keep something from run to run, or tell what is no function of the content of their rows.

OUTSIDE is found by the reader, with the words that its message has. REFUSED passes the reader, which sees names and not
values: the compiled form has to stop these when they run. HARMLESS has one outcome, since sets are ordered.
"""

# Programs without types, and as they should not be written:
# mypy: ignore-errors

# ruff: noqa: B006, B009, B010, B012, PLW0603, PTH123, SIM107, SIM115, UP030, UP031, UP032  # as they should not be written

import collections
import functools
import heapq
import itertools
import operator
import os
import reprlib
import sys
import time
import weakref
from bisect import insort
from dataclasses import dataclass, field
from fractions import Fraction

from dpverify.mechanisms import Distribution, bernoulli

OUTSIDE: list[tuple[object, str]] = []
REFUSED: list[object] = []
HARMLESS: list[object] = []


def outside(words: str):
    def put(function):
        OUTSIDE.append((function, words))
        return function

    return put


def refused(function):
    REFUSED.append(function)
    return function


def harmless(function):
    HARMLESS.append(function)
    return function


STORE: list[int] = []
TABLE: dict[str, object] = {}
PUT = STORE.append
ITERATOR = itertools.count()
GENERATOR = (x for x in (1, 2))
LAST = object()


class Box:
    def __init__(self):
        self.x = 0

    def put(self, x):
        self.x = x


class Counts:
    n = 0

    @classmethod
    def up(cls):
        cls.n += 1
        return cls.n


class Freed:
    def __del__(self):
        STORE.append(1)


class Equal:
    def __init__(self):
        self.asked = []

    def __eq__(self, other):
        self.asked.append(other)
        return True

    __hash__ = None


class Caught(BaseException):
    pass


class Meta(type):
    pass


class OfMeta(metaclass=Meta):
    pass


class Whole(int):
    pass


class Descriptor:
    def __get__(self, owner, kind):
        STORE.append(1)
        return 0


class Described:
    field = Descriptor()


BOX = Box()


# --- what is kept: values from outside
@outside("a change of a value that is there before the run")
def on_an_object(draw, rows):
    BOX.x += 1
    return BOX.x


@outside("a change of a value that is there before the run")
def in_a_list(draw, rows):
    STORE.append(1)
    return len(STORE)


@outside("a change of a value that is there before the run")
def by_subscript(draw, rows):
    TABLE["x"] = rows
    return 0


@outside("a change of a value that is there before the run")
def by_a_loop(draw, rows):
    for TABLE["x"] in rows:
        pass
    return 0


@outside("a change of a value that is there before the run")
def by_heap(draw, rows):
    heapq.heappush(STORE, 1)
    return len(STORE)


@outside("insort_right without its operand in place")
def by_keyword(draw, rows):
    insort(a=STORE, x=1)
    return len(STORE)


@outside("the method list.append as a value")
def bound_before(draw, rows):
    PUT(1)
    return 0


@outside("getattr of such a name")
def by_getattr(draw, rows):
    getattr(STORE, "append")(1)
    return len(STORE)


@outside("setattr")
def by_setattr(draw, rows):
    setattr(BOX, "x", 1)
    return 0


@outside("global")
def by_global(draw, rows):
    global LAST
    LAST = rows
    return 0


def _counting():
    n = 0

    def count(draw, rows):
        nonlocal n
        n += 1
        return n

    return count


outside("nonlocal n, which is there before the run")(_counting())


@outside("Freed, which defines __del__")
def when_it_is_freed(draw, rows):
    Freed()
    return len(STORE)


@outside("a class that is defined in a function")
def a_class_within(draw, rows):
    class Within:
        pass

    return Within is None


@outside("the attribute .n")
def on_a_function(draw, rows):
    def inner():
        return 0

    inner.n = 1
    return 0


def _tick():
    STORE.append(1)
    return len(STORE)


@dataclass
class Filled:
    ticks: int = field(default_factory=_tick)


class Partial:
    tick = functools.partial(max, key=_tick)


@functools.singledispatch
def dispatched(x):
    return _tick()


class Dispatched:
    method = dispatched


class Shown:
    @reprlib.recursive_repr()
    def __repr__(self):
        return str(id(self))


class OfKernel(Distribution):
    pass


@outside("type as a value")
def a_class_by_another_name(draw, rows):
    make = type
    return make("Told", (), {"__del__": lambda self: STORE.append(1)})()


# --- what is told
@outside("the attribute .gi_frame")
def a_frame(draw, rows):
    g = (x for x in rows)
    return g.gi_frame.f_back is None


@outside("the attribute .__code__ of function")
def code(draw, rows):
    return code.__code__.co_filename


@outside("time.time")
def by_an_import_within(draw, rows):
    from time import time as now

    return now()


# --- errors
@outside("except without a name")
def any_error(draw, rows):
    try:
        return draw(bernoulli(Fraction(1, 2)))
    except:  # noqa: E722
        return 0


@outside("except Exception")
def each_exception(draw, rows):
    try:
        return draw(bernoulli(Fraction(1, 2)))
    except Exception:
        return 0


@outside("Caught, which derives from the class BaseException")
def an_error_of_its_own(draw, rows):
    raise Caught


@outside("return in finally")
def left_in_finally(draw, rows):
    try:
        return draw(bernoulli(Fraction(1, 2)))
    finally:
        return 0


@outside("with")
def a_context(draw, rows):
    with rows[0]:
        return 0


# --- what only values tell: the compiled form refuses these
def _append_to(kept):
    kept.append(1)
    return len(kept)


@refused
def by_another_name(draw, rows):
    kept = STORE
    kept.append(1)
    return len(kept)


@refused
def by_a_method(draw, rows):
    BOX.put(BOX.x + 1)
    return BOX.x


@refused
def by_an_augmented_name(draw, rows):
    kept = STORE
    kept += [1]
    return len(kept)


def _default(draw, rows, kept=[]):
    kept.append(1)
    return len(kept)


refused(_default)


@functools.cache
def _kept_list():
    return []


@refused
def by_a_cache(draw, rows):
    _kept_list().append(1)
    return len(_kept_list())


# --- sets, which are ordered
@harmless
def list_made_within(draw, rows):
    kept = []
    put = kept.append
    for row in rows:
        put(row)
    return len(kept)


@harmless
def nonlocal_made_within(draw, rows):
    n = 0

    def up():
        nonlocal n
        n += 1

    for _ in rows:
        up()
    return n


# --- programs of one expression
OUTSIDE += [
    (lambda draw, rows: Counts.up(), "a change of a class"),
    (lambda draw, rows: functools.reduce(list.append, [1], STORE), "the method list.append as a value"),
    (lambda draw, rows: len(functools.reduce(operator.iadd, [STORE, [1]])), "_operator.iadd"),
    (lambda draw, rows: next(ITERATOR), "a value of the class itertools.count"),
    (lambda draw, rows: Equal() == 1, "a change, or a call, in __eq__"),
    (lambda draw, rows: Described().field, "Descriptor, which defines __get__"),
    (lambda draw, rows: OfMeta is None, "OfMeta with its metaclass"),
    (lambda draw, rows: Whole(1), "Whole, which derives from the class int"),
    (lambda draw, rows: Filled().ticks, "a change of a value that is there before the run"),
    (lambda draw, rows: Partial.tick(rows), "a change of a value that is there before the run"),
    (lambda draw, rows: Dispatched().method(), "functools.singledispatch"),
    (lambda draw, rows: repr(Shown()), "reprlib.recursive_repr"),
    (lambda draw, rows: OfKernel({0: 1}), "OfKernel, which derives from the class Distribution"),
    (lambda draw, rows: [*map(getattr, rows, ["__class__"])], "getattr as a value"),
    (lambda draw, rows: "{0.__init__.__globals__}".format(BOX), "format of a text"),
    (lambda draw, rows: str.format("{0.x}", BOX), "the method str.format"),
    (lambda draw, rows: id(rows), "id"),
    (lambda draw, rows: hash("a") % 2, "hash"),
    (lambda draw, rows: len(object.__subclasses__()), "the attribute .__subclasses__ of type"),
    (lambda draw, rows: time.time(), "time.time"),
    (lambda draw, rows: os.environ["HOME"], "a value of the class os._Environ"),
    (lambda draw, rows: sys.getrefcount(rows), "sys.getrefcount"),
    (lambda draw, rows: weakref.ref(BOX)() is None, "the class weakref"),
    (lambda draw, rows: open("f").read(), "open"),
    (lambda draw, rows: eval("STORE.append(1)"), "eval"),
    (lambda draw, rows: __import__("time").time(), "__import__"),
    (lambda draw, rows: draw.call.knowledge, "the attribute .call"),
    (lambda draw, rows: rows[0] is rows[1], "is between two values"),
]
REFUSED += [
    lambda draw, rows: _append_to(STORE),
    lambda draw, rows: str(lambda: 0),
    lambda draw, rows: f"{Box()}",
    lambda draw, rows: "%s" % Box(),
]
HARMLESS += [
    lambda draw, rows: "".join({"a", "b"}),
    lambda draw, rows: tuple(sorted(set(rows), key=len)),
    lambda draw, rows: {"a", "b"}.pop(),
    lambda draw, rows: tuple(itertools.chain({"a", "b"})),
    lambda draw, rows: collections.Counter({"a", "b"}).most_common(1)[0][0],
    lambda draw, rows: TABLE.get("y", LAST) is LAST,
]
