"""Domains and neighbour relations, against their definitions by brute force."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from functools import partial
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import InputError
from dpverify.verifiers import (
    LabelledSamples,
    Multisets,
    ScoreSpace,
    Tuples,
    add_or_remove_one,
    change_one_label,
    replace_one,
    scores_l1,
    scores_linf,
)
from dpverify.verifiers.problems.neighbours import bounded_growth, gaps_linf
from dpverify.verifiers.problems.neighbours.neighbours import RELATIONS, neighbouring_pairs
from dpverify.verifiers.problems.neighbours.pairs import NeighbouringPairs
from dpverify.verifiers.problems.questions import BoundedGrowth, ScoreGaps
from dpverify.verifiers.problems.questions.domains import BUILT_IN, Listed, listed_databases
from dpverify.verifiers.problems.questions.moves import NeighbourRelation
from dpverify.verifiers.problems.questions.row_orders import number_of_orders, other_orders, some_orders

Pairs = set[tuple[Hashable, Hashable]]


def pairs_of(domain: Any, relation: NeighbourRelation) -> Pairs:
    databases = listed_databases(domain, 10**6)
    space = domain if isinstance(domain, BUILT_IN) else Listed(databases, domain)
    found = neighbouring_pairs(databases, space, relation)
    listed_pairs = [(databases[i], databases[j]) for i, j in zip(found.left, found.right, strict=True)]
    assert len(set(listed_pairs)) == len(listed_pairs)
    return set(listed_pairs)


def by_definition(domain: Iterable[Any], related: Any) -> Pairs:
    databases = list(domain)
    return {(a, b) for a in databases for b in databases if a != b and related(a, b)}


def differ_in_one(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    return len(a) == len(b) and sum(x != y for x, y in zip(a, b, strict=True)) == 1


def multisets_differ_in_one(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    rest = list(b)
    for row in a:
        if row in rest:
            rest.remove(row)
    return len(a) == len(b) and len(rest) == 1


def one_row_more_or_less(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    longer, shorter = (a, b) if len(a) > len(b) else (b, a)
    return len(longer) == len(shorter) + 1 and any(longer[:i] + longer[i + 1 :] == shorter for i in range(len(longer)))


def one_more_or_less(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    return one_row_more_or_less(tuple(sorted(a)), tuple(sorted(b))) or any(
        tuple(sorted((*b, row))) == tuple(sorted(a)) or tuple(sorted((*a, row))) == tuple(sorted(b)) for row in {*a, *b}
    )


def test_tuples() -> None:
    domain = Tuples("ab", sizes=(0, 2))
    assert list(domain) == [(), ("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")]
    assert len(domain) == 5
    assert repr(domain) == "Tuples(('a', 'b'), sizes=(0, 2))"
    assert eval(repr(Tuples(range(3), sizes=range(1, 4)))).sizes == (1, 2, 3)


def test_multisets() -> None:
    domain = Multisets(range(3), size=2)
    assert list(domain) == [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    assert len(domain) == 6
    assert domain.canonical((2, 0)) == (0, 2)
    assert set(domain.other_orders((0, 0, 1))) == {(0, 1, 0), (1, 0, 0)}
    assert number_of_orders((0, 0, 1, 2)) == 12
    assert list(other_orders(tuple([0] * 5_000))) == []  # as many as Python never nests


def test_multisets_follow_the_order_of_their_universe() -> None:
    domain = Multisets("ba", size=2)
    assert list(domain) == [("b", "b"), ("b", "a"), ("a", "a")]
    assert domain.canonical(("a", "b")) == ("b", "a")


def test_labelled_samples() -> None:
    domain = LabelledSamples(range(2), size=1)
    assert list(domain) == [((0, 0),), ((0, 1),), ((1, 0),), ((1, 1),)]
    assert repr(domain) == "LabelledSamples(range(0, 2), size=1)"
    assert LabelledSamples("xy", labels=(1, 2, 3), size=2).labels == (1, 2, 3)
    assert "labels=(1, 2, 3)" in repr(LabelledSamples("xy", labels=(1, 2, 3), size=2))


def test_score_space_is_smallest_first() -> None:
    domain = ScoreSpace(range(3), solutions=2)
    assert len(domain) == len(list(domain)) == 9
    assert next(iter(domain)) == (0, 0)
    assert list(domain)[-1] == (2, 2)
    keys = [(max(v), sum(v)) for v in domain]
    assert keys == sorted(keys)


@pytest.mark.parametrize("domain", [Tuples(range(3), size=3), Tuples("ab", sizes=range(4)), Tuples((0, 1), size=1)])
def test_replace_one_on_tuples(domain: Tuples) -> None:
    assert pairs_of(domain, replace_one) == by_definition(domain, differ_in_one)


@pytest.mark.parametrize(
    "domain", [Multisets(range(3), size=4), Multisets("cab", sizes=range(4)), LabelledSamples(range(2), size=3)]
)
def test_replace_one_on_multisets(domain: Multisets) -> None:
    assert pairs_of(domain, replace_one) == by_definition(domain, multisets_differ_in_one)


def test_add_or_remove_one() -> None:
    tuples = Tuples(range(2), sizes=range(5))
    assert pairs_of(tuples, add_or_remove_one) == by_definition(tuples, one_row_more_or_less)
    multisets = Multisets(range(3), sizes=range(4))
    assert pairs_of(multisets, add_or_remove_one) == by_definition(multisets, one_more_or_less)


def test_change_one_label() -> None:
    domain = LabelledSamples(range(2), size=3)

    def same_points(a: Any, b: Any) -> bool:
        return sorted(x for x, _ in a) == sorted(x for x, _ in b)

    pairs = pairs_of(domain, change_one_label)
    assert pairs == {
        (a, b) for a, b in by_definition(domain, multisets_differ_in_one) if _label_change(a, b) and same_points(a, b)
    }
    assert pairs < pairs_of(domain, replace_one)


def _label_change(a: Any, b: Any) -> bool:
    gone = list(a)
    for row in b:
        if row in gone:
            gone.remove(row)
    come = list(b)
    for row in a:
        if row in come:
            come.remove(row)
    return len(gone) == len(come) == 1 and gone[0][0] == come[0][0]


@in_one("scores", [range(4), range(-2, 2), (0, 1, 3), (5,)])
@in_one("relation", [scores_linf, scores_l1])
def test_score_relations_and_their_vectorised_form(scores: Any, relation: NeighbourRelation) -> None:
    domain = ScoreSpace(scores, solutions=3)

    def linf(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
        return max(abs(x - y) for x, y in zip(a, b, strict=True)) <= 1

    def l1(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
        return sum(abs(x - y) for x, y in zip(a, b, strict=True)) <= 1

    expected = by_definition(domain, linf if relation is scores_linf else l1)
    if not expected:
        with pytest.raises(InputError, match="no pair of neighbours"):
            pairs_of(domain, relation)
        return
    assert pairs_of(domain, relation) == expected
    slow = neighbouring_pairs(list(domain), domain, partial(relation))
    fast = neighbouring_pairs(list(domain), domain, relation)
    assert codes(slow) == codes(fast)
    assert slow.outside == fast.outside


def codes(pairs: NeighbouringPairs) -> set[tuple[int, int]]:
    return set(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True))


def test_neighbours_outside_are_skipped_and_counted() -> None:
    domain = Multisets(range(2), sizes=range(3))
    pairs = neighbouring_pairs(list(domain), domain, add_or_remove_one)
    # each of the three databases of two rows has two larger ones
    assert pairs.outside == 6


def test_relations_and_domains_of_ones_own() -> None:
    def doubled(database: int) -> Iterator[int]:
        yield database * 2

    def next_one(database: int, domain: Any) -> Iterator[int]:
        assert len(domain) == 6
        yield database + 1

    numbers = list(range(6))
    assert pairs_of(numbers, doubled) == {(1, 2), (2, 1), (2, 4), (4, 2)}  # both directions of each
    assert pairs_of(numbers, next_one) == {(i, j) for i in numbers for j in numbers if abs(i - j) == 1}


def test_a_relation_whose_parameters_cannot_be_told_is_given_the_database_alone() -> None:
    """As of `range`, which yields all numbers below one: what is built in need not have a signature."""
    assert pairs_of(list(range(4)), range) == {(i, j) for i in range(4) for j in range(4) if i != j}


def test_every_relation_is_known_by_its_name() -> None:
    """They are listed here once more, as the command line's users know them: one that is lost is missed by nobody else."""
    ours = (replace_one, add_or_remove_one, change_one_label, scores_linf, scores_l1, gaps_linf, bounded_growth)
    assert {relation.__name__: relation for relation in ours} == RELATIONS
    domain = Tuples("ab", size=2)
    assert pairs_of(domain, RELATIONS["replace_one"]) == pairs_of(domain, replace_one)


