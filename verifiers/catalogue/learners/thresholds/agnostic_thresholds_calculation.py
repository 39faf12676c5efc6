"""Agnostic PAC learning of k thresholds with any sanitizer for thresholds: BuNS, Corollary 3.10.

The corollary is Lemma 3.7 with the sanitizer of Proposition 2.21, on as many rows as that takes: thousands of millions.
No sample is listed, and neither is how many more labels one concept has right than another: its exponential moments are
exact, and bound the choices of the exponential mechanism whatever the sanitizer leaves them to choose from.
"""

from fractions import Fraction
from math import ceil
from typing import Final

from flint import ctx

from dpverify.mechanisms import log
from dpverify.mechanisms.sanitizers.concepts import one_for_each_labelling, thresholds
from dpverify.verifiers.calculations.family import FailureBound, divided
from dpverify.verifiers.catalogue.families import HALF, MILLIONTH, QUARTER, TWENTIETH
from dpverify.verifiers.catalogue.learners.agnostic_choices import Labelled, Way, choice_of, failure_bounds
from dpverify.verifiers.catalogue.learners.agnostic_multi_learners_calculation import choices_of, coin, noisy_steps
from dpverify.verifiers.catalogue.sanitizers.any_sanitizer import above, ball
from dpverify.verifiers.catalogue.sanitizers.thresholds.thresholds_sanitizer_utility import rows_of_buns

_BITS: Final = 192
_MOST_LISTED: Final = 100_000


def chosen_at_most(way: Way, *, size: int, epsilon: Fraction, behind: Fraction) -> Fraction:
    """At least the chance of a bad concept to be chosen at ε′, where one that is `behind`·n labels off is a candidate.

    On a sample on which the best has D labels more right the chance is at most e^(−ε′(D − behind·n)/2), and 1; so it is
    at most e^(−s(D − behind·n)) for every s ≤ ε′/2, the mean of which is exact. The best of some s is taken.
    """
    least = Fraction(1)
    with ctx.workprec(_BITS):
        for i in range(12):
            s = ball(epsilon / 2 / 2**i)
            step = 1 + ball(way.plus) * ((-s).exp() - 1) + ball(way.minus) * (s.exp() - 1)
            least = min(least, above((size * (s * ball(behind) + step.log())).exp()))
    return least


def generic_with_any_sanitizer(
    population: Labelled, d: int, size: int, alpha: Fraction, each: Fraction, close: Fraction, lost: Fraction
) -> Fraction:
    """At most how often some hypothesis is bad, with any sanitizer that is `close` but with probability `lost`.

    A concept that labels its database as the best one does differs from that on a set between two thresholds, which has
    no row there, and so 2·close of the sample at most: so far behind is a candidate.
    """
    fails = lost
    for choice in choices_of(population, thresholds, d, alpha):
        for way, times in choice.bad:
            fails += times * way.concepts * chosen_at_most(way, size=size, epsilon=each, behind=2 * close)
    return min(fails, Fraction(1))


def generic_with_the_first_point(population: Labelled, d: int, size: int, alpha: Fraction, each: Fraction) -> Fraction:
    """At least how often, with a sanitizer that gives the point 0 alone.

    It is exact where all mass is on that point; elsewhere, and on more rows than are listed, it is no bound.
    """
    if population.masses[0] < 1 or size > _MOST_LISTED:
        return Fraction(0)
    candidates = one_for_each_labelling(thresholds(d), (0,))
    choices = [choice_of(population.masses, chances, candidates, alpha) for chances in population.chances]
    return failure_bounds(choices, size=size, epsilon=each)[0]


def rows_for_k_thresholds(k: int, d: int, *, alpha: Fraction, beta: Fraction, epsilon: Fraction) -> int:
    """(32/α²)·ln(4k|C|/β) and (4/(αε′))·ln(4k|C|/β), ε′ = ε/(2k): what the choices take."""
    each = epsilon / (2 * k)
    return ceil(max(32 / alpha**2, 4 / (alpha * each)) * log(4 * k * ((1 << d) + 1) / beta))


def rows_of_both(k: int, d: int, *, alpha: Fraction, beta: Fraction, epsilon: Fraction) -> tuple[int, int]:
    """The rows that the choices take, and as many as BuNS-2.21.utility.sanitizer takes besides."""
    of_choices = rows_for_k_thresholds(k, d, alpha=alpha, beta=beta, epsilon=epsilon)
    private = {"epsilon": epsilon / 2, "delta": MILLIONTH}
    return of_choices, max(of_choices, ceil(rows_of_buns(d, alpha=alpha / 8, beta=beta / 4, **private)))


agnostic = [
    FailureBound(generic_with_any_sanitizer, divided("each", 8, generic_with_the_first_point))(
        f"BuNS-3.10.utility.agnostic{suffix}",
        "Bun, Nissim & Stemmer, Corollary 3.10, with constants of ours",
        "from n ≥ (32/α²)·ln(4k|C|/β) and (4/(αε′))·ln(4k|C|/β) examples with any labels, ε′ = ε/(2k), and "
        "as many as it takes, the generic learner of k thresholds with any sanitizer for thresholds that is (α/8, "
        "β/4)-accurate has all errors within α of the best with probability ≥ 1 − β: a bound on the failure, over the "
        f"sample and the coins; {1 << d} points, k = {k}, α = 1/4, β = 1/20, ε = {epsilon}, for a coin on one "
        "point and noisy thresholds; with the rows of BuNS-2.21.utility.sanitizer, too",
        (
            {"population": population, "d": d, "size": size, "alpha": QUARTER, "each": epsilon / (2 * k)}
            | {"close": QUARTER / 8, "lost": TWENTIETH / 4, "beta": TWENTIETH}
            for population in (coin(1 << d, k, QUARTER, 0), noisy_steps(1 << d, k))
            for size in rows_of_both(k, d, alpha=QUARTER, beta=TWENTIETH, epsilon=epsilon)
        ),
        depth="report" if suffix else "quick",
    )
    for suffix, d, k, epsilon in (("", 3, 10, Fraction(1)), ("-more", 4, 20, HALF))
]
