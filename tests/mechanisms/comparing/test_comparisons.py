"""Noise that is compared or clamped: laws against sums of the definition."""

import operator
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import (
    Distribution,
    Draw,
    Undecided,
    clamp,
    discrete_laplace,
    distribution,
    exact,
    exp,
    laplace,
    log,
    sqrt,
    truncated_laplace,
)
from dpverify.mechanisms.comparing import comparisons
from dpverify.mechanisms.comparing.comparisons import narrowed, noise_comparison
from dpverify.mechanisms.noise import truncated_discrete_laplace
from dpverify.mechanisms.numbers.roots.epsilon_symbol import EpsilonSymbol
from dpverify.mechanisms.numbers.roots.intervals import Intervals
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import number_of
from dpverify.mechanisms.path_conditions.expressions import Comparator
from dpverify.mechanisms.path_conditions.noise_value import NoiseValue
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable

Z = Fraction(1, 2)

UNIT = 1 / log(2)
"""The scale at which discrete Laplace noise has z = 1/2."""


def discrete_pmf(k: int) -> Fraction:
    return (1 - Z) / (1 + Z) * Z ** abs(k)


def brute_force_noise(decide: Callable[[list[int]], Any], noises: int, reach: int = 60) -> dict[Any, Fraction]:
    """Sums the definition over |N| ≤ reach; what is left out is below z^reach."""
    found: dict[Any, Fraction] = {}
    for values in product(range(-reach, reach + 1), repeat=noises):
        weight = Fraction(1)
        for value in values:
            weight *= discrete_pmf(value)
        outcome = decide(list(values))
        found[outcome] = found.get(outcome, Fraction(0)) + weight
    return found


def agree(law: Distribution[Any], sums: dict[Any, Fraction], reach: int = 60) -> None:
    for outcome, p in sums.items():
        assert 0 <= law.probability(outcome) - p <= 4 * Z**reach


RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
}


@in_one("threshold", [0, 3, -2, Fraction(5, 2), log(8) / log(2), log(9) / log(2), sqrt(2)])
@in_one("relation", RELATIONS)
@in_one("sign", [1, -1])
def test_one_noise_against_a_threshold(threshold: Any, relation: str, sign: int) -> None:
    compare = RELATIONS[relation]

    def mechanism(draw: Draw, database: int) -> bool:
        return bool(compare(database + sign * draw(discrete_laplace(UNIT)), threshold))

    agree(distribution(mechanism, 1), brute_force_noise(lambda n: bool(compare(1 + sign * n[0], threshold)), 1))


def test_the_threshold_may_stand_on_the_left() -> None:
    def left(draw: Draw, database: int) -> bool:
        return bool(log(8) / log(2) <= 1 - draw(discrete_laplace(UNIT)))

    assert distribution(left, 0) == distribution(lambda draw, database: bool(1 - draw(discrete_laplace(UNIT)) >= 3), 0)


def test_one_noise_against_several_thresholds() -> None:
    asked: list[bool] = []

    def mechanism(draw: Draw, database: int) -> int:
        noisy = 2 * draw(discrete_laplace(UNIT)) + database
        asked.clear()
        for t in (3, -3, 0, 7, 3):
            asked.append(noisy < t)
        return sum(1 << i for i, answer in enumerate(asked) if answer)

    def decide(noise: list[int]) -> int:
        return sum(1 << i for i, t in enumerate((3, -3, 0, 7, 3)) if 2 * noise[0] + 1 < t)

    law = distribution(mechanism, 1)
    sums = brute_force_noise(decide, 1)
    assert law.probabilities.keys() == sums.keys()  # answers that follow from others are not branches
    agree(law, sums)


def test_equality_splits_discrete_noise() -> None:
    def mechanism(draw: Draw, database: int) -> str:
        noise = draw(discrete_laplace(UNIT))
        if noise == 0:
            return "zero"
        if noise == Fraction(1, 2):
            return "never"
        if noise >= -2 and not noise > 2:
            return "near"
        return "far"

    law = distribution(mechanism, 0)
    assert law.probabilities == {"zero": Fraction(1, 3), "near": Fraction(1, 2), "far": Fraction(1, 6)}


def test_several_independent_noises() -> None:
    def mechanism(draw: Draw, database: tuple[int, int]) -> tuple[bool, bool]:
        first, second = (value + draw(discrete_laplace(UNIT)) for value in database)
        return first >= 1, second < 2

    agree(
        distribution(mechanism, (0, 3)), brute_force_noise(lambda n: (n[0] >= 1, 3 + n[1] < 2), 2, reach=40), reach=40
    )


@given(st.integers(-4, 4), st.integers(-3, 0), st.integers(0, 3), st.sampled_from([1, -1, 2, Fraction(1, 2)]))
def test_clamped_noise(value: int, low: int, high: int, factor: Fraction) -> None:
    def mechanism(draw: Draw, database: int) -> Any:
        return clamp(database + factor * draw(discrete_laplace(UNIT)), low, high)

    agree(distribution(mechanism, value), brute_force_noise(lambda n: min(max(value + factor * n[0], low), high), 1))


