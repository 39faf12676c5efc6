"""What no law can be made of is refused, by the enumerator and by the sampler alike."""

import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np
import pytest
from tests.examples import in_one

from dpverify.mechanisms import (
    Distribution,
    Draw,
    Limits,
    MechanismError,
    bernoulli,
    clamp,
    discrete_laplace,
    distribution,
    folded,
    laplace,
    log,
    run,
)
from dpverify.mechanisms.drawing import debugging
from dpverify.reports.record import Status
from dpverify.verifiers import Tuples, check_privacy, replace_one

state = count()


def _raises(draw: Draw, database: int) -> int:
    return 1 // 0


def _own_randomness_in_weights(draw: Draw, database: int) -> Any:
    found = draw(Distribution({0: 1, 1: next(state) + 1}))
    return found, found


def _stops_drawing(draw: Draw, database: int) -> Any:
    coin = draw(bernoulli("0.5"))
    if next(state) % 2 == 0:
        draw(bernoulli("0.5"))
    return coin


def _yields(draw: Draw, database: int) -> Any:
    yield draw(bernoulli("0.5"))


def _exits(draw: Draw, database: int) -> Any:
    sys.exit(0)


def _hands_noise_on(draw: Draw, database: int) -> Any:
    return draw(lambda draw, noise: noise > 0, draw(discrete_laplace(1)))


def _unhashable(draw: Draw, database: int) -> Any:
    return {draw(bernoulli("0.5"))}


def _mixed_sum(draw: Draw, database: int) -> Any:
    return draw(laplace(1)) + draw(discrete_laplace(1))


def _tied_to_each_other(draw: Draw, database: int) -> Any:
    high, low = draw(laplace(1)), draw(laplace(1))
    return (high, low) if high >= low else (low, high)


def _tied_by_a_sum(draw: Draw, database: int) -> Any:
    first, common, last = (draw(laplace(1)) for _ in range(3))
    return first + common, common + last


def _two_noises(draw: Draw, database: int) -> Any:
    return draw(discrete_laplace(1)) + 2 * draw(discrete_laplace(2))


def _noise_as_int(draw: Draw, database: int) -> Any:
    return int(draw(discrete_laplace(1)))


FLOAT: Any = float("0.5")  # which no source gives as a literal


def _released_twice(draw: Draw, database: int) -> Any:
    noise = draw(discrete_laplace(1))
    return noise, noise + 1


def _released_irrational(draw: Draw, database: int) -> Any:
    return draw(discrete_laplace(1)) + log(2)


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [(_own_randomness_in_weights, "not deterministic.*`draw`"), (_stops_drawing, "not deterministic")],
)
def test_what_counts_its_runs_is_refused(mechanism: Callable[..., Any], message: str) -> None:
    with pytest.raises(MechanismError, match=message):
        distribution(mechanism, 7)


@in_one(
    "mechanism, message",
    [
        (_raises, r"_raises on 7 raised ZeroDivisionError"),
        (lambda draw, database: draw([1, 2]), r"draw\(\[1, 2\]\)"),
        (lambda draw, database: draw(Distribution({})), "a Distribution, where there are no outcomes, is empty"),
        (_yields, "returned a generator"),
        (_exits, "raised SystemExit: 0"),
        (_hands_noise_on, "noise was handed to a sub-mechanism"),
        (_unhashable, r"returned a set which cannot be hashed .*: return frozensets in place of sets"),
        (lambda draw, database: float("nan"), "does not equal itself"),
        (_mixed_sum, r"1 ~ Lap\(1\)\) \+ 1·\(noise 2 ~ discrete Lap\(1\)\)"),
        (_tied_to_each_other, r"noise 1 ~ Lap\(1\), as they share or compare noise"),
        (_tied_by_a_sum, r"noise 1 ~ Lap\(1\), as they share or compare noise"),
        (_two_noises, r"Lap\(1\)\) \+ 2·\(noise 2 ~ discrete Lap\(2\)\)"),
        (lambda draw, database: 1 if draw(discrete_laplace(1)) else 0, "no truth value"),
        (_noise_as_int, "noise was turned into an int, where a plain number is needed"),
        (lambda draw, database: frozenset([draw(discrete_laplace(1))]), "cannot be hashed"),
        (lambda draw, database: draw(discrete_laplace(1)) + "one", "added to 'one', which is not a number"),
        (lambda draw, database: draw(discrete_laplace(1)) >= FLOAT, r"0\.5 is a float"),
        (_released_twice, "one noise twice"),
        (_released_irrational, r"what is returned, 1·noise \+ ln 2, is not rational"),
        (lambda draw, database: draw(laplace(FLOAT)) >= 0, r"scale=0\.5 is a float"),
        (lambda draw, database: clamp(draw(discrete_laplace(1)), 3, 0), r"clamp has an empty range \[3, 0\]"),
    ],
)
def test_what_is_refused(mechanism: Callable[..., Any], message: str) -> None:
    with pytest.raises(MechanismError, match=message) as raised:
        distribution(mechanism, 7, limits=Limits(paths=5_000))
    assert str(raised.value).startswith(f"{mechanism.__name__} on 7")


