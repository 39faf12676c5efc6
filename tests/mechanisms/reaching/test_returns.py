"""Nothing passes but by return: every way out is refused by name and line, and what is harmless has its law."""

from __future__ import annotations

import functools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from tests.examples import in_one
from tests.mechanisms.drawing.ways_out import HARMLESS, INCOMPARABLE, WAYS, Way, memory_that_is_asked, name_of

from dpverify.mechanisms import Draw, Limits, MechanismError, bernoulli, distribution, run
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.verifiers import Status, Tuples, check_privacy, replace_one

REFUSED = r"(changed|reaches) .+: .+\((tests/mechanisms/\w+/)?\w+\.py, line \d+\)"
ONE_BIT = Tuples((0, 1), size=1)


def told(tell: Callable[[int], Any]) -> Callable[..., int]:
    """A part that draws a bit, tells it, and returns nothing of it."""

    def part(draw: Draw, bit: int) -> int:
        tell(int(draw(bernoulli(Fraction(1 + 8 * bit, 10)))))
        return 0

    return part


def drawn(part: Any, draw: Draw, rows: tuple[int, ...]) -> Any:
    return draw(part, rows[0])


def drawn_apart(part: Any, draw: Draw, rows: tuple[int, ...]) -> Any:
    return draw.each(part, rows)


def drawn_within(part: Any, draw: Draw, rows: tuple[int, ...]) -> Any:
    return draw(lambda draw, bit: draw(part, bit), rows[0])


def drawn_apart_within(part: Any, draw: Draw, rows: tuple[int, ...]) -> Any:
    return draw.each(lambda draw, bit: draw.each(part, (bit,)), rows)


def called(part: Any, draw: Draw, rows: tuple[int, ...]) -> Any:
    return part(draw, rows[0])


CALLS = [drawn, drawn_apart, drawn_within, drawn_apart_within]


def asking(call: Any, way: Way) -> Callable[..., Any]:
    """The mechanism that asks what a part has told, and has it forgotten: it leaves everything as it was."""
    part = told(way.tell)

    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        way.forget()
        call(part, draw, rows)
        answer = way.told() >= 1
        way.forget()
        return answer

    way.forget()
    return mechanism


@pytest.mark.one_in(2)
@pytest.mark.parametrize("call", CALLS, ids=name_of)
@pytest.mark.parametrize("make", WAYS, ids=name_of)
def test_a_part_that_tells_in_another_way_is_refused(make: Callable[[], Way], call: Any) -> None:
    mechanism = asking(call, make())
    with pytest.raises(MechanismError, match=REFUSED):
        distribution(mechanism, (0,))


@in_one("make", WAYS)
def test_each_way_does_tell(make: Callable[[], Way]) -> None:
    """The truth, from runs: the answers of two databases differ as the bits do that are drawn in a part."""
    mechanism = asking(drawn_apart, make())
    often = [sum(run(mechanism, (bit,), seed=seed) for seed in range(30)) for bit in (0, 1)]
    assert often[0] < 12 < 18 < often[1]


@pytest.mark.usefixtures("decided_here")  # what is said names the line: nobody else is asked
@pytest.mark.parametrize("make", WAYS, ids=name_of)
def test_no_way_is_proved_private(make: Callable[[], Way]) -> None:
    for call in (drawn, drawn_apart):
        with pytest.raises(MechanismError, match=REFUSED):
            check_privacy(asking(call, make()), ONE_BIT, replace_one, epsilon=0)


def keeping(tell: Callable[[int], Any]) -> Callable[..., Any]:
    """A mechanism that tells its next run what it drew, and returns nothing of it."""

    def mechanism(draw: Draw, rows: tuple[int, ...]) -> int:
        tell(int(draw(bernoulli("0.5"))))
        return 0

    return mechanism


@in_one("make", [make for make in WAYS if make is not memory_that_is_asked])
def test_a_mechanism_that_tells_its_next_run_is_refused(make: Callable[[], Way]) -> None:
    way = make()
    way.forget()
    with pytest.raises(MechanismError, match=REFUSED):
        distribution(keeping(way.tell), (0,))


@in_one("call", [*CALLS, called])
@in_one("make", INCOMPARABLE)
def test_what_cannot_be_compared_is_refused(make: Callable[[], Any], call: Any) -> None:
    part = told(make())

    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        call(part, draw, rows)
        return 0

    with pytest.raises(MechanismError, match=REFUSED):
        distribution(mechanism, (0,))


# --- What is harmless


@pytest.mark.parametrize("make", HARMLESS, ids=name_of)
def test_harmless_programs_have_their_law(make: Callable[[], Callable[[int], int]]) -> None:
    chance = make()

    def coin(draw: Draw, bit: int) -> int:
        return int(draw(bernoulli(Fraction(chance(bit), 10))))

    for bit in (0, 1):
        expected = Fraction(make()(bit), 10)
        for call in (drawn, drawn_within, called):
            law = distribution(functools.partial(call, coin), (bit,))
            assert law.probability(1) == expected
        assert distribution(functools.partial(drawn_apart, coin), (bit,)).probability((1,)) == expected
        assert distribution(functools.partial(drawn_apart_within, coin), (bit,)).probability(((1,),)) == expected


