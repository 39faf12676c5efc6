"""What checks the degrees of Claim 5.4: it takes what is right, and nothing that was changed."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from tests.examples import in_one

from dpverify.mechanisms.release.least_degree import least_drop
from dpverify.verifiers.catalogue.release.polynomials.degree_of_signs_utility import degree_of_14, has_the_order_of_5_4
from dpverify.verifiers.catalogue.release.polynomials.least_degree_utility import (
    Certificate,
    has_lower_order,
    has_the_order,
    has_upper_order,
    in_the_table,
    is_least,
    of_a_node_moved,
    of_each_degree,
    of_least_degree,
    of_one_less,
)
from dpverify.verifiers.utility.case import Case

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
    case = next(case for case in in_the_table() if case.database == 16 and case.parameters["n"] == 100)
    found = of_least_degree(None, 16, n=100)
    assert is_least(case, found)
    assert not is_least(case, of_one_less(None, 16, n=100))
    enough, less = found
    assert less is not None
    assert not is_least(case, (enough, None))
    assert not is_least(case, (less, less))
    assert not is_least(case, (enough, replace(less, nodes=(less.nodes[0] + 1, *less.nodes[1:]))))
    assert not is_least(Case(16, {"n": 100}, {"degree": enough.degree + 1}), found)
    assert not is_least(Case(17, {"n": 100}, {"degree": enough.degree}), found)


def test_a_degree_that_is_more_than_is_needed_is_not_the_least() -> None:
    """Of the degree below it no more is forced than the accuracy."""
    more, needed = (Certificate.of(least_drop(16, degree)) for degree in (12, 11))
    assert not is_least(Case(16, {"n": 100}, {"degree": 12}), (more, needed))


@in_one("k", range(1, 15))
def test_the_order_holds(k: int) -> None:
    assert has_the_order(Case(k), of_each_degree(None, k))


def test_the_order_is_not_shown_by_less() -> None:
    found = of_each_degree(None, 5)
    assert not has_the_order(Case(5), found[:-1])
    assert not has_the_order(Case(6), found)
    assert not has_the_order(Case(5), of_a_node_moved(None, 5))
    assert not has_the_order(Case(5), (found[1], *found[1:]))


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
    assert has_the_order_of_5_4(1, 3, 2)
    assert not has_the_order_of_5_4(1, 3, 3)
    assert not has_the_order_of_5_4(2, 4, 4)
