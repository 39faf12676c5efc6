"""How good the mechanisms for itemsets are, from their laws: in floating point, for tables and plots alone.

What is known of the data is how many itemsets each count has, for all of a universe: `levels` is (count, ln of how many
itemsets have it) by falling count, so that a universe may be of any size.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import Any, NamedTuple

import numpy as np

Levels = Sequence[tuple[int, float]]
LARGEST = 1e290


class Utility(NamedTuple):
    """The chance of an itemset of the best count, and the expected number of baskets that it has less than the best."""

    best: float
    lost: float


def of_shares(levels: Levels, shares: Any) -> Utility:
    """The utility where each level is chosen with its share."""
    top = levels[0][0]
    return Utility(
        float(shares[0]), float(sum(share * (top - c) for (c, _), share in zip(levels, shares, strict=True)))
    )


def of_exponential(levels: Levels, epsilon: float) -> Utility:
    """Each itemset with probability proportional to e^(ε·count/2)."""
    logs = np.array([number + epsilon * count / 2 for count, number in levels])
    weights = np.exp(logs - logs.max())
    return of_shares(levels, weights / weights.sum())


def of_laplaces(levels: Levels, epsilon: float) -> Utility:
    """The largest count + Lap(2/ε), by trapezoids.

    A count c that n itemsets have is the largest with probability ∫ n·f(x − c)/F(x − c)·∏ F(x − c′)^n′ dx.
    """
    b = 2 / epsilon
    low = levels[0][0] - 60 * b
    high = max(count + b * number for count, number in levels) + 60 * b
    x = np.linspace(low, high, int((high - low) / b * 40))
    total = np.zeros_like(x)
    ratio = []
    for count, number in levels:
        u = (x - count) / b
        below = np.where(u < 0, u - log(2), np.log1p(-np.exp(-np.abs(u)) / 2))  # ln F
        # where F is nearly 1, ln F as −e^(−u)/2, and its product with n by logarithms
        far = np.where(u > 30, -np.exp(np.minimum(number - u, 700)) / 2, np.exp(min(number, 700)) * below)
        total += np.maximum(far, -1e300)
        ratio.append(number - np.abs(u) - np.where(u > 30, 0, below))
    shares = np.array([float(np.exp(np.minimum(r + total, 700)).sum()) for r in ratio])
    return of_shares(levels, shares / shares.sum())


def of_large_margin(levels: Levels, epsilon: float, delta: float) -> Utility:
    """LMM, given W = Z − G the tests are independent; integrated over W by Simpson's rule.

    The ranks are gone through one by one up to 500, and then in steps of 3 %, at the middle of which the test is.
    """
    a, b, c = 3 / epsilon, 6 / epsilon, 12 / epsilon
    w = np.linspace(-40 * b, 40 * b, 6_401)
    left = (a * np.exp(-np.abs(w) / a) - b * np.exp(-np.abs(w) / b)) / (2 * (a * a - b * b))
    rising, falling, fails = np.exp(w / c), np.exp(-w / c), np.empty_like(w)
    simpson = np.ones_like(w)
    simpson[1:-1:2], simpson[2:-1:2] = 4, 2
    left *= simpson * (w[1] - w[0]) / 3
    top = levels[0][0]
    best = lost = 0.0
    rest = float(left.sum())
    kept, weight, missing = 0.0, 0.0, 0.0  # so many items of the levels before, Σ e^(−ε·gap/6), and Σ of that times gap
    first = exp(min(levels[0][1], 600))
    for count, number in levels:
        gap, items = top - count, exp(min(number, 600))
        own = exp(-epsilon * gap / 6)
        at, end = max(kept, 1.0), kept + items  # `at` items are kept, one in any case; the next is of this level
        while at < end:
            step = 1.0 if at < 500 else min(end - at, at * 0.03)
            r = at + (step - 1) / 2
            test = (3 * log(1.5 / delta) + 6 * log(3 / delta) + 12 * (log(3 / delta) + log(r) + log(r + 1))) / epsilon
            test += 6 * (1 + log(3 * r / delta) / epsilon)
            below = int(w.searchsorted(test - gap))  # of Lap(12/ε) at gap + w − test, whose tails are multiples of two
            np.multiply(rising[:below], -exp(min((gap - test) / c, 700)) / 2, out=fails[:below])
            fails[:below] += 1
            np.multiply(falling[below:], exp(min((test - gap) / c, 700)) / 2, out=fails[below:])
            left *= fails if step == 1 else np.maximum(fails, 1e-16) ** step
            before, rest = rest, float(left.sum())
            stops = before - rest
            inside = r - kept
            best += stops * min(first, r) / (weight + inside * own)
            lost += stops * (missing + inside * own * gap) / (weight + inside * own)
            at += step
            if at > 500 and float(left @ (1 - fails)) * at < 1e-10:
                break
        weight = min(weight + exp(min(number - epsilon * gap / 6, 650)), LARGEST)
        missing = min(missing + exp(min(number - epsilon * gap / 6, 650)) * gap, LARGEST)
        kept = end
    return Utility(best + rest * first / weight, lost + rest * missing / weight)