@pytest.mark.one_in(3)
@pytest.mark.parametrize("make", HARMLESS, ids=name_of)
def test_harmless_programs_are_decided(make: Callable[[], Callable[[int], int]]) -> None:
    chance = make()

    def coin(draw: Draw, bit: int) -> int:
        return int(draw(bernoulli(Fraction(chance(bit), 10))))

    def both(draw: Draw, rows: tuple[int, ...]) -> Any:
        return draw(coin, rows[0]), draw.each(coin, rows)

    assert check_privacy(both, Tuples((0, 1), size=2), replace_one, epsilon=4).status is Status.PROVED


def test_what_the_mechanism_makes_may_be_read_in_parts_and_changed_between_them() -> None:
    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        seen: list[int] = []

        def part(draw: Draw, bit: int) -> int:
            return len(seen) + bit + int(draw(bernoulli("0.5")))

        first = draw(part, rows[0])
        seen.append(first)
        second = draw(part, rows[0])
        seen.append(second)
        return first, second, draw.each(part, rows)

    law = distribution(mechanism, (1,))
    assert set(law) == {(a, b, (c,)) for a in (1, 2) for b in (2, 3) for c in (3, 4)}
    assert {run(mechanism, (1,), seed=seed) for seed in range(99)} == set(law)


@pytest.mark.parametrize("bound", [None, 9])
def test_a_memory_that_takes_true_for_1_is_refused_where_that_tells(bound: int | None) -> None:
    """Who asks for 1 is told what was found for True, if that came first."""

    @functools.lru_cache(maxsize=bound)
    def as_text(x: int, _: int) -> str:
        return repr(x)

    @functools.lru_cache(maxsize=bound)
    def as_number(x: int, _: int) -> int:
        return x + 0

    def asking_for(known: Callable[[int, int], Any]) -> Callable[..., Any]:
        def part(draw: Draw, bit: int) -> int:
            if draw(bernoulli(Fraction(1 + 8 * bit, 10))):
                known(True, 0)
            return 0

        def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
            draw.each(part, rows)
            return known(1, 0)

        return mechanism

    said = "changed known: a memory takes equal" if bound is None else r"asked .*\.as_text, a memory, with equal"
    with pytest.raises(MechanismError, match=f"{said} arguments"):
        check_privacy(asking_for(as_text), ONE_BIT, replace_one, epsilon=0)
    assert check_privacy(asking_for(as_number), ONE_BIT, replace_one, epsilon=0).status is Status.PROVED
    assert as_number(True, 0) == as_number(1, 0) == 1
    assert as_number.cache_info().hits >= 2


# --- Arguments and errors


def test_a_part_that_changes_its_argument_is_refused() -> None:
    def takes(draw: Draw, kept: Any) -> int:
        return int(kept.pop())

    for make in (lambda: [1, 2], lambda: {1, 2}, lambda: bytearray(b"ab")):
        with pytest.raises(MechanismError, match=r"takes on .* changed kept: .*\(.*test_returns.py, line \d+\)"):
            distribution(lambda draw, _, make=make: draw(takes, make()), 0)
    with pytest.raises(MechanismError, match="changed kept"):
        distribution(lambda draw, _: draw.each(takes, ([1, 2],)), 0)
    with pytest.raises(MechanismError, match="changed named"):
        distribution(lambda draw, _: draw(lambda draw, *, named: named.append(1) or 0, named=[1]), 0)


def test_an_iterator_as_argument_is_refused() -> None:
    def adds_up(draw: Draw, numbers: Any) -> int:
        return sum(numbers)

    with pytest.raises(
        MechanismError, match="reaches numbers, a generator, an iterator, and what was taken from it shows nowhere"
    ):
        distribution(lambda draw, rows: draw(adds_up, (row for row in rows)), (1, 2))
    assert (
        distribution(lambda draw, rows: draw.each(adds_up, ((row,) for row in rows)), (1, 2)).probability((1, 2)) == 1
    )


def test_an_error_that_leaves_a_part_is_one_also_if_it_is_caught() -> None:
    def fails(draw: Draw, bit: int) -> int:
        if draw(bernoulli("0.5")):
            raise ValueError(bit)
        return 0

    def catches(draw: Draw, rows: tuple[int, ...]) -> int:
        try:
            draw(fails, rows[0])
        except ValueError:
            return 1
        return 0

    def catches_apart(draw: Draw, rows: tuple[int, ...]) -> int:
        try:
            draw.each(fails, rows)
        except ValueError:
            return 1
        return 0

    for mechanism in (catches, catches_apart):
        with pytest.raises(MechanismError, match="fails on 0 raised ValueError"):
            distribution(mechanism, (0,))


