"""Random small mechanisms: what is proved for all sizes holds on finite domains, and what fails there fails here.

Their laws on charts are those on whole numbers, at random points.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few
from tests.verifiers.all_sizes.regions.laws_on import laws_on

from dpverify.mechanisms import clamp, discrete_laplace, distribution, exact, exponential, laplace
from dpverify.mechanisms.numbers.errors import Cut
from dpverify.mechanisms.outputs.substitution import DistributionSubstitution
from dpverify.verifiers import Scores, ScoreSpace, Status, check_privacy, scores_linf
from dpverify.verifiers.all_sizes.regions.domains import affine_regions_of
from dpverify.verifiers.divergence.output_tables.tabulation import same_distribution


class Step(NamedTuple):
    """Σ coefficient·score + constant, with noise or none, against a threshold or a noisy one."""

    coefficients: tuple[int, ...]
    constant: Fraction
    noise: int
    strict: bool


class Program(NamedTuple):
    """A tree of steps, and what its leaves return."""

    steps: tuple[Step, ...]
    leaf: str
    discrete: bool
    scale: Fraction


def _program(random: Random, solutions: int) -> Program:
    def step() -> Step:
        coefficients = [random.choice((-1, 0, 0, 1, 1)) for _ in range(solutions)]
        if not any(coefficients):
            coefficients[random.randrange(solutions)] = 1
        return Step(
            tuple(coefficients),
            Fraction(random.randrange(-6, 7), random.choice((1, 1, 2))),
            random.choice((0, 1, 1, 1, 1, 1, 2, 2, 2, 2)),
            random.random() < 0.5,
        )

    return Program(
        tuple(step() for _ in range(random.choice((1, 2, 2, 3)))),
        random.choice(("label", "label", "choice", "clamped", "released")),
        random.random() < 0.5,
        random.choice((Fraction(1), Fraction(2), Fraction(3, 2))),
    )


def runs(draw: Any, scores: Any, *, program: Program) -> Any:
    """The program, on scores."""
    law = discrete_laplace if program.discrete else laplace
    hub = draw(law(2 * program.scale))
    path = []
    for step in program.steps:
        value = sum((c * score for c, score in zip(step.coefficients, scores, strict=True) if c), step.constant)
        if step.noise:
            value = value + draw(law(step.noise * program.scale))
        against = hub if step.noise == 1 else 0
        path.append(value > against if step.strict else value >= against)
        if path[-1]:
            break
    found = tuple(bool(answer) for answer in path)
    if program.leaf == "choice" and not found[-1]:
        return (found, draw(exponential(scores, Fraction(1, 2))))
    if program.leaf == "clamped":
        return (found, clamp(scores[0] + draw(discrete_laplace(program.scale)), -1, 1))
    if program.leaf == "released":
        return (found, scores[-1] + draw(discrete_laplace(program.scale)))
    return found


def _laws(program: Program, solutions: int) -> list[tuple[Any, Any]]:
    """The charts on which the program has one law, with these."""
    laws = laws_on(Scores(solutions=solutions), runs, {"program": program})
    waiting = list(affine_regions_of(solutions))
    found = []
    while waiting:
        chart = waiting.pop()
        try:
            found.append((chart, laws.distribution(chart)))
        except Cut as cut:
            waiting += chart.sides(cut)
    return found


def _points(random: Random, dimension: int, count: int) -> list[tuple[int, ...]]:
    return [tuple(random.choice((0, 0, 1, 2, 3, 7, 20)) for _ in range(dimension)) for _ in range(count)]


def _compared(seed: int, solutions: int, points: int) -> int:
    random = Random(seed)
    program = _program(random, solutions)
    compared = 0
    for chart, law in _laws(program, solutions):
        for point in _points(random, chart.dimension, points if chart.dimension else 1):
            concrete = distribution(runs, chart.at(point), program=program)
            assert same_distribution(concrete, DistributionSubstitution.at_point(point)(law)), (program, chart, point)
            compared += 1
    return compared


@few(2, deep=40)
@given(st.integers(0, 10**9), st.sampled_from((1, 2)))
def test_the_law_on_a_chart_is_that_on_whole_numbers(seed: int, solutions: int) -> None:
    assert _compared(seed, solutions, 2) > 0


@pytest.mark.deep
def test_the_law_on_a_chart_is_that_on_whole_numbers_at_ten_thousand_points() -> None:
    compared, seed = 0, 0
    while compared < 10_000:
        compared += _compared(seed, 1 + seed % 2, 10)
        seed += 1
    assert compared >= 10_000


_FACTORS: Sequence[Fraction] = (
    Fraction(1),
    Fraction(1),
    Fraction(3, 2),
    Fraction(2),
    Fraction(101, 100),
    Fraction(99, 100),
    Fraction(10**12 - 1, 10**12),
)


def _agrees(seed: int, solutions: int, end: int) -> tuple[Status, Status]:
    random = Random(seed)
    program = _program(random, solutions)
    finite_domain = ScoreSpace(range(-end, end + 1), solutions=solutions)
    near = check_privacy(runs, finite_domain, scores_linf, epsilon=1, parameters={"program": program}, recheck=False)
    needed = near.epsilon.exact if near.epsilon is not None else None
    epsilon = exact(random.choice((1, 3))) if needed is None else needed * random.choice(_FACTORS)
    finite = check_privacy(
        runs, finite_domain, scores_linf, epsilon=epsilon, parameters={"program": program}, recheck=False
    )
    everywhere = check_privacy(
        runs, Scores(solutions=solutions), scores_linf, epsilon=epsilon, parameters={"program": program}
    )
    if everywhere.status is Status.PROVED:
        assert finite.status is Status.PROVED, (seed, program, finite.reason)
    if finite.status is Status.REFUTED:
        assert everywhere.status is Status.REFUTED, (seed, program, everywhere.reason)
    return finite.status, everywhere.status


@few(2, deep=40)
@given(st.integers(0, 10**9))
def test_one_score_is_decided_alike(seed: int) -> None:
    _, everywhere = _agrees(seed, 1, 4)
    assert everywhere in (Status.PROVED, Status.REFUTED)


@pytest.mark.deep
@pytest.mark.parametrize("block", range(10))
def test_two_hundred_mechanisms_are_decided_alike(block: int) -> None:
    found = [_agrees(seed, solutions, 6) for seed, solutions in product(range(10 * block, 10 * block + 10), (1, 2))]
    decided = [pair for pair in found if pair[1] is not Status.UNDECIDED]
    assert len(decided) >= 15, found
