"""Pairs of neighbours by codes, whole arrays at once, against the relations' own generators, one database at a time."""

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dpverify.mechanisms import Draw, InputError, Limits, bernoulli
from dpverify.verifiers import (
    LabelledSamples,
    Multisets,
    ScoreSpace,
    Tuples,
    add_or_remove_one,
    check_privacy,
    replace_one,
    scores_linf,
)
from dpverify.verifiers.problems.neighbours import pairs as in_blocks
from dpverify.verifiers.problems.neighbours import score_codes
from dpverify.verifiers.problems.neighbours.neighbours import RELATIONS, neighbouring_pairs, pairs_within
from dpverify.verifiers.problems.neighbours.pairs import NeighbouringPairs
from dpverify.verifiers.problems.questions.moves import NeighbourRelation

MIXED = [(0, "a"), (0, "b"), (1, "a"), (2, "b"), (2, "c")]
SOME_SIZES = [(0,), (1,), (3,), (0, 1, 2), (1, 3, 4)]
SCORES = [(5,), (0, 1), range(-2, 2), (0, 1, 3), (0, 1, 10**9), (-(10**8), 1 - 10**8)]

OF_ROWS: list[Any] = [
    *(
        kind(range(universe), sizes=sizes)
        for kind in (Tuples, Multisets)
        for universe in (1, 2, 4)
        for sizes in SOME_SIZES
    ),
    *(Multisets(universe, sizes=sizes) for universe in ("cab", MIXED, [*MIXED, 3]) for sizes in SOME_SIZES),
    *(Tuples(universe, sizes=sizes) for universe in (MIXED[:3], [3, *MIXED[:2]]) for sizes in SOME_SIZES),
    *(LabelledSamples(range(2), labels=labels, sizes=sizes) for labels in ((0, 1), "xyz") for sizes in SOME_SIZES[:-1]),
]
OF_SCORES: list[Any] = [
    *(ScoreSpace(scores, solutions=solutions) for scores in SCORES for solutions in (1, 2, 3)),
    ScoreSpace((0, 10**30, 10**30 + 1), solutions=2),  # no number of 64 bits
]
DOMAINS: list[Any] = [*OF_ROWS, *OF_SCORES]


def one_by_one(domain: Any, relation: NeighbourRelation) -> NeighbouringPairs:
    """As a relation of one's own would be taken: nobody knows that it is one of dpverify."""
    return pairs_within(list(domain), domain, partial(relation))


@pytest.fixture(params=[(1 << 18, 1 << 24, 10**7), (7, 0, 0)], ids=["at once", "in small blocks, not held"])
def sizes_of_blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once, held, largest_table = request.param
    monkeypatch.setattr(in_blocks, "AT_ONCE", at_once)
    monkeypatch.setattr(in_blocks, "_HELD_AT_MOST", held)
    monkeypatch.setattr(score_codes, "_LARGEST_TABLE", largest_table)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", [name for name in RELATIONS if name not in ("gaps_linf", "bounded_growth")])
@pytest.mark.usefixtures("sizes_of_blocks")
def test_both_ways_give_the_same_pairs_in_the_same_order(name: str) -> None:
    relation, compared = RELATIONS[name], 0
    for domain in DOMAINS:
        try:
            slow = one_by_one(domain, relation)
        except InputError:  # the relation is not for that domain
            with pytest.raises(InputError):
                pairs_within(list(domain), domain, relation)
            continue
        fast = pairs_within(list(domain), domain, relation)
        assert fast.left.tolist() == slow.left.tolist()
        assert fast.right.tolist() == slow.right.tolist()
        assert (fast.count, fast.outside, fast.databases) == (slow.count, slow.outside, slow.databases)
        compared += fast.count
    assert compared > 100


