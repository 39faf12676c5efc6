"""Agnostic PAC learning of k concepts, at ordinary α, β and ε: the direct sum, and the generic k-learner.

The paper states orders: the constants are ours, and each docstring says what they come from. What decides is in
`agnostic_choices`: bounds on the probability of failure over the sample and the coins, rounded outward.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import islice, product
from math import ceil, floor
from typing import Any, Final

from dpverify.mechanisms import bounds, discrete_laplace, log
from dpverify.mechanisms.counting.binomial_weights import binomial_weights
from dpverify.mechanisms.sanitizers.concepts import one_for_each_labelling, points, thresholds
from dpverify.verifiers.calculations.family import FailureBound, component, divided
from dpverify.verifiers.catalogue.corners import JUST
from dpverify.verifiers.catalogue.families import BUNS, HALF, MILLIONTH, QUARTER, TENTH, TWENTIETH
from dpverify.verifiers.catalogue.learners.agnostic_choices import Choice, Labelled, choice_of, failure_bounds

Family = Callable[[int], Sequence[Any]]
Given = dict[str, Any]


# Corollary 3.4, agnostic: the direct sum of generic learners, each with ε/k.
@lru_cache(maxsize=64)
def choices_of(population: Labelled, family: Family, d: int, alpha: Fraction) -> tuple[Choice, ...]:
    """The choice for each column, among the concepts of the family on [0, 2^d)."""
    return tuple(choice_of(population.masses, chances, family(d), alpha) for chances in population.chances)


def direct_sum_bounds(
    population: Labelled, family: Family, d: int, size: int, alpha: Fraction, epsilon: Fraction
) -> tuple[Fraction, Fraction]:
    """Bounds on how often some hypothesis of the direct sum of generic learners, with ε/k each, is not good.

    The one from below is exact where all labels are alike.
    """
    choices = choices_of(population, family, d, alpha)
    return failure_bounds(choices, size=size, epsilon=epsilon / len(choices))


def rows_of_direct_sum(k: int, concepts: int, *, alpha: Fraction, beta: Fraction, epsilon: Fraction) -> int:
    """(8/α²)·ln(4k|C|/β) and (4k/(αε))·ln(2k|C|/β).

    By Hoeffding all errors in the sample are within α/4, but for β/2; and each choice is within α/2 of the best in the
    sample, but for β/(2k).
    """
    of_sample, of_choice = log(4 * k * concepts / beta), log(2 * k * concepts / beta)
    return ceil(max(8 / alpha**2 * of_sample, 4 * k / (alpha * epsilon) * of_choice))


def coin(points: int, k: int, alpha: Fraction, label: int) -> Labelled:
    """All mass on point 0, which is labelled so, in all columns, with chance (1 + α)/2 and a little more."""
    chance, rest = (1 + alpha + JUST) / 2, (Fraction(0),) * (points - 1)
    return Labelled("a coin", (Fraction(1), *rest), ((chance if label else 1 - chance, *rest),) * k)


def mislabelled(name: str, masses: Sequence[Fraction], ones: Iterable[Container[int]], wrong: Fraction) -> Labelled:
    """Columns that label these points 1 and the others 0, each label wrong with that chance."""
    chances = (tuple(1 - wrong if x in column else wrong for x in range(len(masses))) for column in ones)
    return Labelled(name, tuple(masses), tuple(chances))


def noisy_steps(points: int, k: int) -> Labelled:
    """Equal masses, and columns whose labels are thresholds at k places, each label wrong with chance 1/5."""
    columns = (range((j + 1) * points // (k + 1)) for j in range(k))
    return mislabelled("noisy thresholds", (Fraction(1, points),) * points, columns, Fraction(1, 5))


_DIRECT_SUM: Final = (
    "from n ≥ (8/α²)·ln(4k|C|/β) and (4k/(αε))·ln(2k|C|/β) examples with any labels the direct sum of k generic "
    "learners, each with ε/k, has all errors within α of the best with probability ≥ 1 − β: bounds on the failure, "
    "over the sample and the coins; thresholds on 16 points, α = 1/4"
)
direct_sums_fail = FailureBound(component(direct_sum_bounds, 1), divided("epsilon", 3, component(direct_sum_bounds, 0)))
direct_sums = [
    direct_sums_fail(
        f"BuNS-3.4.utility.agnostic{suffix}",
        f"{BUNS}, Corollary 3.4, with constants of ours",
        f"{_DIRECT_SUM}, {which}, for a coin on one point and for noisy thresholds",
        (
            {"population": population, **given, "beta": beta}
            for k, epsilon in product(ks, epsilons)
            for size in [rows_of_direct_sum(k, 17, alpha=QUARTER, beta=beta, epsilon=epsilon)]
            for given in [{"family": thresholds, "d": 4, "size": size, "alpha": QUARTER, "epsilon": epsilon}]
            for population in (coin(16, k, QUARTER, 0), noisy_steps(16, k))
        ),
        depth="report" if suffix else "quick",
    )
    for suffix, which, ks, epsilons, beta in (
        ("", "k = 10, ε = 1, β = 1/20", (10,), (Fraction(1),), TWENTIETH),
        ("-more", "k in {2, 10, 20}, ε in {1/2, 1}, β = 1/4", (2, 10, 20), (HALF, Fraction(1)), QUARTER),
    )
]


# Lemma 3.7, agnostic: the generic k-learner, of any sanitizer that is as accurate as it is asked to be.
@lru_cache(maxsize=64)
def choices_of_sanitized(
    population: Labelled, family: Family, d: int, alpha: Fraction, light: Fraction
) -> tuple[Choice, ...]:
    """The choice for each column, among one concept for each labelling of the points of more than that mass."""
    concepts = tuple(family(d))
    heavy = tuple(x for x, mass in enumerate(population.masses) if mass > light)
    candidates = one_for_each_labelling(concepts, heavy)
    return tuple(choice_of(population.masses, chances, candidates, alpha, concepts) for chances in population.chances)


def generic_bounds(
    population: Labelled,
    family: Family,
    d: int,
    size: int,
    alpha: Fraction,
    each: Fraction,
    light: Fraction,
    lost: Fraction,
) -> tuple[Fraction, Fraction]:
    """Bounds on how often some hypothesis of the generic k-learner is not good, with ε′ = `each`.

    Its sanitizer gives the points of more than the mass `light`, and with probability `lost` nothing of use; the bound
    from below is that where nothing is lost, exact where all labels are alike.
    """
    low, high = failure_bounds(choices_of_sanitized(population, family, d, alpha, light), size=size, epsilon=each)
    return low, lost + high


def rows_of_generic(k: int, labellings: int, *, alpha: Fraction, beta: Fraction, each: Fraction) -> int:
    """(32/α²)·ln(4k|H|/β) and (4/(αε′))·ln(4k|H|/β).

    A sanitizer that is within α/4 leaves a concept within α/4 of the best. By Hoeffding it is right on αn/2 more labels
    of the sample than one that is not within α, but for β/(4k|H|) each; so that each of these is chosen with
    probability ≤ e^(−ε′αn/4) ≤ β/(4k|H|). The sanitizer may fail with probability β/4.
    """
    return ceil(max(32 / alpha**2, 4 / (alpha * each)) * log(4 * k * labellings / beta))


def with_light_points(points: int, k: int) -> Labelled:
    """Four fifths of the mass on two points of a rising order, a quarter of them apart, and the rest on the others."""
    low, high = points // 4, points // 2
    masses = [Fraction(2, 5) if x in (low, high) else Fraction(1, 5 * (points - 2)) for x in range(points)]
    columns = (range((low if j % 2 else high) + 1) for j in range(k))
    return mislabelled("two heavy points", masses, columns, TENTH)


generic = [
    FailureBound(component(generic_bounds, 1), divided("each", 4, component(generic_bounds, 0)))(
        f"BuNS-3.7.utility.agnostic{suffix}",
        f"{BUNS}, Lemma 3.7, and Corollary 3.10 given its sanitizer of thresholds, with constants of ours",
        "from n ≥ (32/α²)·ln(4k|H|/β) and (4/(αε′))·ln(4k|H|/β) examples with any labels the generic "
        "k-learner has all errors within α of the best with probability ≥ 1 − β, where its sanitizer fails with "
        "probability β/4, and else gives the points of a mass above α/4: a bound on the failure, over the sample and "
        f"the coins; thresholds on {1 << d} points, |H| ≤ 3, k = {k}, α = {alpha}, ε′ = 1/{2 * k}, β = 1/20",
        (
            {"population": these, **given, "light": alpha / 4, "lost": lost, "beta": TWENTIETH}
            for each in [Fraction(1, 2 * k)]
            for size in [rows_of_generic(k, 3, alpha=alpha, beta=TWENTIETH, each=each)]
            for given in [{"family": thresholds, "d": d, "size": size, "alpha": alpha, "each": each}]
            for these, lost in ((with_light_points(1 << d, k), TWENTIETH / 4), (coin(1 << d, k, alpha, 0), Fraction(0)))
        ),
        depth="report" if suffix else "quick",
    )
    for suffix, d, k, alpha in (("", 4, 10, HALF), ("-twenty-columns", 8, 20, QUARTER))
]


# Corollary 3.9: points, with the stability-based histogram.
@lru_cache(maxsize=64)
def chance_of_not_listed(mass: Fraction, size: int, epsilon: Fraction, delta: Fraction) -> Fraction:
    """At least the probability that `stable_histogram` does not list a point of that mass, from a random sample.

    It occurs at most half as often as on average, or noise of the rest of that keeps it below the threshold.
    """
    half, parts = floor(size * mass / 2), mass.denominator
    ways = sum(islice(binomial_weights(size, mass.numerator, parts - mass.numerator), half + 1))
    listed = floor(2 / epsilon * log(2 / delta) + 1) + 1
    noise = discrete_laplace(2 / epsilon)
    return Fraction(ways, parts**size) + bounds(1 - noise.tail(listed - half - 1))[1]


def point_bounds(
    population: Labelled, d: int, size: int, alpha: Fraction, epsilon: Fraction, delta: Fraction, each: Fraction
) -> tuple[Fraction, Fraction]:
    """Bounds on how often the generic learner of points, with the histogram at (ε,δ), has some hypothesis not good.

    It fails where the best point of some column is not listed, or another is chosen: the bound from below is of the
    latter, next to exact where all labels are alike.
    """
    choices = choices_of_sanitized(population, points, d, alpha, Fraction(0))
    low, high = failure_bounds(choices, size=size, epsilon=each)
    best = {choice.best for choice in choices}
    lost = sum(chance_of_not_listed(population.masses[x], size, epsilon, delta) for x in best)
    return low, lost + high


def rows_of_points(
    k: int, d: int, *, alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction, each: Fraction
) -> int:
    """(8/α²)·ln(6k·2^d/β), (4/(αε′))·ln(6k/β), and (2/α)·((2/ε)·ln(2/δ) + 2 + (2/ε)·ln(6k/β)).

    Where the best point of each column has a mass of α or more, one concept stands for all points that are not listed,
    and of the listed ones few are near the best: else the number of concepts is in the logarithm.
    """
    of_sample = 8 / alpha**2 * log(6 * k * (1 << d) / beta)
    of_choice = 4 / (alpha * each) * log(6 * k / beta)
    of_list = 2 / alpha * (2 / epsilon * log(2 / delta) + 2 + 2 / epsilon * log(6 * k / beta))
    return ceil(max(of_sample, of_choice, of_list))


def two_best(points: int, k: int) -> Labelled:
    """Two points of mass 9/20, each the best of every other column, with one label in ten wrong."""
    masses = (Fraction(9, 20), Fraction(9, 20), *(Fraction(1, 10 * (points - 2)),) * (points - 2))
    return mislabelled("two best points", masses, [(j % 2,) for j in range(k)], TENTH)


of_points = [
    FailureBound(component(point_bounds, 1), divided("each", 4, component(point_bounds, 0)))(
        f"BuNS-3.9.utility.agnostic{suffix}",
        f"{BUNS}, Corollary 3.9, with constants of ours",
        "from n ≥ (8/α²)·ln(6k·2^d/β), (4/(αε′))·ln(6k/β) and (2/α)·((2/ε)·ln(2/δ) + 2 + (2/ε)·ln(6k/β)) examples of "
        "two populations, whose best points have a mass of α or more, the generic learner of k points with the "
        "stability-based histogram has all errors within α of the best with probability ≥ 1 − β: bounds on the "
        f"failure, over the sample and the coins; 2^d = 16, α = 1/4, ε = 1/2, δ = 10⁻⁶, ε′ = 1/(2k), {which}",
        (
            {"population": population, "d": 4, "size": size, **given, "beta": beta}
            for k in ks
            for given in [{"alpha": QUARTER, "epsilon": HALF, "delta": MILLIONTH, "each": Fraction(1, 2 * k)}]
            for size in [rows_of_points(k, 4, beta=beta, **given)]
            for population in (coin(16, k, QUARTER, 1), two_best(16, k))
        ),
        depth="report" if suffix else "quick",
    )
    for suffix, which, ks, beta in (
        ("", "k = 10, β = 1/20", (10,), TWENTIETH),
        ("-more", "k in {2, 10, 20}, β = 1/4", (2, 10, 20), QUARTER),
    )
]
