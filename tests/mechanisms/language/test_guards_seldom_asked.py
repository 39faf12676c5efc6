"""Guards that few programs ask: texts by a format, types that stand for str, wrappers, patterns, imports, getattr.

And rows that are objects, looked at by type: what they hold cannot be changed, and what can be is copied and guarded.
"""

# ruff: noqa: B009, UP031, UP032  # the spelling is what is tested

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import pytest

from dpverify.mechanisms.language.compiled import CompiledForm
from dpverify.mechanisms.language.reader import read
from dpverify.mechanisms.language.sets import OrderedFrozenSet, OrderedSet
from dpverify.mechanisms.language.values_from_outside import NotCompiled, OutsideLanguage
from dpverify.mechanisms.numbers.errors import InputError

ROWS = ("a", "b", "a")
KINDS = (str, int)
SHARED: list[int] = [1]


@dataclass
class Grown:
    rows: tuple[str, ...]
    seen: list[int] = field(default_factory=list)
    size: int = 0

    def __post_init__(self) -> None:
        self.seen.append(self.size)
        self.size = len(self.rows)

    @property
    def kept(self) -> list[int]:
        self.seen.append(1)
        return self.seen


class Counted:
    @property
    def grown(self) -> list[int]:
        values = Base().kept()
        values.append(1)
        return values


class Base:
    def update(self, size: int) -> None:
        self.size = size

    def kept(self) -> list[int]:
        return SHARED


class Derived(Base):
    def update(self, size: int) -> None:
        super().update(size + 1)

    def grown(self) -> list[int]:
        values = super().kept()
        values.append(1)
        return values


def text_in_a_format(draw: Any, rows: Any) -> Any:
    return "{:>3}".format(rows[0]) + "{}".format(len(rows))


def str_as_a_value(draw: Any, rows: Any) -> Any:
    kind = type(rows[0])
    known = {str: 1, int: 2}
    texts = [kind(len(rows)), kind.upper(rows[0]), kind.__name__]
    return (*texts, known[kind], kind is str, isinstance(rows[0], KINDS), isinstance(1, kind), issubclass(bool, kind))


def wrapped(draw: Any, rows: Any) -> Any:
    def counted(values: Any) -> Any:
        return len(values)

    @functools.wraps(counted)
    def again(values: Any) -> Any:
        return counted(values) + 1

    return again(rows), again.__name__


def imported(draw: Any, rows: Any) -> Any:
    import itertools as tools
    from math import comb

    return comb(len(rows), 2), sorted({*tools.chain(rows, rows)})


def asked_by_name(draw: Any, rows: Any) -> Any:
    one = Grown(rows)
    return getattr(one, "kept"), getattr(one, "seen", None), getattr(rows, "kept", 3)


def updated_through_super(draw: Any, rows: Any) -> Any:
    one = Derived()
    one.update(len(rows))
    return one.size


def multiplied(draw: Any, rows: Any) -> Any:
    total, text = 7, "%s of"
    total %= len(rows)
    text %= rows[0]
    return total, text, total % 2, "%d" % len(rows), -total % 3


@pytest.mark.parametrize(
    "mechanism", [text_in_a_format, str_as_a_value, wrapped, imported, asked_by_name, multiplied, updated_through_super]
)
def test_results_are_those_of_the_plain_program(mechanism: Callable[..., Any]) -> None:
    made = CompiledForm(read(mechanism))
    assert made.mechanism is not mechanism
    assert made.users(made.mechanism(None, ROWS)) == mechanism(None, ROWS)


def by_a_format_that_is_computed(draw: Any, rows: Any) -> Any:
    spec = "n" if rows else "d"
    return f"{len(rows):{spec}}"


def address_in_a_text_that_grows(draw: Any, rows: Any) -> Any:
    text = "%s"
    text %= Base()
    return text


FIRST_ONE = Derived()


def change_of_what_super_speaks_of(draw: Any, rows: Any) -> Any:
    one = [FIRST_ONE][0]
    one.update(2)
    return one.size


def change_by_wraps(draw: Any, rows: Any) -> Any:
    def counted(values: Any) -> Any:
        SHARED.append(1)
        return len(values)

    return functools.wraps(counted)(counted)(rows)


