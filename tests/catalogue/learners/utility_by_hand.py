"""Refuted utility claims about learners, and random samples, each at its witness, by Fractions alone."""

from collections.abc import Callable
from fractions import Fraction as F
from math import comb

from tests.catalogue.by_hand import E_HIGH, E_LOW, LN_2_HIGH, LN_2_LOW
from tests.catalogue.recursion.utility_by_hand import tied_blocks


def one_row_of_two_points() -> bool:
    """VC = 0 asks for no row; one row has a share of 0 or 1, 1/2 off."""
    return all(abs(share - F(1, 2)) > F(1, 4) for share in (0, 1)) and F(99, 100) < 1


def one_row_of_201_points() -> bool:
    """50/α²·ln(1/(αβ)) ≤ 1, and the point of the row has a share of 1 where its probability is 1/201."""
    alpha = beta = F(199, 200)
    assert 1 + alpha**2 / 50 >= 1 / (alpha * beta)
    return 1 - F(1, 201) > alpha and beta < 1


def wrong_points(at_most_2: Callable[[int], F]) -> bool:
    """With ⊥ a random one of four concepts: c_1 and c_2 err on their point and on the target's, which is too much."""
    alpha, beta, target, m = F(100, 199), F(199, 400), F(1, 198), 51
    assert target + F(197, 396) > alpha
    bottom = sum(comb(m, n) * target**n * (1 - target) ** (m - n) * at_most_2(n) for n in range(3))
    return bottom / 2 > beta


def points_of_the_journal() -> bool:
    """⊥ for n examples of the target, at ε = 5: 1 − ½·δ·e^(5n) for n ≤ 2, as the threshold is ln(10⁶)/5 > 2."""
    assert E_HIGH**10 < 10**6
    return wrong_points(lambda n: 1 - F(1, 2 * 10**6) * E_HIGH ** (5 * n))


def points_of_the_abstract() -> bool:
    """The threshold is (4/5)·ln(10⁶) + 2: noise has to pass (4/5)·ln(10⁶), with probability ½·10⁻⁶."""
    return wrong_points(lambda n: 1 - F(1, 2 * 10**6))


def no_example_of_label_1() -> bool:
    """All qualities are 0: Lap(1/ε) passes ln(1/δ)/ε with probability δ/2, and the point that is found is wrong."""
    return F(99, 100) / 2 > F(1, 4)


def no_row_left() -> bool:
    """n ≥ 64·12·ln 2 rows for the points alone, of m ≤ 15.36·17·ln 2 + 1: one of two labellings at random."""
    return F(768 * 4, 200) * 17 * LN_2_HIGH + 1 < 64 * 12 * LN_2_LOW and F(1, 2) > F(1, 4)


def a_tie_of_two_examples() -> bool:
    """14 labelled 1 and 16 labelled 0: 15 and 16 are best, and tie, where ⊥ is all that A_dist returns.

    So it is at K = 2. Where neither label has more than 5m/8, which by Chebyshev fails with at most 16/m, q(1) is m/4,
    and every other of the seven scales has 0 or less; e^(−x) < 1/x, and the ε of a part is more than 1/1000.
    """
    m = 38_274_687
    other_scales = 6 / (F(m, 4) / 2 / 1000)
    return tied_blocks((15, 16), 8 * 2) and 1 - F(16, m) - other_scales > F(1, 4)


def any_scale_of_nine() -> bool:
    """At a rate of less than 1/18,000 for each row (ε < 1/1000 over 3·log* 8 = 9, halved) five others are as likely.

    αm/32 is 1/32 of 50,000/32 rows; Q is at most 2^j·each less that, and 3αm/32 less what half as many points have.
    """
    each, unit = F(50_000, 256), F(50_000, 32 * 32)
    counts = [F(0), *(each * (1 << j) for j in range(9))]
    q = [min(counts[j + 1] - unit, 3 * unit - counts[j]) for j in range(9)]
    assert q[0] == max(q)
    assert all(value < F(3, 4) * unit for value in q[1:])
    # e^(−x) ≥ 1 − x
    others = sum(1 - (q[0] - value) / 18_000 for value in q[1:6])
    return 1 - 1 / (1 + others) > F(1, 4)


