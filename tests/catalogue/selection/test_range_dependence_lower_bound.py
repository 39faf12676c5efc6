"""The bounds of Theorem 1 of Chaudhuri, Hsu & Song, by Fractions alone: mechanisms that are too good, and why none is.

By names the near items are alike: the best mechanism returns i on D_i with p, and each of the ℓ − 1 others with
(1 − p)/(ℓ − 1). It is private where p ≤ g·(1 − p)/(ℓ − 1) + δ_t, for g = e^(tα) and δ_t = δ·(1 + e^α + … + e^((t−1)α)).
The average of any private mechanism over all namings is such a one, and as good.
"""

from fractions import Fraction as F

import pytest
from tests.catalogue.committed import committed

from dpverify.mechanisms import log
from dpverify.mechanisms.selection.packing_bound import packing_bound
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue.selection import range_dependence_lower_bound as claims


def best(near: int, moved: int, growth: F, delta: F) -> F:
    """The largest such p: where both sides are equal."""
    of_group = delta * sum(growth**i for i in range(moved))
    return (growth**moved + (near - 1) * of_group) / (growth**moved + near - 1)


def is_private(near: int, moved: int, growth: F, delta: F, p: F) -> bool:
    """Of the events on D_i against D_j only {i} has more than e^(tα) times the probability."""
    return p - growth**moved * (1 - p) / (near - 1) <= delta * sum(growth**i for i in range(moved))


@pytest.mark.parametrize(
    ("near", "moved", "growth", "delta", "found"),
    [
        (6, 2, F(12, 5), F(0), F(144, 269)),
        (6, 2, F(12, 5), F(7, 120), F(4051, 6456)),
        (6, 2, F(2), F(1, 20), F(19, 36)),
        (18, 4, F(2), F(1, 68), F(79, 132)),
    ],
)
def test_rounded_up_is_refuted_by_hand(near: int, moved: int, growth: F, delta: F, found: F) -> None:
    """Private, δ no more than (1 − 1/g)/(2(ℓ − 1)), t = ⌈nγ⌉, as g^(t−1) < (ℓ − 1)/2 ≤ g^t, and yet p ≥ 1/2."""
    assert best(near, moved, growth, delta) == found >= F(1, 2)
    assert is_private(near, moved, growth, delta, found)
    assert not is_private(near, moved, growth, delta, found + F(1, 10**9))
    assert delta <= (1 - 1 / growth) / (2 * (near - 1))
    assert growth ** (moved - 1) < F(near - 1, 2) <= growth**moved


def test_where_it_is_whole_the_theorem_holds_by_hand() -> None:
    """Where g^t = (ℓ − 1)/2 the best is 1/3 + (2/3)·δ_t, and δ_t = (1/(2g))·(1/2 − 1/(ℓ − 1)) < 1/4."""
    for near, moved, growth in ((4, 1, F(3, 2)), (5, 1, F(2)), (6, 1, F(5, 2)), (9, 2, F(2)), (17, 3, F(2))):
        delta = (1 - 1 / growth) / (2 * (near - 1))
        of_group = (F(1, 2) - F(1, near - 1)) / (2 * growth)
        assert best(near, moved, growth, delta) == F(1, 3) + 2 * of_group / 3 < F(1, 2)
        assert best(near, moved, growth, delta) == packing_bound(near, moved, log(growth), delta)


def test_more_items_force_it_by_hand() -> None:
    for near, growth in ((6, F(12, 5)), (6, F(2))):
        items = 1 + -(-(near - 1) * growth // 1)
        assert best(int(items), 2, growth, (1 - 1 / growth) / (2 * (near - 1))) < F(1, 2)


def test_the_margin_of_two_or_three_is_none_by_hand() -> None:
    """ln((ℓ − 1)/2) ≤ 0 as (ℓ − 1)/2 ≤ 1."""
    assert [F(near - 1, 2) <= 1 for near in (2, 3, 4)] == [True, True, False]


def test_what_breaks_a_property_is_seen() -> None:
    case = claims.printed_case(5, 6, 6, log(2))
    assert all(check(case) is None for check in claims.near_best.properties.values())
    assert "successes are" in (claims.wrong_successes({**case, "moved": 0}) or "")
    assert "may be" in (claims.too_far_apart({**case, "moved": 2}) or "")
    assert "δ =" in (claims.too_large_delta({**case, "delta": F(1, 15)}) or "")
    assert "more than" in (claims.wrong_margin({**case, "moved": 0}) or "")


def test_far_items_that_move_by_two_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "qualities_of_near_maximisers", lambda rows, items, near: {1: 2 * rows.count(0)})
    assert "moves from" in (claims.wrong_lipschitz(claims.printed_case(5, 5, 6, log(2))) or "")


def test_the_quick_claims_are_as_expected() -> None:
    """By the committed audit, with which `claims_catalogue.py` compares what it decides."""
    for claim in (claims.rounded_up, claims.two_or_three):
        result = committed()[claim.id]
        assert (result.verdict, result.as_expected) == (Status.REFUTED, True)


def test_mechanisms_that_cannot_be_run_are_left_out() -> None:
    case = claims.printed_case(5, 8, 6, log(2))
    assert claims.of_choosing(case) is None
    assert claims.of_choosing({**case, "rows": 201}) is not None
    assert claims.of_choosing({**case, "delta": F(0)}) is None
