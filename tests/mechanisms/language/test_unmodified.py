"""Functions of numpy and floats as they are: verdicts beside right values, runs, seeds, and what is measured of rounding."""

import inspect
import random
import secrets
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.mechanisms.language.published_functions import (
    CASES,
    Case,
    above_threshold,
    exponential,
    largest_value,
    sum_and_count,
    uniform_delta,
)

from dpverify.mechanisms import Distribution, InputError, MechanismError, decimal, distribution, exp, laplace, log, run
from dpverify.mechanisms.drawing.unmodified import mechanism_of
from dpverify.verifiers import Multisets, ScoreSpace, Tuples, add_or_remove_one, check_privacy, replace_one, scores_linf

ONE_OF_THREE = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
DOMAINS: dict[str, tuple[Any, Any]] = {
    "scores": (ScoreSpace(range(3), solutions=3), scores_linf),
    "bits": (ScoreSpace(range(2), solutions=3), scores_linf),
    "counted": (Multisets((0, 1), sizes=range(3)), add_or_remove_one),
    "some rows": (Multisets(range(3), sizes=range(3)), add_or_remove_one),
    "rows": (Multisets(range(3), size=3), replace_one),
    "bit": ([0, 1], lambda bit: [1 - bit]),
    "truth": ([False, True], lambda truth: [not truth]),
    "one of three": (ONE_OF_THREE, lambda row: [other for other in ONE_OF_THREE if other != row]),
}
CLAIMS = {"ln 3": log(3), "ln 9": log(9)}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.function.__name__)
def test_published_functions_have_their_verdicts(case: Case) -> None:
    claim: Any = CLAIMS.get(case.claim, case.claim)
    verdict = check_privacy(case.function, *DOMAINS[case.domain], epsilon=claim, delta=0)
    assert verdict.status.name == case.status
    if case.epsilon is None:
        assert case.status == "PROVED" or verdict.epsilon is None
    else:
        assert str(verdict.epsilon).startswith(case.epsilon)


def test_uniform_noise_is_private_by_delta_alone() -> None:
    def status(claim: str) -> str:
        given = {"delta": Fraction(1, 10)}
        return check_privacy(uniform_delta, *DOMAINS["bit"], epsilon=0, delta=claim, parameters=given).status.name

    assert [status("1/10"), status("1/11")] == ["PROVED", "REFUTED"]


def test_a_law_is_the_one_that_its_source_says() -> None:
    found = distribution(mechanism_of(exponential), (0, 0, 1), epsilon=1)
    assert found == Distribution({0: exp(1), 1: exp("1/2"), 2: 1})


def of_numpy(rows: Any) -> Any:
    return np.random.choice(["a", "b"], p=[0.25, 0.75])


def of_random(rows: Any) -> Any:
    return random.choices(["a", "b"], weights=[1, 3])[0]


def of_secrets(rows: Any) -> Any:
    return "a" if secrets.randbelow(4) == 0 else "b"


def of_a_generator(rows: Any, rng: random.Random) -> Any:
    return "a" if rng.random() < 0.25 else "b"


def of_integers(rows: Any, rng: Any = None) -> Any:
    rng = np.random.default_rng() if rng is None else rng
    return "a" if rng.integers(4) == 0 else "b"


def of_a_system(rows: Any) -> Any:
    return "b" if secrets.SystemRandom().randint(1, 4) > 1 else "a"


def of_bits(rows: Any) -> Any:
    return "a" if np.random.binomial(2, 0.5) == 0 else "b"


def of_a_sample(rows: Any) -> Any:
    return "a" if 0 in random.sample(range(8), 2) else "b"


@pytest.mark.parametrize(
    "function", [of_numpy, of_random, of_secrets, of_a_generator, of_integers, of_a_system, of_bits, of_a_sample]
)
def test_draws_of_each_module_have_their_laws(function: Callable[..., Any]) -> None:
    mechanism = mechanism_of(function)
    assert distribution(mechanism, ()).probability("a") == Fraction(1, 4)
    assert {run(mechanism, (), seed=seed) for seed in range(40)} == {"a", "b"}


def seeded(rows: Any) -> Any:
    return len(rows) + np.random.default_rng(7).laplace()


def seeded_before(rows: Any) -> Any:
    np.random.seed(1)
    return len(rows) + np.random.laplace()


def seeded_of_python(rows: Any) -> Any:
    random.seed(1)
    return len(rows) + random.gauss(0, 1)


def seeded_bits(rows: Any) -> Any:
    return len(rows) + np.random.Generator(np.random.PCG64(3)).laplace()


@pytest.mark.parametrize("function", [seeded, seeded_before, seeded_of_python, seeded_bits])
def test_a_fixed_seed_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(MechanismError, match="the noise is the same in each run"):
        distribution(mechanism_of(function), ())


def test_parameters_are_found_by_what_they_are() -> None:
    def names(function: Callable[..., Any]) -> list[str]:
        return list(inspect.signature(mechanism_of(function)).parameters)

    assert names(largest_value) == ["draw", "queries", "epsilon"]
    assert names(of_a_generator) == ["draw", "rows"]
    assert names(sum_and_count) == ["draw", "incomes", "epsilon", "top"]
    assert names(with_draw) == ["draw", "rows", "epsilon"]
    assert names(with_source) == ["draw", "rows"]
    assert inspect.signature(mechanism_of(sum_and_count)).parameters["top"].default == 4
    with pytest.raises(InputError):
        mechanism_of(lambda: 1)
    with pytest.raises(InputError):
        mechanism_of(len)


def with_draw(draw: Any, rows: Any, *, epsilon: Any) -> Any:
    return (0.5 + sum(rows)) * 2 / 2 + draw(laplace(1 / epsilon))


def with_source(source: Any, rows: Any) -> Any:
    half: Any = 0.5
    return source(laplace(half)) > len(rows) / 2


def test_a_mechanism_with_a_draw_is_read_as_well() -> None:
    verdict = check_privacy(mechanism_of(with_draw), Tuples((0, 1), size=2), replace_one, epsilon=1)
    assert str(verdict.epsilon) == "1"
    assert distribution(mechanism_of(with_source), (1,)).probability(True) == exp(-1) / 2


def given_a_float(rows: Any, scale: Any) -> Any:
    return len(rows) + np.random.laplace(scale=scale)


def test_floats_from_elsewhere_are_refused() -> None:
    with pytest.raises(MechanismError, match="is a float, which is not exact"):
        distribution(mechanism_of(given_a_float), (), scale=0.5)
    assert distribution(mechanism_of(given_a_float), (), scale=Fraction(1, 2)) is not None


def returned(rows: Any) -> Any:
    return [0.5, 1 / 3, (np.exp(1), 2), {"a": 2.0 * len(rows)}, 3 // 2, "x", np.array([0.25, len(rows)])]


def test_run_gives_what_the_plain_function_gives() -> None:
    found, plain = run(mechanism_of(returned), (0, 1)), returned((0, 1))
    assert found[:6] == plain[:6]
    assert [type(x) for x in found[:2]] == [float, float]
    assert found[6].tolist() == plain[6].tolist()
    assert type(found[2][0]) is float


def test_runs_have_the_frequencies_of_the_law() -> None:
    mechanism = mechanism_of(above_threshold)
    law = distribution(mechanism, (0, 1, 2), epsilon=2)
    runs = [run(mechanism, (0, 1, 2), seed=seed, epsilon=2) for seed in range(400)]
    for outcome in (0, 1, 2, None):
        assert abs(runs.count(outcome) / 400 - float(decimal(law.probability(outcome)))) < 0.1
