"""Refuted utility claims about A_dist, each at its witness, by Fractions alone."""

from __future__ import annotations

from fractions import Fraction as F

from tests.catalogue.by_hand import E_HIGH, E_LOW


def a_gap_of_40() -> bool:
    """A_dist: threshold (4/ε)·ln(1/δ) + 2, noise Lap(4/ε): it misses with ½·e^(−(40 − 2)·5/4)/δ."""
    delta, beta = F(1, 10**9), F(1, 10**12)
    assert 2 / (beta * delta) < E_LOW**50  # so that 40 ≥ (4/ε)·ln(2/(βδ)) at ε = 5
    # ½·e^(−47.5)/δ > β, squared
    return (1 / (2 * beta * delta)) ** 2 > E_HIGH**95


BY_HAND = {
    "BNS-X-Prop2.utility.gap": a_gap_of_40,
}
