"""Refuted steps of Hardt, Rothblum & Servedio and of Chaudhuri, Hsu & Song, each at its witness, by Fractions alone."""

from collections.abc import Callable
from fractions import Fraction as F

from tests.catalogue.by_hand import E_HIGH, E_LOW


def a_million_examples() -> bool:
    """α = γ = 1/100, β = 1/2, b = 10⁶: ln 3600 > 8, ln(2·10·1.6·10¹¹) > 28, and ln 2 < 7/10."""
    bounds = (E_HIGH**8 < 3600, 20 * F(16, 10) * 10**11 > E_HIGH**28, E_LOW**7 > 2**10)
    total = 200 * 10**6 * 8 * 100
    return all(bounds) and 210 * total * 28 * 100 > 10**7 * 10**6 * F(7, 10) * 100 * 100


def a_tiny_alpha_of_one_attribute() -> bool:
    """k = 1, d = 4, y = 10⁸: ln 4 < 3/2, and (1000·3/2)²·(1 + y) < y², as ln ln 4 < 1."""
    y = 10**8
    return E_LOW**3 > 4**2 and (1000 * F(3, 2)) ** 2 * (1 + y) < y**2


def a_tiny_alpha_of_two_attributes() -> bool:
    """d = 2, y = 10¹⁰: ln 2 < 1, and 10⁹·2·(1 + y)² < y³."""
    y = 10**10
    return E_LOW > 2 and 10**9 * 2 * (1 + y) ** 2 < y**3


def delta_near_one() -> bool:
    """ℓ = 1, α = 1/2, δ = 1 − 10⁻⁶: the terms of γ* are positive, 6α alone is 3, and ln(1/δ) ≤ 1/δ − 1."""
    delta = 1 - F(1, 10**6)
    return 6 * F(1, 2) > 10**6 * (1 / delta - 1)


def ten_to_the_seventy_queries() -> bool:
    """β = 1/4, b = 10⁵: |Q| times (1/(4·10⁶))^10 is x > 9,000, and 1 − e^(−x) ≥ x/(1 + x)."""
    x = 10**70 * F(1, 4 * 10**6) ** 10
    return x > 9000 and x / (1 + x) > F(1, 4) / 3


def next_to_one() -> bool:
    """k = 1, ε = 1 − 10⁻⁷: ln(1/ε) ≤ 1/ε − 1, and 1000² times that is below 1."""
    return 1000**2 * (1 / (1 - F(1, 10**7)) - 1) < 1


def margin_next_to_one() -> bool:
    """α = 10⁻⁷, δ = 1 − 10⁻¹⁴, r = 1: ln 3 > 1, and ln(1/δ) ≤ 1/δ − 1."""
    delta, alpha = 1 - F(1, 10**14), F(1, 10**7)
    return E_HIGH < 3 and 6 * (1 + 1 / alpha) > 10**6 * (1 + (1 / delta - 1) / alpha)


def a_thousand_lists() -> bool:
    """|I| = n = 1000 and B = 1."""
    lists, items, longest = 1000, 1000, 1
    return 1000 * longest <= items and lists * longest > F(items, 10)


BY_HAND: dict[str, Callable[[], bool]] = {
    # ln 8 < 3 and ln 100 < 5, on one row; log₂(2/β) > 1; and 6·ln 2 > 4, ln(1/δ) ≤ 1/δ − 1
    "HRS-5.10.step.one-row": lambda: E_LOW**3 > 8 and E_LOW**5 > 100 and F(10**9 - 1, 32) > 1000 * 3 * 5,
    "HRS-5.10.step.log-of-beta-any": lambda: 10**6 * F(1, 10**7) < 1,
    "CHS-Cor1.step.error-near-one": lambda: E_HIGH**2 < 2**3 and 10**6 * (1 / (1 - F(1, 10**7)) - 1) < 4,
    "HRS-1.1.step.rows-printed": a_million_examples,
    # β = 1/2, ln(1/α) = 100: ln 36 > 0, and ln 2 < 1.
    "HRS-1.1.step.samples-printed": lambda: E_LOW > 2 and 100 * 100 >= 10_000,
    # ln(1/α) = 1 and ln(1/β) = 10⁻⁷: ln 18 > 0.
    "HRS-1.2.step.log-of-beta-any": lambda: 0 + 1 + F(1, 10**7) > 10**6 * 1 * F(1, 10**7),
    "HRS-1.2.step.power-of-alpha-any": a_tiny_alpha_of_one_attribute,
    "HRS-1.4.step.power-of-alpha-any": a_tiny_alpha_of_two_attributes,
    # α = 1/4 and |f(q) − t| = 1/8 ≤ α: without noise 2α/21 is exceeded, and the answer is not ⊥.
    "HRS-4.5.step.first-case-printed": lambda: F(1, 8) <= F(1, 4) and F(1, 8) >= 2 * F(1, 4) / 21,
    # β = 1/4.
    "HRS-4.5.step.union-printed": lambda: F(1, 4) + 3 * (F(1, 4) / 3) > F(1, 4),
    # k = 12 and β = 1/4.
    "HRS-4.6.step.union-printed": lambda: 12 * (F(1, 4) / 12) > F(1, 4) / 3,
    # α = 1/4, k = 12: 1/13 < 1/12.
    "HRS-4.9.step.spacing-printed": lambda: F(1, -(-3 // F(1, 4)) + 1) < F(1, 4) / 3,
    "HRS-4.9.step.noise-of-all-printed": ten_to_the_seventy_queries,
    # ε = 1/100: ln 100 < 5, and 2^(−5) > 1/100.
    "HRS-5.4.step.exponent-natural": lambda: E_LOW**5 > 100 and F(1, 2**5) > F(1, 100),
    "HRS-5.4.step.near-one-printed": next_to_one,
    # x = 0.
    "HRS-5.9.step.degree-of-one-row": lambda: 2 * 0 + 1 > 10**6 * 0,
    # d = 2 and n = 100: d²·ln 100 > 4·2 = d³.
    "HRS-5.9.step.width": lambda: E_HIGH**2 < 100 and 2**2 * 2 >= 2**3,
    "CHS-4.1.step.few-itemsets-printed": a_thousand_lists,
    "CHS-Alg1.step.order-printed": margin_next_to_one,
    # t = 2, n = 1000, δ₀ = 1/20: 4·ln 1000 > ln 20000.
    "CHS-Cor2.step.shell-printed": lambda: 1000**4 > 20 * 1000,
    # n = 1: ln 1 = 0, and 0 times any t is below x = 1.
    "CHS-Cor2.step.some-shell-printed": lambda: 10**9 * 0 < 1,
    "CHS-Rem1.step.constant-printed": delta_near_one,
}
