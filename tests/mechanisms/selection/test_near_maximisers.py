"""The databases of Theorem 1 of Chaudhuri, Hsu & Song: qualities, margins and distances, by enumeration."""

from fractions import Fraction
from itertools import product

import pytest

from dpverify.mechanisms import InputError, exp, log
from dpverify.mechanisms.selection import near_maximisers, qualities_of_near_maximisers
from dpverify.mechanisms.selection.large_margin import margin_condition
from dpverify.mechanisms.selection.near_maximisers import (
    more_items,
    printed_gamma_in_rows,
    printed_largest_delta,
    rows_moved,
)


def test_qualities_move_by_one_row_at_most() -> None:
    """All databases of three rows, and all of their neighbours, for four items of which two are near."""
    for rows in product(range(5), repeat=3):
        before = qualities_of_near_maximisers(rows, 4, 2)
        for place, value in product(range(3), range(5)):
            after = qualities_of_near_maximisers((*rows[:place], value, *rows[place + 1 :]), 4, 2)
            assert all(abs(before[item] - after[item]) <= 1 for item in range(1, 5))


def test_the_databases_and_their_margins() -> None:
    found = near_maximisers(3, 5, 2)
    assert found == ((1, 1, 0, 0, 0), (2, 2, 0, 0, 0), (3, 3, 0, 0, 0))
    quality = qualities_of_near_maximisers(found[1], 5, 3)
    assert quality == {1: 3, 2: 5, 3: 3, 4: 2, 5: 2}
    assert margin_condition(quality, 3, 2)
    assert margin_condition(quality, 1, Fraction(19, 10))
    assert not margin_condition(quality, 1, 2), "near items are within t rows, and no more than ℓ are"


def test_what_the_theorem_prints() -> None:
    assert printed_gamma_in_rows(9, 10, log(2)) == 2
    assert printed_gamma_in_rows(9, 3, log(2)) == Fraction(3, 2), "γ = 1/2"
    assert printed_gamma_in_rows(3, 10, 1) == 0
    assert printed_gamma_in_rows(2, 10, log(2)) == -1
    assert printed_largest_delta(5, log(2)) == Fraction(1, 16)
    assert (rows_moved(9, 10, log(2)), rows_moved(10, 10, log(2)), rows_moved(2, 10, 1)) == (2, 3, 0)
    assert more_items(6, log(Fraction(12, 5))) == 13
    assert more_items(2, 1) == 4
    assert 3 - 1 < exp(1) < 3


def test_bad_input() -> None:
    with pytest.raises(InputError, match="moved=3"):
        near_maximisers(2, 2, 3)
    with pytest.raises(InputError, match="near=3"):
        qualities_of_near_maximisers((0,), 2, 3)
    with pytest.raises(InputError, match="near"):
        printed_gamma_in_rows(1, 2, 1)
