"""Frequent itemsets: the levels and LMM on them against brute force, without a universe by hand, and Corollary 1."""

from fractions import Fraction
from itertools import combinations, islice
from math import comb
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms import InputError, bounds, discrete_laplace, distribution, exact, exp, exponential, log, run
from dpverify.mechanisms.drawing import debugging
from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.outputs.long_sequences import Beginning
from dpverify.mechanisms.release import (
    frequent_itemset,
    frequent_itemset_by_exponential,
    frequent_itemset_by_laplaces,
    frequent_itemset_or_none,
    frequent_itemset_that_occurs,
    itemset_levels,
)
from dpverify.mechanisms.release.itemsets import (
    OtherItemsets,
    itemset_counts,
    itemset_of_rank,
    promise_of_exponential,
    promise_of_large_margin,
    rank,
)
from dpverify.mechanisms.selection import (
    Bottom,
    items_to_keep,
    large_margin_mechanism,
    large_margin_of_levels,
    max_of_laplaces,
)
from dpverify.mechanisms.selection.large_margin import printed_test
from dpverify.verifiers import Multisets, Proved, check_privacy, replace_one

TENTH = Fraction(1, 10)
GIVEN: dict[str, Any] = {"epsilon": 1, "delta": TENTH}

baskets_of_five = st.lists(st.frozensets(st.integers(0, 4), max_size=4), max_size=6).map(tuple)


def table(baskets: Any, r: int, items: int) -> Any:
    """Every itemset with its count, in lexicographic order."""
    return {s: sum(set(s) <= set(basket) for basket in baskets) for s in combinations(range(items), r)}


@given(baskets_of_five, st.integers(1, 3))
def test_the_levels_are_those_of_the_table(baskets: Any, r: int) -> None:
    levels = itemset_levels(baskets, r=r, items=5)
    expected = table(baskets, r, 5)
    assert list(levels) == sorted(set(expected.values()), reverse=True)
    for count, block in levels.items():
        assert list(block) == [itemset for itemset, n in expected.items() if n == count]
    assert itemset_counts(baskets, r) == {itemset: n for itemset, n in expected.items() if n}


@given(st.integers(1, 30), st.data())
def test_ranks(items: int, data: Any) -> None:
    r = data.draw(st.integers(1, min(items, 4)))
    place = data.draw(st.integers(0, comb(items, r) - 1))
    itemset = itemset_of_rank(place, r, items)
    assert rank(itemset, items) == place
    if place < 200:
        assert itemset == next(islice(combinations(range(items), r), place, None))
    with pytest.raises(InputError, match="must be one of"):
        itemset_of_rank(comb(items, r), r, items)


def test_more_itemsets_than_len_can_say() -> None:
    items = 10**9
    others = OtherItemsets(items, 3, ((0, 1, 2), (0, 1, 4), (5, 6, 7)))
    assert others.size == comb(items, 3) - 3 > 2**63
    assert list(islice(others, 3)) == [(0, 1, 3), (0, 1, 5), (0, 1, 6)]
    assert others[-1] == others[others.size - 1] == (items - 3, items - 2, items - 1)
    assert others[0:2] == [(0, 1, 3), (0, 1, 5)]
    with pytest.raises(IndexError):
        others[others.size]
    assert list(Beginning(others, 2)) == [(0, 1, 3), (0, 1, 5)]
    assert len(Beginning(others, 2)) == 2
    assert not OtherItemsets(3, 2, tuple(combinations(range(3), 2)))
    again = OtherItemsets(items, 3, ((0, 1, 2), (0, 1, 4), (5, 6, 7)))
    assert Beginning(others, 2) == Beginning(again, 2) != Beginning(again, 3)
    assert again != OtherItemsets(items, 3, ())


