"""`draw.until`: the law of a round given that it is accepted, and rounds that are refused."""

from fractions import Fraction
from typing import Any

import pytest

from dpverify.mechanisms import Distribution, bernoulli, discrete_laplace, distribution, exp, laplace, log, run, uniform
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.numbers.errors import InputError, Undecided
from dpverify.mechanisms.outputs import AnyReal, Between
from dpverify.verifiers import Status, check_privacy

ROUNDS = 3


def one_round(draw: Any, row: Any, bound: int) -> Any:
    first = draw(uniform(range(3)))
    return Distribution({(first, row): 1, (first + row, bound): 2})


def small(outcome: Any) -> bool:
    return bool(sum(outcome) <= 2)


def until_small(draw: Any, row: Any) -> Any:
    weight = draw(bernoulli("1/3"))
    return weight, draw.until(one_round, small, row, bound=2)


def in_few_rounds(draw: Any, row: Any) -> Any:
    weight = draw(bernoulli("1/3"))
    for _ in range(ROUNDS):
        outcome = draw(one_round, row, bound=2)
        if small(outcome):
            return weight, outcome
    return None


@pytest.mark.parametrize("inlined", [False, True])
def test_the_law_is_that_of_a_round_given_that_it_is_accepted(inlined: bool) -> None:
    law = Enumeration(Limits(), lambda _: inlined).law(until_small, (1,), {})
    few = distribution(in_few_rounds, 1)
    accepted = 1 - few.probability(None)  # after any number of rounds all chances are in one ratio
    assert 0 < accepted < 1
    assert set(law) == {outcome for outcome in few if outcome is not None}
    assert all(law.probability(outcome) == few.probability(outcome) / accepted for outcome in law)
    assert {run(until_small, 1, seed=seed) for seed in range(9)} <= set(law)


def cut_off(draw: Any, row: Any) -> Any:
    return draw.until(lambda d: row + d(discrete_laplace(1)), lambda noisy: noisy >= 0)


def of_each(draw: Any, rows: Any) -> Any:
    return draw.each(_positive, rows)


def _positive(draw: Any, row: Any) -> Any:
    return draw.until(lambda d: row + d(laplace(1)), lambda noisy: noisy >= 0)


def test_noise_goes_on_as_noise_of_the_run_around_it() -> None:
    z = exp(-1)  # Pr[noise = k] = (1 - z)/(1 + z) * z**abs(k)
    assert distribution(cut_off, 1).probability(0) == z * (1 - z) / (1 + z - z**2)
    assert distribution(of_each, (0, 1)).probability((Between(0, 1), AnyReal())) == 1 - z
    below_one = distribution(lambda draw, row: _positive(draw, row) <= draw.until(_half, bool), 0)
    assert below_one.probability(True) == 1 - z


def _half(draw: Any) -> Any:
    return int(draw(bernoulli("1/2")))


def one_that_changes(draw: Any, row: Any) -> Any:
    found: list[int] = []

    def more(d: Any) -> Any:
        found.append(1)
        return d(bernoulli("1/2")), len(found)

    return draw.until(more, lambda outcome: outcome[0])


def accepts_by_count(draw: Any, row: Any) -> Any:
    asked = [0]

    def second(outcome: Any) -> bool:
        asked[0] += 1
        return asked[0] > 1

    return draw.until(_half, second)


def accepts_by_number(draw: Any, row: Any) -> Any:
    return draw.until(_half, lambda outcome: outcome)


def sees_noise(draw: Any, row: Any) -> Any:
    threshold = draw(laplace(1))
    return draw.until(_half, lambda outcome: outcome >= threshold)


def catches_all(draw: Any, row: Any) -> Any:
    try:
        return draw.until(lambda d: d(laplace(1)), lambda noisy: noisy >= row) >= row + 1
    except BaseException:
        return draw(bernoulli("1/2"))


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        (one_that_changes, "changed found"),
        (accepts_by_count, "changed asked"),
        (lambda draw, row: draw.until(_half, lambda _: draw(bernoulli("1/2"))), "used in another one"),
        (lambda draw, row: draw.until(_half, lambda outcome: outcome > 1), "ever accepted"),
        (accepts_by_number, "an outcome gave 1, which is neither True nor False"),
        (sees_noise, "different runs|after its call|another one"),
        (lambda draw, row: draw.until(_half, 1), "give a mechanism, which draws a round"),
    ],
)
def test_rounds_that_are_no_rounds_of_one_law_are_refused(mechanism: Any, message: str) -> None:
    with pytest.raises((InputError, Undecided), match=message):
        distribution(mechanism, 0)


def test_a_round_that_is_not_accepted_is_not_seen() -> None:
    assert distribution(catches_all, 0).probability(True) == exp(-1)


def between_ends(draw: Any, row: Any) -> Any:
    return draw.until(lambda d: row + d(laplace(1)), lambda noisy: noisy >= 0 and noisy <= 1)


def above_another(draw: Any, row: Any) -> Any:
    found, _ = draw.until(lambda d: (row + d(laplace(2)), d(laplace(2))), lambda both: both[0] >= both[1])
    return found


def test_noise_that_is_tied_in_a_round_is_accepted_by_its_chance() -> None:
    verdict = check_privacy(above_another, [0, 1], {0: [1], 1: [0]}.__getitem__, epsilon=1)
    assert verdict.epsilon is not None  # Pr[Lap(2) - Lap(2) <= 1] is 1 - 5/8*e^(-1/2), and 1/2 for 0
    assert verdict.epsilon.exact == log(2 * exp(Fraction(1, 2)) - Fraction(5, 4))


def released_after(draw: Any, row: Any) -> Any:
    return draw.release(between_ends(draw, row), then=abs)


def test_a_normaliser_that_depends_on_the_database_is_counted() -> None:
    neighbours = {0: [1], 1: [0]}.__getitem__
    between = check_privacy(between_ends, [0, 1], neighbours, epsilon=1)
    assert between.status is Status.PROVED and between.epsilon is not None and between.epsilon.exact == 1  # by symmetry
    verdict = check_privacy(_positive, [0, 1], neighbours, epsilon=1)
    assert verdict.status is Status.REFUTED
    assert verdict.epsilon is not None and verdict.epsilon.exact == log(2 * exp(1) - 1)
    half = Fraction(1, 2)
    p, q = (distribution(_positive, row).probability(Between(0, half)) for row in (0, 1))
    assert (p, q) == (1 - exp(-half), (exp(-half) - exp(-1)) / 2 / (1 - exp(-1) / 2))
    assert check_privacy(released_after, [0, 1], neighbours, epsilon=1).status is Status.UNDECIDED