def test_clamping_what_is_known_of_the_noise() -> None:
    def mechanism(draw: Draw, database: int) -> Any:
        noise = draw(discrete_laplace(UNIT))
        return clamp(noise, -1, 3) if noise > 0 else "none"

    assert distribution(mechanism, 0).probabilities == {
        "none": Fraction(2, 3),
        1: Fraction(1, 6),
        2: Fraction(1, 12),
        3: Fraction(1, 12),
    }


def test_truncated_noise_is_a_noise_value() -> None:
    def mechanism(draw: Draw, database: int) -> bool:
        return bool(database + draw(truncated_discrete_laplace(UNIT, 2)) >= 3)

    kept = sum(discrete_pmf(k) for k in range(-2, 3))
    assert distribution(mechanism, 1).probabilities == {True: discrete_pmf(2) / kept, False: 1 - discrete_pmf(2) / kept}
    assert distribution(mechanism, 0).probabilities == {False: 1}

    def continuous(draw: Draw, database: int) -> bool:
        return bool(database + draw(truncated_laplace(1, 2)) >= 3)

    assert distribution(continuous, 0).probability(True) == 0
    assert distribution(continuous, 2).probability(True) == (exp(-1) - exp(-2)) / (2 * (1 - exp(-2)))


def test_noise_cancels() -> None:
    def mechanism(draw: Draw, database: int) -> bool:
        noise = draw(laplace(1))
        return bool((noise + 3) - noise >= 3)

    assert distribution(mechanism, 0).probabilities == {True: 1}


def test_undecided_comparisons_are_passed_on() -> None:

    with pytest.raises(Undecided, match="sqrt"):
        distribution(lambda draw, database: bool(draw(discrete_laplace(1)) + sqrt(7 + 4 * sqrt(3)) >= 2 + sqrt(3)), 0)


class Unasked:
    """Whoever is told of uses of noise, of which there is none here."""


CELLS = [EpsilonSymbol(exact(low), exact(low + 1)) for low in (2, 3)]
"""Two intervals of ε: ε − 3 is negative in the one, and positive in the other."""


def asked() -> list[tuple[NoiseValue, Comparator]]:
    numbers = [exact(number) for number in (-2, "-1/2", "1/2", 1, 2)]
    irrational = [sqrt(2), -sqrt(2), exact(0)]
    relations: tuple[Comparator, ...] = ("<", "<=", ">", ">=", "==", "!=")
    return [
        (NoiseValue(cast("Any", Unasked()), ((NoiseVariable(law, 1), coefficient),), shift), relation)
        for law in (laplace(1), discrete_laplace(1))
        for coefficient in numbers
        for shift in (*numbers, *irrational)
        for relation in (relations if law == discrete_laplace(1) else relations[:4])
    ]


def test_what_comparisons_tell_is_remembered_under_all_that_it_depends_on() -> None:
    def answers(value: NoiseValue, relation: Comparator) -> tuple[Intervals, Intervals]:
        _, holds, fails = noise_comparison(value, relation)
        return holds, fails

    def anew(value: NoiseValue, relation: Comparator) -> tuple[Intervals, Intervals]:
        comparisons._answers.clear()
        return answers(value, relation)

    told = [anew(*one) for one in asked()]
    noise = NoiseVariable(laplace(1), 1)
    of_cells = [NoiseValue(cast("Any", Unasked()), ((noise, number_of(cell) - 3),), exact(1)) for cell in CELLS]
    negative, positive = (-1 / (number_of(cell) - 3) for cell in CELLS)
    for _ in range(2):
        assert [answers(value, ">=")[1] for value in of_cells] == [((negative, None),), ((None, positive),)]
    known = [values for one in told[:20] for values in one]

    def narrowed_anew(values: Intervals, holds: Intervals, fails: Intervals) -> tuple[Intervals, Intervals]:
        comparisons._narrowed.clear()
        return narrowed(values, holds, fails)

    each = [(values, *one) for values in known for one in told[:20]]
    found = [narrowed_anew(*one) for one in each]
    for _ in range(2):
        assert [narrowed(*one) for one in each] == found


def test_what_is_remembered_of_comparisons_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparisons, "_MOST", 1_000)
    comparisons._narrowed.clear()
    comparisons._answers.clear()
    values = [((low, None),) for low in range(comparisons._MOST + 10)]
    for one in values:
        assert narrowed(one, one, ((None, one[0][0]),)) == (one, ())
        assert noise_comparison(noise_above(one[0][0]), ">=").holds == one
    assert 0 < max(len(comparisons._narrowed), len(comparisons._answers)) <= comparisons._MOST


def noise_above(threshold: int) -> NoiseValue:
    one = NoiseVariable(discrete_laplace(1), 1)
    return NoiseValue(cast("Any", Unasked()), ((one, exact(1)),), exact(-threshold))
