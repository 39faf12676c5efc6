"""Privacy of a sample of m of n rows with replacement: what Bun, Nissim & Stemmer use of it."""

from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Any, Final

from dpverify.mechanisms import Distribution, Draw, discrete_laplace, exp, exponential, laplace, log, symbolic
from dpverify.mechanisms.drawing import in_sorted_order
from dpverify.mechanisms.noise.law import Noise
from dpverify.mechanisms.selection import leaky_randomized_response, on_a_sample
from dpverify.mechanisms.selection.subsampling import delta_of_sample, epsilon_of_sample
from dpverify.verifiers import Multisets
from dpverify.verifiers.catalogue.families import MILLIONTH, TENTH
from dpverify.verifiers.catalogue.finite import CHOSEN, SAMPLES_ROWS
from dpverify.verifiers.catalogue.selection.counting import frequencies
from dpverify.verifiers.privacy.family import ExactLike, LeastShare, Mechanism, Row, family, rows_of


def most_frequent_bit(draw: Draw, rows: Sequence[int], *, epsilon: ExactLike) -> Distribution[int]:
    """The bit that occurs most often, by the exponential mechanism."""
    return exponential(frequencies(rows, 2), epsilon)


def noisy_sum(draw: Draw, rows: Sequence[int], *, epsilon: Any, noise: Noise = discrete_laplace) -> Any:
    """The number of ones with noise of scale 1/ε, discrete unless told otherwise."""
    return sum(rows) + draw(noise(1 / epsilon))


