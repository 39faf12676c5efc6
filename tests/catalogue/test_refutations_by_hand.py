"""Every pinned refutation, computed anew with Fractions alone: this file imports nothing of dpverify.

e^x is bounded from both sides by its series; e^(r·ln 2) = 2^r exactly. A witness stands if the lower bound of p exceeds
the upper bound of e^ε·q + δ.
"""

from __future__ import annotations

import importlib.util
from fractions import Fraction
from math import ceil, floor, prod
from pathlib import Path
from typing import Any

import pytest

_SPEC = importlib.util.spec_from_file_location("refutations", Path(__file__).with_name("refutations.py"))
assert _SPEC is not None
assert _SPEC.loader is not None
_DATA = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(_DATA)
WITNESSES: dict[str, tuple[Any, Any, tuple[Any, ...]]] = _DATA.WITNESSES

Bounds = tuple[Fraction, Fraction]
ONE, THREE, TENTH, MILLIONTH = Fraction(1), Fraction(3), Fraction(1, 10), Fraction(1, 10**6)
Epsilon = Fraction | str  # "ln 2" is the number ln 2


def e_to(x: Fraction) -> Bounds:
    """Rationals around e^x: the series up to a term, and the geometric bound on the rest."""
    if x < 0:
        low, high = e_to(-x)
        return 1 / high, 1 / low
    terms = 40 + 4 * int(x)
    partial, term = Fraction(0), Fraction(1)
    for i in range(terms):
        partial += term
        term = term * x / (i + 1)
    return partial, partial + term / (1 - x / (terms + 1))


def exp_epsilon(epsilon: Epsilon, power: Fraction | int) -> Bounds:
    """Around e^(power·ε)."""
    if isinstance(epsilon, str):
        assert Fraction(power).denominator == 1
        return Fraction(2) ** int(power), Fraction(2) ** int(power)
    return e_to(epsilon * power)