def test_as_a_sub_mechanism_it_is_decided_as_by_itself() -> None:
    given: dict[str, Any] = {"r": 1, "items": 2, "epsilon": 1, "delta": "1/10"}

    def drawn(draw: Draw, baskets: Any) -> Any:
        return draw(frequent_itemset, baskets, **given)

    def called(draw: Draw, baskets: Any) -> Any:
        return frequent_itemset(draw, baskets, **given)

    verdicts = [
        check_privacy(mechanism, Multisets(((0,), (1,)), size=1), replace_one, epsilon=1, delta="1/10")
        for mechanism in (drawn, called)
    ]
    assert [type(verdict) for verdict in verdicts] == [Proved, Proved]
    assert verdicts[0].epsilon == verdicts[1].epsilon


FEW = (
    ((0, 1), (0, 1, 2), (3, 1)),
    ((0, 1),) * 9,
    ((0, 1),) * 9 + ((2, 3),) * 2 + ((1, 2), frozenset((0, 3))),
    ((),) * 2,
)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("baskets", FEW)
@pytest.mark.parametrize("r", [1, 2, 3])
@pytest.mark.parametrize(("alpha", "slack"), [(1, 1), (30, 1), (8, Fraction(1, 5))])
def test_lmm_on_levels_has_the_law_of_lmm_on_the_table(baskets: Any, r: int, alpha: int, slack: Fraction) -> None:
    of_levels = distribution(frequent_itemset, baskets, r=r, items=4, epsilon=alpha, delta=TENTH, slack=slack)
    whole = distribution(large_margin_mechanism, table(baskets, r, 4), epsilon=alpha, delta=TENTH, slack=slack)
    assert of_levels == whole


def test_the_loop_stops_early_on_some_of_these() -> None:
    law = distribution(items_to_keep, (9, 9), epsilon=30, delta=TENTH)
    assert law.probability(1) > Fraction(1, 4)
    assert law.probability(2, 3) > Fraction(1, 100)


@pytest.mark.parametrize("baskets", FEW)
def test_the_others_have_the_laws_of_the_table(baskets: Any) -> None:
    whole = table(baskets, 2, 4)
    asked: dict[str, Any] = {"r": 2, "items": 4, "epsilon": 2}
    assert distribution(frequent_itemset_by_exponential, baskets, **asked) == exponential(whole, 2)
    assert distribution(frequent_itemset_by_laplaces, baskets, **asked) == distribution(
        max_of_laplaces, whole, epsilon=2
    )


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("levels", "one_by_one"),
    [
        *(
            (levels, one_by_one)
            for levels in ({5: ("a",), 0: range(1, 4)}, {9: ("a",), 0: range(1, 5)}, {30: "ab", 29: "cde"})
            for one_by_one in (1, 2)
        ),
        # with nothing drawn one by one the law takes many paths
        ({5: ("a",), 0: range(1, 4)}, 0),
        ({30: "ab", 29: "c"}, 0),
        pytest.param({9: ("a",), 0: range(1, 5)}, 0, marks=pytest.mark.deep),
        pytest.param({30: "ab", 29: "cde"}, 0, marks=pytest.mark.deep),
        pytest.param({60: ("a",), 0: range(1, 6)}, 1, marks=pytest.mark.deep),
        ({60: ("a",), 0: range(1, 6)}, 2),
    ],
)
def test_drawing_only_the_noise_that_matters_changes_no_law(levels: Any, one_by_one: int) -> None:
    asked: dict[str, Any] = {"epsilon": 4, "delta": TENTH}
    plain = distribution(large_margin_of_levels, levels, **asked)
    assert distribution(large_margin_of_levels, levels, one_by_one=one_by_one, **asked) == plain


