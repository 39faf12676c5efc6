"""Nothing passes but by return: no way out is PROVED, and what is harmless has its output distribution."""

import functools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from tests.examples import in_one
from tests.mechanisms.drawing.ways_out import HARMLESS, STOPPED, WAYS, Way, name_of

from dpverify.mechanisms import Draw, InputError, Limits, MechanismError, bernoulli, distribution, run
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.verifiers import Tuples, check_privacy, replace_one

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


def status_of(*question: Any, **claimed: Any) -> str:
    """The status of a claim, or that it is refused."""
    try:
        return check_privacy(*question, **claimed).status.name
    except InputError:
        return "refused"


@in_one("make", WAYS)
def test_each_way_does_tell(make: Callable[[], Way]) -> None:
    """The truth, from runs: the answers of two databases differ as the bits do that are drawn in a part."""
    mechanism = asking(drawn, make())
    if make in STOPPED:
        with pytest.raises(MechanismError, match="OutsideLanguage"):
            run(mechanism, (0,))
        return
    often = [sum(run(mechanism, (bit,), seed=seed) for seed in range(30)) for bit in (0, 1)]
    assert often[0] < 12 < 18 < often[1]


@pytest.mark.usefixtures("decided_here")
@in_one("make", WAYS)
def test_no_way_is_proved_private(make: Callable[[], Way]) -> None:
    for call in (drawn, drawn_apart):
        assert status_of(asking(call, make()), ONE_BIT, replace_one, epsilon=0) in ("refused", "REFUTED", "UNDECIDED")


@pytest.mark.usefixtures("decided_here")
@in_one("make", WAYS)
def test_no_mechanism_that_tells_its_next_run_is_proved_private(make: Callable[[], Way]) -> None:
    way = make()

    def mechanism(draw: Draw, rows: tuple[int, ...]) -> int:
        way.tell(int(draw(bernoulli("0.5"))))
        return 0

    way.forget()
    assert status_of(mechanism, ONE_BIT, replace_one, epsilon=0) != "PROVED"


# --- What is harmless
@pytest.mark.parametrize("make", HARMLESS, ids=name_of)
def test_harmless_programs_have_their_law_and_are_decided(make: Callable[[], Callable[[int], int]]) -> None:
    chance = make()

    def coin(draw: Draw, bit: int) -> int:
        return int(draw(bernoulli(Fraction(chance(bit), 10))))

    def both(draw: Draw, rows: tuple[int, ...]) -> Any:
        return draw(coin, rows[0]), draw.each(coin, rows)

    for bit in (0, 1):
        expected = Fraction(make()(bit), 10)
        for call in (drawn, drawn_within):
            assert distribution(functools.partial(call, coin), (bit,)).probability(1) == expected
        assert distribution(functools.partial(drawn_apart, coin), (bit,)).probability((1,)) == expected
    assert status_of(both, Tuples((0, 1), size=2), replace_one, epsilon=4) in ("PROVED", "CHECKED")


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


# --- What is created in a run is not changed by a part of it
def test_a_part_that_changes_what_it_is_given_or_sees_is_refused() -> None:
    def takes(draw: Draw, kept: Any) -> int:
        return int(kept.pop())

    for make in (lambda: [1, 2], lambda: {1, 2}):
        with pytest.raises(MechanismError, match=r"takes on .* changed kept: .*\(.*test_ways_out.py, line \d+\)"):
            distribution(lambda draw, _, make=make: draw(takes, make()), 0)
    with pytest.raises(MechanismError, match="changed named"):
        distribution(lambda draw, _: draw(lambda draw, *, named: named.append(1) or 0, named=[1]), 0)

    def counts(draw: Draw, _: int) -> Any:
        count = 0

        def part(draw: Draw) -> int:
            nonlocal count
            count += 1
            return 0

        return draw(part), count

    with pytest.raises(MechanismError, match="changed count"):
        distribution(counts, 0)


def test_a_change_that_the_next_run_takes_back_is_refused() -> None:
    """Two runs of a part turn a list around and back."""

    def mechanism(draw: Draw, _: int) -> int:
        kept = [0, 1]

        def part(draw: Draw) -> int:
            kept.reverse()
            return int(draw(bernoulli("0.5")))

        return int(draw(part))

    with pytest.raises(MechanismError, match="changed kept"):
        distribution(mechanism, 0)


def test_an_iterator_as_argument_is_refused_and_a_tuple_is_not() -> None:
    def adds_up(draw: Draw, numbers: Any) -> int:
        return sum(numbers)

    with pytest.raises(MechanismError, match="reaches numbers, a generator"):
        Enumeration(Limits()).law(lambda draw, rows: draw(adds_up, (row for row in rows)), ((1, 2),), {})
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

    with pytest.raises(MechanismError, match="fails on 0 raised ValueError"):
        distribution(catches, (0,))


# --- Laws that are kept
def test_a_kept_law_is_not_that_of_another_cell() -> None:
    def mechanism(draw: Draw, tenths: int) -> Any:
        now = 1

        def coin(draw: Draw) -> int:
            return int(draw(bernoulli(Fraction(now, 10))))

        first = draw(coin)
        now = tenths
        return first, draw(coin), draw.each(lambda draw, _: coin(draw), (0,))

    assert distribution(mechanism, 9).probability((0, 1, (1,))) == Fraction(9, 10) * Fraction(9, 10) * Fraction(9, 10)


STATE = {"tenths": [1]}


def reads_tables(draw: Draw, bit: int) -> int:
    return int(draw(bernoulli(Fraction(STATE["tenths"][0] + bit, 10))))


def test_laws_of_harmless_parts_are_kept() -> None:
    """Eight paths lead to the last draw: its law is found once, whatever the part reads."""

    def mechanism(draw: Draw, bit: int) -> Any:
        drawn = [draw(bernoulli("0.5")) for _ in range(3)]
        return drawn[0], draw(reads_tables, bit)

    enumeration = Enumeration(Limits())
    enumeration.law(mechanism, (1,), {})
    assert enumeration.runs == 16 + 2
