"""Programs made of entries of the tables alone, by which one run might see another, or be another than plain Python's.

Each says how it may end: outside, refused, plain (the output distribution that plain Python gives), or one (the same in
each run and under each hash seed, where plain Python knows no order). Run as a program, this prints how each ended.
"""

# mypy: ignore-errors

# ruff: noqa: RUF012  # as they should not be written

from __future__ import annotations

import copy
import dataclasses
import functools
import heapq
import itertools
import json
import operator
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np
from tests.mechanisms.language.random_programs import end, plain_law, with_types

from dpverify.mechanisms import bernoulli, laplace, run, uniform
from dpverify.mechanisms.language.compiled import outside_of

ROWS = {}
HALF = bernoulli(Fraction(1, 2))
STORE = []
KIND = str


def ends(how):
    def put(mechanism):
        ROWS[mechanism.__name__] = how, mechanism
        return mechanism

    return put


def row(name, how, mechanism):
    ROWS[name] = how, mechanism


@dataclass(frozen=True)
class Asked:
    x: int
    seen: list = field(default_factory=list, compare=False)
    kind: type = str
    shared: ClassVar[list] = []

    def __call__(self, value):
        self.seen.append(value)
        return self.x + len(self.seen)

    @functools.cached_property
    def listed(self):
        return [self.x]


class Meant:
    def __init__(self, x):
        self.x = x

    def __call__(self, draw):
        return [self.x].pop() + draw(HALF)

    def asked(self, draw):
        return [self.x].pop() + draw(HALF)

    def __lt__(self, other):
        return other.x < self.x


@dataclass
class Made:
    x: int
    y: list = field(default_factory=list)
    kinds: tuple = ([],)

    def __post_init__(self):
        self.y.append(self.x)


@dataclass
class Derived(Made):
    z: int = 1

    def __post_init__(self):
        super().__post_init__()
        self.z = [len(self.y)].pop()


class One(NamedTuple):
    x: int


class Other(NamedTuple):
    x: int


class Member(Enum):
    LISTED = [2]


class Missing(dict):
    def __missing__(self, key):
        self[key] = len(self)
        return self[key]


OUT, NEST, TALLY, MISSING = Asked(1), {"a": [1]}, Counter("ab"), Missing()
DEFAULTS = defaultdict(lambda: STORE.append(1))
FACTORIES = {"made": Made, "derived": Derived, str: "text"}
OF_SETS = uniform([(1, frozenset("abcdef"))])

# fmt: off
# --- what is outside is changed under another name
row("by_or", "refused", lambda draw, rows: (NEST["a"] or []).append(1))
row("by_an_unpacked_dict", "refused", lambda draw, rows: {**NEST}.setdefault("a", []).append(1))
row("by_max", "refused", lambda draw, rows: max(NEST["a"], [0]).append(1))
row("by_sum", "refused", lambda draw, rows: sum([], NEST["a"]).append(1))
row("by_a_getter", "refused", lambda draw, rows: operator.itemgetter("a")(NEST).append(1))
row("by_an_iterator", "refused", lambda draw, rows: next(iter(NEST.values())).append(1))
row("by_a_heap", "refused", lambda draw, rows: heapq.nsmallest(1, [NEST["a"]])[0].append(1))
row("by_a_key", "refused", lambda draw, rows: sorted(NEST.values(), key=lambda v: v.append(1) or 0))
row("by_a_reduced_value", "refused", lambda draw, rows: functools.reduce(lambda a, v: a.append(v), rows, NEST["a"]))
row("by_a_group", "refused", lambda draw, rows: [v.append(1) for _, g in itertools.groupby([NEST["a"]]) for v in g])
row("by_replace", "refused", lambda draw, rows: replace(OUT).seen.append(1))
row("by_a_shallow_copy", "refused", lambda draw, rows: copy.copy(OUT).seen.append(1))
row("by_a_deep_copy", "plain", lambda draw, rows: (copy.deepcopy(OUT).seen.append(1), len(OUT.seen)))
row("by_asdict", "plain", lambda draw, rows: (asdict(OUT)["seen"].append(1), len(OUT.seen)))
row("by_a_default_of_a_field", "refused", lambda draw, rows: Made(1).kinds[0].append(1))
row("by_a_class_variable", "refused", lambda draw, rows: [Asked(1)][0].shared.append(1))
row("by_a_called_object", "refused", lambda draw, rows: OUT(1))
row("by_a_part_s_object", "refused", lambda draw, rows: draw(lambda draw, ask: ask(1), OUT))
row("by_a_partial_of_an_object", "outside", functools.partial(OUT))
row("by_a_factory", "refused", lambda draw, rows: DEFAULTS[1])
row("by_a_missing_key", "outside", lambda draw, rows: MISSING["x"])
row("by_a_counter_s_missing_key", "plain", lambda draw, rows: (TALLY["q"], len(TALLY), "q" in TALLY))
row("by_a_member", "outside", lambda draw, rows: Member.LISTED.value.append(1))
row("by_a_drawn_list", "one", lambda draw, rows: draw(uniform([OUT])).seen.append(1) or len(OUT.seen))

