"""Live noise of which a stretch does not know the weight: the distributions of whole runs, and of sums that share nothing."""

import random
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import exp
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few
from tests.mechanisms.language.random_programs import loaded

from dpverify.mechanisms import Draw, Limits, decimal, distribution, laplace
from dpverify.mechanisms.comparing.comparisons import with_open_weight
from dpverify.mechanisms.drawing import enumerator
from dpverify.mechanisms.drawing.plain import PlainEnumerator
from dpverify.mechanisms.drawing.runs import MechanismRun
from dpverify.mechanisms.noise import discrete_uniform
from dpverify.mechanisms.numbers.errors import InputError, Undecided
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING
from dpverify.mechanisms.path_conditions.noise_tree import shared_noise, with_weights
from dpverify.mechanisms.program_states import steps

Rows = tuple[int, ...]


TAKEN: list[bool] = []
"""Whether steps have found the distributions, which they are asked for at once."""


@pytest.fixture(autouse=True)
def _by_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    by_steps = enumerator.Enumeration._law_by_steps

    def noted(self: Any, *args: Any, apart: bool = False) -> Any:
        law = by_steps(self, *args, apart=apart)
        if not apart or law is not None:
            TAKEN.append(law is not None)
        return law

    TAKEN.clear()
    monkeypatch.setattr(enumerator.Enumeration, "_law_by_steps", noted)
    monkeypatch.setattr(enumerator, "_UNTIL_READ", 0)
    monkeypatch.setattr(steps, "_UNMERGED", 1 << 30)


STATEMENTS = (
    *("if row + draw(SECOND) >= x: n += 1", "if draw(SECOND) - row > x: n = 0", "if x > row: n += 2"),
    *("if x + y > row: n += 1", "x = draw(FIRST)", "if row + draw(SECOND) < x: break", "x, y = y, x", "x = x + 1"),
    *("y = draw(FIRST)", "if y - draw(SECOND) > row: n += 1", "if n == 1: x = y", "seen.append(n)"),
    *("x = y = draw(FIRST)", "for each in [x, x - 1]: n += each > draw(SECOND)"),
    *("z = draw(SECOND)", "if z > x: n += 3", "if n and row > y: y = 0 * y + z", "n = n % 3", "z = -z"),
)


def text_of(seed: int, kinds: tuple[str, str]) -> str:
    """The source of a program in which noise is alive at the head of a loop."""
    chance = random.Random(seed)
    body = [f"        {line}" for line in chance.choices(STATEMENTS, k=chance.randrange(2, 5))]
    end = chance.choice(["n, x > 1", "n, tuple(seen)", "n, y > z, x > 0", "n"])
    lines = ["    x, y, z, n, seen = draw(FIRST), draw(FIRST), draw(SECOND), 0, []", "    for row in rows:", *body]
    head = ["from dpverify.mechanisms import *", "from dpverify.mechanisms.noise import discrete_uniform"]
    laws = [f"FIRST, SECOND = {kinds[0]}, {kinds[1]}", "def mechanism(draw, rows):"]
    return "\n".join([*head, *laws, *lines, f"    return {end}", ""])


KINDS = {
    "Laplace": ("laplace(2)", "laplace(3)"),
    "discrete Laplace": ("discrete_laplace(2)", "discrete_laplace(1)"),
    "geometric": ("geometric(1)", "discrete_laplace(1)"),
    "exponential": ("exponential_noise(1)", "exponential_noise(2)"),
    "uniform": ("uniform_noise(-2, 1)", "uniform_noise(0, 2)"),
    "Gumbel": ("gumbel(1)", "gumbel(1)"),
    "Gaussian": ("gaussian(1)", "gaussian(2)"),
    "discrete uniform": ("discrete_uniform(-1, 2)", "discrete_uniform(0, 3)"),
}


def by_steps_and_whole(mechanism: Callable[..., Any], rows: Rows) -> tuple[Any, Any] | None:
    TAKEN.clear()
    try:
        law = distribution(mechanism, rows)
        if TAKEN[-1:] != [True]:
            return None
        return law, PlainEnumerator(Limits()).distribution_as_compiled(mechanism, (rows,), {})
    except (InputError, Undecided):
        return None


