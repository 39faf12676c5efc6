"""What passes by other things than content is refused as what passes by content is: in each kind of call, and for ALL."""

from __future__ import annotations

import abc
import contextlib
import io
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from tests.examples import in_one
from tests.mechanisms.drawing.hidden_ways_out import HIDDEN_WAYS
from tests.mechanisms.drawing.ways_out import Way, name_of

from dpverify.mechanisms import Draw, InputError, MechanismError, bernoulli, distribution, run
from dpverify.verifiers import Histograms, check_privacy, replace_one

TWELVE = (0,) * 12
ONE_MORE = (*TWELVE[1:], 1)


def bit_of(tell: Callable[[int], Any]) -> Callable[..., int]:
    def part(draw: Draw, bit: int) -> int:
        tell(int(draw(bernoulli(Fraction(1 + 8 * bit, 10)))))
        return 0

    return part


def asked(way: Way, call: Callable[..., Any]) -> Callable[..., Any]:
    """The mechanism that has a part tell, and says what it was told."""
    part = bit_of(way.tell)

    def mechanism(draw: Draw, rows: Any) -> Any:
        way.forget()
        call(draw, part, rows)
        answer = way.told() >= 1
        way.forget()
        return answer

    way.forget()
    return mechanism


def once(draw: Draw, part: Any, rows: Any) -> Any:
    return draw(part, rows[0])


def each(draw: Draw, part: Any, rows: Any) -> Any:
    return draw.each(part, rows)


def one_by_one(draw: Draw, part: Any, rows: Any) -> Any:
    return [draw(part, row) for row in rows]


def of_a_count(draw: Draw, part: Any, rows: Any) -> Any:
    return draw(part, 1 if rows.count(0) > 0 else 0)


@in_one("make", HIDDEN_WAYS)
def test_each_hidden_way_does_tell(make: Callable[[], Way]) -> None:
    mechanism = asked(make(), once)
    often = [sum(run(mechanism, (bit,), seed=seed) for seed in range(30)) for bit in (0, 1)]
    assert often[0] < 12 < 18 < often[1]


@pytest.mark.usefixtures("decided_here")
@pytest.mark.parametrize("make", HIDDEN_WAYS, ids=name_of)
def test_no_hidden_way_is_proved_private(make: Callable[[], Way]) -> None:
    for call in (each, one_by_one):
        with pytest.raises(MechanismError, match=r"(changed|reaches) .+: .+, line \d+\)"):
            check_privacy(asked(make(), call), [TWELVE, ONE_MORE], other_of_two, epsilon=0)


def other_of_two(rows: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [ONE_MORE] if rows == TWELVE else [TWELVE]


@pytest.mark.usefixtures("decided_here")
@pytest.mark.parametrize("make", HIDDEN_WAYS, ids=name_of)
def test_no_hidden_way_is_proved_for_all_sizes(make: Callable[[], Way]) -> None:
    assert status_of(asked(make(), of_a_count)) != "PROVED"


@pytest.mark.one_in(3)
@pytest.mark.usefixtures("decided_here")
@pytest.mark.parametrize("make", HIDDEN_WAYS, ids=name_of)
def test_no_law_is_kept_that_depends_on_what_a_part_sees_in_a_hidden_way(make: Callable[[], Way]) -> None:
    way = make()

    def part(draw: Draw) -> int:
        return int(draw(bernoulli(Fraction(1 + 8 * way.told(), 10))))

    def mechanism(draw: Draw, rows: Any) -> int:
        way.tell(1 if rows.count(0) > 0 else 0)
        found: int = draw(part)
        way.forget()
        return found

    way.forget()
    assert status_of(mechanism) != "PROVED"


def status_of(mechanism: Callable[..., Any]) -> str:
    try:
        return check_privacy(mechanism, Histograms((0, 1)), replace_one, epsilon="0.1").status.name
    except InputError:
        return "refused"


def printing(draw: Draw, rows: Any) -> bool:
    def part(draw: Draw, bit: int) -> int:
        if draw(bernoulli(Fraction(1 + 8 * bit, 10))):
            print("told")
        return 0

    kept = io.StringIO()
    with contextlib.redirect_stdout(kept):
        draw.each(part, rows)
    return bool(kept.getvalue())


def warning(draw: Draw, rows: Any) -> bool:
    def part(draw: Draw, bit: int) -> int:
        if draw(bernoulli(Fraction(1 + 8 * bit, 10))):
            warnings.warn("told", stacklevel=1)
        return 0

    with warnings.catch_warnings(record=True) as kept:
        warnings.simplefilter("always")
        draw.each(part, rows)
    return bool(kept)


@pytest.mark.usefixtures("decided_here")
@pytest.mark.parametrize("mechanism", [printing, warning], ids=name_of)
def test_what_is_printed_or_warned_of_and_caught_is_no_way_out(mechanism: Callable[..., Any]) -> None:
    with pytest.raises(MechanismError, match=r"changed (what is printed|warnings)"):
        check_privacy(mechanism, [TWELVE, ONE_MORE], other_of_two, epsilon=0)


class Kind(abc.ABC):  # noqa: B024  # what is registered with it is the trap
    """A kind that others may be said to be of."""


def test_what_is_registered_with_a_class_is_no_way_out() -> None:
    def part(draw: Draw, bit: int) -> int:
        if draw(bernoulli(Fraction(1 + 8 * bit, 10))):
            Kind.register(Way)
        return 0

    def mechanism(draw: Draw, rows: Any) -> bool:
        draw.each(part, rows)
        return issubclass(Way, Kind)

    with pytest.raises(MechanismError, match=r"changed Kind\.register"):
        distribution(mechanism, (0,))