@pytest.mark.deep
@pytest.mark.parametrize("times", [25, pytest.param(150, marks=pytest.mark.deep)])
def test_where_the_loop_stops_among_very_many(times: int) -> None:
    """A million million items of quality 0 against drawing each: the chance to stop before the last falls as ℓ^-2.5."""
    gap = 96
    levels: Any = {gap: ("best",), 0: range(10**12)}
    drawn = [run(large_margin_of_levels, levels, seed=s, **GIVEN) for s in range(times)]
    law = distribution(items_to_keep, (gap,) * 6, epsilon=1, delta=TENTH)
    lower, upper = bounds(law.probability(1, 2, 3, 4, 5, 6))
    expected = float(lower + upper) / 2
    assert 0.3 < expected < 0.7
    # of the loops that stop at ℓ ≤ 6 nearly all return the best, and of those that do not nearly none
    assert abs(drawn.count("best") / times - expected) < 0.12


@pytest.mark.parametrize("items", [1 << 64, pytest.param(10**30, marks=pytest.mark.deep)])
def test_universes_beyond_what_len_can_say(items: int) -> None:
    """Baskets without a margin: one of the itemsets that do not occur is found, and has a rank and no list."""
    found = run(frequent_itemset, ((1, 2, 3), (1, 2), (4, 5)), r=2, items=items, seed=1, **GIVEN)
    assert len(found) == 2
    assert itemset_of_rank(rank(found, items), 2, items) == found
    assert itemset_of_rank(0, 3, items) == (0, 1, 2)
    assert itemset_of_rank(comb(items, 3) - 1, 3, items) == (items - 3, items - 2, items - 1)


def test_other_noise_is_refused_where_it_would_not_end() -> None:
    with debugging(), pytest.raises(InputError, match="is beyond 100,000, with noise that is not laplace"):
        run(frequent_itemset, ((1, 2),) * 3, r=2, items=10**5, noise=discrete_laplace, **GIVEN)


def test_a_level_without_items_is_refused() -> None:
    with debugging(), pytest.raises(InputError, match="levels, or one of them, is empty"):
        run(large_margin_of_levels, {9: (), 3: (1,), 0: (2, 3)}, **GIVEN)  # type: ignore[arg-type]  # mypy asks for a hashable


@pytest.mark.parametrize("basket", [(0, -1), (0, 5.5), "ab", 7])
def test_errors_do_not_name_the_largest_item(basket: Any) -> None:
    for mechanism in (frequent_itemset_that_occurs, frequent_itemset_or_none):
        with debugging(), pytest.raises(InputError, match="row 0 is not a basket") as raised:
            run(mechanism, (basket, (1, 777123)), r=2, **GIVEN)
        assert "777" not in str(raised.value)


def test_without_a_universe_by_hand() -> None:
    """One basket in four holds a pair: u = 1 against the test, whatever the number of rows."""
    baskets = ((0,), (0,), (0,), (0, 1))
    stops = distribution(items_to_keep, (1,), **GIVEN).probability(1)
    share = exp(Fraction(1, 6)) / (1 + exp(Fraction(1, 6)))
    printed = distribution(frequent_itemset_that_occurs, baskets, r=2, **GIVEN)
    assert printed.probability((0, 1)) == stops + (1 - stops) * share
    assert distribution(frequent_itemset_or_none, baskets, r=2, **GIVEN).probability((0, 1)) == stops
    for mechanism in (frequent_itemset_that_occurs, frequent_itemset_or_none):
        assert distribution(mechanism, ((0,),) * 4, r=2, **GIVEN).probability(Bottom.BOTTOM) == 1
        assert distribution(mechanism, (), r=2, **GIVEN).probability(Bottom.BOTTOM) == 1


def test_without_a_universe_what_stands_out_is_found() -> None:
    baskets = ((3, 70, 10**6),) * 200 + tuple((i, i + 1) for i in range(100, 300))
    asked: dict[str, Any] = {"r": 3, "epsilon": 8, "delta": "1e-6", "seed": 1}
    assert run(frequent_itemset_or_none, baskets, **asked) == (3, 70, 10**6)
    assert run(frequent_itemset_that_occurs, baskets, **asked) == (3, 70, 10**6)
    assert run(frequent_itemset, baskets, items=10**7, **asked) == (3, 70, 10**6)


