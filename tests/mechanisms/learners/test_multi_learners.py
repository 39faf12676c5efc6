"""Many concepts at once: the histograms, parities over GF(2), and the learners of Bun, Nissim & Stemmer."""

import random
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import Draw, InputError, distribution, exp, run
from dpverify.mechanisms.learners import (
    Parity,
    direct_sum,
    generic_learner,
    learn_many,
    learn_many_points,
    learn_parities,
)
from dpverify.mechanisms.learners.multi_learners import _two_best
from dpverify.mechanisms.learners.parities import nearest_parity, solution, subsamples_for_parities
from dpverify.mechanisms.sanitizers import Point, cut_off_histogram, stable_histogram, thresholds
from dpverify.mechanisms.sanitizers.concepts import AllZero
from dpverify.mechanisms.selection import Bottom, choose_by_stability, choose_by_stability_journal

GIVEN: dict[str, Any] = {"epsilon": 1, "delta": Fraction(1, 10)}


def test_a_histogram_of_one_point() -> None:
    """Three rows: 3 + N, of scale 2, is released above 2·ln 20 + 1 = 6.99…, and with cut-offs above 3/4."""
    z = exp(Fraction(-1, 2))
    assert distribution(stable_histogram, (1, 1, 1), d=1, **GIVEN).probability(()) == 1 - z**4 / (1 + z)
    cut = distribution(cut_off_histogram, (1, 1, 1), d=1, alpha=1, epsilon=1)
    assert cut.probability(()) == z**3 / (1 + z)
    assert cut.probability(((1, 1),)) == (1 - z) / (1 + z)


def test_what_occurs_too_seldom_has_no_noise() -> None:
    law = distribution(cut_off_histogram, (0,) * 15 + (1,), d=1, alpha=Fraction(1, 2), epsilon=1000)
    assert law.probability(((0, Fraction(15, 16)),)) > Fraction(999, 1000)


rows_of_bits = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 3)), min_size=1, max_size=6).map(tuple)


@given(rows_of_bits)
def test_gaussian_elimination_finds_what_trying_all_does(rows: tuple[tuple[int, int], ...]) -> None:
    fits = [[y for y in range(8) if all(Parity(y)(x) == labels >> j & 1 for x, labels in rows)] for j in range(2)]
    found = solution(rows, 3, 2)
    if all(fits):
        assert found is not None
        assert all(y in ys for y, ys in zip(found, fits, strict=True))
    else:
        assert found is None


def test_parities_of_many_bits() -> None:
    source = random.Random(1)
    d, k = 64, 16
    parities = tuple(Parity(source.getrandbits(d)) for _ in range(k))
    points = [source.getrandbits(d) for _ in range(5_000)]
    rows = tuple((x, sum(parity(x) << j for j, parity in enumerate(parities))) for x in points)
    asked: dict[str, Any] = {"d": d, "k": k, "size": d + 10, "epsilon": 1, "delta": Fraction(1, 10**6)}
    assert run(learn_parities, rows, seed=1, selection=choose_by_stability, **asked) == parities
    assert run(learn_parities, rows[:200], seed=1, selection=choose_by_stability, **asked) is Bottom.BOTTOM


def test_a_parity_of_one_bit_by_hand() -> None:
    """Subsamples give 1, 1, and, as 0 = 1 contradicts itself, ⊥: a gap of 2."""
    rows = ((1, 1), (1, 1), (0, 1))
    law = distribution(learn_parities, rows, d=1, k=1, size=1, selection=choose_by_stability_journal, **GIVEN)
    assert law.probability((Parity(1),)) == exp(2) / 20
    # the corrected A_dist, which runs by default, meets δ there
    assert distribution(learn_parities, rows, d=1, k=1, size=1, **GIVEN).probability((Parity(1),)) == GIVEN["delta"]
    assert law.probability(Bottom.BOTTOM) == 1 - exp(2) / 20


@given(st.integers(0, 3).flatmap(lambda d: st.lists(st.integers(0, 1), min_size=1 << d, max_size=1 << d)))
def test_the_nearest_parity(table: list[int]) -> None:
    d = len(table).bit_length() - 1
    agree = [sum(Parity(y)(x) == table[x] for x in range(1 << d)) for y in range(1 << d)]
    assert nearest_parity(table.__getitem__, d) == Parity(agree.index(max(agree)))


