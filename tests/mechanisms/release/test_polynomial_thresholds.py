"""Theorem 5.10 of Hardt, Rothblum & Servedio: thresholds of conjunction counts, learnt by linear programming."""

import random
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import InputError, distribution
from dpverify.mechanisms.release import Conjunction, conjunction_counts, learn_polynomial_threshold
from dpverify.mechanisms.release.conjunctions import queries_of_weight, sparse_queries
from dpverify.mechanisms.release.multilinear import PolynomialThreshold
from dpverify.mechanisms.release.polynomial_thresholds import (
    degree_of_thresholds,
    examples_for_polynomials,
    examples_for_thresholds,
    number_of_monomials,
    separating_weights,
)

GIVEN: dict[str, Any] = {"t": Fraction(1, 2), "gamma": Fraction(1, 10), "beta": Fraction(1, 10)}


def learnt(examples: tuple[tuple[int, int], ...], **given_: Any) -> PolynomialThreshold:
    return learn_polynomial_threshold(None, examples, None, **{**GIVEN, **given_})


@given(st.lists(st.tuples(st.integers(0, 15), st.fractions(max_denominator=9)), max_size=12))
def test_a_polynomial_is_evaluated_exactly(terms: list[tuple[int, Fraction]]) -> None:
    found = PolynomialThreshold.of(terms)
    for q in range(16):
        value = sum((c for monomial, c in terms if monomial & q == monomial), Fraction(0))
        assert found.value(q) == value
        assert found(q) == int(value >= 0)
    assert found == PolynomialThreshold.of(reversed(terms))


def test_a_tie_is_1() -> None:
    third = Fraction(1, 3)
    assert PolynomialThreshold.of([(0, -1), (1, third), (2, third), (4, third)])(7) == 1
    assert PolynomialThreshold.of([(0, -1 - Fraction(1, 10**30)), (1, third), (2, third), (4, third)])(7) == 0
    assert PolynomialThreshold(()).degree == 0
    assert PolynomialThreshold(())(5) == 1


@given(st.integers(1, 4), st.data())
def test_a_threshold_is_learnt_from_all_queries(d: int, data: st.DataObject) -> None:
    """At the degree that Lemma 5.3 gives there is a polynomial, and one is found: exactly, and on all of B_k."""
    rows = data.draw(st.lists(st.integers(0, (1 << d) - 1), min_size=1, max_size=5))
    n, k = len(rows), data.draw(st.integers(1, d))
    t = Fraction(data.draw(st.integers(0, 2 * n)), 2 * n)
    examples = tuple((q, int(Fraction(sum(map(Conjunction(q), rows)), n) >= t)) for q in sparse_queries(d, k))
    found = learnt(examples, n=n, t=t, d=d, k=k)
    assert found.degree <= degree_of_thresholds(d, n, k) <= k
    assert all(found(q) == y for q, y in examples)


def test_enough_examples_give_a_small_error() -> None:
    """d = 10, pairs of attributes, 100 rows: 56 monomials, learnt from as many examples as the bound asks for."""
    source = random.Random(1)
    d, k, n, gamma = 10, 2, 100, Fraction(1, 5)
    rows = [source.getrandbits(d) | source.getrandbits(d) for _ in range(n)]
    counts, queries = conjunction_counts(rows, d), sparse_queries(d, k)
    labels = {q: int(2 * counts[q] >= n) for q in queries}
    m = examples_for_thresholds(n, gamma, Fraction(1, 10), d=d, k=k)
    assert m == examples_for_polynomials(56, gamma=gamma, beta=Fraction(1, 10)) == 13_491
    examples = tuple((q, labels[q]) for q in source.choices(queries, k=m))
    found = learnt(examples, n=n, d=d, k=k, gamma=gamma)
    assert all(found(q) == y for q, y in examples)
    assert sum(found(q) != labels[q] for q in queries) <= gamma * len(queries)


