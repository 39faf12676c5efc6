"""What the reader follows and finds: values behind names, classes, parameters, and types that follow from bindings."""

# Programs without types, and as they should not be written:
# mypy: ignore-errors

import ast
import functools
import inspect
import itertools
import math
from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import NamedTuple

import pytest

from dpverify.mechanisms import Distribution, bernoulli, exponential, laplace
from dpverify.mechanisms.language.names import names_in
from dpverify.mechanisms.language.reader import read
from dpverify.mechanisms.language.source import tree_of
from dpverify.verifiers.catalogue import privacy_claims


def constructs(mechanism, **parameters):
    return [place.construct for place in read(mechanism, parameters).outside]


def reads(mechanism, **parameters):
    return {each.function.__name__ for each in read(mechanism, parameters).each}


class Colour(Enum):
    RED = 1
    BLUE = 2

    def _is_warm(self):
        return self is Colour.RED


class Point(NamedTuple):
    x: int
    y: int = 0


@dataclass(frozen=True, order=True)
class Person:
    age: int
    names: tuple = field(default=())

    @property
    def is_old(self):
        return self.age > 70

    @functools.cached_property
    def letters(self):
        return sum(map(len, self.names))


class Laplacian:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, draw, rows):
        return sum(rows) + draw(laplace(self.scale))


class Hidden:
    def __init__(self):
        self.__x = 1

    def get(self):
        return self.__x


def helper(x):
    return hash(x)


def kept(function):
    @functools.wraps(function)
    def wrapper(draw, rows, **more):
        return function(draw, rows, **more)

    return wrapper


# --- where it goes
def test_the_place_of_what_is_outside_and_what_to_write():
    def mechanism(draw, rows):
        return hash(rows)

    (place,) = read(mechanism).outside
    start = inspect.getsourcelines(mechanism)[1]
    assert (place.file, place.line, place.column, place.construct) == (__file__, start + 1, 16, "hash")
    assert place.instead == "compare the values"
    assert place.function.endswith("mechanism")


def test_an_annotation_that_calls_is_outside():
    """Python runs it where the function is defined, and the compiled form leaves annotations out."""

    def keeps(draw, rows):
        kept = []

        def inner(row: kept.append(rows[0])) -> list[int]:
            return [row]

        return kept or inner(0)

    def plain(draw, rows):
        def inner(row: int, more: "str" = "") -> list[int]:
            return [row]

        return inner(rows[0])

    assert [place.construct for place in read(keeps).outside] == ["an annotation that calls"]
    assert not read(plain).outside


def test_all_places_are_told_in_order():
    def mechanism(draw, rows):
        first = hash(rows)
        second = id(rows)
        print(first)
        return second

    assert constructs(mechanism) == ["hash", "id", "print"]


def calls_by_name(draw, rows):
    return helper(rows)


def calls_in_a_lambda(draw, rows):
    return (lambda x: helper(x))(rows)  # noqa: PLC3002, PLW0108


def calls_within(draw, rows):
    def inner():
        return helper(rows)

    return inner()


def calls_by_a_table(draw, rows):
    return {"h": HELPERS[0]}["h"](rows)


HELPERS = (helper,)


def with_default(draw, rows, f=helper):
    return f(rows)


def of_closure():
    f = helper

    def mechanism(draw, rows):
        return f(rows)

    return mechanism


class WithHelper:
    def mechanism(self, draw, rows):
        return helper(rows)


@pytest.mark.parametrize(
    "mechanism",
    [
        *(calls_by_name, calls_in_a_lambda, calls_within, calls_by_a_table, with_default, of_closure()),
        *(functools.partial(calls_by_name), kept(calls_by_name), functools.cache(calls_by_name)),
        *(WithHelper().mechanism, kept(functools.partial(calls_by_name, rows=()))),
        lambda draw, rows: draw(exponential, quality=helper) if rows else draw(exponential(helper, 1)),
    ],
)
def test_it_follows_values(mechanism):
    assert "hash" in constructs(mechanism)
    assert "helper" in reads(mechanism)


def test_it_reads_functions_that_are_parameters_and_values_in_them():
    def mechanism(draw, rows, f):
        return f(rows)

    assert constructs(mechanism, f=helper) == ["hash"]
    assert constructs(mechanism, f=functools.partial(max, key=helper)) == ["hash"]
    assert constructs(mechanism, f={"of": [helper]}) == ["hash"]
    assert constructs(mechanism, f=len) == []
    assert constructs(mechanism, f=hash) == ["hash"]


@dataclass(frozen=True)
class Tool:
    most: int = 0

    def used(self, rows):
        return helper(rows)


