"""Every pinned refutation, computed anew with Fractions alone: by `privacy_by_hand.py` of its topic."""

import inspect
import re
from fractions import Fraction

import pytest
from tests.catalogue import by_hand
from tests.catalogue.learners import privacy_by_hand as of_learners
from tests.catalogue.recursion import privacy_by_hand as of_recursion
from tests.catalogue.refutations import WITNESSES
from tests.catalogue.release import privacy_by_hand as of_release
from tests.catalogue.sanitizers import privacy_by_hand as of_sanitizers
from tests.catalogue.selection import privacy_by_hand as of_selection

TOPICS = (of_selection, of_recursion, of_sanitizers, of_learners, of_release)
BY_HAND = {claim: refutation for topic in TOPICS for claim, refutation in topic.BY_HAND.items()}


@pytest.mark.parametrize("claim", WITNESSES)
def test_the_witness_stands(claim: str) -> None:
    assert BY_HAND[claim].stands(*WITNESSES[claim])


def test_every_refutation_is_in_one_topic_and_needs_nothing_of_dpverify() -> None:
    assert sorted(claim for topic in TOPICS for claim in topic.BY_HAND) == sorted(WITNESSES)
    for module in (by_hand, *TOPICS):
        assert not re.search(r"^(import|from) dpverify", inspect.getsource(module), re.MULTILINE)


def test_the_bounds_bound() -> None:
    """The tools, on known values."""
    low, high = by_hand.e_to(Fraction(1))
    assert Fraction("2.718281828459045235360287") < low < high < Fraction("2.718281828459045235360288")
    low, high = by_hand.e_to(Fraction(-15))
    assert Fraction("3.0590232050182578837147e-7") < low < high < Fraction("3.0590232050182578837148e-7")
    low, high = by_hand.root(Fraction(2), 2)
    assert low**2 <= 2 <= high**2
    low, high = of_selection.sparse_vector(Fraction(2), Fraction(4), (0,), (True,))
    assert low <= Fraction(1, 2) <= high
    assert high - low < Fraction(1, 10**20)
    assert by_hand.laplace_tail(Fraction(1, 8), "ln 2", 3) == (Fraction(1, 2), Fraction(1, 2))