def root(x: Fraction, n: int) -> Bounds:
    """Around the n-th root of x."""
    scale = 10**30
    target = x * Fraction(scale) ** n
    low, high = 0, scale * max(1, int(x) + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if Fraction(middle) ** n <= target else (low, middle)
    return Fraction(low, scale), Fraction(high, scale)


def best_and_gap(scores: tuple[int, ...]) -> tuple[int, int]:
    best = scores.index(max(scores))
    return best, max(scores) - max(score for i, score in enumerate(scores) if i != best)


def laplace_tail(delta: Fraction, epsilon: Epsilon, gap: int) -> Bounds:
    """Pr[gap + Lap(1/ε) ≥ (1/ε)·ln(1/δ)]: ½·δ·e^(ε·gap) while that is at most ½, else 1 − e^(−ε·gap)/(2δ)."""
    low, high = exp_epsilon(epsilon, gap)
    if high * delta <= 1:
        return low * delta / 2, high * delta / 2
    assert low * delta > 1
    return 1 - 1 / (2 * delta * low), 1 - 1 / (2 * delta * high)


def geometric_tail(z: Bounds, k: int) -> Bounds:
    """Pr[N ≥ k] = z^k/(1 + z) for k ≥ 1, 1 − z^(1−k)/(1 + z) for k ≤ 0."""
    low, high = z
    if k >= 1:
        return low**k / (1 + high), high**k / (1 + low)
    return 1 - high ** (1 - k) / (1 + low), 1 - low ** (1 - k) / (1 + high)


def journal(delta: Fraction, epsilon: Epsilon, scores: tuple[int, ...], outcome: int) -> Bounds:
    best, gap = best_and_gap(scores)
    return laplace_tail(delta, epsilon, gap) if best == outcome else (Fraction(0), Fraction(0))


def journal_discrete(delta: Fraction, epsilon: Epsilon, scores: tuple[int, ...], outcome: int) -> Bounds:
    best, gap = best_and_gap(scores)
    if best != outcome:
        return Fraction(0), Fraction(0)
    threshold = 0  # the smallest whole t with e^(εt) ≥ 1/δ
    while exp_epsilon(epsilon, threshold)[1] < 1 / delta:
        threshold += 1
    assert exp_epsilon(epsilon, threshold)[0] >= 1 / delta
    return geometric_tail(exp_epsilon(epsilon, -1), threshold - gap)


def family(
    delta: Fraction, epsilon: Fraction, scale: Fraction, shift: Fraction, scores: tuple[int, ...], outcome: int
) -> Bounds:
    """Pr[gap + Lap(scale/ε) ≥ (2/ε)·ln(1/(2δ)) + shift] = ½·(2δ)^(2/scale)·e^((gap − shift)·ε/scale), if below ½."""
    best, gap = best_and_gap(scores)
    if best != outcome:
        return Fraction(0), Fraction(0)
    exponent = 2 / scale
    roots = root((2 * delta) ** exponent.numerator, exponent.denominator)
    powers = e_to((gap - shift) * epsilon / scale)
    low, high = (r * p / 2 for r, p in zip(roots, powers, strict=True))
    assert high < Fraction(1, 2)
    return low, high


def discrete_below(delta: Fraction, scores: tuple[int, ...], outcome: int) -> Bounds:
    """Scale 2 (ε = 1), threshold 1 + min{k : Pr[N ≥ k] ≤ δ}."""
    best, gap = best_and_gap(scores)
    if best != outcome:
        return Fraction(0), Fraction(0)
    z = e_to(Fraction(-1, 2))
    smallest = 0
    while geometric_tail(z, smallest)[0] > delta:
        smallest += 1
    assert geometric_tail(z, smallest)[1] <= delta
    return geometric_tail(z, 1 + smallest - gap)


def whole_threshold(epsilon: Fraction, scores: tuple[int, ...], outcome: int) -> Bounds:
    """Discrete noise of scale 1/ε, threshold 6."""
    best, gap = best_and_gap(scores)
    return geometric_tail(e_to(-epsilon), 6 - gap) if best == outcome else (Fraction(0), Fraction(0))


def choosing(rows: int, epsilon: Fraction, scores: tuple[int, ...], outcome: int) -> Bounds:
    """α = 1: Pr[max + Lap(4/ε) ≥ rows/2]·e^(ε·q(outcome)/4)/Σ e^(ε·q/4) over the solutions with q ≥ 1."""
    if not scores[outcome]:
        return Fraction(0), Fraction(0)
    distance = (Fraction(rows, 2) - max(scores)) * epsilon / 4
    low, high = e_to(-abs(distance))
    tail = (low / 2, high / 2) if distance >= 0 else (1 - high / 2, 1 - low / 2)
    weights = [e_to(epsilon * q / 4) for q in scores if q]
    mine = e_to(epsilon * scores[outcome] / 4)
    return tail[0] * mine[0] / sum(high for _, high in weights), tail[1] * mine[1] / sum(low for low, _ in weights)


def power(base: Fraction, exponent: Fraction) -> Bounds:
    """Around base^exponent for base > 1 and 0 ≤ exponent: p-th powers of bounds on the q-th root."""
    low, high = root(base**exponent.numerator, exponent.denominator)
    return low, high


def margin_seen(slack: Fraction, gap: int) -> Bounds:
    """α = 1, δ = 1/10: the first test of the large margin mechanism, gap + Z − G − Z₁ > slack·T, scales 3, 6, 12.

    For u > 0, Pr[Z − G − Z₁ > u] = Σ ½·b⁴·e^(−u/b)/∏(b² − c²), over b among the scales and c among the others: the
    characteristic functions 1/(1 + b²t²) in partial fractions. T = 3·ln 15 + 6·ln 30 + 12·ln 60 + 6 + 6·ln 30.
    """
    stops = [Fraction(0), Fraction(0)]
    for b in (3, 6, 12):
        others = [c for c in (3, 6, 12) if c != b]
        weight = Fraction(b**4, 2 * (b * b - others[0] ** 2) * (b * b - others[1] ** 2))
        # e^(-slack·T/b): the logarithms give powers of 15, 30 and 60
        factors = [power(Fraction(n), slack * k / b) for n, k in ((15, 3), (30, 12), (60, 12))]
        low, high = e_to((gap - 6 * slack) / b)
        for factor in factors:
            low, high = low / factor[1], high / factor[0]
        ends = sorted((weight * low, weight * high))
        stops[0] += ends[0]
        stops[1] += ends[1]
    return stops[0], stops[1]


def large_margin(slack: Fraction, scores: tuple[int, int], outcome: int) -> Bounds:
    """Two items, α = 1, δ = 1/10: the best one where the margin is seen, else one of two by the exponential mechanism."""
    gap = max(scores) - min(scores)
    best = scores.index(max(scores))
    stops = margin_seen(slack, gap)
    share_best = tuple(1 / (1 + bound) for bound in reversed(e_to(Fraction(-gap, 3))))
    share = share_best if outcome == best else tuple(1 - bound for bound in reversed(share_best))
    if outcome == best:
        return stops[0] + (1 - stops[0]) * share[0], stops[1] + (1 - stops[1]) * share[1]
    return (1 - stops[1]) * share[0], (1 - stops[0]) * share[1]


ITEMSETS = {  # ε
    "CHS-4.1.privacy.without-universe": ONE,
    "CHS-4.1.privacy.without-universe-30": Fraction(30),
    "CHS-4.1.privacy.without-universe-100": Fraction(100),
    "CHS-4.1.privacy.or-none-fifth-of-the-slack": ONE,
}


def only_pair(claim: str, baskets: tuple[tuple[int, ...], ...]) -> Bounds:
    """The pair that one of twelve baskets holds; without a universe it never comes of others.

    Where ⊥ has quality 0, the pair is at least as likely as by the exponential mechanism, e^(ε/6)/(1 + e^(ε/6)).
    """
    held = sum(len(basket) == 2 for basket in baskets)
    if not held:
        return Fraction(0), Fraction(0)
    assert held == 1
    if "slack" in claim:
        return margin_seen(Fraction(1, 5), 1)
    return 1 / (1 + e_to(-ITEMSETS[claim] / 6)[1]), ONE


CHOOSING = {  # ε and m
    "BNS-J-4.4.privacy.below": (Fraction(1), 14),
    "BNS-J-4.4.privacy.below-growth-2": (Fraction(2), 8),
    "BNS-J-4.4.privacy.below-growth-3": (Fraction(8), 4),
    "BNS-J-4.4.privacy.printed-large-epsilon": (Fraction(40), 1),
    "BNS-J-4.4.privacy.below-large-epsilon": (Fraction(40), 2),
    "BNS-J-4.4.privacy.eight-rows-every-epsilon": (Fraction(1), 8),
}


LONG_BASKET = "CHS-4.1.privacy.or-none-long-basket"


def best_pair_at_a_tenth(database: tuple[int, tuple[int, ...]]) -> Bounds:
    """Pr[the pair of nearly all baskets], ε = 1/10 and δ = 1/100: Lap(30), Lap(60) and Lap(120), as 3/ε, 6/ε and 12/ε.

    With one pair, it is the chance that the first of the tests passes, on either side by steps in W = Z − G; with six,
    that one of six passes, times the share of the best one. A chance rises with W: each step has a bound at either end.
    """
    pairs, basket = database
    occurring = len(basket) * (len(basket) - 1) // 2
    gaps = [pairs] * (occurring - 1) + [pairs + 1]
    primes = {prime: logarithm(Fraction(prime)) for prime in (2, 3, 5, 7)}

    def log_of(n: int, i: int) -> Fraction:
        found = Fraction(0)
        for prime, logs in primes.items():
            while n % prime == 0:
                n, found = n // prime, found + logs[i]
        assert n == 1
        return found

    def threshold(r: int, i: int) -> Fraction:
        parts = ((3, 150), (6, 300), (12, 300 * r * (r + 1)), (6, 300 * r))
        return 6 + 10 * sum((k * log_of(n, i) for k, n in parts), Fraction(0))

    tests = [outward((threshold(r, 0), threshold(r, 1)), 1) for r in range(1, 7)]

    def tail(w: Fraction) -> Bounds:
        """Pr[Z − G ≥ w] = ½·(60²·e^(−w/60) − 30²·e^(−w/30))/(60² − 30²), w ≥ 0."""
        if w < 0:
            low, high = tail(-w)
            return 1 - high, 1 - low
        far, near = decay((Fraction(1, 60),) * 2, w), decay((Fraction(1, 30),) * 2, w)
        return (3600 * far[0] - 900 * near[1]) / 5400, (3600 * far[1] - 900 * near[0]) / 5400

    def passes(r: int, gap: int, w: Fraction) -> Bounds:
        """Pr[−Z_r > T^(r) − gap − w]."""
        found = []
        for i in (1, 0):
            distance = tests[r - 1][i] - gap - w
            far = decay((Fraction(1, 120),) * 2, abs(distance))[1 - i]
            found.append(far / 2 if distance >= 0 else 1 - decay((Fraction(1, 120),) * 2, -distance)[i] / 2)
        return outward((found[0], found[1]), 40)

    def one_passes(w: Fraction) -> Bounds:
        none = [passes(r, gap, w) for r, gap in enumerate(gaps, start=1)]
        return 1 - prod((1 - low for low, _ in none), start=ONE), 1 - prod((1 - high for _, high in none), start=ONE)

    grid = [Fraction(w) for w in range(-600, 1201, 8)]
    chances, tails = [one_passes(w) for w in grid], [tail(w) for w in grid]
    low = sum(
        (max(Fraction(0), tails[j][0] - tails[j + 1][1]) * chances[j][0] for j in range(len(grid) - 1)), Fraction(0)
    )
    high = sum(((tails[j][1] - tails[j + 1][0]) * chances[j + 1][1] for j in range(len(grid) - 1)), Fraction(0))
    high += (1 - tails[0][0]) * chances[0][1] + tails[-1][1]
    share = 1 / (1 + (occurring - 1) * e_to(Fraction(-pairs, 60))[1])
    return low * share, high


def frequencies(rows: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(rows.count(value) for value in range(3))


def noisy_count(scale_inverse: Fraction, rows: tuple[int, ...], outcome: tuple[int]) -> Bounds:
    low, high = e_to(-scale_inverse)
    distance = abs(outcome[0] - sum(rows))
    return (1 - high) / (1 + high) * low**distance, (1 - low) / (1 + low) * high**distance


Exponentials = list[tuple[Fraction, Fraction]]
"""Σ c·e^(r·x), as pairs (c, r)."""


def laplace_density(scale: Fraction, right_of_0: bool) -> Exponentials:
    return [(1 / (2 * scale), -1 / scale if right_of_0 else 1 / scale)]


def answer(scale: Fraction | None, query: int, above: bool, x: Fraction) -> Exponentials:
    """Pr[query + Lap(scale) ≥ ρ], or < ρ, as a function of ρ, on the stretch between kinks that holds x."""
    if scale is None:
        return [(Fraction(int((query >= x) == above)), Fraction(0))]
    # Pr[N ≥ ρ - query] is ½e^(-(ρ-query)/scale) to the right of the query, 1 - ½e^((ρ-query)/scale) to the left
    right = x > query
    tail = (Fraction(1, 2), -1 / scale if right else 1 / scale)
    plain = above == right
    # e^(±query/scale) is kept apart as a shift of the exponent: see `times_e`
    return [tail] if plain else [(Fraction(1), Fraction(0)), (-tail[0], tail[1])]


def sparse_vector(rho: Fraction, nu: Fraction | None, queries: tuple[int, ...], answers: tuple[bool, ...]) -> Bounds:
    """∫ f(ρ)·∏ Pr[answer to each query | ρ] dρ, stretch by stretch; terms are c·e^(r·x + s)."""
    kinks = sorted({Fraction(0), *map(Fraction, queries)})
    total = [Fraction(0), Fraction(0)]
    for low, high in zip([None, *kinks], [*kinks, None], strict=True):
        x = kinks[0] - 1 if low is None else kinks[-1] + 1 if high is None else (low + high) / 2
        terms = [(c, r, Fraction(0)) for c, r in laplace_density(rho, x > 0)]
        for query, above in zip(queries, answers, strict=False):
            terms = [(c * d, r + u, s - u * query) for c, r, s in terms for d, u in answer(nu, query, above, x)]
        for c, r, s in terms:
            if r == 0 and c:
                assert low is not None
                assert high is not None
                pieces = [(c * (high - low), s)]
            else:
                pieces = [(sign * c / r, r * end + s) for sign, end in ((1, high), (-1, low)) if end is not None and c]
            for coefficient, exponent in pieces:
                bounds = [coefficient * bound for bound in e_to(exponent)]
                total[0] += min(bounds)
                total[1] += max(bounds)
    return total[0], total[1]


def discrete_sparse_vector(rho: Fraction, nu: Fraction, queries: tuple[int, ...], answers: tuple[bool, ...]) -> Bounds:
    """Σ Pr[ρ = k]·∏ Pr[answer to each query | k] over |k| ≤ 120, and what is left out at most."""
    z, w = short(e_to(-1 / rho)), short(e_to(-1 / nu))
    total = [Fraction(0), Fraction(0)]
    for k in range(-120, 121):
        bounds = short(((1 - z[1]) / (1 + z[1]) * z[0] ** abs(k), (1 - z[0]) / (1 + z[0]) * z[1] ** abs(k)))
        for query, above in zip(queries, answers, strict=False):
            tail = short(geometric_tail(w, k - query))
            ends = tail if above else (1 - tail[1], 1 - tail[0])
            bounds = short((bounds[0] * ends[0], bounds[1] * ends[1]))
        total[0] += bounds[0]
        total[1] += bounds[1]
    return total[0], total[1] + 2 * geometric_tail(z, 121)[1]


def released_by_svt3(queries: tuple[int, ...], at: int, value: int) -> Bounds:
    """Scales 2 and 2: Σ Pr[ρ = k]·∏ Pr[query before < k] over k ≤ value, times Pr[query at + ν = value]."""
    z = short(e_to(Fraction(-1, 2)))
    total = [Fraction(0), Fraction(0)]
    for k in range(-120, value + 1):
        bounds = short(((1 - z[1]) / (1 + z[1]) * z[0] ** abs(k), (1 - z[0]) / (1 + z[0]) * z[1] ** abs(k)))
        for query in queries[:at]:
            tail = short(geometric_tail(z, k - query))
            bounds = short((bounds[0] * (1 - tail[1]), bounds[1] * (1 - tail[0])))
        total[0] += bounds[0]
        total[1] += bounds[1]
    point = noisy_count(Fraction(1, 2), (queries[at],), (value,))
    return total[0] * point[0], (total[1] + geometric_tail(z, 121)[1]) * point[1]


def short(bounds: Bounds) -> Bounds:
    """Bounds ≥ 0 with few digits, outside of these."""
    return Fraction(int(bounds[0] * 10**30), 10**30), Fraction(int(bounds[1] * 10**30) + 1, 10**30)


def on_one_of_sixteen(inner: str, epsilon: Fraction, ones: int) -> Bounds:
    """Pr[1] of a mechanism that sees one row of 16, `ones` of which are 1."""
    found = [Fraction(0), Fraction(0)]
    for bit, share in ((1, Fraction(ones, 16)), (0, Fraction(16 - ones, 16))):
        if inner == "exponential":  # e^(ε·[bit = 1]/2)/(e^(ε/2) + 1)
            other = e_to(epsilon / 2)
            p = (
                (other[0] / (other[0] + 1), other[1] / (other[1] + 1))
                if bit
                else (1 / (1 + other[1]), 1 / (1 + other[0]))
            )
        else:
            p = noisy_count(epsilon, (bit,), (1,))
        found[0] += share * p[0]
        found[1] += share * p[1]
    return found[0], found[1]


RECURSION = {  # ε and δ of each part; what the claim says of the whole
    "BNS-J-3.12.privacy.printed": (Fraction(1), Fraction(6)),
    "BNS-J-3.12.privacy.printed-3": (Fraction(3), Fraction(18)),
    "BNS-J-3.18.privacy.printed-6": (Fraction(1), Fraction(6)),
}


def recursion(epsilon: Fraction, heights: tuple[int, int], level: int) -> Bounds:
    """RecConcave's chance of 50, where Q is heights at 10 and 50, and about `level` elsewhere on [0, 64]; δ = 1/1000.

    At scale K = 1, which q prefers to every other by `steep` at least, the intervals of 8 that hold 10 and 50 are
    different ones, and each partition releases that of 50 with probability ½·δ·e^(ε·gap) if it is better, and else not
    at all. In such intervals at most 11 points compete with 50.
    """
    steep = Fraction(min(heights) - level)
    others = 6 * e_to(-epsilon * steep / 2)[1]  # how much likelier K = 1 is than all other scales together
    if heights[1] <= heights[0]:
        return Fraction(0), others
    release = e_to(epsilon * (heights[1] - heights[0]))[0] * Fraction(1, 2000)
    either = 1 - (1 - release) ** 2
    return either / (1 + others) / (1 + 11 * e_to(-epsilon * steep / 2)[1]), Fraction(1)


def heights_of(sample: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], int]:
    """How many labels the thresholds 10 and 50 give as they are given, and the most that another one does."""
    correct = [sum(int(x < j) == y for x, y in sample) for j in range(65)]
    return (correct[10], correct[50]), max(c for j, c in enumerate(correct) if j not in (10, 50))


POINTS = {  # how many, and whether a random one stands for ⊥
    "BNS-J-3.2.privacy.printed-four-points": (4, True),
    "BNS-J-3.2.privacy.printed": (64, True),
    "BNS-J-3.2.privacy.or-none-printed": (4, False),
}


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


def logarithm(x: Fraction) -> Bounds:
    """Around ln x, x ≥ 1."""
    low, high = Fraction(0), x
    while high - low > MILLIONTH**3:
        middle = Fraction(round((low + high) / 2 * 10**24), 10**24)
        low, high = (middle, high) if e_to(middle)[1] <= x else (low, middle)
    return low, high


def outward(bounds: Bounds, digits: int) -> Bounds:
    """The same with so many digits behind the point, rounded away from what lies between."""
    scale = 10**digits
    return Fraction(floor(bounds[0] * scale), scale), Fraction(ceil(bounds[1] * scale), scale)


def times(*factors: Bounds) -> Bounds:
    """The product of numbers that are not negative."""
    return prod((low for low, _ in factors), start=ONE), prod((high for _, high in factors), start=ONE)


def decay(rate: Bounds, x: Fraction) -> Bounds:
    """Around e^(−rate·x), x ≥ 0."""
    return outward((e_to(-rate[1] * x)[0], e_to(-rate[0] * x)[1]), 60)


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


def many_concepts(claim: str, rows: tuple[Any, ...], outcome: Any) -> Bounds:
    """The histogram with cut-offs on three rows, and A_dist behind parities and behind points of Bun et al."""
    if claim == "BuNS-2.20.privacy.cut-offs-few-rows":  # a point that occurs is listed where count + N > 3/4
        counts = [rows.count(x) for x in outcome]
        noise = e_to(Fraction(-1, 2))
        return times(*(geometric_tail(noise, 1 - count) for count in counts)) if all(counts) else (Fraction(0),) * 2
    if claim == "BuNS-3.12.privacy.printed":  # a row gives the parity of its label; ⊥ where the gap does not reach
        ones = sum(y for _, y in rows)
        assert outcome is None
        released = laplace_tail(TENTH, ONE, abs(len(rows) - 2 * ones))
        return 1 - released[1], 1 - released[0]
    # all rows on point 0, whose count 6 + N has to be above ln 20 + 1 = 3.99…, and most of them with label 1
    assert e_to(Fraction(3))[1] > 20 > e_to(Fraction(2))[1]
    ones = sum(y for _, y in rows)
    if 2 * ones <= len(rows):
        return Fraction(0), Fraction(0)
    return times(geometric_tail(e_to(Fraction(-1)), -2), laplace_tail(TENTH, Fraction(2), 2 * ones - len(rows)))


MANY = {  # ε and δ
    "BuNS-2.20.privacy.cut-offs-few-rows": (ONE, TENTH),
    "BuNS-3.12.privacy.printed": (ONE, TENTH),
    "BuNS-3.13.privacy.printed": (Fraction(4), 2 * TENTH),
}
IN_ORDER = "BNS-J-5.4.privacy.in-order"
TIMES = {IN_ORDER: 6}
"""How many ε are claimed, where it is not one."""

LISTED = {"BNS-J-4.6.privacy.printed-large-epsilon": Fraction(1000), "BNS-J-4.6.privacy.below": ONE}
RELEASED = {  # ε of the parts, log* d, log T, δ of the parts
    "BNS-J-4.8.privacy.printed-large-epsilon": (Fraction(1000), 2, 4, Fraction(1, 200)),
    "BNS-J-4.8.privacy.below": (ONE, 1, 2, Fraction(1, 100)),
}

SAMPLED = {  # ε
    "BuNS-2.25.privacy.exponential-every-epsilon": Fraction(23),
    "BuNS-2.25.privacy.noisy-sum-every-epsilon": Fraction(5),
}
WHOLE = "BNS-J-2.26.privacy.whole-threshold-scale-1-every-epsilon"

SVT_SCALES = {
    "LSL-Alg4": (Fraction(4), Fraction(4, 3)),
    "LSL-Alg5": (Fraction(2), None),
    "LSL-Alg6": (Fraction(2), Fraction(2)),
}

A_BIT = Fraction(1, 10**12)


def probability(claim: str, database: Any, outcome: Any) -> Bounds:
    """Pr[the mechanism of the claim gives `outcome` on `database`]."""
    epsilon, delta = claim_of(claim)
    if claim in CHOOSING:
        at, rows = CHOOSING[claim]
        return choosing(rows, at, database, outcome)
    if claim == "CHS-Alg1.privacy.least-slack-below":
        return large_margin(Fraction(3, 100), database, outcome)
    if claim in ITEMSETS:
        return only_pair(claim, database)
    if claim == LONG_BASKET:
        return best_pair_at_a_tenth(database)
    if claim == "BNS-J-6.2.privacy.rows":
        return label_private(database, outcome)
    if claim in MANY:
        return many_concepts(claim, database, outcome)
    if claim == IN_ORDER:
        return algorithm_b(database, outcome)
    if claim in LISTED:
        return points_listed(LISTED[claim], database, outcome)
    if claim in RELEASED:
        return single_point_released(database, outcome[0], *RELEASED[claim][:3])
    if claim in POINTS:
        return points_learner(*POINTS[claim], database, outcome)
    if claim in RECURSION:
        heights, level = (database, 0) if "3.12" in claim else heights_of(database)
        return recursion(RECURSION[claim][0], heights, level)
    if claim.startswith("LSL-Alg3"):
        return released_by_svt3(database, len(outcome) - 1, outcome[-1])
    if claim.startswith("LSL") and "discrete" in claim:
        rho, nu = SVT_SCALES[claim.partition(".")[0]]
        assert nu is not None
        return discrete_sparse_vector(rho, nu, database, outcome)
    if claim.startswith("LSL"):
        return sparse_vector(*SVT_SCALES[claim.partition(".")[0]], database, outcome)
    if claim in SAMPLED:
        return on_one_of_sixteen(
            claim.rsplit(".", maxsplit=1)[-1].split("-", maxsplit=1)[0], SAMPLED[claim], sum(database)
        )
    if claim == WHOLE:
        return whole_threshold(ONE, database, outcome)
    variant = claim.removeprefix("BNS-J-2.26.privacy.").removeprefix("BuNS-3.11.privacy.")
    if claim == "BNS-J-2.24.privacy.discrete-below":
        return noisy_count(ONE, database, outcome)
    if variant == "corrected-scale-below":
        return family(delta, THREE, Fraction(7, 4), Fraction(2), database, outcome)
    if variant == "corrected-shift-below":
        return family(delta, THREE, Fraction(2), Fraction(7, 4), database, outcome)
    if variant == "corrected-discrete-below":
        return discrete_below(delta, database, outcome)
    if variant.startswith("discrete"):
        return journal_discrete(delta, epsilon, database, outcome)
    scores = frequencies(database) if "counts" in variant or "add-remove" in variant else database
    return journal(delta, epsilon, scores, outcome)


def claim_of(claim: str) -> tuple[Epsilon, Fraction]:
    """ε and δ as the claim's id says them."""
    if claim == "BNS-J-2.24.privacy.discrete-below":
        return 1 - A_BIT, Fraction(0)
    if claim in CHOOSING:
        return CHOOSING[claim][0], TENTH
    if claim == "CHS-Alg1.privacy.least-slack-below":
        return ONE, TENTH
    if claim in ITEMSETS:
        return ITEMSETS[claim], TENTH
    if claim == LONG_BASKET:
        return TENTH, TENTH**2
    if claim.startswith("LSL"):
        return ONE, Fraction(0)
    if claim == "BNS-J-6.2.privacy.rows":
        return ONE, Fraction(0)
    if claim in MANY:
        return MANY[claim]
    if claim == IN_ORDER:
        return "ln 2", Fraction(0)
    if claim in LISTED:
        return LISTED[claim], TENTH
    if claim in RELEASED:
        # the event never happens on the other database, so that any ε will do for ε̃
        return ONE, 5 * RELEASED[claim][3]
    if claim in SAMPLED:
        return SAMPLED[claim] * Fraction(3, 8), Fraction(0)
    if claim in RECURSION:
        return RECURSION[claim][1], Fraction(6, 1000)
    if claim == WHOLE:
        return ONE, e_to(Fraction(-2))[1]
    if claim.endswith("small-epsilon"):
        return TENTH, TENTH**2
    if claim.endswith(("small-delta", "scale-below", "shift-below")):
        return THREE, MILLIONTH
    delta = TENTH**2 if claim.startswith("BuNS") else TENTH
    return ("ln 2" if claim.endswith("-ln2") else THREE if claim.endswith("-3") else ONE), delta


@pytest.mark.parametrize("claim", WITNESSES)
def test_the_witness_stands(claim: str) -> None:
    left, right, event = WITNESSES[claim]
    epsilon, delta = claim_of(claim)
    p = sum(probability(claim, left, outcome)[0] for outcome in event)
    q = sum(probability(claim, right, outcome)[1] for outcome in event)
    assert p > exp_epsilon(epsilon, TIMES.get(claim, 1))[1] * q + delta


# Where claims for every ε begin or cease to fail: just on either side of the end that is found, on the pair that fails.


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


def test_the_bounds_bound() -> None:
    """The tools of this file, on known values."""
    low, high = e_to(Fraction(1))
    assert Fraction("2.718281828459045235360287") < low < high < Fraction("2.718281828459045235360288")
    low, high = e_to(Fraction(-15))
    assert Fraction("3.0590232050182578837147e-7") < low < high < Fraction("3.0590232050182578837148e-7")
    low, high = root(Fraction(2), 2)
    assert low**2 <= 2 <= high**2
    low, high = sparse_vector(Fraction(2), Fraction(4), (0,), (True,))
    assert low <= Fraction(1, 2) <= high
    assert high - low < Fraction(1, 10**20)
    assert laplace_tail(Fraction(1, 8), "ln 2", 3) == (Fraction(1, 2), Fraction(1, 2))