def test_it_reads_the_methods_of_parameters_that_the_mechanism_asks_for():
    """They are met when all else has been read."""

    def mechanism(draw, rows, tool):
        return tool.used(rows)

    assert {"used", "helper"} <= reads(mechanism, tool=Tool())
    assert constructs(mechanism, tool=Tool()) == ["hash"]
    assert constructs(lambda draw, rows, tool: tool.most, tool=Tool()) == []


def test_it_reads_what_a_distribution_and_a_closure_of_the_kernel_hold():
    from dpverify.mechanisms.drawing import in_sorted_order

    assert constructs(in_sorted_order(calls_by_name)) == ["hash"]
    assert constructs(in_sorted_order(lambda draw, rows: rows[0])) == []
    assert constructs(lambda draw, rows, law: draw(law), law=Distribution({0: 1})) == []


def test_two_functions_of_one_code_are_both_read():
    def made(f):
        def mechanism(draw, rows):
            return f(rows)

        return mechanism

    pair = made(len), made(helper)
    reading = read(lambda draw, rows: pair[0](draw, rows) + pair[1](draw, rows))
    assert [place.construct for place in reading.outside] == ["hash"]
    assert sum(each.function.__name__ == "mechanism" for each in reading.each) == 2


def test_recursion_ends():
    def down(draw, n):
        return 0 if n == 0 else up(draw, n - 1)

    def up(draw, n):
        return down(draw, n)

    assert reads(down) == {"down", "up"}


# --- classes
def test_classes_inside():
    def mechanism(draw, rows):
        people = [Person(row, ("a",)) for row in rows]
        oldest = max(people)
        return Point(oldest.age, oldest.letters)._replace(y=1).x if oldest.is_old else Colour.RED._is_warm()

    reading = read(mechanism, {"scale": 1})
    assert reading.outside == ()
    assert reading.classes == {Person, Point, Colour}
    assert {each.function.__name__ for each in reading.each} == {"mechanism", "is_old", "letters", "_is_warm"}


def test_objects_that_are_mechanisms():
    assert read(Laplacian(Fraction(1))).outside == ()
    assert reads(Laplacian(Fraction(1))) == {"__init__", "__call__"}
    assert constructs(lambda draw, rows: Hidden().get()) == []


def test_attributes_of_rows_are_those_of_their_classes():
    def mechanism(draw, rows):
        return sum(row.age for row in rows)

    assert constructs(mechanism) == ["the attribute .age"]
    assert read(mechanism, {}, [(Person(1),)]).outside == ()


def test_an_attribute_of_a_known_type_is_that_type_s_own():

    assert constructs(lambda draw, rows: Person(1).x + Point(1).x) == ["the attribute .x of Person"]


class Compared:
    def __init__(self, x):
        self.x = x

    def key(self):
        return self.x

    def __lt__(self, other):
        return self.key() < other.x

    def __hash__(self):
        return id(self)


def test_what_python_calls_by_itself_only_reads():
    assert constructs(lambda draw, rows: min(Compared(1), Compared(2)).x) == [
        "a change, or a call, in __lt__, which Python calls by itself",
        "a change, or a call, in __hash__, which Python calls by itself",
        "id",
    ]


class Partly:
    def __init__(self, x):
        self.x = x

    def inside(self):
        return self.between()

    def between(self):
        return self.x

    def shown(self):
        print(self.x)

    @property
    def address(self):
        return id(self)

    @classmethod
    def kept(cls):
        cls.last = 1


def test_methods_that_nobody_asks_for_are_not_read():
    def mechanism(draw, rows):
        return Partly(rows).inside()

    assert constructs(mechanism) == []
    assert reads(mechanism) == {"mechanism", "__init__", "inside", "between"}
    assert constructs(lambda draw, rows: (Partly(rows).address, Partly(rows).shown())) == ["print", "id"]
    assert constructs(lambda draw, rows: Partly.kept()) == ["a change of a class"]
    assert constructs(lambda draw, rows, it=Partly: it.kept()) == ["a change of a class"]


class Matched(NamedTuple):
    x: int

    @property
    def shown(self):
        return print(self.x)


def test_patterns_ask_for_attributes():
    def mechanism(draw, rows):
        match rows:
            case Matched(shown=0):
                return 1
            case _:
                return 0

    assert constructs(mechanism) == ["print"]


class Cut:
    def __getitem__(self, place):
        return [place]


# --- types
def types_in(function):
    read_function = next(each for each in read(function).each if each.function is function)
    names, found = names_in(read_function.tree), {}
    names.outside = read_function.names
    for node, scope in names.nodes:
        match node:
            case ast.Attribute(value=of) | ast.Subscript(value=of) | ast.AugAssign(target=ast.Name() as of):
                found[ast.unparse(node)] = names.type_of(of, scope)
    return found


