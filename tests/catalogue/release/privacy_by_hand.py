"""Refuted claims about itemsets, by Fractions alone."""

from fractions import Fraction
from functools import partial
from math import prod

from tests.catalogue.by_hand import ONE, TENTH, Bounds, Refutation, decay, e_to, logarithm, outward
from tests.catalogue.selection.privacy_by_hand import margin_seen


def only_pair(epsilon: Fraction, baskets: tuple[tuple[int, ...], ...], outcome: tuple[int, ...]) -> Bounds:
    """The pair that one of twelve baskets holds; without a universe it never comes of others.

    As ⊥ has quality 0, the pair is at least as likely as by the exponential mechanism, e^(ε/6)/(1 + e^(ε/6)).
    """
    held = sum(len(basket) == 2 for basket in baskets)
    if not held:
        return Fraction(0), Fraction(0)
    assert held == 1
    return 1 / (1 + e_to(-epsilon / 6)[1]), ONE


def only_pair_or_none(baskets: tuple[tuple[int, ...], ...], outcome: tuple[int, ...]) -> Bounds:
    """The pair that one of twelve baskets holds, where the margin is seen, with a fifth of the printed T^(r)."""
    held = sum(len(basket) == 2 for basket in baskets)
    assert held <= 1
    return margin_seen(Fraction(1, 5), 1) if held else (Fraction(0), Fraction(0))


def best_pair_at_a_tenth(database: tuple[int, tuple[int, ...]], outcome: tuple[int, ...]) -> Bounds:
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

    grid = [Fraction(w) for w in range(-600, 1201, 12)]
    chances, tails = [one_passes(w) for w in grid], [tail(w) for w in grid]
    low = sum(
        (max(Fraction(0), tails[j][0] - tails[j + 1][1]) * chances[j][0] for j in range(len(grid) - 1)), Fraction(0)
    )
    high = sum(((tails[j][1] - tails[j + 1][0]) * chances[j + 1][1] for j in range(len(grid) - 1)), Fraction(0))
    high += (1 - tails[0][0]) * chances[0][1] + tails[-1][1]
    share = 1 / (1 + (occurring - 1) * e_to(Fraction(-pairs, 60))[1])
    return low * share, high


BY_HAND = {
    **{
        f"CHS-4.1.privacy.without-universe{suffix}": Refutation(partial(only_pair, epsilon), epsilon, TENTH)
        for suffix, epsilon in (("", ONE), ("-30", Fraction(30)), ("-100", Fraction(100)))
    },
    "CHS-4.1.privacy.or-none-fifth-of-the-slack": Refutation(only_pair_or_none, ONE, TENTH),
    "CHS-4.1.privacy.or-none-long-basket": Refutation(best_pair_at_a_tenth, TENTH, TENTH**2),
}
