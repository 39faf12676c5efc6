"""Verdicts of random mixtures of whole Gaussian noise, cut off or not, and of plain numbers, against sums in floats."""

from collections import defaultdict
from fractions import Fraction
from math import exp
from random import Random
from typing import Any, NamedTuple

from tests.adversary.tally import Empty, Tally, programs, seed

from dpverify.mechanisms import Distribution, Undecided, discrete_gaussian
from dpverify.reports.record import Status
from dpverify.verifiers import check_privacy

BESIDE = 1e-9
"""How far from the least δ claims are made: the sums are off by less."""


class Way(NamedTuple):
    """Noise around a centre, or the centre alone; what lies beyond the ends is moved there, or told as a word."""

    weight: Fraction
    is_noisy: bool
    centre: int
    low: int | None
    high: int | None
    is_moved: bool

    def outcome(self, noise: Any) -> Any:
        number = self.centre + noise
        if self.low is not None and number < self.low:
            return self.low if self.is_moved else "low"
        if self.high is not None and number > self.high:
            return self.high if self.is_moved else "high"
        return number


def random_ways(random: Random) -> list[Way]:
    weights = [random.randint(1, 4) for _ in range(random.randint(1, 3))]
    return [
        Way(
            Fraction(weight, sum(weights)),
            random.random() < 2 / 3,
            random.randint(-4, 4),
            random.choice([None, None, random.randint(-4, 0)]),
            random.choice([None, None, random.randint(1, 4)]),
            random.random() < 1 / 2,
        )
        for weight in weights
    ]


def law_by_sums(ways: list[Way], sigma: Fraction) -> dict[Any, float]:
    found: dict[Any, float] = defaultdict(float)
    weights = {k: exp(-(k**2) / (2 * float(sigma) ** 2)) for k in range(-60, 61)}
    for way in ways:
        for k, weight in weights.items() if way.is_noisy else [(0, sum(weights.values()))]:
            outcome = way.outcome(k) if way.is_noisy else way.centre
            found[outcome] += float(way.weight) * weight / sum(weights.values())
    return found


def excess(p: dict[Any, float], q: dict[Any, float], factor: float) -> float:
    return float(sum(max(0.0, p[outcome] - factor * q.get(outcome, 0.0)) for outcome in p))


def verdicts_of(made: str, tally: Tally) -> None:
    random = Random(made)
    epsilon, sigma = Fraction(random.randint(0, 12), 8), Fraction(random.randint(2, 9), 4)
    ways = [random_ways(random) for _ in range(2)]

    def mechanism(draw: Any, x: int) -> Any:
        way = ways[x][draw(Distribution({i: way.weight for i, way in enumerate(ways[x])}))]
        return way.outcome(draw(discrete_gaussian(sigma))) if way.is_noisy else way.centre

    p, q = (law_by_sums(of, sigma) for of in ways)
    least = max(excess(p, q, exp(epsilon)), excess(q, p, exp(epsilon)))
    for beside in (-BESIDE, BESIDE):
        if not 0 <= least + beside <= 1:
            continue
        delta = Fraction(least + beside)
        try:
            verdict = check_privacy(mechanism, [0, 1], lambda x: [1 - x], epsilon=epsilon, delta=delta)
        except Undecided as undecided:
            raise AssertionError((made, epsilon, sigma, ways)) from undecided
        expected = Status.PROVED if beside > 0 else Status.REFUTED
        assert verdict.status is expected, (verdict.status, verdict.reason, least, made, epsilon, sigma, ways)
        tally.counts[f"whole Gaussians: {verdict.status}"] += 1


def test_mixtures_of_whole_gaussians_are_summed(tally: Tally) -> None:
    start, count = seed(), programs(6)
    for i in range(count):
        verdicts_of(f"{start}:whole Gaussians:{i}", tally)
    for status in (Status.PROVED, Status.REFUTED):
        if tally.counts[f"whole Gaussians: {status}"] < count // 2:
            raise Empty(f"few of {count} were {status}: {tally.counts}")
