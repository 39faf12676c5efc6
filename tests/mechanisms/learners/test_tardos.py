"""The code of Tardos: its scores as they are written, what permutations change, and exact chances of innocent users."""

from fractions import Fraction as F
from itertools import product
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few, in_one

from dpverify.mechanisms import InputError
from dpverify.mechanisms.learners import PIRATE_STRATEGIES, Tardos
from dpverify.mechanisms.learners.tardos import factor_as_printed, suspicion_of_innocent_of_bias
from dpverify.verifiers.utility import clopper_pearson


def test_sizes_are_as_printed() -> None:
    code = Tardos(5, factor_as_printed(5, F(1, 10)))
    assert code.factor == 4 >= log(50)
    assert (code.length, code.limit, code.cut_off) == (100 * 25 * 4, F(20 * 5 * 4), F(1, 1500))


@given(st.integers(0, 99), st.integers(2, 5), st.sampled_from(sorted(PIRATE_STRATEGIES)))
@few(10)
def test_scores_are_as_written_and_go_with_the_users(seed: int, users: int, strategy: str) -> None:
    source = np.random.default_rng(seed)
    code = Tardos(users, 1, columns=60, threshold=F(1, 10))
    biases, matrix = code.codebook(source)
    assert matrix.shape == (users, 60)
    assert float(code.cut_off) <= biases.min() <= biases.max() <= 1 - float(code.cut_off)
    word = PIRATE_STRATEGIES[strategy](matrix[:-1], source)
    scores = code.scores(biases, matrix, word)
    for i in range(users):
        score = sum(
            y * (sqrt((1 - p) / p) if x else -sqrt(p / (1 - p)))
            for p, x, y in zip(biases.tolist(), matrix[i].tolist(), word.tolist(), strict=True)
        )
        assert scores[i] == pytest.approx(score, abs=1e-9)
    order = source.permutation(users)
    assert code.scores(biases, matrix[order], word) == pytest.approx(scores[order], abs=1e-9)
    accused = {i + 1 for i in range(users) if scores[i] > float(code.limit)}
    assert set(code.accused(biases, matrix, word)) == accused
    columns = source.permutation(60)
    assert code.scores(biases[columns], matrix[:, columns], word[columns]) == pytest.approx(scores, abs=1e-9)


@pytest.mark.parametrize("odds", [F(1), F(2), F(1, 3), F(7)])
def test_an_innocent_user_against_all_rows(odds: F) -> None:
    code = Tardos(1, 1, columns=8, threshold=F(1, 5))
    bias = 1 / (1 + odds * odds)
    for ones in (0, 3, 8):
        guilty = F(0)
        for row in product((0, 1), repeat=ones):
            if sum(odds if bit else -1 / odds for bit in row) > code.limit:
                guilty += bias ** sum(row) * (1 - bias) ** (ones - sum(row))
        assert suspicion_of_innocent_of_bias(code, odds, ones).probability(True) == guilty


def test_sampled_frequencies_lie_in_the_interval_around_the_exact_number() -> None:
    code, odds, ones, trials = Tardos(1, 1, columns=50, threshold=F(1, 2)), F(2), 50, 1_000
    source = np.random.default_rng(2)
    biases, word = np.full(ones, 1 / 5), np.ones(ones, dtype=np.uint8)
    matrix = (source.random((trials, ones)) < 1 / 5).astype(np.uint8)
    found = len(code.accused(biases, matrix, word))
    exactly = suspicion_of_innocent_of_bias(code, odds, ones).probability(True)
    low, high = clopper_pearson(found, trials, F(999, 1000))
    assert low < exactly < high
    assert found


@in_one("strategy", sorted(PIRATE_STRATEGIES))
def test_a_coalition_of_three_is_traced(strategy: str) -> None:
    source = np.random.default_rng(1)
    code = Tardos(4, factor_as_printed(4, F(1, 10)))
    biases, matrix = code.codebook(source)
    accused = code.accused(biases, matrix, PIRATE_STRATEGIES[strategy](matrix[:-1], source))
    assert accused
    assert 4 not in accused


def test_what_is_refused() -> None:
    code = Tardos(2, 1)
    with pytest.raises(InputError, match="a bias of 1/626, must be from 1/600 to 599/600"):
        suspicion_of_innocent_of_bias(code, 25, 1)
    with pytest.raises(InputError, match="ones=401"):
        suspicion_of_innocent_of_bias(code, 1, 401)
    with pytest.raises(InputError, match="users=0"):
        Tardos(0, 1)
    with pytest.raises(InputError, match="columns=0"):
        Tardos(1, 1, columns=0)