NOISE_USES: list[tuple[Callable[[Any], Any], str]] = [
    (lambda noise: noise == FLOAT, "is a float"),
    (lambda noise: noise + "one", "not a number"),
    (bool, "no truth value"),
    (int, "plain number"),
    (float, "turned into"),
    (lambda noise: 3 // noise, "plain number"),
    (lambda noise: (folded(noise, 0, 2), noise > 1), "used after it was rounded or folded"),
    (lambda noise: noise % 2, "plain number"),
    (lambda noise: divmod(noise, 2), "plain number"),
    (lambda noise: ~(1 << noise), "plain number"),
    (lambda noise: noise**2, "plain number"),
    (lambda noise: 1 / noise, "plain number"),
    (range, "plain number"),
    (lambda noise: "abc"[noise], "plain number"),
    (lambda noise: {noise: 1}, "cannot be hashed"),
    (str, "turned into text"),
    (lambda noise: f"{noise}", "turned into text"),
]


@in_one("use, message", NOISE_USES)
def test_a_refused_use_of_noise_is_refused_even_where_the_mechanism_catches_it(
    use: Callable[[Any], Any], message: str
) -> None:
    """Otherwise the enumerator would see the branch of the handler, and the sampler the other one."""

    def mechanism(draw: Draw, database: int) -> Any:
        noise = draw(discrete_laplace(1)) + database
        try:
            return str(use(noise))
        except Exception:  # as a careless mechanism does
            return "caught"

    for answer in (distribution, run):
        with debugging(), pytest.raises(MechanismError, match=message):
            answer(mechanism, 7)


@in_one("use", [lambda noise: Fraction(noise, 3), lambda noise: Fraction(1, noise / 3), lambda noise: noise.real])
def test_what_takes_plain_numbers_says_the_way_out(use: Callable[[Any], Any]) -> None:

    with pytest.raises(MechanismError, match=r"which raised .*plain number.*draw\.release\(value, .*, line \d+\)$"):
        distribution(lambda draw, database: use(draw(discrete_laplace(1)) + database), 7)


def returned_twice(draw: Draw, _: int) -> Any:
    noise = draw(discrete_laplace(1))
    if noise > 3:
        return noise > 2

    return (noise, noise + 1)


def returned_alike(draw: Draw, _: int) -> Any:
    if draw(bernoulli("0.5")):
        return 1

    return True


def returned_after_it_was_rounded(draw: Draw, _: int) -> Any:
    noise = draw(laplace(1))
    rounded = round(noise)
    return noise, rounded


def part_returned_twice(draw: Draw, database: int) -> Any:
    drawn = draw(returned_twice, database)
    return drawn == ()


@in_one(
    "mechanism, of, line, said",
    [
        (returned_twice, returned_twice, 5, "one noise twice"),
        (returned_alike, returned_alike, 4, "of type bool"),
        (returned_after_it_was_rounded, returned_after_it_was_rounded, 3, "after it was rounded"),
        (part_returned_twice, returned_twice, 5, "one noise twice"),
    ],
)
def test_an_error_about_what_was_returned_names_the_line_of_the_return(
    mechanism: Any, of: Any, line: int, said: str
) -> None:
    line += of.__code__.co_firstlineno
    for profile in (None, lambda *_: None):
        sys.setprofile(profile)
        try:
            with pytest.raises(MechanismError, match=said) as caught:
                distribution(mechanism, 7)
        finally:
            sys.setprofile(None)
        said_line = line if profile is None else of.__code__.co_firstlineno
        assert str(caught.value).endswith(f"line {said_line})")


def test_a_standard_deviation_of_noisy_numbers_is_computed() -> None:
    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        return np.array([row + draw(discrete_laplace(1)) for row in rows]).std()

    assert run(mechanism, (0, 10_000)) > 4_000
    assert check_privacy(mechanism, Tuples((0, 1), size=2), replace_one, epsilon=1).status is Status.PROVED


def test_noise_has_one_type_whoever_runs_the_mechanism() -> None:
    """A mechanism cannot tell the sampler from the enumerator by looking at its noise."""

    for answer in (distribution, run):
        with debugging(), pytest.raises(MechanismError, match="was asked of what stands for a noise"):
            answer(lambda draw, database: isinstance(draw(discrete_laplace(1)), int | Fraction), 0)


def test_laws_without_end_are_drawn_from_their_mechanism() -> None:
    def inner(draw: Draw, x: int) -> Any:
        return x + draw(discrete_laplace(1))

    def draws(draw: Draw, database: int) -> Any:
        return draw(distribution(inner, database))

    for mechanism in (lambda draw, database: distribution(inner, database), draws):
        for answer in (distribution, run):
            with debugging(), pytest.raises(MechanismError, match="draw from the mechanism itself"):
                answer(mechanism, 0)
