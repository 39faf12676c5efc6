"""`is`, `id`, `type` and caught errors: outside the language, or refused where numbers are unknown; all else is decided."""

import functools
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Any, Final

import pytest
from tests.examples import in_one

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


def is_itself(draw: Any, rows: Any) -> Any:
    n = rows.count(0)
    return n + 0 is n


def catches(draw: Any, rows: Any) -> Any:
    try:
        return rows.count(0) / 3 > 1
    except Exception:
        return False


def is_of_a_type(draw: Any, rows: Any) -> Any:
    n = rows.count(0)
    return type(n) is int


TRAPS: Final[tuple[Callable[..., Any], ...]] = (
    *(
        is_itself,
        lambda draw, rows: operator.is_(rows.count(0), LIMIT),
    ),
    *(
        lambda draw, rows, *, same=lambda a, b: a is b: same(rows.count(0), LIMIT),
        catches,
        is_of_a_type,
    ),
    lambda draw, rows: type(rows) is tuple,
)


@in_one("trap", TRAPS)
def test_what_would_tell_an_unknown_number_from_an_int_is_not_proved(trap: Callable[..., Any]) -> None:
    try:
        verdict = check_privacy(trap, Histograms((0, 1)), epsilon=1)
    except InputError as refusal:
        assert "unknown number" in str(refusal)
    else:
        assert verdict.status is Status.UNDECIDED
        assert re.search("outside the language|has no compiled form|catches errors", verdict.reason), verdict.reason


def test_the_line_is_named() -> None:
    reason = check_privacy(is_itself, Histograms((0, 1)), epsilon=1).reason
    assert f"is between two values at line {is_itself.__code__.co_firstlineno + 2} of" in reason
    with pytest.raises(InputError, match=rf"type\(…\) was asked .*line {is_of_a_type.__code__.co_firstlineno + 2}\b"):
        check_privacy(is_of_a_type, Histograms((0, 1)), epsilon=1)


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


def by_a_kind(draw: Any, rows: Any, *, mode: Any = Bottom.BOTTOM) -> Any:
    match mode:
        case Bottom.BOTTOM:
            return draw(bernoulli(Fraction(1, 2)))
        case str():
            return rows.count(0) > 3
    return hasattr(mode, "value") and getattr(mode, "name", "") == "x"


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("mechanism", "status"),
    [
        (bottom_if_few, Status.PROVED),
        (none_if_few, Status.PROVED),
        (by_settings, Status.REFUTED),
        (by_a_kind, Status.PROVED),
        (functools.partial(by_a_kind, mode=Bottom.BOTTOM), Status.PROVED),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_is_harmless_is_decided(mechanism: Any, status: Status) -> None:
    assert check_privacy(mechanism, Histograms((0, 1)), epsilon=1).status is status