@pytest.mark.parametrize("kind", KINDS)
@few(2, deep=40)
@given(seed=st.integers(0, 10**9))
def test_random_programs(kind: str, seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("weights")
    for i in range(3):
        file = folder / f"w{seed}_{i}.py"
        file.write_text(text_of(seed + i, KINDS[kind]))
        both = by_steps_and_whole(loaded(file), (0, 1) if kind == "Gaussian" else (0, 1, 0))
        if both is not None:
            law, whole = both
            assert law.probabilities.keys() == whole.probabilities.keys(), file.read_text()
            for outcome, chance in law.probabilities.items():
                other = whole.probability(outcome)
                assert chance is other or abs(float(decimal(chance - other, 12))) < 1e-9, file.read_text()
                assert kind == "Gaussian" or chance == other, file.read_text()


class _Draws:
    """A `draw` of discrete uniform noise that answers by a list of numbers, and by the least ones after it."""

    def __init__(self, answers: list[int]) -> None:
        self.answers, self.asked, self.weight = answers, list[tuple[int, int]](), Fraction(1)

    def __call__(self, law: Any) -> int:
        low, high = law.low, law.high
        self.asked.append((low, high))
        self.weight /= high - low + 1
        return self.answers[len(self.asked) - 1] if len(self.asked) <= len(self.answers) else low


def brute_force(mechanism: Callable[..., Any], rows: Rows) -> dict[Any, Fraction]:
    """The output distribution by a call for each way in which all draws may fall."""
    found, answers = defaultdict[Any, Fraction](Fraction), list[int]()
    while True:
        draws = _Draws(answers)
        found[mechanism(draws, rows)] += draws.weight
        answers = [*answers[: len(draws.asked)], *(low for low, _ in draws.asked[len(answers) :])]
        while answers and answers[-1] == draws.asked[len(answers) - 1][1]:
            answers.pop()
        if not answers:
            return dict(found)
        answers[-1] += 1


@few(3, deep=60)
@given(seed=st.integers(0, 10**9))
def test_random_programs_by_brute_force(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("weights")
    for i in range(4):
        file = folder / f"b{seed}_{i}.py"
        file.write_text(text_of(seed + i, ("discrete_uniform(-1, 1)", "discrete_uniform(0, 1)")))
        mechanism, law = loaded(file), None
        try:
            law = distribution(mechanism, (0, 1))
        except (InputError, Undecided):
            continue
        assert {k: Fraction(str(p)) for k, p in law.probabilities.items()} == brute_force(mechanism, (0, 1))


def answers(draw: Draw, rows: Rows) -> Any:
    threshold, found = draw(laplace(2)), []
    for row in rows:
        found.append(bool(row + draw(laplace(3)) >= threshold))
        if sum(found) == 2:
            break
    return tuple(found)


def below(x: float, scale: int) -> float:
    return exp(x / scale) / 2 if x < 0 else 1 - exp(-x / scale) / 2


def integral(function: Callable[[float], float], breaks: list[float]) -> float:
    """Simpson's rule between breaks."""
    whole = 0.0
    for low, high in pairwise(breaks):
        step = (high - low) / 800
        points = [function(low + i * step) for i in range(801)]
        whole += step / 3 * (points[0] + points[-1] + 4 * sum(points[1:-1:2]) + 2 * sum(points[2:-1:2]))
    return whole


def test_answers_of_a_sparse_vector_by_quadrature() -> None:
    rows = (0, 1, -1, 1, 0)
    law = distribution(answers, rows)
    assert TAKEN == [True]
    for outcome, chance in law.probabilities.items():

        def density(x: float, outcome: Any = outcome) -> float:
            value = exp(-abs(x) / 2) / 4
            for row, is_above in zip(rows, outcome, strict=False):
                value *= below(row - x, 3) if is_above else 1 - below(row - x, 3)
            return value

        breaks = [-70.0, -30.0, -10.0, -4.0, -1.0, 0.0, 1.0, 4.0, 10.0, 30.0, 70.0]
        assert abs(float(decimal(chance, 15)) - integral(density, breaks)) < 1e-9


def test_a_stretch_is_run_once_whatever_the_weights_are(monkeypatch: pytest.MonkeyPatch) -> None:
    def first(draw: Draw, rows: Rows) -> Any:
        threshold = draw(laplace(2))
        for i, row in enumerate(rows):
            if row + draw(laplace(3)) < threshold:
                return i
        return None

    ran: list[int] = []
    paths = enumerator.Enumeration._add_paths

    def noted(self: Any, stretch: Any, *args: Any) -> None:
        if not stretch.keeps_apart:
            ran.append(stretch._point)
        paths(self, stretch, *args)

    monkeypatch.setattr(enumerator.Enumeration, "_add_paths", noted)
    distribution(first, (0, 1) * 2)
    assert len(ran) == 1 + 4 + 1  # to the loop, in it by place, behind it


def released(draw: Draw, rows: Rows) -> Any:
    noisy, above = draw(laplace(2)), 0
    for row in rows:
        above += row + draw(laplace(3)) > noisy
    return above, noisy


def test_noise_that_is_released_keeps_what_is_tied_to_it() -> None:
    law: Any = distribution(released, (0, 1))
    whole: Any = PlainEnumerator(Limits()).distribution_as_compiled(released, ((0, 1),), {})
    assert TAKEN == [True]
    assert law.released == whole.released


def _dropped(tree: Any, weights: Any) -> Any:
    return with_weights(tree, {place: shared_noise(of.summands, of.values, ()) for place, of in weights.items()})


def _of_any_value(tree: Any, place: int) -> Any:
    return with_open_weight(shared_noise(tree.summands, EVERYTHING, ()), place)


def _untied(self: Any, noise: Any) -> Any:
    return _again(
        self, replace(noise, conditions={form: all_ for form, all_ in noise.conditions.items() if len(form) < 2})
    )


_again = MechanismRun.noise_again

MUTANTS: dict[str, tuple[Any, str, Any]] = {
    "the weight of live noise is dropped": (steps, "with_weights", _dropped),
    "the condition that ties live noise to its weight is dropped": (MechanismRun, "noise_again", _untied),
    "the values of live noise are dropped": (steps, "with_open_weight", _of_any_value),
    "nothing": (steps, "with_weights", with_weights),
}


def counted(draw: Draw, rows: Rows) -> Any:
    x, n = draw(discrete_uniform(-1, 2)), 0
    for row in rows:
        n += row + draw(discrete_uniform(0, 1)) > x
        n += 2 if x > row else 0
    for each in [x, x - 1]:
        n += each > draw(discrete_uniform(0, 1))
    return n, x > 0


@pytest.mark.parametrize("mutant", MUTANTS)
def test_each_clause_counts(mutant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*MUTANTS[mutant])
    law = distribution(counted, (0, 1, 0))
    is_right = {k: Fraction(str(p)) for k, p in law.probabilities.items()} == brute_force(counted, (0, 1, 0))
    assert (is_right and TAKEN == [True]) is (mutant == "nothing")
