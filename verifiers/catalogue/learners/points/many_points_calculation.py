"""Utility of the k-learner of points at ordinary ε, δ and β, for many points and any number of columns.

The samples are too many to list, and are not listed: the probability of failure is enclosed, point by point. The labels
of a point are the same in all of its rows, so that where A_dist tells, it tells them as they are, and its gap is how
often the least frequent heavy point occurs. So the learner can fail for a point alone: where its mass is above α, some
target is 1 there, and it is not heavy; or where it is heavy, and A_dist gives ⊥ at a gap of how often it occurs. Of a
point that occurs c times both have a probability that depends on c alone. The sum over all points is no less than the
probability of failure, and that of one point is no more, if some target has a mass above α.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import ceil, comb, floor
from typing import Final, NamedTuple, TypeAlias

from dpverify.mechanisms import Exact, discrete_laplace, exact, laplace, log, sqrt
from dpverify.mechanisms.numbers.exact_numbers import ONE, total
from dpverify.mechanisms.selection.stability import gap_needed
from dpverify.verifiers.calculations.family import FailureBound, divided
from dpverify.verifiers.catalogue.families import BUNS, HALF, HUNDREDTH, MILLIONTH, QUARTER, TWENTIETH


class Alike(NamedTuple):
    """So many points, each of that mass; whether they are targets, which some column labels 1."""

    points: int
    mass: Fraction
    targets: bool = False


Population: TypeAlias = tuple[Alike, ...]


def rows_needed(points: int, *, alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction) -> int:
    """(2/α)·(gap + (2/ε)·ln(4|X|/β)), (2/α)·(2·ln(2/δ)/ε + 1), and from αn/2 − sqrt(2αn·ln(4/β)) ≥ (2/ε)·ln(4/β) on.

    A point is heavy from αn/2 on, where the histogram lists it. By Chernoff one of mass ≥ α occurs at least
    αn − sqrt(2αn·ln(4/β)) times, but for β/4, and then is heavy but for β/8; and a point that occurs less often than
    the gap that A_dist needs but for β/4 is not heavy, but for β/(8|X|).
    """
    gap = gap_needed(beta=beta / 4, epsilon=epsilon, delta=delta)
    of_choice = 2 / alpha * (gap + 2 / epsilon * log(4 * points / beta))
    of_list = 2 / alpha * (2 / epsilon * log(2 / delta) + 1)
    root = sqrt(2 * log(4 / beta)) + sqrt(2 * log(4 / beta) + 4 / epsilon * log(4 / beta))
    return ceil(max(of_choice, of_list, root * root / alpha))


@lru_cache(maxsize=1 << 12)
def chance_of_being_heavy(count: int, size: int, alpha: Fraction, epsilon: Fraction, delta: Fraction) -> Exact:
    """The probability that `stable_histogram` lists a point that occurs so often, with an estimate of α/2 or more."""
    if not count:
        return exact(0)
    listed = floor(2 / epsilon * log(2 / delta) + 1) + 1
    return discrete_laplace(2 / epsilon).tail(max(listed, ceil(alpha * size / 2)) - count)


@lru_cache(maxsize=1 << 12)
def chance_of_none(gap: int, epsilon: Fraction, delta: Fraction) -> Exact:
    """The probability that the corrected A_dist gives ⊥ at that gap, with its noise and threshold."""
    return 1 - laplace(2 / epsilon).tail(2 / epsilon * log(1 / (2 * delta)) + 2 - gap)


@lru_cache(maxsize=1 << 8)
def failure_by(mass: Fraction, missed: bool, size: int, alpha: Fraction, epsilon: Fraction, delta: Fraction) -> Exact:
    """The probability that the learner fails for one point of that mass; where it is `missed` unless it is heavy."""
    numerator, denominator = mass.numerator, mass.denominator
    parts: list[Exact] = []
    for count in range(size + 1):
        heavy = chance_of_being_heavy(count, size, alpha, epsilon, delta)
        fails = heavy * chance_of_none(count, epsilon, delta) + (ONE - heavy if missed else 0)
        ways = comb(size, count) * numerator**count * (denominator - numerator) ** (size - count)
        parts.append(Fraction(ways, denominator**size) * fails)
    return total(parts)


def failures(population: Population, size: int, alpha: Fraction, epsilon: Fraction, delta: Fraction) -> list[Exact]:
    """For each kind of points the probability that the learner fails for one of them."""
    return [failure_by(one.mass, one.targets and one.mass > alpha, size, alpha, epsilon, delta) for one in population]


def fails_at_most(population: Population, size: int, alpha: Fraction, epsilon: Fraction, delta: Fraction) -> Exact:
    """The probability that `learn_many_points` fails on a random sample: at most the sum over all points."""
    each = failures(population, size, alpha, epsilon, delta)
    return total(kind.points * failure for kind, failure in zip(population, each, strict=True))


def populations(alpha: Fraction) -> Iterator[Population]:
    """A target just above α, with other points: three alike, one a little above the bar of α/2, or a thousand."""
    just = alpha + HUNDREDTH
    yield Alike(1, just, targets=True), Alike(3, (1 - just) / 3)
    yield Alike(1, just, targets=True), Alike(1, alpha * 3 / 5), Alike(1, 1 - just - alpha * 3 / 5)
    yield Alike(2, just, targets=True), Alike(1, alpha * 2 / 5, targets=True), Alike(1, 1 - 2 * just - alpha * 2 / 5)
    yield Alike(1, just, targets=True), Alike(1023, (1 - just) / 1023)


# at least the largest of one point
_AT_A_THIRD: Final = divided(
    "epsilon", 3, lambda population, size, alpha, epsilon, delta: max(failures(population, size, alpha, epsilon, delta))
)
points = [
    FailureBound(fails_at_most, _AT_A_THIRD)(
        f"BuNS-3.13.utility.any-columns{suffix}",
        f"{BUNS}, Theorem 3.13 with the corrected A_dist, and constants of ours",
        "from n ≥ (2/α)·((2/ε)·ln(1/(βδ)) + 2 + (2/ε)·ln(4|X|/β)), (2/α)·((2/ε)·ln(2/δ) + 1) and αn/2 − "
        "sqrt(2αn·ln(4/β)) ≥ (2/ε)·ln(4/β) on all errors are ≤ α with probability ≥ 1 − β, for every k, on populations "
        f"with few points of mass ≥ α: a bound on the failure, point by point; δ = 10⁻⁶, {which}",
        (
            {"population": population, "size": size, **given, "beta": beta}
            for epsilon, beta in product(epsilons, betas)
            for given in [{"alpha": alpha, "epsilon": epsilon, "delta": MILLIONTH}]
            for population in list(populations(alpha))[chosen]
            for size in [rows_needed(sum(kind.points for kind in population), beta=beta, **given)]
        ),
        depth="report" if suffix else "quick",
    )
    for suffix, which, alpha, epsilons, betas, chosen in (
        ("", "|X| = 3, α = 2/5, ε = 1, β = 1/20", Fraction(2, 5), (Fraction(1),), (TWENTIETH,), slice(1, 2)),
        (
            *("-more", "|X| ≤ 1,024, α = 1/4, ε in {1/2, 1}, β in {1/20, 1/4}"),
            *(QUARTER, (HALF, Fraction(1)), (TWENTIETH, QUARTER), slice(None)),
        ),
    )
]
