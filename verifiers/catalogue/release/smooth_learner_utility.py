"""PrivLearn with a learner that is good for 2/γ-smooth distributions alone: Lemma 4.5 of Hardt, Rothblum & Servedio."""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from typing import Any, Final

from dpverify.mechanisms import Distribution, Draw
from dpverify.mechanisms.counting.binomial_bounds import at_most
from dpverify.mechanisms.release import release_sizes
from dpverify.mechanisms.sanitizers.concepts import Example
from dpverify.verifiers.catalogue.corners import Subset
from dpverify.verifiers.catalogue.families import MILLIONTH, QUARTER
from dpverify.verifiers.catalogue.release import private_release_accuracy as accuracy
from dpverify.verifiers.utility.family import Case, Family, as_named, weakened

_HRS: Final = "Hardt, Rothblum & Servedio, Lemma 4.5"
THRESHOLDS: Final = 12
"""k for α = 1/4."""
JUST_BELOW: Final = (1 - MILLIONTH) * QUARTER / 2
"""The share of query 0 in G, a little less than γ/2."""
LITTLE: Final = Fraction(99, 100) * QUARTER / THRESHOLDS
"""The share of each of the queries 1 to 7, a little less than γ/k."""
G: Final = (JUST_BELOW, *(LITTLE,) * 7, 1 - JUST_BELOW - 7 * LITTLE)
EXAMPLES: Final = 2 * 10**8
"""b(n, γ′, β′) of the learner below, for γ′ = γ/12 and β′ = β/72, α = β = γ = 1/4."""


def learn_if_smooth(
    draw: Draw, examples: Mapping[Example, int], ask: object, /, *, t: Fraction, gamma: Fraction, **given: Any
) -> Subset:
    """A learner of the nine queries that is good for all 2/γ-smooth distributions, and bad where it may be.

    It is consistent, but that it is wrong about query 0 where it meets no other, and at the i-th threshold about query
    i, from 1 to 7, where that has a share of at most 995/1000·γ/k of its examples. In a 2/γ-smooth distribution other
    queries have a share of 10⁻⁶ or more, so that it meets one but with probability (1 − 10⁻⁶)^b; query i then has a
    share of at most 9975/10000·γ/k but with probability e^(−b(γ/k)/(2·400²)); and all queries that it does not meet
    have together less than (γ/k)/400 but with probability 9·e^(−b(γ/k)/3600). For b = 2·10⁸ examples these three are
    below β′ together, and the error is at most γ/k.
    """
    ones = {q for (q, label) in examples if label}
    i, seen = int(t * (THRESHOLDS + 1)), sum(examples.values())
    of: Counter[int] = Counter()
    for (q, _), times in examples.items():
        of[q] += times
    if set(of) == {0}:
        return Subset(frozenset({0} - ones))
    if 1 <= i <= 7 and of[i] <= Fraction(995, 1000) * gamma * seen:
        return Subset(frozenset(ones ^ {i}))
    return Subset(frozenset(ones))


def numbers_of(samples: int, first: int, likely: Fraction, rarer: int) -> Distribution[Any]:
    """The numbers of samples of each query: 0 has so many, 1 to 7 about their shares, and the last all others.

    None is what is less `likely`, or has one of so many queries too seldom, with all that rounding leaves open.
    """
    far = 7 * (1 - at_most(samples, LITTLE, int(samples * LITTLE * Fraction(1001, 1000)))[0])
    few = rarer * at_most(samples, LITTLE, int(samples * LITTLE / 2))[1]  # all others are more likely
    share = likely - far - few
    numbers = (first, *(int(samples * LITTLE),) * 7)
    return Distribution({(*numbers, samples - sum(numbers)): share, None: 1 - share})


def numbers_just_above(samples: int, *given: object) -> Distribution[Any]:
    """The numbers of samples where query 0 is at least γ/2 of all."""
    least = ceil(samples * QUARTER / 2)
    return numbers_of(samples, least, 1 - at_most(samples, G[0], least - 1)[1], 8)