def test_a_relation_is_given_the_domain_that_its_user_has_made() -> None:
    class Clock:
        hours = 5

        def __iter__(self) -> Iterator[int]:
            return iter(range(self.hours))

    def next_hour(hour: int, domain: Any) -> Iterator[int]:
        yield (hour + 1) % domain.hours

    ahead = {(hour, (hour + 1) % 5) for hour in range(5)}
    assert pairs_of(Clock(), next_hour) == ahead | {(b, a) for a, b in ahead}


def test_a_list_takes_its_rows_for_the_universe() -> None:
    databases = [("a", "a"), ("a", "b"), ("c", "b")]
    assert pairs_of(databases, replace_one) == by_definition(databases, differ_in_one)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=5))
def test_orders_of_a_multiset(rows: list[int]) -> None:
    domain = Multisets(range(4), size=len(rows))
    database = domain.canonical(tuple(rows))
    orders = {database, *domain.other_orders(database)}
    assert orders == {order for order in product(rows, repeat=len(rows)) if sorted(order) == sorted(rows)}
    assert len(orders) == number_of_orders(database)
    assert sum(1 for _ in domain.other_orders(database)) == len(orders) - 1


@given(st.lists(st.integers(0, 3), min_size=2, max_size=6))
def test_some_orders_are_the_reverse_the_swaps_and_a_shuffle(rows: list[int]) -> None:
    database = tuple(sorted(rows))
    found = list(some_orders(database))
    swaps = {(*database[:i], database[i + 1], database[i], *database[i + 2 :]) for i in range(len(database) - 1)} - {
        database
    }
    assert len(set(found)) == len(found) <= len(swaps) + 2
    assert database not in found and all(Counter(order) == Counter(database) for order in found)
    assert swaps | ({database[::-1]} - {database}) <= set(found)
    assert found == list(some_orders(database))


