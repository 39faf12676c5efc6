"""Utility claims on released noise: exact tails, beside closed forms, sums over many outcomes, and what is refused."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few, in_one

from dpverify.mechanisms import (
    Draw,
    InputError,
    bernoulli,
    bounds,
    clamp,
    discrete_gaussian,
    discrete_laplace,
    distribution,
    gaussian,
    laplace,
    run,
)
from dpverify.reports.record import Status
from dpverify.verifiers import Case, UtilityClaim, check_utility
from dpverify.verifiers.utility.judging import failure_probability

ROWS = (0, 0, 1, 1)
E = math.e


def whole(draw: Draw, rows: Any, scale: Any = 1) -> Any:
    return sum(rows) + draw(discrete_laplace(scale))


def real(draw: Draw, rows: Any, scale: Any = 1) -> Any:
    return sum(rows) + draw(laplace(scale))


def of_gauss(draw: Draw, rows: Any) -> Any:
    return sum(rows) + draw(gaussian(1))


def of_discrete_gauss(draw: Draw, rows: Any) -> Any:
    return sum(rows) + draw(discrete_gaussian(1))


def clamped(draw: Draw, rows: Any) -> Any:
    return clamp(real(draw, rows), 0, 4)


def thresholded(draw: Draw, rows: Any) -> Any:
    noisy = real(draw, rows)
    return noisy if noisy >= 2 else None


def each_row(draw: Draw, rows: Any) -> Any:
    return tuple(row + draw(laplace(1)) for row in rows)


def the_larger(draw: Draw, rows: Any) -> Any:
    noisy, other = real(draw, rows), draw(laplace(1))
    return noisy if noisy > other else other


def twice(draw: Draw, rows: Any) -> Any:
    noisy = real(draw, rows)
    return noisy, noisy, noisy * noisy


@dataclass(frozen=True)
class Label:
    def is_near(self, number: Any) -> bool:
        return isinstance(number, int)


def beside_a_coin(draw: Draw, rows: Any) -> Any:
    return real(draw, rows), draw(bernoulli("1/2"))


def near(t: Any) -> Callable[[Case, Any], bool]:
    return lambda case, outcome: abs(outcome - sum(case.database)) <= t


def claim(mechanism: Callable[..., Any], succeeds: Callable[[Case, Any], Any], beta: Any = "1/2") -> UtilityClaim:
    return UtilityClaim(
        id="own.near",
        mechanism=mechanism,
        mutant=mechanism,
        cases=[Case(ROWS)],
        succeeds=succeeds,
        beta=lambda case: beta,
    )


def failure(mechanism: Callable[..., Any], succeeds: Callable[[Case, Any], Any], rows: Any = ROWS) -> Any:
    return failure_probability(claim(mechanism, succeeds), Case(rows))


FOUR = 1 - (1 - 1 / E) ** 4

CLOSED_FORMS = [
    (whole, near(2), 2 * E**-3 / (1 + 1 / E)),
    (real, near(1), 1 / E),
    (of_gauss, near(2), math.erfc(math.sqrt(2))),
    (clamped, near(1), 1 / E),
    (clamped, near(2), 0),
    (clamped, lambda case, outcome: outcome < 4, E**-2 / 2),
    (lambda draw, rows: round(real(draw, rows)), near(2), E**-2.5),
    (thresholded, lambda case, outcome: outcome is not None and abs(outcome - 2) <= 1, 1 / 2 + 1 / (2 * E)),
    (each_row, lambda case, outcome: all(-1 <= a - b <= 1 for a, b in zip(outcome, case.database, strict=True)), FOUR),
    (each_row, lambda case, o: max(abs(a - b) for a, b in zip(o, case.database, strict=True)) <= 1, FOUR),
    (each_row, lambda case, o: np.all(np.abs(np.array(o) - np.array(case.database)) <= 1), FOUR),
    (lambda draw, rows: draw(real, rows), near(1), 1 / E),
    (twice, lambda case, o: abs(o[0] - 2) <= 1, 1 / E),
    (beside_a_coin, lambda case, o: o[1] and abs(o[0] - 2) <= 1, 1 / 2 + 1 / (2 * E)),
    (whole, lambda case, outcome: outcome in (1, 2), 1 - (1 - 1 / E) / (1 + 1 / E) * (1 + 1 / E)),
    (real, lambda case, outcome: outcome == 2, 1),
    (real, lambda case, outcome: math.floor(outcome) == 2, 1 - (1 - 1 / E) / 2),
    (whole, lambda case, outcome: float(outcome) <= 1, 1 - E**-1 / (1 + 1 / E)),
    (real, lambda case, outcome: outcome <= 0.1, 1 - E**-1.9 / 2),
    (the_larger, lambda case, outcome: outcome <= 2, 1 - (1 / 2) * (1 - E**-2 / 2)),
]


@in_one("mechanism, succeeds, expected", CLOSED_FORMS)
def test_a_failure_is_exact(
    mechanism: Callable[..., Any], succeeds: Callable[[Case, Any], Any], expected: float
) -> None:
    low, high = bounds(failure(mechanism, succeeds))
    assert float(low) == pytest.approx(expected, abs=1e-12)
    assert high - low < Fraction(1, 10**12)


@in_one(
    "mechanism, within, above",
    [
        (whole, 2, "0.0727945268704"),
        (real, 1, "0.367879441172"),
        (clamped, 1, "0.367879441172"),
        (of_gauss, 2, "0.0455002638964"),
    ],
)
def test_beta_decides_on_both_sides(mechanism: Callable[..., Any], within: int, above: str) -> None:
    below = Fraction(above) - Fraction(1, 10**11)
    assert check_utility(claim(mechanism, near(within), above)).verdict is Status.PROVED
    assert check_utility(claim(mechanism, near(within), below)).verdict is Status.REFUTED


def test_a_tie_is_decided() -> None:
    from dpverify.mechanisms import exp

    assert check_utility(claim(real, near(3), exp(-3))).verdict is Status.PROVED
    assert (
        check_utility(replace(claim(real, near(3), exp(-3)), mechanism=partial(real, scale=2))).verdict
        is Status.REFUTED
    )


@given(st.integers(1, 3), st.integers(-2, 4), st.integers(0, 4), st.booleans())
@few(8)
def test_a_failure_lies_between_sums_over_many_outcomes(scale: int, centre: int, within: int, gauss: bool) -> None:
    """Of whole noise the outcomes up to 60 are summed one by one: what is left can fail, or not."""
    mechanism = of_discrete_gauss if gauss else partial(whole, scale=scale)
    law = distribution(mechanism, ROWS)

    def succeeds(case: Case, outcome: Any) -> bool:
        return bool(-within <= outcome - centre < within or outcome == 3 * centre)

    case = Case(ROWS)
    chances = [(bool(succeeds(case, k)), law.probability(k)) for k in range(-60, 61)]
    low, high = bounds(failure(mechanism, succeeds))
    failing = sum(bounds(p)[0] for good, p in chances if not good)
    good = sum(bounds(p)[0] for good, p in chances if good)
    assert failing <= high
    assert low <= 1 - good
    assert 1 - good - failing < Fraction(1, 10**6)


@given(st.lists(st.integers(-2, 2), min_size=2, max_size=2), st.integers(0, 2))
@few(4)
def test_two_whole_numbers_lie_between_sums(centres: list[int], within: int) -> None:
    def two(draw: Draw, rows: Any) -> Any:
        return tuple(row + draw(discrete_laplace(1)) for row in rows)

    def succeeds(case: Case, outcome: Any) -> bool:
        first, second = outcome
        return bool(first - second <= within and first >= centres[0])

    mass = [(1 - 1 / E) / (1 + 1 / E) * E ** -abs(k) for k in range(-20, 21)]
    case = Case((centres[0], centres[1]))
    failing = sum(
        mass[a + 20] * mass[b + 20]
        for a, b in product(range(-20, 21), repeat=2)
        if not succeeds(case, (centres[0] + a, centres[1] + b))
    )
    assert float(bounds(failure(two, succeeds, case.database))[0]) == pytest.approx(failing, abs=1e-7)


def test_what_runs_fails_as_often_as_is_decided() -> None:
    case, succeeds = Case(ROWS), near(1)
    fails = sum(not succeeds(case, run(clamped, ROWS, seed=seed)) for seed in range(400))
    assert abs(fails / 400 - 1 / E) < 0.1


def asks_for_a_type(case: Case, outcome: Any) -> bool:
    return isinstance(outcome, int)


def asks_what_type(case: Case, outcome: Any) -> bool:
    return type(outcome) is int


def catches(case: Case, outcome: Any) -> bool:
    try:
        return bool(outcome[0])
    except TypeError:
        return True


def matches(case: Case, outcome: Any) -> bool:
    match outcome:
        case int():
            return True
    return False


SEEN: list[int] = []


def keeps(case: Case, outcome: Any) -> bool:
    SEEN.append(1)
    return len(SEEN) > 2


@in_one(
    "succeeds, words",
    [
        (asks_for_a_type, "asks_for_a_type asks for a type by isinstance"),
        (asks_what_type, "asks_what_type asks for a type by type"),
        (catches, "outside the language: except TypeError"),
        (matches, "matches asks for a type by a pattern of a class"),
        (lambda case, outcome: str(outcome) == "1", "turned into text"),
        (lambda case, outcome: outcome in {1, 2}, "cannot be hashed"),
        (keeps, "a change of a value that is there before the run"),
    ],
)
def test_what_cannot_be_followed_is_refused_with_its_line(succeeds: Callable[[Case, Any], Any], words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        check_utility(claim(whole, succeeds))
    line = succeeds.__code__.co_firstlineno
    told = str(caught.value)
    assert "on (0, 0, 1, 1)" in told
    assert any(f"line {number}" in told for number in range(line, line + 5)), told


def keeps_by_another_name(case: Case, outcome: Any) -> bool:
    seen = SEEN if outcome > 3 else []
    seen.append(1)
    return len(SEEN) % 2 == 0


def keeps_in_the_case(case: Case, outcome: Any) -> bool:
    facts: Any = case.facts
    facts["asked"] = facts.get("asked", 0) + 1
    return bool(facts["asked"] % 2 == 0)


@pytest.mark.parametrize(
    ("succeeds", "words"),
    [
        (keeps_by_another_name, "changed a list from outside"),
        (keeps_in_the_case, "changed a dict from outside"),
        (lambda case, outcome: bool(outcome <= 3) and random.random() < 0.5, "draws no noise"),
    ],
)
def test_a_predicate_says_the_same_each_time(succeeds: Callable[[Case, Any], Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        check_utility(claim(real, succeeds))


def test_objects_beside_noise_are_refused_as_their_methods_may_ask_for_types() -> None:
    for succeeds in (lambda case, outcome: outcome[0].is_near(outcome[1]), lambda case, outcome: outcome[1] <= 3):
        with pytest.raises(
            InputError, match=r"outside the language: the attribute .is_near|takes plain values, tuples"
        ):
            check_utility(claim(lambda draw, rows: (Label(), real(draw, rows)), succeeds))


def test_more_noise_is_tried_of_what_is_released() -> None:
    result = check_utility(claim(real, near(3), "1/20"), slack=True)
    assert result.verdict is Status.PROVED
    assert result.more_noise
    assert (result.more_noise[0].times, result.more_noise[0].verdict) == (2, Status.REFUTED)
