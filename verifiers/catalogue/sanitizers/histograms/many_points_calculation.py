"""Utility of the stability-based histogram on any number of points, at ordinary ε, δ and β.

The noise of a point is independent of all others, and points that occur equally often are alike: so a database is given
by how many points occur how often, and nothing depends on how many points there are that do not occur.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import ceil, floor
from typing import Final

from dpverify.mechanisms import Exact, discrete_laplace, log
from dpverify.mechanisms.numbers.exact_numbers import total
from dpverify.verifiers.calculations.claim import Calculation, divided
from dpverify.verifiers.catalogue.families import HUNDREDTH, MILLIONTH, QUARTER, TENTH

Profile = tuple[tuple[int, int], ...]
"""(how many points, how often each of them occurs)."""


@lru_cache(maxsize=1024)
def chance_of_error(count: int, size: int, alpha: Fraction, epsilon: Fraction, delta: Fraction) -> Exact:
    """The probability that `stable_histogram` is off by more than α for a point that occurs so often.

    That of a point that is listed is off where the noise is; one that is not, with 0, where it occurs more than αn
    times.
    """
    noise = discrete_laplace(2 / epsilon)
    listed = floor(2 / epsilon * log(2 / delta) + 1) + 1 - count  # the least noise
    off = floor(alpha * size) + 1
    too_high = noise.tail(max(listed, off))
    # listed, and noise ≤ −off; or not listed
    too_low = noise.tail(listed) - noise.tail(1 - off) if listed <= -off else Fraction(0)
    missed = 1 - noise.tail(listed) if count > alpha * size else Fraction(0)
    return too_high + too_low + missed


def errors(profile: Profile, alpha: Fraction, epsilon: Fraction, delta: Fraction, **_: Fraction) -> list[Exact]:
    """For each kind of points the chance that one of them is off."""
    size = sum(points * count for points, count in profile)
    return [chance_of_error(count, size, alpha, epsilon, delta) for _, count in profile]


def failure_at_worst(profile: Profile, **given: Fraction) -> Exact:
    """The probability that some estimate is off by more than α: at most the sum over all points."""
    return total(points * chance for (points, _), chance in zip(profile, errors(profile, **given), strict=True))


def rows_for_any_universe(*, alpha: Fraction, beta: Fraction, epsilon: Fraction, delta: Fraction) -> int:
    """(4/(αε))·max(ln(2/δ) + ε/2, ln(4/(αβ)), ln(4/(αβε))).

    The threshold is then ≤ αn/2. A point that occurs more than αn times, of which there are less than 1/α, needs noise
    of αn/2 to fail, and any other of the n that may occur noise of αn, y = αεn/2 times its scale: these fail with
    probability ≤ n·e^(−y) = (2/(αε))·y·e^(−y) ≤ (2/(αε))·e^(−y/2) ≤ β/2.
    """
    heavy = max(log(2 / delta) + epsilon / 2, log(4 / (alpha * beta)), log(4 / (alpha * beta * epsilon)))
    return ceil(4 * heavy / (alpha * epsilon))


def profiles(size: int, alpha: Fraction) -> Iterator[Profile]:
    """All points alike, of one row each, of as many as αn, or of one more than that; and one of each kind."""
    bar = floor(alpha * size)
    for count in (1, bar, bar + 1):
        rest = size % count
        yield ((size // count, count), *(((1, rest),) if rest else ()))
    yield ((1, bar + 1), (size - bar - 1, 1))


any_universe: Final = Calculation(
    id="BuNS-2.20b.utility.any-universe",
    source="Bun, Nissim & Stemmer, Proposition 2.20, as the stability-based histogram, with constants of ours",
    statement="for n ≥ (4/(αε))·max(ln(2/δ) + ε/2, ln(4/(αβ)), ln(4/(αβε))) all estimates are within α with "
    "probability ≥ 1 − β, however many points there are: a bound on the failure, point by point; α in {1/10, 1/4}, ε "
    "in {1/10, 1}, δ = 10⁻⁶, β in {1/100, 1/4}",
    computed=failure_at_worst,
    at_most=lambda beta: beta,
    cases=tuple(
        {"profile": profile, **given, "beta": beta}
        for alpha, epsilon, beta in product((TENTH, QUARTER), (TENTH, Fraction(1)), (HUNDREDTH, QUARTER))
        for given in [{"alpha": alpha, "epsilon": epsilon, "delta": MILLIONTH}]
        for profile in profiles(rows_for_any_universe(beta=beta, **given), alpha)
    ),
    mutants=[divided("epsilon", 2, lambda profile, **given: max(errors(profile, **given)))],
)
