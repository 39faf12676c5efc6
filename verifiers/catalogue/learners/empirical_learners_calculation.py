"""From empirical to PAC learning and back, at ordinary parameters: Theorems 2.11 and 2.24 of Bun, Nissim & Stemmer.

Formulas are as reconstructed: an (α,β)-accurate empirical k-learner is a (2α, β + β′)-accurate PAC k-learner, from as
many examples on as the generalization bounds ask for. Of the learner nothing else is known: the worst one is judged.
"""

from fractions import Fraction
from functools import lru_cache
from itertools import islice
from math import ceil, floor
from typing import Final

from dpverify.mechanisms import log
from dpverify.mechanisms.counting.binomial_weights import binomial_weights
from dpverify.mechanisms.sanitizers import thresholds
from dpverify.verifiers.calculations.family import Broken, Calculation, Sharpness, changed
from dpverify.verifiers.catalogue.families import BUNS, QUARTER, TENTH, TWENTIETH
from dpverify.verifiers.catalogue.learners import agnostic_multi_learners_calculation as agnostic
from dpverify.verifiers.catalogue.learners.agnostic_choices import Labelled

_BITS: Final = 160


@lru_cache(maxsize=256)
def at_most(most: int, trials: int, chance: Fraction) -> Fraction:
    """The probability that at most so many of independent trials succeed, rounded up to 160 bits."""
    right, parts = chance.numerator, chance.denominator
    ways = sum(islice(binomial_weights(trials, right, parts - right), most + 1))
    return Fraction(-((-ways << _BITS) // parts**trials), 1 << _BITS)


# Theorem 2.11 for targets in C: thresholds, of which one 2α away looks no more than α away.
def misled_at_most(k: int, size: int, alpha: Fraction, beta: Fraction) -> Fraction:
    """A bound on how often the worst (α,β)-accurate empirical learner of k thresholds has an error > 2α.

    The points are so many, and alike, that a mass can be anything. It fails with probability β, and else gives a
    threshold that is more than 2α from a target, on either side, wherever at most αn examples lie between.
    """
    return beta + 2 * k * at_most(floor(alpha * size), size, 2 * alpha)


def misled_at_least(size: int, alpha: Fraction, beta: Fraction) -> Fraction:
    """A bound from below, for one side of one target, which the learner need not beat."""
    return beta + (1 - beta) * at_most(floor(alpha * size), size, 2 * alpha)


_ROWS: Final = ceil(64 / TENTH * (log(64 / TENTH) + log(8 / TWENTIETH)))
"""(64/α)·(VC·ln(64/α) + ln(8/β)) at 2α, VC = 1: Theorem 2.13 of the journal version of Beimel, Nissim & Stemmer."""
to_pac = Calculation(
    id="BuNS-2.11.utility.thresholds",
    source=f"{BUNS}, Theorem 2.11, with the constants of Beimel, Nissim & Stemmer, journal version, Theorem 2.13",
    statement="an (α,β)-accurate empirical learner of k thresholds, whatever else it does, has all errors ≤ 2α with "
    "probability ≥ 1 − β − β′ on n ≥ (32/α)·(ln(32/α) + ln(8/β′)) random examples; α = β = β′ = 1/20, k in {1, 10}",
    computed=misled_at_most,
    at_most=lambda beta: 2 * beta,
    cases=[{"k": k, "size": _ROWS, "alpha": TWENTIETH, "beta": TWENTIETH} for k in (1, 10)],
    mutants=[Broken("a hundredth of the examples", {"computed": changed(misled_at_least, "size", lambda n: n // 100)})],
    sharpness=Sharpness(
        what="examples, k = 10, α = β = β′ = 1/20",
        paper=_ROWS,
        family=lambda size: [{"k": 10, "size": size, "alpha": TWENTIETH, "beta": TWENTIETH}],
    ),
)


# Theorem 2.11, agnostic: k columns, of which each can mislead.
def misled_in_some_column(k: int, size: int, alpha: Fraction, beta: Fraction) -> Fraction:
    """The chance that the worst agnostic (α,β)-accurate empirical learner has an error more than 2α above the best.

    A class of two concepts, on one point that each column labels by a coin of its own, (1 + 2α)/2 and a little more.
    The learner is misled where the worse concept is within αn labels of the better in the sample.
    """
    chance = (1 + 2 * alpha + Fraction(1, 1000)) / 2
    # right − wrong ≤ αn
    fails = at_most(floor((1 + alpha) * size / 2), size, chance)
    return 1 - (1 - beta) * (1 - fails) ** k


def rows_for_columns(k: int, *, alpha: Fraction, beta: Fraction) -> int:
    """(2/α²)·ln(k/β′), by Hoeffding for each column: the ln k that the agnostic half has over the other."""
    return ceil(2 / alpha**2 * log(k / beta))


def misled_on_the_rows_of_one(k: int, alpha: Fraction, beta: Fraction) -> Fraction:
    """The same from as many examples as for one column."""
    return misled_in_some_column(k, rows_for_columns(1, alpha=alpha, beta=beta), alpha, beta)


to_agnostic = Calculation(
    id="BuNS-2.11.utility.agnostic",
    source=f"{BUNS}, Theorem 2.11, agnostic, with constants of ours for two concepts",
    statement="an agnostic (α,β)-accurate empirical k-learner, whatever else it does, has all errors within 2α of the "
    "best with probability ≥ 1 − β − β′ on n ≥ (2/α²)·ln(k/β′) random examples; two concepts, a coin for each column, "
    "α in {1/10, 1/4}, β = β′ = 1/20, k in {10, 100}",
    computed=misled_in_some_column,
    at_most=lambda beta: 2 * beta,
    cases=[
        {"k": k, "size": rows_for_columns(k, alpha=alpha, beta=TWENTIETH), "alpha": alpha, "beta": TWENTIETH}
        for k in (10, 100)
        for alpha in (TENTH, QUARTER)
    ],
    mutants=[Broken("as many examples as for one column", {"computed": misled_on_the_rows_of_one})],
)


# Theorem 2.24 at ordinary parameters: the direct sum of generic learners on a ninth of the given rows.
def given_rows(size: int, k: int, alpha: Fraction) -> Labelled:
    """Nine times as many rows, on one point, with as many labels 0 as make the threshold that says so α better."""
    rows, rest = 9 * size, (Fraction(0),) * 15
    zeros = floor((1 + alpha) * rows / 2) + 1
    return Labelled(f"{rows} rows", (Fraction(1), *rest), ((Fraction(rows - zeros, rows), *rest),) * k)


empirical = agnostic.direct_sums_fail(
    "BuNS-2.24.utility.ordinary",
    f"{BUNS}, Theorem 2.24 for the learner of Corollary 3.4, with constants of ours",
    "from m ≥ (8/α²)·ln(4k|C|/β) and (4k/(αε))·ln(2k|C|/β) on, the direct sum of generic learners run on m "
    "of 9m given rows has all errors on these within α of the best with probability ≥ 1 − β; thresholds on 16 points, "
    "α = 1/4, β = 1/20, ε = 1, k in {1, 10}, one point with nearly balanced labels",
    (
        {"population": given_rows(size, k, QUARTER), "family": thresholds, "d": 4, "size": size}
        | {"alpha": QUARTER, "epsilon": Fraction(1), "beta": TWENTIETH}
        for k in (1, 10)
        for size in [agnostic.rows_of_direct_sum(k, 17, alpha=QUARTER, beta=TWENTIETH, epsilon=Fraction(1))]
    ),
)
