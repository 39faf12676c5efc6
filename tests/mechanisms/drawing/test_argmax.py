"""The index of the largest noisy score: its law is that of the program as it is written.

The oracle is the enumeration of the program as it is written, in all orders of comparisons.
"""

from fractions import Fraction
from typing import Any, Final

import numpy as np
import pytest
from scipy.special import ndtr
from tests.mechanisms.drawing.laws_as_written import are_the_same, as_written, runs_and_law

from dpverify.mechanisms import (
    Draw,
    Limits,
    bernoulli,
    discrete_laplace,
    exponential_noise,
    gaussian,
    gumbel,
    laplace,
)
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.drawing.plain import PlainEnumerator
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.selection.noisy_max import noisy_max
from dpverify.verifiers.divergence.output_tables.tabulation import same_distribution

Scores = tuple[Any, ...]


@pytest.mark.deep
def test_laws_of_gaussian_noise_are_the_same_by_their_balls() -> None:
    """Which tells laws apart, too."""

    def most(draw: Draw, scores: Scores, *, sigma: Any) -> int:
        noisy = [score + draw(gaussian(sigma)) for score in scores]
        return noisy.index(max(noisy))

    def law(sigma: Any) -> Any:
        return Enumeration(Limits()).law(most, ((0, 3, "1/2"),), {"sigma": sigma})

    written = PlainEnumerator(Limits()).distribution(most, ((0, 3, "1/2"),), {"sigma": 2})
    assert are_the_same(law(2), written)
    assert not are_the_same(law(2), law("2.0000001"))


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


# --- What is read
def of_a_list(draw: Draw, scores: Scores) -> int:
    noisy = [score + draw(laplace(2)) for score in scores]
    return noisy.index(max(noisy))


def of_a_tuple_in_a_loop(draw: Draw, scores: Scores) -> int:
    noisy: tuple[Any, ...] = ()
    for score in scores:
        noisy = (*noisy, score + draw(discrete_laplace(1)))
    return noisy.index(max(noisy))


def by_a_key(draw: Draw, scores: Scores) -> int:
    return max(range(len(scores)), key=lambda i: scores[i] + draw(laplace("0.5")))


def of_three(draw: Draw, scores: Scores) -> int:
    return max(range(3), key=lambda i: draw(gumbel(2)) + scores[i])


def of_so_many(draw: Draw, scores: Scores) -> int:
    count = len(scores)
    scale = 2 if draw(bernoulli("0.25")) else 3
    return max(range(count), key=lambda i: scores[i] - 1 + draw(exponential_noise(scale)))


def with_a_noise_in_common(draw: Draw, scores: Scores) -> int:
    noise = draw(laplace(1))
    noisy = [score + noise + draw(laplace(1)) for score in scores]
    return noisy.index(max(noisy))


def less_the_noise(draw: Draw, scores: Scores) -> int:
    noisy = [score - draw(laplace(2)) for score in scores]
    return noisy.index(max(noisy))


def less_whole_noise(draw: Draw, scores: Scores) -> int:
    return max(range(len(scores)), key=lambda i: scores[i] - draw(discrete_laplace(2)))


READ: Final = {
    less_the_noise: 1,
    less_whole_noise: 1,
    with_a_noise_in_common: 1,
    of_a_list: 1,
    of_a_tuple_in_a_loop: 1,
    by_a_key: 1,
    of_three: 1,
    of_so_many: 2,
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("mechanism", READ, ids=lambda mechanism: mechanism.__name__)
@pytest.mark.parametrize("scores", [(0, 1, 3), (2, 2, 2), (5, 0, 4)])
def test_an_index_is_found_in_a_run_for_each_place(mechanism: Any, scores: Scores) -> None:
    runs, law = runs_and_law(mechanism, scores)
    _, expected = as_written(mechanism, scores)
    assert runs == READ[mechanism] * len(scores)
    assert same_distribution(law, expected)


def test_many_scores_have_the_law_of_the_librarys() -> None:
    scores = (3, 1, 4, 1, 5, 9, 2, 6)
    assert runs_and_law(of_a_list, scores) == (8, noisy_max(scores, laplace(2)))


# --- What is not
def twice_the_same(draw: Draw, scores: Scores) -> int:
    noisy = [score + draw(laplace(1)) for score in scores]
    noisy = [*noisy, noisy[0]]
    return noisy.index(max(noisy))


def compared_before(draw: Draw, scores: Scores) -> int:
    noisy = [score + draw(laplace(1)) for score in scores]
    if noisy[0] > 1:
        return 7
    return noisy.index(max(noisy))


def of_pairs(draw: Draw, scores: Scores) -> int:
    return max(range(3), key=lambda i: (0, scores[i] + draw(laplace(1))))


def of_fewer_noises(draw: Draw, scores: Scores) -> int:
    noises = [draw(laplace(1)), draw(laplace(1))]
    return max(range(len(scores)), key=lambda i: scores[i] + noises[i // 2])


def with_a_number(draw: Draw, scores: Scores) -> int:
    return max(range(3), key=lambda i: draw(laplace(1)) if i else Fraction(1, 2))


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


def less_one_sided_noise(draw: Draw, scores: Scores) -> int:
    return max(range(len(scores)), key=lambda i: scores[i] - draw(exponential_noise(2)))


def less_noise_and_with_noise(draw: Draw, scores: Scores) -> int:
    noisy = [scores[0] - draw(laplace(2)), *(score + draw(laplace(2)) for score in scores[1:])]
    return noisy.index(max(noisy))


NOT_READ: Final = (
    *(less_one_sided_noise, less_noise_and_with_noise, twice_the_same, compared_before, of_pairs),
    *(of_fewer_noises, with_a_number, of_an_own_list, of_an_own_list_in_some_cases, of_another_list),
    of_an_own_max,
)


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
