"""Released noise whose tails repeat themselves: staircase noise, and whole noise plus uniform noise.

The densities are written down as they are printed, with e^ε = 3, so that every number is a fraction; δ is added up on a
grid that no step crosses, up to where less than 3^-26 is left.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import floor
from typing import Any

import pytest

from dpverify.mechanisms import (
    Draw,
    Exact,
    InputError,
    bernoulli,
    clamp,
    discrete_laplace,
    distribution,
    exact,
    exp,
    geometric,
    laplace,
    log,
    run,
    staircase,
    symbolic,
    uniform_noise,
)
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.outputs import Between
from dpverify.verifiers import Histograms, Status, Tuples, add_or_remove_one, check_privacy

DOMAIN = Tuples(range(2), size=1)
GRID = Fraction(1, 12)
FAR = 40


def steps(x: Fraction, width: Fraction, gamma: Fraction) -> Fraction:
    """Staircase noise of ε = ln 3, as it is printed."""
    falls = Fraction(1, 3)
    k = floor(abs(x) / width)
    height = (1 - falls) / (2 * width * (gamma + falls * (1 - gamma)))
    return height * falls ** (k if abs(x) < (k + gamma) * width else k + 1)


def delta_on_the_grid(p: Callable[[Fraction], Fraction], q: Callable[[Fraction], Fraction], factor: Fraction) -> float:
    middles = (GRID * (i + Fraction(1, 2)) for i in range(-FAR * 12, FAR * 12))
    return float(sum((max(Fraction(0), p(x) - factor * q(x)) * GRID for x in middles), Fraction(0)))


def noisy(draw: Draw, rows: Sequence[int], *, width: Any, gamma: Any, moved: Any) -> Any:
    return moved * rows[0] + draw(staircase(log(3), width, gamma))


@pytest.mark.parametrize(
    ("width", "gamma", "moved", "factor"),
    [
        (Fraction(3, 2), Fraction(1, 2), Fraction(1), Fraction(2)),  # the steps of the two do not meet
        (Fraction(1), Fraction(1, 2), Fraction(5, 2), Fraction(3)),
        (Fraction(1), Fraction(0), Fraction(1, 3), Fraction(1)),
    ],
)
def test_released_staircase_noise_needs_what_its_steps_add_up_to(
    width: Fraction, gamma: Fraction, moved: Fraction, factor: Fraction
) -> None:
    parameters = {"width": width, "gamma": gamma, "moved": moved}
    verdict = check_privacy(noisy, DOMAIN, epsilon=log(factor), delta=0, parameters=parameters, recheck=False)

    def of_0(x: Fraction) -> Fraction:
        return steps(x, width, gamma)

    def of_1(x: Fraction) -> Fraction:
        return steps(x - moved, width, gamma)

    expected = max(delta_on_the_grid(of_0, of_1, factor), delta_on_the_grid(of_1, of_0, factor))
    assert verdict.delta is not None
    assert abs(float(verdict.delta.upper) - expected) < 1e-10
    ratios = [steps(GRID * (i + Fraction(1, 2)), width, gamma) for i in range(-90, 90)]
    shift = int(moved / GRID)
    largest = max(p / q for p, q in zip(ratios, ratios[shift:], strict=False))
    assert verdict.epsilon is not None
    assert verdict.epsilon.exact == log(largest)
    assert verdict.status is (Status.PROVED if largest <= factor else Status.REFUTED)


def as_coded(draw: Draw, rows: Sequence[int], *, epsilon: Exact, gamma: Exact) -> Any:
    """As a library draws it: a sign, a geometric number of steps, and a place in one of the two parts of a step."""
    sign = -1 if draw(bernoulli("1/2")) else 1
    k, place = draw(geometric(1 / epsilon)), draw(uniform_noise(0, 1))
    higher = draw(bernoulli(gamma / (gamma + (1 - gamma) * exp(-epsilon))))
    return rows[0] + sign * (k + gamma * place if higher else k + gamma + (1 - gamma) * place)


def as_released(draw: Draw, rows: Sequence[int], *, epsilon: Exact, gamma: Exact) -> Any:
    return rows[0] + draw(staircase(epsilon, 1, gamma))


def test_staircase_noise_as_it_is_coded_is_staircase_noise() -> None:
    parameters: dict[str, Any] = {"epsilon": exact(1), "gamma": exact("1/3")}
    cells = [Between(Fraction(i, 5), Fraction(i + 2, 5)) for i in range(-14, 14, 3)]
    one, other = (distribution(f, (1,), **parameters) for f in (as_coded, as_released))
    for cell in cells:
        assert one.probability(cell) == other.probability(cell)
    for mechanism in (as_coded, as_released):
        verdict = check_privacy(mechanism, DOMAIN, epsilon=1, delta=0, parameters=parameters, recheck=False)
        assert verdict.status is Status.PROVED
        assert verdict.epsilon is not None
        assert verdict.epsilon.exact == 1


def of_zeros(draw: Draw, rows: Sequence[int], *, epsilon: Exact, weight: int = 1) -> Any:
    return weight * rows.count(0) + draw(staircase(epsilon, 1, "1/3"))


def test_a_noisy_count_of_unknown_size_needs_what_its_steps_need() -> None:
    for epsilon, weight, status in ((symbolic, 1, Status.PROVED), (exact(1), 2, Status.REFUTED)):
        given = {"epsilon": epsilon, "weight": weight}
        verdict = check_privacy(
            of_zeros, Histograms(range(2)), add_or_remove_one, epsilon=epsilon, delta=0, parameters=given
        )
        assert verdict.status is status


def with_another_part(draw: Draw, rows: Sequence[int], *, epsilon: Exact, gamma: Exact) -> Any:
    """Wrong: the part of a step that is the higher one depends on the data."""
    return as_released(draw, rows, epsilon=epsilon, gamma=gamma + Fraction(rows[0], 10))


def with_half_the_width(draw: Draw, rows: Sequence[int], *, epsilon: Exact, gamma: Exact) -> Any:
    """Wrong: the noise is scaled for half the sensitivity."""
    return rows[0] + draw(staircase(epsilon, Fraction(1, 2), gamma))


def twice(draw: Draw, rows: Sequence[int], *, epsilon: Exact, gamma: Exact) -> Any:
    """Wrong: two noisy numbers at the price of one."""
    return tuple(as_released(draw, rows, epsilon=epsilon, gamma=gamma) for _ in range(2))


@pytest.mark.parametrize("mechanism", [with_another_part, with_half_the_width, twice])
def test_what_is_wrong_is_refuted_by_its_own_numbers(mechanism: Any) -> None:
    parameters: dict[str, Any] = {"epsilon": log(3), "gamma": exact("1/2")}
    verdict = check_privacy(mechanism, DOMAIN, epsilon=log(3), delta="1/100", parameters=parameters, recheck=False)
    assert verdict.status is Status.REFUTED
    witness = verdict.witness
    assert witness is not None
    p, q = (
        distribution(mechanism, rows, **parameters).probability(*witness.event)
        for rows in (witness.left, witness.right)
    )
    assert p > 3 * q + Fraction(1, 100)


def test_both_ends_of_a_cut_are_atoms() -> None:

    def clamped(draw: Draw, rows: Sequence[int]) -> Any:
        return clamp(rows[0] + draw(staircase(log(3), 1, "1/2")), 0, 2)

    for mechanism in (lambda draw, rows: max(0, rows[0] + draw(staircase(log(3), 1, "1/2"))), clamped):
        verdict = check_privacy(mechanism, DOMAIN, epsilon=log(3), delta=0, recheck=False)
        assert verdict.status is Status.PROVED
        assert verdict.epsilon is not None
        assert verdict.epsilon.exact == log(3)
        law = distribution(mechanism, (1,))
        assert law.probability(0) == Fraction(1, 6)
        assert law.probability(Between(Fraction(1, 4), Fraction(3, 2))) == Fraction(1, 4) * Fraction(1, 6) + Fraction(
            1, 2
        )


def tulap(draw: Draw, rows: Sequence[int], *, wide: Any) -> Any:
    return rows[0] + draw(discrete_laplace(1 / log(3))) + wide * draw(uniform_noise("-0.5", "0.5"))


@pytest.mark.parametrize("wide", [Fraction(1), Fraction(3, 2), Fraction(1, 2)])
def test_whole_noise_plus_uniform_noise_has_its_own_law(wide: Fraction) -> None:
    def density(x: Fraction) -> Fraction:
        return sum(
            (
                Fraction(1, 2) * Fraction(1, 3) ** abs(k) / wide
                for k in range(floor(x) - 1, floor(x) + 3)
                if abs(x - k) < wide / 2
            ),
            Fraction(0),
        )

    factor = Fraction(2)
    verdict = check_privacy(tulap, DOMAIN, epsilon=log(factor), delta=0, parameters={"wide": wide}, recheck=False)
    assert verdict.delta is not None
    expected = delta_on_the_grid(density, lambda x: density(x - 1), factor)
    assert abs(float(verdict.delta.upper) - expected) < 1e-10
    at = distribution(tulap, (0,), wide=wide).probability(Between(Fraction(5, 12), Fraction(35, 12)))
    middles = (Fraction(5, 12) + GRID * (i + Fraction(1, 2)) for i in range(30))
    assert abs(float(enclosure(at)) - float(sum(density(x) * GRID for x in middles))) < 1e-10


def test_the_mass_of_a_half_line_is_a_geometric_sum() -> None:
    law = staircase(log(3), "3/2", "1/3").periodic_density
    assert law is not None
    assert law.mass == 1
    moved = law.composed(exact(-2), exact(1))
    for end in (-7, 0, Fraction(9, 4), 5):
        mass = moved.between(exact(end), None)
        assert mass == exact("1/2") * staircase(log(3), "3/4", "1/3").tail(exact(end - Fraction(1, 2)))
        assert mass + moved.between(None, exact(end)) == moved.mass


def test_what_is_not_decided_says_so() -> None:

    verdict = check_privacy(lambda draw, rows: draw(staircase(1, 1 + rows[0])), DOMAIN, epsilon=1, delta=0)
    assert verdict.status is Status.UNDECIDED
    assert "steps of one width" in verdict.reason
    for mechanism in (
        lambda draw, _: draw(discrete_laplace(1)) + draw(laplace(1)),
        lambda draw, _: draw(discrete_laplace(1)) + draw(geometric(2)) + draw(uniform_noise(0, 1)),
    ):
        with pytest.raises(InputError, match="discrete and continuous noise were returned as a sum"):
            distribution(mechanism, 0)


def beside(draw: Draw, rows: Sequence[int]) -> Any:
    whole = draw(discrete_laplace(1))
    return rows[0] + whole + draw(uniform_noise(0, 1)), rows[0] + whole


def in_two(draw: Draw, rows: Sequence[int]) -> Any:
    place = draw(uniform_noise(0, 1))
    return rows[0] + draw(discrete_laplace(1)) + place, rows[0] + place


@pytest.mark.parametrize("mechanism", [beside, in_two])
def test_a_noise_that_stands_in_two_numbers_is_not_taken_for_two(mechanism: Any) -> None:
    with pytest.raises(InputError):
        distribution(mechanism, (0,))


def test_a_sampled_sum_is_near_its_law() -> None:
    drawn = [run(tulap, (0,), seed=seed, wide=Fraction(1)) for seed in range(200)]
    law = distribution(tulap, (0,), wide=Fraction(1))
    p = float(enclosure(law.probability(Between(Fraction(-1, 2), Fraction(3, 2)))))
    assert abs(sum(-0.5 < x < 1.5 for x in drawn) - 200 * p) < 5 * (200 * p * (1 - p)) ** 0.5