def test_subsamples() -> None:
    # 3·ln(2·10^7) = 50.43…
    asked: dict[str, Any] = {"beta": "0.1", "epsilon": 1, "delta": "1e-6"}
    assert subsamples_for_parities(selection=choose_by_stability_journal, **asked) == 51
    # 3·(2·ln(5·10^6) + 2) = 98.54…
    assert subsamples_for_parities(**asked) == 99


def test_the_direct_sum_is_a_product() -> None:
    def learner(draw: Draw, sample: Any) -> Any:
        return generic_learner(draw, sample, hypotheses=thresholds(1), epsilon=1)

    rows = ((0, 1), (1, 2), (1, 3))
    law = distribution(direct_sum, rows, k=2, learner=learner)
    alone = [distribution(learner, tuple((x, y >> j & 1) for x, y in rows)) for j in range(2)]
    for pair in product(thresholds(1), repeat=2):
        assert law.probability(pair) == alone[0].probability(pair[0]) * alone[1].probability(pair[1])


def test_the_generic_learner_has_a_concept_for_each_labelling_of_the_sanitized_points() -> None:
    def sanitizer(draw: Draw, points: Any) -> Any:
        return (1, 1)

    law = distribution(learn_many, ((0, 0), (1, 1)), k=1, concepts=thresholds(2), sanitizer=sanitizer, epsilon=2)
    # of the thresholds 0 to 4, 0 stands for those that label 1 with 0, and 2 for the others
    weights = {0: exp(1), 2: exp(1)}
    assert {h.j for (h,) in law.probabilities} == set(weights)
    assert law.probability((thresholds(2)[2],)) == Fraction(1, 2)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=7), st.sets(st.integers(0, 2)))
def test_the_two_best_choices_of_vectors(rows: list[tuple[int, int]], heavy: set[int]) -> None:
    points = sorted(heavy)
    best, best_score, second, second_score = _two_best(rows, points)
    if not points:
        assert (best, second) == ((), None)
        return
    quality = {
        v: min(rows.count((x, y)) for x, y in zip(points, v, strict=True))
        for v in product(range(4), repeat=len(points))
    }
    scores = sorted(quality.values(), reverse=True)
    assert (best_score, second_score) == (scores[0], scores[1])
    assert quality[best] == best_score
    assert second is not None
    assert second != best
    assert quality[second] == second_score


def test_points_with_many_labels() -> None:
    rows = tuple((7, 0b101) for _ in range(200)) + tuple((i, 0) for i in range(8, 208))
    given: dict[str, Any] = {"d": 20, "k": 3, "alpha": Fraction(1, 2), "epsilon": 1, "delta": Fraction(1, 10**6)}
    found = run(learn_many_points, rows, seed=1, selection=choose_by_stability, **given)
    assert found == (Point(7), AllZero(), Point(7))
    assert run(learn_many_points, rows[:2], seed=1, selection=choose_by_stability, **given) == (AllZero(),) * 3


@in_one(
    "mechanism, rows, changed, words",
    [
        (stable_histogram, (), {}, "the database is empty"),
        (stable_histogram, (2,), {}, "row 0: the point 2"),
        (stable_histogram, (0,), {"delta": 0}, "delta=0"),
        (learn_parities, (), {}, "the sample is empty"),
        (learn_parities, ((2, 0),), {}, "row 0, with x=2, is not of 1 bits"),
        (learn_parities, ((0, 2),), {}, "row 0, with labels=2, is not of 1 bits"),
        (learn_parities, ((0,),), {}, "is not a pair"),
        (learn_parities, ((0, 0),), {"size": 2}, "1 rows do not fit one subsample of 2"),
        (learn_many_points, ((0, 2),), {}, "row 0, .* with labels of 1 bits"),
        (learn_many_points, ((5, 0),), {}, "row 0: the point 5"),
        (learn_many_points, ((0, 0),), {"alpha": 0}, "alpha=0"),
    ],
)
def test_bad_input(mechanism: Any, rows: Any, changed: dict[str, Any], words: str) -> None:
    given: dict[Any, dict[str, Any]] = {
        stable_histogram: {"d": 1, **GIVEN},
        learn_parities: {"d": 1, "k": 1, "size": 1, "selection": choose_by_stability_journal, **GIVEN},
        learn_many_points: {"d": 1, "k": 1, "alpha": 1, **GIVEN},
    }
    with pytest.raises(InputError, match=words):
        distribution(mechanism, rows, **{**given[mechanism], **changed})


def test_no_concepts() -> None:
    with pytest.raises(InputError, match="concepts is empty"):
        distribution(learn_many, ((0, 0),), k=1, concepts=(), sanitizer=stable_histogram, epsilon=1)
