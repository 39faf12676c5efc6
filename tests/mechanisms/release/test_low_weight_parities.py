"""Theorem 6.4 of Hardt, Rothblum & Servedio: thresholds of counts of simple predicates, by parities of few bits."""

import random
from collections.abc import Callable
from fractions import Fraction
from math import ceil, log
from typing import Any

import pytest
from tests.examples import in_one

from dpverify.mechanisms import InputError
from dpverify.mechanisms.release import Conjunction, learn_low_weight_parities
from dpverify.mechanisms.release.low_weight_parities import examples_for_low_weight_parities
from dpverify.mechanisms.release.majority_of_parities import MajorityOfParities

TENTH, HALF = Fraction(1, 10), Fraction(1, 2)


def by_conjunctions(q: int, u: int) -> int:
    return Conjunction(q)(u)


def by_dnf(q: int, u: int) -> int:
    """(q_0 ∧ u_0) ∨ (q_1 ∧ ¬u_1) ∨ (q_2 ∧ q_3 ∧ u_2) ∨ …: a formula of depth 2."""
    return int(bool(q & u & 1 or q & ~u & 2 or (q & 12 == 12 and u & 4) or (q & u & 16)))


def no_ask(_: int) -> Any:
    raise AssertionError("nothing is to be asked")


def learnt(examples: tuple[tuple[int, int], ...], **given_: Any) -> MajorityOfParities:
    asked: dict[str, Any] = {"n": 3, "t": HALF, "gamma": TENTH, "beta": TENTH, "edge": Fraction(1, 8)} | given_
    return learn_low_weight_parities(None, examples, no_ask, **asked)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("predicate", [by_conjunctions, by_dnf])
@pytest.mark.parametrize("t", [Fraction(1, 3), Fraction(2, 3)])
def test_it_learns_from_all_queries(predicate: Callable[[int, int], int], t: Fraction) -> None:
    source = random.Random(1)
    rows = [source.getrandbits(5) | source.getrandbits(5) for _ in range(3)]
    examples = tuple((q, int(Fraction(sum(predicate(q, u) for u in rows), 3) >= t)) for q in range(32))
    found = learnt(examples, t=t, d=5, weight=3)
    assert sum(found(q) != y for q, y in examples) < TENTH * 32
    assert all(y.bit_count() <= 3 for y, _ in found.votes)


def test_it_learns_under_a_smooth_distribution() -> None:
    """Examples from half of the queries, each up to three times; the rest, where G is 0, may be anything."""
    source = random.Random(2)
    rows = [source.getrandbits(6) | source.getrandbits(6) for _ in range(4)]
    label = {q: int(sum(by_conjunctions(q, u) for u in rows) >= 2) for q in range(64)}
    queries = source.choices(source.sample(range(64), 32), k=64)
    found = learnt(tuple((q, label[q]) for q in queries), n=4, d=6, weight=3)
    assert sum(found(q) != label[q] for q in queries) < TENTH * 64


def test_what_no_such_parity_goes_with_is_not_learnt() -> None:
    """The parity of four bits has nothing in common with one of three: no vote is cast, and the label is 1."""
    examples = tuple((q, q.bit_count() % 2) for q in range(16))
    assert learnt(examples, d=4, weight=3) == MajorityOfParities(())
    found = learnt(examples, d=4, weight=4)
    assert [y for y, _ in found.votes] == [15]
    assert all(found(q) == y for q, y in examples)


def test_examples_count_as_often_as_they_occur() -> None:
    """By nine in ten the constant has an advantage, where one of each label would leave it none."""
    found = learnt(((0, 0),) * 9 + ((1, 1),), d=1, weight=0, gamma=HALF)
    assert [(y, v < 0) for y, v in found.votes] == [(0, True)]


def test_contradicting_examples_give_a_hypothesis() -> None:
    assert learnt(((1, 0), (1, 1)), d=1, weight=1)(1) in (0, 1)


def test_the_examples_needed_by_hand() -> None:
    """a = 1 and γ = 1/2: L = 8, T = 72, and 1 + 3 parities."""
    needed = examples_for_low_weight_parities(gamma=HALF, beta=TENTH, d=3, weight=1, edge=1)
    assert needed == ceil(128 * 4 * (73 * log(8) + log(20)))


@in_one(
    "changed, words",
    [
        ({"examples": ()}, "the sample is empty"),
        ({"examples": ((2, 0),)}, "row 0: the point 2"),
        ({"n": 0}, "n=0"),
        ({"t": -1}, "t=-1"),
        ({"gamma": 0}, "gamma=0"),
        ({"beta": 1}, "beta=1"),
        ({"weight": -1}, "weight=-1"),
        ({"edge": 0}, "edge=0"),
    ],
)
def test_bad_input_is_refused(changed: dict[str, Any], words: str) -> None:
    asked: dict[str, Any] = {"examples": ((0, 1),), "d": 1, "weight": 1} | changed
    with pytest.raises(InputError, match=words):
        learnt(**asked)
