"""`is`, `id`, `type` and caught errors: looked for in the code that a mechanism reaches, and nothing harmless refused."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Any, Final, NamedTuple

import pytest

from dpverify.mechanisms import InputError, bernoulli
from dpverify.reports.record import Status
from dpverify.verifiers import Histograms, check_privacy

LIMIT: Final = 50


class Bottom(Enum):
    BOTTOM = 1


@dataclass(frozen=True)
class Settings:
    least: int = 3
    name: str = field(default="x", compare=False)


class Pair(NamedTuple):
    low: int
    high: int


class Reflected:
    def __add__(self, other: object) -> bool:
        return type(other) is int

    __radd__ = __add__


class Equal:
    def __eq__(self, other: object) -> bool:
        return id(other) == id(50)

    __hash__ = None  # type: ignore[assignment]


def is_itself(draw: Any, rows: Any) -> Any:
    n = rows.count(0)
    return n + 0 is n


def is_not_itself(draw: Any, rows: Any) -> Any:
    n = rows.count(0)
    return n + 0 is not n


def is_a_largest(draw: Any, rows: Any) -> Any:
    x = rows.count(0)
    return x is max(x, 0) + 0


def is_in_a_generator(draw: Any, rows: Any) -> Any:
    n = rows.count(0) + 0
    return any(y is n for y in (rows.count(0), len(rows)))


def is_a_global_number(draw: Any, rows: Any) -> Any:
    return rows.count(0) is LIMIT


def is_a_sum(draw: Any, rows: Any) -> Any:
    return rows.count(0) is LIMIT + 0


def has_an_identity(draw: Any, rows: Any) -> Any:
    return id(rows.count(0)) == id(LIMIT)


def is_by_an_operator(draw: Any, rows: Any) -> Any:
    return operator.is_(rows.count(0), LIMIT)


def is_in_what_it_calls(draw: Any, rows: Any) -> Any:
    return is_itself(draw, rows)


def is_in_a_method(draw: Any, rows: Any) -> Any:
    return Reflected() + rows.count(0)


def is_in_a_reflected_method(draw: Any, rows: Any) -> Any:
    return rows.count(0) + Reflected()


def is_in_equality(draw: Any, rows: Any) -> Any:
    return Equal() == rows.count(0)


def is_in_a_default(draw: Any, rows: Any, *, same: Any = lambda a, b: a is b) -> Any:
    return same(rows.count(0), LIMIT)


def asks_for_a_type(draw: Any, rows: Any) -> Any:
    return type(rows.count(0)) is int


def catches(draw: Any, rows: Any) -> Any:
    try:
        return rows.count(0) / 3 > 1
    except Exception:
        return False


TRAPS: Final[tuple[Callable[..., Any], ...]] = (
    is_itself,
    is_not_itself,
    is_a_largest,
    is_in_a_generator,
    is_a_global_number,
    is_a_sum,
    has_an_identity,
    is_by_an_operator,
    is_in_what_it_calls,
    is_in_a_method,
    is_in_a_reflected_method,
    is_in_equality,
    is_in_a_default,
    asks_for_a_type,
    catches,
)


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.__name__)
def test_what_would_tell_an_unknown_number_from_an_int_is_not_proved(trap: Callable[..., Any]) -> None:
    try:
        verdict = check_privacy(trap, Histograms((0, 1)), epsilon=1)
    except InputError as refusal:
        assert "unknown number" in str(refusal)
    else:
        assert verdict.status is Status.UNDECIDED
        assert "it may treat unknown numbers otherwise" in verdict.reason


def test_the_line_is_named() -> None:
    reason = check_privacy(is_itself, Histograms((0, 1)), epsilon=1).reason
    assert f"(line {is_itself.__code__.co_firstlineno + 2}; == compares numbers)" in reason


def bottom_if_few(draw: Any, rows: Any) -> Any:
    found = Bottom.BOTTOM if rows.count(0) < 3 else None
    if found is Bottom.BOTTOM or Bottom.BOTTOM is found:
        return draw(bernoulli("0.5"))
    return draw(bernoulli("0.5")) is True


def none_if_few(draw: Any, rows: Any) -> Any:
    best = None
    for x in (0, 1):
        if best is None or rows.count(x) > rows.count(best):
            best = x
    return best is not None and draw(bernoulli("0.5"))


def by_settings(draw: Any, rows: Any, *, settings: Settings = Settings()) -> Any:  # it is frozen
    return settings == Settings() and rows.count(0) >= settings.least and draw(bernoulli("0.5"))


def by_a_pair(draw: Any, rows: Any) -> Any:
    pair = Pair(1, 4)
    return pair.low <= rows.count(0) < pair.high and isinstance(pair, tuple) and draw(bernoulli("0.5"))


def by_a_kind(draw: Any, rows: Any, *, mode: Any = Bottom.BOTTOM) -> Any:
    match mode:
        case Bottom.BOTTOM:
            return draw(bernoulli(Fraction(1, 2)))
        case str():
            return rows.count(0) > 3
    return hasattr(mode, "value") and getattr(mode, "name", "") == "x"


@pytest.mark.parametrize(
    ("mechanism", "status"),
    [
        (bottom_if_few, Status.PROVED),
        (none_if_few, Status.PROVED),
        (by_settings, Status.REFUTED),
        (by_a_pair, Status.REFUTED),
        (by_a_kind, Status.PROVED),
        (functools.partial(by_a_kind, mode=Bottom.BOTTOM), Status.PROVED),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_is_harmless_is_decided(mechanism: Any, status: Status) -> None:
    assert check_privacy(mechanism, Histograms((0, 1)), epsilon=1).status is status