@pytest.mark.parametrize(
    "mechanism",
    [
        lambda draw, rows: f"{len(rows):n}",
        by_a_format_that_is_computed,
        lambda draw, rows: "{:n}".format(len(rows)),
        lambda draw, rows: "{}".format(Base()),
        address_in_a_text_that_grows,
        lambda draw, rows: Derived().grown(),
        change_of_what_super_speaks_of,
        lambda draw, rows: getattr(Counted(), "grown", None),
    ],
)
def test_what_depends_on_more_than_content_is_refused_when_it_runs(mechanism: Callable[..., Any]) -> None:
    with pytest.raises(OutsideLanguage):
        CompiledForm(read(mechanism)).mechanism(None, ROWS)


def test_a_change_in_what_is_wrapped_is_outside() -> None:
    assert read(change_by_wraps).outside


def pattern_of_what_is_computed(draw: Any, rows: Any) -> Any:
    match Grown(rows):
        case Grown(kept=[0]):
            return 1
        case _:
            return 0


def test_a_pattern_that_asks_for_what_is_computed_has_no_compiled_form() -> None:
    with pytest.raises(NotCompiled, match="a pattern that asks"):
        CompiledForm(read(pattern_of_what_is_computed))


TWO_OF_ONE_NAME: frozenset[Callable[[int], int]] = frozenset({lambda x: x, lambda x: -x})


def test_functions_in_a_set_have_no_order() -> None:

    with pytest.raises(NotCompiled, match="order"):
        CompiledForm(read(lambda draw, rows: [each(1) for each in TWO_OF_ONE_NAME]))


# --- Rows that are objects


@dataclass(frozen=True)
class Row:
    held: Any
    other: Any = 1


@dataclass(frozen=True, slots=True)
class Slotted:
    held: Any
    other: Any = 1


class Named(NamedTuple):
    held: Any
    other: Any = 1


class Undecorated(Row):
    """Can be stored to, as it is no dataclass itself."""


@dataclass(frozen=True)
class Longer(Row):
    """Is given more attributes than it names."""


class Wider(Named):
    """Can be stored to, as it has no slots."""


@dataclass(frozen=True)
class Counting:
    other: int = 1
    calls: ClassVar[list[int]] = []
    seen = 0

    @property
    def held(self) -> int:
        self.calls.append(1)
        return len(self.calls)


@dataclass(frozen=True)
class Total:
    size: int

    def __add__(self, more: int) -> Total:
        return Total(self.size + more)

    def add(self, more: int) -> int:
        return self.size + more

    def grown(self, kept: list[int], more: int) -> list[int]:
        kept.append(self.size + more)
        return kept


@dataclass(frozen=True)
class Cached:
    other: int = 1

    @cached_property
    def held(self) -> list[int]:
        return [1]


class Colour(Enum):
    RED = 1
    __kept: ClassVar[list[int]] = []


def extended(row: Any, *values: Any) -> Any:
    for n, value in enumerate(values):
        object.__setattr__(row, f"more{n}", value)
    return row


def with_dict(row: Any) -> Any:
    assert vars(row)  # from now on the object has one
    return row


def changing(draw: Any, rows: Any) -> Any:
    for r in [r for r in rows if isinstance(r, (Row, Slotted, Named, Cached))]:
        for each in r.held if isinstance(r.held, tuple) else (r.held,):
            kept = each.held if isinstance(each, Row) else each
            if isinstance(kept, list | dict):
                kept[0] = 2
    return len(rows)


RECORDS = (Row, Slotted, Named)
FORM = CompiledForm(read(changing, values=(Row(1), Slotted(1), Named(1), Undecorated(1), Wider(1))))
FIXED = (
    *((kind(1), kind("a"), kind(Fraction(1, 2)), kind((1, kind(2)))) for kind in RECORDS),
    (Row(Fraction), Named(None), 3, (Slotted(2), "a"), ()),
    *((with_dict(Row(1)), with_dict(Row(2))), (extended(Row(1), 2), extended(Row(1), "b"))),
)
HELD = (
    *((kind(1), kind([1]), kind(2)) for kind in RECORDS),
    *((kind((1, 2)), kind((1, Row([1])))) for kind in RECORDS),
    *((kind(kind), kind([1])) for kind in RECORDS),
    *(
        (3, "a", Row(1), (), Named(1, []), Row([1])),
        (Row({0: 1}),),
        (Cached(),),
        (Row(1), Undecorated([1])),
        (Wider([1]),),
    ),
    *((with_dict(Row(1)), with_dict(Row([1]))), (Row(1), extended(Row([1]), 1), with_dict(Row(1)))),
)


