"""What is found of a user's sub-mechanism, whatever it is, is a verdict on the composition, in the right words."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from random import choice
from typing import Any

import pytest

from dpverify.mechanisms import Draw, InputError, Limits, exponential, laplace
from dpverify.mechanisms.reaching.hidden_chance import decided_apart, no_hidden_chance
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
    return random.random() < 0.5


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
        (by_hidden_chance, f"^sub-mechanism by_hidden_chance is not decided {ON}: .*chance came from random.random"),
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
    return random.random() < 0.5


def by_chance_of_c_afterwards(draw: Draw, rows: Any) -> Any:
    draw(private, rows, epsilon=1)
    return choice((0, 1))


def does_not_return_afterwards(draw: Draw, rows: Any) -> Any:
    draw(private, rows, epsilon=1)
    while True:
        pass


@pytest.mark.parametrize(
    ("whole", "words"),
    [
        (by_chance_afterwards, "chance came from random.random"),
        (by_chance_of_c_afterwards, "chance came from"),
    ],
)
def test_what_is_around_a_sub_mechanism_is_watched_once_that_is_decided(whole: Callable[..., Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        check_privacy(whole, EveryDatabase((0, 1), parts=(private,)), replace_one, epsilon=1)


@pytest.mark.usefixtures("hurried")
def test_what_is_around_a_sub_mechanism_is_timed_once_that_is_decided() -> None:
    found = check_privacy(does_not_return_afterwards, EveryDatabase((0, 1), parts=(private,)), replace_one, epsilon=1)
    assert found.status is Status.UNDECIDED
    assert "the output distribution of does_not_return_afterwards on 'rows that hold nothing'" in found.reason


class Notebook:
    def __init__(self) -> None:
        self.noted: list[Exception] = []

    def take_note(self, error: Exception) -> None:
        self.noted.append(error)


def test_the_watch_for_writes_sees_no_machinery_of_what_is_decided_apart_and_goes_on_afterwards() -> None:
    notebook = Notebook()
    with no_hidden_chance(notebook, ()):
        with decided_apart():
            with pytest.raises(FileNotFoundError):
                Path("no such folder", "at all").mkdir()
            within = Notebook()
            with no_hidden_chance(within, ()), pytest.raises(InputError, match=r"writes outside by os\.mkdir"):
                Path("no such folder", "at all").mkdir()
        assert len(within.noted) == 1
        assert notebook.noted == []
        with pytest.raises(InputError, match=r"writes outside by os\.mkdir"):
            Path("no such folder", "at all").mkdir()
    assert len(notebook.noted) == 1


def test_chance_around_is_seen_although_what_is_decided_apart_uses_chance_of_its_own() -> None:
    before = random.getstate()
    try:
        with pytest.raises(InputError, match="whose state has changed"), no_hidden_chance(Notebook(), ()):
            with decided_apart():
                random.Random(3).random()  # as a sample of databases is taken
            random.seed(1)
    finally:
        random.setstate(before)
