"""Refuted claims about learners, by Fractions alone."""

from fractions import Fraction
from functools import partial

from tests.catalogue.by_hand import (
    MILLIONTH,
    ONE,
    TENTH,
    Bounds,
    Refutation,
    best_and_gap,
    e_to,
    geometric_tail,
    laplace_tail,
    times,
)
from tests.catalogue.recursion.privacy_by_hand import DELTA, recursion


def points_learner(count: int, at_random: bool, sample: tuple[tuple[int, int], ...], outcome: int) -> Bounds:
    """A_dist as printed on how often (x, 1) occurs, at ε = 1 and δ = 1/10, and a random point for ⊥."""
    best, gap = best_and_gap(tuple(sum((x, y) == (j, 1) for x, y in sample) for j in range(count)))
    released = laplace_tail(TENTH, ONE, gap)
    own = released if outcome == best else (Fraction(0), Fraction(0))
    if not at_random:
        return own
    return own[0] + (1 - released[1]) / count, own[1] + (1 - released[0]) / count


def label_private(sample: tuple[tuple[int, int], ...], outcome: int) -> Bounds:
    """The first row's point x tells thresholds up to x from those beyond: 0 and x + 1 stand for them, at ε = 1."""
    candidates = (0, sample[0][0] + 1)
    if outcome not in candidates:
        return Fraction(0), Fraction(0)
    weights = {j: e_to(Fraction(sum(int(x < j) == y for x, y in sample[1:]), 2)) for j in candidates}
    sums = [sum(weight[i] for weight in weights.values()) for i in (0, 1)]
    return weights[outcome][0] / sums[1], weights[outcome][1] / sums[0]


def heights_of(sample: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], int]:
    """How many labels the thresholds 10 and 50 give as they are given, and the most that another one does."""
    correct = [sum(int(x < j) == y for x, y in sample) for j in range(65)]
    return (correct[10], correct[50]), max(c for j, c in enumerate(correct) if j not in (10, 50))


def thresholds_learner(sample: tuple[tuple[int, int], ...], outcome: int) -> Bounds:
    """The chance of the threshold 50, of which the other that is as good is 10."""
    assert outcome == 50
    return recursion(ONE, *heights_of(sample))


def parity(rows: tuple[tuple[int, int], ...], outcome: None) -> Bounds:
    """A row gives the parity of its label; A_dist as printed returns ⊥ where the gap does not reach."""
    ones = sum(y for _, y in rows)
    assert outcome is None
    released = laplace_tail(TENTH, ONE, abs(len(rows) - 2 * ones))
    return 1 - released[1], 1 - released[0]


def many_points(rows: tuple[tuple[int, int], ...], outcome: int) -> Bounds:
    """All rows on point 0, whose count 6 + N has to be above ln 20 + 1 = 3.99…, and most of them with label 1."""
    assert e_to(Fraction(3))[1] > 20 > e_to(Fraction(2))[1]
    assert outcome == 0
    ones = sum(y for _, y in rows)
    if 2 * ones <= len(rows):
        return Fraction(0), Fraction(0)
    return times(geometric_tail(e_to(Fraction(-1)), -2), laplace_tail(TENTH, Fraction(2), 2 * ones - len(rows)))


def two_parities(counts: tuple[int, int, int], outcome: tuple[int, int]) -> Bounds:
    """The second vector, which A_dist as printed returns where its gap reaches; the first is there at a tie."""
    first, second, _ = counts
    assert outcome == (3, 0)
    return laplace_tail(MILLIONTH, ONE, second - first) if second > first else (Fraction(0), Fraction(0))


def two_points(rows: tuple[tuple[int, int], ...], outcome: tuple[int, int]) -> Bounds:
    """Point 0 for both columns: its count and noise have to be above 2·ln(2·10⁶) + 1 = 30.0…, and most labels 11."""
    assert e_to(Fraction(15))[0] > 2 * 10**6 > e_to(Fraction(29, 2))[1]
    assert outcome == (0, 0)
    both, one = rows.count((0, 3)), rows.count((0, 1))
    if both <= one:  # label 01 comes first
        return Fraction(0), Fraction(0)
    heavy = geometric_tail(e_to(Fraction(-1, 2)), 31 - both - one)
    return times(heavy, laplace_tail(MILLIONTH, ONE, both - one))


BY_HAND = {  # of points: how many, and whether a random one stands for ⊥
    "BNS-J-3.2.privacy.printed-four-points": Refutation(partial(points_learner, 4, True), ONE, TENTH),
    "BNS-J-3.2.privacy.printed": Refutation(partial(points_learner, 64, True), ONE, TENTH),
    "BNS-J-3.2.privacy.or-none-printed": Refutation(partial(points_learner, 4, False), ONE, TENTH),
    "BNS-J-3.18.privacy.printed-6": Refutation(thresholds_learner, 6 * ONE, DELTA),
    "BNS-J-6.2.privacy.rows": Refutation(label_private),
    "BuNS-3.12.privacy.printed": Refutation(parity, ONE, TENTH),
    "BuNS-3.12.privacy.printed-two-bits": Refutation(two_parities, ONE, MILLIONTH),
    "BuNS-3.13.privacy.printed-two-points": Refutation(two_points, 2 * ONE, 2 * MILLIONTH),
    "BuNS-3.13.privacy.printed": Refutation(many_points, 4 * ONE, 2 * TENTH),
}
