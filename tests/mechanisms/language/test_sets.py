"""Ordered sets are sets, with the order in which they were filled."""

import copy
import operator
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms.language.sets import OrderedFrozenSet, OrderedItems, OrderedKeys, OrderedSet

ITEMS = st.lists(st.integers(0, 6), max_size=8)
OPERATORS = [operator.or_, operator.and_, operator.sub, operator.xor]
COMPARISONS = [operator.eq, operator.ne, operator.le, operator.lt, operator.ge, operator.gt]
METHODS = ["union", "intersection", "difference", "symmetric_difference"]
UPDATES = ["update", "intersection_update", "difference_update", "symmetric_difference_update"]


@given(ITEMS, ITEMS)
def test_operators_are_those_of_sets_in_the_order_of_the_left(left: list[int], right: list[int]) -> None:
    for kind, plain in ((OrderedSet, set), (OrderedFrozenSet, frozenset)):
        one, other = kind(left), kind(right)
        for operate in OPERATORS:
            result = operate(one, other)
            assert type(result) is kind
            assert result == operate(plain(left), plain(right))
            assert list(result) == [x for x in dict.fromkeys(left + right) if x in result]
            assert operate(one, plain(right)) == result == operate(plain(left), other)
            assert type(operate(plain(left), other)) is kind
        for compare in COMPARISONS:
            assert compare(one, other) is compare(plain(left), plain(right))
        for name in METHODS:
            assert getattr(one, name)(right) == getattr(plain(left), name)(right)
        assert list(one) == list(dict.fromkeys(left)) == list(one.copy()) == list(copy.deepcopy(one))
        assert len(one) == len(plain(left))
        assert (3 in one) is (3 in left)
        assert sorted(one) == sorted(plain(left))


@given(ITEMS, ITEMS)
def test_changes_are_those_of_sets(left: list[int], right: list[int]) -> None:
    for name in UPDATES:
        ordered, plain = OrderedSet(left), set(left)
        getattr(ordered, name)(right)
        getattr(plain, name)(right)
        assert ordered == plain
        assert sorted(ordered) == sorted(plain)
    changing: tuple[Any, ...] = (operator.ior, operator.iand, operator.isub, operator.ixor)
    for operate in changing:
        ordered, plain = OrderedSet(left), set(left)
        kept = operate(ordered, OrderedSet(right))
        assert kept is ordered
        assert ordered == operate(plain, set(right))
        assert list(ordered) == [x for x in dict.fromkeys(left + right) if x in ordered]
    ordered = OrderedSet(left)
    for item in right:
        ordered.add(item)
        ordered.discard(item + 1)
    assert sorted(ordered) == sorted(set(ordered.order))
    while ordered:
        last = list(ordered)[-1]
        assert ordered.pop() == last
    with pytest.raises(KeyError):
        ordered.pop()
    with pytest.raises(KeyError):
        ordered.remove(1)


def test_an_ordered_set_answers_as_a_set() -> None:
    one: Any = OrderedSet("ba")
    assert isinstance(one, set) and isinstance({1}, OrderedSet) and not isinstance(frozenset(), OrderedSet)
    assert isinstance(frozenset(), OrderedFrozenSet) and issubclass(set, OrderedSet)
    held: dict[Any, int] = {OrderedFrozenSet("ab"): 1}
    assert hash(OrderedFrozenSet("ab")) == hash(frozenset("ab")) and held[frozenset("ba")] == 1
    with pytest.raises(TypeError):
        hash(one)
    assert (
        repr(one) == "{'b', 'a'}"
        and repr(OrderedFrozenSet("b")) == "frozenset({'b'})"
        and repr(OrderedSet()) == "set()"
    )
    assert type(pickle.loads(pickle.dumps(one))) is set
    assert type(one).__name__ == "set"
    assert "".join(one) == "ba" and [*one] == ["b", "a"] and dict.fromkeys(one) == {"b": None, "a": None}
    with pytest.raises(TypeError):
        one | [1]  # type: ignore[operator]  # wrong on purpose


def test_views_of_dicts_give_ordered_sets() -> None:
    values = {"b": 1, "a": 2}
    assert list(OrderedKeys(values) & {"a", "b"}) in (["b", "a"], ["a", "b"])
    assert type(OrderedKeys(values) - {"a"}) is OrderedSet
    assert type(OrderedItems(values) | {("c", 3)}) is OrderedSet
    assert list(OrderedKeys(values)) == ["b", "a"]
