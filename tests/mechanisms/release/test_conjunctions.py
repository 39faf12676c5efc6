"""Conjunctions: what they say of a row, marginal cells, and their counts against counting one by one."""

import random
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import InputError
from dpverify.mechanisms.release import Conjunction, cell_counts, conjunction_counts, literals, marginal_cells
from dpverify.mechanisms.release.conjunctions import queries_of_weight, sparse_queries, submasks_of, width


def test_a_conjunction_is_as_printed() -> None:
    """P(q, u) = 1 − ∨_{i: u_i=0} q_i, and = ∧_{i: q_i=1} u_i."""
    for q in range(16):
        for u in range(16):
            lacking = [q >> i & 1 for i in range(4) if not u >> i & 1]
            asked = [u >> i & 1 for i in range(4) if q >> i & 1]
            assert Conjunction(q)(u) == 1 - max(lacking, default=0) == min(asked, default=1)


def test_width() -> None:
    assert [width(u, 3) for u in (0b000, 0b101, 0b111)] == [3, 1, 0]


@in_one("d, k", [(0, 0), (1, 1), (5, 0), (5, 2), (6, 6), (3, 4)])
def test_the_queries_are_all_of_their_weight(d: int, k: int) -> None:
    assert queries_of_weight(d, k) == tuple(q for q in range(1 << d) if q.bit_count() == k)
    assert sorted(sparse_queries(d, k)) == [q for q in range(1 << d) if q.bit_count() <= k]
    assert sorted(submasks_of((1 << d) - 1, k)) == sorted(sparse_queries(d, k))


@given(st.integers(1, 5), st.data())
def test_each_row_is_in_one_cell_of_each_marginal(d: int, data: st.DataObject) -> None:
    k, u = data.draw(st.integers(0, d)), data.draw(st.integers(0, (1 << d) - 1))
    cells = marginal_cells(d, k)
    assert len(set(cells)) == len(cells) == comb(d, k) << k
    assert list(cells) == sorted(cells)
    low = (1 << d) - 1
    met = [(cell | cell >> d) & low for cell in cells if Conjunction(cell)(literals(u, d))]
    assert tuple(sorted(met)) == queries_of_weight(d, k)


@given(st.integers(0, 6).flatmap(lambda d: st.tuples(st.just(d), st.lists(st.integers(0, (1 << d) - 1), min_size=1))))
def test_counts_are_those_one_by_one(case: tuple[int, list[int]]) -> None:
    d, rows = case
    counts = conjunction_counts(rows, d)
    assert list(counts) == [sum(map(Conjunction(q), rows)) for q in range(1 << d)]
    assert type(counts[0]) is int


def test_counts_of_many_rows() -> None:
    source = random.Random(1)
    rows = [source.getrandbits(14) | source.getrandbits(14) for _ in range(5_000)]
    counts = conjunction_counts(rows, 14)
    for q in (0, 1, 0b11, 0b10000000000101, (1 << 14) - 1):
        assert counts[q] == sum(map(Conjunction(q), rows))
    assert int(np.asarray(counts).sum()) == sum(1 << u.bit_count() for u in rows)  # each row meets its subsets


def test_counts_are_not_to_be_changed() -> None:
    with pytest.raises(TypeError, match="read-only"):
        conjunction_counts((0,), 1)[0] = 5  # type: ignore[index]  # that it has no such method is the point


@pytest.mark.parametrize(
    ("rows", "d", "words"),
    [
        ((), 2, "the database is empty"),
        ((0, 4), 2, "row 1: the point 4"),
        ((0,), -1, "d=-1"),
        ((0,), 27, r"is beyond 26, as all 2\^d conjunctions are counted"),
    ],
)
def test_what_cannot_be_counted_is_refused(rows: tuple[int, ...], d: int, words: str) -> None:
    with pytest.raises(InputError, match=words):
        conjunction_counts(rows, d)


def test_bad_queries_are_refused() -> None:
    with pytest.raises(InputError, match="d=-1"):
        queries_of_weight(-1, 1)
    with pytest.raises(InputError, match="k=-1"):
        sparse_queries(3, -1)
    with pytest.raises(InputError, match=r"k=1\.5"):
        marginal_cells(3, 1.5)  # type: ignore[arg-type]  # whoever has no type checker
    with pytest.raises(InputError, match="u=4"):
        literals(4, 2)


@given(st.lists(st.integers(0, 15), min_size=1, max_size=20), st.integers(0, 4))
def test_cells_are_counted_as_one_by_one(rows: list[int], k: int) -> None:
    cells = marginal_cells(4, k)
    assert cell_counts(rows, cells, 4) == tuple(sum(Conjunction(cell)(literals(u, 4)) for u in rows) for cell in cells)
