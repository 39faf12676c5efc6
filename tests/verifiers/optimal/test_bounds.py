"""Where the optimum is bounded from both sides: large programs, and numbers without a ring of their own."""

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from tests.verifiers.optimal.questions import clique, hits, is_confirmed, path

from dpverify.mechanisms import Undecided, exact, exp, log, sqrt
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.verifiers.optimal import best as module
from dpverify.verifiers.optimal import best_mechanism, highs
from dpverify.verifiers.optimal.highs import guessed


@pytest.fixture
def nothing_is_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST_RATIONAL", -1)
    monkeypatch.setattr(module, "LARGEST_TRANSCENDENTAL", -1)


@pytest.mark.parametrize("epsilon", [log(2), 1, 0], ids=str)
@pytest.mark.parametrize("delta", [0, Fraction(1, 50)], ids=str)
@pytest.mark.parametrize("neighbours", [clique, path])
@pytest.mark.usefixtures("nothing_is_exact")
def test_bounds_are_near_and_proved(epsilon: ExactLike, delta: Fraction, neighbours: Any) -> None:
    random = Random(3)
    table = [[Fraction(random.randrange(11), 10) for _ in range(3)] for _ in range(5)]
    best = best_mechanism(
        range(5), neighbours(5), lambda i, o: table[i][o], epsilon=epsilon, delta=delta, outcomes=range(3)
    )
    assert best.at_least <= best.at_most
    assert best.at_most - best.at_least <= Fraction(1, 10**8)
    is_confirmed(best, neighbours(5), table, epsilon, delta)


def test_they_enclose_the_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    for weights in (None, {i: 1 + i for i in range(4)}):
        for epsilon in (log(3), Fraction(1, 3)):
            exactly = best_mechanism(
                range(4), path(4), hits, epsilon=epsilon, delta="0.01", outcomes=range(4), weights=weights
            )
            with monkeypatch.context() as patch:
                patch.setattr(module, "LARGEST_RATIONAL", -1)
                patch.setattr(module, "LARGEST_TRANSCENDENTAL", -1)
                best = best_mechanism(
                    range(4), path(4), hits, epsilon=epsilon, delta="0.01", outcomes=range(4), weights=weights
                )
            assert exact(best.at_least) <= exactly.success <= best.at_most
            assert best.certificate.checks()


def test_an_algebraic_growth_is_enclosed() -> None:
    best = best_mechanism(range(2), clique(2), hits, epsilon=log(2) / 2, outcomes=range(2))
    optimum = sqrt(2) / (1 + sqrt(2))
    assert best.at_least <= optimum <= best.at_most
    assert not best.is_exact
    with pytest.raises(Undecided, match="two bounds only"):
        _ = best.success
    is_confirmed(best, clique(2), [[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]], log(2) / 2, 0)


def test_an_irrational_delta_is_enclosed() -> None:
    delta = exp(-3)
    best = best_mechanism(range(2), clique(2), hits, epsilon=log(2), delta=delta, outcomes=range(2))
    assert best.at_least <= (2 + delta) / 3 <= best.at_most
    is_confirmed(best, clique(2), [[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]], log(2), delta)


@pytest.mark.usefixtures("nothing_is_exact")
def test_worthless_floats_cost_nearness_alone(monkeypatch: pytest.MonkeyPatch) -> None:

    def wrong(program: Any, growth: float) -> Any:
        found = guessed(program, growth)
        return type(found)(found.basis, -found.columns, -found.multipliers)

    monkeypatch.setattr(module, "guessed", wrong)
    best = best_mechanism(range(3), path(3), hits, epsilon=log(2), outcomes=range(3))
    assert best.at_least == Fraction(1, 3)
    assert Fraction(4, 7) <= best.at_most <= 1
    assert best.certificate.checks()


@pytest.mark.parametrize("delta", [Fraction(1, 10**12), Fraction(1, 10**20)], ids=str)
def test_a_delta_below_what_floats_see_costs_nothing(delta: Fraction) -> None:
    best = best_mechanism(range(3), clique(3), hits, epsilon=sqrt(2), delta=delta, outcomes=range(3))
    assert best.at_least <= best.at_most
    assert best.at_most - best.at_least <= Fraction(1, 10**8)


@pytest.mark.parametrize(("many", "tolerance"), [(10**9, 1e-10), (0, 1e-10), (10**9, 1e-300)])
def test_the_solver_says_nothing(
    many: int, tolerance: float, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """No banner, whichever of its methods it takes, and where it is asked again with a coarser tolerance."""
    monkeypatch.setattr(highs, "_MANY_ROWS", many)
    monkeypatch.setattr(highs, "_TOLERANCE", tolerance)
    best_mechanism(range(4), path(4), hits, epsilon=log(2), outcomes=range(4))
    assert capfd.readouterr() == ("", "")