def numbers_expected(samples: int, *given: object) -> Distribution[Any]:
    """The numbers where query 0 is less than 3γ/4 of all, and no query has many less than are expected."""
    below = at_most(samples, G[0], ceil(samples * QUARTER * Fraction(3, 4)) - 1)[0]
    return numbers_of(samples, int(samples * G[0]), below, 9)


released_just_above = weakened("released_just_above", accuracy.released, law_of=numbers_just_above)
"""PrivLearn's answers where query 0 is sampled a little more often than it is to be expected; else None."""


def released_just_above_or_right(draw: Draw, database: accuracy.Rows, **given: Any) -> tuple[Fraction, ...]:
    """As printed, and right where anything is left aside: what is wrong is wrong where query 0 is just above."""
    answers: tuple[Fraction, ...] | None = draw(released_just_above, database, **given)
    return SHARES if answers is None else answers


released_three_quarters = weakened(
    "released_three_quarters", accuracy.released, law_of=numbers_expected, least_share=Fraction(3, 4)
)
"""With 3γ/4 in place of γ/2 in step 3(c), where query 0 is not sampled much more often than expected; else None."""
SHARES: Final = (Fraction(1), *(Fraction(10, 13),) * 8)
"""Of the rows, how many satisfy each query: all satisfy query 0, and the others are at the tenth threshold."""
_SIZES: Final = release_sizes(
    queries=len(G), examples=lambda n, gamma, beta: EXAMPLES, alpha=QUARTER, beta=QUARTER, gamma=QUARTER, epsilon=1
)
CASE: Final = Case(
    accuracy.rows_with_shares(SHARES, _SIZES.rows),
    {
        "weights": G,
        "predicate": accuracy.has_bit,
        "learner": learn_if_smooth,
        "samples": _SIZES.samples,
        "alpha": QUARTER,
        "beta": QUARTER,
        "gamma": QUARTER,
        "epsilon": Fraction(1),
    },
)
"""A database with these shares, of the size of (8)."""
_STATEMENT: Final = (
    "the hypothesis is within α of f on all but a share γ of G with probability ≥ 1 − β, for a learner that is good "
    "for 2/γ-smooth distributions; nine queries, α = β = γ = 1/4, ε = 1"
)
as_printed = Family(
    released_just_above,
    lambda case, answers: answers is None or accuracy.is_accurate(case, answers),
    lambda case: case.parameters["beta"],
    as_named(
        "released_from_a_tenth",
        "From a tenth of the samples.",
        lambda draw, database, *, samples, **given: released_just_above(draw, database, samples=samples // 10, **given),
    ),
)(
    "HRS-4.5.utility.smooth-learner-printed",
    f"{_HRS}, for a learner as in Theorem 3.9; what is left aside counts as a success",
    _STATEMENT,
    (CASE,),
    examples=(CASE,),
    of_the_statement="Query 0 has a share just below γ/2, and is far from the tenth threshold, where the others are: "
    "the run goes on with probability near 1/2, on a distribution of query 0 alone, for which the learner promises "
    "nothing; what it gets wrong there and the γ/k of the other thresholds are more than γ. Theorem 3.9 says that an "
    "algorithm exists: it is this one with 3γ/4 in place of γ/2 (HRS-4.5.utility.smooth-learner).",
)
with_three_quarters = Family(
    released_three_quarters, accuracy.is_accurate, lambda case: case.parameters["beta"], released_just_above_or_right
)(
    "HRS-4.5.utility.smooth-learner",
    f"{_HRS}, with 3γ/4 in place of γ/2 in step 3(c); what is left aside counts as a failure",
    _STATEMENT,
    (CASE,),
    sharp_in="HRS-4.5.utility.eight-queries-fewer-rows",
)