def test_rows_that_cannot_be_changed_are_given_as_they_are() -> None:
    assert [FORM.arguments((rows,), {})[0][0] is rows for rows in FIXED] == [True] * len(FIXED)


@pytest.mark.parametrize("rows", HELD, ids=str)
def test_what_rows_hold_is_not_changed(rows: Any) -> None:
    before, (args, _) = repr(rows), FORM.arguments((rows,), {})
    with pytest.raises(OutsideLanguage):
        FORM.mechanism(None, *args)
    assert repr(rows) == before


def test_a_row_that_holds_more_than_the_first_is_looked_at() -> None:
    more = extended(Longer(1), 2, [1], 3, 4, 5)  # twice as many references: the list is where the class is in the first
    assert FORM.arguments(((extended(Longer(1), 1), more),), {})[0][0][1].more1 is not more.more1


@pytest.mark.parametrize("kind", RECORDS)
def test_sets_and_classes_that_rows_hold_are_those_of_the_language(kind: Any) -> None:
    (found,), _ = FORM.arguments(((kind(kind, frozenset("ab")), kind({1, 2}, kind), kind(set, kind)),), {})
    assert (type(found[0].other), type(found[1].held), found[2].held) == (OrderedFrozenSet, OrderedSet, OrderedSet)


@pytest.mark.parametrize("row", [Undecorated(1), Wider(1)], ids=repr)
def test_no_attribute_is_stored_on_a_row(row: Any) -> None:
    def mark(draw: Any, rows: Any) -> None:
        assert Counting.seen == 0
        for r in rows:
            r.seen = 1

    form = CompiledForm(read(mark))
    with pytest.raises(OutsideLanguage):
        form.mechanism(None, *form.arguments(((row,),), {})[0])


@pytest.mark.parametrize("row", [Counting(), Row(Counting()), Slotted((1, Counting()))])
def test_rows_with_code_that_keeps_something_are_refused(row: Any) -> None:

    with pytest.raises((InputError, NotCompiled)):
        CompiledForm(read(lambda draw, rows: [r.held for r in rows])).arguments(((Row(1), row),), {})


def add_row(kept: Any, r: Any) -> None:
    kept.append(r)


def to_what_is_shared(draw: Any, rows: Any, kept: Any) -> None:
    add_row([], 1)
    add_row(SHARED, 1)


def to_what_it_became(draw: Any, rows: Any, kept: Any) -> None:
    kept = []
    for r in rows:
        kept.append(r)
        kept = SHARED


def to_a_parameter(draw: Any, rows: Any, kept: Any) -> None:
    add_row(kept, 1)


def through_a_class(draw: Any, rows: Any, kept: Any) -> None:
    for kind in [list]:
        kind.append([], 1)


def to_what_a_class_holds(draw: Any, rows: Any, kept: Any) -> None:
    add_row(Colour._Colour__kept, 1)  # type: ignore[attr-defined]


def through_a_method(draw: Any, rows: Any, kept: Any) -> None:
    total = Total(0)
    for each in ([], SHARED):
        total.grown(each, 1)


@pytest.mark.parametrize(
    "program",
    [
        *(to_what_is_shared, to_what_it_became, to_a_parameter),
        *(through_a_class, to_what_a_class_holds, through_a_method),
    ],
)
def test_no_list_from_outside_is_changed(program: Callable[..., Any]) -> None:
    given = {"kept": SHARED if program is to_a_parameter else ()}
    form = CompiledForm(read(program, given))
    args, parameters = form.arguments(((1, 2),), given)
    with pytest.raises(OutsideLanguage):
        form.mechanism(None, *args, **parameters)


def added_up(total: Any, rows: Any) -> Any:
    found: list[int] = []
    for r in rows:
        total += r.held
        found.append(total.add(1))
        found = total.grown(found, 2)
    return found


def test_a_parameter_that_is_added_to_is_what_it_became() -> None:
    def mechanism(draw: Any, rows: Any) -> Any:
        return added_up(Total(0), rows)

    rows = (Row(1), Named(2), Slotted(3), Row(4))
    form = CompiledForm(read(mechanism, values=rows))
    assert form.mechanism(None, *form.arguments((rows,), {})[0]) == mechanism(None, rows) == [2, 3, 4, 5, 7, 8, 11, 12]