def real_sum(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    """The number of ones with Lap(1/ε)."""
    return noisy_sum(draw, rows, epsilon=epsilon, noise=laplace)


def leaky_or(draw: Draw, rows: Sequence[int], *, epsilon: ExactLike, delta: ExactLike) -> Distribution[Any]:
    """The answer of whether some row is 1, as leakily as (ε,δ)-privacy allows."""
    return leaky_randomized_response(draw, max(rows), epsilon=epsilon, delta=delta)


def without_sampling(
    draw: Draw, rows: Sequence[Hashable], *, mechanism: Mechanism, parameters: dict[str, Any], **ignored: Any
) -> Any:
    """Mutant: runs on all rows."""
    return draw(mechanism, tuple(rows), **parameters)


SIX_TIMES_LEAKY: Final = (
    "δ covers that one row in so many is sampled and leaks, and the lemma's 6εm/n and 4·exp(6εm/n) are far more than "
    "what it can do; what leaks is no noise of a scale"
)
"""The reason why the leaky mechanism on a sample is claimed though it uses little."""
OF_A_SAMPLE: Final = Row("BuNS-2.25.privacy.").having(source="BuNS, Lemma 2.25, formulas as reconstructed")


def by_the_lemma(size: int, rows: int, epsilon: Fraction, delta: Fraction | int) -> Row:
    """The ε and δ that the lemma gives an (ε,δ)-private mechanism on a sample."""
    return Row().having(
        epsilon=epsilon_of_sample(size=size, rows=rows, epsilon=epsilon),
        delta=delta_of_sample(size=size, rows=rows, epsilon=epsilon, delta=delta),
    )


# A sample of 100 of 900 rows: the lemma at sizes in use. Of rows that are bits, and a mechanism to which their order is
# all one, a sample shows how many are 1, with a binomial law: 101 samples in place of 900¹⁰⁰.
ROWS: Final = 900
SIZE: Final = 100


@lru_cache(maxsize=256)
def ones_in_sample(ones: int) -> Distribution[int]:
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


def more_frequent(draw: Draw, ones: int, rows: int, *, epsilon: Fraction) -> Distribution[int]:
    """The bit that is more frequent, by the exponential mechanism."""
    return exponential((rows - ones, ones), epsilon)


def any_at_all(draw: Draw, ones: int, rows: int, *, epsilon: Fraction, delta: Fraction) -> Distribution[Any]:
    """The answer of whether some row is 1, as leakily as (ε,δ)-privacy allows."""
    return leaky_randomized_response(draw, int(ones > 0), epsilon=epsilon, delta=delta)


def one_more_or_less(ones: int) -> Iterator[int]:
    """The numbers of rows that are 1 where one is replaced."""
    yield from (ones - 1, ones + 1)


_SAMPLED: Final = 1 - (1 - Fraction(1, ROWS)) ** SIZE
"""The probability that a row is in the sample."""
_LEMMA: Final = "(6εm/n, 4·exp(6εm/n)·(m/n)·δ)-private"
_LEAKY_100: Final = (
    Row("leaky-100-of-900", "whether some row is 1, as leakily as (1, 10⁻⁶)-privacy allows")
    .having(domain=[0, 1, 2, 3])
    .run_with(mechanism=any_at_all, given={"epsilon": Fraction(1), "delta": MILLIONTH})
)
long_samples = family(
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
    .of(_LEAKY_100),
    # What the leaky mechanism needs on a sample, in place of what the lemma says of it: both numbers are used up.
    Row("-exact")
    .says(
        ", on 100 of 900 rows with replacement is (ln(1 + p·(e − 1)), p·10⁻⁶)-private, for the p = 1 − (899/900)¹⁰⁰ "
        "with which a row is sampled"
    )
    .having(epsilon=log(1 + _SAMPLED * (exp(1) - 1)), delta=_SAMPLED * MILLIONTH)
    .of(_LEAKY_100),
)


# Samples of few rows, in any order.
def _on_sample(mechanism: Mechanism, size: int, rows: int, **given: Any) -> Row:
    """A mechanism, with what it is given, on a sample of so many rows."""
    return Row().having(domain=Multisets((0, 1), size=rows)).run_with(size=size, mechanism=mechanism, parameters=given)


def _with_the_lemma(
    name: str, mechanism: Mechanism, size: int, rows: int, epsilon: Fraction, delta: Fraction | None = None, **more: Any
) -> Row:
    given = {"epsilon": epsilon} | ({} if delta is None else {"delta": delta})
    return (
        Row(name)
        .says(
            f"{mechanism.__name__}, ({epsilon}, {delta or 0})-private, on {size} of {rows} rows with replacement is "
            "(6εm/n, 4·exp(6εm/n)·(m/n)·δ)-private"
        )
        .having(**more)
        .of(by_the_lemma(size, rows, epsilon, delta or 0).of(_on_sample(mechanism, size, rows, **given)))
    )


_SIX_TIMES: Final = "the lemma's 6εm/n is far more than εm/n, which is about what one row in so many can do"
_TWO_OF_13: Final = LeastShare(share="11/32", below="5/16", because=_SIX_TIMES)
_ONE_OF_16: Final = LeastShare(share="9/64", below="1/8", because=_SIX_TIMES)
samples = family(
    Row()
    .having(mechanism=in_sorted_order(on_a_sample), finite_because=SAMPLES_ROWS, mutant=without_sampling)
    .of(OF_A_SAMPLE),
    _with_the_lemma("exponential", most_frequent_bit, 2, 13, Fraction(1), least=_TWO_OF_13),
    _with_the_lemma("exponential-small", most_frequent_bit, 1, 16, Fraction(1, 4), least=_ONE_OF_16),
    _with_the_lemma("noisy-sum", noisy_sum, 2, 13, Fraction(1)),
    _with_the_lemma("real-sum", real_sum, 1, 7, Fraction(1)),
    _with_the_lemma("leaky", leaky_or, 1, 16, Fraction(1), TENTH, weak_because=SIX_TIMES_LEAKY),
    # What sampling one row of n gives, in place of what the lemma says of it: both numbers are used up.
    Row("leaky-exact", "leaky_or, (1, 1/10)-private, on 1 of 16 rows is (ln(1 + (e − 1)/16), 1/160)-private")
    .having(epsilon=log(1 + (exp(1) - 1) / 16), delta=TENTH / 16)
    .of(_on_sample(leaky_or, 1, 16, epsilon=Fraction(1), delta=TENTH)),
    *rows_of(
        Row("{}-every-epsilon")
        .says("{}, ε-private, on 1 of 16 rows is 3/8·ε-private, for every ε: the lemma without its ε ≤ 1")
        .having(epsilon=symbolic * Fraction(3, 8))
        .having(variant="The lemma has the condition ε ≤ 1, which is left out here."),
        Row("exponential", "most_frequent_bit").of(_on_sample(most_frequent_bit, 1, 16, epsilon=symbolic)),
        Row("noisy-sum", "noisy_sum").of(_on_sample(noisy_sum, 1, 16, epsilon=symbolic)),
    ),
)