@in_one(
    "kind, given, named, message",
    [
        (Multisets, 3, {"size": 1}, r"universe=3 is no iterable of rows: write, for example, range\(3\)"),
        (Tuples, range(2), {"sizes": 2}, "write size=2"),
        (Tuples, range(2), {"sizes": ["a", 1]}, "size='a' is not a whole number"),
        (Tuples, [[1]], {"size": 1}, "a row that cannot be hashed"),
        (LabelledSamples, 5, {"size": 1}, "points=5 is no iterable"),
        (LabelledSamples, range(2), {"labels": 5, "size": 1}, "labels=5 is no iterable"),
        (LabelledSamples, range(2), {"labels": [[1]], "size": 1}, "cannot be hashed"),
        (ScoreSpace, 5, {"solutions": 2}, "scores=5 is no iterable"),
        (ScoreSpace, [1, "a"], {"solutions": 2}, "the score 'a' is not a whole number"),
    ],
)
def test_domains_of_the_wrong_types(kind: Any, given: Any, named: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        kind(given, **named)


def test_scores_far_apart_need_no_table_of_what_lies_between() -> None:
    domain = ScoreSpace([0, 1, 10**30], solutions=2)
    assert pairs_of(domain, scores_linf) == by_definition(
        domain, lambda a, b: max(abs(x - y) for x, y in zip(a, b, strict=True)) == 1
    )


def test_a_relation_with_a_second_parameter_of_its_own() -> None:
    relations = [lambda x, step=step: [x + step] for step in (1, 2)]
    assert pairs_of([0, 1, 2], relations[0]) == {(0, 1), (1, 0), (1, 2), (2, 1)}
    assert pairs_of([0, 1, 2], relations[1]) == {(0, 2), (2, 0)}
    assert pairs_of([0, 1, 2], lambda x, domain=(): set(domain) - {x}) == {
        (a, b) for a in range(3) for b in range(3) if a != b
    }


@in_one("rows, solutions, growth", [(1, 2, 1), (2, 2, 1), (3, 2, 2), (2, 3, 2), (3, 3, 1), (2, 3, 3)])
def test_bounded_growth_is_what_rows_can_do(rows: int, solutions: int, growth: int) -> None:
    """A row is the set of at most `growth` solutions that it raises; databases are multisets of rows."""
    kinds = [row for row in product((0, 1), repeat=solutions) if sum(row) <= growth]

    def scores(database: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
        return tuple(map(sum, zip(*database, strict=True)))

    databases = list(product(kinds, repeat=rows))
    domain = BoundedGrowth(rows=rows, solutions=solutions, growth=growth)
    assert set(domain) == {scores(database) for database in databases}
    replaced = {(scores(database), scores((*database[:-1], row))) for database in databases for row in kinds}
    assert pairs_of(domain, bounded_growth) == {(a, b) for a, b in replaced if a != b}


def test_bounded_growth_needs_its_domain() -> None:
    with pytest.raises(InputError, match="needs the domain BoundedGrowth"):
        pairs_of(ScoreSpace(range(3), solutions=2), bounded_growth)
    with pytest.raises(InputError, match="growth=0 is not a whole number ≥ 1"):
        BoundedGrowth(rows=1, solutions=1, growth=0)


@pytest.mark.parametrize(("largest", "solutions"), [(1, 2), (3, 2), (2, 3)])
def test_score_gaps_are_score_vectors_up_to_their_height(largest: int, solutions: int) -> None:
    domain = ScoreGaps(largest, solutions=solutions)
    space = ScoreSpace(range(-largest - 1, 1), solutions=solutions)

    def lifted(scores: Any) -> tuple[int, ...]:
        return tuple(score - max(scores) for score in scores)

    assert list(domain) and len(list(domain)) == len(domain)
    assert set(domain) == {lifted(scores) for scores in space if min(lifted(scores)) >= -largest}
    expected = {(lifted(a), lifted(b)) for a, b in pairs_of(space, scores_linf)}
    within = set(domain)
    assert pairs_of(domain, gaps_linf) == {(a, b) for a, b in expected if a != b and {a, b} <= within}
    with pytest.raises(InputError, match="needs the domain ScoreGaps"):
        pairs_of(space, gaps_linf)


def test_the_database_that_is_listed_twice_is_named() -> None:
    with pytest.raises(InputError, match=r"domain holds the database \(1,\) twice"):
        listed_databases([(0,), (1,), (2,), (1,)], 100)


class Unsized:
    """So many databases, which has no length to ask for."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.count))


@pytest.mark.parametrize("of", [Unsized, range, lambda count: list(range(count))], ids=["unsized", "range", "list"])
def test_no_domain_is_cut_at_the_limit(of: Any) -> None:
    assert listed_databases(of(5), 5) == [0, 1, 2, 3, 4]
    for count in (6, 7, 100):
        with pytest.raises(InputError, match="has more than 5 databases"):
            listed_databases(of(count), 5)