@given(
    st.sampled_from([domain for domain in DOMAINS if not domain.has_more_than(90)]),
    st.sampled_from([replace_one, add_or_remove_one, scores_linf]),
    st.integers(1, 9),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_blocks_in_any_order_hold_each_pair_once(
    domain: Any, relation: NeighbourRelation, at_once: int, is_held: bool, random: Any
) -> None:
    assume(isinstance(domain, Tuples | Multisets) != (relation is scores_linf))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(in_blocks, "AT_ONCE", at_once)
        patch.setattr(in_blocks, "_HELD_AT_MOST", 1 << 24 if is_held else 0)
        pairs = pairs_within(list(domain), domain, relation)
        order = list(range(pairs.databases))
        random.shuffle(order)
        blocks = list(pairs.blocks(np.array(order)))
        assert np.concatenate(blocks).tolist() == order
        of_blocks = [side for block in blocks for side in zip(*map(list, pairs.of(block)), strict=True)]
        right_of: dict[int, list[int]] = {left: [] for left in order}
        for left, right in zip(pairs.left.tolist(), pairs.right.tolist(), strict=True):
            right_of[left].append(right)
        assert of_blocks == [(left, right) for left in order for right in right_of[left]]
        for block, after in pairwise(blocks) if is_held else ():
            assert sum(len(right_of[left]) for left in [*block, after[0]]) > at_once  # or it would be one of these
            assert len(block) == 1 or sum(len(right_of[left]) for left in block) <= at_once
        sides = list(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True))
        assert pairs.at(range(len(sides))) == sides and pairs.at(range(-1 + len(sides), -1, -3)) == sides[::-3]
        for i, side in enumerate(sides):
            assert pairs.place(*side) == i


def test_listed_pairs_are_ordered_and_counted_once() -> None:
    pairs = NeighbouringPairs.listed(np.array([8, 2, 8]), 4)
    assert (pairs.count, pairs.left.tolist(), pairs.right.tolist()) == (2, [0, 2], [2, 0])


class Reversed(Multisets):
    """A domain of the user's own, whose databases come in another order."""

    def __iter__(self) -> Iterator[Any]:
        return reversed(list(super().__iter__()))


def test_a_domain_that_is_derived_keeps_its_own_order() -> None:
    domain = Reversed(range(3), size=2)
    found = neighbouring_pairs(list(domain), domain, replace_one)
    databases = list(domain)
    assert {(databases[i], databases[j]) for i, j in zip(found.left, found.right, strict=True)} == {
        (a, b) for a in databases for b in databases if sum(min(a.count(x), b.count(x)) for x in range(3)) == 1
    }


def coin(draw: Draw, database: Any) -> Any:
    return draw(bernoulli("0.5"))


@pytest.mark.parametrize(
    ("domain", "relation"),
    [
        (Multisets(range(3), size=6), replace_one),
        (Tuples((0, 1), sizes=range(5)), add_or_remove_one),
        (ScoreSpace(range(5), solutions=2), scores_linf),
        (range(30), lambda number: range(30)),
    ],
    ids=["multisets", "tuples", "scores", "list"],
)
def test_too_many_pairs_are_refused_and_no_pair_less(domain: Any, relation: NeighbourRelation) -> None:
    claim: dict[str, Any] = {"epsilon": 1, "recheck": False}
    count = check_privacy(coin, domain, relation, **claim).pairs.covered
    assert check_privacy(coin, domain, relation, **claim, limits=Limits(pairs=count)).pairs.covered == count
    with pytest.raises(InputError, match=rf"has more than {count - 1:,} ordered pairs of neighbours under") as refused:
        check_privacy(coin, domain, relation, **claim, limits=Limits(pairs=count - 1))
    assert "--limit pairs=" in str(refused.value)


@pytest.mark.parametrize(("domain", "count"), [(Tuples(range(500), size=2), 249_500_000)], ids=str)
def test_what_takes_days_is_refused_in_seconds(domain: Any, count: int) -> None:
    assert count > Limits().pairs
    with pytest.raises(InputError, match="more than 5,000,000 ordered pairs"):
        neighbouring_pairs(list(domain), domain, replace_one, Limits(pairs=5_000_000))