@given(baskets_of_five, st.integers(1, 3))
def test_of_a_long_basket_the_first_items_count(baskets: Any, longest: int) -> None:
    cut = tuple(frozenset(sorted(basket)[:longest]) for basket in baskets)
    assert itemset_counts(baskets, 2, longest=longest) == itemset_counts(cut, 2)


@given(baskets_of_five, st.frozensets(st.integers(0, 4), max_size=4), st.none() | st.integers(1, 3))
def test_a_replaced_basket_changes_no_count_by_more_than_1(baskets: Any, other: Any, longest: int | None) -> None:
    if not baskets:
        return
    here = itemset_counts(baskets, 2, longest=longest)
    there = itemset_counts((other, *baskets[1:]), 2, longest=longest)
    assert all(abs(here[itemset] - there[itemset]) <= 1 for itemset in {*here, *there})


def test_corollary_1() -> None:
    needed, error = promise_of_large_margin(5, epsilon=2, delta=TENTH, failure=TENTH)
    assert needed == Fraction(21, 2) * log(30) + printed_test(5, exact(2), exact(TENTH))
    assert error == 3 * log(100)
    needed, error = promise_of_exponential(45, epsilon=2, failure=TENTH)
    assert needed == 0
    assert error == log(450)


def test_corollary_1_on_baskets() -> None:
    """Three pairs occur of six, the best 150 times: LMM loses more than promised with probability at most η."""
    baskets = ((0, 1),) * 150 + ((0, 2),) * 140 + ((1, 2),) * 3
    needed, error = promise_of_large_margin(3, epsilon=4, delta=TENTH, failure=TENTH)
    assert 50 < needed < 100
    law = distribution(frequent_itemset, baskets, r=2, items=4, epsilon=4, delta=TENTH)
    lost = {itemset: 150 - itemset_counts(baskets, 2)[itemset] for itemset in law}
    failing = [itemset for itemset, loss in lost.items() if loss > error]
    assert failing
    assert law.probability(*failing) <= TENTH


@pytest.mark.parametrize(
    ("baskets", "changed", "words"),
    [
        (((0, 1), [2]), {}, "frequent_itemset: row 1 is not a basket"),
        (((0, 1), (2, 9)), {}, "row 1: an item is not a whole number from 0 to 3"),
        (((0, -1),), {}, "row 0: an item"),
        (((0, True),), {}, "row 0: an item"),
        (((0, "1"),), {}, "row 0: an item"),
        (((0, 1),), {"r": 0}, "r=0 is not a whole number"),
        (((0, 1),), {"r": 5}, "r=5 is more than the items there are, 4"),
        (((0, 1),), {"items": 0}, "items=0"),
        (((0, 1),), {"longest": 0}, "longest=0"),
        (((0, 1),), {"epsilon": 0}, "epsilon=0"),
        (((0, 1),), {"delta": 1}, "delta=1"),
        (((0, 1),), {"slack": 0}, "slack=0"),
    ],
)
def test_bad_input(baskets: Any, changed: dict[str, Any], words: str) -> None:
    with debugging(), pytest.raises(InputError, match=words) as caught:
        run(frequent_itemset, baskets, **{"r": 2, "items": 4, **GIVEN, **changed})
    assert "9" not in str(caught.value).rpartition(" (")[0]  # no data, in all but the line


def test_what_cannot_be_evaluated_is_refused() -> None:
    with debugging(), pytest.raises(InputError, match="beyond 1,000 itemsets, as each has noise of its own"):
        run(frequent_itemset_by_laplaces, ((0, 1),), r=2, items=100, epsilon=1)
    with debugging(), pytest.raises(InputError, match="levels, or one of them, is empty"):
        run(large_margin_of_levels, {}, epsilon=1, delta=TENTH)  # type: ignore[arg-type]  # no database
