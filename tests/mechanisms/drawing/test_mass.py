"""Every law adds up to 1, or is refused: a guard against mistakes in the elimination of noise."""

import inspect
from collections.abc import Hashable, Iterator
from fractions import Fraction
from typing import Any

import pytest

from dpverify.mechanisms import (
    Distribution,
    Draw,
    Exact,
    InputError,
    MechanismError,
    discrete_laplace,
    distribution,
    exact,
    log,
)
from dpverify.mechanisms.comparing.comparisons import Knowledge
from dpverify.mechanisms.drawing.distribution_so_far import DistributionSoFar, _check_mass
from dpverify.mechanisms.numbers.exact_numbers import total
from dpverify.mechanisms.numbers.roots import exponential_polynomials
from dpverify.mechanisms.outputs.released import Releases
from dpverify.mechanisms.path_conditions.noise_tree import forget_eliminated

UNIT = 1 / log(2)
"""The scale at which discrete Laplace noise has z = 1/2."""


def sums_of_sums(draw: Draw, database: int) -> Any:
    """a + b + e ≥ 4, where a, b, e are sums of two noises, each compared with a number of its own."""
    a, b, e = (draw(discrete_laplace(UNIT)) + draw(discrete_laplace(UNIT)) for _ in range(3))
    return a >= 1, b >= 1, e >= 1, a + b + e >= 4


@pytest.fixture
def wrong_convolution(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """(−1)^m as (−2)^m in the integral of a stretch: seen only where both factors have powers of x."""
    source = inspect.getsource(exponential_polynomials._stretch)
    assert source.count("(-1) ** m") == 1
    broken: dict[str, Any] = {}
    exec(source.replace("(-1) ** m", "(-2) ** m"), vars(exponential_polynomials), broken)
    forget_eliminated()
    monkeypatch.setattr(exponential_polynomials, "_stretch", broken["_stretch"])
    yield
    forget_eliminated()


def test_a_sum_of_sums() -> None:
    """Against sums over a box, beyond which there is less than 10^-9."""
    law = distribution(sums_of_sums, 0)
    assert total(law.probabilities.values()) == 1
    pmf = [Fraction(1, 3) * Fraction(1, 2) ** abs(k) for k in range(-40, 41)]
    two = {k: sum(pmf[i + 40] * pmf[k - i + 40] for i in range(-40, 41) if abs(k - i) <= 40) for k in range(-60, 61)}
    high = {k: p for k, p in two.items() if k >= 1}
    both: dict[int, Fraction] = {}
    for i, p in high.items():
        for j, q in high.items():
            both[i + j] = both.get(i + j, Fraction(0)) + p * q
    expected = sum(p * q for k, p in both.items() for j, q in high.items() if k + j >= 4)
    assert abs(law.probability((True, True, True, True)) - expected) < Fraction(1, 10**9)


def test_a_law_with_another_mass_is_refused(wrong_convolution: None) -> None:
    with pytest.raises(MechanismError, match=r"adds up to .* and not to 1: this is a mistake of dpverify"):
        distribution(sums_of_sums, 0)


def test_a_law_with_released_noise_and_another_mass_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def released(draw: Draw, database: int) -> Any:
        noise = draw(discrete_laplace(UNIT))
        return noise if noise >= 1 else None

    assert distribution(released, 0).probability(None) == Fraction(2, 3)
    knowing = Knowledge.probability
    monkeypatch.setattr(
        Knowledge, "probability", lambda self: knowing(self) * Fraction(99, 100) if self._values else knowing(self)
    )
    with pytest.raises(MechanismError, match="not to 1"):
        distribution(released, 0)


def test_that_some_add_up_is_remembered_of_these_alone() -> None:
    half = exact(Fraction(1, 2))
    for masses in ([half, half], [half, half]):
        _check_mass(masses)
    for masses in ([half], [half] * 3, [half, half, exact(Fraction(1, 1000))], []):
        with pytest.raises(MechanismError, match="adds up to"):
            _check_mass(masses)
    many = [exact(Fraction(1, 100))] * 100
    _check_mass(many)
    with pytest.raises(MechanismError, match="adds up to"):
        _check_mass(many[1:])


class OnePath:
    """A run that took a path of this probability."""

    is_bounded = False
    lead = None

    def __init__(self, probability: Fraction | int = 1) -> None:
        self._probability = exact(probability)

    def finish(self) -> None:
        return

    def probability(self) -> Exact:
        return self._probability

    def returned(self, law: Distribution[Any]) -> Distribution[Any]:
        return law

    def released(self, outcome: Any) -> tuple[Hashable, Releases]:
        return outcome, ()


COIN = Distribution({"a": 1, "b": 1})


def test_a_law_that_is_returned_on_the_only_path_is_the_law() -> None:
    law = DistributionSoFar()
    law.add(COIN, OnePath())
    assert law.size == 2
    assert law.finished() == COIN
    assert law.progress == "so far 1 paths to 2 outcomes and a probability of 1 were covered"
    assert law.finished() == COIN


def test_a_law_that_is_returned_first_is_kept_beside_what_comes_then() -> None:
    for outcome, size in (("a", 2), ("c", 3), (COIN, 2), (Distribution({"c": 1}), 3)):
        law = DistributionSoFar()
        law.add(COIN, OnePath())
        law.add(outcome, OnePath(Fraction(1, 2)))
        assert law.size == size
        with pytest.raises(MechanismError, match=r"adds up to .*1\.5"):
            law.finished()


def test_what_no_law_can_hold_is_refused_on_the_only_path() -> None:
    with pytest.raises(InputError, match="does not equal itself"):
        DistributionSoFar().add(Distribution({float("nan"): 1}), OnePath())
