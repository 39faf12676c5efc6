"""Privacy of a sample of 100 of 900 rows: Lemma 2.25 and Theorem 2.24 of Bun, Nissim & Stemmer at sizes in use.

Of rows that are bits, and a mechanism to which their order is all one, a sample shows how many are 1, with a binomial
law: 101 samples in place of 900¹⁰⁰.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Any, Final

from dpverify.mechanisms import Distribution, Draw, exp, exponential, log
from dpverify.mechanisms.functions import Mechanism
from dpverify.mechanisms.selection import leaky_randomized_response
from dpverify.verifiers.catalogue.finite import CHOSEN
from dpverify.verifiers.catalogue.selection.subsampling_privacy import OF_A_SAMPLE, SIX_TIMES_LEAKY, by_the_lemma
from dpverify.verifiers.privacy.family import Row, family

ROWS: Final = 900
SIZE: Final = 100
MILLIONTH: Final = Fraction(1, 10**6)


@lru_cache(maxsize=256)
def ones_in_sample(ones: int) -> Any:
    """The number of 1s among `SIZE` rows drawn with replacement, of `ROWS` of which so many are."""
    return Distribution(
        {n: comb(SIZE, n) * ones**n * (ROWS - ones) ** (SIZE - n) for n in range(SIZE + 1) if ones or not n}
    )


def on_a_long_sample(draw: Draw, ones: int, *, mechanism: Mechanism, given: dict[str, Any]) -> Any:
    """`on_a_sample`, for rows that are bits, of which so many are 1; the mechanism sees how many, of how many."""
    return draw(mechanism, draw(ones_in_sample(ones)), SIZE, **given)


def on_all_rows(draw: Draw, ones: int, *, mechanism: Mechanism, given: dict[str, Any]) -> Any:
    """Mutant: runs on all rows."""
    return draw(mechanism, ones, ROWS, **given)


def more_frequent(draw: Draw, ones: int, rows: int, *, epsilon: Fraction) -> Any:
    """Which bit is more frequent, by the exponential mechanism."""
    return exponential((rows - ones, ones), epsilon)


def any_at_all(draw: Draw, ones: int, rows: int, *, epsilon: Fraction, delta: Fraction) -> Any:
    """Whether some row is 1, as leakily as (ε,δ)-privacy allows."""
    return leaky_randomized_response(draw, int(ones > 0), epsilon=epsilon, delta=delta)


def one_more_or_less(ones: int) -> Iterator[int]:
    """The numbers of rows that are 1 where one is replaced."""
    yield from (ones - 1, ones + 1)


_SAMPLED: Final = 1 - (1 - Fraction(1, ROWS)) ** SIZE
"""The probability that a row is in the sample."""
_LEMMA: Final = "(6εm/n, 4·exp(6εm/n)·(m/n)·δ)-private"
_LEAKY: Final = (
    Row("leaky-100-of-900", "whether some row is 1, as leakily as (1, 10⁻⁶)-privacy allows")
    .having(domain=[0, 1, 2, 3])
    .run_with(mechanism=any_at_all, given={"epsilon": Fraction(1), "delta": MILLIONTH})
)

samples = family(
    Row()
    .having(mechanism=on_a_long_sample, neighbours=one_more_or_less, finite_because=CHOSEN, mutant=on_all_rows)
    .of(OF_A_SAMPLE),
    Row("exponential-100-of-900")
    .says(
        "the more frequent bit by the exponential mechanism, 1-private, on 100 of 900 rows with replacement is "
        f"{_LEMMA}"
    )
    .having(domain=[0, 1, 450])
    .run_with(mechanism=more_frequent, given={"epsilon": Fraction(1)})
    .of(by_the_lemma(SIZE, ROWS, Fraction(1), 0)),
    Row("", f", on 100 of 900 rows with replacement is {_LEMMA}")
    .having(weak_because=SIX_TIMES_LEAKY)
    .of(by_the_lemma(SIZE, ROWS, Fraction(1), MILLIONTH))
    .of(_LEAKY),
    # What the leaky mechanism needs on a sample, in place of what the lemma says of it: both numbers are used up.
    Row("-exact")
    .says(
        ", on 100 of 900 rows with replacement is (ln(1 + p·(e − 1)), p·10⁻⁶)-private, for the p = 1 − (899/900)¹⁰⁰ "
        "with which a row is sampled"
    )
    .having(epsilon=log(1 + _SAMPLED * (exp(1) - 1)), delta=_SAMPLED * MILLIONTH)
    .of(_LEAKY),
)