def test_a_change_that_a_mechanism_catches_is_refused() -> None:
    kept: list[int] = []

    def part(draw: Draw) -> int:
        kept.append(1)
        return 0

    def catches(draw: Draw, _: int) -> int:
        try:
            return int(draw(part))
        except Exception:
            kept.clear()
            return 0

    with pytest.raises(MechanismError, match="changed kept"):
        distribution(catches, 0)


# --- What two runs leave as it was together


def test_a_change_is_seen_after_each_run() -> None:
    """Two runs of a part turn a list around and back."""
    kept = [0, 1]

    def part(draw: Draw) -> int:
        kept.reverse()
        return int(draw(bernoulli("0.5")))

    with pytest.raises(MechanismError, match="changed kept"):
        distribution(lambda draw, _: draw(part), 0)
    with pytest.raises(MechanismError, match="changed kept"):
        distribution(lambda draw, _: part(draw), 0)


def test_what_moves_from_one_place_of_a_function_to_another_is_changed() -> None:
    """Default, annotation and attribute, of one name and one value."""

    def holder(*, told: int = 0) -> None: ...

    places = ("__kwdefaults__", "__annotations__", "__dict__")
    for before in places:
        for after in places:
            for place in places:
                setattr(holder, place, {"told": 0} if place == before else {})

            def mechanism(draw: Draw, _: int) -> int:
                for place in places:
                    setattr(holder, place, {"told": 0} if place == after else {})  # noqa: B023  # it runs at once
                return 0

            if before == after:
                assert distribution(mechanism, 0).probability(0) == 1
            else:
                with pytest.raises(MechanismError, match="changed"):
                    distribution(mechanism, 0)


# --- Laws that are kept


STATE = {"tenths": [1]}


def as_the_state_says(draw: Draw) -> int:
    return int(draw(bernoulli(Fraction(STATE["tenths"][0], 10))))


def test_a_kept_law_is_not_that_of_another_state() -> None:
    """What is changed between two draws is a list in a global, put back in the end."""

    def mechanism(draw: Draw, tenths: int) -> Any:
        STATE["tenths"][0] = 1
        first = draw(as_the_state_says)
        STATE["tenths"][0] = tenths
        second = draw(as_the_state_says)
        STATE["tenths"][0] = 1
        return first, second

    law = distribution(mechanism, 9)
    assert law.probability((1, 1)) == Fraction(9, 100)
    assert law.probability((0, 1)) == Fraction(81, 100)


class Level:
    tenths = 1

    def coin(self, draw: Draw) -> int:
        return int(draw(bernoulli(Fraction(self.tenths, 10))))


def by_its_class(draw: Draw) -> int:
    return Level().coin(draw)


def test_a_kept_law_is_not_that_of_another_class_attribute() -> None:
    def mechanism(draw: Draw, tenths: int) -> Any:
        Level.tenths = 1
        first = draw(by_its_class)
        Level.tenths = tenths
        second = draw(by_its_class)
        Level.tenths = 1
        return first, second

    assert distribution(mechanism, 9).probability((0, 1)) == Fraction(81, 100)


def test_a_kept_law_is_not_that_of_another_cell() -> None:
    def mechanism(draw: Draw, tenths: int) -> Any:
        now = 1

        def coin(draw: Draw) -> int:
            return int(draw(bernoulli(Fraction(now, 10))))

        first = draw(coin)
        now = tenths
        return first, draw(coin), draw.each(lambda draw, _: coin(draw), (0,))

    assert distribution(mechanism, 9).probability((0, 1, (1,))) == Fraction(9, 10) * Fraction(9, 10) * Fraction(9, 10)


def test_laws_of_harmless_parts_are_kept() -> None:
    """Eight paths lead to the last draw: its law is found once, whatever the part reads."""

    def mechanism(draw: Draw, bit: int) -> Any:
        drawn = [draw(bernoulli("0.5")) for _ in range(3)]
        return drawn[0], draw(reads_tables, bit)

    enumeration = Enumeration(Limits())
    enumeration.law(mechanism, (1,), {})
    assert enumeration.runs == 16 + 2


def reads_tables(draw: Draw, bit: int) -> int:
    return int(draw(bernoulli(Fraction(STATE["tenths"][0] + bit, 10))))


# --- The second line of defence


@pytest.mark.one_in(3)
@pytest.mark.usefixtures("nothing_is_watched")
@pytest.mark.parametrize("make", WAYS, ids=name_of)
def test_the_repetition_finds_what_a_part_tells(make: Callable[[], Way]) -> None:
    for call in (drawn, drawn_apart):
        with pytest.raises(MechanismError, match="not deterministic"):
            check_privacy(asking(call, make()), ONE_BIT, replace_one, epsilon=0)
