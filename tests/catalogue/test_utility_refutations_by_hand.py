"""Each refuted utility claim once more, at its witness: by a few lines of Fractions, and nothing of dpverify.

e^x is bounded by rationals: 1 + x ≤ e^x, 1 − x ≤ e^(−x), and e lies between E_LOW and E_HIGH.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction as F
from math import comb

import pytest

from dpverify.reports.record import Status
from dpverify.verifiers.catalogue import utility_claims

E_LOW, E_HIGH = F("2.718281828"), F("2.718281829")
LN_2_LOW, LN_2_HIGH = F("0.6931"), F("0.6932")


def a_gap_of_40() -> bool:
    """A_dist: threshold (4/ε)·ln(1/δ) + 2, noise Lap(4/ε): it misses with ½·e^(−(40 − 2)·5/4)/δ."""
    delta, beta = F(1, 10**9), F(1, 10**12)
    assert 2 / (beta * delta) < E_LOW**50  # so that 40 ≥ (4/ε)·ln(2/(βδ)) at ε = 5
    # ½·e^(−47.5)/δ > β, squared
    return (1 / (2 * beta * delta)) ** 2 > E_HIGH**95


def tied_blocks(plateau: tuple[int, int], block: int) -> bool:
    """Whether two blocks [0, block), [block, 2·block), … hold a point of the plateau: their qualities are equal."""
    return plateau[0] // block != plateau[1] // block


def a_plateau_over_the_end_of_a() -> bool:
    """K = 2, as the plateau has two points, and A has blocks of 8K: A_dist sees a gap of 0, and step 10 leaves B out."""
    return tied_blocks((15, 16), 8 * 2)


def a_promise_below_two() -> bool:
    """The gap is the promise, 359/250, and the threshold more than 2: noise Lap(4/50000) has to be above 0.564."""
    noise, scale = 2 - F(359, 250), F(4, 50_000)
    # e^(−x) < 1/(1 + x), so that it succeeds with less than half of that
    return 1 - F(1, 2) / (1 + noise / scale) > F(2, 5)


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


def copies_by_number() -> bool:
    """12 rows of label 1 twelve times each, and 36 rows of label 0 thirty-six times: 1/4 reads 1/10."""
    printed = F(12 * 12, 12 * 12 + 36 * 36)
    return abs(F(12, 48) - printed) > F(6, 48)


def a_tie_of_two_examples() -> bool:
    """14 labelled 1 and 16 labelled 0: 15 and 16 are best, and tie; the likely samples have more than 1/4."""
    likely = F(sum(comb(2904, n) for n in range(1442, 1463)), 2**2904)
    return tied_blocks((15, 16), 8 * 2) and F("0.3032283360") < likely < F("0.3032283361")


def noise_on_three_rows() -> bool:
    """12·log* d ≤ βεδ asks for no rows; with three Lap(1/ε) is beyond αm/(16c) with e^(−ε·that) ≥ 1 − ε·that."""
    alpha, beta, epsilon, delta, c = F(1, 100), F(1, 38_500), 467_000, F(99, 100), 7_700
    assert beta * epsilon * delta >= 12
    return 1 - epsilon * alpha * 3 / (16 * c) > 3 * c * beta


def an_estimate_on_three_rows() -> bool:
    """The same with (αm/4)·(α/77): e^(−x) ≥ 1 − x + x²/2 − x³/6."""
    alpha, beta, epsilon, c = F(1, 100), F(1, 38_500), 467_000, 7_700
    x = epsilon * alpha * 3 / 4 * alpha / 77
    return 1 - x + x**2 / 2 - x**3 / 6 > 3 * c * beta


def four_zeros() -> bool:
    """One subsample of four examples with x in {0, 1}: all are x = 0, which says nothing, with 1/16."""
    assert F(3, 200) * 66 < 1  # t = 1 is enough for (3/ε)·ln(2/(βδ)), as ln(4·10¹⁰) < 66
    return F(1, 2) ** 4 > F(1, 20)


def the_other_point() -> bool:
    """One row, which is half of the time the point that is labelled 0: then all is labelled 0, an error of 1/2."""
    assert F(1, 2) > F(1, 3)
    return F(1, 2) > F(1, 20)


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


def a_rival_of_1569_rows() -> bool:
    """At ε = 1 it is chosen with at least e^(−1569/2)/3, where 3·e^(−εαm/8) is claimed, with m for the m − n of S₂."""
    alpha, m, second = F(99, 100), 6_542, 6_339
    assert alpha / 4 * second < 1_569
    return E_LOW ** (alpha * m / 8 - F(1_569, 2)).__floor__() > 9


BY_HAND: dict[str, Callable[[], bool]] = {
    "BNS-X-Prop2.utility.gap": a_gap_of_40,
    "BNS-X-Lem3.utility.promise": a_plateau_over_the_end_of_a,
    "BNS-X-Lem3.utility.with-b": a_promise_below_two,
    "BNS-J-2.14.utility.samples": one_row_of_two_points,
    "BNS-J-2.14.utility.samples-of-points": one_row_of_201_points,
    "BNS-J-3.2.utility.pac": points_of_the_journal,
    "BNS-J-3.2.utility.none": no_example_of_label_1,
    "BNS-X-Lem1.utility.pac": points_of_the_abstract,
    "BNS-J-6.2.utility.one-point": no_row_left,
    "BNS-J-5.4.utility.copies": copies_by_number,
    "BNS-X-Thm2.utility.pac": a_tie_of_two_examples,
    "BNS-J-4.10.utility.b1": noise_on_three_rows,
    "BNS-J-4.11.utility.e3": an_estimate_on_three_rows,
    "BuNS-3.12.utility.parities": four_zeros,
    "BuNS-3.13.utility.points": the_other_point,
    "HRS-4.2.utility.small-database-of-one-query": a_database_of_no_rows,
    "HRS-4.5.utility.release-as-printed": no_share_reads_all,
    "HRS-5.3.utility.degree-of-one-row": one_row_of_zeros,
    "HRS-5.8.utility.tree-as-printed": a_leaf_of_one_row,
    "BNS-J-6.2.utility.e3": a_rival_of_1569_rows,
}


@pytest.mark.parametrize("claim_id", BY_HAND)
def test_it_fails_by_hand(claim_id: str) -> None:
    assert BY_HAND[claim_id]()


def test_every_refuted_claim_is_here() -> None:
    assert set(BY_HAND) == {claim.id for claim in utility_claims() if claim.expected is Status.REFUTED}
