"""Guards that few programs ask: texts by a format, types that stand for str, wrappers, patterns, imports, getattr."""

# ruff: noqa: B009, UP031, UP032  # the spelling is what is tested

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from dpverify.mechanisms.language.compiled import CompiledForm
from dpverify.mechanisms.language.reader import read
from dpverify.mechanisms.language.values_from_outside import NotCompiled, OutsideLanguage

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


def by_the_locale(draw: Any, rows: Any) -> Any:
    return f"{len(rows):n}"


def by_a_format_that_is_computed(draw: Any, rows: Any) -> Any:
    spec = "n" if rows else "d"
    return f"{len(rows):{spec}}"


def by_the_locale_in_format(draw: Any, rows: Any) -> Any:
    return "{:n}".format(len(rows))


def address_in_format(draw: Any, rows: Any) -> Any:
    return "{}".format(Base())


def address_in_a_text_that_grows(draw: Any, rows: Any) -> Any:
    text = "%s"
    text %= Base()
    return text


def change_behind_super(draw: Any, rows: Any) -> Any:
    return Derived().grown()


FIRST_ONE = Derived()


def change_of_what_super_speaks_of(draw: Any, rows: Any) -> Any:
    one = [FIRST_ONE][0]
    one.update(2)
    return one.size


def change_by_getattr(draw: Any, rows: Any) -> Any:
    return getattr(Counted(), "grown", None)


def change_by_wraps(draw: Any, rows: Any) -> Any:
    def counted(values: Any) -> Any:
        SHARED.append(1)
        return len(values)

    return functools.wraps(counted)(counted)(rows)


@pytest.mark.parametrize(
    "mechanism",
    [
        by_the_locale,
        by_a_format_that_is_computed,
        by_the_locale_in_format,
        address_in_format,
        address_in_a_text_that_grows,
        change_behind_super,
        change_of_what_super_speaks_of,
        change_by_getattr,
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
    def mechanism(draw: Any, rows: Any) -> Any:
        return [each(1) for each in TWO_OF_ONE_NAME]

    with pytest.raises(NotCompiled, match="order"):
        CompiledForm(read(mechanism))