@ends("refused")
def by_a_pattern_of_a_class(draw, rows):
    match OUT:
        case Asked(seen=seen):
            seen.append(1)
    return len(OUT.seen)

@ends("refused")
def by_a_product(draw, rows):
    m = NEST["a"]
    m *= 2
    return len(m)

@ends("refused")
def by_a_counter_in_place(draw, rows):
    c = TALLY
    c += Counter("z")
    return len(c)

# --- texts and errors
row("text_in_a_list", "refused", lambda draw, rows: f"{[Meant(1)]}")
row("text_of_a_type_s_call", "refused", lambda draw, rows: str(Meant(1)))
row("text_of_sets", "refused", lambda draw, rows: str({"k": {"a", "b"}}))

@ends("refused")
def text_of_an_error(draw, rows):
    try:
        raise ValueError(Meant(1))
    except ValueError as error:
        return str(error)

# --- types
row("types_mapped", "plain", lambda draw, rows: tuple(t is str for t in map(type, ("a", 1))))
row("types_kept", "plain", lambda draw, rows: (str is KIND, KIND is str, str in (str,), OUT.kind is str))
row("types_as_keys", "plain", lambda draw, rows: (FACTORIES[str], {KIND: 1}[str], {str: 1}.get(KIND)))
row("types_of_sets", "plain", lambda draw, rows: (type({1}) is set, type(frozenset()) in {frozenset}, type(set()).__name__),
)
row("type_of_a_float", "plain", lambda draw, rows: (float is float, type(4 / 2) is int, {float: 1}[type(1 / 2)]))
row("fraction_of_a_float", "plain", lambda draw, rows: (isinstance(0.5, Fraction), isinstance(Fraction(1), Fraction)))
row("type_of_a_root", "refused", lambda draw, rows: type(2**0.5 + draw(HALF)) is float)
row("type_of_a_noise", "refused", lambda draw, rows: type(draw(laplace(1))) is int)

# --- order
row("order_of_ties", "one", lambda draw, rows: Counter({"a", "b", "c"}).most_common(1)[0][0])
row("order_of_keys", "one", lambda draw, rows: "".join(dict.fromkeys("cab").keys() & {"a", "b", "c"}))
row("order_by_an_operator", "one", lambda draw, rows: "".join(functools.reduce(operator.or_, map(set, ("abc", "xyz")))))
row("order_of_a_drawn_set", "one", lambda draw, rows: "".join(draw(OF_SETS)[1]))
row("order_of_a_copied_set", "one", lambda draw, rows: "".join(copy.deepcopy([frozenset("abc")])[0]))
row("order_of_equal_arguments", "one", lambda draw, rows: tuple(draw(lambda draw, v: "".join(v), frozenset(t)) for t in ("ab", "ba")),
)
row("order_of_equal_dicts", "plain", lambda draw, rows: tuple(draw(lambda draw, v: tuple(v), dict.fromkeys(t)) for t in ("ab", "ba")),
)

# --- what a law is remembered by
row("equal_types", "plain", lambda draw, rows: tuple(draw(lambda draw, v: type(v).__name__, x) for x in (One(1), Other(1), (1,))),
)
row("equal_numbers", "plain", lambda draw, rows: tuple(draw(lambda draw, v: str(v), x) for x in (1, True, 0, False)))
row("equal_objects", "plain", lambda draw, rows: tuple(draw(lambda draw, q: q.x + len(q.seen), x) for x in (Asked(1), Asked(1, [2]))),
)
row("bound_methods", "plain", lambda draw, rows: (draw(Meant(1).asked), draw(Meant(5).asked), draw(Meant(3)), draw(Meant(7))),
)

@ends("plain")
def a_field_that_changes_between_draws(draw, rows):
    meant = Meant(1)
    first = draw(meant), draw(meant.asked)
    meant.x = 5
    return first, draw(meant), draw(meant.asked)

@ends("plain")
def a_cell_that_changes_between_draws(draw, rows):
    kept = [1]

    def part(draw, n):
        return kept[0] + n + draw(HALF)

    first = draw(part, 1)
    kept[0] = 10
    return first, draw(part, 1)

