"""Refuted lower bounds, once more: with Fractions and math alone, and nothing of dpverify."""

from fractions import Fraction
from itertools import product
from math import e, isclose, log


def test_theorem_2_20_fails_on_two_points_and_one_row() -> None:
    """VC = 2, m = 1, ε = ln(5/2) < 1, β = 1/2, α = 1/21 < 1/(4 + 16·ln(5/2)).

    The row is told truly with probability (5/2)/(1 + 5/2) = 5/7: what is told is then 0-close, and β = 1/2 is kept.
    """
    growth, alpha, beta = Fraction(5, 2), Fraction(1, 21), Fraction(1, 2)
    assert log(growth) < 1
    assert alpha < 1 / (4 + 16 * log(growth))
    law = {row: {told: growth / (1 + growth) if told == row else 1 / (1 + growth) for told in (0, 1)} for row in (0, 1)}
    for row, told in product((0, 1), repeat=2):
        assert law[row][told] <= growth * law[1 - row][told]
    assert all(sum(of.values()) == 1 for of in law.values())
    subsets = [set(), {0}, {1}, {0, 1}]
    close = {
        row: [told for told in (0, 1) if all(abs((row in s) - (told in s)) <= alpha for s in subsets)] for row in (0, 1)
    }
    assert close == {0: [0], 1: [1]}
    assert min(law[row][row] for row in (0, 1)) == Fraction(5, 7) > 1 - beta
    # as it must read: α ≥ (1/(1 + e^ε) − β)/(1 − β), which says nothing here
    assert (1 / (1 + growth) - beta) / (1 - beta) < 0


def test_theorem_2_20_fails_on_four_points_where_beta_is_large() -> None:
    """VC = 4, m = 2, ε = 1/100, β = 9/10, α = 1/5: two rows are drawn without a look at the data, so that ε = 0 does."""
    alpha, beta = Fraction(1, 5), Fraction(9, 10)
    assert alpha < 1 / (4 + 16 * Fraction(1, 100))
    databases = [(x, y) for x, y in product(range(4), repeat=2) if x <= y]
    law = dict.fromkeys(databases, Fraction(1, len(databases)))
    assert len(databases) == 10 and sum(law.values()) == 1
    for database in databases:  # what is told exactly is α-close for every subset, whatever the database is
        assert law[database] == Fraction(1, 10) >= 1 - beta


def test_theorem_4_16_is_not_immediate_from_2_20() -> None:
    """1/(4 + 16·(1/2)) = 1/12, which an α of 1/8 is not below."""
    assert 1 / (4 + 16 * Fraction(1, 2)) == Fraction(1, 12) < Fraction(1, 8)
    # the corrected bound: e^(1/2)/(1 + e^(1/2))/(7/8), with e^(1/2) < 1.65, is less than 7/8
    assert Fraction(165, 265) / Fraction(7, 8) < Fraction(7, 8)
    assert e < Fraction(165, 100) ** 2


def test_proposition_1_fails_for_few_rows() -> None:
    """K = 7, n = 2, α = 1/2: log(3)/1 > 1, and to be within 1 of the best takes no data.

    f(i, D) is the share of rows that are i, on all 8² databases of 7 items and nobody; it is (1/2)-Lipschitz.
    """
    items, n, alpha = 7, 2, Fraction(1, 2)
    allowed = log((items - 1) / 2) / (alpha * n)
    assert isclose(allowed, 1.0986, abs_tol=1e-4)
    for database in product(range(items + 1), repeat=n):
        quality = [Fraction(database.count(i), n) for i in range(items)]
        assert quality[0] >= max(quality) - 1 > max(quality) - allowed  # always item 0: success 1, and not < 1/2


def test_lemma_5_7_fails_where_there_are_two_concepts() -> None:
    """k = d = 1: a coin answers {0} or {1}, and is right with probability 1/2 = 1 − β, from nothing at all."""
    concepts = [{0}, {1}]
    for target in concepts:
        good = [h for h in concepts if not any((x in h) != (x in target) for x in (0, 1))]
        assert Fraction(len(good), len(concepts)) == Fraction(1, 2)


def test_lemma_4_15_asks_for_alpha_below_a_half() -> None:
    """The estimate 1/2 is 1/2-close to every share."""
    assert all(abs(Fraction(n, m) - Fraction(1, 2)) <= Fraction(1, 2) for m in range(1, 6) for n in range(m + 1))


def test_lemma_4_15_asks_for_alpha_of_a_row_two_points_and_beta_below_a_half() -> None:
    """One row of two points, told truly with probability e²/(1 + e²), or at ε = 0 with 1/2; and one of one point."""
    growth, half = Fraction(7), Fraction(1, 2)  # e² > 7, and with 7 alone it is private for ε = 2, too
    assert e**2 > growth and growth / (1 + growth) == Fraction(7, 8) > 1 - Fraction(1, 4)
    assert growth / (1 + growth) <= growth * (1 / (1 + growth))
    assert half >= 1 - half and (2 - 1) * (1 - half) / half == 1  # whose logarithm, the bound of the proof, is 0
    assert len({(row,) for row in range(1)}) == 1 and log(10) > 0  # nothing to tell, and log(1/β) is asked for


def test_the_greedy_choice_of_lemma_5_7_as_printed() -> None:
    """After A = {1, 2, 3} of 7 points, I with |A ∩ I| ≤ 3/2 is removed: A stays, and is chosen again."""
    a = {1, 2, 3}
    assert not len(a & a) <= Fraction(3, 2)
