"""Refuted utility claims about A_dist and the large margin mechanism, each at its witness, by Fractions alone."""

from fractions import Fraction as F

from tests.catalogue.by_hand import E_HIGH, E_LOW, e_to


def a_gap_of_40() -> bool:
    """A_dist: threshold (4/ε)·ln(1/δ) + 2, noise Lap(4/ε): it misses with ½·e^(−(40 − 2)·5/4)/δ."""
    delta, beta = F(1, 10**9), F(1, 10**12)
    assert 2 / (beta * delta) < E_LOW**50  # so that 40 ≥ (4/ε)·ln(2/(βδ)) at ε = 5
    # ½·e^(−47.5)/δ > β, squared
    return (1 / (2 * beta * delta)) ** 2 > E_HIGH**95


def five_items_near_the_best() -> bool:
    """LMM, ε = 1, δ = 1/10: of five items four are 13 worse than the best, where 6·ln(2/η) may be lost, η = 1/4.

    No test passes unless Z > 12, G < −24 or some Z_r < −55, as 13 + 12 + 24 + 55 = 104 < nT^(1). All five are kept then,
    and a bad one is chosen with 4w/(1 + 4w), w = e^(−13/6).
    """
    assert e_to(F(13, 6))[0] > 8  # 13 > 6·ln(2/η)
    assert F(15**3 * 30**12 * 60**12) > E_HIGH**98  # nT^(1) = 3·ln 15 + 12·ln 30 + 12·ln 60 + 6 > 104
    a_test_passes = (2 * e_to(F(-4))[1] + 4 * e_to(F(-55, 12))[1]) / 2
    w = e_to(F(-13, 6))[0]
    return (1 - a_test_passes) * 4 * w / (1 + 4 * w) > F(1, 4)


BY_HAND = {"CHS-Rem1.utility.without-a-margin": five_items_near_the_best, "BNS-X-Prop2.utility.gap": a_gap_of_40}