# --- objects that are called, made and compared
row("made_by_a_table", "plain", lambda draw, rows: (FACTORIES["derived"](1).z, FACTORIES["derived"] is Derived, [*map(Derived, rows)][1].z, functools.partial(Derived, 1)().z),
)
row("made_by_replace", "plain", lambda draw, rows: (replace(Derived(1), x=3).z, Derived(2) == Made(2), Derived(1) == Derived(1)),
)
row("cached_of_an_equal_object", "plain", lambda draw, rows: (replace(OUT, x=2).listed.append(1), replace(OUT, x=2).listed == [2], Asked(1).listed == OUT.listed),
)
row("sorted_by_their_own_order", "plain", lambda draw, rows: (tuple(v.x for v in sorted(map(Meant, (1, 3, 2)))), max(Meant(1), Meant(2)).x, heapq.nlargest(1, [Meant(1), Meant(2)])[0].x),
)

@ends("plain")
def mapped_objects_keep_their_state(draw, rows):
    ask = Asked(0)
    return (
        tuple(map(ask, rows)),
        min((3, 1), key=ask),
        len(ask.seen),
        functools.reduce(lambda a, b: a + ask(b), (1, 2, 3)),
    )

# --- iterators
row("a_shared_iterator", "plain", lambda draw, rows: [(a, b, draw(HALF)) for it in [iter((1, 2, 3, 4))] for a, b in zip(it, it, strict=True)][1],
)
row("two_of_an_iterator", "plain", lambda draw, rows: tuple(map(tuple, itertools.tee(x * draw(HALF) for x in rows))))

# --- arrays
row("array_of_a_row", "plain", lambda draw, rows: ([a := np.array(rows), a.fill(9)], tuple(a.tolist()), rows[0])[1:])

@ends("plain")
def array_slices_are_views(draw, rows):
    a = np.array([1, 2, 3, 4])
    b, c, d = a[1:3], a[::-1], a[a > 2]
    b[0], c[0], d[0] = 9, 8, 7
    b += 1
    return tuple(a.tolist()), tuple(b.tolist()), tuple(c.tolist()), tuple(d.tolist())

@ends("plain")
def array_copies_are_none(draw, rows):
    a = np.array([1, 5])
    copies = copy.copy(a), copy.deepcopy(a), np.array(a), +a
    for each in copies:
        each[0] = 3
    np.asarray(a)[1] = 4
    return tuple(a.tolist()), [1][0]

@ends("refused")
def array_that_is_written_to(draw, rows):
    a = np.array([1, 5])
    np.clip(a, 0, 2, out=a)
    return tuple(a.tolist())

# --- text that mimics methods which are generated
def _executed(text, file, **names):
    exec(compile(text, file, "exec"), names)
    return names["f"]


_COUNTS = "def f(*_):\n    STORE.append(1)\n    return len(STORE)"


class Mimics:
    def __init__(self, x):
        self.x = x

    of_tuple = _executed(_COUNTS, "<string>", STORE=STORE, __name__="namedtuple_x")
    of_order = _executed(_COUNTS, functools.__file__, STORE=STORE)
    of_class = _executed(_COUNTS, dataclasses.__file__, STORE=STORE)
    of_eq = _executed(_COUNTS, "<string>", STORE=STORE)
    of_eq.__code__ = of_eq.__code__.replace(co_qualname="__create_fn__.<locals>.__eq__")


@dataclass(frozen=True)
class Patched:
    x: int


Patched.__eq__ = Mimics.of_eq

row("mimics_of_tuple", "outside", lambda draw, rows: Mimics(1).of_tuple())
row("mimics_of_order", "outside", lambda draw, rows: Mimics(1).of_order())
row("mimics_of_class", "outside", lambda draw, rows: Mimics(1).of_class())
row("mimics_eq", "outside", lambda draw, rows: Patched(1) == Patched(2))


# fmt: on
def ended(mechanism):
    """How a program ends, with its output distribution in two checks and its outcomes in two runs."""
    if outside_of(mechanism):
        return ["outside"]
    laws = [end(mechanism, (1, 2)) for _ in (1, 2)]
    if isinstance(laws[0], str):
        return ["refused" if laws[0] == laws[1] else "changes"]
    runs = [with_types(run(mechanism, (1, 2), seed=1)) for _ in (1, 2)]
    if laws[0] != laws[1] or runs[0] != runs[1] or runs[0] not in laws[0]:
        return ["changes"]
    try:
        plain = plain_law(mechanism, (1, 2))
    except AttributeError:  # an outcome with a list is drawn as what can be hashed
        plain = None
    return ["plain" if laws[0] == plain else "one", repr(laws[0])]


if __name__ == "__main__":
    print(json.dumps({name: ended(mechanism) for name, (_, mechanism) in ROWS.items()}))
