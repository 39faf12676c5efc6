"""The index of the largest noisy score where a list, or a function, is another one than it looks; and of many votes.

The oracle is the enumeration of the program as it is written; `contests/test_contests.py` has the forms that are read.
"""

from typing import Any, Final

import numpy as np
import pytest
from scipy.special import ndtr
from tests.mechanisms.drawing.laws_as_written import are_the_same, as_written, runs_and_law

from dpverify.mechanisms import (
    Draw,
    Limits,
    gaussian,
    laplace,
)
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.verifiers.divergence.output_tables.tabulation import same_distribution

Scores = tuple[Any, ...]


@pytest.mark.deep
def test_votes_of_many_teachers_for_many_labels() -> None:
    """As PATE has it, by an integral over a grid."""

    def gnmax(draw: Draw, scores: Scores) -> int:
        noisy = [score + draw(gaussian(40)) for score in scores]
        return noisy.index(max(noisy))

    votes = (120, 60, 30, 1, 0)
    enumeration = Enumeration(Limits())
    law = enumeration.law(gnmax, (votes,), {})
    assert enumeration.runs == 5
    x = np.arange(-400, 600, 1 / 16)
    for i, vote in enumerate(votes):
        others = np.prod([ndtr((x - other) / 40) for j, other in enumerate(votes) if j != i], axis=0)
        expected = (np.exp(-(((x - vote) / 40) ** 2) / 2) * others).sum() / 16 / 40 / (2 * np.pi) ** 0.5
        assert float(enclosure(law.probabilities[i])) == pytest.approx(expected, rel=1e-9)


class _Both(list[Any]):
    def index(self, *_: Any) -> int:
        return 0


def of_an_own_list(draw: Draw, scores: Scores) -> int:
    noisy = _Both(score + draw(laplace(1)) for score in scores)
    return noisy.index(max(noisy))


def of_an_own_list_in_some_cases(draw: Draw, scores: Scores) -> int:
    noisy = [score + draw(laplace(1)) for score in scores]
    own = _Both(noisy)
    return (own if scores[0] < 7 else noisy).index(max(noisy))


def of_another_list(draw: Draw, scores: Scores) -> int:
    noisy = [score + draw(laplace(1)) for score in scores]
    other = [noisy[0], *noisy[:0:-1]]
    return other.index(max(noisy))


def of_an_own_max(draw: Draw, scores: Scores) -> int:
    noisy = [score + draw(laplace(1)) for score in scores]
    return noisy.index(smallest(noisy))


smallest = min


NOT_READ: Final = (of_an_own_list, of_an_own_list_in_some_cases, of_another_list, of_an_own_max)


@pytest.mark.parametrize("mechanism", NOT_READ, ids=lambda mechanism: mechanism.__name__)
def test_another_program_is_run_as_it_is_written(mechanism: Any) -> None:
    for scores in ((0, 1, 3), (2, 1, 0)):
        runs, law = runs_and_law(mechanism, scores)
        expected = as_written(mechanism, scores)
        assert runs > 1 < expected[0]
        assert are_the_same(law, expected[1])


@pytest.mark.parametrize("name", ["max", "range", "len"])
def test_an_own_function_of_a_builtin_name_is_called(name: str) -> None:
    own = {"max": lambda *_, **__: 0, "range": lambda count: [0] * count, "len": lambda _: 2}
    text = "def mechanism(draw, scores): return max(range(len(scores)), key=lambda i: scores[i] + draw(laplace(1)))"
    names = {"laplace": laplace, name: own[name]}
    exec(compile(text, f"<own {name}>", "exec"), names)
    for scores in ((0, 1), (1, 0, 2)):
        _, law = runs_and_law(names["mechanism"], scores)
        _, expected = as_written(names["mechanism"], scores)
        assert same_distribution(law, expected)
