"""Refuted utility claims about data release, each at its witness, by Fractions alone."""

from fractions import Fraction as F

from tests.catalogue.by_hand import E_HIGH, E_LOW


def a_database_of_no_rows() -> bool:
    """10·ln|Q|/α² = 0 rows for |Q| = 1, as e⁰ = 1: the share of none of them is no number within α of another."""
    logarithm = next(n for n in range(2) if E_LOW**n == 1)
    return 10 * logarithm / F(1, 4) ** 2 == 0


def no_share_reads_all() -> bool:
    """f(q) = 0 passes no threshold: the smallest i with h_i = 1 and h_{i−1} = 0 is k + 1, and t_{k+1} = 1."""
    answers = []
    for k in range(1, 20):
        h = [False, *(F(i, k + 1) <= 0 for i in range(1, k + 1)), True]
        answers.append(F(min(i for i in range(1, k + 2) if h[i] and not h[i - 1]), k + 1))
    return all(answer - 0 > F(1, 4) for answer in answers)


def one_row_of_zeros() -> bool:
    """D = {0}: P(0, 0) = 1 and P(1, 0) = 0, which no polynomial of degree 0 has the signs of."""
    return len({int(not q & ~0) for q in (0, 1)}) == 2


def a_leaf_of_one_row() -> bool:
    """D = {00, 11}, t = 1: at q = 10 half of D satisfies it, and all of D′ = {11}."""
    share = [F(sum(row & 1 for row in rows), len(rows)) for rows in ((0b00, 0b11), (0b11,))]
    return (share[0] >= 1, share[1] >= 1) == (False, True)


def half_of_the_queries_on_a_threshold() -> bool:
    """γ = 1/4 and half of G on t: 1/2 ≤ 1 − γ/10, and half of the samples are rejected."""
    gamma, near = F(1, 4), F(1, 2)
    return near <= 1 - gamma / 10 and near > gamma / 10


def just_below_half_of_gamma() -> bool:
    """b_iter = ⌈400·ln 288⌉ = 2266, Z = 999/8000: |B| ≥ 2266/8 has a probability above 1/4."""
    b = next(b for b in range(2200, 2300) if E_LOW**b >= 288**400)
    z, least = F(999, 8000), -(-b // 8)
    weights, one = [], 1
    for n in range(b + 1):  # comb(b, n)·999^n, over 7001^(b − n)
        weights.append(one)
        one = one * (b - n) // (n + 1)
    ends = sum(w * 999**n * 7001 ** (b - n) for n, w in enumerate(weights[:least]))
    return z < F(1, 4) / 2 and b == 2266 and 1 - F(ends, 8000**b) > F(1, 4)


def a_little_more_than_half_of_gamma() -> bool:
    """b = ⌈8·10¹⁰·ln 288⌉ samples, 5.66 < ln 288 < 5.67: |B| ≥ b/8 with probability above 1/4, and more than γ is off.

    A binomial number is at least the whole part of its mean with probability ≥ 1/2, and no value of it has more than
    1/√(2e·bz(1 − z)) (Herzog); what lies between b·z and b/8 are b·10⁻⁶/8 + 2 values at most.
    """
    logarithm = E_LOW**567 > 288**100 and E_HIGH**566 < 288**100
    most, least, z = 567 * 8 * 10**8 + 1, 566 * 8 * 10**8, (1 - F(1, 10**6)) / 8
    between = most * F(1, 8 * 10**6) + 2
    seldom = between**2 / (2 * E_LOW * least * z * (1 - z)) < F(1, 4) ** 2
    off = z + 7 * F(99, 100) * F(1, 48) > F(1, 4) and 1 - F(9, 13) > F(1, 4) and F(10, 13) - F(6, 13) > F(1, 4)
    return logarithm and seldom and off


BY_HAND = {
    "HRS-4.2.utility.small-database-of-one-query": a_database_of_no_rows,
    "HRS-4.5.utility.smooth-learner-printed": a_little_more_than_half_of_gamma,
    "HRS-4.6.utility.rejected-printed": half_of_the_queries_on_a_threshold,
    "HRS-4.8.utility.smooth-printed": just_below_half_of_gamma,
    "HRS-4.5.utility.release-as-printed": no_share_reads_all,
    "HRS-5.3.utility.degree-of-one-row": one_row_of_zeros,
    "HRS-5.8.utility.tree-as-printed": a_leaf_of_one_row,
}
