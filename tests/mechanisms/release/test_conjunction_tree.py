"""Lemmas 5.7 to 5.9 of Hardt, Rothblum & Servedio: trees of narrow leaves, their rank, and signs on the whole cube."""

import random
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms import InputError
from dpverify.mechanisms.release import Conjunction, conjunction_tree, cube_threshold_polynomial, dropping_polynomial
from dpverify.mechanisms.release.conjunction_tree import (
    Branch,
    Leaf,
    decision_list,
    degree_on_the_cube,
    rank_bound,
    rank_reached,
)
from dpverify.mechanisms.release.polynomial_thresholds import degree_of_thresholds

HALF = Fraction(1, 2)
databases = st.integers(1, 6).flatmap(
    lambda d: st.tuples(st.just(d), st.lists(st.integers(0, (1 << d) - 1), min_size=1, max_size=6).map(tuple))
)


def threshold(rows: tuple[int, ...], t: Fraction, d: int) -> list[int]:
    return [int(Fraction(sum(map(Conjunction(q), rows)), len(rows)) >= t) for q in range(1 << d)]


@given(databases, st.data())
def test_the_tree_computes_the_threshold(case: tuple[int, tuple[int, ...]], data: st.DataObject) -> None:
    d, rows = case
    r, t = data.draw(st.integers(1, d)), data.draw(st.fractions(0, 1, max_denominator=12))
    tree = conjunction_tree(rows, t=t, d=d, r=r)
    labels = threshold(rows, t, d)
    assert [tree(q) for q in range(1 << d)] == labels
    assert tree.width <= r
    assert tree.rank <= rank_reached(d, len(rows), r) <= rank_bound(d, len(rows), r)
    entries = tuple(decision_list(tree))
    for q in range(1 << d):
        first = next(leaf for has, lacks, leaf in entries if has & ~q == 0 and lacks & q == 0)
        assert first(q) == labels[q]
    assert all(has.bit_count() + lacks.bit_count() <= tree.rank for has, lacks, _ in entries)


@given(databases, st.data())
def test_the_sign_is_the_threshold_on_the_whole_cube(case: tuple[int, tuple[int, ...]], data: st.DataObject) -> None:
    d, rows = case
    r, t = data.draw(st.integers(1, d)), data.draw(st.fractions(0, 1, max_denominator=12))
    tree = conjunction_tree(rows, t=t, d=d, r=r)
    found = cube_threshold_polynomial(rows, t=t, d=d, r=r)
    assert [found(q) for q in range(1 << d)] == threshold(rows, t, d)
    of_a_leaf = max(leaf.polynomial().degree for _, _, leaf in decision_list(tree))
    assert found.degree <= tree.rank + of_a_leaf


def test_all_databases_of_two_rows() -> None:
    for rows in combinations_with_replacement(range(8), 2):
        for t in (Fraction(0), HALF, Fraction(1)):
            for r in (1, 2, 3):
                found = cube_threshold_polynomial(rows, t=t, d=3, r=r)
                assert [found(q) for q in range(8)] == threshold(rows, t, 3)


@given(databases, st.data())
def test_a_leaf_is_a_sign_of_a_polynomial(case: tuple[int, tuple[int, ...]], data: st.DataObject) -> None:
    """Lemma 5.7, also without rows, with rows that lack nothing, and for more rows than there are."""
    d, lacking = case
    leaf = Leaf(data.draw(st.sampled_from([lacking, (), (0, *lacking)])), data.draw(st.integers(0, 8)))
    found = leaf.polynomial()
    for q in range(1 << d):
        assert found(q) == leaf(q)
        assert Fraction(1, 6) <= abs(found.value(q)) <= max(len(leaf.lacking), leaf.least) + 1
    assert found.degree <= leaf.width


def test_the_rank_bound_as_printed() -> None:
    """It holds with ln, also at n = 1 and r = d; and with the factor 2 left out."""
    for d in range(1, 9):
        for n in (1, 2, 3, 5, 10, 40):
            for r in range(1, d + 1):
                assert rank_reached(d, n, r) <= (rank_bound(d, n, r) - 1) / 2 + 1
    assert rank_bound(5, 1, 2) == 1
    assert rank_reached(5, 1, 2) == conjunction_tree((0,), t=1, d=5, r=2).rank == 1
    assert rank_reached(5, 9, 5) == 0


def test_rank_by_hand() -> None:
    """Four rows that lack three attributes each of three, and one branch kills them all; a full tree of 2^2 leaves."""
    assert conjunction_tree((0,) * 4, t=1, d=3, r=1).rank == 1
    leaf = Leaf((), 0)
    pair = Branch(0, leaf, leaf)
    assert Branch(1, pair, pair).rank == 2
    assert Branch(1, leaf, pair).rank == 1


def test_leaves_of_few_attributes_count_rows_of_the_whole_database() -> None:
    """Lemma 5.8 as printed, with f^{D′}_t for D′ ⊆ D, fails at D = (00, 11), t = 1, r = 1.

    Of width at most 1 is D′ = (11) alone, on which f^{D′}_1 = 1 everywhere, so that any tree of such leaves is constant;
    but f^D_1 is 1 at q = 00 alone. The leaf for q_0 = 1 has D′ = (11), and must ask for 2 rows.
    """
    rows = (0b00, 0b11)
    assert threshold(rows, Fraction(1), 2) == [1, 0, 0, 0]
    narrow = [
        some for size in (1, 2) for some in combinations(rows, size) if all((3 & ~u).bit_count() <= 1 for u in some)
    ]
    assert narrow == [(0b11,)]
    assert threshold(narrow[0], Fraction(1), 2) == [1, 1, 1, 1]
    tree = conjunction_tree(rows, t=1, d=2, r=1)
    assert tree == Branch(0, Leaf((0b10, 0), 2), Leaf((0,), 2))


def test_the_degree_of_a_product_is_a_sum() -> None:
    """Lemma 5.9 writes the greater of rank and degree; here the sum is reached, which is more."""
    source = random.Random(1)
    reached = []
    for _ in range(20):
        rows = tuple(source.getrandbits(5) for _ in range(3))
        tree = conjunction_tree(rows, t=HALF, d=5, r=2)
        leaves = max(leaf.polynomial().degree for _, _, leaf in decision_list(tree))
        reached.append(cube_threshold_polynomial(rows, t=HALF, d=5, r=2).degree > max(tree.rank, leaves))
    assert any(reached)


def test_the_tree_saves_degree_in_many_attributes() -> None:
    """At 400 attributes and 2 rows: 60 for one leaf of all attributes, and 2 + 1 for leaves of one."""
    assert dropping_polynomial(400, Fraction(1, 6)).degree == 60
    assert degree_on_the_cube(400, 2) == 3
    for d in (1, 2, 10, 50):
        for n in (1, 2, 20):
            one_leaf = min(d, dropping_polynomial(d, Fraction(1, 3 * n)).degree)
            assert 0 < degree_on_the_cube(d, n) == degree_of_thresholds(d, n) <= one_leaf


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"rows": ()}, "the database is empty"),
        ({"rows": (4,)}, "row 0: the point 4"),
        ({"t": 2}, "t=2"),
        ({"r": 0}, "r=0"),
        ({"r": 3}, "r=3 is more than d=2"),
    ],
)
def test_bad_input_is_refused(changed: dict[str, Any], words: str) -> None:
    asked: dict[str, Any] = {"rows": (0,), "t": 1, "d": 2, "r": 1} | changed
    with pytest.raises(InputError, match=words):
        conjunction_tree(**asked)
