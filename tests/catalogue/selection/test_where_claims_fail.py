"""Where claims for every ε begin or cease to fail, by Fractions alone.

Just on either side of the end that is found, on the pair that fails there.
"""

from fractions import Fraction

import pytest
from tests.catalogue.by_hand import TENTH, Bounds, e_to
from tests.catalogue.selection.privacy_by_hand import choosing, journal, on_one_of_sixteen, whole_threshold

WHOLE = "BNS-J-2.26.privacy.whole-threshold-scale-1-every-epsilon"


def excess(claim: str, at: Fraction) -> Bounds:
    """Around p − e^ε·q − δ, for the pair of databases that decides at the end of the interval."""
    if claim == "BNS-J-2.26.privacy.printed-every-epsilon":
        p, q = (journal(TENTH, at, scores, 1) for scores in ((0, 11), (1, 10)))
        return minus(p, at, q, (TENTH, TENTH))
    if claim == WHOLE:
        p, q = (whole_threshold(at, scores, 1) for scores in ((0, 6), (1, 5)))
        return minus(p, at, q, e_to(-2 * at))
    if claim == "BNS-J-4.4.privacy.eight-rows-every-epsilon":
        p, q = (choosing(8, at, scores, 1) for scores in ((0, 1), (0, 0)))
        return minus(p, at, q, (TENTH, TENTH))
    p, q = (on_one_of_sixteen(claim.rsplit(".", maxsplit=1)[-1].split("-", maxsplit=1)[0], at, ones) for ones in (1, 0))
    return minus(p, at * Fraction(3, 8), q, (Fraction(0), Fraction(0)))


def minus(p: Bounds, epsilon: Fraction, q: Bounds, delta: Bounds) -> Bounds:
    low, high = e_to(epsilon)
    return p[0] - high * q[1] - delta[1], p[1] - low * q[0] - delta[0]


@pytest.mark.parametrize(
    ("claim", "holds", "fails"),
    [
        ("BNS-J-2.26.privacy.printed-every-epsilon", Fraction("0.213912"), Fraction("0.213913")),
        (WHOLE, Fraction("0.609377"), Fraction("0.609378")),
        ("BNS-J-4.4.privacy.eight-rows-every-epsilon", Fraction("2.145918"), Fraction("2.145917")),
        ("BuNS-2.25.privacy.exponential-every-epsilon", Fraction("22.178877"), Fraction("22.178878")),
        ("BuNS-2.25.privacy.noisy-sum-every-epsilon", Fraction("4.071848"), Fraction("4.071849")),
    ],
)
def test_the_end_of_where_a_claim_fails(claim: str, holds: Fraction, fails: Fraction) -> None:
    assert excess(claim, holds)[1] < 0 < excess(claim, fails)[0]


def test_the_printed_bound_at_large_epsilon_asks_for_one_row() -> None:
    """(16/(αε))·ln(16k/(αβεδ)) at α = k = 1, β = ½, ε = 40, δ = 1/10 is 0.4·ln 8, and ln 8 < 2.5 as e^2.5 > 8."""
    assert e_to(Fraction(5, 2))[0] > 8
