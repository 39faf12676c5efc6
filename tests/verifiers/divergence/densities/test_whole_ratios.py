"""Released sums of whole Gaussian noise, of several scales, and whole parts of it, against sums in floats."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import exp
from random import Random
from typing import Any, NamedTuple

import pytest

from dpverify.mechanisms import Undecided, discrete_gaussian, discrete_laplace, gaussian
from dpverify.reports.record import Status
from dpverify.verifiers import check_privacy, privacy_profile
from dpverify.verifiers.divergence.densities.whole_ratios import first_where

BESIDE = Fraction(1, 10**9)

Masses = dict[int, float]


class Case(NamedTuple):
    """A mechanism as a function of the database and of noises, and the noises of a database, of (kind, scale)."""

    made: Callable[..., Any]
    noises: Callable[[int], Sequence[tuple[Any, Any]]]


def masses(kind: Any, scale: float) -> Masses:
    def weight(k: int) -> float:
        return exp(-(k**2) / (2 * scale**2)) if kind is discrete_gaussian else exp(-abs(k) / scale)

    weights = {k: weight(k) for k in range(-90, 91)}
    return {k: found / sum(weights.values()) for k, found in weights.items()}


def law(case: Case, x: int) -> dict[Any, float]:
    """By all values of the noises; of three the first two are added first."""
    found: dict[Any, float] = defaultdict(float)
    parts = [masses(kind, float(scale)) for kind, scale in case.noises(x)]
    for values in product(*parts):
        chance = 1.0
        for part, value in zip(parts, values, strict=True):
            chance *= part[value]
        found[case.made(x, *values)] += chance
    return found


def excesses(case: Case, epsilon: float) -> Iterator[float]:
    laws = [law(case, x) for x in (0, 1)]
    for p, q in (laws, laws[::-1]):
        yield sum(max(0.0, chance - exp(epsilon) * q.get(outcome, 0.0)) for outcome, chance in p.items())


def mechanism_of(case: Case) -> Callable[[Any, int], Any]:
    return lambda draw, x: case.made(x, *(draw(kind(scale)) for kind, scale in case.noises(x)))


def status_of(case: Case, epsilon: Any, delta: Fraction) -> Status:
    verdict = check_privacy(mechanism_of(case), [0, 1], lambda x: [1 - x], epsilon=epsilon, delta=delta)
    assert verdict.status is not Status.UNDECIDED, verdict.reason
    return verdict.status


G, L = discrete_gaussian, discrete_laplace

CASES: dict[str, Case] = {
    "distributed": Case(lambda x, a, b: x + a + b, lambda x: [(G, 1), (G, Fraction(3, 2))]),
    "a difference": Case(lambda x, a, b: 2 * (x + a - b), lambda x: [(G, 1), (G, 1)]),
    "beside Laplace noise": Case(lambda x, a, b: 2 * x + a + b, lambda x: [(G, 1), (L, Fraction(3, 2))]),
    "a sum that is cut": Case(lambda x, a, b: max(0, x + a + b), lambda x: [(G, 1), (G, 2)]),
    "a sum that is left out": Case(lambda x, a, b: x + a + b if x + a + b > -1 else None, lambda x: [(G, 1), (G, 2)]),
    "halves": Case(lambda x, a: (x + a) // 2, lambda x: [(G, 2)]),
    "thirds turned": Case(lambda x, a: -((2 * x - a) // 3), lambda x: [(G, 2)]),
    "halves that are cut": Case(lambda x, a: max(0, (x + a) // 2), lambda x: [(G, 2)]),
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("epsilon", [0, Fraction(1, 4), 1])
def test_the_least_delta_is_that_of_sums(name: str, epsilon: Any) -> None:
    least = Fraction(max(excesses(CASES[name], float(epsilon))))
    assert status_of(CASES[name], epsilon, least + BESIDE) is Status.PROVED
    if least > BESIDE:
        assert status_of(CASES[name], epsilon, least - BESIDE) is Status.REFUTED


def test_three_noises_are_added() -> None:
    case = Case(lambda x, *noises: x + sum(noises), lambda x: [(G, 1)] * 3)
    pair = law(Case(lambda x, a, b: a + b, lambda x: [(G, 1), (G, 1)]), 0)
    one: dict[int, float] = defaultdict(float)
    for (a, p), (b, q) in product(pair.items(), masses(G, 1).items()):
        one[a + b] += p * q
    least = Fraction(sum(max(0.0, p - exp(1) * one.get(k - 1, 0.0)) for k, p in one.items()))
    assert status_of(case, 1, least + BESIDE) is Status.PROVED
    assert status_of(case, 1, least - BESIDE) is Status.REFUTED


def test_a_limit_of_the_ratio_is_the_epsilon_that_suffices() -> None:
    """p/q of a sum with Laplace noise rises to e^(2/b), which it never is; of Gaussian noise alone it has no bound."""
    beside = mechanism_of(CASES["beside Laplace noise"])
    for epsilon, status in ((Fraction(4, 3), Status.PROVED), (Fraction(4, 3) - BESIDE, Status.REFUTED)):
        verdict = check_privacy(beside, [0, 1], lambda x: [1 - x], epsilon=epsilon, delta=0)
        assert verdict.status is status
    found = privacy_profile(beside, [0, 1], lambda x: [1 - x]).epsilon(0)
    assert found == Fraction(4, 3)
    assert privacy_profile(mechanism_of(CASES["distributed"]), [0, 1], lambda x: [1 - x]).epsilon(0) is None


def test_several_sums_are_proved_by_what_they_are_computed_from() -> None:
    def several(draw: Any, x: int) -> Any:
        return tuple(x + draw(discrete_gaussian(2)) + draw(discrete_gaussian(2)) for _ in range(2))

    for delta, status in ((Fraction(3, 10), Status.PROVED), (Fraction(1, 10**6), Status.REFUTED)):
        assert check_privacy(several, [0, 1], lambda x: [1 - x], epsilon=1, delta=delta).status is status


@pytest.mark.parametrize("kind", [discrete_gaussian, gaussian])
def test_of_two_scales_the_least_epsilon_is_left_open(kind: Any) -> None:
    """Between -3 and 3 the ratio of noise of scale 10 to that of scale 30 is largest at 0, and not at an end."""

    def near(draw: Any, x: int) -> Any:
        noise = round(draw(kind(10 + 20 * x)))
        return noise if -3 <= noise <= 3 else None

    with pytest.raises(Undecided):
        privacy_profile(near, [0, 1], lambda x: [1 - x]).epsilon(0)


@pytest.mark.parametrize("step", [1, -1])
def test_a_first_place_is_found_from_anywhere(step: int) -> None:
    random = Random(39)
    for _ in range(200):
        first, near = random.randint(-100, 100), random.randint(-1000, 1000)

        def holds(m: int, first: int = first) -> bool:
            return (m - first) * step >= 0

        assert first_where(holds, near, step) == first