def test_types_that_follow_from_bindings():
    def mechanism(draw, rows, given):
        out = []
        out.append(1)
        counts = Counter(rows)
        counts.update(rows)
        again = counts
        again.items()
        seen = set() if rows else {1}
        seen.add(1)
        either = [] if rows else {}
        either.copy()
        text = "a" + "b"
        text.upper()
        text.split(",").sort()
        for i, row in enumerate(rows):
            i.bit_length()
            row.index(0)
        total = 0
        for j in range(3):
            total += j
        total.bit_length()
        given.index(0)
        grown = [0]
        grown += given
        grown.sort()
        zeros = [0] * len(rows)
        zeros.sort()
        zeros[0] = text[1:].count("a")
        kept = HELPERS
        kept[0](rows)
        slices = zeros[1:]
        slices.sort()
        person = Person(1)
        person.age.bit_length()
        Cut()[1:].sort()
        chained = one = {}
        chained.get(one.get(0))
        return (named := [1]).count(1) + named.count(2)

    found = types_in(mechanism)
    assert found == {
        "out.append": list,
        "counts.update": Counter,
        "again.items": Counter,
        "seen.add": None,
        "either.copy": None,
        "text.upper": None,
        "text.split": None,
        "text.split(',').sort": None,
        "i.bit_length": None,
        "row.index": None,
        "total += j": None,
        "total.bit_length": None,
        "given.index": None,
        "grown += given": None,
        "grown.sort": None,  # what is given may be of a class that says what list + it is
        "zeros.sort": None,
        "zeros[0]": None,
        "text[1:]": None,
        "text[1:].count": None,
        "kept[0]": tuple,
        "zeros[1:]": None,
        "slices.sort": None,
        "Cut()[1:]": Cut,
        "Cut()[1:].sort": None,
        "person.age.bit_length": None,
        "person.age": Person,
        "chained.get": dict,
        "one.get": dict,
        "(named := [1]).count": list,
        "named.count": list,
    }


def test_a_name_is_looked_up_where_it_is_bound():
    def mechanism(draw, rows):
        x = []

        def inner(x):
            return x.index(0)

        def outer():
            nonlocal x
            x = {}
            return x.get(0)

        return inner(rows), outer(), [x.index(1) for x in (x.copy() for _ in rows)], x.copy()

    assert set(types_in(mechanism).values()) == {None}


def test_the_first_iterable_of_a_comprehension_is_looked_up_outside_of_it():
    assert constructs(lambda draw, rows: [HELPERS(1) for HELPERS in HELPERS]) == ["hash"]


def test_nonlocal_binds_what_is_bound_later():
    def mechanism(draw, rows):
        def change():
            nonlocal x
            x = {}

        x = []
        change()
        return x.copy()

    assert types_in(mechanism) == {"x.copy": None}


def test_a_known_type_has_only_its_own_methods():
    def mechanism(draw, rows):
        out = []
        out.add(1)
        return rows.add(1)

    assert constructs(mechanism) == ["the attribute .add of list"]


def test_modules_and_imports_within():
    def mechanism(draw, rows):
        import math as m
        from math import floor as down

        return down(Fraction(1, 2)) + m.ceil(Fraction(1, 2)) + math.comb(3, 2) + itertools.repeat(1, 2).missing

    assert constructs(mechanism) == ["the attribute .missing"]
    assert constructs(lambda draw, rows: math.floors(1)) == ["math.floors, which is not there"]
    assert constructs(lambda draw, rows: math) == ["the module math as a value"]


# --- how much
def test_every_privacy_claim_of_the_catalogue_is_inside():
    mechanisms = {(claim.mechanism, *sorted(claim.parameters)): claim for claim in privacy_claims()}
    outside = {
        claim.id: reading.outside
        for claim in mechanisms.values()
        if (reading := read(claim.mechanism, claim.parameters)).outside
    }
    assert outside == {}
    assert len(mechanisms) > 90


def test_a_mechanism_of_readme_s_kind_is_read_with_its_sub_mechanism():
    def noisy(draw, value, *, epsilon):
        return value + draw(laplace(1 / epsilon))

    def mechanism(draw, rows, *, epsilon):
        return tuple(draw(noisy, row, epsilon=epsilon) for row in rows if draw(bernoulli(Fraction(1, 2))))

    assert reads(mechanism, epsilon=Fraction(1)) == {"mechanism", "noisy"}
    assert tree_of(noisy).name == "noisy"