def test_many_attributes() -> None:
    """500 of the 4,060 triples of 30 attributes, by polynomials of degree 2: consistent, and most of the rest right."""
    source = random.Random(2)
    d, n = 30, 400
    rates = [source.uniform(0.5, 1) for _ in range(d)]
    rows = [sum((source.random() < rate) << i for i, rate in enumerate(rates)) for _ in range(n)]
    having = {1 << i: sum((row >> i & 1) << j for j, row in enumerate(rows)) for i in range(d)}  # the rows, as bits
    triples = combinations(having, 3)
    labels = {a | b | c: int((having[a] & having[b] & having[c]).bit_count() * 2 >= n) for a, b, c in triples}
    assert labels.keys() == set(queries_of_weight(d, 3))
    chosen = source.sample(sorted(labels), 500)
    found = learnt(tuple((q, labels[q]) for q in chosen), n=n, d=d, k=3, degree=2)
    assert all(found(q) == labels[q] for q in chosen)
    right = sum(found(q) == label for q, label in labels.items())
    assert right > Fraction(9, 10) * len(labels)
    assert found.degree == 2
    assert len(found.terms) <= number_of_monomials(d, 2)


def test_labels_that_no_polynomial_gives_are_mostly_kept() -> None:
    """The parity of two bits is no sign of degree 1."""
    xor = tuple((q, q.bit_count() % 2) for q in range(4))
    right = [sum(learnt(xor, n=1, d=2, degree=degree)(q) == y for q, y in xor) for degree in (1, 2)]
    assert 2 <= right[0] < right[1] == 4


def test_contradicting_examples_give_a_hypothesis() -> None:
    assert learnt(((1, 0), (1, 1)), n=1, d=1)(1) in (0, 1)


def test_nothing_is_drawn_or_asked() -> None:
    def both(draw: Any, rows: tuple[int, ...]) -> PolynomialThreshold:
        return learn_polynomial_threshold(draw, ((0, 1), (1, 0)), None, n=1, d=1, **GIVEN)

    assert len(distribution(both, (0,)).probabilities) == 1


@given(st.sets(st.integers(0, 31), min_size=1), st.data())
def test_the_weights_keep_their_margin(queries: set[int], data: st.DataObject) -> None:
    """With all monomials any labels are separable; rounding moves no sum by more than an eighth."""
    asked = sorted(queries)
    signs = data.draw(st.lists(st.sampled_from([-1, 1]), min_size=len(asked), max_size=len(asked)))
    met = [[monomial for monomial in range(32) if not monomial & ~q] for q in asked]
    weights = separating_weights(met, signs, range(32))
    for one, y in zip(met, signs, strict=True):
        assert y * sum(weights[monomial] for monomial in one) >= Fraction(7, 8) - Fraction(1, 1000)


def test_the_degree_by_hand() -> None:
    """⌈√k⌉·⌈log₂(3n)⌉, and at most k."""
    assert degree_of_thresholds(200, 1, 100) == 20
    assert degree_of_thresholds(200, 10, 100) == 50
    assert degree_of_thresholds(200, 10**6, 100) == 100
    assert degree_of_thresholds(200, 10, 3) == 3
    assert degree_of_thresholds(2, 10, 3) == degree_of_thresholds(2, 10) == 2


def test_the_number_of_monomials() -> None:
    for d, degree in combinations(range(7), 2):
        assert number_of_monomials(d, degree) == len(sparse_queries(d, degree))


def test_the_examples_needed_by_hand() -> None:
    """(4/γ)·log₂(2/β) = 8·4 and (8N/γ)·log₂(13/γ) = 16·log₂ 26 = 75.2…"""
    eighth = Fraction(1, 8)
    assert examples_for_polynomials(1, gamma=Fraction(1, 2), beta=eighth) == 76
    assert examples_for_polynomials(1, gamma=Fraction(1, 2), beta=Fraction(1, 2**19)) == 160


@in_one(
    "changed, words",
    [
        ({"examples": ()}, "the sample is empty"),
        ({"examples": ((4, 0),)}, "row 0: the point 4"),
        ({"examples": ((0, 2),)}, "row 0, with the label 2, is not labelled 0 or 1"),
        ({"examples": ((0, 1), (3, 0)), "k": 1}, "number of attributes of the query 3 is more than k=1"),
        ({"n": 0}, "n=0"),
        ({"t": 2}, "t=2"),
        ({"k": 0}, "k=0"),
        ({"degree": -1}, "degree=-1"),
        ({"gamma": 1}, "gamma=1"),
        ({"beta": 0}, "beta=0"),
    ],
)
def test_bad_input_is_refused(changed: dict[str, Any], words: str) -> None:
    asked: dict[str, Any] = {"examples": ((0, 1),), "n": 1, "d": 2} | changed
    with pytest.raises(InputError, match=words):
        learnt(**asked)
