"""What is remembered of a long database is its own, whatever equals it."""

from collections.abc import Sequence

import pytest

from dpverify.mechanisms import InputError
from dpverify.mechanisms.sanitizers.concepts import checked_points, checked_sample
from dpverify.mechanisms.sanitizers.long_databases import numbers_of, remembered_of_tuple


def test_rows_that_equal_others_are_looked_at_anew() -> None:
    for _ in range(2):
        assert checked_points((1, 0), 1) == checked_points([1, 0], 1) == 2
        assert checked_sample(((1, 1),), 1) == 2
        with pytest.raises(InputError, match="row 0: the point True"):
            checked_points((True, 0), 1)
        with pytest.raises(InputError, match="row 0, with the label True, is not labelled 0 or 1"):
            checked_sample(((1, True),), 1)
    rows = (3, 1)
    assert checked_points(rows, 2) == 4
    with pytest.raises(InputError, match="row 0: the point 3"):
        checked_points(rows, 1)


def test_a_list_may_change_and_a_tuple_is_gone_through_once() -> None:
    asked = []

    @remembered_of_tuple
    def size(rows: Sequence[int]) -> int:
        asked.append(rows)
        return len(rows)

    rows, longer = (1, 2), [1, 2]
    assert (size(rows), size(rows), size(longer)) == (2, 2, 2)
    longer.append(3)
    assert (size(longer), len(asked)) == (3, 3)
    assert numbers_of((1, 1, 2)) == {1: 2, 2: 1}
