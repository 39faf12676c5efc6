"""What is found of a user's sub-mechanism, whatever it is, is a verdict on the composition, in the right words."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from random import choice
from typing import Any

import pytest

from dpverify.mechanisms import Draw, Limits, exponential, laplace
from dpverify.reports.record import Status
from dpverify.verifiers import Verdict, check_privacy, replace_one
from dpverify.verifiers.all_sizes.compositions import EveryDatabase


def private(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    return draw(exponential({x: rows.count(x) for x in (0, 1)}, epsilon))


def forgets_the_half(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    return draw(exponential({x: 2 * rows.count(x) for x in (0, 1)}, epsilon))


def by_position(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    return rows[0]


def raises(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    raise KeyError("missing")


def of_no_scale(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    return rows.count(0) + draw(laplace(-1))


def by_hidden_chance(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    return os.urandom(1)[0] < 128


def does_not_return(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    while True:
        pass


def composed(part: Callable[..., Any], universe: Any = (0, 1), seconds: int = 60) -> Verdict:
    def whole(draw: Draw, rows: Any) -> Any:
        return draw(part, rows, epsilon=1)

    domain = EveryDatabase(universe, parts=(part,))
    return check_privacy(whole, domain, replace_one, epsilon=1, limits=Limits(seconds=seconds))


ON = r"on Histograms\(\(0, 1\), sizes=OrMore\(1\)\), at ε = 1, δ = 0"


@pytest.mark.forks
def test_a_private_sub_mechanism_is_proved() -> None:
    assert composed(private).status is Status.PROVED


@pytest.mark.forks
@pytest.mark.parametrize(
    ("part", "words"),
    [
        (forgets_the_half, f"^sub-mechanism forgets_the_half is REFUTED {ON}: a pair of neighbours needs δ ≥ 0.17"),
        (by_position, f"^sub-mechanism by_position is UNDECIDED {ON}: .*asked for by its place"),
        (raises, f"^sub-mechanism raises .* {ON}: .*KeyError"),
        (of_no_scale, f"^sub-mechanism of_no_scale is not decided {ON}: .*scale=-1"),
        (by_hidden_chance, "outside the language: posix.urandom at line"),
    ],
)
def test_what_is_found_of_a_sub_mechanism_is_the_reason(part: Callable[..., Any], words: str) -> None:
    found = composed(part)
    assert found.status is Status.UNDECIDED
    assert re.search(words, found.reason), found.reason


def test_one_that_has_no_neighbours_is_vacuous() -> None:
    found = composed(private, (0,))
    assert found.status is Status.UNDECIDED
    assert found.reason.startswith("sub-mechanism private is VACUOUS on Histograms((0,)"), found.reason


@pytest.mark.usefixtures("hurried")
def test_one_that_does_not_return_is_stopped() -> None:
    found = composed(does_not_return, seconds=1)
    assert found.status is Status.UNDECIDED
    assert found.reason.startswith("sub-mechanism does_not_return"), found.reason


def by_chance_afterwards(draw: Draw, rows: Any) -> Any:
    draw(private, rows, epsilon=1)
    return os.urandom(1)[0] < 128


def by_drawn_chance(draw: Draw, rows: Any) -> Any:
    """What random gives is drawn: it chooses between ε = 1 and ε = 2."""
    return draw(private, rows, epsilon=choice((1, 2)))


def does_not_return_afterwards(draw: Draw, rows: Any) -> Any:
    draw(private, rows, epsilon=1)
    while True:
        pass


@pytest.mark.parametrize(
    ("whole", "epsilon", "status"),
    [
        (by_chance_afterwards, 1, Status.UNDECIDED),
        (by_drawn_chance, 1, Status.UNDECIDED),
        (by_drawn_chance, 2, Status.PROVED),
    ],
)
def test_only_chance_that_is_drawn_around_a_sub_mechanism_is_followed(
    whole: Callable[..., Any], epsilon: int, status: Status
) -> None:
    found = check_privacy(whole, EveryDatabase((0, 1), parts=(private,)), replace_one, epsilon=epsilon)
    assert found.status is status


@pytest.mark.usefixtures("hurried")
def test_what_is_around_a_sub_mechanism_is_timed_once_that_is_decided() -> None:
    found = check_privacy(does_not_return_afterwards, EveryDatabase((0, 1), parts=(private,)), replace_one, epsilon=1)
    assert found.status is Status.UNDECIDED
    assert "the output distribution of does_not_return_afterwards on 'rows that hold nothing'" in found.reason


def of_both(first: Callable[..., Any], second: Callable[..., Any], epsilon: Any) -> Callable[..., Any]:
    marks = [first, second]  # a list of the run, which has guards

    def again(draw: Draw, rows: Any, times: int = 2) -> Any:
        marks.append(again)
        if times > 1:
            return draw(marks[0], rows, epsilon=epsilon), *draw(again, rows, times=times - 1)
        return (draw(marks[1], rows, epsilon=epsilon),)

    return again


def by_closures(draw: Draw, rows: Any) -> Any:
    return draw(of_both(private, private, 1), rows), draw(lambda draw, rows: draw(private, rows, epsilon=1), rows)


def reads_in_a_closure(draw: Draw, rows: Any) -> Any:
    return draw(lambda draw, rows: (draw(private, rows, epsilon=1), rows[0]), rows)


@pytest.mark.forks
def test_functions_that_a_run_makes_are_run_as_its_own() -> None:
    domain = EveryDatabase((0, 1), parts=(private,))
    assert check_privacy(by_closures, domain, replace_one, epsilon=3).status is Status.PROVED
    assert check_privacy(by_closures, domain, replace_one, epsilon=2).status is not Status.PROVED
    assert check_privacy(reads_in_a_closure, domain, replace_one, epsilon=3).status is Status.UNDECIDED