def half_of_the_rows_at_best() -> bool:
    """Q is min(zeros, ones) of an interval, at most half of the rows; 1 − 3α/4 of them are more, for α = 1/2."""
    return all(F(min(ones, 1 - ones)) < 1 - F(3, 4) * F(1, 2) for ones in (F(k, 8) for k in range(9)))


def four_zeros() -> bool:
    """One subsample of four examples with x in {0, 1}: all are x = 0, which says nothing, with 1/16."""
    assert F(3, 200) * 66 < 1  # t = 1 is enough for (3/ε)·ln(2/(βδ)), as ln(4·10¹⁰) < 66
    return F(1, 2) ** 4 > F(1, 20)


def the_other_point() -> bool:
    """One row, which is half of the time the point that is labelled 0: then all is labelled 0, an error of 1/2."""
    assert F(1, 2) > F(1, 3)
    return F(1, 2) > F(1, 20)


def a_rival_of_1569_rows() -> bool:
    """At ε = 1 it is chosen with at least e^(−1569/2)/3, where 3·e^(−εαm/8) is claimed, with m for the m − n of S₂."""
    alpha, m, second = F(99, 100), 6_542, 6_339
    assert alpha / 4 * second < 1_569
    return E_LOW ** (alpha * m / 8 - F(1_569, 2)).__floor__() > 9


def ones_of_two_pirates() -> bool:
    """Users 2 and 3 write 1 everywhere: weight(B_1) = d > 0 accuses user 1, who had no part in it, for certain."""
    words = {1: (1, 1), 2: (0, 1), 3: (0, 0)}  # on a column of type 1, where the first user has 1, and on one of type 2
    of_type_1, of_type_2 = zip(*(words[user] for user in (2, 3)), strict=True)
    return 1 not in of_type_1 and 1 in of_type_2 and F(1) > F(1, 10)


def rectangles_of_the_square() -> bool:
    """On {0, 1}² three points are not shattered: alone, no rectangle holds the ends of a diagonal but not the third.

    Three of four points always hold a diagonal and one end of the other; a rectangle around a diagonal is the square.
    And of one point alone the only rectangle is that point.
    """
    intervals = [{0}, {1}, {0, 1}, set()]
    found = [{(x, y) for x in a for y in b} for a in intervals for b in intervals]
    square = [(0, 0), (0, 1), (1, 0), (1, 1)]
    return not any(len({tuple(x in r for x in square if x != left_out) for r in found}) == 8 for left_out in square)


def one_example_of_a_constant() -> bool:
    """VC = 1, α = 10⁻⁶: one example, and its label is the target; so it is with both targets."""
    return F(1) / (10**6 * F(1, 10**6)) >= 1 and all(((0, target),)[0][1] == target for target in (0, 1))


BY_HAND = {
    "BNS-J-2.12.utility.two-constants": one_example_of_a_constant,
    "BuNS-4.5.utility.soundness-printed": ones_of_two_pirates,
    "BNS-J-3.20.utility.vc-as-printed": rectangles_of_the_square,
    "BNS-J-2.14.utility.samples": one_row_of_two_points,
    "BNS-J-2.14.utility.samples-of-points": one_row_of_201_points,
    "BNS-J-3.2.utility.pac": points_of_the_journal,
    "BNS-J-3.2.utility.none": no_example_of_label_1,
    "BNS-X-Lem1.utility.pac": points_of_the_abstract,
    "BNS-J-6.2.utility.one-point": no_row_left,
    "BNS-J-3.22.utility.scale-of-few-rows": any_scale_of_nine,
    "BNS-X-Rem1.utility.search": half_of_the_rows_at_best,
    "BNS-X-Thm2.utility.pac": a_tie_of_two_examples,
    "BuNS-3.12.utility.parities": four_zeros,
    "BuNS-3.13.utility.points": the_other_point,
    "BNS-J-6.2.utility.e3": a_rival_of_1569_rows,
}
