"""What checks the degrees of Claim 5.4: it takes what is right, and nothing that was changed."""

from dataclasses import replace
from fractions import Fraction

import pytest
from tests.examples import in_one

from dpverify.mechanisms.release.least_degree import least_drop
from dpverify.verifiers.catalogue.release.polynomials.degrees_calculation import (
    Certificate,
    certificates,
    degree_of_14,
    degree_shown,
    has_lower_order,
    has_upper_order,
    in_the_table,
    of_a_node_moved,
    of_each_degree,
    order_of_5_4,
    without_the_order,
)

RIGHT = Certificate.of(least_drop(10, 4))


def test_what_is_right_is_taken() -> None:
    assert RIGHT.enough == RIGHT.forced == least_drop(10, 4).error


def test_one_by_hand() -> None:
    """Degree 1 at k = 2, on 0 and 1: s(2) = 2·s(1) − s(0), and so 1/3 is forced; (2j − 1)/3 has no more."""
    by_hand = Certificate(1, (-1, 1, 3), (0, 1), (-1, 2))
    assert by_hand.enough == by_hand.forced == Fraction(1, 3)


@in_one("i", range(11))
def test_a_value_that_was_changed_is_of_no_polynomial_of_the_degree(i: int) -> None:
    values = list(RIGHT.values)
    values[i] += 1
    assert replace(RIGHT, values=tuple(values)).enough is None


def test_a_degree_that_was_changed_is_not_taken() -> None:
    assert replace(RIGHT, degree=3).enough is None
    assert replace(RIGHT, degree=5).forced is None
    assert replace(RIGHT, degree=5).enough == RIGHT.enough  # of a degree of at most 5
    assert replace(RIGHT, degree=3).forced == RIGHT.forced  # no less is forced of fewer polynomials


@pytest.mark.parametrize("i", range(5))
def test_a_weight_or_a_node_that_was_changed_shows_nothing(i: int) -> None:
    weights, nodes = list(RIGHT.weights), list(RIGHT.nodes)
    weights[i] += 1
    nodes[i] += 1 if i < 4 else -1
    assert replace(RIGHT, weights=tuple(weights)).forced is None
    assert replace(RIGHT, nodes=tuple(nodes)).forced is None


def test_nodes_are_different_and_below_k() -> None:
    """With the node k itself s(k) = s(k) says nothing of what lies below."""
    at_k = Certificate(0, (1, 1, 1), (2,), (1,))
    assert at_k.forced is None
    assert Certificate(0, (1, 1, 1), (1, 1), (1, 1)).forced is None
    assert Certificate(0, (1, 1, 1), (-1,), (1,)).forced is None
    assert Certificate(0, (1, 1, 1), (1,), (1,)).forced == 1


def test_a_polynomial_that_is_0_at_k_is_not_taken() -> None:
    assert Certificate(1, (2, 1, 0), (0, 1), (-1, 2)).enough is None


def test_a_cell_of_the_table_is_its_degree_and_no_other() -> None:
    assert {"k": 16, "n": 100, "degree": 11} in in_the_table()
    enough, less = certificates(16, 100)
    assert degree_shown(16, 100) == enough.degree == 11
    assert less is not None
    moved = replace(less, nodes=(less.nodes[0] + 1, *less.nodes[1:]))
    for pair in (certificates(16, 100, less=1), (enough, None), (less, less), (enough, moved)):
        assert degree_shown(16, 100, pair) == -1
    assert degree_shown(17, 100, (enough, less)) == -1


def test_a_degree_that_is_more_than_is_needed_is_not_the_least() -> None:
    """Of the degree below it no more is forced than the accuracy."""
    more, needed = (Certificate.of(least_drop(16, degree)) for degree in (12, 11))
    assert degree_shown(16, 100, (more, needed)) == -1


@in_one("k", range(1, 15))
def test_the_order_holds(k: int) -> None:
    assert without_the_order(k, of_each_degree(k)) == 0


def test_the_order_is_not_shown_by_less() -> None:
    found = of_each_degree(5)
    assert without_the_order(5, found[:-1])
    assert without_the_order(6, found)
    assert without_the_order(5, of_a_node_moved(5)) == 1
    assert without_the_order(5, (found[1], *found[1:]))


def test_the_constants_are_near_what_is_needed() -> None:
    """At k = r = 2 the root is 1.7804…, and 2 = 1.1233… of it; at k = 2, r = 1 and ε = 1/3 1 = 0.5616… of it."""
    third = Fraction(1, 3)
    assert has_upper_order(2, 2, Fraction(0), third)
    assert not has_upper_order(2, 3, Fraction(0), third)
    assert has_upper_order(2, 3, Fraction(1, 2), Fraction(1))  # no ε ≤ 1/3 is there
    assert has_lower_order(2, 1, third)
    assert not has_lower_order(2, 1, Fraction(1, 5))


def test_the_bounds_of_the_construction_bite() -> None:
    assert degree_of_14(2, 13) == 12
    assert degree_of_14(3, 16) == 16
    assert 2 <= order_of_5_4(1, 3)[1] < 3
    assert order_of_5_4(2, 4)[1] < 4
