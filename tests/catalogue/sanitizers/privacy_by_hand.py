"""Refuted claims about sanitizers, by Fractions alone."""

from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any

from tests.catalogue.by_hand import (
    ONE,
    TENTH,
    Bounds,
    Refutation,
    decay,
    e_to,
    geometric_tail,
    logarithm,
    outward,
    root,
    times,
)


def points_listed(epsilon: Fraction, counts: tuple[int, ...], outcome: tuple[int, ...]) -> Bounds:
    """SanPoints at α = 1/2, δ = 1/10: four choices, of which each needs best + Lap(4/ε̃) ≥ m/8."""
    squared = [64 * bound for bound in logarithm(Fraction(50))]
    quarter = outward((epsilon / 4 / root(squared[1], 2)[1], epsilon / 4 / root(squared[0], 2)[0]), 12)
    threshold = Fraction(sum(counts), 8)

    def after(listed: frozenset[int], choices: int) -> Bounds:
        if not choices:
            return (ONE, ONE) if listed == set(outcome) else (Fraction(0), Fraction(0))
        left = {x: count for x, count in enumerate(counts) if count and x not in listed}
        best = max(left.values(), default=0)
        far = decay(quarter, abs(best - threshold))
        reached = (1 - far[1] / 2, 1 - far[0] / 2) if best >= threshold else (far[0] / 2, far[1] / 2)
        weights = {x: decay(quarter, Fraction(best - count)) for x, count in left.items()}
        sums = [sum(weight[i] for weight in weights.values()) for i in (0, 1)]
        missed = (1 - reached[1], 1 - reached[0]) if left else (ONE, ONE)
        ways = [times(missed, after(listed, choices - 1))]
        for x, weight in weights.items():
            chosen = (weight[0] / sums[1], weight[1] / sums[0])
            ways.append(times(reached, chosen, after(listed | {x}, choices - 1)))
        return sum((low for low, _ in ways), Fraction(0)), sum((high for _, high in ways), Fraction(0))

    return after(frozenset(), 4)


def single_point_released(rows: tuple[int, ...], outcome: int, epsilon: Fraction, log_star: int, scales: int) -> Bounds:
    """SanThresholds with one call at α = 1, of rows on different points: Ŝ has copies of `outcome` alone.

    Here only z = 0 makes an interval end in that point, so that it has to be a row.
    """
    if outcome not in rows:
        return Fraction(0), Fraction(0)
    m = len(rows)
    unit = Fraction(m, 32)
    most = [0] + [max(sum(x <= y < x + 2**j for y in rows) for x in rows) for j in range(scales + 1)]
    quality = [min(most[j + 1] - unit, 3 * unit - most[j]) for j in range(scales + 1)]
    weights = [e_to(epsilon / (6 * log_star) * (q - max(quality))) for q in quality]
    noise = e_to(-epsilon)
    goes_on = geometric_tail(noise, ceil(unit * 4 - m))  # m + N ≥ m/8
    scale_0 = (weights[0][0] / sum(high for _, high in weights), weights[0][1] / sum(low for low, _ in weights))
    far = e_to(-epsilon / 4 * (1 - Fraction(m, 128)))
    reached = (1 - far[1] / 2, 1 - far[0] / 2)  # 1 + Lap(4/ε) ≥ m/128
    return times(goes_on, scale_0, reached, (Fraction(1, m),) * 2, geometric_tail(noise, 0))


def algorithm_b(sample: tuple[tuple[int, int], ...], outcome: tuple[Any, Any]) -> Bounds:
    """One block of five rows, or none, for each label, and randomized response with 2/3 on each; ε = ln 2."""
    p = ONE
    for label, (rows, answers) in enumerate(outcome):
        own = [x for x, y in sample if y == label]
        distance = 3 - len(own)  # a block where |S| + Lap(1/ε) ≥ 5/2, rounded up
        tail = Fraction(1, 2) ** (1 + distance) if distance >= 0 else 1 - Fraction(1, 2) ** (1 - distance)
        assert rows == 5
        p *= tail
        for x, answer in zip((own + [0] * 5)[:5], answers, strict=True):
            p *= Fraction(2 if answer == x else 1, 3)
    return p, p


def listed_by_cut_offs(rows: tuple[int, ...], outcome: tuple[int, ...]) -> Bounds:
    """The histogram with cut-offs on three rows: a point that occurs is listed where count + N > 3/4."""
    counts = [rows.count(x) for x in outcome]
    noise = e_to(Fraction(-1, 2))
    return times(*(geometric_tail(noise, 1 - count) for count in counts)) if all(counts) else (Fraction(0),) * 2


def four_answers_near(rows: tuple[int, ...], outcome: tuple[Fraction, ...]) -> Bounds:
    """Multiplicative weights on three rows of two points: each count, twice, is within 3/2 of 3/2 with Lap(1)."""
    assert outcome == (Fraction(3, 2),) * 4

    def near(count: int) -> Bounds:
        below, above = e_to(Fraction(-count)), e_to(Fraction(count - 3))  # N < −count, N > 3 − count: half of each
        return 1 - below[1] / 2 - above[1] / 2, 1 - below[0] / 2 - above[0] / 2

    return times(*(near(rows.count(x)) for x in (0, 1, 0, 1)))


def of_san_thresholds(epsilon: Fraction, log_star: int, scales: int, delta: Fraction) -> Refutation:
    """The δ of the parts is given. The event never happens on the other database, so that any ε will do for ε̃."""
    return Refutation(
        lambda rows, points: single_point_released(rows, points[0], epsilon, log_star, scales), ONE, 5 * delta
    )


BY_HAND = {
    "BuNS-2.19.privacy.one-noise": Refutation(four_answers_near),
    "BuNS-2.20.privacy.cut-offs-few-rows": Refutation(listed_by_cut_offs, ONE, TENTH),
    "BNS-J-4.6.privacy.printed-large-epsilon": Refutation(
        partial(points_listed, Fraction(1000)), Fraction(1000), TENTH
    ),
    "BNS-J-4.6.privacy.below": Refutation(partial(points_listed, ONE), ONE, TENTH),
    "BNS-J-4.8.privacy.printed-large-epsilon": of_san_thresholds(Fraction(1000), 2, 4, Fraction(1, 200)),
    "BNS-J-4.8.privacy.below": of_san_thresholds(ONE, 1, 2, Fraction(1, 100)),
    "BNS-J-5.4.privacy.in-order": Refutation(algorithm_b, "ln 2", times=6),
}
